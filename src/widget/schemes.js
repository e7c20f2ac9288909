/**
 * The schemes that the widget draws. Each calls a function of phasor, which checks its arguments, and names the kind
 * of figure for the result. They are made from the families that modules declare, and from `widgets` of their folders.
 */
import * as arrays from "../runtime/arrays.js";
import * as check from "../runtime/check.js";
import { optionsOf } from "../index.js";
import { precision } from "../plots/data.js";
import { widgets } from "../positional/about.js";
import { roleOf } from "../runtime/options.js";
import { declaredSchemes } from "../runtime/schemes.js";
import { asArray, BOOL } from "../runtime/input.js";
import { Tensor } from "../runtime/tensor.js";
import { readNumbers } from "./numbers.js";

/** @import { Control as Declared, Phasor, RotaryTable } from "../index.js" */
/** @import { Widget as Declaration } from "../positional/about.js" */
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
 * A control whose `start` and `values` may be left out where an option declares them.
 * @typedef {Pick<Control, "label"> & Partial<Control>} Sketch
 *
 * @typedef {object} Scheme
 * @property {Record<string, Sketch>} controls  its main arguments and options
 * @property {(phasor: Phasor) => Function[]} [methods]  the functions that declare these options
 * @property {(phasor: Phasor, options: Options, data: any) => Picture} picture
 */

// --- controls ---------------------------------------------------------------------------

/**
 * A control, with the numbers of a range or without values.
 * @template [Start=any]
 * @param {string} label @param {Start} [start]  undefined for the default of the option
 * @param {number} [min] @param {number} [max] @param {number} [step]
 */
const range = (label, start, min = 0, max = NaN, step = 1) => ({
  label,
  start,
  values: max
    ? Array.from({ length: (max - min) / step + 1 }, (_, i) => min + i * step)
    : undefined,
});

/** The factors of its default that the slider of a number offers. */
const FACTORS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100];

/** The largest integer of a slider is at least this. */
const REACH = 64;

/** Numbers to choose from, by the name of the option. @type {Record<string, readonly number[]>} */
const OFFERED = {
  base: [10, 30, 100, 300, 1e3, 3e3, 1e4, 3e4, 1e5, 3e5, 5e5, 1e6, 3e6, 1e7],
};

/**
 * The control of an option that phasor declares.
 * @param {Declared} declared @returns {Sketch}
 */
function declaredControl({ label, type, default: start, values, min, max, step }) {
  if (type === "boolean" || type === "choice") return { label, start, values };
  const most = Math.min(max, Math.max(REACH, 4 * start));
  if (type === "integer") return range(label, start, min, most, step);
  const offered =
    start === 0
      ? Array.from({ length: 2 * REACH + 1 }, (_, i) => i - REACH)
      : FACTORS.map((factor) => Number((start * factor).toPrecision(6)));
  const within = offered.map(Number).filter((value) => value >= min && value <= max);
  return { label, start, values: within.sort((a, b) => a - b) };
}

const LENGTH = range("Positions", 64, 1, 256);
const TOKENS = range("Tokens", 24, 1, 128);
const DIM = range("Width", 64, 2, 256, 2);
const HEADS = range("Heads", 8, 1, 16);
const HEIGHT = range("Rows of patches", 8, 1, 24);
const WIDTH = range("Columns of patches", 8, 1, 24);
const LAYOUT = Object.freeze({ label: "Layout" });

// --- families ------------------------------------------------------------------------------------------

/** @param {Tensor<any>} value @param {Record<string, any>} options @returns {Picture} */
const heatmap = (value, options) => ({ kind: "heatmap", value, options });

/**
 * A table with a row for each position.
 * @param {Record<string, Sketch>} controls
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
 * @param {Record<string, Sketch>} controls
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
  const data = arrays.float32s(cos.size * 2, "pairs");
  for (let i = 0; i < data.length; ++i) data[i] = isFirst(i % (2 * P)) ? 1 : 0;
  return rope.apply({ data, shape: [...cos.shape.slice(0, -1), 2 * P] }, { cos, sin }, { layout });
}

/**
 * A table with a row for each number.
 * @param {Record<string, Sketch>} controls
 * @param {(phasor: Phasor, points: any, options: any) => Tensor<any>} call
 * @param {[from: number, to: number]} [between]  the range of the default points
 * @returns {Scheme}
 */
const numbers = (controls, call, [from, to] = [-1, 1]) => ({
  controls: { length: range("Points", 64, 2, 256), ...controls },
  picture(phasor, { length, points, ...options }) {
    const count = check.integer(length, "length", 2, MAX_SIZE);
    const even = Array.from({ length: count }, (_, i) => from + ((to - from) * i) / (count - 1));
    const rows = points === undefined ? even : Array.from(asArray(points, "points").data, Number);
    const digits = precision(rows, 4);
    return heatmap(call(phasor, rows, options), {
      rowTitle: "point",
      columnTitle: "feature",
      rowLabels: rows.map((x) => String(Number(x.toPrecision(digits)))),
    });
  },
});

