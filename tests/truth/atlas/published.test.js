// Published configurations, compared with what transformers makes of them: a record of `npm run x -- test:atlas`.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { compareSpelling } from "./spellings.js";
import { phasor } from "../../phasor.js";
import { models } from "phasor/models";

/** @type {Record<string, any>} */
const published = JSON.parse(readFileSync(new URL("./published.json", import.meta.url), "utf8"));
const rotating = Object.entries(published).filter(([, { rotary }]) => rotary);

describe("published configurations", () => {
  for (const [name, { config, kinds, rotary }] of rotating) {
    test(`models.fromConfig reads ${name} as transformers does`, () => {
      const { result, why } = compareSpelling({ name, config, kinds, rotary }, { models, phasor });
      const { rotary: ours = {} } = models.fromConfig(config).positions;
      // Granite 4.0 H has frequencies that no layer uses.
      const isStill = name.includes("granite-4.0-h") && Object.values(ours).every((of) => !of);
      assert.equal(result, isStill ? "not compared" : "agrees", why.join("; "));
    });
  }

  test("there are enough of them, and presets have their numbers", () => {
    assert.ok(rotating.length >= 30, String(rotating.length));
    const sources = new Map(models.names.map((name) => [models.get(name).source, name]));
    let compared = 0;
    for (const [name, { config }] of Object.entries(published)) {
      const preset = sources.get(`https://huggingface.co/${name}/blob/main/config.json`);
      if (preset === undefined) continue;
      const { positions, dim, layers, heads, vocabulary } = models.get(preset);
      const own = models.fromConfig(config);
      assert.deepEqual(positions, own.positions, preset);
      const sizes = [own.dim, own.layers, own.heads, own.vocabulary];
      assert.deepEqual([dim, layers, heads, vocabulary], sizes, preset);
      compared += 1;
    }
    assert.ok(compared >= 25, String(compared));
  });
});
