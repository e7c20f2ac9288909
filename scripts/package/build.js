// Builds the package: C++ -> build/wasm, then dist/ as npm ships it. `node scripts/package/build.js`
// does all of it; the other scripts call the parts they need.

import { createHash } from "node:crypto";
import { chmod, mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { existsSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { deflateRawSync } from "node:zlib";
import { api } from "./api.js";
import { bindings, kernels, shortNames, writers } from "./bindings.js";
import * as common from "./commonjs.js";
import { BORROWED, coreNotices, notices, packageOf } from "./notices.js";
import { declare, typesOfCore } from "./declare.js";
import { filesIn, once } from "../setup/once.js";
import { writePython } from "./python.js";
import { run, step } from "../setup/run.js";
import { project, setup } from "../setup/setup.js";
import { complaints } from "../setup/toolchain.js";

/** @typedef {import("../setup/setup.js").Tools} Tools */

/**
 * Compile a CMake target.
 * @param {Tools} tools
 * @param {string} folder  inside build/
 * @param {string[]} targets
 * @param {string[]} options  for CMake, e.g. -DPHASOR_SANITIZE=ON
 */
export async function compile(tools, folder, targets, options) {
  const at = join(project, "build", folder);
  const wasm = folder.startsWith("wasm");
  const generator = tools.generator ?? "Unix Makefiles";
  const quiet = { cwd: project, env: tools.env, quiet: true };
  if (isOfAnother(join(at, "CMakeCache.txt"), project)) await rm(at, { recursive: true });
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

/**
 * Whether a build folder is that of another checkout: it was copied, and CMake would build there.
 * @param {string} cache  path of its CMakeCache.txt @param {string} home
 */
export function isOfAnother(cache, home) {
  if (!existsSync(cache)) return false;
  const [, source] =
    /^CMAKE_HOME_DIRECTORY:INTERNAL=(.*)$/m.exec(readFileSync(cache, "utf8")) ?? [];
  return source !== undefined && resolve(source) !== resolve(home);
}

/**
 * The published wasm, with SIMD and without.
 * @param {Tools} tools @param {string[]} [targets] @param {string[]} [options]  for CMake
 */
export function compileWasm(tools, targets = ["phasor", "phasor_scalar"], options = []) {
  // The tests need doctest's folder, which a machine that only served the site lacks.
  const doctest = tools.doctest ? [`-DDOCTEST_FOLDER=${tools.doctest}`] : [];
  const all = ["-DCMAKE_BUILD_TYPE=Release", ...doctest, ...options];
  return compile(tools, "wasm", targets, all);
}

/**
 * An entry of the package.
 * @typedef {object} Entry
 * @property {string} source  the module in src/; none of `common`, which has those of other entries
 * @property {string} [core]  the compiled core that the entry's own is made from, if not the default one
 * @property {"inline" | "external"} [binary]  where the entry finds its core: within, or in core.wasm beside it.
 *   Without it, the entry has none
 * @property {string[]} [beside]  the entries that it imports instead of having their modules within
 * @property {string} [file]  core.wasm as the host's bundler takes it for a compiled module
 * @property {string[]} [whole]  modules whose every export is the entry's, too: what imports the entry lacks them
 * @property {Record<string, string>} [lends]  what the entry exports from a module for entries that import it,
 *   so that pages do not download it twice. It has no declaration and no documentation: it is not part of the interface,
 *   and has a name of a number (`borrowed`)
 * @property {boolean} [isPlain]  it borrows nothing, so that a bundle may have a smaller entry for one that it imports
 * @property {readonly string[]} [order]  modules that stand first, after what they import. It changes nothing but bytes:
 *   compressors look back no farther than 32 KiB, and these orders bring near each other what is alike
 * @property {[other: string, common: string]} [pair]  the entry that is made with it, and the file of what both have
 * @property {boolean} [map]  whether it has a source map: not where another entry's has the same modules
 * @property {boolean} [isCommand]  whether it is a program. npm makes it executable in some of its commands, so the
 *   build does so always
 * @property {boolean} [isScript]  whether it is a classic script, whose default export is the global `phasor`, for V8
 *   without Node. It is in the wheel alone
 */

const WHOLE = [
  ...["result", "schemes", "mask", "axes", "pool"].map((name) => `runtime/${name}.js`),
  "analysis/pca/pca.js",
  "runtime/linear.js",
  "training/skipgram/skipgram.js",
  "positional/rotary/xpos/xpos.js",
];

const POSITIONAL = [
  ...["schemes", "load", "pool", "positions"].map((name) => `runtime/${name}.js`),
  "positional/ids/position_ids/position_ids.js",
  "positional/absolute/learned_positions/learned_positions.js",
  "positional/bias/window_bias/window_bias.js",
  "positional/absolute/sinusoidal/sinusoidal.js",
  "positional/bias/tisa/tisa.js",
  "positional/bias/transformer_xl/transformer_xl.js",
];

const MODELS = [
  ...["check", "json", "named"].map((name) => `runtime/${name}.js`),
  ...["scaling", "variants", "positions", "config"].map((name) => `models/${name}.js`),
];

/** What phasor/oracle lends to the parts that it loads on first use. */
const ORACLE = {
  "oracle/numbers.js": "EPSILON firstOf PER_ANGLE precisionOf rounded widened",
  "oracle/identify/identify.js": "answerOf isSame resultOf stillOf",
  "oracle/identify/measure.js": "FEWEST_ROWS measure median wrap",
  "oracle/identify/pairing.js": "LAYOUTS pairingsOf turnsOf",
  "oracle/identify/positions.js": "offsetOf positionOf",
  "oracle/identify/published.js": "published",
  "oracle/identify/residual.js":
    "columnsOf compareRows exactTable nothing PER_EXACT_ANGLE residualOf",
  "oracle/identify/rotation.js": "anglesOf settled",
  "oracle/identify/spectrum.js":
    "BASES candidatesOf chosen FACTORS fastest fitted LENGTHS Naming ODD",
  "oracle/identify/words.js": "positionWords sentenceOf",
  "oracle/words.js": "none number refuseNotFinite",
};

/** @type {Record<string, Entry>} */
const entries = {
  index: {
    source: "index.js",
    order: WHOLE,
    binary: "inline",
    map: true,
    whole: ["runtime/tensor.js"],
    lends: {
      "runtime/check.js":
        "abortSignal boolean describe finite integer isRecord oneOf options unknownOption",
      "runtime/input.js": "asArray asFloat32 copied",
      "runtime/named.js": "inFunction nameFunctions nameMethods",
    },
  },
  external: { source: "index.js", order: WHOLE, binary: "external" },
  workerd: { source: "compiled.js", beside: ["external"], file: "./core.wasm" },
  "edge-light": { source: "compiled.js", beside: ["external"], file: "./core.wasm?module" },
  scalar: { source: "index.js", order: WHOLE, binary: "inline", core: "phasor_scalar" },
  positional: { source: "positional/index.js", order: POSITIONAL, binary: "inline" },
  rope: {
    source: "positional/rotary/rope/index.js",
    order: ["runtime/options.js", "runtime/pool.js"],
    binary: "inline",
  },
  sinusoidal: { source: "positional/absolute/sinusoidal/index.js", binary: "inline" },
  embedding: { source: "embedding/index.js", binary: "inline" },
  attention: { source: "attention/index.js", binary: "inline" },
  analysis: { source: "analysis/index.js", binary: "inline" },
  training: { source: "training/index.js", binary: "inline" },
  ngrams: { source: "ngrams/index.js", binary: "inline" },
  // What both have is in a third file: were the lab beside its thread, bundlers would follow the threads of threads.
  lab: { source: "lab/index.js", binary: "inline", pair: ["lab-thread", "lab-parts"] },
  "lab-thread": { source: "lab/experiment/thread.js" },
  worker: { source: "worker/index.js", map: true },
  "worker-thread": { source: "worker/thread.js", beside: ["index"], isPlain: true, map: true },
  files: { source: "files/index.js", map: true },
  models: {
    source: "models/index.js",
    order: MODELS,
    map: true,
    lends: { "models/config.js": "describe parse", "models/keys.js": "MOST_LAYERS" },
  },
  open: {
    source: "models/open/index.js",
    beside: ["index", "models", "open-sentences", "open-numpy"],
    map: true,
  },
  "open-numpy": { source: "models/open/numpy.js", beside: ["index"], map: true },
  "open-sentences": { source: "models/open/sentences.js", beside: ["index"], map: true },
  oracle: {
    source: "oracle/index.js",
    beside: ["index", "models", "oracle-further", "oracle-kinds"],
    map: true,
    lends: ORACLE,
  },
  "oracle-further": { source: "oracle/further/index.js", beside: ["index", "oracle"], map: true },
  "oracle-kinds": {
    source: "oracle/kinds/index.js",
    beside: ["index", "models", "oracle", "oracle-further"],
    map: true,
  },
  xray: { source: "oracle/xray/index.js", beside: ["index", "models"] },
  vectors: {
    source: "oracle/vectors/index.js",
    beside: ["index", "files", "models", "vectors-tests"],
    map: true,
  },
  "vectors-tests": { source: "oracle/vectors/tests.js", map: true },
  plots: { source: "plots/index.js", map: true },
  widget: { source: "widget/index.js", binary: "inline" },
  common: { source: "", beside: ["index"], binary: "inline" },
  cli: {
    source: "cli/index.js",
    beside: ["index", "files", "models", "open", "oracle", "xray", "vectors", "plots", "lab"],
    isCommand: true,
    map: true,
  },
  engine: { source: "python/engine.js", binary: "external", isScript: true },
};

/** The entries of the npm package. */
const published = Object.keys(entries).filter((name) => !entries[name].isScript);

/**
 * Makes the ES modules of the package from src/ and a compiled core.
 * @param {string} from  folder with phasor.wasm
 * @param {string} to
 * @param {object} [options]
 * @param {string[]} [options.names]  of the entries, if not all
 * @param {string} [options.core]  name of the core of entries that have the default one
 * @param {boolean} [options.isQuick]  whether to make them as fast as possible instead of as small as possible
 */
export async function bundle(
  from,
  to,
  { names = published, core: defaultCore = "phasor", isQuick = false } = {},
) {
  const parts = join(to, ".core");
  await mkdir(parts, { recursive: true });
  /** @param {string} name */
  const make = async (name) => {
    const { core = defaultCore, binary, isCommand, isScript } = entries[name];
    const outfile = join(to, `${name}.js`);
    if (binary) {
      // The entry's code lists its calls before the core is embedded.
      const { outputFiles } = await esbuild(name, outfile, join(runtime, "binary.external.js"), {});
      const called = calledIn(
        codes(outputFiles)
          .map(({ text }) => text)
          .join(""),
      );
      await writeFile(join(parts, `${name}.blocks.js`), writers(called));
      const wasm = await boundCore(join(from, `${core}.wasm`), called);
      await writeFile(join(parts, `${name}.wasm`), wasm);
      if (name === "index" || isScript) {
        await writeFile(join(to, isScript ? `${name}.wasm` : "core.wasm"), wasm);
      }
    }
    const { metafile, outputFiles } = await esbuild(
      name,
      outfile,
      join(runtime, `binary.${binary ?? "inline"}.js`),
      shortNames(),
      binary && join(parts, `${name}.blocks.js`),
      binary === "inline" ? await deflated(join(parts, `${name}.wasm`), isQuick) : undefined,
    );
    for (const { path, text } of codes(outputFiles)) {
      if (isScript) await writeFile(path, text);
      else if (isQuick) await writeFile(path, plain(text));
      else await shorten(path, outputFiles, entries[name].map === true);
    }
    if (isScript) await writeEngine(outfile);
    else if (isQuick) return;
    if (name === "index") await common.writeScript(outfile);
    if (name === "common") await common.writeCommon(outfile, (other) => entries[other].source);
    if (isCommand) await chmod(outfile, 0o755);
    await writeNotices(metafile, outfile);
  };
  // Two at a time: one is minified here, while a process deflates the core of the other.
  const paired = Object.values(entries).map(({ pair }) => pair?.[0]);
  const waiting = names.filter((name) => !paired.includes(name));
  const makeNext = async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) await make(name);
  };
  await Promise.all([makeNext(), makeNext()]);
  await rm(parts, { recursive: true });
}

const runtime = join(project, "src", "runtime");

/** Files that a bundle has as texts: the tests that phasor/vectors writes. @type {Record<string, import("esbuild").Loader>} */
const TEXTS = { ".py": "text", ".rs": "text", ".swift": "text", ".cc": "text", ".txt": "text" };

const { version, peerDependencies } = JSON.parse(
  readFileSync(join(project, "package.json"), "utf8"),
);

/** What users install if they need it. */
const PEERS = Object.keys(peerDependencies);

/**
 * An entry in one file, not yet minified.
 * @param {string} name @param {string} outfile
 * @param {string} binary  the module that finds the core
 * @param {Record<string, string>} renamed  new names of properties
 * @param {string} [blocks]  the module that writes blocks of arguments, once it is known which
 * @param {string} [core]  file with the deflated core. It stands first in the bundle: compressors look back no
 *   farther than 32 KiB, so code on both sides of it would be two codes to them
 */
async function esbuild(name, outfile, binary, renamed, blocks, core) {
  const { build } = await import("esbuild");
  const { source, beside = [], order, lends = {}, file, pair, isPlain, isScript } = entries[name];
  const from = join(project, "src");
  const entryPoint = (/** @type {string} */ out) => ({ in: join(from, entries[out].source), out });
  // Another project, such as that of the test of new modules, may lack some.
  const there = order?.filter((path) => existsSync(join(from, path)));
  const first = there?.map((path) => `import "./${path}";`).join("");
  const lent = lentBy(lends).map(
    ({ path, own, as }) => `export { ${own} as ${as} } from "./${path}";`,
  );
  const contents =
    source === ""
      ? common.commonSource((entry) => entries[entry].source)
      : `${first ?? ""}export * from "./${source}";${lent.join("")}`;
  return build({
    ...(order || source === "" || lent.length > 0
      ? { stdin: { contents, resolveDir: from, sourcefile: `in-order/${name}.js` } }
      : { entryPoints: pair ? [name, pair[0]].map(entryPoint) : [join(from, source)] }),
    ...(pair ? { outdir: dirname(outfile), splitting: true, chunkNames: pair[1] } : { outfile }),
    logOverride: { "ignored-bare-import": "silent" }, // it still counts for the order
    bundle: true,
    format: "esm",
    target: "es2022",
    platform: "neutral",
    charset: "utf8",
    minifySyntax: true, // Terser finds less in code that this has not seen
    sourcemap: "external",
    legalComments: "none",
    external: [...PEERS, "node:*", "phasor-core/blocks"],
    metafile: true,
    write: false,
    plugins: isScript
      ? [withoutFiles]
      : [
          ...beside.flatMap((other) =>
            [leave, ...(isPlain ? [] : [borrowed])].map((how) =>
              how(other, source === "" ? "cjs" : "js"),
            ),
          ),
          ...(file ? [resolving(/^phasor-core\/file$/, () => file)] : []),
          marking,
        ],
    mangleProps: RegExp(`^(${Object.keys(renamed).join("|")})$`),
    mangleCache: renamed,
    inject: core ? [core] : [],
    loader: { ".deflated": "base64", ...TEXTS },
    define: {
      PHASOR_VERSION: JSON.stringify(version),
      ...(source === "" && { "import.meta.url": common.ADDRESS }),
    },
    alias: {
      "phasor-core/binary": binary,
      ...(blocks && { "phasor-core/blocks": blocks }),
      ...(core && { "phasor-core/deflated": core }),
    },
  });
}

/**
 * Marks what modules call when they are imported as pure, so that bundlers leave out what a program does not use.
 * Prettier puts a statement at the left edge only if it is of the module itself.
 * @type {import("esbuild").Plugin}
 */
const marking = {
  name: "marking",
  setup({ onLoad }) {
    const calls = /^((?:export )?const \w+ = (?:\/\*\* @type .* \*\/ \()?)(?=(?:new )?[\w.]+\()/gm;
    onLoad({ filter: /[\\/]src[\\/].*\.js$/ }, async ({ path }) => ({
      contents: (await readFile(path, "utf8")).replace(calls, "$1/* @__PURE__ */ "),
    }));
  },
};

/**
 * A bundle in which the namespaces of modules.js are plain objects: bundlers would keep esbuild's getters, and with them
 * all modules. The number of lines stays, for source maps. Modules that run late (`__esm`) need the getters.
 * @param {string} code
 */
const plain = (code) =>
  code.includes("__esm(")
    ? code
    : code.replace(
        /^var (modules_exports\d*) = \{\};\n__export\(\1, \{\n([^}]*)\}\);/gm,
        (_, name, list) => `var ${name} =\n{\n${list.replaceAll(": () => ", ": ")}};`,
      );

/** The functions of the core that some code calls. @param {string} code */
function calledIn(code) {
  const words = new Set(code.match(/\b[a-z0-9]+(_[a-z0-9]+)+\b/g));
  return kernels().filter(({ name }) => words.has(name));
}

/**
 * The core with some functions, by their short names.
 * @param {string} path  of the core as Emscripten links it @param {{name: string}[]} called
 */
async function boundCore(path, called) {
  const used = new Set(called.map(({ name }) => name));
  const names = Object.entries(shortNames()).filter(([name]) => used.has(name));
  const { bind } = await import("./bind.js"); // it needs a package, which a fresh clone does not have yet
  return bind(await readFile(path), new Map(names));
}

/**
 * Deflates a core; the result for the same input is cached.
 * @param {string} wasm  path @param {boolean} isQuick @returns {Promise<string>} path
 */
async function deflated(wasm, isQuick) {
  if (isQuick) {
    const packed = wasm.replace(/wasm$/, "deflated");
    await writeFile(packed, deflateRawSync(await readFile(wasm)));
    return packed;
  }
  const deflate = join(project, "scripts/package/deflate.js");
  const digest = createHash("sha256")
    .update(await readFile(wasm))
    .digest("hex")
    .slice(0, 16);
  const packed = join(project, "build", "deflated", `${digest}.deflated`);
  const made =
    deflating.get(digest) ??
    once(
      `deflate ${digest}`,
      { from: [deflate, manifest("@gfx/zopfli")], to: [packed] },
      async () => {
        await mkdir(dirname(packed), { recursive: true });
        await run(process.execPath, [deflate, wasm, packed], { quiet: true });
      },
    );
  deflating.set(digest, made);
  await made;
  return packed;
}

/** What tells the version of a tool. @param {string} name  of a package */
const manifest = (name) => `node_modules/${name}/package.json`;

/** The cores of two entries may be the same. @type {Map<string, Promise<void>>} */
const deflating = new Map();

/** The modules among what esbuild gives. @param {import("esbuild").OutputFile[]} files */
const codes = (files) => files.filter(({ path }) => path.endsWith(".js"));

/** @param {import("esbuild").OutputFile[]} files @param {string} path */
const textOf = (files, path) =>
  /** @type {import("esbuild").OutputFile} */ (files.find((file) => file.path === path)).text;

/**
 * Write a bundle minified, and its source map, which is not published: tests read from it which modules a bundle has, and
 * `npm run x -- test:coverage` which lines ran. Terser's bytes are 5 % fewer than esbuild's, but take seconds: its result
 * for the same code is cached.
 * @param {string} path
 * @param {import("esbuild").OutputFile[]} files  of esbuild: the code and its map
 * @param {boolean} withMap
 */
async function shorten(path, files, withMap) {
  const map = `${path}.map`;
  const [code, codeMap] = [plain(textOf(files, path)), textOf(files, map)];
  const to = withMap ? [path, map] : [path];
  const written = {
    from: ["scripts/package/build.js", manifest("terser")],
    to,
    by: `${code}${codeMap}`,
  };
  await once(`minify ${relative(project, path)}`, written, () =>
    minify(path, code, withMap ? codeMap : undefined),
  );
}

/** @param {string} path @param {string} code @param {string} [content]  of the code's map */
async function minify(path, code, content) {
  const terser = await import("terser");
  const made = await terser.minify(code, {
    module: true,
    ecma: 2020,
    // Inlined, a function that frees memory would keep alive whatever is in scope where it is made.
    // Sequences of expressions are shorter by themselves, but not once compressed.
    compress: {
      passes: 2,
      inline: false,
      reduce_funcs: false,
      hoist_funs: /\bmodels\.js$/.test(path), // side by side they are more alike to a compressor, here
      sequences: false,
      pure_getters: true, // no code here reads a property for what reading it does
    },
    // Node prints the whole line of an uncaught error.
    format: {
      comments: false,
      // Bundlers leave out an object whose making is marked as pure. Elsewhere the marks only take bytes.
      preserve_annotations: /\b(files|index|models)\.js$/.test(path),
      max_line_len: 1000,
      semicolons: false,
    },
    ...(content && { sourceMap: { content } }),
  });
  await writeFile(path, String(made.code));
  if (!content) return;
  const { sourcesContent: _, ...map } = JSON.parse(String(made.map));
  await writeFile(`${path}.map`, JSON.stringify(map));
}

/** Leaves out what reads files: a script has no host that could. @type {import("esbuild").Plugin} */
const withoutFiles = {
  name: "without files",
  setup({ onResolve, onLoad }) {
    const reads = /^node:|^\.\/(source|write)\.js$|\/files\/index\.js$/;
    onResolve({ filter: reads }, ({ path }) => ({ path, namespace: "files", sideEffects: false }));
    onLoad({ filter: /./, namespace: "files" }, () => ({ contents: "module.exports = {}" }));
  },
};

/** A module as a classic script, which has no import. @param {string} path */
async function writeEngine(path) {
  const { transform } = await import("esbuild");
  const made = await transform(await readFile(path, "utf8"), {
    format: "iife",
    globalName: "phasor",
    footer: "phasor = phasor.default;",
    minify: true,
    charset: "utf8",
    define: { "import.meta.url": '""' },
  });
  await writeFile(path, made.code);
}

/** Imports an entry from the same folder. @param {string} name @param {string} suffix  of its file */
function leave(name, suffix) {
  const { source, whole = [] } = entries[name];
  const paths = [source, ...whole].map((path) => join(project, "src", path));
  return resolving(/^\./, (path) => (paths.includes(path) ? `./${name}.${suffix}` : undefined));
}

/** What an entry lends, and by which name. @param {Record<string, string>} [lends] */
const lentBy = (lends = {}) =>
  Object.entries(lends)
    .flatMap(([path, names]) => names.split(" ").map((own) => ({ path, own })))
    .map((one, index) => ({ ...one, as: `_${index}` }));

/**
 * Modules of which some exports are those that an entry lends. The others come from the module itself.
 * @param {string} name  of the entry @param {string} suffix  of its file
 * @returns {import("esbuild").Plugin}
 */
function borrowed(name, suffix) {
  const lent = lentBy(entries[name].lends);
  const file = `./${name}.${suffix}`;
  const paths = new Map(lent.map(({ path }) => [join(project, "src", path), path]));
  return {
    name: `borrow from ${name}`,
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^\./ }, ({ path, resolveDir, pluginData }) => {
        const found = pluginData === "own" ? undefined : paths.get(join(resolveDir, path));
        if (found === undefined) return undefined;
        return { path: found, namespace: `lent by ${name}`, sideEffects: false };
      });
      onResolve({ filter: /^\./, namespace: `lent by ${name}` }, ({ path }) =>
        path === file ? { path, external: true, sideEffects: false } : undefined,
      );
      onLoad({ filter: /./, namespace: `lent by ${name}` }, ({ path }) => {
        const own = lent.filter((one) => one.path === path);
        const names = own.map(({ own, as }) => `${as} as ${own}`).join(", ");
        const contents = `export { ${names} } from "${file}";export * from "./${basename(path)}";`;
        const resolveDir = join(project, "src", dirname(path));
        return { contents, resolveDir, pluginData: "own" };
      });
    },
  };
}

