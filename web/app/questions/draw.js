// A curve that the reader draws, and the computed one over it.

import { make, makeSvg } from "../dom.js";
import { brief } from "../numbers.js";

/** @import { Drawn } from "./verdict.js" */

/** The size of the drawing in its own units; CSS gives it the size on the page. */
const [WIDTH, HEIGHT] = [1000, 400];

/** Steps of a key, as shares of the range. */
const STEP = { plain: 0.05, fine: 0.01 };

const PICTURE = {
  viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
  preserveAspectRatio: "none",
  "aria-hidden": "true",
};

/**
 * Makes a `div.draw` of the page's HTML a field to draw in: with a pointer, or point by point with the arrow keys.
 *
 * @param {HTMLElement} place
 */
export function drawing(place) {
  const { dataset } = place;
  const [from, to, least, most, count] = ["from", "to", "min", "max", "points"].map((name) =>
    Number(dataset[name]),
  );
  const variable = dataset.variable ?? "x";
  const input = /** @type {HTMLInputElement} */ (place.querySelector("input"));
  const area = /** @type {HTMLElement} */ (place.querySelector(".draw-area"));
  const xs = Array.from({ length: count }, (_, i) => from + (i / (count - 1)) * (to - from));
  /** @type {(number | undefined)[]} */
  let ys = xs.map(() => undefined);

  const left = (/** @type {number} */ x) => (x - from) / (to - from);
  const top = (/** @type {number} */ y) => (most - y) / (most - least);
  const clamped = (/** @type {number} */ y) => Math.min(most, Math.max(least, y));
  const picture = makeSvg("svg", PICTURE);
  const own = makeSvg("path", { class: "own" });
  const truth = makeSvg("path", { class: "truth" });
  const handles = xs.map((x, i) =>
    make("div", {
      class: "handle",
      role: "slider",
      tabindex: i === 0 ? 0 : -1,
      "aria-label": `${variable} = ${brief(x)}`,
      "aria-orientation": "vertical",
      "aria-valuemin": least,
      "aria-valuemax": most,
    }),
  );
  handles.forEach((handle, i) => (handle.style.left = `${100 * left(xs[i])}%`));
  picture.append(own, truth);
  area.append(picture, ...marks("x", from, to), ...marks("y", least, most), ...handles);
  area.style.setProperty("--parts", String(ticks(least, most).length - 1)); // of the grid

  /** The points with those between that the reader has not drawn. */
  function filled() {
    const known = ys.flatMap((y, i) => (y === undefined ? [] : [{ i, y }]));
    if (known.length === 0) return undefined;
    return ys.map((_, i) => {
      const after = known.find((each) => each.i >= i) ?? known[known.length - 1];
      const before = known.findLast((each) => each.i <= i) ?? after;
      const share = after.i === before.i ? 0 : (i - before.i) / (after.i - before.i);
      return before.y + share * (after.y - before.y);
    });
  }

  function show() {
    const all = filled();
    own.setAttribute("d", all ? line(all.map((y, i) => [xs[i], y])) : "");
    handles.forEach((handle, i) => {
      const y = all?.[i] ?? (least + most) / 2;
      handle.style.top = `${100 * top(y)}%`;
      handle.classList.toggle("drawn", ys[i] !== undefined);
      handle.setAttribute("aria-valuenow", String(y));
      handle.setAttribute("aria-valuetext", all ? brief(y) : "not drawn yet");
    });
    input.value = all ? all.map((y) => Number(y.toPrecision(6))).join(" ") : "";
  }

  /** @param {[number, number][]} points */
  function line(points) {
    const at = points.map(
      ([x, y]) => `${(WIDTH * left(x)).toFixed(1)} ${(HEIGHT * top(clamped(y))).toFixed(1)}`,
    );
    return `M${at.join("L")}`;
  }

  function changed() {
    truth.removeAttribute("d");
    place.classList.remove("shown");
    show();
    input.dispatchEvent(new Event("input", { bubbles: true }));
  }

  /** Draws with the pointer: sets every point between the last one and the nearest. */
  function followPointer() {
    /** @type {{ i: number, y: number } | undefined} */
    let last;
    const draw = (/** @type {PointerEvent} */ event) => {
      const box = area.getBoundingClientRect();
      const share = Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
      const i = Math.round(share * (count - 1));
      const y = clamped(most - ((event.clientY - box.top) / box.height) * (most - least));
      const start = last ?? { i, y };
      for (let k = Math.min(i, start.i); k <= Math.max(i, start.i); ++k) {
        const part = i === start.i ? 1 : (k - start.i) / (i - start.i);
        if (k !== start.i || !last || i === start.i) ys[k] = start.y + part * (y - start.y);
      }
      last = { i, y };
      changed();
    };
    area.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      event.preventDefault(); // no selection of text
      area.setPointerCapture(event.pointerId);
      last = undefined;
      draw(event);
      area.addEventListener("pointermove", draw);
    });
    for (const end of ["pointerup", "pointercancel"]) {
      area.addEventListener(end, () => area.removeEventListener("pointermove", draw));
    }
  }

  /** @param {KeyboardEvent} event */
  function press(event) {
    const i = handles.indexOf(/** @type {HTMLDivElement} */ (event.target));
    if (i < 0 || event.ctrlKey || event.altKey || event.metaKey) return;
    const step = (event.shiftKey ? STEP.fine : STEP.plain) * (most - least);
    const now = filled()?.[i] ?? (least + most) / 2;
    const to = { ArrowUp: now + step, ArrowDown: now - step, Home: least, End: most }[event.key];
    const beside = { ArrowLeft: i - 1, ArrowRight: i + 1 }[event.key];
    if (to === undefined && beside === undefined) return;
    event.preventDefault();
    if (beside !== undefined) return choose(Math.min(count - 1, Math.max(0, beside)));
    ys[i] = clamped(/** @type {number} */ (to));
    changed();
  }

  /** @param {number} i */
  function choose(i) {
    for (const handle of handles) handle.tabIndex = -1;
    handles[i].tabIndex = 0;
    handles[i].focus();
  }

  area.addEventListener("keydown", press);
  followPointer();
  show();

  return {
    /** What the reader has drawn, from the text of an answer. @param {string} text @returns {Drawn | undefined} */
    read(text) {
      const numbers = text.split(" ").map(Number);
      if (numbers.length !== count || !numbers.every(Number.isFinite)) return undefined;
      return { points: numbers.map((y, i) => [xs[i], y]), variable };
    },

    /** Draws an answer that was kept, or none. @param {string} text */
    put(text) {
      const drawn = this.read(text);
      ys = xs.map((_, i) => drawn?.points[i][1]);
      truth.removeAttribute("d");
      place.classList.remove("shown");
      show();
    },

    /** Draws the computed curve over it. @param {readonly (readonly [number, number])[]} curve */
    reveal(curve) {
      truth.setAttribute("d", line(curve.map(([x, y]) => [x, y])));
      place.classList.add("shown");
    },
  };
}

/** The numbers at an axis, which the points say, too. @param {"x" | "y"} axis @param {number} low @param {number} high */
function marks(axis, low, high) {
  return ticks(low, high).map((at, i, { length }) => {
    const mark = make("span", { class: `mark ${axis}`, "aria-hidden": "true" }, brief(at));
    const share = i / (length - 1);
    if (axis === "x") mark.style.left = `${100 * share}%`;
    else mark.style.top = `${100 * (1 - share)}%`;
    return mark;
  });
}

/**
 * Numbers of an axis at equal distances: whole ones over a range of whole numbers, otherwise quarters.
 * @param {number} low @param {number} high
 */
export function ticks(low, high) {
  const range = high - low;
  const isWhole = Number.isInteger(low) && range >= 4;
  const parts = (isWhole && [4, 5, 3, 6, 7].find((n) => range % n === 0)) || 4;
  return Array.from({ length: parts + 1 }, (_, i) => low + (i / parts) * range);
}
