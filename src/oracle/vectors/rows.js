/** The input of the first layer: rows of words, positions and token types, and what becomes of them. */
import { Tensor } from "../../runtime/tensor.js";
import { drawn, farthest, ints } from "./arrays.js";
import { isFromPad, numberingOf, padOf } from "./ids.js";

/** @import { Arrays, Source } from "./arrays.js" */

/** Rows of the tables, and tokens of a text. */
const ROWS = 64;
const TOKENS = 8;
const BATCH = 2;

/** Ids of words are not below this: those are of padding and marks. */
const FIRST_ID = 8;

/** The seeds of tables come after those of queries and keys. */
const SEEDS = 1000;

/** Of float32 sums and a norm, in parts of the largest number. */
const PART = 2e-6;

export const ROWS_TOLERANCE =
  "2e-6 of the largest number, in the array tolerance: float32 rounds each product and each sum";

/** Why the model's input is not in the kit, if so. @param {Source} source @returns {string | undefined} */
function missing(source) {
  const { tokens, positions, dim } = source.model;
  const isKnown = /^(?:rope|alibi|t5Bias|transformerXL|none)$/.test(positions.scheme);
  if (!isKnown && !numberingOf(source))
    return `the kit does not know what the scheme ${positions.scheme} adds to the rows of words`;
  if (tokens.unknown !== undefined) return `the input has ${tokens.unknown}`;
  if (!Number.isInteger(dim)) return "the configuration does not state the width";
  if (tokens.maskId !== undefined && tokens.maskId >= ROWS)
    return `the id of the mask, ${tokens.maskId}, is not among ${ROWS} rows`;
  const pad = padOf(source);
  if (isFromPad(positions) && pad >= FIRST_ID)
    return `the id of padding, ${pad}, is not below ${FIRST_ID}`;
  const least = TOKENS + FIRST_ID + 1; // the last row of a text that begins after padding
  if (positions.rows !== undefined && positions.rows < least)
    return `the table of positions has ${positions.rows} rows, fewer than ${least}`;
  return undefined;
}

/** The seeded tables of a model. @param {Source} source @returns {Record<string, Tensor>} by their names in the file */
function weightsOf({ phasor, model, config, seed }) {
  const { tokens, positions, dim } = model;
  const E = tokens.width ?? dim;
  const inner = tokens.projection === "norm" ? E : dim;
  const count = Math.min(ROWS, positions.rows ?? ROWS);
  const isNormed = tokens.norm !== null && tokens.normKind !== "rms";
  /** @type {[name: string, shape: number[], isThere: boolean][]} */
  const all = [
    ["words", [ROWS, E], true],
    ["positions", [count, inner], positions.scheme === "learnedPositions"],
    ["segments", [tokens.segments, inner], tokens.segments > 0],
    ["norm.weight", [inner], isNormed],
    ["norm.bias", [inner], isNormed && config.norm_bias !== false],
    ["projection.weight", [dim, E], tokens.projection !== undefined],
    ["projection.bias", [dim], tokens.projection === "norm"], // OPT's has none
  ];
  return Object.fromEntries(
    all.flatMap(([name, shape, isThere], i) =>
      isThere ? [[name, drawn(phasor, shape, seed + SEEDS + i)]] : [],
    ),
  );
}

/** Tokens of texts without padding. @param {Source} source */
function idsOf({ model, seed }) {
  const { maskId } = model.tokens;
  const ids = Array.from({ length: BATCH * TOKENS }, (_, i) =>
    i === 2 && maskId !== undefined ? maskId : FIRST_ID + ((i * 37 + seed) % (ROWS - FIRST_ID)),
  );
  return ints(ids, [BATCH, TOKENS]);
}

/**
 * What a way to make the input gives, step by step.
 * @param {Source} source @param {any} spec @param {Record<string, Tensor>} weights @param {object} [more]  options
 */
