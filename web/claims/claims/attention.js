// Claims about attention.

/** @import { Phasor } from "phasor" */
/** @import { Claim } from "./claims.js" */
import { brief } from "../../app/numbers.js";
import { bar } from "../../app/pictures.js";
import { drawn } from "../../app/samples.js";
import { glove, PAIR } from "./words.js";

/** Queries and keys, as many. */
const TOKENS = 64;

/** Heads whose scores are not divided by √d. */
const HEADS = Object.freeze([
  { name: "64, standard deviation 1", dim: 64, queries: 1 },
  { name: "256, standard deviation 1", dim: 256, queries: 1 },
  { name: "64, initialized as in T5", dim: 64, queries: 64 ** -0.5 },
]);

/** The mean of the largest weight of each query. @param {Phasor} phasor @param {{dim: number, queries: number}} head @param {number} [scale] */
function largestWeight(phasor, { dim, queries }, scale = 1) {
  const { attention } = phasor;
  const q = drawn(phasor, TOKENS, dim, { std: queries, seed: 1 });
  const k = drawn(phasor, TOKENS, dim, { seed: 2 });
  const scores = attention.scores(q, k, { scale });
  const largest = Array.from(attention.softmax(scores), ({ data }) =>
    Math.max(...Array.from(data, Number)),
  );
  return largest.reduce((sum, weight) => sum + weight, 0) / TOKENS;
}

/** @type {Claim} */
export const saturate = {
  measure: `The largest of ${TOKENS} weights, averaged over ${TOKENS} queries; above 1/2 the softmax counts as saturated`,
  cases: (phasor) =>
    HEADS.map((head) => {
      const weight = largestWeight(phasor, head);
      const how =
        head.queries === 1
          ? "queries and keys with standard deviation 1"
          : "queries initialized as in T5, with 1/√64";
      return {
        when: `${head.dim} dimensions, ${how}`,
        number: brief(weight),
        holds: weight > 0.5,
      };
    }),

  picture: (phasor) =>
    bar(
      [...HEADS.map((head) => largestWeight(phasor, head)), largestWeight(phasor, HEADS[0], 1 / 8)],
      {
        title: `The largest of ${TOKENS} attention weights, on average`,
        labels: [...HEADS.map(({ name }) => name), "64, divided by √64"],
        xTitle: "dimensions",
        yTitle: "weight",
        horizontal: true,
      },
    ),
};

/** @type {Claim} */
export const blind = {
  measure: `Distance between the outputs of “saw” in “${PAIR[0]}” and “${PAIR[1]}”`,
  async cases(phasor) {
    const { similarity } = phasor;
    const words = await glove(phasor);
    const { dim } = words.table();
    const matrix = (/** @type {number} */ rows, /** @type {number} */ seed) =>
      drawn(phasor, rows, dim, { std: 0.1, seed });
    const layer = { heads: 4, inProjection: matrix(3 * dim, 1), outProjection: matrix(dim, 2) };
    return [
      { when: "Attention without a mask", causal: false },
      { when: "Attention with a causal mask, as in GPT", causal: true },
    ].map(({ when, causal }) => {
      const [one, other] = PAIR.map((text) => {
        const ids = words.tokenize(text).map(({ id }) => Number(id));
        const { output } = phasor.attention.multiHead(words.table().lookup(ids), {
          ...layer,
          causal,
        });
        return output.row(text.split(" ").indexOf("saw"));
      });
      const apart = similarity.pair(one, other, { metric: "euclidean" });
      return {
        when,
        number: brief(apart),
        holds: apart < 1e-5,
      };
    });
  },
};
