/**
 * phasor/widget draws what phasor computes, in notebooks and pages. It is one self-contained file with the compiled
 * core, so it works from any address, also `blob:` and `data:`.
 *
 * The default export is a front-end module for anywidget (https://anywidget.dev/en/afm), which
 * Jupyter, marimo, Colab and VS Code run; `mount` puts the same widget into any page.
 */
import * as check from "../runtime/check.js";
import { inFunction, nameFunctions } from "../runtime/named.js";
import { LoadError } from "../index.js";
import { elementClass } from "./element.js";
import { readTensor } from "./numbers.js";
import { namesOf } from "./schemes.js";
import { instance, session } from "./session.js";
import { attach } from "./view.js";

/** @import { Tensor } from "../runtime/tensor.js" */

/**
 * The state of a widget. Hosts may leave out any trait: it then has the default value, and results without a trait are
 * not written.
 *
 * @typedef {object} Traits
 * @property {string} scheme  the scheme to draw, one of those that `schemes` lists. Default: "sinusoidal"
 * @property {Record<string, any>} options  the arguments of the scheme's function by name: its
 *   positional ones (length, dim, heads, ...) and its options
 * @property {any} data  the numbers of the schemes "data", "similarity" and "pca": nested arrays, or
 *   `{data, shape, dtype}` with `data` a typed array or bytes, `dtype` as NumPy names it
 * @property {Record<string, any>} figure  options of the figure (phasor/plots): rowTitle, domain,
 *   labels, width, ...; for "data" also its `kind`
 * @property {string} title  the title above the picture. Default: none
 * @property {"auto" | "light" | "dark"} theme  "auto" follows the surrounding page
 * @property {boolean} controls  whether the scheme's main options can be changed in the widget
 * @property {Record<string, number> | null} selection  the marked value: {row, column} or {index};
 *   it can be set
 * @property {Record<string, any>} value  result: the numbers of the picture, {data, shape, dtype} with
 *   `data` as bytes (a DataView); {} before the first
 * @property {string} error  result: the error message, or ""
 */

/**
 * The state as `mount` returns it, with the result as a Tensor.
 *
 * @typedef {{[Name in keyof Traits]: Name extends "value" ? Tensor<any> | undefined : Traits[Name]}} Held
 */

/** @type {Traits} */
const TRAITS = Object.freeze({
  scheme: "sinusoidal",
  options: {},
  data: null,
  figure: {},
  title: "",
  theme: "auto",
  controls: false,
  selection: null,
  value: {},
  error: "",
});

/**
 * The model that a host passes to a widget.
 *
 * @typedef {object} Model
 * @property {(name: string) => any} get  the value of a trait
 * @property {(name: string, value: any) => void} set  sets a trait in this model
 * @property {() => void} save_changes  sends the changed traits to the host
 * @property {(event: string, callback: () => void) => void} on  adds a listener of "change:TRAIT"
 * @property {(event: string, callback: () => void) => void} off  removes a listener
 */

/**
 * Creates the widget of one model, which computes once for all its views. A host calls it.
 *
 * @returns {{initialize(host: {model: Model}): () => void, render(host: {model: Model, el: HTMLElement}): Promise<() => void>}}
 *   the functions that anywidget requires: `initialize` for the model, `render` for each view
 * @see anywidget, https://anywidget.dev/en/afm
 * @example
 * Object.keys(widget()); // ["initialize", "render"]
 */
export default function widget() {
  /** @type {ReturnType<typeof session> | undefined} */
  let shared;
  // Hosts pass a different object for the same model to initialize and to each render.
  const of = (/** @type {Model} */ model) => (shared ??= session(model));
  return {
    /** Starts the computation that all views of a model share. @param {{model: Model}} host */
    initialize({ model }) {
      const { end } = of(model);
      return () => {
        end();
        shared = undefined;
      };
    },

    /** Adds a view to an element. @param {{model: Model, el: HTMLElement}} host */
    render: ({ model, el }) => attach(of(model), model, el),
  };
}

/**
 * Lists the schemes that a widget can draw, in their display order. Modules that follow the convention of their
 * family, as `schemesOf` of phasor lists them, are among them.
 *
 * @returns {Promise<string[]>} after the core has been loaded
 * @throws {LoadError} if the core cannot be started
 * @see anywidget, https://anywidget.dev/en/afm
 * @example
 * (await schemes()).slice(0, 3) // ["sinusoidal", "rope", "xpos"]
 */
