/**
 * Options of the public functions, each declared once: type, default, range. `read` checks what a caller
 * passes; controls of pages, traits of the widget and the docstrings of phasor.py come from the same
 * declaration. The text of an option is the comment above it.
 */
import * as check from "./check.js";
import { readSeed } from "./seed.js";
import { suggesting } from "./suggest.js";

/** @import { FloatOut, Tensor, TensorInput } from "./tensor.js" */

/**
 * One declared option.
 * @template Value  as the function uses it
 * @template [Given=Value]  as a caller may pass it
 * @typedef {object} Option
 * @property {"integer" | "number" | "boolean" | "choice" | "seed" | "tensor" | "out" | "value"} type
 *   the kind of control that sets it; a form has none for `tensor`, `out` and `value`
 * @property {Value} default  undefined where leaving the option out is a choice
 * @property {number} [min]  the least integer or number
 * @property {number} [max]  the largest
 * @property {number} [step]  the difference between the integers that a control offers, from `min` on
 * @property {readonly string[]} [values]  the words of a choice
 * @property {(value: any, name: string) => Value} read  checks a value that is not undefined
 * @property {Given} [given]  for the types alone
 */

/**
 * The type of a function's options: every declared option may be left out.
 * @template {OptionSet<any>} Set
 * @typedef {{[Name in keyof Set["declared"]]?: Set["declared"][Name] extends { given?: infer Given } ? Given | undefined : never}} OptionsOf
 */

/**
 * The function of a module that gives the numbers of a position scheme, so that forms, figures and the command line
 * can call it. The family states its arguments and its result:
 *
 *     bias       (heads, length, options)   [H, T, T]
 *     table      (length, dim, options)     [T, D]
 *     rotation   (length, dim, options)     { cos, sin }, each [T, D/2]
 *     index      (length, options)          int32 [T, T], rows of a learned table
 *
 * @typedef {object} Role
 * @property {string} method  the name of the function
 * @property {"bias" | "table" | "rotation" | "index"} family
 * @property {readonly string[]} [shown]  the options that a small form offers; default: all that can have a control
 * @property {string} [learned]  of an index: the function (table, length, options) that gives the bias [H, T, T]
 */

/**
 * @template {Record<string, Option<unknown, unknown>>} Declared
 * @typedef {{[Name in keyof Declared]: Declared[Name] extends { default: infer Value } ? Value : never}} Values
 */

/**
 * @template {Record<string, Option<unknown, unknown>>} Declared
 * @typedef {object} OptionSet
 * @property {Declared} declared
 * @property {(given: unknown) => Values<Declared>} read
 *   every option's value, checked, or its default. `TypeError` for an option that does not exist or has the
 *   wrong type, `RangeError` for one that is out of range
 * @property {(given: unknown) => Values<Declared>} view  the same in less time: an object that inherits the defaults, so
 *   values are read by their names alone, without `...rest`
 */

/**
 * Declare the options of a function. They are made when they are first read: a program calls few of all functions, and
 * imports the declarations of each.
 * @template {Record<string, Option<unknown, unknown>>} Declared
 * @param {() => Declared} declare
 * @returns {OptionSet<Declared>}
 */
export function optionSet(declare) {
  /** @type {Declared | undefined} */
  let declared;
  /** @type {Record<string, any>} */
  const defaults = {};
  const made = () => {
    if (declared) return declared;
    declared = declare();
    for (const name of Object.keys(declared)) defaults[name] = declared[name].default;
    return declared;
  };
  /** @param {any} values  to which those of the options are added @param {unknown} given */
  const fill = (values, given) => {
    if (given === undefined) return values;
    const own = check.known(given, defaults);
    const named = /** @type {Record<string, unknown>} */ (given);
    // An object without a class has no options but its own.
    const isPlain = Object.getPrototypeOf(named) === Object.prototype;
    for (const name of isPlain ? own : Object.keys(defaults)) {
      const value = named[name];
      if (value !== undefined) values[name] = made()[name].read(value, name);
    }
    return values;
  };
  return Object.freeze({
    get declared() {
      return made();
    },
    read: (given) => fill(made() && { ...defaults }, given),
    view: (given) => fill(made() && Object.create(defaults), given),
  });
}

