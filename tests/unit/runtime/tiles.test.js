// Tiles of 64 bytes, so that the calls of tests/calls.js take several: the same bits as in one tile, also where the result
// overwrites what is still to be read.
import assert from "node:assert/strict";
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { calls, drawn } from "../../calls.js";
import { entry, optionsOf, phasor } from "../../phasor.js";
import { fingerprint } from "../../truth/fingerprint.js";
import { hooked, parted, withOut } from "../../attacks/faults/hooked.js";

/** The size of a tile in src/runtime/memory.js, as the bundle has it. */
const TILE = /\b(1 ?<< ?18|262144)\b/g;

/** @type {typeof import("phasor")} */
const small = await inSmallTiles();

/** The package under test with small tiles, as a file that is removed afterwards. */
async function inSmallTiles() {
  const path = fileURLToPath(import.meta.resolve(entry));
  const folder = mkdtempSync(join(tmpdir(), "phasor-tiles-"));
  after(() => rmSync(folder, { recursive: true }));
  const core = join(path, "..", "core.wasm"); // of a quick bundle
  if (existsSync(core)) copyFileSync(core, join(folder, "core.wasm"));
  const code = readFileSync(path, "utf8");
  assert.equal(code.match(TILE)?.length, 1, "the size of a tile is in the bundle once");
  writeFileSync(join(folder, "index.mjs"), code.replace(TILE, "64"));
  return import(pathToFileURL(join(folder, "index.mjs")).href);
}

const tiled = await small.load();

/** What tests/calls.js leaves out. @type {typeof calls} */
const further = {
  "rope.apply, axis -3": async ({ rope }) =>
    rope.apply(drawn(0, [2, 7, 3, 22]), await rope.table(7, 18), { axis: -3, dim: 18 }),
  "rope.apply, a table for each text": async ({ rope }) =>
    rope.apply(drawn(0, [2, 2, 3, 22]), await rope.table(drawn(1, [2, 3]), 22)),
  "attention.scaledDotProduct, a bias": ({ attention }) => {
    const [q, k, v] = [1, 2, 3].map((seed) => drawn(seed, [2, 9, 6]));
    return attention.scaledDotProduct({ q, k, v }, { causal: true, bias: drawn(4, [2, 9, 9]) });
  },
  "shaw.scores, a sum": async ({ shaw }) => {
    const options = { index: await shaw.index(7, 2), add: drawn(3, [2, 7, 7]) };
    return shaw.scores(drawn(1, [2, 7, 5]), drawn(2, [2, 5, 5]), options);
  },
  "normalize.rmsNorm, a weight": ({ normalize }) =>
    normalize.rmsNorm(drawn(1, [5, 7]), { weight: drawn(2, [7]) }),
  "pooling.apply, a mask": ({ pooling }) => {
    const mask = Array.from({ length: 5 }, (_, b) => [0, 1, 2].map((t) => Number(t !== b)));
    const modes = /** @type {const} */ (["cls", "mean", "max", "weighted", "last"]);
    return modes.map((mode) => pooling.apply(drawn(1, [5, 3, 7]), { mask, mode }));
  },
};
const samples = { ...calls, ...further };

/** A hook that also calls each function with every value of each option that has a few. @param {string[]} found  results */
const withChoices = (found) => (/** @type {any} */ own, /** @type {any[]} */ args) => {
  const { before, given } = parted(own, args);
  const isOptional = Object.keys(given).length === 0; // the last argument, perhaps
  for (const [option, { type, values = [false, true] }] of Object.entries(optionsOf(own))) {
    if (type !== "choice" && type !== "boolean") continue;
    for (const value of values) {
      for (const more of isOptional ? [[], [undefined]] : [[]]) {
        found.push(outcome(() => own(...before, ...more, { ...given, [option]: value })));
      }
    }
  }
  return own(...args);
};

/** A fingerprint, or what was thrown. @param {() => unknown} work */
function outcome(work) {
  try {
    return fingerprint(work());
  } catch (error) {
    return String(error);
  }
}

