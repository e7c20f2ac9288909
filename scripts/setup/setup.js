// Finds or installs what the other scripts need. `node scripts/setup/setup.js` prints what it found.

import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { basename, delimiter, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { run, runScript, step } from "./run.js";
import {
  binaryenFolder,
  binaryenToMend,
  debianSource,
  distributionOf,
  emsdkFolder,
  emsdkVersion,
  pinFile,
  plan,
  refusal,
  sourceFile,
  which,
} from "./toolchain.js";

/** @typedef {import("./toolchain.js").Host} Host */
/** @typedef {import("./toolchain.js").Want} Want */

export const project = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** @type {Want[]} */
const everything = ["packages", "emscripten", "native", "format", "browser", "firefox"];

/**
 * The requested tools and their paths. A tool that was not requested is undefined.
 *
 * @typedef {object} Tools
 * @property {NodeJS.ProcessEnv} env for child processes
 * @property {string} [emcc]
 * @property {string} [emxx]
 * @property {string} [emcmake]
 * @property {string} [emscripten] its version, where it was found, and what was mended
 * @property {string} [cmake]
 * @property {"Ninja" | "Unix Makefiles"} [generator] for cmake -G
 * @property {string} [cxx]
 * @property {string} [simde] the folder in which <simde/wasm/simd128.h> lies
 * @property {string} [doctest] the folder in which <doctest/doctest.h> lies
 * @property {string} [clangFormat]
 * @property {string} [chromium]
 * @property {string} [firefox]
 * @property {string} [python]
 * @property {string} [pip]
 */

/**
 * Finds the requested tools, installs missing ones, and returns their paths. Does nothing, and
 * takes no time, if all are installed.
 *
 * @param {Want[]} [wants]
 * @returns {Promise<Tools>}
 * @throws {Error} one sentence that says what to install, where this cannot be done from here
 */
export async function setup(wants = everything) {
  let host = thisHost();
  let made = plan(host, wants);
  for (const note of made.notes) console.log(note);
  if (made.ask) throw new Error(made.ask);
  // npm's binaryen replaces one that is too old, so the compiler needs the packages as well.
  if (wants.includes("packages") || wants.includes("emscripten")) await installPackages();
  if (made.apt.length || made.emsdk) {
    if (made.apt.length) await installDebian(host, made.apt, made.suite);
    if (made.emsdk) await installEmsdk(host);
    host = thisHost();
    made = plan(host, wants);
    if (made.ask || made.apt.length || made.emsdk) {
      const lacking = made.ask ?? `still missing: ${made.apt.join(" ") || "a working emcc"}.`;
      throw new Error(`The installation went through, but ${lacking}`);
    }
  }

  const { found, emscripten } = made;
  const path = [join(project, "node_modules/.bin"), ...host.path];
  /** @type {Tools} */
  const tools = {
    env: { ...process.env },
    cmake: found.cmake,
    generator: generatorOf(found.make),
    cxx: found.cxx,
    simde: found.simde,
    doctest: found.doctest,
    clangFormat: found.clangFormat,
    chromium: found.chromium,
    firefox: found.firefox,
    python: found.python,
    pip: found.pip,
  };
  if (emscripten) {
    const { emcc, version, from, folder } = emscripten;
    tools.emcc = emcc;
    tools.emxx = join(dirname(emcc), "em++");
    tools.emcmake = join(dirname(emcc), "emcmake");
    tools.emscripten = `${version} (${from})`;
    // PATH may have an older emcc, or none. Its folder may have another Node, which must come after ours.
    if (which(host, "emcc") !== emcc) path.unshift(dirname(process.execPath), dirname(emcc));
    const mend = binaryenToMend(host, emscripten);
    if (mend) {
      mendBinaryen(host, mend);
      tools.env.EM_BINARYEN_ROOT = binaryenFolder(host);
      tools.emscripten += ` with npm's binaryen ${mend.version}`;
    }
    if (folder) mendAcorn(folder);
    const python = which(host, "python3");
    if (python) tools.env.EMSDK_PYTHON ??= interpreterOf(python);
  }
  tools.env.PATH = [...new Set(path)].join(delimiter);
  return tools;
}

/** @param {string | undefined} file @returns {Tools["generator"]} */
function generatorOf(file) {
  if (!file) return undefined;
  return basename(file) === "ninja" ? "Ninja" : "Unix Makefiles";
}

/** @returns {Host} */
export function thisHost() {
  return {
    root: "/",
    path: (process.env.PATH ?? "").split(delimiter).filter(Boolean),
    env: process.env,
    platform: process.platform,
    uid: process.getuid?.() ?? -1,
    project,
    version: rememberedVersion,
  };
}

/** @type {Record<string, { changed: number, text: string }> | undefined} */
let versions;

/**
 * What `file --version` prints, asked again only when the file has changed.
 *
 * @param {string} file
 */
function rememberedVersion(file) {
  const memory = join(project, "build/versions.json");
  versions ??= existsSync(memory) ? JSON.parse(readFileSync(memory, "utf8")) : {};
  const known = /** @type {NonNullable<typeof versions>} */ (versions);
  const changed = statSync(file).mtimeMs;
  if (known[file]?.changed !== changed) {
    const { stdout, status } = spawnSync(file, ["--version"], { encoding: "utf8" });
    known[file] = { changed, text: status === 0 ? stdout : "" };
    mkdirSync(dirname(memory), { recursive: true });
    // Written to another file and renamed, since another script may be reading it.
    writeFileSync(`${memory}.${process.pid}`, JSON.stringify(known, null, 2));
    renameSync(`${memory}.${process.pid}`, memory);
  }
  return known[file].text;
}

async function installPackages() {
  const installed = join(project, "node_modules/.package-lock.json");
  const changed = (/** @type {string} */ file) => (existsSync(file) ? statSync(file).mtimeMs : 0);
  if (changed(installed) > 0 && changed(installed) >= changed(join(project, "package-lock.json")))
    return;
  await step("Installing the npm packages", () =>
    run("npm", ["ci"], { cwd: project, quiet: true }),
  );
}

/**
 * @param {Host} host
 * @param {string[]} packages
 * @param {string | null} suite
 */
async function installDebian(host, packages, suite) {
  const options = { env: { DEBIAN_FRONTEND: "noninteractive" }, quiet: true };
  const patience = ["-o", "DPkg::Lock::Timeout=300", "-o", "Acquire::Retries=3"];
  const install = [
    ...patience,
    "install",
    "-y",
    "--no-install-recommends",
    "--no-remove",
    ...packages,
  ];
  await step("Reading the lists of Debian packages", () => {
    if (suite) addSuite(host, suite);
    return again(() => run("apt-get", [...patience, "update"], options));
  });
  await step(`Installing ${packages.join(", ")}`, async () => {
    const { stdout } = await run("apt-get", [...install, "--simulate"], options);
    const reason = refusal(stdout);
    if (reason) throw new Error(reason);
    await again(() => run("apt-get", install, options));
  });
}

/**
 * Makes packages of another suite available by name, from the machine's own mirror.
 *
 * @param {Host} host
 * @param {string} suite
 */
function addSuite(host, suite) {
  const ours = `/etc/apt/sources.list.d/phasor-${suite}.sources`;
  if (debianSource(aptSources(ours), suite)) return;
  // The pin first: that suite must never be there without it.
  writeFileSync(`/etc/apt/preferences.d/phasor-${suite}`, pinFile(suite));
  writeFileSync(ours, sourceFile(ownSource(host), suite));
}

/**
 * Where this Debian's own packages come from.
 *
 * @param {Host} host
 * @returns {{ uri: string, signedBy: string | null }}
 */
export function ownSource(host) {
  const { codename } = distributionOf(host);
  const own = debianSource(aptSources(), codename);
  if (!own) throw new Error(`None of apt's sources has ${codename}; add it, then run this again.`);
  return own;
}

/** @param {string} [except] */
function aptSources(except) {
  const folder = "/etc/apt/sources.list.d";
  return ["/etc/apt/sources.list", ...readdirSync(folder).map((name) => join(folder, name))]
    .filter((file) => /\.(list|sources)$/.test(file) && file !== except && existsSync(file))
    .map((file) => readFileSync(file, "utf8"));
}

/** @param {Host} host */
async function installEmsdk(host) {
  const folder = emsdkFolder(host);
  await step(`Installing Emscripten ${emsdkVersion} into build/emsdk`, async () => {
    rmSync(folder, { recursive: true, force: true });
    const address = "https://github.com/emscripten-core/emsdk.git";
    await again(() => run("git", ["clone", "--depth", "1", address, folder], { quiet: true }));
    for (const verb of ["install", "activate"]) {
      await again(() =>
        run("python3", ["emsdk.py", verb, emsdkVersion], { cwd: folder, quiet: true }),
      );
    }
  });
}

/**
 * A server that is busy now may answer a few seconds later.
 *
 * @template T
 * @param {() => Promise<T>} work
 */
export async function again(work) {
  for (const seconds of [3, 10]) {
    try {
      return await work();
    } catch (error) {
      console.log(`  ${/** @type {Error} */ (error).message} Trying again in ${seconds} s.`);
      await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    }
  }
  return work();
}

/**
 * A binaryen root with npm's tools and the system's wasm-emscripten-finalize, which npm's lacks.
 *
 * @param {Host} host
 * @param {{ version: number, system: string }} mend
 */
function mendBinaryen(host, { version, system }) {
  const npm = join(project, "node_modules/binaryen");
  const present = JSON.parse(readFileSync(join(npm, "package.json"), "utf8")).version;
  if (!present.startsWith(`${version}.`)) {
    throw new Error(`This Emscripten needs binaryen ${version}; package.json has ${present}.`);
  }
  const bin = join(binaryenFolder(host), "bin");
  mkdirSync(bin, { recursive: true });
  for (const name of readdirSync(join(npm, "bin")).filter((each) => each.startsWith("wasm"))) {
    link(relative(bin, join(npm, "bin", name)), join(bin, name));
  }
  link(join(system, "wasm-emscripten-finalize"), join(bin, "wasm-emscripten-finalize"));
}

/**
 * The interpreter behind `python3`. Where that is a version manager's shell script, which looks for it at each start,
 * compiling a small file takes half as long again.
 *
 * @param {string} file
 */
export function interpreterOf(file) {
  if (readFileSync(file, "latin1").slice(0, 2) !== "#!") return file;
  const args = ["-c", "import sys; print(sys.executable)"];
  const { stdout, status } = spawnSync(file, args, { encoding: "utf8" });
  return status === 0 ? stdout.trim() : file;
}

/**
 * Debian keeps acorn where only Debian's own Node looks for it.
 *
 * @param {string} folder Emscripten's
 */
function mendAcorn(folder) {
  const acorn = "/usr/share/nodejs/acorn";
  try {
    createRequire(join(folder, "tools/acorn-optimizer.mjs")).resolve("acorn");
  } catch {
    if (!existsSync(acorn))
      throw new Error(`${folder} lacks the npm package acorn; install it there.`);
    try {
      mkdirSync(join(folder, "node_modules"), { recursive: true });
      link(acorn, join(folder, "node_modules/acorn"));
    } catch {
      throw new Error(
        "Emscripten cannot find acorn; run node scripts/setup/setup.js once as root.",
      );
    }
  }
}

/** @param {string} target @param {string} file */
function link(target, file) {
  try {
    symlinkSync(target, file);
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== "EEXIST") throw error;
  }
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  await runScript(async () => {
    const { env, ...tools } = await setup();
    const { EM_BINARYEN_ROOT } = env;
    for (const [name, place] of Object.entries({ ...tools, EM_BINARYEN_ROOT })) {
      if (place) console.log(`${name.padEnd(18)}${place}`);
    }
  });
}
