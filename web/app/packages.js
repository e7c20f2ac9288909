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

/** How an entry of the package imports the main one, which is a file beside it and has a name in the frame. */
const [MAIN, NAME] = ['"./index.js"', '"phasor"'];

/** A module that imports others by name only. @param {Blob} module */
async function byName(module) {
  const text = await module.text();
  return text.includes(MAIN)
    ? new Blob([text.replaceAll(MAIN, NAME)], { type: module.type })
    : module;
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
