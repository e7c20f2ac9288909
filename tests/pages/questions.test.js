// The questions of a lesson in Chromium: tries and hints, what waits for a prediction, drawn curves, what is kept.

import assert from "node:assert/strict";
import { test } from "node:test";
import { violations } from "./axe.js";
import { atNight, isNight } from "../sample.js";
import { until } from "../until.js";
import { openSite } from "./open-site.js";
import { serveBuild } from "./site.js";
import { put } from "./controls.js";
import { answered } from "./lessons/lesson.js";
import { openAnew, settled } from "./pages.js";
import { ticks } from "../../web/app/questions/draw.js";

/** @typedef {import("playwright-core").Page} Page */

const { server, browser } = await openSite(serveBuild);
const root = `${server.url}page/`;
const path = "lessons/sinusoidal/";
const address = `${root}${path}`;

const visit = await browser.newPage();

/** Whether "Reset answers" makes the page what a new reader finds: no control has been set since it was opened. */
let isAsOpened = false;

/**
 * The lesson as a new reader finds it, in the one page of all tests.
 * @param {{ viewport?: { width: number, height: number }, reducedMotion?: "reduce" | "no-preference" }} [options]
 */
async function open({ viewport, reducedMotion = "reduce" } = {}) {
  const { page, problems } = visit;
  await page.setViewportSize(viewport ?? { width: 1280, height: 720 });
  await page.emulateMedia({ reducedMotion });
  if (isAsOpened && page.url().split("#")[0] === address) {
    await page.evaluate(() => {
      /** @type {HTMLElement | null} */ (document.querySelector(".answers button"))?.click();
      /** @type {HTMLElement | null} */ (document.activeElement)?.blur();
      scrollTo({ top: 0, behavior: "instant" });
    });
    await settled(page);
    problems.length = 0;
  } else await openAnew(visit, root, path);
  isAsOpened = true;
  return { page, problems, ...asked(page) };
}

/** @param {Page} page */
function asked(page) {
  const question = (/** @type {string} */ name) => page.locator(`[data-question="${name}"]`);
  const outcome = (/** @type {string} */ name) => question(name).locator(".outcome").innerText();
  return {
    question,
    outcome,
    /** @param {string} name @param {string} text */
    async answer(name, text) {
      const right = await answered(page, name, text);
      await settled(page);
      return { right, words: (await outcome(name)).replace(/\s+/g, " ") };
    },
    /** @param {string} name */
    cover: (name) => page.locator(`.waits:has(> #${name}) > .cover`),
    state: () => page.locator(".answers p").innerText(),
  };
}

/** @param {Page} page @param {string} control @param {string} value */
async function set(page, control, value) {
  isAsOpened = false;
  await put(page, control, value);
  await settled(page);
}

test("an exercise takes two answers: a hint or a near miss, then the solution", async () => {
  const { problems, answer, question, state } = await open();
  const hint = await answer("exercise-norm", "300");
  assert.equal(hint.right, false);
  assert.match(hint.words, /^Not yet\. .*squares\?$/);
  assert.ok(!hint.words.includes("8"));
  const solution = await answer("exercise-norm", "301");
  assert.match(solution.words, /^No\. .*√64 = 8\.$/);
  assert.deepEqual(await answer("exercise-norm", "√64"), {
    right: true,
    words: solution.words.replace("No.", "Yes."),
  });

  const near = await answer("exercise-period", "≈ 10 positions");
  assert.match(near.words, /^Not yet\. That is how many positions one radian takes/);
  assert.ok(await question("exercise-period").locator(".hint").isHidden());
  assert.equal((await answer("exercise-period", "2π/0.1")).right, true);
  assert.equal(await state(), "2 of 7 answered, 0 right on the first try");
  assert.deepEqual(problems, []);
});

test("an answer that is not a number or is repeated does not count as a try", async () => {
  const { question, answer, state, outcome } = await open();
  const norm = question("exercise-norm");
  for (const text of ["abc", "a few", "1..2"]) {
    await norm.locator("input").fill(text);
    await norm.locator(".ask").click();
    assert.equal(await outcome("exercise-norm"), "That is not a number yet.");
    assert.equal(await norm.locator(".verdict").getAttribute("data-right"), null);
  }
  assert.equal(await state(), "0 of 7 answered, 0 right on the first try");
  assert.match((await answer("exercise-norm", "300")).words, /^Not yet\./);
  assert.match((await answer("exercise-norm", "300")).words, /^Not yet\./);
  await norm.locator("input").fill("301");
  assert.match(
    await outcome("exercise-norm"),
    /squares\?$/,
    "the hint stays while the reader types",
  );
  assert.match((await answer("exercise-norm", "8")).words, /^Yes\./);
});

