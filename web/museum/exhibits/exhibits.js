/** @import { Phasor } from "phasor" */
/** @import { Picture } from "../../app/page.js" */
/** @import { Judgement } from "../../app/questions/verdict.js" */
import { gemma, hidden, layout, ntk, scaling, squared } from "./rotations.js";
import { collapse, frequencies, rounded, root } from "./precision.js";
import { padding, roberta } from "./positions.js";
import { bucket, halves, slopes } from "./formulas.js";

/**
 * A bug on display. `bug` says whether it is on: the numbers of the program that had it, or the right ones.
 *
 * @typedef {object} Exhibit
 * @property {(phasor: Phasor) => Judgement} judge  the question that is asked first
 * @property {(phasor: Phasor, bug: boolean) => string} value  the number that the bug changes most
 * @property {(phasor: Phasor, bug: boolean) => Picture} [picture]
 * @property {(phasor: Phasor, bug: boolean) => Strip} [strip]
 * @property {Readonly<Record<string, (phasor: Phasor) => string>>} [facts]  further numbers of its words
 *
 * Rows of numbers, the right ones in `right`: numbers that differ from them are marked.
 * @typedef {{ head: readonly string[], rows: readonly { name: string, numbers: readonly string[], right?: readonly string[] }[] }} Strip
 */

/** The exhibits by their names on the page. @type {Readonly<Record<string, Exhibit>>} */
export const exhibits = Object.freeze({
  layout,
  scaling,
  squared,
  ntk,
  gemma,
  hidden,
  rounded,
  frequencies,
  collapse,
  root,
  padding,
  roberta,
  slopes,
  bucket,
  halves,
});
