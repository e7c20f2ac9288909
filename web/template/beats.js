/** What a reader looks at and works with, as opposed to the text about it. */
const STAGE = ".controls, .picture-place, .pair, .code-fold, .action, [data-stage]";

/** What controls that stand right before it change. */
const FIGURE = ".picture-place, [data-stage]";

/**
 * Divides each section of a lesson into beats: some text, then the figures and controls that it describes. Wide windows
 * show the two side by side, where the figure stays while its text scrolls. A task is a separate beat, since it has its
 * own text. The order of the elements does not change. What is folded is divided if it has figures; then it must be all of
 * its section but the heading.
 *
 * @param {Document} document  whose body holds the sections
 */
export function divideIntoBeats(document) {
  for (const section of document.querySelectorAll("body > section")) {
    if (section.matches("[data-whole]")) continue;
    const fold = [...section.children].find(
      (child) => child.matches(".more") && child.querySelector(STAGE),
    );
    if (fold && section.children.length > 2) {
      throw new Error(
        `what is folded with figures must be all of its section but the heading; got ${fold.firstElementChild?.textContent}`,
      );
    }
    const summary = fold ? [...fold.children].slice(0, 1) : [];
    const beats = beatsOf([...(fold ?? section).children].slice(summary.length));
    if (beats.every(({ stage }) => stage.length === 0)) continue;
    const divided = beats.map((beat) => element(document, beat));
    (fold ?? section).replaceChildren(...summary, ...divided);
  }
}

/** @typedef {{ words: Element[], stage: Element[] }} Beat */

/** @param {Element[]} children @returns {Beat[]} */
function beatsOf(children) {
  /** @type {Beat[]} */
  const beats = [];
  for (const child of children) {
    const last = beats.at(-1)?.stage[0]?.matches(".task") ? undefined : beats.at(-1);
    if (child.matches(".task")) beats.push({ words: [], stage: [child] });
    else if (child.matches(STAGE)) {
      if (last) last.stage.push(child);
      else beats.push({ words: [], stage: [child] });
    } else if (!last || last.stage.length > 0) beats.push({ words: [child], stage: [] });
    else last.words.push(child);
  }
  return beats;
}

/** @param {Document} document @param {Beat} beat */
function element(document, { words, stage }) {
  const make = (/** @type {string} */ name, /** @type {Element[]} */ children) => {
    const made = document.createElement("div");
    made.className = name;
    made.append(...children);
    return made;
  };
  const parts = [
    ...(words.length > 0 ? [make("words", words)] : []),
    ...(stage.length > 0 ? [make("stage", tied(stage))] : []),
  ];
  // Said here, not found by CSS: until the stage of a page that loads has come, its text would be as wide as the page.
  return make(parts.length === 2 ? "beat beside" : "beat", parts);

  /** Puts controls and the figure after them into one element. @param {Element[]} children */
  function tied(children) {
    return children.flatMap((child, i) => {
      const isTied = (/** @type {number} */ at) =>
        children[at]?.matches(".controls") && children[at + 1]?.matches(FIGURE);
      if (isTied(i)) return [make("tied", [child, children[i + 1]])];
      return isTied(i - 1) ? [] : [child];
    });
  }
}
