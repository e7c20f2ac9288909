import { readFileSync } from "node:fs";

const { homepage = "" } = JSON.parse(
  readFileSync(new URL("../package.json", import.meta.url), "utf8"),
);

/**
 * The public address of the site, with a slash at its end: `homepage` of package.json, or PHASOR_SITE in the
 * environment. "" if neither is set; then pages have no links that need it.
 */
export const address = folder(process.env.PHASOR_SITE ?? homepage);

/** @param {string} text */
function folder(text) {
  if (text === "") return "";
  if (!URL.canParse(text) || !/^https?:/.test(text))
    throw new TypeError(`the address of the site must be an http or https URL; got ${text}`);
  return new URL(text.endsWith("/") ? text : `${text}/`).href;
}
