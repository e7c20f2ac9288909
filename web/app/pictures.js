/** @import { Picture } from "./page.js" */

/**
 * Descriptions of figures of `phasor/plots`, for `pictures`: `heatmap(table, { title: "…" })`.
 * The page draws them when the code of the figures has loaded.
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
