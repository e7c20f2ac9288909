// A worker ends at every await of what is asked of it, and a core's bytes fail to come at every await of a load: the
// promise rejects with an error that says so, or gives the right result; nothing stays open; and the next one gives
// the same bits.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readFile } from "node:fs/promises";
import { setImmediate } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { load } from "phasor";
import { load as loadWorker } from "phasor/worker";
import { fingerprint } from "../../truth/fingerprint.js";
import { atAwait, atEveryAwait, closed, HANGS, inTwo, resources } from "./awaits.js";

const thread = new URL("../../../dist/worker-thread.js", import.meta.url);

/** Numbers without a pattern. @param {number[]} shape @param {number} seed */
function numbers(shape, seed) {
  const size = shape.reduce((a, b) => a * b, 1);
  return { data: Float32Array.from({ length: size }, (_, i) => Math.sin((i + 1) * seed)), shape };
}

/** A call, an object that stays in the worker, and a call that a pool splits. @param {any} phasor */
const work = async (phasor) => {
  const table = await phasor.embedding.create(4, 4, { seed: 7 });
  const out = new Float32Array(2 ** 18);
  return [
    await phasor.sinusoidal.table(8, 8),
    await table.lookup([1, 3]),
    await table.weights(),
    await phasor.sinusoidal.table(2 ** 12, 2 ** 6, { out }), // large enough to be split
  ];
};

const want = fingerprint(await work(await load()));

/** @param {any} error */
const isTyped = (error) => /^(DisposedError|CoreError|LoadError)$/.test(error.name);

/**
 * @param {{value?: unknown, error?: any}} outcome @param {string} when
 * @returns {boolean} whether it was refused
 */
function settled({ value, error }, when) {
  assert.notEqual(value, HANGS, `${when}, it hangs`);
  if (error === undefined) assert.equal(fingerprint(value), want, when);
  else assert.ok(isTyped(error), `${when}: ${error.stack}`);
  return error !== undefined;
}

describe("faults: a worker terminates at every await of its requests", () => {
  /**
   * @param {string} name
   * @param {() => Promise<{ phasor: any, end: () => unknown }>} start  `end` ends what has started
   */
  const endedEverywhere = (name, start) =>
    test(name, async (t) => {
      const before = resources();
      let refused = 0;
      const awaits = await atEveryAwait(async (nth) => {
        const { phasor, end } = await start();
        let ended;
        const interrupt = () => (ended = end());
        const outcome = await atAwait(nth, interrupt, () => work(phasor));
        if (settled(outcome, `ended at await ${nth}`)) ++refused;
        if (outcome.isReached) {
          const again = await atAwait(0, () => {}, () => work(phasor)); // prettier-ignore
          if (!settled(again, `asked after its end at await ${nth}`)) assert.fail("it has ended");
        }
        await ended;
        await phasor.dispose();
        await end();
        return outcome.isReached;
      });
      assert.ok(refused > 5, `${refused} of ${awaits} were refused`);
      await closed(before);
      t.diagnostic(`${awaits} awaits, ${refused} of them refused`);
      const { phasor, end } = await start();
      assert.equal(fingerprint(await work(phasor)), want, "a fresh one");
      await phasor.dispose();
      await end();
    });

  endedEverywhere("by dispose", async () => {
    const phasor = await loadWorker();
    return { phasor, end: phasor.dispose };
  });
  endedEverywhere("by dispose, of two", async () => {
    const phasor = await loadWorker({ workers: 2 });
    return { phasor, end: phasor.dispose };
  });
  endedEverywhere("by itself", async () => {
    const worker = new Worker(thread);
    const phasor = await loadWorker({ worker: /** @type {any} */ (worker) });
    return { phasor, end: () => worker.terminate() };
  });

  test("while it starts", async () => {
    const before = resources();
    let refused = 0;
    await atEveryAwait(async (nth) => {
      const worker = new Worker(thread);
      let ended;
      const interrupt = () => (ended = worker.terminate());
      const start = () => loadWorker({ worker: /** @type {any} */ (worker) });
      const { value, error, isReached } = await atAwait(nth, interrupt, start);
      assert.notEqual(value, HANGS, `ended at await ${nth}, it hangs`);
      if (error) assert.ok(isTyped(error), error.stack);
      if (error) ++refused;
      await ended;
      await /** @type {any} */ (value)?.dispose();
      await worker.terminate();
      return isReached;
    });
    assert.ok(refused > 0, "some were refused");
    await closed(before);
  });

  test("out is transferred before the answer arrives: the call settles, and the next one is right", async () => {
    const phasor = await loadWorker();
    const want = fingerprint(await phasor.sinusoidal.table(8, 8));
    await atEveryAwait(async (nth) => {
      const out = new Float32Array(64);
      const interrupt = () => void structuredClone(out.buffer, { transfer: [out.buffer] });
      const call = () => phasor.sinusoidal.table(8, 8, { out });
      const { value, error, isReached } = await atAwait(nth, interrupt, call);
      assert.notEqual(value, HANGS, `moved at await ${nth}, it hangs`);
      if (error) assert.ok(error instanceof TypeError, String(error));
      assert.equal(fingerprint(await phasor.sinusoidal.table(8, 8)), want);
      return isReached;
    });
    await phasor.dispose();
  });
});

