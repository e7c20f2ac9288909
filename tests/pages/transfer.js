// What a page transfers until it answers.

import { settled } from "./pages.js";

/** @typedef {{url: string, at: number, bytes: number}} Part  `at`: when it was asked for, ms of the clock */

/**
 * Opens a page and waits until it settles.
 *
 * @param {import("playwright-core").Page} page
 * @param {string} address
 * @param {string} mark  the entry of `performance` from which the page answers
 * @returns {Promise<{bytes: number, sooner: Part[], later: Part[]}>}  what was asked for until then, with the bytes of its
 *   responses as compressed, and what was later
 */
export async function transferOf(page, address, mark) {
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  /** @type {Map<string, Part>} */
  const parts = new Map();
  session.on("Network.requestWillBeSent", ({ requestId, request, wallTime }) => {
    parts.set(requestId, { url: request.url, at: 1000 * wallTime, bytes: 0 });
  });
  session.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    const part = parts.get(requestId);
    if (part) part.bytes = encodedDataLength;
  });
  await page.goto(address);
  await settled(page);
  const answers = await page.evaluate((mark) => {
    const [{ startTime }] = performance.getEntriesByName(mark);
    return performance.timeOrigin + startTime;
  }, mark);
  const all = [...parts.values()];
  const sooner = all.filter(({ at }) => at <= answers);
  const bytes = sooner.reduce((sum, part) => sum + part.bytes, 0);
  return { bytes, sooner, later: all.filter(({ at }) => at > answers) };
}
