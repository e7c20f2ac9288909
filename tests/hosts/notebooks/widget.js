// Real hosts of widgets, JupyterLab and marimo, from Python's registry, as servers on this machine. They import
// the wheel.

import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { project } from "../../../scripts/setup/setup.js";
import { wheelPath } from "../../../scripts/package/wheel.js";

/** Where `npm run x -- test:notebooks` installs them. */
const at = join(project, "build", "notebooks", "widget");
export const python = join(at, "bin", "python");

const wheel = await wheelPath();

/** What Python sees: no user settings, the wheel, and no Node that would answer for a browser. @param {string} home */
export const environment = (home) => ({
  PATH: dirname(python),
  HOME: home,
  LANG: "C.UTF-8",
  PYTHONPATH: wheel,
});

/** A port that is free. @returns {Promise<number>} */
function freePort() {
  return new Promise((found, failed) => {
    const server = createServer().once("error", failed);
    server.listen(0, "127.0.0.1", () => {
      const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
      server.close(() => found(port));
    });
  });
}

/**
 * Starts a server in a separate folder, which is also its home, so that no user settings apply.
 *
 * @param {import("node:test").TestContext} t  whose end stops it and removes the folder
 * @param {Record<string, string | Buffer>} files  by their names
 * @param {(port: number) => string[]} command  arguments of Python
 * @returns {Promise<string>} its address, once it answers
 */
export async function host(t, files, command) {
  const folder = await mkdtemp(join(tmpdir(), "phasor-notebook-"));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const port = await freePort();
  const server = spawn(python, command(port), {
    cwd: folder,
    env: environment(folder),
    stdio: ["ignore", "ignore", "pipe"],
    detached: true, // with its kernels
  });
  let said = "";
  server.stderr.setEncoding("utf8").on("data", (text) => (said += text));
  const ended = new Promise((end) => server.once("exit", end));
  t.after(async () => {
    if (server.exitCode === null) process.kill(-Number(server.pid), "SIGTERM");
    await ended;
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  });
  const address = `http://127.0.0.1:${port}/`;
  for (let waited = 0; ; waited += 200) {
    const answers = await fetch(address).then(
      ({ ok }) => ok,
      () => false,
    );
    if (answers) return address;
    if (server.exitCode !== null || waited > 90_000) {
      throw new Error(`The server must answer; it said:\n${said}`);
    }
    await new Promise((later) => setTimeout(later, 200));
  }
}
