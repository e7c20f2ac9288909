/** @import { Phasor, Tensor } from "phasor" */
import { page } from "../../app/page.js";
import { brief, count } from "../../app/numbers.js";
import { clock, heatmap, spectrum, waves } from "../../app/pictures.js";
import { remembered } from "../../app/remembered.js";

/** The maximal number of pairs drawn. */
const DRAWN = 4;

/** Rows and columns of a large matrix that are shown. */
const CORNER = 12;

const tableOf = remembered(
  /** @param {Phasor} phasor @param {number} length @param {number} dim @param {number} base @param {"interleaved" | "halves" | "flipped"} layout */
  ({ sinusoidal }, length, dim, base, layout) => sinusoidal.table(length, dim, { base, layout }),
);

/** @param {Phasor} phasor @param {import("../../app/controls.js").Values} controls */
function table(phasor, { length, dim, base, layout }) {
  return tableOf(phasor, length, dim, Number(base), layout);
}

page({
  ends: {
    position: ({ length }) => length - 1,
    pair: ({ dim }) => Math.max(0, dim / 2 - DRAWN),
  },

  pictures: {
    waves(phasor, controls) {
      const { dim, base } = controls;
      const paired = tableOf(phasor, controls.length, dim, Number(base), "interleaved");
      const first = controls.pair;
      const pairs = Array.from({ length: Math.min(DRAWN, dim / 2) }, (_, i) => first + i);
      return waves(
        columns(
          paired,
          pairs.map((pair) => 2 * pair),
        ),
        {
          title: "The sines of four pairs",
          labels: pairs.map((pair) => `pair ${pair}`),
          xTitle: "position (tokens)",
          yTitle: "sine",
          yDomain: [-1, 1],
        },
      );
    },

    table: (phasor, controls) =>
      heatmap(table(phasor, controls), {
        title: `The table, ${controls.length} × ${controls.dim}`,
        rowTitle: "position",
        columnTitle: "dimension",
        domain: [-1, 1],
      }),

    distance(phasor, controls, { guess }) {
      const vectors = table(phasor, controls);
      const { position } = controls;
      const distances = distancesFrom(phasor, vectors, position);
      return waves(
        { data: distances.data, shape: [controls.length, 1] },
        {
          title: `The distance of every vector from that of position ${position}`,
          labels: ["distance"],
          xTitle: "position (tokens)",
          yTitle: "distance",
          rules: [{ x: position, label: `t = ${position}` }, ...guessed(guess.unique, position)],
        },
      );
    },

    hands(phasor, { dim, base, shift }) {
      const from = 3;
      const before = phasor.sinusoidal.table([from], dim, { base: Number(base) });
      const after = phasor.sinusoidal.table([from + shift], dim, { base: Number(base) });
      const shown = Math.min(6, dim / 2);
      return clock(hands(after, shown), {
        title: `Position ${from} (dashed) rotated to position ${from + shift}`,
        before: hands(before, shown),
        rotation: frequencies(phasor, dim, base)
          .slice(0, shown)
          .map((theta) => shift * theta),
        labels: Array.from({ length: shown }, (_, i) => `pair ${i}`),
      });
    },

    matrix: ({ sinusoidal }, { dim, base, shift }) =>
      heatmap(corner(sinusoidal.shift(shift, dim, { base: Number(base) }), Math.min(dim, CORNER)), {
        title: `The first ${Math.min(dim, CORNER)} rows and columns of M, k = ${shift}`,
        rowTitle: "to dimension",
        columnTitle: "from dimension",
        domain: [-1, 1],
      }),

    periods: ({ rope }, { dim, base, length }) =>
      spectrum(rope.frequencies(dim, { base: Number(base) }).frequencies, {
        title: "The period of each pair",
        context: [{ length, label: `T = ${length}` }],
      }),
  },

  playground: {
    waves: (_, { length, dim, base, pair }) => ({
      scheme: "sinusoidal",
      view: "waves",
      settings: { length, dim, base, first: 2 * pair, count: DRAWN, every: 2 },
    }),
    table: (_, { length, dim, base, layout }) => ({
      scheme: "sinusoidal",
      view: "heatmap",
      settings: { length, dim, base, layout },
    }),
    distance: (_, { length, dim, base, position }) => ({
      scheme: "sinusoidal",
      view: "similarity",
      settings: { length, dim, base, from: Math.min(position, length - 1) },
    }),
    periods: (_, { length, dim, base }) => ({
      scheme: "sinusoidal",
      view: "spectrum",
      settings: { length, dim, base },
    }),
  },

  facts: {
    slowest: (phasor, { dim, base }) => brief(frequencies(phasor, dim, base).at(-1) ?? 1),
    last: (_, { length }) => String(Math.max(0, length - 11)),
    spread(phasor, controls) {
      const products = productsAt(phasor, table(phasor, controls), 10);
      return products.length > 0
        ? brief(Math.max(...products) - Math.min(...products))
        : "nothing: there are too few rows";
    },
    pairs: (_, { dim }) => count(dim / 2),
    whole: (phasor, { dim, base, length }) => count(wholePeriods(phasor, dim, base, length)),
  },

  questions: {
    first({ sinusoidal }, { dim, base, layout }) {
      const { data } = sinusoidal.table(1, dim, { base: Number(base), layout });
      const [zeros, ones] = [0, 1].map((x) => data.filter((each) => each === x).length);
      const found = `Position 0 has ${zeros} zeros and ${ones} ones: sin 0 = 0 and cos 0 = 1.`;
      const isAlternating = zeros === dim / 2 && ones === zeros;
      return {
        answer: zeros === dim ? "zeros" : isAlternating ? "alternate" : "base",
        because: {
          zeros: `All angles are 0, but a hand at angle 0 still has length 1. ${found}`,
          alternate: found,
          base: `The base sets how fast the hands rotate. At position 0 no hand has rotated yet. ${found}`,
        },
      };
    },
    unique(phasor, controls) {
      const vectors = table(phasor, controls);
      const T = controls.length;
      const [least, a, b] = nearestRows(phasor, vectors, 1, T);
      const atLeast = (/** @type {number} */ from, /** @type {number} */ to) => {
        const [apart] = nearestRows(phasor, vectors, from, to);
        return apart < Infinity ? `are at least ${brief(apart)} apart` : "do not occur";
      };
      const reasons = {
        same: `The fastest pair returns, but the slower pairs have moved on: no two of the ${T} vectors are closer than ${brief(least)}.`,
        neighbors: `One step rotates the fastest pair by a whole radian: the vectors of neighbors ${atLeast(1, 1)}.`,
        period: `After one rotation the fastest pair is back, but the others are not: vectors 2 to 7 positions apart ${atLeast(2, 7)}.`,
        far: `The fast pairs return, but the slow pairs move on: vectors more than 7 positions apart ${atLeast(8, T)}.`,
      };
      const closest = b - a === 1 ? "neighbors" : `${b - a} positions apart`;
      const found = `The closest of the ${T} vectors are ${closest}, such as those of positions ${a} and ${b}: they are ${brief(least)} apart. Each vector has length ${brief(norm(phasor, vectors))}.`;
      const answer =
        least < 0.01 ? "same" : b - a === 1 ? "neighbors" : b - a <= 7 ? "period" : "far";
      return { answer, because: { ...reasons, [answer]: found } };
    },
    similarity(phasor, { dim, base }) {
      const thetas = frequencies(phasor, dim, base);
      const cosine = (/** @type {number} */ k) =>
        thetas.reduce((sum, theta) => sum + Math.cos(k * theta), 0) / thetas.length;
      return {
        curve: Array.from({ length: 257 }, (_, i) => [i / 4, cosine(i / 4)]),
        within: 0.15,
        because: `It starts at 1 and falls quickly, because the fast pairs soon point in different directions. The slow pairs change little with k: at k = 64 the cosine is ${brief(cosine(64))}.`,
      };
    },
    shift({ sinusoidal, attention }, { dim, base, layout }) {
      const options = { base: Number(base), layout };
      const from = sinusoidal.table([3], dim, options);
      const rotated = attention.linear(from, sinusoidal.shift(5, dim, options));
      const wanted = sinusoidal.table([8], dim, options);
      const apart = Math.max(
        ...Array.from(rotated.data, (x, d) => Math.abs(Number(x) - Number(wanted.data[d]))),
      );
      const found = `The largest of ${dim} differences is ${brief(apart)}.`;
      const reasons = {
        half: `M has one block for each pair, so each pair gets its own angle. ${found}`,
        rounding: found,
        tenth: `A rotation is exact for every angle, also for those of the fast pairs. ${found}`,
      };
      return {
        answer: apart < 1e-6 ? "rounding" : apart < 0.3 ? "tenth" : "half",
        because: reasons,
      };
    },
    beyond(phasor, { dim, base, length }) {
      const whole = wholePeriods(phasor, dim, base, length);
      const found = `Within ${count(length)} positions, ${count(whole)} of ${count(dim / 2)} pairs complete a whole period.`;
      const answer = whole === 0 ? "all" : whole === dim / 2 ? "none" : "slow";
      return {
        answer,
        because: {
          fast: `A fast hand goes around within a few positions, so training shows it in every direction. ${found}`,
          slow:
            answer === "slow"
              ? `${found} The slow ones have not.`
              : `Not with these settings. ${found}`,
          all: `The position is new, but a hand that has gone all the way around shows nothing new. ${found}`,
          none:
            answer === "none"
              ? found
              : `A slow hand does not get all the way around within T positions. ${found}`,
        },
      };
    },
    "exercise-period"(phasor) {
      const thetas = frequencies(phasor, 64, 10000);
      const period = (/** @type {number} */ pair) => (2 * Math.PI) / thetas[pair];
      return {
        answer: period(8),
        within: 0.5,
        because: `Pair 8 rotates by 10,000 to the power of −16/64 = ${brief(thetas[8])} radians per position, and 2π / ${brief(thetas[8])} = ${brief(period(8))}.`,
        near: [
          {
            value: 1 / thetas[8],
            within: 0.5,
            because:
              "That is how many positions one radian takes. How many radians are in a whole period?",
          },
          {
            value: period(16),
            within: 1,
            because: "That is the period of pair 16. The exponent contains 2i, and i is 8.",
          },
          {
            value: period(4),
            within: 0.5,
            because: "That is the period of pair 4. The exponent contains 2i, not i.",
          },
        ],
      };
    },
    "exercise-norm"(phasor) {
      const length = norm(phasor, phasor.sinusoidal.table(4, 128));
      return {
        answer: length,
        within: 0.01,
        because: `Each of the 64 pairs gives sin² + cos² = 1, so the length is √64 = ${brief(length)}.`,
        near: [
          { value: length ** 2, because: "That is the square of the length." },
          {
            value: Math.sqrt(128),
            within: 0.05,
            because: "That is √128. There are 128 numbers, but how many pairs?",
          },
        ],
      };
    },
  },

  code: {
    table: (_, { length, dim, base, layout }) => `import * as Plot from "@observablehq/plot";
import { load } from "phasor";
import { figures } from "phasor/plots";

const { sinusoidal } = await load();
const { heatmap } = figures({ Plot });

const table = sinusoidal.table(${length}, ${dim}, { base: ${base}, layout: "${layout}" });
display(heatmap(table, { rowTitle: "position", columnTitle: "dimension" }));
display(table);
`,
    shift: (_, { dim, base, layout, shift }) => `import { load } from "phasor";

const { sinusoidal, attention } = await load();
const options = { base: ${base}, layout: "${layout}" };

const row = sinusoidal.table([3], ${dim}, options);
const M = sinusoidal.shift(${shift}, ${dim}, options);
const rotated = attention.linear(row, M);
const wanted = sinusoidal.table([${3 + shift}], ${dim}, options);

const apart = Array.from(rotated.data, (x, d) => Math.abs(x - wanted.data[d]));
display(\`largest difference: \${Math.max(...apart)}\`);
`,
  },

  point: {
    table: ({ row }, set) => set("position", row),
  },
});

