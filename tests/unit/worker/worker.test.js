import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { getEventListeners } from "node:events";
import { readFile } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Worker as Thread } from "node:worker_threads";
import { after, before, describe, test } from "node:test";
import * as entry from "phasor/worker";
import { project } from "../../../scripts/setup/setup.js";
import { calls, functionsOf } from "../../calls.js";
import { phasor as local } from "../../phasor.js";

/** @import { RemotePhasor } from "phasor/worker" */

const { CoreError, DisposedError, load, LoadError, OutOfMemoryError, serve, Tensor, transfer } =
  entry;

const threadUrl = new URL(import.meta.resolve("phasor/worker-thread"));

/** @type {RemotePhasor} */
let phasor;
before(async () => {
  phasor = await load();
});
const fakes = /** @type {any[]} */ ([]); // a thread waits for its own channels until they are closed
after(() => Promise.all([phasor, ...fakes].map((each) => each?.dispose())));

/**
 * A phasor of other modules, on this very thread, behind a channel as a worker is.
 * @param {object} modules
 * @returns {Promise<any>}
 */
async function loadFake(modules) {
  const { port1, port2 } = new MessageChannel();
  serve(/** @type {any} */ (async () => modules), port2);
  for (const port of /** @type {any[]} */ ([port1, port2])) port.unref();
  fakes.push(await load({ worker: /** @type {any} */ (port1) }));
  return fakes.at(-1);
}

describe("worker: a signal", () => {
  const rows = { data: new Float32Array(50_000 * 64).map((_, i) => Math.sin(i * i)), shape: [50_000, 64] }; // prettier-ignore
  const small = /** @type {const} */ ([[[1, 0], [0, 2], [1, 1]], { components: 1 }]); // prettier-ignore
  const expected = local.pca(.../** @type {[any, any]} */ (small)).explainedVarianceRatio.toArray();

  /** Aborts a call while the worker computes. @param {RemotePhasor} phasor */
  async function aborted(phasor) {
    const controller = new AbortController();
    const reason = new Error("not wanted");
    const found = phasor.pca(rows, { components: 60, signal: controller.signal });
    controller.abort(reason);
    await assert.rejects(found, (error) => error === reason);
  }

  test("rejects the call with its reason, and the worker is replaced for the next calls", async () => {
    const own = await load();
    const began = performance.now();
    await local.pca(rows, { components: 60 });
    const whole = performance.now() - began;
    for (let i = 0; i < 3; ++i) {
      await aborted(own);
      const before = performance.now();
      const found = await own.pca(.../** @type {[any, any]} */ (small));
      assert.deepEqual(found.explainedVarianceRatio.toArray(), expected);
      assert.ok(performance.now() - before < Math.max(whole, 2000), "did not wait for the other");
      await found.dispose();
    }
    await own.dispose();
    await assert.rejects(own.rope.table(2, 2), DisposedError);
  });

  test("leaves objects of the program alive, and other calls", async () => {
    const own = await load();
    const table = await own.embedding.create(3, 4, { seed: 1 });
    const before = await table.lookup([0, 2]);
    await aborted(own);
    assert.deepEqual(await table.lookup([0, 2]), before);
    await table.dispose();
    const other = own.rope.table(3, 4);
    await aborted(own);
    assert.deepEqual((await other).cos.toArray(), local.rope.table(3, 4).cos.toArray());
    await own.dispose();
  });

  test("ends a call of several workers", async () => {
    const own = await load({ workers: 2 });
    await aborted(own);
    const controller = new AbortController();
    const [a, b] = [0, 1].map(() => new Float32Array(4096 * 64).fill(0.5));
    const matrix = own.similarity.matrix(
      { data: a, shape: [4096, 64] },
      { data: b, shape: [4096, 64] },
      { signal: controller.signal },
    );
    controller.abort();
    await assert.rejects(matrix, { name: "AbortError" });
    const found = await own.pca(.../** @type {[any, any]} */ (small));
    assert.deepEqual(found.explainedVarianceRatio.toArray(), expected);
    await own.dispose();
  });

  test("that is aborted already, or no signal, is refused before anything is sent", async () => {
    const signal = AbortSignal.abort(new Error("before"));
    const x = Float32Array.of(3, 4);
    await assert.rejects(
      async () => phasor.normalize.l2(transfer(x), { signal }),
      /^Error: before$/,
    );
    assert.equal(x.length, 2);
    for (const wrong of /** @type {any[]} */ ([null, true, {}, new AbortController()])) {
      await assert.rejects(async () => phasor.normalize.l2([3, 4], { signal: wrong }), {
        name: "TypeError",
        message: /^normalize\.l2: signal must be an AbortSignal; got /,
      });
    }
    const { signal: later } = new AbortController();
    const y = await phasor.normalize.l2([3, 4], { signal: later });
    assert.deepEqual(y.toArray(), local.normalize.l2([3, 4]).toArray());
  });

  test("has one listener for many calls, and none when they are answered", async () => {
    const { signal } = new AbortController();
    /** @type {unknown[]} */
    const warned = [];
    const hear = (/** @type {Error} */ warning) => warned.push(warning.name);
    process.on("warning", hear);
    const ask = () => phasor.normalize.l2([3, 4], { signal });
    await Promise.all(Array.from({ length: 20 }, ask));
    assert.equal(getEventListeners(signal, "abort").length, 0);
    const controller = new AbortController();
    const asked = Array.from({ length: 20 }, (_, i) =>
      phasor.normalize.l2(
        [3, 4],
        i % 2 ? { signal: controller.signal } : Object.create({ signal: controller.signal }),
      ),
    );
    controller.abort(new Error("all"));
    for (const { status } of await Promise.allSettled(asked)) assert.equal(status, "rejected");
    await wait(0);
    process.off("warning", hear);
    assert.deepEqual(warned, []);
  });
});

