/**
 * Weights of a projection from two sources: whether the rows of one are those of the other in the other layout of
 * pairs. Rows are compared bit by bit, so an answer is exact.
 */
import * as check from "../../runtime/check.js";
import { asFloat32 } from "../../runtime/input.js";
import { none, refuseNotFinite } from "../words.js";

/**
 * @import { RopeModules } from "../../positional/rotary/rope/index.js"
 * @import { None } from "../identify/identify.js"
 */

/**
 * How the rows of a head are those of the reference's.
 * @typedef {object} Order
 * @property {"same" | "converted"} order  whether they are moved
 * @property {"interleaved" | "halves"} [from]  the layout of the reference, as of `rope.convert`
 * @property {"interleaved" | "halves"} [to]  the layout of the weights
 * @property {number} [dim]  the number of rows that are converted
 * @property {number} [start]  the first of them
 */

/**
 * Rows that are in the same order, or converted. They were converted again and compared bit by bit.
 * @typedef {{kind: "weights", sentence: string, residual: 0, heads: number, headDim: number, byHead?: Order[],
 *   decidedBy: string[], alsoEqual: (Order & {sentence: string})[]} & Partial<Order>} Weights
 */

/**
 * @param {RopeModules} modules @param {{weights: unknown, reference?: unknown, heads?: unknown}} given
 * @returns {Weights | None}
 */
export function identifyWeights({ rope }, { weights, reference, heads }) {
  const own = read(weights, "weights");
  const H = check.integer(heads, "heads");
  const D = own.rows / H;
  if (!Number.isInteger(D)) {
    throw new RangeError(`heads must divide the ${own.rows} rows of weights; got ${H}`);
  }
  if (reference === undefined) {
    return none("weights of one source do not show the layout of their rows; pass reference, the same weights of another source"); // prettier-ignore
  }
  const other = read(reference, "reference");
  if (own.rows !== other.rows || own.width !== other.width) {
    throw new RangeError(
      `reference must have the shape of weights, [${own.rows}, ${own.width}]; got [${other.rows}, ${other.width}]`,
    );
  }
  const [rows, wanted] = classes(own, other);
  const all = ordersOf(D);
  const byHead = Array.from({ length: H }, (_, h) =>
    all.filter((order) => isOf(order, rows, wanted, h * D, D)),
  );
  const found = all.filter((order) => byHead.every((fits) => fits.includes(order)));
  if (found.length > 0) return answer(rope, own, other, { H, D, found });
  if (byHead.every((fits) => fits.length > 0)) {
    const orders = byHead.map(([first]) => first);
    return answer(rope, own, other, { H, D, found: orders, byHead: orders });
  }
  for (let count = 1; count <= own.rows / 4; ++count) {
    const size = own.rows / count;
    if (count === H || size % 2 !== 0) continue;
    const fits = ordersOf(size).filter(({ order, dim }) => order === "converted" && dim === size);
    const whole = fits.filter(
      (order) =>
      Array.from({ length: count }, (_, h) => h).every((h) => isOf(order, rows, wanted, h * size, size)), // prettier-ignore
    );
    if (whole.length > 0) return answer(rope, own, other, { H: count, D: size, found: whole, asked: H }); // prettier-ignore
  }
  return none(reasonOf(own, other, rows, wanted, D, byHead.findIndex((fits) => fits.length === 0))); // prettier-ignore
}

/** @typedef {{bits: Uint32Array, data: Float32Array, rows: number, width: number}} Matrix */

/** @param {unknown} value @param {string} name @returns {Matrix} */
function read(value, name) {
  const { data, shape } = asFloat32(value, name);
  if (data.length === 0 || shape.length < 1 || shape.length > 2) {
    throw new RangeError(`${name} must be [H * D, E] or [H * D]; got [${shape.join(", ")}]`);
  }
  refuseNotFinite(data, name);
  const bits = new Uint32Array(data.buffer, data.byteOffset, data.length);
  return { bits, data, rows: shape[0], width: data.length / shape[0] };
}

/** One number for each different row. @param {Matrix} own @param {Matrix} other @returns {Int32Array[]} of each matrix */
function classes(own, other) {
  /** @type {Map<number, {matrix: Matrix, row: number, id: number}[]>} */
  const known = new Map();
  let count = 0;
  return [own, other].map((matrix) =>
    new Int32Array(matrix.rows).map((_, row) => {
      const { bits, width } = matrix;
      let hash = 0;
      for (let k = row * width; k < (row + 1) * width; ++k) hash = (Math.imul(hash, 31) + bits[k]) | 0; // prettier-ignore
      const alike = known.get(hash) ?? [];
      const same = alike.find(
        (one) =>
        bits.subarray(row * width, (row + 1) * width).every((x, k) => x === one.matrix.bits[one.row * width + k]), // prettier-ignore
      );
      if (same) return same.id;
      known.set(hash, [...alike, { matrix, row, id: count }]);
      return count++;
    }),
  );
}

