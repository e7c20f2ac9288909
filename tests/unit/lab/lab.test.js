import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { safetensors } from "phasor/files";
import {
  DisposedError,
  DivergedError,
  load,
  optionsOf,
  OutOfMemoryError,
  Tensor,
} from "phasor/lab";
import { everyNth } from "../../sample.js";
import { SCHEMES } from "../../truth/bits/lab.js";
import { decoder as reference } from "../reference/decoder.js";
import { watchedBy } from "../watched.js";

/** @import { Decoder, Position } from "phasor/lab" */

const { lab } = await load();
const needle = lab.tasks.needle();
const small = Object.freeze({ vocabulary: 40, seed: 1 });
const short = Object.freeze({ length: 16, batch: 4, steps: 12, every: 1 });

/** @param {Position} position */
const decoder = (position, options = {}) => lab.decoder({ ...small, ...options, position });

/** The numbers of all parameters, one after the other. @param {Decoder} model */
const numbersOf = (model) =>
  Object.values(model.weights({ optimizer: true })).flatMap(({ data }) => Array.from(data));

/** @param {Decoder} model @param {object} [options] */
const losses = (model, options) =>
  Array.from(model.train(needle, { ...short, ...options }), ({ loss }) => loss);

describe("lab.decoder: training", () => {
  for (const scheme of SCHEMES.filter(everyNth(3))) {
    test(`${scheme}: two runs have the same bits, another seed has others, and the loss falls`, () => {
      const [one, two] = [1, 2].map(() => decoder({ scheme }));
      const first = losses(one, { steps: 60 });
      assert.deepEqual(losses(two, { steps: 60 }), first);
      assert.deepEqual(numbersOf(two), numbersOf(one));
      assert.notDeepEqual(losses(decoder({ scheme }, { seed: 2 }), { steps: 60 }), first);
      assert.ok(first[59] < 0.7 * first[0], `${first[0]} to ${first[59]}`);
    });
  }

  test("a run that is broken off goes on with the same settings, and gives the bits of a whole one", () => {
    const [whole, parts] = [1, 2].map(() => decoder({ scheme: "t5Bias" }));
    const expected = losses(whole);
    const found = [];
    for (const { loss } of parts.train(needle, short)) {
      found.push(loss);
      if (found.length === 5) break;
    }
    found.push(...losses(parts));
    assert.deepEqual(found, expected);
    assert.deepEqual(numbersOf(parts), numbersOf(whole));
  });

  test("random positions that are written again, or saved, go on with the draws of a whole run", () => {
    const random = () => ({ ...short, positions: { random: 64 } });
    const [whole, parts] = [1, 2].map(() => decoder({ scheme: "rope" }));
    losses(whole, random());
    for (const { step } of parts.train(needle, random())) if (step === 4) break;
    const saved = lab.decoder.from(parts.weights({ optimizer: true }), parts.options());
    for (const model of [parts, saved]) {
      assert.equal(losses(model, random()).length, 7);
      assert.equal(model.bits(), whole.bits());
    }
  });

  test("other settings, and a call after the last step, begin a new schedule with other texts", () => {
    const model = decoder({ scheme: "rope" });
    const rates = (/** @type {object} */ options) =>
      Array.from(model.train(needle, { ...short, ...options }), ({ rate }) => rate);
    const first = rates({});
    assert.equal(first.length, 12);
    assert.deepEqual(rates({}), first);
    assert.equal(rates({ learningRate: 1e-3 }).length, 12);
  });

  test("no text comes twice, in a run of another batch and after saving neither", () => {
    /** @type {string[]} */
    const seen = [];
    /** @type {import("phasor/lab").Task["fill"]} */
    const fill = (...text) => {
      needle.fill(...text);
      seen.push(String(text[1]));
    };
    let model = decoder({ scheme: "rope" });
    for (const batch of [6, 2, 3, 1]) {
      Array.from(model.train({ ...needle, fill }, { ...short, batch, steps: 4 }));
      model = lab.decoder.from(model.weights({ optimizer: true }), model.options());
    }
    assert.equal(new Set(seen).size, 48);
    const resume = { ...model.options().resume, texts: 15 };
    assert.throws(
      () => lab.decoder.from(model.weights(), { ...small, resume }),
      /resume\.texts must be a whole number from 16 .*; got 15$/,
    );
  });

  test("the rate rises to its peak and falls by half a cosine to the floor", () => {
    const rates = Array.from(
      decoder({ scheme: "none" }).train(needle, { ...short, steps: 100, floor: 0.5, warmup: 10 }),
      ({ rate }) => rate,
    );
    rates.forEach((rate, n) => {
      const cosine = 0.5 + 0.25 * (1 + Math.cos((Math.PI * n) / 100));
      const expected = 6e-3 * Math.min(1, (n + 1) / 10) * cosine;
      assert.ok(Math.abs(rate - expected) <= 1e-15, `step ${n}: ${rate}`);
    });
  });

  test("reports come at every n-th step and at the last", () => {
    const steps = Array.from(
      decoder({ scheme: "none" }).train(needle, { ...short, every: 5 }),
      ({ step }) => step,
    );
    assert.deepEqual(steps, [4, 9, 11]);
  });

  test("a loss that is not a number stops the run before its step, and the model can be used", () => {
    const model = lab.decoder({ ...small, std: { words: 1e30 } });
    const run = model.train(needle, { ...short, learningRate: 1e30, clip: 0 });
    const before = numbersOf(model);
    assert.throws(
      () => Array.from(run),
      (/** @type {any} */ error) => {
        assert.equal(error instanceof DivergedError, true);
        assert.match(
          error.message,
          /^The loss of step \d+ is not a number, at a learning rate of /,
        );
        assert.ok(error.step >= 0 && error.rate > 0);
        return true;
      },
    );
    assert.equal(numbersOf(model).length, before.length);
    assert.equal(model.logits([1, 2]).shape[1], 40);
  });

  test("a signal stops a run before its next step, and another call goes on", () => {
    const [model, other] = [1, 2].map(() => decoder({ scheme: "rope" }));
    const stop = new AbortController();
    const run = model.train(needle, { ...short, signal: stop.signal });
    const found = [run.next().value?.loss];
    stop.abort(new Error("enough"));
    assert.throws(() => run.next(), /^Error: enough$/);
    found.push(...losses(model));
    assert.deepEqual(found, losses(other));
  });

  test("random positions rise within a text, are drawn for each step, and reach learned rows", () => {
    const model = decoder({ scheme: "learned", rows: 64 });
    const before = model.weights().positions;
    losses(model, { positions: { random: 64 }, steps: 30 });
    const after = model.weights().positions;
    const changed = Array.from({ length: 64 }, (_, row) => row).filter(
      (row) => String(before.row(row).data) !== String(after.row(row).data),
    );
    assert.ok(changed.length > 40, `${changed.length} rows were trained`);
    for (const scheme of SCHEMES) {
      const found = losses(decoder({ scheme }), { positions: { random: 20 } });
      assert.ok(found.every(Number.isFinite), scheme);
      const consecutive = losses(decoder({ scheme }), { positions: { random: 16 } });
      assert.deepEqual(
        consecutive,
        losses(decoder({ scheme })),
        `${scheme}: a range of T is 0 .. T - 1`,
      );
    }
  });

  test("positions of one's own stand where the function says", () => {
    const here = losses(decoder({ scheme: "rope" }));
    const same = losses(decoder({ scheme: "rope" }), {
      positions: () => Array.from({ length: 16 }, (_, t) => t),
    });
    assert.deepEqual(same, here);
    const other = losses(decoder({ scheme: "rope" }), { positions: () => new Int32Array(16) });
    assert.deepEqual(other, losses(decoder({ scheme: "none" })), "all at 0: no position");
  });

  test("a task of one's own is checked as it writes", () => {
    const model = lab.decoder({ vocabulary: 4 });
    /** @param {(ids: Int32Array, targets: Int32Array) => void} write */
    const run = (write) => () =>
      Array.from(
        model.train({ vocabulary: 4, fill: (_, ids, targets) => write(ids, targets) }, short),
      );
    assert.throws(
      run((ids) => ids.fill(4)),
      /task\.fill must write ids from 0 to 3; got 4 at 0/,
    );
    assert.throws(
      run(() => {}),
      /task\.fill must write ids from 0 to 3; got -1 at 0/,
    );
    assert.throws(
      run((ids, targets) => (ids.fill(0), targets.fill(-2))),
      /task\.fill must write targets from -1 to 3; got -2 at 0/,
    );
    const placed = (/** @type {number | undefined} */ position) => () => {
      const task = {
        vocabulary: 4,
        positions: (/** @type {Int32Array} */ ids) => ids.map((_, t) => t),
        /** @param {unknown} _ @param {Int32Array[]} texts */
        fill(_, ...texts) {
          const [ids, targets, , , positions] = texts;
          ids.fill(0);
          targets.fill(1);
          if (position !== undefined) positions.fill(position);
        },
      };
      return Array.from(model.train(/** @type {any} */ (task), short));
    };
    assert.throws(placed(undefined), /task\.fill must write positions from 0 to 2147483647; got -1 at 0/); // prettier-ignore
    assert.throws(placed(-1e8), /task\.fill must write positions from 0 .+; got -100000000 at 0/);
    placed(3)();
    run((ids, targets) => (ids.fill(0), targets.fill(1)))();
    assert.throws(
      run((ids) => ids.fill(0)),
      /task\.fill must write a target; got none in the texts of step 0/,
    );
  });
});

