import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { runInNewContext } from "node:vm";
import { entry, load, LoadError, phasor } from "../../phasor.js";

/** @import { AddressInfo } from "node:net" */
/** @import { Phasor } from "phasor" */

/** The module under test and the binary beside it. */
const moduleUrl = import.meta.resolve(entry);
const wasmUrl = new URL("core.wasm", moduleUrl);
const bytes = await readFile(wasmUrl);

/** @param {Phasor} modules */
function assertWorks(modules) {
  assert.equal(modules.sinusoidal.table(2, 4).at(1, 0), Math.fround(Math.sin(1)));
}

/** @param {unknown} wasm */
const loadFrom = (wasm) => load({ wasm: /** @type {any} */ (wasm) });

describe("load", () => {
  test("load returns frozen modules, the same each time", async () => {
    const [one, other] = await Promise.all([load(), load({ shared: true })]);
    assert.equal(one, other);
    assert.equal(one, phasor);
    assert.deepEqual(Object.keys(one), Object.keys(one).sort());
    for (const room of ["embedding", "rope", "sinusoidal"]) assert.ok(room in one, room);
    assert.ok(Object.isFrozen(one));
    for (const [name, module] of Object.entries(one)) {
      assert.ok(Object.isFrozen(module), `${name}, which all programs of a page share`);
      assert.equal(/** @type {any} */ (one)[name], module, `${name} is made once`);
    }
    assertWorks(one);
  });

  test("objects that entries export are frozen, as all programs of a page share them", async () => {
    const { exports } = JSON.parse(
      await readFile(new URL("../../../package.json", import.meta.url), "utf8"),
    );
    let count = 0;
    for (const name of Object.keys(exports)) {
      if (/thread|json|wasm|\.py|\*/.test(name)) continue; // no modules, or none of functions
      for (const [key, value] of Object.entries(await import(`phasor${name.slice(1)}`))) {
        if (typeof value !== "object" || value === null) continue;
        assert.ok(Object.isFrozen(value), `${key} of ${name}`);
        count += 1;
      }
    }
    assert.ok(count >= 7, `${count} objects`);
  });

  test("load of each entry gives the same modules each time, and refuses a number", async () => {
    const { exports } = JSON.parse(
      await readFile(new URL("../../../package.json", import.meta.url), "utf8"),
    );
    let count = 0;
    for (const name of Object.keys(exports)) {
      if (/worker|thread|json|wasm|\.py|\*/.test(name)) continue; // a worker is another each time
      const { load } = await import(`phasor${name.slice(1)}`);
      if (load === undefined) continue;
      const [one, other] = await Promise.all([load(), load({})]);
      assert.equal(one, other, name);
      assert.equal(one, await load({ shared: true }), name);
      await assert.rejects(async () => load(/** @type {any} */ (5)), TypeError, name);
      count += 1;
    }
    assert.ok(count >= 10, `${count} entries`);
  });

  test("load({ shared: false }) starts a separate core", async () => {
    const [one, other] = await Promise.all([load({ shared: false }), load({ shared: false })]);
    assert.deepEqual(Object.keys(one), Object.keys(other));
    assert.notEqual(one.embedding, other.embedding);
    const weights = [[1, 2]];
    const tables = [one, other, phasor].map(({ embedding }) => embedding.from(weights));
    tables[0].dispose();
    assert.deepEqual(tables[1].lookup([0]).toArray(), weights);
    assert.deepEqual(tables[2].lookup([0]).toArray(), weights);
    await assert.rejects(load(/** @type {any} */ ({ shared: 1 })), {
      name: "TypeError",
      message: /^\S+: shared must be true or false; got 1/,
    });
  });

  test("load works when another core has failed", async () => {
    const broken = await load({ shared: false });
    assert.throws(() => broken.embedding.create(2 ** 31 - 1, 1), { name: "OutOfMemoryError" });
    assertWorks(broken);
    assertWorks(await load());
  });

  test("load accepts no options, undefined ones and no others", async () => {
    assertWorks(await load(undefined));
    assertWorks(await load({}));
    assertWorks(await load({ wasm: undefined }));
    for (const options of /** @type {any[]} */ ([
      null,
      5,
      "core.wasm",
      [],
      () => {},
      wasmUrl.href,
    ])) {
      await assert.rejects(load(options), /^TypeError: \S+: options must be an object; got /);
    }
    const misspelt = /** @type {any} */ ({ wasmUrl });
    await assert.rejects(
      load(misspelt),
      /^TypeError: load: options must have only wasm, shared; got "wasmUrl"$/,
    );
  });
});

