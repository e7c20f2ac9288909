// A signal that aborts at every await of a read, and a worker that ends at every step of a call: the promise
// rejects with the reason, or gives the right result; nothing hangs; and reading again works.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setImmediate, setTimeout } from "node:timers/promises";
import { open } from "phasor/open";
import { gguf, npy, npz, remote, safetensors, vocabulary } from "phasor/files";
import { load as loadWorker } from "phasor/worker";
import { fingerprint } from "../fingerprint.js";

/** @import { Source } from "phasor/files" */

/** The most steps that a read may have; a safeguard against a loop without end. */
const MOST = 2000;

/** For a promise that hangs, in milliseconds. */
const PATIENCE = 5000;

/**
 * A source whose bytes come in pieces, some of them after a turn of the event loop.
 * @param {Uint8Array} bytes @returns {Source}
 */
function slow(bytes) {
  let reads = 0;
  return {
    size: bytes.length,
    slice: (/** @type {number} */ begin, /** @type {number} */ end) => ({
      async arrayBuffer() {
        await null;
        if (++reads % 3 === 0) await setImmediate();
        return /** @type {ArrayBuffer} */ (bytes.slice(begin, end).buffer);
      },
    }),
  };
}

/** A server without a network: a fetch that gives ranges of the bytes. @param {Uint8Array} bytes */
function serving(bytes) {
  return async (/** @type {any} */ request, /** @type {any} */ given) => {
    const headers = new Headers(given?.headers ?? request.headers);
    const signal = given?.signal ?? request.signal;
    const [, from, to] = /bytes=(\d+)-(\d+)/.exec(headers.get("Range") ?? "") ?? [];
    await setImmediate();
    signal?.throwIfAborted();
    const end = Math.min(Number(to) + 1, bytes.length);
    const part = bytes.slice(Number(from), end);
    const half = part.length >> 1;
    const body = new ReadableStream({
      async start(controller) {
        signal?.addEventListener("abort", () => controller.error(signal.reason));
        controller.enqueue(part.subarray(0, half));
        await setImmediate();
        if (signal?.aborted) return;
        controller.enqueue(part.subarray(half));
        controller.close();
      },
    });
    const range = `bytes ${from}-${end - 1}/${bytes.length}`;
    return new Response(body, {
      status: 206,
      headers: { "Content-Range": range, "Content-Length": String(part.length), ETag: '"a"' },
    });
  };
}

/**
 * Runs a read until it has made some steps, and aborts it there.
 * @param {(signal: AbortSignal) => Promise<unknown>} read @param {number} steps
 */
async function abortedAfter(read, steps) {
  const controller = new AbortController();
  const reason = new Error(`stopped after ${steps} steps`);
  let isOver = false;
  const settled = read(controller.signal)
    .then(
      (value) => ({ value, error: undefined }),
      (error) => ({ value: undefined, error }),
    )
    .finally(() => (isOver = true));
  for (let step = 0; step < steps && !isOver; ++step) {
    if (step % 4 === 3) await setImmediate();
    else await null;
  }
  const wasOver = isOver;
  controller.abort(reason);
  const late = setTimeout(
    PATIENCE,
    { value: undefined, error: new Error("it hangs") },
    { ref: false },
  );
  return { ...(await Promise.race([settled, late])), reason, wasOver };
}

/**
 * Aborts a read at every step.
 * @param {string} name @param {(signal?: AbortSignal) => Promise<unknown>} read
 */
function abortedEverywhere(name, read) {
  test(name, async () => {
    const want = fingerprint(await read());
    let aborted = 0;
    for (let steps = 0; steps < MOST; ++steps) {
      const { value, error, reason, wasOver } = await abortedAfter(read, steps);
      if (error === undefined) assert.equal(fingerprint(value), want, `after ${steps} steps`);
      else assert.equal(error, reason, `after ${steps} steps: ${error}`);
      if (error) ++aborted;
      if (!wasOver) continue;
      assert.ok(aborted > 0, "some of them were stopped");
      assert.equal(fingerprint(await read()), want, "and afterwards it is read");
      return;
    }
    assert.fail(`more than ${MOST} steps`);
  });
}

const rows = Array.from({ length: 40 }, (_, i) => [i, i / 2, -i, 1]);
const tensors = { wte: rows, wpe: rows.slice(0, 9) };
const safe = safetensors.write(tensors);
const layers = safetensors.write({ "wte.weight": rows, "wpe.weight": rows.slice(0, 9) });
const zipped = await npz.write(tensors, { compress: true });
const array = npy.write(rows);
const words = new TextEncoder().encode(
  JSON.stringify({ model: { type: "BPE", vocab: { a: 0, b: 1 }, merges: [] } }),
);
const encoder = new TextEncoder();
const index = encoder.encode('{"metadata":{},"weight_map":{"wte":"a.safetensors"}}');
const config = encoder.encode(
  JSON.stringify({
    model_type: "gpt2",
    n_embd: 4,
    n_head: 1,
    n_layer: 1,
    vocab_size: 40,
    n_positions: 9,
  }),
);
const key = "general.name";
const metadata = new Blob([
  Uint32Array.of(0x46554747, 3, 0, 0, 1, 0, key.length, 0),
  key,
  Uint32Array.of(8, 70_000, 0),
  "x".repeat(70_000),
]);
const header = new Uint8Array(await metadata.arrayBuffer());

/** @param {string} name @param {(signal: AbortSignal | undefined) => Promise<unknown>} read */
const everywhere = (name, read) => abortedEverywhere(name, (signal) => read(signal));

