// `npm run x -- mutate`: changes the sources one small step at a time, and runs the unit tests that reach the changed
// place until one fails. A change that no test notices survives: it is either a missing test, or the same program
// written differently.
//   npm run x -- mutate                        the validators and readers
//   npm run x -- mutate npy json               the files whose path has one of the words
//   npm run x -- mutate rope.cpp               C++, by the native tests that include its folder
//   npm run x -- mutate --share 0.2 --seed 7   a random fifth of the changes
//   npm run x -- mutate --sample 100           a hundred of the changes
//   npm run x -- mutate heads --tests attention   with the tests of other folders, too, whose path has the word
//   npm run x -- mutate --record FILE          writes the counts that the guide "Reliability" shows

import { fork } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { kernels, writers } from "../package/bindings.js";
import { buildCore } from "../package/build.js";
import { mutantsOfCpp, triedCpp } from "./mutate/cpp.js";
import { mutantsOf, switched } from "./mutate/mutants.js";
import { project, setup } from "../setup/setup.js";

/** @import { Mutant } from "./mutate/mutants.js" */
/** @import { Job } from "./mutate/child.js" */
/** @typedef {{ file: string, mutant: Mutant, index: number, killed?: boolean }} Tried */
/** @typedef {{ all: number, mutants: number, killed: number }} Count  all: that there are, not only those that were drawn */

const { values, positionals: words } = parseArgs({
  allowPositionals: true,
  options: {
    share: { type: "string", default: "1" },
    sample: { type: "string" },
    tests: { type: "string", multiple: true, default: [] },
    seed: { type: "string", default: "1" },
    record: { type: "string" },
  },
});

/** What is changed: code that reads and checks input; with words also other code. */
const isCpp = words.some((word) => word.endsWith(".cpp"));
const CHANGED = isCpp
  ? /^src\/(?!.*\.bind\.).*\.cpp$/
  : words.length === 0
    ? /^src\/(files\/.*|runtime\/(check\w*|options))\.js$/
    : /^src\/(files|runtime|analysis|models\/open)\/(?!.*\.about).*\.js$/;

/** Tests that wait for a time, or count memory. */
const SLOW = /\/(files\/memory|open\/memory|runtime\/(memory|load|examples|pool))\.test\.js$/;

/** Beyond the time that a test had, in milliseconds: then its process hangs. */
const BEYOND = 2000;

const here = join(project, "scripts/test/mutate");
const folder = mkdtempSync(join(tmpdir(), "phasor-mutants-"));

/** The files of the project below a folder. @param {string} below */
const files = (below) =>
  readdirSync(join(project, below), { recursive: true, encoding: "utf8" })
    .map((path) => join(below, path).replaceAll("\\", "/"))
    .sort();

/** Runs a process of mutate/child.js until it ends or hangs. @param {object} work @param {(message: any) => void} hear */
function child(work, hear) {
  const execArgv = ["--max-old-space-size=1024", "--import", join(here, "register.js")];
  const changed = "jobs" in work ? { PHASOR_MUTANTS: folder } : {};
  const env = { ...process.env, ...changed, TMPDIR: folder };
  const ended = fork(join(here, "child.js"), { execArgv, env, stdio: "ignore", cwd: project });
  let timer = setTimeout(() => {}, 0);
  ended.on("message", (/** @type {any} */ message) => {
    clearTimeout(timer);
    if (message.limit) timer = setTimeout(() => ended.kill("SIGKILL"), message.limit + BEYOND);
    hear(message);
  });
  ended.send(work);
  return new Promise((resolve) => ended.on("close", resolve)).finally(() => clearTimeout(timer));
}

/**
 * Runs jobs until each has a result; what a process was at when it ended is noticed.
 * @param {Job[]} jobs @param {boolean} isFirst  whether a separate process has each, from before files are imported
 */
