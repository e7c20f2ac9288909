/** What each layer does with positions. */

/** @import { Source } from "./arrays.js" */

/** Keys of the window of a kind of layer. @type {Record<string, string>} */
const WINDOWS = { sliding_attention: "sliding_window", chunked_attention: "attention_chunk_size" };

/**
 * @param {Source} source
 * @returns {Record<string, unknown>[]}
 */
export function layersOf({ model, config }) {
  const { layers, headDim, heads, keyValueHeads, positions } = model;
  const { scheme, rotary, layerKinds } = positions;
  if (!Number.isInteger(layers)) return [];
  const [only] = Object.keys(rotary ?? {});
  return Array.from({ length: layers }, (_, layer) => {
    const kind = layerKinds?.[layer] ?? only ?? scheme;
    const own = rotary?.[kind];
    const type = Array.isArray(config.layer_types) ? config.layer_types[layer] : kind;
    const key = WINDOWS[type];
    const window = key === undefined ? undefined : config[key];
    return {
      layer,
      kind,
      ...(type !== kind && { layer_type: type }),
      rotates: own !== undefined && own !== null,
      ...(own && { ...own, ...own.options, options: undefined }),
      ...(key !== undefined && {
        window: Number.isInteger(window) ? window : `unknown: the configuration has no ${key}`,
      }),
      heads,
      key_value_heads: keyValueHeads,
      head_dim: headDim,
    };
  });
}
