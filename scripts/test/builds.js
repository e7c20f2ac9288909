// Builds for tests, apart from the package and the pages.
//   npm run x -- test:builds   the modules' own tests on the builds whose results `npm test` compares

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import {
  build as buildPackage,
  buildCore,
  bundle,
  compile,
  compileWasm,
} from "../package/build.js";
import { filesIn, once } from "../setup/once.js";
import { run, runScript, step } from "../setup/run.js";
import { coreSourcesOf } from "./needs.js";
import { project, setup } from "../setup/setup.js";

const build = join(project, "build");
const means = [
  "CMakeLists.txt",
  "package-lock.json",
  "scripts/package/bind.js",
  "scripts/package/bindings.js",
  "scripts/package/build.js",
  "scripts/test/builds.js",
];
const cpp = (/** @type {string} */ folder) => filesIn(folder, ".h", ".cpp");

/**
 * The program of C++ tests: all of them, or those whose paths have one of the words.
 * @param {string[]} words
 */
const targetOf = (words) => (words.length > 0 ? "phasor_some_tests" : "phasor_tests");

/** For CMake. @param {string[]} words */
const choose = (words) => (words.length > 0 ? [`-DPHASOR_WORDS=${words.join(";")}`] : []);

/** The C++ tests under ASan and UBSan. @param {string[]} [words] */
export const nativeTests = (words = []) => join(build, "native", targetOf(words));

/** The C++ tests as a module, whose default runs them. @param {string[]} [words] */
export const wasmTests = (words = []) => join(build, "wasm", `${targetOf(words)}.mjs`);

/**
 * The sources of the core that tests with these words need, where those of all tests are not compiled yet; else none.
 * @param {string[]} words
 */
function neededBy(words) {
  if (words.length === 0 || existsSync(nativeTests())) return [];
  const isWanted = (/** @type {string} */ path) => words.some((word) => path.includes(word));
  return coreSourcesOf(filesIn("tests", ".test.cpp").filter(isWanted));
}

/** @param {string[]} [words] */
export async function buildNativeTests(words = []) {
  const tools = await setup(["native"]);
  const program = nativeTests(words);
  const from = [...means, ...cpp("src"), ...cpp("tests")];
  const by = `${tools.cxx} ${words}`;
  await once(`native ${targetOf(words)}`, { from, to: [program], by }, () =>
    step("Compiling the C++ tests natively, under ASan and UBSan", () => {
      const needed = `-DPHASOR_NEEDED=${neededBy(words).join(";")}`;
      const how = ["-DCMAKE_BUILD_TYPE=Debug", "-DPHASOR_SANITIZE=ON", needed];
      const options = [...how, ...choose(words)];
      return compile(tools, "native", [targetOf(words)], options);
    }),
  );
}

/** @param {string[]} [words] */
export async function buildWasmTests(words = []) {
  const tools = await setup(["emscripten", "native"]);
  const module = wasmTests(words);
  const from = [...means, ...cpp("src"), ...cpp("tests")];
  const to = [module, module.replace(/mjs$/, "wasm")];
  const by = `${tools.emscripten} ${words}`;
  await once(`wasm ${targetOf(words)}`, { from, to, by }, () =>
    step("Compiling the C++ tests to WebAssembly", () =>
      compileWasm(tools, [targetOf(words)], choose(words)),
    ),
  );
}

/**
 * The default entry alone and not minified: what the tests of a module need. It is made in seconds.
 * @returns {Promise<string>} path
 */
export async function buildQuick() {
  const tools = await setup(["packages", "emscripten"]);
  const folder = join(build, "quick");
  const entry = join(folder, "index.js");
  await once("quick", { from: [...means, "src"], to: [entry], by: tools.emscripten }, () =>
    step("Bundling the default entry", async () => {
      await compileWasm(tools, ["phasor"]);
      await bundle(join(build, "wasm"), folder, { names: ["index"], isQuick: true });
    }),
  );
  return entry;
}

/** The lab around the core without SIMD. @returns {Promise<string>} its entry */
export async function buildScalarLab() {
  const tools = await setup(["packages", "emscripten"]);
  const folder = join(build, "scalar-lab");
  const entry = join(folder, "lab.js");
  await buildCore(tools);
  await once("scalar lab", { from: [...means, "src"], to: [entry], by: tools.emscripten }, () =>
    bundle(join(build, "wasm"), folder, { names: ["lab"], core: "phasor_scalar", isQuick: true }),
  );
  return entry;
}

/** The package around a core with Emscripten's own checks. @returns {Promise<string>} its entry */
export async function buildAssertions() {
  const tools = await setup(["packages", "emscripten"]);
  const folder = join(build, "assertions");
  const entry = join(folder, "index.js");
  const from = [...means, "src"];
  await once("assertions", { from, to: [entry], by: tools.emscripten }, () =>
    step("Building the package with Emscripten's assertions", async () => {
      await compileWasm(tools, ["phasor_assertions"]);
      const names = ["index"];
      await bundle(join(build, "wasm"), folder, { names, core: "phasor_assertions" });
    }),
  );
  return entry;
}

/** Tests of other entries, or with requirements that this machine may not meet. */
const isElsewhere = /^tests.(pages|unit.worker|truth.real-models)\b|^tests.truth.\w+\.test/;

/**
 * Runs the tests of the modules on another build of the package: those that take it from tests/phasor.js.
 *
 * @param {string} entry  path
 * @param {RegExp} [except]  tests that are about the default entry
 */
export async function testModules(entry, except = /^$/) {
  const takesEntry = /from "(\.\.\/)+phasor\.js"/;
  const tests = filesIn("tests", ".test.js")
    .filter((path) => !isElsewhere.test(path) && !except.test(path))
    .filter((path) => takesEntry.test(readFileSync(join(project, path), "utf8")));
  await run(process.execPath, ["--test", "--test-reporter=dot", ...tests], {
    cwd: project,
    env: { PHASOR_ENTRY: pathToFileURL(entry).href },
  });
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await runScript(async () => {
    await buildPackage({ types: false });
    const assertions = await buildAssertions();
    await step("Testing the build without SIMD", () =>
      testModules(join(project, "dist/scalar.js"), /\bload\.test\.js$/),
    );
    await step("Testing the build with Emscripten's assertions", () => testModules(assertions));
  });
}
