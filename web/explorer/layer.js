/**
 * @import { Plots } from "./map.js"
 * @import { Table } from "../app/models/table.js"
 * @import { Positions } from "../app/models/tasks.js"
 */
import { busy } from "../app/busy.js";
import { byId, make } from "../app/dom.js";
import { inWords, showError } from "../app/errors.js";
import { exportsOf } from "../app/exports.js";
import { lacking } from "../app/models/label.js";
import { apart, brief, count, shape, some } from "../app/numbers.js";

/** The most groups of equal rows to list, and words of each. */
const GROUPS = 12;
const MEMBERS = 4;

/** The most words to compare. */
const COMPARED = 16;

const compact = new Intl.NumberFormat("en", { notation: "compact" });

/**
 * The content of a model's file: its tensors, the lengths of the rows, rows that are outliers or equal, and the
 * similarity of its positions.
 */
export class Layer {
  #chosen;
  #figures;
  /** @type {Table | undefined} */
  #table;

  /** @param {Promise<Plots>} plots @param {(id: number) => void} chosen  called with a word that the reader chooses */
  constructor(plots, chosen) {
    this.#chosen = chosen;
    this.#figures = {
      lengths: picture("lengths", "bar", plots),
      ranks: picture("ranks", "bar", plots),
      positions: picture("positions", "heatmap", plots),
      cosines: picture("cosines", "heatmap", plots),
    };
  }

  /** @param {Table} table */
  async show(table) {
    this.#table = table;
    showTensors(table);
    const facts = ["lengths", "ranks", "outliers", "repeated", "positions"];
    for (const each of facts) byId(`${each}-fact`).textContent = "\u2026";
    for (const each of ["outliers", "repeated"]) byId(each).replaceChildren();
    await this.#ask(
      table,
      () => table.statistics(),
      "lengths",
      async (found) => {
        await this.#showLengths(found, table);
        this.#showOutliers(found, table);
      },
    );
    const positions = (/** @type {Positions | null} */ found) => this.#showPositions(found, table);
    await this.#ask(table, () => table.positions(), "positions", positions);
    // The longest computation is the last.
    const repeated = (/** @type {number[][]} */ groups) => this.#showRepeated(groups, table);
    await this.#ask(table, () => table.repeated(), "repeated", repeated);
  }

  /**
   * @template T
   * @param {Table} table @param {() => Promise<T>} ask @param {string} name
   * @param {(found: T) => unknown} paint
   */
  async #ask(table, ask, name, paint) {
    if (table !== this.#table) return;
    busy(1);
    try {
      const found = await ask();
      if (table === this.#table) await paint(found);
    } catch (error) {
      if (table === this.#table) {
        byId(`${name}-fact`).textContent = inWords(/** @type {Error} */ (error).message);
      }
    } finally {
      busy(-1);
    }
  }

  /** @param {Awaited<ReturnType<Table["statistics"]>>} found @param {Table} table */
  async #showLengths(found, { noun, size }) {
    const { mean, std, min, max, median, meanCosine, counts, edges, byRank } = found;
    byId("lengths-fact").textContent =
      `Mean ${brief(mean)}, standard deviation ${brief(std)}, median ${brief(median)}; from ${apart([min, max]).join(" to ")}.` +
      (size < 2 || max === 0
        ? ""
        : ` The mean cosine of two different rows is ${brief(meanCosine)}: ${spreadWords(meanCosine)}.`);
    await this.#figures.lengths.show({ data: counts, shape: [counts.length] }, "lengths", {
      title: `Number of ${noun}s by the length of their rows`,
      labels: apart(Array.from(counts, (_, i) => edges[i])),
      xTitle: "length from",
      yTitle: `${noun}s`,
    });
    const groups = byRank.length;
    byId("ranks-fact").textContent =
      `The mean length in ${some(groups, "group")} of equally many ${noun}s, in the order of the vocabulary. Most vocabularies begin with frequent ${noun}s.`;
    await this.#figures.ranks.show({ data: byRank, shape: [groups] }, "ranks", {
      title: `Mean length by index in the vocabulary`,
      labels: Array.from(byRank, (_, i) => compact.format(Math.floor((i * size) / groups))),
      xTitle: `${noun}s from`,
      yTitle: "mean length",
    });
  }

  /** @param {Awaited<ReturnType<Table["statistics"]>>} found @param {Table} table */
  #showOutliers({ median, outliers: { count: far, first } }, table) {
    const most = far > first.length ? "; the farthest are listed" : "";
    const isUntrained = first.some(({ norm }) => norm < median / 2);
    byId("outliers-fact").textContent =
      far === 0
        ? "None is 6 deviations or more from the median."
        : `${count(far)} ${far === 1 ? "is" : "are"} 6 deviations or more from the median${most}.${isUntrained ? " Short ones were rare in training." : ""}`;
    byId("outliers").replaceChildren(
      ...first.map(({ id, norm }) =>
        make("li", {}, this.#button(table, id), make("data", { value: norm }, brief(norm))),
      ),
    );
  }

  /** @param {number[][]} groups @param {Table} table */
  #showRepeated(groups, table) {
    const rows = groups.reduce((sum, group) => sum + group.length, 0);
    byId("repeated-fact").textContent =
      groups.length === 0
        ? "No two rows are bitwise equal."
        : `${count(rows)} rows are bitwise equal to another, in ${some(groups.length, "group")}: padding, or ${table.noun}s that were never trained.`;
    byId("repeated").replaceChildren(
      ...groups.slice(0, GROUPS).map((ids) => {
        const rest = ids.length - MEMBERS;
        const more = rest > 0 ? make("span", { class: "note" }, `and ${count(rest)} more`) : "";
        return make("li", {}, ...ids.slice(0, MEMBERS).map((id) => this.#button(table, id)), more);
      }),
    );
  }

  /** @param {Positions | null} found @param {Table} table */
  async #showPositions(found, { about }) {
    if (!found) {
      byId("positions-fact").textContent = about.facts[0];
      return this.#figures.positions.clear();
    }
    const { places, length, cosines } = found;
    const step = places.length > 1 ? places[1] - places[0] : 1;
    const labels = Array.from(places, count);
    const each = step === 1 ? "position" : `${step}th position`;
    byId("positions-fact").textContent =
      `A learned table of ${count(length)} rows: the cosine of each ${each} with every other, up to ${count(places[places.length - 1])}.`;
    await this.#figures.positions.show(cosines, "positions", {
      title: "Cosines of the rows of positions",
      rowTitle: "position",
      columnTitle: "position",
      rowLabels: labels,
      columnLabels: labels,
      domain: [-1, 1],
    });
  }

  /** Compares words with each other. @param {Table} table @param {string} text */
  async compare(table, text) {
    const words = text
      .split(/[\s,;]+/)
      .filter(Boolean)
      .slice(0, COMPARED);
    const found = words.map((word) => {
      const id = table.wordOf(word);
      return id >= 0 ? id : table.idOf(word);
    });
    const unknown = words.filter((_, i) => found[i] < 0);
    showError("compared", lacking(table, unknown));
    byId("compared-fact").textContent = "";
    const ids = [...new Set(found)].filter((id) => id >= 0);
    if (ids.length < 2) return this.#figures.cosines.clear();
    const labels = ids.map((id) => table.words[id]);
    await this.#ask(
      table,
      () => table.cosines(ids),
      "compared",
      (cosines) =>
        this.#figures.cosines.show(cosines, "cosines", {
          title: "Cosine of each pair",
          rowTitle: table.noun,
          columnTitle: table.noun,
          rowLabels: labels,
          columnLabels: labels,
          domain: [-1, 1],
        }),
    );
  }

  /** @param {Table} table @param {number} id */
  #button(table, id) {
    const button = make("button", { type: "button" }, table.words[id]);
    button.addEventListener("click", () => this.#chosen(id));
    return button;
  }
}

