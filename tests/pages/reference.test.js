// The reference of the built site has everything that the package exports, and nothing else.

import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { parseHTML } from "linkedom";
import * as entry from "phasor";
import * as files from "phasor/files";
import * as models from "phasor/models";
import * as opening from "phasor/open";
import * as labEntry from "phasor/lab";
import * as ngramsEntry from "phasor/ngrams";
import * as plots from "phasor/plots";
import { buildPage, page as built } from "../../scripts/site/page.js";
import { setup } from "../../scripts/setup/setup.js";
import { phasor } from "../phasor.js";
import { openSite } from "./open-site.js";
import { settled } from "./pages.js";

await buildPage(await setup(["packages"]));
const folder = join(built, "reference");

/** The document of a page. @param {string} name */
async function open(name) {
  return parseHTML(await readFile(join(folder, name, "index.html"), "utf8")).document;
}

/** @param {string} name  of a module: t5Bias is t5-bias */
const folderOf = (name) => name.replace(/[A-Z]+/g, (letters) => `-${letters.toLowerCase()}`);

/**
 * The functions of an object by the names that they are called by.
 * @param {string} name @param {object} value
 * @returns {string[]}
 */
function functionsOf(name, value) {
  const members = Object.entries(value).flatMap(([member, value]) => {
    const isFolder = Object.values(Object(value)).some((each) => typeof each === "function");
    if (typeof value !== "function" && !isFolder) return [];
    return functionsOf(`${name}.${member}`, value);
  });
  return typeof value === "function" ? [name, ...members] : members;
}

/** @param {unknown} value */
const isClass = (value) =>
  typeof value === "function" && value.prototype !== undefined && /^class\b/.test(String(value));

/** What the `load` of an entry gives. */
const modules = { ...phasor, ...(await ngramsEntry.load()), ...(await labEntry.load()) };

/** What entries of modules export beside them, by the name of the module. @type {Record<string, object>} */
const beside = { lab: labEntry, ngramIds: ngramsEntry };

/** The functions of an entry that phasor has not. @param {object} [of] */
const ownOf = (of = {}) =>
  Object.entries(of)
    .filter(([name, value]) => typeof value === "function" && !isClass(value) && !(name in entry))
    .map(([name]) => name);

/** What a page must document: the functions of a module or of an entry. @type {[string, string[]][]} */
const wanted = [
  ...Object.entries(modules).map(
    ([name, module]) =>
      /** @type {[string, string[]]} */ ([
        folderOf(name),
        [...functionsOf(name, module), ...ownOf(beside[name])],
      ]),
  ),
  ["load", ["load", "optionsOf", "pool", "schemesOf"]],
  [
    "files",
    Object.entries(files).flatMap(([name, value]) =>
      isClass(value) ? [] : functionsOf(name, value),
    ),
  ],
  [
    "open",
    Object.entries(opening).flatMap(([name, value]) =>
      isClass(value) ? [] : functionsOf(name, value),
    ),
  ],
  ["models", ["atlas", ...functionsOf("models", models.models)]],
  ["oracle", ["identify"]],
  ["xray", ["xray"]],
  ["vectors", ["vectors"]],
  ["plots", ["figures", ...Object.keys(plots.figures())]],
];

test("reference: every function has its entry: a signature, an example with its result, a source", async () => {
  for (const [name, functions] of wanted) {
    const document = await open(name);
    const sections = [...document.querySelectorAll('.entry[data-kind="function"]')];
    assert.deepEqual(
      sections.map((section) => section.querySelector("h2")?.textContent).sort(),
      functions.sort(),
      name,
    );
    for (const section of sections) {
      const called = section.querySelector("h2")?.textContent ?? "";
      const text = (/** @type {string} */ selector) =>
        section.querySelector(selector)?.textContent ?? "";
      assert.ok(text(".signature").startsWith(`${called}(`), called);
      assert.match(text(".signature"), /\): [^]+$/, called);
      assert.match(text(".file code"), /\/\/ \S/, called);
      assert.match(text("div.note"), /Source: \S/, called);
      assert.ok(text("p").length > 10, called);
    }
  }
});

