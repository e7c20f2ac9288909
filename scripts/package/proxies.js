// Folders beside dist/ in the tarball, one for each entry: models/package.json says where `phasor/models` is. Tools look
// there that do not read `exports`: Jest before 28, Parcel, eslint-plugin-import, TypeScript's node10. They lie in the
// repository while it is packed.
//   node scripts/package/proxies.js            writes them
//   node scripts/package/proxies.js --remove

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, posix } from "node:path";
import { pathToFileURL } from "node:url";
import { project } from "../setup/setup.js";

/** What each folder's package.json says. @param {string} folder  with the package @returns {Map<string, string>} */
function proxies(folder) {
  const { exports } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const beside = (/** @type {string | undefined} */ path) => path && posix.join("..", path);
  const entries = Object.entries(exports).filter(
    ([path]) => path !== "." && path !== "./package.json" && !path.includes("?"),
  );
  return new Map(
    entries.map(([path, target]) => {
      const { types, require, default: module = target } = target;
      const isModule = module.endsWith(".js");
      const main = beside(require ?? module);
      const at = isModule ? { main, module: beside(module) } : { main };
      const all = types ? { ...at, types: beside(types.default ?? types) } : at;
      return [posix.normalize(path), `${JSON.stringify(all, null, 2)}\n`];
    }),
  );
}

/** Whether a folder has nothing but its package.json. @param {string} at @param {string} text */
const isProxy = (at, text) =>
  String(readdirSync(at)) === "package.json" &&
  readFileSync(join(at, "package.json"), "utf8") === text;

/** @param {string} [folder]  with the package */
export function writeProxies(folder = project) {
  const all = [...proxies(folder)].map(([name, text]) => ({ at: join(folder, name), text }));
  const other = all.find(({ at, text }) => existsSync(at) && !isProxy(at, text));
  if (other) {
    const rule = `${other.at} must not be there`;
    throw new Error(`${rule}: the entry of its name has a folder when it is packed.`);
  }
  for (const { at, text } of all) {
    mkdirSync(at, { recursive: true });
    writeFileSync(join(at, "package.json"), text);
  }
}

/** Other folders of these names stay. @param {string} [folder]  with the package */
export function removeProxies(folder = project) {
  for (const [name, text] of proxies(folder)) {
    const at = join(folder, name);
    if (existsSync(at) && isProxy(at, text)) rmSync(at, { recursive: true });
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  if (process.argv[2] === "--remove") removeProxies();
  else writeProxies();
}
