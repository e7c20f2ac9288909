// Compares the frequencies of configurations, published ones and other spellings of transformers' own, with those
// that transformers computes: tests/truth/atlas/spellings.py.

/**
 * @typedef {object} Spelling
 * @property {string} name
 * @property {Record<string, any>} config
 * @property {string[] | null} [kinds]  of the layers, as transformers has them
 * @property {Record<string, {frequencies: number[], factor: number}>} [rotary]  by kind of layer, or "" for all
 */

/** Names that a family has for kinds of layers in its rotary module. @type {Record<string, Record<string, string>>} */
const LABELS = {
  deepseek_v4: {
    sliding_attention: "main",
    compressed_sparse_attention: "compress",
    heavily_compressed_attention: "compress",
  },
};

/** Kinds of layers without attention, which cannot rotate. */
const WITHOUT = /^(linear_attention|conv|mamba|mamba2|recurrent|moe|mlp)$/;

/** A length within that of all scalings' original. */
const LENGTH = 4096;

/** The largest relative difference of frequencies: transformers computes them in float32. */
const BOUND = 2e-6;

/**
 * @param {Spelling} spelling @param {{models: any, phasor: any}} phasor
 * @returns {{name: string, result: "agrees" | "differs" | "doubtful" | "refused" | "not compared", why: string[]}}
 *   `doubtful`: what differs, but its description has a warning; `not compared`: by the description no layer rotates
 */
export function compareSpelling({ name, config, kinds, rotary = {} }, { models, phasor }) {
  let described;
  try {
    described = models.fromConfig(config);
  } catch (error) {
    return { name, result: "refused", why: [/** @type {Error} */ (error).message] };
  }
  const { positions, layers, warnings } = described;
  if (positions.reasons) return { name, result: "refused", why: positions.reasons };
  const why = [];
  let compared = 0;
  const labels = Object.keys(rotary);
  if (positions.rotary) {
    for (let layer = 0; layer < layers; ++layer) {
      const kind = positions.layerKinds?.[layer] ?? Object.keys(positions.rotary)[0];
      const theirs = kinds?.[layer] ?? kind;
      const label = LABELS[config.model_type]?.[theirs] ?? theirs;
      const want = rotary[labels.length === 1 ? labels[0] : label];
      const ours = positions.rotary[kind];
      if (WITHOUT.test(theirs) !== WITHOUT.test(kind)) {
        why.push(`layer ${layer}: ${kind}, and transformers has ${theirs}`);
        continue;
      }
      if (!ours) continue;
      compared += 1;
      if (!want) why.push(`layer ${layer} (${kind}): transformers has ${labels.join(", ")}`);
      else {
        const found = differences(ours, want, config.model_type, phasor);
        why.push(...found.map((what) => `layer ${layer}: ${what}`));
      }
    }
  } else if (labels.length > 0) why.push(`it rotates, and is described as ${positions.scheme}`);
  if (compared === 0 && why.length === 0) return { name, result: "not compared", why };
  const result = why.length === 0 ? "agrees" : warnings.length > 0 ? "doubtful" : "differs";
  return { name, result, why: why.slice(0, 3) };
}

/**
 * @param {any} rotary @param {{frequencies: number[], factor: number}} want @param {string} family
 * @param {any} phasor
 */
function differences({ dim, options }, want, family, phasor) {
  const { frequencies, attentionFactor } = phasor.rope.frequencies(dim, {
    ...options,
    ...(["longrope", "dynamic"].includes(options.scaling?.type) && { length: LENGTH }),
  });
  // ERNIE 4.5 VL computes its frequencies in another order, and puts them into this one.
  const byFall = family.startsWith("ernie4_5_vl");
  const sorted = (/** @type {Iterable<number>} */ list) =>
    byFall ? [...list].sort((a, b) => b - a) : [...list];
  const [got, expected] = [sorted(frequencies.data), sorted(want.frequencies)];
  if (got.length !== expected.length) {
    return [`${got.length} frequencies, and transformers has ${expected.length}`];
  }
  const off = got.findIndex(
    (x, i) => !(Math.abs(x - expected[i]) <= BOUND * Math.abs(expected[i])),
  );
  const isOther = Math.abs(attentionFactor - want.factor) > 1e-6;
  return [
    ...(off >= 0 ? [`frequency ${off} is ${got[off]}, transformers' ${expected[off]}`] : []),
    ...(isOther ? [`the factor is ${attentionFactor}, transformers' ${want.factor}`] : []),
  ];
}
