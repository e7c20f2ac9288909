/** The sentence of an x-ray, and where schemes other than RoPE end. */

/** @import { Model } from "../../models/index.js" */
/** @import { Phasor } from "../../index.js" */
/** @import { Xray } from "./index.js" */
/** @import { Kind } from "./kinds.js" */
import { isLengthened } from "./kinds.js";

/**
 * Where another scheme ends.
 * @typedef {object} Wall
 * @property {number} [rows]  of a learned table: a later position has no row
 * @property {number} [farthest]  distances from here on share one bucket
 * @property {number} [decoder]  those in the decoder, which sees one direction alone
 * @property {readonly {slope: number, reach: number}[]} [heads]  of ALiBi: the distance at which a key has a thousandth of
 *   the weight of an equal one at the query's own place
 */

/** The natural logarithm of 1000. */
const LITTLE = 6.907755278982137;

/** @param {Phasor} phasor @param {Model} model @returns {Wall | undefined} */
export function wallOf({ alibi, t5Bias }, { heads, positions: { scheme, length, options } }) {
  if (scheme === "learnedPositions") return { rows: length };
  if (scheme === "t5Bias") {
    const farthest = (/** @type {any} */ more) => farthestOf(t5Bias, { ...options, ...more });
    const decoder = options?.direction === undefined && farthest({ direction: "causal" });
    return { farthest: farthest({}), ...(decoder && { decoder }) };
  }
  if (scheme !== "alibi" || typeof heads !== "number") return undefined;
  const { data } = alibi.slopes(heads, options);
  return { heads: Array.from(data, (slope) => ({ slope, reach: LITTLE / slope })) };
}

/** The first distance of the last bucket. @param {Phasor["t5Bias"]} module @param {any} options */
function farthestOf({ bucket }, options) {
  const of = (/** @type {number} */ distance) => bucket([-distance], options).data[0];
  let [low, high] = [0, Number(options.maxDistance)];
  const last = of(high);
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (of(middle) === last) high = middle;
    else low = middle + 1;
  }
  return low;
}

const count = (/** @type {number} */ value) => Math.round(value).toLocaleString("en-US");

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB"];

/** @param {number} bytes */
function size(bytes) {
  const by = UNITS.findLastIndex((_, i) => i === 0 || bytes >= 1024 ** i);
  return `${Number((bytes / 1024 ** by).toPrecision(3))} ${UNITS[by]}`;
}

/** @param {Omit<Xray, "sentence" | "badge">} found @param {number | undefined} stated  the length of the configuration */
export function sentenceOf(found, stated) {
  const { length, scheme, wall, kinds, cost } = found;
  const said =
    kinds.length > 0 ? rotationWords(found, stated) : [otherWords(scheme, wall, length, stated)];
  const { cache, cachePerToken } = cost;
  if (cache !== null && cachePerToken !== null) {
    said.push(`The cache takes ${size(cachePerToken)} a token, ${size(cache)} in all.`);
  }
  return said.join(" ");
}

/** @param {Omit<Xray, "sentence" | "badge">} found @param {number | undefined} stated */
function rotationWords({ kinds, readers, length, trained }, stated) {
  const pairs = kinds.flatMap((kind) => kind.pairs);
  const of = (/** @type {string} */ state) => pairs.filter((pair) => pair.state === state).length;
  const [fresh, mapped] = [of("new"), of("mapped")];
  const met = fresh > 0 ? `${count(fresh)} of ${count(pairs.length)} pairs meet` : "no pair meets";
  const angles = `angles that do not occur in ${count(trained)} tokens, the original length`;
  const kept = `the scaling keeps ${count(mapped)} of ${count(pairs.length)} from such`;
  const isKnown = stated !== undefined || kinds.some(({ rotary }) => isLengthened(rotary));
  const said = !isKnown
    ? ["The configuration states no length: which angles are new is not known."]
    : length === trained && fresh === 0
      ? [`${count(length)} tokens are the original length: no pair meets new angles.`]
      : [`At ${count(length)} tokens ${met} ${angles}${mapped > 0 ? `; ${kept}` : ""}.`];
  const layers = kinds.reduce((sum, kind) => sum + kind.layers, 0);
  for (const { layers: some, rotates, attends, window } of kinds) {
    const what = [
      ...(rotates || !attends ? [] : ["do not rotate"]),
      ...(window && window < length ? [`see ${count(window)} tokens`] : []),
    ];
    if (what.length > 0) {
      said.push(`${count(some)} of ${count(layers)} layers ${what.join(" and ")}.`);
    }
  }
  const ignoring = readers.find(({ reader }) => reader === "scaling");
  if (ignoring) {
    const least = Math.min(...ignoring.kinds.map(({ asked }) => asked));
    const left = `${least.toFixed(3)} of the dot product`;
    said.push(`A program that ignores the scaling has ${left} left at the end.`);
  }
  return said;
}

