// What the README says beside other libraries: the bytes of a page's smallest program, and the error of a sine far out.
//   npm run bench -- beside

import { build } from "esbuild";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { frequencies } from "./plain.js";
import { table } from "./report.js";
import { project } from "../setup/setup.js";

const modules = join(project, "scripts/bench/node_modules");

/** The smallest program of each: a table, an array, a session, a pipeline. @type {Record<string, string>} */
const programs = {
  "phasor/sinusoidal": `import { load } from "${join(project, "dist/sinusoidal.js")}";
    load().then(({ sinusoidal }) => console.log(sinusoidal.table(2, 4)));`,
  phasor: `import { load } from "${join(project, "dist/index.js")}";
    load().then(({ sinusoidal }) => console.log(sinusoidal.table(2, 4)));`,
  "jax-js": `import { init, numpy } from "@jax-js/jax";
    init("wasm").then(() => console.log(numpy.sin(numpy.array([1])).dataSync()));`,
  "TensorFlow.js, core and CPU": `import "@tensorflow/tfjs-backend-cpu";
    import { sin, tensor1d } from "@tensorflow/tfjs-core";
    console.log(sin(tensor1d([1])).dataSync());`,
  "onnxruntime-web": `import { InferenceSession } from "onnxruntime-web/wasm";
    InferenceSession.create("model.onnx").then((session) => console.log(session.inputNames));`,
  "transformers.js": `import { pipeline } from "${join(modules, "@huggingface/transformers/dist/transformers.web.js")}";
    pipeline("feature-extraction").then(console.log);`,
};

/** Kibibytes by gzip. @param {Uint8Array} bytes */
const kib = (bytes) => (gzipSync(bytes, { level: 9 }).length / 1024).toFixed(0);

/** Bundled for a page and minified. @param {string} contents */
async function bundled(contents) {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: join(project, "scripts/bench") },
    external: ["node:*", "sharp", "onnxruntime-node"],
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    platform: "browser",
    logLevel: "error",
  });
  return outputFiles[0].contents;
}

/** The position whose sines are compared, and their columns. */
const [POSITION, P] = [1_000_000, 256];

/** The largest distance of sines from those in double. @param {ArrayLike<number>} found */
function farthest(found) {
  const theta = frequencies(P);
  return Math.max(...Array.from(theta, (x, i) => Math.abs(found[i] - Math.sin(POSITION * x))));
}

/** @param {string} name @returns {Promise<any>} */
const imported = (name) => import(name);

/** The sines of one position by each, as a reader of its guide writes them. @type {Record<string, () => Promise<ArrayLike<number>>>} */
const sines = {
  async phasor() {
    const { load } = await imported(join(project, "dist/index.js"));
    const { sinusoidal } = await load();
    const { data } = sinusoidal.table([POSITION], 2 * P);
    return Array.from({ length: P }, (_, i) => data[2 * i]);
  },
  async "jax-js"() {
    const { init, numpy } = await imported("@jax-js/jax");
    await init("wasm");
    return numpy.sin(numpy.array(Float32Array.from(frequencies(P))).mul(POSITION)).dataSync();
  },
  async "TensorFlow.js"() {
    await imported("@tensorflow/tfjs-backend-cpu");
    const { mul, sin, tensor1d } = await imported("@tensorflow/tfjs-core");
    return sin(mul(tensor1d(Float32Array.from(frequencies(P))), POSITION)).dataSync();
  },
};

export async function runBeside() {
  const sizes = [["smallest program", "KiB by gzip"]];
  for (const [name, code] of Object.entries(programs)) sizes.push([name, kib(await bundled(code))]);
  const wasm = join(modules, "onnxruntime-web/dist/ort-wasm-simd-threaded.wasm");
  sizes.push(["its .wasm", kib(await readFile(wasm))]);
  console.log(`\n${table(sizes)}`);
  const errors = [["largest error of a sine", ""]];
  for (const [name, make] of Object.entries(sines)) {
    errors.push([name, farthest(await make()).toExponential(1)]);
  }
  console.log(`\n${table(errors)}`);
}
