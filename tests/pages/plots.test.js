import assert from "node:assert/strict";
import { test } from "node:test";
import { violations } from "./axe.js";
import { until } from "../until.js";
import { gallery, mount, point, settled, update } from "./gallery.js";

/** @typedef {import("playwright-core").Page} Page */

const { open, blank } = gallery("plots");

/** @param {Page} page @param {string} name of the figure's property */
function property(page, name) {
  return page.evaluate((name) => /** @type {any} */ (globalThis).figure[name], name);
}

/** @param {Page} page */
function reading(page) {
  return page.locator(".phasor-reading").textContent();
}

/**
 * The middle of a cell on the screen.
 * @param {Page} page @param {number} row @param {number} column
 * @param {[rows: number, columns: number]} size @param {number} [nth]  which canvas
 */
async function middle(page, row, column, [rows, columns], nth = 0) {
  const box = await page.locator(".phasor-raster > canvas").nth(nth).boundingBox();
  assert.ok(box);
  return {
    x: box.x + ((column + 0.5) / columns) * box.width,
    y: box.y + ((row + 0.5) / rows) * box.height,
  };
}

/**
 * R, G, B of the pixels at points of a screenshot.
 * @param {Page} page @param {{x: number, y: number}[]} points
 */
async function onScreen(page, points) {
  const shot = (await page.screenshot()).toString("base64");
  return page.evaluate(async ([shot, points]) => {
    const image = new Image();
    image.src = `data:image/png;base64,${shot}`;
    await image.decode();
    const canvas = new OffscreenCanvas(image.width, image.height);
    const context = canvas.getContext("2d");
    context?.drawImage(image, 0, 0);
    return /** @type {{x: number, y: number}[]} */ (points).map(({ x, y }) =>
      Array.from(context?.getImageData(x, y, 1, 1).data.subarray(0, 3) ?? []),
    );
  }, /** @type {[string, unknown]} */ ([shot, points]));
}

/**
 * What a string of SVG holds, parsed as XML by a page without a policy.
 * @param {string} svg
 */
async function parsed(svg) {
  const { page } = await blank();
  return page.evaluate((svg) => {
    const document = new DOMParser().parseFromString(svg, "image/svg+xml");
    const root = document.documentElement;
    return {
      root: [root.localName, root.namespaceURI, root.getAttribute("width")],
      text: root.textContent,
      names: [...new Set(Array.from(document.querySelectorAll("*"), (e) => e.localName))].sort(),
    };
  }, svg);
}

const matrix = Array.from({ length: 6 }, (_, row) =>
  Array.from({ length: 8 }, (_, column) => (row - 2.5) * (column + 0.25)),
);
/** @type {[number, number]} */
const size = [6, 8];
const titles = { title: "Slopes", rowTitle: "position (tokens)", columnTitle: "dimension" };

test("heatmap: the pointer reads the exact number, and the page gets an event", async () => {
  const { page, problems } = await open();
  await mount(page, "heatmap", matrix, titles);
  assert.equal(await page.getByText("no number").isVisible(), false);
  assert.equal(await property(page, "value"), null);
  const at = await middle(page, 4, 7, size);
  await point(page, at.x, at.y);
  assert.equal(await reading(page), "position 4, dimension 7: 10.875");
  assert.deepEqual(await property(page, "value"), { row: 4, column: 7, value: 10.875 });
  await point(page, at.x + 1, at.y); // the same cell
  const next = await middle(page, 0, 0, size);
  await point(page, next.x, next.y);
  assert.equal(await reading(page), "position 0, dimension 0: −0.625");
  assert.deepEqual(await page.evaluate("heard.map(({ row, column }) => [row, column])"), [
    [4, 7],
    [0, 0],
  ]);
  await point(page, at.x + 200, at.y + 400); // beside the picture: nothing else is read
  assert.equal(await reading(page), "position 0, dimension 0: −0.625");
  const mark = await page.locator(".phasor-cell").boundingBox();
  assert.ok(mark && Math.abs(mark.x + mark.width / 2 - next.x) < 1);
  assert.deepEqual(problems, []);
});

