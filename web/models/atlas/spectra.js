// What the poster shows of each family: its rotary frequencies, computed when the site is built.

/** @import { Phasor } from "phasor" */
/** @import { atlas, models } from "phasor/models" */

/**
 * @typedef {ReturnType<typeof atlas>[number]} AtlasEntry
 * @typedef {ReturnType<typeof models.get>} Model
 *
 * Layers that rotate alike.
 * @typedef {object} Kind
 * @property {number} base
 * @property {string} [scaling]  in words
 * @property {number} from  the share of a head where the rotated columns begin
 * @property {number} to  where they end
 * @property {number[]} frequencies  radians per token
 * @property {number[]} plain  the same without the scaling
 *
 * A family that rotates.
 * @typedef {object} Spectrum
 * @property {string} family
 * @property {string} [model]  whose configuration it is; without one it is the family's default
 * @property {readonly Kind[]} kinds
 * @property {readonly boolean[]} layers  whether each rotates, where some do not
 * @property {number} [trained]  tokens
 * @property {readonly string[]} says  lines for people
 */

/** Columns of a head whose width no configuration says: the shape of a spectrum does not depend on it. */
const COLUMNS = 128;

const number = (/** @type {number} */ value) => value.toLocaleString("en-US");

/**
 * Those of the families that rotate: of a model known by name, one with a scaling if there is one; else by default.
 * @param {Phasor} phasor @param {readonly AtlasEntry[]} entries @param {typeof models} named @returns {Spectrum[]}
 */
export function spectra(phasor, entries, named) {
  const found = entries
    .filter(({ scheme }) => scheme === "rope")
    .map((entry) => {
      const known = (entry.models ?? []).map((name) => ({ name, model: named.get(name) }));
      const shown = known.find(({ model }) => isScaled(model)) ?? known[0];
      return shown ? ofModel(phasor, entry, shown) : byDefault(phasor, entry);
    });
  return found.sort((a, b) => Number(b.model !== undefined) - Number(a.model !== undefined));
}

/** @param {Model} model */
const isScaled = ({ positions }) =>
  Object.values(positions.rotary ?? {}).some((one) => one?.options.scaling);

/** @param {Phasor} phasor @param {AtlasEntry} entry @returns {Spectrum} */
function byDefault({ rope }, { family, base = 10000, partial, traps }) {
  const { data } = rope.frequencies(COLUMNS, { base }).frequencies;
  const frequencies = Array.from(data);
  const still = traps.some((trap) => /not rotate/.test(trap)) && "some layers do not rotate";
  const differ = traps.some((trap) => /Bases differ|base of each/.test(trap)) && "bases by layer";
  return {
    family,
    kinds: [{ base, from: 0, to: partial ?? 1, frequencies, plain: frequencies }],
    layers: [],
    says: [`base ${number(base)}`, partWords(partial), differ, still].filter(isText),
  };
}

/** @param {Phasor} phasor @param {AtlasEntry} entry @param {{name: string, model: Model}} shown @returns {Spectrum} */
function ofModel({ rope }, { family }, { name, model }) {
  const { rotary = {}, layerKinds = [], length } = model.positions;
  const countOf = (/** @type {string} */ kind) => layerKinds.filter((one) => one === kind).length;
  const rotating = Object.entries(rotary).flatMap(([kind, one]) => (one ? [{ kind, one }] : []));
  const kinds = rotating
    .sort((a, b) => countOf(b.kind) - countOf(a.kind))
    .map(({ one: { dim, start = 0, options } }) => {
      const width = Math.max(model.headDim, start + dim);
      const { base, scaling } = options;
      const spectrum = (/** @type {object} */ of) =>
        Array.from(rope.frequencies(dim, { base, length, ...of }).frequencies.data);
      return {
        base,
        ...(scaling && { scaling: scalingWords(scaling) }),
        from: start / width,
        to: (start + dim) / width,
        frequencies: spectrum(scaling ? { scaling } : {}),
        plain: spectrum({}),
      };
    });
  const layers = layerKinds.map((kind) => rotary[kind] !== null);
  const [first] = rotating.map(({ one }) => /** @type {any} */ (one.options.scaling));
  return {
    family,
    model: name,
    kinds,
    layers: layers.includes(false) ? layers : [],
    trained: first?.originalLength ?? first?.maxLength ?? length,
    says: [...new Set([...kinds.flatMap(wordsOf), ...stillWords(layers)])],
  };
}

/** @param {readonly boolean[]} layers */
function stillWords(layers) {
  const still = layers.filter((rotates) => !rotates).length;
  return still > 0 ? [`${still} of ${layers.length} layers without RoPE`] : [];
}

/** @param {Kind} kind */
const wordsOf = ({ base, scaling, from, to }) =>
  [`base ${number(base)}`, scaling, partWords(to - from)].filter(isText);

/** @param {{type: string, factor?: number}} scaling */
const scalingWords = ({ type, factor }) =>
  type + (factor && factor !== 1 ? ` \u00d7${Number(factor.toPrecision(3))}` : "");

/** @param {number | undefined} part  of a head */
function partWords(part) {
  if (part === undefined) return "part by the file";
  return part < 1 ? `${Math.round(100 * part)} % of a head` : undefined;
}

/** @param {string | false | undefined} word @returns {word is string} */
const isText = (word) => typeof word === "string";
