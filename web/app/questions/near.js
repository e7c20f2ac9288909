// What wrong numbers have in common with the right one.

/** @import { Quantity } from "../read-number.js" */
/** @import { NumberJudgement } from "./verdict.js" */
import { numberOf, relatives, unitsIn } from "./units.js";

/** How exactly a multiple of the answer must be met, as a share of it. */
const SHARE = 0.005;

/**
 * Whether a number is the answer.
 * @param {Quantity} given @param {NumberJudgement} judgement @param {string} unit  of the question
 */
export function isAnswer(given, { answer, within = 0 }, unit) {
  const size = unitsIn(given.unit, unit) ?? 1;
  return size === 1 && isWithin(numberOf(given, unit), answer, within);
}

/**
 * What is right about a wrong number; undefined if nothing is known about it.
 *
 * @param {Quantity} given
 * @param {NumberJudgement} judgement
 * @param {string} unit  of the question
 * @returns {string | undefined}
 */
export function nearMiss(given, judgement, unit) {
  const x = numberOf(given, unit);
  const { answer, within = 0, near = [] } = judgement;
  const known = near.find((each) => isWithin(x, each.value, each.within ?? within));
  return known?.because ?? wrongUnit(given, judgement, unit) ?? related(x, answer, within, unit);
}

/** @param {Quantity} given @param {NumberJudgement} judgement @param {string} unit */
function wrongUnit(given, { answer, within = 0 }, unit) {
  const size = unitsIn(given.unit, unit);
  if (size === undefined || size === 1) return undefined;
  const converted = given.value * size;
  if (isWithin(converted, answer, Math.max(within, SHARE * Math.abs(answer)))) {
    return `The size is right. The question asks for it in ${unit}.`;
  }
  if (isWithin(given.value, answer, within))
    return `The number is right, but not in ${given.unit}.`;
  return undefined;
}

/** @param {number} x @param {number} answer @param {number} within @param {string} unit */
function related(x, answer, within, unit) {
  const isTimes = (/** @type {number} */ factor) =>
    answer !== 0 && Math.abs(x - factor * answer) <= SHARE * Math.abs(factor * answer);
  if (isTimes(-1) || isWithin(x, -answer, within)) return "The size is right. Check the sign.";
  const other = relatives(unit).find(({ size }) => size !== 1 && isTimes(1 / size));
  if (other) return `That is the answer in ${other.name}. The question asks for it in ${unit}.`;
  const isCount = unit !== "" && relatives(unit).length === 0 && Math.abs(answer) >= 10;
  if (isCount && Math.abs(x - Math.round(answer)) === 1) {
    return "That is very near: one too many or one too few. Check where the count begins and ends.";
  }
  if (isTimes(2) || isTimes(1 / 2)) return "A factor of 2 is missing, or is one too many.";
  const power = Math.round(Math.log10(Math.abs(x / answer)));
  const isPower = Number.isInteger(Math.log10(Math.abs(answer))) && Math.abs(answer) > 1;
  if (power !== 0 && !isPower && isTimes(10 ** power)) {
    return "The digits are right. Check the power of ten.";
  }
  if (isTimes(1 / answer ** 2)) return "That is the reciprocal. Check what divides what.";
  return undefined;
}

/** @param {number} x @param {number} answer @param {number} within */
function isWithin(x, answer, within) {
  return Math.abs(x - answer) <= within;
}
