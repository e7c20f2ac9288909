/** @import { Theme } from "./colors.js" */

/** Whether a page is being printed. @param {Document} document */
export const isPrinted = ({ defaultView }) => Boolean(defaultView?.matchMedia?.("print").matches);

/** Paints in the next frame of the screen; at once on paper, which has none. @param {Document} document @param {() => void} paint */
export function inFrame(document, paint) {
  if (isPrinted(document)) paint();
  else document.defaultView?.requestAnimationFrame(paint);
}

/**
 * The theme of an element in a page: the one that its `color-scheme` allows. Where that allows both or is "normal", the
 * preference of the system.
 *
 * @param {Element} element @param {"auto" | Theme} wanted
 * @returns {Theme}
 */
export function themeOf(element, wanted) {
  const view = element.ownerDocument.defaultView;
  if (isPrinted(element.ownerDocument)) return "light";
  if (wanted !== "auto") return wanted;
  const place = element.isConnected ? element : element.ownerDocument.documentElement;
  const allowed = view?.getComputedStyle?.(place)?.colorScheme?.split(" ") ?? [];
  const [dark, light] = [allowed.includes("dark"), allowed.includes("light")];
  if (dark !== light) return dark ? "dark" : "light";
  return view?.matchMedia?.("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

/**
 * Calls `redraw` when the theme may have changed, until the element is garbage-collected: the system's preference, the
 * printer, or an attribute of the root element, as the theme switches of pages set it.
 *
 * @param {Element} element @param {() => void} redraw
 */
export function followTheme(element, redraw) {
  const document = element.ownerDocument;
  let watched = watchers.get(document);
  if (!watched) watchers.set(document, (watched = watch(document)));
  redraws.set(element, redraw);
  watched.add(new WeakRef(element));
}

/** The figures of each document. @type {WeakMap<Document, Set<WeakRef<Element>>>} */
const watchers = new WeakMap();

/** Held by the element, which a listener must not keep alive. @type {WeakMap<Element, () => void>} */
const redraws = new WeakMap();

/** @param {Document} document @returns {Set<WeakRef<Element>>} */
function watch(document) {
  /** @type {Set<WeakRef<Element>>} */
  const elements = new Set();
  const changed = () => {
    for (const held of elements) {
      const element = held.deref();
      if (element) redraws.get(element)?.();
      else elements.delete(held);
    }
  };
  const view = document.defaultView;
  for (const query of ["(prefers-color-scheme: dark)", "print"]) {
    view?.matchMedia?.(query).addEventListener("change", changed);
  }
  const attributeFilter = ["class", "style", "data-theme", "data-jp-theme-light"];
  if (view?.MutationObserver)
    new view.MutationObserver(changed).observe(document.documentElement, { attributeFilter });
  return elements;
}
