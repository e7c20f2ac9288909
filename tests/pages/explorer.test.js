// The word explorer: what it lists, draws and says is what the package computes of GloVe's table.
// More than 20 s of CPU: a visit computes the components of 10,000 words, which is what these tests are about, and
// axe looks at pages with tables of words.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { load } from "phasor";
import { safetensors } from "phasor/files";
import { project } from "../../scripts/setup/setup.js";
import { beginning, near } from "../../web/app/models/spelling.js";
import { atNight } from "../sample.js";
import { until } from "../until.js";
import { faults } from "./axe.js";
import { openSite } from "./open-site.js";
import { serveBuild } from "./site.js";
import { put } from "./controls.js";
import { codeFaults, exportFaults } from "./lessons.js";
import { cells } from "./lessons/lesson.js";
import { frames, setHash, settled } from "./pages.js";

/** @typedef {import("playwright-core").Page} Page */

const { server, browser } = await openSite(serveBuild);
const address = `${server.url}page/explorer/`;

const { nearest, normalize, pca, statistics } = await load();
const data = (/** @type {string} */ name) => readFile(join(project, "web/data", name));
const file = await safetensors.read(await data("glove-10k-100d.safetensors"));
const vectors = await file.tensor("embedding.weight", { scale: "embedding.scale" });
const words = String(await data("glove-10k-words.txt"))
  .trimEnd()
  .split("\n");
const idOf = (/** @type {string} */ word) => words.indexOf(word);

/** Adds up how far what is seen moves by itself. */
const watch = `
  globalThis.shift = 0;
  new PerformanceObserver((list) => {
    for (const { value } of list.getEntries()) shift += value;
  }).observe({ type: "layout-shift", buffered: true });`;

/** Notes whether the 3D view has rotated by itself, which may have ended before a test reads it. */
const noteSpin = `
  const { setAttribute } = Element.prototype;
  Element.prototype.setAttribute = function (name, value) {
    if (name === "aria-pressed" && value === "true") globalThis.hasSpun = true;
    setAttribute.call(this, name, value);
  };`;

const viewport = { width: 1280, height: 1000 };
const { page, problems } = await browser.newPage({ viewport, scripts: [watch, noteSpin] });

/** @param {string} hash */
async function open(hash) {
  await page.goto("about:blank"); // else another hash would be no new visit
  await page.goto(`${address}${hash}`);
  await settled(page);
}

let resets = 0;

/** Sets the open page back to its defaults, which takes less than opening it. */
async function reset() {
  await setHash(page, `#reset=${++resets}`); // always another one
}

/** @param {string} name @param {string} value */
async function set(name, value) {
  await put(page, name, value);
  await settled(page);
}

/** A list's words and scores. @param {string} id */
function listed(id) {
  return page
    .locator(`#${id} > li`)
    .evaluateAll((all) =>
      all.map((item) => [
        item.querySelector("button")?.textContent ?? "",
        Number(item.querySelector("data")?.value),
      ]),
    );
}

/** @param {import("phasor").Neighbors} found */
function named({ ids, scores }) {
  return Array.from(ids.data, (id, i) => [words[id], Number(scores.data[i])]);
}

/** @param {string} id */
const text = (id) => page.locator(`#${id}`).innerText();

/** The map's places by word. */
async function places() {
  const { numbers } = await cells(page, "map");
  const labels = await page
    .locator("#map > figure")
    .evaluate((figure) =>
      Array.from({ length: /** @type {any} */ (figure).table.rows }, (_, row) =>
        /** @type {any} */ (figure).table.cell(row, 1),
      ),
    );
  return new Map(labels.map((label, i) => [label, numbers[i].slice(1, 3).map(Math.fround)]));
}

const view = () =>
  page.locator("#map > figure").evaluate((figure) => /** @type {any} */ (figure).view);

test("the first screen shows the map and the search, on desktop and phone, without layout shift", async () => {
  for (const [width, height] of [
    [1280, 900],
    [390, 844],
  ]) {
    await page.setViewportSize({ width, height });
    await open("");
    const ends = await page.evaluate(() =>
      ["#word", "#open-model", "#map canvas"].map(
        (each) => document.querySelector(each)?.getBoundingClientRect().bottom ?? Infinity,
      ),
    );
    assert.ok(
      ends.every((end) => end <= height),
      `${width} px: ${ends}`,
    );
    const shift = await page.evaluate(() => /** @type {any} */ (globalThis).shift);
    assert.ok(shift < 0.015, `${width} px: ${shift}`); // fonts that arrive late move some lines by a pixel
  }
  await page.setViewportSize(viewport);
});

