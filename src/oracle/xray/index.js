/**
 * phasor/xray: what a context length is to a model, by its configuration: which angles are new, what programs that misread
 * the configuration get, and what it costs.
 */
import * as check from "../../runtime/check.js";
import { copied } from "../../runtime/input.js";
import { inFunction } from "../../runtime/named.js";
import { sharing } from "../../runtime/sharing.js";
import { load } from "../../index.js";
import { parse } from "../../models/config.js";
import { models } from "../../models/index.js";
import { costOf } from "./bytes.js";
import { kindsOf } from "./kinds.js";
import { precisionOf } from "./precision.js";
import { readersOf } from "./readers.js";
import { badgeOf, sentenceOf, wallOf } from "./words.js";

/**
 * @import { Model } from "../../models/index.js"
 * @import { Phasor } from "../../index.js"
 */

/**
 * @typedef {import("./kinds.js").Kind} Kind
 * @typedef {import("./kinds.js").Pair} Pair
 * @typedef {import("./readers.js").OtherReader} OtherReader
 * @typedef {import("./precision.js").Merge} Merge
 * @typedef {import("./bytes.js").Cost} Cost
 * @typedef {import("./words.js").Wall} Wall
 */

/**
 * What is looked at.
 * @typedef {object} XrayOptions
 * @property {number} [length]  tokens. Default: that of the configuration
 * @property {Phasor} [phasor]  computes the rotations. Default: one instance that all calls share
 */

/**
 * What a context length is to a model.
 * @typedef {object} Xray
 * @property {string} type  the configuration's `model_type`
 * @property {string} scheme  of its positions
 * @property {number} length  the length that is looked at, tokens
 * @property {number} trained  the length of training before any scaling, as far as the configuration says
 * @property {readonly Kind[]} kinds  of layers; empty for other schemes than RoPE
 * @property {readonly number[]} [order]  the index in `kinds` of each layer, where there are several
 * @property {readonly OtherReader[]} readers  what programs get that read the configuration in another way
 * @property {{bfloat16: Merge, float16: Merge}} precision  where positions in these formats merge
 * @property {Cost} cost  bytes
 * @property {Wall} [wall]  of other schemes: where they end
 * @property {string} sentence  that says it all
 * @property {string} badge  what the configuration says of positions, in a few words
 * @property {readonly string[]} warnings  of the description
 */

/** The shared instance, loaded on first use. */
const started = /* @__PURE__ */ sharing(load);

/**
 * Looks at a model at a context length: for each kind of layer which pairs meet angles that were not seen in training,
 * what the scaling does about it, what a program gets that ignores the scaling or misreads the configuration otherwise,
 * where positions of 16 bits merge, and the bytes of caches and tables.
 *
 * The share of a reader at a position n is the mean of R(n)x . R'(n)x over all x of length 1, where R rotates as the
 * configuration says and R' as the reader does: 1 where both agree. Factors of the scores are left out.
 *
 * @param {string | Record<string, unknown>} config  a config.json, its text, a name of `models.names`, or a description,
 *   as `models.fromConfig`, `models.get` and `fromGguf` return it
 * @param {XrayOptions} [options]
 * @returns {Promise<Xray>} plain data, frozen
 * @throws {TypeError | RangeError} if the configuration is wrong, states no length where none is given, or is of a family
 *   whose positions are not known
 * @see Hugging Face transformers, modeling_rope_utils.py; Peng et al. 2023, YaRN; the guide "The command line"
 * @example
 * const { kinds, readers } = await xray("llama-3.1-8b", { length: 60000 });
 * kinds[0].pairs.filter(({ state }) => state === "mapped").length // 29
 * readers[0].kinds[0].asked.toFixed(3) // "0.539"
 */
export async function xray(config, options = {}) {
  try {
    const { length: given, phasor } = check.options(options, {
      length: undefined,
      phasor: undefined,
    });
    const { model, base } = read(copied(config));
    const { type, positions, warnings } = model;
    const { scheme, reasons = [] } = positions;
    if (scheme === "unknown" || scheme === "other") {
      throw new RangeError(
        `config must be of a model whose positions are known; got ${check.describe(type)}: ${reasons.join(" ")}`,
      );
    }
    const stated = given ?? positions.length;
    if (stated === undefined) {
      throw new TypeError("length must be given for a model that states none; got undefined");
    }
    const length = check.integer(stated, "length");
    const core = phasor ?? (await started());
    const kinds = kindsOf(core, model, length);
    const trained = Math.min(...kinds.map((kind) => kind.trained), positions.length ?? length);
    const found = {
      type,
      scheme,
      length,
      trained,
      kinds,
      ...(positions.layerKinds && {
        order: positions.layerKinds.map((kind) => kinds.findIndex((of) => of.kind === kind)),
      }),
      readers: readersOf(core, kinds, { length, base }),
      precision: precisionOf(core, length),
      cost: costOf(model, kinds, length),
      wall: wallOf(core, model),
      warnings,
    };
    const said = {
      sentence: sentenceOf(found, positions.length),
      badge: badgeOf(found, positions.length),
    };
    return frozen(structuredClone({ ...found, ...said })); // parts are the caller's
  } catch (error) {
    throw inFunction("xray", error);
  }
}

/**
 * The description, and the base at the top level of the file; undefined where the file was not seen.
 * @param {unknown} config
 * @returns {{model: Model, base?: number | null}}
 */
function read(config) {
  const isText = typeof config === "string";
  if (isText && !config.trimStart().startsWith("{")) return { model: models.get(config) };
  const isDescription = check.isRecord(config) && check.isRecord(config.positions);
  if (isDescription) return { model: /** @type {Model} */ (/** @type {unknown} */ (config)) };
  const model = models.fromConfig(/** @type {Record<string, unknown>} */ (config));
  return { model, base: baseOf(parse(config)) };
}

/** The parts of a configuration that a text's model may have. */
const PARTS = ["text_config", "llm_config", "language_config", "thinker_config", "vlm_config"];

/** @param {Record<string, any>} config */
function baseOf(config) {
  const of = (/** @type {any} */ part) =>
    ["rope_theta", "rotary_emb_base"].map((key) => part?.[key]).find(Number.isFinite);
  return of(config) ?? PARTS.map((key) => of(config[key])).find(Number.isFinite) ?? null;
}

/** @template Data @param {Data} data @returns {Data} */
function frozen(data) {
  if (typeof data !== "object" || data === null || Object.isFrozen(data)) return data;
  for (const part of Object.values(data)) frozen(part);
  return Object.freeze(data);
}
