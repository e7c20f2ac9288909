/** @import { Core } from "../../runtime/wasm.js" */
/** @import { OptionsOf } from "../../runtime/options.js" */
/** @import { Position, PositionByLayer } from "../lab/position.js" */
/** @import { Task } from "../tasks/task.js" */
/** @import { Reading } from "../lab/readings.js" */
/** @import { Lane } from "./lanes.js" */
/** @import { Job, Result, Step, TaskOptions } from "./run.js" */
import * as check from "../../runtime/check.js";
import { copied } from "../../runtime/input.js";
import * as option from "../../runtime/options.js";
import { readSeed } from "../../runtime/seed.js";
import { Tensor } from "../../runtime/tensor.js";
import { DECODER } from "../lab/decoder.js";
import { READINGS } from "../lab/readings.js";
import { OPTIONS as SCHEMES } from "../lab/schemes.js";
import { readTask } from "../lab/task.js";
import { TRAIN } from "../lab/training.js";
import { inRun, laneHere, laneInThread } from "./lanes.js";
import { refuse, taskOf, TASKS } from "./run.js";

const { vocabulary: _V, position: _P, seed: _S, ...MADE } = DECODER.declared;
const { scaling: _F, signal: SIGNAL, ...TRAINED } = TRAIN.declared;

/** @typedef {Exclude<keyof typeof SCHEMES, "own">} SchemeName */

/** The schemes that have a name alone. */
const NAMES = /** @type {SchemeName[]} */ (Object.keys(SCHEMES).filter((name) => name !== "own"));

/**
 * A list, of which forms and command lines offer these words.
 * @template Value
 * @param {Value} fallback @param {readonly string[]} values
 */
const words = (fallback, values) => ({ ...option.value(fallback), values });

export const EXPERIMENT = option.optionSet(() => ({
  /** What to train on: names, as `"needle"`; names with options, as `{ task: "needle", keys: 8 }` or `{ task: "text", text: "..." }`; or tasks. */
  tasks: words(
    /** @type {readonly (TaskOptions["task"] | TaskOptions | Task)[] | undefined} */ (undefined),
    TASKS,
  ),
  /** The positions: names of schemes, or schemes with options. Default: all schemes. */
  schemes: words(
    /** @type {readonly (SchemeName | Position | PositionByLayer)[] | undefined} */ (undefined),
    NAMES,
  ),
  /** The lengths of the tests, as multiples of that of the training. Default: [1, 2, 4, 8]. */
  test: option.value(/** @type {readonly number[] | undefined} */ (undefined)),
  /** How many seeds, from 1 on, or a list of seeds. Default: 5. */
  seeds: option.value(/** @type {number | readonly (number | bigint)[] | undefined} */ (undefined)),
  /** More tests of each training with RoPE, on scaled frequencies: `linear` (position interpolation), `ntk`, `yarn`. Default: all three. */
  readings: words(/** @type {readonly Reading[] | undefined} */ (undefined), Object.keys(READINGS)),
  /** The number of tokens of a test. */
  tokens: option.integer({ default: 16384 }),
  /** How many threads make the runs; 0: this one, in short pieces. A task that is given as an object, or a scheme `own`, runs in this one. */
  workers: option.integer({ default: 0, min: 0, max: 256 }),
  /** The address of `phasor/lab-thread`, where it is not beside this module. */
  worker: option.value(/** @type {string | URL | undefined} */ (undefined)),
  /** Called after each `every` steps and after each run. */
  progress: option.value(/** @type {((report: Report) => void) | undefined} */ (undefined)),
  /** Stops all runs, with the signal's reason. */
  signal: SIGNAL,
  ...TRAINED,
  ...MADE,
}));

/**
 * One training, or one reading of it.
 * @typedef {object} Row
 * @property {string} task  its name, with its options
 * @property {string} scheme  its name, with its options
 * @property {Reading | null} reading  of the frequencies in the tests; null: as trained
 * @property {Position | PositionByLayer} position  the scheme
 * @property {number | bigint} seed  of the decoder
 * @property {readonly number[]} lengths  of the tests, in tokens
 * @property {readonly number[]} loss  at each length, the mean in nats
 * @property {readonly number[]} accuracy  at each length
 * @property {Tensor} byPosition  [2, T], the mean loss and the accuracy at each place of the longest texts; NaN where no
 *   target was
 * @property {string} bits  a hash of the weights after the training: 16 hexadecimal digits
 *
 * How far an experiment is.
 * @typedef {object} Report
 * @property {number} done  runs that have ended
 * @property {number} total  all runs
 * @property {string} task  of the run that reports
 * @property {string} scheme  of the same run
 * @property {number | bigint} seed  of the same run
 * @property {number} step  its last one, from 0
 * @property {number} loss  of that step
 * @property {readonly Row[] | null} rows  of the run, once it has ended
 */

/**
 * Runs all trainings and their tests.
 * @param {Core} core @param {unknown} options
 * @returns {Promise<Row[]>}
 */
