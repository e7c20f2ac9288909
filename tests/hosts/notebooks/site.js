// A JupyterLite site as its users build it, and its notebooks run in Chromium. Everything comes from this
// machine; what `npm run x -- test:notebooks` has put below build/notebooks is what it is built from.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { copyFile, mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { unzipSync } from "fflate";
import { run } from "../../../scripts/setup/run.js";
import { serve } from "../../../scripts/site/serve.js";
import { project } from "../../../scripts/setup/setup.js";
import { wheelPath } from "../../../scripts/package/wheel.js";
import { openBrowser } from "../../pages/browser.js";

const installed = join(project, "build/notebooks");

/** Why there is no NumPy; undefined where there is. */
export const lacksNumpy = existsSync(join(installed, "wheels-numpy/.filled"))
  ? undefined
  : "the registries no longer have NumPy for Pyodide";

/** What the kernel is made of inside Pyodide. */
const KERNEL = ["micropip", "piplite", "ipykernel", "comm", "pyodide-kernel", "jedi", "ipython"];

/** Where jupyterlite-pyodide-kernel keeps its own Python packages. */
const EXTENSION = "share/jupyter/labextensions/@jupyterlite/pyodide-kernel-extension/static/pypi/";

/**
 * @typedef {Record<string, Uint8Array>} Files  bytes by path
 * @typedef {"current" | "numpy"} Version  of Pyodide: today's, for which no registry has NumPy, or the
 *   newest for which one has
 */

/**
 * Pyodide with its packages beside it, and a lock file that names no others.
 *
 * @param {Version} version
 * @returns {Promise<Files>}
 */
export async function pyodide(version) {
  const from = join(
    version === "numpy" ? join(installed, "jupyterlite") : project,
    "node_modules/pyodide",
  );
  /** @type {Files} */
  const files = {};
  for (const name of await readdir(from)) {
    if (/^(pyodide(\.asm)?\.m?js|pyodide\.asm\.wasm|python_stdlib\.zip)$/.test(name)) {
      files[name] = await readFile(join(from, name));
    }
  }
  const lock = JSON.parse(await readFile(join(from, "pyodide-lock.json"), "utf8"));
  const wheels = await wheelsFrom(join(installed, "wheels"));
  if (version === "current") {
    const extension = await readAll(join(installed, "python", EXTENSION));
    Object.assign(wheels, onlyWheels(extension));
  } else {
    const older = await wheelsFrom(join(installed, "wheels-numpy"));
    for (const [name, bytes] of Object.entries(older)) {
      const inside = /provisa|jupyterlite/.test(name) ? unzipSync(bytes) : { [name]: bytes };
      const wanted = /provisa/.test(name) ? [lock.packages.numpy.file_name] : Object.keys(inside);
      for (const path of Object.keys(inside)) {
        const isWanted = wanted.some((each) => path.endsWith(each)) && path.endsWith(".whl");
        if (isWanted) replace(wheels, basename(path), inside[path]);
      }
    }
    const { file_name: numpy, sha256 } = lock.packages.numpy;
    assert.equal(hash(wheels[numpy]), sha256, "NumPy must be Pyodide's own");
  }
  lock.packages = packages(wheels);
  files["pyodide-lock.json"] = Buffer.from(JSON.stringify(lock));
  return Object.assign(files, wheels);
}

/** Pyodide with NumPy, in Node. @returns {Promise<import("pyodide").PyodideInterface>} */
export async function pythonWithNumpy() {
  const module = join(installed, "jupyterlite/node_modules/pyodide/pyodide.mjs");
  const { loadPyodide } = await import(pathToFileURL(module).href);
  const python = await loadPyodide({ stdout() {} });
  const files = Object.entries(await pyodide("numpy"));
  const [, numpy] = files.find(([name]) => name.startsWith("numpy-")) ?? [];
  python.unpackArchive(numpy, "wheel");
  return python;
}

/** Of two versions of a package the later one given. @param {Files} wheels @param {string} name @param {Uint8Array} bytes */
function replace(wheels, name, bytes) {
  const former = Object.keys(wheels).find((each) => each.split("-")[0] === name.split("-")[0]);
  if (former) delete wheels[former];
  wheels[name] = bytes;
}

/** @param {Uint8Array} bytes */
const hash = (bytes) => createHash("sha256").update(bytes).digest("hex");

