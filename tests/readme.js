/**
 * Runs documented code and compares what it says it gives:
 *
 *     table.at(1, 0) // 0.8414709568023682
 *
 *     table.toString()
 *     // [[0.         1.        ]
 *     //  [0.84147096 0.5403023 ]]
 *
 * A comment right after an expression is its value: as JavaScript writes it, or as it prints. After
 * `console.log(...)` it is what was printed. After an expression without a value it is prose.
 */
import assert from "node:assert/strict";
import { inspect, isDeepStrictEqual } from "node:util";
import ts from "typescript";
import { entry, Tensor } from "./phasor.js";

/** The name a program is given by, and where its module under test is. */
const PACKAGE = /^phasor(?=$|\/)/;

/**
 * The code blocks of a text in Markdown that are marked `js` and nothing else.
 * @param {string} markdown
 * @returns {string[]}
 */
export function blocks(markdown) {
  return Array.from(markdown.matchAll(/^```js\n([^]*?)^```$/gm), ([, source]) => source);
}

/**
 * Run programs one after the other; each sees what the ones before it declared.
 * @param {string[]} sources
 * @param {Record<string, unknown>} [scope]  names that are there from the start
 * @returns {Promise<number>} how many values were compared
 */
export async function check(sources, scope = {}) {
  /** @type {{expected: string, got: unknown, printed: string[] | undefined}[]} */
  const found = [];
  const tools = {
    ...scope,
    /** @param {string} specifier */
    $import: (specifier) => import(resolve(specifier)),
    /** @param {string} expected @param {() => unknown} evaluate */
    $value: async (expected, evaluate) => {
      /** @type {string[]} */
      const lines = [];
      const { log } = console;
      console.log = (...values) => void lines.push(values.map(shown).join(" "));
      try {
        found.push({ expected, got: await evaluate(), printed: lines });
      } finally {
        console.log = log;
      }
    },
  };
  const body =
    sources.map((source) => `{\n${prepare(source)}\n`).join("") + "}".repeat(sources.length);
  const AsyncFunction = /** @type {any} */ (Object.getPrototypeOf(async () => {}).constructor);
  await new AsyncFunction(...Object.keys(tools), `"use strict";\n${body}`)(...Object.values(tools));

  const values = found.filter(({ got, printed }) => got !== undefined || printed?.length);
  for (const { expected, got, printed } of values) {
    const lines = got === undefined ? printed : undefined;
    if (lines ? lines.join("\n") === expected : says(expected, got)) continue;
    assert.equal(lines ? lines.join("\n") : shown(got), expected);
  }
  return values.length;
}

/** Whether a comment names a value. @param {string} comment @param {unknown} value */
function says(comment, value) {
  if ([String(value), inspect(value)].includes(comment)) return true;
  const plain = value instanceof Tensor ? value.toArray() : value;
  try {
    return isDeepStrictEqual(new Function(`return (${comment})`)(), plain);
  } catch {
    return false; // not JavaScript
  }
}

/** @param {unknown} value */
function shown(value) {
  return value instanceof Tensor
    ? String(value)
    : typeof value === "string"
      ? value
      : inspect(value);
}

/** @param {string} specifier */
function resolve(specifier) {
  if (!PACKAGE.test(specifier)) return specifier;
  if (entry === "phasor") return specifier;
  return new URL(specifier === "phasor" ? entry : specifier.replace("phasor/", "./") + ".js", entry)
    .href;
}

/**
 * Imports become calls, and expressions with a comment after them report their value.
 * @param {string} source
 */
function prepare(source) {
  const file = ts.createSourceFile(
    "example.js",
    source,
    ts.ScriptTarget.Latest,
    true,
    ts.ScriptKind.JS,
  );
  let text = "";
  let done = 0;
  const replace = (/** @type {ts.Node} */ { pos, end }, /** @type {string} */ by) => {
    text += `${source.slice(done, pos)}\n${by}`;
    done = end;
  };
  for (const statement of file.statements) {
    if (ts.isImportDeclaration(statement)) {
      replace(statement, importCall(statement));
    } else if (ts.isExpressionStatement(statement)) {
      const comment = commentAfter(source, statement.end);
      if (comment === undefined) continue;
      const expression = statement.expression.getText();
      replace(statement, `await $value(${JSON.stringify(comment)}, async () => (${expression}));`);
    }
  }
  return text + source.slice(done);
}

/**
 * A program with calls in the place of its imports, so that it can stand in a block.
 * @param {string} source
 */
export function withCalls(source) {
  const { statements } = ts.createSourceFile("example.js", source, ts.ScriptTarget.Latest, true);
  return statements
    .filter(ts.isImportDeclaration)
    .reduceRight(
      (text, statement) =>
        text.slice(0, statement.getStart()) +
        importCall(statement, "import") +
        text.slice(statement.end),
      source,
    );
}

/** @param {ts.ImportDeclaration} statement @param {string} [by]  the function that imports */
function importCall({ importClause, moduleSpecifier }, by = "$import") {
  const call = `await ${by}(${moduleSpecifier.getText()});`;
  const bindings = importClause?.namedBindings;
  if (!bindings) return call;
  if (ts.isNamespaceImport(bindings)) return `const ${bindings.name.text} = ${call}`;
  const names = bindings.elements.map(({ propertyName, name }) =>
    propertyName ? `${propertyName.getText()}: ${name.text}` : name.text,
  );
  return `const { ${names.join(", ")} } = ${call}`;
}

/**
 * The comment at the end of a line and in the lines that follow.
 * @param {string} source @param {number} end  where the statement ends
 * @returns {string | undefined}
 */
function commentAfter(source, end) {
  const rest = source.slice(end);
  const [comment] = /^[ \t]*;?[ \t]*(\n?[ \t]*\/\/[^\n]*)(\n[ \t]*\/\/[^\n]*)*/.exec(rest) ?? [];
  return comment
    ?.trim()
    .replace(/^;\s*/, "")
    .split("\n")
    .map((line) => line.replace(/^\s*\/\/ ?/, "").trimEnd())
    .join("\n");
}
