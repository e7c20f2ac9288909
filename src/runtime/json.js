/**
 * JSON.parse for text of unknown origin, which takes up to 75 times its size in memory: `{},{},`.
 *
 * @param {string} text
 * @param {number} most  values, about: commas and brackets of strings count too
 * @returns {any}
 * @throws {SyntaxError} if it is not JSON, or has more values
 */
export function parsed(text, most) {
  let values = 0;
  for (let at = 0; at < text.length; ++at) if (",[{".includes(text[at])) ++values;
  if (values > most) throw new SyntaxError(`more than ${most} values`);
  return JSON.parse(text);
}
