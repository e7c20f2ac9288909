/**
 * The schemes that the widget draws. Each calls a function of phasor, which checks its arguments, and names the kind
 * of figure for the result.
 */
import * as check from "../runtime/check.js";
import { optionsOf } from "../index.js";
import { asArray, Tensor } from "../runtime/tensor.js";
import { readNumbers } from "./numbers.js";

/** @import { Phasor, Positions, RotaryTable } from "../index.js" */
/** @import { Control } from "./controls.js" */

/**
 * @typedef {"heatmap" | "bias" | "clock" | "scatter"} FigureKind
 *
 * @typedef {object} Picture
 * @property {FigureKind} kind
 * @property {Tensor<any>} value  the numbers to draw
 * @property {Record<string, any>} options  of the figure
 *
 * @typedef {Record<string, any>} Options
 *
 * @typedef {object} Scheme
 * @property {Record<string, Control>} controls  its main options. Where `methods` declare an option of the name, its
 *   default and choices replace those given here
 * @property {(phasor: Phasor) => Function[]} [methods]  the functions whose options these are
 * @property {(phasor: Phasor, options: Options, data: any) => Picture} picture
 */

// --- controls ---------------------------------------------------------------------------

/**
 * @param {string} label @param {number} start @param {number} min @param {number} max
 * @param {number} [step]
 * @returns {Control}
 */
const range = (label, start, min, max, step = 1) => ({
  label,
  start,
  values: Array.from({ length: Math.floor((max - min) / step) + 1 }, (_, i) => min + i * step),
});

/**
 * A choice. Its words may be left out where an option declares them.
 * @param {string} label @param {...string} words  the first is the default
 * @returns {Control}
 */
const choice = (label, ...words) => ({ label, start: words[0] ?? "", values: words });

/** @param {(phasor: Phasor) => Function[]} methods @param {Scheme} scheme @returns {Scheme} */
const withOptionsOf = (methods, scheme) => ({ ...scheme, methods });

const LENGTH = range("Positions", 64, 1, 256);
const TOKENS = range("Tokens", 24, 1, 128);
const DIM = range("Width", 64, 2, 256, 2);
const HEADS = range("Heads", 8, 1, 16);
const HEIGHT = range("Rows of patches", 8, 1, 24);
const WIDTH = range("Columns of patches", 8, 1, 24);
const MAX_DISTANCE = range("Largest distance", 128, 8, 512, 8);

/** @param {number} start @returns {Control} */
const base = (start) => ({
  label: "Base",
  start,
  values: [10, 30, 100, 300, 1e3, 3e3, 1e4, 3e4, 1e5, 3e5, 5e5, 1e6, 3e6, 1e7],
});

// --- families ------------------------------------------------------------------------------------------

/** @param {Tensor<any>} value @param {Record<string, any>} options @returns {Picture} */
const heatmap = (value, options) => ({ kind: "heatmap", value, options });

/**
 * A table with a row for each position.
 * @param {Record<string, Control>} controls
 * @param {(phasor: Phasor, positions: any, dim: any, options: any) => Tensor<any>} call
 * @returns {Scheme}
 */
const table = (controls, call) => ({
  controls: { length: LENGTH, dim: DIM, ...controls },
  picture: (phasor, { length, positions = length, dim, ...options }) =>
    heatmap(call(phasor, positions, dim, options), {
      rowTitle: "position (tokens)",
      columnTitle: "dimension",
      rowLabels: Array.isArray(positions) ? positions.map(String) : undefined,
    }),
});

/**
 * The rotation of the pair (1, 0) at each position: cosine and sine.
 * @param {Record<string, Control>} controls
 * @param {(phasor: Phasor, positions: any, dim: any, options: any) => RotaryTable} call
 */
const rotation = (controls, call) =>
  table(controls, (phasor, positions, dim, { layout, ...options }) =>
    turned(phasor, call(phasor, positions, dim, options), layout),
  );

/** @param {Phasor} phasor @param {RotaryTable} table @param {any} layout */
function turned({ rope }, { cos, sin }, layout) {
  const P = cos.shape[cos.rank - 1];
  const isFirst = (/** @type {number} */ d) => (layout === "halves" ? d < P : d % 2 === 0);
  const data = check.float32s(cos.size * 2, "pairs");
  for (let i = 0; i < data.length; ++i) data[i] = isFirst(i % (2 * P)) ? 1 : 0;
  return rope.apply({ data, shape: [...cos.shape.slice(0, -1), 2 * P] }, { cos, sin }, { layout });
}

