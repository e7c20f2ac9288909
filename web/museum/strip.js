/** @import { Strip } from "./exhibits/exhibits.js" */
import { make } from "../app/dom.js";

/**
 * Rows of numbers as a table. A number that differs from the right one is marked, by more than a color.
 * @param {Strip} strip
 */
export function stripOf({ head, rows }) {
  return make(
    "table",
    { class: "strip" },
    make(
      "thead",
      {},
      make("tr", {}, make("td"), ...head.map((name) => make("th", { scope: "col" }, name))),
    ),
    make("tbody", {}, ...rows.map(rowOf)),
  );
}

/** @param {Strip["rows"][number]} row */
function rowOf({ name, numbers, right = numbers }) {
  const cells = numbers.map((number, i) =>
    number === right[i]
      ? make("td", {}, number)
      : make("td", { class: "off" }, number, " ", make("small", {}, `right: ${right[i]}`)),
  );
  return make("tr", {}, make("th", { scope: "row" }, name), ...cells);
}
