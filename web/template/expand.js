import { readFileSync } from "node:fs";
import katex from "katex";
import { parseHTML } from "linkedom";
import { address } from "../../scripts/site/address.js";
import { taskOf } from "../app/write/tasks/index.js";
import { guides, parts } from "../guides/guides.js";
import { groups, lessons } from "../lessons/lessons.js";
import { pictureOf } from "../lessons/pictures.js";
import { inPyTorch } from "../notebooks/lessons/notebook.js";
import { escape as quoted } from "./escape.js";
import { anchorOf, glossary } from "./glossary.js";

const { version } = JSON.parse(
  readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
);

/**
 * The elements of a page's source and the HTML that replaces them. `at` returns an attribute, `inner` is the
 * content of the element.
 *
 *     <x-controls>                              a form of controls
 *     <x-range name label min max value [step unit play]>        a slider; `play` adds a Play button
 *     <x-number name label value [unit form]>                    a field for a number; `form`: of the form with this id
 *     <x-choice name label [value values form]> <option> … </x-choice>      one of several: the options in it, then `values`
 *     <x-toggle name label [checked]>
 *     <x-text name label value [maxlength rows pattern placeholder]>       a line of text, or more with
 *                                               `rows`; the URL can set it to what matches the pattern
 *     <x-opener back [keep]>                    opens a model: web/app/models/opener.js; `back` labels the button
 *                                               that closes it, `keep` adds a choice of precision
 *     <x-action name label>                     a button that begins long work, with its progress
 *     <x-figure name [size waits joined]>       a place for a figure; size small, medium, large; `waits` names the
 *                                               question that must be answered before it can be seen; `joined`: on the
 *                                               slide of the figure before it
 *     <x-hue means [label]> … </x-hue>          words about series of a meaning: they light up that part of the figures;
 *                                               a formula needs a label
 *     <x-fact name>                             a place for a computed sentence
 *     <x-value name>                            a place for a computed number in a sentence; what is
 *                                               in it is shown until the number is computed
 *     <x-question name kind> <p>…</p> <x-option value>…</x-option> … | <x-answer unit> | <x-draw> | <x-sort> [<x-hint>]
 *                                               kind predict, draw, sort or exercise. An exercise takes two answers, and
 *                                               shows the hint after the first. Any element waits for the answer with
 *                                               `data-waits="NAME"`, or with `data-after="NAME" hidden` stays away
 *     <x-draw from to min max points x-title y-title [variable]>     axes to draw a curve on
 *     <x-sort groups> <x-item value>…</x-item> …                 things to sort into groups, "one another"
 *     <x-claim name says [asks pictured]>       a claim to vote on, true or false or neither; its content follows the cases,
 *                                               once the reader has voted; `pictured` adds a figure
 *     <x-bug name measures [strip]>             the switch of a bug, the number that it changes, and a figure or, with
 *                                               its name, a strip of numbers
 *     <x-code name label>                       code of a picture, to edit and run. The build adds what it calls of the
 *                                               reference: calls="NAME=ADDRESS …"
 *     <x-task name>                             a function to write: web/app/write
 *     <x-more about> … </x-more>                what a first reader can leave out, folded: an aside, or all of a section
 *                                               but its heading
 *     <x-file name> <pre>…</pre>                the text of a file or terminal, to copy
 *     <x-lessons [level pictures]>              the list of lessons by parts, whose headings have this level; with
 *                                               `pictures="no"` small, for a page that must arrive quickly
 *     <x-paths>                                 three ways through the lessons, by the time that a reader has
 *     <x-minutes lesson>                        how long a lesson takes
 *     <x-version>                               the version of the package
 *     <x-glossary>                              all words of the glossary
 *     <x-teaching>                              the list of lessons for teachers
 *     <x-guides>                                the list of guides
 *
 * @typedef {(at: (name: string, otherwise?: string) => string, inner: string, site: string) => string} Expansion
 *   `site`: its public address, or ""
 * @type {Record<string, Expansion>}
 */
