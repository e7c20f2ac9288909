/** Updates of figures in Chromium. */

import { join } from "node:path";
import puppeteer from "puppeteer-core";
import { serve } from "../../../scripts/site/serve.js";
import { project, setup } from "../../../scripts/setup/setup.js";

/** @import { Memory, Taken } from "./runs.js" */

/**
 * @param {number} count  of updates, the figures in turn
 * @returns {Promise<Taken>} `wasm` counts the page's elements
 */
export async function updates(count) {
  const { chromium } = await setup(["browser"]);
  const server = await serve(join(project, "dist"));
  const browser = await puppeteer.launch({
    executablePath: chromium,
    headless: true,
    args: ["--no-sandbox", "--js-flags=--expose-gc", "--enable-precise-memory-info"],
    protocolTimeout: 1_200_000,
  });
  try {
    const page = await browser.newPage();
    await page.goto(`${server.url}plots.js`);
    const [early, late] = await page.evaluate(updateFigures, count);
    return { name: "updates of figures", count, early, late };
  } finally {
    await browser.close();
    await server.close();
  }
}

/** In the page. @param {number} count @returns {Promise<[Memory, Memory]>} */
async function updateFigures(count) {
  const path = "/plots.js";
  const { heatmap, scatter, bias } = /** @type {typeof import("phasor/plots")} */ (
    await import(path)
  ).figures();
  const drawn = /** @type {any[]} */ ([heatmap([[0]]), scatter([[0, 0]]), bias([[[0]]])]); // prettier-ignore
  const frame = () => new Promise((resolve) => setTimeout(resolve, 0));
  const measured = async () => {
    for (let i = 0; i < 4; ++i) {
      /** @type {any} */ (globalThis).gc();
      await frame();
    }
    const { usedJSHeapSize } = /** @type {any} */ (performance).memory;
    const elements = document.getElementsByTagName("*").length;
    return { heap: usedJSHeapSize, outside: 0, wasm: elements };
  };
  const data = (/** @type {number} */ i) => {
    const rows = [[i % 9, 1], [2, i % 7]]; // prettier-ignore
    return i % 3 === 2 ? [rows] : rows;
  };
  const step = (/** @type {number} */ i) => drawn[i % 3].update(data(i));
  const tenth = Math.ceil(count / 10);
  for (let i = 0; i < tenth; ++i) {
    step(i);
    if (i % 1000 === 0) await frame();
  }
  const early = await measured();
  for (let i = tenth; i < count; ++i) {
    step(i);
    if (i % 1000 === 0) await frame();
  }
  return [early, await measured()];
}
