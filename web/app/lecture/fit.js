// Makes what is shown as large as the screen allows, and no larger.

/** The least height of a picture, px. */
const LEAST = 160;

/** What is beside a picture in the height of its figure, px. */
const BESIDE = 64;

/** The smallest type, as a share of its size, and the steps to it. */
const SMALLEST = 0.4;
const STEP = 0.04;

/** How often a slide is fitted after a change: figures answer with another height, until they settle. */
const PASSES = 6;

/**
 * Fits what is shown of a page into a height: first its pictures, then its type.
 * @param {HTMLElement} main @param {number} room  px
 */
function fit(main, room) {
  main.style.zoom = "1";
  const height = () => main.getBoundingClientRect().height;
  const places = /** @type {HTMLElement[]} */ ([
    ...main.querySelectorAll("[data-current] .picture-place, .picture-place[data-current]"),
  ]).filter((place) => place.checkVisibility() && place.querySelector(".phasor-picture"));
  const rows = new Set(places.map((place) => place.closest(".pair") ?? place)).size;
  const more = (room - height()) / rows;
  for (const place of places) {
    const picture = /** @type {Element} */ (place.querySelector(".phasor-picture"));
    const now = Number(place.dataset.height ?? picture.getBoundingClientRect().height - BESIDE);
    const next = Math.max(LEAST, Math.floor(now + more));
    if (place.dataset.height && Math.abs(next - now) < 4) continue;
    place.dataset.height = String(next);
    place.dispatchEvent(new Event("fit"));
  }
  for (let zoom = 1; height() > room && zoom > SMALLEST; zoom -= STEP) {
    main.style.zoom = String(zoom - STEP);
  }
}

/**
 * Fits a slide whenever it changes: a figure that is drawn anew, or a verdict, has another height.
 * @param {HTMLElement} main @param {() => number} room
 * @returns {() => void} fits it again
 */
export function fitting(main, room) {
  let passes = 0;
  let isPlanned = false;
  function plan() {
    if (isPlanned || passes++ > PASSES) return;
    isPlanned = true;
    requestAnimationFrame(() => {
      isPlanned = false;
      fit(main, room());
    });
  }
  function again() {
    passes = 0;
    plan();
  }
  new MutationObserver(plan).observe(main, { childList: true, subtree: true });
  for (const event of ["submit", "input", "toggle"]) main.addEventListener(event, again, true);
  addEventListener("resize", again);
  return again;
}
