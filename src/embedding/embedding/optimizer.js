/** @import { Core } from "../../runtime/wasm.js" */
/** @import { OptionsOf } from "../../runtime/options.js" */
import { isRecord } from "../../runtime/check.js";
import { checkStatus, wrongShape } from "../../runtime/errors.js";
import { allocate, withMemory, put, tileRows } from "../../runtime/memory.js";
import { readIds } from "../../runtime/ids.js";
import * as option from "../../runtime/options.js";
import { readGradient } from "./gradients.js";

/** In the order of the C++ enum. */
const OPTIMIZERS = /** @type {const} */ (["sgd", "adam", "sparse-adam"]);

/** The defaults of the parameters, which are PyTorch's. The kernel reads only those of its optimizer. */
const DEFAULTS = Object.freeze({
  momentum: 0,
  beta1: 0.9,
  beta2: 0.999,
  epsilon: 1e-8,
  weightDecay: 0,
});

/** @type {Readonly<Record<typeof OPTIMIZERS[number], readonly string[]>>} */
const PARAMETERS = Object.freeze({
  sgd: ["momentum", "weightDecay"],
  adam: ["beta1", "beta2", "epsilon", "weightDecay"],
  "sparse-adam": ["beta1", "beta2", "epsilon"],
});

export const STEP = option.optionSet(() => ({
  /** `adam` takes dense gradients. `sparse-adam` takes sparse gradients and changes only their rows. Momentum needs memory for V D float32 numbers, Adam for 2 V D. */
  optimizer: option.choice(OPTIMIZERS),
  /** The step size. */
  learningRate: option.number({ default: 0.001, min: 0 }),
  /** The momentum of `sgd`. Default: 0. */
  momentum: option.number({ min: 0 }),
  /** The decay of the first moment of Adam. Default: 0.9. */
  beta1: option.number({ min: 0, below: 1 }),
  /** The decay of the second moment of Adam. Default: 0.999. */
  beta2: option.number({ min: 0, below: 1 }),
  /** Added to the root of the second moment of Adam. Default: 1e-8. */
  epsilon: option.number({ above: 0 }),
  /** For `sgd` and `adam`: this times the weights is added to the gradient. Default: 0. */
  weightDecay: option.number({ min: 0 }),
}));

/** @typedef {OptionsOf<typeof STEP>} StepOptions */

/**
 * A step, its arguments read and checked.
 * @typedef {object} Step
 * @property {typeof OPTIMIZERS[number]} optimizer
 * @property {number} learningRate
 * @property {Record<string, number>} parameters
 * @property {Int32Array | undefined} rows  the rows of a sparse gradient, distinct
 * @property {Float32Array} values
 */

/**
 * @param {unknown} gradient @param {unknown} options @param {number} V @param {number} D
 * @returns {Step}
 */
export function readStep(gradient, options, V, D) {
  const { optimizer, learningRate, ...given } = STEP.read(options);
  /** @type {Record<string, number>} */
  const parameters = { ...DEFAULTS };
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    if (!PARAMETERS[optimizer].includes(name)) {
      throw new RangeError(`${name} must be left out for "${optimizer}"; got ${value}`);
    }
    parameters[name] = value;
  }
  const { rows, values } = readRows(gradient, optimizer, V, D);
  for (const name of rows ? ["momentum", "weightDecay"] : []) {
    if (parameters[name] === 0) continue;
    throw new RangeError(
      `${name} must be 0 for a sparse gradient: it would change every row; got ${parameters[name]}`,
    );
  }
  return { optimizer, learningRate, parameters, rows, values };
}

/**
 * Reads a dense gradient [V, D], or a sparse one, {rows, values}.
 * @param {unknown} gradient @param {typeof OPTIMIZERS[number]} optimizer @param {number} V
 * @param {number} D
 * @returns {{rows: Int32Array | undefined, values: Float32Array}}
 */
function readRows(gradient, optimizer, V, D) {
  if (!isSparse(gradient)) {
    const values = readGradient(gradient, [V, D], "gradient");
    if (optimizer === "sparse-adam") {
      throw new RangeError('gradient must be sparse, {rows, values}, for "sparse-adam"; got dense');
    }
    return { rows: undefined, values };
  }
  const { data: rows, shape } = readIds(gradient.rows, V, "gradient.rows");
  if (shape.length !== 1) {
    throw wrongShape("gradient.rows", "[R]", shape);
  }
  for (let r = 1; r < rows.length; ++r) {
    if (rows[r] <= rows[r - 1]) {
      throw new RangeError(
        `gradient.rows must ascend, each row once; got ${rows[r]} after ${rows[r - 1]}`,
      );
    }
  }
  const values = readGradient(gradient.values, [rows.length, D], "gradient.values");
  if (optimizer === "adam") {
    throw new RangeError('gradient must be dense, [V, D], for "adam"; got sparse');
  }
  return { rows, values };
}

/** @param {unknown} gradient @returns {gradient is {rows: unknown, values: unknown}} */
function isSparse(gradient) {
  return isRecord(gradient) && !ArrayBuffer.isView(gradient) && "rows" in gradient;
}

/**
 * The state of the optimizer of a table, in WASM memory from the first step that needs it.
 * @param {Core} core @param {number} V @param {number} D @param {number} table  the table's address
 */
export function memory(core, V, D, table) {
  const { raw } = core;
  const size = V * D;
  /** @type {typeof OPTIMIZERS[number] | undefined} the optimizer that the state belongs to */
  let owner;
  let count = 0;
  /** @type {number[]} addresses of [V, D] each: the velocity, or the two moments */
  let state = [];

  const free = () => {
    if (core.dead) return;
    for (const at of state) raw._free(at);
    state = [];
    count = 0;
  };

  /** Allocates `arrays` arrays [V, D] of zeros. @param {number} arrays */
  const zeros = (arrays) => {
    /** @type {number[]} */
    const made = [];
    try {
      while (made.length < arrays) {
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
  const apply = ({ optimizer, learningRate, parameters, rows, values }) => {
    const needed = optimizer === "sgd" ? Number(parameters.momentum > 0) : 2;
    const R = rows ? rows.length : V;
    const group = tileRows(D * 4, R);
    withMemory(core, [group * 4, group * D * 4], (rowsAt, gradients) => {
      if (owner !== optimizer || state.length < needed) {
        const fresh = zeros(needed);
        free();
        [owner, state] = [optimizer, fresh];
      }
      ++count;
      const [first = 0, second = 0] = needed > 0 ? state : [];
      const moments = { first, firsts: first && size, second, seconds: second && size };
      const { momentum, beta1, beta2, epsilon, weightDecay } = parameters;
      const rule = {
        optimizer: OPTIMIZERS.indexOf(optimizer),
        learningRate,
        momentum: optimizer === "sgd" ? momentum : beta1,
        beta2,
        epsilon,
        weightDecay,
        step: count,
      };
      for (let from = 0; from < R; from += group) {
        const N = Math.min(group, R - from);
        for (let r = 0; r < N; ++r) {
          raw.HEAP32[rowsAt / 4 + r] = rows ? rows[from + r] : from + r;
        }
        put(core, values.subarray(from * D, (from + N) * D), gradients);
        const all = { table, V, D, rows: rowsAt, R: N, gradients, ...moments, rule };
        checkStatus(raw.embedding_step(all));
      }
    });
  };
  return { apply, free };
}
