/**
 * The exercises of the texts that phasor teaches from, each by what it shows.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { models } from "phasor/models";
import { phasor, Tensor } from "../phasor.js";
import { dot } from "../unit/reference/attention.js";
import { floats } from "../unit/reference/samples.js";
import { random } from "../unit/tensors.js";

const {
  alibi,
  attention,
  embedding,
  learnedPositions,
  nearest,
  pca,
  inputEmbeddings,
  rope,
  tokenTypeIds,
  similarity,
} = phasor;
const { sinusoidal } = phasor;

/** @param {ArrayLike<number>} list @param {number} [digits] */
const rounded = (list, digits = 3) => Array.from(list, (x) => Number(x.toFixed(digits)) + 0);

/** The largest distance of two tensors. @param {{data: unknown}} a @param {{data: unknown}} b */
function apart(a, b) {
  const [x, y] = [floats(a), floats(b)];
  assert.equal(x.length, y.length);
  return x.reduce((most, value, i) => Math.max(most, Math.abs(value - y[i])), 0);
}

describe("exercise 1, the embedding layer", () => {
  test("an embedding layer selects rows: a one-hot row times W is W[id]", () => {
    const table = embedding.create(10, 4, { seed: 42, generator: "torch" });
    const ids = [0, 3, 9, 3];
    const rows = table.lookup(ids);
    const weights = table.weights();
    assert.deepEqual(
      rows.toArray(),
      ids.map((id) => weights.row(id).toArray()),
    );
    const oneHot = embedding.oneHot(ids, 10);
    assert.deepEqual(
      oneHot.toArray().map((/** @type {number[]} */ row) => row.indexOf(1)),
      ids,
    );
    const product = oneHot
      .toArray()
      .map((/** @type {number[]} */ row) =>
        [0, 1, 2, 3].map((d) => row.reduce((sum, one, id) => sum + one * weights.at(id, d), 0)),
      );
    assert.deepEqual(product, rows.toArray());
    assert.deepEqual(table.oneHot(ids).toArray(), rows.toArray());
    table.dispose();
  });

  test("an embedding layer has V x D parameters, whichever ids are looked up", () => {
    const count = (/** @type {number} */ V, /** @type {number} */ D) =>
      embedding.create(V, D, { storage: "on-demand" }).parameterCount;
    assert.equal(count(10, 4), 40);
    assert.equal(count(50000, 768), 38400000);
    assert.equal(count(50257, 768), 38597376);
    assert.equal(count(32000, 4096), 131072000);
    const llama = embedding.create(32000, 4096, { storage: "on-demand" });
    assert.equal(llama.byteLengthAs("float16") / 2 ** 20, 250);
  });

  test("a vocabulary of 128,000 and two segments, of width 8,192, have 1,048,592,384 parameters", () => {
    const words = embedding.create(128000, 8192, { storage: "on-demand" });
    const segments = embedding.create(2, 8192);
    assert.equal(words.parameterCount + segments.parameterCount, 1048592384);
    segments.dispose();
  });
});

describe("exercise 2, the sinusoidal table", () => {
  test("row 0 of a sinusoidal table is 0, 1, 0, 1, ...", () => {
    for (const [T, D] of [
      [100, 64],
      [20, 64],
    ]) {
      const table = sinusoidal.table(T, D);
      assert.deepEqual(table.shape, [T, D]);
      assert.deepEqual(
        table.row(0).toArray(),
        Array.from({ length: D }, (_, i) => i % 2),
      );
    }
  });

  test("a sinusoidal table of width 4 has the rows of the textbook", () => {
    const table = sinusoidal.table(4, 4);
    const rows = [1, 2, 3].map((position) => rounded(floats(table.row(position))));
    assert.deepEqual(rows, [
      [0.841, 0.54, 0.01, 1],
      [0.909, -0.416, 0.02, 1],
      [0.141, -0.99, 0.03, 1],
    ]);
  });

  test("all rows of a sinusoidal table differ, and adjacent rows are more similar than distant ones", () => {
    const table = sinusoidal.table(100, 64);
    const rows = new Set(table.toArray().map(String));
    assert.equal(rows.size, 100);
    const alike = similarity.matrix(table);
    for (let p = 0; p < 50; ++p) assert.ok(alike.at(p, p + 1) > alike.at(p, p + 50), `${p}`);
  });

  test("a sinusoidal table of 10,000 x 64 begins with the rows of one of 100 x 64", () => {
    const long = sinusoidal.table(10000, 64);
    assert.deepEqual(long.shape, [10000, 64]);
    assert.deepEqual(floats(long).slice(0, 6400), floats(sinusoidal.table(100, 64)));
  });
});

