// One row of the bench: its contestants are compared with what is expected, then with each other.

import { race } from "./measure.js";
import { digits, judge, table } from "./report.js";

/** @typedef {import("./rows/index.js").Row} Row */
/** @typedef {import("./rows/index.js").Goal} Goal */
/** @typedef {import("./measure.js").Contestant} Contestant */
/** @typedef {import("./record.js").Found} Found */

/**
 * @param {Row} row @param {string} entry  URL of the package @param {number} rounds
 * @param {string} [before]  URL of another build of it, which runs beside
 * @returns {Promise<Found>}
 */
export async function runRow(row, entry, rounds, before) {
  console.log(`\n${row.id}  ${row.title}`);
  const all = await import(entry);
  const { contestants, expected, finish } = await row.prepare(await all.load(), all);
  /** @type {Awaited<ReturnType<typeof inspect>>[]} */
  const findings = [];
  for (const contestant of contestants) findings.push(await inspect(contestant, expected, row));
  const old = before === undefined ? undefined : await olderContestants(row, before);
  for (const [i, contestant] of (old?.contestants ?? []).entries()) {
    contestants.push(contestant);
    findings.push(/** @type {NonNullable<typeof old>} */ (old).findings[i]);
  }

  const timings = await race(contestants, rounds);
  finish?.();
  old?.finish?.();
  const ours = timings[contestants.findIndex(isOurs)].median;
  const lines = [
    ["", "ms", "IQR", `x ${contestants[0].name}`, "x phasor", "largest difference"],
    ...contestants.map(({ name }, i) => {
      const { median, spread } = timings[i];
      return [
        name,
        digits(median),
        `${(spread * 100).toFixed(0)} %`,
        digits(median / timings[0].median),
        digits(median / ours),
        findings[i].difference,
      ];
    }),
  ];
  if (row.roundings) {
    lines[0].push("not correctly rounded");
    for (const [i, { roundings }] of findings.entries()) lines[i + 1].push(roundings);
  }
  console.log(table(lines));
  const named = new Map(contestants.map(({ name }, i) => [name, timings[i]]));
  const goals = [...row.goals, ...toBeAhead(contestants, row.goals)].map((goal) =>
    judge(goal, named),
  );
  const limit = contestants.findIndex((each) => each.limit);
  return {
    judgements: goals.map((each) => ({ ...each, text: `${row.id.padEnd(5)} ${each.text}` })),
    rows: [
      {
        id: row.id,
        title: row.title,
        rounds,
        contestants: contestants.map((each, i) => ({
          name: each.name,
          kind: each.limit ? "limit" : isOurs(each) ? "phasor" : "other",
          median: timings[i].median,
          spread: timings[i].spread,
          toLimit: limit < 0 ? null : timings[i].median / timings[limit].median,
          toPhasor: timings[i].median / ours,
        })),
        goals,
      },
    ],
  };
}

/**
 * What another build of the package does in a row, each result compared with what is expected.
 * @param {Row} row @param {string} entry  URL of that build
 */
async function olderContestants(row, entry) {
  try {
    const all = await import(entry);
    const { contestants, expected, finish } = await row.prepare(await all.load(), all);
    const phasors = contestants.filter(isOurs);
    const findings = [];
    for (const contestant of phasors) findings.push(await inspect(contestant, expected, row));
    const renamed = phasors.map((each) => ({ ...each, name: `before: ${each.name}` }));
    return { contestants: renamed, findings, finish };
  } catch (error) {
    console.log(`  The build before cannot run this row: ${/** @type {Error} */ (error).message}`);
    return undefined;
  }
}

/** @param {Contestant} contestant */
function isOurs({ name }) {
  return name.startsWith("phasor");
}

/**
 * Ahead of every alternative that no goal names: the goal of every row.
 * @param {Contestant[]} contestants @param {Goal[]} goals
 * @returns {Goal[]}
 */
function toBeAhead(contestants, goals) {
  const who = contestants.find(isOurs)?.name ?? "phasor";
  return contestants
    .filter((each) => !each.limit && !isOurs(each))
    .filter(({ name }) => !goals.some(({ least, than }) => least && than === name))
    .map(({ name }) => ({ who, than: name, least: 1 }));
}

/**
 * Does the job once and looks at the result.
 * @param {Contestant} contestant @param {Float32Array[]} expected @param {Row} row
 */
async function inspect({ name, run, result, tolerance }, expected, { roundings }) {
  await run(0);
  if (!result || tolerance === undefined) return { difference: "", roundings: "" };
  const results = await result();
  let largest = 0;
  for (const [i, values] of expected.entries()) {
    if (results[i].length !== values.length) throw new Error(`${name} gave a wrong length.`);
    for (let j = 0; j < values.length; ++j) {
      const difference = Math.abs(results[i][j] - values[j]);
      if (!(difference <= tolerance)) {
        throw new Error(`${name} gave ${results[i][j]} at ${j}; ${values[j]} was expected.`);
      }
      if (difference > largest) largest = difference;
    }
  }
  const found = roundings?.(results[0]);
  return {
    difference: largest === 0 ? "none" : `${exponential(largest)} of ${exponential(tolerance)}`,
    roundings: found ? `${found.wrong} of ${found.of}` : "",
  };
}

/** @param {number} value */
function exponential(value) {
  return value.toExponential(1);
}
