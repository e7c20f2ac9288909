import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { battery } from "../../battery.js";
import { cases } from "../../../truth/golden.js";
import { phasor } from "../../../phasor.js";
import { models } from "phasor/models";
import { numbers } from "../../reference/samples.js";
import { assertTurned, TURN } from "./turned.js";

const { mrope, rope } = phasor;

const PARTS = /** @type {const} */ (["cos", "sin"]);

/** Positions [3, T] of a text, an image and a text. */
const MIXED = [
  [0, 1, 2, 2, 2, 2, 5, 6],
  [0, 1, 2, 2, 3, 3, 5, 6],
  [0, 1, 2, 3, 2, 3, 5, 6],
];

describe("mrope.table against Hugging Face", () => {
  for (const { id, params, inputs, outputs } of cases("mrope_apply", 2)) {
    const { rotary_dim: dim, rope_theta: base, mrope_section: sections } = params;
    const arrangement = params.mrope_interleaved ? "interleaved" : "chunked";
    const options = /** @type {const} */ ({ base, sections, arrangement });
    const ids = inputs.position_ids;
    const most = Math.max(...numbers(ids));
    for (const precision of /** @type {const} */ (["exact", "torch"])) {
      test(`mrope.table, ${precision}, rotates q and k of ${id}`, () => {
        const table = mrope.table(ids, dim, { ...options, precision });
        assert.deepEqual(table.cos.shape, [...ids.shape.slice(1), dim / 2]);
        for (const name of ["q", "k"]) {
          const x = inputs[name];
          const want = outputs[`${name}_out${precision === "exact" ? "_f64" : ""}`];
          const got = rope.apply(x, table, { layout: "halves" });
          // exact: TURN, and half an ULP of the stored value. torch: both sides are off by TURN,
          // the program's sines are an ULP off in two components, and a frequency may be its
          // neighbor, 2^-23 of the angle.
          const bound =
            precision === "exact" ? TURN + 2 ** -24 : 2 * TURN + 2 * 2 ** -24 + most * 2 ** -23;
          assertTurned(x, got, want, dim, "halves", bound);
        }
      });
    }
    test(`mrope.presets have the numbers of ${id}`, () => {
      const name = /** @type {keyof typeof mrope.presets} */ (id.split(".")[2]);
      assert.deepEqual({ ...mrope.presets[name] }, options);
    });
  }
});

