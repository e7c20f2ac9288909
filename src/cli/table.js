/** phasor table: the table of a positional scheme. */
import { tables } from "../positional/about.js";
import { describe } from "../runtime/check.js";
import * as option from "../runtime/options.js";
import { didYouMean } from "../runtime/suggest.js";
import { oneOf, UsageError, whole } from "./arguments.js";
import { count, sizes } from "./output.js";
import { writeArray, writeArrays } from "./write.js";

/** @import { Option } from "../index.js" */
/** @import { Tensor } from "../runtime/tensor.js" */

/**
 * A scheme of which numbers make a table or a bias.
 * @typedef {object} Scheme
 * @property {string} name  of the module
 * @property {"bias" | "table" | "rotation"} kind
 * @property {string} method  the function of the module
 * @property {readonly string[]} operands  the names of its numbers, in order; height and width are one argument
 * @property {Settable} [more]  options that the function has as arguments
 * @property {(numbers: number[], settings: Record<string, any>) => unknown[]} [given]  the arguments, if others
 */

/**
 * The arrays of a result by their names: table; cos and sin; query_cos, query_sin, key_cos and key_sin.
 * @param {any} made @param {string} [before] @returns {Record<string, Tensor>}
 */
function arraysOf(made, before = "") {
  if (typeof made !== "object") return {}; // a layout
  if ("shape" in made) return { [before.slice(0, -1) || "table"]: made };
  const parts = Object.entries(made).map(([part, of]) => arraysOf(of, `${before}${part}_`));
  return Object.assign({}, ...parts);
}

/**
 * Schemes whose numbers are trained, or whose positions have several axes: the bucket of each pair of positions, the row of
 * a window's table, and positions of text without `--set positions`.
 * @type {Scheme[]}
 */
const BUCKETS = [
  {
    name: "t5Bias",
    kind: "bias",
    method: "bucket",
    operands: ["length"],
    given: ([T], settings) => {
      const distances = Int32Array.from(
        { length: T * T },
        (_, at) => (at % T) - Math.floor(at / T),
      );
      return [{ data: distances, shape: [T, T] }, settings];
    },
  },
  { name: "windowBias", kind: "bias", method: "index", operands: ["height", "width"] },
  {
    name: "mrope",
    kind: "rotation",
    method: "table",
    operands: ["length", "dim"],
    more: [["positions", option.tensor()]],
    given: ([T, dim], { positions, ...settings }) => {
      const text = Array.from({ length: T }, (_, t) => t);
      return [positions ?? [text, text, text], dim, settings];
    },
  },
];

/** @type {import("./arguments.js").Command} */
export const table = {
  name: "table",
  operands: "SCHEME NUMBER...",
  least: 0,
  most: 4,
  does: "a table (LENGTH DIM, of a grid HEIGHT WIDTH DIM) or a bias (HEADS LENGTH, a learned one LENGTH). Alone: the schemes",
  options: {
    set: {
      type: "string",
      multiple: true,
      value: "NAME=VALUE",
      text: 'an option of the scheme, such as base=500000 or scaling={"type":"linear","factor":2}',
    },
    npy: { type: "string", value: "FILE", text: "write the table as .npy" },
    npz: { type: "string", value: "FILE", text: "write the arrays of a rotation as .npz" },
  },
  async run({ operands, options }) {
    const { load, optionsOf, schemesOf } = await import("../index.js");
    const phasor = await load();
    const conventional = schemesOf(phasor).map(({ name, kind, method, controls }) => ({
      name,
      kind,
      method,
      operands: controls.slice(0, 2).map((control) => control.name),
    }));
    const method = /** @type {const} */ ("table");
    const others = Object.entries(tables).map(([name, of]) => ({ ...of, name, method }));
    const schemes = [...conventional, ...others, ...BUCKETS].sort((a, b) =>
      a.name < b.name ? -1 : 1,
    );
    /** @param {Scheme} scheme */
    const callOf = ({ name, method }) => /** @type {any} */ (phasor)[name][method];
    /** @param {Scheme} scheme */
    const settable = (scheme) => [
      ...Object.entries(optionsOf(callOf(scheme))).filter(([, { type }]) =>
        SETTABLE.includes(type),
      ),
      ...(scheme.more ?? []),
    ];
    if (operands.length === 0) {
      const idle = ["set", "npy", "npz"].find((name) => options[name] !== undefined);
      if (idle) throw new UsageError(`--${idle} must come with a SCHEME; got none`);
      return list(schemes, settable);
    }
    const names = schemes.map(({ name }) => name);
    /** @type {Scheme} */
    const scheme = schemes[names.indexOf(oneOf(operands[0], "SCHEME", names))];
    const numbers = numbersOf(scheme, operands.slice(1));
    const settings = settingsOf(scheme, settable(scheme), options.set ?? []);
    const [height, width, ...rest] = numbers;
    const inOrder = scheme.operands[0] === "height" ? [[height, width], ...rest] : numbers;
    const given = scheme.given?.(numbers, settings) ?? [...inOrder, settings];
    const tensors = arraysOf(callOf(scheme)(...given));
    const listed = options.json ? listsOf(tensors) : {}; // which would be long
    const lines = Object.entries(tensors).flatMap(([name, tensor]) => [
      `${name === "table" ? scheme.name : name} ${sizes(tensor.shape)}`,
      ...String(tensor).split("\n"),
    ]);
    lines.push(...(await write(scheme, tensors, options)));
    return { data: { scheme: scheme.name, options: settings, ...listed }, lines };
  },
};

