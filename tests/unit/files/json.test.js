import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Json } from "../../../src/files/json.js";
import { FileError } from "./entry.js";

/** Whether a function of the text accepts all of it. @param {string} text @param {(json: Json) => void} read */
function accepts(text, read) {
  const json = new Json(text, "TEST");
  try {
    read(json);
    json.end();
    return true;
  } catch (error) {
    assert.ok(error instanceof FileError, String(error));
    return false;
  }
}

/** @param {string} text */
function isJson(text) {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const samples = [
  '{"a": [1, -2.5e+3, 0.1E-2, true, false, null], "b": {"": "x\\u0041\\n\\"\\\\"}}',
  ' [ [ ] , { } , "é😀" ,\t"\\/\\b\\f\\r\\t" ]\r\n',
  '"\\\\\\""',
  "-0",
  '{"a":{"b":{"c":[{},[],""]}}}',
];
/** The signs that JSON is made of, and some that it is not. */
const signs = '{}[]",:\\ \t\n\r\0\x1f\x7f019-+.eEtrufalsn/x\u00a0\ufeff\u2028'.split("");

describe("ignore", () => {
  test("accepts what JSON.parse accepts, of every text that is one character away", () => {
    let [accepted, refused] = [0, 0];
    for (const sample of samples) {
      for (let at = 0; at <= sample.length; ++at) {
        const [before, after] = [sample.slice(0, at), sample.slice(at)];
        const texts = [before, before + after.slice(1)];
        for (const sign of signs) texts.push(before + sign + after, before + sign + after.slice(1));
        for (const text of texts) {
          const isAccepted = accepts(text, (json) => json.ignore());
          assert.equal(isAccepted, isJson(text), JSON.stringify(text));
          if (isAccepted) ++accepted;
          else ++refused;
        }
      }
    }
    assert.ok(accepted > 1000 && refused > 5000, `${accepted} and ${refused}`);
  });

  test("ends where value ends", () => {
    for (const sample of samples) {
      const [ignoring, reading] = [0, 1].map(() => new Json(`${sample} , 7`, "TEST"));
      ignoring.ignore();
      reading.value();
      assert.equal(ignoring.skip(), reading.skip());
    }
  });

  test("accepts 64 levels and rejects 65, without recursing deeper, as value does", () => {
    for (const [open, last, close] of [
      ["[", "[]", "]"],
      ["[", "{}", "]"],
      ['{"a":', "[]", "}"],
      ['{"a":', "{}", "}"],
    ]) {
      const nested = (/** @type {number} */ levels) =>
        open.repeat(levels - 1) + last + close.repeat(levels - 1);
      for (const read of /** @type {const} */ (["ignore", "value"])) {
        assert.ok(accepts(nested(64), (json) => void json[read]()));
        for (const levels of [65, 100_000]) {
          assert.ok(!accepts(nested(levels), (json) => void json[read]()));
        }
      }
    }
  });
});

test("a number has at most 63 characters", () => {
  const long = (/** @type {number} */ count) => `0.${"1".repeat(count - 2)}`;
  for (const read of [
    (/** @type {Json} */ json) => json.number(),
    (/** @type {Json} */ json) => json.ignore(),
  ]) {
    assert.ok(accepts(long(63), read));
    assert.ok(!accepts(long(64), read));
  }
});

test("Python's NaN and infinities are numbers, built or not, and no other word is", () => {
  const text = '[NaN, {"NaN": -Infinity}, "Infinity", [Infinity]]';
  const value = new Json(text, "TEST").value();
  assert.deepEqual(value, [NaN, new Map([["NaN", -Infinity]]), "Infinity", [Infinity]]);
  assert.ok(accepts(text, (json) => json.ignore()));
  for (const word of "nan inf -NaN +Infinity NaN0 1NaN Infinity1 -Infinit --Infinity".split(" ")) {
    for (const read of ["value", "ignore", "number"]) {
      assert.ok(!accepts(word, (json) => void (/** @type {any} */ (json)[read]())), word);
    }
  }
  for (const wrong of ["{NaN:1}", "[NaN,]"]) assert.ok(!accepts(wrong, (json) => json.ignore()));
  assert.throws(() => new Json("NaN", "TEST").integer(), FileError);
});

test("an error within a string gives the position of the start of the string", () => {
  for (const read of [
    (/** @type {Json} */ json) => json.string(),
    (/** @type {Json} */ json) => json.ignore(),
  ]) {
    for (const text of ['  "ab\n', '  "ab\\x"', '  "ab']) {
      const message = /^header must have a well-formed string at character 2; got "\\"ab/;
      assert.throws(() => read(new Json(text, "TEST")), { code: "TEST_HEADER", message });
    }
  }
});

test("a record names the keys that it takes, and checks the values of others", () => {
  const read = (/** @type {string} */ text) =>
    new Json(text, "TEST").record({ a: () => 0, b: () => 0 });
  const other = 'header must have a number at character 5; got "x}"';
  assert.throws(() => read('{"c":x}'), { code: "TEST_HEADER", message: other });
  const all = 'header must have all the keys a, b at character 1; got "{}"';
  assert.throws(() => read(" {}"), { code: "TEST_HEADER", message: all });
});

describe("limits of built values:", () => {
  const many = (/** @type {number} */ count) => `[${Array(count).fill("0").join()}]`;
  const keys = (/** @type {number} */ count) =>
    `{${Array.from({ length: count }, (_, i) => `"${i}":0`).join()}}`;

  test("value builds at most 65,536 values", () => {
    assert.ok(accepts(many(65_535), (json) => void json.value()));
    assert.ok(!accepts(many(65_536), (json) => void json.value()));
    assert.ok(!accepts(`{"a":[${many(60_000)},${many(6000)}]}`, (json) => void json.value()));
  });

  test("object accepts at most 65,536 keys, or the given number", () => {
    const read = (/** @type {number | undefined} */ most) => (/** @type {Json} */ json) =>
      void json.object(() => json.integer(), most);
    assert.ok(accepts(keys(65_536), read(undefined)));
    assert.ok(!accepts(keys(65_537), read(undefined)));
    assert.ok(accepts(keys(65_537), read(65_537)));
    assert.ok(!accepts(keys(3), read(2)));
  });
});
