// Leaves out of the declarations what no entry's refer to: tsc writes those of every module with all that it exports.

import { dirname, relative } from "node:path";

/** @typedef {import("typescript").Node} Node */
/** @typedef {import("typescript").Statement} Statement */

/**
 * What a file declares and imports.
 * @typedef {object} File
 * @property {import("typescript").SourceFile} source
 * @property {Map<string, Set<Statement>>} own  the statements that declare a name
 * @property {Map<string, {from: string, name: string}>} imported  by local names; "*" stands for the whole module
 * @property {Map<string, {from?: string, name: string}>} exported  what is exported by another name, or from elsewhere
 * @property {Set<Statement>} kept
 * @property {Set<string>} used  local names of imports
 * @property {Set<string>} asked  names that others import
 */

/** @param {string} path @param {string} from  an import there */
export const joined = (path, from) =>
  relative(".", `${dirname(path)}/${from}`).replace(/(?<!\.d)\.[jt]s$/, ".d.ts");

/**
 * The declarations without statements that the entries do not need.
 * @param {ReadonlyMap<string, string>} texts  by their paths @param {readonly string[]} entries
 * @param {typeof import("typescript")} ts
 * @returns {Map<string, string>}
 */
export function reachable(texts, entries, ts) {
  const files = new Map([...texts].map(([path, text]) => [path, readFile(path, text, ts)]));

  /** Everything that a file exports. @param {string} path */
  const needAll = (path) => {
    const file = files.get(path);
    for (const name of file?.own.keys() ?? []) needOwn(path, name);
    for (const name of file?.exported.keys() ?? []) need(path, name);
  };

  /** @param {string} path @param {string} name  that it exports */
  const need = (path, name) => {
    const other = files.get(path)?.exported.get(name);
    files.get(path)?.asked.add(name);
    if (name === "*") needAll(path);
    else if (other?.from !== undefined) need(other.from, other.name);
    else needOwn(path, other?.name ?? name);
  };

  /** @param {string} path @param {string} name  in the file */
  const needOwn = (path, name) => {
    const file = files.get(path);
    const imported = file?.imported.get(name);
    if (imported && !file?.used.has(name)) {
      file?.used.add(name);
      need(imported.from, imported.name);
    }
    for (const statement of file?.own.get(name) ?? []) {
      if (file?.kept.has(statement)) continue;
      file?.kept.add(statement);
      visit(path, statement);
    }
  };

  /** @param {string} path @param {Node} node */
  const visit = (path, node) => {
    if (ts.isIdentifier(node)) needOwn(path, node.text);
    if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
      const from = joined(path, /** @type {any} */ (node.argument.literal).text);
      let first = /** @type {any} */ (node.qualifier);
      while (first?.left) first = first.left;
      need(from, first?.text ?? "*");
    }
    ts.forEachChild(node, (child) => visit(path, child));
  };

  for (const entry of entries) {
    needAll(entry);
    for (const statement of files.get(entry)?.source.statements ?? []) {
      files.get(entry)?.kept.add(statement);
    }
  }
  const found = [...files].filter(([, { kept, asked }]) => kept.size + asked.size > 0);
  return new Map(
    found.map(([path, file]) => [
      path,
      entries.includes(path) ? String(texts.get(path)) : printed(file, ts),
    ]),
  );
}

/** @param {string} path @param {string} text @param {typeof import("typescript")} ts @returns {File} */
function readFile(path, text, ts) {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  /** @type {File} */
  const file = {
    source,
    own: new Map(),
    imported: new Map(),
    exported: new Map(),
    kept: new Set(),
    used: new Set(),
    asked: new Set(),
  };
  /** @param {string} name @param {Statement} statement */
  const declare = (name, statement) =>
    file.own.set(name, (file.own.get(name) ?? new Set()).add(statement));
  for (const statement of source.statements) {
    if (ts.isImportDeclaration(statement)) {
      const from = joined(path, /** @type {any} */ (statement.moduleSpecifier).text);
      const { name, namedBindings: names } = statement.importClause ?? {};
      if (name) file.imported.set(name.text, { from, name: "default" });
      if (names && ts.isNamespaceImport(names))
        file.imported.set(names.name.text, { from, name: "*" });
      for (const each of names && ts.isNamedImports(names) ? names.elements : []) {
        file.imported.set(each.name.text, { from, name: (each.propertyName ?? each.name).text });
      }
    } else if (ts.isExportDeclaration(statement)) {
      const { moduleSpecifier, exportClause: names } = statement;
      const from = moduleSpecifier && joined(path, /** @type {any} */ (moduleSpecifier).text);
      for (const each of names && ts.isNamedExports(names) ? names.elements : []) {
        file.exported.set(each.name.text, { from, name: (each.propertyName ?? each.name).text });
      }
    } else if (ts.isVariableStatement(statement)) {
      for (const { name } of statement.declarationList.declarations)
        declare(name.getText(), statement);
    } else {
      const { name, modifiers } = /** @type {any} */ (statement);
      if (name) declare(name.text, statement);
      if (
        modifiers?.some((/** @type {Node} */ each) => each.kind === ts.SyntaxKind.DefaultKeyword)
      ) {
        if (name) file.exported.set("default", { name: name.text });
        else declare("default", statement);
      }
    }
  }
  return file;
}

/** What is left of a file. @param {File} file @param {typeof import("typescript")} ts */
function printed({ source, kept, used, asked }, ts) {
  const { text } = source;
  /** @type {string[]} */
  const parts = [];
  for (const statement of source.statements) {
    if (ts.isImportDeclaration(statement)) {
      const { name, namedBindings: names } = statement.importClause ?? {};
      const elements = names && ts.isNamedImports(names) ? [...names.elements] : [];
      const left = elements.filter((each) => used.has(each.name.text));
      const isWhole = left.length === elements.length;
      const others = [name, names && ts.isNamespaceImport(names) ? names.name : undefined];
      const isUsed = left.length > 0 || others.some((each) => each && used.has(each.text));
      if (isUsed && isWhole) parts.push(statement.getText());
      else if (isUsed) {
        const specifiers = left.map((each) => each.getText()).join(", ");
        parts.push(statement.getText().replace(/\{[^}]*\}/, `{ ${specifiers} }`));
      }
    } else if (ts.isExportDeclaration(statement)) {
      const names = statement.exportClause;
      const elements = names && ts.isNamedExports(names) ? [...names.elements] : [];
      const left = elements.filter((each) => asked.has(each.name.text));
      const specifiers = left.map((each) => each.getText()).join(", ");
      if (left.length > 0 || elements.length === 0) {
        parts.push(statement.getText().replace(/\{[^}]*\}/, `{ ${specifiers} }`));
      }
    } else if (kept.has(statement)) {
      const ranges = ts.getLeadingCommentRanges(text, statement.getFullStart()) ?? [];
      const from = ranges.at(-1)?.pos ?? statement.getStart();
      parts.push(text.slice(from, statement.getEnd()));
    }
  }
  return `${parts.join("\n")}\n`;
}
