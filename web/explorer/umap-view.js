/** @import { umap } from "../app/umap.js" */
/** @import { Places, Plots, ScatterFigure, Wanted } from "./map.js" */
import { busy } from "../app/busy.js";
import { make } from "../app/dom.js";
import { exportsOf } from "../app/exports.js";
import { inWorker } from "../app/in-worker.js";
import { count } from "../app/numbers.js";
import { taskWorker } from "../app/work.js";
import { heightOf, inOrder, known } from "./map.js";
import { neighborsOf } from "./neighbors.js";

/** The most words; more would take minutes. */
const MOST = 5000;

/** UMAP needs some points. */
const FEW = 10;

/** The share of the work that is the search for neighbors. */
const SEARCH = 0.2;

const { work } = /** @type {ReturnType<typeof taskWorker<{umap: typeof umap}>>} */ (
  taskWorker("umap")
);

/** @typedef {{places: Places, wanted: Wanted}} Shown */

/** Whether two maps are of the same words. @param {Shown} a @param {Shown} b */
function isSame(a, b) {
  const [x, y] = [a.places.ids, b.places.ids];
  return (
    a.wanted.table === b.wanted.table && x.length === y.length && x.every((id, i) => id === y[i])
  );
}

/** The words of the map as UMAP places them: it is computed when the reader asks for it. */
export class UmapView {
  #plots;
  #options;
  #begin = make("button", { type: "button", class: "begin" }, "Compute UMAP");
  #stop = make("button", { type: "button", class: "cancel", hidden: true }, "Stop");
  #progress = make("progress", { max: 1, value: 0, hidden: true, "aria-label": "UMAP: progress" });
  #note = make("p", { class: "note", role: "status" });
  #picture = make("div");
  /** @type {Shown | undefined} */
  #shown;
  /** What is computed, of which words, and whether it goes on. @type {{of: Shown, ids: Int32Array, data: Float32Array, settles: boolean} | undefined} */
  #done;
  /** @type {AbortController | undefined} */
  #abort;
  /** @type {ScatterFigure | undefined} */
  #figure;
  /** The words of the figure in its order, and their places. */
  #order = new Int32Array(0);
  #points = { data: new Float32Array(0), shape: [0, 2] };

