import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { inspect } from "node:util";
import { assertRefused, battery, declaredBattery, FORM } from "../battery.js";
import { madeCalls } from "../../calls.js";
import { OutOfMemoryError, phasor, Tensor } from "../../phasor.js";
import { models } from "phasor/models";
import { floats } from "../reference/samples.js";

const { embedding, rope, sinusoidal } = phasor;

const weights = [
  [1, 2],
  [3, 4],
  [5, 6],
  [7, 8],
];
const table = embedding.from(weights);

const SCALING = /** @type {const} */ ({ scaling: ["options", "scaling", "scaling.type"] });

test("options that change nothing in a call are refused, and presets can be spread", () => {
  const { axialRope, fourierFeatures, sincosGrid } = phasor;
  const weights = [1, 2];
  for (const [name, owner, call] of /** @type {[string, string, (options: any) => unknown][]} */ ([
    ["seed", "a width, not weights", (options) => fourierFeatures.gaussian([1], weights, options)],
    ["scale", "normalize", (options) => sincosGrid.masked([[1, 1]], 4, options)],
    ["eps", "normalize", (options) => sincosGrid.masked([[1, 1]], 4, options)],
    ["maxFrequency", 'the spectrum "linear"', (options) => axialRope.table([2, 2], 4, options)],
    ["maxFrequency", 'the spectrum "linear"', (options) => axialRope.at([[1, 2]], 4, options)],
  ])) {
    const message = new RegExp(`: ${name} must come with ${owner}; got 5$`);
    assert.throws(() => call({ [name]: 5 }), { name: "RangeError", message });
    call({ [name]: undefined });
  }
  fourierFeatures.gaussian([1], weights, fourierFeatures.presets.ncsnpp);
  for (const name of /** @type {const} */ (["detr", "deformable_detr"]))
    sincosGrid.masked([[1, 1]], 4, { ...sincosGrid.presets[name], scale: 1 });
});

test("an array of bigints is named as a whole", () => {
  const x = { data: BigInt64Array.of(1n, 2n), shape: [1, 2] };
  const message = "rope.apply: x must hold numbers; got BigInt64Array of 2";
  assert.throws(() => rope.apply(x, rope.table(1, 2)), { name: "TypeError", message });
});

declaredBattery("rope.frequencies", { dim: 4 }, { dim: ["evenSize"], ...SCALING });

declaredBattery(
  "rope.table",
  { T: 2, dim: 4 },
  {
    ...{ T: ["length", "length", "positions"], dim: ["evenSize"], ...SCALING },
    ...{ offset: ["reach"], out: ["pair", "out", "out.cos", "out.sin"] },
  },
);

battery("rope.table at positions", {
  call: ({ T, dim, $ }) => rope.table(T, dim, $),
  good: { T: [1, 2], dim: 4 },
  args: { T: ["positions", "positions"], offset: ["shift", "offset", "positions"] },
});

declaredBattery(
  "rope.apply",
  { x: [[1, 2]], table: rope.table(1, 2) },
  { table: ["table", "table", "table.cos", "table.sin"], axis: ["axis"], positions: ["picked"] },
);

battery("rope.apply of queries and keys", {
  call: ({ q, k, $ }) => rope.apply({ q, k }, rope.table(2, 2), { offset: 1, ...$ }),
  good: { q: [[1, 2]], k: [[3, 4]] },
  args: {
    q: ["tensor"],
    k: ["tensor"],
    axis: ["axis", "axis", "q"],
    out: ["pair", "out", "out.q", "out.k"],
  },
});

declaredBattery(
  "rope.cache",
  { dim: 2 },
  { dim: ["evenSize"], ...SCALING, frequencies: ["tensorOption", "frequencies", "frequencies[0]"] },
  (cache) => cache.apply([[1, 2]], [[3, 4]], { position: 0 }),
);

const ROWS = /** @type {const} */ ({ paddingIdx: ["rowIndex"], normType: ["normType"] });

declaredBattery(
  "embedding.create",
  { vocabulary: 4, dim: 2 },
  { vocabulary: ["size"], after: ["shapes", "after", "after[0]", "after[0][0]"], ...ROWS },
  (table) => table.weights(),
);

declaredBattery(
  "embedding.oneHot",
  { ids: [1, 0], V: 4 },
  { ids: ["ids"], V: ["size", "vocabulary"] },
);

battery("lookup", {
  call: ({ ids, $ }) => table.lookup(ids, $),
  good: { ids: [1, 0] },
  args: {
    ids: ["ids", "ids", "ids.shape"],
    $: ["options"],
    scale: ["wordOrNumber"],
    add: ["tensorOption", "add", "add.shape"],
    out: ["floats"],
  },
});

