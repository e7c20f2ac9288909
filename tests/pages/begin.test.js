import assert from "node:assert/strict";
import { test } from "node:test";
import { quoted, visible } from "../../web/app/models/label.js";
import { begin } from "../../web/app/text/begin.js";
import { label } from "../../web/app/text/tokens.js";
import { read } from "../../web/lessons/pieces/corpus.js";

test("begin: a text is cut between characters, wherever a page cuts one", () => {
  for (const character of ["\u{1f600}", "e\u0301", "\u{1f1ea}\u{1f1fa}", "\u1112\u1161\u11ab"]) {
    const points = Array.from(character).length;
    for (let before = 0; before < 60; ++before) {
      const text = "a".repeat(before) + character.repeat(300);
      const left = new RegExp(`^\u201c?(a*|a{${before}}(${character})*)(….*)?$`, "u");
      for (const cut of [label(text), visible(text), quoted(text), begin(text, 24)]) {
        assert.match(cut, left);
      }
      const kept = Array.from(begin(text, 24)).length;
      assert.ok(kept <= 24 && kept > 24 - points, `${kept} code points`);
    }
    const [{ pieces }] = read(`x${character.replace("\u{1f600}", "\u{20000}").repeat(20)}`);
    assert.equal((pieces.length - 1) % points, 0, "a corpus ends with a whole letter");
  }
  assert.equal(begin("e\u0301", 1), "e", "one character alone may be too long");
  assert.equal(begin("abc", 5), "abc");
});
