// Files exchanged with NumPy, safetensors and gguf: what they write is read here, and what is written here
// is read by them.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, openAsBlob, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { Tensor, gguf, npy, npz, safetensors, vocabulary } from "phasor/files";
import { project } from "../../../scripts/setup/setup.js";
import { tensorOf } from "../../unit/files/samples.js";
import { python } from "./libraries.js";

/** @typedef {{dtype: string, shape: number[], hex: string}} Told */

const skip =
  !existsSync(python) && "npm run x -- test:interop installs NumPy, safetensors and gguf";

/** ggml's names of dtypes that have others here. @type {Record<string, string>} */
const DTYPES = { F32: "float32", F16: "float16", BF16: "bfloat16" };

/** Into JavaScript's types; the rest stays as it is. */
const WIDENED = Object.freeze({ bool: "uint8" });

/** @param {{data: any, dtype: string, shape: readonly number[]}} tensor @returns {Told} */
const described = ({ data, dtype, shape }) => ({
  ...{ dtype, shape: [...shape] },
  hex: Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString("hex"),
});

/** As it comes out here. @param {Told} theirs @returns {Told} */
const here = ({ dtype, ...rest }) => ({
  ...rest,
  dtype: WIDENED[/** @type {keyof typeof WIDENED} */ (dtype)] ?? dtype,
});

describe("files exchanged with Python", { skip }, () => {
  if (skip) return;
  const folder = mkdtempSync(join(tmpdir(), "phasor-files-"));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const script = join(project, "tests/truth/interop/python/files.py");
  const call = (/** @type {"read" | "write"} */ verb, /** @type {string} */ where) =>
    JSON.parse(
      execFileSync(python, [script, verb, where], { encoding: "utf8", maxBuffer: 1 << 26 }),
    );
  /** @type {{arrays: Record<string, Told>, gguf: Record<string, {hex: string, shape: number[]}>}} */
  const written = call("write", folder);
  const open = (/** @type {string} */ name) => openAsBlob(join(folder, name));

  for (const name of ["stored.npz", "deflated.npz"]) {
    test(`numpy.savez: ${name} is read with NumPy's values`, async () => {
      const file = await npz.read(await open(name));
      assert.deepEqual(file.names, Object.keys(written.arrays));
      for (const [name, theirs] of Object.entries(written.arrays)) {
        assert.deepEqual(described(tensorOf(await file.stored(name))), here(theirs), name);
        assert.deepEqual((await file.info(name)).shape, theirs.shape);
      }
    });
  }

  test("numpy.save: each .npy is read with NumPy's values", async () => {
    for (const [i, [name, theirs]] of Object.entries(written.arrays).entries()) {
      const stored = await npy.stored(await open(`${i}.npy`));
      assert.deepEqual(described(tensorOf(stored)), here(theirs), name);
    }
  });

  test("safetensors.numpy.save: the file is read with the library's values", async () => {
    const file = await safetensors.read(await open("plain.safetensors"));
    assert.deepEqual(Object.fromEntries(file.metadata), { from: "NumPy", ä: "ö" });
    assert.deepEqual([...file.names].sort(), Object.keys(written.arrays).sort());
    for (const [name, theirs] of Object.entries(written.arrays)) {
      assert.deepEqual(described(tensorOf(await file.stored(name))), here(theirs), name);
      assert.equal(Buffer.from((await file.stored(name)).bytes).toString("hex"), theirs.hex);
    }
    const bfloat16 = await safetensors.read(await open("bfloat16.safetensors"));
    const bits = tensorOf(await bfloat16.stored("b"));
    assert.deepEqual(
      [bits.dtype, ...bits.data],
      ["bfloat16", ...Array.from({ length: 6 }, (_, i) => 0x3f00 + i)],
    );
  });

  test("GGUFWriter: the file is read with its values", async () => {
    const file = await gguf.read(await open("model.gguf"));
    assert.equal(file.metadata.get("general.name"), "größe");
    assert.equal(file.metadata.get("large"), 2n ** 60n);
    const levels = /** @type {Int32Array[]} */ (file.metadata.get("levels"));
    assert.deepEqual(
      levels.map((level) => [...level]),
      [[1, 2], [3]],
    );
    const words = vocabulary.gguf(file.metadata);
    assert.deepEqual([words.find(" b"), words.text(2), words.special], [1, "é", [2]]);
    assert.deepEqual(file.names, Object.keys(written.gguf));
    for (const [name, { hex, shape }] of Object.entries(written.gguf)) {
      const stored = await file.stored(name);
      assert.deepEqual([stored.dtype, stored.shape], [DTYPES[name] ?? name, shape]);
      assert.equal(Buffer.from(stored.bytes).toString("hex"), hex, name);
      const row = await file.stored(name, { rows: [2] });
      assert.equal(Buffer.from(row.bytes).toString("hex"), hex.slice((hex.length / 3) * 2), name);
    }
  });

  test("NumPy and safetensors read files written here with equal values", async () => {
    const ours = join(folder, "ours");
    const empty = mkdtempSync(`${ours}-`);
    /** @type {Record<string, any>} */
    const tensors = {
      "token_embd.weight": new Tensor(Float32Array.of(1.5, -0, NaN, Infinity, 1e-45, 6), [2, 3]),
      wide: new Tensor(Float64Array.of(0.1, 5e-324), [2, 1]),
      half: new Tensor(Uint16Array.of(0x3800, 0x7bff, 1), [3], "float16"),
      ids: BigInt64Array.of(-(2n ** 63n), 2n ** 63n - 1n),
      words: Int32Array.of(-1, 2 ** 31 - 1),
      codes: Int8Array.of(-128, 127),
      bytes: new Tensor(Uint8Array.of(0, 255), [1, 2]),
      mask: { data: Uint8Array.of(1, 0), shape: [2], dtype: "bool" },
      point: new Tensor(Float32Array.of(7), []),
      none: new Tensor(new Float32Array(0), [0, 3]),
      größe: Float32Array.of(1),
      "layer/0/é": Float32Array.of(2),
    };
    const bits = new Tensor(Uint16Array.of(0x3f80, 0x4000), [2], "bfloat16");
    const put = (/** @type {string} */ name, /** @type {Uint8Array} */ bytes) =>
      writeFileSync(join(empty, name), bytes);
    put("stored.npz", await npz.write(tensors));
    put("deflated.npz", await npz.write(tensors, { compress: true }));
    put("point.npy", npy.write(tensors.point));
    const metadata = { from: "phasor", ä: '"ö"\n' };
    put("all.safetensors", safetensors.write({ ...tensors, bits }, { metadata }));
    put("none.safetensors", safetensors.write({}));
    const said = call("read", empty);
    const expected = Object.fromEntries(
      Object.entries(tensors).map(([name, tensor]) => {
        const { data = tensor, shape = [tensor.length], dtype } = tensor;
        return [name, described({ data, shape, dtype: dtype ?? new Tensor(data, shape).dtype })];
      }),
    );
    assert.deepEqual(said["stored.npz"], expected);
    assert.deepEqual(said["deflated.npz"], expected);
    assert.deepEqual(said["all.safetensors"], expected);
    assert.deepEqual(said["point.npy"], expected.point);
    assert.equal(said["all.safetensors.types"].bits, "BF16");
    assert.deepEqual(said["all.safetensors.metadata"], metadata);
    assert.deepEqual(said["none.safetensors"], {});
  });
});
