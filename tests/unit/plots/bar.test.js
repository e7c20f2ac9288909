import assert from "node:assert/strict";
import { test } from "node:test";
import * as Plot from "@observablehq/plot";
import { figures } from "phasor/plots";
import { assertLinear, assertRefused, blank, drawing, numbers, strings, texts } from "./picture.js";

const bar = strings(figures({ Plot, document: blank() }).bar);

/** The bars, as Plot has them. @param {string} svg */
function bars(svg) {
  return Array.from(drawing(svg).querySelectorAll('g[aria-label="bar"]')).flatMap((group) =>
    Array.from(group.querySelectorAll("rect"), (rect) => {
      const [x, y, width, height] = numbers(rect, "x", "y", "width", "height");
      return { x, y, width, height, group };
    }),
  );
}

test("bar draws lengths from zero, up and down", () => {
  const values = [3, -1, 2, 0.5];
  const found = bars(bar(values));
  const zero = found[0].y + found[0].height;
  const ends = found.map(({ y, height }, i) => (values[i] < 0 ? y + height : y));
  const factor = assertLinear([zero, ...ends], [0, ...values]);
  assert.ok(factor < 0);
  assertLinear(
    found.map(({ x }) => x),
    [0, 1, 2, 3],
  );
  assert.equal(new Set(found.map(({ width }) => width.toFixed(6))).size, 1);
});

test("bar names some bars only where the names of all would touch", () => {
  const labels = Array.from("abcdefghijklmnopqrst");
  const named = (/** @type {number} */ height) =>
    texts(bar([...labels.keys()], { labels, horizontal: true, height })).filter((text) =>
      labels.includes(String(text)),
    ).length;
  assert.equal(named(400), 20);
  assert.ok(named(200) > 4 && named(200) * 13 < 200, `${named(200)} names`);
});

test("bar draws from left to right with the names at the left", () => {
  const labels = ["cat", "dog", "an extraordinarily long word of very many letters indeed"];
  const svg = bar([1, 2, -3], { labels, horizontal: true, width: 360 });
  const found = bars(svg);
  assert.ok(assertLinear([found[0].width, found[1].width, found[2].width], [1, 2, 3]) > 0);
  assert.ok(found[0].y < found[1].y && found[1].y < found[2].y);
  assert.ok(texts(svg).includes("cat"));
  const long = texts(svg).find((text) => text?.startsWith("an extra"));
  assert.ok(long?.endsWith("…") && long.length < 25, "a name leaves room for the bars");
});

test("bar skips values that are not finite, and reports how many", () => {
  const svg = bar(Float32Array.of(1, NaN, Infinity, 2), { labels: ["a", "b", "c", "d"] });
  assert.equal(bars(svg).length, 2);
  assert.match(svg, /4 bars: value from 1 \(a\) to 2 \(d\); 2 without a number/);
  assert.ok(!/NaN|Infinity/.test(svg));
  assert.match(bar([]), /0 bars, without numbers/);
  assert.match(bar([NaN]), /1 bar, without numbers/);
});

test("bar: groups have a color, an outline and a name each", () => {
  const groups = ["q", "k", "q", "v"];
  const svg = bar([1, 2, 3, 4], { groups });
  const found = bars(svg);
  const stroke = found.map(({ group }) => group.getAttribute("stroke"));
  const dash = found.map(({ group }) => group.getAttribute("stroke-dasharray"));
  assert.equal(new Set(stroke).size, 3);
  assert.equal(new Set(dash).size, 3);
  const q = found.filter(({ group }) => group === found[0].group).map(({ height }) => height);
  assertLinear([0, ...q], [0, 1, 3]);
  for (const group of groups) assert.ok(texts(svg).includes(group));
});

test("bar draws a rule at a value", () => {
  for (const horizontal of [false, true]) {
    const svg = bar([0, 10], { rule: { value: 5, label: "mean" }, horizontal });
    const rule = drawing(svg).querySelector('line[stroke-dasharray="2 3"]');
    assert.ok(rule && texts(svg).includes("mean"));
    const ten = bars(svg)[1];
    const [at] = numbers(rule, horizontal ? "x1" : "y1");
    const middle = horizontal ? ten.x + ten.width / 2 : ten.y + ten.height / 2;
    assert.ok(Math.abs(at - middle) < 0.01);
  }
  assert.ok(texts(bar([1], { rule: 0.25 })).includes("0.25"));
});

test("bar draws as many names as fit", () => {
  const names = (/** @type {string} */ svg) =>
    Array.from(drawing(svg).querySelectorAll('g[aria-label="x-axis tick label"] text'));
  assert.equal(names(bar(new Float32Array(200), { width: 360 })).length < 12, true);
  const labels = Array.from({ length: 12 }, (_, i) => `a long name ${i}`);
  const turned = names(bar(new Float32Array(12), { labels, width: 400 }));
  assert.equal(turned.length, 12);
  assert.ok(turned.every((name) => /rotate\(-40\)/.test(String(name.getAttribute("transform")))));
});

test("bar escapes its labels", () => {
  const hostile = `<script>alert("1")</script>`;
  const svg = bar([1, 2], {
    labels: [hostile, "b"],
    groups: [hostile, "b"],
    rule: { value: 1, label: hostile },
    xTitle: hostile,
    yTitle: hostile,
    title: hostile,
    width: 1000,
  });
  assert.equal(drawing(svg).querySelectorAll("script").length, 0);
  assert.ok(!svg.includes("<script"));
  assert.ok(texts(svg).includes(hostile));
});

test("bar rejects invalid arguments", () => {
  assertRefused(bar, [
    [[[1, 2]], {}, RangeError, /values must have the shape \[length\]; got \[1, 2\]/],
    [[1], { labels: [] }, RangeError, /labels must hold 1 texts; got 0/],
    [[1], { groups: "a" }, TypeError, /groups must be an array of texts; got "a"/],
    [[1], { colors: ["red", "teal"] }, RangeError, /colors must hold 1 texts; got 2/],
    [[1], { colors: ["url(a)"] }, RangeError, /colors\[0\] must be a color, .*; got "url\(a\)"/],
    [[1], { rule: NaN }, RangeError, /rule must be a finite number; got NaN/],
    [[1], { rule: "1" }, TypeError, /^bar: rule must be an object; got "1"/],
    [[1], { horizontal: "yes" }, TypeError, /horizontal must be true or false; got "yes"/],
    [[1], { color: "red" }, TypeError, /^bar: options must have only .*; got "color"/],
  ]);
});