test("the neighbors are the package's, by both metrics and for every count", async () => {
  await reset();
  const search = (/** @type {any} */ options) =>
    named(nearest(vectors, vectors.row(idOf("king")), { exclude: idOf("king"), ...options }));
  assert.deepEqual(await listed("near"), search({ k: 10 }));
  assert.match(await text("word-fact"), /number 641 of 10,000/);
  await set("metric", "euclidean");
  await set("k", "17");
  assert.deepEqual(await listed("near"), search({ k: 17, metric: "euclidean" }));
  assert.match(await text("near-title"), /distance/);
});

test("a click or key on a neighbor selects it and updates the analogies", async () => {
  await reset();
  const second = page.locator("#near button").nth(1);
  await second.focus();
  await page.keyboard.press("Enter");
  await settled(page);
  assert.equal(await page.locator("#word").inputValue(), "queen");
  assert.match(await text("word-fact"), /queen/);
  assert.match(await text("analogy-fact"), /^queen \u2212 man \+ woman/);
  assert.ok(await second.evaluate((button) => button === document.activeElement));
  await page.waitForURL((url) => url.hash === "#word=queen");
});

test("while typing, completions are offered and no error is shown", async () => {
  await reset();
  await page.locator("#word").fill("");
  await page.locator("#word").pressSequentially("prin");
  await settled(page);
  const offered = page.locator("#word ~ .suggestions button");
  assert.deepEqual(await offered.allInnerTexts(), beginning(words, "prin", 8));
  assert.equal(await text("word-wrong"), "");
  assert.match(await text("word-fact"), /king/, "the word before stays");
  await offered.first().click();
  await settled(page);
  assert.equal(await page.locator("#word").inputValue(), beginning(words, "prin", 1)[0]);
  assert.equal(await offered.count(), 0);
});

test("a letter that is not a word shows a message while typing, with the words that begin with it", async () => {
  await reset();
  await page.locator("#word").fill("I");
  await settled(page);
  const offer = page.locator("#word ~ .suggestions");
  assert.match(
    await offer.locator(".note").innerText(),
    /\u201cI\u201d is not a word of this table/,
  );
  assert.deepEqual(await offer.locator("button").allInnerTexts(), beginning(words, "i", 8));
  await page.keyboard.press("Enter");
  await settled(page);
  assert.match(await text("word-wrong"), /\u201cI\u201d is not among the 10,000 words/);
});

test("an unknown word is reported, with near spellings", async () => {
  await reset();
  await page.locator("#word").fill("qeuen");
  await page.keyboard.press("Enter");
  await settled(page);
  assert.match(await text("word-wrong"), /\u201cqeuen\u201d is not among the 10,000 words/);
  assert.equal(await page.locator("#word").getAttribute("aria-invalid"), "true");
  await page.locator("#word ~ .suggestions button").first().click();
  await settled(page);
  assert.equal(await page.locator("#word").inputValue(), "queen");
  assert.equal(await text("word-wrong"), "");
  await open("#word=flurble");
  assert.match(await text("word-wrong"), /flurble/, "in a link as well");
  assert.equal((await listed("near")).length, 10);
});

test("near spellings: swapped, missing, wrong and further letters; the frequent word first", () => {
  assert.equal(near(words, "teh", 1)[0], "the");
  assert.equal(near(words, "becuase", 1)[0], "because");
  assert.equal(near(words, "goverment", 1)[0], "government");
  assert.equal(near(words, "kingg", 1)[0], "king");
  assert.deepEqual(near(["bat", "cat", "dog"], "xat", 5), ["bat", "cat"]);
  assert.deepEqual(near(words, "x".repeat(2000), 5), []);
  assert.deepEqual(near(words, "", 5), []);
});

