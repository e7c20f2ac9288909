// The notebooks of the site in JupyterLite.
// More than 20 s of CPU: JupyterLite opens in a browser for each notebook, and its Python kernel loads Pyodide.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { load } from "phasor";
import { figures } from "phasor/plots";
import { project } from "../../../scripts/setup/setup.js";
import { taskOf } from "../../../web/app/write/tasks/index.js";
import { notebookOf } from "../../../web/notebooks/lessons/notebook.js";
import { atNight, isNight } from "../../sample.js";
import { filesOf, promised } from "../../pages/guides/guide.js";
import { buildSite, lacksNumpy, openSite } from "./site.js";

/** @typedef {import("./site.js").Cell} Cell */

const phasor = await load();
const { nearest, pca, rope, similarity, sinusoidal, skipgram } = phasor;
const { heatmap, scatter } = figures();

/** @param {string} name */
const notebook = async (name) =>
  JSON.parse(await readFile(join(project, "web/notebooks", name), "utf8"));

/** Cells that need NumPy say so. @param {{metadata: {tags?: string[]}}} cell */
const needsNumpy = ({ metadata }) => Boolean(metadata.tags?.includes("numpy"));

/** A notebook's text, with all cells or only those that run without NumPy. @param {any} book @param {boolean} numpy */
const text = (book, numpy) =>
  JSON.stringify({
    ...book,
    cells: book.cells.filter((/** @type {any} */ cell) => numpy || !needsNumpy(cell)),
  });

/**
 * A notebook of some cells, and of those of another.
 * @param {"python" | "javascript"} kernel @param {string[]} sources @param {object[]} [others]
 */
const made = (kernel, sources, others = []) =>
  JSON.stringify({
    cells: [
      ...sources.map((source, i) => ({
        ...{ cell_type: "code", id: `cell-${i + 1}`, source, outputs: [] },
        ...{ metadata: {}, execution_count: null },
      })),
      ...others,
    ],
    metadata: { kernelspec: { name: kernel, display_name: kernel, language: kernel } },
    nbformat: 4,
    nbformat_minor: 5,
  });

const guide = await filesOf("jupyterlite");
const guidePython = [...guide]
  .filter(([name]) => name.endsWith(".py") && name !== "rope.py")
  .map(([, code]) => code);

/** The notebook of a lesson with the solutions of its tasks. @param {string} lesson */
function solved(lesson) {
  const book = JSON.parse(notebookOf(phasor, lesson));
  for (const cell of book.cells) {
    const task = cell.id.endsWith("-yours") && taskOf(cell.id.slice(0, -"-yours".length));
    if (task) cell.source = task.python.solution;
  }
  return book.cells;
}

/** What stands beside a notebook that asks for nothing from the network. */
const beside = Object.fromEntries(
  await Promise.all(
    ["phasor.py", "index.js", "models.js", "plots.js"].map(async (name) => [
      `beside/${name}`,
      await readFile(join(project, "dist", name)),
    ]),
  ),
);
const fromBeside = `import phasor
ph = await phasor.load("index.js")
print(ph.models.rope("gpt-j-6b").layout, ph.alibi.slopes(2).tolist())`;
const printed = "interleaved [0.0625, 0.00390625]";

/** What takes the wheel from the site. */
const fromWheel = [
  "%pip install phasor-embeddings",
  `import phasor_embeddings
table = (await phasor_embeddings.load()).sinusoidal.table(3, 4)`,
  "print(table.tolist())",
];

/**
 * The site with the latest Pyodide; by day it is the one with NumPy.
 * @type {Awaited<ReturnType<typeof openSite>>}
 */
let today;
/** @type {Awaited<ReturnType<typeof openSite>> | undefined} */
let withNumpy;

before(async () => {
  const python = await notebook("python.ipynb");
  const javascript = { "javascript.ipynb": text(await notebook("javascript.ipynb"), true) };
  if (isNight || lacksNumpy) {
    const contents = {
      ...javascript,
      "python.ipynb": text(python, false),
      "cell.ipynb": made("javascript", [String(guide.get("cell.js"))]),
      "beside/notebook.ipynb": made("python", [fromBeside, ...fromWheel]),
      ...beside,
    };
    today = await openSite(await buildSite({ name: "today", contents }));
  }
  if (lacksNumpy) return;
  const contents = {
    ...(!isNight && javascript),
    "python.ipynb": text(python, true),
    "beside/guide.ipynb": made("python", [fromBeside, ...guidePython], solved("sinusoidal")),
    ...beside,
  };
  withNumpy = await openSite(await buildSite({ name: "numpy", version: "numpy", contents }));
  today ??= withNumpy;
});

