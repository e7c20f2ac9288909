/** @import { Figure, figures } from "phasor/plots" */
/** @import { Metric } from "../app/models/rank.js" */
/** @import { Table } from "../app/models/table.js" */
import { exportsOf } from "../app/exports.js";
import { brief, count } from "../app/numbers.js";

/** @typedef {ReturnType<typeof figures>} Plots */
/** @typedef {{x: number, y: number, scale: number}} View */
/** @typedef {Figure<any, any, {index: number}> & {view: View}} ScatterFigure */

/** Of the most frequent words; also what is shown until the map of all is there. */
export const FIRST = 2000;

/** Words on the map of a neighbourhood. */
export const NEAR = 200;

/** Components that can be chosen for an axis. */
const COMPONENTS = 5;

/** Numbers times width of a map that is computed without asking: some seconds. */
const LONG = 6e10;

/**
 * What the reader wants to see.
 *
 * @typedef {object} Wanted
 * @property {"all" | "first" | "groups" | "near"} points
 * @property {number} x  component, from 1
 * @property {number} y
 * @property {Table} table
 * @property {number} word  whose mark is ringed
 * @property {readonly number[]} named  words whose labels come first
 * @property {Metric} metric
 * @property {Map<number, string>} groups  by the words' ids
 */

/**
 * Words and where they lie along their principal components.
 *
 * @typedef {object} Places
 * @property {string} key  of the words
 * @property {Int32Array} ids  [N]
 * @property {ArrayLike<number>} projected  [N, COMPONENTS]
 * @property {ArrayLike<number>} ratio  [COMPONENTS]: share of the variance
 */

/**
 * The map: a scatter whose places a worker computes, so that the page stays free.
 *
 * @param {HTMLElement} place
 * @param {Plots} plots
 * @param {object} told
 * @param {(by: 1 | -1) => void} told.busy  work beside the page has begun or ended
 * @param {(words: string) => void} told.variance  how much of it the picture shows
 * @param {(error: string) => void} told.wrong
 * @param {() => void} told.viewed  the reader looks elsewhere
 * @param {(id: number) => void} told.pointed
 * @param {(id: number) => void} told.chosen
 */
