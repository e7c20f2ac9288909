// The C++ tests, natively and as WebAssembly.
// More than 20 s of CPU: every kernel runs under ASan and UBSan beside its scalar definition.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { wordsOfCpp } from "../../scripts/test/needs.js";
import { nativeTests, wasmTests } from "../../scripts/test/builds.js";

/** The words of `npm test -- WORD ...`: then only test files with one of them in their paths are in the programs. */
const words = wordsOfCpp((process.env.PHASOR_TESTS ?? "").split(",").filter(Boolean));

/**
 * Runs cases and returns how many passed.
 * @param {string} command @param {string[]} args
 */
async function doctest(command, args) {
  const options = { maxBuffer: 1e8 };
  const { stdout, stderr } = await promisify(execFile)(command, args, options).catch((error) => {
    throw new Error(`${error.stdout}${error.stderr}`);
  });
  const summary = /test cases:\s+(\d+) \|\s+(\d+) passed \| 0 failed/.exec(stdout);
  assert.ok(summary, `doctest must close with its summary; got\n${stdout}${stderr}`);
  return Number(summary[2]);
}

/** All cases in two parts of about the same length: in a fixed order, but not that of the files. */
const parts = async () => {
  const { stdout } = await promisify(execFile)(nativeTests(words), ["--count"]);
  const count = Number(/filters: (\d+)/.exec(stdout)?.[1]);
  const half = Math.ceil(count / 2);
  return [
    [1, half],
    [half + 1, count],
  ];
};

describe("C++", { concurrency: 2 }, () => {
  test(
    "every doctest case passes natively, under ASan and UBSan",
    { concurrency: 2 },
    async (t) => {
      const shards = (await parts()).map(([first, last]) => [`--first=${first}`, `--last=${last}`]);
      const counts = await Promise.all(
        shards.map((shard) =>
          doctest(nativeTests(words), [
            "--no-colors",
            "--order-by=rand",
            "--rand-seed=1",
            ...shard,
          ]),
        ),
      );
      const passed = counts[0] + counts[1];
      t.diagnostic(`${passed} doctest cases`);
      assert.ok(passed >= (words.length > 0 ? 1 : 60));
    },
  );

  test("every doctest case passes as WebAssembly in Node", async (t) => {
    const module = pathToFileURL(wasmTests(words));
    const code = `import run from ${JSON.stringify(module.href)};
      await run({ arguments: ["--no-colors"] });`;
    const passed = await doctest(process.execPath, ["--input-type=module", "--eval", code]);
    t.diagnostic(`${passed} doctest cases`);
    assert.ok(passed >= (words.length > 0 ? 0 : 50)); // some files are for the native build alone
  });
});
