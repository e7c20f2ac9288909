import assert from "node:assert/strict";
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, test } from "node:test";
import { serve } from "../../scripts/site/serve.js";
import { project } from "../../scripts/setup/setup.js";
import { violations } from "./axe.js";
import { openBrowser } from "./browser.js";
import { atNight, sampled } from "../sample.js";

/** @typedef {import("playwright-core").Page} Page */
/** @typedef {import("../../src/plots/scatter.js").ScatterFigure} ScatterFigure */

const desktop = { width: 900, height: 800 };
const phone = { width: 360, height: 740 };
const handheld = { viewport: phone, hasTouch: true, isMobile: true, deviceScaleFactor: 3 };

/** The page's own look, and room below it to scroll. */
const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width" />
    <title>Scatter</title>
    <link rel="icon" href="data:," />
    <link rel="stylesheet" href="look.css" />
    <script type="module" src="plots.js"></script>
  </head>
  <body><main><h1>Points</h1><div id="place"></div><div id="room"></div></main></body>
</html>`;

const folder = join(project, "build", "plots-scatter");
await mkdir(folder, { recursive: true });
await copyFile(join(project, "dist", "plots.js"), join(folder, "plots.js"));
await copyFile(join(project, "tests/unit/reference/samples.js"), join(folder, "samples.js"));
const style = await readFile(join(project, "web/app/style.css"), "utf8");
const look = style.replaceAll(/@font-face \{[^}]*\}/g, ""); // the fonts are not here
await writeFile(join(folder, "look.css"), `${look}\n#room { height: 2000px; }`);
await writeFile(join(folder, "index.html"), page);
const server = await serve(folder);
const browser = await openBrowser();
/** The page that most tests share. */
const shared = await browser.newPage({ viewport: desktop });
/** The phone of the tests with fingers. */
const phoned = await browser.newPage(handheld);

after(async () => {
  await browser.close();
  await server.close();
});

/** Nine points in a square, one in the middle; the label of each says where it is. */
const square = {
  points: [-1, 0, 1].flatMap((y) => [-1, 0, 1].map((x) => [x, y])),
  labels: ["low left", "low", "low right", "left", "middle", "right", "high left", "high", "high right"], // prettier-ignore
};

/**
 * A page with one scatter, known there as `figure`; what it sends is kept in `events`.
 *
 * @param {any} data  points, or how many of them at random
 * @param {object} [options]  of scatter
 * @param {typeof shared} [visit]
 */
async function open(data, options = {}, visit = shared) {
  if (visit === shared) {
    await visit.page.setViewportSize(desktop);
    await visit.page.emulateMedia({ colorScheme: null });
    await visit.page.mouse.move(0, 0);
  }
  visit.problems.length = 0;
  await visit.page.goto(server.url);
  await visit.page.evaluate(
    async ({ data, options }) => {
      const here = /** @type {any} */ (globalThis);
      const { figures } = await import(/** @type {any} */ ("/plots.js"));
      const { random } = await import(/** @type {any} */ ("/samples.js"));
      const next = random();
      const normal = () => (next() + next() + next() + next()) / 2 ** 32 - 2;
      const made =
        typeof data === "number"
          ? { shape: [data, 2], data: Float32Array.from({ length: 2 * data }, normal) }
          : data;
      const more =
        typeof data === "number"
          ? {
              labels: Array.from({ length: data }, (_, i) => `word${i}`),
              groups: Array.from({ length: data }, (_, i) => i % 8),
            }
          : {};
      here.figure = figures().scatter(made, { ...more, ...options });
      here.events = [];
      for (const type of ["input", "change", "view"]) {
        here.figure.addEventListener(type, () => here.events.push(type));
      }
      document.querySelector("#place")?.append(here.figure);
    },
    { data, options },
  );
  await settled(visit.page);
  return visit;
}

/** Until what was asked for is painted. @param {Page} page */
function settled(page) {
  return page.evaluate(
    () => new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next))),
  );
}

/**
 * Asks the figure, after it has painted.
 * @template Result
 * @param {Page} page @param {(figure: ScatterFigure, events: string[]) => Result} ask
 * @returns {Promise<Result>}
 */
