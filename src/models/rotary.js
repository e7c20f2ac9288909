/** Reads how the layers of a model rotate queries and keys. */
import * as check from "../runtime/check.js";
import { neverRotates, readLayerKinds } from "./layers.js";
import { readScaling, readType } from "./scaling.js";

/** @import { Json, Reader } from "./keys.js" */
/** @import { Positions, Rotary } from "./config.js" */
/** @import { Family } from "./families.js" */

/**
 * @typedef {object} Sizes
 * @property {number | number[]} heads
 * @property {number} headDim
 * @property {number} layers
 * @property {string[]} warnings
 * @property {string[]} [layerKinds]
 * @property {Rotary["layout"]} [layout]  of the file, if its rows were reordered
 */

/** A family, as it is to the layers of one kind. @typedef {Family & {theta?: number, partial?: number}} OfKind */

/** The only kind of layer of most models. */
const FULL = "full_attention";

/**
 * @param {Reader} get @param {Family} family @param {Sizes} sizes
 * @returns {Positions}
 */
export function readRope(get, family, sizes) {
  const { layers } = sizes;
  for (const key of ["rope_theta", "partial_rotary_factor"]) get.find(key); // read, if a layer rotates or not
  if (family.unread && !sizes.layout) refuseUnread(get, family.unread);
  const length = get.optionalSize("max_position_embeddings");
  const layerKinds = readLayerKinds(get, family.layers, layers);
  const kinds = [...new Set(layerKinds ?? [FULL])];
  const labels = kinds.map((kind) => own(family.labels, kind) ?? kind);
  const unrotated = family.unrotatedIf?.(get) === false ? [] : (family.unrotated ?? []);
  if (!layerKinds && unrotated.length > 0) {
    throw new RangeError(`${get.path}.layer_types must name the kind of each layer; got none`);
  }
  const of = { ...sizes, layerKinds };
  /** @type {Map<string, Rotary | null>} */
  const rotary = new Map();
  const { entries, where, isNested } = readEntries(get, family, labels, { ...sizes, layerKinds });
  for (const kind of kinds) {
    if (neverRotates(kind) || unrotated.includes(kind)) {
      rotary.set(kind, null);
      continue;
    }
    const label = own(family.labels, kind) ?? kind;
    if (!isNested) {
      rotary.set(kind, readRotary(get, family, of, { kind, entry: entries, where }));
    } else if (!Object.hasOwn(entries, label)) {
      throw new RangeError(
        `${where} must have an entry for the layers of kind ${label}; got ${Object.keys(entries).join(", ")}`,
      );
    } else if (entries[label] === null && !layerKinds) {
      throw new RangeError(
        `${get.path}.layer_types must be given, since ${where}.${label} is null; got none`,
      );
    } else if (entries[label] === null) rotary.set(kind, null);
    else {
      const given = entries[label];
      if (!check.isRecord(given)) {
        const rule = `${where}.${label} must be an object or null`;
        throw new TypeError(`${rule}; got ${check.describe(given)}`);
      }
      const entry = withoutNull(/** @type {Json} */ (given), []);
      const its = { kind, entry, where: `${where}.${label}`, isOwn: true };
      rotary.set(kind, readRotary(get, family, of, its));
    }
  }
  const queryScale = readQueryScale(get, family, entries, where, sizes.layout !== undefined);
  /** @type {Positions} */
  const positions = { scheme: "rope", length, ...(layerKinds && { layerKinds }) };
  if (queryScale) positions.queryScale = queryScale;
  const still = readSwitches(get, family, layers);
  if (still) return { ...positions, ...switched(rotary, still, layerKinds) };
  const byLayer = readBases(get, family, layers);
  if (byLayer) return withBases(positions, rotary, byLayer);
  return { ...positions, rotary: Object.fromEntries(rotary) };
}

/** @param {Reader} get @param {readonly string[]} keys  that the family's code does not read */
function refuseUnread(get, keys) {
  for (const key of keys) {
    const [name, value] = get.find(key);
    if (value === undefined || (key === "rope_theta" && value === 10000)) continue;
    const rule = `${name} must be left out in this family, whose code does not read it`;
    throw new RangeError(`${rule}; got ${check.describe(value)}`);
  }
}

/** Whether a family's code reads entries by the kind of layer. @param {Family} family */
const readsKinds = ({ nested, perKind, labels, localBases, byKind }) =>
  Boolean(nested || perKind || labels || localBases || byKind);

