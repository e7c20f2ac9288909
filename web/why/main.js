// The way in: five predictions, made of the parts of lessons, and the first picture of the lab.

/** @import { Phasor } from "phasor" */
/** @import { Recorded } from "../lab/setup.js" */
/** @import { Mask, Scheme } from "../lessons/order/attend.js" */
import { Tensor } from "phasor";
import { set } from "../app/controls.js";
import { byId } from "../app/dom.js";
import { brief, count } from "../app/numbers.js";
import { page } from "../app/page.js";
import { bar } from "../app/pictures.js";
import { remembered } from "../app/remembered.js";
import { heroWords } from "../home/hero-words.js";
import { curvesOf } from "../lab/curves.js";
import { panels } from "../lab/panels.js";
import { rowOf, schemes, setupOf } from "../lab/setup.js";
import { meanOf } from "../lab/spread.js";
import { drowned, drownedAnswer, drownedPicture } from "../lessons/counting/drowned.js";
import { attend, inputs, matricesOf } from "../lessons/order/attend.js";
import { dial } from "../lessons/rope/dial.js";
import { dialOf, drawn, frequencies, product, rotated } from "../lessons/rope/hands.js";
import "./style.css";

const WORDS = ["dog", "bites", "man"];

/** The values of the three words in the first question. */
const VALUES = [8, 4, 0];

/** The maximal distance of two outputs that are equal in exact arithmetic. */
const ROUNDING = 1e-4;

/** What the dial of the lesson is set to. */
const HANDS = { pair: 2, dim: 32, base: "10000", seed: 2 };

/** What the lab is set to for its first picture. */
const LAB = {
  task: "back",
  length: "",
  steps: "",
  dim: "",
  heads: "",
  layers: "",
  std: "",
  temperature: 1,
  factor: "8",
  reading: "none",
};

/** The schemes in that picture. */
const SHOWN = /** @type {const} */ (["learned", "sinusoidal", "rope", "alibi"]);

/** The weights when dog has one of them. @param {number} dog */
const weightsOf = (dog) => [dog, (1 - dog) / 2, (1 - dog) / 2];

/** @param {readonly number[]} weights */
const mixOf = (weights) => weights.reduce((sum, weight, i) => sum + weight * VALUES[i], 0);

/** The output as a sum of products. @param {readonly number[]} weights */
const sumOf = (weights) =>
  `${weights.map((weight, i) => `${brief(weight)} × ${VALUES[i]}`).join(" + ")} = ${brief(mixOf(weights))}`;

/** The words as rows, in their order or reversed. @param {Float32Array[]} words @param {boolean} isReversed */
function rows(words, isReversed) {
  const all = isReversed ? [...words].reverse() : words;
  const [width] = all.map(({ length }) => length);
  return new Tensor(Float32Array.from(all.flatMap((row) => [...row])), [all.length, width]);
}

/** How far the outputs of each word are apart in the two orders, and the outputs of dog and man. */
const outputs = remembered(
  /** @param {Phasor} phasor @param {Float32Array[]} words @param {Scheme} scheme */
  (phasor, words, scheme) => {
    const matrices = matricesOf(phasor, words[0].length, 1);
    const [there, back] = [false, true].map(
      (isReversed) => attend(phasor, rows(words, isReversed), matrices, scheme).output,
    );
    const far = (/** @type {Tensor} */ a, /** @type {Tensor} */ b) =>
      phasor.similarity.pair(a, b, { metric: "euclidean" });
    return {
      apart: words.map((_, i) => far(there.row(i), back.row(words.length - 1 - i))),
      unlike: far(there.row(0), there.row(words.length - 1)),
    };
  },
);

/** How far the sums of all vectors are apart in the two orders, and how long one is. */
const sums = remembered(
  /** @param {Phasor} phasor @param {Float32Array[]} words @param {Scheme} scheme */
  (phasor, words, scheme) => {
    const totals = [false, true].map((isReversed) => {
      const { data, shape } = inputs(phasor, rows(words, isReversed), scheme);
      const [T, D] = shape;
      const total = Float64Array.from({ length: D }, (_, d) => {
        let sum = 0;
        for (let t = 0; t < T; ++t) sum += Number(data[t * D + d]);
        return sum;
      });
      return total;
    });
    const [one, other] = totals;
    return {
      apart: Math.hypot(...one.map((x, d) => x - other[d])),
      length: Math.hypot(...one),
    };
  },
);

/** @param {Recorded} recorded */
function drawLab(recorded) {
  const setup = setupOf(LAB, recorded);
  const { axes, all } = curvesOf({
    recorded,
    setup,
    names: SHOWN,
    runs: [],
    view: "length",
    isCovered: false,
  });
  panels(byId("panels")).show(axes, all);
}

