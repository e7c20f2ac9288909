/**
 * A case that a claim is tested on: the number that was computed, and whether the claim holds there.
 * @typedef {{ when: string, number: string, holds: boolean }} Case
 *
 * @typedef {"so" | "loose" | "not"} Verdict
 */

/** How the page names each verdict. @type {Readonly<Record<Verdict, string>>} */
export const NAMES = Object.freeze({ so: "So", loose: "Loose", not: "Not so" });

/**
 * The verdict that follows from the cases: "so" if the claim holds in all of them, "not" if it holds in none.
 * @param {readonly Case[]} cases @returns {Verdict}
 */
export function verdictOf(cases) {
  const held = heldIn(cases);
  if (held === cases.length) return "so";
  return held === 0 ? "not" : "loose";
}

/** The reason for the verdict, in a sentence. @param {readonly Case[]} cases */
export function reason(cases) {
  const [held, all] = [heldIn(cases), cases.length];
  const verdict = NAMES[verdictOf(cases)];
  if (held === all) return `${verdict}: the sentence holds in all ${all} cases.`;
  if (held === 0) return `${verdict}: the sentence holds in none of the ${all} cases.`;
  return `${verdict}: the sentence holds in ${held} of the ${all} cases.`;
}

/** @param {readonly Case[]} cases */
function heldIn(cases) {
  return cases.filter(({ holds }) => holds).length;
}
