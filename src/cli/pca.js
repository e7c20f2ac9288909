/** phasor pca: the principal components of a model's rows, and a map of them. */
import { UsageError, whole } from "./arguments.js";
import { count, doubts, sentence, some } from "./output.js";
import { exploreModel, openModel, TABLE, tokenOf } from "./source.js";
import { save } from "./write.js";

/** @import { Explorer } from "../models/open/index.js" */

/** @type {import("./arguments.js").Command} */
export const pca = {
  name: "pca",
  operands: "MODEL",
  least: 1,
  most: 1,
  does: "the principal components of the rows, as a map with --svg",
  options: {
    svg: { type: "string", value: "FILE", text: "draw the rows on the first two components" },
    points: { type: "string", value: "N", text: "how many rows are drawn; 1,000 by default" },
    word: {
      type: "string",
      multiple: true,
      value: "TOKEN",
      text: "a token that is drawn with its label",
    },
    components: { type: "string", value: "N", text: "how many are computed; 2 by default" },
    ...TABLE,
  },
  async run(call) {
    const { operands, options } = call;
    const components = whole(options.components, "--components", 2) ?? 2;
    if (options.points !== undefined && options.svg === undefined)
      throw new UsageError("--points must come with --svg; got it alone");
    const points = whole(options.points, "--points") ?? 1000;
    const model = await openModel(operands[0], options);
    const found = await exploreModel(model, call);
    const { explainedVariance, explainedVarianceRatio, projected } = found.components({
      components,
    });
    const { ids, unknown } = marked(found, options.word ?? []);
    const shares = Array.from(explainedVarianceRatio.data);
    const lines = shares.map(
      (share, i) => `  component ${i + 1}: ${(100 * share).toFixed(1)} % of the variance`,
    );
    const { vocabulary, dim } = found.table;
    lines.unshift(`${count(vocabulary)} rows of ${some(dim, "number")}`, ...doubts(model.warnings));
    lines.push(...unknown.map(({ text, error }) => `  ${JSON.stringify(text)}: ${error}`));
    const { svg } = options;
    if (svg !== undefined) {
      const drawn = spread(found.table.vocabulary, points, ids);
      await save(svg, await draw(found, model.name, { projected, shares, drawn, ids }));
      lines.push(`wrote ${svg}: ${some(drawn.length, "point")}`);
    }
    const places = ids.map((id) => ({
      id,
      text: found.text(id),
      at: Array.from(projected.row(id).data),
    }));
    found.dispose();
    const data = {
      explainedVariance: Array.from(explainedVariance.data),
      explainedVarianceRatio: shares,
      tokens: places,
      unknown,
      warnings: model.warnings,
    };
    return { data, lines, code: unknown.length > 0 ? 1 : 0 };
  },
};

/** The ids of words, and those that are no tokens. @param {Explorer} found @param {string[]} words */
function marked(found, words) {
  /** @type {number[]} */
  const ids = [];
  /** @type {{text: string, error: string}[]} */
  const unknown = [];
  for (const word of words) {
    try {
      ids.push(tokenOf(found, word));
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      unknown.push({ text: word, error: sentence(error) });
    }
  }
  return { ids, unknown };
}

/** Rows at equal distances, and some more. @param {number} V @param {number} points @param {number[]} ids */
function spread(V, points, ids) {
  const many = Math.min(V, points);
  const even = Array.from({ length: many }, (_, i) => Math.floor((i * V) / many));
  return [...new Set([...ids, ...even])];
}

/**
 * @param {Explorer} found @param {string} title
 * @param {{projected: import("../runtime/tensor.js").Tensor, shares: number[], drawn: number[], ids: number[]}} map
 */
async function draw(found, title, { projected, shares, drawn, ids }) {
  const { figures } = await import("../plots/index.js");
  const { scatter } = figures();
  const percent = (/** @type {number} */ i) =>
    `component ${i + 1} (${(100 * shares[i]).toFixed(1)} %)`;
  const places = drawn.map((id) => [...projected.row(id).data.subarray(0, 2)]);
  return scatter(places, {
    labels: drawn.map((id) => found.text(id)),
    highlight: [...new Set(ids).keys()].map((_, i) => i),
    title,
    xTitle: percent(0),
    yTitle: percent(1),
    as: "svg",
  });
}
