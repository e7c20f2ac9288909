// A number line: the numbers that each format has near a value, and the one that it rounds to.

import { make } from "../../app/dom.js";
import "./line.css";

/**
 * @typedef {object} Row
 * @property {string} name  of the format
 * @property {readonly number[] | undefined} numbers  that it has on the line; undefined if there are too many to draw
 * @property {number} nearest  to the value
 * @property {string} words
 */

/** @param {HTMLElement} place @param {{ value: number, from: number, to: number, rows: readonly Row[] }} shown */
export function showLine(place, { value, from, to, rows }) {
  const at = (/** @type {HTMLElement} */ mark, /** @type {number} */ x) => {
    mark.style.left = `${(100 * (x - from)) / (to - from)}%`;
    return mark;
  };
  place.classList.add("number-line");
  place.replaceChildren(
    ...rows.map(({ name, numbers, nearest, words }) =>
      make(
        "div",
        {},
        make("p", { class: "name" }, name),
        make(
          "div",
          {
            class: numbers ? "line" : "line dense",
            role: "img",
            "aria-label": `${name}: ${words}`,
          },
          ...(numbers ?? []).map((x) => at(make("i", {}), x)),
          at(make("i", { class: "nearest" }), nearest),
          at(make("i", { class: "value" }), value),
        ),
        make("p", { class: "words" }, words),
      ),
    ),
  );
}
