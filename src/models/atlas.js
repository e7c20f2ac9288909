/** The table of families as data, for those who want to show or search it. */

/** @import { Family, Tokens } from "./families.js" */
import { FAMILIES } from "./families.js";
import { reader } from "./keys.js";
import { PRESETS, UNREAD } from "./presets.js";
import { layoutOf, ofKind } from "./rotary.js";
import { latentWidths } from "./widths.js";

/**
 * What phasor knows of one family.
 * @typedef {object} AtlasEntry
 * @property {string} family  the `model_type` of its config.json
 * @property {string} scheme  as `positions.scheme` of a description
 * @property {"halves" | "interleaved"} [layout]  of RoPE, unless the configuration names another
 * @property {number} [base]  of RoPE, if the configuration names none
 * @property {number} [partial]  the rotated part of a head, if the configuration names none; undefined where it must
 * @property {string} [preset]  which rows of its table or sinusoids a model takes
 * @property {string} [notComputed]  what the model does and phasor does not compute
 * @property {string[]} traps  what implementations get wrong, a sentence each
 * @property {string[]} [models]  names of `models.names` of this family
 * @property {string[]} [unread]  models that have no such name: no public copy of their config.json was read
 */

/**
 * Lists the families that `models.fromConfig` knows.
 *
 * @returns {AtlasEntry[]} in the order of their names
 * @see Hugging Face transformers, models: `npm run x -- test:atlas` compares the entries with that code, where it
 *   can be run alone
 * @example
 * atlas().find(({ family }) => family === "cohere2")
 * // {
 * //   family: "cohere2",
 * //   scheme: "rope",
 * //   layout: "interleaved",
 * //   base: 10000,
 * //   partial: 1,
 * //   traps: ["Layers of the kind full_attention do not rotate."],
 * //   models: ["command-r7b"],
 * //   unread: ["CohereLabs/c4ai-command-a-03-2025"],
 * // }
 */
