// Below a verdict, buttons that lead to the controls of what it is about.

import { make } from "../dom.js";

/** The most of them. */
const MOST = 4;

/**
 * Adds a place for them to a question.
 * @param {HTMLFormElement} form
 * @returns {(names: readonly string[]) => void} shows those of these controls
 */
export function leversOf(form) {
  const place = make("p", { class: "levers", hidden: true });
  const section = form.closest("section");
  form.append(place);
  return (names) => {
    const all = names.flatMap(labeled);
    const isNear = (/** @type {typeof all[number]} */ { control }) => section?.contains(control);
    const near = [...all.filter(isNear), ...all.filter((each) => !isNear(each))].slice(0, MOST);
    place.hidden = near.length === 0;
    place.replaceChildren("Try other values:", ...near.map(leverOf));
  };
}

/** A control and its label, if the page shows it. @param {string} name */
function labeled(name) {
  const selector = `form[data-controls] [name="${CSS.escape(name)}"]:not([hidden])`;
  const control = /** @type {HTMLInputElement | null} */ (document.querySelector(selector));
  const group = control?.type === "radio" ? control.closest("fieldset") : null;
  const label = (group?.querySelector("legend") ?? control?.labels?.[0])?.textContent.trim();
  return control && label && !control.closest("[hidden]") ? [{ control, label }] : [];
}

/** @param {ReturnType<typeof labeled>[number]} one */
function leverOf({ control, label }) {
  const button = make("button", { type: "button" }, label);
  button.addEventListener("click", () => {
    for (const fold of document.querySelectorAll("details")) fold.open ||= fold.contains(control);
    control.scrollIntoView({ block: "center" });
    control.focus({ preventScroll: true });
  });
  return button;
}
