/**
 * phasor/plots: figures of what phasor computes. Plain arrays in; an element of a page out, or an SVG
 * or PNG string where there is no document. Plain JavaScript, without the compiled core; importing it
 * does nothing.
 */
import { describe, options } from "../api/check.js";
import { bar } from "./bar.js";
import { bias } from "./bias.js";
import { clock } from "./clock.js";
import { draws } from "./figure.js";
import { heatmap } from "./heatmap.js";
import { scatter } from "./scatter.js";
import { spectrum } from "./spectrum.js";
import { waves } from "./waves.js";

/** @import { Tools } from "./figure.js" */
/** @import { DrawScatter } from "./scatter.js" */

/**
 * What a figure is in a page: an element, with its numbers.
 *
 * @template [Data=any]
 * @template [Options=any]
 * @template [Value=any]
 * @typedef {import("./figure.js").Figure<Data, Options, Value>} Figure
 */

/**
 * The figures, with what they may use.
 *
 * @param {object} [given]
 * @param {Record<string, any>} [given.Plot]  Observable Plot, an optional peer: `import * as Plot from
 *   "@observablehq/plot"`. Heat maps, biases, scatters and clocks need none.
 * @param {Document} [given.document]  by default the page's. Of one that is not, such as linkedom's,
 *   figures are SVG strings unless `as: "element"` asks for more.
 * @throws {TypeError} if document is none
 * @example
 * const { heatmap } = figures();
 * heatmap([[0, 0.5], [-0.5, 1]], { as: "png" }).slice(0, 32) // "data:image/png;base64,iVBORw0KGg"
 */
export function figures(given) {
  const tools = readTools(given);
  return {
    bar: draws(bar, tools),
    bias: draws(bias, tools),
    clock: draws(clock, tools),
    heatmap: draws(heatmap, tools),
    scatter: /** @type {DrawScatter} */ (draws(scatter, tools)),
    spectrum: draws(spectrum, tools),
    waves: draws(waves, tools),
  };
}

/** @param {unknown} given @returns {Tools} */
function readTools(given) {
  const read = options(given, { Plot: undefined, document: globalThis.document }, "figures");
  const { Plot, document } = read;
  if (document !== undefined && typeof document?.createElement !== "function") {
    throw new TypeError(`document must be a DOM document; got ${describe(document)}`);
  }
  return { Plot, document };
}
