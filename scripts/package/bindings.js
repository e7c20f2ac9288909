// The types of the functions that C++ exports, from the signatures in *.bind.cpp. The build writes them to
// src/runtime/bindings.d.ts, so JavaScript that passes other arguments than C++ accepts is a type error.
// A function of many arguments takes a block, the address of a struct, whose fields JavaScript passes by name.

import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { filesIn } from "../setup/once.js";
import { project } from "../setup/setup.js";

/** Types of JavaScript by those of C++; every other is a number. @type {Record<string, string>} */
const TYPES = { bool: "boolean", Flag: "boolean", void: "void" };

/** The types of four bytes that a block may hold, apart from enumerations. */
const WORD = /^(Ptr|Size|Flag|int|std::(size_t|ptrdiff_t|u?int32_t))$/;

/**
 * A struct of a *.bind.cpp, or of a header if it has numbers alone.
 * @typedef {object} Block
 * @property {string} name  of its type in JavaScript
 * @property {number} bytes
 * @property {number} align
 * @property {{name: string, at: number, type: string, block?: Block}[]} fields
 *
 * @typedef {object} Kernel  an exported function
 * @property {string} name
 * @property {string} declaration  `alibi_slopes(biasMax: number, ...): number`
 * @property {number} numbers  how many it takes, apart from a block
 * @property {Block} [block]
 */

/** `new_H` is `newH`. @param {string} name */
const camel = (name) => name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());

/** `Size new_H` is `newH: number`. @param {string} parameter */
function typed(parameter) {
  const [, type, name] = /^\s*([\w:]+)\s+(\w+)\s*$/.exec(parameter) ?? [];
  if (!name) throw new Error(`A parameter of a binding must be TYPE NAME; got ${parameter}.`);
  return `${name === "in" ? "from" : camel(name)}: ${TYPES[type] ?? "number"}`; // `in` is a keyword
}

/**
 * Finds the structs of a module by name, and lays them out as the compiler does.
 * @param {string} code  of its *.bind.cpp @param {string} module @param {readonly string[]} headers  texts of *.h files
 * @returns {(type: string) => Block | undefined}
 */
function structsOf(code, module, headers) {
  const texts = new Map([["", code]]);
  for (const text of headers) {
    const space = /^namespace phasor::(\w+)/m.exec(text)?.[1] ?? "phasor";
    texts.set(space, (texts.get(space) ?? "") + text);
  }
  /** @type {Map<string, Block | undefined>} */
  const known = new Map();
  const find = (/** @type {string} */ type) => {
    if (!known.has(type)) known.set(type, layOut(type));
    return known.get(type);
  };
  return find;

  /** @param {string} type  `Scan`, `embedding::Rule` @returns {Block | undefined} */
  function layOut(type) {
    const [, space = "", struct] = /^(?:(\w+)::)?(\w+)$/.exec(type) ?? [];
    const text = texts.get(space);
    const [, body] = RegExp(`^struct ${struct} \\{([^}]*)\\};`, "m").exec(text ?? "") ?? [];
    if (body === undefined) return;
    /** @type {Block} */
    const made = { name: camel(`_${space || module}`) + struct, bytes: 0, align: 4, fields: [] };
    for (const line of body.replace(/\/\/.*/g, "").split(/;\s*/)) {
      if (line === "") continue;
      const [, type = "", names = ""] =
        /^\s*([\w:]+)\s+(\w+(?:,\s*\w+)*)(?:\s*=[^]*)?$/.exec(line) ?? [];
      const local = `${space}::${type}`;
      const block = find(type) ?? find(local);
      const isWord = WORD.test(type) || isEnum(type) || isEnum(local);
      if (!block && !isWord && type !== "double") {
        throw new Error(`A field of ${struct} must be a number or a block; got ${line.trim()}.`);
      }
      const { bytes, align } = block ?? (isWord ? { bytes: 4, align: 4 } : { bytes: 8, align: 8 });
      for (const field of names.split(/,\s*/)) {
        const at = Math.ceil(made.bytes / align) * align;
        made.fields.push({ name: camel(field), at, type, block });
        made.bytes = at + bytes;
      }
      made.align = Math.max(made.align, align);
    }
    made.bytes = Math.ceil(made.bytes / made.align) * made.align;
    return made;
  }

  /** @param {string} type  `similarity::Metric` */
  function isEnum(type) {
    const [space, name] = type.split("::");
    return RegExp(`^enum class ${name} : std::int32_t \\{`, "m").test(texts.get(space) ?? "");
  }
}

