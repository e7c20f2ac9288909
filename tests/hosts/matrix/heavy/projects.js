// Frameworks, runners and compilers: for each a small project in its default setting, with the files of the guides.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { cp, mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { installFromNpm } from "../../../../scripts/setup/install.js";
import { run } from "../../../../scripts/setup/run.js";
import { serve } from "../../../../scripts/site/serve.js";
import { project } from "../../../../scripts/setup/setup.js";
import { openBrowser } from "../../../pages/browser.js";
import { filesOf } from "../../../pages/guides/guide.js";
import { binaries } from "./binaries.js";
import { folder as tools } from "./install.js";

/**
 * @typedef {object} Project
 * @property {Record<string, string>} packages  to install, with their versions
 * @property {string} guide  of the site
 * @property {string[]} taken  the guide's files
 * @property {Record<string, string>} [files]  what else a new project has
 * @property {string} commands  the name of a terminal in the guide, or lines
 * @property {RegExp} [prints]  what the commands print
 * @property {string} [built]  the folder of the page that they build
 * @property {string[]} [shows]  texts of that page in Chromium
 */

const fromServer = "From the server: 0.8414709568023682";
const inBrowser = "In the browser: 0.8414709568023682";

/** @param {string} body */
const html = (body) => `<!doctype html>
<html lang="en">
  <head><meta charset="utf-8" /><title>Positions</title><base href="/" /><link rel="icon" href="data:," /></head>
  <body>${body}</body>
</html>
`;

/** All that `require` finds by the names of entries. */
const everyEntry = `
  const entries = require("phasor/package.json").exports;
  const modules = Object.keys(entries).filter((path) => entries[path].require);
  test("every entry is required", async () => {
    for (const path of modules) {
      const entry = require(path.replace(".", "phasor"));
      expect(Object.keys(entry).length).toBeGreaterThan(0);
      if (entry.load && path !== "./worker") expect(Object.keys(await entry.load()).length).toBeGreaterThan(0);
    }
    expect(modules.length).toBeGreaterThan(20);
    const { load } = require("phasor/worker");
    const { alibi, dispose } = await load();
    expect((await alibi.slopes(1)).at(0)).toBe(2 ** -8);
    await dispose();
    const { open } = require("phasor/open");
    const { safetensors } = require("phasor/files");
    const model = await open(safetensors.write({ "wte.weight": [[1, 2]] }));
    expect((await model.wordEmbeddings.rows([0])).toArray()).toEqual([[1, 2]]);
    const { sentence } = await require("phasor/xray").xray("llama-3.1-8b", { length: 60000 });
    expect(sentence).toContain("60");
  });
`;

const passed = /Tests: +1 passed, 1 total/;

/** What the tests of a kit say of a right port and of four wrong ones. */
const SAYS_SLIPS = RegExp(
  [
    /Tests +5 passed \(5\)/,
    /5 of 5/,
    /q of layer 0 is wrong; likely slip: base 500000/,
    /q of layer 0 is wrong; likely slip: rotation in the other direction/,
    /q of layer 0 is wrong; likely slip: the other layout/,
    /position_ids is wrong; likely slip: padding takes positions/,
  ]
    .map(({ source }) => `(?=[^]*${source})`)
    .join(""),
);
const jest = { guide: "testing", commands: "terminal, Jest", prints: passed };

