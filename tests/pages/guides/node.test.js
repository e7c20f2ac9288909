import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { consumer } from "../../hosts/consumer.js";
import { filesOf, promised } from "./guide.js";

test("guide node: its programs print the output that it shows", async (t) => {
  const { folder, put } = await consumer(t);
  for (const [name, code] of await filesOf("node")) {
    if (name === "terminal") continue;
    await put(name, code);
    const { status, stdout, stderr } = spawnSync(process.execPath, [name], {
      cwd: folder,
      encoding: "utf8",
    });
    assert.equal(status, 0, stderr);
    assert.deepEqual(stdout.trim().split("\n"), promised(code), name);
  }
});
