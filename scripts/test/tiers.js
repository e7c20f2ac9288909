// Runs tiers of the tests: sets up, builds what their tests need, and runs them (runner.js). `npm test` is the tier
// "unit"; scripts/x.js has the others. Closing lines of all tiers come last.
//   node scripts/test/tiers.js TIER [WORD ...]   all tests of a tier, or those whose paths have one of the words
//   node scripts/test/tiers.js all               every tier, whatever came of those before

import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { needDefaultEntryAlone, wordsOfCpp } from "./needs.js";
import { run, runScript } from "../setup/run.js";
import { closing, runTier } from "./runner.js";
import { project, setup } from "../setup/setup.js";
import { isNight } from "../../tests/sample.js";

/** @typedef {import("../setup/toolchain.js").Want} Want */

/**
 * A tier of the tests.
 * @typedef {object} Tier
 * @property {RegExp} paths  of its tests in tests/
 * @property {Want[]} wants  what has to be installed
 * @property {number} budget  CPU seconds in a built tree
 * @property {boolean} [retries]  whether a test that fails runs once more: one that waits for a browser or for programs
 *   of others may fail on a loaded machine
 * @property {RegExp} [browser]  paths of tests that share one browser and one server
 */

/**
 * The tiers. A test belongs to the first that has its path; what no other has is a unit test. Tests of real models are
 * run by scripts/test/models.js. Budgets, with builds of 280 s, are 12 minutes on two processors.
 * @type {Record<string, Tier>}
 */
