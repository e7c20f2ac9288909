import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { battery } from "../battery.js";
import { cases } from "../golden.js";
import { phasor, Tensor } from "../phasor.js";
import { noise, numbers } from "../reference/samples.js";

const {
  dropout,
  embedding,
  learnedPositions,
  normalize,
  inputEmbeddings,
  positionIds,
  tokenTypeIds,
  sinusoidal,
} = phasor;

/** @param {number[]} shape @param {number} seed */
function random(shape, seed) {
  return new Tensor(
    noise(
      shape.reduce((a, b) => a * b, 1),
      seed,
    ),
    shape,
  );
}

/** Two stored floats, each half an ULP from the truth, and a library's own error. */
const near = (/** @type {Tensor} */ got, /** @type {any} */ want, /** @type {number} */ bound) => {
  assert.deepEqual(got.shape, want.shape);
  got.data.forEach((x, k) => assert.ok(Math.abs(Number(x) - Number(want.data[k])) <= bound));
};

describe("pipeline against PyTorch and Hugging Face", () => {
  for (const { id, params, inputs, outputs, metrics } of cases("bert_embeddings", 1)) {
    test(`inputEmbeddings.bert gives ${id}`, () => {
      const { word: words, position: positions, token_type: segments } = inputs;
      const norm = { weight: inputs.ln_weight, bias: inputs.ln_bias };
      const got = inputEmbeddings.bert(
        inputs.ids,
        { words, positions, segments, norm },
        { segments: inputs.token_type_ids, eps: params.layer_norm_eps },
      );
      // The sums are float32 here as there, where the reference sums in double: 2^-23 of sums up to
      // 3, stretched by the LayerNorm's weight over the deviation, some 2.
      near(got, outputs.out_f64, 1e-6);
      near(got, outputs.out, 1e-6 + metrics.out_max_abs_err_vs_float64);
    });
  }

  for (const { id, params, inputs, outputs } of cases("gpt2_embeddings", 1)) {
    test(`inputEmbeddings.gpt2 gives ${id} to the bit`, () => {
      const { wte: words, wpe: positions, ids } = inputs;
      const got = inputEmbeddings.gpt2(ids, { words, positions }, { past: params.position_offset });
      near(got, outputs.out, 0);
    });
  }

  for (const { id, params, inputs, outputs } of cases("token_and_position", 2)) {
    test(`pipeline.${params.kind === "learned" ? "gpt2" : "vaswani"} gives ${id}`, () => {
      const { token_weight: words, position_weight: positions, ids } = inputs;
      if (params.kind === "learned") {
        near(inputEmbeddings.gpt2(ids, { words, positions }), outputs.out, 0);
      } else {
        assert.equal(params.scale, Math.sqrt(params.d_model));
        // its angles are float32: 8 positions of up to 7, off by 2^-22 at most, and an ULP of sums
        // below 16
        near(inputEmbeddings.vaswani(ids, { words }), outputs.out, 2 ** -22 + 2 ** -20);
      }
    });
  }
});

const [V, D, N] = [30, 16, 40];
const words = random([V, D], 1);
const positions = random([N, D], 2);
const segments = random([2, D], 3);
const norm = { weight: noise(D, 4), bias: noise(D, 5) };
const ids = [
  [4, 17, 0, 29, 4],
  [2, 9, 9, 1, 1],
];
const T = 5;

/** A table's own addition. @param {Tensor} x @param {Tensor} addend */
function plus(x, addend) {
  const weights = x.reshape(-1, D);
  const rows = positionIds.range(weights.shape[0]).reshape(x.shape.slice(0, -1));
  return embedding.from(weights).lookup(rows, { add: addend });
}

const table = embedding.from(words);

/**
 * Every pipeline, and the same by hand from the other rooms.
 * @type {Record<string, {call: (w: any, p: any, s: any, $: any) => any, byHand: (dropped: any) => Tensor, drops: boolean}>}
 */
