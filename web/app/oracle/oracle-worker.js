// The worker that identifies arrays: of files, of a text, or of an example.

/** @import { Chosen, Read } from "./arrays.js" */
import { load } from "phasor";
import { identify } from "phasor/oracle";
import { answer } from "../answer.js";
import { readFiles } from "./arrays.js";
import { examples } from "./examples.js";
import { readText } from "./printed.js";
import { programOf } from "./program.js";

const loading = load();

/** @param {Read} read @param {number} [heads]  of weights */
async function identified({ arrays, names, choices, notes, precision }, heads) {
  const phasor = await loading;
  const isOfWeights = "weights" in arrays;
  if (isOfWeights && heads === undefined)
    throw new RangeError("These are weights: enter their number of heads.");
  const given = /** @type {any} */ (isOfWeights ? { ...arrays, heads } : arrays);
  const found = await identify(given, { phasor, ...(precision && { precision }) });
  const [first] = Object.values(arrays);
  const { shape, dtype = "float32" } = first;
  const read = { names, choices, notes, shape: [...shape], dtype };
  return { answer: found, read, program: programOf(phasor, found, arrays) };
}

/** @typedef {typeof jobs} Jobs */
/** @typedef {Awaited<ReturnType<typeof identified>>} Identified */
const jobs = {
  /** @param {{name: string}} given */
  async example({ name }) {
    const arrays = examples[/** @type {keyof typeof examples} */ (name)](await loading);
    const names = Object.fromEntries(Object.keys(arrays).map((own) => [own, own]));
    return identified({ arrays, names, choices: [names], notes: [] });
  },

  /** @param {{files: readonly File[], wanted: Chosen | undefined, heads: number | undefined}} given */
  files: async ({ files, wanted, heads }) => identified(await readFiles(files, wanted), heads),

  /** @param {{text: string, heads: number | undefined}} given */
  text: async ({ text, heads }) => identified(readText(text), heads),
};

answer(jobs);
