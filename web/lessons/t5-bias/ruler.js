// Distances on a line, cut into buckets; the one that holds the marked distance lights up.

import { make } from "../../app/dom.js";
import "./ruler.css";

/** Distances that a bucket must hold to have its number in it, and to have it on a narrow screen too. */
const [NAMED, WIDE] = [8, 17];

/**
 * Distances that follow one another and share a bucket: keys at `from` to `to`, relative to the query. Those at the ends
 * are infinite.
 * @typedef {{ bucket: number, from: number, to: number }} Run
 */

/**
 * @typedef {object} Line
 * @property {string} name
 * @property {readonly Run[]} runs  from the first to the last
 * @property {boolean} back  whether the query sees only keys before it
 */

/**
 * Makes rulers in a place.
 *
 * @param {HTMLElement} place
 * @param {number} reach  the distance of the first and the last key
 * @param {(key: number) => void} moved  called with the key that the reader drags to, relative to the query
 * @returns {(lines: readonly Line[], key: number) => void} shows rulers of these keys
 */
export function ruler(place, reach, moved) {
  let isDown = false;
  place.classList.add("rulers");

  /** @param {PointerEvent} event */
  function drag(event) {
    const line = place.querySelector(".ruler");
    if (!isDown || !line) return;
    const { left, width } = line.getBoundingClientRect();
    const key = Math.floor(((event.clientX - left) / width) * (2 * reach + 1)) - reach;
    moved(Math.min(reach, Math.max(-reach, key)));
  }
  place.addEventListener("pointerdown", (event) => {
    const target = /** @type {Element} */ (event.target);
    if (!target.closest(".ruler")) return;
    isDown = true;
    place.setPointerCapture(event.pointerId);
    drag(event);
  });
  place.addEventListener("pointermove", drag);
  for (const end of ["pointerup", "pointercancel"])
    place.addEventListener(end, () => (isDown = false));

  return (lines, key) => place.replaceChildren(...lines.map((line) => drawn(line, key, reach)));
}

/** @param {Line} line @param {number} key @param {number} reach */
function drawn({ name, runs, back }, key, reach) {
  const isHere = (/** @type {Run} */ { from, to }) => from <= key && key <= to;
  const pieces = runs.flatMap((run, i) => {
    const unseen = back && run.from > 0;
    const width = Math.min(run.to, reach) - Math.max(run.from, -reach) + 1;
    if (width < 1) return [];
    const kind = unseen ? "unseen" : isHere(run) ? "here" : i % 2 ? "odd" : "even";
    const words = unseen ? "not seen" : width > NAMED ? String(run.bucket) : "";
    const piece = make("span", { class: kind, "data-wide": width > WIDE }, words);
    piece.style.flexGrow = String(width);
    return piece;
  });
  const [marker, zero] = [make("i", { class: "marker" }), make("i", { class: "query" })];
  for (const [each, at] of /** @type {const} */ ([
    [marker, key],
    [zero, 0],
  ])) {
    each.style.left = `${(100 * (at + reach + 0.5)) / (2 * reach + 1)}%`;
  }
  const said = wordsOf(/** @type {Run} */ (runs.find(isHere)), key, back);
  return make(
    "div",
    {},
    make("p", { class: "ruler-name" }, name),
    make(
      "div",
      { class: "ruler", role: "img", "aria-label": `${name}. ${said}` },
      ...pieces,
      zero,
      marker,
    ),
    make("p", { class: "ruler-words", role: "status" }, said),
  );
}

/** @param {Run} run @param {number} key @param {boolean} back */
function wordsOf({ bucket, from, to }, key, back) {
  const where = key === 0 ? "The query itself" : `${Math.abs(key)} ${key < 0 ? "back" : "ahead"}`;
  if (back && key > 0) return `${where}: the decoder does not see it.`;
  const ends = [Math.abs(from), Math.abs(to)].sort((a, b) => a - b);
  const all = `all from ${ends[0]} ${ends[1] === Infinity ? "on" : `to ${ends[1]}`}`;
  const held = from === to ? "nothing else" : all;
  return `${where}: bucket ${bucket}, which holds ${held}.`;
}
