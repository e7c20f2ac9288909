import assert from "node:assert/strict";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import webpack from "webpack";
import { run } from "../../../scripts/setup/run.js";
import { serve } from "../../../scripts/site/serve.js";
import { project } from "../../../scripts/setup/setup.js";
import { consumer } from "../../hosts/consumer.js";
import { atNight, isNight } from "../../sample.js";
import { openBrowser } from "../browser.js";
import { filesOf } from "./guide.js";

const { folder } = await consumer({ after });
const files = await filesOf("bundlers");
const text = (/** @type {string} */ name) => String(files.get(name));
const modules = join(folder, "node_modules");
// What a project that uses Rollup has installed.
await symlink(join(project, "node_modules/@rollup"), join(modules, "@rollup"));

const browser = await openBrowser();
after(() => browser.close());
const { page, problems } = await browser.newPage();

/** What webpack does besides its own file. */
const how = isNight ? {} : { optimization: { minimize: false } };

/** What the program says that the page shows. */
const shown = /\/\/ (.+)\n/.exec(text("main.js"))?.[1];

/**
 * A project with some of the guide's files.
 *
 * @param {string} name
 * @param {string[]} taken
 * @param {string} entry  that main.js imports load from
 */
async function projectOf(name, taken, entry) {
  const at = join(folder, name, entry);
  await mkdir(join(at, "dist"), { recursive: true });
  await symlink(modules, join(at, "node_modules"));
  await writeFile(join(at, "package.json"), '{ "type": "module", "private": true }\n');
  for (const file of taken) await writeFile(join(at, file), text(file));
  await writeFile(join(at, "main.js"), text("main.js").replace('"phasor"', `"${entry}"`));
  return at;
}

/** Do what the guide's terminal does. @param {string} name @param {string} cwd */
async function type(name, cwd) {
  const path = [join(project, "node_modules/.bin"), process.env.PATH].join(delimiter);
  const commands = text(`terminal, ${name}`).replace(/^npx /gm, "");
  await run("sh", ["-ec", commands], { cwd, env: { PATH: path }, capture: true });
}

/** What a built page shows, under the site's strict policy. @param {string} dist */
async function show(dist) {
  const server = await serve(dist);
  problems.length = 0;
  try {
    await page.goto(server.url);
    await page.waitForFunction(() => document.querySelector("output")?.textContent);
    assert.deepEqual(problems, []);
    return await page.textContent("output");
  } finally {
    await server.close();
  }
}

/** The page without Vite: beside the bundle. @param {string} at */
async function writePage(at) {
  const html = text("index.html").replace("/main.js", "main.js");
  await writeFile(join(at, "dist/index.html"), html);
}

test("guide bundlers: an entry with one module gives what the guide says", async () => {
  const program = text("rope.js");
  await writeFile(join(folder, "rope.mjs"), program);
  const { stdout } = await run(process.execPath, ["rope.mjs"], { cwd: folder, capture: true });
  const said = /\/\/ (.+)\n/.exec(program)?.[1];
  assert.deepEqual(stdout.trim(), said);
});

for (const entry of ["phasor", "phasor/external"]) {
  test(`guide bundlers: Vite builds ${entry} with no setting`, async () => {
    const at = await projectOf("vite", ["index.html"], entry);
    await type("Vite", at);
    assert.equal(await show(join(at, "dist")), shown);
  });

  // The other bundlers build it at night; the package tier builds every entry by each of them.
  const options = entry === "phasor" ? {} : atNight;
  test(`guide bundlers: webpack builds ${entry} with its own file alone`, options, async () => {
    const at = await projectOf("webpack", ["webpack.config.js"], entry);
    const { default: config } = await import(pathToFileURL(join(at, "webpack.config.js")).href);
    await new Promise((done, failed) => {
      const given = { context: at, output: { path: join(at, "dist") }, ...config, ...how };
      webpack(given, (error, stats) => {
        if (error ?? stats?.hasErrors()) failed(error ?? new Error(stats?.toString()));
        else done(stats);
      });
    });
    await writePage(at);
    assert.equal(await show(join(at, "dist")), shown);
  });

  for (const [name, config] of [
    ["Rollup", ["rollup.config.js"]],
    ["esbuild", []],
  ]) {
    test(`guide bundlers: ${name} builds ${entry} as the guide says`, options, async () => {
      const at = await projectOf(String(name), /** @type {string[]} */ (config), entry);
      await type(String(name), at);
      if (entry === "phasor/external") await type("core", at);
      await writePage(at);
      assert.equal(await show(join(at, "dist")), shown);
    });
  }
}
