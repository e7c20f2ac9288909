// The lines of each figure, and the same numbers as a table.

/** @import { Recorded, Row, SchemeName, Setup, TaskName } from "./setup.js" */
/** @import { Run } from "./runs.js" */
/** @import { Axes, Line, Panel, Points } from "./panels.js" */
import { make } from "../app/dom.js";
import {
  bandsOf,
  endsOf,
  foundAt,
  halfOf,
  meanAt,
  meanText,
  placedRow,
  placesText,
  spanText,
} from "./places.js";
import { lengthsOf, measureOf, readingOf, readings, rowOf, schemes, tasks } from "./setup.js";
import { deviationOf, meanOf, spreadText, two } from "./spread.js";

/** @typedef {"length" | "position" | "distance" | "step"} View */
/** @typedef {{recorded: Recorded, setup: Setup, names: readonly SchemeName[], runs: readonly Run[], isCovered: boolean}} Shown */

/** Points of a line at most: more are means of neighbors. */
const POINTS = 64;

/** What a row of the record is called. @param {Pick<Row, "scheme" | "reading">} row */
export const titleOf = ({ scheme, reading }) =>
  reading ? `${schemes[scheme]}, ${readings[reading]}` : schemes[scheme];

/** Mean and standard deviation over the seeds of a row of the record, at each length. @param {Row} row @param {TaskName} task */
export function spreadOf(row, task) {
  const all = row[measureOf(task)];
  return all[0].map((_, at) => {
    const seeds = all.map((of) => of[at]);
    return { mean: meanOf(seeds), deviation: deviationOf(seeds) };
  });
}

/** The figures of the chosen schemes. @param {Shown & {view: View, ruler?: number}} shown  where the ruler stands @returns {{axes: Axes, all: Panel[]}} */
export function curvesOf({ recorded, setup, names, runs, view, isCovered, ruler }) {
  const axes = { ...axesOf(recorded, setup, runs, view), ...rulerOf(ruler, setup, view) };
  const shown = { recorded, setup, runs, isCovered };
  const all = names.map((name) => {
    const row = isCovered ? undefined : rowOf(recorded, setup, name);
    const own = runs.filter(({ scheme }) => scheme === name);
    const lines = [
      ...(view === "length" ? lengthLines(row, setup) : []),
      ...(view === "position" && !isCovered ? placeLines(recorded, setup, name) : []),
      ...own.flatMap((run) => lineOf(run, setup, view)),
    ];
    const words = wordsOf(name, row, own, setup, recorded);
    const places = view === "position" ? placesText(shown, name) : "";
    const label = [words.label, places].filter(Boolean).join("; ");
    return { ...words, label, name, lines };
  });
  return { axes, all };
}

/** @param {Row | undefined} row @param {Setup} setup @returns {Line[]} */
function lengthLines(row, setup) {
  if (!row) return [];
  const measure = measureOf(setup.task);
  const count = lengthsOf(setup).length;
  const points = (/** @type {readonly number[]} */ of) =>
    of.slice(0, count).map((y, x) => /** @type {const} */ ([x, y]));
  const seeds = row[measure].map((of) => /** @type {const} */ ({ kind: "seed", points: points(of) })); // prettier-ignore
  const means = row[measure][0].map((_, i) => meanOf(row[measure].map((of) => of[i])));
  return [...seeds, { kind: "mean", points: points(means) }];
}

/** @param {Recorded} recorded @param {Setup} setup @param {SchemeName} name @returns {Line[]} */
function placeLines(recorded, setup, name) {
  const row = placedRow(recorded, setup, name);
  if (!row) return [];
  const all = row.byPosition[measureOf(setup.task)].slice(0, setup.length * setup.factor);
  return [...bandsOf(row, setup), { kind: "mean", points: binned(all.map((y) => y ?? NaN)) }];
}

/** @param {Run} run @param {Setup} setup @param {View} view @returns {Line[]} */
function lineOf({ losses, tests, byPosition, byDistance }, setup, view) {
  const measure = measureOf(setup.task);
  /** @type {Record<View, Points>} */
  const views = {
    length: tests.map((test, x) => [x, test[measure]]),
    position: binned(halfOf(byPosition, measure)),
    distance: binned(halfOf(byDistance, measure)),
    step: binned(losses),
  };
  return [{ kind: "here", points: views[view] }];
}

