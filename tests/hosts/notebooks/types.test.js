// The wheel's stubs, as mypy reads them in its strict mode by the rules of the oldest Python.

import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { before, after, test } from "node:test";
import { unzipSync } from "fflate";
import { run } from "../../../scripts/setup/run.js";
import { wheelPath } from "../../../scripts/package/wheel.js";
import { environment, python } from "./widget.js";

const program = `import numpy as np
import phasor_embeddings as phasor

async def main() -> None:
    ph = phasor.load()
    cos, sin = table = ph.rope.table(8, 64, base=500000)
    x: np.ndarray[tuple[int, ...], np.dtype[np.float32]] = ph.rope.apply(cos, table)
    ph.rope.apply([[1, 2]], {"cos": cos, "sin": sin}, layout="halves")
    with ph.embedding.create(10, 4, seed=1) as words:
        rows: None = words.lookup([[1, 2]])
        ph.nearest(words, [1, 2, 3, 4], k=1).ids.tolist()
    llama = ph.models.rope("llama-3.1-8b")
    if llama:
        ph.rope.table(4, llama.dim, **llama.options)
    task = ph.lab.tasks.back(symbols=8)
    with ph.lab.decoder(vocabulary=8, position={"scheme": "alibi"}) as model:
        for step in model.train(task, length=8, steps=2):
            step.loss.hex()
        again = ph.lab.decoder.from_(model.weights(), **model.options())
        bits: int = again.bits()
    ph.rope.table(8, 64, bass=1)
    ph.rope.tabel(8, 64)
    ph.rope.apply(cos, table, layout="half")
    ph = await phasor.load()
    fits: str = phasor.check(cos, sin, "llama-3.1-8b").fits
    view: None = await phasor.Widget(scheme="rope").result()
`;

/** @type {string} */
let folder;
/** What mypy says of the wheel and of the program. @type {string[]} */
let lines;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "phasor-types-"));
  const files = unzipSync(await readFile(await wheelPath()));
  for (const [path, bytes] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), bytes);
  }
  await writeFile(join(folder, "program.py"), program);
  const args = ["-m", "mypy", "--strict", "--python-version", "3.10", "phasor_embeddings"];
  const env = { ...environment(folder), PYTHONPATH: "" };
  const options = { cwd: folder, env, capture: true };
  // mypy ends with 1 where it finds an error, as in the program
  const { stdout } = await run(python, [...args, "program.py"], options).catch((error) => error);
  lines = String(stdout).trim().split("\n");
});
after(() => rm(folder, { recursive: true, force: true }));

test("types: mypy finds no error in the wheel", () => {
  assert.deepEqual(
    lines.filter((line) => line.startsWith("phasor_embeddings")),
    [],
  );
  assert.match(lines.at(-1) ?? "", /^Found \d+ errors in 1 file \(checked 8 source files\)$/);
});

test("types: a program gets arrays, named tuples and objects, and its errors are found", () => {
  const found = lines.filter((line) => line.includes(": error: "));
  const expected = [
    /^program\.py:10: .*variable has type "None"/,
    /^program\.py:20: .*expression has type "str", variable has type "int"/,
    /^program\.py:21: .*Unexpected keyword argument "bass" for "table"/,
    /^program\.py:22: .*has no attribute "tabel"; maybe "table"\?/,
    /^program\.py:23: .*"Literal\['half'\]"; expected "Literal\['halves', 'interleaved'\] \| None"/,
    /^program\.py:25: .*expression has type "bool", variable has type "str"/,
    /^program\.py:26: .*variable has type "None"/,
  ];
  assert.equal(found.length, expected.length, found.join("\n"));
  for (const [i, pattern] of expected.entries()) assert.match(found[i], pattern);
});
