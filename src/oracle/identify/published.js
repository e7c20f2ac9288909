/** The rotations of known models, to say who has a spectrum. */
import { models } from "../../models/index.js";

/**
 * @import { RopeModules } from "../../positional/rotary/rope/index.js"
 * @import { Name } from "./spectrum.js"
 *
 * @typedef {object} Published
 * @property {Name} name
 * @property {Float64Array} frequencies
 * @property {number} attentionFactor
 * @property {"halves" | "interleaved"} layout @property {number} dim
 * @property {string[]} models  those that have it, with the kind of layer where kinds differ
 */

/** @type {readonly Published[] | undefined} */
let all;

/** A scaling without the betas that YaRN has by default, so that it has one name. @param {Record<string, unknown>} scaling */
function shortened({ betaFast, betaSlow, ...scaling }) {
  if (betaFast === undefined) return scaling;
  return betaFast === 32 && betaSlow === 1 ? scaling : { ...scaling, betaFast, betaSlow };
}

/** The different rotations of all known models. @param {RopeModules} modules @returns {readonly Published[]} */
export function published({ rope }) {
  if (all) return all;
  /** @type {Map<string, Published>} */
  const found = new Map();
  for (const model of models.names) {
    const { rotary = {}, length = 1 } = models.get(model).positions;
    for (const [kind, of] of Object.entries(rotary)) {
      if (of === null) continue;
      const { dim, layout, options } = of;
      const { base, scaling } = /** @type {{base: number, scaling?: any}} */ (options);
      for (const at of scaling?.type === "longrope" ? [1, scaling.originalLength + 1] : [length]) {
        const key = JSON.stringify([dim, layout, options, scaling?.type === "longrope" && at]);
        const named = Object.keys(rotary).length > 1 ? `${model} (${kind})` : model;
        const known = found.get(key);
        if (known) {
          if (!known.models.includes(named)) known.models.push(named);
          continue;
        }
        const { frequencies, attentionFactor } = rope.frequencies(dim, {
          base,
          ...(scaling && { scaling }),
          length: at,
        });
        /** @type {Name} */
        const name = {
          form: "base^(-2i/D)",
          base,
          ...(scaling && { scaling: shortened(scaling) }),
          ...(scaling?.type === "longrope" && { list: at === 1 ? "short" : "long" }),
        };
        found.set(key, {
          name,
          frequencies: Float64Array.from(frequencies.data),
          attentionFactor,
          layout,
          dim,
          models: [named],
        });
      }
    }
  }
  all = [...found.values()];
  return all;
}
