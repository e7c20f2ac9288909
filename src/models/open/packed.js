/**
 * Tensors whose stored numbers mean nothing without another tensor: quantized ones, with their scales beside them.
 */
import { describe } from "../../runtime/check.js";
import { FileError } from "../../runtime/errors.js";
import { allocate } from "../../files/bytes.js";
import { decode, inHostOrder } from "../../files/numbers.js";

/**
 * @import { Stored, TensorInfo } from "../../files/tensors.js"
 * @import { Weights } from "./weights.js"
 */

/**
 * MLX's packing: a number is `bits` of the bytes of its row, the lowest first, and stands for
 * scale * values[bits] + bias. `group` numbers share a scale and a bias.
 * @typedef {object} Packing
 * @property {string} mode
 * @property {number} bits @property {number} group
 * @property {ArrayLike<number>} values
 * @property {ArrayLike<number>} [scaleOf]  a scale by its byte, if scales are bytes
 *
 * @typedef {{info: TensorInfo, packing?: Packing, refusal?: string}} Meaning
 *
 * @typedef {object} Wanted
 * @property {any} quantization  of the configuration
 * @property {(name: string) => number | undefined} width  of a row, where the configuration says it
 * @property {(name: string) => boolean} isTable
 */

/** The ends of the names of tensors that say what the numbers of another mean. */
const BESIDE =
  /[._](scales?|scales?_inv|scale_2|(global|tensor)_scale|scale_weight|biases|q?zeros?|zero_?points?|g_idx|(nested_)?(absmax|quant_map)|quant_state\.\w{1,40}|SCB|codebooks?)$/;

/** The names that packed numbers may have instead of `weight`. */
const PACKED = /\.(qweight|weight_packed|weight_q|W_q|weight\._data|weight_qdata)$/;

/** The name that a tensor would have if it were not packed. @param {string} name */
export const plainName = (name) => name.replace(PACKED, ".weight");

/** @param {string} name */
const stemOf = (name) => plainName(name).replace(/\.weight$/, "");

/** Numbers that no table of floats is rounded to: they are packed, or something else. */
const INTEGERS = /^(uint8|u?int(16|32|64)|bool)$/;

/** What a table may be rounded to, with a scale that is not in the file. */
const ROUNDED = /^(int8|float8_\w+)$/;

const BITS = [2, 3, 4, 5, 6, 8];
const GROUPS = [32, 64, 128];

const BYTES = Uint8Array.from({ length: 256 }, (_, byte) => byte);

/** float8_e8m0fnu */
const POWERS = Float64Array.from(BYTES, (byte) => (byte === 255 ? NaN : 2 ** (byte - 127)));

/** float4_e2m1fn */
const FLOAT4 = [0, 0.5, 1, 1.5, 2, 3, 4, 6, -0, -0.5, -1, -1.5, -2, -3, -4, -6];

/**
 * Packings with scales of 8 bits, by the bits of a group.
 * @param {number} perGroup
 * @returns {Packing | undefined}
 */
function microscaled(perGroup) {
  const float8 = () => decode(BYTES.slice(), "float8_e4m3fn").data;
  if (perGroup === 64) {
    const scaleOf = /** @type {Float32Array} */ (float8());
    return { mode: "nvfp4", bits: 4, group: 16, values: FLOAT4, scaleOf };
  }
  if (perGroup === 128) {
    return { mode: "mxfp4", bits: 4, group: 32, values: FLOAT4, scaleOf: POWERS };
  }
  if (perGroup !== 256) return undefined;
  const values = /** @type {Float32Array} */ (float8());
  return { mode: "mxfp8", bits: 8, group: 32, values, scaleOf: POWERS };
}

/**
 * The same tensors as numbers: those that MLX packs are computed, and others whose meaning lies in another tensor are
 * refused.
 *
 * @param {Weights} weights @param {Wanted} wanted
 * @returns {{weights: Weights, problemOf: (name: string, signal: AbortSignal) => Promise<string | undefined>}}
 *   `problemOf`: why a table cannot be read, or what is uncertain about its numbers
 * @see MLX, mlx.core.quantize and mlx.core.dequantize
 */
