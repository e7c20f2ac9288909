// The page that hosts send where none is, at any depth and below any folder.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { buildPage, page as built } from "../../scripts/site/page.js";
import { serve } from "../../scripts/site/serve.js";
import { project, setup } from "../../scripts/setup/setup.js";
import { notFoundPage } from "../../web/vite/not-found.js";
import { themes, violations } from "./axe.js";
import { openBrowser } from "./browser.js";
import { settled } from "./pages.js";

await buildPage(await setup(["packages"]));
const browser = await openBrowser();

/** A host with the site at its root, and one with it in a folder. */
const servers = [
  { server: await serve(built), folder: "" },
  { server: await serve(join(project, "build")), folder: "page/" },
];

after(async () => {
  await browser.close();
  for (const { server } of servers) await server.close();
});

test("404: its links lead to the site from any depth, below any folder", async () => {
  const { page, problems } = await browser.newPage();
  for (const { server, folder } of servers) {
    for (const path of ["none", "lessons/none/", "lessons/rope/none/deeper.html?a=b"]) {
      problems.length = 0;
      const answer = await page.goto(server.url + folder + path);
      assert.equal(answer?.status(), 404);
      await settled(page);
      const links = await page
        .locator("a")
        .evaluateAll((all) => all.map((link) => /** @type {HTMLAnchorElement} */ (link).href));
      const root = server.url + folder;
      assert.deepEqual(links, [
        ...[root, root],
        ...["lessons/", "playground/", "explorer/", "guides/", "reference/"].map((to) => root + to),
      ]);
      assert.match(await page.title(), /phasor/);
      if (path === "none") assert.deepEqual(await violations(page, themes), []); // the others are the same
      assert.deepEqual(
        problems.filter((problem) => !/status of 404/.test(problem)),
        [],
      );
      const lessons = page.getByRole("link", { name: "Lessons" });
      await lessons.click();
      await page.waitForURL(`${root}lessons/`);
    }
  }
});

test("404: with a public address its links need no script", () => {
  const read = (/** @type {string} */ name) =>
    readFileSync(join(project, "web/not-found", name), "utf8");
  assert.match(notFoundPage(read, "https://example.org/a/"), /href="\/a\/lessons\/"/);
  assert.match(notFoundPage(read, ""), /href="\/lessons\/"/);
});
