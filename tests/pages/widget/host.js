/**
 * A host of front-end modules for tests, which runs in a page and behaves as anywidget's own does in
 * Jupyter: the module comes from the text of a file, models are Backbone's (an event for each trait
 * that is another now, after all are set), `initialize` and each view get a separate model whose
 * listeners end with them, what is saved is cloned, and bytes come as DataViews that begin anywhere.
 */

/** @typedef {Record<string, any>} State */
/** @typedef {{event: string, callback: () => void, owner: unknown}} Listener */

/** Import a module as hosts do. @param {string} text @param {"blob" | "data"} [by] */
export async function fromText(text, by = "blob") {
  if (by === "data") return import(`data:text/javascript;base64,${base64(text)}`);
  const address = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  try {
    return await import(address);
  } finally {
    URL.revokeObjectURL(address);
  }
}

/** @param {string} text */
function base64(text) {
  return btoa(Array.from(new TextEncoder().encode(text), (x) => String.fromCharCode(x)).join(""));
}

/** Bytes as a message from a kernel holds them: not aligned. @param {ArrayBufferView} array */
export function received(array) {
  const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
  const message = new Uint8Array(bytes.length + 3);
  message.set(bytes, 3);
  return new DataView(message.buffer, 3);
}

/** Whether two trait values are equal, by Backbone's isEqual. @param {any} a @param {any} b @returns {boolean} */
function equal(a, b) {
  if (a instanceof DataView && b instanceof DataView) {
    return (
      a.byteLength === b.byteLength &&
      Array.from({ length: a.byteLength }, (_, i) => a.getUint8(i) === b.getUint8(i)).every(Boolean)
    );
  }
  if (typeof a !== "object" || typeof b !== "object" || !a || !b) return Object.is(a, b);
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => equal(a[key], b[key]));
}

/**
 * A widget of a class with some traits.
 * @param {any} module @param {State} state
 */
export async function open(module, state) {
  const held = { ...state };
  /** @type {Listener[]} */
  let listeners = [];
  /** @type {Set<string>} */
  const changed = new Set();
  /** What the kernel got. @type {State[]} */
  const sent = [];

  /** @param {State} next */
  function assign(next) {
    const others = Object.keys(next).filter((name) => !equal(held[name], next[name]));
    Object.assign(held, next);
    for (const name of others) {
      for (const { event, callback } of [...listeners]) if (event === `change:${name}`) callback();
    }
    return others;
  }

  /** @param {unknown} owner */
  const proxy = (owner) => ({
    get: (/** @type {string} */ name) => held[name],
    set(/** @type {string} */ name, /** @type {any} */ value) {
      for (const other of assign({ [name]: value })) changed.add(other);
    },
    save_changes() {
      if (changed.size === 0) return;
      sent.push(
        structuredClone(Object.fromEntries([...changed].map((name) => [name, held[name]]))),
      );
      changed.clear();
    },
    on: (/** @type {string} */ event, /** @type {() => void} */ callback) =>
      void listeners.push({ event, callback, owner }),
    off(/** @type {string} */ event, /** @type {() => void} */ callback) {
      listeners = listeners.filter(
        (each) => each.owner !== owner || each.event !== event || each.callback !== callback,
      );
    },
    send() {},
  });

  const { default: exported } = module;
  const widget = typeof exported === "function" ? await exported() : exported;
  const cleanup = await widget.initialize?.({ model: proxy("model") });
  let views = 0;

  return {
    held,
    sent,
    listening: () => listeners.length,

    /** A message from the kernel. @param {State} next */
    update: (next) => void assign(next),

    /** @param {HTMLElement} el @returns {Promise<() => Promise<void>>} which removes it */
    async view(el) {
      const owner = `view ${++views}`;
      const end = await widget.render({ model: proxy(owner), el });
      return async () => {
        await end?.();
        listeners = listeners.filter((each) => each.owner !== owner);
      };
    },

    close: async () => {
      await cleanup?.();
      listeners = [];
    },
  };
}
