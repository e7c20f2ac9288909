// What the page "What is this table?" reads: prints, JSON, CSV and names of arrays; and the programs that it gives.

import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "phasor";
import { models } from "phasor/models";
import { identify } from "phasor/oracle";
import { choicesOf, chosenOf } from "../../web/app/oracle/arrays.js";
import { examples } from "../../web/app/oracle/examples.js";
import { readText } from "../../web/app/oracle/printed.js";
import { programOf } from "../../web/app/oracle/program.js";
import { lineOf } from "../../web/identify/lines.js";

const phasor = await load();
const { rope } = phasor;

/** @typedef {{data: any, shape: readonly number[]}} Numbers */

/** Rows of 8 numbers from position 3 on, printed by NumPy 2.3. */
const COS = `[[-0.9899925   0.9553365   0.99955004  0.9999955  -0.9899925   0.9553365
   0.99955004  0.9999955 ]
 [-0.6536436   0.921061    0.9992001   0.999992   -0.6536436   0.921061
   0.9992001   0.999992  ]
 [ 0.2836622   0.87758255  0.99875027  0.9999875   0.2836622   0.87758255
   0.99875027  0.9999875 ]
 [ 0.96017027  0.8253356   0.99820054  0.999982    0.96017027  0.8253356
   0.99820054  0.999982  ]
 [ 0.75390226  0.7648422   0.997551    0.9999755   0.75390226  0.7648422
   0.997551    0.9999755 ]
 [-0.14550003  0.6967067   0.99680173  0.999968   -0.14550003  0.6967067
   0.99680173  0.999968  ]]`;
const SIN = `[[ 0.14112     0.29552022  0.0299955   0.003       0.14112     0.29552022
   0.0299955   0.003     ]
 [-0.7568025   0.38941833  0.03998933  0.00399999 -0.7568025   0.38941833
   0.03998933  0.00399999]
 [-0.9589243   0.47942555  0.04997917  0.00499998 -0.9589243   0.47942555
   0.04997917  0.00499998]
 [-0.2794155   0.5646425   0.059964    0.00599996 -0.2794155   0.5646425
   0.059964    0.00599996]
 [ 0.6569866   0.64421767  0.06994285  0.00699994  0.6569866   0.64421767
   0.06994285  0.00699994]
 [ 0.98935825  0.7173561   0.0799147   0.00799991  0.98935825  0.7173561
   0.0799147   0.00799991]]`;

/** The same, printed by PyTorch 2.9. */
const TENSORS = `tensor([[-0.9900,  0.9553,  0.9996,  1.0000, -0.9900,  0.9553,  0.9996,  1.0000],
        [-0.6536,  0.9211,  0.9992,  1.0000, -0.6536,  0.9211,  0.9992,  1.0000],
        [ 0.2837,  0.8776,  0.9988,  1.0000,  0.2837,  0.8776,  0.9988,  1.0000],
        [ 0.9602,  0.8253,  0.9982,  1.0000,  0.9602,  0.8253,  0.9982,  1.0000],
        [ 0.7539,  0.7648,  0.9976,  1.0000,  0.7539,  0.7648,  0.9976,  1.0000],
        [-0.1455,  0.6967,  0.9968,  1.0000, -0.1455,  0.6967,  0.9968,  1.0000]])
tensor([[ 0.1411,  0.2955,  0.0300,  0.0030,  0.1411,  0.2955,  0.0300,  0.0030],
        [-0.7568,  0.3894,  0.0400,  0.0040, -0.7568,  0.3894,  0.0400,  0.0040],
        [-0.9589,  0.4794,  0.0500,  0.0050, -0.9589,  0.4794,  0.0500,  0.0050],
        [-0.2794,  0.5646,  0.0600,  0.0060, -0.2794,  0.5646,  0.0600,  0.0060],
        [ 0.6570,  0.6442,  0.0699,  0.0070,  0.6570,  0.6442,  0.0699,  0.0070],
        [ 0.9894,  0.7174,  0.0799,  0.0080,  0.9894,  0.7174,  0.0799,  0.0080]],
       device='cuda:0', grad_fn=<MulBackward0>)`;

const WANTED = "RoPE, halves, 8 columns, base 10000, no scaling, positions from 3";

/** @param {string} text */
async function sentence(text) {
  const { arrays, precision } = readText(text);
  const options = { phasor, ...(precision && { precision }) };
  return (await identify(/** @type {any} */ (arrays), options)).sentence;
}

