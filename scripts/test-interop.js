// `npm run test:interop`: arrays exchanged with every library that a guide names, and files with NumPy,
// safetensors and gguf. The light libraries are development dependencies, so that `npm test` has them; this
// installs the others as well.

import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { build } from "./build.js";
import { again, project, setup } from "./setup.js";
import { run, step } from "./run.js";

const wanted = join(project, "tests", "interop", "libraries");
const folder = join(project, "build", "interop");

/** @param {string} path */
const textOf = (path) => (existsSync(path) ? readFileSync(path, "utf8") : undefined);

/** The larger libraries, outside of the package's own node_modules. */
async function install() {
  const lock = "package-lock.json";
  const whole = existsSync(join(folder, "node_modules", ".package-lock.json"));
  if (whole && textOf(join(folder, lock)) === textOf(join(wanted, lock))) return;
  mkdirSync(folder, { recursive: true });
  for (const name of ["package.json", lock]) copyFileSync(join(wanted, name), join(folder, name));
  await step("Installing the libraries to exchange arrays with", () =>
    again(() => run("npm", ["ci", "--ignore-scripts"], { cwd: folder, quiet: true })),
  );
}

/** NumPy and the rest, in a Python of their own. */
async function installPython() {
  const list = join(project, "tests", "interop", "python", "requirements.txt");
  const python = join(folder, "python");
  const stamp = join(python, "requirements.txt");
  if (textOf(stamp) === textOf(list)) return;
  const tools = await setup(["python"]);
  await step("Installing NumPy, safetensors and gguf", async () => {
    rmSync(python, { recursive: true, force: true });
    // Debian's venv cannot bring pip along, so the system's installs.
    await run(String(tools.python), ["-m", "venv", "--without-pip", python], { quiet: true });
    const into = ["--python", join(python, "bin/python"), "install", "--no-deps", "-r", list];
    await again(() => run(String(tools.pip), into, { quiet: true }));
    copyFileSync(list, stamp);
  });
}

await build();
await install();
await installPython();
const tests = [
  "tests/interop/arrays.test.js",
  "tests/interop/files.test.js",
  "tests/web/guides/arrays.test.js",
];
await run(process.execPath, ["--test", "--test-reporter=spec", ...tests], { cwd: project });