describe("lab.decoder: reading", () => {
  const model = decoder({ scheme: "rope" });
  losses(model, { steps: 40 });

  test("a token does not see those after it, and texts do not see each other", () => {
    const ids = new Int32Array(2 * 21).map((_, t) => (t * 7) % 40);
    const both = model.logits({ data: ids, shape: [2, 21] });
    assert.deepEqual(both.shape, [2, 21, 40]);
    const second = model.logits(ids.slice(21));
    assert.deepEqual(second.data, both.data.slice(21 * 40));
    const part = model.logits(ids.slice(0, 13));
    assert.deepEqual(part.data, both.data.slice(0, 13 * 40));
  });

  test("attention weights are causal, and each row sums to 1", () => {
    const { data, shape } = model.attention([3, 1, 4, 1, 5, 9, 2]);
    assert.deepEqual(shape, [1, 1, 2, 7, 7]);
    for (let row = 0; row < 14; ++row) {
      const shares = Array.from(data.slice(7 * row, 7 * row + 7));
      assert.ok(Math.abs(shares.reduce((sum, x) => sum + x) - 1) < 1e-6);
      assert.ok(shares.slice((row % 7) + 1).every((x) => x === 0));
    }
  });

  test("a large temperature makes attention look at one key", () => {
    const plain = model.attention([3, 1, 4, 1, 5]).data;
    const cold = model.attention([3, 1, 4, 1, 5], { temperature: 100 }).data;
    const last = (/** @type {ArrayLike<number>} */ data) =>
      Math.max(...Array.from(data).slice(20, 25));
    assert.ok(last(cold) > last(plain) && last(cold) > 0.99);
  });

  test("a scaling by name has the factor length / length of the first training, in trainings too", () => {
    const ids = Int32Array.from({ length: 48 }, (_, t) => (t * 11) % 40);
    const ntk = { scaling: /** @type {const} */ ({ type: "ntk", alpha: 3 }) };
    assert.deepEqual(
      model.logits(ids, { scaling: "ntk" }).data,
      model.logits(ids, ntk).data, // trained with texts of 16
    );
    const tuned = ["ntk", ntk.scaling].map((scaling) => {
      const twin = lab.decoder.from(model.weights(), model.options());
      return losses(twin, { length: 48, steps: 3, scaling });
    });
    assert.deepEqual(tuned[0], tuned[1]);
    assert.throws(() => model.logits(ids, { scaling: /** @type {any} */ ("ntkk") }), {
      message: /^Decoder\.logits: scaling must be one of "linear", "ntk", "yarn"; got "ntkk"/,
    });
    assert.throws(() => decoder({ scheme: "rope" }).logits(ids, { scaling: "yarn" }), {
      message: /scaling must be an object before a training; got "yarn"$/,
    });
  });

  for (const scheme of /** @type {const} */ (["learned", "sinusoidal", "rope", "fire", "t5Bias"])) {
    test(`${scheme}: positions of a function are those that logits, attention and tests read`, () => {
      const own = decoder({ scheme });
      losses(own);
      const texts = [
        [3, 1, 4, 1, 5, 9, 2, 6],
        [2, 7, 1, 8, 2, 8, 1, 8],
      ];
      // Of the text, so that both have other ones; they rise, as a bias of distances needs.
      const positions = (/** @type {ArrayLike<number>} */ ids) =>
        Array.from(ids, (_, t) => ids[0] + 2 * t - (t % 2));
      const at = own.logits(texts, { positions });
      const position = { scheme, threshold: 16, maxDistance: 16 };
      const given = { heads: 2, position, positions: texts.map(positions) };
      const exact = reference(own.weights(), texts, given);
      const flat = exact.logits.flat(2);
      at.data.forEach((x, i) => assert.ok(Math.abs(x - flat[i]) <= 2e-5, `logit ${i}: ${x}`));
      const weights = exact.attention.flat(4);
      own
        .attention(texts, { positions })
        .data.forEach((x, i) => assert.ok(Math.abs(x - weights[i]) <= 4e-6, `weight ${i}: ${x}`));
      const test = { length: 16, tokens: 64 };
      const task = {
        ...needle,
        positions: (/** @type {Int32Array} */ ids) => Int32Array.from(positions(ids)),
      };
      const moved = own.evaluate(needle, { ...test, positions });
      assert.deepEqual(moved, own.evaluate(task, test));
      const plain = own.evaluate(needle, test);
      assert.deepEqual(own.evaluate(task, { ...test, positions: "consecutive" }), plain);
      assert.notEqual(moved.loss, plain.loss);
    });
  }

  test("another scheme, a scaling and another base read the same weights", () => {
    const ids = Int32Array.from({ length: 40 }, (_, t) => (t * 11) % 40);
    const plain = model.logits(ids).data;
    const same = model.logits(ids, { position: { scheme: "rope" } }).data;
    assert.deepEqual(same, plain);
    const one = model.logits(ids, { scaling: { type: "linear", factor: 1 } }).data;
    assert.deepEqual(one, plain);
    const others = [
      { scaling: { type: "linear", factor: 4 } },
      { position: { scheme: "none" } },
      { position: { scheme: "alibi" } },
      { position: { scheme: "rope", base: 500 } },
    ];
    const digests = others.map((options) =>
      String(model.logits(ids, /** @type {any} */ (options)).data),
    );
    assert.equal(new Set([...digests, String(plain)]).size, 5);
    // The same words and layers with the other scheme from the start: what the names say is what is read.
    for (const position of /** @type {const} */ ([
      { scheme: "none" },
      { scheme: "alibi" },
      { scheme: "xpos" },
    ])) {
      const { tokens, ...rest } = model.weights();
      const other = lab.decoder.from({ tokens, ...rest }, { ...model.options(), position });
      assert.deepEqual(
        model.logits(ids, { position }).data,
        other.logits(ids).data,
        position.scheme,
      );
    }
    const learned = decoder({ scheme: "learned", rows: 40 });
    const { positions, ...rest } = learned.weights();
    const bare = lab.decoder.from(rest, { ...learned.options(), position: { scheme: "none" } });
    const read = learned.logits(ids, { position: { scheme: "none" } });
    assert.deepEqual(read.data, bare.logits(ids).data, `${positions.shape[0]} rows are not added`);
  });

  test("a scheme by layer: the same for all is that scheme, and none in one layer is another model", () => {
    const two = { layers: 2 };
    const rope = /** @type {const} */ ({ scheme: "rope" });
    const one = losses(decoder(rope, two));
    const all = losses(lab.decoder({ ...small, ...two, position: { layers: [rope, rope] } }));
    assert.deepEqual(all, one);
    const some = losses(
      lab.decoder({ ...small, ...two, position: { layers: [rope, { scheme: "none" }] } }),
    );
    assert.notDeepEqual(some, one);
    // One scheme in place of those of all layers.
    const mixed = decoder(/** @type {any} */ ({ layers: [rope, { scheme: "none" }] }), two);
    const alibi = /** @type {const} */ ({ scheme: "alibi" });
    const read = (/** @type {any} */ position) => mixed.logits([1, 2, 3, 1], { position }).data;
    assert.deepEqual(read(alibi), read({ layers: [alibi, alibi] }));
    assert.notDeepEqual(read(alibi), read({ layers: [{ scheme: "none" }, alibi] }));
    const t5 = lab.decoder({
      ...small,
      ...two,
      position: { layers: [{ scheme: "t5Bias" }, { scheme: "t5Bias" }] },
    });
    losses(t5);
    const { "layers.0.bias.t5": first, "layers.1.bias.t5": second } = t5.weights();
    assert.notDeepEqual(first.data, second.data);
  });

  test("evaluation does not depend on the seed, counts every target, and is by position and distance", () => {
    const found = model.evaluate(needle, { length: 24, tokens: 240 });
    assert.equal(found.tokens, 10 * 16);
    assert.deepEqual(found.byPosition.shape, [2, 24]);
    const [, accuracy] = [0, 1].map((i) => Array.from(found.byPosition.row(i).data));
    assert.ok(accuracy.slice(0, 8).every(Number.isNaN) && !accuracy.slice(8).some(Number.isNaN));
    const mean = accuracy.slice(8).reduce((sum, x) => sum + x) / 16;
    assert.ok(Math.abs(mean - found.accuracy) < 1e-6);
    assert.ok(found.byDistance);
    assert.deepEqual(model.evaluate(needle, { length: 24, tokens: 240 }), found);
    assert.equal(model.evaluate(lab.tasks.even({ symbols: 40 }), { length: 8 }).byDistance, null);
    // Distances from the first target on, which each second one lacks.
    const far = {
      ...needle,
      fill: (/** @type {Parameters<typeof needle.fill>} */ ...given) => {
        needle.fill(...given);
        const [, , , T, distances] = given;
        distances?.forEach((_, i) => (distances[i] = i % 2 ? -1 : Math.max(-1, (i % T) - 8)));
      },
    };
    const { byPosition, byDistance } = model.evaluate(far, { length: 24, tokens: 240 });
    for (const row of [0, 1]) {
      const [means, got] = [byPosition, byDistance].map((of) =>
        Array.from(of?.row(row).data ?? []),
      );
      assert.deepEqual(got.slice(0, 16), means.slice(8).map((mean, i) => (i % 2 ? NaN : mean))); // prettier-ignore
    }
  });

  test("held text is cut from the same windows at every length, so each length reads the same characters", () => {
    const text = lab.tasks.text("abcdefghijklmnopqrstuvwxyz, and a dog bites a man. ".repeat(60));
    const reader = lab.decoder({ vocabulary: 30, position: { scheme: "none" } });
    Array.from(reader.train(text, { length: 8, batch: 2, steps: 2 }));
    const words = /^Decoder\.evaluate: task must hold out more than 64 characters, .*; got 38$/;
    const brief = lab.tasks.text("to be or not to be, that is the question. ".repeat(9));
    assert.throws(() => reader.evaluate(brief, { length: 8 }), { message: words });
    const sizes = [8, 16, 64].map(
      (length) => reader.evaluate(text, { length, tokens: 640 }).tokens,
    );
    assert.deepEqual(sizes, [640, 640, 640]);
    const first = reader.evaluate(text, { length: 64, tokens: 640 }).byPosition.row(0).data[0];
    const all = reader.evaluate(text, { length: 8, tokens: 640 }).byPosition.row(0).data[0];
    assert.ok(Number.isFinite(first) && Number.isFinite(all));
  });

  test("a text of 4096 tokens fits, and texts of 512 take less than 64 MiB in a decoder of two layers", async () => {
    const { lab, bytes } = await watchedBy(load);
    const model = lab.decoder({ vocabulary: 32, dim: 64, heads: 4, layers: 2 });
    const even = lab.tasks.even({ symbols: 32 });
    assert.ok(Number.isFinite(model.evaluate(even, { length: 512, tokens: 8 * 512 }).loss));
    model.logits({ data: new Int32Array(8 * 512), shape: [8, 512] });
    assert.ok(bytes() < 64 * 2 ** 20, `${bytes()} bytes`);
    assert.ok(Number.isFinite(model.evaluate(even, { length: 4096, tokens: 4096 }).loss));
    assert.ok(bytes() < 64 * 2 ** 20, `${bytes()} bytes`);
    model.dispose();
  });
});

