// Makes dist/phasor.py: src/python/phasor.py with the package's version, and with the parameters,
// options and text of every function, read from the JSDoc in src.

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { project } from "./setup.js";

/** @import ts from "typescript" */

/**
 * The documentation in Python of a function, a module, or an object that a function creates.
 *
 * @typedef {object} Entry
 * @property {string[]} parameters  those that may be left out end with "="
 * @property {string[]} options
 * @property {string} text
 */

/** What a Python function would raise. @type {Record<string, string>} */
const ERRORS = {
  TypeError: "TypeError",
  RangeError: "ValueError",
  OutOfMemoryError: "MemoryError",
  DisposedError: "TypeError",
};

/** Python's keywords, which get an underscore. */
const KEYWORDS = ["as", "from", "in", "is", "not", "or", "with"];

/** A name of JavaScript's as Python has it; `_snake` in phasor.py. @param {string} name */
export function snake(name) {
  const words = name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, "_").toLowerCase();
  return KEYWORDS.includes(words) ? `${words}_` : words;
}

/** `_camel` in phasor.py. @param {string} name */
const camel = (name) =>
  name.replace(/_$/, "").replace(/_([a-z0-9])/g, (_, first) => first.toUpperCase());

/** Writes phasor.py. @param {string} to  the folder */
export async function writePython(to) {
  const { version } = JSON.parse(await readFile(join(project, "package.json"), "utf8"));
  const source = await readFile(join(project, "src/python/phasor.py"), "utf8");
  const entries = await documentation();
  const lines = [...entries].map(
    ([path, { parameters, options, text }]) =>
      `    ${quoted(path)}: (${list(parameters)}, ${list(options)}, ${long(text)}),`,
  );
  await writeFile(
    join(to, "phasor.py"),
    [
      source.replace(/^__version__ = .*$/m, `__version__ = "${version}"`),
      "",
      "# Made from the comments of the JavaScript: see DOCUMENTATION above.",
      "DOCUMENTATION.update({",
      ...lines,
      "})",
      "",
    ].join("\n"),
  );
}

const quoted = (/** @type {string} */ text) => JSON.stringify(text);
const list = (/** @type {string[]} */ names) => `[${names.map(quoted).join(", ")}]`;
/** A text of several lines, as Python writes it. @param {string} text */
export const long = (text) =>
  `"""${text.replaceAll("\\", "\\\\").replaceAll('"""', '\\"\\"\\"').replace(/"$/, '\\"')}"""`;

/**
 * Every function of the package, by its path in Python: "rope.table", "embedding.create().lookup". Modules and the
 * objects that functions create have entries without parameters.
 *
 * @returns {Promise<Map<string, Entry>>}
 */
export async function documentation() {
  const { ts, checker, modules } = await surface();
  const reader = new Reader(ts, checker);
  for (const { path, type, symbol } of modules) reader.read(path, type, symbol);
  return reader.entries();
}

/**
 * The modules of the Python package, as TypeScript types.
 *
 * @returns {Promise<{ts: typeof ts, checker: ts.TypeChecker, modules: {path: string, type: ts.Type, symbol: ts.Symbol}[]}>}
 */
export async function surface() {
  const { default: ts } = await import("typescript");
  const files = ["index.js", "models/index.js", "plots/index.js"].map((name) =>
    join(project, "src", name),
  );
  const { config } = ts.readConfigFile(join(project, "tsconfig.json"), ts.sys.readFile);
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, project);
  const program = ts.createProgram(files, { ...options, types: [] });
  const checker = program.getTypeChecker();
  const [index, models, plots] = files.map((file) => {
    const module = checker.getSymbolAtLocation(
      /** @type {ts.SourceFile} */ (program.getSourceFile(file)),
    );
    const exported = checker.getExportsOfModule(/** @type {ts.Symbol} */ (module));
    return (/** @type {string} */ name) =>
      /** @type {ts.Symbol} */ (exported.find((symbol) => symbol.name === name));
  });
  const figures = checker.getTypeOfSymbol(plots("figures")).getCallSignatures()[0];
  return {
    ts,
    checker,
    modules: [
      ...checker
        .getDeclaredTypeOfSymbol(index("Phasor"))
        .getProperties()
        .map((module) => ({
          path: snake(module.name),
          type: checker.getTypeOfSymbol(module),
          symbol: module,
        })),
      { path: "models", type: checker.getTypeOfSymbol(models("models")), symbol: models("models") },
      { path: "plots", type: figures.getReturnType(), symbol: plots("figures") },
    ],
  };
}

