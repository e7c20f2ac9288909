// `npm run x -- page-speed`: what a reader with a mid-range phone waits for, measured in Chromium that is
// slowed down. A report, not a test: it never fails because of a slow machine. `npm run x -- page-speed WORD ...` takes
// the pages whose names have a word.

import { openBrowser } from "../../tests/pages/browser.js";
import { nameOf, pages, settled } from "../../tests/pages/pages.js";
import { buildPage, page as built } from "./page.js";
import { serve } from "./serve.js";
import { pathToFileURL } from "node:url";

/** @typedef {import("playwright-core").Page} Page */
/** @typedef {import("playwright-core").CDPSession} Session */

/** Lighthouse's mid phone on "slow 4G": bits a second, milliseconds added to each request. */
const network = { down: 1.6e6, up: 750e3, latency: 150 };
const slowdown = 4;
const profile =
  `1.6 Mbps down, 750 kbps up, ${network.latency} ms a request, the processor ` +
  `${slowdown} times slower, nothing cached, 360 x 740 pixels`;

/** Steps of a slider that is dragged, and what is typed into the front page, with milliseconds from key to key. */
const STEPS = 40;
const SENTENCE = "Every dog that bites a man has its own position in the sentence";
const KEY = 40;

/**
 * What is measured: its unit, and what it should stay below.
 *
 * @type {Record<string, { title: string, goal: number, text: (x: number) => string }>}
 */
export const measures = {
  bytes: {
    title: "transferred before it answers",
    goal: 150_000,
    text: (x) => `${(x / 1000).toFixed(1)} kB`,
  },
  interactive: {
    title: "until it answers",
    goal: 1000,
    text: (x) => `${(x / 1000).toFixed(2)} s`,
  },
  loading: { title: `loading, ${slowdown} times slower`, goal: 50, text: task },
  shift: { title: "layout shift", goal: 0.01, text: (x) => x.toFixed(3) },
  dragging: { title: "longest task, any slider", goal: 50, text: ms },
  draggingSlowly: { title: `first slider, ${slowdown} times slower`, goal: 50, text: task },
  typing: { title: "longest task, typing", goal: 50, text: ms },
  training: { title: "longest task, 12 trainings", goal: 50, text: ms },
};

/** @param {number} x  milliseconds of the processor */
function ms(x) {
  return `${x.toFixed(0)} ms`;
}

/** The browser reports only tasks of 50 ms or more. @param {number} x milliseconds, 0 if it reported none */
function task(x) {
  return x < 50 ? "< 50 ms" : `${x.toFixed(0)} ms`;
}

/**
 * A line of the report.
 *
 * @param {string} name  of a measure
 * @param {number | null} value  null where there is nothing to measure it on
 */
export function line(name, value) {
  const { title, goal, text } = measures[name];
  const limit = text === task ? task(0) : `< ${text(goal)}`;
  const [shown, verdict] =
    value === null ? ["none", "nothing to try"] : [text(value), value < goal ? "met" : "not met"];
  return [title.padEnd(32), shown.padStart(10), limit.padStart(12), `  ${verdict}`].join("");
}

/**
 * Bytes of responses, including headers, as compressed, that had arrived by a moment.
 *
 * @param {{ at: number, bytes: number }[]} arrivals  in parts, as they came
 * @param {number} until  in the same unit as `at`
 */
export function arrived(arrivals, until) {
  return arrivals
    .filter(({ at }) => at <= until)
    .map(({ bytes }) => bytes)
    .reduce((sum, bytes) => sum + bytes, 0);
}

/**
 * Runs first in the document. A page marks the moment from which its main control answers by
 * performance.mark("interactive"); of one that does not, the first idle moment after its HTML and
 * scripts is taken.
 */
const watch = `
  globalThis.seen = { idle: 0, shift: 0, longest: 0 };
  addEventListener("DOMContentLoaded", () => {
    requestIdleCallback(() => (seen.idle = performance.now()));
  });
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput } of list.getEntries()) {
      if (!hadRecentInput) seen.shift += value;
    }
  }).observe({ type: "layout-shift", buffered: true });
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) seen.longest = Math.max(seen.longest, duration);
  }).observe({ type: "longtask", buffered: true });`;

