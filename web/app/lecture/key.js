/** @import { Judgement } from "../questions/verdict.js" */
import { make } from "../dom.js";

const written = new Intl.NumberFormat("en", { maximumFractionDigits: 6 });

/**
 * Adds to every question its answer and the misconception behind each wrong one, and shows what comes after answers.
 * @param {(name: string) => Promise<Judgement>} judge
 */
export async function key(judge) {
  for (const part of document.querySelectorAll("[data-after]")) {
    /** @type {HTMLElement} */ (part).hidden = false;
  }
  const forms = /** @type {HTMLElement[]} */ ([
    ...document.querySelectorAll("form[data-question]"),
  ]);
  const places = forms.map(() => make("div", { class: "key" }, "This answer is being computed …"));
  forms.forEach((form, i) => form.append(places[i]));
  const say = progress(forms.length);
  for (const [i, form] of forms.entries()) {
    say(i);
    const words = await judge(form.dataset.question ?? "").then(
      (judgement) => wordsOf(form, judgement),
      (error) => [make("p", {}, /** @type {Error} */ (error).message)], // what it needs is not there yet
    );
    places[i].replaceChildren(...words);
  }
  say(forms.length);
}

/**
 * A button that prints the page once all answers are there, and a line that says how many are: on paper, too, if it is printed
 * before. Some answers are trainings.
 * @param {number} all
 */
function progress(all) {
  const print = make("button", { type: "button", class: "primary" }, "Print");
  print.addEventListener("click", () => globalThis.print());
  const note = make("p", { class: "note", role: "status" });
  document.querySelector("main")?.prepend(make("div", { class: "buttons" }, print), note);
  return (/** @type {number} */ count) => {
    print.disabled = count < all;
    note.textContent = count < all ? `${count} of ${all} answers are computed …` : "";
  };
}

/** @param {HTMLElement} form @param {Judgement} judgement @returns {Node[]} */
function wordsOf(form, judgement) {
  if ("sorted" in judgement) {
    const { sorted, because: why } = judgement;
    return [
      make(
        "ul",
        {},
        ...Object.entries(sorted).map(([item, group]) =>
          make("li", {}, make("b", {}, `${item}: ${group}.`), ` ${why[item]}`),
        ),
      ),
    ];
  }
  const { because } = judgement;
  const options = [...form.querySelectorAll("input[type=radio]")].map(
    (each) => /** @type {HTMLInputElement} */ (each).value,
  );
  if (options.length > 0 && "answer" in judgement) {
    return [
      make(
        "ul",
        {},
        ...options.map((value, i) => {
          const letter = String.fromCharCode(65 + i);
          const right = value === judgement.answer ? " (right)" : "";
          const words = typeof because === "string" ? (right ? because : "") : because[value];
          return make("li", {}, make("b", {}, `${letter}${right}`), ` ${words ?? ""}`);
        }),
      ),
    ];
  }
  const said = typeof because === "string" ? because : "";
  const answer = "answer" in judgement ? written.format(Number(judgement.answer)) : "the curve";
  const near = "near" in judgement ? (judgement.near ?? []) : [];
  return [
    make("p", {}, make("b", {}, `Answer: ${answer}.`), ` ${said}`),
    make(
      "ul",
      {},
      ...near.map(({ value, because: why }) =>
        make("li", {}, make("b", {}, `${written.format(value)}:`), ` ${why}`),
      ),
    ),
  ];
}
