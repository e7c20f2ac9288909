import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { serve } from "../scripts/serve.js";
import { project } from "../scripts/setup.js";
import { openBrowser } from "./web/browser.js";

/** What every consumer computes, and what it must get. */
const program = `
  const { sinusoidal, rope, embedding } = await load();
  const table = embedding.create(4, 2, { weights: [[1, 2], [3, 4], [5, 6], [7, 8]] });
  const x = table.lookup([[3, 0]], { scale: "sqrt", add: sinusoidal.table(2, 2) });
  const y = rope.rotate(x, rope.table(2, 2), { inverse: true });
  const bytes = npy.write(y);
  const back = await npy.read(bytes);
  const result = [...back.shape, ...back.data, x instanceof Tensor].join(" ");
`;
const imports = `
  import { load, Tensor } from "phasor";
  import { npy } from "phasor/files";
`;

/** @type {string} an empty project with the tarball installed */
let consumer;
/** @type {string[]} */
let packed;
/** @type {string} */
let expected;

before(async () => {
  consumer = await mkdtemp(join(tmpdir(), "phasor-package-"));
  const pack = npm(["pack", "--json", "--pack-destination", consumer], project);
  const [{ filename, files }] = JSON.parse(pack.slice(pack.indexOf("[\n")));
  packed = files.map((/** @type {{path: string}} */ file) => file.path).sort();
  await writeFile(join(consumer, "package.json"), '{ "type": "module", "private": true }\n');
  npm(["install", "--offline", "--no-save", join(consumer, filename)], consumer);
  expected = node(`${imports}${program} console.log(result);`);
});

after(() => rm(consumer, { recursive: true, force: true }));

/** @param {string[]} args @param {string} cwd */
function npm(args, cwd) {
  const { status, stdout, stderr } = spawnSync("npm", args, { cwd, encoding: "utf8" });
  assert.equal(status, 0, stderr);
  return stdout;
}

/** Run a module in the consumer's folder. @param {string} code @param {string[]} [flags] */
function node(code, flags = []) {
  const args = [...flags, "--input-type=module", "--eval", code];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: consumer,
    encoding: "utf8",
  });
  assert.equal(status, 0, stderr);
  return stdout.trim();
}

/** @param {string} path @param {string} text */
async function put(path, text) {
  const at = join(consumer, path);
  await mkdir(join(at, ".."), { recursive: true });
  await writeFile(at, text);
}

const html = (/** @type {string} */ script) =>
  `<!doctype html><html lang="en"><title>phasor</title><link rel="icon" href="data:,"><script type="module" src="${script}"></script></html>`;

/** Open a page of the consumer's in Chromium and read what it computed. @param {string} path @param {Record<string, string>} [headers] */
async function visit(path, headers) {
  const server = await serve(consumer, { headers });
  const browser = await openBrowser();
  try {
    const { page, problems } = await browser.newPage();
    await page.goto(server.url + path);
    await page.waitForFunction(() => document.title !== "phasor", undefined, { timeout: 30_000 });
    assert.deepEqual(problems, []);
    return await page.title();
  } finally {
    await browser.close();
    await server.close();
  }
}

test("package: it holds what it should and nothing else", () => {
  const allowed =
    /^(package\.json|README\.md|LICENSE|CHANGELOG\.md|dist\/(core\.wasm|(index|external|scalar|worker|worker-thread|files|models|plots)\.js(\.map)?|plots\.LEGAL\.txt|types\/.+\.d\.ts))$/;
  assert.deepEqual(
    packed.filter((path) => !allowed.test(path)),
    [],
  );
  for (const needed of ["README.md", "LICENSE", "dist/index.js", "dist/core.wasm"]) {
    assert.ok(packed.includes(needed), needed);
  }
});

test("package: it has no dependency and no side effect on import", async () => {
  const own = JSON.parse(
    await readFile(join(consumer, "node_modules/phasor/package.json"), "utf8"),
  );
  assert.equal(own.dependencies, undefined);
  assert.equal(own.sideEffects, false);
  assert.deepEqual(
    (await readdir(join(consumer, "node_modules"))).filter((name) => !name.startsWith(".")),
    ["phasor"],
  );
  const quiet = node(`
    const before = Reflect.ownKeys(globalThis).length;
    await import("phasor"); await import("phasor/files"); await import("phasor/models"); await import("phasor/plots"); await import("phasor/external"); await import("phasor/scalar"); await import("phasor/worker");
    console.log(Reflect.ownKeys(globalThis).length - before);
  `);
  assert.equal(quiet, "0");
});

test("package: works in Node, with import and with require", () => {
  assert.match(expected, /^1 2 2 \S+ \S+ \S+ \S+ true$/);
  const required = node(`
    import { createRequire } from "node:module";
    const require = createRequire(process.cwd() + "/");
    const { load, Tensor } = require("phasor");
    const { npy } = require("phasor/files");
    ${program} console.log(result);
  `);
  assert.equal(required, expected);
});

test("package: works under Node's ban on code from strings", () => {
  const strict = node(`${imports}${program} console.log(result);`, [
    "--disallow-code-generation-from-strings",
  ]);
  assert.equal(strict, expected);
});

test("package: ./external, ./scalar and load({wasm}) give the same numbers", () => {
  for (const entry of ["external", "scalar"]) {
    const other = imports.replace('"phasor";', `"phasor/${entry}";`);
    assert.equal(node(`${other}${program} console.log(result);`), expected, entry);
  }
  const sources = {
    url: `new URL(import.meta.resolve("phasor/core.wasm"))`,
    text: `import.meta.resolve("phasor/core.wasm")`,
    bytes: `await readFile(new URL(import.meta.resolve("phasor/core.wasm")))`,
    module: `await WebAssembly.compile(await readFile(new URL(import.meta.resolve("phasor/core.wasm"))))`,
  };
  for (const [kind, source] of Object.entries(sources)) {
    const given = node(`
      import { readFile } from "node:fs/promises";
      ${imports}
      const wasm = ${source};
      ${program.replace("load()", "load({ wasm })")} console.log(result);
    `);
    assert.equal(given, expected, kind);
  }
});

