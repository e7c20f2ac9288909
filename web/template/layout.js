import { parseHTML } from "linkedom";
import { source as code } from "../../scripts/site/address.js";
import { groups, lessons } from "../lessons/lessons.js";
import { divideIntoBeats } from "./beats.js";
import { fillBoard } from "./board.js";
import { escape } from "./escape.js";
import { linkTerms } from "./glossary.js";
import { metaOf } from "./meta.js";

/** The links in every page's header. */
const parts = [
  { path: "lessons/", title: "Lessons" },
  { path: "playground/", title: "Playground" },
  { path: "explorer/", title: "Models" },
  { path: "lab/", title: "Lab" },
  { path: "guides/", title: "Guides" },
  { path: "reference/", title: "Reference" },
];

/** The mark of the site: a query and a key as two hands on one dial, and the angle between them. */
const mark = `<svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
  <path class="mark-wedge" d="M16 16 L19.9 3.2 A13.4 13.4 0 0 1 28.1 10.3 Z" />
  <circle class="mark-dial" cx="16" cy="16" r="14.5" />
  <path class="mark-query" d="M16 16 L19.9 3.2" />
  <path class="mark-key" d="M16 16 L28.1 10.3" />
</svg>`;

const glass = `<svg viewBox="0 0 20 20" aria-hidden="true"><circle cx="8.5" cy="8.5" r="5.5" /><path d="M12.5 12.5 L17.5 17.5" /></svg>`;

const brackets = `<svg viewBox="0 0 20 20" aria-hidden="true"><path d="M7 5 L2.5 10 L7 15 M13 5 L17.5 10 L13 15" /></svg>`;

/** Half of a disc is dark: the other theme. */
const moon = `<svg viewBox="0 0 20 20" aria-hidden="true"><circle cx="10" cy="10" r="7.5" /><path d="M10 2.5 A7.5 7.5 0 0 1 10 17.5 Z" /></svg>`;

/**
 * Wraps a fragment in a whole page. It begins with its `<title>` and `<meta name="description">` and
 * may end with a `<footer>` that names its sources. Links that begin with `@root/` are relative to the root of the site.
 *
 * @param {string} fragment
 * @param {string} path  of the page's file in `web/`: "lessons/rope/index.html"
 * @param {string} [site]  its public address
 * @param {string} [source]  where its code is
 * @returns {string}
 */
