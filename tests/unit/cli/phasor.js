// Runs the built command line as a user does, in a folder with small models and ports.

import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Worker } from "node:worker_threads";
import { npz, safetensors } from "phasor/files";
import { project } from "../../../scripts/setup/setup.js";
import { load, Tensor } from "../../phasor.js";

export const program = join(project, "dist", "cli.js");

/** @typedef {{code: number, stdout: string, stderr: string}} Said */

/** Commands that have run in a process. @type {Set<string>} */
const started = new Set();

/**
 * Runs a command: in a process the first time, and where it is given an input or options of Node; else in a thread.
 * @param {string} folder  where it runs
 * @param {string[]} args
 * @param {Record<string, string>} [env]  what the hub's programs have on this machine does not count
 * @param {string | Uint8Array} [input]  of standard input
 * @returns {Promise<Said>}
 */
export function phasorIn(folder, args, env, input) {
  const home = { HF_HOME: join(folder, ".huggingface"), HF_TOKEN: "", HF_ENDPOINT: "" };
  const all = { ...process.env, ...home, ...env };
  const isPlain = !env?.NODE_OPTIONS && input === undefined && !args.includes("-");
  if (isPlain && started.has(args[0])) return inThread(folder, args, all);
  started.add(args[0]);
  const options = { cwd: folder, env: all, maxBuffer: 2 ** 26 };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [program, ...args], options, (error, ...said) => {
      const [stdout, stderr] = said;
      resolve({ code: Number(error?.code ?? 0), stdout, stderr });
    });
    child.stdin?.on("error", () => {}); // a command that reads none may end before
    child.stdin?.end(input ?? "");
  });
}

/** @type {Worker | undefined} */
let thread;
/** The call before, which has the thread. @type {Promise<unknown>} */
let before = Promise.resolve();

/** @param {string} folder @param {string[]} args @param {NodeJS.ProcessEnv} env @returns {Promise<Said>} */
function inThread(folder, args, env) {
  const call = before.then(async () => {
    thread ??= new Worker(new URL("thread.js", import.meta.url), { workerData: { program } });
    thread.ref();
    const own = process.cwd(); // which threads share
    process.chdir(folder);
    try {
      thread.postMessage({ args, env });
      return (await once(thread, "message"))[0];
    } finally {
      process.chdir(own);
      thread.unref();
    }
  });
  before = call.catch(() => {});
  return call;
}

/** The configuration of Llama 3.1, as its file has it. */
export const llama = {
  ...{ architectures: ["LlamaForCausalLM"], model_type: "llama", bos_token_id: 128000 },
  ...{ hidden_size: 4096, num_attention_heads: 32, num_key_value_heads: 8, num_hidden_layers: 32 },
  ...{ vocab_size: 128256, max_position_embeddings: 131072, rope_theta: 500000 },
  rope_scaling: {
    ...{ rope_type: "llama3", factor: 8, low_freq_factor: 1, high_freq_factor: 4 },
    original_max_position_embeddings: 8192,
  },
  torch_dtype: "bfloat16",
};

/** Its frequencies. */
export const scaled = {
  base: 500000,
  scaling: {
    type: /** @type {const} */ ("llama3"),
    ...{ factor: 8, lowFreqFactor: 1, highFreqFactor: 4, originalLength: 8192 },
  },
};

/** Six words on two axes: the nearest of each is known. */
export const words = ["[PAD]", "king", "queen", "cat", "dog", "##s"];
export const rows = [
  [0, 0, 0],
  [4, 0, 0],
  [4, 1, 0],
  [0, 4, 1],
  [0, 4, 2],
  [0, 0, 8],
];

/**
 * An empty folder with some files; its removal is the test's.
 * @param {{after: (clean: () => Promise<void>) => void}} t
 * @param {Record<string, string | Uint8Array>} files  by path
 */
export async function folderOf(t, files = {}) {
  const folder = await mkdtemp(join(tmpdir(), "phasor-cli-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const put = async (/** @type {string} */ path, /** @type {string | Uint8Array} */ content) => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  };
  for (const [path, content] of Object.entries(files)) await put(path, content);
  return {
    folder,
    put,
    /** @param {string[]} args */
    phasor: (...args) => phasorIn(folder, args),
    /** The document that --json prints. @param {string[]} args */
    async json(...args) {
      const { code, stdout, stderr } = await phasorIn(folder, [...args, "--json"]);
      return { code, stderr, data: JSON.parse(stdout) };
    },
    /** @param {string} path */
    read: (path) => readFile(join(folder, path)),
  };
}

/** A model of a few words, in the files of a folder. */
export const tiny = Object.freeze({
  "model.safetensors": safetensors.write({ "embeddings.word_embeddings.weight": rows }),
  "vocab.txt": `${words.join("\n")}\n`,
});

/** The files of the site's GloVe vectors as a model: 10,000 words. */
export async function glove() {
  const data = join(project, "web", "data");
  const file = await safetensors.read(await readFile(join(data, "glove-10k-100d.safetensors")));
  const weight = await file.tensor("embedding.weight", { scale: "embedding.scale" });
  return {
    "model.safetensors": safetensors.write({ "embedding.weight": weight }),
    "vocab.txt": await readFile(join(data, "glove-10k-words.txt")),
  };
}

/** A model of sentence vectors, and those of a host that takes the first token for the mean. */
export async function sentenceModel() {
  const { pooling, normalize } = await load();
  const st = "sentence_transformers.models.";
  const modules = ["Transformer", "Pooling", "Normalize"].map((name, idx) => ({
    ...{ idx, name: String(idx), path: idx > 0 ? `${idx}_${name}` : "", type: st + name },
  }));
  const numbers = Float32Array.from({ length: 2 * 6 * 4 }, (_, i) => Math.sin(i * i));
  const tokens = new Tensor(numbers, [2, 6, 4]);
  const mask = [[1, 1, 1, 1, 0, 0], [1, 1, 1, 1, 1, 1]]; // prettier-ignore
  const vectors = normalize.l2(pooling.apply(tokens, { mask, mode: "cls" }));
  const prompts = { query: "query: ", document: "" };
  return {
    "minilm/model.safetensors": safetensors.write({ "embeddings.word_embeddings.weight": rows }),
    "minilm/modules.json": JSON.stringify(modules),
    "minilm/1_Pooling/config.json": JSON.stringify({
      ...{ word_embedding_dimension: 4, pooling_mode_mean_tokens: true, include_prompt: true },
    }),
    "minilm/config_sentence_transformers.json": JSON.stringify({
      ...{ prompts, default_prompt_name: "query", similarity_fn_name: "cosine" },
    }),
    "vectors.npz": await npz.write({ vectors, tokens, mask }),
  };
}

/** Files of ports of Llama 3.1, right and wrong. */
export async function ports() {
  const { rope } = await load();
  const forgotten = { base: 500000 };
  return {
    "port.npz": await npz.write(rope.table(64, 128, scaled)),
    "forgotten.npz": await npz.write(rope.table(64, 128, forgotten)),
  };
}
