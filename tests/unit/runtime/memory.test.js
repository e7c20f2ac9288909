import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { shortNames } from "../../../scripts/package/bindings.js";
import { CoreError, DisposedError, entry, load, phasor, Tensor } from "../../phasor.js";
import { isNight } from "../../sample.js";
import { until } from "../../until.js";
import { watched } from "../watched.js";

const { embedding, sinusoidal } = phasor;

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc");

/** Calls of which each might keep some memory: the night finds a leak of a quarter of the bytes a call. */
const MANY = isNight ? 100_000 : 10_000;

/** Memory outside the JavaScript heap, in MiB: what WebAssembly and typed arrays take. */
function outside() {
  collect();
  const { external, arrayBuffers } = process.memoryUsage();
  return (external + arrayBuffers) / 2 ** 20;
}

describe("dispose", () => {
  test("dispose ends a table: using it afterwards throws DisposedError", () => {
    for (const storage of /** @type {const} */ (["resident", "on-demand"])) {
      const table = embedding.create(3, 2, { storage });
      table.dispose();
      for (const call of [
        () => table.lookup([0]),
        () => table.lookup([]),
        () => table.oneHot([0]),
        () => table.weights(),
      ]) {
        assert.throws(call, (error) => {
          assert.ok(error instanceof DisposedError && error instanceof TypeError);
          assert.equal(error.name, "DisposedError");
          assert.match(error.message, /^the embedding table has been disposed$/);
          return true;
        });
      }
      assert.equal(table.parameterCount, 6);
      assert.equal(table.byteLength, 24);
    }
  });

  test("a second dispose has no effect, also on a later table", () => {
    const first = embedding.from([[1, 2]]);
    first.dispose();
    const second = embedding.from([[3, 4]]);
    first.dispose();
    first.dispose();
    const third = embedding.from([[5, 6]]);
    assert.deepEqual(second.lookup(0).toArray(), [3, 4]);
    assert.deepEqual(third.lookup(0).toArray(), [5, 6]);
  });

  test("`using` calls dispose, where the host has Symbol.dispose", (t) => {
    if (!Symbol.dispose) return t.skip("no Symbol.dispose");
    const table = /** @type {any} */ (embedding.create(1, 2));
    table[Symbol.dispose]();
    assert.throws(() => table.lookup(0), DisposedError);
  });

  test("dispose works detached from its table", () => {
    const { dispose, lookup } = embedding.create(1, 2);
    dispose();
    assert.throws(() => lookup(0), DisposedError);
  });
});

