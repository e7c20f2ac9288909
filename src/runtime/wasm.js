/**
 * Finds the compiled core and starts it. The only file that knows where the binary is.
 */
import { binary } from "phasor-core/binary"; // inlined, or a URL beside this module
import { blocks } from "phasor-core/blocks"; // what the entry calls
import { builtin } from "./builtin.js";
import { describe, isResponse, isURL, tagOf } from "./check.js";
import { bytesOfResponse, CoreError, LoadError } from "./errors.js";
import { copied } from "./input.js";

/**
 * What `load({wasm})` takes: where the core's bytes are, the bytes, or the compiled module.
 * @typedef {string | URL | Response | ArrayBuffer | ArrayBufferView | WebAssembly.Module} WasmSource
 */

/**
 * The running core. The heap views must be read afresh after every call that may allocate: they
 * are replaced when memory grows.
 * @typedef {object} Core
 * @property {Raw} raw
 * @property {boolean} dead  after a trap; nothing may be called any more
 * @property {(Part | undefined)[]} [parts]  views of memory that calls had last
 * @property {Block} [block]  memory of a call that is over, for the next one
 * @property {Block & {of: import("./phase.js").Geometric & {keepsRows: boolean}}} [spectrum]  the frequencies of the last table, and what gave them
 *
 * @typedef {{at: number, bytes: number}} Block  of memory
 * @typedef {{heap: object, from: number, count: number, part: Float32Array | Float64Array | Int32Array}} Part  of it
 */

/**
 * Memory, and the functions of the *.bind.cpp files (scripts/package/bindings.js writes their types).
 * @typedef {Memory & import("./bindings.js").Bindings} Raw
 *
 * @typedef {object} Memory
 * @property {Uint8Array} HEAPU8
 * @property {Int32Array} HEAP32
 * @property {Float32Array} HEAPF32
 * @property {Float64Array} HEAPF64
 * @property {(bytes: number) => number} _malloc
 * @property {(at: number) => void} _free
 */

/** @type {Promise<WebAssembly.Module> | undefined} the default core, compiled once */
let compiled;

/**
 * Starts a new core. Cores share the compiled code and nothing else.
 * @param {WasmSource | Promise<WasmSource>} [wasm]
 * @returns {Promise<Core>}
 * @throws {LoadError} with the reason; `cause` is the engine's error
 */
export async function start(wasm) {
  if (typeof WebAssembly !== "object") {
    throw new LoadError("phasor needs WebAssembly, which this host does not have");
  }
  const module = wasm === undefined ? await defaultModule() : await compile(await copied(wasm));
  return { raw: await instantiate(module), dead: false };
}

async function defaultModule() {
  compiled ??= binary().then(compile);
  try {
    return await compiled;
  } catch (cause) {
    compiled = undefined; // let the next load() try again
    throw cause;
  }
}

/**
 * Starts a compiled core (src/README.md, How a core is bound).
 * @param {WebAssembly.Module} module
 * @returns {Promise<Raw>}
 */
async function instantiate(module) {
  /** @type {any} */
  let core;
  /** @type {Raw} */
  let raw;
  const views = () => {
    const { buffer } = core.memory;
    raw.HEAPU8 = new Uint8Array(buffer);
    raw.HEAP32 = new Int32Array(buffer);
    raw.HEAPF32 = new Float32Array(buffer);
    raw.HEAPF64 = new Float64Array(buffer);
  };
  try {
    /** @type {Record<string, Record<string, Function>>} */
    const imports = {};
    for (const { module: from, name } of WebAssembly.Module.imports(module)) {
      const missing = () => {
        throw new WebAssembly.RuntimeError(name); // a check of Emscripten's, in a core that has them
      };
      (imports[from] ??= {})[name] = name === "emscripten_notify_memory_growth" ? views : missing;
    }
    core = (await WebAssembly.instantiate(module, /** @type {any} */ (imports))).exports;
    raw = { ...core }; // in V8 exports are a hash table, and so is what Object.assign makes of them
    views();
    core.emscripten_stack_init?.(); // of a core that checks its stack
    core.__set_stack_limits?.(core.emscripten_stack_get_base(), core.emscripten_stack_get_end());
    core._initialize();
  } catch (thrown) {
    const cause = /** @type {Error} */ (thrown);
    throw new LoadError(`phasor could not start its core: ${cause.message}`, { cause });
  }
  const place = placeInLine();
  Object.assign(raw, {
    _malloc(/** @type {number} */ bytes) {
      const from = core.malloc(bytes + 2 * LINE) >>> 0;
      const at = from && wholeLines(from) + place;
      if (at) raw.HEAP32[at / 4 - 1] = from;
      return at;
    },
    _free(/** @type {number} */ at) {
      if (at) core.free(raw.HEAP32[at / 4 - 1]); // the word before a block
    },
  });
  return Object.assign(raw, blocks(raw, core));
}

