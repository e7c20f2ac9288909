/**
 * phasor/plots draws figures of arrays: an element of a page, or an SVG or PNG string where there is no document. It
 * is plain JavaScript without the compiled core, and importing it has no side effects.
 *
 * @see Observable Plot, https://observablehq.com/plot/ (bars, spectra, waves); d3-scale-chromatic
 *   (colors)
 */
import { describe, oneOf, options } from "../runtime/check.js";
import { withName } from "../runtime/named.js";
import { bar } from "./bar.js";
import { bias } from "./bias.js";
import { clock } from "./clock.js";
import { draws } from "./figure.js";
import { heatmap } from "./heatmap.js";
import { scatter } from "./scatter.js";
import { spectrum } from "./spectrum.js";
import { waves } from "./waves.js";
import { xray } from "./xray.js";

/** @import { TensorInput } from "../runtime/tensor.js" */
/** @import { Tools } from "./figure.js" */
/** @import { DrawnXray } from "./xray/wall.js" */
/** @import { DrawScatter } from "./scatter.js" */

/**
 * A figure in a page: an element with a table of its numbers.
 *
 * @template [Data=any]
 * @template [Options=any]
 * @template [Value=any]
 * @typedef {import("./figure.js").Figure<Data, Options, Value>} Figure
 */

/**
 * The options of figures.
 * @typedef {import("./bar.js").BarOptions} BarOptions
 * @typedef {import("./bias.js").BiasOptions} BiasOptions
 * @typedef {import("./clock.js").ClockOptions} ClockOptions
 * @typedef {import("./heatmap.js").HeatmapOptions} HeatmapOptions
 * @typedef {import("./scatter.js").ScatterOptions} ScatterOptions
 * @typedef {import("./spectrum.js").SpectrumOptions} SpectrumOptions
 * @typedef {import("./waves.js").WavesOptions} WavesOptions
 * @typedef {import("./xray.js").XrayOptions} XrayOptions
 */

/**
 * Returns the functions that draw figures.
 *
 * @template {"element" | "svg"} [As="element"]
 * @param {object} [given]
 * @param {Record<string, any>} [given.Plot]  Observable Plot, an optional peer: `import * as Plot from
 *   "@observablehq/plot"`. `bar`, `spectrum` and `waves` need it.
 * @param {Document} [given.document]  Default: the document of the page
 * @param {As} [given.as]  the result of a call that does not say it: an element, or an SVG string. Default: "element" in
 *   a page, otherwise, as with a document of linkedom, "svg"
 * @returns one function of the data and options for each kind of figure
 * @throws {TypeError} if `document` is not a DOM document
 * @example
 * const { heatmap } = figures({ as: "svg" });
 * heatmap([[0, 0.5], [-0.5, 1]], { as: "png" }).slice(0, 32) // "data:image/png;base64,iVBORw0KGg"
 */
