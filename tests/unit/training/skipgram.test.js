import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { battery, declaredBattery } from "../battery.js";
import { DisposedError, load, OutOfMemoryError, phasor, Tensor } from "../../phasor.js";
import * as reference from "../reference/skipgram.js";

/** @typedef {import("phasor").SkipGram} SkipGram */

const { similarity, skipgram } = phasor;

/** Two groups of words that share their contexts: 0, 1 stand with 4, 5 and 2, 3 with 6, 7. */
const GROUPS = Array.from({ length: 60 }, (_, i) => {
  const group = i % 2;
  return [2 * group + ((i >> 1) % 2), 4 + 2 * group + ((i >> 2) % 2)];
});

const SENTENCES = [[0, 1, 2, 3, 1], [4, 1, 0], [5], [], [2, 2, 6, 0, 4, 1, 3]];

/** Both tables, as numbers. @param {SkipGram} model */
const tables = (model) => ({
  vectors: /** @type {number[][]} */ (model.vectors().toArray()),
  contexts: /** @type {number[][]} */ (model.contexts().toArray()),
});

/** Largest difference of two tables. @param {number[][]} a @param {number[][]} b */
const apart = (a, b) =>
  a.reduce((most, row, i) => row.reduce((m, x, d) => Math.max(m, Math.abs(x - b[i][d])), most), 0);

describe("pairs", () => {
  test("pairs are all words at most `window` apart in a sentence, in the order of the text", () => {
    for (const window of [1, 2, 3, 10, 2 ** 31 - 1]) {
      const model = skipgram.create(7, 4, { window });
      const pairs = model.pairs(SENTENCES);
      assert.equal(pairs.dtype, "int32");
      assert.deepEqual(pairs.toArray(), reference.pairs(SENTENCES, window));
    }
  });

  test("pairs accepts a sentence, sentences of one length, and lists of any lengths", () => {
    const model = skipgram.create(4, 2, { window: 1 });
    const one = [
      [0, 1],
      [1, 0],
      [1, 3],
      [3, 1],
    ];
    const big = BigInt64Array.of(0n, 1n, 3n);
    const shaped = new Tensor(Int32Array.of(0, 1, 3), [1, 3]);
    const forms = [[0, 1, 3], Int32Array.of(0, 1, 3), big, shaped, [[0, 1, 3]], [big], [[2], big]];
    for (const ids of forms) assert.deepEqual(model.pairs(ids).toArray(), one);
    const rows = new Tensor(Int32Array.of(0, 1, 3, 0), [2, 2]);
    assert.deepEqual(model.pairs(rows).toArray(), [
      [0, 1],
      [1, 0],
      [3, 0],
      [0, 3],
    ]);
  });

  test("pairs of a long text are complete, over several tiles", () => {
    const ids = Int32Array.from({ length: 30000 }, (_, t) => (t * t) % 97);
    const { data, shape } = skipgram.create(97, 1, { window: 3 }).pairs(ids);
    assert.deepEqual(shape, [6 * 30000 - 12, 2]);
    let at = 0;
    for (let t = 0; t < ids.length; ++t) {
      for (let s = Math.max(0, t - 3); s <= Math.min(ids.length - 1, t + 3); ++s) {
        if (s === t) continue;
        if (data[at] !== ids[t] || data[at + 1] !== ids[s]) assert.fail(`pair ${at / 2}`);
        at += 2;
      }
    }
  });
});

