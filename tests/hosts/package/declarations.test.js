// The declarations that ship keep what the reference says of each function, for the help of editors.

import assert from "node:assert/strict";
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
