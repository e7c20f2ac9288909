/**
 * Makes a module of each template, fills in a formula, builds both with the package's own scripts and runs their
 * tests. A template that only compiles may still return zeros.
 *
 * The core that is built has these two modules alone. It takes most of this file's CPU time, about 15 s.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { FAMILIES, modules } from "../../../scripts/package/modules.js";
import { newModule } from "../../../scripts/new-module/new-module.js";
import { atNight } from "../../sample.js";
import { project, setup } from "../../../scripts/setup/setup.js";

const BIAS = "positional/bias/new_bias";
const WAVES = "positional/absolute/new_waves";
const MADE = [BIAS, WAVES];

/** What an author changes in the files of a template: a formula whose values float32 and float16 round. */
const FORMULAS = {
  [`src/${BIAS}/new_bias.cpp`]: [
    /return -scale \* distance .*;/,
    "return scale * distance / static_cast<double>(H - h + 2);",
  ],
  [`tests/unit/${BIAS}.test.cpp`]: [
    /\{-1\.0f, 0\.0f, hidden, -0\.5f, 0\.0f, hidden\}/,
    "{0.25f, 0.0f, hidden, 1.0f / 3, 0.0f, hidden}",
  ],
  [`tests/unit/${BIAS}.test.js`]: [
    /\[\[\[-2, -1, 0\]\], \[\[-1, -0\.5, 0\]\]\]/,
    "[[[0.5, 0.25, 0]], [[Math.fround(2 / 3), Math.fround(1 / 3), 0]]]",
  ],
  [`src/${WAVES}/new_waves.cpp`]: [
    /return static_cast<float>\(t\);/,
    "return 1.0f / static_cast<float>(t + 3);",
  ],
  [`tests/unit/${WAVES}.test.js`]: [
    /\[0, 0, 1, 1, 2, 2\]/,
    "[3, 3, 4, 4, 5, 5].map((t) => Math.fround(1 / t))",
  ],
};

/** A copy of what the scaffold and the structure test read. @param {string} root */
async function copy(root) {
  const wings = new Set(FAMILIES.map((family) => family.split("/")[0]));
  const helpersIn = async (/** @type {string} */ folder) =>
    (await readdir(join(project, folder)))
      .filter((name) => /\.(js|h)$|^main\.cpp$/.test(name))
      .map((name) => join(folder, name));
  const helpers = [...(await helpersIn("tests")), ...(await helpersIn("tests/unit"))];
  const tests = [...wings, "reference"].map((name) => join("tests/unit", name));
  for (const part of ["src", "scripts", "CMakeLists.txt", "package.json", ...helpers, ...tests]) {
    await cp(join(project, part), join(root, part), { recursive: true });
  }
  await symlink(join(project, "node_modules"), join(root, "node_modules"));
}

const root = await mkdtemp(join(tmpdir(), "phasor-module-"));
after(() => rm(root, { recursive: true }));
await copy(root);

/** @param {string} path @param {(text: string) => string} change */
async function edit(path, change) {
  const text = await readFile(join(root, path), "utf8");
  const changed = change(text);
  assert.notEqual(changed, text, `${path} has nothing to change`);
  await writeFile(join(root, path), changed);
}

/** @param {string} command @param {string[]} args @param {NodeJS.ProcessEnv} [env] */
function spawn(command, args, env = {}) {
  const { NODE_TEST_CONTEXT: _, ...own } = process.env; // a test run within a test would not report
  return spawnSync(command, args, { cwd: root, env: { ...own, ...env }, encoding: "utf8" });
}

/** But for the slow test of long functions and those of lines and of folders, which read what the copy lacks. */
const ALL = "(?!no function has more|no folder has more|tests and scripts have)";

/** Names of the structure tests that fail. @param {string} some  pattern of their names @param {number} count  of them */
function failures(some, count) {
  const pattern = `--test-name-pattern=structure: ${some}`;
  const args = ["--test", "--test-reporter=tap", pattern, "tests/structure.test.js"];
  const { stdout } = spawn(process.execPath, args);
  const [passed, failed] = ["pass", "fail"].map((how) =>
    Number(new RegExp(`^# ${how} (\\d+)`, "m").exec(stdout)?.[1]),
  );
  assert.ok(passed + failed >= count, stdout);
  return [...stdout.matchAll(/^\s*not ok \d+ - structure: (.*)$/gm)].map(([, name]) => name);
}

