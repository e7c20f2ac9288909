// `npm run new-room -- positions/alibi`: makes a room which builds, and whose structure test fails
// until every FILL IN is filled in and the README's table has its row.

import { existsSync } from "node:fs";
import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const project = dirname(dirname(fileURLToPath(import.meta.url)));
const families = ["tokens", "positions", "attention", "geometry", "training"];

/**
 * @param {string} room  "family/name"
 * @param {string} [root]  the repository
 * @returns {Promise<string[]>} the files written, from the root
 */
export async function newRoom(room, root = project) {
  const [family, name, ...more] = room.split("/");
  if (!families.includes(family) || !/^[a-z][a-z0-9_]*$/.test(name ?? "") || more.length > 0) {
    const rule = `one of ${families.join(", ")}, then / and a snake_case name`;
    throw new Error(`The room must be ${rule}; got ${JSON.stringify(room)}.`);
  }
  const folder = join(root, "src", room);
  if (existsSync(folder)) throw new Error(`The room must be new; got src/${room}.`);

  const exported = name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());
  const tests = join(root, "tests", family);
  const words = /** @type {Record<string, string>} */ ({
    ROOM: room,
    NAME: name,
    EXPORT: exported,
    TITLE: name[0].toUpperCase() + name.slice(1).replaceAll("_", " "),
    UP: "..",
  });
  const templates = join(project, "scripts", "templates", "room");
  const written = [];
  for (const template of await readdir(templates)) {
    const at = join(template.includes(".test.") ? tests : folder, template.replace(/^room/, name));
    const text = await readFile(join(templates, template), "utf8");
    await mkdir(dirname(at), { recursive: true });
    await writeFile(
      at,
      text.replace(/__([A-Z]+?)__/g, (mark, word) => words[word] ?? mark),
    );
    written.push(relative(root, at));
  }
  await edit(join(root, "CMakeLists.txt"), (text) =>
    text.replace(/(set\(PHASOR_ROOMS[^)]*)\)/, `$1\n  ${room})`),
  );
  await edit(join(root, "src", "index.js"), (text) => enter(text, room, exported));
  return written.sort();
}

/**
 * The import of a room and its name in src/index.js, each in order.
 * @param {string} text @param {string} room @param {string} exported
 */
function enter(text, room, exported) {
  const line = `import { ${exported} } from "./${room}/${basename(room)}.js";`;
  const imports = [...text.matchAll(/^import \{ \w+ \} from "\.\/(?!api)[^"]+";$/gm)].map(
    ([l]) => l,
  );
  const path = (/** @type {string} */ l) => l.slice(l.indexOf('"'));
  const sorted = [...imports, line].sort((a, b) => (path(a) < path(b) ? -1 : 1));
  return text
    .replace(imports.join("\n"), sorted.join("\n"))
    .replace(/const rooms = \{([^}]*)\}/, (_, list) => {
      const names = [...list.match(/\w+/g), exported].sort();
      return `const rooms = {\n${names.map((name) => `  ${name},\n`).join("")}}`;
    });
}

/** @param {string} path @param {(text: string) => string} change */
async function edit(path, change) {
  await writeFile(path, change(await readFile(path, "utf8")));
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  try {
    const written = await newRoom(process.argv[2] ?? "");
    console.log(written.join("\n"));
    console.log(
      "Now fill in every FILL IN, add the room's row to the README's table, and run npm test.",
    );
  } catch (error) {
    console.error(/** @type {Error} */ (error).message);
    process.exitCode = 1;
  }
}
