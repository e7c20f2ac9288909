// What holds for every page of the site, and for every lesson. Pages are found in the build, so a new
// one is tested from its first day.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { buildPage, page as built } from "../../scripts/page.js";
import { serve } from "../../scripts/serve.js";
import { project, setup } from "../../scripts/setup.js";
import { axeEverywhere, themes, violations } from "./axe.js";
import { until } from "../until.js";
import { openBrowser } from "./browser.js";
import { complaint, numbers } from "./controls.js";
import {
  actionFaults,
  addressFaults,
  codeFaults,
  controlFaults,
  exportFaults,
  questionFaults,
} from "./lessons.js";
import { frames, isAlike, nameOf, pages, settled } from "./pages.js";

/** @typedef {import("playwright-core").Page} Page */

const desktop = { width: 1280, height: 900 };
const phone = { width: 360, height: 740 };

await buildPage(await setup(["packages"]));
// From a folder above, since a static host may keep the site under any path.
const server = await serve(join(project, "build"));
const browser = await openBrowser();
const root = `${server.url}page/`;

after(async () => {
  await browser.close();
  await server.close();
});

/**
 * Opens a page and waits until it has come to rest. A dialog on it is a problem.
 *
 * @param {string} address
 * @param {Parameters<typeof browser.newPage>[0]} [options]
 */
async function open(address, options = {}) {
  const visit = await browser.newPage({ viewport: desktop, ...options });
  visit.page.on("dialog", (dialog) => {
    visit.problems.push(`dialog: ${dialog.message()}`);
    return dialog.dismiss();
  });
  await visit.page.goto(address);
  await settled(visit.page);
  return visit;
}

/** What reaches beyond the right edge without scrolling in a box of its own. @param {Page} page */
function stickingOut(page) {
  return page.evaluate(() => {
    const edge = document.documentElement.clientWidth + 0.5;
    /** @param {Element} element @returns {boolean} */
    const isClipped = ({ parentElement: parent }) =>
      parent !== null &&
      parent !== document.body &&
      (getComputedStyle(parent).overflowX !== "visible" || isClipped(parent));
    /** Where an element's box ends, and text that runs over it. @param {Element} element */
    const endOf = (element) => {
      const { left, right } = element.getBoundingClientRect();
      const isHtml = element instanceof HTMLElement; // a text of SVG counts what is beside it
      const runsOver = isHtml && getComputedStyle(element).overflowX === "visible";
      return scrollX + Math.max(right, runsOver ? left + element.scrollWidth : 0);
    };
    const out = [...document.body.querySelectorAll("*")]
      .filter((element) => element.checkVisibility() && !isClipped(element))
      .filter((element) => endOf(element) > edge)
      .map((element) => element.outerHTML.replace(/\s+/g, " ").slice(0, 120));
    const { scrollWidth } = document.documentElement;
    if (scrollWidth > edge) out.push(`the page is ${scrollWidth} px wide`);
    return out.slice(-4); // the innermost ones come last
  });
}

