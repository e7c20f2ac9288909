/**
 * A case that a claim is tested on: the number that was computed, and whether the claim holds there.
 * @typedef {{ when: string, number: string, holds: boolean }} Case
 *
 * @typedef {"so" | "loose" | "not"} Verdict
 */

/** How the page names each verdict. @type {Readonly<Record<Verdict, string>>} */
export const NAMES = Object.freeze({ so: "True", loose: "It depends", not: "False" });

/**
 * The verdict that follows from the cases: "so" if the claim holds in all of them, "not" if it holds in none.
 * @param {readonly Case[]} cases @returns {Verdict}
 */
export function verdictOf(cases) {
  const held = heldIn(cases);
  if (held === cases.length) return "so";
  return held === 0 ? "not" : "loose";
}

/**
 * What the page says about each vote: the reason for the verdict, or the case that speaks against the vote.
 * @param {readonly Case[]} cases @returns {Record<Verdict, string>}
 */
export function reasons(cases) {
  const [held, all] = [heldIn(cases), cases.length];
  const share =
    held === all ? `all ${all}` : held === 0 ? `none of the ${all}` : `${held} of the ${all}`;
  const counted = `The claim holds in ${share} cases.`;
  const against = cases.find(({ holds }) => !holds);
  const support = cases.find(({ holds }) => holds);
  return {
    so: against ? `One case against it is enough. ${inWords(against)}` : counted,
    loose: against && support ? counted : "All cases agree, so it does not depend on the case.",
    not: support ? `It holds in at least one case. ${inWords(support)}` : counted,
  };
}

/** @param {Case} one */
function inWords({ when, number }) {
  return `${when}: ${number}.`;
}

/** @param {readonly Case[]} cases */
function heldIn(cases) {
  return cases.filter(({ holds }) => holds).length;
}
