import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { cases } from "../../truth/golden.js";
import { phasor, Tensor } from "../../phasor.js";
import { ulps } from "../reference/exact.js";
import * as philox from "../reference/philox.js";
import { floats, noise, numbers } from "../reference/samples.js";

const { embedding } = phasor;
const { fround } = Math;

/** A table of V x D weights that are known. @param {number} V @param {number} D */
function known(V, D) {
  const weights = noise(V * D, 20);
  return { weights, table: embedding.from({ data: weights, shape: [V, D] }) };
}

describe("embedding against PyTorch", () => {
  for (const { id, inputs, outputs } of cases("embedding", 3)) {
    test(`lookup equals ${id}, bit for bit`, () => {
      const table = embedding.from(inputs.weight);
      const got = table.lookup(inputs.ids);
      assert.deepEqual(got.shape, outputs.out.shape);
      assert.deepEqual(got.data, outputs.out.data);
      assert.deepEqual(table.oneHot(inputs.ids).data, outputs.out.data);
    });
  }

  for (const { id, params, inputs, outputs } of cases("embedding_scaled", 2)) {
    test(`lookup with scale equals ${id}, bit for bit`, () => {
      const [, D] = inputs.weight.shape;
      const table = embedding.from(inputs.weight);
      assert.equal(params.scale, Math.sqrt(D));
      for (const scale of /** @type {const} */ (["sqrt", params.scale])) {
        const got = table.lookup(inputs.ids, { scale });
        assert.deepEqual(got.shape, outputs.out.shape);
        assert.deepEqual(got.data, outputs.out.data);
      }
    });
  }

  for (const { id, params, inputs, outputs } of cases("onehot_matmul", 1)) {
    test(`oneHot equals the rows and the product of ${id}`, () => {
      const table = embedding.from(inputs.weight);
      const rows = embedding.oneHot(inputs.ids, params.num_embeddings);
      assert.deepEqual(rows.shape, outputs.onehot.shape);
      assert.deepEqual(numbers(rows), numbers(outputs.onehot));
      const product = table.oneHot(inputs.ids);
      assert.deepEqual(product.shape, outputs.out.shape);
      assert.deepEqual(product.data, outputs.out.data);
      assert.deepEqual(product, table.lookup(inputs.ids));
    });
  }

  const INITS = /** @type {const} */ ({
    normal: {},
    "normal_0.02": { std: 0.02 },
    uniform_0_1: { init: "uniform" },
    xavier_uniform: { init: "xavier-uniform" },
    xavier_normal: { init: "xavier-normal" },
  });

  for (const { id, params, outputs } of cases("torch_init", 11)) {
    test(`embedding.create with generator torch has the weights of ${id}`, () => {
      const { seed, vocab: V, dim: D, first } = params;
      const init = INITS[/** @type {keyof typeof INITS} */ (params.init)];
      const after = first ? [first] : [];
      const table = embedding.create(V, D, { generator: "torch", seed, after, ...init });
      const weights = table.weights();
      assert.deepEqual(weights.shape, outputs.weight.shape);
      weights.data.forEach((weight, k) => {
        // PyTorch's own float32 logarithm and cosine vary with the CPU.
        assert.ok(Math.abs(Number(weight) - Number(outputs.weight.data[k])) <= 1e-6);
      });
      table.dispose();
    });
  }

  test("embedding.create with generator torch uses the low 32 bits of 64-bit seeds", () => {
    const of = (/** @type {number | bigint} */ seed) =>
      embedding.create(5, 5, { generator: "torch", seed }).weights();
    assert.deepEqual(of(7n + (5n << 32n)), of(7)); // as PyTorch's CPU generator does
    assert.notDeepEqual(of(7), of(8));
  });
});

