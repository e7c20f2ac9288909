/** What is rare in the sentence of an answer. */

/**
 * @import { Rotation } from "../identify/identify.js"
 * @import { Places } from "../identify/positions.js"
 */

/** @param {Pick<Rotation, "isOverwritten" | "sign">} of */
export function slipWords({ isOverwritten, sign }) {
  if (isOverwritten) return "the second number of a pair is made from the first one's new value";
  return sign === 1
    ? "a minus lost: both numbers of a pair are sums"
    : "a minus too many: both numbers of a pair are differences";
}

/** @param {Pick<Rotation, "list" | "exchanged" | "scaling">} of */
export function exchangedWords({ list, exchanged, scaling }) {
  if (list) return `its ${list} factors`;
  const numbers = scaling?.type === "llama3" ? "its two factors" : "its two betas";
  const order = exchanged === "ends" ? "fast pairs are divided and slow ones kept" : `pairs to keep are tested ${exchanged?.slice(5)}`; // prettier-ignore
  return `${numbers} exchanged: ${order}`;
}

/** How positions come about that are not consecutive. @param {Places} positions @param {string} from  the words of their first */
export function ruleWords(positions, from) {
  const { rule, offset, format, period, last, padding, fill, starts, parts, rows } = positions;
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

/** What shows the pairs of vectors. @param {Pick<Rotation, "layout" | "output" | "table" | "isMinusLost" | "isOverwritten">} of */
export function turnsShown({ layout, output, table, isMinusLost, isOverwritten }) {
  if (table) return `the 2 x 2 matrices of pairs have angles of two columns of a table of ${table}`;
  if (isMinusLost) return "the 2 x 2 matrices of pairs have two sines of one sign";
  if (isOverwritten)
    return "the 2 x 2 matrices of pairs have the sine's square taken from the last cosine";
  const written = output ? `, and written as ${output},` : "";
  return `columns taken as ${layout}${written} turn by one angle a row without a change of length`;
}