/** As many numbers as a text holds, of 25 letters at most. */
const MOST_NUMBERS = 2 ** 24;

/** @param {Record<string, Tensor>} tensors @throws {RangeError} if they have too many numbers */
function listsOf(tensors) {
  const total = Object.values(tensors).reduce((sum, { data }) => sum + data.length, 0);
  if (total > MOST_NUMBERS) {
    const rule = `--json must print at most ${count(MOST_NUMBERS)} numbers`;
    throw new RangeError(`${rule}; got ${count(total)}: write them with --npy or --npz`);
  }
  return Object.fromEntries(
    Object.entries(tensors).map(([name, { shape, data }]) => [
      name,
      { shape, data: Array.from(data) },
    ]),
  );
}

/** The types of options that a word or JSON can state. */
const SETTABLE = ["integer", "number", "boolean", "choice", "seed", "value", "tensor"];

/** @param {Scheme} scheme @param {string[]} given */
function numbersOf({ name, operands }, given) {
  if (given.length !== operands.length) {
    const wanted = operands.join(", ").replace(/, ([^,]*)$/, " and $1");
    const rule = `${name} must be called with ${wanted}`;
    throw new UsageError(`${rule}; got ${given.length} numbers`);
  }
  const least = (/** @type {string} */ operand) => (operand === "length" ? 0 : 1);
  return given.map((text, i) => Number(whole(text, operands[i], least(operands[i]))));
}

/** @param {Scheme} scheme @param {Record<string, Tensor>} tensors @param {Record<string, any>} options */
async function write({ kind, name }, tensors, { npy, npz }) {
  if (npy !== undefined && kind === "rotation") {
    const parts = Object.keys(tensors);
    const got = `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`;
    throw new UsageError(`--npy must get one array; got ${got} of ${name}: use --npz`);
  }
  return [
    ...(npy !== undefined ? [await writeArray(npy, tensors.table)] : []),
    ...(npz !== undefined ? [await writeArrays(npz, tensors)] : []),
  ];
}

/** @param {string} name @param {string} text */
function jsonOf(name, text) {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const rule = `--set ${name} must be JSON, such as scaling={"type":"linear","factor":2}`;
    throw new UsageError(`${rule}; got ${describe(text)}`, { cause });
  }
}

/** @typedef {[name: string, option: Option][]} Settable */

/** @param {Scheme[]} schemes @param {(scheme: Scheme) => Settable} settable */
function list(schemes, settable) {
  const data = schemes.map((scheme) => ({
    name: scheme.name,
    kind: scheme.kind,
    operands: scheme.operands,
    options: settable(scheme).map(([name, option]) => ({ name, byDefault: option.default })),
  }));
  const lines = data.map(({ name, kind, operands, options }) => {
    const settings = options.map(({ name, byDefault }) => `${name}=${byDefault ?? ""}`).join(" ");
    const numbers = operands.map((operand) => operand.toUpperCase()).join(" ");
    return `${name} ${numbers} (${kind})${settings && `: ${settings}`}`;
  });
  return { data, lines: [`${count(data.length)} schemes`, ...lines] };
}

/** @param {Scheme} scheme @param {Settable} known @param {string[]} given @returns {Record<string, unknown>} */
function settingsOf(scheme, known, given) {
  const seen = new Set();
  const entries = given.map((text) => {
    const [, key, value] = /^([^=]+)=(.*)$/.exec(text) ?? [];
    const found = known.find(([name]) => name === key);
    if (found !== undefined && seen.has(key))
      throw new UsageError(`--set ${key} must be given once; got it twice`);
    seen.add(key);
    if (found !== undefined) return [key, valueOf(found, value)];
    const names = known.map(([name]) => name);
    const hint = key === undefined ? "" : didYouMean(key, names);
    const rule = `--set must be one of ${names.join(", ")}, as NAME=VALUE, for ${scheme.name}`;
    throw new UsageError(`${rule}; got ${describe(text)}${hint}`);
  });
  return Object.fromEntries(entries);
}

/** @param {Settable[number]} known @param {string} text */
function valueOf([name, { type, values = [] }], text) {
  if (type === "value" || type === "tensor") return jsonOf(name, text);
  const number = /^[-+]?(\d+(\.\d*)?|\.\d+)(e[-+]?\d+)?$/i.test(text) ? Number(text) : undefined;
  if (type === "boolean" && /^(true|false)$/.test(text)) return text === "true";
  if (type === "choice") return values.includes(text) || number === undefined ? text : number;
  if (type !== "boolean" && number !== undefined) return number;
  const rule = type === "boolean" ? "true or false" : "a number";
  throw new UsageError(`--set ${name} must be ${rule}; got ${describe(text)}`);
}
