// Builds the package: C++ -> build/wasm, then dist/ as npm ships it. `node scripts/build.js`
// does all of it; the other scripts call the parts they need.

import { mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { constants, deflateRawSync } from "node:zlib";
import { run, step } from "./run.js";
import { project, setup } from "./setup.js";
import { complaints } from "./toolchain.js";

/** @typedef {import("./setup.js").Tools} Tools */

/**
 * Compile a CMake target.
 * @param {Tools} tools
 * @param {string} folder  inside build/
 * @param {string[]} targets
 * @param {string[]} options  for CMake, e.g. -DPHASOR_ASSERTIONS=ON
 */
export async function compile(tools, folder, targets, options) {
  const at = join(project, "build", folder);
  const wasm = folder.startsWith("wasm");
  const generator = tools.generator ?? "Unix Makefiles";
  const quiet = { cwd: project, env: tools.env, quiet: true };
  const stamp = join(at, ".configured");
  const known = existsSync(stamp) ? readFileSync(stamp, "utf8").split("\n") : [];
  if (!options.every((option) => known.includes(option))) {
    const configure = ["-S", project, "-B", at, "-G", generator, ...options];
    await (wasm
      ? run(String(tools.emcmake), ["cmake", ...configure], quiet)
      : run(String(tools.cmake), configure, quiet));
    await writeFile(stamp, options.join("\n"));
  }
  const { stdout, stderr } = await run(
    String(tools.cmake),
    ["--build", at, "--target", ...targets],
    quiet,
  );
  const bad = complaints(stdout + stderr);
  if (bad.length > 0)
    throw new Error(`The build must be free of warnings; got:\n${bad.join("\n")}`);
}

/** The wasm that ships. @param {Tools} tools @param {string[]} [targets] */
export function compileWasm(tools, targets = ["phasor"]) {
  // The tests need doctest's folder, which a machine that only ever started the page lacks.
  const doctest = tools.doctest ? [`-DDOCTEST_FOLDER=${tools.doctest}`] : [];
  return compile(tools, "wasm", targets, ["-DCMAKE_BUILD_TYPE=Release", ...doctest]);
}

/**
 * Make the ES modules of the package from src/ and a compiled core.
 * @param {string} from  folder with phasor.mjs and phasor.wasm
 * @param {string} to
 */
export async function bundle(from, to) {
  const esbuild = await import("esbuild");
  const core = join(to, ".core");
  await mkdir(core, { recursive: true });

  const wasm = await readFile(join(from, "phasor.wasm"));
  await writeFile(join(to, "core.wasm"), wasm);
  const deflated = deflateRawSync(wasm, {
    level: 9,
    memLevel: 9,
    strategy: constants.Z_DEFAULT_STRATEGY,
  });
  await writeFile(join(core, "core.deflated"), deflated);
  await writeFile(join(core, "glue.js"), await withoutAddress(join(from, "phasor.mjs")));

  const api = join(project, "src", "api");
  /** @param {string} entry @param {string} name @param {string} [binary] */
  const write = async (entry, name, binary = "binary.inline.js") => {
    const { metafile } = await esbuild.build({
      entryPoints: [join(project, "src", entry)],
      outfile: join(to, name),
      bundle: true,
      format: "esm",
      target: "es2022",
      platform: "neutral",
      charset: "utf8",
      minifySyntax: true,
      minifyWhitespace: true,
      lineLimit: 500, // Node prints the whole line of an uncaught error
      minifyIdentifiers: true, // the source map has the names, for stack traces
      sourcemap: "linked",
      legalComments: "none",
      // The first two are asked for only by the glue of the assertions build.
      external: ["module", "node:*", "@observablehq/plot"],
      metafile: true,
      loader: { ".deflated": "base64" },
      alias: {
        "phasor-core/glue": join(core, "glue.js"),
        "phasor-core/binary": join(api, binary),
        "phasor-core/deflated": join(core, "core.deflated"),
      },
    });
    await writeNotices(metafile, join(to, name));
  };
  await write("index.js", "index.js");
  await write("index.js", "external.js", "binary.external.js");
  await write("files/index.js", "files.js");
  await write("models/index.js", "models.js");
  await write("plots/index.js", "plots.js");
  await rm(core, { recursive: true });
}

/** Whose colours src/plots/colours.js writes out. */
const BORROWED = "d3-scale-chromatic";

/**
 * The licences of other packages that a bundle has taken in, in a file beside it.
 * @param {import("esbuild").Metafile} metafile
 * @param {string} bundle  path
 */
async function writeNotices(metafile, bundle) {
  const inputs = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.entries(inputs));
  const packages = new Set(
    inputs
      .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
      .map(([path]) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1])
      .filter((name) => name !== undefined),
  );
  if (packages.size === 0) return;
  const texts = [...packages, BORROWED].sort().map(async (name) => {
    const text = await readFile(join(project, "node_modules", name, "LICENSE"), "utf8");
    return `${name}\n\n${text.trim()}\n`;
  });
  const between = `\n${"-".repeat(80)}\n\n`;
  await writeFile(bundle.replace(/js$/, "LEGAL.txt"), (await Promise.all(texts)).join(between));
}

/**
 * Emscripten's glue, minified and without its own idea of where the wasm is: `api/wasm.js` alone
 * knows, and a `new URL(...)` of another name makes bundlers fail.
 * @param {string} path
 */
async function withoutAddress(path) {
  const esbuild = await import("esbuild");
  const glue = await readFile(path, "utf8");
  const address = /new URL\(\s*["']phasor\.wasm["'],\s*import\.meta\.url\s*\)(\.href)?/g;
  const found = glue.match(address)?.length ?? 0;
  if (found !== 1) throw new Error(`The glue must name its wasm once; got ${found} times.`);
  const { code } = await esbuild.transform(glue.replace(address, '"core.wasm"'), { minify: true });
  return code;
}

/** Declarations from the JSDoc. @param {Tools} tools @param {string} to */
export async function declare(tools, to) {
  const types = join(to, "types");
  const options = ["--project", "tsconfig.types.json", "--outDir", types];
  await run("tsc", options, { cwd: project, env: tools.env, quiet: true });
  for (const path of await readdir(types, { recursive: true })) {
    if (!path.endsWith(".d.ts")) continue;
    const text = await readFile(join(types, path), "utf8");
    if (legible(text) !== text) await writeFile(join(types, path), legible(text));
  }
}

/**
 * Declarations whose comments begin lines: tsc writes that of a function that is returned behind the
 * colon, where TypeScript itself reads none.
 * @param {string} declarations
 */
export function legible(declarations) {
  return declarations.replace(/(\S) ?(\/\*\*)$/gm, "$1\n$2");
}

/** @param {{types?: boolean}} [options] */
export async function build({ types = true } = {}) {
  const tools = await setup(["packages", "emscripten"]);
  await step("Compiling the core to WebAssembly", () => compileWasm(tools));
  await step("Bundling the package", async () => {
    await bundle(join(project, "build", "wasm"), join(project, "dist"));
    if (types) await declare(tools, join(project, "dist"));
  });
  return tools;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) await build();