async function asked(page, ask) {
  await settled(page);
  return page.evaluate(`(${ask})(figure, events)`);
}

/** Sets what the figure has. @param {Page} page @param {"value" | "view"} name @param {unknown} value */
async function set(page, name, value) {
  await page.evaluate(([name, value]) => {
    const here = /** @type {any} */ (globalThis);
    here.figure[name] = value;
  }, /** @type {const} */ ([name, value]));
  await settled(page);
}

/** Where the canvas is. @param {Page} page */
async function box(page) {
  const found = await page.locator(".phasor-scatter canvas").boundingBox();
  assert.ok(found);
  return found;
}

/** A digest of the canvas's pixels. @param {Page} page @returns {Promise<number>} */
async function pixels(page) {
  await settled(page);
  return page.evaluate(() => {
    const canvas = /** @type {HTMLCanvasElement} */ (document.querySelector("canvas"));
    const { data } = /** @type {any} */ (canvas.getContext("2d")).getImageData(
      ...[0, 0, canvas.width, canvas.height],
    );
    return data.reduce(
      (/** @type {number} */ sum, /** @type {number} */ x) => (sum * 31 + x) | 0,
      0,
    );
  });
}

/** Where a point is in the window, by moving a pointer's worth of arithmetic. @param {Page} page @param {number} index */
async function place(page, index) {
  await set(page, "value", { index });
  const ring = await page.locator(".phasor-ring").boundingBox();
  assert.ok(ring, `point ${index} is in the picture`);
  return { x: ring.x + ring.width / 2, y: ring.y + ring.height / 2 };
}

/** @param {number} actual @param {number} expected @param {number} bound */
function assertNear(actual, expected, bound) {
  assert.ok(Math.abs(actual - expected) <= bound, `${actual} must be near ${expected}`);
}

test("scatter: the nearest point under the pointer is marked, named and said", async () => {
  const { page, problems } = await open(square.points, { labels: square.labels });
  const { x, y } = await place(page, 5);
  await set(page, "value", null);
  await page.mouse.move(x + 9, y - 7);
  assert.deepEqual(await asked(page, ({ value }, events) => [value, events]), [
    { index: 5 },
    ["input"],
  ]);
  assert.equal(await page.locator(".phasor-name").textContent(), "right");
  assert.equal(await page.locator(".phasor-reading").textContent(), "right: x 1, y 0");
  await page.mouse.move(x + 100, y - 60); // nothing is near
  assert.deepEqual(await asked(page, ({ value }) => value), { index: 5 });
  assert.deepEqual(problems, []);
});

test("scatter: a drag moves the points along, and says so", async () => {
  const { page } = await open(square.points, { labels: square.labels });
  const before = await pixels(page);
  const from = await place(page, 4);
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(from.x + 30, from.y + 10);
  await page.mouse.move(from.x + 90, from.y + 40);
  await page.mouse.up();
  const to = await place(page, 4);
  assertNear(to.x - from.x, 90, 1);
  assertNear(to.y - from.y, 40, 1);
  const [view, events] = await asked(page, (figure, events) => [figure.view, events]);
  assert.ok(view.x < -0.1 && view.y > 0.1 && view.scale === 1, JSON.stringify(view));
  assert.ok(events.includes("view") && !events.includes("change"), `${events}`);
  assert.notEqual(await pixels(page), before);
});

test("scatter: the wheel scrolls the page; with Ctrl or focus it zooms about the pointer", async () => {
  const { page } = await open(square.points, { labels: square.labels });
  const { x, y } = await place(page, 2);
  const scrolled = () => page.evaluate(() => scrollY);
  await page.mouse.move(x, y);
  await page.mouse.wheel(0, 120);
  await page.waitForFunction(() => scrollY > 0);
  assert.equal((await asked(page, ({ view }) => view)).scale, 1);
  await page.evaluate(() => scrollTo(0, 0));
  await settled(page);

  await page.keyboard.down("Control");
  await page.mouse.wheel(0, -120);
  await page.keyboard.up("Control");
  await page.waitForFunction("figure.view.scale > 1");
  let there = await place(page, 2);
  assertNear(there.x, x, 1);
  assertNear(there.y, y, 1);

  await page.locator(".phasor-picture").focus();
  const { scale } = await asked(page, ({ view }) => view);
  await page.mouse.wheel(0, -120);
  await page.waitForFunction((scale) => /** @type {any} */ (globalThis).figure.view.scale > scale, scale); // prettier-ignore
  there = await place(page, 2);
  assertNear(there.x, x, 1);
  assertNear(there.y, y, 1);
  assert.equal(await scrolled(), 0);
});

