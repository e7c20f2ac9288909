/**
 * The battery that every public function goes through: whatever is wrong for an argument is refused
 * with an error that names it, nothing is written to `out`, and the next good call gives what it always gave.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { inspect } from "node:util";
import { CoreError, optionsOf, phasor, Tensor } from "../phasor.js";
import { emptyRange } from "../ranges.js";
import { PARTS, placesFor } from "./narrow.js";

/** A proxy whose every use throws an error of the engine. @template {object} Target @param {Target} target */
export function revoked(target) {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
}

/** An array whose memory was moved elsewhere. @template {ArrayBufferView} View @param {View} array */
export function moved(array) {
  structuredClone(array.buffer, { transfer: [array.buffer] });
  return array;
}

/** Arrays that cannot be read: without memory, without a target, with 2^32 - 1 holes. */
const UNREADABLE = [
  moved(new Float32Array(4)),
  moved(new Int32Array(4)),
  moved(new BigInt64Array(4)),
  { data: moved(new Float32Array(4)), shape: [2, 2] },
  { data: moved(new Float32Array(4)), shape: [0] },
  { data: revoked([1]), shape: [1] },
  { data: [1], shape: revoked([1]) },
  { data: new Array(2 ** 32 - 1), shape: [2 ** 32 - 1] },
  revoked([1]),
  [revoked([1])],
  [moved(new Float32Array(4))],
  new Array(2 ** 32 - 1),
  [new Array(2 ** 32 - 1)],
];

/**
 * Values that are wrong for an argument, by its kind. "Nothing is coerced": what merely looks or
 * converts like the right thing is wrong, too.
 */
const NEITHER = [
  revoked({}),
  null,
  true,
  "",
  "4",
  "four",
  Symbol("4"),
  () => 4,
  {},
  { valueOf: () => 4 },
  new Date(4),
  Object(4), // a Number object
];
const NO_NUMBER = [...NEITHER, [], [4], Float32Array.of(4), new Map([[0, 4]])];
const NOT_FINITE = [NaN, Infinity, -Infinity];
const NO_TENSOR = [
  ...NEITHER,
  ...UNREADABLE,
  4,
  4n,
  new ArrayBuffer(16),
  { data: [1, 2] },
  { shape: [2] },
];

