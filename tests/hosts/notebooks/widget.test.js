// The widget in JupyterLab, nbconvert, papermill and marimo, as the guide shows it, from the wheel and without a network.
// More than 20 s of CPU: four hosts start, each with a Python kernel.

import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { load } from "phasor";
import { run } from "../../../scripts/setup/run.js";
import { atNight } from "../../sample.js";
import { openBrowser } from "../../pages/browser.js";
import { filesOf, promised } from "../../pages/guides/guide.js";
import { until } from "../../until.js";
import { environment, host, python } from "./widget.js";

/** @typedef {import("playwright-core").Page} Page */

const files = await filesOf("widget");
const { rope, alibi } = await load();

/** @type {Awaited<ReturnType<typeof openBrowser>>} */
let browser;
before(async () => {
  browser = await openBrowser();
});
after(() => browser?.close());

/** @param {string} name of a file that the guide shows */
const file = (name) => String(files.get(name));

/** @param {string} address */
async function visit(address) {
  const { page } = await browser.newPage({ viewport: { width: 1000, height: 1200 } });
  await page.route("**", (route) => {
    const { hostname } = new URL(route.request().url());
    return hostname === "127.0.0.1" ? route.continue() : route.abort();
  });
  await page.goto(address);
  return page;
}

/**
 * Until the page's timers have fired that gather changes and saves: this one was set after them and is longer.
 * @param {Page} page
 */
const settled = (page) =>
  page.evaluate(() => new Promise((later) => setTimeout(later, 400))).then(() => undefined);

/** Moves the pointer to a cell. @param {Page} page @param {number[]} cell @param {number[]} size */
async function point(page, [row, column], [rows, columns]) {
  const canvas = page.locator(".phasor-raster > canvas").first();
  await canvas.scrollIntoViewIfNeeded();
  const box = await canvas.boundingBox();
  assert.ok(box);
  const [x, y] = [((column + 0.5) / columns) * box.width, ((row + 0.5) / rows) * box.height];
  await page.mouse.move(box.x + x, box.y + y);
}

// --- JupyterLab ----------------------------------------------------------------------------------------

/** @param {string[]} cells */
function notebook(cells) {
  const blank = { cell_type: "code", execution_count: null, metadata: {}, outputs: [] };
  const kernelspec = { display_name: "Python 3", language: "python", name: "python3" };
  return JSON.stringify({
    cells: cells.map((source, i) => ({ ...blank, id: `cell-${i}`, source })),
    metadata: { kernelspec },
    nbformat: 4,
    nbformat_minor: 5,
  });
}

const NUMBERS = "import json; print(json.dumps(view.numpy().tolist()), view.numpy().dtype)";
const HELD = "print(json.dumps([view.options, view.selection, view.error]))";
const WRONG = 'view.options = {"dim": 3}';
const RAISED = "view.numpy()";

/** A notebook whose cells need the numbers at once, some after a change. */
const ALL = [
  file("cell 1").trim(),
  `first = await view.result()
view.options = {"length": 5, "dim": 6}
second = await view.result()
view.options = {"dim": 3}
try:
    await view.result()
except ValueError as error:
    print(first.shape, second.shape, second.tolist(), error)`,
];

/** Its second cell has the numbers of both settings. @param {string} printed */
function assertAll(printed) {
  const [, held, error] = /^\(64, 8\) \(5, 6\) (\[\[.*\]\]) (.*)$/m.exec(printed) ?? [];
  assert.ok(held, printed);
  const table = rope.table(5, 6);
  const expected = Array.from(table.cos, (row, t) => [...row.data, ...table.sin.row(t).data]);
  assert.deepEqual(JSON.parse(held), expected);
  assert.match(error, /^dim .*; got 3$/);
}

/** In the page: whether the kernel of the open notebook can be asked. */
const isIdle = () => {
  const { jupyterapp } = /** @type {any} */ (globalThis);
  const context = jupyterapp?.shell?.currentWidget?.sessionContext;
  return context?.session?.kernel?.status === "idle";
};

