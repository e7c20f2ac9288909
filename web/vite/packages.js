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
        ...entries.filter(
          ({ name, path }) => path.endsWith(".js") && !/\/(external|scalar|widget)$/.test(name),
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
