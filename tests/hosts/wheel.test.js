// The wheel as pip installs it: its files, and what it does in Pyodide and in CPython without a network.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { after, test } from "node:test";
import { unzipSync } from "fflate";
import { loadPyodide } from "pyodide";
import { load } from "phasor";
import { api } from "../../scripts/package/api.js";
import { documentation } from "../../scripts/package/python.js";
import { run } from "../../scripts/setup/run.js";
import { project } from "../../scripts/setup/setup.js";
import { buildWheel, distribution, imported, wheel } from "../../scripts/package/wheel.js";
import { atNight } from "../sample.js";

const path = await buildWheel();
const bytes = readFileSync(path);
const files = unzipSync(bytes);
const { version } = JSON.parse(readFileSync(join(project, "package.json"), "utf8"));
const about = `${imported}-${version}.dist-info`;

/** @param {string} name */
const text = (name) => Buffer.from(files[name]).toString();

const python = await loadPyodide();
python.unpackArchive(new Uint8Array(bytes), "wheel");

/** Network requests of Pyodide would be made by `fetch`; Node must have none. */
const asked = /** @type {string[]} */ ([]);
const { fetch } = globalThis;
globalThis.fetch = (/** @type {unknown} */ address) => {
  asked.push(String(address));
  return Promise.reject(new Error("there is no network"));
};

const folder = mkdtempSync(join(tmpdir(), "phasor-wheel-"));
after(() => {
  globalThis.fetch = fetch;
  rmSync(folder, { recursive: true, force: true });
});

/** Runs a program in CPython, which can import the wheel. @param {string} code */
async function cpython(code) {
  const { stdout } = await run("python3", ["-c", code], {
    env: { PYTHONPATH: path, PYTHONDONTWRITEBYTECODE: "1" },
    capture: true,
  });
  return stdout.trim();
}

test("wheel: its name, its metadata and its list of files are correct", () => {
  assert.equal(basename(path), `${imported}-${version}-py3-none-any.whl`);
  const names = Object.keys(files);
  assert.deepEqual(
    names.filter((name) => !name.startsWith(`${imported}/`)),
    ["METADATA", "WHEEL", "entry_points.txt", "licenses/LICENSE", "RECORD"].map(
      (name) => `${about}/${name}`,
    ),
  );
  const metadata = text(`${about}/METADATA`);
  for (const line of [`Name: ${distribution}`, `Version: ${version}`, "License-Expression: MIT"]) {
    assert.ok(metadata.split("\n\n")[0].split("\n").includes(line), line);
  }
  assert.match(metadata, /\n\n# phasor-embeddings\n/);
  const recorded = text(`${about}/RECORD`).trimEnd().split("\n");
  const expected = names.map((name) => {
    if (name.endsWith("/RECORD")) return `${name},,`;
    const digest = createHash("sha256").update(files[name]).digest("base64url");
    return `${name},sha256=${digest},${files[name].length}`;
  });
  assert.deepEqual(recorded, expected);
});

test("wheel: a second build has the same bytes, also in another time zone", atNight, async () => {
  assert.ok(Buffer.from(await wheel()).equals(bytes));
  const code = `
    import { createHash } from "node:crypto";
    import { wheel } from "./scripts/package/wheel.js";
    console.log(createHash("sha256").update(await wheel()).digest("hex"));`;
  const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", code], {
    cwd: project,
    env: { TZ: "Pacific/Auckland" },
    capture: true,
  });
  assert.equal(stdout.trim(), createHash("sha256").update(bytes).digest("hex"));
});

test("wheel: in Pyodide two lines give a table, without a network", async () => {
  const { sinusoidal } = await load();
  const hex = await python.runPythonAsync(`
import phasor_embeddings as phasor
table = (await phasor.load()).sinusoidal.table(16, 8)
bytes(table).hex()`);
  assert.equal(hex, Buffer.from(sinusoidal.table(16, 8).data.buffer).toString("hex"));
  assert.deepEqual(asked, []);
});

