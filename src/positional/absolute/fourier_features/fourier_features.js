/** @import { Core, Raw } from "../../../runtime/wasm.js" */
/** @import { Precision, Recipe } from "../../../runtime/phase.js" */
/** @import { TensorInput } from "../../../runtime/tensor.js" */
import * as check from "../../../runtime/check.js";
import { checkStatus } from "../../../runtime/errors.js";
import { withMemory, overRows, take } from "../../../runtime/memory.js";
import { REACH } from "../../../runtime/positions.js";
import { asArray, Tensor } from "../../../runtime/tensor.js";
import { embedding } from "../../../embedding/embedding/embedding.js";
import { product, readPerAxis, readSizes } from "../sincos_grid/sincos_grid.js";
import { sinusoidal } from "../sinusoidal/sinusoidal.js";

/** In the order of the C++ enums. */
const SAMPLINGS = /** @type {const} */ (["linear", "log"]);
const INPUTS = /** @type {const} */ (["plain", "log"]);
const PRECISIONS = /** @type {const} */ (["exact", "torch"]);
const RADIANS = 0;
const HALF_TURNS = 1;
const TURNS = 2;

const HALVES = /** @type {const} */ (["halves", "flipped"]);
const INCLUDE = /** @type {const} */ (["input", "none"]);
const ORDERS = /** @type {const} */ (["coordinates", "bands"]);

/**
 * @typedef {object} TimestepOptions
 * @property {number} [base]  the longest period over 2 pi, max_period; default 10000
 * @property {"halves" | "flipped" | "interleaved"} [layout]  `halves` [s s c c] (default),
 *   `flipped` [c c s s], `interleaved` [s c s c]
 * @property {number} [shift]  of the exponents' denominator, h - shift: 1 (default) as DDPM, 0 as
 *   guided diffusion; downscale_freq_shift in diffusers
 * @property {number} [timeFactor]  times are multiplied by it, 1000 in FLUX; default 1
 * @property {Precision} [precision]  `exact` (default) or `torch`, PyTorch's float32 steps
 * @property {Recipe} [recipe]  which float32 steps: `exp` (default) or `pow`
 *
 * @typedef {object} GaussianOptions
 * @property {number} [scale]  standard deviation of drawn frequencies; default 1
 * @property {number | bigint} [seed]  0 .. 2^64-1; default 0
 * @property {"philox" | "torch"} [generator]  `philox` (default) or `torch`: the numbers of
 *   `torch.manual_seed(seed)`
 * @property {typeof INPUTS[number]} [input]  `plain` (default) or `log`: ln x for x
 * @property {typeof HALVES[number]} [layout]  `halves` [s s c c] (default) or `flipped` [c c s s]
 * @property {Precision} [precision]  `exact` (default) or `torch`: the angle ((x w) 2) pi in float32
 *
 * @typedef {object} NerfOptions
 * @property {number} [levels]  L, up to 64; default 10
 * @property {typeof INCLUDE[number]} [include]  `input` (default): the coordinates first; or `none`
 * @property {typeof SAMPLINGS[number]} [sampling]  frequencies 1 .. 2^(L-1) at equal ratios, `log`
 *   (default), or at equal steps, `linear`
 * @property {Precision} [precision]  `exact` (default) or `torch`: the angle in float32
 *
 * @typedef {object} BandOptions
 * @property {number | readonly number[]} [resolution]  M, of each axis or of all: bands end at M/2,
 *   Nyquist's; default the sizes themselves
 * @property {typeof SAMPLINGS[number]} [sampling]  bands 1 .. M/2 at equal steps, `linear` (default),
 *   or at equal ratios, `log`
 * @property {typeof INCLUDE[number]} [include]  `input` (default): the coordinates first; or `none`
 * @property {typeof ORDERS[number]} [order]  what stays together among the sines, and among the
 *   cosines: `coordinates` (default; all bands of one coordinate, Perceiver) or `bands` (all
 *   coordinates of one band, timm)
 * @property {Precision} [precision]  `exact` (default) or `torch`: the angle x (f pi) in float32
 */

