// What holds for every page of the site, and for every lesson: every-page.test.js and every-lesson.test.js test the
// pages of the build by it, so a new one is tested from its first day. What a page says of itself and where it leads is
// tested by tests/smoke.test.js. Pages of which others are made in the same way are tested in depth at night only
// (`isExample` in pages.js).

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { violations } from "./axe.js";
import { everyNth } from "../sample.js";
import { until } from "../until.js";
import { openSite } from "./open-site.js";
import { serveBuild } from "./site.js";
import { complaint, numbers } from "./controls.js";
import {
  actionFaults,
  addressFaults,
  codeFaults,
  copyFaults,
  controlFaults,
  exportFaults,
  questionFaults,
} from "./lessons.js";
import { frames, isAlike, isExample, isSweep, nameOf, openAnew, settled, unfold } from "./pages.js";

/** @typedef {import("playwright-core").Page} Page */
/** @typedef {{ width: number, height: number }} Size */

const desktop = { width: 1280, height: 900 };
const phone = { width: 360, height: 740 };

// From a folder above, since a static host may keep the site under any path.
const { server, browser } = await openSite(serveBuild);
const root = `${server.url}page/`;

// One page visits every address, since its window takes longer to open than most addresses.
const { page, problems } = await browser.newPage();
page.on("dialog", (dialog) => {
  problems.push(`dialog: ${dialog.message()}`);
  return dialog.dismiss();
});
const reader = await browser.newPage(); // reads what was exported

/**
 * Opens an address as a new reader, with nothing kept of what was done before, and waits until it has settled.
 * @param {string} address @param {Size} [viewport]
 */
async function open(address, viewport = desktop) {
  await page.emulateMedia({ media: "screen", colorScheme: "light" });
  await page.setViewportSize(viewport);
  await openAnew({ page, problems }, root, address.slice(root.length));
  await unfold(page);
}

/** Makes the window of the open page as narrow as a phone. */
async function narrow() {
  await page.setViewportSize(phone);
  await settled(page);
}

/** What reaches beyond the right edge outside of a scrolling box, and formulas that have to be scrolled. */
function stickingOut() {
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
    for (const formula of document.querySelectorAll(".formula-line")) {
      if (formula.scrollWidth > formula.clientWidth + 1)
        out.push(`a formula is ${formula.scrollWidth} px wide: ${formula.textContent}`);
    }
    return out.slice(-4); // the innermost ones come last
  });
}

/**
 * Tests pages in every way.
 * @param {string} title @param {string[]} paths
 */
export function testPages(title, paths) {
  describe(title, () => {
    for (const path of paths) test(nameOf(path), (t) => checkPage(t, path));
  });
}

/** Of the pages that are tested in depth, axe looks at every second on a phone, by day at the others wide. */
const isLookedAtNarrow = everyNth(2);

/** Whether a page is tested in depth: those that stand for others, and at night all. @param {string} path */
const isDeep = (path) => isSweep || isExample(path);

/** @param {import("node:test").TestContext} t @param {string} path */
async function checkPage(t, path) {
  const address = `${root}${path}`;
  await open(address);
  await t.test("opens without a problem", async () => {
    assert.equal(await complaint(page), "");
    assert.deepEqual(problems, []);
  });
  const isLesson = await page.evaluate(() => "lesson" in document.body.dataset);
  if (!isDeep(path)) return checkBriefly(t, path, isLesson);

  const isLooked = !isAlike(path) && isLookedAtNarrow();
  if (isSweep || !isLooked) {
    await t.test("axe finds nothing, wide", async () => {
      // once is enough for a page whose like is looked at in every way
      assert.deepEqual(await violations(page, isAlike(path) ? ["light"] : undefined), []);
    });
  }
  await t.test("prints its figures without its controls", checkPrint);
  if (isLesson) await t.test("lesson", (t) => checkLesson(t, address));
  assert.deepEqual(problems, []);

  await t.test(
    `on a phone: ${isLooked ? "axe finds nothing, and " : ""}nothing overflows or moves by itself`,
    async (t) => {
      await (isSweep || isLesson ? open(address, phone) : narrow()); // controls changed a lesson
      assert.deepEqual(await stickingOut(), []);
      assert.equal(await moving(), 0, "animations run though motion is to be reduced");
      if (isLooked) assert.deepEqual(await violations(page), []);
      assert.deepEqual(problems, []);
      await t.test("hostile text stays text", checkHostile);
    },
  );
}

