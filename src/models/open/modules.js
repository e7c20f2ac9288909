/**
 * Reads how a model makes a sentence vector: modules.json of Sentence Transformers and the files that it names, or the
 * configuration of Model2Vec. All of it is text of strangers.
 */
import { describe } from "../../runtime/check.js";
import { FileError } from "../../runtime/errors.js";
import { parsed } from "../../runtime/json.js";

/**
 * @import { Place } from "./place.js"
 * @import { Weights } from "./weights.js"
 */

/**
 * How a model makes a sentence vector.
 * @typedef {object} SentenceLayers
 * @property {readonly string[]} modules  the names in modules.json, in order: "Transformer", "Pooling", "Normalize"
 * @property {{mode: readonly PoolingMode[], dim: number, includePrompt: boolean} | undefined} pooling  of the hidden
 *   states, for `pooling.apply`. `includePrompt`: whether the tokens of the prompt are pooled, too
 * @property {readonly {inputs: number, outputs: number, bias: boolean, activation: Activation, residual: boolean}[]} dense
 *   linear layers after the pooling
 * @property {boolean | undefined} normalize  whether the vectors have length 1; undefined for a GGUF file, which does not
 *   say it
 * @property {number | undefined} dim  the width of the vectors; undefined where only the weights say it
 * @property {number | undefined} truncateDim  the number of columns that the model keeps unless the caller says otherwise
 * @property {Readonly<Record<string, string>>} prompts  what precedes a text, by purpose: `{ query: "query: " }`
 * @property {string | undefined} defaultPrompt  the name of the prompt that applies unless the caller names another
 * @property {string | undefined} similarity  "cosine", "dot", "euclidean" or "manhattan"
 * @property {number | undefined} maxLength  the most tokens of a text; longer texts are cut
 * @property {Library | undefined} static  whose rules a static model follows: "model2vec" or "sentence-transformers";
 *   undefined if the vectors need a transformer
 *
 * @typedef {"mean" | "cls" | "last" | "weighted" | "max" | "mean-sqrt-len"} PoolingMode
 * @typedef {"identity" | "tanh" | "relu" | "sigmoid" | "silu"} Activation
 * @typedef {"model2vec" | "sentence-transformers"} Library
 */

/**
 * One step from hidden states, or from the mean of rows, to the vector. `tensor`: the weights in the model's own file.
 * @typedef {{kind: "pooling", modes: PoolingMode[], dim: number, includePrompt: boolean}
 *   | {kind: "dense", path: string, inputs: number, outputs: number, bias: boolean, activation: Activation, residual: boolean, tensor?: string}
 *   | {kind: "layerNorm", path: string, dim: number}
 *   | {kind: "normalize"}} Step
 */

const MOST_BYTES = 2 ** 20; // typically a few hundred
const MOST_VALUES = 2 ** 16;
const MOST_MODULES = 64;
const MOST_WIDTH = 2 ** 20;
const MOST_PROMPTS = 1024;

/** Prompts that a model has even if it does not say so, all empty: Sentence Transformers' defaults. */
export const EMPTY_PROMPTS = ["query", "document"];

/** The classes of Sentence Transformers, by their old and their new names. */
const TYPE =
  /^sentence_transformers\.(?:models|(?:sentence_transformer|base)\.modules)\.(?:[a-z_]+\.)?([A-Za-z]+)$/;

/** What each mode is called in 1_Pooling/config.json, and the flag of the older form, in their order of precedence. */
const MODES =
  /** @type {readonly (readonly [name: string, flag: string, mode: PoolingMode])[]} */ ([
    ["cls", "pooling_mode_cls_token", "cls"],
    ["max", "pooling_mode_max_tokens", "max"],
    ["mean", "pooling_mode_mean_tokens", "mean"],
    ["mean_sqrt_len_tokens", "pooling_mode_mean_sqrt_len_tokens", "mean-sqrt-len"],
    ["weightedmean", "pooling_mode_weightedmean_tokens", "weighted"],
    ["lasttoken", "pooling_mode_lasttoken", "last"],
  ]);