const TIMESTEPS = Object.freeze({
  base: 10000,
  layout: "halves",
  shift: 1,
  timeFactor: 1,
  precision: "exact",
  recipe: "exp",
});
const GAUSSIAN = Object.freeze({
  scale: 1,
  seed: 0,
  generator: "philox",
  input: "plain",
  layout: "halves",
  precision: "exact",
});
const NERF = Object.freeze({ levels: 10, include: "input", sampling: "log", precision: "exact" });
const BANDS = Object.freeze({
  resolution: undefined,
  sampling: "linear",
  include: "input",
  order: "coordinates",
  precision: "exact",
});

/** @template {TimestepOptions | GaussianOptions | NerfOptions | BandOptions} Options @param {Options} options */
const preset = (options) => Object.freeze(options);

const PRESETS = Object.freeze({
  /** `timesteps`: hojonathanho/diffusion, diffusion_tf/nn.py; diffusers' defaults. */
  ddpm: preset({ layout: "halves", shift: 1 }),
  /** `timesteps`: openai/guided-diffusion, nn.py; ggml; Stable Diffusion. */
  guidedDiffusion: preset({ layout: "flipped", shift: 0 }),
  /** `timesteps`: black-forest-labs/flux, modules/layers.py: timestep_embedding. */
  flux: preset({ layout: "flipped", shift: 0, timeFactor: 1000 }),
  /** `gaussian`: yang-song/score_sde, models/ncsnpp.py: of log sigma, scale 16. */
  ncsnpp: preset({ scale: 16, input: "log", layout: "halves" }),
  /** `nerf`: bmild/nerf, run_nerf.py: multires 10 for places. */
  nerfPosition: preset({ levels: 10, include: "input", sampling: "log" }),
  /** `nerf`: bmild/nerf, run_nerf.py: multires_views 4 for directions. */
  nerfDirection: preset({ levels: 4, include: "input", sampling: "log" }),
  /** `bands`: deepmind-research, perceiver/position_encoding.py: generate_fourier_features. */
  perceiver: preset({ sampling: "linear", include: "input", order: "coordinates" }),
  /** `bands`: timm, layers/pos_embed_sincos.py: FourierEmbed. */
  timm: preset({ resolution: 224, sampling: "linear", include: "input", order: "bands" }),
});

/**
 * Fourier features of continuous numbers: times, noise levels, coordinates.
 * @param {Core} core
 */