test("reference: every constant is listed with its value", async () => {
  const gpt2 = (await open("learned-positions")).querySelector("#presets")?.closest("section");
  assert.match(gpt2?.querySelector("pre")?.textContent ?? "", /gpt2: \{ rows: 1024, offset: 0/);
  const names = (await open("models")).getElementById("models.names")?.closest("section");
  for (const name of models.models.names) {
    assert.ok(names?.querySelector("pre")?.textContent?.includes(`'${name}'`), name);
  }
});

test("reference: every class is listed with its members", async () => {
  for (const [page, module] of /** @type {const} */ ([
    ["load", entry],
    ["files", files],
  ])) {
    const document = await open(page);
    for (const [name, value] of Object.entries(module)) {
      if (!/^class /.test(String(value)) || name === "Tensor") continue;
      assert.equal(document.getElementById(name)?.textContent, name);
    }
  }
  const document = await open("tensor");
  const own = Object.getOwnPropertyNames(entry.Tensor.prototype);
  for (const name of own.filter((name) => name !== "constructor")) {
    assert.ok(document.getElementById(`Tensor.${name}`), name);
  }
});

test("reference: the list leads to every page and every function", async () => {
  const { document } = parseHTML(await readFile(join(folder, "index.html"), "utf8"));
  const links = Array.from(document.querySelectorAll("main a"), (link) =>
    link.getAttribute("href")?.replace(/^(\.\.\/reference|\.)\//, ""),
  );
  const pages = (await readdir(folder, { withFileTypes: true })).filter((at) => at.isDirectory());
  for (const { name } of pages) assert.ok(links.includes(`${name}/`), name);
  for (const [name, functions] of wanted) {
    for (const called of functions) {
      const id =
        called.includes(".") && isLoaded(called) ? called.slice(called.indexOf(".") + 1) : called;
      assert.ok(links.includes(`${name}/#${id}`), called);
    }
  }
});

/** @param {string} called */
function isLoaded(called) {
  return called.split(".")[0] in modules;
}

test("reference: every import that a page shows exists", async () => {
  for (const { name } of await readdir(folder, { withFileTypes: true })) {
    if (name === "index.html") continue;
    const code = (await open(name)).querySelector(".import code")?.textContent ?? "";
    const [, names, from] = /^import \{ (.+) \} from "(.+)";/.exec(code) ?? [];
    const module = await import(from);
    for (const each of names.split(", ")) assert.ok(each in module, `${each} of ${from}`);
    const [, loaded] = /^const \{ (.+) \} = await load\(\);/m.exec(code) ?? [];
    if (loaded) assert.ok(loaded in (await module.load()), loaded);
  }
});

test("reference: types link to their definitions", async () => {
  const document = await open("rope");
  const apply = document.getElementById("apply")?.closest("section");
  const links = Array.from(apply?.querySelectorAll(".signature a") ?? [], (link) => [
    link.textContent,
    link.getAttribute("href"),
  ]);
  assert.deepEqual(links[0], ["TensorInput", "../../reference/tensor/#TensorInput"]);
  assert.match(apply?.querySelector("div.note")?.textContent ?? "", /arXiv:2104\.09864/);
});

const { server, browser } = await openSite();

test("reference: the list is filtered by the typed words", async () => {
  const { page, problems } = await browser.newPage();
  await page.goto(`${server.url}reference/`);
  await settled(page);
  const shown = () => page.locator("[data-page]:visible h3").allTextContents();
  const all = await shown();
  const field = page.getByRole("searchbox", { name: "Search the reference" });
  await field.fill("rope apply");
  const byName = page.locator(".names li:not(.by-text):visible");
  const byText = page.locator(".names li.by-text:visible");
  assert.deepEqual(await byName.allTextContents(), ["rope.apply"]);
  const [name, text] = [1, await byText.count()];
  assert.ok(text > 0, "hits in names do not hide those in texts");
  assert.equal(
    await page.getByRole("status").textContent(),
    `${name} found by name, ${text} more in the texts`,
  );
  await field.fill("rope.apply");
  assert.ok((await byName.allTextContents()).includes("rope.apply"));
  for (const [words, called] of [
    ["yarn", "rope.frequencies"],
    ["paddingIdx", "embedding.create"],
    ["padding", "embedding.create"],
    ["padding", "positionIds.fromMask"],
    ["int8", "embedding.quantize"],
    ["keylength", "attention.scaledDotProduct"],
  ]) {
    await field.fill(words);
    assert.ok((await page.locator(".names li:visible").allTextContents()).includes(called), words);
    assert.match(String(await page.getByRole("status").textContent()), /^\d+ found/);
  }
  await field.fill("zebra crossing");
  assert.deepEqual(await shown(), []);
  assert.equal(await page.getByRole("status").textContent(), "Nothing found");
  await field.fill("");
  assert.deepEqual(await shown(), all);
  assert.deepEqual(problems, []);
});

test("reference: an address leads to a function", async () => {
  const { page, problems } = await browser.newPage({ viewport: { width: 900, height: 600 } });
  await page.goto(`${server.url}reference/rope/#apply`);
  await settled(page);
  const top = await page.locator("#apply").evaluate((at) => at.getBoundingClientRect().top);
  assert.ok(top >= 0 && top < 300, `the heading is ${top} px below the edge`);
  await page.getByRole("heading", { name: "rope.table" }).getByRole("link").click();
  await page.waitForURL(/#table$/);
  assert.deepEqual(problems, []);
});
