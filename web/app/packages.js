import addresses from "virtual:packages";

/** @type {Map<string, Promise<Blob>>} */
const asked = new Map();

/**
 * Fetches the modules that a program imports by name, and those that they import, for the frame, which has no
 * network. Each is fetched once, when first needed.
 *
 * @param {string} code
 * @returns {Promise<Record<string, Blob>>} by name
 * @throws {Error} if one cannot be fetched
 */
export async function modulesOf(code) {
  /** @type {Record<string, Blob>} */
  const modules = {};
  /** @param {string} text @returns {Promise<unknown>} */
  const add = (text) =>
    Promise.all(
      named(text).map(async (name) => {
        if (name in modules) return;
        modules[name] = await byName(await bytes(addresses[name]));
        await add(await modules[name].text());
      }),
    );
  await add(code);
  return modules;
}

/** How a module of the package imports one beside it. In the frame each has a name: "phasor" or "phasor/models". */
const BESIDE = /\b(from|import) ?(\(?)"\.(\/[\w-]+)\.js"/g;

/** A module that imports others by name only. @param {Blob} module */
async function byName(module) {
  const text = (await module.text()).replace(BESIDE, (whole, word, open, path) => {
    const name = `phasor${path === "/index" ? "" : path}`;
    return name in addresses ? `${word} ${open}"${name}"` : whole; // of a program that a module writes
  });
  return new Blob([text], { type: module.type });
}

/**
 * @param {string} address
 * @returns {Promise<Blob>}
 * @throws {Error} in words
 */
export function bytes(address) {
  const known = asked.get(address);
  if (known) return known;
  const blob = read(address);
  asked.set(address, blob);
  blob.catch(() => asked.delete(address)); // the next run asks again
  return blob;
}

/** @param {string} address */
async function read(address) {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`A file could not be read: ${response.status} at ${address}`);
  const type = address.endsWith(".js") ? "text/javascript" : ""; // whatever the host calls it
  return new Blob([await response.arrayBuffer()], { type });
}

/** The packages whose names occur in a text as strings. @param {string} text */
function named(text) {
  return Object.keys(addresses).filter(
    (name) => text.includes(`"${name}"`) || text.includes(`'${name}'`),
  );
}
