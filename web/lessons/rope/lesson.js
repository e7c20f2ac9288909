/** @import { Phasor, Tensor } from "phasor" */
import { page } from "../../app/page.js";
import { brief } from "../../app/numbers.js";
import { clock, heatmap, waves } from "../../app/pictures.js";
import { remembered } from "../../app/remembered.js";

/** A query and a key, drawn from N(0, 1). */
const drawn = remembered(
  /** @param {Phasor} phasor @param {number} dim @param {number} seed */
  ({ embedding }, dim, seed) => {
    const table = embedding.create(2, dim, { std: 1, seed });
    const [query, key] = table.lookup([0, 1]);
    table.dispose();
    return { query, key };
  },
);

/**
 * One vector, rotated at each of some positions.
 * @param {Phasor} phasor @param {Tensor} vector [D] @param {number | number[]} positions
 * @param {{base?: number, layout?: "interleaved" | "halves", dim?: number}} [options]  `dim`: so many
 *   numbers are turned, from the first
 */
function turned({ rope }, vector, positions, { base = 10000, layout = "interleaved", dim } = {}) {
  const table = rope.table(positions, dim ?? vector.shape[0], { base });
  const [T] = table.cos.shape;
  const rows = Array.from({ length: T }, () => vector.data);
  return rope.apply(rows, table, { layout });
}

/** Scores of a query at each position with a key at each position. */
const scoresOf = remembered(
  /** @param {Phasor} phasor @param {number} dim @param {number} base @param {number} seed @param {number} length */
  (phasor, dim, base, seed, length) => {
    const { query, key } = drawn(phasor, dim, seed);
    const [q, k] = [query, key].map((vector) => turned(phasor, vector, length, { base }));
    return phasor.similarity.matrix(q, k, { metric: "dot" });
  },
);

