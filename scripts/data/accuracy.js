// `npm run x -- accuracy`: measures what the guide "Accuracy" promises and prints each value with its
// bound. The page is built from the same measurements. The exact values come from whole-number
// arithmetic (tests/unit/reference/exact.js), which shares nothing with the package.

import { pathToFileURL } from "node:url";
import {
  double,
  exp,
  fixed,
  frequencies,
  log,
  quickPhase,
  ulps,
} from "../../tests/unit/reference/exact.js";
import { noise, numbers } from "../../tests/unit/reference/samples.js";
import { scaledFrequencies } from "../../tests/unit/reference/scaling.js";
import { promises } from "../../web/guides/accuracy/promises.js";
import { table } from "../bench/report.js";

/** @typedef {import("phasor").Phasor} Phasor */
/** @typedef {import("phasor").RotaryScaling} Scaling */

/**
 * @typedef {object} Chart  the largest absolute error at each x
 * @property {number[]} x
 * @property {string[]} labels  of the lines
 * @property {number[][]} rows  [x, lines]
 *
 * @typedef {{byPosition: Chart, byFrequency: Chart}} Charts
 *
 * @typedef {object} Measured
 * @property {Record<string, number>} errors  the largest found, by the promise's id
 * @property {Charts} charts
 */

const DIM = 128;
const BASES = [10000, 500000];

/** @type {Scaling} */
const LLAMA3 = {
  type: "llama3",
  factor: 8,
  lowFreqFactor: 1,
  highFreqFactor: 4,
  originalLength: 8192,
};

/** One of each type, with values from models. @type {Scaling[]} */
const SCALINGS = [
  LLAMA3,
  { type: "linear", factor: 4 },
  { type: "dynamic", factor: 2, maxLength: 2048 },
  { type: "ntk", alpha: 4 },
  { type: "yarn", factor: 16, originalLength: 4096 },
  { type: "yarn", factor: 32, originalLength: 4096, truncate: false },
  {
    type: "longrope",
    originalLength: 4096,
    factor: 32,
    shortFactor: Array.from({ length: DIM / 2 }, (_, i) => 1 + i / 32),
    longFactor: Array.from({ length: DIM / 2 }, (_, i) => 1 + 2 * i),
  },
  { type: "proportional", factor: 8, partialRotaryFactor: 0.25 },
];

/** Whole numbers whose sines are nearest to 0: the numerators of pi's convergents. */
const NEAR_ZEROS = [22, 355, 103993, 104348, 208341, 312689, 833719];

/**
 * Positions between two bounds, integers except every fourth one.
 * @param {number} from @param {number} to @param {number} count @param {number} seed
 */
function positionsIn(from, to, count, seed) {
  return Array.from(noise(count, seed), (x, t) => {
    const position = from + ((x + 1) / 2) * (to - from);
    return t % 4 === 3 ? position : Math.round(position);
  });
}

const near = [
  ...Array.from({ length: 100 }, (_, t) => t),
  ...positionsIn(-(2 ** 20), 2 ** 20, 1000, 1),
  ...NEAR_ZEROS,
];
const far = [
  ...positionsIn(2 ** 20, 2 ** 31, 500, 2),
  ...positionsIn(-(2 ** 31), -(2 ** 20), 100, 3),
  ...Array.from({ length: 20 }, (_, t) => 2 ** 31 - t),
];

/**
 * Call back with every value of a rotary table and the exact one.
 * @param {Phasor} phasor @param {number[]} positions @param {bigint[]} thetas
 * @param {Record<string, any>} options  of rope.table
 * @param {(got: number, exact: number, t: number, pair: number) => void} use
 */
function eachValue({ rope }, positions, thetas, options, use) {
  const dim = 2 * thetas.length;
  const factor = options.scaling ? rope.frequencies(dim, options).attentionFactor : 1;
  const { cos, sin } = rope.table(positions, dim, options);
  positions.map(fixed).forEach((position, t) => {
    thetas.forEach((theta, i) => {
      const exact = quickPhase(position, theta);
      const k = t * thetas.length + i;
      use(Number(cos.data[k]), factor * exact.cos, t, i);
      use(Number(sin.data[k]), factor * exact.sin, t, i);
    });
  });
}

/** The largest of the numbers that a function passes to its callback. @param {(see: (x: number) => void) => void} run */
function largest(run) {
  let most = 0;
  run((x) => (most = Math.max(most, x)));
  return most;
}

