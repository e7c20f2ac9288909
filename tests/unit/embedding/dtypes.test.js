import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { battery, declaredBattery } from "../battery.js";
import { caseOf, cases } from "../../truth/golden.js";
import { phasor, Tensor } from "../../phasor.js";

/** @import { FormatName } from "../../../src/embedding/dtypes/dtypes.js" */

const { dtypes } = phasor;

/** @param {Float32Array} floats @returns {Uint32Array} */
const bitsOf = (floats) => new Uint32Array(floats.slice().buffer);

/** @param {ArrayBufferView} view */
const bytesOf = ({ buffer, byteOffset, byteLength }) =>
  new Uint8Array(buffer, byteOffset, byteLength).slice();

/** All 65,536 patterns, or all 256. @param {string} dtype @param {8 | 16} bits */
function patterns(dtype, bits) {
  const all = Array.from({ length: 2 ** bits }, (_, k) => k);
  const bytes = bytesOf(bits === 8 ? Uint8Array.from(all) : Uint16Array.from(all));
  return dtypes.decode({ bytes, dtype, shape: [all.length] }).data;
}

/**
 * What a small float means, by the definition of the format.
 * @param {number} bits @param {number} exponentBits @param {number} fractionBits
 */
function smallFloat(bits, exponentBits, fractionBits) {
  const bias = 2 ** (exponentBits - 1) - 1;
  const sign = (bits >> (exponentBits + fractionBits)) & 1 ? -1 : 1;
  const exponent = (bits >> fractionBits) & (2 ** exponentBits - 1);
  const fraction = (bits & (2 ** fractionBits - 1)) / 2 ** fractionBits;
  return exponent === 0
    ? sign * fraction * 2 ** (1 - bias)
    : sign * (1 + fraction) * 2 ** (exponent - bias);
}

describe("dtypes against NumPy, PyTorch and ggml", () => {
  for (const { id, params, inputs, outputs } of cases("ggml_dequant", 22)) {
    test(`dtypes.decode equals ${id}, bit for bit`, () => {
      const { data, shape } = outputs.values;
      const bytes = Uint8Array.from(/** @type {any} */ (inputs.blocks.data), Number);
      const got = dtypes.decode({ bytes, dtype: params.ggml_type, shape });
      assert.deepEqual(got.shape, shape);
      assert.deepEqual(bitsOf(got.data), bitsOf(/** @type {Float32Array} */ (data)));
      const { numbers, bytes: size } = dtypes.sizes[/** @type {FormatName} */ (params.ggml_type)];
      assert.deepEqual([numbers, size], [params.block_size, params.type_size]);
    });
  }

  for (const [id, name, dtype] of /** @type {const} */ ([
    ["formats.f16_to_f32", "f16_bits", "float16"],
    ["formats.bf16_to_f32", "bf16_bits", "bfloat16"],
  ])) {
    test(`dtypes.decode equals ${id}, and keeps the sign of NaN`, () => {
      const { inputs, outputs } = caseOf(id);
      const bytes = bytesOf(Uint16Array.from(/** @type {any} */ (inputs[name].data), Number));
      const shape = inputs[name].shape;
      const got = bitsOf(dtypes.decode({ bytes, dtype, shape }).data);
      outputs.f32_bits.data.forEach(
        (/** @type {number | bigint} */ want, /** @type {number} */ k) => {
          const isNaN = (Number(want) & 0x7fffffff) > 0x7f800000;
          const mask = isNaN ? 0xff800000 : 0xffffffff;
          assert.equal((got[k] & mask) >>> 0, (Number(want) & mask) >>> 0, String(k));
          if (isNaN) assert.ok((got[k] & 0x7fffff) !== 0);
        },
      );
    });
  }

  for (const { id, inputs, outputs } of [
    ...cases("f32_to_f16_bits", 1),
    ...cases("f32_to_bf16_bits", 1),
  ]) {
    test(`dtypes.encode equals ${id}, and NaN stays NaN`, () => {
      const dtype = id.endsWith("bf16") ? "bfloat16" : "float16";
      const [wanted] = Object.values(outputs);
      const x = new Float32Array(
        Uint32Array.from(/** @type {any} */ (inputs.f32_bits.data), Number).buffer,
      );
      const { bytes, shape } = dtypes.encode(x, dtype);
      const got = new Uint16Array(bytes.buffer);
      const infinity = dtype === "float16" ? 0x7c00 : 0x7f80;
      assert.deepEqual(shape, [x.length]);
      x.forEach((value, k) => {
        if (Number.isNaN(value)) assert.ok((got[k] & 0x7fff) > infinity, String(k));
        else assert.equal(got[k], Number(wanted.data[k]), String(k));
      });
    });
  }
});

