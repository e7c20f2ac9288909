import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parseHTML } from "linkedom";
import { pageOf } from "../../scripts/site/address.js";
import { project } from "../../scripts/setup/setup.js";
import { lessons } from "../../web/lessons/lessons.js";
import { pictureOf } from "../../web/lessons/pictures.js";
import { expand } from "../../web/template/expand.js";
import { layout } from "../../web/template/layout.js";

/** @param {string} html */
const parsed = (html) => parseHTML(`<!doctype html><html><body>${html}</body></html>`).document;

/** @param {string} html */
const page = (html) => parseHTML(html).document;

test("expand makes a labeled control with a place for its error", () => {
  const document = parsed(
    expand(
      '<x-controls><x-range name="length" label="Positions T" min="1" max="9" value="4"></x-range></x-controls>',
    ),
  );
  const input = document.querySelector("form[data-controls] input[type=range]");
  assert.equal(input?.getAttribute("name"), "length");
  assert.deepEqual(
    ["min", "max", "step", "value"].map((name) => input?.getAttribute(name)),
    ["1", "9", "1", "4"],
  );
  assert.equal(document.querySelector(`label[for="${input?.id}"]`)?.textContent, "Positions T");
  assert.ok(document.getElementById(input?.getAttribute("aria-describedby") ?? ""));
  assert.equal(document.querySelector("output")?.getAttribute("for"), input?.id);
});

test("expand lets a line of text begin at the side of its script", () => {
  const input = parsed(expand('<x-text name="t" label="T" value="a"></x-text>')).querySelector(
    "input",
  );
  assert.equal(input?.getAttribute("dir"), "auto");
});

test("expand selects the option that a choice starts with", () => {
  const html = expand(
    '<x-choice name="c" label="C" value="b"><option value="a">A</option><option value="b">B</option></x-choice>',
  );
  const selected = parsed(html).querySelectorAll("option[selected]");
  assert.deepEqual(
    [...selected].map((option) => option.getAttribute("value")),
    ["b"],
  );
});

test("expand makes a question whose options keep their markup", () => {
  const document = parsed(
    expand(
      '<x-question name="q" kind="predict"><p>Why?</p><x-option value="a"><b>A</b></x-option></x-question>',
    ),
  );
  const form = document.querySelector('form[data-question="q"]');
  assert.equal(form?.querySelector('input[type=radio][value="a"]')?.getAttribute("name"), "answer");
  assert.equal(form?.querySelector("label b")?.textContent, "A");
  assert.ok(form?.querySelector("button.ask")?.hasAttribute("disabled"));
});

test("expand escapes attributes", () => {
  const html = expand('<x-toggle name="t" label="a &lt;b&gt; &amp; &quot;c&quot;"></x-toggle>');
  assert.equal(parsed(html).querySelector("label b"), null);
  assert.ok(parsed(html).querySelector("label")?.textContent?.includes('a <b> & "c"'));
});

