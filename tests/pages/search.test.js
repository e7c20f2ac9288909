// The search of the site: what a newcomer asks is among the first three, and the dialog that shows it.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { page as built } from "../../scripts/site/page.js";
import { sectionsOf } from "../../web/vite/search.js";
import { finder, wordsOf } from "../../web/app/search/find.js";
import { violations } from "./axe.js";
import { pages } from "./pages.js";
import { openSite } from "./open-site.js";
import { until } from "../until.js";

/** What is typed, and a part of the address that answers it. @type {readonly [string, RegExp][]} */
const QUESTIONS = [
  ["rotate q, k against a cache", /guides\/decoder/],
  ["kv cache", /guides\/decoder/],
  ["left padding", /guides\/decoder\/#left-padding/],
  ["past the end of a table", /guides\/context\/#end/],
  ["gpt-j layout", /gpt-j|reference\/rope/],
  ["convert weights", /reference\/rope\/#convert/],
  ["yarn factor", /guides\/context/],
  ["workers", /guides\/(workers|runtimes)/],
  ["edge runtime", /guides\/frameworks/],
  ["CSP", /guides\/browser\/#content-security-policy/],
  ["float16 results", /guides\/arrays\/#float16/],
  ["small bundle", /guides\/bundlers/],
  ["cancel a computation", /guides\/workers/],
  ["free memory", /guides\/node|dispose/],
  ["dispose", /dispose/i],
  ["gated model", /guides\/command-line\/#hub/],
  ["hf token", /guides\/command-line\/#hub/],
  ["Jupyter", /guides\/(jupyterlite|widget)/],
  ["pip install", /guides\/(jupyterlite|widget|command-line)/],
  ["semantic versioning", /guides\/versions/],
  ["same bits", /guides\/(versions|accuracy)/],
  ["nearest to my own vector int8", /reference\/nearest/],
  ["onnxruntime", /guides\/arrays\/#onnx-runtime/],
  ["transformers.js", /guides\/arrays\/#transformers-js/],
  ["rotate_half", /lessons\/rope/],
  ["king", /lessons\/trained-table|claims/],
  ["token", /glossary\/#token|token-type-ids|lessons\/pieces/],
  ["softmx", /softmax|attention/i],
  ["learned positions", /lessons\/learned/],
  ["llama4_text", /models\/atlas\/#search=llama4/],
];

const { server, browser } = await openSite();
const sections = JSON.parse(await readFile(join(built, "search.json"), "utf8"));
const find = finder(sections);

for (const [query, address] of QUESTIONS) {
  test(`search: "${query}" has its answer among the first three`, () => {
    const found = find(query, 3).map((each) => each.address);
    assert.ok(
      found.some((each) => address.test(each)),
      found.join(" "),
    );
  });
}

test("search: every page has sections, and every address leads to a heading that the page has", async () => {
  const paths = pages();
  for (const path of paths) {
    assert.ok(
      sections.some((/** @type {any} */ { address }) => address === path),
      path,
    );
  }
  for (const { address, title } of sections) {
    const [path, id = ""] = address.split(/#|\?section=/);
    assert.ok(title !== "" && paths.includes(path), address);
    if (!id || id.startsWith("search=")) continue;
    const html = await htmlOf(path);
    assert.ok(html.includes(`id="${decodeURIComponent(id)}"`), address);
  }
});

/** @type {Map<string, Promise<string>>} */
const read = new Map();
const htmlOf = (/** @type {string} */ path) => {
  if (!read.has(path)) read.set(path, readFile(join(built, path, "index.html"), "utf8"));
  return /** @type {Promise<string>} */ (read.get(path));
};

test("search: sections begin at headings with ids, without links around, forms and what comes after an answer", () => {
  const html = `<title>Page - phasor</title><main><nav>Contents</nav><h1>Page</h1><p>One<b>two</b></p><p>three</p>
    <h2 id="a">First</h2><p>Text</p><form>Question</form><p hidden>Answer</p><h3>Part</h3><p>of it</p></main>`;
  assert.deepEqual(sectionsOf("guides/page/", html), [
    { page: "Page", title: "Page", address: "guides/page/", text: "Onetwo three" },
    { page: "Page", title: "First", address: "guides/page/#a", text: "Text Part of it" },
  ]);
  const lesson = html.replace("<h2", "<form data-controls></form><h2");
  assert.equal(sectionsOf("lessons/x/", lesson)[1].address, "lessons/x/?section=a");
});

test("search: names of code are found by their parts", () => {
  assert.deepEqual(wordsOf("rope.applyAt rotate_half"), ["rope", "applyAt", "apply", "At", "rotate", "half"]); // prettier-ignore
});

test("search: by keys it opens, finds within 100 ms, chooses, leads to the section, and closes", async () => {
  const { page, problems } = await browser.newPage({ viewport: { width: 390, height: 800 } });
  await page.goto(`${server.url}lessons/rope/`);
  const field = page.getByRole("combobox", { name: "Search" });
  await page.keyboard.press("/");
  await field.waitFor();
  await page.keyboard.press("Escape");
  await field.waitFor({ state: "hidden" });
  await page.keyboard.press("Control+k");
  await field.fill("kv cache");
  const options = page.locator("#found").getByRole("option");
  await options.first().waitFor();
  assert.match((await options.first().textContent()) ?? "", /A decoder with a KV cache.*Guide/);
  assert.deepEqual(await violations(page), []);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);

  await page.keyboard.press("ArrowDown");
  assert.equal(await options.nth(1).getAttribute("aria-selected"), "true");
  assert.equal(await field.getAttribute("aria-activedescendant"), "found-1");
  const href = await options.nth(1).getAttribute("href");
  await page.keyboard.press("Enter");
  await page.waitForURL(String(href));
  assert.deepEqual(problems, []);
  await page.context().close();
});

test("search: a text field keeps its slash; a failure is reported, and the next try reads again", async () => {
  const { page } = await browser.newPage();
  let fails = true;
  await page.route("**/search.json", (route) => (fails ? route.abort() : route.continue()));
  await page.goto(`${server.url}playground/`);
  await page.locator("#a-find").fill("a");
  await page.locator("#a-find").press("/");
  assert.equal(await page.locator("#a-find").inputValue(), "a/");
  await page.getByRole("link", { name: "Search" }).click();
  const status = page.locator("dialog.search [role=status]");
  await until(
    async () => /could not be read/.test((await status.textContent()) ?? ""),
    "it is reported",
  );
  await page.keyboard.press("Escape");
  fails = false;
  await page.getByRole("link", { name: "Search" }).click();
  await page.getByRole("combobox", { name: "Search" }).fill("xyzzyx");
  await until(
    async () => /Nothing found/.test((await status.textContent()) ?? ""),
    "nothing is found",
  );
  await page.context().close();
});
