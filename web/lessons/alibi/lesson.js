/** @import { Phasor, Tensor } from "phasor" */
import { beside } from "../../app/columns.js";
import { byId } from "../../app/dom.js";
import { page } from "../../app/page.js";
import { brief, count } from "../../app/numbers.js";
import { bar, bias, heatmap, waves } from "../../app/pictures.js";
import { valueAt } from "../../app/questions/verdict.js";
import { remembered } from "../../app/remembered.js";
import { cut } from "../../app/text/cut.js";
import { shortened } from "../../app/text/begin.js";
import { showFading } from "./fading.js";

/** The number of distances drawn. */
const NEAR = 128;

/** The last distance of the weights that the reader draws. */
const DRAWN_TO = 12;

/** The number of heads whose penalties are drawn. */
const DRAWN = 4;

/** The number of nearest tokens in the text. */
const NEAREST = 32;

/** The sentence of the questions, which is also the page's first. */
const SENTENCE = "dog bites man and man bites dog";

/** The most words that are drawn, and the width of their vectors. */
const MOST = 16;
const DIM = 32;

/** The most characters of a word that are shown. */
const LONGEST = 16;

/** The seeds that the page offers. */
const SEEDS = 21;

/** The last token's weights in each head, nearest token first, if all scores are equal. */
const weightsOf = remembered(
  /** @param {Phasor} phasor @param {number} heads @param {number} context */
  ({ alibi, attention }, heads, context) => {
    const last = alibi.bias(heads, 1, { keys: context, form: "causal" });
    const weights = attention.softmax(last.reshape(heads, context));
    return Array.from(weights, ({ data }) => Array.from(data, Number).reverse());
  },
);

/** The words of a text, or of the page's own if it has none; long ones end with dots. @param {string} text */
function wordsOf(text) {
  const words = cut(text);
  return (words.length > 0 ? words : cut(SENTENCE))
    .slice(0, MOST)
    .map((word) => shortened(word, LONGEST, LONGEST - 1));
}

/**
 * The weights of the words for a random query of the last word, where each word has a random key.
 *
 * @param {Phasor} phasor @param {readonly string[]} words @param {number} seed
 */
function schemesOf({ alibi, attention, embedding, rope }, words, seed) {
  const T = words.length;
  const kinds = [...new Set(words)];
  const drawn = embedding.create(kinds.length + 1, DIM, { std: 1, seed });
  const k = drawn.lookup(words.map((word) => kinds.indexOf(word)));
  const q = drawn.lookup(Array(T).fill(kinds.length));
  drawn.dispose();
  const rotated = { rope: rope.table(T, DIM) };
  const penalty = (/** @type {number} */ slope) => ({
    bias: alibi.bias(1, T, { slopes: [slope] }),
  });
  const weights = (/** @type {object} */ options) => {
    const all = attention.scaledDotProduct({ q, k, v: k }, options).weights;
    return Array.from(all.data.slice(-T), Number);
  };
  const [first] = alibi.slopes(8).data;
  return {
    "no positions": weights({}),
    ALiBi: weights(penalty(Number(first))),
    RoPE: weights(rotated),
  };
}

/** The heads that the page shows: the first, one in the middle and the last. @param {number} heads */
function someOf(heads) {
  return [0, Math.floor((heads - 1) / 2), heads - 1].filter((h, i, all) => all.indexOf(h) === i);
}

