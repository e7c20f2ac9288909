/** Absent in older hosts. @type {Intl.Segmenter | undefined} */
const segmenter = Intl.Segmenter && new Intl.Segmenter();

/**
 * The first characters of a text: whole ones, as a reader sees them (grapheme clusters), where the host can tell them.
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
 * @param {string} [dots]
 */
export function shortened(text, most, kept = most - 1, dots = "\u2026") {
  if (text.length <= most || Array.from(text.slice(0, 2 * most + 2)).length <= most) return text;
  return begin(text, kept) + dots;
}

/** The characters of a text. @param {string} text */
export function characters(text) {
  return segmenter ? Array.from(segmenter.segment(text), ({ segment }) => segment) : [...text];
}
