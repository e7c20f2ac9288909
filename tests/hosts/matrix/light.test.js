// The package gives the results of Node in the bundlers and ways to load it that are installed with the project.
// More than 20 s of CPU: each bundler and each way in a browser runs every entry.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { atNight } from "../../sample.js";
import { consumer } from "../consumer.js";
import { closeBrowser } from "./browser.js";
import { light, node } from "./light.js";
import { programs, tryAll } from "./matrix.js";

const { folder } = await consumer({ after });
after(closeBrowser);

/** Programs that are no way to start phasor. */
const alone = [
  ...["files", "models", "open", "oracle", "xray", "vectors", "plots", "widget"],
  ...[
    "positional",
    "embedding",
    "attention",
    "analysis",
    "training",
    "ngrams",
    "lab",
    "lab-thread",
    "rope",
    "sinusoidal",
  ],
];

/** What Node gives, by programs' names. @type {Record<string, import("./matrix.js").Outcome>} */
let expected = {};

test("matrix: in Node every entry gives a value, and every way to load gives the same", async () => {
  expected = await node.run({ folder, at: folder, programs: programs(), settled: true });
  for (const [name, outcome] of Object.entries(expected)) assert.ok("value" in outcome, name);
  const same = Object.keys(expected).filter((name) => !alone.includes(name));
  for (const name of same) assert.deepEqual(expected[name], expected.index, name);
});

/** For the night: others by day are alike. */
const late = ["Rollup", "Vite, server", "browser, data:"];

for (const environment of light) {
  const when = late.includes(environment.name) ? atNight : {};
  test(`matrix: ${environment.name} gives the results of Node`, when, async (t) => {
    for (const { entry, good, said } of await tryAll(environment, folder, expected)) {
      await t.test(entry, () => assert.ok(good, said));
    }
  });
}
