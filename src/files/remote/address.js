/**
 * Checks which addresses may be read: https only, from allowed origins only.
 */
import { describe } from "../../runtime/check.js";

/** @typedef {(url: URL) => boolean} Permit */

/** Local hosts, where http is allowed for development. */
const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/;

/**
 * Reads an address without its fragment.
 *
 * @param {unknown} value  a string or a URL; in a page or a worker it may be relative
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
    throw new RangeError(`${name} must not contain a user name or password; got one`);
  }
  url.hash = "";
  return url;
}

/**
 * Returns a function that says whether a response may come from an origin.
 *
 * @param {unknown} origins  origins such as "https://example.org", or "*.example.org" for
 *   every subdomain
 * @param {string} name @param {string} own  an origin that is always allowed
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
    const text = typeof origin === "string" ? origin : "";
    if (/^\*(\.[\w-]+)+$/.test(text)) suffixes.push(text.slice(1));
    else if (text !== "" && parsed(text)?.origin === text) exact.add(text);
    else {
      const rule = `${name}[${i}] must be an origin such as "https://example.org" or "*.example.org"`;
      throw new RangeError(`${rule}; got ${describe(origin)}`);
    }
  }
  return (url) =>
    isSecure(url) &&
    (exact.has(url.origin) ||
      (url.port === "" && suffixes.some((suffix) => url.hostname.endsWith(suffix))));
}

/**
 * An address for messages, without its query, which may contain a signature.
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

/** @param {string} text @param {string} [base] @returns {URL | undefined} */
export function parsed(text, base) {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
