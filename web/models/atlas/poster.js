// The poster: a small picture of the frequencies of each family. The build writes it into the page, and as a file.

/** @import { Kind, Spectrum } from "./spectra.js" */
import { escape } from "../../template/escape.js";

/** The box of a picture, and the height of its strip of layers. */
const [WIDTH, HEIGHT, STRIP] = [100, 40, 6];

/** The slowest frequency that has a height: 1e-8 radians per token. */
const DECADES = 8;

const short = (/** @type {number} */ value) => Number(value.toFixed(1));

/** @param {number} frequency */
const depthOf = (frequency) =>
  short(HEIGHT * Math.min(1, Math.max(0, -Math.log10(frequency || 1e-99) / DECADES)));

/**
 * The points of a spectrum; those on a line between others are left out.
 * @param {Kind} kind @param {readonly number[]} frequencies
 */
function pointsOf({ from, to }, frequencies) {
  const step = (WIDTH * (to - from)) / frequencies.length;
  const all = frequencies.map((each, i) => [WIDTH * from + (i + 0.5) * step, depthOf(each)]);
  const ends = [WIDTH * from, ...all.slice(1, -1).map(([x]) => x), WIDTH * to];
  /** @type {number[][]} */
  const kept = [];
  all.forEach(([, y], i) => {
    const [before, after] = [all[i - 1], all[i + 1]];
    const isBent = !before || !after || Math.abs(before[1] + after[1] - 2 * y) > 0.25;
    if (isBent) kept.push([ends[i], y]);
  });
  return kept.map(([x, y]) => `${short(x)} ${y}`);
}

/** @param {Kind} kind @param {readonly number[]} frequencies */
const area = (kind, frequencies) =>
  `M${short(WIDTH * kind.from)} ${HEIGHT}L${pointsOf(kind, frequencies).join("L")}L${short(WIDTH * kind.to)} ${HEIGHT}Z`;

/** Runs of layers that rotate. @param {readonly boolean[]} layers */
function strip(layers) {
  const step = WIDTH / layers.length;
  const cells = layers.flatMap(
    (rotates, i) =>
    rotates ? [`M${short(i * step)} ${HEIGHT + 3}h${short(Math.max(0.7, step - 0.4))}v4h-${short(Math.max(0.7, step - 0.4))}z`] : [], // prettier-ignore
  );
  return cells.join("");
}

/**
 * The shapes of a picture, each with what it is.
 * @param {Spectrum} spectrum
 * @returns {[what: "paper" | "spared" | "own" | "other" | "turn" | "layers", path: string][]}
 */
function shapesOf({ kinds, layers, trained }) {
  const [first, ...others] = kinds;
  const isSlowed = String(first.plain) !== String(first.frequencies);
  const turn = trained ? depthOf((2 * Math.PI) / trained) : HEIGHT;
  return [
    ["paper", `M0 0H${WIDTH}V${HEIGHT}H0Z`],
    ...(isSlowed ? [/** @type {const} */ (["spared", area(first, first.plain)])] : []),
    ["own", area(first, first.frequencies)],
    ...others.map((kind) => /** @type {const} */ (["other", `M${pointsOf(kind, kind.frequencies).join("L")}`])), // prettier-ignore
    ...(turn < HEIGHT ? [/** @type {const} */ (["turn", `M0 ${turn}H${WIDTH}`])] : []),
    ...(layers.length > 0 ? [/** @type {const} */ (["layers", strip(layers)])] : []),
  ].map(([what, path]) => [/** @type {any} */ (what), path]);
}

/** Families that do not rotate by one position, by their schemes. @typedef {readonly {scheme: string, families: readonly string[]}[]} Others */

/** @param {string} family */
const address = (family) => `#search=${encodeURIComponent(family)}`;

/**
 * The poster as lists of links for the page.
 * @param {readonly Spectrum[]} spectra @param {Others} others
 */
export function posterList(spectra, others) {
  const box = `viewBox="0 0 ${WIDTH} ${HEIGHT + STRIP + 1}" aria-hidden="true"`;
  const item = (/** @type {Spectrum} */ spectrum) => {
    const { family, model, says } = spectrum;
    const paths = shapesOf(spectrum).map(([what, d]) => `<path class="${what}" d="${d}"/>`);
    const lines = [...(model ? [`as ${model}`] : []), ...says];
    const small = lines.map((line) => `<small>${escape(line)}</small>`).join(" ");
    return `<li><a href="${address(family)}"><svg ${box}>${paths.join("")}</svg><b>${escape(family)}</b> ${small}</a></li>`;
  };
  const rotating = halvesOf(spectra).map(
    ({ title, of }) => `<h3>${title}</h3><ul class="spectra">${of.map(item).join("")}</ul>`,
  );
  const groups = others.map(({ scheme, families }) => {
    const links = families.map((family) => `<li><a href="${address(family)}">${escape(family)}</a></li>`); // prettier-ignore
    return `<h3>${escape(scheme)} (${families.length})</h3><ul class="names">${links.join("")}</ul>`;
  });
  const key = KEY.map((text) => `<p class="key">${escape(text)}</p>`).join("");
  const region = 'class="region" role="region" tabindex="0" aria-label="Families, by scheme"';
  return `<div ${region}>${rotating.join("")}${groups.join("")}</div>${key}`;
}