describe("worker: the same interface", () => {
  test("types: results have the type that follows from the arguments", async () => {
    const { rope, attention, inputEmbeddings } = phasor;
    const x = { q: [[1, 0]], k: [[0, 1]] };
    const { q, k } = await rope.apply(x, await rope.table([1], 2));
    assert.deepEqual([q.shape, k.shape], [[1, 2], [1, 2]]); // prettier-ignore
    const alone = await rope.apply(x.q, await rope.table([1], 2));
    assert.deepEqual(alone.toArray(), q.toArray());
    const heads = { ...x, v: [[3]] };
    const { output, weights } = await attention.scaledDotProduct(heads);
    assert.deepEqual([output.at(0, 0), weights.at(0, 0)], [3, 1]);
    const shown = await attention.scaledDotProduct(heads, { weights: false });
    // @ts-expect-error  it has none
    assert.equal(shown.weights, undefined);
    assert.equal(shown.output.at(0, 0), 3);
    const model = /** @type {const} */ ({ positions: { scheme: "rope" } });
    const { words } = await inputEmbeddings(model, { words: [[5]] }, [0], { intermediates: true });
    assert.equal(words.at(0, 0), 5);
    assert.equal((await inputEmbeddings(model, { words: [[5]] }, [0])).at(0, 0), 5);
  });

  test("it has the same modules with the same functions and presets", () => {
    const { dispose, ...modules } = phasor;
    assert.equal(typeof dispose, "function");
    assert.deepEqual(Object.keys(modules), Object.keys(local));
    assert.deepEqual(functionsOf(/** @type {any} */ (modules)), functionsOf(local));
    for (const [name, module] of Object.entries(local)) {
      const { presets } = /** @type {any} */ (module);
      assert.deepEqual(/** @type {any} */ (modules)[name].presets, presets, name);
    }
    assert.ok(Object.isFrozen(phasor) && Object.isFrozen(phasor.rope));
  });

  for (const [name, call] of Object.entries(calls)) {
    test(`${name} gives the same bits, each time`, async () => {
      const expected = structuredClone(await call(local));
      for (let times = 0; times < 2; ++times) {
        const got = await call(/** @type {any} */ (phasor));
        assert.deepEqual(structuredClone(got), expected);
      }
    });
  }

  test("results are tensors of this entry, at any depth of a result", async () => {
    const { cos, sin } = await phasor.rope.table(2, 4);
    const { query } = await phasor.xpos.table(2, 4);
    const { ids, scores } = await phasor.nearest([[1, 2]], [1, 2]);
    for (const tensor of [cos, sin, query.cos, ids, scores, await phasor.alibi.slopes(2)]) {
      assert.ok(tensor instanceof Tensor);
      assert.ok(Object.isFrozen(tensor));
    }
  });

  test("calls are answered in order", async () => {
    /** @type {number[]} */
    const order = [];
    const sizes = [500, 1, 100, 2];
    await Promise.all(
      sizes.map((n) => phasor.sinusoidal.table(n, 64).then(() => void order.push(n))),
    );
    assert.deepEqual(order, sizes);
  });

  test("messages of a program's own worker that are not answers are ignored", async () => {
    const { port1, port2 } = new MessageChannel();
    const ports = /** @type {any[]} */ ([port1, port2]);
    ports[1].once("message", (/** @type {any} */ { phasor: port }) => {
      for (const message of [null, undefined, 4, "4", [], {}, { id: null }])
        port.postMessage(message);
    });
    serve(
      /** @type {any} */ (async () => ({ twice: { of: (/** @type {number} */ x) => 2 * x } })),
      port2,
    );
    for (const port of ports) port.unref();
    const own = /** @type {any} */ (await load({ worker: ports[0] }));
    assert.equal(await own.twice.of(4), 8);
  });

  test("a worker ignores messages that are no questions", async () => {
    const { port1, port2 } = new MessageChannel();
    const ports = /** @type {any[]} */ ([port1, port2]);
    const ends = new MessageChannel();
    serve(/** @type {any} */ (async () => ({ twice: (/** @type {number} */ x) => 2 * x })), port2);
    const answers = /** @type {any} */ (ends.port1);
    ports[0].postMessage({ phasor: ends.port2 }, [ends.port2]);
    await new Promise((come) => answers.once("message", come));
    for (const message of [null, undefined, 4, "4", 5n, true]) answers.postMessage(message);
    answers.postMessage({ id: 7, on: 99, given: [], outs: [] });
    const answer = await new Promise((come) => answers.once("message", come));
    assert.deepEqual([answer.id, answer.error.name], [7, "TypeError"]);
    for (const port of [...ports, answers]) port.close();
  });

  const circle = new Error("a circle");
  circle.cause = new Error("within", { cause: circle });
  const getter = Object.defineProperty(new Error("a getter"), "code", {
    enumerable: true,
    get() {
      throw circle;
    },
  });
  /** What a module may throw, and the error that the caller gets. @type {[string, unknown, string, object][]} */
  const thrown = [
    ["fields that no message can have", Object.assign(new RangeError("own"), { retry() {}, code: "E", at: Symbol("a") }), "own", { code: "E" }],
    ["itself as its cause", circle, "a circle", {}],
    ["a field that throws", getter, "a getter", {}],
    ["no error", Object.create(null), "an object", {}],
  ]; // prettier-ignore
  for (const [what, value, message, fields] of thrown) {
    test(`an error with ${what} rejects the call, and the next one is answered`, async () => {
      const { port1, port2 } = new MessageChannel();
      const ports = /** @type {any[]} */ ([port1, port2]);
      const modules = {
        of: { fail: () => { throw value; }, twice: (/** @type {number} */ x) => 2 * x },
      }; // prettier-ignore
      serve(/** @type {any} */ (async () => modules), port2);
      for (const port of ports) port.unref();
      const own = /** @type {any} */ (await load({ worker: ports[0] }));
      await assert.rejects(own.of.fail(), (/** @type {any} */ error) => {
        assert.match(error.message, new RegExp(message));
        assert.deepEqual({ ...error }, fields);
        return true;
      });
      assert.equal(await own.of.twice(4), 8);
    });
  }

  test("a phasor and its objects can be awaited again: they are not promises", async () => {
    assert.equal(await phasor, phasor);
    const table = await phasor.embedding.create(2, 2);
    assert.equal(await Promise.resolve(table), table);
  });
});