describe("mrope.axes", () => {
  test("mrope.axes of Qwen2-VL are runs of 16, 24 and 24", () => {
    const axes = mrope.axes(128, mrope.presets.qwen2_vl);
    assert.equal(axes.dtype, "int32");
    assert.deepEqual(
      axes.toArray(),
      [0, 1, 2].flatMap((axis) => new Array(axis === 0 ? 16 : 24).fill(axis)),
    );
    assert.deepEqual(mrope.axes(128), axes);
    assert.deepEqual(mrope.axes(128, mrope.presets.qwen2_5_vl), axes);
  });

  test("mrope.axes of Qwen3-VL are THW twenty times, then TTTT", () => {
    const axes = mrope.axes(128, mrope.presets.qwen3_vl).toArray();
    assert.deepEqual(axes, [...new Array(20).fill([0, 1, 2]).flat(), 0, 0, 0, 0]);
  });

  test("mrope.axes of ERNIE 4.5 VL are HW twenty-two times, then TT", () => {
    const axes = mrope.axes(128, mrope.presets.ernie4_5_vl).toArray();
    assert.deepEqual(axes, [...new Array(22).fill([1, 2]).flat(), ...new Array(20).fill(0)]);
  });

  test("Bailing's M-RoPE alternates height and width and ends with time, and pairs neighbors", () => {
    // Of vLLM's bailing_mrope.py, from its own test: the positions that each of 6 frequencies takes.
    const options = /** @type {const} */ ({ sections: [2, 2, 2], arrangement: "alternating" });
    const positions = [
      [1, 2],
      [3, 4],
      [5, 6],
    ];
    const taken = [
      [3, 5, 3, 5, 1, 1],
      [4, 6, 4, 6, 2, 2],
    ];
    const frequencies = [0.5, 0.25, 0.125, 2, 3, 4];
    const table = mrope.table(positions, 12, { ...options, frequencies });
    const cosines = taken.map((row) =>
      row.map((p, i) => Math.fround(Math.cos(p * frequencies[i]))),
    );
    assert.deepEqual(table.cos.toArray(), cosines);
    const x = Array.from({ length: 12 }, (_, d) => Number(d === 2));
    const turned = rope.apply([x, x], table, { layout: "interleaved" }).toArray();
    const at = [2, 3].map((d) => turned[1][d]);
    assert.deepEqual(at, [table.cos.at(1, 1), table.sin.at(1, 1)]);
  });

  test("mrope.axes has each axis as often as its section says", () => {
    for (const sections of [[4, 2, 2], [3, 3, 2], [2, 2, 2], [5, 1, 2], [3, 2], [7]]) {
      const dim = 2 * sections.reduce((sum, pairs) => sum + pairs, 0);
      for (const arrangement of /** @type {const} */ (["chunked", "interleaved"])) {
        const axes = mrope.axes(dim, { sections, arrangement }).toArray();
        const found = sections.map(
          (_, axis) => axes.filter((/** @type {number} */ a) => a === axis).length,
        );
        assert.deepEqual(found, sections, arrangement);
      }
    }
  });

  test("mrope.axes rejects sections that do not fit", () => {
    for (const [dim, options] of /** @type {[number, object][]} */ ([
      [64, {}],
      [12, { sections: [2, 2, 1] }],
      [12, { sections: [6, 0, 0] }],
      [12, { sections: [1, 1, 4], arrangement: "interleaved" }],
      [12, { sections: [1, 3, 2], arrangement: "alternating" }],
      [12, { sections: [[2, 2, 2]] }],
    ])) {
      assert.throws(
        () => mrope.axes(dim, options),
        /^RangeError: \S+: sections(\[\d\])? must .+; got /,
      );
    }
  });
});