export function fourierFeatures(core) {
  const raw =
    /**
     * @type {Raw & {
     *   fourier_features_spread(first: number, last: number, spacing: number, steps: number, out: number,
     *     P: number): number,
     *   fourier_features_waves(x: number, N: number, C: number, w: number, P: number, unit: number,
     *     input: number, steps: number, row: number, sin: number, cos: number, coordinate: number,
     *     band: number, out: number): number,
     * }}
     */ (core.raw);
  const table = sinusoidal(core).table;

  /**
   * P numbers from one end to the other.
   * @param {number} first @param {number} last @param {number} P
   * @param {number} spacing @param {number} steps @param {string} where
   */
  function spread(first, last, P, spacing, steps, where) {
    return withMemory(core, where, [P * 8], (at) => {
      checkStatus(raw.fourier_features_spread(first, last, spacing, steps, at, P), where);
      const numbers = new Float64Array(P);
      take(core, at, P, numbers);
      return numbers;
    });
  }

  /**
   * Fill rows with sines and cosines, and with the coordinates themselves where `first` columns are
   * kept for them.
   * @param {Read} x  [..., C]
   * @param {number} C
   * @param {Float64Array} w  [C, P]
   * @param {{unit: number, input?: number, steps: number}} how
   * @param {{first: number, sin: number, cos: number, coordinate: number, band: number}} columns
   * @param {Float32Array} result @param {string} where
   */
  function waves(x, C, w, { unit, input = 0, steps }, columns, result, where) {
    const P = w.length / C;
    const { first, sin, cos, coordinate, band } = columns;
    const row = first + 2 * C * P;
    const most = input === 0 ? x.most : 746; // |ln| of the smallest double
    const fastest = w.reduce((most, frequency) => Math.max(most, Math.abs(frequency)), 0);
    // An angle of 2^31, less a little, so that no rounding goes beyond what the core takes.
    const limit = (REACH * (1 - 2 ** -20)) / [1, Math.PI, 2 * Math.PI][unit];
    if (most * fastest > limit) {
      throw new RangeError(
        `x times its frequency must be within ${limit}; got up to ${most} times ${fastest}`,
      );
    }
    const N = x.data.length / C;
    const pieces = [
      /** @type {const} */ ({ data: x.data, row: C }),
      { data: w },
      /** @type {const} */ ({ data: result, row, way: "out" }),
    ];
    overRows(core, where, N, pieces, (count, _, [at, frequencies, out]) =>
      raw.fourier_features_waves(
        ...[at, count, C, frequencies, P, unit, input, steps],
        ...[row, first + sin, first + cos, coordinate, band, out],
      ),
    );
    for (let n = 0; n < N; ++n) {
      for (let c = 0; c < first; ++c) result[n * row + c] = x.data[n * C + c];
    }
  }

  return {
    /**
     * Option sets of models, each for the function that its comment names:
     * `fourierFeatures.timesteps(t, 256, fourierFeatures.presets.flux)`.
     */
    presets: PRESETS,

    /**
     * The encoding of times, as diffusion models feed it to their networks.
     *
     *     angle = timeFactor * t * base^(-k / (h - shift)),  k < h = floor(D/2)
     *     row   = [sin ; cos] or [cos ; sin], a zero last where D is odd
     *
     * Accuracy: `exact` is within 0.501 ULP for |timeFactor * t| <= 2^20 and 2.99e-8 absolute up to
     * 2^31; `torch` follows float32 steps, of which each library has its own: angles within a few
     * 2^-24 of themselves.
     *
     * @param {number | TensorInput} t  one time or many, of any shape; fractions and negative too
     * @param {number} dim  width D of a row
     * @param {TimestepOptions & {out?: Float32Array | Tensor}} [options]
     * @returns {Tensor} float32 [...t.shape, D]; the caller's own
     * @throws {TypeError | RangeError} if an argument is of the wrong kind or out of range
     * @see Ho et al. 2020, Denoising diffusion probabilistic models, https://arxiv.org/abs/2006.11239
     * @example
     * fourierFeatures.timesteps(0.5, 4, fourierFeatures.presets.flux).toString()
     * // [-0.88384926  0.2836622  -0.4677718  -0.9589243 ]
     */
    timesteps(t, dim, options = {}) {
      const where = "fourierFeatures.timesteps";
      const { shift, timeFactor, out, ...given } = check.options(
        options,
        { ...TIMESTEPS, out: undefined },
        where,
      );
      // A single frequency is 1, whatever the exponents' denominator.
      const half = Math.max(Math.floor(check.integer(dim, "dim") / 2), 2);
      const n = half - check.finite(shift, "shift", `a number < ${half}`, (x) => x < half);
      const factor = check.finite(timeFactor, "timeFactor");
      const times = readNumbers(t, "t");
      const single = /** @type {string} */ (given.precision) === "torch";
      const rounded = single ? Math.fround : (/** @type {number} */ x) => x;
      const positions = times.data.map((time) => rounded(rounded(time) * rounded(factor)));
      if (!positions.every((position) => Math.abs(position) <= REACH)) {
        throw new RangeError(`t must be within 2^31 / timeFactor; got ${times.most}`);
      }
      const rest = /** @type {any} */ ({ ...given, spectrum: n, odd: "zero-last", out });
      return table({ data: positions, shape: times.shape }, dim, rest);
    },

    /**
     * Sines and cosines at random frequencies.
     *
     *     row = [sin(2 pi w_j x) ; cos(2 pi w_j x)],  w_j normal with mean 0 and deviation `scale`
     *
     * Accuracy: `exact` is within 0.501 ULP of the formula for the doubles x and w; with `log`
     * absolute 3e-8 + 2e-16 |angle|. `torch` is within 0.51 ULP of the sine of the float32 angle.
     *
     * @param {number | TensorInput} x  one number or many, of any shape
     * @param {number | TensorInput} dimOrWeights  an even width D, for which D/2 frequencies are
     *   drawn, or the frequencies [D/2] of a trained model
     * @param {GaussianOptions & {out?: Float32Array | Tensor}} [options]
     * @returns {Tensor} float32 [...x.shape, D]; the caller's own
     * @throws {TypeError | RangeError} if an argument is of the wrong kind or out of range
     * @see Tancik et al. 2020, https://arxiv.org/abs/2006.10739; diffusers, embeddings.py:
     *   GaussianFourierProjection
     * @example
     * fourierFeatures.gaussian([0, 0.25], [1, 2]).toArray()
     * // [[0, 0, 1, 1], [1, 0, 0, -1]]
     */
    gaussian(x, dimOrWeights, options = {}) {
      const where = "fourierFeatures.gaussian";
      const { scale, seed, generator, input, layout, precision, out } = check.options(
        options,
        { ...GAUSSIAN, out: undefined },
        where,
      );
      const std = check.finite(scale, "scale", "from 0 to 2^20", (s) => s >= 0 && s <= 2 ** 20);
      const how = {
        unit: TURNS,
        input: INPUTS.indexOf(check.oneOf(input, "input", INPUTS)),
        steps: readSteps(precision),
      };
      const flipped = check.oneOf(layout, "layout", HALVES) === "flipped";
      const points = readNumbers(x, "x");
      const least = how.steps === 0 ? 0 : 2 ** -150; // half the smallest float32
      const wrong = points.data.find((number) => how.input !== 0 && !(number > least));
      if (wrong !== undefined) {
        throw new RangeError(`x must be greater than ${least} for its logarithm; got ${wrong}`);
      }
      const weights =
        typeof dimOrWeights === "number" || typeof dimOrWeights === "bigint"
          ? draw(readEven(dimOrWeights) / 2, { std, seed, generator })
          : readNumbers(dimOrWeights, "weights");
      const P = weights.data.length;
      if (weights.shape.length !== 1 || P === 0) {
        throw new RangeError(
          `weights must have shape [D/2] with D >= 2; got [${weights.shape.join(", ")}]`,
        );
      }
      const shape = [...points.shape, 2 * P];
      const result = check.destination(out, shape);
      const [sin, cos] = flipped ? [P, 0] : [0, P];
      const columns = { first: 0, sin, cos, coordinate: 0, band: 1 };
      waves(points, 1, weights.data, how, columns, result, where);
      return new Tensor(result, shape);
    },

    /**
     * The features that NeRF makes of places and directions; no pi in them.
     *
     *     row = [x, sin x, cos x, sin 2x, cos 2x, ..., sin 2^(L-1) x, cos 2^(L-1) x]
     *
     * each piece with all coordinates of x.
     * Accuracy: `exact` is within 0.501 ULP for the doubles given; `torch` within 0.51 ULP of the
     * sine of the float32 angle.
     *
     * @param {TensorInput} x  coordinates [..., n]
     * @param {NerfOptions & {out?: Float32Array | Tensor}} [options]
     * @returns {Tensor} float32 [..., n (1 + 2L)], or [..., 2nL] without the input; the caller's own
     * @throws {TypeError | RangeError} if an argument is of the wrong kind or out of range
     * @see Mildenhall et al. 2020, NeRF, https://arxiv.org/abs/2003.08934, section 5.1
     * @example
     * fourierFeatures.nerf([0, 1], { levels: 1 }).toArray()
     * // [0, 1, 0, 0.8414709568023682, 1, 0.5403022766113281]
     */
    nerf(x, options = {}) {
      const where = "fourierFeatures.nerf";
      const { levels, include, sampling, precision, out } = check.options(
        options,
        { ...NERF, out: undefined },
        where,
      );
      const L = check.integer(levels, "levels", 1, 64);
      const withInput = check.oneOf(include, "include", INCLUDE) === "input";
      const spacing = SAMPLINGS.indexOf(check.oneOf(sampling, "sampling", SAMPLINGS));
      const steps = readSteps(precision);
      const points = readNumbers(x, "x");
      const n = points.shape[points.shape.length - 1] ?? 0;
      if (n === 0) {
        throw new RangeError(
          `x must have shape [..., n] with n >= 1; got [${points.shape.join(", ")}]`,
        );
      }
      const first = withInput ? n : 0;
      const shape = [...points.shape.slice(0, -1), first + 2 * n * L];
      const result = check.destination(out, shape);
      const levelsOf = spread(1, 2 ** (L - 1), L, spacing, steps, where);
      const w = repeated(levelsOf, n);
      const columns = { first, sin: 0, cos: n, coordinate: 1, band: 2 * n };
      waves(points, n, w, { unit: RADIANS, steps }, columns, result, where);
      return new Tensor(result, shape);
    },

    /**
     * Features of the cells of a grid, whose coordinates run from -1 to 1 along each axis.
     *
     *     row = [x, sin(pi f_k x), cos(pi f_k x)],  f_0 = 1 .. f_(P-1) = resolution / 2
     *
     * each piece with all coordinates of the cell; cells in row-major order.
     * Accuracy: `exact` is within 0.501 ULP for coordinates and bands rounded to double; `torch`
     * within 0.51 ULP of the sine of the float32 angle.
     *
     * @param {readonly number[]} sizes  cells along each axis, [h, w] or any other number of axes
     * @param {number} count  bands P
     * @param {BandOptions & {out?: Float32Array | Tensor}} [options]
     * @returns {Tensor} float32 [h * w, n (1 + 2P)] for n axes, or [h * w, 2nP] without the input;
     *   the caller's own
     * @throws {TypeError | RangeError} if an argument is of the wrong kind or out of range
     * @see Jaegle et al. 2021, Perceiver, https://arxiv.org/abs/2103.03206, section 3.2
     * @example
     * fourierFeatures.bands([3], 1).toArray()
     * // [[-1, 0, -1], [0, 0, 1], [1, 0, -1]]
     */
    bands(sizes, count, options = {}) {
      const where = "fourierFeatures.bands";
      const { resolution, sampling, include, order, precision, out } = check.options(
        options,
        { ...BANDS, out: undefined },
        where,
      );
      const axes = readSizes(sizes);
      const n = axes.length;
      const P = check.integer(count, "count");
      const finest = resolution === undefined ? axes : readPerAxis(resolution, "resolution", n);
      const spacing = SAMPLINGS.indexOf(check.oneOf(sampling, "sampling", SAMPLINGS));
      const withInput = check.oneOf(include, "include", INCLUDE) === "input";
      const together = check.oneOf(order, "order", ORDERS);
      const steps = readSteps(precision);
      const first = withInput ? n : 0;
      const shape = [check.count(axes), first + 2 * n * P];
      const result = check.destination(out, shape);

      const w = new Float64Array(n * P);
      finest.forEach((M, axis) => w.set(spread(1, M / 2, P, spacing, steps, where), axis * P));
      const x = product(axes.map((size) => spread(-1, 1, size, 0, steps, where)));
      const [coordinate, band] = together === "coordinates" ? [P, 1] : [1, n];
      const columns = { first, sin: 0, cos: n * P, coordinate, band };
      const points = { data: x, shape, most: 1 };
      waves(points, n, w, { unit: HALF_TURNS, steps }, columns, result, where);
      return new Tensor(result, shape);
    },
  };

  /**
   * Normal frequencies, drawn as an embedding's weights are.
   * @param {number} P @param {{std: number, seed: unknown, generator: unknown}} options
   * @returns {Read}
   */
  function draw(P, options) {
    const drawn = embedding(core).create(P, 1, /** @type {any} */ (options));
    const data = Float64Array.from(drawn.weights().data);
    drawn.dispose();
    return { data, shape: [P], most: 0 };
  }
}

