/** @import { OptionsOf } from "../../../runtime/options.js" */
/** @import { TensorInput } from "../../../runtime/tensor.js" */
import { bitsOf } from "../../../runtime/bits.js";
import * as arrays from "../../../runtime/arrays.js";
import * as check from "../../../runtime/check.js";
import { wrongShape } from "../../../runtime/errors.js";
import * as option from "../../../runtime/options.js";
import { output } from "../../../runtime/result.js";
import { asFloat32 } from "../../../runtime/input.js";
import { Tensor } from "../../../runtime/tensor.js";

/**
 * Which components form a pair; in the order of the C++ enum.
 * @typedef {typeof LAYOUTS[number]} Layout
 */
export const LAYOUTS = /** @type {const} */ (["interleaved", "halves"]);

export const CONVERT = option.optionSet(() => ({
  /** The layout of x. Required. */
  from: option.value(/** @type {Layout | undefined} */ (undefined)),
  /** The layout of the result. Required. */
  to: option.value(/** @type {Layout | undefined} */ (undefined)),
  /** The axis of the components, negative from the end: 0 for weights [H * D, in]. */
  axis: option.integer({ default: -1, min: -(2 ** 31) }),
  /** The number of heads along that axis. */
  heads: option.integer({ default: 1 }),
  /** The rotated width R of a head, even. Default: the whole head. */
  dim: option.integer({ min: 0 }),
  /** Filled instead of a new array; may be x itself. */
  out: option.out(),
}));

export const FROM_FULL_WIDTH = option.optionSet(() => ({
  /** The layout of tables that fit both layouts. Default: the one that the columns show. */
  layout: option.value(/** @type {Layout | undefined} */ (undefined)),
}));

export const TO_FULL_WIDTH = option.optionSet(() => ({
  /** The layout of the columns: `halves` repeats all of them, `interleaved` each of them. Left out, that of a table of `axialRope`. */
  layout: option.choice(LAYOUTS, "halves"),
}));

/**
 * Reorders components from one layout of pairs to the other: of queries and keys, or of the
 * projections that compute them.
 *
 *     halves[i] = interleaved[2i],   halves[i + R/2] = interleaved[2i + 1],   i < R/2
 *
 * in each head along an axis; components R .. of a head are copied. Conversion commutes with rotation,
 * and the product of a query and a key does not change if both are converted.
 * To convert a checkpoint of Meta's LLaMA to Hugging Face's layout, pass
 * `{ from: "interleaved", to: "halves", axis: 0, heads }` for the weights [H * D, in] and biases
 * [H * D] of queries and of keys, each with its number of heads, and for no other tensor.
 *
 * @param {TensorInput} x  any shape; not changed unless it is `out`
 * @param {OptionsOf<typeof CONVERT>} options
 * @returns {Tensor} float32, the shape of x
 * @throws {TypeError | RangeError} if an argument has the wrong type or does not fit the shape
 * @see Hugging Face transformers, convert_llama_weights_to_hf.py
 * @example
 * rope.convert([0, 1, 2, 3, 4, 5], { from: "interleaved", to: "halves" }).toArray()
 * // [0, 2, 4, 1, 3, 5]
 * rope.convert([0, 1, 2, 3, 4, 5, 6, 7], { from: "halves", to: "interleaved", heads: 2 }).toArray()
 * // [0, 2, 1, 3, 4, 6, 5, 7]
 */
export function convert(x, options) {
  const { from: old, to: now, axis, heads: H, dim, out } = CONVERT.view(options);
  check.oneOf(old, "from", LAYOUTS);
  check.oneOf(now, "to", LAYOUTS);
  const { data, shape } = asFloat32(x, "x");
  if (shape.length === 0) throw new RangeError("x must have at least one axis; got shape []");
  check.integer(axis, "axis", -shape.length, shape.length - 1);
  const [outer, size, inner] = splitShape(shape, axis < 0 ? axis + shape.length : axis);
  const D = size / H;
  if (!Number.isInteger(D)) {
    throw new RangeError(`heads must divide the ${size} components of axis ${axis}; got ${H}`);
  }
  const P = check.pairs(dim ?? D, 0, D);
  const result = output(out, shape);
  const given = arrays.haveOneBuffer(data, result.data) ? data.slice() : data;
  result.data.set(given);
  if (old === now) return result.done();
  const [source, moved] = [bitsOf(given), bitsOf(result.data)];
  for (let head = 0; head < outer * H; ++head) {
    for (let i = 0; i < 2 * P; ++i) {
      const half = (i % 2) * P + Math.floor(i / 2); // where halves have interleaved component i
      const [there, here] = old === "halves" ? [half, i] : [i, half];
      for (let k = 0; k < inner; ++k) {
        moved[(head * D + here) * inner + k] = source[(head * D + there) * inner + k];
      }
    }
  }
  return result.done();
}