const expansions = {
  "x-controls": (at, inner) =>
    `<form class="controls" data-controls autocomplete="off">${inner}</form>`,

  "x-range": (at) =>
    field(
      at,
      `<div class="slider">
        <input type="range" id="${at("name")}" name="${at("name")}" min="${at("min")}"
          max="${at("max")}" step="${at("step", "1")}" value="${at("value")}"
          aria-describedby="${at("name")}-wrong" ${at("unit") && `data-unit="${at("unit")}"`} />
        <output for="${at("name")}">${at("value")}${at("unit") && ` ${at("unit")}`}</output>
        ${at("play", "no") === "no" ? "" : `<button type="button" class="play" data-play="${at("name")}">Play</button>`}
      </div>`,
    ),

  "x-number": (at) =>
    field(
      at,
      `<input id="${at("name")}" name="${at("name")}" ${form(at)} inputmode="decimal" value="${at("value")}"
        data-number ${least(at)} aria-describedby="${at("name")}-wrong" />`,
    ),

  "x-choice": (at, inner) =>
    field(
      at,
      `<select id="${at("name")}" name="${at("name")}" ${form(at)} aria-describedby="${at("name")}-wrong">
        ${chosen(inner + options(at("values")), at("value"))}
      </select>`,
    ),

  "x-text": (at) =>
    field(
      at,
      at("rows")
        ? `<textarea ${line(at)} rows="${at("rows")}">${at("value")}</textarea>`
        : `<input ${line(at)} value="${at("value")}" />`,
      "wide",
    ),

  "x-toggle": (at) =>
    `<label class="choice">
      <input type="checkbox" name="${at("name")}" ${at("checked", "no") === "no" ? "" : "checked"} />
      <span>${at("label")}</span>
    </label>`,

  "x-hue": (at, inner) =>
    `<button type="button" class="hue" data-means="${at("means")}" aria-pressed="false"${at("label") && ` aria-label="${at("label")}"`}>${inner.trim()}</button>`,

  "x-action": (at) =>
    `<div class="action" data-action="${at("name")}">
      <button type="button" class="begin" disabled>${at("label")}</button>
      <button type="button" class="cancel" hidden>Stop</button>
      <progress max="1" value="0" hidden aria-label="${at("label")}: progress"></progress>
      <p class="note" role="status"></p>
    </div>`,

  "x-opener": (at) =>
    `<div class="opener">
      <x-controls>
        <x-text name="model" label="Name of a model on the Hugging Face hub" value="" maxlength="300"
          pattern="\\w([\\w.\\-]*\\w)?(\\/\\w([\\w.\\-]*\\w)?(\\/[\\w.\\-\\/]+)?)?" placeholder="owner/name"></x-text>
        ${
          at("keep", "no") === "no"
            ? ""
            : `<x-choice name="keep" label="Precision" value="">
                <option value="">as in the file</option>
                <option value="float16">float16 (half the memory)</option>
                <option value="int8">int8 (a quarter)</option>
              </x-choice>`
        }
        <button type="button" id="open">Open</button>
        <div class="wide suggested">
          <span id="suggested-title">For example</span>
          <ul id="suggested" aria-labelledby="suggested-title"></ul>
        </div>
        <div class="wide drop" id="drop">
          <label for="files">Or your own files</label>
          <input type="file" id="files" multiple aria-describedby="files-note" />
          <p id="files-note" class="note">
            .safetensors, .gguf, .npy or .npz, with config.json and tokenizer.json if you have them.
            Choose all of them at once, or drop them here. They stay on your computer.
          </p>
          ${
            at("keep", "no") === "no"
              ? ""
              : `<p class="note">
                  Or word vectors: GloVe, word2vec or fastText (.txt, .vec, .bin, also .gz); your own
                  .csv or .tsv with columns of labels and of numbers; or vectors.tsv with metadata.tsv,
                  as the Embedding Projector has them.
                </p>
                <x-choice name="rows" label="Rows of such a file, at most" value="20000">
                  <option value="5000">5,000</option>
                  <option value="20000">20,000</option>
                  <option value="50000">50,000</option>
                  <option value="200000">200,000</option>
                </x-choice>`
          }
        </div>
      </x-controls>
      <div class="action" id="opening">
        <progress hidden aria-label="Reading the model"></progress>
        <button type="button" class="cancel" hidden>Stop</button>
        <button type="button" class="begin" hidden>${at("back")}</button>
        <p class="note"></p>
      </div>
      <p class="wrong" id="opening-wrong" role="alert"></p>
    </div>`,

  "x-figure": (at) =>
    `<div class="picture-place" id="${at("name")}" data-figure="${at("name")}" data-size="${at("size", "medium")}"${at("waits") && ` data-waits="${at("waits")}"`}${at("joined", "no") === "no" ? "" : " data-joined"}></div>`,

  "x-fact": (at) => `<p class="fact" data-fact="${at("name")}">&hellip;</p>`,

  "x-value": (at, inner) =>
    `<output class="value" data-fact="${at("name")}">${inner.trim() || "&hellip;"}</output>`,

  "x-question": (at, inner) => {
    const kind = at("kind");
    const [title, button] = titles[kind] ?? titles.exercise;
    return `<form class="question" data-question="${at("name")}" data-kind="${kind}" autocomplete="off">
      <fieldset>
        <legend>${title}</legend>
        ${inner}
      </fieldset>
      <div class="buttons"><button type="submit" class="ask" disabled>${button}</button></div>
      <div class="outcome" role="status"><p class="verdict"></p></div>
    </form>`;
  },

  "x-option": (at, inner) =>
    `<label class="choice"><input type="radio" name="answer" value="${at("value")}" /> <span>${inner}</span></label>`,

  "x-answer": (at) =>
    `<label class="number-answer"><span>${at("label", "Your answer")}</span>
      <input name="answer" data-number data-unit="${at("unit")}" maxlength="100" spellcheck="false" /> ${at("unit")}</label>`,

  "x-hint": (at, inner) => `<div class="hint" hidden>${inner}</div>`,

  "x-draw": (at) =>
    `<div class="draw" data-from="${at("from")}" data-to="${at("to")}" data-min="${at("min")}" data-max="${at("max")}"
        data-points="${at("points")}" data-variable="${at("variable", "x")}">
      <p class="draw-title">${at("y-title")}</p>
      <div class="draw-area" role="group" aria-label="${at("y-title")} against ${at("x-title")}"></div>
      <p class="draw-title x">${at("x-title")}</p>
      <p class="note">Draw with a finger or the mouse. With keys: Left and Right choose a point, Up and Down move it.</p>
      <input type="hidden" name="answer" />
    </div>`,

  "x-sort": (at, inner) =>
    `<div class="sort" data-groups="${at("groups")}"><ul>${inner}</ul><input type="hidden" name="answer" /></div>`,

  "x-item": (at, inner) => `<li data-item="${at("value")}"><span class="item">${inner}</span></li>`,

  "x-claim": (at, inner) => {
    const name = at("name");
    return `<section class="claim" aria-labelledby="${name}-title">
      <div>
        <h2 id="${name}-title">${at("says")}</h2>
        <x-question name="${name}" kind="predict">
          <p>${at("asks", "Is this true?")}</p>
          <x-option value="so">True</x-option>
          <x-option value="loose">It depends</x-option>
          <x-option value="not">False</x-option>
        </x-question>
      </div>
      <div class="shown">
        <div class="evidence" data-after="${name}" hidden>
          <div data-fact="${name}-cases"></div>
          ${inner}
        </div>
        ${at("pictured", "no") === "no" ? "" : small(name)}
      </div>
    </section>`;
  },

  "x-bug": (at) => {
    const name = at("name");
    const strip = `<div class="strip-place" tabindex="0" role="group" aria-label="${at("strip")}"
      data-fact="${name}-strip" data-waits="${name}"></div>`;
    return `<div class="shown">
      <div data-after="${name}" hidden>
        <x-controls><x-toggle name="${name}-bug" label="Bug on" checked></x-toggle></x-controls>
        <p class="measure"><x-value name="${name}-value"></x-value> <span>${at("measures")}</span></p>
      </div>
      ${at("strip") ? strip : small(name)}
    </div>`;
  },

  "x-code": (at) =>
    `<details class="code-fold">
      <summary>${at("label", "Code of this picture")}</summary>
      <section class="code-place" data-code="${at("name")}" aria-label="${at("label", "Code of this picture")}"></section>
      ${at("calls") && `<p class="note called">In the reference: ${at("calls").split(" ").map(entry).join(", ")}</p>`}
    </details>`,

  "x-task": (at, _, site) => {
    const task = taskOf(at("name"));
    const { title, statement, stub, lesson } = task;
    const id = `task-${at("name")}`;
    const notebook = `notebooks/lessons/${lesson}.ipynb`;
    return `<div class="task" data-task="${at("name")}" role="group" aria-labelledby="${id}">
      <p class="kind"><span>Write it yourself</span> <span class="solved" hidden>Solved</span></p>
      <div class="statement">
        <h3 id="${id}">${title}</h3>
        ${statement}
      </div>
      <div class="cell">
        <pre tabindex="0" role="group" aria-label="Program: ${title}"><code>${quoted(stub)}</code></pre>
      </div>
      <div class="help" aria-live="polite">
        <figure class="file pytorch" hidden>
          <figcaption><span>With PyTorch, on your machine</span> <button type="button" class="copy" hidden>Copy</button></figcaption>
          <pre tabindex="0" role="group" aria-label="A solution with PyTorch"><code>${quoted(inPyTorch(task).trimEnd())}</code></pre>
        </figure>
      </div>
      <p class="foot">
        <span>Your code stays in this browser.</span>
        <a href="@root/${notebook}" download>The same in Python: notebook</a>
        ${site && `<a href="${COLAB}${encodeURIComponent(site + notebook)}">Open in Colab</a>`}
      </p>
    </div>`;
  },

  "x-more": (at, inner) =>
    `<details class="more"><summary>More: ${at("about")}</summary>${inner}</details>`,

  "x-file": (at, inner) =>
    `<figure class="file" data-file="${at("name")}">
      <figcaption><span>${at("name")}</span> <button type="button" class="copy" hidden>Copy</button></figcaption>
      <pre tabindex="0" role="group" aria-label="${at("name")}"><code>${inner.replace(/^\s*<pre>\n?|(?<!\s)\s*<\/pre>\s*$/g, "")}</code></pre>
    </figure>`,

  "x-lessons": (at) => {
    const level = at("level", "2");
    return Object.entries(groups)
      .map(([group, title]) => {
        const cards = lessons.map((lesson, i) =>
          lesson.group === group ? card(lesson, i + 1, at("pictures") !== "no") : "",
        );
        return `<h${level} class="group">${title}</h${level}><ol class="lessons">${cards.join("")}</ol>`;
      })
      .join("");
  },

  "x-paths": () => {
    const links = short.map((name) => {
      const at = lessons.findIndex((lesson) => lesson.name === name);
      return `<li value="${at + 1}"><a href="@root/lessons/${name}/">${quoted(lessons[at].title)}</a></li>`;
    });
    const hours = Math.round(lessons.reduce((sum, { minutes }) => sum + minutes, 0) / 60);
    return `<ul class="paths">
      <li><b>15 minutes</b> <a href="@root/why/">Why?</a> Five predictions, from a mean to two hands on one dial.</li>
      <li><b>90 minutes</b> Five lessons, without their exercises: <ol>${links.join("")}</ol></li>
      <li><b>Everything</b> <a href="@root/lessons/${lessons[0].name}/">${lessons.length} lessons</a> with exercises and programs to write, about ${hours} hours.</li>
    </ul>`;
  },

  "x-minutes": (at) => {
    const lesson = lessons.find(({ name }) => name === at("lesson"));
    if (!lesson) throw new Error(`lessons/lessons.js must list ${at("lesson")}`);
    return String(lesson.minutes);
  },

  "x-version": () => version,

  "x-glossary": () =>
    `<dl class="glossary">${[...glossary]
      .sort((a, b) => a.term.localeCompare(b.term, "en"))
      .map(({ term, definition, lesson }) => {
        const title = lessons.find(({ name }) => name === lesson)?.title;
        const link = title ? ` <a href="@root/lessons/${lesson}/">${quoted(title)}</a>` : "";
        return `<dt id="${anchorOf(term)}">${quoted(term)}</dt><dd>${quoted(definition)}${link}</dd>`;
      })
      .join("")}</dl>`,

  "x-teaching": () =>
    `<ol class="teaching">${lessons
      .map(({ name, title, minutes }) => {
        const link = (/** @type {string} */ mode, /** @type {string} */ text) =>
          `<a href="@root/lessons/${name}/${mode}" aria-label="${text}: ${quoted(title)}">${text}</a>`;
        return `<li><a href="@root/lessons/${name}/"><b>${quoted(title)}</b></a> <span>${minutes} min</span>
          <span>${link("?present", "Present")} ${link("?worksheet", "Worksheet")} ${link("?key", "Answers")}</span></li>`;
      })
      .join("")}</ol>`,

  "x-guides": () =>
    Object.entries(parts)
      .map(([part, heading]) => {
        const cards = guides
          .filter((guide) => guide.part === part)
          .map(
            ({ name, title, what }) =>
              `<li><a href="@root/guides/${name}/"><b>${title}</b> <span>${what}</span></a></li>`,
          );
        return `<h2 class="group">${heading}</h2><ul class="lessons">${cards.join("")}</ul>`;
      })
      .join(""),
};

