/** Who has a scheme: the known models, and the families of the atlas. */
import { atlas, models } from "../../models/index.js";

/**
 * @import { Model } from "../../models/config.js"
 */

/**
 * Who has a scheme.
 * @typedef {object} Known
 * @property {string[]} models  names of `models.names` that have the scheme; their sizes may be others
 * @property {string[]} families  of the atlas, whose configurations have it unless they say otherwise
 */

/** Nobody who is known. @type {Known} */
export const NOBODY = Object.freeze({ models: [], families: [] });

/** @type {[name: string, positions: Model["positions"]][] | undefined} */
let all;

/** The known models, each described once. */
export const described = () =>
  (all ??= models.names.map((name) => [name, models.get(name).positions]));

/**
 * @param {string} scheme  of positions
 * @param {{presets?: readonly string[], is?: (positions: Model["positions"]) => boolean}} [of]  presets that are meant, and
 *   what else is asked of models
 * @returns {Known}
 */
export function knownWith(scheme, { presets, is = () => true } = {}) {
  const has = (/** @type {{scheme: string, preset?: string, relative?: string}} */ of) =>
    (of.scheme === scheme && (!presets || presets.includes(of.preset ?? ""))) ||
    of.relative === scheme;
  return {
    models: described().filter(([, of]) => has(of) && is(of)).map(([name]) => name), // prettier-ignore
    families: atlas().filter((entry) => has(entry) && !entry.notComputed).map(({ family }) => family), // prettier-ignore
  };
}
