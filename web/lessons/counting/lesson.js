/** @import { Phasor, Tensor } from "phasor" */
import { page } from "../../app/page.js";
import { make } from "../../app/dom.js";
import { brief, count } from "../../app/numbers.js";
import { clock, waves } from "../../app/pictures.js";
import { remembered } from "../../app/remembered.js";
import "./counting.css";
import { columns, dogAndMan, drowned, drownedAnswer, drownedPicture } from "./drowned.js";

/** The digits of a position, and how many positions they number. */
const DIGITS = 4;
const COUNT = 2 ** DIGITS;

/** The numbers of a position as sines and cosines, and the options that give them the periods of the digits. */
const WIDTH = 2 * DIGITS;
const PERIODS = { base: COUNT, positionScale: Math.PI };

/** Points drawn for each position of a wave. */
const FINE = 8;

/** Where waves and digits are drawn: each position is in the middle of its step. */
const PLACES = Array.from({ length: COUNT * FINE + 1 }, (_, i) => i / FINE - 0.5);

/** The binary digits of all positions, the fastest first. */
const digits = {
  data: Float32Array.from({ length: COUNT * DIGITS }, (_, i) =>
    digitOf(Math.floor(i / DIGITS), i % DIGITS),
  ),
  shape: [COUNT, DIGITS],
};

/** Sines and cosines of all positions. */
const hands = remembered(
  /** @param {Phasor} phasor */
  ({ sinusoidal }) => sinusoidal.table(COUNT, WIDTH, PERIODS),
);

/** Dot products of each position with the one `step` further on. */
const products = remembered(
  /** @param {Phasor} phasor @param {number} step */
  (phasor, step) => {
    const ahead = COUNT - step;
    return [digits, hands(phasor)].map(({ data, shape: [, width] }) => {
      const numbers = Float32Array.from(/** @type {ArrayLike<number>} */ (data));
      const from = { data: numbers.subarray(0, ahead * width), shape: [ahead, width] };
      const to = { data: numbers.subarray(step * width), shape: [ahead, width] };
      return Array.from(phasor.similarity.rows(from, to, { metric: "dot" }).data, Number);
    });
  },
);

