/**
 * One view of a widget: controls, the error, and the figure.
 */
import { maker } from "../plots/dom.js";
import { draws } from "../plots/figure.js";
import { adopt } from "../plots/style.js";
import { fields } from "./controls.js";
import { KINDS } from "./drawing.js";
import { ground } from "./ground.js";
import { controlsOf, withDefaults } from "./schemes.js";
import { STYLE } from "./style.js";

/** @import { Model } from "./index.js" */
/** @import { Picture } from "./schemes.js" */

/**
 * @param {ReturnType<typeof import("./session.js").session>} session
 * @param {Model} model  of this view
 * @param {HTMLElement} el
 * @returns {Promise<() => void>} resolves after the first picture; the function removes the view
 */
export async function attach(session, model, el) {
  const document = el.ownerDocument;
  const make = maker(document);
  const controls = fields(document, (name, value) =>
    session.publish("options", { ...model.get("options"), [name]: value }),
  );
  const wrong = make("p", { class: "phasor-wrong", role: "alert", hidden: "" });
  const root = make("div", { class: "phasor-widget" }, controls.element, wrong);
  // JupyterLab handles keys as shortcuts unless the focused element has this attribute.
  root.addEventListener("focusin", ({ target }) => {
    /** @type {Element} */ (target).setAttribute("data-lm-suppress-shortcuts", "true");
  });
  /** @type {any} */
  let figure;
  /** @type {Picture | undefined} */
  let shown;
  /** The theme of the drawn picture. @type {string | undefined} */
  let theme;

  const around = ground(el, retheme);
  const now = () => {
    const wanted = model.get("theme") ?? "auto";
    return wanted === "auto" ? around.theme() : wanted;
  };

  /** @param {Picture} picture */
  function show(picture) {
    const { kind, value, options } = picture;
    const wanted = now();
    const given = { ...options, theme: wanted };
    if (figure && shown?.kind === kind) {
      figure.update(value, given);
    } else {
      const draw = draws(KINDS[kind], { Plot: undefined, document });
      const made = /** @type {any} */ (draw(value, { ...given, as: "element" }));
      made.addEventListener("input", point);
      if (figure) figure.replaceWith(made);
      else root.append(made);
      figure = made;
    }
    [shown, theme] = [picture, wanted];
    root.setAttribute("data-theme", wanted);
    select();
  }

  /** @param {string} error */
  function say(error) {
    wrong.hidden = error === "";
    root.classList.toggle("phasor-stale", error !== "");
    if (wrong.textContent !== error) wrong.textContent = error; // setting it again would repeat the announcement
  }

  function retheme() {
    if (shown && now() !== theme) show(shown);
  }

  const control = () => showControls(controls, model, session.phasor);

  /** Publishes the value that the reader points at. */
  function point() {
    const { row, column, index } = figure.value;
    session.publish("selection", index === undefined ? { row, column } : { index });
  }

  function select() {
    const wanted = model.get("selection");
    if (figure) figure.value = typeof wanted === "object" ? wanted : null;
  }

  const listeners = /** @type {const} */ ([
    ["change:scheme", control],
    ["change:options", control],
    ["change:controls", control],
    ["change:selection", select],
  ]);
  for (const [event, heard] of listeners) model.on(event, heard);

  adopt(document, STYLE);
  // The shadow root and the color of the surrounding text are known once the element is in the page.
  const placed = whenSized(root, () => {
    const home = root.getRootNode();
    if ("host" in home) adopt(/** @type {ShadowRoot} */ (home), STYLE);
    retheme();
  });

  control();
  el.append(root);
  await session.ready;
  control();
  const remove = session.add({ show, say });
  return () => {
    remove();
    for (const [event, heard] of listeners) model.off(event, heard);
    placed?.disconnect();
    around.end();
    root.remove();
  };
}

/**
 * Shows the controls of the scheme, unless they are off or the scheme is unknown.
 * @param {ReturnType<typeof fields>} controls @param {Model} model
 * @param {ReturnType<typeof import("./session.js").session>["phasor"]} phasor  undefined before it is loaded
 */
function showControls({ element, show }, model, phasor) {
  element.hidden = model.get("controls") !== true || !phasor;
  if (element.hidden || !phasor) return;
  const scheme = model.get("scheme") ?? "sinusoidal";
  try {
    show(controlsOf(scheme, phasor), withDefaults(scheme, model.get("options"), phasor));
  } catch {
    element.hidden = true; // the session shows the error
  }
}

/**
 * Calls a function when an element gets a size, and when it gets another.
 * @param {HTMLElement} element @param {() => void} call
 */
function whenSized(element, call) {
  const view = element.ownerDocument.defaultView;
  const observer =
    view?.ResizeObserver && new view.ResizeObserver(() => view.requestAnimationFrame(call));
  observer?.observe(element);
  return observer;
}
