// Many links as one stop of the Tab key.

/**
 * Arrow keys, Home and End go from one link of a place to another; Tab enters the place once and leaves it.
 * @param {HTMLElement} place
 */
export function oneStop(place) {
  const links = [...place.querySelectorAll("a")];
  let at = 0;
  const stop = (/** @type {number} */ next) => {
    links[at].tabIndex = -1;
    at = next;
    links[at].tabIndex = 0;
  };
  for (const link of links) link.tabIndex = -1;
  stop(0);
  place.removeAttribute("tabindex"); // its first link is the stop instead
  place.setAttribute("aria-description", "Arrow keys go from one to the next.");
  place.addEventListener("focusin", ({ target }) => {
    const next = links.findIndex((link) => link === target);
    if (next >= 0) stop(next);
  });
  place.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const next = targetOf(event.key, links, at);
    if (next === undefined) return;
    event.preventDefault();
    next.focus();
  });
}

/** @param {string} key @param {readonly HTMLElement[]} links @param {number} at @returns {HTMLElement | undefined} */
function targetOf(key, links, at) {
  if (key === "ArrowRight") return links[at + 1];
  if (key === "ArrowLeft") return links[at - 1];
  if (key === "Home") return links[0];
  if (key === "End") return links.at(-1);
  if (key === "ArrowDown") return nearest(links, at, 1);
  return key === "ArrowUp" ? nearest(links, at, -1) : undefined;
}

/** The nearest link of the next row. @param {readonly HTMLElement[]} links @param {number} at @param {1 | -1} down */
function nearest(links, at, down) {
  const from = links[at].getBoundingClientRect();
  const away = links
    .map((link) => ({ link, box: link.getBoundingClientRect() }))
    .map(({ link, box }) => ({ link, x: Math.abs(box.x - from.x), y: down * (box.y - from.y) }))
    .filter(({ y }) => y > from.height / 2);
  const row = Math.min(...away.map(({ y }) => y));
  return away.filter(({ y }) => y < row + 4).sort((a, b) => a.x - b.x)[0]?.link;
}
