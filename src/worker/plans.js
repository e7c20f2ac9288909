/**
 * Plans of the calls that several workers share. A plan exists only for arguments that are plainly good and large
 * enough: all others run in one worker, which also reports what is wrong with them.
 */
import * as arrays from "../runtime/arrays.js";
import { readIds } from "../runtime/ids.js";
import { Tensor } from "../runtime/tensor.js";
import { arraysIn, isMoving, transfer } from "./arguments.js";
import { joinedIndex } from "./joined_index.js";
import { joinedPca } from "./joined_pca.js";
import {
  blocks,
  headsOf,
  joinNeighbors,
  mirror,
  placeBlock,
  ranges,
  symmetricBlocks,
} from "./split.js";

/** @import { Block, Heads, Range } from "./split.js" */

/**
 * How a call is split.
 * @typedef {object} Plan
 * @property {((module: any) => Promise<any>)[]} parts  pieces of the work, which workers get in turn
 * @property {(results: any[], signal?: AbortSignal) => any} join  the result, or a promise of it
 */

/** A typed array with a shape. @typedef {{data: Float32Array | Float64Array, shape: number[]}} Numbers */

/** The multiplications from which on a call is split: they take one worker about two milliseconds. */
const LEAST_PRODUCTS = 2 ** 22;

/**
 * The most pieces for a worker where arrays are copied: while it computes one, this thread copies arguments of another
 * or puts a result where it belongs.
 */
const MOST_PIECES = 4;

/**
 * How many pieces n workers get.
 * @param {number} n @param {number} size  of the work, relative to the least that is split @param {boolean} copies
 */
const piecesOf = (n, size, copies) =>
  n * (copies ? Math.max(1, Math.min(MOST_PIECES, Math.floor(size / n))) : 1);

/** The numbers of a table from which on it is split. */
const LEAST_NUMBERS = 2 ** 18;

/** Sinusoids are computed in blocks of this many positions. */
const POSITIONS = 64;

/** What a mask holds. @type {readonly unknown[]} */
const FLAGS = [0, 1, false, true];

/** @param {any[]} values @param {number} n @returns {Plan | undefined} */
export function planMatrix([a, given, options = {}], n) {
  const x = readNumbers(a);
  const y = given === undefined || given === a ? x : readNumbers(given);
  if (!x || !y || !isObject(options) || isMoving(dataOf(options.out))) return undefined;
  const [N, D] = x.shape;
  const [M, width] = y.shape;
  const isSame = x.data === y.data && N === M;
  if (x.shape.length !== 2 || y.shape.length !== 2 || D !== width) return undefined;
  if (N * M * D < LEAST_PRODUCTS * (isSame ? 2 : 1)) return undefined;

  const out = target(options.out, [N, M]);
  const rest = { ...options, out: undefined };
  const parts = isSame ? symmetricBlocks(N, n) : blocks(N, M, n);
  if (clash([out], [x.data, y.data])) return undefined;
  const fills = !isSame && N >= M && arrays.isShared(out);
  /** @param {any} module @param {Block} block */
  const compute = async (module, block) => {
    const { rows, columns } = block;
    const isOwn = isSame && rows[0] === columns[0];
    const own = fills ? { ...rest, out: out.subarray(rows[0] * M, rows[1] * M) } : rest;
    const right = isOwn ? undefined : rowsOf(y, columns);
    const { data } = await module.matrix(rowsOf(x, rows), right, own);
    if (!fills) placeBlock(out, M, data, block);
    if (isSame) mirror(out, N, block);
  };
  return {
    parts: parts.map(
      (part) => (module) => Promise.all(part.map((block) => compute(module, block))),
    ),
    join: () => new Tensor(out, [N, M]),
  };
}

