// WebKit gives the numbers that Node gives, and opens every page. `npm run x -- test:webkit` runs this file;
// WebKitGTK's driver is on PATH there, or Safari's.

import assert from "node:assert/strict";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { after, test } from "node:test";
import { entriesOf } from "../../scripts/package/entries.js";
import { page as built } from "../../scripts/site/page.js";
import { serve } from "../../scripts/site/serve.js";
import { project } from "../../scripts/setup/setup.js";
import { writePages } from "../hosts/matrix/browser.js";
import { node } from "../hosts/matrix/light.js";
import { lay, programs } from "../hosts/matrix/matrix.js";
import { complaint, controls, numbers, put } from "./controls.js";
import { isAlike, nameOf, pages, settled } from "./pages.js";
import { openWebDriver } from "./webdriver.js";

const browser = await openWebDriver(String(process.env.PHASOR_WEBDRIVER));
const site = await serve(built);

after(async () => {
  await browser.close();
  await site.close();
});

test(`${browser.version} gives what Node gives, in every entry`, async (t) => {
  const at = join(project, "build/webkit");
  await rm(at, { recursive: true, force: true });
  await mkdir(at, { recursive: true });
  const server = await serve(project, { headers: { "Content-Security-Policy": "" } });
  t.after(() => server.close());
  const all = programs();
  const expected = await node.run({ folder: project, at, programs: all, settled: true });

  const addresses = entriesOf().map(({ name, file }) => [name, `${server.url}${file}`]);
  const map = JSON.stringify({ imports: Object.fromEntries(addresses) });
  const given = {
    "core.wasm": 'export default import.meta.resolve("phasor/core.wasm");',
    "worker-thread": 'export default import.meta.resolve("phasor/worker-thread");',
    "lab-thread": 'export default import.meta.resolve("phasor/lab-thread");',
  };
  await lay({ folder: project, at, programs: all, settled: true }, { given });
  const head = `<script type="importmap">${map}</script>`;
  await writePages(at, all, (name) => `./${name}.main.js`, head);
  for (const { entry, name } of all) {
    await t.test(entry, async () => {
      await browser.goto(`${server.url}build/webkit/${name}.html`);
      const outcome = await browser.evaluate(async () => {
        const end = performance.now() + 30_000;
        while (!("outcome" in globalThis) && performance.now() < end) {
          await new Promise((next) => setTimeout(next, 20));
        }
        return /** @type {any} */ (globalThis).outcome;
      });
      assert.deepEqual(outcome, expected[name]);
      assert.ok("value" in outcome);
    });
  }
});

for (const path of pages().filter((path) => !isAlike(path))) {
  test(`WebKit: ${nameOf(path)} opens, computes and follows a control`, async () => {
    await browser.goto(`${site.url}${path}`);
    await settled(browser);
    assert.match(await browser.evaluate(() => document.title), /phasor/);
    assert.equal(await complaint(browser), "");
    const before = (await numbers(browser)).join();
    const tried = [];
    let follows = before === "";
    for (const { name, others } of follows ? [] : await controls(browser)) {
      for (const other of others) {
        if (follows) break;
        tried.push(`${name} at ${other}`);
        await put(browser, name, other);
        await settled(browser);
        follows = (await numbers(browser)).join() !== before;
      }
    }
    assert.ok(follows || tried.length === 0, `no figure follows ${tried.join(", or ")}`);
  });
}
