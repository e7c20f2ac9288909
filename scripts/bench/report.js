// How the bench prints what it found.

/** @typedef {import("./measure.js").Timing} Timing */
/** @typedef {import("./rows/index.js").Goal} Goal */

/** Machines are shared: a ratio this far beyond its goal is not yet a miss. */
const SLACK = 1.15;

/**
 * Rows of cells as text: the first column to the left, the others to the right.
 * @param {string[][]} lines
 */
export function table(lines) {
  const widths = lines[0].map((_, i) => Math.max(...lines.map((line) => (line[i] ?? "").length)));
  const texts = lines.map((line) =>
    line
      .map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i])))
      .join("   ")
      .trimEnd(),
  );
  return texts.map((text) => `  ${text}`).join("\n");
}

/** A ratio or a time in three digits. @param {number} value */
export function digits(value) {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

/** @typedef {"met" | "met within 15 %" | "missed"} Verdict */

/**
 * @param {Goal} goal @param {ReadonlyMap<string, Pick<Timing, "median">>} timings
 * @returns {{text: string, ratio: number, verdict: Verdict}}
 */
export function judge({ who, than, most, least }, timings) {
  const time = (/** @type {string} */ name) => {
    const timing = timings.get(name);
    if (!timing) throw new Error(`No contestant is called ${name}.`);
    return timing.median;
  };
  if (most !== undefined) {
    const ratio = time(who) / time(than);
    return { text: `${who} <= ${most} x ${than}`, ratio, verdict: verdict(ratio / most) };
  }
  if (least === undefined) throw new Error(`A goal of ${who} has no bound.`);
  const ratio = time(than) / time(who);
  return { text: `${than} >= ${digits(least)} x ${who}`, ratio, verdict: verdict(least / ratio) };
}

/** @param {number} over 1 where the goal is just met @returns {Verdict} */
function verdict(over) {
  if (over <= 1) return "met";
  return over <= SLACK ? "met within 15 %" : "missed";
}