const MODELS = {
  vaswani: {
    call: (w, _p, _s, $) => inputEmbeddings.vaswani(ids, { words: w }, { past: 3, ...$ }),
    byHand: (dropped) => {
      const add = sinusoidal.table(T, D, { offset: 3 });
      return dropout.apply(table.lookup(ids, { scale: "sqrt", add }), dropped);
    },
    drops: true,
  },
  gpt2: {
    call: (w, p, _s, $) => inputEmbeddings.gpt2(ids, { words: w, positions: p }, { past: 7, ...$ }),
    byHand: (dropped) =>
      dropout.apply(
        table.lookup(ids, { add: learnedPositions.lookup(positions, T, { past: 7 }) }),
        dropped,
      ),
    drops: true,
  },
  bert: {
    call: (w, p, s, $) =>
      inputEmbeddings.bert(
        ids,
        { words: w, positions: p, segments: s, norm },
        { segments: [0, 0, 1, 1, 1], ...$ },
      ),
    byHand: (dropped) => {
      const typed = table.lookup(ids, { add: learnedPositions.lookup(segments, [0, 0, 1, 1, 1]) });
      const sum = plus(typed, learnedPositions.lookup(positions, T, learnedPositions.presets.bert));
      return dropout.apply(normalize.layerNorm(sum, { ...norm, eps: 1e-12 }), dropped);
    },
    drops: true,
  },
  roberta: {
    call: (w, p, s, $) =>
      inputEmbeddings.roberta(ids, { words: w, positions: p, segments: s, norm }, { ...$ }),
    byHand: (dropped) => {
      const typed = table.lookup(ids, { add: learnedPositions.lookup(segments, [0, 0, 0, 0, 0]) });
      const sum = plus(typed, learnedPositions.lookup(positions, positionIds.fromTokens(ids)));
      return dropout.apply(normalize.layerNorm(sum, { ...norm, eps: 1e-5 }), dropped);
    },
    drops: true,
  },
  opt: {
    call: (w, p, _s, $) => inputEmbeddings.opt(ids, { words: w, positions: p }, { past: 4, ...$ }),
    byHand: () =>
      table.lookup(ids, { add: learnedPositions.lookup(positions, T, { past: 4, offset: 2 }) }),
    drops: false,
  },
  bloom: {
    call: (w, _p, _s, $) => inputEmbeddings.bloom(ids, { words: w, norm }, $),
    byHand: () => normalize.layerNorm(table.lookup(ids), { ...norm, eps: 1e-5 }),
    drops: false,
  },
  gemma: {
    call: (w, _p, _s, $) => inputEmbeddings.gemma(ids, { words: w }, $),
    byHand: () => table.lookup(ids, { scale: 4 }),
    drops: false,
  },
};

