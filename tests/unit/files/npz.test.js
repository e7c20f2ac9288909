import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { crc32 } from "node:zlib";
import { cases } from "../../truth/golden.js";
import { Tensor, npy, npz } from "./entry.js";
import {
  asFloats,
  flips,
  golden,
  noting,
  refusal,
  same,
  survives,
  truncations,
  tensorOf,
} from "./samples.js";

/** NumPy's type codes. @type {Record<string, string>} */
const DTYPES = {
  f2: "float16",
  f4: "float32",
  f8: "float64",
  i1: "int8",
  i2: "int16",
  i4: "int32",
  i8: "int64",
  u1: "uint8",
  u2: "uint16",
  b1: "bool",
};

/** @typedef {import("../../../src/runtime/tensor.js").TensorInput} TensorInput */

/** @param {Uint8Array} bytes @param {number} at @param {number} number @param {2 | 4} [size] */
function put(bytes, at, number, size = 2) {
  const view = new DataView(bytes.buffer);
  if (size === 2) view.setUint16(at, number, true);
  else view.setUint32(at, number, true);
}

/**
 * Where the records of an archive begin: of each member its own header and its line in the directory,
 * and the end.
 * @param {Uint8Array} bytes
 */
function places(bytes) {
  const find = (/** @type {number[]} */ ...signature) =>
    [...bytes.keys()].filter((at) => signature.every((byte, i) => bytes[at + i] === byte));
  const [end] = find(0x50, 0x4b, 5, 6);
  return { locals: find(0x50, 0x4b, 3, 4), lines: find(0x50, 0x4b, 1, 2), end };
}

/** Every array of a file. @param {Uint8Array<ArrayBuffer>} bytes */
async function readAll(bytes) {
  const opened = await npz.read(bytes);
  for (const name of opened.names) {
    const { shape } = await opened.info(name);
    assert.deepEqual((await opened.tensor(name)).shape, shape);
  }
}

describe("npz against NumPy", () => {
  for (const { id, params, outputs } of cases("npz_read", 4)) {
    test(`read equals ${id}`, async () => {
      const bytes = golden(params.path);
      for (const source of [bytes, bytes.buffer, new Blob([bytes]), noting(bytes)]) {
        const opened = await npz.read(source);
        assert.deepEqual(opened.names, Object.keys(params.members));
        for (const name of opened.names) {
          const { descr, shape } = params.members[name];
          const info = await opened.info(name);
          assert.deepEqual(
            [info.name, info.dtype, info.shape],
            [name, DTYPES[descr.slice(1)], shape],
          );
          const tensor = await opened.tensor(name);
          assert.ok(tensor instanceof Tensor);
          assert.deepEqual(tensor.shape, shape);
          same(asFloats(tensor.data), outputs[`expected/${name}`].data);
          const stored = await opened.stored(name);
          assert.deepEqual([stored.dtype, stored.bytes.length], [info.dtype, info.byteLength]);
        }
      }
    });
  }

  for (const { params } of cases("reject", 10, ({ format }) => format === "npz")) {
    test(`read or tensor rejects ${params.path}: ${params.reason}`, async () => {
      const bytes = golden(params.path);
      await assert.rejects(readAll(bytes), refusal(/^NP[ZY]_/));
    });
  }
});