/**
 * The entry that counts, for all layers or with one for each kind.
 * @param {Reader} get @param {Family} family @param {readonly string[]} labels  of the kinds @param {Sizes} sizes
 */
function readEntries(get, family, labels, { layout, layerKinds, warnings }) {
  // In DeepSeek V4 null is YaRN's own factor, and a missing key is 1.
  const kept = family.attentionFactor ? [...labels, "attention_factor"] : labels;
  const old =
    family.current && layout === undefined ? undefined : readEntry(get, "rope_scaling", kept);
  const now = readEntry(get, "rope_parameters", kept);
  const isOld = old !== undefined && !(now && isSame(now, old));
  if (now && isOld) {
    if (family.explicit || family.perKind || family.byKind) {
      throw new RangeError(
        `${get.path}.rope_scaling must be left out or the same beside ${get.path}.rope_parameters in this family; got others`,
      );
    }
    warnings.push(
      `${get.path}.rope_parameters and ${get.path}.rope_scaling differ: the second is used, as transformers does; the base of the first goes with it`,
    );
  }
  const entries = (isOld ? old : now) ?? {};
  const where = `${get.path}.${now && !isOld ? "rope_parameters" : "rope_scaling"}`;
  const members = Object.entries(entries);
  const isNested =
    members.some(
      ([name, entry]) => labels.includes(name) && (entry === null || check.isRecord(entry)),
    ) ||
    (members.length > 0 && members.every(([, entry]) => entry === null || check.isRecord(entry)));
  if (family.current && layout === undefined && check.isRecord(get.peek("rope_scaling"))) {
    throw new RangeError(
      `${get.path}.rope_scaling must be in rope_parameters, which alone this family reads; got an object`,
    );
  }
  const isFile = layout !== undefined; // a GGUF file, whose keys are for all layers
  if (!isFile && ((family.explicit && !now && !old) || (family.perKind && now && !isNested))) {
    throw new RangeError(
      `${get.path}.rope_parameters must be given${family.perKind ? " by the kind of layer" : ""}; got ${check.describe(now)}`,
    );
  }
  if (!isFile && isNested && !readsKinds(family)) {
    throw new RangeError(
      `${where} must be one entry for all layers in this family; got ${members.map(([name]) => name).join(", ")}`,
    );
  }
  if (!isFile && family.nested && members.length > 0 && !isNested) {
    throw new RangeError(
      `${where} must have an entry for each kind of layer; got ${members.map(([name]) => name).join(", ")}`,
    );
  }
  const nested = members.filter(([, entry]) => entry === null || check.isRecord(entry));
  if (isNested && !layerKinds && nested.length > 1) {
    throw new RangeError(`${get.path}.layer_types must be given, since ${where} differ; got none`);
  }
  if (family.perKind && entries.type !== undefined && entries.rope_type === undefined) {
    throw new RangeError(
      `${where}.rope_type must be given, which alone transformers 5 reads here; got type ${check.describe(entries.type)}`,
    );
  }
  return { entries, where, isNested };
}

/**
 * The member that a table has by a name from the file, which may be that of any object's member.
 * @template Member
 * @param {Readonly<Record<string, Member>> | undefined} table @param {string} name
 */
const own = (table, name) => (table && Object.hasOwn(table, name) ? table[name] : undefined);

/** Levels of an entry that are compared: kinds of layers, keys, lists, and one more. */
const DEEPEST = 4;

/**
 * Whether two entries have the same content. What lies deeper than any entry counts as different.
 * @param {unknown} a @param {unknown} b @param {number} [depth]
 * @returns {boolean}
 */
export function isSame(a, b, depth = 0) {
  if (Object.is(a, b)) return true;
  const areLists = check.isList(a) && check.isList(b);
  if (depth === DEEPEST || !(areLists || (check.isRecord(a) && check.isRecord(b)))) return false;
  const [names, others] = [Object.keys(a), Object.keys(b)];
  if (names.length !== others.length) return false;
  const [left, right] = [/** @type {Json} */ (a), /** @type {Json} */ (b)];
  return names.every(
    (name) => Object.hasOwn(right, name) && isSame(left[name], right[name], depth + 1),
  );
}

/**
 * The factor of queries by position: Llama 4's in layers without rotation, Ministral's in all.
 * @param {Reader} get @param {Family} family @param {Json} entry @param {string} where @param {boolean} isFile  GGUF
 * @returns {Positions["queryScale"]}
 */