/**
 * Numbers of any shape as doubles, and the largest of their sizes.
 * @typedef {{data: Float64Array, shape: number[], most: number}} Read
 */

/**
 * @param {unknown} value  a number, nested arrays, a typed array, a tensor
 * @param {string} name
 * @returns {Read} a copy
 */
export function readNumbers(value, name) {
  const { data, shape } =
    typeof value === "number" ? { data: [value], shape: [] } : asArray(value, name);
  const numbers = new Float64Array(data.length);
  let most = 0;
  for (let i = 0; i < data.length; ++i) {
    const given = data[i];
    const number = typeof given === "bigint" ? Number(given) : given;
    numbers[i] = check.finite(
      number,
      name,
      "numbers within float32",
      (x) => Math.abs(x) <= check.MOST,
    );
    most = Math.max(most, Math.abs(numbers[i]));
  }
  return { data: numbers, shape, most };
}

/** @param {unknown} precision @returns {number} phasor::fourier::Steps */
function readSteps(precision) {
  return PRECISIONS.indexOf(check.oneOf(precision, "precision", PRECISIONS));
}

/** @param {unknown} dim */
function readEven(dim) {
  const D = check.integer(dim, "dim", 2);
  if (D % 2 !== 0) throw new RangeError(`dim must be even; got ${D}`);
  return D;
}

/** The same numbers n times over. @param {Float64Array} numbers @param {number} n */
function repeated(numbers, n) {
  const all = new Float64Array(n * numbers.length);
  for (let c = 0; c < n; ++c) all.set(numbers, c * numbers.length);
  return all;
}
