import assert from "node:assert/strict";
import { test } from "node:test";
import { load, schemesOf } from "phasor";
import { schemes } from "phasor/widget";
import { themes, violations } from "../axe.js";
import { atNight, sampled } from "../../sample.js";
import { widgetPage } from "./page.js";

/** @typedef {import("playwright-core").Page} Page */
/** @typedef {Record<string, any>} State */

const phasor = await load();
const offered = await schemes();
const { open } = widgetPage("widget");

/** The traits of a class in a notebook. @type {State} */
const TRAITS = {
  scheme: "sinusoidal",
  options: {},
  data: null,
  figure: {},
  title: "",
  theme: "auto",
  controls: false,
  selection: null,
  value: {},
  error: "",
};

/**
 * Opens a widget in the host for tests, with views in the page, as globalThis.opened.
 * @param {Page} page @param {State} [state] @param {number} [views]
 */
function inHost(page, state = {}, views = 1) {
  return page.evaluate(
    async ([state, views]) => {
      const { host, widget } = /** @type {any} */ (globalThis);
      const opened = await host.open(widget, state);
      const removers = [];
      for (let i = 0; i < views; ++i) {
        const el = document.createElement("div");
        document.querySelector("main")?.append(el);
        removers.push(await opened.view(el));
      }
      Object.assign(globalThis, { opened, removers });
    },
    /** @type {const} */ ([{ ...TRAITS, ...state }, views]),
  );
}

/** Mounts one in the page, as globalThis.view. @param {Page} page @param {State} [state] */
function inPage(page, state = {}) {
  return page.evaluate(async (state) => {
    const { widget } = /** @type {any} */ (globalThis);
    const view = await widget.mount(document.querySelector("main"), state);
    Object.assign(globalThis, { view });
  }, state);
}

/** A message from the kernel. @param {Page} page @param {State} state */
function update(page, state) {
  return page.evaluate((state) => /** @type {any} */ (globalThis).opened.update(state), state);
}

/** What the kernel got, after all has settled. @param {Page} page @returns {Promise<State[]>} */
function sent(page) {
  return page.evaluate(async () => {
    // Each wait ends after the timers that were set before it: of changes, then of saves.
    for (const ms of [50, 150]) await new Promise((later) => setTimeout(later, ms));
    return /** @type {any} */ (globalThis).opened.sent.map((/** @type {State} */ state) => ({
      ...state,
      ...(state.value && {
        value: { ...state.value, data: Array.from(new Uint8Array(state.value.data.buffer)) },
      }),
    }));
  });
}

/** What the kernel holds: each trait as it was last sent, in however many messages. @param {Page} page */
const received = async (page) => /** @type {State} */ (Object.assign({}, ...(await sent(page))));

/** @param {State} value  as `sent` gives it */
function floats({ data, shape, dtype }) {
  assert.equal(dtype, "float32");
  return { data: new Float32Array(Uint8Array.from(data).buffer), shape };
}

/** @param {Page} page @param {string} scheme @returns {Promise<{data: number[], shape: number[], error: string}>} */
function mounted(page, scheme, options = {}, data = null) {
  return page.evaluate(async ([scheme, options, data]) => {
    const { widget } = /** @type {any} */ (globalThis);
    const element = document.createElement("div");
    document.querySelector("main")?.append(element);
    const view = await widget.mount(element, { scheme, options, data });
    const value = view.get("value");
    const found = {
      data: Array.from(value?.data ?? []),
      shape: value?.shape,
      error: view.get("error"),
    };
    view.dispose();
    return found;
  }, /** @type {const} */ ([scheme, options, data]));
}

/** @param {Page} page */
async function wrong(page) {
  const alert = page.locator(".phasor-wrong").first();
  return (await alert.isVisible()) ? alert.textContent() : "";
}

