// The lesson on tokens: its merges are those of byte-pair encoding computed another way, and its tokens those of
// the tokenizers.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { encode } from "gpt-tokenizer/encoding/r50k_base";
import { project } from "../../../scripts/setup/setup.js";
import { learn, merged } from "../../../web/lessons/pieces/bpe.js";
import { CORPUS, read } from "../../../web/lessons/pieces/corpus.js";
import { visit } from "./lesson.js";

const { page, problems, set, isAt, cells, fact, answered } = await visit("pieces");
const list = (await readFile(join(project, "web/data/glove-10k-words.txt"), "utf8")).split("\n");

/**
 * Byte-pair encoding on a text in which a space separates pieces and every word is written as often as it occurs.
 * @param {string} corpus  such as "man 6, ran 3" @param {number} merges
 */
function encoded(corpus, merges) {
  let text = Array.from(corpus.matchAll(/(\S+) (\d+)/g), ([, word, times]) =>
    `| ${[...word].join(" ")} `.repeat(Number(times)),
  ).join("");
  const pairs = [];
  for (let done = 0; done < merges; ++done) {
    /** @type {Record<string, number>} */
    const counts = {};
    for (const [, a, b] of text.matchAll(/(?<= )(\p{L}+)(?= (\p{L}+))/gu)) {
      counts[`${a} ${b}`] = (counts[`${a} ${b}`] ?? 0) + 1;
    }
    const most = Math.max(0, ...Object.values(counts));
    if (most === 0) break;
    const pair = Object.keys(counts).find((each) => counts[each] === most) ?? "";
    text = text.replaceAll(` ${pair} `, ` ${pair.replace(" ", "")} `);
    pairs.push([pair, most]);
  }
  return { pairs, tokens: text.split(" ").filter((piece) => /\p{L}/u.test(piece)).length };
}

test("merges are those of byte-pair encoding computed on the repeated words", () => {
  for (const corpus of [CORPUS, "low 5, lower 2, newest 6, widest 3"]) {
    const steps = learn(read(corpus), 99);
    const found = steps.map(({ pair, count }) => [pair.join(" "), count]);
    assert.deepEqual(found, encoded(corpus, 99).pairs);
  }
});

test("a pair is merged from the left, also where it overlaps itself", () => {
  assert.deepEqual(merged([..."aaab"], ["a", "a"]), ["aa", "a", "b"]);
  assert.deepEqual(merged([..."abab"], ["a", "b"]), ["ab", "ab"]);
});

test("a corpus is read with its counts, and without words the given one is taken", () => {
  assert.deepEqual(read("Dog 2 dog, cat:3"), [
    { pieces: ["d", "o", "g"], count: 3 },
    { pieces: ["c", "a", "t"], count: 3 },
  ]);
  assert.deepEqual(read("12 ?"), read(CORPUS));
});

test("the picture shows the most frequent pairs, and a merge changes them", async () => {
  const before = await cells("pairs");
  assert.deepEqual(before.names.slice(0, 2), ["a n", "d o"]);
  assert.equal(before.numbers[0].at(-1), 9);
  await page.getByRole("button", { name: "Merge the most frequent pair" }).click();
  await isAt("merges", "1");
  const after = await cells("pairs");
  assert.deepEqual(after.names.slice(0, 3), ["d o", "o g", "m an"]);
  assert.match(await fact("merged"), /^Merge 1: a \+ n, which occurred 9 times\..* 75 tokens/);
  assert.match(await fact("vocabulary"), /\ban\s*$/);
  await set("merges", 0);
});

test("the corpus gets as short as the merges make it", async () => {
  const { numbers } = await cells("growth");
  for (const [merges, [tokens]] of numbers.entries()) {
    assert.equal(tokens, encoded(CORPUS, merges).tokens, `after ${merges} merges`);
  }
});

test("only words outside the list are counted", async () => {
  await set("text", "Dog bites man, man bites dog: blorp!");
  const known = list.slice(0, 10_000);
  const words = ["dog", "bites", "man", "man", "bites", "dog", "blorp"];
  const expected = words.filter((word) => !known.includes(word)).length;
  assert.deepEqual(
    (await cells("units")).numbers.map((row) => row.at(-1)),
    [36, 7, expected],
  );
  await set("listed", 500);
  const fewer = words.filter((word) => !list.slice(0, 500).includes(word)).length;
  assert.equal((await cells("units")).numbers[2].at(-1), fewer);
});

test("GPT-2's tokens are those of its tokenizer, and hostile text stays text", async () => {
  for (const sentence of ["Dogs bite <b>men</b>", "犬が男を噛む。"]) {
    await set("sentence", sentence);
    const ids = await page.locator('[data-fact="gpt2"] .id').allInnerTexts();
    assert.deepEqual(ids.map(Number), encode(sentence));
    assert.equal((await cells("real")).numbers[1].at(-1), ids.length);
  }
  assert.equal(await page.locator('[data-fact="gpt2"] b').count(), 0);
});

test("a word is cut by the merges that are kept", async () => {
  await set("word", "mandog");
  await set("first", 4);
  const { names } = await cells("cut");
  assert.deepEqual(names, [
    "0: m a n d o g",
    "1: m an d o g",
    "2: m an do g",
    "3: m an dog",
    "4: man dog",
  ]);
});

test("the questions have the answers that counting gives", async () => {
  const known = ["dog", "bites", "man"].filter((word) => list.slice(0, 10_000).includes(word));
  assert.equal(await answered("known", String(known.length)), true);
  assert.equal(await answered("first", "a n"), true);
  assert.equal(await answered("unseen", "b an d i t s"), true);
  const russian = encode("Собака кусает человека.").length;
  assert.ok(russian > 18 && russian < 28, String(russian));
  assert.equal(await answered("languages", "letters"), true);
  assert.equal(await answered("exercise-merges", "50,000"), true);
  assert.equal(await answered("exercise-dogs", "8"), true);
  assert.deepEqual(problems, []);
});
