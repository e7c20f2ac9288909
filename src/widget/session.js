/**
 * The state that the views of one model share: the picture, computed once for all of them, and the results for the
 * host.
 */
import { load } from "../index.js";
import { withoutFunction } from "../runtime/named.js";
import { same, writeNumbers } from "./numbers.js";
import { pictureOf } from "./schemes.js";

/** @import { Phasor } from "../index.js" */
/** @import { Model } from "./index.js" */
/** @import { Picture } from "./schemes.js" */

/**
 * @typedef {object} View
 * @property {(picture: Picture) => void} show  draws it; throws if the options of the figure are invalid
 * @property {(error: string) => void} say  shows an error, or removes it if it is empty
 */

/** Changes, and saves, within this time are combined. ms */
const FRAME = 16;
const SAVES = 100;

/** The traits that the picture depends on. */
const INPUTS = /** @type {const} */ (["scheme", "options", "data", "figure", "title", "theme"]);

/**
 * Traits of hosts that wait for results: the host sets the first to a new number, and the second becomes the same
 * together with the results of the inputs at that time.
 */
const REQUEST = "_request";
const ANSWER = "_answer";

/** The instance that all widgets of a page share. @type {Promise<Phasor> | undefined} */
let core;

/** Loads the core once for all widgets of a page. */
export const instance = () => (core ??= load());

/** @param {Model} model */
export function session(model) {
  /** @type {Set<View>} */
  const views = new Set();
  /** @type {Picture | undefined} */
  let picture;
  let error = "";
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let renewing;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let saving;
  let ended = false;
  /** @type {Phasor | undefined} */
  let loaded;

  /** @type {() => void} */
  let begun;
  const ready = /** @type {Promise<void>} */ (new Promise((resolve) => (begun = resolve)));

  // A timer, not an animation frame: notebooks also compute in a hidden tab.
  const soon = () => {
    renewing ??= setTimeout(renew, FRAME);
  };

  async function renew() {
    try {
      const phasor = await instance();
      loaded = phasor;
      renewing = undefined; // includes every change until now
      if (ended) return;
      picture = pictureOf(phasor, stateOf(model));
      publish("value", writeNumbers(picture.value));
      error = "";
      for (const view of views) view.show(picture);
    } catch (thrown) {
      renewing = undefined;
      fail(thrown);
    }
    tell();
    if (!ended) publish(ANSWER, model.get(REQUEST)); // saved together with the value or the error
    begun();
  }

  /** @param {unknown} thrown */
  function fail(thrown) {
    const { name, message } = /** @type {Error} */ (thrown);
    if (name === "LoadError" || name === "CoreError") core = undefined; // the next widget loads it again
    error = withoutFunction(message);
  }

  function tell() {
    if (ended) return;
    for (const view of views) view.say(error);
    publish("error", error);
  }

  /** Passes a result to the host, if its model has the trait. @param {string} name @param {unknown} value */
  function publish(name, value) {
    const held = model.get(name);
    if (held === undefined || same(held, value)) return;
    model.set(name, value);
    save();
  }

  const save = () => {
    saving ??= setTimeout(() => {
      saving = undefined;
      model.save_changes();
    }, SAVES);
  };

  for (const name of [...INPUTS, REQUEST]) model.on(`change:${name}`, soon);
  soon();

  return {
    /** Resolves when there is a picture or an error. */
    ready,

    /** The instance, once loaded. */
    get phasor() {
      return loaded;
    },

    /** @param {View} view @returns {() => void} removes it */
    add(view) {
      views.add(view);
      try {
        if (picture) view.show(picture);
      } catch (thrown) {
        fail(thrown);
      }
      tell();
      return () => views.delete(view);
    },

    publish,

    end() {
      ended = true;
      clearTimeout(renewing);
      clearTimeout(saving);
      for (const name of [...INPUTS, REQUEST]) model.off(`change:${name}`, soon);
      begun();
    },
  };
}

/** What the traits of a model say. @param {Model} model */
function stateOf(model) {
  const values = INPUTS.map((name) => [name, model.get(name) ?? undefined]);
  const { scheme = "sinusoidal", title = "", ...rest } = Object.fromEntries(values);
  return { ...rest, scheme, title };
}
