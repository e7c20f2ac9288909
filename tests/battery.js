/**
 * The battery that every public function goes through: whatever is wrong for an argument is refused
 * in words that name it, and the next good call gives what it always gave.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { inspect } from "node:util";
import { CoreFailure, Tensor } from "./phasor.js";

/**
 * Values that are wrong for an argument, by its kind. "Nothing is coerced": what merely looks or
 * converts like the right thing is wrong, too.
 */
const NEITHER = [
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
const NO_TENSOR = [...NEITHER, 4, 4n, new ArrayBuffer(16), { data: [1, 2] }, { shape: [2] }];

/** @type {Record<string, unknown[]>} */
export const WRONG = {
  size: [
    ...NO_NUMBER,
    ...NOT_FINITE,
    undefined,
    0,
    -0,
    -1,
    1.5,
    2 ** 31,
    1e300,
    2n ** 31n,
    -1n,
    0n,
  ],
  count: [...NO_NUMBER, ...NOT_FINITE, -1, 1.5, 2 ** 31, 1e300, 2n ** 31n, -1n],
  whole: [...NO_NUMBER, ...NOT_FINITE, 1.5, 2 ** 31, -(2 ** 31), 1e300, 2n ** 70n],
  evenSize: [...NO_NUMBER, ...NOT_FINITE, undefined, 0, 1, 3, -2, 2.5, 2 ** 31, 2n ** 70n],
  length: [...NEITHER, undefined, ...NOT_FINITE, -1, 1.5, 2 ** 31, 1e300],
  positions: [[NaN], [Infinity], [2 ** 31 + 1], [-(2 ** 32)], ["1"], [null], [undefined], [{}]],
  number: [...NO_NUMBER, ...NOT_FINITE, 4n],
  required: [...NO_NUMBER, ...NOT_FINITE, 4n, undefined],
  atLeastOne: [...NO_NUMBER, ...NOT_FINITE, 0.999, 0, -1, 4n],
  positive: [...NO_NUMBER, ...NOT_FINITE, 0, -0, -1, 4n],
  notNegative: [...NO_NUMBER, ...NOT_FINITE, -1, -1e-300, 4n],
  reach: [...NO_NUMBER, ...NOT_FINITE, 4n, 2 ** 31 + 1, -(2 ** 31) - 1, 1e300],
  shift: [...NO_NUMBER, ...NOT_FINITE, 4n, 2 ** 33, -(2 ** 33), 1e300],
  word: [
    ...NEITHER,
    4,
    4n,
    NaN,
    [],
    ["halves"],
    Object("halves"),
    "Halves",
    "halves ",
    "__proto__",
  ],
  wordOrPositive: [...NEITHER, 0, -1, NaN, Infinity, 4n, [], ["paper"], "Paper", "toString"],
  wordOrNumber: [...NEITHER, NaN, Infinity, -Infinity, 4n, [], ["sqrt"], "Sqrt", "constructor"],
  truth: [
    null,
    0,
    1,
    "",
    "true",
    "false",
    [],
    {},
    Object(true),
    Symbol("true"),
    () => true,
    NaN,
    1n,
  ],
  seed: [...NO_NUMBER, ...NOT_FINITE, -1, 1.5, 2 ** 53, 1e300, -1n, 2n ** 64n],
  axis: [...NO_NUMBER, ...NOT_FINITE, -1, 0, 1, 2, -4, -2.5, -1n],
  shapes: [...NEITHER, 4, 4n, NaN, [4], [null], ["4"], [[-1]], [[1.5]], [["4"]], [[null]], [[NaN]]],
  tensor: [undefined, ...NO_TENSOR, [["1"]], [[null]], [[[1]], [2]], [[1, 2], [3]], [[1n, 2n]]],
  tensorOption: [...NO_TENSOR, [["1"]], [[null]], [[1, 2], [3]], [[1n, 2n]]],
  ids: [
    ...[undefined, ...NEITHER, -1, 4, 1.5, NaN, Infinity, 2 ** 32, 4n, -1n, 2n ** 64n],
    ...[[4], [-1], [1.5], [NaN], [-Infinity], [2 ** 53], [null], [undefined], ["1"], [true], [{}]],
    ...[[0, , 1], [0, [1]], [[0], 1], [[0, 1], [2]], [Symbol("1")], [() => 1]], // eslint-disable-line no-sparse-arrays
    ...[[4n], [-1n], [2n ** 63n], BigInt64Array.of(4n), BigInt64Array.of(-(2n ** 63n))],
    ...[BigUint64Array.of(2n ** 64n - 1n), Int32Array.of(-1), Uint32Array.of(2 ** 32 - 1)],
    ...[Float32Array.of(0.5), Float64Array.of(NaN), { data: [9], shape: [1] }, { data: [0] }],
  ],
  floats: [
    ...[
      null,
      true,
      4,
      4n,
      "",
      "4",
      Symbol("4"),
      () => 4,
      {},
      [],
      [0, 0, 0, 0],
      { data: [0, 0, 0, 0] },
    ],
    ...[new Float64Array(16), new Int32Array(16), new ArrayBuffer(64), new Uint8Array(64)],
    ...[new Tensor(new Int32Array(16), [16]), new Tensor(new Float64Array(16), [4, 4])],
    ...[new Float32Array(0), new Float32Array(1000), new Tensor(new Float32Array(3), [3])],
  ],
  ints: [
    ...[null, true, 4, 4n, "", "4", Symbol("4"), () => 4, {}, [], [0, 0, 0, 0]],
    ...[{ data: [0, 0, 0, 0] }, new Float32Array(4), new Uint32Array(4), new ArrayBuffer(16)],
    ...[new Tensor(new Float32Array(4), [4]), new Int32Array(0), new Int32Array(1000)],
    new Tensor(new Int32Array(3), [3]),
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
    ...[
      undefined,
      ...NEITHER,
      4,
      4n,
      [],
      new Float32Array(16),
      new Tensor(new Float32Array(1), [1]),
    ],
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
  options: [null, true, 4, 4n, NaN, "", "halves", Symbol("4"), () => ({}), [], [{}], { none: 1 }],
};

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
 */
export function battery(name, { call, good, args }) {
  describe(name, () => {
    const want = call(good);
    for (const [argument, [kind, ...names]] of Object.entries(args)) {
      const shown = argument === "$" ? "options" : (names[0] ?? argument);
      test(`${name} refuses whatever is wrong for ${shown}, in words`, () => {
        for (const value of WRONG[kind]) {
          const isPositional = argument in good || argument === "$";
          const given = isPositional
            ? { ...good, [argument]: value }
            : { ...good, $: { ...good.$, [argument]: value } };
          const told = `${shown} = ${inspect(value)}`;
          let got;
          try {
            got = call(given);
          } catch (error) {
            assertInWords(error, told, argument === "$" ? ["options"] : [shown, ...names]);
            assert.deepEqual(call(good), want, `the next good call, after ${told}`);
            continue;
          }
          assert.fail(`${told} was taken: ${inspect(got)}`);
        }
      });
    }
  });
}

/** That an error is one of ours, in words. @param {unknown} error @param {string} told @param {string[]} names */
export function assertInWords(error, told, names) {
  assert.ok(error instanceof TypeError || error instanceof RangeError, `${told}: ${error}`);
  assert.ok(!(error instanceof CoreFailure), told);
  assert.match(error.message, /^.+ must .+; got .+$/s, told);
  const [subject] = error.message.split(" must ");
  // "offset + length - 1 must ..." is about the offset
  assert.ok(
    names.some((name) => subject === name || subject.startsWith(`${name} `)),
    `${told}: ${error.message}`,
  );
}
