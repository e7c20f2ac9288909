// The modules of the package: what load() returns. A module is a folder of src/ whose JavaScript has the
// folder's name; the folder above it is its family.

import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const project = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** The folders of src/ that hold modules, in the order of the reference. */
export const FAMILIES = Object.freeze([
  "embedding",
  "positional/absolute",
  "positional/rotary",
  "positional/bias",
  "positional/ids",
  "attention",
  "analysis",
  "training",
  "ngrams",
  "lab",
  "models",
]);

/** Of these, those that are in a separate entry alone: phasor does not have their modules. */
export const APART = Object.freeze(["ngrams", "lab"]);

/**
 * @param {string} [root]  the repository
 * @returns {string[]} each module's folder below src/: "positional/bias/alibi"
 */
export function modules(root = project) {
  return FAMILIES.flatMap((family) => {
    const folder = join(root, "src", family);
    const names = existsSync(folder) ? readdirSync(folder) : [];
    return names
      .filter((name) => existsSync(join(folder, name, `${name}.js`)))
      .map((name) => `${family}/${name}`);
  });
}

/** The name of a module in JavaScript: t5_bias is t5Bias, transformer_xl is transformerXL. @param {string} module */
export function exported(module) {
  return basename(module).replace(/_(xl$|\w)/g, (_, letters) => letters.toUpperCase());
}
