/** @import { Phasor } from "phasor" */
import { Tensor } from "phasor";

/**
 * Small programs. The lines that a reader can copy compute the picture.
 *
 * A value in a program is an expression, or a number, string, boolean, array or object of values.
 * @typedef {{text: string, value: (scope: Scope) => any}} Expression
 * @typedef {Record<string, any>} Scope  the modules of phasor, and the names of the lines before
 * @typedef {{name: string, of: Expression}} Line  const name = of;
 */

/** Characters of a line, beside its name; objects are broken where one is longer. */
const WIDTH = 80;

/**
 * An expression: its text in JavaScript and its value.
 * @param {string} text @param {(scope: Scope) => any} value
 * @returns {Expression}
 */
export function expression(text, value) {
  return { text, value };
}

/**
 * A function of a module of phasor: call("sinusoidal.table", 64, 128, { base: 500 }). Undefined
 * arguments and empty options at the end are left out.
 * @param {string} path @param {...unknown} given
 * @returns {Expression}
 */
export function call(path, ...given) {
  const values = given.map(trimmed);
  while (values.length > 0 && isEmpty(values[values.length - 1])) values.pop();
  const oneLine = `${path}(${values.map((value) => print(value)).join(", ")})`;
  const text =
    oneLine.length <= WIDTH
      ? oneLine
      : `${path}(${values.map((value) => print(value, 0)).join(", ")})`;
  return expression(text, (scope) => {
    const steps = path.split(".");
    const method = steps.pop() ?? "";
    const owner = steps.reduce((at, step) => at[step], scope);
    return owner[method](...values.map((value) => evaluate(value, scope)));
  });
}

/**
 * A reference to the result of an earlier line: name("table.cos").
 * @param {string} path
 * @returns {Expression}
 */
export function name(path) {
  return expression(path, (scope) => path.split(".").reduce((at, step) => at[step], scope));
}

/** @param {string} name @param {Expression} of @returns {Line} */
export function line(name, of) {
  return { name, of };
}

/**
 * Options that differ from their defaults.
 * @param {Record<string, unknown>} options @param {Record<string, unknown>} defaults
 */
export function changed(options, defaults) {
  return Object.fromEntries(
    Object.entries(options).filter(([key, value]) => !Object.is(value, defaults[key])),
  );
}

/**
 * The lines of a program, as JavaScript.
 * @param {readonly Line[]} lines
 * @returns {string[]}
 */
export function printed(lines) {
  return lines.map(({ name, of }) => `const ${name} = ${of.text};`);
}

/**
 * The modules of phasor that a program uses, in the order of their names.
 * @param {readonly Line[]} lines @param {Phasor} phasor
 */
export function modules(lines, phasor) {
  const used = lines.flatMap(({ of }) => of.text.match(/\b[a-z]\w*(?=\.)/gi) ?? []);
  return [...new Set(used)].filter((word) => Object.hasOwn(phasor, word)).sort();
}

/**
 * Runs a program.
 * @param {readonly Line[]} lines @param {Phasor} phasor
 * @returns {Scope} the values of its names; intermediate tables are disposed of
 */
export function run(lines, phasor) {
  /** @type {Scope} */
  const scope = { ...phasor };
  /** @type {{dispose(): void}[]} */
  const resident = [];
  try {
    for (const { name, of } of lines) {
      scope[name] = of.value(scope);
      if (typeof scope[name]?.dispose === "function") resident.push(scope[name]);
    }
    return scope;
  } finally {
    for (const table of resident) table.dispose();
  }
}

/**
 * Evaluates a value and the expressions in it.
 * @param {unknown} value @param {Scope} scope
 * @returns {any}
 */
export function evaluate(value, scope) {
  if (typeof value !== "object" || value === null) return value;
  if (isExpression(value)) return value.value(scope);
  if (Array.isArray(value)) return value.map((each) => evaluate(each, scope));
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, evaluate(each, scope)]),
  );
}

/**
 * A value as JavaScript. Strings are quoted as JSON, which is JavaScript.
 * @param {unknown} value
 * @param {number} [width]  in characters; a longer object has a line for each key
 * @returns {string}
 */
export function print(value, width = Infinity) {
  if (typeof value !== "object" || value === null) {
    if (Object.is(value, -0)) return "-0";
    return typeof value === "string" ? quote(value) : String(value);
  }
  if (isExpression(value)) return value.text;
  if (Array.isArray(value)) return `[${value.map((each) => print(each)).join(", ")}]`;
  const entries = (/** @type {number} */ width) =>
    Object.entries(value).map(([key, each]) => {
      const shown = /^[a-z_$][\w$]*$/i.test(key) ? key : quote(key);
      return isExpression(each) && each.text === key ? key : `${shown}: ${print(each, width)}`;
    });
  const oneLine = `{ ${entries(Infinity).join(", ")} }`;
  if (Object.keys(value).length === 0) return "{}";
  if (oneLine.length <= width) return oneLine;
  const lines = entries(WIDTH).map((entry) => `  ${entry.replaceAll("\n", "\n  ")},`);
  return `{\n${lines.join("\n")}\n}`;
}

/**
 * A text as a literal of JavaScript and Python: JSON, with U+2028 and U+2029 escaped.
 * @param {string} text
 */
export function quote(text) {
  return JSON.stringify(text).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}

/**
 * Converts the result of a line to a tensor: numbers and nested arrays become float32.
 * @param {any} made
 * @returns {Tensor<any>}
 */
export function asTensor(made) {
  if (made instanceof Tensor) return made;
  const shape = [];
  for (let at = made; Array.isArray(at); at = at[0]) shape.push(at.length);
  return new Tensor(Float32Array.from([made].flat(Infinity)), shape);
}

/** @param {unknown} value @returns {value is Expression} */
function isExpression(value) {
  if (typeof value !== "object" || value === null) return false;
  return "text" in value && "value" in value && typeof value.value === "function";
}

/** Options without those that are undefined. @param {unknown} value */
function trimmed(value) {
  const plain =
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    !isExpression(value) &&
    Object.getPrototypeOf(value) === Object.prototype;
  if (!plain) return value;
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined));
}

/** @param {unknown} value */
function isEmpty(value) {
  if (value === undefined) return true;
  return (
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    Object.keys(value).length === 0
  );
}
