import assert from "node:assert/strict";
import { test } from "node:test";
import { identify } from "phasor/oracle";
import { phasor } from "../../phasor.js";
import { isNight, SEED } from "../../sample.js";
import { CONVENTIONS, make } from "./conventions.js";

/**
 * @import { Answer, Rotation } from "phasor/oracle"
 * @import { Made, Wanted } from "./conventions.js"
 */

/** @param {any} arrays @param {any} [options] @returns {Promise<any>} */
const asked = (arrays, options) => identify(arrays, { phasor, ...options });

/** How near a base is. @type {Record<string, number>} */
const NEAR = { float32: 1e-4, float16: 1e-2, bfloat16: 1e-2 };

/** Whether a name is the wanted one. @param {any} one @param {Wanted} wanted @param {number} near */
function names(one, wanted, near) {
  const numbers = (/** @type {any} */ of) => Object.entries(of ?? {});
  const sameScaling =
    (one.scaling === null) === (wanted.scaling === undefined) &&
    numbers(wanted.scaling).every(([key, value]) =>
      typeof value === "number"
        ? Math.abs(one.scaling?.[key] / value - 1) <= Math.max(near, 1e-3)
        : one.scaling?.[key] === value,
    );
  return (
    sameScaling &&
    one.form === wanted.form &&
    one.unit === wanted.unit &&
    one.width === wanted.width &&
    (wanted.base === undefined || Math.abs(one.base / wanted.base - 1) <= near)
  );
}

/** What is said besides the name. @param {any} one */
const rest = ({
  layout,
  output,
  table,
  isMinusLost,
  sign,
  swapped,
  offset,
  positions,
  rounding,
}) => ({
  ...{ layout, output, table, isMinusLost, sign, swapped, offset, rule: positions.rule },
  rounding: rounding && { of: rounding.of, format: rounding.format },
});

/** @param {Wanted} wanted */
const wantedRest = (wanted) => rest({ ...wanted, positions: { rule: wanted.rule } });

/**
 * Whether the pairs that the rows show have the wanted frequencies, and the answer says that others are not shown: then
 * the numbers cannot tell the two names apart.
 * @param {any} answer @param {Made} made
 */
function isHidden({ hidden, frequencies }, { theta, format, T }) {
  const noise = { float32: 2 ** -23, float16: 2 ** -11, bfloat16: 2 ** -8 }[format];
  return (
    hidden !== null &&
    frequencies.fitted.every(
      (/** @type {number} */ x, /** @type {number} */ i) =>
        Math.abs(x - theta[i]) <= (12 * noise) / T + NEAR[format] * theta[i],
    )
  );
}

/** @param {number} index @returns {Promise<string | undefined>} what is wrong */
async function mistake(index) {
  const made = make(SEED, index);
  const { what, format, wanted, arrays } = made;
  const answer = await asked(arrays, { precision: format });
  const title = `${index}: ${what}, ${format}, ${made.T} rows: ${answer.sentence}`;
  if (answer.kind !== "rope") return `${title}; wanted ${JSON.stringify(wanted)}`;
  const all = [answer, ...answer.alsoEqual];
  const known = all.filter((one) => names(one, wanted, NEAR[format]));
  const said = known.filter(
    (one) => JSON.stringify(rest(one)) === JSON.stringify(wantedRest(wanted)),
  );
  const factor = Math.abs(answer.attentionFactor / wanted.attentionFactor - 1);
  if (factor > 4 * NEAR[format]) return `${title}; wanted the factor ${wanted.attentionFactor}`;
  if (said.length > 0 || isHidden(answer, made)) return undefined;
  return `${title}; wanted ${JSON.stringify(wanted)}`;
}

test(`identify names seeded ports of ${CONVENTIONS.length} conventions in three formats`, async () => {
  assert.equal(CONVENTIONS.length, 24);
  const count = isNight ? 1000 : CONVENTIONS.length;
  const mistakes = [];
  for (let index = 0; index < count; index += isNight ? 1 : 2) {
    const wrong = await mistake(index);
    if (wrong) mistakes.push(wrong);
  }
  assert.deepEqual(mistakes, []);
});
