/** What each layer does with positions. */

/** @import { Source } from "./arrays.js" */

/** Keys of the window of a kind of layer. @type {Record<string, string>} */
const WINDOWS = { sliding_attention: "sliding_window", chunked_attention: "attention_chunk_size" };

/**
 * The window of a layer.
 * @param {Source} source @param {string} kind @param {string} type  of the configuration's layer_types
 * @returns {number | string | undefined} a text where it is not known; undefined: all tokens
 */
function windowOf({ model, config }, kind, type) {
  const key = WINDOWS[type] ?? WINDOWS[kind];
  const alike = (model.cache ?? []).filter((of) => of.kind === kind);
  const windows = [...new Set(alike.map((of) => of.window))];
  if (windows.length > 1) return `unknown: layers of the kind ${kind} have several`;
  if (typeof windows[0] === "number") return windows[0];
  if (windows.length === 1 && windows[0] === undefined) return undefined;
  const stated = key === undefined ? undefined : config[key];
  if (key === undefined && windows.length === 0) return undefined;
  return Number.isInteger(stated) ? stated : `unknown: the configuration has no ${key ?? "window"}`;
}

/**
 * @param {Source} source
 * @returns {Record<string, unknown>[]}
 */
export function layersOf(source) {
  const { model, config } = source;
  const { layers, headDim, heads, keyValueHeads, positions } = model;
  const { scheme, rotary, layerKinds } = positions;
  if (!Number.isInteger(layers)) return [];
  const [only] = Object.keys(rotary ?? {});
  return Array.from({ length: layers }, (_, layer) => {
    const kind = layerKinds?.[layer] ?? only ?? scheme;
    const own = rotary?.[kind];
    const type = Array.isArray(config.layer_types) ? config.layer_types[layer] : kind;
    const window = windowOf(source, kind, type);
    return {
      layer,
      kind,
      ...(type !== kind && { layer_type: type }),
      rotates: own !== undefined && own !== null,
      ...(own && { ...own, ...own.options, options: undefined }),
      ...(window !== undefined && { window }),
      heads,
      key_value_heads: keyValueHeads,
      head_dim: headDim,
    };
  });
}
