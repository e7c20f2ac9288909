/** identify: reads the arrays, measures, and says what was found. */
import { asFloat32 } from "../../runtime/input.js";
import { precisionOf } from "../numbers.js";
import { further } from "./later.js";
import { published } from "./published.js";
import { rotationsOf } from "./rotation.js";
import { none, refuseNotFinite } from "../words.js";
import { sentenceOf } from "./words.js";

/**
 * @import { RopeModules } from "../../positional/rotary/rope/index.js"
 * @import { TensorInput } from "../../runtime/tensor.js"
 * @import { Places } from "./positions.js"
 * @import { Turns } from "./measure.js"
 * @import { Layout, Pairing, Port, Precision, Rounding } from "./residual.js"
 * @import { Failure, Found } from "./rotation.js"
 * @import { Name, Naming } from "./spectrum.js"
 */

/**
 * A rotation. What it names was computed again and compared with every number: `residual` is the largest difference.
 * @typedef {object} Rotation
 * @property {"rope"} kind  a rotation of pairs
 * @property {string} sentence  all of it in words
 * @property {number} residual  the largest difference of a number from what is named
 * @property {{array: string, row: number, column: number}} at  where that is
 * @property {Layout | null} layout  of the pairs; null where the columns do not show it: there is one for each pair
 * @property {Layout} [output]  of the pairs of the rotated vectors, if it differs
 * @property {Layout} [table]  of the table that vectors were multiplied by, if it is not that of their pairs
 * @property {boolean} [isMinusLost]  whether both numbers of a pair are sums, where one is a difference
 * @property {boolean} [isOverwritten]  whether the second number of a pair is made from the new value of the first
 * @property {number} dim  the rotated width
 * @property {number} start  the first rotated column
 * @property {string} form  of the frequencies
 * @property {number | null} base  null where the form has none
 * @property {Record<string, unknown> | null} scaling  as of `rope.frequencies`
 * @property {Name["unit"]} [unit]  what angles were taken for, or how often they are applied
 * @property {Name["list"]} [list]  of LongRoPE's two lists of factors
 * @property {Name["exchanged"]} [exchanged]  numbers of the scaling stand for each other
 * @property {number} [width]  D of the exponents, if it is not `dim`
 * @property {number} attentionFactor  of cosines and sines
 * @property {number} ownFactor  that the scaling has by its formula; 1 without one
 * @property {number} offset  the position of the first row
 * @property {Places} positions  how those of all rows come about
 * @property {Places[]} [batches]  the positions of each batch, where they differ
 * @property {1 | -1} sign  of the angles
 * @property {boolean} swapped  whether sines stand for cosines
 * @property {boolean} headsAfter  whether the axis of heads comes after that of positions
 * @property {Precision} precision  of the numbers
 * @property {Rounding} [rounding]  of the steps before
 * @property {readonly [number, number] | null} hidden  pairs, from and to, that turn less than these rows show
 * @property {{measured: number[], fitted: number[]}} frequencies  radians a position [dim / 2]
 * @property {string[]} decidedBy  what decided, a sentence each
 * @property {Omit<Rotation, "alsoEqual">[]} alsoEqual  other names of the same numbers
 * @property {string[]} models  known models that rotate so
 * @property {RotationAnswer} [k]  what the keys are, by the same name, where they were given beside queries
 */

/**
 * No name fits: the step that failed, and by how much.
 * @typedef {object} None
 * @property {"none"} kind  no name
 * @property {string} sentence  all of it in words
 * @property {null} residual  nothing was computed that comes near
 * @property {string[]} decidedBy  the step that failed
 * @property {RotationAnswer} [q]  what queries are, where keys were given that are something else
 * @property {RotationAnswer} [k]  what these keys are
 */

/**
 * Nothing rotates: vectors before and after are the same.
 * @typedef {object} Still
 * @property {"still"} kind  no rotation
 * @property {string} sentence  all of it in words
 * @property {number} residual  0
 * @property {string[]} decidedBy  what decided, a sentence each
 * @property {RotationAnswer} [k]  that of keys, where they were given beside queries
 */

/**
 * What `identify` says.
 * @typedef {Rotation | Still | None} RotationAnswer
 *
 * An answer, and of what it was made.
 * @typedef {object} Result
 * @property {RotationAnswer} answer
 * @property {Port} port
 * @property {readonly Found[]} found  the conventions that fit; none where batches differ
 * @property {Failure} [failure]  why there is none
 * @property {{sizes: number[], with_: With}} [apart]  axes of batches that may be measured one by one, where none is
 *
 * Rotations that are rarer than those of plain pairings, or rarer names of frequencies.
 * @typedef {{pairings?: (port: Port) => readonly {pairing: Pairing, turns: Turns}[], names?: (naming: Naming, modules: RopeModules) => void}} More
 */

