import { interpolateRdBu } from "d3-scale-chromatic";

/** How many colours a table has. */
const COUNT = 256;

/**
 * The 256 colours of a diverging scale, as ImageData keeps a pixel: bytes R, G, B, A. Blue is
 * positive, red negative; both are told apart in every common colour vision. Zero has the paper's
 * lightness: white, or black on a dark page.
 */
export const diverging = { light: table(interpolateRdBu), dark: table(interpolateDark) };

/** @param {(t: number) => string} scale  `rgb(r, g, b)` for t from 0 to 1 */
function table(scale) {
  const bytes = new Uint8Array(COUNT * 4);
  for (let i = 0; i < COUNT; ++i) bytes.set([...channels(scale(i / (COUNT - 1))), 255], i * 4);
  return new Uint32Array(bytes.buffer); // whole pixels in the machine's own byte order
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

/**
 * Colours for values from -limit to limit; zero is in the middle. Beyond, the last colour.
 *
 *     pixel = colours[round((value / limit + 1) / 2 * 255)]
 *
 * @param {ArrayLike<number>} values
 * @param {number} limit  >= 0; at 0 every value is in the middle
 * @param {Uint32Array} colours
 * @param {Uint32Array} pixels  as many as values; filled
 */
export function paint(values, limit, colours, pixels) {
  const middle = (COUNT - 1) / 2;
  const scale = limit > 0 ? middle / limit : 0;
  for (let i = 0; i < values.length; ++i) {
    const at = values[i] * scale + middle + 0.5;
    pixels[i] = colours[at < 0 ? 0 : at >= COUNT ? COUNT - 1 : at | 0];
  }
}
