/** phasor check: whether the rotary numbers of a port are those of a model, and if not, what the slip is. */
import { conventionOf, slipsOf, spectrumOf } from "../oracle/conventions.js";
import { UsageError, whole } from "./arguments.js";
import { compare } from "./compare.js";
import { differences } from "./identify.js";
import { count, doubts, short, sizes } from "./output.js";
import { readPort } from "./port.js";
import { rotaryOf, scalingWords } from "./rope.js";
import { describeModel, HUB } from "./source.js";

/**
 * @import { Phasor } from "../index.js"
 * @import { Model, Rotary } from "../models/config.js"
 * @import { RotationAnswer } from "../oracle/identify/identify.js"
 * @import { RopeModules } from "../positional/rotary/rope/index.js"
 * @import { Fit } from "./compare.js"
 * @import { Convention, Slip } from "../oracle/conventions.js"
 * @import { Pair, Port } from "./port.js"
 */

/**
 * What is known of a port.
 * @typedef {object} Verdict
 * @property {"own" | "slip" | "undecided" | "none"} verdict
 * @property {Fit | undefined} own  undefined if the columns are not those of the model
 * @property {string} [precision]  that the own convention fits best with
 * @property {Tried[]} fitting  other conventions that fit
 * @property {Tried} [closest]  where none fits, if it differs much less than the own one
 *
 * @typedef {{slips: string[], convention: Convention, fit: Fit}} Tried
 */

/** How much less the closest convention has to differ than the own one, where none fits. */
const CLOSER = 0.25;

/** @type {import("./arguments.js").Command} */
export const check = {
  name: "check",
  operands: "PORT",
  least: 1,
  most: 1,
  does: "which convention the cos and sin, or q and q_rotated, of a port have",
  options: {
    model: { type: "string", value: "CONFIG", text: "the model that they should be of; required" },
    layer: { type: "string", value: "N", text: "of which layer, in models whose layers differ" },
    first: {
      type: "string",
      value: "N",
      text: "the first position; 0 by default, or the positions that the file lists",
    },
    "heads-after": {
      type: "boolean",
      text: "the vectors are [..., T, H, columns]: heads come after positions",
    },
    length: {
      type: "string",
      value: "N",
      text: "length of the sequence, for dynamic and longrope; the last position + 1 by default",
    },
    ...HUB,
  },
  async run({ operands, options }) {
    if (options.model === undefined) {
      throw new UsageError("--model must be given: a config.json, a folder or a name; got none");
    }
    const layer = whole(options.layer, "--layer", 0);
    const first = whole(options.first, "--first", 0);
    const given = whole(options.length, "--length");
    const model = await describeModel(options.model, options);
    const { load } = await import("../index.js");
    const read = (/** @type {boolean} */ isHeadsAfter, /** @type {Pair | undefined} */ pair) =>
      readPort(operands[0], { first, isHeadsAfter, pair });
    return checkPort(
      { name: operands[0], read, model, phasor: await load() },
      { layer, length: given, isHeadsAfter: options["heads-after"] === true },
    );
  },
};

/**
 * @typedef {object} Given
 * @property {string} name  of the port, for the lines
 * @property {(isHeadsAfter: boolean, pair?: Pair) => Promise<Port>} read
 * @property {Model} model
 * @property {Phasor} phasor
 *
 * @typedef {{layer?: number, length?: number, isHeadsAfter: boolean}} Wishes
 */

/**
 * Compares a port with its model; its keys, too, where it has queries and keys.
 *
 * @param {Given} given @param {Wishes} wishes
 * @returns {Promise<{data: Record<string, any>, lines: string[], code: number}>}
 */
export async function checkPort(given, wishes) {
  rotationOf(given.model, wishes.layer); // a layer that is not there is told before the file is read
  const port = await given.read(wishes.isHeadsAfter);
  const { data, lines, code } = await checked(port, given, wishes);
  const all = { data, lines: [...lines], code };
  for (const pair of port.others) {
    const own = await checked(await given.read(wishes.isHeadsAfter, pair), given, wishes);
    all.data = { ...all.data, [pair[0]]: own.data };
    all.lines.push(...own.lines);
    all.code = Math.max(all.code, own.code);
  }
  return all;
}

