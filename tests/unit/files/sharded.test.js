import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { FileError, safetensors } from "./entry.js";
import { refusal, survives, truncations } from "./samples.js";

const table = Float32Array.from({ length: 12 }, (_, i) => i);
const one = "model-00001-of-00002.safetensors";
const two = "model-00002-of-00002.safetensors";
const shards = new Map([
  [one, safetensors.write({ wte: { data: table, shape: [4, 3] }, q: Int8Array.of(2, 4) })],
  [two, safetensors.write({ wpe: [[1, 2]], scale: [0.5] })],
]);
const index = {
  metadata: { total_size: 59, kinds: ["F32", null], nested: { tied: true } },
  weight_map: { wte: one, wpe: two, q: one, scale: two },
};

/** @param {unknown} value  text, or what JSON makes of it */
const source = (value) => new Blob([typeof value === "string" ? value : JSON.stringify(value)]);

/** A model, and which of its files have been asked for. */
async function open(given = index) {
  /** @type {string[]} */
  const asked = [];
  const model = await safetensors.sharded(source(given), (shard) => {
    asked.push(shard);
    return /** @type {any} */ (shards.get(shard));
  });
  return { model, asked };
}

describe("safetensors.sharded", () => {
  test("lists the tensors without opening a file, and opens only the requested ones, once", async () => {
    const { model, asked } = await open();
    assert.deepEqual(model.names, ["wte", "wpe", "q", "scale"]);
    assert.deepEqual(model.shards, [one, two]);
    assert.equal(model.shard("q"), one);
    assert.equal(model.metadata.get("total_size"), 59);
    assert.deepEqual(asked, []);
    const [info, rows, stored] = await Promise.all([
      model.info("wte"),
      model.rows("wte", [2, 0]),
      model.stored("q", { rows: [1] }),
    ]);
    assert.deepEqual(info, { name: "wte", dtype: "float32", shape: [4, 3], byteLength: 48 });
    assert.deepEqual(rows.toArray(), [
      [6, 7, 8],
      [0, 1, 2],
    ]);
    assert.deepEqual(stored, { bytes: Uint8Array.of(4), dtype: "int8", shape: [1] });
    assert.deepEqual((await model.tensor("wte")).data, table);
    assert.deepEqual(asked, [one]);
    assert.deepEqual((await model.tensor("wpe")).toArray(), [[1, 2]]);
    assert.deepEqual(asked, [one, two]);
  });

  test("finds a scale by name in another file", async () => {
    const { model, asked } = await open();
    await assert.rejects(model.rows("wte", [0], { scale: "scale" }), /int8 tensor; got float32$/);
    assert.deepEqual(asked, [one], "refused before a scale is read");
    assert.deepEqual((await model.tensor("q", { scale: "scale" })).toArray(), [1, 2]);
    assert.deepEqual((await model.rows("q", [1], { scale: "scale" })).toArray(), [2]);
    await assert.rejects(model.tensor("q", { scale: "scales" }), RangeError);
  });

  test("retries a file that failed to load", async () => {
    let attempts = 0;
    const failure = new FileError("HUB_STATUS", "status must be 206; got 503");
    const model = await safetensors.sharded(source(index), async (shard) => {
      if (++attempts === 1) throw failure;
      return /** @type {any} */ (shards.get(shard));
    });
    await assert.rejects(model.info("wte"), failure);
    assert.deepEqual((await model.info("wte")).shape, [4, 3]);
    assert.equal(attempts, 2);
  });

  test("names a missing file, with the first three of its tensors", async () => {
    for (const [letters, more] of /** @type {const} */ ([
      ["abc", ""],
      ["abcd", " and 1 more"],
      ["abcdef", " and 3 more"],
    ])) {
      const weight_map = Object.fromEntries([...letters].map((name) => [name, two]));
      const given = { weight_map: { first: one, ...weight_map } };
      const model = await safetensors.sharded(source(given), () => /** @type {any} */ (undefined));
      const message = `files must have "${two}", with the tensors "a", "b", "c"${more}; got no such file`;
      await assert.rejects(model.tensor("b"), { code: "SAFETENSORS_SHARD", message });
    }
  });

  test("rejects a file that lacks a tensor of the index, and a name that the index lacks", async () => {
    const { model } = await open({ ...index, weight_map: { ...index.weight_map, wpe: one } });
    await assert.rejects(model.tensor("wpe"), refusal("SAFETENSORS_INDEX"));
    await assert.rejects(model.tensor("wpe"), /must name the file that has "wpe"/);
    await assert.rejects(
      model.tensor("__proto__"),
      /^RangeError: \S+: name must be one of the file's 4/,
    );
    await assert.rejects(model.stored("wte", /** @type {any} */ ({ row: 1 })), TypeError);
  });

  /** @type {[string, unknown, string][]} */
  const refused = [
    ["nothing", "", "INDEX"],
    ["a list", "[]", "INDEX"],
    ["no weight_map", '{"metadata":{}}', "INDEX"],
    ["a weight_map that is a list", '{"weight_map":[]}', "INDEX"],
    ["a number for a file", '{"weight_map":{"a":1}}', "INDEX"],
    ["a tensor twice", `{"weight_map":{"a":"${one}","a":"${one}"}}`, "DUPLICATE"],
    ["the weight_map twice", '{"weight_map":{},"weight_map":{}}', "DUPLICATE"],
    ["a folder", '{"weight_map":{"a":"b/c.safetensors"}}', "INDEX"],
    ["a way upwards", '{"weight_map":{"a":"../c.safetensors"}}', "INDEX"],
    ["two dots", '{"weight_map":{"a":"a..safetensors"}}', "INDEX"],
    ["an address", '{"weight_map":{"a":"https://a.b/c.safetensors"}}', "INDEX"],
    ["a question", '{"weight_map":{"a":"c.safetensors?x"}}', "INDEX"],
    ["an escaped slash", '{"weight_map":{"a":"b%2Fc.safetensors"}}', "INDEX"],
    ["a backslash", '{"weight_map":{"a":"b\\\\c.safetensors"}}', "INDEX"],
    ["a hidden file", '{"weight_map":{"a":".safetensors"}}', "INDEX"],
    ["another format", '{"weight_map":{"a":"pytorch_model.bin"}}', "INDEX"],
    ["a long name", `{"weight_map":{"a":"${"a".repeat(300)}.safetensors"}}`, "INDEX"],
    ["text behind it", '{"weight_map":{}} {}', "INDEX"],
    ["deep nesting", `{"metadata":${"[".repeat(100_000)}`, "INDEX"],
    ["a lower-case nan", '{"metadata":{"a":nan},"weight_map":{}}', "INDEX"],
    ["NaN for a file", '{"weight_map":{"a":NaN}}', "INDEX"],
    ["a number of 100,000 digits", `{"metadata":{"a":${"9".repeat(100_000)}}}`, "INDEX"],
    [
      "4097 files",
      {
        weight_map: Object.fromEntries(
          Array.from({ length: 4097 }, (_, i) => [i, `${i}.safetensors`]),
        ),
      },
      "INDEX",
    ],
  ];
  for (const [what, given, code] of refused) {
    test(`rejects ${what}`, async () => {
      const begun = safetensors.sharded(source(given), () => new Uint8Array(0));
      await assert.rejects(begun, refusal(`SAFETENSORS_${code}`));
    });
  }

  test("reads an index of 4,096 files, each named twice", async () => {
    const weight_map = Object.fromEntries(
      Array.from({ length: 8192 }, (_, i) => [i, `${i % 4096}.safetensors`]),
    );
    const { model } = await open(/** @type {any} */ ({ weight_map }));
    assert.deepEqual([model.names.length, model.shards.length], [8192, 4096]);
    assert.deepEqual([model.shard("1"), model.shard("4097")], Array(2).fill("1.safetensors"));
  });

  test("preserves the lines of a file, and ignores other keys", async () => {
    const text = `${JSON.stringify({ ...index, "": -1.5e-3, x: [true, false, {}] }, undefined, 2)}\r\n`;
    const model = await safetensors.sharded(source(text), () => new Uint8Array(0));
    assert.equal(model.names.length, 4);
    await assert.rejects(model.info("wte"), refusal("SAFETENSORS_HEADER_LENGTH"));
  });

  test("reads Python's NaN and infinities in the metadata and in keys that it ignores", async () => {
    const text = '{"metadata":{"a":[NaN,Infinity],"b":-Infinity},"weight_map":{},"x":{"y":[NaN]}}';
    const { metadata } = await safetensors.sharded(source(text), () => new Uint8Array(0));
    const found = [...metadata.values()];
    assert.deepEqual(found, [[NaN, Infinity], -Infinity]);
  });

  test("rejects bytes that are not UTF-8, and every truncation", async () => {
    const read = (/** @type {Uint8Array<ArrayBuffer>} */ bytes) =>
      safetensors.sharded(bytes, () => new Uint8Array(0));
    await assert.rejects(read(Uint8Array.of(0x7b, 0xff, 0x7d)), refusal("SAFETENSORS_INDEX"));
    const bytes = new TextEncoder().encode(JSON.stringify(index));
    assert.equal((await survives(truncations(bytes), read)).accepted, 0);
  });

  test("names a missing argument", async () => {
    const wrong = /** @type {any} */ (undefined);
    await assert.rejects(
      safetensors.sharded(source(index), wrong),
      /^TypeError: \S+: open must be a function/,
    );
    await assert.rejects(
      safetensors.sharded(wrong, () => wrong),
      TypeError,
    );
  });
});
