/** phasor/oracle: says what a table, or a pair of arrays, is. */
import * as check from "../runtime/check.js";
import { copied } from "../runtime/input.js";
import { inFunction } from "../runtime/named.js";
import { sharing } from "../runtime/sharing.js";
import { load } from "../index.js";
import { identifyRotation } from "./identify/identify.js";
import { loadFurther, withFurther } from "./identify/later.js";

/**
 * @import { Phasor } from "../index.js"
 * @import { TensorInput } from "../runtime/tensor.js"
 *
 * @typedef {import("./identify/identify.js").Rotation} Rotation
 * @typedef {import("./identify/identify.js").Still} Still
 * @typedef {import("./identify/identify.js").None} None
 * @typedef {import("./identify/positions.js").Places} Places
 * @typedef {import("./kinds/axial.js").Axial} Axial
 * @typedef {import("./kinds/mrope.js").Mrope} Mrope
 * @typedef {import("./kinds/bias.js").Bias} Bias
 * @typedef {import("./kinds/grids.js").SincosGrid} SincosGrid
 * @typedef {import("./kinds/ids.js").Ids} Ids
 * @typedef {import("./kinds/sinusoids.js").Sinusoids} Sinusoids
 * @typedef {import("./kinds/weights.js").Weights} Weights
 */

/**
 * What `identify` says: a rotation, another kind, or that no name fits.
 * @typedef {import("./identify/identify.js").RotationAnswer | Axial | Mrope | Bias | Ids | Sinusoids | SincosGrid | Weights} Answer
 */

/**
 * The arrays to identify: a table of cosines and sines; queries before and after their rotation, and keys; biases of attention
 * [H, Tq, Tk]; a table of positions [T, D], or of a grid [H, W, D]; position ids [B, T] or [3, B, T], with their mask if there is one; or weights
 * [H D, E] of two sources.
 * @typedef {{cos: TensorInput, sin: TensorInput} |
 *   {q: TensorInput, rotated: TensorInput, k?: TensorInput, k_rotated?: TensorInput} | {bias: TensorInput} | {table: TensorInput} | {positionIds: TensorInput, mask?: TensorInput} |
 *   {weights: TensorInput, reference?: TensorInput, heads: number}} Arrays
 */

/**
 * Options of `identify`.
 * @typedef {object} IdentifyOptions
 * @property {Phasor} [phasor]  computes what is compared. Default: one instance that all calls share
 * @property {TensorInput} [positions]  those that the rows should have, consecutive, [T]. Default: 0 .. T - 1
 * @property {boolean} [headsAfter]  whether vectors are [..., T, H, D]. Default: [..., T, D], and if that
 *   fits nothing, heads after positions
 * @property {"float32" | "float16" | "bfloat16"} [precision]  of the numbers. Default: the narrowest format that holds all
 *   of them
 */

/** The shared instance, loaded on first use. */
const started = /* @__PURE__ */ sharing(load);

/** @type {Readonly<Record<string, readonly [kind: "table" | "vectors", other: string]>>} */
const KINDS = Object.freeze({ cos: ["table", "sin"], q: ["vectors", "rotated"] });

/** Keys beside queries. */
const KEYS = /** @type {const} */ (["k", "k_rotated"]);

/**
 * The kinds whose code is loaded on first use, and what else each of them takes.
 * @type {Readonly<Record<"bias" | "table" | "positionIds" | "weights", readonly string[]>>}
 */
const OTHERS = Object.freeze({
  bias: [],
  table: [],
  positionIds: ["mask"],
  weights: ["reference", "heads"],
});

/**
 * Measures what a table of cosines and sines is, or which rotation took vectors to others, without being told the model:
 * the columns of a pair, the factor, the frequencies and the formula and base of which they come, sign, offset and
 * positions.
 *
 * It computes what it names again, and compares it with every number: `residual` is the largest difference. Several
 * formulas can give the same numbers. The one with numbers that people choose comes first, all others are in
 * `alsoEqual`. Where nothing fits, the answer is `none` and names the step that failed.
 *
 * A rotation by theta_i a position is measured as z[t, i] = A exp(i theta_i (t + offset)): |z| gives A, products of
 * rows k apart theta_i up to whole turns, for k = 1, 2, 4, ..., and a line through the unwrapped angles the rest. The
 * error of a frequency is about eps / T^1.5: 64 float32 rows give the base to 1e-8.
 *
 * Pairs that follow different positions are read one by one: of a grid, those of rows and of columns (`axialRope`), and
 * in M-RoPE those of time, height and width, whose position ids are given (`mrope`).
 *
 * Keys beside queries are measured, too. Where both rotate alike, one name is given, and `k` has the keys' own
 * measurement; where they do not, the answer is `none`, says in what they differ, and has both.
 *
 * Biases, tables of sinusoids in one dimension or two, position ids and weights of two sources are other kinds: each is measured in its own way,
 * and what is named is computed again in the same manner. Their code is loaded when one of them is asked for.
 *
 * @param {Arrays} arrays  { cos, sin } [..., T, C], or { q, rotated } [..., T, D], and { k, k_rotated } beside them if
 *   there are keys, rows of at least four positions; { bias }; { table }; { positionIds, mask }; or { weights, reference,
 *   heads }
 * @param {IdentifyOptions} [options]
 * @returns {Promise<Answer>} what it is, in numbers and in a `sentence`
 * @throws {TypeError | RangeError} if an array or an option is invalid
 * @see Su et al. 2021, RoFormer, https://arxiv.org/abs/2104.09864; the scalings of `rope.frequencies`
 * @example
 * const { cos, sin } = rope.toFullWidth(rope.table(64, 128, { base: 500000, offset: 1 }));
 * const { sentence, residual } = await identify({ cos, sin });
 * sentence // "RoPE, halves, 128 columns, base 500000, no scaling, positions from 1"
 * const ids = await identify({ positionIds: [[1, 1, 0, 1, 2]] });
 * ids.sentence // "tokens numbered from 0 by the mask, padding at 1, 1 row"
 */
