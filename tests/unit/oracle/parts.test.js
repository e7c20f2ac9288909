// What phasor/oracle loads on first use: a page that asks about plain tables has index.js, models.js and oracle.js alone.
import assert from "node:assert/strict";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { after, test } from "node:test";
import { project } from "../../../scripts/setup/setup.js";
import { phasor } from "../../phasor.js";

const { rope } = phasor;

/** phasor/oracle where no other files are. @param {...string} names */
async function identifyBeside(...names) {
  const folder = mkdtempSync(join(tmpdir(), "phasor-parts-"));
  after(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }\n');
  for (const name of ["index", "models", "oracle", ...names])
    copyFileSync(join(project, "dist", `${name}.js`), join(folder, `${name}.js`));
  return (await import(pathToFileURL(join(folder, "oracle.js")).href)).identify;
}

test("a table of cosines and sines needs no other file, with and without a scaling", async () => {
  const identify = await identifyBeside();
  const llama3 = { type: "llama3", factor: 32, lowFreqFactor: 1, highFreqFactor: 4, originalLength: 8192 }; // prettier-ignore
  const yarn = { type: "yarn", factor: 7, originalLength: 4096 };
  for (const scaling of /** @type {any[]} */ ([undefined, llama3, yarn])) {
    for (const offset of [0, 3]) {
      const table = rope.table(64, 128, { base: 500000, offset, ...(scaling && { scaling }) });
      const { cos, sin } = rope.toFullWidth(table, { layout: "interleaved" });
      const answer = await identify({ cos, sin }, { phasor });
      assert.equal(answer.kind, "rope");
      assert.deepEqual(
        [answer.layout, answer.base, answer.offset],
        ["interleaved", 500000, offset],
      );
      assert.equal(answer.scaling?.factor, scaling?.factor);
    }
  }
});

test("vectors, and positions that do not go on by 1, load one more", async () => {
  const q = phasor.embedding.create(64, 32).lookup(Int32Array.from({ length: 64 }, (_, t) => t));
  const rotated = rope.apply(q, rope.table(64, 32));
  const places = Array.from({ length: 64 }, (_, t) => t % 40);
  const { cos, sin } = rope.table(places, 32);
  const missing = { code: "ERR_MODULE_NOT_FOUND", message: /oracle-further\.js/ };
  await assert.rejects((await identifyBeside())({ q, rotated }, { phasor }), missing);
  const identify = await identifyBeside("oracle-further");
  assert.match((await identify({ cos, sin }, { phasor })).sentence, /positions modulo 40$/);
  assert.match((await identify({ q, rotated }, { phasor })).sentence, /^RoPE, halves, 32 columns/);
});