/**
 * A table with a row for each patch of an image; that of a rotation has the pairs (1, 0), turned.
 * @param {Record<string, Sketch>} controls
 * @param {(phasor: Phasor, sizes: any, options: any) => any} call
 * @returns {Scheme}
 */
const patches = (controls, call) => ({
  controls: { height: HEIGHT, width: WIDTH, ...controls },
  picture(phasor, { height, width, sizes = [height, width], ...options }) {
    const made = call(phasor, sizes, options);
    return heatmap(made.cos ? turned(phasor, made, options.layout) : made, {
      rowTitle: "patch",
      columnTitle: "dimension",
    });
  },
});

/**
 * A bias that is added to the logits of each head.
 * @param {Record<string, Sketch>} controls
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
 * @param {Record<string, Sketch>} controls
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

/**
 * The hands of one position.
 * @param {Record<string, Sketch>} controls
 * @param {(phasor: Phasor, positions: any, dim: any, options: any) => RotaryTable} call
 * @returns {Scheme}
 */
const clock = (controls, call) => ({
  controls,
  picture(phasor, { position, dim, ...options }) {
    const at = check.finite(position, "position");
    const { cos, sin } = call(phasor, [at - 1, at], dim, options);
    const [before, now] = [0, 1].map((row) => {
      const [x, y] = [cos.row(row).data, sin.row(row).data];
      return new Tensor(
        Float32Array.from({ length: x.length * 2 }, (_, i) => (i % 2 === 0 ? x : y)[i >> 1]),
        [x.length, 2],
      );
    });
    return { kind: "clock", value: now, options: { before } };
  },
});

// --- the schemes ---------------------------------------------------------------------------------------

/** @type {Record<Declaration["family"], (controls: Record<string, Sketch>, call: any, points: any) => Scheme>} */
const FAMILIES = {
  rotation,
  clock,
  bias,
  index,
  patches,
  numbers,
};

/** The schemes that declare what conventions do not have. */
const entries = Object.fromEntries(
  Object.entries(widgets).map(([name, { family, controls, methods, call, points }]) => {
    const sketches = Object.entries(controls).map(([option, of]) => [option, range(...of)]);
    const scheme = FAMILIES[family](Object.fromEntries(sketches), call, points);
    return [name, { ...scheme, methods }];
  }),
);

/** Schemes that draw the numbers of the trait `data`. @type {Record<string, Scheme>} */
const entriesOfData = {
  data: { controls: {}, picture: (_, options, data) => given(data, options) },
  similarity: {
    methods: ({ similarity }) => [similarity.matrix],
    controls: { metric: { label: "Metric" } },
    picture: ({ similarity }, options, data) =>
      heatmap(similarity.matrix(wanted(data), undefined, options), {
        ...(options.metric === "euclidean" ? { colors: "sequential" } : {}),
      }),
  },
  pca: { controls: {}, picture: pca },
};

/**
 * Creates the entry of a module whose function declares its family.
 * @param {ReturnType<typeof declaredSchemes>[number]} scheme @param {any} module @returns {Scheme}
 */
function declaredScheme({ name, kind, method, controls }, module) {
  const { shown, learned } = roleOf(module) ?? {};
  const options = controls.slice(kind === "index" ? 1 : 2);
  const offered = shown ? options.filter((each) => shown.includes(each.name)) : options;
  const made = (/** @type {Declared[]} */ given) =>
    Object.fromEntries(given.map((each) => [each.name, declaredControl(each)]));
  /** @param {any} phasor @param {...any} given */
  const call = (phasor, ...given) => phasor[name][method](...given);
  if (kind === "bias") return bias(made(controls), call);
  if (kind === "table") return table(made(offered), call);
  if (kind === "index") {
    const buckets = index({ length: TOKENS, ...made(offered) }, (phasor, { length, ...rest }) =>
      call(phasor, length, rest),
    );
    return learned === undefined ? buckets : withBias(buckets, name, learned);
  }
  const layout = { layout: LAYOUT };
  const rows = made(controls);
  return { ...rotation({ ...rows, ...layout }, call), methods: ({ rope }) => [rope.apply] };
}

/**
 * An index that becomes a bias where the option `table` has what was learned.
 * @param {Scheme} scheme @param {string} name @param {string} method @returns {Scheme}
 */
