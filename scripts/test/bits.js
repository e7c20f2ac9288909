// Computes the same results in every available engine, with SIMD and without, by the compiler of the package and by the
// newest one, and compares their digests with the recorded ones.
//   npm run x -- test:bits           all; engines from npm are installed into build/bits, the compiler into build/forky
//   npm run x -- test:bits WORD      the engines whose names have the word
//   npm run x -- test:bits --write   records what this Node computes

import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { engines } from "../../tests/truth/bits/engines.js";
import { table } from "../bench/report.js";
import { build, bundle as bundlePackage } from "../package/build.js";
import { buildScalarLab } from "./builds.js";
import { installFromNpm } from "../setup/install.js";
import { buildByNewest } from "../setup/newest.js";
import { runScript } from "../setup/run.js";
import { project } from "../setup/setup.js";

/** @typedef {{count: number, hash: string, functions: Record<string, string>, lab: Record<string, string>}} Digests */

/** What every engine must compute. */
export const recorded = join(project, "tests/truth/bits/recorded.json");

const folder = join(project, "build", "bits");

/** The entries with another core each, by their names in the table. */
const ENTRIES = { SIMD: "index", scalar: "scalar" };

/** A program's name, the default entry in it, and the lab. @typedef {{name: string, entry: string, lab: string}} Program */

/**
 * The builds of the package, by their names in the table: as published, and by the newest compiler if available.
 * @returns {Promise<Record<string, Program>>}
 */
async function builds() {
  const labs = { SIMD: join(project, "dist", "lab.js"), scalar: await buildScalarLab() };
  const shipped = Object.entries(ENTRIES).map(([core, name]) => [
    core,
    { name, entry: join(project, "dist", `${name}.js`), lab: labs[/** @type {"SIMD"} */ (core)] },
  ]);
  try {
    const { version, folder: cores } = await buildByNewest(["phasor", "phasor_scalar"]);
    const [number] = /\d+\.\d+\.\d+/.exec(version) ?? [version];
    const dist = join(project, "build", "newest-dist");
    await bundlePackage(cores, dist, { names: [...Object.values(ENTRIES), "lab"] });
    const scalar = { names: ["lab"], core: "phasor_scalar", isQuick: true };
    await bundlePackage(cores, join(dist, "scalar"), scalar);
    const newest = Object.entries(ENTRIES).map(([core, name]) => [
      `${core} by Emscripten ${number}`,
      {
        name: `${name}-newest`,
        entry: join(dist, `${name}.js`),
        lab: join(dist, core === "scalar" ? "scalar" : "", "lab.js"),
      },
    ]);
    return Object.fromEntries([...shipped, ...newest]);
  } catch (error) {
    console.log(`Without the newest Emscripten: ${/** @type {Error} */ (error).message}`);
    return Object.fromEntries(shipped);
  }
}

/**
 * Writes the program for engines as one file, and a page with it.
 * @param {Program} build @returns {Promise<string>} path
 */
async function bundle({ name, entry, lab }) {
  const esbuild = await import("esbuild");
  const bits = join(project, "tests/truth/bits");
  await esbuild.build({
    entryPoints: [join(bits, "program.js")],
    outfile: join(folder, `${name}.js`),
    bundle: true,
    format: "esm",
    target: "es2022",
    external: ["node:*"],
    keepNames: true,
    alias: { phasor: entry, "phasor/lab": lab },
    plugins: [
      {
        name: "the package instead of what tests import",
        setup: ({ onResolve }) =>
          onResolve({ filter: /\/phasor\.js$/ }, () => ({ path: join(bits, "entry.js") })),
      },
    ],
  });
  const page = `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><script type="module" src="${name}.js"></script>\n`;
  await writeFile(join(folder, `${name}.html`), page);
  return join(folder, `${name}.js`);
}

/**
 * The functions whose results differ.
 * @param {Pick<Digests, "functions">} found @param {Pick<Digests, "functions">} expected
 */
export const differing = (found, expected) =>
  Object.keys({ ...expected.functions, ...found.functions }).filter(
    (name) => found.functions[name] !== expected.functions[name],
  );

/** @param {{write: boolean, word: string}} options */
async function main({ write, word }) {
  await build({ types: false });
  const engineFolder = join(folder, "engines");
  await mkdir(engineFolder, { recursive: true });
  const list = join(project, "tests/truth/bits/engines");
  await installFromNpm("the engines", list, engineFolder).catch((error) =>
    console.log(error.message),
  );
  await writeFile(join(folder, "package.json"), '{ "type": "module" }\n');
  const packages = await builds();
  const programs = await Promise.all(Object.values(packages).map(bundle));
  const all = (await engines(engineFolder)).filter(({ name }) => name.toLowerCase().includes(word));
  const rows = [["engine", ...Object.keys(packages)]];
  /** @type {Digests | undefined} */
  let expected = write ? undefined : JSON.parse(await readFile(recorded, "utf8"));
  let bad = 0;
  for (const engine of all) {
    if ("missing" in engine) {
      rows.push([engine.name, `not here: ${engine.missing.split("\n")[0]}`]);
      continue;
    }
    const cells = [];
    for (const program of programs) {
      /** @type {Digests | string} */
      const found = await engine.run(program).then(JSON.parse, (error) => error.message);
      if (typeof found === "string") {
        const isLacking = /WebAssembly/.test(found) && engine.name.includes("--jitless");
        if (!isLacking) ++bad;
        cells.push(isLacking ? "has no WebAssembly" : `FAILS: ${found.slice(0, 200)}`);
        continue;
      }
      expected ??= found;
      const others = [
        ...differing(found, expected),
        ...differing({ functions: found.lab }, { functions: expected.lab }),
      ];
      if (others.length > 0) ++bad;
      const differences = `DIFFERS in ${others.join(", ")}`;
      cells.push(others.length > 0 ? differences : `${found.hash}, ${found.count} results`);
    }
    rows.push([engine.name, ...cells]);
  }
  console.log(`\n${table(rows)}`);
  if (write) await writeFile(recorded, `${JSON.stringify(expected, null, 2)}\n`);
  if (bad > 0) throw new Error(`${bad} are not what is recorded.`);
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { write: { type: "boolean", default: false } },
  });
  await runScript(() => main({ write: values.write, word: (positionals[0] ?? "").toLowerCase() }));
}
