/**
 * @import { Plots } from "./map.js"
 * @import { Table } from "../app/models/table.js"
 * @import { Page } from "../app/page.js"
 * @import { Aligned } from "./align.js"
 */
import { busy } from "../app/busy.js";
import { byId, make } from "../app/dom.js";
import { inWords } from "../app/errors.js";
import { exportsOf } from "../app/exports.js";
import { inWorker } from "../app/in-worker.js";
import { brief, count, some } from "../app/numbers.js";
import { minilmTable } from "../app/models/table.js";
import { align } from "./align.js";
import { scoreText } from "./lists.js";
import { shared } from "./shared.js";

/** The shared words that are aligned, and those that are drawn besides the chosen one and its neighbors. */
const [ALIGNED, DRAWN] = [2000, 150];

/** Too few shared words to align. */
const FEW = 20;

/** Neighbors of the chosen word with an arrow from one model to the other. */
const ARROWS = 5;

/** Words in the lists of those on which the models agree the most and the least. */
const LISTED = 8;

/**
 * Two models side by side: `made.table` and `made.other`.
 *
 * @param {Page} app @param {Plots} plots @param {(id: number) => void} go  chooses a word of the first model
 */
export function addPair({ phasor, made, cell, change }, plots, go) {
  const place = byId("two");
  const map = new Aligner(plots, (aligned) => change({ aligned }));
  const ready = /** @type {HTMLButtonElement} */ (byId("compare-minilm"));
  byId("end-second").addEventListener("click", () => {
    made.other?.close();
    change({ other: undefined });
    ready.focus();
  });
  ready.addEventListener("click", async () => {
    ready.disabled = true;
    byId("second").textContent = "Reading MiniLM \u2026";
    busy(1);
    try {
      const other = await minilmTable(phasor);
      made.other?.close();
      change({ other });
      byId("end-second").focus();
    } catch (error) {
      byId("second").textContent = inWords(/** @type {Error} */ (error).message);
    } finally {
      busy(-1);
      ready.disabled = false;
    }
  });
  cell(
    (_, { table, other }) => ({ table, other }),
    ({ table, other }) => {
      place.hidden = !other;
      byId("end-second").hidden = !other;
      ready.hidden = other?.about.file === "minilm.safetensors";
      byId("second").textContent = other ? summary(other) : "";
      map.begin(table, other);
    },
  );
  cell(
    async (_, { table, other }) =>
      other && { tables: [table, other], found: await Promise.all([table, other].map(statisticsOf)) }, // prettier-ignore
    (both) => both && showLengths(both.tables, both.found),
    place,
  );
  cell(
    async ({ k, metric }, { table, other, wordId }) => {
      if (!other) return undefined;
      const word = plainOf(table.words[wordId]);
      const id = other.wordOf(word);
      const [first, second] = await Promise.all([
        table.neighbors(wordId, k, metric),
        id < 0 ? [] : other.neighbors(id, k, metric),
      ]);
      return { table, other, word, id, first, second };
    },
    (found) => found && showNeighbors(found, go),
    place,
  );
  cell(
    (_, { table, other, wordId, aligned }) => ({ table, other, wordId, aligned }),
    ({ table, other, wordId, aligned }) => {
      if (other && aligned) map.show(aligned, table, other, wordId);
    },
    place,
  );
}

/** A label without the sign of a space. @param {string} label */
const plainOf = (label) => label.replace("\u2423", "");

/** The statistics of a table, whose errors name no control of this page. @param {Table} table */
const statisticsOf = (table) =>
  table.statistics().catch(({ message }) => {
    throw new Error(`${table.about.name}: ${inWords(message)}`);
  });

/** @param {Table} table */
function summary({ about, size, dim, noun }) {
  return `${about.name}: ${some(size, noun)} of ${some(dim, "number")}.`;
}

