import assert from "node:assert/strict";
import { after, beforeEach, describe, test } from "node:test";
import { Pieces } from "../../../src/files/remote/pieces.js";
import { remote } from "./entry.js";
import { Store } from "../../../src/files/remote/store.js";

describe("pieces", () => {
  /** Those of these ranges that are kept. @param {number} most @param {[number, number][]} ranges */
  function kept(most, ranges) {
    /** @type {string[]} */
    const dropped = [];
    const pieces = new Pieces(most, (/** @type {string} */ name) => dropped.push(name));
    for (const [begin, end] of ranges) pieces.add(begin, end, `${begin}-${end}`);
    return { pieces, dropped };
  }

  test("hold as many bytes as they may, and drop the oldest for one more", () => {
    assert.deepEqual(kept(8, [[0, 4], [4, 8]]).dropped, []); // prettier-ignore
    assert.deepEqual(kept(8, [[0, 4], [4, 8], [8, 9]]).dropped, ["0-4"]); // prettier-ignore
    assert.deepEqual(kept(8, [[0, 2], [2, 4], [4, 8], [8, 11]]).dropped, ["0-2", "2-4"]); // prettier-ignore
    assert.deepEqual(kept(0, [[0, 1]]).dropped, ["0-1"]); // prettier-ignore
  });

  test("are replaced by one that has all their bytes, which counts once", () => {
    const ranges = /** @type {[number, number][]} */ ([[2, 4], [0, 3], [2, 5], [1, 4], [7, 8]]); // prettier-ignore
    const { pieces, dropped } = kept(12, ranges);
    assert.deepEqual(dropped, ["2-4"]);
    pieces.add(1, 5, "1-5");
    assert.deepEqual(dropped, ["2-4", "2-5", "1-4"]);
    pieces.add(10, 14, "10-14"); // 0-3, 7-8, 1-5 and 10-14 have twelve bytes
    assert.equal(dropped.length, 3);
    pieces.add(20, 21, "20-21");
    assert.deepEqual(dropped.slice(3), ["0-3"]);
  });

  test("are found by the bytes in them, and are then the last to be dropped", () => {
    const { pieces, dropped } = kept(8, [[0, 4], [4, 8]]); // prettier-ignore
    for (const [begin, end, name] of /** @type {const} */ ([
      [0, 4, "0-4"],
      [1, 3, "0-4"],
      [4, 5, "4-8"],
      [3, 5, undefined],
      [7, 9, undefined],
      [0, 1, "0-4"],
    ])) {
      assert.equal(pieces.find(begin, end)?.kept, name);
    }
    pieces.add(8, 12, "8-12");
    assert.deepEqual(dropped, ["4-8"]);
  });

  test("are forgotten once, by two calls too", () => {
    const { pieces, dropped } = kept(8, [[0, 4]]); // prettier-ignore
    const piece = /** @type {any} */ (pieces.find(0, 4));
    for (let i = 0; i < 2; ++i) pieces.forget(piece);
    for (const begin of [8, 12, 16]) pieces.add(begin, begin + 4, `${begin}`);
    assert.deepEqual(dropped, ["0-4", "8"]);
  });

  test("take no more than a quarter of the bytes at once", () => {
    const pieces = new Pieces(8);
    assert.deepEqual([2, 3].map((bytes) => pieces.takes(bytes)), [true, false]); // prettier-ignore
  });
});

