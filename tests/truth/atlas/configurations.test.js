// Published configurations: what phasor says of each, as it was recorded. Sources are in configurations.json.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { says } from "./configurations.js";
import { models } from "phasor/models";

/** @param {string} name */
const read = (name) => JSON.parse(readFileSync(new URL(name, import.meta.url), "utf8"));
/** @type {Record<string, import("./configurations.js").Published>} */
const recorded = read("./configurations.json");
const compared = read("./published.json");
/** @type {[name: string, config: Record<string, any>][]} */
const all = Object.entries(recorded).map(([name, { config = compared[name].config }]) => [
  name,
  config,
]);

describe("published configurations, as they are", () => {
  test("are 162 or more, of 90 or more families, each with its source", () => {
    const texts = all.map(([, config]) => JSON.stringify(config));
    assert.ok(new Set(texts).size >= 162, String(new Set(texts).size));
    const families = new Set(all.map(([, { model_type }]) => model_type));
    assert.ok(families.size >= 90, String(families.size));
    for (const name of Object.keys(compared)) assert.ok(Object.hasOwn(recorded, name), name);
    for (const [name, { source }] of Object.entries({ ...recorded, ...compared })) {
      assert.match(source, /^https:|^GRANITE/, name);
    }
  });

  test("have the description that was recorded, or a typed error", () => {
    const now = Object.fromEntries(all.map(([name, config]) => [name, says(config, models)]));
    const then = Object.entries(recorded).map(([name, of]) => [name, of.says]);
    assert.deepEqual(now, Object.fromEntries(then));
  });

  test("have a reason where nothing is said, and a warning first for each suspect key", () => {
    for (const [name, config] of all) {
      for (const tower of /** @type {const} */ (["text", "vision", "audio"])) {
        let model;
        try {
          model = models.fromConfig(config, { tower });
        } catch {
          continue; // a typed error, which the line above has
        }
        const { positions, suspect, warnings } = model;
        const isSaid = !["unknown", "other"].includes(positions.scheme);
        assert.ok(isSaid || String(positions.reasons).length > 20, name);
        for (const [i, key] of suspect.entries()) {
          assert.match(warnings[i], new RegExp(`\\.${key} is not read, and may change`), name);
        }
      }
    }
  });

  test("have no suspect key but that of numbers packed in tables", () => {
    for (const [name, config] of all) {
      let suspect;
      try {
        ({ suspect } = models.fromConfig(config));
      } catch {
        continue;
      }
      assert.ok(
        [[], ["quantization_config"]].some((keys) => `${keys}` === `${suspect}`),
        name,
      );
    }
  });
});
