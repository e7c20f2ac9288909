// Keys about positions and attention that the code of transformers reads: a record of `npm run x -- test:atlas`.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { contradicted, contradictedParts, sorted } from "./keys.js";
import { models } from "phasor/models";

/** @type {import("./keys.js").Recorded} */
const recorded = JSON.parse(readFileSync(new URL("./keys.json", import.meta.url), "utf8"));

describe("keys that a family's code reads", () => {
  test("are read, known to be harmless, or of a family that is not described", () => {
    const { unsorted, counts } = sorted(recorded, models);
    assert.deepEqual(unsorted, []);
    assert.ok(Object.keys(recorded).length >= 360, String(Object.keys(recorded).length));
    assert.ok(counts.read >= 2500 && counts.harmless >= 850, JSON.stringify(counts));
    assert.ok(counts.entries >= 400, JSON.stringify(counts));
  });

  test("and that a file leaves out have the defaults of the family's class, or must be given", () => {
    const { wrong, compared } = contradicted(recorded, models);
    assert.deepEqual(wrong, []);
    assert.ok(compared >= 3500, String(compared));
  });

  test("and that a part leaves out, which states its family alone, have them too", () => {
    const { wrong, compared } = contradictedParts(recorded, models);
    assert.deepEqual(wrong, []);
    assert.ok(compared >= 740, String(compared));
  });

  test("are found if a default is that of another family", () => {
    const { gemma } = recorded;
    const config = { ...gemma.config, head_dim: 64 };
    const { wrong } = contradicted({ gemma: { ...gemma, config, made: {} } }, models);
    assert.deepEqual(
      wrong.map((row) => row.replace(/:.*/, "")),
      Array(3).fill("gemma without head_dim"), // its width, its rotation and what it keeps
    );
  });

  test("of rope entries are fourteen", () => {
    const names = new Set(Object.values(recorded).flatMap(({ entry }) => entry));
    assert.deepEqual(
      [...names].sort(),
      `alpha factor llama_4_scaling_beta long_factor long_mscale mrope_section mscale_all_dim
       original_max_position_embeddings partial_rotary_factor rope_theta rope_type short_factor short_mscale type`.split(
        /\s+/,
      ),
    );
  });

  test("are found if nobody has sorted them", () => {
    const { llama } = recorded;
    const config = { ...llama.config, rope_scaling_layers: [0, 1] };
    const { unsorted } = sorted({ llama: { config, entry: ["alpha", "beta_of_its_own"] } }, models);
    const entries = ["llama: entry.alpha", "llama: entry.beta_of_its_own"];
    assert.deepEqual(unsorted, ["llama: rope_scaling_layers", ...entries]);
  });
});
