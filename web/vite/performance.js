import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parts } from "../guides/performance/table.js";

/** @typedef {import("../../scripts/bench/record.js").Recorded} Recorded */

const id = "virtual:performance";

/**
 * The recorded run of the guide "Performance": its tables and sentences as HTML, what its figures draw as a module.
 *
 * @param {string} web  the folder
 * @returns {import("vite").Plugin}
 */
export function performance(web) {
  const read = () =>
    /** @type {Recorded} */ (
      JSON.parse(readFileSync(join(web, "guides/performance/recorded.json"), "utf8"))
    );
  return {
    name: "performance",
    resolveId: (name) => (name === id ? `\0${id}` : undefined),
    load(name) {
      if (name !== `\0${id}`) return;
      return `export default ${JSON.stringify(read().scaling ?? [])};`;
    },
    transformIndexHtml: {
      order: "pre", // before the template, which does not know the element
      handler(html, { path }) {
        if (path !== "/guides/performance/index.html") return html;
        const recorded = read();
        return html.replace(/<x-recorded name="(\w+)"><\/x-recorded>/g, (_, name) =>
          parts[/** @type {keyof typeof parts} */ (name)](recorded),
        );
      },
    },
  };
}
