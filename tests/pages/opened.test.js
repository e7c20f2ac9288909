// The front page and lesson 11 take the tokens and rows of a model that the reader opens.
// More than 20 s of CPU: tables of 50,257 tokens are read, and their neighbors and components computed.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { load } from "phasor";
import { npy } from "phasor/files";
import { project } from "../../scripts/setup/setup.js";
import { planted } from "../unit/files/planted.js";
import { groups } from "../../web/lessons/trained-table/groups.js";
import { faults } from "./axe.js";
import { bytesOf } from "./browser.js";
import { tokenizer } from "./gpt2-tokenizer.js";
import { answered, cells } from "./lessons/lesson.js";
import { openNamed, openSiteWithHub, others, rested } from "./models-hub.js";
import { atNight, isNight } from "../sample.js";
import { settled, unfold } from "./pages.js";

/** @typedef {import("playwright-core").Page} Page */

const GPT2 = "openai-community/gpt2";
/** The width of GPT-2's look-alike, by day half its own. */
const DIM = isNight ? 768 : 384;
const gpt2 = planted({ dim: DIM });
const small = planted({ vocabulary: 400, dim: 64, positions: 32 });
const phasor = await load();

/** Words that tokens of the small model have. */
const WORDS = ["man", "king", "woman", "hot", "warm", "cold", "paris", "france", "italy", "rome"];

const json = (/** @type {unknown} */ value) => JSON.stringify(value);
const site = await openSiteWithHub({
  [GPT2]: {
    files: {
      "config.json": json(gpt2.config),
      "tokenizer.json": tokenizer(),
      "model.safetensors": gpt2,
    },
  },
  "o/words": {
    files: {
      "config.json": json(small.config),
      "vocab.txt": Array.from({ length: 400 }, (_, id) => WORDS[id - 8] ?? `w${id}`).join("\n"),
      "model.safetensors": small,
    },
  },
  "o/unsaid": {
    files: {
      "vocab.txt": Array.from({ length: 400 }, (_, id) => WORDS[id - 8] ?? `w${id}`).join("\n"),
      "model.safetensors": small,
    },
  },
  "o/level": {
    files: {
      "config.json": json(small.config),
      "tokenizer.json": json({
        ...{ added_tokens: [], normalizer: null, post_processor: null, decoder: null },
        pre_tokenizer: { type: "Whitespace" },
        model: {
          type: "WordLevel",
          vocab: Object.fromEntries(
            Array.from({ length: 400 }, (_, id) => [WORDS[id - 8] ?? `w${id}`, id]),
          ),
        },
      }),
      "model.safetensors": small,
    },
  },
  "o/bare": { files: { "model.safetensors": small } },
});

after(site.close);

/** @param {Page} page @param {string} id */
const text = (page, id) => page.locator(`#${id}`).innerText();

/** The page's tokens and their ids, or why they have none. @param {Page} page */
const tokens = (page) =>
  page
    .locator("#tokens li")
    .evaluateAll((items) =>
      items.map((item) => Array.from(item.children, (part) => part.textContent)),
    );

/** The number of a stage's marked cell. @param {Page} page @param {string} stage */
async function reading(page, stage) {
  return Number(await page.locator(`#${stage}-reading data`).getAttribute("value"));
}

/** The file of a stage. @param {Page} page @param {string} stage */
async function download(page, stage) {
  const arrival = page.waitForEvent("download");
  await page.locator(`#${stage}`).getByText("Download .npy").click();
  return npy.read(await bytesOf(await arrival));
}

/** Rows of the file by ids, put next to each other. @param {readonly number[]} ids */
function rowsOf(ids) {
  const data = new Float32Array(ids.length * DIM);
  for (const [at, id] of ids.entries()) data.set(gpt2.row(id), at * DIM);
  return { data, shape: [ids.length, DIM] };
}

