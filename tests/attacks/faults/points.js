/** How many places there are where memory can end. */
import { calls } from "../../calls.js";
import { limitedMemory, withoutArray } from "./limited-memory.js";

/** Allocations of each function in a fresh core, and typed arrays of JavaScript. */
export async function pointsOfMemory() {
  let [core, arrays] = [0, 0];
  for (const call of Object.values(calls)) {
    const fresh = await limitedMemory();
    fresh.failAt(0);
    await call(fresh.phasor);
    core += fresh.asked();
    const again = await limitedMemory();
    arrays += (await withoutArray(0, () => call(again.phasor))).count;
  }
  return { functions: Object.keys(calls).length, core, arrays };
}
