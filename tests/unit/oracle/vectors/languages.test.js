// The tests of kits in their languages, run against right ports of LLaMA 2, Qwen2-VL, MPT and T5, and against wrong ones.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { project } from "../../../../scripts/setup/setup.js";
import { everyNth } from "../../../sample.js";
import { kitIn, lacks, runIn } from "./kits.js";

const llama = { model_type: "llama", hidden_size: 256, num_attention_heads: 4, num_key_value_heads: 2, num_hidden_layers: 2, max_position_embeddings: 4096, vocab_size: 64 }; // prettier-ignore

/** Slips of the adapters, and what the tests must say. @type {[string, RegExp][]} */
const SLIPS = [
  ["base", /q of layer 0 is wrong; likely slip: base 500000/],
  ["sign", /q of layer 0 is wrong; likely slip: rotation in the other direction/],
  ["layout", /q of layer 0 is wrong; likely slip: the other layout/],
  ["padding", /position_ids is wrong; likely slip: padding takes positions/],
];

/** Models of other positions, and a slip of each. @type {[Record<string, unknown>, slip: string, says: RegExp][]} */
const OTHERS = [
  [{ model_type: "mpt", d_model: 64, n_heads: 4, n_layers: 1, vocab_size: 64, max_seq_len: 64, attn_config: { alibi: true }, no_bias: true }, "no bias", /alibi\/\w+ is wrong; likely slip: no bias/],
  [{ model_type: "t5", d_model: 64, num_heads: 4, d_kv: 16, num_layers: 1, vocab_size: 64, relative_attention_num_buckets: 32, relative_attention_max_distance: 128 }, "direction", /t5\/\w+\/\w+ is wrong; likely slip: buckets of the other direction/],
  [{ ...llama, model_type: "qwen2_vl", hidden_size: 64, rope_theta: 10000, rope_scaling: { type: "mrope", mrope_section: [2, 3, 3] } }, "flat", /position_ids_3d is wrong; likely slip: pictures are numbered like text/],
]; // prettier-ignore

/**
 * Runs the tests of a language in the kits of the other models.
 * @param {import("node:test").TestContext} t
 * @param {(kit: string, env?: Record<string, string>) => {status: number | null, text: string}} run
 */
async function checkOthers(t, run) {
  for (const [config, SLIP, says] of OTHERS) {
    const kit = await kitIn(t, config);
    const right = run(kit);
    assert.equal(right.status, 0, right.text);
    const [, passed, all] = /checked with phasor \S+: (\d+) of (\d+)\]/.exec(right.text) ?? [];
    assert.ok(passed && passed === all, right.text);
    const wrong = run(kit, { SLIP });
    assert.notEqual(wrong.status, 0, SLIP);
    assert.match(wrong.text.replace("positionIds3D", "position_ids_3d"), says);
  }
}

const isTaken = everyNth(3); // of the slips in one language after the other

const folder = await kitIn({ after }, llama);
const { version } = JSON.parse(readFileSync(join(project, "package.json"), "utf8"));

/** Runs the test for vitest. @param {string} kit @param {Record<string, string>} [env] @param {string[]} [more] */
function runVitest(kit, env, more = []) {
  const vitest = join(kit, "node_modules/vitest");
  mkdirSync(vitest, { recursive: true });
  // Of vitest it takes `test`, `test.skip` and `afterAll`, which Node's runner has, too.
  writeFileSync(join(vitest, "index.js"), 'export { after as afterAll, test } from "node:test";\n');
  writeFileSync(join(vitest, "package.json"), '{ "type": "module", "main": "index.js" }\n');
  writeFileSync(join(kit, "package.json"), '{ "type": "module" }\n');
  const args = [...more, "--test", "--test-reporter=tap", "positions.test.js"];
  return runIn(kit, process.execPath, args, env);
}

