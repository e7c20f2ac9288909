/** @import { Phasor, Tensor } from "phasor" */
import { page } from "../../app/page.js";
import { arrows } from "../../app/arrows.js";
import { byId, make } from "../../app/dom.js";
import { apart, brief } from "../../app/numbers.js";
import { bar, heatmap, waves } from "../../app/pictures.js";
import { remembered } from "../../app/remembered.js";
import "./attention.css";

const WORDS = ["dog", "bites", "man"];

/** The vectors of the first two words; the reader sets that of the third. */
const FIRST = [
  [2, 1],
  [-1, 2],
];

/** The matrices of queries, keys and values. */
const MATRICES = {
  query: [
    [0, 1],
    [0.5, 0],
  ],
  key: [
    [1, 0],
    [0, 1],
  ],
  value: [
    [0.5, 0.5],
    [-0.5, 0.5],
  ],
};

/** The plane of the arrows. */
const EXTENT = 3;
const STEP = 0.5;

/** The widths of the random vectors, as powers of two, and how many queries and keys there are. */
const POWERS = Array.from({ length: 9 }, (_, power) => power);
const QUERIES = 200; // 500 would take a slider 100 ms a step
const KEYS = 8;

/** Queries, keys, values, scores, weights and outputs of the three words. */
const attended = remembered(
  /** @param {Phasor} phasor @param {number} man1 @param {number} man2 @param {boolean} scaled */
  ({ attention }, man1, man2, scaled) => {
    const vectors = [...FIRST, [man1, man2]];
    const [q, k, v] = [MATRICES.query, MATRICES.key, MATRICES.value].map((matrix) =>
      attention.linear(vectors, matrix),
    );
    const scores = attention.scores(q, k, { scale: 1 });
    const scale = scaled ? 1 / Math.sqrt(2) : 1;
    const { output, weights } = attention.scaledDotProduct({ q, k, v }, { scale });
    return { vectors, q, k, v, scores, scale, output, weights };
  },
);

/** @typedef {import("../../app/controls.js").Values} Values */

/** @param {Phasor} phasor @param {Values} controls */
function asSet(phasor, { man1, man2, scaled }) {
  return attended(phasor, man1, man2, scaled);
}

/** The mean of the largest weight over random queries, for each width: undivided and divided. */
const largest = remembered(
  /** @param {Phasor} phasor @param {number} seed */
  ({ attention, embedding }, seed) =>
    POWERS.map((power) => {
      const D = 2 ** power;
      const random = (/** @type {number} */ rows, /** @type {number} */ from) =>
        embedding.create(rows, D, { std: 1, seed: from, storage: "on-demand" }).weights();
      const q = random(QUERIES, 2 * seed);
      const k = random(QUERIES * KEYS, 2 * seed + 1);
      const own = {
        q: { data: q.data, shape: [QUERIES, 1, D] },
        k: { data: k.data, shape: [QUERIES, KEYS, D] },
      };
      return [1, 1 / Math.sqrt(D)].map((scale) => {
        const weights = attention.softmax(attention.scores(own.q, own.k, { scale })).data;
        const most = Array.from({ length: QUERIES }, (_, i) =>
          Math.max(...Array.from(weights.subarray(i * KEYS, (i + 1) * KEYS), Number)),
        );
        return most.reduce((sum, each) => sum + each) / QUERIES;
      });
    }),
);