test("dtypes.decode gives all patterns of 8 and 16 bits their formats' values", () => {
  const f16 = patterns("float16", 16);
  const bf16 = bitsOf(patterns("bfloat16", 16));
  const [i16, u16] = [patterns("int16", 16), patterns("uint16", 16)];
  for (let k = 0; k < 65536; ++k) {
    const special = (k & 0x7fff) >= 0x7c00;
    const want = special
      ? k & 0x3ff
        ? NaN
        : k & 0x8000
          ? -Infinity
          : Infinity
      : smallFloat(k, 5, 10);
    assert.ok(Object.is(f16[k], want) || (Number.isNaN(want) && Number.isNaN(f16[k])), String(k));
    assert.equal(bf16[k], k * 65536);
    assert.equal(i16[k], (k << 16) >> 16);
    assert.equal(u16[k], k);
  }
  const [e4m3, e5m2] = [patterns("float8_e4m3fn", 8), patterns("float8_e5m2", 8)];
  const [i8, u8, truth] = [patterns("int8", 8), patterns("uint8", 8), patterns("bool", 8)];
  for (let k = 0; k < 256; ++k) {
    if ((k & 0x7f) === 0x7f) assert.ok(Number.isNaN(e4m3[k]));
    else assert.ok(Object.is(e4m3[k], smallFloat(k, 4, 3)), String(k));
    if ((k & 0x7f) > 0x7c) assert.ok(Number.isNaN(e5m2[k]));
    else if ((k & 0x7f) === 0x7c) assert.equal(e5m2[k], k < 128 ? Infinity : -Infinity);
    else assert.ok(Object.is(e5m2[k], smallFloat(k, 5, 2)), String(k));
    assert.equal(i8[k], (k << 24) >> 24);
    assert.equal(u8[k], k);
    assert.equal(truth[k], Number(k > 0));
  }
});

test("dtypes.decode rounds wide numbers once, and copies float32 bit by bit", () => {
  const shape = [4];
  const doubles = Float64Array.of(0.1, 1 + 2 ** -24, -(2 ** -149) * 1.5, 1e300);
  const longs = BigInt64Array.of(2n ** 60n + 2n ** 36n + 1n, -1n, 2n ** 53n + 1n, -(2n ** 63n));
  const unsigned = BigUint64Array.of(2n ** 63n + 2n ** 39n + 1n, 2n ** 64n - 1n, 0n, 5n);
  const decoded = (/** @type {ArrayBufferView} */ view, /** @type {string} */ dtype) =>
    dtypes.decode({ bytes: bytesOf(view), dtype, shape }).toArray();
  assert.deepEqual(decoded(doubles, "float64"), Array.from(doubles, Math.fround));
  // Through a double, the first of each would be rounded twice, to 2^60 and 2^63.
  assert.deepEqual(decoded(longs, "int64"), [2 ** 60 + 2 ** 37, -1, 2 ** 53, -(2 ** 63)]);
  assert.deepEqual(decoded(unsigned, "uint64"), [2 ** 63 + 2 ** 40, 2 ** 64, 0, 5]);
  const whole = Int32Array.of(16777217, 16777219, -2147483647, -7);
  assert.deepEqual(decoded(whole, "int32"), Array.from(whole, Math.fround));
  const big = Uint32Array.of(4294967295, 4294967040, 1, 0);
  assert.deepEqual(decoded(big, "uint32"), Array.from(big, Math.fround));
  const bits = Uint32Array.of(0xff812345, 0x7fc00001, 0x80000000, 1);
  assert.deepEqual(
    bitsOf(dtypes.decode({ bytes: bytesOf(bits), dtype: "float32", shape }).data),
    bits,
  );
});

test("dtypes.decode can overwrite the bytes that it reads", () => {
  const memory = new ArrayBuffer(4 * 200000);
  const bytes = new Uint8Array(memory, 400001, 200000).fill(3);
  const out = new Float32Array(memory);
  dtypes.decode({ bytes, dtype: "uint8", shape: [200000] }, { out });
  assert.ok(out.every((x) => x === 3));
});

