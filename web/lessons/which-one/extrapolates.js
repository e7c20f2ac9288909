// What the lab has recorded as HTML: tables for others to cite, written into the page when the site is built.

/** @import { ReadingName, Recorded, RecordedTask, SchemeName, TaskName } from "../../lab/setup.js" */
import { readFileSync } from "node:fs";
import { address } from "../../../scripts/site/address.js";
import { spreadOf, titleOf } from "../../lab/curves.js";
import { spreadText, two } from "../../lab/spread.js";
import { YARN } from "../../app/lab-yarn.js";
import { schemes, sizesOf, tasks } from "../../lab/setup.js";

/** What the page has of the record, by the name of `<x-recorded>`. */
export const parts = Object.freeze({
  tables,
  readings: aboutReadings,
  limits,
  longer,
  aboutLonger,
  commands,
  bibtex,
});

/**
 * Longer trainings: each number is of a seed, at a length or a number of digits.
 * @typedef {object} Longer
 * @property {string} command
 * @property {typeof import("../../../scripts/data/lab-longer.js").settings} settings
 * @property {{scheme: SchemeName, reading: ReadingName | null, accuracy: number[][]}[]} induction
 * @property {{scheme: SchemeName, ids: "plain" | "abacus" | "coupled", accuracy: number[][]}[]} addition
 */

/** @returns {Longer} */
const readLonger = () =>
  JSON.parse(readFileSync(new URL("../../lab/longer.json", import.meta.url), "utf8"));

/** @param {Recorded} recorded */
const names = ({ tasks }) => /** @type {TaskName[]} */ (Object.keys(tasks));

/** How many seeds each number is of. @param {Recorded} recorded */
const seedsOf = ({ tasks }) => tasks.back.rows[0].bits.length;

/** A table for each task. @param {Recorded} recorded */
function tables(recorded) {
  const all = names(recorded).map((task) => table(task, recorded.tasks[task], seedsOf(recorded)));
  return `<div class="extrapolates">${all.join("")}</div>`;
}

/** @param {TaskName} task @param {RecordedTask} recorded @param {number} seeds */
function table(task, { chance, lengths, rows }, seeds) {
  const unit = chance
    ? `accuracy, guessing has ${two(chance)}`
    : "loss in nats a character, less is better";
  const heads = ["Scheme", ...lengths.map((length) => `${length} tokens`)];
  const lines = rows.map((row) => {
    const cells = spreadOf(row, task).map(
      ({ mean, deviation }) => `<td>${two(mean)} <small>± ${two(deviation)}</small></td>`,
    );
    return `<tr><th scope="row">${titleOf(row)}</th>${cells.join("")}</tr>`;
  });
  return `<div role="region" aria-label="What extrapolates: ${tasks[task]}" tabindex="0"><table>
    <caption><b>${tasks[task]}</b>: ${unit}. Mean ± standard deviation of ${seeds} seeds.
      <a href="@root/lab/#task=${task}">Run it in the lab</a></caption>
    <thead><tr>${heads.map((head) => `<th scope="col">${head}</th>`).join("")}</tr></thead>
    <tbody>${lines.join("")}</tbody></table></div>`;
}

/** How the rows below RoPE were read. @param {Recorded} recorded */
function aboutReadings(recorded) {
  const { betaFast, betaSlow, ramp } = YARN;
  const trained = `${sizesOf(recorded, "back").length} tokens`;
  return `<p>Below RoPE are other readings of the same trainings, by the factor length / ${trained}:
    linear interpolation, NTK, and YaRN with betas ${betaFast} and ${betaSlow} and its ramp over ${ramp}. Learned rows
    beyond ${trained} are untrained rows.</p>`;
}

/** Induction by the length, addition by the digits. */
function longer() {
  const { settings, induction, addition } = readLonger();
  const spread = `Mean ± standard deviation of ${settings.seeds} seeds.`;
  const { symbols, test, training } = settings.induction;
  const { digits, tested } = settings.addition;
  const all = [
    longerTable(
      ["induction", `accuracy, guessing has ${two(1 / symbols)}. ${spread}`],
      ["Scheme", ...test.map((times) => `${times * training.length} tokens`)],
      induction.map((row) => [titleOf(row), row.accuracy]),
    ),
    longerTable(
      [
        "addition",
        `share of right digits, guessing has 0.10; trained on numbers of up to ${digits} digits. ${spread}`,
      ],
      ["Scheme, positions", ...tested.map((n) => `${n} digits`)],
      addition.map(({ scheme, ids, accuracy }) => [`${schemes[scheme]}, ${ids}`, accuracy]),
    ),
  ];
  return `<div class="extrapolates">${all.join("")}</div>`;
}

