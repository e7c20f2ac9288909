/** @import { Phasor } from "phasor" */
import { models } from "phasor/models";
import { beside } from "../../app/columns.js";
import { page } from "../../app/page.js";
import { brief, count } from "../../app/numbers.js";
import { spectrum, waves } from "../../app/pictures.js";

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

/** The setting of the questions. */
const asked = { dim: 128, base: 10000, trained: 4096, factor: 8 };

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

/** The furthest angle of the stretched context by the furthest of training. @param {Phasor} phasor @param {Setting} setting @param {Method} method */
function reach(phasor, setting, method) {
  return slowing(phasor, setting, method).map((by) => setting.factor / by);
}

/** The number of pairs that make a whole turn within the trained length. @param {Phasor} phasor @param {Setting} setting */
function whole(phasor, setting) {
  return frequencies(phasor, setting).filter((theta) => theta * setting.trained >= 2 * Math.PI)
    .length;
}

/** @param {import("../../app/controls.js").Values} controls @returns {Setting} */
function settingOf({ dim, base, trained, factor }) {
  return { dim, base: Number(base), trained: Number(trained), factor };
}

page({
  pictures: {
    wavelengths(phasor, controls) {
      const setting = settingOf(controls);
      const method = /** @type {Method} */ (controls.method);
      const { trained, factor } = setting;
      const pairs = [frequencies(phasor, setting), frequencies(phasor, setting, method)];
      return spectrum(
        [
          { label: "as trained", frequencies: pairs[0] },
          { label: methods[method], frequencies: pairs[1] },
        ],
        {
          title: `Waves as trained, and stretched by ${methods[method]}`,
          context: [
            { length: trained, label: `L = ${count(trained)}` },
            { length: trained * factor, label: `s L = ${count(trained * factor)}` },
          ],
        },
        { data: Float64Array.from(pairs.flat()), shape: [2, pairs[0].length] },
      );
    },

    slowed(phasor, controls) {
      const setting = settingOf(controls);
      return waves(beside(names.map((method) => slowing(phasor, setting, method))), {
        title: "By how much each method slows each pair",
        labels: names.map((method) => methods[method]),
        xTitle: "pair",
        yTitle: "slowed by",
      });
    },

    angles(phasor, controls) {
      const setting = settingOf(controls);
      return waves(beside(names.map((method) => reach(phasor, setting, method))), {
        title: "Furthest angle at s L, as a multiple of the furthest in training",
        labels: names.map((method) => methods[method]),
        xTitle: "pair",
        yTitle: "multiple",
        rules: [
          { x: whole(phasor, setting), label: "no whole circle seen" },
          { y: 1, label: "as far as trained" },
        ],
      });
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
        ...{ dim, base, factor, scaling: method, originalLength: trained },
        sequence: trained * factor,
      },
    }),
    "model-factors": (_, { model }) => ({ preset: model, view: "spectrum" }),
  },

  facts: {
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
      return `${model} has ${count(dim / 2)} pairs of base ${count(Number(options.base))}, stretched from ${count(from)} to ${count(length)} tokens; its tables are multiplied by ${brief(attentionFactor)}.`;
    },
  },

  questions: {
    fast(phasor) {
      const [linear, ntk, yarn] = ["linear", "ntk", "yarn"].map(
        (method) => slowing(phasor, asked, /** @type {Method} */ (method))[0],
      );
      const [slows, leaves] = [
        (/** @type {number} */ x) => x > 4,
        (/** @type {number} */ x) => x < 1.01,
      ];
      return {
        answer: slows(ntk) && slows(yarn) ? "all" : leaves(ntk) && leaves(yarn) ? "linear" : "both",
        because: `Pair 0 is slowed by ${brief(linear)}, by ${brief(ntk)} and by ${brief(yarn)}: only interpolation pushes neighbors together.`,
      };
    },
    known(phasor) {
      const from = whole(phasor, asked);
      const [linear, ntk, yarn] = ["linear", "ntk", "yarn"].map((method) =>
        Math.max(...reach(phasor, asked, /** @type {Method} */ (method)).slice(from)),
      );
      const within = (/** @type {number} */ furthest) => furthest < 1.001;
      return {
        answer: within(ntk) ? "all" : within(yarn) ? "linear-yarn" : "linear",
        because: `Of the ${asked.dim / 2 - from} slow pairs, the one that goes furthest reaches ${brief(linear)}, ${brief(ntk)} and ${brief(yarn)} times the angle of training.`,
      };
    },
    "exercise-base"(phasor) {
      // A pair i has theta = b^(-2i/D): the base is theta_1^(-D/2).
      const theta = frequencies(phasor, asked, "ntk")[asked.dim / 4];
      const base = theta ** -2;
      return {
        answer: base,
        within: 600,
        because: `The middle pair turns by b′ to the power of −1/2, which is ${brief(theta)}: b′ = ${count(Math.round(base))}. By the formula, 10,000 × 8 to the power of 128/126.`,
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
        because: `Pair ${first - 1} has a wave of ${wave(first - 1)} tokens, pair ${first} one of ${wave(first)}: from there on all ${slowed} are slowed by 8.`,
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
