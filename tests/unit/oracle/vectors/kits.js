// Kits in folders, with the adapters of ports beside them.

import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { vectors } from "phasor/vectors";
import { project } from "../../../../scripts/setup/setup.js";

const adapters = join(project, "tests/unit/oracle/vectors/adapters");

/**
 * A folder with a kit and all adapters; its removal is the test's.
 * @param {{after: (clean: () => void) => void}} t
 * @param {string | Record<string, unknown>} config
 * @param {import("phasor/vectors").VectorsOptions} [options]
 */
export async function kitIn(t, config, options = { length: 16 }) {
  const folder = mkdtempSync(join(tmpdir(), "phasor-kit-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const { files } = await vectors(config, options);
  cpSync(adapters, folder, { recursive: true });
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

/**
 * Runs a program in a folder.
 * @param {string} folder @param {string} command @param {string[]} args @param {Record<string, string>} [env]
 */
export function runIn(folder, command, args, env = {}) {
  const { NODE_TEST_CONTEXT, ...own } = process.env; // a test within a test would report to the outer one
  const options = { cwd: folder, encoding: /** @type {const} */ ("utf8"), env: { ...own, ...env } };
  const { status, stdout, stderr } = spawnSync(command, args, options);
  return { status, text: `${stdout}${stderr}` };
}

/** Why a program is not run, or false. @param {string} command */
export const lacks = (command) =>
  spawnSync(command, ["--version"]).status === 0 ? false : `there is no ${command}`;