describe("load({wasm})", () => {
  const server = createServer((request, response) => {
    if (request.url === "/broken.wasm") {
      response.writeHead(200, { "content-type": "application/wasm", "content-length": 2e6 });
      response.write(bytes.subarray(0, 5000), () => response.destroy());
      return;
    }
    if (request.url !== "/core.wasm") return void response.writeHead(404).end("not here");
    response.writeHead(200, { "content-type": "application/wasm" }).end(bytes);
  });
  let origin = "";
  before(async () => {
    await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
    origin = `http://127.0.0.1:${/** @type {AddressInfo} */ (server.address()).port}`;
  });
  after(() => server.close());

  const response = () => new Response(bytes, { headers: { "content-type": "application/wasm" } });

  /** @type {[string, () => unknown][]} */
  const good = [
    ["a file URL", () => wasmUrl],
    ["a file URL as a string", () => wasmUrl.href],
    ["an http URL", () => new URL("/core.wasm", origin)],
    ["an http URL as a string", () => `${origin}/core.wasm`],
    ["a data URL", () => `data:application/wasm;base64,${bytes.toString("base64")}`],
    ["a blob URL", () => URL.createObjectURL(new Blob([bytes]))],
    ["a Uint8Array", () => Uint8Array.from(bytes)],
    [
      "a view into a larger buffer",
      () => {
        const larger = new Uint8Array(bytes.length + 16).fill(255);
        larger.set(bytes, 8);
        return larger.subarray(8, 8 + bytes.length);
      },
    ],
    ["an ArrayBuffer", () => Uint8Array.from(bytes).buffer],
    ["a DataView", () => new DataView(Uint8Array.from(bytes).buffer)],
    ["a Module", () => new WebAssembly.Module(bytes)],
    ["a Response", response],
    ["a Response without a type", () => new Response(bytes)],
  ];
  for (const [what, source] of good) {
    test(`load accepts ${what}, or a promise of it`, async () => {
      assertWorks(await loadFrom(source()));
      assertWorks(await loadFrom(Promise.resolve(source())));
    });
  }

  test("load shares the core of a Module and of a URL, not that of bytes", async () => {
    const module = await WebAssembly.compile(bytes);
    const [one, other] = await Promise.all([loadFrom(module), loadFrom(module)]);
    assert.equal(one, other);
    assertWorks(other);
    const address = new URL(`${origin}/core.wasm`);
    assert.equal(await loadFrom(address), await loadFrom(address.href));
    assert.notEqual(await loadFrom(address), one);
    assert.notEqual(await loadFrom(bytes), await loadFrom(bytes));
    assert.notEqual(await load({ wasm: module, shared: false }), one);
  });

  test("load accepts a Module of another realm", async () => {
    const module = runInNewContext("new WebAssembly.Module(bytes)", { bytes });
    assert.equal(module instanceof WebAssembly.Module, false);
    assertWorks(await loadFrom(module));
    const fake = { [Symbol.toStringTag]: "WebAssembly.Module" };
    await assert.rejects(loadFrom(fake), LoadError);
  });

  /** @type {[string, () => unknown][]} */
  const kinds = [
    ["null", () => null],
    ["a number", () => 5],
    ["a symbol", () => Symbol("core.wasm")],
    ["true", () => true],
    ["a function", () => () => bytes],
    ["an object", () => ({ href: wasmUrl.href })],
    ["an object with toString", () => ({ toString: () => wasmUrl.href })],
    ["an array of bytes", () => [...bytes]],
    ["a String object", () => Object(wasmUrl.href)],
    ["a Blob", () => new Blob([bytes])],
  ];
  for (const [what, source] of kinds) {
    test(`load rejects ${what} with a typed error`, async () => {
      for (const wasm of [source(), Promise.resolve(source())]) {
        await assert.rejects(loadFrom(wasm), /^TypeError: \S+: wasm must be a URL, .+; got /);
      }
    });
  }

  /** @type {[string, () => unknown, RegExp][]} */
  const garbage = [
    ["no bytes", () => new Uint8Array(0), /compile/],
    ["bytes of something else", () => new TextEncoder().encode("<!doctype html>"), /compile/],
    ["a core cut short", () => bytes.subarray(0, bytes.length / 2), /compile/],
    ["a module of something else", () => Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0), /phasor/],
    ["a file that is not there", () => new URL("no-such.wasm", moduleUrl), /no-such\.wasm/],
    ["a page that is not there", () => `${origin}/missing.wasm`, /404/],
    [
      "a response that breaks off",
      () => `${origin}/broken.wasm`,
      /could not (read|compile) its core/,
    ],
    ["a server that is not there", () => "http://127.0.0.1:1/core.wasm", /127\.0\.0\.1:1/],
    ["a path", () => "./core.wasm", /core\.wasm/],
    ["an empty string", () => "", /phasor/],
    ["no URL", () => "http://[", /phasor/],
    ["an unknown protocol", () => "nobody:core", /nobody:core/],
    ["a Response of failure", () => new Response("gone", { status: 410 }), /410/],
    ["a Response of a page", () => new Response("<!doctype html>"), /compile/],
    [
      "a detached buffer",
      () => {
        const { buffer } = Uint8Array.from(bytes);
        structuredClone(buffer, { transfer: [buffer] });
        return buffer;
      },
      /compile/,
    ],
  ];
  for (const [what, source, words] of garbage) {
    test(`load rejects ${what} as a LoadError with its cause`, async () => {
      await assert.rejects(loadFrom(source()), (error) => {
        assert.ok(error instanceof LoadError, String(error));
        assert.equal(error.name, "LoadError");
        assert.match(error.message, /^phasor /);
        assert.match(error.message, words);
        return true;
      });
      assertWorks(await load());
    });
  }

  test("load compiles a response while it streams, if its type is that of WebAssembly", async () => {
    const { compileStreaming } = WebAssembly;
    let streams = 0;
    WebAssembly.compileStreaming = (source) => {
      ++streams;
      return compileStreaming(source);
    };
    try {
      assertWorks(await load({ wasm: `${origin}/core.wasm`, shared: false }));
      assert.equal(streams, 1);
      assertWorks(await loadFrom(new Response(bytes)));
      assertWorks(await loadFrom(bytes));
      assert.equal(streams, 1);
    } finally {
      WebAssembly.compileStreaming = compileStreaming;
    }
  });

  test("load rejects a Response that was read already", async () => {
    const used = response();
    await used.arrayBuffer();
    await assert.rejects(loadFrom(used), LoadError);
    const plain = new Response(bytes);
    await plain.arrayBuffer();
    await assert.rejects(loadFrom(plain), (/** @type {any} */ { name, message, cause }) => {
      assert.equal(
        `${name}: ${message}`,
        `LoadError: phasor could not read its core: ${cause.message}`,
      );
      return true;
    });
  });

  test("load rethrows the rejection of a promise of the core", async () => {
    const own = new Error("the caller's error");
    await assert.rejects(loadFrom(Promise.reject(own)), own);
  });
});