/** @param {any[]} values @param {number} n @returns {Plan | undefined} */
export function planNearest([vectors, queries, options = {}], n) {
  const table = readNumbers(vectors);
  if (!table || !isObject(options) || table.shape.length !== 2) return undefined;
  const [V, D] = table.shape;
  const { k = 10, exclude = [], ids, sortKeys = false } = options;
  const asked = Array.isArray(queries) ? readLists(queries) : readNumbers(queries);
  if (!asked || D === 0 || asked.shape[asked.shape.length - 1] !== D) return undefined;
  const Q = asked.data.length / D;
  // To copy the vectors takes as long as to compare them with a few queries.
  if (Q * V * D < 2 * LEAST_PRODUCTS || !Number.isInteger(k) || k < 1) return undefined;
  if (typeof sortKeys !== "boolean") return undefined;
  // Every piece finds k rows, which are joined here: that must be little work.
  const excluded = ids === undefined ? Array.from(readIds(exclude, V).data) : undefined;
  // To copy parts of vectors that one worker gets without a copy takes longer than to compare them.
  const pieces = piecesOf(n, (Q * V * D) / LEAST_PRODUCTS, !arrays.isShared(table.data));
  if (4 * k * pieces <= V && excluded && !isMoving(table.data))
    return byRows(table, queries, options, excluded, pieces);
  // Every worker gets all vectors: to copy a row once more takes as long as about 40 comparisons.
  const rows = Q >= 64 * n ? readNumbers(queries) : undefined;
  return rows && byQueries(table, rows, options, n);
}

/**
 * Each worker finds the k best of its rows; the best of these are found by their sort keys.
 * @param {Numbers} table @param {unknown} queries @param {any} options
 * @param {number[]} excluded @param {number} pieces
 * @returns {Plan}
 */
function byRows(table, queries, options, excluded, pieces) {
  const parts = ranges(table.shape[0], pieces);
  const { k = 10, sortKeys } = options;
  return {
    parts: parts.map(([from, to]) => (nearest) => {
      const exclude = excluded.filter((id) => id >= from && id < to).map((id) => id - from);
      return nearest(rowsOf(table, [from, to]), queries, { ...options, exclude, sortKeys: true });
    }),
    join(results) {
      results.forEach(({ ids: { data } }, i) => {
        for (let at = 0; at < data.length; ++at) data[at] += parts[i][0];
      });
      return joinNeighbors(results, k, sortKeys);
    },
  };
}

/**
 * Each worker answers some queries.
 * @param {Numbers} table @param {Numbers} queries @param {any} options @param {number} n
 * @returns {Plan}
 */
function byQueries(table, queries, options, n) {
  const lead = queries.shape.slice(0, -1);
  const D = table.shape[1];
  const rows = { data: queries.data, shape: [queries.data.length / D, D] };
  return {
    parts: ranges(rows.shape[0], n).map(
      (part) => (module) => module(rowsOf(table), rowsOf(rows, part), options),
    ),
    join(results) {
      const shape = [...lead, results[0].ids.shape[1]];
      const names = Object.keys(results[0]);
      return Object.fromEntries(
        names.map((name) => [name, new Tensor(joined(results.map((found) => found[name])), shape)]),
      );
    },
  };
}

/** The numbers of tensors of one kind, one after the other. @param {Tensor<any>[]} tensors */
function joined(tensors) {
  const size = tensors.reduce((sum, { data }) => sum + data.length, 0);
  const all = new tensors[0].data.constructor(size);
  place(all, tensors);
  return all;
}

/** @param {any[]} values @param {number} n @returns {Plan | undefined} */
export function planIndex([vectors, options = {}], n) {
  const table = readNumbers(vectors);
  if (!table || !isObject(options) || options.part !== undefined) return undefined;
  const [V, D] = table.shape;
  if (table.shape.length !== 2 || V * D < LEAST_PRODUCTS) return undefined;
  const parts = ranges(V, n);
  return {
    parts: parts.map((rows) => (nearest) => {
      const part = { first: rows[0], vocabulary: V };
      return nearest.index(rowsOf(table, rows), { ...options, part });
    }),
    join: (indexes) => joinedIndex(indexes, parts),
  };
}

/** pca adds up segments of this many rows, and then the segments (src/analysis/pca/sums.js). */
const SEGMENT = 1024;

/** The numbers of a table from which on its principal components are split: with fewer, workers wait for messages. */
const LEAST_OF_PCA = 2 ** 21;

