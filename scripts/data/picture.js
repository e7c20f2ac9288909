// Draws the README's picture with the built package: node scripts/data/picture.js writes .github/sinusoids.svg.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { project } from "../setup/setup.js";

/** @returns {Promise<string>} the picture as SVG */
export async function picture() {
  const { load } = await import("phasor");
  const { figures } = await import("phasor/plots");
  const { sinusoidal } = await load();
  return figures().heatmap(sinusoidal.table(64, 128), {
    title: "sinusoidal.table(64, 128)",
    rowTitle: "position",
    columnTitle: "dimension",
    as: "svg",
  });
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await writeFile(join(project, ".github", "sinusoids.svg"), await picture());
}
