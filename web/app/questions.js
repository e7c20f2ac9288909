import { number } from "./controls.js";

/**
 * The computed answer of a question: the right choice, or the right number and its tolerance; and the reason, with the
 * computed numbers.
 *
 * @typedef {{ answer: string, because: string }
 *   | { answer: number, within?: number, because: string }} Judgement
 */

/**
 * Connects every `form[data-question]` of the page. The page computes the answer only after the reader has answered.
 *
 * @param {(name: string) => Judgement | Promise<Judgement>} judge  the question of a name
 * @returns {() => void} removes every verdict, after the settings have changed
 */
export function questions(judge) {
  /** @type {(() => void)[]} */
  const all = [];
  for (const form of /** @type {NodeListOf<HTMLFormElement>} */ (
    document.querySelectorAll("form[data-question]")
  )) {
    const name = form.dataset.question ?? "";
    const ask = /** @type {HTMLButtonElement} */ (form.querySelector(".ask"));
    const verdict = /** @type {HTMLElement} */ (form.querySelector(".verdict"));

    let asked = 0;
    const forget = () => {
      ++asked;
      verdict.textContent = "";
      delete verdict.dataset.right;
    };
    all.push(forget);
    form.addEventListener("input", () => {
      ask.disabled = given(form) === "";
      forget();
    });
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const answer = given(form);
      if (answer === "") return;
      verdict.textContent = "Computing …";
      const own = ++asked;
      try {
        const judgement = await judge(name);
        if (own !== asked) return; // another answer, or another thing to judge
        const right = isRight(answer, judgement);
        verdict.textContent = `${right ? "Yes." : "No."} ${judgement.because}`;
        verdict.dataset.right = String(right);
        for (const part of document.querySelectorAll(`[data-after="${name}"]`)) {
          /** @type {HTMLElement} */ (part).hidden = false;
        }
      } catch (error) {
        if (own === asked) verdict.textContent = /** @type {Error} */ (error).message;
      }
    });
    ask.disabled = given(form) === ""; // a browser may remember what was chosen
  }
  return () => {
    for (const forget of all) forget();
  };
}

/** The answer of the reader; empty without one. @param {HTMLFormElement} form */
function given(form) {
  return String(new FormData(form).get("answer") ?? "").trim();
}

/** @param {string} given @param {Judgement} judgement */
function isRight(given, judgement) {
  if (typeof judgement.answer === "string") return given === judgement.answer;
  const within = "within" in judgement ? (judgement.within ?? 0) : 0;
  return Math.abs(number(given) - judgement.answer) <= within;
}