/** Rows, and columns, for each four components: with fewer, pca computes all of them, which one worker does. */
const LEAST_WIDTH = 192;

/** @param {any[]} values @param {number} n @returns {Plan | undefined} */
export function planPca([x, options = {}], n) {
  const table = readNumbers(x);
  if (!table || !isObject(options) || isMoving(table.data)) return undefined;
  const [N, D] = table.shape;
  const { components = 2, accumulate = "float32", ...others } = options;
  if (table.shape.length !== 2 || N * D < LEAST_OF_PCA || Object.keys(others).length > 0)
    return undefined;
  if (!Number.isInteger(components) || components < 1) return undefined;
  if (Math.min(N, D) < LEAST_WIDTH * Math.ceil(components / 4)) return undefined;
  if (accumulate !== "float32" && accumulate !== "float64") return undefined;
  /** @type {Range[]} */
  const parts = ranges(Math.ceil(N / SEGMENT), n).map(([from, to]) => [
    from * SEGMENT,
    Math.min(to * SEGMENT, N),
  ]);
  if (parts.length < 2) return undefined;
  return {
    parts: parts.map((rows) => ({ part }) => {
      const whole = { first: rows[0], N, components, accumulate };
      return part(rowsOf(table, rows), whole);
    }),
    join: (found, signal) => joinedPca(found, parts, signal),
  };
}

/** @param {any[]} values @param {number} n @returns {Plan | undefined} */
export function planAttention([{ q, k, v }, options = {}], n) {
  const { out, weights } = options;
  const isAlone = weights === false; // the output
  if (out === null || (out && !(out.output && (isAlone || out.weights)))) return undefined;
  return planHeads([q, k, v], options, [...(isAlone ? [] : [out?.weights]), out?.output], n);
}

/** @param {any[]} values @param {number} n @returns {Plan | undefined} */
export function planScores([q, k, options = {}], n) {
  return planHeads([q, k], options, [options.out], n);
}

/**
 * Splits attention by batches and by heads of the keys.
 * @param {any[]} given  queries, keys and perhaps values @param {any} options
 * @param {any[]} outs  for the weights and the output, or for one of them @param {number} n
 * @returns {Plan | undefined}
 */
function planHeads(given, options, outs, n) {
  const read = readAttention(given, options, outs);
  if (!read) return undefined;
  const { inputs, sizes, logits, own, shapes, results, work } = read;
  const { B, Hk, group, Tq } = sizes;
  const rest = { ...options, out: undefined };
  if (clash(results, [given, rest])) return undefined;
  const fills = results.every(arrays.isShared);
  const parts = headsOf(B, Hk, piecesOf(n, work, !fills));
  if (parts.length === 1) return undefined; // one head of the keys
  const isWhole = inputs.length > 2; // not the weights alone
  /** The parts of the results that some heads have. @param {Heads} at */
  const placesOf = ({ batches: [b, last], heads: [h, end] }) => {
    const first = (b * Hk + h) * group * Tq;
    const rows = (last - b) * (end - h) * group * Tq;
    return results.map((data, i) => data.subarray(first * own[i], (first + rows) * own[i]));
  };
  /** @param {any} module @param {Heads} at */
  const compute = async (module, at) => {
    const queries = { ...at, heads: /** @type {Range} */ (at.heads.map((h) => h * group)) };
    const [q, k, v] = inputs.map((input, i) => boxOf(input, i === 0 ? queries : at));
    const bias = logits.bias && boxOf(logits.bias, queries);
    const keyMask = logits.mask && maskOf(logits.mask, at.batches);
    const places = placesOf(at);
    const asked = {
      ...rest,
      bias,
      keyMask,
      out: fills ? named(places, isWhole) : undefined,
    };
    const found = await (isWhole
      ? module.scaledDotProduct({ q, k, v }, asked)
      : module.scores(q, k, asked));
    if (fills) return;
    const tensors = isWhole ? [found.weights, found.output].slice(-own.length) : [found];
    tensors.forEach(({ data }, i) => places[i].set(data));
  };
  return {
    parts: parts.map((part) => (module) => Promise.all(part.map((at) => compute(module, at)))),
    join() {
      const tensors = results.map((data, i) => new Tensor(data, shapes[i]));
      return named(tensors, isWhole);
    },
  };
}

