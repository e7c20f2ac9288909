/** @import { Recorded, ReadingName, SchemeName } from "../../lab/setup.js" */
/** @import { Row, TaskName } from "./experiments.js" */
/** @import { Values } from "../../app/controls.js" */
import { mode } from "../../app/lecture/mode.js";
import { page } from "../../app/page.js";
import { bar, waves } from "../../app/pictures.js";
import { valueAt } from "../../app/questions/verdict.js";
import { meanOf } from "../../lab/spread.js";
import { readings, schemes, tasks } from "../../lab/setup.js";
import { COMPARED, TIMES, TRAINED, trained } from "./experiments.js";

const LONGEST = TRAINED * TIMES[TIMES.length - 1];
const FAR = TIMES.length - 1;

/** Positions that are one point of a curve. */
const BIN = 8;
const CENTERS = Array.from({ length: LONGEST / BIN }, (_, i) => (i + 0.5) * BIN);

/** What the buttons of the sorted question call the schemes. @type {Record<string, string>} */
const SHORT = { none: "NoPE", rope: "RoPE", alibi: "ALiBi" };

/** The rows of the experiments that have run, or run now. @type {Map<string, Promise<Row[]>>} */
const whole = new Map();
let isOpen = false;

/**
 * Trains the models of an experiment, as long work of the page.
 * @param {string} name @param {AbortSignal} signal
 */
async function* trains(name, signal) {
  /** @type {(rows: Row[]) => void} */
  let resolve = () => {};
  /** @type {(reason: Error) => void} */
  let reject = () => {};
  const rows = new Promise((...ends) => ([resolve, reject] = ends));
  whole.set(name, rows);
  rows.catch(() => whole.delete(name));
  const from = performance.now();
  try {
    for await (const { count, of, ...step } of trained(name, signal)) {
      const seconds = ((performance.now() - from) / 1000).toFixed(1);
      if (count === of) resolve(step.rows);
      yield {
        ...step,
        note: `${count} of ${of} models are trained and tested, after ${seconds} s.`,
      };
    }
  } finally {
    reject(new Error("the training was stopped")); // does nothing after its end
  }
}

/**
 * The rows of the run that the reader sees; it begins if there is none.
 * @param {string} name
 */
async function ran(name) {
  if (!whole.has(name)) {
    // Answers of an earlier visit are judged when the reader asks for it, not while the page opens.
    if (!isOpen && mode !== "key") throw new Error("the models must be trained again");
    const begin = document.querySelector(`[data-action="${name}"] .begin`);
    /** @type {HTMLButtonElement} */ (begin).click();
  }
  const rows = await whole.get(name);
  if (!rows) throw new Error("the training was stopped");
  return rows;
}

/** @param {readonly Row[]} rows @param {Partial<Row>} wanted */
const those = (rows, wanted) =>
  rows.filter((row) =>
    Object.entries(wanted).every(([key, value]) => row[/** @type {keyof Row} */ (key)] === value),
  );

/** @param {readonly number[]} numbers */
const listed = (numbers) => numbers.map((x) => x.toFixed(2)).join(", ");

/** @param {readonly Row[]} rows @param {number} [at]  the index of the length */
const endsOf = (rows, at = FAR) => rows.map(({ accuracy }) => accuracy[at]);

/** Means over neighboring positions. @param {ArrayLike<number | null>} byPosition */
const binned = (byPosition) =>
  CENTERS.map((center) => {
    const bin = Array.from({ length: BIN }, (_, i) => byPosition[center - BIN / 2 + i] ?? NaN);
    return meanOf(bin.filter((x) => !Number.isNaN(x)));
  });

/** @param {Recorded} recorded @param {TaskName} task @param {string} scheme @param {ReadingName | null} [reading] */
const recordOf = (recorded, task, scheme, reading = null) =>
  recorded.tasks[task].rows.find((row) => row.scheme === scheme && row.reading === reading);