/**
 * Leaves imports to the bundle's reader.
 * @param {RegExp} filter
 * @param {(path: string) => string | undefined} to  the address in the bundle of what an import names
 * @returns {import("esbuild").Plugin}
 */
function resolving(filter, to) {
  return {
    name: `leave ${filter}`,
    setup({ onResolve }) {
      onResolve({ filter }, (imported) => {
        const path = to(join(imported.resolveDir, imported.path));
        return path === undefined ? undefined : { path, external: true, sideEffects: false };
      });
    },
  };
}

/**
 * The licenses of packages in a bundle, in a file next to it.
 * @param {import("esbuild").Metafile} metafile
 * @param {string} bundle  path
 */
async function writeNotices(metafile, bundle) {
  const inputs = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.entries(inputs));
  const packages = inputs
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .map(([path]) => packageOf(path))
    .filter((name) => name !== undefined);
  if (packages.length === 0) return;
  const text = bundle.endsWith("common.js")
    ? "This file has what widget.js has. The notices of both are in widget.LEGAL.txt, beside it.\n"
    : notices(new Set([...packages, BORROWED]));
  await writeFile(bundle.replace(/js$/, "LEGAL.txt"), text);
}

/**
 * The licenses of what the compiler links into the core.
 * @param {string} emcc  path of the compiler @param {string} to
 */
