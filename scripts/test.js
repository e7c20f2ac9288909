// `npm test`: all set-up and building, then every test with Node's runner, whose summary closes it.
// `npm test -- WORD ...` runs the tests whose paths have one of the words.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { run, step } from "./run.js";
import { project, setup } from "./setup.js";

/** @returns {Promise<import("./setup.js").Tools>} */
async function prepare() {
  const tools = await setup(["packages", "emscripten", "native", "format", "browser", "firefox"]);
  const { build, bundle, compile, compileWasm } = await import("./build.js");
  const { buildPage } = await import("./page.js");
  await build();
  await step("Compiling the C++ tests natively, under ASan and UBSan", () => {
    const options = ["-DCMAKE_BUILD_TYPE=Debug", "-DPHASOR_SANITIZE=ON"];
    return compile(tools, "native", ["phasor_tests"], options);
  });
  await step("Compiling the C++ tests to WebAssembly", () => compileWasm(tools, ["phasor_tests"]));
  await step("Compiling the core with Emscripten's assertions", async () => {
    const options = ["-DCMAKE_BUILD_TYPE=Release", "-DPHASOR_ASSERTIONS=ON"];
    await compile(tools, "wasm-assertions", ["phasor"], options);
    const folder = join(project, "build", "assertions");
    await bundle(join(project, "build", "wasm-assertions"), folder, ["index"]);
  });
  await step("Building the page", () => buildPage(tools));
  return tools;
}

/** @param {string[]} words */
function tests(words) {
  return readdirSync(join(project, "tests"), { recursive: true })
    .map((path) => join("tests", String(path)))
    .filter((path) => path.endsWith(".test.js"))
    .filter((path) => !path.startsWith(join("tests", "notebooks"))) // npm run test:notebooks
    .filter((path) => !path.startsWith(join("tests", "real-models"))) // npm run test:models
    .filter((path) => words.length === 0 || words.some((word) => path.includes(word)))
    .sort();
}

try {
  const tools = await prepare();
  const runner = ["--test", "--test-reporter=spec", "--test-concurrency=2"];
  await run(process.execPath, [...runner, ...tests(process.argv.slice(2))], {
    cwd: project,
    env: tools.env,
  });
} catch (error) {
  console.error(/** @type {Error} */ (error).message);
  process.exitCode = 1;
}