describe("exercise 3, the scaled embedding plus its position", () => {
  for (const [B, T, D] of [
    [2, 20, 64],
    [2, 4, 512],
  ]) {
    test(`a batch of ${B} x ${T} tokens becomes [${B}, ${T}, ${D}], each row like a single one`, () => {
      const table = embedding.create(1000, D, { seed: 1 });
      const ids = Array.from({ length: B }, (_, b) =>
        Array.from({ length: T }, (_, t) => (37 * t + 11 * b) % 1000),
      );
      const positions = sinusoidal.table(T, D);
      const x = table.lookup(ids, { scale: "sqrt", add: positions });
      assert.deepEqual(x.shape, [B, T, D]);
      for (let b = 0; b < B; ++b) {
        assert.deepEqual(
          x.row(b).toArray(),
          table.lookup(ids[b], { scale: "sqrt", add: positions }).toArray(),
        );
      }
      const scaled = table.lookup(ids, { scale: "sqrt" });
      const row = Array.from({ length: D }, (_, d) =>
        Math.fround(scaled.at(1, 2, d) + positions.at(2, d)),
      );
      assert.deepEqual(x.row(1).row(2).toArray(), row);
      table.dispose();
    });
  }
});

describe("exercise 4, order", () => {
  const words = embedding.create(3, 16, { seed: 7 }); // dog, bites, man
  const orders = [
    [0, 1, 2],
    [2, 1, 0],
  ];
  const add = sinusoidal.table(3, 16);

  /** Sum over the tokens of a function of each number. @param {Tensor} x @param {(x: number) => number} of */
  const sum = (x, of) =>
    Array.from({ length: 16 }, (_, d) => of(x.at(0, d)) + of(x.at(1, d)) + of(x.at(2, d)));

  /** How far the two orders' sums lie apart. @param {object} options @param {(x: number) => number} of */
  const difference = (options, of) => {
    const [there, back] = orders.map((ids) => sum(words.lookup(ids, options), of));
    return Math.max(...there.map((x, d) => Math.abs(x - back[d])));
  };

  test('without positions, any sum over "dog bites man" equals that over "man bites dog"', () => {
    const reordered = 1e-15 * 16; // what the order of two additions in double can do
    assert.ok(difference({}, (x) => x) <= reordered);
    assert.ok(difference({}, (x) => x * x) <= reordered);
  });

  test("with positions, the two orders differ, though not in the plain sum", () => {
    assert.ok(difference({ add }, (x) => x * x) > 0.1);
    const rounding = 1e-6; // word + position is rounded to float32
    assert.ok(difference({ add }, (x) => x) <= rounding, "the sum of sums is blind all the same");
  });
});