describe("worker: results are transferred", () => {
  test("the worker keeps no memory of a result, and the page gets all of it", async () => {
    const modules = {
      module: { table: () => new Tensor(results.table, [2, 3]), all: () => results },
    };
    const results = {
      table: Float32Array.of(1, 2, 3, 4, 5, 6),
      nested: [{ ids: Int32Array.of(7, 8) }],
    };
    const fake = await loadFake(modules);
    const table = await fake.module.table();
    assert.deepEqual(table.toArray(), [[1, 2, 3], [4, 5, 6]]); // prettier-ignore
    assert.equal(results.table.byteLength, 0);
    results.table = Float32Array.of(9);
    const [all, ids] = [await fake.module.all(), results.nested[0].ids];
    assert.deepEqual(all, { table: Float32Array.of(9), nested: [{ ids: Int32Array.of(7, 8) }] });
    assert.equal(ids.byteLength, 0);
  });

  test("an array that occurs several times in a result does so on arrival", async () => {
    const data = Float32Array.of(1, 2);
    const fake = await loadFake({ module: { twice: () => ({ a: data, b: [data] }) } });
    const { a, b } = await fake.module.twice();
    assert.equal(a, b[0]);
  });

  test("arrays that an object in the worker still uses are copied", async () => {
    const mean = Float32Array.of(1, 2);
    const found = { mean, add: (/** @type {number} */ x) => mean.map((m) => m + x) };
    const fake = await loadFake({ module: { find: () => found } });
    const remote = await fake.module.find();
    assert.deepEqual(remote.mean, mean);
    assert.deepEqual(await remote.add(1), Float32Array.of(2, 3));
  });
});

