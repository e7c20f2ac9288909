import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

/** @import { Page } from "./read.js" */

/** What nearly every program begins with. */
const COMMON = ["load", "figures"];

/**
 * The entries of the reference that a program calls, in its order: `sinusoidal.table(`, and what it imports by name.
 *
 * @param {string} program @param {readonly Page[]} pages
 * @returns {{ name: string, address: string }[]}  addresses within the reference
 */
export function entriesCalled(program, pages) {
  const lists = program.matchAll(/\b(?:import|const)\s*\{([^}]*)\}/g);
  const taken = new Set(Array.from(lists, ([, list]) => list.match(/\w+/g) ?? []).flat());
  const names = new Set(
    Array.from(program.matchAll(/(?<![\w.])(\w+(?:\.\w+)?)\(/g), ([, name]) => name),
  );
  return [...names]
    .filter((name) => taken.has(name.split(".")[0]) && !COMMON.includes(name))
    .flatMap((name) => {
      for (const page of pages) {
        const entry = page.entries.find((each) => each.kind === "function" && each.name === name);
        if (entry) return [{ name, address: `${page.name}/#${entry.id}` }];
      }
      return [];
    });
}

/**
 * The programs of a lesson by their names, as far as they are written in its script: what is put into them when the page
 * runs is left out.
 *
 * @param {string} folder  of the lesson
 * @returns {Map<string, string>}
 */
export function programsOf(folder) {
  const sources = readdirSync(folder)
    .filter((name) => name.endsWith(".js"))
    .map((name) => {
      const text = readFileSync(join(folder, name), "utf8");
      return ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.JS);
    });
  /** What has a name in the files, but not within a function. @type {Map<string, ts.Node>} */
  const declared = new Map();
  /** @type {ts.Node | undefined} */
  let code;
  for (const statement of sources.flatMap(({ statements }) => [...statements])) {
    if (ts.isFunctionDeclaration(statement) && statement.name) {
      declared.set(statement.name.text, statement);
    }
    if (ts.isVariableStatement(statement)) {
      for (const each of statement.declarationList.declarations) {
        if (ts.isIdentifier(each.name)) declared.set(each.name.text, each);
      }
    }
    code ??= codeOf(statement);
  }
  if (code && ts.isIdentifier(code)) code = declared.get(code.text);
  if (code && ts.isVariableDeclaration(code)) code = code.initializer;
  const programs = code && ts.isObjectLiteralExpression(code) ? code.properties : [];
  return new Map(
    [...programs].flatMap((each) => {
      const value = ts.isPropertyAssignment(each) ? each.initializer : each;
      return each.name ? [[nameOf(each.name), textsIn(value, declared)]] : [];
    }),
  );
}

/** The value of `code` in a call of `page`. @param {ts.Node} node @returns {ts.Node | undefined} */
function codeOf(node) {
  if (ts.isCallExpression(node) && node.expression.getText() === "page") {
    const [definition] = node.arguments;
    if (!definition || !ts.isObjectLiteralExpression(definition)) return undefined;
    const found = definition.properties.find((each) => each.name && nameOf(each.name) === "code");
    if (found && ts.isShorthandPropertyAssignment(found)) return found.name;
    return found && ts.isPropertyAssignment(found) ? found.initializer : undefined;
  }
  return ts.forEachChild(node, codeOf);
}

/** @param {ts.PropertyName} name */
const nameOf = (name) => (ts.isStringLiteral(name) ? name.text : name.getText());

/** The texts in a node and in what it names, once each. @param {ts.Node} from @param {Map<string, ts.Node>} declared */
function textsIn(from, declared) {
  /** @type {Set<ts.Node>} */
  const seen = new Set();
  /** @type {string[]} */
  const texts = [];
  /** @param {ts.Node} node */
  function visit(node) {
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node)) texts.push(node.text);
    if (ts.isTemplateMiddle(node) || ts.isTemplateTail(node)) texts.push(node.text);
    const named = ts.isIdentifier(node) ? declared.get(node.text) : undefined;
    if (named && !seen.has(named)) {
      seen.add(named);
      visit(named);
    }
    ts.forEachChild(node, visit);
  }
  visit(from);
  return texts.join("");
}
