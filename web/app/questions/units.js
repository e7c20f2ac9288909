/** @import { Quantity } from "../read-number.js" */

/** Units that are multiples of one another, by what they measure. @type {readonly Readonly<Record<string, number>>[]} */
const FAMILIES = [
  {
    byte: 1,
    bytes: 1,
    B: 1,
    kB: 1e3,
    KB: 1e3,
    MB: 1e6,
    GB: 1e9,
    TB: 1e12,
    KiB: 2 ** 10,
    MiB: 2 ** 20,
    GiB: 2 ** 30,
    TiB: 2 ** 40,
  },
  {
    radian: 1,
    radians: 1,
    rad: 1,
    "°": Math.PI / 180,
    degree: Math.PI / 180,
    degrees: Math.PI / 180,
    deg: Math.PI / 180,
    rotation: 2 * Math.PI,
    rotations: 2 * Math.PI,
  },
  { "%": 0.01, percent: 0.01 },
];

/**
 * How many of one unit are one of another; undefined for units that do not measure the same.
 * @param {string} from @param {string} to
 */
export function unitsIn(from, to) {
  const family = FAMILIES.find((each) => Object.hasOwn(each, from) && Object.hasOwn(each, to));
  return family && family[from] / family[to];
}

/** The other units of a unit, with their sizes in it. @param {string} unit */
export function relatives(unit) {
  const family = FAMILIES.find((each) => Object.hasOwn(each, unit)) ?? {};
  return Object.keys(family).map((name) => ({ name, size: family[name] / family[unit] }));
}

/**
 * A reader's number, where a question asks for numbers of a unit. A percentage is a number where the question
 * has another unit; other units say nothing.
 *
 * @param {Quantity} quantity @param {string} unit  of the question
 */
export function numberOf({ value, unit: own }, unit) {
  return own === "%" && unit !== "%" ? value / 100 : value;
}
