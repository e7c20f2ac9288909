import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { zipSync } from "fflate";
import { cases } from "../../truth/golden.js";
import { FileError, Tensor, npy, npz } from "./entry.js";
import { asFloats, golden, noting, refusal, same, tensorOf } from "./samples.js";

/** @typedef {import("../../../src/runtime/tensor.js").TensorData} TensorData */

const DTYPES = Object.freeze({
  f2: "float32",
  f4: "float32",
  f8: "float64",
  i1: "int8",
  i4: "int32",
  i8: "int64",
  u1: "uint8",
  u2: "int32",
  b1: "uint8",
});

/**
 * A file of this header, as version 1.0 or another.
 * @param {string} header @param {ArrayBufferView} [data] @param {[number, number]} [version]
 */
function file(header, data = new Uint8Array(0), version = [1, 0]) {
  const text = new TextEncoder().encode(header);
  const long = version[0] > 1;
  const start = long ? 12 : 10;
  const bytes = new Uint8Array(start + text.length + data.byteLength);
  bytes.set([0x93, ...Buffer.from("NUMPY"), ...version]);
  const view = new DataView(bytes.buffer);
  if (long) view.setUint32(8, text.length, true);
  else view.setUint16(8, text.length, true);
  bytes.set(text, start);
  bytes.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), start + text.length);
  return bytes;
}

/** @param {string} descr @param {string} shape @param {string} [fortran] */
const header = (descr, shape, fortran = "False") =>
  `{'descr': '${descr}', 'fortran_order': ${fortran}, 'shape': ${shape}, }\n`;

describe("npy against NumPy", () => {
  for (const { id, params, outputs } of cases("npy_read", 19)) {
    test(`read equals ${id}`, async () => {
      const bytes = golden(params.path);
      for (const source of [bytes, bytes.buffer, new Blob([bytes]), noting(bytes)]) {
        const tensor = await npy.read(source);
        assert.ok(tensor instanceof Tensor);
        assert.deepEqual(tensor.shape, params.shape);
        const type = /** @type {keyof typeof DTYPES} */ (params.descr.slice(1));
        assert.equal(tensor.dtype, DTYPES[type]);
        same(asFloats(tensor.data), outputs.expected.data);
        if (outputs.expected_f64) same(tensor.data, outputs.expected_f64.data);
        if (outputs.expected_i64) same(Array.from(tensor.data, BigInt), outputs.expected_i64.data);
      }
    });

    const [order, type] = [params.descr[0], params.descr.slice(1)];
    const isOurs = order !== ">" && !params.fortran_order && params.version[0] === 1;
    if (isOurs && type !== "u2" && type !== "b1") {
      test(`write equals the bytes of ${id}, which NumPy wrote`, async () => {
        const bytes = golden(params.path);
        assert.deepEqual(npy.write(tensorOf(await npy.stored(bytes))), bytes);
      });
    }
  }

  for (const { params } of cases("reject", 17, ({ format }) => format === "npy")) {
    test(`read rejects ${params.path}: ${params.reason}`, async () => {
      assert.equal(params.expect, "refuse");
      const bytes = golden(params.path);
      await assert.rejects(npy.read(bytes), refusal(/^NPY_/));
      await assert.rejects(npy.read(new Blob([bytes])), refusal(/^NPY_/));
    });
  }

  // numpy.save of NumPy 2.4.6, by hand
  /** @type {[Tensor<any>, string, number[]][]} */
  const saved = [
    [
      new Tensor(Float32Array.of(1.5, -2, 3, 4), [2, 2]),
      "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }",
      [0, 0, 0xc0, 0x3f, 0, 0, 0, 0xc0, 0, 0, 0x40, 0x40, 0, 0, 0x80, 0x40],
    ],
    [
      new Tensor(BigInt64Array.of(7n), []),
      "{'descr': '<i8', 'fortran_order': False, 'shape': (), }",
      [7, 0, 0, 0, 0, 0, 0, 0],
    ],
    [
      new Tensor(Int8Array.of(), [0, 3]),
      "{'descr': '|i1', 'fortran_order': False, 'shape': (0, 3), }",
      [],
    ],
    [
      new Tensor(Uint8Array.of(1, 2, 3), [3]),
      "{'descr': '|u1', 'fortran_order': False, 'shape': (3,), }",
      [1, 2, 3],
    ],
    [
      new Tensor(Uint16Array.of(0x3800, 0x7bff), [2], "float16"),
      "{'descr': '<f2', 'fortran_order': False, 'shape': (2,), }",
      [0, 0x38, 0xff, 0x7b],
    ],
  ];
  for (const [tensor, dict, data] of saved) {
    test(`write equals numpy.save for ${tensor.dtype} [${tensor.shape}]`, () => {
      const start = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, 0x76, 0];
      const expected = [...start, ...Buffer.from(`${dict.padEnd(117)}\n`), ...data];
      same(npy.write(tensor), expected);
    });
  }
});

