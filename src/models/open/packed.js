/**
 * Tensors whose stored numbers mean nothing without another tensor: quantized ones, with their scales beside them.
 */
import { describe } from "../../runtime/check.js";
import { FileError } from "../../runtime/errors.js";
import { readIds } from "../../runtime/ids.js";
import { allocate } from "../../files/bytes.js";
import { decode, inHostOrder, sizeOf } from "../../files/numbers.js";
import { checkReadable } from "../../files/tensors.js";

/**
 * @import { Stored, StoredOptions, TensorInfo } from "../../files/tensors.js"
 * @import { Weights } from "./weights.js"
 */

/**
 * How the numbers of a tensor are stored. Each is `bits` of the bytes of its row, the lowest first, and stands for
 *
 *     x[v, d] = (values[bits] - zeros[v / R, d / C]) scales[v / R, d / C] / global + biases[v / R, d / C]
 *
 * @typedef {object} Packing
 * @property {string} dtype  for `info`
 * @property {number} bits
 * @property {ArrayLike<number>} values
 * @property {number} [R] @property {number} C  the rows and the columns of a block that shares a scale. Default of R: 1
 * @property {boolean} [isOne]  whether one scale is that of all blocks
 * @property {Partial<Record<typeof FACTORS[number], string>>} names
 * @property {ArrayLike<number>} [scaleOf]  a scale by its byte, if scales are bytes
 * @property {string} [order]  the name of a tensor that is 0 if the numbers are stored by rows
 *
 * @typedef {Omit<Packing, "dtype" | "names"> & {mode: string}} Mode  of MLX
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
  /[._](embedding_scale|scales?|scales?_inv|scale_2|qscale_weight|(global|tensor)_scale|scale_weight|q?biases|q?zeros?|zero_?points?|g_idx|(nested_)?(absmax|quant_map)|quant_state\.\w{1,40}|SCB|weight_format|codebooks?)$/;

/** The names that packed numbers may have instead of `weight`. */
const PACKED =
  /\.(qweight|weight_packed|embedding_quantized|weight_q|W_q|weight\._data|_?weight_qdata)$/;

/** The name that a tensor would have if it were not packed. @param {string} name */
export const plainName = (name) => name.replace(PACKED, ".weight");

/** @param {string} name */
const stemOf = (name) => plainName(name).replace(/\.weight$/, "");

/** Numbers that no table of floats is rounded to: they are packed, or something else. */
const INTEGERS = /^(uint8|u?int(16|32|64)|bool)$/;

/** What a table may be rounded to, with a scale that is not in the file. */
const ROUNDED = /^(int8|float8_\w+)$/;

/** The name of the numbers that a tensor lies beside, by its own; undefined if it lies beside none. @param {string} name */
export function numbersBeside(name) {
  const at = name.search(BESIDE);
  const front = name.slice(0, Math.max(0, at));
  const stem = front.replace(/[._]{1,2}weight\.?$/, "");
  const isOwn = stem === front && name.slice(at) === "_scale"; // `embed_scale` belongs to no table `embed`
  return at < 0 || isOwn ? undefined : `${stem}.weight`;
}

const BITS = [2, 3, 4, 5, 6, 8];
const GROUPS = [32, 64, 128];

/**
 * The ends of names of numbers and of the scales that multiply them: compressed-tensors', quanto's, torchao's and Gemma's.
 * @type {Readonly<Record<string, string>>}
 */
const SCALE_OF = {
  ".weight": ".weight_scale",
  ".weight_packed": ".weight_scale",
  ".weight._data": ".weight._scale",
  "._weight_qdata": "._weight_scale",
  ".embedding_quantized": ".embedding_scale",
};

/**
 * What is not known here, by what lies beside a tensor.
 * @type {readonly (readonly [RegExp, string])[]}
 */
const UNKNOWN = [
  [
    /[._](qweight|qzeros|g_idx)$/,
    "whether GPTQ's or AWQ's zero points count one more, and the order of columns",
  ],
  [/[._](absmax|quant_map|quant_state\.\w+)$/, "bitsandbytes' blocks of 4 bits across rows"],
  [/[._]weight_scales$/, "the order in which a kernel of EETQ stores numbers"],
  [/[._]weight_zero_point$/, "zero points packed across rows"],
  [/[._]codebooks?$/, "codes of several numbers"],
];