export const noteCore = (emcc, to) =>
  writeFile(join(to, "core.LEGAL.txt"), coreNotices(realpathSync(emcc)));

const dist = join(project, "dist");

/** Writes the types of what C++ exports if its bindings have changed. */
export function writeBindings() {
  const path = join(project, typesOfCore);
  const text = bindings();
  if (!existsSync(path) || readFileSync(path, "utf8") !== text) writeFileSync(path, text);
}

/** What every part of the package depends on apart from its sources: the build scripts and tools. */
const means = ["scripts/package/build.js", "package.json", "package-lock.json"];

const cores = new Set(Object.values(entries).map(({ core = "phasor" }) => core));
const wasm = [...cores].map((core) => `build/wasm/${core}.wasm`);

/** @param {Tools} tools */
export async function buildCore(tools) {
  const from = ["CMakeLists.txt", "scripts/package/build.js", ...filesIn("src", ".h", ".cpp")];
  await once("core", { from, to: wasm, by: tools.emscripten }, () =>
    step("Compiling the core to WebAssembly", () => compileWasm(tools)),
  );
}

/** The core and the modules, without files of an older build. @param {Tools} tools */
async function buildModules(tools) {
  await buildCore(tools);
  const modules = published.flatMap((name) =>
    [".js", ...(entries[name].map ? [".js.map"] : []), ".LEGAL.txt"].map((suffix) => name + suffix),
  );
  const made = ["core.wasm", "core.LEGAL.txt", "lab-parts.js", ...common.commonFiles, ...modules];
  const to = made.map((name) => join("dist", name));
  await once(
    "modules",
    {
      from: [
        "src",
        "scripts/package/bind.js",
        "scripts/package/bindings.js",
        "scripts/package/commonjs.js",
        "scripts/package/deflate.js",
        "scripts/package/notices.js",
        ...means,
        ...wasm,
      ],
      to,
    },
    () =>
      step("Bundling the package", async () => {
        await mkdir(dist, { recursive: true });
        const known = new Set([...made, "types", "phasor.py"]);
        for (const name of await readdir(dist)) {
          if (!known.has(name)) await rm(join(dist, name), { recursive: true });
        }
        await bundle(join(project, "build", "wasm"), dist);
        await noteCore(String(tools.emcc), dist);
      }),
  );
}

