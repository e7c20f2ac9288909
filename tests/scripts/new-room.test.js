import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { newRoom } from "../../scripts/new-room.js";
import { project } from "../../scripts/setup.js";

/** A copy of what a room touches. @param {import("node:test").TestContext} t */
async function copy(t) {
  const root = await mkdtemp(join(tmpdir(), "phasor-room-"));
  t.after(() => rm(root, { recursive: true }));
  for (const part of ["src", "tests", "CMakeLists.txt", "README.md", "package.json", "scripts"]) {
    await cp(join(project, part), join(root, part), {
      recursive: true,
      filter: (path) => !/golden|node_modules/.test(path.slice(project.length)),
    });
  }
  return root;
}

/** Names of the structure tests that fail. @param {string} root */
function failures(root) {
  const env = { ...process.env };
  Reflect.deleteProperty(env, "NODE_TEST_CONTEXT");
  const { stdout } = spawnSync(
    process.execPath,
    ["--test", "--test-reporter=tap", "tests/structure.test.js"],
    { cwd: root, env, encoding: "utf8" },
  );
  return [...stdout.matchAll(/^\s*not ok \d+ - structure: (.*)$/gm)].map(([, name]) => name);
}

test("newRoom makes a room that compiles, and whose structure test says what to fill in", async (t) => {
  const root = await copy(t);
  assert.deepEqual(failures(root), []);
  const written = await newRoom("positions/new_waves", root);
  assert.equal(written.length, 6);
  assert.deepEqual(failures(root), [
    "every room is shown in the README's table",
    "no room still waits to be filled",
  ]);

  const source = join(root, "src/positions/new_waves/new_waves.cpp");
  const flags = ["-std=c++20", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", `-I${root}/src`];
  const tests = join(root, "tests/positions/new_waves.test.cpp");
  for (const path of [source, tests]) {
    const { status, stderr } = spawnSync("g++", [...flags, path], { encoding: "utf8" });
    assert.equal(status, 0, stderr);
  }

  for (const path of [...written, "src/index.js"]) {
    const text = await readFile(join(root, path), "utf8");
    await writeFile(join(root, path), text.replaceAll("FILL IN", "filled"));
  }
  const readme = join(root, "README.md");
  const text = await readFile(readme, "utf8");
  await writeFile(readme, text.replace(/^(\| `rope` .*)$/m, "$1\n| `newWaves` | | |"));
  assert.deepEqual(failures(root), []);
});

test("newRoom refuses a name that is none and a room that exists, in words", async () => {
  for (const bad of ["", "rope", "nowhere/rope", "positions/", "positions/Rope", "positions/a/b"]) {
    await assert.rejects(newRoom(bad), /The room must be one of .*; got /);
  }
  await assert.rejects(newRoom("positions/rope"), /The room must be new; got src\/positions\/rope/);
});
