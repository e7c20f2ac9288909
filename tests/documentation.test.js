// Every public function says what it is, what it takes and gives, and where it is from: the reference
// of the site and the help of editors are made of it.

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import ts from "typescript";
import { legible } from "../scripts/build.js";
import { readReference } from "../web/reference/read.js";
import { project } from "../scripts/setup.js";

/** @import { Entry, Named, Page, TypeText } from "../web/reference/read.js" */

const pages = readReference();
const entries = pages.flatMap((page) => page.entries.map((entry) => ({ page, entry })));
const functions = entries.filter(({ entry }) => entry.kind === "function");

/** @param {TypeText} type */
const written = (type) =>
  type.map((part) => (typeof part === "string" ? part : part.name)).join("");

/** Whether something is said of it. @param {Named} named @returns {boolean} */
const isTold = ({ text, byDefault, options }) =>
  text !== "" || byDefault !== "" || (options.length > 0 && options.every(isTold));

/** What holds for all, or the names of those for which it does not. @param {{entry: Entry, page: Page}[]} list @param {(entry: Entry, page: Page) => unknown} holds */
function all(list, holds) {
  assert.ok(list.length > 20);
  const bad = list.filter(({ entry, page }) => !holds(entry, page));
  assert.deepEqual(
    bad.map(({ entry }) => `${entry.file}: ${entry.name}`),
    [],
  );
}

test("documentation: every function, class and type begins with what it is", () => {
  all(entries, ({ text }) => text !== "");
});

test("documentation: every parameter and every option has a word or a default", () => {
  all(functions, ({ parameters }) => parameters.every(isTold));
});

test("documentation: every result has words, and a tensor its shape", () => {
  all(functions, ({ type }) => written(type) !== "");
  all(functions, ({ type, returns }) => written(type) === "void" || returns !== "");
  const tensors = functions.filter(({ entry }) => /\bTensor\b/.test(written(entry.type)));
  all(tensors, ({ returns, text }) => /\[.*\]|\bshapes?\b/i.test(`${returns} ${text}`));
});

test("documentation: every function that takes something says when it throws", () => {
  const taking = functions.filter(({ entry }) => entry.parameters.length > 0);
  all(taking, ({ throws }) => throws.length > 0 && throws.every(({ text }) => text !== ""));
});

test("documentation: every function has an example that shows a value", () => {
  all(functions, ({ examples }) => examples.some((example) => /\/\/ \S/.test(example)));
});

test("documentation: every function names its paper, or whose code it follows", () => {
  all(functions, ({ source }, page) => source !== "" || page.source !== "");
});

test("documentation: what objects and classes have is told, and so are its options", () => {
  const members = entries.flatMap(({ page, entry }) =>
    entry.members.map((member) => ({ page, entry: member })),
  );
  all(members, ({ text }) => text !== "");
  all(members, ({ parameters }) =>
    parameters.every(({ options }) => options.length === 0 || options.every(isTold)),
  );
});

test("documentation: the declarations keep it, for the help of editors", () => {
  const program = withDeclarations(`
    import { load } from "phasor";
    export const phasor = await load();
  `);
  const checker = program.getTypeChecker();
  const file = program.getSourceFile(join(project, "src/consumer.ts"));
  const module = file && checker.getSymbolAtLocation(file);
  assert.ok(module);
  const [phasor] = checker.getExportsOfModule(module);
  const modules = checker.getTypeOfSymbol(phasor);
  /** @param {ts.Type} type @param {string} name */
  const property = (type, name) => {
    const symbol = type.getProperty(name);
    assert.ok(symbol, name);
    return checker.getTypeOfSymbol(symbol);
  };
  const silent = functions
    .filter(({ page }) => page.family !== "entries")
    .filter(({ entry, page }) => {
      const owner = property(modules, page.title);
      const type = entry.name === page.title ? owner : property(owner, entry.id);
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

/**
 * A program of a user with the package's declarations, all in memory.
 * @param {string} consumer
 */
function withDeclarations(consumer) {
  const config = join(project, "tsconfig.types.json");
  const stop = { ...ts.sys, onUnRecoverableConfigFileDiagnostic() {} };
  const read = ts.getParsedCommandLineOfConfigFile(config, {}, stop);
  assert.ok(read);
  /** @type {Map<string, string>} */
  const declarations = new Map([[join(project, "src/consumer.ts"), consumer]]);
  ts.createProgram(read.fileNames, read.options).emit(undefined, (name, text) => {
    declarations.set(name, legible(text));
  });
  const options = {
    ...read.options,
    ...{ allowJs: false, checkJs: false, noEmit: true, emitDeclarationOnly: false },
    paths: { phasor: ["./src/index.d.ts"] },
  };
  const host = ts.createCompilerHost(options);
  const { fileExists, getSourceFile } = host;
  host.fileExists = (name) => declarations.has(name) || fileExists(name);
  host.getSourceFile = (name, ...rest) => {
    const text = declarations.get(name);
    return text === undefined
      ? getSourceFile(name, ...rest)
      : ts.createSourceFile(name, text, ts.ScriptTarget.ESNext, true);
  };
  return ts.createProgram([join(project, "src/consumer.ts")], options, host);
}
