/** @import { Phasor } from "phasor" */
/** @import { Picture } from "../../app/page.js" */
/** @import { Case } from "../verdict.js" */
import { drown, onehot, queen, sum } from "./words.js";
import { linear, odd, slow } from "./sinusoids.js";
import { extrapolate, fall, reach, yarn } from "./distances.js";
import { blind, saturate } from "./attention.js";

/**
 * A sentence that is often said: the cases that it is tested on, and a figure.
 *
 * @typedef {object} Claim
 * @property {string} measure  what is computed in each case
 * @property {(phasor: Phasor) => readonly Case[] | Promise<readonly Case[]>} cases
 * @property {(phasor: Phasor) => Picture | Promise<Picture>} [picture]
 * @property {Readonly<Record<string, (phasor: Phasor) => string>>} [facts]  further numbers of its words
 */

/** The claims by their names on the page. @type {Readonly<Record<string, Claim>>} */
export const claims = Object.freeze({
  slow,
  sum,
  queen,
  saturate,
  drown,
  fall,
  extrapolate,
  yarn,
  reach,
  odd,
  onehot,
  blind,
  linear,
});
