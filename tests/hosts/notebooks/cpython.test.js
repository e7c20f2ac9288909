// The wheel in CPython, where V8 computes: the same bits, names and sentences as in JavaScript, and pytest's fixture.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { project } from "../../../scripts/setup/setup.js";
import { atNight } from "../../sample.js";
import { calls } from "../../calls.js";
import { phasor } from "../../phasor.js";
import { filesOf, promised } from "../../pages/guides/guide.js";
import { recording } from "./cpython/record.js";
import { environment, python } from "./widget.js";

const programs = join(project, "tests/hosts/notebooks/cpython");
const folder = mkdtempSync(join(tmpdir(), "phasor-cpython-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** @param {string[]} args @param {{input?: string, env?: Record<string, string>}} [options] */
function run(args, { input, env } = {}) {
  const made = spawnSync(python, args, {
    cwd: folder,
    env: { ...environment(folder), PYTHONDONTWRITEBYTECODE: "1", ...env },
    input,
    encoding: "utf8",
    timeout: 60_000,
  });
  return { ...made, said: made.stdout + made.stderr };
}

test("cpython: every call of tests/calls.js gives the bits of JavaScript", async () => {
  const recorded = recording(phasor);
  for (const call of Object.values(calls)) await call(/** @type {any} */ (recorded.phasor));
  assert.ok(recorded.calls.length > 200);
  const { stdout, said } = run([join(programs, "replay.py")], {
    input: JSON.stringify(recorded.calls),
  });
  const [count, numbers] = stdout.split(" ").map(Number);
  assert.equal(count, recorded.calls.length, said);
  assert.ok(numbers > 100_000);
});

/** What answers to `javascript.evaluate`. */
const EVALUATE = `
import { createInterface } from "node:readline";
const { load } = await import(${JSON.stringify(new URL("../../../dist/index.js", import.meta.url).href)});
const { models } = await import(${JSON.stringify(new URL("../../../dist/models.js", import.meta.url).href)});
const { figures } = await import(${JSON.stringify(new URL("../../../dist/plots.js", import.meta.url).href)});
const lab = await import(${JSON.stringify(new URL("../../../dist/lab.js", import.meta.url).href)});
const modules = { ...(await load()), ...(await lab.load()), models, plots: figures() };
const text = ({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength).toString("base64");
for await (const line of createInterface({ input: process.stdin })) {
  const found = Function(...Object.keys(modules), "return (" + JSON.parse(line) + ")")(...Object.values(modules));
  console.log(JSON.stringify(typeof found === "string" ? found : { shape: found.shape, text: text(found.data) }));
}`;

test("cpython: names, options, suggestions, buffers, errors and figures are as in Pyodide", () => {
  cpSync(join(project, "tests/unit/python/test_phasor.py"), join(folder, "test_phasor.py"));
  const { stdout, said } = run([join(programs, "javascript.py")], {
    env: {
      PYTHONPATH: `${environment(folder).PYTHONPATH}:${folder}`,
      PHASOR_NODE: process.execPath,
      PHASOR_EVALUATE: EVALUATE,
    },
  });
  const ran = stdout.trim().split("\n");
  assert.ok(ran.length > 15 && ran.includes("test_numpy_arguments"), said);
});

test("cpython: it can be awaited, called by threads and interrupted, and judges ports", () => {
  const { stdout, said } = run([join(programs, "hosts.py")]);
  assert.equal(stdout, "all\n", said);
});

test("cpython: README's program prints what it says", () => {
  const readme = readFileSync(join(project, "README.md"), "utf8");
  const [, code] = /^```python\n([^]*?)^```$/m.exec(readme) ?? [];
  const said = Array.from(String(code).matchAll(/^print.*# (.*)$/gm), ([, text]) => text);
  const { stdout } = run(["-c", String(code)]);
  const parts = said.flatMap((text) => text.split(/\.\.\.|; /)).map((text) => text.trim());
  assert.ok(parts.length >= 3);
  for (const part of parts) assert.ok(stdout.includes(part), stdout);
});

test("cpython: the guide's program prints what it says, and its test passes", atNight, async () => {
  const files = await filesOf("jupyterlite");
  const { stdout } = run(["-c", String(files.get("rope.py"))]);
  assert.deepEqual(stdout.trimEnd().split("\n"), promised(String(files.get("rope.py"))));
  const lab = String(files.get("cell 6.py"));
  const begin = "import phasor_embeddings\nph = phasor_embeddings.load()\n";
  assert.deepEqual(
    run(["-c", begin + lab])
      .stdout.trimEnd()
      .split("\n"),
    promised(lab),
  );
  writeFileSync(join(folder, "test_guide.py"), String(files.get("test_port.py")));
  assert.match(
    run(["-m", "pytest", "-q", "-p", "no:cacheprovider", "test_guide.py"]).said,
    /^1 passed/m,
  );
});

test("cpython: pytest has the fixture, whose assertion names the slip", () => {
  cpSync(join(programs, "test_port.py"), join(folder, "test_port.py"));
  const { status, said } = run(["-m", "pytest", "-q", "-p", "no:cacheprovider", "test_port.py"]);
  assert.equal(status, 1, said);
  assert.match(said, /likely slip: the scaling is forgotten; with it no difference/);
  assert.match(said, /1 failed, 2 passed/);
});
