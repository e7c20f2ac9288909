import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parseHTML } from "linkedom";
import { load } from "phasor";
import { page as site } from "../../../scripts/site/page.js";
import { project } from "../../../scripts/setup/setup.js";
import { idsOf, parts, winnerOf } from "../../../web/guides/performance/table.js";
import { tasks } from "../../../web/guides/performance/trial.js";
import { consumer } from "../../hosts/consumer.js";
import { isNight } from "../../sample.js";
import { violations } from "../axe.js";
import { openSite } from "../open-site.js";
import { filesOf, promised } from "./guide.js";

/** @typedef {import("../../../scripts/bench/record.js").Recorded} Recorded */
/** @typedef {import("../../../scripts/bench/record.js").RecordedContestant} RecordedContestant */

const path = join(project, "web/guides/performance/recorded.json");
/** @type {Recorded} */
const recorded = JSON.parse(readFileSync(path, "utf8"));

const { server, browser } = await openSite();
const built = () => {
  const html = readFileSync(join(site, "guides/performance/index.html"), "utf8");
  assert.doesNotMatch(html, /<x-|undefined|NaN|Infinity/);
  return parseHTML(html).document;
};

test("guide performance: the page has every recorded row, and every contestant with its time", () => {
  const document = built();
  const ids = idsOf(recorded.rows);
  assert.equal(new Set(ids).size, ids.length);
  assert.equal(document.querySelectorAll(".contest").length, recorded.rows.length);
  for (const [i, { title, contestants }] of recorded.rows.entries()) {
    const heading = document.getElementById(ids[i]);
    const said = heading?.textContent.replaceAll("×", "x").toLowerCase();
    assert.equal(said, title.toLowerCase());
    const lines = Array.from(heading?.nextElementSibling?.querySelectorAll("tbody tr") ?? []);
    assert.deepEqual(
      lines.map((line) => [line.className, line.querySelector("th")?.textContent]),
      contestants.map(({ kind, name }) => [kind, name]),
    );
    for (const [j, line] of lines.entries()) {
      const [, ratio, ms] = Array.from(line.querySelectorAll("td"), (cell) =>
        Number(cell.textContent.replaceAll(",", "")),
      );
      const { toPhasor, median } = contestants[j];
      assert.ok(Math.abs(ratio / toPhasor - 1) < 0.01 && Math.abs(ms / median - 1) < 0.01, title);
    }
  }
  const { engine, tasks: measured } = recorded.browser ?? { engine: "", tasks: [] };
  assert.match(engine, /^Chromium \d+/);
  assert.deepEqual(
    Array.from(document.querySelectorAll(".in-browser tbody tr"), (line) =>
      Array.from(line.children, (cell) => cell.textContent.replaceAll(",", "")).slice(0, 3),
    ).map(([title, ...times]) => [title, ...times.map(Number)]),
    measured.map(({ title, ours, loop }) => [title.replaceAll(",", ""), ours, loop]),
  );
  const { cpu, node } = recorded.machine;
  const run = document.querySelector(".run")?.textContent ?? "";
  for (const part of [cpu, node, recorded.date, ...Object.values(recorded.versions)]) {
    assert.ok(run.includes(part), part);
  }
});

/** @param {string} name @param {number} median @param {RecordedContestant["kind"]} [kind] */
const contestant = (name, median, kind = "other") => ({
  ...{ name, median, kind, spread: 0, toLimit: null, toPhasor: median / 2 },
});

/** A record of rows of JavaScript's and another's times, where phasor takes 2. @param {number[][]} times */
const ranked = (times) => ({
  ...recorded,
  rows: times.map(([loop, other], i) => ({
    ...{ id: "T1", title: `row ${i}`, rounds: 3, goals: [] },
    contestants: [
      contestant("fill", 1, "limit"),
      contestant("phasor", 2, "phasor"),
      contestant("phasor in place", 0.5, "phasor"),
      contestant("JavaScript", loop),
      contestant("JavaScript, rows by set", other),
    ],
  })),
});

test("guide performance: its summary counts the fastest, without limits and phasor's other modes", () => {
  const sentence = (/** @type {Recorded} */ record) =>
    parseHTML(`<html><body>${parts.standing(record)}</body></html>`).document;
  const mixed = sentence(ranked([[3, 4], [1, 3], [1.5, 1.8], [5, 1.9], [2, 9]])); // prettier-ignore
  assert.equal(
    mixed.querySelector("p")?.textContent,
    "phasor is first in 2 of 5 rows with a rival; JavaScript is first in 2; JavaScript (rows by set) is first in 1.",
  );
  assert.deepEqual(
    Array.from(mixed.querySelectorAll("li a"), (link) => link.getAttribute("href")),
    ["#row-T1-2", "#row-T1-3", "#row-T1-4"],
  );
  assert.match(mixed.querySelector("li")?.textContent ?? "", /^Row 1: JavaScript, 0\.500 times/);
  assert.equal(
    sentence(ranked([[3, 4]])).body.textContent,
    "phasor is first in 1 of 1 row with a rival.",
  );

  const alone = ranked([[3, 4], [3, 4]]); // prettier-ignore
  alone.rows[1].contestants.splice(3);
  assert.equal(sentence(alone).body.textContent, "phasor is first in 1 of 1 row with a rival.");

  const raced = recorded.rows.filter((row) => row.contestants.some(({ kind }) => kind === "other"));
  const first = raced.filter((row) => winnerOf(row).kind === "phasor").length;
  const said = built().querySelector(".standing")?.textContent;
  assert.ok(
    said?.startsWith(`phasor is first in ${first} of ${raced.length} rows with a rival`),
    said,
  );
});

