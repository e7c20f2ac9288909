import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { before, describe, test } from "node:test";
import { project } from "../scripts/setup.js";
import { calls, functionsOf } from "./calls.js";
import { passTests } from "./modules.js";

/** @import { Phasor } from "phasor" */

/** @type {Phasor} */
let phasor;
/** @type {Phasor} */
let scalar;

before(async () => {
  phasor = await (await import("phasor")).load();
  scalar = await (await import("phasor/scalar")).load();
});

test("scalar: it has the same rooms and functions, and each is called below", () => {
  assert.deepEqual(Object.keys(scalar), Object.keys(phasor));
  assert.deepEqual(functionsOf(scalar), functionsOf(phasor));
  assert.deepEqual(Object.keys(calls).sort(), functionsOf(phasor).sort());
});

describe("scalar: the same bits", () => {
  for (const [name, call] of Object.entries(calls)) {
    test(name, async () => {
      // Clones of Tensors are plain objects: classes, which are each entry's own, do not count.
      const [expected, got] = [await call(phasor), await call(scalar)];
      assert.deepEqual(structuredClone(got), structuredClone(expected));
    });
  }
});

test("scalar: the rooms' own tests pass on it", (t) => {
  t.diagnostic(`${passTests("dist/scalar.js")} tests`);
});

/** Run a module where there is no SIMD. @param {string} code */
function withoutSimd(code) {
  const args = ["--no-enable-sse4-1", "--input-type=module", "--eval", code];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: project,
    encoding: "utf8",
  });
  assert.equal(status, 0, stderr);
  return stdout.trim();
}

test(
  "scalar: it works where there is no SIMD, and the default entry says so there",
  { skip: process.arch !== "x64" && "Node can do without SIMD on x86 alone" },
  () => {
    const code = `
      const said = await (await import("phasor")).load().catch((error) => error);
      console.log(said.name + ": " + said.message);
      const { rope } = await (await import("phasor/scalar")).load();
      console.log(rope.table(2, 2).cos.at(1, 0));
    `;
    assert.equal(
      withoutSimd(code),
      `LoadError: phasor needs WebAssembly SIMD, which is missing here; "phasor/scalar" does without\n${Math.fround(Math.cos(1))}`,
    );
  },
);
