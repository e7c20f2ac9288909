// A signal aborts at every await of every read of files: it rejects with the reason, or gives the right result, and
// the same open file then reads the same bits.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { gguf, hub, npy, npz, remote, safetensors, vocabulary } from "phasor/files";
import { ggufOf } from "../../unit/models/open/gguf.js";
import { abortedEverywhere, atAwait, atEveryAwait, HANGS, serving, slow } from "./awaits.js";

/** @typedef {AbortSignal | undefined} Signal */

const encoder = new TextEncoder();
const rows = Array.from({ length: 40 }, (_, i) => [i, i / 2, -i, 1]);
const tensors = { wte: rows, wpe: rows.slice(0, 9) };
const int8 = { data: Int8Array.from({ length: 40 }, (_, i) => i - 20), shape: [10, 4] };
const scaled = { int8, scale: Float32Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9, 10) };
const safe = safetensors.write({ ...tensors, ...scaled });
const zipped = await npz.write(tensors, { compress: true });
const stored = await npz.write(tensors);
const array = npy.write(rows);
const words = encoder.encode(
  JSON.stringify({ model: { type: "BPE", vocab: { a: 0, b: 1 }, merges: [] } }),
);
const index = encoder.encode(
  '{"metadata":{},"weight_map":{"wte":"a.safetensors","int8":"a.safetensors","scale":"b.safetensors"}}',
);
const big = await ggufOf(
  { "general.name": "x".repeat(70_000) },
  { wte: { data: Float32Array.from(rows.flat()), shape: [40, 4] } },
);

/**
 * All rows of a tensor, one piece after the other.
 * @param {{stream: (name: string, use: (rows: any) => Promise<void>, options?: object) => Promise<void>}} file
 * @param {Signal} signal
 */
async function streamed(file, signal) {
  /** @type {number[]} */
  const seen = [];
  const use = async (/** @type {{bytes: Uint8Array}} */ { bytes }) => {
    await null;
    seen.push(...bytes);
  };
  await file.stream("wte", use, { signal });
  return Uint8Array.from(seen);
}

/**
 * Aborts each way to read a file of tensors.
 * @param {string} kind @param {(signal?: AbortSignal) => Promise<any>} open
 */
function everyRead(kind, open) {
  abortedEverywhere(`${kind}: opened`, async () => async (signal) => (await open(signal)).names);
  abortedEverywhere(`${kind}: tensor`, async () => {
    const file = await open();
    return (signal) => file.tensor("wte", { signal });
  });
  abortedEverywhere(`${kind}: rows`, async () => {
    const file = await open();
    return (signal) => file.rows("wte", [7, 3], { signal });
  });
  abortedEverywhere(`${kind}: stored rows`, async () => {
    const file = await open();
    return (signal) => file.stored("wte", { rows: [30, 2], signal });
  });
  abortedEverywhere(`${kind}: a stream`, async () => {
    const file = await open();
    return (signal) => streamed(file, signal);
  });
}

