// What the package costs before and beside its work: the time to its first table, the memory of its core.

import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "../run.js";
import { loadInView } from "./core.js";
import { quantile } from "./measure.js";
import { digits, judge, table } from "./report.js";

/** @typedef {import("./record.js").Found} Found */

const folder = dirname(fileURLToPath(import.meta.url));

/** Who makes the first table: the names of first.js and those of the rows. */
const FIRST = Object.freeze({ phasor: "phasor", plain: "JavaScript", "jax-js": "jax-js" });

/** From `import` to the first table, in fresh processes. @param {string} entry @returns {Promise<Found>} */
export async function runFirst(entry) {
  const title = "from import to the first table 512 x 512, then the first 4096 x 768";
  console.log(`\nfirst  ${title}`);
  const names = Object.keys(FIRST);
  const times = names.map(() => /** @type {{small: number, large: number}[]} */ ([]));
  for (let round = 0; round < 9; ++round) {
    for (const [i, name] of names.entries()) {
      const args = [join(folder, "first.js"), name, entry];
      const { stdout } = await run(process.execPath, args, { capture: true });
      times[i].push(JSON.parse(stdout));
    }
  }
  const [small, large] = /** @type {const} */ (["small", "large"]).map((size) =>
    times.map((each) =>
      quantile(
        each.map((time) => time[size]),
        0.5,
      ),
    ),
  );
  const labels = Object.values(FIRST);
  const lines = labels.map((name, i) => [
    name,
    digits(small[i]),
    digits(small[i] / small[0]),
    digits(large[i]),
    digits(large[i] / large[0]),
  ]);
  const head = ["", "ms to 512 x 512", "x phasor", "ms for 4096 x 768", "x phasor"];
  console.log(table([head, ...lines]));
  const first = new Map(labels.map((name, i) => [name, { median: large[i], spread: 0 }]));
  const goal = judge({ who: "phasor", than: "JavaScript", least: 3 }, first);
  return {
    judgements: [{ ...goal, text: `first ${goal.text}` }],
    first: {
      title,
      contestants: labels.map((name, i) => ({ name, small: small[i], large: large[i] })),
      goals: [goal],
    },
  };
}

/** The core's memory after a large result. @param {string} entry @returns {Promise<Found>} */
export async function runMemory(entry) {
  const title = "of the core, before and after a table of 65536 x 1024 (268 MB)";
  console.log(`\nmemory  ${title}`);
  const { phasor, bytes } = await loadInView(entry);
  const before = bytes() / 2 ** 20;
  phasor.sinusoidal.table(65536, 1024);
  const after = bytes() / 2 ** 20;
  console.log(`  ${before.toFixed(1)} MiB before, ${after.toFixed(1)} MiB after`);
  const goal = /** @type {const} */ ({
    text: "<= 4 MiB after it",
    ratio: after,
    verdict: after <= 4 ? "met" : "missed",
  });
  return {
    judgements: [{ ...goal, text: `memory ${goal.text}` }],
    memory: { title, before, after, goals: [goal] },
  };
}
