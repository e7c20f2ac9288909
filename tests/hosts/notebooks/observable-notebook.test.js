// The guide's Observable notebook and the playground's programs, built by Observable's own tool.
// More than 20 s of CPU: the tool bundles each notebook, and a browser runs it.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { load } from "phasor";
import { observable } from "../../../web/playground/code/observable.js";
import { atNight } from "../../sample.js";
import { filesOf } from "../../pages/guides/guide.js";
import { cases } from "../../pages/playground/cases.js";
import { input, readFigure, shows, workshop } from "./observable/workshop.js";
import { readWords } from "./words.js";

const phasor = await load();
const { nearest, rope, similarity, sinusoidal } = phasor;
const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** @type {Awaited<ReturnType<typeof workshop>>} */
let shop;
/** @type {Awaited<ReturnType<typeof readWords>>} */
let glove;
/** The notebook of the site, in one page for all tests: each sets the controls that it reads by. @type {Awaited<ReturnType<typeof open>>} */
let positions;
const guide = await filesOf("observable");
const open = (/** @type {string} */ name) => shop.open(".observable/dist", name);

before(async () => {
  shop = await workshop();
  glove = await readWords();
  await shop.copy("notebooks/positions.html", "positions.html");
  await shop.lendWords();
  await shop.put("words.html", String(guide.get("words.html")));
  await shop.terminal("npx notebooks build -- positions.html words.html");
  positions = await open("positions.html");
});
after(() => shop?.close());

test("the notebook's heat maps follow their controls", async () => {
  const { page, problems } = positions;
  await shows(page, "#cell-5", sinusoidal.table(64, 64).toArray());
  await input(page, "Positions", "range").fill("16");
  await input(page, "Columns", "range").fill("32");
  await input(page, "Base", "number").fill("100");
  const table = sinusoidal.table(16, 32, { base: 100 });
  await shows(page, "#cell-5", table.toArray());
  await shows(page, "#cell-7", similarity.matrix(table, table).toArray());
  assert.deepEqual(problems(), []);
});

test("its hands rotate with the position, and its score depends only on the distance", async () => {
  const { page, problems } = positions;
  const scores = [];
  for (const [position, distance] of [
    [3, 5],
    [40, 5],
    [40, 7],
  ]) {
    await input(page, "Position", "range").fill(String(position));
    await input(page, "Distance", "number").fill(String(distance));
    await page.getByText(`query at ${position} and the key at ${position + distance}:`).waitFor();
    scores.push(await page.locator("#cell-13 strong").innerText());
    const { cos, sin } = rope.table([position], 16);
    const hands = Array.from(cos.data, (x, i) => [x, sin.data[i]]);
    await shows(
      page,
      "#cell-10",
      hands.map(([x, y]) => [x, y, Math.fround(Math.atan2(y, x))]),
    );
  }
  const query = [0.9, 0.1, -0.4, 0.7, 0.2, -0.8, 0.5, 0.3];
  const key = [0.6, -0.5, 0.8, 0.2, -0.1, 0.4, 0.7, -0.9];
  const expected = [5, 5, 7].map((distance) => {
    const [q, k] = rope.apply([query, key], rope.table([0, distance], 8));
    return similarity.pair(q, k, { metric: "dot" }).toFixed(4);
  });
  assert.deepEqual(scores, expected);
  assert.deepEqual(problems(), []);
});

