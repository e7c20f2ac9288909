import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { consumer } from "../../hosts/consumer.js";
import { isNight } from "../../sample.js";
import { filesOf, promised } from "./guide.js";

/** The seeds of which a line has the accuracies. */
const SEEDS = "[1, 2, 3]";

/** By day the first seed of the trainings alone. @param {string} line  of the output */
const firstSeed = (line) => line.split(", ")[0];

test("guide own-scheme: its programs print the output that it shows", async (t) => {
  const { folder, put } = await consumer(t);
  const files = await filesOf("own-scheme");
  assert.deepEqual([...files.keys()], ["own.mjs", "derivative.mjs"]);
  for (const [file, code] of files) {
    const isShort = !isNight && file === "own.mjs";
    if (isShort) assert.ok(code.includes(SEEDS));
    await put(file, isShort ? code.replace(SEEDS, "[1]") : code);
    const options = /** @type {const} */ ({ cwd: folder, encoding: "utf8" });
    const { status, stdout, stderr } = spawnSync(process.execPath, [file], options);
    assert.equal(status, 0, stderr);
    const lines = promised(code);
    assert.deepEqual(stdout.trim().split("\n"), isShort ? lines.map(firstSeed) : lines);
  }
});
