/** @import { Core } from "../../../runtime/wasm.js" */
/** @import { PhaseRaw, Precision, Recipe } from "../../../runtime/phase.js" */
/** @import { Positions } from "../../../runtime/positions.js" */
import * as check from "../../../runtime/check.js";
import { checkStatus } from "../../../runtime/errors.js";
import { readBase, readPrecision, tabulate } from "../../../runtime/phase.js";
import { readPositions } from "../../../runtime/positions.js";
import { asArray, Tensor } from "../../../runtime/tensor.js";
import { readOut, readPairs, refuseShared } from "../axial_rope/rotary.js";

const CENTERS = /** @type {const} */ (["torchscale", "middle"]);

/**
 * @typedef {object} XposOptions
 * @property {number} [base]  theta_i = base^(-2i/R); default 10000
 * @property {number} [scaleBase]  positions after which a scale is its zeta once more; default 512
 * @property {number} [gamma]  zeta_i = (2i/R + gamma) / (1 + gamma); default 0.4
 * @property {typeof CENTERS[number] | number} [center]  the position c of scale 1, with n = 1 + the
 *   last position: `torchscale` (default) ceil(n/2); `middle` floor(n/2), as in
 *   rotary-embedding-torch and flash-attn; or a number. It cancels between queries and keys
 * @property {number} [offset]  added to every position; default 0
 * @property {Precision} [precision]  `exact` (default) or `torch`, float32 steps
 * @property {Recipe} [recipe]  of its frequencies: `pow` (default) or `exp`
 */

/**
 * @typedef {{cos: Tensor, sin: Tensor}} ScaledTable
 * @typedef {{cos: Float32Array | Tensor, sin: Float32Array | Tensor}} ScaledOut
 */

/**
 * xPos, extrapolatable rotary embedding (Sun et al. 2022).
 * @param {Core} core
 */