/**
 * The verdict on the arrays of a port.
 * @param {Port} port @param {Given} given @param {Wishes} wishes
 * @returns {Promise<{data: Record<string, any>, lines: string[], code: number}>}
 */
async function checked(port, { name, read, model, phasor }, wishes) {
  const { layer, length, isHeadsAfter } = wishes;
  const { rotary, kind, others } = rotationOf(model, layer);
  const second = (/** @type {Port} */ port) => measuredOf(port, phasor);
  if (rotary === null) return stillLayer(name, port, model, kind, await second(port));
  const last = port.positions.reduce((most, position) => Math.max(most, position), 0);
  const start = startOf(port, model, kind, rotary);
  const own = conventionOf({ ...rotary, start }, length ?? Math.floor(last) + 1);
  const slips = slipsOf(own, { headDim: model.headDim, others });
  const judged = (/** @type {Port} */ port) => judge(phasor, port, own, slips);
  const found = judged(port);
  const turned =
    found.verdict === "none" && port.kind === "vectors" && port.shape.length > 2
      ? await read(!isHeadsAfter, port.names).catch(() => undefined)
      : undefined; // undefined, too, if the file has positions for the other axis
  const isTurned = turned !== undefined && judged(turned).verdict !== "none";
  if (isTurned) found.closest = undefined;
  const measured = await second(isTurned ? turned : port);
  const convention = found.verdict === "own" ? own : found.fitting.at(0)?.convention;
  const [first] = port.positions;
  const isDoubted = convention !== undefined && !agree(measured, convention, first);
  if (isDoubted) found.verdict = "undecided";
  const { factor } = spectrumOf(phasor, own);
  const said = measuredLines(measured, found.verdict, own, first, factor);
  const lines = [...heading(name, port, model, own), ...verdictLines(port, own, found), ...said];
  if (isTurned) lines.push(isHeadsAfter ? HEADS_BEFORE : HEADS_AFTER);
  const data = {
    ...dataOf(port, model, own, found),
    isOtherAxis: isTurned,
    measured: measured ?? null,
    alsoEqual: measured?.kind === "rope" ? measured.alsoEqual : [],
  };
  return { data, lines, code: found.verdict === "own" ? 0 : 1 };
}

/**
 * The first column that rotates. With latent attention the rotated ones are in a separate tensor, which the code of
 * models puts last in a head.
 * @param {Port} port @param {Model} model @param {string} kind @param {Rotary} rotary
 */
function startOf(port, { headDim, cache }, kind, { dim, start }) {
  const isLatent = cache?.some((one) => one.kind === kind && one.latent);
  const isWhole = port.kind === "vectors" && port.columns === headDim;
  return isLatent && isWhole ? headDim - dim : start;
}

/**
 * A second opinion, which knows no model. Of a few rows, or rows that do not follow each other, there is none.
 * @param {Port} port @param {Phasor} phasor
 * @returns {Promise<RotationAnswer | undefined>}
 */
async function measuredOf({ kind, arrays, T, columns, batches, positions }, phasor) {
  if (T < 4 || positions.some((position, t) => position !== positions[0] + t)) return undefined;
  const { identify } = await import("../oracle/index.js");
  const [one, two] = arrays.map((array) => ({
    data: Float32Array.from(array),
    shape: [batches, T, columns],
  }));
  const given = kind === "table" ? { cos: one, sin: two } : { q: one, rotated: two };
  const options = {
    phasor,
    headsAfter: false,
    ...(positions[0] !== 0 && { positions: [...positions] }),
  };
  return /** @type {RotationAnswer} */ (await identify(given, options));
}

