import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { inspect } from "node:util";
import { entriesCalled, programsOf } from "./calls.js";
import { readReference } from "./read.js";
import { indexPage, referencePage } from "./pages.js";

/** @import { Page, Entry } from "./read.js" */

/**
 * The reference: pages that lie nowhere, made of the comments of the source whenever the site is.
 *
 * @param {string} web
 * @param {{name: string, path: string}[]} entries  of the package
 * @returns {Promise<import("vite").Plugin>}
 */
export async function reference(web, entries) {
  const pages = await readReference();
  const shown = { value: await values(pages, entries), lessons: callers(join(web, "lessons")) };
  /** Fragments by the file that each would be. @type {Map<string, string>} */
  const files = new Map([[join(web, "reference/index.html"), indexPage(pages)]]);
  for (const page of pages) {
    files.set(join(web, "reference", page.name, "index.html"), referencePage(page, shown));
  }
  return {
    name: "reference",
    enforce: "pre",
    config: () => ({ build: { rolldownOptions: { input: [...files.keys()] } } }),
    resolveId: (id) => (files.has(id) ? id : undefined),
    load: (id) => files.get(id),
    transformIndexHtml: {
      order: "pre", // before the template, which makes links of what is added
      handler: (html, { path }) => withCalls(html, join(web, path, ".."), pages),
    },
    configureServer({ middlewares, transformIndexHtml }) {
      middlewares.use(async (request, response, next) => {
        const path = new URL(request.url ?? "", "http://localhost").pathname;
        const file = path.endsWith("/") ? `${path}index.html` : path;
        const fragment = files.get(join(web, file));
        if (fragment === undefined) return next();
        response.setHeader("Content-Type", "text/html");
        response.end(await transformIndexHtml(file, fragment));
      });
    },
  };
}

/**
 * Adds to the programs of a lesson the entries of the reference that they call.
 * @param {string} html  the lesson's fragment @param {string} folder @param {Page[]} pages
 */
function withCalls(html, folder, pages) {
  if (!html.includes("<x-code ") || !existsSync(join(folder, "lesson.js"))) return html;
  const programs = programsOf(folder);
  return html.replace(/<x-code name="([\w-]+)"/g, (start, name) => {
    const entries = entriesCalled(programs.get(name) ?? "", pages);
    return `${start} calls="${entries.map(({ name, address }) => `${name}=${address}`).join(" ")}"`;
  });
}

/**
 * What the constants of the package hold, looked up in the package.
 * @param {Page[]} pages
 * @param {{name: string, path: string}[]} entries  of the package
 */
async function values(pages, entries) {
  const isConstant = (/** @type {Entry} */ { kind, name }) =>
    kind === "value" && name.includes(".");
  /** @type {Map<string, any>} */
  const modules = new Map();
  for (const { entry } of pages.filter(({ entries }) => entries.some(isConstant))) {
    const path = entries.find(({ name }) => name === entry)?.path ?? entry;
    modules.set(entry, await import(pathToFileURL(path).href));
  }
  const phasor = await modules.get("phasor").load();
  return (/** @type {Page} */ { family, entry }, /** @type {Entry} */ constant) => {
    if (!isConstant(constant)) return ""; // what has the functions that follow it
    let value = family === "entries" ? modules.get(entry) : phasor;
    for (const part of constant.name.split(".")) value = value[part];
    return inspect(value, { depth: 5, breakLength: 76, maxArrayLength: null });
  };
}

/**
 * Which lessons call a function.
 * @param {string} folder
 */
function callers(folder) {
  const programs = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => {
      const files = readdirSync(join(folder, name)).filter((file) => file.endsWith(".js"));
      return {
        name,
        text: files.map((file) => readFileSync(join(folder, name, file), "utf8")).join(),
      };
    });
  return (/** @type {string} */ call) => {
    const pattern = new RegExp(`(?<![\\w.])${call.replaceAll(".", "\\.")}\\(`);
    return programs.filter(({ text }) => pattern.test(text)).map(({ name }) => name);
  };
}
