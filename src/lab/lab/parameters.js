/** @import { Parameter, Scheme } from "./position.js" */
import { count } from "../../runtime/arrays.js";

/**
 * The sizes of a decoder, named as in lab.h.
 * @typedef {object} Shape
 * @property {number} V @property {number} E @property {number} H @property {number} L @property {number} F
 * @property {boolean} tied @property {boolean} biased
 */

/**
 * A parameter with the place of its first number among all.
 * @typedef {Parameter & {at: number, count: number}} Placed
 */

/** Every parameter begins at a multiple of four numbers. @param {number} n */
export const padded = (n) => 4 * Math.ceil(n / 4);

/**
 * The parameters of a decoder, in the order of lab.h.
 * @param {Shape} shape @param {{words: number, positions: number}} std
 * @param {readonly Scheme[]} schemes @param {boolean} byLayer  whether each layer has a separate one
 */
export function parametersOf({ V, E, L, F, tied, biased }, std, schemes, byLayer) {
  /** @type {Placed[]} */
  const all = [];
  let end = 0;
  /** @param {Parameter} parameter  from the next multiple of four on, or right behind the one before */
  const place = (parameter, isApart = true) => {
    const size = count(parameter.shape);
    if (isApart) end = padded(end);
    all.push({ ...parameter, at: end, count: size });
    end += size;
  };
  /** @param {string} name @param {number[]} shape @param {number} scale */
  const normal = (name, shape, scale) => place({ name, shape, start: "normal", scale });
  /** @param {string} name @param {number} size */
  const zeros = (name, size) => place({ name, shape: [size], start: "zeros" });
  /** @param {string} name */
  const norm = (name) => {
    place({ name: `${name}.weight`, shape: [E], start: "ones" });
    place({ name: `${name}.bias`, shape: [E], start: "zeros" });
  };

  normal("tokens", [V, E], std.words);
  for (const { rows, parameters } of schemes) if (rows > 0) parameters.forEach((of) => place(of));
  for (let l = 0; l < L; ++l) {
    const at = `layers.${l}.`;
    norm(`${at}norm1`);
    normal(`${at}attention.in_proj.weight`, [3 * E, E], Math.sqrt(1 / E));
    if (biased) zeros(`${at}attention.in_proj.bias`, 3 * E);
    normal(`${at}attention.out_proj.weight`, [E, E], Math.sqrt(1 / (2 * L * E)));
    zeros(`${at}attention.out_proj.bias`, E);
    norm(`${at}norm2`);
    normal(`${at}mlp.in.weight`, [F, E], Math.sqrt(1 / E));
    zeros(`${at}mlp.in.bias`, F);
    normal(`${at}mlp.out.weight`, [E, F], Math.sqrt(1 / (2 * L * F)));
    zeros(`${at}mlp.out.bias`, E);
  }
  norm("norm");
  if (!tied) normal("head.weight", [V, E], Math.sqrt(1 / E));
  zeros("head.bias", V);
  const first = padded(end);
  /** Where the numbers of each scheme begin. @type {number[]} */
  const at = [];
  schemes.forEach(({ rows, parameters }, l) => {
    at.push(padded(end));
    if (rows > 0) return;
    const prefix = byLayer ? `layers.${l}.` : "";
    parameters.forEach((of, i) => place({ ...of, name: prefix + of.name }, i === 0));
  });
  return { all, at, total: padded(end), numbers: padded(end) - first };
}
