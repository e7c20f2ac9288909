/** Files of one folder: nothing outside it is read or written, whatever a caller asks for. */
import { lstat, readdir, realpath, stat } from "node:fs/promises";
import { basename, dirname, join, posix, relative, resolve, sep, win32 } from "node:path";
import { describe } from "../runtime/check.js";
import { didYouMean } from "../runtime/suggest.js";
import { count } from "./output.js";
import { textOf } from "./source.js";
import { save } from "./write.js";

/** The largest files that are read, bytes: a table of 131,072 x 128 in float32 twice, and a config.json. */
const LARGEST = Object.freeze({ port: 2 ** 28, config: 2 ** 22 });

/**
 * @param {string} folder  an absolute path
 */
export async function below(folder) {
  const root = await realpath(folder);
  const isWithin = (/** @type {string} */ path) =>
    path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);

  /** @param {string} path @param {string} name  of the argument */
  function refuseOutside(path, name) {
    const isOut =
      path === "" ||
      /[\0\\:]/.test(path) || // no name of a port: Windows has other meanings for both
      posix.isAbsolute(path) ||
      win32.isAbsolute(path) ||
      path.split("/").includes("..");
    if (!isOut) return;
    const rule = `${name} must be a path below the folder that phasor serves`;
    throw new RangeError(`${rule}, without ".."; got ${describe(path)}`);
  }

  /**
   * The path from the folder to what is there, links followed.
   * @param {string} path @param {string} name
   */
  async function found(path, name) {
    refuseOutside(path, name);
    const real = await realpath(join(root, path)).catch((cause) => {
      const got = `${describe(path)}: ${cause.code === "ENOENT" ? "no such file" : cause.code}`;
      throw new RangeError(`${name} must be a file; got ${got}`, { cause });
    });
    if (isWithin(real)) return { at: relative(root, real) || ".", about: await stat(real) };
    const rule = `${name} must be a path below the folder that phasor serves`;
    throw new RangeError(`${rule}; got ${describe(path)}, a link that leads out of it`);
  }

  /**
   * A plain file, of at most `most` bytes.
   * @param {string} path @param {string} name @param {number} [most]
   */
  async function file(path, name, most = LARGEST.port) {
    const { at, about } = await found(path, name);
    if (!about.isFile()) throw new RangeError(`${name} must be a file; got ${describe(path)}`);
    if (about.size <= most) return at;
    const rule = `${name} must be a file of at most ${count(most)} bytes`;
    throw new RangeError(`${rule}; got ${describe(path)} of ${count(about.size)}`);
  }

  return {
    file,

    /**
     * A configuration, as `findConfig` finds it, without the hub.
     * @param {string} name
     */
    async config(name) {
      const { models } = await import("../models/index.js");
      const isThere = await lstat(join(root, name)).then(Boolean, () => false);
      if (!isThere && models.names.includes(name)) return { model: models.get(name) };
      if (!isThere && !/[/\\.]/.test(name)) {
        const rule = "config must be a name of models.names, or a file or folder";
        throw new RangeError(`${rule}; got ${describe(name)}${didYouMean(name, models.names)}`);
      }
      const { at, about } = await found(name, "config");
      if (/\.gguf$/i.test(at)) return { model: await describedGguf(await file(name, "config", Infinity)) }; // prettier-ignore
      const path = about.isDirectory() ? `${name}/config.json` : name;
      return { text: await textOf(await file(path, "config", LARGEST.config)) };
    },

    /**
     * Refuses to write over what is there.
     * @param {string} path @param {string} name @param {boolean} isOver  whether it may be written over
     */
    async refuseTaken(path, name, isOver) {
      refuseOutside(path, name);
      const there = await lstat(join(root, path)).catch(() => undefined);
      if (there === undefined || isOver) return;
      if (there.isDirectory() && (await readdir(join(root, path))).length === 0) return;
      const got = `${describe(path)}, which is there: overwrite true writes over it`;
      throw new RangeError(`${name} must be new; got ${got}`);
    },

    /**
     * Writes a file, not through links.
     * @type {typeof import("./write.js").save}
     */
    async save(path, content, options) {
      const to = resolve(root, path);
      const isLink = (/** @type {string} */ at) =>
        lstat(at).then(
          (about) => about.isSymbolicLink(),
          () => false,
        );
      for (let at = to; isWithin(at) && at !== root; at = dirname(at)) {
        if (!(await isLink(at))) continue;
        throw new RangeError(`FILE must not be a link, or below one; got ${describe(path)}`);
      }
      await save(relative(root, to), content, options);
    },
  };
}

/** The description of a .gguf file alone, without the files beside it. @param {string} path */
async function describedGguf(path) {
  const { open } = await import("../models/open/index.js");
  const { fileOf } = await import("../models/open/disk.js");
  const source = /** @type {any} */ (await fileOf(dirname(path), basename(path)));
  const { config, warnings } = await open({ [basename(path)]: source });
  if (config) return config;
  const got = warnings[0] ?? "none";
  throw new RangeError(`config must have a configuration that can be read; got ${got}`);
}
