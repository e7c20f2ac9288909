import assert from "node:assert/strict";
import { test } from "node:test";
import { isNight } from "../sample.js";
import { violations } from "./axe.js";
import { gallery, mount, point, settled, update } from "./gallery.js";

/** @typedef {import("playwright-core").Page} Page */

const { open, blank } = gallery("plots-charts");

/** @param {Page} page */
const value = (page) => page.evaluate("figure.value");

/** @param {Page} page */
const reading = (page) => page.locator(".phasor-reading").last().textContent();

/** What follows the reader: its text, and whether it is there. @param {Page} page */
function marked(page) {
  const label = page.locator(".phasor-pointer text").last();
  return label.evaluate((text) => [
    text.textContent,
    getComputedStyle(text).visibility === "visible",
  ]);
}

/**
 * The numbers at the points of a line: where the browser put them, on the axis that it drew.
 * @param {Page} page @param {number} line
 */
function pointsOf(page, line) {
  return page.evaluate((line) => {
    const paths = document.querySelectorAll('g[aria-label="line"] path');
    const path = /** @type {SVGPathElement} */ (paths[line]);
    const matrix = /** @type {DOMMatrix} */ (path.getScreenCTM());
    return Array.from(String(path.getAttribute("d")).matchAll(/[ML]([^MLZ]+)/g), ([, xy]) => {
      const [x, y] = xy.split(",").map(Number);
      const point = new DOMPoint(x, y).matrixTransform(matrix);
      return [point.x, point.y];
    });
  }, line);
}

/** Presses keys and asks what is marked. @param {Page} page @param {[key: string, expected: object][]} steps */
async function press(page, steps) {
  await page.locator(".phasor-picture").last().focus();
  for (const [key, expected] of steps) {
    await page.keyboard.press(key);
    const found = /** @type {any} */ (await value(page));
    const wanted = Object.fromEntries(Object.keys(expected).map((name) => [name, found?.[name]]));
    assert.deepEqual(wanted, expected, key);
  }
}

/** theta of the pairs of a rotary embedding. @param {number} base @param {number} pairs */
const frequencies = (base, pairs) => Array.from({ length: pairs }, (_, i) => base ** (-i / pairs));

/** sin(t / 100^(i / n)). @param {number} T @param {number} n */
const sinusoids = (T, n) =>
  Array.from({ length: T }, (_, t) =>
    Array.from({ length: n }, (_, i) => Math.sin(t / 100 ** (i / n))),
  );

/** @param {number} position @param {number} [count] */
const hands = (position, count = 8) =>
  frequencies(100, count).map((theta) => [Math.cos(position * theta), Math.sin(position * theta)]);

test("waves: the pointer reads the nearest point, and marks it", async () => {
  const { page, problems } = await open();
  const data = sinusoids(40, 3);
  const labels = ["fast", "middle", "slow"];
  await mount(page, "waves", data, {
    labels,
    xTitle: "position (tokens)",
    yTitle: "angle (radians)",
  });
  assert.equal(await value(page), null);
  assert.deepEqual(await marked(page), ["", false]);
  for (const [line, index] of [
    [0, 10],
    [2, 25],
  ]) {
    const [x, y] = (await pointsOf(page, line))[index];
    await point(page, x + 2, y + 2);
    assert.deepEqual(await value(page), { x: index, line, y: data[index][line] });
    const text = String(data[index][line]).replace("-", "−");
    assert.equal(await reading(page), `position ${index}, ${labels[line]}: ${text} radians`);
    const [short, visible] = await marked(page);
    assert.ok(visible && text.startsWith(String(short).slice(0, 4)));
    const dot = await page.locator(".phasor-pointer circle").boundingBox();
    assert.ok(dot && Math.abs(dot.x + dot.width / 2 - x) < 1); // Plot shifts lines by half a pixel
    assert.ok(Math.abs(dot.y + dot.height / 2 - y) < 1);
  }
  assert.equal(/** @type {any[]} */ (await page.evaluate("heard")).length, 2);
  assert.deepEqual(problems, []);
});

