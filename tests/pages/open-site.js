// What most tests of pages begin with.

import { after } from "node:test";
import { openBrowser } from "./browser.js";
import { serveSite } from "./site.js";

/**
 * The site on a server and a browser, until the file's tests are over.
 * @param {typeof serveSite} [serve]  what to serve
 */
export async function openSite(serve = serveSite) {
  const server = await serve();
  const browser = await openBrowser();
  after(async () => {
    await browser.close();
    await server.close();
  });
  return { server, browser };
}