test("wheel: in Pyodide it has every module, including models and plots, and the version", async () => {
  const held = await python.runPythonAsync(`
import phasor_embeddings as phasor
ph = await phasor.load()
assert isinstance(ph, phasor.Phasor) and ph.plots.heatmap([[1]]).startswith("<svg ")
assert ph.models.rope("gpt-j-6b").layout == "interleaved"
phasor.__version__`);
  assert.equal(held, version);
  assert.deepEqual(asked, []);
});

test("wheel: the widget names a missing dependency", async () => {
  const code = `
try:
    from phasor_embeddings import Widget
except ImportError as error:
    said = str(error)
said`;
  const said = "phasor_embeddings.Widget needs anywidget: pip install 'phasor-embeddings[widget]'";
  assert.equal(await python.runPythonAsync(code), said);
});

test("wheel: the widget refuses misspelled schemes and options when it is made, with a suggestion", async () => {
  const { schemes } = await import("phasor/widget");
  const all = await schemes();
  const swapped = (/** @type {string} */ name) => name[0] + name[2] + name[1] + name.slice(3);
  const options = ["length", "dim", "base", "layout", "heads", "positions", "rowMajor"].slice(0, 6);
  const code = `
import json
from phasor_embeddings.names import refuse_unknown
said = []
def ask(scheme, options):
    try:
        refuse_unknown(scheme, options)
        said.append("")
    except (TypeError, ValueError) as error:
        said.append(type(error).__name__ + ": " + str(error))
for name in ${JSON.stringify(all)}: ask(name, {"length": 4})
for name in ${JSON.stringify(all.map(swapped))}: ask(name, None)
for name in ${JSON.stringify(options.map(swapped))}: ask("rope", {name: 4})
ask("rpoe", {}); ask(None, None); ask("rope", {"max_distance": 4})
json.dumps(said)`;
  /** @type {string[]} */
  const said = JSON.parse(await python.runPythonAsync(code));
  assert.deepEqual(said.slice(0, all.length), all.map(() => "")); // prettier-ignore
  const wrong = said.slice(all.length, 2 * all.length);
  wrong.forEach((message, i) => {
    if (all.includes(swapped(all[i]))) return;
    assert.match(message, /^ValueError: Widget: scheme must be one of its schemes; got "\w+"; did you mean "\w+"\?$/); // prettier-ignore
    assert.ok(message.includes(`"${all[i]}"?`), message);
  });
  options.forEach((name, i) => {
    const message = said[2 * all.length + i];
    assert.equal(message, `TypeError: Widget: options must be those of a scheme; got "${swapped(name)}"; did you mean "${name}"?`); // prettier-ignore
  });
  const [scheme, none, snake] = said.slice(-3);
  assert.match(scheme, /got "rpoe"; did you mean "rope"\?$/);
  assert.equal(none, "");
  assert.match(snake, /did you mean "maxDistance"\?$/);
});

test("wheel: in CPython without V8 load names the package, and misspelled names are rejected", async () => {
  const code = `
import sys
sys.modules["py_mini_racer"] = None
import phasor_embeddings as phasor
for call in (lambda: phasor.load(), lambda: phasor.check([[1]], [[0]], "gpt-j-6b"), lambda: phasor.Widgit):
    try:
        call()
    except (ImportError, AttributeError) as error:
        print(type(error).__name__, error)
print(phasor.__version__)`;
  const [load, check, typo, has] = (await cpython(code)).split("\n");
  const needs =
    /^ImportError phasor_embeddings needs (mini-racer \(V8\)|numpy): pip install (mini-racer|numpy)/;
  assert.match(load, needs);
  assert.match(check, needs);
  assert.equal(typo, 'AttributeError phasor_embeddings has no "Widgit"; did you mean "Widget"?');
  assert.equal(has, version);
});

