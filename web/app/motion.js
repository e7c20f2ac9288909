// Figures change over a quarter of a second when the reader chooses something or clicks, and from step to step while a
// slider plays; drags and typing redraw at once. The browser animates what is already drawn: the document, exports and numbers never hold a frame
// between two states.

/** @import { Figure } from "phasor/plots" */
import { paceOf } from "./controls.js";
import { make } from "./dom.js";

/** Milliseconds of a change, and from one change to the next, below which a figure only redraws. */
const LENGTH = 250;
const BURST = 400;

/** @typedef {{ duration: number, easing: string }} Timing */

/** @type {Timing} */
const change = { duration: LENGTH, easing: "ease-out" };

const reduced = matchMedia("(prefers-reduced-motion: reduce)");

/** Whether the reader's last act was a choice or a click. */
let chose = false;

/** Milliseconds between two steps of the slider that plays; 0 after any other act. */
let pace = 0;

const CHOICES = "select, input[type=radio], input[type=checkbox]";

document.addEventListener(
  "input",
  ({ target }) => {
    chose = target instanceof Element && target.matches(CHOICES);
    pace = target instanceof HTMLInputElement ? paceOf(target.name) : 0;
  },
  true,
);
document.addEventListener(
  "click",
  ({ target }) => (chose ||= target instanceof Element && target.closest("button") !== null),
  true,
);

/** The end of the last change of each figure, and what of it still moves. @type {WeakMap<Element, Change>} */
const changes = new WeakMap();

/** @typedef {{ at: number, animations: Animation[] }} Change */

/**
 * Makes the updates of a figure visible as motion.
 * @template {Figure<any, any, any>} Of
 * @param {Of} figure
 */
export function moving(figure) {
  const { update } = figure;
  figure.update = (data, options) => {
    const last = changes.get(figure);
    for (const animation of last?.animations ?? []) animation.finish();
    const at = performance.now();
    const rests = at - (last?.at ?? -Infinity) > BURST;
    const timing = timingNow(rests);
    const before = timing && isInView(figure) ? seen(figure) : undefined;
    update(data, options);
    const animations = before && timing ? move(before, figure, timing) : [];
    changes.set(figure, { at, animations });
  };
  return figure;
}

/** How a change of now is shown; undefined for at once. @param {boolean} rests  whether the last change has ended @returns {Timing | undefined} */
function timingNow(rests) {
  if (reduced.matches) return undefined;
  if (pace > 0) return { duration: pace, easing: "linear" };
  return chose && rests ? change : undefined;
}

/** @param {Element} element */
function isInView(element) {
  const { top, bottom } = element.getBoundingClientRect();
  return bottom > 0 && top < innerHeight;
}

/** @typedef {{ svg: Element | null, copies: HTMLCanvasElement[] }} Seen */

/** What a figure shows. @param {Element} figure @returns {Seen} */
function seen(figure) {
  return {
    svg: figure.querySelector(".phasor-picture svg"),
    copies: canvasesOf(figure).map(copyOf),
  };
}

/** The pictures of a figure's data, without that of its key. @param {Element} figure */
const canvasesOf = (figure) =>
  [...figure.querySelectorAll("canvas")].filter((canvas) => !canvas.closest(".phasor-legend"));

/** @param {HTMLCanvasElement} canvas */
function copyOf(canvas) {
  const { width, height, className } = canvas;
  const copy = make("canvas", { class: className, "aria-hidden": "true" });
  Object.assign(copy, { width, height });
  if (width * height > 0) copy.getContext("2d")?.drawImage(canvas, 0, 0);
  return copy;
}

/** @param {Seen} before @param {Element} figure @param {Timing} timing @returns {Animation[]} */
function move({ svg, copies }, figure, timing) {
  const canvases = canvasesOf(figure);
  const fades =
    canvases.length === copies.length
      ? copies.map((copy, i) => fadeAway(copy, canvases[i], timing))
      : [];
  const now = figure.querySelector(".phasor-picture svg");
  return svg && now && svg !== now ? [...fades, ...travel(svg, now, timing)] : fades;
}

/** Lays the former cells over the present ones until they have faded. @param {HTMLElement} copy @param {HTMLElement} canvas @param {Timing} timing */
function fadeAway(copy, canvas, timing) {
  const { offsetLeft, offsetTop, clientWidth, clientHeight } = canvas;
  Object.assign(copy.style, {
    position: "absolute",
    pointerEvents: "none",
    left: `${offsetLeft}px`,
    top: `${offsetTop}px`,
    width: `${clientWidth}px`,
    height: `${clientHeight}px`,
  });
  canvas.after(copy);
  const fade = copy.animate({ opacity: [1, 0] }, timing);
  const remove = () => copy.remove();
  fade.finished.then(remove, remove);
  return fade;
}

