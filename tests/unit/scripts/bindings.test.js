import assert from "node:assert/strict";
import { test } from "node:test";
import { kernelsOf, shortNames, writers } from "../../../scripts/package/bindings.js";

const code = `
int line(Ptr slopes, Size H, double first, bool causal,
         std::uint32_t seed_low, Ptr in) {
  return 0;
}

void clear() {}

struct Tile {
  Ptr rows;     // of a table
  Size count;
};

/// Not the numbers one by one.
struct Scan {
  Tile tile;
  alibi::Rule rule;
  int new_H, end;
  double share;
  Flag causal;
};

int scan(const Scan& a) { return 0; }

EMSCRIPTEN_BINDINGS(alibi) {
  emscripten::function("alibi_line", &line);
  emscripten::function("alibi_clear", &clear);
  emscripten::function("alibi_scan", &scan);
}
`;

const header = `
namespace phasor::alibi {
enum class Kind : std::int32_t {
  kOne = 0,
};
struct Rule {
  Kind kind = Kind::kOne;
  double base;  // > 0
};
}
`;

test("bindings: the types of JavaScript follow the signatures of C++", () => {
  assert.deepEqual(
    kernelsOf(code, "alibi", [header]).map(({ declaration }) => declaration),
    [
      "alibi_line(slopes: number, H: number, first: number, causal: boolean, seedLow: number, from: number): number",
      "alibi_clear(): void",
      "alibi_scan(a: AlibiScan): number",
    ],
  );
});

test("bindings: an undefined function, or a parameter without a name, is an error", () => {
  const of = (/** @type {string} */ code) => () => kernelsOf(code, "alibi", [header]);
  assert.throws(of(code.replace("void clear", "void other")), /alibi_clear must/);
  assert.throws(of(code.replace("Ptr in", "Ptr")), /must be TYPE NAME; got/);
  assert.throws(of(code.replace("double share", "float share")), /Scan must be a number .* float/);
  assert.throws(
    of(code.replace("alibi::Rule", "alibi::Other")),
    /Scan must be a number or a block/,
  );
});

test("bindings: a block is written where the compiler reads each field", async () => {
  const [, , scan] = kernelsOf(code, "alibi", [header]);
  const { blocks } = await import(`data:text/javascript,${encodeURIComponent(writers([scan]))}`);
  const heap = new ArrayBuffer(128);
  const HEAP32 = new Int32Array(heap);
  const HEAPF64 = new Float64Array(heap);
  /** @type {number[]} */
  const sizes = [];
  const raw = {
    HEAP32,
    HEAPF64,
    _malloc: (/** @type {number} */ bytes) => (sizes.push(bytes), 16),
  };
  const { alibi_scan } = blocks(raw, { alibi_scan: (/** @type {number} */ at) => at });
  const tile = { rows: 2 ** 32 - 8, count: 3 };
  const rule = { kind: 7, base: 0.1 };
  assert.equal(alibi_scan({ tile, rule, newH: 5, end: -1, share: Infinity, causal: true }), 16);
  // C++: tile at 0, kind 8, base 16, newH 24, end 28, share 32, causal 40, and 4 bytes to a multiple of 8.
  assert.deepEqual(sizes, [48]);
  assert.deepEqual([...HEAP32.subarray(4, 7)], [-8, 3, 7]);
  assert.deepEqual([HEAPF64[4], HEAP32[10], HEAP32[11], HEAPF64[6]], [0.1, 5, -1, Infinity]);
  assert.equal(HEAP32[14], 1);
});

test("bindings: an entry whose kernels take numbers alone has no memory for blocks", async () => {
  const [line] = kernelsOf(code, "alibi", [header]);
  const { blocks } = await import(`data:text/javascript,${encodeURIComponent(writers([line]))}`);
  assert.deepEqual(blocks({}, {}), {});
});

test("bindings: the package calls every function of the core by a short, separate name", () => {
  const names = shortNames();
  const short = Object.values(names);
  assert.ok(short.length > 50 && Object.hasOwn(names, "sinusoidal_table"));
  assert.equal(new Set(short).size, short.length);
  for (const name of short) assert.match(name, /^[a-z][a-z0-9]$/);
});