const FACTORS = /** @type {const} */ (["scales", "zeros", "biases", "global"]);

const BYTES = Uint8Array.from({ length: 256 }, (_, byte) => byte);

/** float8_e8m0fnu */
const POWERS = Float64Array.from(BYTES, (byte) => (byte === 255 ? NaN : 2 ** (byte - 127)));

/** float4_e2m1fn */
const FLOAT4 = [0, 0.5, 1, 1.5, 2, 3, 4, 6, -0, -0.5, -1, -1.5, -2, -3, -4, -6];

/** The numbers that bytes stand for. @param {string} dtype */
const valuesOf = (dtype) => /** @type {Float32Array} */ (decode(BYTES.slice(), dtype, true).data);

/**
 * MLX's packings with scales of 8 bits, by the bits of a group.
 * @param {number} perGroup
 * @returns {Mode | undefined}
 */
function microscaled(perGroup) {
  if (perGroup === 64) {
    const scaleOf = valuesOf("float8_e4m3fn");
    return { mode: "nvfp4", bits: 4, C: 16, values: FLOAT4, scaleOf };
  }
  if (perGroup === 128) return { mode: "mxfp4", bits: 4, C: 32, values: FLOAT4, scaleOf: POWERS };
  if (perGroup !== 256) return undefined;
  const values = valuesOf("float8_e4m3fn");
  return { mode: "mxfp8", bits: 8, C: 32, values, scaleOf: POWERS };
}

/**
 * The same tensors as numbers: those whose scales have a rule that is known here are computed, and others whose meaning
 * lies in another tensor are refused.
 *
 * @param {Weights} weights @param {Wanted} wanted
 * @returns {{weights: Weights, problemOf: (name: string, signal: AbortSignal) => Promise<string | undefined>}}
 *   `problemOf`: why a table cannot be read, or what is uncertain about its numbers
 * @see MLX, mlx.core.quantize and mlx.core.dequantize; transformers, integrations/finegrained_fp8.py;
 *   compressed-tensors, quantization/lifecycle/forward.py; bitsandbytes, int8_vectorwise_dequant
 */
export function withMeaning(weights, wanted) {
  const beside = tensorsBeside(weights.names);
  const isTensorFile = /^(safetensors|gguf)$/.test(weights.format); // the others have the dtypes of NumPy

  /** @param {string} name @param {AbortSignal} [signal] @returns {Promise<Meaning>} */
  const meaningOf = async (name, signal) => {
    const info = await weights.info(name, { signal });
    const near = beside.get(stemOf(name));
    const isInteger = INTEGERS.test(info.dtype);
    if (near === undefined) {
      const isRaw = isInteger && isTensorFile;
      const isSaid = ROUNDED.test(info.dtype) && weights.format === "safetensors";
      if (!(isRaw || (isSaid && isQuantized(wanted))) || !wanted.isTable(name)) return { info };
      const rule = `hold floats, or have its scales beside it, ${lacking(info, wanted)}`;
      return { info, refusal: `${describe(name)} must ${rule}; got ${shown(info)} alone` };
    }
    const others = await Promise.all(near.map((each) => weights.info(each, { signal })));
    return { info, ...packingOf(info, others, wanted) };
  };

  /** With what is said in the file. @type {typeof meaningOf} */
  const meant = async (name, signal) => {
    const meaning = await meaningOf(name, signal);
    const { order } = meaning.packing ?? {};
    const stored = order && (await weights.stored(order, { signal })).bytes[0];
    if (!stored) return meaning;
    const rule = "be stored by rows (weight_format 0)";
    return { ...meaning, refusal: `${describe(name)} must ${rule}; got ${stored}` };
  };

  const isPlain = (/** @type {string} */ name) =>
    !beside.has(stemOf(name)) && !wanted.isTable(name);

  /** The packing of a tensor; throws if it cannot be read. @param {string} name @param {AbortSignal} [signal] */
  const needed = async (name, signal) => {
    if (isPlain(name) && !isTensorFile) return undefined;
    const { info, packing, refusal } = isPlain(name)
      ? { info: await weights.info(name, { signal }) }
      : await meant(name, signal);
    if (refusal !== undefined) throw new FileError("OPEN_QUANTIZED", refusal);
    if (!packing) checkReadable(info, weights.format.toUpperCase());
    return packing;
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
      const packing = await needed(name, options?.signal);
      if (!packing) return weights.stored(name, options);
      const { rows, signal } = options ?? {};
      const { R = 1 } = packing;
      const blocks =
        rows === undefined || R === 1
          ? rows
          : readIds(rows, (await weights.info(name)).shape[0], "rows").data.map((v) => v / R);
      const [stored, factors] = await Promise.all([
        weights.stored(name, options),
        factorsOf(weights, packing, { rows: blocks, signal }),
      ]);
      // Factors of some rows are as many as the rows.
      return unpacked(stored, rows === undefined ? packing : { ...packing, R: 1 }, factors);
    },
    stream: async (name, use, options) => {
      const packing = await needed(name, options?.signal);
      if (!packing) return weights.stream(name, use, options);
      const factors = await factorsOf(weights, packing, { signal: options?.signal });
      await weights.stream(
        name,
        (stored, first) => use(unpacked(stored, packing, factors, first), first),
        options,
      );
    },
  };

  return {
    weights: numbers,
    async problemOf(name, signal) {
      const { info, packing, refusal } = await meant(name, signal);
      if (refusal !== undefined || packing) return refusal;
      if (!ROUNDED.test(info.dtype) || name === "embeddings") return undefined; // Model2Vec has no scales
      const rule = "have its scales beside it to be in the model's units";
      return `${describe(name)} must ${rule}; got ${info.dtype} alone, taken as it is`;
    },
  };
}

