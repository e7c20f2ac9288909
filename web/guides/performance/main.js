// The figures of the recorded run, and a small run in the reader's browser.

import * as Plot from "@observablehq/plot";
import { figures } from "phasor/plots";
import recorded from "virtual:performance";
import { act } from "../../app/action.js";
import { byId, make } from "../../app/dom.js";
import { exportsOf } from "../../app/exports.js";
import { digits } from "./table.js";
import { measure } from "./trial.js";
import "./style.css";

/** @import { Point, Scaling } from "../../../scripts/bench/scaling.js" */
/** @import { Timed } from "./trial.js" */

const { waves } = figures({ Plot });

/**
 * Lines over the size, one for each task.
 * @param {string} place  the id @param {string} name @param {readonly Scaling[]} tasks
 * @param {(point: Point) => number} y @param {object} options
 */
function show(place, name, tasks, y, options) {
  const x = [...new Set(tasks.flatMap(({ points }) => points.map(({ size }) => size)))];
  x.sort((a, b) => a - b);
  const rows = x.map((size) =>
    tasks.map(({ points }) => {
      const point = points.find((each) => each.size === size);
      return point ? y(point) : NaN;
    }),
  );
  const labels = tasks.map(({ id }) => id);
  const figure = waves(rows, {
    x,
    labels,
    xTitle: "size (numbers)",
    xScale: "log",
    yScale: "log",
    points: true,
    ...options,
  });
  const shape = [rows.length, labels.length];
  figure.append(exportsOf(figure, { name, tensor: () => ({ data: rows.flat(), shape }) }));
  byId(place).append(figure);
}

for (const group of new Set(recorded.map((task) => task.group))) {
  const tasks = recorded.filter((task) => task.group === group);
  const each = (/** @type {Point} */ { ms, numbers }) => (ms / numbers) * 1e6;
  const title = `${group}: time of a number by size`;
  const name = `scaling-${group.toLowerCase()}`;
  show("scaling-figures", name, tasks, each, { title, yTitle: "time of a number (ns)" });
}

const allocating = recorded.filter(({ points }) => points.some(({ fresh }) => fresh !== null));
if (allocating.length > 0) {
  const ratio = (/** @type {Point} */ { ms, fresh }) => (fresh === null ? NaN : fresh / ms);
  show("fresh-figure", "new-arrays", allocating, ratio, {
    title: "Time with a new array, relative to out",
    yTitle: "time with a new array / with out",
    rules: [{ y: 1, label: "" }],
  });
}

const head = ["Task", "phasor, ms", "JavaScript, ms", "JavaScript / phasor"];

/** @param {readonly Timed[]} timed */
function table(timed) {
  const lines = timed.map(({ title, ours, loop }) =>
    make(
      "tr",
      {},
      make("th", { scope: "row" }, title),
      ...[ours, loop, loop / ours].map((value) => make("td", {}, digits(value))),
    ),
  );
  return make(
    "table",
    { class: "numbers" },
    make("thead", {}, make("tr", {}, ...head.map((title) => make("th", { scope: "col" }, title)))),
    make("tbody", {}, ...lines),
  );
}

const place = /** @type {HTMLElement} */ (document.querySelector("[data-action=trial]"));
/** @type {Timed[]} */
let timed = [];
act(place, {
  async *begin() {
    timed = [];
    const { load } = await import("phasor");
    yield* measure(await load());
    yield { progress: 1, note: "Done. Other pages and programs change these times." };
  },
  publish(step) {
    if (step?.timed) timed.push(/** @type {Timed} */ (step.timed));
    byId("trial").replaceChildren(...(timed.length > 0 ? [table(timed)] : []));
  },
});
