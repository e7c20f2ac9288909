// Compares what layers keep of a token, and how many tokens a query sees, with running models: tests/truth/atlas/cache.py.

/**
 * @typedef {object} Cached
 * @property {string} name
 * @property {Record<string, any>} config
 * @property {(number | null)[]} numbers  by layer; null: a state
 * @property {number[]} [seen]  tokens that the last query sees, by layer with attention
 */

/** How many tokens the models read. */
const TOKENS = 40;

/** What is not compared, and why. @type {Record<string, string>} */
const APART = {
  deepseek_v4: "its layers see compressed tokens, too",
  dory: "its layers run several times",
  "llama4_text, windows": "the last query sees the last chunk alone",
  minimax: "transformers lists states among weights",
  qwen4_exp_text: "its queries see the tokens that they select",
  unlimited_ocr_text: "its class has a cache with other names",
};

/**
 * @param {Cached} cached @param {{models: any}} phasor
 * @returns {{name: string, result: "agrees" | "differs" | "refused" | "not compared", why: string[]}}
 */
export function compareCache({ name, config, numbers, seen }, { models }) {
  let described;
  try {
    described = models.fromConfig(config);
  } catch (error) {
    return { name, result: "refused", why: [/** @type {Error} */ (error).message] };
  }
  const { cache } = described;
  const isLatent = cache?.some((/** @type {any} */ { latent }) => latent); // transformers keeps what it expands
  const isApart = Object.keys(APART).some((key) => name.startsWith(key));
  if (!cache || isLatent || isApart || numbers.length === 0) {
    return { name, result: "not compared", why: [] };
  }
  const layers = cache.flatMap((/** @type {any} */ of) => Array(of.layers).fill(of));
  const attention = layers.filter((/** @type {any} */ of) => of.numbers !== 0);
  const kept = layers.map((/** @type {any} */ of) => of.numbers);
  const sight = attention.map((/** @type {any} */ { window = TOKENS }) =>
    typeof window === "number" ? Math.min(window, TOKENS) : undefined,
  );
  const states = numbers.map((number) => number ?? 0);
  const why = [
    ...differences("numbers", kept, states),
    ...differences("seen", sight, seen ?? sight),
  ];
  return { name, result: why.length === 0 ? "agrees" : "differs", why };
}

/**
 * Layers that are alike are told together: their order is not compared, and nothing where one is not known.
 * @param {string} what @param {(number | undefined)[]} ours @param {number[]} theirs
 */
function differences(what, ours, theirs) {
  if (ours.includes(undefined)) return [];
  const [here, there] = [ours, theirs].map((of) =>
    [...of].sort((a = 0, b = 0) => a - b).join(", "),
  );
  return here === there ? [] : [`${what}: ${here}; transformers has ${there}`];
}
