// What a run of the bench measured, as JSON: the guide "Performance" shows such a file.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { project } from "../setup/setup.js";

/** @typedef {ReturnType<typeof import("./report.js").judge>} Judgement */

/**
 * @typedef {object} RecordedContestant
 * @property {string} name
 * @property {"limit" | "phasor" | "other"} kind
 * @property {number} median  milliseconds of one run
 * @property {number} spread  interquartile range, as a part of the median
 * @property {number | null} toLimit  its time as a multiple of the first limit's, null without a limit
 * @property {number} toPhasor  its time as a multiple of phasor's
 *
 * @typedef {object} RecordedRow
 * @property {string} id  several rows may have one
 * @property {string} title
 * @property {number} rounds
 * @property {RecordedContestant[]} contestants
 * @property {Judgement[]} goals
 *
 * @typedef {object} RecordedFirst  milliseconds to the first small table, then for the first large one
 * @property {string} title
 * @property {{name: string, small: number, large: number}[]} contestants
 * @property {Judgement[]} goals
 *
 * @typedef {object} RecordedMemory  MiB of the core
 * @property {string} title
 * @property {number} before
 * @property {number} after
 * @property {Judgement[]} goals
 *
 * @typedef {object} RecordedMillion  a search by rows
 * @property {string} title
 * @property {import("./million.js").Searched[]} points
 * @property {Judgement[]} goals
 *
 * @typedef {object} Machine
 * @property {string} cpu
 * @property {number} cores
 * @property {string} node
 * @property {string} v8
 *
 * @typedef {object} Recorded
 * @property {string} date  of the last part that was measured: 2026-01-31
 * @property {Machine} machine
 * @property {Record<string, string>} versions  of phasor and the libraries that it is compared with
 * @property {RecordedRow[]} rows
 * @property {RecordedFirst} [first]
 * @property {RecordedMemory} [memory]
 * @property {import("./scaling.js").Scaling[]} [scaling]
 * @property {RecordedMillion} [million]
 * @property {import("./browser.js").RecordedBrowser} [browser]
 *
 * What one part of the bench found.
 * @typedef {Partial<Pick<Recorded, "rows" | "first" | "memory" | "scaling" | "million" | "browser">> & {judgements: Judgement[]}} Found
 */

/**
 * Opens a record. What it has of this machine is kept until a new measurement replaces it.
 *
 * @param {string} file  written after each `add`
 * @param {object} options
 * @param {readonly string[]} options.order  the ids of all rows
 * @param {boolean} options.whole  whether all rows will be measured: another machine's are dropped
 * @returns {{add: (found: Found) => Promise<void>}}
 * @throws {Error} if the file has rows of another machine that would be kept
 */
export function openRecord(file, { order, whole }) {
  const now = { machine: machine(), versions: versions() };
  /** @type {Recorded | undefined} */
  let record = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
  if (record && !isAlike(record.machine, now.machine)) {
    if (!whole) throw new Error(`--record ${file} has rows of another machine or Node.`);
    record = undefined;
  }
  return {
    async add(found) {
      const date = new Date().toISOString().slice(0, 10);
      record = merged({ rows: [], ...record, date, ...now }, found, order);
      const { format } = await import("prettier"); // which a fresh clone does not have yet
      const text = JSON.stringify(record, (_, value) => brief(value));
      writeFileSync(file, await format(text, { parser: "json", printWidth: 100 }));
    },
  };
}

/**
 * A record with what was found in place of what it had of the same rows.
 * @param {Recorded} record @param {Found} found @param {readonly string[]} order  the ids of all rows
 * @returns {Recorded}
 */
export function merged(record, { rows = [], first, memory, scaling, million, browser }, order) {
  const found = new Set(rows.map(({ id }) => id));
  const kept = record.rows.filter(({ id }) => !found.has(id) && order.includes(id));
  const all = [...kept, ...rows].sort((a, b) => order.indexOf(a.id) - order.indexOf(b.id));
  const { date, machine, versions, ...others } = record;
  return {
    date,
    machine,
    versions,
    ...others, // in this order in the file
    rows: all,
    ...(first && { first }),
    ...(memory && { memory }),
    ...(scaling && { scaling }),
    ...(million && { million }),
    ...(browser && { browser }),
  };
}

/** Four digits of a measurement: the others are noise. @param {unknown} value */
function brief(value) {
  if (typeof value !== "number" || Number.isInteger(value)) return value;
  return Number(value.toPrecision(4));
}

/** @returns {Machine} */
function machine() {
  const { node, v8 } = process.versions;
  return { cpu: cpus()[0]?.model ?? "unknown", cores: cpus().length, node, v8 };
}

/** @param {Machine} a @param {Machine} b */
function isAlike(a, b) {
  return a.cpu === b.cpu && a.cores === b.cores && a.node === b.node && a.v8 === b.v8;
}

/** @returns {Record<string, string>} */
function versions() {
  const read = (/** @type {string} */ path) => JSON.parse(readFileSync(path, "utf8"));
  const here = dirname(fileURLToPath(import.meta.url));
  const { name, version } = read(join(project, "package.json"));
  return { [name]: version, ...read(join(here, "package.json")).dependencies };
}
