/** @import { Phasor, Tensor } from "phasor" */
import { beside } from "../../app/columns.js";
import { page } from "../../app/page.js";
import { brief, count } from "../../app/numbers.js";
import { bar, bias, waves } from "../../app/pictures.js";
import { remembered } from "../../app/remembered.js";

/** The number of distances drawn. */
const NEAR = 128;

/** The number of nearest tokens in the text. */
const NEAREST = 32;

/** The last token's weights in each head, nearest token first, if all scores are equal. */
const weightsOf = remembered(
  /** @param {Phasor} phasor @param {number} heads @param {number} context */
  ({ alibi, attention }, heads, context) => {
    const last = alibi.bias(heads, 1, { keys: context, form: "causal" });
    const weights = attention.softmax(last.reshape(heads, context));
    return Array.from(weights, ({ data }) => Array.from(data, Number).reverse());
  },
);

page({
  pictures: {
    penalties: ({ alibi }, { heads, length, form }) =>
      bias(alibi.bias(heads, length, { form }), {
        title: `What is added to the scores: ${count(Math.min(heads, 8))} of ${count(heads)} heads`,
        colors: "sequential",
        headLabels: Array.from({ length: heads }, (_, h) => `head ${h + 1}`),
      }),

    slopes: ({ alibi }, { heads }) =>
      bar(alibi.slopes(heads), {
        title: `The slopes of ${count(heads)} heads`,
        labels: Array.from({ length: heads }, (_, h) => String(h + 1)),
        xTitle: "head",
        yTitle: "slope (per token)",
      }),

    weights(phasor, { heads, context }) {
      const near = Math.min(NEAR, context);
      const shown = [0, Math.floor((heads - 1) / 2), heads - 1].filter(
        (head, i, all) => all.indexOf(head) === i,
      );
      const rows = shown.map((head) => weightsOf(phasor, heads, context)[head].slice(0, near));
      return waves(beside(rows), {
        title: "Weight by distance",
        labels: shown.map((head) => `head ${head + 1}`),
        xTitle: "distance (tokens)",
        yTitle: "attention weight",
        yScale: "log",
      });
    },

    reach: (phasor, { heads, context, share }) =>
      bar(
        weightsOf(phasor, heads, context).map((weights) => reach(weights, Number(share))),
        {
          title: `Nearest tokens that hold ${share * 100} % of the weight`,
          labels: Array.from({ length: heads }, (_, h) => String(h + 1)),
          xTitle: "head",
          yTitle: "tokens",
          rule: { value: context, label: "all there are" },
        },
      ),
  },

  playground: {
    penalties: (_, { heads, length, form }) => ({
      scheme: "alibi",
      view: "bias",
      settings: { heads, length, form },
    }),
  },

  facts: {
    "near-short": (phasor) => percent(held(weightsOf(phasor, 8, 256)[3], NEAREST)),
    "near-long": (phasor) => percent(held(weightsOf(phasor, 8, 2048)[3], NEAREST)),
  },

  questions: {
    twelve({ alibi }) {
      const [eight, twelve, sixteen] = [8, 12, 16].map((H) =>
        Array.from(alibi.slopes(H).data, Number),
      );
      const borrowed = [...eight, ...sixteen.filter((_, i) => i % 2 === 0)].slice(0, 12);
      const cut = sixteen.slice(0, 12);
      const answer =
        String(twelve) === String(borrowed)
          ? "borrowed"
          : String(twelve) === String(cut)
            ? "cut"
            : "even";
      return {
        answer,
        because: `The eighth slope is ${brief(twelve[7])}, the smallest of eight heads; the ninth is ${brief(twelve[8])}, the first of sixteen.`,
      };
    },
    reach(phasor) {
      const heads = weightsOf(phasor, 8, 1024);
      const [first, last] = [reach(heads[0], 0.99), reach(heads[7], 0.99)];
      return {
        answer: first < 50 ? "ten" : first < 500 ? "hundred" : "most",
        because: `${count(first)} tokens hold it, since each step multiplies the weight by e⁻¹ᐟ². In the last head it takes ${count(last)}.`,
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
      return {
        answer: apart < 1e-5 ? "same" : apart < 0.1 ? "near" : "other",
        because: `Over 8 heads and ${T} tokens the weights differ by ${brief(apart)} at most.`,
      };
    },
    "exercise-penalty"({ alibi }) {
      const penalty = alibi.bias(8, 11, { form: "symmetric" }).at(2, 10, 0);
      const slope = Number(alibi.slopes(8).data[2]);
      return {
        answer: Number(penalty),
        within: 1e-6,
        because: `The third slope is 2⁻³ = ${brief(slope)}; ten steps make ${brief(Number(penalty))}.`,
      };
    },
    "exercise-half"(phasor) {
      const shares = weightsOf(phasor, 8, 1024).map((weights) => held(weights, 64));
      const first = shares.findIndex((share) => share < 0.5);
      return {
        answer: first + 1,
        because: `The 64 nearest hold ${percent(shares[first - 1])} in head ${first} and ${percent(shares[first])} in head ${first + 1}.`,
      };
    },
  },

  code: {
    penalties: (_, { heads, length, form }) => `import { load } from "phasor";
import { figures } from "phasor/plots";

const { alibi } = await load();
const { bias } = figures();

display(alibi.slopes(${heads}));
display(bias(alibi.bias(${heads}, ${length}, { form: "${form}" }), { colors: "sequential" }));
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