describe("worker: arguments", () => {
  test("they are copied at the time of the call, and unchanged", async () => {
    const x = Float32Array.of(3, 4);
    const asked = phasor.normalize.l2(new Tensor(x, [1, 2]));
    x.fill(0);
    assert.deepEqual((await asked).toArray(), [[Math.fround(0.6), Math.fround(0.8)]]);
    assert.equal(x.length, 2);
  });

  test("of a view, only its own part is sent", async () => {
    /** @type {any[]} */
    const seen = [];
    const fake = await loadFake({ module: { see: (/** @type {any} */ x) => void seen.push(x) } });
    const large = new Tensor(new Float32Array(4000), [1000, 4]);
    await fake.module.see(large.row(3));
    await fake.module.see(Buffer.from("four"));
    assert.equal(seen[0].data.buffer.byteLength, 16);
    assert.deepEqual(seen[0].shape, [4]);
    assert.equal(seen[1].buffer.byteLength, 4);
    assert.equal(large.data.length, 4000);
  });

  test("arrays of other libraries are read by their properties, as without a worker", async () => {
    class Theirs {
      get data() {
        return Float32Array.of(3, 4);
      }
      get dims() {
        return [1, 2];
      }
    }
    const given = [new Theirs(), { data: [3, 4], shape: Int32Array.of(1, 2) }, [[3, 4]]];
    for (const x of given) {
      const l2 = await phasor.normalize.l2(/** @type {any} */ (x));
      assert.deepEqual(l2.data, Float32Array.of(0.6, 0.8));
    }
    const strided = { data: new Float32Array(4), shape: [2, 2], stride: [1, 2], offset: 0 };
    await assert.rejects(phasor.normalize.l2(strided), /^RangeError: \S+: x must be contiguous/);
    const later = { ...strided, stride: [2, 1], offset: 1 };
    await assert.rejects(phasor.normalize.l2(later), /^RangeError: \S+: x must start at its data's beginning; got offset 1/); // prettier-ignore
    const shared = new Float32Array(new SharedArrayBuffer(8));
    shared.set([3, 4]);
    assert.equal((await phasor.normalize.l2(shared)).at(1), Math.fround(0.8));
  });

  test("shared memory is not copied: a call sees changes until it is done, and writes into out there", async () => {
    const shared = (/** @type {number[]} */ ...numbers) => {
      const array = new Float32Array(new SharedArrayBuffer(4 * numbers.length));
      array.set(numbers);
      return array;
    };
    const x = shared(4, 3);
    const [slow, later] = [phasor.sinusoidal.table(4096, 1024), phasor.normalize.l2(x)];
    x.set([3, 4]);
    assert.deepEqual((await later).toArray(), [0.6, 0.8].map(Math.fround));
    assert.ok((await later).data.buffer instanceof ArrayBuffer);
    await slow;

    const out = shared(0, 0);
    const found = await phasor.normalize.l2(x, { out });
    assert.equal(found.data, out);
    assert.deepEqual([...out], [0.6, 0.8].map(Math.fround));
    assert.equal((await phasor.normalize.l2(x, { out: x })).data, x);
    assert.deepEqual([...x], [...out]);
    const both = new Float32Array(12);
    const parts = { cos: both.subarray(0, 8), sin: both.subarray(4) };
    await assert.rejects(phasor.rope.table(4, 4, { out: parts }), {
      name: "RangeError",
      message: "rope.table: out must have arrays that share no memory; got two that do",
    });
    // Views of one memory overlap in the worker, too.
    const values = Array.from({ length: 100_000 }, (_, i) => (i % 7) - 3);
    const [here, there] = [Float32Array.from(values), shared(...values)];
    const rows = (/** @type {Float32Array} */ memory) => ({ data: memory.subarray(0, 90_000), shape: [30_000, 3] }); // prettier-ignore
    local.normalize.l2(rows(here), { out: here.subarray(7, 90_007) });
    await phasor.normalize.l2(rows(there), { out: there.subarray(7, 90_007) });
    assert.deepEqual(Float32Array.from(there), here);
    const ids = new Int32Array(new SharedArrayBuffer(8));
    const table = await phasor.embedding.from([[1], [2]]);
    assert.deepEqual((await table.lookup(ids)).toArray(), [[1], [1]]);
    await table.dispose();
  });

  test("a result is in ordinary memory even if an argument is in shared memory", async () => {
    const entryUrl = JSON.stringify(import.meta.resolve("phasor/worker"));
    const code = `import { serve } from ${entryUrl};
      serve(async () => ({ module: { same: (x) => x } }));`;
    const worker = `data:text/javascript,${encodeURIComponent(code)}`;
    const own = /** @type {any} */ (await load({ worker }));
    const x = new Float32Array(new SharedArrayBuffer(8));
    const got = await own.module.same(x);
    assert.ok(got.buffer instanceof ArrayBuffer);
    await own.dispose();
    // A worker of the program may be where memory cannot be shared: it gets a copy.
    const fake = await loadFake({ module: { buffer: (/** @type {any} */ x) => String(x.buffer) } });
    assert.equal(await fake.module.buffer(x), "[object ArrayBuffer]");
  });

  test("transfer moves an array, a tensor, or a result with both", async () => {
    const arrays = [Float32Array.of(3, 4), Float32Array.of(3, 4), Float32Array.of(3, 4)];
    const given = [arrays[0], new Tensor(arrays[1], [2]), { data: arrays[2], shape: [2] }];
    for (const x of given) {
      assert.equal(transfer(/** @type {any} */ (x)), x);
      assert.equal((await phasor.normalize.l2(x)).at(0), Math.fround(0.6));
    }
    for (const array of arrays) assert.equal(array.length, 0);
  });

  test("an array that was transferred is rejected, where Node 20 would wait forever", async () => {
    const buffer = new ArrayBuffer(16);
    const [array, other, tail] = [
      new Float32Array(buffer),
      new Float32Array(buffer, 0, 2),
      new Float32Array(buffer, 8),
    ];
    transfer(other);
    assert.equal((await phasor.normalize.l2(transfer(array))).shape[0], 4);
    assert.throws(
      () => transfer(array),
      /^TypeError: \S+: value must be an array in memory; got one/,
    );
    for (const gone of [array, other, new Tensor(tail, [0])]) {
      await assert.rejects(
        phasor.normalize.l2(gone),
        /^TypeError: \S+: arguments must be in memory; got an array that was moved elsewhere$/,
      );
    }
    assert.equal((await phasor.normalize.l2([3, 4])).at(0), Math.fround(0.6));
    assert.equal(transfer(new Float32Array(0)).length, 0);
  });

  test("transfer rejects values that cannot be transferred with a typed error", () => {
    const shared = new Float32Array(new SharedArrayBuffer(8));
    for (const value of /** @type {any[]} */ ([null, 5, [1, 2], {}, shared, new ArrayBuffer(8)])) {
      assert.throws(
        () => transfer(value),
        /^TypeError: \S+: value must be a tensor or a typed array/,
      );
    }
  });

  test("options of a class, or of another object, are read as without a worker", async () => {
    class Options {
      /** @param {number} eps */
      constructor(eps) {
        /** @internal */
        this.times = () => eps;
        Object.defineProperty(this, "times", { enumerable: false });
      }

      get eps() {
        return this.times();
      }
    }
    const inherited = () => Object.create({ metric: "dot" });
    const rows = [[3, 4], [1, 2]]; // prettier-ignore
    for (const options of [
      new Options(10),
      Object.create({ eps: 10 }),
      Object.create(null, { eps: { value: 10, enumerable: true } }),
    ]) {
      const expected = local.normalize.l2([3, 4], options).toArray();
      assert.notDeepEqual(expected, local.normalize.l2([3, 4]).toArray());
      const { signal } = new AbortController();
      assert.deepEqual((await phasor.normalize.l2([3, 4], options)).toArray(), expected);
      Object.defineProperty(options, "signal", { value: signal, enumerable: true });
      assert.deepEqual((await phasor.normalize.l2([3, 4], options)).toArray(), expected);
    }
    const dots = local.similarity.matrix(rows, rows, inherited()).toArray();
    assert.deepEqual((await phasor.similarity.matrix(rows, rows, inherited())).toArray(), dots);
  });

  test("arrays of another realm are moved, too", async () => {
    const array = runInNewContext("Float32Array.of(3, 4)");
    const y = await phasor.normalize.l2(transfer(array));
    assert.deepEqual(y.toArray(), local.normalize.l2([3, 4]).toArray());
    assert.equal(array.length, 0);
  });

  test("functions and symbols are typed errors, and the worker continues", async () => {
    for (const x of /** @type {any[]} */ ([() => 1, { weights: () => 1 }, local.embedding])) {
      await assert.rejects(
        phasor.normalize.l2(x),
        /^TypeError: \S+: arguments must be data, or made by the same worker; got /,
      );
    }
    const symbol = /** @type {any} */ (Symbol("x"));
    await assert.rejects(
      phasor.normalize.l2(symbol),
      /^TypeError: \S+: arguments must be cloneable; got .*Symbol\(x\)/,
    );
    assert.equal((await phasor.normalize.l2([3, 4])).at(0), Math.fround(0.6));
  });

  test("a circular argument is rejected with a message, and the worker continues", async () => {
    /** @type {any[]} */
    const x = [];
    x.push(x);
    /** @type {any} */
    const object = { data: [1], shape: [1] };
    object.shape = [object];
    /** @type {any} */
    const options = { eps: 1 };
    options.weight = { deep: [options] };
    const refusal = /^RangeError: \S+: arguments must not contain themselves; got a circle$/;
    await assert.rejects(phasor.normalize.l2(x), refusal);
    await assert.rejects(phasor.normalize.l2(object), refusal);
    await assert.rejects(phasor.normalize.layerNorm([[1, 2]], options), refusal);
    /** @type {any} */
    const out = {};
    out.out = out;
    await assert.rejects(phasor.normalize.l2([[1, 2]], { out }), refusal);
    const one = [1, 2];
    assert.deepEqual(await phasor.similarity.pair(one, one, { metric: "dot" }), 5);
    assert.equal((await phasor.normalize.l2([3, 4])).at(0), Math.fround(0.6));
  });

  test("depth, holes and unreadable properties are rejected with a message", async () => {
    /** @type {any} */
    let deep = [1];
    for (let depth = 0; depth < 200000; ++depth) deep = [deep];
    const { proxy, revoke } = Proxy.revocable([1], {});
    revoke();
    for (const [given, refusal] of /** @type {[any, RegExp][]} */ ([
      [deep, /^RangeError: \S+: arguments must be nested at most 64 deep; got more$/],
      [
        { data: [1], shape: [1], dtype: deep },
        /^RangeError: \S+: arguments must be nested at most 64/,
      ],
      [
        new Array(2 ** 32 - 1),
        /^RangeError: \S+: arguments must have no holes; got one at 0 of 4294967295$/,
      ],
      [[[1], [, 2]], /^RangeError: \S+: arguments must have no holes; got one at 0 of 2$/], // eslint-disable-line no-sparse-arrays
      [proxy, /^TypeError: \S+: arguments must be data; got a revoked proxy$/],
      [[proxy], /^TypeError: \S+: arguments must be data; got a revoked proxy$/],
      [
        { data: proxy, shape: [1] },
        /^TypeError: \S+: arguments must be data; got a revoked proxy$/,
      ],
    ])) {
      await assert.rejects(phasor.normalize.l2(given), refusal);
    }
    assert.throws(
      () => transfer(/** @type {any} */ (proxy)),
      /^TypeError: \S+: value must be a tensor or/,
    );
    assert.equal((await phasor.normalize.l2([3, 4])).at(0), Math.fround(0.6));
  });
});

describe("worker: out", () => {
  test("the caller's array is filled, and is that of the result", async () => {
    const expected = local.sinusoidal.table(3, 4);
    const array = new Float32Array(12);
    const tensor = new Tensor(new Float32Array(12), [3, 4]);
    assert.equal((await phasor.sinusoidal.table(3, 4, { out: array })).data, array);
    assert.equal((await phasor.sinusoidal.table(3, 4, { out: tensor })).data, tensor.data);
    assert.deepEqual(array, expected.data);
    assert.deepEqual(tensor.data, expected.data);
  });

  test("results of 16 bits are rounded in the worker", async () => {
    const bits = (/** @type {number} */ n) => new Uint16Array(n);
    const Half = /** @type {any} */ (globalThis).Float16Array;
    const wide = local.sinusoidal.table(3, 4);
    const out = new Tensor(bits(12), [3, 4], "float16");
    const table = await phasor.sinusoidal.table(3, 4, { out });
    assert.equal(/** @type {unknown} */ (table.data), out.data);
    assert.equal(table.dtype, "float16");
    const rounded = wide.as("float16").as("float32");
    assert.deepEqual(out.as("float32").toArray(), rounded.toArray());
    const large = new Tensor(bits(2 ** 22), [2 ** 14, 256], "bfloat16"); // else split over workers
    await phasor.sinusoidal.table(2 ** 14, 256, { out: large });
    const expected = local.sinusoidal.table(2 ** 14, 256).as("bfloat16");
    assert.ok(large.data.every((word, i) => word === expected.data[i]));
    if (!Half) return;
    const half = new Half(12);
    assert.equal((await phasor.sinusoidal.table(3, 4, { out: half })).data, half);
    assert.deepEqual(half, wide.as("float16").data);
    const x = await phasor.normalize.l2(Half.of(3, 4));
    assert.deepEqual(x.toArray(), local.normalize.l2([3, 4]).toArray());
  });

  test("what a library calls the type of a tensor is known in the worker", async () => {
    for (const [data, type, got] of /** @type {[any, string, string][]} */ ([
      [Uint16Array.of(0x3c00, 0x4000), "float16", "float16 bits"],
      [Uint8Array.of(1, 0), "bool", "bool values"],
    ])) {
      const x = { data, dims: [2], type };
      const message = `normalize.l2: x must hold numbers; got ${got}`;
      await assert.rejects(async () => phasor.normalize.l2(x), { name: "TypeError", message });
    }
  });

  test("named arrays are all filled, also parts of a larger array", async () => {
    const all = new Float32Array(24);
    const out = { cos: all.subarray(0, 6), sin: all.subarray(12, 18) };
    const { cos, sin } = await phasor.rope.table(3, 4, { out });
    const expected = local.rope.table(3, 4);
    assert.deepEqual(cos.toArray(), expected.cos.toArray());
    assert.equal(sin.data, out.sin);
    assert.deepEqual(all.subarray(12, 18), expected.sin.data);
    assert.deepEqual(all.subarray(18), new Float32Array(6));
  });

  test("an argument can be overwritten with the result, as without a worker", async () => {
    const x = new Tensor(Float32Array.of(1, 2, 3, 4), [2, 2]);
    const expected = local.attention.softmax([[1, 2], [3, 4]]); // prettier-ignore
    await phasor.attention.softmax(x, { out: x });
    assert.deepEqual(x.data, expected.data);
  });

  test("a transferred array is returned as the result", async () => {
    const array = new Float32Array(12);
    const table = await phasor.sinusoidal.table(3, 4, { out: transfer(array) });
    assert.equal(array.length, 0);
    assert.deepEqual(table.toArray(), local.sinusoidal.table(3, 4).toArray());
  });

  test("it is unchanged if the call fails", async () => {
    const out = Float32Array.of(1, 2, 3);
    const asked = phasor.sinusoidal.table(3, 4, { out });
    await assert.rejects(asked, /^RangeError: \S+: out must hold 12 numbers/);
    assert.deepEqual(out, Float32Array.of(1, 2, 3));
  });
});

describe("worker: objects that stay there", () => {
  const weights = [[1, 2], [3, 4], [5, 6]]; // prettier-ignore

  test("they have the same properties, and can be passed to other functions", async () => {
    const table = await phasor.embedding.from(weights);
    assert.deepEqual([table.vocabulary, table.dim, table.parameterCount], [3, 2, 6]);
    assert.deepEqual((await table.lookup([2])).toArray(), [[5, 6]]);
    const { ids } = await phasor.nearest(table, [5, 6], { k: 1, metric: "euclidean" });
    assert.equal(ids.at(0), 2);
    const bags = await phasor.embeddingBag.create(table, { mode: "sum" });
    assert.deepEqual((await bags.pool([[0, 1]])).toArray(), [[4, 6]]);
    const gpt2 = { positions: { scheme: "learnedPositions", preset: "gpt2" } };
    const input = phasor.inputEmbeddings(gpt2, { words: table, positions: [[1, 1]] }, [1]);
    assert.deepEqual(/** @type {any} */ (await input).toArray(), [[4, 5]]);
  });

  test("after dispose, they and calls that use them reject with DisposedError; a second dispose does nothing", async () => {
    const table = await phasor.embedding.from(weights);
    const found = await phasor.pca(weights);
    await Promise.all([table.dispose(), table.dispose(), found.dispose()]);
    await table.dispose();
    const after = [
      () => table.lookup([1]),
      () => phasor.nearest(table, [1, 2]),
      () => found.project(weights),
    ];
    for (const use of after) {
      await assert.rejects(use(), (error) => {
        assert.ok(error instanceof DisposedError && error instanceof TypeError);
        assert.match(error.message, /has been disposed$/);
        return true;
      });
    }
  });

  test("dispose resolves after disposal in the worker", async () => {
    let disposed = 0;
    const table = { read: () => 5, dispose: () => void ++disposed };
    const fake = await loadFake({ module: { create: () => table } });
    const remote = await fake.module.create();
    assert.equal(disposed, 0);
    await remote.dispose();
    assert.equal(disposed, 1);
  });

  test("using and await using dispose of them, if the host has the symbols", async () => {
    const table = /** @type {any} */ (await phasor.embedding.create(3, 2));
    await table[Symbol.asyncDispose]();
    await assert.rejects(table.lookup([0]), DisposedError);
    const other = /** @type {any} */ (await phasor.embedding.create(3, 2));
    other[Symbol.dispose]();
    await assert.rejects(other.lookup([0]), DisposedError);
  });

  test("objects that are garbage collected are released in the worker, but not during a call", async () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc");
    let disposed = 0;
    const table = { read: () => 5, dispose: () => void ++disposed };
    const fake = await loadFake({ module: { create: () => table } });
    const reading = (await fake.module.create()).read();
    collect();
    assert.equal(await reading, 5);
    for (let i = 0; i < 50 && disposed === 0; ++i) {
      collect();
      await wait(20);
    }
    assert.equal(disposed, 1);
  });
});

