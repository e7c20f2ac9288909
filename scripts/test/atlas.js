// `npm run x -- test:atlas`: compares `phasor/models` with the code of transformers and diffusers. Every family runs as
// a tiny model with random weights: what enters its first layer, and what its layers rotate. So do image towers,
// relative biases, caches, hashed n-grams and the rotary modules of pipelines; published configurations and other
// spellings of each family's default give their frequencies, and llama.cpp's converter makes GGUF metadata of them, which
// must give the same. It writes build/atlas/atlas.json and fails if anything differs. A family that
// build/atlas/recorded has of the same version of transformers does not run again.
// `--write` replaces the recorded samples of the tests and the site's atlas; names of families limit the tiny models.

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { written } from "../../tests/truth/atlas/configurations.js";
import { build } from "../package/build.js";
import { installFromPyPI } from "../setup/install.js";
import { fill } from "../setup/once.js";
import { run, step } from "../setup/run.js";
import { again, project, setup } from "../setup/setup.js";

const folder = join(project, "build/atlas");
const recorded = join(folder, "recorded");
const sources = join(project, "tests/truth/atlas");
const environment = join(folder, "python");
const interpreter = join(environment, "bin/python");

/** Families in the sample that `npm test` compares, which are the most used or have a special case. */
const SAMPLE =
  `albert bart bert blip_text_model camembert cohere2 dbrx deberta-v2 deepseek_v3 distilbert electra esm-masked
  esm-rotary exaone4 gemma2 gemma3_text glm gpt2 gpt_neox gptj granite kosmos_2_5_text_model llama llama4_text
  m2m_100 marian modernbert moonshine mpnet nomic_bert olmo3 opt phi3 pix2struct_text_model qwen2_vl qwen3_next
  roberta roformer smollm3 t5 t5_gemma_module t5gemma2_decoder t5gemma2_text xglm xlm-roberta xlstm zamba`.split(
    /\s+/,
  );

/** Families whose code runs the tests of their kits. */
const KITS =
  `bert biogpt bloom codegen cohere cohere2 deepseek_v3 deepseek_v32 ernie4_5 ernie4_5_vl_moe_text exaone4 falcon falcon_h1
  gemma gemma2 gemma3_text gemma4_text glm glm4 glm4_moe glm4v_text gpt2 gpt_neox gpt_oss gptj granite granitemoehybrid helium
  llama llama4_text minimax_m2 ministral3 mistral modernbert mt5 nanochat olmo3 opt persimmon phi phi3 qwen2 qwen2_vl_text
  qwen3 qwen3_moe qwen3_next qwen3_vl_text roberta smollm3 stablelm starcoder2 t5 xglm xlm-roberta`.split(
    /\s+/,
  );

/** The largest difference of float32 steps at the first positions. */
const KIT_BOUND = 1e-6;

/** Runs a program of tests/truth/atlas in build/atlas. @param {string} name @param {...string} given */
function python(name, ...given) {
  return run(interpreter, ["-B", join(sources, name), ...given], { cwd: folder, quiet: true });
}

/**
 * Makes the kits of recorded configurations, and runs their tests against transformers.
 * @param {readonly string[]} families
 * @returns {Promise<Record<string, string[]>>} what is wrong, by family
 */
