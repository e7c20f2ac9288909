/** @import { Phasor } from "phasor" */
/** @import { Value } from "./index.js" */

/** Vectors of five tokens. */
export const TOKENS = [
  [0.5, -1, 0.25, 2],
  [-0.75, 1.5, 1, -0.5],
  [1.25, 0.125, -2, 0.75],
  [-1.5, 0.625, 0.375, 1],
  [2, -0.25, -1.125, 0.875],
];

/** Vectors of eight positions. */
export const POSITIONS = [
  [0.1, 0.2, -0.3, 0.4],
  [-0.5, 0.6, 0.7, -0.8],
  [0.9, -1, 0.11, 0.12],
  [0.13, 0.14, -0.15, 0.16],
  [-0.17, 0.18, 0.19, 0.21],
  [0.22, -0.23, 0.24, 0.25],
  [0.26, 0.27, 0.28, -0.29],
  [-0.31, 0.32, -0.33, 0.34],
];

/**
 * Looks ids up in a table.
 *
 * @param {Phasor} phasor @param {readonly any[]} table @param {readonly any[]} ids
 * @param {{ scale?: "sqrt" | number, add?: readonly any[] }} [options]
 * @returns {any[]}
 */
export function looked({ embedding }, table, ids, options) {
  const made = embedding.from(table);
  try {
    return made.lookup(ids, options).toArray();
  } finally {
    made.dispose();
  }
}

/** @param {readonly number[][]} rows @returns {number[][]} */
export const transposed = (rows) => rows[0].map((_, c) => rows.map((row) => row[c]));

/** Two vectors or matrices added. @param {any} a @param {any} b @returns {any} */
export const sum = (a, b) =>
  typeof a === "number"
    ? a + b
    : a.map((/** @type {any} */ x, /** @type {number} */ i) => sum(x, b[i]));

/** @param {Value} x @param {number} factor @returns {any} */
export const times = (x, factor) =>
  typeof x === "number" ? x * factor : /** @type {any[]} */ (x).map((each) => times(each, factor));
