/**
 * Position ids: the rule that gives them. Each rule is computed by the package's `positionIds` and compared with every
 * number, so a rule is named only if all numbers are equal.
 */
import { describe } from "../../runtime/check.js";
import { asArray } from "../../runtime/input.js";
import { readMask } from "../../runtime/mask.js";
import { segmentsOf } from "./segments.js";
import { knownWith, NOBODY } from "./known.js";
import { none } from "../words.js";

/**
 * @import { Known } from "./known.js"
 * @import { Phasor } from "../../index.js"
 * @import { MultimodalSegment } from "../../positional/ids/position_ids/position_ids.js"
 * @import { None } from "../identify/identify.js"
 */

/**
 * A rule of `positionIds`.
 * @typedef {object} Rule
 * @property {"range" | "fromMask" | "fromTokens" | "opt" | "packed" | "multimodal"} rule  the function of
 *   `positionIds`, or a convention of `fromMask`
 * @property {number} [first]  the position of the first token
 * @property {number} [past]  tokens in the cache
 * @property {number | "running" | "clamped" | null} [fill]  the position of padding; that of the token before it, or -1
 *   (`clamped`: 0) at the front; null if there is no padding
 * @property {number} [paddingIdx]  of `fromTokens`
 * @property {number[][]} [lengths]  of packed sequences, by row
 * @property {"all" | "spatial"} [advance]  of `multimodal`: where the tokens after a grid go on
 * @property {"left" | "right"} [padding]  the side of it
 * @property {MultimodalSegment[][]} [segments]  by row
 */

/**
 * Position ids. The rule was computed again, without a difference.
 * @typedef {Rule & {kind: "positionIds", sentence: string, residual: 0, rows: number, length: number, axes: 1 | 3,
 *   isMaskGiven: boolean, decidedBy: string[], alsoEqual: (Rule & {sentence: string})[]} & Known} Ids
 */

/**
 * Rows of positions, [B, T], and which of their tokens count: [B, all], those of the cache first.
 * @typedef {object} Rows
 * @property {Int32Array} ids @property {number} B @property {number} T
 * @property {Int32Array | undefined} mask @property {number} past  tokens that the mask has before them
 */

/**
 * @param {Phasor} modules @param {{positionIds: unknown, mask?: unknown}} given
 * @returns {Ids | None}
 */
export function identifyIds({ positionIds }, given) {
  const { ids, shape } = readPositions(given.positionIds);
  const T = shape[shape.length - 1];
  const count = ids.length / T; // of rows, on all axes
  const mask = given.mask === undefined ? undefined : readOwnMask(given.mask, shape);
  const past = mask ? mask.T - T : 0;
  if (T < 2 && !mask) return none(`rows have ${T} position: two show a rule`);
  /** @type {Rule[]} */
  const found = [];
  let axes = /** @type {1 | 3} */ (1);
  let reason = "";
  const isThree = shape.length === 3 || (shape.length === 2 && shape[0] === 3 && mask?.B !== 3);
  if (shape.length < 3 && (!mask || mask.B === count)) {
    found.push(...rulesOf(positionIds, { ids, B: count, T, mask: mask?.data, past }));
  }
  if (isThree && found.length === 0) {
    axes = 3;
    const B = count / 3;
    const size = B * T;
    const rows = { ids: ids.subarray(0, size), B, T, mask: mask?.data, past };
    const isText = ids.every((id, k) => id === ids[k % size]);
    if (isText) found.push(...rulesOf(positionIds, rows));
    const grids = multimodal(positionIds, { ...rows, ids });
    if (typeof grids === "string") reason = grids;
    else found.push(...grids);
  }
  if (found.length === 0) return none(reason || reasonOf(ids, T, mask));
  const [first, ...others] = found;
  const rows = axes === 3 ? count / 3 : count;
  return {
    kind: "positionIds",
    sentence: sentenceOf(first, rows, axes),
    residual: 0,
    ...first,
    rows,
    length: T,
    axes,
    isMaskGiven: mask !== undefined,
    decidedBy: [`all ${ids.length} positions were computed again and are equal`],
    ...knownOf(found),
    alsoEqual: others.map((one) => ({ ...one, sentence: sentenceOf(one, rows, axes) })),
  };
}

