// One pair on a dial: the directions that its hand has had in training, and those that it has not.

import { make, makeSvg } from "../../app/dom.js";
import "./arcs.css";

const TURN = 2 * Math.PI;

/** Radii of the arcs, of the hand and of the drawing; the rim has radius 1. */
const [ARC, HAND, EDGE] = [0.86, 0.7, 1.08];

/**
 * A dial; angles are in radians from 0 on, whole circles included.
 *
 * @typedef {object} Dial
 * @property {string} name
 * @property {number} seen  the furthest angle of the training
 * @property {number} reach  the furthest angle of the longer context
 * @property {number} now
 * @property {string} words  about the hand
 */

/** Whether a hand at an angle points where it has pointed in training. @param {number} angle @param {number} seen */
export function isSeen(angle, seen) {
  return seen >= TURN || angle % TURN <= seen * (1 + 1e-6);
}

/** @param {HTMLElement} place @param {readonly Dial[]} dials  shown side by side */
export function showDials(place, dials) {
  place.classList.add("arcs");
  place.classList.toggle("many", dials.length > 1);
  place.replaceChildren(
    ...dials.map(({ name, seen, reach, now, words }) =>
      make(
        "figure",
        {},
        makeSvg(
          "svg",
          {
            viewBox: [-EDGE, -EDGE, 2 * EDGE, 2 * EDGE].join(" "),
            role: "img",
            "aria-label": `${name}. ${words}`,
          },
          makeSvg("circle", { class: "rim", r: 1 }),
          makeSvg("path", { class: "unseen", d: arc(Math.min(seen, TURN), Math.min(reach, TURN)) }),
          makeSvg("path", { class: "seen", d: arc(0, Math.min(seen, TURN)) }),
          makeSvg("path", {
            class: isSeen(now, seen) ? "hand" : "hand lost",
            d: `M0 0L${at(HAND, now)}`,
          }),
        ),
        make("figcaption", {}, make("b", {}, name), ` ${words}`),
      ),
    ),
  );
}

/** @param {number} radius @param {number} angle */
function at(radius, angle) {
  return `${(radius * Math.cos(angle)).toFixed(4)} ${(-radius * Math.sin(angle)).toFixed(4)}`;
}

/** An arc from one angle to a greater one; none if it is not greater. @param {number} from @param {number} to */
function arc(from, to) {
  if (to <= from) return "";
  const middle = (from + to) / 2; // two halves: a whole circle has no ends to draw it by
  const half = (/** @type {number} */ end) => `A${ARC} ${ARC} 0 0 0 ${at(ARC, end)}`;
  return `M${at(ARC, from)}${half(middle)}${half(to)}`;
}