test(
  "widget in JupyterLab: pictures and numbers are sent in both directions",
  { timeout: 600_000 },
  async (t) => {
    const cells = [
      ...[1, 2, 3, 4].map((n) => file(`cell ${n}`).trim()),
      ...["view", NUMBERS, HELD, WRONG, RAISED],
    ];
    const address = await host(
      t,
      { "notebook.ipynb": notebook(cells), "all.ipynb": notebook(ALL) },
      (port) => [
        ...["-m", "jupyterlab", "--no-browser", "--allow-root", `--port=${port}`],
        ...["--ServerApp.port_retries=0", "--IdentityProvider.token="],
        ...["--LabApp.expose_app_in_browser=True", "--LabApp.extension_manager=readonly"],
      ],
    );
    const page = await visit(`${address}lab/tree/notebook.ipynb?reset`);
    await page.waitForFunction(isIdle, undefined, { timeout: 120_000 });

    /** Runs a cell, and gives what it prints. @param {string} source */
    async function cell(source) {
      await settled(page); // what the browser has sent is before it in the queue
      const index = cells.indexOf(source.trim());
      return page.evaluate(async (index) => {
        const { shell, commands } = /** @type {any} */ (globalThis).jupyterapp;
        const { content } = shell.currentWidget;
        content.activeCellIndex = index;
        await commands.execute("notebook:run-cell");
        const { outputs } = content.model.cells.get(index).toJSON();
        return outputs.map((/** @type {any} */ each) => each.text ?? each.evalue ?? "").join("");
      }, index);
    }
    const json = async (/** @type {string} */ source) =>
      JSON.parse(String((await cell(source)).split("\n")[0]).replace(/ float32$/, ""));

    await cell(file("cell 1"));
    await page.locator(".phasor-raster > canvas").waitFor({ timeout: 60_000 });
    assert.deepEqual((await cell(file("cell 2"))).trim().split("\n"), promised(file("cell 2")));

    // By hand: a slider by its keys, which the notebook leaves alone, and a cell by the pointer.
    await page.getByRole("slider", { name: "Width" }).focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowUp");
    await point(page, [6, 4], [64, 12]);
    await cell("view");
    assert.equal((await json(NUMBERS))[0].length, 12);
    assert.deepEqual(await json(HELD), [{ length: 64, dim: 12 }, { row: 6, column: 4 }, ""]);
    const views = page.locator(".phasor-widget");
    await until(async () => (await views.count()) === 2, "another view of the same");

    // From the kernel, in both views.
    const { cos, sin } = rope.table(16, 8, { base: 500000 });
    await cell(file("cell 3"));
    const reading = `position 5, dimension 2: ${Number(cos.at(5, 2).toFixed(6))}`;
    await until(async () => {
      const readings = await page.locator(".phasor-reading").allTextContents();
      return readings.join("; ") === `${reading}; ${reading}`;
    }, `both views say: ${reading}`);
    const rows = Array.from(cos, (row, t) => [...row.data, ...sin.row(t).data]);
    assert.deepEqual(await json(NUMBERS), rows);

    await cell(file("cell 4"));
    await page.locator('[data-kind="scatter"] canvas').first().waitFor();
    assert.match(
      String(
        await page.locator('[data-kind="scatter"] .phasor-picture').getAttribute("aria-label"),
      ),
      /^Scatter plot of 200 vectors: 200 points/,
    );

    await cell(WRONG);
    const wrong = page
      .locator(".phasor-wrong")
      .filter({ hasText: /^dim .*; got 3$/ })
      .first();
    await wrong.waitFor();
    const words = await wrong.textContent();
    assert.equal(await cell(RAISED), words);

    await page.evaluate(() =>
      /** @type {any} */ (globalThis).jupyterapp.commands.execute("apputils:change-theme", {
        theme: "JupyterLab Dark",
      }),
    );
    await page.locator('.phasor-figure[data-theme="dark"]').first().waitFor();

    // All cells at once: the second waits for the browser while it runs.
    await page.goto(`${address}lab/tree/all.ipynb?reset`);
    await page.waitForFunction(isIdle, undefined, { timeout: 120_000 });
    const printed = await page.evaluate(async () => {
      const { shell, commands } = /** @type {any} */ (globalThis).jupyterapp;
      await commands.execute("notebook:run-all-cells");
      const { outputs } = shell.currentWidget.content.model.cells.get(1).toJSON();
      return outputs.map((/** @type {any} */ each) => each.text ?? each.evalue ?? "").join("");
    });
    assertAll(printed);
  },
);

