// Time against size: each main task from a thousand numbers to a hundred million. A task's size is how many numbers
// its result has, or how many it reads where the result is small, so that each is meant to be linear in it.

import { loadInView } from "./core.js";
import { quantile, uniform } from "./measure.js";
import { digits, table } from "./report.js";

/** @import { Phasor } from "phasor" */
/** @import { Found } from "./record.js" */

/**
 * @typedef {object} Point
 * @property {number} size  a power of ten
 * @property {number} numbers  the nearest that the task's shapes allow
 * @property {number} ms  of a run, the lower quartile of several, the result in an array that is there already
 * @property {number | null} fresh  the same with a new array for each result, null where results are small
 * @property {number} core  bytes of the core's memory after it
 * @property {number | null} exponent  of the size in the time since the size before, null for the first
 * @property {boolean} cliff  whether a number takes more than twice as long as at a smaller size
 *
 * @typedef {object} Scaling
 * @property {string} id
 * @property {string} title
 * @property {string} group  whose tasks are drawn together
 * @property {Point[]} points
 *
 * @typedef {object} Sized  a task at one size
 * @property {number} numbers
 * @property {() => unknown} run
 * @property {() => unknown} [fresh]  the same with a new array
 * @property {() => void} [finish]
 *
 * @typedef {object} Task
 * @property {string} id
 * @property {string} title
 * @property {string} group
 * @property {(phasor: Phasor, size: number) => Sized} make
 */

const SIZES = Object.freeze([1e3, 1e4, 1e5, 1e6, 1e7, 1e8]);

/** A size is left out where a run is expected to take longer, ms. */
const LONGEST = 4000;

/** Milliseconds for the runs of one point, and their least number. */
const SPENT = { warm: 40, timed: 400, runs: 3 };

/** More than this many times as long per number as at a smaller size is a cliff. */
const CLIFF = 2;

/** Widths of rows: of tables and of the heads of attention. */
const [D, HEAD] = [128, 64];

