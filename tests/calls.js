/**
 * A call of every function there is, with sizes that fill vectors of four and leave some over. Each
 * waits for what it gets, so that the same calls serve a phasor whose functions return promises.
 */
import assert from "node:assert/strict";
import { declarations } from "../src/positional/about.js";
import { DisposedError, phasor as published, schemesOf, Tensor } from "./phasor.js";
import { random } from "./unit/reference/samples.js";

/** @import { Phasor } from "phasor" */

/**
 * Numbers between -2 and 2, with no pattern that a kernel could be right about by luck.
 * @param {number} seed @param {readonly number[]} shape
 */
export function drawn(seed, shape) {
  const size = shape.reduce((product, n) => product * n, 1);
  const next = random(12345 + size + seed);
  const data = Float32Array.from({ length: size }, () => next() / 2 ** 30 - 2);
  return new Tensor(data, shape);
}

/**
 * Whole numbers from 0 to most - 1.
 * @param {number} most @param {...number} shape
 */
function ids(most, ...shape) {
  const size = shape.reduce((product, n) => product * n, 1);
  return new Tensor(
    Int32Array.from({ length: size }, (_, i) => (i * 7 + 3) % most),
    shape,
  );
}

/** Bytes of blocks that hold the given number of values. */
const BYTES = Object.freeze({
  float16: [1, 2],
  float64: [1, 8],
  int8: [1, 1],
  Q5_0: [32, 22],
  Q3_K: [256, 110],
});

/**
 * Numbers of a file, with no pattern.
 * @param {keyof typeof BYTES} dtype @param {readonly number[]} shape @param {number} mask  of each byte
 */
function stored(dtype, shape, mask) {
  const [block, size] = BYTES[dtype];
  const count = shape.reduce((product, n) => product * n, 1);
  const bytes = Uint8Array.from({ length: (count / block) * size }, (_, i) => (i * 37 + 11) & mask);
  return { bytes, dtype, shape };
}

/** @param {string} preset @param {object} [tokens] */
const learned = (preset, tokens) => ({
  tokens,
  positions: { scheme: "learnedPositions", preset },
});

const T = 37; // positions
const D = 22; // width
const V = 53; // vocabulary

/** By the function's name, MODULE.FUNCTION. @typedef {Record<string, (phasor: Phasor) => unknown>} Calls */

/**
 * The calls of numbers that `numbers` gives, by their shape.
 * @param {(...shape: number[]) => Tensor} numbers
 * @param {number} [mask]  of the bytes of files; by default they keep clear of exponents that stand for NaN
 * @returns {Calls}  a module that is itself a function is its own name
 */