test("heatmap: keys move by one, by ten and to the ends, and it is spoken while it has focus", async () => {
  const { page, problems } = await open();
  const large = Array.from({ length: 30 }, (_, row) =>
    Array.from({ length: 40 }, (_, column) => row * 100 + column),
  );
  await mount(page, "heatmap", large, { rowLabels: large.map((_, i) => `r${i}`) });
  const picture = page.locator(".phasor-picture");
  assert.equal(await page.locator(".phasor-reading").getAttribute("aria-live"), null);
  await page.keyboard.press("Tab");
  assert.ok(await picture.evaluate((element) => element === document.activeElement));
  assert.equal(await page.locator(".phasor-reading").getAttribute("aria-live"), "polite");
  for (const [key, row, column] of /** @type {const} */ ([
    ["ArrowRight", 0, 0],
    ["ArrowRight", 0, 1],
    ["ArrowDown", 1, 1],
    ["Shift+ArrowDown", 11, 1],
    ["PageDown", 21, 1],
    ["PageDown", 29, 1],
    ["End", 29, 39],
    ["Shift+ArrowLeft", 29, 29],
    ["PageUp", 19, 29],
    ["Home", 19, 0],
    ["ArrowUp", 18, 0],
  ])) {
    await page.keyboard.press(key);
    assert.deepEqual(
      await property(page, "value"),
      { row, column, value: row * 100 + column },
      key,
    );
  }
  assert.equal(await reading(page), "row r18, column 0: 1800");
  await page.keyboard.press("Tab");
  assert.equal(await page.locator(".phasor-reading").getAttribute("aria-live"), null);
  assert.deepEqual(problems, []);
});

test("heatmap: update keeps element, focus, mark and open numbers; a lost mark returns with its cell", async () => {
  const { page, problems } = await open();
  await mount(page, "heatmap", matrix, titles);
  await page.evaluate("void (globalThis.first = figure.querySelector('canvas'))");
  await page.locator("summary").click();
  await page.locator(".phasor-picture").focus();
  await page.evaluate("void (figure.value = { row: 5, column: 3 })");
  const doubled = matrix.map((row) => row.map((x) => x * 2));
  await update(page, doubled);
  assert.equal(await reading(page), `position 5, dimension 3: ${2 * 2.5 * 3.25}`);
  assert.ok(await page.evaluate("first === figure.querySelector('canvas')"));
  assert.ok(
    await page.evaluate("document.activeElement === figure.querySelector('.phasor-picture')"),
  );
  assert.equal(await page.locator("td").nth(3).textContent(), `−${2 * 2.5 * 3.25}`);
  assert.equal(await page.locator("figcaption").textContent(), "Slopes");

  await update(page, doubled.slice(0, 3), { rowTitle: "row" });
  assert.equal(await property(page, "value"), null);
  assert.equal(await reading(page), "");
  assert.equal(await page.locator(".phasor-cell:visible").count(), 0);
  assert.ok(
    await page.locator("figcaption").isHidden(),
    "options that are given replace the former",
  );
  await update(page, doubled, { rowTitle: "row" });
  assert.equal(await reading(page), `row 5, column 3: ${2 * 2.5 * 3.25}`);
  assert.deepEqual(await property(page, "heard"), undefined);
  assert.deepEqual(await page.evaluate("heard"), [], "the program is not told what it did itself");
  assert.deepEqual(problems, []);
});

test("heatmap: the picture is painted in the theme of the moment", async () => {
  const { page, problems } = await open();
  await page.emulateMedia({ colorScheme: "light" });
  const values = [[-1, 0, 1, NaN]];
  await mount(page, "heatmap", values, { height: 60 });
  const points = await Promise.all([0, 1, 2, 3].map((at) => middle(page, 0, at, [1, 4])));
  assert.ok(await page.getByText("no number").isVisible(), "the legend has the gray");
  const sum = (/** @type {number[]} */ rgb) => rgb[0] + rgb[1] + rgb[2];
  const look = async () => {
    const [red, zero, blue, none] = await onScreen(page, points);
    assert.ok(red[0] > red[2] + 50, "negative is red");
    assert.ok(blue[2] > blue[0] + 50, "positive is blue");
    assert.ok(Math.max(...none) - Math.min(...none) < 12, "no number is gray");
    return { zero: sum(zero), none: sum(none) };
  };
  const light = await look();
  assert.ok(light.zero > 690 && light.none < light.zero - 100);
  await page.emulateMedia({ colorScheme: "dark" });
  await settled(page);
  const dark = await look();
  assert.ok(dark.zero < 75 && dark.none > dark.zero + 100);
  await update(page, values, { theme: "light", height: 60 });
  assert.deepEqual(await look(), light);
  assert.deepEqual(problems, []);
});

