/** Packs the arguments of a call for a worker: arrays are copied, moved or shared, objects of the worker are named. */
import * as memory from "../runtime/arrays.js";
import { isGone, isShared, kindOf, viewOf } from "../runtime/arrays.js";
import { abortSignal, describe, isObject } from "../runtime/check.js";
import { inFunction } from "../runtime/named.js";
import { copyOf, namesOf, pack } from "./wire.js";

/** @typedef {import("../runtime/tensor.js").Tensor<any>} AnyTensor */

/** Arrays to transfer instead of copy. @type {WeakSet<object>} */
const moving = new WeakSet();

/**
 * Marks a tensor or typed array, so that the next call that receives it moves it to the worker instead of copying
 * it. The array is then empty in this thread, like every other array in the same memory.
 *
 * @template {AnyTensor | ArrayBufferView | {data: ArrayBufferView}} Value
 * @param {Value} value  the array to move
 * @returns {Value} the same value
 * @throws {TypeError} if it is not a tensor or typed array, or if its memory is shared between threads
 * @see HTML, transferable objects, https://html.spec.whatwg.org/multipage/structured-data.html
 * @example
 * const { normalize } = await load();
 * const x = new Float32Array(2 ** 20);
 * const y = await normalize.l2(transfer({ data: x, shape: [1024, 1024] }));
 * x.length // 0
 */
export function transfer(value) {
  try {
    const array = kindOf(value) || !isObject(value) ? value : /** @type {any} */ (value).data;
    if (!kindOf(array).endsWith("Array") || isShared(array)) {
      const rule = "a tensor or a typed array, not in shared memory";
      throw new TypeError(`value must be ${rule}; got ${describe(value)}`);
    }
    if (isGone(array.buffer)) {
      throw new TypeError("value must be an array in memory; got one that was moved elsewhere");
    }
    moving.add(array);
    return value;
  } catch (error) {
    throw inFunction("transfer", error);
  }
}

/** Whether the next call moves an array. @param {unknown} array */
export const isMoving = (array) => moving.has(/** @type {object} */ (array));

/**
 * Leaves arrays empty that were to be moved, after copies of them were sent.
 * @param {readonly ArrayBufferView[]} arrays  without the mark of `transfer`
 */
export function empty(arrays) {
  for (const buffer of new Set(arrays.map(({ buffer }) => /** @type {ArrayBuffer} */ (buffer)))) {
    structuredClone(buffer, { transfer: [buffer] });
  }
}

/** Takes the mark of `transfer` off an array. @param {object} array @returns {boolean} whether it had one */
export const unmark = (array) => moving.delete(array);

/**
 * Takes the option `signal` out of the arguments of a call: it stays in this thread.
 * @param {readonly any[]} values
 * @returns {{signal: AbortSignal | undefined, others: any[]}}
 * @throws {TypeError} if it is no signal
 * @throws what the signal was aborted with
 */
export function readSignal(values) {
  const options = values[values.length - 1];
  if (!isObject(options) || kindOf(options) || !("signal" in options)) {
    return { signal: undefined, others: [...values] };
  }
  const signal = abortSignal(options.signal);
  signal?.throwIfAborted();
  const others = namesOf(options).filter((name) => name !== "signal");
  const rest = Object.fromEntries(others.map((name) => [name, /** @type {any} */ (options)[name]]));
  return { signal, others: [...values.slice(0, -1), rest] };
}

/**
 * An object in a worker: the link to the worker and the number of the object. The worker keeps the object as long
 * as this is referenced.
 * @typedef {{link: object, id: number, live: () => void}} Place
 */

/** @type {WeakMap<object, Place>} */
const places = new WeakMap();

/** @param {object} remote @param {Place} place */
export function place(remote, place) {
  places.set(remote, place);
}

/**
 * @param {unknown[]} values @param {object} link  to the worker
 * @param {boolean} shares  whether arrays in shared memory are sent as they are, not copied
 * @throws {TypeError} if a value is or contains a function, or an object of another worker
 * @throws {import("../runtime/errors.js").DisposedError}
 */
export function packArguments(values, link, shares) {
  /** The array that is sent for each array. @type {Map<unknown, ArrayBufferView>} */
  const sent = new Map();
  const given = pack(values, {
    array(array) {
      const view = viewOf(array, "arguments"); // Node 20 drops messages with memory that was moved
      const isSent = shares && isShared(view);
      const own = moving.has(array) ? array : isSent ? view : copyOf(view);
      sent.set(array, own);
      return ["array", own];
    },
    remote(owner) {
      const there = places.get(owner);
      if (there?.link === link) {
        there.live();
        return ["remote", there.id];
      }
      const isData = !there && ![owner, ...Object.values(owner)].some(isFunction);
      if (isData) return undefined;
      const got = there ? "an object of another worker" : describe(owner);
      throw new TypeError(`arguments must be data, or made by the same worker; got ${got}`);
    },
  });
  // A moved array cannot be filled here: its result is returned as a new array.
  const outs = values
    .flatMap((value) => arraysIn(/** @type {any} */ (value)?.out))
    .filter((array) => sent.has(array) && !moving.has(array));
  // Each is copied, so that the worker does not see that they share memory.
  for (const [i, array] of outs.entries()) {
    const isShared = (/** @type {any} */ other) => other !== array && memory.shares(other, array);
    if (outs.slice(0, i).some(isShared))
      throw new RangeError("out must have arrays that share no memory; got two that do");
  }
  return {
    /** @type {import("./wire.js").Node} */
    given,
    /** The arrays that the call fills, in this thread or in the worker. */
    outs,
    sentOuts: outs.map((array) => sent.get(array)),
    moved: buffersOf([...sent.values()]),
  };
}

/** The memory of arrays that a message moves. @param {readonly ArrayBufferView[]} arrays */
export function buffersOf(arrays) {
  const own = arrays.filter((array) => !isShared(array));
  return new Set(own.map(({ buffer }) => /** @type {ArrayBuffer} */ (buffer)));
}

/** @param {unknown} value */
const isFunction = (value) => typeof value === "function";

/** Levels of the arrays in an option: { q: { cos } } and one more. */
const DEEPEST = 4;

/** The typed arrays in an argument. @param {unknown} value @param {number} [depth] @returns {any[]} */
export function arraysIn(value, depth = 0) {
  if (kindOf(value)) return [value];
  if (!isObject(value) || depth === DEEPEST) return [];
  return Object.values(value).flatMap((member) => arraysIn(member, depth + 1));
}
