// Compares phasor with the machine's limit, plain JavaScript and other libraries, all in one run.
//   npm run bench              every row
//   npm run bench -- --row T1  one row: T1, T1s, T2 .. T10, T6k, T8k, T8L, att, attL, S0 .. S10, graph, build, mlpca, pool,
//                              norm, cos1, first, memory or workers
//   npm run bench -- scaling   time against size, from a thousand numbers to a hundred million; a search of a
//                              million rows
//   npm run bench -- lab       steps and evaluations of phasor/lab, and the trainings of its page
//   npm run bench -- beside    sizes and errors of other libraries, which the README states
//   npm run bench -- browser   a few small tasks compared with plain JavaScript, in Chromium
//   npm run bench -- --rounds 51
//   npm run bench -- --record FILE   also writes the measurements as JSON; with --row, scaling,
//                                    browser or lab, other parts of the file are kept
//   npm run bench -- --before FILE   dist/index.js of another checkout, which also runs in every row
// PHASOR_ENTRY (a file: URL) names another build of the package to measure instead.

import { existsSync, statSync } from "node:fs";
import { cpus } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { runLab } from "./lab.js";
import { runFirst, runMemory } from "./load.js";
import { runMillion } from "./million.js";
import { openRecord } from "./record.js";
import { digits, table } from "./report.js";
import { runRow } from "./row.js";
import { rows } from "./rows/index.js";
import { runScaling } from "./scaling.js";
import { runWorkers } from "./workers.js";
import { build } from "../package/build.js";
import { run, step } from "../setup/run.js";
import { project } from "../setup/setup.js";
import { hasRival, winnerOf } from "../../web/guides/performance/table.js";

/** @typedef {import("./record.js").Found} Found */
/** @typedef {import("./record.js").Judgement} Judgement */

const folder = dirname(fileURLToPath(import.meta.url));

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    row: { type: "string" },
    rounds: { type: "string", default: "31" },
    record: { type: "string" },
    before: { type: "string" },
  },
});
const rounds = Number(options.rounds);
if (!Number.isInteger(rounds) || rounds < 3) {
  throw new Error(`--rounds must be a whole number of 3 or more; got ${options.rounds}.`);
}
/** What is not a row, by name. @type {Map<string | undefined, () => Promise<Found>>} */
const others = new Map([
  ["scaling", async () => ({ ...(await runScaling(entry)), ...(await runMillion(entry)) })],
  ["browser", async () => (await import("./browser.js")).runBrowser()],
  [
    "beside",
    async () => {
      await installPeers();
      await (await import("./beside.js")).runBeside();
      return { judgements: [] };
    },
  ],
  ["lab", async () => runLab(besideOf(entry), rounds, before && besideOf(before))],
]);
const other = others.get(positionals[0]);
if (positionals.length > (other ? 1 : 0) || (other && options.row)) {
  throw new Error(
    `bench takes scaling, beside, browser, lab or --row; got ${process.argv.slice(2).join(" ")}.`,
  );
}

const entry = process.env.PHASOR_ENTRY ?? pathToFileURL(join(project, "dist/index.js")).href;
const before = options.before && pathToFileURL(resolve(options.before)).href;
const order = [...new Set(rows.map(({ id }) => id)), "lab"];

/** Everything that can be run, by its name for --row. @type {Map<string, () => Promise<Found>>} */
const parts = new Map(order.map((id) => [id, () => runRows(id)]));
parts.set("first", () => runFirst(entry));
parts.set("memory", () => runMemory(entry));
parts.set("workers", () => runWorkers(entry, rounds));

const wanted = options.row === undefined ? [...parts.keys()] : [options.row];
const unknown = wanted.find((name) => !parts.has(name));
if (unknown) {
  throw new Error(`--row must be one of ${[...parts.keys()].join(", ")}; got ${unknown}.`);
}
if (before && options.record) throw new Error("pass either --before or --record, not both.");
const record = options.record
  ? openRecord(options.record, { order, whole: !other && options.row === undefined })
  : undefined;

if (!process.env.PHASOR_ENTRY) await build({ types: false });
const machine = `Node ${process.versions.node}, ${cpus()[0]?.model}, ${cpus().length} cores`;
if (other) {
  console.log(`\n${machine}, one thread.`);
  const found = await other(); // also without a record
  if (found.rows) summarize(found.judgements);
  await record?.add(found);
} else {
  await installPeers();
  console.log(
    `\n${machine}; medians of ${rounds} rounds, one thread, in turn.\n` +
      "Ratios count; milliseconds are for information.",
  );
  /** @type {Judgement[]} */
  const judgements = [];
  /** @type {import("./record.js").RecordedRow[]} */
  const raced = [];
  for (const name of wanted) {
    const found = await parts.get(name)?.();
    if (!found) continue;
    judgements.push(...found.judgements);
    raced.push(...(found.rows ?? []));
    await record?.add(found);
  }
  if (judgements.length > 0) summarize(judgements);
  advise(raced.filter(hasRival));
}

/** The lab of the same build. @param {string} index  URL of its default entry */
function besideOf(index) {
  return new URL("lab.js", index).href;
}

/** The libraries that phasor is compared with, in a separate folder. */
async function installPeers() {
  const changed = (/** @type {string} */ name) => {
    const file = join(folder, name);
    return existsSync(file) ? statSync(file).mtimeMs : -1;
  };
  if (changed("node_modules/.package-lock.json") >= changed("package-lock.json")) return;
  await step("Installing the libraries to compare with", () =>
    run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: folder, quiet: true }),
  );
}

/** All rows of an id. @param {string} id @returns {Promise<Found>} */
async function runRows(id) {
  /** @type {Found[]} */
  const found = [];
  for (const row of rows) {
    if (row.id === id) found.push(await runRow(row, entry, rounds, before));
  }
  return {
    judgements: found.flatMap(({ judgements }) => judgements),
    rows: found.flatMap(({ rows = [] }) => rows),
  };
}

/** @param {Judgement[]} judgements */
function summarize(judgements) {
  console.log("\nGoals");
  console.log(table(judgements.map(({ text, ratio, verdict }) => [text, digits(ratio), verdict])));
  const count = (/** @type {string} */ verdict) =>
    judgements.filter((each) => each.verdict === verdict).length;
  console.log(
    `\n${count("met")} of ${judgements.length} met, ${count("met within 15 %")} more within 15 %, ` +
      `${count("missed")} missed.`,
  );
}

/** What to pick where phasor is not first. @param {import("./record.js").RecordedRow[]} raced */
function advise(raced) {
  const lost = raced.map((row) => ({ row, winner: winnerOf(row) }));
  const lines = lost
    .filter(({ winner }) => winner.kind !== "phasor")
    .map(({ row, winner }) => [
      `${row.id.padEnd(5)} ${row.title}`,
      winner.name,
      digits(winner.toPhasor),
    ]);
  if (raced.length > 0)
    console.log(`\nphasor is first in ${raced.length - lines.length} of ${raced.length} rows.`);
  if (lines.length > 0) console.log(table([["", "pick", "x phasor"], ...lines]));
}