function readQueryScale(get, family, entry, where, isFile) {
  const beta = family.queries || isFile ? entry.llama_4_scaling_beta : undefined;
  if (beta !== undefined && beta !== null) {
    const scale = check.finite(beta, `${where}.llama_4_scaling_beta`);
    const name = `${where}.original_max_position_embeddings`;
    const every = check.integer(entry.original_max_position_embeddings, name);
    return { scale, every, offset: 0 };
  }
  const key = "attn_temperature_tuning"; // true, or 4 in some files of Llama 4
  if (!family.temperature) return undefined;
  if (!(get.vagueSize(key) ?? get.optionalBoolean(key) ?? true)) return undefined;
  const scale = get.positive("attn_scale", 0.1);
  return { scale, every: get.optionalSize("floor_scale") ?? 8192, offset: 1, kinds: ["no_rope"] };
}

/**
 * An entry without the keys whose value is null, which counts as missing. For a kind of layer it says that the layers do
 * not rotate.
 * @param {Reader} get @param {string} key @param {readonly string[]} [kinds]
 * @returns {Json | undefined}
 */
export function readEntry(get, key, kinds = []) {
  const [name, value] = get.find(key);
  if (value === undefined) return undefined;
  if (!check.isRecord(value)) {
    throw new TypeError(`${name} must be an object or null; got ${check.describe(value)}`);
  }
  const entry = withoutNull(/** @type {Json} */ (value), kinds);
  return Object.keys(entry).length === 0 ? undefined : entry;
}

/** Names of kinds of layers, whichever a model has. */
const KIND = /attention|^(?:conv|mamba|recurrent|hybrid|main|compress)/;

/** @param {Json} entry @param {readonly string[]} kinds @returns {Json} */
function withoutNull(entry, kinds) {
  const isKept = (/** @type {[string, unknown]} */ [name, value]) =>
    value !== null || kinds.includes(name) || (KIND.test(name) && name !== "attention_factor");
  return Object.fromEntries(Object.entries(entry).filter(isKept));
}

/**
 * Which layers do not rotate, by a key with 0 for each.
 * @param {Reader} get @param {Family} family @param {number} layers
 * @returns {boolean[] | undefined}
 */
function readSwitches(get, family, layers) {
  if (!family.switches) return undefined;
  const [name, value] = get.find(family.switches);
  if (value === undefined) {
    return Array.from({ length: layers }, (_, layer) => (layers - 1 - layer) % 4 === 0);
  }
  if (!check.isList(value) || value.length !== layers) {
    throw new RangeError(
      `${name} must hold a number for each of ${layers} layers; got ${check.describe(value)}`,
    );
  }
  return Array.from(value, (one) => one === null || check.finite(one, name) === 0);
}

/**
 * @param {ReadonlyMap<string, Rotary | null>} rotary  by kind @param {readonly boolean[]} still  which layers are
 * @param {readonly string[]} [layerKinds]
 */
function switched(rotary, still, layerKinds) {
  const turned = still.map((is, layer) => (is ? "no_rope" : (layerKinds?.[layer] ?? FULL)));
  const kinds = new Set(turned);
  const entries = [...rotary].filter(([kind]) => kinds.has(kind));
  const all = Object.fromEntries([
    ...entries,
    ...(kinds.has("no_rope") ? [["no_rope", null]] : []),
  ]);
  return { rotary: all, layerKinds: turned };
}

/**
 * The base of each layer, where a key lists them; 0 and null mean that the layer does not rotate.
 * @param {Reader} get @param {Family} family @param {number} layers
 * @returns {(number | null)[] | undefined}
 */
function readBases(get, family, layers) {
  if (!family.bases) return undefined;
  const [name, value] = get.find(family.bases);
  if (value === undefined) return undefined;
  if (!check.isList(value) || value.length !== layers) {
    throw new RangeError(
      `${name} must hold the base of each of ${layers} layers; got ${check.describe(value)}`,
    );
  }
  return Array.from(value, (base, layer) =>
    base === null || base === 0
      ? null
      : check.finite(base, `${name}[${layer}]`, "a number >= 1", (x) => x >= 1),
  );
}

/**
 * Positions whose layers of one kind may have several bases: each base makes a kind.
 * @param {Positions} positions @param {ReadonlyMap<string, Rotary | null>} known  by kind
 * @param {(number | null)[]} bases
 * @returns {Positions}
 */
