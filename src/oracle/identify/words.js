/** An answer as a sentence. */

/** @import { Rotation } from "./identify.js" */

/** Six digits, without zeros at the end. @param {number} x */
const number = (x) => String(Number(x.toPrecision(6)));

/** @param {Omit<Rotation, "alsoEqual" | "sentence" | "decidedBy"> & {alsoEqual?: unknown[]}} of */
export function sentenceOf(of) {
  const parts = [
    `RoPE, ${layoutWords(of)}`,
    frequencyWords(of),
    scalingWords(of.scaling),
    exchangedWords(of),
    factorWords(of),
    positionWords(of),
    of.sign === -1 && !of.isMinusLost ? "angles with a minus" : "",
    of.swapped ? "cosines and sines swapped" : "",
    slipWords(of),
    of.rounding ? `${of.rounding.of} in ${of.rounding.format}` : "",
    of.headsAfter ? "heads after positions" : "",
  ];
  return parts.filter((part) => part !== "").join(", ");
}

/** @param {Pick<Rotation, "isMinusLost" | "isOverwritten" | "sign">} of */
function slipWords({ isMinusLost, isOverwritten, sign }) {
  if (isOverwritten) return "the second number of a pair is made from the first one's new value";
  if (!isMinusLost) return "";
  return sign === 1
    ? "a minus lost: both numbers of a pair are sums"
    : "a minus too many: both numbers of a pair are differences";
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

/** @param {Pick<Rotation, "list" | "exchanged" | "scaling">} of */
function exchangedWords({ list, exchanged, scaling }) {
  if (list) return `its ${list} factors`;
  if (!exchanged) return "";
  const numbers = scaling?.type === "llama3" ? "its two factors" : "its two betas";
  const order = exchanged === "ends" ? "fast pairs are divided and slow ones kept" : `pairs to keep are tested ${exchanged.slice(5)}`; // prettier-ignore
  return `${numbers} exchanged: ${order}`;
}

/** @param {Pick<Rotation, "attentionFactor" | "ownFactor">} of */
function factorWords({ attentionFactor, ownFactor }) {
  const is = (/** @type {number} */ factor) => Math.abs(attentionFactor / factor - 1) < 1e-3;
  if (ownFactor !== 1 && is(1)) return `without its attention factor ${number(ownFactor)}`;
  if (is(1) && attentionFactor === 1) return "";
  const own = ownFactor === 1 || is(ownFactor) ? "" : `, not ${number(ownFactor)}`;
  const square = own && is(ownFactor * ownFactor) ? ": applied twice" : "";
  return `attention factor ${number(attentionFactor)}${own}${square}`;
}

/** @param {Pick<Rotation, "positions">} of */
export function positionWords({ positions }) {
  const { rule, offset, format, period, last, padding, fill, starts, parts, rows } = positions;
  const from = offset === 0 ? "" : `positions from ${number(offset)}`;
  const rules = {
    consecutive: from,
    rounded: `${from || "positions"} rounded to ${format}`,
    wrapped: `${from || "positions"} modulo ${period}`,
    clipped: `${from || "positions"} up to ${last}`,
    padded: `positions from ${offset} after ${padding} rows of padding at ${fill}`,
    packed: `positions from ${offset} again at row ${starts?.slice(0, 4).join(", ")}`,
    parts: `positions from ${offset}${parts?.map(partWords).join("")}`,
    repeated: `${from || "positions"}, each in ${rows} rows`,
    listed: `positions that follow no rule, from ${offset}`,
  };
  return rules[rule];
}

/** How positions go on in a run of rows. @param {readonly [row: number, position: number, step: number]} part @param {number} index */
function partWords([row, position, step], index) {
  const how = step === 0 ? " without a step" : step === 1 ? "" : ` in steps of ${step}`;
  return index === 0
    ? how
    : `, ${how ? `from row ${row} on ` : `at row ${row} `}at ${position}${how}`;
}
