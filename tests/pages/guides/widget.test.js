// The files in Python are run by tests/hosts/notebooks/widget.test.js, in real notebooks.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, test } from "node:test";
import { parseHTML } from "linkedom";
import { load, schemesOf } from "phasor";
import { schemes } from "phasor/widget";
import { buildPage } from "../../../scripts/site/page.js";
import { serve } from "../../../scripts/site/serve.js";
import { project, setup } from "../../../scripts/setup/setup.js";
import { consumer } from "../../hosts/consumer.js";
import { openBrowser } from "../browser.js";
import { serveSite } from "../site.js";
import { filesOf } from "./guide.js";
import { everyNth } from "../../sample.js";
import { until } from "../../until.js";

await buildPage(await setup(["packages"]));
const browser = await openBrowser();
after(() => browser.close());

/** Where a file of the package is on jsDelivr. */
const CDN = "https://cdn.jsdelivr.net/npm/phasor/";

/** Pages of readers have their own policies; these let the CDN in. */
const headers = {
  "Content-Security-Policy": `default-src 'none'; script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval' ${CDN}; img-src data:`,
};

/**
 * Opens a page of a consumer's, for whom the CDN has the packed files.
 * @param {import("node:test").TestContext} t @param {string} html
 */
async function visit(t, html) {
  const { folder, put } = await consumer(t);
  await put("index.html", html);
  const server = await serve(folder, { headers });
  t.after(() => server.close());
  const { page, problems } = await browser.newPage();
  await page.route(`${CDN}**`, async (route) => {
    const path = join(folder, "node_modules/phasor", route.request().url().slice(CDN.length));
    await route.fulfill({
      body: await readFile(path, "utf8"),
      contentType: "text/javascript",
      headers: { "Access-Control-Allow-Origin": "*" },
    });
  });
  await page.goto(server.url);
  return { page, problems: () => problems.filter((text) => !text.startsWith(`request: ${CDN}`)) };
}

test("guide widget: its page shows the picture and follows the sliders", async (t) => {
  const files = await filesOf("widget");
  const { page, problems } = await visit(t, String(files.get("index.html")));
  await page.getByText("32 × 32", { exact: true }).waitFor();
  assert.equal(await page.locator("#picture canvas").first().isVisible(), true);
  await page.getByRole("slider", { name: "Width" }).focus();
  await page.keyboard.press("ArrowRight");
  await page.getByText("32 × 34", { exact: true }).waitFor();
  assert.deepEqual(problems(), []);
});

test("guide widget: its element shows the picture", async (t) => {
  const files = await filesOf("widget");
  const { page, problems } = await visit(t, String(files.get("element.html")));
  await page.locator('phasor-figure [data-kind="bias"]').waitFor();
  assert.equal(await page.getByRole("slider", { name: "Heads" }).count(), 1);
  assert.deepEqual(problems(), []);
});

test("guide widget: its Observable cell shows the picture and removes it", async (t) => {
  const files = await filesOf("widget");
  // What a notebook provides: `display`, `invalidation`, and packages by `npm:`.
  const { page, problems } = await visit(
    t,
    `<!doctype html><html lang="en"><title>Cell</title><link rel="icon" href="data:,">
    <script type="importmap">{ "imports": { "npm:phasor/widget": "${CDN}dist/widget.js" } }</script>
    <script>
      const display = (value) => (document.body.append(value), value);
      const invalidation = new Promise((ends) => (globalThis.end = ends));
    </script>
    <script type="module">${files.get("JavaScript cell")}</script></html>`,
  );
  await page.locator('[data-kind="clock"] svg').waitFor();
  assert.equal(await page.locator(".phasor-pair").count(), 6);
  await page.evaluate(() => /** @type {any} */ (globalThis).end());
  await page.locator(".phasor-widget").waitFor({ state: "detached" });
  assert.deepEqual(problems(), []);
});

test("guide widget: the live widget draws every scheme that it offers, under the site's policy", async () => {
  const server = await serveSite();
  try {
    const { page, problems } = await browser.newPage();
    await page.goto(`${server.url}guides/widget/`);
    const select = page.getByRole("combobox", { name: "Scheme" });
    await page.locator("#live .phasor-figure").waitFor();
    const offered = await select.locator("option").allTextContents();
    assert.deepEqual(
      offered,
      (await schemes()).filter((name) => !["data", "similarity", "pca"].includes(name)),
    );
    const picture = page.locator("#live .phasor-picture");
    let before = await picture.screenshot();
    for (const scheme of offered.reverse().filter(everyNth(4))) {
      await select.selectOption(scheme);
      let now = before;
      await until(async () => {
        // The widget replaces its picture: one that is leaving cannot be taken.
        now = await picture.screenshot({ timeout: 2000 }).catch(() => before);
        return !now.equals(before);
      }, `a picture of ${scheme}`);
      assert.equal(await page.locator(".phasor-wrong").isVisible(), false, scheme);
      before = now;
    }
    assert.deepEqual(problems, []);
  } finally {
    await server.close();
  }
});

test("guide widget: it lists every scheme and every trait", async () => {
  const html = await readFile(join(project, "web/guides/widget/index.html"), "utf8");
  const { document } = parseHTML(`<!doctype html><html><body>${html}</body></html>`);
  const listed = (/** @type {string} */ id) =>
    Array.from(document.querySelectorAll(`#${id} b`), (name) => name.textContent);
  const offered = await schemes();
  const phasor = await load();
  const conventional = schemesOf(phasor).map(({ name }) => name); // a new one needs no line in the guide
  const named = listed("schemes");
  assert.deepEqual(
    named.filter((name) => !offered.includes(name)),
    [],
  );
  assert.deepEqual(
    offered.filter((name) => !named.includes(name) && !conventional.includes(name)),
    [],
  );

  const source = await readFile(join(project, "src/widget/index.js"), "utf8");
  const traits = /const TRAITS = Object\.freeze\(\{([^}]*(?:\{\}[^}]*)*)\}\)/.exec(source)?.[1];
  const names = traits?.match(/^ {2}\w+(?=:)/gm)?.map((name) => name.trim());
  assert.deepEqual(listed("traits"), names);
  const python = await readFile(join(project, "src/python/phasor_embeddings/widget.py"), "utf8");
  assert.deepEqual(
    [...python.matchAll(/^ {4}([a-z]\w*) = traitlets/gm)].map(([, name]) => name),
    names,
  );
});