test("below a verdict, buttons lead to the controls of what it is about, the nearest first", async () => {
  const { page, question, answer } = await open();
  const levers = question("unique").locator(".levers");
  assert.ok(await levers.isHidden());
  await answer("unique", "period");
  const labels = await levers.locator("button").allInnerTexts();
  assert.deepEqual(labels.slice(0, 2).concat(String(labels.length)), ["Position t", "Positions T", "4"]); // prettier-ignore
  await levers.getByRole("button", { name: "Position t" }).click();
  assert.equal(await page.evaluate(() => document.activeElement?.id), "position");
  await question("unique").locator('input[value="same"]').check();
  assert.ok(await levers.isHidden(), "another answer is not judged yet");
  await answer("exercise-norm", "8");
  assert.ok(await question("exercise-norm").locator(".levers").isHidden(), "it reads no control");
});

test("every option has separate feedback, and that of the others can be read after the answer", async () => {
  const { question, answer } = await open();
  const unique = question("unique");
  assert.ok(await unique.locator(".others").isHidden());
  const { words } = await answer("unique", "period");
  assert.match(
    words,
    /^No\. After one rotation .*apart\. The answer is B\. The closest .* neighbors, such as those of positions \d+ and \d+:/,
  );
  await unique.locator("summary").click();
  const others = await unique.locator(".others li").allInnerTexts();
  assert.deepEqual(
    others.map((each) => each.slice(0, 2)),
    ["A.", "D."],
  );
  assert.equal(new Set([...others, words]).size, 3);
  const marks = await unique
    .locator("label.choice")
    .evaluateAll((all) => all.map((label) => label.dataset.mark ?? ""));
  assert.deepEqual(marks, ["", "right", "wrong", ""]);
});

test("a figure waits for the prediction, and shows the reader's guess afterwards", async () => {
  const { page, problems, answer, cover } = await open();
  const figure = page.locator("#distance");
  const line = figure.locator("svg path[stroke]").first();
  const isInert = () => figure.evaluate((place) => /** @type {HTMLElement} */ (place).inert);
  assert.ok(await isInert());
  assert.match(await cover("distance").innerText(), /waits for your prediction/);
  assert.equal(await line.evaluate((path) => getComputedStyle(path).visibility), "hidden");
  assert.equal(await page.getByText("your guess").count(), 0);
  await answer("unique", "neighbors");
  await cover("distance").waitFor({ state: "detached" });
  assert.equal(await isInert(), false);
  assert.equal(await line.evaluate((path) => getComputedStyle(path).visibility), "visible");
  assert.equal(await figure.getByText("your guess").count(), 1);
  await answer("unique", "far");
  assert.equal(await figure.getByText("your guess").count(), 0, "there is no one place for it");
  assert.ok(await cover("hands").isVisible(), "other figures wait for their own question");
  if (isNight) assert.deepEqual(await violations(page), []);
  assert.deepEqual(problems, []);
});

test("a figure can be shown without an answer, which then does not count as a first try", async () => {
  const { page, answer, cover, state } = await open();
  const after = page.locator("[data-after=shift]");
  const boxes = await Promise.all(["hands", "matrix"].map((name) => cover(name).boundingBox()));
  const [first, second] = boxes.map((box) => box ?? assert.fail("a cover has no box"));
  const isBeside = first.x + first.width <= second.x || first.y + first.height <= second.y;
  assert.ok(isBeside, "two covers do not overlap");
  await cover("hands").getByRole("button", { name: "Show me" }).focus();
  await page.keyboard.press("Enter");
  for (const name of ["hands", "matrix"]) await cover(name).waitFor({ state: "detached" });
  assert.equal(await page.evaluate(() => document.activeElement?.id), "hands");
  assert.ok(await after.isHidden(), "the solution is not given away");
  await page.reload();
  await settled(page);
  assert.equal(await cover("hands").count(), 0);
  assert.equal((await answer("shift", "rounding")).right, true);
  assert.ok(await after.isVisible());
  assert.equal(await state(), "1 of 7 answered, 0 right on the first try");
});

