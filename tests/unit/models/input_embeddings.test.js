import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { battery } from "../battery.js";
import { cases } from "../../truth/golden.js";
import { phasor, Tensor } from "../../phasor.js";
import { models } from "phasor/models";
import { noise, numbers } from "../reference/samples.js";
import { random } from "../tensors.js";

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

/** Two stored floats, each half an ULP from the truth, and a library's own error. */
const near = (/** @type {Tensor} */ got, /** @type {any} */ want, /** @type {number} */ bound) => {
  assert.deepEqual(got.shape, want.shape);
  got.data.forEach((x, k) => assert.ok(Math.abs(Number(x) - Number(want.data[k])) <= bound));
};

/** Models whose tokens this cannot embed: images, audio. @type {Record<string, string>} */
const REFUSED = {
  "whisper-base": "whisper",
  "whisper-large-v3": "whisper",
  "wav2vec2-base": "other",
  "gemma-3n-e4b": "rope",
  "dinov3-vitb16": "dinov3_vit",
  "dinov2-base": "vit",
  "vit-base-patch16-224": "vit",
  "vit-mae-base": "vit_mae",
  "swin-tiny": "windowBias",
};

describe("inputEmbeddings against PyTorch and Hugging Face", () => {
  for (const { id, params, inputs, outputs, metrics } of cases("bert_embeddings", 1)) {
    test(`BERT equals ${id}`, () => {
      const { word: words, position: positions, token_type: segments } = inputs;
      const norm = { weight: inputs.ln_weight, bias: inputs.ln_bias };
      const spec = learned("bert", { segments: 2, norm: params.layer_norm_eps });
      const weights = { words, positions, segments, norm };
      const got = inputEmbeddings(spec, weights, inputs.ids, { segments: inputs.token_type_ids });
      // The sums are float32 here as there, where the reference sums in double: 2^-23 of sums up to
      // 3, stretched by the LayerNorm's weight over the deviation, some 2.
      near(got, outputs.out_f64, 1e-6);
      near(got, outputs.out, 1e-6 + metrics.out_max_abs_err_vs_float64);
    });
  }

  for (const { id, params, inputs, outputs } of cases("gpt2_embeddings", 1)) {
    test(`GPT-2 equals ${id}, bit for bit`, () => {
      const { wte: words, wpe: positions, ids } = inputs;
      const got = inputEmbeddings(SPECS.gpt2, { words, positions }, ids, {
        past: params.position_offset,
      });
      near(got, outputs.out, 0);
    });
  }

  for (const { id, params, inputs, outputs } of cases("token_and_position", 2)) {
    test(`${params.kind} positions equal ${id}`, () => {
      const { token_weight: words, position_weight: positions, ids } = inputs;
      if (params.kind === "learned") {
        near(inputEmbeddings(SPECS.gpt2, { words, positions }, ids), outputs.out, 0);
      } else {
        assert.equal(params.scale, Math.sqrt(params.d_model));
        // its angles are float32: 8 positions of up to 7, off by 2^-22 at most, and an ULP of sums
        // below 16
        near(inputEmbeddings(SPECS.vaswani, { words }, ids), outputs.out, 2 ** -22 + 2 ** -20);
      }
    });
  }
});

/** @param {string} preset @param {object} [tokens] */
const learned = (preset, tokens) => ({
  tokens,
  positions: { scheme: "learnedPositions", preset },
});

/** Descriptions as `phasor/models` returns them, without sizes. */
const SPECS = {
  vaswani: {
    tokens: { scale: /** @type {const} */ ("sqrt") },
    positions: { scheme: "sinusoidal" },
  },
  gpt2: learned("gpt2"),
  bert: learned("bert", { segments: 2, norm: 1e-12 }),
  roberta: learned("roberta", { norm: 1e-5 }),
  opt: learned("opt"),
  bloom: { tokens: { norm: 1e-5 }, positions: { scheme: "alibi" } },
  gemma: {
    tokens: /** @type {const} */ ({ scale: "sqrt", scaleDtype: "bfloat16" }),
    positions: { scheme: "rope" },
  },
  llama: { positions: { scheme: "rope" } },
};

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
 * Every model, and the same step by step.
 * @type {Record<string, {call: (w: any, p: any, s: any, $: any) => any, byHand: (dropped: any) => Tensor}>}
 */