/** What a page says of itself, and where it leads. @param {Page} page */
function outline(page) {
  return page.evaluate(() => ({
    title: document.title,
    lang: document.documentElement.lang,
    mains: document.querySelectorAll("main").length,
    isLesson: "lesson" in document.body.dataset,
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

/** Pages at a time: the tests of other files run meanwhile. */
const concurrency = Math.max(1, Math.floor(availableParallelism() / 2));

describe("every page", { concurrency }, () => {
  for (const path of pages()) {
    const address = `${root}${path}`;

    test(nameOf(path), async (t) => {
      const { page, problems } = await open(address, { scripts: [axeEverywhere] });
      const { title, lang, mains, headings, isLesson, ids, links } = await outline(page);
      idsOf.set(address, new Set(ids));
      linksOf.set(path, links);

      await t.test("opens without a problem, with a title, a language and an outline", async () => {
        assert.ok(title.length > 10, `its title is "${title}"`);
        assert.ok(!titles.includes(title), `another page's title is "${title}" too`);
        titles.push(title);
        assert.equal(lang, "en");
        assert.equal(mains, 1);
        assert.deepEqual(headings.slice(0, 1), [1], "it begins with an h1");
        assert.equal(headings.filter((level) => level === 1).length, 1);
        headings.forEach((level, i) => {
          assert.ok(i === 0 || level <= headings[i - 1] + 1, `h${level} after h${headings[i - 1]}`);
        });
        assert.equal(new Set(ids).size, ids.length, "an id stands twice");
        assert.equal(await complaint(page), "");
        assert.deepEqual(problems, []);
      });

      await t.test("axe finds nothing, wide, in both themes", async () => {
        // once is enough for a page whose like is looked at in every way
        assert.deepEqual(await violations(page, isAlike(path) ? ["light"] : themes), []);
      });

      await t.test("prints its figures without its controls", async () => {
        await page.emulateMedia({ media: "print" });
        await frames(page);
        const { panels, missing } = await page.evaluate(() => {
          const printed = (/** @type {Element} */ each) => {
            const { width, height } = each.getBoundingClientRect();
            return each.checkVisibility() && width * height > 0;
          };
          const all = (/** @type {string} */ selector) => [...document.querySelectorAll(selector)];
          const name = (/** @type {Element} */ each) => each.outerHTML.slice(0, 100);
          const panels =
            "form[data-controls]:not(#settings) :is(input, select, textarea, button), .export";
          return {
            panels: all(panels).filter(printed).map(name),
            missing: all("figure")
              .filter((figure) => !printed(figure))
              .map(name),
          };
        });
        await page.emulateMedia({ media: "screen" });
        assert.deepEqual(panels, [], "controls would be printed");
        assert.deepEqual(missing, [], "figures would not be printed");
      });

      if (isLesson) await t.test("lesson", (t) => checkLesson(t, page, address));
      assert.deepEqual(problems, []);
      await page.context().close();

      await t.test(
        "on a phone: axe finds nothing, nothing sticks out or moves by itself",
        async (t) => {
          const options = { viewport: phone, reducedMotion: /** @type {const} */ ("reduce") };
          const { page, problems } = await open(address, { ...options, scripts: [axeEverywhere] });
          assert.deepEqual(await stickingOut(page), []);
          const moving = await page.evaluate(
            () =>
              document.getAnimations().filter(({ playState }) => playState === "running").length,
          );
          assert.equal(moving, 0, `${moving} animations run though motion is to be reduced`);
          if (!isAlike(path)) assert.deepEqual(await violations(page), []);
          assert.deepEqual(problems, []);
          await t.test("hostile text stays text", () => checkHostile(page, problems));
          await page.context().close();
        },
      );
    });
  }
});

const hostile = [
  '<img src=x onerror="alert(1)">',
  "javascript:alert(1)",
  "\u202eevil\u202c \u2066\u200f mark\u0000",
  "=cmd()|' /C calc'!A0, {{constructor}} ${alert(1)} __proto__",
  "word ".repeat(400),
  "W".repeat(2000),
  "",
];

/**
 * Hostile text in every field for text, and in the address that comes of it, stays text.
 * @param {Page} page @param {string[]} problems
 */
async function checkHostile(page, problems) {
  const fields = page
    .locator("main :is(input:not([type]), input[type=text], input[type=search], textarea)")
    .and(page.locator(":visible:enabled"))
    .and(page.locator(":not(.runnable *):not([data-question] *)"));
  if ((await fields.count()) === 0) return;
  const before = await numbers(page);
  for (const text of hostile) {
    const sketch = JSON.stringify(text.slice(0, 40));
    for (const field of await fields.all()) await field.fill(text);
    await settled(page);
    assert.deepEqual(await taken(page), [], `${sketch} does not stay text`);
    assert.deepEqual(await stickingOut(page), [], `something sticks out after ${sketch}`);
    assert.deepEqual(problems, [], `after ${sketch}`);
  }
  // The address follows after a pause; before that it holds one of the texts above.
  const address = () => decodeURIComponent(page.url()).replaceAll("+", " ");
  await until(() => !/word word|WWWW/.test(address()), "the last text is in the address");
  await page.reload();
  await settled(page);
  const whole = async () => (await numbers(page)).length === before.length;
  await until(whole, "all figures are there again");
  assert.deepEqual(await taken(page), []);
  assert.deepEqual(problems, []);
}

/** What of a hostile text became more than text, or turned the line round. @param {Page} page */
function taken(page) {
  return page.evaluate(() => {
    const markup = [...document.querySelectorAll('img[src="x"], a[href^="javascript:"]')];
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const { data, parentElement } = /** @type {Text} */ (texts.currentNode);
      const isAsTyped = !parentElement || parentElement.closest("pre, textarea, .wrong");
      const turns = /[\u202a-\u202e\u2066-\u2069\0]/.test(data);
      if (turns && !isAsTyped) markup.push(parentElement);
    }
    return markup.map((element) => element.outerHTML.slice(0, 200));
  });
}

/** @param {import("node:test").TestContext} t @param {Page} page @param {string} address */
async function checkLesson(t, page, address) {
  await t.test("every control changes a figure, and set back brings it back", async () => {
    assert.deepEqual(await controlFaults(page), []);
  });
  await t.test("every question judges every answer, and one is right", async () => {
    assert.deepEqual(await questionFaults(page), []);
  });
  await t.test("every figure's PNG, SVG, CSV and .npy arrive and can be read", async () => {
    const reader = await browser.newPage();
    assert.deepEqual(await exportFaults(page, reader.page), []);
    await reader.page.context().close();
  });
  await t.test("its code runs in its frame", async () => {
    assert.deepEqual(await codeFaults(page), []);
  });
  await t.test("long work can be begun and stopped", async () => {
    assert.deepEqual(await actionFaults(page), []);
  });
  await t.test("the address holds the controls", async () => {
    const fresh = await open(address);
    const again = async (/** @type {string} */ to) => {
      const visit = await open(to);
      return visit.page;
    };
    assert.deepEqual(await addressFaults(fresh.page, again), []);
    assert.deepEqual(fresh.problems, []);
    await fresh.page.context().close();
  });
}

test("every page: links within the site lead to a page and a place on it", () => {
  const faults = [];
  for (const [path, links] of linksOf) {
    for (const [written, link] of links) {
      const { origin, pathname, hash, href } = new URL(link);
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
