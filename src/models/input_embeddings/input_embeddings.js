/** @import { Core } from "../../runtime/wasm.js" */
/** @import { LookupOptions } from "../../embedding/embedding/lookup.js" */
/** @import { OptionsOf } from "../../runtime/options.js" */
/** @import { TensorInput } from "../../runtime/tensor.js" */
/** @import { Rows, TableInput } from "../../runtime/table.js" */
/** @import { Ids } from "./rows.js" */
import * as arrays from "../../runtime/arrays.js";
import * as check from "../../runtime/check.js";
import { wrongShape } from "../../runtime/errors.js";
import { readIds } from "../../runtime/ids.js";
import { readMask } from "../../runtime/mask.js";
import * as option from "../../runtime/options.js";
import { fillLinear } from "../../runtime/linear.js";
import { readTable } from "../../runtime/table.js";
import { asFloat32 } from "../../runtime/input.js";
import { Tensor } from "../../runtime/tensor.js";
import { dropout } from "../../embedding/dropout/dropout.js";
import { lookUp, readScale } from "../../embedding/embedding/lookup.js";
import { normalize } from "../../embedding/normalize/normalize.js";
import { learnedPositions } from "../../positional/absolute/learned_positions/learned_positions.js";
import { positionIds } from "../../positional/ids/position_ids/position_ids.js";
import { sinusoidal } from "../../positional/absolute/sinusoidal/sinusoidal.js";
import { lengthOf, positionRows, segmentRows } from "./rows.js";

/**
 * What a model does to its tokens before the first layer. The descriptions of `phasor/models` are such
 * objects.
 * @typedef {object} InputSpec
 * @property {number} [dim]  D, if it is to be checked
 * @property {TokenSpec} [tokens]  the scale, the token types and the LayerNorm
 * @property {PositionSpec} positions  what is added for positions
 */

/**
 * What happens to the rows of words.
 * @typedef {object} TokenSpec
 * @property {number | "sqrt"} [scale]  multiplies the rows of words; `sqrt` means sqrt(D). Default: 1
 * @property {number | "sqrt"} [sumScale]  multiplies the sum of words, token types and positions instead, as in Jais.
 *   Default: 1
 * @property {number} [maskId]  the id of the mask, where words make up for masked ones, as in ESM: its rows are 0, and
 *   the others are multiplied by 0.88 T / (T - the number of masks), where T counts no padding. Default: none
 * @property {"float32" | "float16" | "bfloat16"} [scaleDtype]  scales are rounded to it first. Default: float32
 * @property {number} [segments]  the rows of the table of token types. Default: 0, no table
 * @property {number | null} [norm]  epsilon of a LayerNorm. Default: null, no LayerNorm
 * @property {"layer" | "rms"} [normKind]  `rms`: an RMSNorm, whose weight may be left out. Default: `layer`
 * @property {number} [width]  of the table of words, E, if it is to be checked
 * @property {null | "words" | "norm"} [projection]  a linear layer from E to D numbers: after the scale of the
 *   words, or after the LayerNorm. Default: null, none
 * @property {string} [unknown]  a step that is not computed here, which is an error
 * @property {object} [perLayer]  rows that layers get besides, which are not computed here
 * @property {readonly string[]} [unused]  only for the files of opened models
 */

/**
 * What is added for positions.
 * @typedef {object} PositionSpec
 * @property {string} scheme  `learnedPositions` and `sinusoidal` add rows; `rope`, `alibi`, `t5Bias`, `transformerXL`
 *   act in attention and add nothing, like `none`
 * @property {string} [preset]  which rows, of a learned table or of sinusoids: `gpt2`, `bert`, `vaswani`,
 *   `marian` (row t for position t, the default), `bart`, `xglm` (row t + 2), `roberta`, `fairseq` (counted by the
 *   tokens that are not padding), `opt` (counted by the attention mask)
 * @property {number} [rows]  of the learned table, if they are to be checked
 * @property {number} [paddingIdx]  the id of padding of `roberta` and `fairseq`, where the call gives none. Default: 1
 * @property {Readonly<Record<string, any>>} [options]  of `sinusoidal.table`
 */

