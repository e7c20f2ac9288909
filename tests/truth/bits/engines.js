/** The engines that compute the same results, and how each is started. */

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import puppeteer from "puppeteer-core";
import { serve } from "../../../scripts/site/serve.js";
import { setup } from "../../../scripts/setup/setup.js";

/**
 * An engine. `run` gives what the program printed; it throws where it could not.
 * @typedef {{name: string, run: (file: string) => Promise<string>}} Engine
 *
 * What is not there, and why.
 * @typedef {{name: string, missing: string}} Missing
 */

/** Flags of V8, each of which leaves out a tier of its compilers or forces one. */
const TIERS = [
  ["--liftoff-only"],
  ["--no-liftoff"],
  ["--no-opt"],
  ["--always-sparkplug"],
  ["--jitless"],
];

/**
 * @param {string} command @param {string[]} args
 * @returns {Promise<string>}
 */
function printed(command, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], timeout: 300_000 });
    let [out, errors] = ["", ""];
    child.stdout.on("data", (text) => (out += text));
    child.stderr.on("data", (text) => (errors += text));
    child.on("error", reject);
    child.on("close", (code) =>
      code === 0 ? resolve(out.trim()) : reject(new Error(errors.trim() || `code ${code}`)),
    );
  });
}

/**
 * A browser: a page runs the program.
 * @param {string} name @param {"browser" | "firefox"} want
 * @returns {Promise<Engine | Missing>}
 */
async function browser(name, want) {
  const isFirefox = want === "firefox";
  const tools = await setup([want]).catch((error) => String(error.message));
  if (typeof tools === "string") return { name, missing: tools };
  const executablePath = isFirefox ? tools.firefox : tools.chromium;
  return {
    name,
    async run(file) {
      const server = await serve(join(file, ".."));
      const launched = await puppeteer.launch({
        ...(isFirefox ? { browser: "firefox" } : { args: ["--no-sandbox"] }),
        executablePath,
        headless: true,
      });
      try {
        const page = await launched.newPage();
        await page.goto(`${server.url}${file.replace(/^.*\/|\.js$/g, "")}.html`);
        await page.waitForFunction(() => "found" in globalThis, { timeout: 120_000 });
        return await page.evaluate(() => /** @type {any} */ (globalThis).found);
      } finally {
        await launched.close();
        await server.close();
      }
    },
  };
}

/**
 * @param {string} folder  where tests/truth/bits/engines/package.json is installed
 * @returns {Promise<(Engine | Missing)[]>}
 */
export async function engines(folder) {
  const modules = join(folder, "node_modules");
  /** @param {string} name @param {string} path @param {string[]} args @returns {Promise<Engine | Missing>} */
  const program = async (name, path, args) => {
    const command = join(modules, path);
    if (!existsSync(command))
      return { name, missing: "its package has no program for this system" };
    const said = await printed(command, ["--version"]).catch((error) => error);
    if (said instanceof Error) return { name, missing: said.message.split("\n")[0] };
    const version = /\d+\.\d+\.\d+/.exec(said)?.[0];
    return { name: `${name} ${version}`, run: (file) => printed(command, [...args, file]) };
  };
  /** @param {string[]} flags @returns {Engine} */
  const own = (flags) => ({
    name: ["Node", process.versions.node, ...flags].join(" "),
    run: (file) => printed(process.execPath, [...flags, file]),
  });
  const newest = await program("Node", "node26/bin/node", []);
  return [
    own([]),
    ...TIERS.map(own),
    ...(await Promise.all([
      program("Node", "node20/bin/node", []),
      program("Node", "node22/bin/node", []),
      program("Node", "node24/bin/node", []),
    ])),
    newest,
    ...("run" in newest
      ? TIERS.map((flags) => ({
          name: [newest.name, ...flags].join(" "),
          run: (/** @type {string} */ file) =>
            printed(join(modules, "node26/bin/node"), [...flags, file]),
        }))
      : []),
    await program("Deno", "@deno/linux-x64-glibc/deno", ["run", "--no-remote"]),
    await program("Bun", "@oven/bun-linux-x64-baseline/bin/bun", []),
    await browser("Chromium", "browser"),
    await browser("Firefox", "firefox"),
  ];
}
