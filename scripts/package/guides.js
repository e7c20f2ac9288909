// The guides of the site as Markdown, in docs/ of the package, and llms.txt, which lists them for programs that read.

import { readdir, readFile, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import TurndownService from "turndown";
import { measure } from "../data/accuracy.js";
import { parts as performance } from "../../web/guides/performance/table.js";
import { parts as reliability } from "../../web/guides/reliability/table.js";
import { tables } from "../../web/guides/accuracy/table.js";
import { guides, parts as headings } from "../../web/guides/guides.js";
import { project } from "../setup/setup.js";

const web = join(project, "web");

/** What a text has in place of long tables and pictures. */
const SHORT = {
  rows: () => "<p><code>npm run bench</code> prints every row, and the site shows it.</p>",
  scaling: () =>
    "<p><code>npm run bench -- scaling</code> prints the numbers, and the site draws them.</p>",
};

/** What the site fills in when it is built, as HTML, by the guide's name. @type {Record<string, (html: string) => Promise<string>>} */
const FILLED = {
  performance: async (html) => recorded(html, "performance", { ...performance, ...SHORT }),
  reliability: async (html) => recorded(html, "reliability", reliability),
  async accuracy(html) {
    const { errors } = await measure();
    return html
      .replace("<x-promises></x-promises>", () => tables(errors))
      .replace(/<x-measured name="([\w-]+)"><\/x-measured>/g, (_, name) =>
        String(Number(errors[name].toPrecision(2))),
      );
  },
};

/** @param {string} html @param {string} name @param {Record<string, (run: any) => string>} parts */
async function recorded(html, name, parts) {
  const run = JSON.parse(await readFile(join(web, "guides", name, "recorded.json"), "utf8"));
  return html.replace(/<x-recorded name="(\w+)"><\/x-recorded>/g, (_, part) => parts[part](run));
}

/** Ends a cell while its row is not whole. */
const END = "\u001f";

/** The rows of a table in Markdown. @param {string} rows  a line each @param {boolean} hasHead */
function tableOf(rows, hasHead) {
  const all = rows.split("\n").filter((row) => row !== "");
  const cells = all.map((row) => row.split(END).slice(0, -1));
  const [head, ...body] = hasHead ? cells : [cells[0].map(() => ""), ...cells];
  const lines = [head, head.map(() => "---"), ...body].map((row) => `| ${row.join(" | ")} |`);
  return `\n\n${lines.join("\n")}\n\n`;
}

/** A service that knows the elements of guides. What only a page can show is left out. */
function converter() {
  const service = new TurndownService({
    headingStyle: "atx",
    codeBlockStyle: "fenced",
    bulletListMarker: "-",
    emDelimiter: "*",
  });
  service.remove(["script", "style", "meta", "title"]);
  service.addRule("none", {
    filter: (node) =>
      /^X-(ACTION|FIGURE|CONTROLS|CHOICE)$/.test(node.nodeName) ||
      node.getAttribute?.("aria-hidden") === "true" ||
      node.getAttribute?.("data-only") === "page",
    replacement: () => "",
  });
  service.addRule("power", {
    filter: "sup",
    replacement(escaped) {
      const content = escaped.replaceAll("\\", "");
      return `^${/^[-−]?\w+$/.test(content) ? content : `(${content})`}`;
    },
  });
  service.addRule("file", {
    filter: "pre",
    replacement(_, node) {
      const file = /** @type {HTMLElement} */ (node.parentNode);
      const name = file.getAttribute?.("name") ?? "";
      const language = /\.(\w+)$/.exec(name)?.[1].replace("mjs", "js") ?? "";
      const text = String(node.textContent).replace(/^\n|\s+$/g, "");
      const title = name.includes(".") && !text.includes(name) ? `\`${name}\`\n\n` : "";
      return `\n\n${title}\`\`\`${language}\n${text}\n\`\`\`\n\n`;
    },
  });
  service.addRule("cell", {
    filter: ["th", "td"],
    replacement: (content) => `${content.replace(/\s+/g, " ").trim().replaceAll("|", "\\|")}${END}`,
  });
  service.addRule("row", { filter: "tr", replacement: (content) => `${content.trim()}\n` });
  service.addRule("parts", { filter: ["thead", "tbody"], replacement: (content) => content });
  service.addRule("table", {
    filter: "table",
    replacement: (content, node) =>
      tableOf(content, /** @type {HTMLElement} */ (node).querySelector("thead") !== null),
  });
  service.addRule("link", {
    filter: "a",
    replacement(content, node) {
      const to = /** @type {HTMLElement} */ (node).getAttribute("href") ?? "";
      const guide = /^(?:\.\.|@root\/guides)\/([\w-]+)\/(?:#[\w-]+)?$/.exec(to)?.[1];
      if (guide) return `[${content}](${guide}.md)`;
      return /^https?:/.test(to) ? `[${content}](${to})` : content; // other pages are of the site
    },
  });
  return service;
}

/**
 * A guide as Markdown.
 * @param {string} name  of its folder
 */
export async function markdownOf(name) {
  const html = await readFile(join(web, "guides", name, "index.html"), "utf8");
  const filled = (await FILLED[name]?.(html)) ?? html;
  const text = converter().turndown(filled);
  if (/<x-/.test(text)) throw new Error(`docs/${name}.md has a part that is not filled.`);
  return `${text.trim()}\n`;
}

/** llms.txt: what the package is, its guides, and where each function is described. @param {string} version */
function listOf(version) {
  const sections = Object.entries(headings).map(([part, title]) => {
    const own = guides.filter((guide) => guide.part === part);
    const lines = own.map(({ name, title, what }) => `- [${title}](docs/${name}.md): ${what}`);
    return `## ${title}\n\n${lines.join("\n")}`;
  });
  return `# phasor ${version}

> Token embeddings and positional encodings for JavaScript, computed in WebAssembly SIMD: RoPE with the scaling of
> published models, ALiBi, T5's buckets, sinusoids and others, embedding tables, pooling, search, and readers of
> safetensors, GGUF and config.json. Runs in browsers, Node, Deno, Bun and workers, without dependencies.

\`const { rope } = await load()\` from \`phasor\`, or from an entry with fewer modules such as \`phasor/rope\`. All
functions take arrays or \`{ data, shape }\` and an object of options, and return tensors with \`data\` and \`shape\`.
The declarations in dist/types have the formula, the accuracy and an example of each function.
\`npx phasor help\` lists the commands, and \`npx phasor guide NAME\` prints a guide.

${sections.join("\n\n")}
`;
}

/** Writes docs/ and llms.txt into a folder. @param {string} [folder] */
export async function writeGuides(folder = project) {
  const docs = join(folder, "docs");
  await rm(docs, { recursive: true, force: true });
  await mkdir(docs, { recursive: true });
  for (const { name } of guides) await writeFile(join(docs, `${name}.md`), await markdownOf(name));
  const { version } = JSON.parse(await readFile(join(project, "package.json"), "utf8"));
  await writeFile(join(folder, "llms.txt"), listOf(version));
  return (await readdir(docs)).sort();
}
