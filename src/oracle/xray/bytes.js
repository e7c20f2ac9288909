/** The bytes of caches and tables. */

/** @import { Model } from "../../models/index.js" */
/** @import { Kind } from "./kinds.js" */
import { models } from "../../models/index.js";

/**
 * What a text of the asked length takes.
 * @typedef {object} Cost
 * @property {number | null} cache  bytes of keys and values in bfloat16, of all layers; null: not known
 * @property {number | null} cachePerToken  bytes of a token in all layers that keep it: a window drops it later
 * @property {number} tables  bytes of cosines and sines in float32, one table for all layers that rotate alike
 * @property {number} tablesPerToken  the same by the length
 * @property {readonly {kind: string, layers: number, bytes: number | null, latent: boolean}[]} parts  of the cache
 */

const BFLOAT16 = 2;
const FLOAT32 = 4;

/** @param {Model} model @param {readonly Kind[]} kinds @param {number} length @returns {Cost} */
export function costOf({ cache: groups = [] }, kinds, length) {
  const parts = groups.map(({ kind, layers, numbers, window, latent = false }) => {
    const isKnown = numbers !== undefined && (window !== null || numbers === 0);
    const each = isKnown ? layers * numbers * BFLOAT16 : NaN;
    const bytes = isKnown ? each * Math.min(length, window ?? length) : null;
    return { kind, layers, bytes, latent, each };
  });
  const isKnown = parts.length > 0 && parts.every(({ bytes }) => bytes !== null);
  const sum = (/** @type {(of: typeof parts[number]) => number} */ of) =>
    isKnown ? parts.reduce((all, part) => all + of(part), 0) : null;
  const rotations = new Map(
    kinds.flatMap(({ rotary }) =>
      rotary ? [[JSON.stringify([rotary.dim, rotary.options]), rotary.dim]] : [],
    ),
  );
  const numbers = [...rotations.values()].map(
    (rotaryDim) => models.cost("rope", { length, rotaryDim, headDim: rotaryDim }).table,
  );
  const tables = FLOAT32 * numbers.reduce((sum, table) => sum + table, 0);
  return {
    cache: sum(({ bytes }) => Number(bytes)),
    cachePerToken: sum(({ each }) => each),
    tables,
    tablesPerToken: tables / length,
    parts: parts.map(({ each: _, ...part }) => part),
  };
}