function withBases(positions, known, bases) {
  /** @type {Map<string, Rotary | null>} */
  const rotary = new Map();
  const layerKinds = bases.map((base, layer) => {
    const kind = positions.layerKinds?.[layer] ?? FULL;
    const of = known.get(kind) ?? null;
    if (of === null || base === null) {
      rotary.set("no_rope", null);
      return "no_rope";
    }
    const plain = base === of.options.base ? kind : `${kind} ${base}`;
    rotary.set(plain, { ...of, options: { ...of.options, base } });
    return plain;
  });
  return { ...positions, rotary: Object.fromEntries(rotary), layerKinds };
}

/** A family's base and part, as a kind of layers has them. @param {Family} family @param {string} kind @returns {OfKind} */
export function ofKind(family, kind) {
  const [theta, partial] = [family.theta, family.partial].map((value) =>
    typeof value === "object" ? own(value, kind) : value,
  );
  return { ...family, theta, partial };
}

/**
 * @param {Reader} get @param {Family} family
 * @param {{local?: string, stated: unknown, where: string}} of  `local`: the key of the kind; `stated`: the entry's base
 */
function readBase(get, { theta }, { local, stated, where }) {
  const bases = [local, "rope_theta"].map((key) => key && get.value(key)); // read, whichever counts
  const name = stated === undefined ? get.find("rope_theta")[0] : `${where}.rope_theta`;
  const base = stated ?? bases[0] ?? bases[1] ?? theta ?? 10000;
  return check.finite(base, name, "a number >= 1", (x) => x >= 1);
}

/**
 * @param {Reader} get @param {Family} all  the family @param {Sizes} sizes
 * @param {{kind: string, entry: Json, where: string, isOwn?: boolean}} of  `isOwn`: the entry is that of the kind alone
 * @returns {Rotary}
 */
function readRotary(get, all, sizes, { kind, entry, where, isOwn = false }) {
  const { warnings } = sizes;
  const family = ofKind(all, kind);
  const local = own(family.localBases, kind);
  const isScaled =
    isOwn ||
    (family.scaled ? family.scaled.includes(kind) : !local || get.value(local) === undefined);
  // The base of an entry for all kinds is that of the kinds that it scales.
  const isStated = isOwn || (isScaled && !family.flatBases);
  const stated = isStated ? entry.rope_theta : undefined;
  const base = readBase(get, family, { local, stated, where });
  if (stated === undefined && !sizes.layout) warnBefore(get, family, { kind, base, warnings });
  const named = isScaled ? readType(entry, where) : "default";
  const type = own(family.renamed, named) ?? named;
  if (family.types && ![...family.types, "default"].includes(type) && !sizes.layout) {
    const known = family.types.join(" or ") || "default";
    throw new RangeError(
      `${where}.rope_type must be ${known} in this family, whose code fails with others; got ${check.describe(named)}`,
    );
  }
  const headDim = widthOf(get, sizes, kind);
  const partial = readPartial(get, family, { entry, type, sizes });
  const apart = get.optionalSize("qk_rope_head_dim", 0);
  if (apart) get.use("head_dim"); // that of these columns, where there is one
  const dim = apart || (type === "proportional" ? headDim : turned(get, family, headDim, partial));
  const isRead = family.partial !== undefined || type !== "default";
  if (apart && isRead && !sizes.layout)
    checkApart(get, { apart, partial, family, type, entry, where });
  if (dim % 2 !== 0 || dim === 0) {
    throw new RangeError(`the rotated width must be even and positive; got ${dim}`);
  }
  const whole = { ...(!isOwn && { attention_factor: family.attentionFactor }), ...entry };
  const { longest } = family;
  const also = [
    ...(family.queries || sizes.layout ? ["llama_4_scaling_beta"] : []),
    ...(family.factors ?? []),
  ];
  const from = {
    entry: type === "yarn" ? whole : entry,
    where,
    dim,
    partial: partial ?? family.partial ?? 1,
  };
  const larger = family.alpha && type === "dynamic" ? entry.alpha : undefined;
  const scaling =
    isScaled && !larger
      ? readScaling(type, {
          ...from,
          longest,
          also,
          get,
          isOwn,
          isByKind: readsKinds(all),
          warnings,
        })
      : undefined;
  const options = larger
    ? { base: base * positive(larger, `${where}.alpha`) ** (dim / (dim - 2)) }
    : scaling
      ? {
          base,
          scaling: family.factors ? withFactor(scaling, family.factors, from, warnings) : scaling,
        }
      : { base };
  /** @type {Rotary} */
  const rotary = { dim, layout: sizes.layout ?? layoutOf(get, family), options };
  if (family.trailing) rotary.start = headDim - dim;
  if (family.inverse && !sizes.layout) rotary.inverse = true; // llama.cpp's converter turns the rows instead
  const sections = entry.mrope_section ?? get.value("mrope_section");
  const { arrangement } = family;
  warnWoven(get, arrangement, entry, where, warnings);
  if (sections !== undefined && arrangement) {
    rotary.multimodal = readSections(sections, where, dim, arrangement);
  } else if (arrangement && family.sections && !sizes.layout) {
    const sections = fitting(family.sections, where, dim, arrangement);
    rotary.multimodal = readSections(sections, where, dim, arrangement);
  } else if (sections !== undefined) {
    warnings.push(`${where}.mrope_section is ignored: the family's arrangement of it is not known`);
  }
  return rotary;
}

