// Builds phasor with the newest Emscripten, and runs the C++ tests as wasm and the modules' own tests.

import { join } from "node:path";
import { bundle } from "../package/build.js";
import { buildByNewest, inside } from "../setup/newest.js";
import { runScript, step } from "../setup/run.js";
import { project } from "../setup/setup.js";
import { testModules } from "./builds.js";

async function test() {
  // Emscripten makes a factory of every .mjs file; importing it runs nothing yet.
  const program = `const { default: main } = await import("/phasor/build/phasor_tests.mjs");
    await main({ arguments: ["--no-colors"] });`;
  const node = ["node", "--input-type=module", "--eval", program];
  const { stdout } = await inside(node, { quiet: true });
  if (!stdout.includes("Status: SUCCESS!"))
    throw new Error(`The tests did not succeed:\n${stdout}`);
  const summary = stdout.split("\n").filter((line) => /test cases:|assertions:/.test(line));
  console.log(summary.map((line) => line.replace("[doctest]", " ")).join("\n"));
}

/** The package around this core, as `npm run build` makes it, under the modules' own tests. @param {string} cores */
async function testPackage(cores) {
  const folder = join(project, "build", "newest-dist");
  await bundle(cores, folder, { names: ["index"] });
  await testModules(join(folder, "index.js"));
}

await runScript(async () => {
  const { folder } = await buildByNewest(["phasor", "phasor_tests"]);
  await step("Running the C++ tests as wasm", test);
  await step("Running the tests of the package", () => testPackage(folder));
});