test("package: TypeScript users get full types under nodenext and bundler", async () => {
  await put(
    "typed.ts",
    `
    import { load, OutOfMemory, Tensor, type Phasor } from "phasor";
    import { safetensors, npy, FileError } from "phasor/files";
    import { models } from "phasor/models";
    import { figures } from "phasor/plots";
    import { load as inWorker, transfer, type RemotePhasor } from "phasor/worker";
    const phasor: Phasor = await load({ wasm: new URL("https://example.org/core.wasm") });
    const table: Tensor = phasor.sinusoidal.table(4, 8, { layout: "halves", spectrum: 3.5 });
    const { cos, sin }: { cos: Tensor; sin: Tensor } = phasor.rope.table([[0, 1]], 8);
    const turned: Tensor = phasor.rope.rotate([[1, 2]], { cos, sin }, { layout: "interleaved", axis: -2 });
    const rows = phasor.embedding.create(3, 2).lookup(new BigInt64Array(2), { scale: "sqrt" });
    const shape: readonly number[] = rows.shape;
    const file = await safetensors.read(new Blob());
    const bytes: Uint8Array = npy.write(turned);
    const remote: RemotePhasor = await inWorker({ worker: new URL("https://example.org/worker.js") });
    const moved: Tensor = await remote.rope.rotate(transfer(table), await remote.rope.table(4, 8));
    const words = await remote.embedding.create(3, 2, { seed: 5n });
    const width: number = words.dim;
    const { ids, scores } = await remote.nearest(words, [[1, 2]], { k: 2 });
    const found: Tensor<Int32Array> = (await (await remote.nearest.index(words)).search([1, 2])).ids;
    const pooled: Tensor = await (await remote.bag.create(words)).pool([[0, 1]]);
    const shown = await remote.pipeline.gpt2([1], { words, positions: [[1, 2]] });
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
    const figure = figures().heatmap(table, { rowTitle: "position", theme: "dark" });
    const cell: { row: number; column: number; value: number } | null = figure.value;
    figure.value = null;
    document.body.append(figure);
    const picture: string = figures().heatmap([[1]], { as: "png", scale: 4 });
    // @ts-expect-error an option that does not exist
    figures().heatmap(table, { rowtitle: "position" });
    export { moved, width, ids, scores, found, pooled, shown, ratio, preset, early };
    export { table, shape, file, bytes, layout, cell, picture, OutOfMemory, FileError };
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
      { cwd: consumer, encoding: "utf8" },
    );
    assert.equal(status, 0, stdout);
  }
});

test("package: works in Chromium through esbuild, under the strict policy", async () => {
  const { build } = await import("esbuild");
  await put("esbuild/main.js", `${imports}${program} document.title = result;`);
  await build({
    entryPoints: [join(consumer, "esbuild/main.js")],
    outfile: join(consumer, "esbuild/out.js"),
    bundle: true,
    minify: true,
    format: "esm",
    logLevel: "silent",
  });
  await put("esbuild/index.html", html("out.js"));
  assert.equal(await visit("esbuild/"), expected);
});

test("package: works in Chromium through Vite, under the strict policy", async () => {
  const { build } = await import("vite");
  await put("vite/main.js", `${imports}${program} document.title = result;`);
  await put("vite/index.html", html("/main.js"));
  await build({
    root: join(consumer, "vite"),
    base: "./",
    logLevel: "error",
    configFile: false,
    build: { modulePreload: { polyfill: false } },
  });
  assert.equal(await visit("vite/dist/"), expected);
});

test("package: works in Chromium without a bundler, inline, external and scalar", async () => {
  for (const entry of ["index", "external", "scalar"]) {
    const bare = imports
      .replace('"phasor"', `"../node_modules/phasor/dist/${entry}.js"`)
      .replace('"phasor/files"', '"../node_modules/phasor/dist/files.js"');
    await put(`bare/${entry}.js`, `${bare}${program} document.title = result;`);
    await put(`bare/${entry}.html`, html(`${entry}.js`));
    assert.equal(await visit(`bare/${entry}.html`), expected, entry);
  }
});

test("package: works in a module worker and from a blob: address", async () => {
  await cp(join(consumer, "node_modules/phasor/dist"), join(consumer, "copy"), { recursive: true });
  const beside = imports
    .replace('"phasor"', '"./index.js"')
    .replace('"phasor/files"', '"./files.js"');
  await put("copy/worker.js", `${beside}${program} postMessage(result);`);
  await put(
    "copy/main.js",
    `
    const worker = new Worker("worker.js", { type: "module" });
    const inWorker = await new Promise((resolve, reject) => {
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = ({ message }) => reject(new Error(message));
    });
    const text = await (await fetch("index.js")).text();
    const address = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
    const { load, Tensor } = await import(address);
    const { npy } = await import("./files.js");
    ${program}
    document.title = inWorker === result ? result : "worker: " + inWorker;
  `,
  );
  await put("copy/index.html", html("main.js"));
  const policy =
    "default-src 'none'; script-src 'self' blob: 'wasm-unsafe-eval'; connect-src 'self'; img-src data:";
  assert.equal(await visit("copy/", { "Content-Security-Policy": policy }), expected);
});