/** @type {Record<string, Project>} */
const runners = {
  Jest: { ...jest, packages: { jest: "30.5.2" }, taken: ["positions.test.js"] },
  "Jest, jsdom": {
    ...jest,
    packages: { jest: "30.5.2", "jest-environment-jsdom": "30.5.2" },
    taken: ["positions.test.js"],
    files: { "jest.config.cjs": 'module.exports = { testEnvironment: "jsdom" };\n' },
  },
  "Jest, babel-jest": {
    ...jest,
    packages: { jest: "30.5.2", "@babel/core": "8.1.2", "@babel/preset-env": "8.0.7" },
    taken: [],
    files: {
      "babel.config.cjs":
        'module.exports = { presets: [["@babel/preset-env", { targets: { node: "current" } }]] };\n',
      "positions.test.js": `
        import { load } from "phasor";
        test("slopes", async () => expect((await load()).alibi.slopes(1).at(0)).toBe(2 ** -8));
      `,
    },
  },
  "Jest, ts-jest": {
    ...jest,
    packages: {
      jest: "30.5.2",
      "ts-jest": "29.4.15",
      typescript: "5.9.3",
      "@types/jest": "30.0.0",
    },
    taken: [],
    files: {
      "tsconfig.json": "{}\n",
      "jest.config.cjs": 'module.exports = { preset: "ts-jest" };\n',
      "positions.test.ts": `
        import { load, type Tensor } from "phasor";
        import { models } from "phasor/models";
        test("slopes", async () => {
          const slopes: Tensor = (await load()).alibi.slopes(1);
          expect(slopes.at(0)).toBe(2 ** -8);
          expect(models.rope("llama-3.1-8b").dim).toBe(128);
        });
      `,
    },
  },
  "Jest, phasor/rope": { ...jest, packages: { jest: "30.5.2" }, taken: ["rope.test.js"] },
  "Jest, phasor/files": { ...jest, packages: { jest: "30.5.2" }, taken: ["files.test.js"] },
  "Jest, every entry": {
    ...jest,
    packages: { jest: "30.5.2" },
    taken: [],
    files: { "every.test.js": everyEntry },
    commands: "npx jest every",
  },
  "Jest, ES modules": {
    ...jest,
    packages: { jest: "30.5.2" },
    taken: [],
    files: {
      "esm.test.js": `
        test("an entry", async () => {
          const { models } = await import("phasor/models");
          expect(models.rope("llama-3.1-8b").dim).toBe(128);
        });
      `,
    },
    commands: "NODE_OPTIONS=--experimental-vm-modules npx jest",
  },
  Vitest: {
    packages: { vitest: "5.1.1" },
    guide: "testing",
    taken: ["vitest/positions.test.js"],
    commands: "terminal, Vitest",
    prints: /Tests +1 passed \(1\)/,
  },
  "Vitest, a kit": {
    packages: { vitest: "5.1.1" },
    guide: "testing",
    taken: [],
    files: {
      "adapter.js": readFileSync(
        join(project, "tests/unit/oracle/vectors/adapters/adapter.js"),
        "utf8",
      ),
      "config.json": JSON.stringify({
        model_type: "llama",
        hidden_size: 256,
        num_attention_heads: 4,
        num_key_value_heads: 2,
        num_hidden_layers: 2,
        max_position_embeddings: 4096,
        vocab_size: 64,
      }),
    },
    commands: [
      "node node_modules/phasor/dist/cli.js vectors config.json --out . --tests vitest --length 16",
      "npx vitest run positions.test.js",
      "grep -o '5 of 5' positions.svg",
      ...["base", "sign", "layout", "padding"].map(
        (slip) => `if SLIP=${slip} npx vitest run positions.test.js; then exit 1; fi`,
      ),
      "test ! -e positions.svg", // a failing run removes it
    ].join("\n"),
    prints: SAYS_SLIPS,
  },
};

/** TypeScript of one version checks the guide's program, and every declaration that it uses. */
const resolutions = [
  "--module esnext --moduleResolution bundler",
  "--module nodenext --moduleResolution nodenext",
];
const olderResolution = "--module commonjs --moduleResolution node10";

/** @param {string} version @param {string[]} ways @returns {Project} */
const typescript = (version, ways) => ({
  packages: { typescript: version },
  guide: "testing",
  taken: ["positions.ts", "tsconfig.json"],
  files: {
    "package.json": '{ "private": true, "type": "module" }\n',
    // That the types were found: a wrong one must be an error.
    "wrong.ts": 'import { load } from "phasor";\n// @ts-expect-error\nvoid load({ nothing: 1 });\n',
    "wrong.json": '{ "extends": "./tsconfig.json", "files": ["wrong.ts"] }\n',
  },
  commands: ways
    .flatMap((way) => ["", "wrong.json"].map((file) => `npx tsc ${file && `-p ${file}`} ${way}`))
    .join("\n"),
});

/** @type {Record<string, Project>} */
const compilers = {
  "TypeScript 5.4": typescript("5.4.5", [...resolutions, olderResolution]),
  "TypeScript 5.9": typescript("5.9.3", [...resolutions, olderResolution]),
  "TypeScript 6": typescript("6.0.3", resolutions),
  "TypeScript 7": typescript("7.0.2", resolutions),
  "eslint-plugin-import": {
    packages: {
      eslint: "9.39.1",
      "eslint-plugin-import": "2.32.0",
      "eslint-import-resolver-typescript": "4.4.5",
    },
    guide: "testing",
    taken: ["eslint.config.cjs"],
    files: {
      "resolver.config.cjs":
        'module.exports = require("./eslint.config.cjs").map((each) => ({ ...each, settings: { "import/resolver": { typescript: true } } }));\n',
      "main.js":
        'import { load } from "phasor";\nimport { models } from "phasor/models";\nload(models);\n',
      "wrong.js": 'import { laod } from "phasor";\nlaod();\n',
    },
    commands: [
      "npx eslint main.js",
      "npx eslint --config resolver.config.cjs main.js",
      "npx eslint wrong.js || true",
    ].join("\n"),
    prints: /laod not found in 'phasor'/,
  },
};