/**
 * A base that transformers 4 has otherwise; a file with rope_parameters is one of transformers 5.
 * @param {Reader} get @param {OfKind} family @param {{kind: string, base: number, warnings: string[]}} of
 */
function warnBefore(get, { before }, { kind, base, warnings }) {
  if (!before || get.peek("rope_parameters") !== undefined) return;
  const was = get.value(before[0]) ?? before[1];
  if (was === base) return;
  warnings.push(
    `the base of ${kind} is ${base}, as transformers 5 reads ${get.path}; transformers 4 has ${check.describe(was)}`,
  );
}

/**
 * A word of the arrangement that contradicts the family's.
 * @param {Reader} get @param {Family["arrangement"]} arrangement @param {Json} entry @param {string} where
 * @param {string[]} warnings
 */
function warnWoven(get, arrangement, entry, where, warnings) {
  const key = "mrope_interleaved";
  const said = entry[key] ?? get.value(key);
  const isOther = arrangement === "chunked" ? Boolean(said) : arrangement && said === false;
  if (!isOther) return;
  warnings.push(
    `${where}.${key} is ${check.describe(said)}, and transformers, which does not read it, computes this family's sections ${arrangement}`,
  );
}

/** @param {unknown} value @param {string} name */
const positive = (value, name) => check.finite(value, name, "a number > 0", (x) => x > 0);

/**
 * Latent attention rotates some columns whole: transformers fails with a part of them, and phasor does not have another
 * scaling that changes the scores.
 * @param {Reader} get
 * @param {{apart: number, partial: number | undefined, family: OfKind, type: string, entry: Json, where: string}} of
 */
function checkApart(get, { apart, family, partial = family.partial ?? 1, type, entry, where }) {
  const width = family.wide ? get.size("head_dim") : apart;
  if (Math.floor(width * partial) !== apart) {
    throw new RangeError(
      `${where}.partial_rotary_factor must be ${apart / width}, for qk_rope_head_dim ${apart}; got ${partial}`,
    );
  }
  if (type !== "default" && type !== "yarn" && entry.mscale_all_dim) {
    throw new RangeError(
      `${where}.mscale_all_dim must be left out unless the type is yarn: it scales the scores; got ${check.describe(entry.mscale_all_dim)}`,
    );
  }
}

/**
 * The scaling of PhiMoE in transformers: cosines and sines have a stated factor, and frequencies those of short texts.
 * @param {import("./config.js").Scaling} scaling @param {readonly [string, string]} keys
 * @param {{entry: Json, where: string}} from @param {string[]} warnings
 * @returns {import("./config.js").Scaling}
 */
function withFactor(scaling, keys, { entry, where }, warnings) {
  const [short, long] = keys.map((key) => positive(entry[key], `${where}.${key}`));
  const isRead = scaling.type === "longrope" || scaling.type === "yarn";
  if (short !== long || !isRead) {
    throw new RangeError(
      `${where}.${keys[1]} must be ${keys[0]} (${short}), and the type longrope or yarn; got ${long}, ${scaling.type}`,
    );
  }
  if (scaling.type !== "longrope") return { ...scaling, attentionFactor: short };
  warnings.push(
    `${where}.long_factor is not used: transformers takes short_factor for texts of every length here`,
  );
  return { ...scaling, longFactor: scaling.shortFactor, attentionFactor: short };
}

/** @param {Reader} get @param {Family} family @returns {Rotary["layout"]} */
export function layoutOf(get, family) {
  if (family.layout === "key") {
    return get.optionalBoolean("rope_interleave") === false ? "halves" : "interleaved";
  }
  return family.layout ?? "halves";
}

/**
 * The width of the heads of the layers of a kind: `per_layer_config` may name another for some layers.
 * @param {Reader} get @param {Sizes} sizes @param {string} kind
 */