page({
  prepare: async () => ({ words: await dogAndMan() }),

  pictures: {
    drowned: (phasor, { reach }, { words, guess }) =>
      drownedPicture(phasor, words, reach, guess.integers),

    fractions(_, { length }, { guess }) {
      const steps = { one: 1, two: 2, half: (length - 1) / 2 }[String(guess.fractions)];
      const numberOf = (/** @type {number} */ words) =>
        Array.from({ length }, (_, t) => (t < words ? t / (words - 1) : NaN));
      return waves(columns([numberOf(3), numberOf(length)]), {
        title: "The number of each position",
        labels: ["3 words", `${length} words`],
        xTitle: "position t (tokens)",
        yTitle: "t / (T − 1)",
        points: true,
        rules: [{ y: 0.5, label: "1/2" }, ...(steps ? [{ x: steps, label: "your guess" }] : [])],
      });
    },

    steps: (phasor, { position }) =>
      waves(columns([apart(phasor)]), {
        title: "Distance between the digits of t and t + 1",
        labels: ["distance"],
        xTitle: "position t (tokens)",
        yTitle: "distance",
        points: true,
        yDomain: [0, 2.2],
        rules: [{ x: position, label: `t = ${position}` }],
      }),

    digits: (_, { position }) =>
      waves(
        columns(
          Array.from({ length: DIGITS }, (_, digit) =>
            PLACES.map((x) => digitOf(within(x), digit)),
          ),
        ),
        stacked("The four digits", position),
      ),

    soft: (phasor, { position }) =>
      waves(columns(softDigits(phasor)), stacked("Waves with the same periods", position)),

    alone(phasor, { position }) {
      const sines = slowest(phasor);
      return waves(columns([sines]), {
        title: "The sine with the period 16",
        labels: ["sine"],
        xTitle: "position t (tokens)",
        yTitle: "sine",
        yDomain: [-1.1, 1.1],
        points: true,
        rules: [{ y: sines[position], label: `the value of position ${position}` }],
      });
    },

    hands(phasor, { position, step }) {
      const at = (/** @type {number} */ t) => {
        const { data } = phasor.sinusoidal.table([t], WIDTH, PERIODS);
        return Array.from({ length: DIGITS }, (_, i) => [
          Number(data[2 * i + 1]),
          Number(data[2 * i]),
        ]);
      };
      return clock(at(position + step), {
        title: `Position ${position} (dashed) rotated by ${step} steps`,
        before: at(position),
        labels: Array.from({ length: DIGITS }, (_, i) => `period ${2 ** (i + 1)}`),
      });
    },

    products(phasor, { step }) {
      const [ofDigits, ofHands] = products(phasor, step);
      return waves(columns([ofDigits, ofHands]), {
        title: `The dot product of positions t and t + ${step}`,
        labels: ["binary digits", "sines and cosines"],
        xTitle: "position t (tokens)",
        yTitle: "dot product",
        points: true,
        yDomain: [-4, 4.4],
      });
    },
  },

  facts: {
    width: (_, __, { words }) => count(words[0].length),
    cosine: (phasor, _, { words }) => brief(drowned(phasor, words, 0)[0]),
    reach: (_, { reach }) => count(reach),
    "drowned-at": (phasor, { reach }, { words }) =>
      (drowned(phasor, words, reach).at(-1) ?? 0).toFixed(4),
    "step-of-long": (_, { length }) => `1/${length - 1}`,
    shortest: (phasor) => brief(Math.min(...apart(phasor))),
    longest: (phasor) => brief(Math.max(...apart(phasor))),
    counter(_, { position }) {
      const signs = Array.from({ length: DIGITS }, (_, i) => digitOf(position, DIGITS - 1 - i));
      return make(
        "p",
        { class: "counter" },
        ...signs.map((digit) => make("span", { "data-digit": digit }, String(digit))),
        make("small", {}, ` position ${position}`),
      );
    },
  },

  questions: {
    integers: (phasor, _, { words }) => drownedAnswer(phasor, words),
    fractions(_, { length }) {
      const steps = (length - 1) / 2;
      const long = `A step is 1/${length - 1} here, so 1/2 is ${brief(steps)} steps`;
      return {
        answer: steps === 1 ? "one" : steps === 2 ? "two" : "half",
        because: {
          one: `That holds for 3 words only. ${long}.`,
          two: `How large a step is depends on the length of the text. ${long}.`,
          half: `${long}: the same number means something different in each text.`,
        },
      };
    },
    bits() {
      const changes = [6, 7].map(changed);
      const said = `6 is ${binary(6)}, 7 is ${binary(7)} and 8 is ${binary(8)}: ${changes[0]} digit changes, then ${changes[1]}.`;
      return {
        answer: changes[1] === DIGITS ? "jump" : changes[1] === 1 ? "equal" : "two",
        because: {
          equal: `A digit that is 1 goes back to 0 and carries to the next. ${said}`,
          jump: said,
          two: `Two is the average over many steps, but single steps differ. ${said}`,
        },
      };
    },
    alone(phasor) {
      const sines = slowest(phasor);
      const shared = sines.filter((x, t) =>
        sines.some((other, s) => s !== t && Math.abs(x - other) < 1e-6),
      ).length;
      const said = `${shared} of the ${COUNT} positions share their value with another.`;
      return {
        answer: shared === 0 ? "none" : shared === 2 ? "two" : "most",
        because: {
          none: `Within one period the wave rises and falls, so it passes each height twice. ${said}`,
          two: `It is the other way round: only the highest and the lowest point are reached once. ${said}`,
          most: said,
        },
      };
    },
    rotation(phasor) {
      const [ofDigits, ofHands] = products(phasor, 2);
      const [one, six] = [ofHands[1], ofHands[6]];
      const said = `Both are ${brief(one)}; they differ by ${brief(Math.abs(one - six))}.`;
      return {
        answer: Math.abs(one - six) < 1e-5 ? "equal" : one > six ? "first" : "second",
        because: {
          first: `With binary digits, the dot products are ${brief(ofDigits[1])} and ${brief(ofDigits[6])}. But a hand has no carry. ${said}`,
          second: `That holds for the positions themselves. But a hand only goes around: it never gets longer. ${said}`,
          equal: `${said} Two steps rotate each hand by the same angle from 1 as from 6.`,
        },
      };
    },
    "exercise-digits"() {
      const answer = binary(999).length;
      return {
        answer,
        because: `With ${answer} digits you can write ${count(2 ** answer)} different numbers, with ${answer - 1} only ${count(2 ** (answer - 1))}.`,
        near: [
          {
            value: answer - 1,
            because: `With ${answer - 1} digits you can write ${count(2 ** (answer - 1))} numbers only.`,
          },
          { value: 3, because: "That is for decimal digits. A binary digit is 0 or 1." },
          { value: 4, because: "Four binary digits number 16 positions." },
        ],
      };
    },
    "exercise-change"() {
      const answer = changed(11);
      return {
        answer,
        because: `11 is ${binary(11)} and 12 is ${binary(12)}: ${answer} digits change.`,
        near: [
          { value: 1, because: "The last digit of 11 is 1 and must carry. How far does it carry?" },
          { value: 2, because: "Two digits go back to 0. Where does the carry go?" },
          { value: 4, because: "The digit for 8 does not change." },
        ],
      };
    },
  },

  point: {
    steps: ({ x }, set) => set("position", within(x)),
    digits: ({ x }, set) => set("position", within(x)),
    soft: ({ x }, set) => set("position", within(x)),
  },

  code: {
    products: (_, { step }) => `import * as Plot from "@observablehq/plot";
import { load } from "phasor";
import { figures } from "phasor/plots";

const { similarity, sinusoidal } = await load();
const { waves } = figures({ Plot });

const digits = Array.from({ length: ${COUNT} }, (_, t) => [0, 1, 2, 3].map((i) => (t >> i) & 1));
const hands = sinusoidal.table(${COUNT}, ${WIDTH}, { base: ${COUNT}, positionScale: Math.PI }).toArray();

const k = ${step};
const products = [digits, hands].map((rows) =>
  similarity.rows(rows.slice(0, ${COUNT} - k), rows.slice(k), { metric: "dot" }).toArray(),
);
const lines = products[0].map((_, t) => products.map((line) => line[t]));
display(waves(lines, { labels: ["binary digits", "sines and cosines"], points: true }));
`,
  },
});