/**
 * The factors of a tensor, or of some of its rows.
 * @param {Weights} weights @param {Packing} packing @param {StoredOptions} options
 */
async function factorsOf(weights, { names, isOne, scaleOf }, { rows, signal }) {
  const read = async (/** @type {typeof FACTORS[number]} */ role) => {
    const name = names[role];
    if (name === undefined) return undefined;
    const isWhole = isOne || role === "global";
    const { bytes, dtype } = await weights.stored(name, isWhole ? { signal } : { rows, signal });
    return role === "scales" && scaleOf
      ? Float64Array.from(bytes, (byte) => scaleOf[byte])
      : /** @type {Float32Array} */ (decode(bytes, dtype, true).data);
  };
  const [scales, zeros, biases, global] = await Promise.all(FACTORS.map(read));
  return [global ? scales?.map((x) => x / global[0]) : scales, zeros, biases];
}

/** The tensors beside others, by what they have in common. @param {readonly string[]} names */
function tensorsBeside(names) {
  /** @type {Map<string, string[]>} */
  const found = new Map();
  for (const name of names) {
    const at = name.search(BESIDE);
    if (at < 0) continue;
    const front = name.slice(0, at);
    const stem = front.replace(/[._]{1,2}weight\.?$/, "");
    // `embed_scale` belongs to no table `embed`, and `embedding_scale` to Gemma's integers alone.
    const end = name.slice(at);
    if (stem === front && end === "_scale") continue;
    if (/embedding_scale$/.test(end) && !names.includes(`${stem}.embedding_quantized`)) continue;
    const near = found.get(stem);
    if (near) near.push(name);
    else found.set(stem, [name]);
  }
  return found;
}

/** Whether the configuration says that the model is quantized. @param {Wanted} wanted */
const isQuantized = ({ quantization: said }) =>
  typeof Object(said).quant_method === "string" || typeof Object(said).bits === "number";

/** The ends of names of the scales that numbers alone lack, by their dtype, or by the method. */
const LACKING = new Map(
  Object.entries({
    int8: ".SCB",
    uint8: ".weight.absmax .weight.quant_map",
    gptq: ".scales .qzeros",
    awq: ".scales .qzeros",
    uint32: ".scales .biases",
    float8: ".weight_scale .weight_scale_inv",
  }),
);

/**
 * The names of the tensors that numbers alone may lack.
 * @param {TensorInfo} info @param {Wanted} wanted
 */
function lacking({ name, dtype }, { quantization }) {
  const stem = stemOf(name);
  const method = Object(quantization).quant_method;
  const key = method === "bitsandbytes" || !/int8$/.test(dtype) ? dtype.split("_")[0] : "";
  const ends =
    LACKING.get(method) ?? LACKING.get(key) ?? SCALE_OF[name.slice(stem.length)] ?? ".scales";
  return ends
    .split(" ")
    .map((end) => describe(stem + end))
    .join(" or ");
}

