// Programs of TypeScript users compile with the declarations that ship.
// More than 20 s of CPU: each program is checked with the options of one kind of user.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { after, test } from "node:test";
import { atNight } from "../../sample.js";
import ts from "typescript";
import { api } from "../../../scripts/package/api.js";
import { entriesOf } from "../../../scripts/package/entries.js";
import { project } from "../../../scripts/setup/setup.js";
import { consumer } from "../consumer.js";
import { blocks, withCalls } from "../../readme.js";
import { filesOf } from "../../pages/guides/guide.js";

// Documented programs as TypeScript, in the empty project of a user, under --strict.

const { folder, put } = await consumer({ after });
for (const peer of ["@observablehq", "@huggingface", "apache-arrow", "gpt-tokenizer", "linkedom"]) {
  await symlink(join(project, "node_modules", peer), join(folder, "node_modules", peer));
}

/**
 * Sources that several programs have: those of TypeScript's library and the declarations that ship, by their paths and
 * the options with which they are parsed. Each is parsed once.
 * @type {Map<string, ts.SourceFile | undefined>}
 */
const parsed = new Map();

/**
 * Compiles what lies in a folder of the project, as `tsc -p` does.
 * @param {string} name @param {Record<string, unknown>} [options] @returns {Promise<string>} what it complains about
 */
async function compiled(name, options = {}) {
  const compilerOptions = {
    strict: true,
    noEmit: true,
    target: "es2024",
    module: "esnext",
    moduleResolution: "bundler",
    lib: ["es2024", "esnext.disposable", "dom", "dom.iterable"],
    types: ["node"],
    typeRoots: [join(project, "node_modules/@types")],
    skipLibCheck: true, // of others: another test checks phasor's own
    ...options,
  };
  const config = { compilerOptions, include: ["**/*.ts", "**/*.mts"] };
  const at = join(folder, name);
  const { fileNames, options: read, errors } = ts.parseJsonConfigFileContent(config, ts.sys, at);
  const host = ts.createCompilerHost(read);
  const { getSourceFile } = host;
  host.getSourceFile = (path, how, ...more) => {
    if (!path.includes("/node_modules/")) return getSourceFile(path, how, ...more);
    const key = JSON.stringify([path, how]);
    if (!parsed.has(key)) parsed.set(key, getSourceFile(path, how, ...more));
    return parsed.get(key);
  };
  const program = ts.createProgram({ rootNames: fileNames, options: read, host });
  const found = [...errors, ...ts.getPreEmitDiagnostics(program)];
  return ts.formatDiagnostics(found, { ...host, getCurrentDirectory: () => at }).trim();
}

test("`using` disposes of everything that has dispose", async () => {
  await put(
    "using/all.ts",
    `import { load, pool } from "phasor";
    import { load as start } from "phasor/worker";
    import { load as loadLab } from "phasor/lab";
    import { open } from "phasor/open";
    import { mount } from "phasor/widget";
    const { embedding, nearest, rope, skipgram } = await load();
    const { lab } = await loadLab();
    export async function all(element: HTMLElement) {
      using table = embedding.create(3, 4);
      using quantized = embedding.quantize([[1, 2]], { dtype: "int8" });
      using cache = rope.cache(8);
      using index = nearest.index([[1, 2]]);
      using model = skipgram.create(5, 4);
      using results = pool();
      using decoder = lab.decoder({ vocabulary: 4, position: { scheme: "rope" } });
      using explorer = await (await open("model")).explore();
      using view = await mount(element);
      await using remote = await start();
      await using there = await remote.embedding.create(3, 4);
      using far = await remote.rope.cache(4);
      // @ts-expect-error  a tensor has nothing to dispose of
      using tensor = table.weights();
      const { signal } = new AbortController();
      await remote.pca([[1, 2], [3, 4]], { components: 1, signal });
      // @ts-expect-error  no signal
      await remote.pca([[1, 2], [3, 4]], { components: 1, signal: true });
      return [quantized, cache, index, model, results, decoder, explorer, view, there, far, tensor];
    }
    `,
  );
  assert.equal(await compiled("using"), "");
});

