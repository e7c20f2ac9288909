// Makes what is shown as large as the screen allows, and no larger.

/** The least height of a picture, px. */
const LEAST = 160;

/** What is beside a picture in the height of its figure, px. */
const BESIDE = 64;

/** The smallest type, as a share of its size, and the steps to it. */
const SMALLEST = 0.4;
const STEP = 0.04;

/**
 * Fits what is shown of a page into a height: first its pictures, then its type.
 * @param {HTMLElement} main @param {number} room  px
 */
export function fit(main, room) {
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
