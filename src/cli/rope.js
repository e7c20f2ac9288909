/** phasor rope: the rotary frequencies of a model, and what an engine that ignores its scaling gets. */
import { trainedFrequencies } from "../oracle/xray/trained.js";
import { Tensor } from "../runtime/tensor.js";
import { UsageError, whole } from "./arguments.js";
import { count, doubts, short, some } from "./output.js";
import { describeModel, HUB } from "./source.js";
import { writeArrays } from "./write.js";
import { readerLines } from "./xray.js";

/**
 * @import { Model, Rotary } from "../models/config.js"
 * @import { RopeModules } from "../positional/rotary/rope/index.js"
 */

const TURN = 2 * Math.PI;

/** The most cosines and sines that are written: 512 MB. */
const MOST_NUMBERS = 2 ** 27;

/** @type {import("./arguments.js").Command} */
export const rope = {
  name: "rope",
  operands: "CONFIG",
  least: 1,
  most: 1,
  does: "base, layout and scaling, and what ignoring the scaling does",
  options: {
    length: {
      type: "string",
      value: "N",
      text: "positions of the text; what the model was made for by default",
    },
    npz: {
      type: "string",
      value: "FILE",
      text: "write cos, sin [T, P], positions [T] and inv_freq [P] of all positions of the text",
    },
    ...HUB,
  },
  async run({ operands, options }) {
    const model = await describeModel(operands[0], options);
    const rotary = rotaryOf(model);
    const length = whole(options.length, "--length") ?? model.positions.length;
    if (length === undefined) {
      throw new UsageError("--length must be given for a model that states none; got none");
    }
    const { load } = await import("../index.js");
    const modules = await load();
    const { layerKinds, length: trained } = model.positions;
    // The code of families without latents leaves the scores alone, whatever the file says.
    const hasLatents = model.cache?.some(({ latent }) => latent) === true;
    const kinds = Object.entries(rotary).map(([kind, one]) => {
      const layers = layerKinds
        ? layerKinds.filter((other) => other === kind).length
        : model.layers;
      return { kind, layers, ...(one && spectrum(modules, one, { length, trained, hasLatents })) };
    });
    const written =
      options.npz === undefined
        ? []
        : [await writeArrays(options.npz, tablesOf(modules, rotary, length))];
    const { xray } = await import("../oracle/xray/index.js");
    const { readers } = await xray(model, { length, phasor: modules });
    const { type, headDim, warnings } = model;
    const lines = [
      `${type}, ${some(length, "position")}`,
      ...doubts(warnings),
      ...kinds.flatMap(linesOf),
      ...readerLines(readers),
      ...written,
    ];
    return { data: { type, headDim, length, kinds, readers, warnings }, lines };
  },
};

/** @param {Model} model @returns {Record<string, Rotary | null>} */
export function rotaryOf({ positions: { rotary, scheme, reasons } }) {
  if (rotary) return rotary;
  const why = reasons ? `: ${reasons.join(" ")}` : "";
  throw new RangeError(`the model must use rotary embeddings; got scheme "${scheme}"${why}`);
}

/**
 * @param {RopeModules} modules @param {Rotary} rotary
 * @param {{length: number, trained: number | undefined, hasLatents: boolean}} of  positions of the text, and of the
 *   configuration; whether attention is by latents, as DeepSeek's
 */
function spectrum(modules, rotary, { length, trained, hasLatents }) {
  const { rope } = modules;
  const { dim, layout, options, inverse, start, multimodal } = rotary;
  const { base } = options;
  const scaling = /** @type {any} */ (options.scaling);
  const own = rope.frequencies(dim, { base, ...(scaling && { scaling }), length });
  const plain = rope.frequencies(dim, { base }).frequencies.data;
  const { data } = own.frequencies;
  const trainedLength = scaling?.originalLength ?? scaling?.maxLength ?? trained ?? length;
  let [pair, turns] = [0, 0];
  for (const [i, frequency] of data.entries()) {
    const off = (Math.abs(frequency - plain[i]) * (length - 1)) / TURN;
    if (off > turns) [pair, turns] = [i, off];
  }
  const wavelengths = (/** @type {Float32Array} */ of) => ({
    first: TURN / of[0],
    last: TURN / of[of.length - 1],
  });
  return {
    dim,
    layout,
    base,
    scaling: scaling ?? null,
    pairs: data.length,
    ...(inverse && { inverse }),
    ...(start !== undefined && { start }),
    ...(multimodal && { multimodal }),
    attentionFactor: own.attentionFactor,
    softmaxFactor: hasLatents ? own.softmaxFactor : 1,
    wavelengths: wavelengths(data),
    wavelengthsUnscaled: wavelengths(plain),
    trainedLength,
    pairsUnderOneTurn: trainedFrequencies(modules, rotary, trainedLength).filter(
      (frequency) => frequency * (trainedLength - 1) < TURN,
    ).length,
    ignored: scaling ? { pair, turns, attentionFactor: 1 } : null,
  };
}

