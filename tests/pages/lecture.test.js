// More than 20 s of CPU: slides of seven lessons are turned, each fitted until its figures are still.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { generate } from "lean-qr";
import { page as built } from "../../scripts/site/page.js";
import { lessons } from "../../web/lessons/lessons.js";
import { glossary } from "../../web/template/glossary.js";
import { atNight, everyNth, sampled } from "../sample.js";
import { violations } from "./axe.js";
import { bytesOf } from "./browser.js";
import { openSite } from "./open-site.js";
import { openAnew, pages, settled } from "./pages.js";

const { server, browser } = await openSite();

const visit = await browser.newPage();

/**
 * Opens an address as a new reader, in the one page of all tests.
 * @param {string} path
 * @param {{ viewport?: { width: number, height: number }, colorScheme?: "light" | "dark" }} [options]
 */
async function open(path, { viewport, colorScheme = "light" } = {}) {
  await visit.page.setViewportSize(viewport ?? { width: 1280, height: 720 });
  await visit.page.emulateMedia({ media: "screen", colorScheme });
  await openAnew(visit, server.url, path);
  return visit;
}

const LESSON = "lessons/sinusoidal/";

/** Lessons whose goals or leads answer one of their questions. */
const GIVEN_AWAY = ["order", "rope", "training"];

