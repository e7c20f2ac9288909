// A recorded run of `npm run bench` as HTML: it is written into the page when the site is built.

/** @import { Recorded, RecordedContestant, RecordedRow } from "../../../scripts/bench/record.js" */
/** @import { Scaling } from "../../../scripts/bench/scaling.js" */

/** What the page has of a run, by the name of `<x-recorded>`. */
export const parts = Object.freeze({
  run,
  standing,
  choice,
  rows,
  first,
  memory,
  scaling,
  million,
  fresh,
  browser,
});

/** @param {Recorded} recorded */
function run({ date, machine, versions, rows }) {
  const { cpu, cores, node, v8 } = machine;
  const counts = rows.map(({ rounds }) => rounds);
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  const lines = [
    ["Machine", `${cpu}, ${plural(cores, "core")}`],
    ["Engine", `Node ${node}, V8 ${v8}`],
    ["Packages", Object.entries(versions).map((each) => each.join(" ")).join(", ")], // prettier-ignore
    ["Date", date],
    ["Rounds", rows.length === 0 ? "none" : least === most ? `${least}` : `${least} to ${most}`],
  ];
  return `<table class="run"><tbody>${lines
    .map(([what, value]) => `<tr><th scope="row">${what}</th><td>${escape(value)}</td></tr>`)
    .join("")}</tbody></table>`;
}

/** Who is first in how many rows, and where it is not phasor. @param {Recorded} recorded */
function standing({ rows }) {
  const winners = rows.map((row) => winnerOf(row));
  const raced = rows.filter(hasRival).length;
  const rivals = winners.filter(({ kind }) => kind !== "phasor").map(({ name }) => name);
  const counts = [...new Set(rivals)]
    .map((name) => /** @type {const} */ ([name, rivals.filter((each) => each === name).length]))
    .sort(([, a], [, b]) => b - a);
  const said = [
    `phasor is first in ${raced - rivals.length} of ${plural(raced, "row")} with a rival`,
    ...counts.map(([name, count]) => `${inText(name)} is first in ${count}`),
  ];
  const ids = idsOf(rows);
  const lost = rows.flatMap((row, i) => {
    const { kind, name, toPhasor } = winners[i];
    if (kind === "phasor") return [];
    const link = `<a href="#${ids[i]}">${escape(capital(row.title))}</a>`;
    return [`<li>${link}: ${inText(name)}, ${digits(toPhasor)} times phasor's time</li>`];
  });
  const list = lost.length > 0 ? `<ul class="lost">${lost.join("")}</ul>` : "";
  return `<p class="standing"><strong>${said.join("; ")}.</strong></p>${list}`;
}

/** phasor, the best JavaScript and the best library of each row, and whom to pick. @param {Recorded} recorded */
function choice({ rows, versions }) {
  if (!("hnswlib-wasm" in versions)) return missing(`${BEST} than those of npm run bench`);
  const ids = idsOf(rows);
  const lines = rows.flatMap((row, i) => {
    if (!hasRival(row)) return [];
    const others = row.contestants.filter(({ kind }) => kind === "other");
    const ours = row.contestants.find(({ kind }) => kind === "phasor");
    const library = fastest(others.filter((each) => !isLoop(each)));
    const winner = winnerOf(row);
    const pick = winner.kind === "phasor" ? "phasor" : isLoop(winner) ? "a loop" : winner.name;
    return `<tr class="${winner.kind}">
      <th scope="row"><a href="#${ids[i]}">${escape(capital(row.title))}</a></th>
      <td>${ours ? digits(ours.median) : ""}</td>
      <td>${times(fastest(others.filter(isLoop)))}</td>
      <td>${times(library)}${library ? ` ${escape(library.name)}` : ""}</td>
      <td>${escape(pick)}</td>
    </tr>`;
  });
  const graphs = (rows.find(({ id }) => id === "build")?.contestants ?? [])
    .filter((each) => each.kind === "other" && !isLoop(each))
    .sort((a, b) => a.toPhasor - b.toPhasor);
  const built =
    graphs.length > 0
      ? `, and takes ${times(graphs[0])} to ${times(graphs.at(-1))} times as long to build`
      : "";
  return `<p>JavaScript is the best known to us for a task: several sums at a time, tiles of three rows and three rows, sines
      by angle addition, what stays the same outside of a loop. Where phasor is not first, the last column names what is. A
      graph such as hnswlib-wasm or usearch may miss rows${built}; usearch is native code, for Node alone.</p>
    <table class="numbers picks">
      <thead><tr><th scope="col">Task</th><th scope="col">phasor, ms</th><th scope="col">Best JavaScript, × phasor</th>
      <th scope="col">Best library, × phasor</th><th scope="col">Pick</th></tr></thead>
      <tbody>${lines.join("")}</tbody>
    </table>`;
}

/** Whether a row has anything but phasor and limits. @param {Recorded["rows"][number]} row */
export const hasRival = ({ contestants }) => contestants.some(({ kind }) => kind === "other");