describe("exercise 4, attention", () => {
  const D = 12;
  const projections = { inProjection: random([3 * D, D], 2), outProjection: random([D, D], 3) };
  const order = [3, 0, 4, 1, 2];
  const permuted = (/** @type {Tensor} */ x) =>
    x
      .toArray()
      .map((/** @type {number[]} */ __, /** @type {number} */ i) => x.row(order[i]).toArray());
  const attend = (/** @type {any} */ x) =>
    attention.multiHead(x, { heads: 1, ...projections }).output;

  test("attention ignores order: permuted tokens give the permuted output", () => {
    const x = random([5, D], 1);
    const rounding = 1e-6; // the sums run in another order
    const moved = new Tensor(Float32Array.from(permuted(attend(x)).flat()), [5, D]);
    assert.ok(apart(attend(permuted(x)), moved) < rounding);
  });

  test("attention depends on order once positions are added", () => {
    const x = random([5, D], 1);
    const place = (/** @type {any} */ rows) =>
      new Tensor(
        Float32Array.from(rows.flat(), (value, i) => value + floats(sinusoidal.table(5, D))[i]),
        [5, D],
      );
    const moved = new Tensor(Float32Array.from(permuted(attend(place(x.toArray()))).flat()), [
      5,
      D,
    ]);
    assert.ok(apart(attend(place(permuted(x))), moved) > 0.01);
  });
});

describe("exercise 5, RoPE", () => {
  const q = random([1, 64], 5);
  const k = random([1, 64], 6);
  const length = (/** @type {Tensor} */ x) => Math.sqrt(dot(floats(x), floats(x)));
  const at = (/** @type {Tensor} */ x, /** @type {number} */ position) =>
    rope.apply(x, rope.table([position], 64));

  test("a rotation keeps the length of a vector", () => {
    for (const position of [1, 100, 100000]) {
      assert.ok(Math.abs(length(at(q, position)) / length(q) - 1) < 2e-7, `${position}`);
    }
  });

  test("<R_m q, R_n k> depends only on m - n: 5 and 8 as 10 and 13", () => {
    const score = (/** @type {number} */ m, /** @type {number} */ n) =>
      dot(floats(at(q, m)), floats(at(k, n)));
    const bound = 1e-6 * length(q) * length(k);
    assert.ok(Math.abs(score(5, 8) - score(10, 13)) <= bound);
    assert.ok(Math.abs(score(5, 8) - score(8, 5)) > 0.01, "the direction counts");
    assert.ok(Math.abs(score(5, 8) - score(5, 9)) > 0.01, "the distance counts");
  });

  test("cosines and sines of full width, each column twice, rotate like those of half the width", () => {
    const { cos, sin } = rope.table(4, 8);
    const x = random([4, 8], 7);
    const twice = (/** @type {Tensor} */ part) =>
      part.toArray().map((/** @type {number[]} */ row) => [...row, ...row]);
    // x cos + rotate_half(x) sin, as textbooks write it
    const [wideCos, wideSin] = [twice(cos), twice(sin)];
    const textbook = x.toArray().map((/** @type {number[]} */ row, /** @type {number} */ t) =>
      row.map((value, i) => {
        const half = i < 4 ? -row[i + 4] : row[i - 4];
        return Math.fround(Math.fround(value * wideCos[t][i]) + Math.fround(half * wideSin[t][i]));
      }),
    );
    assert.deepEqual(rope.apply(x, { cos, sin }).toArray(), textbook);
    const { table, layout } = rope.fromFullWidth({ cos: wideCos, sin: wideSin });
    assert.deepEqual(rope.apply(x, table, { layout }).toArray(), textbook);
  });
});

describe("exercise 6, ALiBi", () => {
  test("a head of slope 0.25 subtracts 0, 0.25, 0.5, 1.25 for keys 0, 1, 2, 5 tokens away", () => {
    const [head] = alibi.bias(4, 1, { keys: 6 }).toArray();
    assert.deepEqual(
      [0, 1, 2, 5].map((distance) => head[0][5 - distance] + 0),
      [0, -0.25, -0.5, -1.25],
    );
  });

  test("four heads have the slopes 0.25, 0.0625, 0.016, 0.004", () => {
    assert.deepEqual(rounded(floats(alibi.slopes(4)), 4), [0.25, 0.0625, 0.0156, 0.0039]);
    assert.deepEqual(rounded(floats(alibi.slopes(4)).slice(2)), [0.016, 0.004]);
  });

  test("the penalty is 0 on the diagonal and grows in proportion to the distance", () => {
    const bias = alibi.bias(8, 20, { form: "symmetric" });
    const slopes = floats(alibi.slopes(8));
    for (let h = 0; h < 8; ++h) {
      for (let i = 0; i < 20; ++i) {
        for (let j = 0; j < 20; ++j)
          assert.equal(bias.at(h, i, j) + 0, -slopes[h] * Math.abs(i - j) + 0);
      }
    }
  });
});

