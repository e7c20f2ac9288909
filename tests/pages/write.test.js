// Tasks on the lessons' pages: the reader writes a function, the page checks it and keeps it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { lessons } from "../../web/lessons/lessons.js";
import { taskOf, tasks } from "../../web/app/write/tasks/index.js";
import { everyNth, sampled } from "../sample.js";
import { openSite } from "./open-site.js";
import { openAnew, settled } from "./pages.js";

/** @typedef {import("playwright-core").Page} Page */
/** @typedef {import("playwright-core").Locator} Locator */

const { server, browser } = await openSite();

const visit = await browser.newPage();

/** Opens a lesson as a new reader. @param {string} lesson */
async function open(lesson) {
  await openAnew(visit, server.url, `lessons/${lesson}/`);
  return visit;
}

/** @param {Page} page @param {string} name */
const place = (page, name) => page.locator(`[data-task="${name}"]`);

/** @param {Locator} task */
const field = (task) => task.locator("textarea");

/** @param {Locator} task @param {string} name */
const button = (task, name) => task.getByRole("button", { name, exact: true });

/** Checks a program and gives what is said of it. @param {Locator} task @param {string} [code] */
async function checked(task, code) {
  if (code !== undefined) await field(task).fill(code);
  await button(task, "Check").click();
  const said = task.locator(".judged .verdict, .wrong:not(:empty)").first();
  await said.waitFor();
  return said.innerText();
}

const { stub, solution } = taskOf("sinusoid-row");
const swapped = solution.replace("Math.sin(angle), Math.cos", "Math.cos(angle), Math.sin");

const withTasks = lessons.filter(({ name }) => tasks.some(({ lesson }) => lesson === name));
for (const { name: lesson } of sampled(withTasks, 0)) {
  const own = tasks.filter((task) => task.lesson === lesson);
  test(`tasks of ${lesson}: a stub is not right, the solution is`, async () => {
    const { page, problems } = await open(lesson);
    const places = page.locator("[data-task]");
    const names = await places.evaluateAll((all) =>
      all.map((each) => /** @type {HTMLElement} */ (each).dataset.task),
    );
    assert.deepEqual(names.sort(), own.map(({ name }) => name).sort());
    for (const { name, title, solution } of own) {
      const task = place(page, name);
      assert.equal(await task.getByRole("heading").innerText(), title);
      assert.match(await checked(task), /^Not yet\.|must return/);
      assert.match(await checked(task, solution), /^Right: \d+ calls, \d+ numbers\. The largest/);
      assert.ok(await task.getByText("Solved", { exact: true }).isVisible());
      const link = task.getByRole("link", { name: "The same in Python: notebook" });
      const { status, type } = await link.evaluate(async (a) => {
        const response = await fetch(/** @type {HTMLAnchorElement} */ (a).href);
        return { status: response.status, type: (await response.json()).nbformat };
      });
      assert.deepEqual({ status, type }, { status: 200, type: 4 });
    }
    assert.deepEqual(problems, []);
  });
}

test("task: the first number that differs is named, and the likely mistake", async () => {
  const { page, problems } = await open("sinusoidal");
  const task = place(page, "sinusoid-row");
  assert.equal(
    await checked(task, swapped),
    "Not yet. sinusoidRow(0, 8), dimension 0: yours 1, right 0.",
  );
  const likely = `Likely: ${taskOf("sinusoid-row").mistakes[0].says}`;
  assert.equal(await task.locator(".likely").innerText(), likely);
  await checked(task, solution);
  assert.equal(await task.locator(".likely").count(), 0);
  assert.deepEqual(problems, []);
});

test("task: a value that is not a result has its own message", async () => {
  const { page } = await open("sinusoidal");
  const task = place(page, "sinusoid-row");
  /** @type {[string, RegExp][]} */
  const wrong = [
    ["", /^The program must define a function named sinusoidRow\.$/],
    ["const sinusoidRow = 3;", /^sinusoidRow must be a function; got number\.$/],
    [
      "function sinusoidRow() {\n  return x;\n}",
      /^Line 2: .*x is not defined, in sinusoidRow\(0, 8\)$/,
    ],
    ["function sinusoidRow() {\n  return [];", /^A bracket or a quotation mark is not closed: /],
    ["function sinusoidRow() {\n  let 3;\n}", /^Line 2: SyntaxError: [^,]*$/],
    ["throw new Error('no');", /^Line 1: Error: no$/],
    ["function sinusoidRow(p, d) { return new Array(d).fill(NaN); }", /NaN is the result of/],
    ["function sinusoidRow() {}", /got undefined\. Is a return missing\?$/],
    ["const sinusoidRow = (p, d) => [0, 1, ...new Array(d)];", /got an array with undefined\.$/],
    ["const sinusoidRow = async () => [0];", /got an object of the class Promise\.$/],
    [
      "const f = (n) => f(n + 1);\nconst sinusoidRow = () => f(0);",
      /^Line 1: RangeError: .*, in sin/,
    ],
  ];
  // write-judge.test.js has a message of each kind.
  for (const [code, words] of wrong.filter(everyNth(3))) {
    assert.match(await checked(task, code), words, code);
  }
});

