// What waits for the reader's prediction: elements with `data-waits="QUESTION"`, covered until it is answered, and those
// with `data-after="QUESTION"`, hidden until then.

import { make } from "../dom.js";

/**
 * Veils what waits for a question.
 *
 * @param {string} question
 * @param {() => void} shown  called when the reader lets the page show it without an answer
 */
export function covers(question, shown) {
  const waiting = all(`[data-waits="${question}"]`);
  const hidden = all(`[data-after="${question}"]`);
  for (const place of waiting) {
    const around = make("div", { class: "waits" });
    place.replaceWith(around);
    around.append(place);
  }

  /** Removes the covers. @param {boolean} isAtOnce  without the wipe */
  function open(isAtOnce) {
    for (const place of waiting) {
      place.inert = false;
      const cover = place.parentElement?.querySelector(":scope > .cover");
      if (!cover) continue;
      place.parentElement?.classList.remove("covered");
      cover.classList.add("lifted");
      const motion = isAtOnce ? [] : cover.getAnimations();
      Promise.allSettled(motion.map(({ finished }) => finished)).then(() => cover.remove());
    }
  }

  function close() {
    for (const place of waiting) {
      place.inert = true;
      place.parentElement?.classList.add("covered");
      const button = make("button", { type: "button" }, "Show me");
      button.addEventListener("click", () => {
        open(false);
        shown();
        place.tabIndex = -1; // where the button was
        place.focus();
      });
      const words = make("p", {}, "This figure waits for your prediction.");
      place.before(make("div", { class: "cover" }, words, button));
    }
    for (const part of hidden) part.hidden = true;
  }

  close();
  return {
    open,
    /** Shows what comes after the answer. */
    after() {
      for (const part of hidden) part.hidden = false;
    },
    close() {
      open(true);
      for (const cover of all(".cover.lifted")) cover.remove();
      close();
    },
  };
}

/** @param {string} selector @returns {HTMLElement[]} */
function all(selector) {
  return [...document.querySelectorAll(selector)].map((each) => /** @type {HTMLElement} */ (each));
}
