/**
 * Modules of Node, Deno and Bun. They are not imported, so that bundlers do not resolve them.
 *
 * @param {string} name  "node:zlib"
 * @returns {any} undefined in browsers, and where the host refuses: Next's Edge runtime throws
 */
export function builtin(name) {
  try {
    return /** @type {any} */ (globalThis).process?.getBuiltinModule?.(name);
  } catch {
    return undefined;
  }
}
