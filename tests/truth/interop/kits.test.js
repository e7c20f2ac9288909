// The pytest file of kits, run with NumPy and safetensors against a right port and against each of the likely slips.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { models } from "phasor/models";
import { kitIn, runIn } from "../../unit/oracle/vectors/kits.js";
import { python } from "./libraries.js";

const skip = !existsSync(python) && "npm run x -- test:interop installs NumPy and safetensors";

/** Ports with one slip each: the model, the adapter's slip, and what a failing test must say. */
const SLIPS = Object.freeze(/** @type {const} */ ([
  ["llama-2-7b", "permuted", "the rows of the weights are permuted"],
  ["llama-2-7b", "bfloat16", "positions in bfloat16"],
  ["llama-2-7b", "swapped", "cosines and sines swapped"],
  ["llama-2-7b", "sign", "rotation in the other direction"],
  ["llama-2-7b", "from one", "exponents from i = 1 instead of 0"],
  ["llama-2-7b", "padding", "padding takes positions"],
  ["llama-3.2-1b", "base", "base 10000"],
  ["llama-3.2-1b", "no scaling", "the scaling is forgotten"],
  ["gpt-oss-20b", "factor", "the attention factor is forgotten"],
  ["gpt-oss-20b", "factor twice", "the attention factor is applied twice"],
  ["gpt-oss-20b", "truncate", "the correction range is truncated"],
  ["roberta-base", "no first row", "positions begin at 0 instead of 2"],
  ["opt-125m", "no first row", "positions begin at 0 instead of 2"],
  ["opt-125m", "padding", "padding takes positions"],
  ["command-r7b", "nope", "the rotation of sliding_attention layers, where these do not rotate"],
  ["gpt-neox-20b", "partial", "the whole head rotates"],
  ["qwen2-vl-7b", "flat", "pictures are numbered like text"],
  ["deepseek-v3", "de-interleaved", "the output is de-interleaved"],
  ["gemma-3-1b", "scale", "the scale is forgotten"],
  ["bert-base-uncased", "norm", "the norm is forgotten"],
  ["bloom", "slopes", "slopes begin at h = 0 instead of 1"],
  ["t5-base", "direction", "buckets of the other direction"],
])); // prettier-ignore

/** What the tests of a kit say, by their names. @param {string} folder @param {string} [SLIP] @returns {Record<string, string>} */
function outcomes(folder, SLIP = "") {
  const { status, text } = runIn(folder, python, ["run.py"], { SLIP });
  assert.equal(status, 0, text);
  const { markdown, ...found } = JSON.parse(text);
  // There is a badge if, and only if, no test failed.
  const isRight = Object.values(found).every((says) => /^(passed|skipped)/.test(says));
  assert.equal(existsSync(join(folder, "positions.svg")), isRight);
  assert.equal(markdown.length, isRight ? 1 : 0);
  const passed = Object.values(found).filter((says) => says === "passed").length;
  if (isRight) assert.match(markdown[0], RegExp(`^\\[!\\[positions checked with phasor [\\d.]+: ${passed} of ${passed}\\]\\(positions\\.svg\\)\\]\\(test_positions\\.py "pytest test_positions\\.py"\\)$`)); // prettier-ignore
  return found;
}

describe("kits with NumPy", { skip }, () => {
  if (skip) return;
  for (const name of new Set(SLIPS.map(([name]) => name))) {
    test(`vectors: a port of ${name} in double passes, and each slip is named`, async () => {
      const folder = await kitIn({ after }, /** @type {any} */ (models.get(name)));
      const right = outcomes(folder);
      const failed = Object.entries(right).filter(([, says]) => !/^(passed|skipped)/.test(says));
      assert.deepEqual(failed, []);
      assert.ok(Object.values(right).includes("passed"));
      for (const [, slip, says] of SLIPS.filter(([model]) => model === name)) {
        const wrong = Object.values(outcomes(folder, slip)).filter((text) => /^Assert/.test(text));
        assert.ok(wrong.length > 0, slip);
        for (const text of wrong) {
          const [, named = ""] = /; likely slip: (.*)$/.exec(text) ?? [];
          assert.ok(named.split(", or ").includes(says), `${slip}: ${text}`);
        }
      }
    });
  }
});
