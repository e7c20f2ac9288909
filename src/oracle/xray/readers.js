/** What other programs make of a configuration that they read in another way. */

/** @import { Rotary } from "../../models/index.js" */
/** @import { Phasor } from "../../index.js" */
/** @import { Kind } from "./kinds.js" */
import { isLengthened } from "./kinds.js";
import { rotated, shareOf } from "./shares.js";

/**
 * A way to misread a configuration.
 * @typedef {object} OtherReader
 * @property {"scaling" | "base" | "sliding" | "nope" | "inverted" | "width" | "part" | "layout"} reader  its name here
 * @property {string} does  what the program does, for people
 * @property {readonly {kind: string, layers: number, trained: number, asked: number}[]} kinds  which layers it changes, and
 *   the share of the dot product that is left over the farthest distance of training and of the asked length
 * @property {number} [scores]  by what the scores are multiplied besides
 */

/** The base of programs that find none. */
const BASE = 10000;

/** @param {Rotary} rotary @param {Partial<Rotary["options"]>} options @returns {Rotary} */
const changed = (rotary, options) => ({ ...rotary, options: { ...rotary.options, ...options } });

/** The same without its scaling. @param {Rotary} rotary @returns {Rotary} */
const plain = (rotary) => ({ ...rotary, options: { base: rotary.options.base } });

/** The part of a head that `proportional` rotates. @param {Rotary} rotary */
const partOf = ({ dim, options: { scaling } }) =>
  scaling?.type === "proportional" ? 2 * Math.floor((scaling.partialRotaryFactor * dim) / 2) : 0;

/**
 * What a reader makes of a kind of layer: null that it does not rotate, nothing where it reads it as it is.
 * @typedef {{reader: OtherReader["reader"], does: string, of: (kind: Kind) => Rotary | null | undefined | false}} Way
 */

/** @param {readonly Kind[]} kinds @param {number | null | undefined} base @returns {Way[]} */
function waysOf(kinds, base) {
  const turning = kinds.filter(({ rotary }) => rotary);
  const scaled = turning.find(({ rotary }) => isLengthened(rotary))?.rotary;
  const model = scaled ?? turning[0]?.rotary;
  const isStill = (/** @type {Kind} */ { rotates, attends }) => !rotates && attends;
  const top = base ?? BASE;

  return [
    {
      reader: "scaling",
      does: "ignores the scaling",
      of: ({ rotary }) => rotary && isLengthened(rotary) && plain(rotary),
    },
    {
      reader: "base",
      does: base ? "takes rope_theta for every layer" : "finds no rope_theta and takes 10,000",
      of: ({ rotary }) =>
        base !== undefined &&
        rotary &&
        rotary.options.base !== top &&
        changed(rotary, { base: top }),
    },
    {
      reader: "sliding",
      does: "applies the scaling to every layer",
      of: ({ rotary }) =>
        rotary &&
        !rotary.options.scaling &&
        scaled?.dim === rotary.dim &&
        changed(rotary, { scaling: scaled.options.scaling }),
    },
    {
      reader: "nope",
      does: "rotates the layers that have no rotation",
      of: (kind) => isStill(kind) && model,
    },
    {
      reader: "inverted",
      does: "inverts the mask of layers without rotation",
      of: (kind) => kinds.some(isStill) && (isStill(kind) ? model : kind.rotary && null),
    },
    {
      reader: "width",
      does: "rotates the whole head",
      of: ({ rotary, width, latent }) =>
        rotary &&
        (partOf(rotary)
          ? plain(rotary)
          : !latent &&
            rotary.start === undefined &&
            rotary.dim < width &&
            rotary.options.scaling?.type !== "longrope" && { ...rotary, dim: width }),
    },
    {
      reader: "part",
      does: "takes the rotated part of a head for its width",
      of: ({ rotary }) => rotary && partOf(rotary) > 0 && { ...plain(rotary), dim: partOf(rotary) },
    },
    {
      reader: "layout",
      does: "pairs the columns in the other layout",
      of: ({ rotary }) =>
        rotary &&
        rotary.dim > 2 && {
          ...rotary,
          layout: rotary.layout === "halves" ? "interleaved" : "halves",
        },
    },
  ];
}

/**
 * @param {Phasor} phasor @param {readonly Kind[]} kinds
 * @param {{length: number, base?: number | null}} of  `base`: at the top level of the file; null: none; undefined: not seen
 * @returns {OtherReader[]}
 */
export function readersOf(phasor, kinds, { length, base }) {
  return waysOf(kinds, base).flatMap(({ reader, does, of }) => {
    const found = kinds.flatMap((kind) => {
      const other = of(kind);
      if (other === undefined || other === false) return [];
      const { width, layers } = kind;
      const at = [kind.trainedReach, kind.reach];
      const both = [kind.rotary, other ?? undefined].map((one) =>
        rotated(phasor, one, at, { width, length }),
      );
      const [trained, asked] = shareOf(both[0], both[1]);
      return [{ kind: kind.kind, layers, trained, asked }];
    });
    const factor = kinds.find(({ rotary }) => isLengthened(rotary))?.attentionFactor ?? 1;
    const scores = reader === "scaling" && factor !== 1 && { scores: 1 / factor ** 2 };
    return found.length === 0 ? [] : [{ reader, does, kinds: found, ...scores }];
  });
}
