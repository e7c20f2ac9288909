/** @import { Core } from "../../../runtime/wasm.js" */
/** @import { Result } from "../../../runtime/result.js" */
/** @import { FloatOut, TensorInput } from "../../../runtime/tensor.js" */
import * as arrays from "../../../runtime/arrays.js";
import * as check from "../../../runtime/check.js";
import { checkStatus, wrongShape } from "../../../runtime/errors.js";
import { readIds } from "../../../runtime/ids.js";
import { putPart, tileRows, withAddresses } from "../../../runtime/memory.js";
import { output } from "../../../runtime/result.js";
import { asFloat32 } from "../../../runtime/input.js";
import { LAYOUTS } from "./convert.js";

/** @import { Layout } from "./convert.js" */

/**
 * The rows of queries or keys: N runs of T positions, each of H rows of D numbers.
 * @typedef {{N: number, T: number, H: number, D: number}} Rows
 *
 * Addresses of cosines and sines, [T, P] each.
 * @typedef {{cos: number, sin: number}} Turns
 *
 * An argument to rotate: `data` has no memory in common with a result that is written before it is read.
 * @typedef {{name: string, data: Float32Array, shape: readonly number[], result: Result}} Given
 *
 * Where rotated queries and keys are written.
 * @typedef {{q: FloatOut, k: FloatOut}} PairOut
 */

/**
 * Reads x, or queries and keys, and where the results are written, in this order.
 * @param {unknown} x  a tensor, or {q, k} @param {unknown} out
 * @returns {Given[]}
 */
export function readGiven(x, out) {
  const isPair = check.isObject(x) && ("q" in x || "k" in x);
  if (!isPair) return [readOne(x, "x", out, "out")];
  const { q: queries, k: keys } = Object(check.parts(x, ["q", "k"], "x"));
  const into = check.parts(out, ["q", "k"]);
  const q = readOne(queries, "q", into && (into.q ?? null), "out.q");
  const k = readOne(keys, "k", into && (into.k ?? null), "out.k");
  if (mayWrite(q.result, k.result.given)) {
    throw new RangeError("out.k must share no memory with out.q; got the same");
  }
  if (mayWrite(k.result, q.data)) q.data = q.data.slice();
  if (mayWrite(q.result, k.data)) k.data = k.data.slice();
  return [q, k];
}

/**
 * @param {unknown} x @param {string} name @param {unknown} out @param {string} outName
 * @returns {Given}
 */
function readOne(x, name, out, outName) {
  const { data, shape } = asFloat32(x, name);
  const result = output(out, shape, outName);
  const isLost = result.given && arrays.overlaps(data, result.data);
  return { name, data: isLost ? data.slice() : data, shape, result };
}

/**
 * Whether a result is written to memory that an array has. A new array has none with others.
 * @param {Result} result @param {ArrayBufferView} [array]
 */
export const mayWrite = ({ given }, array) =>
  given !== undefined && array !== undefined && arrays.shares(given, array);

/**
 * Reads x as [N, T, H, D].
 * @param {readonly number[]} shape @param {number} axis  -2 or -3
 * @param {string} name
 * @returns {Rows & {B: number}} B is the size of the first axis, if it is not one of these
 */
export function readRows(shape, axis, name) {
  const at = shape.length + axis;
  if (at < 0) {
    const least = axis === -2 ? "[..., T, D]" : "[..., T, H, D]";
    throw wrongShape(name, least, shape);
  }
  return {
    B: at > 0 ? shape[0] : 1,
    N: arrays.count(shape, 0, at),
    T: shape[at],
    H: axis === -3 ? shape[at + 1] : 1,
    D: shape[shape.length - 1],
  };
}

/**
 * Reads which rows of a table turn the positions of x.
 * @param {readonly number[]} shape  of the table's cosines
 * @param {Given} x
 * @param {{axis: number, dim?: number, start: number, offset?: number, positions?: unknown}} options
 * @param {string} name  of the table
 * @returns {Rows & {P: number, start: number, batches: number, isRun: boolean, rowOf: (batch: number, t: number) => number}}
 *   `isRun`: whether the rows of consecutive positions are consecutive
 */
function readTurns(shape, x, { axis, dim, start, offset, positions }, name) {
  const rows = readRows(x.shape, axis, x.name);
  const { B, N, T, H, D } = rows;
  const isRun = positions === undefined;
  if (offset !== undefined && !isRun) {
    throw new RangeError("offset must not be given with positions; got both");
  }
  const P = shape[shape.length - 1];
  const length = shape[shape.length - 2];
  const wanted = !isRun ? length : offset === undefined ? T : Math.max(length, T);
  const tables = arrays.count(shape, 0, shape.length - 2);
  const fits = shape.length > 1 && 2 * P === (dim ?? D) && 2 * P <= D;
  if (!fits || length !== wanted || (tables !== 1 && (tables !== B || shape.length > 3))) {
    throw misfit(`${name}.cos`, shape, x, { ...rows, axis, dim, wanted });
  }
  check.integer(start, "start", 0, D - 2 * P);
  const picked = isRun ? undefined : readIds(positions, length, "positions");
  const list = picked?.shape ?? [T];
  const lists = list.length === 1 ? 1 : list[0];
  if (list[list.length - 1] !== T || list.length > 2 || (lists !== 1 && lists !== B)) {
    throw misfit("positions", list, x, { ...rows, axis });
  }
  const first = check.integer(offset ?? 0, "offset", 0, isRun ? length - T : 0);
  return {
    N,
    T,
    H,
    D,
    P,
    start,
    batches: lists === 1 ? tables : lists,
    isRun,
    rowOf: (b, t) =>
      (tables === 1 ? 0 : b * length) +
      (picked ? picked.data[(lists === 1 ? 0 : b * T) + t] : first + t),
  };
}