async function runKits(families) {
  const { vectors } = await import("phasor/vectors");
  const kits = join(folder, "kits");
  rmSync(kits, { recursive: true, force: true });
  for (const family of families) {
    const { config } = JSON.parse(readFileSync(join(recorded, `${family}.json`), "utf8"));
    const { files } = await vectors(config, { length: 16, tests: ["pytest"] });
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(join(kits, family, name)), { recursive: true });
      writeFileSync(join(kits, family, name), content);
    }
  }
  await python("kits.py", "kits", "kits.json");
  /** @type {Record<string, {tests: Record<string, string>, largest: number, kinds: string[]}>} */
  const found = JSON.parse(readFileSync(join(folder, "kits.json"), "utf8"));
  const wrong = families.map((family) => {
    const { tests, largest, kinds } = found[family];
    const failed = Object.entries(tests).filter(([, says]) => !/^(passed|skipped)/.test(says));
    const passes = Object.values(tests).includes("passed");
    const all = [...failed.map((each) => each.join(": ")), ...(kinds ?? [])];
    if (!passes) all.push("no test passed");
    if (largest > KIT_BOUND) all.push(`float32 steps differ by ${largest}`);
    return [family, all];
  });
  return Object.fromEntries(wrong.filter(([, all]) => all.length > 0));
}

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
  const { stdout } = await run(String(tools.python), ["--version"], { capture: true });
  if (!stdout.startsWith("Python 3.11.")) {
    throw new Error(`python3 must be Python 3.11; got ${stdout.trim()}.`);
  }
  const list = join(sources, "requirements.txt");
  const wheels = ["--no-deps", "--only-binary=:all:"];
  await installFromPyPI("transformers and PyTorch", list, environment, wheels);
  mkdirSync(recorded, { recursive: true });
  await step("Running the families", () =>
    run(interpreter, ["-B", join(sources, "record.py"), recorded, ...names]),
  );
  await step("Running biases", () => python("biases.py", "biases.safetensors", "biases.json"));
  const { load } = await import("phasor");
  const { atlas, models } = await import("phasor/models");
  const known = atlas().map(({ family }) => family);
  const schemes = new Map(atlas().map(({ family, scheme }) => [family, scheme]));
  const towers = atlas().filter(({ scheme }) => scheme === "axialRope");
  const towerNames = towers.map(({ family }) => family);
  const texts = known.filter((family) => !towerNames.includes(family));
  writeFileSync(join(folder, "families.json"), JSON.stringify(texts));
  writeFileSync(join(folder, "pictures.json"), JSON.stringify(towerNames));
  writeFileSync(join(folder, "known.json"), JSON.stringify(known));
  const published = join(sources, "published.json");
  await step("Running image towers", () =>
    python("towers.py", "pictures.json", "towers.safetensors", "towers.json"),
  );
  await step("Reading other spellings", () =>
    python("spellings.py", published, "families.json", "spellings.json"),
  );
  const configurations = join(sources, "configurations.json");
  await step("Reading further published configurations", () =>
    python("spellings.py", configurations, "-", "published.json"),
  );
  await step("Reading the keys of families", () => python("keys.py", "known.json", "keys.json"));
  const keys = readFileSync(join(folder, "keys.json"), "utf8");
  const decoders = Object.entries(JSON.parse(keys)).filter(
    ([, { config }]) => models.fromConfig(config).cache,
  );
  writeFileSync(join(folder, "decoders.json"), JSON.stringify(decoders.map(([name]) => name)));
  await step("Running caches", () => python("cache.py", "decoders.json", "cache.json"));
  for (const name of ["ngrams", "recent"]) {
    await step(`Running ${name}.py`, () => python(`${name}.py`, `${name}.json`));
    const found = readFileSync(join(folder, `${name}.json`), "utf8");
    const record = join(sources, `${name}.json`);
    const [now, before] = [found, readFileSync(record, "utf8")].map((text) => JSON.parse(text));
    if (isNear(now, before)) continue;
    if (write) writeFileSync(record, found);
    else {
      console.log(
        `${name}.json: the code gives other numbers than the record; run with --write and npm test`,
      );
      process.exitCode = 1;
    }
  }
  const converter = join(folder, "llama.cpp");
  const named = join(sources, "converter.txt");
  await fill(converter, "Getting llama.cpp's converter from PyPI", [named], () =>
    getConverter(named, converter, String(tools.pip)),
  );
  await step("Converting configurations to GGUF", () =>
    python("converted.py", converter, "spellings.json", "converted.json"),
  );
  const chosen = KITS.filter((family) => names.length === 0 || names.includes(family));
  const kits = await step("Running kits", () => runKits(chosen));
  for (const [family, why] of Object.entries(kits)) {
    console.log(`the kit of ${family}: ${why.join("; ")}`);
    process.exitCode = 1;
  }
  const { fromGguf, open } = await import("phasor/open");
  const { safetensors } = await import("phasor/files");
  const { compare } = await import("../../tests/truth/atlas/compare.js");
  const { sampled } = await import("../../tests/truth/atlas/sample.js");
  const { compareSpelling } = await import("../../tests/truth/atlas/spellings.js");
  const { compareConverted, rounded, sampledFiles } =
    await import("../../tests/truth/atlas/converted.js");
  const { contradicted, sorted } = await import("../../tests/truth/atlas/keys.js");
  const { compareCache } = await import("../../tests/truth/atlas/cache.js");
  const { compareBias, sampledBiases } = await import("../../tests/truth/atlas/biases.js");
  const { compareTower, comparePipeline, PIPELINE_BOUND, sampledTowers } =
    await import("../../tests/truth/atlas/towers.js");
  const phasor = await load();
  const rows = [];
  /** @type {Record<string, any>} */
  const sample = {};
  for await (const { facts, tensors } of families(names, safetensors)) {
    rows.push(await compare(facts, tensors, { models, open, phasor, safetensors }));
    if (SAMPLE.includes(facts.family)) sample[facts.family] = { facts, tensors };
  }
  const pictured = JSON.parse(readFileSync(join(folder, "towers.json"), "utf8"));
  const pictures = await read(join(folder, "towers.safetensors"), safetensors);
  const pieces = { ...pictures, ...(await read(join(folder, "biases.safetensors"), safetensors)) };
  const piecesOf = (/** @type {string} */ name) =>
    Object.fromEntries(
      Object.entries(pieces)
        .filter(([key]) => key.startsWith(`${name}/`))
        .map(([key, piece]) => [key.slice(name.length + 1), piece]),
    );
  for (const [family, tower] of Object.entries(pictured.towers)) {
    const { result, why } = compareTower(tower, piecesOf(family), { models, phasor });
    const row = rows.find((row) => row.family === family);
    if (row) Object.assign(row, { rotation: result, class: tower.class, why });
  }
  /** @type {Record<string, {config: Record<string, any>}>} */
  const biased = JSON.parse(readFileSync(join(folder, "biases.json"), "utf8"));
  const biases = Object.entries(biased).map(([name, { config }]) => ({
    name,
    ...compareBias(config, piecesOf(name), { models, phasor }),
  }));
  const pipelines = Object.entries(pictured.pipelines).map(([name, { grid }]) => {
    const most = comparePipeline(name, grid, piecesOf(name), phasor);
    return { name, result: most <= PIPELINE_BOUND ? "agrees" : "differs", most };
  });
  /** @type {import("../../tests/truth/atlas/spellings.js").Spelling[]} */
  const spellings = JSON.parse(readFileSync(join(folder, "spellings.json"), "utf8"));
  const spelled = spellings.map((spelling) => compareSpelling(spelling, { models, phasor }));
  /** @type {import("../../tests/truth/atlas/spellings.js").Spelling[]} */
  const others = JSON.parse(readFileSync(join(folder, "published.json"), "utf8"));
  const further = others.map((spelling) => compareSpelling(spelling, { models, phasor }));
  /** @type {import("../../tests/truth/atlas/converted.js").Converted[]} */
  const converted = JSON.parse(readFileSync(join(folder, "converted.json"), "utf8"));
  const files = compareConverted(converted, { fromGguf, models, phasor });
  /** @type {import("../../tests/truth/atlas/cache.js").Cached[]} */
  const kept = JSON.parse(readFileSync(join(folder, "cache.json"), "utf8"));
  const caches = kept.map((row) => compareCache(row, { models }));
  if (caches.length < 200)
    throw new Error(`Only ${caches.length} caches: their models do not run.`);
  const counts = {
    ...count(rows),
    spellings: countOf(spelled.map(({ result }) => result)),
    published: countOf(further.map(({ result }) => result)),
    biases: countOf(biases.map(({ result }) => result)),
    caches: countOf(caches.map(({ result }) => result)),
    pipelines: countOf(pipelines.map(({ result }) => result)),
    files: countOf(files.map(({ result }) => result)),
  };
  for (const pair of sorted(JSON.parse(keys), models).unsorted) {
    console.log(`${pair}: the family's code reads this key, and phasor does not`);
    process.exitCode = 1;
  }
  for (const row of contradicted(JSON.parse(keys), models).wrong) {
    console.log(`${row}: the default of the family's class`);
    process.exitCode = 1;
  }
  const version = readFileSync(join(recorded, "version.txt"), "utf8");
  const date = new Date().toISOString().slice(0, 10);
  const record = {
    transformers: version,
    date,
    counts,
    families: rows,
    spellings: spelled,
    biases,
    pipelines,
    files,
  };
  writeFileSync(join(folder, "atlas.json"), `${JSON.stringify(record, null, 1)}\n`);
  for (const row of rows) {
    if (![row.rotation, row.input, row.table].includes("differs")) continue;
    console.log(`${row.family}: ${row.why.join("; ")}`);
    process.exitCode = 1;
  }
  for (const { name, result, why } of [
    ...spelled,
    ...further,
    ...biases,
    ...caches,
    ...files.map(({ name, ...row }) => ({ name: `GGUF of ${name}`, ...row })),
    ...pipelines.map(({ most, ...of }) => ({ ...of, why: [`it differs by ${most}`] })),
  ]) {
    if (result !== "differs") continue;
    console.log(`${name}: ${why.join("; ")}`);
    process.exitCode = 1;
  }
  console.log(JSON.stringify(counts, null, 2));
  if (write) {
    const shown = rows
      .filter(({ family }) => known.includes(family))
      .map((row) => shownOf(row, biases, schemes));
    const unknown = unknownBy(
      rows.filter(({ family, scheme }) => scheme === "unknown" && !known.includes(family)),
    );
    const site = { transformers: version, date, families: shown, unknown };
    const lines = JSON.stringify(site).replaceAll('{"family"', '\n{"family"');
    writeFileSync(join(project, "web/models/atlas/atlas.json"), `${lines}\n`);
    const { config, tensors } = sampled(sample);
    writeFileSync(join(sources, "sample.json"), `${JSON.stringify(config, null, 1)}\n`);
    writeFileSync(join(sources, "sample.safetensors"), safetensors.write(tensors));
    const some = sampledTowers(pictured, pictures);
    writeFileSync(join(sources, "keys.json"), keys);
    const few = sampledBiases(biased, pieces);
    const configs = JSON.stringify(few.facts).replaceAll(/,(?="[^"]+":{"config")/g, ",\n");
    writeFileSync(join(sources, "biases.json"), `${configs}\n`);
    writeFileSync(join(sources, "biases.safetensors"), safetensors.write(few.tensors));
    writeFileSync(join(sources, "towers.json"), `${JSON.stringify(some.facts, null, 1)}\n`);
    writeFileSync(join(sources, "towers.safetensors"), safetensors.write(some.tensors));
    writeFileSync(
      published,
      `${JSON.stringify(recordedIn(published, spellings, rounded), null, 1)}\n`,
    );
    const said = JSON.parse(readFileSync(configurations, "utf8"));
    const whole = JSON.parse(readFileSync(published, "utf8"));
    writeFileSync(configurations, written(said, whole, models));
    const lasting = sampledFiles(converted, files, models).map((file) => JSON.stringify(file));
    writeFileSync(join(sources, "converted.json"), `[\n${lasting.join(",\n")}\n]\n`);
  }
} catch (error) {
  console.error(/** @type {Error} */ (error).message);
  process.exitCode = 1;
}

