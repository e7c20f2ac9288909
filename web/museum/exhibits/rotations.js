// Bugs of rotary positions.

/** @import { Phasor } from "phasor" */
/** @import { Exhibit } from "./exhibits.js" */
import { models } from "phasor/models";
import { brief, count } from "../../app/numbers.js";
import { drawn, scoresByDistance } from "../../app/samples.js";
import { apart, choice, compared, either } from "./compared.js";

/** Scores that differ by less are equal: rounding. */
const ROUNDING = 1e-4;

/** The width of the heads that are drawn, and their distances. */
const DIM = 64;
const DISTANCES = 64;

/** A query and a key. @param {Phasor} phasor @param {number} [dim] */
function queryAndKey(phasor, dim = DIM) {
  const [query, key] = Array.from(drawn(phasor, 2, dim), ({ data }) => Array.from(data, Number));
  return { query, key };
}

/** Scores of Meta’s weights, rotated in one of the two layouts. @param {Phasor} phasor @param {boolean} bug @param {number} from */
function layoutScoresFrom(phasor, bug, from) {
  const { query, key } = queryAndKey(phasor);
  return scoresByDistance(phasor, query, key, DISTANCES, {
    layout: bug ? "halves" : "interleaved",
    from,
  });
}

const layoutScores = either((phasor, bug) => layoutScoresFrom(phasor, bug, DISTANCES));

/** @type {Exhibit} */
export const layout = {
  judge(phasor) {
    const shifted = apart(layoutScores(phasor, true), layoutScoresFrom(phasor, true, 1000));
    const changed = apart(layoutScores(phasor, true), layoutScores(phasor, false));
    const answer = changed < ROUNDING ? "nothing" : shifted < ROUNDING ? "distance" : "absolute";
    return choice(
      answer,
      `If query and key both move by ${count(1000 - DISTANCES)} positions, their scores change by at most ${brief(shifted)}. But the scores differ from the right ones by up to ${brief(changed)}.`,
      {
        distance: "Any pairing of the numbers gives a rotation for each pair.",
        absolute:
          "Whichever two numbers form a pair, query and key are rotated in the same way, and only the difference of the rotations counts.",
        nothing: "The weights were trained for the other pairs, so the dot products change.",
      },
    );
  },
  value: (phasor, bug) => brief(apart(layoutScores(phasor, bug), layoutScores(phasor, false))),
  picture: (phasor, bug) =>
    compared(layoutScores(phasor, false), layoutScores(phasor, bug), {
      title: "Score of a query and a key by distance",
      xTitle: "distance (tokens)",
      yTitle: "score",
    }),
};

/** Positions of a long prompt. */
const FAR = [0, 100, 300, 1000, 2000, 4000, 8192, 20000, 40000, 60000];

/** @param {string} model */
function rotaryOf(model) {
  const { rotary, layerKinds } = models.get(model).positions;
  return { rotary: rotary ?? {}, layerKinds: layerKinds ?? [] };
}

/** Llama 3’s scaling, of 3.1 and of 3.2’s vision models. */
function llamaScaling() {
  const { dim, options } = /** @type {any} */ (rotaryOf("llama-3.1-8b").rotary.full_attention);
  return { dim, options };
}

/**
 * The cosine of a vector rotated right and rotated by the program, if all its pairs are of one length.
 * @param {Phasor} phasor @param {boolean} bug @param {number[]} positions
 */
function scalingCosines({ rope }, bug, positions) {
  const { dim, options } = llamaScaling();
  const right = rope.table(positions, dim, options);
  const program = rope.table(positions, dim, bug ? { base: options.base } : options);
  const P = dim / 2;
  return positions.map((_, t) => {
    let sum = 0;
    for (let at = t * P; at < (t + 1) * P; ++at) {
      sum += Number(right.cos.data[at]) * Number(program.cos.data[at]);
      sum += Number(right.sin.data[at]) * Number(program.sin.data[at]);
    }
    return sum / P;
  });
}

