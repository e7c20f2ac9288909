/** Biases of attention: ALiBi's and T5's. */
import { Tensor } from "../../runtime/tensor.js";
import { drawn } from "./arrays.js";

/** @import { Arrays, Source } from "./arrays.js" */

/** Tokens in the cache before one query. */
const PAST = 17;

/** The most rows of a bias: they are long. */
const MOST = 32;

/** The farthest key of a query. */
const FAR = 4096;

/** The seed of T5's table comes after those of others. */
const SEED = 2000;

export const BIAS_TOLERANCE =
  "2^-22 of the bias, in the array tolerance: float32 rounds the slope and the product; infinite for keys after the query, which a causal mask hides";

/**
 * @param {Source} source
 * @returns {{arrays: Arrays, torch: Arrays, slips: Arrays, why?: string}}
 */
export function biasArrays(source) {
  const { positions } = source.model;
  /** @type {ReturnType<typeof biasArrays>} */
  const found = { arrays: {}, torch: {}, slips: {} };
  if (positions.scheme === "alibi") addAlibi(source, found);
  else if (positions.scheme === "t5Bias") addT5(source, found);
  else {
    const what = [positions.scheme, positions.relative].filter(Boolean).join(" with ");
    found.why = `the kit has the biases of alibi and t5Bias; the model has ${what}`;
  }
  return found;
}

/** @param {Source} source @param {ReturnType<typeof biasArrays>} found */
function addAlibi({ phasor: { alibi }, model, length }, { arrays, slips }) {
  const H = Number(model.heads);
  const { biasMax = 8 } = /** @type {{biasMax?: number}} */ (model.positions.options ?? {});
  const slopes = alibi.slopes(H, { biasMax });
  arrays["alibi/slopes"] = slopes;
  const T = Math.min(length, MOST);
  /** @type {[string, number, number][]} */
  const cases = [["first", T, T], ["cached", 1, T + PAST]]; // prettier-ignore
  for (const [name, queries, keys] of cases) {
    const made = (/** @type {Tensor} */ own) => alibi.bias(H, queries, { keys, slopes: own });
    const bias = made(slopes);
    const at = `alibi/${name}`;
    const hidden = (/** @type {number} */ i) =>
      i % keys > (Math.floor(i / keys) % queries) + keys - queries;
    // A port may add slope * key, of which softmax sees slope * distance: the rounding is that of the larger one.
    const unit = (/** @type {number} */ i) =>
      2 ** -22 * slopes.data[Math.floor(i / (queries * keys))] * keys;
    const tolerance = bias.data.map((x, i) =>
      hidden(i) ? Infinity : 2 ** -22 * Math.abs(x) + unit(i),
    );
    arrays[`${at}/bias`] = bias;
    arrays[`${at}/tolerance`] = new Tensor(tolerance, bias.shape);
    const slip = (/** @type {string} */ what, /** @type {(h: number) => number} */ slope) => {
      const own = made(
        new Tensor(
          Float32Array.from({ length: H }, (_, h) => slope(h)),
          [H],
        ),
      );
      const isSeen = own.data.some((x, i) => Math.abs(x - bias.data[i]) > tolerance[i]);
      if (isSeen) slips[`${at}/${what}`] = own;
    };
    const plain = (/** @type {number} */ h) => 2 ** ((-biasMax * h) / H);
    slip("the bias has the other sign", (h) => -slopes.data[h]);
    slip("slopes begin at h = 0 instead of 1", (h) => plain(h));
    slip("slopes of a power of two of heads", (h) => plain(h + 1));
    slip("slopes are in reverse order", (h) => slopes.data[H - 1 - h]);
    const scale = Math.sqrt(model.headDim);
    slip(
      "the bias is divided by the square root of the head's width",
      (h) => slopes.data[h] / scale,
    );
    slip("no bias", () => 0);
  }
}

/** @param {Source} source @param {ReturnType<typeof biasArrays>} found */
function addT5({ phasor, model, length, seed }, found) {
  const { arrays, torch, slips } = found;
  const { t5Bias } = phasor;
  if (model.positions.besides)
    found.why = `the kit has one table; the model has ${model.positions.besides}`;
  const { buckets, maxDistance } = /** @type {{buckets: number, maxDistance: number}} */ (
    model.positions.options
  );
  const T = Math.min(length, MOST);
  const table = drawn(phasor, [buckets, Number(model.heads)], seed + SEED);
  arrays["t5/table"] = table;
  for (const direction of /** @type {const} */ (["bidirectional", "causal"])) {
    /** @type {[string, number, number][]} */
    const cases = [["first", T, T], ["far", 1, Math.min(2 * maxDistance, FAR)], ["cached", 1, T + PAST]]; // prettier-ignore
    for (const [name, queries, keys] of cases) {
      const at = `t5/${direction}/${name}`;
      const own = { keys, buckets, maxDistance };
      const right = t5Bias.buckets(queries, { ...own, direction });
      arrays[`${at}/buckets`] = right;
      arrays[`${at}/tolerance`] = new Tensor(new Float32Array(1), [1]);
      arrays[`${at}/bias`] = t5Bias.bias(table, queries, { keys, maxDistance, direction });
      torch[`${at}/buckets`] = t5Bias.buckets(queries, { ...own, direction, precision: "torch" });
      const slip = (/** @type {string} */ what, /** @type {Tensor<Int32Array>} */ all) => {
        if (all.data.some((x, i) => x !== right.data[i])) slips[`${at}/${what}`] = all;
      };
      const other = direction === "causal" ? "bidirectional" : "causal";
      const turned = t5Bias.buckets(queries, { ...own, direction: other });
      slip("buckets of the other direction", turned);
      const twice = { ...own, direction, maxDistance: Math.min(2 * maxDistance, 2 ** 31 - 1) };
      slip("twice the largest distance", t5Bias.buckets(queries, twice));
      const early = t5Bias.buckets(queries, { ...own, direction, offset: 0 });
      slip("the first query is at position 0", early);
      const to = Array.from(
        { length: queries * keys },
        (_, i) => keys - queries + Math.floor(i / keys) - (i % keys),
      );
      const bucketed = t5Bias.bucket(to, { buckets, maxDistance, direction });
      slip("query - key instead of key - query", bucketed.reshape(queries, keys));
    }
  }
}
