/** An answer as a sentence. */

import { number } from "../words.js";
import { further } from "./later.js";

/** @import { Rotation } from "./identify.js" */

/** @param {Omit<Rotation, "alsoEqual" | "sentence" | "decidedBy"> & {alsoEqual?: unknown[]}} of */
export function sentenceOf(of) {
  const { rule, offset } = of.positions;
  const isDown = of.sign === -1 && rule === "consecutive" && offset < 0; // as rows of positions that fall
  const parts = [
    `RoPE, ${layoutWords(of)}`,
    frequencyWords(of),
    scalingWords(of.scaling),
    of.list || of.exchanged ? further().exchangedWords(of) : "",
    factorWords(of),
    isDown ? `positions from ${number(-offset)} down` : positionWords(of),
    of.sign === -1 && !isDown && !of.isMinusLost ? "angles with a minus" : "",
    of.swapped ? "cosines and sines swapped" : "",
    of.isMinusLost || of.isOverwritten ? further().slipWords(of) : "",
    of.rounding ? `${of.rounding.of} in ${of.rounding.format}` : "",
    of.headsAfter ? "heads after positions" : "",
  ];
  return parts.filter((part) => part !== "").join(", ");
}

/** @param {Pick<Rotation, "layout" | "output" | "table" | "dim" | "start">} of */
function layoutWords({ layout, output, table, dim, start }) {
  const pairs =
    layout === null ? `${dim / 2} pairs, layout not shown` : `${layout}, ${dim} columns`;
  const from = start > 0 ? ` from column ${start}` : "";
  const written = output ? `, output in ${output}` : "";
  return `${pairs}${from}${written}${table ? `, by a table of ${table}` : ""}`;
}

/** @param {Pick<Rotation, "form" | "base" | "unit" | "width" | "frequencies">} of */
function frequencyWords({ form, base, unit, width, frequencies: { fitted } }) {
  if (base === null && fitted[0] === fitted[fitted.length - 1])
    return `one frequency of all pairs, ${number(fitted[0])}`;
  if (base === null)
    return `${form} frequencies from ${number(fitted[0])} to ${number(fitted[fitted.length - 1])}`;
  const exponents = form === "base^(-2i/D)" ? "" : ` by ${form}`;
  const ofWidth = width ? ` with D = ${width} in exponents` : "";
  const times = { twice: "doubled", thrice: "tripled", degrees: "taken for degrees", turns: "taken for turns" }; // prettier-ignore
  const angles = unit ? `, angles ${times[unit]}` : "";
  return `base ${number(base)}${exponents}${ofWidth}${angles}`;
}

/** @param {Rotation["scaling"]} scaling */
function scalingWords(scaling) {
  if (scaling === null) return "no scaling";
  const { type, ...options } = scaling;
  const list = Object.entries(options).map(([name, value]) =>
    Array.isArray(value)
      ? `${name} of ${value.length} pairs`
      : `${name} ${typeof value === "number" ? number(value) : value}`,
  );
  return `${type} (${list.join(", ")})`;
}

/** @param {Pick<Rotation, "attentionFactor" | "ownFactor" | "scaling">} of */
function factorWords({ attentionFactor, ownFactor, scaling }) {
  const is = (/** @type {number} */ factor) => Math.abs(attentionFactor / factor - 1) < 1e-3;
  const why = scaling?.type === "yarn" ? ", as mscale = mscale_all_dim leaves it out" : "";
  if (ownFactor !== 1 && is(1)) return `without its attention factor ${number(ownFactor)}${why}`;
  if (is(1) && attentionFactor === 1) return "";
  const own = ownFactor === 1 || is(ownFactor) ? "" : `, not ${number(ownFactor)}`;
  const square = own && is(ownFactor * ownFactor) ? ": applied twice" : "";
  return `attention factor ${number(attentionFactor)}${own}${square}`;
}

/** @param {Pick<Rotation, "positions">} of */
export function positionWords({ positions }) {
  const { rule, offset } = positions;
  const from = offset === 0 ? "" : `positions from ${number(offset)}`;
  return rule === "consecutive" ? from : further().ruleWords(positions, from);
}