/** @param {Phasor} phasor @returns {Record<string, number>} */
function ofTables(phasor) {
  const { rope } = phasor;
  const plain = BASES.map((base) => ({ base, thetas: frequencies(base, DIM / 2, DIM / 2) }));
  const scaled = SCALINGS.flatMap((scaling) =>
    [100, 100000].map((length) => {
      const options = { base: 500000, scaling, length };
      const { attentionFactor } = rope.frequencies(DIM, options);
      const unit = 2 ** Math.ceil(Math.log2(attentionFactor)); // a value's ULP grows with it
      return { options, unit, thetas: scaledFrequencies(scaling, DIM, 500000, length) };
    }),
  );
  /** @param {number[]} positions @param {number} every  take every nth one */
  const ofScaled = (positions, every) =>
    largest((see) => {
      const some = positions.filter((_, t) => t % every === 0);
      for (const { options, thetas, unit } of scaled) {
        eachValue(phasor, some, thetas, options, (got, exact) => see(Math.abs(got - exact) / unit));
      }
    });
  /** @param {ArrayLike<number>} got @param {bigint[]} thetas @param {(x: number) => void} see */
  const compare = (got, thetas, see) =>
    thetas.forEach((theta, i) => see(ulps(got[i], double(theta))));
  return {
    frequencies: largest((see) => {
      for (const [base, dim] of [...BASES, 1e6, 1e10].flatMap((b) =>
        [64, 96, 256].map((d) => [b, d]),
      ))
        compare(
          numbers(rope.frequencies(dim, { base }).frequencies),
          frequencies(base, dim / 2, dim / 2),
          see,
        );
    }),
    "scaled-frequencies": largest((see) => {
      for (const { options, thetas } of scaled)
        compare(numbers(rope.frequencies(DIM, options).frequencies), thetas, see);
    }),
    tables: largest((see) => {
      for (const { base, thetas } of plain)
        eachValue(phasor, near, thetas, { base }, (got, exact) => see(ulps(got, exact)));
    }),
    "far-tables": largest((see) => {
      for (const { base, thetas } of plain)
        eachValue(phasor, far, thetas, { base }, (got, exact) => see(Math.abs(got - exact)));
    }),
    "scaled-tables": ofScaled(near, 8),
    "far-scaled-tables": ofScaled(far, 3),
  };
}

/** How far `torch` is from the formula. @param {Phasor} phasor @returns {Record<string, number>} */
function ofTorch(phasor) {
  const thetas = frequencies(10000, DIM / 2, DIM / 2);
  const options = /** @type {const} */ ({ precision: "torch" });
  const { rope } = phasor;
  const upTo = (/** @type {number} */ last) =>
    largestError(phasor, positionsIn(1, last, 1000, 9), thetas, options);
  return {
    "torch-4096": upTo(4096),
    "torch-131072": upTo(131072),
    "torch-tables": largest((see) => {
      const singles = numbers(rope.frequencies(DIM, options).frequencies);
      const table = rope.table(near, DIM, options);
      near.forEach((position, t) => {
        singles.forEach((theta, i) => {
          const angle = fixed(Math.fround(Math.fround(position) * theta));
          const { sin, cos } = quickPhase(fixed(1), angle);
          see(ulps(Number(table.sin.data[(t * DIM) / 2 + i]), sin));
          see(ulps(Number(table.cos.data[(t * DIM) / 2 + i]), cos));
        });
      });
    }),
  };
}

/** @param {Phasor} phasor @returns {Record<string, number>} */
function ofRotation({ rope }) {
  const thetas = frequencies(10000, DIM / 2, DIM / 2);
  const data = noise(near.length * DIM, 4);
  const turned = rope.apply({ data, shape: [near.length, DIM] }, rope.table(near, DIM), {
    layout: "interleaved",
  }).data;
  const [q, k] = [5, 6].map((seed) => ({ data: noise(DIM, seed), shape: [1, DIM] }));
  const dot = (/** @type {ArrayLike<number>} */ a, /** @type {ArrayLike<number>} */ b) =>
    Array.from(a).reduce((sum, x, d) => sum + x * b[d], 0);
  const lengths = Math.sqrt(dot(q.data, q.data) * dot(k.data, k.data));
  const score = (/** @type {number} */ m, /** @type {number} */ n) =>
    dot(numbers(rope.apply(q, rope.table([m], DIM))), numbers(rope.apply(k, rope.table([n], DIM))));
  return {
    rotation: largest((see) => {
      near.map(fixed).forEach((position, t) => {
        thetas.forEach((theta, i) => {
          const at = t * DIM + 2 * i;
          const [a, b] = [data[at], data[at + 1]];
          const { cos, sin } = quickPhase(position, theta);
          const length = Math.hypot(a, b);
          see(Math.abs(Number(turned[at]) - (a * cos - b * sin)) / length);
          see(Math.abs(Number(turned[at + 1]) - (b * cos + a * sin)) / length);
        });
      });
    }),
    distance: largest((see) => {
      for (const apart of [0, 1, -13, 500, 4096])
        for (const n of [1, -100, 1000.25, 32768, 1000000])
          see(Math.abs(score(n + apart, n) - score(apart, 0)) / lengths);
    }),
  };
}

