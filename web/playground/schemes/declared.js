// Schemes from what they declare: src/positional/**/*.about.js.

/** @import { Control, Controls, Declaration, Picture, Tools } from "../../../src/positional/about.js" */
/** @import { Setting, Values } from "../settings.js" */
/** @import { Definition } from "./scheme.js" */
import { formula } from "../parts.js";
import { call, changed, expression, line, name } from "../program.js";
import { choice, list, number, toggle, whole } from "../settings.js";
import { declared } from "./options.js";
import { scheme as schemeOf } from "./scheme.js";
import {
  biasViews,
  CLOCK,
  clockOf,
  drawnTorch,
  FROM,
  indexView,
  LINES,
  METRIC,
  only,
  QUERY,
  queryLines,
  rotationViews,
  similarityOf,
  spectrumOf,
  tableViews,
  turnedLine,
} from "./views.js";

/** The views of each kind of numbers, and the settings that they add. */
const KINDS = Object.freeze({
  index: {
    views: ["heatmap"],
    settings: [],
    make: (/** @type {any} */ of) => ({ heatmap: indexView(of) }),
  },
  bias: { views: ["bias", "waves"], settings: [QUERY], make: biasViews },
  table: {
    views: ["heatmap", "waves", "similarity"],
    settings: [...LINES, FROM, METRIC],
    make: tableViews,
  },
  rotation: {
    views: ["heatmap", "waves", "similarity"],
    settings: [...LINES, FROM],
    make: rotationViews,
  },
  similarity: { views: ["similarity"], settings: [], make: turnedBoth },
  spectrum: {
    views: ["spectrum"],
    settings: [],
    make: (/** @type {any} */ of) => ({ spectrum: spectrumOf(of) }),
  },
  clock: {
    views: ["clock"],
    settings: CLOCK,
    make: (/** @type {any} */ of) => ({ clock: clockOf(of) }),
  },
});

/** The sizes of numbers, unless a picture says otherwise. @type {Record<string, (settings: Values) => object>} */
const SIZES = {
  bias: ({ heads, length }) => ({ heads, queries: length, keys: length }),
  table: ({ length, dim }) => ({ rows: length, columns: dim }),
  rotation: ({ length, dim, layout }) => ({ rows: length, columns: dim, turned: dim, layout }),
};
SIZES.similarity = SIZES.rotation;

/** The name of the line with the numbers, where a picture has one. @type {Record<string, string>} */
const MADE = { index: "index", bias: "bias", table: "table", rotation: "table" };

const STD = settingOf("embedding", "std", {
  label: "Standard deviation",
  option: "create.std",
  max: 1000,
});

const DRAWN = [
  whole("seed", "Seed", 0, 0, 4294967295),
  settingOf("embedding", "generator", {
    label: "Random generator",
    option: "create.generator",
    words: { torch: "PyTorch\u2019s generator", philox: "Philox (phasor\u2019s own)" },
  }),
];

/** @param {string} scheme @param {Declaration} declaration */
export function declaredScheme(scheme, { module = scheme, about, controls, pictures }) {
  const tools = toolsOf(module, controls);
  const kinds = /** @type {(keyof typeof KINDS)[]} */ (Object.keys(pictures));
  const parts = kinds.map((kind) => {
    const picture = /** @type {Picture} */ (pictures[kind]);
    const { views, settings, make } = KINDS[kind];
    const { weights, normal, std = STD.initial } = picture;
    const drawn = [
      ...(weights ? [{ ...STD, initial: std }] : []),
      ...(weights || normal ? DRAWN : []),
    ];
    return {
      drawn: drawn.map((each) => ({ ...each, when: only(...views) })),
      settings: settings.map((each) => ({
        ...(each === QUERY ? queryOf(picture) : each),
        ...picture.asks?.[each.name],
      })),
      views: make(/** @type {any} */ (completed(about.title, kind, picture, tools))),
    };
  });
  return schemeOf(
    /** @type {Definition} */ ({
      ...about,
      name: scheme,
      settings: [
        ...Object.entries(controls).map(([name, control]) => settingOf(module, name, control)),
        ...parts.flatMap(({ drawn }) => drawn),
        ...parts.flatMap(({ settings }) => settings),
      ],
      views: Object.assign({}, ...parts.map(({ views }) => views)),
    }),
  );
}

