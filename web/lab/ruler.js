// A ruler over the positions of the longest texts: what each scheme reaches where it stands, within the trained length
// and beyond it. Its numbers are means over positions that were tested here or are recorded.

/** @import { Shown } from "./curves.js" */
import { byId, make } from "../app/dom.js";
import { urlSettings } from "../app/url-state.js";
import { foundAt, meanText, SPAN, spanText } from "./places.js";
import { lengthsOf, measureOf, readingOf, readings, schemes } from "./setup.js";
import { meanOf, two } from "./spread.js";

export class Ruler {
  #slider = /** @type {HTMLInputElement} */ (byId("place"));
  #trained = 0;
  /** Whether the address says where it stands when the page opens. */
  #isGiven = urlSettings().has("ruler");
  /** What is shown, as text: while models train, most drawings change nothing here. */
  #shown = "";

  /** Shows the numbers where the ruler stands. @param {Shown} shown @returns {number} the last position, from 1 */
  show(shown) {
    const { setup, names } = shown;
    const { length: trained, task } = setup;
    const slider = this.#slider;
    const longest = trained * setup.factor;
    slider.max = String(longest);
    if (trained !== this.#trained) {
      slider.defaultValue = String(trained); // what the address leaves out
      if (!this.#isGiven) slider.value = String(trained);
      [this.#trained, this.#isGiven] = [trained, false];
    }
    const end = Number(slider.value);
    const found = names.map((name) => ({ name, ...foundAt(shown, name, end) }));
    const now = JSON.stringify([setup, end, found]);
    if (now === this.#shown) return end;
    this.#shown = now;
    const isBeyond = end > trained;
    slider.toggleAttribute("data-beyond", isBeyond);
    const where = isBeyond ? "beyond the trained length" : "within the trained length";
    byId("stands").textContent = spanText(end);
    slider.setAttribute("aria-valuetext", `positions ${spanText(end)}, ${where}`);
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
    const most =
      measureOf(task) === "accuracy"
        ? 1
        : Math.max(...found.flatMap(({ record, here }) => [record?.mean ?? 0, ...here]));
    byId("there").replaceChildren(
      ...found.map(({ name, record, here }) => {
        const bar = (/** @type {string} */ kind, /** @type {number | undefined} */ x) => {
          const line = make("i", { class: kind });
          line.style.setProperty("--share", String(x === undefined ? 0 : x / most));
          return line;
        };
        const reading = readingOf(setup, name);
        const title = `${schemes[name]}${reading ? `, ${readings[reading]}` : ""}`;
        const bars = [
          bar("mean", record?.mean),
          bar("here", here.length > 0 ? meanOf(here) : undefined),
        ];
        return make(
          "tr",
          {},
          make("th", { scope: "row" }, title),
          make("td", { class: "bars", "aria-hidden": "true" }, ...bars),
          make("td", {}, (record && meanText(record)) ?? "\u2013"),
          make("td", {}, here.map(two).join(", ") || "\u2013"),
        );
      }),
    );
    return end;
  }
}