describe("embedding.create, the random weights", () => {
  const SEEDS = [0, 1, 42, 2 ** 32, Number.MAX_SAFE_INTEGER, 2n ** 53n, 2n ** 64n - 1n];

  test("embedding.create draws Philox4x32-10 in order of rows", () => {
    // The known answers of Random123 for counter 0, key 0.
    const words = [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8];
    const table = embedding.create(1, 4, { init: "uniform", seed: 0 });
    assert.deepEqual(
      numbers(table.weights()),
      words.map((word) => fround(word / 2 ** 32)),
    );
    for (const seed of SEEDS) {
      const { data } = embedding.create(7, 11, { init: "uniform", seed }).weights();
      data.forEach((weight, k) => {
        assert.equal(weight, fround(philox.uniform(BigInt(k), BigInt(seed))));
      });
    }
  });

  test("embedding.create draws its normal weights by Box and Muller's formula", () => {
    for (const seed of SEEDS) {
      const { data } = embedding.create(7, 11, { seed }).weights();
      data.forEach((weight, k) => {
        // 0.51 ULP, and Math.sin and Math.log in double on the other side
        assert.ok(ulps(Number(weight), philox.normal(BigInt(k), BigInt(seed))) <= 0.511);
      });
    }
  });

  test("embedding.create draws different weights for every seed and the same for the same", () => {
    const drawn = SEEDS.map((seed) => embedding.create(3, 5, { seed }).weights().data.join());
    assert.equal(new Set(drawn).size, SEEDS.length);
    const again = SEEDS.map((seed) => embedding.create(3, 5, { seed }).weights().data.join());
    assert.deepEqual(again, drawn);
    assert.deepEqual(
      embedding.create(3, 5, { seed: 42n }).weights(),
      embedding.create(3, 5, { seed: 42 }).weights(),
    );
    assert.deepEqual(
      embedding.create(3, 5).weights(),
      embedding.create(3, 5, { seed: 0 }).weights(),
    );
  });

  const V = 1000;
  const D = 100;
  const N = V * D;

  /** @param {Tensor["data"]} data */
  function moments(data) {
    const values = Array.from(data, Number);
    const mean = values.reduce((sum, x) => sum + x, 0) / N;
    const central = (/** @type {number} */ power) =>
      values.reduce((sum, x) => sum + (x - mean) ** power, 0) / N;
    const std = Math.sqrt(central(2));
    return { mean, std, skewness: central(3) / std ** 3, kurtosis: central(4) / std ** 4 };
  }

  // The seeds are fixed, so nothing here fails by chance; five sigma is what a right generator
  // passes for nearly every seed (1 in 1.7 million does not).
  for (const seed of [0, 1, 2n ** 63n]) {
    for (const std of [1, 0.02]) {
      test(`embedding.create draws N(0, ${std}) with seed ${seed}`, () => {
        const { data } = embedding.create(V, D, { std, seed }).weights();
        const found = moments(data);
        assert.ok(Math.abs(found.mean) <= (5 * std) / Math.sqrt(N));
        assert.ok(Math.abs(found.std - std) <= (5 * std) / Math.sqrt(2 * N));
        assert.ok(Math.abs(found.skewness) <= 5 * Math.sqrt(6 / N));
        assert.ok(Math.abs(found.kurtosis - 3) <= 5 * Math.sqrt(24 / N));
        for (const [sigmas, share] of [
          [1, 0.317310508],
          [2, 0.0455002639],
          [3, 0.00269979606],
        ]) {
          const beyond = data.filter((x) => Math.abs(Number(x)) > sigmas * std).length;
          assert.ok(Math.abs(beyond - N * share) <= 5 * Math.sqrt(N * share * (1 - share)));
        }
        for (const lag of [1, 2, 4, D]) {
          let product = 0;
          for (let k = lag; k < N; ++k) product += Number(data[k]) * Number(data[k - lag]);
          assert.ok(Math.abs(product) <= 5 * std * std * Math.sqrt(N), `lag ${lag}`);
        }
      });
    }

    test(`embedding.create draws uniform weights from low to below high with seed ${seed}`, () => {
      const [low, high] = [-3, 5];
      const { data } = embedding.create(V, D, { init: "uniform", low, high, seed }).weights();
      const { mean, std } = moments(data);
      assert.ok(data.every((x) => x >= low && x < high));
      assert.ok(Math.abs(mean - 1) <= (5 * 8) / Math.sqrt(12 * N));
      assert.ok(Math.abs(std - 8 / Math.sqrt(12)) <= 0.02); // 5 sigma of an estimated deviation
      const bins = new Array(16).fill(0);
      data.forEach((x) => ++bins[Math.floor((Number(x) - low) * 2)]);
      const chi = bins.reduce((sum, n) => sum + (n - N / 16) ** 2 / (N / 16), 0);
      assert.ok(chi < 15 + 5 * Math.sqrt(30), `chi squared ${chi}`);
    });
  }

  test("embedding.create rejects options of another distribution or generator", () => {
    const idle = /** @type {[any, string][]} */ ([
      [{ low: -0.1 }, 'low must be left out for "normal"; got -0.1'],
      [{ init: "uniform", std: 9 }, 'std must be left out for "uniform"; got 9'],
      [{ init: "xavier-normal", mean: 1 }, 'mean must be left out for "xavier-normal"; got 1'],
      [{ gain: 2 }, 'gain must be left out for "normal"; got 2'],
      [{ after: [[100, 64]] }, 'after must come with "torch"; got "philox"'],
    ]);
    for (const [options, why] of idle) {
      const error = { name: "RangeError", message: `embedding.create: ${why}` };
      assert.throws(() => embedding.create(4, 2, options), error);
    }
  });

  test("embedding.create rejects a gain whose range is 0 in double precision", () => {
    for (const init of /** @type {const} */ (["xavier-uniform", "xavier-normal"])) {
      assert.throws(
        () => embedding.create(V, D, { init, gain: 1e-323 }),
        /^RangeError: \S+: gain must give a range above 0; got 1e-323$/,
      );
    }
  });

  test("embedding.create draws Glorot's weights: gain sqrt(2/(V+D)), or within gain sqrt(6/(V+D))", () => {
    for (const gain of [1, 5 / 3]) {
      const normal = embedding.create(V, D, { init: "xavier-normal", gain }).weights();
      const std = gain * Math.sqrt(2 / (V + D));
      assert.ok(Math.abs(moments(normal.data).std - std) <= (5 * std) / Math.sqrt(2 * N));
      const uniform = embedding.create(V, D, { init: "xavier-uniform", gain }).weights();
      const bound = gain * Math.sqrt(6 / (V + D));
      const largest = Math.max(...floats(uniform).map(Math.abs));
      assert.ok(largest <= bound && largest > bound * (1 - 20 / N)); // e^-20 to be below by chance
      assert.ok(Math.abs(moments(uniform.data).std - std) <= (5 * std) / Math.sqrt(2 * N));
    }
  });

  test("embedding.create shifts and scales: mean + std z", () => {
    const z = embedding.create(9, 9, { seed: 3 }).weights().data;
    const moved = embedding.create(9, 9, { seed: 3, mean: 10, std: 0.5 }).weights().data;
    // z was rounded, half an ULP of up to 6.77, and so is the sum
    moved.forEach((x, k) => assert.ok(Math.abs(Number(x) - (10 + 0.5 * Number(z[k]))) <= 1e-6));
    const constant = embedding.create(9, 9, { mean: 0.25, std: 0 }).weights().data;
    assert.ok(constant.every((x) => x === 0.25));
  });

  test("embedding.create on demand draws the same rows as a resident table", () => {
    for (const init of /** @type {const} */ ([
      "normal",
      "uniform",
      "xavier-uniform",
      "xavier-normal",
    ])) {
      for (const [V, D] of [
        [1, 1],
        [50, 7],
        [300, 64],
        [3, 70000],
      ]) {
        const own = { normal: { std: 0.02 }, uniform: { low: -2 } }[/** @type {"normal"} */ (init)];
        const options = { init, seed: 2n ** 64n - 1n, ...own };
        const resident = embedding.create(V, D, options);
        const drawn = embedding.create(V, D, { ...options, storage: "on-demand" });
        assert.deepEqual(drawn.weights(), resident.weights());
        const ids = Int32Array.from({ length: 2 * V }, (_, t) => (t * 7 + 3) % V);
        const places = noise(2 * V * D);
        const more = { scale: 3, add: { data: places, shape: [2 * V, D] } };
        assert.deepEqual(drawn.lookup(ids, more), resident.lookup(ids, more));
        resident.dispose();
        drawn.dispose();
      }
    }
  });

  test("embedding.create on demand counts its weights beyond 2^32", () => {
    const V = 2 ** 31 - 1;
    const D = 5;
    const seed = 77n;
    const table = embedding.create(V, D, { storage: "on-demand", init: "uniform", seed });
    const ids = [0, 858993459, 858993460, 2 ** 30, V - 1];
    const got = table.lookup(ids);
    for (const [t, id] of ids.entries()) {
      for (let d = 0; d < D; ++d) {
        const place = BigInt(id) * BigInt(D) + BigInt(d);
        assert.equal(got.at(t, d), fround(philox.uniform(place, seed)));
      }
    }
  });
});