/** @type {Record<string, unknown[]>} */
export const WRONG = {
  size: [
    ...[...NO_NUMBER, ...NOT_FINITE],
    ...[undefined, 0, -0, -1, 1.5, 2 ** 31, 1e300, 2n ** 31n, -1n, 0n],
  ],
  sizeOption: [
    ...[...NO_NUMBER, ...NOT_FINITE],
    ...[0, -0, -1, 1.5, 2 ** 31, 2 ** 53, 1e300, 2n ** 31n, 2n ** 64n, -1n, 0n],
  ],
  layer: [...NO_NUMBER, ...NOT_FINITE, -1, 1.5, 32, 2 ** 31, -1n],
  window: [
    ...NEITHER,
    ...[4, 4n, NaN, [], [4], [1, 2, 3], [0, 1], ["4", 4], [1.5, 2], Float32Array.of(4, 4)],
  ],
  metadata: [undefined, null, true, 4, 4n, Symbol("4"), () => 4, "four", [], {}, new Map()],
  config: [
    ...[revoked({}), undefined, null, true, 4, 4n, Symbol("4"), () => 4, [], {}, "", "four"],
    ...["[]", "4", "{}", new Map([[0, 4]])],
  ],
  whole: [...NO_NUMBER, ...NOT_FINITE, 1.5, 2 ** 31, -(2 ** 31), 1e300, 2n ** 70n],
  evenSize: [...NO_NUMBER, ...NOT_FINITE, undefined, 0, 1, 3, -2, 2.5, 2 ** 31, 2n ** 70n],
  evenWidth: [...NEITHER, ...NOT_FINITE, undefined, 0, 1, 3, -2, 2.5, 2 ** 31, 2n ** 70n, 3n],
  numbers: [
    ...UNREADABLE,
    ...[undefined, ...NEITHER, ...[NaN, [NaN], [-Infinity], ["1"], [null], [true], [{}], [1e39]]],
    ...[[[1], 2], [[1, 2], [3]], { data: [1] }, { data: [1, 2], shape: [3] }, new ArrayBuffer(16)],
  ],
  sizes: [
    ...[new Array(2 ** 32 - 1), moved(new Int32Array(2))],
    ...NEITHER,
    ...[undefined, 4, 4n, [], [0], [-1], [1.5], [NaN], ["4"], [null], [[2, 2]], [2 ** 31]],
  ],
  perAxis: [
    ...[...NEITHER, 0, -1, NaN, Infinity, 4n, [], [1], [1, 2, 3], [1, 0], [1, NaN], [1, "2"]],
    ...[[[1], [2]], 1e300],
  ],
  words: [...NEITHER, 4, 4n, NaN, "halves", ["Halves"], ["__proto__"], [4], [null], [["halves"]]],
  mask: [
    ...UNREADABLE,
    ...[undefined, ...NEITHER, 4, 4n, [[2]], [[0.5]], [["1"]], [[null]], [[NaN]], [[-1]], [[{}]]],
    ...[[1], [[1, 0], [1]], { data: [1] }, { data: [1, 0], shape: [3] }, new ArrayBuffer(16)],
  ],
  order: [
    ...NEITHER,
    ...[0, 4n, NaN, [], [0], [0, 0], [0, 2], [0.5, 1], ["0", "1"], [[0, 1]], [0, 1, 2]],
  ],
  count: [...NO_NUMBER, ...NOT_FINITE, -1, 1.5, 2 ** 31, 2 ** 53, 1e300, -1n, 2n ** 31n, 2n ** 64n],
  length: [...NEITHER, undefined, ...NOT_FINITE, -1, 1.5, 2 ** 31, 1e300],
  rows: [...NO_NUMBER, ...NOT_FINITE, -1, 1.5, 2 ** 31, 1e300, -1n],
  keyLength: [
    ...UNREADABLE,
    ...[...NEITHER, ...NOT_FINITE, -1, 3, 1.5, 2 ** 31, 3n, -1n], // of 2 keys, of one text
    ...[[], [1, 1], [3], [-1], [1.5], ["1"], [null], [[1]], Float32Array.of(0.5)],
  ],
  picked: [
    ...UNREADABLE,
    ...[...NEITHER, ...NOT_FINITE, 0, 1, 4n, [], [1], [-1], [1.5], [NaN], ["0"], [null], [{}]],
    ...[[[[0]]], [0, 0], Float32Array.of(0.5), { data: [0] }], // of 1 row, for 1 position
  ],
  positions: [
    ...UNREADABLE,
    ...[[NaN], [Infinity], [2 ** 31 + 1], [-(2 ** 32)], ["1"], [null], [undefined], [{}]],
  ],
  number: [...NO_NUMBER, ...NOT_FINITE, 4n],
  required: [...NO_NUMBER, ...NOT_FINITE, 4n, undefined],
  atLeastOne: [...NO_NUMBER, ...NOT_FINITE, 0.999, 0, -1, 4n],
  positive: [...NO_NUMBER, ...NOT_FINITE, 0, -0, -1, 4n],
  notNegative: [...NO_NUMBER, ...NOT_FINITE, -1, -1e-300, 4n],
  belowOne: [...NO_NUMBER, ...NOT_FINITE, 1, 1.5, -0.1, 4n],
  rowIndex: [...NO_NUMBER, ...NOT_FINITE, 4, -5, 0.5, 2 ** 31, 4n], // of 4 rows
  normType: [...NO_NUMBER, NaN, -Infinity, 0, -0, -1, 4n],
  reach: [...NO_NUMBER, ...NOT_FINITE, 4n, 2 ** 31 + 1, -(2 ** 31) - 1, 1e300],
  shift: [...NO_NUMBER, ...NOT_FINITE, 4n, 2 ** 33, -(2 ** 33), 1e300],
  word: [
    ...NEITHER,
    ...[4, 4n, NaN, [], ["halves"], Object("halves"), "Halves", "halves ", "__proto__"],
  ],
  wordOrPositive: [...NEITHER, 0, -1, NaN, Infinity, 4n, [], ["paper"], "Paper", "toString"],
  wordOrNumber: [...NEITHER, NaN, Infinity, -Infinity, 4n, [], ["sqrt"], "Sqrt", "constructor"],
  truth: [
    ...[revoked({}), null, 0, 1, "", "true", "false", [], {}, Object(true), Symbol("true")],
    ...[() => true, NaN, 1n],
  ],
  seed: [...NO_NUMBER, ...NOT_FINITE, -1, 1.5, 2 ** 53, 1e300, -1n, 2n ** 64n],
  axis: [...NO_NUMBER, ...NOT_FINITE, -1, 0, 1, 2, -4, -2.5, -1n],
  embedding: [
    ...NEITHER,
    ...[undefined, 4, 4n, [], [[1, 2]], new Float32Array(8), { dim: 2, vocabulary: 4 }],
  ],
  shapes: [...NEITHER, 4, 4n, NaN, [4], [null], ["4"], [[-1]], [[1.5]], [["4"]], [[null]], [[NaN]]],
  sections: [
    ...NEITHER,
    ...[4, 4n, NaN, [], [0, 2], [1.5], [NaN], ["2"], [null], [[2]], [7, 7], { data: [2] }],
  ],
  sectionsOrPositive: [
    ...[...NEITHER, ...NOT_FINITE, 0, -1, 4n, [], [0, 2], [NaN, 1], ["2"], [7, 7, 7, 7]],
  ],
  grid: [undefined, ...NEITHER, 4, 4n, NaN, [], [-1, 2], [1.5], [NaN], ["2"], [null], [[2, 2]]],
  tensor: [undefined, ...NO_TENSOR, [["1"]], [[null]], [[[1]], [2]], [[1, 2], [3]], [[1n, 2n]]],
  tensorOption: [...NO_TENSOR, [["1"]], [[null]], [[1, 2], [3]], [[1n, 2n]]],
  ids: [
    ...UNREADABLE,
    ...[undefined, ...NEITHER, -1, 4, 1.5, NaN, Infinity, 2 ** 32, 4n, -1n, 2n ** 64n],
    ...[[4], [-1], [1.5], [NaN], [-Infinity], [2 ** 53], [null], [undefined], ["1"], [true], [{}]],
    ...[[0, , 1], [0, [1]], [[0], 1], [[0, 1], [2]], [Symbol("1")], [() => 1]], // eslint-disable-line no-sparse-arrays
    ...[[4n], [-1n], [2n ** 63n], BigInt64Array.of(4n), BigInt64Array.of(-(2n ** 63n))],
    ...[BigUint64Array.of(2n ** 64n - 1n), Int32Array.of(-1), Uint32Array.of(2 ** 32 - 1)],
    ...[Float32Array.of(0.5), Float64Array.of(NaN), { data: [9], shape: [1] }, { data: [0] }],
  ],
  text: [
    ...UNREADABLE,
    ...[undefined, ...NEITHER, 1, 4n, -1, NaN, [4], [-1], [1.5], [NaN], [2 ** 53], [null], ["1"]],
    ...[[{}], [0, , 1], [0, [1]], [[0], 1], [[0, 1], [4]], [[-1]], [[0, 1.5]], [["1"]], [[[0, 1]]]], // eslint-disable-line no-sparse-arrays
    ...[[4n], [-1n], BigInt64Array.of(4n), Int32Array.of(-1), [Int32Array.of(4)]],
    ...[Float32Array.of(0.5), { data: [9], shape: [1] }, { data: [0] }, { data: [0], shape: [] }],
    ...[{ data: [0], shape: [1, 1, 1] }],
  ],
  tokens: [
    ...UNREADABLE,
    ...NEITHER,
    ...[undefined, 5, 5n, NaN, [-1], [1.5], [NaN], [2 ** 31], [null], ["1"], [true], [{}]],
    ...[[[0], 1], [[0, 1], [2]], [-1n], [2n ** 31n], Float32Array.of(0.5), Int32Array.of(-1)],
    ...[{ data: [9] }, { data: [9], shape: [2] }, { data: [5], shape: [] }, new ArrayBuffer(16)],
  ],
  floats: [
    ...[null, true, 4, 4n, "", "4", Symbol("4"), () => 4, {}, [], [0, 0, 0, 0]],
    ...[{ data: [0, 0, 0, 0] }],
    ...[new Float64Array(16), new Int32Array(16), new ArrayBuffer(64), new Uint8Array(64)],
    ...[new Uint16Array(16), { data: new Uint16Array(16), shape: [16], dtype: "uint16" }],
    new Tensor(new Uint16Array(1000), [1000], "float16"),
    ...[new Tensor(new Int32Array(16), [16]), new Tensor(new Float64Array(16), [4, 4])],
    ...[new Float32Array(0), new Float32Array(1000), new Tensor(new Float32Array(3), [3])],
    ...[revoked({}), moved(new Float32Array(4)), { data: revoked({}), shape: [4] }],
  ],
  file: [
    ...[undefined, ...NEITHER, 4, 4n, NaN, [], new Uint8Array(8), { bytes: new Uint8Array(8) }],
    ...[null, "8", 8, [1, 2], {}].map((bytes) => ({ bytes, dtype: "float16", shape: [4] })),
    ...[undefined, null, 16, "f16", "Q9_0", "__proto__", ["float16"]].map((dtype) => ({
      ...{ bytes: new Uint8Array(8), dtype, shape: [4] },
    })),
    ...[undefined, null, 4, "4", [3], [5], [-4], [1.5], ["4"], [NaN], [2, 2, 2], [[4]]].map(
      (shape) => ({ bytes: new Uint8Array(8), dtype: "float16", shape }),
    ),
  ],
  ints: [
    ...[null, true, 4, 4n, "", "4", Symbol("4"), () => 4, {}, [], [0, 0], { data: [0, 0] }],
    ...[new Float32Array(4), new Uint32Array(4), new ArrayBuffer(16)],
    ...[new Tensor(new Float32Array(4), [4]), new Int32Array(0), new Int32Array(1000)],
    ...[revoked({}), moved(new Int32Array(4)), { data: revoked({}), shape: [4] }],
  ],
  pair: [
    ...[null, true, 4, 4n, "", "4", Symbol("4"), () => 4, {}, [], new Float32Array(16)],
    ...[{ cos: new Float32Array(4) }, { sin: new Float32Array(4) }],
    ...[
      { cos: new Float32Array(4), sin: null },
      { cos: null, sin: new Float32Array(4) },
    ],
    ...[{ cos: new Float32Array(5), sin: new Float32Array(4) }],
    ...[{ cos: new Float32Array(4), sin: new Float32Array(3) }],
    ...[{ cos: new Float64Array(4), sin: new Float64Array(4) }],
  ],
  table: [
    ...NEITHER,
    ...[undefined, 4, 4n, [], new Float32Array(16), new Tensor(new Float32Array(1), [1])],
    ...[{ cos: [[1]] }, { sin: [[0]] }, { cos: null, sin: null }, { cos: 1, sin: 0 }],
    ...[
      { cos: [1], sin: [0] },
      { cos: [["1"]], sin: [[0]] },
      { cos: [[1]], sin: [["0"]] },
    ],
    ...[
      { cos: [[1], [1], [1]], sin: [[0], [0], [0]] },
      { cos: [[1, 1, 1]], sin: [[0, 0, 0]] },
    ],
    ...[
      { cos: [[1]], sin: [[0], [0]] },
      { cos: [[1]], sin: [0] },
      { cos: [[1]], sin: [[0, 0]] },
    ],
    ...[
      { cos: [[[1]], [[1]]], sin: [[[0]], [[0]]] },
      { cos: [[[[1]]], [[[1]]]], sin: [[[[0]]], [[[0]]]] },
    ],
  ],
  chance: [...NO_NUMBER, ...NOT_FINITE, -1e-9, 1 + 2 ** -52, 2, 4n],
  lengths: [
    ...[new Array(2 ** 32 - 1), revoked([1])],
    ...[undefined, ...NEITHER, 4, 4n, NaN, Float32Array.of(0.5), [-1], [1.5], [NaN], ["1"], [null]],
    ...[[2 ** 31], [[1]], [,], [{}]], // eslint-disable-line no-sparse-arrays
  ],
  tokenIds: [
    ...UNREADABLE,
    ...[...NEITHER, -1, 1.5, NaN, Infinity, 2 ** 31, -1n, 2n ** 64n, [-1], [1.5], [NaN]],
    ...[[2 ** 53], [null], [undefined], ["1"], [true], [{}], [[0, 1], [2]], [-1n], [2n ** 63n]],
    ...[Int32Array.of(-1), Uint32Array.of(2 ** 32 - 1), Float32Array.of(0.5), { data: [0] }],
  ],
  flags: [
    ...NO_TENSOR,
    ...[[2], [-1], [0.5], [NaN], ["1"], [null], [undefined], [{}], [2n], [[1], [1, 0]]],
    ...[Int32Array.of(2), BigInt64Array.of(-1n), Float32Array.of(0.5)],
  ],
  sides: [
    ...NEITHER,
    ...[4, 4n, NaN, [], [2], [2, 2, 2], [0, 2], [2, -1], [1.5, 2], ["2", 2], [2, null]],
  ],
  multimodal: [
    ...[new Array(5), new Array(2 ** 32 - 1), [[], new Array(3)], [[{ text: 1 }], revoked([])]],
    ...[[, { text: 1 }], [revoked({})], [{ grid: revoked([1]) }]], // eslint-disable-line no-sparse-arrays
    ...NEITHER,
    ...[undefined, 4, 4n, NaN, [null], [4], ["text"], [{}], [{ text: -1 }], [{ text: 1.5 }]],
    ...[[{ text: "1" }], [{ text: 1, grid: [1, 1, 1] }], [{ image: [1, 1, 1] }], [{ grid: 4 }]],
    ...[[{ grid: [1, 1] }], [{ grid: [0, 1, 1] }], [{ grid: [1, 1, "1"] }], [{ text: 2 ** 31 }]],
    ...[[{ grid: [1, 1, 1], step: 0 }], [{ grid: [1, 1, 1], step: NaN }]],
    ...[[{ grid: [1, 1, 1], sound: 0 }], [{ grid: [1, 1, 1], sound: 2 ** 30 }]],
    ...[[{ grid: [2 ** 20, 2, 1], sound: 4 }], [{ grid: [1, 1, 1], sound: 4, chunk: 0 }]],
    ...[[{ grid: [1, 1, 1], sound: 4, order: "sound" }]],
    ...[[{ grid: [1, 1, 1], sound: 4, order: "time", step: 6.5 }], [{ text: 4, sound: "4" }]],
    ...[[[{ text: 1 }], { text: 1 }]],
    ...[
      [{ text: 1, more: 1 }],
      [{ grid: [2 ** 20, 2 ** 20, 1] }],
      [{ text: 2 ** 30 }, { text: 2 ** 30 }],
    ],
  ],
  specs: [
    ...[undefined, ...NEITHER, 4, 4n, [], { positions: 4 }, { positions: {} }],
    ...[{ positions: { scheme: "four" } }, { positions: { scheme: 4 } }],
  ],
  tables: [
    ...NEITHER,
    ...[undefined, 4, 4n, [], [[1, 2]], { words: 4 }, { words: [1, 2] }, { words: [["1"]] }],
    ...[{ words: [[1, 2]], more: [[1, 2]] }, { words: [[]] }, { words: null }],
  ],
  options: [
    ...[revoked({}), null, true, 4, 4n, NaN, "", "halves", Symbol("4"), () => ({}), [], [{}]],
    ...[{ none: 1 }],
  ],
};

