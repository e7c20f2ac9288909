/** @import { Core } from "../../runtime/wasm.js" */
/** @import { Resume } from "./decoder.js" */
/** @import { Reading } from "./network.js" */
/** @import { Position, PositionByLayer, Scheme } from "./position.js" */
/** @import { Shape } from "./parameters.js" */
import * as check from "../../runtime/check.js";
import { Network } from "./network.js";
import { schemesOf } from "./position.js";
import { scalingOf } from "./readings.js";

/**
 * What a decoder starts with.
 * @typedef {object} Start
 * @property {Shape} shape
 * @property {{words: number, positions: number}} std
 * @property {Position | PositionByLayer} position
 * @property {bigint} seed
 * @property {Resume} [resume]
 *
 * A run: its settings as JSON, and the task and the function of positions, which no file has.
 * @typedef {{settings: string, step: number, functions?: unknown[], hasMoments?: boolean}} Run
 *
 * What a reading may change.
 * @typedef {{position?: unknown, scaling?: unknown, temperature?: number}} Change
 */

/** The most terms of distances, of all heads: a gibibyte. */
const MOST_NUMBERS = 2 ** 28;

/** A decoder's network, what it was made of, and how far it has been trained. */
export class State {
  /** The steps made: no run has the random positions of another. */
  made = 0;
  /** The texts of these steps: no run sees those of another. */
  texts = 0;
  /** The length of the first training; 0 before it. */
  trained = 0;
  /** The run that `train` goes on with. @type {Run | undefined} */
  run;

  /** @param {Core} core @param {Start} start */
  constructor(core, { shape, std, position, seed, resume }) {
    this.core = core;
    this.shape = shape;
    this.std = std;
    this.seed = seed;
    this.read = schemesOf(core);
    this.position = position;
    /** What is freed in the end; `freeing` must not know the state, and `change` replaces the network. */
    this.held = { at: 0 };
    this.network = this.networkOf(position);
    this.held.at = this.network.at;
    this.network.parameters.forEach((parameter, i) => this.network.start(parameter, i, seed));
    if (resume) {
      this.made = resume.made;
      this.texts = resume.texts;
      this.trained = resume.trained;
      this.run = { settings: resume.settings, step: resume.step };
    }
  }

  /** @param {unknown} position */
  networkOf(position) {
    const { schemes, isByLayer } = this.schemesOf(position);
    return new Network(this.core, this.held, this.shape, this.std, schemes, isByLayer);
  }

  /** @param {unknown} position */
  schemesOf(position) {
    const { E, H, L } = this.shape;
    const sizes = { E, H, std: this.std.positions };
    if (!check.isRecord(position) || !("layers" in position)) {
      return { schemes: [this.read(position, sizes)], isByLayer: false };
    }
    const { layers } = check.options(position, { layers: /** @type {unknown} */ ([]) }, "position");
    if (!check.isList(layers) || layers.length !== L) {
      const got = check.describe(layers);
      throw new RangeError(`position.layers must be a list of ${L} positions; got ${got}`);
    }
    const schemes = layers.map((of) => this.read(of, sizes));
    const outside = schemes.find(({ isAdded }) => isAdded);
    if (outside) {
      throw new RangeError(
        `position.layers must be schemes of attention; got "${outside.position.scheme}", which is added to the embedding`,
      );
    }
    return { schemes, isByLayer: true };
  }

  /**
   * The schemes of a reading: those of the network, or others without numbers that are trained.
   * @param {Change} change @param {number} T
   */
  schemesFor({ position, scaling: given }, T) {
    const { network } = this;
    if (given !== undefined) {
      const scaling = scalingOf(given, this.trained, T);
      if (position !== undefined)
        throw new RangeError("scaling must not be given with position; got both");
      const names = network.schemes.map(({ position }) => position.scheme);
      if (!names.includes("rope"))
        throw new RangeError(`scaling must be for the scheme "rope"; got "${names.join(", ")}"`);
      return network.schemes.map((scheme) => {
        const { position } = scheme;
        if (position.scheme !== "rope") return scheme;
        const { E, H } = this.shape;
        return this.read({ ...position, scaling }, { E, H, std: this.std.positions });
      });
    }
    if (position === undefined) return network.schemes;
    const { schemes, isByLayer } = this.schemesOf(position);
    const all = isByLayer === network.isByLayer ? schemes : network.schemes.map(() => schemes[0]);
    const isStrange = all.length !== network.schemes.length;
    const trained = schemes.find(({ parameters }) => parameters.length > 0);
    if (trained || isStrange) {
      throw new RangeError(
        `position must be a scheme without trained numbers; got ${check.describe(position)}; model.change gives new numbers`,
      );
    }
    return all;
  }

  /**
   * @param {readonly Scheme[]} schemes @param {number} B @param {number} T @param {Int32Array | undefined} indices
   *   [T] or [B, T]
   * @param {number} [temperature]
   * @param {boolean} [keeps]
   * @returns {Reading}
   */
  reading(schemes, B, T, indices, temperature = 1, keeps = false) {
    const rows = schemes.reduce((sum, scheme) => sum + scheme.rows, 0);
    const last = indices ? indices.reduce((most, index) => Math.max(most, index), 0) : T - 1;
    if (rows > 0 && last >= rows) {
      const got = indices ? `position ${last}` : `length ${T}`;
      throw new RangeError(
        `rows of learned positions must reach the last token; got ${rows} and ${got}`,
      );
    }
    if (indices && schemes.some(({ isTerm }) => isTerm)) {
      checkRising(indices, T);
      const most = Math.floor(MOST_NUMBERS / this.shape.H);
      if (last >= most) {
        throw new RangeError(`positions must be below ${most} for terms of distances; got ${last}`);
      }
    }
    const texts = indices && indices.length > T ? B : 1;
    const places = { T, texts, indices, distances: last + 1, trained: this.trained };
    return {
      network: this.network,
      B,
      places,
      schemes,
      tables: schemes.map((scheme) => scheme.tables(places)),
      added: schemes.map((scheme) => scheme.added(places)).find((numbers) => numbers),
      temperature,
      keeps,
    };
  }

  /** Another scheme for the same weights: its numbers start as given, and AdamW anew. @param {unknown} position */
  change(position) {
    const before = this.network;
    const network = this.networkOf(position);
    const names = new Map(before.parameters.map((parameter) => [parameter.name, parameter]));
    network.parameters.forEach((parameter, i) => {
      const old = parameter.isPosition ? undefined : names.get(parameter.name);
      if (old) network.view(parameter).set(before.view(old));
      else network.start(parameter, i, this.seed);
    });
    this.network = network;
    this.held.at = network.at;
    this.position = /** @type {Position} */ (position);
    this.run = undefined;
    before.free();
  }
}

/** A term of attention is a function of distances, which are not negative. @param {Int32Array} indices @param {number} T */
function checkRising(indices, T) {
  for (let i = 1; i < indices.length; ++i) {
    if (i % T !== 0 && indices[i] < indices[i - 1]) {
      throw new RangeError(
        `positions must rise within a text for a bias of distances; got ${indices[i]} after ${indices[i - 1]}`,
      );
    }
  }
}

/** Frees a network, for `beginLife`. @param {Core} core @param {{at: number}} held */
export function freeing(core, held) {
  return () => {
    if (!core.dead) core.raw._free(held.at);
    held.at = 0;
  };
}