for (const [name, { call, byHand, drops }] of Object.entries(MODELS)) {
  describe(`pipeline.${name}`, () => {
    const resident = (/** @type {Tensor} */ weights) => embedding.from(weights);

    test(`pipeline.${name} is the other rooms composed, bit for bit, of tables and of plain weights`, () => {
      const want = byHand({ mode: "evaluate" });
      assert.deepEqual(want.shape, [2, T, D]);
      assert.deepEqual(call(words, positions, segments, {}), want);
      assert.deepEqual(call(resident(words), resident(positions), resident(segments), {}), want);
      assert.deepEqual(call(words.toArray(), positions.toArray(), segments.toArray(), {}), want);
    });

    test(`pipeline.${name} shows every step by its name, and the last is the output`, () => {
      const stages = call(words, positions, segments, { intermediates: true });
      assert.deepEqual(stages.words, table.lookup(ids));
      assert.deepEqual(stages.output, byHand({ mode: "evaluate" }));
      const x = stages.scaled ?? stages.words;
      const addends = [stages.segments, stages.positions].filter((addend) => addend);
      if (addends.length > 0) assert.deepEqual(stages.sum, addends.reduce(plus, x));
      assert.equal("scaled" in stages, name === "vaswani" || name === "gemma");
      assert.equal("segments" in stages, name === "bert" || name === "roberta");
      assert.equal("positions" in stages, name !== "bloom" && name !== "gemma");
      assert.equal("normalized" in stages, ["bert", "roberta", "bloom"].includes(name));
      const last = stages.normalized ?? stages.sum ?? x;
      assert.deepEqual(stages.output, last);
      assert.notEqual(stages.output.data, last.data); // each its own
      for (const stage of Object.values(stages)) assert.ok(stage instanceof Tensor);
    });

    test(`pipeline.${name} fills out with the output`, () => {
      const out = new Float32Array(2 * T * D);
      const got = call(words, positions, segments, { out });
      assert.equal(got.data, out);
      const { output } = call(words, positions, segments, { out, intermediates: true });
      assert.equal(output.data, out);
      assert.deepEqual(out, byHand({ mode: "evaluate" }).data);
      out.fill(7);
      assert.throws(() => call(words, positions, segments, { out, more: 1 }), TypeError);
      assert.throws(() => call([[1, NaN, "2"]], positions, segments, { out }), TypeError);
      assert.ok(out.every((x) => x === 7));
    });

    test(`pipeline.${name} ${drops ? "drops in mode train, by its seed" : "has no dropout"}`, () => {
      if (drops) {
        const dropped = { p: 0.4, seed: 12, mode: "train" };
        const got = call(words, positions, segments, dropped);
        assert.deepEqual(got, byHand(dropped));
        assert.ok(numbers(got).filter((x) => x === 0).length > D);
      } else {
        assert.throws(() => call(words, positions, segments, { p: 0.4 }), /has no option "p"; /);
      }
    });
  });
}

