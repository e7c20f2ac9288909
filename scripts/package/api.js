// What the JSDoc of src/ says, as data in build/api.json; jsdoc.js reads it. The pages of the reference, phasor.py, its
// stubs, and the tests of the documentation and of its examples are made of that. The declarations are tsc's own.

import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { filesIn, once } from "../setup/once.js";
import { step } from "../setup/run.js";
import { project } from "../setup/setup.js";

/**
 * A type as TypeScript resolves it: it has one of the first six properties. Numbers are places in `types`.
 * @typedef {object} Type
 * @property {string} [primitive]  string, number, bigint, boolean, undefined (also null), any, function
 * @property {string} [word]  a string of one value
 * @property {number[]} [union]
 * @property {number[]} [list]  the elements of an array
 * @property {number[]} [within]  what a type parameter may be, if that is limited
 * @property {{name: string, of: number}[]} [members]  of an object, that phasor declares
 * @property {string} [alias]  the name of its typedef
 * @property {{name: string, page: string}} [entry]  of that
 * @property {string} [symbol]  the name of its class
 * @property {boolean} [isArray]  whether it has bytes or is indexed by numbers
 * @property {boolean} [isOpen]  whether any name may be a property
 * @property {number} [yields]  what a generator gives
 */

/**
 * A parameter or an option.
 * @typedef {object} Named
 * @property {string} name
 * @property {string} type
 * @property {number} of  its type
 * @property {boolean} optional
 * @property {string} text  what it is
 * @property {Named[]} [options]  of a parameter that is an object of options
 * @property {string} [set]  the function whose option set declares it (src/runtime/options.js)
 * @property {string} [written]  its default in that declaration
 */

/**
 * Texts keep the lines of the comments.
 * @typedef {object} Entry
 * @property {"function" | "value" | "class" | "type"} kind
 * @property {string} name  as it is called: rope.apply
 * @property {string} id  its place on the page: rotate
 * @property {string} file  that declares it, from the project's root
 * @property {boolean} optional  a property that may be missing
 * @property {string} text  prose
 * @property {Named[]} parameters  of a function or a constructor
 * @property {string} type  of a value, of what a function returns, of a type without members
 * @property {number} of  that type; -1 if it has none
 * @property {string} returns  what a function returns
 * @property {{type: string, text: string}[]} throws
 * @property {string[]} see  the paper, or the code that it follows
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
 * @property {string[]} see
 * @property {string[]} exports  what can be imported
 * @property {Entry[]} entries  functions and values, then classes and types
 */

/**
 * @typedef {object} Api
 * @property {Page[]} pages  what the entries of the package export, and the modules by family and name
 * @property {string[]} modules  the names of the pages of what `load` gives, in its order
 * @property {Type[]} types  by their numbers
 * @property {{file: string, source: string}[]} examples  of all comments in src/
 */

const file = "build/api.json";

/** @returns {Promise<Api>} read again only if a source has changed */
export async function api() {
  const own = ["scripts/package/api.js", "scripts/package/jsdoc.js", "scripts/package/modules.js"];
  const settings = ["tsconfig.json", "tsconfig.types.json", "package.json", "package-lock.json"];
  const from = [...own, ...settings, ...filesIn("src", ".js", ".d.ts")];
  await once("api", { from, to: [file] }, () =>
    step("Reading the JSDoc", async () => {
      const { readApi } = await import("./jsdoc.js"); // it needs a package, which a fresh clone does not have yet
      await mkdir(join(project, "build"), { recursive: true });
      const part = join(project, `${file}.${process.pid}`);
      await writeFile(part, JSON.stringify(readApi()));
      await rename(part, join(project, file)); // whole for others that read it at the same time
    }),
  );
  return JSON.parse(await readFile(join(project, file), "utf8"));
}
