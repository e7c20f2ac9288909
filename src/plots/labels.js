/** Text in pictures: its width and its placement. Sizes in px. */
import { characters } from "./shortened.js";

/** The font size and the height of a line. */
export const SIZE = 13;
export const LINE = 16;

/**
 * Estimates the width of a text, because Node cannot measure it. Letters of a wide sans serif have 0.6 of the font
 * size on average; Chinese, Japanese and Korean characters and most pictographs have the whole size.
 * @param {string} text
 */
export function advance(text) {
  let width = 0;
  for (const letter of text) {
    width += /** @type {number} */ (letter.codePointAt(0)) < 0x1100 ? 0.6 : 1;
  }
  return width * SIZE;
}

/**
 * As many ticks as have room for their labels, side by side.
 * @template Tick
 * @param {number} length @param {number} step  px
 * @param {(wanted: number) => Tick[]} make @param {(tick: Tick) => string} text
 */
export function sideBySide(length, step, make, text) {
  for (let wanted = length / step; ; wanted *= 0.7) {
    const all = make(wanted);
    const widest = Math.max(...all.map((tick) => advance(text(tick)) + 8));
    if (wanted <= 2 || (all.length - 1) * widest <= length) return all;
  }
}

/** Truncates a text to a width. @param {string} text @param {number} room  px */
export function fitted(text, room) {
  if (advance(text) <= room) return text;
  const letters = characters(text);
  while (letters.length > 1 && advance(`${letters.join("")}…`) > room) letters.pop();
  return `${letters.join("")}…`;
}

/**
 * Moves the heights of labels as little as possible so that they are at least a line apart, between top and bottom.
 * Keeps their order.
 * @param {readonly number[]} heights @param {number} top @param {number} bottom
 * @returns {number[]}
 */
export function spread(heights, top, bottom) {
  const order = heights.map((_, i) => i).sort((a, b) => heights[a] - heights[b]);
  const placed = [...heights];
  let least = top;
  for (const i of order) {
    placed[i] = Math.max(placed[i], least);
    least = placed[i] + LINE;
  }
  let most = bottom;
  for (const i of order.reverse()) {
    placed[i] = Math.min(placed[i], most);
    most = placed[i] - LINE;
  }
  return placed;
}

/**
 * Assigns each span of an axis to the first row in which it touches no other.
 * @param {readonly (readonly [from: number, to: number])[]} spans
 * @returns {number[]}
 */
export function stagger(spans) {
  /** @type {(readonly [number, number])[][]} */
  const rows = [];
  return spans.map(([from, to]) => {
    let row = 0;
    while (rows[row]?.some(([left, right]) => from < right && left < to)) ++row;
    (rows[row] ??= []).push([from, to]);
    return row;
  });
}

/**
 * Lays out names in rows, like words of a paragraph.
 * @param {readonly string[]} names @param {number} width @param {number} mark  the width of the symbol
 *   before each
 * @returns {{x: number, row: number}[]}
 */
export function flow(names, width, mark) {
  let [x, row] = [0, 0];
  return names.map((name) => {
    const room = mark + advance(name);
    if (x > 0 && x + room > width) [x, row] = [0, row + 1];
    const place = { x, row };
    x += room + SIZE;
    return place;
  });
}

/** A title without its unit: "position" of "position (tokens)". @param {string} title */
export const quantity = (title) => title.replace(/ \([^()]*\)$/, "");

/** The unit of a title, as a suffix of numbers: " tokens". @param {string} title */
export function unit(title) {
  const [, found] = / \(([^()]*)\)$/.exec(title) ?? [];
  return found ? ` ${found}` : "";
}