test("expand sets TeX in text as MathML, and leaves code alone", () => {
  const html = expand("<p>a \\(x &lt; y^2\\) b</p><p>\\[ \\frac{1}{2} \\]</p><code>\\(x\\)</code>");
  const document = parsed(html);
  assert.equal(document.querySelectorAll("math").length, 2);
  assert.ok(document.querySelector("p math msup"));
  assert.equal(document.querySelector("math[display=block] mfrac mn")?.textContent, "1");
  assert.equal(document.querySelector("code")?.textContent, "\\(x\\)");
  assert.ok(!/style=|class="katex/.test(html), "no styles: the page's policy would refuse them");
});

test("expand tells how long a lesson takes, as the list of lessons has it", () => {
  const { name, minutes } = lessons[0];
  assert.equal(expand(`<b><x-minutes lesson="${name}"></x-minutes></b>`), `<b>${minutes}</b>`);
  assert.throws(() => expand('<x-minutes lesson="none"></x-minutes>'), /must list none/);
});

test("expand rejects unknown elements and invalid TeX", () => {
  assert.throws(() => expand("<x-rang></x-rang>"), /knows no <x-rang>/);
  assert.throws(() => expand("<p>\\(\\frac{1}\\)</p>"), /KaTeX/);
});

test("layout links every page to the parts of the site, from any depth", () => {
  const fragment =
    '<title>A &amp; B</title><meta name="description" content="&quot;c&quot;"><h1>h</h1><p class="lead">l</p><a href="@root/explorer/">w</a>';
  const deep = page(layout(fragment, "lessons/rope/index.html"));
  assert.equal(deep.querySelector("title")?.textContent, "A & B - phasor");
  assert.equal(deep.querySelector("meta[name=description]")?.getAttribute("content"), '"c"');
  assert.equal(deep.body.getAttribute("data-lesson"), "rope");
  const links = [...deep.querySelectorAll(".site a")].map((a) => a.getAttribute("href"));
  const parts = ["lessons/", "playground/", "explorer/", "lab/", "guides/", "reference/"];
  assert.deepEqual(links, [
    "../../",
    ...parts.map((part) => `../../${part}`),
    "../../reference/#filter",
  ]);
  assert.equal(deep.querySelector("main > a")?.getAttribute("href"), "../../explorer/");
  const front = page(layout(fragment, "index.html"));
  assert.equal(front.querySelector(".home")?.getAttribute("href"), "./");
  assert.equal(front.body.getAttribute("data-lesson"), null);
  assert.equal(front.querySelector("noscript"), null);
  const programmed = page(layout(`${fragment}<script src="./main.js"></script>`, "lab/index.html"));
  assert.match(programmed.querySelector("main > noscript")?.textContent ?? "", /needs JavaScript/);
});

/** Words that together give the right option of a question away. @type {Record<string, readonly string[]>} */
const RESULTS = {
  "pieces/languages": ["tokens", "language"],
  "lookup/product": ["product", "one-hot", "row"],
  "trained-table/hot": ["opposites"],
  "training/twins": ["same context|similar context|same neighbors|related words", "similar"],
  "order/same": ["attention", "without positions"],
  "order/added": ["sum", "cannot tell|is the same"],
  "counting/alone": ["a sine and a cosine"],
  "sinusoidal/shift": ["rotat", "wherever|everywhere|fixed"],
  "rope/distance": ["depend", "distance|how far apart"],
  "t5-bias/pairs": ["far", "share|coarse"],
  "numbers/same": ["bfloat16", "become equal|cannot tell"],
  "longer-context/previous": ["linear interpolation|each", "find the previous|spoils"],
  "train-short/back": ["linear interpolation", "ruins"],
};

test("the head of a lesson asks, and tells no result that a question is about; the recap tells it", () => {
  for (const [question, words] of Object.entries(RESULTS)) {
    const [name] = question.split("/");
    const path = `lessons/${name}/index.html`;
    const source = readFileSync(join(project, "web", path), "utf8");
    assert.ok(source.includes(`<x-question name="${question.split("/")[1]}"`), question);
    const document = page(layout(expand(source), path));
    const told = (/** @type {string} */ sentence) =>
      words.every((each) => new RegExp(each, "i").test(sentence));
    const sentencesOf = (/** @type {string} */ at) =>
      [...document.querySelectorAll(at)].flatMap(({ textContent }) =>
        (textContent ?? "").replace(/\s+/g, " ").split(/(?<=[.?:]) /),
      );
    const head = [
      ...sentencesOf("title, .lesson-head :is(h1, .lead, li)"),
      document.querySelector("meta[name=description]")?.getAttribute("content") ?? "",
      lessons.find((lesson) => lesson.name === name)?.question ?? "",
    ];
    assert.deepEqual(head.filter(told), [], question);
    const ending = [...document.querySelectorAll(".ending li")].map((each) => each.textContent);
    assert.ok(
      ending.some((each) => told(each ?? "")),
      `What to remember of ${question}`,
    );
  }
});

test("layout divides a lesson's section into parts of text and what it is about, in the same order", () => {
  const fragment = `<title>t</title><meta name="description" content="d"><h1>h</h1><p class="lead">l</p>
    <section><h2>A</h2><p>1</p><form class="controls"></form><div class="picture-place"></div><p>2</p>
      <div class="pair"></div><p>3</p></section>
    <section><h2>B</h2><p>4</p></section>`;
  const names = (/** @type {Element} */ at) => [...at.children].map(({ className }) => className);
  const lesson = page(layout(fragment, "lessons/rope/index.html"));
  const [first, second] = lesson.querySelectorAll("main > section");
  assert.deepEqual(names(first), ["beat beside", "beat beside", "beat"]);
  assert.deepEqual(
    [...first.children].map((beat) => names(beat)),
    [["words", "stage"], ["words", "stage"], ["words"]],
  );
  assert.deepEqual(names(first.children[0].children[1]), ["tied"], "controls with their figure");
  assert.deepEqual(names(first.children[1].children[1]), ["pair"]);
  assert.equal(first.textContent?.replace(/\s/g, ""), "A123");
  assert.deepEqual(names(second), ["", ""], "without a figure it stays as it is");
  const other = page(layout(fragment, "guides/node/index.html"));
  assert.equal(other.querySelector(".beat"), null);
});

test("a task of a lesson is a beat by itself, with its statement, its stub and its notebook", () => {
  const fragment = expand(
    `<title>t</title><meta name="description" content="d"><h1>h</h1><p class="lead">l</p>
      <section><h2>A</h2><p>1</p><x-figure name="f"></x-figure><x-task name="rope"></x-task>
        <x-task name="rotate-half"></x-task><x-figure name="g"></x-figure><p>2</p></section>`,
  );
  const lesson = page(layout(fragment, "lessons/rope/index.html"));
  const beats = [...lesson.querySelectorAll(".beat")];
  assert.deepEqual(
    beats.map(({ firstElementChild, lastElementChild }) => [
      firstElementChild?.className,
      Array.from(lastElementChild?.children ?? [], ({ className }) => className),
    ]),
    [
      ["words", ["picture-place"]],
      ["stage", ["task"]],
      ["stage", ["task"]],
      ["stage", ["picture-place"]],
      ["words", [""]],
    ],
  );
  const task = beats[1].querySelector("[data-task=rope]");
  const title = lesson.getElementById(task?.getAttribute("aria-labelledby") ?? "");
  assert.equal(title?.textContent, "RoPE");
  assert.ok(task?.querySelector(".statement math"));
  assert.match(task?.querySelector(".cell pre")?.textContent ?? "", /^function rope\(/);
  const href = task?.querySelector("a[download]")?.getAttribute("href");
  assert.equal(href, "../../notebooks/lessons/rope.ipynb");
  assert.throws(() => expand('<x-task name="nothing"></x-task>'), /must list nothing/);
});

test("layout adds a table of contents to a long page, and ids to its headings", () => {
  const fragment = (/** @type {string[]} */ titles) =>
    `<title>t</title><meta name="description" content="d">${titles.map((title) => `<h2>${title}</h2>`).join("")}`;
  const long = page(layout(fragment(["One", "Two &amp; a half", "Two"]), "guides/node/index.html"));
  const links = [...long.querySelectorAll(".rail a")];
  assert.deepEqual(
    links.map((a) => [a.getAttribute("href"), a.textContent]),
    [
      ["#one", "One"],
      ["#two-a-half", "Two & a half"],
      ["#two", "Two"],
    ],
  );
  for (const link of links) assert.ok(long.querySelector(`h2${link.getAttribute("href")}`));
  const short = page(layout(fragment(["One", "Two"]), "guides/node/index.html"));
  assert.equal(short.querySelector(".rail"), null);
});

test("a page asks early for the fonts that it uses, so that no line moves when they come", () => {
  const fontsOf = (/** @type {string} */ text) => {
    const fragment = `<title>t</title><meta name="description" content="d">${text}`;
    const links = page(layout(fragment, "guides/node/index.html")).querySelectorAll("[as=font]");
    return Array.from(
      links,
      (link) => /([a-z]+)\.woff2$/.exec(link.getAttribute("href") ?? "")?.[1],
    );
  };
  assert.deepEqual(fontsOf("<p>Text</p>"), ["text", "heading"]);
  assert.deepEqual(fontsOf("<pre>x</pre>"), ["text", "heading", "mono"]);
  assert.deepEqual(fontsOf("<p><math></math></p>"), ["text", "heading", "math"]);
});

test("layout links each lesson with those before and after, in the list's order", () => {
  const fragment =
    '<title>t</title><meta name="description" content="d"><h1>h</h1><p class="lead">l</p>';
  for (const [i, { name }] of lessons.entries()) {
    const links = page(layout(fragment, `lessons/${name}/index.html`)).querySelectorAll(
      ".neighbors a",
    );
    const expected = [lessons[i - 1], lessons[i + 1]].filter(Boolean);
    assert.deepEqual(
      [...links].map((a) => a.getAttribute("href")),
      expected.map((lesson) => `../../lessons/${lesson.name}/`),
    );
  }
});

test("lessons/lessons.js lists the lessons' folders, all of them", () => {
  const folders = readdirSync(join(project, "web/lessons"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
  assert.deepEqual(folders.sort(), lessons.map(({ name }) => name).sort());
  for (const name of folders)
    assert.ok(existsSync(join(project, "web/lessons", name, "lesson.js")));
});

test("each lesson has a picture of its subject, in the colors of the lessons and inside its frame", () => {
  const pictures = lessons.map(({ name }) => pictureOf(name));
  assert.equal(new Set(pictures).size, lessons.length);
  for (const [i, picture] of pictures.entries()) {
    const svg = page(picture);
    const { name } = lessons[i];
    assert.doesNotMatch(picture, /NaN|undefined|Infinity/, name);
    assert.ok(picture.length < 10_000, `${name}: ${picture.length} bytes`);
    for (const shape of svg.querySelectorAll("svg > *")) {
      assert.match(shape.getAttribute("class") ?? "", /^(token|position|mix|right|unseen|quiet|line)( stroke| frame| bars)?$/); // prettier-ignore
    }
    for (const box of svg.querySelectorAll("rect")) {
      const [x, y, width, height] = ["x", "y", "width", "height"].map((name) => Number(box.getAttribute(name))); // prettier-ignore
      assert.ok(x >= 0 && y >= 0 && x + width <= 288 && y + height <= 96, `${name}: ${box}`);
    }
  }
  assert.throws(() => pictureOf("constructor"), /lesson constructor must have a picture/);
});

test("a public address gives a task its notebook in Colab; without one it is a download alone", () => {
  const links = (/** @type {string} */ site) =>
    [
      ...parsed(expand('<x-task name="rope"></x-task>', site)).querySelectorAll(".task .foot a"),
    ].map((link) => link.getAttribute("href"));
  const download = "@root/notebooks/lessons/rope.ipynb";
  assert.deepEqual(links(""), [download]);
  assert.deepEqual(links("https://example.org/phasor/"), [
    download,
    "https://colab.research.google.com/#fileId=https%3A%2F%2Fexample.org%2Fphasor%2Fnotebooks%2Flessons%2Frope.ipynb",
  ]);
});

test("layout adds metadata for links: title, description, and with a public address the URL", () => {
  const fragment = `<title>A &amp; b</title><meta name="description" content="What it is"><h1>h</h1>`;
  const tagsOf = (/** @type {string} */ site) =>
    Object.fromEntries(
      [
        ...page(layout(fragment, "guides/node/index.html", site)).querySelectorAll("meta, link"),
      ].map((each) => [
        each.getAttribute("property") ?? each.getAttribute("name") ?? each.getAttribute("rel"),
        each.getAttribute("content") ?? each.getAttribute("href"),
      ]),
    );
  const local = tagsOf("");
  assert.equal(local["og:title"], "A & b");
  assert.equal(local["og:description"], "What it is");
  assert.equal(local["theme-color"], "#12161a");
  for (const name of ["og:image", "og:url", "canonical"]) assert.equal(local[name], undefined);
  const known = tagsOf("https://example.org/phasor/");
  assert.equal(known["og:image"], "https://example.org/phasor/preview.png");
  assert.equal(known.canonical, "https://example.org/phasor/guides/node/");
  assert.equal(known["og:url"], known.canonical);
});

test("layout links to the source code where package.json names a repository", () => {
  const fragment = `<title>t</title><meta name="description" content="d"><h1>h</h1>`;
  const link = (/** @type {string | undefined} */ source) =>
    page(layout(fragment, "guides/node/index.html", "", source)).querySelector(
      '.site a[aria-label="Source code"]',
    );
  assert.equal(link(""), null);
  assert.equal(
    link("https://example.org/o/phasor")?.getAttribute("href"),
    "https://example.org/o/phasor",
  );
  const own = JSON.parse(readFileSync(join(project, "package.json"), "utf8")).repository;
  assert.equal(link(undefined)?.getAttribute("href") ?? "", pageOf(own ?? ""));
});

test("pageOf finds the page of a repository in every form that npm takes", () => {
  const page = "https://github.com/owner/phasor";
  for (const repository of [
    "owner/phasor",
    "github:owner/phasor",
    page,
    { url: `git+${page}.git` },
    { type: "git", url: "git://github.com/owner/phasor.git", directory: "a" },
    { url: "git+ssh://git@github.com/owner/phasor.git" },
  ])
    assert.equal(pageOf(repository), page, JSON.stringify(repository));
  assert.equal(pageOf("gitlab:owner/phasor"), "https://gitlab.com/owner/phasor");
  assert.equal(pageOf("bitbucket:owner/phasor"), "https://bitbucket.org/owner/phasor");
  assert.equal(pageOf(""), "");
  for (const wrong of ["phasor", "javascript:alert(1)", { url: "ftp://example.org/x" }])
    assert.throws(() => pageOf(wrong), /repository of package.json must be an address/);
});