/** Which query is drawn as lines: a bias of the keys alone has one. @param {Picture} picture @returns {Setting} */
const queryOf = ({ size = SIZES.bias }) => ({
  ...QUERY,
  when: (settings, view) => view === "waves" && size(settings).queries > 1,
});

/**
 * What the functions of views.js need, from a picture.
 * @param {string} title @param {keyof typeof KINDS} kind @param {Picture} picture @param {Tools} tools
 */
function completed(title, kind, picture, tools) {
  const {
    call: made,
    lines,
    weights,
    normal,
    cell,
    theta,
    alike,
    torch,
    frequencies,
    given,
  } = picture;
  const asLines = (/** @type {Record<string, any>} */ of) =>
    Object.entries(of).map(([name, value]) => line(name, value));
  const drawn = (
    /** @type {Values} */ { std, seed, generator },
    /** @type {readonly number[]} */ sizes,
  ) => ({
    fresh: tools.call("embedding.create", ...sizes, { std, seed, generator }), // drawn, not trained
    weights: call("fresh.weights"),
  });
  /** @param {((...given: any[]) => string | undefined) | undefined} of */
  const asParts =
    (of) =>
    (/** @type {any[]} */ ...given) => {
      const text = of?.(...given);
      return text === undefined ? undefined : formula(text);
    };
  return {
    title,
    size: SIZES[kind],
    ...picture,
    lines: (/** @type {Values} */ settings) =>
      asLines({
        ...normalLines(normal?.(settings) ?? {}, settings, tools),
        ...(lines?.(settings, tools) ?? {
          ...(weights && drawn(settings, weights(settings))),
          [MADE[kind]]: made?.(settings, tools),
        }),
      }),
    torch: (/** @type {Values} */ settings) =>
      torch(
        settings,
        weights ? drawnTorch("weights", settings, weights(settings).join(", ")) : [],
        normalTorch(normal?.(settings) ?? {}, settings),
      ),
    cell: asParts(cell),
    theta: asParts(theta),
    alike: asParts(alike),
    given: (/** @type {Values} */ settings) => given?.(settings, tools),
    ...(frequencies && {
      frequencies: (/** @type {Values} */ settings) => asLines(frequencies(settings, tools)),
    }),
  };
}

/**
 * How alike queries and keys are that two tables have turned.
 * @param {any} of  with `made`, the names of the tables
 */
function turnedBoth({ lines, size, made, ...rest }) {
  const turned = (/** @type {Values} */ settings) => [
    ...lines(settings),
    ...queryLines(size(settings)),
    turnedLine("queries", made.queries, { layout: settings.layout }),
    turnedLine("keys", made.keys, { layout: settings.layout }),
  ];
  return {
    similarity: similarityOf({ ...rest, size, lines: turned, made: "queries", others: "keys" }),
  };
}

/**
 * Lines that draw arrays. A table has two axes, so one with more is drawn as a table and gets its shape afterwards.
 * @param {Record<string, readonly number[]>} shapes @param {Values} settings @param {Tools} tools
 */
function normalLines(shapes, { seed, generator }, tools) {
  const lines = Object.entries(shapes).map(([as, shape], next) => {
    const rows = shape.slice(0, -1).reduce((product, n) => product * n, 1);
    const flat = shape.length > 2 ? "drawn" : as;
    const options = { seed: seed + next, generator };
    const shaped = expression(
      `{ data: drawn.data, shape: [${shape.join(", ")}] }`,
      ({ drawn }) => ({
        data: drawn.data,
        shape,
      }),
    );
    return {
      [`${flat}Table`]: tools.call("embedding.create", rows, shape.at(-1), options),
      [flat]: call(`${flat}Table.weights`),
      ...(flat !== as && { [as]: shaped }),
    };
  });
  return Object.assign({}, ...lines);
}