const withBias = (scheme, name, method) => ({
  ...scheme,
  picture(phasor, { table, ...options }, data) {
    if (table === undefined) return scheme.picture(phasor, options, data);
    const { length, ...rest } = options;
    const value = /** @type {any} */ (phasor)[name][method](table, length, rest);
    return { kind: "bias", value, options: {} };
  },
});

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
  const { data: flat, shape } = asArray(wanted(data), "data", BOOL);
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
  if (/^(Float(32|64)|Int(32|8)|Uint8|BigInt64)Array$/.test(arrays.kindOf(flat))) return flat;
  return Float64Array.from(flat, (x, i) => {
    if (typeof x === "number" || typeof x === "bigint") return Number(x);
    throw new TypeError(`data must hold numbers; got ${check.describe(x)} at ${i}`);
  });
}

// --- the interface of the widget ------------------------------------------------------------------------------

/** The schemes of each instance of phasor. @type {WeakMap<Phasor, Record<string, Scheme>>} */
const known = new WeakMap();

/**
 * All schemes by name, in their display order: tables first. An entry of this file replaces what a module declares.
 * @param {Phasor} phasor
 * @returns {Record<string, Scheme>}
 */
function schemesFor(phasor) {
  const found = known.get(phasor);
  if (found) return found;
  const others = declaredSchemes(phasor).filter(({ name }) => !(name in entries));
  const made = (/** @type {boolean} */ isTable) =>
    others
      .filter(({ kind }) => (kind === "table") === isTable)
      .map((scheme) => {
        const module = /** @type {any} */ (phasor)[scheme.name];
        return [scheme.name, declaredScheme(scheme, module)];
      });
  const [tables, rest] = [true, false].map((isTable) => Object.fromEntries(made(isTable)));
  const all = { ...tables, ...entries, ...rest, ...entriesOfData };
  known.set(phasor, all);
  return all;
}

/** @param {Phasor} phasor */
export const namesOf = (phasor) => Object.keys(schemesFor(phasor));

const KINDS = /** @type {const} */ (["heatmap", "bias", "clock", "scatter"]);

/** The maximal number of rows or columns that every browser can draw. */
const MAX_SIZE = 16384;

/** The most numbers of a picture, and the most heads: a page computes and draws them in about half a second. */
const [MOST_NUMBERS, MOST_HEADS] = [2 ** 24, 256];

/**
 * Throws where a picture would hold the page for long.
 * @param {string} scheme @param {Options} options  complete; the function that reads them refuses other values
 */
function refuseLarge(scheme, options) {
  const { heads, length, keys, dim, height, width, count, sizes: grid = [height, width] } = options;
  const sizeOf = (/** @type {unknown} */ size) =>
    typeof size === "number" || typeof size === "bigint" ? Number(size) : 1;
  if (sizeOf(heads) > MOST_HEADS) {
    throw new RangeError(`heads must be at most ${MOST_HEADS} in a picture; got ${heads}`);
  }
  const places = check.isList(grid) ? Array.from(grid) : [];
  const all =
    heads === undefined ? [...places, length, dim, count] : [heads, length, keys ?? length];
  if (scheme === "windows") all.push(...places); // a row and a column for each place
  const sizes = all.map(sizeOf).filter((size) => size !== 1);
  const product = (/** @type {number[]} */ list) => list.reduce((all, size) => all * size, 1);
  if (product(sizes) > MOST_NUMBERS) {
    throw new RangeError(
      `the picture must have at most ${MOST_NUMBERS} numbers; got [${sizes.join(", ")}]`,
    );
  }
  const rows = product(places.map(sizeOf)); // each place of a grid has one
  if (heads === undefined && rows > MAX_SIZE) {
    throw new RangeError(`the picture must have at most ${MAX_SIZE} rows; got ${rows}`);
  }
}

/** The controls of each scheme. @type {WeakMap<Scheme, Record<string, Control>>} */
const resolved = new WeakMap();

/**
 * The controls of a scheme, or none if there is no such scheme. What an entry leaves out comes from the options
 * that its functions declare.
 * @param {unknown} name @param {Phasor} phasor
 * @returns {Record<string, Control>}
 */
export function controlsOf(name, phasor) {
  const all = schemesFor(phasor);
  if (typeof name !== "string" || !Object.hasOwn(all, name)) return {};
  const scheme = all[name];
  const found = resolved.get(scheme);
  if (found) return found;
  const declared = Object.assign({}, ...(scheme.methods?.(phasor) ?? []).map(optionsOf));
  const completed = Object.entries(scheme.controls).map(([option, control]) => {
    const { default: byDefault, values } = declared[option] ?? {};
    const start = control.start ?? (typeof byDefault === "bigint" ? Number(byDefault) : byDefault);
    return [option, { ...control, values: OFFERED[option] ?? control.values ?? values, start }];
  });
  resolved.set(scheme, Object.fromEntries(completed));
  return controlsOf(name, phasor);
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
  const name = check.oneOf(scheme, "scheme", namesOf(phasor));
  const { picture } = schemesFor(phasor)[name];
  const complete = withDefaults(scheme, options, phasor);
  refuseLarge(name, complete);
  const found = picture(phasor, complete, readNumbers(data, "data"));
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