/** How many animations run. */
function moving() {
  return page.evaluate(
    () => document.getAnimations().filter(({ playState }) => playState === "running").length,
  );
}

/**
 * What takes little time: for the pages that others stand for.
 * @param {import("node:test").TestContext} t @param {string} path @param {boolean} isLesson
 */
async function checkBriefly(t, path, isLesson) {
  if (isLesson) {
    await t.test("a control changes a figure, and set back brings it back", async () => {
      assert.deepEqual(await controlFaults(page, 1), []);
    });
    await t.test("some questions judge every answer, and one is right", async () => {
      assert.deepEqual(await questionFaults(page, 1 / 12), []);
    });
  }
  await t.test("as narrow as a phone: nothing overflows or moves by itself", async () => {
    await narrow();
    assert.deepEqual(await stickingOut(), []);
    assert.equal(await moving(), 0, "animations run though motion is to be reduced");
  });
  assert.deepEqual(problems, []);
}

async function checkPrint() {
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
      missing: all("figure:not(.file:is([hidden], [hidden] *))") // files wait for a reader
        .filter((figure) => !printed(figure))
        .map(name),
    };
  });
  await page.emulateMedia({ media: "screen" });
  assert.deepEqual(panels, [], "controls would be printed");
  assert.deepEqual(missing, [], "figures would not be printed");
}

const script = "javascript:alert(1)";
const code = [
  '<img src=x onerror="alert(1)">',
  "\u202eevil\u202c \u2066\u200f mark\u0000",
  "=cmd()|' /C calc'!A0, {{constructor}} ${alert(1)} __proto__",
];
const long = "W".repeat(2000);

/** Each by itself at night; in a change's run those that may become code in one text. */
const hostile = isSweep
  ? [script, ...code, "word ".repeat(400), long, ""]
  : [[`${script}//`, ...code].join(" "), long, ""];

/** Hostile text in every field for text, and in the resulting address, stays text. */
async function checkHostile() {
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
    assert.deepEqual(await taken(), [], `${sketch} does not stay text`);
    assert.deepEqual(await stickingOut(), [], `something overflows after ${sketch}`);
    assert.deepEqual(problems, [], `after ${sketch}`);
  }
  // The address follows after a pause; before that it may hold any of the texts, whichever came last before a pause.
  const address = () => decodeURIComponent(page.url()).replaceAll("+", " ");
  const held = () => hostile.filter((text) => text && address().includes(text.slice(0, 8)));
  await until(() => held().length === 0, "the address holds none of the texts before the last");
  await page.reload();
  await settled(page);
  // A page that loads slowly may have shown some of its figures only after they were counted.
  const isWhole = async () => (await numbers(page)).length >= before.length;
  await until(isWhole, `all ${before.length} figures are there again`);
  assert.deepEqual(await taken(), []);
  assert.deepEqual(await stickingOut(), []);
  assert.deepEqual(problems, []);
}

/** What of a hostile text became more than text, or turned the line round. */
function taken() {
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

/** @param {import("node:test").TestContext} t @param {string} address */
async function checkLesson(t, address) {
  await t.test("every control changes a figure, and set back brings it back", async () => {
    assert.deepEqual(await controlFaults(page), []);
  });
  await t.test("every question judges every answer, and one is right", async () => {
    assert.deepEqual(await questionFaults(page), []);
  });
  await t.test("the figures' PNG, SVG, CSV and .npy arrive and can be read", async () => {
    const of = isSweep ? "every figure" : "a figure of each kind";
    assert.deepEqual(await exportFaults(page, reader.page, { of }), []);
  });
  await t.test("the code runs in the frame", async () => {
    assert.deepEqual(await codeFaults(page), []);
  });
  await t.test("the code that Copy gives runs in Node", async () => {
    assert.deepEqual(await copyFaults(page), []);
  });
  await t.test("long work can be started and stopped", async () => {
    assert.deepEqual(await actionFaults(page), []);
  });
  assert.deepEqual(problems, []);
  await t.test("the address holds the controls", async () => {
    await open(address);
    assert.deepEqual(await addressFaults(page, open), []);
    assert.deepEqual(problems, []);
  });
}
