/**
 * Keys that work while a picture has the focus; elsewhere they are text.
 * @param {HTMLElement} area  contains the figures
 * @param {{view: (index: number) => void, compare: () => void, reset: () => void, unpin: () => void}} actions
 */
export function shortcuts(area, { view, compare, reset, unpin }) {
  /** @type {Record<string, () => void>} */
  const keys = { c: compare, r: reset, escape: unpin };
  area.addEventListener("keydown", (event) => {
    const { target, key, ctrlKey, metaKey, altKey } = event;
    const inPicture = /** @type {Element} */ (target).matches(".phasor-picture");
    if (!inPicture || ctrlKey || metaKey || altKey) return;
    if (/^[1-9]$/.test(key)) return view(Number(key) - 1);
    if (Object.hasOwn(keys, key.toLowerCase())) keys[key.toLowerCase()]();
  });
}
