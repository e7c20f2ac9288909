// Whether phasor reads, or knows to be harmless, what the code of a family reads: tests/truth/atlas/keys.py.

/**
 * By family. `made`: the defaults of the family's class where the configuration has other values; null: no whole number.
 * @typedef {Record<string, {config: Record<string, any>, entry: string[], made?: Record<string, number | null>}>} Recorded
 */

/** Keys of rope entries that phasor reads in every family that rotates. */
const COMMON = new Set(
  `rope_type type rope_theta factor partial_rotary_factor mrope_section original_max_position_embeddings
   short_factor long_factor`.split(/\s+/),
);

/** An entry with each of the other keys. @type {Record<string, Record<string, any>>} */
const ENTRIES = {
  alpha: { rope_type: "dynamic", factor: 1, alpha: 1000 },
  mscale_all_dim: { ...yarn(), mscale: 1, mscale_all_dim: 1 },
  llama_4_scaling_beta: { ...yarn(), llama_4_scaling_beta: 0.1 },
  short_mscale: { ...yarn(), short_mscale: 1.25, long_mscale: 1.25 },
  long_mscale: { ...yarn(), short_mscale: 1.25, long_mscale: 1.25 },
};

function yarn() {
  return { rope_type: "yarn", factor: 4, original_max_position_embeddings: 1024, rope_theta: 1e4 };
}

/**
 * The pairs that nobody has sorted, and how many there are of each sort.
 * @param {Recorded} recorded @param {any} models
 */
export function sorted(recorded, models) {
  /** @type {string[]} */
  const unsorted = [];
  const counts = { read: 0, harmless: 0, "not described": 0, entries: 0 };
  for (const [family, { config, entry }] of Object.entries(recorded)) {
    const { positions, ignored, suspect } = models.fromConfig(config);
    const isKnown = !["unknown", "other"].includes(positions.scheme);
    for (const key of Object.keys(config)) {
      if (!isKnown) counts["not described"] += 1;
      else if (suspect.includes(key)) unsorted.push(`${family}: ${key}`);
      else counts[ignored.includes(key) ? "harmless" : "read"] += 1;
    }
    if (positions.scheme !== "rope") continue;
    for (const key of entry) {
      counts.entries += 1;
      if (!COMMON.has(key) && !reads(family, key, config, models))
        unsorted.push(`${family}: entry.${key}`);
    }
  }
  return { unsorted, counts };
}

/** Whether the key of an entry is read, or refused. @param {string} family @param {string} key @param {any} config @param {any} models */
function reads(family, key, config, models) {
  if (!Object.hasOwn(ENTRIES, key)) return false;
  const { layer_types = [], rope_parameters, rope_scaling, ...rest } = config;
  const named = { ...ENTRIES[key], ...(family === "mistral4" && { partial_rotary_factor: 0.5 }) };
  try {
    const { warnings } = models.fromConfig({
      ...rest,
      ...(layer_types.length > 0 && { layer_types }),
      max_position_embeddings: 4096,
      rope_parameters: named,
    });
    return !warnings.some((/** @type {string} */ warning) => warning.includes(key));
  } catch (error) {
    return /** @type {Error} */ (error).message.includes(key);
  }
}

/**
 * What is said of a configuration without a key whose value is the class' default, where it contradicts what is said with it:
 * a class has its default, whatever other families have.
 * @param {Recorded} recorded @param {any} models
 */
export function contradicted(recorded, models) {
  /** @type {string[]} */
  const wrong = [];
  let compared = 0;
  for (const [family, { config, made = {} }] of Object.entries(recorded)) {
    const whole = factsOf(models.fromConfig(config));
    for (const key of Object.keys(config)) {
      if (key in made) continue;
      const { [key]: _, ...rest } = config;
      try {
        const less = factsOf(models.fromConfig(rest));
        compared += 1;
        const names = Object.keys(less).filter((name) => less[name] !== whole[name]);
        for (const name of names) {
          wrong.push(`${family} without ${key}: ${name} ${less[name]}, not ${whole[name]}`);
        }
      } catch {
        compared += 1; // a key that must be given
      }
    }
  }
  return { wrong, compared };
}

/**
 * What is said of a part that states its family alone, where it contradicts what is said of one that states the sizes of the
 * family's class. Parts that lack a size throw.
 * @param {Recorded} recorded @param {any} models
 */
export function contradictedParts(recorded, models) {
  /** @type {string[]} */
  const wrong = [];
  let compared = 0;
  for (const [model_type, { config, made = {} }] of Object.entries(recorded)) {
    const stated = Object.entries({ ...config, ...made }).filter(([, value]) => value !== null);
    const say = (/** @type {Record<string, any>} */ part) => {
      const described = models.fromConfig({ model_type: "x", text_config: part });
      const { layers, vocabulary } = described;
      return { ...factsOf(described), layers: String(layers), vocabulary: String(vocabulary) };
    };
    let less;
    try {
      less = say({ model_type });
    } catch {
      continue;
    }
    const whole = say(Object.fromEntries(stated));
    for (const [name, value] of Object.entries(less)) {
      compared += 1;
      const other = /** @type {Record<string, string>} */ (whole)[name];
      if (value !== "undefined" && value !== other)
        wrong.push(`${model_type}: ${name} ${value}, not ${other}`);
    }
  }
  return { wrong, compared };
}

/**
 * What a description says, as texts by names, without what it leaves out. Layers are compared by what they do.
 * @param {any} described @returns {Record<string, string>}
 */
function factsOf({ positions, tokens, dim, headDim, heads, keyValueHeads, layers, cache }) {
  if (["unknown", "other"].includes(positions.scheme)) return {};
  const { rotary, layerKinds, length, rows, merge, ...more } = positions;
  const kinds = layerKinds ?? Array(layers).fill("full_attention");
  const turns = rotary && { turns: kinds.map((/** @type {string} */ kind) => rotary[kind]) };
  const sizes = { dim, headDim, heads, keyValueHeads };
  const kept = { ...knownOf("numbers", cache), ...knownOf("window", cache) };
  const said = { tokens, ...sizes, length, rows, merge, ...more, ...turns, ...kept };
  const stated = Object.entries(said).filter(([, value]) => value !== undefined);
  return Object.fromEntries(stated.map(([name, value]) => [name, JSON.stringify(value)]));
}

/**
 * What is said of each layer's cache, unless it is not known of one.
 * @param {"numbers" | "window"} name @param {any[]} [cache]
 */
function knownOf(name, cache = []) {
  const unknown = name === "window" ? null : undefined;
  if (cache.some((of) => of[name] === unknown)) return {};
  return { [`cache.${name}`]: cache.flatMap((of) => Array(of.layers).fill(of[name])) };
}