describe("train", () => {
  const options = { window: 2, negatives: 5, power: 0.75, seed: 7n };

  test("train agrees with the papers' formulas in double", () => {
    for (const [dim, seed, rate] of /** @type {const} */ ([
      [1, 7n, 0.1],
      [6, 2n ** 64n - 1n, 0.5],
      [16, 0n, 0.025],
    ])) {
      const setting = { ...options, seed, learningRate: rate };
      const model = skipgram.create(8, dim, { ...options, seed });
      const want = tables(model);
      let first = 0;
      for (const epochs of [1, 1, 20]) {
        const N = reference.pairs(SENTENCES, 2).length;
        const expected = reference.train(want, SENTENCES, setting, first, epochs * N);
        const got = model.train(SENTENCES, { epochs, learningRate: rate });
        first += epochs * N;
        assert.equal(got.pairs, epochs * N);
        // Each step rounds a weight of about 1 by 2^-25; 1000 steps, whose errors hardly grow
        const bound = 1e-5;
        assert.ok(Math.abs(got.loss - expected.loss) <= bound, `${got.loss} ${expected.loss}`);
        const now = tables(model);
        assert.ok(apart(now.vectors, want.vectors) <= bound, `${apart(now.vectors, want.vectors)}`);
        assert.ok(apart(now.contexts, want.contexts) <= bound);
        assert.deepEqual(
          [...got.touched.vectors],
          [...expected.centers].sort((a, b) => a - b),
        );
        assert.deepEqual(
          [...got.touched.contexts],
          [...expected.targets].sort((a, b) => a - b),
        );
      }
    }
  });

  test("train rounds the formula once in a single step", () => {
    const setting = { ...options, learningRate: 0.5 };
    const model = skipgram.create(8, 7, options);
    model.train(SENTENCES, { epochs: 3, learningRate: 0.5 });
    const N = reference.pairs(SENTENCES, 2).length;
    for (let n = 3 * N; n < 4 * N; ++n) {
      const want = tables(model);
      const { loss, targets } = reference.train(want, SENTENCES, setting, n, 1);
      const got = model.train(SENTENCES, { steps: 1, learningRate: 0.5 });
      const now = tables(model);
      assert.ok(Math.abs(got.loss - loss) <= 1e-13 * loss);
      // Words drawn twice are rounded twice, below 2: 6 times 2^-24 is the worst
      const bound = targets.size === 6 ? 2 ** -24 : 6 * 2 ** -24;
      assert.ok(apart(now.vectors, want.vectors) <= 2 ** -24);
      assert.ok(apart(now.contexts, want.contexts) <= bound);
    }
  });

  test("train twice equals train once for as long, bit for bit, however the steps are divided", () => {
    const model = () => skipgram.create(7, 5, { ...options, window: 3 });
    const [once, twice, steps] = [model(), model(), model()];
    const { pairs } = once.train(SENTENCES, { epochs: 2 });
    twice.train(SENTENCES);
    twice.train(SENTENCES, { epochs: 1 });
    for (let left = pairs; left > 0; left -= 7) {
      steps.train(SENTENCES, { steps: Math.min(7, left) });
    }
    for (const other of [twice, steps]) {
      assert.deepEqual(other.vectors(), once.vectors());
      assert.deepEqual(other.contexts(), once.contexts());
    }
  });

  test("train continues the random sequence: the second epoch draws other negatives", () => {
    const model = skipgram.create(200, 2, { negatives: 1, window: 1 });
    const ids = Int32Array.from({ length: 200 }, (_, t) => t);
    const drawn = () => model.train(ids, { steps: 1 }).touched.contexts.join();
    const epoch = () => Array.from({ length: 398 }, drawn);
    const [first, second] = [epoch(), epoch()];
    assert.ok(first.filter((at, n) => at === second[n]).length < 20);
  });

  test("train changes only the rows of centers, contexts and negatives", () => {
    const model = skipgram.create(50, 6, { ...options, negatives: 2 });
    const ids = [3, 9, 3, 20, 41];
    model.train(ids, { epochs: 5 }); // contexts begin at 0, from where vectors cannot move
    for (let n = 0; n < 28; ++n) {
      const before = [model.vectors(), model.contexts()];
      const { touched } = model.train(ids, { steps: 1 });
      const after = [model.vectors(), model.contexts()];
      const moved = before.map((table, k) =>
        Array.from({ length: 50 }, (_, id) => id).filter((id) =>
          table.row(id).data.some((x, d) => !Object.is(x, after[k].at(id, d))),
        ),
      );
      assert.deepEqual([...touched.vectors], moved[0]);
      assert.deepEqual([...touched.contexts], moved[1]);
      assert.equal(moved[0].length, 1);
      assert.ok(moved[1].length >= 2 && moved[1].length <= 3);
      assert.ok([...moved[0], ...moved[1]].every((id) => ids.includes(id)));
    }
  });

  test("train draws negatives by count^power, never the context", () => {
    const counts = [1, 2, 4, 8, 16, 0];
    const ids = counts.flatMap((count, id) => Array.from({ length: count }, () => id));
    for (const power of [0, 0.75, 1]) {
      const model = skipgram.create(6, 1, { window: 1, negatives: 1, power, seed: 3 });
      const pairs = model.pairs(ids).toArray();
      const weights = counts.map((count) => (count === 0 ? 0 : count ** power));
      const sum = weights.reduce((a, b) => a + b, 0);
      const drawn = counts.map(() => 0);
      const expected = counts.map(() => 0);
      for (let n = 0; n < 6000; ++n) {
        const context = pairs[n % pairs.length][1];
        const { contexts } = model.train(ids, { steps: 1 }).touched;
        assert.equal(contexts.length, 2, "the context, and a negative that is another word");
        ++drawn[contexts[contexts[0] === context ? 1 : 0]];
        weights.forEach((weight, word) => {
          if (word !== context) expected[word] += weight / (sum - weights[context]);
        });
      }
      assert.equal(drawn[5], 0);
      const chiSquare = expected
        .slice(0, 5)
        .reduce((total, want, word) => total + (drawn[word] - want) ** 2 / want, 0);
      assert.ok(chiSquare < 18.5, `${chiSquare}`); // 4 degrees of freedom: one seed in 1000
    }
  });

  test("train brings words with the same contexts closer than words that share none", () => {
    for (const seed of [0, 1, 2]) {
      const model = skipgram.create(8, 10, { window: 1, seed });
      const losses = [model.loss(GROUPS)];
      for (let k = 1; k <= 10; ++k) {
        model.train(GROUPS, { epochs: 10 });
        losses.push(model.loss(GROUPS));
        assert.ok(k > 3 || losses[k] < losses[k - 1], losses.join());
      }
      assert.ok(losses[10] < losses[0] / 3, losses.join());
      const cosines = similarity.matrix(model.vectors());
      for (const [a, b, c] of [
        [0, 1, 2],
        [2, 3, 0],
        [4, 5, 6],
        [6, 7, 4],
      ]) {
        assert.ok(cosines.at(a, b) > 0.95, `${cosines.at(a, b)}`);
        assert.ok(cosines.at(a, c) < 0.5, `${cosines.at(a, c)}`);
      }
    }
  });

  test("train with rate 0 changes nothing, and its mean loss tends to `loss`", () => {
    const model = skipgram.create(7, 4, options);
    model.train(SENTENCES, { epochs: 50, learningRate: 0.2 });
    const before = tables(model);
    const { loss, pairs } = model.train(SENTENCES, { epochs: 2000, learningRate: 0 });
    assert.deepEqual(tables(model), before);
    // Spread of a pair's loss below 4, so of the mean of all pairs
    assert.ok(Math.abs(loss - model.loss(SENTENCES)) <= (4 * 4) / Math.sqrt(pairs));
  });

  test("train without negatives only attracts: the loss approaches 0", () => {
    const model = skipgram.create(3, 4, { negatives: 0, window: 1 });
    model.train([0, 1, 2], { epochs: 500, learningRate: 0.5 });
    assert.ok(model.loss([0, 1, 2]) < 0.05);
  });

  test("train is the same for the same seed, and differs for another", () => {
    const trained = [0, 1, 2 ** 32, 2n ** 64n - 1n, 0].map((seed) => {
      const model = skipgram.create(7, 3, { seed });
      model.train(SENTENCES, { epochs: 2 });
      return model.vectors().data.join();
    });
    assert.equal(trained[4], trained[0]);
    assert.equal(new Set(trained).size, 4);
  });
});