/**
 * A table with a row for each number.
 * @param {number} from @param {number} to  the range of the default points
 * @param {Record<string, Control>} controls
 * @param {(phasor: Phasor, points: any, options: any) => Tensor<any>} call
 * @returns {Scheme}
 */
const numbers = (from, to, controls, call) => ({
  controls: { length: range("Points", 64, 2, 256), ...controls },
  picture(phasor, { length, points, ...options }) {
    const count = check.integer(length, "length", 2, 2 ** 20);
    const even = Array.from({ length: count }, (_, i) => from + ((to - from) * i) / (count - 1));
    const rows = points === undefined ? even : Array.from(asArray(points, "points").data);
    return heatmap(call(phasor, rows, options), {
      rowTitle: "point",
      columnTitle: "feature",
      rowLabels: rows.map((x) => String(Number(Number(x).toPrecision(4)))),
    });
  },
});

/**
 * A table with a row for each patch of an image.
 * @param {Record<string, Control>} controls
 * @param {(phasor: Phasor, sizes: any, options: any) => Tensor<any>} call
 * @returns {Scheme}
 */
const patches = (controls, call) => ({
  controls: { height: HEIGHT, width: WIDTH, ...controls },
  picture: (phasor, { height, width, sizes = [height, width], ...options }) =>
    heatmap(call(phasor, sizes, options), { rowTitle: "patch", columnTitle: "dimension" }),
});

/**
 * A bias that is added to the logits of each head.
 * @param {Record<string, Control>} controls
 * @param {(phasor: Phasor, heads: any, length: any, options: any) => Tensor<any>} call
 * @returns {Scheme}
 */
const bias = (controls, call) => ({
  controls: { heads: HEADS, length: TOKENS, ...controls },
  picture: (phasor, { heads, length, ...options }) => ({
    kind: "bias",
    value: call(phasor, heads, length, options),
    options: {},
  }),
});

/**
 * The index of the learned parameter for each query and key.
 * @param {Record<string, Control>} controls
 * @param {(phasor: Phasor, options: any) => Tensor<any>} call
 * @returns {Scheme}
 */
const index = (controls, call) => ({
  controls,
  picture: (phasor, options) =>
    heatmap(call(phasor, options), {
      rowTitle: "query (tokens)",
      columnTitle: "key (tokens)",
      colors: "sequential",
    }),
});

// --- the schemes ---------------------------------------------------------------------------------------

