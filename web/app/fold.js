// What a first reader can leave out is folded under "More" (x-more in web/template/expand.js).

/** Opens what is folded in a part of the page. @param {ParentNode} part */
export function unfold(part) {
  for (const fold of part.querySelectorAll("details.more")) fold.setAttribute("open", "");
}

/** Opens the folds around an element. @param {Element} element */
export function openAround(element) {
  const around = element.closest("details");
  if (!around) return;
  around.setAttribute("open", "");
  if (around.parentElement) openAround(around.parentElement);
}

/** Scrolls to an element that a link leads to; a heading stands for its section. @param {Element | null} element */
export function reveal(element) {
  if (!element) return;
  openAround(element);
  const section = element.matches("h2") ? element.closest("section") : null;
  if (section) unfold(section);
  element.scrollIntoView();
}
