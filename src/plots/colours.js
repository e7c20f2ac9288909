import { interpolateCividis, interpolateRdBu } from "d3-scale-chromatic";

/** @typedef {"light" | "dark"} Theme */

/**
 * What a theme paints with. Where the page has a say (text, lines, ground) elements take its custom
 * properties instead; strings and canvases take these.
 *
 * @typedef {object} Colours
 * @property {string} paper
 * @property {string} ink
 * @property {string} quiet  axis labels
 * @property {string} line  rules and ticks
 * @property {string} accent
 * @property {Uint8Array} diverging  [256 * 4] bytes R, G, B, A: LEVELS colours, then MISSING
 * @property {Uint8Array} sequential  the same
 * @property {readonly string[]} categories  8, told apart in every common colour vision, each with a
 *   contrast of 3 and more to the ground
 */

/** How many colours a scale has; odd, so that zero has one of its own. */
export const LEVELS = 255;

/** The index of the colour for what is no finite number. */
export const MISSING = 255;

/** @param {(t: number) => string} scale  `rgb(r, g, b)` for t from 0 to 1 @param {number[]} missing */
function rampOf(scale, missing) {
  const bytes = new Uint8Array((LEVELS + 1) * 4);
  for (let i = 0; i < LEVELS; ++i) bytes.set([...channels(scale(i / (LEVELS - 1))), 255], i * 4);
  bytes.set([...missing, 255], MISSING * 4);
  return bytes;
}

/**
 * RdBu with its lightness turned round: hue and chroma stay when one number is added to all three
 * channels. Without the outermost tenths, which would turn into pale pink and pale blue, too much
 * alike for some eyes.
 * @param {number} t
 */
function interpolateDark(t) {
  const rgb = channels(interpolateRdBu(0.1 + 0.8 * t));
  const turn = 255 - Math.max(...rgb) - Math.min(...rgb);
  return `rgb(${rgb.map((channel) => channel + turn).join(", ")})`;
}

/** @param {string} colour */
function channels(colour) {
  return (colour.match(/\d+/g) ?? []).map(Number);
}

/** Greys that stand for no number: neither scale has them. */
const GREY = { light: [186, 188, 186], dark: [82, 86, 90] };

/**
 * The colours of a theme. Blue is positive, red negative, and zero has the paper's lightness: white,
 * or black on a dark page.
 * @type {(theme: Theme) => Colours}
 */
export function colours(theme) {
  return (made[theme] ??= makers[theme]());
}

/** Made when first asked for: importing costs nothing. @type {Partial<Record<Theme, Colours>>} */
const made = {};

const makers = {
  light: () => ({
    paper: "#ffffff",
    ink: "#1d2227",
    quiet: "#57616a",
    line: "#dcdfdc",
    accent: "#1a5fa8",
    diverging: rampOf(interpolateRdBu, GREY.light),
    sequential: rampOf(interpolateCividis, GREY.light),
    categories: [
      "#0072b2",
      "#d55e00",
      "#007a5a",
      "#a3408e",
      "#7d6500",
      "#3d4852",
      "#2c93c9",
      "#c0392b",
    ],
  }),
  dark: () => ({
    paper: "#111418",
    ink: "#e3e7ea",
    quiet: "#9ba6b0",
    line: "#2d343b",
    accent: "#8cbcf2",
    diverging: rampOf(interpolateDark, GREY.dark),
    sequential: rampOf(interpolateCividis, GREY.dark),
    categories: [
      "#56a8e0",
      "#e69f00",
      "#2fb58c",
      "#d58cc2",
      "#d9cf4a",
      "#c3ccd4",
      "#3f7fd0",
      "#f0705a",
    ],
  }),
};

/**
 * Which colour a value has: `round((value - low) / (high - low) * 254)`, at the ends what is beyond
 * them, and MISSING what is no finite number. Where low = high, the middle.
 *
 * @param {number} value @param {number} scale @param {number} shift
 */
function level(value, scale, shift) {
  const at = value * scale + shift;
  if (at >= 0 && at < LEVELS) return at | 0;
  return value - value !== 0 ? MISSING : at < 0 ? 0 : LEVELS - 1;
}

/** @param {number} low @param {number} high */
function line(low, high) {
  const scale = high > low ? (LEVELS - 1) / (high - low) : 0;
  return { scale, shift: 0.5 + (high > low ? -low * scale : (LEVELS - 1) / 2) };
}

/**
 * Values as pixels of ImageData.
 * @param {ArrayLike<number>} values @param {number} low @param {number} high
 * @param {Uint8Array} ramp
 * @param {Uint32Array} pixels  as many as values; filled
 */
export function paint(values, low, high, ramp, pixels) {
  const colour = new Uint32Array(ramp.buffer); // whole pixels in the machine's own byte order
  const { scale, shift } = line(low, high);
  for (let i = 0; i < values.length; ++i) pixels[i] = colour[level(values[i], scale, shift)];
}

/**
 * Values as indices of a PNG with the ramp as its palette.
 * @param {ArrayLike<number>} values @param {number} low @param {number} high
 * @returns {Uint8Array} as many as values
 */
export function indices(values, low, high) {
  const { scale, shift } = line(low, high);
  const found = new Uint8Array(values.length);
  for (let i = 0; i < values.length; ++i) found[i] = level(values[i], scale, shift);
  return found;
}
