import { make } from "../dom.js";
import { timer } from "./timer.js";
import { votes } from "./votes.js";

/** Keys that belong to what has the focus. */
const OWN = "input, select, textarea, [role=application], .draw-area, .runnable";

/**
 * Shows one section of the page at a time: arrow keys or the buttons go on and back, Escape ends. Votes by show of hands
 * are counted beside the options of a prediction.
 */
export function present() {
  const main = /** @type {HTMLElement} */ (document.querySelector("main"));
  const slides = [...main.querySelectorAll(":scope > header, :scope > section")];
  const last = slides.length - 1;
  let at = 0;

  const count = make("output", { "aria-label": "Slide" });
  const button = (/** @type {string} */ text, /** @type {() => void} */ act) => {
    const made = make("button", { type: "button" }, text);
    made.addEventListener("click", act);
    return made;
  };
  const back = button("Back", () => go(at - 1));
  const next = button("Next", () => go(at + 1));
  main.after(
    make(
      "nav",
      { class: "slides", "aria-label": "Slides" },
      back,
      count,
      next,
      timer(),
      document.querySelector("button.theme") ?? "", // of the header, which slides do not show
      button("End", end),
    ),
  );
  votes();

  /** @param {number} to */
  function go(to) {
    at = Math.max(0, Math.min(last, to));
    slides.forEach((slide, i) => slide.toggleAttribute("data-current", i === at));
    [back.disabled, next.disabled] = [at === 0, at === last];
    count.textContent = `${at + 1} / ${slides.length}`;
    scrollTo({ top: 0, behavior: "instant" });
  }

  function end() {
    const address = new URL(location.href);
    address.searchParams.delete("present");
    location.assign(address);
  }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === "Escape") return end();
    if (/** @type {Element} */ (event.target).closest(OWN)) return;
    /** @type {Record<string, number>} */
    const keys = {
      ArrowRight: at + 1,
      PageDown: at + 1,
      ArrowLeft: at - 1,
      PageUp: at - 1,
      Home: 0,
      End: last,
    };
    if (!Object.hasOwn(keys, event.key)) return;
    event.preventDefault();
    go(keys[event.key]);
  });
  go(0);
}