const MODELS = {
  vaswani: {
    call: (w, _p, _s, $) => inputEmbeddings(SPECS.vaswani, { words: w }, ids, { past: 3, ...$ }),
    byHand: (dropped) => {
      const add = sinusoidal.table(T, D, { offset: 3 });
      return dropout.apply(table.lookup(ids, { scale: "sqrt", add }), dropped);
    },
  },
  gpt2: {
    call: (w, p, _s, $) =>
      inputEmbeddings(SPECS.gpt2, { words: w, positions: p }, ids, { past: 7, ...$ }),
    byHand: (dropped) =>
      dropout.apply(
        table.lookup(ids, { add: learnedPositions.lookup(positions, T, { past: 7 }) }),
        dropped,
      ),
  },
  bert: {
    call: (w, p, s, $) =>
      inputEmbeddings(SPECS.bert, { words: w, positions: p, segments: s, norm }, ids, {
        ...{ past: 2, segments: [0, 0, 1, 1, 1] },
        ...$,
      }),
    byHand: (dropped) => {
      const typed = table.lookup(ids, { add: learnedPositions.lookup(segments, [0, 0, 1, 1, 1]) });
      const sum = plus(typed, learnedPositions.lookup(positions, T, { past: 2 }));
      return dropout.apply(normalize.layerNorm(sum, { ...norm, eps: 1e-12 }), dropped);
    },
  },
  roberta: {
    call: (w, p, s, $) =>
      inputEmbeddings(
        learned("roberta", { segments: 2, norm: 1e-5 }),
        { words: w, positions: p, segments: s, norm },
        ids,
        { past: 3, ...$ },
      ),
    byHand: (dropped) => {
      const typed = table.lookup(ids, { add: learnedPositions.lookup(segments, [0, 0, 0, 0, 0]) });
      const sum = plus(
        typed,
        learnedPositions.lookup(positions, positionIds.fromTokens(ids, { past: 3 })),
      );
      return dropout.apply(normalize.layerNorm(sum, { ...norm, eps: 1e-5 }), dropped);
    },
  },
  opt: {
    call: (w, p, _s, $) =>
      inputEmbeddings(SPECS.opt, { words: w, positions: p }, ids, { past: 4, ...$ }),
    byHand: (dropped) => {
      const add = learnedPositions.lookup(positions, T, { past: 4, offset: 2 });
      return dropout.apply(table.lookup(ids, { add }), dropped);
    },
  },
  bloom: {
    call: (w, _p, _s, $) => inputEmbeddings(SPECS.bloom, { words: w, norm }, ids, $),
    byHand: (dropped) =>
      dropout.apply(normalize.layerNorm(table.lookup(ids), { ...norm, eps: 1e-5 }), dropped),
  },
  gemma: {
    call: (w, _p, _s, $) => inputEmbeddings(SPECS.gemma, { words: w }, ids, $),
    byHand: (dropped) => dropout.apply(table.lookup(ids, { scale: 4 }), dropped),
  },
};

