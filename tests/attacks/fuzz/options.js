/**
 * Options and arguments of every public function, drawn by fast-check from what `optionsOf` declares and
 * from the arguments of tests/calls.js: the function throws by the rules, or its result is sound.
 */
import assert from "node:assert/strict";
import fc from "fast-check";
import { calls } from "../../calls.js";
import { copied, hooked, parted } from "../faults/hooked.js";
import { fingerprint } from "../../truth/fingerprint.js";
import { DisposedError, load, OutOfMemoryError, optionsOf, Tensor } from "../../phasor.js";
import { isArgumentError } from "./targets/laws.js";

/** @typedef {{ own: Function, before: any[], given: any }} Call  of a public function, its options apart */

/** Values that are wrong almost everywhere. */
const JUNK = [
  ...[null, NaN, Infinity, -Infinity, -1, 0, 1.5, 2 ** 31, 1e300, "", "4", "constructor", true],
  ...[[], [[]], [NaN], {}, Symbol.iterator, 4n, -1n, new Float32Array(0), new Date(0), () => 4],
  ...[
    { data: [1, 2], shape: [3] },
    { data: new Float32Array(2), shape: [-1, -2] },
  ],
];

/** Where plain numbers give NaN: the normalized maximum over no token, as in PyTorch. */
const MAY_BE_NAN = new Set(["pooling.apply"]);

/** Numbers, mostly small: sizes that a test can compute. @param {any} option */
function numbersOf({ type, min = -8, max = 64, default: byDefault }) {
  const [least, most] = [Math.max(min, -8), Math.min(max, 40)];
  const inside = fc.integer({
    min: Math.ceil(least),
    max: Math.max(Math.ceil(least), Math.floor(most)),
  });
  const edges = fc.constantFrom(byDefault, min, min - 1, max + 1, 0.5, 1e-30);
  if (type === "integer") return fc.oneof(inside, edges);
  return fc.oneof(
    inside,
    edges,
    fc.double({ min: least, max: Math.max(least, most), noNaN: true }),
  );
}

/** A tensor of some shape with plain numbers. */
const tensors = fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 4 }).chain((shape) => {
  const size = shape.reduce((product, n) => product * n, 1);
  const numbers = fc.array(fc.integer({ min: -3, max: 9 }), { minLength: size, maxLength: size });
  return numbers.map((list) => new Tensor(Float32Array.from(list), shape));
});

/** Values for a declared option. @param {any} option @param {any} given  in tests/calls.js */
function valuesOf(option, given) {
  const own = fc.constant(given).map(copied);
  const junk = fc.constantFrom(...JUNK);
  const { type, values } = option;
  if (type === "integer" || type === "number") {
    return fc.oneof({ arbitrary: numbersOf(option), weight: 5 }, junk, own);
  }
  if (type === "boolean") return fc.oneof({ arbitrary: fc.boolean(), weight: 5 }, junk);
  if (type === "choice") {
    return fc.oneof({ arbitrary: fc.constantFrom(...values), weight: 5 }, numbersOf(option), junk);
  }
  if (type === "seed") return fc.oneof(fc.bigInt({ min: -1n, max: 2n ** 64n }), fc.nat(), junk);
  if (type === "out") {
    const arrays = fc.integer({ min: 0, max: 64 }).map((length) => new Float32Array(length));
    return fc.oneof(arrays, junk);
  }
  return fc.oneof({ arbitrary: own, weight: 3 }, tensors, junk);
}

/** An argument like one of tests/calls.js, or another. @param {any} argument */
function argumentsLike(argument) {
  const own = fc.constant(argument).map(copied);
  const junk = fc.constantFrom(...JUNK);
  const near = typeof argument === "number" ? fc.integer({ min: -2, max: 48 }) : tensors;
  return fc.oneof({ arbitrary: own, weight: 8 }, { arbitrary: near, weight: 2 }, junk);
}