/**
 * The arguments of attention, if they can be split.
 * @param {any[]} given @param {any} options @param {any[]} outs  as `planHeads` gets them
 */
function readAttention(given, options, outs) {
  const inputs = given.map(readHeads).filter((input) => input !== undefined);
  const sizes = inputs.length === given.length ? readSizes(inputs) : undefined;
  if (!sizes || !isObject(options) || outs.some((out) => isMoving(dataOf(out)))) return undefined;
  // In another layout heads are no consecutive numbers; a cache is for few queries.
  if ((options.axis ?? options.keyLength) !== undefined) return undefined;
  const { lead, B, Hk, group, Tq, widths } = sizes;
  const products = B * Hk * group * Tq * widths[0] * (inputs[0].shape[3] + (widths[1] ?? 0));
  const work = products / LEAST_PRODUCTS;
  const logits = work < 1 ? undefined : readLogits(options, sizes);
  if (!logits) return undefined;
  const own = widths.slice(-outs.length);
  const shapes = own.map((width) => [...lead, Tq, width]);
  const results = shapes.map((shape, i) => target(outs[i], shape));
  if (results.length > 1 && arrays.shares(results[0], results[1])) return undefined;
  return { inputs, sizes, logits, own, shapes, results, work };
}

/**
 * What attention returns or fills.
 * @template Of
 * @param {readonly Of[]} results  the weights, if they are wanted, and the output; or the weights alone
 * @param {boolean} isWhole  whether there is an output
 */
function named(results, isWhole) {
  if (!isWhole) return results[0];
  const [output, weights] = [...results].reverse();
  return weights ? { output, weights } : { output };
}

/** Sizes of attention. @typedef {NonNullable<ReturnType<typeof readSizes>>} Sizes */

/**
 * @param {(Numbers & {rank: number})[]} inputs  queries, keys and perhaps values
 * @returns the sizes, if they agree
 */
function readSizes(inputs) {
  const [q, k, v = k] = inputs;
  const [B, H, Tq, D] = q.shape;
  const [, Hk, Tk] = k.shape;
  const agree =
    inputs.every(({ shape, rank }) => rank === q.rank && shape[0] === B) &&
    k.shape[3] === D &&
    v.shape[1] === Hk &&
    v.shape[2] === Tk &&
    H % Hk === 0;
  if (!agree) return undefined;
  const widths = inputs.length > 2 ? [Tk, v.shape[3]] : [Tk];
  return { lead: [B, H].slice(4 - q.rank), B, H, Hk, group: H / Hk, Tq, D, widths };
}

/**
 * The bias and the mask of keys, if they and the rotation can be split.
 * @param {any} options @param {Sizes} sizes
 */
function readLogits(options, { B, H, Tq, D, widths: [Tk] }) {
  const { bias: givenBias, keyMask, rope, dim: R = D } = options;
  const bias = givenBias === undefined ? undefined : readHeads(givenBias);
  const full = [B, H, Tq, Tk];
  const fits = bias?.shape.every((size, axis) => size === 1 || size === full[axis]) ?? true;
  if (!fits || (givenBias !== undefined && !bias)) return undefined;
  const mask = keyMask === undefined ? undefined : readAny(keyMask);
  if (keyMask !== undefined && ![`${Tk}`, `${B},${Tk}`].includes(`${mask?.shape}`))
    return undefined;
  if (mask && !Array.from(mask.data).every((flag) => FLAGS.includes(flag))) return undefined;
  if (rope !== undefined && !isForAll(rope.q ?? rope, Tq, R)) return undefined;
  if (rope !== undefined && !isForAll(rope.k ?? rope, Tk, R)) return undefined;
  return { bias, mask };
}

/** Whether a rotary table is one for all batches. @param {any} table @param {number} T @param {number} R */
function isForAll({ cos, sin }, T, R) {
  const shapes = [cos, sin].map((part) => readNumbers(part)?.shape ?? []);
  const [rows, P] = shapes[0];
  return (
    shapes[0].length === 2 && rows === T && 2 * P === R && shapes[0].join() === shapes[1].join()
  );
}

