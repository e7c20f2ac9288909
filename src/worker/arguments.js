/** What a function of a worker is given: copied, moved, or there already. */
import { describe, kindOf } from "../runtime/check.js";
import { copyOf, pack } from "./wire.js";

/** @typedef {import("../runtime/tensor.js").Tensor<any>} AnyTensor */

/** Arrays that are to be moved. @type {WeakSet<object>} */
const moving = new WeakSet();

/**
 * Let the next call that is given a tensor or typed array move it to the worker: nothing is copied,
 * and it is empty here from then on, as is every other array in the same memory.
 *
 * @template {AnyTensor | ArrayBufferView} Value
 * @param {Value} value  what is to be moved
 * @returns {Value} itself
 * @throws {TypeError} if it is neither, or in memory that other threads share
 * @see No paper: how arrays get from thread to thread
 * @example
 * const { normalize } = await load();
 * const x = new Float32Array(2 ** 20);
 * const y = await normalize.l2(transfer({ data: x, shape: [1024, 1024] }));
 * x.length // 0
 */
export function transfer(value) {
  const array = kindOf(value) ? value : /** @type {any} */ (value)?.data;
  if (!kindOf(array).endsWith("Array") || !(array.buffer instanceof ArrayBuffer)) {
    const rule = "a tensor or a typed array, not in shared memory";
    throw new TypeError(`value must be ${rule}; got ${describe(value)}`);
  }
  moving.add(array);
  return value;
}

/**
 * What lies in a worker: behind which port, and its number there. Holding this keeps it there.
 * @typedef {{port: MessagePort, id: number, live: () => void}} Place
 */

/** @type {WeakMap<object, Place>} */
const places = new WeakMap();

/** @param {object} remote @param {Place} place */
export function place(remote, place) {
  places.set(remote, place);
}

/**
 * @param {unknown[]} values @param {MessagePort} port
 * @throws {TypeError} if one is, or has, a function or something of another worker
 * @throws {import("../runtime/errors.js").DisposedError}
 */
export function packArguments(values, port) {
  /** What is sent for each array. @type {Map<unknown, ArrayBufferView>} */
  const sent = new Map();
  const given = pack(values, {
    array(array) {
      const own = moving.has(array) ? array : copyOf(array);
      sent.set(array, own);
      return ["array", own];
    },
    remote(owner) {
      const there = places.get(owner);
      if (there?.port === port) {
        there.live();
        return ["remote", there.id];
      }
      const isData = !there && ![owner, ...Object.values(owner)].some(isFunction);
      if (isData) return undefined;
      const got = there ? "something of another worker" : describe(owner);
      throw new TypeError(`arguments must be data, or made by the same worker; got ${got}`);
    },
  });
  // A result in an array that was moved comes back as any other; it is not here to be filled.
  const outs = values
    .flatMap((value) => arraysIn(/** @type {any} */ (value)?.out))
    .filter((array) => sent.has(array) && !moving.has(array));
  return {
    /** @type {import("./wire.js").Node} */
    given,
    /** The caller's arrays that the call fills. */
    outs,
    sentOuts: outs.map((array) => sent.get(array)),
    moved: new Set(Array.from(sent.values(), ({ buffer }) => /** @type {ArrayBuffer} */ (buffer))),
  };
}

/** @param {unknown} value */
const isFunction = (value) => typeof value === "function";

/** @param {unknown} out @returns {any[]} */
function arraysIn(out) {
  if (kindOf(out)) return [out];
  return typeof out === "object" && out !== null ? Object.values(out).flatMap(arraysIn) : [];
}
