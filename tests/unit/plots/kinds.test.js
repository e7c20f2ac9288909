// What holds for every kind of figure.

import assert from "node:assert/strict";
import { test } from "node:test";
import * as Plot from "@observablehq/plot";
import { figures } from "phasor/plots";
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
