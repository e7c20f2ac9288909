import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { npy, safetensors } from "phasor/files";
import { calls, callsOf, functionsOf } from "../../calls.js";
import { floatsTo, narrowing, twice } from "../narrow.js";
import { optionsOf, phasor, Tensor } from "../../phasor.js";

const { attention, dtypes, embedding, normalize, pca, rope, similarity, skipgram, embeddingBag } =
  phasor;

/** Of Node 24 and newer. @type {any} */
const Half = /** @type {any} */ (globalThis).Float16Array;
const hasHalf = { skip: !Half && "no Float16Array here" };

/** @param {readonly number[]} shape */
const sizeOf = (shape) => shape.reduce((product, n) => product * n, 1);

/** An array of the type that a result has by itself, with other numbers. @param {readonly number[]} shape @param {string} dtype */
const arrayOf = (shape, dtype) =>
  new (dtype === "int32" ? Int32Array : Float32Array)(sizeOf(shape)).fill(7);

/** Where results may go. @type {[name: string, dtype: "float32" | "float16" | "bfloat16", place: import("../narrow.js").Place][]} */
const PLACES = [
  ["an array", "float32", arrayOf],
  ["a tensor", "float32", (shape, dtype) => new Tensor(arrayOf(shape, dtype), shape)],
  ["bits of float16", "float16", floatsTo((shape) => bits(shape, "float16"))],
  ["bits of bfloat16", "bfloat16", floatsTo((shape) => bits(shape, "bfloat16"))],
];
if (Half) {
  const half = floatsTo((shape) => new Half(sizeOf(shape)));
  PLACES.push(["a Float16Array", "float16", half]);
  const tensor = floatsTo((shape) => new Tensor(new Half(sizeOf(shape)), shape));
  PLACES.push(["a tensor of a Float16Array", "float16", tensor]);
}

/** @param {readonly number[]} shape @param {"float16" | "bfloat16"} dtype */
const bits = (shape, dtype) =>
  new Tensor(new Uint16Array(sizeOf(shape)).fill(0x7bff), shape, dtype);

/** The bytes of an array. @param {any} array */
const bytesOf = ({ buffer, byteOffset, byteLength }) =>
  new Uint8Array(buffer, byteOffset, byteLength);

/**
 * The law: a result in the caller's array is the one without, each number rounded once where that has 16 bits.
 * @param {any} wide @param {any} narrow @param {any} out @param {"float32" | "float16" | "bfloat16"} dtype
 * @returns {number} how many numbers were compared
 */
function mustBeRounded(wide, narrow, out, dtype) {
  if (!ArrayBuffer.isView(wide?.data)) {
    return Object.entries(out)
      .map(([name, part]) => mustBeRounded(wide[name], narrow[name], part, dtype))
      .reduce((sum, n) => sum + n, 0);
  }
  const isNarrow = dtype !== "float32";
  assert.equal(narrow.dtype, isNarrow ? dtype : wide.dtype);
  assert.deepEqual(narrow.shape, wide.shape);
  assert.equal(narrow.data, ArrayBuffer.isView(out) ? out : out.data);
  const want = isNarrow ? dtypes.encode(wide, dtype).bytes : bytesOf(wide.data);
  assert.deepEqual(bytesOf(narrow.data), want);
  return wide.size;
}

