/**
 * phasor/plots draws figures of arrays: an element of a page, or an SVG or PNG string where there is no document. It
 * is plain JavaScript without the compiled core, and importing it has no side effects.
 *
 * @see Observable Plot, https://observablehq.com/plot/ (bars, spectra, waves); d3-scale-chromatic
 *   (colors)
 */
import { describe, options } from "../runtime/check.js";
import { bar } from "./bar.js";
import { bias } from "./bias.js";
import { clock } from "./clock.js";
import { draws } from "./figure.js";
import { heatmap } from "./heatmap.js";
import { scatter } from "./scatter.js";
import { spectrum } from "./spectrum.js";
import { waves } from "./waves.js";

/** @import { TensorInput } from "../runtime/tensor.js" */
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
 * @returns functions of the data and options, each a kind of figure
 * @throws {TypeError} if document is none
 * @example
 * const { heatmap } = figures();
 * heatmap([[0, 0.5], [-0.5, 1]], { as: "png" }).slice(0, 32) // "data:image/png;base64,iVBORw0KGg"
 */
export function figures(given) {
  const tools = readTools(given);
  return {
    /**
     * A vector as bars. Needs Observable Plot, and
     * outside of pages a document.
     *
     * @param {TensorInput} data  [N]
     * @param {object} [options]
     * @returns {Figure | string} the element, whose `value` is `{index, value}`; a string where there is
     *   no page or one is asked for
     * @throws {TypeError | RangeError} if the data or an option is of the wrong kind or out of range
     *   or there is no Plot
     * @example
     * const { bar } = figures({ Plot, document });
     * bar([3, 1, 2]).slice(0, 4) // "<svg"
     */
    bar: draws(bar, tools),
    /**
     * What is added to the scores of each head: one small heat map a head, queries downwards, keys to
     * the right, in one color range. The same cell is marked in all.
     *
     * @param {TensorInput} data  [H, Tq, Tk]
     * @param {object} [options]
     * @returns {Figure | string} the element, whose `value` is `{row, column, values}`; a string where there is
     *   no page or one is asked for
     * @throws {TypeError | RangeError} if the data or an option is of the wrong kind or out of range
     * @example
     * const { bias } = figures();
     * bias([[[0, -1], [-1, 0]]]).slice(0, 4) // "<svg"
     */
    bias: draws(bias, tools),
    /**
     * Pairs (cos, sin) as the hands of clocks.
     *
     * @param {TensorInput} data  [P, 2]
     * @param {object} [options]
     * @returns {Figure | string} the element, whose `value` is `{index}`; a string where there is
     *   no page or one is asked for
     * @throws {TypeError | RangeError} if the data or an option is of the wrong kind or out of range
     * @example
     * const { clock } = figures();
     * clock([[1, 0], [0, 1]]).slice(0, 4) // "<svg"
     */
    clock: draws(clock, tools),
    /**
     * A heat map: rows downwards, columns to the right, a colored cell a number.
     *
     * @param {TensorInput} data  [rows, columns]
     * @param {object} [options]
     * @returns {Figure | string} the element, whose `value` is `{row, column, value}`; a string where there is
     *   no page or one is asked for
     * @throws {TypeError | RangeError} if the data or an option is of the wrong kind or out of range
     * @example
     * const { heatmap } = figures();
     * heatmap([[0, 0.5], [-0.5, 1]]).slice(0, 4) // "<svg"
     */
    heatmap: draws(heatmap, tools),
    /**
     * Up to 50,000 labeled points: pan, zoom, the nearest point under the pointer. Besides "input"
     * the element sends "change" when a point is chosen (click, tap, Enter) and "view" when the reader
     * looks elsewhere.
     *
     * @param {TensorInput} data  [N, 2]
     * @param {object} [options]
     * @returns {Figure | string} the element, whose `value` is `{index}`; a string where there is
     *   no page or one is asked for
     * @throws {TypeError | RangeError} if the data or an option is of the wrong kind or out of range
     * @example
     * const { scatter } = figures();
     * scatter([[0, 1], [1, 0]], { labels: ["cat", "dog"] }).slice(0, 4) // "<svg"
     */
    scatter: /** @type {DrawScatter} */ (draws(scatter, tools)),
    /**
     * Frequencies as wavelengths, against context lengths. Needs Observable Plot, and
     * outside of pages a document.
     *
     * @param {TensorInput | {label: string, frequencies: TensorInput}[]} data  [P], radians per token
     * @param {object} [options]
     * @returns {Figure | string} the element, whose `value` is `{index, series, frequency, wavelength}`; a string where there is
     *   no page or one is asked for
     * @throws {TypeError | RangeError} if the data or an option is of the wrong kind or out of range
     *   or there is no Plot
     * @example
     * const { spectrum } = figures({ Plot, document });
     * spectrum([1, 0.1, 0.01], { context: [512] }).slice(0, 4) // "<svg"
     */
    spectrum: draws(spectrum, tools),
    /**
     * The columns of a matrix as lines. Needs Observable Plot, and
     * outside of pages a document.
     *
     * @param {TensorInput} data  [T, lines]
     * @param {object} [options]
     * @returns {Figure | string} the element, whose `value` is `{x, line, y}`; a string where there is
     *   no page or one is asked for
     * @throws {TypeError | RangeError} if the data or an option is of the wrong kind or out of range
     *   or there is no Plot
     * @example
     * const { waves } = figures({ Plot, document });
     * waves([[0, 1], [0.5, 0.5], [1, 0]]).slice(0, 4) // "<svg"
     */
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
