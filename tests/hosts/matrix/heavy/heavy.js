// The environments that take long to install or to build: `npm run x -- test:matrix`.

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { versionOf } from "../matrix.js";
import { inProcesses, nodeAt } from "../processes.js";
import { viteBuild, viteDev } from "../vite.js";
import { binaries } from "./binaries.js";
import { folder } from "./install.js";
import { nextClient, nextServer } from "./next.js";
import { workerd } from "./workerd.js";

/** @import { Environment } from "../matrix.js" */

const vite7 = () =>
  import(pathToFileURL(join(folder, "node_modules/vite7/dist/node/index.js")).href);

/** @param {"node20" | "node22" | "node24" | "node26"} name */
const nodeOf = (name) => nodeAt(binaries[name], () => versionOf(name, folder));

/** @type {Environment} */
const deno = {
  name: "Deno",
  version: () => versionOf("@deno/linux-x64-glibc", folder),
  settings: {
    "phasor/external": {
      how: "run with --allow-read",
      otherwise: /could not read its core from file:\S+: Requires read access/,
    },
    "phasor/core.wasm": {
      how: "run with --allow-read",
      otherwise: /could not read its core from file:\S+: Requires read access/,
    },
  },
  run: (place) =>
    inProcesses(place, (file, { entry }) => {
      const allowed = entry in (deno.settings ?? {}) && place.settled ? ["--allow-read"] : [];
      return [binaries.deno, "run", "--no-prompt", ...allowed, file];
    }),
};

/** @type {Environment} */
const bun = {
  name: "Bun",
  version: () => versionOf("@oven/bun-linux-x64-baseline", folder),
  run: (place) => inProcesses(place, (file) => [binaries.bun, file]),
};

export const heavy = [
  nodeOf("node20"),
  nodeOf("node22"),
  nodeOf("node24"),
  nodeOf("node26"),
  deno,
  bun,
  viteBuild(vite7),
  viteDev(vite7, {
    "phasor/external": {
      how: 'with optimizeDeps: { exclude: ["phasor"] }',
      otherwise: /phasor could not (read|compile) its core/, // no file is there, or the server's page
    },
  }),
  nextClient,
  nextServer,
  workerd,
];
