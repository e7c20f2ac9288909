/** Which rows of a learned table a model takes for its tokens. */

/** @import { TensorInput } from "../../runtime/tensor.js" */
import * as check from "../../runtime/check.js";
import { readIds } from "../../runtime/ids.js";
import { positionIds } from "../../positional/ids/position_ids/position_ids.js";

/**
 * Rows of a table, in the shape of the tokens or of their last axes.
 * @typedef {{data: Int32Array, shape: readonly number[]}} Ids
 *
 * @typedef {object} IndexOptions
 * @property {number} past  tokens already in the cache
 * @property {TensorInput} [mask]  the attention mask [past + T] or [..., past + T]
 * @property {number} [paddingIdx]  the id of padding
 */

const { fromMask, fromTokens, range } = positionIds();

/** The rows that OPT and RoBERTa reserve in front of position 0. */
const RESERVED = 2;

/** @type {Record<string, (ids: Ids, options: IndexOptions) => Ids>} */
const RULES = {
  consecutive: (ids, { past }) => consecutive(ids, past),
  gpt2: (ids, { past }) => consecutive(ids, past),
  bert: (ids, { past }) => consecutive(ids, past),
  roberta: (ids, { past, paddingIdx }) => fromTokens(ids, { past, paddingIdx }),
  opt(ids, { past, mask }) {
    if (mask === undefined) return consecutive(ids, past + RESERVED);
    const rows = fromMask(mask, { convention: "opt", past });
    const { shape } = ids;
    if (shape.slice(-rows.shape.length).join() === rows.shape.join()) return rows;
    const wanted = [...shape.slice(0, -1), past + lengthOf(ids)].join(", ");
    const got = past + Number(rows.shape.at(-1));
    throw new RangeError(`mask must have the last axes of [${wanted}]; got [..., ${got}]`);
  },
};

/** Options that only one rule reads. */
const ONLY = /** @type {const} */ ({ mask: "opt", paddingIdx: "roberta" });

/**
 * @param {{scheme: string, preset?: string}} positions  of a model's description
 * @param {Ids} ids @param {IndexOptions} options
 * @returns {Ids | undefined} undefined for a model without a learned table
 * @throws {RangeError} if the model takes its rows in a way that is not known
 */
export function positionRows({ scheme, preset = "consecutive" }, ids, options) {
  const isLearned = scheme === "learnedPositions";
  for (const [name, rule] of Object.entries(ONLY)) {
    if (options[/** @type {keyof typeof ONLY} */ (name)] === undefined) continue;
    if (isLearned && preset === rule) continue;
    const got = JSON.stringify(isLearned ? preset : scheme);
    throw new RangeError(
      `${name} must be left out unless positions.preset is "${rule}"; got ${got}`,
    );
  }
  if (!isLearned) return undefined;
  return RULES[check.oneOf(preset, "spec.positions.preset", Object.keys(RULES))](ids, options);
}

/** @param {Ids} ids @param {number} first @returns {Ids} [T] */
function consecutive(ids, first) {
  return range(lengthOf(ids), { past: first });
}

/** T of ids [..., T]. @param {Ids} ids */
export function lengthOf({ shape }) {
  const T = shape[shape.length - 1];
  if (T === undefined) throw new RangeError("ids must have shape [..., T]; got []");
  return T;
}

/**
 * The token types of the tokens, all 0 if none are given.
 * @param {unknown} segments @param {Ids} ids @param {number} count  of rows of their table
 * @returns {Ids}
 */
export function segmentRows(segments, ids, count) {
  const rows = readIds(segments ?? new Int32Array(lengthOf(ids)), count, "segments");
  const { shape } = ids;
  if (rows.shape.length === 0 || shape.slice(-rows.shape.length).join() !== rows.shape.join()) {
    throw new RangeError(
      `segments must have the last axes of [${shape.join(", ")}]; got [${rows.shape.join(", ")}]`,
    );
  }
  return rows;
}
