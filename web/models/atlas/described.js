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
    return of ? `${where} rotate ${rotation(of)}.` : `${where} do not rotate.`;
  });
  if (rows !== undefined) facts.push(`The table of positions has ${rows} rows.`);
  if (scheme === "axialRope") {
    const by = axes === 3 ? "time, row and column" : "row and column";
    facts.push(`${dim} columns of a head rotate by the ${by} of a patch, as "${preset}".`);
  } else if (preset !== undefined) facts.push(`The rule of rows is that of "${preset}".`);
  if (merge) facts.push(`Blocks of ${merge} x ${merge} patches become one token of the text.`);
  if (besides) facts.push(`The patches have ${besides}, too.`);
  if (options) facts.push(`Options of the scheme: ${JSON.stringify(options)}.`);
  const further = { relativeOptions, relativeScale, boxes, farthest, strides, separate, stages };
  const said = JSON.stringify(further); // without what is undefined
  if (said !== "{}") facts.push(`Further options: ${said}.`);
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
  return [
    start ? `the ${dim} columns from ${start} on` : `the first ${dim} columns`,
    `as ${layout}, base ${base.toLocaleString("en")}`,
    scaling ? `, scaling ${JSON.stringify(scaling)}` : ", without scaling",
    multimodal
      ? `, M-RoPE sections ${multimodal.sections.join(", ")} (${multimodal.arrangement})`
      : "",
    inverse ? ", by minus the angle" : "",
  ]
    .join(" ")
    .replaceAll(" ,", ",")
    .trim();
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
