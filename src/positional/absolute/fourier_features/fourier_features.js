/** @import { Core } from "../../../runtime/wasm.js" */
/** @import { OptionsOf } from "../../../runtime/options.js" */
/** @import { Tensor, TensorInput } from "../../../runtime/tensor.js" */
import { readIntegers, readPerAxis } from "../../../runtime/axes.js";
import * as arrays from "../../../runtime/arrays.js";
import * as check from "../../../runtime/check.js";
import { checkStatus, wrongShape } from "../../../runtime/errors.js";
import { withMemory, overRows, take } from "../../../runtime/memory.js";
import * as option from "../../../runtime/options.js";
import { REACH } from "../../../runtime/positions.js";
import { drawNormal } from "../../../runtime/random.js";
import { output } from "../../../runtime/result.js";
import { asArray, refuseBits } from "../../../runtime/input.js";
import { product } from "../sincos_grid/sincos_grid.js";
import { sinusoidal } from "../sinusoidal/sinusoidal.js";

/** In the order of the C++ enums. */
const SPACINGS = /** @type {const} */ (["linear", "log"]);
const PRECISIONS = /** @type {const} */ (["exact", "torch"]);
const LINEAR = SPACINGS.indexOf("linear");
const RADIANS = 0;
const HALF_TURNS = 1;
const TURNS = 2;

const TIMESTEPS = option.optionSet(() => ({
  /** The longest period over 2 pi: `max_period`. */
  base: option.number({ default: 10000, min: 1 }),
  /** The columns of sines and cosines: `halves` [s s c c], `flipped` [c c s s], `interleaved` [s c s c]. */
  layout: option.choice(["halves", "flipped", "interleaved"]),
  /** The exponents' denominator is D/2 less this: 1 in DDPM, 0 in guided diffusion; `downscale_freq_shift` in diffusers. */
  downscaleFreqShift: option.number({ default: 1, min: -1e9, max: 1e9 }),
  /** The factor of all times: 1000 in FLUX. */
  timeFactor: option.number({ default: 1 }),
  /** `exact` rounds the formula once. `torch` follows PyTorch's float32 steps. */
  precision: option.choice(PRECISIONS),
  /** How `torch` forms frequencies in float32: by an exponential or by a power. */
  recipe: option.choice(["exp", "pow"]),
  /** Filled instead of a new array. */
  out: option.out(),
}));

const GAUSSIAN = option.optionSet(() => ({
  /** The standard deviation of drawn frequencies. Weights are multiplied as they are given: beside them it changes nothing, because the presets have it. */
  scale: option.number({ default: 1, min: 0, max: 2 ** 20 }),
  /** The seed of drawn frequencies, 0 .. 2^64-1. */
  seed: option.seed(),
  /** `torch` draws the numbers of `torch.manual_seed(seed)`. */
  generator: option.choice(["philox", "torch"]),
  /** Whether ln x is encoded instead of x. */
  log: option.boolean(),
  /** The columns of sines and cosines: `halves` [s s c c], `flipped` [c c s s]. */
  layout: option.choice(["halves", "flipped"]),
  /** `exact` rounds the formula once. `torch` forms the angle ((x w) 2) pi in float32. */
  precision: option.choice(PRECISIONS),
  /** Filled instead of a new array. */
  out: option.out(),
}));

const NERF = option.optionSet(() => ({
  /** The number of frequencies L. */
  levels: option.integer({ default: 10, max: 64 }),
  /** Whether the coordinates are the first columns. */
  includeInput: option.boolean(true),
  /** Whether frequencies from 1 to 2^(L-1) have equal ratios, `log`, or equal steps, `linear`. */
  spacing: option.choice(SPACINGS, "log"),
  /** `exact` rounds the formula once. `torch` forms the angle in float32. */
  precision: option.choice(PRECISIONS),
  /** Filled instead of a new array. */
  out: option.out(),
}));

