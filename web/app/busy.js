// Whether the page has settled: `data-settled` on the root element is "true" while no work is pending.
// Tests wait for it.

const root = document.documentElement;
let pending = 0;

/** Counts pending work: 1 when some begins, -1 when it ends. @param {number} by */
export function busy(by) {
  pending += by;
  const settled = String(pending === 0);
  if (root.dataset.settled !== settled) root.dataset.settled = settled;
}
