// The first figure of the site: three words that can be swapped, their vectors that travel with them, the positions
// that stay, and whether attention can tell the difference.

/** @import { Phasor } from "phasor" */
import { byId, make } from "../app/dom.js";
import { drawStrip } from "./strip.js";
import { drawWaves } from "./waves.js";

/** The pairs of sine and cosine of an input that are drawn: the fast ones, which differ between neighbors. */
const DRAWN = 48;

/** The pairs whose sines run through the figure. */
const WAVES = [0, 12, 24, 48];

/** Points of a wave between two positions. */
const FINE = 40;

/** How many times as high as an output its difference is drawn. */
const MAGNIFIED = 5;

/** The width of the attention head. */
const HEAD = 64;

/** Milliseconds of a word's way to its new place, and between the steps of the demonstration. */
const TRAVEL = 420;
const REST = 1700;

/** The word between the others, which asks what it gets of them. */
const VERB = 1;

const still = matchMedia("(prefers-reduced-motion: reduce)");

/** @typedef {{ word: string, vector: Float32Array }} Word */

/**
 * The figure: its numbers, its elements, and what the reader has chosen.
 * @typedef {object} Figure
 * @property {readonly Word[]} words
 * @property {ReturnType<typeof headOf>} head
 * @property {ReturnType<typeof itemOf>[]} items  of the words
 * @property {ReturnType<typeof placeOf>[]} places  of the positions
 * @property {HTMLInputElement} toggle  of the positions
 * @property {HTMLElement} stage
 * @property {number[]} order  of the words
 * @property {boolean} withPositions
 * @property {ReturnType<typeof setTimeout>[]} planned  steps of the demonstration
 */

/**
 * @param {Pick<Phasor, "attention" | "embedding" | "sinusoidal">} phasor
 * @param {readonly Word[]} words  three, of which the outer two are swapped
 */
export function hero(phasor, words) {
  const items = words.map(itemOf);
  byId("hero-words").replaceChildren(...items.map(({ item }) => item));
  /** @type {Figure} */
  const figure = {
    words,
    head: headOf(phasor, words),
    items,
    places: words.map((_, t) => placeOf(t)),
    toggle: /** @type {HTMLInputElement} */ (byId("hero-with")),
    stage: byId("hero-stage"),
    order: words.map((_, i) => i),
    withPositions: false,
    planned: [],
  };
  listen(figure);
  switchPositions(figure, figure.toggle.checked);
  figure.stage.dataset.ready = "true";
  redraw(figure);
  if (!still.matches && !figure.toggle.checked) demonstrate(figure);
}

// --- numbers ---

/**
 * The inputs of the words and positions, and an attention head with random weights.
 * @param {Pick<Phasor, "attention" | "embedding" | "sinusoidal">} phasor @param {readonly Word[]} words
 */
function headOf({ attention, embedding, sinusoidal }, words) {
  const count = words.length;
  const width = words[0].vector.length;
  const scale = Math.sqrt(width);
  const scaled = words.map(({ vector }) => vector.map((x) => x * scale));
  const table = sinusoidal.table(count, width, { layout: "halves" });
  const positions = Array.from({ length: count }, (_, t) =>
    Float32Array.from(table.data.subarray(t * width, (t + 1) * width), Number),
  );
  const random = { std: 1 / scale, seed: 1, storage: /** @type {const} */ ("on-demand") };
  const projection = embedding.create(3 * HEAD, width, random).weights();

  /** The waves from half a position before the first word to half a position after the last. */
  const along = Array.from({ length: count * FINE + 1 }, (_, i) => i / FINE - 0.5);
  const fine = sinusoidal.table(along, width, { layout: "halves" });
  const waves = WAVES.map((pair) =>
    along.map((t, i) => /** @type {const} */ ([t, fine.at(i, pair)])),
  );

  /**
   * The input of a position: the word's vector, and its position's if positions are on.
   * @param {Pick<Figure, "order" | "withPositions">} state @param {number} at
   */
  const input = ({ order, withPositions }, at) =>
    withPositions ? scaled[order[at]].map((x, d) => x + positions[at][d]) : scaled[order[at]];

  /** What the head gives the verb. @param {Pick<Figure, "order" | "withPositions">} state */
  function output(state) {
    const data = new Float32Array(count * width);
    state.order.forEach((_, at) => data.set(input(state, at), at * width));
    const projected = attention.linear({ data, shape: [count, width] }, projection);
    const [q, k, v] = [0, 1, 2].map((part) => columns(projected, part * HEAD, HEAD));
    const verb = attention.scaledDotProduct({ q, k, v }).output.row(state.order.indexOf(VERB));
    return Float32Array.from(verb);
  }

  return { width, scaled, waves, input, output };
}

