// Claims about word vectors.

/** @import { Phasor, Tensor } from "phasor" */
/** @import { Claim } from "./claims.js" */
import { largest, total } from "../numbers.js";
import { brief, count } from "../../app/numbers.js";
import { drawn } from "../../app/samples.js";
import { loadWords } from "../../app/text/words.js";

/** @type {ReturnType<typeof loadWords> | undefined} */
let loading;

/** GloVe, loaded once; again after a failure. @param {Phasor} phasor */
export function glove(phasor) {
  loading ??= loadWords(phasor).catch((error) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

/** Two sentences of the same words. */
export const PAIR = ["the dog saw the man", "the man saw the dog"];

/** The most that sums of equal vectors differ by, relative to their length: rounding. */
const ROUNDING = 1e-5;

/** @type {Claim} */
export const sum = {
  measure: `Distance between the sums of “${PAIR[0]}” and “${PAIR[1]}”`,
  async cases(phasor) {
    const { sinusoidal, similarity } = phasor;
    const words = await glove(phasor);
    const table = words.table();
    const T = PAIR[0].split(" ").length;
    const schemes = [
      { when: "Without positions", positions: undefined },
      { when: "Sinusoids added to each vector", positions: sinusoidal.table(T, table.dim) },
      { when: "Learned positions added, before training", positions: drawn(phasor, T, table.dim) },
    ];
    return schemes.map(({ when, positions }) => {
      const [one, other] = PAIR.map((text) => {
        const ids = words.tokenize(text).map(({ id }) => Number(id));
        return total(table.lookup(ids, { add: positions }));
      });
      const apart = similarity.pair(one, other, { metric: "euclidean" });
      const length = Math.hypot(...one);
      return {
        when: `${when}: sums of length ${brief(length)}`,
        number: brief(apart),
        holds: apart > ROUNDING * length,
      };
    });
  },
};

/** How nearness is measured, and how many words are named. */
const METRICS = Object.freeze({
  cosine: "by cosine",
  euclidean: "by distance",
  dot: "by dot product",
});
const NAMED = 3;

/** @type {Claim} */
export const queen = {
  measure: `The ${NAMED} nearest words, nearest first`,
  async cases(phasor) {
    const words = await glove(phasor);
    const weights = words.table().weights();
    const [king, man, woman] = ["king", "man", "woman"].map((word) =>
      Array.from(weights.row(words.words.indexOf(word)).data, Number),
    );
    const wanted = king.map((x, i) => x - man[i] + woman[i]);
    return Object.entries(METRICS).map(([metric, how]) => {
      const { ids } = phasor.nearest(weights, [wanted], {
        k: NAMED,
        metric: /** @type {keyof typeof METRICS} */ (metric),
      });
      const names = Array.from(ids.data, (id) => words.words[Number(id)]);
      return {
        when: `Among all ${count(words.size)}, ${how}`,
        number: names.join(", "),
        holds: names[0] === "queen",
      };
    });
  },
};

/** The width of fresh tables. */
const WIDTH = 512;

/** @type {Claim} */
export const drown = {
  measure:
    "Mean length of a word’s vector and of a position’s; positions drown words if they are twice as long",
  async cases(phasor) {
    const fresh = (/** @type {number} */ std) => drawn(phasor, 500, WIDTH, { std });
    const words = await glove(phasor);
    return [
      { when: "initialized with standard deviation 1/√512", rows: fresh(WIDTH ** -0.5) },
      { when: "initialized with standard deviation 1, as by nn.Embedding", rows: fresh(1) },
      { when: "trained: GloVe", rows: words.table().weights() },
    ].map(({ when, rows }) => {
      const width = rows.shape[1];
      const word = meanLength(phasor, rows);
      const position = meanLength(phasor, phasor.sinusoidal.table(64, width));
      return {
        when: `${count(width)} numbers, ${when}`,
        number: `${brief(word)} and ${brief(position)}`,
        holds: position > 2 * word,
      };
    });
  },
};

/** @param {Phasor} phasor @param {Tensor} rows */
function meanLength({ statistics }, rows) {
  const lengths = statistics.norms(rows).data;
  return lengths.reduce((total, x) => total + Number(x), 0) / lengths.length;
}

/** @type {Claim} */
export const onehot = {
  measure: "Largest difference between the lookup and the product",
  cases({ attention, embedding, normalize }) {
    const [V, D] = [1000, 64];
    const ids = [7, 421, 7, 999, 0];
    const table = embedding.create(V, D, { std: 1, seed: 1 });
    const rows = table.lookup(ids);
    const upstream = normalize.layerNorm(rows); // any gradient of the rows
    const pairs = [
      { when: "The vectors of five tokens", both: [rows, table.oneHot(ids)] },
      {
        when: `The gradient of all ${count(V)} vectors`,
        both: [
          table.gradient(ids, upstream),
          attention.linear(embedding.oneHot(ids, V).transpose(0, 1), upstream.transpose(0, 1)),
        ],
      },
    ];
    table.dispose();
    return pairs.map(({ when, both: [one, other] }) => {
      const apart = largest(one, other);
      return { when, number: brief(apart), holds: apart < ROUNDING };
    });
  },
};
