/**
 * The kind of each layer of a model: full or sliding attention, linear attention, convolution, ...
 */
import * as check from "../runtime/check.js";

/** @import { Reader } from "./keys.js" */

/**
 * Where a family's configuration says of which kind its layers are. A list of names has precedence: the key
 * `layer_types`, or `list`. Then a period: of every `every` layers the last one (or `first`, or the one at the
 * key `at`) is of the kind `hit`, and the others are of the kind `miss`.
 * @typedef {object} LayerRule
 * @property {string} [list]  a key with the kind of each layer; shorter lists repeat
 * @property {string} [every]  a key
 * @property {number} [period]  its default
 * @property {"first" | "last" | string} [at]  default: `last`
 * @property {string} [hit]  default: `full_attention`
 * @property {string} [miss]  default: `sliding_attention`
 * @property {string} [mask]  a key with 1 for layers of the kind `miss` and 0 for those of the kind `hit`
 * @property {string} [indices]  a key with the indices of the layers of the kind `hit`
 * @property {boolean} [listed]  one of the lists must be given
 * @property {string} [codes]  a key with a number for each layer, perhaps more; one of the lists must be given
 * @property {Readonly<Record<number, string>>} [kinds]  the kinds of these numbers
 */

/** Kinds without attention, or whose attention has no positions. */
const WITHOUT = new Set(
  `cross_attention linear_attention lightning_attention conv conv_attention mamba mamba2 recurrent moe mlp
   no_rope`.split(/\s+/),
);

/** Whether the layers of a kind have no rotation in any family. @param {string} kind */
export const isStill = (kind) => WITHOUT.has(kind);

/**
 * @param {Reader} get @param {LayerRule | undefined} rule @param {number} layers
 * @returns {string[] | undefined} the kind of each layer; undefined if all are of one kind
 */
export function readLayerKinds(get, rule, layers) {
  const each = (/** @type {(layer: number) => string} */ kind) =>
    Array.from({ length: layers }, (_, layer) => kind(layer));
  const { hit = "full_attention", miss = "sliding_attention" } = rule ?? {};

  if (rule?.mask) {
    const [name, mask] = get.find(rule.mask);
    if (Array.isArray(mask) && mask.length > 0) {
      if (mask.length !== layers || mask.some((uses) => uses !== 0 && uses !== 1)) {
        throw new RangeError(
          `${name} must hold a 0 or 1 for each of ${layers} layers; got ${check.describe(mask)}`,
        );
      }
      get.value("layer_types");
      return each((layer) => (mask[layer] === 1 ? miss : hit));
    }
  }
  for (const key of rule?.mask ? [] : ["layer_types", rule?.list]) {
    const [name, value] = key === undefined ? ["", undefined] : get.find(key);
    if (value === undefined) continue;
    const isNamed =
      Array.isArray(value) && Array.from(value).every((kind) => typeof kind === "string");
    if (!isNamed || value.length === 0 || (key === "layer_types" && value.length !== layers)) {
      throw new RangeError(
        `${name} must name the kind of each of ${layers} layers; got ${check.describe(value)}`,
      );
    }
    return each((layer) => value[layer % value.length]);
  }
  if (rule?.codes) {
    const [name, value] = get.find(rule.codes);
    const codes = Array.isArray(value) ? value.slice(0, layers) : [];
    const { kinds = {} } = rule;
    if (codes.length < layers || !codes.every((code) => Object.hasOwn(kinds, code))) {
      throw new RangeError(
        `${name} must hold one of ${Object.keys(kinds).join(", ")} for each of ${layers} layers, or layer_types its kind; got ${check.describe(value)}`,
      );
    }
    return each((layer) => kinds[codes[layer]]);
  }
  if (rule?.indices) {
    const [name, value] = get.find(rule.indices);
    if (value !== undefined) {
      if (!Array.isArray(value)) {
        throw new TypeError(
          `${name} must be an array of indices of layers; got ${check.describe(value)}`,
        );
      }
      const found = new Set(value);
      return each((layer) => (found.has(layer) ? hit : miss));
    }
  }
  const stated = rule?.every === undefined ? undefined : get.optionalSize(rule.every);
  const period = stated ?? rule?.period;
  if (period === undefined && rule?.listed) {
    throw new RangeError(`${get.path}.layer_types must name the kind of each layer; got none`);
  }
  if (period === undefined) return undefined;
  const { at = "last" } = rule ?? {};
  const where = at === "last" ? period - 1 : at === "first" ? 0 : get.size(at, 0, period - 1);
  return each((layer) => (layer % period === where ? hit : miss));
}