/** @param {Tools} tools */
async function buildTypes(tools) {
  const from = [
    "tsconfig.json",
    "tsconfig.types.json",
    ...filesIn("src", ".js", ".d.ts"),
    "scripts/package/commonjs.js",
    ...["declare", "documented", "named-options", "reachable"].map(
      (name) => `scripts/package/${name}.js`,
    ),
    ...means,
  ];
  await once("types", { from, to: ["dist/types"] }, () =>
    step("Writing the declarations", async () => {
      await rm(join(dist, "types"), { recursive: true, force: true });
      await declare(tools, dist);
    }),
  );
}

/** phasor.py, with the documentation of the JavaScript. */
export async function buildPython() {
  await api();
  const from = ["scripts/package/python.js", "build/api.json", "src/python", ...means];
  await once("phasor.py", { from, to: ["dist/phasor.py"] }, () =>
    step("Writing phasor.py", async () => {
      await mkdir(dist, { recursive: true });
      await writePython(dist);
    }),
  );
}

/** docs/ and llms.txt: the guides, with what is measured in the modules that are built. */
async function buildGuides() {
  const measured = ["scripts/data/accuracy.js", "tests/unit/reference"];
  const from = ["scripts/package/guides.js", "web/guides", "dist/index.js", "package.json", ...measured]; // prettier-ignore
  await once("guides", { from, to: ["docs", "llms.txt"] }, () =>
    step("Writing the guides", async () => {
      const { writeGuides } = await import("./guides.js");
      await writeGuides();
    }),
  );
}

/**
 * Builds the changed parts of the package.
 *
 * @param {object} [options]
 * @param {boolean} [options.types]  whether with the declarations, phasor.py and the guides
 */
export async function build({ types = true } = {}) {
  const tools = await setup(["packages", "emscripten"]);
  writeBindings();
  await Promise.all([buildModules(tools), ...(types ? [buildTypes(tools), buildPython()] : [])]);
  if (types) await buildGuides();
  return tools;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) await build();
