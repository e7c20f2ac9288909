import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { after, before, test } from "node:test";
import { Tokenizer } from "@huggingface/tokenizers";
import { load } from "phasor";
import { safetensors } from "phasor/files";
import { models } from "phasor/models";
import { serve } from "../../scripts/site/serve.js";
import { project } from "../../scripts/setup/setup.js";
import { DIM, LONGEST, SIZE, minilm, spec } from "../../web/app/text/minilm.js";
import { pictureOf } from "../../web/lessons/pictures.js";

const data = join(project, "web/data");
const lines = async (/** @type {string} */ name) =>
  (await readFile(join(data, name), "utf8")).trimEnd().split("\n");
const recorded = await safetensors.read(
  await readFile(new URL("./minilm-rows.safetensors", import.meta.url)),
);
const phasor = await load();

const server = await serve(data);
const fetchOnline = globalThis.fetch;

/** What was read: files, ranges and numbers of bytes. @type {{name: string, range: string | null, bytes: number}[]} */
let reads = [];

before(() => {
  globalThis.fetch = async (url, init) => {
    const name = basename(new URL(String(url)).pathname);
    const response = await fetchOnline(`${server.url}${name}`, init);
    const range = new Headers(init?.headers).get("range");
    reads.push({ name, range, bytes: Number(response.headers.get("content-length")) });
    return response;
  };
});

after(async () => {
  globalThis.fetch = fetchOnline;
  await server.close();
});

/** @param {string} text */
const written = async (text) => (await (await minilm()).tokenize(text)).map(({ token }) => token);

test("a sentence costs some kilobytes: the small tensors once, then its rows", async () => {
  const model = await minilm();
  const pieces = await model.tokenize("The dog chased the cat");
  await model.words(pieces.map(({ id }) => id));
  await model.positions(pieces.length);
  const ranges = reads.filter(({ name }) => name.endsWith(".safetensors"));
  assert.deepEqual(
    ranges.map(({ bytes }) => bytes),
    [40_000, ...Array(6).fill(DIM)], // [CLS] the dog chased cat [SEP]
  );
  assert.deepEqual(
    reads.map(({ name }) => name).filter((name) => name.endsWith(".txt")),
    ["minilm-tokens.txt"],
  );
  reads = [];
  await model.words([...pieces, ...pieces].map(({ id }) => id));
  assert.deepEqual(reads, [], "nothing is read twice");
});

test("the rows are the model's, rounded: recorded words and positions", async () => {
  const model = await minilm();
  const ids = /** @type {Int32Array} */ ((await recorded.tensor("ids")).data);
  const theirs = {
    words: await recorded.tensor("words"),
    positions: await recorded.tensor("positions"),
  };
  const ours = {
    words: await model.words(ids),
    positions: await model.positions(theirs.positions.shape[0]),
  };
  for (const name of /** @type {const} */ (["words", "positions"])) {
    const [rows] = theirs[name].shape;
    for (let i = 0; i < rows; ++i) {
      const [x, y] = [theirs[name], ours[name]].map(
        ({ data }) => /** @type {Float32Array} */ (data.subarray(i * DIM, (i + 1) * DIM)),
      );
      const dot = (/** @type {Float32Array} */ a, /** @type {Float32Array} */ b) =>
        a.reduce((sum, value, d) => sum + value * b[d], 0);
      // The largest loss of all rows is that of position 0, which one number dominates.
      const loss = 1 - dot(x, y) / Math.sqrt(dot(x, x) * dot(y, y));
      assert.ok(loss < 6.5e-4, `${name} ${i}: ${loss}`);
      const peak = x.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
      // Half a step of at least 96 to the peak, and the float16 of the scale.
      const most = x.reduce((most, value, d) => Math.max(most, Math.abs(value - y[d])), 0);
      assert.ok(most <= peak * (0.5 / 96 + 2 ** -10), `${name} ${i}: ${most} of ${peak}`);
    }
  }
});