/** Kinds of arguments that are arrays of numbers. */
const TAKES_NUMBERS = /^(tensor|tensorOption|ids|text|tokens|positions|numbers)$/;

/** Numbers in double with a shape, of a tensor or nested arrays; undefined for anything else. @param {any} value */
function typed(value) {
  if (!Array.isArray(value) && !ArrayBuffer.isView(value) && !Array.isArray(value?.shape))
    return undefined;
  /** @param {any} level @returns {number[]} */
  const sizes = (level) => (typeof level === "object" ? [level.length, ...sizes(level[0])] : []);
  /** @type {number[]} */
  const shape = value.shape ?? sizes(value);
  const list = value.data ?? value;
  const flat = ArrayBuffer.isView(list) ? /** @type {any} */ (list) : list.flat(Infinity);
  return { data: Float64Array.from(flat, Number), shape };
}

/** A tensor as libraries have those of booleans. @param {{data: Float64Array, shape: number[]}} numbers */
const booleans = ({ data: { length }, shape }) => [
  { data: new Uint8Array(length), dims: shape, type: "bool" },
  { data: new Uint8Array(length), shape, dtype: "bool" },
  { data: Array(length).fill(true), shape, dtype: "BOOL" },
  { data: new Uint8Array(length), shape, dtype: "|b1" },
];

