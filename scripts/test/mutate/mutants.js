// Small changes of a source file, each of which a test should notice.

import ts from "typescript";

/**
 * @typedef {object} Mutant
 * @property {number} start @property {number} end  of the replaced text
 * @property {string} text  in its place
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

  /** @param {ts.Node} node @param {string} text */
  const replace = (node, text) => {
    const [start, end] = [node.getStart(file), node.getEnd()];
    const line = file.getLineAndCharacterOfPosition(start).line + 1;
    const old = source.slice(start, end).replace(/\s+/g, " ");
    const short = (/** @type {string} */ code) =>
      code.length > 60 ? `${code.slice(0, 57)}...` : code;
    const what = text === ";" ? `without ${short(old)}` : `${short(old)} -> ${short(text)}`;
    mutants.push({ start, end, text, line, what });
  };

  /** @param {ts.Expression} condition */
  const negate = (condition) => replace(condition, `!(${condition.getText(file)})`);

  /** @param {ts.Node} node */
  const visit = (node) => {
    if (ts.isBinaryExpression(node)) {
      for (const text of OPERATORS[node.operatorToken.kind] ?? [])
        replace(node.operatorToken, text);
    } else if (ts.isNumericLiteral(node)) {
      const value = Number(node.text);
      for (const other of [value + 1, value - 1]) {
        if (other !== value) replace(node, other < 0 ? `(${other})` : String(other));
      }
    } else if (ts.isIfStatement(node) || ts.isWhileStatement(node)) negate(node.expression);
    else if (ts.isConditionalExpression(node)) negate(node.condition);
    else if (ts.isThrowStatement(node) || ts.isReturnStatement(node)) replace(node, ";");
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

/** The source with a change. @param {string} source @param {Mutant} mutant */
export function applied(source, { start, end, text }) {
  return source.slice(0, start) + text + source.slice(end);
}