/** @type {readonly Task[]} */
const tasks = [
  {
    id: "sinusoidal.table",
    title: `sinusoidal.table, ${D} wide`,
    group: "Positions",
    make({ sinusoidal }, size) {
      const T = rowsOf(size, D);
      const out = new Float32Array(T * D);
      return {
        numbers: T * D,
        run: () => sinusoidal.table(T, D, { out }),
        fresh: () => sinusoidal.table(T, D),
      };
    },
  },
  {
    id: "rope.table",
    title: `rope.table, ${D} wide`,
    group: "Positions",
    make({ rope }, size) {
      const T = rowsOf(size, D);
      const [cos, sin] = [0, 1].map(() => new Float32Array((T * D) / 2));
      return {
        numbers: T * D,
        run: () => rope.table(T, D, { out: { cos, sin } }),
        fresh: () => rope.table(T, D),
      };
    },
  },
  {
    id: "alibi.bias",
    title: "alibi.bias of 8 heads",
    group: "Positions",
    make({ alibi }, size) {
      const T = Math.round(Math.sqrt(size / 8));
      const out = new Float32Array(8 * T * T);
      return {
        numbers: 8 * T * T,
        run: () => alibi.bias(8, T, { out }),
        fresh: () => alibi.bias(8, T),
      };
    },
  },
  {
    id: "rope.apply",
    title: `rope.apply of 8 heads, ${D} wide`,
    group: "Positions",
    make({ rope }, size) {
      const T = rowsOf(size, 8 * D);
      const angles = rope.table(T, D);
      const x = { data: noise(8 * T * D), shape: [1, 8, T, D] };
      const out = new Float32Array(8 * T * D);
      return {
        numbers: 8 * T * D,
        run: () => rope.apply(x, angles, { out }),
        fresh: () => rope.apply(x, angles),
      };
    },
  },
  {
    id: "lookup",
    title: `lookup in 10,000 rows, ${D} wide`,
    group: "Embeddings",
    make({ embedding }, size) {
      const T = rowsOf(size, D);
      const weights = embedding.create(10_000, D, { seed: 1 });
      const random = uniform(5);
      const ids = Int32Array.from({ length: T }, () => Math.floor(random() * 10_000));
      const out = new Float32Array(T * D);
      return {
        numbers: T * D,
        run: () => weights.lookup(ids, { out }),
        fresh: () => weights.lookup(ids),
        finish: () => weights.dispose(),
      };
    },
  },
  {
    id: "layerNorm",
    title: `layerNorm of rows ${D} wide`,
    group: "Embeddings",
    make({ normalize }, size) {
      const T = rowsOf(size, D);
      const x = { data: noise(T * D), shape: [T, D] };
      const out = new Float32Array(T * D);
      return {
        numbers: T * D,
        run: () => normalize.layerNorm(x, { out }),
        fresh: () => normalize.layerNorm(x),
      };
    },
  },
  {
    id: "dtypes.decode",
    title: "dtypes.decode of float16",
    group: "Embeddings",
    make({ dtypes }, size) {
      const bits = Uint16Array.from(noise(Math.min(size, 1e6)), (x) => 0x3000 + 1000 * Math.abs(x));
      const all = new Uint16Array(size);
      for (let at = 0; at < size; at += bits.length) all.set(bits, at);
      const stored = /** @type {const} */ ({ dtype: "float16", shape: [size] });
      const bytes = new Uint8Array(all.buffer);
      const out = new Float32Array(size);
      return {
        numbers: size,
        run: () => dtypes.decode({ bytes, ...stored }, { out }),
        fresh: () => dtypes.decode({ bytes, ...stored }),
      };
    },
  },
  {
    id: "attention",
    title: `attention with weights, ${HEAD} wide`,
    group: "Comparisons",
    make({ attention }, size) {
      const T = Math.round(Math.sqrt(size));
      const shape = [1, T, HEAD];
      const [q, k, v] = [1, 2, 3].map(() => ({ data: noise(T * HEAD), shape }));
      const out = { output: new Float32Array(T * HEAD), weights: new Float32Array(T * T) };
      return {
        numbers: T * T,
        run: () => attention.scaledDotProduct({ q, k, v }, { out }),
        fresh: () => attention.scaledDotProduct({ q, k, v }),
      };
    },
  },
  {
    id: "similarity.matrix",
    title: `similarity.matrix, ${D} wide`,
    group: "Comparisons",
    make({ similarity }, size) {
      const N = Math.round(Math.sqrt(size));
      const x = { data: noise(N * D), shape: [N, D] };
      const out = new Float32Array(N * N);
      return {
        numbers: N * N,
        run: () => similarity.matrix(x, x, { out }),
        fresh: () => similarity.matrix(x, x),
      };
    },
  },
  {
    id: "nearest",
    title: `nearest of float32, ${D} wide`,
    group: "Comparisons",
    make({ nearest }, size) {
      const V = rowsOf(size, D);
      const index = nearest.index({ data: noise(V * D), shape: [V, D] });
      const query = noise(D);
      return {
        numbers: V * D,
        run: () => index.search(query, { k: Math.min(10, V) }),
        finish: () => index.dispose(),
      };
    },
  },
  {
    id: "nearest int8",
    title: `nearest of int8, ${D} wide`,
    group: "Comparisons",
    make({ embedding, nearest }, size) {
      const V = rowsOf(size, D);
      const weights = { data: noise(V * D), shape: [V, D] };
      const kept = embedding.quantize(weights, { dtype: "int8" });
      const query = noise(D);
      return {
        numbers: V * D,
        run: () => nearest(kept, query, { k: Math.min(10, V) }),
        finish: () => kept.dispose(),
      };
    },
  },
  {
    id: "pca",
    title: `pca, ${D} wide`,
    group: "Comparisons",
    make({ pca }, size) {
      const N = rowsOf(size, D);
      const x = { data: noise(N * D), shape: [N, D] };
      return { numbers: N * D, run: () => pca(x) };
    },
  },
];

