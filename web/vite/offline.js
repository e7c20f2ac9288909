import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { headerFor } from "../../scripts/site/policy.js";

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
      handler() {
        /** @param {string} fileName @param {string} source */
        const emit = (fileName, source) => this.emitFile({ type: "asset", fileName, source });
        emit("manifest.webmanifest", read("manifest.webmanifest"));
        emit("icon.svg", read("app/icon.svg"));
      },
    },
    // A digest of the written files: a server must not change a byte.
    writeBundle({ dir = "" }, bundle) {
      const names = Object.keys(bundle).filter((name) => !name.endsWith(".map"));
      const files = names.sort().map((name) => {
        const digest = createHash("sha256").update(readFileSync(join(dir, name)));
        return [name.replace(/(^|\/)index\.html$/, "$1"), `sha256-${digest.digest("base64")}`];
      });
      const list = JSON.stringify(Object.fromEntries(files));
      const worker = read("service-worker.js");
      const version = createHash("sha256").update(list).update(worker).digest("hex");
      writeFileSync(
        join(dir, "service-worker.js"),
        [
          `const VERSION = ${JSON.stringify(version.slice(0, 16))};`,
          `const FILES = ${list};`,
          `const FRAME_POLICY = ${JSON.stringify(headerFor("frame/"))};`,
          worker,
        ].join("\n"),
      );
    },
  };
}

/** From a page to the first one. @param {string} path  /, or /lessons/rope/index.html */
function toRoot(path) {
  return "../".repeat(path.split("/").length - 2) || "./";
}
