// A typed array is its memory, whatever its class and its own members say of it. An array whose members are wrong gives the result
// of the plain array, or is rejected; the core works on, and writes into no memory but that of the result.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { runInNewContext } from "node:vm";
import { madeCalls } from "../../calls.js";
import { PARTS } from "../narrow.js";
import { load, optionsOf, phasor, Tensor } from "../../phasor.js";

/** Own members that are not true. @type {Record<string, (array: any) => PropertyDescriptorMap>} */
const MEMBERS = {
  "longer than it is": ({ length }) => ({ length: { value: length + 2 ** 20 } }),
  "shorter than it is": ({ length }) => ({ length: { value: length >> 1 } }),
  "of bytes": () => ({ BYTES_PER_ELEMENT: { value: 1 } }),
  "of eight bytes": () => ({ BYTES_PER_ELEMENT: { value: 8 } }),
  "of another kind": () => ({
    [Symbol.toStringTag]: { value: "Int32Array" },
    constructor: { value: Int32Array },
  }),
  "of other memory": () => ({
    buffer: { value: new ArrayBuffer(8) },
    byteOffset: { value: 2 ** 20 },
    byteLength: { value: 2 ** 20 },
  }),
  "with parts of another": () => ({
    subarray: { value: () => new Float32Array(2 ** 16) },
    slice: { value: () => new Float32Array(2 ** 16) },
    set: { value: () => assert.fail("the result is given memory of the core") },
    map: { value: () => new Float32Array(2 ** 16) },
  }),
};

/** Classes that do not tell the truth. */
class Longer extends Float32Array {
  /** @override */
  get length() {
    return 2 ** 20;
  }
}
class Bytes extends Float32Array {
  /** @override */
  static BYTES_PER_ELEMENT = 1;
  /** @override */
  get BYTES_PER_ELEMENT() {
    return 1;
  }
  /** @override */
  get byteLength() {
    return 4;
  }
}
class Others extends Float32Array {
  static get [Symbol.species]() {
    return Uint8Array;
  }
  /** @override @returns {any} */
  subarray() {
    return new Float32Array(2 ** 16);
  }
}
const CLASSES = { Longer, Bytes, Others };

/**
 * Arrays with the memory of another and wrong members.
 * @type {Record<string, (plain: Float32Array) => Float32Array>}
 */
const ALTERATIONS = {
  ...Object.fromEntries(
    Object.entries(MEMBERS).map(([name, of]) => [
      name,
      ({ buffer, byteOffset, length }) => {
        const array = new Float32Array(buffer, byteOffset, length);
        return Object.defineProperties(array, of(array));
      },
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(CLASSES).map(([name, Class]) => [
      `of the class ${name}`,
      ({ buffer, byteOffset, length }) =>
        new Class(/** @type {any} */ (buffer), byteOffset, length),
    ]),
  ),
};

/** Arguments whose tensors are given otherwise. @param {any} value @param {(tensor: Tensor) => any} given @returns {any} */
function otherwise(value, given) {
  if (value instanceof Tensor) return given(value);
  if (Array.isArray(value)) return value.map((item) => otherwise(item, given));
  if (typeof value !== "object" || value === null) return value;
  const isPlain = Object.getPrototypeOf(value) === Object.prototype;
  if (!isPlain || Object.values(value).some((member) => typeof member === "function")) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, otherwise(item, given)]),
  );
}

/** Arguments with altered arrays. @param {any} value @param {(plain: Float32Array) => Float32Array} alter */
const altered = (value, alter) =>
  otherwise(value, (tensor) => {
    const { data, shape } = tensor;
    return data instanceof Float32Array ? { data: alter(data), shape } : tensor;
  });

/** The forms that a tensor may have, besides that of the package. @type {Record<string, (tensor: Tensor) => any>} */
const FORMS = {
  "nested arrays": (tensor) => tensor.toArray(),
  "plain numbers": ({ data, shape }) => ({ data: Array.from(data), shape }),
  "an array and dims": ({ data, shape }) => ({ data, dims: shape }),
  "wider numbers": ({ data, shape }) => ({
    data: data instanceof Int32Array ? BigInt64Array.from(data, BigInt) : Float64Array.from(data),
    shape,
  }),
};

