// A search of a million rows: its time by rows, and the memory of the core with a table of int8 that is written in
// pieces, so that the rows never are in float32 all at once.

import { loadInView } from "./core.js";
import { digits, table } from "./report.js";
import { compared, noise, timesOf } from "./scaling.js";

/** @import { Found } from "./record.js" */

/**
 * @typedef {object} Searched  a search at one number of rows
 * @property {number} rows
 * @property {number} numbers  of the rows
 * @property {number} filled  ms in which the table was written
 * @property {number} ms  of a search, the lower quartile of several
 * @property {number} core  bytes of the core's memory after it
 * @property {number | null} exponent  of the rows in the time since the number before, null for the first
 */

/** Numbers of rows, and how many numbers each has. */
const ROWS = Object.freeze([1e4, 1e5, 1e6]);
const D = 384;

/** Rows of a piece: 15 MB of float32. */
const PIECE = 1e4;

/** Bytes that the core is to have at most with all rows. */
const MOST = 500e6;

/** @param {string} entry  URL of the package @returns {Promise<Found>} */
export async function runMillion(entry) {
  const title = `nearest of one query in int8 rows of ${D} numbers, written in pieces`;
  console.log(`\n${title}`);
  const measured = [];
  for (const rows of ROWS) measured.push(await searched(entry, rows));
  const points = compared(measured).map(({ cliff: _, ...point }) => point);
  const lines = points.map(({ rows, filled, ms, exponent, core }) => [
    rows.toLocaleString("en"),
    digits(filled),
    digits(ms),
    exponent === null ? "" : exponent.toFixed(2),
    (core / 1e6).toFixed(1),
  ]);
  const head = ["rows", "ms to write", "ms of a search", "exponent", "MB of the core"];
  console.log(table([head, ...lines]));
  const { core } = points[points.length - 1];
  const goal = /** @type {const} */ ({
    text: `at most ${MOST / 1e6} MB of the core with ${Math.max(...ROWS).toLocaleString("en")} rows`,
    ratio: core / 1e6,
    verdict: core <= MOST ? "met" : "missed",
  });
  console.log(`  ${goal.text}: ${goal.ratio.toFixed(1)}, ${goal.verdict}`);
  return { judgements: [goal], million: { title, points, goals: [goal] } };
}

/** @param {string} entry @param {number} rows */
async function searched(entry, rows) {
  const { phasor, bytes } = await loadInView(entry); // a new core: its memory never shrinks
  const kept = phasor.embedding.zeros(rows, D, { dtype: "int8" });
  const piece = noise(PIECE * D + rows / PIECE);
  const start = performance.now();
  for (let first = 0, from = 0; first < rows; first += PIECE, ++from) {
    const data = piece.subarray(from, from + PIECE * D); // each begins later, so that no two rows are the same
    kept.write(first, { data, shape: [PIECE, D] });
  }
  const filled = performance.now() - start;
  const query = noise(D);
  const [ms] = timesOf([() => phasor.nearest(kept, query)]);
  return { rows, numbers: rows * D, filled, ms, core: bytes() };
}