describe("faults: a signal aborts at every await of a file", () => {
  everyRead("safetensors", (signal) => safetensors.read(slow(safe), { signal }));
  everyRead("gguf", (signal) => gguf.read(slow(big), { signal }));
  everyRead("sharded", (signal) => {
    const open = (/** @type {string} */ shard) =>
      slow(shard === "a.safetensors" ? safe : safetensors.write({ scale: scaled.scale }));
    return safetensors.sharded(slow(index), open, { signal });
  });

  abortedEverywhere("safetensors: numbers times a scale of the file", async () => {
    const file = await safetensors.read(slow(safe));
    return (signal) => file.rows("int8", [5, 1], { scale: "scale", signal });
  });
  abortedEverywhere("sharded: a scale in another file", async () => {
    const open = (/** @type {string} */ shard) =>
      slow(shard === "a.safetensors" ? safe : safetensors.write({ scale: scaled.scale }));
    const file = await safetensors.sharded(slow(index), open);
    return (signal) => file.tensor("int8", { scale: "scale", signal });
  });

  abortedEverywhere("npy.read", async () => (signal) => npy.read(slow(array), { signal }));
  abortedEverywhere("npy.stored", async () => (signal) => npy.stored(slow(array), { signal }));
  for (const [kind, bytes] of Object.entries({ deflated: zipped, stored })) {
    abortedEverywhere(`npz, ${kind}: opened`, async () => async (signal) => {
      return (await npz.read(slow(bytes), { signal })).names;
    });
    abortedEverywhere(`npz, ${kind}: tensor`, async () => {
      const file = await npz.read(slow(bytes));
      return (signal) => file.tensor("wte", { signal });
    });
    abortedEverywhere(`npz, ${kind}: stored`, async () => {
      const file = await npz.read(slow(bytes));
      return (signal) => file.stored("wpe", { signal });
    });
  }

  abortedEverywhere("vocabulary.tokenizerJson", async () => async (signal) => {
    return (await vocabulary.tokenizerJson(slow(words), { signal })).tokens;
  });
  abortedEverywhere("vocabulary.wordPiece", async () => async (signal) => {
    return (await vocabulary.wordPiece(slow(encoder.encode("a\nb\n")), { signal })).tokens;
  });
  abortedEverywhere("vocabulary.words", async () => async (signal) => {
    return (await vocabulary.words(slow(encoder.encode("a\nb\n")), { signal })).tokens;
  });
});

/** A file of more than the first request reads. */
const long = safetensors.write({ wte: new Float32Array(40_000).map((_, i) => i) });
const address = "http://localhost/a.safetensors";
const fetch = serving({ "a.safetensors": long, "config.json": encoder.encode("{}") });
const remoteFile = () => remote(address, { fetch, cache: false });

describe("faults: a signal aborts at every await of the network", () => {
  abortedEverywhere("remote", async () => async (signal) => {
    return (await remote(address, { fetch, signal })).size;
  });
  abortedEverywhere("remote: a range", async () => {
    const file = await remoteFile();
    return async (signal) => file.slice(70_000, 90_000).arrayBuffer({ signal });
  });
  abortedEverywhere("remote: chunks of a range", async () => {
    const file = await remoteFile();
    return async (signal) => {
      /** @type {number[]} */
      const seen = [];
      await file.slice(70_000, 70_900).each((chunk) => void seen.push(...chunk), { signal });
      return Uint8Array.from(seen);
    };
  });
  abortedEverywhere("hub", async () => async (signal) => {
    return (await hub("o/m", { base: "http://localhost", fetch, signal })).files;
  });
  abortedEverywhere("hub: a file", async () => {
    const found = await hub("o/m", { base: "http://localhost", fetch });
    return async (signal) => (await found.open("a.safetensors", { signal })).size;
  });
  abortedEverywhere("hub: a text", async () => {
    const found = await hub("o/m", { base: "http://localhost", fetch });
    return (signal) => found.text("config.json", { signal });
  });

  test("of two that wait for one range, the other one receives it", async () => {
    const want = Array.from(long.subarray(70_000, 90_000));
    await atEveryAwait(async (nth) => {
      const file = await remoteFile();
      const controller = new AbortController();
      const { signal } = controller;
      const reason = new Error("stopped");
      const range = file.slice(70_000, 90_000);
      /** @type {any} */
      let first;
      const { value, isReached } = await atAwait(
        nth,
        () => controller.abort(reason),
        async () => {
          const stopped = range.arrayBuffer({ signal }).catch((error) => error);
          const other = await range.arrayBuffer();
          first = await stopped;
          return other;
        },
      );
      assert.notEqual(value, HANGS, `aborted at await ${nth}`);
      assert.deepEqual(Array.from(new Uint8Array(/** @type {any} */ (value))), want);
      if (first instanceof Error) assert.equal(first, reason);
      else assert.deepEqual(Array.from(new Uint8Array(first)), want);
      assert.equal(file.requests, 2, "the first bytes, and the range once");
      return isReached;
    });
  });
});