/** Families whose model is known by name, and others. @param {readonly Spectrum[]} spectra */
function halvesOf(spectra) {
  const known = spectra.filter(({ model }) => model !== undefined);
  const others = spectra.filter(({ model }) => model === undefined);
  return [
    { title: `RoPE, of models known by name (${known.length})`, of: known },
    { title: `RoPE, by the family\u2019s default (${others.length})`, of: others },
  ];
}

/** What paths are painted with: those of the page's style sheet. */
const PAINT = Object.freeze({
  light: { page: "#fdfcf9", ink: "#1b2329", quiet: "#576069", paper: "#f0ede5", own: "#35a06f", spared: "#7a52d1" }, // prettier-ignore
  dark: { page: "#12161a", ink: "#e6eaec", quiet: "#a0abb4", paper: "#222a31", own: "#2f8a60", spared: "#a98bfa" }, // prettier-ignore
});

/** The size of the poster in a file, and of a tile, px. */
const [ACROSS, PAD, TILE, COLUMNS, ROW] = [1200, 40, 112, 10, 102];

/**
 * The poster as one SVG.
 * @param {readonly Spectrum[]} spectra @param {Others} others @param {"light" | "dark"} theme
 */
export function posterSvg(spectra, others, theme) {
  const { page, ink, quiet, paper, own, spared } = PAINT[theme];
  const line = (/** @type {string} */ stroke, dash = "") =>
    `fill="none" stroke="${stroke}" stroke-width="1.2"${dash && ` stroke-dasharray="${dash}"`}`;
  const paint = {
    paper: `fill="${paper}"`,
    own: `fill="${own}"`,
    spared: `fill="${spared}"`,
    other: line(ink),
    turn: line(quiet, "2 2"),
    layers: `fill="${quiet}"`,
  };
  const write = (
    /** @type {string} */ text,
    /** @type {number} */ x,
    /** @type {number} */ y,
    size = 10,
    fill = quiet,
  ) => `<text x="${x}" y="${y}" font-size="${size}" fill="${fill}">${escape(text)}</text>`;
  const count = spectra.length + others.reduce((sum, { families }) => sum + families.length, 0);
  const title = `How ${count} families of models encode positions`;
  const tile = (
    /** @type {Spectrum} */ spectrum,
    /** @type {number} */ x,
    /** @type {number} */ y,
  ) => {
    const paths = shapesOf(spectrum).map(([what, d]) => `<path d="${d}" ${paint[what]}/>`);
    const { family, model, says } = spectrum;
    const three = [...(model ? [`as ${model}`] : []), ...says].slice(0, 3);
    const lines = three.map((text, at) => write(text, 0, 70 + at * 11, 8.5));
    const name = write(family, 0, 58, Math.min(10, short(170 / family.length)), ink);
    return `<g transform="translate(${x} ${y})">${paths.join("")}${name}${lines.join("")}</g>`;
  };
  const parts = [
    write(title, PAD, 58, 28, ink),
    ...KEY.map((text, i) => write(text, PAD, 84 + i * 18, 13)),
  ];
  let y = 84 + KEY.length * 18 + 24;
  for (const { title: heading, of } of halvesOf(spectra)) {
    parts.push(write(heading, PAD, y, 13, ink));
    y += 14;
    parts.push(...of.map((each, i) => tile(each, PAD + (i % COLUMNS) * TILE, y + Math.floor(i / COLUMNS) * ROW))); // prettier-ignore
    y += Math.ceil(of.length / COLUMNS) * ROW + 20;
  }
  for (const { scheme, families } of others) {
    parts.push(write(`${scheme} (${families.length})`, PAD, y, 13, ink));
    for (const text of wrapped(families, 170)) parts.push(write(text, PAD, (y += 16), 11));
    y += 26;
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${ACROSS}" height="${y}" viewBox="0 0 ${ACROSS} ${y}" role="img" aria-labelledby="title desc" font-family="system-ui, sans-serif"><title id="title">${title}</title><desc id="desc">${KEY.join(" ")}</desc><path d="M0 0H${ACROSS}V${y}H0Z" fill="${page}"/>${parts.join("")}</svg>\n`;
}

/** What the pictures show. */
export const KEY = [
  "Across: the columns of a head. Up: the frequency of each pair, from one radian a token to a hundred-millionth; empty columns do not rotate.",
  "Violet: what a scaling slows down. Line: other layers of the same model. Dashed: one turn in the trained length. Strip: the layers; gaps are those without RoPE.",
];

/** Names in lines of at most `most` letters. @param {readonly string[]} names @param {number} most */
function wrapped(names, most) {
  /** @type {string[]} */
  const lines = [];
  for (const name of names) {
    const last = lines[lines.length - 1];
    if (last !== undefined && last.length + name.length + 2 <= most)
      lines[lines.length - 1] = `${last}, ${name}`; // prettier-ignore
    else lines.push(name);
  }
  return lines;
}