function stagesOf(source, { tokens, positions, dim }, weights, more) {
  const isNormed = tokens.norm !== null && tokens.normKind !== "rms";
  const given = {
    words: weights.words,
    ...(positions.scheme === "learnedPositions" && { positions: weights.positions }),
    ...(tokens.segments > 0 && { segments: weights.segments }),
    ...(isNormed && { norm: { weight: weights["norm.weight"], bias: weights["norm.bias"] } }),
    ...(tokens.projection && {
      projection: { weight: weights["projection.weight"], bias: weights["projection.bias"] },
    }),
  };
  return source.phasor.inputEmbeddings({ tokens, positions, dim }, given, idsOf(source), {
    ...(isFromPad(positions) && { paddingIdx: padOf(source) }),
    ...more,
    intermediates: /** @type {const} */ (true),
  });
}

/**
 * Slips, as descriptions.
 * @param {any} spec @param {number} first  row of a text
 * @returns {{name: string, changed: any, more?: object}[]}
 */
function slipsOf(spec, first) {
  const { tokens, positions } = spec;
  const sets = (/** @type {object} */ own) => ({ ...spec, tokens: { ...tokens, ...own } });
  const isAdded = positions.scheme === "learnedPositions" || positions.scheme === "sinusoidal";
  const slips = [];
  if (tokens.scale !== 1) {
    const late = { scale: 1, sumScale: tokens.scale };
    slips.push(
      { name: "the scale is forgotten", changed: sets({ scale: 1 }) },
      { name: "the scale is not rounded", changed: sets({ scaleDtype: "float32" }) },
      { name: "the scale multiplies positions, too", changed: sets(late) },
    );
  }
  if (tokens.norm !== null) {
    slips.push({ name: "the norm is forgotten", changed: sets({ norm: null }) });
    const other = [1e-12, 1e-6, 1e-5].filter((eps) => eps !== tokens.norm);
    for (const norm of other) slips.push({ name: `epsilon ${norm}`, changed: sets({ norm }) });
  }
  if (tokens.segments > 0) {
    slips.push({ name: "token types are forgotten", changed: sets({ segments: 0 }) });
  }
  if (isAdded) {
    const without = { ...spec, positions: { scheme: "none" } };
    slips.push({ name: "positions are forgotten", changed: without });
    if (first > 0) {
      const plain = { ...spec, positions: { ...positions, preset: "gpt2" } };
      if (positions.scheme === "sinusoidal") plain.positions.preset = "marian";
      slips.push({ name: `positions begin at 0 instead of ${first}`, changed: plain });
    } else slips.push({ name: "positions begin at 1", changed: spec, more: { past: 1 } });
  }
  return slips;
}

/**
 * @param {Source} source
 * @returns {{arrays: Arrays, slips: Arrays, torch: Arrays, largest: number, why?: string}}
 */
export function rowsArrays(source) {
  /** @type {ReturnType<typeof rowsArrays>} */
  const found = { arrays: {}, slips: {}, torch: {}, largest: 0, why: missing(source) };
  if (found.why !== undefined) return found;
  const { tokens, positions, dim } = source.model;
  const weights = weightsOf(source);
  const count = weights.positions?.shape[0];
  const spec = { dim, tokens, positions: { ...positions, ...(count && { rows: count }) } };
  const stages = stagesOf(source, spec, weights);
  const largest = stages.output.data.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
  const tolerance = new Tensor(Float32Array.of(PART * largest), [1]);
  const named = Object.entries(weights).map(([name, x]) => [`weights/${name}`, x]);
  const all = { ids: idsOf(source), ...Object.fromEntries(named), ...stages, tolerance };
  for (const [name, x] of Object.entries(all)) found.arrays[`embedding/${name}`] = x;
  for (const { name, changed, more } of slipsOf(spec, numberingOf(source)?.row ?? 0)) {
    const { output } = stagesOf(source, changed, weights, more);
    if (farthest(output, stages.output) <= tolerance.data[0]) continue;
    const last = output.data.slice(-TOKENS * dim);
    found.slips[`embedding/${name}`] = new Tensor(last, [TOKENS, dim]);
  }
  if (positions.scheme === "sinusoidal") {
    const options = { ...positions.options, precision: "torch" };
    const steps = stagesOf(source, { ...spec, positions: { ...positions, options } }, weights);
    for (const [name, x] of Object.entries(steps)) found.torch[`embedding/${name}`] = x;
    found.largest = farthest(steps.output, stages.output);
  }
  return found;
}
