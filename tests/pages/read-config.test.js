import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { endOf, readConfig } from "../../web/app/read-config.js";

/** @param {string} text */
function refused(text) {
  try {
    readConfig(text);
  } catch (error) {
    return /** @type {Error} */ (error).message;
  }
  return "";
}

test("readConfig says where a text stops being JSON, also where the engine does not", () => {
  const cases = /** @type {[string, string][]} */ ([
    ["oops", 'in line 1, column 1: "oops"'],
    ['{"a": oops}', 'in line 1, column 7: "oops}"'],
    ['{\n  "a": 1,\n  "b": [1, 2,]\n}', 'in line 3, column 14: "]"'],
    ['{"a": 1,}', 'in line 1, column 9: "}"'],
    ['{"a" 1}', 'in line 1, column 6: "1}"'],
    ['{"a": 01}', 'in line 1, column 7: "01}"'],
    ['{"a": "x\ny"}', 'in line 1, column 7: "\\"x"'],
    ["{'a': 1}", "in line 1, column 2: \"'a': 1}\""],
    ['{"a": 1} {', 'in line 1, column 10: "{"'],
    ['{"a": True}', 'in line 1, column 7: "True}"'],
    ['{"a": [1, {"b": 2]}', 'in line 1, column 18: "]}"'],
    ['{"a": NaN, "b": [-Infinity', "at its end"],
    ['{"model_type": ', "at its end"],
    ["{", "at its end"],
  ]);
  for (const [text, place] of cases)
    assert.equal(refused(text), `config must be JSON; got something else ${place}`, text);
  assert.equal(refused(" \n"), "config must be the text of a config.json; got nothing");
  assert.match(refused("[]"), /^models\.fromConfig: config must be an object/);
});

test("endOf reads JSON to its end, and no farther than a sign that no JSON has", () => {
  fc.assert(
    fc.property(fc.json(), fc.nat(), (text, n) => {
      assert.equal(endOf(text), text.length);
      assert.equal(endOf(`${text} x`), text.length + 1);
      const cut = text.slice(0, n % (text.length + 1));
      const end = endOf(`${cut}\u0001`);
      assert.ok(end <= cut.length, cut);
      assert.equal(endOf(`${cut}\u0001${text}`), end, cut);
    }),
    { seed: 1 },
  );
});
