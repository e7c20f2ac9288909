// Words of the text that are about a part of the figures beside them light it up: while they are pointed at or have the
// focus, or until they are pressed again.

/** Follows the words of the page. */
export function light() {
  for (const word of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".hue"))) {
    const around = word.closest("section");
    const show = () => {
      const isLit = word.ariaPressed === "true" || word.matches(":hover, :focus-visible");
      for (const figure of around?.querySelectorAll(".picture-place") ?? []) {
        if (isLit) figure.setAttribute("data-lit", word.dataset.means ?? "");
        else figure.removeAttribute("data-lit");
      }
    };
    word.addEventListener("click", () => {
      word.ariaPressed = String(word.ariaPressed !== "true");
      show();
    });
    for (const event of ["pointerenter", "pointerleave", "focus", "blur"])
      word.addEventListener(event, show);
  }
}
