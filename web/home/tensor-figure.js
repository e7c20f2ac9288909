/** @import { Tensor } from "phasor" */
import { npy } from "phasor/files";
import { figures } from "phasor/plots";
import { byId, make } from "../app/dom.js";
import { apart, shape } from "../app/numbers.js";
import { remembered } from "../app/remembered.js";

const { heatmap } = figures();

/**
 * @typedef {object} View
 * @property {number} limit  the color scale is from -limit to limit
 * @property {readonly string[]} [rowLabels]
 * @property {number} columns  that are drawn, at most: of hundreds the rows would look alike
 *
 * @typedef {object} TensorFigure
 * @property {(tensor: Tensor, view: View) => void} show
 * @property {(row: number, column: number) => void} select
 * @property {(...words: (Node | string)[]) => void} say  shows the arithmetic of the marked cell
 */

/**
 * A matrix as a heat map with its range, the arithmetic of the marked cell, and its file.
 *
 * @param {string} id  of the <figure>, and the file's name
 * @param {object} options
 * @param {string} options.title  what the matrix is
 * @param {string} options.rowTitle  what a row is
 * @param {number} options.height  px, until there is a matrix, so that the layout does not shift
 * @param {(row: number, column: number) => void} options.onselect
 * @returns {TensorFigure}
 */
export function tensorFigure(id, { title, rowTitle, height, onselect }) {
  const reading = make("p", { class: "reading", id: `${id}-reading` });
  const range = make("p", { class: "range" });
  const button = make("button", { type: "button", disabled: true }, "Download .npy");
  button.setAttribute("aria-label", `Download .npy: ${title}`);
  // The page shows the arithmetic of the marked cell instead.
  const options = { rowTitle, columnTitle: "dimension", reading: false };
  const map = heatmap([], { ...options, height });
  const caption = make("figcaption", {}, reading, make("div", { class: "foot" }, range, button));
  byId(id).append(map, caption);

  map.addEventListener("input", (event) => {
    event.stopPropagation(); // it is not an event of a control
    if (map.value) onselect(map.value.row, map.value.column);
  });
  // Screen readers announce the value of the focused figure only.
  map.addEventListener("focusin", () => reading.setAttribute("aria-live", "polite"));
  map.addEventListener("focusout", () => reading.removeAttribute("aria-live"));

  /** @type {Tensor | undefined} */
  let shown;
  let drawn = 0;
  button.addEventListener("click", () => {
    if (!shown) return;
    const bytes = /** @type {BlobPart} */ (npy.write(shown));
    save(new Blob([bytes]), `phasor-${id}-${shown.shape.join("x")}.npy`);
  });

  const draw = remembered(
    /**
     * @param {Tensor} tensor @param {number} limit @param {readonly string[] | undefined} rowLabels @param {number} most
     */
    (tensor, limit, rowLabels, most) => {
      const [rows, all] = tensor.shape;
      const columns = Math.min(most, all);
      const some = columns < all ? `; columns 0 to ${columns - 1} are drawn` : "";
      const between = rows > 0 ? `values from ${apart(extent(tensor)).join(" to ")}` : "no values";
      range.textContent = `float32 ${shape(tensor.shape)}, ${between}${some}`;
      const description = `Heat map of ${title}: ${rows} rows, ${columns} columns, ${between}.`;
      const domain = /** @type {const} */ ([-limit, limit]);
      map.update(first(tensor, columns), { ...options, domain, rowLabels, description });
      button.disabled = false;
    },
  );

  return {
    show(tensor, { limit, rowLabels, columns }) {
      shown = tensor;
      drawn = columns;
      draw(tensor, limit, rowLabels, columns);
    },
    select(row, column) {
      const value = column < drawn ? { row, column } : null; // its number is the figure's to find
      map.value = /** @type {any} */ (value);
    },
    say: (...words) => reading.replaceChildren(...words),
  };
}

/** The first columns of a matrix. @param {Tensor} tensor @param {number} columns */
function first(tensor, columns) {
  const [rows, all] = tensor.shape;
  if (columns === all) return tensor;
  const values = /** @type {Float32Array} */ (tensor.data);
  const data = new Float32Array(rows * columns);
  for (let row = 0; row < rows; ++row) {
    data.set(values.subarray(row * all, row * all + columns), row * columns);
  }
  return { data, shape: [rows, columns] };
}

/** The minimum and maximum. @param {Tensor} tensor @returns {[number, number]} */
function extent({ data }) {
  const values = /** @type {Float32Array} */ (data);
  let [least, most] = [Infinity, -Infinity];
  for (let i = 0; i < values.length; ++i) {
    if (values[i] < least) least = values[i];
    if (values[i] > most) most = values[i];
  }
  return [least, most];
}

/** @type {WeakMap<Tensor, number>} */
const reaches = new WeakMap();

/**
 * The 99th percentile of the absolute values: a few of GloVe's columns are so large that the others would
 * have no color.
 *
 * @param {Tensor} tensor
 * @returns {number}
 */
export function reach(tensor) {
  const known = reaches.get(tensor);
  if (known !== undefined) return known;
  const values = /** @type {Float32Array} */ (tensor.data);
  const most = values.map(Math.abs).sort()[Math.floor(0.99 * (values.length - 1))] ?? 0;
  const [low, high] = extent(tensor);
  const all = Math.max(0, -low, high);
  const found = all <= most * 1.25 ? all : most; // where little is gained, nothing is cut
  reaches.set(tensor, found);
  return found;
}

/** @param {Blob} blob @param {string} name */
function save(blob, name) {
  const href = URL.createObjectURL(blob);
  make("a", { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 60_000); // the browser may read it late
}
