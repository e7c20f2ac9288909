/** Absent in older browsers. @type {Intl.Segmenter | undefined} */
const segmenter = Intl.Segmenter && new Intl.Segmenter();

/**
 * The first characters of a text: whole ones, as a reader sees them (grapheme clusters), where the browser can tell them.
 * @param {string} text @param {number} most  code points
 */
export function begin(text, most) {
  const length = Array.from(text.slice(0, 2 * most))
    .slice(0, most)
    .join("").length;
  const whole = segmenter?.segment(text.slice(0, 4 * most)).containing(length)?.index;
  return text.slice(0, whole || length); // one character alone may be longer
}

/**
 * A text, shortened if it has more than `most` code points.
 * @param {string} text @param {number} most @param {number} [kept]  code points of a shortened one
 */
export function shortened(text, most, kept = most) {
  const isLong = Array.from(text.slice(0, 2 * most + 2)).length > most;
  return isLong ? `${begin(text, kept)}\u2026` : text;
}