test("embed: one figure with the controls that it reads and a credit, in 700 x 420, without waiting", async () => {
  const { page, problems } = await open(`${LESSON}?embed=matrix#shift=7`, {
    viewport: { width: 700, height: 420 },
  });
  const names = await page
    .locator("[name]:visible")
    .evaluateAll((all) => all.map((each) => /** @type {HTMLInputElement} */ (each).name));
  assert.deepEqual(names, ["dim", "base", "shift"]);
  const figures = page.locator(".phasor-figure:visible");
  assert.equal(await figures.count(), 1);
  assert.match(await figures.innerText(), /k = 7/);
  const box = await figures.locator(".phasor-picture").boundingBox();
  assert.ok(box && box.y < 60, "the picture comes first");
  assert.equal(
    await page.locator(".cover, .site, h2:visible").count(),
    1,
    "the hidden header alone",
  );
  await page.locator('[name="shift"]').fill("9");
  await settled(page);
  assert.match(await figures.innerText(), /k = 9/);
  assert.deepEqual(await figures.locator(".phasor-picture").boundingBox(), box);
  const credit = page.locator(".credit a");
  await credit.hover();
  await page.waitForFunction(() => location.hash.includes("shift=9"));
  await credit.focus();
  assert.match((await credit.getAttribute("href")) ?? "", /\?show=matrix#.*shift=9/);
  assert.deepEqual(problems, []);
});

test(
  "embed: every figure that offers its code fits with its controls into 700 x 420",
  atNight,
  async () => {
    const viewport = { width: 700, height: 420 };
    const { page, problems } = await open("teaching/", { viewport });
    const said = await page.locator("section:has(#embed-title)").innerText();
    const promise = "fits into 700 × 420 pixels; numbers and export open from a menu";
    assert.ok(said.replaceAll("\n", " ").includes(promise), said);
    const embedded = pages().flatMap((path) =>
      figuresOf(path).map((name) => /** @type {const} */ ([path, name])),
    );
    assert.ok(embedded.length > 100, `${embedded.length} figures`);
    for (const [path, name] of embedded) {
      await page.goto(`${server.url}${path}?embed=${name}`);
      await settled(page);
      assert.equal(await page.locator(".phasor-figure:visible").count(), 1, `${path} ${name}`);
      const size = await page.evaluate(() => {
        const { scrollWidth, scrollHeight } = document.documentElement;
        return [scrollWidth, scrollHeight, document.body.getBoundingClientRect().height];
      });
      assert.ok(size[0] <= 700 && Math.max(size[1], size[2]) <= 420, `${path} ${name}: ${size}`);
    }
    assert.deepEqual(problems, []);
  },
);

/** The figures of a page that can be embedded. Guides draw theirs once, without a page's runtime. @param {string} path */
function figuresOf(path) {
  if (path.startsWith("guides/")) return [];
  const text = readFileSync(join(built, path, "index.html"), "utf8");
  return [...text.matchAll(/ data-figure="([^"]+)"/g)].map(([, name]) => name);
}

test("embed: many controls, numbers and export open over the figure, and Escape closes them", async () => {
  const { page, problems } = await open("lessons/longer-context/?embed=wavelengths", {
    viewport: { width: 700, height: 420 },
  });
  assert.equal(await page.locator("[name]:visible").count(), 0);
  const menus = page.locator(".embed-menu");
  assert.deepEqual(await menus.locator("summary").first().innerText(), "Controls");
  await menus.first().locator("summary").first().click();
  const control = page.locator('[name="factor"]:visible');
  assert.equal(await control.count(), 1);
  const panel = await page.locator(".embed-panel:visible").boundingBox();
  assert.ok(panel && panel.y >= 0 && panel.y + panel.height <= 420, JSON.stringify(panel));
  await control.focus();
  await page.keyboard.press("Escape");
  assert.equal(await page.locator("[name]:visible").count(), 0);
  await menus.nth(1).locator("summary").first().click();
  await page.locator(".export > summary:visible").click();
  await page.locator(".export button:visible", { hasText: "SVG" }).waitFor();
  assert.deepEqual(problems, []);
});

test("embed: long work of a figure can be started beside it", async () => {
  const { page, problems } = await open("lessons/training/?embed=loss", {
    viewport: { width: 700, height: 420 },
  });
  const picture = await page.locator("#loss .phasor-picture").boundingBox();
  assert.ok(picture && picture.height > 250, "the button takes no room from the picture");
  const points = () =>
    page
      .locator("#loss > figure")
      .evaluate((each) => /** @type {any} */ (each).csv().split("\n").length);
  const before = await points();
  const action = page.locator("[data-action]:visible");
  assert.equal(await action.count(), 1);
  await action.locator(".begin").click();
  await settled(page);
  assert.ok((await points()) > before);
  assert.deepEqual(problems, []);
});

test("embed: a map keeps the height of its frame when its words change", atNight, async () => {
  const { page } = await open("lessons/trained-table/?embed=map", {
    viewport: { width: 700, height: 420 },
  });
  const height = async () =>
    (await page.locator(".phasor-figure:visible .phasor-picture").boundingBox())?.height;
  const first = await height();
  assert.ok(first && first > 200, `${first} px can be read`);
  await page.evaluate(() => {
    for (const control of document.querySelectorAll("form[data-controls] select")) {
      const select = /** @type {HTMLSelectElement} */ (control);
      if (!select.checkVisibility()) continue;
      select.selectedIndex = (select.selectedIndex + 1) % select.options.length;
      select.dispatchEvent(new Event("input", { bubbles: true }));
    }
  });
  await settled(page);
  assert.equal(await height(), first);
});

test("embed: the outer page receives the height, and an unknown figure is reported", async () => {
  const { page } = await open("about/");
  const heights = await page.evaluate(async (address) => {
    const heard = new Promise((next) =>
      addEventListener(
        "message",
        ({ data }) => data?.type === "phasor-resize" && next(data.height),
      ),
    );
    const frame = document.createElement("iframe");
    frame.src = address;
    document.body.append(frame);
    return heard;
  }, `${server.url}${LESSON}?embed=waves`);
  assert.ok(Number(heights) > 100, String(heights));
  await open(`${LESSON}?embed=nothing`);
  assert.equal(await page.locator("main").innerText(), "This page has no figure named nothing.");
});

test("the front page has no uncaught error, whatever its query is", async () => {
  const isWanted = everyNth(7);
  for (const show of ["", "a%22%5D%3Cb", "__proto__"]) {
    for (const mode of ["embed=sum", "embed=%22%5D", "present&worksheet", "key&present=x"]) {
      if (!isWanted()) continue;
      const { page, problems } = await open(`?show=${show}&section=${show}&${mode}`);
      await page.keyboard.press("ArrowRight");
      assert.deepEqual(problems, [], `?show=${show}&${mode}`);
    }
  }
});

/** What is on a slide. @param {import("playwright-core").Page} page */
const slide = (page) =>
  page.evaluate(() => {
    const { scrollHeight, scrollWidth, clientWidth } = document.documentElement;
    const isShown = (/** @type {Element} */ each) => each.checkVisibility();
    const all = (/** @type {string} */ at) => [...document.querySelectorAll(at)].filter(isShown);
    return {
      title: all("main :is(h1, h2)").map((each) => /** @type {HTMLElement} */ (each).innerText),
      over: Math.max(scrollHeight - innerHeight, scrollWidth - clientWidth),
      left: all("main :is(.task, .code-fold, .aside:not([data-after]), [data-kind=exercise])")
        .length,
      questions: all("main [data-question]").length,
      figures: all("main .phasor-figure").map((each) => each.getBoundingClientRect().width),
      isEmpty: all("main [data-block]").length === 0,
    };
  });

test(
  "present: a slide is a question, a figure or a conclusion, and fits into 1024 x 768",
  atNight,
  async () => {
    const { page, problems } = await open(LESSON, { viewport: { width: 1024, height: 768 } });
    for (const name of ["order", "sinusoidal", "rope"]) {
      await page.goto(`${server.url}lessons/${name}/?present`);
      await settled(page);
      const next = page.getByRole("button", { name: "Next" });
      /** @type {Awaited<ReturnType<typeof slide>>[]} */
      const seen = [];
      while (true) {
        const question = page.locator("[data-question]:visible");
        const isAsked = (await question.count()) > 0;
        if (isAsked && (await question.locator("input[type=radio]").count())) {
          await question.locator("input[type=radio]").first().check();
          await question.locator(".ask").click();
          await question.locator("[data-right]").waitFor();
        }
        await settled(page);
        const shown = await slide(page);
        seen.push(shown);
        /** @type {string} */
        const which = `${name}, slide ${seen.length}: ${JSON.stringify(shown)}`;
        assert.ok(shown.over <= 0, which);
        assert.deepEqual([shown.left, shown.isEmpty], [0, false], which);
        assert.ok(shown.questions + Math.sign(shown.figures.length) <= 1, which);
        assert.ok(shown.figures.length !== 1 || shown.figures[0] > 800, which);
        if (await next.isDisabled()) break;
        await page.keyboard.press("PageDown"); // also with the focus on an option
      }
      assert.ok(seen.length >= 8, `${name} has ${seen.length} slides`);
      assert.deepEqual(seen.at(-1)?.title, ["What to remember"]);
    }
    await page.goto(`${server.url}${LESSON}?present=exercises`);
    await settled(page);
    await page.keyboard.press("End");
    await page.keyboard.press("PageUp");
    assert.deepEqual((await slide(page)).title, ["Exercises"]);
    assert.deepEqual(problems, []);
  },
);

test("present: a figure is beside what sets it, and level with the one that it is compared with", async () => {
  const { page, problems } = await open("lessons/lookup/?present", {
    viewport: { width: 1920, height: 1080 },
  });
  const until = async (/** @type {string} */ figure) => {
    while (!(await page.locator(figure).isVisible())) await page.keyboard.press("PageDown");
    await settled(page);
    const fields = await page.locator("[data-controls] [name]:visible, .begin:visible").all();
    return Promise.all(fields.map((each) => each.evaluate((e) => e.getAttribute("name") ?? "go")));
  };
  const box = async (/** @type {string} */ name) =>
    (await page.locator(`#${name} .phasor-picture`).boundingBox()) ?? assert.fail(name);
  assert.deepEqual(await until("#sum"), ["token", "done"]);
  assert.equal(await page.locator(":is(#table, #products):visible").count(), 2);
  assert.ok((await box("table")).width > 600); // its type grows with the screen
  await page.goto(`${server.url}lessons/training/?present`);
  await settled(page);
  assert.deepEqual(await until("#after"), ["window", "negatives", "dim", "seed", "go"]);
  const [before, after] = [await box("before"), await box("after")];
  assert.deepEqual([after.y, after.height, after.width], [before.y, before.height, before.width]);
  const cells = await page.locator("#before canvas").first().boundingBox();
  assert.ok(cells && Math.abs(cells.width / cells.height - 1) < 0.05, JSON.stringify(cells));
  await page.goto(`${server.url}lessons/longer-context/?present`);
  await settled(page);
  assert.ok((await until("#slowed")).includes("factor"), "of another section");
  assert.deepEqual(problems, []);
});

test("present: in 1280 x 720 figures are large, heads of a bias square, and names of bars apart", async () => {
  const { page, problems } = await open("about/");
  /** The cells and names of the first slide with a figure. @param {string} lesson @param {string} figure */
  const shown = async (lesson, figure) => {
    await page.goto(`${server.url}lessons/${lesson}/?present`);
    await settled(page);
    await page.evaluate(() => {
      for (const each of document.querySelectorAll("[data-after]")) each.removeAttribute("hidden");
    });
    while (!(await page.locator(figure).isVisible())) await page.keyboard.press("PageDown");
    await settled(page);
    return page.evaluate(() => ({
      zoom: Number(document.querySelector("main")?.style.zoom),
      over: document.documentElement.scrollHeight - innerHeight,
      words: [...document.querySelectorAll("main .words > p")].filter((e) => e.checkVisibility())
        .length,
      cells: [...document.querySelectorAll("main .phasor-raster")]
        .filter((e) => e.checkVisibility())
        .map((e) => e.getBoundingClientRect())
        .map(({ width, height }) => [width, height]),
      names: [...document.querySelectorAll('main [aria-label="y-axis tick label"] text')]
        .filter((e) => e.checkVisibility())
        .map((e) => e.getBoundingClientRect().top),
    }));
  };
  const three = await shown("lookup", "#sum");
  const after = await page.evaluate(async () => {
    const fact = /** @type {HTMLElement} */ (document.querySelector('main [data-fact="gap"]'));
    for (let i = 0; i < 20; ++i) {
      await new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next)));
      fact.textContent = "Still being computed. ".repeat(i < 19 ? 1 : 20);
    }
    for (let i = 0; i < 9; ++i) await new Promise((next) => requestAnimationFrame(next));
    return document.documentElement.scrollHeight - innerHeight;
  });
  assert.ok(after <= 0, `${after} px too high after 20 changes, as training makes them`);
  assert.equal(three.cells.length, 3);
  assert.ok(three.zoom > 0.7 && three.over <= 0, JSON.stringify(three));
  const alike = await shown("lookup", "#alike");
  assert.ok(alike.words > 0 && alike.cells[0][1] > 140, JSON.stringify(alike));
  const { names } = await shown("lookup", "#sizes");
  assert.ok(
    names.length > 8 && names.every((y, i) => i === 0 || y - names[i - 1] > 12),
    `${names}`,
  );
  const { zoom } = await shown("which-one", '[data-after="extrapolates"]');
  assert.ok(zoom > 0.7, "four tables are scrolled");
  await page.setViewportSize({ width: 1920, height: 1080 });
  for (const [lesson, figure] of [
    ["alibi", "#penalties"],
    ["t5-bias", "#bias"],
  ]) {
    const { cells, over } = await shown(lesson, figure);
    for (const [width, height] of cells.slice(-4)) assert.ok(Math.abs(width / height - 1) < 0.05);
    assert.ok(cells.length >= 4 && over <= 0, `${lesson}: ${cells}`);
  }
  assert.deepEqual(problems, []);
});