/** @type {Record<string, Scheme>} */
const schemes = {
  sinusoidal: table(
    { base: base(10000), layout: choice("Layout", "interleaved", "halves", "flipped") },
    ({ sinusoidal }, ...call) => sinusoidal.table(...call),
  ),
  rope: rotation(
    { base: base(10000), layout: choice("Layout", "halves", "interleaved") },
    ({ rope }, ...call) => rope.table(...call),
  ),
  xpos: rotation(
    { layout: choice("Layout", "interleaved", "halves") },
    ({ xpos }, ...call) => xpos.table(...call).query,
  ),
  clock: {
    controls: {
      position: range("Position", 5, 0, 512),
      dim: range("Width", 24, 2, 64, 2),
      base: base(10000),
    },
    picture: clock,
  },

  alibi: withOptionsOf(
    ({ alibi }) => [alibi.bias],
    bias({ form: choice("Form") }, ({ alibi }, ...call) => alibi.bias(...call)),
  ),
  kerple: bias({ kernel: choice("Kernel", "log", "power", "weight") }, ({ kerple }, ...call) =>
    kerple.bias(...call),
  ),
  sandwich: bias({}, ({ sandwich }, ...call) => sandwich.bias(...call)),
  fire: bias({ seed: range("Seed", 0, 0, 99) }, ({ fire }, heads, length, options) => {
    const { seed, weights = fire.weights(heads, { seed }), ...rest } = options;
    return fire.bias(weights, length, rest); // random, as before training, unless passed
  }),
  t5Bias: {
    controls: {
      length: TOKENS,
      maxDistance: MAX_DISTANCE,
      direction: choice("Direction", "bidirectional", "causal"),
    },
    picture: t5Bias,
  },
  shaw: index(
    { length: TOKENS, maxDistance: range("Largest distance", 8, 0, 64) },
    ({ shaw }, { length, maxDistance, ...options }) => shaw.index(length, maxDistance, options),
  ),
  deberta: index({ length: TOKENS }, ({ deberta }, { length, ...options }) =>
    deberta.index(length, options),
  ),

  grid: patches(
    { dim: range("Width", 64, 4, 256, 4), base: base(10000) },
    ({ sincosGrid }, sizes, { dim, ...options }) => sincosGrid.table(sizes, dim, options),
  ),
  axial: patches(
    {
      dim: range("Width", 64, 4, 256, 4),
      base: base(10000),
      layout: choice("Layout", "interleaved", "halves"),
    },
    (phasor, sizes, { dim, layout, ...options }) =>
      turned(phasor, phasor.axialRope.table(sizes, dim, options), layout),
  ),
  bands: patches(
    { count: range("Bands", 8, 1, 32) },
    ({ fourierFeatures }, sizes, { count, ...options }) =>
      fourierFeatures.bands(sizes, count, options),
  ),
  windows: index(
    { height: range("Rows of patches", 4, 1, 12), width: range("Columns of patches", 4, 1, 12) },
    ({ windowBias }, { height, width, size = [height, width], ...options }) =>
      windowBias.index(size, options),
  ),

  timesteps: numbers(0, 1000, { dim: DIM }, ({ fourierFeatures }, t, { dim, ...options }) =>
    fourierFeatures.timesteps(t, dim, options),
  ),
  nerf: numbers(-1, 1, { levels: range("Levels", 8, 1, 16) }, ({ fourierFeatures }, x, options) =>
    fourierFeatures.nerf({ data: x, shape: [x.length, 1] }, options),
  ),
  gaussian: numbers(-1, 1, { dim: DIM }, ({ fourierFeatures }, points, { dim, ...options }) =>
    fourierFeatures.gaussian(points, dim, options),
  ),

  data: { controls: {}, picture: (_, options, data) => given(data, options) },
  similarity: {
    controls: { metric: choice("Metric", "cosine", "dot", "euclidean") },
    picture: ({ similarity }, options, data) =>
      heatmap(similarity.matrix(wanted(data), undefined, options), {
        ...(options.metric === "euclidean" ? { colors: "sequential" } : {}),
      }),
  },
  pca: { controls: {}, picture: pca },
};

/** @type {Scheme["picture"]} */
function clock({ rope }, { position, dim, ...options }) {
  const at = check.finite(position, "position");
  const { cos, sin } = rope.table([at - 1, at], dim, options);
  const [before, now] = [0, 1].map((row) => {
    const [x, y] = [cos.row(row).data, sin.row(row).data];
    return new Tensor(
      Float32Array.from({ length: x.length * 2 }, (_, i) => (i % 2 === 0 ? x : y)[i >> 1]),
      [x.length, 2],
    );
  });
  return { kind: "clock", value: now, options: { before } };
}

/** The bias of a learned table, or the buckets without one. @type {Scheme["picture"]} */
function t5Bias(phasor, { table, ...options }, data) {
  const { length, ...rest } = options;
  const picture =
    table === undefined
      ? index({}, ({ t5Bias }) => t5Bias.buckets(length, rest))
      : bias({}, ({ t5Bias }) => t5Bias.bias(table, length, rest));
  return picture.picture(phasor, options, data);
}

/** @type {Scheme["picture"]} */
function pca({ pca }, options, data) {
  const found = pca(wanted(data), { ...options, components: 2 });
  const share = (/** @type {number} */ i) =>
    `component ${i + 1} (${(found.explainedVarianceRatio.at(i) * 100).toFixed(1)} % of the variance)`;
  const titles = { xTitle: share(0), yTitle: share(1) };
  return { kind: "scatter", value: found.projected, options: titles };
}

/** @param {any} data @param {Options} options @returns {Picture} */
function given(data, options) {
  const [extra] = Object.keys(options);
  if (extra) throw new TypeError(`options must be empty for the scheme "data"; got ${extra}`);
  const { data: flat, shape } = asArray(wanted(data), "data");
  const value = new Tensor(/** @type {any} */ (typed(flat)), shape);
  return { kind: shape.length === 3 ? "bias" : "heatmap", value, options: {} };
}