export function figures(given) {
  const tools = /** @type {Tools & {as?: As}} */ (withName("figures", readTools)(given));
  return {
    /**
     * Draws a vector as bars. Requires Observable Plot and, outside a page, a document.
     *
     * @param {TensorInput} data  [N]
     * @param {object} [options]
     * @returns {Figure | string} the element, whose `value` is `{index, value}`; a string outside a
     *   page or if `as` requests one
     * @throws {TypeError | RangeError} if the data or an option has the wrong type or is out of range,
     *   or if `Plot` is missing
     * @example
     * const { bar } = figures({ Plot, document, as: "svg" });
     * bar([3, 1, 2]).slice(0, 4) // "<svg"
     */
    bar: draws(bar, tools),
    /**
     * Draws the biases of attention logits as one heat map for each head. Rows are queries and columns
     * are keys. All heads share one color range. The figure marks the same cell in all heads.
     *
     * @param {TensorInput} data  [H, Tq, Tk]
     * @param {object} [options]
     * @returns {Figure | string} the element, whose `value` is `{row, column, values}`; a string outside a
     *   page or if `as` requests one
     * @throws {TypeError | RangeError} if the data or an option has the wrong type or is out of range
     * @example
     * const { bias } = figures({ as: "svg" });
     * bias([[[0, -1], [-1, 0]]]).slice(0, 4) // "<svg"
     */
    bias: draws(bias, tools),
    /**
     * Draws pairs (cos, sin) as the hands of clocks.
     *
     * @param {TensorInput} data  [P, 2]
     * @param {object} [options]
     * @returns {Figure | string} the element, whose `value` is `{index}`; a string outside a
     *   page or if `as` requests one
     * @throws {TypeError | RangeError} if the data or an option has the wrong type or is out of range
     * @example
     * const { clock } = figures({ as: "svg" });
     * clock([[1, 0], [0, 1]]).slice(0, 4) // "<svg"
     */
    clock: draws(clock, tools),
    /**
     * Draws a matrix as a heat map with one colored cell for each number.
     *
     * @param {TensorInput} data  [rows, columns]
     * @param {object} [options]
     * @returns {Figure | string} the element, whose `value` is `{row, column, value}`; a string outside a
     *   page or if `as` requests one
     * @throws {TypeError | RangeError} if the data or an option has the wrong type or is out of range
     * @example
     * const { heatmap } = figures({ as: "svg" });
     * heatmap([[0, 0.5], [-0.5, 1]]).slice(0, 4) // "<svg"
     */
    heatmap: draws(heatmap, tools),
    /**
     * Draws up to 50,000 labeled points. The reader can pan and zoom; the point nearest to the pointer is
     * marked. The element dispatches "input" when the marked point changes, "change" when a point is
     * chosen (click, tap, Enter) and "view" when the reader pans or zooms.
     *
     * @param {TensorInput} data  [N, 2]
     * @param {object} [options]
     * @returns {Figure | string} the element, whose `value` is `{index}`; a string outside a
     *   page or if `as` requests one
     * @throws {TypeError | RangeError} if the data or an option has the wrong type or is out of range
     * @example
     * const { scatter } = figures({ as: "svg" });
     * scatter([[0, 1], [1, 0]], { labels: ["cat", "dog"] }).slice(0, 4) // "<svg"
     */
    scatter: /** @type {DrawScatter<As>} */ (/** @type {unknown} */ (draws(scatter, tools))),
    /**
     * Draws frequencies as wavelengths and compares them with context lengths. Requires Observable Plot
     * and, outside a page, a document.
     *
     * @param {TensorInput | {label: string, frequencies: TensorInput}[]} data  [P], radians per token
     * @param {object} [options]
     * @returns {Figure | string} the element, whose `value` is `{index, series, frequency, wavelength}`; a string outside a
     *   page or if `as` requests one
     * @throws {TypeError | RangeError} if the data or an option has the wrong type or is out of range,
     *   or if `Plot` is missing
     * @example
     * const { spectrum } = figures({ Plot, document, as: "svg" });
     * spectrum([1, 0.1, 0.01], { context: [512] }).slice(0, 4) // "<svg"
     */
    spectrum: draws(spectrum, tools),
    /**
     * Draws the columns of a matrix as lines. Requires Observable Plot and, outside a page, a document.
     *
     * @param {TensorInput} data  [T, lines]
     * @param {object} [options]
     * @returns {Figure | string} the element, whose `value` is `{x, line, y}`; a string outside a
     *   page or if `as` requests one
     * @throws {TypeError | RangeError} if the data or an option has the wrong type or is out of range,
     *   or if `Plot` is missing
     * @example
     * const { waves } = figures({ Plot, document, as: "svg" });
     * waves([[0, 1], [0.5, 0.5], [1, 0]]).slice(0, 4) // "<svg"
     */
    waves: draws(waves, tools),
    /**
     * Draws what a context length is to a model in one picture of 1200 x 630: a dial for each pair with the angles of
     * training, the new ones and those that the scaling spares; what programs that misread the configuration have left;
     * where positions of 16 bits merge; bytes; a sentence.
     *
     * @param {DrawnXray} data  what `xray` of phasor/xray returns
     * @param {object} [options]
     * @returns {Figure | string} the element, whose `value` is `{kind, pair}`; a string outside a
     *   page or if `as` requests one
     * @throws {TypeError | RangeError} if the data or an option has the wrong type or is out of range
     * @example
     * const { xray: draw } = figures({ as: "svg" });
     * draw(await xray("llama-3.1-8b"), { name: "Llama 3.1 8B" }).slice(0, 4) // "<svg"
     */
    xray: draws(xray, tools),
  };
}

/**
 * @template {"element" | "svg"} As
 * @param {unknown} given
 * @returns {Tools & {as?: As}}
 */
function readTools(given) {
  const defaults = { Plot: undefined, document: globalThis.document, as: undefined };
  const { Plot, document, as } = options(given, defaults);
  if (document !== undefined && typeof document?.createElement !== "function") {
    throw new TypeError(`document must be a DOM document; got ${describe(document)}`);
  }
  if (as !== undefined) oneOf(as, "as", ["element", "svg"]);
  return { Plot, document, as };
}
