// Formats: numbers as files keep them.

import { arrays, buffersFor, copyLimits, into } from "../limits.js";
import { uniform } from "../measure.js";
import * as plain from "../plain.js";

/** @import { Row } from "./index.js" */

/** @type {Row[]} */
export const rows = [decodeRow("float16", 3), decodeRow("Q4_0", 4)];

/**
 * @param {"float16" | "Q4_0"} dtype @param {number} most  times a copy of the numbers
 * @returns {Row}
 */
function decodeRow(dtype, most) {
  const [V, D] = [16384, 768];
  const count = buffersFor(V * D * 4);
  return {
    id: "T9",
    title: `decoding ${V} x ${D} numbers of ${dtype}`,
    goals: [{ who: "phasor", than: "copy", most }],
    async prepare({ dtypes }) {
      const { numbers, bytes: size } = dtypes.sizes[dtype];
      const random = uniform(17);
      const bytes = new Uint8Array(((V * D) / numbers) * size).map(() => 256 * random());
      // exponents of float16 from 2^-3 to 2^0: the weights of models are near 1, and finite
      const step = dtype === "float16" ? 2 : size;
      for (let at = 1; at < bytes.length; at += step) bytes[at] = (bytes[at] & 0x8f) | 0x30;
      const [ours, loops] = [0, 1].map(() => arrays(count, V * D));
      const stored = { bytes, dtype, shape: [V, D] };
      const loop = (/** @type {Float32Array} */ out) =>
        dtype === "float16"
          ? plain.widenFloat16(new Uint16Array(bytes.buffer), out)
          : plain.decodeQ4(bytes, out);
      const expected = new Float32Array(V * D);
      loop(expected);
      return {
        expected: [expected],
        contestants: [
          ...(await copyLimits(V * D * 4)),
          into("phasor", ours, 0, (out) => dtypes.decode(stored, { out })),
          into("JavaScript", loops, 0, loop),
        ],
      };
    },
  };
}
