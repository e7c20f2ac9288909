import { parseHTML } from "linkedom";
import { atlas } from "phasor/models";

/** @import { Section } from "../app/search/find.js" */

/** What is left out: links around the page, what a reader sets, and what is shown only after an answer. */
const LEFT_OUT = "nav, form, script, style, svg, math, figure.preview, [hidden], .site-foot";

/** What begins a section, if it has an address. */
const HEADINGS = "h1, h2, h3, dt";

/** Pages that no reader looks for. */
const SKIPPED = /^(frame|not-found)\//;

/**
 * The text of all pages by their sections, in search.json: what the search of the site reads when it is first opened.
 *
 * @returns {import("vite").Plugin}
 */
export const search = () => ({
  name: "search",
  generateBundle: {
    order: "post", // when the pages are made
    handler(_, bundle) {
      const pages = Object.values(bundle).flatMap((file) =>
        file.type === "asset" && /(^|\/)index\.html$/.test(file.fileName)
          ? [[file.fileName.replace(/index\.html$/, ""), String(file.source)]]
          : [],
      );
      const sections = pages
        .filter(([path]) => !SKIPPED.test(path))
        .flatMap(([path, html]) => sectionsOf(path, html));
      const source = JSON.stringify(sections.concat(families()));
      this.emitFile({ type: "asset", fileName: "search.json", source });
    },
  },
});

/**
 * The sections of a page, the page's beginning first.
 * @param {string} path  such as "lessons/rope/" @param {string} html
 * @returns {Section[]}
 */
export function sectionsOf(path, html) {
  const { document } = parseHTML(html);
  const main = document.querySelector("main");
  if (!main) return [];
  const hasControls = main.querySelector("form[data-controls]") !== null;
  for (const each of main.querySelectorAll(LEFT_OUT)) each.remove();
  const page = textOf(main.querySelector("h1") ?? document.querySelector("title")).replace(
    / - phasor$/,
    "",
  );
  main.querySelector("h1")?.remove(); // it is the title
  /** @type {Section[]} */
  const sections = [{ page, title: page, address: path, text: "" }];
  /** @param {Node} node */
  const read = (node) => {
    for (const child of node.childNodes) {
      if (child.nodeType === 3) sections[sections.length - 1].text += child.textContent;
      if (child.nodeType !== 1) continue;
      const element = /** @type {Element} */ (child);
      const id = element.matches(HEADINGS) ? element.id : "";
      if (!id) read(element);
      else sections.push({ page, title: textOf(element), address: addressOf(path, id, hasControls), text: "" }); // prettier-ignore
      if (BLOCKS.test(element.localName)) sections[sections.length - 1].text += " ";
    }
  };
  read(main);
  for (const section of sections) section.text = section.text.replace(/\s+/g, " ").trim();
  return sections;
}

/** Elements whose end is the end of a word. */
const BLOCKS = /^(p|li|dd|td|th|tr|div|section|h\d|pre|output|summary|figcaption|label)$/;

/** As `linkSections` has it: on a page with controls the part after the # holds their settings. @param {string} path @param {string} id @param {boolean} hasControls */
function addressOf(path, id, hasControls) {
  return hasControls ? `${path}?${new URLSearchParams({ section: id })}` : `${path}#${id}`;
}

/** @param {Element | null} element */
const textOf = (element) => (element?.textContent ?? "").replace(/\s+/g, " ").trim();

/** The families of the atlas, each with its address. @returns {Section[]} */
function families() {
  return atlas().map(({ family, scheme, preset, layout }) => ({
    page: "Atlas of models",
    title: family,
    address: `models/atlas/#${new URLSearchParams({ search: family })}`,
    text: [scheme, preset, layout].filter(Boolean).join(" "),
  }));
}
