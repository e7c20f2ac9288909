/** @import { TensorInput } from "../runtime/tensor.js" */
/** @import { Kind } from "./figure.js" */
/** @import { LinesDrawing, Scene } from "./lines.js" */
import * as check from "../runtime/check.js";
import { shown } from "./axes.js";
import { apart, brief, count, digits, extent, shortest, text, vector } from "./data.js";
import { readColors } from "./key.js";
import { drawLines, linesString, markPoint, nearestPoint } from "./lines.js";

/**
 * Draws the wavelengths 2 pi / frequency of rotary pairs or sinusoids, with rules at context lengths.
 *
 * @typedef {object} SpectrumOptions
 * @property {readonly (number | {length: number, label?: string})[]} [context]  context lengths in
 *   tokens, each drawn as a rule. A point is filled if its wavelength fits into the first length. Default: none
 * @property {readonly string[]} [colors]  a color of CSS for each series
 *
 * @typedef {object} Series
 * @property {string} label
 * @property {number[]} frequencies  radians per token
 * @property {number[]} wavelengths  tokens; Infinity for a pair with frequency 0
 *
 * @typedef {object} SpectrumValue
 * @property {number} index  the index of the pair
 * @property {number} series
 * @property {number} frequency  radians per token
 * @property {number} wavelength  tokens
 *
 * @typedef {object} Model
 * @property {Series[]} series
 * @property {{length: number, label: string}[]} context
 * @property {number} pairs  the number of pairs of the longest series
 * @property {string[] | undefined} colors
 */

/** @type {Kind<TensorInput | readonly {label: string, frequencies: TensorInput}[], SpectrumOptions, Model, SpectrumValue, LinesDrawing>} */
export const spectrum = {
  name: "spectrum",
  role: "chart of wavelengths",
  needsPlot: true,
  options: { context: undefined, colors: undefined },
  style: "",

  read(data, { context, colors }) {
    const series = isSeries(data)
      ? data.map((item, i) => readSeries(item, `series[${i}]`))
      : [{ label: "", ...frequenciesOf(data, "frequencies") }];
    const pairs = Math.max(0, ...series.map(({ frequencies }) => frequencies.length));
    return {
      series,
      context: readContext(context),
      pairs,
      colors: readColors(colors, series.length),
    };
  },

  describe({ series, context }) {
    return series.map((one) => sentence(one, context[0])).join(" ") || "No frequencies.";
  },

  table({ series, context, pairs }) {
    const named = series.flatMap(({ label }) => {
      const of = label === "" ? "" : `, ${label}`;
      const turns = context.map(({ label }) => `turns in ${label}${of}`);
      return [`frequency (radians per token)${of}`, `wavelength (tokens)${of}`, ...turns];
    });
    const each = 2 + context.length;
    return {
      header: ["pair", ...named],
      rows: pairs,
      cell(row, column) {
        if (column === 0) return row;
        const { frequencies, wavelengths } = series[Math.floor((column - 1) / each)];
        if (row >= frequencies.length) return "";
        const turns = context.map(({ length }) => length / wavelengths[row]);
        return [frequencies[row], wavelengths[row], ...turns][(column - 1) % each];
      },
    };
  },

  draw(model, surface) {
    return drawLines(scene(model), surface);
  },

  svg(model, surface) {
    return linesString(scene(model), surface);
  },

  at(drawing, model, x, y) {
    const point = nearestPoint(drawing, x, y);
    return point && value(model, point.index, point.line);
  },

  find(model, { index, series }) {
    return value(model, index, series ?? 0);
  },

  move(model, from, { rows, columns }) {
    const { series } = model;
    if (!from) return value(model, 0, 0);
    const to = Math.min(series.length - 1, Math.max(0, (from.series ?? 0) + rows));
    const last = series[to].frequencies.length - 1;
    return value(model, Math.max(0, Math.min(last, from.index + columns)), to);
  },

  say({ series, context }, { index, series: of, frequency, wavelength }) {
    const { label } = series[of];
    const which = `${label === "" ? "" : `${label}, `}pair ${index}`;
    if (Number.isNaN(frequency)) return `${which}: no number`;
    const speed = `${which}: ${digits(Number(frequency.toPrecision(6)))} radians per token`;
    if (frequency === 0) return `${speed}, never turns`;
    const turns = context.map(
      ({ length, label }) => `${brief(length / wavelength)} turns in ${label}`,
    );
    return `${speed}, a turn in ${brief(wavelength)} tokens${turns.map((t) => `; ${t}`).join("")}`;
  },

  mark(drawing, _, value) {
    const point = value && { index: value.index, line: value.series };
    const turns = value && Number.isFinite(value.wavelength);
    markPoint(drawing, point, turns ? `${brief(value.wavelength)} tokens` : "never turns");
  },
};

