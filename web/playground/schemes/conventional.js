// Schemes without an entry: modules that follow the convention of their family. Their settings are the options
// that phasor declares.

/** @import { Control, Scheme as Convention } from "phasor" */
/** @import { Line } from "../program.js" */
/** @import { Setting, Values } from "../settings.js" */
import { call, changed, line } from "../program.js";
import { choice, number, toggle, whole } from "../settings.js";
import { scheme } from "./scheme.js";
import { biasViews, FROM, LINES, METRIC, only, QUERY, rotationViews, tableViews } from "./views.js";

const WORDS = Object.freeze({
  bias: "Each head adds a bias to its attention logits.",
  table: "Each position has a vector, which is added to the embedding of the token.",
  rotation: "Queries and keys are rotated pair by pair, by angles that depend on the position.",
});

const LAYOUT = choice("layout", "Layout", ["halves", "interleaved"], {
  when: only("heatmap", "waves"),
});

const MORE = Object.freeze({
  bias: [QUERY],
  table: [...LINES, FROM, METRIC],
  rotation: [LAYOUT, ...LINES, FROM],
});

const torch = () => [];

/**
 * The setting of an argument or an option.
 * @param {Control} control
 * @returns {Setting}
 */
function settingOf({ name, label, type, default: initial, values, min, max, step }) {
  switch (type) {
    case "boolean":
      return toggle(name, label, initial);
    case "choice": {
      const words = values.map(String);
      return { ...choice(name, label, words), initial: String(initial) };
    }
    case "integer":
      return whole(name, label, initial, min, max, { step });
    case "number":
      return number(name, label, initial, min, max);
  }
}

/** The value of an option, which is a string or a number where it is a choice. @param {Control} control @param {Values} settings */
function valueOf({ name, type, values }, settings) {
  const value = settings[name];
  return type === "choice" ? values.find((each) => String(each) === value) : value;
}

/**
 * The playground's scheme of a module that follows a convention.
 * @param {Convention} convention
 */
export function conventional({ name, label, kind, method, controls }) {
  const [first, second, ...options] = controls;
  const defaults = Object.fromEntries(options.map((option) => [option.name, option.default]));
  /** @param {string} as @returns {(settings: Values) => Line[]} */
  const lines = (as) => (settings) => {
    const given = Object.fromEntries(
      options.map((option) => [option.name, valueOf(option, settings)]),
    );
    const made = call(
      `${name}.${method}`,
      settings[first.name],
      settings[second.name],
      changed(given, defaults),
    );
    return [line(as, made)];
  };
  const views = {
    bias: () =>
      biasViews({
        title: label,
        torch,
        lines: lines("bias"),
        size: ({ heads, length }) => ({ heads, queries: length, keys: length }),
        cell: (_, h, i, j) => [`bias[${h}, ${i}, ${j}]`],
      }),
    table: () =>
      tableViews({
        title: label,
        torch,
        lines: lines("table"),
        size: ({ length, dim }) => ({ rows: length, columns: dim }),
        cell: (_, t, d) => [`table[${t}, ${d}]`],
      }),
    rotation: () =>
      rotationViews({
        title: label,
        torch,
        lines: lines("table"),
        size: ({ length, dim, layout }) => ({ rows: length, columns: dim, turned: dim, layout }),
        cell: (_, t, pair, wave) => [`${wave}[${t}, ${pair}]`],
      }),
  };
  return scheme({
    name,
    title: label,
    words: WORDS[kind],
    source: { paper: "Formula and paper", url: referenceOf(name) },
    settings: [...controls.map(settingOf), ...MORE[kind]],
    views: views[kind](),
    conventional: true,
  });
}

/** The page of a module in the reference. @param {string} name */
const referenceOf = (name) =>
  `../reference/${name.replace(/[A-Z]+/g, (letters) => `-${letters.toLowerCase()}`)}/`;