describe("the store of a file in Cache Storage", () => {
  /** @type {Map<string, Map<string, Response>>} */
  const all = new Map();
  const before = globalThis.caches;
  beforeEach(() => all.clear());
  after(() => void Object.assign(globalThis, { caches: before }));
  const address = new URL("https://example.org/a/b.bin");
  const url = (/** @type {string} */ range) => `https://example.org/${range}`;
  const bytes = (/** @type {number} */ length, first = 0) =>
    Uint8Array.from({ length }, (_, i) => first + i);
  /** As the platform's. @param {Map<string, Response>} cache */
  const cacheOf = (cache) => ({
    keys: async () => [...cache.keys()].map((url) => ({ url })),
    match: async (/** @type {string} */ key) => cache.get(key)?.clone(),
    put: async (/** @type {string} */ key, /** @type {Response} */ response) => {
      if (cache.size === 5) throw new Error("full");
      cache.set(key, response);
    },
    delete: async (/** @type {string} */ key) => cache.delete(key),
  });
  const caches = {
    keys: async () => [...all.keys()],
    delete: async (/** @type {string} */ name) => all.delete(name),
    open: async (/** @type {string} */ name) => {
      if (!all.has(name)) all.set(name, new Map());
      return cacheOf(/** @type {Map<string, Response>} */ (all.get(name)));
    },
  };
  /** @param {string} version */
  async function open(version, most = 40) {
    Object.assign(globalThis, { caches });
    const store = await Store.open(address, version, most);
    assert.ok(store);
    return { store, cache: all.get(`phasor ${address.href} ${version}`) ?? new Map() };
  }

  test("is of one version: those of others are deleted, and of other files and programs are not", async () => {
    const others = [`phasor ${address.href}2 v1`, "another program"];
    for (const name of [...others, `phasor ${address.href} v0`]) all.set(name, new Map());
    await open("v1");
    const names = [...others, `phasor ${address.href} v1`];
    assert.deepEqual([...all.keys()], names);
    await open("v1");
    assert.deepEqual([...all.keys()], names);
  });

  test("returns the bytes of a piece, also where the file is opened again", async () => {
    const { store, cache } = await open("pieces");
    await store.keep(4, bytes(8, 4));
    cache.set(url("strange"), new Response());
    for (const each of [store, (await open("pieces")).store]) {
      assert.deepEqual(await each.find(4, 12), bytes(8, 4));
      assert.deepEqual(await each.find(6, 9), bytes(3, 6));
      assert.deepEqual([await each.find(3, 6), await each.find(10, 13)], [undefined, undefined]);
      assert.deepEqual([each.has(5, 12), each.has(5, 13)], [true, false]);
    }
  });

  test("keeps what is new and no larger than a quarter, and drops the oldest", async () => {
    const { store, cache } = await open("sizes");
    await store.keep(0, bytes(11));
    assert.equal(cache.size, 0);
    await store.keep(0, bytes(10));
    await store.keep(2, bytes(3));
    assert.deepEqual([...cache.keys()], [url("0-10")]);
    for (const begin of [10, 20, 30]) await store.keep(begin, bytes(10));
    assert.equal(cache.size, 4);
    await store.keep(40, bytes(1));
    assert.deepEqual([...cache.keys()], ["10-20", "20-30", "30-40", "40-41"].map(url));
    await store.keep(50, bytes(2));
    assert.ok(store.has(50, 52));
    await store.keep(60, bytes(1));
    await store.keep(70, bytes(1));
    assert.ok(!store.has(70, 71), "the storage is full");
  });

  test("forgets a piece that is gone, unreadable or of another size", async () => {
    const { store, cache } = await open("gone");
    for (const [begin, change] of /** @type {[number, () => unknown][]} */ ([
      [0, () => cache.delete(url("0-8"))],
      [10, () => cache.set(url("10-18"), new Response(bytes(9)))],
      [20, () => cache.set(url("20-28"), /** @type {any} */ ({ clone: () => ({}) }))],
    ])) {
      await store.keep(begin, bytes(8));
      change();
      assert.ok(store.has(begin, begin + 8));
      assert.equal(await store.find(begin, begin + 8), undefined);
      assert.ok(!store.has(begin, begin + 8));
    }
  });

  test("gives its pieces to a stream, between requests for what it lacks", async () => {
    Object.assign(globalThis, { caches });
    const MIB = 2 ** 20;
    /** @type {string[]} */
    const asked = [];
    const fetch = /** @type {any} */ (
      async (/** @type {string} */ _, /** @type {any} */ { headers }) => {
        const [first, last] = headers.Range.slice("bytes=".length).split("-").map(Number);
        asked.push(`${first / MIB}-${(last + 1) / MIB}`);
        const range = { "content-range": `bytes ${first}-${last}/${40 * MIB}`, etag: '"v1"' };
        return new Response(new Uint8Array(last + 1 - first), { status: 206, headers: range });
      }
    );
    const cache = { memory: 0, storage: 256 * MIB };
    const file = await remote(address.href, { fetch, cache });
    /** @param {number} begin @param {number} end  in pieces of 8 MiB */
    const stream = async (begin, end) => {
      let length = 0;
      asked.length = 0;
      const use = (/** @type {Uint8Array} */ chunk) => {
        length += chunk.length;
        assert.equal(chunk[0] + chunk[chunk.length - 1], 0, "what a caller writes is not kept");
        chunk.fill(9);
      };
      await file.slice(begin * 8 * MIB, end * 8 * MIB).each(use);
      assert.equal(length, (end - begin) * 8 * MIB);
      return [...asked];
    };
    assert.deepEqual(await stream(2, 3), ["16-24"]);
    assert.deepEqual(await stream(0, 5), ["0-16", "24-40"]);
  });

  test("is missing where the platform has none", async () => {
    Object.assign(globalThis, { caches: undefined });
    assert.equal(await Store.open(address, "v1", 40), undefined);
  });
});
