import { readRecorded } from "./recorded.js";

const id = "virtual:performance";

/**
 * What the figures of the guide "Performance" draw, as a module.
 *
 * @param {string} web  the folder
 * @returns {import("vite").Plugin}
 */
export function performance(web) {
  return {
    name: "performance",
    resolveId: (name) => (name === id ? `\0${id}` : undefined),
    load(name) {
      if (name !== `\0${id}`) return;
      return `export default ${JSON.stringify(readRecorded(web, "guides/performance").scaling ?? [])};`;
    },
  };
}
