// The rows that every layer of Gemma 3n and 4 gets; npm run x -- test:atlas compares them with transformers' own.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { phasor } from "../../../phasor.js";
import { floats } from "../../reference/samples.js";
import { safetensors } from "phasor/files";
import { open } from "phasor/open";

const [V, D, L, E] = [6, 8, 2, 4];

/** Numbers without a pattern. @param {number[]} shape @param {number} seed */
function numbers(shape, seed) {
  const size = shape.reduce((a, b) => a * b, 1);
  const data = Float32Array.from({ length: size }, (_, i) => Math.sin(12.9898 * (i + 1) * seed));
  return { data, shape };
}

const CONFIG = {
  model_type: "gemma4_text",
  ...{ vocab_size: V, hidden_size: D, num_hidden_layers: L, num_attention_heads: 4 },
  ...{ hidden_size_per_layer_input: E, rms_norm_eps: 1e-5, dtype: "float32" },
  rope_parameters: { full_attention: { rope_theta: 1e4 } },
};

const TENSORS = {
  "model.embed_tokens.weight": numbers([V, D], 1),
  "model.embed_tokens_per_layer.weight": numbers([V - 1, L * E], 2),
  "model.per_layer_model_projection.weight": numbers([L * E, D], 3),
  "model.per_layer_projection_norm.weight": numbers([E], 4),
};

/** @param {Record<string, unknown>} [config] @param {Record<string, any>} [tensors] */
const opened = (config = CONFIG, tensors = TENSORS) =>
  open(
    {
      "model.safetensors": safetensors.write(tensors),
      "config.json": new TextEncoder().encode(JSON.stringify(config)),
    },
    { phasor },
  );

/** The rows of a token by the formula, in double. @param {number} id */
function rowsOf(id) {
  const [words, table, projection, gain] = Object.values(TENSORS).map(({ data }) => data);
  return Array.from({ length: L }, (_, l) => {
    const projected = Array.from({ length: E }, (_, e) => {
      let sum = 0;
      for (let d = 0; d < D; ++d) {
        sum += words[id * D + d] * Math.sqrt(D) * projection[(l * E + e) * D + d];
      }
      return sum / Math.sqrt(D);
    });
    const power = projected.reduce((sum, x) => sum + x * x, 0) / E;
    const own = id < V - 1 ? id : 0;
    return projected.map((x, e) => {
      const normed = (x / Math.sqrt(power + CONFIG.rms_norm_eps)) * gain[e];
      return (normed + table[own * L * E + l * E + e] * Math.sqrt(E)) / Math.SQRT2;
    });
  });
}

describe("OpenModel.perLayer", () => {
  test("perLayer computes the rows of each layer by the formula, for ids of any shape", async () => {
    const model = await opened();
    const ids = [[0, 3, 3], [4, 5, 1]]; // prettier-ignore
    const got = await model.perLayer(ids);
    assert.deepEqual(got.shape, [2, 3, L, E]);
    const want = ids.flat().flatMap((id) => rowsOf(id).flat());
    floats(got).forEach((x, i) =>
      assert.ok(Math.abs(x - want[i]) < 1e-6, `${i}: ${x}, ${want[i]}`),
    );
    assert.deepEqual((await model.perLayer([])).shape, [0, L, E]);
    assert.deepEqual(floats(await model.perLayer([3])), floats(got).subarray(L * E, 2 * L * E));
  });

  test("a table of more layers than the model has is cut to the first ones", async () => {
    const wide = { ...TENSORS };
    const more = new Float32Array((V - 1) * 3 * E);
    const { data } = TENSORS["model.embed_tokens_per_layer.weight"];
    for (let v = 0; v < V - 1; ++v) {
      more.set(data.subarray(v * L * E, (v + 1) * L * E), v * 3 * E);
    }
    wide["model.embed_tokens_per_layer.weight"] = { data: more, shape: [V - 1, 3 * E] };
    const [own, other] = [await opened(), await opened(CONFIG, wide)];
    assert.deepEqual(await other.perLayer([0, 4, 2]), await own.perLayer([0, 4, 2]));
  });

  test("perLayer rejects models without such rows, and tensors that do not fit", async () => {
    const none = await opened({ ...CONFIG, hidden_size_per_layer_input: 0 });
    await assert.rejects(
      () => none.perLayer([1]),
      /^RangeError: the model has no rows for each layer: its configuration names none/,
    );
    const { "model.per_layer_projection_norm.weight": _, ...less } = TENSORS;
    await assert.rejects(
      async () => (await opened(CONFIG, less)).perLayer([1]),
      /^RangeError: the model has no rows for each layer: it has no tensor .*per_layer_projection_norm/,
    );
    const bad = { ...TENSORS, "model.per_layer_projection_norm.weight": numbers([E + 1], 4) };
    await assert.rejects(
      async () => (await opened(CONFIG, bad)).perLayer([1]),
      /its weights must have shapes \[8, 8\] and \[4\]; got \[8, 8\] and \[5\]/,
    );
    const narrow = { ...CONFIG, hidden_size_per_layer_input: 5 };
    await assert.rejects(
      async () => (await opened(narrow)).perLayer([1]),
      /its table must have shape \[V, 10\]; got \[5, 8\]/,
    );
    const model = await opened();
    await assert.rejects(() => model.perLayer([6]), /^RangeError: \S+: ids must .* 0 to 5; got 6/);
    await assert.rejects(() => model.perLayer([1], /** @type {any} */ ({ past: 1 })), /^TypeError/);
    const stopped = AbortSignal.abort();
    await assert.rejects(() => model.perLayer([1], { signal: stopped }), { name: "AbortError" });
  });
});