async function attempt(jobs, isFirst) {
  /** @type {Map<number, boolean>} */
  const results = new Map();
  for (let rest = jobs; rest.length > 0; rest = jobs.filter(({ id }) => !results.has(id))) {
    let at = rest[0].id;
    const hear = (/** @type {any} */ message) => {
      at = message.id;
      if ("killed" in message) results.set(at, message.killed);
    };
    await child({ jobs: isFirst ? [rest[0]] : rest, isFirst }, hear);
    if (!results.has(at)) results.set(at, true);
  }
  return results;
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

/**
 * Of each mutant whether a test notices it; undefined where none reaches it.
 * @param {Tried[]} mutants
 */
async function tried(mutants) {
  /** @type {Record<string, Mutant[]>} */
  const bySource = {};
  for (const { file, mutant } of mutants) (bySource[file] ??= []).push(mutant);
  const ids = new Map(mutants.map(({ mutant }, id) => [mutant, id]));
  const areas = Object.keys(bySource).map((path) => /(?:models\/)?\w+/.exec(path.slice(4))?.[0]);
  const tests = files("tests/unit").filter(
    (path) =>
      path.endsWith(".test.js") &&
      !SLOW.test(path) &&
      ([...areas, "runtime"].some((area) => path.startsWith(`tests/unit/${area}/`)) ||
        values.tests.some((word) => path.includes(word))),
  );
  /** The tests that reach a mutant. @type {Job["tests"][]} */
  const reached = mutants.map(() => []);
  /** Those that reach anything of a source. @type {Record<string, Job["tests"]>} */
  const all = {};
  /** For a source that has no function. @type {Job["tests"]} */
  const every = [];
  const isImported = new Set();
  await child(
    { measured: tests, mutants: bySource },
    ({ file, index, isGood, ms, reached: found }) => {
      if (isGood === false) console.log(`${file}, test ${index + 1}, fails or cannot run again`);
      if (isGood) every.push([file, index, ms]);
      for (const [source, list, isAny] of found) {
        if (isAny && isGood) (all[source] ??= []).push([file, index, ms]);
        for (const i of list) {
          const id = ids.get(bySource[source][i]) ?? -1;
          if (index < 0) isImported.add(id);
          else if (isGood) reached[id].push([file, index, ms]);
        }
      }
    },
  );
  const jobs = mutants.map(({ file, index }, id) => ({ file, index, id, tests: reached[id] }));
  const live = await attempt(
    jobs.filter(({ tests }) => tests.length > 0),
    false,
  );
  // What runs on import, and what earlier tests may have left in caches, is tried from the beginning of a process.
  const again = jobs.filter(
    ({ id, tests }) => !live.get(id) && (isImported.has(id) || tests.length > 0),
  );
  const first = await attempt(
    again.map((job) => ({
      ...job,
      tests: isImported.has(job.id) ? (all[job.file] ?? every) : job.tests,
    })),
    true,
  );
  for (const [id, mutant] of mutants.entries()) mutant.killed = first.get(id) ?? live.get(id);
}

/** Those of the mutants that are tried. @param {Tried[]} all */
function sampleOf(all) {
  const ranks = new Map(
    all.map((one) => [one, drawn(`${one.file}${one.mutant.start}${one.mutant.what}`)]),
  );
  const rank = (/** @type {Tried} */ one) => ranks.get(one) ?? 1;
  const sorted = [...ranks.values()].sort((a, b) => a - b);
  const limit = Math.min(Number(values.share), sorted[Number(values.sample)] ?? 1);
  return all.filter((one) => rank(one) < limit);
}

/** @param {string[]} changed  files @returns {Promise<Tried[]>} */
async function ofJavaScript(changed) {
  await buildCore(await setup(["packages", "emscripten"]));
  await writeCore();
  const all = changed.flatMap((file) => {
    const source = readFileSync(join(project, file), "utf8");
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), switched(source, file, `phasor:mutant/${file}`));
    return mutantsOf(source, file).map((mutant, index) => ({ file, mutant, index }));
  });
  const mutants = sampleOf(all);
  console.log(`${mutants.length} changes of ${changed.length} files`);
  await tried(mutants);
  return mutants;
}

/** @param {string[]} changed  files @returns {Promise<Tried[]>} */
async function ofCpp(changed) {
  const sample = sampleOf(
    changed.flatMap((file) =>
      mutantsOfCpp(readFileSync(join(project, file), "utf8")).map((mutant, index) => ({
        file,
        mutant,
        index,
      })),
    ),
  );
  /** @type {Tried[]} */
  const all = [];
  for (const file of changed) {
    const mutants = sample.filter((one) => one.file === file);
    console.log(`${mutants.length} changes of ${file}`);
    const results = await triedCpp(file, mutants, folder);
    all.push(...mutants.flatMap((one, i) => ({ ...one, killed: results[i] })));
  }
  return all.filter(({ killed }) => killed !== undefined); // the others do not compile
}

try {
  const changed = files("src").filter(
    (path) =>
      CHANGED.test(path) && (words.length === 0 || words.some((word) => path.includes(word))),
  );
  const mutants = await (isCpp ? ofCpp(changed) : ofJavaScript(changed));
  /** @type {Record<string, Count>} */
  const counts = {};
  for (const file of changed) {
    const own = mutants.filter((one) => one.file === file);
    const survived = own.filter(({ killed }) => !killed);
    const source = readFileSync(join(project, file), "utf8");
    const all = (isCpp ? mutantsOfCpp(source) : mutantsOf(source)).length;
    counts[file] = { all, mutants: own.length, killed: own.length - survived.length };
    console.log(`\n${file}: ${counts[file].killed} of ${own.length} killed`);
    for (const { mutant, killed } of survived) {
      console.log(`  ${mutant.line}: ${mutant.what}${killed === undefined ? " (no test)" : ""}`);
    }
  }
  const killed = mutants.filter((one) => one.killed).length;
  const share = (100 * killed) / mutants.length;
  console.log(`\n${killed} of ${mutants.length} killed: ${share.toFixed(1)} %`);
  if (values.record) {
    const recorded = JSON.parse(readFileSync(values.record, "utf8"));
    // A run of some files replaces theirs.
    const before = recorded.mutation?.counts;
    recorded.mutation = { counts: { ...before, ...counts } };
    writeFileSync(values.record, `${JSON.stringify(recorded, null, 2)}\n`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