/** The numbers of a result as bytes; what has methods is left out. @param {any} result @returns {any} */
function bytesOf(result) {
  if (ArrayBuffer.isView(result)) {
    return [...new Uint8Array(result.buffer, result.byteOffset, result.byteLength)];
  }
  if (typeof result === "function") return "function";
  if (typeof result !== "object" || result === null) return result;
  return Object.fromEntries(Object.entries(result).map(([name, of]) => [name, bytesOf(of)]));
}

/** The arguments with an option more. @param {Awaited<ReturnType<typeof madeCalls>>[number]} made @param {Record<string, unknown>} more */
function withOption({ method, args }, more) {
  const last = args[args.length - 1];
  const isOptions =
    typeof last === "object" &&
    Object.getPrototypeOf(last) === Object.prototype &&
    Object.keys(last).every((name) => Object.hasOwn(optionsOf(method), name));
  return isOptions ? [...args.slice(0, -1), { ...last, ...more }] : [...args, more];
}

/** @param {unknown} error */
function assertRefused(error) {
  assert.ok(error instanceof TypeError || error instanceof RangeError, String(error));
  assert.match(error.message, / must .+; got /);
}

/** The memory of all arrays in a value. @param {any} value @returns {ArrayBufferLike[]} */
function buffersIn(value) {
  if (ArrayBuffer.isView(value)) return [value.buffer];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(buffersIn) : [];
}

const made = await madeCalls();

describe("every function takes its tensors in every form", () => {
  for (const [form, given] of Object.entries(FORMS)) {
    test(form, () => {
      for (const { name, method, args } of made) {
        assert.deepEqual(
          bytesOf(method(...otherwise(args, given))),
          bytesOf(method(...args)),
          name,
        );
      }
    });
  }
});

test("no function changes its arguments, and no two results share memory", () => {
  for (const { name, method, args } of made) {
    const before = bytesOf(args);
    const [one, other] = [method(...args), method(...args)];
    assert.deepEqual(bytesOf(args), before, name);
    const memory = [args, one, other].map((each) => new Set(buffersIn(each)));
    const distinct = new Set(memory.flatMap((buffers) => [...buffers]));
    assert.equal(distinct.size, memory[0].size + memory[1].size + memory[2].size, name);
  }
});

describe("arrays with overridden properties, as arguments", () => {
  for (const [how, alter] of Object.entries(ALTERATIONS)) {
    test(how, () => {
      for (const { name, method, args } of made) {
        const want = bytesOf(method(...args));
        assert.deepEqual(bytesOf(method(...altered(args, alter))), want, name);
      }
    });
  }
});