describe("exercise 7, longer contexts", () => {
  const plain = floats(rope.frequencies(128).frequencies);
  const ratio = (/** @type {any} */ scaling) =>
    floats(rope.frequencies(128, { scaling }).frequencies).map((theta, i) => theta / plain[i]);

  test("NTK-aware scaling keeps the highest frequency and divides the lowest by alpha", () => {
    const kept = ratio({ type: "ntk", alpha: 8 });
    assert.equal(kept[0], 1);
    assert.ok(Math.abs(kept[63] * 8 - 1) < 1e-6);
    for (let i = 1; i < 64; ++i) assert.ok(kept[i] < kept[i - 1], `${i}`);
  });

  test("YaRN keeps high frequencies, divides low ones by the factor, and blends between", () => {
    const kept = ratio({ type: "yarn", factor: 4, originalLength: 4096 });
    for (let i = 0; i <= 20; ++i) assert.equal(kept[i], 1, `${i}`);
    for (let i = 46; i < 64; ++i) assert.equal(kept[i], 0.25, `${i}`);
    for (let i = 21; i < 46; ++i) assert.ok(kept[i] < 1 && kept[i] > 0.25, `${i}`);
  });

  test("linear interpolation divides every frequency, also the high ones", () => {
    for (const kept of ratio({ type: "linear", factor: 4 })) assert.equal(kept, 0.25);
  });
});

describe("exercise 8, whole inputs", () => {
  const table = (/** @type {number} */ V, /** @type {number} */ seed) => random([V, 8], seed);
  const ids = [[2, 5, 7, 3]];
  const words = table(10, 1);

  test("BERT adds word, segment and position", () => {
    const tables = { words, positions: table(512, 2), segments: table(2, 3) };
    const segments = tokenTypeIds.fromIds([2, 5, 7, 3], { separator: 5 }).toArray();
    assert.deepEqual(segments, [0, 0, 1, 1]);
    const bert = models.get("bert-base-uncased");
    const spec = { tokens: bert.tokens, positions: bert.positions };
    const { sum } = inputEmbeddings(spec, tables, ids, { segments, intermediates: true });
    assert.ok(sum);
    ids[0].forEach((id, t) => {
      for (let d = 0; d < 8; ++d) {
        const first = Math.fround(words.at(id, d) + tables.segments.at(segments[t], d));
        assert.equal(sum.at(0, t, d), Math.fround(first + tables.positions.at(t, d)));
      }
    });
  });

  test("GPT-2 adds wte and wpe", () => {
    const tables = { words, positions: table(1024, 2) };
    const { positions } = models.get("gpt2");
    const x = inputEmbeddings({ positions }, tables, ids, { past: 3 });
    ids[0].forEach((id, t) => {
      for (let d = 0; d < 8; ++d) {
        assert.equal(x.at(0, t, d), Math.fround(words.at(id, d) + tables.positions.at(3 + t, d)));
      }
    });
  });

  test("learned positions are limited: BERT has no row for position 512, GPT-2 none for 1024", () => {
    const { bert, gpt2 } = learnedPositions.presets;
    assert.deepEqual(learnedPositions.lookup(table(512, 2), [511], bert).shape, [1, 8]);
    assert.throws(() => learnedPositions.lookup(table(512, 2), [512], bert), /^RangeError: .+ 512/);
    assert.deepEqual(learnedPositions.lookup(table(1024, 2), [1023], gpt2).shape, [1, 8]);
    assert.throws(
      () => learnedPositions.lookup(table(1024, 2), [1024], gpt2),
      /^RangeError: .+ 1024/,
    );
  });
});

