import { make } from "../dom.js";

/**
 * Leaves one figure of the page, the controls that it reads, the buttons of long work that it shows, and a line that says where it comes from. The page around
 * the frame is sent its height: `{ type: "phasor-resize", height }`.
 *
 * @param {string} name  of the figure
 * @param {(place: HTMLElement) => ReadonlySet<string>} usesOf
 */
export function embed(name, usesOf) {
  const place = document.querySelector(`[data-figure="${CSS.escape(name)}"]`);
  const main = /** @type {HTMLElement} */ (document.querySelector("main"));
  if (!(place instanceof HTMLElement)) {
    // The rest of the page is hidden and not removed, since its programs go on.
    main.prepend(
      make("p", { class: "wrong", "data-kept": "whole" }, `This page has no figure named ${name}.`),
    );
    return;
  }
  const uses = usesOf(place);
  const controls = [...document.querySelectorAll("form[data-controls] [name]")].filter((each) =>
    uses.has(/** @type {HTMLInputElement} */ (each).name),
  );
  keep(place, main);
  const fields = new Set(controls.map((each) => each.closest(".field, .choice") ?? each));
  for (const field of fields) keep(field, main);
  const actions = [...document.querySelectorAll("[data-action]")].filter((action) =>
    uses.has(`made.${/** @type {HTMLElement} */ (action).dataset.action}`),
  );
  for (const action of actions) keep(action, main);
  const foot = make("div", { class: "embed-foot", "data-kept": "around" });
  const { row, menu } = rowOf([...fields], actions);
  main.append(row, foot);
  const address = new URL(location.href);
  address.searchParams.delete("embed");
  address.searchParams.set("show", name);
  const link = make("a", { target: "_blank", rel: "noopener" }, document.title);
  const follow = () => (link.href = `${address.href.split("#")[0]}${location.hash}`);
  follow();
  link.addEventListener("pointerenter", follow);
  link.addEventListener("focus", follow);
  const credit = make("p", { class: "credit", "data-kept": "whole" }, link);
  foot.append(credit, ...(row ? [] : actions), menu, menuOf(place));
  fit(place);
  new ResizeObserver(() => {
    fit(place);
    const { height } = document.body.getBoundingClientRect();
    parent.postMessage({ type: "phasor-resize", height: Math.ceil(height) }, "*");
  }).observe(document.body);
}

/** The most fields in the row below the figure; more, and wide ones, open from a button. */
const MOST = 3;

/**
 * What the reader sets: one row, or a button that opens it over the figure. Buttons of long work stay in sight: beside it then.
 * @param {Element[]} fields @param {Element[]} actions
 */
function rowOf(fields, actions) {
  const forms = [...new Set(fields.map((each) => each.closest("form[data-controls]")))];
  const size = fields.reduce((sum, each) => sum + (each.closest(".wide") ? MOST : 1), 0);
  const row = make("div", { class: "embed-controls", "data-kept": "around" });
  const isRow = size + 2 * actions.length <= MOST;
  if (isRow) row.append(...forms.filter((form) => form !== null), ...actions);
  const menu = isRow ? "" : opening("Controls", ...forms.filter((form) => form !== null));
  return { row: row.hasChildNodes() ? row : "", menu };
}

/** The numbers and the files of a figure, behind one word. @param {HTMLElement} place */
function menuOf(place) {
  return opening("Numbers, export", ...place.querySelectorAll(".phasor-figure > details"));
}

/** @param {string} name @param {...Element} parts */
function opening(name, ...parts) {
  const panel = make("div", { class: "embed-panel", "data-kept": "around" }, ...parts);
  for (const part of parts)
    if (!part.hasAttribute("data-kept")) part.setAttribute("data-kept", "whole");
  const summary = make("summary", { "data-kept": "whole" }, name);
  const menu = make("details", { class: "embed-menu", "data-kept": "around" }, summary, panel);
  menu.addEventListener("keydown", ({ key }) => {
    if (key !== "Escape" || !menu.hasAttribute("open")) return;
    menu.removeAttribute("open");
    summary.focus();
  });
  return menu;
}

/** The least height of a picture, px. */
const LEAST = 96;

/** Makes a figure lower until it ends with the frame. Some answer with another height than asked. @param {HTMLElement} place */
function fit(place) {
  const picture = place.querySelector(".phasor-picture");
  if (!picture) return;
  for (;;) {
    const more = document.body.getBoundingClientRect().height - innerHeight;
    const now = Number(place.dataset.height ?? picture.getBoundingClientRect().height);
    const next = Math.max(LEAST, Math.floor(now - more));
    if (more <= 0 || next >= now) return;
    place.dataset.height = String(next);
    place.dispatchEvent(new Event("fit"));
  }
}

/** Marks an element as kept, with what is in it and around it. @param {Element} element @param {Element} root */
function keep(element, root) {
  element.setAttribute("data-kept", "whole");
  for (
    let each = element.parentElement;
    each && each !== root.parentElement;
    each = each.parentElement
  ) {
    if (!each.hasAttribute("data-kept")) each.setAttribute("data-kept", "around");
  }
}