export function withMeaning(weights, wanted) {
  const beside = tensorsBeside(weights.names);

  /** @param {string} name @param {AbortSignal} [signal] @returns {Promise<Meaning>} */
  const meaningOf = async (name, signal) => {
    const info = await weights.info(name, { signal });
    const near = beside.get(stemOf(name));
    const isInteger = INTEGERS.test(info.dtype);
    if (near === undefined) {
      const isRaw = isInteger && /^(safetensors|gguf)$/.test(weights.format);
      if (!isRaw || !wanted.isTable(name)) return { info };
      const rule = "hold floats, or have its scales beside it";
      return { info, refusal: `${describe(name)} must ${rule}; got ${shown(info)} alone` };
    }
    const others = await Promise.all(near.map((each) => weights.info(each, { signal })));
    return { info, ...packingOf(info, others, wanted) };
  };

  /** @param {string} name @param {AbortSignal} [signal] */
  const needed = async (name, signal) => {
    const { packing, refusal } = await meaningOf(name, signal);
    if (refusal !== undefined) throw new FileError("OPEN_QUANTIZED", refusal);
    return packing;
  };
  const isPlain = (/** @type {string} */ name) =>
    !beside.has(stemOf(name)) && !wanted.isTable(name);

  /** Scales and biases of a tensor. @param {string} name @param {Packing} packing @param {any} options */
  const factorsOf = (name, { scaleOf }, options) => {
    const read = async (/** @type {string} */ end) => {
      const { bytes, dtype } = await weights.stored(`${stemOf(name)}.${end}`, options);
      return scaleOf
        ? Float64Array.from(bytes, (byte) => scaleOf[byte])
        : /** @type {Float32Array} */ (decode(bytes, dtype, true).data);
    };
    return Promise.all([read("scales"), scaleOf ? undefined : read("biases")]);
  };

  /** @type {Weights} */
  const numbers = {
    ...weights,
    info: async (name, options) => {
      if (isPlain(name)) return weights.info(name, options);
      const { info, packing } = await meaningOf(name, options?.signal);
      return packing ? unpackedInfo(info, packing) : info;
    },
    stored: async (name, options) => {
      if (isPlain(name)) return weights.stored(name, options);
      const packing = await needed(name, options?.signal);
      if (!packing) return weights.stored(name, options);
      const { rows, signal } = options ?? {};
      const [stored, [scales, biases]] = await Promise.all([
        weights.stored(name, options),
        factorsOf(name, packing, { rows, signal }),
      ]);
      return unpacked(stored, packing, scales, biases);
    },
    stream: async (name, use, options) => {
      const packing = isPlain(name) ? undefined : await needed(name, options?.signal);
      if (!packing) return weights.stream(name, use, options);
      const [scales, biases] = await factorsOf(name, packing, { signal: options?.signal });
      const { shape } = await weights.info(name);
      const perRow = scales.length / shape[0]; // groups
      await weights.stream(
        name,
        (stored, first) => {
          const [from, to] = [first, first + stored.shape[0]].map((row) => row * perRow);
          const some = [scales, biases].map((each) => each?.subarray(from, to));
          return use(unpacked(stored, packing, /** @type {any} */ (some[0]), some[1]), first);
        },
        options,
      );
    },
  };

  return {
    weights: numbers,
    async problemOf(name, signal) {
      const { info, packing, refusal } = await meaningOf(name, signal);
      if (refusal !== undefined || packing) return refusal;
      if (!ROUNDED.test(info.dtype) || name === "embeddings") return undefined; // Model2Vec has no scales
      const rule = "have its scales beside it to be in the model's units";
      return `${describe(name)} must ${rule}; got ${info.dtype} alone, taken as it is`;
    },
  };
}

/** The tensors beside others, by what they have in common. @param {readonly string[]} names */
function tensorsBeside(names) {
  /** @type {Map<string, string[]>} */
  const found = new Map();
  for (const name of names) {
    const at = name.search(BESIDE);
    if (at < 0) continue;
    const front = name.slice(0, at);
    const stem = front.replace(/[._]weight\.?$/, "");
    // `embed_scale` belongs to no table `embed`.
    if (stem === front && name.slice(at) === "_scale") continue;
    const near = found.get(stem);
    if (near) near.push(name);
    else found.set(stem, [name]);
  }
  return found;
}

/**
 * How a tensor is packed, by the tensors beside it.
 * @param {TensorInfo} info @param {readonly TensorInfo[]} beside @param {Wanted} wanted
 * @returns {{packing: Packing} | {refusal: string}}
 */