/** @type {ReadonlyMap<string, Activation>} */
const ACTIVATIONS = new Map([
  ["Identity", "identity"],
  ["Tanh", "tanh"],
  ["ReLU", "relu"],
  ["Sigmoid", "sigmoid"],
  ["SiLU", "silu"],
]);

/** The names that the file of the Transformer module has had. */
const LENGTH_FILES = [
  "bert",
  "roberta",
  "distilbert",
  "camembert",
  "albert",
  "xlm-roberta",
  "xlnet",
];

/**
 * @param {Place} place @param {string} weights  the path of the weights file
 * @param {boolean} isModel2Vec  whether the weights file is one of Model2Vec
 * @param {AbortSignal} [signal]
 * @returns {Promise<{layers: SentenceLayers, steps: readonly Step[], first: string, maxTokens: number | null,
 *   normalizes: boolean} | undefined>} undefined if the model says nothing about sentences. `first` is the folder of
 *   the first module; `maxTokens` and `normalizes` are Model2Vec's
 * @throws {FileError} OPEN_MODULES: a file does not have the structure that it must have, or names what is not known
 */
export async function readModules(place, weights, isModel2Vec, signal) {
  const folder = weights.slice(0, weights.lastIndexOf("/") + 1);
  const above = folder.replace(/(?<![^/])[^/]+\/$/, "");
  const base = [folder, above, ""].find((each) => place.files.includes(`${each}modules.json`));
  const files = new ConfigFiles(place, base ?? folder, signal);
  if (base === undefined && !isModel2Vec) return undefined;

  const { names, first, steps } =
    base === undefined
      ? { names: [], first: folder, steps: [] }
      : await readSteps(files, await files.read("modules.json"));
  const isStatic = names[0] !== "Transformer";
  const shared = (await files.object("config_sentence_transformers.json")) ?? new Config("", {});
  const isPlain = isModel2Vec && isStatic;
  const own = isPlain ? await files.object("config.json") : undefined;
  const normalizes = own?.boolean("normalize", false) ?? false;
  const library = isPlain ? "model2vec" : "sentence-transformers";
  const layers = {
    modules: Object.freeze(names),
    ...layersOf(steps),
    normalize: isPlain ? normalizes : steps.at(-1)?.kind === "normalize",
    dim: widthOf(steps),
    truncateDim: shared.integer("truncate_dim", MOST_WIDTH),
    ...promptsOf(shared),
    similarity: shared.text("similarity_fn_name"),
    maxLength: isStatic ? undefined : await maxLengthOf(files, first),
    static: isStatic ? /** @type {Library} */ (library) : undefined,
  };
  const limit = own?.has("max_length") ? own.integer("max_length", 2 ** 31 - 1) : 512;
  return { layers: Object.freeze(layers), steps, first, maxTokens: limit ?? null, normalizes };
}

/** The ways of llama.cpp to pool, by number; 0 is none. */
const GGUF_MODES = /** @type {const} */ ([undefined, "mean", "cls", "last"]);

/** The linear layers of llama.cpp after the pooling, in their order. */
const GGUF_DENSE = ["dense_2", "dense_3"];

/**
 * Reads what a GGUF file says: `pooling_type`, and the linear layers that it may hold.
 * @param {Weights} weights @param {AbortSignal} [signal]
 * @returns {ReturnType<typeof readModules>}
 * @throws {FileError} OPEN_MODULES: the pooling is not one that gives a vector
 * @see llama.cpp, include/llama.h, llama_pooling_type; src/llama-graph.cpp, build_dense_out
 */
