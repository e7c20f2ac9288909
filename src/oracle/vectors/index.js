/**
 * phasor/vectors: a conformance kit of a model's positions. Files of numbers that a port must give, and of those that
 * likely slips give, with tests in five languages.
 */
import * as check from "../../runtime/check.js";
import { copied } from "../../runtime/input.js";
import { inFunction } from "../../runtime/named.js";
import { sharing } from "../../runtime/sharing.js";
import { didYouMean } from "../../runtime/suggest.js";
import { safetensors } from "../../files/index.js";
import { load } from "../../index.js";
import { parse } from "../../models/config.js";
import { models } from "../../models/index.js";
import { BIAS_TOLERANCE, biasArrays } from "./bias.js";
import { idsArrays } from "./ids.js";
import { layersOf } from "./layers.js";
import { ROWS_TOLERANCE, rowsArrays } from "./rows.js";
import { ROTARY_TOLERANCE, rotaryArrays } from "./rotary.js";

/**
 * @import { Phasor } from "../../index.js"
 * @import { Model } from "../../models/config.js"
 * @import { Arrays, Source } from "./arrays.js"
 */

/**
 * Options of a kit.
 * @typedef {object} VectorsOptions
 * @property {number} [length]  positions of the first case, T. Default: 64
 * @property {number} [seed]  of queries, keys and tables. Default: 1
 * @property {readonly ("pytest" | "vitest" | "rust" | "swift" | "cpp")[]} [tests]  for which languages a test is written.
 *   Default: all
 * @property {Phasor} [phasor]  computes the numbers. Default: one instance that all calls share
 */

/**
 * A kit.
 * @typedef {object} Vectors
 * @property {Readonly<Record<string, Uint8Array | string>>} files  by name
 * @property {Readonly<Record<string, string>>} leftOut  what the model does not have, and why
 */

/** What tests are written in. */
const LANGUAGES = Object.freeze(["pytest", "vitest", "rust", "swift", "cpp"]);

/* global PHASOR_VERSION -- set by the build */
const VERSION = PHASOR_VERSION;

/** The shared instance, loaded on first use. */
const started = /* @__PURE__ */ sharing(load);

/** @type {{length: number, seed: number, tests: unknown, phasor: Phasor | undefined}} */
const DEFAULTS = { length: 64, seed: 1, tests: LANGUAGES, phasor: undefined };

/**
 * Makes the conformance kit of a model, from its description alone: without weights.
 *
 * @param {string | Record<string, unknown>} config  a name of `models.names`, the text of config.json, the parsed object,
 *   or a description of `models.fromConfig`
 * @param {VectorsOptions} [options]
 * @returns {Promise<Vectors>} the files, to be written to one folder
 * @throws {TypeError | RangeError} if the configuration or an option is wrong, or the model's positions are not known
 * @see models.fromConfig, from which everything comes
 * @example
 * const { files } = await vectors("gpt2", { tests: ["pytest"] });
 * Object.keys(files)
 * // ["ids.safetensors", "embedding.safetensors", "slips.safetensors", "layers.json", "test_positions.py"]
 */
export async function vectors(config, options = {}) {
  try {
    const given = check.options(options, DEFAULTS);
    const length = check.integer(given.length, "length", 1, 4096);
    const seed = check.integer(given.seed, "seed", 0, 2 ** 31 - 1);
    const languages = readTests(given.tests);
    const { model, keys, text } = readConfig(copied(config));
    if (model.positions.scheme === "unknown") {
      const why = model.positions.reasons?.join(" ");
      throw new RangeError(
        `config must be of a family that phasor knows; got ${model.type}: ${why}`,
      );
    }
    refuseLarge(model);
    const phasor = given.phasor ?? (await started());
    /** @type {Source} */
    const source = { phasor, model, config: keys, length, seed };
    const made = { phasor: VERSION, config: model.type, sha256: await digestOf(text) };
    const { files, leftOut } = kitOf(source, made);
    if (languages.length > 0) {
      const { testFiles } = await import("./tests.js");
      Object.assign(files, testFiles(languages, made));
    }
    return { files: Object.freeze(files), leftOut: Object.freeze(leftOut) };
  } catch (error) {
    throw inFunction("vectors", error);
  }
}

