// Makes the wheel for PyPI in build/python: phasor.py, the JavaScript that it calls, the widget and the stubs. Pyodide
// calls the modules of dist; CPython has V8, which takes one script (src/python/engine.js).
// A wheel is a zip file with three texts about it; the same sources give the same bytes.
//   npm run x -- build:python

import { createHash } from "node:crypto";
import { mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build, bundle } from "./build.js";
import { once } from "../setup/once.js";
import { step } from "../setup/run.js";
import { project } from "../setup/setup.js";
import { widgets } from "../../src/positional/about.js";
import { stubs } from "./stubs.js";

/** The name on PyPI; `phasor` is an optics package there. */
export const distribution = "phasor-embeddings";

/** The name that Python imports. */
export const imported = "phasor_embeddings";

/** Files of dist in the wheel: what phasor.py and the widget load, with the licenses of their contents. */
const shipped = [
  "phasor.py",
  "index.js",
  "core.LEGAL.txt",
  "models.js",
  "plots.js",
  "plots.LEGAL.txt",
  "lab.js",
  "lab-parts.js",
  "widget.js",
  "widget.LEGAL.txt",
];

/** What V8 runs in CPython; the npm package does not have it. */
const engine = ["engine.js", "engine.wasm", "engine.LEGAL.txt"];

const source = join(project, "src/python", imported);

async function buildEngine() {
  const scripts = ["bind", "bindings", "build", "notices"].map(
    (name) => `scripts/package/${name}.js`,
  );
  const from = ["src", ...scripts, "build/wasm/phasor.wasm", "package.json", "package-lock.json"];
  const to = engine.map((name) => join("build/engine", name));
  await once("engine", { from, to }, () =>
    step("Bundling the package for V8 in Python", () =>
      bundle(join(project, "build/wasm"), join(project, "build/engine"), { names: ["engine"] }),
    ),
  );
}

/** The wheel's path. */
export async function wheelPath() {
  return join(project, "build/python", `${imported}-${await version()}-py3-none-any.whl`);
}

async function version() {
  return JSON.parse(await readFile(join(project, "package.json"), "utf8")).version;
}

/**
 * The files of the package by their paths in the wheel.
 *
 * @returns {Promise<Record<string, Buffer>>}
 */
async function packageFiles() {
  const files = /** @type {Record<string, Buffer>} */ ({});
  for (const name of (await readdir(source)).filter((name) => name.endsWith(".py")).sort()) {
    const text = await readFile(join(source, name), "utf8");
    files[name] = Buffer.from(
      text.replace(/^__version__ = .*$/m, `__version__ = "${await version()}"`),
    );
  }
  for (const name of shipped) {
    files[name] = await readFile(join(project, "dist", name));
  }
  for (const name of engine) files[name] = await readFile(join(project, "build/engine", name));
  for (const [name, text] of Object.entries(await stubs())) files[name] = Buffer.from(text);
  files["names.json"] = Buffer.from(JSON.stringify(await widgetNames()));
  files["py.typed"] = Buffer.alloc(0);
  return Object.fromEntries(
    Object.entries(files).map(([name, bytes]) => [`${imported}/${name}`, bytes]),
  );
}

/** Arguments of schemes that are no options of a function and have no control. */
const ARGUMENTS = ["heads", "length", "positions", "dim", "points", "size", "sizes", "table", "weights"]; // prettier-ignore

/** What the widget draws, and all names of options that any scheme takes. */
async function widgetNames() {
  const dist = (/** @type {string} */ name) =>
    import(pathToFileURL(join(project, "dist", name)).href);
  const [{ load, optionsOf }, { schemes }] = await Promise.all(["index.js", "widget.js"].map(dist));
  const modules = Object.values(await load());
  const functions = modules.flatMap((module) => [module, ...Object.values(module)]);
  const declared = functions.filter((each) => typeof each === "function").map(optionsOf);
  const controls = Object.values(widgets).map((each) => each.controls);
  const options = [...declared, ...controls].flatMap(Object.keys);
  return { schemes: await schemes(), options: [...new Set([...ARGUMENTS, ...options])].sort() };
}