/**
 * @param {RopeModules} modules
 * @param {{one: TensorInput, two: TensorInput}} arrays
 * @param {{kind: Port["kind"], names: readonly [string, string], positions?: TensorInput, headsAfter?: boolean, precision?: Precision}} options
 * @param {More} [more]  tried instead
 * @returns {Result}
 */
export function identifyRotation(modules, { one, two }, options, more) {
  const { kind, names, headsAfter, positions } = options;
  const [a, b] = readPair(one, two, names);
  const shape = kind === "table" ? withoutOnes(a.shape) : a.shape;
  if (headsAfter) further().checkHeads(kind, names, shape);
  const held = precisionOf(kind === "table" ? [a.data, b.data] : [b.data]);
  const { precision = held } = options;
  const ported = (/** @type {boolean} */ isAfter) => ({
    ...portOf(kind, names, [a.data, b.data], shape, precision, isAfter),
    isNarrow: held !== "float32" && precision === held,
  });
  const port = ported(headsAfter === true);
  if (kind === "vectors" && isSame(a.data, b.data)) {
    const answer = stillOf(`nothing rotates: ${names[1]} is ${names[0]}`);
    return { answer, port, found: [] };
  }
  const place = positions && further().readPositions(positions, port.T);
  const with_ = { first: place, headsAfter: headsAfter === true, more };
  const own = resultOf(modules, port, with_);
  if (own.answer.kind !== "none" || shape.length < 3) return own;
  if (kind === "vectors" && headsAfter === undefined && positions === undefined) {
    const turned = ported(true);
    const other = resultOf(modules, turned, { first: undefined, headsAfter: true, more });
    if (other.answer.kind !== "none") return other;
  }
  const sizes = shape.slice(0, -2).filter((size) => size > 1);
  return { ...own, apart: { sizes, with_ } };
}

/** A table's shape without axes of size 1, such as [T, 1, 1, columns]. @param {readonly number[]} shape */
function withoutOnes(shape) {
  const rows = shape.slice(0, -1).filter((size) => size > 1);
  return (rows.length > 0 ? rows : [1]).concat(shape[shape.length - 1]);
}

/** @param {TensorInput} one @param {TensorInput} two @param {readonly [string, string]} names */
function readPair(one, two, names) {
  const [a, b] = [asFloat32(one, names[0]), asFloat32(two, names[1])];
  if (String(a.shape) !== String(b.shape) || a.shape.length < 2) {
    const got = `[${a.shape.join(", ")}] and [${b.shape.join(", ")}]`;
    throw new RangeError(
      `${names[0]} and ${names[1]} must have one shape [..., T, columns]; got ${got}`,
    );
  }
  if (a.data.length === 0) {
    throw new RangeError(`${names[0]} must have numbers; got shape [${a.shape.join(", ")}]`);
  }
  [a, b].forEach(({ data }, i) => refuseNotFinite(data, names[i]));
  return [a, b];
}

/** @typedef {{first: number | undefined, headsAfter: boolean, more: More | undefined}} With */

/** @param {string} sentence @returns {Still} */
export const stillOf = (sentence) => ({
  kind: "still",
  sentence,
  residual: 0,
  decidedBy: [sentence],
});

/** @param {Float32Array} a @param {Float32Array} b */
export const isSame = (a, b) => a.every((x, i) => x === b[i]);

/**
 * @param {Port["kind"]} kind @param {readonly [string, string]} names @param {[Float32Array, Float32Array]} arrays
 * @param {readonly number[]} shape @param {Precision} precision @param {boolean} isHeadsAfter
 * @returns {Port}
 */
function portOf(kind, names, arrays, shape, precision, isHeadsAfter) {
  const columns = shape[shape.length - 1];
  const T = shape[shape.length - (isHeadsAfter ? 3 : 2)];
  const heads = isHeadsAfter ? shape[shape.length - 2] : 1;
  const moved =
    heads > 1 ? arrays.map((array) => further().headsFirst(array, T, heads, columns)) : arrays;
  const own = /** @type {[Float32Array, Float32Array]} */ (moved);
  const batches = own[0].length / (T * columns);
  return { kind, arrays: own, names, batches, T, columns, precision };
}

/** @param {RopeModules} modules @param {Port} port @param {With} with_ @returns {Result} */
export function resultOf(modules, port, { first, headsAfter, more }) {
  const { found, failure } = rotationsOf(modules, port, first, more);
  const own = failure ?? { step: -1, reason: "no columns form pairs" };
  const answer = found.length > 0 ? answerOf(modules, port, found, headsAfter) : none(own.reason);
  return { answer, port, found, failure: own };
}

