// Prints what each entry of the package weighs: as it is, as servers send it, and what it may weigh.
//   npm run x -- sizes

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { build } from "./build.js";
import { entriesOf } from "./entries.js";
import { project } from "../setup/setup.js";

/** What entries are to weigh at most by gzip, in KiB. @type {Record<string, number>} */
const goals = { phasor: 85, "phasor/positional": 58, "phasor/rope": 28, "phasor/sinusoidal": 28 };

/**
 * What each entry may weigh by gzip, in KiB: a little more than it does, so that none grows unnoticed.
 * @type {Record<string, number>}
 */
export const budgets = {
  phasor: 126,
  "phasor/external": 69.5,
  "phasor/core.wasm": 57.5,
  "phasor/scalar": 135.5,
  "phasor/positional": 63.5,
  "phasor/embedding": 38.5,
  "phasor/attention": 27,
  "phasor/analysis": 54.5,
  "phasor/training": 19,
  "phasor/ngrams": 18.5,
  "phasor/lab": 4.5,
  "phasor/lab-thread": 1,
  "phasor/rope": 30,
  "phasor/sinusoidal": 22,
  "phasor/worker": 17,
  "phasor/worker-thread": 2.5,
  "phasor/files": 32,
  "phasor/models": 40.5,
  "phasor/open": 40.5,
  "phasor/oracle": 11,
  "phasor/xray": 5,
  "phasor/vectors": 11,
  "phasor/plots": 55.5,
  "phasor/widget": 173,
  "phasor/phasor.py": 54.5,
};

/** @typedef {{raw: number, gzip: number, brotli: number}} Size in bytes */

/**
 * @param {string | Uint8Array} content
 * @returns {Size}
 */
export function sizeOf(content) {
  const bytes = Buffer.from(content);
  return {
    raw: bytes.length,
    gzip: gzipSync(bytes, { level: 9 }).length,
    brotli: brotliCompressSync(bytes).length, // at its strongest by default
  };
}

/** Each entry as it was built. @returns {Promise<[name: string, size: Size][]>} */
export function sizes() {
  return Promise.all(
    entriesOf().map(async ({ name, file }) => [name, sizeOf(await readFile(join(project, file)))]),
  );
}

/** @param {number} bytes */
const kibibytes = (bytes) => (bytes / 1024).toFixed(1);

async function print() {
  await build({ types: false });
  const found = await sizes();
  const width = Math.max(...found.map(([name]) => name.length));
  console.log(`\n${"KiB".padEnd(width)}       raw   gzip -9    brotli    budget of gzip`);
  for (const [name, { raw, gzip, brotli }] of found) {
    const columns = [raw, gzip, brotli].map((bytes) => kibibytes(bytes).padStart(10)).join("");
    const budget = budgets[name];
    const verdict =
      budget === undefined ? "none" : `${budget}${gzip > budget * 1024 ? ", exceeded" : ""}`;
    console.log(`${name.padEnd(width)}${columns}    ${verdict}`);
  }
  for (const [name, goal] of Object.entries(goals)) {
    const gzip = found.find((entry) => entry[0] === name)?.[1].gzip ?? NaN;
    const verdict = gzip <= goal * 1024 ? "met" : "missed";
    console.log(`${name}: ${kibibytes(gzip)} of ${goal} KiB, goal ${verdict}`);
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) await print();