const tiers = {
  models: { paths: /^truth\/real-models\//, wants: [], budget: 0 },
  format: { paths: /^style\./, wants: ["packages", "format"], budget: 75 },
  notebooks: {
    paths: /^hosts\/notebooks\//,
    wants: ["packages", "emscripten", "browser", "python"],
    budget: 100,
    retries: true,
    browser: /./,
  },
  web: {
    paths: /^pages\//,
    wants: ["packages", "emscripten", "browser", "firefox"],
    budget: 400,
    retries: true,
    browser: /./,
  },
  package: {
    paths: /^hosts\//,
    wants: ["packages", "emscripten", "browser"],
    budget: 90,
    retries: true,
    browser: /./,
  },
  attacks: {
    paths: /^attacks\//,
    wants: ["packages", "emscripten"],
    budget: 85,
  },
  unit: {
    paths: /./,
    wants: ["packages", "emscripten", "native", "browser"],
    budget: 300,
    browser: /^smoke\./,
  },
};

/** The tiers that prove a change, in their order. */
const ALL = ["format", "unit", "web", "package", "notebooks", "attacks"];

/**
 * Tiers that begin with another, two files at a time: on what it and the next ones leave idle. The builds of the unit
 * tests end with steps of one process each, and notebooks wait for their kernels.
 * @type {Record<string, string>}
 */
const BESIDE = { unit: "format", package: "attacks" };

/** The files that take longest start first, so that none of them ends a tier alone. */
const LONG =
  /^hosts\/(package\/typed|matrix\/light|notebooks\/(jupyterlite|widget|observable-notebook))\.|^pages\/(every-|firefox|widget\/widget|lessons\/train-short|guides\/own-scheme)|\/(pool|pca|fuzz|new-module|deberta)\.test/;

/** Files for the night: others by day are like them, or what they test seldom changes. A command that names one runs it. */
const LATE = RegExp(
  "^pages/(archive|claims|first-rows|firefox|hero|hostile-tables|lessons|meanings|motion|museum|not-found|offline|phasor-worker|plots-(charts|scatter)|sections|tied|to-playground|umap|write-judge|" +
    "guides/(bundlers|jupyterlite|widget|workers)|" +
    "lessons/(attention|counting|gpt2-input|learned|longer-context|numbers|order|trained-table|training|which-one|whole-input))[.]|" +
    "^hosts/notebooks/(lessons[.]|observable-|playground[.])|^unit/scripts/(new-module|release|sums)[.]",
);

const allFiles = readdirSync(join(project, "tests"), { recursive: true, encoding: "utf8" })
  .map((path) => path.replaceAll("\\", "/"))
  .sort();

/** @param {string} path  in tests/ */
const tierOf = (path) => Object.entries(tiers).find(([, { paths }]) => paths.test(path))?.[0];

/**
 * The tests of a tier, those that take longest first, then those of the whole project.
 *
 * @param {string} tier
 * @param {string[]} words
 * @returns {string[]} paths in tests/
 */
function testsOf(tier, words) {
  const isWanted = (/** @type {string} */ path) =>
    words.length === 0 || words.some((word) => path.includes(word));
  const runsCpp = allFiles.some((path) => path.endsWith(".test.cpp") && isWanted(path));
  const depth = (/** @type {string} */ path) => path.split("/").length;
  return allFiles
    .filter((path) => path.endsWith(".test.js") && tierOf(path) === tier)
    .filter((path) => isNight || words.length > 0 || !LATE.test(path))
    .filter((path) => isWanted(path) || (path === "unit/cpp.test.js" && runsCpp))
    .sort((a, b) => Number(LONG.test(b)) - Number(LONG.test(a)) || depth(a) - depth(b));
}

/**
 * Builds what most tests need, and begins what some of them wait for: the single processes that end a build, and the
 * programs of C++ tests, are beside other tests then.
 *
 * @param {string} tier
 * @param {string[]} tests  paths in tests/
 * @param {string[]} words  those of the command
 * @param {import("../setup/setup.js").Tools} tools
 * @returns {Promise<import("./runner.js").Late[]>}
 */
async function prepare(tier, tests, words, tools) {
  const { build, buildCore, buildPython, writeBindings } = await import("../package/build.js");
  if (tier === "format") return (writeBindings(), []); // types that tsc reads
  const { buildPage } = await import("../site/page.js");
  const { installNotebooks } = await import("./notebooks.js");
  const { buildAssertions, buildNativeTests, buildQuick, buildWasmTests } =
    await import("./builds.js");
  const need = (/** @type {RegExp} */ paths) => tests.some((path) => paths.test(path));
  const isQuick = words.length > 0 && needDefaultEntryAlone(tests);
  /** @type {import("./runner.js").Late[]} */
  const late = [];
  const begin = (/** @type {RegExp} */ paths, /** @type {() => Promise<unknown>} */ work) => {
    if (!need(paths)) return;
    const ready = work();
    ready.catch(() => {}); // told by what waits for it
    late.push({ paths, ready });
  };
  const isNotebooks = tier === "notebooks";
  const installed = isNotebooks && installNotebooks(tests);
  const core = isQuick ? buildQuick() : buildCore(tools);
  const chosen = wordsOfCpp(words);
  // After the core, which bundling waits for: that is one process, and leaves a processor to these.
  begin(/^unit\/cpp\./, () =>
    core.then(() => Promise.all([buildNativeTests(chosen), buildWasmTests(chosen)])),
  );
  const entry = await core;
  if (entry) process.env.PHASOR_ENTRY = pathToFileURL(entry).href;
  else await build({ types: isNotebooks || tier === "package" });
  if (need(/^unit\/python\/|^hosts\/wheel\./)) await buildPython();
  if (isNotebooks || need(/^hosts\/wheel\./)) {
    const { buildWheel } = await import("../package/wheel.js");
    await buildWheel();
  }
  if (tier === "web") await buildPage(tools);
  begin(/^smoke\./, () => apart("scripts/site/page.js", "buildPage"));
  begin(/^pages\/(guides\/|phasor-worker)|^hosts\/(package|matrix)\//, async () => {
    await apart("scripts/package/build.js", "build"); // with the declarations
    await apart("tests/hosts/consumer.js", "installPacked");
  });
  begin(/^pages\/(frame|offline|worker)\./, () => apart("tests/pages/trial.js", "buildTrial"));
  if (need(/^truth\/fingerprints\./) && isNight) {
    await Promise.all(late.map(({ ready }) => ready)); // the tests in WebAssembly are built in the same folder
    await buildAssertions();
  }
  await installed;
  return late;
}

/**
 * Calls a function of a module in a separate process: the server of pages, which tests ask meanwhile, is in this one.
 * @param {string} module  path from the project's folder @param {string} name
 */
function apart(module, name) {
  const code = `import { ${name} } from "./${module}"; await ${name}();`;
  return run(process.execPath, ["--input-type=module", "--eval", code], { cwd: project });
}

/** Where tests with these words are, if not in a tier. @param {string} tier @param {string[]} words */
function noSuchTests(tier, words) {
  const others = Object.keys(tiers).filter((other) => testsOf(other, words).length > 0);
  const command = (/** @type {string} */ other) =>
    other === "unit" ? "npm test --" : `npm run x -- test:${other}`;
  const hint = others.map((other) => `; ${command(other)} ${words.join(" ")} has some`);
  return new Error(
    `No test of the tier ${tier} has ${words.join(" or ")} in its path${hint.join("")}.`,
  );
}

