/** The mask of a bias: which cells are hidden, and by which rule. */

/**
 * A rule of the keys that queries see: query i is at offset + i, key j at j.
 * @typedef {object} Mask
 * @property {"none" | "causal" | "sliding" | "band" | "chunks" | "sinks" | "prefix" | "listed"} rule  `sliding`: the last
 *   `window` keys; `band`: those nearer than `window` on both sides; `chunks`: those of the query's own chunk up to it;
 *   `sinks`: the first `sinks` keys and the last `window`; `prefix`: the first `prefix` keys and those up to the query
 * @property {number} [window]  keys that a query sees back, or at each side
 * @property {number} [chunk]  keys of a chunk
 * @property {number} [sinks]  keys at the front that all queries see
 * @property {number} [prefix]  keys at the front that all queries see, later ones too
 * @property {number} [offset]  the position of the first query
 * @property {number} [left]  keys of padding at the left, hidden from all queries
 * @property {number} [right]  keys of padding at the right
 *
 * The cells of a bias: [H, Tq, Tk], 1 where one is hidden.
 * @typedef {{H: number, Tq: number, Tk: number, data: Float32Array, hidden: Uint8Array, fill: number | null}} Cells
 */

/** Numbers of this size and more may hide a key: 2^13, which is below 10,000. */
const LEAST = 13;

/** Hidden cells are larger than all others by this power of two. */
const APART = 4;

/**
 * The cells that are hidden: those at -Infinity, and those at numbers so large that no other number comes near.
 * @param {Float32Array} data
 * @returns {{hidden: Uint8Array, fill: number | null}} fill: the number of all hidden cells, null if there are several or none
 */
export function hiddenOf(data) {
  const bits = new Uint32Array(data.buffer, data.byteOffset, data.length);
  const power = (/** @type {number} */ k) => ((bits[k] >>> 23) & 255) - 127;
  const known = new Uint8Array(256);
  for (let k = 0; k < data.length; ++k) known[power(k) + 127] = 1;
  let least = 128; // of -Infinity
  for (let at = LEAST; at < 128; ++at) {
    if (!known[at + 127]) continue;
    if (known.subarray(at + 127 - APART, at + 127).every((one) => one === 0)) {
      least = at;
      break;
    }
  }
  const hidden = new Uint8Array(data.length);
  /** @type {number | null | undefined} */
  let fill;
  for (let k = 0; k < data.length; ++k) {
    if (!(data[k] < 0 && power(k) >= least)) continue;
    hidden[k] = 1;
    if (fill === undefined) fill = data[k];
    else if (fill !== data[k]) fill = null;
  }
  return { hidden, fill: fill ?? null };
}

/**
 * The rules that hide exactly these cells, simplest first.
 * @param {Cells} cells
 * @returns {{masks: Mask[], isByHead: boolean}} one that is `listed` if no rule does
 */
export function masksOf({ H, Tq, Tk, hidden }) {
  const size = Tq * Tk;
  const first = hidden.subarray(0, size);
  for (let k = size; k < H * size; ++k) {
    if (hidden[k] !== first[k % size]) return { masks: [{ rule: "listed" }], isByHead: true };
  }
  if (!first.includes(1)) return { masks: [{ rule: "none" }], isByHead: false };
  const isSeen = (/** @type {number} */ i, /** @type {number} */ j) => first[i * Tk + j] === 0;
  const isHidden = (/** @type {number} */ j) => {
    for (let i = 0; i < Tq; ++i) if (isSeen(i, j)) return false;
    return true;
  };
  let [left, right] = [0, 0];
  while (left < Tk && isHidden(left)) ++left;
  if (left === Tk) return { masks: [{ rule: "listed" }], isByHead: false };
  while (isHidden(Tk - 1 - right)) ++right;
  /** @type {Mask[]} */
  const found = [];
  const pads = left + right > 0 ? [[0, 0], [left, 0], [0, right], [left, right]] : [[0, 0]]; // prettier-ignore
  // By rows that differ: one query shows no shift, and padding is likelier.
  const shifted = Tq > 1 ? [Tk - Tq - 1, Tk - Tq + 1] : [];
  for (const [a, b] of pads) {
    for (const offset of new Set([Tk - Tq, 0, ...shifted])) {
      const isShifted = offset !== 0 && offset !== Tk - Tq;
      const all = guesses({ Tq, Tk, isSeen, a, b, offset });
      for (const mask of isShifted ? all.filter(({ rule }) => rule === "causal") : all) {
        if (!isMask(mask, { Tq, Tk, isSeen, a, b, offset })) continue;
        const own = { ...mask, ...(mask.rule !== "none" && { offset }), ...(a && { left: a }), ...(b && { right: b }) }; // prettier-ignore
        const isKnown = found.some((one) => JSON.stringify(one) === JSON.stringify(own));
        if (!isKnown) found.push(own);
      }
    }
    if (found.length > 0) break;
  }
  const orderOf = (/** @type {Mask} */ { rule }) => ["none", "causal"].indexOf(rule) >>> 0; // others last
  found.sort((a, b) => orderOf(a) - orderOf(b));
  return { masks: found.length > 0 ? found : [{ rule: "listed" }], isByHead: false };
}