test("the cover is removed within 400 ms, and at once with reduced motion", async () => {
  const moving = (/** @type {Page} */ page) =>
    page.evaluate(() =>
      document
        .getAnimations()
        .filter((each) => "animationName" in each)
        .map((each) => Number(each.effect?.getComputedTiming().duration)),
    );
  const reduced = await open({ reducedMotion: "reduce" });
  await reduced.question("unique").locator("input").first().check();
  await reduced.question("unique").locator(".ask").click();
  await reduced.cover("distance").waitFor({ state: "detached" });
  assert.deepEqual(await moving(reduced.page), []);

  const { page, question, cover } = await open({ reducedMotion: "no-preference" });
  await page.evaluate(() => {
    /** @type {number[]} */
    const durations = [];
    Object.assign(globalThis, { durations });
    addEventListener("animationstart", ({ target }) => {
      for (const each of /** @type {Element} */ (target).getAnimations()) {
        durations.push(Number(each.effect?.getComputedTiming().duration));
      }
    });
  });
  await question("unique").locator("input").first().check();
  await question("unique").locator(".ask").click();
  await cover("distance").waitFor({ state: "detached" });
  const durations = await page.evaluate(() => /** @type {any} */ (globalThis).durations);
  assert.ok(durations.length > 0);
  assert.ok(
    durations.every((/** @type {number} */ each) => each <= 400),
    String(durations),
  );
});

test("the keys 1 to 4 choose an option while the card has the focus", async () => {
  const { page, question } = await open();
  const options = question("unique").locator("input[type=radio]");
  await page.keyboard.press("2");
  assert.equal(await question("unique").locator(":checked").count(), 0);
  await options.first().focus();
  for (const [key, at] of /** @type {const} */ ([
    ["3", 2],
    ["1", 0],
    ["4", 3],
  ])) {
    await page.keyboard.press(key);
    assert.ok(await options.nth(at).isChecked());
  }
  await page.keyboard.press("7");
  assert.ok(await options.nth(3).isChecked());
  await page.keyboard.press("Enter");
  await question("unique").locator(".verdict[data-right]").waitFor();
  const norm = question("exercise-norm").locator("input");
  await norm.focus();
  await page.keyboard.type("11");
  assert.equal(await norm.inputValue(), "11");
});

test("a verdict is removed when a control changes that the judge has read, and only then", async () => {
  const { page, answer, outcome } = await open();
  await answer("unique", "neighbors");
  await answer("exercise-norm", "8");
  await set(page, "pair", "9");
  assert.match(await outcome("unique"), /^Yes\./);
  await set(page, "dim", "32");
  assert.equal(await outcome("unique"), "");
  assert.match(await outcome("exercise-norm"), /^Yes\./);
});

test(
  "exactly one option about the nearest vectors is right, for all settings of the controls",
  atNight,
  async () => {
    const { page, answer } = await open();
    const settings = [
      ["4", "512", "10000"],
      ["4", "512", "10"],
      ["4", "8", "10"],
      ["64", "128", "10000"],
      ["6", "256", "10"],
    ];
    for (const [dim, length, base] of settings) {
      await set(page, "dim", dim);
      await set(page, "length", length);
      await set(page, "base", base);
      const right = [];
      for (const option of ["same", "neighbors", "period", "far"]) {
        const { right: isRight, words } = await answer("unique", option);
        if (isRight)
          right.push([option, ...(/positions (\d+) and (\d+):/.exec(words)?.slice(1) ?? [])]);
      }
      assert.equal(right.length, 1, `D = ${dim}, T = ${length}, base ${base}`);
      const [option, a, b] = right[0];
      const apart = Number(b) - Number(a);
      if (option === "neighbors") assert.equal(apart, 1);
      if (option === "period") assert.ok(apart >= 2 && apart <= 7);
      if (option === "far") assert.ok(apart > 7);
    }
  },
);

test("a judge that throws shows a message and does not count as a try", async () => {
  const { page, question, state } = await open();
  isAsOpened = false;
  await page.evaluate(() => {
    Math.cos = () => {
      throw new RangeError("dim must be even; got 7");
    };
  });
  await question("similarity").locator(".handle").first().press("ArrowUp");
  await question("similarity").locator(".ask").click();
  const verdict = question("similarity").locator(".verdict");
  await page.waitForFunction(() => /CANNOT/.test(document.body.innerText));
  assert.equal(await verdict.innerText(), "CANNOT CHECK this answer: dim must be even; got 7.");
  assert.equal(await verdict.getAttribute("data-right"), null);
  assert.equal(await state(), "0 of 7 answered, 0 right on the first try");
});

