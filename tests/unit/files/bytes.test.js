import assert from "node:assert/strict";
import { test } from "node:test";
import { runInNewContext } from "node:vm";
import { allocate, bytesOf } from "../../../src/files/bytes.js";
import { FileError } from "./entry.js";

const eight = Uint8Array.of(0, 1, 2, 3, 4, 5, 6, 7);
const sources = { memory: eight, "a Blob": new Blob([eight]) };

for (const [name, source] of Object.entries(sources)) {
  test(`bytes of ${name}: a read reports its progress and observes its signal`, async () => {
    const bytes = bytesOf(source);
    /** @type {number[][]} */
    const calls = [];
    const progress = (/** @type {number[]} */ ...numbers) => void calls.push(numbers);
    const read = await bytes.read(2, 5, { progress, signal: new AbortController().signal });
    assert.deepEqual([...read], [2, 3, 4]);
    assert.deepEqual(calls, [[3, 3]]);

    const reason = new Error("the reader left");
    const stopped = bytes.read(2, 5, { progress, signal: AbortSignal.abort(reason) });
    await assert.rejects(stopped, (thrown) => thrown === reason);
    assert.equal(calls.length, 1);
  });
}

test("bytes of a Blob-like source that returns a stream: it is passed on", async () => {
  const source = {
    size: 8,
    slice: (/** @type {number} */ begin, /** @type {number} */ end) => ({
      arrayBuffer: () => assert.fail("all at once"),
      async each(/** @type {import("../../../src/files/bytes.js").Use} */ use) {
        for (let at = begin; at < end; ++at) await use(eight.slice(at, at + 1), at - begin);
      },
    }),
  };
  /** @type {number[][]} */
  const came = [];
  await bytesOf(source).each(2, 5, ([byte], at) => void came.push([byte, at]));
  assert.deepEqual(came, [
    [2, 0],
    [3, 1],
    [4, 2],
  ]);
});

test("bytes of a Blob: a signal during a read stops it, with its reason", async () => {
  const controller = new AbortController();
  const reason = new Error("the reader left");
  const reading = bytesOf(new Blob([eight])).read(0, 8, { signal: controller.signal });
  controller.abort(reason);
  await assert.rejects(reading, (thrown) => thrown === reason);
});

test("bytes of a Blob-like source: it receives signal and progress, and its own abort is passed on", async () => {
  /** @type {unknown[]} */
  const handed = [];
  const source = {
    size: 8,
    slice: () => ({
      async arrayBuffer(/** @type {unknown} */ reading) {
        handed.push(reading);
        throw new DOMException("it was closed", "AbortError");
      },
    }),
  };
  const reading = { signal: new AbortController().signal, progress() {} };
  await assert.rejects(bytesOf(source).read(0, 8, reading), { name: "AbortError" });
  assert.deepEqual(handed, [reading]);
});

test("bytes: any other error of a source is reported as a failed read", async () => {
  const source = {
    size: 8,
    slice: () => ({ arrayBuffer: () => Promise.reject(new Error("worn out")) }),
  };
  await assert.rejects(bytesOf(source).read(0, 8), (/** @type {any} */ thrown) => {
    assert.ok(thrown instanceof FileError);
    assert.equal(thrown.message, 'source must return its bytes 0 to 8; got "worn out"');
    return true;
  });
});

test("bytes of a source whose slices are invalid: the error says so, whichever way they are read", async () => {
  const thrown = () => {
    throw new Error("worn out");
  };
  for (const [slice, got] of /** @type {[() => any, string][]} */ ([
    [() => undefined, "must have slices with arrayBuffer(); got undefined"],
    [() => null, "must have slices with arrayBuffer(); got null"],
    [() => eight, "must have slices with arrayBuffer(); got Uint8Array of 8"],
    [thrown, 'must return its bytes 0 to 8; got "worn out"'],
  ])) {
    const { read, each } = bytesOf({ size: 8, slice });
    for (const reading of [read(0, 8), each(0, 8, () => assert.fail("nothing to use"))]) {
      await assert.rejects(reading, { code: "FILE_READ", message: `source ${got}` });
    }
  }
});