export async function readGgufPooling({ metadata, names, info }, signal) {
  const architecture = String(metadata.get("general.architecture"));
  const number = Number(metadata.get(`${architecture}.pooling_type`) ?? 0);
  if (number === 0 || number === -1 || number === 2 ** 32 - 1) return undefined; // -1: not specified
  const mode = GGUF_MODES[number];
  if (mode === undefined) {
    const rule = "be 0 (none), 1 (mean), 2 (cls) or 3 (last)";
    const got = number === 4 ? "4 (rank: a score, no vector)" : number;
    throw refused(`${architecture}.`, "pooling_type", rule, got);
  }
  const length = `${architecture}.embedding_length`;
  const dim = new Config("metadata", { [length]: Number(metadata.get(length)) }).size(length);
  /** @type {Step[]} */
  const steps = [{ kind: "pooling", modes: [mode], dim, includePrompt: true }];
  for (const name of GGUF_DENSE) {
    if (!names.includes(`${name}.weight`)) continue;
    const { shape } = await info(`${name}.weight`, { signal });
    const [outputs, inputs] = shape;
    if (shape.length !== 2 || inputs !== widthOf(steps)) {
      throw refused("", `${name}.weight`, `have shape [N, ${widthOf(steps)}]`, shape);
    }
    const bias = names.includes(`${name}.bias`);
    const layer = { inputs, outputs, bias, activation: "identity", residual: false };
    steps.push(/** @type {Step} */ ({ kind: "dense", path: "", tensor: name, ...layer }));
  }
  const layers = {
    modules: Object.freeze([]),
    ...layersOf(steps),
    normalize: undefined,
    dim: widthOf(steps),
    truncateDim: undefined,
    prompts: Object.freeze({}),
    defaultPrompt: undefined,
    similarity: undefined,
    maxLength: undefined,
    static: undefined,
  };
  return { layers: Object.freeze(layers), steps, first: "", maxTokens: null, normalizes: false };
}

/** @param {readonly Step[]} steps @returns {Pick<SentenceLayers, "pooling" | "dense">} */
function layersOf(steps) {
  const [pooling] = steps.filter((step) => step.kind === "pooling");
  const dense = steps.filter((step) => step.kind === "dense");
  return {
    pooling: pooling && Object.freeze(poolingOf(pooling)),
    dense: Object.freeze(
      dense.map(({ kind: _, path: __, tensor: ___, ...rest }) => Object.freeze(rest)),
    ),
  };
}

/** @param {Extract<Step, {kind: "pooling"}>} step */
function poolingOf({ modes, dim, includePrompt }) {
  return { mode: Object.freeze(modes), dim, includePrompt };
}

/**
 * @param {ConfigFiles} files @param {unknown} list  the contents of modules.json
 * @returns {Promise<{names: string[], first: string, steps: Step[]}>}
 */
async function readSteps(files, list) {
  if (!Array.isArray(list) || list.length < 1 || list.length > MOST_MODULES) {
    throw refused(files.base, "modules.json", `be a list of 1 to ${MOST_MODULES} modules`, list);
  }
  const modules = list.map((entry) => moduleOf(files.base, entry));
  const [{ name, path }] = modules;
  if (name !== "Transformer" && name !== "StaticEmbedding") {
    const rule = 'begin with the module "Transformer" or "StaticEmbedding"';
    throw refused(files.base, "modules.json", rule, name);
  }
  /** @type {Step[]} */
  const steps = [];
  for (const module of modules.slice(1)) {
    const step = await stepOf(files, module, widthOf(steps));
    const isPooling = step?.kind === "pooling";
    if (step && isPooling !== (name === "Transformer" && steps.length === 0)) {
      const rule = 'have the module "Pooling" right after "Transformer", and nowhere else';
      throw refused(files.base, "modules.json", rule, module.name);
    }
    if (step) steps.push(step);
  }
  if (name === "Transformer" && steps.length === 0) {
    throw refused(files.base, "modules.json", 'have the module "Pooling"', undefined);
  }
  return { names: modules.map((module) => module.name), first: `${files.base}${path}`, steps };
}

/** @param {string} base @param {unknown} entry @returns {{name: string, path: string}} `path` ends with / or is empty */
function moduleOf(base, entry) {
  const config = Config.of(`${base}modules.json`, entry);
  const type = config.text("type") ?? "";
  const [, name] = TYPE.exec(type) ?? [];
  if (
    ![
      "Transformer",
      "StaticEmbedding",
      "Pooling",
      "Dense",
      "LayerNorm",
      "Normalize",
      "Dropout",
    ].includes(name)
  ) {
    const rule = "have modules of Sentence Transformers that are known";
    throw refused(base, "modules.json", rule, type);
  }
  const path = config.text("path") ?? "";
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  if (/^\/|[\\:\0]/.test(path) || parts.includes("..")) {
    throw refused(base, "modules.json", "have paths inside the model's folder", path);
  }
  return { name, path: parts.map((part) => `${part}/`).join("") };
}