describe("faults: the bytes of the core fail to arrive at every await of a load", () => {
  const q = () => numbers([1, 8, 8], 3);
  /** @param {any} phasor */
  const call = (phasor) => phasor.attention.scaledDotProduct({ q: q(), k: q(), v: q() }).output;

  for (const type of ["application/wasm", "application/octet-stream"]) {
    test(`from an address, as ${type}`, async (t) => {
      const bytes = await readFile(new URL("../../../dist/core.wasm", import.meta.url));
      const want = fingerprint(call(await load()));
      const before = resources();
      const { fetch } = globalThis;
      let refused = 0;
      try {
        const awaits = await atEveryAwait(async (nth) => {
          const controller = new AbortController();
          const { signal } = controller;
          globalThis.fetch = async () => {
            await setImmediate();
            signal.throwIfAborted();
            return new Response(inTwo(bytes, signal), { headers: { "Content-Type": type } });
          };
          const wasm = `http://localhost/${type}/${nth}.wasm`;
          const interrupt = () => controller.abort(new Error("the network is down"));
          const { value, error, isReached } = await atAwait(nth, interrupt, () => load({ wasm }));
          assert.notEqual(value, HANGS, `broken off at await ${nth}, it hangs`);
          if (error) assert.equal(error.name, "LoadError", error.stack);
          else assert.equal(fingerprint(call(value)), want);
          if (error) ++refused;
          globalThis.fetch = async () => new Response(bytes, { headers: { "Content-Type": type } });
          const next = await load({ wasm });
          assert.equal(fingerprint(call(next)), want, `loaded after await ${nth}`);
          assert.equal(await load({ wasm }), next, "and kept");
          return isReached;
        });
        assert.ok(refused > 2, `${refused} of ${awaits} were refused`);
        t.diagnostic(`${awaits} awaits, ${refused} of them refused`);
      } finally {
        globalThis.fetch = fetch;
      }
      await closed(before);
    });
  }

  // Node compiles on the calling thread, by the constructor.
  for (const step of /** @type {const} */ (["Module", "instantiate"])) {
    test(`the engine refuses to ${step === "Module" ? "compile" : step}`, async () => {
      const bytes = await readFile(new URL("../../../dist/core.wasm", import.meta.url));
      const own = WebAssembly[step];
      const wasm = step === "Module" ? bytes : await WebAssembly.compile(bytes);
      /** @returns {any} */
      function refuse() {
        throw new WebAssembly.CompileError("out of memory");
      }
      if (step === "Module") WebAssembly.Module = /** @type {any} */ (refuse);
      else WebAssembly.instantiate = async () => refuse();
      try {
        await assert.rejects(load({ wasm }), { name: "LoadError", message: /out of memory/ });
      } finally {
        Object.assign(WebAssembly, { [step]: own });
      }
      const want = fingerprint(call(await load()));
      assert.equal(fingerprint(call(await load({ wasm }))), want);
    });
  }
});