/**
 * Splits the rows of a table that is written to arrays of the caller. New arrays are not worth it: one worker moves its
 * result, and the parts of several would have to be copied, which takes longer than to compute them.
 * @param {readonly string[]} names  of the arrays of a rotary table; none where the table is one array
 * @returns {(values: any[], n: number) => Plan | undefined}
 */
export const planRows =
  (names) =>
  ([length, dim, options = {}], n) => {
    const isRotary = names.length > 0;
    /** @param {any} of @returns {any[]} */
    const listed = (of) => (isRotary ? names.map((name) => of?.[name]) : [of]);
    const { offset = 0, out } = options;
    const outs = listed(out);
    if (outs.some((each) => !each || isMoving(dataOf(each)))) return undefined;
    if (!areSplit(length, dim, offset)) return undefined;
    const width = dim / outs.length;
    const results = outs.map((each) => target(each, [length, width]));
    if (isRotary && arrays.shares(results[0], results[1])) return undefined;
    // Some scalings of rotations depend on the length of the whole sequence.
    const ofWhole = { length: options.length ?? Math.max(0, offset + length) };
    const rest = { ...options, ...(isRotary && ofWhole), out: undefined };
    if (clash(results, [rest])) return undefined;
    const fills = results.every(arrays.isShared);
    const pieces = piecesOf(n, (length * dim) / LEAST_NUMBERS, !fills);
    const named = (/** @type {any[]} */ each) =>
      isRotary ? Object.fromEntries(names.map((name, i) => [name, each[i]])) : each[0];
    return {
      parts: byPositions(length, pieces, async (module, from, count) => {
        const own = results.map((result) => result.subarray(from * width, (from + count) * width));
        const asked = { ...rest, offset: offset + from, out: fills ? named(own) : undefined };
        const found = listed(await module.table(count, dim, asked));
        if (!fills) found.forEach(({ data }, i) => own[i].set(data));
      }),
      join: () => named(results.map((result) => new Tensor(result, [length, width]))),
    };
  };

/** Whether a table is large enough, and its positions whole numbers. @param {any} length @param {any} dim @param {any} offset */
const areSplit = (length, dim, offset) =>
  [length, dim, offset].every(Number.isSafeInteger) &&
  length * dim >= LEAST_NUMBERS &&
  Math.max(-offset, offset + length) <= 2 ** 31;

/**
 * The pieces of the rows of a table: whole blocks of positions, so that the bits are the same.
 * @param {number} length @param {number} pieces
 * @param {(module: any, from: number, count: number) => Promise<void>} compute
 */
const byPositions = (length, pieces, compute) =>
  ranges(Math.ceil(length / POSITIONS), pieces).map(
    ([first, last]) =>
      (/** @type {any} */ module) => {
        const from = first * POSITIONS;
        return compute(module, from, Math.min(length, last * POSITIONS) - from);
      },
  );

/** Puts tables one below the other. @param {any} result @param {{data: any}[]} tables */
function place(result, tables) {
  let at = 0;
  for (const { data } of tables) {
    result.set(data, at);
    at += data.length;
  }
}

/** @param {unknown} value */
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** More axes are left to the worker, which refuses them, and so are longer lists, which may be all holes. */
const MOST_AXES = 32;
const MOST_LISTED = 2 ** 24;

/** The typed array of an argument. @param {any} value */
const dataOf = (value) => (arrays.kindOf(value) ? value : value?.data);

/**
 * An argument that is a typed array, of floats if it has no other kinds, with its shape.
 * @param {any} value @param {RegExp} [kinds] @returns {Numbers | undefined}
 */
function readNumbers(value, kinds = /^Float(32|64)Array/) {
  const data = dataOf(value);
  if (!kinds.test(arrays.kindOf(data)) || !arrays.isTrue(data)) return undefined;
  if (data === value) return { data, shape: [data.length] };
  const { shape: own, dims, strides, stride = strides, offset = stride } = value;
  if ((own ?? dims).length > MOST_AXES) return undefined;
  const shape = /** @type {number[]} */ (Array.from(own ?? dims));
  const isWhole = shape.every((size) => Number.isInteger(size) && size >= 0);
  const isGood = isWhole && offset === undefined && arrays.count(shape) === data.length;
  return isGood ? { data, shape } : undefined;
}