describe("pipeline, the models' own ways", () => {
  test("inputEmbeddings.roberta gives padding the position paddingIdx, wherever it stands", () => {
    const padded = [
      [1, 1, 8, 9],
      [8, 9, 1, 1],
    ];
    const stages = inputEmbeddings.roberta(padded, { words, positions }, { intermediates: true });
    const [row1, row2, row3] = [1, 2, 3].map((row) => positions.row(row).toArray());
    assert.deepEqual(stages.positions?.toArray(), [
      [row1, row1, row2, row3],
      [row2, row3, row1, row1],
    ]);
    assert.equal(stages.segments, undefined);
    const other = inputEmbeddings.roberta(
      [[8, 0]],
      { words, positions },
      { paddingIdx: 0, intermediates: true },
    );
    assert.deepEqual(other.positions?.toArray(), [
      [positions.row(1).toArray(), positions.row(0).toArray()],
    ]);
  });

  test("inputEmbeddings.opt numbers by the mask, whose front is the cache", () => {
    const mask = [
      [0, 0, 1, 1, 1, 1],
      [1, 1, 1, 1, 1, 1],
    ];
    const two = [
      [5, 6],
      [5, 6],
    ];
    const got = inputEmbeddings.opt(two, { words, positions }, { mask, past: 4 });
    const rows = learnedPositions.lookup(positions, [
      [4, 5],
      [6, 7],
    ]);
    assert.deepEqual(got, table.lookup(two, { add: rows }));
    const ones = inputEmbeddings.opt(
      two,
      { words, positions },
      { mask: [1, 1, 1, 1, 1, 1], past: 4 },
    );
    assert.deepEqual(ones, inputEmbeddings.opt(two, { words, positions }, { past: 4 }));
    assert.throws(
      () => inputEmbeddings.opt(two, { words, positions }, { mask, past: 3 }),
      /^RangeError: mask must have the last axes of \[2, 5\]; got /,
    );
  });

  test("inputEmbeddings.gpt2 in two pieces is what it is in one", () => {
    const tables = { words, positions };
    const whole = inputEmbeddings.gpt2([3, 1, 4, 1, 5], tables);
    const parts = [
      ...numbers(inputEmbeddings.gpt2([3, 1], tables)),
      ...numbers(inputEmbeddings.gpt2([4, 1, 5], tables, { past: 2 })),
    ];
    assert.deepEqual(parts, numbers(whole));
  });

  test("inputEmbeddings.gpt2 and bert name the wall that a long text runs into", () => {
    const many = (/** @type {number} */ T) => new Int32Array(T);
    const tables = (/** @type {number} */ rows) => ({
      words,
      positions: embedding.create(rows, D, { storage: "on-demand" }),
    });
    assert.throws(
      () => inputEmbeddings.gpt2(many(1025), tables(1024)),
      /^RangeError: length must .* position 1024 .*; got 1025$/,
    );
    assert.throws(
      () => inputEmbeddings.gpt2(many(1), tables(1024), { past: 1024 }),
      /^RangeError: length must .* position 1024 /,
    );
    assert.throws(
      () => inputEmbeddings.bert(many(513), { ...tables(512), segments }),
      /^RangeError: length must .* position 512 .*; got 513$/,
    );
    assert.deepEqual(inputEmbeddings.bert(many(512), { ...tables(512), segments }).shape, [512, D]);
  });

  test("inputEmbeddings.bert takes segments from tokenTypeIds.ids, for a row or for each, and none as 0", () => {
    const tables = { words, positions, segments };
    const one = tokenTypeIds.ids([1, 1]);
    const each = [one.toArray(), one.toArray()];
    assert.deepEqual(
      inputEmbeddings.bert(ids, tables, { segments: one }),
      inputEmbeddings.bert(ids, tables, { segments: each }),
    );
    assert.deepEqual(
      inputEmbeddings.bert(ids, tables),
      inputEmbeddings.bert(ids, tables, { segments: [0, 0, 0, 0, 0] }),
    );
    for (const wrong of [[0, 1], [[0, 1, 0, 1, 0]], 0]) {
      assert.throws(
        () => inputEmbeddings.bert(ids, tables, { segments: /** @type {any} */ (wrong) }),
        /^RangeError: segments must have the last axes of \[2, 5\]; got /,
      );
    }
  });

  test("inputEmbeddings.gemma multiplies by sqrt(D) as bfloat16 has it", () => {
    // Gemma's normalizers; between two bfloat16, 8 bits apart
    for (const [width, scale] of [
      [3072, 55.5],
      [2048, 45.25],
      [640, 25.25],
      [1152, 34],
      [256, 16],
      [1, 1],
    ]) {
      const ones = { data: new Float32Array(width).fill(1), shape: [1, width] };
      assert.equal(inputEmbeddings.gemma([0], { words: ones }).at(0, width - 1), scale);
    }
  });

  test("pipeline.* take ids of any leading axes, and no tokens at all", () => {
    const tables = { words, positions };
    assert.deepEqual(inputEmbeddings.gpt2([[[1]], [[2]]], tables).shape, [2, 1, 1, D]);
    assert.deepEqual(inputEmbeddings.gpt2([], tables).shape, [0, D]);
    assert.deepEqual(
      inputEmbeddings.bert({ data: [], shape: [2, 0] }, { ...tables, segments }).shape,
      [2, 0, D],
    );
    assert.throws(
      () => inputEmbeddings.gemma(/** @type {any} */ (3), { words }),
      /^RangeError: ids must have shape \[..., T\]; got \[\]$/,
    );
  });

  test("pipeline.* refuse tables of other widths, of other names, and norms that do not fit", () => {
    const tables = { words, positions: random([N, D + 1], 1) };
    assert.throws(() => inputEmbeddings.gpt2(ids, tables), {
      name: "RangeError",
      message: "tables.positions must be as wide as tables.words, 16; got 17",
    });
    /** @type {[RegExp, () => unknown][]} */
    const wrong = [
      [
        /^TypeError: tables must be among words, positions; got wpe$/,
        () => inputEmbeddings.gpt2(ids, /** @type {any} */ ({ words, wpe: positions })),
      ],
      [
        /^TypeError: tables.positions must .+; got undefined$/,
        () => inputEmbeddings.gpt2(ids, /** @type {any} */ ({ words })),
      ],
      [
        /^TypeError: tables.segments must .+; got undefined$/,
        () => inputEmbeddings.bert(ids, /** @type {any} */ ({ words, positions })),
      ],
      [
        /^TypeError: tables.norm must be \{weight, bias\}; got gamma$/,
        () => inputEmbeddings.bloom(ids, { words, norm: /** @type {any} */ ({ gamma: [1] }) }),
      ],
      [
        /^TypeError: tables.norm must .+; got 4$/,
        () => inputEmbeddings.bloom(ids, { words, norm: /** @type {any} */ (4) }),
      ],
      [
        /^RangeError: weight must have shape \[16\]; got \[2\]$/,
        () => inputEmbeddings.bloom(ids, { words, norm: { weight: [1, 2] } }),
      ],
      [
        /^RangeError: ids must be whole numbers from 0 to 29; got 30 at 0$/,
        () => inputEmbeddings.gemma([30], { words }),
      ],
    ];
    for (const [message, call] of wrong) assert.throws(call, message);
  });

  test("pipeline.* refuse a table that was disposed of", () => {
    const gone = embedding.create(V, D);
    gone.dispose();
    assert.throws(() => inputEmbeddings.gemma(ids, { words: gone }), /^DisposedError: /);
  });
});

