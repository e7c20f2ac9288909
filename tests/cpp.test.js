import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { project } from "../scripts/setup.js";

/** The words of `npm test -- WORD ...`: then only test files with one of them in their paths run. */
const words = (process.env.PHASOR_TESTS ?? "").split(",").filter((word) => word && word !== "cpp");
const filter = words.length > 0 ? [`--source-file=${words.map((word) => `*${word}*`).join()}`] : [];

const options = ["--no-colors", ...filter];

/** @param {string} command @param {string[]} args */
function doctest(command, args) {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: "utf8" });
  assert.equal(status, 0, stdout + stderr);
  const summary = /test cases:\s+(\d+) \|\s+(\d+) passed \| 0 failed/.exec(stdout);
  assert.ok(summary, `doctest must close with its summary; got\n${stdout}${stderr}`);
  return Number(summary[2]);
}

test("C++: every doctest case passes natively, under ASan and UBSan", (t) => {
  const passed = doctest(join(project, "build", "native", "phasor_tests"), options);
  t.diagnostic(`${passed} doctest cases`);
  assert.ok(passed >= (filter.length > 0 ? 1 : 60));
});

test("C++: every doctest case passes as WebAssembly in Node", (t) => {
  const module = pathToFileURL(join(project, "build", "wasm", "phasor_tests.mjs"));
  const code = `import run from ${JSON.stringify(module.href)};
    await run({ arguments: ${JSON.stringify(options)} });`;
  const passed = doctest(process.execPath, ["--input-type=module", "--eval", code]);
  t.diagnostic(`${passed} doctest cases`);
  assert.ok(passed >= (filter.length > 0 ? 0 : 50)); // some files are for the native build alone
});
