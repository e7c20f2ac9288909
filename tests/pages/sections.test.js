// Links to the sections of a page, which keep what its controls are set to.

import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../until.js";
import { openSite } from "./open-site.js";
import { put } from "./controls.js";
import { openAnew } from "./pages.js";

const { server, browser } = await openSite();

const visit = await browser.newPage({ permissions: ["clipboard-read", "clipboard-write"] });

/** @param {string} address */
async function open(address) {
  await visit.page.goto("about:blank"); // else another hash would be no new visit
  await openAnew(visit, server.url, address);
  return visit;
}

/** @param {import("playwright-core").Page} page */
const copied = (page) => page.evaluate(() => navigator.clipboard.readText());

/** How far below the upper edge of the window a heading is. @param {import("playwright-core").Page} page @param {string} id */
const top = (page, id) =>
  page.locator(`[id="${id}"]`).evaluate((heading) => heading.getBoundingClientRect().top);

test("a heading of a lesson copies the address of its section, with the settings of the page", async () => {
  const { page, problems } = await open("lessons/sinusoidal/#dim=32");
  const heading = page.locator("#shift-title");
  const words = await heading.innerText();
  await put(page, "shift", "7");
  await page.waitForFunction(() => location.hash.includes("shift=7"));
  await heading.getByRole("link").click();
  await heading.getByRole("status").getByText("Copied.").waitFor();
  const address = new URL(await copied(page));
  assert.equal(address.search, "?section=shift-title");
  assert.deepEqual(Object.fromEntries(new URLSearchParams(address.hash.slice(1))), {
    dim: "32",
    shift: "7",
  });
  assert.equal(page.url(), address.href);
  assert.equal(await heading.getByRole("link").innerText(), words, "the link is the heading");
  await put(page, "shift", "8");
  await page.waitForFunction(() => location.hash.includes("shift=8"));
  assert.match(page.url(), /\?section=shift-title#/, "the section stays in the address");
  assert.deepEqual(problems, []);

  await open(address.href.slice(server.url.length));
  const isThere = async () => Math.abs(await top(page, "shift-title")) < 100;
  await until(isThere, "the section is at the top");
  assert.equal(await page.locator('[name="shift"]').inputValue(), "7");
  assert.equal(await page.locator('[name="dim"]').inputValue(), "32");
  assert.deepEqual(problems, []);
});

test("a heading of a page without controls has the plain address of its section", async () => {
  const { page, problems } = await open("guides/node/");
  await page.locator("#commonjs").getByRole("link").click();
  await page.locator("#commonjs").getByRole("status").getByText("Copied.").waitFor();
  assert.equal(new URL(page.url()).hash, "#commonjs");
  assert.equal(await copied(page), `${server.url}guides/node/#commonjs`);
  assert.deepEqual(problems, []);
});

test("a section's link is shown on hover and focus, without layout shift", async () => {
  const { page } = await open("lessons/sinusoidal/");
  const heading = page.locator("#shift-title");
  const link = heading.getByRole("link");
  const sign = () => link.evaluate((each) => getComputedStyle(each, "::before").opacity);
  const isShown = (/** @type {string} */ opacity) =>
    until(async () => (await sign()) === opacity, `the sign has the opacity ${opacity}`);
  await isShown("0");
  const before = await heading.boundingBox();
  await link.hover();
  await isShown("1");
  await page.mouse.move(0, 0);
  await isShown("0");
  await page.keyboard.press("Tab"); // so that the focus is shown
  await link.focus();
  await isShown("1");
  const after = await heading.boundingBox();
  assert.deepEqual([after?.width, after?.height], [before?.width, before?.height]);
});

test("slides, worksheets and answers have no links in their headings", async () => {
  for (const mode of ["present", "worksheet", "key"]) {
    const { page } = await open(`lessons/sinusoidal/?${mode}`);
    assert.equal(await page.locator(".section-link").count(), 0, mode);
  }
});
