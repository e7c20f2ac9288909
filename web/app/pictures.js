/** @import { Picture } from "./lesson.js" */

/**
 * Figures of `phasor/plots` to be, for a lesson's `pictures`: `heatmap(table, { title: "…" })`.
 * The lesson makes them once the figures' code has arrived, and only updates them afterwards.
 *
 * @param {Picture["kind"]} kind
 */
function picture(kind) {
  /** @param {any} data @param {Record<string, any>} [options] @param {Picture["tensor"]} [tensor] @returns {Picture} */
  return (data, options, tensor) => ({ kind, data, options, tensor });
}

export const heatmap = picture("heatmap");
export const bias = picture("bias");
export const waves = picture("waves");
export const spectrum = picture("spectrum");
export const scatter = picture("scatter");
export const clock = picture("clock");
export const bar = picture("bar");