describe("lab.decoder: weights", () => {
  test("gradients are those of the mean loss, as a small step shows", () => {
    const model = decoder({ scheme: "fire", hidden: 8 });
    losses(model);
    const ids = Int32Array.from({ length: 24 }, (_, t) => (t * 5) % 40);
    const targets = ids.map((id, t) => (t % 3 === 0 ? -1 : (id * 3) % 40));
    const { loss, gradients } = model.gradients(ids, targets);
    const weights = model.weights();
    const squares = Object.values(gradients).flatMap(({ data }) => Array.from(data, (x) => x * x));
    const slope = squares.reduce((sum, x) => sum + x);
    const rate = 1e-3;
    const moved = Object.fromEntries(
      Object.entries(weights).map(([name, { data, shape }]) => [
        name,
        new Tensor(
          data.map((w, i) => w - rate * gradients[name].data[i]),
          [...shape],
        ),
      ]),
    );
    const after = lab.decoder.from(moved, model.options()).gradients(ids, targets).loss;
    assert.ok(Math.abs((loss - after) / (rate * slope) - 1) < 0.02, `${loss} to ${after}`);
  });

  test("a decoder from saved weights goes on to the bits of the one that was saved", async () => {
    const [whole, model] = [1, 2].map(() => decoder({ scheme: "kerple" }));
    losses(whole);
    for (const { step } of model.train(needle, short)) if (step === 4) break;
    const file = await safetensors.read(model.save({ optimizer: true, names: needle.names }));
    const tensors = Object.fromEntries(
      await Promise.all(file.names.map(async (name) => [name, await file.tensor(name)])),
    );
    const said = (/** @type {string} */ key) => JSON.parse(String(file.metadata.get(key)));
    assert.deepEqual(said("phasor_names"), needle.names);
    const { seed, ...rest } = said("phasor_lab");
    const other = lab.decoder.from(tensors, { ...rest, seed: BigInt(seed) });
    losses(other);
    assert.deepEqual(numbersOf(other), numbersOf(whole));
    const plain = lab.decoder.from(whole.weights(), whole.options());
    assert.deepEqual(plain.logits([1, 2, 3]).data, whole.logits([1, 2, 3]).data);
  });

  test("a saved run goes on with its settings alone, and says so where it has ended or lacks moments", () => {
    const model = decoder({ scheme: "rope" });
    for (const { step } of model.train(needle, short)) if (step === 4) break;
    const saved = (moments = true, resume = {}) => {
      const { resume: own, ...options } = model.options();
      const tensors = model.weights({ optimizer: moments });
      return lab.decoder.from(tensors, { ...options, resume: { ...own, ...resume } });
    };
    const others = { ...short, learningRate: 1e-3 };
    const fails = (/** @type {Decoder} */ twin, /** @type {string} */ words) =>
      assert.throws(() => twin.train(needle, short), { name: "RangeError", message: `Decoder.train: ${words}` }); // prettier-ignore
    fails(saved(false), "tensors must have AdamW's moments for a run to go on at step 5; got none");
    assert.throws(() => saved(false).save({ optimizer: true }), {
      message: "Decoder.save: optimizer must be false without AdamW's moments; got true",
    });
    assert.equal(losses(saved(), others).length, 12);
    losses(model);
    const [ended, longer, anew] = [saved(), saved(), saved(false, { step: 0 })];
    fails(ended, "resume.step must be below steps, 12, for a run to go on, or 0 for a new one; got 12"); // prettier-ignore
    assert.equal(losses(longer, { steps: 14 }).length, 14);
    assert.deepEqual(losses(anew), losses(model));
    assert.throws(() => saved(true, { settings: undefined }), {
      message: 'lab.decoder.from: resume.settings must be those of options(); got ""',
    });
  });

  test("whole numbers and lists of other kinds are saved, and go on, as those of their values", () => {
    const shortFactor = new Float32Array(8).fill(1);
    const longFactor = Float64Array.of(1, 1, 1, 1, 2, 2, 2, 3);
    const scaling = { type: "longrope", shortFactor, longFactor, originalLength: 32n, factor: 4 };
    const model = decoder(/** @type {any} */ ({ scheme: "rope", scaling }));
    const run = /** @type {any} */ ({ ...short, positions: { random: 32n } });
    for (const { step } of model.train(needle, run)) if (step === 4) break;
    assert.equal(losses(model, { positions: { random: 32 } }).length, 7);
    const text = new TextDecoder().decode(model.save());
    const [, metadata] = /phasor_lab":("(?:[^"\\]|\\.)*")/.exec(text) ?? [];
    const { position } = JSON.parse(JSON.parse(metadata));
    const lists = { shortFactor: [...shortFactor], longFactor: [...longFactor] };
    assert.deepEqual(position.scaling, { ...scaling, ...lists, originalLength: 32 });
  });

  test("change keeps the weights, starts a scheme's own numbers anew, and forgets the moments", () => {
    const model = decoder({ scheme: "t5Bias" });
    losses(model);
    const before = model.weights();
    model.change({ scheme: "none" });
    assert.deepEqual(model.position, { scheme: "none" });
    assert.equal(model.parameters, numbersOf(model).length / 3); // with AdamW's moments
    const { "bias.t5": own, ...others } = before;
    assert.ok(own.data.some((x) => x !== 0));
    assert.deepEqual(model.weights(), others);
    model.change({ scheme: "t5Bias" });
    assert.ok(model.weights()["bias.t5"].data.every((x) => x === 0));
    const moments = Object.entries(model.weights({ optimizer: true }));
    assert.ok(
      moments.every(([name, { data }]) => !name.startsWith("adamw.") || data.every((x) => x === 0)),
    );
    assert.ok(losses(model).every(Number.isFinite));
  });

  test("all schemes have the words and layers of one seed", () => {
    const [first, ...others] = SCHEMES.map((scheme) => decoder({ scheme }).weights());
    for (const weights of others) {
      assert.deepEqual(weights.tokens.data, first.tokens.data);
    }
  });

  test("after dispose every method throws, and a second dispose does nothing", () => {
    const model = decoder({ scheme: "rope" });
    const run = model.train(needle, short);
    run.next();
    model.dispose();
    model.dispose();
    const calls = [
      () => run.next(),
      () => model.train(needle),
      () => model.evaluate(needle),
      () => model.logits([1]),
      () => model.weights(),
      () => model.change({ scheme: "none" }),
    ];
    for (const call of calls) assert.throws(call, DisposedError);
  });
});

describe("lab.decoder: what it refuses", () => {
  /** @type {[object, RegExp][]} */
  const DECODERS = [
    [{}, /^lab\.decoder: vocabulary must be /],
    [{ vocabulary: 4, dim: 6 }, /^lab\.decoder: dim must be a multiple of 4; got 6$/],
    [{ vocabulary: 4, heads: 3 }, /^lab\.decoder: heads must divide dim, 32; got 3$/],
    [{ vocabulary: 4, position: "rope" }, /^lab\.decoder: position must be an object; got "rope"$/],
    [{ vocabulary: 4, position: { scheme: "ropes" } }, /position\.scheme must be .*; got "ropes"/],
    [
      { vocabulary: 4, position: { scheme: "rope", bas: 3 } },
      /position must have only base, .*; got "bas"/,
    ],
    [
      { vocabulary: 4, position: { scheme: "rope", fraction: 0.05 } },
      /position\.fraction must leave a pair/,
    ],
    [{ vocabulary: 4, position: { scheme: "rope", scaling: { type: "x" } } }, /scaling/],
    [{ vocabulary: 4, position: { layers: [] } }, /position\.layers must be a list of 1 positions/],
    [
      { vocabulary: 4, position: { layers: [{ scheme: "learned" }] } },
      /position\.layers must be schemes of attention; got "learned"/,
    ],
    [{ vocabulary: 4, std: { word: 1 } }, /std must have only words, positions; got "word"/],
    [{ vocabulary: 4, std: { words: -1 } }, /std\.words must be a number from 0 on; got -1/],
  ];

  for (const [options, message] of DECODERS) {
    test(`lab.decoder(${JSON.stringify(options)})`, () => {
      assert.throws(() => lab.decoder(/** @type {any} */ (options)), { message });
    });
  }

  test("tasks, lengths, positions and readings that do not fit", () => {
    const model = decoder({ scheme: "learned", rows: 20 });
    const rope = decoder({ scheme: "rope" });
    const layers = [{ scheme: "none" }, { scheme: "alibi" }];
    const layered = lab.decoder({ ...small, layers: 2, position: /** @type {any} */ ({ layers }) });
    const text = lab.tasks.text("to be or not to be, that is the question. ".repeat(9));
    /** @type {[() => unknown, RegExp][]} */
    const all = [
      [
        () => losses(model, { length: 21 }),
        /rows of learned positions must reach the last token; got 20 and length 21/,
      ],
      [() => model.logits(new Int32Array(21)), /rows of learned positions must reach/],
      [
        () => lab.decoder({ vocabulary: 4 }).train(needle),
        /task\.vocabulary must be at most the decoder's, 4; got 40/,
      ],
      [
        () => rope.train(/** @type {any} */ ({})),
        /task must be an object with vocabulary and fill/,
      ],
      [() => rope.evaluate(needle), /length must be given before a training/],
      [() => rope.logits([40]), /ids must be whole numbers from 0 to 39; got 40 at 0/],
      [() => rope.logits([]), /ids must have shape \[T\] or \[B, T\], not empty; got \[0\]/],
      [
        () => rope.logits([1], { position: { scheme: "t5Bias" } }),
        /position must be a scheme without trained numbers/,
      ],
      [
        () => model.logits([1], { scaling: { type: "linear", factor: 2 } }),
        /scaling must be for the scheme "rope"; got "learned"/,
      ],
      [
        () => layered.logits([1], { scaling: { type: "linear", factor: 2 } }),
        /scaling must be for the scheme "rope"; got "none, alibi"$/,
      ],
      [
        () => rope.logits([1], { positions: /** @type {any} */ ("shifted") }),
        /positions must be "consecutive" or a function; got "shifted"/,
      ],
      [() => rope.logits([1, 2], { positions: () => [1] }), /positions must give 2 numbers; got 1/],
      [
        () =>
          rope.evaluate(needle, {
            length: 9,
            positions: (ids) => Array.from(ids, (_, t) => t / 2),
          }),
        /positions\[1\] must be .*; got 0\.5/,
      ],
      [
        () =>
          model.evaluate(needle, {
            length: 20,
            positions: (ids) => Array.from(ids, (_, t) => t + 1),
          }),
        /rows of learned positions must reach the last token; got 20 and position 20/,
      ],
      [() => rope.logits([1], { temperature: 0 }), /temperature must be a number above 0; got 0/],
      [
        () => rope.train(needle, { betas: [0.9, 1] }),
        /betas\[1\] must be a number from 0 to below 1; got 1/,
      ],
      [
        () => rope.train(needle, { positions: { random: 8 } }),
        /positions\.random must be .*; got 8/,
      ],
      [() => losses(rope, { positions: () => [0] }), /positions must give 16 numbers; got 1/],
      [
        () =>
          losses(decoder({ scheme: "alibi" }), {
            positions: () => Array.from({ length: 16 }, (_, t) => 15 - t),
          }),
        /positions must rise within a text/,
      ],
      [
        () =>
          losses(decoder({ scheme: "alibi" }), {
            positions: () => Array.from({ length: 16 }, (_, t) => t * 1e8),
          }),
        /positions must be below \d+ for terms of distances; got 1500000000/,
      ],
      [
        () => Array.from(lab.decoder({ vocabulary: 30 }).train(text, { length: 400 })),
        /length must be from 1 to below/,
      ],
      [
        () => lab.decoder.from({}, small),
        /lab\.decoder\.from: tensors must have tokens; got undefined/,
      ],
      [
        () => lab.decoder.from({ ...rope.weights(), other: [1] }, rope.options()),
        /tensors must be those of the decoder; got "other"/,
      ],
      [
        () => lab.decoder.from({ ...rope.weights(), tokens: [1] }, rope.options()),
        /tensors\["tokens"\] must have shape \[40, 32\]; got \[1\]/,
      ],
      [() => rope.gradients([1, 2], [-1, -1]), /targets must have one that is counted; got none$/],
      [() => rope.save({ names: /** @type {any} */ ("a") }), /names must be .* 40 texts; got "a"$/],
      [() => rope.save({ names: Array(41).fill("a") }), /at most 40 texts; got an array of 41$/],
      [() => rope.train(needle, { eps: 0 }), /eps must be a number from 1e-45 on; got 0$/],
      [
        () => decoder({ scheme: "xpos" }, { dim: 12, heads: 4 }),
        /dim \/ heads must be even for xpos; got 3$/,
      ],
      [() => decoder({ scheme: "sandwich", dim: 3 }), /position\.dim must be even; got 3$/],
      [() => rope.gradients([1, 2], [1]), /targets must have shape that of ids, \[2\]; got \[1\]/],
    ];
    for (const [call, message] of all) assert.throws(call, { message });
  });

  test("options are declared", () => {
    assert.equal(optionsOf(lab.decoder).dim.default, 32);
    assert.equal(optionsOf(lab.tasks.back).distance.default, 3);
  });
});

describe("lab.decoder: a bias of one's own", () => {
  const short = { length: 16, batch: 8, steps: 60, every: 1 };
  /** @param {Position} position @param {object} [options] */
  const run = (position, options) => {
    const model = lab.decoder({ vocabulary: 40, seed: 1, position });
    const losses = Array.from(model.train(needle, { ...short, ...options }), ({ loss }) => loss);
    return { model, losses };
  };

  test("ALiBi as a function is ALiBi, to the last bit", () => {
    const bias = (/** @type {number} */ h, /** @type {number} */ n) => -(2 ** (-4 * (h + 1))) * n;
    const own = run({ scheme: "own", bias });
    assert.deepEqual(own.losses, run({ scheme: "alibi" }).losses);
    assert.deepEqual(own.model.weights(), run({ scheme: "alibi" }).model.weights());
  });

  test("T5's buckets as trained numbers are T5's, by its derivative and by differences", () => {
    const t5 = run({ scheme: "t5Bias", buckets: 4, maxDistance: 3 });
    const bucket = (/** @type {number} */ n) => Math.min(n, 3);
    const values = new Float32Array(8);
    /** @type {(h: number, n: number, numbers: Float32Array) => number} */
    const bias = (h, n, numbers) => numbers[2 * bucket(n) + h];
    const derivative = (/** @type {number} */ h, /** @type {number} */ n) =>
      values.map((_, i) => Number(i === 2 * bucket(n) + h));
    for (const own of [
      { bias, numbers: values, derivative },
      { bias, numbers: values },
    ]) {
      const { model, losses } = run({ scheme: "own", ...own });
      losses.forEach((loss, n) => assert.ok(Math.abs(loss - t5.losses[n]) < 1e-4, `${n}`));
      const found = model.weights()["bias.own"].data;
      const expected = t5.model.weights()["bias.t5"].data;
      found.forEach((x, i) => assert.ok(Math.abs(x - expected[i]) < 1e-3, `${x}, ${expected[i]}`));
      assert.ok(model.evaluate(needle, { length: 64, tokens: 640 }).loss > 0);
    }
  });

  test("what it returns must be a number, and random positions are distances", () => {
    assert.throws(() => lab.decoder({ vocabulary: 4, position: { scheme: "own" } }), {
      message: /lab\.decoder: position\.bias must be a function of h, n and numbers; got undefined/,
    });
    const bad = /** @type {any} */ ({ scheme: "own", bias: () => "1" });
    assert.throws(() => run(bad), {
      message: /the result of position\.bias must be a finite number; got "1"/,
    });
    const bias = (/** @type {number} */ h, /** @type {number} */ n) => -(2 ** (-4 * (h + 1))) * n;
    const positions = { random: 40 };
    assert.deepEqual(
      run({ scheme: "own", bias }, { positions }).losses,
      run({ scheme: "alibi" }, { positions }).losses,
    );
  });
});

describe("lab.decoder: memory", () => {
  test("what does not fit is refused, and the model can be used", () => {
    const model = lab.decoder({ vocabulary: 40 });
    const before = model.logits([1, 2, 3]).data;
    assert.throws(() => model.attention(new Int32Array(60000)), OutOfMemoryError);
    assert.throws(() => model.logits(new Int32Array(3e6)), OutOfMemoryError);
    const large = { length: 2 ** 19, batch: 32 }; // 4.5 GB
    assert.throws(() => Array.from(model.train(lab.tasks.even(), large)), OutOfMemoryError);
    assert.deepEqual(model.logits([1, 2, 3]).data, before);
  });
});
