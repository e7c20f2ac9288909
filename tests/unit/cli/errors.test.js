import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { open } from "node:fs/promises";
import { after, test } from "node:test";
import { gzipSync } from "node:zlib";
import { serveHub } from "../files/hub.js";
import { folderOf, llama, phasorIn, program, tiny } from "./phasor.js";

const pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 548105171\n";
const hub = await serveHub({});
after(hub.close);

const { folder, phasor } = await folderOf(
  { after },
  {
    "lfs/model.safetensors": pointer,
    "page/model.safetensors": "<!DOCTYPE html>\n<html><body>Not found</body></html>",
    "zipped/model.safetensors": gzipSync(Buffer.alloc(64)),
    "empty/model.safetensors": "",
    "page.json": "<html><body></body></html>",
    "text.json": "{",
    "weights/pytorch_model.bin": "PK\u0003\u0004",
    "strange/config.json": JSON.stringify({ model_type: "nobody", rope_theta: 10000 }),
    "gpt.json": JSON.stringify({ ...llama, model_type: "gpt2" }),
    "model.safetensors": tiny["model.safetensors"],
    "bare/model.safetensors": tiny["model.safetensors"],
    "other/model.safetensors": tiny["model.safetensors"],
    "other/config.json": JSON.stringify({ ...llama, hidden_size: 384, vocab_size: 30522 }),
  },
);

