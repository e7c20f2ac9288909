// `npm run test:atlas`: runs every family of transformers as a tiny model with random weights, and compares
// what enters its first layer and what its layers rotate with what `phasor/models` says. It writes
// build/atlas/atlas.json, a row for each family, and fails if a family differs.
// `-- --write` replaces the recorded sample of the tests and the site's atlas; names of families limit the run.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "./build.js";
import { installFromPyPI } from "./install.js";
import { run, step } from "./run.js";
import { project, setup } from "./setup.js";

const folder = join(project, "build/atlas");
const recorded = join(folder, "recorded");
const sources = join(project, "tests/atlas");

/** Families in the sample that `npm test` compares, which are the most used or have a trap of their own. */
const SAMPLE =
  `albert bart bert camembert cohere2 deberta-v2 deepseek_v3 distilbert electra exaone4 gemma2
  gemma3_text glm gpt2 gpt_neox gptj granite llama llama4_text m2m_100 marian modernbert mpnet nomic_bert
  olmo3 opt phi3 qwen2_vl qwen3_next roberta roformer smollm3 t5 xglm xlm-roberta`.split(/\s+/);

/** @param {string} file  a safetensors file @param {any} safetensors */
async function read(file, safetensors) {
  const opened = await safetensors.read(readFileSync(file));
  const entries = opened.names.map(async (/** @type {string} */ name) => [
    name,
    await opened.tensor(name),
  ]);
  return Object.fromEntries(await Promise.all(entries));
}

/** The recorded families with their tensors. @param {readonly string[]} names @param {any} safetensors */
async function* families(names, safetensors) {
  const all = readdirSync(recorded).filter((name) => name.endsWith(".json"));
  for (const file of all.sort()) {
    const facts = JSON.parse(readFileSync(join(recorded, file), "utf8"));
    if (names.length > 0 && !names.includes(facts.family)) continue;
    const tensors = facts.config
      ? await read(join(recorded, `${facts.family}.safetensors`), safetensors)
      : {};
    yield { facts, tensors };
  }
}

try {
  const options = process.argv.slice(2);
  const write = options.includes("--write");
  const names = options.filter((option) => !option.startsWith("--"));
  const tools = await setup(["python"]);
  await build({ types: false });
  const environment = join(folder, "python");
  const { stdout } = await run(String(tools.python), ["--version"], { capture: true });
  if (!stdout.startsWith("Python 3.11.")) {
    throw new Error(`python3 must be Python 3.11; got ${stdout.trim()}.`);
  }
  const list = join(sources, "requirements.txt");
  await installFromPyPI("transformers and PyTorch", list, environment, [
    "--no-deps",
    "--only-binary=:all:",
  ]);
  mkdirSync(recorded, { recursive: true });
  await step("Running the families", () =>
    run(join(environment, "bin/python"), ["-B", join(sources, "record.py"), recorded, ...names]),
  );
  const { load } = await import("phasor");
  const { atlas, models } = await import("phasor/models");
  const { open } = await import("phasor/open");
  const { safetensors } = await import("phasor/files");
  const { compare } = await import("../tests/atlas/compare.js");
  const { sampled } = await import("../tests/atlas/sample.js");
  const phasor = await load();
  const rows = [];
  /** @type {Record<string, any>} */
  const sample = {};
  for await (const { facts, tensors } of families(names, safetensors)) {
    rows.push(await compare(facts, tensors, { models, open, phasor, safetensors }));
    if (SAMPLE.includes(facts.family)) sample[facts.family] = { facts, tensors };
  }
  const counts = count(rows);
  const version = readFileSync(join(recorded, "version.txt"), "utf8");
  const date = new Date().toISOString().slice(0, 10);
  const record = { transformers: version, date, counts, families: rows };
  writeFileSync(join(folder, "atlas.json"), `${JSON.stringify(record, null, 1)}\n`);
  for (const row of rows) {
    if (![row.rotation, row.input, row.table].includes("differs")) continue;
    console.log(`${row.family}: ${row.why.join("; ")}`);
    process.exitCode = 1;
  }
  console.log(JSON.stringify(counts, null, 2));
  if (write) {
    const known = new Set(atlas().map(({ family }) => family));
    const shown = rows
      .filter(({ family }) => known.has(family))
      .map(({ scheme, why, ...row }) => row);
    const site = { transformers: version, date, families: shown };
    const lines = JSON.stringify(site).replaceAll('{"family"', '\n{"family"');
    writeFileSync(join(project, "web/models/atlas/atlas.json"), `${lines}\n`);
    const { config, tensors } = sampled(sample);
    writeFileSync(join(sources, "sample.json"), `${JSON.stringify(config, null, 1)}\n`);
    writeFileSync(join(sources, "sample.safetensors"), safetensors.write(tensors));
  }
} catch (error) {
  console.error(/** @type {Error} */ (error).message);
  process.exitCode = 1;
}

/** @param {import("../tests/atlas/compare.js").Row[]} rows */
function count(rows) {
  const of = (/** @type {"rotation" | "input" | "table"} */ what) => {
    /** @type {Record<string, number>} */
    const counts = {};
    for (const row of rows) counts[row[what]] = (counts[row[what]] ?? 0) + 1;
    return counts;
  };
  const unknown = rows.filter(({ scheme }) => scheme === "unknown").length;
  return {
    families: rows.length,
    unknown,
    rotation: of("rotation"),
    input: of("input"),
    table: of("table"),
  };
}
