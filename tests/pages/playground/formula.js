// Reads the formulas that the playground writes under a cell, and works them out.

/** @typedef {Record<string, number>} Names */

/** @type {Readonly<Record<string, (...given: number[]) => number>>} */
const FUNCTIONS = {
  sin: Math.sin,
  cos: Math.cos,
  ln: Math.log,
  // A logarithm that is whole in mathematics may miss it by a rounding.
  floor: (x) => Math.floor(x + 1e-9),
  ceil: (x) => Math.ceil(x - 1e-9),
  min: Math.min,
  max: Math.max,
};

/**
 * The values that a chain of statements states to be equal: "a = 2; 3 × a = 6" gives [[2], [6, 6]].
 * Text that is not a formula ("by time") is skipped.
 * @param {string} text
 * @returns {number[][]}
 */
export function worked(text) {
  /** @type {Names} */
  const names = { π: Math.PI, e: Math.E };
  /** @type {number[][]} */
  const statements = [];
  for (const statement of text.split("; ")) {
    const sides = statement.split(" = ");
    const [, defined] = /^([a-zθ]+)$/.exec(sides[0]) ?? [];
    const isDefinition = defined !== undefined && sides.length > 1 && !(defined in names);
    const values = [];
    for (const side of isDefinition ? sides.slice(1) : sides) {
      const value = evaluated(side, names);
      if (value === undefined) break;
      values.push(value);
    }
    if (isDefinition && values.length > 0) names[defined] = values[0];
    statements.push(values);
  }
  return statements;
}

/** @param {string} text @param {Names} names @returns {number | undefined} undefined for text that is not a formula */
function evaluated(text, names) {
  const all = /^(.*)sum over ([a-z]) from (\d+) to (\d+) of (.*)$/.exec(text);
  if (all) {
    const [, before, index, first, last, each] = all;
    let sum = 0;
    for (let i = Number(first); i <= Number(last); ++i) {
      const value = evaluated(each, { ...names, [index]: i });
      if (value === undefined) return undefined;
      sum += value;
    }
    return evaluated(`${before}total`, { ...names, total: sum });
  }
  const tokens = text.match(/\d+(?:\.\d+)?(?:e[+−-]?\d+)?|[a-zA-Z]+|[θπ∞]|\S/gu) ?? [];
  let at = 0;
  class NoFormula extends Error {}
  const take = (/** @type {string} */ wanted) => tokens[at] === wanted && Boolean(++at);
  const must = (/** @type {string} */ wanted) => {
    if (!take(wanted)) throw new NoFormula();
  };

  /** @returns {number} */
  function sum() {
    let value = product();
    for (;;) {
      if (take("+")) value += product();
      else if (take("−")) value -= product();
      else return value;
    }
  }
  /** @returns {number} */
  function product() {
    let value = signed();
    for (;;) {
      if (take("×") || take("·")) value *= signed();
      else if (take("/")) value /= signed();
      else if (tokens[at] === "π") value *= signed();
      else return value;
    }
  }
  /** @returns {number} */
  function signed() {
    return take("−") ? -signed() : power();
  }
  /** @returns {number} */
  function power() {
    const value = atom();
    if (!take("^")) return value;
    must("(");
    const exponent = sum();
    must(")");
    return value ** exponent;
  }
  /** @returns {number} */
  function atom() {
    const token = tokens[at++];
    if (token === undefined) throw new NoFormula();
    if (/^\d/.test(token)) return Number(token.replace("−", "-"));
    if (token === "∞") return Infinity;
    if (token === "√") return Math.sqrt(atom());
    if (token === "(" || token === "|") {
      const value = sum();
      must(token === "(" ? ")" : "|");
      return token === "|" ? Math.abs(value) : value;
    }
    if (token in FUNCTIONS) {
      must("(");
      const given = [sum()];
      while (take(",")) given.push(sum());
      must(")");
      return FUNCTIONS[token](...given);
    }
    if (Object.hasOwn(names, token)) return names[token];
    throw new NoFormula();
  }

  try {
    const value = sum();
    return at === tokens.length ? value : undefined;
  } catch (error) {
    if (error instanceof NoFormula) return undefined;
    throw error;
  }
}