test("scatter: a double click zooms in about the pointer, a click chooses", async () => {
  const { page } = await open(square.points, { labels: square.labels });
  const { x, y } = await place(page, 6);
  await page.mouse.click(x, y);
  assert.deepEqual(await asked(page, ({ value }, events) => [value, events.at(-1)]), [
    { index: 6 },
    "change",
  ]);
  await page.mouse.dblclick(x, y);
  assertNear((await asked(page, ({ view }) => view)).scale, 2, 1e-9);
  const there = await place(page, 6);
  assertNear(there.x, x, 1);
  assertNear(there.y, y, 1);
});

test("scatter: by keyboard: to the nearest point that way, zoom, all, choose", async () => {
  const { page, problems } = await open(square.points, { labels: square.labels });
  await page.locator(".phasor-picture").focus();
  const value = () => asked(page, (figure) => figure.value?.index);
  const visited = [];
  for (const key of ["Home", "ArrowRight", "ArrowUp", "ArrowUp", "ArrowLeft", "ArrowDown", "End"]) {
    await page.keyboard.press(key);
    visited.push(await value());
  }
  assert.deepEqual(visited, [0, 1, 4, 7, 6, 3, 8]);
  await page.keyboard.press("ArrowRight"); // nothing is there
  assert.equal(await value(), 8);

  for (const [key, scale] of /** @type {const} */ ([
    ["+", 1.5],
    ["=", 2.25],
    ["-", 1.5],
    ["+", 2.25],
    ["0", 1],
  ])) {
    // prettier-ignore
    await page.keyboard.press(key);
    assertNear((await asked(page, ({ view }) => view)).scale, scale, 1e-9);
  }
  await page.keyboard.press("Enter");
  assert.equal(await asked(page, (_, events) => events.at(-1)), "change");
  assert.deepEqual(problems, []);
});

test("scatter: a point that the keys reach beyond the edge comes into the picture", async () => {
  const { page } = await open(square.points, { labels: square.labels });
  await set(page, "view", { x: -1, y: -1, scale: 4 });
  await place(page, 0);
  await page.locator(".phasor-picture").focus();
  await page.keyboard.press("ArrowRight");
  const found = await box(page);
  const { x, y } = await place(page, 1);
  assert.ok(x > found.x && x < found.x + found.width && y > found.y && y < found.y + found.height);
  assert.deepEqual(await asked(page, ({ value }) => value), { index: 1 });
});

test("scatter: the buttons zoom and show all again", async () => {
  const { page } = await open(square.points);
  const scales = [];
  for (const name of ["Zoom in", "Zoom in", "Zoom out", "Show all points"]) {
    await page.getByRole("button", { name }).click();
    scales.push((await asked(page, ({ view }) => view)).scale);
  }
  assert.deepEqual(scales, [1.5, 2.25, 1.5, 1]);
});

/**
 * Fingers on the screen, as a phone reports them: places after each other, each of all fingers.
 * @param {Page} page @param {{x: number, y: number}[][]} steps
 */
async function touch(page, steps) {
  const session = await page.context().newCDPSession(page);
  const send = (
    /** @type {"touchStart" | "touchMove" | "touchEnd"} */ type,
    points = [{ x: 0, y: 0 }],
  ) =>
    // prettier-ignore
    session.send("Input.dispatchTouchEvent", {
      type,
      touchPoints: points.map((point, id) => ({ ...point, id })),
    });
  await send("touchStart", steps[0]);
  for (const points of steps.slice(1)) await send("touchMove", points);
  await send("touchEnd", []);
  await settled(page);
}