/** @type {Exhibit} */
export const scaling = {
  judge(phasor) {
    const [cosine] = scalingCosines(phasor, true, [1000]);
    return choice(
      cosine > 0.9999 ? "one" : cosine > 0.8 ? "near" : "far",
      `The cosine is ${brief(cosine)}. The slow pairs are slowed at every position, not only from ${count(llamaScaling().options.scaling.originalLength)} on, and a short prompt hardly shows it.`,
      {
        one: "The scaling does not switch on at a length: it changes frequencies, and so every position except 0.",
        near: "The slow pairs are slowed from position 1 on.",
        far: "The scaling does not change the fast pairs, so the two vectors stay similar on short texts.",
      },
    );
  },
  value: (phasor, bug) => brief(scalingCosines(phasor, bug, [60000])[0]),
  picture: (phasor, bug) =>
    compared(scalingCosines(phasor, false, FAR), scalingCosines(phasor, bug, FAR), {
      title: "Cosine with the correctly rotated query",
      x: FAR,
      xTitle: "position (tokens)",
      yTitle: "cosine",
      yDomain: [0, 1],
      points: true,
    }),
};

/** Keys whose weights are shown. */
const KEYS = 12;

/** Weights of keys, largest first, with scores multiplied as YaRN does. @param {Phasor} phasor @param {boolean} bug */
function yarnWeights(phasor, bug) {
  const { attention } = phasor;
  const factor = yarnFactor(phasor) ** (bug ? 2 : 1);
  const q = drawn(phasor, 1, DIM, { seed: 3 });
  const k = drawn(phasor, KEYS, DIM, { seed: 4 });
  const scores = attention.scores(q, k, { scale: factor ** 2 / Math.sqrt(DIM) });
  return Array.from(attention.softmax(scores).data, Number).sort((a, b) => b - a);
}

/** @param {Phasor} phasor */
function yarnFactor({ rope }) {
  const scaling = { type: /** @type {const} */ ("yarn"), factor: 128, originalLength: 4096 };
  return rope.frequencies(DIM, { scaling }).attentionFactor;
}

/** @type {Exhibit} */
export const squared = {
  judge(phasor) {
    const factor = yarnFactor(phasor);
    const growth = factor ** 4 / factor ** 2;
    return choice(
      growth < 1.8 ? "once" : growth < 3 ? "twice" : "four",
      `The factor ${brief(factor)} multiplies the query and the key, so it multiplies the scores by its square, ${brief(factor ** 2)}. With the bug they are multiplied by ${brief(factor ** 4)}, which is ${brief(growth)} times as much.`,
      {
        once: "The factor is applied to the query and to the key: count it twice.",
        twice: "The factor is applied to the query and to the key.",
        four: "That is the product of all the factors. The right scores already have half of them.",
      },
    );
  },
  value: (phasor, bug) => brief(yarnWeights(phasor, bug)[0]),
  picture: (phasor, bug) =>
    compared(yarnWeights(phasor, false), yarnWeights(phasor, bug), {
      title: `The weights of ${KEYS} keys, largest first`,
      xTitle: "key",
      yTitle: "attention weight",
      yDomain: [0, 1],
      points: true,
    }),
};

/** Dynamic NTK: the length of training and the length now. */
const TRAINED = 2048;
const NOW = 4096;

/** Distances of the scores that are drawn. */
const NTK_DISTANCES = Array.from({ length: 65 }, (_, n) => n * 32);

/**
 * Scores of the last query with equal keys, by distance. A cache holds keys that were rotated with the base of the
 * length at which they came.
 */
const ntkScores = either(({ attention, rope }, bug) => {
  const last = NOW - 1;
  const scaling = { type: /** @type {const} */ ("dynamic"), factor: 2, maxLength: TRAINED };
  const rotated = (/** @type {number[]} */ positions, /** @type {number} */ length) => {
    const ones = new Float32Array(positions.length * DIM).fill(1);
    const table = rope.table(positions, DIM, { length, scaling });
    return rope.apply({ data: ones, shape: [positions.length, DIM] }, table).toArray();
  };
  const positions = NTK_DISTANCES.map((distance) => last - distance);
  const keys = bug
    ? positions.flatMap((position) => rotated([position], position + 1))
    : rotated(positions, NOW);
  const q = rotated([last], NOW);
  return Array.from(attention.scores(q, keys, { scale: 1 / DIM }).data, Number);
});