/** What GPT-2 itself adds: its learned positions, without a scale. @param {readonly number[]} ids */
function sumOf(ids) {
  const learned = { positions: { scheme: "learnedPositions", preset: "gpt2" } };
  const at = [...ids.keys()];
  const positions = new Float32Array(ids.length * DIM);
  for (const i of at) positions.set(gpt2.position(i), i * DIM);
  const weights = { words: rowsOf(ids), positions: { data: positions, shape: [ids.length, DIM] } };
  return phasor.inputEmbeddings(learned, weights, at);
}

const SENTENCE = [464, 3290, 26172, 262, 3797]; // "The dog chased the cat", as GPT-2 cuts it

test("front page: a sentence takes GPT-2's own tokens and rows, and only these rows are read", async () => {
  const { page, problems } = await site.visit("");
  await page.getByText("Your own model").click();
  await settled(page);
  assert.deepEqual(site.hub.asked, [], "nothing is asked before the reader has asked");
  assert.match(await text(page, "tokens-minilm"), /all-MiniLM-L6-v2/); // until then
  await page.getByRole("button", { name: GPT2 }).click();
  await rested(page);
  assert.deepEqual(await tokens(page), [
    ["The", "464", "position 0"],
    ["␣dog", "3290", "position 1"],
    ["␣chased", "26172", "position 2"],
    ["␣the", "262", "position 3"],
    ["␣cat", "3797", "position 4"],
  ]);
  assert.deepEqual((await download(page, "vectors")).data, rowsOf(SENTENCE).data);
  assert.deepEqual((await download(page, "sum")).data, sumOf(SENTENCE).data);
  assert.match(
    await text(page, "tokens-model"),
    /openai-community\/gpt2's own tokenizer splits the text into its 50,257/,
  );
  assert.match(
    await text(page, "vectors-model"),
    /follows the model's own rule\. It uses its rows unchanged\. Positions: a learned table, for 1,024/,
  );
  assert.equal(await text(page, "equation"), "input = words + positions");
  assert.equal(await page.locator("#tokens-minilm").isVisible(), false);
  assert.equal(await page.locator("#normalized-step").isVisible(), false);
  await page.waitForURL(/#tokenizer=model&model=openai-community%2Fgpt2$/);

  const ranges = () => site.hub.asked.filter(({ of, range }) => of === "store" && range);
  const read = ranges().reduce((sum, { range }) => {
    const [from, to] = /** @type {string} */ (range).match(/\d+/g) ?? [];
    return sum + Number(to) - Number(from) + 1;
  }, 0);
  assert.ok(read < 200_000, `${read} bytes of ${gpt2.size}`);

  const before = ranges().length;
  await page.locator("#text").fill("The dog chased the dog");
  await rested(page);
  assert.deepEqual((await tokens(page)).at(-1), ["␣dog", "3290", "position 4"]);
  assert.equal(ranges().length, before, "rows that are known are not read again");
  await page.locator("#text").fill("The dog chased the dogs");
  await rested(page);
  const [, dogs] = (await tokens(page)).at(-1) ?? [];
  assert.deepEqual(
    (await download(page, "vectors")).data.subarray(4 * DIM),
    gpt2.row(Number(dogs)),
  );
  await page.locator("#text").fill("");
  await rested(page);
  assert.match(await text(page, "tokens-note"), /Type a sentence/);
  assert.deepEqual(others(problems), []);
});

test("front page: its code makes the same sum of the opened model in Node", async () => {
  const { page } = site; // as the test before has left it
  await page.locator("#text").fill("The dog chased the cat");
  await rested(page);
  const program = await text(page, "code-lines");
  assert.match(program, /revision: "[0-9a-f]{40}"/);
  const options = JSON.stringify({ base: site.hub.url, origins: [site.hub.store] }).slice(1, -1);
  const there = program.replace("{ revision", `{ ${options}, revision`);
  assert.notEqual(there, program);
  const script = `${there}\nconsole.log(JSON.stringify([...input.data]));`;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--input-type=module", "--eval", script],
    { cwd: project, maxBuffer: 2 ** 24 },
  );
  const made = JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "");
  assert.deepEqual(Float32Array.from(made), sumOf(SENTENCE).data);
});