describe("npz.write", () => {
  /** @type {Record<string, TensorInput>} */
  const tensors = {
    wte: new Tensor(Float32Array.of(1.5, -2, 3, 4, 5, 6), [2, 3]),
    "layer/0/pos": new Tensor(BigInt64Array.of(2n ** 60n), []),
    Größe: new Tensor(Float64Array.of(0.1, -0), [2]),
    half: new Tensor(Uint16Array.of(0x3800, 0x7bff), [2], "float16"),
    empty: new Tensor(new Int32Array(0), [0, 3]),
    codes: new Tensor(Int8Array.of(-128, 127), [1, 2]),
    bytes: new Tensor(Uint8Array.of(0, 255), [2]),
  };

  for (const compress of [false, true]) {
    test(`writes what read restores, ${compress ? "deflated" : "stored"}`, async () => {
      const bytes = await npz.write(new Map(Object.entries(tensors)), { compress });
      const opened = await npz.read(bytes);
      assert.deepEqual(opened.names, Object.keys(tensors));
      for (const [name, tensor] of Object.entries(tensors)) {
        assert.deepEqual(tensorOf(await opened.stored(name)), tensor);
      }
      const again = await npz.write(tensors, { compress });
      assert.deepEqual(
        again,
        bytes,
        "an object is as good as a Map, and nothing depends on the time",
      );
    });
  }

  test("stores each array as npy.write does, in the archive that Python's zipfile writes", async () => {
    const a = npy.write([[1, 2]]);
    const shared = [
      Buffer.from([20, 0, 0, 0, 0, 0, 0, 0, 33, 0]), // of 1980-01-01
      Buffer.from(Uint32Array.of(crc32(a), a.length, a.length).buffer),
      Buffer.from([5, 0, 0, 0]),
    ];
    const local = Buffer.concat([Buffer.from("PK\x03\x04"), ...shared, Buffer.from("a.npy"), a]);
    const expected = Buffer.concat([
      local,
      Buffer.from("PK\x01\x02\x14\x03"), // by Unix
      ...shared,
      Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 0x80, 1, 0, 0, 0, 0]), // no comment, disk 0, bytes, mode 600, at 0
      Buffer.from("a.npy"),
      Buffer.from("PK\x05\x06\0\0\0\0\x01\0\x01\0"),
      Buffer.from(Uint32Array.of(51, local.length).buffer),
      Buffer.from([0, 0]),
    ]);
    assert.deepEqual(Buffer.from(await npz.write({ a: [[1, 2]] })), expected);
  });

  test("compresses repetitive data", async () => {
    const zeros = { zeros: new Float32Array(100_000) };
    const packed = await npz.write(zeros, { compress: true });
    assert.ok(packed.length < 1000, `${packed.length} bytes`);
    same((await (await npz.read(packed)).tensor("zeros")).data, zeros.zeros);
  });

  test("writes zero arrays, and many", async () => {
    assert.deepEqual((await npz.read(await npz.write({}))).names, []);
    const many = Object.fromEntries(Array.from({ length: 4096 }, (_, i) => [`a${i}`, [i]]));
    const opened = await npz.read(await npz.write(many));
    assert.equal((await opened.tensor("a4095")).at(0), 4095);
    await assert.rejects(npz.write({ ...many, more: [1] }), /at most 4096; got 4097$/);
  });

  /** @type {[any, any, any, RegExp][]} */
  const refused = [
    [
      { "../a": [1] },
      {},
      RangeError,
      /^npz\.write: tensors must have names that are relative paths; got "\.\.\/a"$/,
    ],
    [{ "/a": [1] }, {}, RangeError, /names that are relative paths/],
    [{ "a\\b": [1] }, {}, RangeError, /names that are relative paths/],
    [{ "a\0": [1] }, {}, RangeError, /names that are relative paths/],
    [{ "": [1] }, {}, RangeError, /names that are relative paths/],
    [{ ["a".repeat(65532)]: [1] }, {}, RangeError, /names of at most 65,531 bytes; got 65532$/],
    [{ "\ud83d": [1] }, {}, RangeError, /names without unpaired surrogates/],
    [
      new Map([[1, [1]]]),
      {},
      TypeError,
      /^npz\.write: tensors must have strings for names; got 1$/,
    ],
    [
      [[1]],
      {},
      TypeError,
      /^npz\.write: tensors must be an object or a Map, by name; got an array of 1$/,
    ],
    [{ a: "1" }, {}, TypeError, /^npz\.write: tensor "a" must be a tensor/],
    [{ a: [[1], [2, 3]] }, {}, RangeError, /^npz\.write: tensor "a" must not be ragged/],
    [
      { a: new Tensor(new Uint16Array(1), [1], "bfloat16") },
      {},
      RangeError,
      /^npz\.write: tensor "a" must have a dtype of NumPy; got bfloat16$/,
    ],
    [{}, { compress: 1 }, TypeError, /^npz\.write: compress must be true or false; got 1$/],
    [{}, { level: 9 }, TypeError, /^npz\.write: options must have only compress; got "level"/],
  ];
  for (const [given, options, kind, message] of refused) {
    test(`throws ${message.source}`, async () => {
      await assert.rejects(npz.write(given, options), (/** @type {any} */ error) => {
        assert.ok(error instanceof kind, String(error));
        assert.match(error.message, message);
        return true;
      });
    });
  }
});