/** @param {Session} session @param {number} rate */
const slow = (session, rate) => session.send("Emulation.setCPUThrottlingRate", { rate });

/** @param {Session} session */
async function throttle(session) {
  await session.send("Network.enable");
  await session.send("Network.setCacheDisabled", { cacheDisabled: true });
  await session.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: network.latency,
    downloadThroughput: network.down / 8,
    uploadThroughput: network.up / 8,
  });
  await slow(session, slowdown);
}

/**
 * @param {Awaited<ReturnType<typeof openBrowser>>} browser
 * @param {string} address
 */
async function measure(browser, address) {
  const viewport = { width: 360, height: 740 };
  const { page } = await browser.newPage({ viewport, scripts: [watch] });
  page.setDefaultTimeout(120_000);
  const session = await page.context().newCDPSession(page);
  await throttle(session);
  const arrivals = record(session);
  await page.goto(address);
  await settled(page);
  await page.waitForFunction(() => /** @type {any} */ (globalThis).seen.idle > 0); // no text, which policies refuse
  const { seen, marked, origin } = await page.evaluate(() => ({
    seen: /** @type {any} */ (globalThis).seen,
    marked: performance.getEntriesByName("interactive")[0]?.startTime,
    origin: performance.timeOrigin,
  }));
  const interactive = marked ?? seen.idle;
  const bytes = arrived(arrivals(), origin + interactive);
  await session.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: 0,
    downloadThroughput: -1,
    uploadThroughput: -1,
  });
  const draggingSlowly = await draggedSlowly(page);
  await slow(session, 1);
  const dragging = await dragged(page, session);
  const typing = await typed(page, session);
  const training = await trained(page, session);
  await page.context().close();
  const { shift, longest: loading } = seen;
  const values = { bytes, interactive, loading, shift, dragging, draggingSlowly, typing, training };
  return { values, isMarked: marked !== undefined };
}

/**
 * What arrives over the network, by wall-clock time in milliseconds.
 * @param {Session} session
 */
function record(session) {
  /** @type {{ at: number, bytes: number }[]} */
  const arrivals = [];
  /** @type {Map<string, number>} */
  const counted = new Map();
  let toWall = 0; // from the browser's own clock, in milliseconds
  /** @param {string} id @param {number} timestamp  seconds @param {number} bytes */
  const add = (id, timestamp, bytes) => {
    arrivals.push({ at: timestamp * 1000 + toWall, bytes });
    counted.set(id, (counted.get(id) ?? 0) + bytes);
  };
  session.on("Network.requestWillBeSent", ({ timestamp, wallTime }) => {
    toWall = (wallTime - timestamp) * 1000;
  });
  session.on("Network.dataReceived", ({ requestId, timestamp, encodedDataLength }) =>
    add(requestId, timestamp, encodedDataLength),
  );
  // The last event has the total with headers; the events before may have reported less.
  session.on("Network.loadingFinished", ({ requestId, timestamp, encodedDataLength }) =>
    add(requestId, timestamp, encodedDataLength - (counted.get(requestId) ?? 0)),
  );
  return () => arrivals;
}

/**
 * The longest task, by wall-clock time, while the first slider of a page is dragged.
 *
 * @param {Page} page
 * @returns {Promise<number | null>} milliseconds, 0 for none of 50 or more; null without a slider
 */
async function draggedSlowly(page) {
  const [first] = await sliders(page);
  if (!first) return null;
  await page.evaluate("seen.longest = 0");
  await drag(page, first);
  return page.evaluate("seen.longest");
}

/**
 * The longest task while each slider of a page is dragged, and what waits for a prediction is shown.
 *
 * @param {Page} page @param {Session} session
 * @returns {Promise<number | null>} milliseconds; null without a slider
 */
async function dragged(page, session) {
  await page.evaluate(
    `document.querySelectorAll(".cover button").forEach((button) => button.click())`,
  );
  /** @type {number[]} */
  const longest = [];
  for (const slider of await sliders(page)) {
    longest.push(await longestTask(session, () => drag(page, slider)));
  }
  return longest.length > 0 ? Math.max(...longest) : null;
}