page({
  subject: "mix",

  begin({ phasor, cell }) {
    const showScores = arrows(byId("directions"), { extent: EXTENT, step: STEP });
    cell(
      (controls) => ({ ...asSet(phasor, controls), who: Number(controls.who) }),
      ({ q, k, who }) =>
        showScores({
          arrows: [
            ...WORDS.map((word, j) => ({
              ...arrow(`k ${word}`, numbersOf(k, j)),
              ...(j === 2 && { controls: /** @type {const} */ (["man1", "man2"]) }),
            })),
            arrow(`q ${WORDS[who]}`, numbersOf(q, who), "query"),
          ],
          label: `The query of ${WORDS[who]} and the three keys as arrows`,
        }),
    );
    const showMixture = arrows(byId("mixture"), { extent: EXTENT, step: STEP });
    cell(
      (controls) => ({ ...asSet(phasor, controls), who: Number(controls.who) }),
      ({ v, weights, output, who }) => {
        const values = WORDS.map((_, j) => numbersOf(v, j));
        showMixture({
          arrows: [
            ...WORDS.map((word, j) => arrow(`v ${word}`, values[j])),
            ...stepsOf(values, numbersOf(weights, who)),
            arrow("o", numbersOf(output, who), "context"),
          ],
          area: values,
          label: `The output of ${WORDS[who]} in the triangle of the three values`,
        });
      },
    );
  },

  pictures: {
    weights(phasor, controls) {
      const who = Number(controls.who);
      return bar(asSet(phasor, controls).weights.row(who), {
        title: `The weights of the query of “${WORDS[who]}”`,
        labels: WORDS,
        xTitle: "key of",
        yTitle: "weight",
        rule: { value: 1 / 3, label: "equal weights" },
      });
    },

    outputs: (phasor, controls) =>
      heatmap(asSet(phasor, controls).output, {
        title: "The outputs of the three words",
        rowTitle: "output of",
        columnTitle: "number",
        rowLabels: WORDS,
        columnLabels: ["1", "2"],
        numbers: true,
      }),

    widths: (phasor, { seed }, { guess }) =>
      waves(withGuess(largest(phasor, seed), guess.scale), {
        title: `The largest of ${KEYS} weights, averaged over ${QUERIES} queries`,
        labels: ["not divided", "divided by √D", ...(guess.scale ? ["your drawing"] : [])],
        xTitle: "width D: 2 to the power of",
        yTitle: "largest weight",
        yDomain: [0, 1],
        points: true,
        rules: [{ y: 1 / KEYS, label: "equal weights" }],
      }),
  },

  facts: {
    vectors(phasor, controls) {
      const { vectors, q, k, v } = asSet(phasor, controls);
      const point = (/** @type {Iterable<number | bigint>} */ numbers) =>
        `(${Array.from(numbers, (x) => brief(Number(x))).join(", ")})`;
      return table(
        "The vectors of the three words",
        ["", "vector x", "query q", "key k", "value v"],
        WORDS.map((word, i) => [
          word,
          point(vectors[i]),
          ...[q, k, v].map((each) => point(each.row(i).data)),
        ]),
      );
    },
    matrices: () =>
      table(
        "The matrices that compute them",
        ["", "column 1", "column 2"],
        Object.entries({ W_Q: MATRICES.query, W_K: MATRICES.key, W_V: MATRICES.value }).flatMap(
          ([name, rows]) =>
            rows.map((row, i) => [`${name}, row ${i + 1}`, ...row.map((x) => brief(x))]),
        ),
      ),
    products(phasor, controls, { guess }) {
      const { scores } = asSet(phasor, controls);
      return table(
        "The nine scores, before the division",
        ["query of", ...WORDS.map((word) => `key of ${word}`)],
        WORDS.map((word, i) => [
          word,
          ...WORDS.map((_, j) => {
            const said = brief(scores.at(i, j));
            return i === 1 && guess.most === String(j) ? `${said} (your guess)` : said;
          }),
        ]),
      );
    },
    steps(phasor, controls) {
      const { scores, scale, weights } = asSet(phasor, controls);
      const who = Number(controls.who);
      const powers = WORDS.map((_, j) => Math.exp(scores.at(who, j) * scale));
      const sum = powers.reduce((all, each) => all + each);
      return table(
        `From scores to weights: the query of “${WORDS[who]}”`,
        [
          "key of",
          "score s",
          controls.scaled ? "s / √D" : "s, not divided",
          "e to that power",
          "weight",
        ],
        [
          ...WORDS.map((word, j) => [
            word,
            ...[scores.at(who, j), scores.at(who, j) * scale, powers[j], weights.at(who, j)].map(
              brief,
            ),
          ]),
          ["sum", "", "", brief(sum), brief(weights.row(who).data.reduce((all, w) => all + w, 0))],
        ],
      );
    },
    sum(phasor, controls) {
      const { weights } = asSet(phasor, controls);
      const who = Number(controls.who);
      const terms = WORDS.map((word, j) => `${brief(weights.at(who, j))} v ${word}`);
      return `The output of “${WORDS[who]}” is o = ${terms.join(" + ")}.`;
    },
  },

  questions: {
    most(phasor, controls) {
      const { scores } = asSet(phasor, controls);
      const own = [0, 1, 2].map((j) => scores.at(1, j));
      const best = own.indexOf(Math.max(...own));
      const found = (/** @type {number} */ j) => `The dot product is ${brief(own[j])}`;
      return {
        answer: String(best),
        because: {
          0:
            best === 0
              ? `${found(0)}, the largest of the three: the arrow is long and close to the direction of the query.`
              : `${found(0)}, but that of “${WORDS[best]}” is ${brief(own[best])}: both the angle and the length count.`,
          1: `${found(1)}. A word need not match itself best: its query and its key are different vectors.`,
          2:
            best === 2
              ? `${found(2)}, the largest of the three.`
              : `${found(2)}. It makes no difference that “man” follows “bites”: a dot product does not depend on positions.`,
        },
      };
    },
    equal({ attention }) {
      const [weight] = attention.softmax([5, 5, 5]).data;
      const sum = `Each weight is e⁵ / (e⁵ + e⁵ + e⁵) = ${brief(weight)}.`;
      return {
        answer: weight > 0.9 ? "ones" : weight < 0.1 ? "zero" : "thirds",
        because: {
          zero: `Weights always add up to 1. ${sum}`,
          ones: `A score alone says nothing; only differences between scores count. ${sum}`,
          thirds: `${sum} Three scores of 0 would give the same weights.`,
        },
      };
    },
    inside(phasor, controls) {
      const { weights } = asSet(phasor, controls);
      const all = Array.from(weights.data, Number);
      const sums = WORDS.map((_, i) => [...weights.row(i).data].reduce((sum, w) => sum + w, 0));
      const isMean = all.every((w) => w >= 0) && sums.every((sum) => Math.abs(sum - 1) < 1e-6);
      const range = `The nine weights range from ${apart([Math.min(...all), Math.max(...all)]).join(" to ")} and add up to 1 for each query.`;
      return {
        answer: isMean ? "never" : "longer",
        because: {
          longer: `The sum is a weighted mean, because the weights add up to 1. It cannot be longer than the longest value. ${range}`,
          scores: `A large score brings a weight close to 1, but never above it. The output then comes close to a corner. ${range}`,
          never: `${range} So the output is a weighted mean of the values, and it lies inside the triangle.`,
        },
      };
    },
    scale(phasor, { seed }) {
      const means = largest(phasor, seed);
      const [plain, divided] = means[8];
      return {
        curve: means.map(([each], power) => [power, each]),
        within: 0.12,
        because: `The spread of the scores grows like √D, so one key takes nearly all the weight: ${brief(plain)} at D = 256. With scores divided by √D, the largest weight is ${brief(divided)}.`,
      };
    },
    "exercise-score"({ attention }) {
      const q = [[2, 1]];
      const k = [[1, 3]];
      const plain = attention.scores(q, k, { scale: 1 }).data[0];
      const answer = attention.scores(q, k).data[0];
      return {
        answer,
        within: 0.006,
        because: `2 × 1 + 1 × 3 = ${brief(plain)}, and ${brief(plain)} / √2 = ${brief(answer)}.`,
        near: [
          { value: plain, within: 0.001, because: "That is the dot product, not divided yet." },
          { value: plain / 2, within: 0.001, because: "You divided by D, not by its square root." },
        ],
      };
    },
    "exercise-weight"({ attention }) {
      const [other, answer] = attention.softmax([0, Math.log(3)]).data;
      return {
        answer,
        within: 0.002,
        because: `e⁰ = 1 and e to the power of 1.0986 = 3, so the weight is 3 / (1 + 3) = ${brief(answer)}.`,
        near: [
          { value: other, within: 0.002, because: "That is the weight of the first." },
          {
            value: 3,
            within: 0.01,
            because: "That is e to the power of the score. Weights add up to 1: divide by the sum.",
          },
          {
            value: 1,
            within: 0.1,
            because:
              "You divided the scores themselves by their sum. Raise e to each of them first.",
          },
        ],
      };
    },
  },

  code: {
    attention: (_, { man1, man2, scaled }) => `import { load } from "phasor";

const { attention } = await load();

const x = [[2, 1], [-1, 2], [${man1}, ${man2}]]; // dog, bites, man
const q = attention.linear(x, [[0, 1], [0.5, 0]]);
const k = attention.linear(x, [[1, 0], [0, 1]]);
const v = attention.linear(x, [[0.5, 0.5], [-0.5, 0.5]]);

const { weights, output } = attention.scaledDotProduct({ q, k, v }, { scale: ${scaled ? "1 / Math.sqrt(2)" : "1"} });
display(weights);
display(output);
`,
  },
});

