import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { isOfAnother } from "../../../scripts/package/build.js";
import { coreSourcesOf } from "../../../scripts/test/needs.js";

test("build: a build folder that was copied with the checkout is detected", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "phasor-build-"));
  t.after(() => rm(folder, { recursive: true }));
  const cache = join(folder, "CMakeCache.txt");
  assert.equal(isOfAnother(cache, folder), false, "none is there");
  await writeFile(
    cache,
    `CMAKE_GENERATOR:INTERNAL=Ninja\nCMAKE_HOME_DIRECTORY:INTERNAL=${folder}\n`,
  );
  assert.equal(isOfAnother(cache, `${folder}/`), false);
  assert.equal(isOfAnother(cache, join(folder, "copy")), true);
});

test("build: of the core, C++ tests need what their headers and those of its sources lead to", () => {
  const sources = coreSourcesOf(["tests/unit/positional/bias/alibi.test.cpp"]);
  assert.deepEqual(sources.filter((path) => !path.startsWith("src/math/")), ["src/positional/bias/alibi/alibi.cpp"]); // prettier-ignore
  assert.ok(sources.includes("src/math/elementary.cpp"), "whose header alibi.cpp includes");
});
