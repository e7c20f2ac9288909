/**
 * Says on its card what came out of a question.
 * @param {string} name  of the question @param {string} [state]  as the style sheet has it @param {string} [words]
 */
export function turn(name, state, words = "?") {
  const card = /** @type {HTMLElement | null} */ (document.querySelector(`[data-card="${name}"]`));
  const says = card?.querySelector("b");
  if (!card || !says) return;
  if (state) card.dataset.state = state;
  else delete card.dataset.state;
  says.textContent = words;
}
