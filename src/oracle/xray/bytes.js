/** The bytes of caches and tables. */

/** @import { Model } from "../../models/index.js" */
/** @import { Kind } from "./kinds.js" */
import { models } from "../../models/index.js";

/**
 * What a text of the asked length takes.
 * @typedef {object} Cost
 * @property {number | null} cache  bytes of keys and values in bfloat16, of all layers; null: not known
 * @property {number | null} cachePerToken  the same by the length
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
    const bytes = isKnown ? layers * numbers * BFLOAT16 * Math.min(length, window ?? length) : null;
    return { kind, layers, bytes, latent };
  });
  const isKnown = parts.length > 0 && parts.every(({ bytes }) => bytes !== null);
  const cache = isKnown ? parts.reduce((sum, { bytes }) => sum + Number(bytes), 0) : null;
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
    cache,
    cachePerToken: cache === null ? null : cache / length,
    tables,
    tablesPerToken: tables / length,
    parts,
  };
}