test("newModule makes modules; the structure test names what to fill in, and nothing else", async () => {
  const written = [];
  for (const module of MADE) written.push(...(await newModule(module, root)));
  assert.equal(written.length, 13);
  const placeholders = "no module contains a placeholder";
  assert.deepEqual(failures(placeholders, 1), [placeholders]);

  for (const [path, [from, to]] of Object.entries(FORMULAS)) {
    await edit(path, (text) => text.replace(from, String(to)));
  }
  for (const path of written) {
    const text = await readFile(join(root, path), "utf8");
    await writeFile(join(root, path), text.replaceAll("FILL IN", "filled"));
  }
  assert.deepEqual(failures(ALL, 10), []);
});

test("modules that newModule makes pass their C++ tests", atNight, async () => {
  const { cxx } = await setup(["native"]);
  const flags = "-std=c++20 -Wall -Wextra -Werror -Isrc -Itests/unit -o tested".split(" ");
  const sources = MADE.map((module) => `src/${module}/${basename(module)}.cpp`);
  const tests = ["tests/unit/main.cpp", ...MADE.map((module) => `tests/unit/${module}.test.cpp`)];
  const { status, stderr } = spawn(String(cxx), [...flags, ...sources, ...tests]);
  assert.equal(status, 0, stderr);
  const { stdout } = spawn(join(root, "tested"), []);
  assert.match(stdout, /test cases: +4 \| +4 passed/);
});

/** Leaves the made modules alone in the copy, and compiles them fast: no bit depends on optimization. */
async function dropOthers() {
  for (const module of modules(root).filter((module) => !MADE.includes(module))) {
    await rm(join(root, "src", module), { recursive: true });
  }
  await edit("src/positional/modules.js", (text) =>
    text.replace(/^export .*\n/gm, (line) => (line.includes("/new_") ? line : "")),
  );
  await edit("CMakeLists.txt", (text) =>
    text
      .replace(/(set\(PHASOR_MODULES\n)[^)]*\)/, `$1${MADE.join("\n")})`)
      .replace(/-O[3sz]\b/g, "-O1"),
  );
}

/** Builds the entry `phasor/positional` of the copy. @returns {Promise<URL>} where it is */
async function build() {
  const tools = await setup(["packages", "emscripten"]);
  const { bundle, compileWasm } = await import(
    pathToFileURL(join(root, "scripts/package/build.js")).href
  );
  await compileWasm(tools, ["phasor"]);
  await bundle(join(root, "build", "wasm"), join(root, "dist"), {
    names: ["positional"],
    isQuick: true,
  });
  return pathToFileURL(join(root, "dist", "positional.js"));
}

test("modules that newModule makes compute their formula and write it to out", async (t) => {
  await dropOthers();
  const { href } = await build();
  for (const module of MADE) {
    const args = ["--test", "--test-reporter=tap", `tests/unit/${module}.test.js`];
    const { status, stdout } = spawn(process.execPath, args, { PHASOR_ENTRY: href });
    assert.equal(status, 0, stdout);
  }

  const { load, Tensor } = await import(href);
  const { newBias, newWaves } = await load();
  const bias = Float32Array.from({ length: 2 * 3 * 4 }, (_, at) => {
    const [h, i, j] = [Math.floor(at / 12), Math.floor(at / 4) % 3, at % 4];
    return (1.5 * Math.abs(j - (1 + i))) / (4 - h);
  });
  const table = Float32Array.from({ length: 4 * 2 }, (_, at) => 1 / (Math.floor(at / 2) + 3));
  /** @type {[string, Float32Array, number[], (options: object) => any][]} */
  const calls = [
    ["newBias", bias, [2, 3, 4], (out) => newBias.bias(2, 3, { keys: 4, scale: 1.5, ...out })],
    ["newWaves", table, [4, 2], (out) => newWaves.table(4, 2, out)],
  ];
  for (const [name, data, shape, call] of calls) {
    await t.test(name, () => {
      const want = new Tensor(data, shape);
      assert.deepEqual(call({}), want);
      const out = new Float32Array(data.length);
      assert.equal(call({ out }).data, out);
      assert.deepEqual(out, data);
      const half = new Uint16Array(data.length);
      const narrow = call({ out: new Tensor(half, shape, "float16") });
      assert.equal(narrow.dtype, "float16");
      assert.deepEqual(narrow.toArray(), want.as("float16").toArray());
      assert.ok(half.some((bits) => bits !== 0));
    });
  }
});

test("newModule rejects invalid names and existing modules", async () => {
  for (const bad of [
    "",
    "rope",
    "nowhere/rope",
    "positional/bias/",
    "positional/bias/Rope",
    "positional/alibi",
  ]) {
    await assert.rejects(newModule(bad), /module must be one of .*; got /);
  }
  await assert.rejects(
    newModule("positional/rotary/rope"),
    /module must be new; got src\/positional\/rotary\/rope/,
  );
});