test("an editor describes every module and every method", async () => {
  const { load } = await import("phasor");
  const names = Object.entries(await load()).flatMap(([name, module]) => [
    name,
    ...Object.keys(module).map((method) => `${name}.${method}`),
  ]);
  const head = 'import { load } from "phasor";\nconst phasor = await load();\n';
  const text = head + names.map((name) => `phasor.${name};\n`).join("");
  await put("hover.ts", text);
  const path = join(folder, "hover.ts");
  const { fileExists, readFile, directoryExists, getDirectories } = ts.sys;
  const service = ts.createLanguageService({
    ...{ fileExists, readFile, directoryExists, getDirectories },
    getScriptFileNames: () => [path],
    getScriptVersion: () => "",
    getScriptSnapshot: (file) =>
      fileExists(file) ? ts.ScriptSnapshot.fromString(readFile(file) ?? "") : undefined,
    getCurrentDirectory: () => folder,
    getCompilationSettings: () => ({
      strict: true,
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.ESNext,
      moduleResolution: ts.ModuleResolutionKind.Bundler,
    }),
    getDefaultLibFileName: ts.getDefaultLibFilePath,
  });
  let at = head.length;
  const silent = names.filter((name) => {
    at += `phasor.${name};\n`.length;
    return !service.getQuickInfoAtPosition(path, at - 3)?.documentation?.length;
  });
  assert.ok(names.length > 100, `${names.length} names`);
  assert.deepEqual(silent, []);
});

test("README's programs compile under TypeScript's --strict", async () => {
  const sources = blocks(readFileSync(join(project, "README.md"), "utf8"));
  const alone = sources.map((source) => `{\n${withCalls(source)}\n}\n`).join("");
  await put("readme/all.ts", `${alone}export {};\n`);
  assert.equal(await compiled("readme"), "");
});

test("the examples of the reference compile under TypeScript's --strict", async () => {
  const { load } = await import("phasor");
  const names = (/** @type {object} */ all) =>
    Object.keys(all).filter((name) => !/^Tensor$|Error$|^_/.test(name)).join(", "); // prettier-ignore
  const prelude = [
    'import * as Plot from "@observablehq/plot";',
    'import { load, optionsOf, pool, schemesOf, Tensor } from "phasor";',
    'import widget, { define, mount, schemes } from "phasor/widget";',
    'import { figures } from "phasor/plots";',
    "const phasor = await load();",
    `const { ${names(await load())} } = phasor;`,
    `const { ${names(await import("phasor/files"))} } = await import("phasor/files");`,
    'const { atlas, models } = await import("phasor/models");', // the rest is for phasor/open
    `const { ${names(await import("phasor/open"))} } = await import("phasor/open");`,
    `const { ${names(await import("phasor/oracle"))} } = await import("phasor/oracle");`,
    'const { xray } = await import("phasor/xray");',
    'const { vectors } = await import("phasor/vectors");',
    'const { ngramIds } = await (await import("phasor/ngrams")).load();',
    'const { load: loadLab, summarize } = await import("phasor/lab");',
    "const { lab } = await loadLab();",
    "const element = document.body;",
  ].join("\n");
  const worker = 'const { load, transfer } = await import("phasor/worker");';
  const serve = 'const { serve } = await import("phasor/worker");'; // phasor's own load
  const { examples } = await api();
  const found = examples.filter(({ file }) => file !== "src/files/json.js"); // Json is not exported
  for (const path of new Set(found.map(({ file }) => file))) {
    const inWorker =
      path === "src/worker/serve.js" ? serve : path.startsWith("src/worker/") ? worker : "";
    const blocks = found
      .filter(({ file }) => file === path)
      .map(({ source }) => `{\n${inWorker}\n${withCalls(source)}\n}`);
    const name = path.replaceAll("/", "_").replace(/js$/, "ts");
    await put(`examples/${name}`, `${prelude}\n${blocks.join("\n")}\nexport {};\n`);
  }
  assert.ok(found.length > 100, `${found.length} examples`);
  assert.equal(await compiled("examples"), "");
});

test("the programs of the guides compile under TypeScript's --strict", async () => {
  // These import what only their own tests install, or are no JavaScript alone.
  const absent =
    /numpy-ts|@tensorflow|@huggingface\/transformers|onnxruntime|ndarray|[<>]\w+ |config|\.test\.js/;
  const guides = join(project, "web/guides");
  let count = 0;
  for (const name of readdirSync(guides).filter((path) => !path.includes("."))) {
    for (const [file, code] of await filesOf(name)) {
      if (!/\.m?js$/.test(file) || absent.test(`${file}\n${code}`)) continue;
      const installed = code
        .replace(/"\.\/phasor\/(index|external)\.js"/, '"phasor"')
        .replace(/"(?:\.\/phasor|phasor\/dist)\/(\w+)\.js"/, '"phasor/$1"');
      const path = `${name}/${file.replaceAll("/", "-")}`;
      await put(`guides/${path.replace(/js$/, "ts")}`, `${installed}\nexport {};\n`);
      ++count;
    }
  }
  await put("guides/host.d.ts", "declare function display(...values: unknown[]): void;");
  assert.ok(count > 40, `${count} programs`);
  // JavaScript annotates neither parameters nor what is caught.
  const untyped = { noImplicitAny: false, useUnknownInCatchVariables: false };
  assert.equal(await compiled("guides", untyped), "");
});

