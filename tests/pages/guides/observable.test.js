// That the notebooks run in Observable's own tools is shown by tests/hosts/notebooks/observable-*.test.js
// (`npm run x -- test:notebooks`); here, that what they import is in the package.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { test } from "node:test";
import { project } from "../../../scripts/setup/setup.js";
import { consumer } from "../../hosts/consumer.js";
import { cdn } from "../cdn.js";
import { filesOf } from "./guide.js";

const jsdelivr = "https://cdn.jsdelivr.net/npm/";

test("guide observable: the package has every import of the guide and of the notebooks", async (t) => {
  const { folder, put } = await consumer(t);
  const { answer } = cdn([folder, project]);
  const notebooks = ["positions.html", "framework/src/index.md"].map((name) =>
    readFile(join(project, "web/notebooks", name), "utf8"),
  );
  const texts = [...(await filesOf("observable")).values(), ...(await Promise.all(notebooks))];
  const named = texts.flatMap((text) => [
    ...text.matchAll(/import \{ (?<names>.*) \} from "npm:(?<path>.*)";/g),
    ...text.matchAll(/import\("https:\/\/cdn\.jsdelivr\.net\/npm\/(?<path>.*)\/\+esm"\)/g),
  ]);
  assert.ok(named.length > 8);
  /** @type {Map<string, object>} */
  const modules = new Map();
  for (const { groups } of named) {
    const { path, names = "" } = /** @type {Record<string, string>} */ (groups);
    if (!modules.has(path)) {
      const { status, type, body } = await answer(`${jsdelivr}${path}/+esm`);
      assert.equal(status, 200, String(body).slice(0, 200));
      assert.match(type, /^application\/javascript/);
      const file = `${path.replaceAll("/", "-")}.js`;
      await put(file, String(body));
      modules.set(path, await import(String(pathToFileURL(join(folder, file)))));
    }
    for (const name of names.split(", ").filter(Boolean)) {
      assert.ok(name in /** @type {object} */ (modules.get(path)), `${path} exports ${name}`);
    }
  }
  assert.deepEqual([...modules.keys()].sort(), ["phasor", "phasor/files", "phasor/plots"]);
});

test("the local stand-in for the CDN serves the packed files and nothing else", async (t) => {
  const { folder } = await consumer(t);
  const { answer } = cdn([folder, project]);
  const { version } = JSON.parse(await readFile(join(project, "package.json"), "utf8"));
  /** @param {string} path */
  const ask = async (path) => {
    const { status, body } = await answer(jsdelivr + path);
    return { status, text: String(body) };
  };
  const inline = await readFile(join(project, "dist/index.js"), "utf8");
  assert.equal((await ask("phasor/dist/index.js")).text, inline);
  assert.equal((await ask(`phasor@${version}/dist/index.js`)).text, inline);
  assert.match((await ask("@observablehq/plot/+esm")).text, /"\/npm\/d3@[\d.]+\/\+esm"/);
  for (const path of [
    "phasor/src/index.js",
    "phasor/nothing/+esm",
    "phasor@9.9.9/+esm",
    "no-such/+esm",
  ]) {
    assert.equal((await ask(path)).status, 404, path);
  }
});