test("widget: from a blob:, a data: and a file's address, with nothing else to fetch", async () => {
  const { page, problems } = await open({ hosted: true });
  /** @type {string[]} */
  const asked = [];
  page.on("request", (request) => asked.push(request.url().slice(0, 40)));
  const values = await page.evaluate(async () => {
    const { host } = /** @type {any} */ (globalThis);
    const text = await (await fetch("widget.js")).text();
    const found = [];
    for (const by of ["blob", "data", "address"]) {
      const widget =
        by === "address"
          ? await import(new URL("./widget.js?again", location.href).href)
          : await host.fromText(text, by);
      const opened = await host.open(widget, { scheme: "rope", value: {}, error: "" });
      const el = document.createElement("div");
      document.querySelector("main")?.append(el);
      await opened.view(el);
      found.push([
        by,
        el.querySelectorAll("canvas").length > 0,
        opened.held.value.shape,
        opened.held.error,
      ]);
    }
    return found;
  });
  assert.deepEqual(
    values,
    ["blob", "data", "address"].map((by) => [by, true, [64, 64], ""]),
  );
  const others = asked.filter((url) => !/^(blob:|data:|.*\/widget\.js)/.test(url));
  assert.deepEqual([others, problems], [[], []]);
});

test("widget: a notebook gets the numbers of the function, to the bit", async () => {
  const { page, problems } = await open();
  await inHost(page, { scheme: "sinusoidal", options: { length: 5, dim: 6, base: 100 } });
  const [state, ...more] = await sent(page);
  assert.deepEqual(more, []);
  assert.deepEqual(Object.keys(state), ["value"]);
  const table = phasor.sinusoidal.table(5, 6, { base: 100 });
  assert.deepEqual(floats(state.value), { data: table.data, shape: [5, 6] });
  assert.deepEqual(problems, []);
});

test("widget: a trait that a kernel changes changes the picture and the numbers, once", async () => {
  const { page } = await open();
  await inHost(page, { options: { length: 4, dim: 4 } });
  const before = await page.locator("canvas").first().screenshot();
  await sent(page);
  await page.evaluate(() => {
    const { opened } = /** @type {any} */ (globalThis);
    for (let dim = 2; dim <= 200; dim += 2) opened.update({ options: { length: 4, dim } });
    opened.update({ scheme: "alibi", options: { heads: 2, length: 3 } });
    opened.update({ scheme: "rope", options: { length: 3, dim: 2 } });
  });
  const [, state, ...more] = await sent(page);
  assert.deepEqual(more, [], "changes within a frame are one");
  const { cos, sin } = phasor.rope.table(3, 2);
  const rows = [0, 1, 2].flatMap((t) => [cos.at(t, 0), sin.at(t, 0)]);
  assert.deepEqual(floats(state.value), { data: Float32Array.from(rows), shape: [3, 2] });
  assert.ok(!before.equals(await page.locator("canvas").first().screenshot()));
});

test("widget: changes while the core is loading are in the first picture", async () => {
  const { page } = await open();
  await page.evaluate(async (state) => {
    const { host, widget } = /** @type {any} */ (globalThis);
    const opened = await host.open(widget, state);
    const el = document.createElement("div");
    document.querySelector("main")?.append(el);
    const viewed = opened.view(el);
    opened.update({ scheme: "rope", options: { length: 7, dim: 2 } });
    await viewed;
    Object.assign(globalThis, { opened });
  }, TRAITS);
  const states = await sent(page);
  assert.deepEqual(
    states.map(({ value }) => value.shape),
    [[7, 2]],
  );
  assert.equal(await page.locator(".phasor-row-axis span:visible").count(), 7);
});

test("widget: two views of a model are computed once and show the same", async () => {
  const { page } = await open();
  await inHost(page, { options: { length: 6, dim: 8 } }, 2);
  const canvases = page.locator(".phasor-raster canvas");
  assert.equal(await canvases.count(), 2);
  await sent(page);
  await update(page, { title: "Both", options: { length: 3, dim: 8 } });
  assert.equal((await sent(page)).length, 2);
  assert.deepEqual(await page.locator(".phasor-title").allTextContents(), ["Both", "Both"]);

  await page.evaluate(() => /** @type {any} */ (globalThis).removers[0]());
  assert.equal(await canvases.count(), 1);
  await update(page, { options: { length: 2, dim: 8 } });
  assert.deepEqual((await sent(page))[2].value.shape, [2, 8]);
});

