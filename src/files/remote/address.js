/**
 * Which addresses may be read: https, and of those only the ones that are allowed.
 */
import { describe } from "../../runtime/check.js";

/** @typedef {(url: URL) => boolean} Permit */

/** This machine, where http will do for development. */
const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/;

/**
 * An address to read from; what may follow `#` is dropped.
 *
 * @param {unknown} value  text or a URL; in a page or a worker it may be relative
 * @param {string} name
 * @returns {URL}
 */
export function addressOf(value, name) {
  const rule = `${name} must be an address that begins with https://`;
  if (typeof value !== "string" && !(value instanceof URL)) {
    throw new TypeError(`${rule}; got ${describe(value)}`);
  }
  const url = parsed(String(value), globalThis.location?.href);
  if (url === undefined || !isSecure(url)) {
    throw new RangeError(`${rule}, or http:// on this machine; got ${describe(String(value))}`);
  }
  if (url.username !== "" || url.password !== "") {
    throw new RangeError(`${name} must hold no user name and no password; got one`);
  }
  url.hash = "";
  return url;
}

/**
 * The rule for where an answer may come from.
 *
 * @param {unknown} origins  each an origin, "https://example.org", or "*.example.org" for every
 *   host below it
 * @param {string} name @param {string} own  an origin that is allowed besides
 * @returns {Permit}
 */
export function permitOf(origins, name, own) {
  if (!Array.isArray(origins)) {
    throw new TypeError(`${name} must be an array of origins; got ${describe(origins)}`);
  }
  const exact = new Set([own]);
  /** @type {string[]} */
  const suffixes = [];
  for (const [i, origin] of origins.entries()) {
    const text = String(origin);
    if (/^\*(\.[\w-]+)+$/.test(text)) suffixes.push(text.slice(1));
    else if (parsed(text)?.origin === text) exact.add(text);
    else {
      const rule = `${name}[${i}] must be an origin as "https://example.org" or "*.example.org"`;
      throw new RangeError(`${rule}; got ${describe(origin)}`);
    }
  }
  return (url) =>
    isSecure(url) &&
    (exact.has(url.origin) ||
      (url.port === "" && suffixes.some((suffix) => url.hostname.endsWith(suffix))));
}

/**
 * An address for messages: without its query, which may hold a signature.
 * @param {URL} url
 */
export function shown({ origin, pathname }) {
  const path = pathname.length > 120 ? `...${pathname.slice(-117)}` : pathname;
  return origin + path;
}

/** @param {URL} url */
function isSecure({ protocol, hostname }) {
  return protocol === "https:" || (protocol === "http:" && LOOPBACK.test(hostname));
}

/** @param {string} text @param {string} [base] */
function parsed(text, base) {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