test("an axis of whole numbers has whole ticks", () => {
  assert.deepEqual(ticks(0, 63), [0, 21, 42, 63]);
  assert.deepEqual(ticks(0, 20), [0, 5, 10, 15, 20]);
  assert.deepEqual(ticks(0, 10), [0, 2, 4, 6, 8, 10]);
  assert.deepEqual(ticks(-1, 1), [-1, -0.5, 0, 0.5, 1]);
});

test("a curve is drawn with the pointer, by touch and with keys, and the computed one over it", async () => {
  const { page, problems } = await browser.newPage({ hasTouch: true });
  await page.goto(address);
  await settled(page);
  const { question, outcome } = asked(page);
  const card = question("similarity");
  const area = card.locator(".draw-area");
  const handles = card.locator(".handle");
  const values = () =>
    handles.evaluateAll((all) => all.map((each) => Number(each.getAttribute("aria-valuenow"))));
  await area.scrollIntoViewIfNeeded();
  assert.ok(await card.locator(".ask").isDisabled());
  assert.equal(await handles.first().getAttribute("aria-valuetext"), "not drawn yet");

  const box = await area.boundingBox();
  assert.ok(box);
  const at = (/** @type {number} */ x, /** @type {number} */ y) =>
    /** @type {const} */ ([box.x + x * box.width, box.y + y * box.height]);
  await page.mouse.move(...at(0, 0.01));
  await page.mouse.down();
  await page.mouse.move(...at(1, 0.5)); // one long step: the points between are drawn as well
  await page.mouse.up();
  await page.mouse.move(...at(0.5, 0.9));
  const line = await values();
  assert.equal(line.length, 17);
  line.forEach((y, i) => assert.ok(Math.abs(y - 0.98 * (1 - i / 16)) < 0.05, `${i}: ${y}`));

  await page.touchscreen.tap(...at(0.5, 0.25));
  const isTapped = async () => Math.abs((await values())[8] - 0.5) < 0.05;
  await until(isTapped, "the tap draws");

  await handles.nth(0).focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Home");
  await page.keyboard.press("Shift+ArrowUp");
  assert.ok(Math.abs((await values())[1] - -0.98) < 1e-6);
  assert.equal(await card.locator(".handle[tabindex='0']").count(), 1);

  await card.locator(".ask").click();
  await card.locator(".verdict[data-right]").waitFor();
  assert.match(
    await outcome("similarity"),
    /off on average\. It differs most at k = 4: you drew −0.98, the computed value is 0\.\d+/,
  );
  assert.match((await card.locator(".truth").getAttribute("d")) ?? "", /^M0\.0 0\.0L/);
  assert.ok(await page.locator("[data-after=similarity]").isVisible());
  await handles.nth(1).press("ArrowUp");
  assert.equal(await card.locator(".truth").getAttribute("d"), null, "a new prediction hides it");
  assert.deepEqual(problems, []);
  await page.context().close();
});

test("answers, tries and verdicts are restored after a reload and after Back", async () => {
  const { page, problems, answer, question, outcome, state, cover } = await open();
  await set(page, "dim", "32");
  await answer("unique", "neighbors");
  await answer("exercise-norm", "300");
  await question("similarity").locator(".handle").first().press("ArrowUp");
  await question("similarity").locator(".ask").click();
  await question("similarity").locator(".verdict[data-right]").waitFor();
  await page.waitForFunction(() => location.hash.includes("dim=32"));
  const before = await Promise.all(["unique", "similarity", "exercise-norm"].map(outcome));
  const drawn = await question("similarity").locator("input").inputValue();
  const text = "3 of 7 answered, 1 right on the first try";
  assert.equal(await state(), text);

  const check = async () => {
    await settled(page);
    assert.deepEqual(
      await Promise.all(["unique", "similarity", "exercise-norm"].map(outcome)),
      before,
    );
    assert.equal(await question("similarity").locator("input").inputValue(), drawn);
    assert.match((await question("similarity").locator(".truth").getAttribute("d")) ?? "", /^M/);
    assert.equal(await cover("distance").count(), 0);
    assert.equal(await page.locator("#distance").getByText("your guess").count(), 1);
    assert.equal(await state(), text);
  };
  await page.reload();
  await check();
  await page.goto(`${root}lessons/`);
  await page.goBack();
  await check();
  assert.match((await answer("exercise-norm", "301")).words, /^No\./, "the try before counts");

  await page.goto(`${root}lessons/`);
  await page.goto(address); // the default settings: the answers were about others
  await settled(page);
  assert.equal(await outcome("unique"), "");
  assert.ok(await question("unique").locator("input[value=neighbors]").isChecked());
  assert.match(await outcome("exercise-norm"), /^No\./);
  assert.deepEqual(problems, []);
});