/** @param {unknown} data @returns {data is unknown[]} */
function isSeries(data) {
  return Array.isArray(data) && data.some((item) => typeof item === "object" && item !== null);
}

/** @param {unknown} item @param {string} name @returns {Series} */
function readSeries(item, name) {
  const { label, frequencies } = check.options(item, { label: "", frequencies: undefined }, name);
  return {
    label: text(label, `${name}.label`),
    ...frequenciesOf(frequencies, `${name}.frequencies`),
  };
}

/** @param {unknown} data @param {string} name */
function frequenciesOf(data, name) {
  const { values, single } = vector(data, name);
  const frequencies = Array.from(values, (value) => shortest(value, single));
  frequencies.forEach((frequency, i) => {
    if (frequency < 0) throw new RangeError(`${name} must be 0 or more; got ${frequency} at ${i}`);
  });
  return {
    frequencies,
    wavelengths: frequencies.map((frequency) => (2 * Math.PI) / Math.abs(frequency)),
  };
}

/** @param {unknown} context @returns {Model["context"]} */
function readContext(context) {
  if (context === undefined) return [];
  if (!Array.isArray(context)) {
    throw new TypeError(`context must be an array of lengths; got ${check.describe(context)}`);
  }
  return context.map((item, i) => {
    const at = `context[${i}]`;
    const given = typeof item === "number" ? { length: item } : item;
    const { length, label } = check.options(given, { length: undefined, label: undefined }, at);
    const tokens = check.finite(length, `${at}.length`, "a number of tokens > 0", (x) => x > 0);
    return { length: tokens, label: text(label ?? count(tokens, "token"), `${at}.label`) };
  });
}

/** @param {Model} model @param {number} index @param {number} of @returns {SpectrumValue | null} */
function value({ series }, index, of) {
  const frequency = series[of]?.frequencies[index];
  if (frequency === undefined) return null;
  return { index, series: of, frequency, wavelength: series[of].wavelengths[index] };
}

/** @param {Series} series @param {Model["context"][number]} [context] */
function sentence({ label, wavelengths }, context) {
  const drawn = wavelengths.filter((length) => shown(length, "log"));
  const { least, most } = extent(drawn);
  const never = wavelengths.filter((length) => length === Infinity).length;
  const missing = wavelengths.length - drawn.length - never;
  const others = missing > 0 ? `, ${missing} not drawn` : "";
  const pairs = `${label === "" ? "" : `${label}: `}${count(wavelengths.length, "pair")}${others}`;
  if (least > most) return missing > 0 ? `${pairs}.` : `${pairs}, none of which turns.`;
  const range = `wavelengths from ${apart(least, most).join(" to ")} tokens`;
  const rest = never > 0 ? `, ${never} never turn` : "";
  if (!context) return `${pairs}, ${range}${rest}.`;
  const within = drawn.filter((length) => length <= context.length).length;
  return `${pairs}, ${range}${rest}; ${within} turn fully within ${context.label}.`;
}

/** @param {Model} model @returns {Scene} */
function scene({ series, context, pairs, colors }) {
  const most = context[0]?.length ?? Infinity;
  return {
    x: Array.from({ length: pairs }, (_, i) => i),
    colors,
    lines: series.map(({ label, wavelengths }) => ({
      label,
      y: wavelengths,
      full: (i) => wavelengths[i] <= most,
    })),
    rules: context.map(({ length, label }) => ({ y: length, label })),
    xTitle: "pair",
    yTitle: "wavelength (tokens)",
    xScale: "linear",
    yScale: "log",
  };
}
