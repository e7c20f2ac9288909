import { readFileSync } from "node:fs";
import { join } from "node:path";

const tag = '<script src="./frame.js"></script>';

/**
 * The frame's script within its HTML: the origin of a sandbox may load no file, and a service worker
 * gives it none.
 *
 * @param {string} web
 * @returns {import("vite").Plugin}
 */
export function frame(web) {
  return {
    name: "frame",
    transformIndexHtml: {
      order: "pre",
      handler(html, { path }) {
        if (path !== "/frame/index.html") return html;
        if (!html.includes(tag)) throw new Error(`frame/index.html must have ${tag}`);
        const script = readFileSync(join(web, "frame/frame.js"), "utf8");
        return html.replace(tag, () => `<script>\n${script}</script>`);
      },
    },
  };
}
