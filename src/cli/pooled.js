/** Compares the sentence vectors of a host with the model's own rule and with the usual slips. */
/**
 * @import { Phasor } from "../index.js"
 * @import { OpenModel, SentenceLayers } from "../models/open/index.js"
 * @import { PoolingMode } from "../models/open/modules.js"
 * @import { Host, Numbers } from "./host.js"
 */

/**
 * A combination and how far the vectors are from it.
 * @typedef {object} Tried
 * @property {readonly string[]} slips  none in the model's own rule
 * @property {boolean} [normalized]  where the model does not say whether the vectors are
 * @property {number} largest  the largest difference
 * @property {{text: number, column: number}} at  where
 * @property {number} score  the largest difference in units of the tolerance of its vector: it fits up to 1
 *
 * @typedef {object} Found
 * @property {"own" | "slip" | "undecided" | "none"} verdict
 * @property {Tried[]} fitting
 * @property {Tried | null} nearest  where none fits; null if none has as many columns
 *
 * A way to pool. @typedef {{mode: readonly PoolingMode[], isPadded: boolean, skips: boolean, slips: string[]}} Pooling
 */

const MODES = /** @type {const} */ (["cls", "mean", "last", "max", "weighted", "mean-sqrt-len"]);

/**
 * @param {Phasor} phasor @param {OpenModel} model @param {SentenceLayers} layers @param {Host} host
 * @returns {Promise<Found>}
 */
export async function judge(phasor, model, layers, host) {
  /** @type {Tried[]} */
  const all = [];
  for (const way of waysOf(layers, host)) {
    const pooled = pool(phasor, host, way);
    if (way.isPadded && isEndOf(way, host)) {
      const plain = pool(phasor, host, { ...way, isPadded: false });
      if (String(plain.data) === String(pooled.data)) continue;
    }
    for (const { vectors, slips } of await layered(model, layers, host, way, pooled)) {
      const isBare = vectors === pooled && isTwin(way, layers); // has another's direction
      const tried = ends(phasor, layers, host, vectors, [...way.slips, ...slips]);
      all.push(...(isBare ? tried.slice(0, 1) : tried));
    }
  }
  const fits = all.filter(({ score }) => score <= 1);
  const own = fits.filter(({ slips }) => slips.length === 0);
  const others = fits.filter(({ slips }) => slips.length > 0);
  // More slips than needed explain nothing.
  const least = others.filter(
    ({ slips }) =>
      !others.some(
        (other) =>
          other.slips.length < slips.length && other.slips.every((slip) => slips.includes(slip)),
      ),
  );
  const fitting = [...own, ...least];
  const isSlip = fitting.length === 1 && own.length === 0;
  const verdict =
    fitting.length === 0 ? "none" : least.length === 0 ? "own" : isSlip ? "slip" : "undecided";
  const order = (/** @type {Tried} */ a, /** @type {Tried} */ b) =>
    a.score - b.score || a.slips.length - b.slips.length;
  const nearest = fitting.length > 0 ? null : (all.sort(order).at(0) ?? null);
  return { verdict, fitting, nearest };
}

/** @param {SentenceLayers} layers @param {Host} host @returns {Pooling[]} */
function waysOf({ pooling }, { promptLengths }) {
  const { mode = [], includePrompt = true } = pooling ?? {};
  const own = mode.join(", ");
  const modes = [
    { mode, slips: /** @type {string[]} */ ([]) },
    ...MODES.filter((other) => other !== own).map((other) => ({
      mode: [other],
      slips: [`${other} for ${own}`],
    })),
  ];
  const prompt = `the prompt's tokens are ${includePrompt ? "left out" : "pooled"}`;
  // Without a length, vectors without the prompt's tokens look like those with them.
  const isTried = promptLengths?.some((length) => length > 0) ?? !includePrompt;
  const prompts = [false, ...(isTried ? [true] : [])];
  const isLast = (/** @type {readonly PoolingMode[]} */ mode) =>
    mode.every((one) => one === "last"); // which no prompt changes
  return modes.flatMap(({ mode, slips }) =>
    (isLast(mode) ? [false] : prompts).flatMap((isOther) =>
      [false, true].map((isPadded) => ({
        mode,
        isPadded,
        skips: includePrompt === isOther,
        slips: [
          ...slips,
          ...(isOther ? [prompt] : []),
          ...(isPadded ? ["padding is counted"] : []),
        ],
      })),
    ),
  );
}

/**
 * Whether a way gives another's vectors once these have length 1: mean and mean-sqrt-len differ in the length alone.
 * @param {Pooling} way @param {SentenceLayers} layers
 */
function isTwin({ mode }, { pooling }) {
  const isRoot = pooling?.mode.join() === "mean-sqrt-len";
  return mode.join() === (isRoot ? "mean" : "mean-sqrt-len");
}

/**
 * Whether counted padding is no slip where it gives the same: the first token is in its place if padding comes last, and
 * the last token if padding comes first.
 * @param {Pooling} way @param {Host} host
 */
function isEndOf({ mode }, { mask }) {
  return mode.every((one) => one === "cls" || (one === "last" && mask.includes(0)));
}