/**
 * The same for PyTorch, where the shape of an array is written as its names.
 * @param {Record<string, readonly number[]>} shapes @param {Values} settings
 * @returns {(as: string, shape: string) => string[]}
 */
function normalTorch(shapes, settings) {
  return (as, shape) => {
    const axes = shape.split(", ");
    const flat = axes.length > 2 ? "drawn" : as;
    const seed = settings.seed + Object.keys(shapes).indexOf(as);
    const table = `${axes.slice(0, -1).join(" * ")}, ${axes.at(-1)}`;
    return [
      ...drawnTorch(flat, { ...settings, std: 1, seed }, table),
      ...(flat !== as ? [`${as} = drawn.view(${shape})`] : []),
    ];
  };
}

/**
 * What a declaration writes programs with.
 * @param {string} module @param {Controls} controls
 * @returns {Tools}
 */
function toolsOf(module, controls) {
  return {
    name,
    expression,
    changed,
    callInFull: call,
    call(path, ...given) {
      const whole = path.includes(".") ? path : `${module}.${path}`;
      const options = given.at(-1);
      if (Object.getPrototypeOf(options ?? 0) !== Object.prototype) return call(whole, ...given);
      const known = declared(whole);
      const defaults = Object.keys(options).map((name) => {
        const option = known[name]?.default ?? optionOf(module, controls[name])?.default;
        return [name, typeof option === "bigint" ? Number(option) : option];
      });
      return call(whole, ...given.slice(0, -1), changed(options, Object.fromEntries(defaults)));
    },
  };
}

/** Where an option is declared. @param {string} module @param {string} path @returns {[path: string, option: string]} */
function placeOf(module, path) {
  const words = path.split(".");
  const option = words.pop() ?? "";
  return [(words.length > 1 ? words : [module, ...words]).join("."), option];
}

/** The first option that a control sets. @param {string} module @param {Control} [control] */
function optionOf(module, control) {
  if (control?.option === undefined) return undefined;
  const [path, option] = placeOf(module, [control.option].flat()[0]);
  return declared(path)[option];
}

/**
 * The setting of a control.
 * @param {string} module @param {string} setting @param {Control} control
 * @returns {Setting}
 */
function settingOf(module, setting, control) {
  const { label, option: path, initial, min, max, words, views, when, note } = control;
  const option = optionOf(module, control);
  const step = control.step ?? option?.step;
  const more = {
    ...(step !== undefined && { step }),
    ...(note && { note }),
    when: (/** @type {Values} */ settings, /** @type {string} */ view) =>
      (views?.includes(view) ?? true) && (when?.(settings, view) ?? true),
  };
  const least = min ?? option?.min ?? -Infinity;
  const most = max ?? option?.max ?? Infinity;
  const start = initial ?? option?.default;
  if (words) {
    if (path) checkWords(module, [path].flat(), words);
    return choice(setting, label, words, more);
  }
  if (option?.type === "choice") {
    return choice(setting, label, [...new Set([start, ...(option.values ?? [])])], more);
  }
  if (typeof start === "boolean") return toggle(setting, label, start, more);
  if (Array.isArray(start)) return list(setting, label, start, least, most, more);
  if ((control.type ?? option?.type) === "number") {
    return number(setting, label, start, least, most, more);
  }
  return whole(setting, label, start, least, most, more);
}

/**
 * Checks that each word of the options has a label. A form may have more words: "none" for no option.
 * @param {string} module @param {string[]} paths @param {Record<string, string>} words
 */
function checkWords(module, paths, words) {
  const values = paths.flatMap((path) => {
    const [of, option] = placeOf(module, path);
    return declared(of)[option].values ?? [];
  });
  const missing = values.find((value) => !(value in words));
  if (missing) throw new Error(`words must be those of ${paths.join(" and ")}; got no ${missing}`);
}