/** A small figure that waits for the question of its name. @param {string} name */
const small = (name) => `<x-figure name="${name}" size="small" waits="${name}"></x-figure>`;

/** The lessons of the path of 90 minutes. */
const short = ["attention", "order", "counting", "sinusoidal", "rope"];

/** Colab opens a notebook of any public address that lets others read it, as GitHub Pages does. */
const COLAB = "https://colab.research.google.com/#fileId=";

/** The title of a question and the words on its button, by its kind. @type {Record<string, readonly [string, string]>} */
const titles = {
  predict: ["Predict", "Check my prediction"],
  draw: ["Draw your prediction", "Check my prediction"],
  sort: ["Sort", "Check my groups"],
  exercise: ["Exercise", "Check"],
};

/**
 * Plain HTML for a fragment: `x-` elements expanded, `\( … \)` and `\[ … \]` as MathML.
 *
 * @param {string} fragment
 * @param {string} [site]  its public address
 * @returns {string}
 */
export function expand(fragment, site = address) {
  const { document } = parseHTML(`<!doctype html><html><body>${fragment}</body></html>`);
  const { body } = document;
  for (let element = innermost(body); element; element = innermost(body)) {
    const name = element.localName;
    const expansion = expansions[name];
    if (!expansion) throw new Error(`template/expand.js knows no <${name}>`);
    const source = element;
    const at = (/** @type {string} */ attribute, otherwise = "") =>
      quoted(source.getAttribute(attribute) ?? otherwise);
    const place = document.createElement("template-place");
    place.innerHTML = expansion(at, source.innerHTML, site);
    source.replaceWith(...place.childNodes);
  }
  typeset(document);
  return body.innerHTML;
}

