/** @typedef {"light" | "dark"} Theme */

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

/** ColorBrewer's RdBu in 11 classes, from red over white to blue (Brewer et al. 2002). */
const RED_BLUE = [
  0x67001f, 0xb2182b, 0xd6604d, 0xf4a582, 0xfddbc7, 0xf7f7f7, 0xd1e5f0, 0x92c5de, 0x4393c3,
  0x2166ac, 0x053061,
];

/**
 * A uniform B-spline through the classes, as in d3-scale-chromatic, whose module also contains 40 other scales.
 * @type {Scale}
 */
function redBlue(t) {
  const last = RED_BLUE.length - 1;
  const i = Math.min(last - 1, Math.floor(t * last));
  const u = t * last - i;
  return [16, 8, 0].map((shift) => {
    const at = (/** @type {number} */ k) => (RED_BLUE[k] >> shift) & 255;
    const [b, c] = [at(i), at(i + 1)];
    const a = i > 0 ? at(i - 1) : 2 * b - c;
    const d = i < last - 1 ? at(i + 2) : 2 * c - b;
    const sum =
      (1 - u) ** 3 * a +
      (4 - 6 * u ** 2 + 3 * u ** 3) * b +
      (1 + 3 * u + 3 * u ** 2 - 3 * u ** 3) * c +
      u ** 3 * d;
    return byte(sum / 6);
  });
}

/**
 * RdBu with its lightness turned round: hue and chroma stay when one number is added to all three
 * channels. Without the outermost tenths, which would turn into pale pink and pale blue, too much
 * alike for some eyes.
 * @type {Scale}
 */
function redBlueDark(t) {
  const rgb = redBlue(0.1 + 0.8 * t);
  const turn = 255 - Math.max(...rgb) - Math.min(...rgb);
  return rgb.map((channel) => channel + turn);
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
 * The colors of a theme. Blue is positive, red negative, and zero has the paper's lightness: white,
 * or black on a dark page.
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
    accent: "#1a5fa8",
    diverging: rampOf(redBlue, GRAY.light),
    sequential: rampOf(cividis, GRAY.light),
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
    paper: "#111418",
    ink: "#e3e7ea",
    quiet: "#9ba6b0",
    line: "#2d343b",
    accent: "#8cbcf2",
    diverging: rampOf(redBlueDark, GRAY.dark),
    sequential: rampOf(cividis, GRAY.dark),
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
  const color = new Uint32Array(ramp.buffer); // whole pixels in the machine's own byte order
  const { scale, shift } = line(low, high);
  for (let i = 0; i < values.length; ++i) pixels[i] = color[level(values[i], scale, shift)];
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
