// Reads the JSDoc of src/ with TypeScript, for api.js.

import { readFileSync } from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import ts from "typescript";
import { APART, FAMILIES, modules } from "./modules.js";
import { filesIn } from "../setup/once.js";
import { project } from "../setup/setup.js";

/** @import { Api, Entry, Named, Page, Type } from "./api.js" */

const MODULES = modules();

const { Void, Null, Undefined, Any, Unknown, Never, Instantiable } = ts.TypeFlags;

/** A type that depends on others is "any", except the parameter of a template. @type {[ts.TypeFlags, string][]} */
const PRIMITIVES = [
  [Undefined | Null | Void, "undefined"],
  [ts.TypeFlags.StringLike, "string"],
  [ts.TypeFlags.NumberLike, "number"],
  [ts.TypeFlags.BigIntLike, "bigint"],
  [ts.TypeFlags.BooleanLike, "boolean"],
  [Any | Unknown | Never | Instantiable, "any"],
];

/** @returns {Api} */
export function readApi() {
  const reader = new Reader();
  for (const { file } of ENTRIES) reader.nameTypes(file);
  for (const { file, entry } of ENTRIES) reader.addModule(file, entry);
  for (const family of APART) {
    reader.addModulesOf(`src/${family}/index.js`);
    reader.addOwn(`src/${family}/`);
  }
  const families = ["entries", ...FAMILIES];
  const kinds = ["function", "value", "class", "type"];
  const rank = (/** @type {Entry} */ { kind }) => Math.max(1, kinds.indexOf(kind));
  const pages = [...reader.pages.values()].filter(({ entries }) => entries.length > 0);
  for (const { entries } of pages) entries.sort((a, b) => rank(a) - rank(b));
  const byName = (/** @type {Page} */ a, /** @type {Page} */ b) =>
    a.family === "entries" ? 0 : a.name < b.name ? -1 : 1;
  pages.sort((a, b) => families.indexOf(a.family) - families.indexOf(b.family) || byName(a, b));
  const found = filesIn("src", ".js").flatMap((file) =>
    examples(readText(file)).map((source) => ({ file: file.replaceAll(sep, "/"), source })),
  );
  return { pages, modules: reader.modules, types: reader.types(), examples: found };
}

/** The modules that package.json exports with types: `./files` is src/files/index.js. */
function entryModules() {
  const { name, exports } = JSON.parse(readText("package.json"));
  const entries = new Map(); // the first of those that share a module
  for (const [entry, target] of Object.entries(exports)) {
    const { types, default: built } = target;
    if (!types || !built.endsWith(".js")) continue;
    const file = (types.default ?? types)
      .replace("./dist/types/", "src/")
      .replace(/\.d\.ts$/, ".js");
    // An entry with some of the modules has no page: they are those of phasor.
    if (file !== "src/index.js" && readText(file).includes("loadModules(")) continue;
    if (!/^export /m.test(readText(file))) continue; // a script of a thread
    if (!entries.has(file)) entries.set(file, name + entry.slice(1));
  }
  return Array.from(entries, ([file, entry]) => ({ file, entry }));
}

const ENTRIES = entryModules();

/** The entry whose folder in src/ has the file. @param {string} file */
function entryOf(file) {
  const around = ENTRIES.filter((module) => file.startsWith(`${dirname(module.file)}/`));
  const [{ entry }] = around.sort((a, b) => dirname(b.file).length - dirname(a.file).length);
  return entry;
}

/** Whether TypeScript's own library declares it: `concat` of a list. @param {ts.Symbol} symbol */
const isOfLibrary = (symbol) => !fileOf(declarationOf(symbol)).startsWith("src/");

class Reader {
  /** By name. @type {Map<string, Page>} */
  pages = new Map();
  /** @type {string[]} */
  modules = [];
  /** @type {Map<ts.Type, number>} */
  #numbers = new Map();
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
    if (about.text && !this.#page(file).text) Object.assign(this.#page(file), about);
    for (const { name, symbol, isThere, declaration } of this.#exports(file)) {
      const at = fileOf(declaration);
      const page = this.#page(at === "src/runtime/errors.js" ? file : at);
      if (isThere && page.entry === entry) page.exports.push(name);
      if (symbol.flags & ts.SymbolFlags.Type) this.#addType(symbol, page);
      else this.#addExport(page, name, symbol, declaration);
    }
  }

