/** phasor config: what a configuration says, and which of its keys nothing depends on. */
import { columns, count, doubts } from "./output.js";
import { describeModel, HUB } from "./source.js";

/** @import { Model } from "../models/config.js" */

/** @type {import("./arguments.js").Command} */
export const config = {
  name: "config",
  operands: "CONFIG",
  least: 1,
  most: 1,
  does: "what it says about tokens and positions, and what is ignored",
  options: {
    tower: {
      type: "string",
      value: "TOWER",
      values: ["text", "vision", "audio"],
      text: "the part that is described: text, vision or audio",
    },
    ...HUB,
  },
  async run({ operands, options }) {
    const model = await describeModel(operands[0], options);
    const lines = [model.type, ...doubts(model.warnings), ...columns(facts(model))];
    const ignored = model.ignored.filter((key) => !model.suspect.includes(key));
    if (ignored.length > 0) lines.push(`  ignored: ${ignored.join(", ")}`);
    const isKnown = model.positions.scheme !== "unknown";
    return { data: model, lines, code: isKnown ? 0 : 1 };
  },
};

/** @param {unknown} value @returns {string} */
function shown(value) {
  if (typeof value === "number") return Number.isInteger(value) ? count(value) : String(value);
  if (typeof value === "string") return value;
  if (Array.isArray(value) && value.length > 8) {
    return `${shown(value.slice(0, 8))}, ... (${count(value.length)})`;
  }
  if (Array.isArray(value)) return value.map(shown).join(", ");
  if (typeof value !== "object" || value === null) return String(value);
  return Object.entries(value)
    .map(([key, part]) => `${key} ${shown(part)}`)
    .join(", ");
}

/** @param {Model} model */
function facts({ tokens, positions, cache, warnings, ignored, suspect, type, ...sizes }) {
  const { scheme, rotary, layerKinds, ...others } = positions;
  const kinds = Object.entries(rotary ?? {}).map(([kind, one]) => {
    const layers = layerKinds?.filter((other) => other === kind).length;
    const what = one === null ? "no rotation" : shown(one);
    return [kind, layers === undefined ? what : `${what}; ${count(layers)} layers`];
  });
  const entries = Object.entries({ ...sizes, ...prefixed(tokens), positions: scheme, ...others });
  return [
    ...entries
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => [key, shown(value)]),
    ...kinds,
  ];
}

/** @param {object} tokens */
function prefixed(tokens) {
  return Object.fromEntries(Object.entries(tokens).map(([key, value]) => [`tokens.${key}`, value]));
}