battery("oneHot", {
  call: ({ ids, $ }) => table.oneHot(ids, $),
  good: { ids: [1, 0] },
  args: { ids: ["ids", "ids", "ids.shape"], $: ["options"], out: ["floats"] },
});

battery("weights", {
  call: ({ $ }) => table.weights($),
  good: {},
  args: { $: ["options"], out: ["floats"] },
});

battery("byteLengthAs", {
  call: ({ dtype }) => table.byteLengthAs(dtype),
  good: { dtype: "int8" },
  args: { dtype: ["word"] },
});

declaredBattery("embedding.from", { weights: [[1, 2]] }, ROWS, (table) => table.weights());

/**
 * A value with an unknown key, once for each object in it that names its parts; tensors are values.
 * @param {any} value @returns {any[]}
 */
function withUnknownKey(value) {
  if (Array.isArray(value)) {
    return value.flatMap((item, i) =>
      withUnknownKey(item).map((odd) => [...value.slice(0, i), odd, ...value.slice(i + 1)]),
    );
  }
  const isParts = Object(value) === value && Object.getPrototypeOf(value) === Object.prototype;
  if (!isParts || "data" in value || "bytes" in value || "lookup" in value) return [];
  const inner = Object.entries(value).flatMap(([name, item]) =>
    withUnknownKey(item).map((odd) => ({ ...value, [name]: odd })),
  );
  return [{ ...value, unheardOf: 3 }, ...inner];
}

describe("options", () => {
  test("no function ignores a key of an object that names its parts", async () => {
    let count = 0;
    for (const { name, method, args } of await madeCalls()) {
      for (const odd of withUnknownKey(args)) {
        // A description of a model may say more than its input needs.
        if (name === "inputEmbeddings" && odd[0] !== args[0]) continue;
        ++count;
        const rule = /must .*; got .*unheardOf/;
        assert.throws(() => method(...odd), { message: rule }, name);
      }
    }
    assert.ok(count > 80, `${count}`);
  });

  test("a misspelled option throws with the nearest name, or with all names", () => {
    const misspelt = /** @type {any} */ ({ layuot: "halves" });
    for (const [call, known] of /** @type {[() => unknown, string[]][]} */ ([
      [() => sinusoidal.shift(2, 4, misspelt), ["base", "layout", "spectrum", "precision", "out"]],
      [() => embedding.create(2, 4, misspelt), ["init", "std", "seed", "generator"]],
      [() => table.lookup([0], misspelt), ["scale", "add", "out"]],
    ])) {
      assert.throws(call, (/** @type {Error} */ error) => {
        assert.ok(error instanceof TypeError);
        const form = /^\S+: options must have only (.+); got "layuot"(.*)$/;
        const [, names, hint] = form.exec(error.message) ?? [];
        for (const name of known) assert.ok(names.split(", ").includes(name), error.message);
        assert.equal(hint, known.includes("layout") ? '; did you mean "layout"?' : "");
        return true;
      });
    }
  });

  test("an undefined option has its default", () => {
    const none = { base: undefined, layout: undefined, offset: undefined, out: undefined };
    assert.deepEqual(sinusoidal.table(3, 6, none), sinusoidal.table(3, 6));
    assert.deepEqual(sinusoidal.table(3, 6, undefined), sinusoidal.table(3, 6));
    assert.deepEqual(sinusoidal.table(3, 6, Object.create(null)), sinusoidal.table(3, 6));
  });

  test("an invalid choice throws with the valid ones", () => {
    const wrong = /** @type {any} */ ({ layout: "half" });
    assert.throws(() => rope.apply([[1, 2]], rope.table(1, 2), wrong), {
      name: "RangeError",
      message: 'rope.apply: layout must be one of "interleaved", "halves"; got "half"',
    });
  });

  test("a long string is truncated in a message", () => {
    const wrong = /** @type {any} */ ({ layout: "x".repeat(1e6) });
    assert.throws(
      () => sinusoidal.table(1, 2, wrong),
      (/** @type {Error} */ error) => error.message.length < 300,
    );
  });
});