/** Some columns of a matrix. @param {Tensor} matrix @param {number[]} which */
function columns({ data, shape }, which) {
  const [rows, width] = shape;
  const chosen = new Float32Array(rows * which.length);
  for (let r = 0; r < rows; ++r) {
    for (const [i, c] of which.entries())
      chosen[r * which.length + i] = Number(data[r * width + c]);
  }
  return { data: chosen, shape: [rows, which.length] };
}

/** The first rows and columns of a square matrix. @param {Tensor} matrix @param {number} size */
function corner({ data, shape }, size) {
  const chosen = Array.from({ length: size * size }, (_, i) => {
    const row = Math.floor(i / size);
    return Number(data[row * shape[1] + (i % size)]);
  });
  return { data: Float32Array.from(chosen), shape: [size, size] };
}

/** The first pairs of an interleaved row as (cos, sin). @param {Tensor} row @param {number} pairs */
function hands({ data }, pairs) {
  return Array.from({ length: pairs }, (_, i) => [Number(data[2 * i + 1]), Number(data[2 * i])]);
}

/**
 * The reader's guess as rules of the figure: how near the nearest vector is, or where.
 * @param {string | undefined} guess @param {number} position
 */
function guessed(guess, position) {
  if (guess === "same") return [{ y: 0.01, label: "your guess: 0.01" }];
  const steps = guess === "neighbors" ? 1 : guess === "period" ? 2 * Math.PI : undefined;
  return steps ? [{ x: position + steps, label: "your guess" }] : [];
}

