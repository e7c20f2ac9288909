// Surgery without a step: one trained scheme, read in ways that its training did not have.

/** @import { Operation } from "../app/lab-surgery.js" */
/** @import { Axes, Line, Panel } from "./panels.js" */
/** @import { Run } from "./runs.js" */
/** @import { Recorded, SchemeName, Setup } from "./setup.js" */
import { TIMES } from "../app/lab-surgery.js";
import { byId } from "../app/dom.js";
import { withoutFunction } from "../app/errors.js";
import { curvesOf } from "./curves.js";
import { panels } from "./panels.js";
import { ALL } from "./runs.js";
import { measureOf, schemes } from "./setup.js";
import { spreadText } from "./spread.js";

/** How many times as long as in the training the longest text is: bfloat16 rounds positions from 257 on. */
const FACTOR = 16;

/** What is tested, with the schemes that have it; all, where none are named. @type {Record<Operation, {title: string, of?: readonly SchemeName[]}>} */
const OPERATIONS = {
  linear: { title: "linear (PI)", of: ["rope"] },
  ntk: { title: "NTK", of: ["rope"] },
  yarn: { title: "YaRN", of: ["rope"] },
  base: { title: `base \u00d7 ${TIMES}`, of: ["sinusoidal", "rope", "xpos", "sandwich"] },
  layout: { title: "the other layout", of: ["rope", "xpos"] },
  bfloat16: { title: "bfloat16 positions" },
  one: { title: "positions from 1" },
  five: { title: "padding of 5" },
};

/** @typedef {{loss: number, accuracy: number}} Tested */
/** @typedef {{runs: readonly Run[], setup: Setup, recorded: Recorded}} Shown  the trainings of a scheme that have ended */

/** What was tested of one scheme: of each of its seeds, at each length. */
class Operated {
  /** @type {Tested[][]} */
  seeds = [];
  error = "";
}

export class Surgery {
  #button = /** @type {HTMLButtonElement} */ (byId("operate"));
  #figures = panels(byId("operated"));
  /** Whose results are shown. */
  #key = "";
  /** @type {Map<Operation | "untouched", Operated>} */
  #results = new Map();
  /** @type {Shown | undefined} */
  #shown;

  constructor() {
    this.#button.addEventListener("click", () => this.#operate());
  }

  /** Follows the scheme that is shown inside. @param {SchemeName} scheme @param {readonly Run[]} all @param {Setup} setup @param {Recorded} recorded */
  show(scheme, all, setup, recorded) {
    const runs = all.filter((run) => run.scheme === scheme && run.state === "done");
    this.#shown = { runs, setup, recorded };
    const key = JSON.stringify(runs.map(({ id }) => id));
    if (key === this.#key) return;
    this.#key = key;
    this.#results = new Map();
    this.#button.disabled = runs.length === 0;
    byId("operating").textContent = runs.length === 0 ? `${schemes[scheme]}: not trained yet.` : "";
    this.#draw();
  }

  async #operate() {
    const key = this.#key;
    const { runs, setup } = /** @type {Shown} */ (this.#shown);
    const [{ scheme }] = runs;
    const wanted = /** @type {Operation[]} */ (Object.keys(OPERATIONS)).filter(
      (name) => OPERATIONS[name].of?.includes(scheme) ?? true,
    );
    this.#button.disabled = true;
    this.#results = new Map();
    for (const name of /** @type {const} */ (["untouched", ...wanted])) {
      if (key !== this.#key) return;
      byId("operating").textContent = `${schemes[scheme]}: tests ${titleOf(name)}.`;
      const one = new Operated();
      this.#results.set(name, one);
      const tests = runs.map((run) => testedBy(run, name, setup));
      for (const { tested, error } of await Promise.all(tests)) {
        one.seeds.push(tested);
        one.error ||= error;
      }
      this.#draw();
    }
    if (key !== this.#key) return;
    byId("operating").textContent =
      `${schemes[scheme]}: done. The weights are those of the training.`;
    this.#button.disabled = false;
  }

  #draw() {
    const { setup, recorded } = /** @type {Shown} */ (this.#shown);
    const far = { ...setup, factor: FACTOR };
    const shown = { recorded, setup: far, names: [], runs: [], isCovered: true };
    const { axes } = curvesOf({ ...shown, view: "length" });
    const untouched = this.#results.get("untouched");
    const all = [...this.#results].flatMap(([name, one]) =>
      name === "untouched" || !untouched ? [] : panelOf(name, one, untouched, setup, axes),
    );
    this.#figures.show(axes, all);
  }
}

/** @param {Operation | "untouched"} name */
const titleOf = (name) => (name === "untouched" ? "the untouched model" : OPERATIONS[name].title);

/**
 * The tests of a model until one is refused.
 * @param {Run} run @param {Operation | "untouched"} name @param {Setup} setup
 */
async function testedBy({ id, scheme, worker }, name, { length: trained }) {
  /** @type {Tested[]} */
  const tested = [];
  try {
    for (let length = trained; length <= FACTOR * trained; length *= 2) {
      const test = { id, length, tokens: ALL };
      tested.push(
        await /** @type {NonNullable<typeof worker>} */ (worker).work(
          .../** @type {[any, any]} */ (
            name === "untouched"
              ? ["test", { ...test, scheme, reading: null, temperature: 1 }]
              : ["operate", { ...test, operation: name }]
          ),
        ),
      );
    }
  } catch (error) {
    return { tested, error: withoutFunction(/** @type {Error} */ (error).message) };
  }
  return { tested, error: "" };
}

/**
 * One operation beside the untouched model.
 * @param {Operation} name @param {Operated} one @param {Operated} untouched @param {Setup} setup @param {Axes} axes
 * @returns {Panel}
 */
function panelOf(name, { seeds, error }, untouched, { task }, axes) {
  const measure = measureOf(task);
  const { title } = OPERATIONS[name];
  const linesOf = (/** @type {Tested[][]} */ all, /** @type {Line["kind"]} */ kind) =>
    all.map((tested) => ({
      kind,
      points: tested.map((test, x) => /** @type {const} */ ([x, test[measure]])),
    }));
  const at = (/** @type {Tested[][]} */ all, /** @type {number} */ x) =>
    spreadText(all.flatMap((tested) => tested[x]?.[measure] ?? []));
  const words = axes.xTicks.map(
    ({ text }, x) => `${at(seeds, x) || "none"} at ${text}, untouched ${at(untouched.seeds, x)}`,
  );
  const last = axes.xTicks.length - 1;
  return {
    name,
    title,
    said: at(seeds, last),
    note: error || `untouched ${at(untouched.seeds, last)}`,
    mark: error ? "other" : "",
    lines: [...linesOf(untouched.seeds, "mean"), ...linesOf(seeds, "here")],
    label: `${title}: ${measure} ${words.join("; ")}`,
  };
}
