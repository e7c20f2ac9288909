// Records what the lab finds: every scheme on four tasks over five seeds, in web/lab/recorded.json.
//   npm run x -- lab:record
// Everything comes from the package in dist/, and the same numbers come out on every machine.

import { readFile, writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { load, summarize } from "phasor/lab";
import { meanAt, SPAN } from "../../web/lab/places.js";
import { deviationOf } from "../../web/lab/spread.js";
import { project } from "../setup/setup.js";

/** @import { Report, Row } from "phasor/lab" */

const common = { length: 32, batch: 16, seeds: 5, test: [1, 2, 4, 8], tokens: 16384 };

/** The settings of the recorded trainings. */
export const settings = Object.freeze({
  small: { ...common, steps: 200, learningRate: 6e-3, dim: 32, heads: 2, layers: 1 },
  text: { ...common, steps: 300, learningRate: 4e-3, dim: 64, heads: 4, layers: 1 },
});

/** The tasks with their options; the text is web/lab/corpus.txt. */
export const tasks = Object.freeze({
  back: { symbols: 16, distance: 3 },
  needle: { keys: 8, values: 4 },
  latest: { keys: 8, values: 4 },
  text: {},
});

/** A task as the experiment takes it. @param {string} name @returns {Promise<any>} */
export async function taskOf(name) {
  if (name !== "text") return { task: name, .../** @type {any} */ (tasks)[name] };
  return { task: name, text: await readFile(join(project, "web", "lab", "corpus.txt"), "utf8") };
}

/** The digits of a number that a page shows. @param {number} x */
export const digits = (x) => (Number.isNaN(x) ? null : Number(x.toPrecision(4)));

/** Three digits after the point, of which there are many. @param {number} x */
const places = (x) => (Number.isNaN(x) ? null : Number(x.toFixed(3)));

/** The standard deviation, over the seeds, of the mean of each eight positions. @param {readonly Row[]} rows @param {0 | 1} kind */
function deviationsOf(rows, kind) {
  const all = rows.map(({ byPosition }) => Array.from(byPosition.row(kind).data, Number));
  return Array.from({ length: all[0].length / SPAN }, (_, i) => {
    const means = all.map((one) => meanAt(one, (i + 1) * SPAN) ?? NaN);
    const deviation = deviationOf(means);
    return Number.isNaN(deviation) ? null : Number(deviation.toFixed(2));
  });
}

/** One scheme and reading, with all seeds. @param {readonly Row[]} rows */
export function recordOf(rows) {
  const [{ byPosition }] = summarize(rows);
  const [loss, accuracy] = [0, 1].map((kind) => Array.from(byPosition.row(kind).data, places));
  const [{ scheme, reading, position }] = rows;
  return {
    scheme,
    reading,
    position,
    accuracy: rows.map((row) => row.accuracy.map(digits)),
    loss: rows.map((row) => row.loss.map(digits)),
    byPosition: {
      accuracy,
      loss,
      deviation: { accuracy: deviationsOf(rows, 1), loss: deviationsOf(rows, 0) },
    },
    bits: rows.map(({ bits }) => bits),
  };
}

/** The rows of each scheme and reading. @param {readonly Row[]} rows @param {number} seeds */
export const bySeeds = (rows, seeds) =>
  Array.from({ length: rows.length / seeds }, (_, i) => rows.slice(i * seeds, (i + 1) * seeds));

/** A row in a line. @param {object} all */
const textOf = (all) => `${JSON.stringify(all).replace(/(?<=[[,])\{"scheme"/g, "\n$&")}\n`;

/**
 * All that is recorded of a task.
 * @param {string} name @param {{workers: number, progress?: (report: Report) => void}} options
 */
export async function record(name, options) {
  const { lab } = await load();
  const of = name === "text" ? settings.text : settings.small;
  const rows = await lab.experiment({ ...of, ...options, tasks: [await taskOf(name)] });
  const given = /** @type {any} */ (tasks)[name];
  const chance = name === "text" ? null : /** @type {any} */ (lab.tasks)[name](given).chance;
  const found = bySeeds(rows, of.seeds).map(recordOf);
  return { options: given, chance, lengths: rows[0].lengths, rows: found };
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  /** @type {Record<string, Awaited<ReturnType<typeof record>>>} */
  const found = {};
  const workers = availableParallelism();
  for (const name of Object.keys(tasks)) {
    found[name] = await record(name, {
      workers,
      progress: ({ done, total, rows }) => rows && console.log(`${name}: ${done} of ${total} runs`),
    });
  }
  const date = new Date().toISOString().slice(0, 10);
  const all = { command: "npm run x -- lab:record", date, settings, tasks: found };
  await writeFile(join(project, "web", "lab", "recorded.json"), textOf(all));
}
