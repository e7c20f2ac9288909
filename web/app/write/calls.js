/** How much of a result is shown: numbers in a row, and rows within rows. */
const LONGEST = 10_000;
const DEEPEST = 5;

/**
 * Calls the function and tells the page each call before it, and all results after them. It runs in the frame, whose
 * messages leave it only while nothing else runs: so it pauses before each call.
 */
const REPORT = `async (called, inputs) => {
  const tell = (message) => globalThis.parent.postMessage(message, "*");
  const isList = (x) => Array.isArray(x) || (ArrayBuffer.isView(x) && "length" in x);
  const kind = (x) => (x === null ? "null" : typeof x === "object" ? "an object of the class " + (x.constructor?.name ?? "null") : typeof x);
  const plain = (x, depth) => {
    if (typeof x === "number") return x;
    if (!isList(x)) return { kind: kind(x) };
    if (depth === ${DEEPEST} || x.length > ${LONGEST}) return { kind: "an array that is too large" };
    return Array.from(x, (each) => plain(each, depth + 1));
  };
  if (typeof called !== "function") return tell({ state: "returned", missing: typeof called });
  const returned = [];
  for (const [call, given] of inputs.entries()) {
    tell({ state: "calls", call });
    await new Promise((next) => globalThis.setTimeout(next));
    returned.push(plain(called(...given), 0));
  }
  tell({ state: "returned", returned });
}`.replace(/\n\s*/g, " ");

/**
 * Code to run after the reader's, on the same last line: the lines of errors stay the reader's.
 *
 * @param {string} name  of the function
 * @param {readonly (readonly unknown[])[]} inputs
 */
export function callsOf(name, inputs) {
  return `\n;await (${REPORT})(typeof ${name} === "undefined" ? undefined : ${name}, ${JSON.stringify(inputs)});`;
}