test("analogies are a - b + c of rows of length 1, without the inputs or with them", async () => {
  await reset();
  const [king, man, woman] = ["king", "man", "woman"].map(idOf);
  assert.deepEqual(await listed("answers"), named(nearest.analogy(vectors, [man, king, woman])));
  await set("inputs", "true");
  const [a, b, c] = [king, man, woman].map((id) => normalize.l2(vectors.row(id)).data);
  const target = Array.from(a, (x, d) => Number(x) - Number(b[d]) + Number(c[d]));
  const all = named(nearest(vectors, target));
  assert.equal(all[0][0], "king");
  assert.deepEqual(await listed("answers"), all);
  await set("inputs", "false");
  await page.locator("#examples button").first().click();
  await settled(page);
  assert.match(await text("analogy-fact"), /^paris \u2212 france \+ italy/);
  assert.equal((await listed("answers"))[0][0], "rome");
});

test("the page says whether the words of an analogy take its first place", async () => {
  await reset();
  const [king, man, woman] = ["king", "man", "woman"].map(idOf);
  const [a, b, c] = [king, man, woman].map((id) => normalize.l2(vectors.row(id)).data);
  const sum = Array.from(a, (x, d) => Number(x) - Number(b[d]) + Number(c[d]));
  const [[first, score]] = named(nearest(vectors, sum, { k: 1 }));
  const [[answer, other]] = named(nearest.analogy(vectors, [man, king, woman], { k: 1 }));
  assert.deepEqual([first, answer], ["king", "queen"]);
  let said = await text("analogy-inputs");
  assert.ok(said.includes(`king (cosine ${Number(score).toFixed(3)}) itself`), said);
  assert.ok(said.includes(`queen (cosine ${Number(other).toFixed(3)}) is the answer only`), said);

  await open("#word=a&a=paris&b=france&c=italy");
  const [paris, france, italy] = ["paris", "france", "italy"].map(idOf);
  const [[rome]] = named(nearest.analogy(vectors, [france, paris, italy], { k: 1 }));
  const rows = [paris, france, italy].map((id) => normalize.l2(vectors.row(id)).data);
  const target = Array.from(rows[0], (x, d) => Number(x) - Number(rows[1][d]) + Number(rows[2][d]));
  const [[all]] = named(nearest(vectors, target, { k: 1 }));
  said = await text("analogy-inputs");
  assert.equal(/only because/.test(said), all !== rome, said);
});

test("arrows lead from b to a and from c to the answer, with the cosine of their differences", async () => {
  await reset();
  const drawn = () =>
    page.locator("#map > figure").evaluate((figure) => {
      const svg = /** @type {any} */ (figure).svg();
      return svg.split('stroke-width="5"').length - 1;
    });
  assert.equal(await drawn(), 1);
  const program = page.locator("#code textarea");
  assert.ok((await program.inputValue()).includes('[["man","king"],["woman","queen"]]'));
  const row = (/** @type {string} */ word) => Array.from(vectors.row(idOf(word)).data, Number);
  const minus = (/** @type {number[]} */ x, /** @type {number[]} */ y) => x.map((v, d) => v - y[d]);
  const dot = (/** @type {number[]} */ x, /** @type {number[]} */ y) =>
    x.reduce((sum, v, d) => sum + v * y[d], 0);
  const [u, v] = [minus(row("king"), row("man")), minus(row("queen"), row("woman"))];
  const cosine = dot(u, v) / Math.sqrt(dot(u, u) * dot(v, v));
  assert.ok((await text("arrows-fact")).includes(cosine.toFixed(3)), await text("arrows-fact"));
  await set("arrows", "false");
  assert.equal(await drawn(), 0);
  assert.equal(await page.locator("#arrows-fact").isVisible(), false);
});