for (const [what, dtype, place] of PLACES) {
  describe(`out: ${what} gets the result, rounded at most once`, () => {
    const left = new Set(
      functionsOf(phasor).filter((name) => {
        const [module, method] = name.split(".");
        const found = /** @type {any} */ (phasor)[module];
        return "out" in optionsOf(method ? found[method] : found);
      }),
    );
    for (const [name, call] of Object.entries(calls)) {
      if (!left.has(name)) continue;
      test(name, async () => {
        let [compared, narrowed] = [0, false];
        const isWanted = (/** @type {string} */ called) => called === name;
        const modules = narrowing(phasor, place, isWanted, (_, { wide, narrow, out }) => {
          left.delete(name);
          if (out === undefined) return;
          narrowed = true;
          compared += mustBeRounded(wide, narrow, out, dtype);
        });
        await call(modules);
        assert.equal(compared > 0, narrowed);
      });
    }
    test("every function with an option out is tested", () => assert.deepEqual([...left], []));

    const rows = [[0.1, 2, -3.3], [1e5, 1e-7, NaN]]; // prettier-ignore
    const table = embedding.from(rows);
    const packed = embedding.quantize(rows.slice(0, 1), { dtype: "int8" });
    const bags = embeddingBag.create(table);
    const model = skipgram.create(5, 3, { seed: 1 });
    const cache = rope.cache(4);
    const found = pca([[0.1, 2], [1, 1.3], [3, 5.1]], { components: 1 }); // prettier-ignore
    const turned = /** @type {const} */ ([[[0.1, 2, 3, 4]], [[5, 6.7, 7, 8]]]);
    /** @type {Record<string, [Function, any[]]>} */
    const methods = {
      "Embedding.lookup": [table.lookup, [[1, 0, 1]]],
      "Embedding.lookup, by a kernel": [table.lookup, [[1, 0, 1], { scale: 0.3 }]],
      "Embedding.oneHot": [table.oneHot, [[1, 0]]],
      "Embedding.logits": [table.logits, [[[0.1, 0.2, 0.3]]]],
      "Embedding.weights": [table.weights, []],
      "QuantizedEmbedding.lookup": [packed.lookup, [[0, 0]]],
      "QuantizedEmbedding.weights": [packed.weights, []],
      "EmbeddingBag.pool": [bags.pool, [[[1, 0]]]],
      "SkipGram.vectors": [model.vectors, []],
      "SkipGram.contexts": [model.contexts, []],
      "RotaryCache.apply": [cache.apply, [...turned, { position: 0 }]],
      "PrincipalComponents.project": [found.project, [[[1, 2.2]]]],
    };
    for (const [name, [method, args]] of Object.entries(methods)) {
      test(name, () => {
        const at = name === "RotaryCache.apply" ? 2 : name.includes(".weights") || name.startsWith("SkipGram") ? 0 : 1; // prettier-ignore
        const { wide, narrow, out } = twice(method, args, at, place);
        assert.ok(mustBeRounded(wide, narrow, out, dtype) > 0);
      });
    }
  });
}

describe("16-bit out", () => {
  test("several results must not share memory, and a call that throws changes nothing", () => {
    const cos = bits([2, 1], "float16");
    const before = cos.data.slice();
    for (const sin of [cos, new Tensor(cos.data, [2, 1], "bfloat16")]) {
      assert.throws(() => rope.table(2, 2, { out: { cos, sin } }), /out.sin must share no memory/);
    }
    const q = [[1, 0], [0, 1]]; // prettier-ignore
    const out = { q: cos, k: cos };
    assert.throws(
      () => rope.apply({ q: [[1, 0]], k: [[1, 0]] }, rope.table(1, 2), { out }),
      /out.k must share no memory with out.q/,
    );
    const both = bits([2, 2], "float16");
    assert.throws(
      () => attention.scaledDotProduct({ q, k: q, v: q }, { out: { output: both, weights: both } }),
      /out.weights must share no memory/,
    );
    assert.deepEqual(cos.data, before);
  });

  test("x may share the memory of out", () => {
    const memory = Float32Array.of(3, 4, 0.1, 0.2);
    const wide = normalize.l2({ data: memory.slice(), shape: [2, 2] });
    const place = new Tensor(new Uint16Array(memory.buffer, 4, 4), [2, 2], "float16");
    const y = normalize.l2(new Tensor(memory, [2, 2]), { out: place });
    assert.deepEqual(bytesOf(y.data), dtypes.encode(wide, "float16").bytes);
  });

  test("an invalid out is rejected, and the message names a Float16Array that the host lacks", () => {
    const lacks = Half ? "" : " \\(which this host lacks\\)";
    const rule = `out must be a Float32Array, a Float16Array${lacks} or a tensor of float32, float16 or bfloat16`;
    for (const [out, got] of /** @type {[any, string][]} */ ([
      [new Uint16Array(2), "Uint16Array of 2"],
      [new Float64Array(2), "Float64Array of 2"],
      [{ data: new Uint16Array(2), shape: [2] }, "an object"],
      [{ data: new Uint16Array(2), dtype: "uint16", shape: [2] }, "an object"],
      [null, "null"],
      ["float16", '"float16"'],
    ])) {
      const refused = new RegExp(`^normalize\\.l2: ${rule}; got ${got}$`);
      assert.throws(() => normalize.l2([3, 4], { out }), { name: "TypeError", message: refused });
    }
    assert.throws(() => normalize.l2([3, 4], { out: bits([3], "float16") }), {
      name: "RangeError",
      message: "normalize.l2: out must hold 2 numbers, shape [2]; got 3",
    });
    assert.throws(
      () => rope.table(2, 2, { out: /** @type {any} */ ({ cos: new Uint16Array(2) }) }),
      {
        message: /^\S+: out.cos must be a Float32Array, a Float16Array/,
      },
    );
  });

  test("int32 results reject a 16-bit out", () => {
    const out = /** @type {any} */ (bits([4], "float16"));
    assert.throws(() => phasor.positionIds.range(4, { out }), /must be an Int32Array or an int32/);
  });
});