describe("out", () => {
  test("out stays unchanged when arguments do not fit together", () => {
    const out = new Float32Array(8).fill(7);
    const pair = { cos: new Float32Array(4).fill(7), sin: new Float32Array(4).fill(7) };
    const short = new Float32Array(3);
    const wrong = /** @type {any} */ (Symbol("wrong"));
    const x = { data: [1, 2, 3, 4, 5, 6, 7, 8], shape: [2, 4] };
    for (const call of [
      () => sinusoidal.table(2, 5, { out }),
      () => rope.table(2, 4, { out: { ...pair, sin: short } }),
      () => rope.table(2, 4, { out: { ...pair, cos: short } }),
      () => rope.apply({ ...x, data: [...x.data.slice(1), wrong] }, rope.table(2, 4), { out }),
      () => rope.apply(x, rope.table(3, 4), { out }),
      () => rope.apply(x, { ...rope.table(2, 4), sin: wrong }, { out }),
      () => table.lookup([0, 1, 2, 4], { out }),
      () => table.lookup([0, 1, 2, 3], { out, add: [[1, 2, 3]] }),
      () => table.lookup([0, 1, 2, 3], { out, add: [[1, wrong]] }),
      () => table.oneHot([0, 1, 2, -1], { out }),
    ]) {
      assertRefused(FORM, call);
      assert.ok([...out, ...pair.cos, ...pair.sin].every((x) => x === 7));
    }
  });

  test("out of the wrong size throws with the required length and shape", () => {
    assert.throws(() => sinusoidal.table(2, 4, { out: new Float32Array(7) }), {
      name: "RangeError",
      message: "sinusoidal.table: out must hold 8 numbers, shape [2, 4]; got 7",
    });
  });

  test("a transferred out is rejected", () => {
    const out = new Float32Array(8);
    structuredClone(out.buffer, { transfer: [out.buffer] });
    const refusal =
      /^TypeError: \S+: out must be in memory; got an array that was moved elsewhere$/;
    assert.throws(() => sinusoidal.table(2, 4, { out }), refusal);
    assert.throws(() => sinusoidal.table(0, 4, { out }), refusal);
  });

  test("out for rope.table must be two arrays, not one twice", () => {
    const one = new Float32Array(4);
    for (const sin of [one, new Float32Array(one.buffer)]) {
      assert.throws(
        () => rope.table(2, 4, { out: { cos: one, sin } }),
        /^RangeError: \S+: out(\.\w+)? must .+; got /,
      );
    }
  });
});

