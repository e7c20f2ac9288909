// Errors in the words of a page, and what an empty field does to the address.

import assert from "node:assert/strict";
import { test } from "node:test";
import { inWords } from "../../web/app/errors.js";
import { openSite } from "./open-site.js";
import { serveBuild } from "./site.js";
import { openAnew, settled } from "./pages.js";

const { server, browser } = await openSite(serveBuild);

test("errors: an empty number field gets a message with its label", () => {
  for (const [message, label, words] of [
    [
      "vocabulary must be a whole number from 1 to 2147483647; got NaN",
      "Vocabulary V",
      "Vocabulary V: type a whole number from 1 to 2,147,483,647.",
    ],
    ["base must be a finite number > 0; got NaN", "Base", "Base: type a number above 0."],
    ["base must be a number; got undefined", undefined, "base must be a number; got undefined."],
    [
      "step must be a number from 0.000001 to 100000; got NaN",
      "Step",
      "Step: type a number from 0.000001 to 100,000.",
    ],
    ["dim must be even; got 7", "Width D", "Width D must be even; got 7."],
    ["dim must be even; got 7.", "Width D", "Width D must be even; got 7."],
    ["Nothing is known of it", "Width D", "Nothing is known of it."],
  ]) {
    assert.equal(inWords(String(message), label), words);
  }
});

test("errors: text that is not JSON gets a message with the place of the error", () => {
  assert.equal(
    inWords('config must be JSON; got something else in line 3, column 3: "$1.x"'),
    'The text is not JSON. Look in line 3, column 3: "$1.x".',
  );
  assert.equal(
    inWords("config must be JSON; got something else at its end"),
    "The text is not JSON. Look at its end.",
  );
  assert.equal(
    inWords("config must be JSON; got Unexpected end of JSON input"),
    "The text is not JSON: Unexpected end of JSON input.",
  );
});

test("errors: a file of another kind and a missing network have plain messages", () => {
  for (const message of [
    "header length must be from 2 to 10 in this file; got 8029109312199880558",
    "file must begin with 8 bytes of header length; got 2",
    "header must begin with '{'; got 'v'",
  ]) {
    assert.match(inWords(message), /^This is not a safetensors file: /);
  }
  assert.match(
    inWords("file must begin with the letters GGUF; got 0x1"),
    /^This is not a GGUF file/,
  );
  for (const [message, words] of [
    [
      "header length must be from 2 to 27 in this file; got an HTML page (the address of a page was saved, not that of the file)",
      "This is an HTML page (the address of a page was saved, not that of the file).",
    ],
    [
      "file must begin with the letters GGUF; got a Git LFS pointer, which names a file that was not downloaded (run: git lfs pull)",
      "This is a Git LFS pointer, which names a file that was not downloaded (run: git lfs pull).",
    ],
    ["file must begin with 8 bytes of header length; got an empty file", "This file is empty."],
    [
      "file must end with the end record of a ZIP archive; got 29 bytes",
      "This is not a .npz file, or a part of it is missing: it does not end as one does.",
    ],
    [
      'source must have weights as .safetensors, .gguf, .npz or .npy (others may hold programs); got "a.pt"',
      'This page reads .safetensors, .gguf, .npz and .npy files. "a.pt" may hold a program, so it is not read.',
    ],
    [
      'source must have weights as .safetensors, .gguf, .npz or .npy; got "config.json"',
      '"config.json" holds no weights. This page reads .safetensors, .gguf, .npz and .npy files: choose the weights too.',
    ],
  ]) {
    assert.equal(inWords(message), words);
  }
  const offline = 'https://a.b/c must answer to the end; got "Failed to fetch" after 0 bytes';
  assert.match(inWords(offline), /^There is no answer from the network\. /);
});

/** Keeps the timers that a page waits for in `timers`. */
const countTimers = `
  globalThis.timers = new Set();
  const { setTimeout: wait, clearTimeout: forget } = globalThis;
  globalThis.setTimeout = (work, ms, ...given) => {
    const timer = wait(() => {
      timers.delete(timer);
      work(...given);
    }, ms);
    timers.add(timer);
    return timer;
  };
  globalThis.clearTimeout = (timer) => {
    timers.delete(timer);
    forget(timer);
  };`;

test("errors: an empty or wrong number gets a message beside its field and is not in the address", async () => {
  const visit = await browser.newPage({ scripts: [countTimers] });
  const { page, problems } = visit;
  for (const [path, id, label] of [
    ["lessons/lookup/", "vocabulary", "Vocabulary V"],
    ["playground/#scheme=rope", "a-base", "Base"],
    ["playground/#scheme=learnedPositions", "a-seed", "Seed"],
  ]) {
    await openAnew(visit, `${server.url}page/`, path);
    for (const typed of ["", "abc", "1e999"]) {
      await page.locator(`#${id}`).fill(typed);
      await settled(page);
      const wrong = await page.locator(`#${id}-wrong`).innerText();
      assert.match(wrong, typed === "1e999" ? /./ : new RegExp(`^${label}: type a .*number.*\\.$`));
      // The address is written after a pause.
      await page.waitForFunction(() => /** @type {any} */ (globalThis).timers.size === 0);
      const address = await page.evaluate(() => location.href);
      assert.doesNotMatch(address, /NaN|abc|Infinity|1e999/);
    }
    assert.deepEqual(problems, []);
  }
});