/**
 * How a tensor is packed, by the tensors beside it.
 * @param {TensorInfo} info @param {readonly TensorInfo[]} beside @param {Wanted} wanted
 * @returns {{packing: Packing} | {refusal: string}}
 */
function packingOf(info, beside, wanted) {
  const found =
    info.dtype === "uint32" ? byMlx(info, beside, wanted) : scaled(info, beside, wanted);
  if (typeof found === "object") return { packing: found };
  const near = beside.map((each) => describe(each.name)).join(", ");
  const missing = UNKNOWN.find(([pattern]) =>
    [info, ...beside].some((each) => pattern.test(each.name)),
  )?.[1];
  const why = missing ? ` (not known: ${missing})` : "";
  const rule = found ?? `hold numbers by itself, or have scales by a rule that is known here${why}`;
  const got = `got ${shown(info)} with ${near} beside it`;
  return { refusal: `${describe(info.name)} must ${rule}; ${got}` };
}

/**
 * @param {TensorInfo} info @param {readonly TensorInfo[]} beside @param {Wanted} wanted
 * @returns {Packing | string | undefined} a rule that it breaks
 */
function byMlx({ name, shape }, beside, { quantization, width }) {
  const stem = stemOf(name);
  const [scales, biases] = [/^scales$/, /^q?biases$/].map((end) =>
    beside.find((each) => end.test(each.name.slice(stem.length + 1))),
  );
  const isHalf = beside.length === 1 && isFloat(beside[0]) && (scales ?? biases);
  if (isHalf) return `have ${describe(`${stem}.${scales ? "biases" : "scales"}`)} beside it, too`;
  const [W, G] = [shape.at(-1) ?? 0, scales?.shape.at(-1) ?? 0];
  const perGroup = (32 * W) / G;
  const isAffine = biases !== undefined && [scales, biases].every(isFloat) && beside.length === 2;
  const isMicro = scales?.dtype === "uint8" && beside.length === 1;
  const leading = (/** @type {readonly number[]} */ axes) => String(axes.slice(0, -1));
  const fits = beside.every(
    (each) => leading(each.shape) === leading(shape) && each.shape.at(-1) === G,
  );
  if (shape.length < 2 || !(isAffine || isMicro) || !fits) return undefined;
  const own = Object.hasOwn(quantization ?? {}, stem) ? quantization[stem] : undefined;
  const said = typeof own === "object" && own !== null ? own : quantization;
  const possible = isAffine ? affine(perGroup) : [microscaled(perGroup)].filter((each) => !!each);
  let some = possible.filter(
    ({ mode, bits, C }) =>
      own !== false &&
      mode === (said?.mode ?? (said && isAffine ? "affine" : mode)) &&
      bits === (said?.bits ?? bits) &&
      C === (said?.group_size ?? C),
  );
  if (some.length > 1) some = some.filter(({ C }) => C * G === width(name));
  if (some.length === 1) {
    const { mode, ...packing } = some[0];
    const names = { scales: scales?.name, biases: biases?.name };
    return { ...packing, dtype: `MLX ${mode} ${packing.bits}-bit`, names };
  }
  const ways = possible.map(({ mode, bits, C }) => `${mode}, ${bits} bits, groups of ${C}`);
  const may = ways.length > 0 ? ` (it may be ${ways.join(", or ")})` : "";
  return `be packed as config.json says by quantization: bits, group_size, mode${may}`;
}

/** The affine packings with this number of bits in a group. @param {number} perGroup @returns {Mode[]} */
function affine(perGroup) {
  return BITS.map((bits) => ({ mode: "affine", bits, C: perGroup / bits, values: BYTES })).filter(
    ({ C }) => GROUPS.includes(C),
  );
}

/** @param {TensorInfo | undefined} info */
const isFloat = (info) => /^b?float(16|32)$/.test(info?.dtype ?? "");

/** @param {TensorInfo} info */
const isByte = ({ dtype }) => dtype === "uint8" || dtype === "float8_e8m0fnu";

/**
 * Numbers times scales; of bitsandbytes' int8 times the largest magnitude of a row, which 127 stands for.
 * @param {TensorInfo} info @param {readonly TensorInfo[]} beside @param {Wanted} wanted
 * @returns {Packing | undefined}
 */
