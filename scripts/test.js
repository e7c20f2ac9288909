// Runs a tier of the tests: sets up, builds what its tests need, and hands them to Node's runner, whose
// summary closes it. `npm test` is the tier "unit"; package.json has the others.
//   node scripts/test.js TIER [WORD ...]   all tests of a tier, or those whose paths have one of the words

import { readdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { project, setup } from "./setup.js";

/** @typedef {import("./toolchain.js").Want} Want */

/**
 * The tiers. A test belongs to the first that has its path in tests/; what no other has is a unit test.
 * Tests of real models are run by scripts/test-models.js.
 *
 * @type {Record<string, { paths: RegExp, wants: Want[] }>}
 */
const tiers = {
  models: { paths: /^real-models\//, wants: [] },
  notebooks: { paths: /^notebooks\//, wants: ["packages", "emscripten", "browser", "python"] },
  web: {
    paths: /^(web|widget)\/|^worker\/pages/,
    wants: ["packages", "emscripten", "browser", "firefox"],
  },
  package: { paths: /^(package|matrix)\//, wants: ["packages", "emscripten", "browser"] },
  attacks: { paths: /^fuzz\/fuzz\./, wants: ["packages", "emscripten"] },
  unit: { paths: /./, wants: ["packages", "emscripten", "native", "format", "browser"] },
};

const allFiles = readdirSync(join(project, "tests"), { recursive: true, encoding: "utf8" })
  .map((path) => path.replaceAll("\\", "/"))
  .sort();

/** @param {string} path  in tests/ */
const tierOf = (path) => Object.entries(tiers).find(([, { paths }]) => paths.test(path))?.[0];

/**
 * The tests of a tier, those of the whole project first: they take longest.
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
    .filter((path) => isWanted(path) || (path === "cpp.test.js" && runsCpp))
    .sort((a, b) => depth(a) - depth(b));
}

/**
 * Builds what tests need, as much at a time as can be.
 *
 * @param {string} tier
 * @param {string[]} tests  paths in tests/
 * @param {import("./setup.js").Tools} tools
 */
async function prepare(tier, tests, tools) {
  const { build, buildCore, buildPython } = await import("./build.js");
  const { buildPage } = await import("./page.js");
  const { installNotebooks } = await import("./test-notebooks.js");
  const { buildAssertions, buildNativeTests, buildWasmTests } = await import("./test-builds.js");
  const need = (/** @type {RegExp} */ paths) => tests.some((path) => paths.test(path));

  const buildWithCore = async () => {
    await buildCore(tools);
    await Promise.all([buildPackageAndPages(), buildOtherCores()]);
  };
  const buildPackageAndPages = async () => {
    await build({ types: tier !== "unit" });
    if (tier === "notebooks" || need(/^python\//)) {
      const { buildWheel } = await import("./wheel.js");
      await buildPython();
      await buildWheel();
    }
    if (tier === "web" || need(/^smoke\./)) await buildPage(tools);
    if (need(/^web\/guides\/|^worker\/pages|^package\/|^matrix\//)) {
      const { installPacked } = await import("../tests/consumer.js");
      await installPacked();
    }
    if (!need(/^web\/(frame|offline|worker)\./)) return;
    const { buildTrial } = await import("../tests/web/trial.js");
    await buildTrial();
  };
  const buildOtherCores = async () => {
    if (need(/^cpp\./)) await buildWasmTests();
    if (need(/^fingerprints\./)) await buildAssertions(); // afterwards, since they share a folder
  };
  await Promise.all([
    buildWithCore(),
    need(/^cpp\./) && buildNativeTests(),
    tier === "notebooks" && installNotebooks(),
  ]);
}

/**
 * Runs tests in this order, so many files at a time, and prints how they went. (`node --test` sorts files by name.)
 * @param {string[]} tests  paths in tests/ @param {number} concurrency
 */
function runTests(tests, concurrency) {
  run({ files: tests.map((path) => join(project, "tests", path)), concurrency })
    .on("test:fail", () => (process.exitCode = 1))
    .compose(new spec())
    .pipe(process.stdout);
}

/** Where tests with these words are, if not in a tier. @param {string} tier @param {string[]} words */
function noSuchTests(tier, words) {
  const others = Object.keys(tiers).filter((other) => testsOf(other, words).length > 0);
  const hint = others.map((other) => `; npm run test:${other} -- ${words.join(" ")} has some`);
  return new Error(
    `No test of the tier ${tier} has ${words.join(" or ")} in its path${hint.join("")}.`,
  );
}

try {
  const [tier, ...words] = process.argv.slice(2);
  const tests = testsOf(tier, words);
  if (tests.length === 0) throw noSuchTests(tier, words);
  const tools = await setup(tiers[tier].wants);
  await prepare(tier, tests, tools);
  Object.assign(process.env, tools.env, { PHASOR_TESTS: words.join(",") });
  process.chdir(project);
  runTests(tests, availableParallelism() + (tier === "web" ? 2 : 0)); // pages wait for frames
} catch (error) {
  console.error(/** @type {Error} */ (error).message);
  process.exitCode = 1;
}
