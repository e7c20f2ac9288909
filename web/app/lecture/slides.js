// What is shown of a page at a time, for a projector: some text with its question, a figure with its controls, or what
// comes after an answer.

/** @typedef {{ title: Element | null, blocks: Element[] }} Slide */
/** @typedef {(place: HTMLElement) => ReadonlySet<string>} UsesOf  what the figure in a place has read */

/** What a lecture leaves out. */
const LEFT_OUT = ".task, .code-fold, .more, .to-playground, .opening";

/** What is folded with its figures: all of a section but the heading. */
const FOLDED = ".more:has(> .beat)";

/** What is looked at. */
const FIGURE = ".picture-place, .pair, svg, canvas, table";

/** What figures are set by. */
const CONTROLS = ".controls, .action";

/** The least share of a slide for its pictures, beside a conclusion or other words. */
const SHARES = { after: 0.35, words: 0.3, text: 0.3 };

/** A figure that is shown with the one before it. */
const JOINED = "[data-joined]";

/**
 * The slides of a page, in their order.
 * @param {Element} main @param {boolean} withAll  the exercises and what is folded, too @param {UsesOf} usesOf
 * @returns {Slide[]}
 */
export function slidesOf(main, withAll, usesOf) {
  const heads = [...main.querySelectorAll(":scope > header")].map((head) => ({
    title: null,
    blocks: [head],
  }));
  const sections = [...main.querySelectorAll(":scope > section")].filter(
    (section) => withAll || !(isExercises(section) || section.querySelector(`:scope > ${FOLDED}`)),
  );
  const slides = [...heads, ...sections.flatMap(ofSection)];
  for (const block of main.querySelectorAll(
    `:is(section, .beat > .words, .beat > .stage, .tied) > :not(.beat, .words, .stage, .tied, ${FOLDED}), :scope > header`,
  )) {
    block.setAttribute("data-block", "");
  }
  for (const { title, blocks } of slides) blocks.push(...settersOf(title, blocks, main, usesOf));
  return slides;
}

/**
 * The fields and buttons, elsewhere on the page, of what the figures of a slide have read: those of its section, or of others
 * if nothing on the slide sets it.
 * @param {Element | null} title @param {Element[]} blocks @param {Element} main @param {UsesOf} usesOf
 */
function settersOf(title, blocks, main, usesOf) {
  const places = blocks.flatMap((each) => [each, ...each.querySelectorAll("[data-figure]")]);
  const uses = new Set(places.flatMap((each) => [...usesOf(/** @type {HTMLElement} */ (each))]));
  const all = [...main.querySelectorAll("[data-controls] [name], [data-action]")]
    .filter((each) =>
      uses.has(each.getAttribute("name") ?? `made.${each.getAttribute("data-action")}`),
    )
    .map((each) => each.closest(".field, .choice, .action") ?? each);
  const near = all.filter((each) => title?.closest("section")?.contains(each));
  const isSet = near.length > 0 || blocks.some((each) => each.matches(CONTROLS));
  const other = (isSet ? near : all).filter((each) => !blocks.some((one) => one.contains(each)));
  const small = other.filter((each) => !each.matches(".wide"));
  return small.length > 2 ? small : other; // text beside them would leave the figure no room
}

/** Whether all of its questions are exercises. @param {Element} section */
function isExercises(section) {
  const all = [...section.querySelectorAll("[data-question]")];
  return all.length > 0 && all.every((each) => each.matches('[data-kind="exercise"]'));
}

/** @param {Element} section @returns {Slide[]} */
function ofSection(section) {
  const title = section.querySelector("h2");
  const beats = [...section.querySelectorAll(":scope > .beat, :scope > .more > .beat")];
  const slides =
    beats.length > 0
      ? beats.flatMap((beat) =>
          ofBeat(childrenOf(beat, ":scope > .words"), childrenOf(beat, ":scope > .stage")),
        )
      : ofBeat([...section.children], []);
  return slides.map((blocks) => ({ title, blocks }));
}

/** @param {Element} beat @param {string} part */
const childrenOf = (beat, part) => [...(beat.querySelector(part)?.children ?? [])];

/** @param {Element[]} words @param {Element[]} stage @returns {Element[][]} */
function ofBeat(words, stage) {
  /** @type {Element[][]} */
  const asked = [];
  /** @type {Element[]} */
  const after = [];
  /** @type {Element[]} */
  let said = [];
  for (const each of words.filter((each) => !each.matches(`h2, ${LEFT_OUT}`))) {
    if (each.matches("[data-after]")) after.push(each);
    else said.push(each);
    if (each.matches("[data-question]")) {
      asked.push(said);
      said = [];
    }
  }
  const shown = stage
    .flatMap((each) => (each.matches(".tied") ? [...each.children] : [each]))
    .filter((each) => !each.matches(LEFT_OUT));
  const figures = figuresOf(shown);
  // What is said after the last question is about the figure, and so is a single sentence before it.
  if (figures.length > 0 && (asked.length > 0 || said.length === 1)) figures[0].unshift(...said);
  else asked.push(said);
  if (figures.length > 0) figures[figures.length - 1].push(...after.splice(0));
  return [...asked, ...figures, after].filter((blocks) => blocks.length > 0);
}

/**
 * A slide as two, where its pictures have too small a share of it: without what is said after them, or else before them; and
 * a question apart from what is said before it. Undefined where nothing can be set apart.
 * @param {Slide} slide @param {number} share @returns {Slide[] | undefined}
 */
export function halvesOf({ title, blocks }, share) {
  const words = blocks.filter((block) => block.closest(".words"));
  const after = words.filter((block) => block.matches("[data-after]:not([hidden])"));
  const isAsked = blocks.at(-1)?.matches("[data-question]");
  const first = isAsked ? blocks.length - 1 : Math.ceil(blocks.length / 2);
  const kind = !blocks.some(isFigure) ? "text" : after.length > 0 ? "after" : "words";
  const apart = { text: blocks.slice(first), after, words }[kind];
  const rest = blocks.filter((block) => !apart.includes(block));
  if (share >= SHARES[kind] || apart.length === 0 || rest.length === 0) return;
  const halves = kind === "words" ? [apart, rest] : [rest, apart];
  return halves.map((blocks) => ({ title, blocks }));
}

/** Whether the figure of a slide is a square, so that there is room beside it. @param {Slide} slide */
export function isSquare({ blocks }) {
  const places = blocks.flatMap((each) => [each, ...each.querySelectorAll("[data-figure]")]);
  const [first, ...more] = places.filter((each) => each.matches("[data-figure]"));
  return more.length === 0 && first?.matches('[data-square="yes"]') === true;
}

/** @param {Element} block */
const isFigure = (block) => block.matches(FIGURE) || block.querySelector(FIGURE) !== null;

/** A figure, with the controls before it and the sentences after it. @param {Element[]} stage @returns {Element[][]} */
function figuresOf(stage) {
  /** @type {Element[][]} */
  const all = [];
  const isJoined = (/** @type {Element} */ each) =>
    each.matches(JOINED) || each.querySelector(JOINED) !== null;
  for (const each of stage) {
    const last = all.at(-1);
    const isNext = isFigure(each) ? !isJoined(each) : each.matches(CONTROLS);
    if (!last || (isNext && last.some(isFigure))) all.push([each]);
    else last.push(each);
  }
  return all;
}
