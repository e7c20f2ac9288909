import { readFileSync } from "node:fs";

const { homepage = "", repository = "" } = JSON.parse(
  readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
);

/**
 * The public address of the site, with a slash at its end: `homepage` of package.json, or PHASOR_SITE in the
 * environment. "" if neither is set; then pages have no links that need it.
 */
export const address = folder(process.env.PHASOR_SITE ?? homepage);

/** The page of the source code: `repository` of package.json; "" if there is none, then pages have no link to it. */
export const source = pageOf(repository);

/**
 * The page of a repository as package.json names it: owner/name or github:owner/name, an address, or { url, directory }.
 *
 * @param {string | { url: string }} repository
 */
export function pageOf(repository) {
  const text = typeof repository === "string" ? repository : repository.url;
  if (text === "") return "";
  const [, host = "github", path] =
    /^(?:(github|gitlab|bitbucket):)?([\w.-]+\/[\w.-]+)$/.exec(text) ?? [];
  if (path) return `https://${host}.${host === "bitbucket" ? "org" : "com"}/${path}`;
  const plain = text.replace(/^git\+/, "").replace(/^(?:ssh|git):\/\/(?:git@)?/, "https://");
  if (!URL.canParse(plain) || !/^https?:/.test(plain))
    throw new TypeError(`repository of package.json must be an address or owner/name; got ${text}`);
  return new URL(plain).href.replace(/\.git$/, "");
}

/** @param {string} text */
function folder(text) {
  if (text === "") return "";
  if (!URL.canParse(text) || !/^https?:/.test(text))
    throw new TypeError(`the address of the site must be an http or https URL; got ${text}`);
  return new URL(text.endsWith("/") ? text : `${text}/`).href;
}
