import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import subset from "subset-font";
import { once } from "../setup/once.js";
import { step } from "../setup/run.js";
import { project } from "../setup/setup.js";

/** The printable characters from `first` to `last`. @param {number} first @param {number} last */
const range = (first, last) =>
  String.fromCodePoint(...Array.from({ length: last - first + 1 }, (_, i) => first + i));

const ENGLISH = range(0x20, 0x7e) + "\u00a0·×–—‘’“”…−";
const LATIN = ENGLISH + range(0xa0, 0xff);
const GREEK = range(0x391, 0x3c9);
const MATH =
  LATIN +
  GREEK +
  range(0x1d434, 0x1d467) +
  range(0x1d6e2, 0x1d71b) +
  "ℎℝℤ′″·⋅⋯…∑∏√∞∂∈∉≈≡≠≤≥≪≫→←↦∘⊕⊗∥⟨⟩⌊⌋⌈⌉±×÷";

/**
 * The fonts of the site: the file of the package, the characters that the pages use, and the axes that they vary.
 * Characters beyond these take the next font of the list in `web/app/style.css`.
 */
const fonts = {
  text: {
    file: "@fontsource-variable/inter/files/inter-latin-wght-normal.woff2",
    characters: LATIN,
    axes: { wght: { min: 400, max: 700 } },
  },
  heading: {
    file: "@fontsource-variable/source-serif-4/files/source-serif-4-latin-wght-normal.woff2",
    characters: ENGLISH, // headings are the site's own
    axes: { wght: 600 },
  },
  mono: {
    file: "@fontsource-variable/jetbrains-mono/files/jetbrains-mono-latin-wght-normal.woff2",
    characters: LATIN,
    axes: { wght: { min: 400, max: 700 } },
  },
  math: {
    file: "@fontsource/stix-two-math/files/stix-two-math-latin-400-normal.woff2",
    characters: MATH,
    axes: {},
  },
};

/** The packages that the fonts come from. */
export const fontPackages = [
  ...new Set(Object.values(fonts).map(({ file }) => file.split("/files/")[0])),
];

/** Writes the fonts of the site to build/fonts, each with only the characters and axes that the pages use. */
export function buildFonts() {
  const from = [
    "scripts/site/fonts.js",
    ...["subset-font", ...fontPackages].map((name) => `node_modules/${name}/package.json`),
  ];
  return once("fonts", { from, to: ["build/fonts"] }, () =>
    step("Subsetting the fonts", async () => {
      mkdirSync(join(project, "build/fonts"), { recursive: true });
      for (const [name, { file, characters, axes }] of Object.entries(fonts)) {
        const whole = readFileSync(join(project, "node_modules", file));
        const options = { targetFormat: /** @type {const} */ ("woff2"), variationAxes: axes };
        const bytes = await subset(whole, characters, options);
        writeFileSync(join(project, `build/fonts/${name}.woff2`), bytes);
      }
    }),
  );
}