/** A row of a matrix. @param {Tensor} matrix @param {number} row */
function numbersOf(matrix, row) {
  return Array.from(matrix.row(row).data, Number);
}

/**
 * Columns of lines, with what the reader drew as a further one.
 * @param {number[][]} rows @param {(readonly [number, number])[] | undefined} drawn
 */
function withGuess(rows, drawn) {
  return drawn ? rows.map((row, i) => [...row, drawn[i]?.[1] ?? NaN]) : rows;
}

/** @param {string} title @param {string[]} head @param {string[][]} rows */
function table(title, head, rows) {
  const line = (/** @type {string[]} */ [first, ...rest]) =>
    make(
      "tr",
      {},
      make("th", { scope: "row" }, first),
      ...rest.map((each) => make("td", {}, each)),
    );
  const cell = (/** @type {string} */ each) =>
    each ? make("th", { scope: "col" }, each) : make("td");
  return make(
    "div",
    { class: "by-hand", tabindex: 0, role: "group", "aria-label": title },
    make(
      "table",
      {},
      make("caption", {}, title),
      make("thead", {}, make("tr", {}, ...head.map(cell))),
      make("tbody", {}, ...rows.map(line)),
    ),
  );
}

/** @param {string} name @param {readonly number[]} to @param {import("../../app/arrows.js").Arrow["kind"]} [kind] */
function arrow(name, [x, y], kind = "token") {
  return { name, x, y, kind };
}

/** Weighted values, each beginning where the one before ends. @param {number[][]} values @param {number[]} weights */
function stepsOf(values, weights) {
  let from = [0, 0];
  return values.map((value, j) => {
    const to = from.map((x, d) => x + weights[j] * value[d]);
    const step = { ...arrow("", to, "step"), from };
    from = to;
    return step;
  });
}
