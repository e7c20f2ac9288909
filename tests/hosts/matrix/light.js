// The environments that are quick enough for `npm test`.

import { createHash } from "node:crypto";
import { copyFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { entriesOf } from "../../../scripts/package/entries.js";
import { chromiumVersion, inChromium, strict, writePages } from "./browser.js";
import { lay, versionOf } from "./matrix.js";
import { commonJS, nodeAt } from "./processes.js";
import { viteBuild, viteDev } from "./vite.js";

/** @import { Environment, Place } from "./matrix.js" */

export const node = nodeAt(process.execPath, () => process.versions.node);

/** For bundlers that leave `new URL("./core.wasm", import.meta.url)` as it is, and no file there. */
const beside = {
  how: "core.wasm is copied beside the bundle",
  otherwise: /could not read its core from \S+: status 404/,
};

/** The same of `new URL("./worker-thread.js", import.meta.url)`. */
const alsoEntry = {
  how: "phasor/worker-thread is an entry point too",
  otherwise: /could not start its worker/,
};
const alsoLab = { ...alsoEntry, how: "phasor/lab-thread is an entry point too" };

/** @param {Place} place @param {string} to */
const copyCore = ({ folder }, to) =>
  copyFile(join(folder, "node_modules/phasor/dist/core.wasm"), join(to, "core.wasm"));

/** @param {Place} place */
const mains = ({ at, programs }) =>
  Object.fromEntries(programs.map(({ name }) => [`${name}.main`, join(at, `${name}.main.js`)]));

/**
 * The worker as a separate input, where a program starts it.
 *
 * @param {Place} place
 * @returns {Record<string, string>}
 */
const thread = ({ programs, settled }) => {
  const has = (/** @type {string} */ begin) =>
    settled && programs.some(({ name }) => name.startsWith(begin));
  return {
    ...(has("worker") && { "worker-thread": "phasor/worker-thread" }),
    ...(has("lab-thread") && { "lab-thread": "phasor/lab-thread" }),
  };
};

/** Where what is beside a bundle is. @param {string} file */
const besideIt = (file) => `export default new URL("${file}", import.meta.url);`;

/** @type {Environment} */
const esbuild = {
  name: "esbuild",
  version: () => versionOf("esbuild"),
  settings: {
    "phasor/external": beside,
    "phasor/core.wasm": {
      how: 'with the loader { ".wasm": "file" }',
      otherwise: /No loader is configured for ".wasm" files/,
    },
    "phasor/worker": alsoEntry,
    "phasor/worker-thread": alsoEntry,
    "phasor/lab-thread": alsoLab,
  },
  async run(place) {
    const { build } = await import("esbuild");
    const out = join(place.at, "out");
    const core = `
      import address from "phasor/core.wasm";
      export default new URL(address, import.meta.url);
    `;
    const given = {
      "core.wasm": core,
      "worker-thread": besideIt("worker-thread.js"),
      "lab-thread": besideIt("lab-thread.js"),
    };
    await lay(place, { given });
    await build({
      absWorkingDir: place.at,
      entryPoints: { ...mains(place), ...thread(place) },
      outdir: out,
      bundle: true,
      minify: true,
      format: "esm",
      loader: place.settled ? { ".wasm": "file" } : {},
      external: ["@observablehq/plot"],
      logLevel: "silent",
    });
    if (place.settled) await copyCore(place, out);
    await writePages(out, place.programs, (name) => `${name}.main.js`);
    return inChromium(out, place.programs);
  },
};

/** @type {Environment} */
const rollup = {
  name: "Rollup",
  version: () => versionOf("rollup"),
  settings: {
    "phasor/external": beside,
    "phasor/core.wasm": beside,
    "phasor/worker": alsoEntry,
    "phasor/worker-thread": alsoEntry,
    "phasor/lab-thread": alsoLab,
  },
  async run(place) {
    const { rollup } = await import("rollup");
    const { nodeResolve } = await import("@rollup/plugin-node-resolve");
    const out = join(place.at, "out");
    const given = {
      "core.wasm": besideIt("core.wasm"),
      "worker-thread": besideIt("worker-thread.js"),
      "lab-thread": besideIt("lab-thread.js"),
    };
    await lay(place, { given });
    const bundle = await rollup({
      input: { ...mains(place), ...thread(place) },
      plugins: [nodeResolve({ browser: true, rootDir: place.at })],
    });
    await bundle.write({ dir: out });
    await bundle.close();
    if (place.settled) await copyCore(place, out);
    await writePages(out, place.programs, (name) => `${name}.main.js`);
    return inChromium(out, place.programs);
  },
};

/** @type {Environment} */
const webpack = {
  name: "webpack",
  version: () => versionOf("webpack"),
  async run(place) {
    const { default: webpack } = await import("webpack");
    const out = join(place.at, "out");
    const given = {
      "core.wasm": 'export default new URL("phasor/core.wasm", import.meta.url);',
      "worker-thread":
        'export default new Worker(new URL("phasor/worker-thread", import.meta.url), { type: "module" });',
    };
    await lay(place, { given });
    const compiler = webpack({
      mode: "production",
      context: place.at,
      entry: mains(place),
      output: { path: out },
      optimization: { minimize: false }, // the guide's test does that
    });
    await new Promise((done, failed) => {
      compiler.run((error, stats) => {
        if (error ?? stats?.hasErrors()) failed(error ?? new Error(stats?.toString()));
        else compiler.close(done);
      });
    });
    await writePages(out, place.programs, (name) => `${name}.main.js`);
    return inChromium(out, place.programs);
  },
};

/** Where a server finds each entry in a project that is served as it is. @param {string} folder */
const addresses = (folder) =>
  Object.fromEntries(
    entriesOf(join(folder, "node_modules/phasor")).map(({ name, file }) => [
      name,
      `/node_modules/phasor/${file}`,
    ]),
  );

/** @type {Environment} */
const importMap = {
  name: "browser, import map",
  version: chromiumVersion,
  async run(place) {
    const { folder, at, programs } = place;
    const given = {
      "core.wasm": 'export default import.meta.resolve("phasor/core.wasm");',
      "worker-thread": 'export default import.meta.resolve("phasor/worker-thread");',
      "lab-thread": 'export default import.meta.resolve("phasor/lab-thread");',
    };
    await lay(place, { given });
    const map = JSON.stringify({ imports: addresses(folder) });
    const head = `<script type="importmap">${map}</script>`;
    await writePages(at, programs, (name) => `./${name}.main.js`, head);
    // An import map stands in the page itself, so a strict policy has to name its hash.
    const hash = createHash("sha256").update(map).digest("base64");
    return inChromium(folder, programs, {
      path: basename(at),
      policy: strict(`'sha256-${hash}'`),
    });
  },
};

/** @type {Environment} */
const moduleWorker = {
  name: "browser, module worker",
  version: chromiumVersion,
  async run(place) {
    const { folder, at, programs } = place;
    const known = addresses(folder);
    // Import maps do not reach into workers.
    const edit = (/** @type {string} */ code) =>
      code.replace(/"(phasor[^"]*)"/g, (_, name) => JSON.stringify(known[name]));
    const given = {
      "core.wasm": 'export default "phasor/core.wasm";',
      "worker-thread": 'export default "phasor/worker-thread";',
      "lab-thread": 'export default "phasor/lab-thread";',
    };
    await lay(place, { given, edit });
    for (const { name } of programs) {
      const inside = `
        import "./${name}.main.js";
        globalThis.outcome.then((outcome) => postMessage(outcome));
      `;
      const outside = `
        const worker = new Worker("${name}.worker.js", { type: "module" });
        globalThis.outcome = new Promise((resolve) => {
          worker.onmessage = ({ data }) => resolve(data);
          worker.onerror = ({ message }) => resolve({ error: message });
        });
      `;
      await writeFile(join(at, `${name}.worker.js`), inside);
      await writeFile(join(at, `${name}.page.js`), outside);
    }
    await writePages(at, programs, (name) => `./${name}.page.js`);
    return inChromium(folder, programs, { path: basename(at), policy: strict() });
  },
};

