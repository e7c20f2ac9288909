/** @import { Phasor, Tensor } from "phasor" */
import { set } from "../../app/controls.js";
import { byId } from "../../app/dom.js";
import { page } from "../../app/page.js";
import { brief, count } from "../../app/numbers.js";
import { bar, clock, heatmap, waves } from "../../app/pictures.js";
import { remembered } from "../../app/remembered.js";
import { dial } from "./dial.js";
import { dialOf, drawn, frequencies, pairOf, product, rotated } from "./hands.js";

/** Scores of a query at each position with a key at each position. */
const scoresOf = remembered(
  /** @param {Phasor} phasor @param {number} dim @param {number} base @param {number} seed @param {number} length */
  (phasor, dim, base, seed, length) => {
    const { query, key } = drawn(phasor, dim, seed);
    const [q, k] = [query, key].map((vector) => rotated(phasor, vector, length, { base }));
    return phasor.similarity.matrix(q, k, { metric: "dot" });
  },
);

page({
  ends: { pair: ({ dim }) => dim / 2 - 1 },

  begin({ phasor, controls, cell }) {
    /** The position when the pointer went down. */
    let from = 0;
    const show = dial(byId("dial"), (radians, begins) => {
      if (begins) from = controls.position;
      const { dim, base, pair } = controls;
      const theta = frequencies(phasor, dim, base)[pair];
      const to = Math.round(from + radians / theta);
      set("position", Math.min(64, Math.max(0, to)));
    });
    cell((now) => dialOf(phasor, now), show);
  },

  pictures: {
    parts(phasor, { apart, pair, dim, base, seed }) {
      const { query, key } = drawn(phasor, dim, seed);
      const [q, k] = [
        rotated(phasor, query, [apart], { base: Number(base) }),
        rotated(phasor, key, [0], { base: Number(base) }),
      ];
      const pairs = Array.from({ length: dim / 2 }, (_, i) => i);
      const products = pairs.map((i) =>
        phasor.similarity.pair(pairOf(q, i), pairOf(k, i), { metric: "dot" }),
      );
      return bar(products, {
        title: `The contribution of each pair to the dot product ${brief(product(phasor, q, k))}`,
        labels: pairs.map(String),
        groups: pairs.map((i) => (i === pair ? `pair ${i}, above` : "the other pairs")),
        means: { "the other pairs": "quiet", [`pair ${pair}, above`]: "position" },
        xTitle: "pair",
        yTitle: "dot product",
      });
    },

    hands(phasor, { position, dim, base, seed }) {
      const { query } = drawn(phasor, dim, seed);
      const [before, after] = [0, position].map((at) =>
        directions(rotated(phasor, query, [at], { base: Number(base) })),
      );
      return clock(after, {
        means: ["token", "position"],
        title: `The query's pairs at position ${position} (dashed: at 0)`,
        before,
        rotation: frequencies(phasor, dim, base).map((theta) => position * theta),
        labels: after.map((_, i) => `pair ${i}`),
      });
    },

    scores: (phasor, { dim, base, seed, length }) =>
      heatmap(scoresOf(phasor, dim, Number(base), seed, length), {
        title: "The dot product of the rotated query and the rotated key",
        rowTitle: "query at (position)",
        columnTitle: "key at (position)",
      }),

    "by-distance"(phasor, { dim, base, seed, far }) {
      const products = byDistance(phasor, dim, base, seed, far);
      return waves(
        { data: products, shape: [far + 1, 1] },
        {
          title: "Dot product of the query with itself, by distance",
          labels: ["dot product"],
          xTitle: "distance (positions)",
          yTitle: "dot product",
        },
      );
    },

    layouts(_, { dim }) {
      const at = Array.from({ length: dim }, (_, i) => i);
      return heatmap([at.map((i) => Math.floor(i / 2)), at.map((i) => i % (dim / 2))], {
        title: `Which of the ${dim} numbers are rotated together`,
        rowTitle: "layout",
        columnTitle: "number",
        rowLabels: ["interleaved", "halves"],
        unit: "(pair)",
        colors: "blue",
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
    far: (_, { far }) => count(far),
    "rotate-half"({ rope }) {
      const x = [1, 2, 3, 4];
      const quarter = { cos: [[0, 0]], sin: [[1, 1]] }; // by which every pair is rotated
      const { data } = rope.apply([x], quarter, { layout: "halves" });
      return `rotate_half([${x.join(", ")}]) = [${Array.from(data, brief).join(", ")}]`;
    },
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
          rotated(phasor, vector, [7]),
          rotated(phasor, phasor.rope.convert(vector, { from: "interleaved", to: "halves" }), [7], {
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
        Number(phasor.statistics.norms(rotated(phasor, query, [at])).data[0]),
      );
      const ratio = after / before;
      const found = `Its length is ${before.toFixed(6)} at position 0 and ${after.toFixed(6)} at position 1,000`;
      return {
        answer: Math.abs(ratio - 1) < 1e-5 ? "same" : ratio > 1 ? "grows" : "shrinks",
        because: {
          grows: `Adding a position would change the length. A rotation adds nothing. ${found}.`,
          same: `${found}: a rotation keeps the length of every pair, as cos² + sin² = 1.`,
          shrinks: `RoPE has no penalty for distance: it changes directions only. ${found}.`,
        },
      };
    },
    distance(phasor) {
      const { query, key } = drawn(phasor, 128, 1);
      const [near, far] = [0, 1000].map((on) =>
        product(phasor, rotated(phasor, query, [10 + on]), rotated(phasor, key, [7 + on])),
      );
      const same = Math.abs(near - far) < 1e-3;
      const found = `It is ${near.toFixed(5)} before and ${far.toFixed(5)} after`;
      return {
        answer: same ? "same" : Math.abs(near + far) < 1e-3 ? "sign" : "decays",
        because: {
          same: `${found}: in each pair, both hands have rotated by the same additional angle, so the angle between them has not changed.`,
          sign: `A hand that is rotated by half a turn changes its sign. But both hands are rotated, and two changes of sign cancel out. ${found}.`,
          decays: `Both are far from the beginning, but still 3 positions from each other. ${found}.`,
        },
      };
    },
    far(phasor, { dim, base, seed, far }) {
      const products = byDistance(phasor, dim, base, seed, far);
      const rises = products.filter((x, n) => n > 0 && x > products[n - 1]).length;
      const period = Math.abs(products[6] - products[0]) < 0.01 * products[0];
      const least = Math.min(...products);
      const found = `It starts at ${brief(products[0])}, falls to ${brief(least)} at distance ${count(products.indexOf(least))}, and rises in ${count(rises)} of ${count(far)} steps`;
      return {
        answer: period ? "returns" : rises > 0 ? "swings" : "falls",
        because: {
          falls: `A rotation comes back after each whole turn, so a pair that has fallen rises again. ${found}.`,
          swings: `${found}: each pair has its own period.`,
          returns: `Pair 0 returns after 2π = 6.3 positions, but it is one of ${count(dim / 2)} pairs. ${found}.`,
        },
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
          rotated(phasor, query, [at + 10], { layout }),
          rotated(phasor, key, [at + 7], { layout }),
        ),
      );
      const relative = Math.abs(wrong - moved) < 1e-3;
      const answer = Math.abs(wrong - right) < 1e-3 ? "same" : relative ? "relative" : "broken";
      const found = `At positions 10 and 7 the score is ${brief(right)} with the right layout and ${brief(wrong)} with the wrong one`;
      return {
        answer,
        because: {
          same: `The order decides which numbers are rotated together, and by which angle. ${found}.`,
          relative: `${found}. With both tokens 500 positions further on, the wrong layout gives ${brief(moved)} again: it still rotates pairs, only different ones.`,
          broken: `The proof holds for any pairs, as long as queries and keys use the same ones. With the wrong layout the score is ${brief(wrong)} at positions 10 and 7, and ${brief(moved)} at 510 and 507.`,
        },
      };
    },
    "exercise-angle"(phasor) {
      const thetas = frequencies(phasor, 128, 10000);
      const theta = thetas[32];
      return {
        answer: 50 * theta,
        within: 0.005,
        because: `Pair 32 rotates by 10,000 to the power of −64/128 = ${brief(theta)} radians per position, and 50 × ${brief(theta)} = ${brief(50 * theta)}.`,
        near: [
          {
            value: theta,
            within: 0.0005,
            because: "That is the rotation of one position. The token is at position 50.",
          },
          {
            value: 50 * thetas[16],
            within: 0.05,
            because: "The exponent contains 2i, not i.",
          },
          {
            value: (50 * theta * 180) / Math.PI,
            within: 0.3,
            because: "That is the angle in degrees.",
          },
        ],
      };
    },
    "exercise-partial"(phasor) {
      const { query, key } = drawn(phasor, 64, 1);
      const parts = [0, 100].map((at) => {
        const [q, k] = [
          rotated(phasor, query, [at], { dim: 16 }),
          rotated(phasor, key, [0], { dim: 16 }),
        ].map(numbers);
        const sum = (/** @type {number} */ from, /** @type {number} */ to) =>
          q.slice(from, to).reduce((total, x, i) => total + x * k[from + i], 0);
        return { first: sum(0, 16), rest: sum(16, 64) };
      });
      const [near, far] = parts;
      const [first, rest] = [near.first !== far.first, near.rest !== far.rest];
      return {
        answer: first && rest ? "all" : first ? "turned" : "rest",
        because: {
          turned: `For vectors of 64 numbers, the first quarter contributes ${brief(near.first)} at distance 0 and ${brief(far.first)} at distance 100. The rest contributes ${brief(near.rest)} at both, because it is not rotated.`,
          all: "A dot product is a sum over the dimensions. Which terms of the sum depend on the position?",
          rest: "What is not rotated is the same at every position.",
        },
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
  const rotate = (x, at) => rope.apply([x.data], rope.table([at], 16), { layout });
  return attention.scores(rotate(query, m), rotate(key, n)).data[0];
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

/**
 * The dot products of a query and the same vector as a key, by their distance.
 * @param {Phasor} phasor @param {number} dim @param {number | string} base @param {number} seed @param {number} far
 */
function byDistance(phasor, dim, base, seed, far) {
  const { query } = drawn(phasor, dim, seed);
  const rows = rotated(phasor, query, far + 1, { base: Number(base) });
  return numbers(phasor.similarity.matrix(rows.slice(0, 1), rows, { metric: "dot" }));
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

/** Elements of a square matrix whose row is so much greater than their column. @param {ArrayLike<number | bigint>} data @param {number} size @param {number} apart */
function diagonal(data, size, apart) {
  const first = Math.max(0, apart);
  return Array.from({ length: size - Math.abs(apart) }, (_, i) =>
    Number(data[(first + i) * size + (first + i - apart)]),
  );
}
