// What the JSDoc of src/ says of every public function, class and type, as data: the pages of the
// reference are made of it, and tests/documentation.test.js sees that nothing is missing.

import { readFileSync } from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { FAMILIES, modules } from "../../scripts/modules.js";

/**
 * A type as it is read: text, and names that have an entry on a page.
 * @typedef {(string | {name: string, page: string})[]} TypeText
 */

/**
 * A parameter or an option.
 * @typedef {object} Named
 * @property {string} name
 * @property {TypeText} type
 * @property {boolean} optional
 * @property {string} byDefault  as the comment says it, where it does
 * @property {string} text  what it is
 * @property {Named[]} options  of a parameter that is an object of options
 */

/**
 * @typedef {object} Entry
 * @property {"function" | "value" | "class" | "type"} kind
 * @property {string} name  as it is called: rope.apply
 * @property {string} id  its place on the page: rotate
 * @property {string} file  that declares it, from the project's root
 * @property {boolean} optional  a property that may be missing
 * @property {string} text  prose; what is indented keeps its lines
 * @property {Named[]} parameters  of a function or a constructor
 * @property {TypeText} type  of a value, of what a function returns, of a type without members
 * @property {string} returns  what a function returns
 * @property {{type: TypeText, text: string}[]} throws
 * @property {string} source  the paper, or the code that it follows
 * @property {string[]} examples
 * @property {Entry[]} members  of a class or an object
 */

/**
 * @typedef {object} Page
 * @property {string} name  of its folder: t5-bias
 * @property {string} title  t5Bias
 * @property {string} family  of a module: embedding, attention, ...; otherwise "entries"
 * @property {string} entry  of the package, from which it is imported
 * @property {string} file
 * @property {string} text
 * @property {string} source
 * @property {string[]} exports  what can be imported
 * @property {Entry[]} entries  functions and values, then classes and types
 */

const project = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

const MODULES = modules();

/** What an option is where no comment says so. */
const COMMON = new Map([["out", "filled instead of a new array"]]);

/** @returns {Page[]} what the entries of the package export, and the modules by family and name */
export function readReference() {
  const reader = new Reader();
  const modules = entryModules();
  for (const { file } of modules) reader.nameTypes(file);
  for (const { file, entry } of modules) reader.addModule(file, entry);
  const families = ["entries", ...FAMILIES];
  const kinds = ["function", "value", "class", "type"];
  const rank = (/** @type {Entry} */ { kind }) => Math.max(1, kinds.indexOf(kind));
  const pages = [...reader.pages.values()].filter(({ entries }) => entries.length > 0);
  for (const { name, entries } of pages) {
    entries.sort((a, b) => rank(a) - rank(b));
    for (const entry of entries) reader.linkNames(entry, name);
  }
  const byName = (/** @type {Page} */ a, /** @type {Page} */ b) =>
    a.family === "entries" ? 0 : a.name < b.name ? -1 : 1;
  return pages.sort(
    (a, b) => families.indexOf(a.family) - families.indexOf(b.family) || byName(a, b),
  );
}

/** The modules that package.json exports with types: `./files` is src/files/index.js. */
function entryModules() {
  const { name, exports } = JSON.parse(readText("package.json"));
  const entries = new Map(); // the first of those that share a module
  for (const [entry, target] of Object.entries(exports)) {
    const { types, default: built } = target.import ?? target;
    if (!types || !built.endsWith(".js")) continue;
    const file = types.replace("./dist/types/", "src/").replace(/\.d\.ts$/, ".js");
    // An entry with some of the modules has no page: they are those of phasor.
    if (file !== "src/index.js" && readText(file).includes("loadModules(")) continue;
    if (!entries.has(file)) entries.set(file, name + entry.slice(1));
  }
  return Array.from(entries, ([file, entry]) => ({ file, entry }));
}

/** The entry whose folder in src/ has the file. @param {string} file */
function entryOf(file) {
  const around = entryModules().filter((module) => file.startsWith(`${dirname(module.file)}/`));
  const [{ entry }] = around.sort((a, b) => dirname(b.file).length - dirname(a.file).length);
  return entry;
}

/** The built package's, whose option sets have the defaults. */
const { load, optionsOf } = await import("phasor");
const phasor = /** @type {Record<string, any>} */ (await load());

