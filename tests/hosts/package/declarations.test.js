// The declarations that ship keep what the reference says of each function, for the help of editors.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import ts from "typescript";
import { readReference } from "../../../web/reference/read.js";
import { project } from "../../../scripts/setup/setup.js";

test("declarations: the comment of each function is that of the reference, with its example", async () => {
  /** The type of what `load` gives, of the default entry and of those apart from it. @type {Record<string, string>} */
  const types = { "index.d.ts": "Phasor", "ngrams/index.d.ts": "Ngrams", "lab/index.d.ts": "Lab" };
  const paths = Object.keys(types).map((path) => join(project, "dist/types", path));
  const options = { target: ts.ScriptTarget.ESNext, noEmit: true, types: [] };
  const program = ts.createProgram(paths, options);
  const checker = program.getTypeChecker();
  const loaded = Object.values(types).map((wanted, i) => {
    const file = program.getSourceFile(paths[i]);
    const entry = file && checker.getSymbolAtLocation(file);
    assert.ok(entry);
    const exports = checker.getExportsOfModule(entry);
    const type = exports.find(({ name }) => name === wanted);
    assert.ok(type);
    return { exports, modules: checker.getDeclaredTypeOfSymbol(type) };
  });
  /** @param {ts.Type} type @param {string} name */
  const property = (type, name) => {
    const symbol = type.getProperty(name);
    assert.ok(symbol, name);
    return checker.getTypeOfSymbol(symbol);
  };
  const functions = (await readReference())
    .filter(({ family }) => family !== "entries")
    .flatMap((page) => page.entries.map((entry) => ({ page, entry })))
    .filter(({ entry }) => entry.kind === "function");
  assert.ok(functions.length > 20);
  const silent = functions.filter(({ entry, page }) => {
    const from = loaded.find(({ modules }) => modules.getProperty(page.title));
    assert.ok(from, page.title);
    const owner = property(from.modules, page.title);
    const free = from.exports.find(({ name }) => name === entry.id); // such as summarize of phasor/lab
    const type = free
      ? checker.getTypeOfSymbol(free)
      : entry.name === page.title
        ? owner
        : entry.id.split(".").reduce(property, owner);
    const [signature] = type.getCallSignatures();
    const text = ts.displayPartsToString(signature.getDocumentationComment(checker));
    const tags = signature.getJsDocTags().map(({ name }) => name);
    return !text.startsWith(entry.text.split("\n")[0]) || !tags.includes("example");
  });
  assert.deepEqual(
    silent.map(({ entry }) => entry.name),
    [],
  );
});