class Reader {
  /** @type {Map<string, Entry>} */
  #entries = new Map();

  /** Names that differ in Python, wherever the texts mention them. @type {Set<string>} */
  #names = new Set();

  /** @param {typeof ts} typescript @param {ts.TypeChecker} checker */
  constructor(typescript, checker) {
    this.ts = typescript;
    this.checker = checker;
  }

  /** With the texts' names as Python has them. */
  entries() {
    for (const entry of this.#entries.values()) {
      entry.text = entry.text.replace(/`([a-zA-Z0-9.]+)`/g, (all, path) =>
        path in ERRORS
          ? `\`${ERRORS[path]}\``
          : path.split(".").every((/** @type {string} */ name) => this.#names.has(name))
            ? `\`${path.split(".").map(snake).join(".")}\``
            : all,
      );
    }
    return this.#entries;
  }

  /**
   * @param {string} path @param {ts.Type} type  of a module, a function or what a function creates
   * @param {ts.Symbol | undefined} symbol  whose comment tells of it
   */
  read(path, type, symbol) {
    const [signature] = type.getCallSignatures().slice(-1); // figures have two, for text first
    if (signature) this.#function(path, signature, symbol);
    else {
      const text = this.#comment(symbol) || this.#makers(type);
      if (text) this.#entries.set(path, { parameters: [], options: [], text });
    }
    for (const property of type.getProperties()) {
      const own = this.checker.getTypeOfSymbol(property);
      if (this.#isOurs(property)) this.#names.add(property.name);
      if (own.getCallSignatures().length > 0 && this.#isOurs(property)) {
        this.read(`${path}.${snake(property.name)}`, own, property);
      }
    }
  }

  /** The comment of the function that creates a module. @param {ts.Type} type */
  #makers({ symbol }) {
    const [literal] = symbol?.declarations ?? [];
    const maker = literal && this.ts.findAncestor(literal, this.ts.isFunctionDeclaration);
    return maker?.name ? this.#comment(this.checker.getSymbolAtLocation(maker.name)) : "";
  }

  /** @param {ts.Symbol} symbol  of a declaration of phasor's, not of the language */
  #isOurs(symbol) {
    const [declaration] = symbol.declarations ?? [];
    return (
      Boolean(declaration) && !/\/lib\.[^/]*\.d\.ts$/.test(declaration.getSourceFile().fileName)
    );
  }

  /** @param {string} path @param {ts.Signature} signature @param {ts.Symbol | undefined} symbol */
  #function(path, signature, symbol) {
    const { checker } = this;
    const given = signature.parameters.filter(({ name }) => name !== "options");
    const last = signature.parameters.find(({ name }) => name === "options");
    const options = last ? this.#properties(checker.getTypeOfSymbol(last)) : [];
    const kept = options.filter(({ name }) => name !== "out"); // Python's arrays cannot be filled
    for (const { name } of [...given, ...kept]) {
      this.#names.add(name);
      if (camel(snake(name)) !== name) throw new Error(`${path}: ${name} has no name in Python`);
    }
    const isOptional = (/** @type {ts.Symbol} */ parameter) =>
      checker.isOptionalParameter(
        /** @type {ts.ParameterDeclaration} */ (parameter.valueDeclaration),
      );
    const tags = signature.getJsDocTags();
    const all = tags.length > 0 ? tags : (symbol?.getJsDocTags(checker) ?? []);
    this.#entries.set(path, {
      parameters: given.map((each) => snake(each.name) + (isOptional(each) ? "=" : "")),
      options: kept.map(({ name }) => snake(name)),
      text: this.#text(
        this.#comment(signature) || this.#comment(symbol),
        given.map(({ name }) => ({ name, text: this.#parameter(all, name) })),
        kept.map((option) => ({
          name: option.name,
          text: this.#comment(option) || this.#parameter(all, `options.${option.name}`),
        })),
        this.#parameter(all, "options"),
        all,
      ),
    });
    const made = signature.getReturnType();
    const own = made.getProperties();
    const isResident =
      own.every((each) => this.#isOurs(each)) &&
      own.some((each) => checker.getTypeOfSymbol(each).getCallSignatures().length > 0) &&
      !own.some(({ name }) => name === "toString"); // a Tensor, or this or that with one
    if (isResident) this.read(`${path}()`, made, made.aliasSymbol);
  }

