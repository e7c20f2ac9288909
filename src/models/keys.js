/**
 * Reads the keys of a config.json: other names of a key, a family's defaults, and which keys were read.
 */
import * as check from "../runtime/check.js";

/** @typedef {Record<string, unknown>} Json */

/** Other names of a key. @type {Readonly<Record<string, string[]>>} */
const ALIASES = Object.freeze({
  hidden_size: ["n_embd", "d_model", "n_embed", "embed_dim", "emb_dim", "dim"],
  num_attention_heads:
    "n_head n_heads num_heads attention_heads encoder_attention_heads encoder_num_attention_heads decoder_attention_heads".split(
      " ",
    ),
  num_hidden_layers:
    "n_layer n_layers num_layers encoder_layers decoder_layers encoder_num_hidden_layers layers depth depths block_sizes".split(
      " ",
    ),
  head_dim: ["d_kv", "kv_channels"],
  max_position_embeddings: ["n_positions", "max_seq_len", "seq_length", "n_ctx"],
  num_key_value_heads: ["num_kv_heads", "encoder_num_key_value_heads"],
  rope_theta: ["rotary_emb_base", "rotary_embedding_base"],
  partial_rotary_factor: ["rotary_emb_fraction"],
  embeddings_scale: ["mup_embeddings_scale"],
});

/** The most layers that a configuration may state, and their most kinds: the work is in proportion to them. */
export const MOST_LAYERS = 65536;
export const MOST_KINDS = 64;

/** Linear attention of the library fla. */
export const LINEAR =
  "gla delta_net gated_deltanet gated_deltaproduct gsa hgrn hgrn2 kda lightnet linear_attn rwkv6 rwkv7 comba mesa_net";

/** Families whose own code is a class of another family, which changes no position. */
export const COPIES = new Map(
  Object.entries({
    llava_llama: "llama",
    llava_mistral: "mistral",
    llava_mixtral: "mixtral",
    llava_qwen: "qwen2",
    llava_qwen2: "qwen2",
    llama_bidirec: "llama",
    ministral3_bidirec: "ministral3",
    sdar: "qwen3",
  }),
);

/** The family whose code a family has. @param {string} type */
export const likeOf = (type) => COPIES.get(type) ?? type;

/** The most cells along a side of a window or of an image: fewer than 2^31 rows. */
export const MOST_CELLS = 32768;

/** Whether a value has a number for each stage. @param {unknown} value @returns {value is unknown[]} */
const isStages = (value) => check.isList(value) && value.length > 0 && value.length <= MOST_LAYERS;

/**
 * A reader of one configuration. Keys with the value null count as missing.
 * @param {Json} config
 * @param {Json} defaults  of the family
 * @param {string} [path]  of the configuration in messages
 * @param {Readonly<Record<string, string>>} [own]  names of keys that the family has instead
 */
export function reader(config, defaults, path = "config", own = {}) {
  /** @type {Set<string>} */
  const used = new Set();
  const of = (/** @type {Json} */ from, /** @type {string} */ key) =>
    Object.hasOwn(from, key) && from[key] !== null ? from[key] : undefined;

  /**
   * A value and its name in messages, which is the name that the file uses.
   * @param {string} key @returns {[name: string, value: unknown]}
   */
  function find(key) {
    const names = Object.hasOwn(own, key)
      ? [own[key]]
      : [key, ...(Object.hasOwn(ALIASES, key) ? ALIASES[key] : [])];
    for (const from of [config, defaults]) {
      const name = names.find((name) => of(from, name) !== undefined);
      if (name === undefined) continue;
      if (from === config) {
        for (const one of names) if (of(from, one) === from[name]) used.add(one);
      }
      return [`${path}.${name}`, from[name]];
    }
    return [`${path}.${names[0]}`, undefined];
  }

  /** @param {string} key @param {number} [least] @param {number} [most] */
  function size(key, least = 1, most = undefined) {
    const [name, value] = find(key);
    return check.integer(value, name, least, most);
  }

  return {
    path,
    find,
    size,
    /** The value of a key, or undefined. @param {string} key */
    value: (key) => find(key)[1],
    /** Whether the configuration has a key, be it null. @param {string} key */
    has: (key) => Object.hasOwn(config, key),
    /** The value of a key, which does not count as read. @param {string} key */
    peek: (key) => of(config, key),
    /** The keys that nobody has read, in their order. */
    ignored: () => Object.keys(config).filter((key) => !used.has(key) && config[key] !== undefined),
    /** Counts a key as read. @param {string} key */
    use: (key) => void used.add(key),
    /** @param {string} key @param {number} [least] */
    optionalSize: (key, least = 1) => (find(key)[1] === undefined ? undefined : size(key, least)),
    /** A size that may be missing or be no whole number. @param {string} key @param {number} [most] */
    vagueSize(key, most) {
      const value = find(key)[1];
      return Number.isInteger(value) && Number(value) > 0 ? size(key, 1, most) : undefined;
    },
    /** @param {string} key @returns {boolean | undefined} */
    optionalBoolean(key) {
      const [name, value] = find(key);
      return value === undefined ? undefined : check.boolean(value, name);
    },
    /** One number, or one for each stage. @param {string} key @returns {number | number[]} */
    heads(key) {
      const [name, value] = find(key);
      return isStages(value)
        ? Array.from(value, (one, stage) => check.integer(one, `${name}[${stage}]`))
        : check.integer(value, name);
    },
    /** A number of layers, or the sum over stages. @param {string} key */
    layers(key) {
      const [name, value] = find(key);
      const stages = isStages(value) ? Array.from(value) : [value];
      const sum = stages.reduce(
        (/** @type {number} */ sum, one) => sum + check.integer(one, name),
        0,
      );
      return check.integer(sum, name, 1, MOST_LAYERS);
    },
    /** @param {string} key @param {number} [byDefault] */
    positive(key, byDefault) {
      const [name, value = byDefault] = find(key);
      return check.finite(value, name, "a number > 0", (number) => number > 0);
    },
  };
}

/** @typedef {ReturnType<typeof reader>} Reader */
