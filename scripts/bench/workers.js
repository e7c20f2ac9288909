// One worker against two, on the calls that are split: how much less time two take.

import { loadavg } from "node:os";
import { race, uniform } from "./measure.js";
import { digits, table } from "./report.js";

/** @import { Found } from "./record.js" */

/**
 * @param {string} entry  of phasor, as a URL; phasor/worker is beside it
 * @param {number} rounds
 * @returns {Promise<Found>} no goals: what a second core gives depends on what else runs
 */
export async function runWorkers(entry, rounds) {
  /** @type {typeof import("phasor/worker")} */
  const { load } = await import(new URL("worker.js", entry).href);
  const random = uniform(17);
  const floats = (/** @type {number[]} */ ...shape) => {
    const length = shape.reduce((product, size) => product * size, 1);
    return { data: new Float32Array(length).map(() => 2 * random() - 1), shape };
  };
  const rows = floats(2000, 768);
  const words = floats(50257, 768);
  const queries = floats(32, 768);
  const [q, k, v] = [0, 1, 2].map(() => floats(4, 12, 512, 64));
  const out = new Float32Array(8192 * 1024);
  const parts = { cos: new Float32Array(32768 * 128), sin: new Float32Array(32768 * 128) };
  /** @type {[string, (phasor: import("phasor/worker").RemotePhasor) => unknown][]} */
  const jobs = [
    ["similarity.matrix of 2000 x 768", ({ similarity }) => similarity.matrix(rows)],
    ["nearest: 32 queries of 50257 x 768", ({ nearest }) => nearest(words, queries)],
    ["attention of 4 x 12 x 512 x 64", ({ attention }) => attention.scaledDotProduct({ q, k, v })],
    [
      "sinusoidal.table 8192 x 1024, out",
      ({ sinusoidal }) => sinusoidal.table(8192, 1024, { out }),
    ],
    ["rope.table 32768 x 256, out", ({ rope }) => rope.table(32768, 256, { out: parts })],
  ];
  const phasors = [await load(), await load({ workers: 2 })];
  console.log("\nworkers  one worker against two");
  const lines = [["", "one, ms", "two, ms", "one / two"]];
  for (const [name, call] of jobs) {
    const contestants = phasors.map((phasor, i) => ({ name: `${i + 1}`, run: () => call(phasor) }));
    const [one, two] = (await race(contestants, rounds)).map(({ median }) => median);
    lines.push([name, digits(one), digits(two), digits(one / two)]);
  }
  console.log(table(lines));
  console.log(`Load of the machine: ${loadavg()[0].toFixed(1)}.`);
  await Promise.all(phasors.map(({ dispose }) => dispose()));
  return { judgements: [] };
}
