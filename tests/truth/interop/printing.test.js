// Tensors print as NumPy's arrays do: recorded ones, and where NumPy is, 20,000 more.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { project } from "../../../scripts/setup/setup.js";
import { Tensor } from "../../phasor.js";
import { SEED } from "../../sample.js";
import { python } from "./libraries.js";

const folder = join(project, "tests/truth/interop");

/** @type {Record<string, any>} */
const ARRAYS = {
  ...{ float32: Float32Array, float64: Float64Array, float16: Uint16Array },
  ...{ int64: BigInt64Array, int32: Int32Array, uint8: Uint8Array, int8: Int8Array },
};

/** Arrays that are printed differently. @param {string} lines  of printed.py */
function different(lines) {
  const arrays = lines.trim().split("\n");
  const wrong = arrays.filter((line) => {
    const { dtype, shape, hex, text } = JSON.parse(line);
    const data = new ARRAYS[dtype](Uint8Array.from(Buffer.from(hex, "hex")).buffer);
    return String(new Tensor(data, shape, dtype)) !== text;
  });
  return { arrays: arrays.length, wrong: wrong.slice(0, 5) };
}

test("Tensor.toString prints recorded arrays as NumPy 2.4.6 does", () => {
  const recorded = readFileSync(join(folder, "printed.jsonl"), "utf8");
  assert.deepEqual(different(recorded), { arrays: 400, wrong: [] });
});

const skip = !existsSync(python) && "npm run x -- test:interop installs NumPy";

test("Tensor.toString prints random and awkward arrays as NumPy does", { skip }, () => {
  const args = [join(folder, "python/printed.py"), "20000", String(SEED + 1)];
  const told = execFileSync(python, args, { encoding: "utf8", maxBuffer: 1 << 28 });
  assert.deepEqual(different(told), { arrays: 20_000, wrong: [] });
});
