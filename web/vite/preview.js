import { load } from "phasor";
import { figures } from "phasor/plots";
import { address } from "../../scripts/site/address.js";
import { PREVIEW } from "../template/meta.js";

/** Pixels of a cell. */
const SCALE = 10;

/**
 * The picture that shared links show. Only a site with a public address has it, since such links are absolute.
 * @returns {import("vite").Plugin}
 */
export const preview = () => ({
  name: "preview",
  async generateBundle() {
    if (!address) return;
    this.emitFile({ type: "asset", fileName: PREVIEW.file, source: await picture() });
  },
});

/** The sinusoids that the front page adds to words, as a PNG. @returns {Promise<Uint8Array>} */
export async function picture() {
  const { sinusoidal } = await load();
  const size = /** @type {const} */ ([PREVIEW.height / SCALE, PREVIEW.width / SCALE]);
  const table = sinusoidal.table(...size, { layout: "halves" });
  const url = figures().heatmap(table, { as: "png", scale: SCALE });
  const bytes = atob(url.slice(url.indexOf(",") + 1));
  return Uint8Array.from(bytes, (each) => each.charCodeAt(0));
}
