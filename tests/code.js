/** What tests of the structure read of JavaScript sources: imports, and functions with their lengths. */
import { createRequire } from "node:module";

/** @import TypeScript from "typescript" */
/** By `require`: `import` would first look through nine megabytes for names of exports. @type {typeof import("typescript")} */
const ts = createRequire(import.meta.url)("typescript");

/** @param {string} code */
export function imports(code) {
  const plain = code.replace(/\/\*[\s\S]*?\*\//g, "");
  return [...plain.matchAll(/(?<![."])\b(?:from|import)\s*\(?\s*["']([^"']+)["']/g)].map(
    ([, name]) => name,
  );
}

/**
 * A cycle of a graph as the names on it, or undefined if there is none.
 * @param {Map<string, Set<string>>} edges
 */
export function cycle(edges) {
  /** @type {string[]} */
  const path = [];
  const done = new Set();
  /** @param {string} node @returns {string[] | undefined} */
  const visit = (node) => {
    if (path.includes(node)) return [...path.slice(path.indexOf(node)), node];
    if (done.has(node)) return undefined;
    path.push(node);
    for (const next of edges.get(node) ?? []) {
      const found = visit(next);
      if (found) return found;
    }
    path.pop();
    done.add(node);
    return undefined;
  };
  for (const node of edges.keys()) {
    const found = visit(node);
    if (found) return found;
  }
  return undefined;
}

/** Without documentation, which takes as long to parse as the code. @param {string} path @param {string} code */
function parse(path, code) {
  const how = { languageVersion: ts.ScriptTarget.Latest, jsDocParsingMode: ts.JSDocParsingMode.ParseNone }; // prettier-ignore
  return ts.createSourceFile(path, code, how, true);
}

const COMMENT = /\/\*[^]*?\*\/|\/\/.*/g;
/** The lines that hold more than comments. @param {TypeScript.SourceFile} file */
function codedLines(file) {
  const { FirstLiteralToken: first, LastTemplateToken: last } = ts.SyntaxKind; // those between are literals too
  let [plain, at] = ["", 0];
  /** The text up to a literal, or to the end, with empty lines for its comments. @param {number} [end] */
  const code = (end) => file.text.slice(at, end).replace(COMMENT, (all) => all.replace(/.+/g, ""));
  /** @param {TypeScript.Node} node @returns {void} */
  const visit = (node) => {
    if (node.kind < first || node.kind > last) return ts.forEachChild(node, visit);
    plain += code(node.getStart(file));
    plain += node.getText(file).replace(/^.*$/gm, "x"); // all lines of a template count
    at = node.end;
  };
  visit(file);
  plain += code();
  return new Set(plain.split("\n").flatMap((line, i) => (/\S/.test(line) ? [i] : [])));
}

/**
 * The functions of a source with their lines of code, without comments and blank lines: those that are their own,
 * without the functions that they declare, and all.
 * @param {string} path @param {string} code
 * @returns {{name: string, line: number, lines: number, all: number}[]}
 */
export function functions(path, code) {
  const file = parse(path, code);
  const lineOf = (/** @type {number} */ at) => file.getLineAndCharacterOfPosition(at).line;
  const coded = codedLines(file);
  /** @type {{name: string, line: number, lines: number, all: number}[]} */
  const found = [];
  /** @param {TypeScript.Node} node @param {Set<number> | undefined} outer  lines of the function around it */
  const visit = (node, outer) => {
    if (!isFunction(node)) return void ts.forEachChild(node, (child) => visit(child, outer));
    const own = new Set();
    for (let l = lineOf(node.getStart(file)); l <= lineOf(node.end); ++l)
      if (coded.has(l)) own.add(l);
    const all = own.size;
    if (isNamed(node)) for (const l of own) outer?.delete(l);
    ts.forEachChild(node, (child) => visit(child, own));
    const name = nameOf(node, file);
    found.push({ name, line: lineOf(node.getStart(file)) + 1, lines: own.size, all });
  };
  visit(file, undefined);
  return found;
}

/**
 * The calls of `output` and `outputInt32` in a source, with what is wrong about what becomes of the result.
 * @param {string} path @param {string} code
 * @returns {{line: number, fault: string | undefined}[]}
 */
export function outputs(path, code) {
  if (!/\boutput(Int32)?\b/.test(code)) return []; // parsing takes long
  const file = parse(path, code);
  /** @type {{line: number, fault: string | undefined}[]} */
  const found = [];
  /** @param {TypeScript.Node} node */
  const visit = (node) => {
    if (ts.isCallExpression(node) && /^output(Int32)?$/.test(node.expression.getText(file))) {
      const line = file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1;
      found.push({ line, fault: faultOf(node) });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** What is wrong about the use of a result. @param {TypeScript.CallExpression} call @returns {string | undefined} */
function faultOf(call) {
  const { parent } = call;
  if (ts.isPropertyAccessExpression(parent) && parent.name.text === "done") return undefined;
  const declaration = ts.findAncestor(parent, ts.isVariableDeclaration);
  if (!declaration || !ts.isIdentifier(declaration.name)) return "it has no name";
  const name = declaration.name.text;
  const given = call.arguments[0].getText();
  let isDone = false;
  let isBypassed = false;
  /** @param {TypeScript.Node} node */
  const visit = (node) => {
    if (ts.isNewExpression(node) && node.expression.getText() === "Tensor") {
      const from = /^\w+/.exec(node.arguments?.[0]?.getText() ?? "")?.[0];
      isBypassed ||= from === name || from === given;
    }
    if (ts.isIdentifier(node) && node.text === name && node !== declaration.name) {
      // A function that is passed the whole result finishes it; reading another member does not.
      const { parent } = node;
      const member = ts.isPropertyAccessExpression(parent) ? parent.name.text : "done";
      isDone ||= member === "done" && !ts.isVariableDeclaration(parent);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.findAncestor(declaration, isFunction) ?? call.getSourceFile());
  if (isBypassed) return "new Tensor takes its numbers";
  return isDone ? undefined : "it is never done";
}

/** @param {TypeScript.Node} node @returns {node is TypeScript.FunctionLikeDeclaration} */
function isFunction(node) {
  return ts.isFunctionLike(node) && "body" in node && node.body !== undefined;
}

/** Whether it is a separate declaration rather than an argument. @param {TypeScript.Node} node */
function isNamed({ parent, kind }) {
  const isExpression =
    kind === ts.SyntaxKind.ArrowFunction || kind === ts.SyntaxKind.FunctionExpression;
  return !isExpression || ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent);
}

/** @param {TypeScript.FunctionLikeDeclaration} node @param {TypeScript.SourceFile} file */
function nameOf(node, file) {
  const { parent } = node;
  const outer = ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent) ? parent : node;
  return outer.name?.getText(file) ?? "an anonymous function";
}