test("the 3D view rotates by key and drag, selects by click, and announces its words", async () => {
  await open("");
  await page.locator("label", { hasText: "3-D" }).click();
  await settled(page);
  assert.equal(await page.locator("#map").isVisible(), false);
  const picture = page.locator("#space .space-picture");
  const shown = async () => {
    await frames(page);
    return picture.locator("canvas").evaluate((canvas) => /** @type {any} */ (canvas).toDataURL());
  };
  await page.locator("#space").getByRole("button", { name: "Reset" }).click();
  const first = await shown();
  await picture.focus();
  await page.keyboard.press("ArrowRight");
  const rotated = await shown();
  assert.notEqual(rotated, first);
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("0");
  assert.equal(await shown(), first, "reset is the first view");
  const box = await picture.boundingBox();
  assert.ok(box);
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 60, y + 20, { steps: 3 });
  await page.mouse.up();
  assert.notEqual(await shown(), first);
  await settled(page);
  assert.equal(await page.locator("#word").inputValue(), "king", "a drag chooses nothing");

  await picture.focus();
  for (let i = 0; i < 2; ++i) await page.keyboard.press("PageDown");
  await settled(page);
  const [, word] = /\u201c(.+)\u201d is number/.exec(await text("pointed")) ?? [];
  assert.equal(word, "man", "the word, then what the arrows join");
  await page.keyboard.press("Enter");
  await settled(page);
  assert.equal(await page.locator("#word").inputValue(), "man");
  const { explainedVarianceRatio } = pca(vectors, { components: 5 });
  const three = [0, 1, 2].reduce((sum, c) => sum + explainedVarianceRatio.at(c), 0);
  assert.ok(
    (await text("space")).includes(`hold ${Number((100 * three).toPrecision(3))} %`),
    await text("space"),
  );
  await page.waitForURL((url) => url.hash.includes("show=space"));
});

test(
  "the 3D view rotates by itself only briefly, and not with reduced motion",
  atNight,
  async () => {
    for (const reducedMotion of /** @type {const} */ (["reduce", "no-preference"])) {
      await page.emulateMedia({ reducedMotion });
      await open("#show=space");
      const spinner = page.locator("#space [aria-pressed]");
      const hasSpun = await page.evaluate("globalThis.hasSpun === true");
      assert.equal(hasSpun, reducedMotion === "no-preference");
      await page.locator("#space .space-picture").focus();
      await page.keyboard.press("ArrowUp");
      await page.locator("#space [aria-pressed='false']").waitFor();
      assert.equal(await spinner.getAttribute("aria-pressed"), "false", "a key ends it");
    }
    await page.emulateMedia({ reducedMotion: "reduce" });
  },
);

test("UMAP runs on request, can be stopped, and places the words of the map", async () => {
  await open("#show=umap&points=groups&word=paris");
  const place = page.locator("#umap");
  await place.getByRole("button", { name: "Compute UMAP" }).click();
  await settled(page);
  const count = (await places()).size;
  const drawn = () =>
    place.locator("figure").evaluate((figure) => {
      const { rows, cell } = /** @type {any} */ (figure).table;
      return Array.from({ length: rows }, (_, row) => [cell(row, 1), cell(row, 4)]);
    });
  const all = await drawn();
  assert.equal(all.length, count);
  assert.match(await place.locator(".phasor-title").innerText(), /by UMAP$/);
  assert.ok(
    all.some((/** @type {string[]} */ [word, group]) => word === "rome" && group === "capitals"),
  );
  await set("word", "rome");
  assert.deepEqual(await drawn(), all, "another word is marked on the same map");
  const legends = ["#umap", "#map"].map((id) => page.locator(`${id} .phasor-groups`));
  assert.equal(await legends[0].innerHTML(), await legends[1].innerHTML(), "the same colors");
  assert.equal(await place.getByRole("button", { name: "Compute UMAP" }).isVisible(), false);
  assert.match(await text("umap"), /how far two clusters are from each other.* means nothing/);
  await set("points", "all");
  assert.equal(await place.locator("figure").count(), 0);
  await place.getByRole("button", { name: "Compute UMAP" }).click();
  await place.getByRole("button", { name: "Stop" }).click();
  await settled(page);
  assert.equal(await place.locator(".note").innerText(), "Stopped.");
  assert.ok(await place.getByRole("button", { name: "Compute UMAP" }).isVisible());
});

test("UMAP shows its map while it settles", atNight, async () => {
  await open("#show=umap&points=first");
  const place = page.locator("#umap");
  await place.getByRole("button", { name: "Compute UMAP" }).click();
  const title = place.locator(".phasor-title");
  await title.filter({ hasText: /by UMAP, not settled$/ }).waitFor();
  await place.getByRole("button", { name: "Stop" }).click();
  await settled(page);
  assert.equal(await place.locator(".note").innerText(), "Stopped: the map has not settled.");
  assert.ok(await place.getByRole("button", { name: "Compute UMAP" }).isVisible());
});

