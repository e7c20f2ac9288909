// Configurations that were made to do harm: a name of Object.prototype wherever one names something, values of every
// wrong type at every key, sizes of any magnitude, circles and depth. A configuration is described, or rejected with a message.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { atlas, models } from "phasor/models";
import { fromGguf } from "phasor/open";
import { assertInWords } from "../unit/battery.js";
import { Random } from "./fuzz/random.js";
import { SEED, isNight } from "../sample.js";
import { llama } from "../unit/models/small.js";

/** All names that any object has. */
const INHERITED = Object.getOwnPropertyNames(Object.prototype);

/** JSON as JSON.parse makes it, in which "__proto__" is a key like others. @param {object} value */
const json = (value) => JSON.parse(JSON.stringify(value));

/** An object with one key, whatever its name. @param {string} key @param {unknown} value */
const keyed = (key, value) => Object.fromEntries([[key, value]]);

/**
 * What a call returns, or the message with which it refuses.
 * @param {() => any} call @param {string} label
 */
function outcome(call, label) {
  try {
    return call();
  } catch (error) {
    const { message } = /** @type {Error} */ (error);
    assert.ok(error instanceof TypeError || error instanceof RangeError, `${label}: ${error}`);
    const inWords = /^\S+: .+ must .+; got [^]+$/;
    assert.match(message, inWords, label);
    return undefined;
  }
}

describe("names of Object.prototype are treated like other names", () => {
  test("as kinds of layers", () => {
    for (const kind of INHERITED) {
      const config = llama({ num_hidden_layers: 2, layer_types: [kind, "full_attention"] });
      assert.throws(() => models.fromConfig(config), /layer_types must hold kinds that are known/);
      // A family's own list may have any name.
      const own = { model_type: "recurrent_gemma", block_types: [kind, "attention"] };
      const { positions } = models.fromConfig(llama({ num_hidden_layers: 2, ...own }));
      assert.deepEqual(Object.keys(positions.rotary ?? {}), [kind, "attention"]);
      assert.equal(Object.getPrototypeOf(positions.rotary), Object.prototype);
      assert.deepEqual(positions.layerKinds, [kind, "attention"]);
    }
  });

  test("as entries of rope_parameters", () => {
    for (const kind of INHERITED) {
      const entry = { rope_type: "linear", factor: 2, rope_theta: 5 };
      const layer_types = ["full_attention"];
      const kinds = { model_type: "lfm3", num_hidden_layers: 1, layer_types };
      const others = llama({ ...kinds, rope_parameters: keyed(kind, entry) });
      for (const given of [others, json(others)]) {
        assert.throws(() => models.rope(given, { layer: 0 }), /must have an entry for the layers/);
      }
      const both = { ...keyed(kind, { ...entry, rope_theta: 7 }), full_attention: entry };
      const config = llama({ ...kinds, rope_parameters: both });
      for (const given of [config, json(config)]) {
        assert.deepEqual(models.rope(given, { layer: 0 })?.options, {
          base: 5,
          scaling: { type: "linear", factor: 2 },
        });
      }
    }
  });

  test("as layers without rotation, and with a separate base", () => {
    for (const kind of INHERITED) {
      const config = {
        ...llama({ model_type: "granite_swa", num_hidden_layers: 3 }),
        layer_types: [kind, kind, "full_attention"],
        layer_rope_theta: [5, null, 10000],
      };
      assert.throws(() => models.fromConfig(config), /layer_types must hold kinds that are known/);
    }
  });

  test("as types of scaling, families, models, schemes, architectures and keys", () => {
    for (const name of INHERITED) {
      for (const key of ["type", "rope_type"]) {
        for (const where of ["rope_scaling", "rope_parameters"]) {
          const config = llama({ [where]: { ...keyed(key, name), factor: 2 } });
          assert.throws(() => models.fromConfig(config), /type must be one of "default"/);
        }
      }
      assert.equal(models.fromConfig(llama({ model_type: name })).positions.scheme, "unknown");
      assert.throws(() => models.get(name), /name must be one of models.names/);
      assert.throws(() => models.rope(name), /model must be one of models.names/);
      assert.throws(() => models.cost(name), /scheme must be one of/);
      assert.throws(
        () => models.cost("rope", keyed(name, 4)),
        /^TypeError: models.cost: options must have only/,
      );
      assert.throws(
        () => models.rope("gpt2", keyed(name, 4)),
        /^TypeError: models.rope: options must have only/,
      );
      const tower = /** @type {any} */ ({ tower: name });
      assert.throws(() => models.fromConfig(llama(), tower), /tower must be one of/);

      const more = { ...llama(), ...keyed(name, { hidden_size: 8 }) };
      const { ignored, ...described } = models.fromConfig(JSON.stringify(more));
      assert.deepEqual(ignored, [name]);
      assert.deepEqual({ ...described, ignored: [] }, models.fromConfig(llama()));

      const metadata = new Map(
        Object.entries({
          "general.architecture": name,
          [`${name}.embedding_length`]: 64,
          [`${name}.block_count`]: 2,
          [`${name}.attention.head_count`]: 4,
          [`${name}.rope.scaling.type`]: name,
        }),
      );
      const { type, positions } = fromGguf(metadata);
      assert.deepEqual([type, positions.scheme], [`${name} (GGUF)`, "unknown"]);
      const scaled = new Map([...metadata, ["general.architecture", "llama"]]);
      for (const key of ["embedding_length", "block_count", "attention.head_count"]) {
        scaled.set(`llama.${key}`, metadata.get(`${name}.${key}`) ?? 0);
      }
      scaled.set("llama.rope.scaling.type", name);
      outcome(() => fromGguf(scaled), `rope.scaling.type ${name}`);
    }
  });

  test("as dtypes, and as codes of layers", () => {
    for (const name of INHERITED) {
      const gemma = llama({ model_type: "gemma", torch_dtype: name });
      assert.equal(models.fromConfig(gemma).tokens.scaleDtype, "bfloat16");
      const deepseek = llama({ model_type: "deepseek_v4", compress_ratios: [name, 0, 4, 128] });
      assert.throws(
        () => models.fromConfig(deepseek),
        /compress_ratios must hold one of 0, 4, 128/,
      );
    }
  });

  test("no call changes Object.prototype", () => {
    assert.deepEqual(Object.getOwnPropertyNames(Object.prototype), INHERITED);
  });
});

