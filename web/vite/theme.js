import { readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The script that sets the theme the reader has chosen. It is classic, so that it runs before all others and no
 * page is drawn in the wrong theme first; the policy comes before it.
 *
 * @param {string} web  the folder
 * @returns {import("vite").Plugin}
 */
export function theme(web) {
  const whole = readFileSync(join(web, "app/early-theme.js"), "utf8");
  const source = whole.replace(/^ *(?:\/\/.*)?\n|^ +/gm, ""); // it is sent as it is, with every page
  return {
    name: "theme",
    transformIndexHtml: {
      order: "post", // so that the address stays as it is
      handler(_, { path }) {
        if (path === "/frame/index.html") return [];
        const root = "../".repeat(path.split("/").length - 2) || "./";
        return [{ tag: "script", attrs: { src: `${root}theme.js` }, injectTo: "head" }];
      },
    },
    generateBundle() {
      this.emitFile({ type: "asset", fileName: "theme.js", source });
    },
  };
}