test("present: keys and buttons turn; arrows belong to a slider, Page Up and Page Down never do", async () => {
  const { page, problems } = await open(LESSON);
  const question = page.locator('[data-question="shift"]');
  await question.locator("input").nth(1).check();
  await question.locator(".ask").click();
  await question.locator("[data-right]").waitFor();
  await page.goto(`${server.url}${LESSON}?present`);
  await settled(page);
  const title = () => page.locator("main :is(h1, h2):visible").allInnerTexts();
  const count = () => page.getByLabel("Slide", { exact: true }).innerText();
  assert.deepEqual(await title(), ["Sinusoids"]);
  assert.match(await count(), /^1 \//);
  await page.keyboard.press("ArrowRight");
  assert.deepEqual(await title(), ["Which numbers does a position get?"]);
  await page.keyboard.press("End");
  assert.deepEqual(await title(), ["What to remember"]);
  assert.ok(await page.getByRole("button", { name: "Next" }).isDisabled());
  assert.equal(await page.locator("[data-right]").count(), 0);
  const slider = page.locator('[name="length"]');
  await page.keyboard.press("Home");
  while (!(await slider.isVisible())) await page.getByRole("button", { name: "Next" }).click();
  const here = await count();
  const value = Number(await slider.inputValue());
  await slider.focus();
  await page.keyboard.press("ArrowRight");
  assert.deepEqual([await count(), Number(await slider.inputValue())], [here, value + 8]);
  await page.keyboard.press("PageDown");
  assert.equal(Number(await slider.inputValue()), value + 8);
  assert.notEqual(await count(), here);
  await page.keyboard.press("PageUp");
  assert.equal(await count(), here);
  await page.reload();
  await settled(page);
  assert.equal(await count(), here);
  await page.keyboard.press("Escape");
  await page.waitForURL((url) => !url.searchParams.has("present"));
  await settled(page);
  const top = (await page.locator("#waves-title").boundingBox())?.y ?? -1;
  assert.ok(top >= 0 && top < 200, `the section of the slide is at ${top}`);
  await page.locator('[data-question="shift"] [data-right="true"]').waitFor();
  assert.deepEqual(problems, []);
});

test("present: a QR code leads to the section that is shown", async () => {
  const { page, problems } = await open(`${LESSON}?present`, { colorScheme: "dark" });
  await page.keyboard.press("ArrowRight");
  await page.getByRole("button", { name: "QR code" }).click();
  const dialog = page.getByRole("dialog", { name: "QR code" });
  const address = await dialog.locator("p").innerText();
  assert.equal(address, `${server.url}${LESSON}?section=waves-title`);
  const { size } = generate(address);
  const drawn = dialog.locator("path");
  const cells = (await drawn.getAttribute("d"))?.split("M").length ?? 0;
  assert.ok(
    cells > size * size * 0.3 && cells < size * size * 0.7,
    `${cells} of ${size} x ${size}`,
  );
  assert.ok(await dialog.getByRole("img", { name: `QR code of ${address}` }).isVisible());
  await page.keyboard.press("Escape");
  assert.equal(await dialog.isVisible(), false);
  assert.ok(page.url().includes("?present"), "Escape has closed the code alone");
  assert.deepEqual(problems, []);
});

test("present: the theme can be switched on a slide", async () => {
  const { page, problems } = visit; // on the slide of the test before
  const paper = () =>
    page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  const dark = await paper();
  await page.getByRole("button", { name: "Use the light theme" }).click();
  assert.notEqual(await paper(), dark);
  await page.getByRole("button", { name: "Use the dark theme" }).click();
  assert.equal(await paper(), dark);
  assert.deepEqual(problems, []);
});

test("present: raised hands are counted beside the options and select none of them", async () => {
  const { page, problems } = visit; // as the tests before have left it
  const question = page.locator('[data-question="first"]');
  while (!(await question.isVisible())) await page.keyboard.press("ArrowRight");
  const hands = (/** @type {string} */ letter) =>
    question.getByRole("spinbutton", { name: `Hands for ${letter}` });
  await hands("A").fill("6");
  await hands("B").focus();
  await page.keyboard.type("18");
  await page.keyboard.press("Tab");
  assert.deepEqual(await question.locator(".votes output").allInnerTexts(), [
    "25 %",
    "75 %",
    "0 %",
  ]);
  const widths = await question
    .locator(".share-rail")
    .evaluateAll((rails) =>
      rails.map((rail) => (rail.firstElementChild?.clientWidth ?? 0) / rail.clientWidth),
    );
  assert.ok(Math.abs(widths[1] / widths[0] - 3) < 0.1);
  assert.equal(await question.locator("input[type=radio]:checked").count(), 0);
  assert.ok(await question.locator(".ask").isDisabled(), "hands are no answer");
  await page.getByRole("button", { name: "Back" }).focus();
  const found = await violations(page);
  assert.deepEqual(
    found.filter((each) => !each.includes("page-has-heading-one")), // it is on the first slide
    [],
  );
  await page.setViewportSize({ width: 360, height: 740 });
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= 360));
  assert.deepEqual(problems, []);
});

