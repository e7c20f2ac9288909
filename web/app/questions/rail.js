// A dot for each question of the page, at the edge of a wide screen: open, right or wrong. A click leads to it. Below
// them, how many answers in a row were right.

/** @import { Kept } from "./kept.js" */
import { make } from "../dom.js";
import { openAround } from "../fold.js";
import { streakOf } from "./kept.js";

/** The fewest right answers that are called a row. */
const FEWEST = 2;

/**
 * @param {readonly HTMLFormElement[]} forms
 * @returns {(answers: Record<string, Kept>) => void} shows the answers
 */
export function rail(forms) {
  const dots = forms.map((form) => {
    const dot = make("button", { type: "button" });
    dot.addEventListener("click", () => {
      openAround(form);
      form.scrollIntoView({ block: "center" });
      /** @type {HTMLElement | null} */
      const first = form.querySelector("input, button, [tabindex]");
      first?.focus({ preventScroll: true });
    });
    return dot;
  });
  const items = dots.map((dot) => make("li", {}, dot));
  const streak = make("p", { class: "streak" });
  document.body.append(
    make(
      "nav",
      { class: "rail-of-questions", "aria-label": "Questions" },
      make("ol", {}, ...items),
      streak,
    ),
  );
  return (answers) => {
    const right = streakOf(answers);
    streak.hidden = right < FEWEST;
    streak.textContent = `${right} right in a row`;
    for (const [i, form] of forms.entries()) {
      const state = stateOf(answers[form.dataset.question ?? ""]);
      dots[i].dataset.state = state;
      dots[i].title = `Question ${i + 1} of ${forms.length}: ${state}`;
      dots[i].setAttribute("aria-label", dots[i].title);
    }
  };
}

/** @param {Kept | undefined} kept */
function stateOf(kept) {
  if (!kept || kept.tries === 0) return "open";
  return kept.first || kept.right ? "right" : "wrong";
}
