/** @import { Figure, figures } from "phasor/plots" */
/** @import { Metric } from "../app/models/rank.js" */
/** @import { Table } from "../app/models/table.js" */
import { busy } from "../app/busy.js";
import { ControlError, inWords } from "../app/errors.js";
import { exportsOf } from "../app/exports.js";
import { brief, count, some } from "../app/numbers.js";

/** @typedef {ReturnType<typeof figures>} Plots */
/** @typedef {{x: number, y: number, scale: number}} View */
/** @typedef {Figure<any, any, {index: number}> & {view: View}} ScatterFigure */

/** The number of most frequent words that are shown until the map of all words is computed. */
export const FIRST = 2000;

/** The number of words on the map of a neighborhood. */
export const NEAR = 200;

/** The number of components to choose from for an axis. */
const COMPONENTS = 5;

/** The limit of words times squared width; beyond it a map takes some seconds and the page asks first. */
const LONG = 6e10;

/**
 * The request for a map.
 *
 * @typedef {object} Wanted
 * @property {"all" | "first" | "groups" | "near"} points
 * @property {number} x  component, from 1
 * @property {number} y
 * @property {Table} table
 * @property {number} word  whose point has a ring
 * @property {readonly number[]} named  the words whose labels come first
 * @property {Metric} metric
 * @property {Map<number, string>} groups  by the words' ids
 * @property {readonly [number, number][]} arrows  pairs of ids; from one word to another
 */

/**
 * Words and their coordinates on the principal components.
 *
 * @typedef {object} Places
 * @property {string} key  identifies the words
 * @property {Int32Array} ids  [N]
 * @property {ArrayLike<number>} projected  [N, COMPONENTS]
 * @property {ArrayLike<number>} ratio  [COMPONENTS], shares of the variance
 */

/**
 * What the map calls.
 *
 * @typedef {object} MapOptions
 * @property {(text: string) => void} variance  with the share of the variance that the map shows
 * @property {(error: string) => void} wrong  "" removes the error
 * @property {() => void} viewed  when the reader zooms or pans
 * @property {(id: number) => void} pointed
 * @property {(id: number) => void} chosen
 * @property {(places?: Places, wanted?: Wanted) => void} placed  with what the map shows; with nothing where that is of
 *   another table
 */

/** The map: a scatter plot whose coordinates a worker computes, so that the page stays responsive. */
export class WordMap {
  #place;
  #plots;
  #options;
  #action;
  /** @type {Table | undefined} */
  #table;
  /** @type {Wanted | undefined} */
  #wanted;
  /** Coordinates that do not change, by their key. @type {Map<string, Places>} */
  #kept = new Map();
  /** @type {Places | undefined} */
  #shown;
  /** @type {AbortController | undefined} */
  #abort;
  /** The key of the coordinates being computed. */
  #computing = "";
  /** The key of those that the reader stopped. */
  #stopped = "";
  /** Whether the reader has agreed to a long computation. */
  #agreed = false;
  /** @type {ScatterFigure | undefined} */
  #figure;
  /** The words of the figure in its order. */
  #order = new Int32Array(0);
  /** The view that shows all points. @type {View | undefined} */
  #whole;
  /** The view to set when the figure is drawn; null: of all points. @type {View | null | undefined} */
  #nextView;
  #ringed = -1;
  /** [N, 2] */
  #points = { data: new Float32Array(0), shape: [0, 2] };

  /** @param {HTMLElement} place @param {Plots} plots @param {MapOptions} options */
  constructor(place, plots, options) {
    this.#place = place;
    this.#plots = plots;
    this.#options = options;
    this.#action = new Action(/** @type {HTMLElement} */ (place.previousElementSibling), {
      stop: () => {
        this.#stopped = this.#computing;
        this.#abort?.abort();
      },
      again: () => {
        [this.#stopped, this.#agreed] = ["", true];
        if (this.#wanted) this.show(this.#wanted);
      },
    });
  }

