/** Suggestions for misspelled names: options, presets, modules and models. */

/** What other libraries call options and their words, in small letters alone. @type {ReadonlyMap<string, string>} */
const ELSEWHERE = new Map(
  Object.entries({
    theta: "base",
    ropetheta: "base",
    ropetype: "type",
    ropescaling: "scaling",
    neox: "halves",
    gptneox: "halves",
    rotatehalf: "halves",
    gptj: "interleaved",
    iscausal: "causal",
    attnmask: "bias",
    keypaddingmask: "keyMask",
    positionids: "positions",
    position: "offset",
    offset: "position",
    maxseqlen: "length",
    epsilon: "eps",
  }),
);

/** Where the own name has the opposite meaning, which a port must not miss. @type {Record<string, string>} */
const OPPOSITE = {
  keypaddingmask:
    " It is true for the keys that count, PyTorch's key_padding_mask for those to ignore",
};

/** @param {string} text */
const plain = (text) => text.toLowerCase().replace(/[-_. /]/g, "");

/**
 * `; did you mean "layout"?`, or nothing where no known name is close.
 * @param {string} name @param {readonly string[]} known
 */
export function didYouMean(name, known) {
  const found = closest(name, known);
  if (found === undefined) return "";
  const letters = plain(name);
  const why = ELSEWHERE.get(letters) === found ? (OPPOSITE[letters] ?? "") : "";
  return `; did you mean "${found}"?${why}`;
}

/**
 * The known name with the fewest edits from `name`: at most one edit in three letters, and no edit counts
 * where only upper and lower case or separators differ.
 * @param {string} name @param {readonly string[]} known
 * @returns {string | undefined}
 */
export function closest(name, known) {
  if (name.length > 64) return undefined;
  const letters = plain(name);
  const own = ELSEWHERE.get(letters);
  if (own !== undefined && known.includes(own)) return own;
  let best;
  let least = Math.max(1, Math.floor(name.length / 3)) + 1;
  for (const candidate of known) {
    const others = plain(candidate);
    // Each edit changes the length by at most one.
    if (Math.abs(others.length - letters.length) >= least) continue;
    const count = edits(letters, others);
    if (count < least) [best, least] = [candidate, count];
  }
  return best;
}

/**
 * How many letters have to be inserted, deleted, replaced or swapped with their neighbor (optimal string
 * alignment).
 * @param {string} a @param {string} b
 */
function edits(a, b) {
  let older = /** @type {number[]} */ ([]);
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; ++i) {
    const row = [i];
    for (let j = 1; j <= b.length; ++j) {
      const same = a[i - 1] === b[j - 1];
      row[j] = Math.min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1));
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) row[j] = Math.min(row[j], older[j - 2] + 1);
    }
    [older, last] = [last, row];
  }
  return last[b.length];
}

/** Names that engines, consoles and test runners look for in any object. */
const PROBED =
  /^(then|inspect|length|calls|sample|attributes|key|ref|props|type)$|^[^a-zA-Z\d]|^[a-z]+[A-Z]/;

/**
 * A frozen object that throws where a close misspelling of one of its names is read, or any other name if it is
 * `closed`. Names that engines and test runners probe for, `then`, `toJSON` and the like, are undefined, as in any
 * object.
 * @template {object} Names
 * @param {Names} object @param {string} what  "sinusoidal.presets", for the message @param {boolean} [closed]
 * @returns {Readonly<Names>}
 * @throws {RangeError} on reading such a name
 */
export const suggesting = (object, what, closed = false) =>
  new Proxy(
    Object.freeze(object),
    /** @type {ProxyHandler<Names>} */ ({ get: guessing(() => Object.keys(object), what, closed) }),
  );

/**
 * The same of modules, whose names small calls read: a proxy takes longer than such a call, so it is the object's
 * prototype, which is asked for what it lacks.
 * @template {object} Names
 * @param {Names} object  without a class @param {string} what @returns {Readonly<Names>}
 */
export function suggestingBehind(object, what) {
  const get = guessing(() => Object.keys(object), what, false);
  return Object.freeze(Object.setPrototypeOf(object, new Proxy(Object.freeze({}), { get })));
}

/**
 * @param {() => string[]} names @param {string} what @param {boolean} closed
 * @returns {(target: object, name: string | symbol, receiver: unknown) => unknown}
 */
function guessing(names, what, closed) {
  return (target, name, receiver) => {
    // `await` reads the `then` of an object, which is no misspelling. It is part of load().
    if (typeof name === "string" && name !== "then" && !(name in target)) {
      const known = names();
      const hint = didYouMean(name, known);
      if (hint) throw new RangeError(`${what} has no "${name}"${hint}`);
      if (closed && !PROBED.test(name)) {
        const near = known.filter((each) => each.split(/[-_]/).includes(name));
        const hint = near.length === 1 ? didYouMean(near[0], near) : `; it has ${known.join(", ")}`;
        throw new RangeError(`${what} has no "${name.slice(0, 64)}"${hint}`);
      }
    }
    return Reflect.get(target, name, receiver);
  };
}
