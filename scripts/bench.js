// Holds phasor against the machine's limit, plain JavaScript and another library, all in one run.
//   npm run bench              every row
//   npm run bench -- --row T1  one row: T1, T1s, T2, T2b, T3 .. T10, att, first or memory
//   npm run bench -- --rounds 51
// PHASOR_ENTRY (a file: URL) names another build of the package to measure instead.

import { existsSync, statSync } from "node:fs";
import { cpus } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { quantile, race } from "./bench/measure.js";
import { digits, judge, table } from "./bench/report.js";
import { rows } from "./bench/rows/index.js";
import { build } from "./build.js";
import { run, step } from "./run.js";
import { project } from "./setup.js";

/** @typedef {import("./bench/rows/index.js").Row} Row */
/** @typedef {import("./bench/measure.js").Contestant} Contestant */
/** @typedef {import("./bench/measure.js").Timing} Timing */
/** @typedef {import("./bench/rows/index.js").Goal} Goal */
/** @typedef {ReturnType<typeof judge>} Judgement */

const folder = join(dirname(fileURLToPath(import.meta.url)), "bench");

const { values: options } = parseArgs({
  options: { row: { type: "string" }, rounds: { type: "string", default: "31" } },
});
const rounds = Number(options.rounds);
if (!Number.isInteger(rounds) || rounds < 3) {
  throw new Error(`--rounds must be a whole number of 3 or more; got ${options.rounds}.`);
}

const entry = process.env.PHASOR_ENTRY ?? pathToFileURL(join(project, "dist/index.js")).href;

/** Everything there is to run, by the name that --row takes. */
const parts = new Map(
  [...new Set(rows.map(({ id }) => id))].map((id) => [
    id,
    async () => {
      const judgements = [];
      for (const row of rows) if (row.id === id) judgements.push(...(await runRow(row)));
      return judgements;
    },
  ]),
);
parts.set("first", runFirst);
parts.set("memory", runMemory);

const wanted = options.row === undefined ? [...parts.keys()] : [options.row];
const unknown = wanted.find((name) => !parts.has(name));
if (unknown) {
  throw new Error(`--row must be one of ${[...parts.keys()].join(", ")}; got ${unknown}.`);
}

if (!process.env.PHASOR_ENTRY) await build({ types: false });
await installPeers();
console.log(
  `\nNode ${process.versions.node}, ${cpus()[0]?.model}, ${cpus().length} cores; ` +
    `medians of ${rounds} rounds, one thread, in turn.\nRatios count; milliseconds are for information.`,
);
/** @type {Judgement[]} */
const judgements = [];
for (const name of wanted) judgements.push(...((await parts.get(name)?.()) ?? []));
summarize(judgements);

/** The libraries that phasor is compared with, in a folder of their own. */
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

/**
 * @param {Row} row
 * @returns {Promise<Judgement[]>}
 */
async function runRow(row) {
  console.log(`\n${row.id}  ${row.title}`);
  const { load } = await import(entry);
  const { contestants, expected, finish } = await row.prepare(await load());
  /** @type {Awaited<ReturnType<typeof inspect>>[]} */
  const findings = [];
  for (const contestant of contestants) findings.push(await inspect(contestant, expected, row));

  const timings = await race(contestants, rounds);
  finish?.();
  const named = new Map(contestants.map(({ name }, i) => [name, timings[i]]));
  const ours = timings[contestants.findIndex(isOurs)].median;
  const lines = [
    ["", "ms", "IQR", `x ${contestants[0].name}`, "x phasor", "largest difference"],
    ...contestants.map(({ name }, i) => {
      const { median, spread } = timings[i];
      return [
        name,
        digits(median),
        `${(spread * 100).toFixed(0)} %`,
        digits(median / timings[0].median),
        digits(median / ours),
        findings[i].difference,
      ];
    }),
  ];
  if (row.roundings) {
    lines[0].push("not correctly rounded");
    for (const [i, { roundings }] of findings.entries()) lines[i + 1].push(roundings);
  }
  console.log(table(lines));
  const goals = [...row.goals, ...toBeAhead(contestants, row.goals)];
  const judgements = goals.map((goal) => judge(goal, named));
  return judgements.map((each) => ({ ...each, text: `${row.id.padEnd(5)} ${each.text}` }));
}

/** @param {Contestant} contestant */
function isOurs({ name }) {
  return name.startsWith("phasor");
}

/**
 * Ahead of every alternative that no goal names: the goal of every row.
 * @param {Contestant[]} contestants @param {Goal[]} goals
 * @returns {Goal[]}
 */