export function wordMap(place, plots, told) {
  const action = /** @type {HTMLElement} */ (place.previousElementSibling);
  const [stop, again] = /** @type {HTMLButtonElement[]} */ ([...action.querySelectorAll("button")]);
  const progress = /** @type {HTMLProgressElement} */ (action.querySelector("progress"));
  const note = /** @type {HTMLElement} */ (action.querySelector(".note"));

  /** @type {Table} */
  let table;
  /** @type {Wanted} */
  let wanted;
  /** What was computed and does not change, by its key. @type {Map<string, Places>} */
  const kept = new Map();
  /** What is on the picture. @type {Places | undefined} */
  let shown;
  /** @type {AbortController | undefined} */
  let abort;
  let underWay = "";
  let stopped = "";
  let agreed = false; // to a long computation
  /** @type {ScatterFigure | undefined} */
  let figure;
  /** The figure's words in its order: those of groups come first, so that their labels do. */
  let order = new Int32Array(0);
  /** Where all points are seen. @type {View | undefined} */
  let whole;
  /** Where the reader asked to look when nothing was there yet; null: at all. @type {View | null | undefined} */
  let asked;
  let ringed = -1;
  /** [N, 2] */
  let points = { data: new Float32Array(0), shape: [0, 2] };

  stop.addEventListener("click", () => {
    stopped = underWay;
    abort?.abort();
  });
  again.addEventListener("click", () => {
    [stopped, agreed] = ["", true];
    show(wanted);
  });

  /** @param {Wanted} next */
  async function show(next) {
    if (next.table !== table) begin(next.table);
    wanted = next;
    const key = keyOf(next);
    const known = kept.get(key) ?? (shown?.key === key ? shown : undefined);
    if (key === underWay || key === stopped) return paint();
    abort?.abort();
    [abort, underWay, stopped] = [undefined, "", ""];
    rest("");
    if (known) return paint(known);
    const own = (abort = new AbortController());
    underWay = key;
    told.busy(1);
    try {
      const ids = await idsOf(next);
      if (own !== abort) return;
      if (ids.length < 2) {
        throw new RangeError("There is nothing to show: choose a group, or type one of your own");
      }
      [stop.hidden, progress.hidden] = [false, false];
      note.textContent = `Computing the components of ${many(ids.length)} \u2026`;
      if (next.points === "all" && ids.length > FIRST && !shown) {
        paint(await placesOf("first", ids.slice(0, FIRST), own.signal));
      }
      if (ids.length * table.dim ** 2 > LONG && !agreed) return offer();
      paint(await placesOf(key, ids, own.signal));
      if (own === abort) rest("");
    } catch (error) {
      if (own === abort) fail(/** @type {Error} */ (error));
    } finally {
      if (own === abort) underWay = "";
      told.busy(-1);
    }
  }

  /** Another table: nothing of the one before is of use. @param {Table} next */
  function begin(next) {
    abort?.abort();
    [table, abort, underWay, stopped, agreed] = [next, undefined, "", "", false];
    [shown, figure, whole, ringed] = [undefined, undefined, undefined, -1];
    kept.clear();
    place.replaceChildren();
  }

  /** Ask before a long computation. */
  function offer() {
    stopped = underWay;
    rest(`These are the first ${count(FIRST)}. All of them take a while.`);
    again.hidden = false;
  }

  /** Words of the table, or tokens. @param {number} n */
  const many = (n) => `${count(n)} ${table.noun}s`;

  /** @param {Error} error */
  function fail({ name, message }) {
    if (name !== "AbortError") return rest("", message);
    const these = shown?.key === "first" ? ` These are the first ${many(FIRST)}.` : "";
    rest(`Stopped.${these}`);
    again.hidden = false;
  }

  /** Nothing is under way. @param {string} words @param {string} [wrong] */
  function rest(words, wrong = "") {
    [stop.hidden, progress.hidden, again.hidden] = [true, true, true];
    note.textContent = words;
    told.wrong(wrong && `${wrong}.`);
  }

  /** @param {Wanted} of */
  function keyOf({ points, groups, word, metric }) {
    if (points === "groups") return `groups ${word} ${[...groups.keys()].join()}`;
    return points === "near" ? `near ${word} ${metric}` : points;
  }

  /** @param {Wanted} of */
  async function idsOf({ points, groups, word, metric }) {
    if (points === "groups") return Int32Array.from(new Set([...groups.keys(), word])).sort();
    if (points === "near") {
      const others = await table.neighbours(word, NEAR - 1, metric);
      return Int32Array.of(word, ...others.map(({ id }) => id));
    }
    const size = points === "first" ? Math.min(FIRST, table.size) : table.size;
    return Int32Array.from({ length: size }, (_, id) => id);
  }

  /**
   * @param {string} key @param {Int32Array} ids @param {AbortSignal} signal
   * @returns {Promise<Places>}
   */
  async function placesOf(key, ids, signal) {
    const known = kept.get(key);
    if (known) return known;
    const components = Math.min(COMPONENTS, table.dim, ids.length);
    const all = key === "all" ? undefined : ids;
    const places = { key, ids, ...(await table.components(all, components, signal)) };
    if (key === "all" || key === "first") kept.set(key, places);
    return places;
  }

  /** What is wanted of these places. @param {Places | undefined} [places] */
  function paint(places = shown) {
    if (!places) return;
    shown = places;
    const { x, y, groups, word, named } = wanted;
    const { ids, projected, ratio } = places;
    const rows = inOrder(ids, groups);
    order = Int32Array.from(rows, (i) => ids[i]);
    const width = ratio.length;
    const data = new Float32Array(2 * rows.length);
    for (const [n, i] of rows.entries()) {
      data[2 * n] = projected[i * width + x - 1];
      data[2 * n + 1] = projected[i * width + y - 1];
    }
    points = { data, shape: [rows.length, 2] };
    const found = [word, ...named].map((id) => order.indexOf(id)).filter((n) => n >= 0);
    const share = (/** @type {number} */ c) => `${brief(100 * ratio[c - 1])} % of variance`;
    const options = {
      title: `${many(ids.length)} along components ${x} and ${y}`,
      labels: Array.from(order, (id) => table.words[id]),
      groups: groups.size > 0 ? Array.from(order, (id) => groups.get(id) ?? null) : undefined,
      highlight: found,
      xTitle: `component ${x} (${share(x)})`,
      yTitle: `component ${y} (${share(y)})`,
      height: heightOf(place),
    };
    const before = viewText() === "" ? undefined : figure?.view;
    if (figure) figure.update(points, options);
    figure ??= mount(options);
    const at = order.indexOf(word);
    figure.value = at < 0 ? null : { index: at }; // a new word is brought into the picture
    const moved = figure.view;
    figure.view = /** @type {any} */ (null);
    whole = figure.view;
    if (asked === undefined && before) figure.view = word === ringed ? before : moved;
    else if (asked) figure.view = asked;
    [ringed, asked] = [word, undefined];
    told.viewed();
    tell(places);
  }

  /** @param {Places} places */
  function tell({ ids, ratio }) {
    const { x, y, word } = wanted;
    const shares = Array.from(ratio, (share, c) => `${c + 1}: ${brief(100 * share)} %`).join(", ");
    const both = x === y ? ratio[x - 1] : ratio[x - 1] + ratio[y - 1];
    const absent = ids.includes(word)
      ? ""
      : ` \u201c${table.words[word]}\u201d is not among these.`;
    told.variance(
      `The picture holds ${brief(100 * both)} % of the variance of these ${many(ids.length)}. By component, ${shares}.${absent}`,
    );
  }

  /** @param {any} options */
  function mount(options) {
    const made = /** @type {ScatterFigure} */ (
      /** @type {unknown} */ (plots.scatter(points, options))
    );
    made.append(exportsOf(made, { name: "words", tensor: () => points }));
    made.addEventListener("view", told.viewed);
    made.addEventListener("change", ({ target }) => {
      if (target instanceof Element && !target.closest(".export") && made.value) {
        told.chosen(order[made.value.index]);
      }
    });
    made.addEventListener("input", (event) => {
      if (event.target === made && made.value) told.pointed(order[made.value.index]);
    });
    place.replaceChildren(made);
    return made;
  }

  /** Where the reader looks, for the address; empty: at all. */
  function viewText() {
    if (!figure || !whole || sameView(figure.view, whole)) return "";
    const { x, y, scale } = figure.view;
    return [x, y, scale].map((number) => Number(number.toPrecision(6))).join();
  }

  return {
    show,

    get view() {
      return viewText();
    },

    /** @param {string} text  as `view` gives it; anything else: at all */
    look(text) {
      if (figure && text === viewText()) return;
      const [x, y, scale] = text.split(",").map(Number);
      const legal = text !== "" && [x, y, scale].every(Number.isFinite) && scale > 0;
      asked = legal ? { x, y, scale } : null;
      if (figure && underWay === "") paint();
    },
  };
}

/**
 * The places of words by how early their labels come: those of groups before all others. One of each
 * group is the very first, so that the groups keep their order in the legend.
 *
 * @param {Int32Array} ids @param {Map<number, string>} groups
 */
function inOrder(ids, groups) {
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

/** Of the picture, px: as much as the window has, and not too high for its width. @param {HTMLElement} place */
function heightOf({ clientWidth }) {
  return Math.round(Math.max(320, Math.min(innerHeight * 0.72, clientWidth)));
}
