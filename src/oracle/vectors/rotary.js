/** What queries and keys of each kind of layer become: the right answers, and those of likely slips. */
import { Tensor } from "../../runtime/tensor.js";
import { spectrumOf } from "../conventions.js";
import { widened } from "../numbers.js";
import { drawn, farthest, ints } from "./arrays.js";
import { slipsOfWay, tablesOf, turned, wayOf } from "./ways.js";

/**
 * @import { Model, Rotary } from "../../models/config.js"
 * @import { Arrays, Source } from "./arrays.js"
 * @import { Places, Way } from "./ways.js"
 */

/** The most heads of queries: a rotation does not depend on their number. */
const MOST_HEADS = 4;

/** Rows of the cases but the first, and tokens in the cache. */
const FEW = 16;
const PAST = 17;

/** Rows that the answers of slips have: the last ones of a case, of the last head. */
const SLIP_ROWS = 8;

/** Roundings of a rotation in float32, and what float32 steps make of an angle. */
const ROUNDINGS = 1e-6;
const PER_ANGLE = 2 ** -21;

export const ROTARY_TOLERANCE =
  "(1e-6 + 2^-21 x the pair's angle) x the attention factor, in the array tolerance: float32 rounds a frequency, its product with the position, and the rotation";

/** Kinds of layers without queries and keys of the text. */
const WITHOUT = /^(?:conv|mamba|recurrent|moe|mlp|linear|lightning|cross)/;

/** Families with latent attention, which keep the rotated columns in a separate tensor. */
const LATENT =
  /^(?:axk[12]|bailing_hybrid|deepseek_v(?:2|3|32)|dots3_note_text|kimi_k2|longcat_flash|sarvam_mla|youtu|glm4_moe_lite|glm_moe_dsa|hy_v4\w*|mistral4|minicpm3)$/;

/**
 * A kind of layer.
 * @typedef {object} Kind
 * @property {string} name
 * @property {number[]} layers  their indices
 * @property {Rotary | null} rotary
 * @property {number} width  of the rows that are rotated, D
 * @property {number} heads  of queries in the kit
 * @property {number} keyHeads  of keys in the kit
 */

/** The kinds of layers that have queries and keys. @param {Model} model @returns {Kind[]} */
export function kindsOf(model) {
  const { layerKinds, rotary = {} } = model.positions;
  const all = Array.from({ length: model.layers }, (_, layer) => layer);
  const widest = Object.values(rotary).reduce(
    (most, one) => Math.max(most, widthOf(model, one)),
    model.headDim,
  );
  return Object.entries(rotary)
    .filter(([name]) => !WITHOUT.test(name))
    .map(([name, one]) => {
      const apart = one !== null && isApart(model, one);
      return {
        name,
        layers: layerKinds ? all.filter((layer) => layerKinds[layer] === name) : all,
        rotary: one,
        width: apart ? one.dim : one ? widthOf(model, one) : widest,
        ...headsOf(model, apart),
      };
    });
}

/** The width of a head. @param {Model} model @param {Rotary | null} rotary */
const widthOf = ({ headDim }, rotary) =>
  Math.max(headDim, rotary ? (rotary.start ?? 0) + rotary.dim : 0);

/** Whether the rotated columns are in a separate tensor. @param {Model} model @param {Rotary} rotary */
const isApart = ({ type, headDim }, { dim, start }) =>
  start === undefined && dim < headDim && LATENT.test(type);

/** @param {Model} model @param {boolean} apart */
function headsOf({ heads, keyValueHeads }, apart) {
  const [all, keys] = [heads, keyValueHeads].map((each) => (Array.isArray(each) ? each[0] : each));
  const count = Math.min(all, MOST_HEADS);
  return { heads: count, keyHeads: apart ? 1 : Math.max(1, Math.floor((count * keys) / all)) };
}

/** Positions by case. @param {Source} source @param {Kind} kind @returns {[string, Places][]} */
function casesOf({ phasor, model, length }, { rotary }) {
  const from = (/** @type {number} */ first, /** @type {number} */ count) =>
    Array.from({ length: count }, (_, t) => first + t);
  const trained = model.positions.length ?? 0;
  /** @type {[string, Places][]} */
  const cases = [["first", from(0, length)]];
  if (trained > Math.max(length, FEW)) cases.push(["last", from(trained - FEW, FEW)]);
  cases.push(["cached", from(PAST, FEW)]);
  if (rotary?.multimodal) {
    const segments = [{ text: 3 }, { grid: [1, 2, 4] }, { text: 2 }, { grid: [2, 3, 2] }];
    const { positions } = phasor.positionIds.multimodal(segments);
    cases.push(["picture", /** @type {number[][]} */ (positions.toArray())]);
  }
  return cases;
}

/**
 * The arrays of rotary.safetensors, of torch/rotary.safetensors and of slips, and the largest difference of torch's steps.
 * @param {Source} source
 */
