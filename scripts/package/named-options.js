// Options as interfaces. tsc writes what `optionSet` infers: the type of an object of options with their defaults, which
// editors would show before the first word of a function's text. A caller sees an interface with a name instead.

import { basename, dirname } from "node:path";
import { textsOfSets } from "./documented.js";
import { joined } from "./reachable.js";

/** @typedef {import("typescript").Node} Node */
/** @typedef {typeof import("typescript")} Ts */
/** @typedef {{path: string, text: string, source: import("typescript").SourceFile}} File */

/**
 * What is cut out of a text, and what comes there.
 * @typedef {{from: number, to: number, text: string}} Edit
 */

/** @param {string} words  SCALED_DOT_PRODUCT, embedding_bag */
const pascal = (words) =>
  words.toLowerCase().replace(/(?:^|[_-])(\w)/g, (_, letter) => letter.toUpperCase());

/**
 * The name of the options that a file declares as `set`: RopeTableOptions of TABLE in rope/rope.js.
 * @param {string} path  of the declarations @param {string} set
 */
function nameOf(path, set) {
  const [folder, file] = [dirname(path), path].map((each) => pascal(basename(each, ".d.ts")));
  const own = pascal(set);
  const isOfFolder = [folder, "Index"].includes(file) || own.startsWith(file);
  const owner = isOfFolder ? folder : folder + file;
  return `${own.startsWith(owner) ? own : owner + own}Options`;
}

/** @param {string} text @param {readonly Edit[]} edits */
function edited(text, edits) {
  let result = text;
  for (const { from, to, text } of [...edits].sort((a, b) => b.from - a.from)) {
    result = result.slice(0, from) + text + result.slice(to);
  }
  return result;
}

/** The members of OptionSet<{...}>, if a type is that. @param {Node | undefined} type @param {Ts} ts */
function membersOf(type, ts) {
  if (!type || !ts.isTypeReferenceNode(type) || !/\bOptionSet$/.test(type.typeName.getText()))
    return undefined;
  const [declared] = type.typeArguments ?? [];
  return declared && ts.isTypeLiteralNode(declared) ? declared.members : undefined;
}

/** What callers may pass as an option. @param {Node} member @param {Ts} ts */
function givenOf(member, ts) {
  if (!ts.isPropertySignature(member) || !member.type) return undefined;
  if (ts.isTypeReferenceNode(member.type)) return member.type.typeArguments?.at(-1)?.getText();
  if (!ts.isTypeLiteralNode(member.type)) return undefined;
  const given = member.type.members.find((each) => each.name?.getText() === "given");
  return given && ts.isPropertySignature(given) ? given.type?.getText() : undefined;
}

/** A type with undefined, which stands for the default: exactOptionalPropertyTypes refuses it otherwise. @param {string} type */
const orUndefined = (type) =>
  /(?:^|\| )undefined$/.test(type)
    ? type
    : `${type.includes("=>") ? `(${type})` : type} | undefined`;

/**
 * An interface of what callers may pass.
 * @param {string} name @param {readonly Node[]} members @param {File} file
 * @param {(option: string) => string} textOf  of an option that has none @param {Ts} ts
 */
function interfaceOf(name, members, { text }, textOf, ts) {
  const lines = members.map((member) => {
    const given = givenOf(member, ts);
    if (given === undefined) {
      throw new Error(`${name} must declare options; got ${member.getText()}`);
    }
    const option = /** @type {import("typescript").PropertySignature} */ (member).name.getText();
    const own = text.slice(member.getFullStart(), member.getStart()).trim();
    const comment = own || textOf(option);
    return `    ${comment && `${comment}\n    `}${option}?: ${orUndefined(given)};\n`;
  });
  return `/** Options of a call; each may be left out. */\nexport interface ${name} {\n${lines.join("")}}\n`;
}

/** The sets that a file declares, by their names. @param {File} file @param {Ts} ts */
function setsOf({ source }, ts) {
  /** @type {Map<string, readonly Node[]>} */
  const own = new Map();
  for (const statement of source.statements) {
    if (!ts.isVariableStatement(statement)) continue;
    const [{ name, type }] = statement.declarationList.declarations;
    const members = membersOf(type, ts);
    if (members) own.set(name.getText(), members);
  }
  return own;
}

/** From where a file imports a name. @param {File} file @param {string} name @param {Ts} ts */
function originOf({ path, source }, name, ts) {
  for (const statement of source.statements) {
    if (!ts.isImportDeclaration(statement)) continue;
    const named = statement.importClause?.namedBindings;
    if (!named || !ts.isNamedImports(named)) continue;
    if (!named.elements.some((each) => each.name.getText() === name)) continue;
    const from = /** @type {import("typescript").StringLiteral} */ (statement.moduleSpecifier).text;
    return { from, path: joined(path, from) };
  }
  return undefined;
}

/**
 * Replaces the types of options in all declarations.
 * @param {ReadonlyMap<string, string>} texts  by their paths
 * @param {(path: string) => string} sourceOf  the module of a declaration @param {Ts} ts
 */
export function withNamedOptions(texts, sourceOf, ts) {
  const files = [...texts].map(([path, text]) => ({
    path,
    text,
    source: ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true),
  }));
  const textOf = textsOfSets(files, sourceOf, ts);
  const declared = new Map(files.map((file) => [file.path, setsOf(file, ts)]));
  /** The interfaces and imports that files get. @type {Map<string, Set<string>>} */
  const added = new Map(files.map(({ path }) => [path, new Set()]));

  /** The interface that stands for a set. @param {File} file @param {Node | undefined} set */
  const named = (file, set) => {
    const inline = membersOf(set, ts);
    if (inline) {
      const name = nameOf(file.path, basename(file.path, ".d.ts"));
      added
        .get(file.path)
        ?.add(interfaceOf(name, inline, file, (option) => textOf(file.path, "", option), ts));
      return name;
    }
    if (!set || !ts.isTypeQueryNode(set)) return undefined;
    const name = set.exprName.getText();
    const isOwn = declared.get(file.path)?.has(name);
    const origin = isOwn ? { from: "", path: file.path } : originOf(file, name, ts);
    const home = files.find(({ path }) => path === origin?.path);
    const members = home && declared.get(home.path)?.get(name);
    if (!origin || !home || !members) return undefined;
    const made = nameOf(home.path, name);
    added
      .get(home.path)
      ?.add(interfaceOf(made, members, home, (option) => textOf(home.path, name, option), ts));
    if (!isOwn) added.get(file.path)?.add(`import type { ${made} } from "${origin.from}";\n`);
    return made;
  };

  const changed = files.map((file) => {
    /** @type {Edit[]} */
    const edits = [];
    /** @param {Node} node */
    const visit = (node) => {
      if (ts.isTypeReferenceNode(node) && /\bOptionsOf\d*$/.test(node.typeName.getText())) {
        const text = named(file, node.typeArguments?.[0]);
        if (text) edits.push({ from: node.getStart(), to: node.getEnd(), text });
      }
      ts.forEachChild(node, visit);
    };
    visit(file.source);
    return /** @type {[string, string]} */ ([file.path, edited(file.text, edits)]);
  });
  const all = changed.map(
    ([path, text]) =>
      /** @type {[string, string]} */ ([path, text + [...(added.get(path) ?? [])].join("")]),
  );
  return new Map(all);
}