/** @param {Table[]} tables @param {Awaited<ReturnType<Table["statistics"]>>[]} found */
function showLengths(tables, found) {
  const [body] = /** @type {HTMLTableElement} */ (byId("two-lengths")).tBodies;
  body.replaceChildren(
    ...tables.map(({ about, size, dim }, i) => {
      const { mean, std, median, meanCosine } = found[i];
      const numbers = [count(size), count(dim), brief(mean), brief(std), brief(median), size < 2 ? "\u2013" : brief(meanCosine)]; // prettier-ignore
      return make(
        "tr",
        {},
        make("th", { scope: "row" }, about.name),
        ...numbers.map((text) => make("td", { class: "number" }, text)),
      );
    }),
  );
}

/**
 * @param {{table: Table, other: Table, word: string, id: number, first: {id: number, score: number}[], second: {id: number, score: number}[]}} found
 * @param {(id: number) => void} go
 */
function showNeighbors({ table, other, word, id, first, second }, go) {
  const names = [first.map((each) => table.words[each.id]), second.map((each) => other.words[each.id])]; // prettier-ignore
  const keys = names.map((all) => all.map((name) => plainOf(name).toLowerCase()));
  const both = new Set(keys[0].filter((key) => keys[1].includes(key)));
  byId("two-near-fact").textContent =
    id < 0
      ? `${other.about.name} has no \u201c${word}\u201d.`
      : `${count(both.size)} of ${count(first.length)} nearest ${table.noun}s of \u201c${word}\u201d are the same in both models.`;
  for (const [n, ranking] of [first, second].entries()) {
    const { about } = [table, other][n];
    byId(`two-near-${n + 1}-title`).textContent = about.name;
    byId(`two-near-${n + 1}`).replaceChildren(
      ...ranking.map(({ score }, i) => {
        const name = names[n][i];
        const own = n === 0 ? ranking[i].id : table.wordOf(plainOf(name));
        const label = own < 0 ? make("span", {}, name) : make("button", { type: "button" }, name);
        if (own >= 0) label.addEventListener("click", () => go(own));
        const isBoth = both.has(keys[n][i]);
        return make(
          "li",
          { class: isBoth ? "both" : "" },
          label,
          make("data", { value: score }, scoreText(score)),
        );
      }),
    );
  }
}

/** @typedef {Aligned & {words: string[], ids: number[]}} Shown */

/** Rotates the second model to the first, and draws the words of both. */
class Aligner {
  #plots;
  #done;
  /** @type {AbortController | undefined} */
  #abort;
  /** @type {any} */
  #figure;
  #points = { data: new Float32Array(0), shape: [0, 2] };

  /** @param {Plots} plots @param {(aligned: Shown | undefined) => void} done */
  constructor(plots, done) {
    this.#plots = plots;
    this.#done = done;
  }

