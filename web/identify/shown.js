// An answer of phasor/oracle on the page, of any kind.

/** @import { Rotation } from "phasor/oracle" */
import { make } from "../app/dom.js";
import { visible } from "../app/models/label.js";
import { brief } from "../app/numbers.js";
import { lineOf, six } from "./lines.js";

/** @typedef {{kind: string, sentence: string, residual: number | null, decidedBy: string[], alsoEqual?: {sentence: string}[], models?: string[], families?: string[], [more: string]: any}} Any */

/** A property of the numbers, and how it was found out. @typedef {readonly [name: string, value: string | Node, how: string]} Property */

/** What a page shows beside the properties. */
const ELSEWHERE =
  /^(kind|sentence|residual|at|decidedBy|alsoEqual|models|families|presets|frequencies|measured|fitted|q|k)$/;

/** Reasons that stand beside a property of a rotation. */
const COMPUTED = /computed again/;
const HIDDEN = /^pairs \d+ to \d+ turn less/;

/** The most names that are listed. */
const MOST = 40;

/** Begins with a capital and ends with a dot. @param {string} text */
export const asSentence = (text) =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;

/** The reason of a kind among those of an answer, as a sentence. @param {Any} answer @param {RegExp} kind */
function reasonOf({ decidedBy }, kind) {
  const found = decidedBy.find((reason) => kind.test(reason));
  return found === undefined ? "" : asSentence(found);
}

/** @param {Any} answer @returns {Property[]} */
function propertiesOf(answer) {
  const { residual, at } = answer;
  const others = Object.entries(answer).filter(
    ([name, value]) => !ELSEWHERE.test(name) && value !== undefined && value !== null,
  );
  const own =
    answer.kind === "rope"
      ? rotationOf(/** @type {any} */ (answer))
      : others.map(([name, value]) => property(visible(name), lineOf(value)));
  if (residual === null) return own;
  const places = Object.entries(at ?? {}).map(([name, place]) =>
    name === "array" ? visible(String(place)) : `${visible(name)} ${lineOf(place)}`,
  );
  const where = places.length > 0 ? `, in ${places.join(", ")}` : "";
  const size = residual === 0 ? "0: every number agrees" : `${brief(residual)}${where}`;
  return [...own, property("Residual", size, reasonOf(answer, COMPUTED))];
}

/** @param {string} name @param {string | Node} value @returns {Property} */
const property = (name, value, how = "") => [name, value, how];

/** @param {Rotation} of @returns {Property[]} */
function rotationOf(of) {
  const { dim, start, attentionFactor, sign, swapped, precision, hidden, headsAfter } = of;
  const all = dim === 2 ? "the pair" : `all ${dim / 2} pairs`;
  const isEven = of.positions.rule === "consecutive";
  const found = [
    property(
      "Pairs",
      layoutWords(of),
      of.table || of.isMinusLost
        ? "From two vectors a row, the matrix of each pair shows which columns multiplied it."
        : asSentence(of.decidedBy[0] ?? ""),
    ),
    property(
      "Frequencies",
      formula(of),
      "Angles between rows 1, 2, 4, … apart give each pair’s frequency, and a line through all of them the base.",
    ),
    property("Scaling", scalingWords(of), "Each pair’s frequency, divided by that of the base."),
    property(
      "Positions",
      placesWords(of),
      isEven
        ? `One offset explains the angles of ${all} in the first row.`
        : "Each row’s own, read from the angles of its pairs.",
    ),
    property("Factor", six(attentionFactor), `The length of (cos, sin), the same in ${all}.`),
    property("Direction", sign === -1 ? "angles fall" : "angles rise", "The fastest pair’s."),
    property(
      "Order",
      swapped ? "sines stand for cosines" : "cosines, then sines",
      "In this order one offset fits.",
    ),
  ];
  if (start > 0)
    found.push(property("Begins", `at column ${start}`, "Columns before it do not change."));
  if (headsAfter)
    found.push(property("Axes", "heads after positions", "Else no rows turn evenly."));
  if (of.rounding) {
    const { of: what, format } = of.rounding;
    found.push(property("Rounding", `${what} in ${format}`, "Exact steps leave a residual."));
  }
  if (hidden) {
    const pairs = `pairs ${hidden[0]} to ${hidden[1]}`;
    found.push(property("Not shown", pairs, reasonOf(/** @type {any} */ (of), HIDDEN)));
  }
  return [...found, property("Format", precision, "The narrowest that holds every number.")];
}

/** @param {Rotation} of */
function layoutWords({ layout, output, table, isMinusLost, isOverwritten, sign, dim }) {
  const pairs = dim / 2;
  if (layout === null) return `${pairs} columns, one a pair: the layout does not show`;
  const parts = [
    `${layout}, ${layout === "halves" ? `(i, i + ${pairs})` : "(2i, 2i + 1)"}`,
    output && `written as ${output}`,
    table && `multiplied by a table of ${table}`,
    isMinusLost && `a minus is ${sign === 1 ? "lost" : "too many"}`,
    isOverwritten && "the second number of a pair is made from the new first one",
  ];
  return parts.filter(Boolean).join(", ");
}

