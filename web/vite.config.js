import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { policyFor } from "../scripts/site/policy.js";
import { accuracy } from "./vite/accuracy.js";
import { archive } from "./vite/archive.js";
import { template } from "./vite/template.js";
import { frame } from "./vite/frame.js";
import { notFound } from "./vite/not-found.js";
import { notebooks } from "./vite/notebooks.js";
import { notices, noticing } from "./vite/notices.js";
import { offline } from "./vite/offline.js";
import { packages } from "./vite/packages.js";
import { performance } from "./vite/performance.js";
import { poster } from "./vite/poster.js";
import { preview } from "./vite/preview.js";
import { recorded } from "./vite/recorded.js";
import { parts as performanceParts } from "./guides/performance/table.js";
import { parts as reliabilityParts } from "./guides/reliability/table.js";
import { parts as extrapolatesParts } from "./lessons/which-one/extrapolates.js";
import { theme } from "./vite/theme.js";
import { search } from "./vite/search.js";
import { reference } from "./reference/vite.js";

const web = dirname(fileURLToPath(import.meta.url));
const project = dirname(web);

/** @type {{name: string, exports: Record<string, string | {default: string}>}} */
const { name, exports } = JSON.parse(readFileSync(join(project, "package.json"), "utf8"));

/** What the package exports: names and files. */
const entries = Object.entries(exports)
  .filter(([entry]) => !entry.includes("?"))
  .map(([entry, target]) => ({
    name: name + entry.slice(1),
    path: join(project, typeof target === "string" ? target : target.default),
  }));

/** The package by its name, as for any user. */
const alias = entries.map(({ name, path }) => ({
  find: new RegExp(`^${name.replaceAll(".", "\\.")}(?=$|\\?)`),
  replacement: path,
}));

/** Every folder with an index.html is a page. */
const pages = readdirSync(web, { recursive: true, encoding: "utf8" })
  .filter((path) => basename(path) === "index.html")
  .map((path) => join(web, path))
  .sort();

/** The policy in the page itself, for hosts that send no headers. @type {import("vite").Plugin} */
const policy = {
  name: "content-security-policy",
  transformIndexHtml: (_, { path }) => [
    {
      tag: "meta",
      attrs: { "http-equiv": "Content-Security-Policy", content: policyFor(path) },
      injectTo: "head-prepend", // before whatever it governs
    },
  ],
};

/** The worker of phasor/worker has phasor/analysis alone, which is all that pages ask of it and a third of the size. @type {import("vite").Plugin} */
const thread = {
  name: "thread",
  enforce: "pre",
  resolveId: (name, importer) =>
    name === "./index.js" && importer === join(project, "dist", "worker-thread.js")
      ? join(project, "dist", "analysis.js")
      : undefined,
};

const [archiveSize, archiveFile] = archive();

/** @type {import("vite").UserConfig} */
export default {
  root: web,
  base: "./", // under any path of any static host
  publicDir: false,
  resolve: { alias },
  plugins: [
    accuracy(), // these before the template: they write what the template expands
    performance(web),
    recorded(web, "guides/performance", performanceParts),
    recorded(web, "guides/reliability", reliabilityParts),
    recorded(web, "lessons/which-one", extrapolatesParts, "lab"),
    poster(),
    template(web),
    reference(web, entries),
    policy,
    theme(web),
    frame(web),
    packages(entries),
    noticing(),
    notebooks(),
    search(),
    notFound(web),
    preview(),
    notices(),
    archiveSize,
    offline(web),
    archiveFile,
  ],
  worker: { format: "es", plugins: () => [noticing(), thread] },
  build: {
    outDir: join(project, "build", "page"),
    emptyOutDir: true,
    assetsInlineLimit: 0, // the policy lets nothing be read from data: addresses
    modulePreload: { polyfill: false }, // it would be an inline script
    reportCompressedSize: false,
    sourcemap: true,
    rolldownOptions: {
      input: pages,
      // What every page has is one file: each costs 700 bytes of headers.
      output: {
        codeSplitting: { groups: [{ name: "mode", test: /\/app\/(copy|lecture\/mode)\.js$/ }] },
      },
    },
  },
};
