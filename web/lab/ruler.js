// A ruler over the positions of the longest texts: what each scheme reaches where it stands, within the trained length
// and beyond it. Its numbers are means over positions that were tested here or are recorded.

/** @import { Shown } from "./curves.js" */
import { byId, make } from "../app/dom.js";
import { lengthsOf, measureOf, readingOf, readings, rowOf, schemes } from "./setup.js";
import { meanOf } from "./spread.js";

/** Positions that a number is the mean of: those up to the ruler. */
export const SPAN = 8;

/** The mean at the ruler of what each position has; undefined where none was asked, or tested. @param {readonly (number | null)[]} all @param {number} end */
export function meanAt(all, end) {
  const there = all.slice(end - SPAN, end).filter((x) => x !== null && !Number.isNaN(x));
  return there.length > 0 && end <= all.length
    ? meanOf(/** @type {number[]} */ (there))
    : undefined;
}

/**
 * What a scheme has at the ruler: of the record, and of each seed that was trained here.
 * @param {Shown} shown @param {Shown["names"][number]} name @param {number} end
 */
export function foundAt({ recorded, setup, runs, isCovered }, name, end) {
  const measure = measureOf(setup.task);
  const { lengths } = recorded.tasks[setup.task];
  const longest = setup.length * setup.factor;
  // A reading depends on the length of the text: the record has its positions in the longest texts alone.
  const isOther = readingOf(setup, name) !== null && longest !== lengths[lengths.length - 1];
  const row = isCovered || isOther ? undefined : rowOf(recorded, setup, name);
  const here = runs.flatMap(({ scheme, byPosition }) => {
    if (scheme !== name || !byPosition) return [];
    const from = measure === "loss" ? 0 : byPosition.length / 2;
    return meanAt([...byPosition.subarray(from, from + byPosition.length / 2)], end) ?? [];
  });
  return { record: row && meanAt(row.byPosition[measure], end), here };
}

export class Ruler {
  #slider = /** @type {HTMLInputElement} */ (byId("place"));
  #trained = 0;

  /** @param {() => void} changed  called when it was moved */
  constructor(changed) {
    this.#slider.addEventListener("input", changed);
  }

  /** Shows the numbers where the ruler stands. @param {Shown} shown @returns {number} the last position, from 1 */
  show(shown) {
    const { setup, names } = shown;
    const { length: trained, task } = setup;
    const slider = this.#slider;
    const longest = trained * setup.factor;
    slider.max = String(longest);
    if (trained !== this.#trained) slider.value = String(trained);
    this.#trained = trained;
    const end = Number(slider.value);
    const isBeyond = end > trained;
    slider.toggleAttribute("data-beyond", isBeyond);
    const where = isBeyond ? "beyond the trained length" : "within the trained length";
    byId("stands").textContent = `${end - SPAN + 1} to ${end}`;
    slider.setAttribute("aria-valuetext", `positions ${end - SPAN + 1} to ${end}, ${where}`);
    const scale = byId("scale");
    scale.style.setProperty("--wall", String((trained - SPAN) / (longest - SPAN)));
    const marks = lengthsOf(setup).map((length, i) => {
      const mark = make(
        "span",
        {},
        ...(i > 0 ? [String(length)] : ["T", make("b", {}, ` = ${length}`)]),
      );
      mark.style.setProperty("--at", String((length - SPAN) / (longest - SPAN)));
      return mark;
    });
    scale.replaceChildren(...marks);
    const found = names.map((name) => ({ name, ...foundAt(shown, name, end) }));
    const most =
      measureOf(task) === "accuracy"
        ? 1
        : Math.max(...found.flatMap(({ record = 0, here }) => [record, ...here]));
    byId("there").replaceChildren(
      ...found.map(({ name, record, here }) => {
        const bar = (/** @type {string} */ kind, /** @type {number | undefined} */ x) => {
          const line = make("i", { class: kind });
          line.style.setProperty("--share", String(x === undefined ? 0 : x / most));
          return line;
        };
        const reading = readingOf(setup, name);
        const title = `${schemes[name]}${reading ? `, ${readings[reading]}` : ""}`;
        const bars = [bar("mean", record), bar("here", here.length > 0 ? meanOf(here) : undefined)];
        return make(
          "tr",
          {},
          make("th", { scope: "row" }, title),
          make("td", { class: "bars", "aria-hidden": "true" }, ...bars),
          make("td", {}, record?.toFixed(2) ?? "\u2013"),
          make("td", {}, here.map((x) => x.toFixed(2)).join(", ") || "\u2013"),
        );
      }),
    );
    return end;
  }
}
