// Inkling's relative logits and positions of Qwen3-VL and Qwen3-Omni as transformers computes them: a record of `npm run x -- test:atlas`
// (recent.py).
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { phasor } from "../../phasor.js";

const { positionIds, shaw } = phasor;
const recorded = JSON.parse(readFileSync(new URL("recent.json", import.meta.url), "utf8"));

/**
 * The table of profiles [R, E]: row E - d for the distance d, and rows of zeros for the distances that have none.
 * @param {number[][]} profiles
 */
function tableOf(profiles) {
  const E = profiles[0].length;
  const none = profiles.map(() => 0);
  return Array.from({ length: 2 * E + 1 }, (_, row) =>
    row > 0 && row <= E ? profiles.map((profile) => profile[E - row]) : none,
  );
}

/** [B, T, H, R] as [B, H, T, R]. @param {number[][][][]} states */
const byHeads = (states) =>
  states.map((tokens) => tokens[0].map((_, h) => tokens.map((heads) => heads[h])));

/** @param {any} of @param {(position: number) => number} factor */
function logits({ states, profiles, past }, factor) {
  const scaled = states.map((/** @type {number[][][]} */ tokens) =>
    tokens.map((heads, t) => heads.map((state) => state.map((x) => x * factor(past + t)))),
  );
  const T = states[0].length;
  const index = shaw.index(T, profiles[0].length, { keys: past + T });
  return shaw.scores(byHeads(scaled), tableOf(profiles), { index });
}

describe("Inkling's relative logits are shaw.scores of its states and profiles", () => {
  test("they are those of transformers, and 0 outside the extent", () => {
    const { inkling } = recorded;
    const found = logits(inkling, () => 1);
    assert.deepEqual(found.toArray(), inkling.bias);
    const [, , T, K] = found.shape;
    const E = inkling.profiles[0].length;
    for (let i = 0; i < T; ++i) {
      for (let j = 0; j < K; ++j) {
        const distance = inkling.past + i - j;
        if (distance < 0 || distance >= E) assert.equal(found.at(1, 2, i, j), 0);
      }
    }
    assert.ok(found.data.filter((x) => x !== 0).length > T * E);
  });

  test("those of Inkling 2's full attention have the logarithmic factor of the position", () => {
    const { inkling2 } = recorded;
    const { alpha, floor } = inkling2;
    const tau = (/** @type {number} */ position) =>
      1 + alpha * Math.log(Math.max((position + 1) / floor, 1));
    assert.ok(tau(inkling2.past + 6) > 1 && tau(inkling2.past) === 1, "both sides of the floor");
    const want = inkling2.bias.flat(3);
    // Four products of numbers below 1.25 in float32, as PyTorch computes them.
    logits(inkling2, tau).data.forEach((x, at) =>
      assert.ok(Math.abs(x - want[at]) < 1e-6, `${at}`),
    );
    assert.ok(logits(inkling2, () => 1).data.some((x, at) => Math.abs(x - want[at]) > 0.01));
  });
});

test("positionIds.multimodal numbers Qwen3-VL's frames between their timestamps", () => {
  const frame = { grid: [1, 4, 6] };
  const segments = [{ text: 3 }, frame, { text: 2 }, frame, { text: 2 }, frame, { text: 4 }];
  for (const advance of /** @type {const} */ (["all", "spatial"])) {
    const { positions, ropeDelta } = positionIds.multimodal(segments, { merge: 2, advance });
    assert.deepEqual(positions.toArray(), recorded.qwen3_vl.positions);
    assert.equal(ropeDelta.toArray(), recorded.qwen3_vl.delta);
  }
});

test("positionIds.multimodal deals Qwen3-Omni's sound and patches by their time", () => {
  for (const { grid, step, sound, positions, delta } of recorded.qwen3_omni) {
    const video = /** @type {const} */ ({ grid, step, sound, order: "time" });
    const found = positionIds.multimodal([{ text: 3 }, video, { text: 2 }], { merge: 2 });
    assert.deepEqual(found.positions.toArray(), positions);
    assert.equal(found.ropeDelta.toArray(), delta);
  }
});
