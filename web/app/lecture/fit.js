// Makes what is shown as large as the screen allows, and no larger.

/** The least height of a picture, px. */
const LEAST = 160;

/** A slide without a picture that is higher than the screen by this factor is two. */
const TOO_HIGH = 1.3;

/** What is beside a picture in the height of its figure, px. */
const BESIDE = 64;

/** The smallest type, as a share of its size, and the steps to it. */
const SMALLEST = 0.4;
const STEP = 0.04;

/** The size of type on a slide that is scrolled. */
const READABLE = 0.8;

/** The width of a screen from which figures, with their type, grow with it, px, and by how much at most. */
const WIDE = 1280;
const MOST = 1.6;

/** What is beside the cells of a matrix in the width of its figure, px. */
const GUTTER = 112;

/** How often a slide is fitted after a change: figures answer with another height, until they settle. */
const PASSES = 6;

/**
 * Fits what is shown of a page into a height: first its pictures, then its type.
 * @param {HTMLElement} main @param {number} room  px
 */
function fit(main, room) {
  main.style.zoom = "1";
  const grown = Math.min(MOST, Math.max(1, innerWidth / WIDE));
  main.style.setProperty("--grown", String(grown));
  const height = () => main.getBoundingClientRect().height;
  const places = placesOn(main);
  const firsts = new Set(places.map((place) => inRow(place, places)));
  const more = (room - height()) / firsts.size / grown;
  for (const first of firsts) {
    const row = places.filter((place) => inRow(place, places) === first);
    // The figures of a pair are alike in height.
    const now = Math.max(...row.map((place) => heightOf(place, grown)));
    const least = Math.max(...row.map(({ dataset }) => Number(dataset.least ?? LEAST)));
    const next = Math.max(least, Math.floor(now + more));
    for (const place of row) {
      const { height, square } = place.dataset;
      if (height && Math.abs(next - Number(height)) < 4) continue;
      place.dataset.height = String(next);
      place.style.setProperty("--square", square ? `${next + GUTTER}px` : "none");
      place.dispatchEvent(new Event("fit"));
    }
  }
  for (let zoom = 1; height() > room && zoom > SMALLEST; zoom -= STEP) {
    main.style.zoom = String(zoom - STEP);
  }
  // What fits in no size that can be read is scrolled, above the bar.
  const isScrolled = height() > room;
  if (isScrolled) main.style.zoom = String(READABLE);
  main.style.marginBottom = isScrolled ? `${(innerHeight - room) / READABLE}px` : "";
}

/**
 * The share of the room that the pictures of a slide can have; without any 1, or 0 if it is too high.
 * @param {HTMLElement} main @param {number} room  px
 */
export function shareOf(main, room) {
  const places = placesOn(main);
  const firsts = places.filter((place) => inRow(place, places) === place);
  const high = (/** @type {Element} */ each) => each.getBoundingClientRect().height;
  if (places.length === 0) return high(main) > TOO_HIGH * room ? 0 : 1;
  const beside = [
    ...document.querySelectorAll("[data-beside] .words > [data-current]:not([hidden])"),
  ];
  if (
    beside.length > 0 &&
    beside.every((each) => each.getBoundingClientRect().bottom + scrollY < room)
  )
    return 1;
  const pictures = firsts.reduce((sum, place) => sum + high(pictureIn(place)), 0);
  return 1 - (high(main) - pictures) / room;
}

/** The places of the pictures on a slide. @param {HTMLElement} main */
function placesOn(main) {
  const all = main.querySelectorAll("[data-current] .picture-place, .picture-place[data-current]");
  return /** @type {HTMLElement[]} */ ([...all]).filter(
    (place) => place.checkVisibility() && place.querySelector(".phasor-picture"),
  );
}

/** @param {HTMLElement} place */
const pictureIn = (place) => /** @type {Element} */ (place.querySelector(".phasor-picture"));

/** The first figure of a pair, or else the figure itself. @param {HTMLElement} place @param {HTMLElement[]} places */
function inRow(place, places) {
  const pair = place.closest(".pair");
  return places.find((each) => pair?.contains(each)) ?? place;
}

/** The height that a picture has now, px. @param {HTMLElement} place @param {number} grown */
function heightOf(place, grown) {
  const { height } = pictureIn(place).getBoundingClientRect();
  return Number(place.dataset.height ?? height / grown - BESIDE);
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
  new MutationObserver((all) => {
    const isOwn = (/** @type {any} */ { target }) => target.closest(".phasor-figure") !== null; // answers to a pass
    (all.every(isOwn) ? plan : again)();
  }).observe(main, { childList: true, subtree: true });
  for (const event of ["submit", "input", "toggle"]) main.addEventListener(event, again, true);
  addEventListener("resize", again);
  return again;
}