/** What programs import that are named after another file. @type {Record<string, string>} */
const modules = {
  "phasor/core.wasm": "phasor",
  "phasor/worker-thread": "phasor/worker",
  "phasor/lab-thread": "phasor/lab",
};

/**
 * A page that has the package's code as text, as widgets have.
 *
 * @param {string} scheme
 * @param {string} toAddress  code of a function from a module's text to its address
 * @returns {Environment}
 */
const fromText = (scheme, toAddress) => ({
  name: `browser, ${scheme}`,
  version: chromiumVersion,
  refusals: {
    "phasor/external": {
      why: "no file can lie beside its address; phasor has its core inside",
      error: /no file can lie beside/,
    },
    "phasor/worker": {
      why: "no file can lie beside its address; load({ worker }) takes that of phasor/worker-thread",
      error: /could not start its worker: .*Invalid URL/,
    },
    "phasor/open": {
      why: "no file can lie beside its address; phasor/files reads what it opens",
      error: /index\.js/,
    },
    "phasor/oracle": { why: "no file can lie beside its address", error: /index\.js/ },
    "phasor/lab": { why: "no file can lie beside its address", error: /lab-parts\.js/ },
    "phasor/lab-thread": { why: "no file can lie beside its address", error: /lab-parts\.js/ },
    "phasor/xray": {
      why: "no file can lie beside its address; phasor/rope has the frequencies",
      error: /(?:index|models)\.js/,
    },
    "phasor/vectors": {
      why: "no file can lie beside its address; the command line writes the same kit",
      error: /(?:index|files|models)\.js/,
    },
  },
  async run(place) {
    const { folder, at, programs } = place;
    const known = addresses(folder);
    await lay(place, { given: {} });
    const { build } = await import("esbuild");
    for (const { entry, name } of programs) {
      await build({
        entryPoints: [join(at, `${name}.js`)],
        outfile: join(at, `${name}.bundle.js`),
        bundle: true,
        format: "esm",
        external: ["phasor"],
      });
      const module = modules[entry] ?? entry;
      const page = `
        const read = async (address) => (await fetch(address)).text();
        const toAddress = ${toAddress};
        async function start() {
          const entry = toAddress(await read("${known[module]}"));
          const program = (await read("${name}.bundle.js")).replace('"${module}"', () => JSON.stringify(entry));
          const { run } = await import(toAddress(program));
          return run(new URL("${known[entry]}", location));
        }
        globalThis.outcome = start().then(
          (value) => ({ value }),
          (error) => ({ error: String(error) }),
        );
      `;
      await writeFile(join(at, `${name}.page.js`), page);
    }
    await writePages(at, programs, (name) => `./${name}.page.js`);
    return inChromium(folder, programs, { path: basename(at), policy: strict(scheme) });
  },
});

const vite = () => import("vite");

export const light = [
  commonJS(process.execPath, () => process.versions.node),
  esbuild,
  rollup,
  webpack,
  viteBuild(vite),
  viteDev(vite),
  importMap,
  moduleWorker,
  fromText("blob:", '(text) => URL.createObjectURL(new Blob([text], { type: "text/javascript" }))'),
  fromText("data:", '(text) => "data:text/javascript," + encodeURIComponent(text)'),
];
