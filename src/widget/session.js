/**
 * What the views of one model share: the picture, computed once for all of them, and the results that
 * go back to the host.
 */
import { load } from "../index.js";
import { same, writeNumbers } from "./numbers.js";
import { pictureOf } from "./schemes.js";

/** @import { Phasor } from "../index.js" */
/** @import { Model } from "./index.js" */
/** @import { Picture } from "./schemes.js" */

/**
 * @typedef {object} View
 * @property {(picture: Picture) => void} show  throws what is wrong with the figure's options
 * @property {(error: string) => void} say
 */

/** Changes within so long are one, and so are saves. ms */
const FRAME = 16;
const SAVES = 100;

/** What the picture depends on. */
const INPUTS = /** @type {const} */ (["scheme", "options", "data", "figure", "title", "theme"]);

/** One core for every widget of a page. @type {Promise<Phasor> | undefined} */
let core;

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

  /** @type {() => void} */
  let begun;
  const ready = /** @type {Promise<void>} */ (new Promise((resolve) => (begun = resolve)));

  // Not by animation frames: a notebook waits for its numbers in a hidden tab too.
  const soon = () => {
    renewing ??= setTimeout(renew, FRAME);
  };

  async function renew() {
    try {
      const phasor = await (core ??= load());
      renewing = undefined; // whatever changed until now is in
      if (ended) return;
      picture = pictureOf(phasor, state());
      publish("value", writeNumbers(picture.value));
      error = "";
      for (const view of views) view.show(picture);
    } catch (thrown) {
      renewing = undefined;
      fail(thrown);
    }
    tell();
    begun();
  }

  const state = () => {
    const values = INPUTS.map((name) => [name, model.get(name) ?? undefined]);
    const { scheme = "sinusoidal", title = "", ...rest } = Object.fromEntries(values);
    return { ...rest, scheme, title };
  };

  /** @param {unknown} thrown */
  function fail(thrown) {
    const { name, message } = /** @type {Error} */ (thrown);
    if (name === "LoadError" || name === "CoreError") core = undefined; // the next has its own
    error = message;
  }

  function tell() {
    if (ended) return;
    for (const view of views) view.say(error);
    publish("error", error);
  }

  /** Hand a result over, if the host has a place for it. @param {string} name @param {unknown} value */
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

  for (const name of INPUTS) model.on(`change:${name}`, soon);
  soon();

  return {
    /** Resolves once there is a picture, or something to say. */
    ready,

    /** @param {View} view @returns {() => void} which takes it away */
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
      for (const name of INPUTS) model.off(`change:${name}`, soon);
      begun();
    },
  };
}