page({
  prepare: async () => {
    const [words, recorded] = await Promise.all([
      heroWords(),
      fetch(new URL("../lab/recorded.json", import.meta.url)).then((answer) => answer.json()),
    ]);
    return {
      words: words.map(({ vector }) => vector),
      scaled: words.map(({ vector }) => vector.map((x) => x * Math.sqrt(vector.length))),
      recorded,
    };
  },

  begin({ phasor, controls, made, cell }) {
    drawLab(made.recorded);
    /** The position when the pointer went down. */
    let from = 0;
    const show = dial(byId("dial"), (radians, begins) => {
      if (begins) from = controls.position;
      const theta = frequencies(phasor, HANDS.dim, HANDS.base)[HANDS.pair];
      set("position", Math.min(64, Math.max(0, Math.round(from + radians / theta))));
    });
    cell(({ position, apart }) => dialOf(phasor, { ...HANDS, position, apart }), show);
  },

  pictures: {
    mixed(_, { weight }) {
      const weights = weightsOf(weight);
      return bar(
        weights.map((each, i) => each * VALUES[i]),
        {
          title: "What each word adds to the output",
          labels: WORDS,
          xTitle: "word",
          yTitle: "weight × value",
        },
      );
    },

    outputs: (phasor, { scheme }, { words }) =>
      bar(outputs(phasor, words, scheme).apart, {
        title: "How far the outputs of each word are apart in the two sentences",
        labels: WORDS,
        xTitle: "word",
        yTitle: "distance",
      }),

    sums: (phasor, _, { words }) =>
      bar(
        [
          sums(phasor, words, "none").apart,
          sums(phasor, words, "sinusoidal").apart,
          outputs(phasor, words, "sinusoidal").apart[1],
        ],
        {
          title: "How far the two sentences are apart",
          labels: ["sum of words", "sum of words and positions", "attention at “bites”"],
          xTitle: "what is compared",
          yTitle: "distance",
          horizontal: true,
        },
      ),

    drowned: (phasor, _, { scaled: [dog, , man], guess }) =>
      drownedPicture(phasor, [dog, man], 40, guess.count),
  },

  facts: {
    mix: (_, { weight }) => `The output is ${sumOf(weightsOf(weight))}.`,
    width: (_, __, { words }) => count(words[0].length),
    cosine: (phasor, _, { scaled: [dog, , man] }) => brief(drowned(phasor, [dog, man], 0)[0]),
    length: (_, __, { recorded }) => count(setupOf(LAB, recorded).length),
    longest: (_, __, { recorded }) => count(recorded.tasks.back.lengths.at(-1)),
    legend: (_, __, { recorded }) =>
      `Accuracy by the length of the text, in tokens. Gray: ${count(rowOf(recorded, setupOf(LAB, recorded), "rope")?.bits.length ?? 0)} trainings and, dashed, their mean. Red: beyond the trained length. Dotted: a guess.`,
    best(_, __, { recorded }) {
      const setup = setupOf(LAB, recorded);
      const means = SHOWN.map((name) => {
        const all = rowOf(recorded, setup, name)?.accuracy ?? [];
        return { name: schemes[name], reached: meanOf(all.map((of) => of[of.length - 1])) };
      });
      const { name, reached } = means.reduce((a, b) => (b.reached > a.reached ? b : a));
      return `Of these four, ${name} is right most often there: ${Math.round(100 * reached)} % of the answers. On another task it is another one.`;
    },
  },

  questions: {
    mean() {
      const weights = weightsOf(0.5);
      return {
        answer: mixOf(weights),
        because: `${sumOf(weights)}: a mean in which “dog” counts twice as much as each of the others.`,
        near: [
          { value: 4, because: "That is the plain mean. Here “dog” has twice the weight." },
          { value: 12, because: "That is the sum of the values, without their weights." },
        ],
      };
    },
    same(phasor, _, { words }) {
      const { apart, unlike } = outputs(phasor, words, "none");
      const [dog] = apart;
      const found = `The two outputs of “dog” are ${brief(dog)} apart`;
      return {
        answer: dog < ROUNDING ? "equal" : dog < unlike / 2 ? "near" : "unlike",
        because: {
          unlike: `The outputs of “dog” and of “man” are ${brief(unlike)} apart. ${found}: the same word asks, and the same words offer the same.`,
          near: `Nothing in the formula says left or right: a word has the same weight wherever it is. ${found}.`,
          equal: `${found}. The output is a sum over all words, and a sum does not depend on their order.`,
        },
      };
    },
    sum(phasor, _, { words }) {
      const { apart, length } = sums(phasor, words, "sinusoidal");
      const found = `The sums are ${brief(apart)} apart, and each has a length of ${brief(length)}.`;
      return {
        answer: apart < 1e-3 ? "equal" : apart < length / 2 ? "close" : "other",
        because: {
          other: `What “dog” gains at its new position, “man” loses there. ${found}`,
          close: `Not even a little is left: the same six vectors are added, only in a different order. ${found}`,
          equal: `${found} Each is the sum of three words plus the sum of positions 0, 1 and 2.`,
        },
      };
    },
    count: (phasor, _, { scaled: [dog, , man] }) => drownedAnswer(phasor, [dog, man]),
    hands(phasor) {
      const { query, key } = drawn(phasor, HANDS.dim, HANDS.seed);
      const [near, far] = [0, 1000].map((on) =>
        product(phasor, rotated(phasor, query, [1 + on]), rotated(phasor, key, [on])),
      );
      const same = Math.abs(near - far) < 1e-3;
      const found = `It is ${near.toFixed(5)} before and ${far.toFixed(5)} after, for all ${HANDS.dim / 2} pairs of hands`;
      return {
        answer: same ? "same" : Math.abs(near + far) < 1e-3 ? "sign" : "decays",
        because: {
          same: `${found}: both hands have turned by the same angle, so the angle between them has not changed. Only the distance of the two words counts.`,
          sign: `A hand that is turned by half a circle changes its sign. But both turn, and two changes of sign cancel out. ${found}.`,
          decays: `Both are far from the beginning, but still one step from each other. ${found}.`,
        },
      };
    },
  },
});
