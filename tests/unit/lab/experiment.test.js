import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { DivergedError, load, LoadError, summarize } from "phasor/lab";

/** @import { Report, Row } from "phasor/lab" */

const { lab } = await load();

/** Two trainings of a few steps for each scheme. */
const small = /** @type {const} */ ({
  tasks: ["needle"],
  schemes: ["rope", "alibi"],
  seeds: 2,
  steps: 8,
  batch: 4,
  tokens: 512,
});

/** A task of one's own. */
const copy = {
  name: "copy",
  vocabulary: 4,
  /** @type {import("phasor/lab").Task["fill"]} */
  fill(random, ids, targets, T) {
    for (let t = 0; t < T; ++t) ids[t] = targets[t] = random.below(4);
  },
};

/** @param {readonly Row[]} rows */
const plain = (rows) => rows.map((row) => ({ ...row, byPosition: row.byPosition.toArray() }));

test("experiment: a row for each task, scheme, reading and seed", async () => {
  const rows = await lab.experiment({
    ...small,
    tasks: ["needle", { task: "back", symbols: 4, distance: 2 }, copy],
    test: [1, 3],
  });
  const names = rows.map(({ task, scheme, reading, seed }) => [task, scheme, reading, seed]);
  const readings = [null, "linear", "ntk", "yarn"];
  const expected = ["needle", "back symbols=4 distance=2", "copy"].flatMap((task) => [
    ...readings.flatMap((reading) => [1, 2].map((seed) => [task, "rope", reading, seed])),
    ...[1, 2].map((seed) => [task, "alibi", null, seed]),
  ]);
  assert.deepEqual(names, expected);
  for (const row of rows) {
    assert.deepEqual(row.lengths, [32, 96]);
    assert.deepEqual(row.byPosition.shape, [2, 96]);
    assert.match(row.bits, /^[0-9a-f]{16}$/);
    assert.ok([...row.loss, ...row.accuracy].every((x) => x >= 0 && x < 20));
  }
  // All readings are of one training, and that of the trained length is as trained.
  const [first, , linear] = rows;
  assert.equal(linear.bits, first.bits);
  assert.equal(linear.loss[0], first.loss[0]);
  assert.notEqual(linear.loss[1], first.loss[1]);
  assert.equal(new Set(rows.map(({ bits }) => bits)).size, 12);
});

test("experiment: a row is what a decoder with these options gives", async () => {
  const settings = { steps: 6, batch: 4, learningRate: 4e-3, length: 16 };
  const position = /** @type {const} */ ({ scheme: "rope", base: 500 });
  const shape = { dim: 16, heads: 2, layers: 2, std: { words: 0.3 } };
  const rows = await lab.experiment({
    ...{ ...settings, ...shape, tokens: 256, test: [1, 4], seeds: [9], workers: 1 },
    tasks: [{ task: "needle", keys: 4 }],
    schemes: [position],
  });
  const task = lab.tasks.needle({ keys: 4 });
  const model = lab.decoder({ ...shape, vocabulary: task.vocabulary, position, seed: 9 });
  Array.from(model.train(task, settings));
  const betas = { betaFast: 4, betaSlow: 1, ramp: /** @type {const} */ ("turns") };
  const scalings = /** @type {const} */ ([
    undefined,
    { type: "linear", factor: 4 },
    { type: "ntk", alpha: 4 },
    { type: "yarn", factor: 4, originalLength: 16, ...betas },
  ]);
  scalings.forEach((scaling, i) => {
    const at = model.evaluate(task, { length: 64, tokens: 256, scaling });
    const name = rows[i].reading ?? undefined;
    const named = model.evaluate(task, { length: 64, tokens: 256, scaling: name });
    assert.deepEqual(named.byPosition.data, at.byPosition.data);
    assert.equal(rows[i].loss[1], at.loss);
    assert.equal(rows[i].accuracy[1], at.accuracy);
    assert.deepEqual(rows[i].byPosition.data, at.byPosition.data);
  });
  assert.equal(rows[0].bits, model.bits());
  assert.equal(rows[0].scheme, "rope base=500");
  model.dispose();
});

