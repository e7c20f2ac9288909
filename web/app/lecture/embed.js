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
  for (const control of controls) {
    keep(control.closest(".field, .choice") ?? control, main);
  }
  for (const action of document.querySelectorAll("[data-action]")) {
    const { action: name } = /** @type {HTMLElement} */ (action).dataset;
    if (uses.has(`made.${name}`)) keep(action, main);
  }
  fit(place);
  const address = new URL(location.href);
  address.searchParams.delete("embed");
  address.searchParams.set("show", name);
  const link = make("a", { target: "_blank", rel: "noopener" }, document.title);
  const follow = () => (link.href = `${address.href.split("#")[0]}${location.hash}`);
  follow();
  link.addEventListener("pointerenter", follow);
  link.addEventListener("focus", follow);
  main.append(make("p", { class: "credit", "data-kept": "whole" }, link));
  new ResizeObserver(() => {
    const { height } = document.body.getBoundingClientRect();
    parent.postMessage({ type: "phasor-resize", height: Math.ceil(height) }, "*");
  }).observe(document.body);
}

/** What is beside a picture in the height of its figure, px: the margin of the page, axes and a key. */
const BESIDE = 64;

/** The least height of a picture, px. */
const LEAST = 160;

/** Lets a figure that is higher than the frame end with it. @param {HTMLElement} place */
function fit(place) {
  const picture = place.querySelector(".phasor-picture");
  if (!picture) return;
  const { top, bottom } = picture.getBoundingClientRect();
  if (bottom <= innerHeight) return;
  place.dataset.height = String(Math.max(LEAST, Math.floor(innerHeight - top - BESIDE)));
  place.dispatchEvent(new Event("fit"));
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