/** The orders that a head of D rows can have, simplest first. @param {number} D @returns {Order[]} */
function ordersOf(D) {
  /** @type {Order[]} */
  const all = [{ order: "same" }];
  for (let dim = D - (D % 2); dim >= 4; dim -= 2) {
    for (const start of dim < D ? [0, D - dim] : [0]) {
      all.push({ order: "converted", from: "interleaved", to: "halves", dim, start });
      all.push({ order: "converted", from: "halves", to: "interleaved", dim, start });
    }
  }
  return all;
}

/** @param {Order} order @param {Int32Array} rows @param {Int32Array} wanted @param {number} at  the head's first row @param {number} D */
function isOf({ order, from, dim = 0, start = 0 }, rows, wanted, at, D) {
  for (let k = 0; k < D; ++k) {
    const i = k - start;
    let source = i;
    if (order === "converted" && i >= 0 && i < dim) {
      if (from === "interleaved") source = i < dim / 2 ? 2 * i : 2 * i - dim + 1;
      else source = (i % 2) * (dim / 2) + (i >> 1);
    }
    if (rows[at + k] !== wanted[at + start + source]) return false;
  }
  return true;
}

/**
 * Converts the reference's rows and compares all numbers.
 * @param {RopeModules["rope"]} rope @param {Matrix} own @param {Matrix} other
 * @param {{H: number, D: number, found: Order[], byHead?: Order[], asked?: number}} of
 * @returns {Weights}
 */
function answer(rope, own, other, { H, D, found, byHead, asked }) {
  const { width } = own;
  for (let h = 0; h < H; ++h) {
    const { order, from, to, dim = 0, start = 0 } = byHead?.[h] ?? found[0];
    const first = h * D * width;
    const head = other.data.slice(first, first + D * width);
    if (order === "converted") {
      const part = head.subarray(start * width, (start + dim) * width);
      const { data } = rope.convert({ data: part, shape: [dim, width] }, { from, to, axis: 0 });
      head.set(data, start * width);
    }
    const off = head.findIndex((x, k) => x !== own.data[first + k]);
    if (off >= 0) throw new Error(`row ${h * D + Math.floor(off / width)} was read wrongly`);
  }
  const heads = `${H} ${H === 1 ? "head" : "heads"} of ${D} rows`;
  const orders = byHead?.map((order, h) => `${h}: ${words(order)}`);
  const decidedBy = [
    `all ${own.rows} rows of ${width} numbers are equal bit by bit`,
    ...(asked ? [`no order of ${asked} heads fits: the rows were converted as those of ${H}`] : []),
  ];
  const named = byHead ? undefined : found[0];
  return {
    kind: "weights",
    sentence: `rows of the reference, ${named ? words(named) : `by head: ${orders?.slice(0, 8).join("; ")}`}, ${heads}`,
    residual: 0,
    heads: H,
    headDim: D,
    ...named,
    ...(byHead && { byHead }),
    decidedBy,
    alsoEqual: byHead ? [] : found.slice(1).map((one) => ({ ...one, sentence: words(one) })),
  };
}

/** @param {Order} order */
function words({ order, from, to, dim, start }) {
  if (order === "same") return "in the same order";
  return `converted from ${from} to ${to}, ${dim} rows a head${start ? ` from row ${start}` : ""}`;
}

/**
 * @param {Matrix} own @param {Matrix} other @param {Int32Array} rows @param {Int32Array} wanted @param {number} D
 * @param {number} head  that no order explains
 */
function reasonOf(own, other, rows, wanted, D, head) {
  const at = head * D;
  const isMissing = (/** @type {number} */ k) => !wanted.includes(rows[k]);
  for (let k = at; k < at + D; ++k) {
    if (!isMissing(k)) continue;
    let nearest = Infinity;
    for (let row = at; row < at + D; ++row) {
      let most = 0;
      for (let e = 0; e < own.width; ++e) {
        most = Math.max(most, Math.abs(own.data[k * own.width + e] - other.data[row * own.width + e])); // prettier-ignore
      }
      nearest = Math.min(nearest, most);
    }
    return `row ${k - at} of head ${head} is no row of the reference; the nearest of its head differs by ${nearest.toPrecision(3)}`;
  }
  const moved = Array.from({ length: D }, (_, k) => at + k).find((k) => rows[k] !== wanted[k]) ?? at; // prettier-ignore
  const row = wanted.indexOf(rows[moved]);
  return `row ${moved - at} of head ${head} is row ${row % D} of head ${Math.floor(row / D)} of the reference, and no layout of pairs gives this order`;
}
