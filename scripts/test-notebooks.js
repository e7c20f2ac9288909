// `npm run test:notebooks`: notebooks, run by the programs that they are written for. What those need is
// installed below build/notebooks, then the tests in tests/notebooks run. `-- WORD ...` as in `npm test`.

import { cpSync, existsSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { build } from "./build.js";
import { once } from "./once.js";
import { run } from "./run.js";
import { again, project, setup } from "./setup.js";

const tests = join(project, "tests/notebooks");
const installed = join(project, "build/notebooks");

/** Every package.json of tests/notebooks/NAME, in build/notebooks/NAME. */
async function installPackages() {
  for (const name of readdirSync(tests)) {
    const files = ["package.json", "package-lock.json"].map((file) => join(tests, name, file));
    if (!files.every((file) => existsSync(file))) continue;
    const what = `Installing the npm packages of ${name}`;
    await once(join(installed, name), what, files, async (folder) => {
      for (const file of files) cpSync(file, join(folder, basename(file)));
      const options = { cwd: folder, quiet: true };
      await again(() => run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], options));
    });
  }
}

/** @param {string} python @param {string} pip */
async function installPython(python, pip) {
  const list = (/** @type {string} */ name) => join(tests, "jupyterlite", name);
  const quiet = { quiet: true };
  const from = [list("requirements.txt")];
  await once(join(installed, "python"), "Installing JupyterLite", from, async (folder) => {
    // Debian's venv cannot bring pip along, so the system's installs.
    await run(python, ["-m", "venv", "--without-pip", folder], quiet);
    const into = ["--python", join(folder, "bin/python")];
    await again(() => run(pip, [...into, "install", "--no-deps", "-r", from[0]], quiet));
  });
  const download = (/** @type {string} */ name) =>
    once(join(installed, name), `Downloading ${name}`, [list(`${name}.txt`)], (folder) => {
      const forPyodide = ["--no-deps", "--only-binary=:all:", "--python-version=3.14"];
      const args = ["download", "--require-hashes", ...forPyodide, "-d", folder];
      return again(() => run(pip, [...args, "-r", list(`${name}.txt`)], quiet));
    });
  await download("wheels");
  try {
    await download("wheels-numpy");
  } catch (error) {
    const { message } = /** @type {Error} */ (error);
    console.log(`${message} Without NumPy for Pyodide, the tests that need it are skipped.`);
  }
}

try {
  const tools = await setup(["packages", "browser", "python"]);
  await build();
  await installPackages();
  await installPython(String(tools.python), String(tools.pip));
  const words = process.argv.slice(2);
  const files = readdirSync(tests, { recursive: true })
    .map((path) => join("tests/notebooks", String(path)))
    .filter((path) => path.endsWith(".test.js"))
    .filter((path) => words.length === 0 || words.some((word) => path.includes(word)))
    .sort();
  const runner = ["--test", "--test-reporter=spec", "--test-concurrency=1"]; // a browser each
  await run(process.execPath, [...runner, ...files], { cwd: project, env: tools.env });
} catch (error) {
  console.error(/** @type {Error} */ (error).message);
  process.exitCode = 1;
}