const small = [
  [1, 2],
  [3, 4],
  [5, 6],
  [7, 8],
];
const COMMON = /** @type {const} */ ({ $: ["options"], intermediates: ["truth"], out: ["floats"] });
const DROPPING = /** @type {const} */ ({ p: ["chance"], seed: ["seed"], mode: ["word"] });
const IDS = /** @type {const} */ (["ids", "ids", "ids.shape"]);
const TABLES = /** @type {const} */ ([
  ...["tables", "tables", "tables.words", "tables.words.shape"],
  ...["tables.positions", "tables.segments"],
]);

battery("inputEmbeddings.vaswani", {
  call: ({ ids, tables, $ }) => inputEmbeddings.vaswani(ids, tables, $),
  good: { ids: [1], tables: { words: small } },
  args: { ids: IDS, tables: TABLES, ...COMMON, ...DROPPING, past: ["seed"] },
});

battery("inputEmbeddings.gpt2", {
  call: ({ ids, tables, $ }) => inputEmbeddings.gpt2(ids, tables, $),
  good: { ids: [1], tables: { words: small, positions: small } },
  args: { ids: IDS, tables: TABLES, ...COMMON, ...DROPPING, past: ["seed"] },
});

battery("inputEmbeddings.bert", {
  call: ({ ids, tables, $ }) => inputEmbeddings.bert(ids, tables, $),
  good: { ids: [1], tables: { words: small, positions: small, segments: small } },
  args: {
    ids: IDS,
    tables: TABLES,
    ...COMMON,
    ...DROPPING,
    segments: ["tokenIds", "segments", "segments.shape"],
    eps: ["notNegative"],
  },
});

battery("inputEmbeddings.roberta", {
  call: ({ ids, tables, $ }) => inputEmbeddings.roberta(ids, tables, $),
  good: { ids: [0], tables: { words: small, positions: small } },
  args: {
    ids: IDS,
    tables: TABLES,
    ...COMMON,
    ...DROPPING,
    paddingIdx: ["seed"],
    eps: ["notNegative"],
  },
});

battery("inputEmbeddings.opt", {
  call: ({ ids, tables, $ }) => inputEmbeddings.opt(ids, tables, $),
  good: { ids: [1], tables: { words: small, positions: small } },
  args: {
    ids: IDS,
    tables: TABLES,
    ...COMMON,
    past: ["seed"],
    mask: ["flags", "mask", "mask.shape"],
  },
});

battery("inputEmbeddings.bloom", {
  call: ({ ids, tables, $ }) => inputEmbeddings.bloom(ids, tables, $),
  good: { ids: [1], tables: { words: small } },
  args: { ids: IDS, tables: TABLES, ...COMMON, eps: ["notNegative"] },
});

battery("inputEmbeddings.gemma", {
  call: ({ ids, tables, $ }) => inputEmbeddings.gemma(ids, tables, $),
  good: { ids: [1], tables: { words: small } },
  args: { ids: IDS, tables: TABLES, ...COMMON },
});