test("npy.read restores what npy.write wrote, for each dtype and shape", async () => {
  /** @type {[(values: number[]) => TensorData, import("../../../src/runtime/tensor.js").DType][]} */
  const kinds = [
    [(values) => Float32Array.from(values, (x) => x / 3), "float32"],
    [(values) => Float64Array.from(values, (x) => x / 3), "float64"],
    [(values) => Int32Array.from(values, (x) => x * 54321), "int32"],
    [(values) => BigInt64Array.from(values, (x) => BigInt(x) << 40n), "int64"],
    [(values) => Int8Array.from(values), "int8"],
    [(values) => Uint8Array.from(values), "uint8"],
    [(values) => Uint16Array.from(values), "float16"],
  ];
  const shapes = [[], [0], [1], [2], [7], [0, 5], [5, 0], [3, 4], [1, 1, 1], [2, 3, 4], [2, 0, 2]];
  for (const [make, dtype] of kinds) {
    for (const shape of [...shapes, Array(64).fill(1)]) {
      const size = shape.reduce((product, n) => product * n, 1);
      const data = make(Array.from({ length: size }, (_, i) => i - 3));
      const bytes = npy.write(new Tensor(data, shape, dtype));
      assert.equal((bytes.length - data.byteLength) % 64, 0);
      const back = tensorOf(await npy.stored(bytes));
      assert.deepEqual([back.data, back.shape, back.dtype], [data, shape, dtype]);
    }
  }
});

test("npy.read widens float16 unless the stored bits are requested", async () => {
  const bits = Uint16Array.of(0x3c00, 0xc000, 1, 0x7c00, 0x8000);
  const bytes = npy.write(new Tensor(bits, [5], "float16"));
  const floats = await npy.read(bytes);
  assert.equal(floats.dtype, "float32");
  same(floats.data, [1, -2, 2 ** -24, Infinity, -0]);
});

describe("npy.write", () => {
  test("accepts every form of tensor, and writes plain numbers as float32", async () => {
    const expected = Float32Array.of(1, 2, 3, 4);
    for (const tensor of [
      [
        [1, 2],
        [3, 4],
      ],
      { data: [1, 2, 3, 4], shape: [2, 2] },
      { data: expected, dims: [2, 2] },
      [Float64Array.of(1, 2), Float64Array.of(3, 4)],
    ]) {
      const back = await npy.read(npy.write(tensor));
      assert.deepEqual([back.data, back.shape], [expected, [2, 2]]);
    }
    assert.equal((await npy.read(npy.write(Int32Array.of(1)))).dtype, "int32");
    const bits = { data: Uint16Array.of(1, 2, 3, 4), shape: [2, 2] };
    assert.throws(() => npy.write(bits), /of a known dtype; got Uint16Array of 4/);
  });

  test("writes the bool of other libraries as NumPy's, if every value is 0 or 1", async () => {
    const bool = { data: Uint8Array.of(1, 0, 1), dims: [3], type: "bool" };
    const bytes = npy.write(bool);
    assert.match(Buffer.from(bytes).toString("latin1"), /'descr': '\|b1'/);
    same((await npy.read(bytes)).data, [1, 0, 1]);
    const two = { ...bool, data: Uint8Array.of(1, 2, 1) };
    assert.throws(
      () => npy.write(two),
      /^RangeError: \S+: tensor must hold 0 and 1 for dtype bool; got 2$/,
    );
  });

  test("writes only the part that a view shows, and leaves it unchanged", async () => {
    const data = Float32Array.of(9, 1, 2, 9);
    const back = await npy.read(npy.write(data.subarray(1, 3)));
    same(back.data, [1, 2]);
    same(data, [9, 1, 2, 9]);
  });

  /** @type {[any, any, RegExp][]} */
  const refused = [
    [new Tensor(new Uint16Array(2), [2], "bfloat16"), RangeError, /dtype of NumPy; got bfloat16$/],
    [new Tensor(new Uint8Array(1), Array(65).fill(1)), RangeError, /at most 64 axes; got 65$/],
    [[[1], [2, 3]], RangeError, /^\S+: tensor must not be ragged/],
    [["1"], TypeError, /^\S+: tensor must hold numbers; got "1" at 0$/],
    [{ data: [1, 2], shape: [3] }, RangeError, /^\S+: tensor\.shape must have as many elements/],
    [{ data: BigUint64Array.of(1n), shape: [1] }, TypeError, /^\S+: tensor must hold numbers/],
    [undefined, TypeError, /^\S+: tensor must be a tensor/],
    [3, TypeError, /^\S+: tensor must be a tensor/],
  ];
  for (const [tensor, kind, message] of refused) {
    test(`throws ${message.source}`, () => {
      assert.throws(
        () => npy.write(tensor),
        (error) => error instanceof kind && message.test(/** @type {Error} */ (error).message),
      );
    });
  }
});