/**
 * Starts the browser and the server that tests share, if there are such tests, and returns what ends them.
 * @param {string} tier @param {string[]} tests
 */
async function share(tier, tests) {
  const { browser } = tiers[tier];
  if (!tests.some((path) => browser?.test(path))) return async () => {};
  const { serveBrowser } = await import("../../tests/pages/browser.js");
  const { startServer } = await import("../../tests/pages/site.js");
  const [shared, server] = await Promise.all([serveBrowser(), startServer()]);
  process.env.PHASOR_BROWSER = shared.address;
  if (tier === "web" || tier === "unit") process.env.PHASOR_BUILD = server.url; // the site is built for them
  return () => Promise.all([shared.close(), server.close()]);
}

/** Where the result of a tier is written. @param {string} tier */
const resultOf = (tier) => join(project, "build", "tests", `${tier}.json`);

/** @param {string} tier @param {string[]} words */
async function runOne(tier, words) {
  const tests = testsOf(tier, words);
  if (tests.length === 0) throw noSuchTests(tier, words);
  const { wants, retries = false, budget } = tiers[tier];
  const tools = await setup(wants);
  process.chdir(project);
  Object.assign(process.env, tools.env, { PHASOR_TESTS: words.join(",") });
  const result = await runTier({
    tier,
    files: tests,
    // Tests wait for processes, and pages for frames.
    concurrency: process.env.PHASOR_BESIDE ? 2 : availableParallelism() + (tier === "web" ? 2 : 1),
    retries,
    budget: words.length === 0 ? budget : 0,
    prepare: () => prepare(tier, tests, words, tools),
    share: () => share(tier, tests),
  });
  mkdirSync(join(project, "build", "tests"), { recursive: true });
  writeFileSync(resultOf(tier), JSON.stringify(result));
  console.log(closing(result).join("\n"));
  if (result.failed.length > 0) process.exitCode = 1;
}

/**
 * Runs every tier, each in a separate process, and prints their closing lines. The programs that notebooks are written
 * for arrive meanwhile: that is waiting for a network.
 */
async function runAll() {
  await setup(ALL.flatMap((tier) => tiers[tier].wants)); // at once, since one program alone may install packages
  const { writeBindings } = await import("../package/build.js");
  writeBindings(); // at once, since two tiers that run at the same time need them
  const { installNotebooks } = await import("./notebooks.js");
  // The tier itself tries again, and says what is wrong.
  const installed = installNotebooks(testsOf("notebooks", [])).catch(() => {});
  /** @type {string[]} */
  const failed = [];
  for (const tier of ALL) rmSync(resultOf(tier), { force: true });
  const beside = [];
  for (const tier of ALL.filter((each) => !Object.values(BESIDE).includes(each))) {
    if (tier === "notebooks") await installed;
    const other = BESIDE[tier];
    if (other) beside.push(runTierBeside(other).catch(() => failed.push(other)));
    await runTierAlone(tier).catch(() => failed.push(tier));
  }
  await Promise.all(beside);
  const lines = ALL.flatMap((tier) => {
    try {
      return closing(JSON.parse(readFileSync(resultOf(tier), "utf8")));
    } catch {
      return [`${tier}: ended before its tests`];
    }
  });
  console.log(["", ...lines].join("\n"));
  if (failed.length > 0) throw new Error(`Failed: ${failed.join(", ")}`);
}

/** @param {string} tier */
const runTierAlone = (tier) =>
  run(process.execPath, ["scripts/test/tiers.js", tier], { cwd: project });

/** Runs a tier at the same time as another; its lines come when it has ended. @param {string} tier */
async function runTierBeside(tier) {
  const options = { cwd: project, env: { PHASOR_BESIDE: "1" }, capture: true };
  const ended = run(process.execPath, ["scripts/test/tiers.js", tier], options);
  const { stdout, stderr } = await ended.catch((error) => error);
  console.log(`${stdout}${stderr}`.trimEnd());
  await ended;
}

await runScript(async () => {
  const [tier, ...words] = process.argv.slice(2);
  if (tier === "all") await runAll();
  else await runOne(tier, words);
});
