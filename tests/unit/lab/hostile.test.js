// Functions of the caller that change the decoder, or the core's memory, in the middle of a call.
import assert from "node:assert/strict";
import { test } from "node:test";
import { DisposedError, DivergedError, load, OutOfMemoryError } from "phasor/lab";

const { lab } = await load();

const ids = [0, 1, 2, 3, 4, 1, 0, 2];
const targets = [1, 2, 3, 4, 1, 0, 2, 3];
const sizes = { vocabulary: 5, dim: 8, heads: 2, seed: 3 };

/** @param {object} [options]  of the position */
const own = (options = {}) =>
  lab.decoder({
    ...sizes,
    position: { scheme: "own", bias: (_, n, [p]) => -p * n, numbers: [0.5], ...options },
  });

/** A task that calls a function while it writes a text. @param {() => void} during */
const taskThat = (during) => ({
  vocabulary: 5,
  /** @param {unknown} _ @param {Int32Array} ids @param {Int32Array} targets */
  fill(_, ids, targets) {
    ids.fill(1);
    targets.fill(2);
    during();
  },
});

const settings = { length: 8, batch: 2, steps: 3, every: 1 };

test("a decoder that its task disposes or changes trains and tests no more", () => {
  const changed = { name: "RangeError", message: /must stay as it is within a call; got a change/ };
  for (const [during, error] of /** @type {const} */ ([
    ["dispose", { name: "DisposedError" }],
    ["change", changed],
  ])) {
    for (const call of /** @type {const} */ (["train", "evaluate"])) {
      const model = own();
      const task = taskThat(() => {
        if (during === "dispose") model.dispose();
        else model.change({ scheme: "none" });
      });
      assert.throws(
        () =>
          call === "train"
            ? [...model.train(task, settings)]
            : model.evaluate(task, { length: 8, tokens: 8 }),
        error,
        `${during} ${call}`,
      );
      if (during === "change") assert.equal(model.logits(ids).shape[0], 8);
      model.dispose();
    }
  }
});

test("a decoder that its positions dispose or change reads with the new position, or no more", () => {
  for (const name of /** @type {const} */ (["logits", "attention", "evaluate"])) {
    const [gone, other, alibi] = Array.from({ length: 3 }, () => own());
    alibi.change({ scheme: "alibi" });
    const read = (/** @type {typeof gone} */ model, /** @type {() => void} */ during) => {
      const positions = (/** @type {Int32Array} */ ids) => {
        during();
        return ids.map((_, t) => t);
      };
      return name === "evaluate"
        ? model.evaluate(
            taskThat(() => {}),
            { length: 8, tokens: 8, positions },
          )
        : model[name](ids, { positions });
    };
    assert.throws(() => read(gone, () => gone.dispose()), DisposedError, name);
    const change = () => other.change({ scheme: "alibi" });
    if (name === "evaluate") assert.throws(() => read(other, change), /must stay as it is/);
    else assert.deepEqual(read(other, change), alibi[name](ids));
    for (const model of [other, alibi]) model.dispose();
  }
});

test("a decoder that its bias or the derivative disposes computes no more", () => {
  for (const name of ["bias", "derivative"]) {
    let calls = 0;
    const model = own({
      /** @param {number} _ @param {number} n @param {number[]} numbers */
      [name](_, n, [p]) {
        if (++calls === 5) model.dispose();
        return name === "bias" ? -p * n : [-n];
      },
    });
    assert.throws(() => model.gradients(ids, targets), DisposedError, name);
  }
});

test("a bias of one's own must have a derivative and numbers that fit", () => {
  const strange = /** @type {[object, RegExp][]} */ ([
    [{ derivative: 5 }, /position.derivative must be a function of h, n and numbers; got 5/],
    [{ numbers: 5 }, /position.numbers must be a list of numbers; got 5/],
    [{ numbers: { a: 1 } }, /position.numbers must be a list of numbers; got an object/],
    [{ derivative: () => [] }, /the result of position.derivative must be a list of 1 numbers.*; got 0/],
    [{ derivative: () => 2 }, /the result of position.derivative must be a list of 1 numbers.*; got 2/],
    [{ derivative: () => [NaN] }, /the result of position.derivative must be a finite number; got NaN/],
    [{ derivative: () => ["2"] }, /the result of position.derivative must be a finite number; got "2"/],
  ]); // prettier-ignore
  for (const [options, message] of strange) {
    assert.throws(() => own(options).gradients(ids, targets), { message }, String(message));
  }
});

test("an error of a step names the function", () => {
  const steps = () => own().train(lab.tasks.back({ symbols: 4, distance: 10 }), settings);
  const message = "Decoder.train: length must be at least 11, one more than the distance; got 8";
  assert.throws(() => [...steps()], { name: "RangeError", message });
});

test("a signal that is none is refused by its name", async () => {
  const signal = /** @type {any} */ ({});
  const task = lab.tasks.back({ symbols: 4, distance: 2 });
  const message = /: signal must be an AbortSignal; got an object$/;
  assert.throws(() => own().train(task, { ...settings, signal }), message);
  await assert.rejects(lab.experiment({ tasks: ["back"], schemes: ["rope"], signal }), message);
});

test("sizes of which a product is 2^32 are refused", () => {
  const learned = (/** @type {number} */ rows) => ({ ...sizes, dim: 32, position: { scheme: "learned", rows } }); // prettier-ignore
  const large = [learned(2 ** 27), { ...sizes, vocabulary: 2 ** 22, dim: 1024 }];
  for (const options of /** @type {any[]} */ (large)) {
    const still = { positions: 0, words: 0 }; // nothing is drawn
    assert.throws(() => lab.decoder({ ...options, std: still }), OutOfMemoryError);
  }
});

test("memory that grows in a derivative costs no gradient", () => {
  const plain = own({ derivative: (/** @type {number} */ _, /** @type {number} */ n) => [-n] });
  /** @type {{dispose(): void}[]} */
  const others = [];
  const growing = own({
    derivative(/** @type {number} */ _, /** @type {number} */ n) {
      if (others.length < 4) others.push(lab.decoder({ vocabulary: 20000, dim: 64 }));
      return [-n];
    },
  });
  const [a, b] = [plain, growing].map((model) => model.gradients(ids, targets).gradients);
  assert.deepEqual(b["bias.own"].data, a["bias.own"].data);
  assert.notEqual(a["bias.own"].data[0], 0);
  for (const model of [...others, plain, growing]) model.dispose();
});

test("a decoder with an own bias is read with another scheme", () => {
  const model = own();
  const alibi = lab.decoder({ ...sizes, position: { scheme: "alibi" } });
  const position = /** @type {const} */ ({ scheme: "alibi" });
  assert.deepEqual(model.logits(ids, { position }).data, alibi.logits(ids).data);
  const { gradients } = model.gradients(ids, targets, { position });
  assert.deepEqual([...gradients["bias.own"].data], [0]);
  model.dispose();
  alibi.dispose();
});

test("a gradient that is not finite stops a run, and leaves the weights", () => {
  const model = own({ derivative: () => [1e300] });
  const before = model.weights();
  assert.throws(
    () => [
      ...model.train(
        taskThat(() => {}),
        settings,
      ),
    ],
    DivergedError,
  );
  for (const [name, { data }] of Object.entries(model.weights())) {
    assert.deepEqual(data, before[name].data, name);
  }
  model.dispose();
});
