// A page of the tests' own, built as the others are: with what every page may use, by name. Some of the others are built
// beside it, at night all: that each page of the site is built is seen in the site itself.

import { cp, rm } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { build } from "vite";
import { filesIn, once } from "../../scripts/setup/once.js";
import { serve } from "../../scripts/site/serve.js";
import { project } from "../../scripts/setup/setup.js";
import config from "../../web/vite.config.js";
import { openBrowser } from "./browser.js";
import { isExample, isSweep } from "./pages.js";

const folder = join(project, "web", "trial"); // exists only while it is built

/** @type {Record<string, string>} */
const sources = {
  "index.html": `<!doctype html>
    <html lang="en">
      <head>
        <title>Trial</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <link rel="icon" href="../app/icon.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="../app/style.css" />
        <script type="module" src="./trial.js"></script>
      </head>
      <body><main><h1>Trial</h1><div id="place"></div></main></body>
    </html>`,
  "trial.js": `
    import { inWorker } from "../app/in-worker.js";
    import { keepOffline } from "../app/offline.js";
    import { runnable } from "../app/runnable.js";
    import { addresses } from "../app/trusted.js";
    import { taskWorker } from "../app/work.js";
    import { neighborsOf } from "../explorer/neighbors.js";
    const { work } = taskWorker("umap");
    const pca = (points, options, signal) => inWorker(({ pca }) => pca(points, options), signal);
    const near = (points, signal = new AbortController().signal, tell = () => {}) =>
      inWorker((phasor) => neighborsOf(phasor, points, signal, tell), signal);
    Object.assign(globalThis, { addresses, keepOffline, near, pca, runnable, work });`,
};

/** @type {import("vite").Plugin} */
const trial = {
  name: "trial",
  enforce: "pre",
  resolveId(name, importer) {
    const path = importer && name.startsWith("./") ? join(importer, "..", name) : name;
    return path.startsWith(folder) ? path : undefined;
  },
  load(path) {
    if (path.startsWith(folder)) return sources[path.slice(folder.length + 1)];
  },
};

/** The built pages and the trial. */
const built = isSweep ? "build/trial-whole" : "build/trial";

/** Whether a page is built: the front page, those that stand for others, and some of each kind. @param {string} index */
function isBuilt(index) {
  const path = relative(join(project, "web"), dirname(index)).split(sep).join("/");
  return (
    isSweep ||
    /^(frame|lessons\/rope|explorer)?$/.test(path) ||
    (/^(guides|lessons)\/./.test(path) && isExample(`${path}/`))
  );
}

/** Builds pages and the trial. */
export async function buildTrial() {
  const from = [
    "web",
    "src",
    "package-lock.json",
    "tests/pages/trial.js",
    ...filesIn("dist", ".js"),
  ];
  await once(isSweep ? "trial-whole" : "trial", { from, to: [built] }, () => {
    const input = /** @type {string[]} */ (config.build?.rolldownOptions?.input);
    return build({
      ...config,
      configFile: false,
      logLevel: "warn",
      plugins: [...(config.plugins ?? []), trial],
      build: {
        ...config.build,
        outDir: join(project, built),
        sourcemap: false,
        rolldownOptions: { input: [...input.filter(isBuilt), join(folder, "index.html")] },
      },
    });
  });
}

/**
 * Serves a copy of the built pages and the trial, and starts a browser.
 *
 * @param {string} name  of the folder in build/, for tests that run at a time
 */
export async function openTrial(name) {
  await buildTrial();
  const outDir = join(project, "build", `trial-${name}`);
  await rm(outDir, { recursive: true, force: true });
  await cp(join(project, built), outDir, { recursive: true });
  const server = await serve(outDir);
  const browser = await openBrowser();
  return {
    outDir,
    server,
    browser,
    url: `${server.url}trial/`,
    /** @param {Parameters<typeof browser.newPage>[0]} [options] */
    async open(options) {
      return this.again(await browser.newPage(options));
    },
    /** Opens it in this page. @param {import("./browser.js").Visit} visit */
    async again(visit) {
      visit.problems.length = 0;
      await visit.page.goto(`${server.url}trial/`);
      await visit.page.waitForFunction(() => "runnable" in globalThis);
      return visit;
    },
    async close() {
      await browser.close();
      await server.close().catch(() => {}); // a test may have closed it
    },
  };
}