/** From one place to another. @param {{x: number, y: number}} from @param {number} dx @param {number} dy */
const way = ({ x, y }, dx, dy) =>
  Array.from({ length: 9 }, (_, n) => ({
    x: x + (dx * n) / 8,
    y: y + (dy * n) / 8,
  }));

test("scatter: on a phone one finger scrolls the page, until the picture is tapped", async () => {
  const { page } = await open(square.points, { labels: square.labels }, phoned);
  const { x, y } = await place(page, 4);
  const finger = way({ x: x + 20, y }, 0, -120).map((place) => [place]);
  await touch(page, finger);
  await page.waitForFunction(() => scrollY > 40);
  await page.evaluate(async () => {
    let [before, unchanged] = [-1, 0]; // a flick goes on for a while
    while (unchanged < 20) {
      unchanged = scrollY === before ? unchanged + 1 : 0;
      before = scrollY;
      await new Promise((next) => requestAnimationFrame(next));
    }
  });
  assert.deepEqual(await asked(page, ({ view }) => view), { x: 0, y: 0, scale: 1 });

  await page.evaluate(() => scrollTo(0, 0));
  await settled(page);
  await page.touchscreen.tap(x, y);
  assert.equal(await asked(page, (_, events) => events.at(-1)), "change");
  await touch(page, finger);
  const view = await asked(page, ({ view }) => view);
  assert.ok(view.y < -0.2, `the picture moved: ${JSON.stringify(view)}`);
  assert.equal(await page.evaluate(() => scrollY), 0);
});

test("scatter: on a phone two fingers move and zoom at once", async () => {
  const { page } = await open(square.points, { labels: square.labels }, phoned);
  const { x, y } = await place(page, 4);
  const [left, right] = [way({ x: x - 30, y }, -30, 0), way({ x: x + 30, y }, 30, 0)];
  await touch(
    page,
    left.map((place, n) => [place, right[n]]),
  );
  const view = await asked(page, ({ view }) => view);
  assertNear(view.scale, 2, 0.25);
  assertNear(view.x, 0, 0.1);
  assertNear(view.y, 0, 0.1);
  const [upper, lower] = [way({ x: x - 30, y }, 0, -60), way({ x: x + 30, y }, 0, -60)];
  await touch(
    page,
    upper.map((place, n) => [place, lower[n]]),
  );
  const moved = await asked(page, ({ view }) => view);
  assertNear(moved.scale, view.scale, 0.3);
  assert.ok(moved.y < view.y - 0.1, `the picture moved: ${JSON.stringify(moved)}`);
  assert.equal(await page.evaluate(() => scrollY), 0);
});

test("scatter: a view is restored at any width, and an invalid one is rejected", async () => {
  const { page } = await open(500);
  const view = { x: 0.25, y: -0.125, scale: 12 };
  const before = await pixels(page);
  const refused = await page.evaluate((view) => {
    const { figure } = /** @type {any} */ (globalThis);
    figure.view = view;
    return [5, {}, { x: 0, y: NaN, scale: 1 }, { x: 0, y: 0, scale: 0 }].map((bad) => {
      try {
        figure.view = bad;
      } catch (error) {
        return String(error);
      }
    });
  }, view);
  assert.deepEqual(refused, [
    "TypeError: view must be {x, y, scale} or null; got 5",
    "TypeError: view.x must be a finite number; got undefined",
    "RangeError: view.y must be a finite number; got NaN",
    "RangeError: view.scale must be a finite number > 0; got 0",
  ]);
  assert.deepEqual(await asked(page, (figure, events) => [figure.view, events]), [view, []]);
  assert.notEqual(await pixels(page), before);
  await page.setViewportSize(phone);
  assert.deepEqual(await asked(page, (figure) => figure.view), view);
  await set(page, "view", null);
  assert.equal((await asked(page, (figure) => figure.view)).scale, 1);
});

