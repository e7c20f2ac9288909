/** @import { Surface } from "./figure.js" */
/** @import { Box } from "./pieces.js" */
import { SIZE } from "./labels.js";
import { inks } from "./pieces.js";

/**
 * Draws a plot by Observable Plot that a strict Content Security Policy allows. Its style element is removed, because
 * our style sheet contains the rules, and the groups that it names get roles.
 *
 * @param {Surface} surface
 * @param {number} height  px @param {Box} box  the area of the data
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
  made.removeAttribute("class"); // the class of its style element
  made.setAttribute("font-size", String(SIZE));
  made.setAttribute("fill", inks(surface).quiet); // of text without a color
  return { svg: made, left: made.scale("x").apply, top: made.scale("y").apply };
}