// --- elements ---

/** @param {string} label */
const stripOf = (label) => make("canvas", { class: "strip", role: "img", "aria-label": label });

/** @param {Word} word @param {number} i */
function itemOf({ word }, i) {
  const chip = make(
    "button",
    { type: "button", class: "chip", "aria-describedby": "hero-how" },
    word,
  );
  const strip = stripOf(`The vector of ${word}`);
  const item = make("li", { class: "hero-word", "data-word": i }, chip, strip);
  return { item, chip, strip };
}

/** @param {number} t */
function placeOf(t) {
  const sum = stripOf(`The input at position ${t}`);
  const label = make("li", {}, make("span", {}, `position ${t}`));
  byId("hero-places").append(label);
  byId("hero-sums").append(make("li", {}, sum));
  return { label, sum };
}

// --- drawing ---

/** @param {Figure} figure */
function draw(figure) {
  const { head, items, places, withPositions } = figure;
  // The numbers that are drawn: of the first pairs, whose sines are the first half of a row.
  const thin = (/** @type {Float32Array} */ row) =>
    row.filter((_, d) => d % (head.width / 2) < DRAWN);
  const limit = 2; // of 384 numbers that are about 1 in size; few are cut off
  items.forEach(({ strip }, i) => drawStrip(strip, thin(head.scaled[i]), "--token", limit));
  drawWaves(
    /** @type {HTMLCanvasElement} */ (byId("hero-waves")),
    head.waves,
    places.map(({ label }) => label.offsetLeft + label.offsetWidth / 2),
  );
  for (const [t, { sum }] of places.entries()) {
    const values = thin(head.input(figure, t));
    drawStrip(sum, values, withPositions ? "--mix" : "--token", limit);
  }
  figure.stage.dataset.positions = String(withPositions);
  answer(figure);
}

/** @param {Figure} figure */
function answer({ words, head, order, withPositions }) {
  const swapped = swappedOf(order);
  const here = head.output({ order, withPositions });
  const there = head.output({ order: swapped, withPositions });
  const apart = Math.hypot(...here.map((x, d) => x - there[d]));
  const isApart = apart > 1e-3;
  const said = byId("hero-answer");
  said.dataset.apart = String(isApart);
  byId("hero-verdict").textContent = isApart ? "Yes." : "No.";
  byId("hero-said").textContent = isApart ? "differs by" : "is the same in both: difference";
  byId("hero-difference").textContent = apart.toFixed(2);
  const share = Math.round((100 * apart) / Math.hypot(...here));
  byId("hero-share").textContent = isApart ? `, ${share}\u00a0% of its length` : "";
  byId("hero-here").textContent = order.map((i) => words[i].word).join(" ");
  byId("hero-there").textContent = swapped.map((i) => words[i].word).join(" ");
  const most = 1.05 * Math.max(...here.map(Math.abs), ...there.map(Math.abs));
  const rows = /** @type {const} */ ([
    ["hero-output", here, withPositions ? "--mix" : "--token", most],
    ["hero-apart", here.map((x, d) => there[d] - x), "--predict", most / MAGNIFIED],
  ]);
  for (const [id, values, color, limit] of rows) {
    drawStrip(/** @type {HTMLCanvasElement} */ (byId(id)), values, color, limit);
  }
}

/** Draws anew when the size or the theme changes. @param {Figure} figure */
function redraw(figure) {
  const again = () => draw(figure);
  new ResizeObserver(() => requestAnimationFrame(again)).observe(figure.stage);
  for (const query of ["(prefers-color-scheme: dark)", "print"]) {
    matchMedia(query).addEventListener("change", again);
  }
  new MutationObserver(again).observe(document.documentElement, {
    attributeFilter: ["data-theme"],
  });
}

// --- order ---

/** @param {readonly number[]} order */
const swappedOf = (order) => order.map((word) => (word === VERB ? word : 2 - word));