describe("embedding.create, the table", () => {
  test("embedding.create accepts weights in every form of a tensor, and copies them", () => {
    const flat = [1, 2, 3, 4, 5, 6];
    const nested = [
      [1, 2],
      [3, 4],
      [5, 6],
    ];
    const typed = Float32Array.from(flat);
    for (const weights of [
      nested,
      { data: flat, shape: [3, 2] },
      { data: typed, dims: [3, 2] },
      new Tensor(typed, [3, 2]),
      { data: Float64Array.from(flat), shape: [3, 2] },
      { data: Int8Array.from(flat), shape: Uint8Array.of(3, 2) },
      nested.map((row) => Float32Array.from(row)),
    ]) {
      assert.deepEqual(embedding.from(weights).weights().toArray(), nested);
    }
    const table = embedding.from({ data: typed, shape: [3, 2] });
    typed.fill(0);
    assert.deepEqual(table.weights().toArray(), nested);
    const copy = table.weights();
    floats(copy).fill(0);
    assert.deepEqual(table.weights().toArray(), nested);
  });

  test("embedding.create counts its parameters and bytes: GPT-2 has 147.24 MiB in float32", () => {
    const table = embedding.create(50257, 768, { storage: "on-demand", std: 0.02 });
    assert.equal(table.vocabulary, 50257);
    assert.equal(table.dim, 768);
    assert.equal(table.parameterCount, 38597376);
    const mebibytes = (/** @type {Parameters<typeof table.byteLengthAs>[0]} */ dtype) =>
      (table.byteLengthAs(dtype) / 2 ** 20).toFixed(2);
    assert.equal(mebibytes("float32"), "147.24");
    assert.equal(mebibytes("float16"), "73.62");
    assert.equal(mebibytes("bfloat16"), "73.62");
    assert.equal(mebibytes("int8"), "36.81");
    assert.equal(mebibytes("float64"), "294.47");
    assert.equal(table.byteLength, 4 * 38597376);
  });

  test("embedding.create returns a frozen table with its own arrays", () => {
    const { table } = known(3, 2);
    assert.ok(Object.isFrozen(table));
    const [one, other] = [1, 2].map((x) => embedding.from([[x]]));
    assert.equal(one.lookup(0).at(0), 1);
    assert.equal(other.lookup(0).at(0), 2);
    one.dispose();
    assert.equal(other.lookup(0).at(0), 2);
  });
});