/** @param {Numbers} numbers */
const rows = ({ data, shape }) =>
  Array.from({ length: shape[0] }, (_, t) =>
    Array.from(data.subarray(t * shape[1], (t + 1) * shape[1])),
  );

/** @param {Numbers} numbers @param {string} between */
const csv = (numbers, between) => rows(numbers).map((row) => row.join(between)).join("\n"); // prettier-ignore

const table = rope.toFullWidth(rope.table(6, 8, { offset: 3 }));

test("a print of NumPy, of its repr, and in a shell", async () => {
  assert.equal(await sentence(`${COS}\n${SIN}`), WANTED);
  const repr = (/** @type {string} */ text) =>
    `array(${text
      .replace(/(\d) +(?=-?\d)/g, "$1, ")
      .replace(/(\d)\n/g, "$1,\n")
      .replace(/\]\n/g, "],\n")}, dtype=float32)`;
  assert.equal(await sentence(`>>> cos\n${repr(COS)}\n>>> sin\n${repr(SIN)}`), WANTED);
  assert.equal(await sentence(`sin = ${SIN}\r\ncos = ${COS}`), WANTED);
});

test("a print of PyTorch has four digits: it is compared as float16, and the note says so", async () => {
  assert.equal(await sentence(TENSORS), WANTED);
  const { notes, precision } = readText(TENSORS);
  assert.equal(precision, "float16");
  assert.match(notes[0], /^The numbers have 4 digits after the point, so they were compared as/);
  assert.equal(readText(`${COS}\n${SIN}`).precision, undefined);
});

test("JSON: an object, or two arrays", async () => {
  const [cos, sin] = [rows(table.cos), rows(table.sin)];
  assert.equal(await sentence(JSON.stringify({ cos, sin }, null, 2)), WANTED);
  assert.equal(await sentence(JSON.stringify([cos, sin])), WANTED);
});

test("rows with commas, tabs or spaces, with an empty line or names between", async () => {
  for (const between of [",", "\t", " ", "; "]) {
    const [cos, sin] = [csv(table.cos, between), csv(table.sin, between)];
    assert.equal(await sentence(`${cos}\n\n${sin}\n`), WANTED);
    assert.equal(await sentence(`sin\n${sin}\ncos\n${cos}`), WANTED);
  }
});

test("vectors by their names", async () => {
  const q = { data: Float32Array.from({ length: 48 }, (_, i) => Math.sin(i * i)), shape: [6, 8] };
  const rotated = rope.apply(q, rope.table(6, 8), { layout: "interleaved" });
  const text = `q = ${JSON.stringify(rows(q))}\nq_rotated = ${JSON.stringify(rows(rotated))}`;
  assert.match(await sentence(text), /^RoPE, interleaved, 8 columns, base 10000, no scaling/);
});

test("one array, by its axes, and numbers that are not finite", async () => {
  assert.deepEqual(readText("[[0.5, 1.5]]").names, { table: "table" });
  const { names, arrays } = readText("[[[0, -inf]], [[-0.5, -Infinity]], [[nan, 1e-3]]]");
  assert.deepEqual(names, { bias: "bias" });
  assert.deepEqual([...arrays.bias.data], [0, -Infinity, -0.5, -Infinity, NaN, 0.001]);
  const text = "cos = [[0.5001, NaN]]\nsin = [[0.5, 0.5]]";
  await assert.rejects(sentence(text), /cos must be finite; got NaN at number 1/);
});