/** The shapes of a picture that stand for numbers: lines, points, bars, hands, rules and their labels. */
const SHAPES = [
  ...["line", "dot", "bar"].map((name) => `[aria-label="${name}"] :is(path, circle, rect)`),
  ".phasor-pair :is(path, circle)",
  ":scope > :is(line, text)",
].join(", ");

/** Moves each shape of a picture from where the same one of the former picture was. @param {Element} from @param {Element} to @param {Timing} timing */
function travel(from, to, timing) {
  const [before, after] = [from, to].map((svg) => [...svg.querySelectorAll(SHAPES)]);
  const isSame =
    before.length === after.length &&
    after.every((shape, i) => shape.localName === before[i].localName);
  if (isSame) return after.flatMap((shape, i) => shift(before[i], shape, timing));
  return timing === change ? after.map((shape) => appear(shape, timing)) : [];
}

/** @param {Element} shape @param {Timing} timing */
const appear = (shape, timing) => shape.animate({ opacity: [0, 1] }, timing);

/** The attributes that place a shape, which are CSS properties too. @type {Record<string, string[]>} */
const PLACES = { circle: ["cx", "cy"], rect: ["x", "y", "width", "height"], path: ["d"] };

/** @param {Element} from @param {Element} to @param {Timing} timing @returns {Animation[]} */
function shift(from, to, timing) {
  if (!Object.hasOwn(PLACES, to.localName)) return carry(from, to, timing);
  const names = PLACES[to.localName].filter(
    (name) => from.getAttribute(name) !== to.getAttribute(name),
  );
  if (names.length === 0) return [];
  const [before, after] = [from, to].map((shape) =>
    Object.fromEntries(names.map((name) => [name, shape.getAttribute(name) ?? ""])),
  );
  const frames = rotated(from, to) ?? [before, after];
  if (frames.every(({ d = "" }) => commands(d) === commands(frames[0].d)))
    return [to.animate(frames.map(styled), timing)];
  return timing === change ? [appear(to, timing)] : [];
}

/** Moves a rule or its label, whose places are no CSS properties. @param {Element} from @param {Element} to @param {Timing} timing @returns {Animation[]} */
function carry(from, to, timing) {
  const [before, after] = [from, to].map((shape) =>
    ["x", "y"].map((side) => Number(shape.getAttribute(side) ?? shape.getAttribute(`${side}1`))),
  );
  const [x, y] = before.map((place, i) => place - after[i]);
  if (x === 0 && y === 0) return [];
  return [to.animate({ transform: [`translate(${x}px, ${y}px)`, "none"] }, timing)];
}

/** @param {string} [d]  of a path: paths of the same commands have shapes between them */
const commands = (d = "") => d.replace(/[^a-z]/gi, "");

/** Attributes as CSS. @param {Record<string, string>} attributes */
function styled(attributes) {
  const css = Object.entries(attributes).map(([name, value]) => [
    name,
    name === "d" ? `path("${value}")` : `${value}px`,
  ]);
  return Object.fromEntries(css);
}

/** The straight steps in which the end of a hand goes along its circle. */
const STEPS = 12;

/**
 * The frames of a hand of a dial, or of the tip after it, which rotate the shorter way; undefined of other shapes.
 * @param {Element} from @param {Element} to @returns {Record<string, string>[] | undefined}
 */
function rotated(from, to) {
  const isTip = to.localName === "circle";
  const [before, after] = [from, to].map((shape) =>
    handOf(isTip ? shape.previousElementSibling : shape),
  );
  if (!before || !after || (isTip && !to.matches(".phasor-pair *"))) return undefined;
  const angle = after.angle - before.angle;
  const way = angle - 2 * Math.PI * Math.round(angle / (2 * Math.PI));
  return Array.from({ length: STEPS + 1 }, (_, step) => {
    const share = step / STEPS;
    const length = before.length + (after.length - before.length) * share;
    const cx = after.x + length * Math.cos(before.angle + way * share);
    const cy = after.y + length * Math.sin(before.angle + way * share);
    /** @type {Record<string, string>} */
    const frame = isTip
      ? { cx: `${cx}`, cy: `${cy}` }
      : { d: `M${after.x} ${after.y}L${cx} ${cy}` };
    return frame;
  });
}

/** @param {Element | null} shape  a straight line from a dial's center, or another */
function handOf(shape) {
  const found = /^M(\S+) ([^\sL]+)L(\S+) (\S+)$/.exec(shape?.getAttribute("d") ?? "");
  if (!found) return undefined;
  const [x, y, endX, endY] = found.slice(1).map(Number);
  return { x, y, angle: Math.atan2(endY - y, endX - x), length: Math.hypot(endX - x, endY - y) };
}