  /** The modules that an entry's `load` gives, where phasor does not have them. @param {string} file */
  addModulesOf(file) {
    const { symbol, declaration } =
      /** @type {{symbol: ts.Symbol, declaration: ts.Declaration}} */ (
        this.#exports(file).find(({ name }) => name === "load")
      );
    const [load] = this.checker.getTypeOfSymbolAtLocation(symbol, declaration).getCallSignatures();
    const made = this.checker.getAwaitedType(load.getReturnType());
    for (const room of made?.getProperties() ?? []) this.#addRoom(room);
  }

  /** What an entry exports beside its modules: `summarize` of phasor/lab. @param {string} folder */
  addOwn(folder) {
    for (const { name, symbol, isThere, declaration } of this.#exports(`${folder}index.js`)) {
      const file = fileOf(declaration);
      if (!isThere || !file.startsWith(folder) || file === `${folder}index.js`) continue;
      const page = this.#page(file);
      page.exports.push(name);
      if (symbol.flags & ts.SymbolFlags.Type) this.#addType(symbol, page);
      else page.entries.push(this.#member(name, name, symbol, declaration));
    }
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
    const family = module ? dirname(module) : "entries";
    const ofModule = APART.includes(family) ? `phasor/${family}` : "phasor";
    const page = this.pages.get(name) ?? {
      name,
      title: module ? name : !isShared ? entry : shared === "load" ? "load" : "Tensor",
      family,
      entry: module || isShared ? ofModule : entry,
      file: isShared && shared === "tensor" ? "src/runtime/tensor.js" : file,
      text: "",
      see: [],
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
    const { text, see } = commentOf(declaration);
    Object.assign(page, { title: symbol.name, file: fileOf(declaration), text, see });
    if (!APART.includes(page.family)) this.modules.push(page.name);
    const type = this.checker.getTypeOfSymbolAtLocation(symbol, property);
    if (type.getCallSignatures().length > 0) {
      page.entries.push(this.#member(symbol.name, symbol.name, symbol));
    }
    for (const member of type.getProperties()) {
      const name = `${symbol.name}.${member.name}`;
      const inner = this.#functionsIn(member);
      const isFolder = inner.length > 0 && this.#signatureOf(member) === undefined;
      if (!isFolder) page.entries.push(this.#member(name, member.name, member));
      for (const each of inner) {
        page.entries.push(
          this.#member(`${name}.${each.name}`, `${member.name}.${each.name}`, each),
        );
      }
    }
  }

  /** @param {ts.Symbol} symbol */
  #signatureOf(symbol) {
    const type = this.checker.getTypeOfSymbolAtLocation(symbol, declarationOf(symbol));
    return type.getCallSignatures().at(-1);
  }

  /** The functions that a function or an object has: `lab.tasks.back`. @param {ts.Symbol} symbol */
  #functionsIn(symbol) {
    const type = this.checker.getTypeOfSymbolAtLocation(symbol, declarationOf(symbol));
    const own = type.getProperties().filter((each) => each.declarations?.length);
    const all = own.filter((each) => this.#signatureOf(each) && !isOfLibrary(each));
    return all.length === own.length ? all.map((each) => this.#resolved(each)) : [];
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
      const written = this.#ofParameter(type) ?? this.checker.typeToString(type);
      return { ...entry, type: written, of: this.#number(type) };
    }
    this.#function = name;
    const own = signature.getDeclaration();
    const comment = commentOf(declaration);
    const at = comment.text ? declaration : own;
    const said = comment.text ? comment : commentOf(own);
    return {
      ...blank("function", name, id, fileOf(at), said),
      parameters: signature.parameters.map((each) => this.#parameter(each, own, said.tags)),
      type: this.#returned(signature, said),
      of: this.#number(signature.getReturnType()),
    };
  }

  /** @param {ts.Signature} signature @param {Comment} comment */
  #returned(signature, { returnTag }) {
    const node = returnTag?.typeExpression?.type;
    if (node) return this.#print(node);
    const type = signature.getReturnType();
    const made = this.checker.getAwaitedType(type) ?? type;
    if (!isObjectLiteral(made)) return this.checker.typeToString(type);
    const names = made.getProperties().map(({ name }) => name);
    const text = `{ ${names.join(", ")} }`;
    return made === type ? text : `Promise<${text}>`;
  }

  /** @param {ts.Symbol} symbol @param {ts.Node} at @param {Comment["tags"]} tags @returns {Named} */
  #parameter(symbol, at, tags) {
    const declaration = /** @type {ts.ParameterDeclaration} */ (symbol.valueDeclaration);
    const tag = tags.find(({ name }) => name.getText() === symbol.name);
    const written =
      ts.isParameter(declaration) && (declaration.type ?? ts.getJSDocType(declaration));
    const node = tag?.typeExpression?.type ?? written;
    const type = this.checker.getTypeOfSymbolAtLocation(symbol, at);
    const isOptional = ts.isParameter(declaration)
      ? this.checker.isOptionalParameter(declaration)
      : Boolean(tag?.isBracketed);
    const isListed = symbol.name === "options" || (node && ts.isJSDocTypeLiteral(node));
    const options = isListed || isOptional ? this.#options(type, isListed) : undefined;
    const isNamed = ts.isIdentifier(declaration.name);
    const name = isNamed ? symbol.name : declaration.name.getText(); // { model, el }
    const spelt = () => (node ? this.#print(node) : this.checker.typeToString(type));
    return {
      name: (declaration.dotDotDotToken ? "..." : "") + name,
      type: options ? "" : spelt(),
      of: this.#number(type),
      optional: isOptional,
      text: textOf(tag?.comment),
      options,
    };
  }

  /**
   * The options of a parameter: the properties of its type, if the comment lists them or all are optional.
   *
   * @param {ts.Type} given @param {boolean} [isListed]
   * @returns {Named[] | undefined}
   */
  #options(given, isListed = false) {
    const properties = this.checker.getNonNullableType(given).getProperties();
    const isOptional = (/** @type {ts.Symbol} */ { flags }) =>
      (flags & ts.SymbolFlags.Optional) !== 0;
    const isOption = (/** @type {ts.Symbol} */ property) =>
      isOwn(property) && (isListed || isOptional(property));
    if (properties.length === 0 || !properties.every(isOption)) return undefined;
    return properties.map((property) => {
      const of = this.#number(this.checker.getTypeOfSymbol(property));
      const declared = property.declarations?.find(ts.isObjectLiteralElement);
      if (declared) return { ...this.#declared(property, declared), of };
      const declaration = /** @type {ts.PropertySignature | ts.JSDocPropertyLikeTag} */ (
        declarationOf(property)
      );
      const isSignature = ts.isPropertySignature(declaration);
      const node = isSignature ? declaration.type : declaration.typeExpression?.type;
      return {
        name: property.name,
        type: node ? this.#print(node) : "",
        of,
        optional: isOptional(property),
        text: isSignature ? "" : textOf(declaration.comment),
      };
    });
  }

  /**
   * An option of an option set (src/runtime/options.js): its text is the comment above it.
   * @param {ts.Symbol} property @param {ts.ObjectLiteralElement} declaration
   */
  #declared(property, declaration) {
    const type = this.checker.getNonNullableType(this.checker.getTypeOfSymbol(property));
    const words = this.checker.typeToString(type, undefined, ts.TypeFormatFlags.NoTruncation);
    const set = ts.findAncestor(declaration, ts.isCallExpression);
    return {
      name: property.name,
      type:
        this.#ofParameter(type) ??
        this.#named(declaration) ??
        words.replace(/<ArrayBufferLike>|<Float32Array<ArrayBufferLike>>/g, ""),
      optional: true,
      text: ts.displayPartsToString(property.getDocumentationComment(this.checker)).trim(),
      set: set?.arguments.find(ts.isStringLiteral)?.text ?? this.#function,
      written: writtenDefault(this.checker, declaration),
    };
  }

  /**
   * The name of an exported type, where an option is declared with a value that is cast to it.
   * @param {ts.ObjectLiteralElement} declaration
   */
  #named(declaration) {
    const call = ts.isPropertyAssignment(declaration) ? declaration.initializer : undefined;
    const [cast] = call && ts.isCallExpression(call) ? call.arguments : [];
    const written = cast && ts.isParenthesizedExpression(cast) ? ts.getJSDocType(cast) : undefined;
    const parts = written && ts.isUnionTypeNode(written) ? [...written.types] : [written];
    const [node, ...more] = parts.filter((part) => part?.kind !== ts.SyntaxKind.UndefinedKeyword);
    if (more.length > 0 || !node || !ts.isTypeReferenceNode(node)) return undefined;
    const found = this.checker.getSymbolAtLocation(node.typeName);
    const symbol = found && this.#resolved(found);
    return symbol && this.#names.has(symbol) ? this.#addType(symbol).name : undefined;
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
    if (!signature || !comment?.tags.some((tag) => textOf(tag.comment))) return;
    entry.throws = comment.throws;
    entry.parameters = signature.parameters.map((each) =>
      this.#parameter(each, maker, comment.tags),
    );
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
      const node = /** @type {ts.TypeNode} */ (tag.typeExpression?.type);
      const type = this.checker.getTypeFromTypeNode(node);
      const isMethod = ts.isFunctionTypeNode(node) || ts.isIndexedAccessTypeNode(node);
      const signature = isMethod ? type.getCallSignatures()[0] : undefined;
      const own = signature?.getDeclaration();
      entry.members.push({
        ...blank(own ? "function" : "value", name, `${entry.name}.${name}`, entry.file, {}),
        text: textOf(tag.comment),
        optional: tag.isBracketed,
        parameters:
          signature && own
            ? signature.parameters.map((each) => this.#parameter(each, own, []))
            : [],
        type: this.#print(own?.type ?? node),
        of: this.#number(signature?.getReturnType() ?? type),
      });
    }
  }

  /** @param {ts.Type} type @returns {number} its place in `types` */
  #number(type) {
    const number = this.#numbers.get(type) ?? this.#numbers.size;
    this.#numbers.set(type, number);
    return number;
  }

  /** What the numbers stand for, once all is read: the order of a union's members depends on what was asked before. */
  types() {
    /** @type {Type[]} */
    const all = [];
    for (const type of this.#numbers.keys()) all.push(this.#resolve(type)); // which numbers further types
    return all;
  }

  /** @param {ts.Type} type @returns {Type} */
  #resolve(type) {
    const numbers = (/** @type {readonly ts.Type[]} */ list) =>
      list.map((each) => this.#number(each));
    if (type.isStringLiteral()) return { word: type.value };
    if (type.flags & ts.TypeFlags.TypeParameter) {
      const constraint = this.checker.getBaseConstraintOfType(type);
      return { within: numbers(constraint ? [constraint] : []) };
    }
    const parts = type.isIntersection() ? type.types : [type]; // string & {}
    for (const [flags, primitive] of PRIMITIVES) {
      if (parts.some((part) => part.flags & flags)) return { primitive };
    }
    if (type.isUnion()) return { union: numbers(type.types) };
    if (type.getCallSignatures().length > 0) return { primitive: "function" };
    if (this.checker.isArrayLikeType(type)) {
      const reference = /** @type {ts.TypeReference} */ (type);
      return { list: numbers(this.checker.getTypeArguments(reference)) };
    }
    const own = type.getProperties().filter((each) => isOwn(each) && !each.name.startsWith("__"));
    return {
      alias: type.aliasSymbol?.name,
      entry: type.aliasSymbol && this.#types.get(type.aliasSymbol),
      symbol: type.symbol?.name,
      isArray: Boolean(type.getNumberIndexType() ?? type.getProperty("byteLength")),
      isOpen: type.getStringIndexType() !== undefined,
      members: own.map((member) => ({
        name: member.name,
        of: this.#number(this.checker.getTypeOfSymbol(member)),
      })),
      ...(type.symbol?.name === "Generator" && {
        yields: numbers(this.checker.getTypeArguments(/** @type {ts.TypeReference} */ (type)))[0],
      }),
    };
  }

  /** A type as it is written, where types without an entry are spelt out. @param {ts.Node} node @returns {string} */
  #print(node) {
    if (ts.isJSDocVariadicType(node)) return this.#print(node.type);
    if (ts.isConditionalTypeNode(node)) {
      return `${this.#print(node.falseType)} | ${this.#print(node.trueType)}`; // a result by an option
    }
    if (ts.isIndexedAccessTypeNode(node)) {
      const list = this.checker.getTypeFromTypeNode(node.objectType);
      const items = this.checker.getTypeArguments(/** @type {ts.TypeReference} */ (list));
      return items.map((item) => this.checker.typeToString(item)).join(" | ");
    }
    if (ts.isTypeOperatorNode(node) && node.operator === ts.SyntaxKind.KeyOfKeyword) {
      const of = this.checker.getTypeFromTypeNode(node.type).getProperties();
      return of.map(({ name }) => JSON.stringify(name)).join(" | ");
    }
    const isReference = ts.isTypeReferenceNode(node) || ts.isImportTypeNode(node);
    const name = isReference && (ts.isImportTypeNode(node) ? node.qualifier : node.typeName);
    const found = name && this.checker.getSymbolAtLocation(name);
    const symbol = found && this.#resolved(found);
    if (!isReference || !symbol || !isOwn(symbol)) return this.#copy(node);
    if (!(symbol.flags & ts.SymbolFlags.Type)) return `typeof ${symbol.name}`;
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
    const { name: told } = this.#addType(symbol);
    return isOpen ? told : `${told}<${given.map((each) => this.#print(each)).join(", ")}>`;
  }

  /** What a type parameter may be. @param {ts.Type} type @returns {string | undefined} */
  #ofParameter(type) {
    if (!type.isTypeParameter()) return undefined;
    const constraint = this.checker.getBaseConstraintOfType(type);
    const alias = constraint?.aliasSymbol && aliasNode(declarationOf(constraint.aliasSymbol));
    return alias
      ? this.#print(alias)
      : ((constraint && this.#literals(constraint)) ?? type.symbol.name);
  }

  /** The text of a node, with the types in it printed. @param {ts.Node} node @returns {string} */
  #copy(node) {
    const source = node.getSourceFile().text;
    const text = (/** @type {number} */ from, /** @type {number} */ to) =>
      source.slice(from, to).replace(/\s*\n\s*\*?\s*/g, " ");
    let copy = "";
    let at = node.getStart();
    ts.forEachChild(node, (child) => {
      copy += text(at, child.getStart()) + this.#print(child);
      at = child.end;
    });
    return copy + text(at, node.end);
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
 * @typedef {Pick<Entry, "text" | "see" | "returns" | "throws" | "examples">
 *   & {tags: readonly ts.JSDocParameterTag[], returnTag: ts.JSDocReturnTag | undefined}} Comment
 */

/** What the first comment of a module says of it, where no declaration follows. @param {string} file */
function aboutOf(file) {
  const first = /^\/\*\*(?:[^*]|\*(?!\/))*\*\/(?=\s*(?:import|export [{*]|\/[/*]))/;
  const { text, see } = parse(first.exec(readText(file))?.[0] ?? "");
  return { text: text.replace(/^[\w/]+: (.)/, (_, first) => first.toUpperCase()), see }; // phasor/files: ...
}

/** @param {string} file  from the project's root */
function readText(file) {
  return readFileSync(join(project, file), "utf8");
}

/** The last comment before a declaration, or the one that holds it. @param {ts.Node} node @returns {Comment} */
function commentOf(node) {
  const within = ts.findAncestor(node, ts.isJSDoc);
  const jsDoc = within ?? ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc).at(-1);
  const overload = jsDoc?.tags?.find(ts.isJSDocOverloadTag)?.typeExpression;
  const tags = overload?.parameters ?? jsDoc?.tags?.filter(ts.isJSDocParameterTag) ?? [];
  const returnTag = overload?.type ?? jsDoc?.tags?.find(ts.isJSDocReturnTag);
  return {
    ...parse(jsDoc?.getText() ?? ""),
    returns: textOf(returnTag?.comment),
    tags: /** @type {ts.JSDocParameterTag[]} */ (tags),
    returnTag: /** @type {ts.JSDocReturnTag | undefined} */ (returnTag),
  };
}

/** What is said of a typedef: before the first of a comment, or behind it. @param {ts.Declaration} tag */
function said(tag) {
  if (!ts.isJSDocTypedefTag(tag)) return commentOf(tag).text;
  const comment = /** @type {ts.JSDoc} */ (tag.parent);
  const before = comment.tags?.find(ts.isJSDocTypedefTag) === tag ? commentOf(tag).text : "";
  return [before, oneLine(textOf(tag.comment))].filter(Boolean).join("\n\n");
}

/** The description and some tags of a comment, without its margin. @param {string} comment */
function parse(comment) {
  const plain = comment.replace(/^\/\*\*|\s*\*\/$/g, "").replace(/^[ \t]*\* ?/gm, "");
  const [text, ...tags] = plain.split(/^ ?@/m);
  const all = (/** @type {string} */ name) =>
    tags.filter((tag) => tag.startsWith(name)).map((tag) => tag.slice(name.length).trim());
  return {
    text: text.replace(/\s@\w[^]*$/, "").trim(),
    see: all("see"),
    throws: all("throws").map((tag) => {
      const [, type = "", text = ""] = /^\{([^}]*)\}\s*([^]*)$/.exec(tag) ?? [];
      return { type, text };
    }),
    examples: all("example"),
  };
}

/** The examples in the comments of a source. @param {string} source @returns {string[]} */
export const examples = (source) =>
  [...source.matchAll(/\/\*\*[^]*?\*\//g)].flatMap(([comment]) => parse(comment).examples);

/**
 * The default that a declaration such as `scale: option.value(1)` has in the source.
 * @param {ts.TypeChecker} checker @param {ts.ObjectLiteralElement} declaration
 * @returns {string | undefined}
 */
function writtenDefault(checker, declaration) {
  const call = ts.isPropertyAssignment(declaration) ? declaration.initializer : undefined;
  if (!call || !ts.isCallExpression(call)) return undefined;
  const [first, second] = call.arguments;
  const kind = call.expression.getText().replace(/^.*\./, "");
  if (kind === "boolean") return first?.getText() ?? "false";
  if (second && ts.isStringLiteral(second)) return second.text;
  if (kind === "choice") {
    const type = /** @type {ts.TypeReference} */ (checker.getTypeAtLocation(first));
    const [word] = checker.getTypeArguments(type);
    return word?.isStringLiteral() ? word.value : undefined;
  }
  const text = first?.getText().replace(/^\((.*)\)$/, "$1");
  if (text?.startsWith("{")) return /\bdefault: ([^,}]*\w)/.exec(text)?.[1];
  return text === "undefined" ? undefined : text;
}

/** @param {Entry["kind"]} kind @param {string} name @param {string} id @param {string} file @param {Partial<Comment>} comment @returns {Entry} */
function blank(kind, name, id, file, comment) {
  const { text = "", see = [], returns = "", throws = [], examples = [] } = comment;
  const said = { text, see, returns, throws, examples };
  return {
    kind,
    name,
    id,
    file,
    ...said,
    optional: false,
    parameters: [],
    type: "",
    of: -1,
    members: [],
  };
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
  return (ts.getTextOfJSDocComment(comment) ?? "").trim();
}

/** @param {string} text */
function oneLine(text) {
  return text.replace(/\s*\n\s*/g, " ").trim();
}
