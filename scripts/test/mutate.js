// `npm run x -- mutate`: changes the validators and readers one small step at a time, and runs the unit tests that
// reach the changed place. A change that no test notices survives: it is either a missing test, or the same
// program written differently.
//   npm run x -- mutate                        every file of the list below
//   npm run x -- mutate npy json               the files whose path has one of the words
//   npm run x -- mutate --share 0.2 --seed 7   a random fifth of the changes
//   npm run x -- mutate --minutes 30           those that can be tried in this time, in random order
//   npm run x -- mutate --record FILE          writes the counts that the guide "Reliability" shows

import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { kernels, writers } from "../package/bindings.js";
import { buildCore } from "../package/build.js";
import { applied, mutantsOf } from "./mutate/mutants.js";
import { project, setup } from "../setup/setup.js";

/** @import { Mutant } from "./mutate/mutants.js" */

const { values, positionals: words } = parseArgs({
  allowPositionals: true,
  options: {
    share: { type: "string", default: "1" },
    seed: { type: "string", default: "1" },
    workers: { type: "string" },
    record: { type: "string" },
    minutes: { type: "string" },
  },
});

/** What is changed: code that reads and checks input. */
const CHANGED = /^src\/(files\/.*|runtime\/(check\w*|options))\.js$/;

/** Where its tests are. Tests that wait for a time are excluded. */
const TESTS = /^tests\/unit\/(files|runtime)\/.*\.test\.js$/;
const SLOW = /^tests\/unit\/(files\/memory|runtime\/(memory|load|examples|pool))\.test\.js$/;

/** A test that takes longer than this multiple of its usual time hangs. */
const PATIENCE = 8;

const register = pathToFileURL(join(project, "scripts/test/mutate/register.js")).href;
const folder = mkdtempSync(join(tmpdir(), "phasor-mutants-"));
let runs = 0;

/** The files of the project below a folder. @param {string} below */
const files = (below) =>
  readdirSync(join(project, below), { recursive: true, encoding: "utf8" })
    .map((path) => join(below, path).replaceAll("\\", "/"))
    .sort();

/**
 * Runs one test file on the sources.
 * @param {string} test @param {{ mutant?: string, coverage?: string, limit?: number }} options
 * @returns {Promise<{ passes: boolean, ms: number }>}
 */
function runTest(test, { mutant, coverage, limit = 120_000 }) {
  const began = Date.now();
  return new Promise((resolve) => {
    const env = { ...process.env, PHASOR_MUTANT: mutant, NODE_V8_COVERAGE: coverage };
    const args = ["--max-old-space-size=1024", "--import", register, join(project, test)];
    const child = spawn(process.execPath, args, { cwd: project, env, stdio: "ignore" });
    const timer = setTimeout(() => child.kill("SIGKILL"), limit);
    child.on("close", (code) => {
      clearTimeout(timer);
      resolve({ passes: code === 0, ms: Date.now() - began });
    });
  });
}

/**
 * A test file with what it reaches: for each source, the places that it does not.
 * @typedef {object} Reach
 * @property {string} test @property {number} ms
 * @property {Map<string, { start: number, end: number, count: number }[]>} ranges  by source, outer ones first
 */

/** @param {string} test @returns {Promise<Reach | undefined>} undefined if it fails on the sources */
async function reachOf(test) {
  const coverage = join(folder, `coverage-${++runs}`);
  const { passes, ms } = await runTest(test, { coverage });
  if (!passes) return undefined;
  const ranges = new Map();
  for (const name of readdirSync(coverage)) {
    const { result } = JSON.parse(readFileSync(join(coverage, name), "utf8"));
    for (const { url, functions } of result) {
      if (!url.startsWith("file:")) continue;
      const path = relative(project, fileURLToPath(url)).replaceAll("\\", "/");
      if (!CHANGED.test(path)) continue;
      const own = functions.flatMap((/** @type {any} */ each) => each.ranges);
      ranges.set(path, [...(ranges.get(path) ?? []), ...own.map(rangeOf)]);
    }
  }
  rmSync(coverage, { recursive: true });
  return { test, ms, ranges };
}

/** @param {{ startOffset: number, endOffset: number, count: number }} range */
const rangeOf = ({ startOffset: start, endOffset: end, count }) => ({ start, end, count });

/** Whether a test reaches a place: the smallest range around it counts. @param {Reach} reach @param {string} file @param {number} at */
function reaches({ ranges }, file, at) {
  const around = (ranges.get(file) ?? []).filter(({ start, end }) => start <= at && at < end);
  const size = Math.min(...around.map(({ start, end }) => end - start));
  return around.some(({ start, end, count }) => end - start === size && count > 0);
}

/**
 * The test that notices a mutant.
 * @param {string} file @param {string} source @param {Mutant} mutant @param {Reach[]} reached
 * @returns {Promise<string | undefined>}
 */
