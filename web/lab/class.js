// Pools the lines that a class pastes into spread by seed.

/** @import { Shown } from "./curves.js" */
/** @import { Panel } from "./panels.js" */
import { copy } from "../app/copy.js";
import { byId, make } from "../app/dom.js";
import { curvesOf } from "./curves.js";
import { panels } from "./panels.js";
import { lineOf, pooled } from "./pool.js";
import { measureOf, readingOf, readings, schemes } from "./setup.js";
import { meanOf, spreadText } from "./spread.js";

export class Class {
  #own = byId("line");
  #lines = /** @type {HTMLTextAreaElement} */ (byId("lines"));
  #figures = panels(byId("pooled"));
  #key = "";

  /** @param {() => void} changed  called when other lines are there */
  constructor(changed) {
    this.#lines.addEventListener("input", changed);
    byId("copy-line").addEventListener("click", () =>
      copy(this.#own.innerText, byId("line-copied"), () =>
        getSelection()?.selectAllChildren(this.#own),
      ),
    );
  }

  /** @param {Shown} shown */
  show({ recorded, setup, runs }) {
    const line = lineOf(recorded, setup, runs);
    const text = this.#lines.value;
    const key = JSON.stringify([line, text, setup]);
    if (key === this.#key) return;
    this.#key = key;
    this.#own.textContent = line || "Run it first.";
    byId("copy-line").toggleAttribute("disabled", line === "");
    const { found, refused, lines, repeated } = pooled(text, recorded, setup);
    byId("refused").replaceChildren(
      ...refused.map(({ line, words }) => make("li", {}, `Line ${line} is left out: ${words}.`)),
    );
    const twice = repeated > 0 ? ` ${repeated} trainings were there before, and count once.` : "";
    byId("counted").textContent =
      lines + refused.length === 0
        ? ""
        : `${lines} of ${lines + refused.length} lines are pooled.${twice}`;
    const given = { recorded, setup, names: [], runs: [], isCovered: true };
    const { axes } = curvesOf({ ...given, view: "length" });
    const measure = measureOf(setup.task);
    const all = [...found].map(([scheme, results]) => {
      const reading = readingOf(setup, scheme);
      const title = `${schemes[scheme]}${reading ? `, ${readings[reading]}` : ""}`;
      const columns = axes.xTicks.map((_, x) => results.map(({ values }) => values[x]));
      const seeds = `${results.length === 1 ? "seed" : "seeds"} ${results.map(({ seed }) => seed).join(", ")}`;
      const words = axes.xTicks.map(({ text }, x) => {
        const ends = [Math.min(...columns[x]), Math.max(...columns[x])].map((y) => y.toFixed(2));
        return `${spreadText(columns[x])} at ${text}, from ${ends.join(" to ")}`;
      });
      const lineOf = (/** @type {readonly number[]} */ of) =>
        of.map((y, x) => /** @type {const} */ ([x, y]));
      /** @type {Panel} */
      const panel = {
        name: scheme,
        title,
        said: spreadText(columns[columns.length - 1]),
        note: seeds,
        mark: "",
        lines: [
          ...results.map(
            ({ values }) => /** @type {const} */ ({ kind: "seed", points: lineOf(values) }),
          ),
          { kind: "mean", points: lineOf(columns.map(meanOf)) },
        ],
        label: `${title}, ${seeds}: ${measure} ${words.join("; ")}`,
      };
      return panel;
    });
    this.#figures.show(axes, all);
  }
}