function toBeAhead(contestants, goals) {
  const who = contestants.find(isOurs)?.name ?? "phasor";
  return contestants
    .filter((each) => !each.limit && !isOurs(each))
    .filter(({ name }) => !goals.some(({ least, than }) => least && than === name))
    .map(({ name }) => ({ who, than: name, least: 1 }));
}

/**
 * Does the job once and looks at the result.
 * @param {Contestant} contestant @param {Float32Array[]} expected @param {Row} row
 */
async function inspect({ name, run, result, tolerance }, expected, { roundings }) {
  await run(0);
  if (!result || tolerance === undefined) return { difference: "", roundings: "" };
  const results = await result();
  let largest = 0;
  for (const [i, values] of expected.entries()) {
    if (results[i].length !== values.length) throw new Error(`${name} gave a wrong length.`);
    for (let j = 0; j < values.length; ++j) {
      const difference = Math.abs(results[i][j] - values[j]);
      if (!(difference <= tolerance)) {
        throw new Error(`${name} gave ${results[i][j]} at ${j}; ${values[j]} was expected.`);
      }
      if (difference > largest) largest = difference;
    }
  }
  const found = roundings?.(results[0]);
  return {
    difference: largest === 0 ? "none" : `${exponential(largest)} of ${exponential(tolerance)}`,
    roundings: found ? `${found.wrong} of ${found.of}` : "",
  };
}

/** @param {number} value */
function exponential(value) {
  return value.toExponential(1);
}

/** From `import` to the first table, in fresh processes. @returns {Promise<Judgement[]>} */
async function runFirst() {
  console.log("\nfirst  from import to the first table 512 x 512, then the first 4096 x 768");
  const names = ["phasor", "plain", "jax-js"];
  const times = names.map(() => /** @type {{small: number, large: number}[]} */ ([]));
  for (let round = 0; round < 9; ++round) {
    for (const [i, name] of names.entries()) {
      const args = [join(folder, "first.js"), name, entry];
      const { stdout } = await run(process.execPath, args, { capture: true });
      times[i].push(JSON.parse(stdout));
    }
  }
  const small = times.map((each) =>
    quantile(
      each.map((time) => time.small),
      0.5,
    ),
  );
  const large = times.map((each) =>
    quantile(
      each.map((time) => time.large),
      0.5,
    ),
  );
  const label = ["phasor", "JavaScript", "jax-js"];
  const lines = label.map((name, i) => [
    name,
    digits(small[i]),
    digits(small[i] / small[0]),
    digits(large[i]),
    digits(large[i] / large[0]),
  ]);
  const head = ["", "ms to 512 x 512", "x phasor", "ms for 4096 x 768", "x phasor"];
  console.log(table([head, ...lines]));
  const first = new Map(label.map((name, i) => [name, { median: large[i], spread: 0 }]));
  const goal = judge({ who: "phasor", than: "JavaScript", least: 3 }, first);
  return [{ ...goal, text: `first ${goal.text}` }];
}

/** The core's memory after a large result. @returns {Promise<Judgement[]>} */
async function runMemory() {
  console.log("\nmemory  of the core, before and after a table of 65536 x 1024 (268 MB)");
  /** @type {WebAssembly.Memory[]} */
  const memories = [];
  const { instantiate } = WebAssembly;
  // The package keeps its memory to itself; this looks at the instance as it is made.
  WebAssembly.instantiate = /** @type {typeof instantiate} */ (
    async (
      /** @type {WebAssembly.Module} */ module,
      /** @type {WebAssembly.Imports} */ imports,
    ) => {
      const instance = await instantiate(module, imports);
      for (const value of Object.values(instance.exports)) {
        if (value instanceof WebAssembly.Memory) memories.push(value);
      }
      return instance;
    }
  );
  const { load } = await import(entry);
  const { sinusoidal } = await load();
  WebAssembly.instantiate = instantiate;
  // Node starts a small WebAssembly module of its own for some of its functions.
  const mebibytes = () => Math.max(...memories.map(({ buffer }) => buffer.byteLength)) / 2 ** 20;
  const before = mebibytes();
  sinusoidal.table(65536, 1024);
  console.log(`  ${before.toFixed(1)} MiB before, ${mebibytes().toFixed(1)} MiB after`);
  return [
    {
      text: "memory <= 4 MiB after it",
      ratio: mebibytes(),
      verdict: mebibytes() <= 4 ? "met" : "missed",
    },
  ];
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