/** @param {any} data */
function wanted(data) {
  if (data === undefined) throw new TypeError("data must be passed for this scheme; got undefined");
  return data;
}

/** Converts to an array that a tensor can hold. @param {ArrayLike<unknown>} flat */
function typed(flat) {
  if (/^(Float(32|64)|Int(32|8)|Uint8|BigInt64)Array$/.test(check.kindOf(flat))) return flat;
  return Float64Array.from(flat, (x, i) => {
    if (typeof x === "number" || typeof x === "bigint") return Number(x);
    throw new TypeError(`data must hold numbers; got ${check.describe(x)} at ${i}`);
  });
}

// --- the interface of the widget ------------------------------------------------------------------------------

/** The names of the schemes, in their display order. @type {readonly string[]} */
export const names = Object.freeze(Object.keys(schemes));

const KINDS = /** @type {const} */ (["heatmap", "bias", "clock", "scatter"]);

/** The maximal number of rows or columns that every browser can draw. */
const MAX_SIZE = 16384;

/** @param {unknown} scheme */
const schemeOf = (scheme) => schemes[check.oneOf(scheme, "scheme", names)];

/** The controls of each scheme. @type {Map<string, Record<string, Control>>} */
const resolved = new Map();

/**
 * The controls of a scheme, or none if there is no such scheme. Defaults and choices come from the options that the
 * scheme's functions declare.
 * @param {unknown} scheme @param {Phasor} phasor
 * @returns {Record<string, Control>}
 */
export function controlsOf(scheme, phasor) {
  const name = String(scheme);
  if (!names.includes(name)) return {};
  const known = resolved.get(name);
  if (known) return known;
  const { controls, methods } = schemes[name];
  const declared = Object.assign({}, ...(methods?.(phasor) ?? []).map(optionsOf));
  const entries = Object.entries(controls).map(([option, control]) => {
    const { default: start = control.start, values = control.values } = declared[option] ?? {};
    return [option, { ...control, start, values }];
  });
  resolved.set(name, Object.fromEntries(entries));
  return controlsOf(scheme, phasor);
}

/**
 * Options with the defaults of the scheme's controls. null, the None of a Python kernel, means not set.
 * @param {unknown} scheme @param {unknown} options @param {Phasor} phasor
 * @returns {Options}
 */
export function withDefaults(scheme, options, phasor) {
  const controls = Object.entries(controlsOf(scheme, phasor));
  const defaults = Object.fromEntries(controls.map(([name, { start }]) => [name, start]));
  return { ...defaults, ...dictionary(options, "options") };
}

/**
 * @param {Phasor} phasor
 * @param {{scheme: unknown, options: unknown, data: unknown, figure: unknown, title: unknown}} state
 * @returns {Picture}
 * @throws {TypeError | RangeError} if the state is invalid
 */
export function pictureOf(phasor, { scheme, options, data, figure, title }) {
  const { picture } = schemeOf(scheme);
  const found = picture(phasor, withDefaults(scheme, options, phasor), readNumbers(data, "data"));
  if (found.kind !== "scatter" && found.value.shape.some((size) => size > MAX_SIZE)) {
    throw new RangeError(
      `the picture must have at most ${MAX_SIZE} rows and columns; got [${found.value.shape.join(", ")}]`,
    );
  }
  const { kind = found.kind, ...rest } = dictionary(figure, "figure");
  const titles = kind === found.kind ? found.options : {}; // another kind has other options
  return {
    value: found.value,
    kind: check.oneOf(kind, "figure.kind", KINDS),
    options: { ...titles, title, ...rest },
  };
}

/** @param {unknown} value @param {string} name @returns {Record<string, any>} */
function dictionary(value, name) {
  if (value === null || value === undefined) return {};
  if (typeof value !== "object" || Array.isArray(value)) {
    throw new TypeError(`${name} must be an object; got ${check.describe(value)}`);
  }
  const given = Object.entries(value).filter(([, each]) => each !== null && each !== undefined);
  return Object.fromEntries(given.map(([key, each]) => [key, readNumbers(each, `${name}.${key}`)]));
}