/** Whether a measurement does not speak against a convention. @param {RotationAnswer | undefined} measured @param {Convention} convention @param {number} first */
function agree(measured, { layout, sign, isSwapped, offset, isStill }, first) {
  if (measured?.kind !== "rope") return true;
  if (isStill) return false;
  return [measured, ...measured.alsoEqual].some(
    (one) =>
      (one.layout === null || one.layout === layout) &&
      one.sign === sign &&
      one.swapped === isSwapped &&
      Math.abs(one.offset - first - offset) < 0.5,
  );
}

/** @param {RotationAnswer | undefined} measured @param {Verdict["verdict"]} verdict @param {Convention} own @param {number} first @param {number} attentionFactor */
function measuredLines(measured, verdict, own, first, attentionFactor) {
  if (measured === undefined || (verdict === "own" && measured.kind !== "rope")) return [];
  if (verdict === "own" && measured.kind === "rope") {
    const pair = "whether rows of W_q are in the other layout does not show in q and q_rotated";
    return measured.at.array === "rotated" ? [`  ${pair}`] : [];
  }
  const { layout, dim, start, base, sign, isSwapped: swapped, offset } = own;
  const wanted = {
    layout,
    dim,
    start,
    base,
    sign,
    swapped,
    offset: offset + first,
    attentionFactor,
  };
  const differs =
    measured.kind === "rope"
      ? [...differences(measured, wanted), ...otherScaling(measured.scaling, own.scaling)]
      : [];
  return [`measured: ${measured.sentence}`, ...differs.map((one) => `  ${one}`)];
}

/** What YaRN has by default. */
const YARN = { betaFast: 32, betaSlow: 1, truncate: true };

/** The numbers in which a scaling differs, where its type is the model's. @param {any} got @param {any} own */
function otherScaling(got, own) {
  if (!got || got.type !== own?.type) return [];
  const [is, should] = [got, own].map((one) => (got.type === "yarn" ? { ...YARN, ...one } : one));
  return Object.keys(is)
    .filter((name) => name in should && !Array.isArray(is[name]) && is[name] !== should[name])
    .map((name) => `scaling ${name} ${is[name]}, not ${should[name]}`);
}

/**
 * Of a layer that does not rotate.
 * @param {string} path @param {Port} port @param {Model} model @param {string} kind @param {RotationAnswer | undefined} measured
 */
function stillLayer(
  path,
  { names, shape, positions, kind: of, arrays },
  { type, warnings },
  kind,
  measured,
) {
  const isStill = of === "vectors" && arrays[0].every((x, i) => x === arrays[1][i]);
  const slip = "a layer that does not rotate is rotated";
  const verdict = isStill ? "own" : measured?.kind === "rope" ? "slip" : "none";
  const said = {
    own: ["fits: this layer does not rotate"],
    slip: ["differs: this layer does not rotate", `likely slip: ${slip}`],
    none: ["differs: this layer does not rotate", "no known slip explains it"],
  };
  const lines = [
    `${path}: ${names.join(" and ")}, ${sizes(shape)}`,
    `${type}: no rotation in ${kind === "" ? "any layer" : `layers of the kind ${kind}`}`,
    ...doubts(warnings),
    ...said[verdict],
    ...(measured && !isStill ? [`measured: ${measured.sentence}`] : []),
  ];
  const data = {
    arrays: names,
    shape,
    warnings,
    verdict,
    own: null,
    closest: null,
    isOtherAxis: false,
    positions: { first: positions[0], last: positions[positions.length - 1] },
    model: { type, kind, dim: 0 },
    fitting: verdict === "slip" ? [{ slips: [slip] }] : [],
    measured: measured ?? null,
    alsoEqual: measured?.kind === "rope" ? measured.alsoEqual : [],
  };
  return { data, lines, code: isStill ? 0 : 1 };
}

const HEADS_AFTER = "  heads come after positions in these vectors: check again with --heads-after";
const HEADS_BEFORE =
  "  heads come before positions in these vectors: check again without --heads-after";

/**
 * The rotation of a layer, and those of other layers.
 * @param {Model} model @param {number | undefined} layer
 */