/** Every float32 that float16 and bfloat16 may find hard: their numbers, the middles between, and next to both. */
function hardFloats() {
  const words = new Set([0x7f800001, 0x7fc12345, 0x7fffffff, 0x7f7fffff, 0x00000001]);
  for (let i = 0; i < 2 ** 16; ++i) {
    const f16 = new Uint32Array(float32From(i, "float16").buffer)[0];
    for (const word of [f16, f16 + 0x1000, i << 16, (i << 16) | 0x8000]) {
      for (const near of [word - 1, word, word + 1]) words.add(near >>> 0);
    }
  }
  return new Float32Array(Uint32Array.from(words).buffer);
}

/** @param {number} bits @param {"float16" | "bfloat16"} dtype @returns {Float32Array} */
function float32From(bits, dtype) {
  const bytes = new Uint8Array(Uint16Array.of(bits).buffer);
  return dtypes.decode({ bytes, dtype, shape: [1] }).data;
}

describe("Tensor.as", () => {
  const hard = hardFloats();
  const x = new Tensor(hard, [hard.length]);

  test("from float32 rounds like dtypes.encode", () => {
    for (const dtype of /** @type {const} */ (["float16", "bfloat16"])) {
      const y = x.as(dtype);
      assert.equal(y.dtype, dtype);
      assert.deepEqual(Buffer.from(bytesOf(y.data)), Buffer.from(dtypes.encode(x, dtype).bytes));
    }
    assert.equal(x.as("float32"), x);
  });

  test("back to float32 is exact", () => {
    for (const dtype of /** @type {const} */ (["float16", "bfloat16"])) {
      const all = Uint16Array.from({ length: 2 ** 16 }, (_, i) => i);
      const wide = new Tensor(all, [2 ** 16], dtype).as("float32");
      const bytes = new Uint8Array(all.buffer);
      const { data } = dtypes.decode({ bytes, dtype, shape: [2 ** 16] });
      assert.deepEqual(new Uint32Array(wide.data.buffer), new Uint32Array(data.buffer));
    }
  });

  test("float64 is rounded once, not through float32", () => {
    // Above the middle of two float16 by less than float32 resolves.
    const above = 1 + 2 ** -11 + 2 ** -40;
    const doubles = Float64Array.of(above, -above, 1 + 2 ** -11, 2 ** -25 + 2 ** -70, 65520 - 2 ** -30); // prettier-ignore
    const y = new Tensor(doubles, [5]).as("float16").as("float32");
    assert.deepEqual(y.toArray(), [1 + 2 ** -10, -1 - 2 ** -10, 1, 2 ** -24, 65504]);
    // The float32 below the middle, whose last bit is 1, and a little more.
    const below = 1 + 2 ** -11 - 2 ** -23 + 2 ** -40;
    assert.equal(new Tensor(Float64Array.of(below), [1]).as("float16").as("float32").data[0], 1);
    const brain = new Tensor(Float64Array.of(1 + 2 ** -8 + 2 ** -40, 3.4e38, 1e300), [3]);
    assert.deepEqual(brain.as("bfloat16").as("float32").toArray(), [
      1 + 2 ** -7,
      Infinity,
      Infinity,
    ]);
    const wide = new Tensor(Float64Array.of(0.1, NaN), [2]).as("float32");
    assert.deepEqual([...new Uint32Array(wide.data.buffer)], [0x3dcccccd, 0x7fc00000]);
  });

  test("integers become floats", () => {
    const y = new Tensor(Int32Array.of(2049, -3, 70000), [3]).as("float16").as("float32");
    assert.deepEqual(y.toArray(), [2048, -3, Infinity]);
    assert.deepEqual(new Tensor(Uint8Array.of(0, 255), [2]).as("float32").toArray(), [0, 255]);
  });

  test("rejects other dtypes, and int64", () => {
    for (const dtype of /** @type {any[]} */ (["fp16", "F16", "float64", undefined, 16])) {
      assert.throws(
        () => x.as(dtype),
        /^(Type|Range)Error: \S+: dtype must be one of "float32", "float16"/,
      );
    }
    const ids = new Tensor(BigInt64Array.of(1n), [1]);
    assert.throws(
      () => ids.as("float32"),
      /^TypeError: Tensor\.as: tensor must hold numbers; got int64, which holds bigints$/,
    );
  });
});

