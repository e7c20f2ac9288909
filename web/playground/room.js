/** @import { Picture } from "./schemes/scheme.js" */

// How tall the pictures are: so that they and the pinned formula fit into the window.

/** Whether the settings are a sheet at the foot of the window, as style.css has it. */
export const isPhone = () => matchMedia("(width < 48rem)").matches;

/** Whether two pictures are side by side. */
const isWide = () => matchMedia("(width >= 80rem)").matches;

/** The heights of the pinned formula with the links below a figure, and of a second formula, px. */
const BELOW = 130;
const MORE = 60;

/** The least and the most of a picture, px. */
const LEAST = 200;
const MOST = 640;

/** The share of a phone's window that the pictures take. */
const SHARE = 0.44;

/** What a figure adds to the height that it is given: title, axis titles, legend, px. */
const AROUND = Object.freeze({ heatmap: 120, waves: 34, spectrum: 34, clock: 34, bias: 80 });

/**
 * A head's picture: its least width with the gap beside it, that gap, its label with the gap below it, and its least
 * height, px.
 */
const HEAD = { width: 148, gap: 16, label: 30, least: 56 };

/**
 * The option `height` of a figure.
 * @param {HTMLElement} place  of the figure
 * @param {Picture} picture
 * @param {number} count  of the pictures
 */
export function heightOf(place, { kind, data, options }, count) {
  const { clientHeight: window } = document.documentElement;
  const { top } = /** @type {HTMLElement} */ (place.parentElement).getBoundingClientRect();
  const all = isPhone() ? window * SHARE : window - (top + scrollY) - BELOW - (count - 1) * MORE;
  const each = Math.min(MOST, Math.max(LEAST, isWide() ? all : all / count)) - AROUND[kind];
  return Math.round(kind === "bias" ? ofHead(place.clientWidth, each, data, options) : each);
}

/**
 * The height of a head's picture: that of square cells where there is room for them.
 * @param {number} width @param {number} height  of all heads @param {Picture["data"]} data @param {Picture["options"]} options
 */
function ofHead(width, height, { shape: [, rows, columns] }, { heads }) {
  const lines = Math.ceil(heads.length / Math.max(1, Math.floor(width / HEAD.width)));
  const across = Math.ceil(heads.length / lines);
  const square = (width / across - HEAD.gap) * (rows / columns);
  return Math.max(HEAD.least, Math.min(square, height / lines - HEAD.label));
}