describe("npy.read accepts only a header that is consistent with the file", () => {
  const two = Float32Array.of(1, 2);
  /** @type {[string, string, string, ArrayBufferView?][]} */
  const refused = [
    ["a number for a tuple", header("<f4", "(2)"), "HEADER"],
    ["a list for a tuple", header("<f4", "[2]"), "HEADER"],
    ["a lone comma", header("<f4", "(,)"), "HEADER"],
    ["two commas", header("<f4", "(2,,)"), "HEADER"],
    ["sizes without a comma", header("<f4", "(2 1)"), "HEADER"],
    ["a leading zero", header("<f4", "(02,)"), "HEADER"],
    ["an underscore", header("<f4", "(1_0,)"), "HEADER"],
    ["two suffixes of Python 2", header("<f4", "(2LL,)"), "HEADER"],
    ["a suffix in lower case", header("<f4", "(2l,)"), "HEADER"],
    ["a suffix without a number", header("<f4", "(L,)"), "HEADER"],
    ["a suffix of an order", header("<f4", "(2,)", "FalseL"), "HEADER"],
    ["a negative size", header("<f4", "(-2,)"), "HEADER"],
    ["a size with a point", header("<f4", "(2.0,)"), "HEADER"],
    ["a hexadecimal size", header("<f4", "(0x2,)"), "HEADER"],
    ["a size of 2^53", header("<f4", "(9007199254740992,)"), "HEADER"],
    ["an expression", header("<f4", "(1+1,)"), "HEADER"],
    ["65 axes", header("<f4", `(${"1,".repeat(65)})`), "HEADER"],
    ["True in lower case", header("<f4", "(2,)", "true"), "HEADER"],
    ["Truely", header("<f4", "(2,)", "Truely"), "HEADER"],
    ["1 for True", header("<f4", "(2,)", "1"), "HEADER"],
    ["a key twice", header("<f4", "(2,), 'shape': (2,)"), "HEADER"],
    ["a key missing", "{'descr': '<f4', 'shape': (2,)}\n", "HEADER"],
    ["a bare key", "{descr: '<f4', 'fortran_order': False, 'shape': (2,)}\n", "HEADER"],
    ["two kinds of quotes", header("<f4", "(2,)").replace("descr'", 'descr"'), "HEADER"],
    ["bytes for a string", header("<f4", "(2,)").replace("'<", "b'<"), "HEADER"],
    ["a space before the quotes", header("<f4", "(2,)").replace("'<", "u '<"), "HEADER"],
    ["an escape in a string", header("\\x3cf4", "(2,)"), "HEADER"],
    ["a sign beyond ASCII", header("<f4\u00e9", "(2,)"), "DESCR"],
    ["an indented line", `\n ${header("<f4", "(2,)")}`, "HEADER"],
    ["a lone carriage return and a space", `${header("<f4", "(2,)")}\r `, "HEADER"],
    ["a zero behind the dict", `${header("<f4", "(2,)")}\0`, "HEADER"],
    ["a no-break space", header("<f4", "(2,)").replace(" ", "\u00a0"), "HEADER"],
    ["a vertical tab", header("<f4", "(2,)").replace(" ", "\v"), "HEADER"],
    ["text behind the dict", header("<f4", "(2,)").replace("}", "} #"), "HEADER"],
    ["an empty header", "", "HEADER"],
    ["objects", header("|O", "(2,)"), "DESCR"],
    ["objects of 8 bytes", header("|O8", "(2,)"), "DESCR"],
    ["text", header("<U4", "(2,)"), "DESCR"],
    ["complex numbers", header("<c8", "(2,)"), "DESCR"],
    ["unsigned 128 bits", header("<u16", "(2,)"), "DESCR"],
    ["long doubles", header("<f16", "(2,)"), "DESCR"],
    ["dates", header("<M8[ns]", "(2,)"), "DESCR"],
    ["two byte orders", header("<<f4", "(2,)"), "DESCR"],
    ["another byte order", header("!f4", "(2,)"), "DESCR"],
    ["a byte order of a name", header("<float32", "(2,)"), "DESCR"],
    ["a letter in upper case", header("<F4", "(2,)"), "DESCR"],
    ["a space behind the type", header("<f4 ", "(2,)"), "DESCR"],
    ["a type that depends on the machine", header("<l", "(1,)"), "DESCR"],
    ["bfloat16, which NumPy lacks", header("bfloat16", "(4,)"), "DESCR"],
    ["an empty descr", header("", "(2,)"), "DESCR"],
    ["constructor", header("<constructor", "(2,)"), "DESCR"],
    ["a byte too many", header("<f4", "(2,)"), "LENGTH", new Uint8Array(9)],
    ["a byte too few", header("<f4", "(2,)"), "LENGTH", new Uint8Array(7)],
    ["an overflow of 2^64", header("<f4", "(4503599627370496, 4503599627370496)"), "LENGTH"],
    [
      "an overflow hidden by 0",
      header("<f4", "(4503599627370496, 4503599627370496, 0)"),
      "LENGTH",
      new Uint8Array(0),
    ],
  ];
  for (const [what, text, code, data = two] of refused) {
    test(`it rejects ${what}`, async () => {
      await assert.rejects(npy.read(file(text, data)), refusal(`NPY_${code}`));
    });
  }

  test("it accepts the keys in any order, with or without spaces", async () => {
    for (const text of [
      "{'shape':(2,),'fortran_order':False,'descr':'<f4'}\n",
      " { 'fortran_order' : False , 'descr' : '<f4' , 'shape' : ( 2 , ) , }      \n",
    ]) {
      for (const version of /** @type {[number, number][]} */ ([
        [1, 0],
        [2, 0],
        [3, 0],
      ])) {
        assert.deepEqual((await npy.read(file(text, two, version))).data, two);
      }
    }
  });

  test("it accepts what NumPy 2.4.6 (run) reads of Python 2 and of other writers", async () => {
    const plain = header("<f4", "(2,)");
    const dict = plain.trimEnd();
    const forms = [
      ...[
        plain.replace("(2,)", "(2L,)"),
        plain.replace("(2,)", "(2L, 1L)"),
        plain.replace("(2,)", "(2 L , 1,)"),
      ],
      ...[plain.replace(/'(\w+|<f4)'/g, "u'$1'"), plain.replace("'<f4'", "U'<f4'")],
      ...[plain.replaceAll("'", '"'), plain.replace("'<f4'", '"<f4"')],
      ...[
        plain.replace(", }", "}"),
        plain.replace("(2,)", "(2, 1)"),
        plain.replace("(2,)", "(2,1,)"),
      ],
      ...[dict, `${dict}   `, `${dict}\n\n`, `${dict}\t\r\n`, `\n\n${plain}`, ` \t${plain}`],
      ...[" ", "\t", "\n", "\r\n", "\f"].map((white) => plain.replaceAll(" ", white)),
    ];
    for (const text of forms) {
      for (const version of /** @type {[number, number][]} */ ([
        [1, 0],
        [2, 0],
        [3, 0],
      ])) {
        // prettier-ignore
        const read = npy.read(file(text, two, version));
        if (text.includes("L") && version[0] === 3)
          await assert.rejects(read, refusal("NPY_HEADER"));
        else assert.deepEqual((await read).data, two, JSON.stringify(text));
      }
    }
    const scalar = await npy.read(file(header("<f4", "( )"), two.subarray(1)));
    assert.deepEqual([scalar.shape, scalar.data], [[], two.subarray(1)]);
    const none = await npy.read(file(header("<f4", "(0L, 2L)", "True"), two.subarray(2)));
    assert.deepEqual(none.shape, [0, 2]);
  });

  test("it accepts a type without an order, by its letter, and by its name", async () => {
    const known = "f2 e float16|f4 f float32|f8 d float64|i1 b int8|i2 h int16|i4 i int32|i8 q int64|u1 B uint8|u2 H uint16|u4 I uint32|u8 Q uint64|b1 ? bool"; // prettier-ignore
    for (const [code, letter, name] of known.split("|").map((each) => each.split(" "))) {
      const bytes = Uint8Array.of(1, 0, 0, 0, 0, 0, 0, 0).subarray(0, Number(code[1]));
      const wanted = await npy.read(file(header(`<${code}`, "(1,)"), bytes));
      for (const descr of [
        code,
        `|${code}`,
        `=${code}`,
        letter,
        `<${letter}`,
        `|${letter}`,
        name,
      ]) {
        const read = await npy.read(file(header(descr, "(1,)"), bytes));
        assert.deepEqual([read.data, read.dtype], [wanted.data, wanted.dtype], descr);
      }
      const swapped = bytes.toReversed();
      const big = await npy.read(file(header(`>${letter}`, "(1,)"), swapped));
      assert.deepEqual(big.data, wanted.data);
    }
  });

  test("it names a structured dtype, alone and in an .npz, beside which other arrays are read", async () => {
    const fields = [
      "[('a', '<f4'), ('b', '<i4')]",
      "[('a', '<f4', (2,))]",
      "[('a', '|i1'), ('', '|V7'), ('b', '<f8')]",
      "[('a', [('b', '<f4')])]",
      "[(('T', 'a'), '<f4')]",
      "[('\u00e9', '<f4')]",
      "[]",
    ];
    for (const descr of fields) {
      const text = header("", "(2,)").replace("''", descr);
      const expected = {
        code: "NPY_DESCR",
        message: `descr must be one number format, not a structured dtype; got ${JSON.stringify(descr)}`,
      };
      const bytes = file(text, two, [3, 0]);
      await assert.rejects(npy.read(bytes), expected);
      await assert.rejects(npy.stored(bytes), expected);
      if (descr.includes("\u00e9")) continue;
      await assert.rejects(npy.read(file(text, two)), expected);
      const opened = await npz.read(zipSync({ "plain.npy": npy.write(two), "fields.npy": bytes }));
      for (const read of /** @type {const} */ (["tensor", "info", "stored"])) {
        await assert.rejects(opened[read]("fields"), expected);
      }
      assert.deepEqual((await opened.tensor("plain")).data, two);
    }
    const long = `[${"('a', '<f4'), ".repeat(100)}`;
    for (const descr of [`${long}]`, long, "[\x1b[31m"]) {
      await assert.rejects(
        npy.read(file(header("", "(2,)").replace("''", descr), two)),
        (error) => {
          const { code, message } = /** @type {any} */ (error);
          assert.ok(
            code === "NPY_DESCR" && message.length < 300 && !message.includes("\x1b"),
            message,
          );
          return true;
        },
      );
    }
    await assert.rejects(
      npy.read(file(header("<f4,<i4", "(1,)"), two)),
      /one of .*; got "<f4,<i4"$/,
    );
    await assert.rejects(npy.read(file(header("|V8", "(1,)"), two)), /one of .*; got "\|V8"$/);
  });

  test("it rejects other versions", async () => {
    for (const version of /** @type {[number, number][]} */ ([
      [0, 0],
      [1, 1],
      [4, 0],
      [255, 255],
    ])) {
      const bytes = file(header("<f4", "(2,)"), two, version);
      await assert.rejects(npy.read(bytes), refusal("NPY_VERSION"));
    }
  });

  test("it accepts both byte orders of every type, and any for single bytes", async () => {
    const values = [1, 2, 258];
    /** @type {[string, (at: DataView, i: number, x: number, little: boolean) => void, number][]} */
    const types = [
      ["f4", (at, i, x, little) => at.setFloat32(4 * i, x, little), 4],
      ["f8", (at, i, x, little) => at.setFloat64(8 * i, x, little), 8],
      ["i2", (at, i, x, little) => at.setInt16(2 * i, x, little), 2],
      ["u2", (at, i, x, little) => at.setUint16(2 * i, x, little), 2],
      ["i4", (at, i, x, little) => at.setInt32(4 * i, x, little), 4],
      ["i8", (at, i, x, little) => at.setBigInt64(8 * i, BigInt(x), little), 8],
    ];
    for (const [type, set, size] of types) {
      for (const order of "<>=") {
        const data = new DataView(new ArrayBuffer(3 * size));
        values.forEach((x, i) => set(data, i, x, order !== ">"));
        const bytes = file(header(order + type, "(3,)"), data);
        const before = bytes.slice();
        same(Array.from((await npy.read(bytes)).data, Number), values);
        assert.deepEqual(bytes, before, "the source is left alone");
      }
    }
    for (const order of "<>=|") {
      for (const [type, last] of /** @type {const} */ ([
        ["i1", -1],
        ["u1", 255],
        ["b1", 255],
      ])) {
        const bytes = file(header(order + type, "(2,)"), Uint8Array.of(1, 255));
        same((await npy.read(bytes)).data, [1, last]);
      }
    }
    const shorts = file(header("<i2", "(2,)"), Int16Array.of(-32768, 32767));
    same((await npy.read(shorts)).data, [-32768, 32767]);
  });

  test("it copies bits, in either order of the axes: NaN keeps its sign and payload", async () => {
    const singles = Uint32Array.of(0x7fa24000, 0xffc00001, 0x7f800001, 0xff800000, 0x80000000, 1);
    const halves = Uint16Array.of(0x7e01, 0xfd23, 0x7c01, 0xfc00, 0x8000, 1);
    const doubles = BigUint64Array.from(singles, (bits) => (BigInt(bits) << 32n) | 1n);
    for (const [type, bits] of /** @type {const} */ ([
      ["f4", singles],
      ["f2", halves],
      ["f8", doubles],
    ])) {
      const turned = bits.slice();
      for (let i = 0; i < 6; ++i) turned[(i % 2) * 3 + Math.floor(i / 2)] = bits[i];
      for (const order of "<>") {
        const made = (/** @type {typeof bits} */ data, /** @type {string} */ isFortran) => {
          const bytes = new Uint8Array(data.slice().buffer);
          if (order === ">") {
            const size = data.BYTES_PER_ELEMENT;
            for (let at = 0; at < bytes.length; at += size) bytes.subarray(at, at + size).reverse();
          }
          return file(header(order + type, "(2, 3)", isFortran), bytes);
        };
        const files = [made(turned, "False"), made(bits, "True")];
        for (const given of files) {
          const { bytes } = await npy.stored(given);
          assert.deepEqual(bytes, new Uint8Array(turned.buffer));
        }
        const [plain, fortran] = await Promise.all(files.map((given) => npy.read(given)));
        const bitsOf = (/** @type {typeof plain} */ { data }) => new Uint8Array(data.buffer);
        assert.deepEqual(bitsOf(fortran), bitsOf(plain));
        if (type !== "f2") assert.deepEqual(bitsOf(plain), new Uint8Array(turned.buffer));
      }
    }
  });

  test("it transposes column-major order, for any shape", async () => {
    for (const shape of [
      [],
      [0],
      [5],
      [1, 4],
      [4, 1],
      [2, 3],
      [3, 2, 4],
      [2, 1, 3, 2],
      [2, 0, 3],
    ]) {
      const size = shape.reduce((product, n) => product * n, 1);
      const tuple = `(${shape.map((n) => `${n},`).join("")})`;
      const data = Int32Array.from({ length: size }, (_, i) => i);
      const tensor = await npy.read(file(header("<i4", tuple, "True"), data));
      assert.deepEqual(tensor.shape, shape);
      // the element at (i, j, k) must be i + I (j + J k)
      const index = shape.map(() => 0);
      for (let at = 0; at < size; ++at) {
        let rest = at;
        for (let axis = shape.length - 1; axis >= 0; --axis) {
          index[axis] = rest % shape[axis];
          rest = Math.floor(rest / shape[axis]);
        }
        let expected = 0;
        for (let axis = shape.length - 1; axis >= 0; --axis) {
          expected = expected * shape[axis] + index[axis];
        }
        assert.equal(tensor.at(...index), expected);
      }
    }
  });
});

