import { FAMILIES } from "../../scripts/package/modules.js";
import { lessons } from "../lessons/lessons.js";
import { escape } from "../template/escape.js";

/**
 * @import { Entry, Named, Page } from "./read.js"
 */

/**
 * What the pages are made of besides the comments.
 *
 * @typedef {object} Shown
 * @property {(page: Page, entry: Entry) => string} value  what a constant holds, as text
 * @property {(call: string) => string[]} lessons  the names of those that call a function
 */

/** What a family of pages is called. @type {Record<string, string>} */
const TITLES = {
  entries: "The package",
  embedding: "Embedding",
  "positional/absolute": "Absolute positions",
  "positional/rotary": "Rotary positions",
  "positional/bias": "Attention biases",
  "positional/ids": "Position ids",
  attention: "Attention",
  analysis: "Analysis",
  training: "Training",
  ngrams: "Hashed n-grams",
  lab: "The lab",
  models: "Models",
};

/** What is said of pages that no comment of the source speaks of. @type {Record<string, string>} */
const LEADS = {
  load: "How phasor starts, and the errors that its functions throw.",
  tensor: "What functions return, and what they take for a tensor, for ids and for positions.",
};

const SCRIPT = '<script type="module" src="@/main.js"></script>';

/**
 * The page that lists all others, a fragment for `layout.js`.
 * @param {Page[]} pages
 */
export function indexPage(pages) {
  const groups = ["entries", ...FAMILIES].map((family) => {
    const items = pages.filter((page) => page.family === family).map(listed);
    const id = `family-${family.replace("/", "-")}`;
    return `<section class="family" aria-labelledby="${id}">
      <h2 id="${id}">${TITLES[family]}</h2>
      <ul>${items.join("\n")}</ul>
    </section>`;
  });
  return `<title>Reference</title>
    <meta name="description" content="Every function of phasor: its arguments and shapes, an example with its result, and the paper." />
    ${SCRIPT.replace("@", ".")}
    <h1>Reference</h1>
    <p class="lead">
      Every function: what it takes and gives, in which shapes, with an example and the paper. The
      results are those of the examples, which the project's tests run.
    </p>
    <form class="filter" role="search">
      <label for="filter">Search the reference</label>
      <input id="filter" type="search" autocomplete="off" spellcheck="false" maxlength="200" />
      <p class="note" role="status"></p>
    </form>
    ${groups.join("\n")}`;
}

/** @param {Page} page */
function listed(page) {
  const functions = page.entries.filter(({ kind }) => kind === "function" || kind === "class");
  const names = functions.map(
    (entry) =>
      `<li data-words="${escape(entry.name)}" data-text="${escape(wordsOf(page, entry))}"><a href="@root/reference/${page.name}/#${entry.id}"><code>${escape(entry.name)}</code></a></li>`,
  );
  return `<li data-page data-words="${escape(page.title)}" data-text="${escape(`${page.title} ${leadOf(page)}`)}">
    <h3><a href="@root/reference/${page.name}/">${escape(page.title)}</a></h3>
    <p>${inline(leadOf(page))}</p>
    <ul class="names">${names.join("")}</ul>
  </li>`;
}

/**
 * What a function is found by if no name is: the words of its text, its parameters, options and result, each once.
 * @param {Page} page @param {Entry} entry
 */
function wordsOf(page, { name, text, parameters, returns, members }) {
  /** @param {Named[]} list @returns {string[]} */
  const named = (list) =>
    list.flatMap(({ name, type, text, options }) => [
      name,
      type.replace(/\w+/g, (word) => (page.types.has(word) ? "" : word)),
      text,
      ...named(options),
    ]);
  const said = [text, ...named(parameters), returns, ...members.map(({ name }) => name)];
  const words = said.join(" ").match(/[A-Za-z]\w{2,}/g) ?? [];
  return [...new Set([name, ...words].map((word) => word.toLowerCase()))].join(" ");
}

/**
 * The page of a module or an entry of the package, a fragment for `layout.js`.
 * @param {Page} page @param {Shown} shown
 */
export function referencePage(page, shown) {
  const at = page.entries.map(
    ({ id, name, kind }) =>
      `<li data-kind="${kind}"><a href="#${id}"><code>${escape(name)}</code></a></li>`,
  );
  const [lead, ...rest] = paragraphs(page.text || leadOf(page));
  return `<title>${escape(page.title)}: reference</title>
    <meta name="description" content="${escape(plain(leadOf(page)))}" />
    ${SCRIPT.replace("@", "..")}
    <p class="place-of-lesson"><a href="@root/reference/">Reference</a> &rsaquo; ${TITLES[page.family]}</p>
    <h1>${escape(page.title)}</h1>
    <p class="lead">${inline(lead)}</p>
    ${rest.map(block).join("\n")}
    <pre class="import" tabindex="0" role="group" aria-label="How to import it"><code>${escape(importOf(page))}</code></pre>
    <nav aria-label="On this page"><ul class="names">${at.join("")}</ul></nav>
    ${page.entries.map((entry) => section(page, entry, shown)).join("\n")}
    <p class="note">From <code>${escape(page.file)}</code></p>`;
}