/** A binary digit of a position, 0 the fastest. @param {number} position @param {number} digit */
function digitOf(position, digit) {
  return (position >> digit) & 1;
}

/** @param {number} position */
function binary(position) {
  return position.toString(2).padStart(DIGITS, "0");
}

/** How many digits change in the step from a position. @param {number} position */
function changed(position) {
  return Array.from(binary(position ^ (position + 1))).filter((digit) => digit === "1").length;
}

/** How far the digits of each position are from those of the next. @param {Phasor} phasor */
function apart({ similarity }) {
  const { data } = similarity.matrix(digits, digits, { metric: "euclidean" });
  return Array.from({ length: COUNT - 1 }, (_, t) => Number(data[t * COUNT + t + 1]));
}

/** The sines of the slowest pair. @param {Phasor} phasor */
function slowest(phasor) {
  return Array.from({ length: COUNT }, (_, t) => hands(phasor).at(t, WIDTH - 2));
}

/**
 * From 0 to 1 and back, at the digits' pace. Shifted by half a position: at a position itself, the fastest sine would
 * always be 0, which is neither high nor low.
 * @param {Phasor} phasor
 */
function softDigits({ sinusoidal }) {
  const table = sinusoidal.table(
    PLACES.map((x) => x + 0.5),
    WIDTH,
    PERIODS,
  );
  return Array.from({ length: DIGITS }, (_, digit) =>
    PLACES.map((_, i) => (1 - table.at(i, 2 * digit)) / 2),
  );
}

/** Lines above one another, the slowest on top. @param {string} title @param {number} position */
function stacked(title, position) {
  return {
    title,
    x: PLACES,
    labels: Array.from({ length: DIGITS }, (_, i) => `period ${2 ** (i + 1)}`),
    xTitle: "position t (tokens)",
    yTitle: "0 to 1, one above the other",
    offset: 1.4,
    rules: [{ x: position, label: `t = ${position}` }],
  };
}

/** The position that is nearest to a place on the axis. @param {number} x */
function within(x) {
  return Math.min(COUNT - 1, Math.round(x));
}
