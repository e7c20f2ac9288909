// One visit to every page of the site, in one Chromium: it loads, settles, reports no problem, has a title, a
// language and an outline, leads to places that are there, and fits on a phone. What else holds for every page is
// tested by tests/pages/every-page.test.js and every-lesson.test.js. More than 20 s of CPU: there are some 100 pages.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { page as built } from "../scripts/site/page.js";
import { project } from "../scripts/setup/setup.js";
import { openBrowser } from "./pages/browser.js";
import { serveBuild } from "./pages/site.js";
import { isAlike, nameOf, pages, settled } from "./pages/pages.js";

/** @typedef {import("playwright-core").Page} Page */

// From a folder above, since a static host may keep the site under any path.
const server = await serveBuild();
const browser = await openBrowser();
const root = `${server.url}page/`;

after(async () => {
  await browser.close();
  await server.close();
});

/** What a page says of itself, and where it leads. @param {Page} page */
function outline(page) {
  return page.evaluate(() => ({
    title: document.title,
    lang: document.documentElement.lang,
    icons: document.querySelectorAll("link[rel=icon]").length,
    mains: document.querySelectorAll("main").length,
    headings: [...document.querySelectorAll("h1, h2, h3, h4, h5, h6")].map((heading) =>
      Number(heading.tagName.slice(1)),
    ),
    ids: Array.from(document.querySelectorAll("[id]"), ({ id }) => id),
    links: Array.from(document.querySelectorAll("a[href]"), (link) => [
      link.getAttribute("href") ?? "",
      /** @type {HTMLAnchorElement} */ (link).href,
    ]),
  }));
}

/** The ids of every page, for links into it. @type {Map<string, Set<string>>} */
const idsOf = new Map();
/** The links of every page, as written and as an address. @type {Map<string, string[][]>} */
const linksOf = new Map();

/** @type {string[]} */
const titles = [];

/** Each page of the site is visited as if for the first time. */
const forgetful =
  "if (self === top) for (const kept of [localStorage, sessionStorage]) kept.clear();";

const wide = { width: 1280, height: 720 };
const phone = { width: 360, height: 740 };

const concurrency = availableParallelism();

/** Pages of the browser, one for each visit at a time: a new one takes longer than most visits. */
const free = await Promise.all(
  Array.from({ length: concurrency }, () => browser.newPage({ scripts: [forgetful] })),
);

/** @param {string} path @param {import("./pages/browser.js").Visit} visit */
async function check(path, { page, problems }) {
  const address = `${root}${path}`;
  problems.length = 0;
  await page.setViewportSize(wide);
  const response = await page.goto(address);
  assert.equal(response?.status(), 200);
  await settled(page);
  const { title, lang, icons, mains, headings, ids, links } = await outline(page);
  idsOf.set(address, new Set(ids));
  linksOf.set(path, links);
  assert.ok(title.length > 10, `its title is "${title}"`);
  assert.ok(!titles.includes(title), `another page's title is "${title}" too`);
  titles.push(title);
  assert.equal(lang, "en");
  assert.equal(icons, 1, "without an icon, browsers ask for /favicon.ico");
  assert.equal(mains, 1);
  assert.deepEqual(headings.slice(0, 1), [1], "it begins with an h1");
  assert.equal(headings.filter((level) => level === 1).length, 1);
  headings.forEach((level, i) => {
    assert.ok(i === 0 || level <= headings[i - 1] + 1, `h${level} after h${headings[i - 1]}`);
  });
  assert.equal(new Set(ids).size, ids.length, "an id is repeated");
  if (!isAlike(path)) {
    await page.setViewportSize(phone);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= phone.width, `it is ${width} px wide on a phone of ${phone.width}`);
  }
  assert.deepEqual(problems, []);
}

describe("smoke: every page loads, settles and reports no problem", { concurrency }, () => {
  for (const path of pages()) {
    test(nameOf(path), async () => {
      const visit = free.pop() ?? assert.fail("no page is free");
      await check(path, visit).finally(() => free.push(visit));
    });
  }
});

test("smoke: links within the site lead to an existing page and anchor", () => {
  const faults = [];
  for (const [path, links] of linksOf) {
    for (const [written, link] of links) {
      const { origin, pathname, hash, href } = new URL(link);
      if (href.startsWith("blob:")) continue; // a file that the page has made
      if (origin !== new URL(root).origin) {
        if (!href.startsWith("https://")) faults.push(`${nameOf(path)}: ${written}`);
        continue;
      }
      const file = join(project, "build", decodeURIComponent(pathname));
      const inside = file.startsWith(built);
      const target = pathname.endsWith("/") ? join(file, "index.html") : file;
      if (!inside || !existsSync(target)) faults.push(`${nameOf(path)}: ${written} leads nowhere`);
      const ids = idsOf.get(`${origin}${pathname}`);
      const anchor = decodeURIComponent(hash.slice(1));
      const isState = anchor.includes("="); // the address of a picture, no place
      if (ids && anchor && !isState && !ids.has(anchor)) {
        faults.push(`${nameOf(path)}: ${written} leads to no place on its page`);
      }
    }
  }
  assert.deepEqual(faults, []);
});