/** Means of neighbors, at the middle of them. @param {readonly number[]} numbers  NaN where there is none @returns {Points} */
function binned(numbers) {
  const width = Math.max(1, Math.ceil(numbers.length / POINTS));
  /** @type {[number, number][]} */
  const points = [];
  for (let at = 0; at < numbers.length; at += width) {
    const there = numbers.slice(at, at + width).filter((y) => !Number.isNaN(y));
    if (there.length > 0)
      points.push([at + (Math.min(width, numbers.length - at) - 1) / 2, meanOf(there)]);
  }
  return points;
}

/** @param {Recorded} recorded @param {Setup} setup @param {readonly Run[]} runs @param {View} view @returns {Axes} */
function axesOf(recorded, setup, runs, view) {
  const { task, length, steps } = setup;
  const lengths = lengthsOf(setup);
  const longest = lengths[lengths.length - 1];
  const isLoss = view === "step" || measureOf(task) === "loss";
  const rows = recorded.tasks[task].rows;
  const all = [
    ...rows.flatMap(({ loss }) => loss.flat()),
    ...runs.flatMap(({ tests }) => tests.map(({ loss }) => loss)),
  ];
  const top =
    view === "step" ? Math.max(1, ...runs.map(({ losses }) => losses[0] ?? 0)) : Math.max(...all);
  const low = view === "step" ? 0 : Math.floor(Math.min(...all) * 2) / 2;
  const high = Math.ceil(top * 2) / 2;
  const ticks = (/** @type {readonly number[]} */ at) =>
    at.map((x) => ({ at: x, text: String(x) }));
  const y = isLoss
    ? {
        y: /** @type {[number, number]} */ ([low, high]),
        yTicks: ticks([low, (low + high) / 2, high]),
      }
    : { y: /** @type {[number, number]} */ ([0, 1]), yTicks: ticks([0, 0.5, 1]) };
  const { chance } = recorded.tasks[task];
  const guess = isLoss || chance === undefined ? {} : { chance };
  if (view === "step") return { x: [0, steps], ...y, xTicks: ticks([0, steps / 2, steps]) };
  if (view === "length") {
    const xTicks = lengths.map((of, at) => ({ at, text: String(of) }));
    return { x: [-0.35, lengths.length - 0.85], ...y, xTicks, wall: 0, ...guess };
  }
  return {
    x: [0, longest],
    ...y,
    xTicks: ticks([length, longest / 2, longest]),
    wall: length,
    ...guess,
  };
}

/** Where the ruler is drawn, in views that have its position. @param {number | undefined} at @param {Setup} setup @param {View} view @returns {Pick<Axes, "ruler">} */
function rulerOf(at, { length }, view) {
  if (at === undefined) return {};
  if (view === "position") return { ruler: at };
  return view === "length" && at >= length ? { ruler: Math.log2(at / length) } : {};
}

/**
 * What stands around a figure.
 * @param {SchemeName} name @param {Row | undefined} row @param {readonly Run[]} own @param {Setup} setup @param {Recorded} recorded
 * @returns {Omit<Panel, "name" | "lines">}
 */
function wordsOf(name, row, own, setup, recorded) {
  const measure = measureOf(setup.task);
  const lengths = lengthsOf(setup);
  const last = lengths.length - 1;
  const ends = row?.[measure].flatMap((of) => of[last] ?? []) ?? [];
  const reading = readingOf(setup, name);
  const title = `${schemes[name]}${reading ? `, ${readings[reading]}` : ""}`;
  const said = spreadText(ends);
  const tested = own.filter(({ tests }) => tests.length > last);
  const here = spreadText(tested.map(({ tests }) => tests[last][measure]));
  const { note, mark } = noteOf(own, here, rowOf(recorded, { ...setup, reading: null }, name));
  const about = `${title}: ${measure} at ${lengths[last]} tokens`;
  const parts = [said && `recorded ${said}`, here && `here ${here}`].filter(Boolean);
  return { title, said, note, mark, label: `${about}: ${parts.join(", ") || "not run"}` };
}

/** @param {readonly Run[]} own @param {string} here @param {Row | undefined} row  of the training @returns {Pick<Panel, "note" | "mark">} */
function noteOf(own, here, row) {
  const failed = own.find(({ state }) => state === "failed");
  if (failed) return { note: failed.error ?? "", mark: "other" };
  const training = own.find(({ state }) => state === "trains");
  if (training) {
    const { losses } = training;
    return {
      note: `step ${losses.length}, loss ${two(losses[losses.length - 1] ?? NaN)}`,
      mark: "",
    };
  }
  const done = own.filter(({ bits }) => bits);
  if (done.length === 0) return { note: "", mark: "" };
  const known = done.filter(({ seed }) => row?.bits[seed - 1]);
  if (known.length === 0) return { note: `here ${here}`, mark: "" };
  const isSame = known.every(({ seed, bits }) => row?.bits[seed - 1] === bits);
  return {
    note: `here ${here}, ${isSame ? "same" : "other"} bits`,
    mark: isSame ? "same" : "other",
  };
}

