/** Text as HTML. @param {string | null} text */
export function escape(text) {
  const names = /** @type {Record<string, string>} */ ({
    "&": "amp",
    "<": "lt",
    ">": "gt",
    '"': "quot",
  });
  return (text ?? "").replace(/[&<>"]/g, (character) => `&${names[character]};`);
}
