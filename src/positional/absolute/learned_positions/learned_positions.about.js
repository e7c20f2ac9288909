/** @import { About, Compared, Controls, Cost, OfModel, Pictures, Samples, Settings } from "../../about.js" */

/** @type {About} */
export const about = {
  group: "table",
  title: "Learned positions",
  words:
    "Each position has a trained vector, and there are none beyond the last row of the table. The vectors here are random.",
  source: { paper: "Devlin et al. 2018", url: "https://arxiv.org/abs/1810.04805" },
  lesson: "learned",
};

/** @type {Cost} */
export const cost = ({ length: T, dim: D }) => [T * D, 0, D];

/** @type {Compared} */
export const compared = {
  title: "Learned table",
  on: "input",
  kind: "absolute",
  length: "trained",
  beyond: (_, { trained, length }, { counted }) => ({
    isNew: length > trained,
    words: `${counted(length - trained, "position")} without a row: an error`,
  }),
};

/** @type {Samples} */
export const samples = {
  lookup: async (learnedPositions, { numbers, phasor }) => [
    await learnedPositions.lookup(numbers(39, 22), 37),
    await learnedPositions.lookup(await phasor.embedding.from(numbers(53, 22)), 37, { offset: 2 }),
  ],
  interpolate: (learnedPositions, { numbers }) =>
    learnedPositions.interpolate(numbers(39, 22), 61, { method: "cubic" }),
  interpolateGrid: (learnedPositions, { numbers }) =>
    learnedPositions.interpolateGrid(numbers(36, 22), [6, 9], { grid: [5, 7], prefix: 1 }),
};

/** @type {OfModel} */
export const ofModel = ({ preset, dim, length, rows }) => ({
  length,
  dim,
  rows,
  rule: ["roberta", "opt"].includes(preset) ? "roberta" : "plain",
  std: preset === "gpt2" ? 0.01 : 0.02,
});

/** @type {Controls} */
export const controls = {
  length: { label: "Positions", initial: 64, min: 1, max: 2048 },
  dim: { label: "Width D", initial: 64, min: 1, max: 2048 },
  rows: { label: "Rows of the table", initial: 1024, min: 1, max: 16384 },
  rule: {
    label: "Index rule",
    words: {
      plain: "row = position (GPT-2, BERT, ViT)",
      roberta: "row = position + 2 (RoBERTa, OPT)",
      clamp: "the last row for all beyond (Marian)",
    },
  },
  past: { label: "Tokens in the cache", option: "lookup.past", max: 8191 },
};

/** Rows that are kept back for padding. @param {Settings} settings */
const offsetOf = ({ rule }) => (rule === "roberta" ? 2 : 0);

/** The row of the table that a position gets. @param {Settings} settings @param {number} t */
const rowOf = (settings, t) => {
  const { rule, rows, past } = settings;
  const row = offsetOf(settings) + past + t;
  return rule === "clamp" ? Math.min(row, rows - 1) : row;
};

/** @type {Pictures} */
export const pictures = {
  table: {
    weights: ({ rows, dim }) => [rows, dim],
    std: 0.02,

    lines: (settings, { call, name }) => {
      const { length, dim, rows, rule, past, std, seed, generator } = settings;
      const beyond = rule === "clamp" ? { beyond: rule } : { offset: offsetOf(settings) };
      return {
        weights: call("embedding.create", rows, dim, { std, seed, generator }), // drawn, not trained
        table: call("lookup", name("weights"), length, { past, rows, ...beyond }),
      };
    },

    cell(settings, t, d) {
      const { rule, rows, past } = settings;
      const row = rowOf(settings, t);
      const sum = [t, past, offsetOf(settings)].filter((n, i) => i === 0 || n > 0);
      const text = sum.join(" + ");
      const added = sum.length > 1 ? `${text} = ${row}` : text;
      const shown = rule === "clamp" ? `min(${text}, ${rows} - 1) = ${row}` : added;
      return `row ${shown}; weights[${row}, ${d}]`;
    },

    torch(settings, weights) {
      const { length, past, rule, rows } = settings;
      const offset = offsetOf(settings);
      const positions = `torch.arange(${length})${past > 0 ? ` + ${past}` : ""}`;
      const index =
        rule === "clamp"
          ? `(${positions}).clamp(max=${rows - 1})`
          : `${positions}${offset > 0 ? ` + ${offset}` : ""}`;
      return [
        "import torch",
        "",
        ...weights,
        `table = torch.nn.functional.embedding(${index}, weights)`,
      ];
    },
  },
};