const types = join(project, "dist/types");
const { exports } = JSON.parse(readFileSync(join(project, "package.json"), "utf8"));
const declared = Array.from(JSON.stringify(exports).matchAll(/dist\/types\/([^"]+\.d\.ts)/g));
const entries = [...new Set(declared.map(([, path]) => join(types, path)))];
const program = ts.createProgram(entries, {
  target: ts.ScriptTarget.ESNext,
  lib: ["lib.esnext.d.ts", "lib.dom.d.ts"],
  noEmit: true,
  strict: true,
  types: [],
});
const checker = program.getTypeChecker();

/** @param {ts.Symbol} symbol */
const textOf = (symbol) => ts.displayPartsToString(symbol.getDocumentationComment(checker));

/** What the entries export, as "entry name". @returns {[string, ts.Symbol][]} */
const exported = () =>
  entries.flatMap((path) => {
    const file = program.getSourceFile(path);
    const module = file && checker.getSymbolAtLocation(file);
    return (module ? checker.getExportsOfModule(module) : []).map((symbol) => {
      const isAlias = symbol.flags & ts.SymbolFlags.Alias;
      const found = isAlias ? checker.getAliasedSymbol(symbol) : symbol;
      return /** @type {[string, ts.Symbol]} */ ([
        `${path.slice(types.length)} ${symbol.name}`,
        found,
      ]);
    });
  });

/**
 * Visits what can be reached from the exports: members, parameters and results.
 * @param {(type: ts.Type, path: string) => void} visit
 */
function visitAll(visit) {
  const seen = new Set();
  /** @param {ts.Type} type @param {string} path @param {number} depth */
  const walk = (type, path, depth) => {
    if (depth > 7 || seen.has(type)) return;
    seen.add(type);
    visit(type, path);
    for (const signature of type.getCallSignatures()) {
      const result = checker.getReturnTypeOfSignature(signature);
      walk(result, `${path}()`, depth + 1);
      for (const inner of checker.getTypeArguments(/** @type {any} */ (result)) ?? []) {
        walk(inner, `${path}()`, depth + 1);
      }
    }
    for (const property of type.getProperties()) {
      const from = property.declarations?.[0].getSourceFile().fileName ?? "";
      if (from.startsWith(types)) {
        walk(checker.getTypeOfSymbol(property), `${path}.${property.name}`, depth + 1);
      }
    }
  };
  for (const [name, symbol] of exported()) {
    if (symbol.flags & ts.SymbolFlags.Value) walk(checker.getTypeOfSymbol(symbol), name, 0);
    if (symbol.flags & ts.SymbolFlags.Type) walk(checker.getDeclaredTypeOfSymbol(symbol), name, 0);
  }
}

test("declarations: everything that is exported has a text, and every option of a function", () => {
  assert.ok(exported().length > 300, `${exported().length}`);
  const named = exported().filter(([name]) => !/core\.wasm/.test(name));
  assert.deepEqual(named.filter(([, symbol]) => !textOf(symbol)).map(([name]) => name), []); // prettier-ignore
  let options = 0;
  /** @type {string[]} */
  const silent = [];
  visitAll((type, path) => {
    for (const signature of type.getCallSignatures()) {
      for (const parameter of signature.getParameters()) {
        const isRest = parameter.declarations?.some(
          (each) => ts.isParameter(each) && each.dotDotDotToken,
        );
        if (isRest || !/^(options|given)$/.test(parameter.name)) continue;
        const given = checker.getNonNullableType(checker.getTypeOfSymbol(parameter));
        for (const option of given.getProperties()) {
          ++options;
          if (!textOf(option)) silent.push(`${path}: ${option.name}`);
        }
      }
    }
  });
  assert.ok(options > 1000, `${options} options`);
  assert.deepEqual(silent, []);
});

test("declarations: a function's options have a name, not the type that declares them", () => {
  const long = new Set();
  let functions = 0;
  visitAll((type, path) => {
    for (const signature of type.getCallSignatures()) {
      const shown = checker.signatureToString(signature);
      ++functions;
      if (/OptionSet<|OptionsOf</.test(shown)) long.add(`${path}: ${shown.slice(0, 80)}`);
    }
  });
  assert.ok(functions > 500, `${functions} functions`);
  assert.deepEqual([...long], []);
});

test("declarations: `using` takes what has dispose, and `await using` what is in a worker", () => {
  const there = /** @type {Set<string>} */ (new Set());
  const wrong = /** @type {Set<string>} */ (new Set());
  visitAll((type, path) => {
    const dispose = type.getProperty("dispose");
    if (!dispose) return;
    there.add(path.replace(/.* /, ""));
    const shown = checker.typeToString(checker.getTypeOfSymbol(dispose));
    const names = type.getProperties().map(({ name }) => name);
    const wanted = ["dispose", ...(shown.includes("Promise") ? ["asyncDispose"] : [])];
    for (const name of wanted) {
      if (!names.some((each) => each.startsWith(`__@${name}@`))) wrong.add(`${path}: ${name}`);
    }
  });
  const made = ["embedding.create", "embedding.quantize", "rope.cache", "nearest.index"];
  const whats = [...made, "skipgram.create", "lab.decoder"].map((name) => `load().${name}()`);
  for (const what of [...whats, "load()", "pool()", "open().explore()", "mount()"]) {
    assert.ok(there.has(what), `${what} of ${[...there].join(", ")}`);
  }
  assert.deepEqual([...wrong], []);
});
