import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { contentSecurityPolicy } from "./site/policy.js";
import { template } from "./template/plugin.js";

const web = dirname(fileURLToPath(import.meta.url));
const project = dirname(web);

/** @type {{name: string, exports: Record<string, string | {default: string}>}} */
const { name, exports } = JSON.parse(readFileSync(join(project, "package.json"), "utf8"));

/** The package by its name, as for any user: what package.json exports. */
const alias = Object.entries(exports).map(([entry, target]) => ({
  find: new RegExp(`^${(name + entry.slice(1)).replaceAll(".", "\\.")}$`),
  replacement: join(project, typeof target === "string" ? target : target.default),
}));

/** Every folder with an index.html is a page. */
const pages = readdirSync(web, { recursive: true, encoding: "utf8" })
  .filter((path) => basename(path) === "index.html")
  .map((path) => join(web, path))
  .sort();

/** The policy in the page itself, for hosts that send no headers. @type {import("vite").Plugin} */
const policy = {
  name: "content-security-policy",
  transformIndexHtml: () => [
    {
      tag: "meta",
      attrs: { "http-equiv": "Content-Security-Policy", content: contentSecurityPolicy },
      injectTo: "head-prepend", // before whatever it governs
    },
  ],
};

/** @type {import("vite").UserConfig} */
export default {
  root: web,
  base: "./", // under any path of any static host
  publicDir: false,
  resolve: {
    alias: [
      ...alias,
      { find: /^phasor\/plots$/, replacement: join(project, "src/plots/index.js") },
    ],
  },
  plugins: [template(web), policy],
  build: {
    outDir: join(project, "build", "page"),
    emptyOutDir: true,
    assetsInlineLimit: 0, // the policy lets nothing be read from data: addresses
    modulePreload: { polyfill: false }, // it would be an inline script
    reportCompressedSize: false,
    sourcemap: true,
    rolldownOptions: { input: pages },
  },
};
