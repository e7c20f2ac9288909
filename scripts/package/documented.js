// The texts that editors show of types and of options: tsc leaves some where no editor looks.

import { dirname } from "node:path";

/** @typedef {import("typescript").Node} Node */
/** @typedef {import("./named-options.js").Edit} Edit */

/** An exported type that another file declares: `export type Tensor = import("./tensor.js").Tensor;` */
const OF_OTHER = /^export type (\w+)(?:<[^=]*>)? = import\("([^"]+)"\)\.(\w+)(<.*>)?;$/gm;

/**
 * Declarations in which a type of another file is exported from there, with its text.
 * @param {string} text @param {(name: string, from: string) => string} textOf  the comment of a type of another file
 */
export function withOrigins(text, textOf) {
  const code = text.replace(/\/\*[^]*?\*\//g, "");
  return text.replace(OF_OTHER, (line, name, from, there, given, at) => {
    if (given) return /\*\/\n$/.test(text.slice(0, at)) ? line : textOf(there, from) + line;
    const names = there === name ? name : `${there} as ${name}`;
    const isUsed = code.split(new RegExp(`\\b${name}\\b`)).length > (there === name ? 3 : 2);
    return isUsed
      ? `import type { ${names} } from "${from}";\nexport type { ${name} };`
      : `export type { ${names} } from "${from}";`;
  });
}

/** The comment of a type that a file declares. @param {string} text @param {string} name */
export function commentOf(text, name) {
  const found = new RegExp(
    `(/\\*\\*\\n(?: \\*.*\\n)+|/\\*\\*.*\\*/\\n)export (?:type|interface|class) ${name}\\b`,
  ).exec(text);
  return found?.[1] ?? "";
}

/**
 * The texts of options in a comment, by their names: of `@param [options.NAME] TEXT`, and of
 * ``@param [options]  `NAME`: TEXT; `OTHER`: TEXT``.
 * @param {string} comment
 * @returns {Map<string, string>}
 */
function partsOf(comment) {
  const plain = comment.replace(/^\/\*\*|\*\/$/g, "").replace(/^ *\* ?/gm, "");
  const [head, ...tags] = plain.split(/(?:^|\s)@(?=[a-z]+\b)/);
  /** @type {Map<string, string>} */
  const parts = new Map();
  for (const [, name, text] of head.matchAll(/;\s+`(\w+)`: ([^;]+)/g)) {
    parts.set(name, sentence(text));
  }
  for (const tag of tags) {
    const [, list] = /^param \[?\w+\]?\s+(`\w+`: [^]*)/.exec(tag) ?? [];
    for (const part of list?.split(/(?:^|;\s+)(?=`\w+`: )/) ?? []) {
      const [, name, text] = /^`(\w+)`: ([^]*)/.exec(part) ?? [];
      if (name) parts.set(name, sentence(text));
    }
    const [, whole, all] = /^param \[?(\w+)(?:=[^\]]*)?\]?\s+(\S[^]*)/.exec(tag) ?? [];
    if (whole && !list) parts.set(`${whole} alone`, sentence(all));
    const [, name, text] = /^param \[?\w+\.(\w+)(?:=[^\]]*)?\]?\s+(\S[^]*)/.exec(tag) ?? [];
    if (name) parts.set(name, sentence(text));
  }
  return parts;
}

/** A text in one line. @param {string} text */
const sentence = (text) => text.trim().replace(/\s+/g, " ");

/**
 * Declarations in which an option has the text that its function says of it.
 * @param {string} text @param {typeof import("typescript")} ts
 */
export function withTextsOfOptions(text, ts) {
  const source = ts.createSourceFile("", text, ts.ScriptTarget.Latest, true);
  /** @type {Edit[]} */
  const edits = [];
  /** @param {Node} node */
  const visit = (node) => {
    if (ts.isFunctionLike(node)) {
      // A function that is returned has its comment before the colon's type, a member before its name.
      const [owner] = [node.parent, node].filter((each) => ts.isPropertySignature(each) || each === node); // prettier-ignore
      const ranges = ts.getLeadingCommentRanges(text, owner.getFullStart()) ?? [];
      const comment = ranges.at(-1);
      const parts = comment ? partsOf(text.slice(comment.pos, comment.end)) : new Map();
      for (const { name, type } of parts.size > 0 ? node.parameters : []) {
        const kinds = type && ts.isUnionTypeNode(type) ? type.types : type ? [type] : [];
        const literals = kinds
          .flatMap((kind) => (ts.isIntersectionTypeNode(kind) ? kind.types : kind))
          .filter(ts.isTypeLiteralNode);
        const members = literals.flatMap((literal) => [...literal.members]);
        for (const member of members) {
          const alone = members.length < 3 ? parts.get(`${name.getText()} alone`) : undefined;
          const told = parts.get(String(member.name?.getText())) ?? alone;
          const isSilent = !text.slice(member.getFullStart(), member.getStart()).includes("/**");
          const at = member.getStart();
          if (told && isSilent) edits.push({ from: at, to: at, text: `/** ${told} */\n` });
        }
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return edits
    .sort((a, b) => b.from - a.from)
    .reduce((all, { from, text }) => all.slice(0, from) + text + all.slice(from), text);
}

/**
 * The texts of options that a set takes from other sets, for which tsc writes none: of the sets that its source spreads,
 * or those that all sets of its folder agree on.
 * @param {Iterable<{path: string, source: import("typescript").SourceFile}>} files
 * @param {(path: string) => string} sourceOf  the module of a declaration
 * @param {typeof import("typescript")} ts
 * @returns {(path: string, set: string, option: string) => string}
 */
export function textsOfSets(files, sourceOf, ts) {
  /** By a set or a folder, and an option. @type {Map<string, Set<string>>} */
  const texts = new Map();
  for (const { path, source } of files) {
    for (const statement of source.statements) {
      const [set] = ts.isVariableStatement(statement) ? statement.declarationList.declarations : [];
      const owners = [set?.name.getText() ?? "", dirname(path), dirname(dirname(path))];
      /** @param {Node} node */
      const visit = (node) => {
        if (ts.isPropertySignature(node) && /\bOption<|\bread:/.test(node.type?.getText() ?? "")) {
          const comment = source.text.slice(node.getFullStart(), node.getStart()).trim();
          for (const owner of comment ? owners : []) {
            const key = `${owner} ${node.name.getText()}`;
            texts.set(key, (texts.get(key) ?? new Set()).add(comment));
          }
        }
        ts.forEachChild(node, visit);
      };
      visit(statement);
    }
  }
  return (path, set, option) => {
    const [, body = ""] =
      new RegExp(`const ${set} = [^]*?optionSet\\(\\(\\) => \\(\\{([^]*?)\\n\\}\\)`).exec(
        sourceOf(path),
      ) ?? [];
    const spread = Array.from(body.matchAll(/\.\.\.(\w+)/g), ([, name]) => {
      const [, of = name] = new RegExp(`\\.\\.\\.${name} \\} = (\\w+)`).exec(sourceOf(path)) ?? [];
      return of;
    });
    const owners = [...spread, dirname(path), dirname(dirname(path))];
    const found = owners.map((owner) => [...(texts.get(`${owner} ${option}`) ?? [])]);
    return found.find((each) => each.length === 1)?.[0] ?? "";
  };
}