export async function schemes() {
  return namesOf(await instance());
}

/**
 * Adds a widget to an element of a page. The promise resolves when the picture is drawn. Errors of the state are
 * shown in the widget and set in `error`; they are not thrown.
 *
 * @param {HTMLElement} element  the parent; the widget is appended
 * @param {Partial<Traits>} [state]  the initial traits
 * @returns the traits can be read, set and observed; `dispose` removes the widget
 * @throws {TypeError} if element is not an element, or state has an unknown trait
 * @see anywidget, https://anywidget.dev/en/afm
 * @example
 * const view = await mount(element, { scheme: "rope", options: { length: 32, dim: 16 } });
 * view.get("value")?.shape // [32, 16]
 */
export async function mount(element, state) {
  try {
    const held = check.options(state, TRAITS, "state");
    if (typeof element?.append !== "function") {
      throw new TypeError(`element must be an element; got ${check.describe(element)}`);
    }
    const heard = new EventTarget();
    /** @type {Model} */
    const model = {
      get: (name) => held[/** @type {keyof Traits} */ (name)],
      set(name, value) {
        Object.assign(held, { [name]: value });
        heard.dispatchEvent(new Event(`change:${name}`));
      },
      save_changes() {},
      on: (event, callback) => heard.addEventListener(event, callback),
      off: (event, callback) => heard.removeEventListener(event, callback),
    };
    const { initialize, render } = widget();
    const ends = [initialize({ model }), await render({ model, el: element })];

    const names = /** @type {(keyof Traits)[]} */ (Object.keys(TRAITS));
    /** @template {keyof Traits} Name @param {Name} name @returns {Held[Name]} */
    const get = (name) => {
      const value = held[check.oneOf(name, "name", names)];
      return /** @type {any} */ (name === "value" ? readTensor(value) : value);
    };
    const view = nameFunctions("Widget", {
      /** Returns a trait; `value` as a Tensor, undefined before the first picture. */
      get,

      /** Sets a trait. @template {keyof Traits} Name @param {Name} name @param {Traits[Name]} value */
      set: (name, value) => model.set(check.oneOf(name, "name", names), value),

      /**
       * Adds a listener of a trait.
       * @template {keyof Traits} Name
       * @param {Name} name @param {(value: Held[Name]) => void} callback
       * @returns {() => void} removes the listener
       */
      on(name, callback) {
        const event = `change:${check.oneOf(name, "name", names)}`;
        const call = () => callback(get(name));
        model.on(event, call);
        return () => model.off(event, call);
      },

      /** Removes the widget from the page. */
      dispose: () => ends.forEach((end) => end()),
    });
    if (Symbol.dispose) Object.defineProperty(view, Symbol.dispose, { value: view.dispose });
    return view;
  } catch (error) {
    throw inFunction("mount", error);
  }
}

/**
 * Defines the element `<phasor-figure>`, which shows a widget wherever it is in a page. Its attributes are the traits
 * scheme, theme and controls; options and figure, as JSON; and heading, the title.
 *
 *     <phasor-figure scheme="rope" options='{"length": 64, "dim": 32}' controls></phasor-figure>
 *
 * @param {string} [name]  the element's name. Default: "phasor-figure"
 * @returns {CustomElementConstructor & { observedAttributes: string[] }} the same for every call with a name
 * @throws {TypeError} if name is not a string
 * @throws {LoadError} if the host has no custom elements
 * @throws {DOMException} if name is no name of an element, or another element has it
 * @see anywidget, https://anywidget.dev/en/afm
 * @example
 * define().observedAttributes.slice(0, 3) // ["scheme", "options", "figure"]
 */
export function define(name = "phasor-figure") {
  if (typeof name !== "string") {
    throw new TypeError(`define: name must be a string; got ${check.describe(name)}`);
  }
  const { customElements } = globalThis;
  if (!customElements) {
    throw new LoadError("CANNOT DEFINE an element: this host has no custom elements");
  }
  const known = defined.get(name);
  if (known) return known;
  const made = elementClass(mount, name);
  customElements.define(name, made);
  defined.set(name, made);
  return made;
}

/** Elements by name. @type {Map<string, ReturnType<typeof elementClass>>} */
const defined = new Map();