/**
 * Options by model, for functions of a module: frozen, with the lists in them. The name of one that does not exist
 * throws: undefined options would mean the defaults.
 * @template {OptionSet<any>} Owner
 * @template {Record<string, Owner extends any ? OptionsOf<Owner> : never>} const Presets
 * @param {string} module  its name @param {readonly Owner[]} sets  of the functions that take them @param {Presets} presets
 * @returns {{readonly [Name in keyof Presets]: Readonly<Presets[Name]>}}
 */
export function presetsOf(module, sets, presets) {
  for (const options of Object.values(presets)) {
    Object.values(options).forEach(Object.freeze);
    Object.freeze(options);
  }
  return suggesting(presets, `${module}.presets`, true);
}

/**
 * The property of a function that has its option set, and that of a module that has its role. Each entry of the package
 * has its own copy of this file: all of them read what one has declared.
 */
const DECLARED = Symbol.for("phasor.options");
const ROLE = Symbol.for("phasor.role");

/**
 * Attach the option sets of a module to its functions, for `optionsOf`, and to the module its role among the
 * position schemes, for `schemesOf`.
 * @template {object} Module
 * @param {Module} module @param {{[Name in keyof Module]?: OptionSet<any>}} ofFunctions @param {Role} [role]
 * @returns {Module}
 */
export function withOptions(module, ofFunctions, role) {
  for (const [name, set] of Object.entries(ofFunctions)) {
    Object.defineProperty(/** @type {any} */ (module)[name], DECLARED, { value: set });
  }
  if (role) Object.defineProperty(module, ROLE, { value: role });
  return module;
}

/** The role of a module among the position schemes. @param {any} module @returns {Role | undefined} */
export const roleOf = (module) => module?.[ROLE];

/**
 * The options of a function: type, default, range or choices of each. Forms and command lines can be
 * built from them.
 *
 * @param {Function} method  a function of a module: `alibi.slopes`
 * @returns {Readonly<Record<string, Readonly<Option<any, any>>>>} empty if it has none
 * @throws {TypeError} if it is not a function
 * @see Python, inspect.signature
 * @example
 * const { biasMax, dtype } = optionsOf(phasor.alibi.slopes);
 * [biasMax.type, biasMax.default, biasMax.max] // ["number", 8, 126]
 * dtype.values // ["float32", "float16", "bfloat16"]
 */
export function optionsOf(method) {
  if (typeof method !== "function") {
    const got = check.describe(method);
    throw new TypeError(`optionsOf: method must be a function of a module; got ${got}`);
  }
  return /** @type {any} */ (method)[DECLARED]?.declared ?? {};
}

/**
 * A whole number. Without a default it may be left out.
 * @template {number | undefined} Default
 * @param {{default?: Default, min?: number, max?: number, step?: number}} [rule]  `min` is 1 unless given.
 *   `step` is for controls; the function itself refuses the numbers between
 * @returns {Option<number | Default>}
 */
export function integer({ default: fallback, min = 1, max = 2 ** 31 - 1, step } = {}) {
  return {
    type: "integer",
    default: /** @type {Default} */ (fallback),
    min,
    max,
    ...(step === undefined ? undefined : { step }),
    read: (value, name) => check.integer(value, name, min, max),
  };
}

/**
 * A finite number: from `min` to `max`, or above `above` and below `below`.
 * @template {number | undefined} Default
 * @param {{default?: Default, min?: number, max?: number, above?: number, below?: number}} [rule]
 * @returns {Option<number | Default>}
 */
export function number({ default: fallback, min, max, above, below } = {}) {
  const rule = ruleOf(min, max, above, below);
  const allowed = (/** @type {number} */ value) =>
    !(value < (min ?? -Infinity)) &&
    !(value > (max ?? Infinity)) &&
    !(value <= (above ?? -Infinity)) &&
    !(value >= (below ?? Infinity));
  return {
    type: "number",
    default: /** @type {Default} */ (fallback),
    min: min ?? above,
    max: max ?? below,
    read: (value, name) => check.finite(value, name, rule, allowed),
  };
}