test("the list of tokens and its bits are the model's vocabulary", async () => {
  const model = await minilm();
  const [some, others] = [await lines("minilm-tokens.txt"), await lines("minilm-others.txt")];
  assert.equal(some.length + others.length, SIZE);
  assert.equal(new Set([...some, ...others]).size, SIZE);
  // Ids as in the model's vocab.txt.
  const known = { "[PAD]": 0, "[UNK]": 100, "[CLS]": 101, "[SEP]": 102, "[MASK]": 103 };
  const words = { a: 1037, i: 1045, the: 1996, man: 2158, dog: 3899, cat: 4937, bites: 15424 };
  for (const [token, id] of Object.entries({ ...known, ...words, robot: 8957, bites: 15424 })) {
    const [piece] = await model.tokenize(token, { special: false });
    assert.deepEqual(piece, { token, id, hasRow: true, word: token });
  }
});

test("one-letter words, digits and punctuation have rows, and so have everyday words", async () => {
  const model = await minilm();
  const all = `${Array.from({ length: 94 }, (_, i) => String.fromCharCode(33 + i)).join(" ")}
    I am a cat and you are a dog. Dog bites man! Man bites dog? I love pizza, bananas and robots.`;
  const lacking = (await model.tokenize(all)).filter(({ hasRow }) => !hasRow);
  assert.deepEqual(lacking, []);
});

test("a token without a row keeps its id and its position, and gets the row of [UNK]", async () => {
  const model = await minilm();
  const pieces = await model.tokenize("the aardvark sleeps");
  assert.deepEqual(
    pieces.map(({ token, hasRow }) => [token, hasRow]),
    [
      ["[CLS]", true],
      ["the", true],
      ["aa", false],
      ["##rd", true],
      ["##var", false],
      ["##k", true],
      ["sleeps", true],
      ["[SEP]", true],
    ],
  );
  const rows = await model.words([pieces[2].id, 100]);
  assert.deepEqual(rows.data.slice(0, DIM), rows.data.slice(DIM));
});

test("text is cut as by the model's own tokenizer", async () => {
  const some = await lines("minilm-tokens.txt");
  const others = await lines("minilm-others.txt");
  const file = await safetensors.read(await readFile(join(data, "minilm.safetensors")));
  const known = (await file.tensor("known")).data;
  const tokens = Array.from({ length: SIZE }, (_, id) =>
    (known[id >> 5] >> (id & 31)) & 1 ? some.shift() : others.shift(),
  );
  const theirs = new Tokenizer(tokenizerJson(/** @type {string[]} */ (tokens)), {});
  const ours = await minilm();
  for (const text of texts) {
    const pieces = await ours.tokenize(text);
    const { ids } = theirs.encode(text);
    assert.deepEqual(
      pieces.map(({ id }) => id),
      ids,
      JSON.stringify(text),
    );
  }
  assert.deepEqual(await written("Rotating embeddings"), [
    "[CLS]",
    ...["rotating", "em", "##bed", "##ding", "##s"],
    "[SEP]",
  ]);
});

const texts = [
  "",
  " \t\n ",
  "The dog chased the cat",
  "I am a cat and you are a dog.",
  "Don't stop, it's 3.14 % of $5 + 2 = <b>7</b> ~ ^_^ `x` |y|",
  "Crème brûlée für Žižek, ÀÉÎÕÜ, naïve café",
  "ΑΣ Σ ὈΔΥΣΣΕΎΣ Москва İstanbul ß",
  "שלום עולם مرحبا بالعالم हिन्दी",
  "東京 tower 你好世界 ひらがな カタカナ 한국어",
  "emoji 🐱 👩‍👩‍👧 ❤️ \ufe0f alone",
  "a\u200bb\u202ec\u0000d\ufffde\u00adf\u2028g\u00a0h\u3000i",
  "supercalifragilisticexpialidocious aardvark antidisestablishmentarianism",
  `${"a".repeat(100)} ${"b".repeat(101)}`,
  "the [MASK] sat [SEP] on [cls] [UNK][PAD]",
  "“quotes” – dashes — … ‹›«»¿¡§¶†‡•",
];