describe("Float16Array", hasHalf, () => {
  const every = Half && new Half(Uint16Array.from({ length: 2 ** 16 }, (_, i) => i).buffer);

  test("as returns one, where the host has it; bits become one", () => {
    const y = new Tensor(Float32Array.of(1 / 3, 2), [2]).as("float16");
    assert.equal(y.data.constructor, Half);
    assert.equal(y.as("float16"), y);
    const same = new Tensor(Uint16Array.of(0x3c00, 0x7d01), [2], "float16").as("float16");
    assert.deepEqual([...bytesOf(same.data)], [0x00, 0x3c, 0x01, 0x7d]);
  });

  test("a Tensor keeps it as float16, and prints its numbers", () => {
    const x = new Tensor(Half.of(0.5, 2), [2]);
    assert.equal(x.dtype, "float16");
    assert.deepEqual([x.at(0), x.toArray(), String(x)], [0.5, [0.5, 2], "[0.5 2. ]"]);
    assert.deepEqual(x.row(1).toArray(), 2);
    assert.throws(() => new Tensor(Half.of(1), [1], /** @type {any} */ ("bfloat16")), TypeError);
  });

  test("is read exactly, NaN with its payload", () => {
    const wide = dtypes.decode({
      bytes: bytesOf(every),
      dtype: "float16",
      shape: [2 ** 16],
    });
    const copy = rope.convert(
      { data: every, shape: [1, 2 ** 16] },
      { from: "halves", to: "halves" },
    );
    assert.deepEqual(new Uint32Array(copy.data.buffer), new Uint32Array(wide.data.buffer));
    assert.equal(similarity.pair(Half.of(1, 2), [3, 4], { metric: "dot" }), 11);
  });

  test("x itself may be out", () => {
    const x = Half.of(3, 4);
    assert.equal(normalize.l2(x, { out: x }).data, x);
    assert.deepEqual(x, Half.of(0.6, 0.8));
  });

  test("files store it as float16", async () => {
    const x = new Tensor(Half.of(0.5, 2), [2]);
    const bytes = npy.write(x);
    assert.match(Buffer.from(bytes).toString("latin1"), /'descr': '<f2'/);
    assert.deepEqual((await npy.read(bytes)).toArray(), [0.5, 2]);
    const file = await safetensors.read(new Blob([safetensors.write({ x })]));
    assert.equal(file.info("x").dtype, "float16");
  });
});

describe("bits of 16-bit floats without a dtype", () => {
  /** What tests/calls.js computes of arrays whose data are counted. */
  let reads = 0;
  /** @param {...number} shape */
  const undeclared = (...shape) => {
    const data = new Uint16Array(shape.reduce((product, size) => product * size, 1)).fill(0x3c00);
    return /** @type {any} */ ({
      shape,
      get data() {
        ++reads;
        return data;
      },
    });
  };
  const all = Object.entries(callsOf(undeclared));
  const positions = new Set(["axialRope.at"]); // which are whole in most calls, as ids are
  let refused = 0;
  for (const [name, call] of all) {
    test(`${name} reads none as numbers`, async () => {
      reads = 0;
      /** @type {any} */
      let error;
      try {
        await call(phasor);
      } catch (thrown) {
        error = thrown;
      }
      if (reads === 0 || positions.has(name)) return;
      ++refused;
      assert.equal(error?.name, "TypeError", `${name} took them: ${error}`);
      assert.match(error.message, /must hold .+ of a known dtype; got Uint16Array of \d+ \(new Tensor\(data, shape, "float16"\)\.as\("float32"\)/); // prettier-ignore
    });
  }
  test("frequencies and factors neither, nor rows in a list", () => {
    const data = Uint16Array.of(0x3c00, 0x3c00);
    const factors = { shortFactor: data, longFactor: [1, 1], originalLength: 8, factor: 2 };
    for (const call of [
      () => rope.table(2, 4, { frequencies: data }),
      () => rope.table(2, 4, { length: 2, scaling: { type: "longrope", ...factors } }),
      () => phasor.mrope.table([[0], [0]], 4, { sections: [1, 1], frequencies: data }),
      () => normalize.l2([data, data]),
    ]) {
      assert.throws(call, /^TypeError: .+ must hold numbers of a known dtype; got Uint16Array of /);
    }
  });

  test("ids and positions may have 16 bits, and numbers that say so", () => {
    const ids = Uint16Array.of(1, 0);
    const table = embedding.from([[1, 2], [3, 4]]); // prettier-ignore
    assert.deepEqual(table.lookup(ids), table.lookup([1, 0]));
    assert.deepEqual(rope.table(ids, 4), rope.table([1, 0], 4));
    const x = { data: Uint16Array.of(3, 4), shape: [2], dtype: "uint16" };
    assert.deepEqual(normalize.l2(x), normalize.l2([3, 4]));
  });

  test("most functions take floats", () => assert.ok(refused > 40, `${refused}`));
});
