import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const { exports } = JSON.parse(
  await readFile(new URL("../../../package.json", import.meta.url), "utf8"),
);

/** The entries that run in Node and are no files. */
const entries = Object.keys(exports)
  .filter((name) => !/wasm|json|\.py|-thread|widget/.test(name))
  .map((name) => `phasor${name.slice(1)}`);

/** What a program names of Node's fetch, which takes 20 ms to load. @param {string} work @returns {Promise<string[]>} */
async function namedBy(work) {
  const program = `
    import { readFileSync } from "node:fs";
    const named = [];
    let doing = "";
    for (const name of ["Response", "Request", "Headers", "FormData", "fetch", "WebSocket"])
      Object.defineProperty(globalThis, name, { get: () => void named.push(doing + ": " + name) });
    ${work}
    console.log(JSON.stringify(named));
  `;
  const cwd = fileURLToPath(new URL(".", import.meta.url)); // where packages are found by name
  const args = ["--input-type=module", "--eval", program];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd });
  return JSON.parse(stdout);
}

test("no entry loads Node's fetch to start a core that comes from no network", async () => {
  const named = await namedBy(`
    const address = new URL(import.meta.resolve("phasor/core.wasm"));
    const bytes = readFileSync(address), module = new WebAssembly.Module(bytes);
    const sources = { nothing: undefined, address, text: address.href + "#", bytes, module };
    for (const entry of ${JSON.stringify(entries)}) {
      doing = "import of " + entry;
      const { load } = await import(entry);
      if (!load) continue;
      for (const [kind, wasm] of Object.entries(sources)) {
        doing = entry + ", load of " + kind;
        await load({ wasm });
      }
    }
  `);
  assert.deepEqual(named, []);
  assert.ok(entries.includes("phasor/external") && entries.includes("phasor/worker"));
});

test("files are written and read without Node's fetch", async () => {
  const named = await namedBy(`
    const { npz, safetensors } = await import("phasor/files");
    const tensors = { x: new Float32Array(1000) };
    doing = "npz";
    for (const compress of [false, true])
      await (await npz.read(await npz.write(tensors, { compress }))).tensor("x");
    doing = "safetensors";
    await (await safetensors.read(safetensors.write(tensors))).tensor("x");
  `);
  assert.deepEqual(named, []);
});
