// Every command that documents, pages, comments and messages name exists, and so does its program.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { project } from "../../../scripts/setup/setup.js";
import { commands } from "../../../scripts/x.js";

const { scripts } = JSON.parse(readFileSync(join(project, "package.json"), "utf8"));

/** The commands that a text names, but for placeholders. @param {string} text */
const named = (text) =>
  [...text.matchAll(/\bnpm (start|test|run (?!x\b)[\w:$-]+|run x -- [\w:$-]+)/g)]
    .map(([, name]) => name)
    .filter((name) => !/\$|NAME$/.test(name));

/** @param {string} name */
const exists = (name) =>
  name.startsWith("run x -- ")
    ? Object.hasOwn(commands, name.slice("run x -- ".length))
    : Object.hasOwn(scripts, name.replace(/^run /, ""));

/** Texts by their paths. */
function texts() {
  const documents = "README.md CONTRIBUTING.md CHANGELOG.md SECURITY.md CMakeLists.txt".split(" ");
  const folders = ["src", "web", "tests", "scripts", ".github", ".ci"].flatMap((folder) =>
    readdirSync(join(project, folder), { recursive: true, encoding: "utf8" }).map((path) =>
      join(folder, path),
    ),
  );
  return [...documents, ...folders]
    .filter((path) => /\.(md|html|js|py|yml|json|txt)$|^\.ci.run/.test(path))
    .filter((path) => !/node_modules|web.data|corpus/.test(path))
    .map((path) => ({ path, text: readFileSync(join(project, path), "utf8") }));
}

test("commands: every command that a text names exists", () => {
  const found = texts().flatMap(({ path, text }) => named(text).map((name) => ({ path, name })));
  assert.ok(found.length > 100);
  const wrong = found.filter(({ name }) => !exists(name));
  assert.deepEqual(wrong, []);
});

test("commands: a command that does not exist is found", () => {
  const wrong = ["npm", "run", "x -- no-such"].join(" ");
  assert.deepEqual(named(wrong).filter(exists), []);
  assert.deepEqual(named(`${wrong}; npm run x -- NAME`), ["run x -- no-such"]);
});

test("commands: every command has a program, and npm run x lists it", () => {
  for (const [name, [, program]] of Object.entries(commands)) {
    assert.ok(existsSync(join(project, "scripts", program.split(" ")[0])), name);
    assert.ok(!Object.hasOwn(scripts, name), name);
  }
  const x = (/** @type {string[]} */ ...args) =>
    spawnSync(process.execPath, [join(project, "scripts/x.js"), ...args], { encoding: "utf8" });
  const { status, stdout } = x();
  assert.equal(status, 0);
  for (const name of Object.keys(commands)) assert.ok(stdout.includes(` ${name} `), name);
  const unknown = x("no-such");
  assert.equal(unknown.status, 1);
  assert.match(unknown.stderr, /NAME must be one of these; got no-such/);
});