/** Who has a table of rows by one of the rules. @param {readonly Rule[]} all */
function knownOf(all) {
  const presets = all.flatMap(({ rule, paddingIdx }) =>
    rule === "opt" ? ["opt"] : rule === "fromTokens" && paddingIdx === 1 ? ["roberta"] : [],
  );
  return presets.length > 0 ? knownWith("learnedPositions", { presets }) : NOBODY;
}

/** @param {unknown} value */
function readPositions(value) {
  const { data, shape } = asArray(value, "positionIds");
  if (shape.length < 1 || shape.length > 3 || (shape.length === 3 && shape[0] !== 3)) {
    throw new RangeError(
      `positionIds must be [T], [B, T] or [3, B, T]; got shape [${shape.join(", ")}]`,
    );
  }
  if (data.length === 0) {
    throw new RangeError(`positionIds must have numbers; got shape [${shape.join(", ")}]`);
  }
  const ids = new Int32Array(data.length);
  for (let k = 0; k < ids.length; ++k) {
    const x = data[k];
    if (typeof x !== "number" && typeof x !== "bigint") {
      throw new TypeError(`positionIds must be whole numbers; got ${describe(x)} at ${k}`);
    }
    ids[k] = Number(x);
    if (ids[k] !== Number(x)) {
      throw new RangeError(`positionIds must be whole numbers below 2^31; got ${describe(x)} at ${k}`); // prettier-ignore
    }
  }
  return { ids, shape };
}

/** @param {unknown} value @param {readonly number[]} shape  of the positions */
function readOwnMask(value, shape) {
  const { data, shape: own } = readMask(value, "mask");
  const T = own[own.length - 1];
  const B = data.length / T;
  const rows = shape.slice(0, -1).reduce((all, size) => all * size, 1);
  const isOf = B === rows || (shape[0] === 3 && shape.length > 1 && 3 * B === rows);
  if (own.length < 1 || own.length > 2 || !isOf || !(T >= shape[shape.length - 1])) {
    throw new RangeError(
      `mask must be [B, T], or [B, past + T], of positionIds [${shape.join(", ")}]; got shape [${own.join(", ")}]`,
    );
  }
  return { data, B, T };
}

/**
 * The rules that give rows of positions, simplest first.
 * @param {Phasor["positionIds"]} module @param {Rows} rows
 * @returns {Rule[]}
 */
function rulesOf(module, rows) {
  const { ids, B, T, mask, past } = rows;
  /** @type {Rule[]} */
  const found = [];
  const isIds = (/** @type {ArrayLike<number>} */ all) => ids.every((id, k) => id === all[k]);
  const first = ids[0];
  if (first >= 0 && first < 2 ** 31 - T) {
    const { data } = module.range(T, { past: first });
    if (ids.every((id, k) => id === data[k % T])) found.push({ rule: "range", first, past: first });
  }
  const isRange = found.length > 0;
  const masks = mask ? [mask] : isRange ? [new Int32Array(B * T).fill(1)] : inferred(rows);
  for (const [n, own] of masks.entries()) {
    for (const rule of byMask(module, { ...rows, mask: own })) {
      const isKnown = found.some((one) => JSON.stringify(one) === JSON.stringify(rule));
      if (!isKnown && (mask || n === 0 || rule.fill !== null)) found.push(rule);
    }
  }
  const lengths = runsOf(rows);
  if (lengths && lengths.some((row) => row.length > 1) && first === 0 && past === 0) {
    if (isIds(lengths.flatMap((row) => Array.from(module.packed(row).data)))) {
      found.push({ rule: "packed", first: 0, lengths });
    }
  }
  return found;
}

/**
 * The rules that number tokens by a mask: from any first position, as in OPT, and as rows of a table with a row of padding.
 * @param {Phasor["positionIds"]} module @param {Rows & {mask: Int32Array}} rows
 * @returns {Rule[]}
 */
