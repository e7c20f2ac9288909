// Programs of the matrix in hosts that are started from a terminal.

import { spawnSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { lay } from "./matrix.js";

/** @import { Environment, Outcome, Place, Program } from "./matrix.js" */

/** How such hosts find files of packages. */
const given = {
  "core.wasm": 'export default new URL(import.meta.resolve("phasor/core.wasm"));',
  "worker-thread": 'export default new URL(import.meta.resolve("phasor/worker-thread"));',
  "lab-thread": 'export default new URL(import.meta.resolve("phasor/lab-thread"));',
};

/**
 * Run each program in a separate process.
 *
 * @param {Place} place
 * @param {(file: string, program: Program) => readonly [command: string, ...args: string[]]} start
 * @returns {Promise<Record<string, Outcome>>}
 */
export async function inProcesses(place, start) {
  await lay(place, { given });
  /** @type {Record<string, Outcome>} */
  const outcomes = {};
  for (const program of place.programs) {
    const { name } = program;
    const file = `${name}.print.js`;
    const code = `
      import "./${name}.main.js";
      globalThis.outcome.then((outcome) => console.log(JSON.stringify(outcome)));
    `;
    await writeFile(join(place.at, file), code);
    const [command, ...args] = start(file, program);
    const { stdout, stderr, error } = spawnSync(command, args, {
      cwd: place.at,
      encoding: "utf8",
      timeout: 60_000,
    });
    const line = stdout?.trim();
    outcomes[name] = line ? JSON.parse(line) : { error: String(error ?? stderr) };
  }
  return outcomes;
}

/**
 * @param {string} binary @param {Environment["version"]} version
 * @returns {Environment}
 */
export const nodeAt = (binary, version) => ({
  name: "Node",
  version,
  run: (place) => inProcesses(place, (file) => [binary, file]),
});