/** @param {Phasor} phasor @param {Host} host @param {Pooling} way @returns {Numbers} [B, W] */
function pool({ pooling }, { tokens, mask, promptLengths }, { mode, isPadded, skips }) {
  const [B, T] = tokens.shape;
  const width = mode.length * tokens.shape[2];
  const result = new Float32Array(B * width);
  for (let b = 0; b < B; ++b) {
    const promptLength = skips ? (promptLengths?.[b] ?? 0) : 0;
    const own = isPadded ? undefined : mask.subarray(b * T, (b + 1) * T);
    const { data } = pooling.apply(textOf(tokens, b), { mode, promptLength, mask: own });
    result.set(/** @type {Float32Array} */ (data), b * width);
  }
  return { data: result, shape: [B, width] };
}

/** The states of a text. @param {Numbers} tokens  [B, T, D] @param {number} b @returns {Numbers} */
function textOf({ data, shape: [, T, D] }, b) {
  return { data: data.subarray(b * T * D, (b + 1) * T * D), shape: [T, D] };
}

/**
 * The vectors after the layers that follow, and without these.
 * @param {OpenModel} model @param {SentenceLayers} layers @param {Host} host @param {Pooling} way @param {Numbers} pooled
 * @returns {Promise<{vectors: Numbers, slips: string[]}[]>}
 */
async function layered(model, layers, host, { mode, isPadded, skips }, pooled) {
  const { dense, modules, dim, pooling } = layers;
  const isNorm = modules.includes("LayerNorm");
  if (dense.length === 0 && !isNorm) return [{ vectors: pooled, slips: [] }];
  const name = isNorm
    ? "the layers after the pooling are left out"
    : `the dense layer${dense.length > 1 ? "s are" : " is"} left out`;
  const without = { vectors: pooled, slips: [name] };
  const [B, W] = pooled.shape;
  const wanted = { normalize: false, dim };
  if (pooling?.mode.length === 1) {
    // The pooling of one token is that token.
    const alone = { data: pooled.data, shape: [B, 1, W] };
    return [{ vectors: await model.pool(alone, wanted), slips: [] }, without];
  }
  // Vectors of several modes come from the model's pooling alone.
  const isOwn = mode === pooling?.mode && skips === !pooling.includePrompt;
  if (!isOwn) return [without];
  const { tokens, mask, promptLengths } = host;
  const [, T] = tokens.shape;
  const rows = [];
  for (let b = 0; b < B; ++b) {
    const given = isPadded ? undefined : mask.subarray(b * T, (b + 1) * T);
    const promptLength = promptLengths?.[b] ?? 0;
    const one = await model.pool(textOf(tokens, b), { ...wanted, mask: given, promptLength });
    rows.push(...one.data);
  }
  const vectors = { data: Float32Array.from(rows, Number), shape: [B, rows.length / B] };
  return [{ vectors, slips: [] }, without];
}

/**
 * The vectors cut to the host's columns, with and without length 1.
 * @param {Phasor} phasor @param {SentenceLayers} layers @param {Host} host @param {Numbers} full @param {string[]} slips
 * @returns {Tried[]}
 */
function ends({ normalize }, { normalize: unit, truncateDim }, host, full, slips) {
  const [, W] = host.vectors.shape;
  const F = full.shape[1];
  if (W > F) return [];
  const isCut = W !== Math.min(truncateDim ?? F, F);
  const made = isCut ? [...slips, `the first ${W} of ${F} columns are kept`] : slips;
  const raw = cut(full, W);
  const isUnknown = unit === undefined;
  const tried = (/** @type {Numbers} */ x, /** @type {string[]} */ all, normalized = false) => ({
    slips: all,
    ...(isUnknown && { normalized }),
    ...difference(host, x),
  });
  const plain = tried(raw, unit ? [...made, "not normalized"] : made);
  if (raw.data.some((x) => !Number.isFinite(x))) return [plain];
  const unitSlips = unit === false ? [...made, "normalized"] : made;
  if (W === F) return [plain, tried(normalize.l2(raw), unitSlips, true)];
  // The library cuts to the model's own width after its norm.
  const isOwn = unit === true && !isCut;
  const early = isOwn ? [...unitSlips, "normalized after the columns are cut"] : unitSlips;
  const late = isOwn ? unitSlips : [...unitSlips, "normalized before the columns are cut"];
  return [
    plain,
    tried(normalize.l2(raw), early, true),
    tried(cut(normalize.l2(full), W), late, true),
  ];
}

/** @param {Numbers} x  [B, F] @param {number} W */
function cut({ data, shape: [B, F] }, W) {
  const kept = Float32Array.from(
    { length: B * W },
    (_, i) => data[Math.floor(i / W) * F + (i % W)],
  );
  return { data: kept, shape: [B, W] };
}

/** @param {Host} host @param {Numbers} x @returns {Pick<Tried, "largest" | "at" | "score">} */
function difference({ vectors, tolerance }, x) {
  const [B, W] = vectors.shape;
  let [largest, score] = [0, 0];
  let at = { text: 0, column: 0 };
  for (let b = 0; b < B; ++b) {
    let [most, scale] = [0, 0];
    for (let w = 0; w < W; ++w) {
      const value = x.data[b * W + w];
      const apart = Math.abs(vectors.data[b * W + w] - value);
      const off = Number.isNaN(apart) ? Infinity : apart; // padding that is counted may be NaN
      most = Math.max(most, off);
      scale = Math.max(scale, Math.abs(value));
      if (off > largest) [largest, at] = [off, { text: b, column: w }];
    }
    if (most > 0) score = Math.max(score, most / (tolerance * scale));
  }
  return { largest, at, score };
}
