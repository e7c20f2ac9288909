import { readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The parts of a guide that show a recorded run: `<x-recorded name="rows">` becomes HTML when the site is built.
 *
 * @template Recorded
 * @param {string} web  the folder
 * @param {string} guide  with the run in its `recorded.json`
 * @param {Readonly<Record<string, (recorded: Recorded) => string>>} parts  by name
 * @returns {import("vite").Plugin}
 */
export function recorded(web, guide, parts) {
  return {
    name: `recorded-${guide}`,
    transformIndexHtml: {
      order: "pre", // before the template, which does not know the element
      handler(html, { path }) {
        if (path !== `/guides/${guide}/index.html`) return html;
        const run = readRecorded(web, guide);
        return html.replace(/<x-recorded name="(\w+)"><\/x-recorded>/g, (_, name) =>
          parts[name](run),
        );
      },
    },
  };
}

/** @param {string} web @param {string} guide */
export function readRecorded(web, guide) {
  return JSON.parse(readFileSync(join(web, "guides", guide, "recorded.json"), "utf8"));
}