/** The model's tokenizer.json, as far as text depends on it. @param {string[]} tokens */
function tokenizerJson(tokens) {
  const special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"];
  const plain = { single_word: false, lstrip: false, rstrip: false, normalized: false };
  const at = (/** @type {string} */ token) => ({
    id: token,
    ids: [tokens.indexOf(token)],
    tokens: [token],
  });
  return {
    version: "1.0",
    truncation: null,
    padding: null,
    added_tokens: special.map((content) => ({
      id: tokens.indexOf(content),
      special: true,
      content,
      ...plain,
    })),
    normalizer: {
      type: "BertNormalizer",
      clean_text: true,
      handle_chinese_chars: true,
      strip_accents: null,
      lowercase: true,
    },
    pre_tokenizer: { type: "BertPreTokenizer" },
    post_processor: {
      type: "TemplateProcessing",
      single: [
        { SpecialToken: { id: "[CLS]", type_id: 0 } },
        { Sequence: { id: "A", type_id: 0 } },
        { SpecialToken: { id: "[SEP]", type_id: 0 } },
      ],
      pair: [],
      special_tokens: { "[CLS]": at("[CLS]"), "[SEP]": at("[SEP]") },
    },
    decoder: { type: "WordPiece", prefix: "##", cleanup: true },
    model: {
      type: "WordPiece",
      unk_token: "[UNK]",
      continuing_subword_prefix: "##",
      max_input_chars_per_word: 100,
      vocab: Object.fromEntries(tokens.map((token, id) => [token, id])),
    },
  };
}

test("the list of lessons shows how this tokenizer cuts a word", async () => {
  const shown = [...pictureOf("pieces").matchAll(/<text[^>]*>([^<]*)</g)].map(([, text]) => text);
  const [word, ...pieces] = shown;
  const model = await minilm();
  const cut = await model.tokenize(word, { special: false });
  assert.deepEqual(cut.map(({ token }) => token), pieces); // prettier-ignore
});

test("its description is the one of phasor/models, and inputEmbeddings takes its weights", async () => {
  const { dim, tokens, positions } = models.get("all-minilm-l6-v2");
  assert.equal(dim, spec.dim);
  assert.deepEqual({ segments: tokens.segments, norm: tokens.norm }, spec.tokens);
  const { rows, ...rule } = /** @type {any} */ (positions);
  assert.deepEqual({ scheme: rule.scheme, preset: rule.preset }, spec.positions);
  assert.ok(LONGEST <= rows);

  const model = await minilm();
  const pieces = await model.tokenize("the dog chased the cat");
  const weights = {
    words: await model.words(pieces.map(({ id }) => id)),
    positions: await model.positions(pieces.length),
    segments: model.segments,
    norm: model.norm,
  };
  const output = phasor.inputEmbeddings(spec, weights, [...pieces.keys()]);
  assert.deepEqual(output.shape, [7, DIM]);
});

test("without ranges or after a failure the whole file is read, and a failed read is repeated", async (t) => {
  const through = globalThis.fetch;
  t.after(() => (globalThis.fetch = through));
  const usual = await minilm();
  const [dog, places] = [await usual.words([3899]), await usual.positions(200)];
  globalThis.fetch = async () => new Response("", { status: 503 });
  const again = "../../web/app/text/minilm.js?again"; // a module that has opened nothing
  const { minilm: fresh } = await import(again);
  await assert.rejects(fresh(), /could not be read: 503/);
  globalThis.fetch = (url) => through(url);
  reads = [];
  const whole = await fresh();
  assert.deepEqual((await whole.words([3899])).data, dog.data);
  assert.deepEqual((await whole.positions(200)).data, places.data);
  assert.deepEqual(reads.map(({ name }) => name).sort(), [
    "minilm-tokens.txt",
    "minilm.safetensors",
  ]);
});