describe("npz.read accepts only a directory that is consistent with the file", async () => {
  const two = await npz.write({ a: [1, 2, 3], b: new Float32Array(1000) }, { compress: true });
  const { lines, locals, end } = places(two);
  assert.deepEqual([lines.length, locals.length], [2, 2]);

  /** @type {[string, (bytes: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer> | void, string][]} */
  const refused = [
    ["bytes behind the end", (bytes) => Uint8Array.of(...bytes, 0), "END"],
    ["bytes before the beginning", (bytes) => Uint8Array.of(0, ...bytes), "DIRECTORY"],
    ["several disks", (bytes) => put(bytes, end + 4, 1), "END"],
    ["members on another disk", (bytes) => put(bytes, end + 8, 1), "END"],
    [
      "more members than there are",
      (bytes) => (put(bytes, end + 8, 3), put(bytes, end + 10, 3)),
      "DIRECTORY",
    ],
    [
      "fewer members than there are",
      (bytes) => (put(bytes, end + 8, 1), put(bytes, end + 10, 1)),
      "DIRECTORY",
    ],
    ["4097 members", (bytes) => (put(bytes, end + 8, 4097), put(bytes, end + 10, 4097)), "COUNT"],
    ["a member on another disk", (bytes) => put(bytes, lines[1] + 34, 1), "DIRECTORY"],
    ["a member on zip64's disk", (bytes) => put(bytes, lines[0] + 34, 0xffff), "DIRECTORY"],
    ["zip64's number of members", (bytes) => put(bytes, end + 10, 0xffff), "ZIP64"],
    ["zip64's sizes", (bytes) => put(bytes, lines[0] + 20, 0xffffffff, 4), "ZIP64"],
    ["zip64's place", (bytes) => put(bytes, lines[0] + 42, 0xffffffff, 4), "ZIP64"],
    ["an encrypted member", (bytes) => put(bytes, lines[0] + 8, 1), "ENCRYPTED"],
    ["a strongly encrypted member", (bytes) => put(bytes, lines[0] + 8, 0x40), "ENCRYPTED"],
    ["an encrypted directory", (bytes) => put(bytes, lines[1] + 8, 0x2000), "ENCRYPTED"],
    ["a patch", (bytes) => put(bytes, lines[0] + 8, 0x20), "METHOD"],
    ["bzip2", (bytes) => put(bytes, lines[0] + 10, 12), "METHOD"],
    ["a ratio beyond deflate's", (bytes) => put(bytes, lines[1] + 24, 10_000_000, 4), "RATIO"],
    ["stored bytes of two lengths", (bytes) => put(bytes, lines[1] + 10, 0), "RATIO"],
    [
      "stored bytes of a smaller length",
      (bytes) => (put(bytes, lines[1] + 10, 0), put(bytes, lines[1] + 24, 1)),
      "RATIO",
    ],
    ["a member upon another", (bytes) => put(bytes, lines[1] + 42, 10, 4), "OVERLAP"],
    ["a member upon the directory", (bytes) => put(bytes, lines[1] + 42, lines[0], 4), "OVERLAP"],
    ["two members at one place", (bytes) => put(bytes, lines[1] + 42, 0, 4), "OVERLAP"],
    ["a name twice", (bytes) => void bytes.set([0x61], lines[1] + 46), "DUPLICATE"],
    ["a name from the root", (bytes) => void bytes.set([0x2f], lines[0] + 46), "NAME"],
    ["a name with a backslash", (bytes) => void bytes.set([0x5c], lines[0] + 46), "NAME"],
    ["a name with a zero", (bytes) => void bytes.set([0], lines[0] + 46), "NAME"],
    ["a name that is not UTF-8", (bytes) => void bytes.set([0xff], lines[0] + 46), "NAME"],
    ["a name of another code page", (bytes) => void bytes.set([0xc3, 0xa9], lines[0] + 46), "NAME"],
    [
      "a name that leads upwards",
      (bytes) => void bytes.set([...Buffer.from("../a.")], lines[0] + 46),
      "NAME",
    ],
  ];
  for (const [what, change, code] of refused) {
    test(`it rejects ${what}`, async () => {
      const bytes = two.slice();
      const changed = change(bytes) ?? bytes;
      await assert.rejects(npz.read(changed), refusal(`NPZ_${code}`));
    });
  }

  /** @type {[string, (bytes: Uint8Array<ArrayBuffer>) => void, string | RegExp][]} */
  const later = [
    [
      "another name in its own header",
      (bytes) => void bytes.set([0x7a], locals[1] + 30),
      "NPZ_LOCAL",
    ],
    ["another method in its own header", (bytes) => put(bytes, locals[1] + 8, 0), "NPZ_LOCAL"],
    ["a password in its own header", (bytes) => put(bytes, locals[1] + 6, 1), "NPZ_ENCRYPTED"],
    ["a patch in its own header", (bytes) => put(bytes, locals[1] + 6, 0x20), "NPZ_METHOD"],
    ["another size in its own header", (bytes) => put(bytes, locals[1] + 22, 9, 4), "NPZ_LOCAL"],
    ["an extra field without an end", (bytes) => put(bytes, locals[1] + 28, 0xffff), "NPZ_OVERLAP"],
    [
      "another CRC-32",
      (bytes) => (put(bytes, lines[1] + 16, 9, 4), put(bytes, locals[1] + 14, 9, 4)),
      "NPZ_CRC",
    ],
    [
      "a smaller size",
      (bytes) => (put(bytes, lines[1] + 24, 500, 4), put(bytes, locals[1] + 22, 500, 4)),
      /^NP[ZY]_LENGTH$/,
    ],
    [
      "a larger size",
      (bytes) => (put(bytes, lines[1] + 24, 9999, 4), put(bytes, locals[1] + 22, 9999, 4)),
      /^NP[ZY]_LENGTH$/,
    ],
    [
      "a type of block that deflate lacks",
      (bytes) => void bytes.set([7], locals[1] + 35),
      "NPZ_DEFLATE",
    ],
  ];
  for (const [what, change, code] of later) {
    test(`tensor rejects ${what}, and the array next to it can be read`, async () => {
      const bytes = two.slice();
      change(bytes);
      const opened = await npz.read(bytes);
      await assert.rejects(opened.tensor("b"), refusal(code));
      same((await opened.tensor("a")).data, [1, 2, 3]);
    });
  }

  test("tensor names both checksums, with all their digits", async () => {
    const bytes = two.slice();
    for (const at of [lines[1] + 16, locals[1] + 14]) put(bytes, at, 0x9ab, 4);
    const opened = await npz.read(bytes);
    const found = crc32(npy.write(await (await npz.read(two)).tensor("b")));
    const message = `CRC-32 of "b.npy" must be 0x000009ab; got 0x${found.toString(16).padStart(8, "0")}`;
    await assert.rejects(opened.tensor("b"), { code: "NPZ_CRC", message });
  });

  test("it accepts a comment at the end, and sizes behind the bytes", async () => {
    const bytes = Uint8Array.of(...two, ...Buffer.from("PK\x05\x06 and more"));
    put(bytes, end + 20, 13);
    put(bytes, locals[0] + 6, 8); // the header announces that the sizes come later
    for (const at of [14, 18, 22]) put(bytes, locals[0] + at, 0, 4);
    put(bytes, lines[0] + 8, 8);
    same((await (await npz.read(bytes)).tensor("a")).data, [1, 2, 3]);
  });

  test("it skips members that are not arrays", async () => {
    const bytes = two.slice();
    for (const at of [lines[0] + 46, locals[0] + 30]) bytes.set(Buffer.from("a.txt"), at);
    const opened = await npz.read(bytes);
    assert.deepEqual(opened.names, ["b"]);
  });

  test("it accepts what NumPy writes today: sizes in zip64's extra field of a member's local header", async () => {
    // numpy.savez of NumPy 2.4.6 on Python 3.11: version 4.5, 0xffffffff twice, and 20 bytes more
    const a = npy.write([
      [0, 1, 2],
      [3, 4, 5],
    ]);
    const word = (/** @type {number[]} */ ...numbers) =>
      Buffer.from(Uint32Array.from(numbers).buffer);
    const crc = crc32(a);
    assert.equal(crc, 704702799, "as NumPy's file says");
    const size = a.length;
    const local = Buffer.concat([
      Buffer.from([0x50, 0x4b, 3, 4, 45, 0, 0, 0, 0, 0, 0, 0, 33, 0]),
      ...[word(crc, 0xffffffff, 0xffffffff), Buffer.from([5, 0, 20, 0]), Buffer.from("a.npy")],
      ...[Buffer.from([1, 0, 16, 0]), word(size, 0, size, 0), a],
    ]);
    const line = Buffer.concat([
      Buffer.from([0x50, 0x4b, 1, 2, 45, 3, 45, 0, 0, 0, 0, 0, 0, 0, 33, 0]),
      ...[word(crc, size, size), Buffer.from([5, 0, 0, 0, 0, 0, 0, 0, 0, 0]), word(0x01800000, 0)],
      Buffer.from("a.npy"),
    ]);
    const tail = Buffer.concat([
      Buffer.from([0x50, 0x4b, 5, 6, 0, 0, 0, 0, 1, 0, 1, 0]),
      ...[word(line.length, local.length), Buffer.from([0, 0])],
    ]);
    assert.equal(tail.toString("hex"), "504b0506000000000100010033000000cf0000000000");
    const opened = await npz.read(Buffer.concat([local, line, tail]));
    assert.deepEqual((await opened.tensor("a")).toArray(), [
      [0, 1, 2],
      [3, 4, 5],
    ]);
  });
});