/**
 * The weights of an embedding layer. Those that the model does not have must be left out.
 * @typedef {object} InputWeights
 * @property {TableInput} words  [V, D]
 * @property {TableInput} [positions]  [N, D] of learned positions
 * @property {TableInput} [segments]  [spec.tokens.segments, D]
 * @property {{weight?: TensorInput, bias?: TensorInput}} [norm]  [D] each, of the LayerNorm. Default: 1 and 0
 * @property {{weight: TensorInput, bias?: TensorInput}} [projection]  [D, E] and [D], of the linear layer
 */

/**
 * The steps of an embedding layer, each [...ids.shape, D]; `positions` and `segments` may have the last
 * axes only. A step that the model does not have is left out.
 * @typedef {object} Stages
 * @property {Tensor} words  rows of the table of words
 * @property {Tensor} [scaled]  words times the scale, or as `maskId` scales them
 * @property {Tensor} [segments]  rows of the table of token types
 * @property {Tensor} [positions]  rows of positions
 * @property {Tensor} [sum]  scaled words + segments + positions
 * @property {Tensor} [scaledSum]  the sum times its scale
 * @property {Tensor} [normalized]  the LayerNorm of the sum
 * @property {Tensor} [projected]  the linear layer's result
 * @property {Tensor} output  the input of the first layer, after dropout
 */

const INPUT = option.optionSet(() => ({
  /** The number of tokens already in the cache. */
  past: option.integer({ default: 0, min: 0 }),
  /** The token type of each token, [T] or [..., T], as from `tokenTypeIds.ids`. Default: all 0. */
  segments: option.tensor(),
  /** The attention mask [past + T] or [..., past + T], by which OPT counts positions and ESM tokens, whose padding becomes 0. Default: all 1. */
  mask: option.tensor(),
  /** The id of padding, which RoBERTa gives no position. Default: that of the description, or 1. */
  paddingIdx: option.value(/** @type {number | undefined} */ (undefined)),
  /** Whether elements are dropped. */
  training: option.boolean(),
  /** The probability with which each is dropped. */
  p: option.number({ default: 0.1, min: 0, max: 1 }),
  /** The seed of the dropout. */
  seed: option.seed(),
  /** Whether every step is returned by its name instead of the output alone. */
  intermediates: option.boolean(),
  /** Filled with the output instead of a new array. */
  out: option.out(),
}));

/** The part of the tokens that masks left in ESM's training. */
const TRAINED = 1 - 0.15 * 0.8;

/** Schemes that add rows, then those that act in attention or do nothing. */
/** What a description says of the positions that are added; inputEmbeddings reads the first ones. */
const LEARNED = ["scheme", "preset", "rows", "paddingIdx", "length", "boxes", "relative", "relativeOptions", "relativeScale", "besides"]; // prettier-ignore
const KEYS = Object.freeze({
  learnedPositions: keysOf(LEARNED),
  sinusoidal: keysOf(["scheme", "preset", "options", "paddingIdx", "length", "besides"]),
});

/** @param {string[]} names */
function keysOf(names) {
  return Object.freeze(Object.fromEntries(names.map((name) => [name, true])));
}

const SCHEMES = [
  "learnedPositions",
  "sinusoidal",
  "rope",
  "alibi",
  "t5Bias",
  "transformerXL",
  "none",
];

/** @typedef {Required<Omit<TokenSpec, "width" | "unknown" | "unused" | "perLayer" | "maskId">> & TokenSpec} Tokens */

const TOKENS = Object.freeze({
  scale: 1,
  sumScale: 1,
  maskId: undefined,
  scaleDtype: "float32",
  segments: 0,
  norm: null,
  normKind: "layer",
  width: undefined,
  projection: null,
  unknown: undefined,
  unused: undefined,
  perLayer: undefined,
});

/**
 * The input of a model's first layer.
 * @param {Core} core
 */