describe("import", () => {
  /** Run a module in a separate process. @param {string} source @param {string[]} [flags] */
  async function run(source, flags = []) {
    const args = [...flags, "--input-type=module", "--eval", source];
    const cwd = fileURLToPath(new URL(".", import.meta.url));
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { cwd });
    assert.equal(stderr, "");
    return stdout.trim();
  }

  const address = JSON.stringify(moduleUrl);

  test("import has no side effects: it touches no global and starts nothing", async () => {
    const touched = await run(`
      const touched = [];
      const watch = (name) =>
        Object.defineProperty(globalThis, name, {
          configurable: true,
          get: () => { touched.push(name); return undefined; },
          set: () => void touched.push(name + " (set)"),
        });
      const names = ["window", "document", "self", "navigator", "location", "importScripts",
        "fetch", "XMLHttpRequest", "Worker", "localStorage", "Buffer", "require", "module",
        "performance", "WebAssembly", "setTimeout", "queueMicrotask"];
      const before = Object.getOwnPropertyNames(globalThis).length;
      const kept = names.map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)]);
      names.forEach(watch);
      const there = Object.getOwnPropertyNames(globalThis).sort().join();
      const module = await import(${address});
      const same = there === Object.getOwnPropertyNames(globalThis).sort().join();
      for (const [name, old] of kept) {
        delete globalThis[name];
        if (old) Object.defineProperty(globalThis, name, old);
      }
      const exports = Object.keys(module).filter((name) => !name.startsWith("_")).sort(); // lent to other entries
      console.log(JSON.stringify({ touched, same, exports }));
    `);
    assert.deepEqual(JSON.parse(touched), {
      touched: [],
      same: true,
      exports: [
        ...["CoreError", "DisposedError", "LoadError", "OutOfMemoryError", "Tensor", "load"],
        ...["optionsOf", "pool", "schemesOf"],
      ],
    });
  });

  test("import works without eval, a file system or fetch", async () => {
    const printed = await run(
      `
      globalThis.fetch = () => { throw new Error("fetched"); };
      const { load } = await import(${address});
      const { sinusoidal } = await load();
      console.log(String(sinusoidal.table(2, 2)));
      `,
      ["--disallow-code-generation-from-strings"],
    );
    assert.equal(printed, "[[0.         1.        ]\n [0.84147096 0.5403023 ]]");
  });

  // Node compiles internal modules: only the core counts.
  const size = bytes.length;

  test("load compiles the default core once, and starts it once for all callers that share it", async () => {
    const counts = await run(`
      let compiled = 0;
      const started = [];
      let core;
      const { Module, instantiate } = WebAssembly;
      WebAssembly.Module = class extends Module {
        constructor(source) {
          super(source);
          if (source.byteLength === ${size}) { ++compiled; core = this; }
        }
      };
      WebAssembly.instantiate = (module, imports) => {
        started.push(module);
        return instantiate(module, imports);
      };
      const { load } = await import(${address});
      const early = compiled + started.length;
      await load();
      await Promise.all([load(), load(), load({ shared: false }), load({ shared: false })]);
      console.log(JSON.stringify([early, compiled, started.filter((module) => module === core).length]));
    `);
    assert.deepEqual(JSON.parse(counts), [0, 1, 3]);
  });

  test("load throws a descriptive error where the host has no WebAssembly", async () => {
    const said = await run(`
      const { load } = await import(${address});
      delete globalThis.WebAssembly;
      await load().catch((error) => console.log(error.name, error.message));
    `);
    assert.match(said, /^LoadError phasor needs WebAssembly/);
  });

  test("load throws a descriptive error where Node was started without WebAssembly", async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [
      ...["--jitless", "--input-type=module", "--eval"],
      `const { load } = await import(${address});
       await load().catch((error) => console.log(error.name, error.message));`,
    ]);
    assert.match(stdout, /^LoadError phasor needs WebAssembly, which this host does not have$/m);
  });

  test("load requires the compiled core where only the host may compile", async () => {
    const said = await run(`
      import { readFileSync } from "node:fs";
      import { runInNewContext } from "node:vm";
      const wasm = await WebAssembly.compile(readFileSync(new URL(${JSON.stringify(wasmUrl)})));
      const there = { contextCodeGeneration: { wasm: false } };
      const { Module } = WebAssembly;
      WebAssembly.Module = class extends Module {
        constructor(bytes) {
          return runInNewContext("new WebAssembly.Module(bytes)", { bytes }, there);
        }
      };
      const { load } = await import(${address});
      await load().catch(({ message, cause }) => console.log(message + "\\n" + cause.message));
      console.log((await load({ wasm })).sinusoidal.table(1, 2).at(0, 1));
    `);
    const [words, cause, value] = said.split("\n");
    assert.match(
      words,
      /^phasor may not compile WebAssembly here; give load\({ wasm }\) the module/,
    );
    assert.match(words, /"phasor\/core\.wasm"/);
    assert.match(cause, /Wasm code generation disallowed by embedder/);
    assert.equal(value, "1");
  });

  test("load inflates its core without Node's zlib, and throws where nothing can", async () => {
    const said = await run(`
      process.getBuiltinModule = undefined;
      const { load } = await import(${address});
      const { DecompressionStream } = globalThis;
      delete globalThis.DecompressionStream;
      await load().catch((error) => console.log(error.name, error.message));
      globalThis.DecompressionStream = DecompressionStream;
      console.log((await load()).sinusoidal.table(1, 2).at(0, 1));
    `);
    const [words, value] = said.split("\n");
    assert.match(
      words,
      /^LoadError phasor needs DecompressionStream.*"phasor\/core\.wasm", on Edge/,
    );
    assert.equal(value, "1");
  });

  test("load names its requirements where process is restricted, as in Next's Edge runtime", async () => {
    const said = await run(`
      process.getBuiltinModule = () => {
        throw new Error("A Node.js API is used (process.getBuiltinModule)");
      };
      globalThis.DecompressionStream = function () {
        throw new Error("A Node.js API is used (DecompressionStream)");
      };
      const { load } = await import(${address});
      await load().catch((error) => console.log(error.name, error.message, error.cause.message));
    `);
    const words =
      /^LoadError phasor needs DecompressionStream.*"phasor\/core\.wasm\?module" A Node/;
    assert.match(said, words);
  });

  test("the core imports exactly what wasm.js provides", async () => {
    const imports = WebAssembly.Module.imports(await WebAssembly.compile(bytes));
    assert.deepEqual(
      imports.map(({ name }) => name),
      ["emscripten_notify_memory_growth"],
    );
  });

  test("load can be retried after a failure", async () => {
    const said = await run(`
      const { load } = await import(${address});
      const { Module } = WebAssembly;
      WebAssembly.Module = class extends Module {
        constructor(source) {
          if (source.byteLength === ${size}) throw new Error("not now");
          super(source);
        }
      };
      await load().catch((error) => console.log(error.name));
      WebAssembly.Module = Module;
      console.log((await load()).sinusoidal.table(1, 2).at(0, 1));
    `);
    assert.equal(said, "LoadError\n1");
  });
});
