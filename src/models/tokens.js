/** Reads what a model does to the rows of its table of words. */
import * as check from "../runtime/check.js";

/** @import { Reader } from "./keys.js" */
/** @import { Family } from "./families.js" */
/** @import { Model } from "./config.js" */

const DTYPES = ["float32", "float16", "bfloat16"];

/**
 * @param {Reader} get @param {Family} family @param {number} dim
 * @returns {Model["tokens"]}
 */
export function readTokens(get, family, dim) {
  const given = family.scheme === "unknown" ? "steps that are not known" : (family.tokens ?? {});
  const plain = {
    scale: /** @type {number | "sqrt"} */ (1),
    scaleDtype: /** @type {"float32" | "float16" | "bfloat16"} */ ("float32"),
    segments: 0,
    norm: /** @type {number | null} */ (null),
  };
  if (typeof given === "string") return { ...plain, unknown: given };
  const {
    normEps,
    normEpsKey,
    normIf,
    masked,
    segments,
    types = 2,
    width,
    projection,
    always = false,
    unused,
    normKind,
    perLayer = 0,
    unknown,
  } = given;
  const further = perLayer && (get.optionalSize("hidden_size_per_layer_input", 0) ?? perLayer);
  const isNormed = normIf === undefined || get.optionalBoolean(normIf) === true;
  const eps = normEpsKey === undefined ? (normEps ?? null) : get.positive(normEpsKey, normEps);
  const wide = width === undefined ? dim : (get.optionalSize(width) ?? dim);
  return {
    ...plain,
    ...readScale(get, given),
    segments: segments ? (get.optionalSize("type_vocab_size", 0) ?? types) : 0,
    norm: isNormed ? eps : null,
    ...(masked && get.optionalBoolean("token_dropout") === true && { maskId: get.size(masked, 0) }),
    ...(projection && (always || wide !== dim) && { width: wide, projection }),
    ...(normKind && { normKind }),
    ...(unused && { unused }),
    ...(further && { perLayer: { width: further, norm: get.positive("rms_norm_eps", 1e-6) } }),
    ...(unknown && { unknown }),
  };
}

/**
 * @param {Reader} get @param {import("./families.js").Tokens} tokens
 * @returns {Partial<Model["tokens"]>}
 */
function readScale(get, { scale, scaleDefault, rounds }) {
  if (scale === undefined) return {};
  if (scale === true)
    return {
      scale: "sqrt",
      ...(rounds && { scaleDtype: rounds === true ? dtypeOf(get) : rounds }),
    };
  const [name, value] = get.find(String(scale));
  if (scaleDefault === undefined) {
    return { scale: value === undefined ? 1 : check.finite(value, name) };
  }
  const scales = value === undefined ? scaleDefault : check.boolean(value, name);
  return scales ? { scale: "sqrt" } : {};
}

/** The dtype of the weights, to which Gemma's scale is rounded. @param {Reader} get */
function dtypeOf(get) {
  const given = get.value("dtype") ?? get.value("torch_dtype");
  return /** @type {any} */ (DTYPES.includes(/** @type {any} */ (given)) ? given : "bfloat16");
}