test("front page: rows that do not arrive are reported, and requested again", async () => {
  const { page } = site; // as the test before has left it
  await page.context().setOffline(true);
  await page.context().route(/huggingface\.co|hf\.co/, (route) => route.abort());
  await page.locator("#text").fill("The dog chased the horse");
  await rested(page);
  assert.match(await text(page, "tokenizer-wrong"), /\S/);
  assert.equal((await tokens(page)).at(-1)?.[0], "␣cat", "the page stays as it was");
  await page.context().unroute(/huggingface\.co|hf\.co/);
  await page.context().setOffline(false);
  await page.locator("#text").fill("The dog chased the horses");
  await rested(page);
  assert.equal((await tokens(page)).at(-1)?.[0], "␣horses");
  assert.equal(await text(page, "tokenizer-wrong"), "");
  await page.goto("about:blank");
});

test("front page: a link that names a model reads nothing before Open is pressed", async () => {
  const { page, problems, close } = await site.visit(
    `#tokenizer=model&model=${GPT2}&text=the+king`,
  );
  assert.deepEqual(site.hub.asked, []);
  await page.locator("#opening .note").getByText("Press Open").waitFor();
  assert.deepEqual(
    (await tokens(page)).map(([label]) => label),
    ["[CLS]", "the", "king", "[SEP]"],
  ); // MiniLM's
  await page.locator("#open").click();
  await rested(page);
  assert.deepEqual(await tokens(page), [
    ["the", "1169", "position 0"],
    ["␣king", "5822", "position 1"],
  ]);
  await page.getByRole("button", { name: "Back to MiniLM" }).click();
  await rested(page);
  assert.equal(await page.locator('input[value="minilm"]').isChecked(), true);
  assert.equal(await page.locator("#opening-place").isVisible(), false);
  assert.equal((await tokens(page))[0][0], "[CLS]");
  await page.waitForURL((url) => !url.href.includes("model"));
  assert.deepEqual(others(problems), []);
  await close();
});

test(
  "front page: without a tokenizer words are looked up whole, and without a vocabulary it says so",
  atNight,
  async () => {
    const { page, problems, close } = await site.visit("#tokenizer=model&text=the+King+woman");
    await openNamed(page, "o/words");
    assert.match(await text(page, "tokens-model"), /has no tokenizer\.json/);
    assert.deepEqual(await tokens(page), [
      ["the", "no id", "left out"],
      ["king", "9", "position 0"],
      ["woman", "10", "position 1"],
    ]);
    assert.equal(await reading(page, "vectors"), small.row(10)[6]); // row 1 of the picture, column 6
    await openNamed(page, "o/bare");
    assert.match(await text(page, "opening-wrong"), /^o\/bare: It has no vocabulary\.$/);
    assert.equal((await tokens(page))[1][0], "king", "the model before is still here");
    await openNamed(page, "o/none");
    assert.match(await text(page, "opening-wrong"), /^o\/none: /);
    const unexpected = others(problems).filter((problem) => !/status of 401/.test(problem));
    assert.deepEqual(unexpected, []);
    await close();
  },
);

