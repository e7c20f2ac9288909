/**
 * @import { Plots } from "./map.js"
 * @import { Table } from "../app/models/table.js"
 * @import { Positions } from "../app/models/tasks.js"
 */
import { byId, make } from "../app/dom.js";
import { exportsOf } from "../app/exports.js";
import { brief, count, shape } from "../app/numbers.js";

/** Groups of equal rows that are listed, and words of each. */
const GROUPS = 12;
const MEMBERS = 4;

const compact = new Intl.NumberFormat("en", { notation: "compact" });

/** Words that are compared, at most. */
export const COMPARED = 16;

/**
 * What the file of a model holds, as textbooks let their readers print it: its tensors, how long the rows
 * are, which are far from all others or equal, and how positions are alike.
 *
 * @param {Promise<Plots>} drawing  what draws; it is on its way
 * @param {object} told
 * @param {(by: 1 | -1) => void} told.busy
 * @param {(id: number) => void} told.chosen
 */
export function layerOf(drawing, told) {
  /** @type {Table | undefined} */
  let table;
  const lengths = picture("lengths", "bar", drawing);
  const ranks = picture("ranks", "bar", drawing);
  const positions = picture("positions", "heatmap", drawing);
  const cosines = picture("cosines", "heatmap", drawing);

  /** @param {Table} next */
  async function show(next) {
    table = next;
    showTensors(next);
    const says = ["lengths", "ranks", "outliers", "repeated", "positions"];
    for (const each of says) byId(`${each}-fact`).textContent = "\u2026";
    for (const each of ["outliers", "repeated"]) byId(each).replaceChildren();
    await each(next, () => next.statistics(), "lengths", showStatistics);
    await each(next, () => next.positions(), "positions", showPositions);
  }

  /** What takes longest, and comes when all else is there. @param {Table} next */
  const showRepeated = (next) => each(next, () => next.repeated(), "repeated", listRepeated);

  /**
   * @template T
   * @param {Table} of @param {() => Promise<T>} ask @param {string} name
   * @param {(found: T, table: Table) => unknown} paint
   */
  async function each(of, ask, name, paint) {
    told.busy(1);
    try {
      const found = await ask();
      if (of === table) await paint(found, of);
    } catch (error) {
      if (of === table) byId(`${name}-fact`).textContent = /** @type {Error} */ (error).message;
    } finally {
      told.busy(-1);
    }
  }

  /** @param {Table} table */
  function showTensors({ about }) {
    const [body] = /** @type {HTMLTableElement} */ (byId("tensors")).tBodies;
    body.replaceChildren(
      ...about.layers.map(({ what, name, shape: sizes, dtype, bytes }) =>
        make(
          "tr",
          {},
          make("th", { scope: "row" }, what),
          make("td", {}, make("code", {}, name)),
          make("td", {}, make("code", {}, shape(sizes))),
          make("td", {}, dtype),
          make("td", { class: "number" }, count(bytes)),
        ),
      ),
    );
    const tensors = `${about.format}, ${count(about.tensors)} tensor${about.tensors === 1 ? "" : "s"} in all: ${about.file}`;
    byId("layer-facts").replaceChildren(
      ...[`File: ${tensors}.`, ...about.facts, ...about.warnings].map((fact) =>
        make("li", {}, fact),
      ),
    );
  }

  /** @param {Awaited<ReturnType<Table["statistics"]>>} found @param {Table} of */
  async function showStatistics(found, of) {
    const { mean, std, min, max, median, meanCosine, counts, edges, byRank, outliers } = found;
    byId("lengths-fact").textContent =
      `Mean ${brief(mean)}, standard deviation ${brief(std)}, median ${brief(median)}; from ${brief(min)} to ${brief(max)}. ` +
      `The mean cosine of two different rows is ${brief(meanCosine)}: ${meanCosine > 0.1 ? "they lie in a narrow cone" : "they point in all directions"}.`;
    await lengths.show({ data: counts, shape: [counts.length] }, "lengths", {
      title: `How many ${of.noun}s have a row of each length`,
      labels: Array.from(counts, (_, i) => `${brief(edges[i])}`),
      xTitle: "length from",
      yTitle: `${of.noun}s`,
    });
    const groups = byRank.length;
    byId("ranks-fact").textContent =
      `The mean length of ${count(groups)} groups of equally many ${of.noun}s, the first in the list at the left; most lists begin with what is frequent.`;
    await ranks.show({ data: byRank, shape: [groups] }, "ranks", {
      title: `Mean length by place in the list of ${of.noun}s`,
      labels: Array.from(byRank, (_, i) => compact.format(Math.floor((i * of.size) / groups))),
      xTitle: `${of.noun}s from`,
      yTitle: "mean length",
    });
    const { count: far, first } = outliers;
    const most = far > first.length ? "; the farthest" : "";
    const isUntrained = first.some(({ norm }) => norm < median / 2);
    byId("outliers-fact").textContent =
      far === 0
        ? "None is 6 deviations or more away from the median."
        : `${count(far)} ${far === 1 ? "is" : "are"} 6 deviations or more away from the median${most}.${isUntrained ? " Short ones were hardly ever met in training." : ""}`;
    byId("outliers").replaceChildren(
      ...outliers.first.map(({ id, norm }) =>
        make("li", {}, go(of, id), make("data", { value: norm }, brief(norm))),
      ),
    );
  }

  /** @param {number[][]} groups @param {Table} of */
  function listRepeated(groups, of) {
    const rows = groups.reduce((sum, group) => sum + group.length, 0);
    byId("repeated-fact").textContent =
      groups.length === 0
        ? "No two rows are equal to the bit."
        : `${count(rows)} rows are equal to another to the bit, in ${count(groups.length)} group${groups.length === 1 ? "" : "s"}: padding, or ${of.noun}s never trained.`;
    byId("repeated").replaceChildren(
      ...groups.slice(0, GROUPS).map((ids) => {
        const more =
          ids.length > MEMBERS
            ? make("span", { class: "note" }, `and ${count(ids.length - MEMBERS)} more`)
            : "";
        return make("li", {}, ...ids.slice(0, MEMBERS).map((id) => go(of, id)), more);
      }),
    );
  }

  /** @param {Positions | null} found @param {Table} of */
  async function showPositions(found, { about }) {
    if (!found) {
      byId("positions-fact").textContent = about.facts[0];
      return positions.clear();
    }
    const { places, length, cosines } = found;
    const step = places.length > 1 ? places[1] - places[0] : 1;
    const labels = Array.from(places, count);
    byId("positions-fact").textContent =
      `A learned table of ${count(length)} rows: the cosine of each ${step === 1 ? "position" : `${step}th position`} with each, up to ${count(places[places.length - 1])}.`;
    await positions.show(cosines, "positions", {
      title: "Cosines of the rows of positions",
      ...{ rowTitle: "position", columnTitle: "position", rowLabels: labels, columnLabels: labels },
      domain: [-1, 1],
    });
  }

  /** @param {Table} of @param {readonly number[]} ids */
  async function compare(of, ids) {
    if (ids.length < 2) return cosines.clear();
    await each(
      of,
      () => of.cosines(ids),
      "compared",
      (found) => {
        const labels = ids.map((id) => of.words[id]);
        return cosines.show(found, "cosines", {
          title: "The cosine of each with each",
          ...{ rowTitle: of.noun, columnTitle: of.noun, rowLabels: labels, columnLabels: labels },
          domain: [-1, 1],
        });
      },
    );
  }

  /** @param {Table} of @param {number} id */
  function go(of, id) {
    const button = make("button", { type: "button" }, of.words[id]);
    button.addEventListener("click", () => told.chosen(id));
    return button;
  }

  return { show, showRepeated, compare };
}

/**
 * A figure that is made when there is something to show.
 * @param {string} name @param {"bar" | "heatmap"} kind @param {Promise<Plots>} drawing
 */
function picture(name, kind, drawing) {
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
      const plots = await drawing;
      shown = data;
      if (figure) return figure.update(data, options);
      figure = /** @type {any} */ (plots[kind])(data, options);
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