/** The first `x-` element that holds no other. @param {Element} body @returns {Element | undefined} */
function innermost(body) {
  return [...body.querySelectorAll("*")].find(
    (element) =>
      element.localName.startsWith("x-") &&
      ![...element.querySelectorAll("*")].some((inner) => inner.localName.startsWith("x-")),
  );
}

/** @param {Parameters<Expansion>[0]} at @param {string} control @param {string} [kind] */
function field(at, control, kind = "") {
  const name = at("name");
  return `<div class="field ${kind}">
    <label for="${name}">${at("label")}</label>
    ${control}
    <p class="wrong" id="${name}-wrong" aria-live="polite"></p>
  </div>`;
}

/** A field for text, whether of one line or of more. @param {Parameters<Expansion>[0]} at */
function line(at) {
  return `id="${at("name")}" name="${at("name")}" dir="auto" spellcheck="false" autocapitalize="off"
    maxlength="${at("maxlength", "2000")}" aria-describedby="${at("name")}-wrong"
    ${at("pattern") && `pattern="${at("pattern")}"`} ${at("placeholder") && `placeholder="${at("placeholder")}"`}`;
}

/** A link into the reference. @param {string} call  NAME=ADDRESS */
function entry(call) {
  const [name, address] = call.split("=");
  return `<a href="@root/reference/${address}"><code>${name}</code></a>`;
}