export function inputEmbeddings(core) {
  const modules = {
    dropout: dropout(core),
    learned: learnedPositions(core),
    normalize: normalize(core),
    positionIds: positionIds(),
    sinusoidal: sinusoidal(core),
  };

  /**
   * The rows that the model adds for positions.
   * @param {PositionSpec} spec @param {TableInput | undefined} table @param {Ids} ids @param {number} D
   * @param {{past: number, mask?: TensorInput, paddingIdx?: number}} options
   */
  function positionsOf(spec, table, ids, D, { past, mask, paddingIdx }) {
    const rows = positionRows(modules.positionIds, spec, ids, { past, mask, paddingIdx });
    if (!rows) return undefined;
    if (spec.scheme === "learnedPositions") {
      return modules.learned.lookup(/** @type {TableInput} */ (table), rows);
    }
    const offset = check.finite(spec.options?.offset ?? 0, "spec.positions.options.offset");
    const { data, shape } = rows;
    const positions = Array.from(data, (row) => row + offset);
    const made = modules.sinusoidal.table(positions, D, { ...spec.options, offset: 0 });
    if (spec.preset === "fairseq") {
      // fairseq's table has a row of zeros for padding.
      const zeros = paddingIdx ?? spec.paddingIdx ?? 1;
      data.forEach((row, i) => row === zeros && made.data.fill(0, i * D, (i + 1) * D));
    }
    return made.reshape(...shape, D);
  }

  /**
   * The LayerNorm or RMSNorm of the sum.
   * @param {Tensor} x @param {Tokens} tokens @param {NonNullable<InputWeights["norm"]>} weights
   */
  function normalized(x, { norm, normKind }, { weight, bias }) {
    const eps = Number(norm);
    if (normKind === "rms") return modules.normalize.rmsNorm(x, { weight, eps });
    return modules.normalize.layerNorm(x, { weight, bias, eps });
  }

  /**
   * Computes the input of a model's first layer: words, token types and positions, LayerNorm, dropout.
   *
   *     dropout(LayerNorm((words[id] * scale + segments[segment] + positions[position]) * sumScale))
   *
   * `spec` says which of these steps the model has. `models.get`, `models.fromConfig` and
   * `fromGguf` of `phasor/open` return such descriptions; that of the transformer of 2017 is
   * `{ tokens: { scale: "sqrt" }, positions: { scheme: "sinusoidal" } }`. RoPE, ALiBi and T5's bias
   * act in attention and add nothing here.
   * Accuracy: float32 sums in the order of the formula; equal bits to the same steps made one by one with
   * `embedding`, `learnedPositions`, `sinusoidal`, `normalize` and `dropout`.
   *
   * @template {boolean} [Shown=false]
   * @overload
   * @param {InputSpec} spec  the model's description
   * @param {InputWeights} weights  of the steps that the model has
   * @param {TensorInput} ids  [..., T]
   * @param {OptionsOf<typeof INPUT> & {intermediates?: Shown}} [options]
   * @returns {Shown extends true ? Stages : Tensor} float32 [..., T, D], or all steps
   * @throws {TypeError | RangeError} if an argument has the wrong type or is out of range, weights are missing
   *   or not used, or the scheme is none of those above
   * @see Vaswani et al. 2017, https://arxiv.org/abs/1706.03762, sections 3.4, 3.5 and 5.4; transformers,
   *   models/{gpt2,bert,roberta,opt,bloom,gemma3}/modeling_*.py
   * @example
   * const gpt2 = { positions: { scheme: "learnedPositions", preset: "gpt2" } };
   * const weights = { words: [[0], [10]], positions: [[1], [2], [3]] };
   * inputEmbeddings(gpt2, weights, [1, 1], { past: 1 }).toArray()
   * // [[12], [13]]
   */
  // The overload is the function itself: declarations keep the comments of overloads alone.
  /**
   * @param {InputSpec} spec @param {InputWeights} weights @param {TensorInput} ids
   * @param {OptionsOf<typeof INPUT>} [options]
   * @returns {any}
   */
  function inputEmbeddings(spec, weights, ids, options = {}) {
    const given = INPUT.read(options);
    const { tokens, positions: rule, dim } = readSpec(spec);
    const tables = readWeights(core, weights, { tokens, rule, dim });
    const { words } = tables;
    const rows = readIds(ids, words.N);
    lengthOf(rows);
    const segments =
      tables.segments &&
      lookUp(core, tables.segments, segmentRows(given.segments, rows, tables.segments.N));
    if (!segments && given.segments !== undefined) {
      throw new RangeError("segments must be left out for a model without them; got some");
    }
    const width = tokens.projection === "words" ? tables.dim : words.D;
    const { scale, scaleDtype, sumScale, maskId, norm: eps, projection: at } = tokens;
    const mask = maskId === undefined ? given.mask : undefined;
    const positions = positionsOf(rule, weights.positions, rows, width, { ...given, mask });

    const factor = readScale(core, sumScale, scaleDtype, width, "spec.tokens.sumScale");
    const addends = [segments, positions].filter((addend) => addend !== undefined);
    const { attended, masked } = unmasked(core, words, rows, tokens, given.mask);
    const inLookup = at === "words" || masked ? undefined : addends.shift();
    let x = masked ?? lookUp(core, words, rows, { scale, scaleDtype, add: inLookup });
    let projected;
    if (tables.projection && at === "words") x = projected = project(core, x, tables.projection);
    for (const add of addends) x = overRows(core, x, { add });
    const sum = x;
    const scaledSum = factor === 1 ? undefined : (x = overRows(core, x, { scale: factor }));
    if (eps !== null) x = normalized(x, tokens, tables.norm);
    const afterNorm = x;
    if (attended) x = withoutPadding(x, attended);
    if (tables.projection && at === "norm") x = projected = project(core, x, tables.projection);
    const { p, seed, training, out, intermediates } = given;
    // Before the output is written, which may lie over the table of words.
    const first = intermediates && wordStages(core, words, rows, { scale, scaleDtype, masked });
    const output = modules.dropout.apply(x, { p, seed, training, out });
    if (!first) return output;
    return {
      ...first,
      ...(segments && { segments }),
      ...(positions && { positions }),
      ...((segments || positions) && { sum }),
      ...(scaledSum && { scaledSum }),
      ...(eps !== null && { normalized: afterNorm }),
      ...(projected && { projected }),
      output,
    };
  }
  return option.withOptions({ inputEmbeddings }, { inputEmbeddings: INPUT }).inputEmbeddings;
}

