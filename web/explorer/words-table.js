/** @import { Places, Wanted } from "./map.js" */
import { make } from "../app/dom.js";
import { brief, count } from "../app/numbers.js";

/** Rows that are shown initially, and added by the button. */
const ROWS = 100;

/** Components that have a column. */
const COMPONENTS = 3;

/**
 * A column of the table.
 * @typedef {object} Column
 * @property {string} name
 * @property {(n: number) => number | string} value  of the word with index n
 * @property {boolean} [isText]
 */

/** @typedef {{places: Places, wanted: Wanted}} Shown */

/** The words of the map as a table that the reader sorts. */
export class WordsTable {
  #chosen;
  #body = make("tbody");
  #head = make("tr");
  #said = make("p", { class: "note", role: "status" });
  #more = make("button", { type: "button" }, `Show ${ROWS} more`);
  /** @type {Shown | undefined} */
  #shown;
  #rows = ROWS;
  /** The column that sorts, and whether its largest values are first. */
  #sorted = { column: 1, isDown: false };

  /** @param {HTMLElement} place @param {(id: number) => void} chosen */
  constructor(place, chosen) {
    this.#chosen = chosen;
    this.#more.addEventListener("click", () => {
      this.#rows += ROWS;
      this.#fill();
    });
    place.replaceChildren(
      this.#said,
      make(
        "div",
        { class: "table-place", tabindex: "0", role: "group", "aria-label": "Words of the map" },
        make("table", {}, make("thead", {}, this.#head), this.#body),
      ),
      this.#more,
    );
  }

  /** @param {Places} places @param {Wanted} wanted */
  show(places, wanted) {
    if (this.#shown?.places !== places) this.#rows = ROWS;
    this.#shown = { places, wanted };
    this.#fill();
  }

  #fill() {
    if (!this.#shown) return;
    const { places, wanted } = this.#shown;
    const columns = columnsOf(places, wanted);
    const sorted = { ...this.#sorted, column: Math.min(this.#sorted.column, columns.length - 1) };
    const order = orderOf(columns[sorted.column], places.ids.length, sorted.isDown);
    this.#headings(columns, sorted);
    const shown = order.slice(0, this.#rows);
    this.#body.replaceChildren(...shown.map((n) => this.#row(columns, n)));
    const { noun } = wanted.table;
    this.#said.textContent = `${count(shown.length)} of ${count(order.length)} ${noun}s. Press a heading to sort, and a ${noun} to choose it.`;
    this.#more.hidden = shown.length === order.length;
  }

  /** @param {Column[]} columns @param {{column: number, isDown: boolean}} sorted */
  #headings(columns, sorted) {
    const focused = [...this.#head.children].findIndex((each) =>
      each.contains(document.activeElement),
    );
    this.#head.replaceChildren(
      ...columns.map(({ name }, i) => {
        const isSorted = i === sorted.column;
        const button = make("button", { type: "button" }, name);
        button.addEventListener("click", () => {
          this.#sorted = { column: i, isDown: isSorted && !sorted.isDown };
          this.#fill();
        });
        const sort = isSorted ? (sorted.isDown ? "descending" : "ascending") : "none";
        return make("th", { scope: "col", "aria-sort": sort }, button);
      }),
    );
    if (focused >= 0) this.#head.children[focused]?.querySelector("button")?.focus();
  }

  /** @param {Column[]} columns @param {number} n */
  #row(columns, n) {
    const { places, wanted } = /** @type {Shown} */ (this.#shown);
    const id = places.ids[n];
    const button = make("button", { type: "button" }, wanted.table.words[id]);
    button.addEventListener("click", () => this.#chosen(id));
    const cells = columns.slice(1).map(({ value, isText }) => {
      const x = value(n);
      return make("td", isText ? {} : { class: "number" }, typeof x === "number" ? shown(x) : x);
    });
    return make("tr", {}, make("th", { scope: "row" }, button), ...cells);
  }
}

/** @param {number} x */
const shown = (x) => (Number.isSafeInteger(x) ? count(x) : brief(x));

/** @param {Places} places @param {Wanted} wanted @returns {Column[]} */
function columnsOf({ ids, projected, ratio }, { table, groups }) {
  const width = ratio.length;
  const components = Array.from({ length: Math.min(COMPONENTS, width) }, (_, c) => ({
    name: `component ${c + 1}`,
    value: (/** @type {number} */ n) => projected[n * width + c],
  }));
  const group = {
    name: "group",
    value: (/** @type {number} */ n) => groups.get(ids[n]) ?? "",
    isText: true,
  };
  return [
    { name: table.noun, value: (n) => table.words[ids[n]], isText: true },
    { name: "index", value: (n) => ids[n] },
    { name: "length", value: (n) => table.lengths[ids[n]] },
    ...components,
    ...(groups.size > 0 ? [group] : []),
  ];
}

/** The indices of the words in the order of a column. @param {Column} column @param {number} N @param {boolean} isDown */
function orderOf({ value, isText }, N, isDown) {
  const keys = Array.from({ length: N }, (_, n) => value(n));
  const compare = isText
    ? (/** @type {number} */ i, /** @type {number} */ j) =>
        // Empty texts are last, in both directions.
        Number(keys[i] === "") - Number(keys[j] === "") ||
        (isDown ? -1 : 1) * (keys[i] < keys[j] ? -1 : Number(keys[i] > keys[j]))
    : (/** @type {number} */ i, /** @type {number} */ j) =>
        (isDown ? -1 : 1) * (Number(keys[i]) - Number(keys[j]));
  return Array.from(keys.keys()).sort(compare);
}
