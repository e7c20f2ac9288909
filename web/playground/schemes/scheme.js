/** @import { Phasor, Tensor } from "phasor" */
/** @import { Line } from "../program.js" */
/** @import { Part } from "../parts.js" */
/** @import { Setting, Values } from "../settings.js" */
import { asTensor, evaluate, printed, modules, run } from "../program.js";
import { value } from "../parts.js";

/**
 * The views of a scheme, in display order.
 * @typedef {"heatmap" | "waves" | "spectrum" | "similarity" | "bias" | "clock"} ViewName
 */
export const VIEWS = Object.freeze({
  heatmap: "Heat map",
  waves: "Waves",
  spectrum: "Spectrum",
  similarity: "Similarity by distance",
  bias: "Bias per head",
  clock: "Rotation clock",
});

/**
 * The plan of a picture: a kind of figure of `phasor/plots`, and the program that computes its numbers.
 *
 * @typedef {object} Plan
 * @property {"heatmap" | "waves" | "spectrum" | "bias" | "clock"} kind
 * @property {Line[]} lines
 * @property {string} data  the line with the picture's numbers
 * @property {unknown} [given]  the argument of the figure, if not the numbers alone; a value of the program
 * @property {Record<string, unknown>} options  of the figure; values of the program
 */

/**
 * @typedef {object} View
 * @property {(settings: Values) => Plan} plan
 * @property {(settings: Values, cell: readonly number[], picture: Picture) => {where: string, parts: Part[]}} inspect
 *   the cell and the formula of its value
 * @property {(settings: Values) => string[]} torch  lines of PyTorch that compute `data`
 */

/**
 * @typedef {object} Picture
 * @property {Plan["kind"]} kind
 * @property {Tensor<any>} data
 * @property {unknown} given  the argument of the figure
 * @property {Record<string, any>} options  of the figure
 */

/**
 * @typedef {object} Inspection
 * @property {string} where  names the cell
 * @property {Part[]} parts  the formula with its numbers, the value last
 * @property {number} value
 */

/**
 * A scheme: its settings and its views.
 * @typedef {object} Definition
 * @property {string} name
 * @property {string} title
 * @property {string} words  a sentence about it
 * @property {{paper: string, url: string}} source
 * @property {string} [lesson]  the name of the lesson that explains it
 * @property {Setting[]} settings
 * @property {Partial<Record<ViewName, View>>} views
 * @property {(settings: Values) => ViewName | undefined} [best]  the view that shows best what these settings do;
 *   default: the first
 * @property {boolean} [conventional]  whether it has no entry, and so no formula and no PyTorch program
 */

/** @typedef {ReturnType<typeof scheme>} Scheme */

/** @param {Definition} definition */
export function scheme(definition) {
  const views = /** @type {ViewName[]} */ (Object.keys(VIEWS)).filter(
    (name) => name in definition.views,
  );
  /** @param {string} name @returns {View} */
  const viewOf = (name) => {
    const view = definition.views[/** @type {ViewName} */ (name)];
    if (view) return view;
    throw new RangeError(`view must be one of ${views.join(", ")}; got ${name}`);
  };

  /**
   * Settings in which those that do not apply have their initial value.
   * @param {Values} settings @param {string} view
   */
  const applied = (settings, view) =>
    Object.fromEntries(
      definition.settings.map(({ name, when, initial }) => [
        name,
        when(settings, view) ? settings[name] : initial,
      ]),
    );

  /** @param {Values} settings @param {string} view */
  const planOf = (settings, view) => viewOf(view).plan(applied(settings, view));

  /**
   * Computes the numbers of a picture and the options of its figure.
   * @param {Phasor} phasor @param {Values} settings @param {string} view
   * @returns {Picture}
   * @throws {TypeError | RangeError} if phasor refuses the combination of settings
   */
  function compute(phasor, settings, view) {
    const { kind, lines, data, given, options } = planOf(settings, view);
    const scope = run(lines, phasor);
    const numbers = asTensor(scope[data]);
    return {
      kind,
      data: numbers,
      given: given === undefined ? numbers : evaluate(given, scope),
      options: evaluate(options, scope),
    };
  }

  return Object.freeze({
    conventional: false,
    ...definition,
    views,

    /**
     * The plan of a picture. Settings with the same lines have the same picture.
     * @param {Values} settings @param {string} view
     */
    plan: planOf,

    compute,

    /**
     * The formula of a cell with its numbers.
     * @param {Phasor} phasor @param {Values} settings @param {string} view
     * @param {readonly number[]} cell  indices into the picture's data
     * @param {Picture} [picture]  if it is computed already
     * @returns {Inspection}
     */
    inspect(phasor, settings, view, cell, picture = compute(phasor, settings, view)) {
      const shown = Number(picture.data.at(...cell));
      const { where, parts } = viewOf(view).inspect(applied(settings, view), cell, picture);
      const exact = { ...settings, precision: "exact" };
      if (
        settings.precision !== "torch" ||
        sameLines(planOf(settings, view), planOf(exact, view))
      ) {
        return { where, parts: [...parts, " = ", value(shown)], value: shown };
      }
      const rounded = Number(compute(phasor, exact, view).data.at(...cell));
      const steps = "; in PyTorch\u2019s float32 steps: ";
      return { where, parts: [...parts, " = ", value(rounded), steps, value(shown)], value: shown };
    },

    /**
     * The numbers of a picture.
     * @param {Phasor} phasor @param {Values} settings @param {string} [view]  default: the first
     */
    tensor: (phasor, settings, view = views[0]) => compute(phasor, settings, view).data,

    /**
     * The JavaScript program of a picture.
     * @param {Phasor} phasor @param {Values} settings @param {string} view
     */
    program(phasor, settings, view) {
      const plan = planOf(settings, view);
      return { ...plan, modules: modules(plan.lines, phasor), text: printed(plan.lines) };
    },

    /**
     * The PyTorch program of a picture.
     * @param {Values} settings @param {string} view
     */
    torch: (settings, view) => viewOf(view).torch(applied(settings, view)),
  });
}

/** Whether two pictures are the same. @param {Plan} a @param {Plan} b */
function sameLines(a, b) {
  return printed(a.lines).join() === printed(b.lines).join();
}
