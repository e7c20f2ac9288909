// What the package costs before and beside its work: the time to its first table, the memory of its core.

import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "../setup/run.js";
import { loadInView } from "./core.js";
import { quantile } from "./measure.js";
import { digits, judge, table } from "./report.js";

/** @typedef {import("./record.js").Found} Found */
/** @typedef {import("./rows/index.js").Goal} Goal */

const folder = dirname(fileURLToPath(import.meta.url));

/** Who makes the first table: the names of first.js and those of the rows. The last one is a limit: it computes nothing. */
const FIRST = Object.freeze({
  phasor: "phasor",
  sinusoidal: "phasor/sinusoidal",
  external: "phasor/external",
  plain: "JavaScript",
  "jax-js": "jax-js",
  fill: "a new array, filled",
});

/** The steps of first.js. */
const STEPS = /** @type {const} */ (["imported", "loaded", "small", "large"]);

/** From `import` to the first table, in fresh processes. @param {string} entry @returns {Promise<Found>} */
export async function runFirst(entry) {
  const title = "from import to the first table 512 x 512, then the first 4096 x 768";
  console.log(`\nfirst  ${title}`);
  const names = Object.keys(FIRST);
  const times = names.map(() => /** @type {Record<typeof STEPS[number], number>[]} */ ([]));
  for (let round = 0; round < 9; ++round) {
    for (const [i, name] of names.entries()) {
      const args = [join(folder, "first.js"), name, entry];
      const { stdout } = await run(process.execPath, args, { capture: true });
      times[i].push(JSON.parse(stdout));
    }
  }
  const contestants = Object.values(FIRST).map((name, i) => {
    /** The median of steps together. @param {...typeof STEPS[number]} steps */
    const median = (...steps) =>
      quantile(
        times[i].map((time) => steps.reduce((sum, step) => sum + time[step], 0)),
        0.5,
      );
    return {
      name,
      steps: STEPS.map((step) => median(step)),
      afterImport: median("loaded", "small"),
      small: median("imported", "loaded", "small"),
      large: median("large"),
    };
  });
  const [ours] = contestants;
  const head = ["", "ms to import", "to load", "for 512 x 512", "in all", "x phasor"];
  const lines = contestants.map(({ name, steps: [imported, loaded, table], small, large }) => [
    name,
    ...[imported, loaded, table, small, small / ours.small, large, large / ours.large].map(digits),
  ]);
  console.log(table([[...head, "for 4096 x 768", "x phasor"], ...lines]));

  /** @param {string} what @param {(contestant: typeof ours) => number} of @param {Omit<Goal, "than">} goal @param {string} [than] */
  const judged = (what, of, goal, than = "JavaScript") => {
    const timings = new Map(contestants.map((each) => [each.name, { median: of(each) }]));
    const found = judge({ ...goal, than }, timings);
    return { ...found, text: `${what}: ${found.text}` };
  };
  const start = "from import to 512 x 512";
  const goals = [
    judged(start, (each) => each.small, { who: "phasor", most: 2 }),
    judged(start, (each) => each.small, { who: "phasor/external", most: 2 }),
    judged(start, (each) => each.small, { who: "phasor/sinusoidal", most: 1.5 }),
    judged("load and 512 x 512", (each) => each.afterImport, { who: "phasor", most: 1.5 }),
    judged("4096 x 768", (each) => each.large, { who: "phasor", least: 1 }),
    // Half of the time of phasor and of JavaScript: the system clears the pages of a new array when they are written.
    judged("4096 x 768", (each) => each.large, { who: "phasor", most: 2 }, FIRST.fill),
  ];
  return {
    judgements: goals.map((goal) => ({ ...goal, text: `first ${goal.text}` })),
    first: {
      title,
      contestants: contestants.map(({ name, small, large }) => ({ name, small, large })),
      goals,
    },
  };
}

/** The core's memory after a large result. @param {string} entry @returns {Promise<Found>} */
export async function runMemory(entry) {
  const title = "of the core, before and after a table of 65536 x 1024 (268 MB)";
  console.log(`\nmemory  ${title}`);
  const { phasor, bytes } = await loadInView(entry);
  const before = bytes() / 2 ** 20;
  phasor.sinusoidal.table(65536, 1024);
  const after = bytes() / 2 ** 20;
  console.log(`  ${before.toFixed(1)} MiB before, ${after.toFixed(1)} MiB after`);
  const goal = /** @type {const} */ ({
    text: "<= 4 MiB after it",
    ratio: after,
    verdict: after <= 4 ? "met" : "missed",
  });
  return {
    judgements: [{ ...goal, text: `memory ${goal.text}` }],
    memory: { title, before, after, goals: [goal] },
  };
}