/**
 * An argument that is a list, or a list of lists.
 * @param {any[]} value @returns {{data: any, shape: number[]} | undefined}
 */
function readLists(value) {
  const isNested = Array.isArray(value[0]);
  const width = isNested ? value[0].length : 1;
  if (value.length * width > MOST_LISTED) return undefined;
  const isEven = value.every((row) => (isNested ? row.length === width : !Array.isArray(row)));
  if (!isEven) return undefined;
  const data = value.flat();
  const isWhole = data.length === value.length * width; // without holes
  if (!isWhole || data.some((one) => typeof one === "object")) return undefined;
  return { data, shape: isNested ? [value.length, width] : [data.length] };
}

/** An argument of small numbers: lists or any typed array. @param {any} value */
function readAny(value) {
  if (Array.isArray(value)) return readLists(value);
  return readNumbers(value, /^(Float|Int|Uint(8|32))/);
}

/** The array that a call fills. @param {any} out @param {number[]} shape @returns {Float32Array} */
function target(out, shape) {
  if (out === undefined) return new Float32Array(arrays.count(shape));
  const found = readNumbers(out, /^Float32/);
  if (found?.data.length === arrays.count(shape)) return /** @type {Float32Array} */ (found.data);
  throw out; // one worker says what is wrong with it
}

/**
 * An argument [B, H, T, D]; axes before T may be left out.
 * @param {any} value
 * @returns {(Numbers & {rank: number}) | undefined}
 */
function readHeads(value) {
  const found = readNumbers(value);
  const rank = found?.shape.length ?? 5;
  return found && rank <= 4
    ? { data: found.data, shape: [...[1, 1, 1, 1].slice(rank), ...found.shape], rank }
    : undefined;
}

/**
 * Whether a result lies in shared memory where an argument is: a worker would read what another wrote.
 * @param {Float32Array[]} results @param {unknown[]} inputs  the arguments without the results
 */
function clash(results, inputs) {
  const shared = results.filter(arrays.isShared);
  const read = shared.length > 0 ? inputs.flatMap((input) => arraysIn(input)) : [];
  return read.some((array) => shared.some((result) => arrays.shares(array, result)));
}

/**
 * Some numbers of an array: a copy to be moved, or shared memory as it is.
 * @param {Numbers["data"]} data @param {number} from @param {number} to
 */
function partOf(data, from, to) {
  return arrays.isShared(data) ? data.subarray(from, to) : transfer(data.slice(from, to));
}

/**
 * Some rows for a worker.
 * @param {Numbers} table  [N, D] @param {Range} [rows]
 */
function rowsOf({ data, shape: [N, D] }, [from, to] = [0, N]) {
  return { data: partOf(data, from * D, to * D), shape: [to - from, D] };
}

/**
 * Some heads for a worker; an axis of size 1 is the same for all.
 * @param {Numbers} numbers  [B, H, T, D] @param {Heads} heads
 */
function boxOf({ data, shape }, { batches, heads }) {
  const [B, H, T, D] = shape;
  const [b, batchEnd] = B === 1 ? [0, 1] : batches;
  const [h, headEnd] = H === 1 ? [0, 1] : heads;
  const sizes = [batchEnd - b, headEnd - h, T, D];
  const from = (b * H + h) * T * D;
  return { data: partOf(data, from, from + arrays.count(sizes)), shape: sizes };
}

/**
 * The rows of some batches of a mask [B, Tk]; one [Tk] is that of all.
 * @param {{data: ArrayLike<unknown>, shape: readonly number[]}} mask @param {Range} batches
 */
function maskOf({ data, shape }, [from, to]) {
  const Tk = shape[shape.length - 1];
  const all = Array.from(data, Number);
  return shape.length === 1
    ? { data: all, shape: [Tk] }
    : { data: all.slice(from * Tk, to * Tk), shape: [to - from, Tk] };
}