/** The arrays of some `out`. @param {any} out @returns {Float32Array[]} */
const arraysOf = (out) =>
  ArrayBuffer.isView(out) ? [/** @type {any} */ (out)] : Object.values(out ?? {}).flatMap(arraysOf);

/** An array that no call has written to. @type {import("./narrow.js").Place} */
const untouched = (shape, dtype) =>
  new (dtype === "int32" ? Int32Array : Float32Array)(sizeOf(shape)).fill(7);

/** @param {readonly number[]} shape */
const sizeOf = (shape) => shape.reduce((product, n) => product * n, 1);

/**
 * Go through every argument of a function.
 *
 * @param {string} name  `room.function`, as the user calls it; more words may follow
 * @param {object} battery
 * @param {(args: any) => unknown} battery.call
 * @param {Record<string, any>} battery.good  arguments that work; those that are not here are options
 * @param {Record<string, readonly [kind: string, ...names: string[]]>} battery.args  of each
 *   argument its kind in `WRONG`, and the names that a message may begin with (its own where none
 *   is given); `$` stands for the options
 * @param {string} [battery.called]  the function that messages name
 */
export function battery(name, { call, good, args, called = name.split(" ")[0] }) {
  describe(name, () => {
    const want = /** @type {any} */ (call(good));
    const part = PARTS[called];
    const out = "out" in args ? placesFor(part ? want[part] : want, untouched) : undefined;
    for (const [argument, [kind, ...names]] of Object.entries(args)) {
      const shown = argument === "$" ? "options" : (names[0] ?? argument);
      test(`${name} rejects wrong values of ${shown} with typed errors`, () => {
        for (const value of WRONG[kind]) {
          const isPositional = argument in good || argument === "$";
          const $ = { ...good.$, ...(out && { out }) };
          const given = isPositional
            ? { ...good, $, [argument]: value }
            : { ...good, $: { ...$, [argument]: value } };
          const label = `${shown} = ${inspect(value)}`;
          let got;
          try {
            got = call(given);
          } catch (error) {
            const own = [shown, `${shown}.shape`, ...names];
            assertInWords(error, label, argument === "$" ? ["options"] : own, called);
            assert.deepEqual(call(good), want, `the next good call, after ${label}`);
            for (const array of arraysOf(out))
              assert.ok(
                array.every((x) => x === 7),
                `out, after ${label}`,
              );
            continue;
          }
          assert.fail(`${label} was taken: ${inspect(got)}`);
        }
      });
      const isOption = !(argument in good);
      const numbers = TAKES_NUMBERS.test(kind) && typed((isOption ? good.$ : good)?.[argument]);
      if (!numbers) continue;
      const bools = booleans(numbers);
      test(`${name} rejects booleans as ${shown}, whose bytes are no numbers`, () => {
        for (const given of bools) {
          const one = { [argument]: given };
          const all = isOption ? { ...good, $: { ...good.$, ...one } } : { ...good, ...one };
          assert.throws(
            () => call(all),
            /^TypeError: .+ must hold .*numbers.*; got (bool|BOOL|\|b1) values$/,
          );
        }
      });
      if (!kind.startsWith("tensor")) continue;
      test(`${name} rejects numbers beyond float32's range in ${shown}`, () => {
        for (const x of [1e39, -Number.MAX_VALUE]) {
          const data = numbers.data.map((old, at) => (at === numbers.data.length - 1 ? x : old));
          for (const list of [data, Array.from(data)]) {
            const one = { [argument]: { data: list, shape: numbers.shape } };
            const all = isOption ? { ...good, $: { ...good.$, ...one } } : { ...good, ...one };
            // Positions have a separate range.
            assert.throws(() => call(all), {
              name: "RangeError",
              message:
                /must (hold numbers within float32's range|be from -2\^31 to 2\^31).*; got -?1/,
            });
          }
        }
      });
    }
  });
}

/** The kinds of arguments by their names. @type {Record<string, readonly [kind: string, ...names: string[]]>} */
const ARGUMENTS = {
  heads: ["size"],
  dim: ["size"],
  length: ["length"],
  lengths: ["lengths"],
  keys: ["length"],
  tokens: ["tokens"],
  positions: ["positions"],
  table: ["tensor", "table", "table.shape[0]"],
  weights: ["tensor"],
  vectors: ["tensor"],
  x: ["tensor"],
  a: ["tensor"],
  b: ["tensor"],
  $: ["options"],
};

/**
 * The kind of an option in `WRONG`, if its declaration says all about it.
 * @param {import("phasor").Option} option
 */
function kindOf({ type, min, max = Infinity, read }) {
  const takes = (/** @type {number} */ value) => {
    try {
      return Object.is(read(value, ""), value);
    } catch {
      return false;
    }
  };
  if (type === "integer") return (min ?? 0) > 0 ? "sizeOption" : "count";
  if (type === "number") {
    if (max <= 1) return undefined;
    if (min === undefined || takes(-1)) return "number";
    if (min === 0) return takes(0) ? "notNegative" : "positive";
    return min === 1 && takes(1) ? "atLeastOne" : undefined;
  }
  if (type === "choice" && takes(1)) return takes(-1) ? "wordOrNumber" : "wordOrPositive";
  const kinds = {
    choice: "word",
    boolean: "truth",
    seed: "seed",
    out: "floats",
    tensor: "tensorOption",
  };
  return /** @type {Record<string, string>} */ (kinds)[type];
}

/**
 * Go through every argument of a function and every option that it declares.
 *
 * @param {string} name  MODULE.METHOD, or that of a module which is a function
 * @param {Record<string, any>} good  arguments that work, in their order; `$`: the options that it requires
 * @param {Record<string, readonly [kind: string, ...names: string[]]>} [special]  the kinds of those that neither
 *   their name nor the declared option tells
 * @param {(made: any) => unknown} [result]  of what the function returns, if not that itself
 * @param {{modules: object, optionsOf: typeof optionsOf}} [entry]  that has the function
 */
export function declaredBattery(
  name,
  good,
  special = {},
  result = (made) => made,
  entry = { modules: phasor, optionsOf },
) {
  const [module, method] = name.split(".");
  const owner = /** @type {any} */ (entry.modules)[module];
  const run = method ? owner[method] : owner;
  const options = Object.entries(entry.optionsOf(run)).map(([option, declared]) => {
    const own = special[option] ?? [kindOf(declared)];
    if (!(own[0] in WRONG)) throw new Error(`special must have the kind of ${name}'s ${option}`);
    return [option, own];
  });
  const names = Object.keys(good).filter((each) => each !== "$");
  const given = [...names, "$"].map((each) => [each, special[each] ?? ARGUMENTS[each]]);
  battery(name, {
    call: (args) => result(run(...names.map((each) => args[each]), args.$)),
    good,
    args: Object.fromEntries([...given, ...options]),
  });
}

/** `FUNCTION: ARGUMENT must RULE; got VALUE`, the form of every argument error. */
export const FORM = /^(?<called>[\w.]+): (?<subject>[^]+?) must (?<rule>[^]+); got (?<got>[^]+)$/;

/** Checks that a call is refused for an argument. @param {RegExp} message @param {() => unknown} call */
export function assertRefused(message, call) {
  assert.throws(call, (error) => {
    assert.ok(error instanceof RangeError || error instanceof TypeError);
    assert.match(error.message, message);
    assert.match(error.message, FORM);
    return true;
  });
}

/**
 * Checks that an error is one of an argument: function, argument, rule and value.
 * @param {unknown} error @param {string} label @param {string[]} names  of the argument
 * @param {string} called  the function; of an object's methods the name alone will do
 */
export function assertInWords(error, label, names, called) {
  assert.ok(error instanceof TypeError || error instanceof RangeError, `${label}: ${error}`);
  assert.ok(!(error instanceof CoreError), label);
  const parts = FORM.exec(error.message)?.groups;
  assert.ok(parts, `${label}: ${error.message}`);
  assert.ok(`.${parts.called}`.endsWith(`.${called}`), `${label}: ${error.message}`);
  assert.equal(emptyRange(error.message), undefined, `${label}: ${error.message}`);
  // "offset + length - 1 must ..." is about the offset
  assert.ok(
    names.some((name) => parts.subject === name || parts.subject.startsWith(`${name} `)),
    `${label}: ${error.message}`,
  );
}
