/** phasor lab: trains position schemes on short texts and tests them on long ones. */
import { readFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { describe } from "../runtime/check.js";
import { oneOf, UsageError, whole } from "./arguments.js";
import { pytorch } from "../lab/pytorch.js";
import { columns, count, fixed, sentence, short, some } from "./output.js";
import { save } from "./write.js";

/** @import { Line } from "../lab/index.js" */

/** Options that are whole numbers, by the names of `lab.experiment`. */
const NUMBERS = ["steps", "length", "batch", "dim", "heads", "layers", "tokens", "seeds"];

/** @type {import("./arguments.js").Command} */
export const lab = {
  name: "lab",
  operands: "TASK...",
  least: 1,
  does: "train position schemes on short texts, and test them on long ones",
  notes: [
    "TASK is back, needle, latest, first, even, induction, addition or text. A reading is a test of the",
    "same training of rope on scaled frequencies. Every machine prints the same numbers.",
  ],
  options: {
    schemes: { type: "string", value: "NAMES", text: "as rope,alibi,t5Bias; all by default" },
    readings: {
      type: "string",
      value: "NAMES",
      text: "of rope; linear,ntk,yarn by default; or none",
    },
    seeds: { type: "string", value: "N", text: "how many; 5 by default" },
    steps: { type: "string", value: "N", text: "of a training; 200 by default" },
    length: { type: "string", value: "T", text: "tokens of a text in training; 32 by default" },
    test: {
      type: "string",
      value: "TIMES",
      text: "lengths of tests as multiples; 1,2,4,8 by default",
    },
    batch: { type: "string", value: "B", text: "texts of a step; 16 by default" },
    rate: { type: "string", value: "X", text: "the peak of the learning rate; 0.006 by default" },
    dim: { type: "string", value: "E", text: "the width; 32 by default" },
    heads: { type: "string", value: "H", text: "2 by default" },
    layers: { type: "string", value: "L", text: "1 by default" },
    tokens: { type: "string", value: "N", text: "of a test; 16384 by default" },
    text: { type: "string", value: "FILE", text: "what the task text reads" },
    workers: { type: "string", value: "N", text: "threads; as many as cores by default" },
    pytorch: {
      type: "string",
      value: "FILE",
      text: "write the training of one TASK, one scheme and seed 1 as a program instead",
    },
  },
  async run({ operands, options, say }) {
    const { load, optionsOf, summarize } = await import("../lab/index.js");
    const { lab } = await load();
    const known = optionsOf(lab.experiment);
    const names = operands.map((name) => oneOf(name, "TASK", known.tasks.values ?? []));
    if (options.text !== undefined && !names.includes("text"))
      throw new UsageError(`--text must come with the task text; got ${names.join(", ")}`);
    const text = names.includes("text") ? await textOf(options.text) : undefined;
    /** @type {Record<string, any>} */
    const given = {
      ...Object.fromEntries(NUMBERS.map((name) => [name, whole(options[name], `--${name}`)])),
      learningRate: rateOf(options.rate),
      schemes: wordsOf("--schemes", options.schemes, known.schemes.values),
      readings:
        options.readings === "none"
          ? []
          : wordsOf("--readings", options.readings, known.readings.values),
      test: options.test?.split(",").map((/** @type {string} */ text) => whole(text, "--test")),
    };
    if (options.pytorch !== undefined)
      return exported({ lab, optionsOf }, names, text, given, options);
    const tasks = names.map((task) => (task === "text" ? { task, text } : task));
    const rows = await lab.experiment({
      ...given,
      tasks: /** @type {any} */ (tasks),
      workers: whole(options.workers, "--workers", 0) ?? availableParallelism(),
      progress: ({ done, total, task, scheme, seed, step }) =>
        say(`${done} of ${total} runs: ${task}, ${scheme}, seed ${seed}, step ${step + 1}`),
    });
    const made = Object.fromEntries(
      ["steps", "batch", "length", "learningRate", "dim", "heads", "layers", "tokens"].map(
        (name) => [name, given[name] ?? known[name].default],
      ),
    );
    const lines = summarize(rows);
    const seeds = lines[0].seeds.length;
    const schemes = new Set(lines.map(({ scheme }) => scheme)).size;
    const run = [
      `${some(schemes, "scheme")} x ${some(seeds, "seed")}: ${count(made.steps)} steps of ${made.batch} x ${made.length}`,
      `tokens, rate ${short(made.learningRate)}, width ${made.dim}, ${some(made.heads, "head")},`,
      `${some(made.layers, "layer")}; tests of ${count(made.tokens)} tokens`,
    ].join(" ");
    const plain = (/** @type {readonly {byPosition: import("../lab/index.js").Tensor}[]} */ all) =>
      all.map((each) => ({ ...each, byPosition: each.byPosition.toArray() }));
    return {
      data: { settings: made, lines: plain(lines), rows: plain(rows) },
      lines: [
        run,
        ...names.flatMap((task) => {
          const own = lines.filter((line) => line.task === task);
          const chance =
            task === "text" ? undefined : /** @type {any} */ (lab.tasks)[task]().chance;
          return tableOf(task, chance, own);
        }),
      ],
    };
  },
};

/** Options of `lab.experiment` that are the decoder's, not those of its training. */
const SIZES = ["dim", "heads", "layers"];

/**
 * Writes a training as a PyTorch program, and beside it what the program reads.
 * @param {{lab: import("../lab/index.js").Lab["lab"], optionsOf: typeof import("../lab/index.js").optionsOf}} phasor
 * @param {readonly string[]} names  of tasks @param {string | undefined} text @param {Record<string, any>} given @param {Record<string, any>} options
 * @returns {Promise<import("./arguments.js").Report>}
 */
async function exported(phasor, names, text, given, options) {
  const { pytorch: path, seeds, readings, test, tokens, workers } = options;
  const strange = Object.entries({ seeds, readings, test, tokens, workers }).find(([, of]) => of);
  if (strange) throw new UsageError(`--${strange[0]} must not be given with --pytorch; got both`);
  const { schemes = [], ...sizes } = given;
  if (names.length !== 1 || schemes.length !== 1) {
    const got = `${some(names.length, "task")} and ${some(schemes.length, "scheme")}`;
    throw new UsageError(`--pytorch needs one TASK and one of --schemes; got ${got}`);
  }
  if (!path.endsWith(".py")) throw new UsageError(`--pytorch must be a file .py; got ${path}`);
  const known = Object.entries(sizes).filter(([, of]) => of !== undefined);
  const part = (/** @type {boolean} */ isSize) =>
    Object.fromEntries(known.filter(([name]) => SIZES.includes(name) === isSize));
  const { tasks } = /** @type {any} */ (phasor.lab);
  const task = names[0] === "text" ? tasks.text(text) : tasks[names[0]]();
  const made = { ...part(true), position: { scheme: schemes[0] }, seed: 1 };
  const { program, tensors } = pytorch(phasor, task, /** @type {any} */ (made), part(false));
  const { safetensors } = await import("../files/index.js");
  const beside = path.replace(/py$/, "safetensors");
  await save(path, program);
  await save(beside, safetensors.write(tensors));
  const losses = /** @type {any} */ (tensors.losses).data;
  return {
    data: { program: path, tensors: beside, losses: [...losses] },
    lines: [
      `wrote ${path} and ${beside}: ${some(losses.length, "step")}, the last loss ${fixed(losses[losses.length - 1])}`,
      `python ${path} trains the same and compares the losses`,
    ],
  };
}

/**
 * A table of a task: mean and standard deviation over seeds at each length.
 * @param {string} task @param {number | undefined} chance @param {readonly Line[]} lines
 */
function tableOf(task, chance, lines) {
  const what = task === "text" ? "loss" : "accuracy";
  const guess = chance === undefined ? "" : `, chance ${short(chance)}`;
  const unit = task === "text" ? " in nats" : "";
  const rows = lines.map(({ scheme, reading, [what]: { mean, deviation } }) => [
    reading === null ? scheme : `${scheme}, ${reading}`,
    ...mean.map(
      (x, i) => `${fixed(x)} (${Number.isNaN(deviation[i]) ? "-" : fixed(deviation[i])})`,
    ),
  ]);
  const head = ["tokens", ...lines[0].lengths.map(count)];
  return [
    `${task}: ${what}${unit}${guess}; mean (standard deviation)`,
    ...columns([head, ...rows]),
  ];
}

/** @param {string} name @param {string | undefined} text @param {readonly string[]} [known] */
const wordsOf = (name, text, known = []) =>
  text?.split(",").map((word) => oneOf(word, name, known));

/** @param {string | undefined} text */
function rateOf(text) {
  if (text === undefined) return undefined;
  const rate = /^(\d+(\.\d*)?|\.\d+)(e[-+]?\d+)?$/i.test(text) ? Number(text) : NaN;
  if (rate > 0 && rate < Infinity) return rate;
  throw new UsageError(`--rate must be a number above 0; got ${describe(text)}`);
}

/** @param {string | undefined} path */
async function textOf(path) {
  if (path === undefined) throw new UsageError("--text must be a file for the task text; got none");
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    throw new RangeError(`--text must be a file; got ${path}: ${sentence(cause)}`, { cause });
  }
}
