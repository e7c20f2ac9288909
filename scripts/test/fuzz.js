// `npm run x -- fuzz`: mutated files for every reader of files and configurations, and options of every function.
// A case is made from its target, the seed and its index alone, so that a failure can be reproduced.
//   npm run x -- fuzz                                      a minute, all targets
//   npm run x -- fuzz --minutes 60 --seed 7 gguf npz       an hour, those targets
//   npm run x -- fuzz --replay gguf --seed 7 --case 1234   one case, with its bytes
//   npm run x -- fuzz --python                             installs NumPy, safetensors and gguf first, to compare with
//   npm run x -- fuzz --keep                               what is found is written to tests/attacks/fuzz/found
//   npm run x -- fuzz --guided                             guided by coverage, from tests/attacks/fuzz/corpus, which --keep
//                                                          writes; lists the branches that no file has reached
//   npm run x -- fuzz --record FILE                        writes the counts that the guide "Reliability" shows

import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { build } from "../package/build.js";
import { installFromPyPI } from "../setup/install.js";
import { project } from "../setup/setup.js";

const { values, positionals: names } = parseArgs({
  allowPositionals: true,
  options: {
    minutes: { type: "string" },
    seconds: { type: "string" },
    seed: { type: "string" },
    threads: { type: "string" },
    replay: { type: "string" },
    case: { type: "string" },
    keep: { type: "boolean" },
    guided: { type: "boolean" },
    record: { type: "string" },
    python: { type: "boolean" },
  },
});

await build();
if (values.python) {
  const list = join(project, "tests/truth/interop/python/requirements.txt");
  const folder = join(project, "build/interop/python");
  await installFromPyPI("NumPy, safetensors and gguf", list, folder);
}
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 32));
if (values.replay) await replay(values.replay, Number(values.case));
else if (values.guided) await guide();
else await attack();
process.exit();

async function guide() {
  const { guided } = await import("../../tests/attacks/fuzz/guided.js");
  const seconds = Number(values.seconds ?? 60 * Number(values.minutes ?? 1));
  console.log(`Seed ${seed}, ${seconds} s, guided by coverage`);
  const { counts, found, missing } = await guided({ seed, seconds, names, keeps: values.keep });
  console.table(counts);
  for (const [path, lines] of missing.filter(([, { length }]) => length > 0)) {
    console.log(`${path}: ${lines.length} branches not reached\n  ${lines.join("\n  ")}`);
  }
  for (const one of found.slice(0, 20)) console.log(`${JSON.stringify(one)}\n`);
  if (values.keep) found.forEach(keep);
  console.log(`${found.length} findings`);
  if (found.length > 0) process.exitCode = 1;
}

async function attack() {
  const { fuzz } = await import("../../tests/attacks/fuzz/fuzz.js");
  const seconds = Number(values.seconds ?? 60 * Number(values.minutes ?? 1));
  const threads = values.threads === undefined ? undefined : Number(values.threads);
  console.log(`Seed ${seed}, ${seconds} s`);
  const report = await fuzz({ seconds, seed, names, threads });
  console.table(report.counts);
  console.log("Compared with Python:", report.python.compared);
  for (const [reader, why] of Object.entries(report.python.skipped)) {
    console.log(`Not compared with Python, ${reader}: ${why}`);
  }
  for (const { target, index, broken } of report.found.slice(0, 20)) {
    console.log(
      `npm run x -- fuzz --replay "${target}" --seed ${seed} --case ${index}\n  ${broken}\n`,
    );
  }
  const options = names.length > 0 ? undefined : await attackOptions(seconds);
  if (values.keep) report.found.forEach(keep);
  if (values.record) await record(values.record, report, options);
  console.log(`${report.found.length} findings`);
  if (report.found.length > 0) process.exitCode = 1;
}

/** @param {string} name @param {number} index */
async function replay(name, index) {
  const { caseOf, judged, targetOf, written } = await import("../../tests/attacks/fuzz/attack.js");
  const target = targetOf(name);
  const one = caseOf(target, seed, index);
  console.log(JSON.stringify(written(one.input)));
  const { isAccepted, code, broken } = await judged(target, one);
  console.log(broken ?? (isAccepted ? "accepted, as the file says" : `refused: ${code}`));
  if (broken) process.exitCode = 1;
}

/** Writes a fixture. @param {import("../../tests/attacks/fuzz/fuzz.js").Found} found */
function keep({ target, index, broken, ...input }) {
  const text = JSON.stringify({ target, seed, index, broken: broken.split("\n")[0], ...input });
  const name = createHash("sha256").update(text).digest("hex").slice(0, 8);
  const path = join("tests/attacks/fuzz/found", `${target.replace(/\W/g, "-")}-${name}.json`);
  writeFileSync(join(project, path), `${text}\n`);
  console.log(`Written: ${path}`);
}

/**
 * Options and arguments of every function; a failure is thrown with the arguments that reproduce it.
 * @param {number} seconds  of the whole run
 */
async function attackOptions(seconds) {
  const { attackAllOptions } = await import("../../tests/attacks/fuzz/options.js");
  const count = await attackAllOptions({ runs: Math.ceil(2 * seconds), seed: seed | 0 });
  const { functions, executions, accepted } = count;
  console.log(`Options: ${executions} calls of ${functions} functions, ${accepted} computed`);
  return { ...count, found: 0 };
}

/**
 * Adds a run to the record of the site.
 * @param {string} file @param {import("../../tests/attacks/fuzz/fuzz.js").Report} report @param {object} [options]
 */
async function record(file, { seconds, counts, found, python }, options) {
  const { pointsOfMemory } = await import("../../tests/attacks/faults/points.js");
  const folder = join(project, "tests/attacks/fuzz/found");
  const mended = readdirSync(folder).map((name) =>
    JSON.parse(readFileSync(join(folder, name), "utf8")),
  );
  const targets = Object.entries(counts).map(([name, count]) => {
    const of = (/** @type {{ target: string }[]} */ list) =>
      list.filter(({ target }) => target === name).length;
    return [name, { ...count, found: of(found), mended: of(mended) }];
  });
  const recorded = {
    ...(existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {}),
    date: new Date().toISOString().slice(0, 10),
    node: process.versions.node,
    ...(options && { options }),
    faults: await pointsOfMemory(),
    fuzz: {
      seconds,
      seed,
      found: found.length,
      counts: Object.fromEntries(targets),
      python: python.compared,
    },
  };
  writeFileSync(file, `${JSON.stringify(recorded, null, 2)}\n`);
}
