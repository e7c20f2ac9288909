// Vite, of whichever version is given, building and as a server for development.

import { join } from "node:path";
import { inChromium, visit, writePages } from "./browser.js";
import { lay } from "./matrix.js";

/** @import { Environment, Place } from "./matrix.js" */

const core = 'export { default } from "phasor/core.wasm?url";\n';

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
    await lay(place, { core });
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
 * @param {Environment["settings"]} [settings]
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
    await lay(place, { core });
    await writePages(place.at, place.programs, (name) => `./${name}.main.js`);
    const server = await createServer({
      root: place.at,
      cacheDir: join(place.at, ".vite"),
      configFile: false,
      logLevel: "error",
      server: { host: "127.0.0.1", port: 0 },
      optimizeDeps: settings && place.settled ? { exclude: ["phasor"] } : {},
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
