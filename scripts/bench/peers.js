// The jobs of the bench by other libraries of npm: searches by graphs (hnswlib-wasm, usearch), ml-pca, and the
// functions that transformers.js has beside its models. Installed by the bench alone, so their types are not there.

/** @typedef {import("./measure.js").Contestant} Contestant */

/**
 * A search of the k rows that are most like a query.
 * @typedef {(query: Float32Array, k: number) => ArrayLike<number>} Search
 */

/** @param {string} name @returns {Promise<any>} */
const imported = (name) => import(name);

/** Neighbors of a row in a graph, and rows looked at: the middle of what both libraries' guides advise. */
const GRAPH = Object.freeze({ neighbors: 16, building: 200, searching: 64 });

/**
 * A graph of the rows in WebAssembly. The library is made for pages: it looks for a window, and says so where it finds
 * no database.
 * @param {Float32Array} rows [V, D] @param {number} D
 * @returns {Promise<Search>}
 */
export async function hnswlib(rows, D) {
  const { error, log } = console;
  const isPage = "window" in globalThis;
  if (!isPage) Object.assign(globalThis, { window: globalThis });
  console.error = console.log = () => {};
  const { loadHnswlib } = await imported("hnswlib-wasm/dist/hnswlib.js");
  const library = await loadHnswlib();
  Object.assign(console, { error, log });
  if (!isPage) Reflect.deleteProperty(globalThis, "window");
  const V = rows.length / D;
  const index = new library.HierarchicalNSW("cosine", D, "");
  index.initIndex(V, GRAPH.neighbors, GRAPH.building, 100);
  for (let v = 0; v < V; ++v) index.addPoint(rows.subarray(v * D, (v + 1) * D), v, false);
  index.setEfSearch(GRAPH.searching);
  return (query, k) => index.searchKnn(query, k, undefined).neighbors;
}

/**
 * A graph of the rows in native code, for Node alone.
 * @param {Float32Array} rows [V, D] @param {number} D
 * @returns {Promise<Search>}
 */
export async function usearch(rows, D) {
  const { default: library } = await imported("usearch");
  const index = new library.Index({
    metric: "cos",
    dimensions: D,
    connectivity: GRAPH.neighbors,
    expansion_add: GRAPH.building,
    expansion_search: GRAPH.searching,
  });
  const keys = BigUint64Array.from({ length: rows.length / D }, (_, v) => BigInt(v));
  index.add(keys, rows, 1);
  return (query, k) => Array.from(index.search(query, k, 1).keys, Number);
}

/**
 * The two largest variances by ml-pca, from the covariance: its fastest way for more rows than columns.
 * @param {Float32Array} x [N, D] @param {number} D
 * @returns {Promise<Contestant>}
 */
export async function variances(x, D) {
  const { PCA } = await imported("ml-pca");
  const rows = Array.from({ length: x.length / D }, (_, n) =>
    Array.from(x.subarray(n * D, (n + 1) * D)),
  );
  const run = () =>
    Float32Array.from(new PCA(rows, { method: "covarianceMatrix" }).getEigenvalues().slice(0, 2));
  return { name: "ml-pca", run, result: () => [run()], tolerance: 1e-4 };
}

/** The functions of transformers.js, with the tensor of its runtime and without its models. */
async function transformers() {
  const runtime = Symbol.for("onnxruntime");
  /** @type {any} */ (globalThis)[runtime] ??= await imported("onnxruntime-common");
  const file = "./node_modules/@huggingface/transformers/dist/transformers.web.js"; // not the one that needs a native runtime
  return imported(new URL(file, import.meta.url).href);
}

/**
 * Means of tokens by a mask.
 * @param {Float32Array} x [B, T, D] @param {number[]} shape @param {readonly number[]} mask [B, T]
 * @returns {Promise<Contestant>}
 */
export async function meanPooling(x, shape, mask) {
  const { mean_pooling, Tensor } = await transformers();
  const states = new Tensor("float32", x, shape);
  const kept = new Tensor("int64", BigInt64Array.from(mask, BigInt), shape.slice(0, 2));
  const run = () => mean_pooling(states, kept).data;
  return { name: "transformers.js", run, result: () => [run()], tolerance: 1e-6 };
}

/**
 * LayerNorm without a weight.
 * @param {Float32Array} x [T, D] @param {number} D
 * @returns {Promise<Contestant>}
 */
export async function layerNorm(x, D) {
  const { layer_norm, Tensor } = await transformers();
  const rows = new Tensor("float32", x, [x.length / D, D]);
  const run = () => layer_norm(rows, [D]).data;
  return { name: "transformers.js", run, result: () => [run()], tolerance: 1e-3 }; // it adds eps to the deviation
}

/**
 * The cosines of one row and all rows of a table.
 * @param {Float32Array} query [D] @param {Float32Array} rows [V, D]
 * @returns {Promise<Contestant>}
 */
export async function cosinesOfOne(query, rows) {
  const { cos_sim } = await transformers();
  const D = query.length;
  const list = Array.from({ length: rows.length / D }, (_, v) => rows.subarray(v * D, (v + 1) * D));
  const out = new Float32Array(list.length);
  const run = () => {
    for (let v = 0; v < list.length; ++v) out[v] = cos_sim(query, list[v]);
  };
  return { name: "transformers.js", run, result: () => [out], tolerance: 1.2e-7 };
}
