/** @import { Core, Raw } from "../../runtime/wasm.js" */
import * as check from "../../runtime/check.js";
import { checkStatus } from "../../runtime/errors.js";
import { allocate, withMemory, put, tileRows } from "../../runtime/memory.js";
import { readIds } from "../../runtime/ids.js";
import { readGradient } from "./gradients.js";

/** In the order of the C++ enum. */
const OPTIMIZERS = /** @type {const} */ (["sgd", "adam", "sparse-adam"]);

/**
 * @typedef {object} StepOptions
 * @property {typeof OPTIMIZERS[number]} [optimizer]  `sgd` (default); `adam`, for dense gradients;
 *   `sparse-adam`, for sparse ones, whose rows alone it moves. What they remember takes V D numbers
 *   for momentum and 2 V D for the Adams, float32 in WASM memory
 * @property {number} [learningRate]  default 0.001
 * @property {number} [momentum]  of `sgd`; default 0
 * @property {number} [beta1]  of the Adams; default 0.9
 * @property {number} [beta2]  of the Adams; default 0.999
 * @property {number} [epsilon]  of the Adams; default 1e-8
 * @property {number} [weightDecay]  of `sgd` and `adam`: added to the gradient, times the weights;
 *   default 0
 */

const ADAMS = /** @type {const} */ (["adam", "sparse-adam"]);

/**
 * The numbers of the optimisers: whose, PyTorch's default, what is allowed.
 * @type {Record<string, [of: readonly string[], byDefault: number, rule: string, allowed: (x: number) => boolean]>}
 */
const NUMBERS = {
  momentum: [["sgd"], 0, "a number >= 0", (x) => x >= 0],
  beta1: [ADAMS, 0.9, "a number from 0 to below 1", (x) => x >= 0 && x < 1],
  beta2: [ADAMS, 0.999, "a number from 0 to below 1", (x) => x >= 0 && x < 1],
  epsilon: [ADAMS, 1e-8, "a number > 0", (x) => x > 0],
  weightDecay: [["sgd", "adam"], 0, "a number >= 0", (x) => x >= 0],
};

/**
 * A step, its arguments read and checked.
 * @typedef {object} Step
 * @property {typeof OPTIMIZERS[number]} kind
 * @property {number} learningRate
 * @property {Record<string, number>} numbers
 * @property {Int32Array | undefined} rows  of a sparse gradient, distinct
 * @property {Float32Array} values
 */

/**
 * @param {unknown} gradient @param {unknown} options @param {number} V @param {number} D
 * @returns {Step}
 */
export function readStep(gradient, options, V, D) {
  const { optimizer, learningRate, ...given } = check.options(
    options,
    {
      optimizer: "sgd",
      learningRate: 0.001,
      momentum: undefined,
      beta1: undefined,
      beta2: undefined,
      epsilon: undefined,
      weightDecay: undefined,
    },
    "step",
  );
  const kind = check.oneOf(optimizer, "optimizer", OPTIMIZERS);
  const rate = check.finite(learningRate, "learningRate", "a number >= 0", (x) => x >= 0);
  /** @type {Record<string, number>} */
  const numbers = {};
  for (const [name, [of, byDefault, rule, allowed]] of Object.entries(NUMBERS)) {
    const value = /** @type {Record<string, unknown>} */ (given)[name];
    numbers[name] = value === undefined ? byDefault : check.finite(value, name, rule, allowed);
    if (value !== undefined && !of.includes(kind)) {
      throw new RangeError(`${name} must be left out for "${kind}"; got ${value}`);
    }
  }

  if (!isSparse(gradient)) {
    const values = readGradient(gradient, [V, D], "gradient");
    if (kind === "sparse-adam") {
      throw new RangeError('gradient must be sparse, {rows, values}, for "sparse-adam"; got dense');
    }
    return { kind, learningRate: rate, numbers, rows: undefined, values };
  }
  const { rows, values } = gradient;
  const { data, shape } = readIds(rows, V, "gradient.rows");
  if (shape.length !== 1) {
    throw new RangeError(`gradient.rows must have shape [R]; got [${shape.join(", ")}]`);
  }
  for (let r = 1; r < data.length; ++r) {
    if (data[r] <= data[r - 1]) {
      throw new RangeError(
        `gradient.rows must ascend, each row once; got ${data[r]} after ${data[r - 1]}`,
      );
    }
  }
  const floats = readGradient(values, [data.length, D], "gradient.values");
  if (kind === "adam") {
    throw new RangeError('gradient must be dense, [V, D], for "adam"; got sparse');
  }
  for (const name of ["momentum", "weightDecay"]) {
    if (numbers[name] === 0) continue;
    throw new RangeError(
      `${name} must be 0 for a sparse gradient: it would change every row; got ${numbers[name]}`,
    );
  }
  return { kind, learningRate: rate, numbers, rows: data, values: floats };
}