/**
 * @param {RopeModules} modules @param {Port} port @param {readonly Found[]} found  at least one @param {boolean} headsAfter
 * @returns {Rotation}
 */
export function answerOf(modules, port, found, headsAfter) {
  const all = found.map((one) => rotationOf(modules, port, one, headsAfter));
  const [best, ...others] = all.map(({ alsoEqual, ...one }) => one);
  const answer = { ...best, alsoEqual: others };
  const count = others.filter((one) => isOtherFactor(best.scaling, one.scaling)).length;
  const open =
    count > 0
      ? `, or one of ${count} others with other factors, which these rows do not tell apart`
      : "";
  const [{ residual, convention }] = found;
  const loose =
    residual.narrow > 1 && !convention.rounding
      ? `; roundings of ${port.precision} do not explain all small numbers: another name may fit better`
      : "";
  return { ...answer, sentence: `${sentenceOf(answer)}${open}${loose}` };
}

/** Whether two scalings of one type have other factors. @param {any} a @param {any} b */
const isOtherFactor = (a, b) =>
  a?.type === b?.type && Math.abs((a?.factor ?? 1) / (b?.factor ?? 1) - 1) > 0.01;

/**
 * @param {RopeModules} modules @param {Port} port @param {Found} found @param {boolean} headsAfter
 * @returns {Rotation}
 */
function rotationOf(
  modules,
  port,
  { convention, places, residual, hidden, measured, ownFactor },
  headsAfter,
) {
  const { pairing, name, frequencies, sign, factor, rounding } = convention;
  const { from, to, table, isMinusLost, isOverwritten, start, pairs, isSwapped } = pairing;
  const { form, base = null, scaling = null, unit, width, list, exchanged } = name;
  const isSlip = table || isMinusLost || isOverwritten || isSwapped || rounding;
  const isPlain = from === to && !isSlip && sign === 1;
  const models = (isPlain ? published(modules) : [])
    .filter((one) => Math.abs(factor / one.attentionFactor - 1) <= 1e-3)
    .filter((one) => one.frequencies.length === pairs && (from === null || one.layout === from))
    .filter((one) => one.frequencies.every((x, i) => Math.abs(x - frequencies[i]) <= 2e-7 * x))
    .flatMap((one) => one.models);
  const answer = {
    kind: /** @type {const} */ ("rope"),
    residual: residual.largest,
    at: residual.at,
    layout: from,
    ...(to !== from && { output: /** @type {Layout} */ (to) }),
    ...(table && { table }),
    ...(isMinusLost && { isMinusLost }),
    ...(isOverwritten && { isOverwritten }),
    dim: 2 * pairs,
    start,
    form,
    base,
    scaling,
    ...(unit && { unit }),
    ...(width && { width }),
    ...(list && { list }),
    ...(exchanged && { exchanged }),
    attentionFactor: Math.fround(factor),
    ownFactor: Math.fround(ownFactor),
    offset: places.offset,
    positions: places,
    sign,
    swapped: isSwapped,
    headsAfter,
    precision: port.precision,
    ...(rounding && { rounding }),
    hidden: hidden ?? null,
    frequencies: { measured: listed(measured), fitted: listed(frequencies) },
    models: [...new Set(models)],
    alsoEqual: [],
  };
  return { ...answer, decidedBy: decidedBy(port, answer), sentence: sentenceOf(answer) };
}

/** To float32, beyond which engines differ. @param {Float64Array} numbers */
const listed = (numbers) => Array.from(numbers, Math.fround);

/** What shows the pairs. @param {Port} port @param {Pick<Rotation, "layout" | "output" | "table" | "isMinusLost" | "isOverwritten" | "dim">} of */
function pairsShown({ kind, columns }, of) {
  const { layout, dim } = of;
  if (kind !== "table") return further().turnsShown(of);
  return layout === null
    ? `no two of ${columns} columns are equal in all rows: each is that of one pair`
    : `columns ${layout === "halves" ? `c and c + ${dim / 2}` : "2i and 2i + 1"} are equal in all rows`;
}

/** @param {Port} port @param {Pick<Rotation, "layout" | "output" | "table" | "isMinusLost" | "isOverwritten" | "sign" | "residual" | "dim" | "hidden">} of */
function decidedBy(port, of) {
  const { columns, T, batches } = port;
  const { residual, hidden } = of;
  const rows = `${batches > 1 ? `${batches} x ` : ""}${T} rows`;
  return [
    pairsShown(port, of),
    `all ${rows} and ${columns} columns were computed again: the largest difference is ${Number(residual.toPrecision(3))}`,
    ...(hidden
      ? [`pairs ${hidden[0]} to ${hidden[1]} turn less in these rows than their format shows`]
      : []),
  ];
}