/**
 * The declared options of "alibi.bias"; undefined for a method of a table, which no module has.
 * @param {string} of
 */
function defaultsOf(of) {
  const [module, method] = of.split(".");
  const declared = method ? phasor[module]?.[method] : phasor[module];
  return typeof declared === "function" ? optionsOf(declared) : undefined;
}

/**
 * The default that a declaration such as `scale: option.value(1)` has in the source.
 * @param {ts.TypeChecker} checker @param {ts.ObjectLiteralElement} declaration
 * @returns {string | undefined}
 */
function writtenDefault(checker, declaration) {
  const call = ts.isPropertyAssignment(declaration) ? declaration.initializer : undefined;
  if (!call || !ts.isCallExpression(call) || !ts.isPropertyAccessExpression(call.expression)) {
    return undefined;
  }
  const [first, second] = call.arguments;
  const kind = call.expression.name.text;
  if (kind === "boolean") return first?.getText() ?? "false";
  if (kind === "seed") return first?.getText() ?? "0";
  if (kind === "value" && first) {
    const inner = ts.isParenthesizedExpression(first)
      ? first.expression.getText()
      : first.getText();
    return inner === "undefined" ? undefined : inner;
  }
  if (kind === "choice") {
    if (second && ts.isStringLiteral(second)) return second.text;
    const type = checker.getTypeAtLocation(first);
    const [word] = checker.getTypeArguments(/** @type {ts.TypeReference} */ (type));
    return word?.isStringLiteral() ? word.value : undefined;
  }
  const byDefault =
    first &&
    ts.isObjectLiteralExpression(first) &&
    first.properties.find((property) => property.name?.getText() === "default");
  return byDefault && ts.isPropertyAssignment(byDefault)
    ? byDefault.initializer.getText()
    : undefined;
}

class Reader {
  /** By name. @type {Map<string, Page>} */
  pages = new Map();
  /** Types that have an entry. @type {Map<ts.Symbol, {name: string, page: string}>} */
  #types = new Map();
  /** Types that are being spelt out. @type {Set<ts.Symbol>} */
  #spelling = new Set();
  /** The function that is being read, whose set has the options of objects that sets share. */
  #function = "";
  /** What the package calls the types that it exports. @type {Map<ts.Symbol, string>} */
  #names = new Map();

