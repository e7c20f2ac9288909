/** Which rows of a learned table, or which positions of sinusoids, a model takes for its tokens. */

/** @import { positionIds } from "../../positional/ids/position_ids/position_ids.js" */
/** @import { TensorInput } from "../../runtime/tensor.js" */
import * as check from "../../runtime/check.js";
import { readIds } from "../../runtime/ids.js";

/**
 * Rows of a table, in the shape of the tokens or of their last axes.
 * @typedef {{data: Int32Array, shape: readonly number[]}} Ids
 *
 * @typedef {ReturnType<typeof positionIds>} PositionIds  phasor's module, which is passed so that
 *   `phasor/open` need not contain it
 *
 * @typedef {object} IndexOptions
 * @property {number} past  tokens already in the cache
 * @property {TensorInput} [mask]  the attention mask [past + T] or [..., past + T]
 * @property {number} [paddingIdx]  the id of padding
 */

/** The rows that BART, OPT and RoBERTa reserve in front of position 0. */
const RESERVED = 2;

/** @type {Record<string, (of: PositionIds, ids: Ids, options: IndexOptions) => Ids>} */
const RULES = {
  consecutive: (of, ids, { past }) => consecutive(of, ids, past),
  gpt2: (of, ids, { past }) => consecutive(of, ids, past),
  bert: (of, ids, { past }) => consecutive(of, ids, past),
  vaswani: (of, ids, { past }) => consecutive(of, ids, past),
  marian: (of, ids, { past }) => consecutive(of, ids, past),
  bart: (of, ids, { past }) => consecutive(of, ids, past + RESERVED),
  xglm: (of, ids, { past }) => consecutive(of, ids, past + RESERVED),
  fairseq: (of, ids, { past, paddingIdx }) => of.fromTokens(ids, { past, paddingIdx }),
  roberta: (of, ids, { past, paddingIdx }) => of.fromTokens(ids, { past, paddingIdx }),
  opt(of, ids, { past, mask }) {
    if (mask === undefined) return consecutive(of, ids, past + RESERVED);
    const rows = of.fromMask(mask, { convention: "opt", past });
    const { shape } = ids;
    if (shape.slice(-rows.shape.length).join() === rows.shape.join()) return rows;
    const wanted = [...shape.slice(0, -1), past + lengthOf(ids)].join(", ");
    const got = past + Number(rows.shape.at(-1));
    throw new RangeError(`mask must have the last axes of [${wanted}]; got [..., ${got}]`);
  },
};

/** Options that only one rule reads. */
const ONLY = Object.freeze({ mask: ["opt"], paddingIdx: ["roberta", "fairseq"] });

/**
 * @param {PositionIds} of
 * @param {{scheme: string, preset?: string, paddingIdx?: number}} positions  of a model's description
 * @param {Ids} ids @param {IndexOptions} options
 * @returns {Ids | undefined} undefined for a model that adds nothing for positions
 * @throws {RangeError} if the model takes its rows in a way that is not known
 */
export function positionRows(of, { scheme, preset = "consecutive", paddingIdx }, ids, options) {
  const adds = scheme === "learnedPositions" || scheme === "sinusoidal";
  for (const [name, rules] of Object.entries(ONLY)) {
    if (options[/** @type {keyof typeof ONLY} */ (name)] === undefined) continue;
    if (adds && rules.includes(preset)) continue;
    const got = JSON.stringify(adds ? preset : scheme);
    throw new RangeError(
      `${name} must be left out unless positions.preset is ${rules.map((rule) => JSON.stringify(rule)).join(" or ")}; got ${got}`,
    );
  }
  if (!adds) return undefined;
  const rule = RULES[check.oneOf(preset, "spec.positions.preset", Object.keys(RULES))];
  return rule(of, ids, { ...options, paddingIdx: options.paddingIdx ?? paddingIdx });
}

/** @param {PositionIds} of @param {Ids} ids @param {number} first @returns {Ids} [T] */
function consecutive({ range }, ids, first) {
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