export function xpos(core) {
  const raw =
    /**
     * @type {PhaseRaw & {
     *   xpos_table(positions: number, T: number, P: number, precision: number, base: number,
     *     gamma: number, center: number, workspace: number, size: number, out: number): number,
     *   xpos_reach(gamma: number): number,
     * }}
     */ (core.raw);

  return {
    /**
     * Rotary tables for `rope.apply`, one for queries and one for keys.
     *
     *     s[t, i] = zeta_i^((position_t - c) / scaleBase),   zeta_i = (2i/R + gamma) / (1 + gamma)
     *     query:  s cos(position_t theta_i), s sin(...)      key:  cos(...) / s, sin(...) / s
     *
     * A score then carries zeta_i^((m - n) / scaleBase) for a query at m and a key at n: it falls
     * with the distance, and c cancels. Only if both were made with the same c, though: the named
     * centers depend on the length, so keys kept from a shorter sequence do not fit queries of a
     * longer one. With a cache, give `center` as a number.
     * Layout: torchscale turns pairs `interleaved`. Accuracy: `exact` is the product rounded once,
     * within 0.501 ULP; `torch` follows torchscale's float32 steps.
     *
     * @param {Positions} lengthOrPositions  a length T for positions 0 .. T-1, or positions of any
     *   shape: whole or fractional, negative too; so near to c that no scale leaves float32
     *   (35,694 with the defaults)
     * @param {number} dim  rotated width R, even
     * @param {XposOptions & {out?: {query: ScaledOut, key: ScaledOut}}} [options]  `out` is filled
     *   instead of new arrays
     * @returns {{query: ScaledTable, key: ScaledTable}} float32 [..., T, R/2] each; the caller's own
     * @throws {TypeError | RangeError} if an argument is of the wrong kind or out of range
     * @see Sun et al. 2022, A length-extrapolatable transformer, https://arxiv.org/abs/2212.10554,
     *   section 3.2; microsoft/torchscale torchscale/component/xpos_relative_position.py
     * @example
     * const { query, key } = xpos.table([512], 2, { center: 0 });
     * query.cos.at(0, 0) / key.cos.at(0, 0) // 0.08163264992334753
     */
    table(lengthOrPositions, dim, options = {}) {
      const where = "xpos.table";
      const { out, ...given } = check.options(
        options,
        {
          base: 10000,
          scaleBase: 512,
          gamma: 0.4,
          center: "torchscale",
          offset: 0,
          precision: "exact",
          recipe: "pow",
          out: undefined,
        },
        where,
      );
      const P = readPairs(dim);
      const precision = readPrecision(given.precision, given.recipe);
      const spectrum = { base: readBase(given.base), n: P, pairs: P, precision };
      const scaleBase = check.finite(
        given.scaleBase,
        "scaleBase",
        "a finite number >= 1",
        (x) => x >= 1,
      );
      const gamma = check.finite(
        given.gamma,
        "gamma",
        "a number from 1e-6 to 1e6",
        (x) => x >= 1e-6 && x <= 1e6,
      );
      const isLength =
        typeof lengthOrPositions === "number" || typeof lengthOrPositions === "bigint";
      const list = isLength ? undefined : asArray(lengthOrPositions, "positions");
      const positions = readPositions(list ?? lengthOrPositions, given.offset);
      const [first, last] = list
        ? ends(list.data, given.offset)
        : [given.offset, given.offset + positions.count - 1];
      const center = readCenter(given.center, positions.count > 0 ? last : -1);
      if (positions.count > 0) {
        const distance = Math.max(Math.abs(first - center), Math.abs(last - center));
        const most = raw.xpos_reach(gamma) * scaleBase;
        if (distance > most) {
          const rule = `be within ${Math.floor(most)} of the center, where the scales leave float32`;
          throw new RangeError(`positions must ${rule}; got ${distance}`);
        }
      }

      const shape = [...positions.shape, P];
      const { query, key } = readOuts(out, shape);
      tabulate(core, spectrum, positions, { width: 4 * P }, where, (tile) => {
        const { from, count, workspace, size, at } = tile;
        checkStatus(
          raw.xpos_table(
            tile.positions,
            count,
            P,
            precision,
            scaleBase,
            gamma,
            center,
            workspace,
            size,
            at,
          ),
          where,
        );
        const floats = core.raw.HEAPF32;
        for (let t = 0; t < count; ++t) {
          [query.cos, query.sin, key.cos, key.sin].forEach((result, k) => {
            const start = at / 4 + (4 * t + k) * P;
            result.set(floats.subarray(start, start + P), (from + t) * P);
          });
        }
      });
      const tensors = (/** @type {{cos: Float32Array, sin: Float32Array}} */ { cos, sin }) => ({
        cos: new Tensor(cos, shape),
        sin: new Tensor(sin, shape),
      });
      return { query: tensors(query), key: tensors(key) };
    },
  };
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

/** @param {unknown} center @param {number} last  position */
function readCenter(center, last) {
  if (typeof center === "number") return check.finite(center, "center");
  const isWord = typeof center === "string" && CENTERS.some((word) => word === center);
  if (!isWord) {
    const rule = `a number or one of ${CENTERS.map((word) => `"${word}"`).join(", ")}`;
    const Kind = typeof center === "string" ? RangeError : TypeError;
    throw new Kind(`center must be ${rule}; got ${check.describe(center)}`);
  }
  const n = Math.floor(last) + 1;
  return center === "middle" ? Math.floor(n / 2) : Math.ceil(n / 2);
}

/** @param {unknown} out @param {number[]} shape */
function readOuts(out, shape) {
  if (out !== undefined && (typeof out !== "object" || out === null)) {
    throw new TypeError(`out must be {query, key}; got ${check.describe(out)}`);
  }
  const parts = /** @type {{query?: unknown, key?: unknown}} */ (out);
  const query = readOut(parts && (parts.query ?? null), shape, "out.query");
  const key = readOut(parts && (parts.key ?? null), shape, "out.key");
  refuseShared([query.cos, query.sin, key.cos, key.sin], "out");
  return { query, key };
}
