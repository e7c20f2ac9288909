// What a stranger's names do to a terminal: nothing. Names in configurations, tensors, tokens, prompts and arrays hold
// sequences of ESC, the one-letter CSI of C1, carriage returns, NUL, marks of direction and line ends that forge a line.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { npz, safetensors } from "phasor/files";
import { folderOf, llama, rows, sentenceModel, words } from "../unit/cli/phasor.js";

const FORGED = "phasor: all is well";
const HOSTILE = `\u001b]0;owned\u0007\u001b[31mx\r\n${FORGED}\u009b2J\u0000\u202egnp.\u2066\u2028\u007f`;

/** A name that npz.write accepts. */
const PATH = HOSTILE.replace("\u0000", "");

/** What no output may have. */
const OBEYED =
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/; // eslint-disable-line no-control-regex

const json = JSON.stringify;
const weights = (/** @type {string} */ name) => safetensors.write({ [name]: rows });
const tokens = `${[...words.slice(0, -1), HOSTILE.replaceAll("\n", "")].join("\n")}\n`;
const sentences = await sentenceModel();

const { phasor } = await folderOf(
  { after },
  {
    "type/config.json": json({ ...llama, model_type: HOSTILE }),
    "kinds/config.json": json({ ...llama, num_hidden_layers: 2, layer_types: [HOSTILE, HOSTILE] }),
    "entry/config.json": json({ ...llama, rope_scaling: { rope_type: "default", [HOSTILE]: 4 } }),
    "scaling/config.json": json({ ...llama, rope_scaling: { rope_type: HOSTILE, factor: 4 } }),
    "ignored/config.json": json({ ...llama, [HOSTILE]: 1 }),
    "suspect/config.json": json({ ...llama, [`rope_${HOSTILE}`]: 1 }),
    "long/config.json": json({ ...llama, model_type: `${" ".repeat(9e5)}x` }),
    "pairs/config.json": json({ ...llama, model_type: `x${"\u{1f600}".repeat(1e4)}` }),
    "tensor/model.safetensors": weights(`${HOSTILE}.embed_tokens.weight`),
    "tensor/vocab.txt": tokens,
    "tensor/config.json": json({ ...llama, model_type: "bert" }),
    "token/model.safetensors": weights("embeddings.word_embeddings.weight"),
    "token/vocab.txt": tokens,
    "other/model.safetensors": weights(HOSTILE),
    ...sentences,
    "minilm/config_sentence_transformers.json": json({ prompts: { [HOSTILE]: HOSTILE } }),
    "modules/model.safetensors": weights("embeddings.word_embeddings.weight"),
    "modules/modules.json": json([{ idx: 0, name: HOSTILE, path: "", type: HOSTILE }]),
    "arrays.npz": await npz.write({ [PATH]: [[1, 2]] }),
    "vectors.npz": await npz.write({ vectors: rows, [PATH]: rows }),
    "text.json": `{"${HOSTILE}`,
  },
);

const RUNS = [
  ...["type", "kinds", "entry", "scaling", "ignored", "suspect", "long", "pairs"].flatMap(
    (folder) => [
      ...[`config ${folder}`, `config ${folder} --json`],
      ...[`rope ${folder}`, `xray ${folder}`, `xray ${folder} --json`],
    ],
  ),
  ...["tensor", "token"].flatMap((folder) => [
    `explore ${folder}`,
    `explore ${folder} --json`,
    `rows ${folder} 5`,
    `rows ${folder} 5 --json`,
    `norms ${folder}`,
    `nearest ${folder} king`,
    `pca ${folder}`,
  ]),
  ...["explore other", "rows other 1", "config text.json", "explore minilm"],
  ...["sentences minilm", "sentences minilm --json", "sentences modules"],
  ...["sentences minilm vectors.npz", "check arrays.npz --model kinds"],
];

/** A typed argument that is a name too. */
const TYPED = [
  ["explore", HOSTILE],
  ["rows", "token", HOSTILE],
  ["table", HOSTILE, "4", "4"],
  [HOSTILE],
  ["config", "token", `--${HOSTILE}`],
];

for (const args of [...RUNS.map((run) => run.split(" ")), ...TYPED]) {
  test(
    `phasor ${args.join(" ")} writes out what a terminal would obey`.replace(HOSTILE, "NAME"),
    async () => {
      const { stdout, stderr } = await phasor(...args.map((each) => each.replaceAll("\u0000", "")));
      for (const text of [stdout, stderr]) {
        const at = OBEYED.exec(text)?.index ?? -1;
        assert.equal(at, -1, json(text.slice(Math.max(0, at - 60), at + 60)));
        assert.ok(!text.includes("\ufffd"), "half of a pair");
        assert.ok(!text.split("\n").some((line) => line.startsWith(FORGED)), text);
        assert.ok(text.length < 40_000 || args.includes("--json"), `${text.length} characters`);
      }
      assert.notEqual(stdout + stderr, "");
      if (args.includes("--json") && stdout !== "") JSON.parse(stdout);
    },
  );
}
