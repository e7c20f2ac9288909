// Firefox opens the pages, computes, and follows a control: what Chromium's tests say in depth holds in another engine.
// Of guides and lessons some stand for all, and of those and the other pages an eighth is taken; `npm run x -- test:night`
// takes all.
// More than 20 s of CPU: a second browser starts, and opens a page of every kind.

import assert from "node:assert/strict";
import { test } from "node:test";
import { controls, numbers, put } from "./controls.js";
import { isAlike, isExample, isSweep, nameOf, pages, settled } from "./pages.js";
import { atNight, sampled } from "../sample.js";
import { until } from "../until.js";
import { browser, newPage, page, problems, server } from "./firefox.js";
import "./firefox-hub.js";
import { checkPolicy } from "./policy.js";

/** Opens an address as a new reader, with nothing kept of what was done before. @param {string} address */
async function open(address) {
  await page.goto(`${server.url}icon.svg`); // where the storage of the site can be reached
  await page.evaluate(() => localStorage.clear());
  problems.length = 0;
  await page.goto(address);
  await settled(page);
}

/** All that the page has computed: its figures' numbers, the pixels of its canvases, its facts, the words of its drawings. */
async function computed() {
  const facts = await page.evaluate(() =>
    Array.from(
      document.querySelectorAll("main :is([data-fact], svg[aria-label])"),
      (each) => each.getAttribute("aria-label") + each.textContent,
    ),
  );
  const canvases = await page.evaluate(() =>
    Array.from(document.querySelectorAll("main canvas"), (canvas) =>
      /** @type {HTMLCanvasElement} */ (canvas).toDataURL(),
    ),
  );
  return [...(await numbers(page)), ...canvases, ...facts].join("\n").trim();
}

/**
 * Ways to change the page's controls, each with a description; none where there are no controls.
 * @returns {Promise<{said: string, change: () => Promise<unknown>}[]>}
 */
async function changes() {
  const all = (await controls(page)).flatMap(({ name, others }) =>
    others.map((other) => ({
      said: `${name} at ${other}`,
      change: () => put(page, name, other),
    })),
  );
  if (all.length > 0) return all;
  const example = await page.$("main [data-example][aria-pressed='false']");
  if (example) return [{ said: "another example", change: () => example.click() }];
  const select = await page.$("main select");
  const other = await select?.evaluate(({ options }) => options[1].value);
  const text = await page.$("main textarea");
  return [
    ...(select && other
      ? [{ said: `a select at ${other}`, change: () => select.select(other) }]
      : []),
    ...(text ? [{ said: "a longer text", change: () => text.type(" and a cat") }] : []),
  ];
}

/** Pages whose text is read when it is sent, not as it is typed. */
const isSent = (/** @type {string} */ path) => nameOf(path) === "xray";

const wanted = pages()
  .filter((path) => (isSweep ? !isAlike(path) : isExample(path)))
  .filter((path) => !isSent(path));
for (const path of sampled(wanted, 1 / 8)) {
  test(`Firefox: ${nameOf(path)} opens, computes and follows a control`, async () => {
    await open(`${server.url}${path}`);
    assert.match(await page.title(), /phasor/);
    const before = await computed();
    const tried = [];
    let follows = false;
    for (const { said, change } of await changes()) {
      tried.push(said);
      await change();
      await settled(page);
      follows = (await computed()) !== before;
      if (follows) break;
    }
    assert.ok(tried.length === 0 || before !== "", "there are controls, but nothing is computed");
    assert.ok(tried.length === 0 || follows, `nothing follows ${tried.join(", or ")}`);
    assert.deepEqual(problems, []);
  });
}

test("Firefox: programs run, without WebRTC and without scripts in nested frames", async () => {
  await open(`${server.url}lessons/sinusoidal/`);
  await page.waitForSelector("textarea.program");
  const code = `
    import { load } from "phasor";
    const { sinusoidal } = await load();
    display(sinusoidal.table(1, 2));
    display(typeof RTCPeerConnection);
    let ran = 0;
    addEventListener("message", ({ data }) => (ran += data === "ran"));
    const script = "parent.postMessage('ran', '*')";
    const loaded = [];
    for (const set of [
      (frame) => (frame.srcdoc = "<script>" + script + "</scr" + "ipt>"),
      (frame) => (frame.src = "javascript:" + script),
    ]) {
      const frame = document.createElement("iframe");
      set(frame);
      if (frame.srcdoc) loaded.push(new Promise((next) => (frame.onload = next)));
      document.body.append(frame);
    }
    // A frame whose address is refused never loads. One more that does comes after it.
    const last = Object.assign(document.createElement("iframe"), { srcdoc: "last" });
    loaded.push(new Promise((next) => (last.onload = next)));
    document.body.append(last);
    await Promise.all(loaded);
    await new Promise((next) => setTimeout(next)); // messages that were sent before are heard
    display(ran);`;
  await page.$eval(
    "textarea.program",
    (field, code) => {
      /** @type {HTMLTextAreaElement} */ (field).value = code;
      field.dispatchEvent(new Event("input"));
    },
    code,
  );
  const runnable = /** @type {import("puppeteer-core").ElementHandle} */ (
    await page.$(".runnable")
  );
  await runnable.$eval("button", (button) => /** @type {HTMLButtonElement} */ (button).click());
  await page.waitForFunction(() => {
    const status = document.querySelector(".runnable .run-status")?.textContent ?? "";
    return status.startsWith("Ended") || document.querySelector(".runnable .wrong")?.textContent;
  });
  assert.equal(await page.$eval(".runnable .wrong", ({ textContent }) => textContent), "");
  const frame = await (await page.waitForSelector(".runnable iframe"))?.contentFrame();
  const lines = await frame?.$$eval("pre", (all) => all.map(({ textContent }) => textContent));
  assert.deepEqual(
    lines?.filter((line) => !line?.startsWith("A program here")),
    ["[[0. 1.]]", "undefined", "0"],
  );
});

test("Firefox: violations of the policy and exceptions are detected", async () => {
  await open(server.url);
  await page.evaluate(() => {
    document.body.setAttribute("style", "color: red");
    setTimeout(() => {
      throw new Error("on purpose");
    });
  });
  await until(() => /style-src-attr/.test(problems.join()), "the refusal is noticed");
  await until(() => /on purpose/.test(problems.join()), "the exception is noticed");
});

test("Firefox: a service worker caches the site", atNight, async () => {
  const context = await browser.createBrowserContext();
  const { page, problems } = await newPage(context);
  await page.goto(server.url);
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready;
  });
  await settled(page);
  assert.deepEqual(problems, []);
  await context.close();
});

test("Firefox: without 'wasm-unsafe-eval', the error of load names what to add", async () => {
  const context = await browser.createBrowserContext();
  await checkPolicy(await context.newPage());
  await context.close();
});
