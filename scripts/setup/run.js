// Child processes, progress lines and errors of all scripts. Node only: these run before `npm ci`.

import { spawn } from "node:child_process";

/**
 * Runs a command and resolves when it has succeeded.
 *
 * Without `quiet` or `capture` the command writes straight to the terminal and nothing is returned.
 * `quiet` keeps the output and prints it only if the command fails; `capture` keeps it and never
 * prints it. Both return it.
 *
 * @param {string} command
 * @param {string[]} [args]
 * @param {object} [options]
 * @param {string} [options.cwd]
 * @param {NodeJS.ProcessEnv} [options.env] added to this process's own environment
 * @param {boolean} [options.quiet]
 * @param {boolean} [options.capture]
 * @returns {Promise<{ stdout: string, stderr: string }>}
 * @throws {CommandError} one sentence: what was run and how it ended
 */
export function run(command, args = [], { cwd, env, quiet = false, capture = false } = {}) {
  const keep = quiet || capture;
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: keep ? ["ignore", "pipe", "pipe"] : "inherit",
    });
    const kept = { stdout: "", stderr: "" };
    /** @type {string[]} */
    const inOrder = [];
    for (const name of /** @type {const} */ (["stdout", "stderr"])) {
      child[name]?.setEncoding("utf8").on("data", (/** @type {string} */ text) => {
        kept[name] += text;
        inOrder.push(text);
      });
    }
    /** @param {string} ending @param {number | null} [code] */
    const fail = (ending, code = null) => {
      if (quiet) process.stderr.write(inOrder.join(""));
      reject(new CommandError(`${sketch(command, args)} ${ending}.`, code, kept));
    };
    child.on("error", (error) => {
      const missing = /** @type {NodeJS.ErrnoException} */ (error).code === "ENOENT";
      fail(
        missing ? "could not start: there is no such command" : `could not start: ${error.message}`,
      );
    });
    child.on("close", (code, signal) => {
      if (code === 0) resolve(kept);
      else fail(signal ? `was stopped by ${signal}` : `ended with exit code ${code}`, code);
    });
  });
}

export class CommandError extends Error {
  /** @override */
  name = "CommandError";

  /**
   * @param {string} message
   * @param {number | null} exitCode
   * @param {{ stdout: string, stderr: string }} output what was kept of the command's output
   */
  constructor(message, exitCode, { stdout, stderr }) {
    super(message);
    this.exitCode = exitCode;
    this.stdout = stdout;
    this.stderr = stderr;
  }
}

/**
 * Prints a step while it runs, and then its duration. Several steps may run at a time.
 *
 * @template T
 * @param {string} title such as "Compiling the core"
 * @param {() => T | Promise<T>} work
 * @returns {Promise<T>} what the work returned
 */
export async function step(title, work) {
  const start = performance.now();
  console.log(`${title} ...`);
  const result = await work();
  console.log(`${title}: ${((performance.now() - start) / 1000).toFixed(1)} s`);
  return result;
}

/**
 * Runs a script: of what it throws, only the message is printed, and the exit code is 1.
 * @param {() => unknown} work
 */
export async function runScript(work) {
  try {
    await work();
  } catch (error) {
    console.error(/** @type {Error} */ (error).message);
    process.exitCode = 1;
  }
}

/** @param {string} command @param {string[]} args */
function sketch(command, args) {
  const line = [command, ...args].join(" ");
  return line.length > 100 ? `${line.slice(0, 97)}...` : line;
}
