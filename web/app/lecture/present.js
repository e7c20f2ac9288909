import { make } from "../dom.js";
import { fitting, shareOf } from "./fit.js";
import { qr } from "./qr.js";
import { halvesOf, isSquare, slidesOf } from "./slides.js";
import { timer } from "./timer.js";
import { votes } from "./votes.js";

/** @import { Slide, UsesOf } from "./slides.js" */

/** What uses arrow keys itself, and Home and End. */
const OWN =
  "input:not([type=checkbox]), select, textarea, [role=application], .draw-area, .runnable";

/**
 * Shows one slide of the page at a time, as large as the screen allows: Page Up and Page Down always turn, arrow keys
 * where the focus does not use them, Escape ends. Votes by show of hands are counted beside the options of a prediction.
 * `?present=exercises` has the exercises and what is folded, too; `&slide=6` opens the sixth.
 * @param {UsesOf} usesOf
 */
export function present(usesOf) {
  const main = /** @type {HTMLElement} */ (document.querySelector("main"));
  const asked = new URLSearchParams(location.search);
  const slides = slidesOf(main, asked.get("present") === "exercises", usesOf);
  let at = 0;
  const count = make("output", { "aria-label": "Slide" });
  const back = button("Back", () => turn(-1));
  const next = button("Next", () => turn(1));
  const code = qr(() => addressOf(slides[at]));
  const bar = make(
    "nav",
    { class: "slides", "aria-label": "Slides" },
    back,
    count,
    next,
    timer(),
    code.button,
    document.querySelector("button.theme") ?? "", // of the header, which slides do not show
    button("End", () => end(slides[at])),
  );
  main.after(bar, code.dialog);
  votes();
  const room = () => innerHeight - bar.offsetHeight;
  const again = fitting(main, room);

  /** @param {-1 | 1} by */
  function turn(by) {
    for (let to = at + by; slides[to]; to += by) if (isReady(slides[to])) return (go(to), true);
    return false;
  }

  /** @param {number} to */
  function go(to) {
    at = to;
    mark(main, slides[at]);
    const halves = halvesOf(slides[at], shareOf(main, room()));
    if (halves) {
      slides.splice(at, 1, ...halves);
      return go(at);
    }
    [back.disabled, next.disabled] = [at === 0, at === slides.length - 1];
    count.textContent = `${at + 1} / ${slides.length}`;
    const here = new URL(location.href);
    here.searchParams.set("slide", String(at + 1));
    history.replaceState(history.state, "", here);
    scrollTo({ top: 0, behavior: "instant" });
    again();
  }

  const wanted = Number(asked.get("slide")) - 1;
  followKeys(code.dialog, { turn, go, last: () => slides.length - 1, end: () => end(slides[at]) });
  go(0);
  while (at < wanted && turn(1)); // one after the other, since some become two
}

/** @param {string} text @param {() => void} act */
function button(text, act) {
  const made = make("button", { type: "button" }, text);
  made.addEventListener("click", act);
  return made;
}

/** The page at the section that is shown, as a reader opens it. @param {Slide} slide */
function addressOf({ title }) {
  const to = new URL(location.href);
  to.search = "";
  if (title?.id) to.searchParams.set("section", title.id);
  return to.href;
}

/** Whether a slide has something to show: what comes after an answer waits for it. @param {Slide} slide */
function isReady({ blocks }) {
  return blocks.some((block) => !(/** @type {HTMLElement} */ (block).hidden));
}

/** Shows a slide. @param {HTMLElement} main @param {Slide} slide */
function mark(main, slide) {
  const { title, blocks } = slide;
  main.style.zoom = "1";
  const isBeside = blocks.some((each) => each.matches(".words > *")) && isSquare(slide);
  main.toggleAttribute("data-beside", isBeside);
  const shown = new Set([title, ...blocks]);
  for (const each of main.querySelectorAll("[data-current]")) {
    if (!shown.has(each)) each.removeAttribute("data-current");
  }
  for (const each of shown) each?.setAttribute("data-current", "");
}

/** Opens the page as a reader does, at the section of a slide. @param {Slide} slide */
function end(slide) {
  location.assign(addressOf(slide));
}

/**
 * Follows keys before a focused slider takes them.
 * @param {HTMLDialogElement} dialog
 * @param {{ turn: (by: -1 | 1) => unknown, go: (to: number) => void, last: () => number, end: () => void }} slides
 */
function followKeys(dialog, { turn, go, last, end }) {
  const follow = (/** @type {KeyboardEvent} */ event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === "Escape") return dialog.open ? undefined : end();
    const isOwn = /** @type {Element} */ (event.target).closest(OWN) !== null;
    /** @type {Record<string, () => void>} */
    const keys = {
      PageDown: () => turn(1),
      PageUp: () => turn(-1),
      ...(!isOwn && {
        ArrowRight: () => turn(1),
        ArrowLeft: () => turn(-1),
        Home: () => go(0),
        End: () => go(last()),
      }),
    };
    if (!Object.hasOwn(keys, event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    dialog.close();
    keys[event.key]();
  };
  addEventListener("keydown", follow, true);
}