describe("exercise 9, similarity", () => {
  const names = ["cat", "dog", "bird", "the", "seven"];
  const trained = [
    [0.8, 0.3, -0.2, 0.5],
    [0.7, 0.4, -0.1, 0.6],
    [0.6, 0.5, -0.3, 0.4],
    [-0.1, -0.8, 0.9, -0.3],
    [0.2, -0.6, 0.1, 0.8],
  ];

  test("random vectors of 64 dimensions are nearly orthogonal", () => {
    const table = embedding.create(100, 64, { seed: 9 });
    const alike = similarity.matrix(table.weights());
    const others = alike
      .toArray()
      .flatMap((/** @type {number[]} */ row, /** @type {number} */ i) => row.slice(i + 1));
    const mean =
      others.reduce((/** @type {number} */ sum, /** @type {number} */ x) => sum + x, 0) /
      others.length;
    assert.ok(Math.abs(mean) < 0.01);
    // one cosine spreads by 1/8; 4,950 of them stay within 5 of that
    assert.ok(Math.max(...others.map(Math.abs)) < 5 / 8);
    table.dispose();
  });

  test("trained vectors of animals are similar, the others are not", () => {
    const alike = similarity.matrix(trained);
    const animals = [alike.at(0, 1), alike.at(0, 2), alike.at(1, 2)];
    const rest = [0, 1, 2].flatMap((animal) => [alike.at(animal, 3), alike.at(animal, 4)]);
    assert.ok(Math.min(...animals) > 0.9);
    assert.ok(Math.max(...rest) < 0.5);
  });

  test("the nearest tokens of cat are dog and bird", () => {
    const { ids } = nearest(trained, trained[0], { k: 2, exclude: [0] });
    assert.deepEqual(
      Array.from(/** @type {Int32Array} */ (ids.data), (id) => names[id]),
      ["dog", "bird"],
    );
  });

  test("a PCA to two dimensions keeps the animals close together", () => {
    const { projected, explainedVarianceRatio } = pca(trained, { components: 2 });
    assert.deepEqual(projected.shape, [5, 2]);
    const distance = (/** @type {number} */ i, /** @type {number} */ j) =>
      Math.hypot(projected.at(i, 0) - projected.at(j, 0), projected.at(i, 1) - projected.at(j, 1));
    const together = Math.max(distance(0, 1), distance(0, 2), distance(1, 2));
    const away = Math.min(
      ...[0, 1, 2].flatMap((animal) => [distance(animal, 3), distance(animal, 4)]),
    );
    assert.ok(away > 2 * together);
    assert.ok(explainedVarianceRatio.at(0) + explainedVarianceRatio.at(1) > 0.9);
  });
});

describe("exercise 10, footprints", () => {
  test("every scheme has its parameters, bytes and operations", () => {
    const shape = { vocabulary: 50257, dim: 768, length: 1024, heads: 12 };
    const parameters = (/** @type {string} */ scheme) => models.cost(scheme, shape).parameters;
    assert.equal(parameters("embedding"), 38597376);
    assert.equal(parameters("learnedPositions"), 786432);
    assert.equal(parameters("learnedPositions") * 4, 3 * 2 ** 20, "GPT-2's positions are 3 MiB");
    assert.equal(parameters("t5Bias"), 384);
    for (const scheme of ["sinusoidal", "rope", "alibi"]) assert.equal(parameters(scheme), 0);
    const mib = (/** @type {number} */ bytes) => Number((bytes / 2 ** 20).toFixed(2));
    const gpt2 = embedding.create(50257, 768, { storage: "on-demand" });
    assert.deepEqual(
      /** @type {const} */ (["float32", "float16", "int8"]).map((dtype) =>
        mib(gpt2.byteLengthAs(dtype)),
      ),
      [147.24, 73.62, 36.81],
    );
  });
});