describe("memory", () => {
  test("memory stays at a few MiB whatever the size of a result", async () => {
    const { bytes, sinusoidal, rope, embedding } = await watched();
    sinusoidal.table(20000, 256); // 20 MiB
    const table = rope.table(20000, 256);
    rope.apply({ data: new Float32Array(20000 * 256), shape: [20000, 256] }, table);
    const small = embedding.create(10, 256);
    small.lookup(new Int32Array(20000), { add: new Float32Array(256) });
    assert.ok(bytes() <= 4 * 2 ** 20, `${bytes() / 2 ** 20} MiB`);
  });

  test(`every call releases its memory: ${MANY / 5} of them take no more than one`, async () => {
    const { bytes, sinusoidal, rope, embedding, ...modules } = await watched();
    const {
      alibi,
      attention,
      axialRope,
      embeddingBag,
      dropout,
      dtypes,
      fourierFeatures,
      sincosGrid,
    } = modules;
    const {
      learnedPositions,
      mrope,
      nearest,
      normalize,
      pca,
      inputEmbeddings,
      rounding,
      similarity,
      skipgram,
    } = modules;
    const { deberta, fire, statistics, t5Bias, windowBias, xpos } = modules;
    const table = rope.table(64, 64);
    const x = { data: new Float32Array(64 * 64), shape: [64, 64] };
    const resident = embedding.create(64, 64);
    const drawn = embedding.create(64, 64, { storage: "on-demand" });
    const trained = embedding.create(64, 64);
    const packed = embedding.zeros(64, 64, { dtype: "int8" });
    const words = embeddingBag.create(resident, { mode: "max" });
    const model = skipgram.create(64, 64);
    const ids = Int32Array.from({ length: 64 }, (_, t) => t);
    const ones = new Float32Array(64).fill(1);
    const calls = [
      () => sinusoidal.table(64, 64),
      () => sinusoidal.shift(1, 64),
      () => rope.frequencies(64),
      () => rope.table(64, 64),
      () => rope.apply(x, table),
      () => resident.lookup(ids, { add: x }),
      () => resident.oneHot(ids),
      () => resident.weights(),
      () => drawn.lookup(ids),
      () => embedding.create(4, 4, { generator: "torch", after: [[4, 4]] }).dispose(),
      () => trained.step(trained.gradient(ids, x), { optimizer: "adam" }),
      () => trained.logits(x),
      () => embedding.quantize(x, { dtype: "int8" }).dispose(),
      () => packed.write(0, dtypes.encode(x, "float16")),
      () => packed.lookup(ids),
      () => words.pool(ids, { offsets: [0, 8] }),
      () => words.gradient(ids, [ones, ones], { offsets: [0, 8], sparse: true }),
      () => normalize.layerNorm(x),
      () => dropout.apply(x),
      () => dtypes.decode(dtypes.encode(x, "float16")),
      () =>
        inputEmbeddings(
          { positions: { scheme: "learnedPositions" } },
          { words: x, positions: x },
          ids,
          { training: true, intermediates: true },
        ),
      () => learnedPositions.interpolateGrid(x, [4, 4], { prefix: 0 }),
      () => rope.table(64, 64, { scaling: { type: "yarn", factor: 4, originalLength: 64 } }),
      () => xpos.table(64, 64),
      () => mrope.table([ids, ids, ids], 128, mrope.presets.qwen2_vl),
      () => axialRope.table([8, 8], 64, axialRope.presets.dinov3_vit),
      () => sincosGrid.table([8, 8], 64, sincosGrid.presets.vit_mae),
      () => fourierFeatures.timesteps([1, 2], 64),
      () => rounding.report(64, 64),
      () => alibi.bias(8, 64),
      () => t5Bias.bias(new Tensor(new Float32Array(64), [32, 2]), 64),
      () => fire.bias(fire.weights(4), 16),
      () => deberta.index(64),
      () => windowBias.bias(new Tensor(new Float32Array(169), [169, 1]), [7, 7]),
      () => attention.scaledDotProduct({ q: x, k: x, v: x }, { causal: true, rope: table }),
      () => similarity.matrix(x),
      () => nearest(x, ones),
      () => nearest.index(x).dispose(),
      () => nearest(packed, ones, { k: 3 }),
      () => nearest.candidates(packed, ones, { k: 3 }),
      () => pca(x),
      () => statistics.singularValues(x),
      () => statistics.effectiveRank(x),
      () => skipgram.create(64, 64).dispose(),
      () => model.train(ids, { steps: 8 }),
      () => model.loss([ids.subarray(0, 4), ids.subarray(4, 8)]),
      () => model.pairs(ids),
      () => model.vectors(),
    ];
    for (const call of calls) call();
    const before = bytes();
    for (let k = 0; k < MANY / 5; ++k) calls[k % calls.length]();
    assert.equal(bytes(), before);
  });

  test(`dispose releases memory: ${MANY} tables take the memory of one`, async () => {
    const { bytes, embedding } = await watched();
    const turn = (/** @type {number} */ k) => {
      const table = embedding.create(100, 64, {
        storage: k % 2 ? "resident" : "on-demand",
        init: "uniform",
      });
      if (k % 1000 === 0) table.lookup([1]);
      table.dispose();
    };
    turn(1);
    const before = [bytes(), outside()];
    for (let k = 0; k < MANY / 2; ++k) turn(k);
    const weights = { data: new Float32Array(4), shape: [2, 2] };
    for (let k = 0; k < MANY / 2; ++k) embedding.from(weights).dispose();
    assert.equal(bytes(), before[0]);
    assert.ok(outside() - before[1] <= 32, `${outside() - before[1]} MiB more outside the heap`);
    assert.equal(embedding.create(100000, 100, { init: "uniform" }).weights().size, 1e7); // 40 MB
  });

  test(`${MANY} calls that throw leak no memory`, async () => {
    const { bytes, embedding, rope, sinusoidal } = await watched();
    const table = embedding.create(4, 4);
    const wrong = /** @type {any} */ ("wrong");
    const frequencies = rope.table(1, 4);
    const calls = [
      () => sinusoidal.table(100, 64, { layout: wrong }),
      () => sinusoidal.table([NaN], 64),
      () => sinusoidal.table(100, 64, { out: new Float32Array(1) }),
      () => rope.apply([[1, 2, 3, wrong]], frequencies),
      () => rope.table(100, 63),
      () => embedding.from([1]),
      () => embedding.create(100, 64, { seed: -1 }),
      () => embedding.create(2 ** 31 - 1, 100000),
      () => table.lookup([0, 1, 4]),
      () => table.lookup([0, 1, 2], { add: [[1]] }),
    ];
    for (const call of calls) assert.throws(call);
    const before = [bytes(), outside()];
    for (let k = 0; k < MANY; ++k) {
      try {
        calls[k % calls.length]();
      } catch {
        continue;
      }
      assert.fail(`call ${k % calls.length} went through`);
    }
    assert.equal(bytes(), before[0]);
    assert.ok(outside() - before[1] <= 32);
    assert.deepEqual(table.lookup([3]).shape, [1, 4]);
  });

  test("the memory of a large disposed table is reused by the next one", async () => {
    const { bytes, embedding } = await watched();
    const weights = { data: new Float32Array(4e6), shape: [4000, 1000] };
    for (let k = 0; k < 20; ++k) embedding.from(weights).dispose(); // 16 MB each
    assert.ok(bytes() <= 40 * 2 ** 20, `${bytes() / 2 ** 20} MiB`);
  });

  test("garbage collection releases the memory of tables", async (t) => {
    if (typeof FinalizationRegistry !== "function") return t.skip("no FinalizationRegistry");
    const { bytes, embedding } = await watched();
    const weights = { data: new Float32Array(1e6), shape: [1000, 1000] };
    for (let k = 0; k < 60; ++k) {
      embedding.from(weights); // 4 MB each, 240 MB in all
      if (k % 5 > 0) continue;
      collect();
      await setTimeout(1); // finalizers run between tasks
    }
    assert.ok(bytes() <= 100 * 2 ** 20, `${bytes() / 2 ** 20} MiB`);
  });

  test("a method detached from a table keeps the table's memory alive", async (t) => {
    if (typeof FinalizationRegistry !== "function") return t.skip("no FinalizationRegistry");
    const { embedding } = await watched();
    const { lookup } = embedding.from({ data: new Float32Array(1e6).fill(3), shape: [1000, 1000] });
    for (let k = 0; k < 5; ++k) {
      collect();
      await setTimeout(1);
      embedding.from({ data: new Float32Array(1e6).fill(4), shape: [1000, 1000] }).dispose();
    }
    assert.equal(lookup([999]).at(0, 999), 3);
  });

  test("memory ends at 4 GiB: OutOfMemoryError, and existing tables still work", async () => {
    const { embedding, sinusoidal } = await load({ shared: false });
    const weights = new Float32Array(1e7).fill(3); // 40 MB: the core's memory has grown
    const table = embedding.from({ data: weights, shape: [1e5, 100] });
    for (const [V, D] of [
      [2 ** 31 - 1, 100000],
      [2 ** 30, 1], // 4 GiB
      [2 ** 15, 2 ** 15 - 1], // 128 KiB below
      [2 ** 15, 2 ** 15 - 9], // 1.1 MiB below
      [2 ** 15, 2 ** 15 - 250], // 31 MiB below
    ]) {
      const call = () => embedding.create(V, D, { init: "uniform" });
      assert.throws(call, { name: "OutOfMemoryError" }, `${V} x ${D}`);
      assert.deepEqual(table.lookup([99999]).row(0).at(99), 3);
      assert.deepEqual(sinusoidal.table(1, 2).toArray(), [[0, 1]]);
    }
  });

  /**
   * A core of which some functions trap from `fail` on. There is no way to make a core fail from outside: this one is
   * damaged on purpose.
   * @param {...string} names
   */
  async function damaged(...names) {
    const { instantiate } = WebAssembly;
    let hurt = false;
    WebAssembly.instantiate = /** @type {any} */ (
      async (/** @type {any[]} */ ...args) => {
        const started = await /** @type {any} */ (instantiate)(...args);
        const exports = { ...(started.instance ?? started).exports };
        for (const name of names) {
          const value = exports[name];
          exports[name] = (/** @type {any[]} */ ...rest) => {
            if (hurt) throw new WebAssembly.RuntimeError("unreachable");
            return value(...rest);
          };
        }
        return { exports };
      }
    );
    const wasm = await WebAssembly.compile(
      await readFile(new URL("core.wasm", import.meta.resolve(entry))),
    );
    const broken = await load({ wasm }).finally(() => (WebAssembly.instantiate = instantiate));
    return { broken, wasm, fail: (/** @type {boolean} */ now) => void (hurt = now) };
  }

  test("an index is not made by a core that fails meanwhile", async () => {
    const { broken, fail } = await damaged(shortNames().nearest_squares);
    fail(true);
    assert.throws(() => broken.nearest.index([[1, 2]]), CoreError);
  });

  test("a core that failed throws from then on, and others work", async () => {
    const { phase_frequencies, sinusoidal_table } = shortNames();
    const { broken, wasm, fail } = await damaged("malloc", phase_frequencies, sinusoidal_table);
    assert.equal(await load({ wasm }), broken);
    const table = broken.embedding.from([[1, 2]]);
    fail(true);
    assert.throws(() => broken.sinusoidal.table(2, 4), CoreError);
    fail(false);
    for (const call of [() => broken.sinusoidal.table(2, 4), () => table.lookup([0])]) {
      assert.throws(call, (error) => {
        assert.ok(error instanceof CoreError);
        assert.match(error.message, /call load\(\) for a fresh one/);
        return true;
      });
    }
    table.dispose();
    assert.deepEqual(sinusoidal.table(1, 2).toArray(), [[0, 1]]);
    const fresh = await load({ wasm });
    assert.notEqual(fresh, broken);
    assert.deepEqual(fresh.sinusoidal.table(1, 2).toArray(), [[0, 1]]);
    assert.equal(await load({ wasm }), fresh);
  });
});

