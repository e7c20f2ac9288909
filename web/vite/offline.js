import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { headerFor } from "../../scripts/policy.js";

/**
 * What lets the pages work without a network and be installed: the service worker with the list of
 * all files, the manifest and its icon, beside the first page.
 *
 * @param {string} web
 * @returns {import("vite").Plugin}
 */
export function offline(web) {
  const read = (/** @type {string} */ path) => readFileSync(join(web, path), "utf8");
  return {
    name: "offline",
    transformIndexHtml: {
      order: "post", // so that the address stays as it is
      handler: (_, { path }) =>
        path === "/frame/index.html"
          ? []
          : [
              {
                tag: "link",
                attrs: { rel: "manifest", href: `${toRoot(path)}manifest.webmanifest` },
                injectTo: "head",
              },
            ],
    },
    generateBundle: {
      order: "post", // when all else is made
      handler(_, bundle) {
        /** @param {string} fileName @param {string} source */
        const emit = (fileName, source) => this.emitFile({ type: "asset", fileName, source });
        const manifest = read("manifest.webmanifest");
        const icon = read("app/icon.svg");
        emit("manifest.webmanifest", manifest);
        emit("icon.svg", icon);

        const hash = createHash("sha256").update(manifest).update(icon);
        const names = Object.keys(bundle).filter((name) => !name.endsWith(".map"));
        for (const name of names.sort()) {
          const made = bundle[name];
          hash.update(`\0${name}\0`).update(made.type === "chunk" ? made.code : made.source);
        }
        const files = new Set([...names, "manifest.webmanifest", "icon.svg"]);
        const addresses = Array.from(files, (name) => name.replace(/(^|\/)index\.html$/, "$1"));
        const worker = read("service-worker.js");
        emit(
          "service-worker.js",
          [
            `const VERSION = ${JSON.stringify(hash.update(worker).digest("hex").slice(0, 16))};`,
            `const FILES = ${JSON.stringify(addresses)};`,
            `const FRAME_POLICY = ${JSON.stringify(headerFor("frame/"))};`,
            worker,
          ].join("\n"),
        );
      },
    },
  };
}

/** From a page to the first one. @param {string} path  /, or /lessons/rope/index.html */
function toRoot(path) {
  return "../".repeat(path.split("/").length - 2) || "./";
}