/** What the lines are; words about a color have it. @param {Setup} setup @param {View} view @param {Recorded} recorded @returns {(Node | string)[]} */
export function legendOf(setup, view, recorded) {
  const measure = measureOf(setup.task) === "loss" ? "Loss in nats a character" : "Accuracy";
  const seeds = recorded.tasks[setup.task].rows[0]?.bits.length ?? 0;
  const record = setup.isRecorded
    ? {
        length: ` Gray: recorded, ${seeds} seeds and, dashed, their mean; the number is mean ± standard deviation at the longest text.`,
        position: ` Gray, dashed: recorded, the mean of ${seeds} seeds; the band is their standard deviation on either side of the mean of eight positions. The number is mean ± standard deviation at the longest text.`,
        distance: " By distance nothing is recorded.",
        step: " Of losses nothing is recorded.",
      }[view]
    : " These settings are not in the record.";
  const what = {
    length: `${measure} over texts of each length, in tokens.`,
    position: `${measure} at each position of the longest texts.`,
    distance: `${measure} by the distance to the token that answers, in the longest texts.${setup.task === "text" ? " Text has no such token." : ""}`,
    step: "Loss in nats at each step of the training.",
  }[view];
  const hued = (/** @type {string} */ means, /** @type {string} */ text) =>
    make("span", { class: "hued", "data-means": means }, text);
  const red = view === "step" ? [] : [" ", hued("unseen", "Red"), ": beyond the trained length."];
  const dotted = view === "step" || setup.task === "text" ? "" : " Dotted: a guess.";
  const before = `Task “${tasks[setup.task]}”. ${what}${record} `;
  return [before, hued("trained", "Green"), ": trained here.", ...red, dotted];
}

/**
 * What a column of the table has: of the record, and of a training here.
 * @typedef {{head: string, record: (name: SchemeName) => string, here: (run: Run) => string}} Column
 */

/** @param {Shown} shown @returns {Column[]} */
function columnsByLength({ recorded, setup, isCovered }) {
  const measure = measureOf(setup.task);
  return lengthsOf(setup).map((length, i) => ({
    head: `${measure} at ${length}`,
    record(name) {
      const row = isCovered ? undefined : rowOf(recorded, setup, name);
      return spreadText(row?.[measure].flatMap((of) => of[i] ?? []) ?? []);
    },
    here: ({ tests }) => (tests[i] ? two(tests[i][measure]) : ""),
  }));
}

/** @param {Shown} shown @returns {Column[]} */
function columnsByPosition(shown) {
  const measure = measureOf(shown.setup.task);
  return endsOf(shown.setup).map((end) => ({
    head: `${measure} at ${spanText(end)}`,
    record(name) {
      const { record } = foundAt({ ...shown, runs: [] }, name, end);
      return record ? meanText(record) : "";
    },
    here({ byPosition }) {
      const mean = meanAt(halfOf(byPosition, measure), end);
      return mean === undefined ? "" : two(mean);
    },
  }));
}

/** All numbers as a table, by position where those are shown. @param {Shown & {view: View}} shown */
export function numbersOf(shown) {
  const { recorded, setup, names, runs, isCovered, view } = shown;
  const columns = view === "position" ? columnsByPosition(shown) : columnsByLength(shown);
  const rows = names.flatMap((name) => {
    const row = isCovered ? undefined : rowOf(recorded, setup, name);
    const line = (/** @type {string[]} */ cells) =>
      make(
        "tr",
        {},
        make("th", { scope: "row" }, schemes[name]),
        ...cells.map((text) => make("td", {}, text)),
      );
    const ofRecord = row
      ? [line([`recorded, ${row.bits.length} seeds`, ...columns.map(({ record }) => record(name)), ""])] // prettier-ignore
      : [];
    const ofRuns = runs
      .filter(({ scheme, isFinal }) => scheme === name && isFinal)
      .map((run) =>
        line([`here, seed ${run.seed}`, ...columns.map(({ here }) => here(run)), run.bits ?? ""]),
      );
    return [...ofRecord, ...ofRuns];
  });
  const heads = ["Scheme", "Trained", ...columns.map(({ head }) => head), "Bits of the weights"];
  return make(
    "table",
    {},
    make("thead", {}, make("tr", {}, ...heads.map((text) => make("th", { scope: "col" }, text)))),
    make("tbody", {}, ...rows),
  );
}
