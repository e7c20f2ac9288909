import { address } from "../../scripts/site/address.js";
import { escape } from "./escape.js";

/** The picture that shared links show: web/vite/preview.js makes it. */
export const PREVIEW = {
  file: "preview.png",
  width: 1200,
  height: 630,
  alt: "A heat map of sinusoids: one row for each position, first the sines of fast and slow waves, then their cosines.",
};

/**
 * Metadata for links to a page and for the browser's interface. Fields that need the public address of
 * the site are omitted if it has none.
 *
 * @param {{ title: string, description: string, path: string }} page  `path`: of its file, "lessons/rope/index.html"
 * @param {string} [site]  the public address
 */
export function metaOf({ title, description, path }, site = address) {
  const meta = (/** @type {string} */ name, /** @type {string} */ content) =>
    `<meta ${name.includes(":") && !name.startsWith("twitter") ? "property" : "name"}="${name}" content="${escape(content)}" />`;
  const about = [
    ...["light", "dark"].map(
      (theme) =>
        `<meta name="theme-color" media="(prefers-color-scheme: ${theme})" content="${PAPER[theme]}" data-theme="${theme}" />`,
    ),
    meta("og:type", "website"),
    meta("og:site_name", "phasor"),
    meta("og:title", title),
    meta("og:description", description),
  ];
  if (!site) return about.join("\n    ");
  const own = site + path.replace(/index\.html$/, "");
  return [
    ...about,
    `<link rel="canonical" href="${escape(own)}" />`,
    meta("og:url", own),
    meta("og:image", site + PREVIEW.file),
    meta("og:image:width", String(PREVIEW.width)),
    meta("og:image:height", String(PREVIEW.height)),
    meta("og:image:alt", PREVIEW.alt),
    meta("twitter:card", "summary_large_image"),
  ].join("\n    ");
}

/** The color of the paper: web/app/style.css. @type {Record<string, string>} */
const PAPER = { light: "#fdfcf9", dark: "#12161a" };
