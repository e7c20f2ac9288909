// A description of a model as sentences.

/** @import { models } from "phasor/models" */
import { make } from "../../app/dom.js";
import { asSentence } from "../../app/errors.js";

/** @typedef {ReturnType<typeof models.fromConfig>} Model */
/** @typedef {NonNullable<NonNullable<Model["positions"]["rotary"]>[string]>} Rotary */

/** @param {Model} model @returns {HTMLElement[]} */
export function described(model) {
  const { type, dim, heads, keyValueHeads, headDim, layers, positions, warnings } = model;
  const ignored = model.ignored.filter((key) => !model.suspect.includes(key));
  const sizes = [
    ["family", type],
    ["width D", dim],
    ["layers", layers],
    ["heads", heads],
    ["key heads", keyValueHeads],
    ["width of a head", headDim],
    ["scheme", positions.scheme],
    ["positions", positions.length],
  ].filter(([, value]) => value !== undefined);
  return [
    ...list("Doubtful", warnings.map(asSentence)),
    make(
      "dl",
      { class: "sizes" },
      ...sizes.map(([name, value]) =>
        make("div", {}, make("dt", {}, String(name)), make("dd", {}, String(value))),
      ),
    ),
    ...list("What the model does", [...positionFacts(model), ...tokenFacts(model)]),
    ...list("What is not known", (positions.reasons ?? []).map(asSentence)),
    ...(ignored.length > 0
      ? list("Keys that this description does not depend on", [ignored.join(", ")])
      : []),
  ];
}

/** @param {string} title @param {string[]} sentences */
function list(title, sentences) {
  if (sentences.length === 0) return [];
  return [
    make("h3", {}, title),
    make("ul", {}, ...sentences.map((sentence) => make("li", {}, sentence))),
  ];
}

/** @param {Model} model */
function positionFacts({ positions }) {
  const { rotary, layerKinds, rows, preset, options, queryScale } = positions;
  const { scheme, dim, axes, merge, besides, relativeOptions, relativeScale } = positions;
  const { boxes, farthest, strides, separate, stages } = positions;
  const facts = Object.entries(rotary ?? {}).map(([kind, of]) => {
    const count = layerKinds?.filter((one) => one === kind).length;
    const where = layerKinds ? `${count} layers of the kind ${kind}` : "All layers";
    return of ? `${where} rotate ${rotation(of)}` : `${where} do not rotate.`;
  });
  if (rows !== undefined) facts.push(`The table of positions has ${rows} rows.`);
  if (scheme === "axialRope") {
    const by = axes === 3 ? "time, row and column" : "row and column";
    facts.push(`${dim} columns of a head rotate by the ${by} of a patch, as "${preset}".`);
  } else if (preset !== undefined) facts.push(`The rule of rows is that of "${preset}".`);
  if (merge) facts.push(`Blocks of ${merge} x ${merge} patches become one token of the text.`);
  if (besides) facts.push(`The patches have ${besides}, too.`);
  if (options) facts.push(`Options of the scheme: ${words(options)}.`);
  const further = words({ relativeOptions, relativeScale, boxes, farthest, strides, separate, stages }); // prettier-ignore
  if (further !== "") facts.push(`Further options: ${further}.`);
  if (queryScale) {
    const { scale, every, offset } = queryScale;
    const p = offset ? `(p + ${offset})` : "p";
    facts.push(
      `The query at position p is multiplied by 1 + ${scale} ln(1 + floor(${p} / ${every})).`,
    );
  }
  return facts;
}

/** @param {Rotary} rotary */
function rotation({ dim, start, layout, inverse, options: { base, scaling }, multimodal }) {
  const sections = multimodal && `M-RoPE sections ${multimodal.sections.join(", ")} (${multimodal.arrangement})`; // prettier-ignore
  const said = [
    `${start ? `the ${dim} columns from ${start} on` : `the first ${dim} columns`} as ${layout}`,
    `base ${number(base)}`,
    !scaling && "without scaling",
    sections,
    inverse && "by minus the angle",
  ];
  const scaled = scaling ? ` ${scalingWords(/** @type {any} */ (scaling))}` : "";
  return `${said.filter(Boolean).join(", ")}.${scaled}`;
}

/** @param {number} value */
const number = (value) =>
  Math.abs(value) < 1e-4 ? String(value) : value.toLocaleString("en", { maximumFractionDigits: 6 });

/** @param {number} value @param {string} noun */
const some = (value, noun) => `${number(value)} ${noun}${value === 1 ? "" : "s"}`;