test("task: an endless loop is ended, and the page goes on", async () => {
  const { page } = await open("sinusoidal");
  await page.evaluate(() => {
    // The five seconds of the first program are over as soon as it is in the loop.
    const { setTimeout: wait } = globalThis;
    let late = () => {};
    Object.assign(globalThis, {
      setTimeout: (/** @type {() => void} */ work, /** @type {number} */ ms) =>
        ms === 5000 ? void (late = work) : wait(work, ms),
    });
    const hear = (/** @type {MessageEvent} */ { data }) => {
      if (data.state !== "calls" || data.call !== 1) return;
      removeEventListener("message", hear);
      Object.assign(globalThis, { setTimeout: wait });
      wait(late);
    };
    addEventListener("message", hear);
  });
  const task = place(page, "sinusoid-row");
  assert.equal(
    await checked(
      task,
      "function sinusoidRow(position) { while (position > 0); return [0, 1, 0, 1, 0, 1, 0, 1]; }",
    ),
    "No answer from sinusoidRow(1, 8) after 5 seconds. Does a loop never end?",
  );
  assert.equal(await task.locator("iframe").count(), 0);
  assert.match(await checked(task, solution), /^Right/);
});

test("task: hints come one by one, the solution after two tries", async () => {
  const { page } = await open("sinusoidal");
  const task = place(page, "sinusoid-row");
  const { hints } = taskOf("sinusoid-row");
  const list = task.getByRole("list", { name: "Hints" });
  assert.equal(await list.isVisible(), false);
  await button(task, "Hint").click();
  assert.equal(await list.getByRole("listitem").count(), 1);
  for (let i = 1; i < hints.length; ++i) await button(task, "Next hint").click();
  assert.equal(await list.getByRole("listitem").count(), hints.length);
  assert.ok(await button(task, "Next hint").isDisabled());

  assert.ok(await button(task, "Solution after 2 tries").isDisabled());
  await checked(task);
  await checked(task, `${stub}\n`);
  assert.ok(await button(task, "Solution after 2 tries").isDisabled(), "the stub is no try");
  await checked(task, swapped);
  for (let i = 0; i < 3; ++i) await checked(task);
  assert.ok(await button(task, "Solution after 1 try").isDisabled(), "the same again is no try");
  await checked(task, `${swapped}!`); // a program with an error is one
  await button(task, "Show a solution").click();
  assert.equal(await task.locator(".solution").innerText(), solution.trimEnd());
  assert.match(
    await task.locator(".pytorch pre").innerText(),
    /^import torch\n+def sinusoid_row\(/,
  );
  await button(task, "Hide the solution").click();
  assert.equal(await task.locator(".solution").isVisible(), false);
  assert.equal(await task.locator(".pytorch").isVisible(), false);
});

test("task: code and progress survive a reload, and Reset forgets them", async () => {
  const { page, problems } = await open("sinusoidal");
  const task = place(page, "sinusoid-row");
  await checked(task, swapped);
  await checked(task, solution);
  await place(page, "shift-matrix").locator("textarea").fill("// mine");
  const again = async () => {
    await page.reload();
    await settled(page);
  };
  await again();
  assert.equal(await field(task).inputValue(), solution);
  assert.ok(await task.getByText("Solved", { exact: true }).isVisible());
  assert.ok(await button(task, "Show a solution").isEnabled());
  assert.equal(
    await field(place(page, "sinusoid-table")).inputValue(),
    taskOf("sinusoid-table").stub.trimEnd(),
  );

  await button(task, "Reset").click();
  await again();
  assert.equal(await field(task).inputValue(), stub.trimEnd());
  assert.equal(await task.getByText("Solved", { exact: true }).isVisible(), false);
  assert.ok(await button(task, "Solution after 2 tries").isDisabled());
  assert.equal(await field(place(page, "shift-matrix")).inputValue(), "// mine");
  assert.deepEqual(problems, []);
});

test("task: it works when storage has unrelated text or nothing", async () => {
  const { page, problems } = await open("sinusoidal");
  const task = place(page, "sinusoid-row");
  const texts = [
    "{",
    "null",
    "7",
    '{"sinusoid-row":{"code":3,"tries":"x","solved":1}}',
    '{"sinusoid-row":null}',
  ];
  for (const text of texts.filter(everyNth(3))) {
    await page.evaluate((text) => localStorage.setItem("phasor.write.1", text), text);
    await page.reload();
    await settled(page);
    assert.equal(await field(task).inputValue(), stub.trimEnd());
    assert.match(await checked(task, solution), /^Right/);
    assert.deepEqual(problems, [], text);
  }
});

test("task: it works by keyboard alone", async () => {
  const { page } = await open("sinusoidal");
  const task = place(page, "sinusoid-row");
  await field(task).focus();
  await page.keyboard.press("Control+A");
  await page.keyboard.type("const sinusoidRow = () => 3;");
  await page.keyboard.press("Control+Enter");
  await task.locator(".verdict").waitFor();
  assert.match(await task.locator(".verdict").innerText(), /got a number\.$/);
  await page.keyboard.press("Escape");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  assert.equal(await task.getByRole("listitem").count(), 1);
});

test("task: it works when the browser refuses to store", async () => {
  const { page, problems } = visit;
  const content =
    "Object.defineProperty(globalThis, 'localStorage', { get() { throw new DOMException('no', 'SecurityError'); } });";
  await page.addInitScript({ content }); // of this page from now on: the last test
  await page.goto(`${server.url}lessons/sinusoidal/`);
  await settled(page);
  assert.match(await checked(place(page, "sinusoid-row"), solution), /^Right/);
  assert.deepEqual(problems, []);
});