/** What a run of an earlier bench lacks. */
const BEST = "the best JavaScript: its loops are older and slower";

/** Whether a contestant is plain JavaScript. @param {RecordedContestant} contestant */
const isLoop = ({ name }) => name.startsWith("JavaScript");

/** The fastest of some, if there are any. @param {RecordedContestant[]} contestants */
const fastest = (contestants) =>
  contestants.length === 0
    ? undefined
    : contestants.reduce((best, each) => (each.median < best.median ? each : best));

/** A contestant's time as a multiple of phasor's. @param {RecordedContestant} [contestant] */
const times = (contestant) => (contestant ? digits(contestant.toPhasor) : "none");

/**
 * The fastest contestant of a row, without limits. Of phasor's only the first counts: the others do another task,
 * such as in place.
 *
 * @param {RecordedRow} row
 * @returns {RecordedContestant}
 */
export function winnerOf({ contestants }) {
  const ours = contestants.find(({ kind }) => kind === "phasor");
  const rivals = contestants.filter((each) => each === ours || each.kind === "other");
  return /** @type {RecordedContestant} */ (fastest(rivals));
}

/** @param {Recorded} recorded */
function rows({ rows }) {
  const ratios = rows.flatMap(({ contestants }) => contestants.map(({ toPhasor }) => toPhasor));
  const ends = /** @type {const} */ ([Math.min(0.5, ...ratios), Math.max(2, ...ratios)]);
  const ids = idsOf(rows);
  return rows
    .map(
      ({ title, contestants }, i) => `<h3 id="${ids[i]}">${escape(capital(title))}</h3>
      <table class="contest">
        <thead>
          <tr><th scope="col">Contestant</th><td></td><th scope="col">× phasor</th><th scope="col">ms</th></tr>
        </thead>
        <tbody>${contestants.map((each) => line(each, ends)).join("")}</tbody>
      </table>`,
    )
    .join("");
}

/** @param {RecordedContestant} contestant @param {readonly [number, number]} ends  of the scale */
function line({ name, kind, median, toPhasor }, ends) {
  return `<tr class="${kind}">
    <th scope="row">${escape(name)}</th>
    <td class="bar">${bar(toPhasor, ends)}</td>
    <td>${digits(toPhasor)}</td>
    <td>${digits(median)}</td>
  </tr>`;
}

/** A bar from 1 to a ratio, on a logarithmic scale. @param {number} ratio @param {readonly [number, number]} ends */
function bar(ratio, [least, most]) {
  const at = (/** @type {number} */ x) => (100 * Math.log(x / least)) / Math.log(most / least);
  const [from, to] = [at(Math.min(1, ratio)), at(Math.max(1, ratio))];
  const vertical = (/** @type {number} */ x, kind = "") =>
    `<line ${kind} x1="${at(x).toFixed(2)}" x2="${at(x).toFixed(2)}" y1="0" y2="10" />`;
  const tens = [];
  for (let x = 10 ** Math.ceil(Math.log10(least)); x <= most; x *= 10) tens.push(vertical(x));
  return `<svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true" focusable="false">
    ${tens.join("")}<rect x="${from.toFixed(2)}" y="1" width="${(to - from).toFixed(2)}" height="8" />
    ${vertical(1, 'class="one"')}
  </svg>`;
}

/** @param {Recorded} recorded */
function first({ first }) {
  if (!first) return missing("the time of the first call");
  const [ours] = first.contestants;
  const lines = first.contestants.map(
    ({ name, small, large }) => `<tr>
      <th scope="row">${escape(name)}</th>
      <td>${digits(small)}</td><td>${digits(small / ours.small)}</td>
      <td>${digits(large)}</td><td>${digits(large / ours.large)}</td>
    </tr>`,
  );
  return `<p>Times in a new process, ${escape(first.title)}. The last line is a limit: it computes nothing.</p>
    <table class="numbers">
      <thead><tr><th scope="col">Contestant</th><th scope="col">Small, ms</th><th scope="col">× phasor</th>
      <th scope="col">Large, ms</th><th scope="col">× phasor</th></tr></thead>
      <tbody>${lines.join("")}</tbody>
    </table>`;
}

/** @param {Recorded} recorded */
function memory({ memory }) {
  if (!memory) return missing("the memory of the core");
  const [before, after] = [memory.before, memory.after].map((size) => size.toFixed(1));
  return `<p>Memory ${escape(memory.title)}: ${before} MiB and ${after} MiB.</p>`;
}

/** @param {Recorded} recorded */
function scaling({ scaling }) {
  if (!scaling) return missing("time against size");
  return `<p>The exponent is that of the size in the time, over the last two sizes: 1 is in proportion. A cliff is a size
      at which a number takes more than twice as long as at a smaller one.</p>
    <table class="numbers scaling">
      <thead><tr><th scope="col">Task</th><th scope="col">Largest size</th><th scope="col">ms</th><th scope="col">Exponent</th>
      <th scope="col">Core, MiB</th><th scope="col">Cliffs</th></tr></thead>
      <tbody>${scaling.map((each) => scaled(each)).join("")}</tbody>
    </table>`;
}

