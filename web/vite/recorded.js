import { readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The parts of a page that show a recorded run: `<x-recorded name="rows">` becomes HTML when the site is built.
 *
 * @template Recorded
 * @param {string} web  the folder
 * @param {string} page  its folder
 * @param {Readonly<Record<string, (recorded: Recorded) => string>>} parts  by name
 * @param {string} [from]  the folder of the run's `recorded.json`
 * @returns {import("vite").Plugin}
 */
export function recorded(web, page, parts, from = page) {
  return {
    name: `recorded-${page}`,
    transformIndexHtml: {
      order: "pre", // before the template, which does not know the element
      handler(html, { path }) {
        if (path !== `/${page}/index.html`) return html;
        const run = readRecorded(web, from);
        return html.replace(/<x-recorded name="(\w+)"><\/x-recorded>/g, (_, name) =>
          parts[name](run),
        );
      },
    },
  };
}

/** @param {string} web @param {string} folder */
export function readRecorded(web, folder) {
  return JSON.parse(readFileSync(join(web, folder, "recorded.json"), "utf8"));
}
