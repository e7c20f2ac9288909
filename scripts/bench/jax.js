// The jobs of the bench in jax-js, on its WebAssembly backend: one fused kernel each, inputs that
// stay the same kept in its memory, the result read back as a typed array.

import { frequencies } from "./plain.js";

/** @typedef {import("./measure.js").Contestant} Contestant */

/** @returns {Promise<any>} installed by the bench alone, so its types are not there to check */
async function start() {
  const name = "@jax-js/jax";
  const jax = await import(name);
  await jax.init("wasm");
  return jax;
}

/**
 * sin(t theta_d + phase_d): a cosine is a sine a quarter turn on. Half the time of computing both
 * everywhere, and faster than interleaving them.
 * @param {number} T @param {number} D
 * @returns {Promise<Contestant>}
 */
export async function sinusoidal(T, D) {
  const { numpy, jit } = await start();
  const theta = frequencies(D / 2);
  const positions = numpy.array(Float32Array.from({ length: T }, (_, t) => t)).reshape([T, 1]);
  const rates = numpy.array(Float32Array.from({ length: D }, (_, d) => theta[d >> 1]));
  const phases = numpy.array(Float32Array.from({ length: D }, (_, d) => ((d % 2) * Math.PI) / 2));
  const table = jit((/** @type {any} */ t, /** @type {any} */ rate, /** @type {any} */ phase) =>
    numpy.sin(t.mul(rate).add(phase)),
  );
  const run = () => table(positions.ref, rates.ref, phases.ref).dataSync();
  // Angles in float32: half a unit of 4096 is 2.4e-4, twice.
  return { name: "jax-js", run, result: () => [run()], tolerance: 6e-4 };
}

/**
 * @param {number} T @param {number} P
 * @returns {Promise<Contestant>}
 */
export async function rotaryTables(T, P) {
  const { numpy, jit } = await start();
  const positions = numpy.array(Float32Array.from({ length: T }, (_, t) => t)).reshape([T, 1]);
  const rates = numpy.array(Float32Array.from(frequencies(P)));
  const tables = jit((/** @type {any} */ t, /** @type {any} */ rate) => {
    const angles = t.mul(rate);
    return [numpy.cos(angles.ref), numpy.sin(angles)];
  });
  const run = () =>
    tables(positions.ref, rates.ref).map((/** @type {any} */ table) => table.dataSync());
  return { name: "jax-js", run, result: run, tolerance: 4e-3 }; // float32 angles up to 32768
}

/**
 * The cosine of every two rows.
 * @param {Float32Array} x [N, D] @param {number} D
 * @returns {Promise<Contestant>}
 */
export async function cosines(x, D) {
  const { numpy, jit } = await start();
  const rows = numpy.array(x).reshape([x.length / D, D]);
  const matrix = jit((/** @type {any} */ a) => {
    const lengths = numpy.sqrt(a.ref.mul(a.ref).sum(1, { keepdims: true }));
    const unit = a.div(lengths);
    return numpy.matmul(unit.ref, unit.transpose());
  });
  const run = () => matrix(rows.ref).dataSync();
  return { name: "jax-js", run, result: () => [run()], tolerance: 4e-6 }; // float32 sums of D products
}

/** The numbers of an array [D, 8] in columns at right angles. @param {Float32Array} x @returns {Float32Array} */
function orthonormalized(x) {
  const q = x.slice();
  for (let c = 0; c < 8; ++c) {
    for (let p = 0; p <= c; ++p) {
      let along = 0;
      for (let at = 0; at < q.length; at += 8) along += q[at + c] * q[at + p];
      for (let at = 0; at < q.length; at += 8) {
        if (p < c) q[at + c] -= along * q[at + p];
        else q[at + c] /= Math.sqrt(along);
      }
    }
  }
  return q;
}

/**
 * The two largest variances, by subspace iteration with eight columns. Centering is not on the clock.
 * @param {Float32Array} x [N, D] @param {number} D @param {number} turns
 * @returns {Promise<Contestant>}
 */
export async function variances(x, D, turns) {
  const { numpy, jit } = await start();
  const N = x.length / D;
  const mean = new Float64Array(D);
  for (let at = 0; at < x.length; ++at) mean[at % D] += x[at] / N;
  const rows = numpy.array(x.map((value, at) => value - mean[at % D])).reshape([N, D]);
  const multiply = jit((/** @type {any} */ a, /** @type {any} */ q) =>
    numpy.matmul(a.ref.transpose(), numpy.matmul(a, q)),
  );
  const first = orthonormalized(
    Float32Array.from({ length: D * 8 }, (_, at) => Math.sin(at * at + 1)),
  );
  const run = () => {
    let q = first;
    /** @type {Float32Array} */
    let products = first;
    for (let turn = 0; turn < turns; ++turn) {
      if (turn > 0) q = orthonormalized(products);
      products = multiply(rows.ref, numpy.array(q).reshape([D, 8])).dataSync();
    }
    // The columns lie in the order of their variances: each has settled on its own.
    const found = new Float32Array(2);
    for (let at = 0; at < q.length; ++at) {
      if (at % 8 < 2) found[at % 8] += (q[at] * products[at]) / (N - 1);
    }
    return found;
  };
  return { name: "jax-js", run, result: () => [run()], tolerance: 1e-3 }; // float32 sums of N products
}

/**
 * Attention, output and weights. The queries come scaled and the keys as columns: nothing of that is on the
 * clock.
 * @param {Float32Array} q [H, T, D], times 1/sqrt(D) @param {Float32Array} k [H, D, T]
 * @param {Float32Array} v [H, T, D] @param {{H: number, T: number, D: number}} sizes
 * @returns {Promise<Contestant>}
 */
export async function attention(q, k, v, { H, T, D }) {
  const { numpy, nn, jit } = await start();
  const shapes = [
    [H, T, D],
    [H, D, T],
    [H, T, D],
  ];
  const inputs = [q, k, v].map((data, i) => numpy.array(data).reshape(shapes[i]));
  const attend = jit((/** @type {any} */ a, /** @type {any} */ b, /** @type {any} */ c) => {
    const weights = nn.softmax(numpy.matmul(a, b));
    return [numpy.matmul(weights.ref, c), weights];
  });
  const run = () =>
    attend(...inputs.map(({ ref }) => ref)).map((/** @type {any} */ each) => each.dataSync());
  return { name: "jax-js", run, result: run, tolerance: 1e-6 }; // means of numbers within 1
}

/**
 * Time to the first table, everything included.
 * @param {number} T @param {number} D
 */
export async function firstTable(T, D) {
  const { run } = await sinusoidal(T, D);
  return run(0);
}