test("guide performance: the choice has the best JavaScript, the best library, and who is first", () => {
  const record = ranked([[3, 4], [1.5, 1]]); // prettier-ignore
  record.versions = { "hnswlib-wasm": "1" };
  record.rows[1].contestants.push(contestant("onnxruntime-web", 1.2), contestant("jax-js", 9));
  record.rows.push(ranked([[1, 1]]).rows[0]);
  record.rows[2].contestants.splice(3); // phasor and a limit alone
  const { document } = parseHTML(`<html><body>${parts.choice(record)}</body></html>`);
  const cells = (/** @type {Element} */ { children }) =>
    Array.from(children, (cell) => cell.textContent);
  assert.deepEqual(Array.from(document.querySelectorAll("tbody tr"), cells), [
    ["Row 0", "2.00", "1.50", "none", "phasor"],
    ["Row 1", "2.00", "0.500", "0.600 onnxruntime-web", "a loop"],
  ]);
  record.rows[1].id = "build";
  assert.match(parts.choice(record), /rows, and takes 0\.600 to 4\.50 times as long to build;/);
});

test("guide performance: an incomplete record shows the parts that it has", () => {
  const { date, machine, versions } = recorded;
  for (const part of Object.values(parts)) {
    const html = part({ date, machine, versions, rows: [] });
    assert.doesNotMatch(html, /undefined|NaN|Infinity/);
  }
});

test("guide performance: a search of a million rows is shown with its goal", () => {
  const points = [
    { rows: 1e5, numbers: 384e5, filled: 400, ms: 8, core: 40_800_000, exponent: null },
    { rows: 1e6, numbers: 384e6, filled: 4000, ms: 95, core: 404_400_000, exponent: 1.06 },
  ];
  const goal = /** @type {const} */ ({ text: "<= 500 MB", ratio: 404.4, verdict: "met" });
  const million = { title: "a search", points, goals: [goal] };
  const html = parts.million({ ...recorded, million });
  assert.match(html, /1,000,000<[^]*<td>4,000<[^]*<td>95\.0<[^]*<td>1\.06<[^]*<td>404\.4</);
  assert.match(html, /Goal: &lt;= 500 MB; met\./);
});

test("guide performance: its programs print the output that it shows, and its commands exist", async (t) => {
  const files = await filesOf("performance");
  const { folder, put } = await consumer(t);
  for (const [name, code] of files) {
    if (name === "terminal") continue;
    await put(name, code);
    const options = /** @type {const} */ ({ cwd: folder, encoding: "utf8" });
    const { status, stdout, stderr } = spawnSync(process.execPath, [name], options);
    assert.equal(status, 0, stderr);
    assert.deepEqual(stdout.trim().split("\n"), promised(code), name);
  }
  for (const line of String(files.get("terminal")).trim().split("\n")) {
    assert.match(line, /^npm run bench( -- (scaling|browser|--record recorded\.json))?$/);
  }
});

test("guide performance: phasor and the loops of the browser's run give the same results", async () => {
  const phasor = await load();
  for (const { title, make } of tasks) {
    const { ours, loop, results } = make(phasor);
    ours();
    loop();
    const [found, expected] = results;
    assert.ok(expected.some((x) => x !== 0));
    // Each is rounded to float32 a few times; the largest are of about 30.
    found.forEach((x, i) => assert.ok(Math.abs(x - expected[i]) <= 4e-6, `${title} at ${i}`));
  }
});

test("guide performance: the page draws the figures, and the button measures each task", async () => {
  const { page, problems } = await browser.newPage();
  await page.goto(`${server.url}guides/performance/`);
  const groups = new Set(recorded.scaling?.map(({ group }) => group));
  await page.getByRole("button", { name: "Run in this browser" }).click();
  await page.getByText("Done.").waitFor({ timeout: 120_000 });
  assert.equal(await page.locator("#scaling-figures .phasor-figure").count(), groups.size);
  assert.equal(await page.locator("#fresh-figure .phasor-figure").count(), groups.size > 0 ? 1 : 0);

  const lines = await page.locator("#trial tbody tr").all();
  assert.equal(lines.length, tasks.length);
  for (const [i, line] of lines.entries()) {
    assert.equal(await line.locator("th").textContent(), tasks[i].title);
    const [ours, loop, ratio] = (await line.locator("td").allTextContents()).map(Number);
    assert.ok(ours > 0 && loop > 0);
    assert.ok(Math.abs(ratio / (loop / ours) - 1) < 0.02, `${ratio} of ${loop} and ${ours}`);
  }
  if (isNight) assert.deepEqual(await violations(page), []);

  // The list of sections stands beside the column as soon as it is shown.
  await page.setViewportSize({ width: 1100, height: 900 });
  const edge = (await page.locator(".rail").boundingBox())?.x ?? 0;
  const columns = await page.locator("main > :not(.rail)").evaluateAll((parts) =>
    parts.map((part) => part.getBoundingClientRect().right),
  ); // prettier-ignore
  assert.ok(Math.max(...columns) < edge, `${Math.max(...columns)} < ${edge}`);
  assert.deepEqual(problems, []);
});
