// The shares of pairs that the lab's page shows, of a decoder that was trained.

import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "phasor/lab";
import { load as loadPhasor } from "phasor";
import { pairShares, wavelengths } from "../../web/app/lab-pairs.js";

const { lab } = await load();
const sizes = { vocabulary: 8, dim: 24, heads: 3, layers: 2, seed: 4 };

test("shares of pairs: of each head, by the rows of queries and keys behind the norm's weights", () => {
  const model = lab.decoder({ ...sizes, position: { scheme: "rope" } });
  Array.from(model.train(lab.tasks.back({ symbols: 8 }), { length: 8, batch: 4, steps: 20 }));
  const weights = /** @type {import("../../web/app/lab-pairs.js").Weights} */ (model.weights());
  const shares = pairShares(weights, sizes.heads);
  const [P, E] = [4, 24];
  assert.equal(shares.length, sizes.layers * sizes.heads * P);
  for (let head = 0; head < shares.length; head += P) {
    const sum = shares.subarray(head, head + P).reduce((a, b) => a + b);
    assert.ok(Math.abs(sum - 1) < 1e-12, `${sum}`);
  }
  // Without the second pair's keys of head 1 in layer 1, nothing of it is left; twice a norm's weights change nothing.
  const name = "layers.1.attention.in_proj.weight";
  const cut = weights[name].data.slice();
  for (const row of [1, 1 + P]) cut.fill(0, (E + 8 + row) * E, (E + 8 + row + 1) * E);
  const norm = weights["layers.0.norm1.weight"];
  const other = pairShares(
    {
      ...weights,
      [name]: { ...weights[name], data: cut },
      "layers.0.norm1.weight": { ...norm, data: norm.data.map((x) => 2 * x) },
    },
    sizes.heads,
  );
  const at = sizes.heads * P + P;
  assert.equal(other[at + 1], 0);
  other.forEach((x, i) => {
    if (i < at || i >= at + P) assert.ok(Math.abs(x - shares[i]) < 1e-12, `${i}`);
  });
});

test("wavelengths are the tokens of a whole turn", async () => {
  const { rope } = await loadPhasor();
  const { frequencies } = rope.frequencies(16, { base: 500 });
  wavelengths(8, 500).forEach((turn, i) => {
    assert.ok(Math.abs((turn * frequencies.at(i)) / (2 * Math.PI) - 1) < 1e-6, `${turn}`);
  });
});
