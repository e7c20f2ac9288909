// A sentence for each head: the color of a word is its weight.

import { make } from "../../app/dom.js";
import "./fading.css";

/** The color of the largest weight, percent; more of it would make the word hard to read. */
const DEEPEST = 45;

/**
 * @param {HTMLElement} place
 * @param {readonly string[]} words
 * @param {readonly { name: string, weights: readonly number[] }[]} heads  a weight for each word
 * @param {(share: number) => string} percent
 */
export function showFading(place, words, heads, percent) {
  const lines = heads.map(({ name, weights }) => {
    const most = Math.max(...weights);
    const shown = words.map((word, i) => {
      const each = make("b", { title: percent(weights[i]) }, word);
      each.style.setProperty("--weight", `${(DEEPEST * weights[i]) / most}%`);
      return [each, " "];
    });
    const label = words.map((word, i) => `${word} ${percent(weights[i])}`).join(", ");
    const sentence = make("p", { role: "img", "aria-label": label }, ...shown.flat());
    return make("li", {}, make("span", {}, name), sentence);
  });
  place.replaceChildren(make("ul", { class: "fading" }, ...lines));
}
