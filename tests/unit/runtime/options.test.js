import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as option from "../../../src/runtime/options.js";

/** @param {unknown} of @param {any} value */
const read = (of, value) =>
  option.optionSet(() => ({ x: /** @type {any} */ (of) })).read({ x: value }).x;

test("a view has what read gives, by name, and each call its own", () => {
  const { read, view } = option.optionSet(() => ({
    a: option.integer({ default: 3 }),
    b: option.number(),
    out: option.out(),
  }));
  const out = new Float32Array(1);
  for (const given of [undefined, {}, { a: undefined }, { b: 0.5 }, { a: 7n, out }]) {
    const { a, b, out } = view(given);
    assert.deepEqual({ a, b, out }, read(given));
  }
  view({}).a = 9;
  assert.equal(view({}).a, 3);
  for (const bad of [1, { c: 1 }, { a: 0 }, { a: "3" }]) {
    const [error, same] = [read, view].map((way) => thrown(() => way(bad)));
    assert.match(String(same), /^(Type|Range)Error: .+ must .+; got /);
    assert.equal(same, error);
  }
});

/** @param {() => unknown} call @returns {unknown} */
function thrown(call) {
  try {
    return assert.fail(`no error; got ${call()}`);
  } catch (error) {
    return String(error);
  }
}

describe("option types", () => {
  test("an integer is within its range; without a default it is optional", () => {
    const rule = option.integer({ default: 3, min: 0, max: 9 });
    assert.equal(read(rule, undefined), 3);
    assert.equal(read(rule, 9), 9);
    assert.equal(read(rule, 9n), 9);
    assert.equal(read(option.integer(), undefined), undefined);
    assert.equal(read(option.integer(), 2 ** 31 - 1), 2_147_483_647);
    const message = "x must be a whole number from 1 to 2147483647; got 2147483648";
    assert.throws(() => read(option.integer(), 2 ** 31), { name: "RangeError", message });
    assert.equal(option.seed().default, 0n);
    for (const bad of [-1, 10, 1.5, NaN, Infinity])
      assert.throws(() => read(rule, bad), RangeError);
    for (const bad of ["3", null, {}, [], true]) assert.throws(() => read(rule, bad), TypeError);
  });

  test("a number is finite and within its range", () => {
    const above = option.number({ default: 8, above: 0, max: 126 });
    assert.equal(read(above, 126), 126);
    assert.throws(
      () => read(above, 0),
      /^RangeError: x must be a number above 0, at most 126; got 0$/,
    );
    assert.throws(() => read(above, 127), RangeError);
    const from = option.number({ min: -1, max: 0 });
    assert.equal(read(from, -1), -1);
    assert.throws(() => read(from, 0.1), /^RangeError: x must be a number from -1 to 0; got 0\.1$/);
    assert.throws(() => read(option.number({ min: 1 }), 0), /a number from 1 on; got 0$/);
    assert.throws(() => read(option.number(), Infinity), /a finite number; got Infinity$/);
    assert.throws(() => read(option.number(), 1n), TypeError);
    const below = option.number({ min: 0, below: 1 });
    assert.equal(read(below, 0), 0);
    assert.throws(
      () => read(below, 1),
      /^RangeError: x must be a number from 0 to below 1; got 1$/,
    );
  });

  test("a preset is frozen with its lists, and an option has a step only where one is given", () => {
    const { a } = option.presetsOf("m", [], { a: /** @type {never} */ ({ list: [1] }) });
    assert.ok(Object.isFrozen(a) && Object.isFrozen(/** @type {any} */ (a).list));
    assert.equal(option.integer({ step: 2 }).step, 2);
    assert.ok(!("step" in option.integer()));
  });

  test("a number says its bounds, each of which is in or out", () => {
    for (const [rule, words, inside, outside] of /** @type {const} */ ([
      [{}, "a finite number", [-1e300, 0, 1e300], [NaN, Infinity]],
      [{ min: 1 }, "a number from 1 on", [1, 1e300], [0.9]],
      [{ max: 2 }, "a number of at most 2", [-1e300, 2], [2.1]],
      [{ min: 1, max: 2 }, "a number from 1 to 2", [1, 2], [0.9, 2.1]],
      [{ above: 1 }, "a number above 1", [1.1, 1e300], [1]],
      [{ above: 1, max: 2 }, "a number above 1, at most 2", [1.1, 2], [1, 2.1]],
      [{ below: 1 }, "a number below 1", [-1e300, 0.9], [1]],
      [{ above: 0, below: 1 }, "a number above 0, below 1", [0.1, 0.9], [0, 1]],
      [{ min: 0, below: 1 }, "a number from 0 to below 1", [0, 0.9], [-0.1, 1]],
    ])) {
      for (const value of inside) assert.equal(read(option.number(rule), value), value);
      for (const value of outside) {
        const message = `x must be ${words}; got ${value}`;
        assert.throws(() => read(option.number(rule), value), { name: "RangeError", message });
      }
    }
  });

  test("a choice is one of its strings, the first by default", () => {
    const rule = option.choice(["halves", "interleaved"]);
    assert.equal(read(rule, undefined), "halves");
    assert.equal(read(option.choice(["a", "b"], "b"), undefined), "b");
    assert.throws(
      () => read(rule, "half"),
      /^RangeError: x must be one of "halves", "interleaved"; got "half"$/,
    );
    assert.throws(() => read(rule, 1), TypeError);
  });

  test("a boolean is true or false", () => {
    assert.equal(read(option.boolean(), undefined), false);
    assert.equal(read(option.boolean(true), undefined), true);
    assert.throws(() => read(option.boolean(), 1), TypeError);
  });

  test("a seed is an integer below 2^64", () => {
    assert.equal(read(option.seed(5), undefined), 5n);
    assert.equal(read(option.seed(), 7), 7n);
    assert.equal(read(option.seed(), 2n ** 64n - 1n), 2n ** 64n - 1n);
    for (const bad of [-1, 0.5, 2n ** 64n])
      assert.throws(() => read(option.seed(), bad), RangeError);
    assert.throws(() => read(option.seed(), "1"), TypeError);
  });

  test("tensors, out and other values are passed through unchanged", () => {
    const x = [[1, 2]];
    for (const rule of [option.tensor(), option.out(), option.value()]) {
      assert.equal(read(rule, x), x);
      assert.equal(read(rule, undefined), undefined);
    }
  });
});