test("experiment: schemes are named by all of their options", async () => {
  const linear = (/** @type {number} */ factor) => /** @type {const} */ ({ scheme: "rope", scaling: { type: "linear", factor } }); // prettier-ignore
  const layered = (/** @type {number} */ base) => ({ layers: [{ scheme: /** @type {const} */ ("rope"), base }] }); // prettier-ignore
  const rows = await lab.experiment({
    ...{ tasks: ["back"], steps: 1, batch: 1, length: 8, dim: 4, heads: 1, layers: 1, tokens: 8 },
    ...{ test: [1], seeds: [1], workers: 1, readings: ["ntk"] },
    schemes: [linear(2), linear(4), layered(100), layered(200), { scheme: "rope", keep: 1 }],
  });
  assert.deepEqual(rows.flatMap(({ reading }) => reading ?? []), ["ntk"]); // prettier-ignore
  const named = rows.map(({ scheme }) => scheme);
  assert.deepEqual(
    [...new Set(named)],
    [
      "rope scaling={type=linear, factor=2}",
      "rope scaling={type=linear, factor=4}",
      "rope base=100",
      "rope base=200",
      "rope keep=1",
    ],
  );
});

test("bits: FNV-1a of 64 bits over the weights", () => {
  const model = lab.decoder({ vocabulary: 3, dim: 4, heads: 1 });
  let hash = 0xcbf29ce484222325n;
  for (const { data } of Object.values(model.weights())) {
    for (const byte of new Uint8Array(data.buffer)) {
      hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
    }
  }
  assert.equal(model.bits(), hash.toString(16).padStart(16, "0"));
  model.dispose();
});

test("experiment: threads give the same rows, in the same order", async () => {
  const near = (/** @type {number} */ h, /** @type {number} */ n) => -n / (h + 1);
  const own = /** @type {const} */ ({ scheme: "own", bias: near });
  const schemes = [/** @type {const} */ ("rope"), own];
  const all = { ...small, schemes, tasks: [copy, /** @type {const} */ ("back")], seeds: 3 };
  const here = await lab.experiment(all);
  assert.equal(here[here.length - 1].scheme, "own bias=near");
  for (const workers of [1, 2, 5]) {
    assert.deepEqual(plain(await lab.experiment({ ...all, workers })), plain(here), `${workers}`);
  }
});

test("experiment: it reports steps and rows, and lets the host breathe", async () => {
  for (const workers of [0, 2]) {
    /** @type {Report[]} */
    const reports = [];
    let ticks = 0;
    const timer = setInterval(() => ++ticks, 5);
    const rows = await lab.experiment({
      ...{ ...small, steps: 100, every: 40, workers },
      progress: (report) => reports.push(report),
    });
    clearInterval(timer);
    assert.ok(ticks > 3, `${ticks} ticks`);
    const steps = reports.filter(({ scheme, seed }) => scheme === "rope" && seed === 2);
    assert.deepEqual(
      steps.map(({ step, rows }) => [step, rows?.length]),
      [[39, undefined], [79, undefined], [99, undefined], [99, 4]], // prettier-ignore
    );
    assert.ok(steps.every(({ loss }) => loss > 0));
    const ended = reports.filter(({ rows }) => rows);
    assert.deepEqual(
      ended.map(({ done, total }) => [done, total]),
      [1, 2, 3, 4].map((done) => [done, 4]),
    );
    assert.equal(ended.flatMap(({ rows }) => rows).length, rows.length);
  }
});

test("experiment: an error of a run names it, keeps its class and stops the others", async () => {
  for (const workers of [0, 2]) {
    const diverging = { ...small, seeds: 50, learningRate: 1e30, workers };
    await assert.rejects(lab.experiment(diverging), (error) => {
      assert.ok(error instanceof DivergedError);
      const { message, step } = /** @type {Error & {step: number}} */ (
        /** @type {unknown} */ (error)
      );
      assert.match(message, /^The loss of step 1 .* \(needle, rope, seed [12]\)$/);
      assert.equal(step, 1);
      return true;
    });
    const short = { ...small, length: 8, workers };
    const message =
      /^lab\.experiment: length must be at least 9, .*; got 8 \(needle, rope, seed \d\)$/;
    await assert.rejects(lab.experiment(short), { name: "RangeError", message });
    const mine = new Error("mine");
    const stopping = () => {
      throw mine;
    };
    await assert.rejects(lab.experiment({ ...small, workers, progress: stopping }), (error) => error === mine); // prettier-ignore
    assert.equal(mine.message, "mine");
  }
  const failing = { ...copy, name: "failing", fill: () => assert.fail("no text") };
  await assert.rejects(
    lab.experiment({ ...small, tasks: [failing] }),
    /no text \(failing, rope\)$/,
  );
});