  constructor() {
    const config = join(project, "tsconfig.types.json");
    const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic() {} };
    const read = ts.getParsedCommandLineOfConfigFile(config, { noEmit: true }, host);
    this.program = ts.createProgram(read?.fileNames ?? [], read?.options ?? {});
    this.checker = this.program.getTypeChecker();
  }

  /** @param {string} file */
  nameTypes(file) {
    for (const { name, symbol } of this.#exports(file)) {
      if (symbol.flags & ts.SymbolFlags.Type && !this.#names.has(symbol)) {
        this.#names.set(symbol, name);
      }
    }
  }

  /** @param {string} file @param {string} entry */
  addModule(file, entry) {
    const about = aboutOf(file);
    if (about && !this.#page(file).text) Object.assign(this.#page(file), about);
    for (const { name, symbol, isThere, declaration } of this.#exports(file)) {
      const at = fileOf(declaration);
      const page = this.#page(at === "src/runtime/errors.js" ? file : at);
      if (isThere && page.entry === entry) page.exports.push(name);
      if (symbol.flags & ts.SymbolFlags.Type) this.#addType(symbol, page);
      else this.#addExport(page, name, symbol, declaration);
    }
  }

  /** Names in types that were only text: of errors, and of inferred types. @param {Entry} entry @param {string} page */
  linkNames(entry, page) {
    const types = [...this.#types.values()];
    const find = (/** @type {string} */ word) =>
      types.find(({ name, page: on }) => name === word && on === page) ??
      types.find(({ name }) => name === word);
    const linked = (/** @type {TypeText} */ type) =>
      type.flatMap((part) =>
        typeof part === "string" ? part.split(/(\w+)/).map((word) => find(word) ?? word) : [part],
      );
    entry.throws = entry.throws.map(({ type, text }) => ({ type: linked(type), text }));
    if (entry.kind === "value") entry.type = linked(entry.type);
    for (const member of entry.members) this.linkNames(member, page);
  }

  /** @param {string} file */
  #exports(file) {
    const source = this.program.getSourceFile(join(project, file));
    const module = source && this.checker.getSymbolAtLocation(source);
    if (!module) throw new Error(`${file} must export something`);
    return this.checker.getExportsOfModule(module).map((exported) => {
      const symbol = this.#resolved(exported);
      const { Alias, Value } = ts.SymbolFlags;
      const own = exported.flags & Alias ? this.checker.getAliasedSymbol(exported) : exported;
      const isThere = (own.flags & Value) !== 0; // a type that only names a class is not
      return { name: exported.name, symbol, isThere, declaration: declarationOf(symbol) };
    });
  }

  /**
   * What a name stands for, through imports and through types that only name another.
   * @param {ts.Symbol} symbol
   * @returns {ts.Symbol}
   */
  #resolved(symbol) {
    if (symbol.flags & ts.SymbolFlags.Alias) {
      return this.#resolved(this.checker.getAliasedSymbol(symbol));
    }
    const node = symbol.declarations && aliasNode(symbol.declarations[0]);
    const target = node && ts.isImportTypeNode(node) && node.qualifier;
    const to = target && this.checker.getSymbolAtLocation(target);
    return to ? this.#resolved(to) : symbol;
  }

  /** The page of what a file declares. @param {string} file @returns {Page} */
  #page(file) {
    const [, folder] = file.split("/");
    const entry = entryOf(file);
    const module = MODULES.find((path) => file.startsWith(`src/${path}/`));
    const isShared = folder === "runtime" || folder === "index.js";
    const shared = /(tensor|positions)\.js$/.test(file) ? "tensor" : "load";
    const ofEntry = entry === "phasor" ? folder : basename(entry);
    const ofFile = isShared ? shared : ofEntry;
    const name = module ? basename(module).replaceAll("_", "-") : ofFile;
    const page = this.pages.get(name) ?? {
      name,
      title: module ? name : !isShared ? entry : shared === "load" ? "load" : "Tensor",
      family: module ? dirname(module) : "entries",
      entry: module || isShared ? "phasor" : entry,
      file: isShared && shared === "tensor" ? "src/runtime/tensor.js" : file,
      text: "",
      source: "",
      exports: [],
      entries: [],
    };
    this.pages.set(name, page);
    return page;
  }

  /** @param {Page} page @param {string} name @param {ts.Symbol} symbol @param {ts.Declaration} declaration */
  #addExport(page, name, symbol, declaration) {
    const type = this.checker.getTypeOfSymbolAtLocation(symbol, declaration);
    const entry = this.#member(name, name, symbol, declaration);
    page.entries.push(entry);
    const signature = type.getCallSignatures().at(-1);
    if (!signature) {
      for (const member of type.getProperties().filter(isOwn)) {
        page.entries.push(this.#member(`${name}.${member.name}`, `${name}.${member.name}`, member));
      }
      return;
    }
    const result = signature.getReturnType();
    const made = this.checker.getAwaitedType(result) ?? result;
    if (made.aliasSymbol?.name === "Phasor" && page.name === "load") {
      for (const room of made.getProperties()) this.#addRoom(room);
    } else if (isObjectLiteral(made)) {
      for (const symbol of made.getProperties()) {
        const member = this.#member(symbol.name, symbol.name, symbol);
        if (member.examples.length > 0)
          page.entries.push(member); // a function in its own right
        else entry.members.push({ ...member, id: `${name}.${member.id}` });
      }
    }
  }

  /** @param {ts.Symbol} symbol */
  #addRoom(symbol) {
    const property = /** @type {ts.ExportSpecifier} */ (declarationOf(symbol)); // of modules.js
    const room = this.checker.getSymbolAtLocation(property.name);
    const declaration = declarationOf(this.#resolved(/** @type {ts.Symbol} */ (room)));
    const page = this.#page(fileOf(declaration));
    const { text, source } = commentOf(declaration);
    Object.assign(page, { title: symbol.name, file: fileOf(declaration), text, source });
    const type = this.checker.getTypeOfSymbolAtLocation(symbol, property);
    if (type.getCallSignatures().length > 0) {
      page.entries.push(this.#member(symbol.name, symbol.name, symbol));
    }
    for (const member of type.getProperties()) {
      page.entries.push(this.#member(`${symbol.name}.${member.name}`, member.name, member));
    }
  }

  /**
   * A function or a value that something has.
   * @param {string} name @param {string} id @param {ts.Symbol} symbol @param {ts.Declaration} [declaration]
   * @returns {Entry}
   */
  #member(name, id, symbol, declaration = declarationOf(symbol)) {
    const type = this.checker.getTypeOfSymbolAtLocation(symbol, declaration);
    const signature = type.getCallSignatures().at(-1);
    if (!signature) {
      const entry = blank("value", name, id, fileOf(declaration), commentOf(declaration));
      return { ...entry, type: this.#ofParameter(type) ?? [this.checker.typeToString(type)] };
    }
    this.#function = name;
    const own = signature.getDeclaration();
    const comment = commentOf(declaration);
    const at = comment.text ? declaration : own;
    const said = comment.text ? comment : commentOf(own);
    return {
      ...blank("function", name, id, fileOf(at), said),
      parameters: signature.parameters.map((each) => this.#parameter(each, own, said)),
      type: this.#returned(signature, said),
    };
  }

  /** @param {ts.Signature} signature @param {Comment} comment */
  #returned(signature, { returnTag }) {
    const node = returnTag?.typeExpression?.type;
    if (node) return this.#print(node);
    const type = signature.getReturnType();
    const made = this.checker.getAwaitedType(type) ?? type;
    if (!isObjectLiteral(made)) return [this.checker.typeToString(type)];
    const names = made.getProperties().map(({ name }) => name);
    const text = `{ ${names.join(", ")} }`;
    return [made === type ? text : `Promise<${text}>`];
  }

  /** @param {ts.Symbol} symbol @param {ts.Node} at @param {Comment} comment @returns {Named} */
  #parameter(symbol, at, { parameterTags }) {
    const declaration = /** @type {ts.ParameterDeclaration} */ (symbol.valueDeclaration);
    const tag = parameterTags.find(({ name }) => name.getText() === symbol.name);
    const written =
      ts.isParameter(declaration) && (declaration.type ?? ts.getJSDocType(declaration));
    const node = tag?.typeExpression?.type ?? written;
    const type = this.checker.getTypeOfSymbolAtLocation(symbol, at);
    const isOptional = ts.isParameter(declaration)
      ? this.checker.isOptionalParameter(declaration)
      : Boolean(tag?.isBracketed);
    const text = textOf(tag?.comment);
    const isListed = symbol.name === "options" || (node && ts.isJSDocTypeLiteral(node));
    const options = isListed || isOptional ? this.#options(type, text, isListed) : undefined;
    if (options) {
      return { name: symbol.name, type: [], optional: isOptional, byDefault: "", ...options };
    }
    const isNamed = ts.isIdentifier(declaration.name);
    const name = isNamed ? symbol.name : declaration.name.getText(); // { model, el }
    return {
      name: (declaration.dotDotDotToken ? "..." : "") + name,
      type: node ? this.#print(node) : [this.checker.typeToString(type)],
      optional: isOptional,
      ...withDefault(text),
      options: [],
    };
  }

  /**
   * The options of a parameter that is an object of nothing else: those that it lists, or all of
   * which may be left out. What their own comments do not say, the parameter's says, in clauses:
   * "`past`: tokens in the cache; `out` is filled ...".
   *
   * @param {ts.Type} given @param {string} text @param {boolean} [isListed]
   * @returns {{text: string, options: Named[]} | undefined}
   */
  #options(given, text, isListed = false) {
    const properties = this.checker.getNonNullableType(given).getProperties();
    const isOptional = (/** @type {ts.Symbol} */ { flags }) =>
      (flags & ts.SymbolFlags.Optional) !== 0;
    const isOption = (/** @type {ts.Symbol} */ property) =>
      isOwn(property) && (isListed || isOptional(property));
    if (properties.length === 0 || !properties.every(isOption)) return undefined;
    const names = properties.map(({ name }) => name);
    const { rest, clauses } = readClauses(text, names);
    const options = properties.map((property) => {
      const declaration = /** @type {ts.PropertySignature | ts.JSDocPropertyLikeTag} */ (
        declarationOf(property)
      );
      if (ts.isObjectLiteralElement(declaration)) return this.#declared(property, declaration);
      const own = ts.isPropertySignature(declaration) ? "" : textOf(declaration.comment);
      const node = ts.isPropertySignature(declaration)
        ? declaration.type
        : declaration.typeExpression?.type;
      const said = [own, clauses.get(property.name)].filter(Boolean).join("; ");
      return {
        name: property.name,
        type: node ? this.#print(node) : [],
        optional: isOptional(property),
        ...withDefault(said || (COMMON.get(property.name) ?? "")),
        options: [],
      };
    });
    const silent = options.filter(({ text, byDefault }) => text === "" && byDefault === "");
    if (silent.length !== 1) return { text: rest, options };
    Object.assign(silent[0], withDefault(rest)); // what is said of the parameter is said of it
    return { text: "", options };
  }

  /**
   * An option of an option set (src/runtime/options.js): its text is the comment above it, its default
   * the value that the built package gives.
   * @param {ts.Symbol} property @param {ts.ObjectLiteralElement} declaration
   * @returns {Named}
   */
  #declared(property, declaration) {
    const type = this.checker.getTypeOfSymbol(property);
    const text = ts.displayPartsToString(property.getDocumentationComment(this.checker)).trim();
    const set = ts.findAncestor(declaration, ts.isCallExpression);
    const of = set?.arguments.find(ts.isStringLiteral)?.text ?? this.#function;
    const declared = defaultsOf(of);
    const fallback = declared
      ? declared[property.name]?.default
      : writtenDefault(this.checker, declaration);
    const words = this.checker.typeToString(
      this.checker.getNonNullableType(type),
      undefined,
      ts.TypeFormatFlags.NoTruncation,
    );
    return {
      name: property.name,
      type: [words.replace(/<ArrayBufferLike>|<Float32Array<ArrayBufferLike>>/g, "")],
      optional: true,
      ...(fallback === undefined ? withDefault(text) : { text, byDefault: String(fallback) }),
      options: [],
    };
  }

  /**
   * A class or a type, on a page: the first that asks for it.
   * @param {ts.Symbol} symbol @param {Page} [page]
   */
  #addType(symbol, page) {
    const known = this.#types.get(symbol);
    if (known) return known;
    const declaration = declarationOf(symbol);
    const on = page ?? this.#page(fileOf(declaration));
    const name = this.#names.get(symbol) ?? symbol.name;
    const entry = blank("type", name, name, fileOf(declaration), commentOf(declaration));
    const reference = { name, page: on.name };
    this.#types.set(symbol, reference); // first: it may speak of itself
    on.entries.push(entry);
    if (ts.isClassLike(declaration)) this.#readClass(entry, declaration);
    else this.#readTypedef(entry, /** @type {ts.JSDocTypedefTag} */ (declaration));
    return reference;
  }

  /** @param {Entry} entry @param {ts.ClassLikeDeclaration} declaration */
  #readClass(entry, declaration) {
    entry.kind = "class";
    const type = this.checker.getTypeAtLocation(declaration);
    const own = type.getProperties().filter(isOwn);
    for (const member of own) {
      const at = declarationOf(member);
      const name = ts.getNameOfDeclaration(at)?.getText() ?? member.name;
      const called = name.replace(/^this\./, "");
      if (!/^(\w+|\[Symbol\.iterator\])$/.test(called) || !commentOf(at).text) continue;
      entry.members.push(this.#member(called, `${entry.name}.${called}`, member));
    }
    const maker = declaration.members.find(ts.isConstructorDeclaration);
    const signature = maker && this.checker.getSignatureFromDeclaration(maker);
    const comment = maker && commentOf(maker);
    if (!signature || !comment?.parameterTags.some((tag) => textOf(tag.comment))) return;
    entry.throws = comment.throws;
    entry.parameters = signature.parameters.map((each) => this.#parameter(each, maker, comment));
  }

  /** @param {Entry} entry @param {ts.JSDocTypedefTag} declaration */
  #readTypedef(entry, declaration) {
    entry.text = said(declaration);
    const body = declaration.typeExpression;
    if (!body || !ts.isJSDocTypeLiteral(body)) {
      if (body && !isComputed(body.type)) entry.type = this.#print(body.type);
      return;
    }
    for (const tag of body.jsDocPropertyTags ?? []) {
      const name = tag.name.getText();
      const node = tag.typeExpression?.type;
      const member = blank("value", name, `${entry.name}.${name}`, entry.file, {
        text: textOf(tag.comment),
      });
      member.optional = tag.isBracketed;
      if (node && ts.isFunctionTypeNode(node)) {
        member.kind = "function";
        const signature = this.checker.getSignatureFromDeclaration(node);
        const none = { parameterTags: [] };
        member.parameters = (signature?.parameters ?? []).map((each) =>
          this.#parameter(each, node, /** @type {any} */ (none)),
        );
        member.type = this.#print(node.type);
        splitClauses(member);
      } else if (node) {
        member.type = this.#print(node);
      }
      entry.members.push(member);
    }
  }

  /** A type as it is written, where types without an entry are spelt out. @param {ts.Node} node @returns {TypeText} */
  #print(node) {
    if (ts.isJSDocVariadicType(node)) return this.#print(node.type);
    if (ts.isConditionalTypeNode(node)) {
      // A result by an option: either of them.
      return [...this.#print(node.falseType), " | ", ...this.#print(node.trueType)];
    }
    if (ts.isIndexedAccessTypeNode(node)) {
      const list = this.checker.getTypeFromTypeNode(node.objectType);
      const items = this.checker.getTypeArguments(/** @type {ts.TypeReference} */ (list));
      return [items.map((item) => this.checker.typeToString(item)).join(" | ")];
    }
    if (isKeyOf(node)) {
      const of = this.checker.getTypeFromTypeNode(node.type).getProperties();
      return [of.map(({ name }) => JSON.stringify(name)).join(" | ")];
    }
    const isReference = ts.isTypeReferenceNode(node) || ts.isImportTypeNode(node);
    const name = isReference && (ts.isImportTypeNode(node) ? node.qualifier : node.typeName);
    const found = name && this.checker.getSymbolAtLocation(name);
    const symbol = found && this.#resolved(found);
    if (!isReference || !symbol || !isOwn(symbol)) return this.#copy(node);
    if (!(symbol.flags & ts.SymbolFlags.Type)) return [`typeof ${symbol.name}`];
    const constraint = this.#ofParameter(this.checker.getTypeAtLocation(node));
    if (constraint) return constraint;
    const alias = aliasNode(declarationOf(symbol));
    const isSpelt =
      alias &&
      !isComputed(alias) &&
      !this.#names.has(symbol) &&
      (ts.isConditionalTypeNode(alias) ||
        !said(declarationOf(symbol)) ||
        this.#literals(this.checker.getDeclaredTypeOfSymbol(symbol)) !== undefined);
    if (isSpelt && !this.#spelling.has(symbol)) {
      this.#spelling.add(symbol); // it may speak of itself
      const spelt = this.#print(alias);
      this.#spelling.delete(symbol);
      return spelt;
    }
    const given = node.typeArguments ?? [];
    const isOpen = given.every((each) => this.checker.getTypeFromTypeNode(each).isTypeParameter());
    const parameters = (isOpen ? [] : given).flatMap((each, i) => [
      i === 0 ? "<" : ", ",
      ...this.#print(each),
    ]);
    return [this.#addType(symbol), ...parameters, ...(parameters.length > 0 ? [">"] : [])];
  }

  /** What a type parameter may be. @param {ts.Type} type @returns {TypeText | undefined} */
  #ofParameter(type) {
    if (!type.isTypeParameter()) return undefined;
    const constraint = this.checker.getBaseConstraintOfType(type);
    const alias = constraint?.aliasSymbol && aliasNode(declarationOf(constraint.aliasSymbol));
    if (alias) return this.#print(alias);
    return [(constraint && this.#literals(constraint)) ?? type.symbol.name];
  }

  /** The text of a node, with the types in it printed. @param {ts.Node} node @returns {TypeText} */
  #copy(node) {
    const source = node.getSourceFile().text;
    const text = (/** @type {number} */ from, /** @type {number} */ to) =>
      source.slice(from, to).replace(/\s*\n\s*\*?\s*/g, " ");
    /** @type {TypeText} */
    const parts = [];
    let at = node.getStart();
    ts.forEachChild(node, (child) => {
      parts.push(text(at, child.getStart()), ...this.#print(child));
      at = child.end;
    });
    return [...parts, text(at, node.end)].filter((part) => part !== "");
  }

  /** @param {ts.Type} type @returns {string | undefined} "a" | "b", if it is nothing else */
  #literals(type) {
    if (type.flags & ts.TypeFlags.Boolean) return "boolean";
    const all = type.isUnion() ? type.types : [type];
    if (!all.every((each) => each.isLiteral())) return undefined;
    return all.map((each) => this.checker.typeToString(each)).join(" | ");
  }
}

/**
 * A doc comment.
 * @typedef {object} Comment
 * @property {string} text
 * @property {string} source
 * @property {string} returns
 * @property {{type: TypeText, text: string}[]} throws
 * @property {string[]} examples
 * @property {ts.JSDocParameterTag[]} parameterTags
 * @property {ts.JSDocReturnTag | undefined} returnTag
 */

/** What the first comment of a module says of it, where no declaration follows. @param {string} file */
function aboutOf(file) {
  const first = /^\/\*\*(?:[^*]|\*(?!\/))*\*\/(?=\s*(?:import|export [{*]|\/[/*]))/;
  const [comment] = first.exec(readText(file)) ?? [];
  if (!comment) return undefined;
  const [text, ...tags] = blocks(comment);
  const see = tags.filter((tag) => tag.startsWith("see ")).map((tag) => oneLine(tag.slice(4)));
  const said = text.replace(/^[\w/]+: (.)/, (_, first) => first.toUpperCase()); // phasor/files: ...
  return { text: said, source: see.join("; ") };
}

/** @param {string} file  from the project's root */
function readText(file) {
  return readFileSync(join(project, file), "utf8");
}

/** The last comment before a declaration, or the one that holds it. @param {ts.Node} node @returns {Comment} */
function commentOf(node) {
  const within = ts.findAncestor(node, ts.isJSDoc);
  const jsDoc = within ?? ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc).at(-1);
  const [text, ...tags] = jsDoc ? blocks(jsDoc.getText()) : [""];
  const all = (/** @type {string} */ name) =>
    tags.filter((tag) => tag.startsWith(name)).map((tag) => tag.slice(name.length).trim());
  const overload = jsDoc?.tags?.find(ts.isJSDocOverloadTag)?.typeExpression;
  const parameterTags = overload?.parameters ?? jsDoc?.tags?.filter(ts.isJSDocParameterTag) ?? [];
  const returnTag = overload?.type ?? jsDoc?.tags?.find(ts.isJSDocReturnTag);
  return {
    text,
    source: all("see").map(oneLine).join("; "),
    returns: textOf(returnTag?.comment),
    throws: all("throws").map((tag) => {
      const [, type = "", text = ""] = /^\{([^}]*)\}\s*([^]*)$/.exec(tag) ?? [];
      return { type: [type], text: oneLine(text) };
    }),
    examples: all("example"),
    parameterTags: /** @type {ts.JSDocParameterTag[]} */ (parameterTags),
    returnTag: /** @type {ts.JSDocReturnTag | undefined} */ (returnTag),
  };
}

/** What is said of a typedef: before the first of a comment, or behind it. @param {ts.Declaration} tag */
function said(tag) {
  if (!ts.isJSDocTypedefTag(tag)) return commentOf(tag).text;
  const comment = /** @type {ts.JSDoc} */ (tag.parent);
  const before = comment.tags?.find(ts.isJSDocTypedefTag) === tag ? commentOf(tag).text : "";
  return [before, textOf(tag.comment)].filter(Boolean).join("\n\n");
}

/** The description and the tags of a comment, without its margin. @param {string} comment */
function blocks(comment) {
  return comment
    .replace(/^\/\*\*|\s*\*\/$/g, "")
    .replace(/^[ \t]*\* ?/gm, "")
    .split(/^ ?@/m)
    .map((block, i) => (i === 0 ? block.replace(/\s@\w[^]*$/, "").trim() : block.trimEnd()));
}

/**
 * Clauses of a text that begin with the name of an option.
 * @param {string} text @param {string[]} names
 */
function readClauses(text, names) {
  const clauses = new Map();
  const rest = text.split(/;\s+(?=`)/).filter((clause) => {
    const [head = ""] = /^`\w+`(?:(?:,| and) `\w+`)*/.exec(clause) ?? [];
    const spoken = Array.from(head.matchAll(/\w+(?=`)/g), ([name]) => name);
    const of = spoken.filter((name) => names.includes(name));
    const said = spoken.length === 1 ? clause.slice(head.length).replace(/^[:,]?\s+/, "") : clause;
    for (const name of of) clauses.set(name, said);
    return of.length === 0;
  });
  return { rest: rest.join("; "), clauses };
}

/**
 * What is said of an option apart from its default, which is a separate clause or in brackets,
 * "of `normal`; default 0", "Tk (default: length)", or the word for a value: "`exact` (default) or".
 * @param {string} text
 */
function withDefault(text) {
  const word =
    /(`[^`]+`|"[^"]*"|-?\d+|\[[^\]]*\])(?: \[[^\]]*\])?(?:,| \() ?default(?=[,;:)])/.exec(text);
  if (word) return { byDefault: word[1], text };
  const clause = /(?:^|[;,] )default:? ([^;]+?)(?=; |\. [A-Z]|$)|(?:^| )\(default:? ([^)]+)\)/.exec(
    text,
  );
  if (!clause) return { byDefault: "", text };
  const rest = text.replace(clause[0], "").replace(/^[;.] /, "");
  return { byDefault: clause[1] ?? clause[2], text: rest };
}

/** @param {Entry["kind"]} kind @param {string} name @param {string} id @param {string} file @param {Partial<Comment>} comment @returns {Entry} */
function blank(
  kind,
  name,
  id,
  file,
  { text = "", source = "", returns = "", throws = [], examples = [] },
) {
  const said = { text, source, returns, throws, examples };
  return { kind, name, id, file, ...said, optional: false, parameters: [], type: [], members: [] };
}

/** What the text of a function says of its options, they get. @param {Entry} entry */
function splitClauses(entry) {
  const options = entry.parameters.flatMap(({ options }) => options);
  const names = options.map(({ name }) => name);
  const { rest, clauses } = readClauses(entry.text, names);
  for (const option of options.filter(({ name }) => clauses.has(name))) {
    Object.assign(option, withDefault(clauses.get(option.name)));
  }
  entry.text = rest;
}

/** @param {ts.Symbol} symbol */
function declarationOf(symbol) {
  return /** @type {ts.Declaration} */ (symbol.valueDeclaration ?? symbol.declarations?.[0]);
}

/** The type that a typedef of one names. @param {ts.Declaration} declaration */
function aliasNode(declaration) {
  if (!ts.isJSDocTypedefTag(declaration)) return undefined;
  const body = declaration.typeExpression;
  return body && ts.isJSDocTypeExpression(body) ? body.type : undefined;
}

/** Whether a type is computed from others, which words say better. @param {ts.Node} node @returns {boolean} */
function isComputed(node) {
  const isSo = ts.isMappedTypeNode(node) || ts.isInferTypeNode(node);
  return isSo || ts.forEachChild(node, (child) => isComputed(child) || undefined) === true;
}

/** @param {ts.Node} node @returns {node is ts.TypeOperatorNode} */
function isKeyOf(node) {
  return ts.isTypeOperatorNode(node) && node.operator === ts.SyntaxKind.KeyOfKeyword;
}

/** @param {ts.Type} type */
function isObjectLiteral(type) {
  return type.symbol?.declarations?.some(ts.isObjectLiteralExpression) ?? false;
}

/** Whether phasor declares it. @param {ts.Symbol} symbol */
function isOwn(symbol) {
  const declaration = declarationOf(symbol);
  return declaration !== undefined && fileOf(declaration).startsWith("src/");
}

/** @param {ts.Node} node @returns {string} from the project's root */
function fileOf(node) {
  return relative(project, node.getSourceFile().fileName).replaceAll(sep, "/");
}

/** @param {ts.JSDocTag["comment"]} comment */
function textOf(comment) {
  return oneLine(ts.getTextOfJSDocComment(comment) ?? "");
}

/** @param {string} text */
function oneLine(text) {
  return text.replace(/\s*\n\s*/g, " ").trim();
}