function rotationOf(model, layer) {
  const all = rotaryOf(model);
  const { layerKinds } = model.positions;
  if (layer !== undefined && layer >= model.layers) {
    throw new UsageError(`--layer must be less than ${model.layers}; got ${layer}`);
  }
  const byDefault = all.full_attention
    ? "full_attention"
    : Object.keys(all).find((kind) => all[kind]);
  const kind = (layer === undefined ? undefined : layerKinds?.[layer]) ?? byDefault ?? "";
  const rotary = all[kind] ?? null;
  const entries = Object.entries(all).filter(([other, one]) => other !== kind && one !== null);
  return {
    rotary,
    kind,
    others: /** @type {Record<string, Rotary>} */ (Object.fromEntries(entries)),
  };
}

/**
 * @param {RopeModules} modules @param {Port} port @param {Convention} own @param {Slip[]} slips
 * @returns {Verdict}
 */
function judge(modules, port, own, slips) {
  const [precision] = /** @type {const} */ (["exact", "torch"])
    .map((precision) => ({ precision, fit: compare(modules, port, { ...own, precision }) }))
    .sort((a, b) => (a.fit?.score ?? 0) - (b.fit?.score ?? 0))
    .map(({ precision }) => precision);
  const fit = compare(modules, port, { ...own, precision }, true);
  const seen = new Set([signature(modules, port, own)]);
  /** Conventions that are not among those before. @param {Slip[][]} all */
  const tried = (all) =>
    all.flatMap((made) => {
      const convention = { ...own, ...Object.assign({}, ...made.map(({ sets }) => sets)) };
      const known = signature(modules, port, convention);
      const found = seen.has(known) ? undefined : compare(modules, port, convention);
      seen.add(known);
      return found ? [{ slips: made.map(({ name }) => name), convention, fit: found }] : [];
    });
  const fits = (/** @type {Tried[]} */ all) => all.filter(({ fit }) => fit.score <= 1);
  // Compared as a whole, so that a row between those that were tried counts too.
  const fitWhole = (/** @type {Tried[]} */ all) =>
    fits(
      fits(all).map((one) => ({
        ...one,
        fit: compare(modules, port, one.convention, true) ?? one.fit,
      })),
    );
  if (fit && fit.score <= 1) {
    // Of the same convention in another precision, the port's numbers say enough.
    const major = slips.filter(({ isMinor }) => !isMinor);
    const fitting = fitWhole(tried(major.map((slip) => [slip])));
    return { verdict: fitting.length > 0 ? "undecided" : "own", own: fit, precision, fitting };
  }
  const singles = tried(slips.map((slip) => [slip]));
  const doubles = fits(singles).length > 0 ? [] : tried(pairsOf(slips));
  const all = [...singles, ...doubles];
  const fitting = fitWhole(all);
  if (fitting.length > 0) {
    return { verdict: fitting.length === 1 ? "slip" : "undecided", own: fit, fitting };
  }
  const best = all.sort((a, b) => a.fit.largest - b.fit.largest).at(0);
  const whole = best && compare(modules, port, best.convention, true);
  const near = best && { ...best, fit: whole ?? best.fit };
  const closest = near && near.fit.largest < CLOSER * (fit?.largest ?? Infinity) ? near : undefined;
  return { verdict: "none", own: fit, fitting, closest };
}

/** Slips that change different things, two at a time. @param {Slip[]} slips */
function pairsOf(slips) {
  return slips.flatMap((one, i) =>
    slips
      .slice(i + 1)
      .filter(({ sets }) => Object.keys(sets).every((key) => !(key in one.sets)))
      .map((two) => [one, two]),
  );
}

/**
 * What a port of this kind shows of a convention: conventions with the same are one.
 * @param {RopeModules} modules @param {Port} port @param {Convention} convention
 */