test("vectors: the test for vitest passes a right port and names slips", async (t) => {
  const right = runVitest(folder);
  assert.equal(right.status, 0, right.text);
  assert.match(right.text, /^# pass 5$/m);
  checkBadge(right.text, "5 of 5", 'positions.test.js "npx vitest run positions.test.js"');
  for (const [SLIP, says] of SLIPS.filter(isTaken)) {
    const { status, text } = runVitest(folder, { SLIP });
    assert.equal(status, 1, SLIP);
    assert.match(text, says);
    assert.ok(!existsSync(join(folder, "positions.svg")), "a failing run leaves no badge");
    assert.doesNotMatch(text, /!\[positions/);
  }
  // Of a part of the tests there is no badge; without a function of the port it says so.
  const part = runVitest(folder, {}, ["--test-name-pattern=embed"]);
  assert.equal(part.status, 0, part.text);
  assert.ok(!existsSync(join(folder, "positions.svg")));
  const adapter = join(folder, "adapter.js");
  const text = readFileSync(adapter, "utf8");
  writeFileSync(adapter, text.replace("export function embed", "function embed"));
  checkBadge(runVitest(folder).text, "4 of 5", "positions.test.js");
  writeFileSync(adapter, text);
  await checkOthers(t, runVitest);
});

/** Checks the badge and its line of Markdown. @param {string} text @param {string} count @param {string} link */
function checkBadge(text, count, link) {
  const words = `positions checked with phasor ${version}: ${count}`;
  assert.ok(text.includes(`[![${words}](positions.svg)](${link}`), text);
  const svg = readFileSync(join(folder, "positions.svg"), "utf8");
  assert.ok(svg.includes(`<title>${words}</title><desc>Made by phasor ${version} of llama`), svg);
  assert.match(svg, /^<svg xmlns="[^"]+" width="\d+" height="20" role="img">[^]*<\/svg>\n$/);
}

test("vectors: the test in C++ passes a right port and names slips", { skip: lacks("c++") }, async (t) => {
  const args = "-std=c++17 -Wall -Wextra -Werror positions_test.cc -o cpp_test".split(" ");
  const built = runIn(folder, "c++", args);
  assert.equal(built.status, 0, built.text);
  const right = runIn(folder, "./cpp_test", []);
  assert.equal(right.status, 0, right.text);
  assert.match(right.text, /^positions: 5 of 5 passed, 0 failed$/m);
  checkBadge(right.text, "5 of 5", 'positions_test.cc "./positions_test"');
  for (const [SLIP, says] of SLIPS.filter(isTaken)) {
    const { status, text } = runIn(folder, "./cpp_test", [], { SLIP });
    assert.equal(status, 1, SLIP);
    assert.match(text, says);
    assert.doesNotMatch(text, /no known slip/);
    assert.ok(!existsSync(join(folder, "positions.svg")), "a failing run leaves no badge");
  }
  await checkOthers(t, (kit, env) => runIn(kit, join(folder, "cpp_test"), [], env));
}); // prettier-ignore

test(
  "vectors: the test in Rust passes a right port and names slips",
  { skip: lacks("rustc") },
  async (t) => {
    const args = ["--edition", "2021", "-D", "warnings", "--test", "positions_test.rs", "-o", "rust_test"]; // prettier-ignore
    const built = runIn(folder, "rustc", args);
    assert.equal(built.status, 0, built.text);
    const right = runIn(folder, "./rust_test", []);
    assert.equal(right.status, 0, right.text);
    assert.match(right.text, /5 passed/);
    checkBadge(right.text, "5 of 5", 'positions_test.rs "./positions_test"');
    for (const [SLIP, says] of SLIPS.filter(isTaken)) {
      const { status, text } = runIn(folder, "./rust_test", [], { SLIP });
      assert.equal(status, 101, SLIP);
      assert.match(text, says);
      assert.ok(!existsSync(join(folder, "positions.svg")), "a failing run leaves no badge");
    }
    const part = runIn(folder, "./rust_test", ["embed"]);
    assert.equal(part.status, 0, part.text);
    assert.ok(!existsSync(join(folder, "positions.svg")), "a part of the tests leaves no badge");
    await checkOthers(t, (kit, env) => runIn(kit, join(folder, "rust_test"), [], env));
  },
);

/** Text without its strings, of which what is inserted is kept, and without comments. @param {string} swift */
function codeOf(swift) {
  const inserted = (/** @type {string} */ string) => [...string.matchAll(/\\\((?:[^()"]|\([^()"]*\))*\)/g)].map(([code]) => code.slice(1)).join(";"); // prettier-ignore
  return swift
    .replace(/^ *\/\/.*$/gm, "")
    .replace(/"""[^]*?"""|"(?:\\[^(]|\\\((?:[^()"]|\([^()"]*\))*\)|[^"\\\n])*"/g, inserted)
    .replace(/\/\/.*$/gm, "");
}

test("vectors: the test in Swift closes what it opens and writes the badge of the others", () => {
  const swift = readFileSync(join(folder, "PositionsTests.swift"), "utf8");
  const code = codeOf(swift);
  assert.doesNotMatch(code, /"/);
  /** @type {string[]} */
  const open = [];
  for (const sign of code.replace(/[^()[\]{}]/g, "")) {
    if ("([{".includes(sign)) open.push(sign);
    else assert.equal(open.pop(), { ")": "(", "]": "[", "}": "{" }[sign], code);
  }
  assert.deepEqual(open, []);
  const badgeOf = (/** @type {string} */ text, /** @type {string} */ indent) => {
    const [svg] = /<svg[^]*<\/svg>/.exec(text) ?? [""];
    return svg
      .replaceAll(`\n${indent}`, "\n")
      .replace(/\$\{([^}]*)\}|\\\(([^)]*)\)/g, "{$1$2}")
      .replace(/<desc>.*<\/desc>/, "");
  };
  const vitest = readFileSync(join(folder, "positions.test.js"), "utf8");
  assert.equal(badgeOf(swift, "    "), badgeOf(vitest, ""));
  assert.ok(badgeOf(swift, "    ").includes("{words}"));
  // Each function that another calls is there.
  for (const [, name] of code.matchAll(
    /(?<![.\w])(load|fits|compare|centered|groups|cases|badge)\(/g,
  )) {
    assert.match(code, RegExp(`func ${name}\\(`));
  }
});

/** What `swift test` makes of a package, for the compiler alone. */
const MAIN = `import XCTest
extension PositionsTests {
  static let allTests = [
    ("testRotate", testRotate), ("testPositionIds", testPositionIds), ("testEmbed", testEmbed),
    ("testPositionIds3D", testPositionIds3D), ("testBias", testBias),
  ]
}
XCTMain([testCase(PositionsTests.allTests)])
`;

/** Runs the test in Swift, which reads the kit beside its source. @param {string} kit @param {Record<string, string>} [env] */
function runSwift(kit, env) {
  if (!existsSync(join(kit, "swift_test"))) {
    writeFileSync(join(kit, "main.swift"), MAIN);
    const sources = ["PositionsTests.swift", "adapter.swift", "main.swift"];
    const built = runIn(kit, "swiftc", [...sources, "-swift-version", "5", "-o", "swift_test"]);
    assert.equal(built.status, 0, built.text);
    assert.doesNotMatch(built.text, /PositionsTests\.swift:\d+:\d+: warning/);
  }
  return runIn(kit, "./swift_test", [], env);
}

test(
  "vectors: the test in Swift passes a right port and names slips",
  { skip: lacks("swiftc") },
  async (t) => {
    const right = runSwift(folder);
    assert.equal(right.status, 0, right.text);
    checkBadge(right.text, "5 of 5", 'PositionsTests.swift "swift test"');
    for (const [SLIP, says] of SLIPS.filter(isTaken)) {
      const { status, text } = runSwift(folder, { SLIP });
      assert.equal(status, 1, SLIP);
      assert.match(text.replace("positionIds", "position_ids"), says);
      assert.ok(!existsSync(join(folder, "positions.svg")), "a failing run leaves no badge");
    }
    await checkOthers(t, runSwift);
  },
);
