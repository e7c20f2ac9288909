/**
 * The reference values of tests/truth/golden. Its reader is its own and small: the tests of `files` must
 * not lean on what they test.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

/**
 * @typedef {Float32Array | Float64Array | BigInt64Array | Int32Array | Uint8Array} Data
 * @typedef {{data: Data, shape: number[]}} Stored
 * @typedef {object} Case
 * @property {string} id
 * @property {string} op
 * @property {Record<string, any>} params
 * @property {Record<string, Stored>} inputs
 * @property {Record<string, Stored>} outputs
 * @property {string} source  what produced the outputs
 * @property {Record<string, number>} metrics  how far the library lies from the exact value
 */

/** @param {string} name */
const at = (name) => new URL(`golden/${name}`, import.meta.url);

/** @type {{cases: any[]}} */
const { cases: list } = JSON.parse(readFileSync(at("cases.json"), "utf8"));

/** How many cases each op has. @type {ReadonlyMap<string, number>} */
export const counts = list.reduce((map, { op }) => map.set(op, (map.get(op) ?? 0) + 1), new Map());

/**
 * The cases of an op, with their tensors. Their number is stated where they are used, so that a
 * lost case is noticed.
 * @param {string} op
 * @param {number} expected  how many there must be
 * @param {(params: Record<string, any>) => boolean} [wanted]  by the case's params
 * @returns {Case[]}
 */
export function cases(op, expected, wanted = () => true) {
  const chosen = list.filter((one) => one.op === op && wanted(one.params));
  assert.equal(chosen.length, expected, `cases of ${op}`);
  return chosen.map(opened);
}

/**
 * One case, for a test that looks at it from another side.
 * @param {string} id
 * @returns {Case}
 */
export function caseOf(id) {
  const found = list.find((one) => one.id === id);
  assert.ok(found, id);
  return opened(found);
}

/** @param {any} listed @returns {Case} */
function opened({ inputs, outputs, file, metrics, ...rest }) {
  return {
    ...rest,
    inputs: tensors(file, inputs),
    outputs: tensors(file, outputs),
    metrics: metrics ?? {},
  };
}

/**
 * @param {string} file @param {Record<string, string>} names
 * @returns {Record<string, Stored>}
 */
function tensors(file, names) {
  const stored = container(file);
  return Object.fromEntries(
    Object.entries(names).map(([key, name]) => {
      const tensor = stored.get(name);
      assert.ok(tensor, `${file} must hold ${name}`);
      return [key, { data: tensor.data.slice(), shape: [...tensor.shape] }];
    }),
  );
}

const ARRAYS = Object.freeze({
  F32: Float32Array,
  F64: Float64Array,
  I64: BigInt64Array,
  I32: Int32Array,
  U8: Uint8Array,
});

/** @type {Map<string, Map<string, Stored>>} */
const containers = new Map();

/** @param {string} file @returns {Map<string, Stored>} */
function container(file) {
  const known = containers.get(file);
  if (known) return known;
  const bytes = readFileSync(at(file));
  const start = 8 + Number(bytes.readBigUInt64LE(0));
  /** @type {[string, {dtype: keyof typeof ARRAYS, shape: number[], data_offsets: number[]}][]} */
  const entries = Object.entries(JSON.parse(bytes.toString("utf8", 8, start)));
  const stored = new Map(
    entries
      .filter(([name]) => name !== "__metadata__")
      .map(([name, { dtype, shape, data_offsets: range }]) => {
        const [from, to] = range.map((offset) => bytes.byteOffset + start + offset);
        const data = new ARRAYS[dtype](bytes.buffer.slice(from, to));
        return [name, { data, shape }];
      }),
  );
  containers.set(file, stored);
  return stored;
}
