/** @import { Surface } from "./figure.js" */
import { describe } from "../runtime/check.js";
import { texts } from "./data.js";
import { flow, LINE } from "./labels.js";
import { inks, piece, text } from "./pieces.js";

/** Strokes that distinguish categories, and the key that names them. */

/** A color of CSS as far as its form goes; it names no address. */
const COLOR = /^(?:#[\da-f]{3,8}|[a-z]+|(?!url)[a-z]+\([\w\s.,%/+-]+\))$/i;

/** Lengths of strokes and gaps, px. */
const DASHES = ["none", "6 2", "2 2", "8 2 2 2", "12 3", "4 2", "10 2 2 2 2 2", "1 3"];

/** The width of the line before a name and of the space after it, px. */
export const SIGN = 24;

/** The space above the key, px. The title of the axis is below it, at the axis. */
const TOP = 2;

/** The maximal number of names; the others are counted. */
const NAMED = 12;

/**
 * The stroke of a category. A single category has the accent color; several have different colors and dashes. When
 * the colors repeat, the dashes are shifted by one.
 * @param {number} i @param {number} count @param {Surface} surface
 * @param {readonly string[]} [given]  the color of each
 */
export function category(i, count, surface, given) {
  const { accent, categories } = inks(surface);
  const stroke = given && (surface.computed?.(given[i]) ?? given[i]);
  if (count === 1) return { stroke: stroke ?? accent, strokeDasharray: "none" };
  const round = Math.floor(i / categories.length);
  return {
    stroke: stroke ?? categories[i % categories.length],
    strokeDasharray: DASHES[(i + round) % DASHES.length],
  };
}

/** Reads the option `colors`: a color of CSS for each of several things. @param {unknown} colors @param {number} count */
export function readColors(colors, count) {
  const read = texts(colors, "colors", count);
  read?.forEach((color, i) => {
    if (COLOR.test(color)) return;
    throw new RangeError(
      `colors[${i}] must be a color, such as "#0b6b66", "teal" or "var(--accent)"; got ${describe(color)}`,
    );
  });
  return read;
}

/**
 * Lays out names in rows above a picture.
 * @param {readonly string[]} names  fitted @param {number} width  px
 */
export function keyOf(names, width) {
  const listed = names.slice(0, NAMED);
  if (names.length > NAMED) listed.push(`and ${names.length - NAMED} more`);
  const places = flow(listed, width, SIGN);
  const rows = (places.at(-1)?.row ?? -1) + 1;
  return { names: listed, places, height: rows > 0 ? rows * LINE + 8 : 0 };
}

/**
 * Draws the names, each after a sample of its line.
 * @param {ReturnType<typeof keyOf>} key @param {readonly ReturnType<typeof category>[]} styles
 * @param {Surface} surface
 */
export function drawKey({ names, places }, styles, surface) {
  return names.flatMap((name, i) => {
    const { x, row } = places[i];
    const y = TOP + (row + 0.5) * LINE;
    if (i === NAMED) return [text(surface, name, x, y)];
    const { stroke, strokeDasharray } = styles[i];
    const ends = { x1: x, x2: x + SIGN - 5, y1: y, y2: y };
    const look = { stroke, "stroke-width": 2, "stroke-dasharray": strokeDasharray };
    return [piece(surface, "line", { ...ends, ...look }), text(surface, name, x + SIGN, y)];
  });
}
