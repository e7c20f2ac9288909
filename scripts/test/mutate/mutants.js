// Small changes of a source file, each of which a test should notice.

import ts from "typescript";

/**
 * @typedef {object} Mutant
 * @property {number} start @property {number} end  of the replaced text
 * @property {string} text  in its place
 * @property {string} of  where the expression or statement begins and ends that is another one then
 * @property {number} line  from 1 on
 * @property {string} what  for the reader: `a < b` becomes `a <= b`
 */

/** @type {Partial<Record<ts.SyntaxKind, string[]>>} */
const OPERATORS = {
  [ts.SyntaxKind.LessThanToken]: ["<=", ">="],
  [ts.SyntaxKind.LessThanEqualsToken]: ["<", ">"],
  [ts.SyntaxKind.GreaterThanToken]: [">=", "<="],
  [ts.SyntaxKind.GreaterThanEqualsToken]: [">", "<"],
  [ts.SyntaxKind.EqualsEqualsEqualsToken]: ["!=="],
  [ts.SyntaxKind.ExclamationEqualsEqualsToken]: ["==="],
  [ts.SyntaxKind.AmpersandAmpersandToken]: ["||"],
  [ts.SyntaxKind.BarBarToken]: ["&&"],
};

/** Whether a function ends with a `return undefined`: without it, it returns the same. @param {ts.ReturnStatement} node */
function isLast(node) {
  /** @type {ts.Node} */
  let last = node;
  while (node.expression?.getText() === "undefined") {
    const block = last.parent;
    if (!ts.isBlock(block) || block.statements.at(-1) !== last) return false;
    if (ts.isFunctionLike(block.parent)) return true;
    if (!ts.isCatchClause(block.parent)) return false;
    last = block.parent.parent;
  }
  return false;
}

/**
 * The mutants of a file: comparisons and `&&` and `||` exchanged, conditions negated, constants one more and
 * one less, and statements left out that throw, return or only call something.
 *
 * @param {string} source @param {string} [name]
 * @returns {Mutant[]} in the order of the file
 */
export function mutantsOf(source, name = "file.js") {
  const file = ts.createSourceFile(name, source, ts.ScriptTarget.Latest, true, ts.ScriptKind.JS);
  /** @type {Mutant[]} */
  const mutants = [];

  /** @param {ts.Node} node @param {string} text @param {ts.Node} [whole] */
  const replace = (node, text, whole = node) => {
    const [start, end] = [node.getStart(file), node.getEnd()];
    const line = file.getLineAndCharacterOfPosition(start).line + 1;
    const old = source.slice(start, end).replace(/\s+/g, " ");
    const short = (/** @type {string} */ code) =>
      code.length > 60 ? `${code.slice(0, 57)}...` : code;
    const what = text === ";" ? `without ${short(old)}` : `${short(old)} -> ${short(text)}`;
    const of = `${whole.getStart(file)}-${whole.getEnd()}`;
    mutants.push({ start, end, text, of, line, what });
  };

  /** @param {ts.Expression} condition */
  const negate = (condition) => replace(condition, `!(${condition.getText(file)})`);

  /** @param {ts.Node} node */
  const visit = (node) => {
    if (ts.isBinaryExpression(node)) {
      for (const text of OPERATORS[node.operatorToken.kind] ?? [])
        replace(node.operatorToken, text, node);
    } else if (ts.isNumericLiteral(node)) {
      const value = Number(node.text);
      for (const other of [value + 1, value - 1]) {
        if (other !== value) replace(node, other < 0 ? `(${other})` : String(other));
      }
    } else if (ts.isIfStatement(node) || ts.isWhileStatement(node)) negate(node.expression);
    else if (ts.isConditionalExpression(node)) negate(node.condition);
    else if (ts.isThrowStatement(node)) replace(node, ";");
    else if (ts.isReturnStatement(node) && !isLast(node)) replace(node, ";");
    else if (ts.isExpressionStatement(node) && ts.isCallExpression(node.expression)) {
      if (node.expression.expression.kind !== ts.SyntaxKind.SuperKeyword) replace(node, ";");
    } else if (
      ts.isPrefixUnaryExpression(node) &&
      node.operator === ts.SyntaxKind.ExclamationToken
    ) {
      replace(node, node.operand.getText(file));
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return mutants.sort((a, b) => a.start - b.start);
}

/**
 * The source with all changes in it: that of number i is made where `$` is i.
 * @param {string} source @param {string} name @param {string} from  the module that exports `$`
 */
export function switched(source, name, from) {
  const mutants = mutantsOf(source, name);
  const file = ts.createSourceFile(name, source, ts.ScriptTarget.Latest, true, ts.ScriptKind.JS);

  /** @param {number} start @param {number} end @param {ts.Node} node  whose children may have changes */
  const between = (start, end, node) => {
    let text = "";
    let at = start;
    ts.forEachChild(node, (child) => {
      text += source.slice(at, child.getStart(file)) + textOf(child);
      at = child.getEnd();
    });
    return text + source.slice(at, end);
  };
  /** @param {ts.Node} node @returns {string} */
  const textOf = (node) => {
    const [start, end] = [node.getStart(file), node.getEnd()];
    const inner = between(start, end, node);
    const own = mutants.flatMap((mutant, i) => (mutant.of === `${start}-${end}` ? [i] : []));
    if (own.length === 0) return inner;
    if (ts.isStatement(node)) return `{ if ($ !== ${own[0]}) ${inner} }`;
    const others = own.map((i) => {
      const changed = applied(source.slice(start, end), mutants[i], start);
      return `$ === ${i} ? ${changed} : `;
    });
    const text = `${others.join("")}${inner}`;
    return ts.isPropertyAssignment(node.parent) && node.parent.name === node
      ? `[${text}]`
      : `(${text})`;
  };
  return `import { $ } from ${JSON.stringify(from)}; ${between(0, source.length, file)}`;
}

/** A text with a change. @param {string} text @param {Mutant} mutant @param {number} [at]  where the text begins in the source */
export function applied(text, mutant, at = 0) {
  return text.slice(0, mutant.start - at) + mutant.text + text.slice(mutant.end - at);
}