export async function identify(arrays, options = {}) {
  try {
    const { phasor, ...asked } = check.options(options, {
      phasor: undefined,
      positions: undefined,
      headsAfter: undefined,
      precision: undefined,
    });
    const rest = copied(asked);
    const own = copied(arrays);
    const other = otherKind(own);
    if (other) {
      for (const [name, value] of Object.entries(rest)) {
        if (value === undefined) continue;
        throw new TypeError(`${name} must come with a rotation; got it with ${other}`);
      }
      const all = await kinds();
      const modules = phasor ?? (await started());
      return all[other](modules, own);
    }
    const { kind, names, given } = readArrays(own);
    const { headsAfter, precision } = rest;
    if (headsAfter !== undefined) check.boolean(headsAfter, "headsAfter");
    if (precision !== undefined)
      check.oneOf(precision, "precision", ["float32", "float16", "bfloat16"]);
    const modules = /** @type {Phasor} */ (phasor ?? (await started()));
    const of = /** @type {any} */ ({ ...rest, kind });
    const q = await measured(modules, given, names, of);
    if (given.k === undefined) return q.answer;
    const k = await measured(modules, given, KEYS, of);
    const { together } = await kinds();
    return together(modules, q, k);
  } catch (error) {
    throw inFunction("identify", error);
  }
}

/** All kinds, and what they need. */
async function kinds() {
  await loadFurther();
  return import("./kinds/index.js");
}

/**
 * What two of the arrays are: a plain rotation, or what is rarer, whose code is loaded only then.
 * @param {Phasor} modules @param {Record<string, TensorInput>} given @param {readonly [string, string]} names
 * @param {any} options  of `identifyRotation`
 */
async function measured(modules, given, names, options) {
  const pair = { one: given[names[0]], two: given[names[1]] };
  const ask = (/** @type {import("./identify/identify.js").More} */ more) =>
    identifyRotation(modules, pair, { ...options, names }, more);
  const plain = await withFurther(() => identifyRotation(modules, pair, { ...options, names }));
  if (plain.answer.kind !== "none") return plain;
  const { rarer } = await kinds();
  return rarer(modules, plain, ask);
}

/** The kind of arrays that are no rotation. @param {unknown} arrays */
function otherKind(arrays) {
  if (!check.isRecord(arrays)) return undefined;
  for (const [kind, rest] of Object.entries(OTHERS)) {
    if (!(kind in arrays)) continue;
    for (const name of Object.keys(arrays)) {
      if (name !== kind && !rest.includes(name)) throw check.unknownOption(name, [kind, ...rest], "arrays"); // prettier-ignore
    }
    return /** @type {keyof typeof OTHERS} */ (kind);
  }
  return undefined;
}

/** @param {unknown} arrays */
function readArrays(arrays) {
  if (!check.isRecord(arrays)) {
    throw new TypeError(
      `arrays must be an object such as { cos, sin }; got ${check.describe(arrays)}`,
    );
  }
  const known = Object.entries(KINDS)
    .flatMap(([name, [, other]]) => [name, other])
    .concat(KEYS, Object.keys(OTHERS));
  for (const name of Object.keys(arrays)) {
    if (!known.includes(name)) throw check.unknownOption(name, known, "arrays");
  }
  const found = Object.entries(KINDS).filter(
    ([name, [, other]]) => name in arrays && other in arrays,
  );
  const got = Object.keys(arrays).join(", ") || "none";
  if (found.length !== 1) {
    throw new RangeError(`arrays must have cos and sin, or q and rotated; got ${got}`);
  }
  const [[name, [kind, other]]] = found;
  const keys = KEYS.filter((key) => arrays[key] !== undefined);
  if (keys.length === 1 || (keys.length > 0 && name !== "q")) {
    throw new RangeError(
      `arrays must have k and k_rotated together, beside q and rotated; got ${got}`,
    );
  }
  const given = /** @type {Record<string, TensorInput>} */ (arrays);
  return { kind, names: /** @type {const} */ ([name, other]), given };
}
