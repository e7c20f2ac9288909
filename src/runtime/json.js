/**
 * JSON for text of unknown origin, which takes up to 75 times its size in memory: `{},{},`. The numbers NaN, Infinity
 * and -Infinity, which JSON lacks and Python's json writes, are read too.
 *
 * @param {string} text
 * @param {number} most  values, about: commas and brackets of strings count too
 * @returns {any}
 * @throws {SyntaxError} if it is neither, or has more values
 */
export function parsed(text, most) {
  let values = 0;
  for (let at = 0; at < text.length; ++at) if (",[{".includes(text[at])) ++values;
  if (values > most) throw new SyntaxError(`more than ${most} values`);
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!/NaN|Infinity/.test(text)) throw error;
    return parsedPython(text);
  }
}

/** @type {ReadonlyMap<string, number>} */
const NUMBERS = new Map([
  ["NaN", NaN],
  ["Infinity", Infinity],
  ["-Infinity", -Infinity],
]);

/** White space and a sign, a word without any, or the end: every text has one at every place. */
const TOKEN = /[ \t\n\r]*([[\]{},:"]|[^ \t\n\r[\]{},:"]+|$)/y;

/** A limit of this reader; Python's is about 1,000. */
const MOST_LEVELS = 512;

/** @param {string} text */
function parsedPython(text) {
  let [token, begin, at] = ["", 0, 0];
  const next = () => {
    TOKEN.lastIndex = at;
    token = TOKEN.exec(text)?.[1] ?? "";
    at = TOKEN.lastIndex;
    begin = at - token.length;
    if (token !== '"') return;
    while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
    token = text.slice(begin, ++at);
  };
  const refuse = () => {
    const what = token === "" ? "end of JSON input" : `token in JSON at position ${begin}`;
    throw new SyntaxError(`Unexpected ${what}`);
  };
  /** @param {string} sign  "" for the end */
  const need = (sign) => {
    if (token !== sign) refuse();
    next();
  };
  /** @param {string} close @param {() => void} item */
  const items = (close, item) => {
    next();
    if (token !== close) item();
    while (token === ",") {
      next();
      item();
    }
    need(close);
  };
  /** A string, a word or a number. */
  const leaf = () => {
    let value = NUMBERS.get(token);
    try {
      value ??= JSON.parse(token);
    } catch {
      refuse();
    }
    next();
    return value;
  };
  /** @param {number} level @returns {any} */
  const value = (level) => {
    if (level > MOST_LEVELS) throw new SyntaxError(`more than ${MOST_LEVELS} levels`);
    /** @type {any[]} */
    const found = [];
    if (token === "[") {
      items("]", () => found.push(value(level + 1)));
      return found;
    }
    if (token !== "{") return leaf();
    items("}", () => {
      if (token[0] !== '"') refuse();
      const key = leaf();
      need(":");
      found.push([key, value(level + 1)]);
    });
    return Object.fromEntries(found); // the last of equal keys, as in JSON.parse
  };
  next();
  const whole = value(0);
  need("");
  return whole;
}