test("heatmap: its ticks fit, and cells finer than pixels are averaged", async () => {
  for (const width of [360, 1000]) {
    const { page, problems } = await open();
    await page.setViewportSize({ width, height: 800 });
    // Made in the page: Playwright takes seconds to send as many cells.
    const table = await page.evaluateHandle(() => {
      const [rows, columns] = [600, 1024];
      const data = Float32Array.from({ length: rows * columns }, (_, i) => (i + (i >> 10)) % 2);
      return { data, shape: [rows, columns] };
    });
    await mount(page, "heatmap", table, { rowTitle: "position", columnTitle: "dimension" });
    assert.equal(await page.locator(".phasor-averaged").count(), 1);
    await page.locator(".phasor-picture").focus();
    await page.keyboard.press("End"); // a label at the very edge
    for (const axis of ["row", "column"]) {
      const boxes = await page
        .locator(`.phasor-${axis}-axis span:visible`)
        .evaluateAll((all) => all.map((each) => each.getBoundingClientRect().toJSON()));
      assert.ok(boxes.length > 3, `${boxes.length} ticks`);
      const [from, to] = axis === "row" ? ["top", "bottom"] : ["left", "right"];
      boxes.sort((a, b) => a[from] - b[from]);
      for (let i = 1; i < boxes.length; ++i) assert.ok(boxes[i][from] >= boxes[i - 1][to], axis);
    }
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= width, `${wide} px wide in ${width}`);
    assert.deepEqual(problems, []);
  }
});

test("bias: every head shows the cell under the pointer, keys move it", async () => {
  const { page, problems } = await open();
  const heads = [0, 1, 2].map((head) =>
    [0, 1, 2, 3].map((query) =>
      [0, 1, 2, 3].map((key) => (key > query ? "-Infinity" : (key - query) / 2 ** head)),
    ),
  );
  await page.evaluate((heads) => {
    const biases = heads.map((rows) => rows.map((row) => row.map(Number)));
    const figure = /** @type {any} */ (globalThis).plots.bias(biases, { title: "ALiBi" });
    Object.assign(globalThis, { figure });
    document.querySelector("main")?.append(figure);
  }, heads);
  await settled(page);
  const at = await middle(page, 3, 1, [4, 4], 2);
  await point(page, at.x, at.y);
  assert.equal(await reading(page), "query 3, key 1: head 0 −2; head 1 −1; head 2 −0.5");
  assert.deepEqual(await property(page, "value"), { row: 3, column: 1, values: [-2, -1, -0.5] });
  assert.equal(await page.locator(".phasor-cell:visible").count(), 3);
  await page.locator(".phasor-picture").focus();
  await page.keyboard.press("End");
  await page.keyboard.press("ArrowUp");
  assert.equal(
    await reading(page),
    "query 2, key 3: head 0 −infinity; head 1 −infinity; head 2 −infinity",
  );
  assert.match(
    String(await page.locator(".phasor-picture").getAttribute("aria-label")),
    /18 values not finite/,
  );
  assert.deepEqual(problems, []);
});

test("figures: axe finds nothing, with the numbers open, wide and narrow", async () => {
  for (const width of [1000, 360]) {
    const { page, problems } = await open();
    await page.setViewportSize({ width, height: 800 });
    await mount(page, "heatmap", matrix, { ...titles, framed: 2, marks: [[1, 1]] });
    await mount(page, "bias", [matrix, matrix], { title: "Biases", headLabels: ["a", "b"] });
    for (const summary of await page.locator("summary").all()) await summary.click();
    await page.locator(".phasor-picture").first().focus();
    await page.keyboard.press("End");
    assert.deepEqual(await violations(page), [], `${width}`);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= width, `${wide} px wide in ${width}`);
    assert.deepEqual(problems, []);
  }
});

test("figures: what is exported opens: CSV, SVG and PNG", async () => {
  const { page, problems } = await open();
  await mount(page, "heatmap", matrix, { ...titles, width: 500 });
  const rows = (await page.evaluate("figure.csv()")).trimEnd().split("\r\n");
  assert.equal(rows[0], "position (tokens),0,1,2,3,4,5,6,7");
  assert.deepEqual(
    rows.slice(1).map((/** @type {string} */ row) => row.split(",").slice(1).map(Number)),
    matrix,
  );
  const { root, text } = await parsed(await page.evaluate("figure.svg()"));
  assert.deepEqual(root, ["svg", "http://www.w3.org/2000/svg", "500"]);
  assert.match(String(text), /Slopes.*position \(tokens\).*dimension/);

  const png = await page.evaluate(async () => {
    const blob = await /** @type {any} */ (globalThis).figure.png({ scale: 2 });
    const { width, height } = await createImageBitmap(blob);
    return { width, height, type: blob.type };
  });
  const height = await page.evaluate('Number(/height="(\\d+)/.exec(figure.svg())[1])');
  assert.deepEqual(png, { width: 1000, height: 2 * height, type: "image/png" });

  // The cells alone, decoded by the browser: as many pixels, in the colors of the canvas.
  const same = await page.evaluate(async (matrix) => {
    const { plots, figure } = /** @type {any} */ (globalThis);
    const image = new Image();
    image.src = plots.heatmap(matrix, { as: "png" });
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
    canvas.getContext("2d")?.drawImage(image, 0, 0);
    const pixels = (/** @type {HTMLCanvasElement} */ from) =>
      String(from.getContext("2d")?.getImageData(0, 0, from.width, from.height).data);
    const shown = figure.querySelector(".phasor-raster canvas");
    return [canvas.width, canvas.height, pixels(canvas) === pixels(shown)];
  }, matrix);
  assert.deepEqual(same, [8, 6, true]);
  assert.deepEqual(problems, []);
});