test("bytes of a source that returns another type are reported as invalid", async () => {
  for (const given of [undefined, [1, 2, 3], new Uint8Array(3)]) {
    const source = { size: 8, slice: () => ({ arrayBuffer: async () => given }) };
    const message = "source must return its bytes 2 to 5; got 0 bytes";
    await assert.rejects(bytesOf(source).read(2, 5), { code: "FILE_READ", message });
  }
});

test("bytes of what claims to be a buffer and is none are reported as invalid", async () => {
  const proxy = new Proxy(new ArrayBuffer(3), {});
  const tagged = { [Symbol.toStringTag]: "ArrayBuffer", byteLength: 3 };
  for (const given of [proxy, tagged, { __proto__: ArrayBuffer.prototype }]) {
    const source = { size: 8, slice: () => ({ arrayBuffer: async () => given }) };
    const message = "source must return its bytes 2 to 5; got 0 bytes";
    await assert.rejects(bytesOf(source).read(2, 5), { code: "FILE_READ", message });
    assert.throws(() => bytesOf(given), /^TypeError: source must be a Blob, an ArrayBuffer/);
  }
  const others = runInNewContext("[new ArrayBuffer(3), new SharedArrayBuffer(3)]");
  for (const buffer of others) assert.equal((await bytesOf(buffer).read(0, 3)).length, 3);
});

test("bytes of a transferred buffer are rejected, before it is opened or after", async () => {
  const rule = /^TypeError: source must hold its bytes; got a buffer that was transferred$/;
  for (const length of [8, 0]) {
    const buffer = new ArrayBuffer(length);
    const view = new Uint8Array(buffer);
    const before = bytesOf(view);
    structuredClone(buffer, { transfer: [buffer] });
    for (const source of [buffer, view]) assert.throws(() => bytesOf(source), rule);
    const read = before.read(0, length);
    if (length > 0) await assert.rejects(read, { code: "FILE_READ" });
    else assert.equal((await read).length, 0);
  }
});

test("bytes of an object whose size is no whole number from 0 to 2^53 - 1 are rejected", () => {
  const slice = () => assert.fail("nothing is read");
  for (const size of [-1, 1.5, NaN, Infinity, 2 ** 53, "8", undefined]) {
    assert.throws(() => bytesOf({ size, slice }), /^TypeError: source must be a Blob/);
  }
  assert.throws(() => bytesOf({ size: 8, slice: 8 }), /^TypeError: source must be a Blob/);
});

test("bytes without each come in chunks of 2 MiB, with their offsets, and none of no bytes", async () => {
  const many = new Uint8Array(2 ** 22 + 1);
  for (const source of [many, new Blob([many])]) {
    for (const [begin, end, expected] of /** @type {const} */ ([
      [0, 0, ""],
      [5, 8, "0+3"],
      [1, 1 + 2 ** 21, "0+2097152"],
      [0, 2 ** 22 + 1, "0+2097152 2097152+2097152 4194304+1"],
    ])) {
      /** @type {string[]} */
      const came = [];
      await bytesOf(source).each(
        begin,
        end,
        (chunk, at) => void came.push(`${at}+${chunk.length}`),
      );
      assert.equal(came.join(" "), expected);
    }
  }
});

test("bytes: a signal that was aborted asks the source for nothing, and its reason comes before an error of the source", async () => {
  const reason = new Error("the reader left");
  const never = { size: 8, slice: () => assert.fail("it is asked") };
  const stopped = bytesOf(never).read(0, 8, { signal: AbortSignal.abort(reason) });
  await assert.rejects(stopped, (thrown) => thrown === reason);
  const controller = new AbortController();
  const fails = async () => {
    controller.abort(reason);
    throw new Error("worn out");
  };
  const source = { size: 8, slice: () => ({ arrayBuffer: fails }) };
  const reading = bytesOf(source).read(0, 8, { signal: controller.signal });
  await assert.rejects(reading, (thrown) => thrown === reason);
});

test("bytes of a transferred buffer: none was returned", async () => {
  const buffer = new ArrayBuffer(8);
  const { read } = bytesOf(buffer);
  structuredClone(buffer, { transfer: [buffer] });
  const message = "source must return its bytes 2 to 5; got 0 bytes";
  await assert.rejects(read(2, 5), { code: "FILE_READ", message });
  assert.throws(() => allocate(Float64Array, 2 ** 40, "a copy"), { name: "OutOfMemoryError" });
});
