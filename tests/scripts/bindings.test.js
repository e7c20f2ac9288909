import assert from "node:assert/strict";
import { test } from "node:test";
import { declarationsOf, shortNames } from "../../scripts/bindings.js";

const code = `
int line(Ptr slopes, Size H, double first, bool causal,
         std::uint32_t seed_low, Ptr in) {
  return 0;
}

void clear() {}

EMSCRIPTEN_BINDINGS(alibi) {
  emscripten::function("alibi_line", &line);
  emscripten::function("alibi_clear", &clear);
}
`;

test("bindings: the types of JavaScript follow the signatures of C++", () => {
  assert.deepEqual(declarationsOf(code), [
    "alibi_line(slopes: number, H: number, first: number, causal: boolean, seedLow: number, from: number): number",
    "alibi_clear(): void",
  ]);
});

test("bindings: an undefined function, or a parameter without a name, is an error", () => {
  assert.throws(() => declarationsOf(code.replace("void clear", "void other")), /alibi_clear must/);
  assert.throws(() => declarationsOf(code.replace("Ptr in", "Ptr")), /must be TYPE NAME; got/);
});

test("bindings: the package calls every function of the core by a short, separate name", () => {
  const names = shortNames();
  const short = Object.values(names);
  assert.ok(short.length > 50 && Object.hasOwn(names, "sinusoidal_table"));
  assert.equal(new Set(short).size, short.length);
  for (const name of short) assert.match(name, /^[a-z][a-z0-9]$/);
});