/**
 * The folders of a source package that have llama.cpp's converter.
 * @param {string} list  names the package @param {string} into  a folder @param {string} pip
 */
async function getConverter(list, into, pip) {
  const download = ["download", "--no-deps", "--no-binary=:all:", "-d", into, "-r", list];
  await again(() => run(pip, download, { quiet: true }));
  const archive = String(readdirSync(into).find((name) => name.endsWith(".tar.gz")));
  const within = `${archive.replace(/\.tar\.gz$/, "")}/vendor/llama.cpp`;
  const members = ["conversion", "gguf-py"].map((name) => `${within}/${name}`);
  await run("tar", ["-xzf", archive, "--strip-components=3", ...members], { cwd: into });
}

/**
 * Whether two records have the same content, but for the last of six digits of fractions, in which machines differ.
 * @param {unknown} a @param {unknown} b @returns {boolean}
 */
function isNear(a, b) {
  const isWhole = Number.isInteger(a) && Number.isInteger(b); // ids
  if (typeof a === "number" && typeof b === "number" && !isWhole) {
    return Math.abs(a - b) <= 2e-6 * Math.max(1, Math.abs(a));
  }
  if (typeof a !== "object" || typeof b !== "object" || !a || !b) return a === b;
  const [own, other] = [Object.entries(a), new Map(Object.entries(b))];
  return (
    own.length === other.size &&
    own.every(([key, value]) => other.has(key) && isNear(value, other.get(key)))
  );
}

