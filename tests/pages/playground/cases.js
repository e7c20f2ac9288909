// Settings to test with: the defaults of each scheme and some others.

import { schemes } from "../../../web/playground/schemes/index.js";
import { initial } from "../../../web/playground/settings.js";

/** @typedef {import("../../../web/playground/schemes/scheme.js").Scheme} Scheme */
/** @typedef {import("../../../web/playground/settings.js").Setting} Setting */
/** @typedef {import("../../../web/playground/settings.js").Values} Values */

const longrope = { scaling: "longrope", originalLength: 1024 };
const yarn = { scaling: "yarn", originalLength: 256, mscale: 1, mscaleAllDim: 0.5 };

/** @type {Readonly<Record<string, Values[]>>} */
const MORE = {
  sinusoidal: [
    { dim: 7, odd: "zero-last", layout: "halves", precision: "torch" },
    { dim: 7, spectrum: "tensor2tensor", layout: "flipped", offset: 3, scale: "unit" },
    { dim: 9, layout: "interleaved", odd: "sine-last", scale: "inverse-sqrt", base: 500.5 },
    { dim: 2, length: 5, precision: "torch", recipe: "pow" },
    { precision: "torch", length: 300, count: 12, every: 5 },
    { dim: 9, from: 3, precision: "torch", recipe: "pow" },
  ],
  learnedPositions: [
    { rule: "roberta", past: 3, generator: "philox" },
    { rule: "clamp", rows: 32, std: 1 },
  ],
  rope: [
    { layout: "interleaved", rest: 8, dim: 16, precision: "torch" },
    { scaling: "linear", factor: 2.5 },
    { scaling: "dynamic", originalLength: 512, sequence: 4096, dim: 32 },
    { scaling: "ntk", factor: 4 },
    { ...yarn, layout: "interleaved" },
    { scaling: "yarn", originalLength: 128, truncate: false, betaFast: 16, dim: 32 },
    { scaling: "yarn", attentionFactor: 1.25, precision: "torch" },
    { ...yarn, ramp: "turns", truncate: false, betaFast: 4, precision: "torch" },
    { ...longrope, sequence: 2048, longFactor: [2, 3, 4, 5], shortFactor: [1], dim: 8 },
    { ...longrope, sequence: 64, longFactor: [4], shortFactor: [1, 1.5, 2, 2.5], dim: 8 },
    { scaling: "llama3", originalLength: 128, factor: 4 },
    { scaling: "proportional", factor: 2, partialRotaryFactor: 0.5 },
  ],
  xpos: [
    { side: "key", center: "middle", layout: "halves", length: 9, gamma: 0.7 },
    { center: "zero", precision: "torch", recipe: "exp" },
  ],
  mrope: [
    { arrangement: "interleaved", sections: [24, 20, 20], position: 1000 },
    { arrangement: "interleaved", sections: [24, 20, 20] },
    { frames: 2, text: 0, after: 0, layout: "interleaved", precision: "torch", position: 1000 },
  ],
  alibi: [
    { heads: 12, form: "press", biasMax: 6 },
    { form: "symmetric", query: 3 },
    { form: "linear", query: 3 },
    { heads: 12, form: "first", dtype: "bfloat16" },
    { form: "last", dtype: "float16" },
  ],
  t5Bias: [
    { direction: "causal", generator: "philox", query: 40 },
    { buckets: 20, maxDistance: 77, length: 90 },
    { buckets: 17, maxDistance: 27, direction: "causal", precision: "torch" },
  ],
  kerple: [
    { kernel: "power", a: 0.5, p: 1.5, heads: 2 },
    { kernel: "weight", form: "symmetric", a: 0.02, p: 0.5, query: 20 },
  ],
  sandwich: [{ form: "symmetric", dim: 8, heads: 4, query: 20 }],
  tisa: [
    { heads: 2, a: -0.5, b: 0.3, c: -2.5, query: 20 },
    { b: 2, c: 3, length: 9, direction: "causal" },
  ],
  fire: [{ form: "symmetric", threshold: 10, c: 1, hidden: 8, seed: 5, query: 20, heads: 3 }],
  shaw: [{ maxDistance: 3, heads: 2, dim: 8, generator: "philox", query: 10 }],
  transformerXL: [{ base: 100, heads: 2, dim: 8, seed: 3, query: 10 }],
  deberta: [
    { length: 100, maxDistance: 40, buckets: 16 },
    { length: 200, maxDistance: 50, buckets: 16, beyond: "grow" },
    { length: 80, maxDistance: 65, buckets: 18, precision: "torch" },
  ],
  sincosGrid: [
    {
      height: 3,
      width: 5,
      order: "rows",
      layout: "sines-first",
      prefix: 1,
      spectrum: "tensor2tensor",
    },
    { layout: "interleaved", baseSize: 16, interpolationScale: 2, precision: "torch", from: 9 },
    { layout: "flipped", dim: 4, precision: "torch", recipe: "exp" },
    { height: 40, width: 40, precision: "torch", from: 820 },
  ],
  axialRope: [
    {
      height: 3,
      width: 5,
      order: "rows",
      spectrum: "alternating",
      layout: "halves",
      pretrained: 16,
      position: 7,
    },
    { spectrum: "linear", coordinates: "ends", precision: "torch" },
    { height: 30, width: 30, count: 12, every: 5, precision: "torch" },
    { coordinates: "centers", turns: true, position: 20, offset: 0.5 },
    { height: 3, width: 5, coordinates: "centers-max", position: 14 },
    { height: 3, width: 5, coordinates: "centers-min", precision: "torch", recipe: "exp" },
  ],
  windowBias: [{ height: 2, width: 3, form: "beit", heads: 5, query: 3, generator: "philox" }],
  timesteps: [
    { layout: "flipped", spectrum: "paper", timeFactor: 1000, step: 0.015, precision: "torch" },
    { layout: "interleaved", recipe: "pow", precision: "torch" },
  ],
  nerf: [
    { levels: 3, include: "none", spacing: "linear" },
    { levels: 1, precision: "torch" },
    { levels: 9, step: 0.1, from: 3 },
  ],
  gaussian: [{ dim: 8, layout: "flipped", scale: 16, seed: 2, precision: "torch" }],
  bands: [
    { order: "bands", include: "none", resolution: 224, precision: "torch" },
    { spacing: "log", bands: 4, height: 5 },
  ],
};

/**
 * Every scheme, with the settings it is tested with.
 * @type {[scheme: Scheme, cases: Values[]][]}
 */
export const cases = Object.values(schemes).map((scheme) => {
  const first = initial(scheme.settings);
  return [scheme, [first, ...(MORE[scheme.name] ?? []).map((more) => ({ ...first, ...more }))]];
});

/** @param {Values} settings @param {Values} first  what is not different from it is left out */
export function differences(settings, first) {
  const changed = Object.entries(settings).filter(([name, value]) => value !== first[name]);
  return JSON.stringify(Object.fromEntries(changed));
}

/** Another value that a setting may have. @param {Setting} setting @param {any} value @returns {any} */
export function another(setting, value) {
  const { kind, least = 0, most = 0, step = 1, options = [] } = setting;
  switch (kind) {
    case "toggle":
      return !value;
    case "choice": {
      const at = options.findIndex((option) => option.value === value);
      return options[(at + 1) % options.length].value;
    }
    case "list":
      return value.map((/** @type {number} */ x) => x * 2);
    case "whole":
      return value + step <= most ? value + step : Math.max(least, Math.min(value, 40) - step);
    case "number":
      return value * 1.5 + 1 <= most ? value * 1.5 + 1 : (least + value) / 2;
  }
}
