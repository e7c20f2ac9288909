// What is asked of an opened model, in its worker. Every order says which model is meant, so that a
// worker that had to be ended within a long computation opens it again.

/**
 * @import { Phasor, Tensor } from "phasor"
 * @import { Plain } from "../site/tasks/pca.js"
 * @import { OpenModel } from "./inspect.js"
 * @import { Metric } from "./rank.js"
 */
import { explore, open as openModel } from "phasor/open";
import { inspect, statisticsOf } from "./inspect.js";
import { inked, labelOf } from "./label.js";
import { analogyIn, componentsIn, cosinesIn, neighboursIn } from "./rank.js";

/** @typedef {"" | "float32" | "float16" | "int8"} Kept  how numbers are kept; "": as the file has them */

/**
 * What to open.
 * @typedef {object} Wish
 * @property {string} [name]  on the hub
 * @property {string} [file]  of weights, where it has several
 * @property {readonly File[]} [files]
 * @property {Kept} kept
 */

/**
 * What of a model is on its way.
 * @typedef {object} Progress
 * @property {"header" | "vocabulary" | "table" | "done"} stage
 * @property {number} done  bytes of the table
 * @property {number} total
 * @property {number} requests @property {number} bytes  over the network, of everything so far
 */

/** @typedef {(progress: Progress) => void} Tell */

/** How often progress is told, ms. */
const PACE = 80;

/** @type {Promise<Awaited<ReturnType<typeof begin>>> | undefined} */
let session;

/** @param {Phasor} phasor @param {Wish} wish @param {Tell} tell */
function opened(phasor, wish, tell) {
  session ??= begin(phasor, wish, tell);
  session.catch(() => (session = undefined));
  return session;
}

/** @param {Phasor} phasor @param {Wish} wish @param {Tell} tell */
async function begin(phasor, { name, file, files = [], kept }, tell) {
  tell({ stage: "header", done: 0, total: 0, requests: 0, bytes: 0 });
  const model = await openModel(name ?? files, file ? { phasor, file } : { phasor });
  const { tokens } = model;
  if (!tokens) {
    throw new RangeError(`There is no table of words in it, but ${some(model.names)}`);
  }
  const say = (/** @type {Progress["stage"]} */ stage, done = 0) =>
    tell({ stage, done, total: tokens.bytes, ...model.traffic });
  say("vocabulary");
  const { vocabulary, wrong } = await model.vocabulary().then(
    (vocabulary) => ({ vocabulary, wrong: "" }),
    ({ message }) => ({
      vocabulary: undefined,
      wrong: `Its tokens have no names: ${inked(message)}`,
    }),
  );
  say("table");
  let told = 0;
  const progress = (/** @type {number} */ done) => {
    if (Date.now() - told < PACE) return;
    told = Date.now();
    say("table", done);
  };
  const table = await tokens.load(kept ? { dtype: kept, progress } : { progress });
  const explorer = explore(phasor, table, { vocabulary });
  say("done");
  return { phasor, model, vocabulary, table, explorer, wrong };
}

/** @param {readonly string[]} names */
function some(names) {
  const more = names.length > 5 ? `, and ${names.length - 5} more` : "";
  return `${names.slice(0, 5).join(", ")}${more}`;
}

/* eslint-disable require-yield -- each is one computation, which has nothing to say on its way */
export const tasks = Object.freeze({
  /** @param {Phasor} phasor @param {{wish: Wish}} args @param {Tell} tell */
  async *open(phasor, { wish }, tell) {
    const { model, vocabulary, table, wrong } = await opened(phasor, wish, tell);
    const [size, dim] = /** @type {NonNullable<OpenModel["tokens"]>} */ (model.tokens).shape;
    return {
      ...(await inspect(model)),
      size,
      dim,
      memory: { dtype: table.dtype, bytes: table.bytes() },
      labels: Array.from({ length: size }, (_, id) => labelOf(vocabulary, id)),
      lengths: phasor.statistics.norms(table).data,
      traffic: model.traffic,
      named: vocabulary !== undefined,
      wrong,
    };
  },

  /** @param {Phasor} phasor @param {{wish: Wish, id: number, k: number, metric: Metric}} args @param {Tell} tell */
  async *neighbours(phasor, { wish, id, k, metric }, tell) {
    const { table } = await opened(phasor, wish, tell);
    return neighboursIn(phasor, table, id, k, metric);
  },

  /** @param {Phasor} phasor @param {{wish: Wish, ids: readonly [number, number, number], k: number, metric: Metric, inputs: boolean}} args @param {Tell} tell */
  async *analogy(phasor, { wish, ids, k, metric, inputs }, tell) {
    const { table } = await opened(phasor, wish, tell);
    return analogyIn(phasor, table, ids, k, metric, inputs);
  },

  /** @param {Phasor} phasor @param {{wish: Wish, ids: readonly number[]}} args @param {Tell} tell */
  async *cosines(phasor, { wish, ids }, tell) {
    return cosinesIn(phasor, (await opened(phasor, wish, tell)).table, ids);
  },

  /** @param {Phasor} phasor @param {{wish: Wish, ids?: Int32Array, components: number}} args @param {Tell} tell */
  async *components(phasor, { wish, ids, components }, tell) {
    return componentsIn(phasor, (await opened(phasor, wish, tell)).table, ids, components);
  },

  /** @param {Phasor} phasor @param {{wish: Wish}} args @param {Tell} tell */
  async *statistics(phasor, { wish }, tell) {
    const { explorer } = await opened(phasor, wish, tell);
    return statisticsOf(explorer);
  },

  /** @param {Phasor} phasor @param {{wish: Wish}} args @param {Tell} tell */
  async *repeated(phasor, { wish }, tell) {
    return (await opened(phasor, wish, tell)).explorer.duplicates();
  },

  /** @param {Phasor} phasor @param {{wish: Wish}} args @param {Tell} tell @returns {AsyncGenerator<never, Positions | null>} */
  async *positions(phasor, { wish }, tell) {
    const { model } = await opened(phasor, wish, tell);
    if (!model.positions) return null;
    const [length] = model.positions.shape;
    const read = Math.min(length, MOST_POSITIONS);
    const rows = await model.positions.rows(Int32Array.from({ length: read }, (_, i) => i));
    const step = Math.ceil(read / SHOWN_POSITIONS);
    const places = Int32Array.from({ length: Math.ceil(read / step) }, (_, i) => i * step);
    const some = phasor.embedding.create(read, rows.shape[1], { weights: rows });
    const { data, shape } = phasor.similarity.matrix(some.lookup(places));
    some.dispose();
    return { places, length, cosines: { data, shape } };
  },
});
/* eslint-enable require-yield */

/** @typedef {{places: Int32Array, length: number, cosines: Plain}} Positions */

/** Rows of a table of positions that are read, and those that are compared. */
const MOST_POSITIONS = 1024;
const SHOWN_POSITIONS = 128;
