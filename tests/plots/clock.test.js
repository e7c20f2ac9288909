import assert from "node:assert/strict";
import { test } from "node:test";
import { figures } from "phasor/plots";
import { assertRefused, blank, drawing, numbers, strings, texts } from "./picture.js";

const clock = strings(figures().clock); // neither Plot nor a document

/** @param {...number} angles  radians */
const hands = (...angles) => angles.map((angle) => [Math.cos(angle), Math.sin(angle)]);

/**
 * Of each circle: its radius, and from its middle to the tips of the hands, in units of that.
 * @param {string} svg
 */
function pairs(svg) {
  return Array.from(drawing(svg).querySelectorAll(".phasor-pair"), (pair) => {
    const [circle, tip] = pair.querySelectorAll("circle");
    const [cx, cy, radius] = numbers(circle, "cx", "cy", "r");
    const vector = (/** @type {number} */ x, /** @type {number} */ y) => [
      (x - cx) / radius,
      (cy - y) / radius,
    ];
    const [tipX, tipY] = tip ? numbers(tip, "cx", "cy") : [NaN, NaN];
    const dashed = pair.querySelector("path[stroke-dasharray]")?.getAttribute("d");
    const [, x, y] = /L(\S+) (\S+)$/.exec(dashed ?? "") ?? [];
    return {
      radius,
      hand: tip && vector(tipX, tipY),
      before: dashed && vector(Number(x), Number(y)),
      pair,
    };
  });
}

/** @param {number[] | undefined | null | ""} actual @param {number[]} expected */
function assertClose(actual, expected) {
  assert.ok(actual);
  for (const i of [0, 1]) {
    assert.ok(Math.abs(actual[i] - expected[i]) < 1e-3, `[${actual}] is [${expected}]`);
  }
}

test("clock draws each pair as a hand: cos to the right, sin upwards", () => {
  const vectors = hands(0, Math.PI / 2, 2, -2.5);
  for (const [i, { hand }] of pairs(clock(vectors)).entries()) assertClose(hand, vectors[i]);
});

test("clock draws lengths as they are, the circle being 1", () => {
  const vectors = [
    [0.5, 0],
    [0, -3],
  ];
  const [half, three] = pairs(clock({ data: Float32Array.of(0.5, 0, 0, -3), shape: [2, 2] }));
  assertClose(half.hand, vectors[0]);
  assertClose(three.hand, vectors[1]);
  assert.equal(half.radius, three.radius);
});

test("clock shows where hands were, and the arc between them the short way", () => {
  const before = hands(0.2, 3, -3);
  const now = hands(1.2, -3, 3);
  const found = pairs(clock(now, { before }));
  const sweeps = found.map(({ pair, before: was, hand }, i) => {
    assertClose(was, before[i]);
    assertClose(hand, now[i]);
    const arc = pair.querySelector("path[fill-opacity]")?.getAttribute("d");
    return /A(\S+) \1 0 (\d) (\d) /.exec(String(arc))?.slice(2).join("");
  });
  // SVG's y goes down: sweep 0 is against the clock, the way angles grow; never the large arc.
  assert.deepEqual(sweeps, ["00", "00", "01"]);
});

test("clock leaves out what has no direction", () => {
  const svg = clock([
    [0, 0],
    [NaN, 1],
    [Infinity, 0],
    [1, 0],
  ]);
  assert.deepEqual(
    pairs(svg).map(({ hand }) => hand !== undefined),
    [false, false, false, true],
  );
  assert.match(svg, /4 hands on circles, a pair of numbers each; 3 without a direction/);
  assert.ok(!/NaN|Infinity/.test(svg));
  assert.match(clock([]), /0 hands/);
});

test("clock stands in rows of about one length, or in as many columns as are asked for", () => {
  const rows = (/** @type {string} */ svg) => {
    const y = pairs(svg).map(
      ({ pair }) => /translate\(\S+ (\S+)\)/.exec(String(pair.getAttribute("transform")))?.[1],
    );
    return [...new Set(y)].map((row) => y.filter((other) => other === row).length);
  };
  const sixteen = hands(...Array.from({ length: 16 }, (_, i) => i));
  assert.deepEqual(rows(clock(sixteen, { width: 900 })), [8, 8]);
  assert.deepEqual(rows(clock(sixteen, { width: 360 })), [4, 4, 4, 4]);
  assert.deepEqual(rows(clock(sixteen, { columns: 10 })), [10, 6]);
});

test("clock labels and escapes", () => {
  const hostile = `<script>alert("1")</script>`;
  const svg = clock(hands(0, 1), { labels: [hostile, "b"], columns: 1, title: hostile });
  assert.equal(drawing(svg).querySelectorAll("script").length, 0);
  assert.ok(texts(svg).includes("b") && texts(svg).includes(hostile));
  assert.ok(texts(clock(hands(0, 1))).includes("pair 1"));
});

test("clock: where there is a document, the element draws what the string draws", () => {
  const document = blank();
  const vectors = hands(1, 2, 3);
  const options = { before: hands(0, 0, 0), width: 400 };
  const figure = figures({ document }).clock(vectors, { ...options, as: "element" });
  const inPage = Array.from(figure.querySelectorAll("path"), (path) => path.getAttribute("d"));
  const svg = drawing(clock(vectors, options));
  assert.deepEqual(
    inPage,
    Array.from(svg.querySelectorAll("path"), (path) => path.getAttribute("d")),
  );
  assert.equal(inPage.length, 15);
});

test("clock: its table and its sentence hold the angles", () => {
  const { table } = figures({ document: blank() }).clock(hands(Math.PI / 3), {
    as: "element",
    before: hands(0),
  });
  assert.deepEqual(table.header.slice(0, 4), ["pair", "cos", "sin", "angle (radians)"]);
  assert.equal(table.cell(0, 0), "pair 0");
  assert.ok(Math.abs(Number(table.cell(0, 3)) - Math.PI / 3) < 1e-12);
  assert.equal(table.cell(0, 6), 0);
});

test("clock finds every angle to 1e-15", () => {
  const vectors = Array.from({ length: 721 }, (_, i) => {
    const angle = ((i - 360) / 360) * Math.PI;
    return [3 * Math.cos(angle), 3 * Math.sin(angle)];
  });
  const edges = [
    [1, 0],
    [-1, 0],
    [0, 1],
    [0, -1],
    [1, 1e-9],
    [-1, -1e-9],
  ];
  const all = [...vectors, ...edges];
  const { table } = figures({ document: blank() }).clock(all, { as: "element" });
  for (const [i, [x, y]] of all.entries()) {
    const error = Math.abs(Number(table.cell(i, 3)) - Math.atan2(y, x));
    assert.ok(error < 1e-15, `(${x}, ${y}): ${error}`);
  }
});

test("clock refuses what it cannot draw", () => {
  assertRefused(clock, [
    [[1, 2], {}, RangeError, /vectors must have the shape \[rows, columns\]/],
    [[[1, 2, 3]], {}, RangeError, /vectors must have the shape \[pairs, 2\]; got \[1, 3\]/],
    [hands(1), { before: hands(1, 2) }, RangeError, /before must hold 1 pairs; got 2/],
    [hands(1), { labels: ["a", "b"] }, RangeError, /labels must hold 1 texts; got 2/],
    [hands(1), { columns: 0 }, RangeError, /columns must be a whole number from 1/],
    [hands(1), { radius: 3 }, TypeError, /^clock has no option "radius"/],
  ]);
});