describe("numbers at the limits of their range", () => {
  test("seeds go up to 2^64-1 and positions up to 2^31", () => {
    embedding.create(1, 1, { seed: 2n ** 64n - 1n });
    embedding.create(1, 1, { seed: Number.MAX_SAFE_INTEGER });
    sinusoidal.table([2 ** 31, -(2 ** 31)], 2);
    sinusoidal.table(1, 2, { offset: 2 ** 31 });
    sinusoidal.table(2, 2, { offset: 2 ** 31 - 1 });
    assert.throws(() => sinusoidal.table(3, 2, { offset: 2 ** 31 - 1 }), RangeError);
    sinusoidal.shift(2 ** 31, 2);
    assert.throws(() => sinusoidal.shift(2 ** 31 + 1, 2), /^RangeError: \S+: k must .+; got /);
  });

  test("sizes may be BigInts", () => {
    const [length, dim] = /** @type {any[]} */ ([2, 4n]);
    assert.deepEqual(sinusoidal.table(length, dim), sinusoidal.table(2, 4));
  });

  test("embedding.create draws from a range that float32 can represent, or throws", () => {
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
        /^RangeError: \S+: .+ must .+; got /,
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

  test("lookup rejects a scale that float32 cannot represent", () => {
    for (const scale of [1e39, -1e300]) {
      assert.throws(() => table.lookup([0], { scale }), /^RangeError: \S+: scale must .+; got /);
    }
    assert.ok(floats(table.lookup([0], { scale: 3e37 })).every(Number.isFinite));
  });
});

describe("combinations", () => {
  /** @type {[string, () => unknown][]} */
  const clashes = [
    ["weights", () => embedding.from([[], []])],
    ["weights", () => embedding.from([1, 2, 3, 4, 5])],
    ["weights", () => embedding.from({ data: [1, 2, 3, 4, 5, 6], shape: [1, 3, 2] })],
    ["storage", () => embedding.create(3, 2, { maxNorm: 1, storage: "on-demand" })],
    ["generator", () => embedding.create(3, 2, { generator: "torch", storage: "on-demand" })],
    ["low", () => embedding.create(3, 2, { low: 2 })],
    ["add", () => table.lookup([0, 1], { add: [1, 2, 3] })],
    ["add", () => table.lookup([0, 1], { add: [[1], [2]] })],
    ["add", () => table.lookup([0, 1], { add: [[1, 2]] })],
    ["add", () => table.lookup([0, 1], { add: { data: [1, 2, 3, 4], shape: [1, 2, 2] } })],
    ["x", () => rope.apply([[1, 2]], rope.table(1, 2), { axis: -3 })],
    ["table", () => rope.apply([[1, 2]], rope.table(2, 2))],
    ["table", () => rope.apply([[1, 2]], rope.table(1, 4))],
    ["table", () => rope.apply([[[1, 2]], [[1, 2]]], rope.table([[1], [2], [3]], 2))],
    ["table", () => rope.apply([[1, 2]], rope.table([[1], [2]], 2))],
    ["dim", () => sinusoidal.shift(1, 3)],
  ];
  for (const [k, [name, call]] of clashes.entries()) {
    test(`${name} names arguments that do not fit together (${k + 1})`, () => {
      assert.throws(
        call,
        /** @param {Error} error */ (error) => {
          assert.ok(error instanceof TypeError || error instanceof RangeError);
          const { subject } = FORM.exec(error.message)?.groups ?? {};
          assert.ok(subject?.startsWith(name), error.message);
          return true;
        },
      );
    });
  }
});

describe("requests that are too large", () => {
  const { alibi, attention, axialRope, fourierFeatures, sincosGrid, mrope, pca, rounding } = phasor;
  const { fire, shaw, similarity, t5Bias, windowBias, xpos } = phasor;
  const column = new Tensor(new Float32Array(2 ** 20), [2 ** 20, 1]);
  const SECTIONS = { sections: [2 ** 29, 2 ** 29 - 2, 1] };
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
      "axialRope.table of 2^30 cells, 2^31-4 wide",
      () => axialRope.table([2 ** 15, 2 ** 15], 2 ** 31 - 4),
    ],
    ["xpos.table 2^31-2 wide", () => xpos.table(1, 2 ** 31 - 2)],
    [
      "mrope.table of 4096 x 2^31-2",
      () => mrope.table(new Tensor(new Float32Array(3 * 4096), [3, 4096]), 2 ** 31 - 2, SECTIONS),
    ],
    ["sincosGrid.table of 10^10 cells", () => sincosGrid.table([100000, 100000], 64)],
    ["fourierFeatures.timesteps 2^31-2 wide", () => fourierFeatures.timesteps([1], 2 ** 31 - 2)],
    ["rounding.report of 2^31-1 positions", () => rounding.report(2 ** 31 - 1, 128)],
    ["alibi.slopes of 2^31-1 heads", () => alibi.slopes(2 ** 31 - 1)],
    ["alibi.bias of 2^20 x 2^20", () => alibi.bias(4, 2 ** 20)],
    ["t5Bias.buckets of 2^20 x 2^20", () => t5Bias.buckets(2 ** 20)],
    ["fire.weights of 2^31-1 heads", () => fire.weights(2 ** 31 - 1)],
    ["shaw.index of 2^20 x 2^20", () => shaw.index(2 ** 20, 4)],
    ["windowBias.index of 2^30 patches", () => windowBias.index([2 ** 15, 2 ** 15])],
    ["similarity.matrix of 2^20 rows", () => similarity.matrix(column)],
    [
      "attention.scaledDotProduct of 2^20 tokens",
      () => attention.scaledDotProduct({ q: column, k: column, v: column }),
    ],
    [
      "pca 40,000 wide",
      () => pca(new Tensor(new Float32Array(40000), [1, 40000]), { components: 40000 }),
    ],
    [
      "embedding.oneHot of 1000 x 2^31-1",
      () => embedding.oneHot(new Int32Array(1000), 2 ** 31 - 1),
    ],
  ];
  for (const [what, call] of large) {
    test(`${what} throws OutOfMemoryError, and the next call works`, () => {
      assert.throws(call, (error) => {
        assert.ok(error instanceof OutOfMemoryError, String(error));
        assert.ok(error instanceof RangeError);
        assert.equal(error.name, "OutOfMemoryError");
        assert.match(error.message, /^.+ must fit in memory; got a request for \d\S* bytes$/);
        return true;
      });
      assert.deepEqual(sinusoidal.table(1, 2).toArray(), [[0, 1]]);
      assert.deepEqual(table.lookup([3]).toArray(), [[7, 8]]);
    });
  }
});

test("the battery tests every function of every module", () => {
  const tests = new URL("../../", import.meta.url);
  const text = readdirSync(tests, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".test.js"))
    .map((name) => readFileSync(new URL(name.replaceAll("\\", "/"), tests), "utf8"))
    .join("\n");
  for (const [module, functions] of Object.entries({ ...phasor, models })) {
    if (typeof functions === "function") {
      assert.match(text, new RegExp(`[bB]attery\\(\\s*["\`]${module}[ "]`));
    }
    for (const [name, member] of Object.entries(functions)) {
      if (typeof member !== "function") continue;
      const known = [" ", '"'].some((end) =>
        new RegExp(`[bB]attery\\(\\s*"${module}\\.${name}${end}`).test(text),
      );
      assert.ok(known, `battery("${module}.${name}", ...)`);
    }
  }
});
