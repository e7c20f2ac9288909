/** @import { Core } from "../../../runtime/wasm.js" */
/** @import { OptionsOf } from "../../../runtime/options.js" */
/** @import { Positions } from "../../../runtime/positions.js" */
/** @import { RotaryOut } from "../axial_rope/rotary.js" */
/** @import { RotaryTable } from "./rope.js" */
/** @import { Scaling } from "./scaling.js" */
import * as arrays from "../../../runtime/arrays.js";
import * as check from "../../../runtime/check.js";
import { checkStatus } from "../../../runtime/errors.js";
import * as option from "../../../runtime/options.js";
import { tabulate } from "../../../runtime/phase.js";
import { readPositions } from "../../../runtime/positions.js";
import { output } from "../../../runtime/result.js";
import { readSpectrum } from "./scaling.js";

/**
 * Unused floats between the cosines and the sines of a tile: at a distance of a power of two both map to
 * the same cache sets, at half the speed.
 */
const GAP = 272;

export const SPECTRUM = () => ({
  /** theta_i = base^(-2i/R). Llama 3 uses 500000. Default: 10000. */
  base: option.number({ min: 1 }),
  /** `exact` rounds the formula once. `torch` follows PyTorch's float32 steps. */
  precision: option.choice(["exact", "torch"]),
  /** How `torch` forms frequencies in float32: by a power, as HF does, or by an exponential. */
  recipe: option.choice(["pow", "exp"]),
  /** The scaling of frequencies for contexts longer than that of training, such as `{ type: "linear", factor: 4 }`. Default: none. */
  scaling: option.value(/** @type {Scaling | undefined} */ (undefined)),
});

export const TABLE = option.optionSet(() => ({
  ...SPECTRUM(),
  /** The length of the sequence, used by `dynamic` and `longrope` scaling. Default: the largest position + 1. */
  length: option.integer({ min: 0 }),
  /** Frequencies [R/2] in radians per token to use instead of those of base and scaling: |position * frequency| <= 2^31. */
  frequencies: option.tensor(),
  /** Added to every position. */
  offset: option.number({ default: 0 }),
  /** Two arrays {cos, sin} that are filled instead of new ones. */
  out: option.outParts(/** @type {RotaryOut | undefined} */ (undefined)),
}));

/**
 * `rope.table`, for what uses nothing else of the module.
 * @param {Core} core @param {Positions} lengthOrPositions @param {number} dim
 * @param {OptionsOf<typeof TABLE>} options
 * @returns {RotaryTable}
 */
export function tableOf(core, lengthOrPositions, dim, options) {
  const read = TABLE.view(options);
  const { offset, out } = read;
  const positions = readPositions(lengthOrPositions, offset);
  read.length ??= Math.max(0, positions.last + 1);
  const spectrum = readSpectrum(core, dim, read);
  const { pairs: P, steps, attentionFactor: factor } = spectrum;
  const shape = positions.shape.length === 1 ? [positions.count, P] : [...positions.shape, P];
  const into = check.parts(out, ["cos", "sin"]);
  const cos = output(into && (into.cos ?? null), shape, "out.cos");
  const sin = output(into && (into.sin ?? null), shape, "out.sin");
  if (cos.given && sin.given && arrays.shares(cos.given, sin.given)) {
    throw new RangeError("out.sin must share no memory with out.cos; got the same");
  }
  tabulate(core, spectrum, positions, { width: 2 * P, extra: GAP }, (tile) => {
    const { positions, from, count, workspace, size, at } = tile;
    const first = count * P + GAP;
    checkStatus(
      core.raw.rope_table(positions, count, P, steps, factor, workspace, size, at, first),
    );
    cos.take(core, at, count * P, from * P);
    sin.take(core, at + first * 4, count * P, from * P);
  });
  return { cos: cos.done(), sin: sin.done() };
}
