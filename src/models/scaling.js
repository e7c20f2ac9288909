/**
 * Reads the scaling of rotary frequencies: the entries `rope_scaling` and `rope_parameters` of a config.json.
 */
import * as check from "../runtime/check.js";

/** @import { Json, Reader } from "./keys.js" */
/** @import { Scaling } from "./config.js" */

/**
 * @typedef {object} Source
 * @property {Json} entry
 * @property {string} where  the name of the entry in messages
 * @property {number} dim  the rotated width
 * @property {number} partial  partial_rotary_factor
 * @property {Reader} get
 * @property {boolean} [isByKind]  transformers reads entries by the kind of layer in this family
 * @property {boolean} isOwn  the entry is that of a kind of layers, for which the keys beside it do not count
 * @property {string} [longest]  the key of the length from which dynamic scaling starts
 * @property {readonly string[]} [also]  keys of the entry that the family reads besides
 * @property {string[]} warnings
 */

/** Old names of types. */
const RENAMED = Object.freeze({ su: "longrope", mrope: "default" });

/**
 * The type of an entry of rope_scaling or rope_parameters.
 * @param {Json} entry @param {string} where @param {readonly string[]} [types]
 */
export function readType({ rope_type: now, type: old }, where, types = Object.keys(KEYS)) {
  if (
    now !== undefined &&
    old !== undefined &&
    now !== old &&
    !(old === "mrope" && now === "default")
  ) {
    throw new RangeError(
      `${where}.rope_type must agree with ${where}.type (${check.describe(old)}); got ${check.describe(now)}`,
    );
  }
  const given = now ?? old ?? "default";
  const name =
    typeof given === "string" && Object.hasOwn(RENAMED, given)
      ? RENAMED[/** @type {keyof typeof RENAMED} */ (given)]
      : given;
  return check.oneOf(name, `${where}.${now === undefined ? "type" : "rope_type"}`, types);
}

/** The keys of each type. @type {Readonly<Record<string, string[]>>} */
const KEYS = Object.freeze({
  default: [],
  linear: ["factor"],
  dynamic: ["factor"],
  yarn: "factor original_max_position_embeddings attention_factor beta_fast beta_slow mscale mscale_all_dim truncate".split(
    " ",
  ),
  longrope:
    "short_factor long_factor original_max_position_embeddings factor attention_factor".split(" "),
  llama3: "factor low_freq_factor high_freq_factor original_max_position_embeddings".split(" "),
  proportional: ["factor"],
});

const COMMON = [
  "type",
  "rope_type",
  "rope_theta",
  "partial_rotary_factor",
  "mrope_section",
  "mrope_interleaved",
  "max_position_embeddings",
];

/** At most this many ignored keys have a warning each. */
const MOST_NAMED = 16;

/** The options of each type. @type {Record<string, (from: Source) => Scaling | undefined>} */
const SCALINGS = {
  default: () => undefined,
  linear: (from) => ({ type: "linear", factor: readFactor(from) }),
  dynamic: (from) => ({ type: "dynamic", factor: readFactor(from), maxLength: maxLength(from) }),
  proportional: (from) => ({
    type: "proportional",
    factor: has(from, "factor") ? readFactor(from) : 1,
    partialRotaryFactor: from.partial,
  }),
  llama3(from) {
    const [low, high] = [positive(from, "low_freq_factor"), positive(from, "high_freq_factor")];
    if (low > high) {
      const what = `${from.where}.low_freq_factor (${low})`;
      from.warnings.push(`${what} is above high_freq_factor (${high})`);
    }
    return {
      type: "llama3",
      factor: readFactor(from),
      lowFreqFactor: low,
      highFreqFactor: high,
      originalLength: originalLength(from),
    };
  },
  yarn(from) {
    const { entry, where } = from;
    const original = originalLength(from);
    const factor = factorOrRatio(from, original);
    const said = !has(from, "truncate") || check.boolean(entry.truncate, `${where}.truncate`);
    const truncate = said || from.isByKind === true;
    if (said !== truncate) {
      const what = `${where}.truncate counts as true`;
      from.warnings.push(
        `${what}: transformers 5 does not read it in entries by the kind of layer`,
      );
    }
    return {
      type: "yarn",
      factor,
      originalLength: original,
      ...given(from, YARN, 0), // transformers reads 0 as the default: `beta_fast or 32`
      ...(truncate ? {} : { truncate }),
      ...given(from, { attentionFactor: "attention_factor" }),
    };
  },
  longrope(from) {
    const original = originalLength(from);
    return {
      type: "longrope",
      shortFactor: factors(from, "short_factor"),
      longFactor: factors(from, "long_factor"),
      originalLength: original,
      factor: factorOrRatio(from, original, 1), // transformers then scales no cosine, and no text is long
      ...given(from, { attentionFactor: "attention_factor" }),
    };
  },
};