/** Every task at every size. @param {string} entry  URL of the package @returns {Promise<Found>} */
export async function runScaling(entry) {
  /** @type {Scaling[]} */
  const scaling = [];
  console.log("Lower quartiles of several runs.");
  for (const task of tasks) scaling.push(await runTask(task, entry));
  return { judgements: [], scaling };
}

/** @param {Task} task @param {string} entry @returns {Promise<Scaling>} */
async function runTask({ id, title, group, make }, entry) {
  console.log(`\n${title}`);
  const { phasor, bytes } = await loadInView(entry); // a new core: its memory never shrinks
  /** @type {Pick<Point, "size" | "numbers" | "ms" | "fresh" | "core">[]} */
  const measured = [];
  for (const size of SIZES) {
    const before = measured.at(-1);
    if (before && (before.ms * size) / before.size > LONGEST) break;
    const { numbers, run, fresh, finish } = make(phasor, size);
    const [ms, anew = null] = timesOf(fresh ? [run, fresh] : [run]);
    measured.push({ size, numbers, ms, fresh: anew, core: bytes() });
    finish?.();
  }
  const points = compared(measured);
  const lines = points.map(({ numbers, ms, fresh, core, exponent, cliff }) => [
    numbers.toLocaleString("en"),
    digits(ms),
    digits((ms / numbers) * 1e6),
    exponent === null ? "" : exponent.toFixed(2),
    fresh === null ? "" : digits(fresh / ms),
    (core / 2 ** 20).toFixed(1),
    cliff ? "cliff" : "",
  ]);
  const head = ["numbers", "ms", "ns each", "exponent", "x in new arrays", "MiB of the core", ""];
  console.log(table([head, ...lines]));
  return { id, title, group, points };
}

/**
 * Points with the exponent from each to the next, and whether there is a cliff.
 * @template {{numbers: number, ms: number}} Measured
 * @param {readonly Measured[]} points  by size
 * @returns {(Measured & {exponent: number | null, cliff: boolean})[]}
 */
export function compared(points) {
  return points.map((point, i) => {
    const before = points[i - 1];
    const each = ({ ms, numbers } = point) => ms / numbers;
    const least = Math.min(...points.slice(0, i).map((other) => each(other)));
    return {
      ...point,
      exponent: before
        ? Math.log(point.ms / before.ms) / Math.log(point.numbers / before.numbers)
        : null,
      cliff: each() > CLIFF * least,
    };
  });
}

/**
 * The milliseconds of calls, in turn: the lower quartile of each, since a shared machine only adds to them.
 * @param {(() => unknown)[]} runs
 */
export function timesOf(runs) {
  const repeats = runs.map((run) => {
    const start = performance.now();
    let calls = 0;
    do {
      run();
      ++calls;
    } while (performance.now() - start < SPENT.warm);
    return Math.ceil(calls / (performance.now() - start)); // a sample is a millisecond or more
  });
  const samples = runs.map(() => /** @type {number[]} */ ([]));
  const start = performance.now();
  while (performance.now() - start < SPENT.timed || samples[0].length < SPENT.runs) {
    for (const [i, run] of runs.entries()) {
      const from = performance.now();
      for (let repeat = 0; repeat < repeats[i]; ++repeat) run();
      samples[i].push((performance.now() - from) / repeats[i]);
    }
  }
  return samples.map((each) => quantile(each, 0.25));
}

/** How many rows have about `size` numbers. @param {number} size @param {number} width */
function rowsOf(size, width) {
  return Math.max(1, Math.round(size / width));
}

/** Random numbers, drawn once. A prime number of them: rows that repeat them begin at other places. */
const drawn = (() => {
  const random = uniform(3);
  return Float32Array.from({ length: 999_983 }, () => 2 * random() - 1);
})();

/** Random numbers within 1. @param {number} length */
export function noise(length) {
  const numbers = new Float32Array(length);
  for (let at = 0; at < length; at += drawn.length) {
    numbers.set(drawn.subarray(0, Math.min(drawn.length, length - at)), at);
  }
  return numbers;
}
