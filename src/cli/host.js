/** Reads the sentence vectors of a host and the states of the tokens that they come from. */
import { describe } from "../runtime/check.js";
import { precisionOf } from "../oracle/numbers.js";
import { arraysOf } from "./input.js";
import { refuseStrange } from "./port.js";

/**
 * @typedef {{data: Float32Array, shape: readonly number[]}} Numbers
 *
 * What a host computed for B texts.
 * @typedef {object} Host
 * @property {Numbers} vectors  [B, W]
 * @property {Numbers} tokens  [B, T, D]
 * @property {Int32Array} mask  [B, T]
 * @property {readonly number[] | undefined} promptLengths  [B]; undefined where the file does not have them
 * @property {string} dtype  of the vectors in the file
 * @property {"float32" | "float16" | "bfloat16"} precision  the coarser of vectors and states
 * @property {number} tolerance  how far a number may be off, in units of the largest of its vector
 */

/** Some steps of rounding in each format; two conventions rarely differ by so little. */
const TOLERANCES = Object.freeze({ float32: 1e-4, float16: 2e-3, bfloat16: 2e-2 });

/**
 * @param {string} path  of a .npz or .safetensors file
 * @param {number} dim  the width of the states
 * @returns {Promise<Host>}
 */
export async function readHost(path, dim) {
  const file = await arraysOf(path, "VECTORS");
  const missing = ["vectors", "tokens"].filter((name) => !file.names.includes(name));
  if (missing.length > 0) {
    const got = file.names.map((name) => describe(name)).join(", ") || "none";
    throw new RangeError(`${path} must have the arrays vectors and tokens; got ${got}`);
  }
  const read = async (/** @type {string} */ name) => {
    const { dtype } = await file.info(name);
    if (!/^(float|bfloat)\d+$/.test(dtype)) {
      throw new RangeError(`${name} must hold floating-point numbers; got ${dtype}`);
    }
    const { data, shape } = await file.tensor(name);
    return { dtype, shape, data: Float64Array.from(data, Number) };
  };
  const [vectors, tokens] = [await read("vectors"), await read("tokens")];
  const isOne = tokens.shape.length === 2;
  const [B, T, D] = isOne ? [1, ...tokens.shape] : tokens.shape;
  const isRanked = isOne || tokens.shape.length === 3;
  if (!isRanked || tokens.data.length === 0 || D !== dim) {
    const got = `[${tokens.shape.join(", ")}]`;
    throw new RangeError(`tokens must have shape [B, T, ${dim}] or [T, ${dim}]; got ${got}`);
  }
  const W = vectors.shape.at(-1) ?? 0;
  const isList = vectors.shape.length === 2 ? vectors.shape[0] === B : isOne && vectors.shape.length === 1; // prettier-ignore
  if (!isList || W < 1) {
    const rule = isOne ? "[W] or [1, W]" : `[${B}, W]`;
    throw new RangeError(`vectors must have shape ${rule}; got [${vectors.shape.join(", ")}]`);
  }
  refuseStrange(vectors.data, "vectors");
  const find = async (/** @type {string} */ name) =>
    file.names.includes(name) ? file.tensor(name) : undefined;
  const mask = maskOf(await find("mask"), B, T);
  const promptLengths = lengthsOf(await find("prompt_length"), mask, B, T);
  const kept = tokens.data.filter((_, i) => mask[Math.floor(i / D)] === 1);
  refuseStrange(kept, "tokens where mask is 1");
  const precision = coarser(precisionOf([vectors.data]), precisionOf([kept]));
  return {
    vectors: { data: Float32Array.from(vectors.data), shape: [B, W] },
    tokens: { data: Float32Array.from(tokens.data), shape: [B, T, D] },
    mask,
    promptLengths,
    dtype: vectors.dtype,
    precision,
    tolerance: TOLERANCES[precision],
  };
}

/** @param {Host["precision"]} a @param {Host["precision"]} b */
function coarser(a, b) {
  return TOLERANCES[a] > TOLERANCES[b] ? a : b;
}

/**
 * @param {{data: ArrayLike<number | bigint>, shape: readonly number[]} | undefined} given
 * @param {number} B @param {number} T
 */
function maskOf(given, B, T) {
  if (given === undefined) return new Int32Array(B * T).fill(1);
  const flags = Int32Array.from(given.data, Number);
  const shape = given.shape.join(", ");
  const isOne = given.shape.length === 1 && given.shape[0] === T;
  if (!isOne && shape !== `${B}, ${T}`) {
    throw new RangeError(`mask must have shape [${B}, ${T}] or [${T}]; got [${shape}]`);
  }
  const bad = Array.from(given.data, Number).find((flag) => flag !== 0 && flag !== 1);
  if (bad !== undefined) throw new RangeError(`mask must hold 1 and 0; got ${bad}`);
  const mask = Int32Array.from({ length: B * T }, (_, i) => flags[isOne ? i % T : i]);
  for (let b = 0; b < B; ++b) {
    if (mask.subarray(b * T, (b + 1) * T).includes(1)) continue;
    throw new RangeError(`mask must have a 1 in each text; got none in text ${b}`);
  }
  return mask;
}

/**
 * @param {{data: ArrayLike<number | bigint>, shape: readonly number[]} | undefined} given
 * @param {Int32Array} mask @param {number} B @param {number} T
 */
function lengthsOf(given, mask, B, T) {
  if (given === undefined) return undefined;
  const listed = Array.from(given.data, Number);
  if (listed.length !== 1 && listed.length !== B) {
    const got = `shape [${given.shape.join(", ")}]`;
    throw new RangeError(`prompt_length must be one number or [${B}]; got ${got}`);
  }
  return Array.from({ length: B }, (_, b) => {
    const length = listed[listed.length === 1 ? 0 : b];
    const flags = mask.subarray(b * T, (b + 1) * T);
    const isWhole = Number.isInteger(length) && length >= 0;
    if (isWhole && flags.includes(1, flags.indexOf(1) + length)) return length;
    const rule = "be a whole number that leaves a token in each text";
    throw new RangeError(`prompt_length must ${rule}; got ${length} for text ${b}`);
  });
}