/** @param {Phasor} phasor @returns {Record<string, number>} */
function ofOthers({ alibi, attention, normalize, pca, procrustes, similarity }) {
  const rows = 64;
  const width = 300;
  const a = { data: noise(rows * width, 7), shape: [rows, width] };
  const b = { data: noise(rows * width, 8), shape: [rows, width] };
  const row = (/** @type {{data: Float32Array}} */ { data }, /** @type {number} */ r) =>
    data.subarray(r * width, (r + 1) * width);
  const sum = (/** @type {number} */ r, /** @type {(a: number, b: number) => number} */ of) =>
    row(a, r).reduce((total, x, d) => total + of(x, row(b, r)[d]), 0);
  /** @param {(see: (x: number) => void, r: number) => void} use */
  const eachRow = (use) =>
    largest((see) => {
      for (let r = 0; r < rows; ++r) use(see, r);
    });
  const cosines = numbers(similarity.rows(a, b));
  const distances = numbers(similarity.rows(a, b, { metric: "euclidean" }));
  const scores = { data: a.data.map((x) => 20 * x), shape: [rows, width] };
  const weights = { data: Float32Array.from(numbers(attention.softmax(scores))) };
  /**
   * @param {"float32" | "float64"} accumulate
   * @param {(got: number, exact: number, magnitudes: number) => number} errorOf
   */
  const ofProducts = (accumulate, errorOf) => {
    const products = numbers(attention.linear(a, b, { accumulate }));
    return largest((see) =>
      products.forEach((got, at) => {
        const y = row(b, at % rows);
        const terms = Array.from(row(a, Math.floor(at / rows)), (x, d) => x * y[d]);
        const total = terms.reduce((sum, term) => sum + term);
        const magnitudes = terms.reduce((sum, term) => sum + Math.abs(term), 0);
        see(errorOf(got, total, magnitudes));
      }),
    );
  };
  const normal = { data: Float32Array.from(numbers(normalize.rmsNorm(a, { eps: 1e-6 }))) };
  const { components } = pca(a, { components: 16 });
  const { rotation } = procrustes(a, b);
  /** @param {{data: ArrayLike<number | bigint>, shape: readonly number[]}} rows  that should be orthonormal */
  const skew = ({ data, shape: [k, D] }) =>
    largest((see) => {
      for (let i = 0; i < k; ++i)
        for (let j = 0; j <= i; ++j) {
          let product = i === j ? -1 : 0;
          for (let d = 0; d < D; ++d) product += Number(data[i * D + d]) * Number(data[j * D + d]);
          see(Math.abs(product));
        }
    });
  return {
    alibi: largest((see) => {
      for (let heads = 1; heads <= 64; heads *= 2)
        numbers(alibi.slopes(heads)).forEach((slope, h) => {
          const exact = exp((-8n * BigInt(h + 1) * log(fixed(2))) / BigInt(heads));
          see(ulps(slope, double(exact)));
        });
    }),
    softmax: eachRow((see, r) => {
      const powers = Array.from(row(scores, r), (x) => Math.exp(x));
      const total = powers.reduce((x, y) => x + y);
      powers.forEach((power, d) => see(Math.abs((row(weights, r)[d] * total) / power - 1)));
    }),
    attention: ofProducts("float32", (got, exact, magnitudes) => {
      const rounding = Math.abs(Math.fround(exact) - exact);
      return (Math.abs(got - exact) - rounding) / ((32 / 2 + 2) * 2 ** -24 * magnitudes);
    }),
    "attention-float64": ofProducts("float64", ulps),
    cosine: eachRow((see, r) => {
      const lengths = sum(r, (x) => x * x) * sum(r, (_, y) => y * y);
      see(Math.abs(cosines[r] - sum(r, (x, y) => x * y) / Math.sqrt(lengths)));
    }),
    euclidean: eachRow((see, r) => {
      const exact = Math.sqrt(sum(r, (x, y) => (x - y) ** 2));
      see(Math.abs(distances[r] / exact - 1));
    }),
    normalize: eachRow((see, r) => {
      const scale = Math.sqrt(sum(r, (x) => x * x) / width + 1e-6);
      row(a, r).forEach((x, d) => see(ulps(row(normal, r)[d], x / scale)));
    }),
    pca: skew(components),
    procrustes: skew(rotation),
  };
}

