/** @import { Phasor } from "phasor" */
/** @import { Values } from "./settings.js" */
import { models } from "phasor/models";
import { readConfig } from "../app/read-config.js";
import { declarations } from "../../src/positional/about.js";
import { schemes } from "./schemes/index.js";
import { allows, initial, rule } from "./settings.js";

/**
 * The settings of a model's scheme.
 *
 * @typedef {object} Preset
 * @property {string} name  in the address
 * @property {string} title
 * @property {string} group
 * @property {string} scheme
 * @property {Values} settings  all of the scheme's
 * @property {string} [source]  the URL of the model's configuration
 * @property {string} [note]
 */

/** @typedef {ReturnType<typeof models.get> | ReturnType<typeof models.fromConfig>} Model */
/** @typedef {NonNullable<NonNullable<Model["positions"]["rotary"]>[string]>} Rotary */

/** The number of positions in a model's picture. */
const SHOWN = 256;

/**
 * The models that `phasor/models` knows, each with the scheme of its positions; a model with several kinds of layers has
 * several.
 * @returns {Preset[]}
 */
export function modelPresets() {
  return models.names.flatMap((name) => {
    const model = models.get(name);
    const { scheme, reasons, rotary } = model.positions;
    const isStill = rotary && Object.values(rotary).every((of) => of === null); // no layer rotates
    if (reasons || isStill || ["none", "axialRope"].includes(scheme)) return [];
    return ofModel(model).map(({ kind, ...preset }) => ({
      ...preset,
      name: kind === "" ? name : `${name}.${kind}`,
      title: kind === "" ? name : `${name}, ${kind}`,
      group: "Models",
      source: model.source,
      ...(model.note && { note: model.note }),
    }));
  });
}

/**
 * Reads a pasted config.json.
 * @param {string} text
 * @returns {{presets: Preset[], warnings: string[]}} the first preset is that of most layers
 * @throws {TypeError | RangeError} with the position of a syntax error
 */
export function fromConfig(text) {
  const model = readConfig(text);
  const type = model.type === "" ? "config.json" : model.type;
  const presets = ofModel(model).map(({ kind, ...preset }) => ({
    ...preset,
    name: "",
    title: kind === "" ? type : `${type}, ${kind}`,
    group: "Pasted",
  }));
  return { presets, warnings: model.warnings };
}

/**
 * A model's positions as schemes; `kind` names the layers where there are several.
 * @param {Model} model
 * @returns {{kind: string, scheme: string, settings: Values}[]}
 */
function ofModel(model) {
  const { positions, type, dim } = model;
  const heads = [model.heads].flat()[0];
  const length = Math.min(positions.length ?? SHOWN, SHOWN);
  const options = /** @type {Record<string, any>} */ (positions.options ?? {});
  if (positions.scheme === "rope") return ofRotary(model);
  const settings = new Map(Object.entries(declarations)).get(positions.scheme)?.ofModel;
  if (settings) {
    const { preset, rows } = positions;
    return [one(positions.scheme, settings({ type, dim, heads, length, options, preset, rows }))];
  }
  switch (positions.scheme) {
    case "axialRope": {
      const { preset = "", dim: width } = positions;
      throw new RangeError(
        `config must be of a text; got a tower for pictures, ${width} columns as axialRope.presets.${preset}`,
      );
    }
    default: {
      const why = positions.reasons ?? ["The model has no positions."];
      throw new RangeError(`config must have positions that phasor computes. ${why.join(" ")}`);
    }
  }
}

/** @param {Model} model */
function ofRotary({ positions, headDim, type }) {
  const { rotary = {}, layerKinds } = positions;
  const turning = /** @type {[string, Rotary][]} */ (
    Object.entries(rotary).filter(([, of]) => of !== null)
  );
  if (turning.length === 0) {
    throw new RangeError("config must have a layer with positions; got none");
  }
  const count = (/** @type {string} */ kind) =>
    layerKinds?.filter((layer) => layer === kind).length ?? 0;
  const kinds = turning.map(([kind, of]) => {
    const { dim, options, multimodal } = of;
    const named = turning.length > 1 ? kind : "";
    if (multimodal) {
      if (options.scaling) {
        throw new RangeError(
          `config must have no scaling of three axes, which the playground does not draw; got ${options.scaling.type}`,
        );
      }
      return { ...one("mrope", { dim, base: options.base, ...multimodal }), kind: named };
    }
    const settings = declarations.rope.ofModel?.({
      ...of,
      type,
      headDim,
      length: positions.length,
    });
    return { ...one("rope", settings ?? {}), kind: named };
  });
  return kinds.sort((a, b) => count(b.kind) - count(a.kind));
}

/**
 * A scheme's settings with some of them given.
 * @param {string} scheme @param {Record<string, any>} given
 * @throws {RangeError} for one that the scheme may not have
 */
function one(scheme, given) {
  const settings = initial(schemes[scheme].settings);
  for (const setting of schemes[scheme].settings) {
    const value = given[setting.name];
    if (value === undefined) continue;
    if (!allows(setting, value)) {
      const got = Array.isArray(value) ? `[${value.join(", ")}]` : String(value);
      throw new RangeError(`${setting.name} must be ${rule(setting)}; got ${got}`);
    }
    settings[setting.name] = value;
  }
  return { kind: "", scheme, settings };
}

/**
 * Conventions of libraries and papers: the presets of phasor's modules.
 * @param {Phasor} phasor
 * @returns {Preset[]}
 */
export function conventionPresets(phasor) {
  return [
    ...Object.entries(declarations).flatMap(([name, { module = name, presets }]) =>
      presets ? all(name, /** @type {any} */ (phasor)[module].presets, presets) : [],
    ),
    ...Object.values(schemes).flatMap((scheme) => conventionalPresets(phasor, scheme)),
  ];
}

/**
 * The presets of a scheme without an entry: those whose options all have a control.
 * @param {Phasor} phasor @param {import("./schemes/scheme.js").Scheme} scheme
 */
function conventionalPresets(phasor, { conventional, name, settings }) {
  const { presets = {} } = /** @type {any} */ (phasor)[name] ?? {};
  if (!conventional) return [];
  const names = settings.map((setting) => setting.name);
  const without = Object.keys(presets).filter((preset) =>
    Object.keys(presets[preset]).some((option) => !names.includes(option)),
  );
  return all(name, presets, { without });
}

/**
 * @param {string} scheme @param {Record<string, Record<string, any>>} presets
 * @param {import("../../src/positional/about.js").Presets} shown
 * @returns {Preset[]}
 */
function all(scheme, presets, { only = Object.keys(presets), without = [], settings }) {
  const { title: group } = schemes[scheme];
  return only.flatMap((title) => {
    const given = settings ? settings(presets[title]) : presets[title];
    if (without.includes(title) || !given) return [];
    const { settings: made } = one(scheme, given);
    return [{ name: `${scheme}.${title}`, title, group, scheme, settings: made }];
  });
}
