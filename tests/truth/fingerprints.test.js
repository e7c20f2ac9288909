// Every function gives the same bits in every build: without SIMD, and at night with Emscripten's own checks.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { load } from "phasor";
import { load as loadScalar } from "phasor/scalar";
import { project } from "../../scripts/setup/setup.js";
import { calls, functionsOf } from "../calls.js";
import { fingerprint } from "./fingerprint.js";
import { isNight } from "../sample.js";

/** @import { Phasor } from "phasor" */

const phasor = await load();

test("fingerprints: every function is called", () => {
  assert.deepEqual(Object.keys(calls).sort(), functionsOf(phasor).sort());
});

test("fingerprints: different numbers, types and shapes give different ones", () => {
  const one = new Float32Array([1, 0]);
  const others = [[1, 0], { 0: 1, 1: 0 }, new Float32Array([1, -0]), new Int32Array([1, 0]), [one]];
  assert.equal(fingerprint(one), fingerprint(one.slice()));
  assert.equal(new Set([one, ...others, -0, 0, "0", null].map(fingerprint)).size, 10);
});

/** Fingerprints of what ships by default, by the function's name. @type {Record<string, string>} */
const expected = {};

describe("fingerprints: the default build repeats itself", () => {
  for (const [name, call] of Object.entries(calls)) {
    test(name, async () => {
      expected[name] = fingerprint(await call(phasor));
      assert.equal(fingerprint(await call(phasor)), expected[name]);
    });
  }
});

const assertions = pathToFileURL(join(project, "build", "assertions", "index.js")).href;
/** @type {[name: string, load: () => Promise<Phasor>][]} */
const builds = [["without SIMD", loadScalar]];
if (isNight) {
  builds.push(["with Emscripten's assertions", async () => (await import(assertions)).load()]);
}
for (const [build, loadBuild] of builds) {
  describe(`fingerprints: the same bits ${build}`, async () => {
    const other = await loadBuild();

    test("it has the same modules and functions", () => {
      assert.deepEqual(Object.keys(other), Object.keys(phasor));
      assert.deepEqual(functionsOf(other), functionsOf(phasor));
    });

    for (const [name, call] of Object.entries(calls)) {
      test(name, async () => assert.equal(fingerprint(await call(other)), expected[name]));
    }
  });
}

const parts = [
  ...["positional", "embedding", "attention", "analysis", "training"],
  ...["rope", "sinusoidal"],
];
for (const part of parts) {
  describe(`fingerprints: the same bits in phasor/${part}`, async () => {
    const own = await (await import(`phasor/${part}`)).load();
    const whole = /** @type {Record<string, unknown>} */ (/** @type {unknown} */ (phasor));

    test("its modules are phasor's, with the same functions", () => {
      const names = Object.keys(own);
      const same = Object.fromEntries(names.map((name) => [name, whole[name]]));
      assert.ok(names.length > 0);
      assert.deepEqual(functionsOf(own), functionsOf(/** @type {any} */ (same)));
    });

    // What a part lacks is phasor's, which has another core: a table then comes as numbers, and a search does
    // not know how far they were rounded.
    /** @param {Phasor} modules @returns {Phasor} */
    const uncertain = (modules) => {
      const nearest = (/** @type {any[]} */ ...given) => {
        const { ids, scores } = /** @type {any} */ (modules.nearest)(...given);
        return { ids, scores };
      };
      return { ...modules, nearest: /** @type {any} */ (Object.assign(nearest, modules.nearest)) };
    };
    for (const [name, call] of Object.entries(calls)) {
      if (!(name.split(".")[0] in own)) continue;
      test(name, async () => {
        const found = await call(uncertain({ ...phasor, ...own }));
        assert.equal(fingerprint(found), fingerprint(await call(uncertain(phasor))));
      });
    }
  });
}

test("fingerprints: the parts together have every module except models", () => {
  const folders = parts
    .slice(0, 5)
    .map((part) => import(`phasor/${part}`).then(({ load }) => load()));
  return Promise.all(folders).then((loaded) => {
    const names = loaded.flatMap((part) => Object.keys(part));
    assert.deepEqual([...names, "inputEmbeddings"].sort(), Object.keys(phasor));
  });
});

/** Run a module where there is no SIMD. @param {string} code */
function runWithoutSimd(code) {
  const args = ["--no-enable-sse4-1", "--input-type=module", "--eval", code];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: project,
    encoding: "utf8",
  });
  assert.equal(status, 0, stderr);
  return stdout.trim();
}

test(
  "scalar: it works where there is no SIMD, and the default entry throws an error there that names it",
  { skip: process.arch !== "x64" && "Node can do without SIMD on x86 alone" },
  () => {
    const code = `
      const said = await (await import("phasor")).load().catch((error) => error);
      console.log(said.name + ": " + said.message);
      const { rope } = await (await import("phasor/scalar")).load();
      console.log(rope.table(2, 2).cos.at(1, 0));
    `;
    assert.equal(
      runWithoutSimd(code),
      `LoadError: phasor needs WebAssembly SIMD, which is missing here; "phasor/scalar" does without\n${Math.fround(Math.cos(1))}`,
    );
  },
);