/** The record in the form of a run. @param {Recorded} recorded @param {TaskName} task @param {string} scheme @param {ReadingName | null} [reading] */
const recordedRows = (recorded, task, scheme, reading = null) =>
  (recordOf(recorded, task, scheme, reading)?.accuracy ?? []).map((accuracy, i) => ({
    task,
    scheme,
    reading,
    isChanged: false,
    seed: i + 1,
    accuracy,
  }));

/** @typedef {Omit<Row, "byPosition">} Bar */

/** The name of what a bar is about, short enough for a phone. @param {Bar} row */
function nameOf({ scheme, reading, isChanged }) {
  if (reading) return `${readings[reading]}${isChanged ? " tuned" : ""}`;
  return isChanged ? "dropped" : schemes[/** @type {SchemeName} */ (scheme)];
}

/**
 * A bar for each seed.
 * @param {readonly Bar[]} rows @param {{title: string, times: string, chance?: number, isRun: boolean}} about
 */
function bars(rows, { title, times, chance, isRun }) {
  const at = TIMES.indexOf(Number(times));
  return bar(endsOf(/** @type {readonly Row[]} */ (rows), at), {
    title: `${title}, ${Number(times) * TRAINED} tokens: ${isRun ? "trained here" : "recorded"}`,
    labels: rows.map((row) => `${nameOf(row)}, ${row.seed}`),
    groups: rows.map(nameOf),
    xTitle: "model, seed",
    yTitle: "accuracy",
    horizontal: true,
    ...(chance && { rule: { value: chance, label: "guessing" } }),
  });
}

/** Bars of one task, of a run or of the record. @param {TaskName} task @param {string} times @param {Values} made @param {string} name  of the experiment @param {readonly (readonly [string, ReadingName | null])[]} recordedAs */
function barsOf(task, times, made, name, recordedAs) {
  const { recorded } = made;
  const known = those(made[name]?.rows ?? [], { task });
  const own = [...new Set(known.map(nameOf))].flatMap((each) =>
    known.filter((row) => nameOf(row) === each),
  );
  const rows =
    own.length > 0
      ? own
      : recordedAs.flatMap((each) => recordedRows(recorded, task, each[0], each[1]));
  const about = { title: tasks[task], times, chance: recorded.tasks[task].chance };
  return bars(rows, { ...about, isRun: own.length > 0 });
}

const READ = /** @type {const} */ ([null, "linear", "ntk", "yarn"]);
const ROPE = READ.map((reading) => /** @type {const} */ (["rope", reading]));

/** @param {string} scheme @param {(rows: Row[], beyond: string) => string} because */
const wall = (scheme, because) => async () => {
  const rows = those(await ran("wall"), { scheme });
  const lines = rows.map(({ byPosition }) => binned(byPosition));
  const curve = CENTERS.map((x, i) => /** @type {const} */ ([x, meanOf(lines.map((y) => y[i]))]));
  const later = rows.map(({ byPosition }) => meanOf([...byPosition.subarray(TRAINED)]));
  return { curve, within: 0.15, because: because(rows, listed(later)) };
};

/** The accuracy of each seed at a length, as a list. @param {readonly Row[]} rows @param {number} [at] */
const said = (rows, at) => listed(endsOf(rows, at));

/** The facts about the record: `TASK-SCHEME` or `TASK-SCHEME-READING`, each seed at eight times the trained length. */
const RECORDED = /** @type {const} */ ([
  ["back", "learned", null],
  ["back", "rope", null],
  ["back", "t5Bias", null],
  ["needle", "t5Bias", null],
  ["latest", "t5Bias", null],
]);

