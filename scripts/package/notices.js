// The notices of what is bundled, from the license files that its packages and the compiler bring.

import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { project } from "../setup/setup.js";

/** Whose colors src/plots/colors.js writes out. */
export const BORROWED = "d3-scale-chromatic";

const BETWEEN = `\n${"-".repeat(80)}\n\n`;

/**
 * The package that a module is from.
 * @param {string} path @returns {string | undefined}
 */
export const packageOf = (path) =>
  /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path.replaceAll("\\", "/"))?.[1];

/**
 * The notices of packages and of what they depend on, which some bring along bundled; in the order of their names.
 * @param {Iterable<string>} packages @returns {string}
 */
export function notices(packages) {
  const all = new Set(packages);
  for (const name of all) for (const other of dependenciesOf(name)) all.add(other);
  const texts = Array.from(all)
    .sort()
    .map((name) => `${name}\n\n${licenseOf(name)}\n`);
  return texts.join(BETWEEN);
}

/** @param {string} name  of a package @returns {string[]} */
function dependenciesOf(name) {
  const path = join(project, "node_modules", name, "package.json");
  return Object.keys(JSON.parse(readFileSync(path, "utf8")).dependencies ?? {});
}

/** @param {string} name  of a package */
function licenseOf(name) {
  const folder = join(project, "node_modules", name);
  const files = ["LICENSE", "LICENSE.md", "LICENSE.txt", "license", "COPYING"];
  const file = files.map((each) => join(folder, each)).find(existsSync);
  if (!file)
    throw new Error(`${name} must come with its license; it has none of ${files.join(", ")}.`);
  return readFileSync(file, "utf8").trim();
}

/**
 * The notices of what is linked into the core: Emscripten's runtime and musl. Of LLVM's libraries, whose license
 * has an exception for what is compiled with them, it needs none.
 * @param {string} emcc  path of the compiler
 */
export function coreNotices(emcc) {
  const folder = dirname(emcc);
  const musl = join(folder, "system/lib/libc/musl/COPYRIGHT");
  if (!existsSync(musl))
    throw new Error(`Emscripten must come with musl's COPYRIGHT; ${musl} is missing.`);
  const texts = { Emscripten: emscriptenLicense(folder), musl: readFileSync(musl, "utf8").trim() };
  return Object.entries(texts)
    .map(([name, text]) => `${name}\n\n${text}\n`)
    .join(BETWEEN);
}

/** Where Debian keeps the licenses of Emscripten, in its own format. */
const DEBIAN = "/usr/share/doc/emscripten/copyright";

/** @param {string} folder  of Emscripten */
function emscriptenLicense(folder) {
  const own = join(folder, "LICENSE");
  if (existsSync(own)) return readFileSync(own, "utf8").trim();
  if (existsSync(DEBIAN)) return debianLicense(readFileSync(DEBIAN, "utf8"));
  throw new Error(`Emscripten must come with its license; neither ${own} nor ${DEBIAN} is there.`);
}

/**
 * The license of a package's own files, in the text that Debian has of all: the copyright of "Files: *", and the
 * MIT license, which Debian calls Expat.
 * @param {string} text  https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
 */
export function debianLicense(text) {
  const paragraphs = text.split(/\n\n+/);
  const files = paragraphs.find((each) => /^Files:\s*\*\s*$/m.test(each)) ?? "";
  const [, copyright = ""] = /^Copyright:\s*((?:.*\n?)(?:[ \t].*\n?)*)/m.exec(files) ?? [];
  const expat = paragraphs.find((each) => /^License: Expat\n/.test(each)) ?? "";
  const license = expat
    .replace(/^.*\n/, "")
    .replace(/^ ?\.?/gm, "")
    .trim();
  if (!copyright.trim() || !license)
    throw new Error(`${DEBIAN} must have Emscripten's license; got none.`);
  return `Copyright ${copyright.trim().split("\n").map((line) => line.trim()).join("\n")}\n\n${license}`; // prettier-ignore
}