page({
  pictures: {
    hands(phasor, { position, dim, base, seed }) {
      const { query } = drawn(phasor, dim, seed);
      const [before, after] = [0, position].map((at) =>
        directions(turned(phasor, query, [at], { base: Number(base) })),
      );
      return clock(after, {
        title: `The query's pairs at position ${position} (dashed: at 0)`,
        before,
        rotation: phasor.rope
          .frequencies(dim, { base: Number(base) })
          .frequencies.data.map((theta) => position * theta),
        labels: after.map((_, i) => `pair ${i}`),
      });
    },

    scores: (phasor, { dim, base, seed, length }) =>
      heatmap(scoresOf(phasor, dim, Number(base), seed, length), {
        title: "The product of the turned query and the turned key",
        rowTitle: "query at (position)",
        columnTitle: "key at (position)",
      }),

    "by-distance"(phasor, { dim, base, seed, far }) {
      const { query } = drawn(phasor, dim, seed);
      const rows = turned(phasor, query, far + 1, { base: Number(base) });
      const products = phasor.similarity.matrix(rows.slice(0, 1), rows, { metric: "dot" });
      return waves(products.reshape(far + 1, 1), {
        title: "The query with itself, by distance",
        labels: ["product"],
        xTitle: "distance (tokens)",
        yTitle: "product",
      });
    },

    layouts(_, { dim }) {
      const at = Array.from({ length: dim }, (_, i) => i);
      return heatmap([at.map((i) => Math.floor(i / 2)), at.map((i) => i % (dim / 2))], {
        title: `Which of ${dim} numbers are turned together`,
        rowTitle: "layout",
        columnTitle: "number",
        rowLabels: ["interleaved", "halves"],
        unit: "(pair)",
        colors: "sequential",
      });
    },
  },

  playground: {
    hands: (_, { position, dim, base }) => ({
      scheme: "rope",
      view: "clock",
      settings: { dim, base, position, hands: dim / 2 },
    }),
  },

  facts: {
    along(phasor, { dim, base, seed, length }) {
      const { data } = scoresOf(phasor, dim, Number(base), seed, length);
      let widest = 0;
      for (let apart = 1 - length; apart < length; ++apart) {
        const line = diagonal(data, length, apart);
        widest = Math.max(widest, Math.max(...line) - Math.min(...line));
      }
      return brief(widest);
    },
    least: (phasor, { dim, base, seed, length }) =>
      brief(Math.min(...numbers(scoresOf(phasor, dim, Number(base), seed, length)))),
    most: (phasor, { dim, base, seed, length }) =>
      brief(Math.max(...numbers(scoresOf(phasor, dim, Number(base), seed, length)))),
    converted(phasor) {
      const { query, key } = drawn(phasor, 16, 1);
      const [before, after] = [query, key]
        .map((vector) => [
          turned(phasor, vector, [7]),
          turned(phasor, phasor.rope.convert(vector, { from: "interleaved", to: "halves" }), [7], {
            layout: "halves",
          }),
        ])
        .reduce(
          ([a, b], [x, y]) => [
            [...a, x],
            [...b, y],
          ],
          /** @type {Tensor[][]} */ ([[], []]),
        );
      const scores = [before, after].map(([q, k]) => product(phasor, q, k));
      return brief(Math.abs(scores[0] - scores[1]));
    },
  },

  questions: {
    norm(phasor) {
      const { query } = drawn(phasor, 128, 1);
      const [before, after] = [0, 1000].map((at) =>
        Number(phasor.statistics.norms(turned(phasor, query, [at])).data[0]),
      );
      const ratio = after / before;
      return {
        answer: Math.abs(ratio - 1) < 1e-5 ? "same" : ratio > 1 ? "grows" : "shrinks",
        because: `At position 0 it is ${before.toFixed(6)} long, at 1,000 it is ${after.toFixed(6)}: a turn keeps every length.`,
      };
    },
    distance(phasor) {
      const { query, key } = drawn(phasor, 128, 1);
      const [near, far] = [0, 1000].map((on) =>
        product(phasor, turned(phasor, query, [10 + on]), turned(phasor, key, [7 + on])),
      );
      const same = Math.abs(near - far) < 1e-3;
      return {
        answer: same ? "same" : Math.abs(near + far) < 1e-3 ? "sign" : "decays",
        because: `It is ${near.toFixed(5)} before and ${far.toFixed(5)} after: both hands of each pair have turned alike.`,
      };
    },
    "wrong-layout"(phasor) {
      const { query, key } = drawn(phasor, 16, 1);
      const [right, wrong, moved] = [
        { at: 0, layout: /** @type {const} */ ("interleaved") },
        { at: 0, layout: /** @type {const} */ ("halves") },
        { at: 500, layout: /** @type {const} */ ("halves") },
      ].map(({ at, layout }) =>
        product(
          phasor,
          turned(phasor, query, [at + 10], { layout }),
          turned(phasor, key, [at + 7], { layout }),
        ),
      );
      const relative = Math.abs(wrong - moved) < 1e-3;
      const answer = Math.abs(wrong - right) < 1e-3 ? "same" : relative ? "relative" : "broken";
      return {
        answer,
        because: `At positions 10 and 7 the score is ${brief(right)} by the right layout and ${brief(wrong)} by the wrong one; 500 positions on the wrong one gives ${brief(moved)} again.`,
      };
    },
    "exercise-angle"({ rope }) {
      const theta = Number(rope.frequencies(128).frequencies.data[32]);
      return {
        answer: 50 * theta,
        within: 0.005,
        because: `Pair 32 turns by 10,000 to the power of −64/128 = ${brief(theta)} radians a token, and 50 × ${brief(theta)} = ${brief(50 * theta)}.`,
      };
    },
    "exercise-partial"(phasor) {
      const { query, key } = drawn(phasor, 64, 1);
      const parts = [0, 100].map((at) => {
        const [q, k] = [
          turned(phasor, query, [at], { dim: 16 }),
          turned(phasor, key, [0], { dim: 16 }),
        ].map(numbers);
        const sum = (/** @type {number} */ from, /** @type {number} */ to) =>
          q.slice(from, to).reduce((total, x, i) => total + x * k[from + i], 0);
        return { first: sum(0, 16), rest: sum(16, 64) };
      });
      const [near, far] = parts;
      const [first, rest] = [near.first !== far.first, near.rest !== far.rest];
      return {
        answer: first && rest ? "all" : first ? "turned" : "rest",
        because: `For 64 numbers the first quarter gives ${brief(near.first)} at distance 0 and ${brief(far.first)} at 100, the rest ${brief(near.rest)} at both: it is not turned.`,
      };
    },
  },

  code: {
    hands: (_, { position, dim, base, seed }) => `import { load } from "phasor";
import { figures } from "phasor/plots";

const { embedding, rope } = await load();
const { clock } = figures();

// A query of ${dim} numbers, at position 0 and at ${position}.
const query = embedding.create(1, ${dim}, { std: 1, seed: ${seed} }).lookup([0, 0]);
const table = rope.table([0, ${position}], ${dim}, { base: ${base} });
const [before, after] = rope.apply(query, table, { layout: "interleaved" });

// A hand points along its pair, whatever the pair's length.
const hands = ({ data }) =>
  Array.from({ length: ${dim / 2} }, (_, i) => {
    const [x, y] = data.subarray(2 * i, 2 * i + 2);
    return [x / Math.hypot(x, y), y / Math.hypot(x, y)];
  });
// By how much each pair has been rotated, whole turns too.
const { frequencies } = rope.frequencies(${dim}, { base: ${base} });
const rotation = frequencies.data.map((theta) => ${position} * theta);
display(clock(hands(after), { before: hands(before), rotation }));
`,
    layouts: (_, { seed }) => `import { load } from "phasor";

const { attention, embedding, rope } = await load();
const [query, key] = embedding.create(2, 16, { std: 1, seed: ${seed} }).lookup([0, 1]);

// The score of the query at position m and the key at position n.
const score = (m, n, layout) => {
  const turn = (x, at) => rope.apply([x.data], rope.table([at], 16), { layout });
  return attention.scores(turn(query, m), turn(key, n)).data[0];
};

for (const layout of ["interleaved", "halves"]) {
  display(layout + ": " + [score(10, 7, layout), score(510, 507, layout)].join(", "));
}
`,
  },

  point: {
    scores: ({ row }, set) => set("position", row),
  },
});

/** @param {Tensor} tensor @returns {number[]} */
function numbers({ data }) {
  return Array.from(data, Number);
}

/** The directions of the pairs of one interleaved row, as (cos, sin). @param {Tensor} row */
function directions(row) {
  const x = numbers(row);
  return Array.from({ length: x.length / 2 }, (_, i) => {
    const [a, b] = [x[2 * i], x[2 * i + 1]];
    const size = Math.sqrt(a * a + b * b);
    return [a / size, b / size];
  });
}

/** @param {Phasor} phasor @param {Tensor} q  [1, D] @param {Tensor} k  [1, D] */
function product({ similarity }, q, k) {
  return Number(similarity.rows(q, k, { metric: "dot" }).data[0]);
}

/** Elements of a square matrix whose row is so much greater than their column. @param {ArrayLike<number | bigint>} data @param {number} size @param {number} apart */
function diagonal(data, size, apart) {
  const first = Math.max(0, apart);
  return Array.from({ length: size - Math.abs(apart) }, (_, i) =>
    Number(data[(first + i) * size + (first + i - apart)]),
  );
}