export function layout(fragment, path, site, source = code) {
  const folders = path.split("/").slice(0, -1);
  const root = folders.length > 0 ? "../".repeat(folders.length) : "./";
  const { document } = parseHTML(
    `<!doctype html><html><head></head><body>${fragment}</body></html>`,
  );
  const title = take(document, "title").textContent ?? "";
  const description = take(document, 'meta[name="description"]').getAttribute("content") ?? "";
  const scripts = [...document.querySelectorAll("script")].map((script) => {
    script.remove();
    return script.outerHTML;
  });
  fillBoard(document);
  const rail = RAILED.includes(folders[0]) ? railOf(document) : "";
  const sources = document.querySelector("footer");
  sources?.remove();
  const lesson = folders[0] === "lessons" && folders[1] ? folders[1] : "";
  if (lesson) linkTerms(document, lessonAt(lesson).lesson.otherSenses);
  if (lesson || folders[0] === "why") divideIntoBeats(document);
  if (lesson) addHead(document, lesson);
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>${escape(title)} - phasor</title>
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <meta name="description" content="${escape(description)}" />
    ${metaOf({ title, description, path }, site)}
    <link rel="icon" href="${root}app/icon.svg" type="image/svg+xml" />
    ${preloads(root, document)}
    <link rel="stylesheet" href="${root}app/style.css" />
    <script type="module" src="${root}app/common.js"></script>
    ${scripts.join("\n")}
  </head>
  <body data-part="${folders[0] ?? "home"}"${lesson ? ` data-lesson="${lesson}"` : ""}>
    <a class="skip" href="#main">Skip to content</a>
    ${head(root, folders, source)}
    <main id="main" tabindex="-1">
      ${scripts.length > 0 && !document.querySelector("noscript") ? UNPROGRAMMED : ""}
      ${rail}
      ${document.body.innerHTML.replaceAll("@root/", root)}
      ${lesson ? ending(lesson) + neighbors(root, lesson) : ""}
    </main>
    ${foot(root, sources?.innerHTML ?? "", folders[0], document.querySelector(".opener") !== null)}
  </body>
</html>
`;
}

/**
 * The fonts of a page: asked for early, they are there before the first paint, and no line moves.
 * @param {string} root @param {Document} document
 */
function preloads(root, document) {
  const mono = root === "./" ? "none" : "code, pre"; // the front page has its code far below
  const users = { text: "body", heading: "body", mono, math: "math" };
  return Object.entries(users)
    .filter(([, elements]) => document.querySelector(elements))
    .map(([name]) => `${root}../build/fonts/${name}.woff2`)
    .map((href) => `<link rel="preload" href="${href}" as="font" type="font/woff2" crossorigin />`)
    .join("\n    ");
}

/** What a page with programs says where none runs. */
const UNPROGRAMMED = `<noscript><p class="wrong">What this page computes in your browser needs JavaScript.</p></noscript>`;

/** The folders whose pages are read in one column, beside a list of what is on them. */
const RAILED = ["guides", "reference", "teaching", "about"];

/** The list of what is on a page of several parts. @param {Document} document */
function railOf(document) {
  const titles = [...document.querySelectorAll("h2:not(.group)")];
  if (titles.length < 3) return "";
  const links = titles.map((title) => {
    const text = (title.textContent ?? "").trim();
    if (!title.id) title.id = text.toLowerCase().replace(/[^a-z0-9]+/g, "-");
    return `<li><a href="#${title.id}">${escape(text)}</a></li>`;
  });
  return `<nav class="rail" aria-label="Contents"><div><p>On this page</p><ul>${links.join("")}</ul></div></nav>`;
}

/** @param {string} root @param {string[]} folders  of the page that is open @param {string} source */
function head(root, folders, source) {
  const links = parts.map(({ path, title }) => {
    const here = `${folders[0]}/` === path;
    const current = here ? ` aria-current="${folders.length === 1 ? "page" : "true"}"` : "";
    return `<li><a href="${root}${path}"${current}>${title}</a></li>`;
  });
  const home = folders.length === 0 ? ' aria-current="page"' : "";
  return `<header class="site">
      <a class="home" href="${root}"${home}>${mark}phasor</a>
      <nav aria-label="Site"><ul>${links.join("")}</ul></nav>
      <a class="find" id="site-search" href="${root}reference/#filter" aria-label="Search" title="Search (/)">${glass}</a>
      ${source && `<a class="find" href="${escape(source)}" aria-label="Source code">${brackets}</a>`}
      <button type="button" class="theme" aria-label="Use the other theme">${moon}</button>
    </header>`;
}

/** @param {string} name */
function lessonAt(name) {
  const at = lessons.findIndex((lesson) => lesson.name === name);
  if (at < 0) throw new Error(`lessons/lessons.js must list ${name}`);
  return { at, lesson: lessons[at] };
}

/** Puts the title and the lead of a lesson next to its purpose. @param {Document} document @param {string} name */
function addHead(document, name) {
  const head = document.createElement("header");
  head.className = "lesson-head";
  head.innerHTML = `<div>${place(name)}</div>${beginning(name)}`;
  const [h1, lead] = ["h1", ".lead"].map((selector) => document.querySelector(selector));
  if (!h1 || !lead) throw new Error(`the lesson ${name} must begin with an h1 and a lead`);
  head.firstElementChild?.append(h1, lead);
  document.body.prepend(head);
}

/** The number of a lesson, its part, its minutes. @param {string} name */
function place(name) {
  const { at, lesson } = lessonAt(name);
  const parts = [
    `Lesson ${at + 1} of ${lessons.length}`,
    groups[lesson.group],
    `${lesson.minutes} minutes`,
    ...(lesson.advanced ? ["advanced"] : []),
  ];
  return `<p class="place-of-lesson">${parts.map((part) => `<span>${escape(part)}</span>`).join(" ")}</p>`;
}

/** What a lesson builds on, and what it is for. @param {string} name */
function beginning(name) {
  const { before, able } = lessonAt(name).lesson;
  const links = before.map((earlier) => {
    const { lesson } = lessonAt(earlier);
    return `<a href="@root/lessons/${lesson.name}/">${escape(lesson.title)}</a>`;
  });
  const first = links.length > 0 ? `<p>First: ${links.join(", ")}.</p>` : "";
  const goals =
    able.length > 0
      ? `<p>After this lesson you can:</p><ul>${able.map((goal) => `<li>${escape(goal)}</li>`).join("")}</ul>`
      : "";
  const tools =
    '<p class="tools"><a href="?present">Present</a> <a href="?worksheet">Worksheet</a></p>';
  return `<div class="beginning">${goals}${first}${tools}</div>`;
}

/** What to remember of a lesson, and what to read next. @param {string} name */
function ending(name) {
  const { recap, further } = lessonAt(name).lesson;
  if (recap.length === 0) return "";
  const reading = further.map(({ text, href }) => `<li><a href="${href}">${escape(text)}</a></li>`);
  return `<section class="ending" aria-labelledby="recap-title">
    <h2 id="recap-title">What to remember</h2>
    <ul>${recap.map((sentence) => `<li>${escape(sentence)}</li>`).join("")}</ul>
    ${reading.length > 0 ? `<h3>Further reading</h3><ul>${reading.join("")}</ul>` : ""}
  </section>`;
}

/** Links to the previous and the next lesson. @param {string} root @param {string} name */
function neighbors(root, name) {
  const at = lessons.findIndex((lesson) => lesson.name === name);
  const link = (
    /** @type {number} */ to,
    /** @type {string} */ rel,
    /** @type {string} */ word,
  ) => {
    const lesson = lessons[to];
    if (!lesson) return "";
    return `<a rel="${rel}" href="${root}lessons/${lesson.name}/"><span>${word}</span> <b>${lesson.title}</b> ${lesson.question}</a>`;
  };
  return `<nav class="neighbors" aria-label="Lessons before and after">
    ${link(at - 1, "prev", "Previous")} ${link(at + 1, "next", "Next")}
  </nav>`;
}

/**
 * @param {string} root @param {string} sources  the sources that the page cites @param {string | undefined} part  of the site
 * @param {boolean} opens  whether models can be opened here
 */
function foot(root, sources, part, opens) {
  const leaves = opens
    ? "Nothing you type leaves this page, unless you open a model from the Hugging Face hub: the hub sees its name and which parts of its files are read."
    : "Nothing you type leaves this page.";
  const said = ["guides", "reference"].includes(part ?? "")
    ? "The tests of phasor run the code on this page and check its results."
    : `Your browser computes every number on this page with phasor, C++ compiled to WebAssembly.
        ${leaves} Your settings are saved in the URL.`;
  return `<footer>
      ${sources}
      <p>
        ${said}
        <a href="${root}teaching/">For teachers</a>. <a href="${root}glossary/">Glossary</a>.
        <a href="${root}about/">License and how to cite</a>.
        <a href="${root}licenses.txt">Licenses</a> of what it is made of.
      </p>
    </footer>`;
}

/** @param {Document} document @param {string} selector */
function take(document, selector) {
  const element = document.querySelector(selector);
  if (!element) throw new Error(`a page's fragment must have a ${selector}`);
  element.remove();
  return element;
}
