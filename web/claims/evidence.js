/** @import { Case } from "./verdict.js" */
import { make } from "../app/dom.js";
import { NAMES, verdictOf } from "./verdict.js";

/**
 * The verdict and a table of the cases that decide it.
 * @param {string} measure  what was computed
 * @param {readonly Case[]} cases
 */
export function evidence(measure, cases) {
  const verdict = verdictOf(cases);
  const rows = cases.map(({ when, number, holds }) =>
    make(
      "tr",
      { "data-holds": String(holds) },
      make("th", { scope: "row" }, when),
      make("td", { class: "number" }, number),
      make("td", { class: "holds" }, holds ? "holds" : "fails"),
    ),
  );
  const heads = ["Case", "Computed", "Claim"].map((name) => make("th", { scope: "col" }, name));
  const all = document.createDocumentFragment();
  all.append(
    make("p", { class: "stamp", "data-verdict": verdict }, NAMES[verdict]),
    make(
      "table",
      { class: "cases" },
      make("caption", {}, `${measure}.`),
      make("thead", {}, make("tr", {}, ...heads)),
      make("tbody", {}, ...rows),
    ),
  );
  return all;
}