test("widget: a view that is added later shows the current picture", async () => {
  const { page } = await open();
  await inHost(page, { options: { length: 6, dim: 8, lenght: 1 } }, 0);
  assert.match((await sent(page))[0].error, /^options must have only .*; got "lenght"/);
  await page.evaluate(async () => {
    const { opened } = /** @type {any} */ (globalThis);
    const main = /** @type {HTMLElement} */ (document.querySelector("main"));
    await opened.view(main);
  });
  assert.match(String(await wrong(page)), /^options must have only .*; got "lenght"/);
});

test("widget: nothing remains after its views and its model are removed", async () => {
  const { page, problems } = await open();
  await inHost(page, { controls: true }, 2);
  const left = await page.evaluate(async () => {
    const { opened, removers } = /** @type {any} */ (globalThis);
    for (const remove of removers) await remove();
    const listening = opened.listening();
    opened.update({ options: { dim: 4 } }); // a computation that is under way
    await opened.close();
    const sent = opened.sent.length;
    await new Promise((later) => setTimeout(later, 300));
    opened.update({ options: { dim: 8 } });
    await new Promise((later) => setTimeout(later, 300));
    return {
      elements: document.querySelectorAll(".phasor-widget").length,
      views: listening,
      listening: opened.listening(),
      sent: opened.sent.length - sent,
    };
  });
  assert.equal(left.elements, 0);
  assert.equal(
    left.views,
    7,
    "only the model listens, to what the picture depends on and to requests",
  );
  assert.equal(left.listening, 0);
  assert.equal(left.sent, 0);
  assert.deepEqual(problems, []);
});

test("widget: the model removes its listeners where a host does not", async () => {
  const { page } = await open();
  const left = await page.evaluate(async () => {
    const { widget } = /** @type {any} */ (globalThis);
    /** @type {string[]} */
    const listeners = [];
    const model = {
      get: () => undefined,
      set() {},
      save_changes() {},
      on: (/** @type {string} */ event) => listeners.push(event),
      off: (/** @type {string} */ event) => listeners.splice(listeners.indexOf(event), 1),
    };
    const el = document.createElement("div");
    document.querySelector("main")?.append(el);
    const { initialize, render } = widget.default();
    const close = initialize({ model });
    const remove = await render({ model, el });
    const drawn = el.querySelectorAll("canvas").length > 0;
    remove();
    close();
    return [drawn, listeners, el.childElementCount];
  });
  assert.deepEqual(left, [true, [], 0]);
});

