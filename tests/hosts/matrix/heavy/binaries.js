// The programs among what is installed.

import { join } from "node:path";
import { folder } from "./install.js";

const modules = join(folder, "node_modules");

export const binaries = {
  deno: join(modules, "@deno/linux-x64-glibc/deno"),
  bun: join(modules, "@oven/bun-linux-x64-baseline/bin/bun"),
  node20: join(modules, "node20/bin/node"),
  node22: join(modules, "node22/bin/node"),
  node24: join(modules, "node24/bin/node"),
  node26: join(modules, "node26/bin/node"),
};
