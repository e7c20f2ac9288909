// phasor beside plain JavaScript in Chromium: the small tasks that the guide "Performance" runs in its reader's browser.

import { openBrowser } from "../../tests/pages/browser.js";
import { buildPage, page as site } from "../site/page.js";
import { serve } from "../site/serve.js";
import { setup } from "../setup/setup.js";
import { digits, table } from "./report.js";

/**
 * @typedef {object} RecordedBrowser
 * @property {string} engine  the browser and its version
 * @property {{title: string, ours: number, loop: number}[]} tasks  milliseconds of phasor and of the loop
 */

/** @returns {Promise<import("./record.js").Found>} */
export async function runBrowser() {
  await buildPage(await setup(["packages"]));
  const server = await serve(site);
  const browser = await openBrowser();
  try {
    const { page } = await browser.newPage();
    await page.goto(`${server.url}guides/performance/`);
    await page.getByRole("button", { name: "Run in this browser" }).click();
    await page.getByText("Done.").waitFor();
    const tasks = await page.locator("#trial tbody tr").evaluateAll((lines) =>
      lines.map((line) => {
        const read = (/** @type {string} */ text) => Number(text.replaceAll(",", ""));
        const cells = Array.from(line.children, ({ textContent }) => textContent ?? "");
        return { title: cells[0], ours: read(cells[1]), loop: read(cells[2]) };
      }),
    );
    const engine = `Chromium ${page.context().browser()?.version()}`;
    console.log(`\n${engine}; medians of slices of 8 ms, in turn`);
    const lines = tasks.map(({ title, ours, loop }) => [
      title,
      ...[ours, loop, loop / ours].map(digits),
    ]);
    console.log(table([["", "phasor, ms", "JavaScript, ms", "JavaScript / phasor"], ...lines]));
    return { browser: { engine, tasks }, judgements: [] };
  } finally {
    await browser.close();
    await server.close();
  }
}