/** @param {Files} files @returns {Files} */
const onlyWheels = (files) =>
  Object.fromEntries(Object.entries(files).filter(([name]) => name.endsWith(".whl")));

/** @param {string} folder @returns {Promise<Files>} */
async function readAll(folder) {
  const names = await readdir(folder);
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name))])),
  );
}

/** @param {string} folder */
const wheelsFrom = async (folder) => onlyWheels(await readAll(folder));

/** A package's name as everybody spells it. @param {string} name */
const normal = (name) => name.replace(/[-_.]+/g, "-").toLowerCase();

/**
 * What Pyodide's lock file says of packages, from their wheels.
 * @param {Files} wheels
 */
function packages(wheels) {
  const entries = Object.entries(wheels).map(([file, bytes]) => {
    const inside = unzipSync(bytes);
    const paths = Object.keys(inside);
    const about = paths.find((path) => /^[^/]+\.dist-info\/METADATA$/.test(path)) ?? "";
    const metadata = Buffer.from(inside[about]).toString();
    const [, name] = /^Name: (.+)$/m.exec(metadata) ?? [];
    const [, version] = /^Version: (.+)$/m.exec(metadata) ?? [];
    const needs = [...metadata.matchAll(/^Requires-Dist: ([\w.-]+)([^;\n]*)(;.*)?$/gm)]
      .filter(([, , , condition]) => condition === undefined)
      .map(([, needed]) => normal(needed));
    const imports = paths
      .map((path) => /^(\w+)(\.py$|\/__init__\.py$)/.exec(path)?.[1])
      .filter((found) => found !== undefined);
    const entry = {
      ...{ name: normal(name), version, file_name: file, sha256: hash(bytes) },
      ...{ imports: [...new Set(imports)], depends: needs },
      ...{ install_dir: "site", package_type: "package", unvendored_tests: false },
    };
    return [entry.name, entry];
  });
  const all = Object.fromEntries(entries);
  for (const entry of Object.values(all)) {
    entry.depends = entry.depends.filter((/** @type {string} */ name) => name in all);
  }
  return all;
}

/**
 * Builds a site with `jupyter lite build`.
 *
 * @param {object} options
 * @param {string} options.name  of its folder below build/notebooks/sites
 * @param {Version} [options.version]
 * @param {Record<string, string | Uint8Array>} options.contents  what users see, by path
 * @returns {Promise<string>} the folder to serve
 */
export async function buildSite({ name, version = "current", contents }) {
  const folder = join(installed, "sites", name);
  await rm(folder, { recursive: true, force: true });
  /** @param {string} path @param {string | Uint8Array} bytes */
  const put = async (path, bytes) => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), bytes);
  };
  for (const [path, bytes] of Object.entries(contents)) await put(`contents/${path}`, bytes);
  for (const [path, bytes] of Object.entries(await pyodide(version))) {
    await put(`static/pyodide/${path}`, bytes);
  }
  const kernel = { disablePyPIFallback: true, loadPyodideOptions: { packages: KERNEL } };
  const settings = {
    "jupyter-lite-schema-version": 0,
    "jupyter-config-data": {
      exposeAppInBrowser: true, // so that outputs can be read
      litePluginSettings: { "@jupyterlite/pyodide-kernel-extension:kernel": kernel },
    },
  };
  await put("jupyter-lite.json", JSON.stringify(settings));
  const python = join(installed, "python/bin/python");
  const options = ["--contents", "contents", "--output-dir", "site", "--apps", "notebooks"];
  options.push(`--piplite-wheels=${await wheelPath()}`); // where %pip finds it
  await run(python, ["-m", "jupyterlite_core", "build", ...options, "--no-sourcemaps"], {
    cwd: folder,
    quiet: true,
  });
  await copyFile(join(project, "web/app/icon.svg"), join(folder, "site/favicon.ico")); // it has none
  return join(folder, "site");
}

/** The address of the package on jsDelivr, with or without a version. */
const CDN = /^https:\/\/cdn\.jsdelivr\.net\/npm\/phasor(@[^/]+)?\/(.*)$/;

/**
 * A cell that was run.
 *
 * @typedef {object} Cell
 * @property {string} id
 * @property {string} source
 * @property {string} text  what it printed, and its value as text
 * @property {Record<string, string>} data  what else it showed, by MIME type
 * @property {string} [error]
 */

