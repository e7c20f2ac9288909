// What a first reader can leave out of a lesson is folded under "More", and opens where it is needed.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { atNight } from "../sample.js";
import { parseHTML } from "linkedom";
import { page as built } from "../../scripts/site/page.js";
import { layout } from "../../web/template/layout.js";
import { expand } from "../../web/template/expand.js";
import { until } from "../until.js";
import { isLesson, openAnew, pages, settled } from "./pages.js";
import { openSite } from "./open-site.js";

const { server, browser } = await openSite();
const visit = await browser.newPage();
const { page, problems } = visit;

/** A lesson with two folded sections and folded asides. */
const LESSON = "lessons/trained-table/";

/** @param {string} query */
async function open(query = "") {
  await page.emulateMedia({ media: "screen" });
  await openAnew(visit, server.url, `${LESSON}${query}`);
}

/** The titles of what is folded. @param {string} [which] */
const folds = (which = "") =>
  page
    .locator(`details.more${which} > summary`)
    .evaluateAll((all) => all.map((each) => each.textContent ?? ""));

const bias = page.locator("section:has(#bias-title)");
const question = page.locator('[data-question="bias"]');

test("lessons open with their asides and advanced sections folded", async () => {
  await open();
  const all = await folds();
  assert.ok(all.length >= 4, all.join("\n"));
  for (const title of all) assert.match(title, /^More: \S/);
  assert.deepEqual(await folds("[open]"), []);
  assert.equal(await question.isVisible(), false);
  assert.ok(await page.locator("#bias-title").isVisible(), "a heading is never folded");
  assert.deepEqual(problems, []);
});

test("the Tab key reaches a fold and Enter opens it, with its question and its figure", async () => {
  await open();
  await page.locator("#bias-title a").focus();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await question.waitFor();
  const figure = page.locator("#leaning .phasor-picture");
  const width = (await figure.boundingBox())?.width ?? 0;
  assert.ok(width > 300, `its figure is ${width} px wide`);
  const [words, stage] = await Promise.all(
    [question, figure].map((each) => each.boundingBox().then((box) => box?.x ?? 0)),
  );
  assert.ok(stage > words + 300, "wide windows have figures beside the text");
  assert.deepEqual(problems, []);
});

test("a link to a section, to a figure or to a question opens what is folded there", async () => {
  await open("?section=bias-title");
  const isAtTop = async () => Math.abs((await bias.boundingBox())?.y ?? Infinity) < 100;
  await until(isAtTop, "the section is at the top");
  assert.ok(await question.isVisible());
  assert.equal((await folds("[open]")).length, 1, "the others stay folded");
  await open("?show=leaning");
  const figure = page.locator("#leaning");
  await until(
    async () => ((await figure.boundingBox())?.y ?? Infinity) < 200,
    "the figure is there",
  );
  assert.ok(await figure.isVisible());
  await open();
  await page
    .locator(".rail-of-questions button")
    .nth(4)
    .evaluate((dot) => /** @type {HTMLElement} */ (dot).click());
  await until(() => question.locator("input").first().evaluate((each) => each.matches(":focus")), "the question has the focus"); // prettier-ignore
  assert.deepEqual(problems, []);
});

test("the search finds folded words and opens the section of a hit", async () => {
  await open();
  await page.keyboard.press("/");
  const input = page.getByRole("dialog").getByRole("combobox");
  await input.fill("occupations he she");
  const hit = page.getByRole("option", { name: "Has the table learned prejudices?" });
  await hit.first().click();
  await question.waitFor();
  await settled(page);
  assert.deepEqual(problems, []);
});

test(
  "print, worksheets, answers and embedded figures have what is folded; slides if asked",
  atNight,
  async () => {
    await open();
    await page.emulateMedia({ media: "print" });
    const isShown = (/** @type {Element} */ each) => each.checkVisibility();
    const hidden = await page
      .locator("details.more > p")
      .evaluateAll((all) =>
        all.filter((each) => !each.checkVisibility()).map((each) => each.outerHTML),
      );
    assert.deepEqual(hidden, []);
    assert.ok(await page.locator("#leaning").evaluate(isShown), "its figure is printed");
    for (const mode of ["worksheet", "key", "embed=leaning"]) {
      await open(`?${mode}`);
      const what = mode.startsWith("embed") ? page.locator("#leaning .phasor-picture") : question;
      assert.ok(await what.isVisible(), mode);
    }
    const titles = async () => {
      const button = page.getByRole("button", { name: "Next" });
      const all = await button.evaluate(async (next) => {
        const seen = new Set();
        for (;;) {
          for (const each of document.querySelectorAll("main h2"))
            if (each.checkVisibility()) seen.add(/** @type {HTMLElement} */ (each).innerText);
          for (const each of document.querySelectorAll(".more > summary"))
            if (each.checkVisibility()) seen.add("a summary");
          if (next.matches(":disabled")) return [...seen];
          /** @type {HTMLElement} */ (next).click();
          await new Promise(requestAnimationFrame);
        }
      });
      return new Set(all);
    };
    const title = "Has the table learned prejudices?";
    await open("?present");
    const few = await titles();
    await open("?present=exercises");
    const many = await titles();
    assert.deepEqual(
      [few.has(title), many.has(title), many.has("a summary")],
      [false, true, false],
    );
    assert.deepEqual(problems, []);
  },
);

test("figures are folded with all of their section, or the build fails", () => {
  const section = (/** @type {string} */ before) =>
    layout(
      `<title>T</title><meta name="description" content="d" /><h1>T</h1><p class="lead">L</p>
       ${expand(`<section><h2 id="a-title">A</h2>${before}<x-more about="b"><p>B</p><x-figure name="f"></x-figure></x-more></section>`)}`,
      "lessons/rope/index.html",
    );
  const { document } = parseHTML(section(""));
  assert.deepEqual(
    [...(document.querySelector("details.more")?.children ?? [])].map((each) => each.className || each.localName), // prettier-ignore
    ["summary", "beat beside"],
  );
  assert.throws(() => section("<p>C</p>"), /all of its section but the heading; got More: b/);
});

test("no lesson has an aside that is not folded", () => {
  const loose = pages()
    .filter(isLesson)
    .flatMap((path) => {
      const { document } = parseHTML(readFileSync(join(built, path, "index.html"), "utf8"));
      return [...document.querySelectorAll("main .aside")].map(
        (each) => `${path}: ${each.textContent?.trim().slice(0, 60)}`,
      );
    });
  assert.deepEqual(loose, []);
});
