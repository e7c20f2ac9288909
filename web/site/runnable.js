/** stand-in until the frame comes @param {HTMLElement} place @param {{code: string, label: string}} options */
export function runnable(place, { code }) {
  const pre = document.createElement("pre");
  pre.textContent = code;
  place.append(pre);
  return { show: (/** @type {string} */ text) => void (pre.textContent = text) };
}