test(
  "widget: invalid options give a message, in the widget and to the notebook",
  atNight,
  async () => {
    const { page, problems } = await open();
    await inHost(page, { options: { length: 4, dim: 4 } });
    await sent(page);
    /** @type {[State, string | RegExp][]} */
    const cases = [
      [{ options: { dim: 4, layout: "half" } }, /^layout must be one of .*; got "half"$/],
      [{ options: { length: -1 } }, /^length .*-1$/],
      [{ options: [1] }, "options must be an object; got an array of 1"],
      [
        { options: {}, figure: { rowtitle: "x" } },
        /^options must have only .*; got "rowtitle"; did you mean "rowTitle"\?$/,
      ],
      [{ figure: { kind: "pie" } }, /^figure\.kind must be one of .*; got "pie"$/],
      [
        { figure: { kind: "scatter" } },
        /^points must have the shape \[points, 2\]; got \[64, 64\]$/,
      ],
      [{ figure: {}, theme: "blue" }, /^theme must be one of .*; got "blue"$/],
      [{ theme: "auto", title: 5n }, /^title must be text/],
      [
        { title: "", scheme: "ropes" },
        /^scheme must be one of "sinusoidal", .*; got "ropes"; did you mean "rope"\?$/,
      ],
      [{ scheme: "data" }, "data must be passed for this scheme; got undefined"],
      [{ options: { dim: 4 } }, 'options must be empty for the scheme "data"; got dim'],
      [{ options: {}, data: [[1, 2], [3]] }, /^data must not be ragged/],
      [{ data: { data: [1, 2], shape: [3] } }, /^data\.shape must have as many elements/],
      [{ data: [1, 2] }, /^matrix must have the shape \[rows, columns\]; got \[2\]$/],
      [{ data: [["a"]] }, 'data must hold numbers; got "a" at 0'],
      [
        { scheme: "sinusoidal", options: { length: 20000, dim: 2 } },
        /^the picture must have at most/,
      ],
      [
        { options: { length: 1e9, dim: 1024 } },
        "the picture must have at most 16777216 numbers; got [1000000000, 1024]",
      ],
      [
        { scheme: "alibi", options: { heads: 64, length: 5000 } },
        "the picture must have at most 16777216 numbers; got [64, 5000, 5000]",
      ],
      [
        { options: { heads: 1e6, length: 1 } },
        "heads must be at most 256 in a picture; got 1000000",
      ],
      [{ options: { heads: 10n ** 6n, length: 1 } }, /^heads must be at most 256 .+; got 1000000$/],
      [{ scheme: "grid", options: { height: 5000, width: 5000 } }, /^the picture must have at/],
      [
        { scheme: "axial", options: { sizes: [5000, 5000], dim: 4 } },
        "the picture must have at most 16777216 numbers; got [5000, 5000, 4]",
      ],
      [
        { scheme: "bands", options: { height: 1e5 } },
        "the picture must have at most 16384 rows; got 800000",
      ],
      [
        { scheme: "windows", options: { height: 100, width: 100 } },
        "the picture must have at most 16777216 numbers; got [100, 100, 100, 100]",
      ],
      [
        { scheme: "nerf", options: { length: 1e6 } },
        /^length must be a whole .+ 16384; got 1000000$/,
      ],
      [{ scheme: "bands", options: { count: 1e6 } }, /^the picture must have at most 16777216 n/],
    ];
    for (const [state, expected] of cases) {
      await page.evaluate(() => {
        const { opened } = /** @type {any} */ (globalThis);
        opened.update({ error: "?" }); // so that a stale message is not taken for the new one
      });
      await update(page, state);
      await page.waitForFunction(() => /** @type {any} */ (globalThis).opened.held.error !== "?");
      const error = await page.evaluate(() => /** @type {any} */ (globalThis).opened.held.error);
      assert.match(
        error,
        expected instanceof RegExp ? expected : new RegExp(`^${escaped(expected)}$`),
      );
      assert.equal(await wrong(page), error);
      assert.equal(
        await page.locator("canvas").first().isVisible(),
        true,
        "the last picture stays",
      );
    }
    await update(page, { scheme: "sinusoidal", options: { length: 3, dim: 4 } });
    const { error, value } = await received(page);
    assert.equal(error, "");
    assert.deepEqual(value.shape, [3, 4]);
    assert.equal(await wrong(page), "");
    assert.deepEqual(problems, [], "nothing is thrown to the host");
  },
);

/** @param {string} text */
const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

test("widget: numbers from a notebook are bytes, aligned or not, or lists", async () => {
  const { page } = await open();
  await inHost(page, { scheme: "data", data: [[1, 2, 3]] });
  await sent(page);
  await page.evaluate(() => {
    const { opened, host } = /** @type {any} */ (globalThis);
    const data = host.received(Float64Array.of(0.5, -1, 2, 4));
    opened.update({ data: { data, shape: [2, 2], dtype: "float64" } });
  });
  const [first, second] = await sent(page);
  assert.deepEqual(first.value.shape, [1, 3]);
  assert.equal(second.value.dtype, "float64");
  assert.deepEqual(
    [...new Float64Array(Uint8Array.from(second.value.data).buffer)],
    [0.5, -1, 2, 4],
  );

  await page.evaluate(() => {
    const { opened, host } = /** @type {any} */ (globalThis);
    const data = host.received(BigInt64Array.of(1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n));
    opened.update({ data: { data, shape: [2, 2, 2], dtype: "int64" } });
  });
  assert.equal((await sent(page))[2].value.dtype, "int64");
  assert.equal(await page.locator('[data-kind="bias"] .phasor-raster > canvas').count(), 2);
  assert.equal(await wrong(page), "");
});