function packingOf(info, beside, { quantization, width }) {
  const { name, dtype, shape } = info;
  const stem = stemOf(name);
  const [scales, biases] = ["scales", "biases"].map((end) =>
    beside.find((each) => each.name === `${stem}.${end}`),
  );
  const [W, G] = [shape.at(-1) ?? 0, scales?.shape.at(-1) ?? 0];
  const perGroup = (32 * W) / G;
  const isFloat = [scales, biases].every((each) => /^b?float(16|32)$/.test(each?.dtype ?? ""));
  const isAffine = biases !== undefined && isFloat && beside.length === 2;
  const isMicro = scales?.dtype === "uint8" && beside.length === 1;
  const leading = (/** @type {TensorInfo | undefined} */ each) => String(each?.shape.slice(0, -1));
  const fits =
    [scales, biases].every((each) => !each || leading(each) === leading(info)) &&
    (!biases || biases.shape.at(-1) === G);
  if (dtype !== "uint32" || shape.length < 2 || !(isAffine || isMicro) || !fits) {
    const near = beside.map((each) => describe(each.name)).join(", ");
    const rule = "hold numbers by itself, or be packed by MLX";
    return { refusal: `${describe(name)} must ${rule}; got ${shown(info)} with ${near} beside it` };
  }
  const own = Object.hasOwn(quantization ?? {}, stem) ? quantization[stem] : undefined;
  const said = typeof own === "object" && own !== null ? own : quantization;
  const possible = isAffine ? affine(perGroup) : [microscaled(perGroup)].filter((each) => !!each);
  let some = possible.filter(
    ({ mode, bits, group }) =>
      own !== false &&
      mode === (said?.mode ?? (said && isAffine ? "affine" : mode)) &&
      bits === (said?.bits ?? bits) &&
      group === (said?.group_size ?? group),
  );
  if (some.length > 1) some = some.filter(({ group }) => group * G === width(name));
  if (some.length === 1) return { packing: some[0] };
  const rule = "be packed as config.json says by quantization (bits, group_size, mode)";
  const ways = possible.map(({ mode, bits, group }) => `${mode}, ${bits} bits, groups of ${group}`);
  const may = ways.length > 0 ? `, which may be ${ways.join(", or ")}` : "";
  const got = `${shown(info)} with scales [${scales?.shape.join(", ")}]${may}`;
  return { refusal: `${describe(name)} must ${rule}; got ${got}` };
}

/** The affine packings with this number of bits in a group. @param {number} perGroup @returns {Packing[]} */
function affine(perGroup) {
  return BITS.map((bits) => ({
    mode: "affine",
    bits,
    group: perGroup / bits,
    values: BYTES,
  })).filter(({ group }) => GROUPS.includes(group));
}

/** @param {TensorInfo} info */
const shown = ({ dtype, shape }) => `${dtype} [${shape.join(", ")}]`;

/** @param {TensorInfo} info @param {Packing} packing @returns {TensorInfo} */
function unpackedInfo({ name, shape, byteLength }, { mode, bits }) {
  return Object.freeze({
    name,
    dtype: `MLX ${mode} ${bits}-bit`,
    shape: widened(shape, bits),
    byteLength,
  });
}

/** @param {readonly number[]} shape @param {number} bits */
const widened = (shape, bits) =>
  Object.freeze([...shape.slice(0, -1), ((shape.at(-1) ?? 0) * 32) / bits]);

/**
 * @param {Stored} stored @param {Packing} packing @param {Float32Array | Float64Array} scales
 * @param {Float32Array | Float64Array | undefined} biases
 * @returns {Stored} float32, each number rounded once
 */
function unpacked({ bytes, shape }, { bits, group, values }, scales, biases) {
  const numbers = allocate(Float32Array, scales.length * group, "the numbers");
  const mask = 2 ** bits - 1;
  for (let i = 0, bit = 0; i < numbers.length; ++i, bit += bits) {
    const two = bytes[bit >>> 3] | (bytes[(bit >>> 3) + 1] << 8);
    const nth = Math.floor(i / group);
    const x = scales[nth] * values[(two >> (bit & 7)) & mask] + (biases ? biases[nth] : 0);
    numbers[i] = x === x ? x : NaN; // one NaN: its bits differ between engines
  }
  const data = new Uint8Array(numbers.buffer);
  inHostOrder(data, 4, "little");
  return { bytes: data, dtype: "float32", shape: widened(shape, bits) };
}
