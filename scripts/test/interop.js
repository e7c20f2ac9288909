// `npm run x -- test:interop`: arrays exchanged with every library that a guide names, files with NumPy, safetensors
// and gguf, arrays printed as NumPy prints them, and trainings of the lab in PyTorch. The light libraries are development dependencies, so that
// `npm test` has them; this installs the others as well.

import { join } from "node:path";
import { build } from "../package/build.js";
import { installFromNpm, installFromPyPI } from "../setup/install.js";
import { run } from "../setup/run.js";
import { project } from "../setup/setup.js";

const lists = join(project, "tests/truth/interop");
const folder = join(project, "build/interop");

await build();
await installFromNpm("libraries of arrays", join(lists, "libraries"), join(folder, "libraries"));
const python = join(lists, "python/requirements.txt");
await installFromPyPI("NumPy, safetensors and gguf", python, join(folder, "python"));
const torch = join(project, "tests/truth/golden/make/requirements.txt");
const golden = join(project, "build/golden/python"); // as for npm run x -- golden
const wheels = ["--no-deps", "--only-binary=:all:"];
await installFromPyPI("PyTorch and other packages", torch, golden, wheels);
const tests = [
  "tests/truth/interop/arrays.test.js",
  "tests/truth/interop/files.test.js",
  "tests/truth/interop/kits.test.js",
  "tests/truth/interop/printing.test.js",
  "tests/truth/interop/pytorch.test.js",
  "tests/pages/guides/arrays.test.js",
];
await run(process.execPath, ["--test", "--test-reporter=spec", ...tests], { cwd: project });