test("worksheet: no answer is shown, there is room to write, and sections follow one another", async () => {
  const { page, problems } = await open(`${LESSON}?worksheet`);
  assert.equal(await page.locator(":is(.outcome, .ending, .controls, .ask):visible").count(), 0);
  assert.equal(await page.locator("[data-after]:visible, .solution:visible").count(), 0);
  const questions = await page.locator(".question").count();
  assert.equal(await page.locator(".question:has(.written)").count(), questions);
  assert.equal(await page.locator(".waits:visible").count(), 0); // the empty axes of figures
  const pdf = await page.pdf({ format: "A4" });
  const pages = pdf.toString("latin1").match(/\/Type\s*\/Page\b/g)?.length ?? 0;
  assert.ok(pages > 0 && pages <= 5, `${pages} pages`); // 8 where each section began a page
  await page.emulateMedia({ media: "print" });
  assert.equal(await page.getByRole("button", { name: "Print" }).isVisible(), false);
  assert.deepEqual(problems, []);
});

test("worksheet: goals, which are results of the questions, are not printed above them", async () => {
  for (const name of sampled(GIVEN_AWAY, 0)) {
    const { able } = lessons.find((lesson) => lesson.name === name) ?? assert.fail(name);
    const { page, problems } = await open(`lessons/${name}/?worksheet`);
    const words = await page.locator("main").innerText();
    assert.ok((await page.locator(".lead:visible").innerText()) !== "", name);
    for (const goal of able) assert.ok(!words.includes(goal), goal);
    assert.doesNotMatch(words, /\bslider/, "nothing to move on paper");
    assert.doesNotMatch(words.split("?")[0], /only on their distance|similar contexts/);
    assert.equal(await page.locator(".tools:visible").count(), 0, "nothing to click on paper");
    assert.deepEqual(problems, []);
  }
});

