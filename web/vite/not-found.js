import { readFileSync } from "node:fs";
import { join } from "node:path";
import { address } from "../../scripts/site/address.js";
import { inlinePolicy } from "../../scripts/site/policy.js";

/**
 * The page that hosts send where none is: 404.html, one file without others, since its own address can be any.
 *
 * @param {string} web
 * @returns {import("vite").Plugin}
 */
export const notFound = (web) => ({
  name: "not-found",
  generateBundle() {
    const source = notFoundPage((name) => readFileSync(join(web, "not-found", name), "utf8"));
    this.emitFile({ type: "asset", fileName: "404.html", source });
  },
});

/**
 * @param {(name: string) => string} read
 * @param {string} [site]  the public address
 */
export function notFoundPage(read, site = address) {
  const root = site ? new URL(site).pathname : "/";
  const html = read("not-found.html")
    .replace(
      '<link rel="stylesheet" href="./not-found.css" />',
      () => `<style>\n${read("not-found.css")}</style>`,
    )
    .replace(
      '<script src="./not-found.js"></script>',
      () => `<script>\n${read("not-found.js")}</script>`,
    )
    .replaceAll("@root/", root)
    .replace("<html", () => `<html data-root="${root}"`);
  const policy = `<meta http-equiv="Content-Security-Policy" content="${inlinePolicy(html)}" />`;
  return html.replace("<head>", () => `<head>\n    ${policy}`);
}
