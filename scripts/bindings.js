// The types of the functions that C++ exports, from the signatures in *.bind.cpp. The build writes them to
// src/runtime/bindings.d.ts, so JavaScript that passes other arguments than C++ accepts is a type error.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { filesIn } from "./once.js";
import { project } from "./setup.js";

/** Types of JavaScript by those of C++; every other is a number. @type {Record<string, string>} */
const TYPES = { bool: "boolean", void: "void" };

/** `Size new_H` is `newH: number`. @param {string} parameter */
function typed(parameter) {
  const [, type, name] = /^\s*([\w:]+)\s+(\w+)\s*$/.exec(parameter) ?? [];
  if (!name) throw new Error(`A parameter of a binding must be TYPE NAME; got ${parameter}.`);
  const camel = name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());
  return `${camel === "in" ? "from" : camel}: ${TYPES[type] ?? "number"}`; // `in` is a keyword
}

/**
 * The declarations of the functions that a binding exports.
 * @param {string} code  of a *.bind.cpp
 * @returns {string[]} `alibi_slopes(biasMax: number, ...): number`
 */
export function declarationsOf(code) {
  const exported = code.matchAll(/emscripten::function\("(\w+)",\s*&(\w+)\)/g);
  return Array.from(exported, ([, name, of]) => {
    const signature = RegExp(`^(\\w[\\w:]*) ${of}\\(([^)]*)\\) \\{`, "m").exec(code);
    if (!signature) throw new Error(`${name} must be defined as TYPE ${of}(...) { in its file.`);
    const [, result, list] = signature;
    const parameters = list.trim() === "" ? [] : list.split(",").map(typed);
    return `${name}(${parameters.join(", ")}): ${TYPES[result] ?? "number"}`;
  });
}

/** The declarations of all functions that C++ exports. */
const declared = () =>
  filesIn("src", ".bind.cpp").flatMap((path) =>
    declarationsOf(readFileSync(join(project, path), "utf8")),
  );

/**
 * What these functions are called where the package ships: `a0` and so on, the same in every entry.
 * @returns {Record<string, string>} by name
 */
export function shortNames() {
  const names = declared().map((line) => line.slice(0, line.indexOf("(")));
  // Every number of this size begins with a letter in this base.
  return Object.fromEntries(names.sort().map((name, i) => [name, (360 + i).toString(36)]));
}

/** The whole file. */
export function bindings() {
  const lines = declared();
  return [
    "// Written by scripts/bindings.js from the *.bind.cpp files.",
    "",
    "export interface Bindings {",
    ...lines.map((line) => `  ${line};`),
    "}",
    "",
  ].join("\n");
}
