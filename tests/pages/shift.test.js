// Nothing on a page moves while it loads: the shift of its layout, as Chromium counts it, on a slow processor and a
// network that brings the page in pieces, each of which is drawn before the next one comes.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, test } from "node:test";
import { everyNth, isNight, sampled } from "../sample.js";
import { openBrowser } from "./browser.js";
import { frames, isAlike, openAnew, pages } from "./pages.js";
import { serveSite } from "./site.js";

/** The largest sum of shifts that no reader notices. */
const MOST = 0.02;

/** How much slower than this machine's the processor is. */
const SLOWER = 4;

/** The bytes of a page that come at once: less than the text beside a figure, and at least a part of the page. */
const PIECE = 2048;
const PART = 1 / 20;

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

const browser = await openBrowser();
const visit = await browser.newPage({ scripts: [observer] });
const session = await visit.page.context().newCDPSession(visit.page);
await session.send("Emulation.setCPUThrottlingRate", { rate: SLOWER });

const site = await serveSite();
const server = createServer(async ({ url = "" }, response) => {
  const answer = await fetch(new URL(url.slice(1), site.url));
  for (const name of ["content-type", "content-security-policy"])
    response.setHeader(name, answer.headers.get(name) ?? "");
  response.setHeader("cache-control", "no-store"); // as a new reader has nothing
  const bytes = Buffer.from(await answer.arrayBuffer());
  const piece = Math.max(PIECE, Math.ceil(PART * bytes.length));
  let sent = 0;
  const first = url.endsWith("/") ? bytes.indexOf("<main") : bytes.length; // before a page's body nothing is drawn
  for (let end = first; end < bytes.length; end += piece) {
    response.write(bytes.subarray(sent, (sent = end)));
    await frames(visit.page).catch(() => {}); // the page before this one has gone
  }
  response.end(bytes.subarray(sent));
});
await /** @type {Promise<void>} */ (
  new Promise((listening) => server.listen(0, "127.0.0.1", listening))
);
const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());

after(async () => {
  await browser.close();
  server.close();
  server.closeAllConnections();
  await site.close();
});

/** What has moved on a page that a new reader opens. @param {string} path @param {number} width */
async function shiftsOf(path, width) {
  await visit.page.setViewportSize({ width, height: 800 });
  await openAnew(visit, `http://127.0.0.1:${port}/`, path);
  const shifts = await visit.page.evaluate(() => /** @type {any} */ (globalThis).shifts);
  return /** @type {{ value: number, moved: string[] }[]} */ (shifts);
}

const WIDTHS = [390, 1280];

for (const [i, path] of [...SHIFTED, ...sampled(others, 0)].filter(everyNth(2)).entries()) {
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
