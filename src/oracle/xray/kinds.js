/** What the pairs of each kind of layer go through. */

/** @import { Model, Rotary } from "../../models/index.js" */
/** @import { Phasor } from "../../index.js" */
import { rotated, shareOf } from "./shares.js";
import { trainedFrequencies } from "./trained.js";

/**
 * A pair of columns, which rotate together.
 * @typedef {object} Pair
 * @property {number} frequency  radians per token at the asked length
 * @property {number} seen  turns over the farthest distance of training
 * @property {number} turns  turns over the farthest distance at the asked length
 * @property {number} unscaled  the same without the scaling
 * @property {"seen" | "mapped" | "new" | "still"} state  `seen`: every angle occurs in the original length; `mapped`: the
 *   scaling keeps it within those; `new`: it meets angles that do not; `still`: it does not rotate
 * @property {number} fresh  the share of the circle that does not occur in the original length and is met now
 */

/**
 * Layers that rotate alike and see equally far.
 * @typedef {object} Kind
 * @property {string} kind  as in `positions.layerKinds`; without those, `sliding_attention` where there is a window
 * @property {number} layers  how many
 * @property {boolean} rotates  queries and keys
 * @property {boolean} attends  to tokens of the text: not so in layers of convolution, of a state, of pictures
 * @property {number | null} [window]  tokens that a query sees, with its own; null: not known. Default: all
 * @property {number} reach  the farthest distance for the token that follows a text of the asked length
 * @property {number} trained  the original length: that before any scaling, or the configuration's own. Training may have
 *   gone on beyond it
 * @property {number} trainedReach  the farthest distance there
 * @property {number} width  of a head
 * @property {boolean} latent  whether the rotated columns are apart from a latent
 * @property {Rotary} [rotary]  how it rotates
 * @property {number} attentionFactor  of cosines and sines
 * @property {readonly Pair[]} pairs  in the order of their frequencies; none where nothing rotates
 * @property {{positions: readonly number[], left: readonly number[]}} [ignored]  the share of the dot product that is left
 *   where a program ignores the scaling
 */

const TURN = 2 * Math.PI;

/** Kinds of layers that do not attend to tokens of the text. */
const BESIDES = /^(?:linear|lightning|cross)_|^(?:conv|mamba|recurrent|moe|mlp)/;

/** Kinds of layers that see the same window in training and later, where its size is not known, too. */
const LOCAL = /sliding|local|chunk/;

/** Scalings for texts longer than those of training. */
const LENGTHENS = new Set(["linear", "dynamic", "ntk", "yarn", "longrope", "llama3"]);

/** @param {Rotary} [rotary] */
export const isLengthened = (rotary) => LENGTHENS.has(rotary?.options.scaling?.type ?? "");

/** @param {Phasor} phasor @param {Model} model @param {number} length @returns {Kind[]} */
export function kindsOf(phasor, model, length) {
  const { rotary, layerKinds } = model.positions;
  if (!rotary) return [];
  return Object.entries(rotary).flatMap(([kind, one]) => {
    const cached = (model.cache ?? []).filter((of) => of.kind === kind);
    const layers = layerKinds ? layerKinds.filter((of) => of === kind).length : model.layers;
    const groups = new Map(cached.map(({ window }) => [window, 0]));
    for (const { window, layers } of cached) groups.set(window, (groups.get(window) ?? 0) + layers);
    if (groups.size === 0) groups.set(undefined, layers);
    return [...groups].map(([window, layers]) =>
      kindOf(phasor, model, {
        kind: !layerKinds && window && kind === "full_attention" ? "sliding_attention" : kind,
        layers,
        window,
        length,
        rotary: one ?? undefined,
        latent: cached.some(({ latent }) => latent),
      }),
    );
  });
}

/**
 * @param {Phasor} phasor @param {Model} model
 * @param {{kind: string, layers: number, window?: number | null, rotary?: Rotary, length: number, latent: boolean}} of
 * @returns {Kind}
 */
function kindOf(phasor, { headDim, positions }, { rotary, length, window, ...of }) {
  const scaling = /** @type {any} */ (rotary?.options.scaling);
  const trained = scaling?.originalLength ?? scaling?.maxLength ?? positions.length ?? length;
  const farthest = (window ?? (LOCAL.test(of.kind) ? trained + 1 : Infinity)) - 1;
  const [reach, trainedReach] = [length, trained].map((each) => Math.min(each, farthest));
  const width = Math.max(headDim, (rotary?.start ?? 0) + (rotary?.dim ?? 0));
  const whose = {
    ...of,
    rotates: rotary !== undefined,
    attends: !BESIDES.test(of.kind),
    ...(window !== undefined && { window }),
    reach,
    trained,
    trainedReach,
    width,
  };
  if (!rotary) return { ...whose, attentionFactor: 1, pairs: [] };
  const own = phasor.rope.frequencies(rotary.dim, { ...rotary.options, length });
  const before = trainedFrequencies(phasor, rotary, trained);
  const pairs = Array.from(own.frequencies.data, (frequency, i) =>
    pairOf(Number(frequency), Number(before[i]), { reach, trainedReach }),
  );
  const found = { ...whose, rotary, attentionFactor: own.attentionFactor, pairs };
  if (!isLengthened(rotary)) return found;
  const at = places(reach);
  const right = rotated(phasor, rotary, at, { width, length });
  const plain = { ...rotary, options: { base: rotary.options.base } };
  const left = shareOf(right, rotated(phasor, plain, at, { width, length }));
  return { ...found, ignored: { positions: at, left } };
}

/** A scaling by s turns over s L tokens as far as training did over L, but for rounding. */
const ROUNDING = 1e-6;

/**
 * @param {number} frequency @param {number} before  in training @param {{reach: number, trainedReach: number}} of
 * @returns {Pair}
 */
function pairOf(frequency, before, { reach, trainedReach }) {
  const seen = (before * trainedReach) / TURN;
  const turns = (frequency * reach) / TURN;
  const unscaled = (before * reach) / TURN;
  const limit = seen >= 1 ? Infinity : seen * (1 + ROUNDING);
  const within = unscaled <= limit ? "seen" : "mapped";
  const state = before === 0 ? "still" : turns <= limit ? within : "new";
  const fresh = state === "new" ? Math.min(1, turns) - seen : 0;
  return { frequency, seen, turns, unscaled, state, fresh };
}

/** Positions from 1 to the last one, closer at the beginning. @param {number} last */
function places(last) {
  const STEPS = 48;
  const all = Array.from({ length: STEPS + 1 }, (_, i) => Math.round(last ** (i / STEPS)));
  return [...new Set(all)].filter((place) => place <= last);
}