/** Values that nothing in a configuration may be. */
const HOSTILE = [
  ...[2147483647, 1e308, -1, NaN, Infinity, 0, -0, 0.5, 1, 3, 2 ** 53, 4n, "12", "", "constructor"],
  ...[true, false, null, undefined, Symbol("4"), () => 4, { toString: 1 }, { valueOf: 1 }, {}, []],
  ...[[{ toString: 1 }], [null], [[]], [2147483647], [1e308], ["constructor"], new Array(3)],
  ...[[1, 2, 3], { 0: { toString: 1 } }, JSON.parse('{"__proto__": {"rope_theta": 2}}')],
  ...[new Array(2 ** 32 - 1), revoked(), [revoked()], { factor: revoked() }],
];

function revoked() {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

/** The keys that the description of a configuration asks for. @param {object} config */
function keysOf(config) {
  /** @type {Set<string>} */
  const asked = new Set();
  const watched = new Proxy(config, {
    getOwnPropertyDescriptor(target, key) {
      asked.add(String(key));
      return Reflect.getOwnPropertyDescriptor(target, key);
    },
  });
  try {
    models.fromConfig(/** @type {any} */ (watched));
  } catch {
    // what it asked for until then
  }
  return asked;
}

const BASE = {
  ...llama(),
  image_size: 32,
  patch_size: 16,
  window_size: 4,
  rotary_dim: 8,
  relative_attention_num_buckets: 8,
  relative_attention_max_distance: 16,
  layer_types: undefined,
};

/** Of the values at each key of each family, a change's run draws a part. */
const SHARE = isNight ? 1 : 1 / 8;
const random = new Random(SEED, "hostile values", 0);
const hostile = () => HOSTILE.filter(() => random.happens(SHARE) || isNight);

describe("hostile values at every key", () => {
  const families = atlas().map(({ family }) => family);
  for (const [k, part] of [0, 1, 2, 3].entries()) {
    test(`of every family are described or rejected with a message (${k + 1} of 4)`, () => {
      let count = 0;
      for (const model_type of families.filter((_, i) => i % 4 === part)) {
        const config = { ...BASE, model_type };
        for (const key of keysOf(config)) {
          for (const value of hostile()) {
            const label = `${model_type}, ${key}`;
            const started = performance.now();
            const described = outcome(() => models.fromConfig({ ...config, [key]: value }), label);
            if (described) {
              const { heads, keyValueHeads, dim, headDim, layers, vocabulary, positions } =
                described;
              const sizes = [heads, keyValueHeads, dim, headDim, layers, vocabulary].flat();
              sizes.push(positions.rows, positions.length);
              for (const size of sizes) {
                const isSize =
                  size === undefined || (Number.isInteger(size) && size >= 0 && size < 2 ** 33);
                assert.ok(isSize, `${label}: ${size}`);
              }
              assert.ok(layers === undefined || layers <= 65536, `${label}: ${layers} layers`);
            }
            assert.ok(performance.now() - started < 5000, `${label}: it takes too long`);
            ++count;
          }
        }
      }
      assert.ok(count > 10000 * SHARE, `${count} configurations`);
    });
  }

  test("in rope_scaling and rope_parameters, of every type", () => {
    const keys = new Set(
      `type rope_type rope_theta factor original_max_position_embeddings attention_factor beta_fast
       beta_slow mscale mscale_all_dim truncate short_factor long_factor low_freq_factor
       high_freq_factor partial_rotary_factor mrope_section llama_4_scaling_beta full_attention`
        .trim()
        .split(/\s+/),
    );
    const list = new Array(8).fill(2);
    const whole = {
      factor: 2,
      original_max_position_embeddings: 2048,
      low_freq_factor: 1,
      high_freq_factor: 4,
      short_factor: list,
      long_factor: list,
    };
    for (const rope_type of [
      "default",
      "linear",
      "dynamic",
      "yarn",
      "longrope",
      "llama3",
      "proportional",
    ]) {
      for (const where of ["rope_scaling", "rope_parameters"]) {
        for (const model_type of [
          "llama",
          "qwen2_vl",
          "gemma3_text",
          "deepseek_v4",
          "ministral3",
        ]) {
          for (const key of keys) {
            for (const value of hostile()) {
              const entry = { rope_type, ...whole, [key]: value };
              const config = llama({ model_type, [where]: entry });
              outcome(() => models.fromConfig(config), `${model_type}, ${where}.${key}`);
            }
          }
        }
      }
    }
  });

  test("as the whole configuration, and as its parts", () => {
    for (const value of HOSTILE) {
      outcome(() => models.fromConfig(/** @type {any} */ (value)), "config");
      outcome(() => models.rope(/** @type {any} */ (value)), "model");
      for (const key of ["text_config", "thinker_config", "llm_config"]) {
        outcome(() => models.fromConfig(llama({ [key]: value })), key);
      }
    }
  });
});

describe("a short text causes little work", () => {
  /** @param {unknown} config */
  const timed = (config) => {
    const started = performance.now();
    outcome(() => models.fromConfig(/** @type {any} */ (config)), "config");
    assert.ok(performance.now() - started < 5000, "it takes too long");
  };

  test("circles and depth", () => {
    const deep = `${'{"a":'.repeat(200000)}1${"}".repeat(200000)}`;
    const parts = `${'{"text_config":'.repeat(200000)}1${"}".repeat(200000)}`;
    const text = JSON.stringify(llama()).slice(0, -1);
    const both = `"rope_scaling":{"factor":${deep}},"rope_parameters":{"factor":${deep}}`;
    for (const more of [`"x":${deep}`, both, `"text_config":${parts}`, `"rope_scaling":${deep}`]) {
      timed(`${text},${more}}`);
      timed(JSON.parse(`${text},${more}}`));
    }
    const circle = /** @type {any} */ (llama());
    for (const key of ["text_config", "rope_scaling", "rope_parameters", "layer_types"]) {
      timed({ ...circle, [key]: circle });
    }
    circle.text_config = circle;
    circle.rope_scaling = circle;
    circle.rope_parameters = circle;
    timed(circle);
  });

  test("more than eight levels of nested configurations are rejected", () => {
    /** @type {any} */
    let config = llama();
    for (let depth = 0; depth < 9; ++depth) config = { text_config: config };
    assert.throws(
      () => models.fromConfig(config),
      /^RangeError: \S+: config must have at most 8 parts/,
    );
  });

  test("two entries that differ are found for any order of their keys, at any depth", () => {
    const a = { rope_type: "linear", factor: 2 };
    const b = { factor: 2, rope_type: "linear" };
    const of = (/** @type {object} */ now, /** @type {object} */ old) =>
      models.fromConfig(llama({ rope_parameters: now, rope_scaling: old })).warnings;
    assert.deepEqual(of(a, { ...a }), []);
    assert.deepEqual(of(a, b), []);
    const warning =
      "config.rope_parameters and config.rope_scaling differ: the second is used, as transformers does; the base of the first goes with it";
    assert.deepEqual(of(a, { ...b, factor: 3 }), [warning]);
    const long = { ...a, more: [1, [2, 3]] };
    assert.equal(of(long, { ...a, more: [1, [2, 3]] }).includes(warning), false);
    assert.equal(of(long, { ...a, more: [1, [2, 4]] }).includes(warning), true);
    assert.equal(of(long, a).includes(warning), true);
  });

  test("many kinds of layers, many keys", () => {
    const layers = 65536;
    const layer_types = Array.from({ length: layers }, (_, layer) => `kind ${layer}`);
    const many = Object.fromEntries(Array.from({ length: 20000 }, (_, k) => [`key ${k}`, k]));
    const config = llama({ num_hidden_layers: layers, layer_types, rope_scaling: { ...many } });
    assert.throws(
      () => models.fromConfig(config),
      /^RangeError: \S+: config.layer_types must name at most 64 kinds; got 65536/,
    );
    const block_types = layer_types.map((_, layer) => `kind ${layer % 60}`);
    const sixty = { layer_types: undefined, model_type: "recurrent_gemma", block_types };
    const { warnings, positions } = models.fromConfig({ ...config, ...sixty });
    assert.equal(Object.keys(positions.rotary ?? {}).length, 60);
    assert.ok(warnings.length < 100, `${warnings.length} warnings`);

    const widths = Object.fromEntries(
      Array.from({ length: 30000 }, (_, k) => [k + 30000, { head_dim: 32 }]),
    );
    timed(llama({ num_hidden_layers: layers, ...sixty, per_layer_config: widths }));
  });

  test("more than 65,536 layers are rejected, for every family", () => {
    for (const { family } of atlas()) {
      for (const num_hidden_layers of [65537, 2147483647, 1e308]) {
        const config = { ...BASE, model_type: family, num_hidden_layers };
        assert.throws(() => models.fromConfig(config), /^(RangeError|TypeError): .+ must .+; got /);
      }
    }
  });

  test("a layer without rotation is null, and a model without any is refused", () => {
    const config = llama({
      model_type: "lfm3",
      num_hidden_layers: 2,
      layer_types: ["full_attention", "sliding_attention"],
      rope_parameters: { full_attention: null, sliding_attention: null },
    });
    assert.equal(models.rope(config, { layer: 0 }), null);
    assert.throws(() => models.rope(config), /model must have a layer that is rotated; got none/);
  });

  test("errors name the key", () => {
    const error = /** @type {Error} */ (
      (() => {
        try {
          models.fromConfig(llama({ rope_theta: revoked() }));
        } catch (thrown) {
          return thrown;
        }
        return undefined;
      })()
    );
    assertInWords(error, "rope_theta", ["config.rope_theta"], "models.fromConfig");
    assert.match(error.message, /got a revoked proxy$/);
  });
});