export async function experiment(core, options) {
  const given = EXPERIMENT.read(options);
  const { workers, worker, progress, signal, positions } = given;
  if (progress !== undefined && typeof progress !== "function") {
    throw new TypeError(`progress must be a function; got ${check.describe(progress)}`);
  }
  check.abortSignal(signal);
  const { runs, seeds } = readRuns(core, given);
  /** Functions cannot be sent to a thread. @param {Run} run */
  const isHere = ({ sent, position }) =>
    workers === 0 || sent === undefined || typeof positions === "function" || isOwn(position);
  const here = runs.filter(isHere);
  const elsewhere = runs.filter((run) => !isHere(run));
  /** @type {Row[][]} */
  const rows = runs.map(() => []);
  let done = 0;

  // The first error stops all other runs, as the caller's signal does.
  const ending = new AbortController();
  const abort = () => ending.abort(signal?.reason);
  if (signal?.aborted) abort();
  signal?.addEventListener("abort", abort);

  /** @param {() => Lane} begin @param {Run[]} waiting */
  const work = async (begin, waiting) => {
    /** @type {Lane | undefined} */
    let lane;
    try {
      lane = begin();
      for (let run = waiting.shift(); run !== undefined; run = waiting.shift()) {
        rows[run.at] = await make(lane, run);
      }
    } catch (error) {
      ending.abort(error);
      throw error;
    } finally {
      await lane?.end();
    }
  };

  /** @param {Lane} lane @param {Run} run */
  const make = async (lane, run) => {
    const { task, scheme, seed } = run;
    let last = { step: 0, loss: NaN };
    const tell = (/** @type {Step} */ step, /** @type {Row[] | null} */ rows = null) => {
      last = step;
      progress?.({ done, total: runs.length, task, scheme, seed, ...step, rows });
    };
    const where = `${task}, ${scheme}, seed ${seed}`;
    const result = await lane.make({ task: run.of, sent: run.sent, job: run.job, where }, (step) =>
      tell(step),
    );
    const found = rowsOf(run, result);
    done += 1;
    tell(last, found);
    return found;
  };

  try {
    const lanes = [
      ...(here.length > 0 ? [work(() => laneHere(core, ending.signal), here)] : []),
      ...Array.from({ length: Math.min(workers, elsewhere.length) }, (_, i) =>
        work(() => laneInThread(worker, `phasor lab ${i + 1}`, ending.signal), elsewhere),
      ),
    ];
    const ended = await Promise.allSettled(lanes);
    if (ended.some(({ status }) => status === "rejected")) throw ending.signal.reason;
  } finally {
    signal?.removeEventListener("abort", abort);
  }
  /** All seeds of a reading, side by side. @param {number} from  its first run */
  const inOrder = (from) =>
    rows[from].flatMap((_, i) => rows.slice(from, from + seeds).map((own) => own[i]));
  return rows.flatMap((_, at) => (at % seeds === 0 ? inOrder(at) : []));
}

/**
 * A run of an experiment.
 * @typedef {object} Run
 * @property {number} at  its index
 * @property {string} task @property {string} scheme @property {number | bigint} seed
 * @property {Position | PositionByLayer} position
 * @property {Task} of
 * @property {unknown} sent  what stands for the task in a message; undefined where functions would have to be sent
 * @property {Job} job
 */

/** Whether a position has functions. @param {Position | PositionByLayer} position @returns {boolean} */
const isOwn = (position) =>
  "layers" in position ? position.layers.some(isOwn) : position.scheme === "own";

/** @param {Run} run @param {Result} result @returns {Row[]} */
function rowsOf({ task, scheme, position, seed, job: { lengths } }, { found, bits }) {
  const shape = [2, lengths[lengths.length - 1]];
  return found.map(({ reading, loss, accuracy, byPosition }) => ({
    task,
    scheme,
    reading,
    position,
    seed,
    lengths,
    loss,
    accuracy,
    byPosition: new Tensor(byPosition, shape),
    bits,
  }));
}

/**
 * The runs of an experiment, each of which can be made.
 * @param {Core} core @param {ReturnType<typeof EXPERIMENT.read>} given
 */
function readRuns(core, given) {
  const tasks = readTasks(given.tasks);
  const lengths = readTest(given.test, given.length);
  const schemes = readSchemes(given.schemes, lengths[lengths.length - 1]);
  const seeds = readSeeds(given.seeds);
  const names = /** @type {Reading[]} */ (Object.keys(READINGS));
  const readings = readList(given.readings ?? names, "readings", (name, at) =>
    check.oneOf(name, at, names),
  );
  refuseTwice(readings.map((name) => ({ name })), "readings"); // prettier-ignore
  const made = pick(given, MADE);
  const trained = pick(given, TRAINED);
  /** @type {Run[]} */
  const runs = [];
  for (const { name: task, of, sent } of tasks) {
    for (const { name: scheme, position } of schemes) {
      const isPlain = !("layers" in position) && position.scheme === "rope" && !position.scaling && (position.keep ?? 1) === 1; // prettier-ignore
      const all = [null, ...(isPlain ? readings : [])];
      const shared = { trained, lengths, tokens: given.tokens, readings: all };
      const runOf = (/** @type {number | bigint} */ seed) => ({
        at: runs.length,
        task,
        scheme,
        seed,
        position,
        of,
        sent,
        job: { ...shared, made: { ...made, position, seed } },
      });
      try {
        refuse(core, of, runOf(seeds[0]).job);
      } catch (error) {
        throw inRun(error, `${task}, ${scheme}`);
      }
      for (const seed of seeds) runs.push(runOf(seed));
    }
  }
  return { runs, seeds: seeds.length };
}

