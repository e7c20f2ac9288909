// What tests of single lessons ask of their pages.

import { until } from "../../until.js";
import { openSite } from "../open-site.js";
import { serveBuild } from "../site.js";
import { put } from "../controls.js";
import { settled, unfold } from "../pages.js";

/** @typedef {import("playwright-core").Page} Page */

/**
 * A page in a separate browser, until the file's tests are over.
 * @param {string} name  of a lesson
 * @param {string} [path]  of a page that is no lesson
 */
export async function visit(name, path = `lessons/${name}/`) {
  const { server, browser } = await openSite(serveBuild);
  const { page, problems } = await browser.newPage();
  await page.goto(`${server.url}page/${path}`);
  await settled(page);
  await unfold(page);
  return {
    page,
    problems,

    /** @param {string} control @param {string | number} value */
    async set(control, value) {
      await put(page, control, String(value));
      await settled(page);
    },

    /** Waits until a control has been set. @param {string} control @param {string} value */
    async isAt(control, value) {
      const now = () => page.locator(`form[data-controls] [name="${control}"]`).inputValue();
      await until(async () => (await now()) === value, `${control} is at ${value}`);
      await settled(page);
    },

    /** Chooses files. @param {...(readonly [name: string, bytes: Uint8Array | string])} files */
    async choose(...files) {
      const list = files.map(([name, bytes]) => ({
        name,
        mimeType: "application/octet-stream",
        buffer: Buffer.from(bytes),
      }));
      await page.setInputFiles("#files", list);
      await settled(page);
    },

    /** @param {string} fact */
    fact: (fact) => page.locator(`[data-fact="${fact}"]`).first().innerText(),

    /** @param {string} figure */
    cells: (figure) => cells(page, figure),

    /** @param {string} question @param {string} answer */
    answered: (question, answer) => answered(page, question, answer),
  };
}

/**
 * The numbers of a figure as it gives them away, and the name of each row.
 * @param {Page} page @param {string} name
 */
export async function cells(page, name) {
  // As one text: of fifty thousand rows Playwright would take each cell apart.
  const text = await page.locator(`#${name} > figure`).evaluate((figure) => {
    const { header, rows, cell } = /** @type {any} */ (figure).table;
    const table = Array.from({ length: rows }, (_, row) =>
      Array.from(header, (_, column) => String(cell(row, column))),
    );
    return JSON.stringify(table);
  });
  const table = /** @type {string[][]} */ (JSON.parse(text));
  return {
    names: table.map(([first]) => first),
    numbers: table.map(([, ...rest]) => rest.map(Number)),
  };
}

/**
 * Whether the page takes an answer for right.
 * @param {Page} page @param {string} name @param {string} answer  a choice, or a number
 */
export async function answered(page, name, answer) {
  const question = page.locator(`[data-question="${name}"]`);
  const choice = question.locator(`input[type="radio"][value="${answer}"]`);
  if (await choice.count()) await choice.check();
  else await question.locator('input[name="answer"]').fill(answer);
  await question.locator(".ask").click();
  const right = await question.locator(".verdict[data-right]").getAttribute("data-right");
  await settled(page); // figures show the reader's answer
  return right === "true";
}
