/**
 * The kind of each layer of a model: full or sliding attention, linear attention, convolution, ...
 */
import * as check from "../runtime/check.js";
import { MOST_KINDS, MOST_LAYERS } from "./keys.js";

/** @import { Reader } from "./keys.js" */

/**
 * Where a family's configuration says of which kind its layers are. A list of names has precedence: the key
 * `layer_types`, or `list`. Then a period: of every `every` layers the last one (or `first`, or the one at the
 * key `at`) is of the kind `selected`, and the others are of the kind `others`.
 * @typedef {object} LayerRule
 * @property {string} [list]  a key with the kind of each layer; shorter lists repeat
 * @property {string} [every]  a key
 * @property {number} [period]  its default
 * @property {"first" | "last" | string} [at]  default: `last`
 * @property {string} [selected]  default: `full_attention`
 * @property {string} [others]  default: `sliding_attention`
 * @property {string} [mask]  a key with 1 for layers of the kind `others` and 0 for those of the kind `selected`
 * @property {string} [indices]  a key with the indices of the layers of the kind `selected`
 * @property {boolean} [listed]  one of the lists must be given
 * @property {string} [codes]  a key with a number for each layer, perhaps more; one of the lists must be given
 * @property {ReadonlyMap<unknown, string>} [kinds]  the kinds of these numbers
 */

/** Kinds without attention, or whose attention has no positions. */
const WITHOUT = new Set(
  `cross_attention linear_attention lightning_attention conv conv_attention mamba mamba2 recurrent moe mlp
   no_rope`.split(/\s+/),
);

/** What `layer_types` may hold: in transformers 5.24.0, older names included, in authors' code, and by variants.js. */
const NAMED = new Set([
  ...WITHOUT,
  ...`full_attention sliding_attention chunked_attention window_attention indexed_attention
   compressed_sparse_attention heavily_compressed_attention minimax_m3_sparse hybrid hybrid_sliding
   reference_sliding_attention sparse dense attention deepseek_sparse_attention
   qwen_sparse_attention dense_full_attention unscaled_attention`.split(/\s+/),
]);

/** Whether the layers of a kind have no rotation in any family. @param {string} kind */
export const neverRotates = (kind) => WITHOUT.has(kind);

/**
 * @param {Reader} get @param {LayerRule | undefined} rule @param {number} layers
 * @returns {string[] | undefined} the kind of each layer; undefined if all are of one kind
 */
export function readLayerKinds(get, rule, layers) {
  const each = (/** @type {(layer: number) => string} */ kind) =>
    Array.from({ length: layers }, (_, layer) => kind(layer));
  const { selected = "full_attention", others = "sliding_attention" } = rule ?? {};
  // Of several keys one has precedence, and the others are read, too.
  const names = rule && [rule.mask, rule.list, rule.codes, rule.indices, rule.every];
  for (const key of ["layer_types", ...(names ?? [])]) if (key) get.find(key);

  if (rule?.mask) {
    const [name, mask] = get.find(rule.mask);
    if (check.isList(mask) && mask.length > 0) {
      const isMask = (/** @type {unknown} */ uses) => uses === 0 || uses === 1;
      if (mask.length !== layers || !Array.from(mask).every(isMask)) {
        throw new RangeError(
          `${name} must hold a 0 or 1 for each of ${layers} layers; got ${check.describe(mask)}`,
        );
      }
      return each((layer) => (mask[layer] === 1 ? others : selected));
    }
  }
  for (const key of rule?.mask ? [] : ["layer_types", rule?.list]) {
    const [name, value] = key === undefined ? ["", undefined] : get.find(key);
    if (value === undefined) continue;
    // Files of EXAONE 4.5 name the kinds of the layers that predict further tokens, too.
    const isLonger = check.isList(value) && value.length > layers;
    const further = (isLonger && get.vagueSize("num_nextn_predict_layers")) || 0;
    const most = key === "layer_types" ? layers + further : MOST_LAYERS;
    const least = key === "layer_types" ? layers : 1;
    const isOfLength = check.isList(value) && value.length >= least && value.length <= most;
    if (!isOfLength || !Array.from(value).every((kind) => typeof kind === "string")) {
      throw new RangeError(
        `${name} must name the kind of each of ${layers} layers; got ${check.describe(value)}`,
      );
    }
    const { size } = new Set(value);
    if (size > MOST_KINDS) {
      throw new RangeError(`${name} must name at most ${MOST_KINDS} kinds; got ${size}`);
    }
    const other = key === "layer_types" ? value.find((kind) => !NAMED.has(kind)) : undefined;
    if (other !== undefined) {
      throw new RangeError(`${name} must hold kinds that are known; got ${check.describe(other)}`);
    }
    return each((layer) => value[layer % value.length]);
  }
  if (rule?.codes && (get.value(rule.codes) !== undefined || !rule.listed)) {
    const [name, value] = get.find(rule.codes);
    const codes = check.isList(value) ? Array.from(value.slice(0, layers)) : [];
    const { kinds = new Map() } = rule;
    if (codes.length < layers || !codes.every((code) => kinds.has(code))) {
      throw new RangeError(
        `${name} must hold one of ${[...kinds.keys()].join(", ")} for each of ${layers} layers, or layer_types its kind; got ${check.describe(value)}`,
      );
    }
    return each((layer) => /** @type {string} */ (kinds.get(codes[layer])));
  }
  if (rule?.indices) {
    const [name, value] = get.find(rule.indices);
    if (value !== undefined) {
      if (!check.isList(value) || value.length > MOST_LAYERS) {
        throw new TypeError(
          `${name} must be an array of indices of layers; got ${check.describe(value)}`,
        );
      }
      const indices = Array.from(value, (index, i) => check.integer(index, `${name}[${i}]`, 0));
      const found = new Set(indices);
      return each((layer) => (found.has(layer) ? selected : others));
    }
  }
  const given = rule?.every === undefined ? undefined : get.optionalSize(rule.every);
  const period = given ?? rule?.period;
  if (period === undefined && rule?.listed) {
    throw new RangeError(`${get.path}.layer_types must name the kind of each layer; got none`);
  }
  if (period === undefined) return undefined;
  const { at = "last" } = rule ?? {};
  const where = at === "last" ? period - 1 : at === "first" ? 0 : get.size(at, 0, period - 1);
  return each((layer) => (layer % period === where ? selected : others));
}
