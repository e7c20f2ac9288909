/** Schemes that forms and figures can offer: modules with a function that declares its family. */
import * as check from "./check.js";
import { optionsOf, roleOf } from "./options.js";

/** @import { Option, Role } from "./options.js" */

/**
 * A control for an argument or an option.
 * @typedef {object} Control
 * @property {string} name  the name of the option: "biasMax"
 * @property {string} label  the name as words: "Bias max"
 * @property {"integer" | "number" | "boolean" | "choice"} type  a seed is an integer
 * @property {any} default  the value where the option is left out
 * @property {readonly (string | number)[]} values  the values of a choice; empty for other types
 * @property {number} min  of a number; finite, also where the option has no lower bound
 * @property {number} max  of a number; finite, also where the option has no upper bound
 * @property {number} step  the difference between two values of an integer
 */

/**
 * A module with a function of a family.
 * @typedef {object} Scheme
 * @property {string} name  the name of the module: "axialRope"
 * @property {string} label  the name as words: "Axial rope"
 * @property {"bias" | "table" | "rotation"} kind  what the function returns, as `schemesOf` explains
 * @property {"bias" | "table"} method  the name of the function
 * @property {Control[]} controls  those of the two arguments, then those of the options
 */

const BOUND = 1e9;
const MAX_INTEGER = 1024;
const MAX_SEED = 2 ** 32 - 1;

/** @param {string} name @param {string} label @param {number} byDefault @param {number} max @param {number} [step] */
const size = (name, label, byDefault, max, step = 1) =>
  controlOf(name, { type: "integer", default: byDefault, min: step, max, step }, label);

const tokens = () => size("length", "Tokens", 32, 512);
const width = () => size("dim", "Width", 64, 512, 2);
const SIZES = {
  bias: () => [size("heads", "Heads", 8, 64), tokens()],
  table: () => [tokens(), width()],
  rotation: () => [tokens(), width()],
  index: () => [tokens()],
};

/**
 * Lists the modules with a function that declares its family, with a control for each option. A form and a
 * figure can be built from that without naming any scheme.
 *
 *     bias       bias(heads, length, options) returns [H, T, T]
 *     table      table(length, dim, options) returns [T, D]
 *     rotation   table(length, dim, options) returns { cos, sin }, each [T, D/2]
 *
 * An option without a default and an option that takes arrays alone have no control.
 *
 * @param {object} phasor  what `load` returns
 * @returns {Scheme[]} in the order of the modules
 * @throws {TypeError} if phasor is not an object
 * @see Python, inspect.signature
 * @example
 * const kerple = schemesOf(phasor).find(({ name }) => name === "kerple");
 * kerple?.kind // "bias"
 * kerple?.controls.map(({ name }) => name) // ["heads", "length", "causal", "kernel", "a", "p"]
 */
export function schemesOf(phasor) {
  if (!check.isObject(phasor)) {
    throw new TypeError(
      `schemesOf: phasor must be what load returns; got ${check.describe(phasor)}`,
    );
  }
  return /** @type {any[]} */ (declaredSchemes(phasor).filter(({ kind }) => kind !== "index"));
}

/**
 * The modules that declare a family: those of `schemesOf`, and indexes of learned tables.
 * @param {object} phasor
 * @returns {{name: string, label: string, kind: Role["family"], method: string, controls: Control[]}[]}
 */
export function declaredSchemes(phasor) {
  return Object.entries(phasor).flatMap(([name, module]) => {
    const role = roleOf(module);
    if (role === undefined) return [];
    const { family: kind, method } = role;
    const options = Object.entries(optionsOf(module[method])).flatMap(([option, declared]) =>
      hasControl(declared) ? [controlOf(option, declared)] : [],
    );
    const controls = [...SIZES[kind](), ...options];
    return [{ name, label: labelOf(name), kind, method, controls }];
  });
}

/** @param {Option<any>} option */
const hasControl = ({ type, default: byDefault }) =>
  byDefault !== undefined && ["integer", "number", "boolean", "choice", "seed"].includes(type);

/**
 * @param {string} name @param {Omit<Option<any>, "read">} option @param {string} [label]
 * @returns {Control}
 */
function controlOf(name, option, label = labelOf(name)) {
  const { type, min, max, step = 1, values = [] } = option;
  const control = { name, label, type, default: option.default, values, step };
  if (type === "seed") {
    const first = Number(option.default);
    return { ...control, type: "integer", default: first, min: 0, max: MAX_SEED };
  }
  if (type === "boolean") return { ...control, type, min: 0, max: 1 };
  if (type === "choice") {
    return { ...control, type, values: [...new Set([option.default, ...values])], min: 0, max: 1 };
  }
  const bound = type === "integer" ? Math.max(MAX_INTEGER, 4 * option.default) : BOUND;
  return {
    ...control,
    type: /** @type {Control["type"]} */ (type),
    min: Math.max(min ?? -bound, -bound),
    max: Math.min(max ?? bound, bound),
  };
}

/** "biasMax" as "Bias max". @param {string} name */
function labelOf(name) {
  const words = name.replace(/(?<=[a-z0-9])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words[0].toUpperCase() + words.slice(1);
}