/** @type {Record<string, Project>} */
const bundlers = {
  Parcel: {
    packages: { parcel: "2.16.4" },
    guide: "bundlers",
    taken: ["index.html", "main.js"],
    files: { "yarn.lock": "" }, // Parcel takes its folder for the project's
    commands: "terminal, Parcel",
    built: "dist",
    shows: ["8 x 64"],
  },
  "Parcel, packageExports": {
    packages: { parcel: "2.16.4" },
    guide: "bundlers",
    taken: ["index.html", "main.js"],
    files: {
      "yarn.lock": "",
      "package.json":
        '{ "private": true, "@parcel/resolver-default": { "packageExports": true } }\n',
    },
    commands: "terminal, Parcel",
    built: "dist",
    shows: ["8 x 64"],
  },
  "Parcel, phasor/plots and phasor/worker": {
    packages: { parcel: "2.16.4" },
    guide: "bundlers",
    taken: ["index.html"],
    files: {
      "yarn.lock": "",
      "main.js": `
        import { figures } from "phasor/plots";
        import { load } from "phasor/worker";
        document.body.append(figures().heatmap([[1]]));
        const { sinusoidal } = await load();
        document.querySelector("output").append("In the browser: " + (await sinusoidal.table(2, 4)).at(1, 0));
      `,
    },
    commands: "terminal, Parcel",
    built: "dist",
    shows: [inBrowser],
  },
};

/** @type {Record<string, Project>} */
const frameworks = {
  React: {
    packages: {
      react: "19.3.1",
      "react-dom": "19.3.1",
      vite: "8.3.8",
      "@vitejs/plugin-react": "6.3.0",
    },
    guide: "frameworks",
    taken: ["src/App.jsx"],
    files: {
      "index.html": html(
        '<div id="root"></div><script type="module" src="/src/main.jsx"></script>',
      ),
      "vite.config.mjs":
        'import react from "@vitejs/plugin-react";\nexport default { plugins: [react()] };\n',
      "src/main.jsx": `
        import { createRoot } from "react-dom/client";
        import App from "./App.jsx";
        createRoot(document.getElementById("root")).render(<App />);
      `,
    },
    commands: "npx vite build",
    built: "dist",
    shows: [inBrowser],
  },
  Vue: {
    packages: { vue: "3.5.45", vite: "8.3.8", "@vitejs/plugin-vue": "6.0.11" },
    guide: "frameworks",
    taken: ["src/App.vue"],
    files: {
      "index.html": html('<div id="app"></div><script type="module" src="/src/main.js"></script>'),
      "vite.config.mjs":
        'import vue from "@vitejs/plugin-vue";\nexport default { plugins: [vue()] };\n',
      "src/main.js": `
        import { createApp } from "vue";
        import App from "./App.vue";
        createApp(App).mount("#app");
      `,
    },
    commands: "npx vite build",
    built: "dist",
    shows: [inBrowser],
  },
  Nuxt: {
    packages: { nuxt: "4.5.2", vue: "3.5.45" },
    guide: "frameworks",
    taken: ["app/app.vue"],
    files: {
      "nuxt.config.ts": `export default defineNuxtConfig({
        compatibilityDate: "2026-11-01",
        app: { head: { link: [{ rel: "icon", href: "data:," }] } },
      });\n`,
    },
    commands: "npx nuxi generate",
    built: ".output/public",
    shows: [fromServer],
  },
  SvelteKit: {
    packages: {
      svelte: "5.57.3",
      "@sveltejs/kit": "3.2.0",
      "@sveltejs/vite-plugin-svelte": "7.3.1",
      "@sveltejs/adapter-static": "4.0.1",
      vite: "8.3.8",
    },
    guide: "frameworks",
    taken: ["src/routes/+page.svelte", "src/routes/+page.server.js"],
    files: {
      "package.json": '{ "private": true, "type": "module" }\n',
      "vite.config.js": `
        import adapter from "@sveltejs/adapter-static";
        import { sveltekit } from "@sveltejs/kit/vite";
        export default { plugins: [sveltekit({ adapter: adapter() })] };
      `,
      "src/app.html": html("<div>%sveltekit.body%</div>").replace(
        "</head>",
        "%sveltekit.head%</head>",
      ),
      "src/routes/+layout.js": "export const prerender = true;\n",
    },
    commands: "npx vite build",
    built: "build",
    shows: [fromServer, inBrowser],
  },
  Astro: {
    packages: { astro: "7.3.5" },
    guide: "frameworks",
    taken: ["src/pages/index.astro"],
    files: { "public/favicon.ico": "" },
    commands: "npx astro build",
    built: "dist",
    shows: [fromServer, inBrowser],
  },
  Angular: {
    packages: {
      ...Object.fromEntries(
        ["common", "compiler", "compiler-cli", "core", "platform-browser"].map((name) => [
          `@angular/${name}`,
          "22.2.6",
        ]),
      ),
      "@angular/build": "22.2.7",
      "@angular/cli": "22.2.7",
      rxjs: "7.8.2",
      tslib: "2.9.1",
      typescript: "6.0.3",
    },
    guide: "frameworks",
    taken: ["src/app/app.ts"],
    files: {
      "angular.json": JSON.stringify({
        version: 1,
        projects: {
          positions: {
            projectType: "application",
            root: "",
            sourceRoot: "src",
            architect: {
              build: {
                builder: "@angular/build:application",
                options: { browser: "src/main.ts", tsConfig: "tsconfig.json" },
                // What `ng new` writes.
                configurations: {
                  production: {
                    budgets: [{ type: "initial", maximumWarning: "500kB", maximumError: "1MB" }],
                    outputHashing: "all",
                  },
                },
                defaultConfiguration: "production",
              },
            },
          },
        },
      }),
      "tsconfig.json": JSON.stringify({
        compilerOptions: {
          strict: true,
          isolatedModules: true,
          experimentalDecorators: true,
          importHelpers: true,
          target: "ES2022",
          module: "preserve",
          types: [],
        },
        angularCompilerOptions: { strictTemplates: true },
        include: ["src/**/*.ts"],
      }),
      "src/index.html": html("<app-root></app-root>"),
      "src/main.ts": `
        import { bootstrapApplication } from "@angular/platform-browser";
        import { App } from "./app/app";
        bootstrapApplication(App).catch((error) => console.error(error));
      `,
    },
    commands: "npx ng build",
    built: "dist/positions/browser",
    shows: [inBrowser],
  },
};

