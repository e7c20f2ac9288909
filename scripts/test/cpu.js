// CPU seconds of processes with all that they start, browsers included, which outlive the process that waits for them.
//   node scripts/test/cpu.js COMMAND ARGUMENT ...   runs a command and prints its CPU seconds
// Linux alone has /proc; elsewhere nothing is measured.

import { spawn } from "node:child_process";
import { closeSync, existsSync, openSync, readFileSync, readSync, readdirSync } from "node:fs";
import { pathToFileURL } from "node:url";

/** Clock ticks a second in /proc, on every Linux that Node runs on. */
const TICKS = 100;

/** Milliseconds between two samples. */
const INTERVAL = 2000; // reading /proc takes some 5 ms

/** Where lines of /proc are read: `readFileSync` takes twice as long. */
const line = Buffer.alloc(1024);

/** @param {string} path  of a file of one line */
function lineOf(path) {
  const file = openSync(path, "r");
  try {
    return line.toString("latin1", 0, readSync(file, line));
  } finally {
    closeSync(file);
  }
}

/**
 * A process as /proc shows it.
 * @typedef {object} Process
 * @property {number} pid
 * @property {number} parent
 * @property {number} started  ticks since boot: a number of a process is used again
 * @property {number} seconds  its own and those of the children that it has waited for
 * @property {number} waited  those of these children
 */

/** @param {string} name  of its folder in /proc @returns {Process} */
function processOf(name) {
  const text = lineOf(`/proc/${name}/stat`);
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" "); // its name may hold spaces
  const [own, system, children, childrenSystem] = fields.slice(11, 15).map(Number);
  return {
    pid: Number(name),
    parent: Number(fields[1]),
    started: Number(fields[19]),
    seconds: (own + system + children + childrenSystem) / TICKS,
    waited: (children + childrenSystem) / TICKS,
  };
}

/** The running processes. @returns {Process[]} */
function processes() {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((name) => {
      try {
        return processOf(name);
      } catch {
        return undefined; // it has ended since
      }
    })
    .filter((found) => found !== undefined);
}

/** The command line of a process. @param {number} pid */
function commandOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  } catch {
    return [];
  }
}

/** The CPU seconds of this process's children by group, sampled until `stop`. */
export class Meter {
  /** The groups of processes that run, or did so at the last sample. @type {Map<number, Process & { group: string }>} */
  #known = new Map();
  /** Seconds of processes that have ended and that no other waited for. @type {Map<string, number>} */
  #ended = new Map();
  /** @type {NodeJS.Timeout | undefined} */
  #timer;
  /** @type {(command: string[]) => string} */
  #groupOf;
  /** What of a group is left to its users, by user. @type {Map<string, number>} */
  #shares = new Map();
  #shared;
  #isUser;
  #split = 0;
  /** Seconds of this process's children that have ended. */
  #waited = 0;
  /** Those of them that no group has yet. */
  #unseen = 0;

  /**
   * @param {(command: string[]) => string} groupOf  the group of a child by its command line; its descendants are in it
   * @param {string} [shared]  a group whose seconds are divided among its users that run at the time
   * @param {(group: string) => boolean} [isUser]
   */
  constructor(groupOf, shared, isUser = (group) => group !== shared) {
    this.#groupOf = groupOf;
    this.#shared = shared;
    this.#isUser = isUser;
    if (!existsSync("/proc/self/stat")) return;
    this.#waited = processOf("self").waited;
    this.#timer = setInterval(() => this.sample(), INTERVAL);
    this.#timer.unref();
  }