/**
 * The functions that a binding exports.
 * @param {string} code  of a *.bind.cpp @param {string} module
 * @param {readonly string[]} [headers]  texts of the *.h files that its blocks refer to
 * @returns {Kernel[]}
 */
export function kernelsOf(code, module, headers = []) {
  const structOf = structsOf(code, module, headers);
  const exported = code.matchAll(/emscripten::function\("(\w+)",\s*&(\w+)\)/g);
  return Array.from(exported, ([, name, of]) => {
    const signature = RegExp(`^(\\w[\\w:]*) ${of}\\(([^)]*)\\) \\{`, "m").exec(code);
    if (!signature) throw new Error(`${name} must be defined as TYPE ${of}(...) { in its file.`);
    const [, type, list] = signature;
    const result = TYPES[type] ?? "number";
    const block = structOf(/^const (\w+)& \w+$/.exec(list)?.[1] ?? "");
    const all = block ? [`a: ${block.name}`] : list.trim() === "" ? [] : list.split(",").map(typed);
    const declaration = `${name}(${all.join(", ")}): ${result}`;
    return { name, declaration, numbers: block ? 0 : all.length, block };
  });
}

const read = (/** @type {string} */ path) => readFileSync(join(project, path), "utf8");

/** Every function that C++ exports. */
export function kernels() {
  const headers = filesIn("src", ".h").map(read);
  return filesIn("src", ".bind.cpp").flatMap((path) =>
    kernelsOf(read(path), basename(path, ".bind.cpp"), headers),
  );
}

/** The blocks that kernels take, each after those that it has within. @param {readonly Kernel[]} kernels */
function blocksOf(kernels) {
  /** @type {Map<string, Block>} */
  const found = new Map();
  const add = (/** @type {Block | undefined} */ block) => {
    if (!block) return;
    for (const field of block.fields) add(field.block);
    found.set(block.name, block);
  };
  for (const { block } of kernels) add(block);
  return [...found.values()];
}

/**
 * What these functions are called where the package ships: `a0` and so on, the same in every entry.
 * @returns {Record<string, string>} by name
 */
export function shortNames() {
  const names = kernels().map(({ name }) => name);
  // Every number of this size begins with a letter in this base.
  return Object.fromEntries(names.sort().map((name, i) => [name, (360 + i).toString(36)]));
}

/** The whole file. */
export function bindings() {
  const all = kernels();
  return [
    "// Written by scripts/package/bindings.js from the *.bind.cpp files.",
    "",
    ...blocksOf(all).flatMap(({ name, fields }) => [
      `export interface ${name} {`,
      ...fields.map(
        ({ name, type, block }) => `  ${name}: ${block?.name ?? TYPES[type] ?? "number"};`,
      ),
      "}",
      "",
    ]),
    "export interface Bindings {",
    ...all.map(({ declaration }) => `  ${declaration};`),
    "}",
    "",
  ].join("\n");
}

/**
 * The module "phasor-core/blocks": functions that write blocks and call kernels with them. All use the same memory,
 * since a kernel has read its block when it returns, and calls nothing that has another.
 * @param {readonly Kernel[]} called  by an entry
 */
export function writers(called) {
  const blocks = blocksOf(called);
  if (blocks.length === 0) return "export const blocks = () => ({});\n";
  return [
    ...blocks.map((block) => `const ${block.name} = (i, d, n, a) => {${writes(block)}};`),
    "export function blocks(raw, core) {",
    `  const at = raw._malloc(${Math.max(...blocks.map(({ bytes }) => bytes))});`,
    "  return {",
    // Not by a function of a kernel and its writer: engines compile these calls in line.
    ...called.map(({ name, block }) =>
      block
        ? `    ${name}(a) { ${block.name}(raw.HEAP32, raw.HEAPF64, at / 4, a); return core.${name}(at); },`
        : "",
    ),
    "  };",
    "}",
    "",
  ].join("\n");
}

/**
 * Statements that write the fields of a block one after the other, and return where it ends: all the same, so they
 * compress well.
 * @param {Block} block
 */
function writes({ fields, bytes }) {
  let next = 0;
  const statements = fields.map(({ name, at, type, block }) => {
    const gap = at > next ? "n++; " : ""; // before a double
    next = at + (block?.bytes ?? (type === "double" ? 8 : 4));
    if (block) return `${gap}n = ${block.name}(i, d, n, a.${name});`;
    return type === "double" ? `${gap}d[n >> 1] = a.${name}; n += 2;` : `i[n++] = a.${name};`;
  });
  return [...statements, bytes > next ? "return n + 1;" : "return n;"].join(" ");
}
