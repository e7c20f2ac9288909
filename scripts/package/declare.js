// The declarations of the package: what tsc writes from the JSDoc, as editors are to show it.

import { copyFile, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import * as common from "./commonjs.js";
import { commentOf, withOrigins, withTextsOfOptions } from "./documented.js";
import { withNamedOptions } from "./named-options.js";
import { reachable } from "./reachable.js";
import { run } from "../setup/run.js";
import { project } from "../setup/setup.js";

/** @typedef {import("../setup/setup.js").Tools} Tools */

/** The type of an import of core.wasm. */
const typesOfFile = join("src", "runtime", "core.wasm.d.ts");

/** Types of the DOM, for programs without it. */
const typesOfHost = join("src", "runtime", "host.d.ts");

/** Matches a name of one of these types. */
async function namesOfHost() {
  const text = await readFile(join(project, typesOfHost), "utf8");
  const names = [...text.matchAll(/^(?:interface|declare namespace) (\w+)/gm)].map(
    ([, name]) => name,
  );
  return new RegExp(`\\b(?:${names.join("|")}|Symbol\\.(?:d|asyncD)ispose)\\b`);
}

/** The types of the functions that C++ exports. Git ignores the file. */
export const typesOfCore = join("src", "runtime", "bindings.d.ts");

/** Declarations from the JSDoc. @param {Tools} tools @param {string} to */
export async function declare(tools, to) {
  const types = join(to, "types");
  const options = ["--project", "tsconfig.types.json", "--outDir", types];
  const tsc = join("node_modules", "typescript", "bin", "tsc");
  await run(process.execPath, [tsc, ...options], { cwd: project, env: tools.env, quiet: true });
  for (const path of [typesOfCore, typesOfFile, typesOfHost]) {
    await copyFile(join(project, path), join(types, relative("src", path)));
  }
  const paths = (await readdir(types, { recursive: true })).filter((path) =>
    path.endsWith(".d.ts"),
  );
  /** The documentation of each exported function. @type {Map<string, string>} */
  const comments = new Map();
  const written = paths.map((path) => legible(readFileSync(join(types, path), "utf8")));
  const { default: ts } = await import("typescript");
  const named = withNamedOptions(new Map(paths.map((path, i) => [path, written[i]])), sourceOf, ts);
  const texts = paths.map((path) => {
    const spaced = withSpaces(usable(String(named.get(path))), sourceOf(path));
    const told = withTextsOfOptions(untyped(spaced), ts).replace(RAW, "raw: unknown;");
    return withOrigins(told, (name, from) =>
      commentOf(String(named.get(join(dirname(path), from).replace(/js$/, "d.ts"))), name),
    );
  });
  for (const text of texts) {
    for (const [, comment, name] of text.matchAll(
      /^(\/\*\*\n(?: \*.*\n)+)export function (\w+)/gm,
    )) {
      comments.set(name, comment.replace(/^ \* @param \{Core\} core\n/m, ""));
    }
  }
  const host = relative("src", typesOfHost);
  const names = await namesOfHost();
  const given = JSON.stringify(packed.exports).matchAll(/dist\/types\/([^"]+\.d\.ts)/g);
  const entries = [...new Set(Array.from(given, ([, path]) => path))].filter((path) =>
    paths.includes(path),
  );
  const left = reachable(new Map(paths.map((path, i) => [path, texts[i]])), entries, ts);
  for (const path of paths) {
    const text = left.get(path);
    if (path === host) continue;
    if (text === undefined) {
      await rm(join(types, path));
      continue;
    }
    const isNaming = names.test(text.replace(/\/\*[^]*?\*\//g, ""));
    const to = relative(dirname(path), host).replace(/^(?!\.)/, "./");
    const referring = isNaming ? `/// <reference path="${to}" />\n` : "";
    await writeFile(join(types, path), referring + described(text, comments));
  }
  const plots = await readFile(join(types, "plots", "index.d.ts"), "utf8");
  await writeFile(join(types, "plots", "node.d.ts"), withoutPage(plots));
  for (const [path, from] of common.COMMON_TYPES) {
    const declarations = await readFile(join(types, relative("dist/types", from)), "utf8");
    const made = common.commonTypes(declarations, basename(from));
    await writeFile(join(types, relative("dist/types", path)), made);
  }
  await prune(types);
}

/**
 * The declarations of `phasor/plots` where a program is resolved as one for Node: without a page, a figure is an SVG
 * string unless the program says otherwise.
 * @param {string} declarations  of pages
 */
function withoutPage(declarations) {
  const parts = declarations.split('As extends "element" | "svg" = "element"');
  if (parts.length !== 2) throw new Error("The form of a figure must have one default.");
  return parts.join('As extends "element" | "svg" = "svg"').replace('[As="element"]', '[As="svg"]');
}

/**
 * Declarations in which a property that is a function by name has that function's comment, which editors show.
 * @param {string} declarations @param {ReadonlyMap<string, string>} comments  by the functions' names
 */
function described(declarations, comments) {
  return declarations.replace(/^( +)(\w+): typeof (?:\w+\.)?\2;$/gm, (line, margin, name) => {
    const comment = comments.get(name)?.replace(/^(?=.)/gm, margin) ?? "";
    return comment + line;
  });
}

const packed = JSON.parse(readFileSync(join(project, "package.json"), "utf8"));

/** Removes the declarations that no entry's refer to. @param {string} types  folder */
async function prune(types) {
  /** @type {Set<string>} */
  const kept = new Set();
  /** @param {string} path */
  const keep = (path) => {
    if (kept.has(path)) return;
    kept.add(path);
    const text = readFileSync(path, "utf8").replace(/^ *\*.*$/gm, ""); // examples in comments import, too
    for (const [, to] of text.matchAll(/(?:from |import\(|path=)"(\.[^"]*)"/g))
      keep(join(dirname(path), to.replace(/(?:\.d\.ts|\.js)$/, ".d.ts")));
  };
  for (const [path] of JSON.stringify(packed.exports).matchAll(/dist\/types\/[^"]+/g))
    keep(join(types, relative("dist/types", path)));
  for (const name of await readdir(types, { recursive: true }))
    if (/\.d\.c?ts$/.test(name) && !kept.has(join(types, name))) await rm(join(types, name));
}

/**
 * Declarations whose comments leave out the types that are beside them.
 * @param {string} declarations
 */
function untyped(declarations) {
  return declarations.replace(/\/\*\*[^]*?\*\//g, (comment) => {
    let text = comment;
    const tag = /(@(?:param|returns?|template|type|this)) \{/g;
    for (let found = tag.exec(text); found; found = tag.exec(text)) {
      const from = found.index + found[1].length + 1;
      let [to, depth] = [from, 0];
      do {
        if (text[to] === "{") ++depth;
        if (text[to] === "}") --depth;
      } while (++to < text.length && depth > 0);
      if (depth > 0) break; // not a type
      text = text.slice(0, from) + text.slice(to).replace(/^ +/, "");
      tag.lastIndex = from;
    }
    return text
      .replace(/^ *\*(?: @(?:param|template|this|type) *(?:\[?[\w.]+\]?)?)+ *\n(?! *\* {2})/gm, "")
      .replace(/^ *\* @returns? *\n(?! *\* {2})/gm, "")
      .replace(/ *@(?:type|this|returns?) *(?=\*\/)/g, "");
  });
}

/** The functions of the core, which no program calls: their types would be in the package. */
const RAW = /\braw: Raw;$/m;

/** The module of a declaration. @param {string} path */
function sourceOf(path) {
  const at = join(project, "src", path.replace(/d\.ts$/, "js"));
  return existsSync(at) ? readFileSync(at, "utf8") : "";
}

/**
 * Declarations in which an object of functions, for which tsc writes a namespace, has its comment.
 * @param {string} declarations @param {string} source  of the module
 */
const withSpaces = (declarations, source) =>
  declarations.replace(/(\*\/\n)?^export namespace (\w+) \{$/gm, (line, before, name) => {
    const comments = source.match(/\/\*\*(?:(?!\*\/)[^])*\*\/\nexport const \w+ = /g) ?? [];
    const found = comments.find((each) => each.endsWith(`export const ${name} = `));
    return found && !before ? found.replace(/export const \w+ = $/, line) : line;
  });

/**
 * Declarations in which `using` may have what has `dispose`, as `disposable` does (src/runtime/lifetime.js).
 * @param {string} declarations
 */
const usable = (declarations) =>
  declarations.replace(
    /^( *)dispose(\(\): void|: \(\) => (?:void|Promise<void>));$/gm,
    (line, margin, type) => {
      const ways = [
        `[Symbol.dispose]${type}`,
        ...(type.includes("Promise") ? [`[Symbol.asyncDispose]${type}`] : []),
      ];
      const own = ways.map((way) => `${margin}/** What \`using\` calls. */\n${margin}${way};`);
      return [line, ...own].join("\n");
    },
  );

/**
 * Declarations whose comments begin lines: tsc writes that of a function that is returned behind the colon, where
 * TypeScript itself reads none. It leaves the comments of types that it has written out. And TypeScript before 5.7 has
 * typed arrays without a type of buffer.
 * @param {string} declarations
 */
function legible(declarations) {
  return declarations
    .replace(/(\S) ?(\/\*\*)$/gm, "$1\n$2")
    .replace(/^ *\/\*\*(?:(?!\*\/)[^])*?@(?:typedef|callback|import)\b(?:(?!\*\/)[^])*\*\/\n/gm, "")
    .replace(/\b(\w+Array|ArrayBufferView|DataView)<ArrayBuffer(Like)?>/g, "$1");
}
