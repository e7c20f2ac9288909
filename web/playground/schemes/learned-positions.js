/** @import { Values } from "../settings.js" */
import { call, changed, line, name } from "../program.js";
import { choice, whole } from "../settings.js";
import { changedOptions, numberOf } from "./options.js";
import { scheme } from "./scheme.js";
import { DRAWN, drawnTorch, FROM, LINES, METRIC, tableViews } from "./views.js";

const title = "Learned positions";

/** Rows that each rule keeps back for padding. */
const OFFSET = /** @type {Record<string, number>} */ ({ plain: 0, roberta: 2, clamp: 0 });

/** @param {Values} settings */
function rule({ rule, rows }) {
  return rule === "clamp" ? { rows, beyond: "clamp" } : { rows, offset: OFFSET[rule] };
}

/** The row of the table that a position gets. @param {Values} settings @param {number} t */
function rowOf({ rule, rows, past }, t) {
  const row = OFFSET[rule] + past + t;
  return rule === "clamp" ? Math.min(row, rows - 1) : row;
}

/** @param {Values} settings */
function draw({ rows, dim, std, seed, generator }) {
  const options = changedOptions("embedding.create", { std, seed, generator });
  return call("embedding.create", rows, dim, options);
}

export const learnedPositions = scheme({
  name: "learnedPositions",
  title,
  words:
    "Each position has a trained vector, and there are none beyond the last row of the table. The vectors here are random.",
  source: { paper: "Devlin et al. 2018", url: "https://arxiv.org/abs/1810.04805" },
  lesson: "learned",
  settings: [
    whole("length", "Positions", 64, 1, 2048),
    whole("dim", "Width D", 64, 1, 2048),
    whole("rows", "Rows of the table", 1024, 1, 16384),
    choice("rule", "Index rule", {
      plain: "row = position (GPT-2, BERT, ViT)",
      roberta: "row = position + 2 (RoBERTa, OPT)",
      clamp: "the last row for all beyond (Marian)",
    }),
    whole("past", "Tokens in the cache", 0, 0, 8191),
    numberOf("embedding.create", "std", "Standard deviation", { initial: 0.02, most: 1000 }),
    ...DRAWN,
    ...LINES,
    FROM,
    METRIC,
  ],
  views: tableViews({
    title,
    size: ({ length, dim }) => ({ rows: length, columns: dim }),
    lines(settings) {
      const { past, length } = settings;
      const taken = changed({ past, ...rule(settings) }, { past: 0, offset: 0 });
      return [
        line("weights", draw(settings)), // drawn, not trained
        line("table", call("learnedPositions.lookup", name("weights"), length, taken)),
      ];
    },
    cell(settings, t, d) {
      const { rule, rows, past } = settings;
      const sum = [t, ...(past > 0 ? [past] : []), ...(OFFSET[rule] > 0 ? [OFFSET[rule]] : [])];
      const added = sum.length > 1 ? `${sum.join(" + ")} = ${rowOf(settings, t)}` : `${t}`;
      const row =
        rule === "clamp" ? `min(${sum.join(" + ")}, ${rows} − 1) = ${rowOf(settings, t)}` : added;
      return [`row ${row}; weights[${rowOf(settings, t)}, ${d}]`];
    },
    torch(settings) {
      const { length, past, rule, rows } = settings;
      const positions = `torch.arange(${length})${past > 0 ? ` + ${past}` : ""}`;
      const index =
        rule === "clamp"
          ? `(${positions}).clamp(max=${rows - 1})`
          : `${positions}${OFFSET[rule] > 0 ? ` + ${OFFSET[rule]}` : ""}`;
      return [
        "import torch",
        "",
        ...drawnTorch("weights", settings, `${rows}, ${settings.dim}`),
        `table = torch.nn.functional.embedding(${index}, weights)`,
      ];
    },
  }),
});
