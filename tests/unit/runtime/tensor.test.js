import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { inspect } from "node:util";
import { runInNewContext } from "node:vm";
import { FORM } from "../battery.js";
import { phasor, Tensor } from "../../phasor.js";

const { embedding, nearest, normalize, pca, procrustes, rope, similarity, sinusoidal, statistics } =
  phasor;

/** A call that was rejected with a message that names the argument. @param {string} name */
const refused = (name) => (/** @type {Error} */ error) => {
  assert.ok(error instanceof TypeError || error instanceof RangeError, String(error));
  const { subject } = FORM.exec(error.message)?.groups ?? {};
  assert.ok(subject?.startsWith(name), error.message);
  return true;
};

const x = () => new Tensor(Float32Array.of(1, 2, 3, 4, 5, 6), [2, 3]);

describe("Tensor", () => {
  test("Tensor keeps its own shape, whatever shape the previous one had", () => {
    const data = Float32Array.of(1, 2, 3, 4, 5, 6);
    const given = [2, 3];
    const first = new Tensor(data, given);
    given[0] = 3;
    given[1] = 2;
    const second = new Tensor(data, given);
    const third = new Tensor(data, [6, 1]);
    assert.deepEqual(first.shape, [2, 3]);
    assert.deepEqual(second.shape, [3, 2]);
    assert.deepEqual(third.shape, [6, 1]);
    const zero = new Tensor(new Float32Array(0), [-0, 5]).shape[0];
    assert.ok(Object.is(zero, 0));
    assert.ok(Object.isFrozen(third.shape) && Object.isFrozen(new Tensor(data, [6, 1]).shape));
    for (const shape of [[6, 1, 2], [5, 1], "6,1", { 0: 6, 1: 1, length: 2 }]) {
      assert.throws(() => new Tensor(data, /** @type {any} */ (shape)), refused("shape"));
    }
  });

  test("Tensor keeps data, shape and dtype, and computes rank and size", () => {
    const data = Float32Array.of(1, 2, 3, 4, 5, 6);
    const tensor = new Tensor(data, [2, 3]);
    assert.equal(tensor.data, data);
    assert.deepEqual(tensor.shape, [2, 3]);
    assert.equal(tensor.dtype, "float32");
    assert.equal(tensor.rank, 2);
    assert.equal(tensor.size, 6);
    for (const [array, dtype] of /** @type {const} */ ([
      [new Float64Array(1), "float64"],
      [new Int32Array(1), "int32"],
      [new Uint8Array(1), "uint8"],
      [new Int8Array(1), "int8"],
      [new BigInt64Array(1), "int64"],
    ])) {
      assert.equal(new Tensor(array, [1]).dtype, dtype);
      assert.equal(new Tensor(array, [1], dtype).dtype, dtype);
    }
    for (const dtype of /** @type {const} */ (["float16", "bfloat16"])) {
      assert.equal(new Tensor(new Uint16Array(1), [1], dtype).dtype, dtype);
    }
  });

  test("Tensor of one number without axes has a frozen shape, too", () => {
    const { shape } = new Tensor(Float32Array.of(7), []);
    assert.throws(() => /** @type {number[]} */ (shape).push(3), TypeError);
    assert.deepEqual(new Tensor(Float32Array.of(8), []).shape, []);
  });

  test("Tensor is frozen, and so is its shape, which is a copy", () => {
    const shape = [2, 3];
    const tensor = new Tensor(new Float32Array(6), shape);
    shape[0] = 9;
    assert.deepEqual(tensor.shape, [2, 3]);
    assert.ok(Object.isFrozen(tensor) && Object.isFrozen(tensor.shape));
    for (const name of ["data", "shape", "dtype", "more"]) {
      assert.throws(() => Object.assign(tensor, { [name]: 1 }), TypeError);
    }
    assert.throws(() => /** @type {number[]} */ (tensor.shape).push(1), TypeError);
    assert.ok(Object.isFrozen(sinusoidal.table(2, 4)));
  });

  test("Tensor rejects data and shapes that do not fit together", () => {
    /** @type {[string, any, any, any?][]} */
    const bad = [
      ["data", undefined, [2]],
      ["data", null, [2]],
      ["data", [1, 2], [2]],
      ["data", "12", [2]],
      ["data", new DataView(new ArrayBuffer(8)), [2]],
      ["data", new ArrayBuffer(8), [2]],
      ["data", new Uint32Array(2), [2]],
      ["data", new Float32Array(2), [2], "float64"],
      ["data", new Float32Array(2), [2], "float16"],
      ["dtype", new Uint16Array(2), [2]],
      ["dtype", new Float32Array(2), [2], "float"],
      ["dtype", new Float32Array(2), [2], "toString"],
      ["dtype", new Float32Array(2), [2], null],
      ["dtype", new Float32Array(2), [2], 32],
      ["dtype", new Float32Array(2), [2], Symbol("float32")],
      ["dtype", new Float32Array(2), [2], ["float32"]],
      ["dtype", new Float32Array(2), [2], { toString: () => "float32" }],
      ["shape", new Float32Array(2), undefined],
      ["shape", new Float32Array(2), null],
      ["shape", new Float32Array(2), 2],
      ["shape", new Float32Array(2), "2"],
      ["shape", new Float32Array(2), {}],
      ["shape", new Float32Array(2), [3]],
      ["shape", new Float32Array(2), []],
      ["shape", new Float32Array(2), [-1, -2]],
      ["shape", new Float32Array(2), ["2"]],
      ["shape", new Float32Array(2), [2n]],
      ["shape", new Float32Array(2), [1.5]],
      ["shape", new Float32Array(2), [NaN]],
      ["shape", new Float32Array(2), [null]],
      ["shape", new Float32Array(2), [Symbol("2")]],
      ["shape", new Float32Array(2), [[2]]],
      ["shape", new Float32Array(2), [undefined]],
      ["shape", new Float32Array(2), new Array(1)],
      ["shape", new Float32Array(0), [2 ** 53, 0]],
    ];
    for (const [name, data, shape, dtype] of bad) {
      assert.throws(
        () => new Tensor(data, shape, dtype),
        refused(name),
        `${inspect([data, shape, dtype])}`,
      );
    }
  });

  test("Tensor has no negative zero in its shape", () => {
    assert.ok(Object.is(new Tensor(new Float32Array(0), [-0, 3]).shape[0], 0));
    assert.ok(Object.is(new Tensor(new Float32Array(0), [0, 3]).reshape(-0).shape[0], 0));
    assert.ok(Object.is(sinusoidal.table(-0, 4).shape[0], 0));
  });

  test("Tensor.at returns one element; negative indices count from the end", () => {
    assert.equal(x().at(0, 0), 1);
    assert.equal(x().at(1, 2), 6);
    assert.equal(x().at(-1, -1), 6);
    assert.equal(x().at(-2, -3), 1);
    assert.equal(new Tensor(Float32Array.of(7), []).at(), 7);
    assert.equal(new Tensor(BigInt64Array.of(7n), [1, 1, 1]).at(0, -1, 0), 7n);
  });

  test("Tensor.at, row and reshape reject indices out of range", () => {
    for (const indices of [[], [1], [1, 1, 1]]) {
      assert.throws(() => x().at(...indices), refused("indices"));
    }
    /** @type {any[]} */
    const odd = [
      "1",
      1n,
      null,
      undefined,
      1.5,
      NaN,
      Infinity,
      2,
      -3,
      {},
      [],
      [1],
      true,
      Symbol("1"),
    ];
    for (const index of odd) {
      assert.throws(() => x().at(index, 0), refused("index 0"), inspect(index));
      assert.throws(() => x().row(index), refused("index"), inspect(index));
    }
    assert.throws(() => x().at(0, 3), refused("index 1"));
    assert.throws(
      () => new Tensor(Float32Array.of(7), []).row(0),
      /^RangeError: Tensor\.row: tensor must have an axis; got /,
    );
    const empty = new Tensor(new Float32Array(0), [0, 3]);
    assert.throws(() => empty.row(0), refused("index"));
    /** @type {any[][]} */
    const shapes = [[], [7], [4, 2], [-1, 4], [-1, 0], [-1, -1], [-2, -3], [1.5, 4], [NaN], [null]];
    for (const sizes of [...shapes, ["6"], [6n], [{}], [true, 6], [Symbol("6")], [[[6]]]]) {
      assert.throws(() => x().reshape(...sizes), refused("shape"), inspect(sizes));
    }
  });

  test("Tensor.at and row coerce nothing", () => {
    let asked = 0;
    const index = /** @type {any} */ ({
      valueOf: () => (++asked, 1),
      toString: () => (++asked, "1"),
    });
    assert.throws(() => x().at(index, 0), refused("index 0"));
    assert.throws(() => x().row(index), refused("index"));
    assert.throws(() => x().reshape(index), refused("shape"));
    assert.equal(asked, 0);
  });

  test("Tensor.row is a slice of the first axis that shares the data", () => {
    const tensor = x();
    assert.deepEqual(tensor.row(1).shape, [3]);
    assert.deepEqual(tensor.row(1).toArray(), [4, 5, 6]);
    assert.deepEqual(tensor.row(-2).toArray(), [1, 2, 3]);
    tensor.row(0).data[1] = 20;
    assert.equal(tensor.at(0, 1), 20);
    assert.equal(tensor.row(0).row(2).at(), 3);
    const half = new Tensor(Uint16Array.of(1, 2), [2, 1], "bfloat16").row(1);
    assert.equal(half.dtype, "bfloat16");
  });

  test("Tensor.slice returns rows that share the data, with the indices of Array.slice", () => {
    const tensor = new Tensor(Float32Array.of(0, 1, 2, 3, 4, 5), [3, 2]);
    assert.deepEqual(tensor.slice(1).toArray(), [
      [2, 3],
      [4, 5],
    ]);
    assert.deepEqual(tensor.slice(0, -1).shape, [2, 2]);
    assert.deepEqual(tensor.slice(-1, 99).toArray(), [[4, 5]]);
    assert.deepEqual(tensor.slice(2, 1).shape, [0, 2]);
    assert.deepEqual(tensor.slice().shape, [3, 2]);
    const bounds = [-100, -4, -3, -2, -1, 0, 1, 2, 3, 4, 100];
    for (const begin of bounds) {
      for (const end of bounds) {
        const want = tensor.toArray().slice(begin, end);
        assert.deepEqual(tensor.slice(begin, end).toArray(), want, `${begin} to ${end}`);
      }
    }
    tensor.slice(1, 2).data[0] = 20;
    assert.equal(tensor.at(1, 0), 20);
    assert.throws(() => tensor.slice(0.5), /begin must be a whole number/);
    assert.throws(() => tensor.slice(/** @type {any} */ ("1")), /begin must be a whole number/);
    assert.throws(
      () => new Tensor(Float32Array.of(7), []).slice(),
      /^RangeError: Tensor\.slice: tensor must have an axis; got /,
    );
  });

  test("nested arrays have at most 32 axes", () => {
    const nested = (/** @type {number} */ axes) => {
      /** @type {any} */
      let value = 3;
      for (let axis = 0; axis < axes; ++axis) value = [value];
      return value;
    };
    const { shape, data } = phasor.normalize.l2(nested(32));
    assert.deepEqual([shape, data[0]], [Array(32).fill(1), 1]);
    const message = "normalize.l2: x must have at most 32 axes; got more";
    for (const axes of [33, 1000]) {
      assert.throws(() => phasor.normalize.l2(nested(axes)), { name: "RangeError", message });
    }
  });

  test("Tensor iterates over rows, in order", () => {
    assert.deepEqual(
      [...x()].map((row) => row.toArray()),
      [
        [1, 2, 3],
        [4, 5, 6],
      ],
    );
    const [first, second, third] = x();
    assert.deepEqual(first.shape, [3]);
    assert.equal(second.at(0), 4);
    assert.equal(third, undefined);
    assert.deepEqual([...new Tensor(Float32Array.of(1), [])], []);
    assert.deepEqual([...new Tensor(new Float32Array(0), [0, 3])], []);
    assert.equal([...new Tensor(new Float32Array(0), [3, 0])].length, 3);
  });

  test("Tensor.reshape returns the same data in another shape, with one size inferred", () => {
    const tensor = x();
    assert.equal(tensor.reshape(3, 2).data, tensor.data);
    assert.deepEqual(tensor.reshape(3, 2).toArray(), [
      [1, 2],
      [3, 4],
      [5, 6],
    ]);
    assert.deepEqual(tensor.reshape([6]).shape, [6]);
    assert.deepEqual(tensor.reshape(-1).shape, [6]);
    assert.deepEqual(tensor.reshape(-1, 2).shape, [3, 2]);
    assert.deepEqual(tensor.reshape([1, -1, 3]).shape, [1, 2, 3]);
    assert.deepEqual(new Tensor(Float32Array.of(7), [1]).reshape([]).shape, []);
    const empty = new Tensor(new Float32Array(0), [0, 3]);
    assert.deepEqual(empty.reshape(3, 0).shape, [3, 0]);
    assert.deepEqual(empty.reshape(-1, 3).shape, [0, 3]);
    assert.equal(new Tensor(Uint16Array.of(1), [1], "float16").reshape(1, 1).dtype, "float16");
  });

  test("Tensor.transpose copies with two axes swapped, of any dtype", () => {
    const shape = [2, 3, 4, 5];
    const x = new Tensor(
      Float32Array.from({ length: 120 }, (_, i) => i),
      shape,
    );
    for (let a = -4; a < 4; ++a) {
      for (let b = -4; b < 4; ++b) {
        const y = x.transpose(a, b);
        const [first, second] = [a, b].map((axis) => (axis + 4) % 4);
        const swapped = (/** @type {readonly number[]} */ list) =>
          list.map((_, axis) =>
            axis === first ? list[second] : axis === second ? list[first] : list[axis],
          );
        assert.deepEqual(y.shape, swapped(shape));
        for (let i = 0; i < 120; ++i) {
          const at = [Math.floor(i / 60), Math.floor(i / 20) % 3, Math.floor(i / 5) % 4, i % 5];
          assert.equal(y.at(...swapped(at)), i);
        }
        assert.notEqual(y.data.buffer, x.data.buffer);
      }
    }
    const long = new Tensor(BigInt64Array.of(1n, 2n, 3n, 4n, 5n, 6n), [2, 3]).transpose(0, 1);
    assert.deepEqual(long.data, BigInt64Array.of(1n, 4n, 2n, 5n, 3n, 6n));
    assert.equal(long.dtype, "int64");
    const half = new Tensor(Uint16Array.of(1, 2), [1, 2], "float16").transpose(-1, -2);
    assert.deepEqual([half.shape, half.dtype], [[2, 1], "float16"]);
    assert.deepEqual(new Tensor(new Float32Array(0), [0, 3]).transpose(0, 1).shape, [3, 0]);
    assert.deepEqual(new Tensor(new Float32Array(0), [2, 0, 3]).transpose(0, 2).shape, [3, 0, 2]);
  });

  test("Tensor.transpose rejects an invalid axis", () => {
    const x = new Tensor(new Float32Array(6), [2, 3]);
    for (const axis of [2, -3, 0.5, NaN]) {
      assert.throws(
        () => x.transpose(axis, 0),
        /^RangeError: \S+: a must be a whole number from -2 to 1/,
      );
      assert.throws(
        () => x.transpose(0, axis),
        /^RangeError: \S+: b must be a whole number from -2 to 1/,
      );
    }
    for (const axis of [undefined, null, "1", 1n, [1]]) {
      const wrong = /** @type {any} */ (axis);
      assert.throws(() => x.transpose(0, wrong), /^TypeError: \S+: b must be a whole number; got/);
    }
    const scalar = new Tensor(new Float32Array(1), []);
    assert.throws(() => scalar.transpose(0, 0), /^RangeError: \S+: a must be on an axis/);
  });

  test("Tensor.toArray returns nested arrays", () => {
    assert.deepEqual(x().toArray(), [
      [1, 2, 3],
      [4, 5, 6],
    ]);
    assert.equal(new Tensor(Float32Array.of(7), []).toArray(), 7);
    assert.deepEqual(new Tensor(new Float32Array(0), [0, 3]).toArray(), []);
    assert.deepEqual(new Tensor(new Float32Array(0), [2, 0]).toArray(), [[], []]);
    assert.deepEqual(new Tensor(BigInt64Array.of(1n, 2n), [2, 1]).toArray(), [[1n], [2n]]);
    assert.deepEqual(x().reshape(1, 2, 3).toArray(), [x().toArray()]);
  });

  test("Tensor converts to JSON and prints on the console", () => {
    assert.equal(JSON.stringify(x()), '{"shape":[2,3],"dtype":"float32","data":[1,2,3,4,5,6]}');
    const large = new Tensor(BigInt64Array.of(2n ** 60n), [1]);
    assert.deepEqual(JSON.parse(JSON.stringify(large)).data, ["1152921504606846976"]);
  });

  test("JSON of a tensor names NaN and infinities, and functions read it back to the bit", () => {
    const numbers = [NaN, Infinity, -Infinity, 1.5, 1e-45, 3.4028234663852886e38];
    for (const [data, dtype] of /** @type {[any, any][]} */ ([
      [Float32Array.from(numbers), "float32"],
      [Float64Array.from(numbers), "float64"],
    ])) {
      const text = JSON.stringify(new Tensor(data, [1, 6], dtype));
      assert.match(text, /"data":\["NaN","Infinity","-Infinity",1.5,/);
      const sent = JSON.parse(text);
      assert.deepEqual(data.constructor.from(sent.data), data);
      assert.deepEqual(
        embedding.from(sent).lookup([0]),
        embedding.from({ data, shape: [1, 6] }).lookup([0]),
      );
    }
    const ids = JSON.parse(JSON.stringify(new Tensor(BigInt64Array.of(2n, 0n), [2])));
    assert.deepEqual(embedding.oneHot(ids, 3), embedding.oneHot([2, 0], 3));
    const huge = JSON.parse(JSON.stringify(new Tensor(BigInt64Array.of(-(2n ** 63n)), [1])));
    assert.throws(() => embedding.oneHot(huge, 3), refused("ids"));
    // Nothing else is coerced.
    for (const [word, dtype] of /** @type {[any, any][]} */ ([
      ["1", "float32"],
      ["nan", "float32"],
      ["+Infinity", "float32"],
      [null, "float32"],
      ["NaN", undefined],
      ["7", "int32"],
      [" 7", "int64"],
      ["", "int64"],
    ])) {
      const given = { data: [word], shape: [1], dtype };
      assert.throws(() => normalize.l2(given), refused("x"), inspect(given));
    }
    assert.equal(inspect(x()), "Tensor [2, 3] float32\n[[1. 2. 3.]\n [4. 5. 6.]]");
  });
});

describe("tensors as arguments", () => {
  const table = rope.table([1, 2], 4);
  const rows = [
    [1, 2, 3, 4],
    [5, 6, 7, 8],
  ];
  const flat = rows.flat();
  const want = rope.apply(rows, table);

  test("rope.apply accepts nested arrays, typed ones, {data, shape} and {data, dims}", () => {
    for (const given of [
      rows,
      rows.map((row) => Float32Array.from(row)),
      [rows[0], Float64Array.from(rows[1])],
      { data: flat, shape: [2, 4] },
      { data: flat, dims: [2, 4] },
      { data: Float32Array.from(flat), shape: Int32Array.of(2, 4) },
      { data: Float64Array.from(flat), shape: [2, 4] },
      { data: Uint8Array.from(flat), shape: [2, 4] },
      { data: Uint8ClampedArray.from(flat), shape: [2, 4] },
      { data: Int16Array.from(flat), shape: [2, 4] },
      new Tensor(Float32Array.from(flat), [2, 4]),
      new Tensor(Int32Array.from(flat), [2, 4]),
      Object.freeze({ data: Object.freeze(flat), shape: Object.freeze([2, 4]) }),
      Object.create({ data: flat, shape: [2, 4] }),
      // as onnxruntime-web, transformers.js and ndarray have them
      { dims: [2, 4], type: "float32", data: Float32Array.from(flat), size: 8 },
      { data: Float32Array.from(flat), shape: [2, 4], stride: [4, 1], offset: 0 },
      { data: Float32Array.from(flat), shape: [2, 4], strides: [4, 1] },
    ]) {
      assert.deepEqual(rope.apply(given, table), want, inspect(given));
    }
  });

  test("a tensor that was an argument before is read as its memory is now", () => {
    const buffer = new /** @type {any} */ (ArrayBuffer)(32, { maxByteLength: 64 });
    const data = new Float32Array(buffer); // as long as its memory
    data.set(flat);
    const given = new Tensor(data, [2, 4]);
    const again = () => rope.apply(given, table);
    for (let call = 0; call < 3; ++call) assert.deepEqual(again(), want);
    data.set(flat.map((x) => -x));
    assert.deepEqual(
      again().toArray(),
      rope
        .apply(
          rows.map((row) => row.map((x) => -x)),
          table,
        )
        .toArray(),
    );
    for (const bytes of [64, 16]) {
      buffer.resize(bytes);
      const message = new RegExp(`as its data \\(${bytes / 4}\\)`);
      assert.throws(again, { name: "RangeError", message });
      assert.throws(() => rope.apply(rows, { cos: given, sin: given }), {
        name: "RangeError",
        message,
      });
    }
    buffer.resize(32);
    data.set(flat);
    assert.deepEqual(again(), want);
    structuredClone(buffer, { transfer: [buffer] });
    assert.throws(again, { name: "TypeError", message: /x must be in memory/ });
  });

  test("a tensor of a class that extends Tensor is read anew by every call", () => {
    let offset = 0;
    class Moving extends Tensor {
      get offset() {
        return offset;
      }
    }
    const given = new Moving(Float32Array.from(flat), [2, 4]);
    for (let call = 0; call < 3; ++call) assert.deepEqual(rope.apply(given, table), want);
    offset = 1;
    assert.throws(() => rope.apply(given, table), { name: "RangeError", message: /got offset 1/ });
  });

  test("rope.apply accepts typed arrays of another realm, as test runners and frames have them", () => {
    for (const kind of ["Float32Array", "Float64Array", "Int8Array"]) {
      const data = runInNewContext(`new ${kind}([1, 2, 3, 4, 5, 6, 7, 8])`);
      assert.deepEqual(rope.apply({ data, shape: [2, 4] }, table), want, kind);
    }
    assert.deepEqual(rope.apply(runInNewContext("[[1, 2, 3, 4], [5, 6, 7, 8]]"), table), want);
    const ids = runInNewContext("new BigInt64Array([1n, 0n])");
    assert.deepEqual(embedding.oneHot(ids, 2).toArray(), [
      [0, 1],
      [1, 0],
    ]);
    const options = runInNewContext("({ layout: 'halves' })");
    assert.deepEqual(rope.apply(rows, table, options), want);
  });

  test("rope.apply reads a view from its offset", () => {
    const buffer = Float32Array.of(9, 9, ...flat, 9);
    const data = buffer.subarray(2, 10);
    assert.deepEqual(rope.apply({ data, shape: [2, 4] }, table), want);
  });

  test("rope.apply rejects views with custom strides", () => {
    for (const more of [
      { stride: [1, 2] },
      { strides: [1, 2] },
      { strides: Int32Array.of(8, 1) },
      { stride: [4, 1], offset: 1 },
    ]) {
      assert.throws(() => rope.apply({ data: flat, shape: [2, 4], ...more }, table), refused("x"));
    }
  });

  test("rows of doubles that float32 would lose are refused where their directions or lengths count", () => {
    const rows = [
      [3, 4],
      [1, 2],
    ];
    /** @type {[string, string, (given: any) => unknown][]} */
    const calls = [
      ["similarity.pair", "a", (given) => similarity.pair(given.flat(), [1, 2, 3, 4])],
      ["similarity.rows", "a", (given) => similarity.rows(given, rows)],
      ["similarity.rows", "b", (given) => similarity.rows(rows, given, { metric: "euclidean" })],
      ["similarity.matrix", "a", (given) => similarity.matrix(given)],
      ["nearest", "vectors", (given) => nearest(given, [1, 2])],
      ["nearest", "queries", (given) => nearest(rows, given, { metric: "dot" })],
      ["nearest.index", "vectors", (given) => nearest.index(given).rows([0, 1])],
      ["nearest.candidates", "vectors", (given) => nearest.candidates(given, [1, 2])],
      ["statistics.norms", "x", (given) => statistics.norms(given)],
      ["statistics.summary", "x", (given) => statistics.summary(given)],
      ["pca", "x", (given) => pca(given).components],
      ["procrustes", "y", (given) => procrustes(rows, given).rotated],
      ["normalize.l2", "x", (given) => normalize.l2(given)],
      ["normalize.layerNorm", "x", (given) => normalize.layerNorm(given, { eps: 0 })],
      ["normalize.rmsNorm", "x", (given) => normalize.rmsNorm(given, { eps: 0 })],
      ["embedding.from", "weights", (given) => embedding.from(given).lookup([0, 1])],
    ];
    const rule =
      "must have rows with a number of at least 1.2e-38, or of zeros, to keep digits in float32";
    for (const [name, argument, call] of calls) {
      /** @type {[number[][], string][]} */
      const lost = [
        [
          [
            [1e-50, 2e-50],
            [0, 0],
          ],
          "1e-50 at 0",
        ],
      ];
      if (name !== "similarity.pair") {
        lost.push([
          [
            [1, 2],
            [0, -1e-45],
          ],
          "-1e-45 at 3",
        ]);
        lost.push([
          [
            [1, 2],
            [2 ** -149, 1e-39],
          ],
          "1e-39 at 3",
        ]);
      }
      for (const [given, got] of lost) {
        const message = `${name}: ${argument} ${rule}; got ${got}`;
        assert.throws(() => call(given), { name: "RangeError", message });
      }
      // A number that is lost beside others, zeros, infinities, and small numbers that float32 has.
      for (const row of [
        [1, 1e-60],
        [0, 0],
        [2 ** -149, -(2 ** -140)],
        [2 ** -126, 1e-39],
      ]) {
        const kept = row.map((x) => Math.fround(x));
        assert.deepEqual(call([row, [1, 2]]), call([kept, [1, 2]]), `${name} of ${row}`);
      }
    }
    // Separate sums add to small rows.
    assert.deepEqual(normalize.layerNorm([[1e-50, 2e-50]]).toArray(), [[0, 0]]);
  });

  /** @type {[string, any][]} */
  const BAD = [
    ["undefined", undefined],
    ["null", null],
    ["a number", 5],
    ["a word", "1234"],
    ["true", true],
    ["a symbol", Symbol("x")],
    ["a function", () => rows],
    ["a BigInt", 1n],
    ["a plain object", {}],
    ["a Map", new Map()],
    ["a Set", new Set(rows)],
    ["an ArrayBuffer", new ArrayBuffer(32)],
    ["a DataView", new DataView(new ArrayBuffer(32))],
    ["data alone", { data: flat }],
    ["a shape alone", { shape: [2, 4] }],
    ["data null", { data: null, shape: [2, 4] }],
    ["data nested", { data: rows, shape: [2, 4] }],
    ["data as a word", { data: "12345678", shape: [2, 4] }],
    ["a shape too large", { data: flat, shape: [2, 5] }],
    ["a shape too small", { data: flat, shape: [2, 3] }],
    ["a shape negative", { data: flat, shape: [-2, -4] }],
    ["a shape fractional", { data: flat, shape: [2.5, 3.2] }],
    ["a shape of words", { data: flat, shape: ["2", "4"] }],
    ["a shape of BigInts", { data: flat, shape: [2n, 4n] }],
    ["a shape null", { data: flat, shape: null, dims: null }],
    ["a shape that is a number", { data: flat, shape: 8 }],
    ["a shape with a hole", { data: flat, shape: [2, 4, ,] }], // eslint-disable-line no-sparse-arrays
    ["a shape whose product overflows", { data: flat, shape: [2 ** 52, 2 ** 52] }],
    ["ragged rows", [[1, 2, 3, 4], [5]]],
    ["ragged depths", [[1, 2, 3, 4], 5]],
    ["ragged depths the other way", [1, [2, 3]]],
    ["deeper first", [[[1]], [2]]],
    ["rows with a hole", [[1, 2, , 4]]], // eslint-disable-line no-sparse-arrays
    ["rows of words", [["1", "2", "3", "4"]]],
    ["rows of null", [[null, 1, 2, 3]]],
    ["rows of undefined", [[undefined, 1, 2, 3]]],
    ["rows of truth", [[true, false, true, false]]],
    ["rows of BigInts", [[1n, 2n, 3n, 4n]]],
    ["rows of objects", [[{}, {}, {}, {}]]],
    ["rows of symbols", [[Symbol("1"), 2, 3, 4]]],
    ["BigInt64Array", { data: new BigInt64Array(8), shape: [2, 4] }],
    ["float16 bits", new Tensor(new Uint16Array(8), [2, 4], "float16")],
    ["bfloat16 bits", new Tensor(new Uint16Array(8), [2, 4], "bfloat16")],
    ["one row without its axis", [1, 2, 3, 4]],
    ["no axes", { data: [1], shape: [] }],
  ];
  for (const [what, value] of BAD) {
    test(`rope.apply rejects ${what} with a typed error that begins with x`, () => {
      assert.throws(() => rope.apply(value, table), refused("x"));
      assert.deepEqual(rope.apply(rows, table), want);
    });
  }

  test("a tensor that was cloned, or went through JSON, is the same argument", () => {
    const x = new Tensor(Float32Array.from(flat), [2, 4]);
    const cloned = structuredClone(x);
    assert.deepEqual(Object.keys(cloned).sort(), ["data", "dtype", "shape"]);
    for (const sent of [cloned, JSON.parse(JSON.stringify(x)), x.toJSON(), { ...x }]) {
      assert.equal(Object.getPrototypeOf(sent), Object.prototype);
      assert.deepEqual(rope.apply(sent, table), want);
    }
    for (const dtype of /** @type {const} */ (["float16", "bfloat16"])) {
      const half = x.as(dtype);
      const sent = JSON.parse(JSON.stringify(half));
      assert.equal(sent.dtype, dtype);
      assert.deepEqual(rope.apply(sent, table), rope.apply(half.as("float32"), table));
    }
  });

  test("rope.apply rejects infinite nesting", () => {
    /** @type {any} */
    let deep = 1;
    for (let level = 0; level < 40; ++level) deep = [deep];
    assert.throws(() => rope.apply(deep, table), refused("x"));
    /** @type {any[]} */
    const circle = [];
    circle.push(circle);
    assert.throws(() => rope.apply(circle, table), refused("x"));
  });

  test("rope.apply coerces nothing: valueOf and toString are never called", () => {
    let asked = 0;
    const number = /** @type {any} */ ({
      valueOf: () => (++asked, 1),
      toString: () => (++asked, "1"),
      [Symbol.toPrimitive]: () => (++asked, 1),
    });
    for (const call of [
      () => rope.apply([[number, 1, 1, 1]], table),
      () => rope.apply(rows, { cos: [[number]], sin: [[0]] }),
      () => rope.apply({ data: flat, shape: [number, 4] }, table),
      () => rope.apply(rows, table, { layout: number }),
      () => rope.apply(rows, table, { inverse: number }),
      () => rope.apply(rows, table, { axis: number }),
      () => rope.table(number, 4),
      () => rope.table([number], 4),
      () => rope.table(2, number),
      () => rope.table(2, 4, { base: number }),
      () => rope.table(2, 4, { offset: number }),
      () => sinusoidal.table(2, 4, { spectrum: number }),
      () => sinusoidal.shift(number, 4),
      () => embedding.create(number, 4),
      () => embedding.create(4, 4, { seed: number }),
      () => embedding.create(4, 4, { std: number }),
      () => embedding.create(4, 4, { after: [[number]] }),
      () => embedding.oneHot([number], 4),
      () => embedding.oneHot(number, 4),
      () => embedding.create(4, 4).lookup([0], { scale: number }),
      () => embedding.create(4, 4).byteLengthAs(number),
    ]) {
      assert.throws(call, refused(""));
    }
    assert.equal(asked, 0);
  });

  test("rope.apply reads each option and each part of a tensor once", () => {
    /** @type {Map<PropertyKey, number>} */
    const reads = new Map();
    /** @template {object} T @param {T} target @returns {T} */
    const counted = (target) =>
      new Proxy(target, {
        get(object, name) {
          reads.set(name, (reads.get(name) ?? 0) + 1);
          return Reflect.get(object, name);
        },
      });
    const options = counted(/** @type {const} */ ({ layout: "halves", axis: -2, inverse: false }));
    assert.deepEqual(rope.apply(rows, table, options), want);
    for (const name of ["layout", "axis", "inverse", "out"]) assert.ok((reads.get(name) ?? 0) <= 1);
    reads.clear();
    assert.deepEqual(rope.apply(counted({ data: flat, shape: [2, 4] }), table), want);
    for (const name of ["data", "shape"]) assert.equal(reads.get(name), 1);
  });

  test("rope.apply rethrows a getter's error, and works afterwards", () => {
    const own = new Error("the getter's own");
    const thrower = {
      get data() {
        throw own;
      },
      shape: [2, 4],
    };
    assert.throws(() => rope.apply(/** @type {any} */ (thrower), table), own);
    const proxy = new Proxy(/** @type {number[]} */ ([]), {
      get() {
        throw own;
      },
    });
    assert.throws(() => rope.apply(proxy, table), own);
    assert.throws(() => rope.apply(/** @type {any} */ (rows), table, /** @type {any} */ (proxy)));
    assert.deepEqual(rope.apply(rows, table), want);
  });

  test("arrays whose length changes while they are read throw typed errors", () => {
    const growing = (/** @type {number[]} */ lengths) => {
      let reads = 0;
      return new Proxy([0, 1, 2, 3, 0, 1, 2, 3], {
        get: (target, name) =>
          name === "length"
            ? lengths[Math.min(reads++, lengths.length - 1)]
            : Reflect.get(target, name),
      });
    };
    const weights = embedding.create(4, 2);
    for (const lengths of [
      [2, 2, 2, 8],
      [1, 1, 1, 8],
      [4, 4, 4, 2],
      [8, 1],
    ]) {
      for (const call of [
        () => sinusoidal.table(growing(lengths), 2),
        () => embedding.oneHot(growing(lengths), 4),
        () => weights.lookup(growing(lengths)),
        () => weights.lookup([0], { add: growing(lengths) }),
        () => embedding.from(growing(lengths)),
        () => rope.apply([growing(lengths)], rope.table([1], 2)),
      ]) {
        let got;
        try {
          got = call();
        } catch (error) {
          refused("")(/** @type {Error} */ (error));
          continue;
        }
        if (got instanceof Tensor) {
          assert.equal(
            got.shape.reduce((a, b) => a * b, 1),
            got.size,
          );
        }
      }
    }
    assert.deepEqual(rope.apply(rows, table), want);
  });

  test("a table that a getter disposes of during a call is not read", () => {
    for (const call of [
      (/** @type {any} */ table, /** @type {() => any} */ dispose) =>
        table.lookup([0], {
          get scale() {
            dispose();
            return 1;
          },
        }),
      (/** @type {any} */ table, /** @type {() => any} */ dispose) =>
        table.lookup({
          data: [0],
          get shape() {
            dispose();
            return [1];
          },
        }),
      (/** @type {any} */ table, /** @type {() => any} */ dispose) =>
        table.oneHot([0], {
          get out() {
            return dispose();
          },
        }),
      (/** @type {any} */ table, /** @type {() => any} */ dispose) =>
        table.weights({
          get out() {
            return dispose();
          },
        }),
    ]) {
      const table = embedding.from([[1, 2]]);
      assert.throws(() => call(table, table.dispose), { name: "DisposedError" });
    }
  });
});