test("npy.read rejects every truncation of a valid file", async () => {
  for (const path of ["formats/f4_3d.npy", "formats/f4_v2.npy"]) {
    const bytes = golden(path);
    for (let length = 0; length < bytes.length; ++length) {
      await assert.rejects(npy.read(bytes.subarray(0, length)), refusal(/^NPY_/));
    }
  }
});

test("npy.read answers every change of a header's byte with FileError or a valid tensor", async () => {
  const bytes = file(header("<f4", "(2, 3)", "True"), Float32Array.of(1, 2, 3, 4, 5, 6));
  let accepted = 0;
  for (let at = 0; at < bytes.length - 24; ++at) {
    for (let change = 1; change < 256; ++change) {
      bytes[at] ^= change;
      try {
        const tensor = await npy.read(bytes);
        assert.ok(tensor.size === 6);
        ++accepted;
      } catch (error) {
        assert.ok(error instanceof FileError, String(error));
      }
      bytes[at] ^= change;
    }
  }
  assert.ok(accepted > 0, "i4 for f4, and another byte order, are fine");
});

test("npy.read verifies a size before it allocates", async () => {
  const vast = header("<f4", "(1099511627776, 1024)");
  const source = noting(file(vast, new Uint8Array(8)));
  await assert.rejects(npy.read(source), refusal("NPY_LENGTH"));
  assert.deepEqual(source.reads.at(-1), [10, 10 + vast.length], "the data is not read");

  const long = file(header("<f4", "(2,)"), new Uint8Array(8), [2, 0]);
  for (const claim of [65_537, 2 ** 31, 2 ** 32 - 1]) {
    new DataView(long.buffer).setUint32(8, claim, true);
    const source = noting(long, 2 ** 40);
    await assert.rejects(npy.read(source), refusal("NPY_HEADER_LENGTH"));
    assert.deepEqual(source.reads, [[0, 12]]);
  }
  const text = header("<f4", "(549755813888,)");
  const lying = noting(file(text), 10 + text.length + 2 ** 41);
  await assert.rejects(npy.read(lying), refusal("FILE_READ"));
});

