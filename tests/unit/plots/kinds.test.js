// What holds for every kind of figure.

import assert from "node:assert/strict";
import { test } from "node:test";
import * as Plot from "@observablehq/plot";
import { figures } from "phasor/plots";
import { everyNth } from "../../sample.js";
import { blank, drawing } from "./picture.js";

const draw = /** @type {Record<string, (data: any, options?: object) => string>} */ (
  /** @type {unknown} */ (figures({ Plot, document: blank(), as: "svg" }))
);

/** The text alternative. @param {string} svg */
const said = (svg) => /aria-label="([^"]*)"/.exec(svg)?.[1] ?? "";

/** A number as a figure writes it. @param {string} text */
const read = (text) => Number(text.replaceAll("−", "-").replaceAll(",", ""));

/** The labels with numbers of each axis and color bar. @param {string} svg @returns {string[][]} */
function labels(svg) {
  /** @type {Record<string, string[]>} */
  const found = {};
  for (const text of drawing(svg).querySelectorAll("text")) {
    const axis = text.closest("g[aria-label]")?.getAttribute("aria-label");
    const label = String(text.textContent);
    if (/\d/.test(label)) (found[`${axis ?? text.getAttribute("text-anchor")}`] ??= []).push(label);
  }
  return Object.values(found);
}

const heads = { colors: "sequential", headLabels: ["head"], rowTitle: "q", columnTitle: "k" };
const rows = { colors: "sequential", rowLabels: ["row"] };

/** Figures of a range. @type {((from: number, to: number) => string)[]} */
const RANGES = [
  (...ends) => draw.heatmap([ends], rows),
  (...domain) => draw.heatmap([domain], { ...rows, domain }),
  (...ends) => draw.bias([[ends]], heads),
  (from, to) => draw.scatter(Object.entries([from, to]).map(([i, x]) => [x, 100 + Number(i)])),
  (from, to) => draw.scatter(Object.entries([from, to]).map(([i, y]) => [100 + Number(i), y])),
  (...ends) => draw.bar(ends, { labels: ["a", "b"] }),
  (...ends) => draw.bar(ends, { labels: ["a", "b"], horizontal: true }),
  (...ends) => draw.waves(ends.map((y) => [y])),
  (...x) => draw.waves([[2], [3]], { x }),
  (...ends) => draw.waves(ends.map((y) => [y]), { yScale: "log" }), // prettier-ignore
  (...ends) => draw.spectrum(ends.map((wavelength) => (2 * Math.PI) / wavelength)),
];

/** The ends of the ranges in a sentence. */
const SAID = /from (−?\d[\d.,e−+]*)(?: \(\w\))? to (−?\d[\d.,e−+]*\d|\d)/g;

for (const [from, to] of [
  [12345, 12346],
  [1, 1.0003],
  [100000.1, 100000.2],
  [0.99999, 1],
  [996, 1004],
  [1e-7, 1.0001e-7],
  [1 - 2 ** -24, 1],
  [1, 1 + 2 ** -52],
  [16777215, 16777216],
  [4.00001e9, 4.00002e9],
  [1e300, 1.0000001e300],
]) {
  test(`figures: the ends of ${from} to ${to} differ, and no two ticks are alike`, () => {
    for (const figure of RANGES) {
      const svg = figure(from, to);
      for (const [, least, most] of said(svg).matchAll(SAID)) {
        if (most === "101" || most === "3") continue; // the other axis
        const off = Math.abs((read(most) - read(least)) / (to - from) - 1);
        assert.ok(off <= 0.3, `${figure}: ${said(svg)}`);
      }
      for (const axis of labels(svg)) {
        assert.equal(new Set(axis).size, axis.length, `${figure}: ${axis}`);
        assert.ok(axis.every((label) => label.length < 24), `${figure}: ${axis}`); // prettier-ignore
      }
    }
  });
}

/** Characters of several code points: letters with marks, a family, a flag, a skin tone, Devanagari, Hangul's parts, a keycap. */
const CHARACTERS = ["\u{1f600}", "e\u0301", "\u{1f468}\u200d\u{1f469}\u200d\u{1f467}", "\u{1f1ea}\u{1f1fa}", "\u{1f44d}\u{1f3fd}", "\u0928\u093f", "\u1112\u1161\u11ab", "1\ufe0f\u20e3"]; // prettier-ignore

/** Seven figures are drawn with each label: at night all of 320, else a seventh. */
const isTaken = everyNth(7);

test("figures: what is left of a label are whole characters of it", () => {
  for (const character of CHARACTERS) {
    for (const before of Array.from({ length: 40 }, (_, i) => i)) {
      if (!isTaken()) continue;
      const label = "a".repeat(before) + character.repeat(150);
      const left = new RegExp(`^(a*|a{${before}}(${character})*)…?$`, "u");
      const names = [label, label];
      for (const svg of [
        draw.heatmap([[1, 2]], { rowLabels: [label], columnLabels: names, title: label }),
        draw.bias([[[1]], [[2]]], { headLabels: names, width: 200 }),
        draw.scatter([[0, 0], [1, 1]], { labels: names, width: 2000 }), // prettier-ignore
        draw.bar([1, 2], { labels: names, groups: [label, "a"] }),
        draw.bar([1], { labels: [label], horizontal: true }),
        draw.waves([[1, 2]], { labels: names }),
        draw.clock([[1, 0]], { labels: [label] }),
      ]) {
        for (const { textContent } of drawing(svg).querySelectorAll("text")) {
          const text = String(textContent);
          if (text.length > 2 && text.startsWith(label.slice(0, 2))) assert.match(text, left);
        }
      }
      assert.throws(() => draw.bar([1], { theme: label }), ({ message }) => left.test(JSON.parse(message.split("; got ")[1]).replace("...", "…"))); // prettier-ignore
    }
  }
});

