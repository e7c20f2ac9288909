import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { gguf, npy, safetensors } from "./entry.js";
import { golden, noting, refusal, same } from "./samples.js";

const V = 1000;
const D = 768; // of GPT-2: a row of float32 takes 3,072 bytes
const ROW = 4 * D;
const data = Float32Array.from({ length: V * D }, (_, i) => i);
const bytes = safetensors.write({ w: { data, shape: [V, D] }, h: { data, shape: [D, V] } });
const dataAt = bytes.length - 2 * data.byteLength;

/** The file with what is read of it, from its data on, in rows of `w`. */
async function open() {
  const source = noting(bytes);
  const file = await safetensors.read(source);
  source.reads.length = 0;
  const wAt = dataAt + data.byteLength; // "h" lies first
  const runs = () => source.reads.map((range) => range.map((at) => (at - wAt) / ROW));
  return { file, runs };
}

describe("stored", () => {
  test("returns a tensor's bytes as stored in the file, with dtype and shape", async () => {
    const { file } = await open();
    const { bytes: own, dtype, shape } = await file.stored("w");
    assert.deepEqual([dtype, shape], ["float32", [V, D]]);
    assert.deepEqual(new Float32Array(own.buffer), data);
    own.fill(0);
    assert.deepEqual((await file.tensor("w")).data, data, "results are new arrays");
  });

  test("returns rows in the order and shape of the ids, also repeated", async () => {
    const { file } = await open();
    const ids = [
      [999, 0, 7],
      [8, 7, 500],
    ];
    const { bytes: own, dtype, shape } = await file.stored("w", { rows: ids });
    assert.deepEqual([dtype, shape], ["float32", [2, 3, D]]);
    const rows = new Float32Array(own.buffer);
    for (const [t, id] of ids.flat().entries()) {
      assert.deepEqual(rows.subarray(t * D, (t + 1) * D), data.subarray(id * D, (id + 1) * D));
    }
    assert.deepEqual((await file.rows("w", ids)).data, rows);
    assert.deepEqual((await file.stored("w", { rows: 3 })).shape, [D]);
    const none = await file.stored("w", { rows: [] });
    assert.deepEqual([none.shape, none.bytes.length], [[0, D], 0]);
  });

  test("returns dtypes without a typed array, and rows of them if they are whole bytes", async () => {
    const header =
      '{"e":{"dtype":"F8_E4M3","shape":[2,3],"data_offsets":[0,6]},"f":{"dtype":"F4","shape":[2,3],"data_offsets":[6,9]}}';
    const file = await safetensors.read(
      new Blob([
        BigUint64Array.of(BigInt(header.length)),
        header,
        Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9),
      ]),
    );
    same((await file.stored("e", { rows: [1] })).bytes, [4, 5, 6]);
    same((await file.stored("f")).bytes, [7, 8, 9]);
    await assert.rejects(
      file.stored("f", { rows: [1] }),
      /^RangeError: \S+: name must be of a tensor whose rows are whole bytes; got "f", float4_e2m1fn \[2, 3\]$/,
    );
    await assert.rejects(file.tensor("f"), refusal("SAFETENSORS_DTYPE_UNSUPPORTED"));
  });

  test("rejects ids that are out of range, and options of the wrong kind", async () => {
    const { file } = await open();
    for (const rows of [[V], [-1], [0.5], [NaN], [2 ** 40]]) {
      await assert.rejects(
        file.stored("w", { rows }),
        /^RangeError: \S+: rows must be whole numbers/,
      );
    }
    await assert.rejects(file.stored("W"), /^RangeError: \S+: name must be one of the file's 2/);
    const wrong = [{ rows: "1" }, { signal: {} }, { progress: 1 }, { as: "numbers" }, 7];
    for (const options of /** @type {any[]} */ (wrong)) {
      await assert.rejects(file.stored("w", options), TypeError);
    }
  });
});