test("widget: a learned table among the options may be bytes too", async () => {
  const { page } = await open();
  const weights = Float32Array.from({ length: 32 * 2 }, (_, i) => i / 10);
  await inHost(page, { scheme: "t5Bias", options: { length: 6 } });
  await sent(page);
  await page.evaluate((weights) => {
    const { opened, host } = /** @type {any} */ (globalThis);
    const data = host.received(Float32Array.from(weights));
    opened.update({ options: { length: 6, table: { data, shape: [32, 2] } } });
  }, Array.from(weights));
  const [buckets, bias] = await sent(page);
  assert.deepEqual([buckets.value.dtype, buckets.value.shape], ["int32", [6, 6]]);
  const expected = phasor.t5Bias.bias({ data: weights, shape: [32, 2] }, 6, { maxDistance: 128 });
  assert.deepEqual(floats(bias.value), { data: expected.data, shape: [2, 6, 6] });
});

test("widget: a class may leave traits out, which then are as mount's and are not written", async () => {
  const { page } = await open();
  await page.evaluate(async () => {
    const { host, widget } = /** @type {any} */ (globalThis);
    const opened = await host.open(widget, { options: { length: 3, dim: 2, bse: 5 } });
    await opened.view(document.querySelector("main"));
    Object.assign(globalThis, { opened });
  });
  assert.match(
    String(await wrong(page)),
    /^options must have only .*; got "bse"; did you mean "base"\?$/,
  );
  assert.deepEqual(await sent(page), []);
  await update(page, { options: { length: 3, dim: 2 } });
  await page.locator(".phasor-raster").hover();
  assert.deepEqual(await sent(page), []);
  assert.equal(await page.locator("canvas").first().isVisible(), true);
  assert.deepEqual(
    await page.evaluate(() => Object.keys(/** @type {any} */ (globalThis).opened.held)),
    ["options"],
  );
});

test("widget: the selected cell is a trait, which a kernel can set", async () => {
  const { page } = await open();
  await inHost(page, { options: { length: 4, dim: 8 } });
  const before = (await sent(page)).length;
  // All before the page does anything else, as a fast pointer; the browser's own moves may come far apart.
  await page.locator(".phasor-raster > canvas").evaluate((canvas) => {
    const { left, top, width, height } = canvas.getBoundingClientRect();
    for (const column of [1, 2, 3]) {
      const [clientX, clientY] = [left + ((column + 0.5) / 8) * width, top + (2.5 / 4) * height];
      const at = { clientX, clientY, pointerType: "mouse", bubbles: true };
      canvas.dispatchEvent(new PointerEvent("pointermove", at));
    }
  });
  const states = await sent(page);
  assert.deepEqual((await received(page)).selection, { row: 2, column: 3 });
  assert.equal(states.length, before + 1, "three moves are one message");

  await update(page, { selection: { row: 0, column: 1 } });
  assert.match(
    String(await page.locator(".phasor-reading").textContent()),
    /position 0, dimension 1: 1/,
  );
  await update(page, { selection: null });
  assert.equal(await page.locator(".phasor-reading").textContent(), "");
  await update(page, { selection: "nonsense" });
  assert.equal(await wrong(page), "");
});

test("widget: controls set options, and options set controls", async () => {
  const { page, problems } = await open();
  await inHost(page, { scheme: "rope", options: { dim: 8 }, controls: true });
  const width = page.getByRole("slider", { name: "Width" });
  const shown = () => page.locator(".phasor-controls output").allTextContents();
  assert.deepEqual(await shown(), ["64", "8", "10,000"]);
  await width.focus();
  await page.keyboard.press("ArrowRight");
  await page.getByRole("combobox", { name: "Layout" }).selectOption("interleaved");
  const { options, value } = await received(page);
  assert.deepEqual(options, { dim: 10, layout: "interleaved" });
  assert.deepEqual(value.shape, [64, 10]);
  assert.deepEqual(await shown(), ["64", "10", "10,000"]);

  await update(page, { options: { dim: 4, length: 3, base: 12345 } });
  assert.deepEqual(await shown(), ["3", "4", "12,345"]);
  assert.equal(await page.getByRole("combobox").inputValue(), "halves");
  await update(page, { scheme: "alibi", options: {} });
  assert.deepEqual(await shown(), ["8", "32"]);
  await page.getByRole("combobox", { name: "Form" }).selectOption("causal");
  assert.deepEqual((await received(page)).options, { form: "causal" });
  await update(page, { scheme: "kerple", options: {} });
  assert.deepEqual(await shown(), ["8", "32", "1", "1"]);
  await page.getByRole("slider", { name: "A", exact: true }).press("ArrowRight");
  assert.deepEqual((await received(page)).options, { a: 2 });
  await update(page, { options: {} });
  const causal = page.getByRole("checkbox", { name: "Causal" });
  await causal.check();
  assert.deepEqual((await received(page)).options, { causal: true });
  await update(page, { options: {} });
  assert.equal(await causal.isChecked(), false);
  await update(page, { controls: false });
  assert.equal(await page.getByRole("slider").count(), 0);
  await update(page, { controls: true, scheme: "data", data: [[1]] });
  assert.equal(await page.getByRole("group", { name: "Options" }).count(), 0);
  assert.deepEqual(problems, []);
});

