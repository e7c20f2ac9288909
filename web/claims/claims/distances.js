// Claims about distances: RoPE, ALiBi, longer texts.

/** @import { Phasor } from "phasor" */
/** @import { Claim } from "./claims.js" */
import { beside } from "../../app/columns.js";
import { brief, count } from "../../app/numbers.js";
import { bar, waves } from "../../app/pictures.js";
import { drawn, scoresByDistance, slowedByPaper } from "../../app/samples.js";

/** The width of a head, and the distances that are looked at. */
const DIM = 128;
const DISTANCES = 256;

/** Three queries with their keys. @param {Phasor} phasor */
function pairs(phasor) {
  const [query, key] = Array.from(drawn(phasor, 2, DIM), ({ data }) => Array.from(data, Number));
  const ones = query.map(() => 1);
  return [
    { name: "all ones", when: "Query and key are all ones", q: ones, k: ones },
    { name: "equal", when: "Query and key are the same random vector", q: query, k: query },
    { name: "independent", when: "Query and key are two random vectors", q: query, k: key },
  ];
}

/**
 * The upper bound of RoPE's paper, section 3.4.3: the mean length of Σ exp(i n θ_j) over the first 1, 2, ... pairs.
 * @param {Phasor} phasor @param {number[]} distances
 */
function bounds({ sinusoidal }, distances) {
  return Array.from(sinusoidal.table(distances, DIM), ({ data }) => {
    let [sin, cos, sum] = [0, 0, 0];
    for (let i = 0; i < DIM; i += 2) {
      sin += Number(data[i]);
      cos += Number(data[i + 1]);
      sum += Math.hypot(sin, cos);
    }
    return sum / (DIM / 2);
  });
}

/** Distances between which the bound rises. */
const NEAR = 2000;
const BEYOND = 5000;

/** @type {Claim} */
export const fall = {
  measure: `At how many of ${count(DISTANCES - 1)} steps the score, or its bound, rises`,
  cases: (phasor) =>
    [
      ...pairs(phasor).map(({ when, q, k }) => ({
        when,
        line: scoresByDistance(phasor, q, k, DISTANCES),
      })),
      {
        when: "The upper bound of the paper, section 3.4.3",
        line: bounds(phasor, [...Array(DISTANCES).keys()]),
      },
    ].map(({ when, line }) => {
      const rises = line.filter((score, i) => i > 0 && score > line[i - 1]).length;
      return { when, number: count(rises), holds: rises === 0 };
    }),

  facts: {
    "fall-near": (phasor) => `${brief(bounds(phasor, [NEAR])[0])} at ${count(NEAR)} tokens`,
    "fall-beyond": (phasor) => `${brief(bounds(phasor, [BEYOND])[0])} at ${count(BEYOND)}`,
  },

  picture(phasor) {
    const all = pairs(phasor);
    return waves(beside(all.map(({ q, k }) => scoresByDistance(phasor, q, k, DISTANCES))), {
      title: "RoPE’s score by distance",
      labels: all.map(({ name }) => name),
      xTitle: "distance (tokens)",
      yTitle: "score",
    });
  },
};

/** Lengths of training and of use. */
const TRAINED = 4096;
const USED = 8192;

/** By how much YaRN slows each pair from the one length to eight times as much: as models do, and by the paper. @param {Phasor} phasor */
function yarnOf({ rope }) {
  const options = { factor: 8, originalLength: TRAINED };
  const [plain, code] = [undefined, { type: /** @type {const} */ ("yarn"), ...options }].map(
    (scaling) => Array.from(rope.frequencies(DIM, { scaling }).frequencies.data, Number),
  );
  return {
    code: plain.map((theta, i) => theta / code[i]),
    paper: slowedByPaper(plain, TRAINED, options.factor),
  };
}

/** @type {Claim} */
export const yarn = {
  measure:
    "By how much a pair is slowed by the formula of the paper, and by the code that models run",
  cases(phasor) {
    const { code, paper } = yarnOf(phasor);
    return [
      { pair: 0, kind: "many rotations in training" },
      { pair: 33, kind: "a few" },
      { pair: 63, kind: "less than one" },
    ].map(({ pair, kind }) => ({
      when: `Pair ${pair}: ${kind}`,
      number: `${brief(paper[pair])} and ${brief(code[pair])}`,
      holds: Math.abs(paper[pair] / code[pair] - 1) < 0.001,
    }));
  },

  picture(phasor) {
    const { code, paper } = yarnOf(phasor);
    return waves(beside([paper, code]), {
      title: `YaRN from ${count(TRAINED)} to ${count(8 * TRAINED)} tokens: by how much it slows each pair`,
      labels: ["paper", "code"],
      xTitle: "pair",
      yTitle: "slowed by",
    });
  },
};

/** @type {Claim} */
export const extrapolate = {
  measure: "Whether far positions have rotations, and whether these occurred in training",
  cases({ rope }) {
    const far = 1_000_000;
    const { cos, sin } = rope.table([far], DIM);
    const worst = Math.max(
      ...Array.from(cos.data, (x, i) => Math.abs(Math.hypot(Number(x), Number(sin.data[i])) - 1)),
    );
    const unseen = [10000, 500000].map((base) => ({ base, pairs: unseenPairs(rope, base) }));
    return [
      {
        when: `Position ${count(far)}: largest |cos² + sin² − 1| of its rotations`,
        number: brief(worst),
        holds: worst < 1e-6,
      },
      ...unseen.map(({ base, pairs }) => ({
        when: `Base ${count(base)}: how many of ${DIM / 2} pairs have new angles between ${count(TRAINED)} and ${count(USED)} tokens`,
        number: count(pairs),
        holds: pairs === 0,
      })),
    ];
  },
};

/** Pairs that do not make a whole rotation in training, so that further positions have new angles. @param {Phasor["rope"]} rope @param {number} base */
function unseenPairs(rope, base) {
  const { frequencies } = rope.frequencies(DIM, { base });
  return frequencies.data.filter((theta) => Number(theta) * TRAINED < 2 * Math.PI).length;
}

/** Heads of ALiBi, the text, and how far back counts as far. */
const HEADS = 8;
const TEXT = 8192;
const FAR = 1024;

/** The share of each head's weight that lies beyond the nearest tokens, with equal scores. @param {Phasor} phasor */
function farShares({ alibi, attention }) {
  const bias = alibi.bias(HEADS, 1, { keys: TEXT, form: "causal" });
  const weights = attention.softmax(bias.reshape(HEADS, TEXT));
  return Array.from(weights, ({ data }) =>
    data.subarray(0, TEXT - FAR).reduce((share, weight) => share + Number(weight), 0),
  );
}

/** @type {Claim} */
export const reach = {
  measure: `Weight of all tokens more than ${count(FAR)} back in a text of ${count(TEXT)}, with equal scores; from 1 % on they count as used`,
  cases: (phasor) =>
    farShares(phasor)
      .map((share, head) => ({
        when: `Head ${head + 1} of ${HEADS}`,
        number: `${brief(100 * share)} %`,
        holds: share > 0.01,
      }))
      .filter((_, head) => [0, 3, 6, 7].includes(head)),

  picture: (phasor) =>
    bar(
      farShares(phasor).map((share) => 100 * share),
      {
        title: `ALiBi on ${count(TEXT)} tokens: weight of those more than ${count(FAR)} back`,
        labels: Array.from({ length: HEADS }, (_, head) => String(head + 1)),
        xTitle: "head",
        yTitle: "weight (%)",
      },
    ),
};
