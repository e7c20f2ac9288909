/** The distance from the pointer and from the edges of the window, px. */
const GAP = 14;
const EDGE = 8;

/**
 * Shows content next to a mouse or a pen while it is over the picture of a figure.
 * @param {HTMLElement} element @param {HTMLElement} area  contains the figures
 * @returns {(content: readonly Node[]) => void} changes the content; none hides it
 */
export function tooltip(element, area) {
  /** @type {{x: number, y: number} | undefined} */
  let pointer;

  function place() {
    element.hidden = !pointer || element.childNodes.length === 0;
    if (!pointer || element.hidden) return;
    const { x, y } = pointer;
    const { offsetWidth: width, offsetHeight: height } = element;
    const { clientWidth, clientHeight } = document.documentElement;
    const right = x + GAP + width + EDGE <= clientWidth;
    const below = y + GAP + height + EDGE <= clientHeight;
    element.style.left = `${Math.max(EDGE, right ? x + GAP : x - GAP - width)}px`;
    element.style.top = `${Math.max(EDGE, below ? y + GAP : y - GAP - height)}px`;
  }

  area.addEventListener("pointermove", ({ target, pointerType, clientX, clientY }) => {
    const inPicture = /** @type {Element} */ (target).closest(".phasor-picture") !== null;
    pointer = inPicture && pointerType !== "touch" ? { x: clientX, y: clientY } : undefined;
    place();
  });
  const leave = () => {
    pointer = undefined;
    place();
  };
  area.addEventListener("pointerleave", leave);
  addEventListener("scroll", leave, { passive: true });

  return (content) => {
    element.replaceChildren(...content);
    place();
  };
}