  /** @param {HTMLElement} place @param {Plots} plots @param {{chosen: (id: number) => void, pointed: (id: number) => void}} options */
  constructor(place, plots, options) {
    this.#plots = plots;
    this.#options = options;
    this.#begin.addEventListener("click", () => this.#compute());
    this.#stop.addEventListener("click", () => this.#abort?.abort());
    place.replaceChildren(
      make("div", { class: "action" }, this.#begin, this.#stop, this.#progress, this.#note),
      this.#picture,
      make(
        "p",
        {},
        "UMAP keeps the nearest neighbors of each word near it, and nothing else. Words of one cluster belong together; how far " +
          "two clusters are from each other, how large they are and which way the axes go means nothing. In the 2-D view, which is a " +
          "projection on principal components, directions and large distances do mean something, and arrows of an analogy can be parallel.",
      ),
    );
  }

  /** @param {Places} places @param {Wanted} wanted */
  show(places, wanted) {
    const before = this.#shown;
    this.#shown = { places, wanted };
    if (this.#done && isSame(this.#done.of, this.#shown)) return this.#paint();
    if (before && isSame(before, this.#shown)) return;
    this.#abort?.abort();
    this.#figure = undefined;
    this.#picture.replaceChildren();
    const few = places.ids.length < FEW;
    [this.#begin.disabled, this.#begin.hidden] = [few, false];
    const size = Math.min(MOST, places.ids.length);
    const some = size < places.ids.length ? ` of ${count(places.ids.length)}` : "";
    this.#note.textContent = few
      ? `UMAP needs at least ${FEW} words.`
      : `Of ${count(size)}${some} words, in this page; it takes some seconds.`;
  }

  async #compute() {
    if (!this.#shown) return;
    const of = this.#shown;
    const { places, wanted } = of;
    const own = (this.#abort = new AbortController());
    this.#working(true);
    this.#note.textContent = "";
    busy(1);
    try {
      const ids = idsOf(places, wanted);
      const points = await wanted.table.rows([...ids]);
      const { signal } = own;
      const progress = this.#progress;
      const neighbors = await inWorker(
        (remote) =>
          neighborsOf(remote, points, signal, (share) => (progress.value = SEARCH * share)),
        signal,
      );
      const put = (/** @type {Float32Array} */ data, /** @type {boolean} */ settles) => {
        if (signal.aborted || !this.#shown || !isSame(of, this.#shown)) return;
        this.#done = { of, ids, data, settles };
        this.#paint();
      };
      const { places: data } = await work("umap", neighbors, {
        signal,
        onprogress: (/** @type {{share: number, places?: Float32Array}} */ { share, places }) => {
          progress.value = SEARCH + (1 - SEARCH) * share;
          if (places) put(places, true);
        },
      });
      put(data, false);
    } catch (error) {
      const { name, message } = /** @type {Error} */ (error);
      const stopped = this.#figure ? "Stopped: the map has not settled." : "Stopped.";
      this.#note.textContent = name === "AbortError" ? stopped : `${message}.`;
    } finally {
      this.#working(false);
      busy(-1);
    }
  }

  /** @param {boolean} isOn */
  #working(isOn) {
    [this.#stop.hidden, this.#progress.hidden] = [!isOn, !isOn];
    const isWhole = this.#figure !== undefined && this.#done?.settles === false;
    this.#begin.hidden = isOn || isWhole;
    this.#progress.value = 0;
  }

  #paint() {
    if (!this.#done || !this.#shown) return;
    const { table, groups, word, named, arrows } = this.#shown.wanted;
    const { settles } = this.#done;
    const rows = inOrder(this.#done.ids, groups); // the groups have the colors of the other views
    const ids = (this.#order = Int32Array.from(rows, (i) => this.#done?.ids[i] ?? 0));
    const data = new Float32Array(2 * rows.length);
    for (const [n, i] of rows.entries()) {
      data.set(this.#done.data.subarray(2 * i, 2 * i + 2), 2 * n);
    }
    const points = (this.#points = { data, shape: [ids.length, 2] });
    const at = known(ids);
    const options = {
      title: `${count(ids.length)} words by UMAP${settles ? ", not settled" : ""}`,
      labels: Array.from(ids, (id) => table.words[id]),
      groups: groups.size > 0 ? Array.from(ids, (id) => groups.get(id) ?? null) : undefined,
      highlight: at([word, ...arrows.flat(), ...named]),
      arrows: arrows.map((pair) => at(pair)).filter(({ length }) => length === 2),
      xTitle: "UMAP 1, without a unit",
      yTitle: "UMAP 2, without a unit",
      height: heightOf(this.#picture),
    };
    if (this.#figure) this.#figure.update(points, options);
    else this.#mount(points, options);
    this.#begin.hidden = !this.#stop.hidden || !settles;
    const n = at([word])[0];
    if (this.#figure) this.#figure.value = n === undefined ? null : { index: n };
  }

  /** @param {{data: Float32Array, shape: number[]}} points @param {any} options */
  #mount(points, options) {
    const figure = /** @type {ScatterFigure} */ (
      /** @type {unknown} */ (this.#plots.scatter(points, options))
    );
    const idAt = () => this.#order[figure.value?.index ?? -1];
    figure.append(exportsOf(figure, { name: "umap", tensor: () => this.#points }));
    figure.addEventListener("change", ({ target }) => {
      const id = idAt();
      const isExport = target instanceof Element && target.closest(".export");
      if (!isExport && id !== undefined) this.#options.chosen(id);
    });
    figure.addEventListener("input", () => {
      const id = idAt();
      if (id !== undefined) this.#options.pointed(id);
    });
    this.#figure = figure;
    this.#picture.replaceChildren(figure);
  }
}

/** The words of the map, first the chosen ones and those of groups, up to a limit. @param {Places} places @param {Wanted} wanted */
function idsOf({ ids }, { word, arrows, named, groups }) {
  const first = new Set([word, ...arrows.flat(), ...named, ...groups.keys()]);
  const all = [...ids].sort((a, b) => Number(first.has(b)) - Number(first.has(a)) || a - b);
  return Int32Array.from(all.slice(0, MOST));
}
