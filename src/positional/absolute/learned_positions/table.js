/** @import { Core } from "../../../runtime/wasm.js" */
/** @import { TensorInput } from "../../../runtime/tensor.js" */
/** @import { EmbeddingTable, LookupOptions } from "../../../embedding/embedding/embedding.js" */
import * as check from "../../../runtime/check.js";
import { asFloat32 } from "../../../runtime/tensor.js";
import { embedding } from "../../../embedding/embedding/embedding.js";

/**
 * What rows are taken from: a table of `embedding.create`, or plain weights [V, D].
 * @typedef {Pick<EmbeddingTable, "vocabulary" | "dim" | "lookup">} ReadTable
 * @typedef {ReadTable | TensorInput} TableInput
 */

/**
 * Read an argument that is a table. Of plain weights, only the rows that are looked up are copied.
 * @param {Core} core @param {unknown} value @param {string} name
 * @returns {ReadTable}
 * @throws {TypeError | RangeError}
 */
export function readTable(core, value, name) {
  if (isTable(value)) return value;
  const { data, shape } = asFloat32(value, name);
  const [V, D] = shape;
  if (shape.length !== 2 || V < 1 || D < 1) {
    throw new RangeError(
      `${name} must be an embedding table or weights [V, D]; got shape [${shape.join(", ")}]`,
    );
  }
  return {
    vocabulary: V,
    dim: D,
    lookup(ids, options) {
      // only the rooms call this, with ids that they have read
      const wanted = /** @type {{data: Int32Array, shape: number[]}} */ (ids);
      return withRows(core, data, D, wanted, options);
    },
  };
}

/** @param {unknown} value @returns {value is ReadTable} */
function isTable(value) {
  return typeof value === "object" && value !== null && "vocabulary" in value && "lookup" in value;
}

/**
 * Look up in a table of just the rows that are wanted, so that the arithmetic is a table's.
 * @param {Core} core @param {Float32Array} data @param {number} D
 * @param {{data: Int32Array, shape: number[]}} ids @param {LookupOptions} [options]
 */
function withRows(core, data, D, { data: ids, shape }, options) {
  const weights = check.float32s(Math.max(ids.length, 1) * D, "the rows looked up");
  ids.forEach((id, t) => weights.set(data.subarray(id * D, (id + 1) * D), t * D));
  const table = embedding(core).create(Math.max(ids.length, 1), D, { weights });
  try {
    return table.lookup({ data: ids.map((_, t) => t), shape }, options);
  } finally {
    table.dispose();
  }
}