test("key: every question has its computed answer", async () => {
  const { page, problems } = await open(`${LESSON}?key`);
  const keys = await page.locator(".question .key").allInnerTexts();
  assert.equal(keys.length, await page.locator(".question").count());
  for (const words of keys) assert.match(words, /\(right\)|Answer: /);
  assert.match(keys.at(-1) ?? "", /Answer: 8\./);
  assert.ok((await page.locator("[data-after]").count()) > 2);
  assert.equal(
    await page.locator("[data-after]:not(:visible)").count(),
    0,
    "what follows from it, too",
  );
  assert.equal(await page.locator(".tools:visible").count(), 0);
  assert.ok(await page.getByRole("button", { name: "Print" }).isEnabled());
  await page.goto(`${server.url}lessons/train-short/?key`); // whose answers are trainings
  await page.getByText(/^0 of 7 answers are computed …$/).waitFor();
  assert.ok(await page.getByRole("button", { name: "Print" }).isDisabled());
  assert.equal(await page.getByText("This answer is being computed …").count(), 7);
  assert.deepEqual(problems, []);
});

test("lessons: the list shows the reader's progress and exports the answers as a file", async () => {
  const { page, problems } = await open(LESSON);
  const question = page.locator('[data-question="exercise-norm"]');
  await question.locator("input").fill("8");
  await question.locator(".ask").click();
  await question.locator('[data-right="true"]').waitFor();
  await page.goto(`${server.url}lessons/`);
  await settled(page);
  assert.match(
    await page.locator('[data-lesson-card="sinusoidal"]').innerText(),
    /1 of \d answered/,
  );
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Download my answers" }).click(),
  ]);
  const { answers } = JSON.parse(String(await bytesOf(download)));
  assert.equal(answers.length, 1);
  const { page: where, question: name, answer, tries, right } = answers[0];
  assert.deepEqual([where, name, answer, tries, right], [LESSON, "exercise-norm", "8", 1, true]);
  assert.deepEqual(problems, []);
});

