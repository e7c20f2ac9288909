import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdir, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { consumer } from "../../hosts/consumer.js";
import { holderOf, without } from "../../truth/interop/libraries.js";
import { filesOf, promised } from "./guide.js";

/** The packages that a program imports, without phasor. @param {string} code */
function imported(code) {
  const names = [...code.matchAll(/^import .*?"((?:@[\w-]+\/)?[\w-]+)"/gm)].map(([, name]) => name);
  return names.filter((name) => name !== "phasor");
}

test("guide arrays: its programs print the output that it shows", async (t) => {
  const { folder, put } = await consumer(t);
  for (const [file, code] of await filesOf("arrays")) {
    const names = imported(code);
    const missing = names.find((name) => without(name));
    await t.test(file, { skip: missing && without(missing) }, async () => {
      for (const name of names) {
        const link = join(folder, "node_modules", name);
        await mkdir(dirname(link), { recursive: true });
        await symlink(join(String(holderOf(name)), name), link);
      }
      await put(file, code);
      const options = /** @type {const} */ ({ cwd: folder, encoding: "utf8" });
      const { status, stdout, stderr } = spawnSync(process.execPath, [file], options);
      assert.equal(status, 0, stderr);
      assert.deepEqual(stdout.trim().split("\n"), promised(code));
    });
  }
});
