// Next: programs in client components, in real Chromium, and in route handlers on the server.

import { spawn } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { run } from "../../../../scripts/setup/run.js";
import { visit } from "../browser.js";
import { lay, versionOf } from "../matrix.js";
import { folder } from "./install.js";

/** @import { Environment, Outcome, Place } from "../matrix.js" */

const next = join(folder, "node_modules/next/dist/bin/next");
const env = { NEXT_TELEMETRY_DISABLED: "1" };

const layout = `
  export default function Layout({ children }) {
    return <html lang="en"><head><link rel="icon" href="data:," /></head><body>{children}</body></html>;
  }
`;

/** The address of a program's page. @param {string} name */
const pathOf = (name) => name.replace(".", "-");

/**
 * Write an application, build it as for production, start it and use it.
 *
 * @template Result
 * @param {string} at  its folder, which must lie in `folder`
 * @param {Record<string, string>} files
 * @param {(url: string) => Promise<Result>} use
 * @returns {Promise<Result>}
 */
export async function withNext(at, files, use) {
  const all = {
    "package.json": '{ "type": "module", "private": true }\n',
    "next.config.mjs": `export default { turbopack: { root: "${folder}" } };\n`,
    "app/layout.js": layout,
    ...files,
  };
  for (const [path, text] of Object.entries(all)) {
    await mkdir(dirname(join(at, path)), { recursive: true });
    await writeFile(join(at, path), text);
  }
  await run(process.execPath, [next, "build"], { cwd: at, env, capture: true });
  const args = [next, "start", "--hostname", "127.0.0.1", "--port", "0"];
  const server = spawn(process.execPath, args, { cwd: at, env: { ...process.env, ...env } });
  try {
    return await use(await addressOf(server));
  } finally {
    server.kill();
  }
}

/** Where a server says that it listens. @param {import("node:child_process").ChildProcessWithoutNullStreams} server */
function addressOf(server) {
  return /** @type {Promise<string>} */ (
    new Promise((resolve, reject) => {
      let said = "";
      for (const stream of [server.stdout, server.stderr]) {
        stream.setEncoding("utf8").on("data", (text) => {
          said += text;
          const address = /http:\/\/(127\.0\.0\.1|localhost):\d+/.exec(said);
          if (address && /Ready/.test(said)) resolve(address[0]);
        });
      }
      server.on("exit", () => reject(new Error(`The server ended: ${said}`)));
    })
  );
}

/** @type {Environment} */
export const nextClient = {
  name: "Next, client",
  version: () => versionOf("next", folder),
  async run(place) {
    const given = {
      "core.wasm": 'export default new URL("phasor/core.wasm", import.meta.url);',
      "worker-thread":
        'export default new Worker(new URL("phasor/worker-thread", import.meta.url), { type: "module" });',
    };
    await lay(place, { given });
    /** @type {Record<string, string>} */
    const files = {};
    for (const { name } of place.programs) {
      files[`app/${pathOf(name)}/page.js`] = `
        "use client";
        import { useEffect } from "react";
        export default function Page() {
          useEffect(() => void import("../../${name}.main.js"), []);
          return null;
        }
      `;
    }
    return withNext(place.at, files, (url) =>
      visit(place.programs, (name) => `${url}/${pathOf(name)}`),
    );
  },
};

/** @type {Environment} */
export const nextServer = {
  name: "Next, server",
  version: () => versionOf("next", folder),
  async run(place) {
    const resolved = (/** @type {string} */ name) => `
      import { createRequire } from "node:module";
      import { pathToFileURL } from "node:url";
      const { resolve } = createRequire(process.cwd() + "/");
      export default pathToFileURL(resolve("${name}"));
    `;
    const given = {
      "core.wasm": resolved("phasor/core.wasm"),
      "worker-thread": resolved("phasor/worker-thread"),
      "lab-thread": resolved("phasor/lab-thread"),
    };
    await lay(place, { given });
    /** @type {Record<string, string>} */
    const files = {};
    for (const { name } of place.programs) {
      files[`app/${pathOf(name)}/route.js`] = `
        import "../../${name}.main.js";
        const { outcome } = globalThis;
        export const dynamic = "force-dynamic";
        export const GET = async () => Response.json(await outcome);
      `;
    }
    return withNext(place.at, files, async (url) => {
      /** @type {Record<string, Outcome>} */
      const outcomes = {};
      for (const { name } of place.programs) {
        outcomes[name] = await (await fetch(`${url}/${pathOf(name)}`)).json();
      }
      return outcomes;
    });
  },
};