test("figures: numbers that are not drawn are said, and the range is that of the others", () => {
  for (const not of [NaN, Infinity, -Infinity]) {
    const inLog = (/** @type {number} */ y) => draw.waves([[y], [1], [2]], { yScale: "log" });
    for (const [svg, expected] of /** @type {[string, RegExp][]} */ ([
      [draw.scatter([[900, not], [1, 0], [2, 3]]), /3 points, 1 not drawn, x from 1 to 2, y from 0 to 3/], // prettier-ignore
      [draw.scatter([[not, 900], [1, 0], [2, 3]]), /3 points, 1 not drawn, x from 1 to 2, y from 0 to 3/], // prettier-ignore
      [draw.scatter([[not, not]]), /1 point, 1 not drawn, x: no values, y: no values/],
      [draw.heatmap([[not, 1, 2]]), /values from 1 to 2, 1 value not finite/],
      [draw.bias([[[not, 1, 2]]]), /values from 1 to 2, 1 value not finite/],
      [draw.bar([not, 1, 2]), /from 1 \(1\) to 2 \(2\); 1 without a number/],
      [draw.waves([[not], [1], [2]]), /from 1 to 2; 1 gap/],
      [inLog(not), /from 1 to 2; 1 gap/],
      [inLog(-5), /from 1 to 2; 1 gap/],
      [inLog(0), /from 1 to 2; 1 gap/],
      [
        draw.spectrum([Math.abs(not), Math.PI, 2 * Math.PI]),
        /3 pairs, 1 not drawn, wavelengths from 1 to 2 tokens/,
      ],
      [draw.spectrum([Math.abs(not)], { context: [100] }), /1 pair, 1 not drawn\./],
      [draw.clock([[not, 1], [1, 0]]), /2 hands on circles, a pair of numbers each; 1 without a direction\./], // prettier-ignore
      [draw.clock([[1, 0]], { before: [[1, not]] }), /before; 1 without a direction before\./],
    ])) {
      assert.match(said(svg), expected);
    }
  }
});

test("figures: numbers that are all missing, all equal or the largest are a picture with a sentence", () => {
  for (const x of [
    NaN,
    Infinity,
    -Infinity,
    0,
    -0,
    5,
    -5,
    Number.MAX_VALUE,
    -Number.MAX_VALUE,
    5e-324,
  ]) {
    for (const svg of [
      draw.heatmap([[x]]),
      draw.heatmap([[x, x], [x, x]], { colors: "sequential" }), // prettier-ignore
      draw.bias([[[x, x]]]),
      draw.scatter([[x, x], [x, x]]), // prettier-ignore
      draw.bar([x, x]),
      draw.bar([x], { horizontal: true }),
      draw.waves([[x], [x]]),
      draw.waves([[x], [x]], { yScale: "log" }),
      draw.spectrum([Math.abs(x)]),
      draw.clock([[x, x]]),
    ]) {
      assert.match(said(svg), /\d.*\.$/);
      assert.doesNotMatch(svg, /NaN|undefined|(?<!in)Infinity/, `${x}: ${said(svg)}`);
    }
  }
});

test("figures: what is marked, the table and CSV say the sign of zero", () => {
  const { heatmap, bias, bar, waves, clock, spectrum } = figures({
    Plot,
    document: blank(),
  });
  const as = /** @type {const} */ ({ as: "element" });
  for (const Kind of [Float32Array, Float64Array]) {
    const zero = { data: Kind.of(-0, 0), shape: [1, 2] };
    for (const [figure, value] of /** @type {[any, object][]} */ ([
      [heatmap(zero, as), { row: 0, column: 0 }],
      [bias({ ...zero, shape: [1, 1, 2] }, as), { row: 0, column: 0 }],
      [bar(Kind.of(-0), as), { index: 0 }],
      [waves(zero, as), { x: 0, line: 0 }],
      [clock(zero, as), { index: 0 }],
    ])) {
      figure.value = value;
      const kind = figure.getAttribute("data-kind");
      assert.match(figure.querySelector(".phasor-reading").textContent, /−0/, kind);
      assert.match(figure.csv(), /,-0/, kind);
      figure.querySelector("details").open = true;
      figure.querySelector("details").dispatchEvent(new (figure.ownerDocument.defaultView.Event)("toggle")); // prettier-ignore
      assert.match(figure.querySelector("table").textContent, /−0/, kind);
    }
    const never = spectrum(Kind.of(-0), as);
    assert.match(String(never.querySelector("[role=application]")?.getAttribute("aria-label")), /none of which turns/); // prettier-ignore
  }
});
