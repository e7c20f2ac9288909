// Trainings of the lab in PyTorch: the program of each runs, and its losses are those of the lab.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { safetensors } from "phasor/files";
import { load, optionsOf } from "phasor/lab";
import { run } from "../../../scripts/setup/run.js";
import { project } from "../../../scripts/setup/setup.js";
import { pytorch } from "../../../src/lab/pytorch.js";
import { RUN } from "./pytorch.js";

const python = join(project, "build/golden/python/bin/python");
const skip = existsSync(python) ? false : "npm run x -- test:interop";
const { lab } = await load();
const folder = await mkdtemp(join(tmpdir(), "phasor-pytorch-"));
after(() => rm(folder, { recursive: true }));

/** How far losses above 0.05 may be apart. */
const WITHIN = 2e-4;

for (const [name, { task, made, training, equal }] of Object.entries(RUN)) {
  test(`PyTorch trains the same: ${name}`, { skip }, async () => {
    const { program, tensors } = pytorch({ lab, optionsOf }, task(lab), made, training);
    const path = join(folder, "run.py");
    await writeFile(path, program);
    await writeFile(join(folder, "run.safetensors"), safetensors.write(tensors));
    const { stdout } = await run(python, [path], { capture: true });
    const rows = [...stdout.matchAll(/^ *(\d+) +(\S+) +(\S+)$/gm)].map((row) => row.map(Number));
    const { data: losses } = tensors.losses;
    assert.equal(rows.length, Math.ceil(losses.length / 10));
    for (const [, step, here, there] of rows) {
      assert.equal(there, Number(Number(losses[step - 1]).toFixed(5)));
      if (there > 0.05 && step <= (equal ?? losses.length))
        assert.ok(Math.abs(here - there) <= WITHIN, `step ${step}: ${here} and ${there}`);
    }
    const most = Number(/above 0\.05: (\S+)\n$/.exec(stdout)?.[1]);
    if (!equal) assert.ok(most <= WITHIN, stdout);
  });
}
