// Programs of the matrix in hosts that are started from a terminal.

import { build } from "esbuild";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
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
 * @param {(file: string, program: Program) => readonly [command: string, ...args: string[]] | Promise<readonly [command: string, ...args: string[]]>} start
 * @param {Record<string, string>} [found]  files of packages
 * @returns {Promise<Record<string, Outcome>>}
 */
export async function inProcesses(place, start, found = given) {
  await lay(place, { given: found });
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
    const [command, ...args] = await start(file, program);
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

/** How CommonJS finds them. @param {string} name */
const required = (name) =>
  `export default require("node:url").pathToFileURL(require.resolve("${name}"));`;

/**
 * Programs as CommonJS, in which a name is found without `exports` of package.json, as Jest's default and older tools do.
 * @param {string} binary @param {Environment["version"]} version
 * @returns {Environment}
 */
export const commonJS = (binary, version) => ({
  name: "CommonJS, without exports",
  version,
  async run(place) {
    await writeFile(join(place.at, "package.json"), "{}\n"); // its files are CommonJS
    return inProcesses(
      place,
      async (file) => {
        const out = file.replace(/js$/, "cjs");
        await build({
          absWorkingDir: place.at,
          entryPoints: [file],
          outfile: join(place.at, out),
          bundle: true,
          format: "cjs",
          platform: "node",
          logLevel: "silent",
          plugins: [
            {
              name: "without exports",
              setup({ onResolve }) {
                onResolve({ filter: /^phasor\b/ }, ({ path }) => {
                  const at = join(place.folder, "node_modules", path);
                  const { main } = JSON.parse(readFileSync(join(at, "package.json"), "utf8"));
                  return { path: join(at, main), external: true };
                });
              },
            },
          ],
        });
        return [binary, out];
      },
      Object.fromEntries(
        ["core.wasm", "worker-thread", "lab-thread"].map((name) => [
          name,
          required(`phasor/${name}`),
        ]),
      ),
    );
  },
});