describe("arrays with overridden properties, as results", () => {
  /** Calls with one tensor as a result, which can go into `out`. */
  const writing = made.filter(
    ({ method, args }) => "out" in optionsOf(method) && method(...args) instanceof Tensor,
  );

  test("most functions write results", () => assert.ok(writing.length > 50, `${writing.length}`));

  for (const [how, alter] of Object.entries(ALTERATIONS)) {
    test(how, () => {
      for (const call of writing) {
        const { data, shape } = call.method(...call.args);
        const Kind = data.constructor;
        const around = new Kind(data.length + 32).fill(7);
        const plain = around.subarray(16, 16 + data.length);
        const out = Kind === Float32Array ? alter(plain) : plain;
        try {
          call.method(...withOption(call, { out }));
          assert.deepEqual([...plain], [...data], `${call.name}: ${shape}`);
        } catch (error) {
          assertRefused(error);
        }
        const rest = [...around.subarray(0, 16), ...around.subarray(16 + data.length)];
        assert.ok(
          rest.every((x) => x === 7),
          `${call.name} writes beside its result`,
        );
      }
      assert.deepEqual(phasor.sinusoidal.table(1, 2).toArray(), [[0, 1]]);
    });
  }

  test("two arrays that share memory are refused, and nothing is written", () => {
    let refused = 0;
    for (const call of made) {
      if (!("out" in optionsOf(call.method)) || call.name in PARTS) continue;
      const result = Object.entries(call.method(...call.args));
      const parts = result.filter(([, part]) => part instanceof Tensor || part?.cos);
      if (parts.length < 2) continue;
      const memory = new Float32Array(2 ** 16);
      const tensorsOf = Object.fromEntries(parts);
      const out = otherwise(tensorsOf, ({ data }) => memory.subarray(0, data.length));
      const into = () => call.method(...withOption(call, { out }));
      assert.throws(into, /must .*share.* no memory/, call.name);
      assert.ok(memory.every((x) => x === 0));
      ++refused;
    }
    assert.ok(refused > 10, `${refused}`);
  });

  test("arrays that are shorter than they report", () => {
    for (const call of writing) {
      const { data } = call.method(...call.args);
      if (data.length < 2) continue;
      const out = new data.constructor(data.length - 1);
      Object.defineProperty(out, "length", { value: data.length });
      assert.throws(
        () => call.method(...withOption(call, { out })),
        (error) => {
          assertRefused(error);
          return true;
        },
        call.name,
      );
    }
  });

  test("arrays whose properties change while they are read", async () => {
    const { attention, normalize, embedding } = await load({ shared: false });
    for (const member of ["length", "subarray", "set", "BYTES_PER_ELEMENT", "byteLength"]) {
      const out = new Float32Array(8);
      let reads = 0;
      Object.defineProperty(out, member, {
        get() {
          const plain = Reflect.get(Float32Array.prototype, member, new Float32Array(8));
          if (reads++ < 1) return plain;
          return typeof plain === "function" ? () => new Float32Array(2 ** 20) : 2 ** 20;
        },
      });
      for (const call of [
        () => attention.softmax(new Float32Array(8), { out }),
        () => normalize.l2([[1, 2, 3, 4, 5, 6, 7, 8]], { out }),
        () => attention.softmax(out),
        () => embedding.from({ data: out, shape: [2, 4] }),
      ]) {
        try {
          call();
        } catch (error) {
          assert.equal(/** @type {Error} */ (error).name === "CoreError", false, String(error));
        }
      }
    }
    assert.deepEqual(attention.softmax([0, 0]).toArray(), [0.5, 0.5]);
  });
});

describe("valid arrays of all kinds", () => {
  const { attention, embedding, rope } = phasor;
  const want = [0.5, 0.5];
  class Mine extends Float32Array {}

  test("are accepted as out, and the result has the array itself where possible", () => {
    const own = new Float32Array(2);
    assert.equal(attention.softmax([0, 0], { out: own }).data, own);
    for (const out of [
      new Mine(2),
      new Float32Array(new SharedArrayBuffer(8)),
      runInNewContext("new Float32Array(2)"),
      new Float32Array(new ArrayBuffer(16), 8),
    ]) {
      assert.deepEqual(attention.softmax([0, 0], { out }).toArray(), want);
      assert.deepEqual([...out], want);
    }
  });

  test("are accepted as arguments", () => {
    for (const given of [
      new Mine(2),
      new Float32Array(new SharedArrayBuffer(8)),
      runInNewContext("new Float32Array(2)"),
      runInNewContext("[0, 0]"),
      Buffer.from([0, 0]),
      new Uint8Array(2),
    ]) {
      assert.deepEqual(attention.softmax(given).toArray(), want);
    }
    const table = embedding.from([[1], [2]]);
    assert.deepEqual(table.lookup(Buffer.from([1, 0])).toArray(), [[2], [1]]);
  });

  test("over resizable memory track its size between calls", (t) => {
    const Resizable = /** @type {any} */ (ArrayBuffer);
    const buffer = new Resizable(16, { maxByteLength: 64 });
    if (!buffer.resizable) return t.skip("this engine has no resizable memory");
    const x = new Float32Array(buffer);
    assert.deepEqual(attention.softmax(x).shape, [4]);
    buffer.resize(8);
    assert.deepEqual(attention.softmax(x).toArray(), want);
    const part = new Float32Array(buffer, 0, 2);
    buffer.resize(4);
    assert.deepEqual(attention.softmax(part).shape, [0]);
  });

  test("a rotation in place works on a subarray", () => {
    const x = Float32Array.of(1, 0, 1, 0, 9);
    const out = x.subarray(0, 4);
    const given = { data: out, shape: [2, 2] };
    rope.apply(given, rope.table(2, 2), { out });
    const { data } = rope.apply([[1, 0], [1, 0]], rope.table(2, 2)); // prettier-ignore
    assert.deepEqual([...x], [...data, 9]);
  });
});

