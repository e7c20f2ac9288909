import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { consumer } from "../../hosts/consumer.js";
import { filesOf, promised } from "./guide.js";

test("guide own-scheme: its programs print the output that it shows", async (t) => {
  const { folder, put } = await consumer(t);
  const files = await filesOf("own-scheme");
  assert.deepEqual([...files.keys()], ["own.mjs", "derivative.mjs"]);
  for (const [file, code] of files) {
    await put(file, code);
    const options = /** @type {const} */ ({ cwd: folder, encoding: "utf8" });
    const { status, stdout, stderr } = spawnSync(process.execPath, [file], options);
    assert.equal(status, 0, stderr);
    assert.deepEqual(stdout.trim().split("\n"), promised(code));
  }
});