/**
 * The tables of all positions of a text. Where kinds of layers rotate in different ways, a kind's name is before each.
 * @param {RopeModules} modules @param {Record<string, Rotary | null>} rotary @param {number} length
 * @returns {Record<string, Tensor>}
 */
function tablesOf({ rope }, rotary, length) {
  const kinds = Object.entries(rotary).flatMap(([kind, one]) => (one ? [{ kind, one }] : []));
  const pairs = kinds.reduce((sum, { one }) => sum + one.dim / 2, 0);
  if (2 * pairs * length > MOST_NUMBERS) {
    const most = Math.floor(MOST_NUMBERS / (2 * pairs));
    const rule = `--length must be at most ${count(most)} with --npz, for a file of 512 MB`;
    throw new RangeError(`${rule}; got ${count(length)}`);
  }
  const positions = new Tensor(
    Int32Array.from({ length }, (_, t) => t),
    [length],
  );
  const all = kinds.map(({ kind, one }) => {
    const { dim, options } = one;
    const scaling = /** @type {any} */ (options.scaling);
    const settings = { base: options.base, ...(scaling && { scaling }), length };
    const { frequencies } = rope.frequencies(dim, settings);
    const { cos, sin } = rope.table(length, dim, settings);
    const before = kinds.length > 1 ? `${kind}.` : "";
    return {
      [`${before}cos`]: cos,
      [`${before}sin`]: sin,
      [`${before}inv_freq`]: frequencies,
    };
  });
  return Object.assign({ positions }, ...all);
}

/** @param {{kind: string, layers: number} & Partial<ReturnType<typeof spectrum>>} of */
function linesOf({ kind, layers, ...of }) {
  const title = `  ${kind}${layers ? `, ${some(layers, "layer")}` : ""}`;
  const found = /** @type {ReturnType<typeof spectrum>} */ (of);
  if (found.dim === undefined) return [`${title}: no rotation`];
  const { dim, layout, base, scaling, pairs, wavelengths, trainedLength, ignored } = found;
  const { first, last } = wavelengths;
  const lines = [
    `${title}: base ${count(base)}, ${layout}, ${dim} columns rotate, ${some(pairs, "pair")}`,
    `    scaling: ${scaling ? scalingWords(scaling) : "none"}, attention factor ${short(found.attentionFactor)}`,
    `    wavelengths: ${short(first)} positions of the first pair, ${short(last)} of the last`,
    `    in the original ${count(trainedLength)} positions ${some(found.pairsUnderOneTurn, "pair")} ${found.pairsUnderOneTurn === 1 ? "turns" : "turn"} less than once`,
  ];
  if (!ignored) return lines;
  const factor = found.attentionFactor === 1 ? "" : ", and its cosines and sines lack the factor";
  lines.push(
    ignored.turns === 0
      ? `    an engine that ignores the scaling gets the same angles here${factor}`
      : `    an engine that ignores the scaling is off by up to ${short(ignored.turns)} turns at the last position (pair ${ignored.pair})${factor}`,
  );
  return lines;
}

/** @param {{type: string, [option: string]: unknown}} scaling */
export function scalingWords({ type, factor, originalLength, maxLength }) {
  const from = originalLength ?? maxLength;
  const times = typeof factor === "number" ? ` x${short(factor)}` : "";
  return `${type}${times}${typeof from === "number" ? ` from ${count(from)}` : ""}`;
}
