/** @import { Theme } from "../plots/colors.js" */

/**
 * Which theme the page around an element has. Notebooks have themes of their own, whatever the system
 * prefers, and each says so in another way; what they have in common is that text on a dark ground is
 * light.
 *
 * @param {HTMLElement} element
 * @param {() => void} changed  it may have another now
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

/** From 0 to 1, of a color in any of CSS's notations. @param {Document} document @param {string} color */
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