describe("worker: errors", () => {
  test("they have their class, message, name, fields and both stacks", async () => {
    await assert.rejects(
      phasor.sinusoidal.table(4, 8, { layout: /** @type {any} */ ("half") }),
      (error) => {
        assert.ok(error instanceof RangeError);
        assert.equal(error.name, "RangeError");
        assert.match(error.message, /^\S+: layout must be one of .*; got "half"$/);
        assert.match(String(error.stack), /^RangeError: \S+: layout must .*\n[^]*dist\/index\.js/);
        assert.match(String(error.stack), /worker\.test\.js/);
        return true;
      },
    );
    await assert.rejects(phasor.embedding.create(2 ** 31 - 1, 1), (error) => {
      assert.ok(error instanceof OutOfMemoryError && error instanceof RangeError);
      assert.equal(error.name, "OutOfMemoryError");
      assert.equal(error.bytes, (2 ** 31 - 1) * 4);
      return true;
    });
    const wrong = /** @type {any} */ ("4");
    await assert.rejects(phasor.alibi.slopes(wrong), { name: "TypeError" });
  });

  test("causes are included, and an unknown class of error keeps its name", async () => {
    const cause = new WebAssembly.RuntimeError("unreachable");
    const own = Object.assign(new Error("why"), { name: "Own", code: "X1" });
    const fake = await loadFake({
      module: {
        trap() {
          throw new CoreError("the core stopped", { cause });
        },
        own() {
          throw own;
        },
      },
    });
    await assert.rejects(fake.module.trap(), (error) => {
      assert.ok(error instanceof CoreError);
      assert.ok(error.cause instanceof WebAssembly.RuntimeError);
      return true;
    });
    await assert.rejects(fake.module.own(), { name: "Own", code: "X1", message: "why" });
  });

  test("objects of two workers cannot be mixed, and the error says so", async () => {
    const other = await load({ name: "another" });
    const table = await other.embedding.from([[1, 2], [3, 4]]); // prettier-ignore
    await assert.rejects(
      phasor.nearest(table, [1, 2]),
      /^TypeError: \S+: arguments must be data, or made by the same worker; got an object of another worker$/,
    );
    await other.dispose();
    assert.equal((await phasor.alibi.slopes(1)).size, 1);
  });
});

