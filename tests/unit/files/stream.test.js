import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { gguf, safetensors } from "./entry.js";
import { golden } from "./samples.js";

/** @import { Stored } from "../../../src/files/tensors.js" */

const [V, D] = [1000, 768]; // of GPT-2: a row of float32 takes 3,072 bytes, 1000 of them 3 MB
const data = Float32Array.from({ length: V * D }, (_, i) => i);
const bytes = safetensors.write({ w: { data, shape: [V, D] } });

/**
 * What `stream` gives, copied as it comes.
 * @param {{stream: (name: string, use: (rows: Stored, first: number) => void) => Promise<void>}} file
 * @param {string} name
 */
async function streamed(file, name) {
  /** @type {{first: number, shape: readonly number[], dtype: string, bytes: Uint8Array}[]} */
  const found = [];
  await file.stream(name, (rows, first) => {
    found.push({ ...rows, first, bytes: rows.bytes.slice() });
  });
  return { found, all: Buffer.concat(found.map((rows) => rows.bytes)) };
}

describe("stream", () => {
  test("returns all rows in order, in blocks of whole rows", async () => {
    for (const source of [bytes, new Blob([bytes])]) {
      const { found, all } = await streamed(await safetensors.read(source), "w");
      assert.deepEqual(
        found.map(({ first, shape, dtype }) => [first, ...shape, dtype]),
        [
          [0, 341, D, "float32"],
          [341, 341, D, "float32"],
          [682, 318, D, "float32"],
        ],
      );
      assert.ok(all.equals(new Uint8Array(data.buffer)));
    }
  });

  test("returns a row that is larger than a block by itself, and single numbers together", async () => {
    const numbers = Float32Array.from({ length: 2 ** 19 }, (_, i) => i);
    const file = await safetensors.read(
      safetensors.write({ wide: { data: numbers, shape: [2, 2 ** 18] }, flat: numbers }),
    );
    const wide = await streamed(file, "wide");
    assert.deepEqual(
      wide.found.map(({ first, shape }) => [first, ...shape]),
      [
        [0, 1, 2 ** 18],
        [1, 1, 2 ** 18],
      ],
    );
    const flat = await streamed(file, "flat");
    assert.deepEqual(
      flat.found.map(({ first, shape }) => [first, ...shape]),
      [
        [0, 2 ** 18],
        [2 ** 18, 2 ** 18],
      ],
    );
    assert.ok(wide.all.equals(flat.all) && flat.all.equals(new Uint8Array(numbers.buffer)));
  });

  test("equals stored: blocks of GGUF, and a tensor of several files", async () => {
    for (const name of ["tiny_q8_0", "tiny_q4_k", "tiny_f16"]) {
      const file = await gguf.read(golden(`formats/${name}.gguf`));
      const { found, all } = await streamed(file, "token_embd.weight");
      const stored = await file.stored("token_embd.weight");
      assert.ok(all.equals(stored.bytes));
      assert.deepEqual([found[0].dtype, found[0].shape], [stored.dtype, stored.shape]);
    }
    const index = new Blob([JSON.stringify({ weight_map: { w: "a.safetensors" } })]);
    const model = await safetensors.sharded(index, () => bytes);
    assert.ok((await streamed(model, "w")).all.equals(new Uint8Array(data.buffer)));
    await assert.rejects(model.stream("w", /** @type {any} */ (7)), TypeError);
  });

  test("yields nothing for a tensor without numbers", async () => {
    const none = { data: new Float32Array(0), shape: [0, 4] };
    const file = await safetensors.read(safetensors.write({ none, a: [1] }));
    assert.deepEqual((await streamed(file, "none")).found, []);
  });

  test("waits for the consumer before rows are overwritten", async () => {
    const file = await safetensors.read(bytes);
    let busy = false;
    let sum = 0;
    await file.stream("w", async ({ bytes: rows }) => {
      assert.ok(!busy);
      busy = true;
      await new Promise((next) => setTimeout(next, 5));
      for (const number of new Float32Array(rows.slice().buffer)) sum += number;
      busy = false;
    });
    assert.equal(
      sum,
      data.reduce((all, number) => all + number, 0),
    );
  });

  test("reports its progress, and ends with its signal or with its consumer", async () => {
    const file = await safetensors.read(bytes);
    /** @type {number[][]} */
    const reports = [];
    await file.stream("w", () => {}, { progress: (...numbers) => void reports.push(numbers) });
    assert.deepEqual(reports.at(-1), [data.byteLength, data.byteLength]);
    const stop = new AbortController();
    let calls = 0;
    const use = () => {
      if (++calls === 1) stop.abort(new Error("enough"));
    };
    const stopped = file.stream("w", use, { signal: stop.signal });
    await assert.rejects(stopped, /^Error: enough$/);
    assert.ok(calls < 3, "what was there, and no more");
    calls = 0;
    const refusing = () => {
      ++calls;
      throw new Error("no more");
    };
    await assert.rejects(file.stream("w", refusing), /^Error: no more$/);
    assert.equal(calls, 1);
  });

  test("rejects tensors without rows, and arguments of the wrong kind", async () => {
    const header =
      '{"f":{"dtype":"F4","shape":[2,3],"data_offsets":[0,3]},"s":{"dtype":"F32","shape":[],"data_offsets":[3,7]}}';
    const parts = [BigUint64Array.of(BigInt(header.length)), header, new Uint8Array(7)];
    const file = await safetensors.read(new Blob(parts));
    const use = () => {};
    await assert.rejects(
      file.stream("f", use),
      /^RangeError: \S+: name must be .+ whose rows are whole/,
    );
    await assert.rejects(file.stream("s", use), /^RangeError: \S+: name must be of a tensor with/);
    await assert.rejects(
      file.stream("w", use),
      /^RangeError: \S+: name must be one of the file's 2/,
    );
    for (const wrong of [undefined, 7, {}]) {
      await assert.rejects(file.stream("f", /** @type {any} */ (wrong)), TypeError);
    }
    for (const wrong of [{ signal: 7 }, { progress: 7 }, { rows: [1] }, 7]) {
      await assert.rejects(file.stream("s", use, /** @type {any} */ (wrong)), TypeError);
    }
  });

  test("rejects a source that returns other bytes than those of its slice", async () => {
    const file = safetensors.write({ w: { data: new Float32Array(6).fill(7), shape: [3, 2] } });
    /** @param {(use: (chunk: any, at: number) => unknown) => Promise<unknown>} each */
    const reading = async (each) => {
      const slice = (/** @type {number} */ from, /** @type {number} */ to) => ({
        arrayBuffer: async () => file.slice(from, to).buffer,
        each: (/** @type {any} */ use) => /** @type {Promise<void>} */ (each(use)),
      });
      return streamed(await safetensors.read({ size: file.length, slice }), "w");
    };
    const rows = new Uint8Array(file.slice(-24));
    const { all } = await reading(async (use) => {
      await use(rows.subarray(0, 5), 0);
      await use(rows.subarray(5), 5);
    });
    assert.ok(all.equals(rows));
    /** @type {[RegExp, (use: (chunk: any, at: number) => unknown) => Promise<unknown>][]} */
    const wrong = [
      [/; got 8 bytes$/, async (use) => use(new Uint8Array(8), 0)],
      [/; got 25 bytes$/, async (use) => use(new Uint8Array(25), 0)],
      [/; got 0 bytes$/, async () => {}],
      [/from \d+; got a chunk at 8$/, async (use) => use(rows, 8)],
      [/; got undefined$/, async (use) => use(undefined, 0)],
      [/; got Float32Array of 6$/, async (use) => use(new Float32Array(6), 0)],
    ];
    for (const [message, each] of wrong) {
      await assert.rejects(reading(each), { name: "FileError", code: "FILE_READ", message });
    }
  });
});