/** Bytes of a line of the cache. */
const LINE = 64;

/** As many bytes or more, in whole lines. @param {number} bytes */
export const wholeLines = (bytes) => Math.ceil(bytes / LINE) * LINE;

/** Where blocks begin within a line, for faster copies (src/README.md, Where blocks begin). */
const placeInLine = () =>
  builtin("node:process")?.platform === "linux" && !(/** @type {any} */ (globalThis).Bun)
    ? 48
    : LINE;

/**
 * Whether a value is a compiled module, of this realm or another.
 * @param {unknown} value
 * @returns {value is WebAssembly.Module}
 */
export const isModule = (value) => tagOf(value) === "[object WebAssembly.Module]";

/**
 * @param {unknown} source
 * @returns {Promise<WebAssembly.Module>}
 */
async function compile(source) {
  if (isModule(source)) return source;
  const given = await read(source);
  try {
    // A response is compiled while it comes. Asking for its class would make Node load its fetch.
    if ("headers" in given) return await WebAssembly.compileStreaming(given);
    // Outside browsers a thread may wait: the compiler is done in less time than its own threads take to start.
    return builtin("node:process")
      ? new WebAssembly.Module(given)
      : await WebAssembly.compile(given);
  } catch (cause) {
    throw new LoadError(advice(/** @type {Error} */ (cause)), { cause });
  }
}

/** @param {unknown} source @returns {Promise<BufferSource | Response>} */
async function read(source) {
  if (tagOf(source) === "[object ArrayBuffer]") return /** @type {ArrayBuffer} */ (source);
  if (ArrayBuffer.isView(source)) {
    return new Uint8Array(
      /** @type {ArrayBuffer} */ (source.buffer),
      source.byteOffset,
      source.byteLength,
    );
  }
  if (isResponse(source)) return body(source);
  if (typeof source !== "string" && !isURL(source)) {
    throw new TypeError(
      `wasm must be a URL, a Response, bytes or a WebAssembly.Module; got ${describe(source)}`,
    );
  }
  const url = String(source);
  const fs = url.startsWith("file:") && builtin("node:fs/promises"); // fetch does not read files in Node
  try {
    return fs ? await fs.readFile(new URL(url)) : await body(await fetch(url));
  } catch (cause) {
    if (cause instanceof LoadError) throw cause;
    const { message } = /** @type {Error} */ (cause);
    throw new LoadError(`phasor could not read its core from ${url}: ${message}`, { cause });
  }
}

/** What comes with a response: itself, where it can be compiled as a stream. @param {Response} response */
function body(response) {
  const isWasm = response.ok && response.headers.get("content-type") === "application/wasm";
  const isOwn = isWasm && response instanceof Response; // not one of another library
  if (isOwn && typeof WebAssembly.compileStreaming === "function") return response;
  return bytesOfResponse(response);
}

/** @param {Error} cause */
function advice({ message }) {
  if (/CSP|content security policy|unsafe-eval/i.test(message)) {
    return "phasor needs 'wasm-unsafe-eval' in the page's script-src policy";
  }
  if (/disallowed/i.test(message)) {
    return 'phasor may not compile WebAssembly here; give load({ wasm }) the module that the host makes of "phasor/core.wasm"';
  }
  if (!WebAssembly.validate(SIMD_PROBE)) {
    return 'phasor needs WebAssembly SIMD, which is missing here; "phasor/scalar" does without';
  }
  return `phasor could not compile its core: ${message}`;
}

/**
 * The smallest module with a SIMD instruction, (func (drop (i32x4.splat (i32.const 0)))): magic and version, a type
 * () -> (), one function of it, its code.
 */
const SIMD_PROBE = new Uint8Array([
  0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00, 0x01, 0x04, 0x01, 0x60, 0x00, 0x00, 0x03, 0x02,
  0x01, 0x00, 0x0a, 0x09, 0x01, 0x07, 0x00, 0x41, 0x00, 0xfd, 0x11, 0x1a, 0x0b,
]);

/**
 * Run something that calls the core. A trap leaves an instance unusable: mark it so.
 * @template Result
 * @param {Core} core @param {() => Result} work
 * @returns {Result}
 */
export function guard(core, work) {
  if (core.dead) throw new CoreError("the core has stopped; call load() for a fresh one");
  try {
    return work();
  } catch (cause) {
    if (!(cause instanceof WebAssembly.RuntimeError)) throw cause;
    core.dead = true;
    throw new CoreError(`the core stopped: ${cause.message}; call load() for a fresh one`, {
      cause,
    });
  }
}
