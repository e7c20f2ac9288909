// `npm run x -- new-module positional/bias/alibi` makes a module that builds. Its structure test fails until
// every FILL IN is replaced.

import { existsSync } from "node:fs";
import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { exported as exportedName, FAMILIES } from "../package/modules.js";
import { runScript } from "../setup/run.js";

const project = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/**
 * @param {string} module  "family/name", such as "positional/bias/alibi"
 * @param {string} [root]  the repository
 * @returns {Promise<string[]>} the files written, from the root
 */
export async function newModule(module, root = project) {
  const [family, name] = [dirname(module), basename(module)];
  if (!FAMILIES.includes(family) || !/^[a-z][a-z0-9_]*$/.test(name)) {
    const rule = `one of ${FAMILIES.join(", ")}, then / and a snake_case name`;
    throw new Error(`module must be ${rule}; got ${JSON.stringify(module)}.`);
  }
  const folder = join(root, "src", module);
  if (existsSync(folder)) throw new Error(`module must be new; got src/${module}.`);

  const exported = exportedName(module);
  const tests = join(root, "tests/unit", family);
  const words = /** @type {Record<string, string>} */ ({
    MODULE: module,
    NAME: name,
    EXPORT: exported,
    TITLE: name[0].toUpperCase() + name.slice(1).replaceAll("_", " "),
    UP: family.replace(/[^/]+/g, ".."),
  });
  const kind = family === "positional/bias" ? "bias" : "module";
  const templates = join(project, "scripts/new-module/templates", kind);
  const written = [];
  for (const template of await readdir(templates)) {
    const at = join(
      template.includes(".test.") ? tests : folder,
      template.replace(/^module/, name),
    );
    const text = await readFile(join(templates, template), "utf8");
    await mkdir(dirname(at), { recursive: true });
    await writeFile(
      at,
      text.replace(/__([A-Z]+?)__/g, (mark, word) => words[word] ?? mark),
    );
    written.push(relative(root, at));
  }
  await edit(join(root, "CMakeLists.txt"), (text) =>
    text.replace(/(set\(PHASOR_MODULES[^)]*)\)/, `$1\n  ${module})`),
  );
  const wing = module.split("/")[0];
  await edit(join(root, "src", wing, "modules.js"), (text) => enter(text, module, exported));
  if (written.some((path) => path.endsWith(".about.js"))) {
    await edit(join(root, "src", wing, "about.js"), (text) => declare(text, module, exported));
  }
  return written.sort();
}

/**
 * The line of a module in its folder's modules.js, in order.
 * @param {string} text @param {string} module @param {string} exported
 */
function enter(text, module, exported) {
  const path = [...module.split("/").slice(1), `${basename(module)}.js`].join("/");
  const lines = text.match(/^export .*\n/gm) ?? [];
  const from = (/** @type {string} */ line) => line.slice(line.indexOf('"'));
  const sorted = [...lines, `export { ${exported} } from "./${path}";\n`].sort((a, b) =>
    from(a) < from(b) ? -1 : 1,
  );
  return text.replace(lines.join(""), sorted.join(""));
}

/**
 * A declaration in the list of its wing, last.
 * @param {string} text @param {string} module @param {string} exported
 */
function declare(text, module, exported) {
  const path = [...module.split("/").slice(1), `${basename(module)}.about.js`].join("/");
  return text
    .replace(/(^import .*\n)(?!import)/m, `$1import * as ${exported} from "./${path}";\n`)
    .replace(/(declarations = \{[^}]*)\}/, `$1  ${exported},\n}`);
}

/** @param {string} path @param {(text: string) => string} change */
async function edit(path, change) {
  await writeFile(path, change(await readFile(path, "utf8")));
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await runScript(async () => {
    const written = await newModule(process.argv[2] ?? "");
    console.log(written.join("\n"));
    console.log("Replace every FILL IN, then run npm test.");
  });
}
