import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { merged, openRecord } from "../../../scripts/bench/record.js";
import { compared } from "../../../scripts/bench/scaling.js";

/** @typedef {import("../../../scripts/bench/record.js").Recorded} Recorded */

/** The libraries that the bench installs. */
const list = new URL("../../../scripts/bench/package.json", import.meta.url);

const order = ["T1", "T2", "att"];

/** @param {string} id @param {string} title */
const row = (id, title, rounds = 5) => ({ id, title, rounds, contestants: [], goals: [] });

/** @param {...ReturnType<typeof row>} rows @returns {Recorded} */
const record = (...rows) => ({
  date: "2026-01-31",
  machine: { cpu: "a", cores: 2, node: "24.0.0", v8: "13" },
  versions: { phasor: "0.1.0" },
  rows,
});

test("merged replaces all rows of an id, keeps the others, in the order of the benchmark", () => {
  const old = record(row("T2", "halves"), row("T2", "interleaved"), row("att", "attention"));
  const found = { judgements: [], rows: [row("T2", "halves", 31), row("T1", "table")] };
  const { rows } = merged(old, found, order);
  assert.deepEqual(
    rows.map(({ id, title, rounds }) => [id, title, rounds]),
    [
      ["T1", "table", 5],
      ["T2", "halves", 31],
      ["att", "attention", 5],
    ],
  );
});

test("merged removes rows that the benchmark no longer has, and keeps parts that were not measured", () => {
  const memory = { title: "of the core", before: 1, after: 1, goals: [] };
  const old = { ...record(row("old", "gone")), memory };
  const { rows, ...parts } = merged(old, { judgements: [], scaling: [] }, order);
  assert.deepEqual(rows, []);
  assert.deepEqual([parts.memory, parts.scaling, "first" in parts], [memory, [], false]);
});

test("a record is written after each part, and never mixed with the rows of another machine", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "phasor-bench-"));
  t.after(() => rm(folder, { recursive: true }));
  const file = join(folder, "recorded.json");
  const read = async () => JSON.parse(await readFile(file, "utf8"));

  const first = openRecord(file, { order, whole: false });
  await first.add({ judgements: [], rows: [row("att", "attention")] });
  await first.add({ judgements: [], memory: { title: "", before: 1.23456, after: 2, goals: [] } });
  await openRecord(file, { order, whole: false }).add({
    judgements: [],
    rows: [row("T1", "table")],
  });
  const { date, machine, versions, rows, memory } = await read();
  assert.deepEqual([rows[0].id, rows[1].id, memory.before], ["T1", "att", 1.235]);
  assert.match(date, /^\d{4}-\d\d-\d\d$/);
  assert.equal(machine.v8, process.versions.v8);
  const peers = Object.keys(JSON.parse(await readFile(list, "utf8")).dependencies);
  assert.deepEqual(Object.keys(versions).sort(), ["phasor", ...peers].sort());

  await writeFile(file, JSON.stringify(record(row("att", "attention"))));
  assert.throws(() => openRecord(file, { order, whole: false }), /another machine/);
  await openRecord(file, { order, whole: true }).add({
    judgements: [],
    rows: [row("T1", "table")],
  });
  assert.deepEqual(
    (await read()).rows.map((/** @type {{id: string}} */ { id }) => id),
    ["T1"],
  );
});

test("compared computes the exponent from each size to the next, and marks jumps", () => {
  const points = compared([
    { numbers: 1000, ms: 1 }, // most of it is the call
    { numbers: 10_000, ms: 2 },
    { numbers: 100_000, ms: 20 },
    { numbers: 1_000_000, ms: 2000 },
    { numbers: 10_000_000, ms: 4001 },
  ]);
  assert.deepEqual(
    points.map(({ exponent }) => exponent && Number(exponent.toFixed(3))),
    [null, 0.301, 1, 2, 0.301],
  );
  assert.deepEqual(
    points.map(({ cliff }) => cliff),
    [false, false, false, true, true],
  );
});