test("its nearest words and its analogies equal those of phasor in Node", async () => {
  const { vectors, words, named } = glove;
  const { page, problems } = positions;
  for (const [word, k] of /** @type {const} */ ([
    ["ocean", 10],
    ["piano", 4],
  ])) {
    await input(page, "Neighbors", "number").fill(String(k));
    await input(page, "Word", "text").fill(word.toUpperCase()); // however it is written
    const id = words.indexOf(word);
    const { ids, scores } = nearest(vectors, vectors.row(id), { k, exclude: id });
    await shows(
      page,
      "#cell-17",
      Array.from(scores.data, (score) => [score]),
    );
    assert.deepEqual((await readFigure(page, "#cell-17")).names, named(ids));
  }
  await input(page, "Word", "text").fill("oceanx");
  await page.getByText("“oceanx” is not among the 10,000 words.").waitFor();

  for (const triple of [
    ["man", "king", "woman"],
    ["france", "paris", "italy"],
  ]) {
    for (const [i, label] of ["From", "to", "is as from"].entries()) {
      await input(page, label, "text").fill(triple[i]);
    }
    const places = triple.map((word) => words.indexOf(word));
    const [first, ...others] = named(nearest.analogy(vectors, places, { k: 5 }).ids);
    await page.getByText(`to ${first}. After it: ${others.join(", ")}.`).waitFor();
  }
  await input(page, "From", "text").fill("no such word");
  await page.getByText("One of these is not among the 10,000 words.", { exact: true }).waitFor();
  assert.deepEqual(problems(), []);
});

test("figures have the theme's colors, and pass axe in light and dark", async () => {
  const { page, problems } = positions;
  await input(page, "Word", "text").fill("piano");
  await page.locator("#cell-17 svg rect").first().waitFor();
  for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
    await page.emulateMedia({ colorScheme });
    const [bar, slider] = await page.evaluate(() => [
      getComputedStyle(/** @type {Element} */ (document.querySelector("#cell-17 svg rect"))).fill,
      getComputedStyle(/** @type {Element} */ (document.querySelector("[type=range]"))).accentColor,
    ]);
    assert.equal(bar, slider, colorScheme);
    await page.evaluate(axe);
    const found = await page.evaluate(async () => {
      const { violations } = await /** @type {any} */ (globalThis).axe.run(".phasor-figure");
      return violations.map((/** @type {any} */ { id, nodes }) => `${id}: ${nodes[0].html}`);
    });
    assert.deepEqual(found, [], colorScheme);
  }
  assert.deepEqual(problems(), []);
});

test("guide observable: its notebooks are built by the commands in the guide, and run", async () => {
  const { vectors, words, named } = glove;
  {
    const { page, problems } = await open("words.html");
    for (const word of ["music", "river"]) {
      await page.getByLabel("Word").selectOption(word);
      const id = words.indexOf(word);
      const { ids } = nearest(vectors, vectors.row(id), { k: 5, exclude: id });
      await page.getByText(named(ids).join(", ")).waitFor();
    }
    assert.deepEqual(problems(), []);
  }
  await shop.put("positions.html", String(guide.get("positions.html")));
  await shop.terminal(String(guide.get("notebook terminal")));
  const { page, problems } = await open("positions.html");
  await shows(page, "main", sinusoidal.table(64, 64).toArray());
  await input(page, "Positions", "range").fill("8");
  await shows(page, "main", sinusoidal.table(8, 64).toArray());
  assert.deepEqual(problems(), []);
});

// By day Framework runs one (observable-framework.test.js).
test("the playground's cells run unchanged, one of each kind of figure", atNight, async () => {
  /** @type {Map<string, string>} */
  const cells = new Map();
  for (const [scheme, [settings]] of cases) {
    for (const view of scheme.views) {
      const { kind } = scheme.program(phasor, settings, view);
      if (!cells.has(kind)) cells.set(kind, observable(phasor, scheme, settings, view));
    }
  }
  assert.ok(cells.size >= 4);
  for (const [kind, code] of cells) {
    await shop.put(
      `${kind}.html`,
      `<!doctype html><notebook><script type="module">\n${code}</script></notebook>`,
    );
  }
  const names = [...cells.keys()].map((kind) => `${kind}.html`);
  await shop.terminal(`npx notebooks build -- ${names.join(" ")}`);
  for (const kind of cells.keys()) {
    const { page, problems } = await open(`${kind}.html`);
    await page.locator(`.phasor-figure[data-kind="${kind}"]`).waitFor();
    assert.deepEqual(problems(), [], kind);
  }
});
