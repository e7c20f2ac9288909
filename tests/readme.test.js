import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { picture } from "../scripts/data/picture.js";
import { examples } from "../scripts/package/jsdoc.js";
import { blocks, check } from "./readme.js";

const README = new URL("../README.md", import.meta.url);

test("README's code gives the documented results, each block by itself, as it is pasted", async (t) => {
  const sources = blocks(readFileSync(README, "utf8"));
  assert.ok(sources.length > 5);
  for (const source of sources) assert.ok((await check([source])) > 0, `no value: ${source}`);
  t.diagnostic(`${sources.length} blocks`);
});

test("README's picture equals the output of scripts/data/picture.js", async () => {
  const drawn = readFileSync(new URL("../.github/sinusoids.svg", import.meta.url), "utf8");
  assert.equal(drawn, await picture(), "run node scripts/data/picture.js");
});

test("check compares the values in comments, in each form", async () => {
  const source = `
    import { load, Tensor as T } from "phasor";
    const { sinusoidal } = await load();
    const table = sinusoidal.table(2, 2); // a comment after a declaration is prose
    table
    // [[0.         1.        ]
    //  [0.84147096 0.5403023 ]]
    table.shape // [2, 2]
    table.row(0); // [0, 1]
    "text"; // "text"
    ({ a: [1, "b"] })
    // { a: [1, "b"] }
    console.log(table.row(0), 5); // [0. 1.] 5
    Promise.resolve(4) // 4
    new T(new Float32Array(0), [0]); // []
    void 0; // prose
  `;
  assert.equal(await check([source]), 8);
  assert.equal(await check(["const a = 1; a // 1", "const b = a + 1; b // 2"]), 2);
  assert.equal(await check(["table // 5"], { table: 5 }), 1);
  for (const wrong of ["1 + 1 // 3", "[1, 2]\n// [1, 2, 3]", 'console.log("a") // b', "'1' // 2"]) {
    await assert.rejects(check([wrong]), { name: "AssertionError" });
  }
  await assert.rejects(check(["nothing.there() // 1"]), ReferenceError);
});

test("blocks and examples find code in Markdown and in doc comments", () => {
  const fence = "```";
  assert.deepEqual(blocks(`a\n${fence}js\n1 // 1\n${fence}\n${fence}sh\nnpm start\n${fence}\n`), [
    "1 // 1\n",
  ]);
  const source = `/**\n * Does.\n * @example\n * f(1)\n * // 2\n * @see elsewhere\n */\nfunction f() {}`;
  assert.deepEqual(examples(source), ["f(1)\n// 2"]);
});
