// As PyTorch prints tensors of one or two axes, with its own defaults.

import assert from "node:assert/strict";

/**
 * @param {ArrayLike<number>} data @param {readonly number[]} shape  [N] or [N, M]
 * @param {"int" | "float"} kind
 * @returns {string} such as "tensor([0.5000, 1.2500])"
 */
export function printed(data, shape, kind) {
  const numbers = Array.from(data);
  const format = kind === "int" ? String : formatOf(numbers);
  const texts = numbers.map(format);
  // Zeros do not count for the width, but they are never the longest.
  const width = Math.max(...texts.map(({ length }) => length));
  const M = shape.at(-1) ?? 1;
  assert.ok(7 + shape.length + (width + 2) * M <= 80, "it must fit into a line");
  const rows = Array.from({ length: numbers.length / M }, (_, i) => {
    const row = texts.slice(i * M, (i + 1) * M).map((text) => text.padStart(width));
    return `[${row.join(", ")}]`;
  });
  return shape.length === 1
    ? `tensor(${rows[0]})`
    : `tensor([${rows.join(`,\n${" ".repeat(8)}`)}])`;
}

/** Whole numbers have a point, others four decimals. @param {number[]} numbers */
function formatOf(numbers) {
  const sizes = numbers.map(Math.abs).filter((size) => size > 0);
  assert.ok(sizes.every(Number.isFinite), "infinities are not needed here");
  if (numbers.every(Number.isInteger)) return (/** @type {number} */ x) => `${x}.`;
  // Beyond these PyTorch prints exponents; a half it rounds to even, as toFixed does not.
  assert.ok(Math.max(...sizes) / Math.min(...sizes) <= 1000 && Math.min(...sizes) >= 1e-4);
  assert.ok(sizes.every((size) => (size * 1e4) % 1 !== 0.5));
  return (/** @type {number} */ x) => x.toFixed(4);
}