test("wheel: NumPy and V8 come with it, but not into Pyodide, and pytest finds its fixture", () => {
  const metadata = text(`${about}/METADATA`);
  assert.match(metadata, /^Requires-Dist: numpy; sys_platform != "emscripten"$/m);
  assert.match(metadata, /^Requires-Dist: mini-racer\S*; sys_platform != "emscripten" and /m);
  assert.match(text(`${about}/entry_points.txt`), /^\[pytest11\]\nphasor = phasor_embeddings\./);
});

test("wheel: every file of Python compiles, and the stubs have every function with its parameters", async () => {
  const names = Object.keys(files).filter((name) => /\.pyi?$/.test(name));
  assert.equal(names.length, 9);
  const code = `
import ast, json, sys, zipfile
wheel = zipfile.ZipFile(${JSON.stringify(path)})
trees = {name: ast.parse(wheel.read(name), name) for name in ${JSON.stringify(names)}}
classes = {each.name: each for each in trees["${imported}/phasor.pyi"].body if isinstance(each, ast.ClassDef)}
found = {}
def visit(path, name):
    for each in classes[name].body:
        if isinstance(each, ast.AnnAssign) and ast.unparse(each.annotation).endswith("Module"):
            visit(f"{path}.{each.target.id}", each.annotation.id)
        if isinstance(each, ast.FunctionDef) and each.name not in ("__enter__", "keys", "__getitem__"):
            where = path if each.name == "__call__" else f"{path}.{each.name}"
            given = [a.arg for a in each.args.args if a.arg != "self"]
            first = len(given) - len(each.args.defaults)
            given = [name + "=" * (i >= first) for i, name in enumerate(given)]
            typed = all(a.annotation for a in [*each.args.args, *each.args.kwonlyargs] if a.arg != "self")
            found[where] = [given, [a.arg for a in each.args.kwonlyargs], typed and each.returns is not None]
            made = ast.unparse(each.returns)
            if made in classes and [ast.unparse(base) for base in classes[made].bases] == ["Resident"]:
                visit(f"{where}()", made)
for each in classes["Phasor"].body[1:]:  # after __await__
    visit(each.target.id, each.annotation.id)
print(json.dumps(found))`;
  const found = JSON.parse(await cpython(code));
  const entries = [...documentation(await api())].filter(
    ([, { parameters, options, text }]) =>
      parameters.length + options.length > 0 || /\nReturns\n/.test(text),
  );
  assert.ok(entries.length > 100);
  for (const [where, { parameters, options }] of entries) {
    assert.deepEqual(found[where], [parameters, options, true], where);
  }
});

test("wheel: the stubs say what the lab's loop gives, and what a task has", () => {
  const stubs = text(`${imported}/phasor.pyi`);
  assert.match(
    stubs,
    /class LabModule:\n {4}decoder: LabDecoderModule\n {4}tasks: LabTasksModule\n/,
  );
  assert.match(stubs, /class Decoder\(Resident\):[^]*?def train\([^]*?\) -> Iterator\[Progress\]:/);
  assert.match(stubs, /class Progress\(NamedTuple\):\n {4}step: Number\n {4}loss: Number\n/);
  assert.match(
    stubs,
    /def addition\([^]*?ids: Literal\["plain", "abacus", "coupled"\][^]*?\) -> Task:/,
  );
  assert.doesNotMatch(stubs, /\b(fill|held)\b: |def experiment/);
});

test("wheel: the stubs list the values of options, and the arrays of results", () => {
  const stubs = text(`${imported}/phasor.pyi`);
  const [, table] =
    /class RopeModule[^]*?\n {4}def table\(\n([^]*?)\n {4}\) -> (\w+):/.exec(stubs) ?? [];
  assert.match(table, /^ {8}length_or_positions: float \| .*Input/m);
  assert.match(table, /^ {8}base: float \| None = None,$/m);
  assert.match(stubs, /layout: Literal\["halves", "interleaved"\] \| None = None,/);
  assert.match(stubs, /class RotaryTable\(NamedTuple\):\n {4}cos: NDArray\[np\.float32\]\n/);
});
