import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { project } from "../../scripts/setup.js";
import { ceiling, sizeOf, sizeOfBuilt } from "../../scripts/sizes.js";

test("the default entry, wasm included, does not grow unnoticed: 89 KiB by gzip", async () => {
  assert.equal(ceiling, 89 * 1024);
  const entry = join(project, "dist", "index.js");
  assert.ok(
    existsSync(entry),
    "dist/index.js is missing: run npm run build, or npm test as a whole",
  );
  const { gzip } = await sizeOfBuilt("index.js");
  assert.ok(
    gzip <= ceiling,
    `dist/index.js takes ${gzip} bytes by gzip; ${ceiling} is the ceiling`,
  );
});

test("sizeOf counts bytes, not letters", () => {
  assert.equal(sizeOf("\u03b8").raw, 2);
});
