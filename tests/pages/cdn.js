// A look-alike of jsDelivr, for code that imports from there: it answers out of node_modules, so that
// nothing leaves this machine.

import { existsSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { extname, join } from "node:path";
import { build } from "esbuild";

/** What jsDelivr says of a file by its ending. @type {Record<string, string>} */
const types = {
  ".js": "application/javascript; charset=utf-8",
  ".mjs": "application/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".wasm": "application/wasm",
  ".woff2": "font/woff2",
};

/**
 * The look-alike. It answers for
 *
 * - `/npm/NAME@VERSION/FILE`: the file as it is packed;
 * - `/npm/NAME@VERSION/ENTRY/+esm`: an ES module, as jsDelivr makes one of an entry that the package
 *   exports or of a file: the package's own files in one, other packages by their addresses here;
 * - `/NAME` and `/NAME/TAG`, as the registry does: which versions there are. A package that is not
 *   installed has the version 0.0.0, of which there is no file: Framework asks for the versions of
 *   all that a page might use.
 *
 * A version may be left out; another than the installed one is not there.
 *
 * @param {readonly string[]} folders  whose node_modules have the packages; the first that has one counts
 */
export function cdn(folders) {
  /** @type {Map<string, Promise<Buffer>>} */
  const modules = new Map();

  /** A package's folder, its project and its version. @param {string} name */
  async function find(name) {
    const from = folders.find((folder) => existsSync(join(folder, "node_modules", name)));
    if (from === undefined) throw new Missing(`${name} is not installed`);
    const folder = join(from, "node_modules", name);
    const { version } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
    return { from, folder, version };
  }

  /** @param {string} name @param {string} path  an entry, a file or nothing */
  async function moduleOf(name, path) {
    const { from, folder } = await find(name);
    const file = join(folder, path);
    const isFile = path !== "" && existsSync(file) && (await stat(file)).isFile();
    const { outputFiles } = await build({
      entryPoints: [isFile ? file : join(name, path)],
      absWorkingDir: from,
      bundle: true,
      format: "esm",
      platform: "browser",
      target: "es2022",
      minify: true,
      charset: "utf8",
      define: { "process.env.NODE_ENV": '"production"' },
      write: false,
      logLevel: "silent",
      plugins: [{ name: "addresses", setup: keepOthers }],
    }).catch((error) => {
      throw new Missing(error.message);
    });
    return Buffer.from(outputFiles[0].contents);
  }

  /** Other packages stay apart, by their addresses. @param {import("esbuild").PluginBuild} plugin */
  function keepOthers({ onResolve }) {
    onResolve({ filter: /^[^./#]/ }, async ({ path, kind }) => {
      // What CommonJS requires has to come along: there is no require in a page.
      if (kind === "entry-point" || kind === "require-call") return undefined;
      const { name, rest } = split(path);
      const { version } = await find(name);
      return { path: `/npm/${name}@${version}/${rest && `${rest}/`}+esm`, external: true };
    });
  }

  /** @param {string} path  of an address @returns {Promise<{type: string, body: Buffer}>} */
  async function content(path) {
    if (!path.startsWith("/npm/")) return registry(path.slice(1));
    const { name, version: wanted, rest } = split(path.slice("/npm/".length));
    const { folder, version } = await find(name);
    if (/^\d+\.\d+\.\d+/.test(wanted) && wanted !== version) {
      throw new Missing(`${name} is installed as ${version}, not ${wanted}`);
    }
    const entry = /^(?:(.*)\/)?\+esm$/.exec(rest);
    if (entry) {
      const key = `${name}/${entry[1] ?? ""}`;
      if (!modules.has(key)) modules.set(key, moduleOf(name, entry[1] ?? ""));
      return { type: types[".js"], body: await /** @type {Promise<Buffer>} */ (modules.get(key)) };
    }
    const file = join(folder, rest);
    if (!rest || !existsSync(file)) throw new Missing(`${name} has no file ${rest}`);
    return { type: types[extname(file)] ?? "application/octet-stream", body: await readFile(file) };
  }

  /** @param {string} path */
  async function registry(path) {
    const { name, rest: tag } = split(path);
    const { version } = await find(name).catch(() => ({ version: "0.0.0" }));
    const said = tag ? { name, version } : { name, versions: { [version]: { name, version } } };
    return { type: types[".json"], body: Buffer.from(JSON.stringify(said)) };
  }

  /** @param {string} address */
  async function answer(address) {
    const { pathname } = new URL(address);
    try {
      return { status: 200, ...(await content(decodeURIComponent(pathname))) };
    } catch (error) {
      if (!(error instanceof Missing)) throw error;
      return { status: 404, type: "text/plain", body: Buffer.from(error.message) };
    }
  }

  return {
    answer,

    /** Pages of this browser find the look-alike at the address. @param {import("playwright-core").Page} page */
    async serve(page) {
      await page.route("https://cdn.jsdelivr.net/**", async (route) => {
        const { status, type, body } = await answer(route.request().url());
        const headers = { "content-type": type, "access-control-allow-origin": "*" };
        await route.fulfill({ status, headers, body });
      });
    },
  };
}

class Missing extends Error {}

/** The parts of `NAME@VERSION/REST`. @param {string} path */
function split(path) {
  const [, name, version = "", rest = ""] =
    /^((?:@[^/@]+\/)?[^/@]+)(?:@([^/]+))?(?:\/(.*))?$/.exec(path) ?? [];
  if (name === undefined) throw new Missing(`${path} names no package`);
  return { name, version, rest };
}