/** Errors against position, one x every half octave. @param {Phasor} phasor @returns {Chart} */
function byPosition(phasor) {
  const plain = frequencies(10000, DIM / 2, DIM / 2);
  const scaled = scaledFrequencies(LLAMA3, DIM, 500000);
  const lines = [
    { label: "exact", thetas: plain, options: {} },
    { label: "torch", thetas: plain, options: { precision: "torch" } },
    {
      label: "Llama 3, one double for each frequency",
      thetas: scaled,
      options: { frequencies: Float64Array.from(scaled, double) },
    },
  ];
  const x = Array.from({ length: 62 }, (_, k) => 2 ** (k / 2));
  const rows = x.map((from, k) => {
    const positions = positionsIn(from, from * Math.SQRT2, 24, 10 + k);
    return lines.map(({ thetas, options }) => largestError(phasor, positions, thetas, options));
  });
  return { x: x.map((from) => from * 2 ** 0.25), labels: lines.map(({ label }) => label), rows };
}

/** Errors against frequency. @param {Phasor} phasor @returns {Chart} */
function byFrequency(phasor) {
  const thetas = frequencies(10000, DIM / 2, DIM / 2);
  const lines = [
    { label: "exact, positions up to 1,048,576", octaves: 20, options: {} },
    { label: "torch, up to 1,048,576", octaves: 20, options: { precision: "torch" } },
    { label: "torch, up to 4,096", octaves: 12, options: { precision: "torch" } },
  ];
  const rows = thetas.map(() => lines.map(() => 0));
  for (const [line, { octaves, options }] of lines.entries()) {
    const positions = Array.from({ length: octaves }, (_, k) =>
      positionsIn(2 ** k, 2 ** (k + 1), 24, 100 + k),
    ).flat();
    eachValue(phasor, positions, thetas, options, (got, exact, _, pair) => {
      rows[pair][line] = Math.max(rows[pair][line], Math.abs(got - exact));
    });
  }
  const labels = lines.map(({ label }) => label);
  return { x: thetas.map(double).reverse(), labels, rows: rows.reverse() };
}

/**
 * The largest absolute error of a table.
 * @param {Phasor} phasor @param {number[]} positions @param {bigint[]} thetas
 * @param {Record<string, any>} options  of rope.table
 */
function largestError(phasor, positions, thetas, options) {
  return largest((see) =>
    eachValue(phasor, positions, thetas, options, (got, exact) => see(Math.abs(got - exact))),
  );
}

/**
 * Measure the built package.
 * @returns {Promise<Measured>}
 */
export async function measure() {
  const { load } = await import("phasor");
  const phasor = await load();
  return {
    errors: { ...ofTables(phasor), ...ofTorch(phasor), ...ofRotation(phasor), ...ofOthers(phasor) },
    charts: { byPosition: byPosition(phasor), byFrequency: byFrequency(phasor) },
  };
}

async function print() {
  const { errors } = await measure();
  for (const { id, what, bound, unit = "" } of promises.flatMap(({ rows }) => rows)) {
    if (bound === undefined) continue;
    const found = errors[id];
    const verdict = found <= bound ? "" : "  EXCEEDED";
    console.log(
      `${what.replaceAll("`", "")}\n  ${found.toPrecision(6)} of ${bound} ${unit}${verdict}`,
    );
    if (verdict !== "") process.exitCode = 1;
  }
  const { load } = await import("phasor");
  const { measureSums } = await import("./sums.js");
  printSums(measureSums(await load()));
}

/** @param {import("./sums.js").Sum[]} sums */
function printSums(sums) {
  const cells = (/** @type {import("./sums.js").Errors | undefined} */ errors) =>
    errors ? [errors.most, errors.typical].map((x) => x.toExponential(1)) : ["", ""];
  const head = ["golden", "typical", "PyTorch", "typical", "random", "typical"];
  const lines = sums.map(({ what, sums, golden, torch, random }) =>
    [what, sums, ...cells(golden), ...cells(torch), ...cells(random)].flat(),
  );
  console.log("\nErrors of sums, the largest and the typical (root of the mean square)");
  console.log(table([["", "sums in", ...head], ...lines]));
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) await print();