/**
 * @param {ConfigFiles} files @param {{name: string, path: string}} module @param {number | undefined} width  before it
 * @returns {Promise<Step | undefined>} undefined for a module that does nothing to vectors
 */
async function stepOf(files, { name, path }, width) {
  if (name === "Dropout") return undefined; // in training only
  const config = await files.object(`${path}config.json`);
  if (name === "Normalize") {
    if (config) ofSentences(config);
    return { kind: "normalize" };
  }
  if (!config) {
    throw refused(files.base, "modules.json", "name folders with a config.json", path || name);
  }
  if (name === "Pooling") return poolingStep(config);
  const at = `${files.base}${path}`;
  if (name === "LayerNorm") {
    const dim = config.size("dimension");
    config.check(width === undefined || width === dim, "dimension", String(width), dim);
    return { kind: "layerNorm", path: at, dim };
  }
  if (name !== "Dense") {
    throw refused(files.base, "modules.json", `have the module "${name}" only once`, path);
  }
  ofSentences(config);
  const inputs = config.size("in_features");
  config.check(width === undefined || width === inputs, "in_features", String(width), inputs);
  return {
    kind: "dense",
    path: at,
    inputs,
    outputs: config.size("out_features"),
    bias: config.boolean("bias", true),
    activation: activationOf(config),
    residual: config.boolean("use_residual", false),
  };
}

/** @param {Config} config @returns {Step} */
function poolingStep(config) {
  const name = config.has("embedding_dimension")
    ? "embedding_dimension"
    : "word_embedding_dimension";
  const flags = MODES.filter(([, flag]) => config.boolean(flag, false)).map(([known]) => known);
  const given = config.value("pooling_mode") ?? (flags.length > 0 ? flags : "mean");
  const list = Array.isArray(given) ? given : [given];
  config.check(
    list.length > 0 && list.length <= MOST_MODULES,
    "pooling_mode",
    "a mode or a list of modes",
    given,
  );
  const modes = list.map((each) => {
    const mode = MODES.find(([known]) => known === each)?.[2];
    const rule = `one of ${MODES.map(([known]) => `"${known}"`).join(", ")}`;
    config.check(mode !== undefined, "pooling_mode", rule, each);
    return /** @type {PoolingMode} */ (mode);
  });
  const includePrompt = config.boolean("include_prompt", true);
  return { kind: "pooling", modes, dim: config.size(name), includePrompt };
}

/** Of a module that may also work on the vectors of tokens. @param {Config} config */
function ofSentences(config) {
  for (const name of ["module_input_name", "module_output_name"]) {
    const found = config.text(name) ?? "sentence_embedding";
    config.check(found === "sentence_embedding", name, '"sentence_embedding"', found);
  }
}

/** @param {Config} config @returns {Activation} */
function activationOf(config) {
  const name = config.text("activation_function") ?? "torch.nn.modules.activation.Tanh";
  const [, known = ""] = /^torch\.nn\.(?:modules\.\w+\.)?(\w+)$/.exec(name) ?? [];
  const found = ACTIVATIONS.get(known);
  const rule = `one of ${[...ACTIVATIONS.keys()].join(", ")}`;
  config.check(found !== undefined, "activation_function", rule, name);
  return /** @type {Activation} */ (found);
}

/** The width after some steps. @param {readonly Step[]} steps */
function widthOf(steps) {
  /** @type {number | undefined} */
  let width;
  for (const step of steps) {
    if (step.kind === "pooling") width = step.modes.length * step.dim;
    if (step.kind === "dense") width = step.outputs;
    if (step.kind === "layerNorm") width = step.dim;
  }
  return width;
}

/** @param {Config} config @returns {Pick<SentenceLayers, "prompts" | "defaultPrompt">} */
function promptsOf(config) {
  const given = Config.of(`${config.path}: prompts`, config.value("prompts") ?? {});
  const entries = given.names().map((name) => [name, given.text(name) ?? ""]);
  const rule = `at most ${MOST_PROMPTS}`;
  config.check(entries.length <= MOST_PROMPTS, "prompts", rule, entries.length);
  const prompts = Object.freeze(Object.fromEntries(entries));
  const defaultPrompt = config.text("default_prompt_name");
  const isKnown = defaultPrompt === undefined || hasPrompt(prompts, defaultPrompt);
  config.check(isKnown, "default_prompt_name", "one of prompts", defaultPrompt);
  return { prompts, defaultPrompt };
}

