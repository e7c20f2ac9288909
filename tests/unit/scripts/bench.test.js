import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { merged, openRecord } from "../../../scripts/bench/record.js";
import { attention, cosinesOfOne } from "../../../scripts/bench/plain.js";
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

// The races compare the package with these loops, so a tile that overlaps its neighbor must leave right numbers.
test("the loops of JavaScript are right where their tiles do not divide the sizes", () => {
  const dot = (/** @type {number[]} */ a, /** @type {number[]} */ b) =>
    a.reduce((sum, x, i) => sum + x * b[i], 0);
  /** @param {Float32Array} x @param {number} N @returns {number[][]} rows of N numbers */
  const rowsOf = (x, N) =>
    Array.from({ length: x.length / N }, (_, row) => [...x.subarray(row * N, (row + 1) * N)]);
  const numbers = (/** @type {number} */ n) =>
    Float32Array.from({ length: n }, (_, i) => Math.sin(7 * i * i + n));
  for (const [T, D] of [3, 4, 5, 7, 8].flatMap((T) => [3, 4, 5].map((D) => [T, D]))) {
    const [H, where] = [2, `${T} x ${D}`];
    const [q, k, v] = [0, 1, 2].map((i) => numbers(H * T * D + i).subarray(i));
    const [weights, output] = [new Float32Array(H * T * T), new Float32Array(H * T * D)];
    attention(q, k, v, { H, T, D }, weights, output);
    const [queries, keys, values] = [q, k, v].map((x) => rowsOf(x, D));
    rowsOf(output, D).forEach((row, at) => {
      const head = T * Math.floor(at / T);
      const exps = keys
        .slice(head, head + T)
        .map((key) => Math.exp(dot(queries[at], key) / Math.sqrt(D)));
      const total = exps.reduce((sum, x) => sum + x);
      const wanted = exps.map((x) => x / total);
      rowsOf(weights, T)[at].forEach((weight, i) => near(weight, wanted[i], `weights, ${where}`));
      row.forEach((x, d) => {
        const column = values.slice(head, head + T).map((value) => value[d]);
        near(x, dot(wanted, column), `output, ${where}`);
      });
    });
  }
  for (const V of [8, 9, 15, 16, 17]) {
    const [query, table, out] = [numbers(8), numbers(V * 8), new Float32Array(V)];
    cosinesOfOne(query, table, out);
    const length = (/** @type {number[]} */ x) => Math.sqrt(dot(x, x));
    rowsOf(table, 8).forEach((row, at) =>
      near(out[at], dot([...query], row) / length([...query]) / length(row), `cosines, ${V}`),
    );
  }
});

/** @param {number} found @param {number} wanted @param {string} where */
function near(found, wanted, where) {
  assert.ok(Math.abs(found - wanted) < 1e-6, `${where}: ${found}, not ${wanted}`);
}