export function callsOf(numbers, mask = 0xbb) {
  const weights = numbers(V, D);
  const words = weights;
  const positions = numbers(T + 2, D);
  const segments = numbers(2, D);
  const attended = { q: numbers(2, T, D), k: numbers(2, T, D), v: numbers(2, T, D) };
  const sideBySide = { q: numbers(2, 1, 4, D), k: numbers(2, T, 2, D), v: numbers(2, T, 2, D) };
  const projections = {
    heads: 2,
    inProjection: numbers(3 * D, D),
    inBias: numbers(3 * D),
    outProjection: numbers(D, D),
    outBias: numbers(D),
  };

  return withSchemes({
    ...declaredCalls({ numbers, ids }),

    "attention.scaledDotProduct": async ({ attention }) => [
      await attention.scaledDotProduct(attended, { causal: true }),
      await attention.scaledDotProduct(sideBySide, { axis: -3, keyLength: [9, T], weights: false }),
    ],
    "attention.scores": async ({ attention, rope }) =>
      attention.scores(attended.q, attended.k, { rope: await rope.table(T, D), layout: "halves" }),
    "attention.softmax": ({ attention }) => attention.softmax(numbers(5, T)),
    "attention.linear": ({ attention }) => attention.linear(numbers(T, D), numbers(7, D)),
    "attention.multiHead": ({ attention }) => attention.multiHead(numbers(T, D), projections),

    "embeddingBag.create": async ({ embeddingBag, embedding }) => {
      const table = await embedding.from(weights);
      const results = [];
      for (const mode of /** @type {const} */ (["sum", "mean", "max"])) {
        const bags = await embeddingBag.create(table, { mode });
        results.push(bags.mode, await bags.pool(ids(V, 4, 9)));
        results.push(await bags.gradient(ids(V, 4, 9), numbers(4, D), { sparse: true }));
        if (mode === "sum") results.push(await bags.perSampleGradient(ids(V, 4, 9), numbers(4, D)));
      }
      return results;
    },

    "dropout.apply": ({ dropout }) => dropout.apply(numbers(T, D), { p: 0.3, training: true }),
    "dropout.mask": ({ dropout }) => dropout.mask([T, D], { seed: 2n ** 60n }),

    "embedding.create": async ({ embedding }) => {
      const results = [];
      for (const generator of /** @type {const} */ (["philox", "torch"])) {
        const table = await embedding.create(V, D, { generator, seed: 7, maxNorm: 2 });
        const sparse = await table.gradient(ids(V, 9), numbers(9, D), { sparse: true });
        const steps = /** @type {const} */ (["sgd", "sparse-adam"]);
        for (const optimizer of steps) await table.step(sparse, { optimizer, learningRate: 0.1 });
        await table.step(await table.gradient(ids(V, 9), numbers(9, D)), { optimizer: "adam" });
        results.push(
          [table.vocabulary, table.dim, table.parameterCount, table.paddingIdx],
          await table.byteLengthAs("int8"),
          await table.lookup(ids(V, 3, 5), { scale: "sqrt", add: numbers(5, D) }),
          await table.oneHot([0, 5]),
          await table.logits(numbers(3, D)),
          await table.weights(),
          sparse,
        );
        await table.dispose();
      }
      return results;
    },
    "embedding.from": async ({ embedding }) => (await embedding.from(weights)).weights(),
    "embedding.zeros": async ({ embedding }) => {
      const table = await embedding.zeros(V, D, { dtype: "int8" });
      await table.write(3, numbers(4, D));
      return table.weights();
    },
    "embedding.quantize": async ({ embedding, nearest }) => {
      const results = [];
      for (const dtype of /** @type {const} */ (["float32", "float16", "bfloat16", "int8"])) {
        const table = await embedding.quantize(weights, { dtype });
        await table.write(7, numbers(3, D));
        results.push([table.vocabulary, table.dim, table.dtype, await table.byteLength]);
        results.push(await table.lookup(ids(V, 3, 5), { scale: "sqrt" }), await table.weights());
        results.push(await nearest(table, numbers(3, D), { k: 5 }));
        await table.dispose();
      }
      return results;
    },
    "embedding.oneHot": ({ embedding }) => embedding.oneHot(ids(V, 9), V),

    "dtypes.decode": ({ dtypes }) =>
      Promise.all(
        /** @type {const} */ ([
          ["float16", [37]],
          ["float64", [3, 7]],
          ["int8", [37]],
          ["Q5_0", [2, 64]],
          ["Q3_K", [256]],
        ]).map(([dtype, shape]) => dtypes.decode(stored(dtype, shape, mask))),
      ),
    "dtypes.encode": ({ dtypes }) => dtypes.encode(numbers(T, D), "float16"),

    "cope.bias": ({ cope }) => cope.bias(numbers(T, T), numbers(T, 8)),

    nearest: async ({ nearest, embedding }) => [
      await nearest(weights, numbers(3, D), { k: 5 }),
      await nearest(await embedding.from(weights), numbers(D), { metric: "euclidean" }),
      await nearest(numbers(300, 300), numbers(300), { metric: "dot" }), // wide enough for a first pass
      await nearest(numbers(300, 101), numbers(9, 101)),
      await nearest(await embedding.quantize(numbers(300, 101), { dtype: "int8" }), numbers(101)),
    ],
    "nearest.index": async ({ nearest }) => {
      const index = await nearest.index(weights);
      const found = await index.search(numbers(3, D), { k: 5, metric: "dot" });
      const analogy = await index.analogy([3, 9, 11], { k: 2 });
      const part = { first: 40, vocabulary: 400 };
      const wide = await nearest.index(numbers(300, 130), { part }); // with its rows in int8
      const results = [
        ...[index.vocabulary, index.dim, found, analogy],
        await wide.search(numbers(9, 130), { k: 5, sortKeys: true }),
        await wide.search(numbers(130), { metric: "euclidean" }),
        await wide.rows([40, 339]),
      ];
      await Promise.all([index.dispose(), wide.dispose()]);
      return results;
    },
    "nearest.candidates": async ({ nearest, embedding }) => {
      const table = await embedding.quantize(weights, { dtype: "int8" });
      return nearest.candidates(table, numbers(3, D), { k: 5, metric: "dot" });
    },
    "nearest.analogy": ({ nearest }) => nearest.analogy(weights, [3, 9, 11], { k: 3 }),

    "normalize.layerNorm": ({ normalize }) => normalize.layerNorm(weights, { weight: numbers(D) }),
    "normalize.rmsNorm": ({ normalize }) => normalize.rmsNorm(weights),
    "normalize.l2": ({ normalize }) => normalize.l2(weights),

    "pooling.apply": ({ pooling }) =>
      pooling.apply(numbers(3, T, D), {
        mode: ["weighted", "max", "mean-sqrt-len"],
        normalize: true,
      }),
    "pooling.dense": ({ pooling }) =>
      pooling.dense(numbers(T, D), numbers(7, D), { bias: numbers(7), activation: "tanh" }),

    pca: async ({ pca }) => {
      const found = await pca(numbers(40, 9), { components: 3 });
      const { mean, components, explainedVariance, singularValues, projected } = found;
      const again = await found.project(numbers(5, 9));
      const [wide, many] = [numbers(200, 197), numbers(4096, 197)]; // by block Lanczos, and with a sample
      for (const { data } of [wide, many]) {
        data.forEach((x, i) => (data[i] = x * (i % 197 < 3 ? 9 : 1)));
      }
      const few = await pca(wide);
      const inDouble = await pca(wide, { accumulate: "float64" });
      const byLanczos = [few, inDouble, await pca(many)].flatMap((each) => [
        each.components,
        each.explainedVariance,
        each.explainedVarianceRatio,
      ]);
      return [mean, components, explainedVariance, singularValues, projected, again, ...byLanczos];
    },

    procrustes: async ({ procrustes }) => {
      const found = await procrustes(numbers(40, 9), drawn(2, [40, 9]));
      return [found.rotation, found.rotated, await found.rotate(numbers(5, 9))];
    },

    inputEmbeddings: async ({ inputEmbeddings, embedding }) => {
      const tokens = ids(V, 9);
      const steps = await inputEmbeddings(
        { tokens: { scale: "sqrt" }, positions: { scheme: "sinusoidal" } },
        { words },
        ids(V, 2, 9),
        { training: true, intermediates: true },
      );
      const bert = learned("bert", { segments: 2, norm: 1e-12 });
      return [
        ...Object.values(steps),
        await inputEmbeddings(learned("gpt2"), { words, positions }, tokens),
        await inputEmbeddings(bert, { words, positions, segments }, tokens),
        await inputEmbeddings(learned("roberta", { norm: 1e-5 }), { words, positions }, tokens),
        await inputEmbeddings(learned("opt"), { words, positions }, tokens),
        await inputEmbeddings(
          { tokens: { norm: 1e-5 }, positions: { scheme: "alibi" } },
          { words },
          tokens,
        ),
        await inputEmbeddings(
          { tokens: { scale: "sqrt", scaleDtype: "bfloat16" }, positions: { scheme: "rope" } },
          { words: await embedding.from(weights) },
          tokens,
        ),
      ];
    },

    "positionIds.range": ({ positionIds }) => positionIds.range(T, { past: 3 }),
    "positionIds.fromTokens": ({ positionIds }) => positionIds.fromTokens(ids(5, 2, 9)),
    "positionIds.fromMask": ({ positionIds }) => positionIds.fromMask(ids(2, 2, 9)),
    "positionIds.packed": ({ positionIds }) => positionIds.packed([3, 5, 2]),
    "positionIds.digits": ({ positionIds }) => positionIds.digits(ids(5, 9), { digits: [1, 2, 3] }),
    "positionIds.multimodal": ({ positionIds }) =>
      positionIds.multimodal([{ text: 3 }, { grid: [1, 4, 4] }, { text: 2 }]),

    "rounding.report": ({ rounding }) => rounding.report(T, D),

    "tokenTypeIds.ids": ({ tokenTypeIds }) => tokenTypeIds.ids([3, 4]),
    "tokenTypeIds.fromIds": ({ tokenTypeIds }) =>
      tokenTypeIds.fromIds(ids(9, 2, 9), { separator: 2 }),

    "similarity.pair": ({ similarity }) =>
      similarity.pair(numbers(D), numbers(D), { metric: "dot" }),
    "similarity.rows": ({ similarity }) => similarity.rows(weights, numbers(V, D)),
    "similarity.matrix": async ({ similarity }) => [
      await similarity.matrix(weights),
      await similarity.matrix(weights, numbers(2, D), { metric: "euclidean" }), // few rows
      await similarity.matrix(weights, numbers(7, D), { accumulate: "float32" }),
    ],

    "skipgram.create": async ({ skipgram }) => {
      const model = await skipgram.create(V, D, { window: 2, seed: 5 });
      const text = ids(V, 120);
      const trained = await model.train(text, { epochs: 2 });
      const tables = [await model.vectors(), await model.contexts()];
      const results = [trained, await model.pairs(text), await model.loss(text), tables];
      await model.dispose();
      return results;
    },

    "statistics.norms": ({ statistics }) => statistics.norms(weights),
    "statistics.summary": ({ statistics }) => statistics.summary(weights, { bins: 9 }),
    "statistics.singularValues": ({ statistics }) => statistics.singularValues(weights),
    "statistics.effectiveRank": ({ statistics }) => statistics.effectiveRank(weights),
  });
}

