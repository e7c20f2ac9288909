/** @import { Table } from "../../app/models/table.js" */
import { listUrl, tableUrl } from "../../app/text/words.js";

/** How programs read GloVe's table. */
const READING = `
const [table, list] = await Promise.all([
  fetch(${JSON.stringify(tableUrl)}),
  fetch(${JSON.stringify(listUrl)}),
]);
const file = await safetensors.read(await table.blob());
const rows = await file.tensor("embedding.weight", { scale: "embedding.scale" });
const words = (await list.text()).trimEnd().split("\\n");
`;

/** And an opened model's. @param {Table} table */
const opening = ({ hub, about }) => `import { open } from "phasor/open";

const model = await open(${JSON.stringify(hub || `./${about.file}`)});
const words = await model.explore();
`;

/**
 * A word's neighbors, and an analogy.
 *
 * @param {Table} table @param {object} options
 * @param {number} options.id @param {number} options.k @param {string} options.metric
 * @param {string} options.measure  the metric in words
 */
export function nearestProgram(table, { id, k, metric, measure }) {
  if (table.noun === "token") {
    const [man, king, woman] = ["man", "king", "woman"].map(table.wordOf);
    const analogy =
      Math.min(man, king, woman) >= 0
        ? `\nconsole.log(words.analogy([${man}, ${king}, ${woman}], { k: 5 })); // man is to king as woman is to …\n`
        : "";
    return `${opening(table)}
const found = words.nearest(${id}, { k: ${k}, metric: "${metric}" }); // ${JSON.stringify(table.words[id])}
console.log(found.map(({ text, score }) => [text, score]));
${analogy}`;
  }
  return `import * as Plot from "@observablehq/plot";
import { load } from "phasor";
import { safetensors } from "phasor/files";
import { figures } from "phasor/plots";

const { nearest } = await load();
const { bar } = figures({ Plot });
${READING}
const id = words.indexOf(${JSON.stringify(table.words[id])});
const found = nearest(rows, rows.row(id), { k: ${k}, metric: "${metric}", exclude: [id] });
display(
  bar(found.scores, {
    labels: Array.from(found.ids.data, (id) => words[id]),
    xTitle: "word",
    yTitle: "${measure}",
    horizontal: true,
  }),
);

const [man, king, woman] = ["man", "king", "woman"].map((word) => words.indexOf(word));
const answers = nearest.analogy(rows, [man, king, woman], { k: 5 });
display(Array.from(answers.ids.data, (id) => words[id]));
`;
}

/**
 * The map of some words by their own components.
 *
 * @param {Table} table @param {object} options
 * @param {readonly number[]} options.ids @param {readonly string[]} options.groups  of each
 * @param {number} options.first  of the two components
 */
export function mapProgram(table, { ids, groups, first }) {
  const text = (/** @type {unknown} */ value) => JSON.stringify(value);
  const names = [...new Set(groups)];
  const of = (/** @type {string} */ group) => ids.filter((_, i) => groups[i] === group);
  if (table.noun === "token") {
    const kinds = names.map((group) => `  ${group}: ${text(of(group))},`);
    return `${opening(table)}
const groups = {
${kinds.join("\n")}
};
const tokens = Object.values(groups).flat();
const { projected, explainedVarianceRatio } = words.components({ tokens, components: ${first + 1} });
console.log(Array.from(projected, ({ data }) => data.slice(${first - 1}, ${first + 1})));
console.log(String(explainedVarianceRatio));
`;
  }
  const kinds = names.map(
    (group) =>
      `  ${group}: ${text(
        of(group)
          .map((id) => table.words[id])
          .join(" "),
      )},`,
  );
  return `import { load } from "phasor";
import { safetensors } from "phasor/files";
import { figures } from "phasor/plots";

const { pca } = await load();
const { scatter } = figures();
${READING}
const groups = {
${kinds.join("\n")}
};
const chosen = Object.entries(groups).flatMap(([group, list]) =>
  list.split(" ").map((word) => ({ word, group, row: rows.row(words.indexOf(word)).data })),
);

const { projected, explainedVarianceRatio } = pca(
  chosen.map(({ row }) => row),
  { components: 6 },
);
display(
  scatter(
    Array.from(projected, ({ data }) => data.slice(${first - 1}, ${first + 1})),
    { labels: chosen.map(({ word }) => word), groups: chosen.map(({ group }) => group) },
  ),
);
display(explainedVarianceRatio);
`;
}