function signature(modules, { kind, columns }, convention) {
  const { dim, start, layout, offset, isSwapped, sign, isStill, rounding } = convention;
  const { frequencies, factor } = spectrumOf(modules, convention);
  const showsLayout = dim > 2 && (kind === "vectors" || columns !== dim / 2);
  const angle = isStill ? [] : [offset, sign, rounding, factor, String(frequencies)];
  return JSON.stringify([dim, start, showsLayout && layout, isSwapped, isStill, ...angle]);
}

/** @param {string} path @param {Port} port @param {Model} model @param {Convention} own */
function heading(path, { names, shape, dtype, precision, positions }, { type, warnings }, own) {
  const scaling = own.scaling ? scalingWords(own.scaling) : "no scaling";
  const rounded = precision === "float32" || precision === dtype ? "" : `, rounded to ${precision}`;
  const range = `positions ${count(positions[0])} to ${count(positions[positions.length - 1])}`;
  return [
    `${path}: ${names.join(" and ")}, ${sizes(shape)}, ${dtype}${rounded}, ${range}`,
    `${type}: ${own.dim} columns rotate, ${own.layout}, base ${count(own.base)}, ${scaling}`,
    ...doubts(warnings),
  ];
}

/** @param {Fit} fit */
function placeOf({ largest, at }) {
  const pair = at.pair === null ? "a column that does not rotate" : `pair ${at.pair}`;
  return `${short(largest)} (${at.array}, position ${short(at.position)}, ${pair})`;
}

/** @param {string[]} slips */
const joined = (slips) => slips.join(", and ");

/** @param {Port} port @param {Convention} own @param {Verdict} found */
function verdictLines({ kind, columns }, { dim }, { verdict, own, precision, fitting, closest }) {
  const isNarrow = kind === "table" && columns === dim / 2 && dim > 2;
  const note = isNarrow ? ["  the layout does not show in these columns"] : [];
  if (verdict === "own" && own) {
    const near = own.largest === 0 ? "no difference" : `largest difference ${placeOf(own)}`;
    return [`fits: the model's own convention, with ${precision} steps; ${near}`, ...note];
  }
  const list = fitting.map(({ slips, fit }) => `  ${joined(slips)}: ${placeOf(fit)}`);
  if (verdict === "undecided") {
    const all = own && own.score <= 1 ? [`  the model's own: ${placeOf(own)}`, ...list] : list;
    const why = "several conventions fit these numbers; more positions, or q and q_rotated, decide";
    return [`undecided: ${why}`, ...all];
  }
  const off = own
    ? `differs: largest difference from the model's own convention ${placeOf(own)}`
    : `differs: ${columns} columns are not those of the model`;
  if (verdict === "slip") {
    return [off, `likely slip: ${joined(fitting[0].slips)}; ${rest(fitting[0])}`, ...note];
  }
  const near = closest ? [`  closest: ${joined(closest.slips)}: ${placeOf(closest.fit)}`] : [];
  return [off, "no known slip explains it", ...near];
}

/** @param {Tried} tried */
const rest = ({ fit }) =>
  fit.largest === 0 ? "with it no difference" : `with it largest difference ${placeOf(fit)}`;

/** @param {Port} port @param {Model} model @param {Convention} own @param {Verdict} found */
function dataOf({ names, shape, dtype, precision, positions }, { type, warnings }, own, found) {
  const { dim, layout, base, scaling } = own;
  const summary = (/** @type {Tried} */ { slips, fit }) => ({
    slips,
    largest: fit.largest,
    at: fit.at,
  });
  return {
    arrays: names,
    shape,
    dtype,
    rounding: precision,
    positions: { first: positions[0], last: positions[positions.length - 1] },
    model: { type, dim, layout, base, scaling: scaling ?? null },
    warnings,
    verdict: found.verdict,
    own: found.own
      ? {
          fits: found.own.score <= 1,
          largest: found.own.largest,
          at: found.own.at,
          ...(found.precision && { precision: found.precision }),
        }
      : null,
    fitting: found.fitting.map(summary),
    closest: found.closest ? summary(found.closest) : null,
  };
}
