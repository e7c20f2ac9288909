/**
 * A panel that a button opens and closes, where the page's style makes it a sheet at the foot of the window.
 * @param {HTMLElement} button @param {HTMLElement} panel @param {() => void} onopen
 */
export function sheet(button, panel, onopen) {
  const isOpen = () => button.getAttribute("aria-expanded") === "true";
  /** @param {boolean} open */
  const show = (open) => {
    button.setAttribute("aria-expanded", String(open));
    if (open) onopen();
  };
  button.addEventListener("click", () => show(!isOpen()));
  panel.addEventListener("keydown", ({ key }) => {
    if (key !== "Escape" || !isOpen()) return;
    show(false);
    button.focus();
  });
}