function widthOf(get, { headDim, layerKinds, layout }, kind) {
  const [name, given] = get.find("per_layer_config");
  if (!check.isRecord(given) || !layerKinds) {
    const key = "global_head_dim";
    // A GGUF file states each width, and has no default of the family.
    const isWide = kind === FULL && (layout ? get.peek(key) : get.value(key)) !== undefined;
    return isWide ? get.size(key) : headDim;
  }
  const keys = new Map(Object.keys(given).map((key) => [Number(key), key]));
  const widths = new Set(
    layerKinds.flatMap((one, layer) => {
      if (one !== kind) return [];
      const key = keys.get(layer);
      const of = key === undefined ? undefined : given[key];
      if (!check.isRecord(of) || of.head_dim === undefined) return [headDim];
      return [check.integer(of.head_dim, `${name}.${key}.head_dim`)];
    }),
  );
  if (widths.size > 1) {
    throw new RangeError(
      `${name} must give the layers of kind ${kind} one head_dim; got ${[...widths].join(", ")}`,
    );
  }
  return [...widths][0] ?? headDim;
}

/**
 * The rotated part of a head, if the configuration names one that the family reads. Scalings always do.
 * @param {Reader} get @param {OfKind} family
 * @param {{entry: Json, type: string, sizes: Sizes}} of
 */
function readPartial(get, family, { entry, type, sizes: { layout, warnings } }) {
  const name = `${get.path}.partial_rotary_factor`;
  const whole = get.value("partial_rotary_factor");
  if (get.peek("rotary_pct") === 1) get.use("rotary_pct"); // GPT-NeoX's name, which others have without effect
  const given = entry.partial_rotary_factor ?? whole;
  if (given === undefined || given === null) return undefined;
  const isPart = (/** @type {number} */ x) => x > 0 && x <= 1;
  const partial = check.finite(given, name, "a number above 0, at most 1", isPart);
  if (partial === 1 || family.partial || type !== "default" || layout) return partial;
  warnings.push(`${name} is not read by this family: it is ignored`);
  return undefined;
}

/** @param {Reader} get @param {OfKind} family @param {number} headDim @param {number} [partial] */
function turned(get, family, headDim, partial) {
  const part = partial ?? family.partial ?? 1;
  if (!family.rotated || partial !== undefined) return Math.floor(headDim * part);
  const [name, value] = get.find(family.rotated);
  if (value === undefined && family.partial) return Math.floor(headDim * part);
  if (value === undefined) {
    throw new RangeError(
      `${name} must be given: without it transformers rotates all of n_embd, which is wider than a head; got ${check.describe(value)}`,
    );
  }
  return check.integer(value, name, 2, headDim);
}

/**
 * The default sections of a family, whose interleaved frequencies end with the width.
 * @param {readonly number[]} sections @param {string} where @param {number} dim
 * @param {NonNullable<Family["arrangement"]>} arrangement
 */
function fitting(sections, where, dim, arrangement) {
  if (arrangement !== "interleaved") {
    if (sections.reduce((sum, size) => sum + size, 0) === dim / 2) return sections;
    throw new RangeError(
      `${where}.mrope_section must be given: the family's own, ${sections.join(", ")}, are not for ${dim / 2} frequencies; got none`,
    );
  }
  const [high, wide] = [1, 2].map((axis) =>
    Math.min(sections[axis], Math.ceil((dim / 2 - axis) / 3)),
  );
  return [dim / 2 - high - wide, high, wide];
}

/**
 * @param {unknown} sections @param {string} where @param {number} dim
 * @param {NonNullable<Family["arrangement"]>} arrangement
 * @returns {Rotary["multimodal"]}
 */
function readSections(sections, where, dim, arrangement) {
  const name = `${where}.mrope_section`;
  if (!check.isList(sections) || sections.length !== 3) {
    throw new TypeError(`${name} must be three numbers; got ${check.describe(sections)}`);
  }
  const sizes = Array.from(sections, (size, axis) => check.integer(size, `${name}[${axis}]`, 0));
  if (sizes.reduce((sum, size) => sum + size, 0) !== dim / 2) {
    throw new RangeError(
      `${name} must be three numbers with the sum ${dim / 2}; got [${sizes.join(", ")}]`,
    );
  }
  const [first, second, third] = sizes;
  // The configuration of the alternating ones has height, width, time.
  return { sections: arrangement === "alternating" ? [third, first, second] : sizes, arrangement };
}
