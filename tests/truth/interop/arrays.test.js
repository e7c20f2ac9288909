import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { parseHTML } from "linkedom";
import { npy } from "phasor/files";
import { figures } from "phasor/plots";
import { phasor, Tensor } from "../../phasor.js";
import { library, without } from "./libraries.js";

const { embedding, normalize, positionIds, rope, similarity, sinusoidal } = phasor;

const table = () => sinusoidal.table(4, 6);
const units = normalize.l2(table());

/** As it was rejected, by its message. @param {string} start @param {string} end */
const refused = (start, end) => (/** @type {Error} */ error) => {
  assert.ok(error instanceof TypeError || error instanceof RangeError, String(error));
  assert.ok(error.message.includes(`: ${start} must `), error.message);
  assert.ok(error.message.includes(`; got ${end}`), error.message);
  return true;
};

describe("ndarray", async () => {
  const { default: ndarray } = await library("ndarray");

  test("a table becomes an ndarray on the same memory, and back", () => {
    const x = table();
    const array = ndarray(x.data, x.shape);
    array.set(2, 1, 7);
    assert.equal(x.at(2, 1), 7);
    assert.equal(array.get(3, 5), x.at(3, 5));
    const back = new Tensor(array.data, array.shape);
    assert.equal(back.data, x.data);
  });

  test("an ndarray can be an argument, and an out", () => {
    const x = table();
    assert.deepEqual(normalize.l2(ndarray(x.data, x.shape)), units);
    const out = ndarray(new Float32Array(24), [4, 6]);
    assert.equal(sinusoidal.table(4, 6, { out }).data, out.data);
    assert.equal(out.get(1, 0), x.at(1, 0));
  });

  test("views that are not row-major from the first element on are rejected, never misread", () => {
    const x = table();
    const array = ndarray(x.data, x.shape);
    const strides = (/** @type {number[]} */ list) =>
      `strides [${list.join(", ")}] (copy it first)`;
    assert.throws(() => normalize.l2(array.transpose(1, 0)), refused("x", strides([1, 6])));
    assert.throws(() => normalize.l2(array.step(1, -1)), refused("x", strides([6, -1])));
    assert.throws(() => normalize.l2(array.hi(4, 3)), refused("x", strides([6, 1])));
    assert.throws(() => normalize.l2(array.lo(2, 0)), refused("x", "offset 12 (copy it first)"));
    assert.throws(() => normalize.l2(array.hi(2, 6)), RangeError);
    assert.throws(() => normalize.l2(array.pick(1, null)), refused("x", "offset 6"));
    const { heatmap } = figures();
    assert.throws(() => heatmap(array.transpose(1, 0)), refused("matrix", strides([1, 6])));
    assert.throws(() => npy.write(array.transpose(1, 0)), refused("tensor", strides([1, 6])));
  });

  test("a result is never written into a view as if it were row-major", () => {
    const out = ndarray(new Float32Array(24), [6, 4]).transpose(1, 0);
    assert.throws(() => sinusoidal.table(4, 6, { out }), refused("out", "strides [1, 4]"));
    assert.ok(out.data.every((/** @type {number} */ number) => number === 0));
    const late = ndarray(new Float32Array(24), [24], [1], 0);
    late.offset = 1;
    assert.throws(() => sinusoidal.table(4, 6, { out: late }), refused("out", "offset 1"));
  });
});