test("waves: keys go along a line and from line to line, over gaps as well", async () => {
  const { page, problems } = await open();
  const data = sinusoids(30, 2);
  await mount(page, "waves", data, { x: data.map((_, i) => i * 2) });
  await press(page, [
    ["ArrowRight", { x: 0, line: 0 }],
    ["ArrowRight", { x: 2, line: 0 }],
    ["Shift+ArrowRight", { x: 22, line: 0 }],
    ["ArrowDown", { x: 22, line: 1, y: data[11][1] }],
    ["PageDown", { x: 22, line: 1 }],
    ["End", { x: 58, line: 1 }],
    ["ArrowUp", { x: 58, line: 0 }],
    ["Home", { x: 0, line: 0 }],
  ]);
  await page.evaluate(() => {
    /** @type {any} */ (globalThis).figure.update([[1], [NaN], [-Infinity]], {});
  });
  await press(page, [
    ["Home", { x: 0, y: 1 }],
    ["ArrowRight", { x: 1, y: NaN }],
  ]);
  assert.equal(await reading(page), "position 1: no number");
  assert.equal(await page.locator(".phasor-pointer circle:visible").count(), 0);
  await press(page, [["ArrowRight", { x: 2, y: -Infinity }]]);
  assert.equal(await reading(page), "position 2: −infinity");
  assert.deepEqual(problems, []);
});

test("waves: update keeps element, focus and mark, and draws the new numbers", async () => {
  const { page, problems } = await open();
  await mount(page, "waves", sinusoids(20, 2), { labels: ["a", "b"], title: "Waves" });
  await page.locator(".phasor-picture").focus();
  await page.evaluate("void (figure.value = { x: 4, line: 1 })");
  const before = await pointsOf(page, 1);
  const data = sinusoids(20, 2).map((row) => row.map((x) => x * x));
  await update(page, data);
  assert.deepEqual(await value(page), { x: 4, line: 1, y: data[4][1] });
  assert.notDeepEqual(await pointsOf(page, 1), before);
  assert.equal((await marked(page))[1], true);
  assert.ok(
    await page.evaluate("document.activeElement === figure.querySelector('.phasor-picture')"),
  );
  assert.equal(await page.locator("figcaption").textContent(), "Waves");
  assert.equal(await page.locator("svg").count(), 1);
  await update(page, data.slice(0, 3), { labels: ["a", "b"] });
  assert.deepEqual([await value(page), (await marked(page))[1]], [null, false]);
  assert.deepEqual(problems, []);
});

test("spectrum: the pointer and keys read a pair's wavelength and its turns", async () => {
  const { page, problems } = await open();
  const theta = frequencies(10000, 64);
  const series = [
    { label: "base 10,000", frequencies: theta },
    { label: "few", frequencies: [1, 0] },
  ];
  await mount(page, "spectrum", series, { context: [4096] });
  const [x, y] = (await pointsOf(page, 0))[48];
  await point(page, x, y);
  const wavelength = (2 * Math.PI) / theta[48];
  assert.deepEqual(await value(page), { index: 48, series: 0, frequency: theta[48], wavelength });
  assert.match(
    String(await reading(page)),
    /^base 10,000, pair 48: 0\.001 radians per token, a turn in 6,280 tokens; 0\.652 turns in 4,096 tokens$/,
  );
  assert.deepEqual(await marked(page), ["6,280 tokens", true]);
  await press(page, [
    ["End", { index: 63, series: 0 }],
    ["ArrowDown", { index: 1, series: 1, wavelength: Infinity }],
  ]);
  assert.equal(await reading(page), "few, pair 1: 0 radians per token, never turns");
  assert.deepEqual(await marked(page), ["never turns", true]);
  await press(page, [["Home", { index: 0, series: 1, frequency: 1 }]]);
  const csv = String(await page.evaluate("figure.csv()")).split("\r\n");
  assert.deepEqual(csv[3].split(","), [
    "2",
    String(theta[2]),
    String((2 * Math.PI) / theta[2]),
    String(4096 / ((2 * Math.PI) / theta[2])),
    "",
    "",
    "",
  ]);
  assert.deepEqual(problems, []);
});

test("bar: the pointer reads the bar above which it is, keys go from bar to bar", async () => {
  for (const horizontal of [false, true]) {
    const { page, problems } = await open();
    const values = [3, -1, 2.5, 0.25];
    const labels = ["king", "queen", "man", "woman"];
    await mount(page, "bar", values, { labels, horizontal, yTitle: "length (cm)" });
    const boxes = await page
      .locator('g[aria-label="bar"] rect')
      .evaluateAll((all) => all.map((rect) => rect.getBoundingClientRect().toJSON()));
    for (const [index, { x, y, width, height }] of boxes.entries()) {
      await point(page, x + width / 2, y + height / 2);
      assert.deepEqual(await value(page), { index, value: values[index] });
      const frame = await page.locator(".phasor-pointer rect").boundingBox();
      assert.ok(frame && Math.abs(frame.x + frame.width / 2 - x - width / 2) < 1);
      assert.ok(Math.abs(frame.y + frame.height / 2 - y - height / 2) < 1);
    }
    assert.equal(await reading(page), "woman: 0.25 cm");
    assert.deepEqual(await marked(page), ["0.25", true]);
    await press(page, [
      ["Home", { index: 0, value: 3 }],
      ["ArrowRight", { index: 1, value: -1 }],
      ["ArrowDown", { index: 2 }],
      ["Shift+ArrowDown", { index: 3 }],
      ["ArrowUp", { index: 2 }],
    ]);
    await update(page, [5, 6, 7, 8]);
    assert.deepEqual(await value(page), { index: 2, value: 7 });
    assert.deepEqual(problems, []);
  }
});