describe("edge cases", () => {
  const nothing = { loss: NaN, pairs: 0, touched: { vectors: [], contexts: [] } };
  /** @param {ReturnType<SkipGram["train"]>} training */
  const plain = ({ loss, pairs, touched: { vectors, contexts } }) => ({
    loss,
    pairs,
    touched: { vectors: [...vectors], contexts: [...contexts] },
  });

  test("a text without pairs trains nothing, and its loss is NaN", () => {
    const model = skipgram.create(4, 3);
    const before = tables(model);
    for (const ids of [[], [[]], [[], []], [2], [[0], [1], [2]], new Int32Array(0)]) {
      for (const far of [{}, { epochs: 3 }, { steps: 3 }]) {
        assert.deepEqual(plain(model.train(ids, far)), nothing);
      }
      assert.equal(model.loss(ids), NaN);
      assert.deepEqual(model.pairs(ids).shape, [0, 2]);
    }
    assert.deepEqual(plain(model.train([0, 1], { epochs: 0 })), nothing);
    assert.deepEqual(plain(model.train([0, 1], { steps: 0 })), nothing);
    assert.deepEqual(tables(model), before);
  });

  test("a vocabulary and a text of one word have no negatives", () => {
    for (const [V, ids] of /** @type {const} */ ([
      [1, [0, 0, 0]],
      [5, [3, 3, 3]],
    ])) {
      const model = skipgram.create(V, 2, { seed: 4 });
      const { loss, pairs, touched } = model.train(ids, { steps: 1 });
      assert.ok(Math.abs(loss - Math.log(2)) < 1e-15);
      assert.equal(pairs, 1);
      assert.deepEqual([...touched.contexts], [ids[0]]);
      const expected = reference.expectedLoss(tables(model), [[...ids]], {
        ...{ window: 2, negatives: 5, power: 0.75 },
      });
      assert.ok(Math.abs(model.loss(ids) - expected) < 1e-14);
    }
  });

  test("loss is the expectation of the formula, in double", () => {
    for (const [window, negatives, power] of [
      [1, 5, 0.75],
      [3, 0, 1],
      [2, 20, 0],
    ]) {
      const model = skipgram.create(7, 9, { window, negatives, power });
      model.train(SENTENCES, { epochs: 30, learningRate: 0.3 });
      const want = reference.expectedLoss(tables(model), SENTENCES, { window, negatives, power });
      // Shares are whole multiples of 2^-30
      assert.ok(Math.abs(model.loss(SENTENCES) - want) <= 1e-8 * want);
    }
  });

  test("vectors start like word2vec's: small, the same for a seed; contexts at 0", () => {
    const model = skipgram.create(100, 8, { seed: 5 });
    const { data } = model.vectors();
    assert.ok(data.every((x) => Math.abs(x) <= 1 / 16));
    assert.ok(data.some((x) => x > 0.06) && data.some((x) => x < -0.06));
    assert.ok(model.contexts().data.every((x) => Object.is(x, 0)));
    const narrow = skipgram.create(100, 8, { seed: 5, window: 9, negatives: 1 });
    assert.deepEqual(narrow.vectors(), model.vectors());
  });

  test("vectors and contexts are copies, or are written into `out`", () => {
    const model = skipgram.create(3, 2);
    const copy = model.vectors();
    copy.data.fill(9);
    assert.ok(model.vectors().data.every((x) => Math.abs(x) <= 0.25));
    const out = new Float32Array(6).fill(5);
    assert.equal(model.contexts({ out }).data, out);
    assert.deepEqual([...out], [0, 0, 0, 0, 0, 0]);
  });

  test("two texts can alternate on one model", () => {
    const model = skipgram.create(7, 3);
    model.train([0, 1, 2], { steps: 4 });
    const { pairs, touched } = model.train([5, 6]);
    assert.equal(pairs, 2);
    assert.deepEqual([...touched.vectors], [5, 6]);
  });

  test("an excessive rate gives NaN or infinities, and no other failure", () => {
    const model = skipgram.create(3, 2);
    const { pairs } = model.train([0, 1, 2], { epochs: 3, learningRate: 1e308 });
    assert.equal(pairs, 18);
    assert.deepEqual(model.vectors().shape, [3, 2]);
  });

  test("a disposed model throws DisposedError, and a second dispose has no effect", () => {
    const model = skipgram.create(3, 2);
    const { train, dispose } = model;
    dispose();
    model.dispose();
    for (const call of [
      () => model.pairs([0, 1]),
      () => train([0, 1]),
      () => model.train([]),
      () => model.loss([0, 1]),
      () => model.vectors(),
      () => model.contexts(),
    ]) {
      assert.throws(call, (error) => {
        assert.ok(error instanceof DisposedError);
        assert.match(error.message, /^the skip-gram model has been disposed$/);
        return true;
      });
    }
    assert.equal(model.vocabulary * model.dim, 6);
    if (!Symbol.dispose) return;
    const used = /** @type {any} */ (skipgram.create(3, 2));
    used[Symbol.dispose]();
    assert.throws(() => used.vectors(), DisposedError);
  });

  test("a getter among the arguments that disposes of the model causes a DisposedError", () => {
    for (const use of /** @type {((model: SkipGram, trap: any) => unknown)[]} */ ([
      (model, trap) => model.vectors(trap("out", undefined)),
      (model, trap) => model.train([0, 1], trap("epochs", 1)),
      (model, trap) => model.train(trap("data", [0, 1], { shape: [2] })),
      (model, trap) => model.loss(trap("data", [0, 1], { shape: [2] })),
    ])) {
      const model = skipgram.create(3, 2);
      const trap = (/** @type {string} */ name, /** @type {unknown} */ value, more = {}) =>
        Object.defineProperty({ ...more }, name, {
          enumerable: true,
          get: () => (model.dispose(), value),
        });
      assert.throws(() => use(model, trap), DisposedError);
    }
  });

  test("tables that exceed the memory throw OutOfMemoryError; existing tables still work", async () => {
    const { skipgram } = await load({ shared: false });
    const model = skipgram.create(3, 2, { window: 1 });
    assert.throws(() => skipgram.create(2 ** 31 - 1, 100000), OutOfMemoryError);
    assert.throws(() => skipgram.create(2 ** 15, 2 ** 14 - 1), OutOfMemoryError);
    const many = skipgram.create(3, 2, { negatives: 2 ** 31 - 1 });
    assert.throws(() => many.train([0, 1]), OutOfMemoryError);
    assert.equal(model.train([0, 1]).pairs, 2);
  });

  test("a model in use keeps its memory; garbage collection releases it", async () => {
    const { skipgram } = await load({ shared: false });
    const { vectors } = skipgram.create(1000, 50, { seed: 1 });
    const want = vectors();
    for (let k = 0; k < 5; ++k) {
      skipgram.create(1000, 50, { seed: 2 }).dispose();
      await setTimeout(1);
    }
    assert.deepEqual(vectors(), want);
  });
});

