import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, test } from "node:test";
import { safetensors } from "phasor/files";
import { load, optionsOf, summarize } from "phasor/lab";
import { pytorch } from "../../../src/lab/pytorch.js";
import { folderOf } from "./phasor.js";

const text = "the lab reads a text. ".repeat(200);
const { folder, phasor, json } = await folderOf({ after }, { "text.txt": text });
const small = "--steps 8 --batch 4 --tokens 256 --test 1,2".split(" ");

test("phasor lab prints what was run, and a line for each scheme and reading", async () => {
  const of = ["needle", "back", "--schemes", "rope,alibi", "--seeds", "2"];
  const { code, stdout, stderr } = await phasor("lab", ...of, ...small);
  assert.deepEqual([code, stderr], [0, ""]);
  const lines = stdout.split("\n");
  assert.equal(
    lines[0],
    "2 schemes x 2 seeds: 8 steps of 4 x 32 tokens, rate 0.006, width 32, 2 heads, 1 layer; tests of 256 tokens",
  );
  assert.equal(lines[1], "needle: accuracy, chance 0.25; mean (standard deviation)");
  assert.match(lines[2], /^ {2}tokens +32 +64$/);
  const names = lines.slice(3, 8).map((line) => /^ {2}(\S+(?:, \w+)?) {2,}/.exec(line)?.[1]);
  assert.deepEqual(names, ["rope", "rope, linear", "rope, ntk", "rope, yarn", "alibi"]);
  for (const line of lines.slice(3, 8)) assert.match(line, /( 0\.\d{3} \(0\.\d{3}\)){1} +0\.\d{3} \(0\.\d{3}\)$/); // prettier-ignore
  assert.equal(lines[8], "back: accuracy, chance 0.0625; mean (standard deviation)");
});

test("phasor lab --json prints all rows, those of the package", async () => {
  const of = ["latest", "--schemes", "kerple", "--seeds", "2", "--dim", "16", "--workers", "1"];
  const { data } = await json("lab", ...of, ...small);
  const { lab } = await load();
  const rows = await lab.experiment({
    ...{ steps: 8, batch: 4, tokens: 256, test: [1, 2], seeds: 2, dim: 16 },
    tasks: ["latest"],
    schemes: ["kerple"],
  });
  const plain = (/** @type {readonly any[]} */ all) =>
    JSON.parse(
      JSON.stringify(all.map((row) => ({ ...row, byPosition: row.byPosition.toArray() }))),
    );
  assert.deepEqual(data.rows, plain(rows));
  assert.deepEqual(data.lines, plain(summarize(rows)));
  assert.deepEqual(data.settings, {
    ...{ steps: 8, batch: 4, length: 32, learningRate: 0.006 },
    ...{ dim: 16, heads: 2, layers: 1, tokens: 256 },
  });
});

test("phasor lab text reads a file, and one seed has no deviation", async () => {
  const of = ["text", "--text", "text.txt", "--schemes", "rope", "--seeds", "1"];
  const more = ["--readings", "none", "--length", "16"];
  const { code, stdout } = await phasor("lab", ...of, ...more, ...small);
  assert.equal(code, 0);
  assert.match(stdout, /\ntext: loss in nats; mean \(standard deviation\)\n/);
  assert.match(stdout, /\n {2}rope +\d\.\d{3} \(-\) +\d\.\d{3} \(-\)\n$/);
});

test("phasor lab --pytorch writes a training and what its program reads", async () => {
  const of = ["needle", "--schemes", "rope", "--steps", "8", "--batch", "4", "--dim", "16"];
  const { code, stdout, stderr } = await phasor("lab", ...of, "--pytorch", "run.py");
  assert.deepEqual([code, stderr], [0, ""]);
  assert.match(
    stdout,
    /^wrote run\.py and run\.safetensors: 8 steps, the last loss \d\.\d{3}\npython run\.py trains the same and compares the losses\n$/,
  );
  const { lab } = await load();
  const task = lab.tasks.needle();
  const position = /** @type {const} */ ({ scheme: "rope" });
  const made = { vocabulary: task.vocabulary, position, seed: 1, dim: 16 };
  const training = { steps: 8, batch: 4 };
  const { program, tensors } = pytorch({ lab, optionsOf }, task, made, training);
  assert.equal(await readFile(join(folder, "run.py"), "utf8"), program);
  const bytes = new Uint8Array(await readFile(join(folder, "run.safetensors")));
  assert.deepEqual(bytes, safetensors.write(tensors));
});

test("phasor lab --pytorch writes one training, and says what it needs", async () => {
  for (const [of, words] of /** @type {[string[], string][]} */ ([
    [["needle"], "--pytorch needs one TASK and one of --schemes; got 1 task and 0 schemes"],
    [["needle", "back", "--schemes", "rope,alibi"], "got 2 tasks and 2 schemes"],
    [["needle", "--schemes", "rope", "--seeds", "2"], "--seeds must not be given with --pytorch"],
    [["needle", "--schemes", "rope", "--test", "1"], "--test must not be given with --pytorch"],
  ])) {
    const { code, stderr } = await phasor("lab", ...of, "--pytorch", "run.py");
    assert.equal(code, 2);
    assert.ok(stderr.includes(words), stderr);
  }
  const { code, stderr } = await phasor("lab", "back", "--schemes", "rope", "--pytorch", "run");
  assert.equal(code, 2);
  assert.match(stderr, /--pytorch must be a file \.py; got run\n/);
});
