import "./shared.css";

/**
 * Counts the questions of the page that are answered, and those answered right, in the element with `data-score`.
 * Its text has the words of `data-score`: "You and the numbers agree".
 */
export function keepScore() {
  const place = /** @type {HTMLElement} */ (document.querySelector("[data-score]"));
  const questions = document.querySelectorAll("form[data-question]").length;

  function show() {
    const given = document.querySelectorAll("form[data-question] .verdict[data-right]");
    const right = [...given].filter((verdict) => {
      return /** @type {HTMLElement} */ (verdict).dataset.right === "true";
    });
    place.textContent =
      given.length === 0 ? "" : `${place.dataset.score} ${right.length} of ${given.length}.`;
    if (given.length === questions) place.textContent += " That was the last one.";
  }
  const changes = { attributes: true, attributeFilter: ["data-right"], subtree: true };
  new MutationObserver(show).observe(/** @type {Node} */ (document.querySelector("main")), changes);
  show();
}