/** @param {Page} page */
function leadOf({ name, text, entries }) {
  return LEADS[name] ?? paragraphs(text || entries[0].text)[0];
}

/** @param {Page} page */
function importOf({ title, family, entry, entries, exports }) {
  const shown = exports.filter(
    (name) => name !== "default" && entries.some(({ id }) => id === name),
  );
  if (family !== "entries") {
    const names = ["load", ...shown].join(", ");
    return `import { ${names} } from "${entry}";\n\nconst { ${title} } = await load();`;
  }
  return `import { ${shown.join(", ")} } from "${entry}";`;
}

/** @param {Page} page @param {Entry} entry @param {Shown} shown */
function section(page, entry, shown) {
  const { id, name, text, kind } = entry;
  const value = kind === "value" ? shown.value(page, entry) : "";
  return `<section class="entry" data-kind="${kind}">
    <h2 id="${id}"><a href="#${id}">${escape(name)}</a></h2>
    ${kind === "function" || entry.parameters.length > 0 ? signature(page, entry) : ""}
    ${prose(text)}
    ${kind === "type" && entry.type ? code(types(page, entry.type), `The type ${name}`, "signature") : ""}
    ${value && code(escape(value), name)}
    ${facts(page, entry)}
    ${methods(page, entry)}
    ${entry.examples.map((example) => exampleOf(name, example)).join("\n")}
    ${foot(page, entry, shown)}
  </section>`;
}

/** What it takes and gives, throws and has. @param {Page} page @param {Entry} entry */
function facts(page, { kind, parameters, type, returns, throws, members }) {
  const result = `<code class="type">${types(page, type)}</code>`;
  const errors = throws.map(
    ({ type, text }) => `<p><code class="type">${types(page, type)}</code> ${inline(text)}</p>`,
  );
  const rows = [
    ["Takes", parameters.length > 0 ? named(page, parameters) : ""],
    ["Gives", kind === "function" && returns ? `<p>${result} ${inline(returns)}</p>` : ""],
    ["Throws", errors.join("")],
    ["Has", properties(page, members)],
  ].filter(([, html]) => html !== "");
  if (rows.length === 0) return "";
  return `<dl class="facts">${rows.map(([label, html]) => `<dt>${label}</dt><dd>${html}</dd>`).join("")}</dl>`;
}

/** @param {Page} page @param {Entry[]} members */
function properties(page, members) {
  const rows = members
    .filter(({ kind }) => kind !== "function")
    .map(({ id, name, type, optional, text }) => {
      const kind = `<code class="type">${types(page, type)}</code>${optional ? ", or not there" : ""}`;
      return `<dt id="${id}"><code>${escape(name)}</code></dt>
        <dd><p class="kind">${kind}</p>${text ? `<p>${inline(text)}</p>` : ""}</dd>`;
    });
  return rows.length > 0 ? `<dl class="named">${rows.join("")}</dl>` : "";
}

/** Parameters or options. @param {Page} page @param {Named[]} list @param {boolean} [isOption] @returns {string} */
function named(page, list, isOption = false) {
  const rows = list.map(({ name, type, optional, byDefault, text, options }) => {
    const kind = type ? `<code class="type">${types(page, type)}</code>` : "";
    const said = [
      kind,
      byDefault && `default ${inline(byDefault)}`,
      isOption && !optional && "needed",
    ].filter(Boolean);
    return `<dt><code>${escape(name)}</code></dt>
      <dd>${said.length > 0 ? `<p class="kind">${said.join(", ")}</p>` : ""}
      ${text ? `<p>${inline(text)}</p>` : ""}
      ${options.length > 0 ? named(page, options, true) : ""}</dd>`;
  });
  return `<dl class="named">${rows.join("\n")}</dl>`;
}

/** The functions that an object or a class has. @param {Page} page @param {Entry} entry */
function methods(page, { name, members }) {
  return members
    .filter(({ kind }) => kind === "function")
    .map(
      (method) => `<div class="method">
        <h3 id="${method.id}"><a href="#${method.id}"><span class="of">${escape(name)}.</span>${escape(method.name)}</a></h3>
        ${signature(page, method)}
        ${prose(method.text)}
        ${facts(page, { ...method, parameters: method.parameters.filter(isTold) })}
        ${method.examples.map((example) => exampleOf(method.name, example)).join("")}
      </div>`,
    )
    .join("\n");
}