function scaled({ name, dtype, shape }, beside, { quantization, width }) {
  const at = stemOf(name).length;
  const by = new Map(beside.map((each) => [each.name.slice(at), each]));
  const [scb, format] = [by.get(".SCB"), by.get(".weight_format")];
  if (shape.length !== 2) return undefined;
  if (scb?.dtype === "float32" && dtype === "int8" && String(scb.shape) === String(shape[0])) {
    if (by.size > (format ? 2 : 1)) return undefined;
    const values = Float64Array.from(valuesOf(dtype), (x) => x / 127);
    const names = { scales: scb.name };
    return { dtype: "scaled int8", bits: 8, values, C: shape[1], names, order: format?.name };
  }
  const own = name.slice(at);
  const isFloat8 = /^float8_(e4m3fn|e5m2)$/.test(dtype);
  const ends = [SCALE_OF[own]];
  if (isFloat8 && own === ".weight") {
    // transformers renames the others.
    const others = quantization?.quant_method === "fp8" ? [".scale", ".qscale_weight"] : [];
    ends.push(".weight_scale_inv", ...others);
  }
  const end = ends.find((each) => by.has(each)) ?? "";
  const scales = by.get(end);
  const zeros = dtype === "int8" ? by.get(end.replace("scale", "zero_point")) : undefined;
  const isFloat4 = own === ".weight_packed" && dtype === "uint8";
  const global = isFloat4 ? by.get(".weight_global_scale") : undefined;
  if (!scales || by.size > (zeros || global ? 2 : 1)) return undefined;
  if (isFloat4) return float4(shape, scales, global);
  if (!(isFloat(scales) || (isFloat8 && isByte(scales)))) return undefined;
  const isWhole = (isFloat8 || dtype === "int8") && own !== ".weight_packed";
  const bits = isWhole ? 8 : bitsOf(own, dtype, shape[1], scales.shape, quantization, width(name));
  const isFit =
    !zeros || (/^int/.test(zeros.dtype) && String(zeros.shape) === String(scales.shape));
  if (!bits || !isFit) return undefined;
  const block = blockOf(widened(shape, dtype, bits), scales.shape, quantization);
  const integer = (/** @type {number} */ byte) => (byte & (2 ** bits - 1)) - 2 ** (bits - 1);
  return (
    block && {
      dtype: `scaled ${isWhole ? dtype : `int${bits}`}`,
      bits,
      values: isWhole ? valuesOf(dtype) : Int8Array.from(BYTES, integer),
      ...block,
      names: { scales: scales.name, zeros: zeros?.name },
      scaleOf: isByte(scales) ? POWERS : undefined,
    }
  );
}

/**
 * compressed-tensors' nvfp4, whose scales one number divides, and mxfp4.
 * @param {readonly number[]} shape @param {TensorInfo} scales @param {TensorInfo | undefined} global
 * @returns {Packing | undefined}
 */
function float4([V, W], scales, global) {
  const C = global ? 16 : 32;
  const isFit = global
    ? global.byteLength === 4 && isFloat(global) && scales.dtype === "float8_e4m3fn"
    : isByte(scales);
  if (!isFit || String(scales.shape) !== String([V, (2 * W) / C])) return undefined;
  return {
    dtype: global ? "scaled nvfp4" : "scaled mxfp4",
    bits: 4,
    values: FLOAT4,
    C,
    names: { scales: scales.name, global: global?.name },
    scaleOf: global ? undefined : POWERS,
  };
}

/**
 * The bits of integers that compressed-tensors packs into words and Gemma into bytes.
 * @param {string} own  the end of their name @param {string} dtype @param {number} W  of a row
 * @param {readonly number[]} scales  their shape @param {any} quantization
 * @param {number | undefined} width  of a row of numbers, where it is known
 */