/** @param {Page} page */
const sliders = (page) => page.locator("main input[type=range]:visible").all();

/** Drags a slider from its start to its end. @param {Page} page @param {import("playwright-core").Locator} slider */
async function drag(page, slider) {
  await slider.scrollIntoViewIfNeeded();
  await settled(page);
  const box = await slider.boundingBox();
  if (!box) return;
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + 8, y);
  await page.mouse.down();
  for (let step = 1; step <= STEPS; ++step) {
    await page.mouse.move(box.x + 8 + ((box.width - 16) * step) / STEPS, y);
    await page.evaluate("new Promise(requestAnimationFrame)");
  }
  await page.mouse.up();
  await settled(page);
}

/**
 * The longest task while a sentence is typed into the front page's field.
 *
 * @param {Page} page @param {Session} session
 * @returns {Promise<number | null>} milliseconds; null where there is no such field
 */
async function typed(page, session) {
  const field = page.getByLabel("Type a sentence");
  if ((await field.count()) === 0) return null;
  await field.fill("");
  await settled(page);
  return longestTask(session, async () => {
    await field.pressSequentially(SENTENCE, { delay: KEY });
    await settled(page);
  });
}

/**
 * The longest task while the lab trains all schemes and draws their curves.
 *
 * @param {Page} page @param {Session} session
 * @returns {Promise<number | null>} milliseconds; null on other pages
 */
async function trained(page, session) {
  const run = page.getByRole("button", { name: "Run it here" });
  if ((await run.count()) === 0) return null;
  return longestTask(session, async () => {
    await run.click();
    await page.locator("#said", { hasText: " trained in " }).waitFor();
    await settled(page);
  });
}

/**
 * The longest task of a page's main thread, by its CPU time, so that other programs on the
 * machine do not count.
 *
 * @param {Session} session @param {() => Promise<void>} work
 * @returns {Promise<number>} milliseconds
 */
async function longestTask(session, work) {
  /** @type {any[]} */
  const events = [];
  const collect = (/** @type {{ value: any[] }} */ { value }) => events.push(...value);
  session.on("Tracing.dataCollected", collect);
  await session.send("Tracing.start", {
    transferMode: "ReportEvents",
    traceConfig: { includedCategories: ["toplevel", "disabled-by-default-devtools.timeline"] },
  });
  await work();
  const complete = new Promise((resolve) => session.once("Tracing.tracingComplete", resolve));
  await session.send("Tracing.end");
  await complete;
  session.off("Tracing.dataCollected", collect);
  const threads = events
    .filter(({ name, args }) => name === "thread_name" && args.name === "CrRendererMain")
    .map(({ pid, tid }) => `${pid} ${tid}`);
  const tasks = events
    .filter(({ name, pid, tid }) => /\bRunTask$/.test(name) && threads.includes(`${pid} ${tid}`))
    .map(({ tdur = 0 }) => tdur / 1000);
  if (tasks.length === 0) throw new Error("The browser has traced no task.");
  return Math.max(...tasks);
}

/** The front page, the lessons, the playground, the lab and the museum, or those with one of the words. @param {string[]} words */
function measured(words) {
  const all = pages().filter((path) => /^(|lessons\/.+|playground\/|lab\/|museum\/)$/.test(path));
  return all.filter(
    (path) => words.length === 0 || words.some((word) => nameOf(path).includes(word)),
  );
}

/** @param {string[]} words */
async function report(words) {
  await buildPage();
  const server = await serve(built);
  const browser = await openBrowser();
  console.log(`\nA mid phone on slow 4G: ${profile}.`);
  try {
    for (const path of measured(words)) {
      const { values, isMarked } = await measure(browser, `${server.url}${path}`);
      const since = isMarked ? "its main control answers" : "first idle: it marks no moment itself";
      console.log(`\n${nameOf(path)} (${since})`);
      console.log(`${"measure".padEnd(32)}${"value".padStart(10)}${"goal".padStart(12)}`);
      for (const [name, value] of Object.entries(values)) console.log(line(name, value));
    }
  } finally {
    await browser.close();
    await server.close();
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href)
  await report(process.argv.slice(2));
