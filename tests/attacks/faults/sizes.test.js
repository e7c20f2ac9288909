// Sizes near 2^31 where memory is short: each is an error of the package, never one of the engine, and the next call works.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { entry } from "../../phasor.js";

/** The largest size. */
const M = 2 ** 31 - 1;

/** @type {readonly (readonly [string, ...unknown[]])[]} */
const CALLS = [0, 1, 4].flatMap((n) => [
  ["alibi.slopes", M],
  ["alibi.bias", M, n],
  ["alibi.bias", n, M],
  ["kerple.bias", M, n],
  ["kerple.bias", n, M],
  ["sandwich.bias", M, n],
  ["sandwich.bias", n, M],
  ["t5Bias.buckets", M],
  ["windowBias.index", [M, n]],
  ["windowBias.index", [n, M]],
  ["windowBias.logCoordinates", [M, n]],
  ["rope.table", M, n],
  ["rope.table", n, M - 1],
  ["rope.frequencies", M - 1],
  ["xpos.table", M, n],
  ["xpos.table", n, M - 1],
  ["sinusoidal.table", M, n],
  ["sinusoidal.table", n, M - 1],
  ["sincosGrid.table", [M, n], 4],
  ["sincosGrid.table", [n, M], 4],
  ["sincosGrid.table", [n, n], M - 3],
  ["axialRope.table", [M, n], 4],
  ["axialRope.table", [n, M], 4],
  ["axialRope.table", [n, n], M - 3],
  ["mrope.axes", M - 1],
  ["positionIds.range", M],
  ["positionIds.packed", [M, n]],
  ["shaw.index", M],
  ["deberta.index", M],
  ["embedding.zeros", M, n],
  ["embedding.zeros", n, M],
  ["embedding.create", M, n],
  ["embedding.create", n, M],
]);

/** What runs in a process with little memory. */
const PROGRAM = `
  const { load } = await import(${JSON.stringify(import.meta.resolve(entry))});
  const phasor = await load();
  for (const [name, ...given] of JSON.parse(process.argv[1])) {
    let found = "a result";
    try {
      const [module, method] = name.split(".");
      phasor[module][method](...given);
    } catch (error) {
      found = error.name + ": " + error.message;
    }
    console.log(JSON.stringify([name, given, found]));
  }
  console.log(JSON.stringify(["alibi.slopes", [2], phasor.alibi.slopes(2).toArray().join()]));
`;

test(
  "sizes near 2^31 are refused where memory is short",
  { skip: process.platform === "win32" },
  () => {
    const limited = 'ulimit -d 4000000 && exec "$0" --input-type=module -e "$1" "$2"';
    const args = ["-c", limited, process.execPath, PROGRAM, JSON.stringify(CALLS)];
    const lines = execFileSync("bash", args, { encoding: "utf8", timeout: 120_000 })
      .trim()
      .split("\n");
    const found = lines.map((line) => JSON.parse(line));
    assert.deepEqual(found.pop(), ["alibi.slopes", [2], "0.0625,0.00390625"]);
    assert.equal(found.length, CALLS.length);
    for (const [name, given, got] of found) {
      const isWords = /^(OutOfMemory|Range|Type)Error: \S+: .* must .*; got /s.test(got);
      assert.ok(got === "a result" || isWords, `${name}(${JSON.stringify(given)}): ${got}`);
    }
    assert.ok(found.filter(([, , got]) => got.startsWith("OutOfMemoryError")).length > 30);
  },
);