// --- nbconvert -----------------------------------------------------------------------------------------

/**
 * Executes a notebook without a browser and gives its cells.
 * @param {import("node:test").TestContext} t @param {string[]} cells @param {Record<string, string>} [env]
 */
async function converted(t, cells, env) {
  const folder = await mkdtemp(join(tmpdir(), "phasor-nbconvert-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, "all.ipynb"), notebook(cells));
  const convert = ["-m", "nbconvert", "--execute", "--allow-errors", "--inplace", "--to=notebook"];
  const options = { cwd: folder, env: { ...environment(folder), ...env }, quiet: true };
  await run(python, [...convert, "all.ipynb"], options);
  return JSON.parse(await readFile(join(folder, "all.ipynb"), "utf8")).cells;
}

/** What Python sees where mini-racer has no wheel. @param {import("node:test").TestContext} t */
async function withoutV8(t) {
  const folder = await mkdtemp(join(tmpdir(), "phasor-no-v8-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, "py_mini_racer.py"), 'raise ImportError("no wheel")');
  return { PYTHONPATH: [folder, environment(folder).PYTHONPATH].join(delimiter) };
}

test(
  "widget in nbconvert: without a browser and V8 Node computes the same numbers, and the same errors",
  atNight,
  async (t) => {
    const PATH = [python, process.execPath].map(dirname).join(delimiter);
    const [, shown] = await converted(t, ALL, { PATH, ...(await withoutV8(t)) });
    assertAll(shown.outputs[0].text.join(""));
  },
);

test(
  "widget in nbconvert: without a browser, V8 and Node, a waiting cell gives an error",
  atNight,
  async (t) => {
    const cells = [file("cell 1").trim(), "await view.result(timeout=1)"];
    const [, waits] = await converted(t, cells, await withoutV8(t));
    const [{ ename, evalue }] = waits.outputs;
    assert.equal(ename, "TimeoutError");
    assert.match(
      evalue,
      /^the widget's numbers must come from a browser within 1 s; got no answer\./,
    );
  },
);

// --- papermill -----------------------------------------------------------------------------------------

test(
  "widget in papermill: the kernel computes the numbers and a picture, and little is stored",
  atNight,
  async (t) => {
    const folder = await mkdtemp(join(tmpdir(), "phasor-papermill-"));
    t.after(() => rm(folder, { recursive: true, force: true }));
    const parameters = 'scheme = "sinusoidal"\noptions = {}';
    const cells = [
      parameters,
      "from phasor_embeddings import Widget\nview = Widget(scheme=scheme, options=options)",
      "view",
      ...["view", "view", "Widget(scheme=scheme, options={})"],
      "table = await view.result()\nprint(table.shape, table.tolist())",
    ];
    const given = JSON.parse(notebook(cells));
    given.cells[0].metadata.tags = ["parameters"];
    await writeFile(join(folder, "in.ipynb"), JSON.stringify(given));
    const passed = ["-y", "{scheme: rope, options: {length: 5, dim: 6}}"];
    await run(python, ["-m", "papermill", "in.ipynb", "out.ipynb", ...passed], {
      ...{ cwd: folder, env: environment(folder), quiet: true },
    });
    const text = await readFile(join(folder, "out.ipynb"), "utf8");
    assert.ok(text.length < 150_000, `${text.length} bytes with four views`);
    const executed = JSON.parse(text);
    const [picture] = executed.cells.at(-2).outputs;
    assert.match([picture.data["image/svg+xml"]].flat().join(""), /^<svg [^]*<\/svg>\s*$/);
    assert.equal([picture.data["text/plain"]].flat().join(""), "Widget(scheme='rope', options={})");
    const last = executed.cells.at(-1).outputs[0].text.join("");
    const [, shape, held] = /^(\(.*?\)) (.*)$/m.exec(last) ?? [];
    const table = rope.table(5, 6);
    const expected = Array.from(table.cos, (row, t) => [...row.data, ...table.sin.row(t).data]);
    assert.deepEqual([shape, JSON.parse(held)], ["(5, 6)", expected]);
  },
);

test("widget in Node: NaN and infinities are numbers, or an error in words", async () => {
  const program = `
import asyncio
from phasor_embeddings import Widget
nan, inf = float("nan"), float("inf")
for traits in (
    {"data": [[nan]]},
    {"data": [[1, inf], (-inf, nan)]},
    {"data": [[nan, nan], [nan, nan]], "scheme": "similarity"},
    {"data": [[5, 5]]},
    {"options": {"points": [nan, 1.0], "dim": 2}, "scheme": "timesteps"},
    {"data": [[1, 2], [nan]]},
    {"options": {"position": nan}, "scheme": "clock"},
):
    view = Widget(**{"scheme": "data", **traits})
    try:
        print(asyncio.run(view.result(timeout=1)).tolist())
    except ValueError as error:
        print(error)
`;
  const PATH = [python, process.execPath].map(dirname).join(delimiter);
  const env = { ...environment(tmpdir()), PATH };
  const { stdout } = await run(python, ["-c", program], { env, capture: true });
  assert.deepEqual(stdout.trim().split("\n"), [
    "[[nan]]",
    "[[1.0, inf], [-inf, nan]]",
    "[[nan, nan], [nan, nan]]",
    "[[5.0, 5.0]]",
    "t must be numbers within float32; got NaN",
    "data must not be ragged; got arrays of unequal depth",
    'position must be a finite number; got "nan"',
  ]);
});

// --- marimo --------------------------------------------------------------------------------------------

test(
  "widget in marimo: pictures and numbers are sent in both directions",
  { timeout: 600_000 },
  async (t) => {
    // And a cell from which Python changes the picture.
    const more = `
@app.cell
def _(mo):
    button = mo.ui.run_button(label="Turn")
    button
    return (button,)


@app.cell
def _(button, view):
    if button.value:
        view.widget.scheme = "rope"
        view.widget.options = {"length": 5, "dim": 6}
    return


if __name__`;
    const address = await host(
      t,
      {
        "notebook.py": file("notebook.py").replace("if __name__", more.trimStart()),
      },
      (port) => [
        ...["-m", "marimo", "--quiet", "run", "notebook.py", "--headless", "--no-token"],
        ...["--host", "127.0.0.1", "--port", String(port)],
      ],
    );
    const page = await visit(address);
    await page.locator('[data-kind="bias"] canvas').first().waitFor({ timeout: 60_000 });
    const least = (/** @type {number} */ heads) => Math.min(...alibi.bias(heads, 16).data);
    await page.getByText(`(4, 16, 16): ${least(4)} to`).waitFor();

    await page.getByRole("slider", { name: "Heads" }).focus();
    await page.keyboard.press("ArrowRight");
    await page.getByText(`(5, 16, 16): ${least(5)} to`).waitFor();
    const heads = page.locator(".phasor-raster > canvas");
    await until(async () => (await heads.count()) === 5, "five heads are drawn");

    await page.getByRole("button", { name: "Turn" }).click();
    await page.getByText("(5, 6): ").waitFor();
    const canvases = page.locator('[data-kind="heatmap"] .phasor-raster > canvas');
    await until(async () => (await canvases.count()) === 1, "a heat map is drawn");
    await point(page, [3, 2], [5, 6]);
    await page.getByText(/^position 3, dimension 2: /).waitFor();
  },
);