test("experiment: a signal stops all runs with its reason", async () => {
  const long = { ...small, steps: 100_000, seeds: 4 };
  for (const workers of [0, 2]) {
    const ending = new AbortController();
    const running = lab.experiment({ ...long, workers, signal: ending.signal });
    const reason = new Error("enough");
    setTimeout(() => ending.abort(reason), 200);
    await assert.rejects(running, (error) => error === reason);
    assert.equal(reason.message, "enough");
    await assert.rejects(lab.experiment({ ...long, workers, signal: ending.signal }), reason);
  }
});

test("experiment: its threads end with it", async () => {
  const resources = () =>
    process.getActiveResourcesInfo().filter((name) => /Worker|MessagePort/.test(name)).length;
  const before = resources();
  await lab.experiment({ ...small, workers: 2 });
  const diverging = { ...small, learningRate: 1e30, workers: 2 };
  await lab.experiment(diverging).catch(() => {});
  for (let tries = 0; resources() > before && tries < 50; ++tries) await wait(20);
  assert.equal(resources(), before);
});

test("experiment: a thread that does not start is a LoadError", async () => {
  const worker = new URL("file:///nowhere/lab-thread.js");
  await assert.rejects(lab.experiment({ ...small, workers: 2, worker }), (error) => {
    assert.ok(error instanceof LoadError);
    assert.match(error.message, /^phasor could not start its worker from file:\/\/\/nowhere\//);
    return true;
  });
  const worked = new URL(import.meta.resolve("phasor/lab-thread"));
  assert.equal((await lab.experiment({ ...small, workers: 1, worker: worked })).length, 10);
});

test("experiment: a thread may post other messages than answers", async () => {
  const thread = import.meta.resolve("phasor/lab-thread");
  const worker = new URL(
    `data:text/javascript,${encodeURIComponent(`
      import { parentPort } from "node:worker_threads";
      await import(${JSON.stringify(thread)}); // which listens first
      parentPort.once("message", ({ lab }) => {
        for (const message of [null, undefined, 5, "5", [], {}]) lab.postMessage(message);
      });
    `)}`,
  );
  const plainly = await lab.experiment({ ...small, workers: 0 });
  assert.deepEqual(plain(await lab.experiment({ ...small, workers: 1, worker })), plain(plainly));
});

/** Wrong options, and what the error says. @type {readonly [any, RegExp][]} */
const wrong = [
  [{ seeds: [1, 2n, 1n] }, /seeds must differ, as what one seed gives is no sample; got 1 twice/],
  [{ tasks: undefined }, /tasks must be a list that is not empty; got undefined$/],
  [{ tasks: [] }, /tasks must be a list that is not empty; got an array of 0$/],
  [{ tasks: ["needles"] }, /task must be one of .*; got "needles"; did you mean "needle"\?$/],
  [{ tasks: ["text"] }, /text of the task "text" must be a string; got undefined$/],
  [{ tasks: ["needle", "needle"] }, /tasks must have different names; got "needle" twice$/],
  [{ tasks: [{ task: "needle", kes: 8 }] }, /options must have only keys, values; got "kes"/],
  [{ tasks: [3] }, /tasks\[0\] must be an object with vocabulary and fill; got 3$/],
  [
    { schemes: ["ropee"] },
    /schemes\[0\] must be one of "none", .*; got "ropee"; did you mean "rope"\?$/,
  ],
  [
    { schemes: ["rope", { scheme: "rope" }] },
    /schemes must have different names; got "rope" twice/,
  ],
  [
    { schemes: [{ scheme: "learned", rows: 40 }] },
    /rows of learned positions must reach .*; got 40 and length 256 \(needle, learned rows=40\)$/,
  ],
  [{ readings: ["ntk", "ntk"] }, /readings must have different names; got "ntk" twice$/],
  [{ schemes: ["rope", { scheme: "rope", base: undefined }] }, /got "rope" twice/],
  [{ test: [2 ** 27] }, /test\[0\] must be a whole number from 1 to 67108863; got 134217728$/],
  [{ readings: ["pi"] }, /readings\[0\] must be one of "linear", "ntk", "yarn"; got "pi"$/],
  [{ test: [0.5] }, /test\[0\] must be a whole number from 1 .*; got 0\.5$/],
  [{ seeds: 0 }, /seeds must be a whole number from 1 .*; got 0$/],
  [{ seeds: [1, -1] }, /seeds\[1\] must be a whole number from 0 .*; got -1$/],
  [{ workers: 257 }, /workers must be a whole number from 0 to 256; got 257$/],
  [{ workers: 1, worker: 3 }, /worker must be a URL; got 3$/],
  [{ progress: 3 }, /progress must be a function; got 3$/],
  [{ betas: 3 }, /betas must be a list of two numbers; got 3 \(needle, rope\)$/],
  [{ heads: 3 }, /heads must divide dim, 32; got 3 \(needle, rope\)$/],
  [{ vocabulary: 8 }, /options must have only .*; got "vocabulary"$/],
];

test("experiment: wrong options are refused before anything runs", async () => {
  for (const [options, message] of wrong) {
    const asked = lab.experiment({ ...small, steps: 10_000_000, ...options });
    await assert.rejects(asked, (/** @type {Error} */ error) => {
      assert.match(error.message, message);
      assert.match(error.message, /^lab\.experiment: /);
      return true;
    });
  }
});

test("experiment: names of schemes reach the longest texts", async () => {
  const rows = await lab.experiment({
    ...{ ...small, seeds: 1, test: [32] },
    schemes: ["learned"],
  });
  assert.deepEqual(rows[0].position, { scheme: "learned", rows: 1024 });
});

test("summarize: mean and sample deviation over seeds, one line for a reading", async () => {
  const rows = await lab.experiment({ ...small, seeds: 3, test: [1, 2] });
  const lines = summarize(rows);
  assert.equal(lines.length, 5);
  const [line] = lines;
  const own = rows.slice(0, 3).map(({ loss }) => loss[1]);
  const mean = (own[0] + own[1] + own[2]) / 3;
  const variance = own.reduce((sum, x) => sum + (x - mean) ** 2, 0) / 2;
  assert.ok(Math.abs(line.loss.mean[1] - mean) < 1e-12);
  assert.ok(Math.abs(line.loss.deviation[1] - Math.sqrt(variance)) < 1e-12);
  assert.deepEqual(line.seeds, [1, 2, 3]);
  assert.deepEqual(line.byPosition.shape, [2, 64]);
  const at = 40;
  const place = rows.slice(0, 3).map(({ byPosition }) => Number(byPosition.at(1, at)));
  assert.ok(
    Math.abs(Number(line.byPosition.at(1, at)) - (place[0] + place[1] + place[2]) / 3) < 1e-6,
  );
  const [alone] = summarize(rows.slice(0, 1));
  assert.deepEqual(alone.loss.mean, rows[0].loss);
  assert.deepEqual(alone.loss.deviation, [NaN, NaN]);
  assert.deepEqual(summarize([]), []);
  for (const [given, words] of /** @type {[any, string][]} */ ([
    [undefined, "rows must be a list; got undefined"],
    [rows[0], "rows must be a list; got an object"],
    [[rows[0], 7], "rows[1] must be a row of an experiment; got 7"],
    [[{}], "rows[0] must be a row of an experiment; got an object"],
  ]))
    assert.throws(() => summarize(given), { name: "TypeError", message: `summarize: ${words}` });
  const [row, next] = rows;
  const wrong = [{ loss: undefined }, { loss: [1] }, { accuracy: ["1", 1] }, { lengths: [] }, { byPosition: {} }, { lengths: [32, 96] }]; // prettier-ignore
  const refused = { name: "TypeError", message: "summarize: rows[1] must be a row of an experiment; got an object" }; // prettier-ignore
  for (const part of /** @type {any[]} */ (wrong))
    assert.throws(() => summarize([next, { ...row, ...part }]), refused);
  const same = { name: "RangeError", message: "summarize: rows[2].seed must be another in each row of a line; got 1 twice" }; // prettier-ignore
  for (const seed of [1, 1n]) assert.throws(() => summarize([row, next, { ...row, seed }]), same);
  assert.equal(summarize([row, { ...next, lengths: [64, 64] }]).length, 2);
  const lost = { ...next, loss: [NaN, 1] };
  assert.ok(Number.isNaN(summarize([row, lost])[0].loss.mean[0]));
});
