// The commands that package.json does not name: `npm run x` lists them, `npm run x -- NAME ...` runs one.

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { project } from "./setup/setup.js";

/**
 * For each command what it is for, and its program in scripts/ with the arguments before the caller's.
 * @type {Record<string, [what: string, program: string]>}
 */
export const commands = {
  "test:format": [
    "Prettier, ESLint, clang-format, types and the rules of text",
    "test/tiers.js format",
  ],
  "test:web": ["every page and the widget, in Chromium and Firefox", "test/tiers.js web"],
  "test:package": [
    "the packed tarball, its types, its sizes, and bundlers",
    "test/tiers.js package",
  ],
  "test:notebooks": ["JupyterLite, JupyterLab, marimo and Observable", "test/tiers.js notebooks"],
  "test:attacks": ["faults, hostile configurations, mutated files", "test/tiers.js attacks"],
  "test:all": ["every tier, as .ci/run", "test/tiers.js all"],
  "test:night": ["every tier with nothing left out, and long accuracy sweeps", "test/night.js"],
  "test:webkit": ["the package and every page in WebKit, Safari's engine", "test/webkit.js"],
  "test:coverage": ["the line coverage of JavaScript and C++", "test/coverage.js"],
  "test:builds": ["the modules' tests on the scalar and the checked build", "test/builds.js"],
  "test:bits": ["the same bits in every engine", "test/bits.js"],
  "test:endurance": ["a million objects and calls: does memory grow?", "test/endurance.js"],
  "test:matrix": ["every entry in every environment", "test/matrix.js"],
  "test:interop": ["arrays and files of other libraries", "test/interop.js"],
  "test:models": ["published models against their own libraries", "test/models.js"],
  "test:atlas": ["families of models against transformers and diffusers", "test/atlas.js"],
  "test:emscripten": ["the package by the newest compiler", "test/emscripten.js"],
  fuzz: ["mutated files for every reader", "test/fuzz.js"],
  "fuzz:native": ["decoders of number formats under libFuzzer", "test/fuzz-native.js"],
  mutate: ["changes of the sources that no test notices", "test/mutate.js"],
  accuracy: ['the measured error of every promise in the guide "Accuracy"', "data/accuracy.js"],
  sizes: ["the bytes of each entry, and its budget", "package/sizes.js"],
  "page-speed": ["loading times on a slow phone", "site/page-speed.js"],
  screenshots: ["a picture of every page in both themes and three widths", "site/screenshots.js"],
  "lab:record": ["what the lab finds, in web/lab/recorded.json", "data/lab.js"],
  "lab:longer": ["two longer tasks of the lab, in web/lab/longer.json", "data/lab-longer.js"],
  golden: ["makes the golden values again, and compares", "data/golden.js"],
  "build:python": ["the wheel for PyPI, in build/python", "package/wheel.js"],
  "new-module": ["makes the files of a module", "new-module/new-module.js"],
};

/** @param {string} name @param {string[]} rest */
function run(name, rest) {
  const [program, ...given] = commands[name][1].split(" ");
  const args = [join(project, "scripts", program), ...given, ...rest];
  const { status } = spawnSync(process.execPath, args, { stdio: "inherit" });
  process.exitCode = status ?? 1;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [name, ...rest] = process.argv.slice(2);
  if (name !== undefined && Object.hasOwn(commands, name)) run(name, rest);
  else {
    for (const [each, [what]] of Object.entries(commands)) {
      console.log(`npm run x -- ${each.padEnd(15)}  ${what}`);
    }
    if (name !== undefined) {
      console.error(`NAME must be one of these; got ${name}.`);
      process.exitCode = 1;
    }
  }
}
