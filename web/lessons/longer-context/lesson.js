/** @import { Phasor } from "phasor" */
import { models } from "phasor/models";
import { beside } from "../../app/columns.js";
import { byId } from "../../app/dom.js";
import { page } from "../../app/page.js";
import { brief, count } from "../../app/numbers.js";
import { bar, heatmap, spectrum, waves } from "../../app/pictures.js";
import { valueAt } from "../../app/questions/verdict.js";
import { remembered } from "../../app/remembered.js";
import { slowedByPaper } from "../../app/samples.js";
import { isSeen, showDials } from "./arcs.js";
import { FAST, HEAD, SCORE, finder, previous, weightsNear, weightsOfKey } from "./heads.js";

/** @typedef {"linear" | "ntk" | "yarn" | "llama3"} Method */
/** @typedef {{dim: number, base: number, trained: number, factor: number}} Setting */

/** The names of the methods on the page. @type {Record<Method, string>} */
const methods = {
  linear: "linear",
  ntk: "NTK",
  yarn: "YaRN",
  llama3: "Llama 3",
};
const names = /** @type {Method[]} */ (Object.keys(methods));

/** The setting of the questions, and the pair and the positions that one of them asks about. */
const asked = { dim: 128, base: 10000, trained: 4096, factor: 8 };
const ASKED_PAIR = 50;
const ASKED_POSITIONS = [6000, 10000];

/** YaRN keeps pairs with more circles than this, and slows those with less than one. */
const CIRCLES = 32;

/** rope.frequencies' options for a method. @param {Method} method @param {Setting} setting */
function scaling(method, { trained, factor }) {
  switch (method) {
    case "linear":
      return { type: method, factor };
    case "ntk":
      return { type: method, alpha: factor };
    case "yarn":
      return { type: method, factor, originalLength: trained };
    case "llama3":
      return { type: method, factor, lowFreqFactor: 1, highFreqFactor: 4, originalLength: trained };
  }
}

/** The frequency of each pair, radians per token. @param {Phasor} phasor @param {Setting} setting @param {Method} [method]  none: as trained */
function frequencies({ rope }, setting, method) {
  const { dim, base, trained, factor } = setting;
  const options = method
    ? { base, scaling: scaling(method, setting), length: trained * factor }
    : { base };
  return Array.from(rope.frequencies(dim, options).frequencies.data, Number);
}

/** The factor by which a method slows each pair. @param {Phasor} phasor @param {Setting} setting @param {Method} method */
function slowing(phasor, setting, method) {
  const scaled = frequencies(phasor, setting, method);
  return frequencies(phasor, setting).map((theta, i) => theta / scaled[i]);
}

/** The same for YaRN with the γ of its paper. @param {Phasor} phasor @param {Setting} setting */
function slowingByPaper(phasor, setting) {
  return slowedByPaper(frequencies(phasor, setting), setting.trained, setting.factor);
}

/** The furthest angle of the stretched context by the furthest of training. @param {Phasor} phasor @param {Setting} setting @param {Method} method */
function reach(phasor, setting, method) {
  return slowing(phasor, setting, method).map((by) => setting.factor / by);
}

/** The tokens in which each pair goes through a whole circle. @param {Phasor} phasor @param {Setting} setting */
function wavelengths(phasor, setting) {
  return frequencies(phasor, setting).map((theta) => (2 * Math.PI) / theta);
}

/** The number of pairs that go through a whole circle within the trained length. @param {Phasor} phasor @param {Setting} setting */
function whole(phasor, setting) {
  return wavelengths(phasor, setting).filter((length) => length <= setting.trained).length;
}

/** @param {import("../../app/controls.js").Values} controls @returns {Setting} */
function settingOf({ dim, base, trained, factor }) {
  return { dim, base: Number(base), trained: Number(trained), factor };
}

/**
 * The hand of one pair: its angles in training and in the longer context, and at a position.
 * @param {Phasor} phasor @param {import("../../app/controls.js").Values} controls @param {Method} [method]  none: as trained
 */
function handOf(phasor, controls, method) {
  const setting = settingOf(controls);
  const { trained, factor } = setting;
  const { pair } = controls;
  const theta = frequencies(phasor, setting)[pair];
  const slowed = frequencies(phasor, setting, method)[pair];
  const position = controls.at * trained;
  const angles = {
    seen: trained * theta,
    reach: trained * factor * slowed,
    now: position * slowed,
  };
  return { ...angles, pair, position };
}

