/** @import { Wanted } from "./map.js" */
/** @import { Table } from "../app/models/table.js" */
import { listUrl, tableUrl } from "../app/text/words.js";
import { FIRST, NEAR } from "./map.js";

/** Files of this site that the program fetches. */
export const files = [tableUrl, listUrl];

/**
 * The map of an opened model as a program, for Node or a page of the reader's own.
 * @param {Table} table @param {Wanted} wanted
 */
export function modelProgram({ hub, about, words, dim }, { points, x, y, word, metric, groups }) {
  const text = (/** @type {unknown} */ value) => JSON.stringify(value);
  const ids = {
    all: "undefined, // all",
    first: `Array.from({ length: ${FIRST} }, (_, id) => id),`,
    groups: `${text([...new Set([...groups.keys(), word])])},`,
    near: `near.map(({ id }) => id),`,
  }[points];
  const near =
    points === "near"
      ? `const near = words.nearest(${word}, { k: ${NEAR}, metric: ${text(metric)} });\n`
      : "";
  return `import { load } from "phasor";
import { explore, open } from "phasor/open";

const phasor = await load();
const model = await open(${text(hub || `./${about.file}`)}, { phasor });
const table = await model.wordEmbeddings.load();
const words = explore(phasor, table, { vocabulary: await model.vocabulary() });

words.nearest(${word}); // what is near ${text(words[word])}
${near}const { projected, explainedVarianceRatio } = words.components({
  tokens: ${ids}
  components: ${Math.min(dim, Math.max(x, y))},
});
`;
}

/**
 * The map as a program.
 * @param {Table} table @param {Wanted} wanted
 */
export function program({ words }, { points, x, y, word, named, metric, groups, arrows }) {
  const text = (/** @type {unknown} */ value) => JSON.stringify(value);
  const indices = `.map((word) => labels.indexOf(word))`;
  const pairs = arrows.map((pair) => pair.map((id) => words[id]));
  const modules =
    points === "near"
      ? "{ embedding, nearest, pca }"
      : points === "groups"
        ? "{ embedding, pca }"
        : "{ pca }";
  const size = Math.max(x, y);
  return `import { load } from "phasor";
import { safetensors } from "phasor/files";
import { figures } from "phasor/plots";

const ${modules} = await load();
const { scatter } = figures();

const response = await fetch(${text(tableUrl)});
const file = await safetensors.read(await response.blob());
const all = await file.tensor("embedding.weight", { scale: "embedding.scale" });
const list = await fetch(${text(listUrl)});
const words = (await list.text()).trimEnd().split("\\n");

const groups = {
${namesOf(groups)
  .map((name) => `  ${text(name)}: ${text(membersOf(groups, name, words))},\n`)
  .join("")}};
const group = new Map();
for (const [name, members] of Object.entries(groups)) {
  for (const member of members.split(" ")) group.set(member, name);
}

${selection(points, words[word], metric)}
const { projected, explainedVarianceRatio } = pca(vectors, { components: ${size} });
display(\`explained variance: \${explainedVarianceRatio}\`);
display(
  scatter(projected.toArray().map((row) => [row[${x - 1}], row[${y - 1}]]), {
    labels,
    groups: labels.map((word) => group.get(word) ?? null),
    highlight: ${text([word, ...arrows.flat(), ...named].map((id) => words[id]))}
      ${indices}
      .filter((index) => index >= 0),
    arrows: ${text(pairs)}
      .map((pair) => pair${indices})
      .filter((pair) => !pair.includes(-1)),
    xTitle: "component ${x}",
    yTitle: "component ${y}",
  }),
);
`;
}

/** Which rows, and their words. @param {Wanted["points"]} points @param {string} word @param {string} metric */
function selection(points, word, metric) {
  if (points === "all") return "const vectors = all;\nconst labels = words;\n";
  if (points === "first") {
    return `const vectors = all.slice(0, ${FIRST});\nconst labels = words.slice(0, ${FIRST});\n`;
  }
  const ids =
    points === "groups"
      ? `[...new Set([...group.keys(), ${JSON.stringify(word)}])].map((word) => words.indexOf(word))`
      : `nearest(all, all.row(words.indexOf(${JSON.stringify(word)})), {
  k: ${NEAR},
  metric: ${JSON.stringify(metric)},
}).ids.toArray()`;
  return `const ids = ${ids};
const vectors = embedding.from(all).lookup(ids);
const labels = ids.map((id) => words[id]);
`;
}

/** @param {Map<number, string>} groups */
function namesOf(groups) {
  return [...new Set(groups.values())];
}

/** @param {Map<number, string>} groups @param {string} name @param {readonly string[]} words */
function membersOf(groups, name, words) {
  return [...groups]
    .filter(([, group]) => group === name)
    .map(([id]) => words[id])
    .join(" ");
}
