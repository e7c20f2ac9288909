// One visit to every page of the site, in one Chromium: it loads, comes to rest and complains of nothing.
// What else holds for every page is tested by tests/web/every-page.test.js.

import assert from "node:assert/strict";
import { availableParallelism } from "node:os";
import { after, describe, test } from "node:test";
import { page as built } from "../scripts/page.js";
import { serve } from "../scripts/serve.js";
import { openBrowser } from "./web/browser.js";
import { nameOf, pages, settled } from "./web/pages.js";

const server = await serve(built);
const browser = await openBrowser();

after(async () => {
  await browser.close();
  await server.close();
});

describe(
  "smoke: every page loads, comes to rest and complains of nothing",
  {
    concurrency: availableParallelism(),
  },
  () => {
    for (const path of pages()) {
      test(nameOf(path), async () => {
        const { page, problems } = await browser.newPage();
        const response = await page.goto(`${server.url}${path}`);
        assert.equal(response?.status(), 200);
        await settled(page);
        assert.deepEqual(problems, []);
        await page.context().close();
      });
    }
  },
);
