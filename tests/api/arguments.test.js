import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { inspect } from "node:util";
import { CoreFailure, OutOfMemory, phasor, Tensor } from "../phasor.js";
import { floats } from "../reference/samples.js";

const { embedding, rope, sinusoidal } = phasor;

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
const WRONG = {
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
 * Every argument of every function: its kind, and the names that a message may begin with (its own
 * where none is given).
 *
 * @typedef {object} Battery
 * @property {(args: any) => unknown} call
 * @property {Record<string, any>} good  arguments that work
 * @property {Record<string, readonly [kind: string, ...names: string[]]>} args  `$` stands for the options
 */
const weights = [
  [1, 2],
  [3, 4],
  [5, 6],
  [7, 8],
];
const table = embedding.create(4, 2, { weights });

const WAVES = /** @type {const} */ ({
  base: ["atLeastOne"],
  layout: ["word"],
  spectrum: ["wordOrPositive"],
  odd: ["word"],
  precision: ["word"],
  recipe: ["word"],
});
const FREQUENCIES = /** @type {const} */ ({
  base: ["atLeastOne"],
  precision: ["word"],
  recipe: ["word"],
});

/** @type {Record<string, Battery>} */
const BATTERIES = {
  "sinusoidal.table": {
    call: ({ T, dim, $ }) => sinusoidal.table(T, dim, $),
    good: { T: 2, dim: 4 },
    args: {
      T: ["length", "length", "positions"],
      dim: ["size"],
      $: ["options"],
      ...WAVES,
      offset: ["reach"],
      out: ["floats"],
    },
  },
  "sinusoidal.table at positions": {
    call: ({ T, dim, $ }) => sinusoidal.table(T, dim, $),
    good: { T: [1, 2], dim: 4 },
    args: { T: ["positions", "positions"], offset: ["shift", "offset", "positions"] },
  },
  "sinusoidal.shift": {
    call: ({ k, dim, $ }) => sinusoidal.shift(k, dim, $),
    good: { k: 2, dim: 4 },
    args: { k: ["required"], dim: ["evenSize"], $: ["options"], ...WAVES, out: ["floats"] },
  },
  "rope.frequencies": {
    call: ({ dim, $ }) => rope.frequencies(dim, $),
    good: { dim: 4 },
    args: { dim: ["evenSize"], $: ["options"], ...FREQUENCIES, out: ["floats"] },
  },
  "rope.table": {
    call: ({ T, dim, $ }) => rope.table(T, dim, $),
    good: { T: 2, dim: 4 },
    args: {
      T: ["length", "length", "positions"],
      dim: ["evenSize"],
      $: ["options"],
      ...FREQUENCIES,
      offset: ["reach"],
      out: ["pair", "out", "out.cos", "out.sin"],
    },
  },
  "rope.table at positions": {
    call: ({ T, dim, $ }) => rope.table(T, dim, $),
    good: { T: [1, 2], dim: 4 },
    args: { T: ["positions", "positions"], offset: ["shift", "offset", "positions"] },
  },
  "rope.rotate": {
    call: ({ x, table, $ }) => rope.rotate(x, table, $),
    good: { x: [[1, 2]], table: rope.table(1, 2) },
    args: {
      x: ["tensor", "x", "x.shape"],
      table: ["table", "table", "table.cos", "table.sin"],
      $: ["options"],
      layout: ["word"],
      inverse: ["truth"],
      axis: ["axis"],
      out: ["floats"],
    },
  },
  "embedding.create": {
    call: ({ V, D, $ }) => embedding.create(V, D, $).weights(),
    good: { V: 3, D: 2 },
    args: {
      V: ["size", "vocabulary"],
      D: ["size", "dim"],
      $: ["options"],
      weights: ["tensorOption", "weights", "weights.shape"],
      init: ["word"],
      mean: ["number"],
      std: ["notNegative"],
      low: ["number"],
      high: ["number"],
      gain: ["positive"],
      seed: ["seed"],
      generator: ["word"],
      after: ["shapes", "after", "after[0]"],
      storage: ["word"],
    },
  },
  "embedding.oneHot": {
    call: ({ ids, V, $ }) => embedding.oneHot(ids, V, $),
    good: { ids: [1, 0], V: 4 },
    args: {
      ids: ["ids", "ids", "ids.shape"],
      V: ["size", "vocabulary"],
      $: ["options"],
      out: ["floats"],
    },
  },
  lookup: {
    call: ({ ids, $ }) => table.lookup(ids, $),
    good: { ids: [1, 0] },
    args: {
      ids: ["ids", "ids", "ids.shape"],
      $: ["options"],
      scale: ["wordOrNumber"],
      add: ["tensorOption", "add", "add.shape"],
      out: ["floats"],
    },
  },
  oneHot: {
    call: ({ ids, $ }) => table.oneHot(ids, $),
    good: { ids: [1, 0] },
    args: { ids: ["ids", "ids", "ids.shape"], $: ["options"], out: ["floats"] },
  },
  weights: {
    call: ({ $ }) => table.weights($),
    good: {},
    args: { $: ["options"], out: ["floats"] },
  },
  bytes: {
    call: ({ $ }) => table.bytes($),
    good: {},
    args: { $: ["options"], dtype: ["word"] },
  },
};

for (const [name, { call, good, args }] of Object.entries(BATTERIES)) {
  describe(name, () => {
    const want = call(good);
    for (const [argument, [kind, ...names]] of Object.entries(args)) {
      const shown = argument === "$" ? "options" : (names[0] ?? argument);
      test(`${name} refuses whatever is wrong for ${shown}, in words`, () => {
        for (const value of WRONG[kind]) {
          const isPositional = argument in good || argument === "$";
          const given = isPositional
            ? { ...good, [argument]: value }
            : { ...good, $: { [argument]: value } };
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

/** @param {unknown} error @param {string} told @param {string[]} names */
function assertInWords(error, told, names) {
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

describe("options", () => {
  test("a misspelt option is refused with the names there are", () => {
    const misspelt = /** @type {any} */ ({ layuot: "halves" });
    for (const [call, known] of /** @type {[() => unknown, string[]][]} */ ([
      [
        () => sinusoidal.table(2, 4, misspelt),
        ["base", "layout", "spectrum", "odd", "offset", "out"],
      ],
      [() => sinusoidal.shift(2, 4, misspelt), ["base", "layout", "spectrum", "precision", "out"]],
      [() => rope.frequencies(4, misspelt), ["base", "precision", "recipe", "out"]],
      [() => rope.table(2, 4, misspelt), ["base", "precision", "recipe", "offset", "out"]],
      [
        () => rope.rotate([[1, 2]], rope.table(1, 2), misspelt),
        ["layout", "inverse", "axis", "out"],
      ],
      [() => embedding.create(2, 4, misspelt), ["weights", "init", "std", "seed", "generator"]],
      [() => embedding.oneHot([0], 4, misspelt), ["out"]],
      [() => table.lookup([0], misspelt), ["scale", "add", "out"]],
      [() => table.oneHot([0], misspelt), ["out"]],
      [() => table.weights(misspelt), ["out"]],
      [() => table.bytes(misspelt), ["dtype"]],
    ])) {
      assert.throws(call, (/** @type {Error} */ error) => {
        assert.ok(error instanceof TypeError);
        assert.match(error.message, /^options must be among those of .+ \(.+\); got layuot$/);
        for (const name of known) assert.ok(error.message.includes(name), error.message);
        return true;
      });
    }
  });

  test("an option that is undefined has its default", () => {
    const none = { base: undefined, layout: undefined, offset: undefined, out: undefined };
    assert.deepEqual(sinusoidal.table(3, 6, none), sinusoidal.table(3, 6));
    assert.deepEqual(sinusoidal.table(3, 6, undefined), sinusoidal.table(3, 6));
    assert.deepEqual(sinusoidal.table(3, 6, Object.create(null)), sinusoidal.table(3, 6));
  });

  test("a wrong word is answered with the right ones", () => {
    const wrong = /** @type {any} */ ({ layout: "half" });
    assert.throws(() => rope.rotate([[1, 2]], rope.table(1, 2), wrong), {
      name: "RangeError",
      message: 'layout must be one of "interleaved", "halves"; got "half"',
    });
  });

  test("a long word is cut short in a message", () => {
    const wrong = /** @type {any} */ ({ layout: "x".repeat(1e6) });
    assert.throws(
      () => sinusoidal.table(1, 2, wrong),
      (/** @type {Error} */ error) => error.message.length < 300,
    );
  });
});

describe("out", () => {
  test("out stays untouched when anything else of the call is wrong", () => {
    const out = new Float32Array(8).fill(7);
    const pair = { cos: new Float32Array(4).fill(7), sin: new Float32Array(4).fill(7) };
    const wrong = /** @type {any} */ (Symbol("wrong"));
    for (const call of [
      () => sinusoidal.table([1, NaN], 4, { out }),
      () => sinusoidal.table([1, 2], 4, { out, layout: wrong }),
      () => sinusoidal.table(2, 5, { out }),
      () => sinusoidal.shift(NaN, 2, { out }),
      () => sinusoidal.shift(1, 3, { out }),
      () => rope.table([1, Infinity], 4, { out: pair }),
      () => rope.table(2, 4, { out: { cos: pair.cos, sin: new Float32Array(3) } }),
      () => rope.table(2, 4, { out: { cos: new Float32Array(3), sin: pair.sin } }),
      () =>
        rope.rotate(
          [
            [1, 2, 3, 4],
            [5, 6, 7, wrong],
          ],
          rope.table(2, 4),
          { out },
        ),
      () =>
        rope.rotate(
          [
            [1, 2, 3, 4],
            [5, 6, 7, 8],
          ],
          rope.table(3, 4),
          { out },
        ),
      () =>
        rope.rotate(
          [
            [1, 2, 3, 4],
            [5, 6, 7, 8],
          ],
          { ...rope.table(2, 4), sin: wrong },
          { out },
        ),
      () => embedding.oneHot([0, 4], 4, { out }),
      () => table.lookup([0, 1, 2, 4], { out }),
      () => table.lookup([0, 1, 2, 3], { out, scale: NaN }),
      () => table.lookup([0, 1, 2, 3], { out, add: [[1, 2, 3]] }),
      () => table.lookup([0, 1, 2, 3], { out, add: [[1, wrong]] }),
      () => table.oneHot([0, 1, 2, -1], { out }),
    ]) {
      assert.throws(
        call,
        /** @param {Error} error */ (error) => {
          assertInWords(error, "", [error.message.split(" must ")[0]]);
          return true;
        },
      );
      assert.ok([...out, ...pair.cos, ...pair.sin].every((x) => x === 7));
    }
  });

  test("out says how many numbers it must hold, and of what shape", () => {
    assert.throws(() => sinusoidal.table(2, 4, { out: new Float32Array(7) }), {
      name: "RangeError",
      message: "out must hold 8 numbers, shape [2, 4]; got 7",
    });
  });

  test("out that was transferred away is refused", () => {
    const out = new Float32Array(8);
    structuredClone(out.buffer, { transfer: [out.buffer] });
    assert.throws(() => sinusoidal.table(2, 4, { out }), /^RangeError: out must .+; got 0$/);
  });

  test("out for rope.table must be two arrays, not one twice", () => {
    const one = new Float32Array(4);
    assert.throws(
      () => rope.table(2, 4, { out: { cos: one, sin: one } }),
      /^RangeError: out(\.\w+)? must .+; got /,
    );
  });
});

describe("numbers at the edge of their range", () => {
  test("seeds go to 2^64-1 and positions to 2^31", () => {
    embedding.create(1, 1, { seed: 2n ** 64n - 1n });
    embedding.create(1, 1, { seed: Number.MAX_SAFE_INTEGER });
    sinusoidal.table([2 ** 31, -(2 ** 31)], 2);
    sinusoidal.table(1, 2, { offset: 2 ** 31 });
    sinusoidal.table(2, 2, { offset: 2 ** 31 - 1 });
    assert.throws(() => sinusoidal.table(3, 2, { offset: 2 ** 31 - 1 }), RangeError);
    sinusoidal.shift(2 ** 31, 2);
    assert.throws(() => sinusoidal.shift(2 ** 31 + 1, 2), /^RangeError: k must .+; got /);
  });

  test("sizes may be BigInts", () => {
    const [length, dim] = /** @type {any[]} */ ([2, 4n]);
    assert.deepEqual(sinusoidal.table(length, dim), sinusoidal.table(2, 4));
  });

  test("embedding.create draws from a range that float32 holds, or refuses it", () => {
    for (const options of /** @type {any[]} */ ([
      { init: "uniform", low: 0, high: 1e39 },
      { init: "uniform", low: -1e308, high: 1e308 },
      { init: "uniform", low: 2, high: 1 },
      { init: "uniform", low: 1, high: 1 },
      { init: "uniform", low: 1 + 1e-12, high: 1 + 2e-12 }, // no float32 lies within
      { init: "xavier-uniform", gain: 1e308 },
      { init: "xavier-normal", gain: 1e308 },
      { std: 1e300 },
      { mean: 1e300 },
    ])) {
      assert.throws(
        () => embedding.create(4, 4, options),
        /^RangeError: .+ must .+; got /,
        inspect(options),
      );
    }
    for (const [low, high] of [
      [-3e38, 3e38],
      [1, 1 + 2 ** -23],
      [-(2 ** -149), 0],
    ]) {
      const drawn = floats(embedding.create(50, 4, { init: "uniform", low, high }).weights());
      assert.ok(
        drawn.every((x) => x >= low && x < high),
        `${low} to ${high}`,
      );
    }
    for (const std of [0, 1e37]) {
      assert.ok(floats(embedding.create(50, 4, { std }).weights()).every(Number.isFinite));
    }
  });

  test("lookup refuses a scale that float32 cannot hold", () => {
    for (const scale of [1e39, -1e300]) {
      assert.throws(() => table.lookup([0], { scale }), /^RangeError: scale must .+; got /);
    }
    assert.ok(floats(table.lookup([0], { scale: 3e37 })).every(Number.isFinite));
  });
});

describe("combinations", () => {
  /** @type {[string, () => unknown][]} */
  const clashes = [
    ["weights", () => embedding.create(3, 2, { weights: [[1, 2]] })],
    [
      "weights",
      () =>
        embedding.create(3, 2, {
          weights: [
            [1, 2, 3],
            [4, 5, 6],
          ],
        }),
    ],
    ["weights", () => embedding.create(3, 2, { weights: [1, 2, 3, 4, 5] })],
    [
      "weights",
      () =>
        embedding.create(3, 2, {
          weights: [
            [
              [1, 2],
              [3, 4],
              [5, 6],
            ],
          ],
        }),
    ],
    [
      "storage",
      () => embedding.create(3, 2, { weights: [1, 2, 3, 4, 5, 6], storage: "on-demand" }),
    ],
    ["generator", () => embedding.create(3, 2, { generator: "torch", storage: "on-demand" })],
    ["low", () => embedding.create(3, 2, { low: 2 })],
    ["add", () => table.lookup([0, 1], { add: [1, 2, 3] })],
    ["add", () => table.lookup([0, 1], { add: [[1], [2]] })],
    ["add", () => table.lookup([0, 1], { add: [[1, 2]] })],
    [
      "add",
      () =>
        table.lookup([0, 1], {
          add: [
            [
              [1, 2],
              [3, 4],
            ],
          ],
        }),
    ],
    ["x", () => rope.rotate([[1, 2]], rope.table(1, 2), { axis: -3 })],
    ["table", () => rope.rotate([[1, 2]], rope.table(2, 2))],
    ["table", () => rope.rotate([[1, 2]], rope.table(1, 4))],
    ["table", () => rope.rotate([[[1, 2]], [[1, 2]]], rope.table([[1], [2], [3]], 2))],
    ["table", () => rope.rotate([[1, 2]], rope.table([[1], [2]], 2))],
    ["dim", () => sinusoidal.shift(1, 3)],
  ];
  for (const [k, [name, call]] of clashes.entries()) {
    test(`${name} is named where arguments do not go together (${k + 1})`, () => {
      assert.throws(
        call,
        /** @param {Error} error */ (error) => {
          assert.ok(error instanceof TypeError || error instanceof RangeError);
          assert.match(error.message, /^.+ must .+; got .+$/s);
          assert.ok(error.message.startsWith(name), error.message);
          return true;
        },
      );
    });
  }
});

describe("requests too large", () => {
  /** @type {[string, () => unknown][]} */
  const large = [
    ["embedding.create of 2^31-1 x 100000", () => embedding.create(2 ** 31 - 1, 100000)],
    ["embedding.create of 2^31-1 x 1", () => embedding.create(2 ** 31 - 1, 1)],
    ["embedding.create of 2^30 x 4, 2^34 bytes", () => embedding.create(2 ** 30, 4)],
    ["embedding.create of 2^31-1 squared", () => embedding.create(2 ** 31 - 1, 2 ** 31 - 1)],
    ["sinusoidal.table of 2^31-1 squared", () => sinusoidal.table(2 ** 31 - 1, 2 ** 31 - 1)],
    ["sinusoidal.table of no rows, 2^31-1 wide", () => sinusoidal.table(0, 2 ** 31 - 1)],
    ["sinusoidal.shift 2^31-2 wide", () => sinusoidal.shift(1, 2 ** 31 - 2)],
    ["rope.table of 2^31-1 x 2^31-2", () => rope.table(2 ** 31 - 1, 2 ** 31 - 2)],
    // its workspace is 2^32 + 2 doubles, which 32 bits would call 2
    ["rope.frequencies 1431655766 wide", () => rope.frequencies(1431655766)],
    [
      "embedding.oneHot of 1000 x 2^31-1",
      () => embedding.oneHot(new Int32Array(1000), 2 ** 31 - 1),
    ],
  ];
  for (const [what, call] of large) {
    test(`${what} is refused as OutOfMemory, and the next call works`, () => {
      assert.throws(call, (error) => {
        assert.ok(error instanceof OutOfMemory, String(error));
        assert.ok(error instanceof RangeError);
        assert.equal(error.name, "OutOfMemory");
        assert.match(error.message, /^.+ must fit in memory; got a request for \d\S* bytes$/);
        return true;
      });
      assert.deepEqual(sinusoidal.table(1, 2).toArray(), [[0, 1]]);
      assert.deepEqual(table.lookup([3]).toArray(), [[7, 8]]);
    });
  }
});