/** Whether there is more to say of a parameter than its signature does. @param {Named} parameter */
function isTold({ text, byDefault, options }) {
  return text !== "" || byDefault !== "" || options.some(isTold);
}

/**
 * A call with its types: on one line, or on as many as it has parameters.
 * @param {Page} page @param {Entry} entry
 */
function signature(page, { name, kind, parameters, type }) {
  const each = parameters.map(({ name, type, optional, options }) => ({
    text: `${name}${optional ? "?" : ""}: `,
    type: options.length > 0 ? `{ ${options.map(({ name }) => name).join(", ")} }` : type,
  }));
  const given = kind === "class" ? "" : ": ";
  const call = kind === "class" ? `new ${name}` : name;
  const taken = each.map(({ text, type }) => `${text}${type}, `).join("");
  const isLong = `${call}(${taken}): ${type}`.length > 72;
  const [open, between, close] = isLong ? ["(\n  ", ",\n  ", ",\n)"] : ["(", ", ", ")"];
  const list = each.map(({ text, type }) => escape(text) + types(page, type)).join(between);
  const inside = each.length > 0 ? open + list + close : "()";
  const html = `<b>${escape(call)}</b>${inside}${given}${kind === "class" ? "" : types(page, type)}`;
  return code(html, `How ${name} is called`, "signature");
}

/** A type, whose names are links. @param {Page} page @param {string} type */
function types(page, type) {
  return escape(type).replace(/\w+/g, (name) => {
    const on = page.types.get(name);
    const at = on === page.name ? "" : `@root/reference/${on}/`;
    return on === undefined ? name : `<a href="${at}#${name}">${name}</a>`;
  });
}

/** @param {string} name @param {string} text */
function exampleOf(name, text) {
  const lines = escape(text).replace(/^(.*?)(\/\/ .*)$/gm, "$1<i>$2</i>");
  return `<x-file name="${escape(name)}: an example"><pre>${lines}</pre></x-file>`;
}

/** The paper and the lessons. @param {Page} page @param {Entry} entry @param {Shown} shown */
function foot(page, entry, shown) {
  if (entry.kind !== "function") return "";
  const links = shown.lessons(entry.name).map((name) => {
    const lesson = lessons.find((lesson) => lesson.name === name);
    return `<a href="@root/lessons/${name}/">${lesson?.title}</a>`;
  });
  const source = (entry.see.length > 0 ? entry.see : page.see).join("; ");
  return `<div class="note">
    ${source ? `<p>Source: ${inline(source)}</p>` : ""}
    ${links.length > 0 ? `<p>In the lessons: ${links.join(", ")}</p>` : ""}
  </div>`;
}

/** @param {string} html @param {string} label @param {string} [kind] */
function code(html, label, kind = "") {
  return `<pre class="${kind}" tabindex="0" role="group" aria-label="${escape(label)}"><code>${html}</code></pre>`;
}

/** @param {string} text */
function prose(text) {
  return paragraphs(text).map(block).join("\n");
}

/**
 * The blocks of a comment: between blank lines, and where a line begins with what it is about.
 * @param {string} text
 */
function paragraphs(text) {
  return text
    .split(/\n[ \t]*\n|\n(?=(?:Accuracy|Cost|Layout|Shapes|Units): )/)
    .filter((part) => part.trim() !== "");
}

/** @param {string} part */
function block(part) {
  const isIndented = part.split("\n").every((line) => line.startsWith("  "));
  const isTable = /^[A-Z]\w+ {2,}\S/m.test(part); // Shapes    [T, D]
  if (!isIndented && !isTable) return `<p>${inline(part)}</p>`;
  const margin = Math.min(
    ...part
      .split("\n")
      .map((line) => line.search(/\S/))
      .filter((at) => at >= 0),
  );
  const lines = part.split("\n").map((line) => line.slice(margin));
  return code(escape(lines.join("\n")), "In formulas", "formula-text");
}

/** Words, `code` and addresses. @param {string} text */
function inline(text) {
  return escape(text)
    .replace(/`([^`]+)`/g, "<code>$1</code>")
    .replace(/https:\/\/arxiv\.org\/abs\/(\d+\.\d+)/g, '<a href="$&">arXiv:$1</a>')
    .replace(/(?<!")https:\/\/(?!arxiv\.org\/abs)([^\s,;)<*]+)/g, '<a href="$&">$1</a>');
}

/** @param {string} text */
function plain(text) {
  return text.replace(/`/g, "").replace(/\s+/g, " ");
}
