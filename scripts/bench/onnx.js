// The jobs of the bench in onnxruntime-web, one thread: models of one to three nodes, written here.
// Inputs and results are plain arrays, as for everybody; a result is a new one each time, since a
// prepared one stays empty (1.30). An embedding table is the model's own weight.

import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

/** @typedef {import("./measure.js").Contestant} Contestant */

/** @returns {Promise<any>} installed by the bench alone, so its types are not there to check */
async function start() {
  const name = "onnxruntime-web/wasm";
  const onnx = await import(name);
  const wasm = "onnxruntime-web/ort-wasm-simd-threaded.wasm";
  onnx.env.wasm.numThreads = 1;
  onnx.env.wasm.wasmBinary ??= await readFile(createRequire(import.meta.url).resolve(wasm));
  return onnx;
}

/**
 * @param {any} session @param {object[]} feeds  gone round @param {number} tolerance
 * @param {(found: any) => Float32Array[]} [numbers]  of what the session returns. Default: y
 * @returns {Contestant}
 */
function contestant(session, feeds, tolerance, numbers = ({ y }) => [y.data]) {
  const run = (/** @type {number} */ turn) => session.run(feeds[turn % feeds.length]);
  return { name: "onnxruntime-web", run, result: async () => numbers(await run(0)), tolerance };
}

/**
 * @param {Float32Array[]} x gone round, each [H, T, 2P]
 * @param {Float32Array} cos [T, P] @param {Float32Array} sin
 * @param {{H: number, T: number, P: number, layout: string}} options
 * @returns {Promise<Contestant>}
 */
export async function rotate(x, cos, sin, { H, T, P, layout }) {
  const onnx = await start();
  const shape = [1, H, T, 2 * P];
  const interleaved = { name: "interleaved", value: layout === "interleaved" ? 1 : 0 };
  const session = await onnx.InferenceSession.create(
    model(
      [node("RotaryEmbedding", ["x", "first", "cos", "sin"], "y", [interleaved], "com.microsoft")],
      [
        input("x", "float", shape),
        input("first", "int64", [1]),
        input("cos", "float", [T, P]),
        input("sin", "float", [T, P]),
      ],
      [input("y", "float", shape)],
    ),
  );
  const tensor = (/** @type {Float32Array} */ data, /** @type {number[]} */ sizes) =>
    new onnx.Tensor("float32", data, sizes);
  const first = new onnx.Tensor("int64", BigInt64Array.of(0n), [1]);
  const tables = { first, cos: tensor(cos, [T, P]), sin: tensor(sin, [T, P]) };
  const feeds = x.map((data) => ({ x: tensor(data, shape), ...tables }));
  return contestant(session, feeds, 4e-7);
}

/**
 * @param {Float32Array} table [V, D] @param {number} D @param {Int32Array[]} ids gone round
 * @param {number} scale @param {Float32Array} places [T, D]
 * @returns {Promise<Contestant>}
 */
export async function lookup(table, D, ids, scale, places) {
  const onnx = await start();
  const V = table.length / D;
  const T = places.length / D;
  const B = ids[0].length / T;
  const session = await onnx.InferenceSession.create(
    model(
      [
        node("Gather", ["table", "ids"], "rows"),
        node("Mul", ["rows", "scale"], "scaled"),
        node("Add", ["scaled", "places"], "y"),
      ],
      [input("ids", "int32", [B, T]), input("places", "float", [T, D])],
      [input("y", "float", [B, T, D])],
      [weight("table", table, [V, D]), weight("scale", Float32Array.of(scale), [1])],
    ),
  );
  const added = new onnx.Tensor("float32", places, [T, D]);
  const feeds = ids.map((list) => ({
    ids: new onnx.Tensor("int32", list, [B, T]),
    places: added,
  }));
  return contestant(session, feeds, 1e-6);
}

/**
 * The k rows of a table with the largest cosines, for each query. The rows have length 1 already.
 * @param {Float32Array} units [V, D] @param {Float32Array} queries [Q, D] @param {number} D @param {number} k
 */
export async function nearest(units, queries, D, k) {
  const onnx = await start();
  const [V, Q] = [units.length / D, queries.length / D];
  const session = await onnx.InferenceSession.create(
    model(
      [
        node("Gemm", ["q", "w"], "y", [{ name: "transB", value: 1 }]),
        node("TopK", ["y", "k"], ["scores", "ids"]),
      ],
      [input("q", "float", [Q, D]), input("k", "int64", [1])],
      [input("scores", "float", [Q, k]), input("ids", "int64", [Q, k])],
      [weight("w", units, [V, D])],
    ),
  );
  const feeds = {
    q: new onnx.Tensor("float32", queries, [Q, D]),
    k: new onnx.Tensor("int64", BigInt64Array.of(BigInt(k)), [1]),
  };
  const both = (/** @type {any} */ { ids, scores }) => [Float32Array.from(ids.data, Number), scores.data]; // prettier-ignore
  return contestant(session, [feeds], 4e-6, both); // float32 sums of D products
}