const YARN = Object.freeze({
  betaFast: "beta_fast",
  betaSlow: "beta_slow",
  mscale: "mscale",
  mscaleAllDim: "mscale_all_dim",
});

/**
 * The scaling options of an entry.
 * @param {string} type  as `readType` returns it
 * @param {Source} from
 * @returns {Scaling | undefined} undefined for the type `default`
 */
export function readScaling(type, from) {
  const known = [...KEYS[type], ...COMMON, ...(from.also ?? [])];
  const others = Object.keys(from.entry).filter((key) => !known.includes(key));
  for (const key of others.slice(0, MOST_NAMED)) {
    from.warnings.push(`${from.where}.${key} is not a key of type ${type}: it is ignored`);
  }
  if (others.length > MOST_NAMED) {
    from.warnings.push(`${from.where} has ${others.length} keys that are ignored`);
  }
  return SCALINGS[type](from);
}

/** @param {Source} from @param {string} key */
const has = ({ entry }, key) => entry[key] !== undefined && entry[key] !== null;

/** @param {Source} from @param {string} key */
function positive({ entry, where }, key) {
  return check.finite(entry[key], `${where}.${key}`, "a number > 0", (x) => x > 0);
}

/** @param {Source} from */
function readFactor({ entry, where }) {
  return check.finite(entry.factor, `${where}.factor`, "a number >= 1", (x) => x >= 1);
}

/** @param {Source} from */
const maxLength = ({ get, longest = "max_position_embeddings" }) => get.size(longest);

/** A top-level original_max_position_embeddings takes precedence, as in Phi-3. @param {Source} from */
function originalLength(from) {
  const key = "original_max_position_embeddings";
  const { entry, get, where, warnings, isOwn } = from;
  if (!isOwn && get.value(key) !== undefined) {
    const first = get.size(key);
    if (has(from, key) && entry[key] !== first) {
      const [name] = get.find(key);
      const given = `${where}.${key} is ${check.describe(entry[key])}`;
      warnings.push(`${given}, and ${name} ${first}: the second is used, as transformers does`);
    }
    return first;
  }
  if (has(from, key)) return check.integer(entry[key], `${where}.${key}`);
  warnings.push(`${where}.${key} is missing: max_position_embeddings is used`);
  return maxLength(from);
}

/**
 * The factor, or the ratio of the lengths.
 * @param {Source} from @param {number} original
 * @param {number} [short]  the factor if the longest text is shorter than the original ones, where there is one
 */
function factorOrRatio(from, original, short) {
  const { get, where, warnings } = from;
  if (!has(from, "factor")) {
    const ratio = maxLength(from) / original;
    if (ratio >= 1) return ratio;
    if (short !== undefined) return short;
    throw new RangeError(
      `${where}.factor must be given, since max_position_embeddings / original_max_position_embeddings is ${ratio}; got none`,
    );
  }
  const longest = get.optionalSize("max_position_embeddings");
  const factor = readFactor(from);
  if (longest === undefined || longest === original) return factor;
  const ratio = longest / original;
  if (Math.abs(ratio / factor - 1) > 1e-6) {
    const lengths = "max_position_embeddings / original_max_position_embeddings";
    warnings.push(`${where}.factor is ${factor}, but ${lengths} is ${ratio}: the factor is used`);
  }
  return factor;
}

/**
 * The positive numbers that the entry has, by option.
 * @param {Source} from @param {Record<string, string>} keys  by option
 * @param {number} [ignored]  a value that means the default
 */
function given(from, keys, ignored) {
  const known = Object.entries(keys).filter(([, key]) => has(from, key));
  const counted = known.filter(([, key]) => ignored === undefined || from.entry[key] !== ignored);
  return Object.fromEntries(counted.map(([option, key]) => [option, positive(from, key)]));
}

/** One factor for each frequency. @param {Source} from @param {string} key */
function factors({ entry, where, dim }, key) {
  const list = entry[key];
  if (!check.isList(list) || list.length !== dim / 2) {
    throw new RangeError(
      `${where}.${key} must hold ${dim / 2} numbers; got ${check.describe(list)}`,
    );
  }
  return Array.from(list, (x, i) =>
    check.finite(x, `${where}.${key}[${i}]`, "a number > 0", (y) => y > 0),
  );
}