test("clock: the pointer and keys read angles, with the turn from before", async () => {
  const { page, problems } = await open();
  await mount(page, "clock", hands(3), { before: hands(2), columns: 4 });
  const fifth = await page.locator(".phasor-pair").nth(5).boundingBox();
  assert.ok(fifth);
  await point(page, fifth.x + fifth.width / 2, fifth.y + fifth.height / 2);
  assert.deepEqual(await value(page), { index: 5 });
  const theta = frequencies(100, 8)[5];
  const degrees = ((3 * theta * 180) / Math.PI).toFixed(1);
  const turn = ((theta * 180) / Math.PI).toFixed(1);
  assert.equal(
    await reading(page),
    `pair 5: ${Number((3 * theta).toFixed(4))} radians (${Number(degrees)}°); ` +
      `${Number(theta.toFixed(4))} radians (${Number(turn)}°) from before`,
  );
  assert.equal(await page.locator(".phasor-pair.here").count(), 1);
  await press(page, [
    ["ArrowUp", { index: 1 }],
    ["ArrowDown", { index: 5 }],
    ["ArrowRight", { index: 6 }],
    ["End", { index: 7 }],
    ["ArrowDown", { index: 7 }],
    ["Home", { index: 0 }],
  ]);
  await update(page, hands(9));
  assert.deepEqual(await value(page), { index: 0 });
  assert.equal(
    await page.locator(".phasor-pair").first().getAttribute("class"),
    "phasor-pair here",
  );
  assert.deepEqual(problems, []);
});

/** @type {[kind: string, data: unknown, options: object][]} */
const samples = [
  [
    "waves",
    sinusoids(64, 4),
    {
      title: "Sinusoids",
      labels: ["dimension 0", "dimension 2", "dimension 4", "dimension 6"],
      xTitle: "position (tokens)",
      rules: [
        { x: 40, label: "trained until here" },
        { y: 0.5, label: "half" },
      ],
    },
  ],
  ["waves", sinusoids(128, 8), { labels: frequencies(2, 8).map((x) => `a long name, ${x}`) }],
  [
    "spectrum",
    [
      { label: "base 10,000", frequencies: frequencies(1e4, 64) },
      { label: "base 500,000", frequencies: frequencies(5e5, 64) },
    ],
    { context: [8192, 131072] },
  ],
  [
    "bar",
    frequencies(256, 16),
    { groups: hands(1, 16).map((_, i) => `group ${i % 3}`), rule: 0.5 },
  ],
  ["bar", [3, -1, 2], { labels: ["king", "queen", "a longer name"], horizontal: true }],
  ["clock", hands(5, 16), { before: hands(3, 16), title: "Hands" }],
];

test("charts: axe finds nothing, nothing overflows, no text is small and ticks do not touch", async () => {
  for (const width of [1000, 360]) {
    const { page, problems } = await open();
    await page.setViewportSize({ width, height: 800 });
    for (const [kind, data, options] of samples) {
      await mount(page, kind, data, options);
      await press(page, [
        ["Home", {}],
        ["ArrowRight", {}],
      ]);
      if (kind === "bar" || isNight) await page.locator("summary").last().click(); // its numbers
      if (kind !== "clock") await checkTicks(page, `${kind} ${width}`);
    }
    // What is narrow by day is looked at in other pages, whose figures are the same.
    if (width === 1000 || isNight) assert.deepEqual(await violations(page), [], `${width}`);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= width, `${wide} px wide in ${width}`);
    const out = await page.locator("svg").evaluateAll((all) =>
      all.flatMap((svg) => {
        const frame = svg.getBoundingClientRect();
        return Array.from(svg.querySelectorAll("text"))
          .filter((text) => {
            const { left, right, top, bottom } = text.getBoundingClientRect();
            const inside =
              left >= frame.left - 1 &&
              right <= frame.right + 1 &&
              top >= frame.top - 2 &&
              bottom <= frame.bottom + 2;
            const large = parseFloat(getComputedStyle(text).fontSize) >= 12;
            return text.textContent !== "" && !(inside && large);
          })
          .map(({ textContent }) => textContent);
      }),
    );
    assert.deepEqual(out, [], `${width}`);
    assert.equal(await page.locator("main style").count(), 0);
    assert.deepEqual(problems, []);
  }
});

