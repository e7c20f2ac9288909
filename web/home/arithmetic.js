/** @import { Tensor } from "phasor" */
/** @import { Settings } from "./settings.js" */
/** @import { Stages } from "./stages.js" */
/** @import { Story } from "./story.js" */
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
 * @returns {{wave: "sin" | "cos", pair: number}} pair i turns by base^(-2i/D) a position
 */
export function waveOf(layout, column, dim) {
  if (layout === "interleaved") {
    return { wave: column % 2 === 0 ? "sin" : "cos", pair: Math.floor(column / 2) };
  }
  const pairs = dim / 2;
  const inFirstHalf = column < pairs;
  return { wave: inFirstHalf === (layout === "halves") ? "sin" : "cos", pair: column % pairs };
}

/**
 * The arithmetic of a cell in every stage.
 *
 * @param {Story} story
 * @param {number} row @param {number} column  a cell of the position table
 * @returns {Record<keyof Stages, (Node | string)[]>}
 */
export function arithmetic({ settings, ids, labels, stages }, row, column) {
  const [T, D] = stages.sum.shape;
  const value = (/** @type {Tensor} */ tensor) => Number(tensor.at(row, column));
  const wave = () => positionTerm(settings, row, column, D);
  const positions = [
    where(`position ${row}, dimension ${column}`),
    wave(),
    " = ",
    datum(value(stages.positions)),
  ];
  if (row >= T) {
    const why = T === 0 ? "There is no token." : `Position ${row} is beyond the sentence.`;
    return { vectors: [why], scaled: [why], positions, sum: [why] };
  }
  const here = `${labels[row]}, dimension ${column}`;
  const scaled = `${digits(value(stages.vectors))} × √${D}`;
  const terms = `${digits(value(stages.scaled))} + ${digits(value(stages.positions))}`;
  return {
    vectors: [where(here), `table[${ids[row]}, ${column}] = `, datum(value(stages.vectors))],
    scaled: [where(here), `${scaled} = `, datum(value(stages.scaled))],
    positions,
    sum: [where(here), `${scaled} + `, wave(), ` = ${terms} = `, datum(value(stages.sum))],
  };
}

/** @param {string} text  which cell it is */
function where(text) {
  return make("span", { class: "where" }, text);
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