/** Of pairs that turn more than `fast` times, and less than `slow` times. @param {number} fast @param {number} slow @param {number} factor */
const ramp = (fast, slow, factor) =>
  `pairs that turn more than ${some(fast, "time")} in that length stay as they are, pairs that turn less than ${some(slow, "time")} turn ${number(factor)} times slower${fast === slow ? "" : ", with a ramp between"}.`;

/** The smallest and the largest of some numbers. @param {number[]} values */
const between = (values) =>
  `${number(values.reduce((a, b) => Math.min(a, b)))} to ${number(values.reduce((a, b) => Math.max(a, b)))}`;

/**
 * What each scaling does, and the names of its options that this says.
 * @type {Readonly<Record<string, {says: (of: Record<string, any>) => string, names: string}>>}
 */
const SCALINGS = Object.freeze({
  linear: {
    says: ({ factor }) => `Linear scaling: all pairs turn ${number(factor)} times slower.`,
    names: "factor",
  },
  dynamic: {
    says: ({ factor, maxLength }) =>
      `Dynamic scaling: in texts of more than ${number(maxLength)} tokens the base grows with the length, with the factor ${number(factor)}.`,
    names: "factor maxLength",
  },
  ntk: {
    says: ({ alpha }) => `NTK scaling: the base is larger, so that the slowest pair turns ${number(alpha)} times slower.`, // prettier-ignore
    names: "alpha",
  },
  yarn: {
    says: ({ factor, originalLength, betaFast = 32, betaSlow = 1 }) =>
      `YaRN from ${number(originalLength)} tokens: ${ramp(betaFast, betaSlow, factor)}`,
    names: "factor originalLength betaFast betaSlow",
  },
  llama3: {
    says: ({ factor, originalLength, lowFreqFactor, highFreqFactor }) =>
      `Llama 3\u2019s scaling from ${number(originalLength)} tokens: ${ramp(highFreqFactor, lowFreqFactor, factor)}`,
    names: "factor originalLength lowFreqFactor highFreqFactor",
  },
  longrope: {
    says: ({ factor, originalLength, shortFactor, longFactor }) =>
      `LongRoPE from ${number(originalLength)} tokens${factor ? ` by ${number(factor)}` : ""}: each pair turns slower by a separate factor, ${between([...shortFactor])} in texts up to that length, ${between([...longFactor])} in longer ones.`,
    names: "factor originalLength shortFactor longFactor",
  },
  proportional: {
    says: ({ factor = 1, partialRotaryFactor }) =>
      `Proportional scaling: only the first ${number(100 * partialRotaryFactor)} % of the pairs rotate${factor === 1 ? "" : `, ${number(factor)} times slower`}.`,
    names: "factor partialRotaryFactor",
  },
});

/** A scaling as sentences. @param {{type: string, [option: string]: unknown}} scaling */
export function scalingWords({ type, ...options }) {
  const { says, names } = SCALINGS[type] ?? { says: () => `Scaling ${type}.`, names: "" };
  const rest = Object.entries(options).filter(([name]) => !names.split(" ").includes(name));
  const further = words(Object.fromEntries(rest));
  return says(options) + (further === "" ? "" : ` Further options: ${further}.`);
}

/** Options as words: buckets 32, maxDistance 128. @param {unknown} value @returns {string} */
function words(value) {
  if (typeof value === "number") return number(value);
  if (Array.isArray(value)) return value.map(words).join(", ");
  if (typeof value !== "object" || value === null) return String(value);
  return Object.entries(value)
    .filter(([, part]) => part !== undefined)
    .map(([name, part]) => `${name} ${words(part)}`)
    .join(", ");
}

/** @param {Model} model */
function tokenFacts({ tokens }) {
  const { scale, scaleDtype, segments, norm, normKind, width, projection, unknown } = tokens;
  const { perLayer, maskId } = tokens;
  const rounded = scaleDtype === "float32" ? "" : `, rounded to ${scaleDtype}`;
  return [
    scale === "sqrt" && `Words are multiplied by sqrt(D)${rounded}.`,
    typeof scale === "number" && scale !== 1 && `Words are multiplied by ${scale}.`,
    maskId !== undefined && `Rows of the mask (${maskId}) are 0, and others make up for them.`,
    segments > 0 && `The table of token types has ${segments} rows.`,
    norm !== null && `${normKind ? "An RMSNorm" : "A LayerNorm"} with epsilon ${norm} follows.`,
    projection && `A linear layer widens rows of ${width} numbers.`,
    perLayer &&
      `Every layer gets rows of ${perLayer.width} numbers besides: perLayer of an open model.`,
    unknown && `The input is not computed here: it has ${unknown}.`,
  ].filter((fact) => typeof fact === "string");
}