  /** @param {Table} table @param {Table | undefined} other */
  async begin(table, other) {
    this.#abort?.abort();
    const own = (this.#abort = new AbortController());
    this.#figure = undefined;
    byId("aligned").replaceChildren();
    for (const id of ["agree", "differ"]) byId(id).replaceChildren();
    const fact = byId("aligned-fact");
    fact.textContent = other ? "\u2026" : "";
    if (!other) return this.#done(undefined);
    busy(1);
    try {
      const both = shared(table, other);
      const [words, ids, others] = [both.words, both.first, both.second].map((all) => all.slice(0, ALIGNED)); // prettier-ignore
      if (words.length < FEW) {
        fact.textContent = `The two models share ${some(words.length, "word")}, too few to align them.`;
        return this.#done(undefined);
      }
      const rows = (/** @type {Table} */ of, /** @type {any} */ which) => of.rows(which);
      const [first, second] = await Promise.all([rows(table, ids), rows(other, others)]);
      const aligned = await inWorker((remote) => align(remote, first, second), own.signal);
      fact.textContent = sentence(aligned, both.words.length, table, other);
      this.#done({ ...aligned, words: /** @type {string[]} */ (words), ids: /** @type {number[]} */ (ids) }); // prettier-ignore
    } catch (error) {
      if (own === this.#abort) fact.textContent = inWords(/** @type {Error} */ (error).message);
    } finally {
      busy(-1);
    }
  }

  /** @param {Shown} aligned @param {Table} table @param {Table} other @param {number} wordId */
  show(aligned, table, other, wordId) {
    const { first, second, words, ids } = aligned;
    const k = first.shape[1];
    const at = ids.indexOf(wordId);
    const near = at < 0 ? [] : nearestRows(first, at, ARROWS);
    const arrows = at < 0 ? [] : [at, ...near];
    const shown = [...new Set([...arrows, ...words.keys()])].slice(0, DRAWN);
    // Scaled so that a word has length 1 in the mean: the sum of all squares is 1.
    const scale = Math.sqrt(words.length);
    const data = new Float32Array(4 * shown.length);
    for (const [n, i] of shown.entries()) {
      for (const [m, of] of [first, second].entries()) {
        const point = of.data.subarray(i * k, i * k + 2).map((x) => scale * x);
        data.set(point, 2 * (m * shown.length + n));
      }
    }
    this.#points = { data, shape: [2 * shown.length, 2] };
    const names = [table, other].map(({ about }) => about.name);
    const groups = names.map((name, n) => (names[0] === names[1] ? `${name} (${n + 1})` : name));
    const options = {
      title: `${count(shown.length)} shared words in both models`,
      labels: [...shown, ...shown].map((i) => words[i]),
      groups: [...shown.map(() => groups[0]), ...shown.map(() => groups[1])],
      highlight: arrows.flatMap((_, n) => [n, shown.length + n]),
      arrows: arrows.map((_, n) => [n, shown.length + n]),
      xTitle: `component 1 of ${names[0]}`,
      yTitle: `component 2 of ${names[0]}`,
      height: Math.round(Math.min(560, Math.max(320, 0.6 * byId("aligned").clientWidth))),
    };
    if (this.#figure) this.#figure.update(this.#points, options);
    else this.#mount(options);
    this.#lists(aligned);
  }

  /** @param {any} options */
  #mount(options) {
    this.#figure = this.#plots.scatter(this.#points, options);
    this.#figure.append(
      exportsOf(this.#figure, { name: "two-models", tensor: () => this.#points }),
    );
    byId("aligned").replaceChildren(this.#figure);
  }

  /** The words on which the models agree the most and the least. @param {Shown} aligned */
  #lists({ cosines, words }) {
    const order = [...cosines.keys()].sort((i, j) => cosines[j] - cosines[i]);
    for (const [id, which] of /** @type {[string, number[]][]} */ ([
      ["agree", order.slice(0, LISTED)],
      ["differ", order.slice(-LISTED).reverse()],
    ])) {
      byId(id).replaceChildren(
        ...which.map((i) =>
          make(
            "li",
            {},
            make("span", {}, words[i]),
            make("data", { value: cosines[i] }, scoreText(cosines[i])),
          ),
        ),
      );
    }
  }
}

/** @param {Aligned} aligned @param {number} all  shared words @param {Table} table @param {Table} other */
function sentence({ first, disparity, chance, found }, all, table, other) {
  const [N, k] = first.shape;
  const share = (/** @type {number} */ x) => `${brief(100 * x)} %`;
  return (
    `The two models share ${count(all)} words. The first ${count(N)} of them are reduced to ${count(k)} principal components in each model, ` +
    `and ${other.about.name} is rotated until both fit best (orthogonal Procrustes: a rotation or reflection, which changes no distance within a model). ` +
    `${share(1 - disparity)} of the variance of ${table.about.name} is then explained; with the words paired wrongly it would be ${share(1 - chance)}. ` +
    `${share(found)} of the words of ${other.about.name} are nearest to themselves.`
  );
}

/** The rows nearest to a row. @param {Aligned["first"]} points @param {number} at @param {number} count */
function nearestRows({ data, shape: [N, k] }, at, count) {
  const squares = Float64Array.from({ length: N }, (_, i) => {
    let sum = 0;
    for (let d = 0; d < k; ++d) sum += (data[i * k + d] - data[at * k + d]) ** 2;
    return i === at ? Infinity : sum;
  });
  return [...squares.keys()].sort((i, j) => squares[i] - squares[j]).slice(0, count);
}