/**
 * The cosine of every two rows.
 * @param {Float32Array} x [N, D] @param {number} D
 * @returns {Promise<Contestant>}
 */
export async function cosines(x, D) {
  const onnx = await start();
  const N = x.length / D;
  const session = await onnx.InferenceSession.create(
    model(
      [
        node("LpNormalization", ["x"], "unit", [
          { name: "axis", value: 1 },
          { name: "p", value: 2 },
        ]),
        node("Transpose", ["unit"], "across"),
        node("MatMul", ["unit", "across"], "y"),
      ],
      [input("x", "float", [N, D])],
      [input("y", "float", [N, N])],
    ),
  );
  const feeds = [{ x: new onnx.Tensor("float32", x, [N, D]) }];
  return contestant(session, feeds, 4e-6); // float32 sums of D products
}

/**
 * Sums of the rows of bags.
 * @param {Float32Array} table [V, D] @param {number} D @param {Int32Array[]} ids gone round, [B, N] each
 * @param {number} N
 * @returns {Promise<Contestant>}
 */
export async function bag(table, D, ids, N) {
  const onnx = await start();
  const B = ids[0].length / N;
  const session = await onnx.InferenceSession.create(
    model(
      [
        node("Gather", ["table", "ids"], "rows"),
        node("ReduceSum", ["rows", "axes"], "y", [{ name: "keepdims", value: 0 }]),
      ],
      [input("ids", "int32", [B, N]), input("axes", "int64", [1])],
      [input("y", "float", [B, D])],
      [weight("table", table, [table.length / D, D])],
    ),
  );
  const axes = new onnx.Tensor("int64", BigInt64Array.of(1n), [1]);
  const feeds = ids.map((list) => ({ ids: new onnx.Tensor("int32", list, [B, N]), axes }));
  return contestant(session, feeds, 1e-5); // sums in float32
}

/**
 * LayerNorm with a weight and a bias, or RMSNorm with a weight, with an eps of 1e-5, their default.
 * @param {Float32Array[]} x gone round @param {Float32Array[]} columns  weight [D], and bias [D]
 * @returns {Promise<Contestant>}
 */
export async function normalize(x, columns) {
  const onnx = await start();
  const D = columns[0].length;
  const shape = [x[0].length / D, D];
  const operator = columns.length === 2 ? "LayerNormalization" : "SimplifiedLayerNormalization";
  const names = ["weight", "bias"].slice(0, columns.length);
  const session = await onnx.InferenceSession.create(
    model(
      [node(operator, ["x", ...names], "y")],
      [input("x", "float", shape)],
      [input("y", "float", shape)],
      names.map((name, i) => weight(name, columns[i], [D])),
    ),
  );
  const feeds = x.map((data) => ({ x: new onnx.Tensor("float32", data, shape) }));
  return contestant(session, feeds, 4e-6); // sums in float32
}

/**
 * Attention, output and weights. The queries come scaled and the keys as columns: nothing of that is on the
 * clock.
 * @param {Float32Array} q [H, T, D], times 1/sqrt(D) @param {Float32Array} k [H, D, T]
 * @param {Float32Array} v [H, T, D] @param {{H: number, T: number, D: number}} sizes
 * @returns {Promise<Contestant>}
 */
export async function attention(q, k, v, { H, T, D }) {
  const onnx = await start();
  const session = await onnx.InferenceSession.create(
    model(
      [
        node("MatMul", ["q", "k"], "logits"),
        node("Softmax", ["logits"], "weights"),
        node("MatMul", ["weights", "v"], "y"),
      ],
      [
        input("q", "float", [H, T, D]),
        input("k", "float", [H, D, T]),
        input("v", "float", [H, T, D]),
      ],
      [input("y", "float", [H, T, D]), input("weights", "float", [H, T, T])],
    ),
  );
  const feeds = {
    q: new onnx.Tensor("float32", q, [H, T, D]),
    k: new onnx.Tensor("float32", k, [H, D, T]),
    v: new onnx.Tensor("float32", v, [H, T, D]),
  };
  const both = (/** @type {any} */ { y, weights }) => [y.data, weights.data];
  return contestant(session, [feeds], 1e-6, both); // means of numbers within 1
}

