// The matrix of environments: every entry of the package, built and run in each, against Node.

import { existsSync } from "node:fs";
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { entriesOf } from "../../../scripts/package/entries.js";
import { project } from "../../../scripts/setup/setup.js";

const programsFolder = join(dirname(fileURLToPath(import.meta.url)), "programs");

/**
 * What one entry is tried with: a module of programs/ that exports `run`, which resolves with text.
 *
 * @typedef {object} Program
 * @property {string} entry  such as "phasor/files"
 * @property {string} name  of its file: "files"
 */

/** @typedef {{ value: string } | { error: string }} Outcome  what a program gave, or how it failed */

/**
 * Where an environment works.
 *
 * @typedef {object} Place
 * @property {string} folder  a project in whose node_modules the package is installed
 * @property {string} at  a folder in it, of the environment's own
 * @property {readonly Program[]} programs
 * @property {boolean} settled  whether what `settings` says is to be done
 */

/**
 * Somewhere to build for and to run in.
 *
 * @typedef {object} Environment
 * @property {string} name
 * @property {() => string | Promise<string>} version  of what builds or runs
 * @property {(place: Place) => Promise<Record<string, Outcome>>} run  gives outcomes by programs' names
 * @property {Record<string, Setting>} [settings]  by entry: what it needs there beyond an import
 * @property {Record<string, Refusal>} [refusals]  by entry: what cannot be done there
 */

/**
 * @typedef {object} Setting
 * @property {string} how  in words, as the guides have it
 * @property {RegExp} otherwise  what the error says without it
 */

/**
 * @typedef {object} Refusal
 * @property {string} why  in words
 * @property {RegExp} error  the message of the attempt
 */

/**
 * An entry in an environment. `said` is what the table says; a cell that is not `good` says what is
 * wrong.
 *
 * @typedef {object} Cell
 * @property {string} entry
 * @property {boolean} good
 * @property {string} said
 */

/**
 * The programs, one for each entry that can be run.
 *
 * @throws {Error} if an entry has none
 */
export function programs() {
  return entriesOf()
    .filter(({ file }) => /\.(js|wasm)$/.test(file))
    .map(({ name: entry }) => {
      const name = entry === "phasor" ? "index" : basename(entry);
      if (!existsSync(join(programsFolder, `${name}.js`))) {
        throw new Error(
          `${entry} needs a program to be tried with: tests/hosts/matrix/programs/${name}.js`,
        );
      }
      return { entry, name };
    });
}

/**
 * Try every program in an environment.
 *
 * @param {Environment} environment
 * @param {string} folder  a project in whose node_modules the package is installed
 * @param {Record<string, Outcome>} expected  what Node gives, by programs' names
 * @returns {Promise<Cell[]>}
 */
export async function tryAll(environment, folder, expected) {
  const { name, run, settings = {}, refusals = {} } = environment;
  /** @param {readonly Program[]} programs @param {boolean} settled */
  const runIn = async (programs, settled) => {
    const at = join(folder, name.toLowerCase().replace(/\W+/g, "-") + (settled ? "" : "-bare"));
    await rm(at, { recursive: true, force: true });
    await mkdir(at, { recursive: true });
    try {
      return await run({ folder, at, programs, settled });
    } catch (error) {
      return Object.fromEntries(programs.map(({ name }) => [name, { error: String(error) }]));
    }
  };
  const all = programs();
  const outcomes = await runIn(all, true);
  const cells = [];
  for (const program of all) {
    const { entry, name } = program;
    const setting = settings[entry];
    const unsettled = setting && (await runIn([program], false))[name];
    const found = judge(outcomes[name], expected[name], setting, unsettled, refusals[entry]);
    cells.push({ entry, ...found });
  }
  return cells;
}

/**
 * @param {Outcome} outcome @param {Outcome} expected
 * @param {Setting} [setting] @param {Outcome} [unsettled]
 * @param {Refusal} [refusal]
 * @returns {Omit<Cell, "entry">}
 */
function judge(outcome, expected, setting, unsettled, refusal) {
  const bad = (/** @type {string} */ said) => ({ good: false, said });
  if (refusal) {
    if (!("error" in outcome)) return bad(`works, though it is said not to: ${refusal.why}`);
    if (!refusal.error.test(outcome.error)) return bad(`refused in other words: ${outcome.error}`);
    return { good: true, said: `no: ${refusal.why}` };
  }
  if ("error" in outcome) return bad(outcome.error);
  if (!("value" in expected)) return bad(`Node gives no value: ${expected.error}`);
  if (outcome.value !== expected.value) return bad(`gives other values: ${outcome.value}`);
  if (!setting) return { good: true, said: "ok" };
  if (!unsettled || !("error" in unsettled)) return bad(`needs no setting: ${setting.how}`);
  if (!setting.otherwise.test(unsettled.error)) return bad(`other words: ${unsettled.error}`);
  return { good: true, said: `ok: ${setting.how}` };
}

/**
 * Write the programs into an environment's folder, each with a main file `NAME.main.js` that leaves
 * the promise of its outcome in `globalThis.outcome`.
 *
 * @param {Place} place
 * @param {object} options
 * @param {Record<string, string>} options.given  for programs that are handed something, by names:
 *   the code of a module whose default export it is, as a bundler or a host has it
 * @param {(code: string) => string} [options.edit]  changes each module
 */
export async function lay({ at, programs }, { given, edit = (code) => code }) {
  await cp(join(programsFolder, "numbers.js"), join(at, "numbers.js"));
  for (const { name } of programs) {
    const code = await readFile(join(programsFolder, `${name}.js`), "utf8");
    await writeFile(join(at, `${name}.js`), edit(code));
    const isGiven = name in given;
    if (isGiven) await writeFile(join(at, `${name}.given.js`), edit(given[name]));
    await writeFile(join(at, `${name}.main.js`), main(name, isGiven));
  }
}

/** @param {string} name @param {boolean} isGiven */
const main = (name, isGiven) => `${isGiven ? `import given from "./${name}.given.js";\n` : ""}\
import { run } from "./${name}.js";

globalThis.outcome = run(${isGiven ? "given" : ""}).then(
  (value) => ({ value }),
  (error) => ({ error: String(error) }),
);
`;

/** The version of a tool that is installed. @param {string} name @param {string} [folder] */
export async function versionOf(name, folder = project) {
  const text = await readFile(join(folder, "node_modules", name, "package.json"), "utf8");
  return JSON.parse(text).version.replace(/^v/, "");
}
