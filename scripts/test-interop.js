// `npm run test:interop`: arrays exchanged with every library that a guide names. The light ones are
// development dependencies, so that `npm test` has them; this installs the others as well.

import { copyFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "./build.js";
import { again, project } from "./setup.js";
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

await build();
await install();
const tests = ["tests/interop/arrays.test.js", "tests/web/guides/arrays.test.js"];
await run(process.execPath, ["--test", "--test-reporter=spec", ...tests], { cwd: project });
