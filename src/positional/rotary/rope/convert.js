/** @import { TensorInput } from "../../../runtime/tensor.js" */
import * as check from "../../../runtime/check.js";
import { asFloat32, Tensor } from "../../../runtime/tensor.js";

/**
 * Which components form a pair; in the order of the C++ enum.
 * @typedef {typeof LAYOUTS[number]} Layout
 */
export const LAYOUTS = /** @type {const} */ (["interleaved", "halves"]);

/**
 * Reorder components from one layout of pairs to the other: of queries and keys, or of the
 * projections that make them.
 *
 *     halves[i] = interleaved[2i],   halves[i + R/2] = interleaved[2i + 1],   i < R/2
 *
 * in each of the heads that lie one after the other along an axis; components R .. of a head stay.
 * Rotation commutes with it, and products of a query and a key do not change if both are converted.
 * A checkpoint of Meta's LLaMA becomes Hugging Face's by
 * `{ from: "interleaved", to: "halves", axis: 0, heads }` on the weights [H * D, in] and biases
 * [H * D] of queries and keys, each with its own number of heads, and on nothing else.
 *
 * @param {TensorInput} x  any shape; not changed unless it is `out`
 * @param {object} options
 * @param {Layout} options.from  the layout of x
 * @param {Layout} options.to  the layout of the result
 * @param {number} [options.axis]  that holds the components, negative from the end; default -1, 0
 *   for weights [H * D, in]
 * @param {number} [options.heads]  along that axis; default 1
 * @param {number} [options.dim]  rotated width R of a head, even; default the whole head
 * @param {Float32Array | Tensor} [options.out]  filled instead of a new array; may be x itself
 * @returns {Tensor} float32, the shape of x; the caller's own
 * @throws {TypeError | RangeError} if an argument is of the wrong kind or does not fit the shape
 * @see Hugging Face transformers, convert_llama_weights_to_hf.py
 * @example
 * rope.convert([0, 1, 2, 3, 4, 5], { from: "interleaved", to: "halves" }).toArray()
 * // [0, 2, 4, 1, 3, 5]
 * rope.convert([0, 1, 2, 3, 4, 5, 6, 7], { from: "halves", to: "interleaved", heads: 2 }).toArray()
 * // [0, 2, 1, 3, 4, 6, 5, 7]
 */
export function convert(x, options) {
  const defaults = {
    from: undefined,
    to: undefined,
    axis: -1,
    heads: 1,
    dim: undefined,
    out: undefined,
  };
  const { from, to, axis, heads, dim, out } = check.options(options, defaults, "rope.convert");
  const [old, now] = Object.entries({ from, to }).map(([name, layout]) =>
    check.oneOf(layout, name, LAYOUTS),
  );
  const { data, shape } = asFloat32(x, "x");
  if (shape.length === 0) throw new RangeError("x must have at least one axis; got shape []");
  const at = check.integer(axis, "axis", -shape.length, shape.length - 1);
  const [rows, size, inner] = around(shape, at < 0 ? at + shape.length : at);
  const H = check.integer(heads, "heads");
  const D = size / H;
  if (!Number.isInteger(D)) {
    throw new RangeError(`heads must divide the ${size} components of axis ${at}; got ${H}`);
  }
  const R = dim === undefined ? D : check.integer(dim, "dim", 0, D);
  if (R % 2 !== 0) throw new RangeError(`dim must be even; got ${R}`);
  const result = check.destination(out, shape);
  const source = bitsOf(data.buffer === result.buffer ? data.slice() : data);
  const moved = bitsOf(result);
  moved.set(source);
  for (let head = 0; old !== now && head < rows * H; ++head) {
    for (let i = 0; i < R; ++i) {
      const half = (i % 2) * (R / 2) + Math.floor(i / 2); // where halves have interleaved component i
      const [there, here] = old === "halves" ? [half, i] : [i, half];
      for (let k = 0; k < inner; ++k) {
        moved[(head * D + here) * inner + k] = source[(head * D + there) * inner + k];
      }
    }
  }
  return new Tensor(result, shape);
}