describe("worker: termination", () => {
  test("dispose rejects pending and later calls, and a second one does nothing", async () => {
    const own = await load();
    const table = await own.embedding.create(2, 2);
    const slow = own.sinusoidal.table(4096, 1024);
    await Promise.all([assert.rejects(slow, DisposedError), own.dispose(), own.dispose()]);
    await assert.rejects(own.alibi.slopes(2), DisposedError);
    await assert.rejects(table.lookup([0]), DisposedError);
    await table.dispose(); // its memory is gone with the worker
  });

  test("a given worker survives dispose, for another phasor", async () => {
    const thread = new Thread(threadUrl);
    const worker = /** @type {any} */ (thread);
    const [one, other] = await Promise.all([load({ worker }), load({ worker })]);
    await one.dispose();
    await assert.rejects(one.alibi.slopes(2), DisposedError);
    assert.equal((await other.alibi.slopes(2)).size, 2);
    await thread.terminate();
    await assert.rejects(other.alibi.slopes(2), CoreError);
  });

  test("a worker that ends rejects pending calls with CoreError", async () => {
    const thread = new Thread(threadUrl);
    const own = await load({ worker: /** @type {any} */ (thread) });
    const slow = own.sinusoidal.table(4096, 1024);
    const rejected = assert.rejects(slow, (error) => {
      assert.ok(error instanceof CoreError);
      assert.match(error.message, /^the worker stopped: .+; call load\(\) for a fresh one$/);
      return true;
    });
    await thread.terminate();
    await rejected;
  });

  test("a worker of the package that fails by itself gives the reason", async () => {
    const entryUrl = JSON.stringify(import.meta.resolve("phasor/worker"));
    const code = `
      import { serve } from ${entryUrl};
      const fail = () => { setImmediate(() => { throw new Error("out of order"); }); };
      serve(async () => ({ module: { fail, wait: () => new Promise(() => {}) } }));
    `;
    const own = /** @type {any} */ (
      await load({ worker: `data:text/javascript,${encodeURIComponent(code)}` })
    );
    // The worker may stop before it answers, or after: the calls that follow must say why in both cases.
    while (!(await own.module.fail().catch((/** @type {Error} */ error) => error)));
    await assert.rejects(own.module.fail(), (error) => {
      assert.ok(error instanceof CoreError);
      assert.match(error.message, /out of order/);
      return true;
    });
  });

  test("Node waits only for pending calls", () => {
    const { status, stdout } = spawnSync(
      process.execPath,
      [
        "--input-type=module",
        "--eval",
        `import { load } from "phasor/worker";
         const { sinusoidal } = await load();
         sinusoidal.table(2, 2).then(({ shape }) => console.log(shape.join()));`,
      ],
      { cwd: project, encoding: "utf8", timeout: 120_000 },
    );
    assert.equal(status, 0);
    assert.equal(stdout, "2,2\n");
  });
});

