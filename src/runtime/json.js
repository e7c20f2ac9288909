/**
 * JSON.parse for text of unknown origin. A text of `{},{},` takes up to 75 times its size in memory, and functions that
 * follow its levels need the stack for each.
 */

/** The most levels of a text or an object. */
export const MOST_LEVELS = 64;

/**
 * @param {string} text
 * @param {number} most  values, each key with its value counted once
 * @returns {any}
 * @throws {SyntaxError} if it is not JSON, or has more levels or values
 */
export function parsed(text, most) {
  let [values, levels, isQuoted] = [1, 0, false];
  for (let at = 0; at < text.length; ++at) {
    const code = text.charCodeAt(at);
    if (isQuoted) {
      if (code === 0x5c) ++at;
      else if (code === 0x22) isQuoted = false;
    } else if (code === 0x22) isQuoted = true;
    else if (code === 0x2c) ++values;
    else if (code === 0x5b || code === 0x7b) {
      ++values;
      if (++levels > MOST_LEVELS) throw new SyntaxError(`more than ${MOST_LEVELS} levels`);
    } else if (code === 0x5d || code === 0x7d) --levels;
    if (values > most) throw new SyntaxError(`more than ${most} values`);
  }
  return JSON.parse(text);
}