describe("mrope.table", () => {
  test("mrope.table of equal positions equals rope.table, bit for bit", () => {
    const lists = [
      Float64Array.from({ length: 300 }, (_, t) => t * 7 - 1000),
      Float64Array.from({ length: 40 }, (_, t) => (t - 7) * 2 ** (t / 2)),
      Float64Array.of(131071, 2 ** 20, 2 ** 31, 0.5, -3.75),
    ];
    for (const preset of Object.values(mrope.presets)) {
      const { base } = preset;
      for (const list of lists) {
        for (const precision of /** @type {const} */ (["exact", "torch"])) {
          const data = [...list, ...list, ...list];
          const three = { data, shape: [3, list.length] };
          const got = mrope.table(three, 128, { ...preset, precision });
          assert.deepEqual(got, rope.table(list, 128, { base, precision }));
        }
      }
    }
  });

  const factors = Array.from({ length: 64 }, (_, i) => 1 + i / 8);
  for (const scaling of /** @type {import("../../../../src/positional/rotary/rope/scaling.js").Scaling[]} */ ([
    { type: "linear", factor: 4 },
    { type: "dynamic", factor: 2, maxLength: 2048 },
    { type: "ntk", alpha: 4 },
    { type: "yarn", factor: 4, originalLength: 32768, attentionFactor: 1.25 },
    { type: "yarn", maxLength: 131072, originalLength: 32768, ramp: "turns" },
    { type: "longrope", originalLength: 4096, factor: 32, shortFactor: factors, longFactor: factors.map((x) => 2 * x) },
    { type: "llama3", factor: 8, lowFreqFactor: 1, highFreqFactor: 4, originalLength: 8192 },
    { type: "proportional", partialRotaryFactor: 0.25 },
  ]) /* prettier-ignore */) {
    test(`mrope.table with ${scaling.type} of equal positions equals rope.table, bit for bit`, () => {
      const { base, sections } = mrope.presets.qwen2_5_vl;
      for (const list of [
        Float64Array.of(0, 1, 4095, 100000),
        Float64Array.of(3, 7, 2 ** 25 + 1),
      ]) {
        const three = { data: [...list, ...list, ...list], shape: [3, list.length] };
        for (const precision of /** @type {const} */ (["exact", "torch"])) {
          for (const length of [undefined, 100, 1e6]) {
            const options = { base, scaling, precision, length };
            const got = mrope.table(three, 128, { ...options, sections });
            assert.deepEqual(got, rope.table(list, 128, options));
          }
        }
      }
    });
  }

  test("mrope.table rotates as models.rope says of Qwen2.5-VL with YaRN", () => {
    const rope_scaling = { type: "yarn", factor: 4, original_max_position_embeddings: 32768, mrope_section: [16, 24, 24] }; // prettier-ignore
    const sizes = { hidden_size: 3584, num_attention_heads: 28, num_hidden_layers: 28 };
    const config = { model_type: "qwen2_5_vl", ...sizes, rope_theta: 1e6, rope_scaling };
    const { dim, options, multimodal, warnings } = /** @type {any} */ (models.rope(config));
    assert.deepEqual(warnings, []);
    assert.equal(options.scaling?.type, "yarn");
    const text = [0, 31, 100000];
    const got = mrope.table([text, text, text], dim, { ...options, ...multimodal });
    const { cos, sin } = rope.table(text, dim, options);
    assert.deepEqual(got, { cos, sin });
  });

  test("mrope.table takes its length from the farthest position of all axes", () => {
    const scaling = /** @type {const} */ ({ type: "dynamic", factor: 2, maxLength: 64 });
    const options = { scaling, sections: [2, 1, 1] };
    const positions = [[5], [500], [7]];
    const got = mrope.table(positions, 8, options);
    assert.deepEqual(got, mrope.table(positions, 8, { ...options, length: 501 }));
    assert.notDeepEqual(got, mrope.table(positions, 8, { ...options, length: 8 }));
  });

  test("mrope.table refuses what frequencies and a scaling have themselves", () => {
    const scaling = /** @type {const} */ ({ type: "linear", factor: 4 });
    const sections = [1, 1];
    for (const [options, name, other] of /** @type {[object, string, string][]} */ ([
      [{ base: 100, frequencies: [1, 0.1] }, "base", "frequencies"],
      [{ scaling, frequencies: [1, 0.1] }, "scaling", "frequencies"],
      [{ scaling, attentionFactor: 1 }, "attentionFactor", "scaling"],
    ])) {
      assert.throws(
        () => mrope.table([[1], [2]], 4, { sections, ...options }),
        new RegExp(`^RangeError: mrope.table: ${name} must not be given with ${other}; got both$`),
      );
    }
  });

  test("mrope.table takes each column from rope.table of its axis", () => {
    for (const options of /** @type {const} */ ([
      { sections: [4, 2, 2], arrangement: "interleaved" },
      { sections: [2, 3, 3], arrangement: "chunked" },
      { sections: [2, 3, 3], arrangement: "alternating" },
    ])) {
      const axes = mrope.axes(16, options).data;
      const got = mrope.table(MIXED, 16, options);
      const each = MIXED.map((list) => rope.table(list, 16));
      for (const part of PARTS) {
        for (const [k, value] of got[part].data.entries()) {
          assert.equal(value, each[Number(axes[k % 8])][part].data[k]);
        }
      }
    }
  });

  test("mrope.table accepts batches", () => {
    const options = { sections: [1, 1, 1] };
    const batch = mrope.table(
      MIXED.map((list) => [list.slice(0, 4), list.slice(4)]),
      6,
      options,
    );
    assert.deepEqual(batch.cos.shape, [2, 4, 3]);
    assert.deepEqual(batch.cos.data, mrope.table(MIXED, 6, options).cos.data);
    assert.deepEqual(mrope.table([[], [], []], 6, options).cos.shape, [0, 3]);
  });

  test("mrope.table accepts given frequencies and their factor", () => {
    const options = { sections: [1, 1, 2] };
    const { frequencies, attentionFactor } = rope.frequencies(8);
    const plain = mrope.table(MIXED, 8, options);
    const given = mrope.table(MIXED, 8, { ...options, frequencies, attentionFactor });
    for (const part of PARTS) {
      for (const [k, value] of given[part].data.entries()) {
        // the frequencies were rounded to float32: 2^-24 of an angle up to 6, and a rounding
        assert.ok(Math.abs(Number(value) - Number(plain[part].data[k])) <= 7 * 2 ** -24);
      }
    }
    const steps = { ...options, precision: /** @type {const} */ ("torch") };
    const torch = rope.frequencies(8, { precision: "torch" }).frequencies;
    assert.deepEqual(
      mrope.table(MIXED, 8, { ...steps, frequencies: torch }),
      mrope.table(MIXED, 8, steps),
    );
    const double = mrope.table(MIXED, 8, { ...options, frequencies, attentionFactor: 2 });
    for (const part of PARTS) {
      assert.deepEqual(
        double[part].data,
        given[part].data.map((x) => 2 * Number(x)),
      );
    }
    const fast = mrope.table(MIXED, 8, { ...options, frequencies: [5, 4, 3, 2] });
    assert.deepEqual(fast.cos.row(0).toArray(), [1, 1, 1, 1]);
    assert.equal(fast.sin.at(1, 0), Math.fround(Math.sin(5)));
  });

  test("mrope.table rejects given frequencies whose angles are out of range, and writes nothing", () => {
    const out = { cos: new Float32Array(2).fill(7), sin: new Float32Array(2).fill(7) };
    const options = { sections: [1, 1], frequencies: [1e6, 1], out };
    assert.throws(
      () => mrope.table([[1], [1e6]], 4, options),
      /^RangeError: \S+: positions must be within .+ at frequencies up to 1000000; got 1000000$/,
    );
    assert.deepEqual([...out.cos, ...out.sin], [7, 7, 7, 7]);
  });

  test("mrope.table rejects positions of another shape", () => {
    const options = { sections: [1, 1, 1] };
    for (const positions of [[1, 2, 3], [[1], [2]], [[[[1]]], [[[1]]], [[[1]]]], 3]) {
      assert.throws(
        () => mrope.table(positions, 6, options),
        /^\w+Error: mrope\.table: positions must .+; got /,
      );
    }
  });
});