for (const name of ["onnxruntime-common", "@huggingface/transformers"]) {
  describe(name, { skip: without(name) }, async () => {
    const { Tensor: Theirs } = without(name) ? { Tensor: undefined } : await library(name);

    test("a table becomes a tensor on the same memory, and back", () => {
      const x = table();
      const theirs = new Theirs("float32", x.data, x.shape);
      theirs.data[0] = 7;
      assert.equal(x.at(0, 0), 7);
      assert.equal(theirs.data, x.data);
      assert.deepEqual(theirs.dims, x.shape);
      assert.equal(new Tensor(theirs.data, theirs.dims).data, x.data);
    });

    test("tensors can be arguments, and out", () => {
      const x = table();
      assert.deepEqual(normalize.l2(new Theirs("float32", x.data, x.shape)), units);
      const out = new Theirs("float32", new Float32Array(24), [4, 6]);
      assert.equal(sinusoidal.table(4, 6, { out }).data, out.data);
    });

    test("int64 ids, masks and bools are read", () => {
      const words = embedding.create(5, 2);
      const ids = new Theirs("int64", BigInt64Array.of(3n, 1n, 0n, 4n), [2, 2]);
      const plain = [
        [3, 1],
        [0, 4],
      ];
      assert.deepEqual(words.lookup(ids), words.lookup(plain));
      assert.deepEqual(rope.table(ids, 4), rope.table(plain, 4));
      const mask = new Theirs("int64", BigInt64Array.of(0n, 1n, 1n), [1, 3]);
      assert.deepEqual(positionIds.fromMask(mask), positionIds.fromMask([[0, 1, 1]]));
      const bool = new Theirs("bool", Uint8Array.of(0, 1, 1), [1, 3]);
      assert.deepEqual(positionIds.fromMask(bool), positionIds.fromMask([[0, 1, 1]]));
      const got = "bool values";
      assert.throws(() => normalize.l2(bool), refused("x", got));
      assert.throws(() => words.lookup(bool), refused("ids", got));
    });

    test("float16 is read as numbers or rejected, and its bits are never read as numbers", () => {
      const bits = Uint16Array.of(0x3c00, 0x4000); // 1 and 2
      const Half = /** @type {any} */ (globalThis).Float16Array;
      const half = new Theirs("float16", Half ? new Half(bits.buffer) : bits, [2]);
      const { heatmap } = figures();
      if (Half) {
        assert.equal(similarity.pair(half, [1, 2], { metric: "dot" }), 5);
        return;
      }
      const got = "float16 bits";
      assert.throws(() => similarity.pair(half, [1, 2]), refused("a", got));
      assert.throws(() => rope.table(half, 4), refused("positions", got));
      assert.throws(() => embedding.oneHot(half, 65536), refused("ids", got));
      assert.throws(() => heatmap(new Theirs("float16", bits, [1, 2])), refused("matrix", got));
    });

    test("float16 keeps its type in an .npy file", async () => {
      const bits = Uint16Array.of(0x3c00, 0x4000);
      if (/** @type {any} */ (globalThis).Float16Array) return;
      const read = await npy.read(npy.write(new Theirs("float16", bits, [2])));
      assert.deepEqual(read.toArray(), [1, 2]);
    });
  });
}

describe("TensorFlow.js", { skip: without("@tensorflow/tfjs-core") }, async () => {
  if (without("@tensorflow/tfjs-core")) return;
  const tf = await library("@tensorflow/tfjs-core");
  await library("@tensorflow/tfjs-backend-cpu");
  await tf.setBackend("cpu");

  test("a table becomes a tensor, on the CPU on the same memory, and back", () => {
    const x = table();
    const theirs = tf.tensor(x.data, x.shape);
    assert.equal(theirs.dataSync(), x.data);
    assert.deepEqual(theirs.shape, x.shape);
    const back = new Tensor(theirs.dataSync(), theirs.shape);
    assert.equal(back.data, x.data);
    assert.deepEqual(normalize.l2({ data: theirs.dataSync(), shape: theirs.shape }), units);
  });

  test("a transposed tensor is read in its own order", () => {
    const x = table();
    const turned = tf.transpose(tf.tensor(x.data, x.shape));
    const back = new Tensor(turned.dataSync(), turned.shape);
    assert.equal(back.at(5, 3), x.at(3, 5));
    assert.equal(back.at(1, 2), x.at(2, 1));
  });

  test("a tensor itself, whose data is a function, is a typed error", () => {
    assert.throws(() => normalize.l2(tf.tensor([1, 2])), refused("x", "Tensor"));
  });
});

