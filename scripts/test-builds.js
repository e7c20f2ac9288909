// What tests are built from, beside the package and the pages.
//   npm run test:builds   the modules' own tests on the builds of which `npm test` compares the results

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build as buildPackage, bundle, compile, compileWasm } from "./build.js";
import { filesIn, once } from "./once.js";
import { run, step } from "./run.js";
import { project, setup } from "./setup.js";

const build = join(project, "build");
const means = ["CMakeLists.txt", "package-lock.json", "scripts/build.js", "scripts/test-builds.js"];
const cpp = (/** @type {string} */ folder) => filesIn(folder, ".h", ".cpp");

/** The C++ tests, natively under ASan and UBSan. @returns {Promise<string>} the program */
export async function buildNativeTests() {
  const tools = await setup(["native"]);
  const program = join(build, "native", "phasor_tests");
  const from = [...means, ...cpp("src"), ...cpp("tests")];
  await once("native tests", { from, to: [program], by: tools.cxx }, () =>
    step("Compiling the C++ tests natively, under ASan and UBSan", () => {
      const options = ["-DCMAKE_BUILD_TYPE=Debug", "-DPHASOR_SANITIZE=ON"];
      return compile(tools, "native", ["phasor_tests"], options);
    }),
  );
  return program;
}

/** The C++ tests as WebAssembly. @returns {Promise<string>} the module, whose default runs them */
export async function buildWasmTests() {
  const tools = await setup(["emscripten", "native"]);
  const module = join(build, "wasm", "phasor_tests.mjs");
  const from = [...means, ...cpp("src"), ...cpp("tests")];
  const to = [module, module.replace(/mjs$/, "wasm")];
  await once("wasm tests", { from, to, by: tools.emscripten }, () =>
    step("Compiling the C++ tests to WebAssembly", () => compileWasm(tools, ["phasor_tests"])),
  );
  return module;
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

/** Tests that are about other entries, or need what this machine may lack. */
const isElsewhere = /^tests.(web|worker|real-models)\b/;

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
  try {
    await buildPackage({ types: false });
    const assertions = await buildAssertions();
    await step("Testing the build without SIMD", () =>
      testModules(join(project, "dist/scalar.js"), /\bload\.test\.js$/),
    );
    await step("Testing the build with Emscripten's assertions", () => testModules(assertions));
  } catch (error) {
    console.error(/** @type {Error} */ (error).message);
    process.exitCode = 1;
  }
}