/** Machines for which mini-racer has wheels. Elsewhere `load` says that it is missing. */
const MACHINES = "x86_64 AMD64 amd64 aarch64 arm64 ARM64";

/** The folder of the texts about the wheel, by their paths. @returns {Promise<Record<string, Buffer>>} */
async function about() {
  const { description, license, keywords } = JSON.parse(
    await readFile(join(project, "package.json"), "utf8"),
  );
  const metadata = [
    "Metadata-Version: 2.4",
    `Name: ${distribution}`,
    `Version: ${await version()}`,
    `Summary: ${description.replace(/, with a plain JavaScript API\.$/, "")}, for NumPy`,
    `Keywords: ${keywords.join(",")}`,
    `License-Expression: ${license}`,
    "License-File: LICENSE",
    "Classifier: Programming Language :: Python :: 3",
    "Classifier: Typing :: Typed",
    "Classifier: Framework :: Pytest",
    "Requires-Python: >=3.10",
    'Requires-Dist: numpy; sys_platform != "emscripten"',
    `Requires-Dist: mini-racer<0.15,>=0.14.1; sys_platform != "emscripten" and platform_machine in "${MACHINES}"`,
    "Provides-Extra: widget",
    'Requires-Dist: anywidget>=0.9; extra == "widget"',
    'Requires-Dist: numpy; extra == "widget"',
    "Description-Content-Type: text/markdown",
    "",
    await readFile(join(source, "README.md"), "utf8"),
  ].join("\n");
  const wheel = "Wheel-Version: 1.0\nGenerator: phasor\nRoot-Is-Purelib: true\nTag: py3-none-any\n";
  const folder = `${imported}-${await version()}.dist-info`;
  return {
    [`${folder}/METADATA`]: Buffer.from(metadata),
    [`${folder}/WHEEL`]: Buffer.from(wheel),
    [`${folder}/entry_points.txt`]: Buffer.from(`[pytest11]\nphasor = ${imported}.pytest_plugin\n`),
    [`${folder}/licenses/LICENSE`]: await readFile(join(project, "LICENSE")),
  };
}

/** The line of RECORD for a file. @param {[string, Buffer]} file */
function recorded([path, bytes]) {
  const digest = createHash("sha256").update(bytes).digest("base64url");
  return `${path},sha256=${digest},${bytes.length}\n`;
}

/** The bytes of the wheel, from the built dist. */
export async function wheel() {
  const texts = await about();
  const files = Object.entries({ ...(await packageFiles()), ...texts });
  const record = `${Object.keys(texts)[0].split("/")[0]}/RECORD`;
  const list = `${files.map(recorded).join("")}${record},,\n`;
  const all = [...files, /** @type {[string, Buffer]} */ ([record, Buffer.from(list)])];
  const options = {
    mtime: new Date(1980, 0, 1), // the earliest date of a zip file
    os: 3, // Unix, whose permissions follow
    attrs: 0o100644 << 16,
  };
  const { zipSync } = await import("fflate"); // which a fresh clone does not have yet
  return zipSync(Object.fromEntries(all), { level: 9, ...options });
}

/** Builds the wheel from dist, unless nothing has changed. */
export async function buildWheel() {
  const path = await wheelPath();
  await buildEngine();
  const from = [
    ...engine.map((name) => join("build/engine", name)),
    ...shipped.map((name) => join("dist", name)),
    "build/api.json",
    "src/python",
    "scripts/package/wheel.js",
    "scripts/package/stubs.js",
    "scripts/package/python.js",
    "package.json",
    "package-lock.json",
    "LICENSE",
  ];
  await once("wheel", { from, to: [path.slice(project.length + 1)] }, () =>
    step("Building the wheel", async () => {
      const folder = join(project, "build/python");
      await rm(folder, { recursive: true, force: true });
      await mkdir(folder, { recursive: true });
      await writeFile(path, await wheel());
    }),
  );
  return path;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await build();
  console.log(await buildWheel());
}
