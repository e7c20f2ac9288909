// Cloudflare's workerd by miniflare: what `npx wrangler dev` runs.

import { build } from "esbuild";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { run } from "../../../../scripts/setup/run.js";
import { lay, versionOf } from "../matrix.js";
import { binaries } from "./binaries.js";
import { folder } from "./install.js";

/** @import { Environment, Outcome, Place } from "../matrix.js" */

const instead = "load({ wasm }) takes the module of phasor/core.wasm";

/** What a Worker may not do. */
const compiling = {
  why: `it compiles nothing at run time; ${instead}`,
  error: /may not compile WebAssembly here/,
};

/**
 * Bundle a Worker as wrangler does: a .wasm file is a separate module, which the host compiles.
 *
 * @param {string} file
 * @param {string} to  folder
 */
async function bundleWorker(file, to) {
  await build({
    entryPoints: [file],
    outfile: join(to, "worker.js"),
    bundle: true,
    format: "esm",
    target: "es2022",
    conditions: ["workerd", "worker", "browser"],
    logLevel: "silent",
    external: ["@observablehq/plot"],
    plugins: [
      {
        name: "wasm modules",
        setup({ onResolve }) {
          onResolve({ filter: /\.wasm$/ }, () => ({ path: "./core.wasm", external: true }));
        },
      },
    ],
  });
}

/**
 * The body of what a Worker answers.
 *
 * @param {string} file  a module with the Worker
 * @param {string} at  folder
 * @param {object} [options]
 * @param {string} [options.query]
 * @param {string} [options.date]  whose rules it runs under
 */
export async function answerOf(file, at, { query = "", date = "2026-07-01" } = {}) {
  await bundleWorker(file, at);
  const script = `
    import { readFile } from "node:fs/promises";
    import { Miniflare } from "miniflare";
    const text = await readFile("worker.js", "utf8");
    const core = await readFile("${join(folder, "node_modules/phasor/dist/core.wasm")}");
    const modules = [{ type: "ESModule", path: "worker.js", contents: text }];
    if (text.includes("./core.wasm")) {
      modules.push({ type: "CompiledWasm", path: "core.wasm", contents: core });
    }
    const worker = new Miniflare({ modules, compatibilityDate: "${date}", cf: false });
    const answer = await worker.dispatchFetch("http://worker.test/${query}");
    console.log(await answer.text());
    await worker.dispose();
  `;
  await writeFile(join(at, "run.mjs"), script);
  // Miniflare needs a newer Node than the package does.
  return (await run(binaries.node24, ["run.mjs"], { cwd: at, capture: true })).stdout.trim();
}

const workers = {
  why: "it has no workers within a Worker",
  error: /this host has no workers/,
};

/** @type {Environment} */
export const workerd = {
  name: "Cloudflare workerd",
  version: () => versionOf("workerd", folder),
  refusals: {
    "phasor/ngrams": compiling,
    "phasor/lab": compiling,
    "phasor/widget": compiling,
    "phasor/worker": workers,
    "phasor/worker-thread": workers,
    "phasor/lab-thread": compiling,
    "phasor/open": {
      ...compiling,
      why: "it compiles nothing at run time; open(source, { phasor }) takes what load({ wasm }) gives",
    },
    "phasor/oracle": { ...compiling, why: "as phasor/open: it takes { phasor }" },
    "phasor/xray": {
      ...compiling,
      why: "it compiles nothing at run time; xray(config, { phasor }) takes what load({ wasm }) gives",
    },
    "phasor/vectors": {
      ...compiling,
      why: "it compiles nothing at run time; vectors(config, { phasor }) takes what load({ wasm }) gives",
    },
  },
  async run(place) {
    await lay(place, { given: { "core.wasm": 'export { default } from "phasor/core.wasm";' } });
    /** @type {Record<string, Outcome>} */
    const outcomes = {};
    for (const { name } of place.programs) {
      // What a Worker computes, it computes while it answers.
      const code = `
        export default {
          async fetch() {
            await import("./${name}.main.js");
            return Response.json(await globalThis.outcome);
          },
        };
      `;
      const file = join(place.at, `${name}.worker.js`);
      await writeFile(file, code);
      outcomes[name] = JSON.parse(await answerOf(file, join(place.at, "out")));
    }
    return outcomes;
  },
};