describe("tiles: results have the same bits whatever the size of a tile, with every choice", () => {
  for (const [name, call] of Object.entries(samples)) {
    if (name === "pca") continue; // the sums of a tile are rounded before those of the next are added
    test(name, async () => {
      const [want, found] = [/** @type {string[]} */ ([]), /** @type {string[]} */ ([])];
      want.push(fingerprint(await call(hooked(phasor, withChoices(want)))));
      found.push(fingerprint(await call(hooked(tiled, withChoices(found)))));
      assert.deepEqual(found, want);
    });
  }
});

/**
 * The arrays of numbers in some arguments, each with a function that puts another in its place.
 * @param {any} value @param {(other: any) => any} put
 * @returns {[array: any, put: (other: any) => any][]}
 */
function arraysIn(value, put) {
  if (ArrayBuffer.isView(value)) return [[value, put]];
  if (typeof value !== "object" || value === null) return [];
  if (value.data && value.shape) {
    return [[value.data, (data) => put({ data, shape: value.shape, dtype: value.dtype })]];
  }
  if (!Array.isArray(value) && Object.getPrototypeOf(value) !== Object.prototype) return [];
  return Object.entries(value).flatMap(([key, each]) =>
    arraysIn(each, (other) => {
      const all = Array.isArray(value) ? [...value] : { ...value };
      /** @type {any} */ (all)[key] = other;
      return put(all);
    }),
  );
}

/**
 * An array at the beginning of memory, or in it, and a result that begins some numbers before or after it.
 * @param {any} array @param {any} result @param {number} by
 */
function overlapping(array, result, by) {
  const Kind = array.constructor;
  const own = array.length * array.BYTES_PER_ELEMENT;
  const shift = by * 4;
  const buffer = new ArrayBuffer(own + result.byteLength + Math.abs(shift));
  const copy = new Kind(buffer, Math.max(0, -shift), array.length);
  copy.set(array);
  return { copy, out: new result.constructor(buffer, Math.max(0, shift), result.length) };
}

describe("overlaps: a result that overwrites an input of several tiles has the same bits", () => {
  for (const [name, call] of Object.entries(samples)) {
    test(name, async () => {
      /** @type {any} */
      let failure;
      const hook = (/** @type {any} */ own, /** @type {any[]} */ args) => {
        const result = own(...args);
        if (failure === undefined && !(result instanceof Promise))
          failure = attempt(own, args, result);
        return result;
      };
      await call(/** @type {any} */ (hooked(/** @type {any} */ (tiled), hook)));
      assert.equal(failure, undefined);
    });
  }
});

let overlaps = 0;

/**
 * What went wrong with a call whose result overlaps each of its arrays.
 * @param {any} own @param {any[]} args @param {any} result
 * @returns {string | undefined}
 */
function attempt(own, args, result) {
  const call = withOut(own, args, result);
  if (!call) return undefined;
  const { before, given, out } = call;
  const expected = fingerprint(result);
  const outs = ArrayBuffer.isView(out) ? [["", out]] : Object.entries(out);
  for (const [array, put] of arraysIn([before, given], (all) => all)) {
    if (array.BYTES_PER_ELEMENT !== 4 || array.length === 0) continue;
    for (const [part, target] of /** @type {[string, any][]} */ (outs)) {
      for (const by of [0, 1, -1, 5, -5, 16, -16, array.length >> 1]) {
        const { copy, out: filled } = overlapping(array, target, by);
        const [first, options] = put(copy);
        const into = part === "" ? filled : { ...out, [part]: filled };
        let got;
        try {
          got = own(...first, { ...options, out: into });
        } catch (error) {
          if (/overlap|share/.test(String(error))) continue;
          return `${own.name}: ${error}`;
        }
        overlaps += 1;
        if (fingerprint(got) !== expected)
          return `${own.name}: out at ${by} of ${array.length} numbers`;
      }
    }
  }
  return undefined;
}

test("overlaps: there were some", (t) => {
  t.diagnostic(`${overlaps} results that overlap an argument`);
  assert.ok(overlaps > 300);
});
