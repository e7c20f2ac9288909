// Things that the reader sorts into groups, and why each belongs where it does.

import { make } from "../dom.js";

/** The group that the reader has chosen for each thing. @typedef {Readonly<Record<string, string>>} Sorted */

/**
 * Gives every `[data-item]` of a `div.sort` of the page's HTML a button for each group.
 *
 * @param {HTMLElement} place
 */
export function sorting(place) {
  const groups = (place.dataset.groups ?? "").split(" ");
  const question = place.closest("form")?.dataset.question;
  const input = /** @type {HTMLInputElement} */ (place.querySelector("input"));
  const items = [...place.querySelectorAll("[data-item]")].map((each, i) => {
    const name = /** @type {HTMLElement} */ (each.querySelector(".item"));
    name.id = `${question}-item-${i}`;
    const buttons = groups.map((group) => {
      const button = make("button", { type: "button", "aria-pressed": "false" }, group);
      button.addEventListener("click", () => choose(i, group));
      return button;
    });
    const why = make("p", { class: "why" });
    each.append(
      make("div", { class: "groups", role: "group", "aria-labelledby": name.id }, ...buttons),
      why,
    );
    const row = /** @type {HTMLElement} */ (each);
    return { key: row.dataset.item ?? "", row, buttons, why, group: "" };
  });

  /** @param {number} i @param {string} group */
  function choose(i, group) {
    items[i].group = group;
    show();
    input.dispatchEvent(new Event("input", { bubbles: true }));
  }

  function show() {
    for (const { row, buttons, why, group } of items) {
      delete row.dataset.mark;
      why.textContent = "";
      buttons.forEach((button, g) => (button.ariaPressed = String(groups[g] === group)));
    }
    const isDone = items.every(({ group }) => group !== "");
    input.value = isDone ? items.map(({ key, group }) => `${key}=${group}`).join(" ") : "";
  }

  show();

  return {
    /** The groups that the reader has chosen, from the text of an answer. @param {string} text @returns {Sorted | undefined} */
    read(text) {
      const chosen = Object.fromEntries(text.split(" ").map((pair) => pair.split("=")));
      return items.every(({ key }) => groups.includes(chosen[key])) ? chosen : undefined;
    },

    /** Shows an answer that was kept, or none. @param {string} text */
    put(text) {
      const chosen = this.read(text);
      for (const item of items) item.group = chosen?.[item.key] ?? "";
      show();
    },

    /** Marks what is right and wrong, and says why. @param {import("./verdict.js").SortJudgement} judgement */
    reveal({ sorted, because }) {
      for (const { key, row, why, group } of items) {
        const right = group === sorted[key];
        row.dataset.mark = right ? "right" : "wrong";
        why.textContent = `${right ? "Yes" : "No"}: ${sorted[key]}. ${because[key]}`;
      }
    },
  };
}
