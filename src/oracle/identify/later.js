/** What a plain table of cosines and sines does not need: loaded when a question needs it. */

/** @type {typeof import("../further/index.js") | undefined} */
let loaded;

const MISSING = new Error("what is needed is not loaded yet");

/** What is loaded on first use. Where it is not, the question is put again once it is (`withFurther`). */
export function further() {
  if (loaded === undefined) throw MISSING;
  return loaded;
}

export async function loadFurther() {
  loaded ??= await import("../further/index.js");
}

/**
 * The answer to a question, which is put again if it needs what is not loaded.
 * @template Answer
 * @param {() => Answer} ask
 */
export async function withFurther(ask) {
  try {
    return ask();
  } catch (error) {
    if (error !== MISSING) throw error;
  }
  await loadFurther();
  return ask();
}