/**
 * Converts cosines and sines whose columns are repeated, as in textbooks and Hugging Face, to the tables
 * that `rope.apply` takes, and detects their layout of pairs.
 *
 *     halves:       columns i and i + D/2 are equal
 *     interleaved:  columns 2i and 2i + 1 are equal
 *
 * A model that combines angles of one layout with the rotation of the other computes wrong attention
 * without an error. Tables that fit both layouts, such as those of position 0 alone, need `layout`.
 *
 * @param {{cos: TensorInput, sin: TensorInput}} tables  [..., T, D] each
 * @param {OptionsOf<typeof FROM_FULL_WIDTH>} [options]
 * @returns {{table: {cos: Tensor, sin: Tensor}, layout: Layout}} the arguments of `rope.apply`: float32
 *   [..., T, D/2] each, and their layout (`halves` for D = 2, where both are the same)
 * @throws {TypeError | RangeError} if an argument has the wrong type, or the columns fit neither layout
 * @see Hugging Face transformers, modeling_llama.py (halves), modeling_gptj.py (interleaved)
 * @example
 * const repeated = { cos: [[1, 0.5, 1, 0.5]], sin: [[0, 0.8, 0, 0.8]] };
 * rope.fromFullWidth(repeated).layout
 * // "halves"
 */
export function fromFullWidth(tables, options = {}) {
  const { layout } = FROM_FULL_WIDTH.read(options);
  const allowed = layout === undefined ? LAYOUTS : [check.oneOf(layout, "layout", LAYOUTS)];
  const { cos, sin, shape } = readParts(tables, "tables");
  const D = shape[shape.length - 1];
  if (shape.length < 2 || D === 0 || D % 2 !== 0) {
    throw wrongShape("tables.cos", "[..., T, D] with D even", shape);
  }
  const fitting = allowed.filter((one) => isRepeated(cos, D, one) && isRepeated(sin, D, one));
  if (fitting.length === 0) {
    const columns = { halves: "i and i + D/2", interleaved: "2i and 2i + 1" };
    const rules = allowed.map((one) => `${columns[one]} (${one})`).join(" or ");
    throw new RangeError(`tables must be equal in columns ${rules}; got others`);
  }
  if (fitting.length === 2 && D > 2) {
    throw new RangeError(
      "layout must be given for tables whose columns fit both layouts; got undefined",
    );
  }
  const found = fitting[fitting.length - 1];
  const half = [...shape.slice(0, -1), D / 2];
  const narrow = (/** @type {Float32Array} */ part) => new Tensor(firstOfTwo(part, D, found), half);
  return { table: { cos: narrow(cos), sin: narrow(sin) }, layout: found };
}

/**
 * Repeats every column of cosines and sines, as textbooks and Hugging Face do. The inverse of
 * `fromFullWidth`.
 *
 *     halves:       columns i and i + D/2 are column i of the table
 *     interleaved:  columns 2i and 2i + 1 are column i of the table
 *
 * @param {{cos: TensorInput, sin: TensorInput}} table  [..., T, P] each, as of `rope.table`
 * @param {OptionsOf<typeof TO_FULL_WIDTH>} [options]
 * @returns {{cos: Tensor, sin: Tensor}} float32 [..., T, 2 P] each
 * @throws {TypeError | RangeError} if an argument has the wrong type or shape
 * @see Hugging Face transformers, modeling_llama.py (halves), modeling_gptj.py (interleaved)
 * @example
 * const { cos } = rope.toFullWidth({ cos: [[1, 0.5]], sin: [[0, 0.8]] });
 * cos.toArray()
 * // [[1, 0.5, 1, 0.5]]
 */
