// In a narrow window a figure stays at the top while its controls scroll, if it leaves them room.

import "./tied.css";

/** The largest part of the window's height that a figure may keep. */
const LARGEST = 0.45;

/** Follows the heights of figures beside controls. */
export function tie() {
  const figures = [...document.querySelectorAll(".tied > :not(.controls, .to-playground)")];
  const fit = () => {
    for (const figure of figures) {
      const isCovered = figure.querySelector(":scope > .cover") !== null;
      const { height } = figure.getBoundingClientRect();
      figure.classList.toggle("sticks", !isCovered && height <= LARGEST * innerHeight);
    }
  };
  const sizes = new ResizeObserver(fit);
  const covers = new MutationObserver(fit);
  for (const figure of figures) {
    sizes.observe(figure);
    covers.observe(figure, { childList: true });
  }
  addEventListener("resize", fit);
}