page({
  begin({ phasor, cell }) {
    cell(
      ({ sentence, heads }) => {
        const words = wordsOf(sentence);
        const weights = weightsOf(phasor, heads, words.length);
        const shown = Array.from({ length: heads }, (_, h) => ({
          name: `head ${h + 1}`,
          weights: weights[h].toReversed(),
        }));
        return { words, shown };
      },
      ({ words, shown }) => showFading(byId("sentence-heads"), words, shown, percent),
    );
  },

  pictures: {
    penalties({ alibi }, { heads, length, form }) {
      const drawn = alibi.bias(heads, length, { form }).slice(0, Math.min(heads, DRAWN));
      return bias(drawn, {
        title: `What is added to the scores: the first of ${count(heads)} heads`,
        headLabels: Array.from(drawn, (_, h) => `head ${h + 1}`),
      });
    },

    slopes: ({ alibi }, { heads }) =>
      bar(alibi.slopes(heads), {
        title: `The slopes of ${count(heads)} heads`,
        labels: Array.from({ length: heads }, (_, h) => String(h + 1)),
        xTitle: "head",
        yTitle: "slope (per step)",
      }),

    weights(phasor, { heads, context }, { guess }) {
      const near = Math.min(NEAR, context);
      const drawn = heads === 8 ? guess.weight : undefined; // it was asked of the first of eight heads
      const shown = someOf(heads);
      const rows = shown.map((head) => weightsOf(phasor, heads, context)[head].slice(0, near));
      const guessed = (/** @type {number} */ n) => (n <= DRAWN_TO ? valueAt(drawn, n) : NaN);
      const line = drawn ? [rows[0].map((_, n) => guessed(n))] : [];
      return waves(beside([...rows, ...line]), {
        title: "Weight by distance if all scores are equal",
        labels: [...shown.map((head) => `head ${head + 1}`), ...line.map(() => "your drawing")],
        xTitle: "distance (steps)",
        yTitle: "attention weight",
        yScale: "log",
      });
    },

    reach(phasor, { heads, context, share }, { guess }) {
      const isAsked = heads === 8 && context === 1024 && share === "0.99";
      const guessed = isAsked && { ten: 10, hundred: 100 }[String(guess.reach)];
      return bar(
        weightsOf(phasor, heads, context).map((weights) => reach(weights, Number(share))),
        {
          title: `Nearest tokens that hold ${share * 100} % of the weight`,
          labels: Array.from({ length: heads }, (_, h) => String(h + 1)),
          xTitle: "head",
          yTitle: "tokens",
          rule: guessed
            ? { value: guessed, label: `your guess for head 1: ${guessed}` }
            : { value: context, label: "the whole context" },
        },
      );
    },

    schemes(phasor, { sentence, seed }) {
      const words = wordsOf(sentence);
      const found = schemesOf(phasor, words, seed);
      return heatmap(Object.values(found), {
        title: `What “${words[words.length - 1]}” attends to`,
        rowTitle: "positions by",
        columnTitle: "word",
        rowLabels: Object.keys(found),
        columnLabels: words,
        unit: "(weight)",
        colors: "blue",
        domain: [0, 1],
        numbers: true,
      });
    },
  },

  playground: {
    penalties: (_, { heads, length, form }) => ({
      scheme: "alibi",
      view: "bias",
      settings: { heads, length, form },
    }),
  },

  facts: {
    factor: (phasor) => {
      const [first] = weightsOf(phasor, 8, 1024);
      return brief(first[1] / first[0]);
    },
    eighth: ({ alibi }) => brief(Number(alibi.slopes(12).data[7])),
    ninth: ({ alibi }) => brief(Number(alibi.slopes(12).data[8])),
  },

  questions: {
    weight(phasor) {
      const [weights] = weightsOf(phasor, 8, 16);
      return {
        curve: weights.map((weight, n) => /** @type {const} */ ([n, weight])),
        within: 0.03,
        because: `The last token itself has ${percent(weights[0])}, its neighbor ${percent(weights[1])}, a token four steps back ${percent(weights[4])}. The penalty is a straight line, but softmax turns each step into a constant factor.`,
      };
    },
    next(phasor) {
      const heads = weightsOf(phasor, 8, 1024);
      const [one, two] = heads.slice(0, 2).map((weights) => {
        const at = (/** @type {number} */ n) => Math.log(weights[n] / weights[0]);
        return Math.log(0.1) / at(1);
      });
      const found = `It has fallen to a tenth at distance ${brief(one)} in head 1 and at ${brief(two)} in head 2`;
      const ratio = two / one;
      return {
        answer: Math.abs(ratio - 2) < 0.01 ? "twice" : ratio < 1.5 ? "step" : "squared",
        because: {
          step: `The slope counts at every step, so halving it makes a difference at every step. ${found}.`,
          twice: `${found}: with half the slope, the same penalty takes twice the distance.`,
          squared: `The weight is e to the power of −m times the distance. If m is halved, twice the distance gives the same weight. ${found}.`,
        },
      };
    },
    reach(phasor) {
      const heads = weightsOf(phasor, 8, 1024);
      const [first, last] = [reach(heads[0], 0.99), reach(heads[7], 0.99)];
      const found = `${count(first)} tokens hold 99 % of it`;
      return {
        answer: first < 50 ? "ten" : first < 500 ? "hundred" : "most",
        because: {
          ten: `${found}, since each step multiplies the weight by ${brief(heads[0][1] / heads[0][0])}. In the last head it takes ${count(last)}.`,
          hundred: `A hundred steps back the weight is ${brief(heads[0][100])}. ${found}.`,
          most: `That would be true without a penalty. Here, each step multiplies the weight by ${brief(heads[0][1] / heads[0][0])}: ${found}. It is true in the last head, where it takes ${count(last)}.`,
        },
      };
    },
    longer(phasor) {
      const [short, long] = [256, 2048].map((context) =>
        weightsOf(phasor, 8, context).map((weights) => held(weights, NEAREST)),
      );
      const falls = (/** @type {number} */ h) => short[h] - long[h] > 0.01;
      const found = (/** @type {number} */ h) =>
        `in head ${h + 1} they hold ${percent(short[h])} in a context of 256 tokens and ${percent(long[h])} in one of 2,048`;
      const [fourth, last] = [3, 7].map(found);
      return {
        answer: falls(0) ? "all" : falls(7) ? "flat" : "none",
        because: {
          none: `That holds where the slope is steep: ${fourth}. But ${last}.`,
          all: `The new tokens are far, and what they get depends on the slope: ${fourth}, but ${last}.`,
          flat: `The 32 nearest lose nothing where far tokens have no weight: ${fourth}. But ${last}.`,
        },
      };
    },
    schemes(phasor) {
      const words = cut(SENTENCE);
      const [far, near] = [words.indexOf("bites"), words.lastIndexOf("bites")];
      const all = Array.from({ length: SEEDS }, (_, seed) => schemesOf(phasor, words, seed));
      const nearer = (/** @type {"ALiBi" | "RoPE"} */ scheme) =>
        all.filter((each) => each[scheme][near] > each[scheme][far]).length;
      const equal = all.filter(({ RoPE }) => Math.abs(RoPE[near] - RoPE[far]) < 1e-6).length;
      const found = `With RoPE the nearer “bites” gets more for ${nearer("RoPE")} of the ${SEEDS} seeds, with ALiBi for ${nearer("ALiBi")}`;
      return {
        answer: equal === SEEDS ? "equal" : nearer("RoPE") === SEEDS ? "always" : "depends",
        because: {
          always: `RoPE rotates, and a rotation can raise a dot product as well as lower it. ${found}.`,
          depends: `${found}. With RoPE, the query and the key determine which distances get more weight.`,
          equal: `There is no penalty, but the angle between query and key depends on the distance. ${found}.`,
        },
      };
    },
    bloom({ alibi, attention }) {
      const T = 64;
      const weights = /** @type {const} */ (["press", "causal"]).map((form) => {
        const added = alibi.bias(8, T, { form });
        const inputs = { q: zeros(8, T), k: zeros(8, T), v: zeros(8, T) };
        return attention.scaledDotProduct(inputs, { bias: added, causal: true }).weights;
      });
      const apart = Math.max(
        ...Array.from(weights[0].data, (x, i) => Math.abs(Number(x) - Number(weights[1].data[i]))),
      );
      const found = `Over 8 heads and ${T} tokens the largest difference of a weight is ${brief(apart)}`;
      return {
        answer: apart < 1e-5 ? "same" : apart < 0.1 ? "near" : "other",
        because: {
          same: `${found}.`,
          near: `For each query, the two penalties differ by the same number at all distances. ${found}.`,
          other: `Later keys get more, and with a causal mask the later keys are the nearer ones. ${found}.`,
        },
      };
    },
    "exercise-penalty"({ alibi }) {
      const penalty = Number(alibi.bias(8, 11, { form: "symmetric" }).at(2, 10, 0));
      const slope = Number(alibi.slopes(8).data[2]);
      return {
        answer: penalty,
        within: 1e-6,
        because: `The third slope is 2⁻³ = ${brief(slope)}. For ten steps, that adds ${brief(penalty)}.`,
        near: [
          { value: -penalty, because: "The size is right. Does the penalty raise the score?" },
          { value: 2 * penalty, because: "That is the penalty of the second head." },
          { value: 0.9 * penalty, because: "That is nine steps. From 0 to 10 there are ten." },
          { value: 1.1 * penalty, because: "That is eleven steps. From 0 to 10 there are ten." },
          { value: -slope, because: "That is one step. The token is ten steps back." },
        ],
      };
    },
    "exercise-half"(phasor) {
      const shares = weightsOf(phasor, 8, 1024).map((weights) => held(weights, 64));
      const first = shares.findIndex((share) => share < 0.5);
      return {
        answer: first + 1,
        because: `The 64 nearest hold ${percent(shares[first - 1])} in head ${first} and ${percent(shares[first])} in head ${first + 1}.`,
        near: [
          {
            value: first,
            because: "There they still hold more than half. Or did you count from 0?",
          },
        ],
      };
    },
  },

  code: {
    penalties: (_, { heads, length, form }) => `import { load } from "phasor";
import { figures } from "phasor/plots";

const { alibi } = await load();
const { bias } = figures();

display(alibi.slopes(${heads}));
display(bias(alibi.bias(${heads}, ${length}, { form: "${form}" })));
`,
  },
});

/** The number of nearest tokens that have a share of the weight. @param {number[]} weights @param {number} share */
function reach(weights, share) {
  let sum = 0;
  return weights.findIndex((weight) => (sum += weight) >= share) + 1 || weights.length;
}

/** The weight of the nearest tokens. @param {number[]} weights @param {number} nearest */
function held(weights, nearest) {
  return weights.slice(0, nearest).reduce((sum, weight) => sum + weight, 0);
}

/** @param {number} share */
function percent(share) {
  return `${brief(share * 100)} %`;
}

/** Queries, keys or values of zeros, one number each: every score is 0. @param {number} heads @param {number} length */
function zeros(heads, length) {
  return { data: new Float32Array(heads * length), shape: [heads, length, 1] };
}
