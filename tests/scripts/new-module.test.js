import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { test } from "node:test";
import { newModule } from "../../scripts/new-module.js";
import { project } from "../../scripts/setup.js";

/** A copy of what a module touches. @param {import("node:test").TestContext} t */
async function copy(t) {
  const root = await mkdtemp(join(tmpdir(), "phasor-module-"));
  t.after(() => rm(root, { recursive: true }));
  for (const part of ["src", "tests", "CMakeLists.txt", "README.md", "package.json", "scripts"]) {
    await cp(join(project, part), join(root, part), {
      recursive: true,
      filter: (path) => !/golden|node_modules/.test(path.slice(project.length)),
    });
  }
  await symlink(join(project, "node_modules"), join(root, "node_modules"));
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

for (const module of ["positional/absolute/new_waves", "positional/bias/new_bias"]) {
  test(`newModule makes ${module}, which compiles; the structure test names what to fill in`, async (t) => {
    const root = await copy(t);
    assert.deepEqual(failures(root), []);
    const written = await newModule(module, root);
    assert.equal(written.length, 6);
    assert.deepEqual(failures(root), ["no module still waits to be filled"]);

    const source = join(root, `src/${module}/${basename(module)}.cpp`);
    const flags = ["-std=c++20", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", `-I${root}/src`];
    const tests = join(root, `tests/${module}.test.cpp`);
    for (const path of [source, tests]) {
      const { status, stderr } = spawnSync("g++", [...flags, path], { encoding: "utf8" });
      assert.equal(status, 0, stderr);
    }

    for (const path of [...written, "src/index.js"]) {
      const text = await readFile(join(root, path), "utf8");
      await writeFile(join(root, path), text.replaceAll("FILL IN", "filled"));
    }
    assert.deepEqual(failures(root), []);
  });
}

test("newModule refuses bad names and existing modules", async () => {
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
