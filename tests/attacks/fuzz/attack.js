/** One case: made from the target's name, a seed and an index, and judged. */
import assert from "node:assert/strict";
import { emptyRange } from "../../ranges.js";
import { configurationTargets } from "./targets/configurations.js";
import { failingTargets } from "./targets/failing.js";
import { tensorTargets } from "./targets/tensors.js";
import { vocabularyTargets } from "./targets/vocabularies.js";
import { Random } from "./random.js";

/** @import { Target } from "./targets/laws.js" */

/** @type {readonly Target[]} */
export const targets = [...tensorTargets, ...vocabularyTargets, ...configurationTargets];

/** @param {string} name @returns {Target} */
export function targetOf(name) {
  const found = [...targets, ...failingTargets].find((target) => target.name === name);
  if (found) return found;
  const known = targets.map((target) => `"${target.name}"`).join(", ");
  throw new RangeError(`target must be one of ${known}; got "${name}"`);
}

/**
 * How a case ended. `broken` says which law does not hold.
 * @typedef {object} Outcome
 * @property {boolean} isAccepted
 * @property {any} [got]  what was read
 * @property {string} [code]  of the refusal
 * @property {string} [broken]
 */

/** @param {Target} target @param {number} seed @param {number} index */
export function caseOf(target, seed, index) {
  return target.make(new Random(seed, target.name, index));
}

/**
 * Reads an input and judges the result.
 * @param {Target} target @param {import("./targets/laws.js").Case} one
 * @returns {Promise<Outcome>}
 */
export async function judged(target, { input, expected }) {
  let got;
  try {
    got = await target.read(input);
  } catch (/** @type {any} */ error) {
    if (error instanceof assert.AssertionError) {
      return { isAccepted: true, broken: `the result is inconsistent: ${error.message}` };
    }
    if (!target.isRefusal(error)) {
      return { isAccepted: false, broken: `another error: ${error?.stack ?? String(error)}` };
    }
    const range = emptyRange(error.message);
    if (range) return { isAccepted: false, broken: `a rule that nothing fits, ${range}: ${error.message}` }; // prettier-ignore
    if (expected === undefined) return { isAccepted: false, code: error.code ?? error.name };
    return { isAccepted: false, broken: `a well-formed file is refused: ${error.message}` };
  }
  try {
    if (expected !== undefined) assert.deepEqual(got, { ...got, ...expected });
    target.consistent?.(input, got);
  } catch (/** @type {any} */ error) {
    return {
      isAccepted: true,
      got,
      broken: `the result is not what the file says: ${error.stack}`,
    };
  }
  return { isAccepted: true, got };
}

/** An input as a fixture of tests/attacks/fuzz/found, or to show it. @param {any} input */
export function written(input) {
  if (input instanceof Uint8Array) return { hex: Buffer.from(input).toString("hex") };
  return { value: inspectable(input) };
}

/** The input of a fixture. @param {{ hex?: string, value?: any }} fixture @returns {any} */
export function restored({ hex, value }) {
  return hex === undefined ? revived(value) : Uint8Array.from(Buffer.from(hex, "hex"));
}

/** With what JSON cannot hold under a name. @param {any} value @returns {any} */
function inspectable(value) {
  if (value instanceof Map)
    return { $: "Map", of: [...value].map((pair) => pair.map(inspectable)) };
  if (ArrayBuffer.isView(value)) {
    const list = Array.from(/** @type {any} */ (value), (each) => inspectable(each));
    return { $: value.constructor.name, of: list };
  }
  if (Array.isArray(value)) return value.map(inspectable);
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).map(([key, each]) => [key, inspectable(each)]);
    return { $: "Object", of: entries };
  }
  const isPlain = value === null || typeof value === "string" || typeof value === "boolean";
  if (isPlain || (Number.isFinite(value) && !Object.is(value, -0))) return value;
  return { $: typeof value, of: Object.is(value, -0) ? "-0" : String(value) };
}

/** @type {Record<string, any>} */
const ARRAYS = { Uint8Array, Int32Array, Float32Array, Float64Array };

/** @param {any} value @returns {any} */
function revived(value) {
  if (Array.isArray(value)) return value.map(revived);
  if (typeof value !== "object" || value === null) return value;
  const { $, of } = value;
  if ($ === "Map") return new Map(of.map((/** @type {any} */ pair) => pair.map(revived)));
  if ($ === "bigint") return BigInt(of);
  if ($ === "number") return Number(of);
  if ($ === "undefined") return undefined;
  if ($ in ARRAYS) return ARRAYS[$].from(of.map(revived));
  const object = {};
  for (const [key, each] of of) {
    const property = { value: revived(each), enumerable: true, writable: true, configurable: true };
    Object.defineProperty(object, key, property);
  }
  return object;
}
