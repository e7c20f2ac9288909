import { relative } from "node:path";
import { expand } from "../template/expand.js";
import { layout } from "../template/layout.js";

/**
 * Makes whole pages of the fragments that lie in `web/`: a fragment holds what only this page has,
 * `layout.js` puts the rest round it, and `expand.js` turns its `x-` elements and its TeX into plain
 * HTML and MathML. All of this happens when the page is built; a reader's browser gets plain pages.
 *
 * @param {string} web  the folder
 * @returns {import("vite").Plugin}
 */
export function template(web) {
  return {
    name: "template",
    transformIndexHtml: {
      order: "pre",
      handler(html, { filename }) {
        if (/^\s*<!doctype/i.test(html)) return html; // already a whole page
        return layout(expand(html), relative(web, filename));
      },
    },
  };
}