/** What the mean cosine of two rows says of their directions. @param {number} mean */
function spreadWords(mean) {
  if (mean <= 0.1) return "they point in all directions";
  return mean > 0.5 ? "they lie in a narrow cone" : "they share a part of their direction";
}

/** @param {Table} table */
function showTensors({ about }) {
  const [body] = /** @type {HTMLTableElement} */ (byId("tensors")).tBodies;
  body.replaceChildren(
    ...about.layers.map(({ what, name, shape: sizes, dtype, byteLength }) =>
      make(
        "tr",
        {},
        make("th", { scope: "row" }, what),
        make("td", {}, make("code", {}, name)),
        make("td", {}, make("code", {}, shape(sizes))),
        make("td", {}, dtype),
        make("td", { class: "number" }, count(byteLength)),
      ),
    ),
  );
  const file = `File: ${about.format}, ${some(about.tensors, "tensor")}: ${about.file}.`;
  byId("layer-facts").replaceChildren(
    ...[file, ...about.facts, ...about.warnings].map((fact) => make("li", {}, fact)),
  );
}

/**
 * A figure that is drawn when there is something to show.
 * @param {string} name @param {"bar" | "heatmap"} kind @param {Promise<Plots>} plots
 */
function picture(name, kind, plots) {
  /** @type {any} */
  let figure;
  let shown = {
    data: /** @type {ArrayLike<number>} */ ([]),
    shape: /** @type {readonly number[]} */ ([0]),
  };
  const place = byId(name);
  return {
    /** @param {typeof shown} data @param {string} file @param {object} options */
    async show(data, file, options) {
      const kinds = await plots;
      shown = data;
      if (figure) return figure.update(data, options);
      figure = /** @type {any} */ (kinds[kind])(data, options);
      figure.append(exportsOf(figure, { name: file, tensor: () => shown }));
      place.replaceChildren(figure);
      place.hidden = false;
    },
    clear() {
      figure = undefined;
      place.replaceChildren();
      place.hidden = true;
    },
  };
}