/** @param {unknown} given @returns {string[]} */
function readTests(given) {
  if (!check.isList(given)) {
    throw new TypeError(`tests must be an array of languages; got ${check.describe(given)}`);
  }
  return Array.from(given, (each) => check.oneOf(each, "tests", LANGUAGES));
}

/**
 * @param {unknown} config
 * @returns {{model: Model, keys: Record<string, any>, text: string}}
 */
function readConfig(config) {
  if (typeof config === "string" && !config.trimStart().startsWith("{")) {
    if (!models.names.includes(config)) {
      const got = `${check.describe(config)}${didYouMean(config, models.names)}`;
      throw new RangeError(`config must be one of models.names, or JSON; got ${got}`);
    }
    const model = models.get(config);
    return { model, keys: {}, text: JSON.stringify(model) };
  }
  const isDescription = check.isRecord(config) && "positions" in config && "tokens" in config;
  const model = isDescription
    ? /** @type {Model} */ (/** @type {unknown} */ (config))
    : models.fromConfig(/** @type {any} */ (config));
  const text = typeof config === "string" ? config : JSON.stringify(config);
  const keys = parse(config);
  return { model, keys: { ...keys, ...Object(keys.text_config) }, text };
}

/** The largest sizes of a model that has a kit. */
const MOST = Object.freeze({ dim: 65536, headDim: 65536, heads: 4096 });

/** Refuses models whose kits would not fit into memory. @param {Model} model */
function refuseLarge(model) {
  for (const [name, most] of Object.entries(MOST)) {
    const size = model[/** @type {keyof typeof MOST} */ (name)];
    if (typeof size !== "number" || size <= most) continue;
    throw new RangeError(`config must have ${name} of at most ${most}; got ${size}`);
  }
}

/** @param {string} text */
async function digestOf(text) {
  if (!globalThis.crypto?.subtle) return "unknown: this page is not from https";
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The files but the tests. @param {Source} source @param {Record<string, string>} made */
function kitOf(source, made) {
  /** @type {Record<string, Uint8Array | string>} */
  const files = {};
  /** @type {Record<string, string>} */
  const leftOut = {};
  /** @param {string} name @param {Arrays} arrays @param {string} tolerance @param {string} [why] */
  const put = (name, arrays, tolerance, why) => {
    if (why) leftOut[name] = why;
    if (Object.keys(arrays).length === 0) return;
    files[name] = safetensors.write(arrays, { metadata: { ...made, tolerance } });
  };
  const { scheme, rotary, reasons = [] } = source.model.positions;
  const rotation = rotaryArrays(source);
  const still = [`queries and keys do not rotate: the scheme is ${scheme}`, ...reasons];
  put("rotary.safetensors", rotation.arrays, ROTARY_TOLERANCE, rotary ? "" : still.join(": "));
  put("torch/rotary.safetensors", rotation.torch, torchWords(rotation.largest));
  const ids = idsArrays(source);
  put("ids.safetensors", ids.arrays, "0 where there is a token", ids.leftOut.join("; "));
  const bias = biasArrays(source);
  put("bias.safetensors", bias.arrays, BIAS_TOLERANCE, bias.why);
  put("torch/bias.safetensors", bias.torch, torchWords(0));
  const rows = rowsArrays(source);
  put("embedding.safetensors", rows.arrays, ROWS_TOLERANCE, rows.why);
  put("torch/embedding.safetensors", rows.torch, torchWords(rows.largest));
  const slips = { ...rotation.slips, ...ids.slips, ...bias.slips, ...rows.slips };
  put("slips.safetensors", slips, "that of the array that a slip stands for");
  files["layers.json"] = described(source, made, leftOut);
  return { files, leftOut };
}

/**
 * The text of layers.json.
 * @param {Source} source @param {Record<string, string>} made @param {Record<string, string>} leftOut
 */
function described(source, made, leftOut) {
  const { type, vocabulary, dim, layers, tokens, positions, warnings } = source.model;
  const { rotary, layerKinds, ...encoding } = positions;
  const data = {
    made,
    tolerance: "0: kinds of layers are exact",
    left_out: leftOut,
    warnings,
    model: { type, vocabulary, dim, layers, tokens, positions: encoding },
    layers: layersOf(source),
  };
  return `${JSON.stringify(data, undefined, 1)}\n`;
}

/** @param {number} largest */
const torchWords = (largest) =>
  `these are PyTorch's float32 steps; they differ from the exact numbers by ${largest.toPrecision(3)} at most`;
