/**
 * A side of the playground: a scheme or a model by its name, and the settings that differ from its own.
 *
 * @typedef {object} Chosen
 * @property {string} [scheme]
 * @property {string} [preset]  a model or a convention; instead of `scheme`
 * @property {Record<string, string | number | boolean | readonly number[]>} [settings]
 *
 * @typedef {Chosen & {view?: string, cell?: readonly number[], other?: Chosen}} Shown  `cell`: whose formula is pinned;
 *   `other`: what it is compared with
 */

/**
 * The part of the playground's address after the #, as web/playground/address.js reads it.
 * @param {Shown} shown
 */
export function playgroundHash({ view, cell, other, ...one }) {
  return new URLSearchParams([
    ...entries(one, ""),
    ...(view === undefined ? [] : [["view", view]]),
    ...(other ? entries(other, "b.") : []),
    ...(cell ? [["cell", cell.join(".")]] : []),
  ]).toString();
}

/**
 * The address of the playground with these settings.
 * @param {Shown} shown @param {string} root  the address of the front page
 */
export function playgroundLink(shown, root) {
  return new URL(`playground/#${playgroundHash(shown)}`, root).href;
}

/** @param {Chosen} side @param {string} prefix */
function entries({ scheme, preset, settings = {} }, prefix) {
  const named = preset === undefined ? ["scheme", scheme ?? ""] : ["preset", preset];
  return [named, ...Object.entries(settings)].map(([name, value]) => [
    prefix + name,
    String(value),
  ]);
}