test("the table of the words sorts by each column, and a word in it is chosen", async () => {
  await reset();
  await set("points", "first");
  await page.locator("label", { hasText: "Table" }).click();
  await settled(page);
  const rows = page.locator("#words tbody tr");
  assert.equal(await rows.count(), 100);
  assert.match(await rows.first().innerText(), /^the\t0\t/);
  const lengths = statistics.norms(vectors.slice(0, 2000)).data;
  const longest = [...lengths.keys()].sort((i, j) => Number(lengths[j]) - Number(lengths[i]));
  const heading = page.locator("#words thead button", { hasText: "length" });
  await heading.click();
  await heading.click();
  await page.locator('#words [aria-sort="descending"]').waitFor();
  assert.equal(await page.locator('#words [aria-sort="descending"]').innerText(), "length");
  const shown = await page.locator("#words tbody button").allInnerTexts();
  assert.deepEqual(shown.slice(0, 5), longest.slice(0, 5).map((id) => words[id])); // prettier-ignore
  await page.getByRole("button", { name: "Show 100 more" }).click();
  await until(async () => (await rows.count()) > 100, "more rows are shown");
  assert.equal(await rows.count(), 200);
  await page.locator("#words tbody button").first().click();
  await settled(page);
  assert.equal(await page.locator("#word").inputValue(), words[longest[0]]);
});

test("the map has every word at its place along the components that are chosen", async () => {
  await reset();
  const { projected, explainedVarianceRatio } = pca(vectors, { components: 5 });
  const at = (/** @type {number} */ id, /** @type {number[]} */ which) =>
    which.map((component) => projected.at(id, component - 1));
  let found = await places();
  assert.equal(found.size, words.length);
  for (const word of ["the", "king", "france", words[9999]]) {
    assert.deepEqual(found.get(word), at(idOf(word), [1, 2]), word);
  }
  const share = (/** @type {number} */ c) =>
    Number((100 * explainedVarianceRatio.at(c)).toPrecision(3));
  assert.ok((await text("variance")).includes(`1: ${share(0)} %, 2: ${share(1)} %`));
  await set("x", "5");
  await set("y", "3");
  found = await places();
  assert.deepEqual(found.get("king"), at(idOf("king"), [5, 3]));
  await set("x", "3");
  assert.match(await text("y-wrong"), /different component/);
});

test("the other maps: the most frequent words, the groups, the word's neighborhood", async () => {
  await reset();
  await set("points", "first");
  let found = await places();
  assert.equal(found.size, 2000);
  const first = pca(vectors.slice(0, 2000)).projected;
  assert.deepEqual(found.get("the"), first.row(0).toArray());
  await set("points", "near");
  found = await places();
  const king = vectors.row(idOf("king"));
  assert.deepEqual(
    [...found.keys()].sort(),
    named(nearest(vectors, king, { k: 200 }))
      .map(([word]) => word)
      .sort(),
  );
  await set("points", "groups");
  found = await places();
  for (const word of ["france", "paris", "dog", "seven", "king"]) assert.ok(found.has(word), word);
  assert.ok(!found.has("the"));
  for (const name of ["countries", "capitals", "animals", "numbers", "verbs"]) {
    await set(name, "false");
  }
  assert.match(await text("points-wrong"), /nothing to show/);
  await set("months", "true");
  assert.equal(await text("points-wrong"), "");
  assert.equal((await places()).size, 13);
});

test("groups: the selected sets, after the reader's own", async () => {
  await reset();
  const groups = async () => {
    const { names, numbers } = await cells(page, "map");
    assert.ok(numbers.length === names.length);
    return page
      .locator("#map > figure")
      .evaluate((figure) => {
        const { rows, cell } = /** @type {any} */ (figure).table;
        /** @type {[string, string][]} */
        const all = Array.from({ length: rows }, (_, row) => [cell(row, 1), cell(row, 4)]);
        return all;
      })
      .then((all) => new Map(all));
  };
  let found = await groups();
  assert.equal(found.get("france"), "countries");
  assert.equal(found.get("king"), "");
  await set("own", "france, King; flurble <b>");
  found = await groups();
  assert.equal(found.get("france"), "your own");
  assert.equal(found.get("king"), "your own");
  assert.equal(found.get("italy"), "countries");
  assert.match(await text("own-wrong"), /\u201cflurble\u201d, \u201c<b>\u201d/);
});

