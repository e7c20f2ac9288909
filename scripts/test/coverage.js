// `npm run x -- test:coverage`: which lines of src/ the unit tests run, and of JavaScript which blocks: JavaScript by c8
// through the source maps of dist/, C++ by gcov of a native build. Prints the share of every file, the least covered first.

import { appendFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { basename, join, relative } from "node:path";
import { build, compile } from "../package/build.js";
import { filesIn } from "../setup/once.js";
import { run, runScript, step } from "../setup/run.js";
import { project, setup } from "../setup/setup.js";
import { covered, print } from "./covered.js";

/** @import { Tools } from "../setup/setup.js" */
/** @import { Coverage } from "./covered.js" */

/** @param {Tools} tools @returns {Promise<Coverage[]>} */
async function coverCpp(tools) {
  const folder = join(project, "build", "native-coverage");
  const options = ["-DCMAKE_BUILD_TYPE=Debug", "-DPHASOR_COVERAGE=ON"];
  await compile(tools, "native-coverage", ["phasor_tests"], options);
  for (const path of filesIn("build/native-coverage", ".gcda")) rmSync(join(project, path));
  await run(join(folder, "phasor_tests"), ["--no-colors"], { quiet: true });

  const counts = filesIn("build/native-coverage", ".gcda").map((path) => join(project, path));
  const gcov = ["--json-format", "--stdout", ...counts];
  const { stdout } = await run("gcov", gcov, { cwd: folder, capture: true });
  /** Whether each line ran, by file and number. A header is part of several units. @type {Map<string, Map<number, boolean>>} */
  const ran = new Map();
  for (const unit of stdout.trim().split("\n")) {
    for (const { file, lines } of JSON.parse(unit).files) {
      const path = relative(project, file);
      if (!path.startsWith("src")) continue;
      const known = ran.get(path) ?? new Map();
      ran.set(path, known);
      for (const { line_number: line, count } of lines) {
        known.set(line, known.get(line) || count > 0);
      }
    }
  }
  return [...ran].map(([file, lines]) => ({
    file,
    lines: lines.size,
    covered: [...lines.values()].filter(Boolean).length,
  }));
}

/**
 * Runs work with links to source maps in the bundles, which published ones do not have.
 * @template Result
 * @param {() => Promise<Result>} work
 */
async function withMaps(work) {
  const maps = filesIn("dist", ".js.map").map((path) => join(project, path));
  const bundles = maps.map((map) => map.replace(/\.map$/, ""));
  const codes = bundles.map((path) => readFileSync(path));
  for (const [i, path] of bundles.entries()) {
    appendFileSync(path, `\n//# sourceMappingURL=${basename(maps[i])}\n`);
  }
  return work().finally(() => {
    for (const [i, path] of bundles.entries()) writeFileSync(path, codes[i]);
  });
}

/** @param {Tools} tools @returns {Promise<Coverage[]>} */
async function coverJavaScript(tools) {
  const folder = join(project, "build", "coverage");
  rmSync(folder, { recursive: true, force: true });
  const isElsewhere =
    /^tests.(pages|hosts|unit.python|truth.real-models)\b|^tests.((unit|truth).)?\w+\.test/;
  const tests = filesIn("tests", ".test.js").filter((path) => !isElsewhere.test(path));
  const runner = ["--test", "--test-reporter=dot", `--test-concurrency=${availableParallelism()}`];
  await run(process.execPath, [...runner, ...tests], {
    cwd: project,
    env: { ...tools.env, NODE_V8_COVERAGE: join(folder, "v8") },
    quiet: true,
  }).catch((error) => {
    console.error(error.message); // failed tests have run lines too
    process.exitCode = 1;
  });
  return covered(project, folder, tools.env);
}

await runScript(async () => {
  const tools = await setup(["packages", "emscripten", "native"]);
  await build();
  const cpp = await step("Running the C++ tests", () => coverCpp(tools));
  const js = await step("Running the unit tests in JavaScript", () =>
    withMaps(() => coverJavaScript(tools)),
  );
  print("C++ of src/", cpp);
  print("JavaScript of src/", js);
});