describe("worker: load", () => {
  /** @param {any} options */
  const loadWith = (options) => load(options);

  test("it accepts the core in every form of the default entry", async () => {
    const core = new URL(import.meta.resolve("phasor/core.wasm"));
    const bytes = await readFile(core);
    const headers = { "content-type": "application/wasm" };
    const sources = [
      ...[core, core.href, bytes, Uint8Array.from(bytes).buffer, await WebAssembly.compile(bytes)],
      new Response(bytes, { headers }),
      Promise.resolve(core.href),
    ];
    for (const wasm of sources) {
      const own = await load({ wasm });
      assert.equal((await own.alibi.slopes(1)).size, 1);
      await own.dispose();
    }
  });

  test("a core that fails to load is a typed error", async () => {
    const used = new Response("core");
    await used.text();
    await assert.rejects(load({ wasm: new Uint8Array(3) }), (error) => {
      assert.ok(error instanceof LoadError);
      assert.match(error.message, /^phasor could not compile its core/);
      assert.ok(error.cause instanceof WebAssembly.CompileError);
      return true;
    });
    for (const wasm of [new Response(null, { status: 404 }), used]) {
      await assert.rejects(load({ wasm }), (error) => error instanceof LoadError);
    }
    await assert.rejects(load({ wasm: new Response("", { status: 404 }) }), /could not read its core from a response: status 404/); // prettier-ignore
    await assert.rejects(loadWith({ wasm: 5 }), /^TypeError: \S+: wasm must be a URL, .+; got 5$/);
    await assert.rejects(
      loadWith({ wasm: () => 5 }),
      /^TypeError: load: arguments must be cloneable; got /,
    );
  });

  test("it accepts the address of the worker", async () => {
    for (const worker of [threadUrl, threadUrl.href]) {
      const own = await load({ worker });
      assert.equal((await own.alibi.slopes(1)).size, 1);
      await own.dispose();
    }
  });

  test("a worker that fails to load is a typed error", async () => {
    const missing = new URL("no-such-worker.js", threadUrl);
    await assert.rejects(load({ worker: missing }), (error) => {
      assert.ok(error instanceof LoadError);
      assert.match(error.message, /^phasor could not start its worker from file:.*no-such-worker/);
      return true;
    });
    await assert.rejects(load({ worker: "no address" }), LoadError);
    await assert.rejects(
      load({ worker: "data:text/javascript,throw new Error('not today')" }),
      /^LoadError: phasor could not start its worker from data:.*: not today/,
    );
    for (const worker of [5, null, {}, () => {}]) {
      await assert.rejects(
        loadWith({ worker }),
        /^TypeError: \S+: worker must be a URL or a Worker; got/,
      );
    }
  });

  test("it rejects unknown options and invalid names", async () => {
    await assert.rejects(
      loadWith({ url: "x" }),
      /^TypeError: load: options must have only .+; got "url"$/,
    );
    await assert.rejects(loadWith({ name: 5 }), /^TypeError: \S+: name must be a string; got 5$/);
  });

  test("on a host without workers, it throws an error that says so", () => {
    const { stdout } = spawnSync(
      process.execPath,
      [
        "--input-type=module",
        "--eval",
        `import { load } from "phasor/worker";
         process.getBuiltinModule = undefined;
         await load().catch(({ name, message }) => console.log(name + ": " + message));`,
      ],
      { cwd: project, encoding: "utf8" },
    );
    assert.match(stdout, /^LoadError: phasor could not start its worker: this host has no workers/);
  });

  test("the entry exports the classes that it throws, and the tensors that it returns", () => {
    assert.deepEqual(Object.keys(entry).sort(), [
      ...["CoreError", "DisposedError", "LoadError", "OutOfMemoryError", "Tensor"],
      ...["load", "serve", "transfer"],
    ]);
  });
});