  sample() {
    const running = new Map(processes().map((each) => [each.pid, each]));
    const isRunning = (/** @type {Process} */ { pid, started }) =>
      running.get(pid)?.started === started;
    const ended = [...this.#known.values()].filter((each) => !isRunning(each));
    for (const { parent, group, seconds } of ended) {
      // What it used is now among the seconds of a process above it that still runs, if that is of the group.
      let above = this.#known.get(parent);
      while (above && above.group === group && !isRunning(above))
        above = this.#known.get(above.parent);
      if (above?.group !== group) this.#ended.set(group, (this.#ended.get(group) ?? 0) + seconds);
    }
    const own = ended.filter(({ parent }) => parent === process.pid);
    const within = ended.filter((each) => own.includes(this.#above(each)));
    this.#settle(
      own,
      within.reduce((sum, { seconds }) => sum + seconds, 0),
    );
    for (const { pid } of ended) this.#known.delete(pid);
    for (const each of running.values()) this.#take(each, running);
    this.#divide();
  }

  /** The child of this process through which a process was started. @param {Process & { group: string }} found */
  #above(found) {
    let above = found;
    for (let next = this.#known.get(above.parent); next; next = this.#known.get(above.parent))
      above = next;
    return above;
  }

  /**
   * Divides among children that have ended what they used after their last sample, and what those used that ended before
   * a first one.
   * @param {{ group: string }[]} ended
   * @param {number} known  seconds of their last samples, with those of what they had started
   */
  #settle(ended, known) {
    const { waited } = processOf("self");
    this.#unseen += waited - this.#waited - known;
    this.#waited = waited;
    if (ended.length === 0) return;
    const share = this.#unseen / ended.length;
    for (const { group } of ended) this.#ended.set(group, (this.#ended.get(group) ?? 0) + share);
    this.#unseen = 0;
  }

  /** @param {Process} found @param {Map<number, Process>} running */
  #take(found, running) {
    const known = this.#known.get(found.pid);
    const group = known?.group ?? this.#inherited(found, running);
    if (group !== undefined) this.#known.set(found.pid, { ...found, group });
  }

  /** @param {Process} found @param {Map<number, Process>} running @returns {string | undefined} */
  #inherited({ pid, parent }, running) {
    if (parent === process.pid) return this.#groupOf(commandOf(pid));
    const above = running.get(parent);
    return this.#known.get(parent)?.group ?? (above && this.#inherited(above, running));
  }

  #divide() {
    if (this.#shared === undefined) return;
    const total = this.#sum(this.#shared);
    const running = [...this.#known.values()].map(({ group }) => group);
    const users = new Set(running.filter(this.#isUser));
    for (const user of users) {
      const share = (total - this.#split) / users.size;
      this.#shares.set(user, (this.#shares.get(user) ?? 0) + share);
    }
    if (users.size > 0) this.#split = total;
  }

  /** @param {string} group */
  #sum(group) {
    const running = [...this.#known.values()].filter((each) => each.group === group);
    return running.reduce((sum, { seconds }) => sum + seconds, this.#ended.get(group) ?? 0);
  }

  /** The CPU seconds of each group so far. @returns {Map<string, number>} */
  #read() {
    const groups = new Set([...this.#ended.keys(), ...this.#shares.keys()]);
    for (const { group } of this.#known.values()) groups.add(group);
    if (this.#shared !== undefined) groups.delete(this.#shared);
    return new Map(
      [...groups].map((group) => [group, this.#sum(group) + (this.#shares.get(group) ?? 0)]),
    );
  }

  /** Ends the sampling. @returns {Map<string, number>} the CPU seconds of each group, none where there is no /proc */
  stop() {
    if (this.#timer === undefined) return new Map();
    clearInterval(this.#timer);
    this.sample();
    if (this.#unseen > 0) this.#settle([{ group: this.#groupOf([]) }], 0);
    return this.#read();
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [command, ...args] = process.argv.slice(2);
  const meter = new Meter(() => "command");
  const child = spawn(command, args, { stdio: "inherit" });
  meter.sample();
  child.on("exit", (code) => {
    console.error(`CPU: ${(meter.stop().get("command") ?? 0).toFixed(1)} s`);
    process.exitCode = code ?? 1;
  });
}
