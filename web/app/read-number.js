// Numbers as readers write them: `1,051`, `1 051`, `0,5`, `1/2`, `2½`, `√64`, `2^10`, `≈ 34`, `4 rows`.

/** A number and the unit behind it, "" without one. @typedef {{ value: number, unit: string }} Quantity */
/** What a part of a text says, and the text behind that part. @typedef {{ value: number, rest: string }} Read */

/**
 * Words before a number that do not change it: "about", "≈", "head", "T =". Those of functions do: "ln 2" is not read as
 * 2, but "cos = 0.5" is 0.5.
 */
const BEFORE =
  /^(?:[≈≃~=]\s*|(?!sqrt|pi|minus|negative|(?:ln|lg|log|exp|(?:arc|a)?(?:sin|cos|tan)h?|square|cube|root|half|third|quarter|twice|double)(?![a-z])(?!\s*[=≈]))[a-z]+(?:\s*=\s*|\s+|(?=≈)))*/i;

/** Numbers of programs in other bases, such as 0x10, which is no product. */
const OTHER_BASE = /(?<![\d.,])0[xbo][\da-f]/i;

/** A fraction of one character. */
const FRACTION = /^\s*([¼-¾⅐-⅞])/;

/** Words behind a number: "rows", "MB", "%", "tokens per step". */
const UNIT = /^(?:[%°]|[a-zµ]+(?:[ /]+[a-z]+){0,3})$/i;

/** What multiplies the number before it: "83k", "2 million". */
const SCALE = /^\s*(k(?![a-z])|thousand|million|billion)/i;
const SCALES = new Map([
  ["k", 1e3],
  ["thousand", 1e3],
  ["million", 1e6],
  ["billion", 1e9],
]);

/**
 * Ways to write digits, in the order in which they are tried: thousands separated by commas, by spaces or
 * apostrophes, by points; a decimal comma; a decimal point.
 */
const DIGITS = [
  /^(?!0)\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\d.,])/,
  /^(?!0)\d{1,3}(?:[ '’_]\d{3})+(?:[.,]\d+)?(?![\d.,])/,
  /^(?!0)\d{1,3}(?:(?:\.\d{3}){2,}(?:,\d+)?|\.\d{3},\d+)(?![\d.,])/,
  /^\d+,\d+(?![\d.,])/,
  /^(?:\d+(?:\.\d*)?|\.\d+)(?![\d.,])/,
];

/** What separates thousands in each of these ways. */
const SEPARATORS = [/,/g, /[ '’_]/g, /\./g, /(?!)/g, /(?!)/g];

/**
 * The number that a text says; NaN if it says none.
 * @param {string} text
 */
export function readNumber(text) {
  const { value, unit } = readQuantity(text) ?? { value: NaN, unit: "" };
  return unit === "%" ? value / 100 : value;
}

/** The number and the unit that a text says. @param {string} text @returns {Quantity | undefined} */
export function readQuantity(text) {
  const read = OTHER_BASE.test(text) ? undefined : product(plain(text).replace(BEFORE, ""));
  if (!read) return undefined;
  const scale = SCALE.exec(read.rest);
  const value = read.value * (SCALES.get(scale?.[1].toLowerCase() ?? "") ?? 1);
  const unit = read.rest
    .slice(scale?.[0].length ?? 0)
    .trim()
    .replace(/\.$/, "");
  return Number.isFinite(value) && (unit === "" || UNIT.test(unit)) ? { value, unit } : undefined;
}

/** The text with one sign for each thing that has several. @param {string} text */
function plain(text) {
  return text
    .trim()
    .replace(/[\u00a0\u2007\u2009\u202f]/g, " ")
    .replace(/[\u2010-\u2015\u2212\ufe63\uff0d]/g, "-")
    .replace(/[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+/g, (raised) => `^${lowered(raised)}`)
    .replaceAll("**", "^")
    .replace(/[×·⋅]/g, "*")
    .replace(/(?<=\d)\s*x\s*(?=\d)/g, "*")
    .replace(/[⁄÷]/g, "/")
    .replaceAll("√", "sqrt")
    .replaceAll("π", "pi")
    .replace(/(?<![a-z])(?:minus|negative)\s+/gi, "-");
}

/** @param {string} raised */
function lowered(raised) {
  return Array.from(raised, (sign) => "0123456789-"["⁰¹²³⁴⁵⁶⁷⁸⁹⁻".indexOf(sign)]).join("");
}

/** Factors and divisors: `2 * 3 / 4`. @param {string} text @returns {Read | undefined} */
function product(text) {
  let read = power(text);
  while (read) {
    const sign = /^\s*([*/])\s*(?=[-+.\d(¼-¾⅐-⅞]|sqrt|pi)/.exec(read.rest);
    const implied = sign ? null : /^\s*(?=sqrt|pi(?![a-z])|\()/.exec(read.rest); // `2 pi`
    if (!sign && !implied) return read;
    const next = power(read.rest.slice((sign ?? implied)?.[0].length));
    if (!next) return undefined;
    read = {
      value: sign?.[1] === "/" ? read.value / next.value : read.value * next.value,
      rest: next.rest,
    };
  }
  return undefined;
}

/** A number and its exponent: `-2^10`. @param {string} text @returns {Read | undefined} */
function power(text) {
  const signed = /^([-+])\s*/.exec(text);
  if (signed) {
    const read = power(text.slice(signed[0].length));
    return read && { ...read, value: signed[1] === "-" ? -read.value : read.value };
  }
  const base = atom(text);
  const raised = base && /^\s*\^\s*/.exec(base.rest);
  if (!raised) return base;
  const exponent = power(base.rest.slice(raised[0].length));
  return exponent && { value: base.value ** exponent.value, rest: exponent.rest };
}

/** Digits, a root, π or a product in parentheses. @param {string} text @returns {Read | undefined} */
function atom(text) {
  const root = /^sqrt\s*/i.exec(text);
  if (root) {
    const read = atom(text.slice(root[0].length));
    return read && { ...read, value: Math.sqrt(read.value) };
  }
  if (/^pi(?![a-z])/i.test(text)) return { value: Math.PI, rest: text.slice(2) };
  if (text.startsWith("(")) {
    const read = product(text.slice(1).trimStart());
    const rest = read?.rest.trimStart();
    return read && rest?.startsWith(")") ? { value: read.value, rest: rest.slice(1) } : undefined;
  }
  return mixed(text);
}

/** Digits, a fraction of one character, or both: `2½`. @param {string} text @returns {Read | undefined} */
function mixed(text) {
  const whole = digits(text);
  const [written, sign] = FRACTION.exec(whole?.rest ?? text) ?? [];
  if (!written) return whole;
  if (!Number.isInteger(whole?.value ?? 0)) return undefined;
  const [top, bottom] = sign.normalize("NFKC").split("⁄").map(Number);
  return {
    value: (whole?.value ?? 0) + top / bottom,
    rest: (whole?.rest ?? text).slice(written.length),
  };
}

/** @param {string} text @returns {Read | undefined} */
function digits(text) {
  const way = DIGITS.findIndex((each) => each.test(text));
  if (way < 0) return undefined;
  const [written] = /** @type {RegExpExecArray} */ (DIGITS[way].exec(text));
  const [exponent = ""] = /^e[-+]?\d+/i.exec(text.slice(written.length)) ?? [];
  const number = written.replace(SEPARATORS[way], "").replace(",", ".");
  return {
    value: Number(number + exponent),
    rest: text.slice(written.length + exponent.length),
  };
}