test("figures: hostile labels stay text, in the page and in its exports", async () => {
  const { page, problems } = await open();
  const hostile = `"><img src=x onerror=alert(1)><script>alert(2)</script>`;
  await mount(page, "heatmap", [[1, 2]], {
    title: hostile,
    rowTitle: hostile,
    columnLabels: [hostile, "=1+1"],
    rowLabels: [hostile],
    unit: hostile,
  });
  await page.locator("summary").click();
  await page.locator(".phasor-picture").focus();
  await page.keyboard.press("Home");
  assert.equal(await page.locator("main img, main script").count(), 0);
  assert.ok(String(await reading(page)).includes(hostile));
  const { names } = await parsed(await page.evaluate("figure.svg()"));
  assert.deepEqual(names, ["g", "image", "rect", "svg", "text"]);
  assert.match(await page.evaluate("figure.csv()"), /,'=1\+1\r\n/);
  assert.deepEqual(problems, []);
});

test("figures: they have their styles in a shadow root, too", async () => {
  const { page } = await open();
  const height = await page.evaluate(async () => {
    const host = document.createElement("div");
    document.querySelector("main")?.append(host);
    const figure = /** @type {any} */ (globalThis).plots.heatmap([[1, 2]], { height: 50 });
    host.attachShadow({ mode: "open" }).append(figure);
    // It learns of its root when it is laid out, and is dressed in the frame after.
    for (let frame = 0; frame < 3; ++frame) await new Promise(requestAnimationFrame);
    return figure.querySelector("canvas").getBoundingClientRect().height;
  });
  assert.equal(height, 50);
});

test("figures: those that a frame has no time for are fitted to their width in the next ones", async () => {
  const { page, problems } = await open();
  const fitted = await page.evaluate(async () => {
    const { plots } = /** @type {any} */ (globalThis);
    let time = 0;
    performance.now = () => (time += 10); // whatever a figure takes is more than a frame has
    const figures = Array.from({ length: 4 }, () => plots.waves([[0, 1, 0, -1]]));
    const main = /** @type {HTMLElement} */ (document.querySelector("main"));
    main.style.width = "400px";
    main.append(...figures);
    const counts = [];
    for (let frame = 0; frame < 9; ++frame) {
      const widths = figures.map((figure) => figure.querySelector("svg").getAttribute("width"));
      counts.push(widths.filter((width) => width !== "640").length);
      await new Promise(requestAnimationFrame);
    }
    return counts;
  });
  assert.equal(fitted.at(-1), 4);
  const steps = fitted.slice(1).map((count, i) => count - fitted[i]);
  assert.equal(Math.max(...steps), 1, `fitted by frame: ${fitted}`);
  assert.deepEqual(problems, []);
});

test("figures: on paper they are light, with what is behind them, in a page and a figure that are dark", async () => {
  const { page } = await open();
  await page.emulateMedia({ colorScheme: "dark" });
  const look = () =>
    page.evaluate(() =>
      Array.from(document.querySelectorAll(".phasor-figure"), (figure) => ({
        paper: getComputedStyle(figure).backgroundColor,
        ink: getComputedStyle(/** @type {Element} */ (figure.querySelector(".phasor-title"))).color,
        cells: figure.querySelector("canvas")?.toDataURL(),
      })),
    );
  await page.evaluate(() => {
    const { plots } = /** @type {any} */ (globalThis);
    document
      .querySelector("main")
      ?.replaceChildren(
        ...["auto", "dark", "light"].map((theme) =>
          plots.heatmap([[-1, 0, 1]], { theme, title: "T" }),
        ),
        ...["auto", "dark", "light"].map((theme) => plots.scatter([[0, 0]], { theme, title: "T" })),
      );
  });
  await settled(page);
  await page.evaluate(() => {
    globalThis.requestAnimationFrame = () => 0; // it is printed before a frame that is waited for
    for (const figure of document.querySelectorAll(".phasor-figure")) {
      if ("view" in figure) figure.view = null;
    }
  });
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  const areLight = async () => {
    const all = await look();
    return all.every(({ cells }, i) => cells === all[i < 3 ? 2 : 5].cells);
  };
  await until(areLight, "every canvas has the colors of the light theme");
  const now = await look();
  assert.deepEqual(now.map(({ paper }) => paper), Array(6).fill("rgb(255, 255, 255)")); // prettier-ignore
  assert.deepEqual(now.map(({ ink }) => ink), Array(6).fill("rgb(29, 34, 39)")); // prettier-ignore
  await page.emulateMedia({ media: "screen", colorScheme: "light" });
});