test("dtypes.decode accepts an ArrayBuffer, any view, and tensors without elements or axes", () => {
  const { buffer } = Float32Array.of(1.5);
  assert.equal(dtypes.decode({ bytes: buffer, dtype: "float32", shape: [] }).data[0], 1.5);
  const view = new DataView(buffer, 2, 2);
  assert.equal(dtypes.decode({ bytes: view, dtype: "bfloat16", shape: [1] }).data[0], 1.5);
  const none = dtypes.decode({ bytes: new Uint8Array(), dtype: "Q4_K", shape: [0, 256] });
  assert.deepEqual(none.shape, [0, 256]);
});

test("dtypes.encode and decode restore every value that a format can represent", () => {
  const x = new Tensor(Float32Array.of(0, -0, 1.5, -65504, 2 ** -24, Infinity), [2, 3]);
  for (const dtype of /** @type {const} */ (["float32", "float16"])) {
    const stored = dtypes.encode(x, dtype);
    assert.deepEqual(stored.shape, [2, 3]);
    assert.equal(stored.bytes.length, 6 * dtypes.sizes[dtype].bytes);
    assert.deepEqual(dtypes.decode(stored), x);
  }
  const many = Float32Array.from({ length: 150000 }, (_, i) => i);
  const stored = dtypes.encode(many, "bfloat16");
  const wide = new Uint16Array(stored.bytes.buffer);
  for (const i of [3, 65535, 65536, 149999]) {
    assert.deepEqual([wide[i]], [...new Uint16Array(dtypes.encode([i], "bfloat16").bytes.buffer)]);
  }
});

test("dtypes.sizes: 8.5 bits a number for Q8_0, 4.5 for Q4_K; the object is frozen", () => {
  assert.equal(Object.keys(dtypes.sizes).length, 26);
  assert.equal(dtypes.sizes.Q8_0.bits, 8.5);
  assert.equal(dtypes.sizes.Q4_K.bits, 4.5);
  assert.equal(dtypes.sizes.bool.bits, 8);
  assert.throws(() => Object.assign(dtypes.sizes.float32, { bytes: 5 }), TypeError);
});

describe("dtypes: invalid arguments", () => {
  /** @param {any} stored */
  const refused = (stored) => () => dtypes.decode(stored);
  const bytes = new Uint8Array(34);

  test("dtypes.decode names an unknown format and lists the known ones", () => {
    const known = /dtype must be one of "float32", "float16".*"IQ4_NL"; got "IQ2_XXS"/;
    assert.throws(refused({ bytes, dtype: "IQ2_XXS", shape: [256] }), known);
    assert.throws(refused({ bytes, dtype: "f16", shape: [17] }), RangeError);
    assert.throws(refused({ bytes, dtype: "toString", shape: [17] }), RangeError);
  });

  test("dtypes.decode requires the number of bytes that dtype and shape imply", () => {
    const wanted = {
      name: "RangeError",
      message: "dtypes.decode: bytes must be 32 for float16 of shape [4, 4]; got 34",
    };
    assert.throws(refused({ bytes, dtype: "float16", shape: [4, 4] }), wanted);
    assert.throws(
      refused({ bytes, dtype: "float64", shape: [2 ** 53 - 1, 2 ** 53 - 1] }),
      RangeError,
    );
    const huge = Array(40).fill(2 ** 53 - 1);
    assert.throws(refused({ bytes, dtype: "uint8", shape: [...huge, 0] }), RangeError);
  });

  test("dtypes.decode requires whole blocks along the last axis", () => {
    const message = "dtypes.decode: shape must end in a multiple of 32; got Q8_0 of shape [2, 16]";
    assert.throws(refused({ bytes, dtype: "Q8_0", shape: [2, 16] }), { message });
    assert.throws(refused({ bytes, dtype: "Q8_0", shape: [] }), RangeError);
  });
});

const sixteen = Uint8Array.from({ length: 8 }, (_, i) => i);
declaredBattery(
  "dtypes.decode",
  { stored: { bytes: sixteen, dtype: "float16", shape: [4] } },
  { stored: ["file", "stored", "bytes", "dtype", "shape"] },
);
battery("dtypes.encode", {
  call: ({ x, dtype }) => dtypes.encode(x, dtype),
  good: { x: [1, 2], dtype: "float16" },
  args: { x: ["tensor"], dtype: ["word"] },
});
