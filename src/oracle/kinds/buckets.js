/** T5's buckets from the steps of a bias: where a value changes, a bucket begins. */

/**
 * @import { Phasor } from "../../index.js"
 *
 * @typedef {{buckets: number, maxDistance: number, direction: "bidirectional" | "causal", precision: "exact" | "torch"}} Scheme
 * @typedef {{scheme: Scheme, maxDistances: [least: number, most: number]}} Buckets
 */

/** The most buckets that `t5Bias` takes. */
const MOST_BUCKETS = 1024;

/** The farthest distance that is tried for a last bucket. */
const FARTHEST = 2 ** 24;

/** @typedef {(r: number) => boolean | undefined} Changes  whether distance r has another value than r - 1; undefined if one of them is hidden */

/**
 * The schemes whose buckets begin where values change, fewest buckets first.
 * @param {Phasor["t5Bias"]} module
 * @param {Changes} back  of keys before the query @param {number} N  the farthest of them
 * @param {Changes | undefined} ahead  of keys after it, from distance 2 on @param {number} M  the farthest of them
 * @param {boolean} isOne  whether keys after the query have the query's own value
 * @returns {Buckets[]}
 */
export function bucketsOf(module, back, N, ahead, M, isOne) {
  /** @type {number[]} */
  const steps = [];
  for (let n = 1; n <= N; ++n) if (back(n) !== false) steps.push(n);
  let exact = 0;
  while (steps[exact] === exact + 1) ++exact;
  // Where all distances have their own values no bucket is shown, nor where they have up to one: they may be clipped.
  if (exact < 1 || steps.length === N || steps.length === exact) return [];
  const side = (/** @type {Changes} */ changes, /** @type {number} */ most) =>
    Array.from({ length: most }, (_, k) => changes(k + 1));
  const seen = { back: side(back, N), ahead: ahead && side(ahead, M) };
  /** @type {Buckets[]} */
  const found = [];
  /** @type {Scheme["direction"][]} */
  const directions =
    ahead === undefined ? ["causal", "bidirectional"] : isOne ? ["causal"] : ["bidirectional"];
  for (let m = 1; m <= exact; ++m) {
    for (const each of [2 * m, 2 * m + 1]) {
      const [least, most] = farthestOf(m, each, steps, N);
      if (!(most >= least)) continue;
      for (const direction of directions) {
        const buckets = direction === "causal" ? each : 2 * each;
        if (buckets > MOST_BUCKETS || buckets < (direction === "causal" ? 2 : 4)) continue;
        for (const precision of /** @type {const} */ (["exact", "torch"])) {
          const is = (/** @type {number} */ maxDistance) =>
            isScheme(module, { buckets, maxDistance, direction, precision }, seen);
          const maxDistance = round(least, most, is);
          if (maxDistance === undefined) continue;
          const range = edges(least, most, maxDistance, is);
          found.push({
            scheme: { buckets, maxDistance, direction, precision },
            maxDistances: range,
          });
          break;
        }
      }
    }
  }
  return found;
}

/**
 * The last distances that give these steps, from and to: bucket m + j begins at the first n of m (M / m)^(j / K) or more.
 * @param {number} m @param {number} each  buckets of a direction @param {readonly number[]} steps @param {number} N
 */
function farthestOf(m, each, steps, N) {
  const K = each - m;
  const firsts = steps.slice(m); // of buckets m + 1 on
  if (firsts.length > K - 1) return [1, 0];
  let [least, most] = [m + 1, FARTHEST];
  const at = (/** @type {number} */ n, /** @type {number} */ j) => m * (n / m) ** (K / j);
  for (const [k, first] of firsts.entries()) {
    least = Math.max(least, at(first - 1, k + 1));
    most = Math.min(most, at(first, k + 1));
  }
  // The next bucket begins beyond what is seen.
  if (firsts.length < K - 1) least = Math.max(least, at(N, firsts.length + 1));
  // Float32 logarithms move a step by one part in a million.
  return [
    Math.max(Math.floor(least * (1 - 1e-5)), m + 1),
    Math.min(Math.ceil(most * (1 + 1e-5)), FARTHEST),
  ];
}

/**
 * The roundest number within a range that is of a scheme.
 * @param {number} least @param {number} most @param {(maxDistance: number) => boolean} is
 */
function round(least, most, is) {
  for (let power = 2 ** 24; power >= 1; power /= 2) {
    for (
      let x = Math.ceil(least / power) * power, tries = 0;
      x <= most && tries < 3;
      x += power, ++tries
    ) {
      if (is(x)) return x;
    }
    if (power > most) continue;
    for (const ten of [1e5, 1e4, 1e3, 100, 10]) {
      if (power >= ten || power < ten / 10) continue;
      const x = Math.ceil(least / ten) * ten;
      if (x <= most && is(x)) return x;
    }
  }
  return undefined;
}

/**
 * The least and the most of the numbers around `inner` that give the same.
 * @param {number} least @param {number} most @param {number} inner @param {(maxDistance: number) => boolean} is
 * @returns {[least: number, most: number]}
 */
function edges(least, most, inner, is) {
  const edge = (/** @type {number} */ out) => {
    if (is(out)) return out;
    let [good, bad] = [inner, out];
    while (Math.abs(good - bad) > 1) {
      const middle = Math.trunc((good + bad) / 2);
      if (is(middle)) good = middle;
      else bad = middle;
    }
    return good;
  };
  return [edge(least), edge(most)];
}

/**
 * Whether a scheme has a new bucket exactly where values change.
 * @param {Phasor["t5Bias"]} module @param {Scheme} scheme
 * @param {{back: (boolean | undefined)[], ahead: (boolean | undefined)[] | undefined}} seen
 */
function isScheme(module, scheme, { back, ahead }) {
  const is = (
    /** @type {(boolean | undefined)[]} */ changes,
    /** @type {1 | -1} */ sign,
    from = 0,
  ) => {
    const { data } = module.bucket(
      Array.from({ length: changes.length + 1 }, (_, n) => sign * n + 0),
      scheme,
    );
    return changes.every(
      (one, k) => k < from || one === undefined || one === (data[k + 1] !== data[k]),
    );
  };
  if (!is(back, -1)) return false;
  return ahead === undefined || scheme.direction === "causal" || is(ahead, 1, 1);
}