/** Arguments, the exit code, and what stderr is. @type {readonly [string, number, RegExp][]} */
const wrong = [
  [
    "explore ./nowhere",
    1,
    /^phasor explore: source must be a file or folder; got \.\/nowhere: ENOENT/,
  ],
  [
    "explore weights/pytorch_model.bin",
    1,
    /^phasor explore: source must have weights as .*got "pytorch_/,
  ],
  ["explore lfs", 1, /; got a Git LFS pointer, .* \(run: git lfs pull\)\n$/],
  ["rows page 1", 1, /; got an HTML page \(/],
  ["norms zipped", 1, /; got a gzip file \(run: gunzip\)\n$/],
  ["pca empty", 1, /; got an empty file\n$/],
  ["config page.json", 1, /^phasor config: page\.json must be a configuration; got an HTML page/],
  ["rope lfs/model.safetensors", 1, /got a Git LFS pointer/],
  ["config text.json", 1, /^phasor config: config must be JSON; got /],
  [
    "config ./no.json",
    1,
    /^phasor config: CONFIG must be a file or folder, or a name; got \.\/no\.json/,
  ],
  [
    "config bare",
    1,
    /^phasor config: bare must have a configuration that can be read; got none\n$/,
  ],
  [
    "rope gpt2",
    1,
    /^phasor rope: the model must use rotary embeddings; got scheme "learnedPositions"/,
  ],
  [`explore o/none --base ${hub.url}`, 1, /got 401 \(not there, private, or gated; RepoNotFound\)/],
  [`rope lama-3.1-8b --base ${hub.url}`, 1, /got 401 .*; did you mean "llama-3\.1-8b"\?\n$/],
  ["explore o/none --base http://127.0.0.1:9", 1, /got "fetch failed: .+" after 0 bytes\n$/],
  ["check page.json --model llama-3.1-8b", 1, /end record of a ZIP archive; got an HTML page/],
  [
    "check no.npz --model llama-3.1-8b",
    1,
    /^phasor check: PORT must be a file; got no\.npz: ENOENT/,
  ],
  ["check no.npz", 2, /^phasor check: --model must be given: /],
  [
    "check no.npz --model gemma-3-1b --layer 26",
    2,
    /^phasor check: --layer must be less than 26; got 26/,
  ],
  ["explor x", 2, /^phasor: COMMAND must be one of .*; got "explor"; did you mean "explore"\?\n$/],
  ["rows .", 2, /^phasor rows: arguments must be MODEL TEXT\|IDS\.\.\.; got 1\n$/],
  ["norms a b", 2, /^phasor norms: arguments must be MODEL; got 2\n$/],
  ["nearest . 1 --kay 2", 2, /^phasor nearest: options must be among --k, .*; got "--kay"/],
  ["nearest . 1 --metrik dot", 2, /; got "--metrik"; did you mean "--metric"\?\n$/],
  ["nearest . 1 --metric dott", 2, /^phasor nearest: --metric must be one of cosine, .*"dot"\?\n$/],
  [
    "nearest . 1 --k two",
    2,
    /^phasor nearest: --k must be a whole number from 1 to 2147483647; got "two"\n$/,
  ],
  ["nearest . 1 --k", 2, /^phasor nearest: --k must get a value; got none\n$/],
  [
    "rope llama-3.1-8b --length 0",
    2,
    /^phasor rope: --length must be a whole number from 1 to 2147483647; got "0"/,
  ],
  [
    "table sinusoidl 4 4",
    2,
    /^phasor table: SCHEME must be one of .*did you mean "sinusoidal"\?\n$/,
  ],
  ["table sinusoidal 4", 2, /^phasor table: sinusoidal must be called with length and dim; got 1/],
  ["table sinusoidal 4 4 --set bas=1", 2, /for sinusoidal; got "bas=1"; did you mean "base"\?\n$/],
  [
    "table sinusoidal 4 4 --set base=x",
    2,
    /^phasor table: --set base must be a number; got "x"\n$/,
  ],
  [
    "table rope 4 4 --npy x.npy",
    2,
    /^phasor table: --npy must get one array; got cos and sin of rope/,
  ],
  ["table xpos 4 4 --npy x.npy", 2, /got query_cos, query_sin, key_cos and key_sin of xpos: use/],
  ["table t5Bias 2 4", 2, /^phasor table: t5Bias must be called with length; got 2 numbers\n$/],
  [
    "config ./gpt.json --revision main",
    2,
    /: --revision and --base must come with a name on the hub; got \.\/gpt\.json\n$/,
  ],
  ["table sincosGrid 4 4", 2, /must be called with height, width and dim; got 2 numbers\n$/],
  [
    "table rope 4 8 1",
    2,
    /^phasor table: rope must be called with length and dim; got 3 numbers\n$/,
  ],
  ["lab", 2, /^phasor lab: arguments must be TASK\.\.\.; got 0\n$/],
  ["lab needl", 2, /^phasor lab: TASK must be one of .*; did you mean "needle"\?\n$/],
  [
    "lab needle --schemes ropee",
    2,
    /: --schemes must be one of none, .*; did you mean "rope"\?\n$/,
  ],
  ["lab needle --readings pi", 2, /: --readings must be one of linear, ntk, yarn; got "pi"\n$/],
  ["lab needle --test 1,x", 2, /: --test must be a whole number from 1 to 2147483647; got "x"\n$/],
  ["lab needle --rate 0", 2, /: --rate must be a number above 0; got "0"\n$/],
  ["lab text", 2, /: --text must be a file for the task text; got none\n$/],
  ["lab needle --text a.txt", 2, /: --text must come with the task text; got needle\n$/],
  ["table --npy x.npy", 2, /^phasor table: --npy must come with a SCHEME; got none\n$/],
  ["table --set base=1", 2, /^phasor table: --set must come with a SCHEME; got none\n$/],
  ["pca bare --points 9", 2, /^phasor pca: --points must come with --svg; got it alone\n$/],
  ["config gpt2 --tower vision", 2, /: --tower must come with a config.json; got it with gpt2\n$/],
  ["lab text --text nowhere", 1, /: --text must be a file; got nowhere: ENOENT/],
  ["lab needle --heads 3", 1, /^phasor lab: heads must divide dim, 32; got 3 \(needle, none\)\n$/],
  [
    "lab needle --schemes rope --rate 1e30 --seeds 1",
    1,
    /^phasor lab: The loss of step 1 is not a number, .* \(needle, rope, seed 1\)\n$/,
  ],
  ["table rope 4 5", 1, /^phasor table: dim must /],
  ["table rope -4 8", 2, /^phasor table: numbers must not be negative; got "-4"\n$/],
  [
    "rope llama-3.1-8b --length -5",
    2,
    /^phasor rope: --length must get a value that .*; got "-5"\n$/,
  ],
  ["explore ", 2, /^phasor explore: arguments must be .*; got an empty one\n$/],
  [
    "table alibi 2 2 --npy no/x.npy",
    1,
    /^phasor table: FILE must be writable; got no\/x\.npy: ENOENT/,
  ],
  ["pca bare --svg no/x.svg", 1, /^phasor pca: FILE must be writable; got no\/x\.svg: ENOENT/],
];

/**
 * The results of some runs, a few at a time.
 * @template T @param {(() => Promise<T>)[]} runs @param {number} count
 */
async function atOnce(runs, count) {
  /** @type {T[]} */
  const results = [];
  for (let i = 0; i < runs.length; i += count) {
    results.push(...(await Promise.all(runs.slice(i, i + count).map((run) => run()))));
  }
  return results;
}

test("errors are one line on stderr, with the exit code of their kind", async () => {
  const runs = wrong.map(
    ([command]) =>
      () =>
        phasor(...command.split(" ")),
  );
  const found = await atOnce(runs, 4);
  for (const [i, [command, code, message]] of wrong.entries()) {
    const { stderr, stdout, code: got } = found[i];
    assert.match(stderr, message, command);
    assert.equal(stderr.split("\n").length, 2, `${command} prints one line`);
    assert.deepEqual([got, stdout], [code, ""], command);
  }
});

test(
  "an unwritable output is an error of one line",
  { skip: !existsSync("/dev/full") },
  async () => {
    const full = await open("/dev/full", "w");
    const { stderr, status } = spawnSync(process.execPath, [program, "table"], {
      stdio: ["ignore", full.fd, "pipe"],
      encoding: "utf8",
    });
    await full.close();
    assert.match(stderr, /^phasor table: the output must be writable; got ENOSPC: .*\n$/);
    assert.equal(status, 1);
  },
);

test("--json of more numbers than a string can hold is an error; without it, a large table is abbreviated", async () => {
  const large = ["table", "sinusoidal", "4097", "4096"];
  const { code, stderr } = await phasor(...large, "--json");
  const rule = "phasor table: --json must print at most 16,777,216 numbers; got 16,781,312";
  assert.deepEqual([code, stderr], [1, `${rule}: write them with --npy or --npz\n`]);
  const { stdout } = await phasor(...large);
  assert.ok(stdout.startsWith("sinusoidal 4,097 x 4,096\n[[ ") && stdout.length < 2000);
});

test("PHASOR_DEBUG=1 also prints the stack", async () => {
  const { stderr } = await phasorIn(folder, ["explore", "./nowhere"], { PHASOR_DEBUG: "1" });
  assert.match(stderr, /^phasor explore: source must be .*\nFileError: source must [^]*\n {4}at /);
});

test("a name that is neither on the hub nor on disk is an error that says both", async () => {
  const failing = "globalThis.fetch=async()=>{throw%20new%20TypeError('fetch%20failed')}";
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${failing}` };
  const { code, stderr } = await phasorIn(folder, ["norms", "models/tiny"], env);
  assert.equal(code, 1);
  assert.match(stderr, /got "fetch failed" .*; there is no folder "models\/tiny" either\n$/);
});

test("config of an unknown family is a report that lists what is unknown", async () => {
  const { code, stdout } = await phasor("config", "strange");
  assert.equal(code, 1);
  assert.match(stdout, /^nobody\n[^]*"nobody" is not a family that phasor knows/);
});

test("explore warns of a configuration that describes other weights", async () => {
  const { code, stdout } = await phasor("explore", "other");
  assert.equal(code, 0);
  assert.match(
    stdout,
    /\n {2}warning: .* must be 30522 x 384 .*; got 6 x 3: is it the configuration/,
  );
});
