import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";
import { inspect } from "node:util";
import { FileError, npy, RemoteError, safetensors } from "phasor/files";
import {
  CoreError,
  DisposedError,
  LoadError,
  OutOfMemoryError,
  phasor,
  Tensor,
} from "../../phasor.js";

test("public classes keep their names in the minified bundle", () => {
  const errors = { CoreError, DisposedError, FileError, LoadError, OutOfMemoryError, RemoteError };
  const classes = { ...errors, Tensor };
  for (const [name, Class] of Object.entries(classes)) assert.equal(Class.name, name);
});

test("an error prints its name: its own, and in Node's console", () => {
  const errors = {
    CoreError: new CoreError("why"),
    DisposedError: new DisposedError("a table"),
    FileError: new FileError("CODE", "why"),
    LoadError: new LoadError("why"),
    OutOfMemoryError: new OutOfMemoryError("a table", 8),
    RemoteError: new RemoteError("CODE", "why"),
  };
  for (const [name, error] of Object.entries(errors)) {
    assert.equal(error.name, name);
    assert.ok(inspect(error).startsWith(`${name}: ${error.message}\n`), inspect(error));
  }
});

test("a message names the type of the value that it got", async () => {
  const header = '{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}';
  const parts = [BigUint64Array.of(BigInt(header.length)), header, new Float32Array(2)];
  const things = {
    Tensor: new Tensor(new Float32Array(2), [2]),
    SafetensorsFile: await safetensors.read(new Blob(parts)),
  };
  for (const [name, thing] of Object.entries(things)) {
    assert.throws(
      () => phasor.embedding.create(/** @type {any} */ (thing), 2),
      new TypeError(`embedding.create: vocabulary must be a whole number; got ${name}`),
    );
  }
});

test("a tensor of any entry, as a module and for require, is a Tensor of every other", async () => {
  const { exports } = JSON.parse(
    readFileSync(new URL("../../../package.json", import.meta.url), "utf8"),
  );
  const require = createRequire(import.meta.url);
  /** @type {[string, any][]} */
  const classes = [];
  for (const name of Object.keys(exports)) {
    if (/\.(wasm|py|json)|thread/.test(name)) continue; // no module, or a worker's
    const entry = name.replace(".", "phasor");
    classes.push([`import ${entry}`, (await import(entry)).Tensor]);
    if (exports[name].require) classes.push([`require ${entry}`, require(entry).Tensor]);
  }
  const all = classes.filter(([, found]) => found !== undefined);
  assert.ok(all.length > 20 && new Set(all.map(([, found]) => found)).size > 5, `${all.length}`);
  for (const [from, Made] of all) {
    const tensor = new Made(Float32Array.of(1, 2), [2]);
    for (const [other, Class] of all) assert.ok(tensor instanceof Class, `${from} by ${other}`);
  }
  class Own extends Tensor {}
  const [plain, own] = [new Tensor(Float32Array.of(1), [1]), new Own(Float32Array.of(1), [1])];
  assert.deepEqual([plain instanceof Own, own instanceof Own, own instanceof Tensor], [false, true, true]); // prettier-ignore
  for (const value of [null, undefined, 1, "x", {}, [], { data: [1], shape: [1] }, () => 1]) {
    assert.equal(/** @type {any} */ (value) instanceof Tensor, false);
  }
});

test("instanceof works for the error classes of every entry", async () => {
  const opened = await import("phasor/open");
  const error = await opened.open(new Uint8Array(3)).catch((thrown) => thrown);
  assert.ok(error instanceof FileError, String(error));
  assert.ok(error instanceof Error);
  assert.ok(!(error instanceof RemoteError));
  assert.ok(!(new Error("plain") instanceof FileError));
});

test("a callback's error comes back as it was thrown, also if it cannot be changed", async () => {
  class Fixed extends Error {
    /** @override */
    get message() {
      return "bytes must be few; got 8";
    }
  }
  const bytes = npy.write([1, 2]);
  for (const error of [Object.freeze(new RangeError("bytes must be few; got 8")), new Fixed()]) {
    const progress = () => {
      throw error;
    };
    await assert.rejects(npy.read(bytes, { progress }), (thrown) => thrown === error);
    assert.equal(error.message, "bytes must be few; got 8");
  }
});
