// The lines of a class: what is written can be read and pooled, and a wrong line is refused with the reason.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { LineError, lineOf, pooled, readLine, settingsOf } from "../../web/lab/pool.js";
import { setupOf } from "../../web/lab/setup.js";

/** @typedef {import("../../web/lab/runs.js").Run} Run */
/** @type {import("../../web/lab/setup.js").Recorded} */
const recorded = JSON.parse(
  readFileSync(new URL("../../web/lab/recorded.json", import.meta.url), "utf8"),
);

/** @param {object} [controls] */
const setupWith = (controls) =>
  setupOf(
    {
      ...{ task: "back", length: "", steps: "", dim: "", heads: "", layers: "", std: "" },
      ...{ factor: "8", reading: "none", temperature: 1 },
      ...controls,
    },
    recorded,
  );
const setup = setupWith();

/** A training as recorded. @param {"rope" | "alibi"} scheme @param {number} seed @param {object} [changes] @returns {any} */
function run(scheme, seed, changes) {
  const row = recorded.tasks.back.rows.find((one) => one.scheme === scheme && !one.reading);
  const tests = row?.accuracy[seed - 1]?.map((accuracy) => ({ accuracy, loss: 1 }));
  const bits = row?.bits[seed - 1] ?? "0123456789abcdef";
  return { scheme, seed, tests, bits, isFinal: true, ...changes };
}

/** A line with a sum that fits. @param {string} text */
function signed(text) {
  let sum = 0x811c9dc5;
  for (const byte of Buffer.from(text)) sum = Math.imul(sum ^ byte, 0x01000193) >>> 0;
  return `${text} ${sum.toString(16).padStart(8, "0")}`;
}

test("settings are those of the address that differ from the record; a value as recorded is none", () => {
  assert.equal(settingsOf(recorded, setup), "");
  assert.equal(settingsOf(recorded, setupWith({ length: "32", steps: "200", std: "0.5" })), "");
  const other = { task: "text", steps: "400", reading: "yarn", factor: "4", temperature: 0.9 };
  assert.equal(
    settingsOf(recorded, setupWith(other)),
    "task=text&steps=400&factor=4&reading=yarn&temperature=0.9",
  );
});

test("a line has all trainings that have ended, and is read again", () => {
  const runs = [run("rope", 1), run("alibi", 2), run("rope", 3, { bits: undefined })];
  const line = lineOf(recorded, setup, runs);
  assert.match(line, /^phasor-lab\/1 - rope:1:(\d\.\d{4},){3}\d\.\d{4}:[0-9a-f]{16} alibi:2:\S+ [0-9a-f]{8}$/); // prettier-ignore
  assert.deepEqual(
    readLine(`  ${line}\r`, recorded, setup).map(({ scheme, seed, values, bits }) => [
      scheme,
      seed,
      values,
      bits,
    ]),
    runs
      .slice(0, 2)
      .map(({ scheme, seed, tests, bits }) => [
        scheme,
        seed,
        tests.map((/** @type {{accuracy: number}} */ { accuracy }) => accuracy),
        bits,
      ]),
  );
  assert.equal(lineOf(recorded, setup, []), "");
});

const good = lineOf(recorded, setup, [run("rope", 1)]);
const bits = recorded.tasks.back.rows.find(({ scheme }) => scheme === "alibi")?.bits[0];
const four = "1.0000,0.5000,0.2500,0.1000";

/** Lines that are refused, and why. @type {[string, RegExp][]} */
const WRONG = [
  ["hello", /must begin with “phasor-lab\/1”; got “hello”/],
  [good.replace("/1", "/2"), /must begin with “phasor-lab\/1”; got “phasor-lab\/2”/],
  ["phasor-lab/1", /a part of it is missing or was changed/],
  [good.slice(0, -1), /a part of it is missing or was changed/],
  [good.slice(0, good.lastIndexOf(" ")), /a part of it is missing or was changed/],
  [good.replace(/1\.0000|0\.9\d{3}/, "0.1234"), /a part of it is missing or was changed/],
  [signed("phasor-lab/1 -"), /a part of it is missing/],
  [signed(`phasor-lab/1 task=needle rope:9:${four}:0123456789abcdef`), /its settings are “task=needle”; this page has all as recorded/], // prettier-ignore
  [signed(`phasor-lab/1 - ropes:9:${four}:0123456789abcdef`), /“ropes” is no scheme of the lab/],
  [signed(`phasor-lab/1 - constructor:9:${four}:0123456789abcdef`), /“constructor” is no scheme/],
  [signed(`phasor-lab/1 - rope:0:${four}:0123456789abcdef`), /a seed must be a whole number from 1 to 103; got “0”/], // prettier-ignore
  [signed(`phasor-lab/1 - rope:1e1:${four}:0123456789abcdef`), /a seed must be .*; got “1e1”/],
  [signed("phasor-lab/1 - rope"), /a seed must be .*; got “”/],
  [signed("phasor-lab/1 - rope:9:1.0000,0.5000:0123456789abcdef"), /RoPE, seed 9: it must have 4 results, one for each length; got 2/], // prettier-ignore
  [signed("phasor-lab/1 - rope:9:1.0000,0.5000,0.2500,1.5000:0123456789abcdef"), /accuracies must be numbers from 0 to 1/], // prettier-ignore
  [signed("phasor-lab/1 - rope:9:1.0000,0.5000,0.2500,NaN:0123456789abcdef"), /accuracies must be/],
  [signed(`phasor-lab/1 - rope:9:${four}:0123`), /bits must be 16 hexadecimal digits; got “0123”/],
  [signed(`phasor-lab/1 - alibi:1:${four}:0123456789abcdef`), RegExp(`its weights have the bits 0123456789abcdef, and recorded are ${bits}`)], // prettier-ignore
];

for (const [line, words] of WRONG) {
  test(`refused: ${line.slice(0, 70)}`, () => {
    assert.throws(
      () => readLine(line, recorded, setup),
      (/** @type {Error} */ error) => error instanceof LineError && words.test(error.message),
    );
  });
}

test("a class is pooled by scheme and seed; a run counts once, and one that differs is left out", () => {
  const seven = signed(`phasor-lab/1 - alibi:7:${four}:0123456789abcdef`);
  const differs = signed(`phasor-lab/1 - alibi:7:${four}:fedcba9876543210`);
  const text = [lineOf(recorded, setup, [run("rope", 2), run("alibi", 2)]), "", good, seven, good, differs, "x"]; // prettier-ignore
  const { found, refused, lines, repeated } = pooled(text.join("\n"), recorded, setup);
  assert.deepEqual(
    [...found].map(([scheme, all]) => [scheme, all.map(({ seed }) => seed)]),
    [
      ["rope", [1, 2]],
      ["alibi", [2, 7]],
    ],
  );
  assert.deepEqual([lines, repeated], [4, 1]);
  assert.deepEqual(
    refused.map(({ line }) => line),
    [6, 7],
  );
  assert.match(refused[0].words, /^ALiBi, seed 7: other results than line 4 has; /);
});

test("losses of a text have no upper limit, and numbers of a longer test are more", () => {
  const text = setupWith({ task: "text", factor: "16" });
  const line = signed(
    "phasor-lab/1 task=text&factor=16 rope:9:2.1200,2.3000,2.5000,2.8000,3.1000:0123456789abcdef",
  );
  assert.deepEqual(readLine(line, recorded, text)[0].values, [2.12, 2.3, 2.5, 2.8, 3.1]);
});