describe("option sets", () => {
  const set = option.optionSet(() => ({
    layout: option.choice(["halves"]),
    keys: option.integer(),
  }));

  test("an unknown option throws with the nearest name", () => {
    assert.throws(() => set.read({ layuot: 1 }), {
      name: "TypeError",
      message: 'options must have only layout, keys; got "layuot"; did you mean "layout"?',
    });
    assert.throws(() => set.read({ zzz: 1 }), /options must have only layout, keys; got "zzz"$/);
  });

  test("options are made when they are first read, once", () => {
    let made = 0;
    const late = option.optionSet(() => ({ x: option.integer({ default: ++made }) }));
    assert.equal(made, 0);
    assert.equal(late.read(undefined).x, 1);
    assert.equal(late.read({ x: 7 }).x, 7);
    assert.equal(late.declared, late.declared);
    assert.equal(made, 1);
  });

  test("options that are not an object throw", () => {
    for (const bad of [null, 1, "x", [], () => {}]) assert.throws(() => set.read(bad), TypeError);
    assert.deepEqual(set.read(undefined), { layout: "halves", keys: undefined });
  });

  test("each option is read once", () => {
    let count = 0;
    set.read({
      get keys() {
        return ++count;
      },
    });
    assert.equal(count, 1);
  });

  test("inherited options and getters are read", () => {
    class Computed {
      get keys() {
        return 7;
      }
    }
    assert.equal(set.read(new Computed()).keys, 7);
    assert.equal(set.read(Object.create({ keys: 7 })).keys, 7);
    assert.equal(set.read(Object.assign(Object.create(null), { keys: 7 })).keys, 7);
  });
});

test("properties added to Object.prototype are not options", () => {
  const set = option.optionSet(() => ({ x: option.integer({ default: 3 }) }));
  const everyObject = /** @type {any} */ (Object.prototype);
  everyObject.extra = 7;
  try {
    assert.deepEqual(Object.keys(set.read({ x: 2 })), ["x"]);
    assert.equal(set.read({ x: 2 }).x, 2);
    assert.equal(set.read({}).x, 3);
    assert.throws(() => set.read({ y: 1 }), /^TypeError: options must have only x; got "y"/);
  } finally {
    delete everyObject.extra;
  }
});
