// The worker that trains: a model for each run, which the page asks for a few steps at a time.

import { load, optionsOf } from "phasor/lab";
import { pytorch } from "../../src/lab/pytorch.js";
import { answer } from "./answer.js";
import { pairShares, wavelengths } from "./lab-pairs.js";
import { operated, otherLayout } from "./lab-surgery.js";

/** @import { Operation } from "./lab-surgery.js" */

/** @typedef {Awaited<ReturnType<typeof load>>["lab"]} Lab */
/** @typedef {ReturnType<Lab["decoder"]>} Model */
/** @typedef {{model: Model, task: ReturnType<typeof taskOf>, run: ReturnType<Model["train"]>}} Held */

/**
 * What is trained: web/lab/setup.js.
 * @typedef {{task: "back" | "needle" | "latest" | "text", options: object, length: number, batch: number, steps: number,
 *   learningRate: number, dim: number, heads: number, layers: number, std: number}} Setup
 */

/** How a model is read. @typedef {{scheme: string, reading: "linear" | "ntk" | "yarn" | null, temperature: number}} Read */

const loading = load();

/** The models, by the number of their run. @type {Map<number, Held>} */
const models = new Map();

/** @typedef {typeof jobs} Jobs */
const jobs = {
  /** @param {{id: number, setup: Setup, position: any, seed: number, corpus: string}} given */
  async begin({ id, setup, position, seed, corpus }) {
    const { lab } = await loading;
    const { made, training } = optionsOfRun(setup);
    const task = taskOf(lab, setup, corpus);
    const model = lab.decoder({ vocabulary: task.vocabulary, ...made, position, seed });
    const run = model.train(task, { ...training, every: 1 });
    models.set(id, { model, task, run });
    return { parameters: model.parameters };
  },

  /** Begins another training of a model: with another scheme, or on texts that are read in another way. @param {{id: number, position?: any, reading: Read["reading"], training: any}} given */
  change({ id, position, reading, training }) {
    const one = held(id);
    const { model, task } = one;
    if (position) model.change(position);
    one.run = model.train(task, { ...training, scaling: reading ?? undefined, every: 1 });
    return true;
  },

  /** Makes some steps. @param {{id: number, steps: number}} given */
  train({ id, steps }) {
    const { run } = held(id);
    const losses = [];
    const from = performance.now();
    for (let i = 0; i < steps; ++i) {
      const { value } = run.next();
      if (value) losses.push(value.loss);
    }
    return { losses, milliseconds: performance.now() - from };
  },

  /** Tests a model at one length. @param {{id: number, length: number, tokens: number} & Read} given */
  test({ id, length, tokens, ...read }) {
    const { model, task } = held(id);
    const options = { length, tokens, ...readingOf(read) };
    const { loss, accuracy, byPosition, byDistance } = model.evaluate(task, options);
    return { loss, accuracy, byPosition: byPosition.data, byDistance: byDistance?.data };
  },

  /** Tests a model at one length, after an operation that takes no step. @param {{id: number, operation: Operation, length: number, tokens: number}} given */
  async operate({ id, operation, length, tokens }) {
    const { lab } = await loading;
    const { model, task } = held(id);
    const options = { length, tokens, ...operated(operation, model.position) };
    if (operation !== "layout") return tested(model, task, options);
    const settings = model.options();
    const other = lab.decoder.from(otherLayout(floats(model), settings.heads), settings);
    try {
      return tested(other, task, options);
    } finally {
      other.dispose();
    }
  },

  /** What heads do with the pairs of a rotation; undefined without one. @param {{id: number}} given */
  pairs({ id }) {
    const { model } = held(id);
    const { dim, heads } = model.options();
    const { scheme, base = 10000 } = /** @type {any} */ (model.position);
    if (scheme !== "rope" && scheme !== "xpos") return undefined;
    const turns = wavelengths(dim / heads / 2, base);
    return { turns, shares: pairShares(floats(model), heads) };
  },

  /** @param {{id: number}} given */
  bits: ({ id }) => held(id).model.bits(),

  /** Reads one text: its tokens, the answers, and where each head looks. @param {{id: number, length: number} & Read} given */
  look({ id, length, ...read }) {
    const { model, task } = held(id);
    const { ids, targets } = textOf(task, length);
    const reading = readingOf(read);
    const logits = model.logits(ids, reading);
    const answers = ids.map((_, t) =>
      largest(logits.data.subarray(t * task.vocabulary), task.vocabulary),
    );
    const names = /** @type {readonly string[]} */ (task.names);
    const attention = model.attention(ids, reading).data;
    return { ids, targets, answers, names, attention };
  },

  /** Where one head looks on the same text: [T, T]. @param {{id: number, at: number, length: number} & Read} given  `at`: over all layers */
  head({ id, at, length, ...read }) {
    const { model, task } = held(id);
    const all = model.attention(textOf(task, length).ids, readingOf(read)).data;
    return /** @type {Float32Array} */ (all).slice(at * length ** 2, (at + 1) * length ** 2);
  },

  /** @param {{id: number}} given */
  save({ id }) {
    const { model, task } = held(id);
    return model.save({ names: task.names });
  },

  /** Trains again, for a program of PyTorch and the file that it reads. @param {{setup: Setup, position: any, seed: number, corpus: string}} given */
  async pytorch({ setup, position, seed, corpus }) {
    const { lab } = await loading;
    const { made, training } = optionsOfRun(setup);
    const task = taskOf(lab, setup, corpus);
    const { program, tensors } = pytorch(
      { lab, optionsOf },
      task,
      { ...made, position, seed },
      training,
    );
    const { safetensors } = await import("phasor/files");
    return { program, file: safetensors.write(tensors) };
  },

  /** @param {{id: number}} given */
  drop({ id }) {
    models.get(id)?.model.dispose();
    models.delete(id);
    return true;
  },
};

