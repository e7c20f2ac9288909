/** @import { Picture } from "./schemes/scheme.js" */
import { exportsOf } from "../app/exports.js";
import { inColors } from "../app/meanings.js";

/** @typedef {import("phasor/plots").Figure} Figure */

/**
 * A place for pictures. Pictures of the same kind share a figure.
 *
 * @param {HTMLElement} place
 * @param {ReturnType<typeof import("phasor/plots").figures>} plots
 * @param {object} options
 * @param {string} options.name  of its files
 * @param {(picture: Picture) => number} options.height  of a picture, px
 * @param {(cell: number[] | null) => void} options.onpoint
 * @param {(cell: number[] | null) => void} options.onpin  called when the reader clicks or presses Enter
 */
export function stage(place, plots, { name, height, onpoint, onpin }) {
  /** @type {Figure | undefined} */
  let figure;
  /** @type {Picture | undefined} */
  let shown;
  /** @type {number | undefined} */
  let tall;

  /** @param {Event} event */
  const pin = ({ target }) => {
    const inPicture = /** @type {Element} */ (target).closest(".phasor-picture") !== null;
    if (inPicture && figure && shown) onpin(cellOf(shown, figure.value));
  };
  place.addEventListener("click", pin);
  place.addEventListener("keydown", (event) => {
    if (event.key === "Enter") pin(event);
  });

  return {
    /** @param {Picture} picture */
    show(picture) {
      const asked = height(picture);
      if (picture === shown && asked === tall) return;
      tall = asked;
      const options = { ...colored(picture), height: tall, reading: false };
      if (figure && shown?.kind === picture.kind) {
        shown = picture;
        figure.update(picture.given, options);
        return;
      }
      shown = picture;
      const draw = /** @type {(data: any, options: any) => Figure} */ (plots[picture.kind]);
      const made = draw(picture.given, options);
      figure = made;
      made.addEventListener("input", (event) => {
        if (event.target === made && shown) onpoint(cellOf(shown, made.value));
      });
      const tensor = () => /** @type {any} */ (shown).data;
      made.append(exportsOf(made, { name, tensor }));
      place.replaceChildren(made);
    },

    /** Mark a cell, as `cellOf` names it. @param {number[] | null} cell */
    mark(cell) {
      if (figure && shown) figure.value = cell && valueOf(shown, cell);
    },

    clear() {
      figure = shown = undefined;
      place.replaceChildren();
    },
  };
}

/**
 * A picture's options with the colors of its series: they are about positions. What is unscaled is what the scaled is
 * compared with.
 * @param {Picture} picture
 */
function colored({ kind, given, options }) {
  const isCompared = Array.isArray(given) && given[0]?.label === "unscaled";
  const means = isCompared ? ["quiet", "position"] : [];
  return inColors({ kind, data: given, options: { ...options, means } }, "position");
}

/**
 * The cell that the reader points at, as numbers for the URL: [row, column], [row, line], [index].
 * @param {Picture} picture @param {any} value
 * @returns {number[] | null}
 */
function cellOf({ kind, data, options }, value) {
  if (value === null) return null;
  switch (kind) {
    case "waves": {
      const row = options.x ? options.x.indexOf(value.x) : value.x;
      return [row, value.line];
    }
    case "spectrum": {
      // Of several series the pair is the one with the frequency.
      const found = data.data.indexOf(/** @type {never} */ (value.frequency));
      return [found < 0 ? value.index : found];
    }
    case "clock":
      return [value.index];
    default:
      return [value.row, value.column];
  }
}

/** @param {Picture} picture @param {number[]} cell */
function valueOf({ kind, data, given, options }, [row, column = 0]) {
  switch (kind) {
    case "waves":
      return { x: options.x ? options.x[row] : row, line: column };
    case "spectrum":
      return seriesOf(given, Number(data.data[row]), row);
    case "clock":
      return { index: row };
    default:
      return { row, column };
  }
}

/** The index of a pair among series. @param {any} given @param {number} frequency @param {number} row */
function seriesOf(given, frequency, row) {
  if (!Array.isArray(given)) return { index: row, series: 0 };
  const series = given.findLastIndex(({ frequencies }) =>
    [...data(frequencies)].includes(frequency),
  );
  const of = given[Math.max(series, 0)].frequencies;
  return { index: Math.max(0, [...data(of)].indexOf(frequency)), series: Math.max(series, 0) };
}

/** @param {any} numbers @returns {ArrayLike<number> & Iterable<number>} */
const data = (numbers) => numbers.data ?? numbers;

/**
 * The cells of a picture's data that belong to the cell pointed at: one for each head, or for cosine and sine.
 * @param {Picture} picture @param {number[] | null} cell
 * @returns {number[][]} none where the picture has no such cell
 */
export function cellsOf({ kind, data, options }, cell) {
  if (!cell) return [];
  const cells =
    kind === "bias"
      ? options.heads.map((/** @type {number} */ head) => [head, ...cell])
      : kind === "clock"
        ? [0, 1].map((component) => [...cell, component])
        : [cell];
  const isThere = (/** @type {number[]} */ at) =>
    at.length === data.shape.length && at.every((i, axis) => i < data.shape[axis]);
  return cells.every(isThere) ? cells : [];
}