async function killer(file, source, mutant, reached) {
  const path = join(folder, `mutant-${++runs}.json`);
  const changed = { file: join(project, file), source: applied(source, mutant) };
  writeFileSync(path, JSON.stringify(changed));
  try {
    for (const { test, ms } of reached) {
      const limit = 2000 + PATIENCE * ms;
      if (!(await runTest(test, { mutant: path, limit })).passes) return test;
    }
    return undefined;
  } finally {
    rmSync(path);
  }
}

/** Runs jobs, one for each worker at a time. @template T @param {readonly T[]} jobs @param {(job: T) => Promise<void>} work */
async function inTurn(jobs, work) {
  const workers = Number(values.workers ?? Math.max(1, availableParallelism() - 1));
  let next = 0;
  const worker = async () => {
    while (next < jobs.length) await work(jobs[next++]);
  };
  await Promise.all(Array.from({ length: workers }, worker));
}

/** A number from 0 to 1 for each mutant, the same each time. @param {string} text */
function drawn(text) {
  let hash = Number(values.seed);
  for (const letter of text) hash = Math.imul(hash ^ letter.charCodeAt(0), 0x01000193);
  return (Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 0) / 2 ** 32;
}

/** The core whose functions have the names that the sources call, for mutate/hooks.js. */
async function writeCore() {
  const { bind } = await import("../package/bind.js"); // it needs a package, which a fresh clone does not have yet
  const linked = readFileSync(join(project, "build/wasm/phasor.wasm"));
  const core = bind(linked, new Map(kernels().map(({ name }) => [name, name])));
  mkdirSync(join(project, "build/mutate"), { recursive: true });
  writeFileSync(join(project, "build/mutate/core.wasm"), core);
  writeFileSync(join(project, "build/mutate/blocks.js"), writers(kernels()));
}

try {
  await buildCore(await setup(["packages", "emscripten"]));
  await writeCore();
  /** @type {Reach[]} */
  const reached = [];
  const tests = files("tests").filter((path) => TESTS.test(path) && !SLOW.test(path));
  await inTurn(tests, async (test) => {
    const reach = await reachOf(test);
    if (reach) reached.push(reach);
    else console.log(`${test} needs a build and is left out`);
  });

  const changed = files("src").filter(
    (path) =>
      CHANGED.test(path) && (words.length === 0 || words.some((word) => path.includes(word))),
  );
  const jobs = changed.flatMap((file) => {
    const source = readFileSync(join(project, file), "utf8");
    return mutantsOf(source, file)
      .map((mutant) => ({
        file,
        source,
        mutant,
        place: drawn(`${file}${mutant.start}${mutant.what}`),
      }))
      .filter(({ place }) => place < Number(values.share));
  });
  jobs.sort((a, b) => a.place - b.place);
  const until = Date.now() + 60_000 * Number(values.minutes ?? Infinity);
  console.log(
    `${jobs.length} changes of ${changed.length} files, ${reached.length} files of tests`,
  );

  /** @type {Record<string, { killed: number, survived: string[] }>} */
  const table = {};
  /** How many mutants of a file a test has noticed: that test runs first for the next mutant. @type {Map<string, number>} */
  const kills = new Map();
  const killsOf = (/** @type {string} */ file, /** @type {string} */ test) =>
    kills.get(`${file} ${test}`) ?? 0;
  let tried = 0;
  await inTurn(jobs, async ({ file, source, mutant }) => {
    if (Date.now() > until) return;
    ++tried;
    const own = reached
      .filter((reach) => reaches(reach, file, mutant.start))
      .sort((a, b) => killsOf(file, b.test) - killsOf(file, a.test) || a.ms - b.ms);
    const by = own.length === 0 ? undefined : await killer(file, source, mutant, own);
    const row = (table[file] ??= { killed: 0, survived: [] });
    if (by) {
      ++row.killed;
      kills.set(`${file} ${by}`, killsOf(file, by) + 1);
    } else
      row.survived.push(`${mutant.line}: ${mutant.what}${own.length === 0 ? " (no test)" : ""}`);
  });

  let [killed, all] = [0, 0];
  for (const file of changed.filter((file) => file in table)) {
    const row = table[file];
    const count = row.killed + row.survived.length;
    killed += row.killed;
    all += count;
    console.log(`\n${file}: ${row.killed} of ${count} killed`);
    const byLine = (/** @type {string} */ a, /** @type {string} */ b) => parseInt(a) - parseInt(b);
    for (const line of row.survived.sort(byLine)) console.log(`  ${line}`);
  }
  console.log(`\n${killed} of ${all} killed: ${((100 * killed) / all).toFixed(1)} %`);
  const share = (Number(values.share) * tried) / jobs.length;
  console.log(`${(100 * share).toFixed(0)} % of all changes were tried`);
  if (values.record) {
    const recorded = JSON.parse(readFileSync(values.record, "utf8"));
    const counts = Object.entries(table).map(([file, { killed, survived }]) => [
      file,
      { mutants: killed + survived.length, killed },
    ]);
    // A run of some files replaces theirs.
    const before = recorded.mutation?.counts;
    recorded.mutation = { share, counts: { ...before, ...Object.fromEntries(counts) } };
    writeFileSync(values.record, `${JSON.stringify(recorded, null, 2)}\n`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