/** What frameworks send home, and how they color lines. */
const quiet = {
  ASTRO_TELEMETRY_DISABLED: "1",
  NUXT_TELEMETRY_DISABLED: "1",
  NG_CLI_ANALYTICS: "false",
  NO_COLOR: "1",
  CI: "1",
};

/** Scripts in the page are the frameworks' own. */
const policy = "script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'";

/** What an installation leaves in a folder. */
const installed = ["node_modules", "package.json", ".filled"];

/** @param {string} name @param {Project} project */
async function lay(name, { packages, guide, taken, files = {} }) {
  const at = join(project, "build/projects", name.toLowerCase().replace(/\W+/g, "-"));
  const list = `${at}.list`;
  await mkdir(list, { recursive: true });
  // Tools look for it in the folders above, where this repository's own would say that "phasor" is src/.
  await writeFile(join(project, "build/projects/tsconfig.json"), "{}\n");
  const dependencies = JSON.stringify({ private: true, dependencies: packages });
  await writeFile(join(list, "package.json"), dependencies);
  await installFromNpm(name, list, at);
  for (const name of await readdir(at)) {
    if (!installed.includes(name)) await rm(join(at, name), { recursive: true }); // of the last time
  }
  const own = join(at, "node_modules/phasor");
  await rm(own, { recursive: true, force: true });
  await cp(join(tools, "node_modules/phasor"), own, { recursive: true });
  const shown = await filesOf(guide);
  const all = [
    ...taken.map((name) => [name.replace(/,.*/, ""), String(shown.get(name))]),
    ...Object.entries(files),
  ];
  for (const [path, text] of all) {
    await mkdir(dirname(join(at, path)), { recursive: true });
    await writeFile(join(at, path), text);
  }
  return { at, shown };
}

/** @param {string} name @param {Project} wanted */
async function check(name, wanted) {
  const { at, shown } = await lay(name, wanted);
  const { commands, prints, built, shows = [] } = wanted;
  if (built) await rm(join(at, built), { recursive: true, force: true });
  const path = [join(at, "node_modules/.bin"), dirname(binaries.node24), process.env.PATH];
  const lines = (shown.get(commands) ?? commands).replace(/\bnpx /g, "");
  const env = { ...quiet, PATH: path.join(delimiter) };
  const { stdout, stderr } = await run("sh", ["-ec", lines], { cwd: at, env, quiet: true });
  if (prints) assert.match(stdout + stderr, prints, name);
  if (!built) return;
  const server = await serve(join(at, built), { headers: { "Content-Security-Policy": policy } });
  const browser = await openBrowser();
  try {
    const { page, problems } = await browser.newPage();
    await page.goto(server.url);
    for (const text of shows) await page.getByText(text).first().waitFor();
    assert.deepEqual(problems, [], name);
  } finally {
    await browser.close();
    await server.close();
  }
}

/** Each throws if the package does not work there. @type {Record<string, () => Promise<void>>} */
export const projects = Object.fromEntries(
  Object.entries({ ...runners, ...compilers, ...bundlers, ...frameworks }).map(([name, wanted]) => [
    `project ${name}`,
    () => check(name, wanted),
  ]),
);
