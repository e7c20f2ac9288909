import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { load } from "phasor";
import { observable } from "../../../web/playground/code/observable.js";
import { filesOf } from "../../pages/guides/guide.js";
import { cases } from "../../pages/playground/cases.js";
import { input, readFigure, shows, workshop } from "./observable/workshop.js";
import { readWords } from "./words.js";

const phasor = await load();
const { nearest, sinusoidal } = phasor;

/** @type {Awaited<ReturnType<typeof workshop>>} */
let shop;
before(async () => {
  shop = await workshop();
  const files = await filesOf("observable");
  await shop.copy("notebooks/framework", ".");
  await shop.lendWords("src");
  await shop.put("src/guide.md", String(files.get("src/index.md")));
  const [scheme, [settings]] = cases[0];
  const view = String(
    scheme.views.find((name) => scheme.program(phasor, settings, name).kind === "waves"),
  );
  const cell = observable(phasor, scheme, settings, view);
  await shop.put("src/playground.md", `\`\`\`js\n${cell}\`\`\`\n`);
  await shop.terminal(String(files.get("framework terminal")));
});
after(() => shop?.close());

/** No other host is there, not even the CDN: a built page has all that it needs. @param {string} path */
const open = (path) => shop.open("dist", path, { offline: true });

test("the page of Framework follows its controls, without requests to other hosts", async () => {
  const { vectors, words, named } = await readWords();
  const { page, problems } = await open("");
  const [left, right] = [".card:nth-child(1)", ".card:nth-child(2)"];
  await shows(page, left, sinusoidal.table(64, 64).toArray());
  await input(page, "Positions", "range").fill("16");
  await input(page, "Base", "number").fill("100");
  await shows(page, left, sinusoidal.table(16, 64, { base: 100 }).toArray());

  for (const word of ["ocean", "piano"]) {
    await input(page, "Word", "text").fill(word);
    const id = words.indexOf(word);
    const { ids, scores } = nearest(vectors, vectors.row(id), { exclude: id });
    await shows(
      page,
      right,
      Array.from(scores.data, (score) => [score]),
    );
    assert.deepEqual((await readFigure(page, right)).names, named(ids));
  }
  await input(page, "Word", "text").fill("oceanx");
  await page.getByText("“oceanx” is not among the 10,000 words.").waitFor();
  assert.deepEqual(problems(), []);
});

test("guide observable: its page is built by the commands in the guide, and runs", async () => {
  const { page, problems } = await open("guide.html");
  await shows(page, "main", sinusoidal.table(64, 64).toArray());
  await input(page, "Positions", "range").fill("8");
  await shows(page, "main", sinusoidal.table(8, 64).toArray());
  assert.deepEqual(problems(), []);
});

test("a cell of the playground runs unchanged on a page", async () => {
  const { page, problems } = await open("playground.html");
  await page.locator(".phasor-figure svg").first().waitFor();
  assert.deepEqual(problems(), []);
});