/** @param {unknown} value @param {string} name @returns {Record<string, unknown>} */
function readRecord(value, name) {
  if (check.isObject(value)) return /** @type {any} */ (value);
  throw new TypeError(`${name} must be an object; got ${check.describe(value)}`);
}

/** @param {unknown} value */
function readSpec(value) {
  const {
    tokens: given = {},
    positions,
    dim,
  } = /** @type {InputSpec} */ (readRecord(value, "spec"));
  const rule = /** @type {PositionSpec} */ (readRecord(positions, "spec.positions"));
  const { reasons } = /** @type {{reasons?: string[]}} */ (rule);
  if (check.isList(reasons)) {
    throw new RangeError(
      `spec.positions must be known; got "${rule.scheme}": ${reasons.join(" ")}`,
    );
  }
  check.oneOf(rule.scheme, "spec.positions.scheme", SCHEMES);
  const keys = /** @type {Record<string, object>} */ (KEYS)[rule.scheme];
  const stated = Object.entries(rule).filter(([, value]) => value !== undefined);
  if (keys) check.known(Object.fromEntries(stated), keys, "spec.positions");
  const options = check.options(readRecord(given, "spec.tokens"), TOKENS, "spec.tokens");
  const tokens = /** @type {Tokens} */ (/** @type {unknown} */ (options));
  check.integer(tokens.segments, "spec.tokens.segments", 0);
  if (tokens.maskId !== undefined) check.integer(tokens.maskId, "spec.tokens.maskId", 0);
  if (tokens.unknown !== undefined) {
    throw new RangeError(`spec.tokens must have known parts; got ${tokens.unknown}`);
  }
  check.oneOf(tokens.normKind, "spec.tokens.normKind", ["layer", "rms"]);
  if (tokens.projection !== null) {
    check.oneOf(tokens.projection, "spec.tokens.projection", ["words", "norm"]);
  }
  return { tokens, positions: rule, dim };
}

