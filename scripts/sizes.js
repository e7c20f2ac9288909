// Prints what the package weighs: each part as it is, and as servers send it.
//   npm run sizes

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { build } from "./build.js";
import { project } from "./setup.js";

/** What the default entry, which has everything in it, is to weigh by gzip. */
export const goal = 60 * 1024;

/** What it may weigh until then: it must not grow unnoticed. */
export const ceiling = 96 * 1024;

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

/** @param {string} name a file of dist/ */
export async function sizeOfBuilt(name) {
  return sizeOf(await readFile(join(project, "dist", name)));
}

/** @returns {Promise<[name: string, size: Size][]>} */
async function sizes() {
  const { transform } = await import("esbuild");
  const glue = await readFile(join(project, "build", "wasm", "phasor.mjs"), "utf8");
  return [
    ["core.wasm", await sizeOfBuilt("core.wasm")],
    ["glue, minified", sizeOf((await transform(glue, { minify: true })).code)],
    ["phasor (wasm and glue inlined)", await sizeOfBuilt("index.js")],
    ["phasor/external (glue inlined)", await sizeOfBuilt("external.js")],
    ["phasor/scalar (without SIMD)", await sizeOfBuilt("scalar.js")],
    ["phasor/worker", await sizeOfBuilt("worker.js")],
    ["phasor/worker-thread (beside phasor)", await sizeOfBuilt("worker-thread.js")],
    ["phasor/files", await sizeOfBuilt("files.js")],
    ["phasor/models", await sizeOfBuilt("models.js")],
    ["phasor/plots", await sizeOfBuilt("plots.js")],
  ];
}

async function print() {
  await build({ types: false });
  const found = await sizes();
  const width = Math.max(...found.map(([name]) => name.length));
  console.log(`\n${"bytes".padEnd(width)}       raw   gzip -9    brotli`);
  for (const [name, { raw, gzip, brotli }] of found) {
    const columns = [raw, gzip, brotli].map((bytes) => bytes.toLocaleString("en").padStart(10));
    console.log(name.padEnd(width) + columns.join(""));
  }
  const { gzip } = await sizeOfBuilt("index.js");
  const part = `${(gzip / 1024).toFixed(1)} of ${goal / 1024} KiB`;
  console.log(`\nThe default entry takes ${part}: goal ${gzip <= goal ? "met" : "missed"}.`);
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) await print();
