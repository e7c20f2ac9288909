import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, test } from "node:test";
import { cases } from "../../truth/golden.js";
import { FileError, Tensor, safetensors } from "./entry.js";
import { asFloats, golden, noting, refusal, same, tensorOf } from "./samples.js";

/** @typedef {{dtype: string, shape: number[]}} Claim */

/**
 * A file with this header and these bytes behind it.
 * @param {unknown} header  text, or what JSON makes of it
 * @param {...(ArrayBufferView | number[])} data
 */
function file(header, ...data) {
  const text = new TextEncoder().encode(
    typeof header === "string" ? header : JSON.stringify(header),
  );
  const parts = data.map((part) =>
    Array.isArray(part)
      ? Uint8Array.from(part)
      : new Uint8Array(part.buffer, part.byteOffset, part.byteLength),
  );
  const bytes = new Uint8Array(8 + text.length + parts.reduce((sum, part) => sum + part.length, 0));
  new DataView(bytes.buffer).setBigUint64(0, BigInt(text.length), true);
  let at = 8;
  for (const part of [text, ...parts]) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/**
 * A file of tensors one after the other.
 * @param {Record<string, [dtype: string, shape: number[], data: ArrayBufferView]>} tensors
 */
function holding(tensors) {
  let at = 0;
  const entries = Object.entries(tensors).map(([name, [dtype, shape, data]]) => {
    const data_offsets = [at, (at += data.byteLength)];
    return [name, { dtype, shape, data_offsets }];
  });
  return file(Object.fromEntries(entries), ...Object.values(tensors).map(([, , data]) => data));
}

/** A header of one tensor "a" of F32 [2, 3], with some parts changed. @param {object} [changes] */
const one = (changes = {}) =>
  JSON.stringify({ a: { dtype: "F32", shape: [2, 3], data_offsets: [0, 24], ...changes } });
const six = Float32Array.of(1, 2, 3, 4, 5, 6);

/** @type {Record<string, string>} */
const NAMES = Object.freeze({
  F32: "float32",
  F64: "float64",
  F16: "float16",
  BF16: "bfloat16",
  I64: "int64",
  I32: "int32",
  I16: "int16",
  U16: "uint16",
  I8: "int8",
  U8: "uint8",
  BOOL: "bool",
});

/** The dtype of the tensor that each becomes. */
const DTYPES = Object.freeze({
  F32: "float32",
  F64: "float64",
  F16: "float32",
  BF16: "float32",
  I64: "int64",
  I32: "int32",
  I16: "int32",
  U16: "int32",
  I8: "int8",
  U8: "uint8",
  BOOL: "uint8",
});

describe("safetensors against the reference files", () => {
  for (const { id, params, outputs } of cases("safetensors_read", 11)) {
    test(`read equals ${id}`, async () => {
      const bytes = golden(params.path);
      for (const source of [bytes, bytes.buffer, new Blob([bytes]), noting(bytes)]) {
        const opened = await safetensors.read(source);
        assert.deepEqual([...opened.names].sort(), Object.keys(params.tensors).sort());
        assert.deepEqual(Object.fromEntries(opened.metadata), params.metadata ?? {});
        for (const name of opened.names) {
          /** @type {Claim} */
          const { dtype, shape } = params.tensors[name];
          const info = opened.info(name);
          assert.deepEqual([info.name, info.dtype, info.shape], [name, NAMES[dtype], shape]);
          const tensor = await opened.tensor(name);
          assert.ok(tensor instanceof Tensor);
          assert.deepEqual(tensor.shape, shape);
          assert.equal(tensor.dtype, DTYPES[/** @type {keyof typeof DTYPES} */ (dtype)]);
          same(asFloats(tensor.data), outputs[`expected/${name}`].data);
        }
      }
    });
  }

  for (const { params } of cases("reject", 61, ({ format }) => format === "safetensors")) {
    const { path, reason, expect } = params;
    if (expect === "refuse") {
      test(`read rejects ${path}: ${reason}`, async () => {
        const bytes = golden(path);
        await assert.rejects(safetensors.read(bytes), refusal(/^SAFETENSORS_/));
        await assert.rejects(safetensors.read(new Blob([bytes])), refusal(/^SAFETENSORS_/));
      });
    } else {
      test(`read rejects or accepts ${path}: ${reason}`, async () => {
        await safetensors.read(golden(path)).catch(refusal(/^SAFETENSORS_/));
      });
    }
  }

  for (const [op, dtype] of /** @type {const} */ ([
    ["f16_to_f32_bits", "F16"],
    ["bf16_to_f32_bits", "BF16"],
  ])) {
    const [{ inputs, outputs }] =
      op === "f16_to_f32_bits" ? cases("f16_to_f32_bits", 1) : cases("bf16_to_f32_bits", 1);
    test(`tensor widens every listed pattern of ${dtype} exactly`, async () => {
      const [patterns] = Object.values(inputs);
      const bits = Uint16Array.from(Array.from(patterns.data, Number));
      const opened = await safetensors.read(holding({ a: [dtype, [bits.length], bits] }));
      const { data } = await opened.tensor("a");
      const words = new Uint32Array(data.buffer, data.byteOffset, data.length);
      for (const [i, expected] of Array.from(outputs.f32_bits.data, Number).entries()) {
        const isNaN = (expected & 0x7fffffff) > 0x7f800000;
        if (!isNaN) assert.equal(words[i], expected >>> 0, `pattern ${bits[i]}`);
        else {
          assert.ok(Number.isNaN(data[i]), `pattern ${bits[i]}`);
          assert.equal(words[i] >>> 31, expected >>> 31, `sign of pattern ${bits[i]}`);
        }
      }
    });
  }
});

test("safetensors.tensor widens all 65,536 patterns of F16 and BF16 by their definition", async () => {
  const bits = Uint16Array.from({ length: 65_536 }, (_, i) => i);
  const opened = await safetensors.read(
    holding({ f16: ["F16", [256, 256], bits], bf16: ["BF16", [65_536], bits] }),
  );
  const f16 = await opened.tensor("f16");
  const bf16 = await opened.tensor("bf16");
  const word = new DataView(new ArrayBuffer(4));
  for (let pattern = 0; pattern < 65_536; ++pattern) {
    const sign = pattern >= 0x8000 ? -1 : 1;
    const exponent = (pattern >> 10) & 31;
    const fraction = pattern & 1023;
    const value =
      exponent === 31
        ? fraction === 0
          ? sign * Infinity
          : NaN
        : exponent === 0
          ? sign * fraction * 2 ** -24
          : sign * (1024 + fraction) * 2 ** (exponent - 25);
    if (!Object.is(f16.data[pattern], value)) assert.equal(f16.data[pattern], value, `${pattern}`);
    word.setUint16(0, pattern);
    const upper = word.getFloat32(0);
    if (!Object.is(bf16.data[pattern], upper)) assert.equal(bf16.data[pattern], upper);
  }
});

test("safetensors.stored keeps the bits of float16 and bfloat16", async () => {
  const bits = Uint16Array.of(0x3c00, 0x7e01, 0x8000, 1);
  const opened = await safetensors.read(
    holding({ h: ["F16", [2, 2], bits], b: ["BF16", [4], bits], f: ["F32", [2, 3], six] }),
  );
  for (const [name, dtype] of [
    ["h", "float16"],
    ["b", "bfloat16"],
  ]) {
    const kept = tensorOf(await opened.stored(name));
    assert.equal(kept.dtype, dtype);
    assert.deepEqual(kept.data, bits);
  }
  const f = tensorOf(await opened.stored("f"));
  assert.deepEqual(f.data, six);
});

test("safetensors.tensor reads the extremes of every type exactly", async () => {
  /** @type {[string, import("../../../src/runtime/tensor.js").TensorData | Int16Array, string][]} */
  const samples = [
    ["F32", Float32Array.of(-0, 1e-45, Infinity, 3.4028234663852886e38), "float32"],
    ["F64", Float64Array.of(-0, 5e-324, -Infinity, Number.MAX_VALUE), "float64"],
    ["I64", BigInt64Array.of(-(2n ** 63n), 2n ** 63n - 1n, 0n), "int64"],
    ["I32", Int32Array.of(-(2 ** 31), 2 ** 31 - 1), "int32"],
    ["I16", Int16Array.of(-32768, 32767), "int32"],
    ["U16", Uint16Array.of(0, 65535), "int32"],
    ["I8", Int8Array.of(-128, 127), "int8"],
    ["U8", Uint8Array.of(0, 255), "uint8"],
    ["BOOL", Uint8Array.of(0, 1), "uint8"],
  ];
  for (const [dtype, data, expected] of samples) {
    // an odd name shifts the data to every alignment
    for (const name of ["a", "ab", "abc", "abcd", "abcde"]) {
      const opened = await safetensors.read(holding({ [name]: [dtype, [data.length], data] }));
      const tensor = await opened.tensor(name);
      assert.equal(tensor.dtype, expected);
      same(tensor.data, data);
    }
  }
});

describe("safetensors.read accepts only a header that is consistent with the file", () => {
  /** @type {[string, string | object, string, Uint8Array?][]} */
  const refused = [
    ["a key twice in the metadata", '{"__metadata__":{"k":"1","k":"2"}}', "DUPLICATE"],
    ["the metadata twice", '{"__metadata__":{},"__metadata__":{}}', "DUPLICATE"],
    ["a key twice, once escaped", '{"__metadata__":{"k":"1","\\u006b":"2"}}', "DUPLICATE"],
    ["__proto__ twice", '{"__metadata__":{"__proto__":"1","__proto__":"2"}}', "DUPLICATE"],
    ["metadata that is a word", '{"__metadata__":nul}', "HEADER"],
    ["metadata that is true", '{"__metadata__":true}', "HEADER"],
    ["metadata in metadata", '{"__metadata__":{"k":{}}}', "HEADER"],
    ["half a character", '{"__metadata__":{"k":"\\ud83d"}}', "HEADER"],
    ["the halves in the wrong order", '{"__metadata__":{"k":"\\udcaf\\ud83d"}}', "HEADER"],
    ["__proto__ for a key", one().replace('"shape"', '"__proto__"'), "HEADER"],
    ["a leading zero", one().replace("[2,3]", "[02,3]"), "HEADER"],
    ["a plus sign", one().replace("[2,3]", "[+2,3]"), "HEADER"],
    ["minus zero", one().replace("[0,24]", "[-0,24]"), "HEADER"],
    ["a number as 2E0", one().replace("[2,3]", "[2E0,3]"), "HEADER"],
    ["2^53", one().replace("[2,3]", "[9007199254740992,3]"), "HEADER"],
    ["digits without end", one().replace("[2,3]", `[${"9".repeat(100_000)},3]`), "HEADER"],
    ["65 axes", one({ shape: Array(65).fill(1) }), "HEADER"],
    ["100,000 axes", one({ shape: Array(100_000).fill(9) }), "HEADER"],
    ...["\ufeff", "\u00a0", "\v", "\f", "\0", "\u2028", " \n\0", "[", "x"].flatMap(
      (sign) =>
        /** @type {[string, string, string][]} */ ([
          [`${JSON.stringify(sign)} before the object`, `${sign}${one()}`, "HEADER"],
          [`${JSON.stringify(sign)} behind the object`, `${one()}${sign}`, "HEADER"],
        ]),
    ),
    ["white space alone", " \t\r\n", "HEADER"],
    ["a second object", `${one()}{}`, "HEADER"],
    ["a comment", one().replace(":", ":/**/"), "HEADER"],
    ["a no-break space", one().replace(":", ":\u00a0"), "HEADER"],
    ["a comma at the beginning", "{,}", "HEADER"],
    ["an object without its end", "{ ", "HEADER"],
    ["an escape at the end", '{"\\', "HEADER"],
    ["an unended string of 100,000 signs", `{"${"x".repeat(100_000)}`, "HEADER"],
    ["100,000 brackets", `{"a":${"[".repeat(100_000)}`, "HEADER"],
    ["dtype constructor", one({ dtype: "constructor" }), "DTYPE"],
    ["a dtype of 100,000 signs", one({ dtype: "F".repeat(100_000) }), "DTYPE"],
    ["an overflow of 2^64 bits", one({ shape: [2 ** 52, 2 ** 52] }), "SHAPE"],
    [
      "an overflow hidden by 0",
      one({ shape: [2 ** 52, 2 ** 52, 0], data_offsets: [0, 0] }),
      "SHAPE",
    ],
    ["half a byte", one({ dtype: "F4", shape: [3], data_offsets: [0, 2] }), "SHAPE"],
    ["three offsets", one({ data_offsets: [0, 24, 24] }), "HEADER"],
    ["an end before its begin", one({ data_offsets: [24, 0] }), "OFFSETS"],
    ["no bytes at the wrong place", one({ shape: [0], data_offsets: [8, 8] }), "OFFSETS"],
    ["too few bytes", one(), "LENGTH", new Uint8Array(23)],
    ["a byte too many", one(), "LENGTH", new Uint8Array(25)],
    ["data without a tensor", "{}", "LENGTH", new Uint8Array(1)],
  ];
  for (const [what, header, code, data = new Uint8Array(24)] of refused) {
    test(`it rejects ${what}`, async () => {
      await assert.rejects(safetensors.read(file(header, data)), refusal(`SAFETENSORS_${code}`));
    });
  }

  test("it shows the bytes in place of a header", async () => {
    const header = /^header must begin with '\{'; got byte 0xc2$/;
    await assert.rejects(safetensors.read(file(" \u00a0{}")), {
      code: "SAFETENSORS_HEADER",
      message: header,
    });
    const code = "SAFETENSORS_HEADER_LENGTH";
    for (const size of [1, 7, 8, 9]) {
      const message = `file must begin with 8 bytes of header length and a header; got ${size} bytes`;
      await assert.rejects(safetensors.read(new Uint8Array(size)), { code, message });
    }
    const message = "header length must be from 2 to 2 in this file; got 0";
    await assert.rejects(safetensors.read(new Uint8Array(10)), { code, message });
  });

  test("it accepts JSON's white space before and behind the object, as safetensors 0.8.0 does", async () => {
    const empty = await safetensors.read(file(" \r\t\n{} \r \t\n")); // tested apart
    assert.deepEqual(empty.names, []);
    const data = Float32Array.from({ length: 6 }, (_, i) => i);
    for (const white of [
      " ",
      "\t",
      "\n",
      "\r",
      "\r\n \t",
      " ".repeat(4096),
      "\n".repeat(2 ** 20),
    ]) {
      for (const header of [white + one(), one() + white, white + one() + white]) {
        const opened = await safetensors.read(file(header, data));
        assert.deepEqual((await opened.tensor("a")).data, data);
      }
    }
  });

  test("it ignores other keys of a tensor if they are JSON, as safetensors 0.8.0 does", async () => {
    const read = (/** @type {string} */ more) =>
      safetensors.read(file(one({ x: 1 }).replace('"x":1', more), six));
    for (const more of ['"x":"cpu"', '"toString":[-1e3,{"":null}]', '"__proto__":{"shape":[6]}'])
      assert.deepEqual((await (await read(more)).tensor("a")).shape, [2, 3]);
    for (const value of ["NaN", "-Infinity", "[1e400]", '"\\ud83d"', '{"\\ud83d":1}', "01", "nul"])
      await assert.rejects(read(`"x":${value}`), refusal("SAFETENSORS_HEADER"), value);
  });

  test("it accepts an empty object, spaces behind it, and 64 axes", async () => {
    assert.deepEqual((await safetensors.read(file("{}"))).names, []);
    assert.deepEqual((await safetensors.read(file("{ }    "))).names, []);
    const axes = await safetensors.read(file(one({ shape: [6, ...Array(63).fill(1)] }), six));
    assert.equal((await axes.tensor("a")).rank, 64);
  });

  test("it reads and rejects a header of a megabyte like a small one, with the tensor's name", async () => {
    const bytes = Uint8Array.from({ length: 2 ** 15 }, (_, i) => i);
    const line = (/** @type {number} */ i, from = i, to = i + 1) =>
      `"${i}":{"dtype":"U8","shape":[${to - from}],"data_offsets":[${from},${to}]}`;
    const lines = Array.from(bytes, (_, i) => line(i)).reverse();
    lines.unshift('"__metadata__":{"k":"v"}');
    const read = (/** @type {string[]} */ changed) => safetensors.read(file(`{${changed}}`, bytes));
    assert.ok(lines.join().length > 2 ** 20);
    const opened = await read(lines);
    assert.deepEqual(
      opened.names,
      Array.from(bytes, (_, i) => String(i)),
    );
    assert.equal((await opened.tensor("777")).at(0), 777 & 255);
    assert.deepEqual([...opened.metadata], [["k", "v"]]);
    const refuses = (/** @type {string[]} */ changed, /** @type {string} */ code, message = /./) =>
      assert.rejects(read(changed), { code: `SAFETENSORS_${code}`, message });
    const overlap = /^data_offsets of "778" must begin at 779, where the previous .*; got 778$/;
    await refuses(lines.with(lines.indexOf(line(777)), line(777, 777, 779)), "OFFSETS", overlap);
    const gap = /^data_offsets of "1" must begin at 0, where the previous .*; got 1$/;
    await refuses(lines.slice(0, -1), "OFFSETS", gap);
    await refuses(lines.toSpliced(1, 1), "LENGTH");
    await refuses([...lines, line(5)], "DUPLICATE");
  });

  test("it accepts any name, also that of a property of Object.prototype", async () => {
    const names = ["__proto__", "constructor", "toString", "", " ", "\u{1f4a9}", "\0"];
    const entries = names.map(
      (name, i) =>
        `${JSON.stringify(name)}:{"dtype":"U8","shape":[1],"data_offsets":[${i},${i + 1}]}`,
    );
    const opened = await safetensors.read(
      file(
        `{${entries}}`,
        names.map((_, i) => i),
      ),
    );
    assert.deepEqual(opened.names, names);
    for (const [i, name] of names.entries()) assert.equal((await opened.tensor(name)).at(0), i);
    assert.equal(/** @type {any} */ ({}).dtype, undefined);
  });

  test("it accepts null for no metadata, as MLX writes it and safetensors 0.8 reads it", async () => {
    const entry = '"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}';
    const opened = await safetensors.read(file(`{"__metadata__":null,${entry}}`, [7]));
    assert.equal(opened.metadata.size, 0);
    assert.equal((await opened.tensor("a")).at(0), 7);
    assert.deepEqual((await safetensors.read(file('{"__metadata__": null}'))).names, []);
    const twice = '{"__metadata__":null,"__metadata__":{}}';
    await assert.rejects(safetensors.read(file(twice)), { code: "SAFETENSORS_DUPLICATE" });
  });

  test("it accepts metadata under __proto__ like any other", async () => {
    const opened = await safetensors.read(file('{"__metadata__":{"__proto__":"x"}}'));
    assert.deepEqual([...opened.metadata], [["__proto__", "x"]]);
  });

  test("it lists the names in the order of the data, not of the header", async () => {
    const header = {
      last: { dtype: "U8", shape: [2], data_offsets: [1, 3] },
      empty: { dtype: "U8", shape: [0], data_offsets: [1, 1] },
      first: { dtype: "U8", shape: [1], data_offsets: [0, 1] },
    };
    const opened = await safetensors.read(file(header, [1, 2, 3]));
    assert.deepEqual(opened.names, ["first", "empty", "last"]);
  });

  test("it shortens quoted text", async () => {
    const name = "n".repeat(10_000);
    const header = { [name]: { dtype: "F33", shape: [1], data_offsets: [0, 4] } };
    await assert.rejects(safetensors.read(file(header, [0, 0, 0, 0])), refusal());
  });
});

test("safetensors.read rejects every truncation of a valid file", async () => {
  const bytes = golden("formats/mixed.safetensors");
  for (let length = 0; length < bytes.length; ++length) {
    await assert.rejects(safetensors.read(bytes.subarray(0, length)), refusal());
  }
});

test("safetensors.read answers every change of a header's byte with FileError or a valid file", async () => {
  const bytes = file({ __metadata__: { k: "v" }, ...JSON.parse(one()) }, six);
  let accepted = 0;
  for (let at = 0; at < bytes.length - 24; ++at) {
    for (let change = 1; change < 256; ++change) {
      bytes[at] ^= change;
      try {
        const opened = await safetensors.read(bytes);
        ++accepted;
        for (const name of opened.names) {
          const tensor = await opened.tensor(name).catch(refusal(/UNSUPPORTED$/));
          if (tensor instanceof Tensor) assert.equal(opened.info(name).byteLength, 24);
        }
      } catch (error) {
        assert.ok(error instanceof FileError, String(error));
      }
      bytes[at] ^= change;
    }
  }
  assert.ok(accepted > 100, "other names, and as many elements in another shape, are fine");
});

test("safetensors.read requests only the header, and tensor only its own bytes", async () => {
  const source = noting(
    holding({ a: ["F32", [2, 3], six], b: ["U8", [3], Uint8Array.of(7, 8, 9)] }),
  );
  const opened = await safetensors.read(source);
  const dataAt = source.size - 27;
  assert.deepEqual(source.reads, [
    [0, 8],
    [8, dataAt],
  ]);
  const { data } = await opened.tensor("b");
  assert.deepEqual(data, Uint8Array.of(7, 8, 9));
  assert.deepEqual(source.reads.slice(2), [[dataAt + 24, dataAt + 27]]);
});

test("safetensors.read verifies a length before it allocates", async () => {
  const bytes = file(one(), six);
  const view = new DataView(bytes.buffer);
  for (const [claim, size] of /** @type {[bigint, number][]} */ ([
    [2n ** 40n, bytes.length],
    [2n ** 40n, 2 ** 41], // a file that is that long: over the cap
    [25_000_001n, 2 ** 30],
    [2n ** 64n - 1n, 2 ** 52],
    [1n, bytes.length],
  ])) {
    view.setBigUint64(0, claim, true);
    const source = noting(bytes, size);
    await assert.rejects(safetensors.read(source), refusal("SAFETENSORS_HEADER_LENGTH"));
    assert.deepEqual(source.reads, [
      [0, 8],
      [0, 64], // to say what the file is instead
    ]);
  }
});

test("safetensors.tensor verifies a size before it allocates", async () => {
  const header = one({ dtype: "U8", shape: [2 ** 40], data_offsets: [0, 2 ** 40] });
  const bytes = file(header);
  const opened = await safetensors.read(noting(bytes, bytes.length + 2 ** 40));
  await assert.rejects(opened.tensor("a"), refusal("FILE_READ"));
});

describe("safetensors.tensor with a scale", () => {
  const codes = Int8Array.of(-128, -1, 0, 1, 127, 64);
  const scales = Float32Array.of(0.1, 3);
  const bytes = holding({
    q: ["I8", [2, 3], codes],
    scale: ["F32", [2], scales],
    column: ["F32", [2, 1], scales],
    whole: ["F32", [], Float32Array.of(0.1)],
    half: ["F16", [2], Uint16Array.of(0x3800, 0x4000)], // 0.5, 2
    three: ["F32", [3], Float32Array.of(1, 2, 3)],
    row: ["F32", [1, 2], scales],
    f: ["F32", [2, 3], six],
    none: ["I8", [0, 4], new Int8Array(0)],
    nothing: ["F32", [0], new Float32Array(0)],
  });

  test("gives the canonical NaN for any NaN in the scale", async () => {
    const q = new Tensor(Int8Array.of(0, 1, 2), [3, 1]);
    const scale = new Float32Array(Uint32Array.of(0x7f800000, 0xffa24000, 0x7fc00001).buffer);
    const opened = await safetensors.read(safetensors.write({ q, scale }));
    const { data } = await opened.tensor("q", { scale: "scale" });
    assert.deepEqual([...new Uint32Array(data.buffer)], Array(3).fill(0x7fc00000));
  });

  test("equals value * scale in float32, with a scale for each row", async () => {
    const opened = await safetensors.read(bytes);
    const { fround } = Math;
    const expected = Array.from(codes, (code, i) => fround(code * scales[i < 3 ? 0 : 1]));
    for (const scale of ["scale", "column", scales, [...scales], { data: scales, shape: [2] }]) {
      const tensor = await opened.tensor("q", { scale });
      assert.equal(tensor.dtype, "float32");
      assert.deepEqual(tensor.shape, [2, 3]);
      same(tensor.data, expected);
    }
    same((await opened.tensor("q", { scale: "half" })).data, [-64, -0.5, 0, 2, 254, 128]);
  });

  test("accepts one scale for all rows, and a table without rows", async () => {
    const opened = await safetensors.read(bytes);
    const expected = Float32Array.from(codes, (code) => code * scales[0]);
    for (const scale of ["whole", [0.10000000149011612]]) {
      assert.deepEqual((await opened.tensor("q", { scale })).data, expected);
    }
    const none = await opened.tensor("none", { scale: "nothing" });
    assert.deepEqual([none.dtype, ...none.shape], ["float32", 0, 4]);
  });

  /** @type {[string, any, any, RegExp][]} */
  const refused = [
    [
      "q",
      { scale: "three" },
      RangeError,
      /^TensorFile\.tensor: scale must hold one number or one for each of the 2 r/,
    ],
    ["q", { scale: "row" }, RangeError, /got shape \[1, 2\]/],
    [
      "q",
      { scale: "absent" },
      RangeError,
      /^\S+: scale must be one of the file's 10 .*got "absent"$/,
    ],
    ["q", { scale: 2 }, TypeError, /^TensorFile\.tensor: scale must be a tensor/],
    [
      "f",
      { scale: "scale" },
      RangeError,
      /^TensorFile\.tensor: scale must come with an int8 tensor; got float32$/,
    ],
    [
      "q",
      { dtype: "int8" },
      RangeError,
      /^TensorFile\.tensor: dtype must be one of "float32"; got "int8"$/,
    ],
    [
      "q",
      { sclae: 1 },
      TypeError,
      /^TensorFile\.tensor: options must have only .*; got "sclae"; did you mean "scale"\?$/,
    ],
    ["Q", {}, RangeError, /^\S+: name must be one of the file's 10 \("q", .*, \.\.\.\); got "Q"$/],
    ["__proto__", {}, RangeError, /got "__proto__"$/],
  ];
  for (const [name, options, kind, message] of refused) {
    test(`throws ${message.source}`, async () => {
      const opened = await safetensors.read(bytes);
      await assert.rejects(opened.tensor(name, options), (/** @type {Error} */ error) => {
        assert.ok(error instanceof kind, String(error));
        assert.match(error.message, message);
        return true;
      });
    });
  }
});

describe("safetensors.rows", () => {
  const V = 50;
  const D = 3;
  const table = Float32Array.from({ length: V * D }, (_, i) => i / 8);
  const codes = Int8Array.from({ length: V * D }, (_, i) => i - 75);
  const scales = Float32Array.from({ length: V }, (_, i) => 1 / (i + 1));
  const bytes = holding({
    w: ["F32", [V, D], table],
    q: ["I8", [V, D], codes],
    s: ["F32", [V], scales],
    cube: ["F32", [5, 10, D], table],
    point: ["F32", [], Float32Array.of(1)],
    none: ["F32", [0, D], new Float32Array(0)],
  });

  test("returns the rows in the order of the ids, in their shape, also repeated", async () => {
    const opened = await safetensors.read(bytes);
    const all = await opened.tensor("w");
    const dequantized = await opened.tensor("q", { scale: "s" });
    const ids = [7, 49, 0, 8, 7, 9];
    for (const same of [ids, Int32Array.from(ids), BigInt64Array.from(ids.map(BigInt))]) {
      const rows = await opened.rows("w", same);
      assert.deepEqual(rows.shape, [6, D]);
      for (const [t, id] of ids.entries()) assert.deepEqual(rows.row(t).data, all.row(id).data);
    }
    const scaled = await opened.rows("q", [ids, ids], { scale: "s" });
    assert.deepEqual(scaled.shape, [2, 6, D]);
    for (const [t, id] of ids.entries()) {
      assert.deepEqual(scaled.row(1).row(t).data, dequantized.row(id).data);
    }
    assert.deepEqual((await opened.rows("cube", [1])).shape, [1, 10, D]);
    assert.deepEqual((await opened.rows("w", 3)).data, all.row(3).data);
    assert.deepEqual((await opened.rows("w", [])).shape, [0, D]);
    assert.deepEqual((await opened.rows("none", [])).shape, [0, D]);
  });

  test("reads only those rows, adjacent ones together", async () => {
    const wide = holding({ w: ["I8", [V, 20_000], new Int8Array(V * 20_000)] });
    const source = noting(wide);
    const opened = await safetensors.read(source);
    const dataAt = source.reads[1][1];
    const runs = async (/** @type {number[]} */ ids) => {
      source.reads.length = 0;
      await opened.rows("w", ids);
      return source.reads.map((range) => range.map((at) => (at - dataAt) / 20_000));
    };
    assert.deepEqual(await runs([8, 22, 7, 9, 8, 49, 36]), [
      [7, 10],
      [22, 23],
      [36, 37],
      [49, 50],
    ]);
  });

  test("rejects ids that are out of range, and a tensor without rows", async () => {
    const opened = await safetensors.read(bytes);
    for (const ids of [[V], [-1], [0.5], [NaN], [2 ** 40]]) {
      await assert.rejects(opened.rows("w", ids), RangeError);
    }
    await assert.rejects(opened.rows("w", /** @type {any} */ ("3")), TypeError);
    await assert.rejects(opened.rows("none", [0]), RangeError);
    await assert.rejects(
      opened.rows("point", [0]),
      /^RangeError: \S+: name must be of a tensor with/,
    );
  });
});

describe("safetensors.write", () => {
  const half = Uint16Array.of(0x3800, 0x4000);
  const tensors = {
    wte: new Tensor(Float32Array.of(0, 1, 2, 3, 4, 5), [2, 3]),
    ids: BigInt64Array.of(1n, 2n ** 40n),
    mask: { data: Uint8Array.of(1, 0), dims: [2], type: "bool" },
    codes: Int8Array.of(-1, 2),
    u: Uint8Array.of(7),
    i: Int32Array.of(5),
    d: new Tensor(Float64Array.of(0.1), []),
    h: new Tensor(half, [2], "float16"),
    none: new Tensor(new Float32Array(0), [0, 3]),
  };
  const one = (/** @type {any} */ Kind, /** @type {any} */ dtype) => ({
    ...{ data: new Kind(1), shape: [1], dtype },
  });

  // SHA-256 of what safetensors.numpy.save (or safetensors.serialize, for bfloat16) of safetensors 0.8.0
  // gives for the same arrays
  /** @type {[string, any, any, string][]} */
  const saved = [
    [
      "NumPy's types",
      tensors,
      {},
      "5842c88b4d5de79a292749c678d8f5b698b18c97d2f1734992bdab6ad62170d5",
    ],
    [
      "names and notes that need escapes",
      { 'é"\n': [1], b: [2] },
      { metadata: { z: "1", from: "a\\b \u2028\x7f" } },
      "0ea4faf0c91445c9361f1f104f56ad536d73c72a372b86e9697f0d41fee1db74",
    ],
    [
      "one number of each type",
      {
        ...{ a: one(Uint8Array, "bool"), b: one(Uint8Array, "uint8"), c: one(Int8Array, "int8") },
        ...{ d: one(Uint16Array, "float16"), e: one(Uint16Array, "bfloat16") },
        ...{ f: one(Int32Array, "int32"), g: one(Float32Array, "float32") },
        ...{ h: one(Float64Array, "float64"), i: one(BigInt64Array, "int64") },
        ...{ A: one(Float32Array, "float32") },
      },
      {},
      "f629bb6cf252d718bdbc873a3426f0d517ae4ff8d9a3e39d9793b51e8d0cf9fd",
    ],
    ["nothing", {}, {}, "9bbcbf73561f6bc5d0a17ea6a2081feed2d1304e87602d8c502d9a5c4bd85576"],
  ];
  for (const [what, given, options, hash] of saved) {
    test(`equals the bytes of the safetensors library for ${what}`, () => {
      const bytes = safetensors.write(given, options);
      assert.equal(createHash("sha256").update(bytes).digest("hex"), hash);
      assert.deepEqual(safetensors.write(new Map(Object.entries(given)), options), bytes);
    });
  }

  test("writes what read restores", async () => {
    const opened = await safetensors.read(
      safetensors.write({ ...tensors, b: new Tensor(half, [1, 2], "bfloat16") }),
    );
    for (const [name, tensor] of Object.entries(tensors)) {
      const back = tensorOf(await opened.stored(name));
      assert.deepEqual(back.data, "data" in tensor ? tensor.data : tensor, name);
    }
    assert.deepEqual((await opened.tensor("none")).shape, [0, 3]);
    const kept = tensorOf(await opened.stored("b"));
    assert.deepEqual([kept.data, kept.shape, kept.dtype], [half, [1, 2], "bfloat16"]);
    assert.deepEqual([opened.info("h").dtype, opened.info("mask").dtype], ["float16", "bool"]);
  });

  test("accepts names and notes from Object.prototype, and only the part that a view shows", async () => {
    const data = Float32Array.of(9, 1, 2, 9);
    const names = new Map([
      ["__proto__", data.subarray(1, 3)],
      ["1", Float32Array.of(5)],
      ["toString", Float32Array.of(6)],
    ]);
    const notes = new Map([["__proto__", "x"]]);
    const opened = await safetensors.read(safetensors.write(names, { metadata: notes }));
    same((await opened.tensor("__proto__")).data, [1, 2]);
    assert.deepEqual([...opened.metadata], [["__proto__", "x"]]);
    assert.deepEqual(opened.names, ["1", "__proto__", "toString"]);
  });

  /** @type {[any, any, any, RegExp][]} */
  const refused = [
    [{ __metadata__: [1] }, {}, RangeError, /^\S+: tensors must not have the reserved name/],
    [
      { "\ud83d": [1] },
      {},
      RangeError,
      /^\S+: tensors must have names without unpaired surrogates/,
    ],
    [{ a: ["1"] }, {}, TypeError, /^\S+: tensor "a" must hold numbers; got "1" at 0$/],
    [
      { a: { data: Uint8Array.of(2), shape: [1], dtype: "bool" } },
      {},
      RangeError,
      /0 and 1 for dtype bool; got 2$/,
    ],
    [{ a: new Tensor(new Uint8Array(1), Array(65).fill(1)) }, {}, RangeError, /at most 64 axes/],
    [null, {}, TypeError, /^\S+: tensors must be an object or a Map, by name; got null$/],
    [{}, { metadata: { k: 1 } }, TypeError, /^\S+: metadata must hold strings; got 1 for "k"$/],
    [{}, { metadata: { k: "\ud83d" } }, TypeError, /^\S+: metadata must hold strings/],
    [{}, { metadata: "k" }, TypeError, /^\S+: metadata must be an object or a Map/],
    [
      {},
      { compress: true },
      TypeError,
      /^safetensors\.write: options must have only metadata; got "compress"/,
    ],
  ];
  for (const [given, options, kind, message] of refused) {
    test(`throws ${message.source}`, () => {
      assert.throws(
        () => safetensors.write(given, options),
        (error) => error instanceof kind && message.test(/** @type {Error} */ (error).message),
      );
    });
  }
});

test("safetensors.tensor names a dtype that it cannot read; other tensors are read", async () => {
  /** @type {[string, string, number][]} */
  const others = [
    ["C64", "complex64", 8],
    ["F8_E8M0", "float8_e8m0fnu", 1],
    ["F8_E4M3FNUZ", "float8_e4m3fnuz", 1],
    ["F8_E5M2FNUZ", "float8_e5m2fnuz", 1],
    ["F4", "float4_e2m1fn", 0.5],
  ];
  for (const [fileName, dtype, size] of others) {
    const data = new Uint8Array(2 * size);
    const opened = await safetensors.read(
      holding({ a: [fileName, [2], data], b: ["F32", [2, 3], six] }),
    );
    assert.equal(opened.info("a").dtype, dtype);
    await assert.rejects(opened.tensor("a"), refusal("SAFETENSORS_DTYPE_UNSUPPORTED"));
    await assert.rejects(opened.tensor("a"), new RegExp(`float32, .*bfloat16.*got ${dtype}$`));
    await assert.rejects(opened.rows("a", [0]), refusal("SAFETENSORS_DTYPE_UNSUPPORTED"));
    assert.deepEqual((await opened.tensor("b")).data, six);
  }
  for (const dtype of ["F6_E2M3", "F6_E3M2"]) {
    const opened = await safetensors.read(holding({ a: [dtype, [4], new Uint8Array(3)] }));
    assert.equal(opened.info("a").byteLength, 3);
  }
});

describe("safetensors.read and its source", () => {
  const bytes = file(one(), six);

  test("a view is read from its own offset on, and results are new arrays", async () => {
    const around = new Uint8Array(bytes.length + 20).fill(0xee);
    around.set(bytes, 7);
    for (const source of [
      around.subarray(7, 7 + bytes.length),
      new DataView(around.buffer, 7, bytes.length),
      Buffer.from(around.buffer, 7, bytes.length),
    ]) {
      const opened = await safetensors.read(source);
      const tensor = await opened.tensor("a");
      assert.deepEqual(tensor.data, six);
      tensor.data.fill(0);
      assert.deepEqual((await opened.tensor("a")).data, six);
    }
    assert.equal(around[0], 0xee);
  });

  test("shared memory can be read too", async () => {
    const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
    shared.set(bytes);
    for (const source of [shared, shared.buffer]) {
      assert.deepEqual((await (await safetensors.read(source)).tensor("a")).data, six);
    }
  });

  test("a value that is not a file is a TypeError", async () => {
    const wrong = [undefined, null, "a.safetensors", 7, {}, [1, 2], new Map(), { size: 9 }];
    for (const source of [...wrong, { size: -1, slice() {} }, { size: 0.5, slice() {} }]) {
      await assert.rejects(safetensors.read(/** @type {any} */ (source)), (error) => {
        assert.ok(error instanceof TypeError);
        assert.match(error.message, /^safetensors\.read: source must be a Blob, .*; got /);
        return true;
      });
    }
  });

  test("a buffer that is transferred meanwhile is a FileError", async () => {
    const copy = bytes.slice();
    const opened = await safetensors.read(copy);
    structuredClone(copy.buffer, { transfer: [copy.buffer] });
    await assert.rejects(opened.tensor("a"), refusal("FILE_READ"));
  });

  test("a source that returns too few or other bytes is a FileError", async () => {
    for (const buffer of [new ArrayBuffer(3), new ArrayBuffer(99), "text", null, undefined]) {
      const slice = () => ({ arrayBuffer: async () => /** @type {any} */ (buffer) });
      await assert.rejects(safetensors.read({ size: 99, slice }), refusal("FILE_READ"));
    }
  });

  test("a source that fails is a FileError with its cause; its FileError and an abort are passed on", async () => {
    const failing = (/** @type {unknown} */ error) => ({
      size: 99,
      slice: () => ({ arrayBuffer: () => Promise.reject(error) }),
    });
    const cause = new Error("disk gone");
    await assert.rejects(safetensors.read(failing(cause)), (error) => {
      assert.ok(refusal("FILE_READ")(error));
      assert.equal(/** @type {Error} */ (error).cause, cause);
      assert.match(String(error), /disk gone/);
      return true;
    });
    const known = new FileError("HUB_STATUS", "status must be 206; got 404");
    await assert.rejects(safetensors.read(failing(known)), known);
    const abort = new DOMException("stop", "AbortError");
    await assert.rejects(safetensors.read(failing(abort)), abort);
  });
});

test("a safetensors file is frozen, and so is its description of a tensor", async () => {
  const opened = await safetensors.read(file(one(), six));
  assert.ok(Object.isFrozen(opened) && Object.isFrozen(opened.names));
  assert.ok(Object.isFrozen(opened.info("a")) && Object.isFrozen(opened.info("a").shape));
});

test("a name that the file lacks is refused with eight of those that it has", async () => {
  for (const [count, more] of /** @type {const} */ ([
    [8, ""],
    [9, ", ..."],
  ])) {
    const names = Array.from({ length: count }, (_, i) => `t${i}`);
    const tensors = Object.fromEntries(names.map((name) => [name, [1]]));
    const file = await safetensors.read(safetensors.write(tensors));
    const known = names.slice(0, 8).map((name) => `"${name}"`).join(", "); // prettier-ignore
    const message = `TensorFile.tensor: name must be one of the file's ${count} (${known}${more}); got "t"`;
    await assert.rejects(file.tensor("t"), { name: "RangeError", message });
  }
});
