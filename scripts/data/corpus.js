/**
 * Writes web/lab/corpus.txt, the English on which the lab trains: the text of the pages and documents without
 * programs, formulas and styles, before it as much of what comments of src/ say as makes 219,000 characters.
 *
 *   node scripts/data/corpus.js
 *
 * The file is frozen: recorded results depend on each of its characters. Pages change, so a new run gives another file.
 */
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { project } from "../setup/setup.js";

const COUNT = 219_000;

/** Words of a text in lower case, of the characters a-z . , ' alone. Other runs go, and letters alone, but not "a". @param {string} text */
const wordsOf = (text) =>
  text
    .toLowerCase()
    .replace(/[^a-z.,']/g, " ")
    .split(" ")
    .filter((word) => /^(a|[a-z]{2,18})('[a-z]*)?[.,]?$/.test(word));

/** What a page or a document says. @param {string} text */
const withoutMarkup = (text) =>
  text
    .replace(/<!--[^]*?-->/g, " ")
    .replace(/<(script|style|pre)\b[^]*?<\/\1>/g, " ")
    .replace(/\\\([^]*?\\\)|\\\[[^]*?\\\]/g, " ")
    .replace(/```[^]*?```/g, " ")
    .replace(/<[^>]*>/g, " ")
    .replace(/&#?\w+;/g, " ");

/** The sentences of documentation comments, without their tags and indented formulas. @param {string} source */
const commentsOf = (source) =>
  Array.from(source.matchAll(/\/\*\*([^]*?)\*\//g), ([, comment]) =>
    comment
      .replace(/^\s*\* ?/gm, "")
      .replace(/^ {4}.*$/gm, "")
      .split(/(?:^|\s)@/)[0]
      .trim(),
  ).filter((comment) => /^[A-Z].*\.$/s.test(comment));

/** @param {string} folder @param {RegExp} name */
const read = (folder, name) =>
  readdirSync(join(project, folder), { recursive: true, encoding: "utf8" })
    .filter((path) => name.test(path) && !/node_modules|^data\b|^lab\b/.test(path))
    .sort()
    .map((path) => readFileSync(join(project, folder, path), "utf8"));

/** @returns {string} */
export function corpus() {
  const comments = new Set(read("src", /\.js$/).flatMap(commentsOf));
  const documents = [
    "src/README.md",
    "README.md",
    "SECURITY.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
  ];
  const pages = [
    ...read("web", /\.(html|md)$/),
    ...documents.map((path) => readFileSync(join(project, path), "utf8")),
  ];
  const text = [...comments, ...pages.map(withoutMarkup)].flatMap(wordsOf).join(" ");
  return text.slice(text.indexOf(" ", text.length - COUNT - 1) + 1);
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  mkdirSync(join(project, "web", "lab"), { recursive: true });
  writeFileSync(join(project, "web", "lab", "corpus.txt"), corpus());
}