test("widget: it has the theme of the surrounding page, not of the system", async () => {
  const { page } = await open();
  await page.emulateMedia({ colorScheme: "light" });
  await inHost(page);
  const theme = () => page.locator(".phasor-widget").getAttribute("data-theme");
  assert.equal(await theme(), "light");
  await page.evaluate(() => document.documentElement.classList.add("dark"));
  await page.waitForSelector('.phasor-figure[data-theme="dark"]');
  assert.equal(await theme(), "dark");
  await update(page, { theme: "light" });
  await page.waitForSelector('.phasor-figure[data-theme="light"]');
  assert.equal(await theme(), "light");
});

test("widget: it looks the same in a shadow tree", async () => {
  const { page, problems } = await open();
  const looks = await page.evaluate(async () => {
    const { widget } = /** @type {any} */ (globalThis);
    const found = [];
    for (const hidden of [false, true]) {
      const el = document.createElement("div");
      document.querySelector("main")?.append(el);
      const inner = document.createElement("div");
      (hidden ? el.attachShadow({ mode: "open" }) : el).append(inner);
      await widget.mount(inner, { scheme: "rope", controls: true, options: { length: 8, dim: 8 } });
      for (let frames = 0; frames < 3; ++frames) await new Promise(requestAnimationFrame); // laid out
      const label = /** @type {HTMLElement} */ (inner.querySelector("label"));
      const raster = /** @type {HTMLElement} */ (inner.querySelector(".phasor-raster"));
      found.push([
        getComputedStyle(label).display,
        getComputedStyle(/** @type {HTMLElement} */ (inner.firstElementChild)).backgroundColor,
        Math.round(raster.getBoundingClientRect().height),
        Math.round(inner.getBoundingClientRect().height),
      ]);
    }
    return found;
  });
  assert.equal(looks[0][0], "grid");
  assert.deepEqual(looks[1], looks[0]);
  assert.deepEqual(problems, []);
});

test("widget: axe reports nothing, light and dark, also with an error", async () => {
  const { page, problems } = await open();
  await inPage(page, { scheme: "rope", controls: true, title: "RoPE" });
  await page.evaluate(() => {
    const { view } = /** @type {any} */ (globalThis);
    view.set("options", { dim: 3 });
  });
  await page.waitForSelector(".phasor-wrong:not([hidden])");
  assert.deepEqual(await violations(page, themes), []);
  assert.deepEqual(problems, []);
});