test("the answers can be reset", async () => {
  const { page, answer, question, outcome, state, cover } = await open();
  const reset = page.getByRole("button", { name: "Reset answers" });
  assert.ok(await reset.isDisabled());
  await answer("unique", "neighbors");
  await answer("shift", "half");
  await reset.click();
  assert.equal(await state(), "0 of 7 answered, 0 right on the first try");
  assert.equal(await outcome("unique"), "");
  assert.ok(await question("unique").locator(".ask").isDisabled());
  assert.ok(await page.locator("[data-after=shift]").isHidden());
  for (const name of ["distance", "hands", "matrix"]) assert.equal(await cover(name).count(), 1);
  await page.reload();
  await settled(page);
  assert.equal(await question("unique").locator(":checked").count(), 0);
  assert.equal((await answer("unique", "neighbors")).right, true);
  assert.equal(await state(), "1 of 7 answered, 1 right on the first try");
});

test("questions are usable at 320 px", atNight, async () => {
  const { page, answer } = await open({ viewport: { width: 320, height: 640 } });
  await answer("unique", "far");
  await answer("exercise-norm", "300");
  assert.deepEqual(await violations(page), []);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 320);
  const small = await page
    .locator("[data-question] :is(label.choice, button, .handle)")
    .evaluateAll((all) => all.filter((each) => each.getBoundingClientRect().height < 24).length);
  assert.equal(small, 0);
});

test(
  "beside the page a dot for each question says how it was answered, and leads to it",
  atNight,
  async () => {
    const { page, problems, question, answer } = await open({
      viewport: { width: 1280, height: 900 },
    });
    const dots = page.getByRole("navigation", { name: "Questions" }).getByRole("button");
    const states = () => dots.evaluateAll((all) => all.map((dot) => dot.dataset.state));
    const names = await page
      .locator("form[data-question]")
      .evaluateAll((all) => all.map((form) => /** @type {HTMLElement} */ (form).dataset.question));
    const at = (/** @type {string} */ name) => names.indexOf(name);
    assert.deepEqual(await states(), Array(7).fill("open"));

    await answer("exercise-norm", "300");
    assert.equal((await states())[at("exercise-norm")], "wrong");
    await answer("exercise-norm", "8");
    assert.equal((await states())[at("exercise-norm")], "right");
    assert.equal((await states()).filter((state) => state === "open").length, 6);
    const dot = dots.nth(at("unique"));
    assert.equal(await dot.getAttribute("aria-label"), `Question ${at("unique") + 1} of 7: open`);
    await dot.click();
    await settled(page);
    const box = await question("unique").boundingBox();
    assert.ok(box && box.y < 900 && box.y + box.height > 0, "in view");
    const isIn = await question("unique").evaluate((form) => form.contains(document.activeElement));
    assert.ok(isIn, "and has the focus");

    const streak = page.locator(".rail-of-questions .streak");
    assert.equal(await streak.isVisible(), false, "the last answer was not right on the first try");
    await answer("first", "alternate");
    assert.equal(await streak.isVisible(), false, "one is no row");
    await answer("shift", "rounding");
    assert.equal(await streak.innerText(), "2 right in a row");
    await answer("beyond", "slow");
    assert.equal(await streak.innerText(), "3 right in a row");
    assert.deepEqual(await violations(page), []);
    await answer("unique", "same");
    assert.equal(await streak.isVisible(), false);

    await page.getByRole("button", { name: "Reset answers" }).click();
    assert.deepEqual(await states(), Array(7).fill("open"));
    await page.setViewportSize({ width: 1279, height: 900 });
    assert.equal(await dot.isVisible(), false, "there is no room");
    await page.goto(`${address}?present`);
    await settled(page);
    assert.equal(await dots.count(), 0);
    assert.deepEqual(problems, []);
  },
);

test("a browser that refuses to store keeps the answers as long as the page", async () => {
  const content = `Object.defineProperty(window, "localStorage", { get() { throw new DOMException("refused", "SecurityError"); } });`;
  const { page, problems } = visit;
  await page.addInitScript({ content }); // of this page from now on: the last test
  await page.goto(address);
  await settled(page);
  const { answer, state, cover } = asked(page);
  await answer("unique", "neighbors");
  await answer("exercise-norm", "300");
  assert.match((await answer("exercise-norm", "301")).words, /^No\./);
  assert.equal(await cover("distance").count(), 0);
  assert.equal(await state(), "2 of 7 answered, 1 right on the first try");
  assert.deepEqual(problems, []);
});
