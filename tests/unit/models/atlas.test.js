// A card of the atlas says what models.fromConfig and models.get say.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { atlas, models } from "phasor/models";

const file = new URL("../../truth/atlas/keys.json", import.meta.url);
/** Default configurations of transformers. @type {Record<string, {config: Record<string, any>}>} */
const recorded = JSON.parse(readFileSync(file, "utf8"));

/** @param {ReturnType<typeof models.fromConfig>} model */
const rotations = ({ positions }) =>
  Object.values(positions.rotary ?? {}).filter((rotary) => rotary !== null);

describe("atlas", () => {
  test("every card agrees with every model of the family that is known by name", () => {
    let compared = 0;
    for (const { family, scheme, layout, preset, models: names = [] } of atlas()) {
      for (const name of names) {
        const model = models.get(name);
        assert.deepEqual([model.type, model.positions.scheme], [family, scheme], name);
        assert.equal(model.positions.preset, preset, name);
        for (const rotary of rotations(model)) assert.equal(rotary.layout, layout, name);
        compared += 1;
      }
    }
    assert.equal(compared, models.names.length);
  });

  test("every card agrees with transformers' default configuration of the family", () => {
    let compared = 0;
    for (const { family, scheme, layout, preset } of atlas()) {
      if (!Object.hasOwn(recorded, family)) continue;
      const model = models.fromConfig(recorded[family].config);
      if (family === "exaone") {
        assert.match(String(model.positions.reasons), /rope_theta is missing/); // two codes, two bases
        continue;
      }
      assert.deepEqual([model.positions.scheme, model.positions.preset], [scheme, preset], family);
      for (const rotary of rotations(model)) assert.equal(rotary.layout, layout, family);
      compared += 1;
    }
    assert.ok(compared >= 360, String(compared));
  });

  test("base and part are those of a configuration that says nothing of rotation", () => {
    let compared = 0;
    for (const { family, base, partial, traps } of atlas()) {
      if (base === undefined || !Object.hasOwn(recorded, family)) continue;
      const silent = Object.entries(recorded[family].config).filter(
        ([key]) =>
          !/rope_(?:parameters|scaling|theta)|partial|rotary|qk_|^text_config$|^encoder$/.test(key),
      );
      let model;
      try {
        model = models.fromConfig(Object.fromEntries(silent));
      } catch {
        continue; // it must say something
      }
      const of = rotations(model);
      if (of.length === 0) continue;
      const isOne = of.some(({ options }) => options.base === base);
      // A kind of layer that the default lacks may have the base.
      assert.ok(isOne || traps.some((trap) => /^Bases differ/.test(trap)), `${family}: ${base}`);
      const width = Math.floor(model.headDim * (partial ?? NaN));
      assert.ok(
        of.some(({ dim }) => dim === width),
        `${family}: ${partial} of ${model.headDim}`,
      );
      compared += 1;
    }
    assert.ok(compared >= 120, String(compared));
  });

  test("DeepSeek V3's and Kimi K2's queries have pairs of neighbors", () => {
    const cards = new Map(atlas().map((card) => [card.family, card]));
    for (const family of ["deepseek_v3", "kimi_k2", "axk1", "glm4_moe_lite", "youtu", "mistral4"]) {
      assert.equal(cards.get(family)?.layout, "interleaved", family);
    }
    assert.match(
      String(cards.get("muse_spark_text")?.traps),
      /0 in layer_rope_theta do not rotate/,
    );
    assert.deepEqual([cards.get("gptj")?.partial, cards.get("youtu")?.partial], [undefined, 1 / 3]);
  });
});
