import assert from "node:assert/strict";
import { test } from "node:test";
import { models } from "phasor/models";
import { bytesOf } from "./browser.js";
import { openSite } from "./open-site.js";
import { settled } from "./pages.js";
import { until } from "../until.js";

const { server, browser } = await openSite();
const { page, problems } = await browser.newPage();
await page.goto(`${server.url}models/schemes/`);
await settled(page);

/** The cells of a scheme's row. @param {string} title */
async function cells(title) {
  const row = page.locator(".compared tr", { has: page.getByRole("link", { name: title }) });
  return row.locator("td").allInnerTexts();
}

test("schemes: costs are those of models.cost, and what is new beyond the trained length is counted", async () => {
  const [on, kind, parameters, operations, beyond, families] = await cells("RoPE");
  assert.deepEqual([on, kind, parameters], ["queries, keys", "relative", "0"]);
  assert.equal(operations, models.cost("rope").flops.toLocaleString("en"));
  // theta_i = 10000^(-i/32): no whole turn within 1024 positions from i = 18 on.
  const fresh = Array.from({ length: 32 }, (_, i) => 10000 ** (-i / 32)).filter(
    (theta) => theta * 1023 < 2 * Math.PI,
  );
  assert.match(
    beyond,
    new RegExp(`^${fresh.length} of 32 pairs meet new angles, up to [\\d.]+ turns$`),
  );
  assert.ok(Number(families) > 100);
  assert.equal((await cells("Learned table"))[2], "786,432");
  assert.match((await cells("Learned table"))[4], /^3,072 positions without a row: an error$/);
  assert.match((await cells("ALiBi"))[4], /lowered by 16 instead of 4 in the head/);
  assert.match((await cells("T5's bias"))[4], /share the last bucket/);
});

test("schemes: the table is saved as CSV, and a link holds its sizes", async () => {
  const arrival = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save as CSV" }).click();
  const lines = (await bytesOf(await arrival)).toString().trimEnd().split("\r\n");
  assert.equal(lines.length - 1, await page.locator(".compared tbody tr").count());
  assert.match(lines[0], /^"Scheme",.*"Families","D","H","L","T"$/);
  const learned = lines.find((line) => line.startsWith('"Learned table"')) ?? "";
  assert.match(
    learned,
    /,786432,768,"3,072 positions without a row: an error",\d+,768,12,1024,4096$/,
  );

  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.locator('[name="heads"]').fill("16");
  await until(() => page.url().includes("heads=16"), "the address has the number of heads");
  await page.getByRole("button", { name: "Copy link" }).click();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), page.url());

  // An insecure address has no such API: that of a lecturer's own computer.
  await page.evaluate(() => {
    const api = navigator.clipboard;
    Object.assign(globalThis, { api });
    Object.defineProperty(navigator, "clipboard", { value: undefined, configurable: true });
    return api.writeText("");
  });
  await page.getByRole("button", { name: "Copy link" }).click();
  await until(
    async () => (await page.locator("#link-note").innerText()) === "Copied.",
    "it is said",
  );
  assert.equal(
    await page.evaluate(() => /** @type {any} */ (globalThis).api.readText()),
    page.url(),
  );
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), "Copy link");
  await page.evaluate(() => Reflect.deleteProperty(navigator, "clipboard"));
  await page.locator('[name="heads"]').fill("12");
  await settled(page);
});

test("schemes: a text within the trained length has nothing new", async () => {
  /** Bars of what is new, and of what is not. */
  const bars = async () => [
    await page.locator(".reach .new").count(),
    await page.locator(".reach .kept").count(),
  ];
  const rows = await page.locator(".reach li").count();
  assert.equal(rows, await page.locator(".compared tbody tr").count());
  const [fresh, kept] = await bars();
  assert.ok(fresh > 0 && fresh + kept === rows);
  assert.equal(await page.locator(".reach .seen").first().getAttribute("width"), "25%");
  const length = page.locator('[name="length"]');
  await length.fill("1024");
  await settled(page);
  assert.deepEqual(await bars(), [0, 0]);
  for (const title of ["RoPE", "Sinusoids", "Learned table"]) {
    assert.equal((await cells(title))[4], "nothing: T is at most L");
  }
  assert.deepEqual(problems, []);
});