describe("npz and its source", () => {
  test("read requests only the end of the file, tensor and info only their own bytes", async () => {
    const noise = Float32Array.from({ length: 100_000 }, (_, i) =>
      Math.fround(((i * 7919) % 65_521) / 3),
    );
    const bytes = await npz.write({ a: noise, b: [1, 2, 3], c: noise });
    const source = noting(bytes);
    const opened = await npz.read(source);
    assert.deepEqual(source.reads, [[bytes.length - 65_557, bytes.length]]);
    const second = places(bytes).locals[1];
    await opened.tensor("b");
    await opened.info("b");
    for (const [begin, end] of source.reads.slice(1)) {
      assert.ok(begin >= second && end <= second + 35 + npy.write([1, 2, 3]).length);
    }
    source.reads.length = 0;
    assert.equal((await opened.info("c")).byteLength, 400_000);
    const read = source.reads.reduce((sum, [begin, end]) => sum + end - begin, 0);
    assert.ok(read < 70_000, `${read} bytes for a header`);
  });

  test("info reads the beginning of a deflated array, however long it is", async () => {
    const noise = Float32Array.from({ length: 400_000 }, (_, i) =>
      Math.fround(((i * 7919) % 65_521) / 3),
    );
    const source = noting(await npz.write({ a: noise }, { compress: true }));
    const opened = await npz.read(source);
    source.reads.length = 0;
    assert.deepEqual(await opened.info("a"), {
      name: "a",
      dtype: "float32",
      shape: [400_000],
      byteLength: 1_600_000,
    });
    const read = source.reads.reduce((sum, [begin, end]) => sum + end - begin, 0);
    assert.ok(read < 400_000, `${read} of ${source.size} bytes for a header`);
  });

  test("an error of the source is passed on unchanged", async () => {
    for (const compress of [false, true]) {
      const bytes = await npz.write({ a: new Float32Array(100) }, { compress });
      const { lines } = places(bytes);
      const abort = new DOMException("stop", "AbortError");
      const source = noting(bytes);
      const { slice } = source;
      source.slice = (begin, end) => {
        const isData = begin >= 35 && begin < lines[0];
        return isData
          ? /** @type {any} */ ({ arrayBuffer: () => Promise.reject(abort) })
          : slice(begin, end);
      };
      const opened = await npz.read(source);
      await assert.rejects(opened.tensor("a"), abort);
      await assert.rejects(opened.info("a"), abort);
    }
  });

  test("reading can be aborted, and reports its progress", async () => {
    const bytes = await npz.write({ a: new Float32Array(100) });
    const opened = await npz.read(bytes);
    /** @type {[number, number][]} */
    const seen = [];
    await opened.tensor("a", { progress: (done, total) => void seen.push([done, total]) });
    assert.deepEqual(seen, [[528, 528]]);
    const signal = AbortSignal.abort(new Error("enough"));
    await assert.rejects(opened.tensor("a", { signal }), /^Error: enough$/);
    await assert.rejects(npz.read(bytes, { signal }), /^Error: enough$/);
  });

  test("unknown names of arrays are rejected", async () => {
    const opened = await npz.read(await npz.write({ a: [1] }));
    await assert.rejects(
      opened.tensor("b"),
      /^RangeError: \S+: name must be one of the file's 1 \("a"\); got "b"$/,
    );
    await assert.rejects(opened.info("__proto__"), RangeError);
    await assert.rejects(opened.tensor("a", /** @type {any} */ ({ mmap: 1 })), TypeError);
  });
});

