/** @import { OptionsOf } from "../../runtime/options.js" */
/** @import { Random, NamedTask } from "./task.js" */
import * as check from "../../runtime/check.js";
import * as option from "../../runtime/options.js";

const TEXT = option.optionSet(() => ({
  /** The characters, each once. The id of a character is its place. */
  alphabet: option.value("abcdefghijklmnopqrstuvwxyz .,'"),
}));

/** The fewest characters: the last tenth of them has two. */
const LEAST = 20;

/**
 * A text, of which each next character is asked. `fill` reads its first nine tenths, `held` the last tenth.
 *
 *     x[t] = character start + t, start = below(N - T) of the N characters of the part
 *     y[t] = the next character, x[t + 1]
 *
 * A test cuts its texts from windows of `held`, which are eight times as long as a text of the first training, or as long
 * as a text of the test if that is more: each length reads the same characters.
 *
 * A character that the alphabet does not have becomes lower-case, or else a space, or goes, where there is no space
 * in the alphabet. Of spaces side by side, one is left.
 *
 * @param {string} string  at least 20 characters of the alphabet
 * @param {OptionsOf<typeof TEXT>} [options]
 * @returns {Readonly<NamedTask>} its `fill` and `held` throw a `RangeError` for texts that do not fit in their part
 * @throws {TypeError | RangeError} if an argument has the wrong type, the text is too short, or the alphabet has fewer
 *   than two characters or one twice
 * @see Press, Smith, Lewis 2022, Train short, test long, https://arxiv.org/abs/2108.12409, section 2.2: text beyond the
 *   trained length
 * @example
 * const { vocabulary, names } = lab.tasks.text("Each Dog bites each MAN!", { alphabet: "abcdefghimnost " });
 * vocabulary // 15
 * names[14] // " "
 */
export function text(string, options) {
  const characters = readAlphabet(TEXT.read(options).alphabet);
  const ids = idsOf(string, characters);
  const trained = Math.floor((ids.length * 9) / 10);
  return Object.freeze({
    name: "text",
    vocabulary: characters.length,
    names: Object.freeze(characters),
    hasDistances: false,
    fill: windowsOf(ids.subarray(0, trained), false),
    held: windowsOf(ids.subarray(trained), true),
  });
}
option.withOptions({ text }, { text: TEXT });

/** @param {unknown} alphabet */
function readAlphabet(alphabet) {
  const rule = "alphabet must be a string of two or more characters, each once";
  if (typeof alphabet !== "string") throw new TypeError(`${rule}; got ${check.describe(alphabet)}`);
  const characters = Array.from(alphabet);
  if (characters.length >= 2 && new Set(characters).size === characters.length) return characters;
  throw new RangeError(`${rule}; got ${check.describe(alphabet)}`);
}

/** @param {unknown} string @param {readonly string[]} characters */
function idsOf(string, characters) {
  if (typeof string !== "string")
    throw new TypeError(`string must be a string; got ${check.describe(string)}`);
  const idOf = new Map(characters.map((character, id) => [character, id]));
  const space = idOf.get(" ");
  const ids = [];
  for (const character of string) {
    const id = idOf.get(character) ?? idOf.get(character.toLowerCase()) ?? space;
    if (id !== undefined && (id !== space || ids[ids.length - 1] !== space)) ids.push(id);
  }
  if (ids.length >= LEAST) return Int32Array.from(ids);
  const rule = `string must have at least ${LEAST} characters of the alphabet`;
  throw new RangeError(`${rule}; got ${ids.length}`);
}

/** Writes windows of a part of the text. @param {Int32Array} part @param {boolean} isHeld */
function windowsOf(part, isHeld) {
  return (
    /** @type {Random} */ random,
    /** @type {Int32Array} */ ids,
    /** @type {Int32Array} */ targets,
    /** @type {number} */ T,
  ) => {
    const N = part.length;
    if (T >= N && isHeld) {
      const rule = `more than ${T} characters, the window that texts of a test are cut from`;
      throw new RangeError(`task must hold out ${rule}; got ${N}`);
    }
    if (T < 1 || T >= N) {
      const what = isHeld ? "held out" : "to train on";
      throw new RangeError(`length must be from 1 to below ${N}, the characters ${what}; got ${T}`);
    }
    const start = random.below(N - T);
    ids.set(part.subarray(start, start + T));
    targets.set(part.subarray(start + 1, start + 1 + T));
  };
}