/** @param {[task: string, about: string]} caption @param {string[]} heads @param {[title: string, seeds: number[][]][]} rows */
function longerTable([task, about], heads, rows) {
  const lines = rows.map(([title, seeds]) => {
    const cells = seeds[0].map((_, i) => {
      const [mean, deviation] = spreadText(seeds.map((of) => of[i])).split(" ± ");
      return `<td>${mean} <small>± ${deviation}</small></td>`;
    });
    return `<tr><th scope="row">${title}</th>${cells.join("")}</tr>`;
  });
  return `<div role="region" aria-label="What extrapolates: ${task}" tabindex="0"><table>
    <caption><b>${task}</b>: ${about}</caption>
    <thead><tr>${heads.map((head) => `<th scope="col">${head}</th>`).join("")}</tr></thead>
    <tbody>${lines.join("")}</tbody></table></div>`;
}

/** What was trained, and what records it. */
function aboutLonger() {
  const { command, settings } = readLonger();
  const { induction, addition } = settings;
  const { layers, batch, length } = induction.training;
  const of = (/** @type {typeof induction.training} */ { dim, steps }) =>
    `of width ${dim} and trained for ${steps.toLocaleString("en")} steps`;
  return `<p class="note">Both have ${layers} layers and texts of ${length} tokens, ${batch} in a step. For induction they are
    ${of(induction.training)}, for addition ${of(addition.training)}; sums have the last digit first. In training abacus
    and coupled positions begin anywhere up to ${addition.shift}, so that those of longer numbers are trained.
    <code>${command}</code> records both tables.</p>
    ${notShown(readLonger())}`;
}

/** What papers describe and these trainings do not show. @param {Longer} longer */
function notShown({ settings, addition, induction }) {
  const first = (/** @type {{accuracy: number[][]}} */ { accuracy }) =>
    spreadText(accuracy.map(([x]) => x));
  const learned = addition.filter(({ scheme }) => scheme === "learned");
  const parts = learned.map((row) => `${first(row)} with ${row.ids} positions`);
  const alibi = induction.filter(({ scheme }) => scheme === "alibi").map(first);
  return `<p><b>What did not show</b>: with learned rows, as the papers have them, sums of the trained
    ${settings.addition.digits} digits are not learned in these steps: ${parts.join(", ")}. ALiBi learns induction in
    part, ${alibi.join()}.</p>`;
}

/** What the numbers do not prove. @param {Recorded} recorded */
function limits(recorded) {
  const { small, text } = recorded.settings;
  const size = (/** @type {typeof small} */ { layers, dim, steps, batch, length }) =>
    `${layers === 1 ? "one layer" : `${layers} layers`} of width ${dim}, trained for ${steps} steps of ${batch} texts of ${length} tokens`;
  return `<p><b>What this does not prove</b>: that a scheme extrapolates, or which is better, in any other model, task or
    training. These are decoders with ${size(small)}; for text, with ${size(text)}. ${seedsOf(recorded)} seeds show only
    a part of what seeds change. The lab says <a href="@root/lab/#limits-title">what others measured with large
    models</a>.</p>`;
}

/** The options of the command that make a recorded training. @param {Recorded["settings"]["small"]} sizes */
const optionsOf = ({
  steps,
  learningRate,
  length,
  batch,
  dim,
  heads,
  layers,
  seeds,
  tokens,
  test,
}) =>
  `--seeds ${seeds} --steps ${steps} --rate ${learningRate} --length ${length} --batch ${batch} --dim ${dim} --heads ${heads} --layers ${layers} --tokens ${tokens} --test ${test}`;

/** What records the tables, and what prints them. @param {Recorded} recorded */
function commands(recorded) {
  const { command, settings } = recorded;
  const small = names(recorded).filter((task) => sizesOf(recorded, task) === settings.small);
  return `<x-file name="terminal"><pre>
${command}
npx phasor lab ${small.join(" ")} ${optionsOf(settings.small)}
npx phasor lab text --text web/lab/corpus.txt ${optionsOf(settings.text)}</pre></x-file>`;
}

/** An entry to cite the tables by. @param {Recorded} recorded */
function bibtex(recorded) {
  const { command, date, tasks } = recorded;
  const { rows, lengths } = tasks.back;
  const count = new Set(rows.map(({ scheme }) => scheme)).size;
  const [year] = date.split("-");
  const at = address && `\n  url          = {${address}lessons/which-one/},`;
  return `<x-file name="what-extrapolates.bib"><pre>
@misc{phasor-what-extrapolates,
  title        = {What extrapolates: ${count} position schemes trained on ${lengths[0]} tokens and tested on ${lengths[lengths.length - 1]}},
  author       = {{The phasor authors}},
  year         = {${year}},
  howpublished = {phasor <x-version></x-version>, lesson "Which one?"},${at}
  note         = {Recorded on ${date} by "${command}"}
}</pre></x-file>`;
}
