// Waiting in tests is for a condition, never for a time.

import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";

/**
 * Waits until something holds.
 *
 * @param {() => unknown} holds  or a promise of whether it does
 * @param {string} what  a description for the error
 * @param {number} [limit]  in milliseconds; long, since a loaded machine is no fault
 */
export async function until(holds, what, limit = 90_000) {
  const end = performance.now() + limit;
  while (!(await holds())) {
    assert.ok(performance.now() < end, `within ${limit / 1000} s: ${what}`);
    await pause(5);
  }
}