function bitsOf(own, dtype, W, scales, quantization, width) {
  const isWords = own === ".weight_packed" && dtype === "int32";
  const isBytes =
    own !== ".weight_packed" && dtype === "uint8" && quantization?.quant_method === "gemma";
  if (!isWords && !isBytes) return undefined;
  const groups = isWords ? groupsOf(quantization) : [];
  // Groups are whole: their size says how many numbers a row has.
  const widths = [width, ...groups.map(({ group_size }) => group_size * scales[1])];
  const possible = isBytes ? [2, 4] : [2, 4, 8];
  const bits = possible.find((each) => widths.includes((W * sizeOf(dtype) * 8) / each));
  const isSaid = groups.some(
    ({ num_bits, type, symmetric }) => num_bits === bits && type === "int" && symmetric !== false,
  );
  return isBytes || isSaid ? bits : undefined;
}

/** What compressed-tensors says of weights. @param {any} quantization @returns {any[]} */
const groupsOf = (quantization) =>
  Object.values(quantization?.config_groups ?? {}).map((group) => group?.weights ?? {});

/** The sides of a block where a file does not say them, as in transformers' FineGrainedFP8Config. */
const USUAL = 128;

/**
 * The block of a table that shares a scale. The last blocks may be cut, if the configuration says what a block is.
 * @param {readonly number[]} shape  [V, D] @param {readonly number[]} scales  of the scales
 * @param {any} quantization
 * @returns {{R: number, C: number, isOne?: boolean} | undefined}
 */
function blockOf([V, D], scales, quantization) {
  if (scales.reduce((a, b) => a * b, 1) === 1) return { R: 1, C: D, isOne: true };
  const [N, G = 1] = scales;
  if (scales.length > 2 || (scales.length === 1 && N !== V)) return undefined;
  const said = groupsOf(quantization).map(({ block_structure }) => block_structure);
  const blocks = [quantization?.weight_block_size, ...said].filter(Array.isArray);
  for (const [R, C] of blocks.length > 0 ? blocks : [[USUAL, USUAL]]) {
    if (N === Math.ceil(V / R) && G === Math.ceil(D / C)) return { R, C };
  }
  const [R, C] = [V / N, D / G];
  // What has a scale for each column is none of these formats.
  return Number.isInteger(R) && Number.isInteger(C) && (C > 1 || R === 1) ? { R, C } : undefined;
}

/** @param {TensorInfo} info */
const shown = ({ dtype, shape }) => `${dtype} [${shape.join(", ")}]`;

/** @param {TensorInfo} info @param {Packing} packing @returns {TensorInfo} */
function unpackedInfo({ name, shape, byteLength, dtype: stored }, { bits, dtype }) {
  return Object.freeze({ name, dtype, shape: widened(shape, stored, bits), byteLength });
}

/** @param {readonly number[]} shape @param {string} dtype  stored @param {number} bits */
const widened = (shape, dtype, bits) =>
  Object.freeze([...shape.slice(0, -1), ((shape.at(-1) ?? 0) * sizeOf(dtype) * 8) / bits]);

/**
 * @param {Stored} stored @param {Packing} packing
 * @param {readonly (Float32Array | Float64Array | undefined)[]} factors  of its rows or blocks
 * @param {number} [first]  the row of the first
 * @returns {Stored} float32, each number rounded once
 */
function unpacked({ bytes, dtype, shape }, { bits, values, R = 1, C, isOne }, factors, first = 0) {
  const wide = widened(shape, dtype, bits);
  const D = /** @type {number} */ (wide.at(-1));
  const numbers = allocate(Float32Array, (bytes.length * 8) / bits, "the numbers");
  const lines = numbers.length / D;
  const [scales, zeros, biases] = /** @type {Float32Array[]} */ (factors);
  const G = isOne ? 0 : Math.ceil(D / C);
  const mask = 2 ** bits - 1;
  for (let line = 0, i = 0; line < lines; ++line) {
    const begin = (line * D * bits) / 8;
    const block = Math.floor((first * (lines / shape[0]) + line) / R) * G;
    for (let d = 0, bit = 0; d < D; ++d, bit += bits) {
      const at = begin + (bit >>> 3);
      const two = bytes[at] | (bytes[at + 1] << 8);
      const nth = block + Math.floor(d / C);
      let x = values[(two >> (bit & 7)) & mask];
      if (zeros) x -= zeros[nth];
      x *= scales[nth];
      if (biases) x += biases[nth];
      numbers[i++] = x === x ? x : NaN; // one NaN: its bits differ between engines
    }
  }
  const data = new Uint8Array(numbers.buffer);
  inHostOrder(data, 4, "little");
  return { bytes: data, dtype: "float32", shape: wide };
}
