/**
 * The kinds of figures that the widget has, and its picture as text where no page is: a kernel of Python draws it.
 */
import { bias } from "../plots/bias.js";
import { clock } from "../plots/clock.js";
import { draws } from "../plots/figure.js";
import { heatmap } from "../plots/heatmap.js";
import { scatter } from "../plots/scatter.js";
import { withoutFunction } from "../runtime/named.js";
import { pictureOf } from "./schemes.js";

/** @import { Phasor } from "../index.js" */
/** @import { Kind } from "../plots/figure.js" */
/** @import { FigureKind, Picture } from "./schemes.js" */

/** Kinds of figures that need no plotting library. @type {Record<FigureKind, Kind<any, any, any, any, any>>} */
export const KINDS = { bias, clock, heatmap, scatter };

/**
 * The picture as SVG.
 * @param {Picture} picture @param {unknown} theme  "auto", "light" or "dark"
 * @returns {string}
 */
function svgOf({ kind, value, options }, theme) {
  const draw = draws(KINDS[kind], { Plot: undefined, document: undefined });
  return /** @type {string} */ (draw(value, { ...options, theme, as: "svg" }));
}

/**
 * The numbers of a widget and its picture, for a kernel of Python.
 * @param {Phasor} phasor @param {any} traits
 * @throws {RangeError} for wrong traits, without the name of a function: the user called none
 */
export function drawn(phasor, { theme, data, options = {}, ...state }) {
  try {
    const given = Object.entries(options).map(([name, value]) => [name, withBytes(value)]);
    const traits = { ...state, data: withBytes(data), options: Object.fromEntries(given) };
    const picture = pictureOf(phasor, /** @type {any} */ (traits));
    const { data: found, shape, dtype } = picture.value;
    const bytes = new Uint8Array(found.buffer, found.byteOffset, found.byteLength);
    return { data: bytes, shape: [...shape], dtype, svg: svgOf(picture, theme) };
  } catch (error) {
    throw new RangeError(withoutFunction(/** @type {Error} */ (error).message), { cause: error });
  }
}

/** An array as a page gets it: its bytes, and the dtype that they have. @param {any} value */
function withBytes(value) {
  if (!(value?.data instanceof Uint8Array) || value.dtype === undefined) return value;
  const { buffer, byteOffset, byteLength } = value.data;
  return { ...value, data: new DataView(buffer, byteOffset, byteLength) };
}