/** The ticks of the last figure are apart. @param {Page} page @param {string} where */
async function checkTicks(page, where) {
  for (const [axis, from, to] of /** @type {const} */ ([
    ["x", "left", "right"],
    ["y", "top", "bottom"],
  ])) {
    const boxes = await page
      .locator("figure")
      .last()
      .locator(`g[aria-label="${axis}-axis tick label"] text`)
      .evaluateAll((all) => all.map((each) => each.getBoundingClientRect().toJSON()));
    assert.ok(boxes.length > 1, `${where} ${axis}`);
    boxes.sort((a, b) => a[from] - b[from]);
    for (let i = 1; i < boxes.length; ++i) {
      assert.ok(boxes[i][from] >= boxes[i - 1][to] - 4, `${where} ${axis} ${i}`);
    }
  }
}

test("charts: a change of theme and of width is followed", async () => {
  const { page, problems } = await open();
  await page.emulateMedia({ colorScheme: "light" });
  await mount(page, "waves", sinusoids(20, 3));
  const look = () =>
    page.evaluate(() => {
      const lines = Array.from(document.querySelectorAll('g[aria-label="line"]'));
      const svg = document.querySelector(".phasor-picture svg");
      const colors = lines.map((line) => getComputedStyle(line).stroke);
      return { colors: String(colors), width: svg?.getBoundingClientRect().width };
    });
  const light = await look();
  await page.emulateMedia({ colorScheme: "dark" });
  await settled(page);
  const dark = await look();
  assert.notEqual(dark.colors, light.colors);
  await page.setViewportSize({ width: 500, height: 800 });
  const narrow = await look();
  assert.ok(narrow.width && light.width && narrow.width < light.width - 400);
  assert.deepEqual(problems, []);
});

test("charts: what is exported is drawn by the browser, and parses as XML", async () => {
  const { page, problems } = await open();
  const xml = (await blank()).page;
  const isFirst = (/** @type {string} */ kind, /** @type {number} */ i) =>
    samples.findIndex((sample) => sample[0] === kind) === i;
  const taken = samples.filter(([kind], i) => isNight || isFirst(kind, i));
  for (const [kind, data, options] of taken) {
    await mount(page, kind, data, { ...options, width: 640 });
    const svg = String(await page.evaluate("figure.svg()"));
    const { root, styled } = await xml.evaluate((svg) => {
      const parsed = new DOMParser().parseFromString(svg, "image/svg+xml");
      const { localName, namespaceURI } = parsed.documentElement;
      return {
        root: [localName, namespaceURI],
        styled: parsed.querySelectorAll("style, script, [style]").length,
      };
    }, svg);
    assert.deepEqual(root, ["svg", "http://www.w3.org/2000/svg"], kind);
    assert.equal(styled, 0);
    assert.ok(!svg.includes("var(--"), "its colors are its own");
    const { width, inks } = await page.evaluate(async () => {
      const blob = await /** @type {any} */ (globalThis).figure.png({ scale: 1 });
      const bitmap = await createImageBitmap(blob);
      const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
      const context = canvas.getContext("2d");
      context?.drawImage(bitmap, 0, 0);
      const image = context?.getImageData(0, 0, bitmap.width, bitmap.height);
      return {
        width: bitmap.width,
        inks: new Set(new Uint32Array(image?.data.buffer ?? new ArrayBuffer(0))).size,
      };
    });
    assert.equal(width, 640);
    assert.ok(inks > 20, `${kind}: ${inks} colors`);
  }
  assert.deepEqual(problems, []);
});

test("charts: hostile labels stay text", async () => {
  const { page, problems } = await open();
  const hostile = `"><img src=x onerror=alert(1)><script>alert(2)</script>`;
  const [a, b] = [
    [1, 2],
    [3, 4],
  ];
  await mount(page, "waves", [a, b], { labels: [hostile, hostile], xTitle: hostile });
  await press(page, [["Home", {}]]);
  assert.ok(String(await reading(page)).includes(hostile));
  await mount(page, "bar", a, { labels: [hostile, "b"], groups: [hostile, "c"], title: hostile });
  await mount(page, "spectrum", [{ label: hostile, frequencies: a }], {
    context: [{ length: 4, label: hostile }],
  });
  await mount(page, "clock", [a, b], { labels: [hostile, hostile] });
  assert.equal(await page.locator("main img, main script").count(), 0);
  assert.deepEqual(problems, []);
});