/**
 * Reads the weights that the model has, and refuses those that it does not.
 * @param {Core} core @param {unknown} given
 * @param {{tokens: Tokens, rule: PositionSpec, dim: number | undefined}} spec
 */
function readWeights(core, given, { tokens, rule, dim }) {
  const isLearned = rule.scheme === "learnedPositions";
  /** Weights by name, and the rows that they must have. @type {Record<string, number | undefined>} */
  const tables = {
    words: undefined,
    ...(isLearned && { positions: rule.rows }),
    ...(tokens.segments > 0 && { segments: tokens.segments }),
  };
  const names = [
    ...Object.keys(tables),
    ...(tokens.norm === null ? [] : ["norm"]),
    ...(tokens.projection === null ? [] : ["projection"]),
  ];
  const weights = readRecord(given, "weights");
  const unused = Object.keys(weights).find((name) => !names.includes(name));
  if (unused !== undefined) {
    throw new TypeError(`weights must be among ${names.join(", ")} for this model; got ${unused}`);
  }
  const { projection: at } = tokens;
  const words = readTable(core, weights.words, "weights.words");
  const E = words.D;
  const projection = at === null ? undefined : readProjection(weights.projection, E, dim);
  const D = projection ? projection.weight.shape[0] : E;
  /** @type {Record<string, Rows>} */
  const read = {};
  for (const [name, N] of Object.entries(tables)) {
    const table = name === "words" ? words : readTable(core, weights[name], `weights.${name}`);
    const own =
      name === "words" ? (tokens.width ?? (at === null ? (dim ?? E) : E)) : at === "words" ? D : E;
    const wanted = [N ?? table.N, own];
    if (table.N !== wanted[0] || table.D !== wanted[1]) {
      throw new RangeError(
        `weights.${name} must have shape [${wanted.join(", ")}]; got [${table.N}, ${table.D}]`,
      );
    }
    read[name] = table;
  }
  const { segments } = read;
  const norm = readNorm(weights.norm);
  if (tokens.normKind === "rms" && norm.bias !== undefined) {
    throw new TypeError("weights.norm.bias must be left out for an RMSNorm; got one");
  }
  return { words, segments, projection, dim: D, norm };
}

/**
 * @typedef {ReturnType<typeof asFloat32>} Numbers
 * @typedef {{weight: Numbers, bias?: Numbers}} Projection
 * @param {unknown} value @param {number} E @param {number | undefined} dim
 * @returns {Projection}
 */
function readProjection(value, E, dim) {
  const { weight, bias, ...more } = readRecord(value, "weights.projection");
  const [unused] = Object.keys(more);
  if (unused !== undefined) {
    throw new TypeError(`weights.projection must be {weight, bias}; got ${unused}`);
  }
  const matrix = asFloat32(weight, "weights.projection.weight");
  const [D, width] = matrix.shape;
  if (matrix.shape.length !== 2 || width !== E || (dim !== undefined && D !== dim)) {
    const shape = `[${dim ?? "D"}, ${E}]`;
    throw wrongShape("weights.projection.weight", shape, matrix.shape);
  }
  if (bias === undefined) return { weight: matrix };
  const added = asFloat32(bias, "weights.projection.bias");
  if (added.shape.length !== 1 || added.shape[0] !== D) {
    throw wrongShape("weights.projection.bias", `[${D}]`, added.shape);
  }
  return { weight: matrix, bias: added };
}