/** @param {ReturnType<typeof handOf>} hand */
function wordsOf({ now, seen }) {
  const degrees = `${count(Math.round((now * 180) / Math.PI))}°`;
  return isSeen(now, seen)
    ? `${degrees}: known from training`
    : `${degrees}: never seen in training`;
}

/**
 * The last pair that YaRN keeps, the first that it slows fully, and the pair halfway between them: its γ, and by how much
 * it is slowed as phasor computes it, and with the γ of the paper.
 * @param {Phasor} phasor
 */
function halfway(phasor) {
  const fast = wavelengths(phasor, asked).filter((wave) => asked.trained / wave > CIRCLES);
  const [kept, slow] = [fast.length - 1, whole(phasor, asked)];
  const middle = Math.round((kept + slow) / 2);
  const code = slowing(phasor, asked, "yarn")[middle];
  const gamma = (1 / code - 1 / asked.factor) / (1 - 1 / asked.factor);
  return { kept, slow, middle, gamma, code, paper: slowingByPaper(phasor, asked)[middle] };
}

/** A drawn guess for each pair, where the setting is the one asked about. @param {Setting} setting @param {[number, number][] | undefined} points */
function guessedSlowing({ dim, base, trained, factor }, points) {
  const isAsked =
    dim === asked.dim &&
    base === asked.base &&
    trained === asked.trained &&
    factor === asked.factor;
  if (!isAsked || !points) return [];
  return [Array.from({ length: dim / 2 }, (_, i) => valueAt(points, i))];
}

/** Distances at which the key of the first head is looked for, and the one of the question. */
const PLACES = 64;
const ASKED_BACK = 2 * HEAD.trained;

/** The fewest distances of the second head that are drawn, and those behind its stretched step. */
const LEAST = 12;
const BEHIND = 4;

/** The head's rotations as trained and by each method. @param {number} factor */
function rotationsOf(factor) {
  const setting = { ...asked, factor };
  const scaled = names.map((method) => ({
    name: methods[method],
    options: {
      base: HEAD.base,
      scaling: scaling(method, setting),
      length: HEAD.trained * factor,
    },
  }));
  return [{ name: "as trained", options: { base: HEAD.base } }, ...scaled];
}

const finderOf = remembered(finder);
const previousOf = remembered(previous);

/** The weight of the found key at the distance of the question. @param {Phasor} phasor @param {object} options */
function weightAsked(phasor, options) {
  const tokens = HEAD.trained * asked.factor;
  return weightsOfKey(phasor, finderOf(phasor), [ASKED_BACK], tokens, options)[0];
}

/** The distance to which the second head attends most. @param {Phasor} phasor @param {number} factor @param {object} options */
function attendedBack(phasor, factor, options) {
  const weights = weightsNear(phasor, previousOf(phasor), LEAST + factor, options);
  return weights.indexOf(Math.max(...weights));
}