for (const [name, { call, byHand }] of Object.entries(MODELS)) {
  describe(`inputEmbeddings: ${name}`, () => {
    const resident = (/** @type {Tensor} */ weights) => embedding.from(weights);

    test(`${name} equals its steps bit for bit, with tables and with plain weights`, () => {
      const want = byHand({ training: false });
      assert.deepEqual(want.shape, [2, T, D]);
      assert.deepEqual(call(words, positions, segments, {}), want);
      assert.deepEqual(call(resident(words), resident(positions), resident(segments), {}), want);
      assert.deepEqual(call(words.toArray(), positions.toArray(), segments.toArray(), {}), want);
    });

    test(`${name} returns every step by name, and the last is the output`, () => {
      const stages = call(words, positions, segments, { intermediates: true });
      assert.deepEqual(stages.words, table.lookup(ids));
      assert.deepEqual(stages.output, byHand({ training: false }));
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

    test(`${name} writes the output into out`, () => {
      const out = new Float32Array(2 * T * D);
      const got = call(words, positions, segments, { out });
      assert.equal(got.data, out);
      const { output } = call(words, positions, segments, { out, intermediates: true });
      assert.equal(output.data, out);
      assert.deepEqual(out, byHand({ training: false }).data);
      out.fill(7);
      assert.throws(() => call(words, positions, segments, { out, more: 1 }), TypeError);
      assert.throws(() => call([[1, NaN, "2"]], positions, segments, { out }), TypeError);
      assert.ok(out.every((x) => x === 7));
    });

    test(`${name} applies dropout in training, determined by its seed`, () => {
      const dropped = { p: 0.4, seed: 12 };
      const got = call(words, positions, segments, { ...dropped, training: true });
      assert.deepEqual(got, byHand({ ...dropped, training: true }));
      assert.ok(numbers(got).filter((x) => x === 0).length > D);
    });
  });
}

describe("inputEmbeddings: rules of specific models", () => {
  test("RoBERTa gives padding the position paddingIdx", () => {
    const padded = [
      [1, 1, 8, 9],
      [8, 9, 1, 1],
    ];
    const stages = inputEmbeddings(SPECS.roberta, { words, positions }, padded, {
      intermediates: true,
    });
    const [row1, row2, row3] = [1, 2, 3].map((row) => positions.row(row).toArray());
    assert.deepEqual(stages.positions?.toArray(), [
      [row1, row1, row2, row3],
      [row2, row3, row1, row1],
    ]);
    assert.equal(stages.segments, undefined);
    const other = inputEmbeddings(SPECS.roberta, { words, positions }, [[8, 0]], {
      ...{ paddingIdx: 0, intermediates: true },
    });
    assert.deepEqual(other.positions?.toArray(), [
      [positions.row(1).toArray(), positions.row(0).toArray()],
    ]);
  });

  test("OPT counts positions by the mask, which begins with the cache", () => {
    const mask = [
      [0, 0, 1, 1, 1, 1],
      [1, 1, 1, 1, 1, 1],
    ];
    const two = [
      [5, 6],
      [5, 6],
    ];
    const opt = (/** @type {object} */ options) =>
      inputEmbeddings(SPECS.opt, { words, positions }, two, options);
    const rows = learnedPositions.lookup(positions, [
      [4, 5],
      [6, 7],
    ]);
    assert.deepEqual(opt({ mask, past: 4 }), table.lookup(two, { add: rows }));
    assert.deepEqual(opt({ mask: [1, 1, 1, 1, 1, 1], past: 4 }), opt({ past: 4 }));
    assert.throws(
      () => opt({ mask, past: 3 }),
      /^RangeError: \S+: mask must have the last axes of \[2, 5\]; got /,
    );
  });

  test("a sequence in two pieces equals the whole sequence", () => {
    const weights = { words, positions, segments };
    const { norm, ...some } = { ...weights, norm: {} };
    for (const [spec, given] of /** @type {[any, any][]} */ ([
      [SPECS.vaswani, { words }],
      [SPECS.gpt2, { words, positions }],
      [SPECS.bert, { ...some, norm }],
      [SPECS.roberta, { words, positions }],
      [SPECS.opt, { words, positions }],
      [SPECS.llama, { words }],
    ])) {
      const whole = inputEmbeddings(spec, given, [3, 7, 4, 9, 5]);
      const parts = [
        ...numbers(inputEmbeddings(spec, given, [3, 7])),
        ...numbers(inputEmbeddings(spec, given, [4, 9, 5], { past: 2 })),
      ];
      assert.deepEqual(parts, numbers(whole));
    }
  });

  test("a text longer than the table of positions is an error", () => {
    const long = new Int32Array(1025);
    const weights = { words, positions: embedding.create(1024, D, { storage: "on-demand" }) };
    const spec = models.get("gpt2");
    const gpt2 = { positions: spec.positions };
    assert.throws(
      () => inputEmbeddings(gpt2, weights, long),
      /^RangeError: \S+: positions must .* position 1024 .*; got 0 \+ 1024$/,
    );
    assert.throws(() => inputEmbeddings(gpt2, weights, [1], { past: 1024 }), /position 1024 /);
    assert.deepEqual(inputEmbeddings(gpt2, weights, long.subarray(1)).shape, [1024, D]);
  });

  test("BERT accepts segments for one row or for each, and defaults to 0", () => {
    const bert = (/** @type {object} */ options) =>
      inputEmbeddings(SPECS.bert, { words, positions, segments }, ids, options);
    const one = tokenTypeIds.ids([1, 1]);
    const each = [one.toArray(), one.toArray()];
    assert.deepEqual(bert({ segments: one }), bert({ segments: each }));
    assert.deepEqual(bert({}), bert({ segments: [0, 0, 0, 0, 0] }));
    for (const wrong of [[0, 1], [[0, 1, 0, 1, 0]], 0]) {
      assert.throws(
        () => bert({ segments: wrong }),
        /^RangeError: \S+: segments must have the last axes of \[2, 5\]; got /,
      );
    }
  });

  test("Gemma multiplies by sqrt(D) in bfloat16", () => {
    // Gemma's normalizers; bfloat16 has 8 bits
    for (const [width, scale] of [
      [3072, 55.5],
      [2048, 45.25],
      [640, 25.25],
      [1152, 34],
      [256, 16],
      [1, 1],
    ]) {
      const ones = { data: new Float32Array(width).fill(1), shape: [1, width] };
      assert.equal(inputEmbeddings(SPECS.gemma, { words: ones }, [0]).at(0, width - 1), scale);
    }
  });

  test("sumScale multiplies the sum, rounded as the scale is, before the LayerNorm", () => {
    const add = (/** @type {Float32Array} */ x, /** @type {Tensor} */ y) =>
      x.map((value, i) => value + y.data[i % y.size]);
    const [typed, placed] = [segments, positions].map((of) => of.slice(0, 1));
    for (const [sumScale, scaleDtype, factor] of /** @type {const} */ ([
      [14.6, "float32", Math.fround(14.6)],
      ["sqrt", "float32", 4],
      [0.3, "bfloat16", 0.30078125], // 77/256
      [1 / 3, "float16", 0.333251953125], // 1365/4096
      [0, "float32", 0],
    ])) {
      for (const { spec, weights, sum } of [
        {
          spec: { positions: { scheme: "alibi" } },
          weights: { words },
          sum: numbers(table.lookup(ids[0])),
        },
        {
          spec: learned("gpt2"),
          weights: { words, positions },
          sum: numbers(table.lookup(ids[0], { add: positions.slice(0, T) })),
        },
        {
          spec: learned("bert", { segments: 2 }),
          weights: { words, positions: placed.reshape(1, D), segments },
          sum: undefined,
        },
      ]) {
        const tokens = { ...spec.tokens, sumScale, scaleDtype };
        const short = sum === undefined ? ids[0].slice(0, 1) : ids[0];
        const before = sum ?? add(add(table.lookup(short).data, typed), placed);
        const want = Float32Array.from(before, (x) => Math.fround(x) * factor);
        const stages = inputEmbeddings({ ...spec, tokens }, weights, short, {
          intermediates: true,
        });
        assert.deepEqual(stages.output.data, want);
        assert.deepEqual(stages.scaledSum?.data, want);
        if (stages.sum) assert.deepEqual(numbers(stages.sum), [...before]);
        assert.equal("scaled" in stages, false);
        const normed = { ...spec, tokens: { ...tokens, norm: 1e-5 } };
        assert.deepEqual(
          inputEmbeddings(normed, { ...weights, norm }, short),
          normalize.layerNorm(stages.output, { ...norm, eps: 1e-5 }),
        );
      }
    }
    for (const sumScale of [NaN, Infinity, "sqr", null, 1e39, [2]]) {
      const spec = { ...SPECS.llama, tokens: /** @type {any} */ ({ sumScale }) };
      assert.throws(
        () => inputEmbeddings(spec, { words }, ids),
        /^(Type|Range)Error: inputEmbeddings: spec.tokens.sumScale must be "sqrt" or a float32 number; got /,
      );
    }
    assert.throws(
      () =>
        inputEmbeddings(
          { ...SPECS.llama, tokens: { sumScale: 1e6, scaleDtype: "float16" } },
          { words },
          ids,
        ),
      /^RangeError: inputEmbeddings: spec.tokens.sumScale must be within float16; got 1000000$/,
    );
  });

  test("LLaMA only looks up rows", () => {
    const stages = inputEmbeddings(SPECS.llama, { words }, ids, { intermediates: true });
    assert.deepEqual(Object.keys(stages), ["words", "output"]);
    assert.deepEqual(stages.output, table.lookup(ids));
  });

  test("inputEmbeddings follows the description of every model of phasor/models that embeds tokens", () => {
    const done = models.names.filter((name) => {
      const { tokens, positions: rule } = models.get(name);
      const spec = { tokens, positions: { ...rule, rows: undefined } };
      const isLearned = rule.scheme === "learnedPositions";
      const weights = {
        words,
        ...(isLearned && { positions }),
        ...(tokens.segments > 0 && { segments: random([tokens.segments, D], 3) }),
      };
      try {
        return inputEmbeddings(spec, weights, ids).shape.length === 3;
      } catch (error) {
        const { message } = /** @type {Error} */ (error);
        const refused =
          /^inputEmbeddings: spec\.(positions\.(scheme|preset) must be|positions must be known|tokens must have known parts).*; got /;
        assert.match(message, refused, name);
        return false;
      }
    });
    const images = models.names.filter((name) => !done.includes(name));
    assert.deepEqual(
      images.map((name) => {
        const { preset, scheme } = models.get(name).positions;
        return preset ?? scheme;
      }),
      images.map((name) => REFUSED[name]),
    );
  });

  test("ids may have any leading axes, or be empty", () => {
    const gpt2 = { words, positions };
    assert.deepEqual(inputEmbeddings(SPECS.gpt2, gpt2, [[[1]], [[2]]]).shape, [2, 1, 1, D]);
    assert.deepEqual(inputEmbeddings(SPECS.gpt2, gpt2, []).shape, [0, D]);
    const none = { data: [], shape: [2, 0] };
    assert.deepEqual(inputEmbeddings(SPECS.bert, { ...gpt2, segments }, none).shape, [2, 0, D]);
    assert.throws(
      () => inputEmbeddings(SPECS.gemma, { words }, /** @type {any} */ (3)),
      /^RangeError: \S+: ids must have shape \[..., T\]; got \[\]$/,
    );
  });

  test("unknown weights and options are errors, and so are missing ones", () => {
    const { gpt2, bert, bloom, gemma } = SPECS;
    /** @type {[RegExp, any, any, any?][]} */
    const wrong = [
      [
        /^RangeError: \S+: weights.positions must have shape \[40, 16\]; got \[40, 17\]$/,
        gpt2,
        { words, positions: random([N, D + 1], 1) },
      ],
      [
        /^RangeError: \S+: weights.positions must have shape \[1024, 16\]; got \[40, 16\]$/,
        { positions: { ...gpt2.positions, rows: 1024 } },
        { words, positions },
      ],
      [
        /^RangeError: \S+: weights.words must have shape \[30, 768\]; got \[30, 16\]$/,
        { ...gpt2, dim: 768 },
        { words, positions },
      ],
      [
        /^TypeError: \S+: spec.positions must have only .+; got "option"; did you mean "options"\?$/,
        { positions: { scheme: "sinusoidal", option: { base: 5 } } },
        { words },
      ],
      [
        /^TypeError: \S+: spec.positions must have only .+; got "rows"/,
        { positions: { scheme: "sinusoidal", rows: 1 } },
        { words },
      ],
      [
        /^TypeError: \S+: weights must be among words, positions for this model; got wpe$/,
        gpt2,
        { words, wpe: positions },
      ],
      [
        /^TypeError: \S+: weights must be among words for this model; got norm$/,
        gemma,
        { words, norm },
      ],
      [/^TypeError: \S+: weights.positions must .+; got undefined$/, gpt2, { words }],
      [/^TypeError: \S+: weights.segments must .+; got undefined$/, bert, { words, positions }],
      [
        /^TypeError: \S+: weights.norm must be \{weight, bias\}; got gamma$/,
        bloom,
        { words, norm: { gamma: [1] } },
      ],
      [/^TypeError: \S+: weights.norm must be an object; got 4$/, bloom, { words, norm: 4 }],
      [
        /^RangeError: \S+: weight must have shape \[16\]; got \[2\]$/,
        bloom,
        { words, norm: { weight: [1, 2] } },
      ],
      [/^TypeError: \S+: spec.positions must be an object; got undefined$/, {}, { words }],
      [
        /^TypeError: inputEmbeddings: spec.tokens must have only .*; got "scael"; did you mean "scale"\?/,
        { ...gemma, tokens: { scael: "sqrt" } },
        { words },
      ],
      [
        /^TypeError: \S+: spec.tokens must be an object; got 4$/,
        { ...gemma, tokens: 4 },
        { words },
      ],
      [
        /^RangeError: \S+: spec.positions.scheme must be .*; got "unknown"/,
        { positions: { scheme: "unknown" } },
        { words },
      ],
      [
        /^RangeError: \S+: spec.positions.preset must be .*; got "whisper"/,
        { positions: { scheme: "sinusoidal", preset: "whisper" } },
        { words },
      ],
      [
        /^RangeError: \S+: segments must be left out for a model without them; got some$/,
        gpt2,
        { words, positions },
        { segments: [0, 0, 0, 0, 0] },
      ],
      [
        /^RangeError: \S+: mask must be left out unless positions.preset is "opt"; got "gpt2"$/,
        gpt2,
        { words, positions },
        { mask: [1, 1, 1, 1, 1] },
      ],
      [
        /^RangeError: \S+: paddingIdx must be left out unless .* "roberta" or "fairseq"; got "rope"$/,
        gemma,
        { words },
        { paddingIdx: 1 },
      ],
    ];
    for (const [message, spec, weights, options] of wrong) {
      assert.throws(() => inputEmbeddings(spec, weights, ids, options), message);
    }
    assert.throws(
      () => inputEmbeddings(gemma, { words }, [30]),
      /^RangeError: \S+: ids must be whole numbers from 0 to 29; got 30 at 0$/,
    );
  });

  test("an undefined field of the spec has its default: no LayerNorm, no scale", () => {
    const tokens = {
      scale: undefined,
      scaleDtype: undefined,
      segments: undefined,
      norm: undefined,
    };
    const stages = inputEmbeddings({ ...SPECS.llama, tokens }, { words }, ids, {
      intermediates: true,
    });
    assert.deepEqual(Object.keys(stages), ["words", "output"]);
    assert.deepEqual(stages.output, table.lookup(ids));
  });

  test("a projection widens the word rows, before positions or after the LayerNorm", () => {
    const [ids, words] = [[2, 0, 1], random([3, 4], 1)];
    const projection = { weight: random([6, 4], 2), bias: random([6], 3) };
    const linear = (/** @type {Tensor} */ x) =>
      phasor.attention.linear(x, projection.weight, {
        bias: projection.bias,
        accumulate: "float64",
      });
    const rows = phasor.embedding.from(words).lookup(ids);

    const early = { tokens: { projection: "words" }, positions: { scheme: "learnedPositions" } };
    const positions = random([3, 6], 4);
    const sum = inputEmbeddings(/** @type {any} */ (early), { words, projection, positions }, ids);
    const want = Float32Array.from(linear(rows).data, (x, i) => x + Number(positions.data[i]));
    assert.deepEqual([sum.shape, sum.data], [[3, 6], want]);

    const late = {
      tokens: { projection: "norm", norm: 1e-5, width: 4 },
      ...{ dim: 6, positions: { scheme: "rope" } },
    };
    const stages = inputEmbeddings(/** @type {any} */ (late), { words, projection }, ids, { intermediates: true }); // prettier-ignore
    assert.deepEqual(stages.normalized?.data, normalize.layerNorm(rows, { eps: 1e-5 }).data);
    assert.deepEqual(stages.output.data, linear(normalize.layerNorm(rows, { eps: 1e-5 })).data);
    assert.deepEqual(stages.projected?.data, stages.output.data);

    const call = (/** @type {any} */ spec, /** @type {any} */ weights) => () =>
      inputEmbeddings(spec, weights, ids);
    const { weight } = projection;
    assert.throws(call(late, { words }), /weights\.projection must be an object; got undefined/);
    assert.throws(call(late, { words, projection: { weight, scale: 1 } }), /got scale/);
    const narrow = { weight: random([5, 4], 1) };
    assert.throws(
      call(late, { words, projection: narrow }),
      /weight must have shape \[6, 4\]; got \[5, 4\]/,
    );
    const short = { weight, bias: [1, 2] };
    assert.throws(
      call(late, { words, projection: short }),
      /bias must have shape \[6\]; got \[2\]/,
    );
    assert.throws(
      call(early, { words, projection, positions: random([3, 4], 4) }),
      /weights\.positions must have shape \[3, 6\]/,
    );
    const where = { tokens: { projection: "here" }, positions: { scheme: "rope" } };
    assert.throws(call(where, { words, projection }), /spec\.tokens\.projection must be one of/);
  });

  test("an RMSNorm has no weight unless one is given", () => {
    const spec = { tokens: { norm: 1e-6, normKind: "rms" }, positions: { scheme: "rope" } };
    const words = random([3, 8], 5);
    const got = inputEmbeddings(/** @type {any} */ (spec), { words }, [1, 2]);
    const rows = phasor.embedding.from(words).lookup([1, 2]);
    assert.deepEqual(got.data, normalize.rmsNorm(rows, { eps: 1e-6 }).data);
    const norm = { weight: random([8], 6), bias: random([8], 7) };
    assert.throws(() => inputEmbeddings(/** @type {any} */ (spec), { words, norm }, [1, 2]), {
      name: "TypeError",
      message: "inputEmbeddings: weights.norm.bias must be left out for an RMSNorm; got one",
    });
  });

  test("BART's and XGLM's positions begin at row 2, and fairseq's padding has a row of zeros", () => {
    const words = random([9, 4], 6);
    const table = random([8, 4], 7);
    const zeros = new Tensor(new Float32Array(36), [9, 4]);
    const of = (/** @type {any} */ positions, /** @type {any} */ weights, /** @type {number[]} */ ids, options = {}) =>
      inputEmbeddings({ positions }, weights, ids, options); // prettier-ignore
    const bart = of({ scheme: "learnedPositions", preset: "bart" }, { words: zeros, positions: table }, [5, 6], { past: 1 }); // prettier-ignore
    assert.deepEqual(bart.data, table.data.slice(12, 20));
    const options = { layout: "halves", spectrum: "tensor2tensor" };
    const xglm = of({ scheme: "sinusoidal", preset: "xglm", options }, { words: zeros }, [5, 6]);
    const sines = sinusoidal.table([2, 3], 4, /** @type {any} */ (options));
    assert.deepEqual(xglm.data, sines.data);
    const fairseq = { scheme: "sinusoidal", preset: "fairseq", options };
    const padded = of(fairseq, { words: zeros }, [1, 5, 6]);
    assert.deepEqual(padded.data, Float32Array.of(0, 0, 0, 0, ...sines.data));
    assert.deepEqual(of(fairseq, { words }, [5]).shape, [1, 4]);
  });

  test("a disposed table is an error", () => {
    const gone = embedding.create(V, D);
    gone.dispose();
    assert.throws(() => inputEmbeddings(SPECS.gemma, { words: gone }, ids), /^DisposedError: /);
  });
});

const small = [
  [1, 2],
  [3, 4],
  [5, 6],
  [7, 8],
];

for (const [name, weights] of /** @type {[keyof typeof SPECS, any][]} */ ([
  ["vaswani", { words: small }],
  ["bert", { words: small, positions: small, segments: small.slice(2) }],
  ["opt", { words: small, positions: small }],
  ["bloom", { words: small, norm: { weight: [1, 2] } }],
])) {
  battery(`inputEmbeddings ${name}`, {
    call: ({ spec, weights, ids, $ }) => inputEmbeddings(spec, weights, ids, $),
    good: { spec: SPECS[name], weights, ids: [1] },
    args: {
      spec: ["specs", "spec", "spec.positions", "spec.positions.scheme"],
      weights: ["tables", "weights", "weights.words", "weights.words.shape"],
      ids: ["ids", "ids", "ids.shape"],
      ...{ $: ["options"], intermediates: ["truth"], out: ["floats"], past: ["seed"] },
      ...{ p: ["chance"], seed: ["seed"], training: ["truth"] },
    },
  });
}