/**
 * The calls that schemes declare.
 * @param {{numbers: Function, ids: Function}} drawn
 * @returns {Calls}
 */
function declaredCalls(drawn) {
  const all = Object.entries(declarations).flatMap(([name, { module = name, samples }]) =>
    Object.entries(samples).map(([method, sample]) => [
      `${module}.${method}`,
      (/** @type {any} */ phasor) => sample(phasor[module], { ...drawn, phasor }),
    ]),
  );
  return Object.fromEntries(all);
}

/** The function of a convention needs no entry above. @param {Calls} calls */
function withSchemes(calls) {
  for (const { name, method } of schemesOf(published)) {
    calls[`${name}.${method}`] ??= (phasor) => /** @type {any} */ (phasor)[name][method](5, D);
  }
  return calls;
}

export const calls = callsOf((...shape) => drawn(0, shape));

/**
 * The functions that a phasor has, by their names as in `calls`.
 * @param {Phasor} phasor
 */
export function functionsOf(phasor) {
  return Object.entries(phasor).flatMap(([module, functions]) => [
    ...(typeof functions === "function" ? [module] : []),
    ...Object.entries(functions)
      .filter(([, each]) => typeof each === "function")
      .map(([name]) => `${module}.${name}`),
  ]);
}

/** @typedef {{name: string, method: any, args: any[]}} Made */

/** The calls that `calls` makes of functions of modules. @returns {Promise<Made[]>} */
export async function madeCalls() {
  /** @type {Made[]} */
  const made = [];
  /** @param {string} name @param {any} of @returns {any} */
  const watch = (name, of) => {
    const members = Object.entries(of).map(([member, value]) => [
      member,
      typeof value === "function" ? watch(`${name}.${member}`, value) : value,
    ]);
    if (typeof of !== "function") return Object.fromEntries(members);
    const method = (/** @type {any[]} */ ...args) => {
      made.push({ name, method: of, args });
      return of(...args);
    };
    return Object.assign(method, Object.fromEntries(members));
  };
  const watched = Object.fromEntries(
    Object.entries(published).map(([name, module]) => [name, watch(name, module)]),
  );
  for (const call of Object.values(calls)) await call(/** @type {any} */ (watched));
  return made.filter(({ method, args }) => {
    try {
      method(...args);
      return true;
    } catch (error) {
      assert.ok(error instanceof DisposedError);
      return false; // of a table that the call has disposed of
    }
  });
}
