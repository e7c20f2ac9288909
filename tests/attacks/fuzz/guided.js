/**
 * Coverage-guided fuzzing: an input that reaches a part of the readers that no other has reached is kept, and changed
 * further. The kept ones are in corpus/, a line each, so that a run goes on where the last one ended.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { Coverage } from "./coverage.js";
import { mutated, mutatedText } from "./mutate.js";
import { Random } from "./random.js";

/** @import { Found } from "./fuzz.js" */

/** Inputs between two looks at the coverage, which takes longer than a read. */
const BATCH = 16;

/** The longest line of the corpus, in letters. */
const LONGEST = 6000;

/** The share of inputs that a target makes anew. */
const FRESH = 0.25;

/**
 * @param {object} options
 * @param {number} options.seed
 * @param {number} [options.seconds]  Default: no limit
 * @param {number} [options.turns]  batches of each target. Default: no limit
 * @param {readonly string[]} [options.names]  of targets. Default: all
 * @param {URL} [options.folder]  of the corpus
 * @param {boolean} [options.keeps]  whether the corpus is written
 * @param {number} [options.patience]  an input that takes longer hangs, in milliseconds
 */
export async function guided({
  seed,
  seconds = Infinity,
  turns = Infinity,
  names = [],
  folder = new URL("corpus/", import.meta.url),
  keeps = false,
  patience = 10_000,
}) {
  const coverage = new Coverage();
  const { caseOf, judged, restored, targetOf, targets, written } = await import("./attack.js");
  coverage.take(true);
  const guard = new Worker(GUARD, { eval: true, execArgv: [], workerData: patience });
  /** @type {Found[]} */
  const found = [];
  /** @type {Record<string, { executions: number, reached: number, corpus: number }>} */
  const counts = {};
  const until = Date.now() + seconds * 1000;
  const all = names.length > 0 ? names : targets.map(({ name }) => name);
  const states = all.map((name) => {
    const path = new URL(`${name.replace(/\W/g, "-")}.jsonl`, folder);
    const lines = existsSync(path) ? readFileSync(path, "utf8").split("\n").filter(Boolean) : [];
    const corpus = /** @type {string[]} */ ([]);
    counts[name] = { executions: 0, reached: 0, corpus: 0 };
    return { name, path, lines, corpus, random: new Random(seed, name, 0), index: 0 };
  });

  /** @param {string} name @param {string} line  the input, as JSON */
  const read = async (name, line) => {
    const target = targetOf(name);
    guard.postMessage(`${name} ${line}`);
    const { broken } = await judged(target, { input: restored(JSON.parse(line)) });
    ++counts[name].executions;
    if (broken) found.push({ target: name, index: -1, broken, ...JSON.parse(line) });
  };
  /** Keeps those that reach more. @param {typeof states[number]} state @param {readonly string[]} lines */
  const attempt = async (state, lines) => {
    for (const line of lines) await read(state.name, line);
    if (coverage.take(false) === 0) return;
    for (const line of lines) {
      await read(state.name, line);
      const reached = coverage.take(true);
      counts[state.name].reached += reached;
      if (reached > 0 && line.length <= LONGEST) state.corpus.push(line);
    }
  };
  /** @param {typeof states[number]} state @returns {string} */
  const next = (state) => {
    const { name, corpus, random } = state;
    // The last ones reached what is hard to reach, and half of the changes are of them.
    const from = random.happens(0.5) ? corpus.slice(-8) : corpus;
    const isFresh = corpus.length === 0 || random.happens(FRESH);
    const other = isFresh ? undefined : changed(random, restored(JSON.parse(random.pick(from))));
    return JSON.stringify(written(other ?? caseOf(targetOf(name), seed, state.index++).input));
  };

  for (const state of states) {
    for (const line of state.lines) await attempt(state, [line]);
  }
  for (let turn = 0; turn < turns && Date.now() < until; ++turn) {
    for (const state of states) {
      const lines = Array.from({ length: BATCH }, () => next(state));
      if (Date.now() < until) await attempt(state, lines);
    }
  }
  await guard.terminate();
  for (const { name, path, corpus } of states) {
    counts[name].corpus = corpus.length;
    if (!keeps || corpus.length === 0) continue;
    mkdirSync(folder, { recursive: true });
    writeFileSync(path, `${corpus.join("\n")}\n`);
  }
  return { counts, found, missing: coverage.missing() };
}

/** Another text or file; undefined for objects, which their targets make. @param {Random} random @param {any} input */
function changed(random, input) {
  if (typeof input === "string") return mutatedText(random, input);
  if (input instanceof Uint8Array) {
    if (random.happens(0.5)) return mutated(random, input.slice());
    const letters = mutatedText(random, Buffer.from(input).toString("latin1"));
    return Uint8Array.from(Buffer.from(letters, "latin1"));
  }
  return undefined;
}

/** What a thread runs that names an input which does not end, and ends the process. */
const GUARD = `
  let timer;
  const { parentPort, workerData: patience } = require("node:worker_threads");
  parentPort.on("message", (line) => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      require("node:fs").writeSync(2, "no end after " + patience + " ms: " + line);
      process.kill(process.pid, "SIGKILL");
    }, patience);
  });`;
