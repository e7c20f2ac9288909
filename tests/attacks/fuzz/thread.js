// A thread that runs cases until it is stopped or has run all. The thread that started it sees which one is running,
// so that it can name a case that never ends or that takes all the memory.

import { parentPort, workerData } from "node:worker_threads";
import { caseOf, judged, targetOf, written } from "./attack.js";

/** @typedef {{ names: string[], seed: number, first: number, step: number, cases: number, now: SharedArrayBuffer, sample: number, limit: number }} Task */

const { names, seed, first, step, cases, now, sample, limit } = /** @type {Task} */ (workerData);
const port = /** @type {import("node:worker_threads").MessagePort} */ (parentPort);

/** What runs: the target, the index, the count of cases. */
const running = new Uint32Array(now);
const SLICE = 100; // cases of a target before the next one has its turn

const counts = names.map(() => ({ executions: 0, accepted: 0, refused: 0 }));
const indices = names.map(() => first);

for (let turn = 0; indices.some((index) => index < cases); ++turn) {
  const which = turn % names.length;
  const target = targetOf(names[which]);
  const count = counts[which];
  for (let i = 0; i < SLICE && indices[which] < cases; ++i) {
    const index = indices[which];
    indices[which] += step;
    running[0] = which;
    running[1] = index;
    Atomics.add(running, 2, 1);
    const one = caseOf(target, seed, index);
    // Reading may keep or change the input, which a comparison needs as it was.
    const kept = one.input instanceof Uint8Array ? one.input.slice() : one.input;
    const outcome = await judged(target, one);
    ++count.executions;
    ++count[outcome.isAccepted ? "accepted" : "refused"];
    const memory = process.resourceUsage().maxRSS / 1024;
    if (memory > limit) outcome.broken ??= `${Math.round(memory)} MiB of memory are in use`;
    if (outcome.broken) {
      const { broken } = outcome;
      port.postMessage({ found: { target: target.name, index, broken, ...written(kept) } });
      if (memory > limit) process.exit();
    } else if (target.python && (index / step) % sample < 1) {
      const { isAccepted, got } = outcome;
      const line = { target: target.name, kind: target.python, index, isAccepted, got };
      port.postMessage({ sample: JSON.stringify({ ...line, ...written(kept) }) });
    }
  }
  port.postMessage({ which, count });
}
port.postMessage({ isOver: true });