/**
 * Serves a site and opens its notebooks in Chromium. jsDelivr's addresses of the package are answered with
 * dist/; any other that is not of this machine is refused, and a problem.
 *
 * @param {string} site  from `buildSite`
 */
export async function openSite(site) {
  const policy = "default-src * data: blob: 'unsafe-inline' 'unsafe-eval'"; // JupyterLite's needs
  const server = await serve(site, { headers: { "Content-Security-Policy": policy } });
  const browser = await openBrowser();
  return {
    /**
     * @param {string} name  such as "python.ipynb"
     * @returns {Promise<{page: import("playwright-core").Page, cells: Cell[], problems: string[], asked: string[], close(): Promise<void>}>}
     *   `asked`: the addresses of other hosts
     */
    async run(name) {
      const { page, problems } = await browser.newPage({
        serviceWorkers: "allow", // through which Python sees the files beside the notebook
        viewport: { width: 1200, height: 1000 },
      });
      /** @type {string[]} */
      const asked = [];
      await page.context().route(/^(?!http:\/\/127\.0\.0\.1)http/, async (route) => {
        asked.push(route.request().url());
        const file = CDN.exec(route.request().url())?.[2].replace(/^\+esm$/, "dist/index.js");
        const path = join(project, String(file));
        if (!file?.startsWith("dist/") || !existsSync(path)) return route.abort();
        const headers = { "Access-Control-Allow-Origin": "*" };
        const type = path.endsWith(".js") ? "application/javascript" : "text/plain";
        return route.fulfill({ path, contentType: `${type}; charset=utf-8`, headers });
      });
      await page.goto(`${server.url}notebooks/index.html?path=${name}`);
      await page.waitForFunction(isReady, undefined, { timeout: 120_000, polling: 500 });
      const menu = (/** @type {string} */ item) =>
        page.getByRole("menuitem", { name: item, exact: true }).click();
      await menu("Run");
      await menu("Run All Cells");
      const cells = await finished(page).catch((error) => {
        throw new Error(
          `${name} must run to its end; got ${[error.message, ...problems].join("\n")}`,
        );
      });
      const foreign = problems.filter((problem) => !CDN.test(problem.replace(/^request: /, "")));
      return { page, cells, problems: foreign, asked, close: () => page.context().close() };
    },
    async close() {
      await browser.close();
      await server.close();
    },
  };
}

/** In the page: whether the notebook is open and its kernel has been asked for. */
function isReady() {
  const { currentWidget } = /** @type {any} */ (globalThis).jupyterapp?.shell ?? {};
  return Boolean(currentWidget?.context?.isReady && currentWidget.sessionContext?.session?.kernel);
}

/** The code cells of the open notebook, once all have run or one has failed. @param {import("playwright-core").Page} page */
async function finished(page) {
  const handle = await page.waitForFunction(
    () => {
      const { currentWidget } = /** @type {any} */ (globalThis).jupyterapp.shell;
      const kernel = currentWidget?.sessionContext?.session?.kernel;
      const { cells } = currentWidget?.context.model.toJSON() ?? { cells: [] };
      const code = cells.filter((/** @type {any} */ cell) => cell.cell_type === "code");
      const failed = code.some((/** @type {any} */ cell) =>
        cell.outputs.some((/** @type {any} */ output) => output.output_type === "error"),
      );
      const ran = code.every((/** @type {any} */ cell) => cell.execution_count !== null);
      return code.length > 0 && kernel?.status === "idle" && (ran || failed) ? code : null;
    },
    undefined,
    { timeout: 300_000, polling: 500 },
  );
  const code = /** @type {any[]} */ (await handle.jsonValue());
  return code.map(({ id, source, outputs }) => {
    const joined = (/** @type {string | string[]} */ text) => [text].flat().join("");
    /** @type {Cell} */
    const cell = { id, source: joined(source), text: "", data: {} };
    for (const output of outputs) {
      if (output.output_type === "stream") cell.text += joined(output.text);
      if (output.output_type === "error") cell.error = `${output.ename}: ${output.evalue}`;
      for (const [type, value] of Object.entries(output.data ?? {})) {
        if (type === "text/plain") cell.text += joined(value);
        else cell.data[type] = joined(value);
      }
    }
    return cell;
  });
}
