// `npm test`: all set-up and building, then every test with Node's runner, whose summary closes it.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { run, step } from "./run.js";
import { project, setup } from "./setup.js";

const tools = await setup(["packages", "emscripten", "native", "format", "browser"]);
const { build, bundle, compile, compileWasm } = await import("./build.js");

await build();
await step("Compiling the C++ tests natively, under ASan and UBSan", () =>
  compile(tools, "native", ["phasor_tests"], ["-DCMAKE_BUILD_TYPE=Debug", "-DPHASOR_SANITIZE=ON"]),
);
await step("Compiling the C++ tests to WebAssembly", () => compileWasm(tools, ["phasor_tests"]));
await step("Compiling the core with Emscripten's assertions", async () => {
  const options = ["-DCMAKE_BUILD_TYPE=Release", "-DPHASOR_ASSERTIONS=ON"];
  await compile(tools, "wasm-assertions", ["phasor"], options);
  await bundle(join(project, "build", "wasm-assertions"), join(project, "build", "assertions"));
});
await step("Building the page", async () => (await import("./page.js")).buildPage(tools));

const wanted = process.argv.slice(2); // parts of paths, to run some of the tests only
const tests = readdirSync(join(project, "tests"), { recursive: true })
  .map((path) => join("tests", String(path)))
  .filter((path) => path.endsWith(".test.js"))
  .filter((path) => wanted.length === 0 || wanted.some((part) => path.includes(part)))
  .sort();
const runner = ["--test", "--test-reporter=spec", "--test-concurrency=2", ...tests];
try {
  await run(process.execPath, runner, { cwd: project, env: tools.env });
} catch {
  process.exitCode = 1; // the runner has said why
}
