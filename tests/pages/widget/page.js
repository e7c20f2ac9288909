// A page under the site's policy with the widget in it, for tests.

import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before } from "node:test";
import { contentSecurityPolicy } from "../../../scripts/site/policy.js";
import { serve } from "../../../scripts/site/serve.js";
import { project } from "../../../scripts/setup/setup.js";
import { openBrowser } from "../browser.js";

/** @typedef {import("playwright-core").Page} Page */

const html = `<!doctype html>
<html lang="en">
  <meta charset="utf-8" />
  <title>Widget</title>
  <meta name="viewport" content="width=device-width, initial-scale=1" />
  <link rel="icon" href="data:," />
  <link rel="stylesheet" href="style.css" />
  <script type="module" src="main.js"></script>
  <main><h1>Widget</h1></main>
</html>
`;

const main = `
import * as host from "./host.js";
import * as widget from "./widget.js";
Object.assign(globalThis, { host, widget });
`;

const style = `
:root { color-scheme: light dark; }
:root.dark { color-scheme: dark; }
html { background: Canvas; color: CanvasText }
`;

const viewport = { width: 900, height: 900 };

/** Hosts run modules from the text of a file. */
const policy = contentSecurityPolicy.replace("script-src 'self'", "script-src 'self' blob: data:");

/**
 * Serves it until the file's tests are over.
 *
 * `open` opens it, as `hosted` under the policy of a host.
 *
 * @param {string} name  of its folder in build/
 */
export function widgetPage(name) {
  /** @type {Record<string, Awaited<ReturnType<typeof serve>>>} */
  const servers = {};
  /** @type {Awaited<ReturnType<typeof openBrowser>>} */
  let browser;
  /** The page of all tests: a new one takes longer. @type {Awaited<ReturnType<typeof browser.newPage>>} */
  let visit;

  before(async () => {
    const folder = join(project, "build", name);
    await mkdir(folder, { recursive: true });
    await copyFile(join(project, "dist", "widget.js"), join(folder, "widget.js"));
    await copyFile(join(project, "tests/pages/widget/host.js"), join(folder, "host.js"));
    await writeFile(join(folder, "index.html"), html);
    await writeFile(join(folder, "main.js"), main);
    await writeFile(join(folder, "style.css"), style);
    servers.strict = await serve(folder);
    servers.hosted = await serve(folder, { headers: { "Content-Security-Policy": policy } });
    browser = await openBrowser();
    visit = await browser.newPage({ viewport });
  });

  after(async () => {
    await browser?.close();
    for (const server of Object.values(servers)) await server.close();
  });

  return {
    async open({ hosted = false } = {}) {
      await visit.page.emulateMedia({ colorScheme: null });
      await visit.page.mouse.move(0, 0);
      visit.problems.length = 0;
      await visit.page.goto(servers[hosted ? "hosted" : "strict"].url);
      await visit.page.waitForFunction(() => "widget" in globalThis);
      return visit;
    },
  };
}
