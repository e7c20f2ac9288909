// Repeats operations that use memory very often, and checks that none leaks.
//   npm run x -- test:endurance        10^6 objects, 10^6 refusals, 10^4 cores, 10^5 updates of figures
//   npm run x -- test:endurance 0.01   a hundredth of that

import { build } from "../package/build.js";
import { table } from "../bench/report.js";

await build({ types: false });
const share = Number(process.argv[2] ?? 1);
const { endure, growth, isFlat, runs } = await import("../../tests/attacks/endurance/runs.js");
const { updates } = await import("../../tests/attacks/endurance/figures.js");

const rows = [["", "times", "seconds", "heap grew", "outside grew", "core or elements", "at the end", ""]]; // prettier-ignore
const kibibytes = (/** @type {number} */ bytes) => `${(bytes / 1024).toFixed(1)} KiB`;
let bad = 0;
const all = [...runs(share).map((run) => () => endure(run)), () => updates(1e5 * share)];
for (const run of all) {
  const start = performance.now();
  const taken = await run();
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  const { heap, outside, wasm } = growth(taken);
  if (!isFlat(taken)) ++bad;
  rows.push([
    taken.name,
    taken.count.toLocaleString("en"),
    seconds,
    kibibytes(heap),
    kibibytes(outside),
    `${wasm >= 0 ? "+" : ""}${wasm}`,
    `${kibibytes(taken.late.heap)} heap`,
    isFlat(taken) ? "flat" : "GROWS",
  ]);
}
console.log(`\n${table(rows)}`);
if (bad > 0) {
  console.error(`${bad} of these keep memory.`);
  process.exitCode = 1;
}