test("front page: a model with an unknown rule shows its rows only, and says why", async () => {
  const { page, problems, close } = await site.visit("#tokenizer=model&text=king+woman");
  await openNamed(page, "o/unsaid");
  assert.match(
    await text(page, "vectors-model"),
    /cannot tell what o\/unsaid adds to these vectors \(cannot embed: the model has no configuration/,
  );
  assert.equal(await text(page, "equation"), "input = words");
  assert.deepEqual((await download(page, "vectors")).data.subarray(64), small.row(10));
  for (const step of ["positions", "segments", "sum", "normalized"]) {
    assert.equal(await page.locator(`#${step}-step`).isVisible(), false, step);
  }
  assert.deepEqual(others(problems), []);
  await close();
});

test("front page: a word without a token is left out, without an error", async () => {
  const { page, problems, close } = await site.visit("#tokenizer=model&text=man+and+woman");
  await openNamed(page, "o/level");
  assert.deepEqual(await tokens(page), [
    ["man", "8", "position 0"],
    ["and", "no id", "left out"],
    ["woman", "10", "position 1"],
  ]);
  assert.match(await text(page, "tokens-note"), /^The model cannot read: “and”\./);
  assert.equal(await text(page, "tokenizer-wrong"), "");
  assert.deepEqual(others(problems), []);
  await close();
});

test("front page: files of the reader's own are read where they are", async () => {
  const { page, problems, close } = await site.visit("#tokenizer=model&text=man+and+woman");
  await page
    .locator("#files")
    .setInputFiles([
      file("model.safetensors", small.bytes(0, small.size)),
      file("config.json", Buffer.from(JSON.stringify(small.config))),
      file("vocab.txt", Buffer.from(["and", "man", "woman", ...Array(397).keys()].join("\n"))),
    ]);
  await rested(page);
  assert.deepEqual(
    (await tokens(page)).map(([, id]) => id),
    ["1", "0", "2"],
  );
  assert.deepEqual((await download(page, "vectors")).data.subarray(0, 64), small.row(1));
  assert.doesNotMatch(await text(page, "vectors-model"), /request/);
  assert.deepEqual(problems, []);
  await close();
});

/** @param {string} name @param {Uint8Array} bytes */
function file(name, bytes) {
  return { name, mimeType: "application/octet-stream", buffer: Buffer.from(bytes) };
}

test("lesson 11 takes the table of an opened model, and GloVe's again", atNight, async () => {
  const { page, problems, close } = await site.visit("lessons/trained-table/");
  await unfold(page);
  assert.equal(await answered(page, "frequent", "longer"), true);
  await page.locator("details.opening > summary").click();
  assert.deepEqual(site.hub.asked, []);
  await openNamed(page, GPT2);
  assert.equal(await page.locator('[data-question="frequent"] .verdict').innerText(), "");
  const lead = page.locator(".lead").filter({ visible: true });
  assert.match(
    await lead.innerText(),
    RegExp(
      `^This is the trained table of openai-community/gpt2: 50,257 tokens, with ${DIM} numbers each`,
    ),
  );

  const { numbers: lengths } = await cells(page, "lengths");
  assert.equal(lengths.length, 50_257);
  const length = Math.hypot(...gpt2.row(777));
  assert.ok(Math.abs(lengths[777][2] - length) < 1e-6 * length);

  await page.locator("#word").fill("king");
  await rested(page);
  const near = await cells(page, "nearest");
  const known = gpt2.neighbors(5822);
  for (const [i, { cosine }] of known.entries()) {
    assert.ok(Math.abs(near.numbers[i][0] - cosine) < 1e-6, `${near.numbers[i]} ${cosine}`);
  }
  const raw = (await cells(page, "all")).numbers;
  assert.deepEqual(
    raw[5822].slice(1, 3).map(Math.fround),
    Array.from(gpt2.row(5822).subarray(0, 2)),
  );

  await page.locator("#triple").fill("#803 #805 #1603"); // of the groups 100 and 200
  await rested(page);
  const [answer] = (await cells(page, "analogy")).names;
  assert.equal(idOf(answer), 1605);

  const labels = await page.locator("#map > figure").evaluate((figure) => {
    const { rows, header, cell } = /** @type {any} */ (figure).table;
    return Array.from({ length: rows }, (_, row) => cell(row, header.indexOf("label")));
  });
  const mapped = [...Object.values(groups), "river lake sea mountain valley hill"]
    .join(" ")
    .split(" ");
  assert.equal(labels.length, mapped.filter((word) => spellings(word).some(idOf)).length);
  assert.ok(labels.includes("\u2423France") && labels.includes("\u2423dog"), String(labels));
  const code = page.locator('[data-code="nearest"]');
  await code.evaluate((at) => at.closest("details")?.setAttribute("open", ""));
  assert.match(await code.locator("textarea").inputValue(), /open\("openai-community\/gpt2"\)/);
  assert.equal(await code.getByRole("button", { name: "Run" }).isVisible(), false);
  assert.match(await code.innerText(), /Run this one in Node/);

  await page.getByRole("button", { name: "Back to GloVe" }).click();
  await rested(page);
  assert.match(await lead.innerText(), /^GloVe’s table/);
  assert.equal((await cells(page, "lengths")).numbers.length, 10_000);
  assert.equal(await code.getByRole("button", { name: "Run" }).isVisible(), true);
  assert.equal(await answered(page, "frequent", "longer"), true);
  assert.deepEqual(others(problems), []);
  await close();
});

test("lesson 11: long work on an opened model is separate, and discarded with the model", async () => {
  const { page, problems, close } = await site.visit("lessons/trained-table/#model=o/words");
  assert.equal(await page.locator("details.opening").getAttribute("open"), "");
  assert.deepEqual(site.hub.asked, []);
  await page.locator("#open").click();
  await rested(page);
  const whole = page.locator('[data-action="whole"]');
  await whole.locator(".begin").click();
  await whole.getByText("The first two components capture").waitFor();
  await rested(page);
  const data = new Float32Array(400 * 64);
  for (let id = 0; id < 400; ++id) data.set(small.row(id), id * 64);
  const { projected } = phasor.pca({ data, shape: [400, 64] }, { components: 2 });
  const seen = (await cells(page, "all")).numbers;
  for (const at of [0, 57, 399]) {
    for (const axis of [0, 1]) {
      assert.ok(Math.abs(seen[at][axis + 1] - projected.data[2 * at + axis]) < 1e-4);
    }
  }
  const capitals = page.locator('[data-action="capitals"]');
  await capitals.locator(".begin").click();
  await capitals.getByText(/^2 questions/).waitFor(); // France and Italy, each by the other
  await rested(page);

  const squares = Array.from(
    phasor.statistics.singularValues({ data, shape: [400, 64] }).data,
    (s) => s * s,
  );
  const total = squares.reduce((sum, square) => sum + square, 0);
  let [sum, k] = [0, 0];
  while (sum < total / 2) sum += squares[k++];
  assert.equal(await answered(page, "exercise-half", String(k)), true);
  assert.equal(await answered(page, "exercise-half", String(k + 1)), false);
  const doctor = page.locator('[data-question="exercise-doctor"]');
  await doctor.locator('input[value="nurse"]').check();
  await doctor.locator(".ask").click();
  await doctor.getByText(/needs “doctor”, which .+ does not have/).waitFor();

  await page.getByRole("button", { name: "Back to GloVe" }).click();
  await rested(page);
  assert.equal(await whole.locator(".note").innerText(), "");
  assert.equal((await cells(page, "all")).numbers.length, 10_000);
  assert.deepEqual(others(problems), []);
  await close();
});

test(
  "with an opened model axe finds nothing on either page, wide and on a phone, in both themes",
  atNight,
  async () => {
    for (const path of ["lessons/trained-table/#model=o/words", "#tokenizer=model"]) {
      const { page, problems, close } = await site.visit(path);
      await openNamed(page, "o/words");
      assert.deepEqual(await faults(page), [], path);
      assert.deepEqual(others(problems), []);
      await close();
    }
  },
);

/** How GPT-2 may have a word. @param {string} word */
function spellings(word) {
  const capital = word[0].toUpperCase() + word.slice(1);
  return [word, capital].flatMap((each) => [each, `\u2423${each}`]);
}

/** GPT-2's tokens and their ids. @type {Record<string, number>} */
const vocab = JSON.parse(tokenizer()).model.vocab;

/** Of a token as it is shown. @param {string} label */
function idOf(label) {
  const token = label.replace("\u2423", "\u0120");
  return label.startsWith("#") ? Number(label.slice(1)) : vocab[token];
}
