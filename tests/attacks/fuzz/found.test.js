// What fuzzing found once, and the tools that find it.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { atNight } from "../../sample.js";
import { fuzz } from "./fuzz.js";
import { compared } from "./python.js";
import { caseOf, judged, restored, targetOf, targets, written } from "./attack.js";

const folder = new URL("found/", import.meta.url);

describe("fuzz: fixed bugs stay fixed", () => {
  for (const file of readdirSync(folder)) {
    test(file, async () => {
      const { target, ...input } = JSON.parse(readFileSync(new URL(file, folder), "utf8"));
      const { broken } = await judged(targetOf(target), { input: restored(input) });
      assert.equal(broken, undefined);
    });
  }
});

describe("fuzz: the files that reach most of the readers are read or refused by the rules", () => {
  const corpus = new URL("corpus/", import.meta.url);
  for (const file of readdirSync(corpus)) {
    test(file, async () => {
      const target = targets.find(({ name }) => `${name.replace(/\W/g, "-")}.jsonl` === file);
      assert.ok(target);
      for (const line of readFileSync(new URL(file, corpus), "utf8").trimEnd().split("\n")) {
        const { broken } = await judged(target, { input: restored(JSON.parse(line)) });
        assert.equal(broken, undefined, line);
      }
    });
  }
});

describe("fuzz: a case is a function of its target, seed and index", () => {
  for (const target of targets) {
    test(target.name, () => {
      for (const index of [0, 1, 77, 4000]) {
        const text = JSON.stringify(written(caseOf(target, 5, index).input));
        assert.equal(JSON.stringify(written(caseOf(target, 5, index).input)), text);
        assert.equal(JSON.stringify(written(restored(JSON.parse(text)))), text, "as a fixture");
      }
    });
  }
});

describe("fuzz: a reader that breaks a law is found", () => {
  /** @param {Partial<import("./targets/laws.js").Target>} changes */
  const broken = async (changes) => {
    const target = { ...targetOf("safetensors"), ...changes };
    for (let index = 0; index < 500; ++index) {
      const outcome = await judged(target, caseOf(target, 3, index));
      if (outcome.broken) return outcome.broken;
    }
    return undefined;
  };
  const { read } = targetOf("safetensors");

  test("a reader that keeps the laws is not reported", async () =>
    assert.equal(await broken({}), undefined));

  test("another error", async () => {
    const failing = async (/** @type {any} */ input) => {
      if (input[8] !== 0x7b) throw new TypeError("Cannot read properties of undefined");
      return read(input);
    };
    assert.match(String(await broken({ read: failing })), /^another error/);
  });

  test("a result that is not in the file", async () => {
    const lying = async (/** @type {any} */ input) => {
      const { tensors } = await read(input);
      return { tensors: tensors.slice(1) };
    };
    assert.match(String(await broken({ read: lying })), /not what the file says/);
  });

  test("a valid file that is rejected", async () => {
    const strict = async (/** @type {any} */ input) => read(input.subarray(1));
    assert.match(String(await broken({ read: strict })), /well-formed file is refused/);
  });

  /** @param {string} name @param {number} [patience] */
  const watched = async (name, patience = 500) => {
    const limits = { seconds: 3, threads: 1, patience, heap: 48 };
    const { found } = await fuzz({ seed: 1, names: [name], ...limits });
    assert.ok(found.length > 0);
    return found[0];
  };

  test("one that never returns", atNight, async () => {
    const { target, index, broken } = await watched("one that never returns");
    assert.deepEqual([target, index, broken], ["one that never returns", 0, "no end after 500 ms"]);
  });

  test("one that uses all memory", atNight, async () => {
    const { broken } = await watched("one that uses all memory", 60_000);
    assert.match(broken, /the thread ended: .*memory/);
  });
});

test("fuzz: a shape in double quotes is what the header says", async () => {
  const header = `{'descr': '|u1', 'fortran_order': False, "shape": (2,), }\n`;
  const start = [0x93, ...Buffer.from("NUMPY"), 1, 0, header.length, 0];
  const input = Uint8Array.from([...start, ...Buffer.from(header), 3, 4]);
  const { isAccepted, broken } = await judged(targetOf("npy"), { input });
  assert.deepEqual({ isAccepted, broken }, { isAccepted: true, broken: undefined });
});

test("fuzz: Python's reader rejects repeated keys only where it reads them", async () => {
  const differs = async (/** @type {string} */ text) => {
    const hex = Buffer.from(text).toString("hex");
    const got = { tokens: ["a"] };
    const line = { target: "t", kind: "tokenizer", index: 0, isAccepted: true, got, hex };
    const { found } = await compared([JSON.stringify(line)]);
    return found.map(({ broken }) => broken);
  };
  const repeated = ["Python's reader differs: ValueError: a repeated key"];
  assert.deepEqual(
    await differs('{"model": {"vocab": {"a": 0}, "merges": [{"b": 1, "b": 2}]}}'),
    [],
  );
  assert.deepEqual(await differs('{"model": {"vocab": {"a": 1, "a": 0}}}'), []); // the last counts
  assert.equal((await differs('{"model": {"vocab": {"a": 0, "a": 1}}}')).length, 1);
  assert.deepEqual(await differs('{"model": {"vocab": {"a": 0}, "vocab": {"a": 0}}}'), repeated);
});