after(async () => {
  await today?.close();
  if (withNumpy !== today) await withNumpy?.close();
});

/** Runs a notebook to its end and gives its cells by name. @param {typeof today} site @param {string} name */
async function cellsOf(site, name) {
  const { cells, problems, asked, close } = await site.run(name);
  if (/^python|^beside/.test(name)) assert.deepEqual(asked, []); // files and the wheel have everything
  assert.deepEqual(
    cells.filter(({ error }) => error).map(({ id, error }) => `${id}: ${error}`),
    [],
  );
  assert.deepEqual(problems, []);
  await close();
  return Object.fromEntries(cells.map((cell) => [cell.id, cell]));
}

/** What both notebooks compute, here. */
function expected() {
  const [query, key] = [
    [0.5, -1, 0.25, 2],
    [1, 0.5, -0.75, 1.5],
  ];
  /** @param {number} m @param {number} n */
  const product = (m, n) => {
    const q = rope.apply([query], rope.table([m], 4));
    const k = rope.apply([key], rope.table([n], 4));
    return similarity.pair(q.row(0), k.row(0), { metric: "dot" });
  };
  const products = [
    [7, 3],
    [17, 13],
    [7, 4],
  ].map(([m, n]) => product(m, n));
  return { products };
}

/** @param {string} text  of the notebook's own */
function trained(text) {
  const sentences = text
    .trim()
    .split("\n")
    .map((line) => line.split(" "));
  const words = [...new Set(sentences.flat())];
  const ids = sentences.map((sentence) => sentence.map((word) => words.indexOf(word)));
  const model = skipgram.create(words.length, 8, { window: 2, seed: 1 });
  const losses = [0, 10, 20, 20].map((epochs) => {
    model.train(ids, { epochs, learningRate: 0.05 });
    return model.loss(ids);
  });
  const vectors = model.vectors();
  const neighbors = nearest(vectors, vectors, { k: 4 }).ids.toArray();
  const near = ["cat", "dog", "car", "drinks"].map((word) => {
    const others = neighbors[words.indexOf(word)].map((/** @type {number} */ id) => words[id]);
    const kept = others.filter((/** @type {string} */ other) => other !== word);
    return [word, "->", ...kept].join(" ");
  });
  const map = scatter(pca(vectors, { components: 2 }).project(vectors), {
    as: "svg",
    labels: words,
    title: "Words after 50 epochs",
  });
  return { losses, near, map };
}

/** @param {Record<string, Cell>} cells @param {string} begin @param {string} end  round the text */
function train(cells, begin, end) {
  const { source } = cells.train;
  const from = source.indexOf(begin) + begin.length;
  return trained(source.slice(from, source.indexOf(end, from)));
}

/** @param {string} text */
const numbers = (text) => text.match(/-?\d+(\.\d+)?(e-?\d+)?/g)?.map(Number) ?? [];

const picture = heatmap(sinusoidal.table(64, 32), {
  as: "svg",
  title: "Sinusoids, D = 32",
  rowTitle: "position (tokens)",
  columnTitle: "dimension",
});

test(
  "JupyterLite: the JavaScript notebook runs to its end and shows the results of Node",
  atNight,
  async () => {
    const cells = await cellsOf(today, "javascript.ipynb");
    assert.equal(cells.table.text.trim(), String(sinusoidal.table(3, 32)));
    assert.equal(cells.heatmap.data["image/svg+xml"], picture);
    const { products } = expected();
    assert.equal(cells.rotate.text.trim(), products.map((each) => each.toFixed(4)).join(" "));
    const { losses, near, map } = train(cells, "`\n", "`");
    assert.deepEqual(
      cells.train.text.trim().split("\n"),
      losses.map((loss) => loss.toFixed(4)),
    );
    assert.deepEqual(cells.search.text.trim().split("\n"), near);
    assert.equal(cells.map.data["image/svg+xml"], map);
    assert.deepEqual(numbers(cells.dispose.text), [21, 8]);
  },
);

