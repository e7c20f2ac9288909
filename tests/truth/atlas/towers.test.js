// Towers for pictures as transformers runs them, and diffusers' tables: a record of `npm run x -- test:atlas`.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { comparePipeline, compareTower, PIPELINE_BOUND, SAMPLE } from "./towers.js";
import { phasor } from "../../phasor.js";
import { safetensors } from "phasor/files";
import { models } from "phasor/models";

const folder = new URL("./", import.meta.url);
const facts = JSON.parse(readFileSync(new URL("towers.json", folder), "utf8"));
const file = await safetensors.read(readFileSync(new URL("towers.safetensors", folder)));

/** @param {string} name @returns {Promise<any>} */
async function tensorsOf(name) {
  const own = file.names.filter((key) => key.startsWith(`${name}/`));
  const entries = own.map(async (key) => [key.slice(name.length + 1), await file.tensor(key)]);
  return Object.fromEntries(await Promise.all(entries));
}

describe("image towers", () => {
  assert.deepEqual(Object.keys(facts.towers).sort(), [...SAMPLE].sort());
  for (const [name, tower] of Object.entries(facts.towers)) {
    test(`models.fromConfig describes ${name} in agreement with a run of transformers`, async () => {
      const { result, why } = compareTower(tower, await tensorsOf(name), { models, phasor });
      assert.equal(result, "agrees", why.join("; "));
    });
  }

  test("they are found in the configuration of the whole model", () => {
    const qwen = {
      model_type: "qwen2_5_vl",
      hidden_size: 3584,
      vision_config: { model_type: "qwen2_5_vl", hidden_size: 1280, num_heads: 16, depth: 32 },
    };
    const { type, dim, layers, positions } = models.fromConfig(qwen, { tower: "vision" });
    assert.deepEqual([type, dim, layers], ["qwen2_5_vl_vision", 1280, 32]);
    assert.deepEqual(positions, {
      scheme: "axialRope",
      preset: "qwen2_vl",
      dim: 80,
      axes: 2,
      options: { base: 10000 },
      merge: 2, // the class's
    });
    const clip = {
      model_type: "clip",
      vision_config: {
        model_type: "clip_vision_model",
        hidden_size: 768,
        image_size: 224,
        patch_size: 32,
      },
    };
    assert.deepEqual(models.fromConfig(clip, { tower: "vision" }).positions, {
      scheme: "learnedPositions",
      preset: "vit",
      rows: 50,
      length: 50,
    });
    assert.throws(
      () => models.fromConfig(clip, { tower: "audio" }),
      /^RangeError: \S+: config must have a part for the tower "audio", audio_config; got model_type, vision_config/,
    );
    assert.throws(
      () => models.fromConfig(clip, /** @type {any} */ ({ tower: "nose" })),
      /^RangeError: \S+: tower must be one of "text", "vision", "audio"; got "nose"/,
    );
  });

  test("a tower without a supported rotation is rejected with the reason", () => {
    const config = { model_type: "vjepa2", hidden_size: 1024, num_attention_heads: 16 };
    const { scheme, reasons } = models.fromConfig(config).positions;
    assert.equal(scheme, "other");
    assert.match(String(reasons), /which is not a rotation/);
  });
});

describe("diffusers' pipelines", () => {
  for (const [name, { grid }] of Object.entries(facts.pipelines)) {
    test(`axialRope.presets has the table of ${name}`, async () => {
      const most = comparePipeline(name, grid, await tensorsOf(name), phasor);
      assert.ok(most <= PIPELINE_BOUND, String(most));
    });
  }
});