/** The formula of the frequencies. @param {Rotation} of */
function formula({ form, base, unit, width, dim, frequencies: { fitted } }) {
  if (base === null) return `${form}, ${six(fitted[0])} to ${six(fitted[fitted.length - 1])}`;
  const [, exponent = ""] = /^base\^\((.*)\)$/.exec(form) ?? [];
  const power = exponent.replace("D", String(width ?? dim)).replace("-", "\u2212");
  const of = { degrees: "taken for degrees", turns: "taken for turns", twice: "doubled", thrice: "tripled" }; // prettier-ignore
  return make("span", { class: "formula-of" }, six(base), make("sup", {}, power), unit ? `, ${of[unit]}` : ""); // prettier-ignore
}

/** @param {Rotation} of */
function scalingWords({ scaling, list, exchanged }) {
  if (scaling === null) return "none";
  const { type, ...options } = scaling;
  const all = Object.entries(options).map(([name, value]) =>
    Array.isArray(value) ? `${name} of ${value.length} pairs` : `${name} ${lineOf(value)}`,
  );
  const slip = list ? `, its ${list} factors` : exchanged ? ", of which two are exchanged" : "";
  return `${type}: ${all.join(", ")}${slip}`;
}

/** @param {Rotation} of */
function placesWords({ positions, batches }) {
  if (batches) return `${batches.length} batches, each its own`;
  const {
    rule,
    offset,
    format,
    period,
    last,
    padding,
    fill,
    starts = [],
    parts = [],
    rows,
  } = positions;
  const from = `from ${six(offset)}`;
  const words = {
    consecutive: `${six(offset)}, ${six(offset + 1)}, ${six(offset + 2)}, …`,
    rounded: `${from}, rounded to ${format}`,
    wrapped: `${from}, again after ${period} rows`,
    clipped: `${from} up to ${last}, which repeats`,
    padded: `${padding} rows of padding at ${fill}, then ${from}`,
    packed: `${from}, again at row ${starts.slice(0, 4).join(", ")}`,
    parts: parts
      .map(([row, at, step]) => `${at} by ${step}${row > 0 ? ` from row ${row}` : ""}`)
      .join(", "),
    repeated: `${from}, each in ${rows} rows`,
    listed: `by no rule, ${from}`,
  };
  return words[rule];
}

/** The table of properties, and what else decided. @param {Any} answer */
export function properties(answer) {
  const rows = propertiesOf(answer).map(([name, value, how]) =>
    make(
      "div",
      {},
      make("dt", {}, name),
      make("dd", {}, make("b", {}, value), ...(how ? [make("span", {}, how)] : [])),
    ),
  );
  return rows.length > 0 ? [make("dl", { class: "properties" }, ...rows)] : [];
}

/** What queries and keys are, each by itself: of queries only where keys are something else. @param {Any} answer */
export function keys({ q, k }) {
  const parts = /** @type {[string, Any | undefined][]} */ ([["Queries", q], ["Keys", k]]); // prettier-ignore
  return parts.flatMap(([title, of]) =>
    of === undefined
      ? []
      : [
          make("h3", {}, title),
          make("p", {}, asSentence(visible(of.sentence, 600))),
          ...properties(of),
        ],
  );
}

/** What decided and does not stand beside a property. @param {Any} answer */
export function decided({ kind, decidedBy, sentence }) {
  const said = kind === "rope" ? decidedBy.slice(1) : decidedBy;
  const rest = said.filter(
    (reason) => !COMPUTED.test(reason) && !HIDDEN.test(reason) && !sentence.includes(reason),
  );
  if (rest.length === 0) return [];
  const items = rest.map((reason) => make("li", {}, asSentence(visible(reason, 400))));
  return [make("h3", {}, "What decided"), make("ul", {}, ...items)];
}

/** Other names of the same numbers, and the models that have them. @param {Any} answer */
export function more(answer) {
  const { kind, alsoEqual = [], models = [], families = [] } = answer;
  if (kind === "none" || kind === "still") return [];
  const names = alsoEqual.slice(0, MOST).map((one) => asSentence(lineOf(one.sentence)));
  const known = [...models, ...families.map((family) => `${family} (family)`)]
    .slice(0, MOST)
    .map((name) => make("code", {}, visible(name)));
  const atlas = make("a", { href: "../models/atlas/" }, "atlas");
  const items = (/** @type {readonly (string | Node)[]} */ of) =>
    of.map((one) => make("li", {}, one));
  return [
    make("h3", {}, "Other names of the same numbers"),
    names.length > 0 ? make("ul", {}, ...items(names)) : make("p", {}, "None of those tried."),
    make("h3", {}, kind === "rope" ? "Models that rotate so" : "Models with this scheme"),
    known.length > 0
      ? make("ul", { class: "models" }, ...items(known))
      : make("p", {}, "None of those known by name. Families are in the ", atlas, "."),
  ];
}
