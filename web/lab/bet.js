// The reader's bet: the order of the schemes at the longest text, made before a run and scored after it.

/** @import { SchemeName } from "./setup.js" */
/** @import { Run } from "./runs.js" */
import { byId, make } from "../app/dom.js";
import { meanOf } from "./curves.js";
import { schemes } from "./setup.js";

/** Results that are closer count as equal. */
const EQUAL = 0.02;

/** @param {() => void} changed  called when the record is covered or shown */
export function bet(changed) {
  const place = /** @type {HTMLDetailsElement} */ (byId("bet"));
  const list = byId("order");
  const score = byId("score");
  /** @type {SchemeName[]} */
  let order = [];
  /** The results, once the bet has been scored. @type {Map<SchemeName, number> | undefined} */
  let results;
  place.addEventListener("toggle", () => {
    if (!place.open) again();
    changed();
  });

  function again() {
    results = undefined;
    score.textContent = "";
    render();
  }

  function render() {
    list.replaceChildren(...order.map(item));
  }

  /** @param {SchemeName} name @param {number} at */
  function item(name, at) {
    const button = (
      /** @type {string} */ sign,
      /** @type {string} */ way,
      /** @type {number} */ by,
    ) => {
      const made = make(
        "button",
        { type: "button", "aria-label": `${schemes[name]}: ${way}`, disabled: !order[at + by] },
        sign,
      );
      made.addEventListener("click", () => {
        move(name, at + by);
        const moved = list.children[at + by];
        const same = moved.querySelector(`button:not(:disabled)[aria-label$="${way}"]`);
        /** @type {HTMLElement | null} */ (
          same ?? moved.querySelector("button:not(:disabled)")
        )?.focus();
      });
      return made;
    };
    const result = results?.get(name);
    const was = make("span", { class: "was" }, result === undefined ? "" : result.toFixed(2));
    const row = make(
      "div",
      { class: "bid" },
      make("span", { class: "grip", "aria-hidden": "true" }, "\u2261"),
      schemes[name],
      was,
      button("\u2191", "up", -1),
      button("\u2193", "down", 1),
    );
    row.addEventListener("pointerdown", (event) => drag(event, name));
    return make("li", {}, row);
  }

  /** @param {SchemeName} name @param {number} to */
  function move(name, to) {
    order = order.filter((other) => other !== name);
    order.splice(to, 0, name);
    if (results) again();
    else render();
  }

  /** @param {PointerEvent} event @param {SchemeName} name */
  function drag(event, name) {
    const target = /** @type {Element} */ (event.target);
    if (event.button !== 0 || target.closest("button")) return;
    if (event.pointerType === "touch" && !target.closest(".grip")) return; // it scrolls the page
    event.preventDefault();
    const isOver = (/** @type {Element} */ row, /** @type {number} */ y) => {
      const { top, bottom } = row.getBoundingClientRect();
      return y >= top && y < bottom;
    };
    const follow = (/** @type {PointerEvent} */ { clientY }) => {
      const to = [...list.children].findIndex((row) => isOver(row, clientY));
      if (to >= 0 && order[to] !== name) move(name, to);
      list.children[order.indexOf(name)]?.firstElementChild?.classList.add("held");
    };
    const end = () => {
      removeEventListener("pointermove", follow);
      for (const kind of ["pointerup", "pointercancel"]) removeEventListener(kind, end);
      render();
    };
    addEventListener("pointermove", follow);
    for (const kind of ["pointerup", "pointercancel"]) addEventListener(kind, end);
  }

  return {
    /** Forgets the score. */
    again,

    /** Follows the chosen schemes. @param {readonly SchemeName[]} names @returns {boolean} whether the record is covered */
    show(names) {
      const next = [
        ...order.filter((name) => names.includes(name)),
        ...names.filter((name) => !order.includes(name)),
      ];
      if (String(next) !== String(order)) {
        order = next;
        again();
      }
      return place.open && results === undefined;
    },

    /** Scores the bet, if there is one. @param {readonly Run[]} runs @param {"loss" | "accuracy"} measure */
    judge(runs, measure) {
      if (!place.open) return;
      const found = order.flatMap((name) => {
        const ends = runs
          .filter(({ scheme, state }) => scheme === name && state === "done")
          .map(({ tests }) => tests[tests.length - 1][measure]);
        return ends.length > 0 ? [/** @type {const} */ ([name, meanOf(ends)])] : [];
      });
      results = new Map(found);
      const sign = measure === "loss" ? -1 : 1;
      const pairs = found.flatMap(([, better], i) =>
        found.slice(i + 1).map(([, worse]) => sign * (better - worse)),
      );
      const right = pairs.filter((difference) => difference > -EQUAL).length;
      score.textContent = `You ordered ${right} of ${pairs.length} pairs right. Pairs that differ by less than ${EQUAL} count as right.`;
      render();
    },
  };
}