answer(jobs);

/** @param {number} id */
function held(id) {
  const model = models.get(id);
  if (!model) throw new RangeError("this run was dropped");
  return model;
}

/** The options of a decoder and of its training. @param {Setup} setup */
function optionsOfRun({ dim, heads, layers, std, length, batch, steps, learningRate }) {
  const made = { dim, heads, layers, std: { words: std, positions: std } };
  return { made, training: { length, batch, steps, learningRate } };
}

/** @param {Lab} lab @param {Setup} setup @param {string} corpus */
function taskOf(lab, { task, options }, corpus) {
  return task === "text" ? lab.tasks.text(corpus, options) : lab.tasks[task](options);
}

/** @param {Model} model @param {Held["task"]} task @param {any} options */
function tested(model, task, options) {
  const { loss, accuracy } = model.evaluate(task, options);
  return { loss, accuracy };
}

/** @param {Model} model */
const floats = (model) => /** @type {import("./lab-pairs.js").Weights} */ (model.weights());

/** How a text is read. @param {Read} read */
const readingOf = ({ scheme, reading, temperature }) => ({
  temperature,
  scaling: scheme === "rope" && reading !== null ? reading : undefined,
});

/** The one text that is looked at. @param {Held["task"]} task @param {number} length */
function textOf(task, length) {
  const [ids, targets] = [new Int32Array(length), new Int32Array(length).fill(-1)];
  const fill = /** @type {any} */ (task).held ?? task.fill;
  fill.call(task, random(), ids, targets, length, new Int32Array(length));
  return { ids, targets };
}

/** The index of the largest of the first numbers. @param {ArrayLike<number>} numbers @param {number} count */
function largest(numbers, count) {
  let best = 0;
  for (let i = 1; i < count; ++i) if (numbers[i] > numbers[best]) best = i;
  return best;
}

/** Draws for the one text that is looked at: mulberry32. */
function random() {
  let state = 7;
  const uniform = () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  return { uniform, below: (/** @type {number} */ n) => Math.floor(uniform() * n) };
}
