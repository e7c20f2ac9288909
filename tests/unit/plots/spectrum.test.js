import assert from "node:assert/strict";
import { test } from "node:test";
import * as Plot from "@observablehq/plot";
import { figures } from "phasor/plots";
import {
  assertLinear,
  assertRefused,
  blank,
  drawing,
  numbers,
  paths,
  strings,
  texts,
} from "./picture.js";

const spectrum = strings(figures({ Plot, document: blank() }).spectrum);

/** theta of the pairs of a rotary embedding. @param {number} base @param {number} pairs */
const frequencies = (base, pairs) =>
  Float64Array.from({ length: pairs }, (_, i) => base ** (-i / pairs));

/** Full and hollow points, in the order of x. @param {string} svg */
function points(svg) {
  const groups = Array.from(drawing(svg).querySelectorAll('g[aria-label="dot"]'));
  return groups
    .flatMap((group) => {
      const hollow = group.getAttribute("fill") !== group.getAttribute("stroke");
      return Array.from(group.querySelectorAll("circle"), (circle) => {
        const [x, y] = numbers(circle, "cx", "cy");
        return { x, y, hollow };
      });
    })
    .sort((a, b) => a.x - b.x);
}

test("spectrum draws 2 pi / frequency on a log axis, pair by pair", () => {
  const theta = frequencies(10000, 32);
  const [line] = paths(spectrum(theta));
  assertLinear(
    line.map(([x]) => x),
    Array.from(theta, (_, i) => i),
  );
  const factor = assertLinear(
    line.map(([, y]) => y),
    Array.from(theta, (frequency) => Math.log((2 * Math.PI) / frequency)),
  );
  assert.ok(factor < 0, "long waves stand above");
});

test("spectrum: points are filled if a pair completes a turn within the first context", () => {
  const theta = frequencies(10000, 64);
  const within = Array.from(theta, (frequency) => (2 * Math.PI) / frequency <= 4096);
  const svg = spectrum(theta, { context: [4096, 131072] });
  assert.deepEqual(
    points(svg).map(({ hollow }) => !hollow),
    within,
  );
  const many = within.filter(Boolean).length;
  assert.match(
    svg,
    new RegExp(`aria-label="64 pairs, [^"]*; ${many} turn fully within 4,096 tokens`),
  );
  assert.ok(points(spectrum(theta)).every(({ hollow }) => !hollow));
});

test("spectrum draws a rule at the length of each context", () => {
  const svg = spectrum([2 * Math.PI, (2 * Math.PI) / 100], {
    context: [{ length: 10, label: "trained" }, 100],
  });
  const rules = Array.from(drawing(svg).querySelectorAll('line[stroke-dasharray="2 3"]'));
  const [short, long] = points(svg);
  const [ten, hundred] = rules.map((rule) => numbers(rule, "y1")[0]);
  assert.ok(Math.abs(ten - (short.y + long.y) / 2) < 0.01);
  assert.ok(Math.abs(hundred - long.y) < 0.01);
  assert.ok(texts(svg).includes("trained") && texts(svg).includes("100 tokens"));
});

test("spectrum: a pair that never turns is a gap, and described", () => {
  const svg = spectrum([1, 0, 0.01, NaN]);
  assert.equal(points(svg).length, 2);
  assert.ok(!/NaN|Infinity/.test(svg));
  assert.match(svg, /1 never turn/);
  assert.match(spectrum([0, 0]), /2 pairs, none of which turns/);
  assert.match(spectrum([]), /0 pairs, none of which turns/);
});

test("spectrum compares series of any length, each with its name", () => {
  const svg = spectrum(
    [
      { label: "base <10,000>", frequencies: frequencies(1e4, 64) },
      { label: "base 500,000", frequencies: frequencies(5e5, 32) },
    ],
    { context: [8192] },
  );
  assert.deepEqual(
    paths(svg).map(({ length }) => length),
    [64, 32],
  );
  assert.ok(texts(svg).includes("base <10,000>") && svg.includes("base &lt;10,000&gt;"));
  assert.match(svg, /aria-label="base &lt;10,000&gt;: 64 pairs, [^"]*base 500,000: 32 pairs, /);
});

test("spectrum rejects invalid arguments", () => {
  assertRefused(spectrum, [
    ["text", {}, TypeError, /frequencies must/],
    [[1, -1], {}, RangeError, /frequencies must be 0 or more; got -1 at 1/],
    [[{ label: "a" }], {}, TypeError, /series\[0\]\.frequencies must/],
    [
      [{ name: "a" }],
      {},
      TypeError,
      /^spectrum: series\[0\] must have only label, frequencies; got "name"/,
    ],
    [[[1, 2]], {}, TypeError, /^spectrum: series\[0\] must be an object; got an array of 2/],
    [[1], { context: 4096 }, TypeError, /context must be an array of lengths; got 4096/],
    [
      [1],
      { context: [0] },
      RangeError,
      /context\[0\]\.length must be a number of tokens > 0; got 0/,
    ],
    [[1], { context: [{ label: "a" }] }, TypeError, /context\[0\]\.length must be/],
    [[1], { contexts: [1] }, TypeError, /^spectrum: options must have only .*; got "contexts"/],
  ]);
});
