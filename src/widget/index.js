/**
 * phasor/widget: pictures of what phasor computes, for notebooks and pages. One self-contained file, including the
 * compiled core, so that it works from any address, also `blob:` and `data:`.
 *
 * The default export is a front-end module for anywidget (https://anywidget.dev/en/afm), which
 * Jupyter, marimo, Colab and VS Code run; `mount` puts the same widget into any page.
 */
import * as check from "../runtime/check.js";
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
 * What a host gives a widget.
 *
 * @typedef {object} Model
 * @property {(name: string) => any} get  the value of a trait
 * @property {(name: string, value: any) => void} set  a trait, here
 * @property {() => void} save_changes  lets the host have what was set
 * @property {(event: string, callback: () => void) => void} on  calls back after "change:TRAIT"
 * @property {(event: string, callback: () => void) => void} off  ends that
 */

/**
 * The widget of one model, which computes once for all its views. A host calls it.
 *
 * @returns what anywidget's contract asks for: `initialize` for the model, `render` for each view
 * @see No paper: a picture's place in a page
 * @example
 * Object.keys(widget()); // ["initialize", "render"]
 */
export default function widget() {
  /** @type {ReturnType<typeof session> | undefined} */
  let shared;
  // Hosts give initialize and each render a model of their own that stands for the same.
  const of = (/** @type {Model} */ model) => (shared ??= session(model));
  return {
    /** Begins the work that all views of a model share. @param {{model: Model}} host */
    initialize({ model }) {
      const { end } = of(model);
      return () => {
        end();
        shared = undefined;
      };
    },

    /** Puts one more view into an element. @param {{model: Model, el: HTMLElement}} host */
    render: ({ model, el }) => attach(of(model), model, el),
  };
}

/**
 * Lists the schemes that a widget can draw, in their display order. Modules that follow the convention of their
 * family, as `schemesOf` of phasor lists them, are among them.
 *
 * @returns {Promise<string[]>} after the core has been loaded
 * @throws {LoadError} if the core cannot be started
 * @see No paper: a list of names
 * @example
 * (await schemes()).slice(0, 3) // ["sinusoidal", "rope", "xpos"]
 */
export async function schemes() {
  return namesOf(await instance());
}

/**
 * Puts a widget into an element of a page. It resolves when the picture is there; what is wrong is
 * said in the widget and in `error`, never thrown.
 *
 * @param {HTMLElement} element  to whose end it is appended
 * @param {Partial<Traits>} [state]  what it starts with
 * @returns what it holds can be read, set and listened to; `dispose` takes it out
 * @throws {TypeError} if element is none, or a name in state is not one of the widget's
 * @see No paper: a picture's place in a page
 * @example
 * const view = await mount(element, { scheme: "rope", options: { length: 32, dim: 16 } });
 * view.get("value").shape // [32, 16]
 */
export async function mount(element, state) {
  const held = check.options(state, TRAITS, "mount");
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
  return {
    /** What it holds; `value` as a Tensor, undefined until there is one. */
    get,

    /** Changes one. @template {keyof Traits} Name @param {Name} name @param {Traits[Name]} value */
    set: (name, value) => model.set(check.oneOf(name, "name", names), value),

    /**
     * Calls back when one changes.
     * @template {keyof Traits} Name
     * @param {Name} name @param {(value: Held[Name]) => void} callback
     * @returns {() => void} which ends it
     */
    on(name, callback) {
      const event = `change:${check.oneOf(name, "name", names)}`;
      const call = () => callback(get(name));
      model.on(event, call);
      return () => model.off(event, call);
    },

    /** Take it out of the page. */
    dispose: () => ends.forEach((end) => end()),
  };
}