function byMask(module, { ids, B, T, mask, past }) {
  const all = T + past;
  const at = (/** @type {number} */ k) => Math.floor(k / T) * all + past + (k % T);
  const token = ids.findIndex((_, k) => mask[at(k)] === 1);
  const pad = ids.findIndex((_, k) => mask[at(k)] === 0);
  if (token < 0) return [];
  const counts = module.fromMask({ data: mask, shape: [B, all] }, { past }).data;
  const first = ids[token] - counts[token];
  if (ids.some((id, k) => mask[at(k)] === 1 && id !== counts[k] + first)) return [];
  /** @type {Rule[]} */
  const found = [];
  const fill = pad < 0 ? null : fillOf();
  if (fill === undefined) return [];
  // Without a cache the first token may have any position; with one that the mask shows, only the conventions' own.
  const isOwn = first === 0;
  if (isOwn || pad >= 0) found.push({ rule: "fromMask", first, past, fill });
  if (first > 0 && pad < 0 && past === 0) found.push({ rule: "fromMask", first: 0, past: first, fill }); // prettier-ignore
  const opt = module.fromMask({ data: mask, shape: [B, all] }, { past, convention: "opt" }).data;
  if (ids.every((id, k) => id === opt[k])) found.push({ rule: "opt", first: 2, past, fill });
  const paddingIdx = first - 1;
  if (paddingIdx >= 0 && (fill === null || fill === paddingIdx)) {
    const tokens = mask.map((flag) => (flag ? paddingIdx + 1 : paddingIdx));
    const { data } = module.fromTokens({ data: tokens, shape: [B, all] }, { paddingIdx });
    if (ids.every((id, k) => id === data[at(k)])) {
      found.push({ rule: "fromTokens", first, past, paddingIdx, fill });
    }
  }
  return found;

  /** What padding has. @returns {Rule["fill"] | undefined} */
  function fillOf() {
    const isPad = (/** @type {number} */ k) => mask[at(k)] === 0;
    if (ids.every((id, k) => !isPad(k) || id === ids[pad])) return ids[pad];
    for (const [name, least] of /** @type {const} */ ([
      ["running", -1],
      ["clamped", 0],
    ])) {
      // prettier-ignore
      let isSo = true;
      for (let b = 0; b < B; ++b) {
        for (let k = 0, seen = 0; k < all; ++k) {
          seen += mask[b * all + k];
          if (k < past || mask[b * all + k] === 1) continue;
          if (ids[b * T + k - past] !== first + Math.max(seen - 1, least)) isSo = false;
        }
      }
      if (isSo) return name;
    }
    return undefined;
  }
}

/**
 * Masks that rows show: tokens are consecutive from one first position, and all else at either side has one position.
 * @param {Rows} rows
 * @returns {Int32Array[]}
 */
function inferred({ ids, B, T }) {
  const fills = new Set([...Array(B).keys()].flatMap((b) => [ids[b * T], ids[b * T + T - 1]]));
  /** @type {Int32Array[]} */
  const masks = [];
  for (const fill of [...fills].slice(0, 64)) {
    for (const first of new Set([0, 2, fill + 1])) {
      const mask = new Int32Array(B * T);
      const isSo = [...Array(B).keys()].every((b) => {
        const row = ids.subarray(b * T, (b + 1) * T);
        let t = row.findIndex((id) => id !== fill);
        if (t < 0) return fill === first && mask.fill(1, b * T, b * T + 1) !== undefined; // one token, anywhere
        if (row[t] !== first && fill === first && t > 0) --t; // the last of equal ones is a token
        if (row[t] !== first) return false;
        let end = t;
        while (end < T && row[end] === first + end - t) ++end;
        mask.fill(1, b * T + t, b * T + end);
        return row.subarray(end).every((id) => id === fill);
      });
      const hasText = mask.some((one, k) => one === 1 && k % T > 0 && mask[k - 1] === 1);
      if (isSo && hasText && mask.includes(0)) masks.push(mask);
    }
  }
  return masks;
}

/** The lengths of sequences that begin at one position, by row. @param {Rows} rows */
function runsOf({ ids, B, T }) {
  /** @type {number[][]} */
  const all = [];
  for (let b = 0; b < B; ++b) {
    const starts = [0];
    for (let t = 1; t < T; ++t) {
      if (ids[b * T + t] === ids[b * T + t - 1] + 1) continue;
      if (ids[b * T + t] !== ids[0]) return undefined;
      starts.push(t);
    }
    if (ids[b * T] !== ids[0] || 2 * starts.length > T) return undefined;
    all.push(starts.map((start, k) => (starts[k + 1] ?? T) - start));
  }
  return all;
}

/**
 * The rules of text and grids that give three axes of positions.
 * @param {Phasor["positionIds"]} module @param {Rows} rows  ids [3, B, T]
 * @returns {Rule[] | string} why there is none
 */