test("scatter: an update keeps the view and the marks", async () => {
  const { page } = await open(square.points, { labels: square.labels });
  await page.evaluate((points) => {
    const { figure } = /** @type {any} */ (globalThis);
    figure.view = { x: 0.5, y: 0.5, scale: 2 };
    figure.value = { index: 4 };
    figure.update(points.map(([x, y]) => [x * 0.9, y * 0.9]));
  }, square.points);
  assert.deepEqual(await asked(page, ({ view, value }) => [view, value]), [
    { x: 0.5, y: 0.5, scale: 2 },
    { index: 4 },
  ]);
});

test("scatter: the canvas has the screen's own pixels", async () => {
  for (const deviceScaleFactor of sampled([3, 2, 1], 0)) {
    const isPhone = deviceScaleFactor === handheld.deviceScaleFactor;
    const visit = isPhone ? phoned : await browser.newPage({ deviceScaleFactor, viewport: phone });
    const { page } = await open(square.points, {}, visit);
    const { width, height } = await box(page);
    const found = await page.evaluate(() => {
      const { width, height } = /** @type {HTMLCanvasElement} */ (document.querySelector("canvas"));
      return [width, height];
    });
    assert.deepEqual(found, [Math.round(width * deviceScaleFactor), Math.round(height * deviceScaleFactor)]); // prettier-ignore
  }
});

test("scatter: it is painted anew when the page turns dark", async () => {
  const { page } = await open(square.points, { labels: square.labels });
  await page.emulateMedia({ colorScheme: "light" });
  await settled(page);
  const ground = () =>
    page.evaluate(() => {
      const canvas = /** @type {HTMLCanvasElement} */ (document.querySelector("canvas"));
      return [...(canvas.getContext("2d")?.getImageData(60, 40, 1, 1).data ?? [])];
    });
  assert.deepEqual(await ground(), [0xfd, 0xfc, 0xf9, 255]); // the page's own paper
  await page.emulateMedia({ colorScheme: "dark" });
  await settled(page);
  assert.deepEqual(await ground(), [0x12, 0x16, 0x1a, 255]);
});

test("scatter: groups have a legend with their own marks and colors", async () => {
  const groups = ["odd", "even", "odd", "even", null, "even", "odd", "even", "odd"];
  const { page } = await open(square.points, { labels: square.labels, groups });
  assert.deepEqual(await page.locator(".phasor-groups li").allTextContents(), ["odd", "even"]);
  const marks = await page
    .locator(".phasor-groups path")
    .evaluateAll((paths) => paths.map((path) => [path.getAttribute("d"), path.getAttribute("fill")])); // prettier-ignore
  assert.notEqual(marks[0][0], marks[1][0]);
  assert.notEqual(marks[0][1], marks[1][1]);
  await place(page, 1);
  assert.equal(await page.locator(".phasor-reading").textContent(), "low (even): x 0, y \u22121");
});

test("scatter: hostile labels stay text, on the page and in its files", async () => {
  const evil = "<img src=x onerror=alert(1)>";
  const { page, problems } = await open(
    [
      [0, 0],
      [1, 1],
    ],
    {
      // prettier-ignore
      labels: [evil, "=1+1"],
      groups: [evil, "b"],
      title: evil,
      xTitle: "<script>",
    },
  );
  await place(page, 0);
  assert.equal(await page.locator(".phasor-name").textContent(), evil);
  const { csv, svg } = await asked(page, (figure) => ({ csv: figure.csv(), svg: figure.svg() }));
  assert.equal(await page.locator("img, main script").count(), 0);
  await page.goto("about:blank"); // a page without a policy, which lets nothing be parsed
  const { wrong, texts } = await page.evaluate((svg) => {
    const drawing = new DOMParser().parseFromString(svg, "image/svg+xml");
    return {
      wrong: drawing.querySelectorAll("parsererror, img, script").length,
      texts: Array.from(drawing.querySelectorAll("text"), (text) => text.textContent),
    };
  }, svg);
  assert.equal(wrong, 0);
  assert.ok(texts.includes(evil.slice(0, 32)) && texts.includes("<script> \u2192"), `${texts}`);
  assert.equal(csv, `index,label,<script>,y,group\r\n0,${evil},0,0,${evil}\r\n1,'=1+1,1,1,b\r\n`);
  assert.deepEqual(problems, []);
});