describe("Apache Arrow", async () => {
  const { Field, FixedSizeList, Float32, Table, makeData, makeVector, tableFromIPC, tableToIPC } =
    await library("apache-arrow");

  /** @param {import("phasor").Tensor} tensor */
  const listsOf = ({ data, shape: [length, D] }) => {
    const child = makeData({ type: new Float32(), data });
    const type = new FixedSizeList(D, new Field("item", new Float32()));
    return makeVector(makeData({ type, length, child }));
  };

  test("a table becomes a column of lists on the same memory, and back", () => {
    const x = table();
    const vector = listsOf(x);
    assert.equal(vector.length, 4);
    assert.deepEqual([...vector.get(2)], x.row(2).toArray());
    const data = vector.data[0].children[0].values;
    assert.equal(data, x.data);
    assert.deepEqual(normalize.l2({ data, shape: [vector.length, vector.type.listSize] }), units);
  });

  test("a slice of a column, and a column read from a file, return their own rows", () => {
    const x = table();
    const slice = listsOf(x).slice(1, 3);
    const [chunk] = slice.data;
    assert.deepEqual(
      new Tensor(chunk.children[0].values, [slice.length, 6]).toArray(),
      x.slice(1, 3).toArray(),
    );
    const file = tableToIPC(new Table({ vector: listsOf(x) }));
    const column = tableFromIPC(file).getChild("vector");
    assert.deepEqual(new Tensor(column.data[0].children[0].values, [4, 6]), x);
  });

  test("a column itself is a typed error", () => {
    assert.throws(() => normalize.l2(listsOf(table())), refused("x", "none"));
  });
});

describe("Observable Plot", async () => {
  const Plot = await library("@observablehq/plot");
  const { document } = parseHTML("<html>");
  const identity = { type: "identity" };
  const options = { document, x: identity, y: identity, axis: null };

  test("a column of a table is an accessor of its rows", () => {
    const x = table();
    const { data } = x;
    /** @type {(column: number) => (row: import("phasor").Tensor) => number} */
    const column = (at) => (row) => row.data[at];
    const place = { x: column(4), y: column(1) };
    const dots = Plot.plot({ ...options, marks: [Plot.dot(x, place)] }).querySelectorAll("circle");
    const places = Array.from(dots, (dot) => [dot.getAttribute("cx"), dot.getAttribute("cy")]);
    assert.deepEqual(
      places.map(([cx, cy]) => [Number(cx), Number(cy)]),
      Array.from(x, (row) => [row.at(4), row.at(1)]),
    );
    assert.equal(x.data, data);
  });

  test("a row is drawn from the numbers in place", () => {
    const mark = Plot.lineY(table().row(3).data);
    const d = Plot.plot({ ...options, marks: [mark] })
      .querySelector("path")
      .getAttribute("d");
    const heights = [...d.matchAll(/,([-\d.]+)/g)].map(([, y]) => Number(y));
    const expected = Array.from(table().row(3).data, (y) => Number(y.toFixed(3)));
    assert.deepEqual(heights, expected);
  });
});

describe("numpy-ts", { skip: without("numpy-ts") }, async () => {
  if (without("numpy-ts")) return;
  const np = await library("numpy-ts");

  test("a table becomes an array with one copy, by row or as a whole", () => {
    const x = table();
    const array = np.array(x.data).reshape([...x.shape]);
    assert.equal(array.dtype, "float32");
    assert.deepEqual(array.tolist(), x.toArray());
    assert.deepEqual(np.array(x.row(2).data).tolist(), x.row(2).toArray());
  });

  test("arrays can be arguments", () => {
    const x = table();
    assert.deepEqual(normalize.l2(np.array(x.data).reshape([4, 6])), units);
    assert.equal(similarity.pair(np.array([1, 2]), [3, 4], { metric: "dot" }), 11); // float64
    assert.equal(similarity.pair(np.array([1, 2], "float16"), [3, 4], { metric: "dot" }), 11);
    const ids = np.array([[2, 0]], "int64");
    assert.deepEqual(embedding.oneHot(ids, 3), embedding.oneHot([[2, 0]], 3));
  });

  test("views that are not row-major are rejected, never misread", () => {
    const array = np.array(table().data).reshape([4, 6]);
    assert.throws(() => normalize.l2(array.T), refused("x", "strides [1, 6]"));
    assert.throws(() => normalize.l2(array.slice("::-1")), refused("x", "strides [-6, 1]"));
    assert.throws(() => normalize.l2(array.slice(":", "1:")), refused("x", "strides [6, 1]"));
    assert.throws(() => normalize.l2(array.slice("1:")), RangeError);
    assert.deepEqual(normalize.l2(array.T.copy()).shape, [6, 4]);
  });
});