const BANDS = option.optionSet(() => ({
  /** The resolution M of all axes or of each: the last band is the Nyquist frequency M/2. Default: `sizes`. */
  resolution: option.value(/** @type {number | ArrayLike<number> | undefined} */ (undefined)),
  /** Whether bands from 1 to M/2 have equal steps, `linear`, or equal ratios, `log`. */
  spacing: option.choice(SPACINGS),
  /** Whether the coordinates are the first columns. */
  includeInput: option.boolean(true),
  /** The order of the sines, and of the cosines: all bands of one coordinate first (`coordinates`, Perceiver), or all coordinates of one band (`bands`, timm). */
  order: option.choice(["coordinates", "bands"]),
  /** `exact` rounds the formula once. `torch` forms the angle x (f pi) in float32. */
  precision: option.choice(PRECISIONS),
  /** Filled instead of a new array. */
  out: option.out(),
}));

const presets = () =>
  option.presetsOf("fourierFeatures", [TIMESTEPS, GAUSSIAN, NERF, BANDS], {
    /** `timesteps`: hojonathanho/diffusion, diffusion_tf/nn.py; diffusers' defaults. */
    ddpm: { layout: "halves", downscaleFreqShift: 1 },
    /** `timesteps`: openai/guided-diffusion, nn.py; ggml; Stable Diffusion. */
    guided_diffusion: { layout: "flipped", downscaleFreqShift: 0 },
    /** `timesteps`: black-forest-labs/flux, modules/layers.py: timestep_embedding. */
    flux: { layout: "flipped", downscaleFreqShift: 0, timeFactor: 1000 },
    /** `gaussian`: yang-song/score_sde, models/ncsnpp.py: of log sigma, scale 16. */
    ncsnpp: { scale: 16, log: true, layout: "halves" },
    /** `nerf`: bmild/nerf, run_nerf.py: multires 10 for positions. */
    "nerf-position": { levels: 10, includeInput: true, spacing: "log" },
    /** `nerf`: bmild/nerf, run_nerf.py: multires_views 4 for directions. */
    "nerf-direction": { levels: 4, includeInput: true, spacing: "log" },
    /** `bands`: deepmind-research, perceiver/position_encoding.py: generate_fourier_features. */
    perceiver: { spacing: "linear", includeInput: true, order: "coordinates" },
    /** `bands`: timm, layers/pos_embed_sincos.py: FourierEmbed. */
    timm: { resolution: 224, spacing: "linear", includeInput: true, order: "bands" },
  });

/**
 * Fourier features of continuous numbers: times, noise levels, coordinates.
 * @param {Core} core
 */
