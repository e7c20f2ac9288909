/** @import { Result } from "../../../runtime/result.js" */
/** @import { Core } from "../../../runtime/wasm.js" */
/** @import { Spectrum } from "../../../runtime/phase.js" */
/** @import { ReadPositions } from "../../../runtime/positions.js" */
/** @import { FloatOut } from "../../../runtime/tensor.js" */
import { readIntegers } from "../../../runtime/axes.js";
import * as arrays from "../../../runtime/arrays.js";
import * as check from "../../../runtime/check.js";
import { checkStatus } from "../../../runtime/errors.js";
import { checkReach, tabulate } from "../../../runtime/phase.js";
import { output } from "../../../runtime/result.js";
import { asArray, refuseBits } from "../../../runtime/input.js";

/**
 * Where the results of a rotary table are written.
 * @typedef {{cos: FloatOut, sin: FloatOut}} RotaryOut
 */

/**
 * Columns of a rotary table that belong to one axis. Column `from[k]` of the axis' table, [count, pairs],
 * is copied to column `to[k]`, and row r to the rows (o * count + r) * inner + i for all o < outer,
 * i < inner.
 * @typedef {object} Block
 * @property {ReadPositions} positions  along the axis
 * @property {Spectrum} spectrum
 * @property {Int32Array} from
 * @property {Int32Array} to
 * @property {number} [inner]  default 1
 * @property {number} [outer]  default 1
 */

/**
 * Fills a table [..., P], block after block. Call it before anything of the result is written.
 * @param {Core} core
 * @param {readonly Block[]} blocks  each column of the table in one of them
 * @param {number} P @param {number} amplitude
 * @param {Float32Array} cos @param {Float32Array} sin
 */
export function fillBlocks(core, blocks, P, amplitude, cos, sin) {
  const { raw } = core;
  for (const { positions, spectrum } of blocks) checkReach(positions, spectrum);
  for (const { positions, spectrum, from, to, inner = 1, outer = 1 } of blocks) {
    const { pairs, steps } = spectrum;
    const total = positions.count;
    tabulate(core, spectrum, positions, { width: 2 * pairs }, (tile) => {
      const { count, workspace, size, at } = tile;
      const list = tile.positions;
      checkStatus(raw.axial_rope_table(list, count, pairs, steps, amplitude, workspace, size, at));
      const floats = core.raw.HEAPF32;
      for (let r = 0; r < count; ++r) {
        const source = at / 4 + r * 2 * pairs;
        for (let o = 0; o < outer; ++o) {
          for (let i = 0; i < inner; ++i) {
            const row = ((o * total + tile.from + r) * inner + i) * P;
            for (let k = 0; k < to.length; ++k) {
              cos[row + to[k]] = floats[source + from[k]];
              sin[row + to[k]] = floats[source + pairs + from[k]];
            }
          }
        }
      }
    });
  }
}

/** Lists first, first + step, ... @param {number} count @param {number} [first] @param {number} [step] */
export function run(count, first = 0, step = 1) {
  const numbers = arrays.int32s(count, "a list of columns");
  for (let k = 0; k < count; ++k) numbers[k] = first + step * k;
  return numbers;
}

/**
 * Reads the number of pairs of each axis.
 * @param {unknown} sections @param {number} P  their sum
 * @returns {number[]}
 */
export function readSections(sections, P) {
  const list = readIntegers(sections, "sections", 1);
  if (list.reduce((sum, pairs) => sum + pairs, 0) !== P) {
    throw new RangeError(`sections must sum to dim / 2 = ${P}; got [${list.join(", ")}]`);
  }
  return list;
}

/**
 * Reads numbers of any shape, as doubles.
 * @param {unknown} value @param {string} name @param {boolean} [areFloats]  not positions, which may be whole
 * @returns {{data: Float64Array, shape: readonly number[]}}
 */
export function readDoubles(value, name, areFloats = false) {
  const read = asArray(value, name);
  if (areFloats) refuseBits(read, name);
  const { data, shape } = read;
  const doubles = Float64Array.from(data, (x) => {
    if (typeof x !== "number" && typeof x !== "bigint") {
      throw new TypeError(`${name} must be numbers; got ${check.describe(x)}`);
    }
    if (!Number.isFinite(Number(x))) {
      throw new RangeError(`${name} must be finite; got ${check.describe(x)}`);
    }
    return Number(x);
  });
  return { data: doubles, shape };
}

/**
 * The arrays that a table is written to: new ones, or `out`, two arrays without common memory.
 * @param {unknown} out  undefined, or {cos, sin} @param {readonly number[]} shape @param {string} [name]
 * @returns {{cos: Result, sin: Result}}
 */
export function readOut(out, shape, name = "out") {
  const parts = check.parts(out, ["cos", "sin", "layout"], name);
  const cos = output(parts && (parts.cos ?? null), shape, `${name}.cos`);
  const sin = output(parts && (parts.sin ?? null), shape, `${name}.sin`);
  refuseShared([cos, sin], name);
  return { cos, sin };
}

/**
 * Throws if results share memory.
 * @param {readonly Result[]} results @param {string} name
 */
export function refuseShared(results, name) {
  results.forEach((a, k) => {
    for (const b of results.slice(0, k)) {
      if (arrays.shares(a.target, b.target)) {
        throw new RangeError(`${name} must be arrays that share no memory; got some that do`);
      }
    }
  });
}
