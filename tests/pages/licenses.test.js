import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { packageOf } from "../../scripts/package/notices.js";
import { buildPage, page } from "../../scripts/site/page.js";
import { setup } from "../../scripts/setup/setup.js";

test("licenses.txt has the notice of every package that the site has bundled, and pages link to it", async () => {
  await buildPage(await setup(["packages"]));
  const text = readFileSync(join(page, "licenses.txt"), "utf8");
  const noticed = text.split(/^-{80}$/m).map((part) => part.trim().split("\n")[0]);
  const maps = readdirSync(page, { recursive: true, encoding: "utf8" }).filter((path) =>
    path.endsWith(".map"),
  );
  const sources = maps.flatMap(
    (path) => JSON.parse(readFileSync(join(page, path), "utf8")).sources,
  );
  const packages = new Set(sources.map((source) => packageOf(String(source))).filter(Boolean));
  assert.ok(packages.size > 10, `${packages.size} packages`);
  for (const name of packages) assert.ok(noticed.includes(String(name)), name);
  for (const name of ["phasor", "Emscripten", "musl", "delaunator"]) {
    assert.ok(noticed.includes(name), name);
  }
  for (const [path, link] of [
    ["index.html", "./licenses.txt"],
    ["guides/accuracy/index.html", "../../licenses.txt"],
  ]) {
    assert.ok(readFileSync(join(page, path), "utf8").includes(`href="${link}"`), path);
  }
});