page({
  ends: { pair: ({ dim }) => dim / 2 - 1, at: ({ factor }) => factor },

  begin({ phasor, cell }) {
    cell(
      (controls) => handOf(phasor, controls),
      (hand) =>
        showDials(byId("dial"), [
          {
            ...hand,
            name: `Pair ${hand.pair} at position ${count(hand.position)}:`,
            words: wordsOf(hand),
          },
        ]),
    );
    cell(
      (controls) => names.map((method) => handOf(phasor, controls, method)),
      (hands) =>
        showDials(
          byId("dials"),
          hands.map((hand, i) => ({
            ...hand,
            name: `${methods[names[i]]}:`,
            words: wordsOf(hand),
          })),
        ),
    );
  },

  pictures: {
    reached(phasor, controls) {
      const all = [undefined, ...names];
      const hands = all.map((method) => handOf(phasor, controls, method));
      const { pair, position } = hands[0];
      return bar(
        hands.map(({ now, seen }) => now / seen),
        {
          title: `The angle of pair ${pair} at position ${count(position)}`,
          labels: all.map((method) => (method ? methods[method] : "as trained")),
          groups: hands.map(({ now, seen }) =>
            isSeen(now, seen) ? "a known direction" : "a new direction",
          ),
          means: { "a known direction": "trained", "a new direction": "unseen" },
          xTitle: "method",
          yTitle: "multiple of the largest angle in training",
          rule: { value: 1, label: "as far as trained" },
        },
      );
    },

    wavelengths(phasor, controls, { guess }) {
      const setting = settingOf(controls);
      const method = /** @type {Method} */ (controls.method);
      const { trained, factor, dim } = setting;
      const guessed = { few: 5, half: 32, most: 46 }[String(guess.seen)];
      const pairs = [frequencies(phasor, setting), frequencies(phasor, setting, method)];
      return spectrum(
        [
          { label: "as trained", frequencies: pairs[0] },
          { label: methods[method], frequencies: pairs[1] },
        ],
        {
          title: `Wavelengths as trained, and stretched by ${methods[method]}`,
          means: ["trained", "position"],
          context: [
            { length: trained, label: `L = ${count(trained)}` },
            { length: trained * factor, label: `s L = ${count(trained * factor)}` },
            ...(guessed && guessed < dim / 2
              ? [{ length: wavelengths(phasor, setting)[guessed], label: "your guess" }]
              : []),
          ],
        },
        { data: Float64Array.from(pairs.flat()), shape: [2, pairs[0].length] },
      );
    },

    slowed(phasor, controls, { guess }) {
      const setting = settingOf(controls);
      const [ntk, yarn] = [guess.ntk, guess.yarn].map((points) => guessedSlowing(setting, points));
      const lines = names.map((method) => slowing(phasor, setting, method));
      return waves(beside([...lines, slowingByPaper(phasor, setting), ...ntk, ...yarn]), {
        title: "By how much each method slows each pair",
        labels: [
          ...names.map((method) => methods[method]),
          "YaRN, paper",
          ...ntk.map(() => "your NTK"),
          ...yarn.map(() => "your YaRN"),
        ],
        xTitle: "pair",
        yTitle: "slowed by",
      });
    },

    angles(phasor, controls) {
      const setting = settingOf(controls);
      return waves(beside(names.map((method) => reach(phasor, setting, method))), {
        title: "Largest angle at s L, as a multiple of the largest in training",
        labels: names.map((method) => methods[method]),
        xTitle: "pair",
        yTitle: "multiple",
        rules: [
          { x: whole(phasor, setting), label: "no whole circle seen" },
          { y: 1, label: "as far as trained" },
        ],
      });
    },

    found(phasor, { factor }, { guess }) {
      const tokens = HEAD.trained * factor;
      const distances = Array.from({ length: PLACES }, (_, i) => ((i + 1) * tokens) / PLACES);
      const guessed = { most: 1, half: 0.5, none: 0 }[String(guess.found)];
      const [trained, ...scaled] = rotationsOf(factor);
      // The methods first: each has the same color and dashes in all figures.
      const lines = scaled.concat(trained).map(({ name, options }) => ({
        name,
        weights: weightsOfKey(phasor, finderOf(phasor), distances, tokens, options),
      }));
      return waves(beside(lines.map(({ weights }) => weights)), {
        means: { "as trained": "trained" },
        title: `The share of attention of one key among ${count(tokens)} tokens`,
        x: distances,
        labels: lines.map(({ name }) => name),
        xTitle: "distance of the key (tokens)",
        yTitle: "attention weight",
        yDomain: [0, 1],
        rules: [
          { x: HEAD.trained, label: "L" },
          ...(guessed === undefined
            ? []
            : [{ y: guessed, label: "your guess, as trained, at 2 L" }]),
        ],
      });
    },

    previous(phasor, { factor }, { guess }) {
      const shown = Math.max(LEAST, factor + BEHIND) + 1;
      const rows = rotationsOf(factor);
      const guessed = { linear: "linear", ntk: "NTK", yarn: "YaRN" }[String(guess.previous)];
      const title = `How the second head distributes its attention, s = ${count(factor)}`;
      return heatmap(
        rows.map(({ options }) => weightsNear(phasor, previousOf(phasor), shown, options)),
        {
          title: guessed ? `${title}; outlined: your guess, ${guessed}` : title,
          rowTitle: "method",
          columnTitle: "steps back",
          rowLabels: rows.map(({ name }) => name),
          unit: "(weight)",
          colors: "blue",
          numbers: true,
          domain: [0, 1],
          marks: guessed ? [[rows.findIndex(({ name }) => name === guessed), 1]] : [],
        },
      );
    },

    "model-factors"({ rope }, { model }) {
      const { dim, options } = rotary(model);
      const { length } = lengthOf(model);
      const plain = rope.frequencies(dim, { base: options.base }).frequencies;
      const scaled = rope.frequencies(dim, { ...options, length }).frequencies;
      const factors = Array.from(plain.data, (theta, i) => [
        Number(theta) / Number(scaled.data[i]),
      ]);
      return waves(factors, {
        title: `By how much ${model} slows each pair`,
        labels: [options.scaling?.type ?? ""],
        xTitle: "pair",
        yTitle: "slowed by",
        points: true,
      });
    },
  },

  playground: {
    wavelengths: (_, { dim, base, trained, factor, method }) => ({
      scheme: "rope",
      view: "spectrum",
      settings: {
        dim,
        base,
        factor,
        scaling: method,
        originalLength: trained,
        sequence: trained * factor,
      },
    }),
    "model-factors": (_, { model }) => ({ preset: model, view: "spectrum" }),
  },

  facts: {
    score: () => count(SCORE),
    "fast-pairs": () => count(FAST),
    "asked-wave": (phasor) => count(Math.round(wavelengths(phasor, asked)[ASKED_PAIR])),
    "kept-last": (phasor) => count(halfway(phasor).kept),
    "slow-first": (phasor) => count(halfway(phasor).slow),
    "yarn-middle": (phasor) => count(halfway(phasor).middle),
    "yarn-code": (phasor) => brief(halfway(phasor).code),
    "yarn-paper": (phasor) => brief(halfway(phasor).paper),
    shortest: (phasor) => brief(wavelengths(phasor, asked)[0]),
    longest: (phasor) => count(Math.round(wavelengths(phasor, asked)[asked.dim / 2 - 1])),
    pairs: (_, { dim }) => count(dim / 2),
    whole: (phasor, controls) => count(whole(phasor, settingOf(controls))),
    stretched: (_, { trained, factor }) => count(trained * factor),
    sharper({ rope }, controls) {
      const setting = settingOf(controls);
      const options = { base: setting.base, scaling: scaling("yarn", setting) };
      return brief(rope.frequencies(setting.dim, options).attentionFactor);
    },
    "model-words"({ rope }, { model }) {
      const { dim, options } = rotary(model);
      const { length, from } = lengthOf(model);
      const { attentionFactor } = rope.frequencies(dim, { ...options, length });
      const { factor } = /** @type {any} */ (options.scaling);
      const reached = factor
        ? ` The factor is ${brief(factor)}, and ${brief(factor)} × ${count(from)} = ${count(factor * from)}.`
        : "";
      return `${model} has ${count(dim / 2)} pairs of base ${count(Number(options.base))}. Its context grew from ${count(from)} to ${count(length)} tokens.${reached} Its cosines and sines are multiplied by ${brief(attentionFactor)}.`;
    },
  },

  questions: {
    directions(phasor) {
      const wave = wavelengths(phasor, asked)[ASKED_PAIR];
      const theta = frequencies(phasor, asked)[ASKED_PAIR];
      const [near, far] = ASKED_POSITIONS.map(
        (position) => !isSeen(position * theta, asked.trained * theta),
      );
      const share = (/** @type {number} */ position) => brief(position / wave);
      const found = `Training covers ${share(asked.trained)} of a circle. Position 6,000 is at ${share(6000)} of a circle, and 10,000 at ${share(10000)}`;
      return {
        answer: near && far ? "both" : near ? "near" : far ? "far" : "neither",
        because: {
          both: `Both positions are new, but the hand comes back: after a whole circle it points in its initial direction again. ${found}.`,
          near: `${found}, which is within the known arc again.`,
          far: `At 10,000 the hand has completed a circle and is within the known arc again. ${found}.`,
          neither: `It did not complete the circle in training. ${found}.`,
        },
      };
    },
    seen(phasor) {
      const found = whole(phasor, asked);
      const share = (2 * found) / asked.dim;
      const said = `${count(found)} of ${count(asked.dim / 2)} wavelengths are shorter than ${count(asked.trained)}`;
      return {
        answer: share === 1 ? "all" : share > 0.6 ? "most" : share > 0.3 ? "half" : "few",
        because: {
          few: `The wavelengths grow by a factor from pair to pair, not by a fixed amount, so most of them are short. ${said}.`,
          half: `Halfway on a logarithmic scale is pair ${asked.dim / 4}, with a wavelength of ${count(Math.round(wavelengths(phasor, asked)[asked.dim / 4]))}. That is far below ${count(asked.trained)}. ${said}.`,
          most: `${said}. The others cover only an arc.`,
          all: `A pair needs its whole wavelength for a circle, and the longest one is more than ${count(asked.trained)}. ${said}.`,
        },
      };
    },
    fast(phasor) {
      const [linear, ntk, yarn] = ["linear", "ntk", "yarn"].map(
        (method) => slowing(phasor, asked, /** @type {Method} */ (method))[0],
      );
      const [slows, leaves] = [
        (/** @type {number} */ x) => x > 4,
        (/** @type {number} */ x) => x < 1.01,
      ];
      const found = `Pair 0 is slowed by ${brief(linear)} (linear), ${brief(ntk)} (NTK) and ${brief(yarn)} (YaRN)`;
      return {
        answer: slows(ntk) && slows(yarn) ? "all" : leaves(ntk) && leaves(yarn) ? "linear" : "both",
        because: {
          all: `That is what dividing every position does, and only linear interpolation does it. ${found}.`,
          linear: `${found}. So linear interpolation moves neighbors closer together, and the others do not.`,
          both: `NTK changes the base, and a power with exponent 0 is 1 for every base. ${found}.`,
        },
      };
    },
    ntk(phasor) {
      const factors = slowing(phasor, asked, "ntk");
      const last = factors.length - 1;
      return {
        curve: factors.map((by, i) => [i, by]),
        within: 1,
        because: `It grows from ${brief(factors[0])} at pair 0 to ${brief(factors[last])} at pair ${last}, by the same factor at each step. The middle pair is slowed by ${brief(factors[factors.length / 2])}, far less than half of ${asked.factor}.`,
      };
    },
    yarn(phasor) {
      const factors = slowing(phasor, asked, "yarn");
      const { kept, slow, middle, gamma, code, paper } = halfway(phasor);
      return {
        curve: factors.map((by, i) => [i, by]),
        within: 0.8,
        because: `Up to pair ${kept} nothing is slowed: ${brief(factors[0])}. From pair ${slow} on all are slowed by ${brief(factors[slow])}. Between them it rises late, because frequencies are mixed: halfway, at pair ${middle}, γ is ${brief(gamma)}, and 1 / (γ + (1 − γ)/${asked.factor}) is only ${brief(code)}. With the γ of the paper it would be ${brief(paper)}.`,
      };
    },
    known(phasor) {
      const from = whole(phasor, asked);
      const [linear, ntk, yarn] = ["linear", "ntk", "yarn"].map((method) =>
        Math.max(...reach(phasor, asked, /** @type {Method} */ (method)).slice(from)),
      );
      const within = (/** @type {number} */ furthest) => furthest < 1.001;
      const found = `Of the ${asked.dim / 2 - from} slow pairs, the one that rotates furthest reaches ${brief(linear)} (linear), ${brief(ntk)} (NTK) and ${brief(yarn)} (YaRN) times its largest angle in training`;
      return {
        answer: within(ntk) ? "all" : within(yarn) ? "linear-yarn" : "linear",
        because: {
          linear: `YaRN keeps the speed of fast pairs only. A pair with less than one circle is slowed by the full factor. ${found}.`,
          "linear-yarn": `${found}. NTK slows only the last pair by the full factor.`,
          all: `NTK slows only the last pair by the full factor, and the slow pairs before it by less. ${found}.`,
        },
      };
    },
    found(phasor) {
      const [plain, linear] = rotationsOf(asked.factor).map(({ options }) =>
        weightAsked(phasor, options),
      );
      const found = `It gets ${percent(plain)}. With linear interpolation it would get ${percent(linear)}`;
      return {
        answer: plain > 0.9 ? "most" : plain > 0.2 ? "half" : "none",
        because: {
          most: `The formula does, but the slow pairs are at angles to which the head was never fitted. ${found}.`,
          half: `RoPE has no penalty for distance, so being twice as far away is not what matters. The slow pairs are at new angles. ${found}.`,
          none: `${found}, because then the slow pairs are at known angles.`,
        },
      };
    },
    previous(phasor) {
      const back = rotationsOf(asked.factor).map(({ options }) =>
        attendedBack(phasor, asked.factor, options),
      );
      const [trained, linear, ntk, yarn] = back;
      const found = `Most of its attention goes ${count(linear)} steps back with linear interpolation, ${count(ntk)} with NTK and ${count(yarn)} with YaRN`;
      const spoiled = names.filter((_, i) => back[i + 1] !== trained);
      return {
        answer: spoiled.length === 1 ? spoiled[0] : "none",
        because: {
          linear: `${found}.`,
          ntk: `NTK hardly slows the fast pairs. ${found}.`,
          yarn: `YaRN does not slow the fast pairs at all. ${found}.`,
          none: `The angle is known, but under linear interpolation it belongs to a different distance. ${found}.`,
        },
      };
    },
    "exercise-base"(phasor) {
      // A pair i has theta = b^(-2i/D): the base is theta_1^(-D/2).
      const theta = frequencies(phasor, asked, "ntk")[asked.dim / 4];
      const base = theta ** -2;
      return {
        answer: base,
        within: 600,
        because: `10,000 × 8 to the power of 128/126 is ${count(Math.round(base))}. The middle pair shows it: it is rotated by ${brief(theta)} = 1/√b′ radians per position.`,
        near: [
          {
            value: asked.base * asked.factor,
            within: 500,
            because: "That is b × s. The exponent D/(D − 2) is a little more than 1.",
          },
          {
            value: asked.base * asked.factor ** ((asked.dim - 2) / asked.dim),
            within: 600,
            because: "The exponent is D/(D − 2), not (D − 2)/D.",
          },
          {
            value: asked.factor ** (asked.dim / (asked.dim - 2)),
            within: 0.3,
            because: "That is the factor of the base. Multiply 10,000 by it.",
          },
        ],
      };
    },
    "exercise-llama"({ rope }) {
      const { dim, options } = rotary("llama-3.1-8b");
      const plain = Array.from(
        rope.frequencies(dim, { base: options.base }).frequencies.data,
        Number,
      );
      const scaled = rope.frequencies(dim, { ...options, length: 131072 }).frequencies.data;
      const slowed = plain.filter((theta, i) => theta / Number(scaled[i]) > 7.999).length;
      const first = dim / 2 - slowed;
      const wave = (/** @type {number} */ i) => count(Math.round((2 * Math.PI) / plain[i]));
      return {
        answer: slowed,
        because: `Pair ${first - 1} has a wavelength of ${wave(first - 1)} tokens, pair ${first} one of ${wave(first)}: from there on, all ${slowed} pairs are slowed by 8.`,
        near: [
          { value: first, because: "That is how many have a shorter wavelength." },
          {
            value: plain.filter((theta) => 1 / theta > 8192).length,
            because: "That counts 1/θ > 8,192. A wavelength is 2π/θ.",
          },
          { value: 2 * slowed, because: "That is how many numbers these pairs have." },
        ],
      };
    },
  },

  code: {
    slowed: (_, { dim, base, trained, factor }) => `import * as Plot from "@observablehq/plot";
import { load } from "phasor";
import { figures } from "phasor/plots";

const { rope } = await load();
const { spectrum } = figures({ Plot });

const of = (scaling) =>
  rope.frequencies(${dim}, { base: ${base}, scaling, length: ${trained * factor} }).frequencies;

display(
  spectrum(
    [
      { label: "as trained", frequencies: of(undefined) },
      { label: "linear", frequencies: of({ type: "linear", factor: ${factor} }) },
      { label: "NTK", frequencies: of({ type: "ntk", alpha: ${factor} }) },
      {
        label: "YaRN",
        frequencies: of({ type: "yarn", factor: ${factor}, originalLength: ${trained} }),
      },
    ],
    { context: [{ length: ${trained}, label: "trained" }] },
  ),
);
`,
  },
});

/** A model's rotary positions. @param {string} name @returns {{dim: number, options: any}} */
function rotary(name) {
  const found = models.rope(name);
  if (found === null) throw new Error(`${name} must have rotary positions`);
  return found;
}

/** The context a model is stretched to, and from where. @param {string} name */
function lengthOf(name) {
  const scaling = /** @type {any} */ (rotary(name).options.scaling);
  const from = scaling.originalLength;
  const length = Number(models.get(name).positions?.length);
  return { from, length: length > from ? length : from * scaling.factor };
}

/** @param {number} share */
function percent(share) {
  return `${brief(100 * share)} %`;
}