/** The form of a control that stands outside of it. @param {Parameters<Expansion>[0]} at */
const form = (at) => at("form") && `form="${at("form")}"`;

/** Options that are shown as their values. @param {string} values */
const options = (values) => values.replace(/\S+/g, '<option value="$&">$&</option>');

/** Bounds of a typed number, for the address and for messages. @param {Parameters<Expansion>[0]} at */
function least(at) {
  return ["min", "max"]
    .filter((name) => at(name))
    .map((name) => `data-${name}="${at(name)}"`)
    .join(" ");
}

/** A lesson in the list. @param {(typeof lessons)[number]} lesson @param {number} number @param {boolean} hasPicture */
function card({ name, title, question, minutes, advanced }, number, hasPicture) {
  return `<li><a href="@root/lessons/${name}/" data-lesson-card="${name}">
    ${hasPicture ? pictureOf(name) : ""}
    <span class="number">${number}</span> <b>${quoted(title)}</b> <span>${quoted(question)}</span>
    <small><span>${minutes} min</span>${advanced ? " <span>advanced</span>" : ""}</small></a></li>`;
}

/** Options with one of them selected. @param {string} options @param {string} value */
function chosen(options, value) {
  return value ? options.replace(`value="${value}"`, `value="${value}" selected=""`) : options;
}