  /** @param {Wanted} next */
  async show(next) {
    if (this.#table && next.table.before === this.#table) this.#grow(next.table);
    else if (next.table !== this.#table) this.#begin(next.table);
    this.#wanted = next;
    const key = keyOf(next);
    const known = this.#kept.get(key) ?? (this.#shown?.key === key ? this.#shown : undefined);
    if (key === this.#computing || key === this.#stopped) return this.#paint();
    this.#abort?.abort();
    [this.#abort, this.#computing, this.#stopped] = [undefined, "", ""];
    this.#end("");
    if (known) return this.#paint(known);
    await this.#compute(next, key);
  }

  /** @param {Wanted} wanted @param {string} key */
  async #compute(wanted, key) {
    const own = (this.#abort = new AbortController());
    this.#computing = key;
    busy(1);
    try {
      const ids = await idsOf(wanted);
      if (own !== this.#abort) return;
      if (ids.length < Math.min(2, wanted.table.size)) {
        const nothing = "There is nothing to show: choose a group, or type your own words.";
        throw new ControlError("points", nothing);
      }
      this.#action.begin(`Computing the components of ${many(wanted.table, ids.length)} \u2026`);
      if (wanted.points === "all" && ids.length > FIRST && !this.#shown) {
        this.#paint(await this.#placesOf("first", ids.slice(0, FIRST), own.signal));
      }
      if (ids.length * wanted.table.dim ** 2 > LONG && !this.#agreed) return this.#offer();
      this.#paint(await this.#placesOf(key, ids, own.signal));
      if (own === this.#abort) this.#end("");
    } catch (error) {
      if (own === this.#abort) this.#fail(/** @type {Error} */ (error));
    } finally {
      if (own === this.#abort) this.#computing = "";
      busy(-1);
    }
  }

  /** Forgets the previous table. @param {Table} table */
  #begin(table) {
    this.#abort?.abort();
    [this.#table, this.#abort] = [table, undefined];
    [this.#computing, this.#stopped, this.#agreed] = ["", "", false];
    [this.#shown, this.#figure, this.#whole, this.#ringed] = [undefined, undefined, undefined, -1];
    this.#kept.clear();
    this.#place.replaceChildren();
    this.#options.variance("");
    this.#options.placed();
  }

  /** Keeps the picture of a table's first rows until that of all is there. @param {Table} table */
  #grow(table) {
    const all = this.#kept.get("all");
    this.#kept.clear();
    if (all) this.#kept.set("first", { ...all, key: "first" });
    const isFirst = this.#shown?.key === "all" || this.#shown?.key === "first";
    if (this.#shown) this.#shown = { ...this.#shown, key: isFirst ? "first" : "" };
    this.#abort?.abort();
    [this.#table, this.#abort, this.#computing] = [table, undefined, ""];
  }

  /** Asks before a long computation. */
  #offer() {
    this.#stopped = this.#computing;
    this.#end(`These are the first ${count(FIRST)}. All of them take a while.`);
    this.#action.offer();
  }

  /** @param {Error} error */
  #fail(error) {
    if (error instanceof ControlError) return this.#end("", error.message);
    if (error.name !== "AbortError") return this.#end(inWords(error.message));
    const isFirst = this.#shown?.key === "first" && this.#table;
    const these = isFirst ? ` These are the first ${many(isFirst, FIRST)}.` : "";
    this.#end(`Stopped.${these}`);
    this.#action.offer();
  }

  /** @param {string} note @param {string} [wrong] */
  #end(note, wrong = "") {
    this.#action.end(note);
    this.#options.wrong(wrong);
  }

  /** @param {string} key @param {Int32Array} ids @param {AbortSignal} signal @returns {Promise<Places>} */
  async #placesOf(key, ids, signal) {
    const known = this.#kept.get(key);
    if (known) return known;
    const table = /** @type {Table} */ (this.#table);
    const components = Math.min(COMPONENTS, table.dim, ids.length);
    const all = key === "all" ? undefined : ids;
    const places = { key, ids, ...(await table.components(all, components, signal)) };
    if (key === "all" || key === "first") this.#kept.set(key, places);
    return places;
  }

  /** @param {Places | undefined} [places] */
  #paint(places = this.#shown) {
    const wanted = this.#wanted;
    if (!places || !wanted) return;
    this.#shown = places;
    const { order, points } = pointsOf(places, wanted);
    [this.#order, this.#points] = [order, points];
    const options = { ...optionsOf(places, wanted, order), height: heightOf(this.#place) };
    const before = this.view === "" ? undefined : this.#figure?.view;
    if (this.#figure) this.#figure.update(points, options);
    const figure = (this.#figure ??= this.#mount(options));
    const at = order.indexOf(wanted.word);
    figure.value = at < 0 ? null : { index: at }; // moves the view to a new word
    const moved = figure.view;
    figure.view = /** @type {any} */ (null);
    this.#whole = figure.view;
    if (this.#nextView === undefined && before) {
      figure.view = wanted.word === this.#ringed ? before : moved;
    } else if (this.#nextView) {
      figure.view = this.#nextView;
    }
    [this.#ringed, this.#nextView] = [wanted.word, undefined];
    this.#options.viewed();
    this.#options.variance(varianceText(places, wanted));
    this.#options.placed(places, wanted);
  }

  /** Redraws the figure, which had no size while it was hidden. */
  fit() {
    if (this.#computing === "") this.#paint();
  }

  /** The names and marks of the groups, as the figure shows them. @returns {HTMLElement | null} */
  get legend() {
    return this.#figure?.querySelector(".phasor-groups") ?? null;
  }

  /** @param {any} options */
  #mount(options) {
    const figure = /** @type {ScatterFigure} */ (
      /** @type {unknown} */ (this.#plots.scatter(this.#points, options))
    );
    figure.append(exportsOf(figure, { name: "words", tensor: () => this.#points }));
    figure.addEventListener("view", () => this.#options.viewed());
    figure.addEventListener("change", ({ target }) => {
      if (target instanceof Element && !target.closest(".export") && figure.value) {
        this.#options.chosen(this.#order[figure.value.index]);
      }
    });
    figure.addEventListener("input", (event) => {
      if (event.target === figure && figure.value) {
        this.#options.pointed(this.#order[figure.value.index]);
      }
    });
    this.#place.replaceChildren(figure);
    return figure;
  }

  /** The view, for the URL; "" if it shows all points. */
  get view() {
    const [figure, whole] = [this.#figure, this.#whole];
    if (!figure || !whole || sameView(figure.view, whole)) return "";
    const { x, y, scale } = figure.view;
    return [x, y, scale].map((number) => Number(number.toPrecision(6))).join();
  }

  /** Sets the view. @param {string} text  as `view` gives it; anything else shows all points */
  look(text) {
    if (this.#figure && text === this.view) return;
    const [x, y, scale] = text.split(",").map(Number);
    const legal = text !== "" && [x, y, scale].every(Number.isFinite) && scale > 0;
    this.#nextView = legal ? { x, y, scale } : null;
    if (this.#figure && this.#computing === "") this.#paint();
  }
}

/** The buttons, progress and note above the map. */
class Action {
  /** @param {HTMLElement} element @param {{stop: () => void, again: () => void}} options */
  constructor(element, { stop, again }) {
    const buttons = [...element.querySelectorAll("button")];
    this.stop = buttons[0];
    this.again = buttons[1];
    this.progress = /** @type {HTMLProgressElement} */ (element.querySelector("progress"));
    this.note = /** @type {HTMLElement} */ (element.querySelector(".note"));
    this.stop.addEventListener("click", stop);
    this.again.addEventListener("click", again);
  }

  /** @param {string} note */
  begin(note) {
    [this.stop.hidden, this.progress.hidden] = [false, false];
    this.note.textContent = note;
  }

  /** @param {string} note */
  end(note) {
    [this.stop.hidden, this.progress.hidden, this.again.hidden] = [true, true, true];
    this.note.textContent = note;
  }

  /** Offers to compute what was not. */
  offer() {
    this.again.hidden = false;
  }
}

/** A number of words, or of tokens. @param {Table} table @param {number} n */
const many = ({ noun }, n) => some(n, noun);

/** @param {Wanted} wanted */
function keyOf({ points, groups, word, metric }) {
  if (points === "groups") return `groups ${word} ${[...groups.keys()].join()}`;
  return points === "near" ? `near ${word} ${metric}` : points;
}

/** @param {Wanted} wanted */
async function idsOf({ table, points, groups, word, metric }) {
  if (points === "groups") return Int32Array.from(new Set([...groups.keys(), word])).sort();
  if (points === "near") {
    const others = await table.neighbors(word, NEAR - 1, metric);
    return Int32Array.of(word, ...others.map(({ id }) => id));
  }
  const size = points === "first" ? Math.min(FIRST, table.size) : table.size;
  return Int32Array.from({ length: size }, (_, id) => id);
}

/** The points of the figure, and the words that they belong to. @param {Places} places @param {Wanted} wanted */
function pointsOf({ ids, projected, ratio }, { x, y, groups }) {
  const rows = inOrder(ids, groups);
  const width = ratio.length;
  // Words have no more components than numbers, and no more than there are words.
  const along = (/** @type {number} */ c, /** @type {number} */ i) =>
    c > width ? 0 : projected[i * width + c - 1];
  const data = new Float32Array(2 * rows.length);
  for (const [n, i] of rows.entries()) data.set([along(x, i), along(y, i)], 2 * n);
  return { order: Int32Array.from(rows, (i) => ids[i]), points: { data, shape: [rows.length, 2] } };
}

/**
 * Finds the indices of words among those that are shown; words that are not are left out.
 * @param {Int32Array} ids  that are shown
 * @returns {(wanted: readonly number[]) => number[]}
 */
export function known(ids) {
  const at = new Map(Array.from(ids, (id, n) => [id, n]));
  return (wanted) => wanted.flatMap((id) => at.get(id) ?? []);
}

/** @param {Places} places @param {Wanted} wanted @param {Int32Array} order */
function optionsOf({ ids, ratio }, { table, x, y, groups, word, named, arrows }, order) {
  const at = known(order);
  const share = (/** @type {number} */ c) => `${brief(100 * (ratio[c - 1] ?? 0))} % of variance`;
  return {
    title: `${many(table, ids.length)} along components ${x} and ${y}`,
    labels: Array.from(order, (id) => table.words[id]),
    groups: groups.size > 0 ? Array.from(order, (id) => groups.get(id) ?? null) : undefined,
    highlight: at([word, ...arrows.flat(), ...named]),
    arrows: arrows.map((pair) => at(pair)).filter(({ length }) => length === 2),
    xTitle: `component ${x} (${share(x)})`,
    yTitle: `component ${y} (${share(y)})`,
  };
}

/** @param {Places} places @param {Wanted} wanted */
function varianceText({ ids, ratio }, { table, x, y, word }) {
  const shares = Array.from(ratio, (share, c) => `${c + 1}: ${brief(100 * share)} %`).join(", ");
  if (ids.length === 1) return `One ${table.noun} alone has no variance.`;
  const [first, second] = [x, y].map((c) => ratio[c - 1] ?? 0);
  const both = x === y ? first : first + second;
  const few = ratio.length === 1 ? " They have one component: the map is a line." : "";
  const absent = ids.includes(word) ? "" : ` \u201c${table.words[word]}\u201d is not among these.`;
  return `The map shows ${brief(100 * both)} % of the variance of these ${many(table, ids.length)}.${few} By component, ${shares}.${absent}`;
}

/**
 * The indices of words in the order of their labels: words of groups first, and first of all one word of
 * each group, so that the groups keep their order in the legend.
 *
 * @param {Int32Array} ids @param {Map<number, string>} groups
 */
export function inOrder(ids, groups) {
  const all = Array.from(ids.keys());
  const grouped = all.filter((i) => groups.has(ids[i]));
  const heads = [...new Set(groups.values())].map((name) =>
    grouped.find((i) => groups.get(ids[i]) === name),
  );
  return [...new Set([...heads, ...grouped, ...all])].filter((i) => i !== undefined);
}

/** @param {View} a @param {View} b */
function sameView(a, b) {
  return a.x === b.x && a.y === b.y && a.scale === b.scale;
}

/** What is below the picture of the map: its buttons, px. */
const BELOW = 90;

/** The height of a picture of the map, so that it ends within the first screen, px. @param {HTMLElement} place */
export function heightOf(place) {
  const top = place.getBoundingClientRect().top + scrollY;
  return Math.round(Math.max(320, Math.min(innerHeight - top - BELOW, place.clientWidth)));
}
