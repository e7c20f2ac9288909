/** @import { Surface } from "./figure.js" */
/** @import { Box } from "./pieces.js" */
import { SIZE } from "./labels.js";
import { inks } from "./pieces.js";

/**
 * A plot by Observable Plot that the strict policy lets in: without its style element, whose rules
 * stand in our sheet, and with roles for the groups that it names.
 *
 * @param {Surface} surface
 * @param {number} height  px @param {Box} box  where the data are
 * @param {Record<string, any>} options  of Plot.plot
 */
export function plotted(surface, height, box, options) {
  const { Plot, document, width } = surface;
  /** @type {SVGSVGElement & {scale(name: string): {apply(value: number): number, bandwidth?: number}}} */
  const made = Plot.plot({
    document,
    width,
    height,
    marginLeft: box.left,
    marginRight: width - box.right,
    marginTop: box.top,
    marginBottom: height - box.bottom,
    ...options,
  });
  for (const style of made.querySelectorAll("style")) style.remove();
  for (const group of made.querySelectorAll("g[aria-label]")) group.setAttribute("role", "group");
  made.removeAttribute("class"); // its style element's
  made.setAttribute("font-size", String(SIZE));
  made.setAttribute("fill", inks(surface).quiet); // of all text that has no color of its own
  return { svg: made, left: made.scale("x").apply, top: made.scale("y").apply };
}