describe("a compressed array", async () => {
  const zeros = new Float32Array(17 * 2 ** 20); // 68 MiB
  const bytes = await npz.write({ zeros, few: new Float32Array(1000) }, { compress: true });

  test("is at most 64 MiB, or 32 times its size in the file, unless maxBytes says more", async () => {
    assert.ok(bytes.length < zeros.byteLength / 1000);
    const opened = await npz.read(bytes);
    await assert.rejects(opened.tensor("zeros"), refusal("NPZ_SIZE"));
    await assert.rejects(opened.stored("zeros"), refusal("NPZ_SIZE"));
    assert.equal((await opened.info("zeros")).byteLength, zeros.byteLength);
    assert.equal((await opened.tensor("few")).size, 1000);
    const { size } = await (await npz.read(bytes, { maxBytes: 2 ** 27 })).tensor("zeros");
    assert.equal(size, zeros.length);
  });

  test("is at most maxBytes, including its header", async () => {
    const size = 128 + 4000;
    const read = async (/** @type {number} */ maxBytes) =>
      (await npz.read(bytes, { maxBytes })).tensor("few");
    assert.equal((await read(size)).size, 1000);
    await assert.rejects(read(size - 1), refusal("NPZ_SIZE"));
    await assert.rejects(read(0), refusal("NPZ_SIZE"));
    for (const wrong of [-1, 0.5, Infinity]) await assert.rejects(read(wrong), RangeError);
    await assert.rejects(read(/** @type {any} */ ("1")), TypeError);
  });
});

