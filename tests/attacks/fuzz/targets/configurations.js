/** Descriptions of models: config.json, the metadata of GGUF, and a whole model in a folder. */
import assert from "node:assert/strict";
import { load } from "phasor";
import { open } from "phasor/open";
import { safetensors } from "../../../../src/files/index.js";
import { FAMILIES } from "../../../../src/models/families.js";
import { models } from "../../../../src/models/index.js";
import { fromGguf } from "../../../../src/models/open/gguf.js";
import { PRESETS } from "../../../../src/models/presets.js";
import { mutated, mutatedText, NAMES } from "../mutate.js";
import { isArgumentError, refusesBy } from "./laws.js";

/** @import { Random } from "../random.js" */
/** @import { Target } from "./laws.js" */

const { rope } = await load();

const CONFIGS = Object.values(PRESETS).map(({ config }) => config);
const TYPES = [...FAMILIES.keys()];
const KEYS = [...new Set(CONFIGS.flatMap((config) => Object.keys(config)))];

/** A value that a configuration should not have, or might. @param {Random} random @returns {any} */
function value(random) {
  return random.pick([
    ...[
      0,
      1,
      -1,
      2,
      3,
      0.5,
      1e308,
      -1e308,
      NaN,
      Infinity,
      2 ** 31 - 1,
      2 ** 53,
      1e-320,
      65536,
      65537,
    ],
    ...["", "12", "yarn", "linear", "longrope", "dynamic", "llama3", "constructor", "__proto__"],
    ...[true, false, null, undefined, [], {}, [1], [1, 2, 3], ["full_attention"], ["constructor"]],
    ...[{ toString: 1 }, { __proto__: null }, { rope_type: "yarn", factor: 4 }, { factor: -1 }],
    ...[{ rope_theta: 1e4, rope_type: "default" }, JSON.parse('{"__proto__": {"rope_theta": 5}}')],
    ...[random.edge(), -random.edge(), random.pick(NAMES), random.pick(TYPES), 64n],
  ]);
}

/** Changes some keys, at any depth. @param {Random} random @param {any} config */
function changed(random, config) {
  const copy = structuredClone(config);
  for (let n = random.between(0, 4); n > 0; --n) {
    let at = copy;
    while (random.happens(0.4)) {
      const inner = Object.values(at).filter((each) => typeof each === "object" && each !== null);
      if (inner.length === 0) break;
      at = random.pick(inner);
    }
    const keys = Object.keys(at);
    const key = random.happens(0.6) && keys.length > 0 ? random.pick(keys) : random.pick(KEYS);
    const other = random.pick(CONFIGS);
    const own = Object.hasOwn(other, key) ? other[key] : undefined;
    if (random.happens(0.2)) delete at[key];
    else at[key] = random.happens(0.4) ? structuredClone(own) : value(random);
  }
  if (random.happens(0.3)) copy.model_type = random.pick([...TYPES, ...NAMES]);
  if (random.happens(0.1)) return { model_type: copy.model_type, text_config: copy };
  return copy;
}

/** Checks a description and computes a row of each rotation. @param {any} model */
function checked(model) {
  const { type, dim, heads, keyValueHeads, layers, positions, warnings, ignored } = model;
  assert.equal(typeof type, "string");
  for (const size of [dim, heads, keyValueHeads, layers].flat()) {
    assert.ok(size === undefined || (Number.isInteger(size) && size > 0), `a size is ${size}`);
  }
  assert.ok([...warnings, ...ignored].every((text) => typeof text === "string"));
  assert.equal(typeof positions.scheme, "string");
  const { rotary, layerKinds } = positions;
  if (layerKinds) assert.equal(layerKinds.length, layers, "a kind for each layer");
  for (const kind of layerKinds ?? []) assert.ok(Object.hasOwn(rotary, kind), `rotary of ${kind}`);
  for (const part of Object.values(rotary ?? {})) if (part) rotated(part);
  return { type };
}

/** @param {any} part */
function rotated({ dim, layout, options, multimodal }) {
  assert.ok(["halves", "interleaved"].includes(layout), layout);
  assert.ok(Number.isInteger(dim) && dim > 0 && dim % 2 === 0, `dim ${dim}`);
  if (dim > 4096 || multimodal) return;
  try {
    const { cos, sin } = rope.table(2, dim, options);
    assert.deepEqual([cos.shape, sin.shape], [[2, dim / 2], [2, dim / 2]]); // prettier-ignore
    assert.ok([...cos.data, ...sin.data].every(Number.isFinite), "finite cosines and sines");
  } catch (error) {
    if (!isArgumentError(error)) throw error;
  }
}

