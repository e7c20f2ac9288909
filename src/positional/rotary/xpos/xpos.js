/** @import { Tensor } from "../../../runtime/tensor.js" */
/** @import { Core } from "../../../runtime/wasm.js" */
/** @import { OptionsOf } from "../../../runtime/options.js" */
/** @import { RotaryOut } from "../axial_rope/rotary.js" */
/** @import { Positions } from "../../../runtime/positions.js" */
import * as check from "../../../runtime/check.js";
import { checkStatus } from "../../../runtime/errors.js";
import * as option from "../../../runtime/options.js";
import { stepsOf, tabulate } from "../../../runtime/phase.js";
import { readPositions } from "../../../runtime/positions.js";
import { asArray } from "../../../runtime/input.js";
import { readOut, refuseShared } from "../axial_rope/rotary.js";

/** @typedef {{cos: Tensor, sin: Tensor}} ScaledTable */

const TABLE = option.optionSet(() => ({
  /** theta_i = base^(-2i/R). */
  base: option.number({ default: 10000, min: 1 }),
  /** The distance over which the scale of pair i changes by the factor zeta_i. */
  scaleBase: option.number({ default: 512, min: 1 }),
  /** zeta_i = (2i/R + gamma) / (1 + gamma). */
  gamma: option.number({ default: 0.4, min: 1e-6, max: 1e4 }),
  /** The position c of scale 1, with n = 1 + the last position, rounded down: `torchscale` ceil(n/2); `middle` floor(n/2), as in rotary-embedding-torch and flash-attn; or a number. It cancels between queries and keys. */
  center: option.choiceOrNumber(["torchscale", "middle"], "torchscale", {
    rule: "a finite number",
    allowed: () => true,
  }),
  /** Added to every position. */
  offset: option.number({ default: 0 }),
  /** `exact` rounds the formula once. `torch` follows torchscale's float32 steps. */
  precision: option.choice(["exact", "torch"]),
  /** How `torch` forms frequencies in float32: by a power or by an exponential. */
  recipe: option.choice(["pow", "exp"]),
  /** Arrays {query, key} of {cos, sin} that are filled instead of new ones. */
  out: option.outParts(/** @type {{query: RotaryOut, key: RotaryOut} | undefined} */ (undefined)),
}));

/**
 * xPos, extrapolatable rotary embedding (Sun et al. 2022).
 * @param {Core} core
 */
export function xpos(core) {
  const { raw } = core;

  const module = {
    /**
     * Computes rotary tables for `rope.apply`, one for queries and one for keys.
     *
     *     s[t, i] = zeta_i^((position_t - c) / scaleBase),   zeta_i = (2i/R + gamma) / (1 + gamma)
     *     query:  s cos(position_t theta_i), s sin(...)      key:  cos(...) / s, sin(...) / s
     *
     * The score of a query at m and a key at n then has the factor zeta_i^((m - n) / scaleBase): it
     * decays with the distance, and c cancels if both tables have the same c. The named centers depend
     * on the length, so cached keys of a shorter sequence do not fit queries of a longer one: with a
     * cache, pass `center` as a number.
     * Layout: torchscale uses `interleaved`. Accuracy: `exact` is the product rounded once,
     * within 0.501 ULP; `torch` follows torchscale's float32 steps.
     *
     * @param {Positions} lengthOrPositions  a length T for positions 0 .. T-1, or positions of any
     *   shape: whole or fractional, negative too; so close to c that all scales are float32 numbers
     *   (35,694 with the defaults)
     * @param {number} dim  rotated width R, even
     * @param {OptionsOf<typeof TABLE>} [options]
     * @returns {{query: ScaledTable, key: ScaledTable}} float32 [..., T, R/2] each
     * @throws {TypeError | RangeError} if an argument has the wrong type or is out of range
     * @see Sun et al. 2022, A length-extrapolatable transformer, https://arxiv.org/abs/2212.10554,
     *   section 3.2; microsoft/torchscale torchscale/component/xpos_relative_position.py
     * @example
     * const { query, key } = xpos.table([512], 2, { center: 0 });
     * query.cos.at(0, 0) / key.cos.at(0, 0) // 0.08163264992334753
     */
    table(lengthOrPositions, dim, options = {}) {
      const {
        base,
        scaleBase,
        gamma,
        center: named,
        offset,
        precision,
        recipe,
        out,
      } = TABLE.read(options);
      const P = check.pairs(dim);
      const steps = stepsOf(precision, recipe);
      const spectrum = { base, n: P, pairs: P, steps };
      const isLength =
        typeof lengthOrPositions === "number" || typeof lengthOrPositions === "bigint";
      const list = isLength ? undefined : asArray(lengthOrPositions, "positions");
      const positions = readPositions(list ?? lengthOrPositions, offset);
      const [first, last] = list ? ends(list.data, offset) : [offset, offset + positions.count - 1];
      const center = centerOf(named, positions.count > 0 ? last : -1);
      if (positions.count > 0) {
        const distance = Math.max(Math.abs(first - center), Math.abs(last - center));
        const limit = raw.xpos_reach(gamma) * scaleBase;
        if (distance > limit) {
          const rule = `be within ${Math.floor(limit)} of the center, so that scales are float32 numbers`;
          throw new RangeError(`positions must ${rule}; got ${distance}`);
        }
      }

      const shape = [...positions.shape, P];
      const { query, key } = readOuts(out, shape);
      tabulate(core, spectrum, positions, { width: 4 * P }, (tile) => {
        const { from, count, workspace, size, at } = tile;
        checkStatus(
          raw.xpos_table(
            tile.positions,
            count,
            P,
            steps,
            scaleBase,
            gamma,
            center,
            workspace,
            size,
            at,
          ),
        );
        const floats = core.raw.HEAPF32;
        for (let t = 0; t < count; ++t) {
          [query.cos, query.sin, key.cos, key.sin].forEach(({ data }, k) => {
            const start = at / 4 + (4 * t + k) * P;
            data.set(floats.subarray(start, start + P), (from + t) * P);
          });
        }
      });
      return {
        query: { cos: query.cos.done(), sin: query.sin.done() },
        key: { cos: key.cos.done(), sin: key.sin.done() },
      };
    },
  };
  return option.withOptions(module, { table: TABLE });
}

/**
 * The least and the greatest of positions that have been checked.
 * @param {ArrayLike<unknown>} data @param {number} offset
 */
function ends(data, offset) {
  let [least, greatest] = [Infinity, -Infinity];
  for (let t = 0; t < data.length; ++t) {
    const position = Number(data[t]) + offset;
    least = Math.min(least, position);
    greatest = Math.max(greatest, position);
  }
  return [least, greatest];
}

/** @param {"torchscale" | "middle" | number} center @param {number} last  position */
function centerOf(center, last) {
  if (typeof center === "number") return center;
  const n = Math.floor(last) + 1;
  return center === "middle" ? Math.floor(n / 2) : Math.ceil(n / 2);
}

/** @param {unknown} out @param {number[]} shape */
function readOuts(out, shape) {
  const parts = check.parts(out, ["query", "key"]);
  const query = readOut(parts && (parts.query ?? null), shape, "out.query");
  const key = readOut(parts && (parts.key ?? null), shape, "out.key");
  refuseShared([query.cos, query.sin, key.cos, key.sin], "out");
  return { query, key };
}