test("scatter: the exported drawing has the current view and opens as a picture", async () => {
  const { page, problems } = await open(400);
  await set(page, "view", { x: 0, y: 0, scale: 8 });
  const { paths, all, size } = await asked(page, async (figure) => {
    const marks = () => figure.svg().match(/<path d="M[^"]*" fill="#[^>]*fill-opacity/g) ?? [];
    const paths = marks().join().split("M").length;
    const blob = await figure.png({ scale: 2 });
    const image = await createImageBitmap(blob);
    figure.view = /** @type {any} */ (null);
    return { paths, all: marks().join().split("M").length, size: [image.width, image.height] };
  });
  assert.ok(paths > 1 && paths < all / 2, `${paths} of ${all}`);
  const { width } = await box(page);
  assert.equal(size[0], Math.round(width * 2));
  assert.deepEqual(problems, []);
});

test("scatter: axe finds nothing, on a phone and a desktop", async () => {
  const groups = square.labels.map((label) => label.split(" ")[0]);
  for (const viewport of [desktop, phone]) {
    const options = { labels: square.labels, groups, title: "Square" };
    const { page, problems } = await open(square.points, options);
    await page.setViewportSize(viewport);
    await place(page, 4);
    assert.deepEqual(await violations(page), [], `${viewport.width}`);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= viewport.width, `${width} px wide in ${viewport.width}`);
    assert.deepEqual(problems, []);
  }
});

/**
 * How long the page's tasks took, ms of its main thread's own time: a machine with other work to do
 * does not count.
 *
 * @param {Page} page @param {() => Promise<void>} during
 * @returns {Promise<number[]>} the longest first
 */
async function tasks(page, during) {
  const own = /** @type {import("playwright-core").Browser} */ (page.context().browser());
  await own.startTracing(page, { categories: ["devtools.timeline", "toplevel", "disabled-by-default-devtools.timeline"] }); // prettier-ignore
  await during();
  /** @type {{traceEvents: {name: string, ph: string, pid: number, tid: number, tdur?: number, args: any}[]}} */
  const { traceEvents } = JSON.parse((await own.stopTracing()).toString());
  const frame = traceEvents.find(({ name }) => name === "FireAnimationFrame");
  assert.ok(frame, "the page has painted");
  return traceEvents
    .filter(({ name, pid, tid }) => /RunTask$/.test(name) && pid === frame.pid && tid === frame.tid)
    .map(({ tdur = 0 }) => tdur / 1000)
    .sort((a, b) => b - a);
}

test(
  "scatter: 50,000 points are dragged and zoomed; how long a task takes at most",
  atNight,
  async (t) => {
    for (const deviceScaleFactor of [1, 2]) {
      const visit = await browser.newPage({ viewport: desktop, deviceScaleFactor });
      const { page, problems } = await open(50_000, {}, visit);
      const { x, y, width, height } = await box(page);
      const middle = { x: x + width / 2, y: y + height / 2 };
      const found = await tasks(page, async () => {
        await page.mouse.move(middle.x, middle.y);
        await page.mouse.down();
        for (let n = 1; n <= 30; ++n) await page.mouse.move(middle.x + 4 * n, middle.y + 2 * n);
        await page.mouse.up();
        await page.keyboard.down("Control");
        for (let n = 0; n < 10; ++n) await page.mouse.wheel(0, -12);
        await page.keyboard.up("Control");
        for (let n = 0; n < 30; ++n) await page.mouse.move(middle.x - 5 * n, middle.y - 3 * n);
        await settled(page);
      });
      const longest = found.slice(0, 5).map((time) => time.toFixed(1));
      t.diagnostic(`${deviceScaleFactor} x the pixels: longest tasks ${longest.join(", ")} ms`);
      assert.ok(found[0] > 1, "time was taken");
      const [view, events] = await asked(page, (figure, events) => [figure.view, events]);
      assert.ok(view.scale > 2 && events.includes("view") && events.includes("input"));
      assert.deepEqual(problems, []);
      await page.context().close();
    }
  },
);
