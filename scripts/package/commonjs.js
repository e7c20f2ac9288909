// The package for tools that can only require CommonJS (Jest in its default setting), and as a classic script.

import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { project } from "../setup/setup.js";

const { exports } = JSON.parse(readFileSync(join(project, "package.json"), "utf8"));

/** What is required of CommonJS by an import of an entry, by path. @type {{types: {require?: string, default: string}, require: string}[]} */
const required = Object.values(exports).filter((target) => target.require);

/**
 * The names of the entries that have a file for CommonJS; for the others it is that of the default entry, which has all
 * that they have.
 */
export const COMMON = required
  .map((target) => posix.basename(target.require, ".cjs"))
  .filter((name) => name !== "index");

/** The declarations for CommonJS, paths in the package, and those that they are made of. */
export const COMMON_TYPES = new Map(
  required.flatMap(({ types }) =>
    [types, /** @type {any} */ (types).node ?? {}].flatMap(({ require, default: from }) =>
      require ? [[posix.normalize(require), posix.normalize(from)]] : [],
    ),
  ),
);

/** Stands for `import.meta.url` in the file of `COMMON`. */
export const ADDRESS = "PHASOR_ADDRESS";

/** Files that this writes beside the modules. */
export const commonFiles = [
  "index.cjs",
  "global",
  "common.cjs",
  ...COMMON.map((name) => `${name}.cjs`),
];

/**
 * A minified module without its one `export`, and what this exports as the members of an object.
 * @param {string} path
 */
async function opened(path) {
  const code = await readFile(path, "utf8");
  const found = /export\{([^{}]*)\};?\s*$/.exec(code);
  if (!found) throw new Error(`${path} must end with what it exports`);
  const members = found[1].split(",").map((pair) => {
    const [own, name = own] = pair.trim().split(/\s+as\s+/);
    return `${name}:${own}`;
  });
  const body = code
    .slice(0, found.index)
    .replace(
      IMPORT,
      (_, names, from) => `const{${names.replace(/\s+as\s+/g, ":")}}=require(${from});`,
    );
  return { body: `"use strict";${body}`, members: `{${members.join(",")}}` };
}

/** What a minified module imports from the default entry. */
const IMPORT = /\bimport\{([^{}]*)\}from("\.\/index\.cjs");?/g;

/**
 * The default entry as one file for CommonJS and for pages: a classic script with a global `phasor`. It has a folder
 * because servers send `.cjs` with a type that browsers refuse, and Node takes `.js` for a module without one.
 * @param {string} path  of the ES module
 */
export async function writeScript(path) {
  const folder = join(dirname(path), "global");
  const { body, members } = await opened(path);
  const footer = 'if(typeof module==="object"&&module.exports)module.exports=phasor;';
  const code = `var phasor=(()=>{${body}return${members}})();\n${footer}\n`;
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "phasor.global.js"), code);
  await writeFile(join(folder, "package.json"), '{ "type": "commonjs" }\n');
  const stub = 'module.exports = require("./global/phasor.global.js");\n';
  await writeFile(path.replace(/js$/, "cjs"), stub);
}

/** The code of a module that has entries, each run when it is first asked for. @param {(name: string) => string} sourceOf */
export const commonSource = (sourceOf) =>
  COMMON.map((name) => `export const ${identifier(name)} = () => require("./${sourceOf(name)}");`).join("\n"); // prettier-ignore

/** @param {string} name  of an entry */
const identifier = (name) => name.replaceAll("-", "_");

/** Exports of an entry with a default: tools look for the words `exports.default`. */
const BY_DEFAULT = `Object.defineProperty(exports, "__esModule", { value: true });
Object.assign(exports, entry);
exports.default = entry.default;
`;

/**
 * The other entries for CommonJS: one file with all of them, so that they share what they have in common, and a line for
 * each.
 * @param {string} path  of the ES module made of `commonSource`; it is removed
 * @param {(name: string) => string} sourceOf  the module in src/ of an entry
 */
export async function writeCommon(path, sourceOf) {
  // Node has the address; a bundler for other hosts may not.
  const address =
    'globalThis.process?.getBuiltinModule?.("node:url")?.pathToFileURL(__filename).href';
  const banner = `const ${ADDRESS}=typeof __filename==="string"?${address}:undefined;`;
  const { body, members } = await opened(path);
  await writeFile(path.replace(/js$/, "cjs"), `${banner}\n${body}module.exports=${members};\n`);
  await rm(path);
  for (const name of COMMON) {
    const entry = `require("./common.cjs").${identifier(name)}();\n`;
    const isOfDefault = /^export default/m.test(await readFile(join(project, "src", sourceOf(name)), "utf8")); // prettier-ignore
    const stub = isOfDefault ? `const entry = ${entry}${BY_DEFAULT}` : `module.exports = ${entry}`;
    await writeFile(join(dirname(path), `${name}.cjs`), stub);
  }
}

/**
 * The declarations of an entry for what requires it. Its types come by their names; a class is a value and a type, so it
 * is written out.
 * @param {string} declarations  of the ES module @param {string} file  its name beside them
 */
export function commonTypes(declarations, file) {
  const imported = '{ "resolution-mode": "import" }';
  const from = (/** @type {string} */ path) => `import("${path}", { with: ${imported} })`;
  const own = `./${file.replace(/\.d\.ts$/, ".js")}`;
  const values = [...declarations.matchAll(/^export (?:function (\w+)|\{ (.*) \} from)/gm)]
    .flatMap(([, name, names]) => name ?? names.split(", "))
    .sort();
  const [, byDefault] = /^export default function (\w+)/m.exec(declarations) ?? [];
  const [, tensor] = /^export \{ Tensor \} from "(.*)";$/m.exec(declarations) ?? [];
  return [
    `export type * from "${own}" with ${imported};`,
    ...values.map((name) => `export const ${name}: typeof ${from(own)}.${name};`),
    ...values
      .filter((name) => name.endsWith("Error"))
      .map((name) => `export type ${name} = ${from(own)}.${name};`),
    ...(tensor
      ? [
          `export type Tensor<Data extends ${from(tensor)}.TensorData = Float32Array> = ${from(own)}.Tensor<Data>;`,
        ]
      : []),
    ...(byDefault
      ? [`declare const ${byDefault}: typeof ${from(own)}.default;`, `export default ${byDefault};`]
      : []),
    "",
  ].join("\n");
}