/** TeX in text becomes MathML. @param {Document} document */
function typeset(document) {
  const { body } = document;
  body.normalize(); // a parser may end a text at an entity
  for (const element of [...body.querySelectorAll("*")]) {
    if (/^(pre|code|script|textarea)$/.test(element.localName)) continue;
    for (const node of [...element.childNodes]) {
      if (node.nodeType !== 3 || !/\\[([]/.test(node.textContent ?? "")) continue;
      const place = document.createElement("template-place");
      place.innerHTML = (node.textContent ?? "")
        .split(/(\\\((?:(?!\\[()])[^])*\\\)|\\\[(?:(?!\\[[\]])[^])*\\\])/)
        .map((part) => (/^\\[([]/.test(part) ? mathml(part) : quoted(part)))
        .join("");
      node.replaceWith(...place.childNodes);
    }
  }
}

/** @param {string} tex  with its delimiters */
function mathml(tex) {
  const displayMode = tex.startsWith("\\[");
  const html = katex.renderToString(tex.slice(2, -2), {
    output: "mathml",
    displayMode,
    throwOnError: true,
    strict: "error",
  });
  const math = html.replace(/^<span class="katex">|<\/span>$/g, "");
  return displayMode
    ? `<span class="formula-line" tabindex="0" role="group" aria-label="Formula">${math}</span>`
    : math;
}
