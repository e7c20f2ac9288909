// Biases, sinusoids, tables of towers and of pages as transformers computes them: a record of `npm run x -- test:atlas`.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { compareBias, SAMPLE } from "./biases.js";
import { phasor } from "../../phasor.js";
import { safetensors } from "phasor/files";
import { models } from "phasor/models";

const folder = new URL("./", import.meta.url);
/** @type {Record<string, {config: Record<string, any>}>} */
const facts = JSON.parse(readFileSync(new URL("biases.json", folder), "utf8"));
const file = await safetensors.read(readFileSync(new URL("biases.safetensors", folder)));

/** @param {string} name @returns {Promise<any>} */
async function tensorsOf(name) {
  const own = file.names.filter((key) => key.startsWith(`${name}/`));
  const entries = own.map(async (key) => [key.slice(name.length + 1), await file.tensor(key)]);
  return Object.fromEntries(await Promise.all(entries));
}

describe("parts that compute positions", () => {
  const families = new Set(Object.keys(facts).map((name) => name.split(" ")[0]));
  assert.deepEqual([...families].sort(), [...SAMPLE].sort());
  for (const [name, { config }] of Object.entries(facts)) {
    test(`${name}: what models.fromConfig describes agrees with a run of transformers`, async () => {
      const { result, why } = compareBias(config, await tensorsOf(name), { models, phasor });
      assert.equal(result, "agrees", why.join("; "));
    });
  }

  test("towers without a table, or with another, are described so", () => {
    /** @type {[family: string, keys: Record<string, unknown>, scheme: string, says?: RegExp][]} */
    const others = [
      ["detr", { position_embedding_type: "learned" }, "other", /50 rows and one of 50 columns/],
      ["internvl_vision", { use_absolute_position_embeddings: false }, "none"],
      ["sam_vision_model", { use_rel_pos: false }, "learnedPositions"],
      ["sam_vision_model", { use_abs_pos: false }, "other", /windowBias\.decomposed/],
      ["sam_vision_model", { use_abs_pos: false, use_rel_pos: false }, "none"],
      ["beit", { use_relative_position_bias: false }, "none"],
      ["beit table", {}, "learnedPositions"],
      ["beit table", { use_shared_relative_position_bias: true }, "other", /and use_shared_rel/],
    ];
    for (const [family, keys, scheme, says] of others) {
      const { positions, warnings } = models.fromConfig({ ...facts[family].config, ...keys });
      assert.equal(positions.scheme, scheme, JSON.stringify(keys));
      if (says) assert.match(String(positions.reasons), says);
      assert.equal(positions.besides, undefined);
      assert.deepEqual(warnings, []);
    }
  });

  test("towers are found in the whole, with the sizes that its file leaves out", () => {
    const of = (/** @type {string} */ type, /** @type {object} */ part, /** @type {any} */ tower) =>
      models.fromConfig({ model_type: type, [`${tower}_config`]: part }, { tower }).positions;
    const learned = { scheme: "learnedPositions", preset: "vit" };
    assert.deepEqual(of("siglip2", {}, "vision"), {
      ...{ ...learned, rows: 256, length: 256 },
      options: { prefix: 0, method: "bilinear", sampling: "antialiased" },
    });
    const model_type = "internvl_vision";
    const picture = { image_size: [448, 224], patch_size: [14, 14], hidden_size: 1024 };
    assert.deepEqual(of("internvl", { model_type, ...picture }, "vision"), {
      ...{ ...learned, rows: 513, length: 513 },
      options: { grid: [32, 16] },
    });
    const sound = { model_type: "voxtral_encoder", hidden_size: 1280, max_source_positions: 1500 };
    const { scheme, rows } = of("voxtral", sound, "audio");
    assert.deepEqual([scheme, rows], ["learnedPositions", 1500]);
    const { besides: plain } = models.fromConfig({
      ...facts.yolos.config,
      use_mid_position_embeddings: false,
    }).positions;
    assert.equal(plain, "detection tokens with the last rows");
    assert.match(
      String(models.fromConfig(facts.yolos.config).positions.besides),
      /behind each layer/,
    );
  });

  test("every described family of transformers was run", () => {
    const record = new URL("../../../web/models/atlas/atlas.json", folder);
    const { families } = JSON.parse(readFileSync(record, "utf8"));
    const unread = families.filter((/** @type {{read?: true}} */ { read }) => read);
    assert.deepEqual(unread, []);
  });

  test("what transformers takes for each other, or computes otherwise, is refused", () => {
    const wide = { ...facts.beit.config, image_size: [32, 64] };
    assert.throws(() => models.fromConfig(wide), /image_size \/ patch_size must be .*; got 4$/);
    const bases = { ...facts["dab-detr"].config, temperature_height: 10 };
    assert.throws(() => models.fromConfig(bases), /temperature_width must be temperature_height/);
    const scaled = { ...bases, temperature_width: 10, sine_position_embedding_scale: 3 };
    assert.deepEqual(models.fromConfig(scaled).positions.options, { base: 10, scale: 3 });
  });

  test("a bias of another size is found", async () => {
    const { config } = facts["xlnet clamped"];
    const { result } = compareBias({ ...config, clamp_len: 4 }, await tensorsOf("xlnet clamped"), {
      models,
      phasor,
    });
    assert.equal(result, "differs");
  });
});