export function fourierFeatures(core) {
  const { raw } = core;
  const table = sinusoidal(core).table;

  /**
   * Computes P numbers from `first` to `last`.
   * @param {number} first @param {number} last @param {number} P
   * @param {number} spacing @param {number} steps
   */
  function spread(first, last, P, spacing, steps) {
    return withMemory(core, [P * 8], (at) => {
      checkStatus(raw.fourier_features_spread(first, last, spacing, steps, at, P));
      const numbers = new Float64Array(P);
      take(core, at, P, numbers);
      return numbers;
    });
  }

  /**
   * Fills rows with sines and cosines. The first `first` columns get the coordinates.
   * @param {Read} x  [..., C]
   * @param {number} C
   * @param {Float64Array} w  [C, P]
   * @param {{unit: number, log?: boolean, steps: number}} angle
   * @param {{first: number, sin: number, cos: number, coordinate: number, band: number}} to
   * @param {Float32Array} result
   */
  function waves(x, C, w, { unit, log = false, steps }, to, result) {
    const P = w.length / C;
    const { first, sin, cos, coordinate, band } = to;
    const row = first + 2 * C * P;
    const largest = log ? 746 : x.max; // |ln| of the smallest double
    const highest = w.reduce((max, frequency) => Math.max(max, Math.abs(frequency)), 0);
    // Slightly below 2^31, so that no rounding exceeds the core's limit for angles.
    const limit = (REACH * (1 - 2 ** -20)) / [1, Math.PI, 2 * Math.PI][unit];
    if (largest * highest > limit) {
      throw new RangeError(
        `x times its frequency must be within ${limit}; got up to ${largest} times ${highest}`,
      );
    }
    const N = x.data.length / C;
    const pieces = [
      /** @type {const} */ ({ data: x.data, row: C }),
      { data: w },
      /** @type {const} */ ({ data: result, row, direction: "out" }),
    ];
    const angle = { C, P, unit, input: Number(log), steps };
    const columns = { row, sin: first + sin, cos: first + cos, coordinate, band };
    overRows(core, N, pieces, (count, _, [at, frequencies, out]) =>
      raw.fourier_features_waves({ x: at, N: count, w: frequencies, out, angle, columns }),
    );
    for (let n = 0; n < N; ++n) {
      for (let c = 0; c < first; ++c) result[n * row + c] = x.data[n * C + c];
    }
  }

  const module = {
    /**
     * Options by model, each for the function that its comment names:
     * `fourierFeatures.timesteps(t, 256, fourierFeatures.presets.flux)`.
     */
    presets: presets(),

    /**
     * Computes the encoding of times that diffusion models take.
     *
     *     angle = timeFactor * t * base^(-k / (h - downscaleFreqShift)),  k < h = floor(D/2)
     *     row   = [sin ; cos] or [cos ; sin], a zero last where D is odd
     *
     * Accuracy: timeFactor * t is rounded to double. For that number `exact` is within 0.501 ULP up to 2^20 and
     * 2.99e-8 absolute up to 2^31. `torch` follows float32 steps, which differ between libraries: their angles agree within
     * a few 2^-24 of the angle.
     *
     * @param {number | TensorInput} t  one time or many, of any shape; fractions and negative too
     * @param {number} dim  width D of a row
     * @param {OptionsOf<typeof TIMESTEPS>} [options]
     * @returns {Tensor} float32 [...t.shape, D]
     * @throws {TypeError | RangeError} if an argument has the wrong type or is out of range
     * @see Ho et al. 2020, Denoising diffusion probabilistic models, https://arxiv.org/abs/2006.11239
     * @example
     * fourierFeatures.timesteps(0.5, 4, fourierFeatures.presets.flux).toString()
     * // [-0.88384926  0.2836622  -0.4677718  -0.9589243 ]
     */
    timesteps(t, dim, options = {}) {
      const { downscaleFreqShift, timeFactor, out, ...rest } = TIMESTEPS.read(options);
      // A single frequency is 1, whatever the exponents' denominator.
      const half = Math.max(Math.floor(check.integer(dim, "dim") / 2), 2);
      if (!(downscaleFreqShift <= half - 1e-9)) {
        const rule = `a number < ${half}, by 1e-9 at least`;
        throw new RangeError(`downscaleFreqShift must be ${rule}; got ${downscaleFreqShift}`);
      }
      const times = readNumbers(t, "t");
      const round = rest.precision === "torch" ? Math.fround : (/** @type {number} */ x) => x;
      const positions = times.data.map((time) => round(round(time) * round(timeFactor)));
      if (!positions.every((position) => Math.abs(position) <= REACH)) {
        throw new RangeError(`t must be within 2^31 / timeFactor; got ${times.max}`);
      }
      return table({ data: positions, shape: times.shape }, dim, {
        ...rest,
        spectrum: half - downscaleFreqShift,
        odd: "zero-last",
        out,
      });
    },

    /**
     * Computes sines and cosines at random frequencies.
     *
     *     row = [sin(2 pi w_j x) ; cos(2 pi w_j x)],  w_j ~ Normal(0, scale^2)
     *
     * Accuracy: `exact` is within 0.501 ULP of the formula for the doubles x and w; with `log`
     * absolute 3e-8 + 2e-16 |angle|. `torch` is within 0.51 ULP of the sine of the float32 angle.
     *
     * @param {number | TensorInput} x  one number or many, of any shape
     * @param {number | TensorInput} dimOrWeights  an even width D, for which D/2 frequencies are
     *   drawn, or the frequencies [D/2] of a trained model
     * @param {OptionsOf<typeof GAUSSIAN>} [options]
     * @returns {Tensor} float32 [...x.shape, D]
     * @throws {TypeError | RangeError} if an argument has the wrong type or is out of range
     * @see Tancik et al. 2020, https://arxiv.org/abs/2006.10739; diffusers, embeddings.py:
     *   GaussianFourierProjection
     * @example
     * fourierFeatures.gaussian([0, 0.25], [1, 2]).toArray()
     * // [[0, 0, 1, 1], [1, 0, 0, -1]]
     */
    gaussian(x, dimOrWeights, options = {}) {
      const { scale, seed, generator, log, layout, precision, out } = GAUSSIAN.read(options);
      const steps = PRECISIONS.indexOf(precision);
      const points = readNumbers(x, "x");
      const least = precision === "exact" ? 0 : 2 ** -150; // half the smallest float32
      const wrong = points.data.find((number) => log && !(number > least));
      if (wrong !== undefined) {
        throw new RangeError(`x must be greater than ${least} for its logarithm; got ${wrong}`);
      }
      const isDrawn = typeof dimOrWeights === "number" || typeof dimOrWeights === "bigint";
      if (!isDrawn) check.refuseIdle(options, ["seed", "generator"], "a width, not weights");
      const weights = isDrawn
        ? draw(check.pairs(dimOrWeights), { std: scale, seed, generator })
        : readNumbers(dimOrWeights, "weights");
      const P = weights.data.length;
      if (weights.shape.length !== 1 || P === 0) {
        throw wrongShape("weights", "[D/2] with D >= 2", weights.shape);
      }
      const shape = [...points.shape, 2 * P];
      const result = output(out, shape);
      const [sin, cos] = layout === "flipped" ? [P, 0] : [0, P];
      const columns = { first: 0, sin, cos, coordinate: 0, band: 1 };
      const angle = { unit: TURNS, log, steps };
      waves(points, 1, weights.data, angle, columns, result.data);
      return result.done();
    },

    /**
     * Computes the features that NeRF makes of positions and directions. The angles have no factor pi.
     *
     *     row = [x, sin x, cos x, sin 2x, cos 2x, ..., sin 2^(L-1) x, cos 2^(L-1) x]
     *
     * where each sin and cos stands for the columns of all coordinates of x.
     * Accuracy: `exact` is within 0.501 ULP for the doubles given; `torch` within 0.51 ULP of the
     * sine of the float32 angle.
     *
     * @param {TensorInput} x  coordinates [..., n]
     * @param {OptionsOf<typeof NERF>} [options]
     * @returns {Tensor} float32 [..., n (1 + 2L)], or [..., 2nL] without the input
     * @throws {TypeError | RangeError} if an argument has the wrong type or is out of range
     * @see Mildenhall et al. 2020, NeRF, https://arxiv.org/abs/2003.08934, section 5.1
     * @example
     * fourierFeatures.nerf([0, 1], { levels: 1 }).toArray()
     * // [0, 1, 0, 0.8414709568023682, 1, 0.5403022766113281]
     */
    nerf(x, options = {}) {
      const { levels: L, includeInput, spacing, precision, out } = NERF.read(options);
      const steps = PRECISIONS.indexOf(precision);
      const points = readNumbers(x, "x");
      const n = points.shape[points.shape.length - 1] ?? 0;
      if (n === 0) {
        throw wrongShape("x", "[..., n] with n >= 1", points.shape);
      }
      const first = includeInput ? n : 0;
      const shape = [...points.shape.slice(0, -1), first + 2 * n * L];
      const result = output(out, shape);
      const kind = SPACINGS.indexOf(spacing);
      const w = repeated(spread(1, 2 ** (L - 1), L, kind, steps), n);
      const columns = { first, sin: 0, cos: n, coordinate: 1, band: 2 * n };
      waves(points, n, w, { unit: RADIANS, steps }, columns, result.data);
      return result.done();
    },

    /**
     * Computes features of the cells of a grid, whose coordinates run from -1 to 1 along each axis.
     *
     *     row = [x, sin(pi f_k x), cos(pi f_k x)],  f_0 = 1 .. f_(P-1) = resolution / 2
     *
     * where each sin and cos stands for the columns of all coordinates of the cell. Cells are in
     * row-major order.
     * Accuracy: `exact` is within 0.501 ULP for coordinates and bands rounded to double; `torch`
     * within 0.51 ULP of the sine of the float32 angle.
     *
     * @param {ArrayLike<number>} sizes  cells along each axis, [h, w] or any other number of axes
     * @param {number} count  bands P
     * @param {OptionsOf<typeof BANDS>} [options]
     * @returns {Tensor} float32 [h * w, n (1 + 2P)] for n axes, or [h * w, 2nP] without the input
     * @throws {TypeError | RangeError} if an argument has the wrong type or is out of range
     * @see Jaegle et al. 2021, Perceiver, https://arxiv.org/abs/2103.03206, section 3.2
     * @example
     * fourierFeatures.bands([3], 1).toArray()
     * // [[-1, 0, -1], [0, 0, 1], [1, 0, -1]]
     */
    bands(sizes, count, options = {}) {
      const { resolution, spacing, includeInput, order, precision, out } = BANDS.read(options);
      const axes = readIntegers(sizes, "sizes", 1);
      const n = axes.length;
      const P = check.integer(count, "count");
      const finest = resolution === undefined ? axes : readPerAxis(resolution, "resolution", n);
      const steps = PRECISIONS.indexOf(precision);
      const first = includeInput ? n : 0;
      const shape = [arrays.count(axes), first + 2 * n * P];
      const result = output(out, shape);

      const w = new Float64Array(n * P);
      const kind = SPACINGS.indexOf(spacing);
      finest.forEach((M, axis) => w.set(spread(1, M / 2, P, kind, steps), axis * P));
      const x = product(axes.map((size) => spread(-1, 1, size, LINEAR, steps)));
      const [coordinate, band] = order === "coordinates" ? [P, 1] : [1, n];
      const columns = { first, sin: 0, cos: n * P, coordinate, band };
      const points = { data: x, shape, max: 1 };
      waves(points, n, w, { unit: HALF_TURNS, steps }, columns, result.data);
      return result.done();
    },
  };
  return option.withOptions(module, {
    timesteps: TIMESTEPS,
    gaussian: GAUSSIAN,
    nerf: NERF,
    bands: BANDS,
  });

  /**
   * Draws normal frequencies.
   * @param {number} P @param {{std: number, seed: bigint, generator: "philox" | "torch"}} options
   * @returns {Read}
   */
  function draw(P, options) {
    const data = Float64Array.from(drawNormal(core, P, options));
    return { data, shape: [P], max: 0 };
  }
}

/**
 * Numbers of any shape as doubles, and the largest absolute value.
 * @typedef {{data: Float64Array, shape: readonly number[], max: number}} Read
 */

/**
 * @param {unknown} value  a number, nested arrays, a typed array, a tensor
 * @param {string} name
 * @returns {Read} a copy
 */
export function readNumbers(value, name) {
  const read = typeof value === "number" ? { data: [value], shape: [] } : asArray(value, name);
  refuseBits(read, name);
  const { data, shape } = read;
  const numbers = new Float64Array(data.length);
  let max = 0;
  for (let i = 0; i < data.length; ++i) {
    const given = data[i];
    const number = typeof given === "bigint" ? Number(given) : given;
    numbers[i] = check.finite(
      number,
      name,
      "numbers within float32",
      (x) => Math.abs(x) <= check.MOST,
    );
    max = Math.max(max, Math.abs(numbers[i]));
  }
  return { data: numbers, shape, max };
}

/** Repeats numbers n times. @param {Float64Array} numbers @param {number} n */
function repeated(numbers, n) {
  const all = arrays.float64s(n * numbers.length, "the frequencies");
  for (let c = 0; c < n; ++c) all.set(numbers, c * numbers.length);
  return all;
}