export function toFullWidth(table, options = {}) {
  const read = TO_FULL_WIDTH.view(options);
  const { cos, sin, shape, layout: own } = readParts(table, "table");
  const layout = Object.hasOwn(read, "layout") ? read.layout : (own ?? read.layout);
  const P = readColumns(shape);
  const column = (/** @type {number} */ d) => (layout === "halves" ? d % P : Math.floor(d / 2));
  const widen = (/** @type {Float32Array} */ part) => {
    const wide = arrays.float32s(2 * part.length, "the result");
    const [from, to] = [bitsOf(part), bitsOf(wide)];
    for (let k = 0; k < to.length; ++k) {
      to[k] = from[Math.floor(k / (2 * P)) * P + column(k % (2 * P))];
    }
    return new Tensor(wide, [...shape.slice(0, -1), 2 * P]);
  };
  return { cos: widen(cos), sin: widen(sin) };
}

/**
 * Interleaves cosines and sines as complex numbers cos + i sin, as Meta's LLaMA does (`freqs_cis`;
 * `torch.view_as_complex` takes the result).
 *
 *     complex[..., t, i, :] = [cos[..., t, i], sin[..., t, i]]
 *
 * @param {{cos: TensorInput, sin: TensorInput}} table  [..., T, P] each, as of `rope.table`
 * @returns {Tensor} float32 [..., T, P, 2]
 * @throws {TypeError | RangeError} if the argument has the wrong type or shape
 * @see meta-llama/llama, llama/model.py: precompute_freqs_cis
 * @example
 * rope.toComplex({ cos: [[1, 0.5]], sin: [[0, 0.8]] }).toArray()
 * // [[[1, 0], [0.5, 0.800000011920929]]]
 */
export function toComplex(table) {
  const { cos, sin, shape } = readParts(table, "table");
  readColumns(shape);
  const complex = arrays.float32s(2 * cos.length, "the result");
  const [re, im, to] = [bitsOf(cos), bitsOf(sin), bitsOf(complex)];
  for (let k = 0; k < re.length; ++k) {
    to[2 * k] = re[k];
    to[2 * k + 1] = im[k];
  }
  return new Tensor(complex, [...shape, 2]);
}

/** The number of columns P of a table [..., T, P]. @param {readonly number[]} shape */
function readColumns(shape) {
  const P = shape[shape.length - 1];
  if (shape.length >= 2 && P > 0) return P;
  throw wrongShape("table.cos", "[..., T, P]", shape);
}

const PARTS = ["cos", "sin", "layout"];

/**
 * Reads an argument that holds cosines and sines.
 * @param {unknown} table @param {string} name
 * @returns {{cos: Float32Array, sin: Float32Array, shape: readonly number[], layout: Layout | undefined}} `layout`: that
 *   of a table of `axialRope`
 */
export function readParts(table, name) {
  if (!check.isObject(table) || !("cos" in table) || !("sin" in table)) {
    throw new TypeError(
      `${name} must be {cos, sin}, as of rope.table; got ${check.describe(table)}`,
    );
  }
  check.parts(table, PARTS, name);
  const { layout: own } = /** @type {{layout?: unknown}} */ (table);
  const layout = own === undefined ? undefined : check.oneOf(own, `${name}.layout`, LAYOUTS);
  const cos = asFloat32(table.cos, `${name}.cos`);
  const sin = asFloat32(table.sin, `${name}.sin`);
  if (!arrays.areEqual(sin.shape, cos.shape)) {
    throw new RangeError(
      `${name}.sin must have the shape of ${name}.cos, [${cos.shape.join(", ")}]; got [${sin.shape.join(", ")}]`,
    );
  }
  return { cos: cos.data, sin: sin.data, shape: cos.shape, layout };
}

/**
 * The number of elements before an axis, along it and after it.
 * @param {readonly number[]} shape @param {number} axis
 */
function splitShape(shape, axis) {
  return [arrays.count(shape, 0, axis), shape[axis], arrays.count(shape, axis + 1)];
}

/** The first column of pair i of a table with D columns. @param {number} i @param {Layout} layout */
const columnOf = (i, layout) => (layout === "halves" ? i : 2 * i);

/** @param {Float32Array} data @param {number} D @param {Layout} layout */
function isRepeated(data, D, layout) {
  const distance = layout === "halves" ? D / 2 : 1;
  for (let row = 0; row < data.length; row += D) {
    for (let i = 0; i < D / 2; ++i) {
      const at = row + columnOf(i, layout);
      if (data[at] !== data[at + distance]) return false;
    }
  }
  return true;
}

/** @param {Float32Array} data @param {number} D @param {Layout} layout */
function firstOfTwo(data, D, layout) {
  const P = D / 2;
  return Float32Array.from(
    { length: data.length / 2 },
    (_, k) => data[Math.floor(k / P) * D + columnOf(k % P, layout)],
  );
}
