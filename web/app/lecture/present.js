import { make } from "../dom.js";
import { fit } from "./fit.js";
import { qr } from "./qr.js";
import { slidesOf } from "./slides.js";
import { timer } from "./timer.js";
import { votes } from "./votes.js";

/** What uses arrow keys itself, and Home and End. */
const OWN =
  "input:not([type=checkbox]), select, textarea, [role=application], .draw-area, .runnable";

/** A slide with text alone that is higher than the screen by this factor becomes two. */
const TOO_HIGH = 1.3;

/**
 * Shows one slide of the page at a time, as large as the screen allows: Page Up and Page Down always turn, arrow keys
 * where the focus does not use them, Escape ends. Votes by show of hands are counted beside the options of a prediction.
 * `?present=exercises` has the exercises, too.
 */
export function present() {
  const main = /** @type {HTMLElement} */ (document.querySelector("main"));
  const slides = slidesOf(
    main,
    new URLSearchParams(location.search).get("present") === "exercises",
  );
  let at = 0;

  const count = make("output", { "aria-label": "Slide" });
  const button = (/** @type {string} */ text, /** @type {() => void} */ act) => {
    const made = make("button", { type: "button" }, text);
    made.addEventListener("click", act);
    return made;
  };
  const back = button("Back", () => turn(-1));
  const next = button("Next", () => turn(1));
  const code = qr(address);
  const bar = make(
    "nav",
    { class: "slides", "aria-label": "Slides" },
    back,
    count,
    next,
    timer(),
    code.button,
    document.querySelector("button.theme") ?? "", // of the header, which slides do not show
    button("End", end),
  );
  main.after(bar, code.dialog);
  votes();

  /** The page at the section that is shown, as a reader opens it. */
  function address() {
    const to = new URL(location.href);
    to.search = "";
    const { id } = slides[at].title ?? {};
    if (id) to.searchParams.set("section", id);
    return to.href;
  }

  /** Whether a slide has something to show: what comes after an answer waits for it. @param {number} to */
  const isReady = (to) =>
    slides[to].blocks.some((block) => !(/** @type {HTMLElement} */ (block).hidden));

  /** @param {-1 | 1} by */
  function turn(by) {
    for (let to = at + by; slides[to]; to += by) if (isReady(to)) return go(to);
  }

  /** @param {number} to */
  function go(to) {
    at = to;
    mark(at);
    // A text that is far too high goes on on a slide of its own.
    const { title, blocks } = slides[at];
    const isText = blocks.length > 1 && !blocks.some((block) => block.querySelector("figure, svg"));
    if (isText && main.getBoundingClientRect().height > TOO_HIGH * room()) {
      const half = Math.ceil(blocks.length / 2);
      const first = blocks.at(-1)?.matches("[data-question]") ? blocks.length - 1 : half;
      slides.splice(
        at,
        1,
        { title, blocks: blocks.slice(0, first) },
        { title, blocks: blocks.slice(first) },
      );
      return go(at);
    }
    [back.disabled, next.disabled] = [at === 0, at === slides.length - 1];
    count.textContent = `${at + 1} / ${slides.length}`;
    scrollTo({ top: 0, behavior: "instant" });
    again();
  }

  /** @param {number} to */
  function mark(to) {
    main.style.zoom = "1";
    const shown = new Set([slides[to].title, ...slides[to].blocks]);
    for (const each of main.querySelectorAll("[data-current]")) {
      if (!shown.has(each)) each.removeAttribute("data-current");
    }
    for (const each of shown) each?.setAttribute("data-current", "");
  }

  const room = () => innerHeight - bar.offsetHeight;
  let passes = 0;
  let isPlanned = false;

  /** Fits the slide again: a figure that was drawn anew, or a verdict, has another height. */
  function again() {
    passes = 0;
    plan();
  }
  function plan() {
    if (isPlanned || passes++ > 6) return; // figures answer with another height; they settle
    isPlanned = true;
    requestAnimationFrame(() => {
      isPlanned = false;
      fit(main, room());
    });
  }
  new MutationObserver(plan).observe(main, { childList: true, subtree: true });
  for (const event of ["submit", "input", "toggle"]) main.addEventListener(event, again, true);
  addEventListener("resize", again);

  function end() {
    const to = new URL(location.href);
    to.searchParams.delete("present");
    location.assign(to);
  }

  // Before a focused slider takes them.
  addEventListener(
    "keydown",
    (event) => {
      if (event.ctrlKey || event.altKey || event.metaKey) return;
      if (event.key === "Escape") return code.dialog.open ? undefined : end();
      const isOwn = /** @type {Element} */ (event.target).closest(OWN) !== null;
      /** @type {Record<string, () => void>} */
      const keys = {
        PageDown: () => turn(1),
        PageUp: () => turn(-1),
        ...(!isOwn && {
          ArrowRight: () => turn(1),
          ArrowLeft: () => turn(-1),
          Home: () => go(0),
          End: () => go(slides.length - 1),
        }),
      };
      if (!Object.hasOwn(keys, event.key)) return;
      event.preventDefault();
      event.stopPropagation();
      code.dialog.close();
      keys[event.key]();
    },
    true,
  );
  go(0);
}
