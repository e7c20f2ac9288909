/** @import { Tensor } from "phasor" */
/** @import { Settings } from "./settings.js" */
/** @import { Reading, Token } from "./readings.js" */
import { make } from "../app/dom.js";
import { datum, digits } from "../app/numbers.js";

/** How the two columns of a pair i lie in a row. */
const COLUMNS = Object.freeze({
  interleaved: { sin: "2i", cos: "2i + 1" },
  halves: { sin: "i", cos: "i + D/2" },
  flipped: { cos: "i", sin: "i + D/2" },
});

/**
 * The formula of the position table, a line for the sines and one for the cosines.
 *
 * @param {Pick<Settings, "layout" | "base">} settings
 * @returns {HTMLElement[]}
 */
export function formula({ layout, base }) {
  return Object.entries(COLUMNS[layout]).map(([wave, column]) =>
    make(
      "span",
      { class: "line" },
      make("span", { class: "left" }, `PE[p, ${column}]`),
      ` = ${wave}(p / ${base}`,
      make("sup", {}, "2i/D"),
      ")",
    ),
  );
}

/**
 * Which wave a column of the position table holds.
 *
 * @param {Settings["layout"]} layout
 * @param {number} column
 * @param {number} dim  D, even
 * @returns {{wave: "sin" | "cos", pair: number}} pair i rotates by base^(-2i/D) a position
 */
export function waveOf(layout, column, dim) {
  if (layout === "interleaved") {
    return { wave: column % 2 === 0 ? "sin" : "cos", pair: Math.floor(column / 2) };
  }
  const pairs = dim / 2;
  const inFirstHalf = column < pairs;
  return { wave: inFirstHalf === (layout === "halves") ? "sin" : "cos", pair: column % pairs };
}

/** The figures of the page. @typedef {"vectors" | "positions" | "segments" | "sum" | "normalized" | "projected"} Shown */

/**
 * The arithmetic of a cell in every figure.
 *
 * @param {Reading} reading @param {readonly Token[]} taken  its tokens that take part
 * @param {Settings} settings
 * @param {number} row @param {number} column
 * @returns {Partial<Record<Shown, (Node | string)[]>>} of the steps that there are
 */
export function arithmetic({ stages }, taken, settings, row, column) {
  const { words, scaled, positions, segments, sum, normalized, projected } = stages;
  const [T, D] = words.shape;
  if (row >= T) return {};
  const { id, own, label } = taken[row];
  const value = (/** @type {Tensor} */ tensor) => Number(tensor.at(row, column));
  const here = `${label}, dimension ${column}`;
  const table = own
    ? `table[${id}, ${column}]`
    : id === null
      ? "no row"
      : `table[[UNK], ${column}]`;
  const addends = [scaled ?? words, segments, positions].filter((part) => part !== undefined);
  const isLearned = ["minilm", "model"].includes(settings.tokenizer);
  /** @type {Record<Shown, {of: Tensor | undefined, at?: string, from: () => (Node | string)[]}>} */
  const parts = {
    vectors: {
      of: scaled ?? words,
      from: () => [scaled ? `${digits(value(words))} × √${D}` : table],
    },
    positions: {
      of: positions,
      at: `position ${row}, dimension ${column}`,
      from: () => [
        isLearned ? `positions[${row}, ${column}]` : positionTerm(settings, row, column, D),
      ],
    },
    segments: {
      of: segments,
      at: `segment 0, dimension ${column}`,
      from: () => [`segments[0, ${column}]`],
    },
    sum: { of: sum, from: () => [addends.map((part) => digits(value(part))).join(" + ")] },
    normalized: {
      of: normalized,
      from: () => [`${standardized(sum ?? scaled ?? words, row, column)} × weight + bias`],
    },
    projected: { of: projected, from: () => [`the linear layer of these vectors`] },
  };
  return Object.fromEntries(
    Object.entries(parts).flatMap(([name, { of, at = here, from }]) => {
      if (!of || column >= of.shape[1]) return [];
      const where = make("span", { class: "where" }, at);
      return [[name, [where, ...from(), " = ", datum(value(of))]]];
    }),
  );
}

/** (x - mean) / deviation of a row. @param {Tensor} tensor @param {number} row @param {number} column */
function standardized(tensor, row, column) {
  const data = /** @type {Float32Array} */ (tensor.row(row).data);
  const mean = data.reduce((sum, x) => sum + x, 0) / data.length;
  const variance = data.reduce((sum, x) => sum + (x - mean) ** 2, 0) / data.length;
  const [m, s] = [mean, Math.sqrt(variance)].map((x) =>
    digits(Math.fround(Number(x.toPrecision(3)))),
  );
  return `(${digits(data[column])} − ${m}) / ${s}`;
}

/**
 * A position's number with the formula filled in: sin(3 / 10000^(2*1/64)).
 *
 * @param {Pick<Settings, "layout" | "base">} settings
 * @param {number} position @param {number} column @param {number} dim
 */
function positionTerm({ layout, base }, position, column, dim) {
  const { wave, pair } = waveOf(layout, column, dim);
  const power = make("sup", {}, `2·${pair}/${dim}`);
  return make("span", { class: "term" }, `${wave}(${position} / ${base}`, power, ")");
}