/** @param {unknown} gradient @returns {gradient is {rows: unknown, values: unknown}} */
function isSparse(gradient) {
  return (
    typeof gradient === "object" &&
    gradient !== null &&
    !Array.isArray(gradient) &&
    !ArrayBuffer.isView(gradient) &&
    "rows" in gradient
  );
}

/**
 * What an optimiser remembers of a table between steps, in WASM memory from the first step that
 * needs it.
 * @param {Core} core @param {number} V @param {number} D @param {number} table  its address
 */
export function memory(core, V, D, table) {
  const raw =
    /**
     * @type {Raw & {
     *   embedding_step(table: number, V: number, D: number, rows: number, R: number,
     *     gradients: number, optimizer: number, learningRate: number, momentum: number,
     *     beta2: number, epsilon: number, weightDecay: number, count: number, first: number,
     *     firsts: number, second: number, seconds: number): number,
     * }}
     */ (core.raw);
  const size = V * D;
  /** @type {typeof OPTIMIZERS[number] | undefined} whose the state is */
  let owner;
  let count = 0;
  /** @type {number[]} addresses of [V, D] each: a velocity, or the two moments */
  let state = [];

  const free = () => {
    if (core.dead) return;
    for (const at of state) raw._free(at);
    state = [];
    count = 0;
  };

  /** Room for `wanted` numbers a weight, all 0. @param {number} wanted */
  const zeros = (wanted) => {
    /** @type {number[]} */
    const made = [];
    try {
      while (made.length < wanted) {
        const at = allocate(core, `the optimizer's state for a table of ${V} x ${D}`, size * 4);
        made.push(at);
        raw.HEAPU8.fill(0, at, at + size * 4);
      }
    } catch (cause) {
      for (const at of made) raw._free(at);
      throw cause;
    }
    return made;
  };

  /** @param {Step} step */
  const apply = ({ kind, learningRate, numbers, rows, values }) => {
    const { momentum, beta1, beta2, epsilon, weightDecay } = numbers;
    const sgd = kind === "sgd";
    const needed = sgd ? Number(momentum > 0) : 2;
    const R = rows ? rows.length : V;
    const group = tileRows(D * 4, R);
    withMemory(core, "step", [group * 4, group * D * 4], (rowsAt, valuesAt) => {
      if (owner !== kind || state.length < needed) {
        const fresh = zeros(needed);
        free();
        [owner, state] = [kind, fresh];
      }
      ++count;
      const [first = 0, second = 0] = needed > 0 ? state : [];
      for (let from = 0; from < R; from += group) {
        const N = Math.min(group, R - from);
        for (let r = 0; r < N; ++r) {
          raw.HEAP32[rowsAt / 4 + r] = rows ? rows[from + r] : from + r;
        }
        put(core, values.subarray(from * D, (from + N) * D), valuesAt);
        checkStatus(
          raw.embedding_step(
            table,
            V,
            D,
            rowsAt,
            N,
            valuesAt,
            OPTIMIZERS.indexOf(kind),
            learningRate,
            sgd ? momentum : beta1,
            beta2,
            epsilon,
            weightDecay,
            count,
            first,
            first && size,
            second,
            second && size,
          ),
          "step",
        );
      }
    });
  };
  return { apply, free };
}