describe("lookup", () => {
  const V = 40;
  const D = 9;

  test("lookup returns a row for each id, whatever the shape of the ids", () => {
    const { weights, table } = known(V, D);
    const flat = [0, 39, 5, 5, 17, 0, 1, 38];
    const rows = flat.map((id) => weights.slice(id * D, (id + 1) * D));
    const want = Float32Array.from(rows.flatMap((row) => [...row]));
    for (const [ids, shape] of /** @type {[any, number[]][]} */ ([
      [flat, [8]],
      [flat.map(BigInt), [8]],
      [Int32Array.from(flat), [8]],
      [Uint32Array.from(flat), [8]],
      [Uint8Array.from(flat), [8]],
      [Int16Array.from(flat), [8]],
      [Float32Array.from(flat), [8]],
      [Float64Array.from(flat), [8]],
      [BigInt64Array.from(flat.map(BigInt)), [8]],
      [BigUint64Array.from(flat.map(BigInt)), [8]],
      [
        [flat.slice(0, 4), flat.slice(4)],
        [2, 4],
      ],
      [
        [flat.slice(0, 4), Int32Array.from(flat.slice(4))],
        [2, 4],
      ],
      [{ data: flat, shape: [2, 2, 2] }, [2, 2, 2]],
      [{ data: Int32Array.from(flat), dims: [8, 1] }, [8, 1]],
      [{ data: BigInt64Array.from(flat.map(BigInt)), dims: Int32Array.of(4, 2) }, [4, 2]],
      [new Tensor(Int32Array.from(flat), [4, 2]), [4, 2]],
    ])) {
      const got = table.lookup(ids);
      assert.deepEqual(got.shape, [...shape, D]);
      assert.equal(got.dtype, "float32");
      assert.deepEqual(got.data, want);
      assert.deepEqual(table.oneHot(ids), got);
    }
    for (const id of /** @type {any[]} */ ([5, 5n, { data: [5], shape: [] }])) {
      assert.deepEqual(table.lookup(id).shape, [D]);
      assert.deepEqual(table.lookup(id).data, rows[2]);
    }
    assert.deepEqual(table.lookup([]).shape, [0, D]);
    assert.deepEqual(table.lookup({ data: [], shape: [3, 0] }).shape, [3, 0, D]);
  });

  test("lookup scales by a float32 number, sqrt meaning sqrt(D), before it adds", () => {
    const { weights, table } = known(V, D);
    const ids = [3, 1, 39, 3];
    const places = noise(4 * D, 21);
    for (const scale of /** @type {("sqrt" | number)[]} */ (["sqrt", 3, 1, 0, -1, 0.1, 1e-30])) {
      const factor = fround(scale === "sqrt" ? Math.sqrt(D) : scale);
      const want = places.map((place, k) => {
        return fround(fround(weights[ids[Math.floor(k / D)] * D + (k % D)] * factor) + place);
      });
      const add = { data: places, shape: [4, D] };
      assert.deepEqual(table.lookup(ids, { scale, add }).data, want);
      const alone = table.lookup(ids, { scale });
      alone.data.forEach((x, k) => {
        const product = fround(weights[ids[Math.floor(k / D)] * D + (k % D)] * factor);
        assert.ok(x === product); // of the sign of a zero nothing is said
      });
    }
    assert.deepEqual(table.lookup(ids, { scale: "sqrt" }), table.lookup(ids, { scale: 3 }));
  });

  test("lookup broadcasts what it adds over the batch axes", () => {
    const { table } = known(V, D);
    const [B, H, T] = [3, 2, 4];
    const data = Int32Array.from({ length: B * H * T }, (_, t) => (t * 11) % V);
    const ids = { data, shape: [B, H, T] };
    const bare = table.lookup(ids);
    for (const shape of [[B, H, T, D], [H, T, D], [T, D], [D]]) {
      const size = shape.reduce((a, b) => a * b, 1);
      const places = noise(size, 22);
      const got = table.lookup(ids, { add: { data: places, shape } });
      assert.deepEqual(got.shape, [B, H, T, D]);
      got.data.forEach((x, k) => {
        assert.equal(x, fround(Number(bare.data[k]) + places[k % size]));
      });
    }
    const waves = phasor.sinusoidal.table(T, D);
    assert.deepEqual(
      table.lookup(ids, { scale: "sqrt", add: waves }),
      table.lookup(ids, { scale: "sqrt", add: waves.toArray() }),
    );
    const one = table.lookup(7, { add: noise(D, 23) });
    for (const shape of [[], [1], [2, D + 1]]) {
      const data = noise(shape.reduce((product, size) => product * size, 1));
      const add = { data, shape };
      assert.throws(() => table.lookup([0, 1], { add }), /^RangeError: \S+ add must have the last axes of \[2, /); // prettier-ignore
    }
    assert.deepEqual(one.shape, [D]);
  });

  test("lookup returns the same where out overlaps add, or throws", () => {
    const { table } = known(V, D);
    const T = 20000; // several tiles
    const ids = Int32Array.from({ length: T }, (_, t) => (t * 7) % V);
    for (const shift of [-D, -1, 0, 1, D]) {
      const buffer = noise((T + 2) * D, 26);
      const add = { data: buffer.subarray(D, D + T * D), shape: [T, D] };
      const want = table.lookup(ids, { add });
      let got;
      try {
        got = table.lookup(ids, { add, out: buffer.subarray(D + shift, D + shift + T * D) });
      } catch (cause) {
        assert.match(String(cause), /^RangeError: \S+: out must .+; got /);
        continue;
      }
      assert.ok(
        floats(got).every((x, k) => x === want.data[k]),
        `shifted by ${shift}`,
      );
    }
  });

  test("lookup does not change its ids and its table", () => {
    const { weights, table } = known(V, D);
    const ids = Int32Array.of(3, 1, 2);
    const add = noise(D);
    floats(table.lookup(ids, { scale: 2, add })).fill(0);
    assert.deepEqual(ids, Int32Array.of(3, 1, 2));
    assert.deepEqual(add, noise(D));
    assert.deepEqual(table.weights().data, weights);
  });

  // Few rows and wide ones are copied without the kernel, eight at a time; the longest each alone.
  test("lookup copies the bits of rows of every width, few or many", () => {
    for (const D of [1, 127, 511, 512, 640, 4095, 4096, 4100]) {
      const bits = Uint32Array.from({ length: 5 * D }, (_, i) => Math.imul(i + 1, 0x9e3779b1));
      const table = embedding.from({ data: new Float32Array(bits.buffer), shape: [5, D] });
      for (const T of [1, 7, 32, 33, 40, 47]) {
        const ids = Array.from({ length: T }, (_, t) => (3 * t) % 5);
        const got = new Uint32Array(table.lookup(ids).data.buffer);
        assert.equal(got.length, T * D);
        assert.ok(got.every((word, at) => word === bits[ids[Math.floor(at / D)] * D + (at % D)]), `${T} of ${D}`); // prettier-ignore
      }
      table.dispose();
    }
  });

  test("lookup copies NaN and infinities, and writes a computed NaN as 0x7fc00000", () => {
    const weights = Float32Array.of(Infinity, -Infinity, NaN, 1);
    const table = embedding.from([weights]);
    assert.deepEqual(table.lookup([0]).data, weights);
    for (const options of [
      { scale: 0 },
      { add: [[-Infinity, Infinity, 0, 0]] },
      { scale: 2, add: [[-Infinity, Infinity, NaN, 0]] },
    ]) {
      const { data } = table.lookup([0], options);
      assert.deepEqual(Array.from(data, Number.isNaN), [true, true, true, false]);
      const bits = Array.from(new Uint32Array(data.buffer, 0, 3), (word) => word.toString(16));
      assert.deepEqual(bits, ["7fc00000", "7fc00000", "7fc00000"]);
    }
  });
});

describe("oneHot", () => {
  test("embedding.oneHot is 1 at the id and 0 elsewhere, and overwrites out", () => {
    assert.deepEqual(embedding.oneHot([[1], [0]], 3).toArray(), [[[0, 1, 0]], [[1, 0, 0]]]);
    assert.deepEqual(embedding.oneHot(2, 3).toArray(), [0, 0, 1]);
    assert.deepEqual(embedding.oneHot([], 3).shape, [0, 3]);
    const out = new Float32Array(6).fill(7);
    assert.equal(embedding.oneHot(BigInt64Array.of(0n, 2n), 3, { out }).data, out);
    assert.deepEqual(out, Float32Array.of(1, 0, 0, 0, 0, 1));
  });

  test("oneHot equals lookup for every id of a table, over several tiles", () => {
    for (const [V, D] of [
      [1, 1],
      [17, 5],
      [300, 130],
      [2, 70000],
    ]) {
      const { table } = known(V, D);
      const ids = Int32Array.from({ length: 2 * V }, (_, t) => (t * 7 + 1) % V);
      const [product, rows] = [table.oneHot(ids), table.lookup(ids)];
      assert.ok(product.data.every((x, k) => x === rows.data[k]));
    }
  });

  test("oneHot, unlike lookup, shows that 0 times infinity is NaN", () => {
    const table = embedding.from([
      [Infinity, 1],
      [2, 3],
    ]);
    assert.deepEqual(table.oneHot([1]).toArray(), [[NaN, 3]]);
    assert.deepEqual(table.lookup([1]).toArray(), [[2, 3]]);
  });

  test("oneHot of an on-demand table throws", () => {
    const table = embedding.create(3, 2, { storage: "on-demand" });
    assert.throws(() => table.oneHot([1]), /^RangeError: \S+: storage must be "resident".+; got /);
  });
});