test("widget: every scheme draws, and its numbers are the package's own", async () => {
  const { page, problems } = await open();
  const { rope, xpos, deberta, fire, shaw, t5Bias, axialRope, windowBias, fourierFeatures } =
    phasor;
  const points = [
    [1, 2, 0],
    [3, 4, 1],
    [0, 1, 1],
    [2, 0, 5],
  ];
  const even = (/** @type {number} */ from, /** @type {number} */ to) =>
    Array.from({ length: 5 }, (_, i) => from + ((to - from) * i) / 4);
  const columns = (/** @type {any} */ { cos, sin }) =>
    Array.from(cos, (/** @type {any} */ row, /** @type {number} */ t) => [
      ...row.data,
      ...sin.row(t).data,
    ]);
  const pairs = (/** @type {any} */ { cos, sin }) =>
    Array.from(cos, (/** @type {any} */ row, /** @type {number} */ t) =>
      [...row.data].flatMap((x, i) => [x, sin.at(t, i)]),
    );
  const small = { length: 5, dim: 8 };
  const conventional = (/** @type {string} */ name, /** @type {string} */ method) => {
    const module = /** @type {any} */ (phasor)[name];
    const made = method === "bias" ? module.bias(3, 4) : module.table(5, 8);
    return [name, [method === "bias" ? heads : small, made.cos ? columns(made) : made]];
  };
  const heads = { heads: 3, length: 4 };
  const patches = { height: 2, width: 3 };
  /** @type {Record<string, [State, any, any?]>} */
  const cases = {
    // Those that follow a convention; some have a case below.
    ...Object.fromEntries(schemesOf(phasor).map(({ name, method }) => conventional(name, method))),
    sinusoidal: [small, phasor.sinusoidal.table(5, 8)],
    rope: [small, columns(rope.table(5, 8))],
    xpos: [small, pairs(xpos.table(5, 8).query)],
    clock: [{ position: 7, dim: 8 }, pairs(rope.table([7], 8))[0]],
    fire: [{ ...heads, seed: 4 }, fire.bias(fire.weights(3, { seed: 4 }), 4)],
    t5Bias: [{ length: 9 }, t5Bias.buckets(9)],
    shaw: [{ length: 5, maxDistance: 2 }, shaw.index(5, 2)],
    deberta: [{ length: 5 }, deberta.index(5)],
    grid: [{ ...patches, dim: 8 }, phasor.sincosGrid.table([2, 3], 8)],
    axial: [{ ...patches, dim: 8 }, pairs(axialRope.table([2, 3], 8))],
    bands: [{ ...patches, count: 2 }, fourierFeatures.bands([2, 3], 2)],
    windows: [patches, windowBias.index([2, 3])],
    timesteps: [small, fourierFeatures.timesteps(even(0, 1000), 8)],
    nerf: [
      { length: 5, levels: 2 },
      fourierFeatures.nerf(
        even(-1, 1).map((x) => [x]),
        { levels: 2 },
      ),
    ],
    gaussian: [small, fourierFeatures.gaussian(even(-1, 1), 8)],
    data: [{}, points, points],
    similarity: [{}, phasor.similarity.matrix(points), points],
    pca: [{}, phasor.pca(points).projected, points],
  };
  assert.deepEqual(Object.keys(cases).sort(), offered.toSorted());
  for (const [scheme, [options, expected, data]] of Object.entries(cases)) {
    const found = await mounted(page, scheme, options, data);
    assert.equal(found.error, "", scheme);
    const numbers = expected.data ? [...expected.data] : expected.flat(3);
    assert.deepEqual(found.data, numbers, scheme);
  }
  for (const scheme of sampled(offered, 1 / 4)) {
    const given = ["data", "similarity", "pca"].includes(scheme) ? points : null;
    const found = await mounted(page, scheme, {}, /** @type {any} */ (given));
    assert.equal(found.error, "", `${scheme} with its defaults`);
  }
  assert.deepEqual(problems, []);
});

test("widget: rows are labeled with their positions", async () => {
  const { page } = await open();
  await inPage(page, { options: { positions: [0, 1000, 1000000], dim: 4 } });
  assert.deepEqual(await page.locator(".phasor-row-axis span:visible").allTextContents(), [
    "0",
    "1000",
    "1000000",
  ]);
});