test("npy.read names an unknown option", async () => {
  const bytes = npy.write([1]);
  await assert.rejects(npy.read(bytes, /** @type {any} */ ({ dtype: "float64" })), RangeError);
  await assert.rejects(npy.read(bytes, /** @type {any} */ ({ mmap: true })), TypeError);
  await assert.rejects(npy.read(/** @type {any} */ ("a.npy")), TypeError);
});

test("npy shows the bytes in place of its magic number, and of a header's length", async () => {
  const letters = 'file must begin with 0x93, NUMPY and a version; got "notnpy"';
  const other = new TextEncoder().encode("notnpyatall");
  await assert.rejects(npy.read(other), { code: "NPY_MAGIC", message: letters });
  const none = "header length must be at most 0 in this file; got 1";
  const length = file("", undefined).with(8, 1);
  await assert.rejects(npy.read(length), { code: "NPY_HEADER_LENGTH", message: none });
  const short = "file must state its header's length; got 9 bytes";
  await assert.rejects(npy.read(length.slice(0, 9)), { code: "NPY_HEADER_LENGTH", message: short });
});

test("npy says what is wrong in the first bytes, with what it has read", async () => {
  const start = file(header("<f4", "(1,)"), new Uint8Array(4));
  const shown = (/** @type {string} */ letters) => header("", "(1,)").replace("''", letters);
  const fields = (/** @type {number} */ length) => `[${"a".repeat(length - 2)}]`;
  const structured = "descr must be one number format, not a structured dtype; got ";
  /** @type {[Uint8Array<ArrayBuffer>, string, string | RegExp][]} */
  const wrong = [
    [start.slice(0, 7), "MAGIC", /; got "\ufffdNUMPY"$/],
    [start.slice(0, 8), "HEADER_LENGTH", "file must state its header's length; got 8 bytes"],
    [file("{'shape': (1,)}\n"), "HEADER", /the key descr before at character 15; got "\\n"$/],
    [
      file("{'descr': 'f4', 'shape': (1,)}"),
      "HEADER",
      /the key fortran_order before at .* its end$/,
    ],
    [file(shown(fields(200))), "DESCR", `${structured}"${fields(200)}"`],
    [file(shown(fields(201))), "DESCR", `${structured}"${fields(201).slice(0, 200)}..."`],
    [file(header("\u00e9", "(1,)"), undefined, [2, 0]), "DESCR", /got "\u00c3\u00a9"$/],
    [file(header("\u00e9", "(1,)"), undefined, [3, 0]), "DESCR", /got "\u00e9"$/],
  ];
  for (const [bytes, code, message] of wrong) {
    await assert.rejects(npy.read(bytes), { code: `NPY_${code}`, message });
  }
});

