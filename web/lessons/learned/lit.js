// A table of positions whose rows light up when a token looks them up.

import { make, makeSvg } from "../../app/dom.js";
import "./learned.css";

/**
 * @typedef {object} Shown
 * @property {readonly string[]} tokens  [T]
 * @property {readonly (readonly number[])[]} words  [T, N]
 * @property {readonly (readonly number[])[]} positions  [R, N], R >= T
 */

/**
 * Makes the table in a place. A token's button shows the sum of its two vectors.
 *
 * @param {HTMLElement} place
 * @returns {(shown: Shown) => void}
 */
export function lit(place) {
  const rows = make("ol", { class: "lit-rows", start: 0, "aria-label": "Rows of P" });
  const sum = make("div", { class: "lit-sum", role: "group", "aria-label": "The sum" });
  place.classList.add("lit");
  place.replaceChildren(rows, sum);
  let chosen = 1;

  return function show({ tokens, words, positions }) {
    const at = Math.min(chosen, tokens.length - 1);
    const limit = Math.max(...[...words, ...positions.slice(1)].flat().map(Math.abs));
    const buttons = tokens.map((token, t) => {
      const button = make("button", { type: "button", "aria-pressed": String(t === at) }, token);
      button.addEventListener("click", () => {
        chosen = t;
        show({ tokens, words, positions });
        /** @type {HTMLElement | null} */ (rows.children[t].querySelector("button"))?.focus();
      });
      return button;
    });
    rows.replaceChildren(
      ...positions.map((row, t) =>
        make(
          "li",
          { class: [t < tokens.length ? "used" : "", t === at ? "now" : ""].join(" ").trim() },
          make("span", { class: "lit-name" }, `P[${t}]`),
          strip(row, "position", limit),
          buttons[t] ?? make("span", { class: "lit-none" }, "not used"),
        ),
      ),
    );
    const total = words[at].map((x, d) => x + positions[at][d]);
    sum.replaceChildren(
      ...line(`W[${tokens[at]}]`, words[at], "token", limit),
      ...line(`P[${at}]`, positions[at], "position", limit),
      ...line("sum", total, "mix", limit),
    );
  };
}

/** @typedef {"token" | "position" | "mix"} Color */

/** @param {string} name @param {readonly number[]} values @param {Color} color @param {number} limit */
function line(name, values, color, limit) {
  return [make("span", { class: "lit-name" }, name), strip(values, color, limit)];
}

/** Numbers as bars up and down from zero. @param {readonly number[]} values @param {Color} color @param {number} limit  the number that reaches the edge */
function strip(values, color, limit) {
  const end = (/** @type {number} */ x) => (1 - Math.max(-1, Math.min(1, x / limit))).toFixed(3);
  return makeSvg(
    "svg",
    { viewBox: `0 0 ${values.length} 2`, preserveAspectRatio: "none", "aria-hidden": "true" },
    makeSvg("path", {
      class: color,
      d: values.map((x, i) => `M${i} 1H${i + 0.8}V${end(x)}H${i}Z`).join(""),
    }),
  );
}
