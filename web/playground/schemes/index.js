import { schemesOf } from "phasor";
import { declarations } from "../../../src/positional/about.js";
import { conventional } from "./conventional.js";
import { declaredScheme } from "./declared.js";
import { phasor } from "./options.js";

/** @import { Scheme } from "./scheme.js" */

const others = schemesOf(phasor).filter(({ name }) => !(name in declarations));

/**
 * The schemes that declare themselves, then those that follow the convention.
 * @param {"table" | "rotation" | "bias" | "images" | "numbers"} group
 */
const family = (group) => [
  ...Object.entries(declarations)
    .filter(([, { about }]) => about.group === group)
    .map(([name, declaration]) => declaredScheme(name, declaration)),
  ...others.filter(({ kind }) => kind === group).map(conventional),
];

/** Schemes by what they do with positions, in the order in which they are offered. */
export const FAMILIES = Object.freeze({
  "Added to the input": family("table"),
  "Rotating queries and keys": family("rotation"),
  "Added to the logits": family("bias"),
  Images: family("images"),
  "Continuous numbers": family("numbers"),
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
