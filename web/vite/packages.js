import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { note } from "./notices.js";

const project = join(dirname(fileURLToPath(import.meta.url)), "../..");
const id = "virtual:packages";

/**
 * What readers' programs may import: name -> address of one ES module. These are files as they are,
 * beside the page's own bundles, since the page only passes their text on.
 *
 * @param {{name: string, path: string}[]} entries  of the package
 * @returns {import("vite").Plugin}
 */
export function packages(entries) {
  return {
    name: "packages",
    resolveId: (name) => (name === id ? `\0${id}` : undefined),
    async load(name) {
      if (name !== `\0${id}`) return;
      const files = [
        ...withParts(
          entries.filter(
            ({ name, path }) => path.endsWith(".js") && !/\/(external|scalar|widget)$/.test(name),
          ),
        ),
        { name: "@observablehq/plot", path: await oneModule("@observablehq/plot", "plot") },
      ];
      return [
        ...files.map(({ path }, i) => `import _${i} from ${JSON.stringify(`${path}?url`)};`),
        `export default { ${files.map(({ name }, i) => `${JSON.stringify(name)}: _${i}`).join(", ")} };`,
      ].join("\n");
    },
  };
}

/** Entries, and the files beside them that they import. @param {{name: string, path: string}[]} entries */
function withParts(entries) {
  const all = [...entries];
  for (const { path } of all) {
    for (const [, part] of readFileSync(path, "utf8").matchAll(/"\.\/([\w-]+)\.js"/g)) {
      const file = join(dirname(path), `${part}.js`);
      const isNew = all.every((each) => each.path !== file) && existsSync(file); // not one of an example
      if (isNew) all.push({ name: `phasor/${part}`, path: file });
    }
  }
  return all;
}

/** A package and all that it imports as one file. @param {string} name @param {string} as */
async function oneModule(name, as) {
  const outfile = join(project, "build", "modules", `${as}.js`);
  const { metafile } = await build({
    stdin: { contents: `export * from "${name}";`, resolveDir: project },
    outfile,
    bundle: true,
    format: "esm",
    target: "es2022",
    minify: true,
    charset: "utf8",
    legalComments: "none",
    metafile: true,
  });
  for (const { inputs } of Object.values(metafile.outputs)) note(Object.keys(inputs));
  return outfile;
}
