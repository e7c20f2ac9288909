// What the page says of an x-ray besides its picture.

/** @import { Xray } from "phasor/xray" */
import { make } from "../app/dom.js";
import { inked } from "../app/models/label.js";
import { begin } from "../app/text/begin.js";
import { count, some } from "../app/numbers.js";

/** The most letters of a warning. */
const LONGEST = 400;

/** Begins with a capital and ends with a dot. @param {string} text  of a configuration */
export function asSentence(text) {
  const shown = inked(begin(text, LONGEST));
  return `${shown.charAt(0).toUpperCase()}${shown.slice(1)}${/[.!?]$/.test(shown) ? "" : "."}`;
}

/** @param {number} x */
const share = (x) => x.toFixed(3).replace("-", "\u2212");

/** @param {string} kind  of layers */
const kindWords = (kind) => inked(kind).replaceAll("_", " ");

/**
 * What other readers make of the file.
 * @param {Xray} seen @param {boolean} isFile  whether config.json itself was read @param {HTMLElement} title
 */
export function readersOf({ readers, scheme, kinds, length, trained }, isFile, title) {
  const ofBase =
    "A reader that takes rope_theta from the top level alone is listed where config.json itself is pasted or dropped.";
  const note = isFile || kinds.length === 0 ? [] : [make("p", { class: "note" }, ofBase)];
  if (readers.length === 0) {
    const none =
      scheme === "rope"
        ? "None of the readings that are known changes how its layers rotate."
        : "The known misreadings are of rotary embeddings, which this model does not have.";
    return [make("p", {}, none), ...note];
  }
  const heads = ["A program that", `Original, ${count(trained)}`, `Asked, ${count(length)}`];
  const body = readers.flatMap(({ does, kinds, scores }) =>
    kinds.map((of) => {
      const factor = scores === undefined ? "" : `, scores × ${share(scores)}`;
      const where = `${some(of.layers, "layer")}, ${kindWords(of.kind)}${factor}`;
      const cells = [of.trained, of.asked].map((left) => make("td", {}, share(left)));
      const name = make("th", { scope: "row" }, does, " ", make("span", {}, where));
      return make("tr", {}, name, ...cells);
    }),
  );
  const table = make(
    "table",
    { "aria-labelledby": title.id },
    make("thead", {}, make("tr", {}, ...heads.map((head) => make("th", { scope: "col" }, head)))),
    make("tbody", {}, ...body),
  );
  const region = { class: "readers", role: "region", tabindex: 0, "aria-labelledby": title.id };
  const means = `The mean share of a dot product that is left over the farthest distance in a text of ${some(trained, "token")}, the original length, and of ${count(length)}: 1 where both agree, below 0 where it turns round. A window of attention ends the distance.`;
  return [make("p", { class: "note" }, means), make("div", region, table), ...note];
}

/** What the picture says of positions and bytes. @param {Xray} seen */
export function numbersOf({ precision, cost }) {
  const { cache, cachePerToken, tablesPerToken } = cost;
  const merged = Object.entries(precision).map(([format, { first, apart }]) => [
    format,
    apart === null
      ? `position ${count(first)} is ${count(first - 1)}; the last are beyond its largest number`
      : `position ${count(first)} is ${count(first - 1)}; at the end numbers are ${count(apart)} apart`,
  ]);
  const bytes = [
    [
      "cache",
      cache === null || cachePerToken === null
        ? "not known"
        : `${some(Math.round(cachePerToken), "byte")} a token, ${count(cache)} in all`,
    ],
    ["tables", `${some(Math.round(tablesPerToken), "byte")} a token`],
  ];
  const items = [...merged, ...bytes].map(([name, value]) =>
    make("div", {}, make("dt", {}, name), make("dd", {}, value)),
  );
  return make("dl", { class: "facts" }, ...items);
}

/** The command that prints the same. @param {string} file  or a name @param {number | undefined} length */
export const commandOf = (file, length) =>
  `npx phasor xray ${file}${length === undefined ? "" : ` --length ${length}`}`;

/** The pairs for `.npy`: frequency, turns in the original length, at this length, and without the scaling. @param {Xray} seen */
export function pairsOf({ kinds }) {
  const rows = kinds.flatMap(({ pairs }) =>
    pairs.map(({ frequency, seen, turns, unscaled }) => [frequency, seen, turns, unscaled]),
  );
  return { data: Float64Array.from(rows.flat()), shape: [rows.length, 4] };
}
