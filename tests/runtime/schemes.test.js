import assert from "node:assert/strict";
import { test } from "node:test";
import * as option from "../../src/runtime/options.js";
import { schemesOf } from "../../src/runtime/schemes.js";
import { phasor, schemesOf as published } from "../phasor.js";

/** @param {...number} shape */
const zeros = (...shape) => ({ shape });

/** A module as its author writes it. */
const BIAS = option.optionSet("wave.bias", {
  biasMax: option.number({ default: 8, above: 0 }),
  dim: option.integer({ default: 2000, min: 2, step: 2 }),
  keys: option.integer({ min: 0 }),
  causal: option.boolean(),
  kernel: option.choice(["log", "power"], "power"),
  seed: option.seed(7),
  slopes: option.tensor(),
  power: option.numberOrTensor({ default: 0.5, min: 0, max: 2 }),
  out: option.out(),
});
const wave = option.withOptions(
  {
    bias: (/** @type {number} */ heads, /** @type {number} */ length) =>
      zeros(heads, length, length),
  },
  { bias: BIAS },
);

test("schemesOf: a module that follows a convention has a control for each option that a form can set", () => {
  const [{ name, kind, method, controls }] = schemesOf({ wave });
  assert.deepEqual([name, kind, method], ["wave", "bias", "bias"]);
  const shown = controls.map(({ name, label, type, ...rest }) => [name, label, type, rest]);
  assert.deepEqual(shown.slice(2), [
    ["biasMax", "Bias max", "number", { default: 8, values: [], min: 0, max: 1e9, step: 1 }],
    ["dim", "Dim", "integer", { default: 2000, values: [], min: 2, max: 8000, step: 2 }],
    ["causal", "Causal", "boolean", { default: false, values: [], min: 0, max: 1, step: 1 }],
    [
      ...["kernel", "Kernel", "choice"],
      { default: "power", values: ["power", "log"], min: 0, max: 1, step: 1 },
    ],
    ["seed", "Seed", "integer", { default: 7, values: [], min: 0, max: 2 ** 32 - 1, step: 1 }],
    ["power", "Power", "number", { default: 0.5, values: [], min: 0, max: 2, step: 1 }],
  ]);
  assert.deepEqual(
    controls.slice(0, 2).map(({ name }) => name),
    ["heads", "length"],
  );
});

test("schemesOf: the result of the function determines the kind", () => {
  const rotation = (/** @type {number} */ T, /** @type {number} */ D) => ({
    cos: zeros(T, D / 2),
    sin: zeros(T, D / 2),
  });
  const modules = {
    table: { table: zeros },
    turn: { table: rotation },
    flat: { table: (/** @type {number} */ T) => zeros(T) },
    learned: {
      bias() {
        throw new TypeError("weights must be a tensor; got 2");
      },
    },
    called: Object.assign(() => {}, { presets: {} }),
  };
  const found = schemesOf(modules).map(({ name, kind }) => [name, kind]);
  assert.deepEqual(found, [
    ["table", "table"],
    ["turn", "rotation"],
  ]);
  assert.throws(
    () => schemesOf(/** @type {any} */ (null)),
    /^TypeError: phasor must be .*; got null$/,
  );
});

test("schemesOf: every function accepts the defaults and the choices of its controls", () => {
  const found = published(phasor);
  assert.ok(found.length >= 5);
  for (const { name, method, controls } of found) {
    const run = /** @type {any} */ (phasor)[name][method];
    const [first, second, ...options] = controls;
    assert.equal(typeof first.default + typeof second.default, "numbernumber");
    const defaults = Object.fromEntries(options.map((each) => [each.name, each.default]));
    const want = run(2, 4);
    assert.deepEqual(run(2, 4, defaults), want, name);
    for (const { name: option, values, type } of options) {
      for (const value of type === "choice" ? values : []) run(2, 4, { [option]: value });
    }
  }
});
