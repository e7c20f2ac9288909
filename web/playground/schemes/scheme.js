/** @import { Phasor, Tensor } from "phasor" */
/** @import { Line } from "../program.js" */
/** @import { Part } from "../parts.js" */
/** @import { Setting, Values } from "../settings.js" */
import { asTensor, evaluate, printed, modules, run } from "../program.js";
import { value } from "../parts.js";

/**
 * The ways to look at a scheme, in the order in which they are offered.
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
 * How a picture is made: a kind of figure of `phasor/plots`, and a program whose names it is made of.
 *
 * @typedef {object} Plan
 * @property {"heatmap" | "waves" | "spectrum" | "bias" | "clock"} kind
 * @property {Line[]} lines
 * @property {string} data  the line with the picture's numbers
 * @property {unknown} [given]  what the figure takes, if more than the numbers; a program's value
 * @property {Record<string, unknown>} options  of the figure; a program's values
 */

/**
 * @typedef {object} View
 * @property {(settings: Values) => Plan} plan
 * @property {(settings: Values, cell: readonly number[], picture: Picture) => {where: string, parts: Part[]}} inspect
 *   which cell it is, and the formula that leads to its value
 * @property {(settings: Values) => string[]} torch  lines of PyTorch that make what `data` names
 */

/**
 * @typedef {object} Picture
 * @property {Plan["kind"]} kind
 * @property {Tensor<any>} data
 * @property {unknown} given  what the figure takes
 * @property {Record<string, any>} options  of the figure
 */

/**
 * @typedef {object} Inspection
 * @property {string} where  which cell it is
 * @property {Part[]} parts  the formula with the numbers put in, the value last
 * @property {number} value
 */

/**
 * A family of positions: its settings, and every way to look at it.
 * @typedef {object} Definition
 * @property {string} name
 * @property {string} title
 * @property {string} words  what it does, in a sentence
 * @property {{paper: string, url: string}} source
 * @property {Setting[]} settings
 * @property {Partial<Record<ViewName, View>>} views
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
   * Settings with what does not apply as it is at first.
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
   * A picture's numbers, and what is written beside them.
   * @param {Phasor} phasor @param {Values} settings @param {string} view
   * @returns {Picture}
   * @throws {TypeError | RangeError} of phasor's, if settings do not go together
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
     * How a picture is made. Settings with the same lines have the same picture.
     * @param {Values} settings @param {string} view
     */
    plan: planOf,

    compute,

    /**
     * The formula of a cell with its numbers put in.
     * @param {Phasor} phasor @param {Values} settings @param {string} view
     * @param {readonly number[]} cell  indices into the picture's data
     * @param {Picture} [picture]  if it has been computed already
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
     * The numbers that a picture shows, to the bit.
     * @param {Phasor} phasor @param {Values} settings @param {string} [view]  default: the first
     */
    tensor: (phasor, settings, view = views[0]) => compute(phasor, settings, view).data,

    /**
     * The picture's numbers as a program in JavaScript.
     * @param {Phasor} phasor @param {Values} settings @param {string} view
     */
    program(phasor, settings, view) {
      const plan = planOf(settings, view);
      return { ...plan, modules: modules(plan.lines, phasor), text: printed(plan.lines) };
    },

    /**
     * The same in PyTorch.
     * @param {Values} settings @param {string} view
     */
    torch: (settings, view) => viewOf(view).torch(applied(settings, view)),
  });
}

/** Whether two pictures are the same. @param {Plan} a @param {Plan} b */
function sameLines(a, b) {
  return printed(a.lines).join() === printed(b.lines).join();
}
