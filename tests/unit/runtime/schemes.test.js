import assert from "node:assert/strict";
import { test } from "node:test";
import * as option from "../../../src/runtime/options.js";
import { declaredSchemes, schemesOf } from "../../../src/runtime/schemes.js";
import { phasor, schemesOf as published } from "../../phasor.js";

/** @param {...number} shape */
const zeros = (...shape) => ({ shape });

/** A module as its author writes it. */
const BIAS = option.optionSet(() => ({
  biasMax: option.number({ default: 8, above: 0 }),
  dim: option.integer({ default: 2000, min: 2, step: 2 }),
  keys: option.integer({ min: 0 }),
  causal: option.boolean(),
  kernel: option.choice(["log", "power"], "power"),
  seed: option.seed(7),
  slopes: option.tensor(),
  power: option.numberOrTensor({ default: 0.5, min: 0, max: 2 }),
  out: option.out(),
}));
const wave = option.withOptions(
  {
    bias: (/** @type {number} */ heads, /** @type {number} */ length) =>
      zeros(heads, length, length),
  },
  { bias: BIAS },
  { method: "bias", family: "bias" },
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

test("schemesOf: a function declares its family, and none is called to learn it", () => {
  const never = () => assert.fail("called");
  /** @param {import("../../../src/runtime/options.js").Role["family"]} family */
  const of = (family) => option.withOptions({ make: never }, {}, { method: "make", family });
  const modules = {
    table: of("table"),
    turn: of("rotation"),
    index: of("index"),
    undeclared: { bias: never, table: never },
    called: Object.assign(never, { presets: {} }),
  };
  const found = schemesOf(modules).map(({ name, kind, method }) => [name, kind, method]);
  assert.deepEqual(found, [
    ["table", "table", "make"],
    ["turn", "rotation", "make"],
  ]);
  const length = { name: "length", label: "Tokens", type: "integer", default: 32, values: [], min: 1, max: 512, step: 1 }; // prettier-ignore
  const dim = { ...length, name: "dim", label: "Width", default: 64, min: 2, step: 2 };
  const heads = { ...length, name: "heads", label: "Heads", default: 8, max: 64 };
  const sizes = declaredSchemes({ ...modules, wave }).map(({ controls }) => controls.slice(0, 2));
  assert.deepEqual(sizes, [[length, dim], [length, dim], [length], [heads, length]]);
  assert.throws(
    () => schemesOf(/** @type {any} */ (null)),
    /^TypeError: \S+: phasor must be .*; got null$/,
  );
});

test("schemesOf: every function accepts the defaults and the choices of its controls", () => {
  const found = published(phasor);
  assert.ok(found.length >= 5);
  for (const { name, kind, method, controls } of found) {
    const run = /** @type {any} */ (phasor)[name][method];
    const [first, second, ...options] = controls;
    assert.equal(typeof first.default + typeof second.default, "numbernumber");
    const defaults = Object.fromEntries(options.map((each) => [each.name, each.default]));
    const want = run(2, 4);
    const shape = { bias: [2, 4, 4], table: [2, 4], rotation: [2, 2] }[kind];
    for (const part of kind === "rotation" ? [want.cos, want.sin] : [want]) {
      assert.deepEqual(part.shape, shape, name);
    }
    assert.deepEqual(run(2, 4, defaults), want, name);
    for (const { name: option, values, type } of options) {
      for (const value of type === "choice" ? values : []) run(2, 4, { [option]: value });
    }
  }
});
