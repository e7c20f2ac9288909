/** Compares what was read with what Python's own readers make of the same bytes. */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** @import { Found } from "./fuzz.js" */

const project = fileURLToPath(new URL("../../..", import.meta.url));
const script = fileURLToPath(new URL("./reference.py", import.meta.url));

/** The Python of `npm run x -- test:interop`, which has the readers, or the system's. */
const installed = join(project, "build/interop/python/bin/python");
const python = process.env.PHASOR_PYTHON ?? (existsSync(installed) ? installed : "python3");

/**
 * @param {readonly string[]} samples  a case as a line of JSON
 * @returns {Promise<{ found: Found[], compared: Record<string, number>, skipped: Record<string, string> }>}
 */
export function compared(samples) {
  const none = { found: [], compared: {} };
  return new Promise((resolve) => {
    const child = spawn(python, [script], { stdio: ["pipe", "pipe", "inherit"] });
    let text = "";
    child.stdout.setEncoding("utf8").on("data", (part) => (text += part));
    child.on("error", () => resolve({ ...none, skipped: { all: `there is no ${python}` } }));
    child.on("close", (code) => {
      if (code === 0) return resolve(JSON.parse(text));
      if (code !== null) resolve({ ...none, skipped: { all: `${python} ended with ${code}` } });
    });
    child.stdin.on("error", () => undefined); // it ended early, and says so above
    child.stdin.end(samples.join("\n"));
  });
}
