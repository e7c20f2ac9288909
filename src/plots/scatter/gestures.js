/**
 * Pans and zooms a picture by pointers and the wheel.
 *
 * One finger scrolls the page until the picture has focus. Two fingers, a mouse and a pen always move the picture. The
 * wheel scrolls the page, except with Ctrl or focus.
 *
 * @typedef {object} Moves
 * @property {(dx: number, dy: number) => void} pan  px
 * @property {(factor: number, x: number, y: number) => void} zoom  about a point, px
 * @property {(x: number, y: number) => void} tap  pressed and released at a point
 * @property {() => boolean} focused  whether the picture has focus
 */

/** A shorter movement is a tap, px. */
const SLOP = 5;

/** The doublings of the scale for a pixel of the wheel, as in d3-zoom. A pinch has the Ctrl key set. */
const [WHEEL, PINCH] = [0.002, 0.02];

/** Pixels of a line and of a page of the wheel. */
const MODES = [1, 16, 400];

/**
 * @param {HTMLElement} element  places are px from its upper left corner
 * @param {Moves} moves
 */
export function gestures(element, { pan, zoom, tap, focused }) {
  /** Pointers that are pressed. @type {Map<number, {x: number, y: number}>} */
  const pressed = new Map();
  let [start, isTap] = [{ x: 0, y: 0 }, false];

  /** @param {MouseEvent} event */
  function place({ clientX, clientY }) {
    const { left, top } = element.getBoundingClientRect();
    return { x: clientX - left, y: clientY - top };
  }

  /** @param {PointerEvent} event */
  function press(event) {
    if (event.button !== 0) return;
    const at = place(event);
    pressed.set(event.pointerId, at);
    element.setPointerCapture(event.pointerId); // a drag may leave the picture
    [start, isTap] = [at, pressed.size === 1];
  }

  /** @param {PointerEvent} event */
  function move(event) {
    const from = pressed.get(event.pointerId);
    if (!from) return;
    const to = place(event);
    if (isTap && Math.max(Math.abs(to.x - start.x), Math.abs(to.y - start.y)) < SLOP) return;
    isTap = false;
    pressed.set(event.pointerId, to);
    const other = [...pressed].find(([id]) => id !== event.pointerId)?.[1];
    if (other) {
      // The center of two fingers moves half as far as one of them.
      pan((to.x - from.x) / 2, (to.y - from.y) / 2);
      const factor = distance(to, other) / Math.max(1, distance(from, other));
      zoom(factor, (to.x + other.x) / 2, (to.y + other.y) / 2);
    } else if (event.pointerType !== "touch" || focused()) {
      pan(to.x - from.x, to.y - from.y);
    }
  }

  /** @param {PointerEvent} event */
  function release(event) {
    const was = pressed.delete(event.pointerId);
    if (was && isTap && event.type === "pointerup") tap(start.x, start.y);
    isTap = false;
  }

  /** @param {WheelEvent} event */
  function wheel(event) {
    if (!event.ctrlKey && !event.metaKey && !focused()) return;
    event.preventDefault();
    const pixels = event.deltaY * MODES[event.deltaMode];
    const doublings = -pixels * (event.ctrlKey ? PINCH : WHEEL);
    const { x, y } = place(event);
    zoom(2 ** Math.min(0.5, Math.max(-0.5, doublings)), x, y);
  }

  element.addEventListener("pointerdown", press);
  element.addEventListener("pointermove", move);
  element.addEventListener("pointerup", release);
  element.addEventListener("pointercancel", release);
  element.addEventListener("wheel", wheel, { passive: false });
  element.addEventListener("dblclick", (event) => {
    const { x, y } = place(event);
    zoom(event.shiftKey ? 0.5 : 2, x, y);
  });
  // Otherwise the page scrolls with two fingers and cancels the pointers.
  const hold = (/** @type {TouchEvent} */ event) => {
    if (event.touches.length > 1 && event.cancelable) event.preventDefault();
  };
  element.addEventListener("touchstart", hold, { passive: false });
  element.addEventListener("touchmove", hold, { passive: false });
}

/** @param {{x: number, y: number}} a @param {{x: number, y: number}} b */
function distance(a, b) {
  return Math.sqrt((a.x - b.x) ** 2 + (a.y - b.y) ** 2);
}