/**
 * The error for a table, or for positions, that do not fit x: what was read of x at which axes, and what may be meant.
 * @param {string} name  of the argument @param {readonly number[]} shape  its own @param {{name: string, shape: readonly number[]}} x
 * @param {Rows & {B: number, axis: number, dim?: number, wanted?: number}} read  `wanted`: how many rows a table is to have
 */
export function misfit(name, shape, x, { B, T, D, axis, dim = D, wanted = T }) {
  const isTable = name !== "positions";
  const [P] = shape.slice(-1);
  const given = shape[shape.length - (isTable ? 2 : 1)];
  const R = Math.min(dim, D);
  const sizes = isTable ? [wanted, R % 2 ? `${R} / 2` : R / 2] : [T];
  const hints = [];
  if (isTable && P === D) hints.push("rope.fromFullWidth converts a table with repeated columns");
  if (isTable && 2 * P < R) hints.push(`dim: ${2 * P} turns the first ${2 * P} of D alone`);
  if (dim > D) hints.push(`dim: ${dim} is more than D`);
  const other = -5 - axis;
  if (given >= 0 && given !== T && x.shape[x.shape.length + other] === given) {
    hints.push(`axis: ${other} reads T = ${given}`);
  }
  if (name === "table.cos" && given > wanted) hints.push("offset is the row of the first position, positions are those of all"); // prettier-ignore
  if (isTable && R % 2 === 0 && (2 * P !== R || given < wanted))
    hints.push(`rope.table(${wanted}, ${R}) fits`);
  const read = `T = ${T} at axis ${axis} and D = ${D} at axis -1`;
  const rule = `[${sizes.join(", ")}] or [${[B, ...sizes].join(", ")}]`;
  const hint = hints.length > 0 ? ` (${hints.join("; ")})` : "";
  return new RangeError(
    `${name} must have shape ${rule}, as ${x.name} [${x.shape.join(", ")}] has ${read}; got [${shape.join(", ")}]${hint}`,
  );
}

/**
 * Rotates what is given by a table. Nothing is written before all of it has been checked.
 * @param {Core} core @param {readonly Given[]} given
 * @param {{cos: Float32Array, sin: Float32Array, shape: readonly number[], layout?: Layout}} table
 * @param {{axis: number, dim?: number, start: number, inverse: boolean, layout?: Layout, offset?: number, positions?: unknown}} options
 *   `layout`: if not that of the table
 * @param {string} [name]  of the table
 * @returns {Result[]} filled
 */
export function rotateBy(core, given, table, options, name = "table") {
  let { cos, sin } = table;
  for (const { result } of given) {
    if (mayWrite(result, cos)) cos = cos.slice();
    if (mayWrite(result, sin)) sin = sin.slice();
  }
  const kind = LAYOUTS.indexOf(options.layout ?? table.layout ?? "halves");
  const { inverse } = options;
  const sizes = given.map((each) => readTurns(table.shape, each, options, name));
  return given.map(({ data, result }, i) => {
    const { P, isRun, rowOf } = sizes[i];
    rotateRows(core, data, result, sizes[i], { kind, inverse }, (b, t, count, at) => {
      const step = isRun ? count : 1;
      for (let k = 0; k < count; k += step) {
        const from = rowOf(b, t + k) * P;
        putPart(core, cos, from, from + step * P, at.cos + k * P * 4);
        putPart(core, sin, from, from + step * P, at.sin + k * P * 4);
      }
      return at;
    });
    return result;
  });
}

/**
 * Rotates rows tile by tile over positions, so that each piece of the table comes in once for all runs that
 * share it; as many runs at once as a tile holds.
 *
 * @param {Core} core @param {Float32Array} data @param {Result} result  as long as data
 * @param {Rows & {P: number, start?: number, batches: number}} sizes  `start`: the first column that turns; `batches`: how
 *   many tables the runs have, in order
 * @param {{kind: number, inverse: boolean}} how  `kind`: phasor::rope::Layout
 * @param {(batch: number, t: number, count: number, at: Turns) => Turns} place  copies the turns of `count`
 *   positions of a table from t on to addresses, or returns where they are
 */
export function rotateRows(core, data, result, sizes, { kind, inverse }, place) {
  const { raw } = core;
  const { N, T, H, D, P, start = 0, batches } = sizes;
  const step = tileRows(H * D * 4, T);
  const shared = batches === 0 ? 0 : N / batches;
  const most = step < T ? 1 : tileRows(T * H * D * 4, shared);
  const pieces = [most * step * H * D * 4, step * P * 4, step * P * 4];
  withAddresses(core, pieces, (memory) => {
    const xAt = memory[0];
    const at = { cos: memory[1], sin: memory[2] };
    for (let b = 0; b < batches; ++b) {
      for (let t = 0; t < T; t += step) {
        const count = Math.min(step, T - t);
        const size = count * H * D;
        const turns = place(b, t, count, at);
        for (let n = 0; n < shared; n += most) {
          const runs = Math.min(most, shared - n);
          const first = ((b * shared + n) * T + t) * H * D;
          putPart(core, data, first, first + runs * size, xAt);
          // Runs of one position are rows of that position.
          const calls = T === 1 ? 1 : runs;
          const rows = (H * runs) / calls;
          for (let run = 0; run < calls; ++run) {
            const from = xAt + (run * size + start) * 4;
            checkStatus(
              raw.rope_rotate(from, turns.cos, turns.sin, count, rows, D, 2 * P, kind, inverse),
            );
          }
          result.take(core, xAt, runs * size, first);
        }
      }
    }
  });
}