test("text that is none of these is refused, and the message says where", () => {
  /** @type {readonly (readonly [string, RegExp])[]} */
  const wrong = [
    ["", /^Paste numbers first/],
    ["  \n", /^Paste numbers first/],
    ["[[1., 0.5, ..., 0.1]]", /leaves numbers out/],
    ["[[0.5000001, 0.2], [0.1]]", /^Rows must have one length; the first has 2, and that which ends in line 1 has 1\.$/],
    ["0.1,0.2\n0.1", /^Rows must have one length; got 2 and, in line 2, 1\.$/],
    ["[[0.5, 0.2]", /the last one is not closed/],
    ["[[0.5, 0.2]]]", /one “\]” too many in line 1/],
    ["[0.5, [0.2]]", /at one depth/],
    ["[[[[[[[0.1]]]]]]]", /at most 6 axes/],
    ["[[0.5, null]]", /got “null” in line 1/],
    ["[[0.5]]\n[[0.5, <b>]]", /got “<” in line 2\. This page reads prints/],
    ["[[0.5, alert]]", /got “alert” in line 1/],
    ["hello = [[0.5]]\nworld = [[0.5]]", /named cos and sin, or q and q_rotated; got “hello”, “world”\.$/],
    ["cos = [[0.5]]\ncos = [[0.5]]\nsin = [[0.5]]", /must be one array “cos”; got two/],
    ["cos = [[0.5]]\nsin = [[0.25]]", /at least three digits after the point; got 2/],
    [`cos = [[${"0,".repeat(4_000_001)}`, /at most 8,000,000 characters/],
  ]; // prettier-ignore
  for (const [text, message] of wrong) {
    assert.throws(() => readText(text), { name: "RangeError", message }, text.slice(0, 60));
  }
});

test("a long text of one kind of sign is refused soon", () => {
  for (const text of [
    "[",
    " ",
    "\n",
    ".",
    "1,[",
    "_",
    "e+",
    "torch.",
    "dtype=",
    ", dtype",
    '"',
    "a ",
  ]) {
    const before = process.cpuUsage();
    assert.throws(() => readText(text.repeat(200_000 / text.length)), RangeError, text);
    assert.ok(process.cpuUsage(before).user < 2e6, text);
  }
});

test("names of arrays: pairs of any spelling, the likeliest first, and hostile ones as text", () => {
  assert.deepEqual(choicesOf(["sin", "cos"]), [{ cos: "cos", sin: "sin" }]);
  assert.deepEqual(choicesOf(["full.cos", "full.sin", "sliding.cos", "sliding.sin"]), [
    { cos: "full.cos", sin: "full.sin" },
    { cos: "sliding.cos", sin: "sliding.sin" },
  ]);
  assert.deepEqual(choicesOf(["k", "q", "k_rotated", "q_rotated", "cos_cached", "sin_cached"]), [
    { cos: "cos_cached", sin: "sin_cached" },
    { q: "q", rotated: "q_rotated", k: "k", k_rotated: "k_rotated" },
    { q: "k", rotated: "k_rotated" },
    { q: "q", rotated: "q_rotated" },
  ]);
  assert.deepEqual(choicesOf(["a.k", "a.k_rot", "b.q", "b.q_rot"]), [
    { q: "a.k", rotated: "a.k_rot" },
    { q: "b.q", rotated: "b.q_rot" },
  ]);
  assert.deepEqual(choicesOf(["q", "rotated"]), [{ q: "q", rotated: "rotated" }]);
  assert.deepEqual(choicesOf(["mask", "position_ids"]), [
    { positionIds: "position_ids", mask: "mask" },
  ]);
  assert.deepEqual(choicesOf(["__proto__", "constructor", "toString"]), []);
  assert.throws(() => chosenOf(["a\u202eb", "<b>"], undefined), {
    message: /“a<U\+202E>b”, “<b>”\.$/,
  });
  const wanted = { cos: "b.cos", sin: "b.sin" };
  const all = ["a.cos", "a.sin", "b.cos", "b.sin"];
  assert.deepEqual(chosenOf(all, wanted).names, wanted);
  assert.deepEqual(chosenOf(all, { cos: "c", sin: "d" }).names, { cos: "a.cos", sin: "a.sin" });
});

/** Runs a program that the page gives. @param {string} program @param {Numbers | undefined} q */
async function results(program, q) {
  const body = program.replace('import { load } from "phasor";\n', "");
  const AsyncFunction = /** @type {any} */ (Object.getPrototypeOf(async () => {}).constructor);
  const names = /\bconst rotated\b/.test(body) ? "{ rotated }" : "{ cos, sin }";
  return new AsyncFunction("load", "q", `"use strict";\n${body}\nreturn ${names};`)(load, q);
}

/** @param {Record<string, Numbers>} arrays @param {string} what */
async function reproduces(arrays, what) {
  const answer = await identify(/** @type {any} */ (arrays), { phasor });
  assert.equal(answer.kind, "rope", `${what}: ${answer.sentence}`);
  const program = programOf(phasor, answer, arrays);
  assert.ok(program, what);
  const made = await results(program, arrays.q);
  for (const name of Object.keys(made)) {
    assert.deepEqual([...made[name].shape], [...arrays[name].shape], what);
    const far = made[name].data.findIndex(
      (/** @type {number} */ x, /** @type {number} */ i) =>
        !(Math.abs(x - arrays[name].data[i]) <= 4e-7),
    );
    assert.equal(far, -1, `${what}: ${name} differs\n${program}`);
  }
}

