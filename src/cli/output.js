/** Prints reports, progress and errors. */
import { withoutFunction } from "../runtime/named.js";

const number = new Intl.NumberFormat("en-US");

/** 50257 as 50,257. @param {number} value */
export const count = (value) => number.format(value);

/** @param {number} value */
export const fixed = (value) => value.toFixed(3);

/** The ends of a range, with more decimals where they would look alike. @param {number} least @param {number} most */
export function between(least, most) {
  let decimals = 3;
  const off = () =>
    Math.abs(Number(most.toFixed(decimals)) - Number(least.toFixed(decimals)) - (most - least));
  while (decimals < 20 && off() > (most - least) / 10) ++decimals;
  return `${least.toFixed(decimals)} to ${most.toFixed(decimals)}`;
}

/** @param {number} bytes */
export const megabytes = (bytes) => `${(bytes / 1e6).toFixed(2)} MB`;

/** A number with few digits: 0.00012, 6.0e-8, 131,072. @param {number} value */
export function short(value) {
  if (Number.isInteger(value)) return count(value);
  const size = Math.abs(value);
  if (size >= 1e4) return count(Math.round(value));
  return size < 1e-4 ? value.toExponential(1) : String(Number(value.toPrecision(4)));
}

/** A count with its noun: 1 pair, 2 pairs. @param {number} value @param {string} noun */
export const some = (value, noun) => `${count(value)} ${noun}${value === 1 ? "" : "s"}`;

/** The first of some texts. @param {readonly string[]} texts @param {number} [most] */
export function first(texts, most = 8) {
  const shown = texts.slice(0, most).map((text) => JSON.stringify(text));
  return `${shown.join(", ")}${texts.length > most ? ", ..." : ""}`;
}

/**
 * Aligns the cells of rows.
 * @param {readonly (readonly string[])[]} rows @param {string} [indent]
 */
export function columns(rows, indent = "  ") {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => row[i].length)));
  return rows.map((row) =>
    (indent + row.map((cell, i) => cell.padEnd(widths[i])).join("  ")).trimEnd(),
  );
}

/** What is in doubt of a model, below the title of a report. @param {readonly string[]} warnings */
export const doubts = (warnings) => warnings.map((warning) => `  warning: ${warning}`);

/** Sizes of an array: 16 x 64. @param {readonly number[]} shape */
export const sizes = (shape) => shape.map(count).join(" x ") || "one number";

/**
 * Shows how far a command is in one line of a terminal.
 * @param {NodeJS.WriteStream} stream
 */
export function progressOn(stream) {
  let last = 0;
  let isShown = false;
  const say = (/** @type {string} */ line) => {
    const now = Date.now();
    if (!stream.isTTY || now - last < 100) return;
    [last, isShown] = [now, true];
    stream.write(`\r\x1b[K${line}`);
  };
  return {
    say,
    /** Of a read. @param {number} done @param {number} total */
    show(done, total) {
      if (total >= 2 ** 22) say(`reading ${megabytes(done)} of ${megabytes(total)}`);
    },
    clear() {
      if (isShown) stream.write("\r\x1b[K");
    },
  };
}

/** What a terminal obeys instead of showing it: controls, line ends and marks of direction. */
const OBEYED = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** The most characters of a line. A report has a few hundred; a name in a file may have a million. */
const LONGEST = 10_000;

/** A line that is cut where a name is too long to read. @param {string} line */
export function shortened(line) {
  if (line.length <= LONGEST) return line;
  const begin = line.slice(0, LONGEST).replace(/[\ud800-\udbff]$/, ""); // no half of a pair
  return `${begin}... (${some(line.length, "character")})`;
}

/**
 * A line in which such characters are written out: names in files are a stranger's. JSON keeps its value.
 * @param {string} line
 */
export const printable = (line) =>
  line.replace(OBEYED, (it) => `\\u${it.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** The error's message in one line. @param {unknown} error */
export function sentence(error) {
  const message = error instanceof Error ? error.message : String(error);
  const lines = withoutFunction(message).split("\n");
  return lines
    .map((line) => line.trim())
    .filter(Boolean)
    .join(" ");
}
