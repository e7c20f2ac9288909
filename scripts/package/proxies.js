// Folders beside dist/ in the tarball, one for each entry: models/package.json says where `phasor/models` is. Tools look
// there that do not read `exports`: Jest before 28, Parcel, eslint-plugin-import, TypeScript's node10. They lie in the
// repository while it is packed.
//   node scripts/package/proxies.js            writes them
//   node scripts/package/proxies.js --remove

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, posix } from "node:path";
import { pathToFileURL } from "node:url";
import { project } from "../setup/setup.js";

/** What each folder's package.json says. @param {string} folder  with the package @returns {Map<string, object>} */
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
      return [posix.normalize(path), types ? { ...at, types: beside(types.default ?? types) } : at];
    }),
  );
}

/** @param {string} [folder]  with the package */
export function writeProxies(folder = project) {
  for (const [name, text] of proxies(folder)) {
    const at = join(folder, name);
    if (existsSync(join(at, "package.json")) === existsSync(at)) mkdirSync(at, { recursive: true });
    else
      throw new Error(
        `${at} must not be there: the entry of its name has a folder when it is packed.`,
      );
    writeFileSync(join(at, "package.json"), `${JSON.stringify(text, null, 2)}\n`);
  }
}

/** @param {string} [folder]  with the package */
export function removeProxies(folder = project) {
  for (const name of proxies(folder).keys())
    rmSync(join(folder, name), { recursive: true, force: true });
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  if (process.argv[2] === "--remove") removeProxies();
  else writeProxies();
}