export function atlas() {
  /** @type {Map<unknown, string[]>} */
  const models = new Map();
  for (const [name, { config }] of Object.entries(PRESETS)) {
    const { model_type: family } = config;
    models.set(family, [...(models.get(family) ?? []), name]);
  }
  // A whole whose part for text has another family is none that is described.
  const described = [...FAMILIES].filter(([, of]) => of.scheme !== "unknown" || of.why);
  const entries = described.map(([family, of]) => ({
    ...entryOf(family, of),
    ...(models.has(family) && { models: models.get(family) }),
    ...(Object.hasOwn(UNREAD, family) && { unread: [...UNREAD[family]] }),
  }));
  const key = (/** @type {AtlasEntry} */ { family }) => family.toLowerCase();
  return entries.sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

/** @param {string} family @param {Family} all @returns {AtlasEntry} */
function entryOf(family, all) {
  const of = ofKind(all, "full_attention");
  const { scheme, theta = 10000, preset, why, tokens } = of;
  const partial = partOf(family, of);
  const notComputed = why ?? (typeof tokens === "string" ? tokens : tokens?.unknown);
  return {
    family,
    scheme,
    ...(scheme === "rope" && {
      layout: layoutOf(reader({}, {}), of), // of a configuration that says nothing
      base: theta,
      ...(partial !== undefined && { partial }),
    }),
    ...(preset !== undefined && { preset }),
    ...(notComputed !== undefined && { notComputed }),
    traps: trapsOf(of),
  };
}

/** @param {string} family @param {import("./rotary.js").OfKind} of */
function partOf(family, { partial, rotated }) {
  const widths = latentWidths(family);
  if (!widths) return partial ?? (rotated === undefined ? 1 : undefined);
  const { qk_rope_head_dim: turned, qk_nope_head_dim: rest } = widths;
  return turned / (turned + rest);
}

const COUNTED = "Positions count from the id of padding + 1, by the tokens that are not padding.";
const SHIFTED = "Position t has row t + 2.";

const COUNTED_CELLS =
  "Positions count the cells that are not padding (sincosGrid.masked), and attention adds their rows in every layer.";

/** Which rows the presets take. @type {Readonly<Record<string, string>>} */
const ROWS = Object.freeze({
  roberta: COUNTED,
  fairseq: COUNTED,
  opt: `${SHIFTED} Positions count by the attention mask.`,
  bart: SHIFTED,
  xglm: SHIFTED,
  detr: COUNTED_CELLS,
  deformable_detr: COUNTED_CELLS,
  marian: "Sines are the first half of a row, cosines the second.",
});

/** @param {Family} of @returns {string[]} */
function trapsOf({
  unrotated,
  unrotatedIf,
  scaled,
  localBases,
  bases,
  trailing,
  inverse,
  temperature,
  ...of
}) {
  const tokens = typeof of.tokens === "object" ? of.tokens : {};
  const kinds = (/** @type {readonly string[]} */ names) => names.join(" and ");
  const sentences = [
    unrotated &&
      `Layers of the kind ${kinds(unrotated)} do not rotate${unrotatedIf ? ", by the configuration" : ""}.`,
    of.layers?.mask && "Some layers do not rotate (NoPE).",
    scaled && `Scaling applies to layers of the kind ${kinds(scaled)} alone.`,
    localBases && `Bases differ by the kind of layer: ${Object.values(localBases).join(", ")}.`,
    bases && `${bases} has the base of each layer; 0 means that it does not rotate.`,
    of.switches &&
      `Layers with 0 in ${of.switches} do not rotate; rope_theta is the base of the others.`,
    of.alpha && "Dynamic scaling with the key alpha is a larger base, at every length.",
    trailing && "The last columns of a head rotate.",
    inverse && "Queries and keys rotate by minus the angle.",
    temperature &&
      of.scheme === "rope" &&
      "Queries of layers without rotation are scaled by their position.",
    of.axes && "Patches rotate by time, row and column.",
    of.besides && (of.scheme === "t5Bias" ? `Scores have ${of.besides}.` : `Patches have ${of.besides}, too.`), // prettier-ignore
    of.boxes && "Words have rows of their boxes on the page, too.",
    of.scaledBias && "Relative biases are divided by the square root of the head's width.",
    of.network && "A network computes the bias; windows are no larger than the picture of a stage.",
    of.scheme === "transformerXL" &&
      "The scores of attention have products with vectors of equal and of different token types, too.",
    of.pooled && "Blocks of layers halve the text: distances within them double.",
    of.relative && `The scores of attention have the relative bias of ${of.relative}, too.`,
    of.scheme === "none" &&
      of.prefix &&
      "Most files have a bias of the picture's window in attention, or a table of positions.",
    of.padded ? "Positions count cells of padding, too." : of.preset && ROWS[of.preset],
    ...tokenTraps(tokens),
  ];
  return sentences.filter((sentence) => typeof sentence === "string");
}

/** @param {Tokens} tokens */
function tokenTraps({ scale, scaleDefault, rounds, normEps, normKind, projection, ...of }) {
  const { perLayer, normIf, masked } = of;
  return [
    masked !== undefined &&
      "If token_dropout is true, rows of the mask are 0 and others are multiplied by 0.88 T / (T - masks).",
    perLayer !== undefined && "Every layer gets rows of a further table besides its input.",
    scale === true &&
      `Words are multiplied by sqrt(D)${rounds ? ", rounded to the dtype of the weights" : ""}.`,
    typeof scale === "string" && scaleDefault === undefined && `Words are multiplied by ${scale}.`,
    scaleDefault !== undefined && `Words are multiplied by sqrt(D) if ${String(scale)} is true.`,
    normEps !== undefined &&
      `${normKind ? "An RMSNorm" : "A LayerNorm"} follows the sum${normIf ? ` if ${normIf} is true` : ""}.`,
    projection !== undefined && "The table of words is factorized: a linear layer widens its rows.",
  ];
}