/**
 * Read cosines and sines that stand twice, as textbooks and Hugging Face write them, and find out
 * which layout of pairs they are for.
 *
 *     halves:       columns i and i + D/2 are equal
 *     interleaved:  columns 2i and 2i + 1 are equal
 *
 * Angles of one layout and the rotation of the other do not belong together: a model that mixes them
 * answers gibberish. Tables that have both properties, as those of position 0 alone, must be told.
 *
 * @param {{cos: TensorInput, sin: TensorInput}} tables  [..., T, D] each
 * @param {{layout?: Layout}} [options]  for tables that fit both; refused where they do not fit it
 * @returns {{table: {cos: Tensor, sin: Tensor}, layout: Layout}} what `rope.apply` takes: float32
 *   [..., T, D/2] each, and its layout (`halves` for D = 2, where both are the same)
 * @throws {TypeError | RangeError} if an argument is of the wrong kind, or the columns fit neither
 * @see Hugging Face transformers, modeling_llama.py (halves), modeling_gptj.py (interleaved)
 * @example
 * const twice = { cos: [[1, 0.5, 1, 0.5]], sin: [[0, 0.8, 0, 0.8]] };
 * rope.fromFullWidth(twice).layout
 * // "halves"
 */
export function fromFullWidth(tables, options = {}) {
  const { layout } = check.options(options, { layout: undefined }, "rope.fromFullWidth");
  const wanted = layout === undefined ? LAYOUTS : [check.oneOf(layout, "layout", LAYOUTS)];
  const { cos, sin, shape } = readParts(tables, "tables");
  const D = shape[shape.length - 1];
  if (shape.length < 2 || D === 0 || D % 2 !== 0) {
    throw new RangeError(
      `tables.cos must have shape [..., T, D] with D even; got [${shape.join(", ")}]`,
    );
  }
  const fitting = wanted.filter((one) => isTwice(cos, D, one) && isTwice(sin, D, one));
  if (fitting.length === 0) {
    const columns = { halves: "i and i + D/2", interleaved: "2i and 2i + 1" };
    const rules = wanted.map((one) => `${columns[one]} (${one})`).join(" or ");
    throw new RangeError(`tables must be equal in columns ${rules}; got others`);
  }
  if (fitting.length === 2 && D > 2) {
    throw new RangeError(
      "tables must tell the layouts apart, or the option layout do so; got columns that are equal in both ways",
    );
  }
  const found = fitting[fitting.length - 1];
  const half = [...shape.slice(0, -1), D / 2];
  const [once, other] = [cos, sin].map((part) => new Tensor(firstOfTwo(part, D, found), half));
  return { table: { cos: once, sin: other }, layout: found };
}

/**
 * Read an argument that holds cosines and sines.
 * @param {unknown} table @param {string} name
 * @returns {{cos: Float32Array, sin: Float32Array, shape: number[]}}
 */
export function readParts(table, name) {
  if (typeof table !== "object" || table === null || !("cos" in table) || !("sin" in table)) {
    throw new TypeError(
      `${name} must be {cos, sin}, as of rope.table; got ${check.describe(table)}`,
    );
  }
  const cos = asFloat32(table.cos, `${name}.cos`);
  const sin = asFloat32(table.sin, `${name}.sin`);
  if (sin.shape.join() !== cos.shape.join()) {
    throw new RangeError(
      `${name}.sin must have the shape of ${name}.cos, [${cos.shape.join(", ")}]; got [${sin.shape.join(", ")}]`,
    );
  }
  return { cos: cos.data, sin: sin.data, shape: cos.shape };
}

/** Numbers as bits, so that a NaN keeps its own. @param {Float32Array} numbers */
function bitsOf({ buffer, byteOffset, length }) {
  return new Uint32Array(buffer, byteOffset, length);
}

/**
 * How many elements lie before an axis, along it and within each of its places.
 * @param {readonly number[]} shape @param {number} axis
 */
function around(shape, axis) {
  return [check.count(shape.slice(0, axis)), shape[axis], check.count(shape.slice(axis + 1))];
}

/** The first column of pair i of a table with D columns. @param {number} i @param {Layout} layout */
const columnOf = (i, layout) => (layout === "halves" ? i : 2 * i);

/** @param {Float32Array} data @param {number} D @param {Layout} layout */
function isTwice(data, D, layout) {
  const apart = layout === "halves" ? D / 2 : 1;
  for (let row = 0; row < data.length; row += D) {
    for (let i = 0; i < D / 2; ++i) {
      const at = row + columnOf(i, layout);
      if (data[at] !== data[at + apart]) return false;
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