/** Whether a model has a prompt of this name. @param {SentenceLayers["prompts"]} prompts @param {string} name */
function hasPrompt(prompts, name) {
  return Object.hasOwn(prompts, name) || EMPTY_PROMPTS.includes(name);
}

/** @param {ConfigFiles} files @param {string} folder  of the Transformer */
async function maxLengthOf(files, folder) {
  for (const kind of LENGTH_FILES) {
    const config = await files.object(
      `${folder.slice(files.base.length)}sentence_${kind}_config.json`,
    );
    if (config) return config.integer("max_seq_length", 2 ** 31 - 1);
  }
  return undefined;
}

/** The small JSON files of a model. */
class ConfigFiles {
  /** @param {Place} place @param {string} base  the folder of modules.json @param {AbortSignal} [signal] */
  constructor(place, base, signal) {
    this.place = place;
    this.base = base;
    this.signal = signal;
  }

  /** The contents of a file that exists. @param {string} name @returns {Promise<unknown>} */
  async read(name) {
    const path = `${this.base}${name}`;
    const text = await this.place.text(path, MOST_BYTES, this.signal);
    try {
      return parsed(text, MOST_VALUES);
    } catch (cause) {
      throw refused("", path, "be JSON", /** @type {Error} */ (cause).message, cause);
    }
  }

  /** The object in a file, or undefined if there is no such file. @param {string} name */
  async object(name) {
    const path = `${this.base}${name}`;
    if (!this.place.files.includes(path)) return undefined;
    return Config.of(path, await this.read(name));
  }
}

/** The fields of a JSON object, each checked when it is read. A field that is null is one that is left out. */
class Config {
  #fields;

  /** @param {string} path @param {Record<string, unknown>} fields */
  constructor(path, fields) {
    this.path = path;
    this.#fields = fields;
  }

  /** @param {string} path @param {unknown} value */
  static of(path, value) {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      throw refused("", path, "be an object", value);
    }
    return new Config(path, /** @type {Record<string, unknown>} */ (value));
  }

  names() {
    return Object.keys(this.#fields);
  }

  /** @param {string} name */
  has(name) {
    return Object.hasOwn(this.#fields, name);
  }

  /** @param {string} name @returns {unknown} */
  value(name) {
    return this.has(name) ? (this.#fields[name] ?? undefined) : undefined;
  }

  /** @param {string} name */
  text(name) {
    const value = this.value(name);
    this.check(value === undefined || typeof value === "string", name, "a string", value);
    return /** @type {string | undefined} */ (value);
  }

  /** @param {string} name @param {boolean} fallback */
  boolean(name, fallback) {
    const value = this.value(name) ?? fallback;
    this.check(typeof value === "boolean", name, "true or false", value);
    return /** @type {boolean} */ (value);
  }

  /** @param {string} name @param {number} most */
  integer(name, most) {
    const value = this.value(name);
    const fits = Number.isInteger(value) && Number(value) >= 1 && Number(value) <= most;
    this.check(value === undefined || fits, name, `a whole number from 1 to ${most}`, value);
    return /** @type {number | undefined} */ (value);
  }

  /** A width, which must be there. @param {string} name */
  size(name) {
    const value = this.integer(name, MOST_WIDTH);
    this.check(value !== undefined, name, `a whole number from 1 to ${MOST_WIDTH}`, value);
    return /** @type {number} */ (value);
  }

  /** @param {boolean} holds @param {string} name @param {string} rule @param {unknown} got */
  check(holds, name, rule, got) {
    if (!holds) throw refused("", `${this.path}: ${name}`, `be ${rule}`, got);
  }
}

/** @param {string} base @param {string} name @param {string} rule @param {unknown} got @param {unknown} [cause] */
function refused(base, name, rule, got, cause) {
  const message = `${base}${name} must ${rule}; got ${describe(got)}`;
  return new FileError("OPEN_MODULES", message, { cause });
}
