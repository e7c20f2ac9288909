// The reader's bet: the order of the schemes at the longest text, made before a run and scored after it.

/** @import { SchemeName } from "./setup.js" */
/** @import { Run } from "./runs.js" */
import { byId, make } from "../app/dom.js";
import { schemes } from "./setup.js";
import { meanOf } from "./spread.js";

/** Results that are closer count as equal. */
const EQUAL = 0.02;

export class Bet {
  #place = /** @type {HTMLDetailsElement} */ (byId("bet"));
  #list = byId("order");
  #score = byId("score");
  /** @type {SchemeName[]} */
  #order = [];
  /** The results, once the bet has been scored. @type {Map<SchemeName, number> | undefined} */
  #results;

  /** @param {() => void} changed  called when the record is covered or shown */
  constructor(changed) {
    this.#place.addEventListener("toggle", () => {
      if (!this.#place.open) this.again();
      changed();
    });
  }

  /** Forgets the score. */
  again() {
    this.#results = undefined;
    this.#score.textContent = "";
    this.#render();
  }

  /** Follows the chosen schemes. @param {readonly SchemeName[]} names @returns {boolean} whether the record is covered */
  show(names) {
    const kept = this.#order.filter((name) => names.includes(name));
    const next = [...kept, ...names.filter((name) => !kept.includes(name))];
    if (String(next) !== String(this.#order)) {
      this.#order = next;
      this.again();
    }
    return this.#place.open && this.#results === undefined;
  }

  /** Scores the bet, if there is one. @param {readonly Run[]} runs @param {"loss" | "accuracy"} measure */
  judge(runs, measure) {
    if (!this.#place.open) return;
    const found = this.#order.flatMap((name) => {
      const ends = runs
        .filter(({ scheme, state }) => scheme === name && state === "done")
        .map(({ tests }) => tests[tests.length - 1][measure]);
      return ends.length > 0 ? [/** @type {const} */ ([name, meanOf(ends)])] : [];
    });
    this.#results = new Map(found);
    const sign = measure === "loss" ? -1 : 1;
    const pairs = found.flatMap(([, better], i) =>
      found.slice(i + 1).map(([, worse]) => sign * (better - worse)),
    );
    const right = pairs.filter((difference) => difference > -EQUAL).length;
    this.#score.textContent = `You ordered ${right} of ${pairs.length} pairs right. Pairs that differ by less than ${EQUAL} count as right.`;
    this.#render();
  }

  #render() {
    this.#list.replaceChildren(...this.#order.map((name, at) => this.#item(name, at)));
  }

  /** @param {SchemeName} name @param {number} at */
  #item(name, at) {
    const result = this.#results?.get(name);
    const row = make(
      "div",
      { class: "bid" },
      make("span", { class: "grip", "aria-hidden": "true" }, "\u2261"),
      schemes[name],
      make("span", { class: "was" }, result === undefined ? "" : result.toFixed(2)),
      this.#button(name, at, "up"),
      this.#button(name, at, "down"),
    );
    row.addEventListener("pointerdown", (event) => this.#drag(event, name));
    return make("li", {}, row);
  }

  /** @param {SchemeName} name @param {number} at @param {"up" | "down"} way */
  #button(name, at, way) {
    const to = way === "up" ? at - 1 : at + 1;
    const label = `${schemes[name]}: ${way}`;
    const disabled = this.#order[to] === undefined;
    const sign = way === "up" ? "\u2191" : "\u2193";
    const button = make("button", { type: "button", "aria-label": label, disabled }, sign);
    button.addEventListener("click", () => {
      this.#move(name, to);
      const moved = [...this.#list.children[to].querySelectorAll("button")];
      const open = moved.filter((other) => !other.disabled);
      (open.find(({ ariaLabel }) => ariaLabel === label) ?? open[0])?.focus();
    });
    return button;
  }

  /** @param {SchemeName} name @param {number} to */
  #move(name, to) {
    this.#order = this.#order.filter((other) => other !== name);
    this.#order.splice(to, 0, name);
    this.#render();
  }

  /** @param {PointerEvent} event @param {SchemeName} name */
  #drag(event, name) {
    const target = /** @type {Element} */ (event.target);
    if (event.button !== 0 || target.closest("button")) return;
    if (event.pointerType === "touch" && !target.closest(".grip")) return; // it scrolls the page
    event.preventDefault();
    const follow = (/** @type {PointerEvent} */ { clientY: y }) => {
      const rows = [...this.#list.children].map((row) => row.getBoundingClientRect());
      const to = rows.findIndex(({ top, bottom }) => y >= top && y < bottom);
      if (to >= 0 && this.#order[to] !== name) this.#move(name, to);
      this.#list.children[this.#order.indexOf(name)].firstElementChild?.classList.add("held");
    };
    const end = () => {
      removeEventListener("pointermove", follow);
      for (const kind of ["pointerup", "pointercancel"]) removeEventListener(kind, end);
      this.#render();
    };
    addEventListener("pointermove", follow);
    for (const kind of ["pointerup", "pointercancel"]) addEventListener(kind, end);
  }
}