  /** Also of a union, of all its members. @param {ts.Type} type @returns {ts.Symbol[]} */
  #properties(type) {
    const known = this.checker.getNonNullableType(type);
    const types = known.isUnion() ? known.types : [known];
    const found = types.flatMap((each) => each.getProperties());
    return found.filter(({ name }, i) => found.findIndex((other) => other.name === name) === i);
  }

  /** @param {ts.Symbol | ts.Signature | undefined} of */
  #comment(of) {
    return this.ts.displayPartsToString(of?.getDocumentationComment(this.checker)).trim();
  }

  /** @param {ts.JSDocTagInfo[]} tags @param {string} name */
  #parameter(tags, name) {
    const tag = tags.find((each) => {
      return each.name === "param" && each.text?.[0]?.text.replace(/[[\]]/g, "") === name;
    });
    return this.ts.displayPartsToString(tag?.text?.slice(1)).trim().replace(/^-\s*/, "");
  }

  /**
   * @typedef {{name: string, text: string}} Named
   * @param {string} comment @param {Named[]} parameters @param {Named[]} options
   * @param {string} about  all options @param {ts.JSDocTagInfo[]} tags
   */
  #text(comment, parameters, options, about, tags) {
    /** @param {string} name */
    const tagged = (name) =>
      tags
        .filter((tag) => tag.name === name)
        .map((tag) => this.ts.displayPartsToString(tag.text).trim())
        .filter(Boolean);
    /** @param {Named[]} named */
    const lines = (named) =>
      named.map(({ name, text }) => indent(`${snake(name)}  ${withoutOut(text)}`.trim()));
    const raises = tagged("throws").map((text) =>
      text.replace(/^\{([^}]*)\}/, (_, names) =>
        names
          .replace(/\w+/g, (/** @type {string} */ name) => ERRORS[name] ?? name)
          .replaceAll(" |", ","),
      ),
    );
    /** @type {[string, string[]][]} */
    const sections = [
      ["Parameters", lines(parameters)],
      ["Options", [...lines(options), ...[withoutOut(about)].filter(Boolean).map(indentAll)]],
      ["Returns", tagged("returns").map(indent)],
      ["Raises", raises.map(indent)],
      ["Source", tagged("see").map(indent)],
      ["In JavaScript", tagged("example").map(indentAll)],
    ];
    return [
      comment,
      ...sections
        .filter(([, lines]) => lines.length > 0)
        .map(([title, lines]) => `${title}\n${lines.join("\n")}`),
    ].join("\n\n");
  }
}

/** @param {string} text  whose further lines stand deeper than the first */
const indent = (text) => `    ${text.replaceAll("\n", "\n        ")}`;

/** @param {string} code */
const indentAll = (code) => code.replace(/^(?=.)/gm, "    ");

/** Python's arrays cannot be filled in place. @param {string} text */
function withoutOut(text) {
  return text
    .replace(/;?\s*`out`\s+(is|are)\s+filled[^;]*/, "")
    .replace(/;? not changed unless it is `out`/, "")
    .replace(/^;\s+/, "")
    .trim();
}