/** @param {Call} call */
function drawn({ own, before, given }) {
  const declared = optionsOf(own);
  const parts = Object.entries(declared).map(([name, option]) => [
    name,
    fc.option(valuesOf(option, given[name]), { nil: undefined, freq: 2 }),
  ]);
  const options = fc.record(Object.fromEntries(parts), { requiredKeys: [] });
  const kept = options.map((some) => ({ ...copied(given), ...some }));
  const args = fc.tuple(...before.map(argumentsLike));
  return fc.tuple(args, parts.length > 0 ? kept : fc.constant(undefined));
}

/** Whether all numbers are such that nothing overflows. @param {any} value @returns {boolean} */
function isTame(value) {
  if (typeof value === "number")
    return Math.abs(value) < 1e6 && (value === 0 || Math.abs(value) > 1e-6);
  if (ArrayBuffer.isView(value)) return /** @type {any} */ (value).every(isTame);
  return typeof value !== "object" || value === null || Object.values(value).every(isTame);
}

/** Every tensor of a result has as many numbers as its shape says. @param {any} value @param {boolean} isTame */
function isSound(value, isTame) {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return;
  if (ArrayBuffer.isView(value.data) && Array.isArray(value.shape)) {
    const size = value.shape.reduce(
      (/** @type {number} */ product, /** @type {number} */ n) => product * n,
      1,
    );
    assert.equal(/** @type {any} */ (value.data).length, size, `data of shape [${value.shape}]`);
    if (isTame) assert.ok(!(/** @type {any} */ (value.data).some(Number.isNaN)), "no NaN");
    return;
  }
  for (const part of Object.values(value)) isSound(part, isTame);
}

/** Tables of tests/calls.js are disposed of by then. @param {any} error */
const isOver = (error) => error instanceof DisposedError;

/** Objects in WebAssembly memory. @param {any} value */
function release(value) {
  if (typeof value?.dispose === "function") value.dispose();
}

/** Arguments that may be left out stand before the options. @param {Function} own @param {any[]} before @param {any} given */
function withDefaults(own, before, given) {
  try {
    release(own(...before, given));
    return before;
  } catch {
    return [...before, undefined];
  }
}

/**
 * Every call of a public function that a call of tests/calls.js makes.
 * @param {any} phasor @param {string} name
 */
export async function callsOf(phasor, name) {
  /** @type {Call[]} */
  const found = [];
  const attacked = hooked(phasor, (own, args) => {
    const { before, given } = parted(own, copied(args));
    found.push({ own, before: withDefaults(own, before, given), given });
    return own(...args);
  });
  await calls[name](attacked);
  return found;
}

/**
 * Attacks a function of tests/calls.js.
 * @param {any} phasor @param {string} name
 * @param {{ runs: number, seed: number }} options
 * @returns {Promise<{ executions: number, accepted: number }>}
 */
export async function attackOptions(phasor, name, { runs, seed }) {
  const want = fingerprint(await calls[name](phasor));
  const count = { executions: 0, accepted: 0 };
  for (const call of await callsOf(phasor, name)) {
    const property = fc.property(drawn(call), ([args, options]) => {
      ++count.executions;
      let result;
      try {
        result = call.own(...args, ...(options === undefined ? [] : [options]));
      } catch (/** @type {any} */ error) {
        const isTyped =
          isArgumentError(error) || error instanceof OutOfMemoryError || isOver(error);
        assert.ok(isTyped && error.name !== "CoreError", String(error?.stack));
        return;
      }
      ++count.accepted;
      isSound(result, isTame([args, options]) && !MAY_BE_NAN.has(name));
      release(result);
    });
    fc.assert(property, { numRuns: runs, seed, endOnFailure: true });
  }
  assert.equal(fingerprint(await calls[name](phasor)), want, "the next call");
  return count;
}

/**
 * Attacks every function.
 * @param {{ runs: number, seed: number }} options  `runs`: for each call of tests/calls.js
 */
export async function attackAllOptions(options) {
  const phasor = await load({ shared: false });
  const sum = { functions: 0, executions: 0, accepted: 0 };
  for (const name of Object.keys(calls)) {
    const { executions, accepted } = await attackOptions(phasor, name, options);
    sum.executions += executions;
    sum.accepted += accepted;
    ++sum.functions;
  }
  return sum;
}
