/** Readers that break the laws which only the watching thread sees. They test the watch, and are not attacked otherwise. */

/** @import { Target } from "./laws.js" */

/** @param {string} name @param {() => any} read @returns {Target} */
const failing = (name, read) => ({
  name,
  isRefusal: () => true,
  make: () => ({ input: new Uint8Array(4) }),
  read: async () => read(),
});

/** @type {readonly Target[]} */
export const failingTargets = [
  failing("one that never returns", () => {
    for (;;);
  }),
  failing("one that uses all memory", () => {
    const lists = [];
    for (;;) lists.push(Array(100_000).fill(lists.length));
  }),
];