/** @param {Figure} figure */
const swap = (figure) => arrange(figure, swappedOf(figure.order));

/**
 * Puts the words in an order; they travel to their places.
 * @param {Figure} figure
 * @param {number[]} next @param {number} [held]  the word whose element stays, for it has the focus or the pointer
 */
function arrange(figure, next, held = VERB) {
  const { items } = figure;
  if (String(next) === String(figure.order)) return;
  const from = items.map(({ item }) => item.getBoundingClientRect().left);
  figure.order = next;
  const pivot = next.indexOf(held);
  items[held].item.before(...next.slice(0, pivot).map((i) => items[i].item));
  items[held].item.after(...next.slice(pivot + 1).map((i) => items[i].item));
  draw(figure);
  if (still.matches) return;
  for (const [i, { item }] of items.entries()) {
    const moved = from[i] - item.getBoundingClientRect().left;
    if (moved === 0) continue;
    const lifted = [
      `translate(${moved}px, 0)`,
      `translate(${moved / 2}px, ${moved > 0 ? -14 : 14}px)`,
      "none",
    ];
    item.animate({ transform: lifted }, { duration: TRAVEL, easing: "ease-in-out" });
  }
}

/** Moves a word by some places. @param {Figure} figure @param {number} word @param {number} by */
function move(figure, word, by) {
  const { order } = figure;
  const to = Math.max(0, Math.min(order.length - 1, order.indexOf(word) + by));
  const next = order.filter((each) => each !== word);
  next.splice(to, 0, word);
  arrange(figure, next, word);
}

/** @param {Figure} figure @param {number} word @param {PointerEvent} down */
function drag(figure, word, down) {
  const { item, chip } = figure.items[word];
  stop(figure);
  chip.setPointerCapture(down.pointerId);
  item.classList.add("dragged");
  let start = down.clientX;
  const follow = (/** @type {PointerEvent} */ { clientX }) => {
    const { width: place } = item.getBoundingClientRect();
    const by = Math.round((clientX - start) / place);
    const at = figure.order.indexOf(word);
    if (by !== 0 && at + by >= 0 && at + by < figure.order.length) {
      item.style.transform = "";
      move(figure, word, by);
      start += by * place;
    }
    item.style.transform = `translateX(${clientX - start}px)`;
  };
  const end = () => {
    item.classList.remove("dragged");
    item.style.transform = "";
    chip.removeEventListener("pointermove", follow);
  };
  chip.addEventListener("pointermove", follow);
  chip.addEventListener("lostpointercapture", end, { once: true });
}

/** @param {Figure} figure @param {boolean} on */
function switchPositions(figure, on) {
  figure.withPositions = on;
  figure.toggle.checked = on;
  draw(figure);
}

/** @param {Figure} figure */
function listen(figure) {
  const { items, toggle } = figure;
  for (const [word, { chip }] of items.entries()) {
    chip.addEventListener("keydown", ({ key }) => {
      const by = { ArrowLeft: -1, ArrowRight: 1 }[key];
      if (!by) return;
      stop(figure);
      move(figure, word, by);
    });
    chip.addEventListener("pointerdown", (down) => drag(figure, word, down));
  }
  toggle.addEventListener("change", () => {
    stop(figure);
    switchPositions(figure, toggle.checked);
  });
  byId("hero-swap").addEventListener("click", () => {
    stop(figure);
    swap(figure);
  });
}

// --- the demonstration, once ---

/** @param {Figure} figure */
function stop(figure) {
  figure.planned.forEach(clearTimeout);
  figure.planned = [];
}

/** @param {Figure} figure */
function demonstrate(figure) {
  const steps = [swap, swap, () => switchPositions(figure, true), swap];
  figure.planned = steps.map((step, i) => setTimeout(() => step(figure), REST * (i + 1)));
}

/** Some columns of a matrix. @param {{ data: ArrayLike<number | bigint>, shape: readonly number[] }} matrix @param {number} first @param {number} count */
function columns({ data, shape: [rows, width] }, first, count) {
  const values = Float32Array.from({ length: rows * count }, (_, i) =>
    Number(data[Math.floor(i / count) * width + first + (i % count)]),
  );
  return { data: values, shape: [rows, count] };
}