test("mount: the traits can be read and observed, and dispose removes everything", async () => {
  const { page, problems } = await open();
  const found = await page.evaluate(async () => {
    const { widget } = /** @type {any} */ (globalThis);
    const main = /** @type {HTMLElement} */ (document.querySelector("main"));
    const view = await widget.mount(main, { scheme: "rope", options: { length: 2, dim: 2 } });
    const first = view.get("value").toString();
    /** @type {unknown[]} */
    const heard = [];
    const next = new Promise((resolve) => {
      const end = view.on("value", (/** @type {any} */ value) => {
        heard.push(value.shape.join());
        end();
        resolve(0);
      });
    });
    view.set("options", { length: 3, dim: 2 });
    await next;
    view.set("options", { length: 4, dim: 2 });
    while (view.get("value").shape[0] !== 4) await new Promise(requestAnimationFrame);
    const shape = view.get("value").shape.join();
    const refused = [];
    for (const wrong of [
      () => view.get("x"),
      () => view.set("x", 1),
      () => view.on("x", () => {}),
    ]) {
      try {
        wrong();
      } catch (error) {
        refused.push(/** @type {Error} */ (error).message.split(", ", 1)[0]);
      }
    }
    view.dispose();
    view.dispose();
    return { first, heard, shape, refused, left: main.querySelectorAll("div").length };
  });
  assert.deepEqual(found, {
    first: phasor.rope
      .apply(
        [
          [1, 0],
          [1, 0],
        ],
        phasor.rope.table(2, 2),
      )
      .toString(),
    heard: ["3,2"],
    shape: "4,2",
    refused: ["get", "set", "on"].map((name) => `Widget.${name}: name must be one of "scheme"`),
    left: 0,
  });
  assert.deepEqual(problems, []);
});

test("mount: rejects an element in which it cannot be mounted, with a message", async () => {
  const { page } = await open();
  const refused = await page.evaluate(async () => {
    const { widget } = /** @type {any} */ (globalThis);
    const said = [];
    for (const args of [[null], [document.body, { sheme: "rope" }]]) {
      said.push(await widget.mount(...args).catch((/** @type {Error} */ error) => error.message));
    }
    return said;
  });
  assert.deepEqual(refused, [
    "mount: element must be an element; got null",
    'mount: state must have only scheme, options, data, figure, title, theme, controls, selection, value, error; got "sheme"; did you mean "scheme"?',
  ]);
});

test("define: <phasor-figure> shows a widget, follows its attributes, and reports invalid ones", async () => {
  const { page, problems } = await open();
  const found = await page.evaluate(async () => {
    const { widget } = /** @type {any} */ (globalThis);
    const main = /** @type {HTMLElement} */ (document.querySelector("main"));
    const until = async (/** @type {() => unknown} */ holds) => {
      while (!holds()) await new Promise(requestAnimationFrame);
    };
    const isSame = widget.define() === widget.define();
    const element = document.createElement("phasor-figure");
    element.setAttribute("scheme", "alibi");
    element.setAttribute("heading", "Biases");
    element.setAttribute("options", '{"heads": 2, "length": 4}');
    main.append(element);
    const shown = () => element.querySelector("figure")?.getAttribute("data-kind");
    const first = await until(shown).then(() => [shown(), element.innerText.includes("Biases")]);
    element.setAttribute("scheme", "sinusoidal");
    element.setAttribute("options", '{"length": 3, "dim": 8}');
    await until(() => shown() === "heatmap");
    const controls = () => element.querySelectorAll("input, select").length;
    const before = controls();
    element.toggleAttribute("controls", true);
    await until(() => controls() > before);
    element.setAttribute("options", "{");
    await until(() => element.querySelector(".phasor-error"));
    const wrong = element.querySelector(".phasor-error")?.textContent;
    element.setAttribute("options", '{"length": 5, "dim": 8}');
    await until(() => !element.querySelector(".phasor-error"));
    element.remove();
    await until(() => !element.querySelector("figure"));
    main.append(element);
    await until(shown);
    const said = [];
    for (const name of [1, "div"]) {
      try {
        widget.define(name);
      } catch (error) {
        said.push(/** @type {Error} */ (error).name);
      }
    }
    return { isSame, first, wrong, said };
  });
  assert.deepEqual(found, {
    isSame: true,
    first: ["bias", true],
    wrong: 'options of phasor-figure must be JSON; got "{"',
    said: ["TypeError", "SyntaxError"],
  });
  assert.deepEqual(problems, []);
});

test("widget: a core that cannot start gives a message", async () => {
  const { page } = await open();
  await page.addInitScript("delete globalThis.WebAssembly"); // of this page from now on: the last test
  await open();
  await inHost(page);
  assert.match(String(await wrong(page)), /WebAssembly/);
  assert.equal((await sent(page))[0].error, await wrong(page));
});