test("a Float16Array is accepted as out if TypeScript's library has it", atNight, async () => {
  const program = `
    import { type FloatOut, load, Tensor, type TensorData } from "phasor";
    const { normalize, rope } = await load();
    /** As a decoder writes to buffers of its caller. */
    const unit = (x: TensorData, out: FloatOut) => normalize.l2(x, { out });
    const half = normalize.l2([3, 4]).as("float16");
    const bits: Uint16Array = normalize.l2([3, 4]).as("bfloat16").data;
    const wide: Float32Array = half.as("float32").data;
    normalize.l2([3, 4], { out: half });
    normalize.l2([3, 4], { out: new Tensor(bits, [2], "bfloat16") });
    unit(bits, half);
    unit(wide, new Float32Array(2));
  `;
  const newer = `
    const out = new Float16Array(1);
    rope.table(1, 2, { out: { cos: out, sin: new Tensor(new Float16Array(1), [1, 1]) } });
    normalize.l2(new Float16Array(2), { out: new Float16Array(2) });
    unit(new Float16Array(2), new Float16Array(2));
    const places: { [Entry in "positional" | "rope"]: FloatOut } = {
      positional: out satisfies import("phasor/positional").FloatOut,
      rope: out satisfies import("phasor/rope").FloatOut,
    };
    places.rope satisfies import("phasor/attention").FloatOut;
  `;
  const wrong = "normalize.l2([3, 4], { out: new Float64Array(2) });\n";
  const end = "export {};\n";
  await put("half/older.ts", program + end);
  assert.equal(await compiled("half"), "");
  await put("half/newer.ts", program + newer + end);
  const lib = ["es2024", "esnext.float16", "esnext.disposable", "dom", "dom.iterable"];
  assert.equal(await compiled("half", { lib, skipLibCheck: false }), "");
  assert.match(await compiled("half"), /newer.ts.*Cannot find name 'Float16Array'/);
  await put("half/newer.ts", program + wrong + end);
  assert.match(await compiled("half", { lib }), /newer.ts.*Float64Array/);
});

test("a program for Node needs no DOM types, whatever it imports", async () => {
  const names = entriesOf()
    .filter((entry) => entry.name !== "phasor/phasor.py")
    .map(({ name }) => name);
  assert.ok(names.includes("phasor/core.wasm") && names.includes("phasor/widget"));
  const imports = names.map((name, i) => `export * as entry${i} from "${name}";`).join("\n");
  const program = `
    import { load, type WasmSource } from "phasor";
    import { figures, type HeatmapOptions } from "phasor/plots";
    export const core = (wasm: WasmSource) => load({ wasm });
    export const options: HeatmapOptions = { rowTitle: "position" };
    export const drawn: string = figures({ as: "svg" }).heatmap([[1]], options);
    // @ts-expect-error there is no page
    document.body;
  `;
  await put("node/program.ts", `${imports}\n${program}`);
  const lib = ["es2022"];
  assert.equal(await compiled("node", { lib, skipLibCheck: false, target: "es2022" }), "");
});

test("a figure is an element in a program for pages, and an SVG string in one for Node", async () => {
  const program = (/** @type {string} */ type, /** @type {string} */ other) => `
    import { figures } from "phasor/plots";
    export const drawn: ${type} = figures().heatmap([[1]]);
    export const asked: string = figures().heatmap([[1]], { as: "svg" });
    export const element: Element = figures({ as: "element" }).heatmap([[1]]);
    // @ts-expect-error it is not the other
    export const other: ${other} = figures().heatmap([[1]]);
  `;
  await put("page/program.ts", program("Element", "string"));
  assert.equal(await compiled("page"), "");
  await put("for-node/package.json", JSON.stringify({ type: "module" }));
  await put("for-node/program.ts", program("string", "Element"));
  const node = { module: "nodenext", moduleResolution: "nodenext" };
  assert.equal(await compiled("for-node", node), "");
});
