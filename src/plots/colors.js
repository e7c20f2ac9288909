/** @typedef {"light" | "dark"} Theme */

/** The scales of cells: to both sides of zero, or from the lowest value to the highest. */
export const SCALES = /** @type {const} */ (["diverging", "sequential", "blue"]);
/** @typedef {(typeof SCALES)[number]} ScaleName */

/**
 * The colors of a theme. Strings and canvases use them. The text, lines and background of elements use the custom
 * properties of the page instead.
 *
 * @typedef {object} Colors
 * @property {string} paper
 * @property {string} ink
 * @property {string} quiet  axis labels
 * @property {string} line  rules and ticks
 * @property {string} accent
 * @property {Uint8Array} diverging  [256 * 4] bytes R, G, B, A: LEVELS colors, then MISSING
 * @property {Uint8Array} sequential  the same
 * @property {Uint8Array} blue  the same
 * @property {readonly string[]} categories  8, which every common color vision
 *   distinguishes, each with a contrast of at least 3 to the background
 */

/** The number of colors of a scale; odd, so that zero has a separate color. */
export const LEVELS = 255;

/** The index of the color of NaN and infinities. */
export const MISSING = 255;

/** R, G and B, 0 to 255, for t from 0 to 1. @typedef {(t: number) => number[]} Scale */

/** @param {Scale} scale @param {number[]} missing */
function rampOf(scale, missing) {
  const bytes = new Uint8Array((LEVELS + 1) * 4);
  for (let i = 0; i < LEVELS; ++i) bytes.set([...scale(i / (LEVELS - 1)), 255], i * 4);
  bytes.set([...missing, 255], MISSING * 4);
  return bytes;
}

/**
 * Eleven colors from vermilion over the paper to teal: hues 38° and 195° of OKLCH, whose lightness falls from white
 * to both ends alike. Every common color vision distinguishes the two sides.
 */
const VERMILION_TEAL = [
  0x7e2401, 0xb33a0a, 0xdd6139, 0xf19b81, 0xfad5c9, 0xffffff, 0xb8e9e8, 0x5bc8c8, 0x19a0a0,
  0x047879, 0x015353,
];

/** The same hues, whose lightness rises from the paper of a dark page. */
const VERMILION_TEAL_DARK = [
  0xfbc2b0, 0xf58967, 0xd0603d, 0x8f3f26, 0x4d271b, 0x12161a, 0x113a3a, 0x096868, 0x1d9999,
  0x25c2c2, 0x7ae6e5,
];

/** From the paper of a light page, and of a dark one, to a blue whose lightness is the farthest from it. */
const BLUE = [0xffffff, 0xdfe8f6, 0xb7cbe9, 0x89a9d8, 0x5f86c0, 0x3c5f9e, 0x24406f];
const BLUE_DARK = [0x12161a, 0x1b2a40, 0x274369, 0x365f95, 0x4f80bd, 0x8cb4ea, 0xc9def9];

/**
 * A line through equally distant colors.
 * @param {readonly number[]} colors @returns {Scale}
 */
function through(colors) {
  const last = colors.length - 1;
  return (t) => {
    const i = Math.min(last - 1, Math.floor(t * last));
    const u = t * last - i;
    return [16, 8, 0].map((shift) => {
      const at = (/** @type {number} */ k) => (colors[k] >> shift) & 255;
      return byte((1 - u) * at(i) + u * at(i + 1));
    });
  };
}

/** Coefficients of d3-scale-chromatic, constant first. */
const CIVIDIS = [
  [-4.54, -35.34, 2381.73, -6402.7, 7024.72, -2710.57],
  [32.49, 170.73, 52.82, -131.46, 176.58, -67.37],
  [81.24, 442.36, -2482.43, 6167.24, -6614.94, 2475.67],
];

/** From dark blue over gray to yellow (Nuñez et al. 2018), as polynomials. @type {Scale} */
function cividis(t) {
  return CIVIDIS.map((terms) => byte(terms.reduceRight((sum, term) => sum * t + term, 0)));
}

/** @param {number} x */
function byte(x) {
  return Math.max(0, Math.min(255, Math.round(x)));
}

/** Grays of missing values. Neither scale contains them. */
const GRAY = { light: [186, 188, 186], dark: [82, 86, 90] };

/**
 * The colors of a theme. Teal is positive, vermilion negative, and zero is the paper.
 * @type {(theme: Theme) => Colors}
 */
export function colors(theme) {
  return (made[theme] ??= makers[theme]());
}

/** Made when first asked for: importing costs nothing. @type {Partial<Record<Theme, Colors>>} */
const made = {};

const makers = {
  light: () => ({
    paper: "#ffffff",
    ink: "#1d2227",
    quiet: "#57616a",
    line: "#dcdfdc",
    accent: "#0b6b66",
    diverging: rampOf(through(VERMILION_TEAL), GRAY.light),
    sequential: rampOf(cividis, GRAY.light),
    blue: rampOf(through(BLUE), GRAY.light),
    categories: [
      "#0072b2",
      "#d55e00",
      "#024f35",
      "#b23e7b",
      "#5a4611",
      "#383e4c",
      "#00a0af",
      "#f14847",
    ],
  }),
  dark: () => ({
    paper: "#12161a",
    ink: "#e3e7ea",
    quiet: "#9ba6b0",
    line: "#2d343b",
    accent: "#5fd0c5",
    diverging: rampOf(through(VERMILION_TEAL_DARK), GRAY.dark),
    sequential: rampOf(cividis, GRAY.dark),
    blue: rampOf(through(BLUE_DARK), GRAY.dark),
    categories: [
      "#56a8e0",
      "#e69f00",
      "#38e69a",
      "#b597a3",
      "#feca6a",
      "#e5d6d9",
      "#5763e2",
      "#f0705a",
    ],
  }),
};

/**
 * The index of the color of a value: `round((value - low) / (high - low) * 254)`, clamped to the range; MISSING for NaN
 * and infinities; the middle if low = high.
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
  const scale = high > low ? (LEVELS - 1) / 2 / (high / 2 - low / 2) : 0; // their difference may be infinite
  return { scale, shift: 0.5 + (high > low ? -low * scale : (LEVELS - 1) / 2) };
}

/**
 * Values as pixels of ImageData.
 * @param {ArrayLike<number>} values @param {number} low @param {number} high
 * @param {Uint8Array} ramp
 * @param {Uint32Array} pixels  as many as values; filled
 */
export function paint(values, low, high, ramp, pixels) {
  const color = new Uint32Array(ramp.buffer); // whole pixels in the machine's own byte order
  const { scale, shift } = line(low, high);
  for (let i = 0; i < values.length; ++i) pixels[i] = color[level(values[i], scale, shift)];
}

/**
 * Black or white, whichever has the higher contrast to a color of a ramp; it is at least 4.5.
 * @param {Uint8Array} ramp @param {number} index
 */
export function inkOn(ramp, index) {
  const [red, green, blue] = Array.from(ramp.subarray(4 * index, 4 * index + 3), (byte) => {
    const x = byte / 255;
    return x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4;
  });
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  return luminance > 0.179 ? "#000000" : "#ffffff";
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