/**
 * @typedef {{Tq: number, Tk: number, isSeen: (i: number, j: number) => boolean, a: number, b: number, offset: number}} Seen
 */

/** The rules that the longest rows allow. @param {Seen} seen @returns {Mask[]} */
function guesses({ Tq, Tk, isSeen, a, b, offset }) {
  /** @type {Mask[]} */
  const found = [{ rule: "none" }, { rule: "causal" }];
  let [window, reach] = [0, 0]; // the most keys back, and the most keys away
  const lowest = new Int32Array(Tq).fill(Tk);
  for (let i = 0; i < Tq; ++i) {
    for (let j = a; j < Tk - b; ++j) {
      if (!isSeen(i, j)) continue;
      lowest[i] = Math.min(lowest[i], j);
      window = Math.max(window, offset + i - j + 1);
      reach = Math.max(reach, Math.abs(offset + i - j) + 1);
    }
  }
  found.push({ rule: "sliding", window });
  if (Tq > 1) found.push({ rule: "band", window: reach });
  const step = lowest.findIndex((j, i) => i > 0 && j > lowest[i - 1] && j < Tk);
  if (step > 0) found.push({ rule: "chunks", chunk: Math.max(lowest[step], 1) });
  const last = Tq - 1;
  let sinks = 0;
  while (sinks < Tk && isSeen(last, sinks)) ++sinks;
  let own = 0;
  while (offset + last - own >= 0 && isSeen(last, offset + last - own)) ++own;
  if (sinks > 0 && own > 0) found.push({ rule: "sinks", sinks, window: own });
  let prefix = 0;
  while (prefix < Tk && isSeen(0, prefix)) ++prefix;
  if (Tq > 1 && prefix > offset + 1) found.push({ rule: "prefix", prefix });
  return found;
}

/** Whether a rule hides these cells and no others. @param {Mask} mask @param {Seen} seen */
function isMask(
  { rule, window = 0, chunk = 1, sinks = 0, prefix = 0 },
  { Tq, Tk, isSeen, a, b, offset },
) {
  /** @type {Record<Exclude<Mask["rule"], "listed">, (q: number, j: number) => boolean>} */
  const rules = {
    none: () => true,
    causal: (q, j) => j <= q,
    sliding: (q, j) => j <= q && q - j < window,
    band: (q, j) => Math.abs(q - j) < window,
    chunks: (q, j) => j <= q && Math.floor(j / chunk) === Math.floor(q / chunk),
    sinks: (q, j) => j <= q && (j < sinks || q - j < window),
    prefix: (q, j) => j <= q || j < prefix,
  };
  const sees = rules[/** @type {"none"} */ (rule)];
  for (let i = 0; i < Tq; ++i) {
    for (let j = 0; j < Tk; ++j) {
      if (isSeen(i, j) !== (j >= a && j < Tk - b && sees(offset + i, j))) return false;
    }
  }
  return true;
}

/** Where queries are, if not at the end of the keys. @param {number} offset @param {number} last  where they are there */
function shiftWords(offset, last) {
  if (offset === last) return "";
  if (offset === 0) return ", the first query at the first key";
  return offset > last ? ", and the next key" : ", without the query's own key";
}

/** @param {Mask} mask @param {number} last  where queries are at the end of the keys: Tk - Tq */
export function maskWords({ rule, window, chunk, sinks, prefix, left, right, offset }, last) {
  const words = {
    none: "",
    causal: `causal${shiftWords(offset ?? last, last)}`,
    sliding: `causal, the last ${window} keys`,
    band: `keys nearer than ${window}`,
    chunks: `causal, chunks of ${chunk}`,
    sinks: `causal, the first ${sinks} keys and the last ${window}`,
    prefix: `causal, the first ${prefix} keys seen by all`,
    listed: "a mask that follows no rule",
  };
  const padding = [left && `${left} keys of padding at the left`, right && `${right} at the right`];
  return [words[rule], ...padding].filter(Boolean).join(", ");
}
