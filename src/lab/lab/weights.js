/** @import { OptionsOf } from "../../runtime/options.js" */
/** @import { FROM } from "./decoder.js" */
/** @import { Network } from "./network.js" */
/** @import { State } from "./state.js" */
import { areEqual } from "../../runtime/arrays.js";
import * as check from "../../runtime/check.js";
import { wrongShape } from "../../runtime/errors.js";
import { asFloat32 } from "../../runtime/input.js";
import { Tensor } from "../../runtime/tensor.js";
import { guard } from "../../runtime/wasm.js";
import { RUN } from "./network.js";

/** AdamW's moments, as `weights` names them. */
const MOMENTS = Object.freeze({ "adamw.means.": RUN.means, "adamw.squares.": RUN.squares });

/**
 * Replaces the numbers of a network.
 * @param {Network} network @param {unknown} tensors  by name; those of AdamW may be missing
 * @returns {boolean} whether they are there
 */
export function restore(network, tensors) {
  if (!check.isRecord(tensors)) {
    throw new TypeError(`tensors must be an object; got ${check.describe(tensors)}`);
  }
  const hasMoments = Object.keys(tensors).some((name) => name.startsWith("adamw."));
  const runs = hasMoments ? { "": RUN.weights, ...MOMENTS } : { "": RUN.weights };
  const known = new Set();
  for (const [prefix, run] of Object.entries(runs)) {
    for (const parameter of network.parameters) {
      const name = prefix + parameter.name;
      known.add(name);
      if (!Object.hasOwn(tensors, name)) {
        throw new RangeError(`tensors must have ${name}; got ${check.describe(undefined)}`);
      }
      const { data, shape } = asFloat32(tensors[name], `tensors["${name}"]`);
      if (!areEqual(shape, parameter.shape)) {
        throw wrongShape(`tensors["${name}"]`, `[${parameter.shape.join(", ")}]`, shape);
      }
      network.view(parameter, run).set(data);
    }
  }
  const strange = Object.keys(tensors).find((name) => !known.has(name));
  if (strange !== undefined) {
    throw new RangeError(`tensors must be those of the decoder; got "${strange}"`);
  }
  return hasMoments;
}

/**
 * Copies of the numbers of a run, by name.
 * @param {State} state @param {number} run @param {string} [prefix]  of the names
 * @returns {Record<string, Tensor>}
 */
export function copiesOf({ core, network }, run, prefix = "") {
  return Object.fromEntries(
    network.parameters.map((parameter) => {
      const data = guard(core, () => network.view(parameter, run).slice());
      return [prefix + parameter.name, new Tensor(data, [...parameter.shape])];
    }),
  );
}

/** All weights, and AdamW's moments where they are asked for. @param {State} state @param {boolean} optimizer */
export function weightsOf(state, optimizer) {
  const weights = copiesOf(state, RUN.weights);
  if (!optimizer) return weights;
  if (state.run?.hasMoments === false && state.run.step > 0)
    throw new RangeError("optimizer must be false without AdamW's moments; got true");
  const moments = Object.entries(MOMENTS).map(([prefix, run]) => copiesOf(state, run, prefix));
  return Object.assign(weights, ...moments);
}

/** What `lab.decoder.from` needs beside the weights. @param {State} state @returns {Required<OptionsOf<typeof FROM>>} */
export function optionsOf({ shape, std, position, seed, run, made, trained, texts }) {
  return {
    vocabulary: shape.V,
    dim: shape.E,
    heads: shape.H,
    layers: shape.L,
    mlp: shape.F / shape.E,
    tied: shape.tied,
    bias: shape.biased,
    std,
    position,
    seed,
    resume: { step: run?.step ?? 0, made, trained, texts, settings: run?.settings ?? "" },
  };
}