/** @param {import("../../tests/truth/atlas/compare.js").Row[]} rows */
function count(rows) {
  const of = (/** @type {"rotation" | "input" | "table"} */ what) =>
    countOf(rows.map((row) => row[what]));
  const unknown = rows.filter(({ scheme }) => scheme === "unknown").length;
  return {
    families: rows.length,
    unknown,
    rotation: of("rotation"),
    input: of("input"),
    table: of("table"),
  };
}

/** How many there are of each word. @param {readonly string[]} words */
function countOf(words) {
  /** @type {Record<string, number>} */
  const counts = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}

/**
 * The published configurations with their interpretation by transformers.
 * @param {string} file @param {readonly import("../../tests/truth/atlas/spellings.js").Spelling[]} spellings
 * @param {typeof import("../../tests/truth/atlas/converted.js").rounded} rounded
 */
function recordedIn(file, spellings, rounded) {
  const published = JSON.parse(readFileSync(file, "utf8"));
  for (const { name, kinds, rotary } of spellings) {
    if (!Object.hasOwn(published, name)) continue;
    Object.assign(published[name], { kinds, rotary: rounded(rotary) });
  }
  return published;
}

/**
 * What the site shows of a family. `module`: the piece that computes its positions was run alone; `read`: nothing of a
 * family that is described was run.
 * @param {import("../../tests/truth/atlas/compare.js").Row} row
 * @param {readonly {name: string, result: string}[]} biases @param {ReadonlyMap<string, string>} schemes
 */
function shownOf({ scheme, why, ...row }, biases, schemes) {
  const { family, rotation, input, table } = row;
  const module = biases.find(({ name }) => name === family)?.result;
  const isDescribed = !["other", "unknown"].includes(String(schemes.get(family)));
  const isRun = [rotation, input, table, module].includes("agrees");
  return {
    ...row,
    ...(module && isDescribed && { module }),
    ...(isDescribed && !isRun && { read: true }),
  };
}

/**
 * Families by the reason why they are not described.
 * @param {import("../../tests/truth/atlas/compare.js").Row[]} rows
 */
function unknownBy(rows) {
  /** @type {Record<string, string[]>} */
  const by = {};
  for (const { family, why } of rows) {
    const [first = ""] = why;
    const reason = /not a family that phasor knows/.test(first)
      ? "It was run, and its input or rotation is none that phasor computes"
      : /no model of this configuration alone/.test(first)
        ? "A part that transformers does not run alone"
        : first === ""
          ? "It takes no tokens, and no rotation was seen"
          : "It could not be made tiny, or transformers' default of it does not run";
    (by[reason] ??= []).push(family);
  }
  return by;
}
