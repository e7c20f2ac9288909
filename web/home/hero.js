// The first figure of the site: three words that can be swapped, their vectors that travel with them, the positions
// that stay, and whether attention can tell the difference.

/** @import { Phasor } from "phasor" */
import { byId, make } from "../app/dom.js";
import { drawStrip } from "./strip.js";

/** The pairs of sine and cosine that are drawn: the fast ones, which differ between neighbors. */
const DRAWN = 48;

/** The width of the attention head. */
const HEAD = 64;

/** Milliseconds of a word's way to its new place, and between the steps of the demonstration. */
const TRAVEL = 420;
const REST = 1700;

/** @typedef {{ word: string, vector: Float32Array }} Word */

/**
 * @param {Pick<Phasor, "attention" | "embedding" | "sinusoidal">} phasor
 * @param {readonly Word[]} words  three, of which the outer two are swapped
 */
export function hero({ attention, embedding, sinusoidal }, words) {
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
  const verb = 1;
  let order = words.map((_, i) => i);
  let withPositions = false;

  /** The input of a position: the word's vector, and its position's if positions are on. @param {readonly number[]} of @param {number} at */
  const input = (of, at) =>
    withPositions ? scaled[of[at]].map((x, d) => x + positions[at][d]) : scaled[of[at]];

  /** What a head with random weights gives the verb. @param {readonly number[]} of  the order of the words */
  function outputOf(of) {
    const data = new Float32Array(count * width);
    of.forEach((_, at) => data.set(input(of, at), at * width));
    const projected = attention.linear({ data, shape: [count, width] }, projection);
    const [q, k, v] = [0, 1, 2].map((part) => columns(projected, part * HEAD, HEAD));
    return Float32Array.from(attention.scaledDotProduct({ q, k, v }).output.row(of.indexOf(verb)));
  }

  // --- elements ---

  const items = words.map(({ word }, i) => {
    const chip = make(
      "button",
      { type: "button", class: "chip", "aria-describedby": "hero-how" },
      word,
    );
    const strip = make("canvas", {
      class: "strip",
      role: "img",
      "aria-label": `The vector of ${word}`,
    });
    const item = make("li", { class: "hero-word", "data-word": i }, chip, strip);
    return { item, chip, strip };
  });
  byId("hero-words").replaceChildren(...items.map(({ item }) => item));
  const places = positions.map((_, t) => {
    const own = make("canvas", {
      class: "strip",
      role: "img",
      "aria-label": `The vector of position ${t}`,
    });
    const sum = make("canvas", {
      class: "strip",
      role: "img",
      "aria-label": `The input at position ${t}`,
    });
    byId("hero-positions").append(make("li", {}, own, make("span", {}, `position ${t}`)));
    byId("hero-sums").append(make("li", {}, sum));
    return { own, sum };
  });
  const output = /** @type {HTMLCanvasElement} */ (byId("hero-output"));
  const toggle = /** @type {HTMLInputElement} */ (byId("hero-with"));
  const stage = byId("hero-stage");

  // --- drawing ---

  /** The numbers that are drawn: of the first pairs, whose sines are the first half of a row. @param {Float32Array} row */
  const thin = (row) => row.filter((_, d) => d % (width / 2) < DRAWN);

  const limit = 2; // of 384 numbers that are about 1 in size; few are cut off

  function draw() {
    items.forEach(({ strip }, i) =>
      drawStrip(strip, [{ values: thin(scaled[i]), color: "--token" }], limit),
    );
    for (const [t, { own, sum }] of places.entries()) {
      drawStrip(own, [{ values: thin(positions[t]), color: "--position" }], limit);
      const values = thin(input(order, t));
      drawStrip(sum, [{ values, color: withPositions ? "--mix" : "--token" }], limit);
    }
    stage.dataset.positions = String(withPositions);
    answer();
  }

  function answer() {
    const swapped = order.map((word) => (word === verb ? word : 2 - word));
    const [here, there] = [outputOf(order), outputOf(swapped)];
    const apart = Math.hypot(...here.map((x, d) => x - there[d]));
    const told = apart > 1e-3;
    const said = byId("hero-answer");
    said.dataset.told = String(told);
    byId("hero-verdict").textContent = told ? "Yes." : "No.";
    byId("hero-difference").textContent = apart.toFixed(2);
    byId("hero-here").textContent = order.map((i) => words[i].word).join(" ");
    byId("hero-there").textContent = swapped.map((i) => words[i].word).join(" ");
    const most = 1.05 * Math.max(...here.map(Math.abs), ...there.map(Math.abs));
    drawStrip(
      output,
      [
        { values: here, color: withPositions ? "--mix" : "--token" },
        { values: there, from: here, color: "--predict" },
      ],
      most,
    );
  }

  // --- order ---

  const still = matchMedia("(prefers-reduced-motion: reduce)");

  /**
   * Puts the words in an order; they travel to their places.
   * @param {number[]} next @param {number} [held]  the word whose element stays, for it has the focus or the pointer
   */
  function arrange(next, held = verb) {
    if (String(next) === String(order)) return;
    const from = items.map(({ item }) => item.getBoundingClientRect().left);
    order = next;
    const pivot = order.indexOf(held);
    items[held].item.before(...order.slice(0, pivot).map((i) => items[i].item));
    items[held].item.after(...order.slice(pivot + 1).map((i) => items[i].item));
    draw();
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

  /** Moves a word by some places. @param {number} word @param {number} by */
  function move(word, by) {
    const at = order.indexOf(word);
    const to = Math.max(0, Math.min(count - 1, at + by));
    const next = order.filter((each) => each !== word);
    next.splice(to, 0, word);
    arrange(next, word);
  }

  const swap = () => arrange(order.map((word) => (word === verb ? word : 2 - word)));

  for (const [word, { item, chip }] of items.entries()) {
    chip.addEventListener("keydown", ({ key }) => {
      const by = { ArrowLeft: -1, ArrowRight: 1 }[key];
      if (!by) return;
      stop();
      move(word, by);
    });
    chip.addEventListener("pointerdown", (down) => drag(word, item, chip, down));
  }

  /** @param {number} word @param {HTMLElement} item @param {HTMLElement} chip @param {PointerEvent} down */
  function drag(word, item, chip, down) {
    stop();
    chip.setPointerCapture(down.pointerId);
    item.classList.add("dragged");
    let start = down.clientX;
    const follow = (/** @type {PointerEvent} */ { clientX }) => {
      const { width: place } = item.getBoundingClientRect();
      const by = Math.round((clientX - start) / place);
      const at = order.indexOf(word);
      if (by !== 0 && at + by >= 0 && at + by < count) {
        item.style.transform = "";
        move(word, by);
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

  function switchPositions(/** @type {boolean} */ on) {
    withPositions = on;
    toggle.checked = on;
    draw();
  }

  toggle.addEventListener("change", () => {
    stop();
    switchPositions(toggle.checked);
  });
  byId("hero-swap").addEventListener("click", () => {
    stop();
    swap();
  });

  // --- the demonstration, once ---

  /** @type {ReturnType<typeof setTimeout>[]} */
  let planned = [];
  function stop() {
    planned.forEach(clearTimeout);
    planned = [];
  }
  function demonstrate() {
    const steps = [swap, swap, () => switchPositions(true), swap];
    planned = steps.map((step, i) => setTimeout(step, REST * (i + 1)));
  }

  switchPositions(toggle.checked);
  stage.dataset.ready = "true";
  new ResizeObserver(() => requestAnimationFrame(draw)).observe(stage);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  new MutationObserver(draw).observe(document.documentElement, { attributeFilter: ["data-theme"] });
  if (!still.matches && !toggle.checked) demonstrate();
}

/** Some columns of a matrix. @param {{ data: ArrayLike<number | bigint>, shape: readonly number[] }} matrix @param {number} first @param {number} count */
function columns({ data, shape: [rows, width] }, first, count) {
  const values = Float32Array.from({ length: rows * count }, (_, i) =>
    Number(data[Math.floor(i / count) * width + first + (i % count)]),
  );
  return { data: values, shape: [rows, count] };
}
