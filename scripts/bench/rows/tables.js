// The tables that rows of the bench search.

import { readFile } from "node:fs/promises";
import { uniform } from "../measure.js";

/** Rows by the name of their kind. @param {string} kind @returns {Promise<{data: Float32Array, shape: number[]}>} */
export async function rowsOfKind(kind) {
  const random = uniform(23);
  const normal = () => 1.4 * (random() + random() + random() + random() + random() + random() - 3);
  if (kind === "MiniLM's rows") return offGrid("minilm", "words", random);
  if (kind === "GloVe's rows") return offGrid("glove-10k-100d", "embedding", random);
  const [V, D] = [20000, 768];
  const centers = new Float32Array(50 * D).map(normal);
  /** @type {Record<string, (x: number, v: number, d: number) => number>} */
  const rules = {
    "white noise": (x) => x,
    "heavy tails": (x) => x ** 3,
    clusters: (x, v, d) => centers[(v % 50) * D + d] + 0.3 * x,
    "a common mean": (x, _, d) => 3 * centers[d] + x,
    "four large columns": (x, _, d) => (d % 200 === 138 ? 50 * x : x),
    "eight large columns": (x, _, d) => (d % 100 === 38 ? 50 * x : x),
    "a mean of 30 deviations": (x, _, d) => 30 * centers[d] + x,
  };
  const data = new Float32Array(V * D).map((_, i) =>
    rules[kind](normal(), Math.floor(i / D), i % D),
  );
  return { data, shape: [V, D] };
}

/**
 * Rows of one of the site's tables, moved off the grid of their int8 numbers, which would flatter an int8 copy.
 * @param {string} file @param {string} name @param {() => number} random
 */
async function offGrid(file, name, random) {
  /** @type {typeof import("phasor/files")} */
  const { safetensors } = await import(new URL("../../../dist/files.js", import.meta.url).href);
  const url = new URL(`../../../web/data/${file}.safetensors`, import.meta.url);
  const opened = await safetensors.read(await readFile(url));
  const { data, shape } = await opened.tensor(`${name}.weight`);
  const { data: scales } = await opened.tensor(`${name}.scale`);
  const D = shape[1];
  const rows = Float32Array.from(data, (x, i) => (x + random() - 0.5) * scales[Math.floor(i / D)]);
  return { data: rows, shape: [...shape] };
}

/** Rows divided by their lengths. @param {Float32Array} rows  [N, D] @param {number} D */
export function unitRows(rows, D) {
  const units = new Float32Array(rows.length);
  for (let from = 0; from < rows.length; from += D) {
    let square = 0;
    for (let d = from; d < from + D; ++d) square += rows[d] * rows[d];
    for (let d = from; d < from + D; ++d) units[d] = rows[d] / Math.sqrt(square);
  }
  return units;
}