export function rotaryArrays(source) {
  const kinds = kindsOf(source.model);
  /** @type {{arrays: Arrays, torch: Arrays, slips: Arrays, largest: number}} */
  const found = { arrays: {}, torch: {}, slips: {}, largest: 0 };
  for (const kind of kinds) {
    found.arrays[`${kind.name}/layers`] = ints(kind.layers);
    const others = Object.fromEntries(
      kinds.flatMap(({ name, rotary }) => (rotary && name !== kind.name ? [[name, rotary]] : [])),
    );
    for (const [name, places] of casesOf(source, kind)) {
      addCase(source, kind, { at: `${kind.name}/${name}`, places, others }, found);
    }
  }
  return found;
}

/**
 * @param {Source} source @param {Kind} kind
 * @param {{at: string, places: Places, others: Record<string, Rotary>}} of
 * @param {ReturnType<typeof rotaryArrays>} found
 */
function addCase({ phasor, seed }, kind, { at, places, others }, found) {
  const { arrays, torch, slips } = found;
  const { rotary, width, heads, keyHeads } = kind;
  const shape = Array.isArray(places[0]) ? [3, places[0].length] : [places.length];
  const T = shape[shape.length - 1];
  const count = Object.keys(arrays).length;
  const q = drawn(phasor, [2, heads, T, width], seed + count);
  const k = drawn(phasor, [2, keyHeads, T, width], seed + count + 1);
  // Both have the same last head, so that the answers of slips are those of both.
  k.data.set(q.data.subarray(-T * width), k.data.length - T * width);
  const put = (/** @type {Arrays} */ to, /** @type {Arrays} */ named) => {
    for (const [name, array] of Object.entries(named)) to[`${at}/${name}`] = array;
  };
  const own = rotary && wayOf(rotary, places);
  put(arrays, { positions: ints(places.flat(), shape), q, k });
  const tolerance = toleranceOf(phasor, own, places, [T, width]);
  const right = (/** @type {Tensor} */ x) => (own ? turned(phasor, x, own, places) : x);
  put(arrays, { tolerance, q_rotated: right(q), k_rotated: right(k) });
  if (own) {
    put(arrays, tableArrays(phasor, own, places));
    const steps = { ...own, precision: /** @type {const} */ ("torch") };
    const turn = (/** @type {Tensor} */ x) => turned(phasor, x, steps, places);
    const all = { ...tableArrays(phasor, steps, places), q_rotated: turn(q), k_rotated: turn(k) };
    put(torch, all);
    for (const [name, array] of Object.entries(all)) {
      found.largest = Math.max(found.largest, farthest(array, arrays[`${at}/${name}`]));
    }
  }
  const rows = Math.min(SLIP_ROWS, T);
  const last = (/** @type {Tensor} */ x) => new Tensor(x.data.slice(-rows * width), [rows, width]);
  const lasting = (/** @type {Tensor} */ x) => new Tensor(x.data.slice(-T * width), [T, width]);
  const answer = last(right(q));
  for (const { name, way } of slipsOfWay(phasor, own, { width, others, places })) {
    if (way.start + way.dim > width) continue;
    const given = last(turned(phasor, lasting(q), way, places));
    const isSeen = given.data.some(
      (x, i) => Math.abs(x - answer.data[i]) > last(tolerance).data[i],
    );
    if (isSeen) put(slips, { [name]: given });
  }
}

/** Frequencies, cosines and sines. @param {Source["phasor"]} phasor @param {Way} way @param {Places} places */
function tableArrays(phasor, way, places) {
  const { frequencies } = spectrumOf(phasor, way);
  const P = frequencies.length;
  const { cos, sin } = tablesOf(phasor, way, places);
  const shape = [cos.length / P, P];
  return {
    inv_freq: new Tensor(frequencies, [P]),
    cos: new Tensor(cos, shape),
    sin: new Tensor(sin, shape),
  };
}

/**
 * What each number may differ by.
 * @param {Source["phasor"]} phasor @param {Way | null} way @param {Places} places @param {number[]} shape  [T, D]
 */
function toleranceOf(phasor, way, places, [T, D]) {
  const tolerance = new Float32Array(T * D).fill(ROUNDINGS);
  if (way) {
    const { frequencies, factor } = spectrumOf(phasor, way);
    const P = frequencies.length;
    const axes = Array.isArray(places[0]) ? /** @type {number[][]} */ (places) : [places];
    const far = Array.from({ length: T }, (_, t) => Math.max(...axes.map((own) => Number(own[t]))));
    for (let k = 0; k < T * P * 2; ++k) {
      const column = k % (2 * P);
      const t = Math.floor(k / (2 * P));
      const pair = way.layout === "halves" ? column % P : Math.floor(column / 2);
      const angle = far[t] * widened(frequencies[pair]);
      tolerance[t * D + way.start + column] = factor * (ROUNDINGS + PER_ANGLE * angle);
    }
  }
  return new Tensor(tolerance, [T, D]);
}
