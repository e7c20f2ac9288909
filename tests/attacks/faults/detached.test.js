// Arrays that go away while a call reads its options: it throws, or gives what it gives without that; the core
// stays sound, and the next call gives the same bits.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { calls } from "../../calls.js";
import { fingerprint } from "../../truth/fingerprint.js";
import { load, optionsOf } from "../../phasor.js";
import { copied, hooked, parted, withOut } from "./hooked.js";

/** Every array in some value. @param {any} value @param {Set<ArrayBuffer>} [found] */
function buffersIn(value, found = new Set()) {
  if (ArrayBuffer.isView(value)) found.add(/** @type {ArrayBuffer} */ (value.buffer));
  else if (typeof value === "object" && value !== null) {
    for (const each of Object.values(value)) buffersIn(each, found);
  }
  return found;
}

/** Moves buffers away, as sending them to a worker does. @param {Iterable<ArrayBuffer>} buffers */
function detach(buffers) {
  for (const buffer of buffers)
    if (buffer.byteLength > 0) structuredClone(buffer, { transfer: [buffer] });
}

/**
 * Options one of which, when it is read, moves buffers away. What is read before and after it keeps its value.
 * @param {any} given @param {string} trap @param {() => void} spring
 */
function trapped(given, trap, spring) {
  const value = given[trap];
  const copy = { ...given };
  Object.defineProperty(copy, trap, {
    enumerable: true,
    get() {
      spring();
      return value;
    },
  });
  return copy;
}

const phasor = await load({ shared: false });

/**
 * @param {string} name @param {(own: Function, args: any[], result: any) => void} attack  of each call of a module's function
 */
async function survives(name, attack) {
  const want = fingerprint(await calls[name](phasor));
  const attacked = hooked(phasor, (own, args) => {
    const result = own(...args);
    attack(own, args, result);
    return result;
  });
  assert.equal(fingerprint(await calls[name](attacked)), want, "calls between");
  assert.equal(fingerprint(await calls[name](phasor)), want, "the next call");
}

/** Whatever it throws, the core goes on. @param {() => unknown} work */
function mayThrow(work) {
  try {
    work();
  } catch (/** @type {any} */ error) {
    assert.ok(error instanceof TypeError || error instanceof RangeError, String(error));
    assert.notEqual(error.name, "CoreError", error.message);
  }
}

describe("faults: out is detached while the options are read", () => {
  let functions = 0;
  for (const name of Object.keys(calls)) {
    test(name, async () => {
      await survives(name, (own, args, result) => {
        const declared = optionsOf(own);
        const taken = "out" in declared && withOut(own, args, result);
        if (!taken) return;
        ++functions;
        for (const trap of Object.keys(declared)) {
          const options = { ...taken.given, out: copied(taken.out) };
          const spring = () => detach(buffersIn(options.out));
          mayThrow(() => own(...taken.before, trapped(options, trap, spring)));
        }
      });
    });
  }
  test("by a sample of functions", () => assert.ok(functions >= 60, `${functions} calls`));
});

describe("faults: an argument is detached while the options are read", () => {
  for (const name of Object.keys(calls)) {
    test(name, async () => {
      await survives(name, (own, args) => {
        const declared = optionsOf(own);
        for (const trap of Object.keys(declared)) {
          const copy = copied(args);
          const { before, given } = parted(own, copy);
          const spring = () => detach(buffersIn(copy));
          mayThrow(() => own(...before, trapped(given, trap, spring)));
        }
      });
    });
  }
});