page({
  async prepare() {
    const answer = await fetch(new URL("../../lab/recorded.json", import.meta.url));
    if (!answer.ok) throw new Error(`recorded.json could not be loaded (${answer.status}).`);
    return { recorded: await answer.json() };
  },

  actions: Object.fromEntries(
    ["wall", "lunch", "repair", "drop"].map((name) => [
      name,
      (_, __, ___, signal) => trains(name, signal),
    ]),
  ),

  pictures: {
    wall(_, __, { recorded, wall, guess }) {
      const own = /** @type {Row[]} */ (wall?.rows ?? []);
      const known = ["learned", "rope"].flatMap(
        (scheme) => recordOf(recorded, "back", scheme) ?? [],
      );
      const lines = own.length
        ? own.map((row) => ({
            label: `${nameOf(row)}, seed ${row.seed}`,
            y: binned(row.byPosition),
          }))
        : known.map(({ scheme, byPosition, bits }) => ({
            label: `${schemes[scheme]}, recorded: mean of ${bits.length} seeds`,
            y: binned(byPosition.accuracy),
          }));
      for (const scheme of ["learned", "rope"]) {
        const points = guess[`wall-${scheme}`];
        const label = `${schemes[/** @type {SchemeName} */ (scheme)]}, your guess`;
        if (points) lines.push({ label, y: CENTERS.map((x) => valueAt(points, x)) });
      }
      return waves(
        CENTERS.map((_, i) => lines.map(({ y }) => y[i])),
        {
          title: "3 back: accuracy at each position of texts of 256 tokens",
          x: CENTERS,
          labels: lines.map(({ label }) => label),
          xTitle: "position (tokens)",
          yTitle: "accuracy",
          yDomain: [0, 1],
          rules: [{ x: TRAINED, label: "trained length" }],
        },
      );
    },

    lunch: (_, { task, times }, made) =>
      barsOf(task, times, made, "lunch", COMPARED.map((scheme) => [scheme, null])), // prettier-ignore
    repaired: (_, { times }, made) => barsOf("needle", times, made, "repair", ROPE),
    ruined: (_, { times }, made) => barsOf("back", times, made, "repair", ROPE),
    dropped: (_, { times }, made) => barsOf("needle", times, made, "drop", ROPE.slice(0, 1)),
    "dropped-back": (_, { times }, made) => barsOf("back", times, made, "drop", ROPE.slice(0, 1)),
  },

  facts: {
    ...Object.fromEntries(
      RECORDED.map(([task, scheme, reading]) => [
        [task, scheme, reading].filter(Boolean).join("-"),
        (/** @type {unknown} */ _, /** @type {unknown} */ __, /** @type {Values} */ { recorded }) =>
          listed(
            (recordOf(recorded, task, scheme, reading)?.accuracy ?? []).map((seed) => seed[FAR]),
          ),
      ]),
    ),
    command: (_, __, { recorded }) => recorded.command,
    date: (_, __, { recorded }) => recorded.date,
    readings: (_, __, { recorded }) =>
      READ.map((reading) => {
        const ends = recordedRows(recorded, "needle", "rope", reading);
        return `${reading ? readings[reading] : "plain"} ${said(/** @type {any} */ (ends))}`;
      }).join("; "),
  },

  questions: {
    "wall-learned": wall("learned", (rows, beyond) => {
      const inside = said(rows, 0);
      return `The three seeds have ${inside} in texts of ${TRAINED} tokens, and ${beyond} beyond position ${TRAINED}, where a guess has 0.06. The rows there are those that the table began with: no step has trained them.`;
    }),
    "wall-rope": wall("rope", (rows, beyond) => {
      const inside = said(rows, 0);
      return `The three seeds have ${inside} in texts of ${TRAINED} tokens, and ${beyond} beyond position ${TRAINED}. Three steps are the same rotation everywhere. But in longer texts the slow pairs meet angles that no step of training has had.`;
    }),

    async lunch() {
      const rows = await ran("lunch");
      const names = /** @type {const} */ (["back", "needle", "latest"]);
      const all = names.map((task) => {
        const found = COMPARED.map((scheme) => ({ scheme, rows: those(rows, { task, scheme }) }));
        const means = found.map((each) => meanOf(endsOf(each.rows)));
        const best = found[means.indexOf(Math.max(...means))].scheme;
        const seeds = found.map((each) => `${SHORT[each.scheme]} ${said(each.rows)}`).join("; ");
        return { task, best: SHORT[best], words: `At ${LONGEST} tokens: ${seeds}.` };
      });
      return {
        sorted: Object.fromEntries(all.map(({ task, best }) => [task, best])),
        because: Object.fromEntries(all.map(({ task, words }) => [task, words])),
      };
    },

    async needle() {
      const rows = those(await ran("repair"), { task: "needle" });
      const found = READ.slice(1).map((reading) => ({ reading, rows: those(rows, { reading }) }));
      const means = found.map((each) => meanOf(endsOf(each.rows)));
      const least = String(found[means.indexOf(Math.min(...means))].reading);
      const seeds = found.map((each) => `${readings[/** @type {ReadingName} */ (each.reading)]} ${said(each.rows)}`); // prettier-ignore
      const plain = said(those(rows, { reading: null }));
      return {
        answer: least,
        because: `At ${LONGEST} tokens the three seeds have ${seeds.join("; ")}; read as trained, ${plain}. NTK slows only the slowest pair by 8. The pairs between still meet angles that are new.`,
      };
    },

    async back() {
      const rows = those(await ran("repair"), { task: "back", isChanged: false });
      const found = READ.slice(1).map((reading) => ({ reading, rows: those(rows, { reading }) }));
      const means = found.map((each) => meanOf(endsOf(each.rows, 1)));
      const spoiled = found.filter((_, i) => means[i] < 0.5).map(({ reading }) => reading);
      const seeds = found.map((each) => `${readings[/** @type {ReadingName} */ (each.reading)]} ${said(each.rows, 1)}`); // prettier-ignore
      return {
        answer: spoiled.length === 1 ? String(spoiled[0]) : spoiled.length === 0 ? "none" : "all",
        because: `At ${2 * TRAINED} tokens the three seeds have ${seeds.join("; ")}. Interpolation by 2 turns 3 steps into one and a half, an offset that the fast pairs were never trained for. NTK and YaRN keep the fastest pairs.`,
      };
    },

    async tuned() {
      const rows = those(await ran("repair"), { task: "back", isChanged: true });
      const [linear, yarn] = READ.filter(
        (reading) => reading === "linear" || reading === "yarn",
      ).map((reading) => those(rows, { reading }));
      const isGood = (/** @type {Row[]} */ of) => Math.min(...endsOf(of, 2)) > 0.9;
      const answer = isGood(linear) ? (isGood(yarn) ? "both" : "linear") : isGood(yarn) ? "yarn" : "neither"; // prettier-ignore
      return {
        answer,
        because: `At ${4 * TRAINED} tokens the three seeds have ${said(linear, 2)} with linear interpolation and ${said(yarn, 2)} with YaRN; at ${LONGEST} tokens, longer than any text of the 40 steps, ${said(linear)} and ${said(yarn)}.`,
      };
    },

    async drop() {
      const rows = await ran("drop");
      const of = (/** @type {TaskName} */ task, /** @type {boolean} */ isChanged) =>
        those(rows, { task, isChanged });
      const isBetter = (/** @type {TaskName} */ task) =>
        meanOf(endsOf(of(task, true))) > meanOf(endsOf(of(task, false)));
      const [needle, back] = [isBetter("needle"), isBetter("back")];
      const seeds = /** @type {const} */ (["needle", "back"]).map(
        (task) =>
          `${tasks[task]}: with RoPE ${said(of(task, false))}, dropped ${said(of(task, true))}`,
      );
      return {
        answer: needle ? (back ? "both" : "needle") : back ? "back" : "neither",
        because: `At ${LONGEST} tokens the three seeds have, ${seeds.join("; ")}. A needle is found by what it says. “3 back” is nothing but a position: without positions a single layer cannot count.`,
      };
    },
  },
}).then(() => (isOpen = true));
