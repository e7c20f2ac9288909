import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { consumer } from "../../hosts/consumer.js";
import { isNight } from "../../sample.js";
import { filesOf, promised } from "./guide.js";

/** What is trained, and the part of it by day: the scheme of the guide with its first seed. */
const SHORTER = Object.entries({
  "Object.entries(decoders)": "Object.entries(decoders).slice(0, 1)",
  "[1, 2, 3]": "[1]",
});

/** @param {string} program */
function shortened(program) {
  for (const [whole] of SHORTER) assert.ok(program.includes(whole));
  return SHORTER.reduce((code, [whole, part]) => code.replace(whole, part), program);
}

test("guide own-scheme: its programs print the output that it shows", async (t) => {
  const { folder, put } = await consumer(t);
  const files = await filesOf("own-scheme");
  assert.deepEqual([...files.keys()], ["own.mjs", "derivative.mjs"]);
  for (const [file, code] of files) {
    const isShort = !isNight && file === "own.mjs";
    await put(file, isShort ? shortened(code) : code);
    const options = /** @type {const} */ ({ cwd: folder, encoding: "utf8" });
    const { status, stdout, stderr } = spawnSync(process.execPath, [file], options);
    assert.equal(status, 0, stderr);
    const lines = promised(code);
    const wanted = isShort ? [lines[0].split(", ")[0]] : lines;
    assert.deepEqual(stdout.trim().split("\n"), wanted);
  }
});
