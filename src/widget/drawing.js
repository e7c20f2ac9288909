/**
 * The kinds of figures that the widget has, and its picture as text where no page is: a kernel of Python draws it.
 */
import { bias } from "../plots/bias.js";
import { clock } from "../plots/clock.js";
import { draws } from "../plots/figure.js";
import { heatmap } from "../plots/heatmap.js";
import { scatter } from "../plots/scatter.js";

/** @import { Kind } from "../plots/figure.js" */
/** @import { FigureKind, Picture } from "./schemes.js" */

/** Kinds of figures that need no plotting library. @type {Record<FigureKind, Kind<any, any, any, any, any>>} */
export const KINDS = { bias, clock, heatmap, scatter };

/**
 * The picture as SVG.
 * @param {Picture} picture @param {unknown} theme  "auto", "light" or "dark"
 * @returns {string}
 */
export function svgOf({ kind, value, options }, theme) {
  const draw = draws(KINDS[kind], { Plot: undefined, document: undefined });
  return /** @type {string} */ (draw(value, { ...options, theme, as: "svg" }));
}