declaredBattery(
  "skipgram.create",
  { V: 3, D: 2 },
  { V: ["size", "vocabulary"], D: ["size", "dim"] },
  tables,
);

const model = skipgram.create(4, 2, { window: 1 });
const TEXT = /** @type {const} */ ([
  "text",
  "ids",
  "ids.shape",
  "ids[0]",
  "ids[1]",
  "ids[0].shape",
]);

battery("pairs", {
  call: ({ ids }) => model.pairs(ids),
  good: { ids: [0, 1, 2] },
  args: { ids: TEXT },
});

battery("loss", {
  call: ({ ids }) => model.loss(ids),
  good: { ids: [0, 1, 2] },
  args: { ids: TEXT },
});

battery("train", {
  call: ({ ids, $ }) => skipgram.create(4, 2).train(ids, $),
  good: { ids: [0, 1, 2] },
  args: {
    ids: TEXT,
    $: ["options"],
    epochs: ["count"],
    steps: ["count"],
    learningRate: ["notNegative"],
  },
});

for (const table of /** @type {const} */ (["vectors", "contexts"])) {
  battery(table, {
    call: ({ $ }) => model[table]($),
    good: {},
    args: { $: ["options"], out: ["floats"] },
  });
}

test("train rejects epochs and steps together", () => {
  assert.throws(
    () => model.train([0, 1], { epochs: 1, steps: 2 }),
    new RangeError("SkipGram.train: epochs must not be given with steps; got both"),
  );
});

test("create and train name the known options", () => {
  const misspelt = /** @type {any} */ ({ learnngRate: 1 });
  assert.throws(
    () => skipgram.create(2, 2, misspelt),
    /must have only window, negatives, power, seed; got "learnngRate"$/,
  );
  assert.throws(() => model.train([0, 1], misspelt), /did you mean "learningRate"\?$/);
});
