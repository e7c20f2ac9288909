// The built site on this machine, for tests in a browser: one server for the files of a tier, or one of a file's own.

import { join } from "node:path";
import { buildPage } from "../../scripts/site/page.js";
import { serve } from "../../scripts/site/serve.js";
import { project, setup } from "../../scripts/setup/setup.js";

/** @typedef {Awaited<ReturnType<typeof serve>>} Server */

/** Starts a server of build/ that tests of several files share: those with its address in PHASOR_BUILD. */
export function startServer() {
  // Nothing is built anew while tests run, so a page that is opened again need not ask for its files again.
  return serve(join(project, "build"), { headers: { "Cache-Control": "max-age=3600" } });
}

/**
 * Serves build/, with the site in page/: a static host may keep it under any path.
 * @returns {Promise<Server>}
 */
export async function serveBuild() {
  const { PHASOR_BUILD: shared } = process.env;
  if (shared) return { url: shared, close: async () => {} };
  await buildPage(await setup(["packages"]));
  return startServer();
}

/** Serves the site. @returns {Promise<Server>} */
export async function serveSite() {
  const { url, close } = await serveBuild();
  return { url: `${url}page/`, close };
}
