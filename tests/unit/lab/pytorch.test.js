// A training of the lab as a PyTorch program: what the program reads is the training, which programs PyTorch has run, and
// what is refused. tests/truth/interop/pytorch.test.js runs them.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { load, optionsOf } from "phasor/lab";
import { pytorch } from "../../../src/lab/pytorch.js";
import { RUN } from "../../truth/interop/pytorch.js";

const { lab } = await load();
const phasor = { lab, optionsOf };

test("the file has the weights at the start, the texts and the losses of the training", () => {
  const task = lab.tasks.latest({ keys: 4, values: 2 });
  const made = { vocabulary: task.vocabulary, dim: 16, seed: 3, position: { scheme: /** @type {const} */ ("t5Bias") } }; // prettier-ignore
  const training = { length: 12, batch: 3, steps: 5, learningRate: 0.01 };
  const { tensors } = pytorch(phasor, task, made, training);
  const model = lab.decoder(made);
  const start = model.weights();
  const names = [...Object.keys(start).map((name) => `start.${name}`), "ids", "targets", "losses"];
  assert.deepEqual(Object.keys(tensors), names);
  for (const [name, { data, shape }] of Object.entries(start)) {
    assert.deepEqual(tensors[`start.${name}`].data, data, name);
    assert.deepEqual(tensors[`start.${name}`].shape, shape, name);
  }
  const { ids, targets, losses } = tensors;
  assert.deepEqual([ids.shape, targets.shape, losses.shape], [[5, 3, 12], [5, 3, 12], [5]]);
  // The losses are those of the same decoder, of these texts.
  let step = 0;
  for (const { loss } of model.train(task, { ...training, every: 1 })) {
    assert.equal(losses.data[step], loss);
    step += 1;
  }
  // The lab's own default: the length, but beyond the buckets of one distance each.
  for (const length of [4, 12]) {
    const { program } = pytorch(phasor, task, made, { ...training, length, steps: 1 });
    assert.ok(program.includes(`BUCKETS, MOST = 16, ${Math.max(9, length)}\n`), program);
  }
  const part = (/** @type {any} */ data) => ({ data: data.slice(0, 36), shape: [3, 12] });
  const first = lab.decoder(made).gradients(part(ids.data), part(targets.data));
  assert.equal(first.loss, losses.data[0]);
});

test("the program has the settings of the training", () => {
  const made = { dim: 16, heads: 4, seed: 7, position: { scheme: /** @type {const} */ ("alibi") } };
  const { program } = pytorch(phasor, lab.tasks.back(), made, { steps: 2, clip: 0, betas: [0.8, 0.95], warmup: 3 }); // prettier-ignore
  for (const line of [
    '"""A training of phasor\'s lab in PyTorch: task back, scheme alibi, seed 7.',
    "H = 4  # heads",
    "RATE, WARMUP, FLOOR = 0.006, 3, 0.1",
    "BETAS, EPS, DECAY = (0.8, 0.95), 1e-8, 0.01",
  ])
    assert.ok(program.split("\n").includes(line), line);
  assert.doesNotMatch(program, /clip|undefined|NaN|\[object/);
});

test("the programs are those that PyTorch has run", () => {
  for (const [name, { task, made, training, hash }] of Object.entries(RUN)) {
    const { program } = pytorch(phasor, task(lab), made, { ...training, steps: 1 });
    const found = createHash("sha256").update(program).digest("hex").slice(0, 16);
    assert.equal(found, hash, `${name}: run npm run x -- test:interop, then take the new hash`);
    const long = program.split("\n").find((line) => line.length > 100);
    assert.equal(long, undefined, name);
  }
  const schemes = Object.values(RUN).map(({ made }) => /** @type {any} */ (made.position).scheme);
  const known = optionsOf(lab.experiment).schemes.values ?? [];
  assert.deepEqual(known.filter((/** @type {any} */ name) => !schemes.includes(name)), []); // prettier-ignore
});

test("other trainings are refused, with the reason", () => {
  const rope = /** @type {const} */ ({ scheme: "rope" });
  const linear = /** @type {const} */ ({ type: "linear", factor: 2 });
  for (const [made, training, why] of /** @type {[any, any, string][]} */ ([
    [{ position: { layers: [rope] } }, {}, "its layers have different schemes"],
    [
      { position: { scheme: "own", bias: () => 0 } },
      {},
      'the bias of its scheme "own" is a function of JavaScript',
    ],
    [
      { position: { ...rope, scaling: linear } },
      {},
      "the program knows no scaling of RoPE's frequencies",
    ],
    [{}, { scaling: linear }, "the program knows no scaling of RoPE's frequencies"],
    [
      { position: { ...rope, keep: 0.5 } },
      {},
      "the program rotates all pairs, and keep is below 1",
    ],
    [{}, { positions: { random: 64 } }, "the program has the positions 0, 1, 2, ... alone"],
    [{}, { positions: () => [0] }, "the program has the positions 0, 1, 2, ... alone"],
    [{ position: { scheme: "toString" } }, {}, 'the program knows no scheme "toString"'],
  ])) {
    // prettier-ignore
    assert.throws(() => pytorch(phasor, lab.tasks.back(), made, { ...training, steps: 1 }), {
      name: "RangeError",
      message: `cannot write a PyTorch program of this training: ${why}`,
    });
  }
  const coupled = lab.tasks.addition({ ids: "coupled" });
  assert.throws(() => pytorch(phasor, coupled, {}, { steps: 1 }), /the positions 0, 1, 2, \.\.\. alone$/); // prettier-ignore
});

test("the program rotates whole pairs of a head of odd width, as the lab does", () => {
  const made = { dim: 12, heads: 4, position: { scheme: "rope" } };
  const { program } = pytorch(phasor, lab.tasks.back(), /** @type {any} */ (made), { steps: 1 });
  assert.match(program, /^R = 2 \* \(D \/\/ 2\) /m);
});