const SECTIONS = /** @type {const} */ ({
  base: ["atLeastOne"],
  sections: ["sections", "sections", "sections[0]", "sections.shape"],
  arrangement: ["word"],
});

battery("mrope.axes", {
  call: ({ dim, $ }) => mrope.axes(dim, { sections: [1, 1], ...$ }),
  good: { dim: 4 },
  args: { dim: ["evenSize"], ...SECTIONS, out: ["ints"] },
});

battery("mrope.axes of the default sections", {
  call: ({ dim, $ }) => mrope.axes(dim, $),
  good: { dim: 128 },
  args: { $: ["options"] },
});

battery("mrope.table", {
  call: ({ positions, dim, $ }) => mrope.table(positions, dim, { sections: [1, 1], ...$ }),
  good: { positions: [[1], [2]], dim: 4 },
  args: {
    positions: ["tensor", "positions", "positions.shape", "out.cos"],
    dim: ["evenSize"],
    ...SECTIONS,
    frequencies: ["tensorOption", "frequencies", "frequencies.shape"],
    attentionFactor: ["positive"],
    length: ["seed"],
    scaling: ["options", "scaling", "scaling.type"],
    precision: ["word"],
    recipe: ["word"],
    out: ["pair", "out", "out.cos", "out.sin"],
  },
});

battery("mrope.table of the default sections", {
  call: ({ positions, $ }) => mrope.table(positions, 128, $),
  good: { positions: [[1], [2], [3]] },
  args: { positions: ["positions"], $: ["options"] },
});