test("the program of an example computes its numbers", async () => {
  for (const name of ["squared", "interleaved", "unscaled", "offset", "bfloat16"]) {
    await reproduces(examples[/** @type {"offset"} */ (name)](phasor), name);
  }
});

test("the program of other tables computes their numbers", async () => {
  const dim = 64;
  const { full_attention: longrope } = /** @type {any} */ (
    models.get("phi-3.5-mini").positions.rotary
  );
  const of = (/** @type {any} */ positions, options = {}) => rope.table(positions, dim, options);
  const powers = (/** @type {(i: number) => number} */ exponent) =>
    Float64Array.from({ length: dim / 2 }, (_, i) => 10000 ** exponent(i));
  /** @type {Record<string, {cos: Numbers, sin: Numbers}>} */
  const tables = {
    "one column a pair": of(64),
    "exponents i / (P - 1)": of(64, { frequencies: powers((i) => -i / 31) }),
    "exponents from 1": of(64, { frequencies: powers((i) => -(i + 1) / 32) }),
    reversed: of(64, { frequencies: powers((i) => -(31 - i) / 32) }),
    degrees: of(64, { frequencies: powers((i) => -i / 32).map((x) => (x * Math.PI) / 180) }),
    minus: of(Array.from({ length: 64 }, (_, t) => -t - 2)),
    wrapped: of(Array.from({ length: 64 }, (_, t) => 3 + (t % 40))),
    clipped: of(Array.from({ length: 64 }, (_, t) => Math.min(t, 40))),
    padded: of(Array.from({ length: 64 }, (_, t) => (t < 7 ? 1 : t - 7))),
    packed: of(Array.from({ length: 64 }, (_, t) => (t < 20 ? t : t < 45 ? t - 20 : t - 45))),
    listed: of(Array.from({ length: 64 }, (_, t) => (t < 20 ? t : t + 1000))),
    linear: of(64, { scaling: { type: "linear", factor: 4 } }),
    longrope: rope.table(64, longrope.dim, { ...longrope.options, length: 64 }),
    "longrope, beyond": rope.table(64, longrope.dim, { ...longrope.options, length: 131072 }),
  };
  for (const [name, table] of Object.entries(tables)) await reproduces(table, name);
  const { cos, sin } = of(64);
  await reproduces({ cos: sin, sin: cos }, "swapped");
});

test("the program of vectors rotates them", async () => {
  const q = {
    data: Float32Array.from({ length: 2 * 64 * 64 }, (_, i) => Math.sin(i * i)),
    shape: [2, 64, 64],
  };
  for (const layout of /** @type {const} */ (["halves", "interleaved"])) {
    await reproduces({ q, rotated: rope.apply(q, rope.table(64, 64), { layout }) }, layout);
    const other = layout === "halves" ? "interleaved" : "halves";
    const rotated = rope.apply(q, rope.table(64, 64, { base: 50000 }), { layout });
    const written = rope.convert(rotated, { from: layout, to: other });
    await reproduces({ q, rotated: written }, `${layout} written as ${other}`);
    await reproduces(
      { q, rotated: rope.apply(q, rope.table(64, 32), { layout, dim: 32 }) },
      "partial",
    );
  }
});

test("what no call computes has no program", async () => {
  for (const name of /** @type {const} */ (["mixed", "noise"])) {
    const arrays = examples[name](phasor);
    const answer = await identify(/** @type {any} */ (arrays), { phasor });
    assert.equal(programOf(phasor, answer, arrays), undefined, name);
  }
});

test("what an answer has is words, and another name is a sentence", async () => {
  const { data, shape } = phasor.alibi.bias(8, 16);
  const answer = /** @type {any} */ (await identify({ bias: { data, shape } }, { phasor }));
  assert.equal(lineOf(answer.mask), "rule none");
  assert.deepEqual(
    answer.alsoEqual.map((/** @type {any} */ one) => lineOf(one.sentence)),
    ["bfloat16", "float16"].map((dtype) => `ALiBi by distance, slopes of the published rule, rounded to ${dtype}, 8 heads, 16 x 16`), // prettier-ignore
  );
});
