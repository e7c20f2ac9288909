// Nothing on a page moves while it loads: the shift of its layout, as Chromium counts it, on a slow processor.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { isNight, sampled } from "../sample.js";
import { openBrowser } from "./browser.js";
import { isAlike, pages, settled } from "./pages.js";
import { serveSite } from "./site.js";

const server = await serveSite();
const browser = await openBrowser();

after(async () => {
  await browser.close();
  await server.close();
});

/** The largest sum of shifts that no reader notices. */
const MOST = 0.02;

/** How much slower than this machine's the processor is. */
const SLOWER = 4;

/** Pages whose layout shifted once, and all others, of which the day takes some. */
const SHIFTED = ["", "lab/", "lessons/lookup/", "lessons/rope/", "reference/"];
const others = pages().filter((path) => !isAlike(path) && !SHIFTED.includes(path));

const observer = `globalThis.shifts = [];
new PerformanceObserver((list) => {
  for (const { value, hadRecentInput, sources } of list.getEntries()) {
    if (hadRecentInput) continue;
    shifts.push({ value, moved: sources.map(({ node }) => String(node?.textContent).trim().slice(0, 40)) });
  }
}).observe({ type: "layout-shift", buffered: true });`;

/** What has moved on a page that a new reader opens. @param {string} path @param {number} width */
async function shiftsOf(path, width) {
  const viewport = { width, height: 800 };
  const { page } = await browser.newPage({ viewport, scripts: [observer] });
  const session = await page.context().newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate: SLOWER });
  await page.goto(`${server.url}${path}`);
  await settled(page);
  const shifts = await page.evaluate(() => /** @type {any} */ (globalThis).shifts);
  await page.context().close();
  return /** @type {{ value: number, moved: string[] }[]} */ (shifts);
}

const WIDTHS = [390, 1280];

for (const [i, path] of [...SHIFTED, ...sampled(others, 1 / 12)].entries()) {
  // By day one width of each but the front page, by turns: a processor that is slowed down costs as much as a slow one.
  const widths = isNight || path === "" ? WIDTHS : [WIDTHS[i % WIDTHS.length]];
  test(`${path || "the front page"} keeps its layout while it loads`, async () => {
    for (const width of widths) {
      const shifts = await shiftsOf(path, width);
      const sum = shifts.reduce((total, { value }) => total + value, 0);
      assert.ok(sum <= MOST, `${width} px wide: ${sum.toFixed(3)}, ${JSON.stringify(shifts)}`);
    }
  });
}
