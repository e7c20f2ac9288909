// The package with its core in view: it keeps its memory to itself, and the bench wants to know how large it is.

/** @import { Phasor } from "phasor" */

/**
 * Loads the package and looks at the WebAssembly instance as it is made.
 * @param {string} entry  URL
 * @returns {Promise<{phasor: Phasor, bytes: () => number}>} the package and how large its memory is now
 */
export async function loadInView(entry) {
  /** @type {WebAssembly.Memory[]} */
  const memories = [];
  const { instantiate } = WebAssembly;
  WebAssembly.instantiate = /** @type {typeof instantiate} */ (
    async (
      /** @type {WebAssembly.Module} */ module,
      /** @type {WebAssembly.Imports} */ imports,
    ) => {
      const instance = await instantiate(module, imports);
      for (const value of Object.values(instance.exports)) {
        if (value instanceof WebAssembly.Memory) memories.push(value);
      }
      return instance;
    }
  );
  try {
    const { load } = await import(entry);
    const phasor = await load({ shared: false });
    // Node starts a small WebAssembly module for some internal functions.
    return { phasor, bytes: () => Math.max(...memories.map(({ buffer }) => buffer.byteLength)) };
  } finally {
    WebAssembly.instantiate = instantiate;
  }
}