/** Distances of all rows from one. @param {Phasor} phasor @param {Tensor} rows @param {number} at */
function distancesFrom({ similarity }, rows, at) {
  return similarity.matrix(rows.slice(at, at + 1), rows, { metric: "euclidean" });
}

/** @param {Phasor} phasor @param {number} dim @param {number | string} base */
function frequencies({ rope }, dim, base) {
  return Array.from(rope.frequencies(dim, { base: Number(base) }).frequencies.data, Number);
}

/**
 * How many pairs run through a whole period within a length.
 * @param {Phasor} phasor @param {number} dim @param {number | string} base @param {number} length
 */
function wholePeriods(phasor, dim, base, length) {
  const isWhole = (/** @type {number} */ theta) => (length - 1) * theta >= 2 * Math.PI;
  return frequencies(phasor, dim, base).filter(isWhole).length;
}

/** Dot products of rows that are this far apart. @param {Phasor} phasor @param {Tensor} rows @param {number} apart */
function productsAt({ similarity }, rows, apart) {
  const [T] = rows.shape;
  if (T <= apart) return [];
  const pairs = similarity.rows(rows.slice(0, T - apart), rows.slice(apart, T), { metric: "dot" });
  return Array.from(pairs.data, Number);
}

/**
 * The two nearest of the rows that are `from` to `to` positions apart: how near, and which.
 *
 * @param {Phasor} phasor @param {Tensor} rows @param {number} from @param {number} to
 * @returns {[number, number, number]}
 */
function nearestRows({ similarity }, rows, from, to) {
  const [T] = rows.shape;
  const { data } = similarity.matrix(rows, rows, { metric: "euclidean" });
  /** @type {[number, number, number]} */
  let best = [Infinity, 0, 0];
  for (let a = 0; a < T; ++a) {
    for (let b = a + from; b < Math.min(T, a + to + 1); ++b) {
      const apart = Number(data[a * T + b]);
      if (apart < best[0]) best = [apart, a, b];
    }
  }
  return best;
}

/** Length of the first row. @param {Phasor} phasor @param {Tensor} rows */
function norm({ statistics }, rows) {
  return Number(statistics.norms(rows).data[0]);
}
