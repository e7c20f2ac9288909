/** @import { Surface } from "./figure.js" */

/**
 * A plot by Observable Plot that the strict policy lets in: without its style element, whose rules
 * stand in our sheet, and with roles for the groups that it names.
 *
 * @param {Surface} surface
 * @param {Record<string, any>} options  of Plot.plot
 * @returns {SVGSVGElement}
 */
export function plotted({ Plot, document, width, colours, own }, options) {
  const made = Plot.plot({
    document,
    width,
    ...options,
    style: { background: "none", color: own ? colours.ink : "inherit", ...options.style },
  });
  for (const style of made.querySelectorAll("style")) style.remove();
  for (const group of made.querySelectorAll("g[aria-label]")) group.setAttribute("role", "group");
  return made;
}
