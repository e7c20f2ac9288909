/**
 * Runs the targets in threads for some time or for some cases, watches for cases that hang or take too much memory, and
 * compares samples with Python's readers.
 */
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { targets } from "./attack.js";
import { compared } from "./python.js";

/**
 * @typedef {object} Found
 * @property {string} target @property {number} index
 * @property {string} broken  the law that does not hold
 * @property {string} [hex] @property {any} [value]  the input
 *
 * @typedef {{ executions: number, accepted: number, refused: number }} Count
 *
 * @typedef {object} Report
 * @property {number} seed @property {number} seconds
 * @property {Record<string, Count>} counts  by target
 * @property {Found[]} found
 * @property {{ compared: Record<string, number>, skipped: Record<string, string> }} python
 *   cases by reader, and why a reader was left out
 */

/** For a case, in milliseconds; the longest take some hundredths of a second. */
const PATIENCE = 10_000;

/** Memory of a thread's heap, and of the whole process, in MiB: cases are a few kilobytes long. */
const HEAP = 256;
const MEMORY = 2048;

/** Cases kept for the comparison with Python, for each reader. */
const MOST_SAMPLES = 20_000;

/**
 * @param {object} options
 * @param {number} options.seed
 * @param {number} [options.seconds]  Default: no limit
 * @param {number} [options.cases]  of each target. Default: no limit
 * @param {readonly string[]} [options.names]  of targets. Default: all
 * @param {number} [options.threads] @param {number} [options.sample]  compare every so-manieth case with Python
 * @param {number} [options.first]  the index of the first case
 * @param {number} [options.patience]  a case that takes longer hangs, in milliseconds
 * @param {number} [options.heap]  of a thread, in MiB
 * @returns {Promise<Report>}
 */
export async function fuzz({
  seconds = Infinity,
  cases = Infinity,
  seed,
  names = [],
  patience = PATIENCE,
  heap = HEAP,
  ...more
}) {
  const { threads, sample = 8, first = 0 } = more;
  const all = names.length > 0 ? [...names] : targets.map(({ name }) => name);
  const step = threads ?? Math.max(1, Math.min(4, availableParallelism() - 1));
  /** @type {Found[]} */
  const found = [];
  /** @type {Map<string, Count>[]} */
  const counts = [];
  /** @type {string[]} */
  const samples = [];
  const until = Date.now() + seconds * 1000;
  await Promise.all(
    Array.from({ length: step }, (_, thread) => {
      const own = new Map();
      counts.push(own);
      const task = {
        ...{ names: all, seed, first: first + thread, step, cases, sample, patience, heap },
      };
      return attack(task, until, (message) => {
        if (message.found) found.push(message.found);
        if (message.count) own.set(all[message.which], message.count);
        if (message.sample && samples.length < MOST_SAMPLES) samples.push(message.sample);
      });
    }),
  );
  const python = await compared(samples);
  return {
    ...{ seed, seconds, counts: summed(all, counts), found: [...found, ...python.found] },
    python: { compared: python.compared, skipped: python.skipped },
  };
}

/**
 * One thread, started again after a case that ended it.
 * @param {{ names: string[], seed: number, first: number, step: number, cases: number, sample: number, patience: number, heap: number }} task
 * @param {number} until @param {(message: any) => void} tell
 */
async function attack(task, until, tell) {
  let { first } = task;
  while (Date.now() < until) {
    const now = new SharedArrayBuffer(12);
    const running = new Uint32Array(now);
    const given = { ...task, first, now, limit: MEMORY };
    const broken = await stopped(given, running, until, tell);
    if (broken === undefined) return;
    const [which, index] = running;
    tell({ found: { target: task.names[which], index, broken } });
    first = index + task.step;
  }
}

/**
 * Resolves with what was wrong when the thread has ended.
 * @param {{ patience: number, heap: number }} workerData @param {Uint32Array} running @param {number} until @param {(message: any) => void} tell
 * @returns {Promise<string | undefined>}
 */
function stopped(workerData, running, until, tell) {
  return new Promise((resolve) => {
    const { patience, heap } = workerData;
    const thread = new Worker(new URL("./thread.js", import.meta.url), {
      workerData,
      resourceLimits: { maxOldGenerationSizeMb: heap },
    });
    let count = -1;
    let since = Date.now();
    let isOver = false;
    const end = (/** @type {string | undefined} */ broken) => {
      if (isOver) return;
      isOver = true;
      clearInterval(timer);
      thread.terminate().then(() => resolve(broken));
    };
    const timer = setInterval(() => {
      if (running[2] !== count) [count, since] = [running[2], Date.now()];
      else if (count > 0 && Date.now() - since > patience) end(`no end after ${patience} ms`);
      if (Date.now() > until && running[2] > 0) end(undefined);
    }, 100);
    thread.on("message", (message) => (message.isOver ? end(undefined) : tell(message)));
    thread.on("error", (error) => end(`the thread ended: ${error.stack ?? error}`));
    thread.on("exit", () => end("the thread ended"));
  });
}

/** @param {string[]} names @param {Map<string, Count>[]} counts */
function summed(names, counts) {
  const all = names.map((name) => {
    const sum = { executions: 0, accepted: 0, refused: 0 };
    for (const own of counts) {
      const { executions = 0, accepted = 0, refused = 0 } = own.get(name) ?? {};
      sum.executions += executions;
      sum.accepted += accepted;
      sum.refused += refused;
    }
    return [name, sum];
  });
  return Object.fromEntries(all);
}