/** @param {string} scheme @param {Xray["wall"]} wall @param {number} length @param {number | undefined} stated */
function otherWords(scheme, wall, length, stated = length) {
  if (wall?.rows !== undefined) {
    const beyond = length - wall.rows;
    const rows = `The table has ${count(wall.rows)} positions`;
    return beyond > 0
      ? `${rows}: the last ${count(beyond)} of ${count(length)} tokens have no row.`
      : `${rows}, and ${count(length)} tokens fit.`;
  }
  if (wall?.farthest !== undefined) {
    const decoder =
      wall.decoder === undefined ? "" : `, and in the decoder from ${count(wall.decoder)} on`;
    return `Distances from ${count(wall.farthest)} on share one bias${decoder}, up to the last of ${count(length)} tokens.`;
  }
  if (wall?.heads) {
    const far = Math.max(...wall.heads.map(({ reach }) => reach));
    const near = Math.min(...wall.heads.map(({ reach }) => reach));
    return `ALiBi has no last position; its heads see ${count(near)} to ${count(far)} tokens back before an equal key has a thousandth of the weight.`;
  }
  if (length > stated) {
    return `The configuration states ${count(stated)} positions: of the last ${count(length - stated)} of ${count(length)} it says nothing.`;
  }
  return scheme === "none"
    ? "The model has no positions besides those that its layers make."
    : `Nothing is lost or new at ${count(length)} tokens that the scheme ${scheme} could tell.`;
}

/** Schemes other than RoPE in a few words. @type {Readonly<Record<string, string>>} */
const NAMES = {
  none: "none",
  alibi: "ALiBi",
  t5Bias: "T5 bias",
  learnedPositions: "learned table",
};

/**
 * What a configuration says of positions, in a few words for a badge.
 * @param {Pick<Xray, "scheme" | "kinds" | "trained" | "wall">} found
 * @param {number | undefined} length  of the configuration
 */
export function badgeOf({ scheme, kinds, trained, wall }, length) {
  if (kinds.length === 0) {
    const rows = wall?.rows === undefined ? "" : ` of ${count(wall.rows)}`;
    return (NAMES[scheme] ?? scheme) + rows;
  }
  const attending = kinds.filter(({ attends }) => attends);
  const layers = (/** @type {readonly Kind[]} */ of) =>
    of.reduce((sum, { layers }) => sum + layers, 0);
  const still = layers(attending.filter(({ rotates }) => !rotates));
  const scaled = kinds.find(({ rotary }) => isLengthened(rotary))?.rotary?.options.scaling;
  const { type, factor } = /** @type {{type?: string, factor?: number}} */ (scaled ?? {});
  const times = factor ? ` \u00d7${Number(factor.toPrecision(3))}` : "";
  const to = length && length > trained ? ` to ${count(length)}` : "";
  return [
    length === undefined && !type ? "RoPE" : `${count(trained)} tokens`,
    ...(type ? [type + times + to] : []),
    ...(still > 0 ? [`NoPE in ${still} of ${layers(attending)} layers`] : []),
  ].join(", ");
}