/** @type {Target} */
const config = {
  name: "config.json",
  isRefusal: isArgumentError,
  make(random) {
    const object = changed(random, random.pick(CONFIGS));
    if (random.happens(0.5)) return { input: object };
    const text = JSON.stringify(object, (_, each) => (typeof each === "bigint" ? 64 : each));
    return { input: random.happens(0.5) ? mutatedText(random, text) : text };
  },
  async read(input) {
    for (const tower of ["vision", "audio"]) {
      try {
        checked(models.fromConfig(input, { tower: /** @type {any} */ (tower) }));
      } catch (error) {
        if (!isArgumentError(error)) throw error;
      }
    }
    const read = checked(models.fromConfig(input));
    try {
      if (typeof input !== "string") models.rope(input, { layer: 0 });
    } catch (error) {
      if (!isArgumentError(error)) throw error;
    }
    return read;
  },
};

const ARCHITECTURES = [
  "llama",
  "gemma3",
  "smollm3",
  "phi3",
  "qwen2vl",
  "deepseek2",
  "bert",
  "gptj",
];
const GGUF_KEYS = [
  ...["embedding_length", "block_count", "attention.head_count", "attention.head_count_kv"],
  ...["attention.key_length", "context_length", "vocab_size", "rope.freq_base"],
  ...[
    "rope.dimension_count",
    "rope.scaling.type",
    "rope.scaling.factor",
    "rope.dimension_sections",
  ],
  ...["rope.scaling.original_context_length", "attention.sliding_window_pattern"],
  ...["attention.max_alibi_bias", "rope.scaling.yarn_log_multiplier", "attention.key_length_mla"],
];

/** @type {Target} */
const ggufConfig = {
  name: "gguf configuration",
  isRefusal: isArgumentError,
  make(random) {
    const name = random.happens(0.9) ? random.pick(ARCHITECTURES) : random.pick(NAMES);
    const sizes = { embedding_length: 64, block_count: 4, "attention.head_count": 4 };
    const metadata = new Map(
      Object.entries(sizes).map(([key, size]) => [`${name}.${key}`, /** @type {any} */ (size)]),
    );
    metadata.set("general.architecture", random.happens(0.95) ? name : value(random));
    for (let n = random.between(0, 5); n > 0; --n) {
      const lists = [
        Int32Array.of(4, 4, 4, 0),
        [true, false, true, false],
        new Float64Array(70_000),
      ];
      const some = random.happens(0.3) ? random.pick(lists) : value(random);
      metadata.set(`${name}.${random.pick(GGUF_KEYS)}`, some);
    }
    const factors = random.pick([{}, {}, { "rope_freqs.weight": Float32Array.of(1, 2, NaN, 0) }]);
    return { input: { metadata, tensors: factors } };
  },
  read: async ({ metadata, tensors }) => checked(fromGguf(metadata, { tensors })),
};

/** Tensors as models name them. */
const LAYERS = ["wte.weight", "model.embed_tokens.weight", "wpe.weight", "token_embd.weight", "w"];

/** @type {Target} */
const folder = {
  name: "open",
  isRefusal: (error) =>
    isArgumentError(error) ||
    refusesBy(/^(OPEN|SAFETENSORS|GGUF|VOCABULARY|NPY|NPZ|FILE)_[A-Z0-9_]+$/)(error),
  make(random) {
    const { hidden_size, n_embd, ...config } = /** @type {any} */ (
      changed(random, random.pick(CONFIGS))
    );
    const width = random.pick([2, 4, 8]);
    if (random.happens(0.8)) Object.assign(config, { hidden_size: width, num_attention_heads: 1 });
    else Object.assign(config, { hidden_size, n_embd });
    const tensors = Object.fromEntries(
      random.list(1, 3, () => [
        random.pick(LAYERS),
        random.list(1, 5, () => Array.from({ length: width }, () => random.between(-8, 8))),
      ]),
    );
    const weights = safetensors.write(tensors);
    const words = JSON.stringify({ model: { type: "BPE", vocab: { a: 0, b: 1 }, merges: [] } });
    const text = JSON.stringify(config, (_, each) => (typeof each === "bigint" ? 64 : each));
    const isChanged = random.happens(0.7);
    /** @type {Record<string, any>} */
    const files = {
      "model.safetensors": isChanged && random.happens(0.4) ? mutated(random, weights) : weights,
      "config.json": isChanged && random.happens(0.5) ? mutatedText(random, text) : text,
      "tokenizer.json": isChanged && random.happens(0.3) ? mutatedText(random, words) : words,
    };
    for (const name of ["config.json", "tokenizer.json"]) {
      files[name] = new TextEncoder().encode(files[name]);
      if (random.happens(0.2)) delete files[name];
    }
    return { input: files };
  },
  async read(input) {
    const model = await open(input);
    const table = model.wordEmbeddings;
    if (table) {
      const { shape } = await table.rows([0]);
      assert.equal(shape.length, 2);
    }
    return { hasWords: table !== undefined };
  },
};

/** @type {readonly Target[]} */
export const configurationTargets = [config, ggufConfig, folder];