/**
 * Those values that a set of options has.
 * @template {object} Declared
 * @param {object} given @param {Declared} declared @returns {any}
 */
const pick = (given, declared) =>
  Object.fromEntries(Object.entries(given).filter(([name]) => name in declared));

/**
 * Reads a list that is not empty.
 * @template Item
 * @param {unknown} given @param {string} name @param {(item: unknown, at: string) => Item} read
 */
function readList(given, name, read, least = 0) {
  const rule = `${name} must be a list${least > 0 ? " that is not empty" : ""}; got`;
  if (!check.isList(given)) throw new TypeError(`${rule} ${check.describe(given)}`);
  if (given.length < least) throw new RangeError(`${rule} ${check.describe(given)}`);
  return given.map((item, i) => read(item, `${name}[${i}]`));
}

/** An option's value, such as {type=linear, factor=8}. @param {any} value */
const valueOf = (value) =>
  typeof value === "function"
    ? value.name
    : check.isRecord(value)
      ? `{${Object.entries(value).map((pair) => pair.join("=")).join(", ")}}`
      : String(value); // prettier-ignore

/** @param {string} name @param {object} options */
const labelOf = (name, options) =>
  Object.entries(options)
    .filter(([, value]) => value !== undefined)
    .reduce((label, [key, value]) => `${label} ${key}=${valueOf(value)}`, name);

/** @param {unknown} given */
function readTasks(given) {
  const read = readList(
    given,
    "tasks",
    (/** @type {any} */ item, at) => {
      if (typeof item === "string") return { name: item, of: taskOf(item), sent: item };
      if (check.isRecord(item) && typeof item.task === "string") {
        const { task, text: _, ...options } = item;
        return { name: labelOf(task, options), of: taskOf(item), sent: copied(item) };
      }
      const of = readTask(item, 2 ** 31 - 1, at);
      return { name: of.name ?? "own", of, sent: undefined };
    },
    1,
  );
  refuseTwice(read, "tasks");
  return read;
}

/** The rows of learned positions, where no option says more. */
const ROWS = SCHEMES.learned.declared.rows.default;

/** @param {unknown} given @param {number} longest */
function readSchemes(given, longest) {
  const read = readList(
    given ?? NAMES,
    "schemes",
    (/** @type {any} */ item, at) => {
      if (!check.isRecord(item)) {
        const scheme = check.oneOf(item, at, NAMES);
        const rows = scheme === "learned" && longest > ROWS ? { rows: longest } : {};
        return { name: scheme, position: /** @type {Position} */ ({ scheme, ...rows }) };
      }
      const nameOf = (/** @type {any} */ { scheme, ...options }) =>
        labelOf(String(scheme), options);
      const layers = /** @type {any} */ (item).layers;
      const name = check.isList(layers)
        ? layers.map((of) => nameOf(Object(of))).join("+")
        : nameOf(item);
      return { name, position: /** @type {Position} */ (copied(item)) };
    },
    1,
  );
  refuseTwice(read, "schemes");
  return read;
}

/** Rows of the same name would be taken for seeds of one. @param {readonly {name: string}[]} read @param {string} what */
function refuseTwice(read, what) {
  const names = read.map(({ name }) => name);
  const twice = names.find((name, i) => names.indexOf(name) < i);
  if (twice !== undefined) {
    throw new RangeError(`${what} must have different names; got "${twice}" twice`);
  }
}

/** @param {unknown} given @param {number} length */
function readTest(given, length) {
  const read = (/** @type {unknown} */ item, /** @type {string} */ at) =>
    length * check.integer(item, at, 1, Math.floor((2 ** 31 - 1) / length));
  return readList(given ?? [1, 2, 4, 8], "test", read, 1).sort((a, b) => a - b);
}

/** @param {unknown} given @returns {(number | bigint)[]} */
function readSeeds(given) {
  if (check.isList(given)) {
    const all = readList(given, "seeds", readOneSeed, 1);
    const twice = all.find((seed, i) => all.findIndex((one) => BigInt(one) === BigInt(seed)) < i);
    if (twice === undefined) return all;
    throw new RangeError(
      `seeds must differ, as what one seed gives is no sample; got ${twice} twice`,
    );
  }
  const count = check.integer(given ?? 5, "seeds", 1, 2 ** 16);
  return Array.from({ length: count }, (_, i) => i + 1);
}

/** @param {unknown} seed @param {string} at @returns {number | bigint} as it was given */
function readOneSeed(seed, at) {
  if (typeof seed !== "bigint") return check.integer(seed, at, 0, Number.MAX_SAFE_INTEGER);
  readSeed(seed);
  return seed;
}