/** @param {Scaling} scaling */
function scaled({ title, points }) {
  const { size, ms, exponent, core } = points[points.length - 1];
  const cliffs = points.filter(({ cliff }) => cliff).map(({ size }) => power(size));
  return `<tr>
    <th scope="row">${escape(title).replaceAll(".", ".<wbr>")}</th>
    <td>${power(size)}</td>
    <td>${digits(ms)}</td>
    <td>${exponent === null ? "" : exponent.toFixed(2)}</td>
    <td>${(core / 2 ** 20).toFixed(1)}</td>
    <td>${cliffs.join(", ") || "none"}</td>
  </tr>`;
}

/** @param {Recorded} recorded */
function million({ million }) {
  if (!million) return missing("a search of a million rows");
  const lines = million.points.map(
    ({ rows, filled, ms, exponent, core }) => `<tr>
      <th scope="row">${rows.toLocaleString("en")}</th>
      <td>${digits(filled)}</td>
      <td>${digits(ms)}</td>
      <td>${exponent === null ? "" : exponent.toFixed(2)}</td>
      <td>${(core / 1e6).toFixed(1)}</td>
    </tr>`,
  );
  const goals = million.goals.map(
    ({ text, verdict }) => `<p>Goal: ${escape(text)}; ${verdict}.</p>`,
  );
  return `<p>Times of ${escape(million.title)}, and the memory of the core after it:</p>
    <table class="numbers">
      <thead><tr><th scope="col">Rows</th><th scope="col">Write, ms</th><th scope="col">Search, ms</th>
      <th scope="col">Exponent</th><th scope="col">Core, MB</th></tr></thead>
      <tbody>${lines.join("")}</tbody>
    </table>${goals.join("")}`;
}

/** What a new array costs at the largest size that was measured. @param {Recorded} recorded */
function fresh({ scaling = [] }) {
  const points = scaling.flatMap(({ points }) => points.filter(({ fresh }) => fresh !== null));
  const size = Math.max(...points.map((point) => point.size));
  const ratios = points
    .filter((point) => point.size === size)
    .map(({ fresh, ms }) => Number(fresh) / ms);
  if (ratios.length === 0) return "";
  ratios.sort((a, b) => a - b);
  const [least, middle, most] = [0, ratios.length >> 1, ratios.length - 1].map((i) => ratios[i]);
  return (
    `For results of ${digits((size * 4) / 1e6)} MB, the recorded calls take ${digits(least)} to ${digits(most)} ` +
    `times as long with a new array as with <code>out</code>; the median is ${digits(middle)}.`
  );
}

/** @param {Recorded} recorded */
function browser({ browser }) {
  if (!browser) return missing("a run in a browser");
  const lines = browser.tasks.map(
    ({ title, ours, loop }) => `<tr><th scope="row">${escape(title)}</th>
      <td>${digits(ours)}</td><td>${digits(loop)}</td><td>${digits(loop / ours)}</td></tr>`,
  );
  return `<p>On the machine of the recorded run, ${escape(browser.engine)} measures:</p>
    <table class="numbers in-browser">
      <thead><tr><th scope="col">Task</th><th scope="col">phasor, ms</th><th scope="col">JavaScript, ms</th>
      <th scope="col">JavaScript / phasor</th></tr></thead>
      <tbody>${lines.join("")}</tbody>
    </table>`;
}

/** @param {string} what */
const missing = (what) => `<p class="note">The recorded run does not have ${what}.</p>`;

/** An id for each row: several may have one in the bench. @param {readonly RecordedRow[]} rows */
export function idsOf(rows) {
  return rows.map(({ id }, i) => {
    const before = rows.slice(0, i).filter((row) => row.id === id).length;
    return before === 0 ? `row-${id}` : `row-${id}-${before + 1}`;
  });
}

/** @param {number} size  a power of ten */
const power = (size) => `10<sup>${Math.round(Math.log10(size))}</sup>`;

/** @param {number} count @param {string} what */
const plural = (count, what) => `${count} ${what}${count === 1 ? "" : "s"}`;

/** A title as a heading, sizes with ×; names of code stay. @param {string} text */
function capital(text) {
  const title = text.replace(/ x (?=\d)/g, " × ");
  return /^\w+\./.test(title) ? title : title.charAt(0).toUpperCase() + title.slice(1);
}

/** A contestant in a sentence: "JavaScript (rows by set)". @param {string} name */
const inText = (name) => escape(name.replace(/, (.+)/, " ($1)"));

/** Three digits. @param {number} value */
export function digits(value) {
  return value >= 100 ? Math.round(value).toLocaleString("en") : value.toPrecision(3);
}

/** @param {string} text */
function escape(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
