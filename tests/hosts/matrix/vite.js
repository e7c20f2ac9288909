// Vite, of whichever version is given, building and as a server for development.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { filesOf } from "../../pages/guides/guide.js";
import { inChromium, visit, writePages } from "./browser.js";
import { lay } from "./matrix.js";

/** @import { Environment } from "./matrix.js" */

const given = {
  "core.wasm": 'export { default } from "phasor/core.wasm?url";',
  "worker-thread": 'export { default } from "phasor/worker-thread?worker&url";',
  "lab-thread": 'export { default } from "phasor/lab-thread?worker&url";',
};

/**
 * @param {() => Promise<typeof import("vite")>} vite
 * @returns {Environment}
 */
export const viteBuild = (vite) => ({
  name: "Vite",
  async version() {
    return (await vite()).version;
  },
  async run(place) {
    const { build } = await vite();
    await lay(place, { given });
    await writePages(place.at, place.programs, (name) => `./${name}.main.js`);
    await build({
      root: place.at,
      base: "./",
      configFile: false,
      logLevel: "error",
      build: {
        modulePreload: { polyfill: false },
        rollupOptions: { input: place.programs.map(({ name }) => join(place.at, `${name}.html`)) },
      },
    });
    return inChromium(join(place.at, "dist"), place.programs);
  },
});

/**
 * @param {() => Promise<typeof import("vite")>} vite
 * @param {Environment["settings"]} [settings]  for which the guide's configuration is taken
 * @returns {Environment}
 */
export const viteDev = (vite, settings) => ({
  name: "Vite, server",
  async version() {
    return (await vite()).version;
  },
  settings,
  async run(place) {
    const { createServer } = await vite();
    await lay(place, { given });
    await writePages(place.at, place.programs, (name) => `./${name}.main.js`);
    let configFile = /** @type {string | false} */ (false);
    if (settings && place.settled) {
      configFile = join(place.at, "vite.config.js");
      const guide = await filesOf("bundlers");
      await writeFile(configFile, String(guide.get("vite.config.js")));
    }
    const server = await createServer({
      root: place.at,
      cacheDir: join(place.at, ".vite"),
      configFile,
      logLevel: "error",
      server: { host: "127.0.0.1", port: 0 },
    });
    try {
      await server.listen();
      const [address] = server.resolvedUrls?.local ?? [];
      return await visit(place.programs, (name) => `${address}${name}.html`);
    } finally {
      await server.close();
    }
  },
});