describe("memory cached between calls", () => {
  const { rope, embedding } = phasor;

  test("small calls take no more memory, however many there are", async () => {
    const { bytes, rope, normalize, sinusoidal } = await watched();
    const x = { data: new Float32Array(8 * 128).fill(1), shape: [1, 8, 1, 128] };
    const step = () => {
      rope.apply(x, rope.table([7], 128));
      normalize.layerNorm(x);
      sinusoidal.table(16, 64);
    };
    step();
    const before = bytes();
    for (let i = 0; i < 2000; ++i) step();
    assert.equal(bytes(), before);
  });

  test("a large result is not cached for the next call", async () => {
    const large = [
      () => phasor.alibi.bias(8, 512),
      () => sinusoidal.table(2 ** 14, 256),
      () => rope.table(2 ** 14, 256),
    ];
    const arrays = () => (collect(), process.memoryUsage().arrayBuffers / 2 ** 20);
    const before = arrays();
    for (const call of large) call();
    await until(() => arrays() - before <= 1, "no result is kept", 5000); // each has 4 MiB or more
  });

  test("cached frequencies match their options, whatever calls came between", async () => {
    const calls = [
      (/** @type {any} */ p) => p.rope.table([3, 0.5], 8).cos,
      (/** @type {any} */ p) => p.rope.table([3, 0.5], 8, { base: 500 }).cos,
      (/** @type {any} */ p) => p.rope.table([3, 0.5], 8, { precision: "torch" }).cos,
      (/** @type {any} */ p) => p.rope.table(40, 8).cos,
      (/** @type {any} */ p) => p.sinusoidal.table(40, 8),
      (/** @type {any} */ p) => p.rope.frequencies(8).frequencies,
      (/** @type {any} */ p) => p.rope.table(3, 2 ** 16).cos,
      (/** @type {any} */ p) => p.rope.table([1], 8, { frequencies: [1, 2, 3, 4] }).cos,
    ];
    const alone = await Promise.all(
      calls.map(async (call) => call(await load({ shared: false })).data),
    );
    for (const [i, first] of calls.entries()) {
      for (const [j, then] of calls.entries()) {
        first(phasor);
        assert.deepEqual(then(phasor).data, alone[j], `${j} after ${i}`);
      }
    }
  });

  test("a nested call has its own memory", () => {
    const outer = embedding.from([[1, 2], [3, 4]]); // prettier-ignore
    const table = {
      vocabulary: 2,
      dim: 2,
      lookup(/** @type {Int32Array} */ ids) {
        rope.table(100, 64); // both use the core
        return outer.lookup(ids);
      },
    };
    const { ids } = phasor.nearest(table, [[3, 4]], { k: 1 });
    assert.deepEqual(ids.toArray(), [[1]]);
  });
});
