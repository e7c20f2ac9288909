import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { types } from "node:util";
import { closest, didYouMean, suggesting } from "../../../src/runtime/suggest.js";
import { load, phasor } from "../../phasor.js";

describe("suggestions for misspelled names", () => {
  test("the closest name is found despite swaps, case and separators", () => {
    const known = ["layout", "base", "offset", "keyMask"];
    assert.equal(closest("layuot", known), "layout");
    assert.equal(closest("Layout", known), "layout");
    assert.equal(closest("key_padding_mask", known), "keyMask");
    assert.equal(closest("bse", known), "base");
    assert.equal(didYouMean("offest", known), '; did you mean "offset"?');
  });

  test("a swap of neighbors is one edit, as are a letter more, less and another", () => {
    assert.equal(closest("layuot", ["laxxot", "layout"]), "layout");
    assert.equal(closest("base", ["bsae", "base"]), "base");
    for (const near of ["bsae", "bbase", "bse", "baze"])
      assert.equal(closest(near, ["base"]), "base");
    assert.equal(closest("layoxy", ["layout"]), "layout", "two of six letters");
    assert.equal(closest("layxyz", ["layout"]), undefined, "three of six");
    assert.equal(closest("layxx", ["layou"]), undefined, "two of five");
    const long = "x".repeat(64);
    assert.deepEqual([closest(long, [long]), closest(`${long}x`, [long])], [long, undefined]);
  });

  test("nothing is suggested where no name is close", () => {
    assert.equal(closest("zzz", ["layout", "base"]), undefined);
    assert.equal(closest("x".repeat(1e6), ["layout"]), undefined);
    assert.equal(didYouMean("then", ["alibi", "rope"]), "");
  });

  test("a misspelled module or preset throws with the nearest name", async () => {
    assert.throws(() => /** @type {any} */ (phasor).ropee, {
      name: "RangeError",
      message: 'phasor has no "ropee"; did you mean "rope"?',
    });
    assert.throws(() => /** @type {any} */ (phasor.alibi.presets).fallcon, {
      name: "RangeError",
      message: 'alibi.presets has no "fallcon"; did you mean "falcon"?',
    });
    assert.equal(/** @type {any} */ (await load()).then, undefined, "load() can be awaited");
    assert.equal(types.isProxy(phasor), false, "it would take longer than a small call");
    const near = suggesting({ them: 1 }, "names");
    assert.equal((await near).them, 1, "whatever its names are");
    assert.equal(JSON.stringify(phasor.alibi.presets.press), '{"form":"press"}');
  });

  test("any unknown name of a preset throws, in every module that has presets", () => {
    const modules = Object.entries(phasor).filter(([, module]) => "presets" in module);
    assert.ok(modules.length >= 8);
    for (const [name, { presets }] of /** @type {[string, any][]} */ (modules)) {
      for (const unknown of ["zzzz", "no-such-model", "Zzzz9", "9"]) {
        const message = `${name}.presets has no "${unknown}"; it has ${Object.keys(presets).join(", ")}`;
        assert.throws(() => presets[unknown], { name: "RangeError", message });
      }
      for (const probed of [
        "then",
        "toJSON",
        "inspect",
        "$$typeof",
        "@@iterator",
        "_isMock",
        "nodeType",
      ]) {
        assert.equal(presets[probed], undefined, probed);
      }
      assert.equal(presets[Symbol.iterator], undefined);
      assert.equal("zzzz" in presets, false);
      assert.match(`${JSON.stringify(presets)}${String(presets)}`, /^\{.*\}\[object Object\]$/);
    }
    assert.throws(() => /** @type {any} */ (phasor.sincosGrid.presets).mae, {
      name: "RangeError",
      message: 'sincosGrid.presets has no "mae"; did you mean "vit_mae"?',
    });
  });

  test("words of other libraries are found by their meaning, where an option or a word has it", () => {
    const options = ["base", "scaling", "causal", "bias", "type", "positions"];
    const meant = {
      ...{ theta: "base", rope_theta: "base", rope_scaling: "scaling", rope_type: "type" },
      ...{ is_causal: "causal", attn_mask: "bias", position_ids: "positions" },
    };
    for (const [word, option] of Object.entries(meant)) {
      assert.equal(closest(word, options), option, word);
    }
    for (const [word, layout] of Object.entries({
      ...{ neox: "halves", "GPT-NeoX": "halves", rotate_half: "halves", "gpt-j": "interleaved" },
    })) {
      assert.equal(didYouMean(word, ["interleaved", "halves"]), `; did you mean "${layout}"?`);
    }
    assert.equal(closest("theta", ["layout", "offset"]), undefined); // no option means it
  });

  test("presets and the lists in them are frozen", () => {
    const all = Object.values(phasor).flatMap((module) =>
      "presets" in module ? module.presets : [],
    );
    assert.ok(all.length >= 8);
    for (const presets of all) {
      for (const options of [presets, ...Object.values(presets)]) {
        for (const value of [options, ...Object.values(options)]) assert.ok(Object.isFrozen(value));
      }
    }
    assert.ok(Object.isFrozen(phasor.mrope.presets.qwen2_vl.sections));
  });
});