test("npy.write pads every header by the fewest spaces that align the data to 64 bytes", () => {
  for (let axes = 1; axes <= 64; ++axes) {
    const bytes = npy.write(new Tensor(new Float32Array(1), Array(axes).fill(1)));
    const start = Buffer.from(bytes.subarray(10, -4)).toString("latin1");
    assert.match(start, /^\{[^\n]*\} *\n$/);
    assert.equal((10 + start.length) % 64, 0);
    assert.ok(start.length - start.indexOf("}") - 2 < 64, start);
  }
});

test("npy transposes numbers of every size", async () => {
  for (const [code, bytes] of Object.entries({ i1: 1, u1: 1, b1: 1, u2: 2, u4: 4, i8: 8 })) {
    const order = [0, 2, 1, 3];
    const data = new Uint8Array(4 * bytes);
    order.forEach((value, i) => (data[i * bytes] = value));
    const stored = await npy.stored(file(header(`<${code}`, "(2, 2)", "True"), data));
    same(
      stored.bytes.filter((_, i) => i % bytes === 0),
      [0, 1, 2, 3],
    );
  }
});

test("npy.read rounds 64-bit integers and doubles to float32 once, ties to even, and NaN to one NaN", async () => {
  const half = 2n ** 60n + 2n ** 36n; // between 2^60 and the next float32
  /** @type {[bigint, number][]} */
  const integers = [
    [half - 1n, 2 ** 60],
    [half, 2 ** 60],
    [half + 1n, 2 ** 60 + 2 ** 37],
    [half + 2n ** 37n, 2 ** 60 + 2 ** 38],
    [half + 2n ** 37n - 1n, 2 ** 60 + 2 ** 37],
    [2n ** 53n - 1n, 2 ** 53],
    [2n ** 53n, 2 ** 53],
    [2n ** 53n + 2n ** 29n, 2 ** 53],
    [2n ** 53n + 2n ** 29n + 1n, 2 ** 53 + 2 ** 30],
    [2n ** 24n + 1n, 2 ** 24],
    [2n ** 24n + 3n, 2 ** 24 + 4],
  ];
  const signed = integers.flatMap(([value, float]) => [[value, float], [-value, -float]]); // prettier-ignore
  const data = BigInt64Array.from(signed, ([value]) => BigInt(value));
  const read = await npy.read(npy.write(new Tensor(data, [data.length])), { dtype: "float32" });
  same(read.data, signed.map(([, float]) => Number(float))); // prettier-ignore
  const words = new BigUint64Array([0x7ff0000000000001n, 0xfff8000000000abcn]);
  const nan = new Tensor(new Float64Array(words.buffer), [2]);
  const floats = (await npy.read(npy.write(nan), { dtype: "float32" })).data;
  same(new Uint32Array(floats.buffer), [0x7fc00000, 0x7fc00000]);
});