test("pointing shows a word's frequency, length and three nearest words; Enter selects it", async () => {
  await reset();
  await page.locator("#map .phasor-picture").focus();
  await page.keyboard.press("End");
  await until(
    async () => /Nearest: /.test(await text("pointed")),
    "the words of the point are there",
  );
  const said = await text("pointed");
  const [, word, rank] = said.match(/\u201c(.+)\u201d is number ([\d,]+) of/) ?? [];
  assert.equal(Number(rank.replace(",", "")), idOf(word) + 1);
  const length = statistics.norms(vectors).at(idOf(word));
  assert.ok(said.includes(`length ${Number(length.toPrecision(3))}`), said);
  const three = nearest(vectors, vectors.row(idOf(word)), { k: 3, exclude: idOf(word) });
  for (const [name, score] of named(three)) {
    assert.ok(said.includes(`${name} ${Number(score).toFixed(3)}`), said);
  }
  await page.keyboard.press("Enter");
  await settled(page);
  assert.equal(await page.locator("#word").inputValue(), word);
});

test("a link restores the word, the map and the view; other axes show the whole map", async () => {
  await open("");
  await set("word", "moscow");
  await set("points", "near");
  await set("y", "3");
  await set("colors", "true");
  const zoom = page.getByRole("button", { name: "Zoom in" });
  for (let i = 0; i < 3; ++i) await zoom.click();
  await settled(page);
  await page.waitForFunction(() => {
    const view = /** @type {HTMLInputElement} */ (document.querySelector('[name="view"]'));
    return new URLSearchParams(location.hash.slice(1)).get("view") === view.value;
  });
  const [here, before, link] = [await view(), await places(), page.url()];
  assert.ok(here.scale > 3);
  await open(new URL(link).hash);
  const there = await view();
  for (const name of ["x", "y", "scale"]) {
    assert.ok(Math.abs(there[name] - here[name]) < 1e-4, `${name}: ${here[name]}, ${there[name]}`);
  }
  assert.deepEqual(await places(), before);
  await page.waitForURL(link);
  await set("x", "2");
  assert.equal((await view()).scale, 1);
  await page.waitForURL((url) => !url.hash.includes("view"));
});

test("invalid parts of an address are ignored", async () => {
  await open("#k=0&points=galaxy&x=6&view=1,2&metric=dot&countries=maybe");
  assert.equal((await view()).scale, 1);
  assert.equal((await places()).size, words.length);
  assert.equal((await listed("near")).length, 10);
});

test("the map's computation can be stopped and restarted", atNight, async () => {
  await page.goto("about:blank");
  let go = () => {};
  const gate = new Promise((open) => (go = () => open(undefined)));
  await page.route(/worker-thread-[^/]*\.js$/, async (route) => {
    await gate;
    await route.continue();
  });
  await page.goto(address);
  const stop = page.getByRole("button", { name: "Stop", exact: true }).first();
  await stop.click();
  const note = page.locator(".map .action .note");
  await note.getByText(/^Stopped/).waitFor();
  assert.equal(await page.locator(".map progress").isVisible(), false);
  await settled(page);
  assert.equal(await page.locator("#map > figure").count(), 0);
  go();
  await page.getByRole("button", { name: "Compute it" }).click();
  await settled(page);
  assert.equal(await page.locator("#map > figure").count(), 1);
  assert.equal(await note.innerText(), "");
  await page.unroute(/worker-thread-[^/]*\.js$/);
});

test("the code of each map runs, and the exports hold its numbers", atNight, async () => {
  await reset();
  for (const points of ["near", "groups", "all"]) {
    await set("points", points);
    await set("word", points === "near" ? "guitar" : "king");
    assert.deepEqual(await codeFaults(page), [], points);
  }
  const reader = await browser.newPage();
  assert.deepEqual(await exportFaults(page, reader.page, { of: "every figure" }), []);
  await reader.page.context().close();
});

test(
  "axe finds nothing in the views of the map, wide and on a phone, in both themes",
  atNight,
  async () => {
    // Before it is computed, UMAP is a button in the place of the map, which every-page.test.js looks at.
    for (const show of ["table", "space", "umap"]) {
      await page.setViewportSize(viewport);
      await open(`#show=${show}`);
      await page.evaluate(() => {
        for (const each of document.querySelectorAll("details")) each.open = true;
      });
      assert.deepEqual(await faults(page), [], show);
    }
  },
);

test("no problem was reported during these tests", () => assert.deepEqual(problems, []));
