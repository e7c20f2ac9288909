// Runs the built command line in this thread, once for each message: a process takes longer to start than most commands.

import { pathToFileURL } from "node:url";
import { parentPort, workerData } from "node:worker_threads";

/** @typedef {{args: string[], env: NodeJS.ProcessEnv}} Call */

const { href } = pathToFileURL(workerData.program);
let calls = 0;

/** What the running call has printed. */
let said = { stdout: "", stderr: "" };
for (const name of /** @type {const} */ (["stdout", "stderr"])) {
  process[name].setMaxListeners(0); // each call listens for errors
  process[name].write = (/** @type {string | Uint8Array} */ text) => {
    said[name] += text;
    return true;
  };
}

parentPort?.on("message", async (/** @type {Call} */ { args, env }) => {
  said = { stdout: "", stderr: "" };
  process.argv = [process.execPath, workerData.program, ...args];
  process.env = { ...env };
  process.exitCode = 0;
  await import(`${href}?call=${++calls}`); // the program anew, with the modules that it imports as they are
  parentPort?.postMessage({ code: process.exitCode, ...said });
});
