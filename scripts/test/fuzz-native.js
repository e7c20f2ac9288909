// `npm run x -- fuzz:native`: the decoders of number formats under libFuzzer, AddressSanitizer and
// UndefinedBehaviorSanitizer, where Clang has them.
//   npm run x -- fuzz:native --seconds 600
//   npm run x -- fuzz:native --record FILE   writes the counts that the guide "Reliability" shows
//   npm run x -- fuzz:native FILE            one case that was found

import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { run } from "../setup/run.js";
import { project, setup } from "../setup/setup.js";

const { values, positionals: cases } = parseArgs({
  allowPositionals: true,
  options: { seconds: { type: "string", default: "60" }, record: { type: "string" } },
});

const folder = join(project, "build/fuzz-native");
const sources = [
  "src/embedding/dtypes/blocks.cpp",
  "src/embedding/dtypes/dtypes.cpp",
  "src/math/half.cpp",
  "tests/attacks/fuzz/native/decoders.cpp",
];
const checks = ["-fsanitize=fuzzer,address,undefined", "-fno-sanitize-recover=all"];

const clang = ["clang++-19", "clang++"].find((name) => links(name));
if (clang) await attack(clang);
else
  console.log(
    "The decoders are not fuzzed: no clang++ here has libFuzzer (Debian: libclang-rt-19-dev).",
  );

/** Whether a compiler is there and has libFuzzer. @param {string} name */
function links(name) {
  mkdirSync(folder, { recursive: true });
  const source = join(folder, "empty.cpp");
  writeFileSync(
    source,
    'extern "C" int LLVMFuzzerTestOneInput(const char*, unsigned long) { return 0; }\n',
  );
  const { status } = spawnSync(name, [...checks, source, "-o", join(folder, "empty")]);
  return status === 0;
}

/** @param {string} clang */
async function attack(clang) {
  const { simde } = await setup(["native"]);
  const program = join(folder, "decoders");
  // A default folder that is named again hides the C library's headers from C++'s.
  const beside = simde && simde !== "/usr/include" ? ["-isystem", simde] : [];
  // As in CMakeLists.txt: nothing is contracted, so that the kernel and its definition agree.
  const options = ["-std=c++20", "-O1", "-g", "-ffp-contract=off", "-Isrc", ...beside];
  await run(clang, [...options, ...checks, ...sources, "-o", program], { cwd: project });
  const corpus = join(folder, "corpus");
  mkdirSync(corpus, { recursive: true });
  const limits = [
    `-max_total_time=${values.seconds}`,
    "-max_len=4096",
    "-timeout=10",
    "-rss_limit_mb=1024",
  ];
  const given =
    cases.length > 0 ? cases : [...limits, "-print_final_stats=1", "-verbosity=0", corpus];
  const { status, stderr } = spawnSync(program, given, {
    cwd: folder,
    encoding: "utf8",
    maxBuffer: 2 ** 28,
  });
  console.log(stderr.split("\n").slice(-30).join("\n"));
  if (status !== 0) process.exitCode = 1;
  const executions = Number(/number_of_executed_units: (\d+)/.exec(stderr)?.[1] ?? 0);
  if (values.record && status === 0) record(values.record, executions);
}

/** @param {string} file @param {number} executions */
function record(file, executions) {
  const recorded = JSON.parse(readFileSync(file, "utf8"));
  recorded.native = { seconds: Number(values.seconds), executions, found: 0 };
  writeFileSync(file, `${JSON.stringify(recorded, null, 2)}\n`);
}