/** @param {Record<string, Cell>} cells */
function assertPython(cells) {
  assert.match(cells.load.text, /^phasor \d+\.\d+\.\d+: alibi, .*, models, plots, lab$/);
  assert.match(cells.signature.text, /table\(\s*length_or_positions,\s+dim,\s+\*,[^)]*\sbase=None/);
  assert.equal(cells.table.text, "(64, 32)");
  const rounded = Array.from(sinusoidal.table(3, 4).data, (x) => Number(x.toFixed(6)));
  assert.deepEqual(numbers(cells.first.text), rounded);
  assert.equal(cells.heatmap.data["image/svg+xml"], picture);
  const { products } = expected();
  assert.deepEqual(
    numbers(cells.rotate.text),
    products.map((each) => Number(each.toFixed(4))),
  );
  const { losses, near, map } = train(cells, '"""\n', '"""');
  assert.deepEqual(
    numbers(cells.train.text),
    losses.map((loss) => Number(loss.toFixed(4))),
  );
  assert.deepEqual(cells.search.text.trim().split("\n"), near);
  assert.equal(cells.map.data["image/svg+xml"], map);
  assert.match(cells.dispose.text, /vocabulary=50257 dim=64.* \(1, 3, 64\)/);
}

test("JupyterLite: the Python notebook runs to its end with NumPy and shows the results of Node", async (t) => {
  if (!withNumpy) return t.skip(lacksNumpy);
  const cells = await cellsOf(withNumpy, "python.ipynb");
  assertPython(cells);
  assert.equal(cells.diagonals.text.trim(), "ndarray float32 True");
  assert.equal(cells.lengths.text.trim(), "True");
});

test(
  "JupyterLite: the Python notebook runs in the latest Pyodide, except for its cells of NumPy",
  atNight,
  async (t) => {
    const { cells } = await notebook("python.ipynb");
    const left = cells.filter(needsNumpy).map((/** @type {any} */ { id }) => id);
    t.diagnostic(`not run, since no registry has NumPy for this Pyodide: ${left.join(", ")}`);
    assertPython(await cellsOf(today, "python.ipynb"));
  },
);

test("JupyterLite: a notebook loads the package from the files next to it, and after %pip install from the wheel", async (t) => {
  if (today === withNumpy) return t.skip("the notebook of the guide does so"); // by day
  const cells = await cellsOf(today, "beside/notebook.ipynb");
  assert.equal(cells["cell-1"].text.trim(), printed);
  assert.deepEqual(JSON.parse(cells["cell-4"].text), sinusoidal.table(3, 4).toArray());
});

test(
  "guide jupyterlite: its Python cells print the output in the guide, beside the package's files, and a lesson's solutions are right",
  atNight,
  async (t) => {
    if (!withNumpy) return t.skip(lacksNumpy);
    const cells = await cellsOf(withNumpy, "beside/guide.ipynb");
    assert.equal(cells["cell-1"].text.trim(), printed);
    for (const [i, code] of guidePython.entries()) {
      const { text, data } = cells[`cell-${i + 2}`];
      const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("<phasor."));
      assert.deepEqual(lines, promised(code), code);
      if (/^ph\.plots/m.test(code)) assert.match(data["image/svg+xml"], /^<svg /);
    }
    const said = Object.values(cells).filter(({ id }) => id.endsWith("-check"));
    assert.equal(said.length, 3);
    for (const { text } of said) assert.match(text, /^Right: \d+ calls of /);
  },
);

// By day the notebook in JavaScript shows the same picture.
test("guide jupyterlite: its JavaScript cell shows the picture", atNight, async () => {
  const cells = await cellsOf(today, "cell.ipynb");
  const shown = heatmap(sinusoidal.table(64, 32), { as: "svg" });
  assert.equal(cells["cell-1"].data["image/svg+xml"], shown);
});

test("guide jupyterlite: the site is built with the versions in the guide", async () => {
  const list = await readFile(
    join(project, "tests/hosts/notebooks/jupyterlite/requirements.txt"),
    "utf8",
  );
  const pinned = list.replaceAll("_", "-").split("\n");
  const named = String(guide.get("terminal")).match(/[\w-]+==[\w.]+/g) ?? [];
  assert.equal(named.length, 3);
  for (const each of named) assert.ok(pinned.includes(each), each);
});