/**
 * @param {number | undefined} min @param {number | undefined} max @param {number | undefined} above
 * @param {number | undefined} below
 */
function ruleOf(min, max, above, below) {
  if (below !== undefined) {
    if (min !== undefined) return `a number from ${min} to below ${below}`;
    return above === undefined
      ? `a number below ${below}`
      : `a number above ${above}, below ${below}`;
  }
  if (above !== undefined) {
    return max === undefined
      ? `a number above ${above}`
      : `a number above ${above}, at most ${max}`;
  }
  if (min !== undefined) {
    return max === undefined ? `a number from ${min} on` : `a number from ${min} to ${max}`;
  }
  return max === undefined ? "a finite number" : `a number of at most ${max}`;
}

/**
 * @param {boolean} [fallback]
 * @returns {Option<boolean>}
 */
export function boolean(fallback = false) {
  return { type: "boolean", default: fallback, read: check.boolean };
}

/**
 * One of some words; the first is the default unless another is named.
 * @template {string} const Word
 * @param {readonly Word[]} values @param {NoInfer<Word>} [fallback]
 * @returns {Option<Word>}
 */
export function choice(values, fallback = values[0]) {
  return {
    type: "choice",
    default: fallback,
    values,
    read: (value, name) => check.oneOf(value, name, values),
  };
}

/** A seed, 0 .. 2^64-1. @param {number} [fallback] @returns {Option<bigint, number | bigint>} */
export function seed(fallback = 0) {
  return { type: "seed", default: BigInt(fallback), read: readSeed };
}

/** Numbers of some shape, which the function checks. @returns {Option<TensorInput | undefined>} */
export function tensor() {
  return { type: "tensor", default: undefined, read: (value) => value };
}

/**
 * A number, or a tensor that the function reads. A form sets the number.
 * @param {{default: number, min: number, max: number}} rule  `min` and `max` are for controls; the function itself
 *   refuses numbers and tensors out of its range
 * @returns {Option<number | TensorInput>}
 */
export function numberOrTensor({ default: fallback, min, max }) {
  return { type: "number", default: fallback, min, max, read: (value) => value };
}

/** Where a result is written instead of into a new array. @returns {Option<FloatOut | undefined>} */
export function out() {
  return { type: "out", default: undefined, read: (value) => value };
}

/**
 * Any other value, which the function checks. Its type is that of the fallback, to which a cast gives it.
 * @template Value
 * @param {Value} [fallback]
 * @returns {Option<Value>}
 */
export function value(fallback) {
  return {
    type: "value",
    default: /** @type {Value} */ (fallback),
    read: (given) => given,
  };
}

/**
 * One of some words, or a number that `allowed` accepts.
 * @template {string} const Word
 * @param {readonly Word[]} values
 * @param {NoInfer<Word> | number} fallback
 * @param {{rule: string, allowed: (number: number) => boolean}} numbers  `rule` says which numbers
 * @returns {Option<Word | number>}
 */
export function choiceOrNumber(values, fallback, { rule, allowed }) {
  const whole = `${values.map((word) => `"${word}"`).join(", ")} or ${rule}`;
  return {
    type: "choice",
    default: fallback,
    values,
    read(value, name) {
      const word = values.find((known) => known === value);
      if (word !== undefined) return word;
      if (typeof value !== "string") return check.finite(value, name, whole, allowed);
      throw new RangeError(`${name} must be ${whole}; got ${check.describe(value)}`);
    },
  };
}

/** Where an int32 result is written instead of into a new array. @returns {Option<Int32Array | Tensor<Int32Array> | undefined>} */
export function outInt32() {
  return { type: "out", default: undefined, read: (value) => value };
}

/**
 * Where several results are written instead of into new arrays; its type is that of the fallback, to which a
 * cast gives it.
 * @template Parts
 * @param {Parts} [fallback]
 * @returns {Option<Parts | undefined>}
 */
export function outParts(fallback) {
  return { type: "out", default: fallback, read: (value) => value };
}
