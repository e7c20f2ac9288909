/** Rotations that are rarer than those of plain pairings: ramps that rise, mixes, grids, and three axes of positions. */
import { axialOf } from "./axial.js";
import { inBatches } from "./batches.js";
import { mixesOf } from "./mixes.js";
import { mropeOf } from "./mrope.js";
import { addRamps } from "./ramps.js";
import { MOST_ROWS, stripsOf } from "./strips.js";
import { volumeOf } from "./volumes.js";
import { none } from "../words.js";

/**
 * @import { Phasor } from "../../index.js"
 * @import { More, Result } from "../identify/identify.js"
 */

/**
 * @param {Phasor} modules @param {Result} plain  which names nothing @param {(more: More) => Result} ask
 * @returns {Result}
 */
export function rarer(modules, plain, ask) {
  const apart = inBatches(modules, plain);
  if (apart !== plain) return apart;
  const ramp = ask({ names: addRamps });
  if (ramp.answer.kind !== "none") return ramp;
  const mixed = inBatches(modules, ask({ pairings: mixesOf }));
  if (mixed.answer.kind !== "none") return mixed;
  const { port } = plain;
  const stepOf = (/** @type {Result} */ { failure }) => failure?.step ?? -1;
  let best = stepOf(mixed) > stepOf(plain) ? mixed : plain; // of those that failed
  for (const strips of stripsOf(port)) {
    for (const of of [axialOf, mropeOf, volumeOf]) {
      const { answer, failure } = of(modules, port, strips);
      if (answer) return { answer, port, found: [] };
      if (failure && failure.step > stepOf(best))
        best = { answer: none(failure.reason), port, found: [], failure };
    }
  }
  const reason = best.failure?.reason ?? "";
  if (port.T <= MOST_ROWS || stepOf(best) === Infinity) return best;
  const limit = `grids and three axes of positions are looked for in up to ${MOST_ROWS} rows`;
  return { ...best, answer: none(`${reason}; ${limit}`) };
}
