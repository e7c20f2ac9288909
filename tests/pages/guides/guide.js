// What the guides of the site show is what their tests run.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseHTML } from "linkedom";
import { project } from "../../../scripts/setup/setup.js";

/**
 * The files that a guide shows, by their names. A terminal's lines are the file "terminal".
 *
 * @param {string} name  of a folder in web/guides/
 * @returns {Promise<Map<string, string>>}
 */
export async function filesOf(name) {
  const html = await readFile(join(project, "web/guides", name, "index.html"), "utf8");
  const { document } = parseHTML(`<!doctype html><html><body>${html}</body></html>`);
  const files = new Map();
  for (const file of document.querySelectorAll("x-file")) {
    const called = file.getAttribute("name") ?? "";
    if (files.has(called)) throw new Error(`guides/${name} shows two files ${called}`);
    files.set(called, `${(file.textContent ?? "").trim()}\n`);
  }
  return files;
}

/**
 * What the comments below a program's `console.log` lines say that it prints.
 *
 * @param {string} code
 * @returns {string[]} lines
 */
export function promised(code) {
  const lines = code.split("\n");
  return lines.flatMap((line, at) => {
    if (!/^\s*(console\.log|print)\(/.test(line)) return [];
    const end = lines.findIndex((next, i) => i > at && !/^\s*(\/\/|#) /.test(next));
    const comments = lines.slice(at + 1, end < 0 ? undefined : end);
    return comments.map((comment) => comment.trim().replace(/^(\/\/|#) /, ""));
  });
}