/** @type {Exhibit} */
export const ntk = {
  judge(phasor) {
    const most = apart(ntkScores(phasor, true), ntkScores(phasor, false));
    return choice(
      most < 0.001 ? "none" : most < 0.1 ? "little" : "much",
      `By up to ${brief(most)} of the score at distance 0. Query and key have different bases, so the difference of their rotations no longer depends on the distance alone.`,
      {
        none: "The position is right, but the base is that of the text’s length when the key was computed.",
        little:
          "A small change of a frequency, times thousands of positions, is more than a rotation.",
        much: "Query and key have different bases.",
      },
    );
  },
  value: (phasor, bug) => brief(apart(ntkScores(phasor, bug), ntkScores(phasor, false))),
  picture: (phasor, bug) =>
    compared(ntkScores(phasor, false), ntkScores(phasor, bug), {
      title: "Score of equal query and key, at the end of 4,096 tokens",
      x: NTK_DISTANCES,
      xTitle: "distance (tokens)",
      yTitle: "score, as a share of that at distance 0",
    }),
};

/** Scores within the window of Gemma 3’s local layers. */
const gemmaScores = either((phasor, bug) => {
  const { rotary } = rotaryOf("gemma-3-1b");
  const { dim, options } = /** @type {any} */ (
    bug ? rotary.full_attention : rotary.sliding_attention
  );
  const row = Array.from({ length: dim }, () => dim ** -0.5);
  return scoresByDistance(phasor, row, row, 512, { base: options.base });
});

/** @type {Exhibit} */
export const gemma = {
  judge(phasor) {
    const most = apart(gemmaScores(phasor, true), gemmaScores(phasor, false));
    return choice(
      most < 0.01 ? "none" : most < 0.1 ? "little" : "much",
      `Scores change by up to ${brief(100 * most)} % of the score at distance 0, and all within the window: the larger base slows nearly every pair.`,
      {
        none: "All bases agree at distance 0 only.",
        little:
          "A hundred times the base slows nearly every pair, and half of the pairs by ten times or more.",
        much: "The larger base slows nearly every pair.",
      },
    );
  },
  value: (phasor, bug) =>
    `${brief(100 * apart(gemmaScores(phasor, bug), gemmaScores(phasor, false)))} %`,
  picture: (phasor, bug) =>
    compared(gemmaScores(phasor, false), gemmaScores(phasor, bug), {
      title: "Score of equal query and key within the window of 512 tokens",
      xTitle: "distance (tokens)",
      yTitle: "score, as a share of that at distance 0",
    }),
};

/** The cosine of one query at position 0 and at others, in a layer without RoPE. @param {Phasor} phasor @param {boolean} bug */
function hiddenCosines(phasor, bug) {
  const { query } = queryAndKey(phasor, 128);
  const length = Math.hypot(...query);
  const unit = query.map((x) => x / length);
  const { options } = /** @type {any} */ (rotaryOf("smollm3-3b").rotary.full_attention);
  return bug
    ? scoresByDistance(phasor, unit, unit, DISTANCES, { base: options.base })
    : Array.from({ length: DISTANCES }, () => 1);
}

/** The layers of SmolLM3 that have no rotary positions. */
function still() {
  const { layerKinds, rotary } = rotaryOf("smollm3-3b");
  return layerKinds.filter((kind) => rotary[kind] === null);
}

/** @type {Exhibit} */
export const hidden = {
  judge() {
    const { layerKinds } = rotaryOf("smollm3-3b");
    const layers = still().length;
    return choice(
      layers === 0 ? "none" : layers * 2 < layerKinds.length ? "few" : "most",
      `${count(layers)} of its ${count(layerKinds.length)} layers, every fourth, do not rotate queries and keys.`,
      {
        none: "SmolLM3, Llama 4 and Command A all have such layers.",
        few: "Every fourth layer.",
        most: "Layers without rotation are the exception. The list in its configuration is easily read the wrong way round.",
      },
    );
  },
  value: (phasor, bug) => brief(Math.min(...hiddenCosines(phasor, bug))),
  picture: (phasor, bug) =>
    compared(hiddenCosines(phasor, false), hiddenCosines(phasor, bug), {
      title: "Layer 4: cosine of one token’s query at position 0 and at others",
      yTitle: "cosine",
      xTitle: "position (tokens)",
      yDomain: [0, 1.05],
    }),
};
