/** Vocabularies: tokenizer.json, vocab.txt, lists of words, and the metadata of GGUF. */
import assert from "node:assert/strict";
import { vocabulary } from "../../../../src/files/index.js";
import { parsed } from "../../../../src/runtime/json.js";
import { mutated, mutatedText, NAMES } from "../mutate.js";
import { refusesBy } from "./laws.js";

/** @import { Random } from "../random.js" */
/** @import { Target } from "./laws.js" */

const encoder = new TextEncoder();
const isRefusal = refusesBy(/^VOCABULARY_[A-Z0-9_]+$/);

/** Words that differ. @param {Random} random @param {number} most */
const words = (random, most) => [
  ...new Set(random.list(1, most, (i) => (random.happens(0.5) ? random.pick(NAMES) : `t${i}`))),
];

/** Reads every token in every way. @param {any} read  a Vocabulary */
function checked(read) {
  const { tokens, size, special, scores } = read;
  assert.equal(tokens.length, size);
  for (let id = 0; id < Math.min(size, 300); ++id) {
    const bytes = read.bytes(id);
    const text = read.text(id);
    assert.equal(typeof text, "string");
    if (tokens[id] === "") assert.equal(bytes.length, 0);
    else assert.equal(typeof read.find(tokens[id]), "number", `find of ${tokens[id]}`);
  }
  for (const id of special) assert.ok(id >= 0 && id < size, "special ids are ids");
  if (scores !== undefined) assert.ok(scores.length <= size);
  return { tokens: [...tokens], special: [...special] };
}

const DECODERS = [
  { type: "ByteLevel" },
  { type: "WordPiece", prefix: "##" },
  {
    type: "Sequence",
    decoders: [{ type: "Replace", pattern: { String: "\u2581" }, content: " " }],
  },
  { type: "Metaspace", replacement: "\u2581" },
  null,
];

/** @type {Target} */
const tokenizerJson = {
  name: "tokenizer.json",
  python: "tokenizer",
  isRefusal,
  make(random) {
    const list = words(random, 12).filter((word) => word !== "");
    const type = random.pick(["BPE", "WordPiece", "Unigram", "WordLevel", undefined]);
    const pairs = list.map((word, id) => `${JSON.stringify(word)}:${id}`);
    const scored = JSON.stringify(list.map((word, id) => [word, -id / 2]));
    const vocab = type === "Unigram" ? scored : `{${pairs.join(",")}}`;
    const merges = JSON.stringify(random.pick([[], ["a b", "t1 t2"], [["a", "b"]]]));
    const more = {
      byte_fallback: random.happens(0.5),
      end_of_word_suffix: random.pick([null, "</w>"]),
    };
    const rest = JSON.stringify(more).slice(1, -1);
    const name = JSON.stringify(type ?? null);
    const added = random.list(0, 3, (i) => ({
      id: list.length + i,
      content: `<added ${i}>`,
      special: i === 0,
    }));
    const file = { version: "1.0", added_tokens: added, decoder: random.pick(DECODERS) };
    const text = `${JSON.stringify(file).slice(0, -1)},"model":{"type":${name},${rest},"vocab":${vocab},"merges":${merges}}}`;
    const isChanged = random.happens(0.9);
    let input = encoder.encode(isChanged ? mutatedText(random, text) : text);
    if (isChanged && random.happens(0.2)) input = mutated(random, input);
    const special = added.filter((token) => token.special).map(({ id }) => id);
    const tokens = [...list, ...added.map(({ content }) => content)];
    return { input, expected: isChanged ? undefined : { tokens, special } };
  },
  read: async (input) => checked(await vocabulary.tokenizerJson(input)),
  consistent(input, { tokens }) {
    const { model } = parsed(new TextDecoder("utf-8", { ignoreBOM: true }).decode(input), Infinity);
    if (Array.isArray(model.vocab)) {
      for (const [id, [token]] of model.vocab.entries()) assert.equal(tokens[id], token);
    } else {
      for (const [token, id] of Object.entries(model.vocab)) assert.equal(tokens[id], token);
    }
  },
};

/** @param {"wordPiece" | "words"} method @returns {Target} */
const lines = (method) => ({
  name: method,
  python: "lines",
  isRefusal,
  make(random) {
    const list = words(random, 20).filter((word) => word !== "");
    const end = random.pick(["\n", "\r\n"]);
    let text = list.map((word) => word + end).join("");
    if (list.length > 1 && random.happens(0.5)) text = text.slice(0, -end.length);
    const isChanged = random.happens(0.8);
    if (isChanged && random.happens(0.5)) text = mutatedText(random, text);
    if (isChanged && random.happens(0.1)) text = `\ufeff${text}`;
    if (isChanged && random.happens(0.05)) text = "\n".repeat(random.below(20_000)) + text;
    let input = encoder.encode(text);
    if (isChanged && random.happens(0.4)) input = mutated(random, input);
    return { input, expected: isChanged ? undefined : { tokens: list } };
  },
  async read(input) {
    const { tokens } = checked(await vocabulary[method](input));
    return { tokens };
  },
  consistent(input, { tokens }) {
    const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(input);
    const list = text.split("\n").map((line) => line.replace(/\r$/, ""));
    // A last line that is empty, or nothing but "\r", may count or not.
    if (list.at(-1) === "" && tokens.length < list.length) list.pop();
    assert.deepEqual(tokens, list);
  },
});

/** @type {Target} */
const ggufVocabulary = {
  name: "gguf vocabulary",
  isRefusal: (error) => isRefusal(error) || /^metadata must/.test(error.message),
  make(random) {
    const tokens = random.happens(0.9)
      ? words(random, 9)
      : random.list(0, 5, () => random.pick(NAMES));
    /** @type {Record<string, any>} */
    const pairs = {
      "tokenizer.ggml.model": random.pick(["gpt2", "llama", "t5", "bert", "constructor", 4, null]),
      "tokenizer.ggml.tokens": random.pick([tokens, tokens, tokens, [4], "abc", new Uint8Array(3)]),
      "tokenizer.ggml.scores": random.pick([undefined, new Float32Array(tokens.length), [1]]),
      "tokenizer.ggml.token_type": random.pick([
        undefined,
        Int32Array.from(tokens, () => random.between(-1, 7)),
        new Int32Array(random.below(4)),
      ]),
    };
    return { input: new Map(Object.entries(pairs).filter(([, value]) => value !== undefined)) };
  },
  read: async (input) => checked(vocabulary.gguf(input)),
  consistent(input, { tokens }) {
    assert.deepEqual(tokens, input.get("tokenizer.ggml.tokens"));
  },
};

/** @type {readonly Target[]} */
export const vocabularyTargets = [
  tokenizerJson,
  lines("wordPiece"),
  lines("words"),
  ggufVocabulary,
];
