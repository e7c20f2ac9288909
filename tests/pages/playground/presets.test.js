import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "phasor";
import { models } from "phasor/models";
import { conventionPresets, fromConfig, modelPresets } from "../../../web/playground/presets.js";
import { everyNth } from "../../sample.js";
import { schemes } from "../../../web/playground/schemes/index.js";

const phasor = await load();
const presets = modelPresets();

/** @param {string} name */
function named(name) {
  const preset = presets.find((preset) => preset.name === name);
  assert.ok(preset, name);
  return preset;
}

test("every model of text has a preset, and every preset draws views of its scheme", () => {
  const shown = new Set(presets.map(({ name }) => name.split(/\.(?=[a-z]+_)/)[0]));
  const computed = models.names.filter((name) => {
    const { reasons, scheme, rotary } = models.get(name).positions;
    const rotates = !rotary || Object.values(rotary).some((of) => of !== null);
    return !reasons && rotates && scheme !== "none" && scheme !== "axialRope";
  });
  assert.deepEqual([...shown].sort(), [...computed].sort());
  const names = [...presets, ...conventionPresets(phasor)];
  assert.equal(new Set(names.map(({ name }) => name)).size, names.length);
  const isDrawn = everyNth(4); // which has no factor in common with the five views of most
  for (const { name, scheme, settings } of names) {
    for (const view of schemes[scheme].views.filter(isDrawn)) {
      assert.ok(schemes[scheme].compute(phasor, settings, view).data.size > 0, `${name} ${view}`);
    }
  }
});

test("a model's rotary frequencies are those that models.rope gives", () => {
  for (const name of models.names) {
    if (models.get(name).positions.scheme !== "rope") continue;
    const found = presets.find((preset) => preset.name.startsWith(name));
    if (found?.scheme !== "rope" || found.name !== name) continue;
    const { dim, options } = /** @type {any} */ (models.rope(name));
    const { sequence } = found.settings;
    const length = ["dynamic", "longrope"].includes(options.scaling?.type) ? sequence : undefined;
    const wanted = phasor.rope.frequencies(dim, { ...options, length }).frequencies;
    const made = schemes.rope.tensor(phasor, found.settings, "spectrum");
    assert.deepEqual(made.data, wanted.data, name);
  }
});

test("models have their own widths, heads and rules", () => {
  assert.deepEqual(
    [named("gpt2").settings.dim, named("gpt2").settings.rows, named("gpt2").scheme],
    [768, 1024, "learnedPositions"],
  );
  assert.equal(named("roberta-base").settings.rule, "roberta");
  assert.deepEqual([named("bloom").settings.heads, named("bloom").settings.form], [112, "first"]);
  assert.deepEqual([named("gpt-j-6b").settings.dim, named("gpt-j-6b").settings.rest], [64, 192]);
  assert.deepEqual(named("qwen2-vl-7b").settings.sections, [16, 24, 24]);
  assert.equal(named("gemma-3-1b.sliding_attention").settings.base, 10000);
  assert.equal(named("gemma-3-1b.full_attention").settings.base, 1000000);
});

test("a pasted config.json is shown, with its warnings", () => {
  const config = {
    model_type: "llama",
    hidden_size: 256,
    num_attention_heads: 4,
    num_hidden_layers: 2,
    max_position_embeddings: 8192,
    rope_scaling: { rope_type: "linear", factor: 4, surprise: 1 },
  };
  const { presets, warnings } = fromConfig(JSON.stringify(config));
  assert.equal(presets.length, 1);
  assert.deepEqual(
    [presets[0].scheme, presets[0].settings.dim, presets[0].settings.scaling],
    ["rope", 64, "linear"],
  );
  assert.match(warnings[0], /surprise/);
});

test("a config.json of Python with NaN and infinities is read", () => {
  const config = { model_type: "llama", hidden_size: 64, num_attention_heads: 1 };
  const text = JSON.stringify({ ...config, num_hidden_layers: 1 });
  const written = text.replace("{", '{"limits": [0.0, Infinity, NaN],');
  assert.deepEqual(fromConfig(written), fromConfig(text));
});

test("a config.json that is wrong is refused with the reason", () => {
  const refused = (/** @type {string} */ text) => {
    try {
      fromConfig(text);
    } catch (error) {
      return /** @type {Error} */ (error).message;
    }
    return "";
  };
  assert.equal(refused(" "), "config must be the text of a config.json; got nothing");
  assert.equal(
    refused('{\n  "model_type": "llama",\n  oops\n}'),
    'config must be JSON; got something else in line 3, column 3: "oops"',
  );
  assert.equal(
    refused('{\n  "x": NaN,\n  "model_type": nan\n}'),
    'config must be JSON; got something else in line 3, column 17: "nan"',
  );
  assert.match(refused('{"x": NaN'), /^config must be JSON; got something else at its end$/);
  assert.match(refused(`[${"0,".repeat(300_000)}0]`), /JSON; got more than 262144 values$/);
  assert.match(refused('{"model_type": "llama"'), /^config must be JSON; got something else at /);
  assert.match(refused("[]"), /^models\.fromConfig: config must be an object/);
  assert.match(
    refused('{"model_type": "llama"}'),
    /^models\.fromConfig: config\.hidden_size must /,
  );
  const huge = { model_type: "llama", hidden_size: 64, num_attention_heads: 1 };
  const text = JSON.stringify({ ...huge, num_hidden_layers: 1, rope_theta: 1e15 });
  assert.match(
    refused(text),
    /^base must be a number from 1 to 1000000000000; got 1000000000000000$/,
  );
});

test("a model that scales three axes is refused, as no picture has its frequencies", () => {
  const sizes = { hidden_size: 64, num_attention_heads: 4, num_hidden_layers: 2 };
  const plain = { type: "mrope", mrope_section: [2, 3, 3] };
  const yarn = { ...plain, type: "yarn", factor: 4, original_max_position_embeddings: 4096 };
  const config = (/** @type {object} */ rope_scaling) =>
    JSON.stringify({ model_type: "qwen2_5_vl", ...sizes, rope_scaling });
  assert.equal(fromConfig(config(plain)).presets[0].scheme, "mrope");
  assert.throws(
    () => fromConfig(config(yarn)),
    /^RangeError: config must have no scaling .+; got yarn$/,
  );
});