test("glossary: each term of a lesson links once to its definition", async () => {
  const { page, problems } = await open(LESSON);
  const links = await page
    .locator(".glossed")
    .evaluateAll((all) => all.map((each) => each.getAttribute("href")));
  assert.ok(links.length >= 3, String(links));
  assert.equal(new Set(links).size, links.length);
  await page.locator(".glossed").first().click();
  await page.waitForURL(/glossary/);
  const id = new URL(page.url()).hash.slice(1);
  assert.ok(await page.locator(`dt[id="${id}"]`).isVisible());
  assert.equal(await page.locator("dt").count(), glossary.length);
  assert.deepEqual(problems, []);
});

test("present: a timer counts down and announces its end", async () => {
  await visit.page.clock.install(); // of this page from now on: the last test
  const { page } = await open(`${LESSON}?present`);
  const timer = page.locator(".timer");
  await timer.waitFor();
  const now = await page.evaluate(() => Date.now());
  await page.clock.pauseAt(now + 60_000); // else it also runs while the test reads
  await timer.getByLabel("Minutes").fill("1");
  await timer.getByRole("button").click();
  assert.equal(await timer.getByRole("timer").innerText(), "1:00");
  await page.clock.runFor(45_000);
  assert.equal(await timer.getByRole("timer").innerText(), "0:15");
  await page.clock.runFor(20_000);
  assert.equal(await timer.locator(".over").innerText(), "0:00");
  await timer.getByRole("button", { name: "Stop timer" }).click();
  await timer.getByRole("button", { name: "Start timer" }).waitFor();
});
