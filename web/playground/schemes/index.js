import { schemesOf } from "phasor";
import { declarations } from "../../../src/positional/about.js";
import { conventional } from "./conventional.js";
import { declaredScheme } from "./declared.js";
import { bands, gaussian, nerf, timesteps } from "./fourier.js";
import { axialRope, sincosGrid } from "./grid.js";
import { mrope } from "./mrope.js";
import { phasor } from "./options.js";

/** @import { Scheme } from "./scheme.js" */

/** The schemes that declare themselves. @param {string} group */
const declared = (group) =>
  Object.entries(declarations)
    .filter(([, { about }]) => about.group === group)
    .map(([name, declaration]) => declaredScheme(name, declaration));

const entries = Object.freeze({
  table: declared("table"),
  rotation: [...declared("rotation"), mrope],
  bias: declared("bias"),
  images: [sincosGrid, axialRope, ...declared("images")],
  numbers: [timesteps, gaussian, nerf, bands],
});

const names = new Set(
  Object.values(entries)
    .flat()
    .map(({ name }) => name),
);
const others = schemesOf(phasor).filter(({ name }) => !names.has(name));

/** The schemes with an entry, then those that follow the convention. @param {"table" | "rotation" | "bias"} kind */
const family = (kind) => [
  ...entries[kind],
  ...others.filter((scheme) => scheme.kind === kind).map(conventional),
];

/** Schemes by what they do with positions, in the order in which they are offered. */
export const FAMILIES = Object.freeze({
  "Added to the input": family("table"),
  "Rotating queries and keys": family("rotation"),
  "Added to the logits": family("bias"),
  Images: entries.images,
  "Continuous numbers": entries.numbers,
});

/** By name. @type {Readonly<Record<string, Scheme>>} */
export const schemes = Object.freeze(
  Object.fromEntries(
    Object.values(FAMILIES)
      .flat()
      .map((scheme) => [scheme.name, scheme]),
  ),
);

export { VIEWS } from "./scheme.js";