/** Passes rows on one after the other. @param {any} file @param {AbortSignal | undefined} signal */
async function streamed(file, signal) {
  /** @type {number[]} */
  const seen = [];
  await file.stream(
    "wte",
    async (/** @type {any} */ { bytes }) => {
      await null;
      seen.push(...bytes);
    },
    { signal },
  );
  return Uint8Array.from(seen);
}

describe("faults: a signal aborts at every await", () => {
  everywhere("safetensors.read", async (signal) => {
    return (await safetensors.read(slow(safe), { signal })).names;
  });
  everywhere("safetensors, one tensor", async (signal) => {
    return (await safetensors.read(slow(safe))).tensor("wte", { signal });
  });
  everywhere("safetensors, rows", async (signal) => {
    return (await safetensors.read(slow(safe))).rows("wte", [7, 3], { signal });
  });
  everywhere("safetensors, a stream", async (signal) => {
    return streamed(await safetensors.read(slow(safe)), signal);
  });
  everywhere("safetensors.sharded", async (signal) => {
    const model = await safetensors.sharded(slow(index), () => slow(safe), { signal });
    return model.stored("wte", { signal });
  });
  everywhere("gguf.read", async (signal) => {
    return [...(await gguf.read(slow(header), { signal })).metadata];
  });
  everywhere("npy.read", (signal) => npy.read(slow(array), { signal }));
  everywhere("npy.stored", (signal) => npy.stored(slow(array), { signal }));
  everywhere("npz.read", async (signal) => (await npz.read(slow(zipped), { signal })).names);
  everywhere("npz, one array", async (signal) => {
    return (await npz.read(slow(zipped))).tensor("wte", { signal });
  });
  everywhere("vocabulary.tokenizerJson", async (signal) => {
    return (await vocabulary.tokenizerJson(slow(words), { signal })).tokens;
  });
  everywhere("vocabulary.wordPiece", async (signal) => {
    return (await vocabulary.wordPiece(slow(encoder.encode("a\nb\n")), { signal })).tokens;
  });
  everywhere("remote", async (signal) => {
    const fetch = /** @type {any} */ (serving(safe));
    const file = await remote("http://localhost/a.safetensors", { fetch, signal });
    return (await safetensors.read(file, { signal })).rows("wte", [5], { signal });
  });
  everywhere("remote, a stream", async (signal) => {
    const fetch = /** @type {any} */ (serving(safe));
    const file = await remote("http://localhost/a.safetensors", { fetch });
    return streamed(await safetensors.read(file), signal);
  });
  const files = () => ({
    "model.safetensors": slow(layers),
    "config.json": slow(config),
    "tokenizer.json": slow(words),
  });
  everywhere("open", async (signal) => (await open(files(), { signal })).names);
  everywhere("open, rows", async (signal) => {
    return /** @type {any} */ (await open(files())).wordEmbeddings.rows([1], { signal });
  });
  everywhere("open, a whole table", async (signal) => {
    return (
      await /** @type {any} */ (await open(files())).wordEmbeddings.load({ signal })
    ).weights();
  });
  everywhere("open, the vocabulary", async (signal) => {
    return (await (await open(files())).vocabulary({ signal }))?.tokens;
  });
});

describe("faults: a worker ends at every step of a call", () => {
  /** @param {any} error */
  const isTyped = (error) => /^(DisposedError|CoreError|LoadError)$/.test(error.name);

  test("pending calls reject with the reason, and a fresh worker gives the same bits", async () => {
    const q = () => ({ data: new Float32Array(64).fill(0.5), shape: [1, 8, 8] });
    const work = async (/** @type {any} */ phasor) => [
      await phasor.sinusoidal.table(8, 8),
      await phasor.attention.scaledDotProduct({ q: q(), k: q(), v: q() }),
      await (await phasor.embedding.create(4, 4, { seed: 7 })).weights(),
    ];
    const first = await loadWorker();
    const want = fingerprint(await work(first));
    await first.dispose();
    let refused = 0;
    for (let steps = 0; steps < 12; ++steps) {
      const phasor = await loadWorker();
      const settled = work(phasor).then(fingerprint, (error) => error);
      for (let step = 0; step < steps; ++step) await setImmediate();
      const disposed = phasor.dispose();
      const late = setTimeout(PATIENCE, "it hangs", { ref: false });
      const got = await Promise.race([settled, late]);
      if (got instanceof Error) assert.ok(isTyped(got), String(got));
      else assert.equal(got, want, `after ${steps} steps`);
      if (got instanceof Error) ++refused;
      await disposed;
    }
    assert.ok(refused > 0, "some calls were under way");
  });

  test("out is moved away before the answer: the call settles, and the next one is right", async () => {
    const phasor = await loadWorker();
    const want = fingerprint(await phasor.sinusoidal.table(8, 8));
    for (let steps = 0; steps < 6; ++steps) {
      const out = new Float32Array(64);
      const settled = phasor.sinusoidal.table(8, 8, { out }).catch((error) => error);
      for (let step = 0; step < steps; ++step) await setImmediate();
      structuredClone(out.buffer, { transfer: [out.buffer] });
      const late = setTimeout(PATIENCE, "it hangs", { ref: false });
      const got = await Promise.race([settled, late]);
      assert.notEqual(got, "it hangs");
      if (got instanceof Error) assert.ok(got instanceof TypeError, String(got));
      assert.equal(fingerprint(await phasor.sinusoidal.table(8, 8)), want);
    }
    await phasor.dispose();
  });
});
