// The recorded sample that the tests compare: some families, with the rows of tables that their tokens need.

/** @import { Facts, Tensors } from "./compare.js" */

/** Families of which the sample has the input of the first layer, too. */
const INPUTS = new Set(
  `albert bart bert blip_text_model camembert deberta-v2 distilbert electra esm-masked esm-rotary gpt2 granite
   kosmos_2_5_text_model m2m_100 marian modernbert mpnet opt pix2struct_text_model roberta t5 xglm xlm-roberta
   xlstm zamba`.split(/\s+/),
);

/** Families whose rows depend on padding. */
const PADDED = new Set(["opt"]);

/** Families of which the sample has positions beyond the trained length, too. */
const FAR = new Set(["deepseek_v3", "gemma3_text", "gptj", "llama"]);

/** Tables of words and of positions: what they have of rows beyond these is left out. Smaller tables stay whole. */
const POSITIONS = 12;
const FEW = 500;

/**
 * @param {Record<string, {facts: Facts, tensors: Tensors}>} families
 * @returns {{config: Record<string, Facts>, tensors: Tensors}} of the two files
 */
export function sampled(families) {
  /** @type {Record<string, Facts>} */
  const config = {};
  /** @type {Tensors} */
  const tensors = {};
  for (const [family, { facts, tensors: all }] of Object.entries(families)) {
    const { runs = {}, ...rest } = facts;
    /** @type {NonNullable<Facts["runs"]>} */
    const kept = {};
    config[family] = { ...rest, runs: kept };
    for (const [name, run] of Object.entries(runs)) {
      if (name === "padded" && !PADDED.has(family)) continue;
      if (name === "far" && !FAR.has(family)) continue;
      const layers = firstOfEach(run.layers, rest.config);
      // `error`: that further layers rotate is not said to be wrong.
      kept[name] = { error: run.error ?? "sampled", layers };
      for (const layer of Object.keys(layers)) {
        for (const at of ["before", "after"]) {
          const x = all[`${name}.${layer}.${at}`];
          const size = x.shape[1] * x.shape[2];
          const one = { data: x.data.slice(0, size), shape: [1, x.shape[1], x.shape[2]] };
          tensors[`${family}/${name}.${layer}.${at}`] = one;
        }
      }
    }
    if (INPUTS.has(family)) addInput(family, rest.config, all, tensors);
  }
  return { config, tensors };
}

/** The first layer of each kind. @param {Record<string, string>} layers @param {any} config */
function firstOfEach(layers, config) {
  const kinds = new Set();
  return Object.fromEntries(
    Object.entries(layers).filter(([layer]) => {
      const kind = config.layer_types?.[Number(layer)] ?? "";
      if (kinds.has(kind)) return false;
      kinds.add(kind);
      return true;
    }),
  );
}

/** @param {string} family @param {any} config @param {Tensors} all @param {Tensors} tensors */
function addInput(family, config, all, tensors) {
  const put = (/** @type {string} */ name, /** @type {Tensors[string]} */ x) =>
    (tensors[`${family}/${name}`] = x);
  const used = [...new Set(all.ids.data)];
  const isSmall = (config.vocab_size ?? FEW) < FEW;
  const renamed = Int32Array.from(all.ids.data, (id) => FIRST + used.indexOf(id));
  put("ids", { data: isSmall ? all.ids.data : renamed, shape: all.ids.shape });
  put("near.input", all["near.input"]);
  if (PADDED.has(family)) {
    put("padded.input", all["padded.input"]);
    put("mask", all.mask);
  }
  for (const [name, x] of Object.entries(all)) {
    if (!name.startsWith("weights.") || x.data.length > 2 ** 20) continue;
    const [N, D] = x.shape;
    if (x.shape.length === 2 && N >= FEW && /pos|wpe/.test(name)) {
      put(name, { data: x.data.slice(0, POSITIONS * D), shape: [POSITIONS, D] });
    } else if (x.shape.length === 2 && N >= FEW) {
      const data = new Float32Array((FIRST + used.length) * D);
      used.forEach((id, i) => data.set(x.data.subarray(id * D, (id + 1) * D), (FIRST + i) * D));
      put(name, { data, shape: [FIRST + used.length, D] });
    } else if (!/albert_layer|pool|head|cls|lm_|final|decoder\.(?!project_in|embed)/.test(name))
      put(name, x);
  }
}

/** The first id of a word: those before it mean padding and the like. */
const FIRST = 5;