function multimodal(module, { ids, B, T, mask, past }) {
  if (past > 0) return "positions of three axes after a cache show no beginning of their text";
  const size = B * T;
  /** @type {MultimodalSegment[][]} */
  const segments = [];
  let rules = /** @type {("all" | "spatial")[]} */ (["all", "spatial"]);
  /** @type {Set<"left" | "right">} */
  const sides = new Set();
  /** @type {number | null} */
  let fill = null;
  for (let b = 0; b < B; ++b) {
    const tripleOf = (/** @type {number} */ t) => [0, 1, 2].map((axis) => ids[axis * size + b * T + t]); // prettier-ignore
    const isPad = (/** @type {number} */ t) => (mask ? mask[b * T + t] === 0 : tripleOf(t).every((x) => x === 1)); // prettier-ignore
    let [from, to] = [0, T];
    while (from < to && isPad(from)) ++from;
    while (to > from && isPad(to - 1) && (mask || to > 2)) --to;
    if (from > 0 || to < T) {
      fill = tripleOf(from > 0 ? 0 : T - 1)[0];
      if (from > 0) sides.add("left");
      if (to < T) sides.add("right");
    }
    const read = segmentsOf((t) => tripleOf(from + t), to - from);
    if (typeof read === "string") return `row ${b}: ${read}`;
    segments.push(read.segments);
    rules = rules.filter((rule) => read.rules.includes(rule));
  }
  if (sides.size > 1) return "rows have padding at both sides";
  const padding = [...sides][0] ?? "right";
  /** @type {Rule[]} */
  const found = [];
  for (const advance of rules) {
    const { positions } = module.multimodal(segments, { advance, padding });
    const isOwn = (/** @type {number} */ k) => {
      const isPad = mask ? mask[k % size] === 0 : false;
      return isPad ? ids[k] === fill : ids[k] === positions.data[k];
    };
    if (positions.data.length === ids.length && ids.every((_, k) => isOwn(k))) {
      found.push({ rule: "multimodal", first: 0, advance, fill, ...(sides.size > 0 && { padding }), segments }); // prettier-ignore
    }
  }
  return found.length > 0 ? found : "the positions after a grid follow neither of two rules in all rows"; // prettier-ignore
}

/** @param {Rule} rule @param {number} rows @param {number} axes */
function sentenceOf(rule, rows, axes) {
  const { first, past, fill, paddingIdx, lengths, advance, segments } = rule;
  const padding = fill === null || fill === undefined ? "" : typeof fill === "number"
    ? `, padding at ${fill}` : `, padding ${fill === "running" ? "at the position before it" : "at the position before it, or 0"}`; // prettier-ignore
  const after = past ? `, after ${past} tokens in the cache` : "";
  const words = {
    range: () => `positions from ${first}, whatever is padding`,
    fromMask: () => `tokens numbered from ${first} by the mask${padding}${after}`,
    opt: () => `rows of OPT's table: tokens numbered from 2 by the mask${padding}${after}`,
    fromTokens: () => `rows of RoBERTa's table: tokens numbered from ${first}, padding at ${paddingIdx}${after}`,
    packed: () => `packed sequences of ${(lengths ?? []).slice(0, 4).map((row) => row.slice(0, 8).join(" + ")).join("; ")}`,
    multimodal: () => `M-RoPE, ${gridWords(segments ?? [])}, after a grid from its ${advance === "all" ? "largest position" : "rows and columns"} on${padding}`,
  }; // prettier-ignore
  return `${words[rule.rule]()}, ${rows} ${rows === 1 ? "row" : "rows"}${axes === 3 ? ", three axes" : ""}`;
}

/** @param {MultimodalSegment[][]} segments */
function gridWords(segments) {
  const grids = segments.flat().flatMap((one) => ("grid" in one ? [one] : []));
  const list = grids.slice(0, 4).map(({ grid, step }) => `${Array.from(grid).join(" x ")}${step && step !== 1 ? ` at steps of ${step}` : ""}`); // prettier-ignore
  return grids.length === 0 ? "text alone" : `text with grids ${list.join(", ")}`;
}

/** @param {Int32Array} ids @param {number} T @param {{data: Int32Array} | undefined} mask */
function reasonOf(ids, T, mask) {
  const at = ids.findIndex((id, k) => k % T > 0 && id !== ids[k - 1] + 1);
  if (at < 0) return "rows are consecutive, from different positions, and no mask explains that";
  return `row ${Math.floor(at / T)} has ${ids[at - 1]}, then ${ids[at]} at ${at % T}, and ${mask ? "the mask does not explain that" : "no rule of padding, packing or grids gives that"}`;
}
