import { load } from "phasor";
import { atlas, models } from "phasor/models";
import { NAMES } from "../models/atlas/names.js";
import { posterList, posterSvg } from "../models/atlas/poster.js";
import { spectra } from "../models/atlas/spectra.js";

/**
 * The poster of the atlas: `<x-poster>` becomes pictures with links when the site is built, and the whole is a file in
 * each theme.
 *
 * @returns {import("vite").Plugin}
 */
export function poster() {
  /** @type {ReturnType<typeof drawn> | undefined} */
  let drawing;
  const made = () => (drawing ??= drawn());
  return {
    name: "poster",
    transformIndexHtml: {
      order: "pre", // before the template, which does not know the element
      async handler(html, { path }) {
        if (path !== "/models/atlas/index.html") return html;
        const { list } = await made();
        return html.replace("<x-poster></x-poster>", () => list);
      },
    },
    async generateBundle() {
      const { light, dark } = await made();
      for (const [theme, source] of Object.entries({ light, dark }))
        this.emitFile({ type: "asset", fileName: `models/atlas/poster-${theme}.svg`, source });
    },
  };
}

/** The poster as lists of links, and as files. */
export async function drawn() {
  const entries = atlas();
  const rotating = spectra(await load(), entries, models);
  const others = Object.entries(NAMES)
    .map(([scheme, name]) => ({
      scheme: name,
      families: entries.filter((entry) => entry.scheme === scheme).map(({ family }) => family),
    }))
    .slice(1) // without RoPE, which is drawn
    .sort((a, b) => b.families.length - a.families.length);
  return {
    list: posterList(rotating, others),
    light: posterSvg(rotating, others, "light"),
    dark: posterSvg(rotating, others, "dark"),
  };
}