test("npz answers every truncation and every changed byte with FileError or valid arrays", async () => {
  const tensors = { a: [1, 2], b: new Tensor(Int8Array.of(1, 2, 3), [3]) };
  for (const compress of [false, true]) {
    const bytes = await npz.write(tensors, { compress });
    assert.equal((await survives(truncations(bytes), readAll)).accepted, 0);
    const { accepted, refused } = await survives(flips(bytes), readAll);
    assert.ok(refused > 300 && accepted > 0, "dates and versions are not looked at");
  }
});

describe("npz.read refuses bytes behind a deflate stream", () => {
  /**
   * The archive with bytes between the stream of its last member and the directory, which counts them.
   * @param {Uint8Array<ArrayBuffer>} bytes @param {readonly number[]} more
   */
  function padded(bytes, more) {
    const { lines, locals, end } = places(bytes);
    const parts = [bytes.subarray(0, lines[0]), Buffer.from(more), bytes.subarray(lines[0])];
    const longer = Uint8Array.from(Buffer.concat(parts));
    const last = lines.length - 1;
    for (const at of [lines[last] + more.length + 20, locals[last] + 18]) {
      put(longer, at, new DataView(longer.buffer).getUint32(at, true) + more.length, 4);
    }
    put(longer, end + more.length + 16, lines[0] + more.length, 4);
    return longer;
  }

  /** Bytes that deflate cannot shorten. @param {number} length */
  function random(length) {
    let state = 1;
    return Uint8Array.from({ length }, () => (state = Math.imul(state, 0x915f77f5) + 1) >>> 24);
  }

  /** The compressed bytes of the last member. @param {Uint8Array<ArrayBuffer>} bytes */
  const packedOf = (bytes) =>
    new DataView(bytes.buffer).getUint32(places(bytes).lines[0] + 20, true);

  for (const [what, length] of /** @type {const} */ ([
    ["one piece", 100],
    ["two pieces", 100_000],
  ])) {
    for (const more of [[0], [1], Array.from({ length: 70_000 }, () => 0xa5)]) {
      test(`${more.length} of ${more[0]} behind ${what}`, async () => {
        const bytes = padded(await npz.write({ a: random(length) }, { compress: true }), more);
        const opened = await npz.read(bytes);
        await assert.rejects(opened.tensor("a"), refusal("NPZ_DEFLATE"));
      });
    }
  }

  test("one byte behind a stream that ends with a piece", async () => {
    // The start of a member is read alone: the stream's end and the file's are in one piece there, or in two.
    let length = 65_000;
    let bytes = await npz.write({ a: random(length) }, { compress: true });
    for (let i = 0; i < 20 && packedOf(bytes) !== 65_536; ++i) {
      length += 65_536 - packedOf(bytes);
      bytes = await npz.write({ a: random(length) }, { compress: true });
    }
    assert.equal(packedOf(bytes), 65_536);
    same((await (await npz.read(bytes)).tensor("a")).data, random(length));
    const opened = await npz.read(padded(bytes, [0]));
    await assert.rejects(opened.tensor("a"), refusal("NPZ_DEFLATE"));
  });

  test("and an array whose whole stream is read for its header", async () => {
    const bytes = padded(await npz.write({ a: [] }, { compress: true }), [1, 2, 3]);
    const opened = await npz.read(bytes);
    await assert.rejects(opened.tensor("a"), refusal("NPZ_DEFLATE"));
  });
});