describe("rows that are close to each other are read together", () => {
  test("the bytes between them are read too, up to 64 KiB", async () => {
    const { file, runs } = await open();
    await file.stored("w", { rows: [100, 120, 105] });
    assert.deepEqual(runs(), [[100, 121]], "18 rows of 3 KiB between");
    await file.stored("w", { rows: [100, 121, 105] });
    assert.deepEqual(runs().slice(1), [[100, 122]], "19 rows");
    await file.stored("w", { rows: [100, 124, 105] });
    assert.deepEqual(runs().slice(2), [
      [100, 106],
      [124, 125],
    ]);
  });

  test("the smallest gaps are closed first, so that there are few requests", async () => {
    const { file, runs } = await open();
    await file.stored("w", { rows: [0, 20, 22, 30, 900] });
    assert.deepEqual(runs(), [
      [0, 1],
      [20, 31],
      [900, 901],
    ]);
    const read = runs().reduce((sum, [begin, end]) => sum + (end - begin) * ROW, 0);
    assert.ok(read < 100_000, `${read} bytes for a sentence`);
  });

  test("for many rows, at most as many extra bytes are read as the rows themselves have", async () => {
    const { file, runs } = await open();
    const even = Array.from({ length: 400 }, (_, i) => 2 * i);
    await file.stored("w", { rows: even });
    assert.deepEqual(runs(), [[0, 799]]);
    const third = Array.from({ length: 300 }, (_, i) => 3 * i);
    await file.stored("w", { rows: third });
    const read = runs()
      .slice(1)
      .reduce((sum, [begin, end]) => sum + end - begin, 0);
    assert.ok(read <= 600, `${read} rows for 300`);
  });

  test("equal gaps are closed one after the other until the limit is reached", async () => {
    const { file, runs } = await open();
    await file.stored("w", { rows: [0, 11, 22, 33] });
    assert.deepEqual(runs(), [
      [0, 23],
      [33, 34],
    ]);
  });

  test("between rows of 64 KiB as many rows are read as differ, and between small rows 65,536 bytes", async () => {
    /** @param {number} D @param {number[]} rows */
    const requests = async (D, rows) => {
      const V = Math.max(...rows) + 1;
      const source = noting(
        safetensors.write({ w: { data: new Uint8Array(V * D), shape: [V, D] } }),
      );
      const file = await safetensors.read(source);
      source.reads.length = 0;
      await file.stored("w", { rows });
      return source.reads.length;
    };
    for (const [D, rows, expected] of /** @type {[number, number[], number][]} */ ([
      [2 ** 16, [0, 0, 1, 5], 1],
      [2 ** 16, [0, 0, 1, 6], 2],
      [2 ** 16, [0, 4, 2, 8], 2],
      [2 ** 16, [0, 4, 2, 7], 1],
      [1, [65_537, 0], 1],
      [1, [65_538, 0], 2],
      [0, [3, 1], 1],
    ])) {
      assert.equal(await requests(D, rows), expected, `${D}: ${rows}`);
    }
  });

  test("at most six requests run at once", async () => {
    let most = 0;
    let now = 0;
    const source = noting(bytes);
    const slow = {
      size: source.size,
      slice: (/** @type {number} */ begin, /** @type {number} */ end) => ({
        async arrayBuffer() {
          most = Math.max(most, ++now);
          await new Promise((resolve) => setTimeout(resolve, 1));
          --now;
          return source.slice(begin, end).arrayBuffer();
        },
      }),
    };
    const file = await safetensors.read(slow);
    await file.stored("w", { rows: Array.from({ length: 20 }, (_, i) => 50 * i) });
    assert.equal(most, 6);
  });
});

describe("reading reports progress and can be aborted", () => {
  /** A source that says how far it is, as one that fetches does. */
  const telling = {
    size: bytes.length,
    slice: (/** @type {number} */ begin, /** @type {number} */ end) => ({
      async arrayBuffer(
        /** @type {import("../../../src/files/bytes.js").Reading} */ { progress } = {},
      ) {
        const half = Math.floor((end - begin) / 2);
        for (const done of [half, half, end - begin]) progress?.(done, end - begin);
        return bytes.slice(begin, end).buffer;
      },
    }),
  };

  test("progress counts the bytes of all requests, up to the last", async () => {
    for (const source of [telling, bytes, new Blob([bytes])]) {
      const file = await safetensors.read(source);
      /** @type {[number, number][]} */
      const seen = [];
      const progress = (/** @type {number} */ done, /** @type {number} */ total) =>
        void seen.push([done, total]);
      await file.stored("w", { rows: [0, 500, 999], progress });
      assert.equal(seen.length, source === telling ? 6 : 3);
      await file.stored("w", { progress });
      await file.rows("w", [5], { progress });
      await file.tensor("w", { progress });
      for (const [done, total] of seen) assert.ok(done <= total);
      assert.deepEqual(seen[source === telling ? 5 : 2], [3 * ROW, 3 * ROW]);
      assert.deepEqual(seen.at(-1), [V * ROW, V * ROW]);
      const sums = seen.slice(0, 3).map(([done]) => done);
      assert.deepEqual(
        sums,
        [...sums].sort((a, b) => a - b),
      );
    }
  });

  test("a signal reaches the source, and stops reads that have not begun", async () => {
    const controller = new AbortController();
    /** @type {unknown[]} */
    const signals = [];
    const source = noting(bytes);
    const stopping = {
      size: source.size,
      slice: (/** @type {number} */ begin, /** @type {number} */ end) => ({
        async arrayBuffer(/** @type {any} */ reading) {
          signals.push(reading?.signal);
          if (signals.length === 3) controller.abort(new Error("enough"));
          return source.slice(begin, end).arrayBuffer();
        },
      }),
    };
    const { signal } = controller;
    const file = await safetensors.read(stopping, { signal });
    const rows = Array.from({ length: 20 }, (_, i) => 50 * i);
    await assert.rejects(file.stored("w", { rows, signal }), /^Error: enough$/);
    assert.ok(signals.length < 10, "the first six had begun");
    assert.ok(signals.every((each) => each === signal));
    for (const begun of [
      file.tensor("w", { signal }),
      file.rows("w", [1], { signal }),
      safetensors.read(bytes, { signal }),
      npy.read(npy.write([1]), { signal }),
      gguf.read(golden("formats/tiny_f32.gguf"), { signal }),
    ]) {
      await assert.rejects(begun, /^Error: enough$/);
    }
  });
});