/** @param {unknown} value @returns {NonNullable<InputWeights["norm"]>} */
function readNorm(value) {
  const { weight, bias, ...more } = readRecord(value ?? {}, "weights.norm");
  const [unused] = Object.keys(more);
  if (unused !== undefined) {
    throw new TypeError(`weights.norm must be {weight, bias}; got ${unused}`);
  }
  return /** @type {any} */ ({ weight, bias });
}

/**
 * The tokens that are no padding.
 * @param {unknown} mask @param {Ids} ids
 * @returns {Int32Array | undefined} undefined without a mask
 */
function readAttended(mask, { data: ids, shape }) {
  if (mask === undefined) return undefined;
  const { data, shape: own } = readMask(mask, "mask");
  if (own.join() === shape.slice(-own.length).join()) {
    return Int32Array.from(ids, (_, i) => data[i % data.length]);
  }
  throw new RangeError(`mask must have the last axes of [${shape.join(", ")}]; got [${own.join(", ")}]`); // prettier-ignore
}

/** Rows whose padding is 0. @param {Tensor} x @param {Int32Array} attended */
function withoutPadding(x, attended) {
  const D = x.shape[x.shape.length - 1];
  return new Tensor(
    x.data.map((value, i) => attended[Math.floor(i / D)] && value),
    x.shape,
  );
}

/**
 * The rows of words as ESM scales them in each sequence, and its tokens that are no padding.
 * @param {Core} core @param {Rows} words @param {Ids} rows @param {Tokens} tokens @param {unknown} mask
 * @returns {{masked?: Tensor, attended?: Int32Array}} nothing for other models
 */
function unmasked(core, words, rows, { scale: given, scaleDtype, maskId }, mask) {
  if (maskId === undefined) return {};
  const { data, shape } = rows;
  const attended = readAttended(mask, rows);
  const factor = readScale(core, given, scaleDtype, words.D);
  const T = lengthOf({ data, shape });
  const x = lookUp(core, words, { data, shape });
  const { D } = words;
  for (let from = 0; from < data.length; from += T) {
    const ids = data.subarray(from, from + T);
    const count = attended ? attended.subarray(from, from + T).reduce((sum, x) => sum + x, 0) : T;
    const left = count - ids.filter((id) => id === maskId).length;
    if (left <= 0) throw new RangeError(`ids must have a token that is no mask; got ${maskId}`);
    const scale = (factor * TRAINED * count) / left;
    lookUp(core, words, ids, { scale, out: x.data.subarray(from * D, (from + T) * D) });
  }
  data.forEach((id, i) => id === maskId && x.data.fill(0, i * D, (i + 1) * D));
  return { masked: x, attended };
}

/**
 * The rows of words, and where they are scaled, those.
 * @param {Core} core @param {Rows} words @param {Ids} rows
 * @param {LookupOptions & {masked: Tensor | undefined}} options
 */
function wordStages(core, words, rows, { masked, ...options }) {
  const isScaled = masked !== undefined || options.scale !== 1;
  return {
    words: lookUp(core, words, rows),
    ...(isScaled && { scaled: masked ?? lookUp(core, words, rows, options) }),
  };
}

/** scale * x + add in float32, as a lookup computes them. @param {Core} core @param {Tensor} x @param {LookupOptions} options */
function overRows(core, x, options) {
  if (x.size === 0) return x;
  const shape = x.shape.slice(0, -1);
  const rows = readTable(core, x.reshape(-1, x.shape[shape.length]), "x");
  const data = Int32Array.from({ length: rows.N }, (_, row) => row);
  return lookUp(core, rows, { data, shape }, options);
}

/** The linear layer of factorized tables. @param {Core} core @param {Tensor} x @param {Projection} projection */
function project(core, x, { weight, bias }) {
  const [D, E] = weight.shape;
  const shape = [...x.shape.slice(0, -1), D];
  const result = arrays.float32s((x.size / E) * D, "ids");
  fillLinear(core, x.data, weight.data, bias?.data, E, result);
  return new Tensor(result, shape);
}
