import assert from "node:assert/strict";
import { test } from "node:test";
import { parsed } from "../../../src/runtime/json.js";

const MOST = 2 ** 10;

/** What a function returns, or that it throws. @param {() => unknown} of */
const tried = (of) => {
  try {
    return { value: of() };
  } catch (error) {
    assert.ok(error instanceof SyntaxError, String(error));
    return "not JSON";
  }
};

test("text with Python's NaN is read as JSON.parse reads it with a number there, whatever it is", () => {
  const samples = [
    '{"a": [NaN, -2.5e+3, 0.1E-2, true, false, null], "b": {"": "x\\u0041\\n\\"\\\\NaN"}}',
    ' [ [ ] , { } , "\u00e9\u{1f600}" ,\t"\\/\\b\\f\\r\\t" , NaN ]\r\n',
    '{"__proto__":{"b":[{},[],""]},"a":NaN,"1":1,"a":"\\\\","0":NaN}',
    "NaN",
  ];
  const signs = '{}[]",:\\ \t\n\r\0\x1f\x7f019-+.eEtfn/xNI\u00a0\ufeff\u2028'.split("");
  const known = { read: 0, refused: 0 };
  for (const sample of samples) {
    for (let at = 0; at <= sample.length; ++at) {
      const [before, after] = [sample.slice(0, at), sample.slice(at)];
      const texts = [before, before + after.slice(1)];
      for (const sign of signs) texts.push(before + sign + after, before + sign + after.slice(1));
      for (const text of texts) {
        // 5e-324 where NaN is, and a number that is none where it is part of a longer word.
        const plain = text.replaceAll(/"(?:[^"\\]|\\.)*"|NaN/gs, (token) =>
          token === "NaN" ? "5e-324" : token,
        );
        const want = tried(() => JSON.parse(plain, (_, value) => (value === 5e-324 ? NaN : value)));
        if (/5e-324[\d.eE]|[\d.\-eE]5e-324/.test(plain)) continue; // parts of another number
        assert.deepEqual(tried(() => parsed(text, MOST)), want, JSON.stringify(text)); // prettier-ignore
        known[want === "not JSON" ? "refused" : "read"] += 1;
      }
    }
  }
  assert.ok(known.read > 1000 && known.refused > 5000, JSON.stringify(known));
});

test("Python's three words are numbers as values, and nothing else is", () => {
  const text = '{"a": [NaN,Infinity, -Infinity], "NaN": "Infinity, NaN", "b": {"c": -Infinity}}';
  const found = { a: [NaN, Infinity, -Infinity], NaN: "Infinity, NaN", b: { c: -Infinity } };
  assert.deepEqual(parsed(text, MOST), found);
  for (const word of ["NaN", "Infinity", "-Infinity", " NaN "]) {
    assert.ok(Object.is(parsed(word, MOST), Number(word)));
  }
  const others =
    "nan inf -inf infinity NAN INFINITY -NaN +NaN +Infinity --Infinity 1NaN NaN1 NaN.0 1Infinity -1Infinity Infinity1 Infinity.5 NaNNaN NaN-Infinity InfinityInfinity";
  for (const other of [...others.split(" "), "- Infinity", "NaN NaN", "In finity", "\u00a0NaN"]) {
    for (const wrong of [other, `[${other}]`, `{"a":${other}}`, `{"a":1,"b":[NaN,${other}]}`]) {
      assert.throws(() => parsed(wrong, MOST), SyntaxError, wrong);
    }
  }
  for (const wrong of [
    "{NaN:1}",
    "{Infinity:1}",
    "[NaN,]",
    "[,NaN]",
    "[NaN}",
    '{"a":NaN,}',
    "NaN]",
  ]) {
    assert.throws(() => parsed(wrong, MOST), SyntaxError, wrong);
  }
});

test("an error names its place, and the limits are those of other JSON", () => {
  assert.throws(() => parsed('{"a": NaN,\n oops}', MOST), /^SyntaxError: .*position 12$/);
  assert.throws(() => parsed('{"a": NaN', MOST), /^SyntaxError: Unexpected end of JSON input$/);
  for (const text of ["[NaN,".repeat(MOST), '{"a":NaN,"b":'.repeat(MOST)]) {
    assert.throws(() => parsed(text, MOST), /^SyntaxError: more than 1024 values$/);
  }
  for (const [open, close] of [
    ["[", "]"],
    ['{"a":', "}"],
  ]) {
    const nested = (/** @type {number} */ n) => `${open.repeat(n)}NaN${close.repeat(n)}`;
    assert.ok(parsed(nested(512), MOST));
    for (const n of [513, 1e6]) {
      assert.throws(() => parsed(nested(n), 2e6), /^SyntaxError: more than 512 levels$/);
    }
  }
});