describe("memory that shrinks during a call", () => {
  /** @returns {{buffer: any, rows: {data: Float32Array, shape: number[]}} | undefined} */
  function resizable() {
    const buffer = new /** @type {any} */ (ArrayBuffer)(4 * 8 * 4, { maxByteLength: 4 * 8 * 4 });
    if (!buffer.resizable) return undefined;
    const data = new Float32Array(buffer);
    data.forEach((_, i) => (data[i] = i % 5));
    return { buffer, rows: { data, shape: [8, 4] } };
  }

  test("every function reads options before arrays", (t) => {
    if (!resizable()) return t.skip("this engine has no resizable memory");
    for (const { name, method, args } of made) {
      for (const option of Object.keys(optionsOf(method))) {
        const buffers = /** @type {any[]} */ ([]);
        const shrinking = altered(args, (plain) => {
          const buffer = new /** @type {any} */ (ArrayBuffer)(plain.byteLength, {
            maxByteLength: plain.byteLength,
          });
          buffers.push(buffer);
          new Float32Array(buffer).set(plain);
          return new Float32Array(buffer);
        });
        const shrink = () => void buffers.forEach((buffer) => buffer.resize(0));
        const options = { get [option]() { return shrink(); } }; // prettier-ignore
        const last = args[args.length - 1];
        const call = { name, method, args: shrinking };
        const given = withOption(call, {});
        const own = given[given.length - 1];
        Object.defineProperties(own, Object.getOwnPropertyDescriptors(options));
        if (buffers.length === 0 || last === undefined) continue;
        try {
          method(...given);
          // it had no use for the arrays, or it read what is left of them
        } catch (error) {
          assertRefused(error);
        }
      }
    }
  });

  test("rows of a disposed table are not those of another table", (t) => {
    if (!resizable()) return t.skip("this engine has no resizable memory");
    const { nearest } = phasor;
    const stale = nearest([[9, 9, 9, 9]], [[9, 9, 9, 9]], { k: 1 });
    assert.equal(stale.ids.data[0], 0);
    for (const call of [
      (/** @type {any} */ rows, /** @type {any} */ options) =>
        nearest.analogy(rows, [0, 1, 2], options),
      (/** @type {any} */ rows, /** @type {any} */ options) => nearest(rows, [1, 2, 3, 4], options),
      (/** @type {any} */ rows, /** @type {any} */ options) =>
        nearest.candidates(rows, [1, 2, 3, 4], options),
    ]) {
      const { buffer, rows } = /** @type {any} */ (resizable());
      const options = { get k() { buffer.resize(0); return 1; } }; // prettier-ignore
      assert.throws(
        () => call(rows, options),
        /vectors.shape must have as many elements as its data/,
      );
    }
    const { buffer, rows } = /** @type {any} */ (resizable());
    const queries = { get data() { buffer.resize(0); return [1, 2, 3, 4]; }, shape: [4] }; // prettier-ignore
    assert.throws(
      () => nearest(rows, queries),
      /arguments must stay in memory until the call returns/,
    );
  });
});
