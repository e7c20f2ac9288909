// Fuzzing guided by coverage: it keeps the inputs that reach more, and they reach the same in the next run.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, sep } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { linesOf } from "./coverage.js";

const folder = mkdtempSync(join(tmpdir(), "phasor-corpus-"));
after(() => rmSync(folder, { recursive: true }));

/** Runs it in another process, whose readers nothing has called. @param {object} options */
function spawned(options) {
  const guided = new URL("guided.js", import.meta.url).href;
  const given = { seed: 5, names: ["npy"], folder: pathToFileURL(folder + sep).href, ...options };
  const program = `
    const { guided } = await import(${JSON.stringify(guided)});
    const given = ${JSON.stringify(given)};
    console.log(JSON.stringify(await guided({ ...given, folder: new URL(given.folder) })));
    process.exit();`;
  const args = ["--input-type=module", "--eval", program];
  return spawnSync(process.execPath, args, { encoding: "utf8" });
}

/** @param {object} options */
function run(options) {
  const { stdout, stderr } = spawned(options);
  assert.equal(stderr, "");
  const { counts, found, missing } = JSON.parse(stdout);
  const [, lines] = missing.find((/** @type {any} */ [path]) => path === "src/files/npy/npy.js");
  return { ...counts.npy, found, lines };
}

test("guided fuzzing keeps the inputs that reach more, and they reach the same again", () => {
  const none = run({ turns: 0 });
  const first = run({ turns: 40, keeps: true });
  assert.deepEqual(first.found, []);
  assert.ok(first.executions >= 40 * 16);
  assert.ok(first.corpus > 5 && first.corpus < 100, `${first.corpus} inputs are kept`);
  assert.ok(first.lines.length < none.lines.length, "they reach branches of the reader");
  const again = run({ turns: 0 });
  assert.ok(again.executions <= 2 * first.corpus + 2, "the kept inputs alone");
  assert.deepEqual(again.lines, first.lines);
  const kept = readFileSync(join(folder, "npy.jsonl"), "utf8").trimEnd().split("\n");
  assert.equal(kept.length, first.corpus);
});

test("guided fuzzing names an input that does not end", () => {
  const { signal, stderr } = spawned({
    ...{ names: ["one that never returns"], turns: 1, patience: 500 },
  });
  assert.equal(signal, "SIGKILL");
  assert.match(stderr, /^no end after 500 ms: one that never returns \{/);
});

test("a branch that is not reached is named by the line in which it begins", () => {
  const source = "a();\nif (b) {\n  c();\n  d();\n}\ne();\n";
  const reached = Uint8Array.from(source, (_, at) => Number(at < 12 || at > 28));
  assert.deepEqual(linesOf(source, reached), ["2: if (b) {"]);
  const brackets = Uint8Array.from(source, (_, at) => Number(at !== 12 && at !== 28));
  assert.deepEqual(linesOf(source, brackets), []);
});
