/** @import { Shown } from "./playground-link.js" */
import { playgroundLink } from "./playground-link.js";
import { make } from "./dom.js";
import { root } from "./root.js";
import "./to-playground.css";

/**
 * Adds a link below a figure.
 * @param {HTMLElement} place  of the figure
 * @returns {(shown: Shown) => void} makes it lead to the playground with these settings
 */
export function toPlayground(place) {
  const link = make("a", {}, "Open this in the playground");
  place.after(make("p", { class: "to-playground" }, link));
  return (shown) => link.setAttribute("href", playgroundLink(shown, root));
}