/**
 * Attention without weights, in one operator, which takes the heads of a token side by side.
 * @param {Float32Array} q [H, T, D] @param {Float32Array} k @param {Float32Array} v
 * @param {{H: number, T: number, D: number}} sizes
 * @returns {Promise<Contestant>}
 */
export async function fusedAttention(q, k, v, { H, T, D }) {
  const onnx = await start();
  const shape = [1, T, H * D];
  const names = ["q", "k", "v"];
  const heads = [{ name: "num_heads", value: H }];
  const session = await onnx.InferenceSession.create(
    model(
      [node("MultiHeadAttention", names, "y", heads, "com.microsoft")],
      names.map((name) => input(name, "float", shape)),
      [input("y", "float", shape)],
    ),
  );
  const [queries, keys, values] = [q, k, v].map(
    (data) => new onnx.Tensor("float32", swapped(data, H, T, D), shape),
  );
  const feeds = [{ q: queries, k: keys, v: values }];
  return contestant(session, feeds, 1e-6, ({ y }) => [swapped(y.data, T, H, D)]); // means of numbers within 1
}

/** [A, B, D] as [B, A, D]. @param {Float32Array} x @param {number} A @param {number} B @param {number} D */
function swapped(x, A, B, D) {
  const out = new Float32Array(x.length);
  for (let row = 0; row < A * B; ++row) {
    const to = (row % B) * A + Math.floor(row / B);
    out.set(x.subarray(row * D, (row + 1) * D), to * D);
  }
  return out;
}

// ---------------------------------------------------------------- ONNX files, by protocol buffers

/** What onnx.proto calls TensorProto.DataType. */
const TYPES = Object.freeze({ float: 1, int32: 6, int64: 7 });

/** @typedef {keyof typeof TYPES} Type */

/** @param {number} value */
function variable(value) {
  const bytes = [];
  for (; value >= 128; value = Math.floor(value / 128)) bytes.push((value % 128) + 128);
  return Uint8Array.from([...bytes, value]);
}

/**
 * One field of a message.
 * @param {number} number @param {number | string | Uint8Array} value
 */
function field(number, value) {
  if (typeof value === "number") return Buffer.concat([variable(number * 8), variable(value)]);
  const bytes = typeof value === "string" ? Buffer.from(value) : value;
  return Buffer.concat([variable(number * 8 + 2), variable(bytes.length), bytes]);
}

/**
 * NodeProto.
 * @param {string} operator @param {string[]} inputs @param {string | string[]} outputs
 * @param {{name: string, value: number}[]} [attributes] @param {string} [domain]
 */
function node(operator, inputs, outputs, attributes = [], domain = "") {
  const INT = 2;
  return Buffer.concat([
    ...inputs.map((name) => field(1, name)),
    ...[outputs].flat().map((name) => field(2, name)),
    field(4, operator),
    ...attributes.map(({ name, value }) =>
      field(5, Buffer.concat([field(1, name), field(3, value), field(20, INT)])),
    ),
    field(7, domain),
  ]);
}

/** ValueInfoProto. @param {string} name @param {Type} type @param {number[]} shape */
function input(name, type, shape) {
  const sizes = Buffer.concat(shape.map((size) => field(1, field(1, size))));
  const tensor = Buffer.concat([field(1, TYPES[type]), field(2, sizes)]);
  return Buffer.concat([field(1, name), field(2, field(1, tensor))]);
}

/** TensorProto. @param {string} name @param {Float32Array} data @param {number[]} shape */
function weight(name, data, shape) {
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  return Buffer.concat([
    ...shape.map((size) => field(1, size)),
    field(2, TYPES.float),
    field(8, name),
    field(9, bytes),
  ]);
}

/**
 * ModelProto.
 * @param {Buffer[]} nodes @param {Buffer[]} inputs @param {Buffer[]} outputs
 * @param {Buffer[]} [weights]
 */
function model(nodes, inputs, outputs, weights = []) {
  const graph = Buffer.concat([
    ...nodes.map((each) => field(1, each)),
    field(2, "bench"),
    ...weights.map((each) => field(5, each)),
    ...inputs.map((each) => field(11, each)),
    ...outputs.map((each) => field(12, each)),
  ]);
  const operators = (/** @type {string} */ domain, /** @type {number} */ version) =>
    field(8, Buffer.concat([field(1, domain), field(2, version)]));
  return Buffer.concat([
    field(1, 8), // the file format's version
    field(7, graph),
    operators("", 17),
    operators("com.microsoft", 1),
  ]);
}
