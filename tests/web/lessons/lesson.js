// What tests of single lessons ask of their pages.

/** @typedef {import("playwright-core").Page} Page */

/**
 * The numbers of a figure as it gives them away, and the name of each row.
 * @param {Page} page @param {string} name
 */
export async function cells(page, name) {
  const table = await page.locator(`#${name} > figure`).evaluate((figure) => {
    const { header, rows, cell } = /** @type {any} */ (figure).table;
    return Array.from({ length: rows }, (_, row) =>
      Array.from(header, (_, column) => cell(row, column)),
    );
  });
  return {
    names: table.map(([first]) => String(first)),
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
  return (await question.locator(".verdict[data-right]").getAttribute("data-right")) === "true";
}
