// Biases within attention, and tables of pages, as transformers computes them: a record of `npm run x -- test:atlas`.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { compareBias } from "./biases.js";
import { phasor } from "../../phasor.js";
import { safetensors } from "phasor/files";
import { models } from "phasor/models";

const folder = new URL("./", import.meta.url);
const facts = JSON.parse(readFileSync(new URL("biases.json", folder), "utf8"));
const file = await safetensors.read(readFileSync(new URL("biases.safetensors", folder)));

/** @param {string} name @returns {Promise<any>} */
async function tensorsOf(name) {
  const own = file.names.filter((key) => key.startsWith(`${name}/`));
  const entries = own.map(async (key) => [key.slice(name.length + 1), await file.tensor(key)]);
  return Object.fromEntries(await Promise.all(entries));
}

describe("relative biases", () => {
  for (const [name, { config }] of Object.entries(facts)) {
    test(`${name}: what models.fromConfig describes agrees with a run of transformers`, async () => {
      const { result, why } = compareBias(config, await tensorsOf(name), { models, phasor });
      assert.equal(result, "agrees", why.join("; "));
    });
  }

  test("a bias of another size is found", async () => {
    const [name, { config }] = /** @type {[string, any]} */ (
      Object.entries(facts).find(([of]) => of === "xlnet clamped")
    );
    const { result } = compareBias({ ...config, clamp_len: 4 }, await tensorsOf(name), {
      models,
      phasor,
    });
    assert.equal(result, "differs");
  });
});
