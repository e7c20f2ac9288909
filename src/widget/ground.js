/** @import { Theme } from "../plots/colors.js" */

/**
 * Detects the theme of the page around an element. Notebooks have themes that do not depend on the preference of the
 * system, and each marks them differently. In all of them, text on a dark background is light.
 *
 * @param {HTMLElement} element
 * @param {() => void} changed  called when the theme may have changed
 */
export function ground(element, changed) {
  const document = element.ownerDocument;
  const view = document.defaultView;
  const preferred = view?.matchMedia?.("(prefers-color-scheme: dark)");
  preferred?.addEventListener("change", changed);
  const watcher = view?.MutationObserver && new view.MutationObserver(changed);
  for (const each of [document.documentElement, document.body]) {
    watcher?.observe(each, { attributes: true });
  }

  return {
    /** @returns {Theme} */
    theme() {
      const ink = view?.getComputedStyle?.(element).color ?? "";
      const light = ink === "" ? preferred?.matches : lightness(document, ink) > 0.5;
      return light ? "dark" : "light";
    },

    end() {
      preferred?.removeEventListener("change", changed);
      watcher?.disconnect();
    },
  };
}

/** The lightness of a CSS color, from 0 to 1. @param {Document} document @param {string} color */
function lightness(document, color) {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [1, 1];
  const context = canvas.getContext("2d");
  if (!context) return 0;
  context.fillStyle = color;
  context.fillRect(0, 0, 1, 1);
  const [red, green, blue] = context.getImageData(0, 0, 1, 1).data;
  return (0.299 * red + 0.587 * green + 0.114 * blue) / 255;
}
