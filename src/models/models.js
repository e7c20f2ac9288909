/** @import { Model, Rotary } from "./config.js" */
/** @import { Cost, Shape } from "./cost.js" */
/** @import { ModelName } from "./presets.js" */
import * as check from "../runtime/check.js";
import { nameFunctions } from "../runtime/named.js";
import { didYouMean } from "../runtime/suggest.js";
import { describe, TOWER_NAMES } from "./config.js";
import { costOf, SCHEMES } from "./cost.js";
import { PRESETS } from "./presets.js";

/**
 * What `rope.apply` takes besides, and the warnings, which list doubtful values.
 * @typedef {{start: number, inverse: boolean, warnings: string[]}} Turned
 */

const names = Object.freeze(Object.keys(PRESETS));

/**
 * Public models and their configurations: how they embed tokens and encode positions.
 */
export const models = /* @__PURE__ */ Object.freeze(
  /* @__PURE__ */ nameFunctions("models", {
    /**
     * The names of the known models. `atlas` has them by family, and those of whose config.json no public copy was read.
     * @type {readonly string[]}
     */
    names,

    /** The schemes of `cost`. @type {readonly string[]} */
    schemes: SCHEMES,

    /**
     * Describes a model by its name.
     *
     * @param {ModelName | (string & {})} name  one of `models.names`
     * @returns {Model & {name: string, source: string, note?: string}} `source` is the address of
     *   the model's configuration (of the paper or model card where there is none)
     * @throws {TypeError | RangeError} if the name is not known
     * @see the models' own config.json; `source` has the address of each
     * @example
     * models.get("gpt2").positions
     * // { scheme: "learnedPositions", preset: "gpt2", rows: 1024, length: 1024 }
     */
    get(name) {
      return named(name, "name");
    },

    /**
     * Describes a model by its config.json, of any version of transformers: `rope_scaling` with `type` or
     * `rope_type`, `rope_parameters` for all layers or by kind, NoPE masks, partial rotary widths, M-RoPE
     * sections; or by the params.json of Meta's and Mistral's weights, whose pairs are neighbors, or ExecuTorch's, which
     * says it, and by MLC LLM's mlc-chat-config.json. Wrong values throw;
     * doubtful ones are listed in `warnings`, keys that nothing reads in `ignored`. Those of them that may change
     * positions or attention are in `suspect`, and `warnings` begins with them. A family that phasor does not know has
     * the scheme `unknown` and reasons, and nothing is computed for it.
     *
     * A tower for pictures has the scheme `axialRope`:
     *
     *     const { preset, dim, options } = models.fromConfig(config, { tower: "vision" }).positions;
     *     axialRope.table([rows, columns], dim, { ...axialRope.presets[preset], ...options });
     *
     * @param {string | Record<string, unknown>} config  the text of the file, or the parsed object
     * @param {{tower?: "text" | "vision" | "audio"}} [options]  the part to describe, of a configuration with
     *   several. Default: `text`, or the whole where it has no parts
     * @returns {Model} the same for all versions of the format
     * @throws {TypeError | RangeError} naming the key, as config.rope_scaling.factor
     * @see Hugging Face transformers, configuration_*.py of each model, modeling_rope_utils.py
     * @example
     * const config = { model_type: "llama", hidden_size: 64, num_attention_heads: 4, num_hidden_layers: 2 };
     * models.fromConfig({ ...config, rope_theta: 500000 }).positions.rotary
     * // { full_attention: { dim: 16, layout: "halves", options: { base: 500000 } } }
     */
    fromConfig(config, options = {}) {
      const { tower = "text" } = check.options(options, { tower: undefined });
      return describe(config, { tower: check.oneOf(tower, "tower", TOWER_NAMES) });
    },

    /**
     * Returns how a model rotates its queries and keys, as arguments of `rope`: in its layers with full attention, if they
     * are rotated.
     *
     * @overload
     * @param {ModelName | (string & {}) | Record<string, unknown>} model  a name, or a config.json as an object
     * @returns {Rotary & Turned}
     */
    /**
     * Returns how a model rotates its queries and keys, as arguments of `rope`:
     *
     *     const { dim, layout, start, inverse, options } = models.rope("llama-3.1-8b");
     *     rope.apply(q, rope.table(q.shape.at(-2), dim, options), { dim, layout, start, inverse });
     *
     * @overload
     * @param {ModelName | (string & {}) | Record<string, unknown>} model  a name, or a config.json as an object
     * @param {{layer?: number}} [options]  the index of the layer. Default: a layer that is rotated,
     *   with full attention if there is one
     * @returns {(Rotary & Turned) | null} null for a layer without RoPE
     * @throws {TypeError | RangeError} if the model is not known, its configuration is wrong, it has
     *   no such layer or none that is rotated, or its scheme is not RoPE
     * @see Hugging Face transformers, modeling_rope_utils.py; the models' own config.json
     * @example
     * models.rope("gemma-3-1b", { layer: 0 })
     * // { start: 0, inverse: false, dim: 256, layout: "halves", options: { base: 10000 }, warnings: [] }
     * models.rope("gemma-3-1b", { layer: 5 })?.options
     * // { base: 1000000 }
     */
    rope(/** @type {string | Record<string, unknown>} */ model, options = {}) {
      const { layer } = check.options(options, { layer: undefined });
      const described = typeof model === "string" ? named(model, "model") : describe(model);
      const { positions, layers, warnings } = described;
      if (!positions.rotary) {
        const why = positions.reasons ? `: ${positions.reasons.join(" ")}` : "";
        throw new RangeError(
          `model must use rotary embeddings; got scheme "${positions.scheme}"${why}`,
        );
      }
      const { rotary, layerKinds } = positions;
      const turned = Object.keys(rotary).filter((kind) => rotary[kind]);
      const byDefault = turned.includes("full_attention") ? "full_attention" : turned[0];
      const at = layer === undefined ? undefined : check.integer(layer, "layer", 0, layers - 1);
      const kind = at === undefined ? byDefault : (layerKinds?.[at] ?? byDefault);
      const found = kind === undefined ? null : rotary[kind];
      if (!found && layer === undefined)
        throw new RangeError("model must have a layer that is rotated; got none");
      return found && { start: 0, inverse: false, ...found, warnings };
    },

    /**
     * Counts the parameters, stored numbers and operations of a scheme.
     *
     * @param {string} scheme  one of `models.schemes`
     * @param {Shape} [options]  sizes. Default: GPT-2's, V = 50257, D = 768, T = 1024, H = 12
     * @returns {Cost} learned parameters, other stored numbers, and operations per token (per layer for
     *   schemes that act in attention)
     * @throws {TypeError | RangeError} if the scheme is not known or a size is wrong
     * @see no paper: counted from the formulas of the modules
     * @example
     * models.cost("embedding", { vocabulary: 32000, dim: 4096 })
     * // { parameters: 131072000, table: 0, flops: 0 }
     */
    cost(scheme, options = {}) {
      return costOf(scheme, options);
    },
  }),
);

/** @param {unknown} name @param {string} argument */
function named(name, argument) {
  if (typeof name !== "string") {
    throw new TypeError(`${argument} must be a name of models.names; got ${check.describe(name)}`);
  }
  const preset = new Map(Object.entries(PRESETS)).get(name);
  if (!preset) {
    const other =
      "; models.fromConfig describes a config.json, and open of phasor/open a model of a hub";
    const hint = name.includes("/") ? other : didYouMean(name, names);
    const got = `${check.describe(name)}${hint}`;
    throw new RangeError(`${argument} must be one of models.names; got ${got}`);
  }
  const { source, note, config } = preset;
  return { name, source, ...(note && { note }), ...describe(config) };
}
